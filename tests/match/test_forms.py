"""What the handbook's first line says of a pair: the defining formula, another one, or nothing."""

from __future__ import annotations

import pytest
from match_pairs import item, pair

from bot.match.features.canonical_definition import handbook_first, handbook_unlike
from bot.match.features.known import handbook_other


@pytest.mark.parametrize("tex", [r"\mathbf{p} = m\mathbf{v}", r"\vec{p}=m\vec{v}", "p = m v"])
def test_the_defining_formula_speaks_for_the_item(tex: str) -> None:
    found = handbook_first(pair(tex, item("momentum", qid="Q41273")))
    assert found is not None
    assert (found.name, found.score) == ("handbook_first", 1.0)
    assert handbook_unlike(pair(tex, item("momentum", qid="Q41273"))) is None


def test_another_true_formula_of_the_item_is_not_the_defining_one() -> None:
    found = handbook_unlike(pair(r"p = \hbar k", item("momentum", qid="Q41273")))
    assert found is not None
    assert (found.name, found.score) == ("handbook_unlike", 1.0)
    assert "p = m v" in str(found.detail)
    assert handbook_first(pair(r"p = \hbar k", item("momentum", qid="Q41273"))) is None


def test_on_another_wiki_the_label_says_which_entry_is_meant() -> None:
    found = handbook_first(pair("p = m v", item("momentum", qid="Q7")))
    assert found is not None
    assert found.score == 1.0
    assert handbook_first(pair("p = m v", item("a town", qid="Q41273"))) is None


def test_an_item_that_the_handbook_does_not_know_is_neither() -> None:
    about = item("formula of a village", qid="Q99999999")
    assert handbook_first(pair("p = m v", about)) is None
    assert handbook_unlike(pair("p = m v", about)) is None


def test_a_formula_of_two_items_is_not_held_against_the_second() -> None:
    found = pair(r"\hat H \psi = E \psi", item("time-independent Schrödinger equation", qid="Q25829357"))
    first = handbook_first(found)
    assert first is not None
    assert first.score == 1.0
    assert handbook_other(found) is None
