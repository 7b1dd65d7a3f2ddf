"""One edit of a plan, the plan, and what the rows of the ledger say of an entry."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from bot.lookup.entities import snak_value
from bot.messages import Message, uncoded_message
from bot.propose import own_claims
from bot.records import Edit, EditOutcome
from bot.wikibase import Json
from bot.write import ledger

_NO_REASON = uncoded_message("")


@dataclass(frozen=True, slots=True)
class PlanEntry:
    """One decision of a plan. `payload` is a whole claim, or one reference for the standing `statement`."""

    proposal: str
    hash: str
    decision: int
    reviewer: str
    qid: str
    kind: str  # new_claim, add_reference, symbol, or already_there: nothing is left to send
    statement: str  # GUID, made here for a new claim
    payload: Json
    revision: int
    before: dict[str, str]  # fingerprint of every statement of the item
    standing: tuple[str, ...]  # the TeX that the item has already, with ranks, for a person to read
    summary: str
    label: str = ""
    about: str = ""  # for a source: the TeX of the statement that gets it; for a symbol: the TeX of its formula
    # for a claim: its references, which are sent alone if somebody else adds the formula first
    otherwise: tuple[Json, ...] = ()
    otherwise_summary: str = ""
    edited_from: str = ""  # the TeX that was proposed, where the reviewer edited it
    # Why this is sent and not what was planned first; a plan has none yet.
    because: Message | None = field(default=None, metadata={"stored": False})

    @property
    def adds_claim(self) -> bool:
        """Say whether it makes a statement, and not a source of one."""
        return self.kind in ("new_claim", "symbol")

    @property
    def formula(self) -> str:
        """Return the TeX of the formula that a claim or a symbol is about, an empty string for others."""
        if self.kind == "new_claim":
            return snak_value(self.payload["mainsnak"])
        return self.about if self.adds_claim else ""

    @property
    def edit_note(self) -> Message | None:
        """Return who edited the proposed formula and how; None where nobody did."""
        if not self.edited_from:
            return None
        to = snak_value(self.payload["mainsnak"]) if "mainsnak" in self.payload else self.about
        return Message("remark.edited", name=self.reviewer, before=self.edited_from, after=to)


@dataclass(frozen=True, slots=True)
class Plan:
    id: str
    wiki: str
    group: str
    entries: tuple[PlanEntry, ...]
    refused: tuple[tuple[str, Message], ...]  # (proposal, why): back to review
    created: str = ""

    @property
    def number_of_edits(self) -> int:
        """How many edits the plan would send."""
        return number_of_edits(self.entries)


@dataclass(frozen=True, slots=True)
class EntryOutcome:
    """The outcome of an entry; `row` is its ledger row, None where the entry was never started."""

    outcome: EditOutcome | None = None  # None where it has no final one yet
    reason: Message = _NO_REASON
    row: Edit | None = None
    attempts: int = 0
    source_only: bool = False


def batches(entries: Iterable[PlanEntry]) -> list[list[PlanEntry]]:
    """Return the entries edit by edit: a formula with its approved symbols, or the symbols of a formula that stands, are one."""
    found: list[list[PlanEntry]] = []
    for entry in entries:
        first = found[-1][0] if found else entry
        along = entry.kind == "symbol" and first.adds_claim and first.qid == entry.qid
        if found and along and own_claims.is_same_value(first.formula, entry.formula):
            found[-1].append(entry)
        else:
            found.append([entry])
    return found


def number_of_edits(entries: Iterable[PlanEntry]) -> int:
    """Return how many edits would send these entries."""
    return sum(batch[0].kind != "already_there" for batch in batches(entries))


def is_attempt_of(row: Edit, entry: PlanEntry) -> bool:
    """Say whether a ledger row of the same decision is about this entry as it was planned."""
    return row.guid == entry.statement and row.payload == entry.payload


def is_source_attempt_of(row: Edit, entry: PlanEntry) -> bool:
    """Say whether a ledger row of the same decision is about a source of it alone, on the statement of another."""
    return row.guid != entry.statement and row.payload in entry.otherwise


def outcome_of(entry: PlanEntry, rows: Iterable[Edit]) -> EntryOutcome:
    """Return the outcome of an entry by the ledger rows of its decision."""
    attempts = [row for row in rows if is_attempt_of(row, entry) or is_source_attempt_of(row, entry)]
    count = len(attempts)
    own = next((row for row in attempts if is_attempt_of(row, entry) and row.outcome in ledger.FINAL), None)
    if own:
        return EntryOutcome(own.outcome, own.explanation, own, count)
    parts = [row for row in attempts if is_source_attempt_of(row, entry)]
    ended = [row for row in parts if row.outcome in ledger.FINAL]
    # One that was refused ends them all.
    for outcome in (EditOutcome.REFUSED, EditOutcome.WRITTEN, EditOutcome.ALREADY_THERE):
        telling = next((row for row in ended if row.outcome == outcome), None)
        whole = outcome is EditOutcome.REFUSED or all(any(p == row.payload for row in ended) for p in entry.otherwise)
        if telling and whole:
            return EntryOutcome(outcome, telling.explanation, telling, count, source_only=True)
    last = attempts[-1] if attempts else None
    return EntryOutcome(None, last.explanation if last else _NO_REASON, last, count, source_only=bool(parts))
