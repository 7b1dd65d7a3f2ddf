"""Pairs with what the encyclopaedia says about their items: only of items that may be meant, the likeliest first."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from bot.discover.articles import ArticleReading, about
from bot.errors import LookupFailed
from bot.lookup import Client
from bot.match.features.candidate_pair import CandidatePair
from bot.match.score import Scored
from bot.settings import Encyclopaedia


def with_articles(
    rows: Sequence[Scored], client: Client, settings: Encyclopaedia, on_failure: Callable[[LookupFailed], None]
) -> list[CandidatePair]:
    """Return the rows' pairs, those of likely items with what the items' articles say.

    What does not answer is told to `on_failure`: its articles are not known, which is no evidence either way.
    """
    said: dict[str, tuple[ArticleReading, ...]] = {}
    try:
        said = about(client, likely(rows, settings), settings.languages, settings.dumps, on_failure)
    except LookupFailed as error:  # which articles the items have is not known
        on_failure(error)
    return [replace(row.pair, articles=said.get(row.pair.item.qid, ())) for row in rows]


def likely(rows: Sequence[Scored], settings: Encyclopaedia) -> list[str]:
    """Return the items whose articles are worth looking at, the likeliest first."""
    best: dict[str, float] = {}
    for row in rows:
        qid = row.pair.item.qid
        best[qid] = max(row.probability, best.get(qid, 0.0))
    found = sorted((qid for qid in best if best[qid] >= settings.least), key=lambda qid: (-best[qid], qid))
    return found[: settings.most_items]
