"""What items say about the symbols of their formula: their dimensions, and what of them the page for readers shows."""

from collections.abc import Iterable, Iterator, Mapping

from bot.audit.formulas import with_closing_line
from bot.audit.survey import WikiSurvey, closing_finding, item_text, make_finding
from bot.errors import FormulaError
from bot.formula import identifiers, parse, tokens
from bot.formula.quantities.dimensions import Dimension, has_balanced_dimensions
from bot.formula.quantities.formula_symbols import symbol_of
from bot.match.symbols.symbol_items import stated_dimension
from bot.messages import Message
from bot.propose.reader_page import element, reader_page
from bot.records import Finding, Item, Severity
from bot.settings import Properties


@with_closing_line
def dimensions(survey: WikiSurvey) -> Iterator[Finding]:
    """Formulas of which two parts that must be alike are of unlike dimension, by the quantities of their symbols."""
    ids = survey.client.wiki.properties
    rows = survey.service.rows("audit_dimensions")
    quantities = survey.items_without_formula({row["quantity"] for row in rows})
    for item in _referenced_items(survey, rows):
        dimension_of = _symbols(item, ids, quantities)
        for statement in item.live_statements(ids.defining_formula):
            if has_balanced_dimensions(statement.value, dimension_of) is False:
                message = Message("finding.dimensions")
                yield make_finding("dimensions", "warning", message, item, statement.guid, statement.value)


def _referenced_items(survey: WikiSurvey, rows: Iterable[Mapping[str, str]]) -> Iterator[Item]:
    """Yield the items of an answer that have a formula and are not merged, each once."""
    found = (survey.items.get(qid) for qid in dict.fromkeys(row["item"] for row in rows))
    return (item for item in found if item is not None and not item.redirect)


def _symbols(item: Item, ids: Properties, quantities: Mapping[str, Item]) -> dict[str, Dimension]:
    """Return the dimension of each symbol by its keys; of a symbol with several quantities none."""
    found: dict[str, set[Dimension | None]] = {}
    for statement in item.live_statements(ids.in_defining_formula):
        read = symbol_of(statement.value)
        for qid in (value for prop, value in statement.qualifiers if prop == ids.symbol_represents):
            quantity = item if qid == item.qid else quantities.get(qid)
            for key in read.keys if read else ():
                found.setdefault(key, set()).add(stated_dimension(quantity, ids) if quantity else None)
    return {
        key: dimension for key, one in found.items() if len(one) == 1 and (dimension := next(iter(one))) is not None
    }


def units(survey: WikiSurvey) -> Iterator[Finding]:
    """Quantities whose recommended unit measures quantities of other dimensions alone."""
    ids, found = survey.client.wiki.properties, 0
    measured: dict[tuple[str, str], set[str]] = {}
    for row in survey.service.rows("audit_units"):
        measured.setdefault((row["item"], row["unit"]), set()).add(row["measured"])
    every = {qid for pair in measured for qid in pair} | {qid for found in measured.values() for qid in found}
    items = survey.items_without_formula(every)
    for (qid, unit), others in measured.items():
        own = stated_dimension(items[qid], ids)
        dimension_of = {other: stated_dimension(items[other], ids) for other in sorted(others)}
        if own is None or not dimension_of or any(each is None or each == own for each in dimension_of.values()):
            continue
        if unit not in {s.value for s in items[qid].statements if s.property == ids.recommended_unit}:
            continue
        found += 1
        other = next(iter(dimension_of))
        values = {"unit": item_text(unit, items[unit].label), "other": item_text(other, items[other].label)}
        message = Message("finding.units", **values)
        yield make_finding("units", "warning", message, items[qid], unit)
    yield closing_finding("units", Message("closing.units", n=found, pairs=len(measured)))


@with_closing_line
def symbols(survey: WikiSurvey) -> Iterator[Finding]:
    """Symbols that no formula of their item contains."""
    ids = survey.client.wiki.properties
    listed = {row["item"] for row in survey.service.rows("audit_symbols")}
    for item in survey.items.values():
        formulas = item.live_statements(ids.defining_formula)
        if item.redirect or not formulas or item.qid not in listed:
            continue
        for statement in item.live_statements(ids.in_defining_formula):
            if not any(_occurs_in(statement.value, f.value) for f in formulas):
                message = Message("finding.symbols.part", symbol=statement.value)
                yield make_finding("symbols", "warning", message, item, statement.guid, *(f.value for f in formulas))
        own = item.live_statements(ids.quantity_symbol)
        if own and not any(_occurs_in(s.value, f.value) for s in own for f in formulas):
            message = Message("finding.symbols.own", symbols=", ".join(s.value for s in own))
            yield make_finding("symbols", "info", message, item, own[0].guid, *(f.value for f in formulas))


def _occurs_in(symbol: str, formula: str) -> bool:
    """Tell whether a formula contains a symbol, or at least its letters; True where either has no tree."""
    try:
        parse(formula)
        parse(symbol)
    except FormulaError:
        return True
    symbol_tokens, formula_tokens = tokens(symbol), tokens(formula)
    if any(
        formula_tokens[i : i + len(symbol_tokens)] == symbol_tokens
        for i in range(len(formula_tokens) - len(symbol_tokens) + 1)
    ):
        return True
    letters = identifiers(symbol)
    return set(letters) <= set(identifiers(formula)) if letters else set(symbol_tokens) <= set(formula_tokens)


@with_closing_line
def hidden_symbols(survey: WikiSurvey) -> Iterator[Finding]:
    """Symbols of the formula that readers do not see because the item has parts."""
    ids = survey.client.wiki.properties
    for item in _referenced_items(survey, survey.service.rows("audit_hidden_symbols")):
        stated = {pair for s in item.live_statements(ids.in_defining_formula) if (pair := element(s, ids)) is not None}
        hidden = sorted(stated - set(reader_page(item, ids).parts))
        if hidden and any(s.property == ids.has_part for s in item.statements):
            message = Message("finding.hidden_symbols", symbols=", ".join(symbol for symbol, _ in hidden))
            formulas = (s.value for s in item.live_statements(ids.defining_formula))
            yield make_finding("hidden_symbols", "warning", message, item, "", *formulas)


@with_closing_line
def shown_first(survey: WikiSurvey) -> Iterator[Finding]:
    """Items whose page shows readers a formula that is not the best-ranked one."""
    ids = survey.client.wiki.properties
    for item in _referenced_items(survey, survey.service.rows("audit_shown_first")):
        if (displayed := reader_page(item, ids).formula) is None:
            continue
        ranks = [s.rank for s in item.statements if s.property == ids.defining_formula and s.value]
        best = "preferred" if "preferred" in ranks else "normal"
        if displayed.rank != best and best in ranks:
            severity: Severity = "error" if displayed.rank == "deprecated" else "warning"
            message = Message(f"finding.shown_first.{displayed.rank}")
            yield make_finding("shown_first", severity, message, item, displayed.guid, displayed.value)
