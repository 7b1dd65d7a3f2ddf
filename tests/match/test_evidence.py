from __future__ import annotations

import pytest
from match_pairs import item, pair, place

from bot.match.features import ranking_evidence
from bot.records import Evidence

FORCE = item("force")


def score(found: Evidence | None) -> float | None:
    return found.score if found else None


def test_a_key_equation_table_names_the_item() -> None:
    found = ranking_evidence.key_equation(pair("F=ma", FORCE, place(hints=[("key_equation", "Force")])))
    assert found is not None
    assert found.score == 1.0
    assert "“Force”" in str(found.detail)


def test_a_table_row_of_another_name_says_nothing() -> None:
    assert ranking_evidence.key_equation(pair("F=ma", FORCE, place(hints=[("key_equation", "Work")]))) is None


def test_an_alias_counts_a_little_less_than_the_label() -> None:
    about = item("mass–energy equivalence", aliases=("Einstein's formula",))
    found = ranking_evidence.key_equation(pair("E=mc^2", about, place(hints=[("key_equation", "Einstein's formula")])))
    assert found is not None
    assert found.score == pytest.approx(0.9)


def test_the_author_s_own_item_is_taken_at_its_word() -> None:
    about = item("mass–energy equivalence", qid="Q35875")
    assert score(ranking_evidence.author_says(pair("E=mc^2", about, place(hints=[("qid", "Q35875")])))) == 1.0
    assert ranking_evidence.author_says(pair("E=mc^2", about, place(hints=[("qid", "Q2")]))) is None


def test_the_first_equation_of_an_article_counts_more_than_a_late_one() -> None:
    early = ranking_evidence.title(pair("F=ma", FORCE, place(title="Force", rank=0)))
    late = ranking_evidence.title(pair("F=ma", FORCE, place(title="Force", rank=9)))
    assert (score(early), score(late)) == (1.0, pytest.approx(2 / 11))


def test_a_textbook_chapter_is_no_article() -> None:
    where = place(title="Force", kind="textbook")
    assert ranking_evidence.title(pair("F=ma", FORCE, where)) is None


@pytest.mark.parametrize(
    "window",
    [
        "⟦3⟧ holds where no force acts.",
        "An enforced rule is ⟦3⟧",
        "The force is given by ⟦1⟧ and the work is more like ⟦4⟧ .",
    ],
)
def test_a_mere_mention_is_no_calling(window: str) -> None:
    assert ranking_evidence.called(pair("F=ma", FORCE, place(window))) is None


def test_nothing_speaks_for_a_pair_without_signs() -> None:
    bare = pair("F=ma", item(""))
    assert not any(judge(bare) for judge in ranking_evidence.CONTEXT_FEATURES)


def test_a_statement_named_after_somebody_is_told_from_a_kind_of_equation() -> None:
    named = [
        ranking_evidence.eponym(pair("x=y", item(label))) is not None
        for label in ("Hooke's law", "Dirac equation", "wave equation")
    ]
    assert named == [True, True, False]
