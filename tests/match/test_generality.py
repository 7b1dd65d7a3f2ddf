"""How general formula and name look: what each function scores, what it says, and when it is silent."""

from __future__ import annotations

import pytest
from match_pairs import item, pair

from bot.match.features.canonical_definition import defined_so, shared_symbols
from bot.match.features.negative import indices, numeral, one_word
from bot.records import Evidence

FORCE = item("force", qid="Q11402")


def _said(found: Evidence | None) -> tuple[float, str] | None:
    return (found.score, str(found.detail)) if found else None


def test_the_list_s_own_formula_is_told_from_an_equivalent_one() -> None:
    assert _said(defined_so(pair("F=ma", FORCE))) == (1.0, "the built-in list defines it by this very formula")
    assert defined_so(pair("F=m a + b", FORCE)) is None
    assert defined_so(pair("F=ma", item("unheard of", qid="Q1"))) is None


def test_symbols_are_shared_with_the_list_s_formula() -> None:
    found = shared_symbols(pair("p=m v + F", FORCE))
    assert found is not None
    assert found.score == pytest.approx(0.4)
    assert str(found.detail).startswith("40% of its symbols are those of the built-in list's formula")
    assert shared_symbols(pair("q=r s", FORCE)) is None


@pytest.mark.parametrize(
    ("tex", "score", "n"),
    [("F=ma", None, 0), ("v_{f}=v_0+a t", 0.3333, 2), (r"a_1+a_2+a_3+a_4+a_5+a_6+a_{\text{end}}=0", 1.0, 7)],
)
def test_indices_are_counted(tex: str, score: float | None, n: int) -> None:
    said = None if score is None else (score, f"indices that may be the context's own: {n}")
    assert _said(indices(pair(tex, FORCE))) == said


@pytest.mark.parametrize(
    ("tex", "number"),
    [(r"E=\frac{3}{2}kT", "3"), ("x=12y", "12"), ("a=2b", None), ("a=b^{3}+c_4", None), ("a=0.5b", None)],
)
def test_a_numeral_is_no_power_no_index_and_more_than_two(tex: str, number: str | None) -> None:
    said = None if number is None else (1.0, f"the number {number} may be that of a special case")
    assert _said(numeral(pair(tex, FORCE))) == said


def test_a_single_word_is_a_doubt() -> None:
    assert _said(one_word(pair("A=ab", item("area")))) == (
        1.0,
        "“area” is a single word, which texts use for many things",
    )
    assert one_word(pair("A=ab", item("surface area"))) is None
