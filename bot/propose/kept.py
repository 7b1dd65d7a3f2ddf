"""What was decided stays as it was shown: an approval while the corpus supports it, a rejection until there is something new."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from bot.propose.checks import Case
from bot.propose.earlier import EarlierRow
from bot.propose.references import missing
from bot.propose.select import Suggestion
from bot.records import Proposal
from bot.settings import Properties


def spelt_as_approved(entry: Suggestion, row: EarlierRow | None, spellings: Collection[str]) -> Suggestion:
    """Return the entry in the spelling that was approved, where the corpus still has it: a more frequent one is no change."""
    if row is None or row.shown is None or not row.waits or row.shown.kind != "new_claim":
        return entry
    return replace(entry, tex=row.shown.tex) if row.shown.tex in spellings else entry


def holds(row: EarlierRow, proposal: Proposal, case: Case, properties: Properties) -> bool:
    """Say whether the decision on a row holds for what this run would propose, so that the row stays as it was shown.

    An approval holds for the same claim while each approved source supports it, whatever sources come in beside them.
    A rejection of a source holds until another one is found, a rejection of a spelling until there is another one.
    """
    shown = row.shown
    if shown is None or not row.verdict:
        return False
    if row.verdict == "approve":
        same = _content(shown) == _content(proposal)
        cited = [*(c.reference for quote, c in case.cited if c.reference and quote.where), *case.given]
        return same and not missing(row.accepted, cited, properties)
    if row.reason == "bad_source":
        return not proposal.references
    return row.reason == "bad_tex" and shown.tex == proposal.tex


def _content(proposal: Proposal) -> tuple[object, ...]:
    return proposal.kind, proposal.statement, proposal.tex, proposal.beside
