"""The stage on a small workspace: tables in, queue and four reports out, and the same run again changes nothing."""

from __future__ import annotations

import json
from collections.abc import Container, Iterable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from propose_records import DOCUMENT, HUBBLE, PLACE, TEX, TODAY, settings, statement
from queued import load_proposals

from bot import stage_state, store
from bot.errors import LookupFailed, SettingsError, WorkspaceError
from bot.lookup import CacheUse, MathVerdict
from bot.messages import uncoded_message
from bot.propose.other_item_proposals import build_for_item
from bot.propose.proposal_context import RunCounts, run_counts
from bot.propose.queueing import fill_queue
from bot.propose.run import propose
from bot.propose.summary import ProposeSummary
from bot.records import FormulaConcept, Item, ItemMatch, Occurrence, Proposal, as_json
from bot.result_cache import ResultCache
from bot.sandbox import open_wiki
from bot.settings import CitationRule, Wiki
from bot.store import Workspace

OTHER = Item("Q9", "expansion", (), "", (), (replace(statement("E = m c^2"), guid="Q9$1"),), revision=3)


class Wikibase:
    """Answers as the client does, from records; what is named in `down` fails."""

    def __init__(self, *items: Item, down: Iterable[str] = ()) -> None:
        self.items, self.down, self.wiki = {item.qid: item for item in items}, set(down), Wiki()

    def _up(self, name: str) -> None:
        if name in self.down:
            raise LookupFailed(uncoded_message("did not answer"), where="wiki")

    def entities(self, qids: Iterable[str], *, fresh: bool = False) -> dict[str, Item]:
        self._up("entities")
        assert fresh, "an item is never taken from the cache"
        return {qid: self.items.get(qid, Item(qid, missing=True)) for qid in qids}

    def raw_entities(self, ids: Iterable[str]) -> dict[str, Any]:
        self._up("raw_entities")
        return {each: {"id": each, "claims": {}} for each in ids}

    def cache_use(self) -> CacheUse:
        return CacheUse()

    def keeping_answers(self, results: ResultCache) -> AbstractContextManager[None]:
        return nullcontext()

    def items_with_formulas(self, *, fresh: bool = False, exclude: Container[str] = ()) -> dict[str, Item]:
        self._up("formula_items")
        return {qid: item for qid, item in self.items.items() if item.statements and qid not in exclude}

    def qids_with_formula(self) -> list[str]:
        return list(self.items_with_formulas())

    def classes_of(self, qids: Iterable[str]) -> dict[str, tuple[str, ...]]:
        self._up("classes")
        return {qid: self.items[qid].classes for qid in qids}

    def labels_of(self, qids: Iterable[str]) -> dict[str, str]:
        self._up("labels_of")
        return {qid: f"label of {qid}" for qid in qids}

    def parse_math(self, values: Iterable[str]) -> list[MathVerdict]:
        self._up("parse_math")
        return [MathVerdict(value, True) for value in values]


@pytest.fixture
def mined(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    """A workspace with one document, one concept and its matches."""
    concept = FormulaConcept("k1", TEX, 3, 2, places=((DOCUMENT.id, 4),))
    around = Occurrence(DOCUMENT.id, 5, "d", False)
    spoken = {(o.document, o.position): o for o in (PLACE, around)}
    monkeypatch.setattr(
        "bot.propose.proposal_context.load_concepts", lambda _, keys, **__: iter([concept for _ in keys])
    )
    for module in ("proposal_context", "other_item_proposals"):
        monkeypatch.setattr(
            f"bot.propose.{module}.occurrences_of", lambda _, places: [spoken[p] for p in places if p in spoken]
        )
    monkeypatch.setattr(
        "bot.propose.proposal_context.tex_of", lambda _, places: {p: spoken[p].tex for p in places if p in spoken}
    )
    document = {k: v for k, v in as_json(DOCUMENT).items() if k in store.documents.c} | {"path": "x"}
    evidence = [{"name": "name", "score": 2.0, "detail": "the sentence names it"}]
    matches = [("Q179916", 0.93), ("Q9", 0.3)]
    with workspace.engine.begin() as db:
        db.execute(store.documents.insert().values(**document))
        db.execute(store.sources.insert().values(path="x", formulas=40))
        names = [{"name": "Hubble's law", "score": 0.9}]
        places = [[DOCUMENT.id, 4]]
        db.execute(
            store.concepts.insert().values(key="k1", tex=TEX, occurrences=3, documents=2, names=names, places=places)
        )
        for qid, probability in matches:
            db.execute(
                store.matches.insert().values(
                    concept="k1", qid=qid, tex=TEX, probability=probability, evidence=evidence
                )
            )
    return workspace


def run(
    workspace: Workspace, *items: Item, days: int = 0, down: Iterable[str] = (), **proposing: Any
) -> ProposeSummary:
    wiki: Any = Wikibase(*(items or (HUBBLE, OTHER)), down=down)
    return propose(workspace, wiki, settings(**proposing), today=TODAY + timedelta(days=days), quiet=True)


def reports(workspace: Workspace) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in workspace.reports.iterdir()}


def test_matches_become_the_queue_and_four_reports(mined: Workspace) -> None:
    summary = run(mined)
    assert (summary.new_claims, summary.new, summary.could_not_ask) == (1, 1, ())
    (p,) = load_proposals(mined)
    assert (p.kind, p.qid, p.runners_up) == ("new_claim", "Q179916", (("Q9", "expansion", 0.3),))
    assert dict(p.quotes[0].formulas) == {4: TEX, 5: "d"}
    assert set(reports(mined)) == {"dry-run.html", "dry-run.jsonl", "dry-run.quickstatements.csv", "dry-run.wikitext"}
    assert json.loads(reports(mined)["dry-run.jsonl"])["id"] == p.id


def test_proposals_for_one_wiki_never_meet_another(mined: Workspace, tmp_path: Path) -> None:
    """The same Q-number is another item there, and approvals say nothing of it."""
    run(mined)
    items = tmp_path / "items.jsonl"
    items.write_text('{"qid": "Q179916", "label": "Hubble\'s law"}\n')
    test_wiki = Wiki(name="test", entity_prefix="http://test.wikidata.org/entity/")
    for wiki, file in ((test_wiki, None), (Wiki(), items)):
        with (
            pytest.raises(WorkspaceError, match=r"items of wikidata .* name another wiki; .*new workspace"),
            open_wiki(mined, replace(settings(), wiki=wiki), file),
        ):
            pass
    with open_wiki(mined, settings()) as opened:
        assert opened == Wiki()
    mined.change(store.proposals.delete())
    with open_wiki(mined, replace(settings(), wiki=test_wiki)) as opened:
        assert opened == test_wiki


def test_each_step_of_a_run_is_told(mined: Workspace) -> None:
    told: list[str] = []
    wiki: Any = Wikibase(HUBBLE, OTHER)
    _, proposals = fill_queue(mined, wiki, settings(), TODAY, lambda *_, note="": told.append(note))
    assert (told, proposals) == (["reading the items as they are now", "checking", "writing the report"], 1)


def test_a_formula_is_proposed_for_the_item_that_a_reviewer_names(mined: Workspace) -> None:
    run(mined)
    (shown,) = load_proposals(mined)
    unmet = Item("Q5", "expansion of space", (), "", (), revision=4)

    def made(item: Item) -> Proposal:
        found = build_for_item(mined, settings(), shown, item, TODAY).proposal
        assert found is not None
        assert (found.qid, found.tex, found.concept, found.instead_of) == (item.qid, TEX, "k1", shown.id)
        assert [q.document for q in found.quotes] == [DOCUMENT.id]
        return found

    assert [(qid, p) for qid, _, p in made(unmet).runners_up] == [("Q179916", 0.93), ("Q9", 0.3)]
    assert (made(unmet).probability, made(unmet).evidence) == (0.0, ())
    met = made(OTHER)
    assert [(qid, p) for qid, _, p in met.runners_up] == [("Q179916", 0.93)]
    assert (met.probability, met.evidence, met.beside) == (0.3, shown.evidence, (("Q9$1", "E = m c^2"),))
    mined.change(store.matches.update().where(store.matches.c.qid == "Q9").values(probability=0.4))
    assert made(OTHER).probability == 0.4  # of matching, before what was shown
    mined.change(store.matches.delete())
    assert (made(OTHER).probability, made(OTHER).evidence) == (0.3, ())
    mined.change(store.items.insert().values(qid="Q5", revision=1, record=as_json(replace(OTHER, qid="Q5", statements=(statement(),)))))  # fmt: skip
    (check,) = (each for each in made(OTHER).checks if each.name == "other items")
    assert str(check.detail) == "the same formula belongs to expansion (Q5)"


def test_same_run_again_changes_nothing_at_all(mined: Workspace) -> None:
    run(mined)
    rows, files = mined.rows(sa.select(store.proposals)), reports(mined)
    again = run(mined)
    assert (again.new, again.changed, again.unchanged) == (0, 0, 1)
    assert mined.rows(sa.select(store.proposals)) == rows
    assert reports(mined) == files


def test_quotes_are_read_again_only_where_the_item_is_called_otherwise_or_a_document_has_changed(
    mined: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    run(mined)
    asked: list[Any] = []
    monkeypatch.setattr("bot.propose.proposal_context.occurrences_of", lambda _, places: asked.extend(places) or [])
    assert (run(mined, expires_days=3).unchanged, asked) == (1, [])
    run(mined, replace(HUBBLE, aliases=("expansion of space",)), OTHER)
    assert len(asked) == 1
    with mined.engine.begin() as db:
        db.execute(store.sources.update().values(part="read-again.parquet"))
    run(mined, replace(HUBBLE, aliases=("expansion of space",)), OTHER)
    assert len(asked) == 2


def test_run_of_another_day_keeps_the_content_and_its_hash(mined: Workspace) -> None:
    run(mined)
    before = load_proposals(mined)
    assert run(mined, days=5).unchanged == 1
    assert load_proposals(mined) == before


def test_formula_that_has_come_to_the_item_meanwhile_withdraws_the_proposal(mined: Workspace) -> None:
    run(mined)
    said = statement(TEX, "normal", *load_proposals(mined)[0].references)
    summary = run(mined, replace(HUBBLE, statements=(said,)), OTHER)
    assert (summary.already_there, summary.withdrawn) == (1, 1)
    assert load_proposals(mined) == []


def test_wiki_that_is_down_changes_nothing(mined: Workspace) -> None:
    run(mined)
    rows, files = mined.rows(sa.select(store.proposals)), reports(mined)
    with pytest.raises(LookupFailed):
        run(mined, days=1, down=["entities"])
    assert (mined.rows(sa.select(store.proposals)), reports(mined)) == (rows, files)


def test_what_could_not_be_asked_is_unknown_and_said(mined: Workspace) -> None:
    summary = run(mined, down=["raw_entities", "classes", "parse_math", "labels_of", "formula_items"])
    assert summary.new_claims == 1
    assert len(summary.could_not_ask) == 5
    assert "Not everything could be asked" in reports(mined)["dry-run.html"].decode()


def test_items_that_matching_met_are_known_by_their_formulas(mined: Workspace) -> None:
    met = Item("Q5", "expansion law", statements=(replace(statement(TEX), guid="Q5$1"),))
    with mined.engine.begin() as db:
        for item in (met, Item("Q6", "nothing")):
            db.execute(store.items.insert().values(qid=item.qid, revision=1, record=as_json(item)))
    run(mined, down=["formula_items"])
    (p,) = load_proposals(mined)
    assert [str(check) for check in p.checks if check.name == "other items"] == [
        "other items: the same formula belongs to expansion law (Q5)"
    ]


def test_impossible_source_is_refused_before_anything_is_done(mined: Workspace) -> None:
    with pytest.raises(SettingsError):
        run(mined, sources=(CitationRule(item="Q1"),))
    assert reports(mined) == {}


def test_nothing_matched_is_an_empty_report(workspace: Workspace) -> None:
    assert (
        run(workspace) == replace(ProposeSummary(), seconds=run(workspace).seconds) or load_proposals(workspace) == []
    )
    assert "0 proposals" in reports(workspace)["dry-run.html"].decode()


class StatedWikibase(Wikibase):
    """A wiki of which it is known in what state it is."""

    languages = ("en",)
    stated: str | None = "today"

    def content_version(self) -> str | None:
        return self.stated


def test_proposing_is_not_done_again_before_matches_wiki_settings_or_decisions_have_changed(mined: Workspace) -> None:
    wiki: Any = StatedWikibase(HUBBLE, OTHER)

    def noted(**proposing: Any) -> str | None:
        propose(mined, wiki, settings(**proposing), today=TODAY, quiet=True)
        return stage_state.last_inputs(mined, "propose")

    assert noted() is None  # of which matches is not known
    stage_state.record_run(mined, "match", "matched")
    first = noted()
    assert first
    for name in reports(mined):
        (mined.reports / name).write_text("as it was", encoding="utf-8")
    assert noted() == first
    assert set(reports(mined).values()) == {b"as it was"}
    found = {first}
    stage_state.record_run(mined, "match", "matched again")
    found.add(noted())
    wiki.stated = "tomorrow"
    found.add(noted())
    found.add(noted(expires_days=3))
    assert len(found) == 4
    assert b"as it was" not in reports(mined).values()
    wiki.stated = None
    assert noted() is None


def test_the_numbers_of_a_run_are_those_of_the_workspace(mined: Workspace) -> None:
    names: list[Any] = [
        [{"name": "a", "score": 0.5}, {"name": "b", "score": 0.4}],
        [{"name": "c", "score": 0.49}, {"name": "d", "score": 0.9}],
        [],
        None,
    ]
    with mined.engine.begin() as db:
        for n, each in enumerate(names):
            db.execute(store.concepts.insert().values(key=f"more{n}", tex="x", names=each))
        db.execute(store.sources.insert().values(path="y", formulas=2))
    matches = [ItemMatch("k1", TEX, "Q1", 0.4), ItemMatch("k1", TEX, "Q2", 0.7), ItemMatch("k2", TEX, "Q1", 0.1)]
    assert run_counts(mined, matches) == RunCounts(1, 42, 5, 2, 2, 2, 0.7)
    assert run_counts(mined, []) == RunCounts(1, 42, 5, 2, 0, 0, 0.0)
