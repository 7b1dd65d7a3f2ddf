"""Search by name with the built-in list: what textbooks write is found where the corpus gives it no name."""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.discover import discover
from bot.discover import find_by_name as find_in_corpus
from bot.discover.engines import OneMachine
from bot.match.builtin import builtin_formulas
from bot.match.search_by_name import find_entry, find_with_builtin
from bot.records import Item
from bot.settings import Settings
from bot.store import Workspace

TEXT = """'''Fluids''' are compressible.
Under moderate pressure one has
:<math>pV = nRT</math>
and for the motion of a body
:<math>F = m a</math>
which we use below.
"""


@pytest.fixture
def read(workspace: Workspace, tmp_path: Path) -> Workspace:
    folder = tmp_path / "articles"
    folder.mkdir()
    for n in range(2):  # what stands in two documents is a concept
        (folder / f"Gas {n}.txt").write_text(TEXT, encoding="utf-8")
    discover(workspace, [str(folder)], Settings(), quiet=True, engine=OneMachine(1))
    return workspace


def test_a_formula_without_its_name_is_found_by_how_textbooks_write_it(read: Workspace) -> None:
    assert find_in_corpus(read, "ideal gas law", None, Settings()) == []
    best = find_with_builtin(read, "ideal gas law", None, Settings())[0]
    assert best["tex"].replace(" ", "") == "pV=nRT"
    assert best["level"] in ("K0", "K1", "K2", "K3")
    assert "moderate pressure" in best["sentence"]
    assert best["score"] > 0.7  # .6 by its key; recognised as the concept, it comes nearer


def test_a_name_that_nobody_knows_finds_nothing(read: Workspace) -> None:
    assert find_with_builtin(read, "no such thing at all", None, Settings()) == []


def test_the_built_in_list_is_opened_by_qid_label_and_alias() -> None:
    book = builtin_formulas()
    entry = find_entry("Ideal gas law", None, book)
    assert entry is not None
    assert find_entry(entry.qid, None, book) is entry
    assert find_entry("x", Item(entry.qid, "something else"), book) is entry
    assert find_entry("Q1", Item("Q1", "x", ("ideal gas law",)), book) is entry
    assert find_entry("no such thing at all", None, book) is None
