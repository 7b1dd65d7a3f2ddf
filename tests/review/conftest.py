"""Fixtures that many tests of the review page share; a module with other needs defines its own `w`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from web_records import SignedIn, opened, signed_in

from bot.store import Workspace

if TYPE_CHECKING:
    from playwright.sync_api import Browser


@pytest.fixture
def w(tmp_path: Path) -> Iterator[Workspace]:
    """A workspace with a dozen proposals and two reviewers."""
    with opened(tmp_path / "w", "Ada", "Ben") as workspace:
        yield workspace


@pytest.fixture
def ada(w: Workspace) -> SignedIn:
    """Ada's signed-in session."""
    return signed_in(w, "Ada")


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """A browser for all tests of a module; each test opens contexts of its own."""
    from web_chromium import chromium

    with chromium() as made:
        yield made
