"""How general formula and name look: what each function scores, what it says, and when it is silent."""

from __future__ import annotations

import pytest
from match_pairs import item, pair

from bot.match.features.canonical_definition import shared_symbols
from bot.match.features.negative import indices, one_word
from bot.records import Evidence

FORCE = item("force", qid="Q11402")


def _said(found: Evidence | None) -> tuple[float, str] | None:
    return (found.score, str(found.detail)) if found else None


def test_symbols_are_shared_with_the_list_s_formula() -> None:
    found = shared_symbols(pair("p=m v + F", FORCE))
    assert found is not None
    assert found.score == pytest.approx(0.4)
    assert str(found.detail).startswith("it shares 40% of its symbols with the built-in list's formula")
    assert shared_symbols(pair("q=r s", FORCE)) is None


@pytest.mark.parametrize(
    ("tex", "score", "n"),
    [("F=ma", None, 0), ("v_{f}=v_0+a t", 0.3333, 2), (r"a_1+a_2+a_3+a_4+a_5+a_6+a_{\text{end}}=0", 1.0, 7)],
)
def test_indices_are_counted(tex: str, score: float | None, n: int) -> None:
    said = None if score is None else (score, f"indices that may belong to this text only: {n}")
    assert _said(indices(pair(tex, FORCE))) == said


def test_a_single_word_is_a_doubt() -> None:
    assert _said(one_word(pair("A=ab", item("area")))) == (
        1.0,
        "“area” is a single word that texts use for many things",
    )
    assert one_word(pair("A=ab", item("surface area"))) is None
