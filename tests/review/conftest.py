"""Fixtures that many tests of the review page share; a module with other needs defines its own `w`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from flask import Flask
from jinja2 import FileSystemBytecodeCache
from web_records import SignedIn, opened, signed_in

from bot.store import Workspace


@pytest.fixture(autouse=True, scope="session")
def _templates_are_compiled_once(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Each test makes an app of its own, which would compile every template that it shows."""
    Flask.jinja_options = {"bytecode_cache": FileSystemBytecodeCache(str(tmp_path_factory.mktemp("templates")))}


@pytest.fixture
def w(tmp_path: Path) -> Iterator[Workspace]:
    """A workspace with a dozen proposals and two reviewers."""
    with opened(tmp_path / "w", "Ada", "Ben") as workspace:
        yield workspace


@pytest.fixture
def ada(w: Workspace) -> SignedIn:
    """Ada's signed-in session."""
    return signed_in(w, "Ada")
