"""What each source of a proposal writes, compared with the formula that it would be a source of.

A reference that is added to an existing claim supports that claim only where its document writes the same formula.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from bot.formula import check, clean, compare
from bot.formula.features.sides import chain_equalities
from bot.messages import Message
from bot.propose.respelling import respelled
from bot.propose.trimming import stated
from bot.records import Proposal, Quote, Reference
from bot.result_cache import CachedFunction

TYPOGRAPHY = ("identical", "typographic")  # relations that need not be pointed out
_BY_SIMILARITY = ("identical", "typographic", "notation", "rearranged", "renamed", "variant", "different")


@dataclass(frozen=True, slots=True)
class SourceFormula:
    """The formula of one source; `reference` is the index of its reference in the proposal, -1 where it has none there."""

    document: str
    position: int
    title: str
    tex: str
    reference: int
    relation: str
    note: Message
    same_concept: bool
    differs: bool  # by more than typography


def source_formulas(proposal: Proposal) -> tuple[SourceFormula, ...]:
    """Return what each quoted source writes against the proposal's formula, in the order of the quotes; nothing of a symbol."""
    if proposal.kind == "symbol":
        return ()
    return formulas_of_quotes(proposal.quotes, proposal.references, proposal.tex)


def formulas_of_quotes(
    quotes: Sequence[Quote], references: Sequence[Reference], value: str
) -> tuple[SourceFormula, ...]:
    """Return what each quote's document writes, compared with `value`; a quote whose formula is not known is left out."""
    return tuple(_compared(quote, tex, references, value) for quote in quotes if (tex := quote.tex))


def reference_index(quote: Quote, references: Sequence[Reference]) -> int:
    """Return the index of the reference that names a quote's document, -1 where none does."""
    return next((n for n, r in enumerate(references) if quote.cited and r.snaks[0][2] == quote.cited), -1)


def least_similar(found: Sequence[SourceFormula]) -> SourceFormula | None:
    """Return the source whose formula is least similar to the claim's; None where no source is known."""
    return max(found, key=lambda each: (not each.same_concept, _BY_SIMILARITY.index(each.relation)), default=None)


def compared_tex(proposal: Proposal) -> str:
    """Return the formula to compare with the item's: the proposed one; for a reference alone the least similar one of the sources."""
    found = least_similar(source_formulas(proposal)) if proposal.kind == "add_reference" else None
    return respelled(clean(found.tex)) if found else proposal.tex


compared_with_claim = CachedFunction(compare)


def _compared(quote: Quote, tex: str, references: Sequence[Reference], value: str) -> SourceFormula:
    meant = respelled(clean(tex))
    found = compared_with_claim(meant, value)
    if found.relation not in TYPOGRAPHY:
        # What stands beside a formula, the other members of its chain, and signs that a wiki refuses make no other one.
        mended = check(meant).mended or meant
        beside = dict.fromkeys((mended, stated(mended), *chain_equalities(mended)))
        parts = (compared_with_claim(part, value) for part in beside if part != meant)
        found = next((part for part in parts if part.relation in TYPOGRAPHY), found)
    return SourceFormula(
        document=quote.document,
        position=quote.position,
        title=quote.title or quote.document,
        tex=tex,
        reference=reference_index(quote, references),
        relation=found.relation,
        note=found.message,
        same_concept=found.same_concept,
        differs=found.relation not in TYPOGRAPHY,
    )
