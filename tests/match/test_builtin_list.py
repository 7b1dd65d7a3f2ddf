"""The list of formulas that ships with the package: every line can be read, and says something once."""

from __future__ import annotations

import os
import re
from collections import Counter
from importlib.resources import files
from pathlib import Path

import pytest

from bot.errors import FormulaError, ItemsError
from bot.formula import check, keys
from bot.formula.equivalence.rules import read_rules
from bot.formula.features.canonical_tokens import identifiers
from bot.formula.keys.levels import LEVELS
from bot.match.builtin import Concept, builtin_formulas, entry_for_item, read_concepts, shown_id
from bot.match.item_labels import fold
from bot.messages import Message
from bot.wikibase import is_item_id

_FIELDS = sorted(path.name for path in files("bot.match.builtin").iterdir() if path.name.endswith(".txt"))
_LONG = bool(os.environ.get("FORMULA_BOT_LONG"))
_SAMPLED = 40
"""One in this many formulas is read at every level."""


def _concepts(field: str) -> list[Concept]:
    text = files("bot.match.builtin").joinpath(field).read_text(encoding="utf-8")
    return list(read_concepts(text.splitlines(), field))


def test_an_item_has_one_entry_and_the_entry_has_a_name_and_a_formula() -> None:
    found = [concept for field in _FIELDS for concept in _concepts(field)]
    assert [qid for qid, times in Counter(c.qid for c in found).items() if times > 1] == []
    names = {fold(c.label) for c in found if is_item_id(c.qid)}
    assert [c.label for c in found if not is_item_id(c.qid) and fold(c.label) in names] == []
    assert [c.qid for c in found if not c.label.strip() or not c.formulas] == []
    assert len(found) == len(builtin_formulas()) > 3000
    size = f"{len(found):,} concepts", f"{sum(len(concept.formulas) for concept in found):,} formulas"
    for page in ("builtin-list", "models", "recognition"):
        text = (Path(__file__).parents[2] / f"docs/{page}.md").read_text(encoding="utf-8")
        assert [each for each in size if each not in text] == [], page


@pytest.mark.parametrize("field", _FIELDS)
def test_entries_of_a_field_stand_in_the_order_of_their_labels(field: str) -> None:
    labels = [concept.label.casefold() for concept in _concepts(field)]
    assert labels == sorted(labels)


@pytest.mark.parametrize("field", _FIELDS)
def test_formulas_are_valid_for_the_wiki(field: str) -> None:
    formulas = [tex for concept in _concepts(field) for tex in concept.formulas]
    assert [tex for tex in formulas if not check(tex).valid] == []


@pytest.mark.parametrize("field", _FIELDS)
def test_formulas_can_be_read_and_no_item_says_one_twice(field: str) -> None:
    unreadable, twice = [], []
    for concept in _concepts(field)[:: 1 if _LONG else 5]:
        said: dict[str, str] = {}
        for tex in concept.formulas:
            try:
                own = keys(tex).K2
            except FormulaError:
                unreadable.append((concept.label, tex))
                continue
            if own in said:
                twice.append((concept.label, said[own], tex))
            said[own] = tex
    assert (unreadable, twice) == ([], [])


def test_formulas_have_keys_at_every_level() -> None:
    formulas = [tex for concept in builtin_formulas().values() for tex in concept.formulas]
    for tex in formulas[::_SAMPLED]:
        found = keys(tex)
        assert all(map(found.at, LEVELS)), tex
        assert found.leaves > 0 or not identifiers(tex), tex  # ∞ - ∞ has no letters


def test_abbreviations_are_rules_and_wholes_are_items() -> None:
    for concept in builtin_formulas().values():
        assert len(read_rules(concept.where)) == len(concept.where)
        assert all(re.fullmatch(r"Q[1-9]\d*", whole) for whole in concept.part_of)
        assert concept.qid not in concept.part_of


def test_a_head_without_an_item_or_a_formula_without_a_head_is_refused() -> None:
    with pytest.raises(ItemsError, match="head needs a QID"):
        list(read_concepts(["# Ohm's law", "V = IR"], "electromagnetism"))
    with pytest.raises(ItemsError, match="before the first head"):
        list(read_concepts(["V = IR", "# Q41591 Ohm's law"], "electromagnetism"))


def test_a_formula_about_a_concept_is_one_of_its_formulas_and_does_not_define_it() -> None:
    lines = ["# Q1 disc", "about A = \\pi r^2", "x^2+y^2 \\leq r^2", "about C = 2 \\pi r", "# Q2 square", "A = a^2"]
    disc, square = read_concepts(lines, "geometry")
    assert disc.formulas == (r"A = \pi r^2", r"x^2+y^2 \leq r^2", r"C = 2 \pi r")
    assert disc.about == (r"A = \pi r^2", r"C = 2 \pi r")
    assert disc.defining == (r"x^2+y^2 \leq r^2",)
    assert (square.about, square.defining) == ((), ("A = a^2",))


def test_a_formula_that_may_not_define_a_concept_is_doubtful() -> None:
    (disc,) = read_concepts(["# Q1 disc", "x^2+y^2 \\leq r^2", "doubtful r \\leq R", "about A = \\pi r^2"], "geometry")
    assert disc.formulas == (r"x^2+y^2 \leq r^2", r"r \leq R", r"A = \pi r^2")
    assert (disc.doubtful, disc.about, disc.defining) == ((r"r \leq R",), (r"A = \pi r^2",), (r"x^2+y^2 \leq r^2",))


def test_an_entry_without_a_qid_counts_for_an_item_with_its_name() -> None:
    lines = ["# - Darcy–Weisbach equation", r"\Delta p = f_D \frac{L}{D} \frac{\rho v^2}{2}", "# Q42 answer", "a = b"]
    book = {concept.qid: concept for concept in read_concepts(lines, "continuum")}
    (named, known) = book.values()
    assert (named.label, known.qid) == ("Darcy–Weisbach equation", "Q42")
    assert shown_id(named.qid) == Message("builtin.no_qid")
    assert shown_id(known.qid) == "Q42"
    assert entry_for_item("Q7", ["friction loss", "Darcy-Weisbach Equation"], book) is named
    assert entry_for_item("Q7", ["answer"], book) is None
    assert entry_for_item("Q42", ["Answer"], book) is known
    assert entry_for_item("Q42", ["42"], book) is None
