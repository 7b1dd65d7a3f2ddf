"""Dimensions: a formula against the quantities that its symbols stand for, a quantity against its unit."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from bot.audit.formulas import closing
from bot.audit.survey import WikiSurvey, about, in_all, named
from bot.formula.quantities.dimensions import Dimension, agrees
from bot.formula.quantities.formula_symbols import symbol_of
from bot.match.symbols.symbol_items import stated_dimension
from bot.messages import Message
from bot.records import Finding, Item
from bot.settings import Properties


def dimensions(survey: WikiSurvey) -> Iterator[Finding]:
    """Formulas of which two parts that must be alike are of unlike dimension, by the quantities of their symbols."""
    ids, found = survey.client.wiki.properties, 0
    rows = survey.service.rows("audit_dimensions")
    quantities = survey.others({row["quantity"] for row in rows})
    for qid in dict.fromkeys(row["item"] for row in rows):
        item = survey.items.get(qid)
        if item is None or item.redirect:
            continue
        known = _symbols(item, ids, quantities)
        for statement in item.statements:
            if statement.property != ids.defining_formula or statement.rank == "deprecated" or not statement.value:
                continue
            if agrees(statement.value, known) is False:
                found += 1
                yield about(
                    "dimensions", "warning", Message("finding.dimensions"), item, statement.guid, statement.value
                )
    yield closing(survey, "dimensions", found)


def _symbols(item: Item, ids: Properties, quantities: Mapping[str, Item]) -> dict[str, Dimension]:
    """Return the dimension of each symbol by its keys; of a symbol with several quantities none."""
    found: dict[str, set[Dimension | None]] = {}
    for statement in item.statements:
        if statement.property != ids.in_defining_formula or statement.rank == "deprecated":
            continue
        read = symbol_of(statement.value) if statement.value else None
        for qid in (value for prop, value in statement.qualifiers if prop == ids.symbol_represents):
            quantity = item if qid == item.qid else quantities.get(qid)
            for key in read.keys if read else ():
                found.setdefault(key, set()).add(stated_dimension(quantity, ids) if quantity else None)
    return {key: known for key, one in found.items() if len(one) == 1 and (known := next(iter(one))) is not None}


def units(survey: WikiSurvey) -> Iterator[Finding]:
    """Quantities whose recommended unit measures quantities of other dimensions alone."""
    ids, found = survey.client.wiki.properties, 0
    measured: dict[tuple[str, str], set[str]] = {}
    for row in survey.service.rows("audit_units"):
        measured.setdefault((row["item"], row["unit"]), set()).add(row["measured"])
    every = {qid for pair in measured for qid in pair} | {qid for found in measured.values() for qid in found}
    items = survey.others(every)
    for (qid, unit), others in measured.items():
        own = stated_dimension(items[qid], ids)
        known = {other: stated_dimension(items[other], ids) for other in sorted(others)}
        if own is None or not known or any(each is None or each == own for each in known.values()):
            continue
        if unit not in {s.value for s in items[qid].statements if s.property == ids.recommended_unit}:
            continue
        found += 1
        other = next(iter(known))
        shown = {"unit": named(unit, items[unit].label), "other": named(other, items[other].label)}
        message = Message("finding.units", **shown)
        yield about("units", "warning", message, items[qid], unit)
    yield in_all("units", Message("closing.units", n=found, pairs=len(measured)))
