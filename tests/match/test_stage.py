from __future__ import annotations

from collections.abc import Iterable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest
import sqlalchemy as sa

from bot import stage_state, store
from bot.console import use_watcher
from bot.errors import LookupFailed
from bot.lookup import CacheUse, Client
from bot.match import article_lookup, choose_matches, load_matches, match
from bot.match.blocks import judged_concepts
from bot.match.item_labels import fold
from bot.match.retrieval.known_concepts import builtin_concepts
from bot.match.stage import STORED
from bot.messages import uncoded_message
from bot.records import FormulaConcept, Item, NameCandidate, Statement, as_json
from bot.result_cache import ResultCache
from bot.settings import Encyclopaedia, Matching, Settings
from bot.store import Workspace

SETTINGS = Settings()
FORMULA = SETTINGS.wiki.properties.defining_formula
OHM = Item("Q1", "Ohm's law")
SONG = Item("Q2", "Ohm's law", classes=("Q7366",), description="song by a band")
PAGE = Item("Q3", "Ohm's law", classes=(SETTINGS.wiki.properties.disambiguation_class,))
NEWTON = Item("Q4", "second law", statements=(Statement("Q4$1", FORMULA, r"F=m\frac{d^{2}x}{dt^{2}}"),))
MERGED = Item("Q5", "Ohm's law", redirect="Q1")


class Articles:
    def check(self, languages: Iterable[str]) -> None:
        pass

    def articles_of(self, qids: Iterable[str], languages: Iterable[str], on_failure: object) -> dict[str, tuple[()]]:
        return {}


class Wiki:
    """Answers as the client does, from a few items."""

    wiki = SETTINGS.wiki
    articles = Articles()

    def __init__(self, *items: Item, down: bool = False) -> None:
        self.items, self.down = {item.qid: item for item in items}, down

    def cache_use(self) -> CacheUse:
        return CacheUse()

    def content_version(self) -> None:
        return None

    def keeping_answers(self, results: ResultCache) -> AbstractContextManager[None]:
        return nullcontext()

    def items_with_formulas(self) -> dict[str, Item]:
        if self.down:
            raise LookupFailed(uncoded_message("does not answer"), where="the wiki")
        return {qid: item for qid, item in self.items.items() if item.statements}

    def items_by_label(self, names: Iterable[str]) -> dict[str, list[str]]:
        return {
            n: [q for q, i in self.items.items() if fold(n) in {fold(label) for label in (i.label, *i.aliases)}]
            for n in names
        }

    def entities(self, qids: Iterable[str], more: Iterable[str] = ()) -> dict[str, Item]:
        return {qid: self.items[qid] for qid in qids if qid in self.items}

    def labels_of(self, qids: Iterable[str]) -> dict[str, str]:
        return {qid: "song" for qid in qids}


def _client(*items: Item, down: bool = False) -> Client:
    return cast(Client, Wiki(*items, down=down))


@pytest.fixture
def filled(workspace: Workspace) -> Workspace:
    concepts = [
        FormulaConcept(
            "k1",
            "V=IR",
            9,
            3,
            names=(NameCandidate("Ohm’s law", 0.97, (uncoded_message("the text gives it this name"),), 3),),
        ),
        FormulaConcept("k2", r"F=m\frac{d^{2}x}{dt^{2}}", 4, 2, names=(NameCandidate("motion of a body", 0.3),)),
        FormulaConcept("k3", r"\zeta=\chi+\xi", 2, 2),
    ]
    with workspace.engine.begin() as db:
        db.execute(store.concepts.insert(), [cast(dict[str, Any], as_json(concept)) for concept in concepts])
    return workspace


def _by_concept(workspace: Workspace) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for each in load_matches(workspace):
        found.setdefault(each.concept, []).append(each.qid)
    return found


class _Steps:
    """Keeps how much work there is, and each part that was done."""

    def __init__(self) -> None:
        self.told: list[float | None] = []

    def begin(self, total: float | None) -> None:
        self.told.append(total)

    def advance(self, step: float) -> None:
        self.told.append(step)


def test_a_name_finds_the_item_and_a_formula_finds_another(filled: Workspace) -> None:
    with use_watcher(steps := _Steps()):
        summary = match(filled, _client(OHM, NEWTON), SETTINGS, quiet=True)
    assert steps.told == [4, 1, 1, 1, 1]
    assert _by_concept(filled) == {"k1": ["Q1"], "k2": ["Q4"]}
    assert (summary.concepts, summary.matched) == (3, 2)


def test_a_standing_formula_is_believed_without_a_name(filled: Workspace) -> None:
    match(filled, _client(OHM, NEWTON), SETTINGS, quiet=True)
    found = next(m for m in load_matches(filled) if m.qid == "Q4")
    assert found.probability > 0.5
    assert "same_formula" in {each.name for each in found.evidence}


def test_a_song_is_far_behind_a_law_of_the_same_name(filled: Workspace) -> None:
    match(filled, _client(OHM, SONG), SETTINGS, quiet=True)
    likely = {m.qid: m.probability for m in load_matches(filled)}
    assert likely.get("Q2", 0.0) < SETTINGS.proposing.propose_from < likely["Q1"]


def test_disambiguation_pages_and_merged_items_are_no_candidates(filled: Workspace) -> None:
    match(filled, _client(OHM, PAGE, MERGED), SETTINGS, quiet=True)
    assert _by_concept(filled) == {"k1": ["Q1"]}


def test_a_second_run_changes_nothing(filled: Workspace) -> None:
    client = _client(OHM, SONG, NEWTON)
    match(filled, client, SETTINGS, quiet=True)
    before = [filled.rows(sa.select(table)) for table in (store.matches, store.items)]
    match(filled, client, SETTINGS, quiet=True)
    assert [filled.rows(sa.select(table)) for table in (store.matches, store.items)] == before


def test_a_wiki_that_is_down_leaves_the_earlier_matches(filled: Workspace) -> None:
    match(filled, _client(OHM), SETTINGS, quiet=True)
    before = load_matches(filled)
    with pytest.raises(LookupFailed):
        match(filled, _client(OHM, down=True), SETTINGS, quiet=True)
    assert load_matches(filled) == before


def test_the_items_met_are_kept_for_the_stages_after(filled: Workspace) -> None:
    match(filled, _client(OHM, NEWTON), SETTINGS, quiet=True)
    assert {row["qid"] for row in filled.rows(sa.select(store.items))} == {"Q1", "Q4"}


def test_what_is_queued_comes_from_the_matches(filled: Workspace) -> None:
    match(filled, _client(OHM, SONG, NEWTON), SETTINGS, quiet=True)
    assert "Q2" not in {m.qid for m in choose_matches(load_matches(filled), SETTINGS.proposing.propose_from)}


def test_an_empty_workspace_has_no_matches(tmp_path: Path) -> None:
    with Workspace.open(tmp_path / "empty") as workspace:
        summary = match(workspace, _client(OHM), SETTINGS, quiet=True)
        assert (summary.concepts, summary.matched) == (0, 0)
        assert load_matches(workspace) == []


def test_rows_are_written_only_of_concepts_that_were_made_from_something_else(filled: Workspace) -> None:
    match(filled, _client(OHM, NEWTON), SETTINGS, quiet=True)
    first = load_matches(filled)
    with filled.engine.begin() as db:
        db.execute(store.matches.update().values(probability=0.0))  # a row that is written again has its own
    names = as_json(NameCandidate("motion of a body", 0.4))
    with filled.engine.begin() as db:
        db.execute(store.concepts.update().where(store.concepts.c.key == "k2").values(names=[names]))
        db.execute(store.concepts.delete().where(store.concepts.c.key == "k1"))
    match(filled, _client(OHM, NEWTON), SETTINGS, quiet=True)
    found = {each.concept: each.probability for each in load_matches(filled)}
    assert found == {"k2": next(each.probability for each in first if each.concept == "k2")}
    with filled.engine.begin() as db:
        db.execute(store.matches.update().values(probability=0.0))
    match(filled, _client(OHM, NEWTON), SETTINGS, quiet=True)
    assert {each.probability for each in load_matches(filled)} == {0.0}


def test_another_version_of_the_program_writes_every_row_again(
    filled: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    match(filled, _client(OHM, NEWTON), SETTINGS, quiet=True)
    first = load_matches(filled)
    filled.change(store.matches.update().values(probability=0.0))
    monkeypatch.setattr(judged_concepts, "code_version", lambda: "the next one")
    match(filled, _client(OHM, NEWTON), SETTINGS, quiet=True)
    assert first
    assert load_matches(filled) == first


@pytest.mark.parametrize("excluded", [SETTINGS.proposing.implausible_classes[0], PAGE.classes[0]])
def test_an_item_of_a_class_that_has_no_formulas_is_no_candidate_whatever_it_states(
    filled: Workspace, excluded: str
) -> None:
    states = (Statement("Q6$1", FORMULA, "V=IR"),)
    for classes, found in (((excluded,), ["Q1"]), ((), ["Q6", "Q1"])):
        match(filled, _client(OHM, Item("Q6", "Ohm's law", classes=classes, statements=states)), SETTINGS, quiet=True)
        assert _by_concept(filled)["k1"] == found


class StatedWiki(Wiki):
    """A wiki of which it is known in what state it is."""

    languages = ("en",)
    stated: str | None = "today"

    def content_version(self) -> str | None:  # type: ignore[override]
        return self.stated


@pytest.mark.parametrize(
    ("corpus", "wiki", "dumps", "noted"),
    [
        ("mined", "today", (), True),
        (None, "today", (), False),
        ("mined", None, (), False),
        ("mined", "today", ("x",), False),
    ],
)
def test_a_run_is_noted_where_all_that_it_rests_on_is_known(
    filled: Workspace, corpus: str | None, wiki: str | None, dumps: tuple[str, ...], noted: bool
) -> None:
    client, settings = StatedWiki(OHM), replace(SETTINGS, encyclopaedia=Encyclopaedia(languages=(), dumps=dumps))
    client.stated = wiki
    stage_state.record_run(filled, "discover", corpus)
    match(filled, cast(Client, client), settings, quiet=True)
    assert bool(stage_state.last_inputs(filled, "match")) is noted


def test_matching_is_not_done_again_before_corpus_wiki_or_settings_have_changed(filled: Workspace) -> None:
    client, settings = StatedWiki(OHM, NEWTON), replace(SETTINGS, encyclopaedia=Encyclopaedia(languages=()))
    stage_state.record_run(filled, "discover", "mined")
    first = match(filled, cast(Client, client), settings, quiet=True)
    filled.change(store.matches.delete())  # who looks again would find them again, as nothing says what was stored
    filled.put(STORED, None)
    assert match(filled, cast(Client, client), settings, quiet=True) == first
    assert load_matches(filled) == []
    found = []
    for change in ("corpus", "wiki", "settings"):
        if change == "corpus":
            stage_state.record_run(filled, "discover", "mined again")
        elif change == "wiki":
            client.stated = "tomorrow"
        else:
            settings = replace(settings, proposing=replace(settings.proposing, propose_from=0.9))
        before = stage_state.last_inputs(filled, "match")
        match(filled, cast(Client, client), settings, quiet=True)
        found.append(stage_state.last_inputs(filled, "match") != before)
    assert found == [True, True, True]


def test_a_formula_is_a_special_case_of_another_one_of_the_corpus_that_has_the_same_name(workspace: Workspace) -> None:
    forms = {"k1": r"Z=\int Y\,ds", "k2": "Z=Ys"}
    names = (NameCandidate("yield of a glonk", 0.97, (uncoded_message("the text gives it this name"),), 3),)
    with workspace.engine.begin() as db:
        db.execute(store.concepts.insert(), [cast(dict[str, Any], as_json(FormulaConcept(key, tex, 9, 3, names=names))) for key, tex in forms.items()])  # fmt: skip
    match(workspace, _client(Item("Q7", "yield of a glonk")), SETTINGS, quiet=True)
    cases = {m.concept: [e.detail for e in m.evidence if e.name == "special_case"] for m in load_matches(workspace)}
    assert cases["k1"] == []
    assert [(case.code, case.values["tex"]) for case in cases["k2"]] == [("evidence.special_case.of", forms["k1"])]


@pytest.mark.parametrize("builtin", [True, False])
def test_articles_are_read_beside_what_the_list_has_of_their_item(
    filled: Workspace, monkeypatch: pytest.MonkeyPatch, builtin: bool
) -> None:
    told: list[tuple[str, ...] | None] = []

    def articles(*given: Any) -> dict[str, tuple[()]]:
        told.append(given[-1]("Q1"))
        return {}

    monkeypatch.setattr(article_lookup, "articles_of_likely", articles)
    match(filled, _client(OHM), Settings(matching=Matching(builtin=builtin)), quiet=True)
    assert told == [builtin_concepts().definitions_called("Ohm's law") if builtin else None]
