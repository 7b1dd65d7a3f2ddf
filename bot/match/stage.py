"""The stage: concepts and places from the workspace, items from the wiki, matches into the workspace."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from bot import stage_state, store
from bot.claim_outcomes import removed_by_document
from bot.console import progress
from bot.freed_memory import return_freed_memory
from bot.match.builtin.reviewer_answers import reviewer_answers
from bot.match.builtin.workspace_formulas import knowledge_version
from bot.match.model import EvidenceModel, ReliabilityCurve, load_models, shipped_model
from bot.messages import Message
from bot.records import Item, ItemMatch, as_json
from bot.result_cache import open_result_cache
from bot.settings import Settings
from bot.store import Workspace, to_record

if TYPE_CHECKING:
    from bot.lookup import Client
    from bot.match.blocks.judged_concepts import JudgedConcept

RELIABILITY = "matching_reliability"  # key of the workspace's `meta`
STORED = "matching_stored"  # another: of each concept a digest of what its rows of `matches` were made from


@dataclass(frozen=True, slots=True)
class MatchSummary:
    concepts: int
    items: int  # met as candidates
    matched: int  # concepts with a match at all
    likely: int  # concepts with one at or above the proposing threshold
    cached_answers: int = 0  # of the wiki, from the cache of an earlier run
    oldest_answer_hours: float = 0.0
    query_service_away: bool = False
    articles_away: tuple[Message, ...] = ()  # what the wikis of articles failed with; nothing is concluded from it
    weights: str = ""  # whose: shipped, or what this workspace's were fitted to


def match(workspace: Workspace, client: Client, settings: Settings, *, quiet: bool = False) -> MatchSummary:
    """Match every concept of the workspace; the matches table is replaced as one.

    Raises LookupFailed where the wiki does not answer; the earlier matches then stay.
    """
    inputs = _inputs(workspace, client, settings)
    if (figures := stage_state.last_outcome(workspace, "match", inputs)) is not None:
        return _summary(client, **figures)
    # Who only looks whether anything has changed needs none of what judges.
    from bot.discover.stored_occurrences import connect_to_shards
    from bot.match.article_lookup import articles_of_likely, check_encyclopaedia
    from bot.match.blocks.concept_views import ConceptViews
    from bot.match.blocks.judged_concepts import JudgedConcepts

    # Raises WorkspaceError where occurrences are gone or damaged, before anything is replaced
    connect_to_shards(workspace).close()
    check_encyclopaedia(client, settings.encyclopaedia)
    stage_state.forget_run(workspace, "match")
    with (
        progress("match", total=4, quiet=quiet) as advance,
        open_result_cache(workspace, "match") as results,
        client.keeping_answers(results),
    ):
        views = ConceptViews(workspace, settings, results)
        concepts = JudgedConcepts(views, client, settings, results, lambda: advance(1, "asking for names"))
        return_freed_memory()  # among it the index of the items' formulas
        advance(1, "weighing evidence")
        model = matching_model(workspace, settings)
        judged, away = list(concepts.judged(model)), list[Message]()  # before the database is held
        return_freed_memory()
        if settings.encyclopaedia.languages:
            articles = articles_of_likely(
                _best(judged),
                client,
                settings.encyclopaedia,
                lambda error: away.append(error.full_message),
                concepts.listed_formulas,
            )
            if any(articles.values()):
                concepts.read(articles)
                judged = list(concepts.judged(model))
        advance(1, "storing")
        stored = _store(workspace, judged, concepts.items, settings)
        figures = {
            **stored,
            "concepts": len(views.concept_digests),
            "items": len(concepts.items),
            "weights": model.note,
        }
        del views, concepts, judged  # what they hold has served
        return_freed_memory()
        from bot.match.symbols.symbol_stage import store_symbols  # its library takes memory

        store_symbols(workspace, client, settings, results)
        workspace.put(RELIABILITY, [list(band) for band in model.reliability])
        advance(1)
    if not away:
        stage_state.record_run(workspace, "match", inputs, **figures)
    return _summary(client, articles_away=tuple(away), **figures)


def _best(judged: Iterable[JudgedConcept]) -> dict[str, float]:
    """Return the probability of each item's likeliest formula."""
    best: dict[str, float] = {}
    for concept in judged:
        for qid, probability in concept.probabilities:
            best[qid] = max(probability, best.get(qid, 0.0))
    return best


def _summary(client: Client, **figures: Any) -> MatchSummary:
    use = client.cache_use()
    return MatchSummary(
        cached_answers=use.answers,
        oldest_answer_hours=use.hours,
        query_service_away=bool(use.query_service_failure),
        **figures,
    )


def _inputs(workspace: Workspace, client: Client, settings: Settings) -> str | None:
    """Return a digest of all inputs of matches; None if they are unknown."""
    concepts = stage_state.last_inputs(workspace, "discover")
    if concepts is None or settings.encyclopaedia.dumps or (wiki := client.content_version()) is None:
        return None
    return stage_state.inputs_digest(
        concepts, wiki, settings.wiki, client.languages, settings.matching, settings.proposing, settings.encyclopaedia,
        knowledge_version(workspace, settings), reviewer_answers(workspace), removed_by_document(workspace), matching_model(workspace, settings),
    )  # fmt: skip


def matching_model(workspace: Workspace, settings: Settings) -> EvidenceModel:
    """Return the weights of matching: those that `formula-bot train` kept in the workspace, else the shipped ones.

    There are two sets of each: without the built-in list its silence says nothing. Raises WorkspaceError for a damaged file.
    """
    name = "matching" if settings.matching.builtin else "matching_without_list"
    return load_models(workspace.models).get(name) or shipped_model(name)


def reliability_of_matches(workspace: Workspace) -> ReliabilityCurve:
    """Return the held-out curve of the weights that the stored matches were made with; empty where none were."""
    return tuple((predicted, accepted, judged) for predicted, accepted, judged in workspace.get(RELIABILITY, ()))


def load_matches(workspace: Workspace, evidence_from: float = 0.0) -> list[ItemMatch]:
    """Return all matches of the workspace, by concept, the likeliest first; with evidence those of this probability at least."""
    table = store.matches.c
    evidence = sa.case((table.probability >= evidence_from, table.evidence), else_=sa.literal([], sa.JSON))
    columns = [evidence.label("evidence") if column is table.evidence else column for column in table]
    order = (table.concept, table.probability.desc(), table.qid)
    return [to_record(ItemMatch, row, "matches") for row in workspace.rows(sa.select(*columns).order_by(*order))]


def _store(
    workspace: Workspace, judged: Iterable[JudgedConcept], items: Mapping[str, Item], settings: Settings
) -> dict[str, int]:
    """Replace the matches of concepts that were made from something else, and renew items that changed, in one transaction; return figures."""
    last: dict[str, str] | None = workspace.get(STORED)
    now: dict[str, str] = {}
    stored_qids: set[str] = set()
    matched = likely = 0
    with workspace.engine.begin() as db:
        if last is None:
            db.execute(store.matches.delete())
            last = {}
        for concept in judged:
            now[concept.key] = concept.digest.hex()
            if concept.probabilities:
                stored_qids |= {qid for qid, _ in concept.probabilities}
                matched += 1
                likely += round(max(p for _, p in concept.probabilities), 4) >= settings.proposing.propose_from
            if last.pop(concept.key, None) != now[concept.key]:
                db.execute(store.matches.delete().where(store.matches.c.concept == concept.key))
                if rows := concept.matches:
                    db.execute(store.matches.insert(), [as_json(each) for each in rows])
        store.delete_rows(db, store.matches.c.concept, list(last))
        _renew(db, [items[qid] for qid in sorted(stored_qids)])
        store.put(db, STORED, now)
    return {"matched": matched, "likely": likely}


def _renew(db: sa.Connection, items: Sequence[Item]) -> None:
    stored = {row.qid: row.record for row in db.execute(sa.select(store.items.c.qid, store.items.c.record))}
    now = store.now()
    for item in items:
        if stored.get(item.qid) != (record := as_json(item)):
            db.execute(store.items.delete().where(store.items.c.qid == item.qid))
            row = {"qid": item.qid, "revision": item.revision, "record": record, "fetched": now}
            db.execute(store.items.insert().values(row))
