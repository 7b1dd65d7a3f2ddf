"""A real browser on item pages of the rehearsal wiki, where the script of `formula-bot gadget` shows and decides what waits."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest
import sqlalchemy as sa
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, BrowserContext, Page, Route, expect
from test_web_axe import WCAG
from waitress.server import create_server
from web_chromium import sign_in
from web_records import LAWS, dozen, opened, running

from bot import store
from bot.records import Decision, as_json
from bot.review import decide
from bot.review.gadget import script
from bot.review.queue_rules import change_rules
from bot.review.web import make_app, queue_selection
from bot.review.web.review_context import ReviewContext
from bot.review.web.security import OneTimeToken
from bot.sandbox import Sandbox
from bot.settings import Gadget, Settings, Wiki
from bot.store import Workspace

ENERGY, HUBBLE, NEWTON, HOOKE, BAYES, LORENTZ = "Q35875", "Q179916", "Q11412", "Q179380", "Q182505", "Q83213"
# What MediaWiki offers to scripts, as far as this one asks for it; `rendered` is fired by the test.
MW = """
const values = { wgUserLanguage: "de", wbEntityId: "Q179380", wbIsEditView: true, skin: "vector-2022", wgRevisionId: 7, wgCurRevisionId: location.hash ? 8 : 7 };
window.mw = {
  config: { get: (name) => values[name] },
  hook: (name) => ({ add: (act) => { window.waiting = [name, act]; } }),
  util: { addPortletLink: (portlet, address, text, id) => {
    const entry = document.createElement("li");
    entry.id = id;
    entry.innerHTML = `<a href="${address}"><span>${text}</span></a>`;
    document.querySelector(`#${portlet} ul`).append(entry);
    return entry;
  } },
};
"""


@dataclass(frozen=True)
class Place:
    """The rehearsal wiki, the review server that its script asks, and the browser in which Ada is signed in there."""

    w: Workspace
    wiki: str
    server: str
    review: ReviewContext
    context: BrowserContext
    sandbox: Sandbox
    settings: Settings

    def decisions(self, number: int) -> list[Any]:
        rows = self.w.rows(sa.select(store.decisions).order_by(store.decisions.c.n))
        return [(r["verdict"], r["reason"], r["references"]) for r in rows if r["proposal"] == f"{number:016x}"]

    def item(self, qid: str, *, connect: bool = True, **look: Any) -> Page:
        """Open an item's page; the window that connects it closes by itself once Ada allowed it."""
        page = self.context.new_page()
        page.set_default_timeout(20_000)
        if look:
            page.set_viewport_size({"width": look["width"], "height": 900})
        page.goto(f"{self.wiki}/wiki/{qid}")
        if connect:
            with page.expect_popup():
                page.get_by_role("link", name="Formula proposals: sign in").click()
            expect(page.locator(".formula-proposals")).to_contain_text("for this item:")
        return page


@pytest.fixture(scope="module")
def place(running_browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    path = tmp_path_factory.mktemp("gadget") / "w"
    server: Any = create_server(lambda environ, start: [], host="127.0.0.1", port=0, threads=8)
    with Sandbox() as sandbox, opened(path, "Ada", "Ben") as w:
        rows = [{"qid": qid, "label": label, "description": about} for qid, label, _, _, about in LAWS]
        sandbox.fill({**row, "formulas": ["E=mc^2"] if row["qid"] == ENERGY else []} for row in rows)
        host = f"127.0.0.1:{server.effective_port}"
        wiki = sandbox.address.replace("127.0.0.1", "localhost")  # another site than the review server's
        settings = Settings(wiki=Wiki(name="here", page_prefix=f"{wiki}/wiki/"), gadget=Gadget(f"http://{host}"))
        token = OneTimeToken()
        server.application = make_app(w, settings, hosts={host}, token=token, reviewer="Ada")
        sandbox.set_page("MediaWiki:Common.js", script(settings))
        with running(server):
            review = sign_in(running_browser, f"http://{host}", token)
            place = Place(
                w, wiki, f"http://{host}", server.application.extensions["review"], review.context, sandbox, settings
            )
            page = place.item(ENERGY, connect=False)
            expect(page.locator(".formula-proposals")).to_be_hidden()
            with page.expect_popup() as window:
                page.get_by_role("link", name="Formula proposals: sign in").click()
            expect(window.value.locator("main")).to_contain_text(f"Ada, may the formula script on {wiki} show you")
            assert page.locator(".formula-proposal").count() == 0
            window.value.get_by_role("button", name="Allow").click()
            expect(page.locator(".formula-proposal")).to_have_count(2)
            page.close()
            yield place


def card(page: Page, number: int) -> Any:
    return page.locator(f"#formula-proposal-{number:016x}")


def test_a_proposal_is_seen_approved_and_taken_back(place: Place) -> None:
    page = place.item(ENERGY)
    assert page.get_by_role("link", name="Formula proposals (2)").count() == 1
    one = page.locator("#P2534.wikibase-statementgroupview").locator(card(page, 1))
    tree = one.aria_snapshot()
    for part in ('- group "Proposed formula":', "95 % – the bot's estimate that this formula defines the item", "- math: E = m c 2", "- mark: mass–energy equivalence", '- link "Lectures on physics"', 'checkbox "reference URL: https://lectures.example.org/expansion/0 retrieved: 2026-11-20" [checked]', '- button "Approve"', '- link "Full card"'):  # fmt: skip
        assert part in tree, (part, tree)
    assert one.locator("math").first.get_attribute("alttext") == "E = m c^{2}"
    assert page.locator(f"#formula-proposal-{10:016x} .formula-proposal-kind a").get_attribute("href") == "#Q35875$1"
    one.get_by_role("checkbox").nth(0).uncheck()
    one.get_by_role("checkbox").nth(1).uncheck()
    one.get_by_role("button", name="Approve").click()
    expect(one.get_by_role("status")).to_have_text("Tick at least one source to approve.")
    one.get_by_role("checkbox").nth(1).check()
    one.get_by_role("button", name="Approve").click()
    expect(one.get_by_role("status")).to_have_text("You approved this; nothing is written before the bot's next run.")
    assert place.decisions(1) == [("approve", "", ["reject", "approve"])]
    assert page.get_by_role("link", name="Formula proposals (1)").count() == 1
    expect(one.get_by_role("button", name="Undo")).to_be_focused()
    assert queue_selection.lease(place.w, f"{10:016x}", "Ben", 10)
    card(page, 10).get_by_role("button", name="Approve").click()
    expect(card(page, 10).get_by_role("status")).to_have_text("Ben is looking at this proposal and decides first. Your decision was not recorded.")  # fmt: skip
    assert card(page, 10).locator("button:visible, input").count() == 0
    queue_selection.release(place.w, f"{10:016x}", "Ben")
    one.get_by_role("button", name="Undo").click()
    expect(page.get_by_role("link", name="Formula proposals (2)")).to_be_visible()
    assert [verdict for verdict, _, _ in place.decisions(1)] == ["approve", "withdraw"]
    page.close()


def test_a_first_approval_of_two_is_said_to_wait_for_a_second_person(place: Place) -> None:
    change_rules(place.w, {"two_persons": "true"}, [])
    page = place.item(ENERGY)
    one = card(page, 1)
    one.get_by_role("button", name="Approve").click()
    expect(one.get_by_role("status")).to_have_text(
        "You approved this; it is written once a second person approves the same."
    )
    one.get_by_role("button", name="Undo").click()
    expect(one.get_by_role("button", name="Approve")).to_be_visible()
    change_rules(place.w, {}, ["two_persons"])
    page.close()


def test_with_mediawikis_scripts_it_waits_for_the_editing_tools_and_speaks_the_readers_language(place: Place) -> None:
    page = place.context.new_page()
    page.add_init_script(MW)
    page.goto(f"{place.wiki}/wiki/{HOOKE}#old")
    page.evaluate("window.waiting[1]()")
    assert page.locator("#t-formula-proposals, .formula-proposals").count() == 0  # an old revision
    page.goto(f"{place.wiki}/wiki/{HOOKE}")
    assert page.evaluate("window.waiting[0]") == "wikibase.entityPage.entityView.rendered"
    assert page.locator("#t-formula-proposals, .formula-proposals").count() == 0
    page.evaluate("window.waiting[1](); window.waiting[1]()")
    with page.expect_popup():
        page.get_by_role("link", name="Formelvorschläge: anmelden").click()
    one = page.locator("#P2534.formula-proposals-group").locator(card(page, 3))  # a group of its own: the item has none
    expect(one).to_contain_text("Vorgeschlagene Formel")
    expect(page.locator("#P2534 .wikibase-statementgroupview-property a")).to_have_text("definierende Formel")
    one.get_by_role("button", name="Ablehnen…").click()
    one.get_by_role("button", name="Spezialfall").click()
    expect(one.get_by_role("status")).to_have_text("Du hast das abgelehnt: Spezialfall.")
    assert [(v, reason) for v, reason, _ in place.decisions(3)] == [("reject", "special_case")]
    page.close()


def test_what_changed_or_was_decided_since_is_not_decided_again(place: Place) -> None:
    page = place.item(HUBBLE)
    changed = dataclasses.replace(dozen()[0], hash="new")
    with place.w.engine.begin() as db:
        row = {"hash": "new", "record": as_json(changed)}
        db.execute(store.proposals.update().where(store.proposals.c.id == changed.id).values(**row))
    place.review.index.refresh(now=True)
    card(page, 0).get_by_role("button", name="Approve").click()
    expect(card(page, 0).get_by_role("status")).to_have_text(
        "It has changed since you saw it, and your decision was not recorded; look at it again."
    )
    decide(place.w, Decision(f"{0:016x}", "new", "reject", reason="duplicate", reviewer="Ben"))
    card(page, 0).get_by_role("button", name="Approve").click()
    expect(page.locator(".formula-proposals")).to_have_text(
        "Another decision was made on it in the meantime, and yours was not recorded."
    )
    assert card(page, 0).count() == 0
    assert [verdict for verdict, _, _ in place.decisions(0)] == ["reject"]
    page.close()


def test_a_server_that_is_away_leaves_the_page_whole(place: Place) -> None:
    away = "**/api/v1/**"
    place.context.route(away, lambda route: route.abort())
    page = place.item(NEWTON, connect=False)
    notice = page.locator(".formula-proposals")
    with page.expect_popup():
        page.get_by_role("link", name="Formula proposals: sign in").click()
    expect(notice).to_contain_text("The formula review does not answer; the rest of this page works as usual.")
    expect(page.get_by_role("link", name="Formula proposals: no answer")).to_be_visible()
    expect(page.locator("h1")).to_contain_text("universal gravitation")
    place.context.unroute(away)
    notice.get_by_role("button", name="Try again").click()
    expect(card(page, 2)).to_contain_text("another item has this formula")
    place.context.route(away, lambda route: route.abort())
    card(page, 2).get_by_role("button", name="Approve").click()
    expect(card(page, 2).get_by_role("status")).to_contain_text("so your decision may not be recorded; try again")
    place.context.unroute(away)
    card(page, 2).get_by_role("button", name="Approve").click()
    expect(card(page, 2).get_by_role("status")).to_contain_text("You approved this")
    assert len(place.decisions(2)) == 1
    page.close()


def test_nobody_is_shown_what_the_settings_keep_from_strangers_and_reads_the_rest(
    place: Place, running_browser: Browser
) -> None:
    page = dataclasses.replace(place, context=running_browser.new_context()).item(LORENTZ, connect=False)
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.reload()
    expect(page.get_by_role("link", name="Formula proposals: sign in")).to_be_visible()
    assert not any(url.startswith(place.server) for url in asked)
    page.evaluate("window.open = () => null")
    page.get_by_role("link", name="Formula proposals: sign in").click()
    expect(page.locator(".formula-proposals")).to_contain_text("The browser did not open the window to sign in")
    shown = dataclasses.replace(place.settings, gadget=Gadget(place.server, everyone=True))
    place.review.settings = shown
    place.sandbox.set_page("MediaWiki:Common.js", script(shown))
    page.reload()
    expect(card(page, 9)).to_contain_text("The Lorentz force is usually written")
    assert card(page, 9).locator("button, input").count() == 0
    expect(page.locator(".formula-proposals").get_by_role("button", name="Sign in")).to_be_visible()
    assert {url.split("?")[0] for url in asked if url.startswith(place.server)} == {f"{place.server}/api/v1/items/{LORENTZ}/proposals"}  # fmt: skip
    page.goto(f"{place.wiki}/wiki/Property:P2534")  # nothing is asked where nothing can be proposed
    assert page.locator("#t-formula-proposals").count() == 0
    place.review.settings = place.settings
    place.sandbox.set_page("MediaWiki:Common.js", script(place.settings))
    page.context.close()


@pytest.mark.parametrize("there", ["", "<div id='P2534'><p>F = q E</p></div>"])
def test_wikibases_newer_mobile_view_may_draw_its_statements_anew(place: Place, there: str) -> None:
    """Its statements are not groups of the old view, and what stands among them is lost; a property may be there already."""
    page = place.context.new_page()
    page.set_viewport_size({"width": 360, "height": 700})
    page.goto(f"{place.wiki}/wiki/Property:P2534")
    page.set_content(f"""<!doctype html><meta name="viewport" content="width=device-width"><body class="skin-minerva">
<ul id="p-associated-pages" class="minerva__tab-container"><li class="minerva__tab"><a href="#">Item</a></li></ul>
<div id="wb-item-{LORENTZ}" class="wikibase-entityview wb-item"><div class="wikibase-entityview-main">
<div id="wikibase-wbui2025-statementgrouplistview">
<div class="wikibase-wbui2025-statement-section"><h2 id="claims">Statements</h2>{there}</div></div></div></div>""")
    page.evaluate(MW.replace("vector-2022", "minerva").replace(HOOKE, LORENTZ).replace("#${portlet} ul", "#${portlet}"))
    page.evaluate(script(place.settings))
    with page.expect_popup():
        page.get_by_role("link", name="Formelvorschläge: anmelden").click()
    one = page.locator(".formula-proposals + .formula-proposals-groups > .formula-proposals-group .formula-proposal")
    expect(one).to_have_count(1)
    page.locator(".wikibase-wbui2025-statement-section").evaluate("(each) => { each.innerHTML = each.innerHTML; }")
    expect(one.get_by_role("button", name="Annehmen")).to_be_visible()
    assert page.locator("[id=P2534]").count() == 1
    assert page.evaluate("document.documentElement.scrollWidth") == 360
    page.close()


def test_a_page_of_another_origin_shows_nothing_and_is_given_no_token(place: Place) -> None:
    page = place.context.new_page()
    page.goto(f"{place.sandbox.address}/wiki/{ENERGY}")  # the same wiki under another name
    page.evaluate("window.got = []; window.addEventListener('message', (event) => window.got.push(event.data))")
    with page.expect_popup() as window:
        page.evaluate(f"void window.open('{place.server}/connect')")
    if not window.value.is_closed():
        window.value.wait_for_event("close")
    assert page.evaluate("window.got") == []
    assert page.locator("#t-formula-proposals, .formula-proposals").count() == 0
    page.close()


def test_hostile_answers_become_text(place: Place) -> None:
    evil = '"><img src=x onerror=window.hit=1><script>window.hit=1</script>'
    page = place.item(BAYES, connect=False)
    drawn = f'<math href="javascript:window.hit=1" onclick="window.hit=1" alttext="{evil[2:]}"><mtext>x<img src="x" onerror="window.hit=1"></mtext><mi style="background:url(//evil.example/x)">y</mi><annotation-xml encoding="text/html"><iframe srcdoc="x"></iframe></annotation-xml></math>'
    proposal = {"id": "0" * 16, "hash": "h", "kind": "new_claim", "property": "P2534", "property_name": evil, "statement": "", "tex": evil, "drawn": drawn, "percent": 1, "second": True, "warnings": [[{"kind": "text", "text": evil}, {"kind": "formula", "text": drawn}]], "quotes": [{"title": evil, "link": "javascript:window.hit=1", "pieces": [{"kind": "text", "text": evil}, {"kind": "formula", "text": evil}]}], "references": [[{"name": evil, "value": evil, "link": "javascript:window.hit=1"}]], "answers": ["approve"], "looked_at_by": evil, "address": "/p/1", "words": 0}  # fmt: skip

    def answer(route: Route) -> None:
        body = json.dumps({"qid": BAYES, "reviewer": "Ada", "proposals": [proposal]})
        headers = {"Access-Control-Allow-Origin": place.wiki, "Content-Type": "application/json"}
        route.fulfill(status=200, headers=headers, body=body)

    page.route("**/api/v1/**", answer)
    with page.expect_popup():
        page.get_by_role("link", name="Formula proposals: sign in").click()
    expect(card(page, 0)).to_contain_text("onerror")
    outside = page.locator(".formula-proposal").locator(
        "img, iframe, script, annotation-xml, [onclick], [onerror], [href^=javascript], [style*=url]"
    )
    assert outside.count() == 0
    assert page.evaluate("window.hit") is None
    assert card(page, 0).get_by_role("button", name="Add as a second formula").count() == 1
    page.close()


@pytest.mark.parametrize("width", [360, 768, 1280])
def test_it_fits_and_axe_finds_nothing(place: Place, width: int) -> None:
    """One card decided, with its Undo, and one with the reasons to choose from."""
    page = place.item(ENERGY, width=width)
    for number in (1, 10):
        card(page, number).get_by_role("button", name="Reject…").click()
    card(page, 1).get_by_role("button", name="Duplicate").click()
    expect(card(page, 1).get_by_role("status")).to_have_text("You rejected this: Duplicate.")
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
    boxes = page.evaluate(
        "Array.from(document.querySelectorAll('.formula-proposal button'), (b) => b.getBoundingClientRect()).filter((b) => b.width)"
    )
    assert len(boxes) == 1 + 2 + 8
    assert all(box["height"] >= 32 and box["left"] >= 0 and box["right"] <= width for box in boxes)
    found = Axe().run(page, options=WCAG)
    assert found.violations_count == 0, found.generate_report()
    card(page, 1).get_by_role("button", name="Undo").click()
    expect(card(page, 1).get_by_role("button", name="Approve")).to_be_visible()
    page.close()


def test_after_signing_out_nothing_is_decided_until_one_is_back(place: Place) -> None:
    """The last test: it ends the session of all others."""
    page = place.item(BAYES)
    review = place.context.pages[0]
    review.reload()
    review.get_by_role("button", name="Sign out").click()
    expect(review.get_by_role("heading", name="Sign in")).to_be_visible()
    card(page, 6).get_by_role("button", name="Approve").click()
    expect(card(page, 6).get_by_role("status")).to_contain_text("You are signed out, so nothing was recorded.")
    with page.expect_popup() as window:
        card(page, 6).get_by_role("button", name="Sign in").click()
    expect(window.value.locator("main")).to_contain_text("Sign in to the review page first")
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.evaluate("window.postMessage({ formulaReview: 'made up' }, '*')")  # no token: it is not from that window
    window.value.close()
    assert page.evaluate("new Promise((done) => setTimeout(() => done(1), 50))") == 1
    assert (asked, place.decisions(6)) == ([], [])
