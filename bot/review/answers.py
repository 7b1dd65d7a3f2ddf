"""Frequent formulas that found no item: a person names the item, says that there is none, or that it is no concept.

An item makes the concept's spellings its representations; the other two are kept as rows with a person and no item.
"""

from __future__ import annotations

from collections.abc import Sequence

import sqlalchemy as sa

from bot import store
from bot.errors import ReviewError
from bot.messages import Message
from bot.records import Decision, digest
from bot.review import fcdb
from bot.review.people import reviewer as known_reviewer
from bot.store import Row, Workspace, now
from bot.wikibase import is_item_id

ANSWERS = ("item", "none", "no_concept", "withdraw")


def unmatched(workspace: Workspace, after: int = 0, limit: int = 50) -> list[Row]:
    """Return concepts without any item and without an answer, the most frequent first."""
    concepts, open_ = store.concepts, _open(workspace)
    query = sa.select(concepts).where(*open_).order_by(concepts.c.occurrences.desc(), concepts.c.key)
    return workspace.rows(query.offset(after).limit(limit))


def count_unmatched(workspace: Workspace) -> int:
    """Return how many concepts wait for an answer."""
    with workspace.engine.connect() as db:
        return int(db.scalar(sa.select(sa.func.count()).select_from(store.concepts).where(*_open(workspace))) or 0)


def concept(workspace: Workspace, key: str) -> Row:
    """Return a concept's row. Raises ReviewError."""
    rows = workspace.rows(sa.select(store.concepts).where(store.concepts.c.key == key))
    if not rows:
        raise ReviewError("no such concept", where=key[:16])
    return rows[0]


def last_answer(workspace: Workspace, key: str) -> Row | None:
    """Return the last answer on a concept, None where there is none or it was taken back."""
    table = store.answers
    rows = workspace.rows(sa.select(table).where(table.c.concept == key).order_by(table.c.n.desc()).limit(1))
    return rows[0] if rows and rows[0]["answer"] != "withdraw" else None


def answer(workspace: Workspace, key: str, said: str, reviewer: str, qid: str = "") -> None:
    """Append an answer and bring the Formula Concept Database in line with it, in one transaction.

    Raises ReviewError for an unknown answer, concept or reviewer, a QID that is none, or a concept answered by somebody else.
    """
    who = known_reviewer(workspace, reviewer)
    row = concept(workspace, key)
    if said not in ANSWERS:
        raise ReviewError(f"unknown answer {said!r}", where=key[:16], todo=f"known: {', '.join(ANSWERS)}")
    if (said == "item") != bool(qid) or (qid and not is_item_id(qid)):
        raise ReviewError(Message("error.no_qid", qid_given=qid), where=key[:16], todo=Message("todo.pick"))
    before = last_answer(workspace, key)
    if before is not None and before["reviewer"] != who:
        raise ReviewError(Message("error.answered", name=before["reviewer"]), where=key[:16])
    time = now()
    with workspace.engine.begin() as db:
        if before is not None and before["answer"] == "item":
            fcdb.record(db, _as_proposal(row, before["qid"]), _decision("withdraw", who, time))
        if said in ("item", "none", "no_concept"):
            verdict, reason = ("approve", "") if said == "item" else ("reject", "wrong_item")
            fcdb.record(db, _as_proposal(row, qid), _decision(verdict, who, time, reason))
        # The last statement: with it everything above is kept, or nothing is.
        values = {"concept": key, "answer": said, "qid": qid, "reviewer": who, "time": time}
        db.execute(store.answers.insert().values(**values))


def search(labels: Sequence[tuple[str, str, str]], asked: str, limit: int = 12) -> list[tuple[str, str, str]]:
    """Return the (QID, label, description) whose label or alias is like what was asked, the likest first."""
    from rapidfuzz import fuzz, process

    asked = asked.strip().casefold()
    if not asked:
        return []
    names = [name.casefold() for _, name, _ in labels]
    found: dict[str, tuple[str, str, str]] = {}
    for _, _score, at in process.extract(asked, names, scorer=fuzz.WRatio, limit=limit * 3, score_cutoff=60):
        found.setdefault(labels[at][0], labels[at])
        if len(found) == limit:
            break
    return list(found.values())


def labels(workspace: Workspace) -> list[tuple[str, str, str]]:
    """Return (QID, label or alias, description) of every item that the workspace knows."""
    rows = workspace.rows(sa.select(store.items.c.record))
    records = [row["record"] for row in rows if not row["record"].get("missing")]
    return [
        (r["qid"], name, r.get("description") or "")
        for r in records
        for name in (r.get("label"), *(r.get("aliases") or ()))
        if name
    ]


def labels_of(workspace: Workspace, qids: Sequence[str]) -> dict[str, str]:
    """Return the labels that the workspace knows of these items."""
    found: dict[str, str] = {}
    wanted = sorted(set(qids))
    for start in range(0, len(wanted), 400):
        part = wanted[start : start + 400]
        for row in workspace.rows(
            sa.select(store.items.c.qid, store.items.c.record).where(store.items.c.qid.in_(part))
        ):
            if label := row["record"].get("label"):
                found[row["qid"]] = label
    return found


def _open(workspace: Workspace) -> list[sa.ColumnElement[bool]]:
    concepts, matches, answers = store.concepts.c, store.matches.c, store.answers.c
    last = sa.select(sa.func.max(answers.n)).group_by(answers.concept)
    standing = sa.select(answers.concept).where(answers.n.in_(last), answers.answer != "withdraw")
    return [concepts.key.not_in(sa.select(matches.concept)), concepts.key.not_in(standing)]


def _as_proposal(row: Row, qid: str) -> Row:
    places = row["places"] or [("", 0)]
    quote = {"document": places[0][0], "position": places[0][1]}
    return {"concept": row["key"], "qid": qid, "tex": row["tex"], "quotes": [quote]}


def _decision(verdict: str, who: str, time: str, reason: str = "") -> Decision:
    return Decision(digest("answer", who, length=16), "", verdict, reason=reason, reviewer=who, time=time)
