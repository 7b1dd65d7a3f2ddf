"""A real browser drives the page: sign in, filter, decide by keyboard, edit with preview, undo, two people, packets."""

from __future__ import annotations

import itertools
import re
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from playwright.sync_api import Browser, Locator, Page, expect
from web_chromium import sign_in
from web_records import served

from bot import store
from bot.formula import mathml
from bot.store import Workspace


def words(w: Workspace) -> list[tuple[str, str]]:
    table = store.decisions
    return [(row["proposal"], row["verdict"]) for row in w.rows(sa.select(table).order_by(table.c.n))]


def title(page: Page, text: str) -> None:
    expect(page.locator("#title")).to_contain_text(text)


def test_an_evening_by_keyboard(w: Workspace, browser: Browser) -> None:
    problems: list[str] = []
    with served(w, reviewer="Ada") as (address, token):
        page = sign_in(browser, address, token)
        page.on("console", lambda message: problems.append(message.text) if message.type == "error" else None)
        page.on("pageerror", lambda error: problems.append(str(error)))
        expect(page.locator(".row")).to_have_count(11)
        page.evaluate("window.same = true")  # it is gone after a reload

        page.keyboard.press("/")
        page.keyboard.type("law")
        page.keyboard.press("Enter")
        expect(page.locator(".row")).to_have_count(4)
        page.keyboard.press("Escape")
        page.keyboard.press("n")
        title(page, "Hubble's law")
        assert "q=law" in page.url

        page.keyboard.press("a")  # one key for an approval
        title(page, "universal gravitation")
        page.keyboard.press("r")
        page.keyboard.press("1")
        title(page, "Hooke's law")
        page.keyboard.press("z")
        title(page, "universal gravitation")
        page.keyboard.press("u")
        title(page, "Hooke's law")
        page.keyboard.press("s")
        title(page, "Ohm's law")
        assert [verdict for _, verdict in words(w)] == ["approve", "reject", "withdraw", "unsure", "skip"]
        assert "q=law" in page.url

        page.keyboard.press("p")
        title(page, "Hooke's law")
        page.keyboard.press("n")
        title(page, "Ohm's law")
        page.go_back()
        title(page, "Hooke's law")
        page.go_forward()
        title(page, "Ohm's law")

        page.keyboard.press("e")
        page.keyboard.press("End")
        page.keyboard.type(r" \, ")
        expect(page.locator("#preview .ok")).to_contain_text("The wiki accepts it")
        page.keyboard.type(r"\nonsense")
        expect(page.locator("#preview .fail")).to_contain_text("would refuse")
        for _ in range(len(r"\nonsense")):
            page.keyboard.press("Backspace")
        expect(page.locator("#preview .ok")).to_contain_text("The wiki accepts it")
        page.keyboard.press("Control+Enter")
        title(page, "The end of this queue")
        table = store.decisions
        last = w.rows(sa.select(table).order_by(table.c.n.desc()).limit(1))[0]
        assert (last["verdict"], last["tex"], last["record"]["tex"]) == ("approve", r"V = I R \,", "V = I R")

        page.goto(f"{address}/p/{1:016x}")
        page.evaluate("window.same = true")
        page.keyboard.press("2")
        page.keyboard.press("a")
        expect(page.locator(".flash").first).to_contain_text("mass–energy")
        row = w.rows(sa.select(table).order_by(table.c.n.desc()).limit(1))[0]
        assert row["references"] == ["approve", "reject"]
        assert page.evaluate("window.same") is True

        page.keyboard.press("?")
        expect(page.locator("#keys")).to_be_visible()
        page.keyboard.press("Escape")
    assert problems == []


def test_single_keys_can_be_turned_off(w: Workspace, browser: Browser) -> None:
    with served(w, reviewer="Ada") as (address, token):
        page = sign_in(browser, address, token)
        page.goto(f"{address}/p/{0:016x}")
        page.keyboard.press("?")
        page.get_by_label("Single keys are on").uncheck()
        page.keyboard.press("Escape")
        page.keyboard.press("a")
        page.evaluate(
            "new Promise((done) => requestAnimationFrame(() => setTimeout(done)))"
        )  # what a key does, it has done
        assert words(w) == []


def test_without_a_script_everything_works(w: Workspace, browser: Browser) -> None:
    with served(w, reviewer="Ada") as (address, token):
        page = sign_in(browser, address, token, java_script_enabled=False)
        page.get_by_role("link", name="Begin").click()
        title(page, "Hubble's law")
        page.locator("#reject summary").click()
        page.get_by_role("button", name="Special case").click()
        title(page, "mass–energy")
        page.locator("#edit summary").click()
        page.locator("#tex").fill("E = mc^2")
        page.get_by_role("button", name="Preview").click()
        expect(page.locator("#preview .ok")).to_be_visible()
        page.get_by_role("button", name="Approve edited").click()
        page.get_by_role("button", name="Undo").click()
        title(page, "mass–energy")
        assert [verdict for _, verdict in words(w)] == ["reject", "approve", "withdraw"]


def test_two_people_work_side_by_side(w: Workspace, browser: Browser) -> None:
    with served(w, reviewer="Ada") as (one, token), served(w, reviewer="Ben") as (other, second):
        ada, ben = sign_in(browser, one, token), sign_in(browser, other, second)
        for page in (ada, ben):
            page.keyboard.press("n")
            expect(page.locator("#decide")).to_be_visible()
        assert ada.url[-16:] != ben.url[-16:]
        for _ in range(4):
            for page in (ada, ben):
                before = page.url
                page.keyboard.press("a")
                page.wait_for_url(lambda url, before=before: url != before)
        approved = [proposal for proposal, verdict in words(w) if verdict == "approve"]
        assert len(approved) == len(set(approved)) == 8


def test_green_ones_are_approved_together_and_undone_together(w: Workspace, browser: Browser) -> None:
    with served(w, reviewer="Ada") as (address, token):
        page = sign_in(browser, address, token)
        page.get_by_role("button", name="Choose all green").click()
        page.get_by_role("button", name="Approve the chosen").click()
        expect(page.locator(".row")).to_have_count(1)
        page.keyboard.press("z")
        expect(page.locator(".row")).to_have_count(11)


def test_a_packet_goes_out_is_filled_in_and_comes_back(w: Workspace, browser: Browser, tmp_path: Path) -> None:
    with served(w, reviewer="Ada") as (address, token):
        page = sign_in(browser, address, token)
        page.goto(f"{address}/packets?lang=de")
        with page.expect_download() as download:
            page.get_by_role("button", name="packet.html").click()
        packet = tmp_path / "packet.html"
        download.value.save_as(packet)
        offline = browser.new_context(offline=True, viewport={"width": 360, "height": 800}).new_page()
        offline.goto(packet.as_uri())
        expect(offline.locator("html")).to_have_attribute("lang", "de")
        expect(offline.locator("noscript")).to_have_count(0)  # in time all of it is there to be searched by the browser

        def card(n: int) -> Locator:
            offline.goto(f"{packet.as_uri()}#p-{n:016x}")  # what is kept until it is near is there by its address
            expect(offline.locator(f"#h-{n:016x}")).to_be_in_viewport()
            return offline.locator(f"#p-{n:016x}")

        first = card(0)
        first.get_by_label("Annehmen", exact=True).press(
            "Space"
        )  # cards above may still be laid out: no place to click at
        first.get_by_role("checkbox").nth(1).press("Space")
        card(2).get_by_label("Grund, falls du ablehnst").select_option("special_case")
        moved = card(3)
        moved.get_by_text("Andere Antwort…").press("Enter")
        moved.get_by_role("textbox", name="Anderes Datenobjekt").fill("q41591")
        for n, answer in ((4, "Diese Formel des Datenobjekts ist falsch:"), (5, "Das Datenobjekt so lassen")):
            closed = card(n)
            closed.get_by_text("Andere Antwort…").press("Enter")
            closed.get_by_label(answer).press("Space")
        assert offline.locator("#count").inner_text().startswith("5 ")
        with offline.expect_download() as saved:
            offline.get_by_role("button", name="Meine Entscheidungen speichern").click()
        filled = tmp_path / "decisions.jsonl"
        saved.value.save_as(filled)
        page.set_input_files("input[type=file]", filled)
        page.get_by_role("button", name="Ada").click()
        expect(page.locator(".flash.done")).to_contain_text("5 festgehalten")
        rows = w.rows(sa.select(store.decisions).order_by(store.decisions.c.proposal))
        assert [(r["verdict"], r["reason"], r["about"]) for r in rows] == [
            ("approve", "", ""),
            ("reject", "special_case", ""),
            ("reject", "wrong_item", "Q41591"),
            ("close", "item_wrong", "Q41591$1"),
            ("close", "leave", ""),
        ]


READ = {  # formula -> what a screen reader gets of it: text in reading order, and what has a role of its own
    r"E = mc^2": ("𝐸 = 𝑚 𝑐 2", "Sup"),
    r"\frac{a}{b}": ("𝑎 𝑏", "Fraction"),
    r"\sqrt[3]{x}": ("𝑥 3", "Root"),
    r"\sum_{i=1}^n X_i": ("∑ 𝑖 = 1 𝑛 𝑋 𝑖", "Row Sub UnderOver"),
    r"\hat{H}\psi = E\psi": ("𝐻 ^ 𝜓 = 𝐸 𝜓", "Over"),
    r"\overline{X}": ("𝑋 ‾", "Over"),
    r"\int_0^1 f(x)\,dx": ("∫ 0 1 𝑓 ( 𝑥 ) 𝑑 𝑥", "SubSup"),
    r"\begin{pmatrix} a & b \\ c & d \end{pmatrix}": ("( 𝑎 𝑏 𝑐 𝑑 )", "Row Table TableCell TableRow"),
    r"\mathbf{F} = q\mathbf{E}": ("𝐅 = 𝑞 𝐄", ""),
    r"\dot{q} = \frac{\partial H}{\partial p}": ("𝑞 ˙ = 𝜕 𝐻 𝜕 𝑝", "Fraction Over Row"),
    r"P(A\mid B)": ("𝑃 ( 𝐴 ∣ 𝐵 )", ""),
    r"x' = \gamma x": ("𝑥 ′ = 𝛾 𝑥", "Sup"),
}


def test_formulas_are_read_by_their_parts(browser: Browser) -> None:
    """A name (aria-label) would be read in place of the parts by some screen readers, and end reading by parts and in braille."""
    page = browser.new_page()
    page.set_content("".join(f"<p>{mathml(tex)}</p>" for tex in READ))
    tree = page.context.new_cdp_session(page).send("Accessibility.getFullAXTree")["nodes"]
    nodes = {node["nodeId"]: node for node in tree}

    def below(node: dict[str, Any]) -> list[dict[str, Any]]:
        return [node, *(each for child in node.get("childIds", ()) for each in below(nodes[child]))]

    found = []
    for node in (node for node in tree if node["role"]["value"] == "MathMLMath"):
        parts = [(each["role"]["value"], each.get("name", {}).get("value", "")) for each in below(node)]
        assert parts[0] == ("MathMLMath", "")
        roles = {role.removeprefix("MathML") for role, _ in parts if role.startswith("MathML")}
        said = " ".join(name for role, name in parts if role == "StaticText")
        found.append((said, " ".join(sorted(roles - {"Math", "Identifier", "Operator", "Number"}))))
    assert dict(zip(READ, found, strict=True)) == READ


def test_the_reading_order_and_names_are_there_for_a_screen_reader(w: Workspace, browser: Browser) -> None:
    with served(w, reviewer="Ada") as (address, token):
        page = sign_in(browser, address, token)
        page.goto(f"{address}/p/{1:016x}")
        tree = page.locator("body").aria_snapshot()
        for name in ("banner", "main", "contentinfo", "navigation", 'button "Approve', "math"):
            assert name in tree, name
        levels = [int(level) for level in re.findall(r"\[level=(\d)\]", tree)]
        assert levels[0] == 1
        assert all(b - a <= 1 for a, b in itertools.pairwise(levels))
        page.keyboard.press("a")
        expect(page.locator("#said")).to_contain_text("Approved: mass–energy")
        assert page.evaluate("document.activeElement.id") == "title"
