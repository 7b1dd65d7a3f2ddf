"""Rules by which a group of formulas is shown, joined, found and named, by their values."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from datetime import date
from random import Random
from types import SimpleNamespace
from typing import Any

import pytest
import sqlalchemy as sa

from bot import store
from bot.discover import mine, naming
from bot.discover.articles.article import ArticleFormulas
from bot.discover.articles.clues import CLUES
from bot.discover.articles.selection import ArticleModel
from bot.discover.cues.cue_language import article_language
from bot.discover.cues.name_cues import _letters, _names_before_symbols, _table_row_words
from bot.discover.formula_concepts import _representative_spelling, _valid
from bot.discover.formula_search import _contains, _only_capitals, _terms, _tokens
from bot.discover.group import _injective, _is_same_concept, symbol_meanings
from bot.discover.grouping.formula_facts import _facts_of
from bot.discover.grouping.formularank import FormulaRank, _names
from bot.discover.retrieval_days import first_days, store_crawl_days, store_first_days
from bot.discover.tf_idf import FormulaWords, words_of_formulas
from bot.formula import keys
from bot.messages import Message
from bot.records import LIKELY_SCORE, Definition, Document, NameHint, Occurrence
from bot.result_cache import temporary_result_cache
from bot.store import Workspace


# -- how a group is shown -------------------------------------------------------------------------------------------------------------
def group(spellings: dict[str, int], structural: dict[str, int] | None = None, **more: Any) -> Any:
    return SimpleNamespace(spellings=Counter(spellings), structural_counts=Counter(structural or {}), **more)


@pytest.mark.parametrize(
    ("spellings", "structural", "shown"),
    [
        ({"E=mc^2": 1, "E=mc^{2}": 3}, {}, "E=mc^{2}"),  # the most frequent
        ({"E=mc^2": 1, "E=mc^{2}": 9}, {"E=mc^2": 1}, "E=mc^2"),  # what structure names
        ({"E=mc^2": 1, "E=mc^{2}": 2}, {"E=mc^2": 3, "E=mc^{2}": 9}, "E=mc^{2}"),  # from three on that is enough
        ({"E=mc^2": 1, r"E=m\,c^2": 1}, {}, "E=mc^2"),  # the plainest
        ({"E=mc^{2}": 1, "E=mc^2": 1}, {}, "E=mc^2"),  # the shortest
        ({r"\undefinedmacro=x": 9, "E=mc^2": 1}, {}, "E=mc^2"),  # one that a wiki can draw
    ],
)
def test_the_spelling_that_is_shown(spellings: dict[str, int], structural: dict[str, int], shown: str) -> None:
    assert _representative_spelling(group(spellings, structural)) == shown


def test_a_spelling_that_a_wiki_accepts_stays_and_another_is_mended_or_none() -> None:
    assert _valid("E=mc^2") == "E=mc^2"
    assert _valid(r"E=\undefinedmacro{") == ""


def test_the_facts_of_a_formula_are_the_same_in_every_process() -> None:
    shapes, letters, holes, *_ = _facts_of("E=mc^2+kq=a_1")
    assert letters == ("E", "a", "c", "k", "m", "q")
    assert (len(shapes), len(holes)) == (2, 2)
    assert [len(each) for each in shapes] == [8, 8]


def test_formulas_that_are_alike_have_names_of_their_own() -> None:
    names = _names(["a=b", "a=b", "c", "a=b"])
    assert len(set(names)) == 4
    assert _names(["c", "a=b", "a=b"]) == [names[2], *names[:2]]


@pytest.mark.parametrize("seed", range(3))
def test_formularank_after_formulas_came_and_went_is_that_of_a_first_run(seed: int) -> None:
    chance, every = Random(seed), [f"{a}={b}{c}" for a in "FEp" for b in "mqv" for c in ("a", r"\frac{1}{2}c", "_1")]
    asked: list[str] = []

    def words(tex: Sequence[str]) -> list[FormulaWords]:
        asked.extend(tex)
        return words_of_formulas(tex)

    with temporary_result_cache() as results:
        for _ in range(3):
            tex = chance.sample([*every, every[0], every[3]], 15)
            grown = FormulaRank(4, results=results).fit(tex, range(15), words)
            assert grown.score_.tolist() == FormulaRank(4).fit(tex, range(15)).score_.tolist()
    assert 15 < len(asked) < 45


def test_formularank_after_a_run_without_formulas_is_that_of_a_first_run() -> None:
    with temporary_result_cache() as results:
        for tex in ([], ["a=b"], [], ["a=b", "a=c", "E=mc^2"]):
            grown = FormulaRank(2, results=results).fit(tex, [1] * len(tex))
            assert grown.score_.tolist() == FormulaRank(2).fit(tex, [1] * len(tex)).score_.tolist()


# -- which groups are one ---------------------------------------------------------------------------------------------------------------
def named(tex: str, *names: str, leaves: int = 9) -> Any:
    return SimpleNamespace(
        spellings=Counter([tex]), names=[(name, 0.9) for name in names], leaves=leaves, likely_names=lambda: set(names)
    )


def test_groups_join_where_the_best_name_is_shared_or_the_letters_are_the_same() -> None:
    force, other, unnamed = named("F=ma", "force"), named("F=ma", "weight", "force"), named("F=ma")
    assert _is_same_concept(force, named("F=ma", "force"), "K3")
    assert not _is_same_concept(force, other, "K3")  # its best name is another
    assert _is_same_concept(other, force, "K3")
    assert _is_same_concept(force, unnamed, "K3")
    assert not _is_same_concept(force, unnamed, "K4")
    assert not _is_same_concept(force, named("F=mb"), "K3")
    assert _is_same_concept(named("F=ma", "force", leaves=8), named("F=ma", "force", leaves=8), "K5")
    assert not _is_same_concept(named("F=ma", "force", leaves=7), named("F=ma", "force", leaves=8), "K5")
    assert not _is_same_concept(named("p_1=p_2w"), named("p=pw"), "K3")


def test_letters_with_two_indices_are_two_symbols() -> None:
    assert _injective("p_1=mv_1")
    assert not _injective("p_1=p_2")
    assert _injective("p_1=p_1+v")


def test_a_symbol_means_what_most_places_say() -> None:
    said = SimpleNamespace(
        meanings={"m": Counter({"mass": 2, "slope": 1}), "a": Counter({"rate": 1, "path": 1, "acceleration": 1}), "q": Counter({"charge": 5})}
    )  # fmt: skip
    assert symbol_meanings(said, "F=ma") == (Definition("a", "path"), Definition("m", "mass"))  # type: ignore[arg-type]


def row(key: str, documents: int, occurrences: int = 1, score: float = 0.0) -> Any:
    class Row(SimpleNamespace):
        def _replace(self, **_: object) -> Row:
            return self

    return Row(key=key, documents=documents, occurrences=occurrences, score=score)


def test_the_most_frequent_concepts_are_kept_and_the_named_ones_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(naming, "MAX_RANKED", 2)
    passed = naming._RowStatistics()
    rows = [
        row("a", 1),
        row("b", 3, 1, LIKELY_SCORE),
        row("c", 3, 2),
        row("d", 2, 9),
        row("e", 3, 1),
        row("f", 1, 1, LIKELY_SCORE / 2),
    ]
    assert list(passed.pass_through(rows)) == rows
    assert passed.named == 1
    assert [each.key for each in passed.most_frequent()] == ["c", "b"]
    assert len(passed._rows) <= 4


# -- search by formula --------------------------------------------------------------------------------------------------------------------
def test_what_a_formula_is_searched_by() -> None:
    assert _tokens(r"\mathbf{F} = m\vec{a}") == _tokens(r"F=m a")
    assert _tokens("x+x")["x"] == 2
    assert list(_terms(r"a+b(c-d)\pm e")) == ["a", "b(c-d)", " e"]
    assert list(_terms("a")) == []
    assert _only_capitals("PV=nRT", "pV=nRT")
    assert not _only_capitals("PV=nRT", "PV=nR")
    assert _contains("E=mc^2+K", keys("mc^2"))
    assert _contains("E=K=mc^2", keys("E=K"))
    assert not _contains("E=mc^2+K", keys("mc^3"))


# -- names by structure -----------------------------------------------------------------------------------------------------------------
def place(window: str, tex: str = "Q=IV", position: int = 0, **more: Any) -> Occurrence:
    return Occurrence("d", position, tex, True, window, **more)


def test_the_words_of_a_row_name_its_formula() -> None:
    assert _table_row_words(place("⟦1⟧ | ⟦0⟧ Flow rate | more")) == "Flow rate"
    assert _table_row_words(place("⟦1⟧ Flow rate ⟦0⟧ more")) == "Flow rate"
    assert _table_row_words(place("⟦1⟧ Also. Flow rate: ⟦0⟧")) == "Flow rate:"
    assert _table_row_words(place("Caption: Flow rate ⟦0⟧")) == ""
    assert _table_row_words(place("⟦1⟧ x | ⟦0⟧ Flow rate | next ⟦2⟧")) == "Flow rate"


def test_each_letter_has_all_that_is_told_of_it() -> None:
    assert _letters({"Q": "flow rate", "v_1": "speed"}, {"Q": "heat"}) == {
        "Q": ("flow rate", "heat"),
        "v": ("speed",),
    }
    assert _letters({"": "nothing"}) == {}


def test_the_name_that_stands_most_often_before_a_symbol_is_its_own() -> None:
    windows = ["the heat ⟦{}⟧", "the flow rate ⟦{}⟧", "the flow rate ⟦{}⟧", "so ⟦{}⟧", "⟦{}⟧ is the heat"]
    places = [place(window.format(n), "Q", n) for n, window in enumerate(windows)]
    assert _names_before_symbols(places, article_language("en")) == {"Q": "flow rate"}
    assert _names_before_symbols(places[:2], article_language("en")) == {
        "Q": "flow rate"
    }  # of equally many the first by letters
    assert _names_before_symbols(places[3:], article_language("en")) == {}


# -- articles ------------------------------------------------------------------------------------------------------------------------------
def test_the_choice_for_an_article_is_by_weights_and_its_share() -> None:
    model = ArticleModel({"first": 2.0, "says": 0.5}, {"first": 1.0, "share": 4.0}, bias=-3.0)
    assert model.score({"first": 1.0, "says": 2.0, "unheard": 9.0}) == 3.0
    assert model.probability({"first": 1.0}, 0.25) == pytest.approx(1 / (1 + math.e))
    assert model.probability({"first": 1.0}, 0.5) == 0.5


def article(title: str, *bold: str, opening: str = "") -> ArticleFormulas:
    places = [place("", hints=tuple(NameHint("bold_title", name) for name in bold))]
    return ArticleFormulas(Document("a", title, language="en", opening=opening), places)


def test_the_names_of_an_article_and_the_word_that_heads_its_title() -> None:
    assert article("Force", "Net force", "Force").names == ("force", "net force")
    assert article("Mass and energy").names == ("mass and energy", "mass", "energy")
    assert article("Fidelity of quantum states").head == "fidelity"
    assert article("Wave equation (physics)").head == "equation"
    assert article("").head == ""


def test_its_definition_is_the_first_sentence_that_has_its_name() -> None:
    opening = "Here is an old story of physics. A force is what changes the motion of a body. A force is a vector of the space."
    assert article("Force", opening=opening).definition == "A force is what changes the motion of a body."
    assert article("Torque", opening=opening).definition == "Here is an old story of physics."
    short = "Here is a story. A force acts on it. The force acts on all of it."
    assert article("Force", opening=short).definition == "The force acts on all of it."  # of six words at least
    assert article("Force", opening="A reinforcement is what changes all of it.").definition.startswith("A reinf")
    assert article("Force").definition == ""


@pytest.mark.parametrize(
    ("tex", "title", "holds"),
    [
        (r"x_{rms}=\sqrt{y}", "Root mean square", True),
        (r"\{f,g\}_{DB}=0", "Dirac bracket", True),
        ("x_{a}=y", "Average", False),
        ("x_{rm}=y", "Root mean square", False),
    ],
)
def test_letters_of_the_left_side_may_be_the_initials_of_the_title(tex: str, title: str, holds: bool) -> None:
    candidate: Any = SimpleNamespace(tex=tex)
    assert bool(CLUES["initials"](article(title), candidate)) is holds


# -- rows ----------------------------------------------------------------------------------------------------------------------------------
def test_notes_of_a_file_are_why_it_was_skipped_or_what_was_ignored() -> None:
    notes = [
        {"path": "a", "code": "unread.macro", "values": {"name": "x"}},
        {"path": "b", "code": "unread.macro", "values": {"name": "y"}, "count": 3},
    ]
    assert mine._skipped_of({"notes": notes}) == [("a", Message("unread.macro", name="x"))]
    assert [(each.path, each.count) for each in mine._ignored_of({"notes": notes})] == [("b", 3)]


def test_owners_of_more_documents_than_one_query_names(workspace: Workspace) -> None:
    with workspace.engine.begin() as db:
        for n in (0, 499, 500, 1001):
            db.execute(store.documents.insert().values(id=f"d{n}", path=f"p{n}"))
        columns = store.documents.c
        query = sa.select(columns.id, columns.path)
        rows = store.rows_with(db, query, columns.id, [f"d{n}" for n in range(1002)])
        found = {row.id: row.path for row in rows}
    assert found == {"d0": "p0", "d499": "p499", "d500": "p500", "d1001": "p1001"}


def test_what_only_stood_back_behind_a_vanished_file_is_read_again(workspace: Workspace) -> None:
    def behind(path: str) -> list[dict[str, Any]]:
        return [{"path": "x", "code": "unread.read_from", "values": {"path": path}}]

    other = [{"path": "x", "code": "unread.macro", "values": {"path": "gone"}}]
    with workspace.engine.begin() as db:
        for path, notes in (("gone", []), ("second", behind("gone")), ("third", behind("there")), ("fourth", other)):
            db.execute(store.sources.insert().values(path=path, notes=notes))
    mine._drop_vanished(workspace, [])
    assert len(list(workspace.rows(sa.select(store.sources)))) == 4
    mine._drop_vanished(workspace, ["gone"])
    assert sorted(row["path"] for row in workspace.rows(sa.select(store.sources))) == ["fourth", "third"]


def test_a_document_keeps_its_first_day_unless_its_source_states_one(workspace: Workspace) -> None:
    stated = [Document("a", "A", retrieved="2024-01-02"), Document("b", "B")]
    with workspace.engine.begin() as db:
        for each in stated:
            db.execute(store.documents.insert().values(id=each.id))
        store_crawl_days(db, stated)
    store_first_days(workspace, date(2025, 1, 1))
    assert first_days(workspace) == {"a": "2024-01-02", "b": "2025-01-01"}
    with workspace.engine.begin() as db:
        store_crawl_days(db, [Document("a", "A", retrieved="2025-03-04")])
    store_first_days(workspace, date(2026, 1, 1))
    assert first_days(workspace) == {"a": "2025-03-04", "b": "2025-01-01"}
    with workspace.engine.connect() as db:
        assert db.scalar(sa.select(sa.func.count()).select_from(store.retrievals)) == 2
