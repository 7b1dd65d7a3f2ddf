"""The symbols of a proposal's formula as a reviewer sees them: each with its meaning, its item and the sentence that says so."""

from __future__ import annotations

import re
from dataclasses import dataclass

from markupsafe import Markup

from bot.formula import mathml
from bot.match.symbols.symbol_rows import SymbolRow, symbols_in, symbols_of_concepts
from bot.propose.cards import page
from bot.records import Proposal
from bot.settings import Wiki
from bot.store import Workspace

_FORMULA = re.compile(r"\$([^$]*)\$")


@dataclass(frozen=True, slots=True)
class ShownSymbol:
    """A row of `export symbols`, drawn; `pieces` of the sentence are (whether it is a formula, text or drawing)."""

    row: SymbolRow
    drawn: Markup
    link: str
    pieces: tuple[tuple[bool, str | Markup], ...]


def symbols_of_proposal(workspace: Workspace, proposal: Proposal) -> list[SymbolRow]:
    """Return what the symbols of the proposed formula mean, in the order in which they stand there."""
    rows = symbols_of_concepts(workspace, [proposal.concept]).get(proposal.concept, [])
    return [row for _, row in symbols_in(proposal.tex, rows)]


def symbols_shown(workspace: Workspace, wiki: Wiki, proposal: Proposal) -> tuple[ShownSymbol, ...]:
    """Return the same as it is shown."""
    return tuple(
        ShownSymbol(
            row, Markup(mathml(row["symbol"])), page(wiki, row["qid"]) if row["qid"] else "", _pieces(row["sentence"])
        )
        for row in symbols_of_proposal(workspace, proposal)
    )


def _pieces(sentence: str) -> tuple[tuple[bool, str | Markup], ...]:
    return tuple(
        (bool(i % 2), Markup(mathml(text)) if i % 2 else text)
        for i, text in enumerate(_FORMULA.split(sentence))
        if text
    )
