"""Problems of formulas on the wiki, by any author: shared, contradicting, several in one, invalid, of a wrong class, against a constraint of the property."""

import html
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import wraps
from itertools import combinations

from bot.audit.survey import FormulaStatement, WikiSurvey, closing_finding, item_text, make_finding
from bot.errors import FormulaError
from bot.formula import check, compare, keys, parse
from bot.formula.tex.nodes import Relation
from bot.messages import Message
from bot.records import Finding, Item, Statement
from bot.review.exports import wrong_statements
from bot.settings import Properties
from bot.wikibase import MAX_CHARACTERS, item_number

_EQUAL = frozenset("= ≡ := ≈ ≃ ≅ ∼ ∝ ≜ ≐".split())
# What a dump of the query service or a copied page leaves in a value: an entity of HTML, a tag, the wrapper of rendered pages.
# <x> and <p> are averages as often as tags, so that a tag of one letter counts only with its end.
_ESCAPED = re.compile(
    r"&(?:[a-z]{2,8}|#\d{1,6}|#x[0-9a-f]{1,5});"
    r"|</?(?:su[bp]|ref|math|br|span|nowiki|small|big|code|div|font|em|strong|tt|var|chem)(?:\s[^<>]*)?/?>|</[a-z]>",
    re.IGNORECASE,
)
_WRAPPED = re.compile(r"\{\\displaystyle\b.*\}", re.DOTALL)
# The part behind is a condition of the equation: after a word such as “for”, or in brackets at the end.
_CONDITION = re.compile(
    r"[,;{\s\\]*\\(?:text\w*|mbox|mathrm|rm|operatorname)\s*\{*[\\,;\s]*"
    r"(?:at|where|for|if|when|with|given|provided|such that|on|in|für|wo|wobei|mit|bei|falls|wenn|avec|où|si|pour)\b.*"
    r"|\\q?quad\s*\((?=[^()]*=)[^()]*\)\W*\Z",
    re.DOTALL,
)
_MAX_ITEMS_NAMED = 12  # items that a finding names
Violations = Iterator[tuple[Item, str, Message, tuple[str, ...]]]


def scope_message(survey: WikiSurvey) -> Message:
    """Return how many formulas an audit checked."""
    counts = {
        "formulas": Message("count.formulas", n=len(survey.formulas)),
        "items": Message("count.items", n=len(survey.items)),
    }
    if survey.unlisted:
        return Message("closing.looked_unlisted", **counts, unlisted=survey.unlisted)
    return Message("closing.looked", **counts)


AuditOfFormulas = Callable[[WikiSurvey], Iterator[Finding]]


def with_closing_line(audit: AuditOfFormulas) -> AuditOfFormulas:
    """Let an audit of formulas end with how many it found among how many."""

    @wraps(audit)
    def whole(survey: WikiSurvey) -> Iterator[Finding]:
        found = 0
        for found, finding in enumerate(audit(survey), 1):  # noqa: B007  # the last number counts
            yield finding
        yield closing_line(survey, audit.__name__, found)

    return whole


def closing_line(survey: WikiSurvey, audit: str, found: int) -> Finding:
    """Return the last line of an audit of formulas: how many were found among how many."""
    return closing_finding(audit, Message(f"closing.{audit}", n=found, looked=scope_message(survey)))


def wrong(survey: WikiSurvey) -> Iterator[Finding]:
    """Formulas that a reviewer says are wrong, while they are on the wiki."""
    judged_wrong, found = wrong_statements(survey.workspace), 0
    for item, statement in survey.formulas if judged_wrong else ():
        if statement.guid in judged_wrong:
            found += 1
            yield make_finding("wrong", "warning", Message("finding.wrong"), item, statement.guid, statement.value)
    yield closing_finding("wrong", Message("closing.wrong", n=found, said=len(judged_wrong)))


@with_closing_line
def shared_formula(survey: WikiSurvey) -> Iterator[Finding]:
    """The same formula, up to notation, on more than one item; one finding for each formula.

    Items that say how they belong together (part of, has part, said to be the same, subclass of) share it rightly.
    """
    related = _related(survey)
    for group in statements_by_key(survey.formulas, "K2").values():
        items = sorted({item.qid: item for item, _ in group}.values(), key=_item_number)
        first, *others = _unrelated(items, related)
        if not others:
            continue
        ways = tuple(dict.fromkeys(statement.value for _, statement in group))
        if len(ways) == 1:
            likeness = "letters"
        else:
            likeness = "typing" if len(statements_by_key(group, "K1")) == 1 else "notation"
        evidence = "; ".join(f"{i.qid} {s.value}" for i, s in sorted(group, key=lambda pair: _item_number(pair[0])))
        names = " and ".join(item_text(i.qid, i.label) for i in others[:_MAX_ITEMS_NAMED])
        message = Message(f"finding.shared_formula.{likeness}", items=names)
        yield make_finding("shared_formula", "warning", message, first, evidence, *ways)


def statements_by_key(statements: Iterable[FormulaStatement], level: str) -> dict[str, list[FormulaStatement]]:
    """Group formula statements by their key at a level (K0 to K6); a formula that has no tree stands alone."""
    groups: dict[str, list[FormulaStatement]] = {}
    for item, statement in statements:
        try:
            key = keys(statement.value).at(level)
        except FormulaError:
            key = f"\0{statement.guid}"
        groups.setdefault(key, []).append((item, statement))
    return groups


def _related(survey: WikiSurvey) -> frozenset[frozenset[str]]:
    ids = survey.client.wiki.properties
    relations = {ids.part_of, ids.has_part, ids.same_as, ids.subclass_of}
    return frozenset(
        frozenset((item.qid, s.value))
        for item in survey.items.values()
        for s in item.live_statements(*relations)
        if s.value in survey.items
    ) | {frozenset((row["item"], row["other"])) for row in survey.service.rows("audit_related_items")}


def _unrelated(items: list[Item], related: frozenset[frozenset[str]]) -> list[Item]:
    """Return one item for each set of items that belong together by what they say."""
    earlier: list[Item] = []
    parts: list[set[str]] = []
    for item in items:
        group = {item.qid}
        joined = [part for part in parts if any(frozenset((item.qid, other)) in related for other in part)]
        for part in joined:
            group |= part
            parts.remove(part)
        parts.append(group)
        earlier.append(item)
    return sorted((min((i for i in earlier if i.qid in part), key=_item_number) for part in parts), key=_item_number)


@with_closing_line
def contradicting(survey: WikiSurvey) -> Iterator[Finding]:
    """Two formulas of one item of which the one is a near miss of the other: by a sign, an exponent, a factor."""
    for item, values in _formulas_by_item(survey):
        for one, other in combinations(values, 2):
            if differs := compare(one.value, other.value).differs:
                message, both = Message("finding.contradicting", differs=differs), f"{one.guid}; {other.guid}"
                yield make_finding("contradicting", "warning", message, item, both, one.value, other.value)


def _formulas_by_item(survey: WikiSurvey) -> Iterator[tuple[Item, list[Statement]]]:
    """Yield the items that show readers several formulas: the preferred ones where there are any."""
    for item, values in _by_item(survey):
        best = [s for s in values if s.rank == "preferred"] or values
        if len(best) > 1:
            yield item, best


@with_closing_line
def several_equations(survey: WikiSurvey) -> Iterator[Finding]:
    """One value that states several equations, where each should be a statement of its own."""
    for item, statement in survey.formulas:
        if (n := equations(statement.value)) > 1:
            message = Message("finding.several_equations", n=n)
            yield make_finding("several_equations", "warning", message, item, statement.guid, statement.value)


def equations(tex: str) -> int:
    """Return how many equations a value states; inequalities, memberships and what follows “where” or “at” are conditions."""
    try:
        stated = parse(tex).equations
        if len(stated) > 1 and (without_condition := _CONDITION.sub("", tex, count=1)) != tex:
            stated = parse(without_condition).equations
    except FormulaError:
        return 0
    return sum(node.__class__ is Relation and not _EQUAL.isdisjoint(node.signs) for node in stated)


@with_closing_line
def invalid(survey: WikiSurvey) -> Iterator[Finding]:
    """Values that the wiki would refuse if they were written today, over-long ones, and what was copied from HTML."""
    for item, statement in survey.formulas:
        if message := _validity_error(statement.value):
            yield make_finding(
                "invalid", "error", message, item, f"{statement.guid}{_repaired(statement.value)}", statement.value
            )


def _validity_error(tex: str) -> Message | None:
    if escaped := _ESCAPED.search(tex):
        return Message("finding.invalid.escaped", what=escaped[0])
    verdict = check(tex)
    if len(tex) > MAX_CHARACTERS:
        return Message("finding.invalid.long", size=len(tex), most=MAX_CHARACTERS)
    if not verdict.valid:
        return Message("finding.invalid.grammar", why=verdict.why)
    if _WRAPPED.fullmatch(tex.strip()):
        return Message("finding.invalid.wrapped")
    return None


def _repaired(tex: str) -> str:
    """Return the same value without the fault, where that is valid, as a part of the evidence."""
    plain = html.unescape(tex)
    verdict = check(plain)
    mended = plain if plain != tex and verdict.valid else verdict.mended
    return f"; the same without the fault: {mended}" if mended else ""


@with_closing_line
def refused(survey: WikiSurvey) -> Iterator[Finding]:
    """The same question put to the wiki itself, fifty values a request: only when asked for by name."""
    verdicts = survey.client.parse_math((statement.value for _, statement in survey.formulas), fresh=True)
    for (item, statement), verdict in zip(survey.formulas, verdicts, strict=True):
        if not verdict.valid:
            message = Message("finding.refused", why=verdict.why)
            yield make_finding("refused", "error", message, item, statement.guid, statement.value)


@with_closing_line
def wrong_class(survey: WikiSurvey) -> Iterator[Finding]:
    """Formulas on items of a class that no formula defines: people, articles, lists, disambiguation pages."""
    classes = survey.settings.proposing.implausible_classes
    rows = survey.service.rows("audit_wrong_class", classes=classes)
    wrong: dict[str, list[str]] = {}
    for row in rows:
        wrong.setdefault(row["item"], []).append(row["class"])
    # The item's class is read again: the query service may be behind.
    items = {qid: survey.items[qid] for qid in wrong if qid in survey.items}
    superclasses = survey.client.classes_of({c for item in items.values() for c in item.classes})
    labels = survey.client.labels_of({qid for found in wrong.values() for qid in found})
    for qid, item in items.items():
        holding = {c for own in item.classes for c in (own, *superclasses[own])}
        matching = [c for c in wrong[qid] if c in holding]
        formulas = [s for i, s in survey.formulas if i.qid == qid]
        if matching and formulas:
            message = Message("finding.wrong_class", what=item_text(matching[0], labels.get(matching[0], "")))
            values = (s.value for s in formulas)
            yield make_finding("wrong_class", "warning", message, item, "; ".join(s.guid for s in formulas), *values)


def _item_number(item: Item) -> int:
    return item_number(item.qid)


@dataclass
class StatedConstraint:
    """One constraint statement: what each of its qualifiers names."""

    kind: str
    values: dict[str, set[str]] = field(default_factory=dict)  # column of the query -> values

    def values_of(self, column: str) -> set[str]:
        return self.values.get(column, set())


def constraints(survey: WikiSurvey) -> Iterator[Finding]:
    """Statements and items that break a constraint of the property; kinds that are not checked are named."""
    ids, found = survey.client.wiki.properties, 0
    stated: dict[str, StatedConstraint] = {}
    for row in survey.service.rows("audit_constraints"):
        one = stated.setdefault(row["statement"], StatedConstraint(row["kind"]))
        for column, value in row.items():
            if value and column not in ("statement", "kind"):
                one.values.setdefault(column, set()).add(value)
    checks = {
        ids.format_constraint: _check_format,
        ids.distinct_values_constraint: _check_distinct,
        ids.single_value_constraint: _check_single,
        ids.single_best_value_constraint: _check_single_best,
        ids.citation_constraint: _check_citation,
        ids.subject_type_constraint: _check_subject_type,
    }
    unread = sorted({one.kind for one in stated.values() if one.kind not in checks})
    for one in stated.values():
        check = checks.get(one.kind)
        for item, guid, message, formulas in check(survey, one, ids) if check else ():
            if item.qid not in one.values_of("exception"):
                found += 1
                yield make_finding("constraints", "warning", message, item, guid, *formulas)
    if unread:
        yield closing_finding(
            "constraints", Message("closing.constraints_unread", n=len(unread), kinds=", ".join(unread))
        )
    yield closing_line(survey, "constraints", found)


def _check_format(survey: WikiSurvey, one: StatedConstraint, ids: Properties) -> Violations:
    for pattern in sorted(one.values_of("pattern")):
        try:
            compiled = re.compile(pattern)
        except re.error:
            continue  # the wiki's patterns are PCRE, some of which Python cannot compile
        for item, s in survey.formulas:
            if not compiled.fullmatch(s.value):
                yield item, s.guid, Message("finding.constraints.format", code_pattern=pattern), (s.value,)


def _check_distinct(survey: WikiSurvey, one: StatedConstraint, ids: Properties) -> Violations:
    by_value: dict[str, list[tuple[Item, Statement]]] = {}
    for item, s in survey.formulas:
        by_value.setdefault(s.value, []).append((item, s))
    for group in by_value.values():
        qids = list(dict.fromkeys(item.qid for item, _ in group))
        for item, s in group if len(qids) > 1 else ():
            others = ", ".join(qid for qid in qids if qid != item.qid)
            yield item, s.guid, Message("finding.constraints.distinct", items=others), (s.value,)


def _check_single(survey: WikiSurvey, one: StatedConstraint, ids: Properties) -> Violations:
    for item, values in _by_item(survey):
        if len(values) > 1:
            yield item, "", Message("finding.constraints.single", n=len(values)), tuple(s.value for s in values)


def _check_single_best(survey: WikiSurvey, one: StatedConstraint, ids: Properties) -> Violations:
    for item, best in _formulas_by_item(survey):
        yield item, "", Message("finding.constraints.single_best", n=len(best)), tuple(s.value for s in best)


def _check_citation(survey: WikiSurvey, one: StatedConstraint, ids: Properties) -> Violations:
    for item, s in survey.formulas:
        if not s.references:
            yield item, s.guid, Message("finding.constraints.citation"), (s.value,)


def _check_subject_type(survey: WikiSurvey, one: StatedConstraint, ids: Properties) -> Violations:
    """An item has to be an instance of, a subclass of, or either of one of the classes, over any number of steps."""
    wanted, relations = sorted(one.values_of("class")), one.values_of("relation")
    if not wanted:
        return
    types_of = {item.qid: _types(item, relations, ids) for item, _ in survey.formulas}
    classes = sorted({c for found in types_of.values() for c in found})
    rows = survey.service.rows("audit_class_paths", classes=classes, wanted=wanted) if classes else []
    right = {row["class"] for row in rows} | set(wanted)
    for item, values in _by_item(survey):
        if item.qid not in right and right.isdisjoint(types_of[item.qid]):
            yield item, "", Message("finding.constraints.type"), tuple(s.value for s in values)


def _types(item: Item, relations: set[str], ids: Properties) -> set[str]:
    superclasses = {s.value for s in item.live_statements(ids.subclass_of)}
    if ids.relation_either in relations:
        return superclasses | set(item.classes)
    return superclasses if ids.relation_subclass in relations else set(item.classes)


def _by_item(survey: WikiSurvey) -> Iterator[tuple[Item, list[Statement]]]:
    found: dict[str, tuple[Item, list[Statement]]] = {}
    for item, s in survey.formulas:
        found.setdefault(item.qid, (item, []))[1].append(s)
    yield from found.values()
