"""What matching makes of a concept is kept as long as nothing that it looks at has changed, and made anew where anything has."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, cast

import pytest

from bot import store
from bot.discover.articles import defining_formula
from bot.match.blocks import concept_views
from bot.match.blocks.concept_views import ConceptViews
from bot.match.retrieval.known_concepts import builtin_concepts
from bot.records import Document, EditOutcome, FormulaConcept, Occurrence, as_json
from bot.result_cache import ResultCache, open_result_cache
from bot.settings import Matching, Settings
from bot.store import Workspace

SETTINGS = Settings(matching=Matching(builtin=False))
# k1 is in a alone, k2 in b alone, k3 in both, and k4 in a behind k3.
PLACES = {"k1": (("a", 1),), "k2": (("b", 4),), "k3": (("a", 5), ("b", 2)), "k4": (("a", 9),)}


@pytest.fixture
def corpus(workspace: Workspace) -> Workspace:
    concepts = [FormulaConcept(key, f"x={key}", 4, 2, places=places) for key, places in PLACES.items()]
    with workspace.engine.begin() as db:
        db.execute(store.concepts.insert(), [cast(dict[str, Any], as_json(each)) for each in concepts])
        for id_ in "ab":
            db.execute(
                store.sources.insert().values(path=f"{id_}.html", digest=id_, status="read", part=f"{id_}.parquet")
            )
            document = cast(dict[str, Any], as_json(Document(id_, f"About {id_}")))
            db.execute(store.documents.insert().values(**document, path=f"{id_}.html"))
    return workspace


def _digests(workspace: Workspace) -> dict[str, bytes]:
    return {each.key: each.digest for each in ConceptViews(workspace, SETTINGS, ResultCache()).concept_digests}


def _another_title(workspace: Workspace) -> None:
    workspace.change(store.documents.update().where(store.documents.c.id == "a").values(title="Renamed"))


def _mined_anew(workspace: Workspace) -> None:
    workspace.change(store.sources.update().where(store.sources.c.path == "b.html").values(part="other.parquet"))


def _an_answer(workspace: Workspace) -> None:
    workspace.change(store.answers.insert().values(concept="k2", answer="none", reviewer="Ada", time="2026-11-20"))


def _a_name_more(workspace: Workspace) -> None:
    names = [{"name": "Ohm's law", "score": 0.5}]
    workspace.change(store.concepts.update().where(store.concepts.c.key == "k1").values(names=names))


def _one_more_occurrence(workspace: Workspace) -> None:
    values = {"occurrences": 5, "documents": 3, "representations": [{"tex": "x=k1", "level": "K0", "occurrences": 5}]}
    workspace.change(store.concepts.update().where(store.concepts.c.key == "k1").values(values))


def _an_equation_before_it(workspace: Workspace) -> None:
    """The formulas behind it are no longer first, second and third of their document."""
    concept = cast(dict[str, Any], as_json(FormulaConcept("k5", "y=1", 1, 1, places=(("a", 3),))))
    workspace.change(store.concepts.insert().values(**concept))


def _a_claim_removed(workspace: Workspace) -> None:
    edit = {"proposal": "p", "qid": "Q1", "guid": "Q1$1", "payload": {"mainsnak": {}}, "outcome": EditOutcome.WRITTEN}
    record = {"quotes": [{"document": "b", "where": "title"}]}
    with workspace.engine.begin() as db:
        db.execute(store.decisions.insert().values(n=1, proposal="p", hash="h", verdict="approve", reviewer="Ada", time="t", record=record))  # fmt: skip
        db.execute(store.edits.insert().values(n=1, decision=1, time="2026-01-01T00:00:00+00:00", **edit))
        state = {
            "edit": 1,
            "state": "removed",
            "seen": "2026-01-09T00:00:00+00:00",
            "changed": "",
            "user": "Bo",
            "revision": 2,
        }
        db.execute(store.edit_states.insert().values(**state))


@pytest.mark.parametrize(
    ("change", "anew"),
    [
        (_another_title, {"k1", "k3", "k4"}),
        (_mined_anew, {"k2", "k3"}),
        (_an_answer, {"k2"}),
        (_a_name_more, {"k1"}),
        (_one_more_occurrence, set()),
        (_an_equation_before_it, {"k3", "k4", "k5"}),
        (_a_claim_removed, {"k2", "k3"}),
    ],
)
def test_concepts_are_looked_at_anew_where_what_they_rest_on_has_changed(
    change: Callable[[Workspace], None], anew: set[str], corpus: Workspace
) -> None:
    before = _digests(corpus)
    assert _digests(corpus) == before
    change(corpus)
    after = _digests(corpus)
    assert {key for key in after if after[key] != before.get(key)} == anew


def test_a_concept_whose_formula_alone_is_asked_for_has_no_places(corpus: Workspace) -> None:
    views = ConceptViews(corpus, SETTINGS, ResultCache())
    assert [(each.key, each.tex, each.places) for each in views.concept_digests] == [
        (key, f"x={key}", places) for key, places in PLACES.items()
    ]
    alone = views.formula_alone(views.concept_digests[1])
    assert (alone.concept.key, alone.concept.tex, alone.occurrences) == ("k2", "x=k2", ())


def test_of_an_encyclopaedia_s_article_the_defining_formula_is_known_by_its_place(
    corpus: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    force = [
        Occurrence("a", 1, "a=b+c", True, "First, ⟦1⟧ holds."),
        Occurrence("a", 5, "F=ma", True, "The force is defined as ⟦5⟧, where m is the mass."),
    ]
    asked: list[list[str]] = []

    def occurrences(_: Workspace, documents: list[str]) -> Iterator[Occurrence]:
        asked.append(documents)
        return iter(force)

    monkeypatch.setattr(concept_views, "all_occurrences", occurrences)
    corpus.change(
        store.documents.update().where(store.documents.c.id == "a").values(title="Force", kind="encyclopaedia")
    )
    said = defining_formula(Document("a", "Force", kind="encyclopaedia"), force)
    assert (said.tex, said.position) == ("F=ma", 5)
    assert ConceptViews(corpus, SETTINGS, ResultCache())._defining == {("a", 5): said.probability}
    assert asked == [["a"]]
    listed = defining_formula(
        Document("a", "Force", kind="encyclopaedia"), force, builtin_concepts().definitions_called("Force")
    )
    assert listed.probability > said.probability + 0.02
    with open_result_cache(corpus, "match") as results:  # what was read without the list is read again with it
        for settings, expected in ((SETTINGS, said), (Settings(), listed), (SETTINGS, said)):
            assert ConceptViews(corpus, settings, results)._defining == {("a", 5): expected.probability}
