"""The symbols of a proposal's formula as a reviewer sees them: each with its meaning, its item and the sentence that says so.

Where a symbol is a proposal of its own, it is decided on in the card of its formula.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

import sqlalchemy as sa
from markupsafe import Markup

from bot import store
from bot.formula import mathml
from bot.formula.quantities.formula_symbols import formula_symbols
from bot.match.symbols.symbol_rows import SymbolRow, symbols_in, symbols_of_concepts
from bot.propose.cards import item_url
from bot.propose.reader_page import reader_page, stated_symbols
from bot.propose.stored_proposals import proposal_from_record
from bot.records import Item, Proposal, Statement
from bot.review.answers import labels_of
from bot.review.proposal_answers import stored_item
from bot.review.proposal_state import State, state_on_day, statuses, today
from bot.settings import Properties, Wiki
from bot.store import Workspace

# Of 92 symbols that people annotated and items state, the items say the same of 81 (MathMLben, AnnoMathTeX, our own formulas).
STATED_PROBABILITY = 0.88
_FORMULA = re.compile(r"\$([^$]*)\$")


@dataclass(frozen=True, slots=True)
class ShownSymbol:
    """A row of `export symbols`, drawn; `pieces` of the sentence are (whether it is a formula, text or drawing)."""

    row: StatedSymbolRow
    drawn: Markup
    link: str
    pieces: tuple[tuple[bool, str | Markup], ...]


class StatedSymbolRow(SymbolRow):
    """`stated` is the item that this symbol represents by the item's own statements, "" where it has none of it."""

    stated: str


def symbols_of_proposal(workspace: Workspace, proposal: Proposal, ids: Properties) -> list[StatedSymbolRow]:
    """Return what the symbols of the proposed formula mean, in the order in which they stand there.

    Where the corpus does not tell the item of a symbol, the statements of the formula's item do.
    """
    rows = symbols_of_concepts(workspace, [proposal.concept]).get(proposal.concept, [])
    row_of = {symbol.keys: row for symbol, row in symbols_in(proposal.tex, rows)}
    stated = stated_symbols(stored_item(workspace, proposal.qid), ids)
    labels = labels_of(workspace, [qid for _, qid in stated.values()])
    found = []
    for symbol in formula_symbols(proposal.tex):
        qid = next((stated[key][1] for key in symbol.keys if key in stated), "")
        row = row_of.get(symbol.keys)
        if row is None and qid:
            row = SymbolRow(
                document="", position=-1, tex=proposal.tex, symbol=symbol.tex, meaning=labels.get(qid, qid), qid="",
                label="", quantity="", probability=STATED_PROBABILITY, sentence="", agrees=None,
            )  # fmt: skip
        if row is not None:
            stated_row = StatedSymbolRow(**row, stated=qid)
            if not row["qid"]:
                stated_row |= {"qid": qid, "label": labels.get(qid, "")}
            found.append(stated_row)
    return found


@dataclass(frozen=True, slots=True)
class ProposedSymbol:
    """A symbol that is proposed, with its state; `decided` is the number of decisions on it, skips aside."""

    proposal: Proposal
    represents: str
    label: str  # of the item that it represents
    state: State
    decided: int
    drawn: Markup
    link: str

    @property
    def meaning(self) -> str:
        return self.proposal.quotes[0].name if self.proposal.quotes else ""


def proposed_symbols(workspace: Workspace, wiki: Wiki, formula: Proposal) -> tuple[ProposedSymbol, ...]:
    """Return the symbols that are proposed with a formula, in the order in which they stand there."""
    table = store.proposals.c
    query = sa.select(table.id, table.record).where(table.qid == formula.qid, table.kind == "symbol")
    rows = workspace.rows(query.order_by(table.id)) if formula.kind != "symbol" else []
    found = [proposal_from_record(row["record"], f"proposals {row['id']}") for row in rows]
    found = sorted((each for each in found if each.claim == formula.id), key=lambda each: each.formula.find(each.tex))
    status_of = statuses(workspace, [each.id for each in found])
    meanings = symbols_of_concepts(workspace, [formula.concept]).get(formula.concept, []) if found else []
    labels = {row["qid"]: row["label"] for row in meanings}
    labels |= labels_of(workspace, [qid for each in found for _, _, qid in each.qualifiers])
    proposed, day = [], today()
    for each in found:
        ((_, _, qid),) = each.qualifiers
        status = status_of[each.id]
        state = state_on_day(status.state, each.expires, day)
        drawn, link = Markup(mathml(each.tex)), item_url(wiki, qid)
        proposed.append(ProposedSymbol(each, qid, labels.get(qid, ""), state, status.number, drawn, link))
    return tuple(proposed)


@dataclass(frozen=True, slots=True)
class ReadersView:
    """Special:MathWikibase once all of this is approved: a formula, and (symbol, item, its label, whether it is new) of its parts.

    `hidden`: readers see the item's “has part” statements instead of what is proposed.
    """

    drawn: Markup
    parts: tuple[tuple[Markup, str, str, bool], ...]
    hidden: bool


def readers_view(
    workspace: Workspace, wiki: Wiki, item: Item, formula: Proposal, proposed: Sequence[ProposedSymbol]
) -> ReadersView | None:
    """Return what readers would see, None where no symbol is proposed."""
    ids = wiki.properties
    wanted = [each for each in proposed if each.state not in (State.REJECTED, State.WRITTEN)]
    if not proposed:
        return None
    new = [Statement("", ids.defining_formula, formula.tex)] if formula.kind == "new_claim" else []
    for each in wanted:
        qualifiers = ((ids.symbol_represents, each.represents),)
        new.append(Statement("", ids.in_defining_formula, each.proposal.tex, qualifiers=qualifiers))
    page = reader_page(replace(item, statements=(*item.statements, *new)), ids)
    labels = {each.represents: each.label for each in proposed}
    labels |= labels_of(workspace, [qid for _, qid in page.parts])
    added = {(each.proposal.tex, each.represents) for each in wanted}
    return ReadersView(
        drawn=Markup(mathml(page.formula.value if page.formula else formula.tex, display=True)),
        parts=tuple((Markup(mathml(s)), qid, labels.get(qid) or qid, (s, qid) in added) for s, qid in page.parts),
        hidden=any(s.property == ids.has_part for s in item.statements),
    )


def symbols_shown(workspace: Workspace, wiki: Wiki, proposal: Proposal) -> tuple[ShownSymbol, ...]:
    """Return the same as it is shown."""
    return tuple(
        ShownSymbol(
            row, Markup(mathml(row["symbol"])), row["qid"] and item_url(wiki, row["qid"]), _pieces(row["sentence"])
        )
        for row in symbols_of_proposal(workspace, proposal, wiki.properties)
    )


def _pieces(sentence: str) -> tuple[tuple[bool, str | Markup], ...]:
    return tuple(
        (bool(i % 2), Markup(mathml(text)) if i % 2 else text)
        for i, text in enumerate(_FORMULA.split(sentence))
        if text
    )
