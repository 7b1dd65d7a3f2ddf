"""axe-core with every rule of WCAG 2.2 A and AA on every page, narrow, usual and wide, light and dark, English and German."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, expect
from web_chromium import choose, sign_in
from web_records import opened, served

from bot.records import Decision
from bot.review import decide, export_packet, queue
from bot.review.queue_rules import change_rules
from bot.settings import Settings
from bot.store import Workspace

PAGES = (
    "/", "/?state=all&low=20", "/?q=law&order=learn", "/?q=nothing+at+all", "/?state=approved", f"/p/{1:016x}", f"/p/{11:016x}", f"/p/{10:016x}",
    f"/p/{3:016x}", "/item/Q35875", "/item/Q41591", "/item/Q99", "/formulas", "/formulas/free-0", "/formulas/free-1?q=hub", "/statistics", "/packets",
    "/people", "/help", "/topics", "/session", "/connect", f"/p/{1:016x}/source/1", f"/next?after={9:016x}", "/p/nothing", "/sign-in/again", "/?lang=en",
)  # fmt: skip
WCAG = {
    "runOnly": {"type": "tag", "values": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]},
    "resultTypes": ["violations"],  # of the passes one element each is enough; all of them take twice the time
}
SIZES = (360, 1280, 2560)
# Every width in both schemes takes minutes; the ordinary run has a dark telephone.
EVERY = [(width, scheme) for width in SIZES for scheme in ("light", "dark")]
LOOKS = EVERY if os.environ.get("FORMULA_BOT_LONG") else [(SIZES[0], "dark")]


@pytest.fixture
def w(tmp_path: Path) -> Iterator[Workspace]:
    """A queue in use: words, a disagreement, a proposal that waits for its second person."""
    with opened(tmp_path / "w", "Ada", "Ben") as workspace:
        rows = {row.proposal.id: row.proposal for row in queue(workspace, "all")}
        change_rules(workspace, {"two_persons": "true", "blind": "0.5"})
        for n, who, verdict in (
            (3, "Ada", "approve"),
            (3, "Ben", "approve"),
            (4, "Ben", "reject"),
            (5, "Ada", "approve"),
            (5, "Ben", "reject"),
        ):
            id_, reason = f"{n:016x}", "duplicate" if verdict == "reject" else ""
            decide(workspace, Decision(id_, rows[id_].hash, verdict, reviewer=who, reason=reason))
        yield workspace


def clean(page: Page, where: str) -> None:
    """Check a page as it stands: nothing beside the window, and no violation."""
    wide = page.evaluate("document.documentElement.scrollWidth - innerWidth")
    assert wide <= 0, f"{where} is {wide} px too wide"
    page.evaluate("document.querySelectorAll('main details').forEach((d) => d.open = true)")
    if page.locator("#tex").count():
        expect(page.locator("#preview .formula")).to_be_visible()
    found = Axe().run(page, options=WCAG)
    assert found.violations_count == 0, f"{where}: {found.generate_report()}"
    assert found.response["passes"], where


@pytest.mark.parametrize(("width", "scheme"), LOOKS)
def test_every_page_fits_and_axe_finds_nothing(w: Workspace, browser: Browser, width: int, scheme: str) -> None:
    locale = "de-DE" if scheme == "dark" else "en-GB"
    look = {
        "viewport": {"width": width, "height": 900},
        "color_scheme": scheme,
        "reduced_motion": "reduce",
        "locale": locale,
    }
    with served(w) as (address, token):
        page = sign_in(browser, address, token, **look)
        clean(page, "who")
        choose(page, "Ada")
        page.goto(f"{address}/p/{0:016x}")
        page.keyboard.press("a")
        expect(page.locator("#title")).to_contain_text("mass–energy")
        clean(page, "after a word")
        page.goto(f"{address}/p/{1:016x}")
        page.keyboard.press("1")
        page.keyboard.press("2")
        page.keyboard.press("a")
        expect(page.locator(".flash.error")).to_be_visible()
        clean(page, "a word that is refused")
        for path in PAGES:
            page.goto(address + path)
            clean(page, path)
        page.keyboard.press("?")
        expect(page.locator("#keys")).to_be_visible()
        clean(page, "keys")
        stranger = browser.new_context(**look).new_page()
        stranger.goto(address)
        clean(stranger, "sign in")


@pytest.mark.parametrize(("width", "scheme"), LOOKS)
def test_a_packet_fits_and_axe_finds_nothing(
    w: Workspace, browser: Browser, tmp_path: Path, width: int, scheme: str
) -> None:
    export_packet(w, tmp_path / "packet.html", Settings(), state="all")
    page = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme, offline=True).new_page()
    page.goto((tmp_path / "packet.html").as_uri())
    page.evaluate("dispatchEvent(new Event('beforeprint'))")  # all cards
    laid_out(page)
    clean(page, "packet")


@pytest.mark.skipif(
    not os.environ.get("FORMULA_BOT_LONG"), reason="with every card laid out it takes a minute; FORMULA_BOT_LONG=1"
)
@pytest.mark.parametrize(("width", "scheme"), EVERY)
def test_a_report_fits_and_axe_finds_nothing(
    proposed_examples: Path, browser: Browser, width: int, scheme: str
) -> None:
    page = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme, offline=True).new_page()
    page.goto((proposed_examples / "reports" / "dry-run.html").as_uri())
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    laid_out(page)
    clean(page, "report")


def laid_out(page: Page) -> None:
    """Have cards outside the window laid out too: axe takes the background of what it finds at a place, where they are not yet."""
    page.add_style_tag(content=".card { content-visibility: visible !important }")
