"""Proposed symbols in the card of their formula, by keys, in a real browser."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect
from test_symbols_on_the_card import HOOKE, said, with_symbols
from web_chromium import sign_in
from web_records import served

from bot.store import Workspace


@pytest.fixture
def w(tmp_path: Path) -> Iterator[Workspace]:
    yield from with_symbols(tmp_path / "w")


def test_one_key_more_for_those_who_want_them_and_none_for_others(w: Workspace, browser: Browser) -> None:
    with served(w, reviewer="Ada") as (address, token):
        page = sign_in(browser, address, token)
        page.goto(f"{address}/p/{HOOKE.id}")
        chosen = page.locator(".proposed-symbols input:checked")
        page.keyboard.press("y")
        assert [each.get_attribute("value") for each in chosen.all()] == ["approve"] * 3
        page.keyboard.press("y")
        assert [each.get_attribute("value") for each in chosen.all()] == [""] * 3
        page.keyboard.press("y")
        page.get_by_role("radiogroup", name="x represents displacement").get_by_label("wrong").check()
        page.keyboard.press("a")
        expect(page.locator(".flash").first).to_contain_text("3 symbols are decided")
        assert said(w) == [("formula", "approve", ""), ("F", "approve", ""), ("k", "approve", ""), ("x", "reject", "wrong_item")]  # fmt: skip
        page.keyboard.press("a")
        expect(page.locator("#title")).to_contain_text("The end of this queue")
        assert len(said(w)) == 5
