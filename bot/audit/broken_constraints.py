"""The property's own constraints, as the wiki states them today, against every formula statement."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from bot.audit.formulas import closing
from bot.audit.survey import WikiSurvey, about, in_all
from bot.messages import Message
from bot.records import Finding, Item, Statement
from bot.settings import Properties


@dataclass
class StatedConstraint:
    """One constraint statement: what each of its qualifiers names."""

    kind: str
    named: dict[str, set[str]] = field(default_factory=dict)  # column of the query -> values

    def of(self, column: str) -> set[str]:
        return self.named.get(column, set())


def constraints(survey: WikiSurvey) -> Iterator[Finding]:
    """Statements and items that break a constraint of the property; kinds that are not looked at are named."""
    ids, found = survey.client.wiki.properties, 0
    stated: dict[str, StatedConstraint] = {}
    for row in survey.service.rows("audit_constraints"):
        one = stated.setdefault(row["statement"], StatedConstraint(row["kind"]))
        for column, value in row.items():
            if value and column not in ("statement", "kind"):
                one.named.setdefault(column, set()).add(value)
    checks = {
        ids.format_constraint: _format,
        ids.distinct_values_constraint: _distinct,
        ids.single_value_constraint: _single,
        ids.single_best_value_constraint: _single_best,
        ids.citation_constraint: _citation,
        ids.subject_type_constraint: _subject_type,
    }
    unread = sorted({one.kind for one in stated.values() if one.kind not in checks})
    for one in stated.values():
        check = checks.get(one.kind)
        for item, guid, message, formulas in check(survey, one, ids) if check else ():
            if item.qid not in one.of("exception"):
                found += 1
                yield about("constraints", "warning", message, item, guid, *formulas)
    if unread:
        yield in_all("constraints", Message("closing.constraints_unread", n=len(unread), kinds=", ".join(unread)))
    yield closing(survey, "constraints", found)


Broken = Iterator[tuple[Item, str, Message, tuple[str, ...]]]


def _format(survey: WikiSurvey, one: StatedConstraint, ids: Properties) -> Broken:
    for pattern in sorted(one.of("pattern")):
        try:
            compiled = re.compile(pattern)
        except re.error:
            continue  # the wiki's patterns are PCRE, and a few are no Python
        for item, s in survey.formulas:
            if not compiled.fullmatch(s.value):
                yield item, s.guid, Message("finding.constraints.format", code_pattern=pattern), (s.value,)


def _distinct(survey: WikiSurvey, one: StatedConstraint, ids: Properties) -> Broken:
    by_value: dict[str, list[tuple[Item, Statement]]] = {}
    for item, s in survey.formulas:
        by_value.setdefault(s.value, []).append((item, s))
    for group in by_value.values():
        qids = list(dict.fromkeys(item.qid for item, _ in group))
        for item, s in group if len(qids) > 1 else ():
            others = ", ".join(qid for qid in qids if qid != item.qid)
            yield item, s.guid, Message("finding.constraints.distinct", items=others), (s.value,)


def _single(survey: WikiSurvey, one: StatedConstraint, ids: Properties) -> Broken:
    for item, values in _by_item(survey):
        if len(values) > 1:
            yield item, "", Message("finding.constraints.single", n=len(values)), tuple(s.value for s in values)


def _single_best(survey: WikiSurvey, one: StatedConstraint, ids: Properties) -> Broken:
    for item, values in _by_item(survey):
        best = [s for s in values if s.rank == "preferred"] or values
        if len(best) > 1:
            yield item, "", Message("finding.constraints.single_best", n=len(best)), tuple(s.value for s in best)


def _citation(survey: WikiSurvey, one: StatedConstraint, ids: Properties) -> Broken:
    for item, s in survey.formulas:
        if not s.references:
            yield item, s.guid, Message("finding.constraints.citation"), (s.value,)


def _subject_type(survey: WikiSurvey, one: StatedConstraint, ids: Properties) -> Broken:
    """An item has to be an instance of, a subclass of, or either of one of the classes, over any number of steps."""
    wanted, relations = sorted(one.of("class")), one.of("relation")
    if not wanted:
        return
    held = {item.qid: _types(item, relations, ids) for item, _ in survey.formulas}
    classes = sorted({c for found in held.values() for c in found})
    rows = survey.service.rows("audit_class_paths", classes=classes, wanted=wanted) if classes else []
    right = {row["class"] for row in rows} | set(wanted)
    for item, values in _by_item(survey):
        if item.qid not in right and right.isdisjoint(held[item.qid]):
            yield item, "", Message("finding.constraints.type"), tuple(s.value for s in values)


def _types(item: Item, relations: set[str], ids: Properties) -> set[str]:
    above = {s.value for s in item.statements if s.property == ids.subclass_of and s.value and s.rank != "deprecated"}
    if ids.relation_either in relations:
        return above | set(item.classes)
    return above if ids.relation_subclass in relations else set(item.classes)


def _by_item(survey: WikiSurvey) -> Iterator[tuple[Item, list[Statement]]]:
    found: dict[str, tuple[Item, list[Statement]]] = {}
    for item, s in survey.formulas:
        found.setdefault(item.qid, (item, []))[1].append(s)
    yield from found.values()
