"""A headless Chromium from Debian's packages, and a person who signs in with it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from debian import program
from playwright.sync_api import Browser, Page, expect, sync_playwright

from bot.review.web.security import OneTime

expect.set_options(timeout=60_000)  # a busy machine is slow, not wrong


@contextmanager
def chromium() -> Iterator[Browser]:
    """Yield a browser; skip the test where there is none to be had."""
    path = program("chromium", "chromium-browser", "google-chrome", package="chromium")
    with sync_playwright() as play:
        made = play.chromium.launch(executable_path=path, args=["--no-sandbox", "--disable-gpu"])
        yield made
        made.close()


def sign_in(browser: Browser, address: str, token: OneTime, **context: Any) -> Page:
    """Return the first page of a person who came with the token."""
    page = browser.new_context(**{"locale": "en-GB", **context}).new_page()
    page.set_default_timeout(20_000)
    page.goto(f"{address}/sign-in/{token.text}")
    return page
