"""A headless Chromium from Debian's packages, and a person who signs in with it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from debian import program
from playwright.sync_api import Browser, Page, expect, sync_playwright

from bot.review.web.security import OneTimeToken

expect.set_options(timeout=60_000)  # a busy machine is slow, not wrong


@contextmanager
def chromium() -> Iterator[Browser]:
    """Yield a browser; skip the test where there is none to be had."""
    shell = "chromium-headless-shell"  # without a window, a new page takes a quarter of the processor time
    path = program(shell, "chromium", "chromium-browser", "google-chrome", package=shell)
    with sync_playwright() as play:
        made = play.chromium.launch(executable_path=path, args=["--no-sandbox", "--disable-gpu"])
        yield made
        made.close()


def sign_in(browser: Browser, address: str, token: OneTimeToken, **context: Any) -> Page:
    """Return the first page of a person who came with the token."""
    page = browser.new_context(**{"locale": "en-GB", **context}).new_page()
    page.set_default_timeout(20_000)
    page.goto(f"{address}/sign-in/{token.text}")
    return page


def choose(page: Page, name: str) -> None:
    """Say who one is, and wait for the queue: another page that is opened at once would overtake the answer."""
    page.get_by_role("button", name=name).click()
    expect(page.locator(".row").first).to_be_visible()


def cut_off(page: Page) -> None:
    """Take the network away, and wait until the page has none: the browser says so before it holds for every request."""
    page.context.set_offline(True)
    page.wait_for_function("fetch('/help').then(() => false, () => true)")
