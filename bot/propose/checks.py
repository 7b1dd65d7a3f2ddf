"""The checks before review: each a small function that looks at one case and says a sentence.

`fail` means that nobody can approve it: it is flagged for a person, or refused where a person could do nothing either.
The numbers of guarantees are those of docs/architecture.md.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

from bot.formula import Validity, kind
from bot.propose import constraints
from bot.propose.constraints import Constraints
from bot.propose.diff import Difference, ExistingClaim
from bot.propose.references import Citation
from bot.propose.select import Suggestion
from bot.propose.source_formulas import written
from bot.records import Check, CheckState, Item, Quote
from bot.settings import Proposing
from bot.wikibase import MOST_CHARACTERS

REFUSED = ("grammar", "length", "item", "class")  # a failure of these leaves nothing for a reviewer to do
_WHERE = {
    "sentence": "one sentence holds both formula and name",
    "qid": "the author ties the formula to this item",
    "key_equation": "the name stands beside the formula in a table of key equations",
    "defined_term": "the name is defined where the formula stands",
    "equation_title": "the name is the formula's own title",
    "bold_title": "the name is the article's subject, in bold where the formula stands",
    "infobox": "the name stands beside the formula in an infobox",
    "heading": "the name heads the section with the formula",
    "title": "the name is the title of the document with the formula",
}


@dataclass(frozen=True, slots=True)
class Case:
    """All that the checks look at, for one entry."""

    entry: Suggestion
    item: Item
    tex: str  # as it would be written
    validity: Validity
    server: tuple[bool, str] | None  # the wiki's own verdict on `tex` and its sentence; None where it was not asked
    standing: tuple[ExistingClaim, ...]
    difference: Difference
    quotes: tuple[Quote, ...]
    citations: tuple[Citation, ...]
    elsewhere: tuple[tuple[str, str], ...]  # other items with this formula: (QID, label)
    rivals: tuple[tuple[str, str, float], ...]
    classes: frozenset[str]  # the item's classes and those above them, as far as known
    class_labels: Mapping[str, str]
    constraints: Constraints | None
    settings: Proposing
    disambiguation: str = ""
    own: Collection[str] = ()  # GUIDs of what was written from approvals; others than this formula do not count
    cited: tuple[tuple[Quote, Citation], ...] = ()  # every document that could be shown, rejected sources too

    @property
    def stands(self) -> bool:
        """Say whether the formula is there already, so that only its source is at stake."""
        return self.difference.kind in ("add_reference", "nothing")


def grammar(case: Case) -> Check:
    """Guarantee 5: the server's grammar, asked for where a wiki is at hand."""
    if case.stands:
        return Check("grammar", "ok", "stands there already")
    if case.server is not None and not case.server[0]:
        return Check("grammar", "fail", f"the wiki refuses this TeX: {case.server[1]}")
    if not case.validity.valid and not case.validity.mended:
        return Check("grammar", "fail", f"not what the math datatype accepts: {case.validity.why}")
    asked = "the wiki accepts it" if case.server is not None else "our copy of the wiki's grammar accepts it"
    if not case.validity.valid:
        return Check("grammar", "warn", f"{asked} after mending; the source has {case.entry.tex}")
    return Check("grammar", "ok", asked)


def length(case: Case) -> Check:
    """Guarantee 5: 1 to 400 characters."""
    size = len(case.tex)
    state: CheckState = "ok" if case.stands or 1 <= size <= MOST_CHARACTERS else "fail"
    return Check("length", state, f"{size} of {MOST_CHARACTERS} characters")


def item(case: Case) -> Check:
    """Guarantee 6: the item is there and is itself."""
    if case.item.missing:
        return Check("item", "fail", "the item does not exist")
    if case.item.redirect:
        return Check("item", "fail", f"the item was merged into {case.item.redirect}; match again")
    if case.disambiguation and case.disambiguation in case.classes:
        return Check("item", "fail", "the item is a disambiguation page")
    return Check("item", "ok", f"exists, revision {case.item.revision}")


def item_class(case: Case) -> Check:
    """Guarantee 6: a class that can have a defining formula."""
    wrong = [qid for qid in case.settings.implausible_classes if qid in case.classes]
    if wrong:
        return Check("class", "fail", f"a formula does not define a {case.class_labels.get(wrong[0], wrong[0])}")
    if doubt := next((e for e in case.entry.evidence if e.name == "implausible_class"), None):
        return Check("class", "warn", doubt.detail)
    if not case.item.classes:
        return Check("class", "unknown", "the item states no class")
    named = ", ".join(case.class_labels.get(qid, qid) for qid in case.item.classes)
    return Check("class", "ok", f"instance of {named}")


def statements(case: Case) -> Check:
    """Guarantee 7: every standing formula, whatever its rank, compared by formula."""
    if case.difference.kind == "flag":
        return Check("standing formulas", "fail", case.difference.why)
    deprecated = any(each.deprecated for each in case.standing)
    return Check("standing formulas", "warn" if deprecated else "ok", case.difference.why)


def property_constraints(case: Case) -> Check:
    """Guarantee 8: the property's constraints, or that they are not known."""
    others = (each for each in case.standing if each.statement.guid not in case.own)
    has_other = any(not each.deprecated for each in others) and not case.stands
    return constraints.check(case.constraints, case.tex, case.classes, has_other, bool(case.elsewhere))


def other_items(case: Case) -> Check:
    """Guarantee 9: the same formula on another item."""
    if not case.elsewhere:
        return Check("other items", "ok", "no other item known here has this formula")
    named = ", ".join(f"{label or 'no label'} ({qid})" for qid, label in case.elsewhere[:3])
    more = f" and {len(case.elsewhere) - 3} more" if len(case.elsewhere) > 3 else ""
    return Check("other items", "warn" if case.stands else "fail", f"the same formula belongs to {named}{more}")


def one_equation(case: Case) -> Check:
    """Guarantee 10: several equations in one value."""
    if kind(case.tex) == "system":
        return Check("one equation", "warn" if case.stands else "fail", "several equations stand in one value")
    return Check("one equation", "ok", "one formula")


def item_clear(case: Case) -> Check:
    """The best item is well ahead of the next."""
    for qid, label, probability in case.rivals[:1]:
        if case.entry.probability - probability < case.settings.unclear_margin:
            more = "likelier" if probability > case.entry.probability else "nearly as likely"
            why = f"{label or qid} ({qid}) is {more}, {probability:.2f} against {case.entry.probability:.2f}"
            return Check("choice of item", "fail", why)
        return Check("choice of item", "ok", f"the next item, {label or qid} ({qid}), has {probability:.2f}")
    return Check("choice of item", "ok", "no other item came into question")


def source(case: Case) -> Check:
    """Guarantee 2: a source that holds both formula and name, with sentence, document and position."""
    supporting = [quote for quote in case.quotes if quote.where]
    if not supporting:
        return Check("source", "fail", "no source holds both this formula and a name of the item")
    first = supporting[0]
    more = f", and {len(supporting) - 1} more" if len(supporting) > 1 else ""
    state: CheckState = "warn" if first.where in ("title", "heading") else "ok"
    where = (
        f"{_WHERE.get(first.where, first.where)}: {first.title or first.document}, formula {first.position + 1}{more}"
    )
    return Check("source", state, where)


def source_formula(case: Case) -> Check:
    """Guarantee 2: each source writes the formula that it is cited for, typography aside."""
    statement = case.difference.statement
    value = statement.value if case.stands and statement else case.tex
    found = [each for each in written([q for q in case.quotes if q.where], (), value) if each.differs]
    if not found:
        return Check("formula of the source", "ok", "each source writes this formula")
    first = found[0]
    more = f", and {len(found) - 1} more" if len(found) > 1 else ""
    return Check(
        "formula of the source", "warn", f"{first.title} writes {first.tex} (compared: {first.relation}){more}"
    )


def citable(case: Case) -> Check:
    """Guarantees 2 and 11: the source can be cited, and its domain is admitted."""
    good = [c for c in case.citations if c.reference is not None]
    reasons = dict.fromkeys(c.why for c in case.citations if c.reference is None)
    if good:
        left_out = f"; {len(case.citations) - len(good)} left out: {'; '.join(reasons)}" if reasons else ""
        otherwise = "; ".join(dict.fromkeys(f"not cited as an item: {c.why}" for c in good if c.why))
        what = f"{_count(len(good), 'document')} can be cited{left_out}"
        return (
            Check("citable source", "warn", f"{what}; {otherwise}")
            if otherwise
            else Check("citable source", "ok", what)
        )
    if not case.citations:
        return Check("citable source", "fail", "there is no source to cite")
    return Check("citable source", "fail", f"the source cannot be cited: {'; '.join(reasons)}")


# In the order in which a person should hear of them.
CHECKS: Sequence[Callable[[Case], Check]] = (
    item,
    item_class,
    grammar,
    length,
    statements,
    one_equation,
    other_items,
    item_clear,
    property_constraints,
    source,
    source_formula,
    citable,
)


def run(case: Case) -> tuple[Check, ...]:
    """Return what every check says, in order."""
    return tuple(check(case) for check in CHECKS)


def beyond_help(case: Case, failed: Sequence[Check]) -> Check | None:
    """Return the failure that leaves a reviewer nothing to do, if there is one.

    A formula that no source names, for an item that has its formula, was brought there by its shape alone.
    """
    unsourced = bool(case.standing) and not case.stands
    return next((c for c in failed if c.name in REFUSED or (unsourced and c.name == "source")), None)


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
