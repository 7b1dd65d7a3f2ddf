"""What a page shows of one proposal, of an item, of an edited formula. Values in, values out; nothing is recorded here."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from markupsafe import Markup

from bot.discover import occurrences_of
from bot.formula import Comparison, check, compare, mathml
from bot.messages import Message
from bot.propose import cards
from bot.propose.diff import ExistingClaim
from bot.propose.quotes import formula_numbers
from bot.records import Item, Proposal, Quote
from bot.review.decide import needs_confirmation, shown_dollars
from bot.review.symbols_shown import ShownSymbol, symbols_shown
from bot.review.workspace_cards import workspace_card
from bot.settings import Wiki
from bot.store import Workspace


@dataclass(frozen=True, slots=True)
class StatementLine:
    """A statement of the item as readers see it, before or after; `new` and the new references are marked."""

    formula: cards.ShownFormula
    rank: str
    references: tuple[tuple[cards.Snak, ...], ...]
    added: tuple[tuple[cards.Snak, ...], ...] = ()
    new: bool = False


@dataclass(frozen=True, slots=True)
class ProposalView:
    """Everything that the page of a proposal shows."""

    card: cards.Card
    item: Item
    before: tuple[StatementLine, ...]
    after: tuple[StatementLine, ...]
    symbols: tuple[ShownSymbol, ...]


@dataclass(frozen=True, slots=True)
class Preview:
    """An edited formula: drawn, whether the wiki takes it, and how it is related to the proposed one."""

    drawn: Markup
    valid: bool
    why: Message | None
    mended: str
    relation: str
    note: Message | None
    same: bool
    confirm: bool  # it differs in more than notation, and an approval has to confirm it (the field `edit_confirmed`)
    pieces: tuple[cards.DifferenceRun, ...]


def proposal_view(workspace: Workspace, wiki: Wiki, proposal: Proposal) -> ProposalView:
    """Return what is shown of a proposal, from the workspace alone."""
    shown_card, item, existing = workspace_card(workspace, wiki, proposal)
    before = tuple(StatementLine(t.formula, t.rank, t.references) for t in shown_card.existing_claims)
    after = _statements_after(before, existing, proposal, shown_card)
    return ProposalView(shown_card, item, before, after, symbols_shown(workspace, wiki, proposal))


def passages_of(
    workspace: Workspace, places: Sequence[tuple[str, int]]
) -> list[tuple[str, tuple[tuple[str, str | Markup], ...]]]:
    """Return (document, pieces) of the passages at these (document, position) places, as the workspace keeps them."""
    found = [o for o in occurrences_of(workspace, places) if o.window]
    around = {(o.document, p) for o in found for p in formula_numbers(o.window)}
    tex = {(o.document, o.position): o.tex for o in occurrences_of(workspace, list(around))}
    passages = []
    for o in found:
        inside = tuple((p, tex[o.document, p]) for p in formula_numbers(o.window) if (o.document, p) in tex)
        passages.append((o.document, cards.shown_pieces(Quote(o.document, o.position, o.window, formulas=inside))))
    return passages


def edit_preview(proposed: str, edited: str) -> Preview:
    """Return what an edited formula looks like and what is to be said about it."""
    edited = edited[:4000]
    verdict, found = check(edited), _compared(proposed, edited)
    why = verdict.message or shown_dollars(edited)
    return Preview(
        drawn=Markup(mathml(edited, display=True)),
        valid=why is None,
        why=why,
        mended=verdict.mended,
        relation=found.relation,
        note=found.message if found.level else None,
        same=found.same_concept,
        confirm=needs_confirmation(proposed, edited),
        pieces=cards.marked_differences(proposed, edited),
    )


@lru_cache(maxsize=8192)
def _compared(a: str, b: str) -> Comparison:
    return compare(a, b)


def _statements_after(
    before: Sequence[StatementLine], existing: Sequence[ExistingClaim], proposal: Proposal, shown_card: cards.Card
) -> tuple[StatementLine, ...]:
    if proposal.kind == "flag":
        return tuple(before)
    if proposal.kind == "new_claim":
        return (
            *before,
            StatementLine(cards.drawn_formula(proposal.tex), "normal", (), shown_card.references, new=True),
        )
    guids = [s.statement.guid for s in existing]
    return tuple(
        StatementLine(line.formula, line.rank, line.references, shown_card.references)
        if guid == proposal.statement
        else line
        for guid, line in zip(guids, before, strict=True)
    )


def statements_of(item: Item, wiki: Wiki) -> list[StatementLine]:
    """Return the formula statements of an item as readers see them."""
    return [
        StatementLine(cards.drawn_formula(s.value), s.rank, tuple(cards.snaks(r, wiki, {}) for r in s.references))
        for s in item.statements
        if s.property == wiki.properties.defining_formula and s.snaktype == "value"
    ]
