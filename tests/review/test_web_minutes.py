"""How many keys and taps a reviewer's work takes, in a real browser."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import sqlalchemy as sa
from playwright.sync_api import Browser, expect
from web_chromium import sign_in
from web_records import opened, proposal, served

from bot import store
from bot.review import web


def test_twenty_decisions_with_all_that_goes_with_them_take_31_keys_and_no_mouse(
    tmp_path: Path, browser: Browser
) -> None:
    many = [replace(proposal(n), runners_up=(("Q35875", "mass–energy equivalence", 0.1),)) for n in range(20)]
    with opened(tmp_path / "w", "Ada", proposals=many) as w, served(w, reviewer="Ada") as (address, token):
        page = sign_in(browser, address, token)
        page.context.route("**/lectures.example.org/**", lambda route: route.fulfill(body="the source"))
        expect(page.locator(".row").first).to_be_visible()
        pressed, seen = 0, ""

        def press(key: str, *, goes_on: bool) -> None:
            nonlocal pressed, seen
            page.keyboard.press(key)
            pressed += 1
            if goes_on:
                page.wait_for_function(
                    "was => location.href !== was && !document.documentElement.matches('.busy')", arg=seen
                )
            seen = page.url

        press("n", goes_on=True)
        with page.context.expect_page() as first:
            press("o", goes_on=False)
        with page.context.expect_page():
            press("o", goes_on=False)
        assert first.value.url.startswith("https://lectures.example.org/expansion#First_laws:~:text=")
        page.bring_to_front()
        for _ in range(10):
            press("a", goes_on=True)
        press("2", goes_on=False)  # a split: one reference is left out
        press("a", goes_on=True)
        for reason in "12345":
            press("r", goes_on=False)
            press(reason, goes_on=True)
        for _ in range(2):
            press("z", goes_on=True)
        for _ in range(2):
            press("a", goes_on=True)
        press("i", goes_on=True)
        expect(page.locator("#title")).to_contain_text("mass–energy")
        press("l", goes_on=True)  # it needs a source, which nobody has
        rows = w.rows(sa.select(store.decisions).order_by(store.decisions.c.n))
        verdicts = [row["verdict"] for row in rows]
        assert verdicts[:11] == ["approve"] * 11
        assert rows[10]["references"] == ["approve", "reject"]
        assert verdicts[11:] == ["reject"] * 5 + ["withdraw"] * 2 + ["approve"] * 2 + ["reject", "close"]
        assert (rows[-2]["about"], rows[-1]["record"]["qid"]) == ("Q35875", "Q35875")
        assert pressed == 31


def test_a_newcomer_decides_on_a_phone_with_three_taps_and_nothing_hidden(tmp_path: Path, browser: Browser) -> None:
    with opened(tmp_path / "w", "Ada", proposals=[proposal(0)]) as w, served(w) as (address, token):
        page = sign_in(browser, address, token, viewport={"width": 360, "height": 640}, has_touch=True, is_mobile=True)
        page.get_by_role("button", name="Ada").tap()
        page.locator("#begin").tap()
        for name in ("approve", "reject", "other"):
            box = page.locator(f".slots > {'.good' if name == 'approve' else '.' + name}").bounding_box()
            assert box is not None
            assert box["height"] >= 40
            assert 0 <= box["x"] <= box["x"] + box["width"] <= 360
            assert box["y"] + box["height"] <= 640
        formula, sheet = page.locator(".formula math").bounding_box(), page.locator(".sheet").bounding_box()
        assert formula is not None
        assert sheet is not None
        assert formula["y"] + formula["height"] < sheet["y"]
        quote = page.locator("blockquote").bounding_box()
        assert quote is not None
        assert quote["y"] < sheet["y"]  # the sentence begins in sight
        page.locator(".slots > .good").tap()
        expect(page.locator(".flash.done")).to_be_visible()
        assert [row["verdict"] for row in w.rows(sa.select(store.decisions))] == ["approve"]


def test_a_formula_has_the_font_of_the_page_a_name_and_is_copied_as_tex(tmp_path: Path, browser: Browser) -> None:
    with opened(tmp_path / "w", "Ada", proposals=[proposal(0)]) as w, served(w, reviewer="Ada") as (address, token):
        page = sign_in(browser, address, token)
        page.goto(f"{address}/p/{0:016x}")
        assert page.evaluate("document.fonts.load('20px \"Formula Math\"').then(found => found.length)") == 1
        assert page.locator(".formula math").first.get_attribute("alttext") == "v = H_0 d"
        copied = page.evaluate(
            """() => {
                const range = document.createRange(), data = new DataTransfer();
                range.selectNodeContents(document.querySelector("blockquote p"));
                getSelection().removeAllRanges(); getSelection().addRange(range);
                document.body.dispatchEvent(new ClipboardEvent("copy", { clipboardData: data, bubbles: true, cancelable: true }));
                return data.getData("text/plain");
            }"""
        )
        assert copied == "The Hubble's law is usually written $v = H_0 d$, where $x$ is what is measured."
    font = Path(web.__file__).with_name("static") / "font" / "latinmodern-math-subset.woff2"
    assert font.stat().st_size <= 150_000
