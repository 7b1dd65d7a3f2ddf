"""Recording decisions: appended, never updated, bound to the hash of what was shown."""

import dataclasses
import re
from collections.abc import Callable, Collection
from typing import Literal, get_args

import sqlalchemy as sa

from bot import hashchain, store
from bot.errors import AlreadyWritten, ReviewError, UnconfirmedEdit
from bot.formula import check, compare
from bot.messages import Message
from bot.propose.diff import SAME_FORMULA
from bot.propose.earlier_rows import spent_decisions
from bot.propose.stored_proposals import proposal_from_record
from bot.records import Decision, Edit, EditOutcome, Proposal, Reference, as_json, is_text
from bot.review import fcdb
from bot.review.people import SCRIPTED_ROLE, known_reviewer, reviewers
from bot.review.proposal_state import REHEARSAL, decision_of
from bot.store import Row, Workspace, now, to_record
from bot.wikibase import is_item_id

Verdict = Literal["approve", "reject", "close", "skip", "unsure", "withdraw"]
ReferenceVerdict = Literal["approve", "reject", "skip"]
VERDICTS = get_args(Verdict)
# Reasons to reject; the catalogues have their sentences as `page.reason_<reason>`.
REASONS = (
    "wrong_item", "not_defining", "wrong_formula", "special_case", "duplicate", "bad_source", "bad_tex", "needs_modelling",
)  # fmt: skip
# Reasons to close a proposal: nothing is to be written, without a verdict on formula and item.
CLOSINGS = ("by_hand", "item_wrong", "leave")
_DOLLAR = re.compile(r"(?<!\\)(?:\\\\)*\$")  # the wiki takes it, and shows it to readers


def decide(workspace: Workspace, decision: Decision, guard: Callable[[sa.Connection], None] | None = None) -> Decision:
    """Append a person's decision and return it with its time.

    `guard` runs first inside the transaction and may refuse by raising ReviewError.

    Raises ReviewError for an unknown reviewer, proposal, verdict or reason, a hash that is no longer the proposal's,
    an approval that leaves no reference, an edit that the wiki would refuse, a proposal that is already written, a
    withdrawal of what is not this person's last decision, and a script that decides outside of a rehearsal; UnconfirmedEdit for an edit to another formula without confirmation.
    """
    name = known_reviewer(workspace, decision.reviewer)
    role, rehearsal = reviewers(workspace)[name], bool(workspace.get("world"))
    if role == SCRIPTED_ROLE and not rehearsal:
        raise ReviewError("script_elsewhere", where=name)
    row = proposal_row(workspace, decision.proposal)
    proposal = row["record"]
    count = len(proposal_from_record(proposal, f"proposals {row['id']}").references)
    references = checked_reference_verdicts(decision, row, count)
    stored = dataclasses.replace(decision, proposal=row["id"], reviewer=name, references=references, time=now())
    with workspace.engine.begin() as db:
        hashchain.lock(db)
        if edits := _written_edits(db, row["id"]):
            raise AlreadyWritten(row["id"], edits)
        if guard is not None:
            guard(db)
        if stored.verdict == "withdraw":
            _check_own_last(db, stored)
        where = {"role": role, "wiki": REHEARSAL if rehearsal else ""}
        values = {**as_json(stored), "record": proposal, **where}
        key = db.execute(store.decisions.insert().values(**values)).inserted_primary_key
        fcdb.apply_decision(db, proposal, stored)
        if stored.verdict == "withdraw":
            _withdraw_other_items(db, row["id"])
        hashchain.note_decision(db, int(key[0]) if key else 0)
    return stored


def _check_own_last(db: sa.Connection, decision: Decision) -> None:
    """Refuse to withdraw another person's decision, or one withdrawn already."""
    table = store.decisions.c
    query = sa.select(table.reviewer, table.verdict).where(table.proposal == decision.proposal, table.verdict != "skip")
    last = db.execute(query.order_by(table.n.desc()).limit(1)).first()
    if last is None or last.reviewer != decision.reviewer or last.verdict == "withdraw":
        raise ReviewError("not_last", where=decision.proposal, todo="again")


def _withdraw_other_items(db: sa.Connection, proposal: str) -> None:
    """Take out what decisions on a proposal put into the queue for another item, unless somebody has decided on it."""
    decisions, table = store.decisions.c, store.proposals
    items = sa.select(decisions.about).where(decisions.proposal == proposal, decisions.about != "")
    found = db.execute(sa.select(table.c.id, table.c.record).where(table.c.qid.in_(items))).all()
    ids = [id_ for id_, record in found if record.get("instead_of") == proposal]
    undecided = ~sa.exists().where(decisions.proposal == table.c.id)
    db.execute(table.delete().where(table.c.id.in_(ids), undecided))


def same_earlier_decision(workspace: Workspace, decision: Decision) -> Decision | None:
    """Return this person's earlier decision of the same content, None where a new one would change something.

    It would, where somebody else has said otherwise since, or the edit that it led to was refused or undone.
    """
    table = store.decisions
    query = sa.select(table).where(table.c.proposal == decision.proposal, table.c.verdict != "skip")
    rows = workspace.rows(query.order_by(table.c.n))
    own = next((row for row in reversed(rows) if row["reviewer"] == decision.reviewer), None)
    if own is None or own["n"] <= max(spent_decisions(workspace, [decision.proposal]), default=0):
        return None
    earlier = decision_of(own)
    agreed = all(row["verdict"] == own["verdict"] for row in rows if row["n"] > own["n"])
    return earlier if agreed and is_same_decision(earlier, decision) else None


def is_same_decision(earlier: Decision, decision: Decision) -> bool:
    """Say whether a decision is what an earlier one of the same person on the same proposal said."""
    names = ("hash", "verdict", "reason", "tex", "edit_confirmed", "about")
    same = all((getattr(earlier, name) or "") == (getattr(decision, name) or "") for name in names)
    return same and earlier.references == _given_verdicts(decision, len(earlier.references))


def approved_references(decision: Decision, proposal: Proposal) -> tuple[Reference, ...]:
    """Return the references that the person accepted."""
    pairs = zip(decision.references, proposal.references, strict=False)
    return tuple(reference for verdict, reference in pairs if verdict == "approve")


def proposal_row(workspace: Workspace, proposal: str) -> Row:
    """Return a proposal's row by its id or an unambiguous beginning of it. Raises ReviewError."""
    if len(proposal) < 4:
        raise ReviewError("short_id", where=proposal)
    table = store.proposals
    found = workspace.rows(sa.select(table).where(table.c.id == proposal))  # whole ids come by the index
    found = found or workspace.rows(sa.select(table).where(table.c.id.startswith(proposal, autoescape=True)).limit(2))
    if not found:
        raise ReviewError("unknown_proposal", where=proposal, todo="list")
    if len(found) > 1:
        raise ReviewError("several_proposals", where=proposal, todo="longer_id")
    return found[0]


def checked_reference_verdicts(decision: Decision, row: Row, references: int) -> tuple[str, ...]:
    """Return the verdict on each reference of a decision that can hold for a proposal's row. Raises ReviewError."""
    texts = (decision.verdict, decision.reason, decision.tex, decision.about, decision.reviewer)
    if not is_text(decision.proposal, decision.hash, *texts, *decision.references):
        raise ReviewError("no_text", where=decision.proposal, todo="write_anew")
    _validate(decision, row)
    return _reference_verdicts(decision, references)


def check_one_of(allowed: Collection[str], value: str, code: str, where: str) -> None:
    """Raise ReviewError if the value is not one of those allowed."""
    if value not in allowed:
        raise ReviewError(Message(code, given=repr(value)), where=where, todo="known", known=", ".join(allowed))


def _validate(decision: Decision, row: Row) -> None:
    where = decision.proposal
    check_one_of(VERDICTS, decision.verdict, "error.verdict", where)
    if decision.hash != row["hash"]:
        raise ReviewError("changed", where=where, todo="again")
    if decision.verdict in ("reject", "close"):
        check_one_of(REASONS if decision.verdict == "reject" else CLOSINGS, decision.reason, "error.reason", where)
    _validate_about(decision, str(row.get("record", row)["qid"]))
    if decision.verdict != "approve":
        return
    if row["kind"] == "flag":
        raise ReviewError("flagged", where=where, todo="by_hand")
    if row["expires"] < now()[:10]:
        raise ReviewError("expired", where=where, todo="propose")
    if decision.tex and (why := check(decision.tex).message):
        raise ReviewError("refused", why=why, where=where)
    if decision.tex and (shown := shown_dollars(decision.tex)):
        raise ReviewError(shown, where=where)
    if decision.tex and row["kind"] in ("add_reference", "symbol"):
        raise ReviewError("uneditable", where=where)
    if decision.tex and needs_confirmation(row.get("record", row)["tex"], decision.tex):
        if not decision.edit_confirmed:
            raise UnconfirmedEdit("edit_unconfirmed", where=where, todo="confirm_edit")
        if not decision.references:
            raise UnconfirmedEdit("edit_without_reference", where=where)


def _validate_about(decision: Decision, qid: str) -> None:
    """Refuse what a decision cannot be about; a change by hand is closed with the revision in which it was seen."""
    about, kind = decision.about, (decision.verdict, decision.reason)
    why = Message("error.about", about=about[:80])
    if kind == ("reject", "wrong_item"):
        good = not about or (is_item_id(about) and about != qid)
        why = Message("error.same_item", qid=qid) if about == qid else Message("error.no_qid", qid_given=about[:80])
    elif kind == ("close", "by_hand"):
        good = about.isdecimal() and int(about) > 0
    elif kind == ("close", "item_wrong"):
        good = about.upper().startswith(f"{qid}$")
    else:
        good = not about
    if not good:
        raise ReviewError(why, where=decision.proposal)


def shown_dollars(tex: str) -> Message | None:
    """Return what is said of an edited formula in dollar signs, which are around it in documents and no part of it."""
    return Message("error.dollars") if _DOLLAR.search(tex) else None


def needs_confirmation(proposed: str, edited: str) -> bool:
    """Say whether an edited formula needs a second confirmation: it differs from the proposed one in more than notation."""
    found = compare(proposed, edited)
    return not (found.relation in SAME_FORMULA and found.same_concept)


def _given_verdicts(decision: Decision, count: int) -> tuple[str, ...]:
    """Return the verdicts on the references; where none are given they follow the claim's."""
    return decision.references or (decision.verdict if decision.verdict in ("approve", "reject") else "skip",) * count


def _reference_verdicts(decision: Decision, count: int) -> tuple[str, ...]:
    verdicts = _given_verdicts(decision, count)
    if len(verdicts) != count or not set(verdicts) <= {"approve", "reject", "skip"}:
        raise ReviewError("reference_verdicts", n=count, where=decision.proposal)
    if decision.verdict == "approve" and "approve" not in verdicts:
        raise ReviewError("no_reference", where=decision.proposal)
    return tuple(verdicts)


def _written_edits(db: sa.Connection, proposal: str) -> list[Edit]:
    edits = store.edits
    query = sa.select(edits).where(
        edits.c.proposal == proposal, edits.c.outcome.in_((EditOutcome.WRITTEN, EditOutcome.PENDING))
    )
    rows = db.execute(query.where(~store.is_undone()).order_by(edits.c.n)).mappings()
    return [to_record(Edit, dict(row), f"edits {row['n']}") for row in rows]
