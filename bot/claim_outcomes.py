"""What other editors made of the claims and references that we wrote, as the last audit found it in the workspace.

None of these is a person's decision: they stand beside the ledger and under no hash chain. A removal that somebody reverts
counts no more once an audit has seen it.
"""

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

import sqlalchemy as sa

from bot import store
from bot.records import EditOutcome
from bot.store import Row, Workspace

SURVIVED_AFTER = timedelta(days=30)  # the last age of the survival audit
NEGATIVE_VERDICTS = ("removed", "deprecated", "corrected")  # verdicts of editors who disagree with formula and item


@dataclass(frozen=True, slots=True)
class ClaimOutcome:
    """The outcome of one edit. `verdict`: one of NEGATIVE_VERDICTS; unsourced, where a reference of ours was removed; stood,
    where an audit found it 30 days later; "" where it is too early to tell or says nothing, as on a deleted item.
    """

    edit: int
    proposal: str
    qid: str
    concept: str
    tex: str  # of the claim, "" for a reference
    verdict: str
    probability: float | None  # as it was proposed
    documents: tuple[str, ...]  # that the approved references are of, or that name the item where there is no reference
    user: str = ""
    day: str = ""  # ISO date of the removal, or of the audit that noticed it
    revision: int = 0
    comment: str = ""  # the editor's summary
    instead: str = ""  # the value that stands now, where the verdict is corrected


def claim_outcomes(workspace: Workspace) -> list[ClaimOutcome]:
    """Return the outcome of every edit that was written, not taken back by us and looked at by an audit, oldest first."""
    edits, states, decisions = store.edits, store.edit_states, store.decisions
    joined = edits.join(states, states.c.edit == edits.c.n).outerjoin(decisions, decisions.c.n == edits.c.decision)
    columns = (edits.c.n, edits.c.proposal, edits.c.qid, edits.c.payload, edits.c.time, *states.c)
    query = sa.select(*columns, decisions.c.record, decisions.c.references).select_from(joined)
    query = query.where(edits.c.outcome == EditOutcome.WRITTEN, ~store.is_undone()).order_by(edits.c.n)
    return [_outcome(row) for row in workspace.rows(query)]


def removed_by_document(workspace: Workspace) -> dict[str, tuple[int, int]]:
    """Return for each document of which others removed, deprecated or corrected edits: how many, of how many that rest on it."""
    removed, written = Counter[str](), Counter[str]()
    for each in claim_outcomes(workspace):
        written.update(each.documents)
        removed.update(each.documents if each.verdict in (*NEGATIVE_VERDICTS, "unsourced") else ())
    return {document: (removed[document], n) for document, n in written.items() if removed[document]}


def wilson_interval(good: int, all_: int, z: float = 1.96) -> tuple[float, float]:
    """Return Wilson's score interval for a share; (0, 1) where nothing is known."""
    if not all_:
        return 0.0, 1.0
    p, weight = good / all_, 1 + z * z / all_
    middle = (p + z * z / (2 * all_)) / weight
    half = z * math.sqrt(p * (1 - p) / all_ + z * z / (4 * all_ * all_)) / weight
    return max(0.0, middle - half), min(1.0, middle + half)


def _outcome(row: Row) -> ClaimOutcome:
    record: Row = row["record"] or {}
    snak = (row["payload"] or {}).get("mainsnak") or {}
    return ClaimOutcome(
        edit=row["n"],
        proposal=row["proposal"],
        qid=row["qid"],
        concept=record.get("concept", ""),
        tex=(snak.get("datavalue") or {}).get("value", ""),
        verdict=_verdict(row, bool(snak)),
        probability=record.get("probability"),
        documents=_documents(record, row["references"] or ()),
        user=row["user"],
        day=(row["changed"] or row["seen"])[:10],
        revision=row["revision"],
        comment=row["comment"] or "",
        instead=row["instead"] or "",
    )


def _verdict(row: Mapping[str, str], claim: bool) -> str:
    state = row["state"]
    if state == "changed":
        return "corrected" if row["instead"] else "unsourced"
    if state in ("removed", "deprecated"):
        return state if claim else "unsourced" if state == "removed" else ""
    checked, written = datetime.fromisoformat(row["seen"]), datetime.fromisoformat(row["time"])
    return "stood" if state != "deleted" and checked - written >= SURVIVED_AFTER else ""


def _documents(record: Row, verdicts: Iterable[str]) -> tuple[str, ...]:
    references = record.get("references") or ()
    decided = tuple(verdicts) or ("approve",) * len(references)
    pairs = zip(references, decided, strict=False)
    approved = {snak[2] for one, verdict in pairs if verdict == "approve" for snak in one["snaks"]}
    quotes = record.get("quotes") or ()
    cited = [quote["document"] for quote in quotes if quote.get("cited") in approved]
    return tuple(dict.fromkeys(cited or [quote["document"] for quote in quotes if quote.get("where")]))
