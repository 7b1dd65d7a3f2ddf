"""Formulas that found no likely item: a person names the item, says that none fits, or that it is not a concept.

An item makes the concept's spellings its representations, and the next `match` takes the pair for evidence; the other two are kept as
rows with a person and no item. Whatever is answered, a claim still has to be proposed and approved.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import sqlalchemy as sa

from bot import store
from bot.errors import ReviewError
from bot.messages import Message
from bot.records import Decision, digest
from bot.review import fcdb
from bot.review.decide import check_one_of
from bot.review.people import known_reviewer
from bot.review.proposal_answers import ReadItem, existing_item
from bot.store import Row, Workspace, now
from bot.wikibase import is_item_id

ANSWERS = ("item", "none", "no_concept", "withdraw")
ORDERS = {
    "d": ("occurrences", "documents"),
    "D": ("documents", "occurrences"),
    "rank": ("formularank", "documents", "occurrences"),
}


@dataclass(frozen=True, slots=True)
class SuggestedItem:
    """An item that a formula may be of; `probability` is below the threshold of proposing, or lower than for another formula of the item."""

    qid: str
    label: str
    description: str
    formulas: tuple[str, ...]
    probability: float


def rank_order(order: str) -> list[sa.ColumnElement[object]]:
    """Return the ORDER BY of concepts by d, D or rank: the highest first, what is not ranked last, by key where all is equal."""
    columns = store.concepts.c
    return [*(sa.func.coalesce(columns[name], 0).desc() for name in ORDERS[order]), columns.key]


def concepts_without_item(workspace: Workspace, threshold: float, after: int = 0, limit: int = 50) -> list[Row]:
    """Return concepts without an item of at least this probability and without an answer, in the order of FormulaRank."""
    query = sa.select(store.concepts).where(*_waiting_conditions(threshold)).order_by(*rank_order("rank"))
    return workspace.rows(query.offset(after).limit(limit))


def suggested_items(workspace: Workspace, key: str, prop: str) -> list[SuggestedItem]:
    """Return the items that matching found for a concept, the likeliest first; `prop` is the wiki's defining formula."""
    table, items = store.matches, store.items
    query = sa.select(table.c.qid, table.c.probability, items.c.record).where(table.c.concept == key)
    query = query.join(items, items.c.qid == table.c.qid, isouter=True)
    found = []
    for row in workspace.rows(query.order_by(table.c.probability.desc(), table.c.qid)):
        item = row["record"] or {}
        formulas = (one["value"] for one in item.get("statements", ()) if one["property"] == prop and one["value"])
        about = item.get("label") or row["qid"], item.get("description") or ""
        found.append(SuggestedItem(row["qid"], *about, tuple(formulas), row["probability"]))
    return found


def content_digest(row: Row) -> str:
    """Return a digest of what a person answers: the formula and its spellings."""
    return digest(row["key"], row["tex"], [each["tex"] for each in row["representations"]])


def number_without_item(workspace: Workspace, threshold: float) -> int:
    """Return how many concepts wait for an answer."""
    return workspace.count(sa.select(store.concepts.c.key).where(*_waiting_conditions(threshold)))


def find_concept(workspace: Workspace, key: str) -> Row:
    """Return the row of a concept by its key or the beginning of it. Raises ReviewError for none and for several."""
    column = store.concepts.c.key
    rows = workspace.rows(sa.select(store.concepts).where(column.startswith(key, autoescape=True)).limit(2))
    rows = [row for row in rows if row["key"] == key] or rows
    if len(rows) != 1 or not key:
        raise ReviewError("several_concepts" if key and rows else "no_concept", where=key[:16])
    return rows[0]


def last_answer(workspace: Workspace, key: str) -> Row | None:
    """Return the last answer on a concept, None where there is none or it was taken back."""
    table = store.answers
    rows = workspace.rows(sa.select(table).where(table.c.concept == key).order_by(table.c.n.desc()))
    return rows[0] if rows and rows[0]["answer"] != "withdraw" else None


def record_answer(
    workspace: Workspace,
    key: str,
    answer: str,
    reviewer: str,
    qid: str = "",
    seen_hash: str = "",
    read: ReadItem | None = None,
) -> None:
    """Append an answer and bring the Formula Concept Database in line with it, in one transaction.

    The answer is kept with the formula, its spellings and the items that were offered, and a digest of all; `seen_hash` is the `content`
    that was shown, where that is known. With `read`, an item that the workspace does not have is read, and has to exist.
    Raises ReviewError for an unknown answer, concept or reviewer, a QID that is none or of no item, content that is not
    what was seen, or a concept answered by somebody else; BotError where the item cannot be read.
    """
    who = known_reviewer(workspace, reviewer)
    row = find_concept(workspace, key)
    key = row["key"]  # the beginning of it was enough to find it
    check_one_of(ANSWERS, answer, "error.answer", key[:16])
    if (answer == "item") != bool(qid) or (qid and not is_item_id(qid)):
        raise ReviewError(Message("error.no_qid", qid_given=qid), where=key[:16], todo="pick")
    if seen_hash and seen_hash != content_digest(row):
        raise ReviewError("changed", where=key[:16])
    before = last_answer(workspace, key)
    if before is not None and before["reviewer"] != who:
        raise ReviewError("answered", name=before["reviewer"], where=key[:16])
    if answer == "withdraw" and before is None:
        raise ReviewError("no_answer", where=key[:16])
    if qid and read is not None:
        existing_item(workspace, qid, read, key[:16])
    time, offered = now(), sa.select(store.matches.c.qid).where(store.matches.c.concept == key)
    record = {
        "key": key,
        "tex": row["tex"],
        "representations": [each["tex"] for each in row["representations"]],
        "offered": sorted(each["qid"] for each in workspace.rows(offered)),
    }
    with workspace.engine.begin() as db:
        if before is not None and before["answer"] == "item":
            fcdb.apply_decision(db, _as_proposal(row, before["qid"]), _decision("withdraw", who, time))
        if answer in ("item", "none", "no_concept"):
            verdict, reason = ("approve", "") if answer == "item" else ("reject", "wrong_item")
            fcdb.apply_decision(db, _as_proposal(row, qid), _decision(verdict, who, time, reason))
        # The last statement: with it everything above is kept, or nothing is.
        values = {"concept": key, "answer": answer, "qid": qid, "reviewer": who, "time": time, "record": record}
        db.execute(store.answers.insert().values(**values, hash=digest(record, answer, qid)))


def items_with_similar_name(
    labels: Sequence[tuple[str, str, str]], *wanted_names: str, limit: int = 12
) -> list[tuple[str, str, str]]:
    """Return the (QID, label, description) whose label or alias is similar to one of the names, the most similar first."""
    from rapidfuzz import fuzz, process

    names = [name.casefold() for _, name, _ in labels]
    scores: dict[int, float] = {}
    for name in filter(None, (each.strip().casefold() for each in wanted_names)):
        for _, score, at in process.extract(name, names, scorer=fuzz.WRatio, limit=limit * 3, score_cutoff=60):
            scores[at] = max(score, scores.get(at, 0.0))
    found: dict[str, tuple[str, str, str]] = {}
    for at in sorted(scores, key=lambda at: (-scores[at], at)):
        found.setdefault(labels[at][0], labels[at])
    return list(found.values())[:limit]


def item_names(workspace: Workspace) -> list[tuple[str, str, str]]:
    """Return (QID, label or alias, description) of every item that the workspace knows."""
    rows = workspace.rows(sa.select(store.items.c.record))
    records = [row["record"] for row in rows if not row["record"].get("missing")]
    named = ((r, name) for r in records for name in (r.get("label"), *(r.get("aliases") or ())) if name)
    return [(r["qid"], name, r.get("description") or "") for r, name in named]


def labels_of(workspace: Workspace, qids: Sequence[str]) -> dict[str, str]:
    """Return the labels of these items in the workspace."""
    items = store.items.c
    rows = workspace.rows_with(sa.select(items.qid, items.record), items.qid, qids)
    return {row["qid"]: label for row in rows if (label := row["record"].get("label"))}


def _waiting_conditions(threshold: float) -> list[sa.ColumnElement[bool]]:
    """Return the conditions on a concept that waits for an answer: no likely item, no answer, no approved item."""
    key, known = store.concepts.c.key, store.representations.c
    likely = sa.select(store.matches.c.concept).where(store.matches.c.probability >= threshold)
    answered = store.current_answers().with_only_columns(store.answers.c.concept)
    approved = sa.select(known.concept).where(known.qid != "", known.reviewer != "")
    return [key.not_in(likely), key.not_in(answered), key.not_in(approved)]


def _as_proposal(row: Row, qid: str) -> Row:
    places = row["places"] or [("", 0)]
    quote = {"document": places[0][0], "position": places[0][1]}
    return {"concept": row["key"], "qid": qid, "tex": row["tex"], "quotes": [quote]}


def _decision(verdict: str, who: str, time: str, reason: str = "") -> Decision:
    return Decision("", "", verdict, reason=reason, reviewer=who, time=time)
