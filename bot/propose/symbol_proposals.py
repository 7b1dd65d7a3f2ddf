"""What the symbols of a proposed formula represent, as proposals of their own: “in defining formula” with “symbol represents”.

Built formulas + what matching found of their symbols -> one proposal for each symbol that is new to the item, has an item
of its own and a sentence in a document that can be cited. As on the wiki, the symbol is the value and what it represents a qualifier.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import date, timedelta

import sqlalchemy as sa

from bot import store
from bot.formula import check
from bot.formula.quantities.formula_symbols import FormulaSymbol
from bot.match.symbols.symbol_rows import SymbolRow, symbols_in, symbols_of_concepts
from bot.messages import Message
from bot.propose.build import BuildResult, ProposalContext, recomputed_hash
from bot.propose.reader_page import stated_symbols
from bot.propose.references import Citation, cite
from bot.records import Item, Proposal, Quote, digest
from bot.settings import Properties, Settings
from bot.store import Workspace

_FORMULA = re.compile(r"\$([^$]*)\$")


def symbol_proposals(
    workspace: Workspace, built: Iterable[BuildResult], context: ProposalContext, settings: Settings, today: date
) -> list[Proposal]:
    """Return the symbols of all formulas that are proposed or were written; none where the settings do not ask for them.

    An item says once what a symbol represents: of several formulas with it the likeliest counts.
    """
    if not settings.proposing.symbols:
        return []
    formulas = [each for each in map(_formula, built) if each is not None]
    rows = symbols_of_concepts(workspace, [proposal.concept for proposal, _, _ in formulas])
    expires = {row["id"]: row["expires"] for row in _stored(workspace)}
    renewed = (today + timedelta(days=settings.proposing.expires_days)).isoformat()
    found: dict[tuple[str, str], Proposal] = {}
    for proposal, item, tex in sorted(formulas, key=lambda each: -each[0].probability):
        for new in _symbols(proposal, item, tex, rows.get(proposal.concept, ()), context, settings, today):
            expiry = expires.get(new.id, "")
            new = replace(new, expires=expiry if expiry >= today.isoformat() else renewed)
            found.setdefault((item.qid, new.tex), new)
    return list(found.values())


def withdrawn_symbols(workspace: Workspace, proposals: Iterable[Proposal]) -> set[str]:
    """Return the ids of symbols of earlier runs that this run does not propose."""
    return {row["id"] for row in _stored(workspace)} - {proposal.id for proposal in proposals}


def _stored(workspace: Workspace) -> list[store.Row]:
    table = store.proposals.c
    return workspace.rows(sa.select(table.id, table.expires).where(table.kind == "symbol"))


def _formula(built: BuildResult) -> tuple[Proposal, Item, str] | None:
    """Return the proposal of a formula that is or would be on the item, and the TeX that it has there."""
    written = built.row if built.row and built.row.written and built.reason_for_nothing else None
    proposal = built.proposal or (written.proposal if written else None)
    if proposal is None or proposal.kind == "flag" or proposal.claim:
        return None
    statement = built.case.difference.statement if built.case else None
    return proposal, built.item, statement.value if statement and built.case and built.case.is_on_item else proposal.tex


def _symbols(
    proposal: Proposal,
    item: Item,
    tex: str,
    rows: Iterable[SymbolRow],
    context: ProposalContext,
    settings: Settings,
    today: date,
) -> Iterator[Proposal]:
    ids = settings.wiki.properties
    for symbol, row in symbols_in(tex, rows):
        if (
            not row["qid"]
            or not row["sentence"]
            or not check(symbol.tex).valid
            or _is_stated(symbol, row["qid"], item, ids)
        ):
            continue
        citation = _citation(row, item, context, settings, today)
        if citation is None or citation.reference is None:
            continue
        document = context.documents[row["document"]]
        pieces = _FORMULA.split(row["sentence"])
        quote = Quote(
            document=document.id,
            position=row["position"],
            window="".join(f"⟦{i // 2}⟧" if i % 2 else text for i, text in enumerate(pieces)),
            name=row["meaning"],
            title=document.title,
            url=document.url,
            formulas=tuple(enumerate(pieces[1::2])),
            where="sentence",
            cited=citation.reference.snaks[0][2],
        )
        new = Proposal(
            id=digest("symbol", item.qid, ids.in_defining_formula, symbol.tex, row["qid"], length=16),
            kind="symbol",
            qid=item.qid,
            property=ids.in_defining_formula,
            tex=symbol.tex,
            references=(citation.reference,),
            evidence=(),
            checks=(),
            probability=row["probability"],
            base_revision=item.revision,
            hash="",
            expires="",
            concept=proposal.concept,
            quotes=(quote,),
            claim=proposal.id,
            qualifiers=((ids.symbol_represents, "wikibase-item", row["qid"]),),
            formula=tex,
        )
        yield replace(new, hash=recomputed_hash(new))


def _is_stated(symbol: FormulaSymbol, qid: str, item: Item, ids: Properties) -> bool:
    """Say whether the item says already what this symbol represents, or which symbol represents this."""
    stated = stated_symbols(item, ids)
    return not stated.keys().isdisjoint(symbol.keys) or any(of == qid for _, of in stated.values())


def _citation(row: SymbolRow, item: Item, context: ProposalContext, settings: Settings, today: date) -> Citation | None:
    document = context.documents.get(row["document"])
    if document is None:
        return None
    day = context.read_on.get(document.id) or today.isoformat()
    no = {**context.unsuitable, item.qid: Message("unsuitable.itself")}
    return cite(document, settings.wiki.properties, settings.proposing, day, no)
