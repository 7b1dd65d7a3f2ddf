"""What items say about the symbols of their formula, and what of it the page for readers shows."""

from __future__ import annotations

from collections.abc import Iterator

from bot.audit.formulas import closing
from bot.audit.survey import WikiSurvey, about
from bot.errors import FormulaError
from bot.messages import Message
from bot.propose.reader_page import element, reader_page
from bot.records import Finding, Item, Severity, Statement


def symbols(survey: WikiSurvey) -> Iterator[Finding]:
    """Symbols that stand in no formula of their item."""
    ids, found = survey.client.wiki.properties, 0
    listed = {row["item"] for row in survey.service.rows("audit_symbols")}
    for item in survey.items.values():
        formulas = _live(item, ids.defining_formula)
        if item.redirect or not formulas or item.qid not in listed:
            continue
        for statement in _live(item, ids.in_defining_formula):
            if not any(_stands_in(statement.value, f.value) for f in formulas):
                found += 1
                message = Message("finding.symbols.part", symbol=statement.value)
                yield about("symbols", "warning", message, item, statement.guid, *(f.value for f in formulas))
        own = _live(item, ids.quantity_symbol)
        if own and not any(_stands_in(s.value, f.value) for s in own for f in formulas):
            found += 1
            message = Message("finding.symbols.own", symbols=", ".join(s.value for s in own))
            yield about("symbols", "info", message, item, own[0].guid, *(f.value for f in formulas))
    yield closing(survey, "symbols", found)


def _live(item: Item, property_id: str) -> list[Statement]:
    return [s for s in item.statements if s.property == property_id and s.value and s.rank != "deprecated"]


def _stands_in(symbol: str, formula: str) -> bool:
    """Say whether a symbol stands in a formula; also where only its letters do, and where either has no tree."""
    from bot.formula import identifiers, parse, tokens

    try:
        parse(formula)
        parse(symbol)
    except FormulaError:
        return True
    wanted, there = tokens(symbol), tokens(formula)
    if any(there[i : i + len(wanted)] == wanted for i in range(len(there) - len(wanted) + 1)):
        return True
    letters = identifiers(symbol)
    return set(letters) <= set(identifiers(formula)) if letters else set(wanted) <= set(there)


def hidden_symbols(survey: WikiSurvey) -> Iterator[Finding]:
    """Symbols of the formula that readers do not see because the item has parts."""
    ids, found = survey.client.wiki.properties, 0
    for qid in dict.fromkeys(row["item"] for row in survey.service.rows("audit_hidden_symbols")):
        item = survey.items.get(qid)
        if item is None or item.redirect:
            continue
        meant = {pair for s in _live(item, ids.in_defining_formula) if (pair := element(s, ids)) is not None}
        hidden = sorted(meant - set(reader_page(item, ids).parts))
        if hidden and any(s.property == ids.has_part for s in item.statements):
            found += 1
            message = Message("finding.hidden_symbols", symbols=", ".join(symbol for symbol, _ in hidden))
            formulas = (s.value for s in _live(item, ids.defining_formula))
            yield about("hidden_symbols", "warning", message, item, "", *formulas)
    yield closing(survey, "hidden_symbols", found)


def shown_first(survey: WikiSurvey) -> Iterator[Finding]:
    """Items whose page shows readers a formula that is not the best-ranked one."""
    ids, found = survey.client.wiki.properties, 0
    for qid in dict.fromkeys(row["item"] for row in survey.service.rows("audit_shown_first")):
        item = survey.items.get(qid)
        shown = reader_page(item, ids).formula if item and not item.redirect else None
        if item is None or shown is None:
            continue
        ranks = [s.rank for s in item.statements if s.property == ids.defining_formula and s.value]
        best = "preferred" if "preferred" in ranks else "normal"
        if shown.rank != best and best in ranks:
            found += 1
            severity: Severity = "error" if shown.rank == "deprecated" else "warning"
            message = Message(f"finding.shown_first.{shown.rank}")
            yield about("shown_first", severity, message, item, shown.guid, shown.value)
    yield closing(survey, "shown_first", found)
