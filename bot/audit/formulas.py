"""What is wrong with formulas on the wiki, whoever wrote them: no source, on two items, several in one, invalid."""

from __future__ import annotations

from collections.abc import Iterator

from bot.audit.survey import WikiSurvey, count, in_all, of_item
from bot.errors import FormulaError
from bot.lookup import same
from bot.records import Finding, Item
from bot.review.exports import wrong_statements
from bot.wikibase import item_number

_EQUAL = frozenset("= ≡ := ≈ ≃ ≅ ∼ ∝ ≜ ≐".split())


def unreferenced(survey: WikiSurvey) -> Iterator[Finding]:
    """Formulas that name no source."""
    found = 0
    for item, statement in survey.formulas:
        if not statement.references:
            found += 1
            what = "its formula names no source"
            yield of_item("unreferenced", item, "warning", what, statement.guid, statement.value)
    yield in_all("unreferenced", f"{count(found, 'formula')} without a source, {_looked_at(survey)}")


def wrong(survey: WikiSurvey) -> Iterator[Finding]:
    """Formulas that a reviewer says are wrong, while they are on the wiki."""
    said, found = wrong_statements(survey.workspace), 0
    for item, statement in survey.formulas if said else ():
        if statement.guid in said:
            found += 1
            what = "a reviewer says that this formula of the item is wrong"
            yield of_item("wrong", item, "warning", what, statement.guid, statement.value)
    yield in_all("wrong", f"{count(found, 'formula')} of {len(said)} that reviewers say are wrong still there")


def shared_formula(survey: WikiSurvey) -> Iterator[Finding]:
    """The same formula, up to notation, on more than one item; one finding for each formula."""
    shared = 0
    for group in same.by_key(survey.formulas, "K2").values():
        items = list({item.qid: item for item, _ in group}.values())
        if len(items) < 2:
            continue
        shared += 1
        first, *others = sorted(items, key=_number)
        ways = tuple(dict.fromkeys(statement.value for _, statement in group))
        if len(ways) == 1:
            likeness = "letter for letter"
        else:
            likeness = "typed differently" if len(same.by_key(group, "K1")) == 1 else "in another notation"
        what = f"its formula stands on {' and '.join(_named(i) for i in others)} too, {likeness}"
        evidence = "; ".join(f"{i.qid} {s.value}" for i, s in sorted(group, key=lambda pair: _number(pair[0])))
        yield of_item("shared_formula", first, "warning", what, evidence, *ways)
    yield in_all("shared_formula", f"{count(shared, 'formula')} on several items, {_looked_at(survey)}")


def several_equations(survey: WikiSurvey) -> Iterator[Finding]:
    """One value that states several equations, where each should be a statement of its own."""
    found = 0
    for item, statement in survey.formulas:
        n = equations(statement.value)
        if n > 1:
            found += 1
            what = f"one value holds {n} equations"
            yield of_item("several_equations", item, "warning", what, statement.guid, statement.value)
    yield in_all("several_equations", f"{count(found, 'value')} with several equations, {_looked_at(survey)}")


def equations(tex: str) -> int:
    """Return how many equations a value states. An inequality or a membership beside one is taken for its condition."""
    from bot.formula import parse
    from bot.formula.tex.nodes import Relation

    try:
        stated = parse(tex).equations
    except FormulaError:
        return 0
    return sum(node.__class__ is Relation and not _EQUAL.isdisjoint(node.signs) for node in stated)


def invalid(survey: WikiSurvey) -> Iterator[Finding]:
    """Values that the wiki would refuse if they were written today, by our own grammar, with a mend where there is one."""
    from bot.formula import check

    found = 0
    for item, statement in survey.formulas:
        verdict = check(statement.value)
        if verdict.valid:
            continue
        found += 1
        mend = f"; the same without the fault: {verdict.mended}" if verdict.mended else ""
        what = f"its formula would be refused today: {verdict.why}"
        yield of_item("invalid", item, "error", what, f"{statement.guid}{mend}", statement.value)
    yield in_all("invalid", f"{count(found, 'value')} invalid or over-long, {_looked_at(survey)}")


def refused(survey: WikiSurvey) -> Iterator[Finding]:
    """The same question put to the wiki itself, fifty values a request: only when asked for by name."""
    verdicts = survey.client.parse_math((statement.value for _, statement in survey.formulas), fresh=True)
    found = 0
    for (item, statement), verdict in zip(survey.formulas, verdicts, strict=True):
        if not verdict.valid:
            found += 1
            what = f"the wiki refuses its formula today: {verdict.why}"
            yield of_item("refused", item, "error", what, statement.guid, statement.value)
    yield in_all("refused", f"{count(found, 'value')} refused by the wiki, {_looked_at(survey)}")


def _looked_at(survey: WikiSurvey) -> str:
    seen = f"{count(len(survey.formulas), 'formula')} on {count(len(survey.items), 'item')} looked at"
    return f"{seen}, {survey.unlisted:,} of them not listed by the query service" if survey.unlisted else seen


def _named(item: Item) -> str:
    return f"{item.qid} ({item.label})" if item.label else item.qid


def _number(item: Item) -> int:
    return item_number(item.qid)
