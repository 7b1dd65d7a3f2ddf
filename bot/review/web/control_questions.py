"""Control questions: proposals that are wrong on purpose, to measure attention. They live in a table of their own and can never be written."""

import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import replace

import sqlalchemy as sa

from bot import store
from bot.errors import ReviewError
from bot.formula import compare
from bot.propose.stored_proposals import proposal_from_record
from bot.records import Decision, Proposal, as_json, digest
from bot.review.decide import checked_reference_verdicts
from bot.review.web.queue_index import QueueEntry, indexed, with_frequency
from bot.store import Row, Workspace, now

NUMBER_KEPT = 60  # kept in stock


def ensure_made(workspace: Workspace) -> None:
    """Make them where there are none yet; a database that is busy gets them the next time."""
    with contextlib.suppress(sa.exc.OperationalError):
        if not workspace.rows(sa.select(store.control_questions.c.id)):
            make_questions(workspace, NUMBER_KEPT)


def make_questions(workspace: Workspace, number: int) -> int:
    """Fill the table with up to `number` formulas under items that they do not belong to; return how many there are now.

    A formula is borrowed from another proposal, so that sentence and source look as they always do.
    """
    existing = workspace.count(store.control_questions)
    if existing >= number:
        return existing
    table = store.proposals
    query = sa.select(table.c.record).where(table.c.kind == "new_claim").order_by(table.c.id).limit(number * 6)
    found = [proposal_from_record(row["record"]) for row in workspace.rows(query)]
    rows = [{"id": each.id, "record": as_json(each)} for each in with_wrong_items(found)][:number]
    with workspace.engine.begin() as db:
        db.execute(store.control_questions.delete())
        if rows:
            db.execute(store.control_questions.insert(), rows)
    return len(rows)


def with_wrong_items(proposals: Sequence[Proposal]) -> Iterator[Proposal]:
    """Yield proposals whose formula and sentences are those of another item."""
    half = max(1, len(proposals) // 2)
    for n, one in enumerate(proposals):
        other = proposals[(n + half) % len(proposals)]
        if other.qid == one.qid or compare(one.tex, other.tex).relation != "different":
            continue
        question_id = digest("proposal", one.qid, one.property, "known wrong", other.tex, length=16)
        runners = tuple(each for each in other.runners_up if each[0] != one.qid)
        yield replace(
            one, id=question_id, tex=other.tex, quotes=other.quotes, hash=digest(question_id, other.tex), concept=other.concept, runners_up=runners
        )  # fmt: skip


def record_of(workspace: Workspace, id_: str) -> Row | None:
    """Return the record of a control question, or None where the id is none."""
    rows = workspace.rows(sa.select(store.control_questions.c.record).where(store.control_questions.c.id == id_))
    return rows[0]["record"] if rows else None


def row_of(workspace: Workspace, record: Row) -> QueueEntry:
    """Return the entry that a control question would have in the queue: nothing in it tells what it is."""
    items, concepts = store.items.c, store.concepts.c
    item = workspace.rows(sa.select(items.record).where(items.qid == record["qid"]))
    frequency = workspace.rows(sa.select(concepts.occurrences).where(concepts.key == record["concept"]))
    label = item[0]["record"].get("label") or "" if item else ""
    return with_frequency(indexed(record, label).entry, frequency[0]["occurrences"] if frequency else 0)


def due_question(workspace: Workspace, who: str, share: float) -> str:
    """Return a control question if it is time for one, by how much this person has decided; else an empty string."""
    attention, decisions = store.attention, store.decisions
    with workspace.engine.connect() as db:
        answered = set(db.scalars(sa.select(attention.c.question).where(attention.c.reviewer == who)))
        decided = db.scalar(sa.select(sa.func.count()).select_from(decisions).where(decisions.c.reviewer == who)) or 0
        if len(answered) >= (decided + len(answered) + 1) * share:
            return ""
        # A draw that cannot be predicted from the count, and that stays the same until the next decision.
        if int(digest("due", who, decided, len(answered), length=4), 16) / 2**16 > max(0.3, share):
            return ""
        left = store.control_questions.c.id
        return str(db.scalar(sa.select(left).where(left.not_in(answered)).order_by(left).limit(1)) or "")


def record_answer(workspace: Workspace, record: Row, decision: Decision) -> bool | None:
    """Keep a decision on a control question and return whether it was noticed; a skip says nothing.

    Raises ReviewError where a decision on any other proposal would be refused, and for a second one: by then they know.
    """
    checked_reference_verdicts(decision, record, len(record["references"]))
    attention = store.attention
    before = sa.select(attention.c.n).where(
        attention.c.question == decision.proposal, attention.c.reviewer == decision.reviewer
    )
    if decision.verdict == "withdraw" or workspace.rows(before.where(attention.c.verdict != "skip")):
        raise ReviewError("control_question", where=decision.proposal, todo="go_on")
    values = {"question": decision.proposal, "reviewer": decision.reviewer, "verdict": decision.verdict, "time": now()}
    workspace.change(attention.insert().values(**values))
    return None if decision.verdict == "skip" else decision.verdict != "approve"
