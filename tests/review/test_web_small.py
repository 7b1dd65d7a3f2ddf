"""The page of a proposal on small screens and zoomed, in a real browser: references in sight, decisions in one place."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, expect
from test_web_axe import WCAG
from web_chromium import sign_in
from web_records import opened, proposal, reference, served

from bot import store
from bot.records import Decision
from bot.review import decide
from bot.store import Workspace

LONG = "https://lectures.example.org/a-very-long-address/of-a-chapter/that-goes-on-and-on/expansion"
SIZES = {
    "phone": {"viewport": {"width": 360, "height": 740}},
    "half": {"viewport": {"width": 640, "height": 900}},
    "tablet": {"viewport": {"width": 768, "height": 1024}},
    "zoomed to 200 %": {"viewport": {"width": 640, "height": 400}, "device_scale_factor": 2},
    "desktop": {"viewport": {"width": 1280, "height": 900}},
}
APPROVE = "button[value=approve]"
each_size = pytest.mark.parametrize(
    "size", SIZES if os.environ.get("FORMULA_BOT_LONG") else ("phone", "zoomed to 200 %")
)


@pytest.fixture
def w(tmp_path: Path) -> Iterator[Workspace]:
    """Proposals with one to seven references, long and short; one that adds a reference, and one that is flagged."""
    counts = (2, 1, 7, 3, 1, 5)
    made = [
        proposal(n, references=tuple(reference(i, LONG if n % 2 else "https://a.example.org") for i in range(count)))
        for n, count in enumerate(counts)
    ]
    made[3] = proposal(3, kind="add_reference", statement="Q179380$1")
    made[4] = proposal(4, kind="flag")
    with opened(tmp_path / "w", "Ada", proposals=made) as workspace:
        yield workspace


def verdicts(w: Workspace) -> list[tuple[str, str]]:
    return [(row["verdict"], row["reason"]) for row in w.rows(sa.select(store.decisions).order_by(store.decisions.c.n))]


def under(page: Page, x: float, y: float) -> str:
    """Return what a pointer at a place would press: the decision, the reference, or nothing of both."""
    return str(page.evaluate(
        """([x, y]) => {
          const found = document.elementFromPoint(x, y);
          const hit = found && found.closest("label, input, .slots > *");
          return hit ? hit.value || hit.id || hit.tagName : "";
        }""",
        [x, y],
    ))  # fmt: skip


@each_size
def test_references_are_in_sight_and_decisions_stay_in_their_place(w: Workspace, browser: Browser, size: str) -> None:
    with served(w, reviewer="Ada") as (address, token):
        page = sign_in(browser, address, token, **SIZES[size])
        page.goto(f"{address}/p/{0:016x}")
        references_in_sight(page)
        place = _box(page.locator(APPROVE))
        x, y = _middle(place)
        for n in (1, 2, 3):  # a pointer rests where it pressed, wherever the page was scrolled to
            page.evaluate(f"scrollTo(0, {n * 150})")
            page.mouse.click(x, y)
            page.wait_for_url(f"**/p/{n:016x}**")
            expect(page.locator(".flash")).to_be_visible()
            assert _box(page.locator(APPROVE)) == place
            assert under(page, x, y) == "approve"
        references_in_sight(page)
        page.evaluate("scrollTo(0, document.body.scrollHeight)")
        assert _box(page.locator(APPROVE)) == place
        foot, sheet = _box(page.locator(".bottom p")), _box(page.locator(".bar"))
        over = page.locator(".weigh") if SIZES[size]["viewport"]["width"] < 900 else page.locator(".bar")
        assert foot["y"] + foot["height"] <= min(sheet["y"], _box(over)["y"])
        page.goto(f"{address}/p/{4:016x}")
        assert under(page, x, y) == ""  # nothing to approve, and nothing else instead
        assert verdicts(w) == [("approve", "")] * 3


@each_size
def test_reject_opens_its_reasons_and_asks_the_server_for_nothing(w: Workspace, browser: Browser, size: str) -> None:
    with served(w, reviewer="Ada") as (address, token):
        page = sign_in(browser, address, token, **SIZES[size])
        page.goto(f"{address}/p/{2:016x}")
        references_in_sight(page)
        where, asked = page.url, requests(page)
        page.locator("input[name=reference]").nth(1).uncheck()
        page.get_by_text("Reject…").locator("visible=true").first.click()
        expect(page.get_by_role("button", name="Special case")).to_be_in_viewport(ratio=1)
        assert (asked, page.url) == ([], where)
        assert not page.locator("input[name=reference]").nth(1).is_checked()
        if size in ("phone", "zoomed to 200 %"):
            page.evaluate("document.getAnimations().forEach((each) => each.finish())")
            found = Axe().run(page, options=WCAG)
            assert found.violations_count == 0, found.generate_report()
        page.get_by_role("button", name="Special case").click()
        expect(page.locator("#title")).not_to_contain_text("universal gravitation")
        assert verdicts(w) == [("reject", "special_case")]


def test_two_quick_clicks_decide_on_one_proposal(w: Workspace, browser: Browser) -> None:
    with served(w, reviewer="Ada") as (address, token):
        page = sign_in(browser, address, token, **SIZES["phone"])
        page.goto(f"{address}/p/{0:016x}")
        x, y = _middle(_box(page.locator(APPROVE)))
        page.mouse.click(x, y)
        page.wait_for_url(f"**/p/{1:016x}**")
        page.mouse.down(click_count=2)
        page.mouse.up(click_count=2)
        page.mouse.click(x, y)
        page.wait_for_url(f"**/p/{2:016x}**")
        assert verdicts(w) == [("approve", "")] * 2


def test_a_link_within_the_page_fetches_nothing(w: Workspace, browser: Browser) -> None:
    with served(w, reviewer="Ada") as (address, token):
        page = sign_in(browser, address, token)
        page.goto(f"{address}/p/{0:016x}")
        page.locator("input[name=reference]").first.uncheck()
        asked = requests(page)
        page.locator(".skip").focus()
        page.keyboard.press("Enter")
        expect(page).to_have_url(f"{address}/p/{0:016x}#main")
        page.go_back()
        expect(page).to_have_url(f"{address}/p/{0:016x}")
        assert asked == []
        assert not page.locator("input[name=reference]").first.is_checked()


@each_size
def test_rows_open_where_they_are_touched_and_tables_fit(w: Workspace, browser: Browser, size: str) -> None:
    with served(w, reviewer="Ada") as (address, token):
        page = sign_in(browser, address, token, **SIZES[size])
        page.locator(".row .drawn").nth(1).click()
        expect(page.locator(".sheet")).to_be_visible()
        page.locator(APPROVE).click()
        expect(page.locator(".flash")).to_be_visible()
        page.goto(f"{address}/statistics")
        tables = page.locator(".figures .scroll")
        expect(tables.first).to_be_visible()
        assert tables.evaluate_all("all => all.map((one) => one.scrollWidth - one.clientWidth)") == [0] * tables.count()
        assert page.locator(".top").evaluate("top => top.offsetHeight") < 100


def test_the_figures_fit_in_german(w: Workspace, browser: Browser) -> None:
    first = proposal(0)
    decide(w, Decision(first.id, first.hash, "approve", reviewer="Ada"))
    with served(w, reviewer="Ada") as (address, token):
        page = sign_in(browser, address, token, locale="de-DE")
        for width in (400, 1280, 1600):
            page.set_viewport_size({"width": width, "height": 900})
            page.goto(f"{address}/statistics")
            expect(page.locator(".scroll")).to_have_count(3)
            wide = "[...document.querySelectorAll('.scroll')].filter((e) => e.scrollWidth > e.clientWidth).length"
            assert page.evaluate(wide) == 0, width


def references_in_sight(page: Page) -> None:
    """Check that title, first reference and approval are seen without scrolling, and that the reference can be pressed."""
    first, approve = page.locator("input[name=reference]").first, page.locator(APPROVE)
    for found in (page.locator("#title"), first, approve):
        expect(found).to_be_in_viewport()
    above, below = _box(first), _box(approve)
    assert above["y"] + above["height"] <= below["y"]
    assert under(page, *_middle(above)) == "0"


def requests(page: Page) -> list[str]:
    """Return a list that fills with the pages that are asked for from now on."""
    found: list[str] = []
    page.on("request", lambda request: found.append(request.url) if "/static/" not in request.url else None)
    return found


def _box(found: Any) -> dict[str, float]:
    box = found.bounding_box()
    assert box is not None
    return dict(box)


def _middle(box: dict[str, float]) -> tuple[float, float]:
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
