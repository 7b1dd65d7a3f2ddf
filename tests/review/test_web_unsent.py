"""A decision that did not arrive is said, kept in the browser, and can be sent again: in a real browser."""

from __future__ import annotations

import sqlalchemy as sa
from playwright.sync_api import Browser, Page, Route, expect
from web_chromium import choose, cut_off, sign_in
from web_records import served

from bot import store
from bot.store import Workspace


def decided(w: Workspace) -> list[tuple[str, str, list[str]]]:
    rows = w.rows(sa.select(store.decisions).order_by(store.decisions.c.n))
    return [(row["proposal"], row["verdict"], row["references"]) for row in rows]


def kept(page: Page) -> int:
    return int(page.evaluate("JSON.parse(localStorage.getItem('unsent') || '[]').length"))


ONE, OTHER = f"{0:016x}", f"{1:016x}"


def test_a_decision_after_the_end_of_the_session_is_sent_after_signing_in(w: Workspace, browser: Browser) -> None:
    with served(w, reviewer="Ada") as (address, token):
        page = sign_in(browser, address, token)
        page.goto(f"{address}/p/{ONE}")
        page.keyboard.press("2")
        page.context.clear_cookies()
        page.keyboard.press("a")
        expect(page.locator(".unsent")).to_contain_text("has not arrived")
        expect(page.locator(".unsent")).to_contain_text("Hubble's law, Approve")
        expect(page.locator(".unsent")).to_contain_text("Sign in")
        assert (decided(w), kept(page)) == ([], 1)
        page.goto(f"{address}/sign-in/{token.text}")  # the new one
        page.get_by_role("button", name="Send it again").click()
        expect(page.locator("#title")).to_contain_text("mass")
        expect(page.locator(".flash.done")).to_contain_text("Approved: Hubble")
        assert (decided(w), kept(page)) == ([(ONE, "approve", ["approve", "reject"])], 0)
        expect(page.locator(".unsent")).to_have_count(0)


def test_a_decision_without_a_network_is_kept_and_sent_once(w: Workspace, browser: Browser) -> None:
    with served(w, reviewer="Ada") as (address, token):
        page = sign_in(browser, address, token)
        page.goto(f"{address}/p/{ONE}")
        cut_off(page)
        for _ in range(2):
            page.keyboard.press("u")
            expect(page.locator(".no-answer")).to_be_visible()
            expect(page.locator(".unsent")).to_have_count(1)
        page.context.set_offline(False)  # it goes by itself
        expect(page.locator(".flash.done")).to_contain_text("Put aside")
        assert ([row[:2] for row in decided(w)], kept(page)) == ([(ONE, "unsure")], 0)


def test_who_is_back_in_the_network_while_a_decision_is_on_its_way_sends_it_once_more(
    w: Workspace, browser: Browser
) -> None:
    with served(w, reviewer="Ada") as (address, token):
        page = sign_in(browser, address, token)
        page.goto(f"{address}/p/{ONE}")
        page.evaluate("""() => {
          const real = window.fetch;
          window.fetch = () => {
            window.fetch = real;
            dispatchEvent(new Event("online"));
            return Promise.reject(new TypeError("cut off"));
          };
        }""")
        page.keyboard.press("u")
        expect(page.locator(".flash.done")).to_contain_text("Put aside")
        assert ([row[:2] for row in decided(w)], kept(page)) == ([(ONE, "unsure")], 0)


def test_an_answer_that_got_lost_leads_to_no_second_decision(w: Workspace, browser: Browser) -> None:
    with served(w, reviewer="Ada") as (address, token):
        page = sign_in(browser, address, token)
        lost: list[str] = []

        def lose(route: Route) -> None:
            if route.request.method != "POST" or lost:
                return route.continue_()
            lost.append(route.request.url)
            route.fetch(max_redirects=0)  # it arrives
            return route.abort()

        # Before the page: what an open page asks for passes by, where the browser is slower to hear of it than of the key.
        page.route(f"**/p/{ONE}*", lose)
        page.goto(f"{address}/p/{ONE}")
        page.keyboard.press("a")
        expect(page.locator(".unsent")).to_be_visible()
        page.get_by_role("button", name="Send it again").click()
        expect(page.locator("main").get_by_text("decided on it already")).to_be_visible()
        assert ([row[:2] for row in decided(w)], kept(page)) == ([(ONE, "approve")], 0)


def test_a_kept_decision_is_shown_to_its_person_alone_and_can_be_discarded(w: Workspace, browser: Browser) -> None:
    with served(w) as (address, token):
        page = sign_in(browser, address, token)
        choose(page, "Ada")
        page.goto(f"{address}/p/{ONE}")
        page.context.clear_cookies()
        page.keyboard.press("a")
        expect(page.locator(".unsent")).to_be_visible()
        page.goto(f"{address}/sign-in/{token.text}")
        choose(page, "Ben")
        expect(page.locator(".unsent")).to_have_count(0)
        page.get_by_role("button", name="Sign out").click()
        expect(page.locator(".unsent")).to_be_visible()
        page.goto(f"{address}/sign-in/{token.text}")
        choose(page, "Ada")
        page.get_by_role("button", name="Discard it").click()
        expect(page.locator(".unsent")).to_have_count(0)
        assert (decided(w), kept(page)) == ([], 0)


def test_a_refused_decision_is_answered_and_not_kept(w: Workspace, browser: Browser) -> None:
    with served(w, reviewer="Ada") as (address, token):
        page = sign_in(browser, address, token)
        page.goto(f"{address}/p/{ONE}")
        page.keyboard.press("1")
        page.keyboard.press("2")
        page.keyboard.press("a")
        expect(page.locator(".flash.error")).to_contain_text("no reference is left", ignore_case=True)
        assert (decided(w), kept(page)) == ([], 0)
