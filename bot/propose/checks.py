"""The checks before review: each a small function from a case to a message; the property's own constraints among them.

`fail` means that nobody can approve it: it is flagged for a person, or refused where a person could do nothing either.
The numbers of guarantees are those of docs/architecture.md.
"""

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from bot.formula import Validity, clean, statement_kind
from bot.lookup.entities import to_item
from bot.messages import Message
from bot.propose.diff import Difference, ExistingClaim
from bot.propose.references import Citation
from bot.propose.respelling import respelled
from bot.propose.select import Suggestion
from bot.propose.source_formulas import formulas_of_quotes
from bot.propose.trimming import members, trimmed
from bot.records import Check, CheckState, Item, Quote, Reference
from bot.result_cache import CachedFunction
from bot.settings import Properties, Proposing
from bot.wikibase import MAX_CHARACTERS, Json

SPECIAL_CASE_EVIDENCE = ("special_case", "narrower_name", "condition_said")  # evidence that it holds in a special case
BLOCKING_CHECKS = ("grammar", "length", "item", "class")  # a failure of these leaves nothing for a reviewer to do


@dataclass(frozen=True, slots=True)
class Constraints:
    """What one revision of the property demands of values and items."""

    revision: int
    formats: tuple[str, ...] = ()  # regular expressions, of which each must fit
    distinct: bool = False  # no value on two items
    single: bool = False  # one value an item
    classes: tuple[str, ...] = ()  # of which the item should be an instance
    unread: tuple[str, ...] = ()  # constraint types that are not checked here


def read_constraints(entity: Json, properties: Properties) -> Constraints | None:
    """Return the constraints in a property's entity JSON; None where the wiki states none. Raises LookupFailed for other JSON."""
    constraint = properties.property_constraint
    read = to_item(properties.defining_formula, entity, properties, (), (constraint,))
    stated = read.live_statements(constraint)
    if not stated:
        return None
    kinds = {each.value for each in stated}
    supported = {properties.format_constraint, properties.distinct_values_constraint}
    supported |= {properties.single_value_constraint, properties.subject_type_constraint}

    def named(kind: str, qualifier: str) -> tuple[str, ...]:
        return tuple(
            value for each in stated if each.value == kind for name, value in each.qualifiers if name == qualifier
        )

    return Constraints(
        revision=read.revision,
        formats=named(properties.format_constraint, properties.constraint_regex),
        distinct=properties.distinct_values_constraint in kinds,
        single=properties.single_value_constraint in kinds,
        classes=named(properties.subject_type_constraint, properties.constraint_class),
        unread=tuple(sorted(kinds - supported)),
    )


def check_constraints(
    constraints: Constraints | None, tex: str, classes: Collection[str], has_other: bool, on_other_item: bool
) -> Check:
    """Return how a value would fare; `unknown` where the wiki states no constraints or a pattern cannot be read."""
    if constraints is None:
        return Check.of("constraints.none_stated", "unknown")
    if broken := tuple(_violations(constraints, tex, has_other, on_other_item)):
        return Check.of("constraints.broken", "warn", broken=broken, revision=constraints.revision)
    unsure = [Message("constraint.type", qid=kind) for kind in constraints.unread]
    if constraints.classes and not set(constraints.classes) & set(classes):
        unsure.append(Message("constraint.classes"))
    if any(_matches_format(pattern, tex) is None for pattern in constraints.formats):
        unsure.append(Message("constraint.pattern"))
    if unsure:
        return Check.of("constraints.unsure", "unknown", unsure=tuple(unsure), revision=constraints.revision)
    return Check.of("constraints.ok", "ok", revision=constraints.revision)


def _violations(constraints: Constraints, tex: str, has_other: bool, on_other_item: bool) -> Iterator[Message]:
    if any(_matches_format(pattern, tex) is False for pattern in constraints.formats):
        yield Message("constraint.format")
    if constraints.single and has_other:
        yield Message("constraint.single")
    if constraints.distinct and on_other_item:
        yield Message("constraint.distinct")


def _matches_format(pattern: str, tex: str) -> bool | None:
    try:
        return re.fullmatch(pattern, tex) is not None
    except re.error:
        return None  # the wiki's patterns are PCRE, some of which Python cannot compile


@dataclass(frozen=True, slots=True)
class ProposalCase:
    """The data of the checks for one entry."""

    entry: Suggestion
    item: Item
    tex: str  # as it would be written
    validity: Validity
    # The wiki's own verdict on `tex` and its sentence; None where it was not asked
    server: tuple[bool, str | Message] | None
    existing_claims: tuple[ExistingClaim, ...]
    difference: Difference
    quotes: tuple[Quote, ...]
    citations: tuple[Citation, ...]
    other_items: tuple[tuple[str, str], ...]  # other items with this formula: (QID, label)
    rivals: tuple[tuple[str, str, float], ...]
    classes: frozenset[str]  # the item's classes and those above them, as far as known
    class_labels: Mapping[str, str]
    constraints: Constraints | None
    settings: Proposing
    disambiguation: str = ""
    own_claims: Collection[str] = ()  # GUIDs of what was written from approvals; others than this formula do not count
    cited: tuple[tuple[Quote, Citation], ...] = ()  # every document that could be shown, rejected sources too
    reviewer_sources: tuple[Reference, ...] = ()  # sources that a reviewer named

    @property
    def is_on_item(self) -> bool:
        """Say whether the formula is there already, so that only its source is at stake."""
        return self.difference.kind in ("add_reference", "nothing")


def grammar(case: ProposalCase) -> Check:
    """Guarantee 5: the grammar of the wiki's server, or of our copy where no wiki answers."""
    if case.is_on_item:
        return Check.of("grammar.stands", "ok")
    if case.server is not None and not case.server[0]:
        return Check.of("grammar.refused", "fail", why=case.server[1])
    if not case.validity.valid and not case.validity.mended:
        return Check.of("grammar.not_accepted", "fail", why=case.validity.why)
    asked_server = case.server is not None
    if not case.validity.valid:
        return Check.of("grammar.mended" if asked_server else "grammar.mended_copy", "warn", code=case.entry.tex)
    return Check.of("grammar.ok" if asked_server else "grammar.ok_copy", "ok")


def value(case: ProposalCase) -> Check:
    """The value is the part of the source's formula that states it; what was left out is shown."""
    written_ = clean(case.entry.tex)
    if not case.is_on_item and (value_ := trimmed(written_, *case.entry.parts)) != written_:
        only_signs = value_ == clean(respelled(written_))
        return Check.of("value.respelled" if only_signs else "value.trimmed", "warn", code=written_)
    if not case.is_on_item and (chain := members(value_)):
        return Check.of("value.chain", "ok", n=len(chain))
    return Check.of("value.whole", "ok")


def length(case: ProposalCase) -> Check:
    """Guarantee 5: 1 to 400 characters."""
    size = len(case.tex)
    state: CheckState = "ok" if case.is_on_item or 1 <= size <= MAX_CHARACTERS else "fail"
    return Check.of("length.n", state, size=size, most=MAX_CHARACTERS)


def item(case: ProposalCase) -> Check:
    """Guarantee 6: the item is there and is itself."""
    if case.item.missing:
        return Check.of("item.missing", "fail")
    if case.item.redirect:
        return Check.of("item.merged", "fail", qid=case.item.redirect)
    if case.disambiguation and case.disambiguation in case.classes:
        return Check.of("item.disambiguation", "fail")
    return Check.of("item.exists", "ok", revision=case.item.revision)


def item_class(case: ProposalCase) -> Check:
    """Guarantee 6: a class that can have a defining formula."""
    wrong = [qid for qid in case.settings.implausible_classes if qid in case.classes]
    if wrong:
        return Check.of("class.wrong", "fail", what=case.class_labels.get(wrong[0], wrong[0]))
    if doubt := next((e for e in case.entry.evidence if e.name == "implausible_class"), None):
        return Check("class", "warn", doubt.detail)
    if not case.item.classes:
        return Check.of("class.unknown", "unknown")
    named = ", ".join(case.class_labels.get(qid, qid) for qid in case.item.classes)
    return Check.of("class.instance", "ok", classes=named)


def statements(case: ProposalCase) -> Check:
    """Guarantee 7: every existing formula of any rank, compared by formula."""
    if case.difference.kind == "flag":
        return Check("standing formulas", "fail", case.difference.why)
    if case.difference.beside:
        return Check.of("standing_formulas.further", "warn", why=case.difference.why)
    deprecated = any(each.is_deprecated for each in case.existing_claims)
    return Check("standing formulas", "warn" if deprecated else "ok", case.difference.why)


def property_constraints(case: ProposalCase) -> Check:
    """Guarantee 8: the property's constraints, or that they are not known."""
    others = (each for each in case.existing_claims if each.statement.guid not in case.own_claims)
    has_other = any(not each.is_deprecated for each in others) and not case.is_on_item
    return check_constraints(case.constraints, case.tex, case.classes, has_other, bool(case.other_items))


def other_items(case: ProposalCase) -> Check:
    """Guarantee 9: the same formula on another item."""
    if not case.other_items:
        return Check.of("other_items.none", "ok")
    named = ", ".join(f"{label or 'no label'} ({qid})" for qid, label in case.other_items[:3])
    state: CheckState = "warn" if case.is_on_item else "fail"
    if (further := len(case.other_items) - 3) > 0:
        return Check.of("other_items.more", state, items=named, n=further)
    return Check.of("other_items.some", state, items=named)


def special_case(case: ProposalCase) -> Check:
    """The formula may hold in a special case only: a reviewer sees that whatever its weight."""
    found = next((e for e in case.entry.evidence if e.name in SPECIAL_CASE_EVIDENCE), None)
    if found is None:
        return Check.of("special_case.none", "ok")
    return Check("special case", "warn", found.detail)


kind_of_value = CachedFunction(statement_kind)


def one_equation(case: ProposalCase) -> Check:
    """Guarantee 10: several equations in one value."""
    if kind_of_value(case.tex) == "system":
        return Check.of("one_equation.several", "warn" if case.is_on_item else "fail")
    return Check.of("one_equation.one", "ok")


def item_clear(case: ProposalCase) -> Check:
    """The best item is well ahead of the next."""
    if not case.rivals:
        return Check.of("choice_of_item.none", "ok")
    qid, label, probability = case.rivals[0]
    if case.entry.probability - probability >= case.settings.unclear_margin:
        return Check.of("choice_of_item.next", "ok", label=label or qid, qid=qid, one=probability)
    code = "likelier" if probability > case.entry.probability else "nearly"
    one, two = probability, case.entry.probability
    return Check.of(f"choice_of_item.{code}", "warn", label=label or qid, qid=qid, one=one, two=two)


def source(case: ProposalCase) -> Check:
    """Guarantee 2: a source that holds both formula and name, with sentence, document and position."""
    supporting = [quote for quote in case.quotes if quote.where]
    # A reviewer can name a source of a first formula; a further one was brought there by its shape alone.
    unnamed: CheckState = "fail" if case.existing_claims and not (case.is_on_item or case.entry.chosen) else "warn"
    if not supporting:
        return Check.of("source.given", "ok") if case.reviewer_sources else Check.of("source.none", unnamed)
    first = supporting[0]
    state: CheckState = "warn" if first.where in ("title", "heading") else "ok"
    where, title, position = Message(f"where.{first.where}"), first.title or first.document, first.position + 1
    if further := len(supporting) - 1:
        return Check.of("source.more", state, where=where, title=title, position=position, n=further)
    return Check.of("source.one", state, where=where, title=title, position=position)


def source_formula(case: ProposalCase) -> Check:
    """Guarantee 2: each source writes the formula that it is cited for, typography aside."""
    statement = case.difference.statement
    value = statement.value if case.is_on_item and statement else case.tex
    found = [each for each in formulas_of_quotes([q for q in case.quotes if q.where], (), value) if each.differs]
    if not found:
        return Check.of("formula_of_the_source.same", "ok")
    first = found[0]
    relation = Message(f"relation.{first.relation}")
    if further := len(found) - 1:
        return Check.of(
            "formula_of_the_source.more", "warn", title=first.title, tex=first.tex, relation=relation, n=further
        )
    return Check.of("formula_of_the_source.one", "warn", title=first.title, tex=first.tex, relation=relation)


def citable(case: ProposalCase) -> Check:
    """Guarantees 2 and 11: the source can be cited, and its domain is admitted."""
    good = [c for c in case.citations if c.reference is not None]
    reasons = tuple(dict.fromkeys(c.why for c in case.citations if c.reference is None and c.why))
    if good:
        found = Check.of("citable_source.ok", "ok", n=len(good))
        if reasons:
            left_out = len(case.citations) - len(good)
            found = Check.of("citable_source.left_out", "ok", n=len(good), m=left_out, why=reasons)
        otherwise = dict.fromkeys(Message("cite.not_as_item", why=c.why) for c in good if c.why)
        if not otherwise:
            return found
        return replace(found, state="warn", detail=Message("parts", parts=(found.detail, *otherwise)))
    if case.reviewer_sources:
        return Check.of("citable_source.given", "ok")
    state: CheckState = "fail" if case.is_on_item else "warn"  # a reviewer can name a source for a claim
    if not case.citations:
        return Check.of("citable_source.none", state)
    return Check.of("citable_source.cannot", state, why=reasons)


# In the order in which a person should hear of them.
CHECKS: Sequence[Callable[[ProposalCase], Check]] = (
    item, item_class, grammar, value, length, statements, special_case, one_equation, other_items, item_clear,
    property_constraints, source, source_formula, citable,
)  # fmt: skip


def run_checks(case: ProposalCase) -> tuple[Check, ...]:
    """Return what every check says, in order."""
    return tuple(check(case) for check in CHECKS)


def blocking_failure(case: ProposalCase, failed: Sequence[Check]) -> Check | None:
    """Return the failure that leaves a reviewer nothing to do, if there is one.

    A formula that no source names, for an item that has its formula, was brought there by its shape alone.
    """
    unsourced = bool(case.existing_claims) and not case.is_on_item
    return next((c for c in failed if c.name in BLOCKING_CHECKS or (unsourced and c.name == "source")), None)
