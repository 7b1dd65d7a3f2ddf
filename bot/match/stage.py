"""The stage: concepts and places from the workspace, items from the wiki, matches into the workspace."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import sqlalchemy as sa

from bot import stage_state, store
from bot.console import progress
from bot.discover import load_concepts, occurrences_of
from bot.kept_results import KeptResults, kept_results
from bot.lookup import Client
from bot.match.builtin.approved import version_of_known
from bot.match.candidates import Candidates, claims_index, gather
from bot.match.encyclopaedia import with_articles
from bot.match.features.candidate_pair import CandidatePair, PersonsAnswer, View, views
from bot.match.model import Curve, EvidenceModel, kept, shipped
from bot.match.retrieval.known_concepts import known_concepts
from bot.match.score import Judge, Scored, matches
from bot.match.symbols.symbol_stage import store_symbols
from bot.records import Document, FormulaConcept, Item, ItemMatch, as_json
from bot.settings import Settings
from bot.store import Workspace, record_of

_NOTHING = KeptResults()
RELIABILITY = "matching_reliability"  # key of the workspace's `meta`


@dataclass(frozen=True, slots=True)
class MatchSummary:
    concepts: int
    items: int  # met as candidates
    matched: int  # concepts with a match at all
    likely: int  # concepts with one at or above the proposing threshold
    cached_answers: int = 0  # of the wiki, from the cache of an earlier run
    oldest_answer_hours: float = 0.0
    query_service_away: bool = False
    articles_away: tuple[str, ...] = ()  # what the wikis of articles failed with; nothing is concluded from it
    weights: str = ""  # whose: shipped, or what this workspace's were fitted to


def match(workspace: Workspace, client: Client, settings: Settings, *, quiet: bool = False) -> MatchSummary:
    """Match every concept of the workspace; the matches table is replaced as one.

    Raises LookupFailed where the wiki does not answer; the earlier matches then stay.
    """
    inputs = _inputs(workspace, client, settings)
    if (figures := stage_state.unchanged(workspace, "match", inputs)) is not None:
        return _summary(client, **figures)
    stage_state.begin(workspace, "match")
    concepts = list(load_concepts(workspace))
    with progress("match", total=4, quiet=quiet) as advance, kept_results(workspace, "match") as results:
        seen = look(workspace, concepts, settings, results)
        advance(1, "asking for names")
        found = candidates(seen, client, settings)
        advance(1, "weighing evidence")
        made, labels = pairs(seen, found, client, settings)
        model = matching_model(workspace, settings)
        judge = Judge(labels, results, version_of_known(workspace, settings))
        rows = judge.scored(made, model)
        away: list[str] = []
        if settings.encyclopaedia.languages:
            told = with_articles(rows, client, settings.encyclopaedia, lambda error: away.append(error.line()))
            rows = judge.scored(told, model) if any(pair.articles for pair in told) else rows
        result = matches(rows, model)
        advance(1, "storing")
        _store(workspace, result, met(rows, found))
        store_symbols(workspace, client, settings)
        workspace.put(RELIABILITY, [list(band) for band in model.reliability])
        advance(1)
    best = {each.concept: each for each in reversed(result)}
    figures = {
        "concepts": len(concepts),
        "items": len(found.items),
        "matched": len(best),
        "likely": sum(each.probability >= settings.proposing.propose_from for each in best.values()),
        "weights": model.note,
    }
    if not away:
        stage_state.note(workspace, "match", inputs, **figures)
    return _summary(client, articles_away=tuple(away), **figures)


def _summary(client: Client, **figures: Any) -> MatchSummary:
    asked = client.cached()
    return MatchSummary(
        cached_answers=asked.answers, oldest_answer_hours=asked.hours, query_service_away=bool(asked.away), **figures
    )


def _inputs(workspace: Workspace, client: Client, settings: Settings) -> str | None:
    """Return a digest of all that matches are made from; None where that is not known."""
    concepts = stage_state.last_inputs(workspace, "discover")
    if concepts is None or settings.encyclopaedia.dumps or (wiki := client.state()) is None:
        return None
    return stage_state.inputs_of(
        concepts, wiki, settings.wiki, client.languages, settings.matching, settings.proposing, settings.encyclopaedia,
        version_of_known(workspace, settings), persons_answers(workspace), matching_model(workspace, settings),
    )  # fmt: skip


def matching_model(workspace: Workspace, settings: Settings) -> EvidenceModel:
    """Return the weights of matching: those that `formula-bot train` kept in the workspace, else the shipped ones.

    There are two sets of each: without the built-in list its silence says nothing. Raises WorkspaceError for a damaged file.
    """
    name = "matching" if settings.matching.builtin else "matching_without_list"
    return kept(workspace.models).get(name) or shipped(name)


def reliability_of_matches(workspace: Workspace) -> Curve:
    """Return the held-out curve of the weights that the stored matches were made with; empty where none were."""
    return tuple((said, accepted, judged) for said, accepted, judged in workspace.get(RELIABILITY, ()))


def look(
    workspace: Workspace, concepts: Sequence[FormulaConcept], settings: Settings, results: KeptResults = _NOTHING
) -> list[View]:
    """Put the workspace's concepts together with their places in the corpus."""
    places = [place for concept in concepts for place in concept.places]
    seen = views(
        concepts,
        occurrences_of(workspace, places),
        _documents(workspace),
        known_concepts(workspace, settings),
        results,
        version_of_known(workspace, settings),
    )
    said = persons_answers(workspace)
    return [replace(view, answer=said.get(view.concept.key)) for view in seen]


def persons_answers(workspace: Workspace) -> dict[str, PersonsAnswer]:
    """Return what people said of formulas without item, by concept."""
    return {
        row["concept"]: PersonsAnswer(
            row["answer"], row["qid"], row["time"][:10], tuple((row["record"] or {}).get("offered", ()))
        )
        for row in workspace.rows(store.standing_answers())
    }


def candidates(seen: Sequence[View], client: Client, settings: Settings) -> Candidates:
    """Ask the wiki which items might be meant."""
    holders = client.formula_items()
    index = claims_index(holders.values(), settings.wiki.properties.defining_formula)
    return gather(seen, client, index, holders)


def pairs(
    seen: Sequence[View], found: Candidates, client: Client, settings: Settings
) -> tuple[list[CandidatePair], Mapping[str, str]]:
    """Return every concept with each of its candidates, and the labels of the items' classes."""
    kept = {qid for qids in found.of.values() for qid in qids}
    classes = sorted({each for qid in kept for each in found.items[qid].classes})
    labels = client.labels_of(classes) if classes else {}
    never = set(settings.proposing.implausible_classes) | {settings.wiki.properties.disambiguation_class}
    made = [
        CandidatePair(view, item, found.shared(view, item), settings.wiki.properties.defining_formula)
        for view in seen
        for qid in found.of[view.concept.key]
        if not never.intersection((item := found.items[qid]).classes)
    ]
    return made, labels


def met(rows: Iterable[Scored], found: Candidates) -> list[Item]:
    """Return the items that were weighed."""
    return [found.items[qid] for qid in sorted({row.pair.item.qid for row in rows})]


def load_matches(workspace: Workspace) -> list[ItemMatch]:
    """Return all matches of the workspace, by concept, the likeliest first."""
    order = (store.matches.c.concept, store.matches.c.probability.desc(), store.matches.c.qid)
    return [record_of(ItemMatch, row, "matches") for row in workspace.rows(sa.select(store.matches).order_by(*order))]


def _documents(workspace: Workspace) -> dict[str, Document]:
    rows = workspace.rows(sa.select(store.documents))
    return {row["id"]: record_of(Document, row, f"documents {row['id']}") for row in rows}


def _store(workspace: Workspace, result: Sequence[ItemMatch], items: Sequence[Item]) -> None:
    """Replace the matches and renew the items that changed, in one transaction."""
    known = {r["qid"]: r["record"] for r in workspace.rows(sa.select(store.items.c.qid, store.items.c.record))}
    records = {item.qid: (item.revision, as_json(item)) for item in items}
    changed = [qid for qid, (_, record) in records.items() if known.get(qid) != record]
    now = store.now()
    with workspace.engine.begin() as db:
        db.execute(store.matches.delete())
        if result:
            db.execute(store.matches.insert(), [_row(each) for each in result])
        for qid in changed:
            db.execute(store.items.delete().where(store.items.c.qid == qid))
        if changed:
            rows = [{"qid": q, "revision": records[q][0], "record": records[q][1], "fetched": now} for q in changed]
            db.execute(store.items.insert(), rows)


def _row(each: ItemMatch) -> dict[str, object]:
    return {
        "concept": each.concept,
        "qid": each.qid,
        "tex": each.tex,
        "probability": each.probability,
        "evidence": as_json(each.evidence),
    }
