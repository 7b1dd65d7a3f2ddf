"""How two formulas are related, and by what two that are not the same differ decisively."""

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import replace
from functools import lru_cache
from hashlib import blake2b
from typing import NamedTuple, Self

from bot.errors import FormulaError
from bot.formula.alignment.differences import (
    OTHER_UNITS,
    difference,
    first_difference,
    has_another_mark,
    has_constants_of,
    has_same_tokens,
    label_difference,
)
from bot.formula.alignment.extensions import among_equations, further_terms, number_of_terms
from bot.formula.alignment.forms.conventions import compare_conventions
from bot.formula.alignment.forms.unlike_forms import ANY_FORM, common_form_points, compare_in_common_form
from bot.formula.alignment.notations.rereading import compare_notations, letters_without_notation
from bot.formula.alignment.stated_values import value_difference
from bot.formula.alignment.tree_alignment import UsualLetters, no_usual_letters
from bot.formula.equivalence.analysed import analyse_formula
from bot.formula.equivalence.comparison import Comparison, ProofSearch
from bot.formula.equivalence.related import find_relation
from bot.formula.equivalence.renamed import MIN_LEAVES_RENAMED, plain_names
from bot.formula.equivalence.rules import SubstitutionRule, applicable_rules, reaching_rules
from bot.formula.equivalence.substitutions import has_definitions
from bot.formula.equivalence.unscripted import has_other_index_range
from bot.formula.features.sides import chain_equalities, is_chain, statements
from bot.formula.features.spacetime_parts import compare_parts, compare_with_vectors, has_parts
from bot.formula.keys.levels import LEVELS, keys
from bot.formula.tex import nodes
from bot.formula.tex.clean import without_blanks
from bot.formula.tex.tree import walk
from bot.messages import Message

_OF_EQUATIONS = frozenset(
    ["differs.exponent", "differs.order", "differs.operation"]
)  # that no sign convention explains
MIN_SHAPE_LEAVES = 6  # leaves of a formula whose shape is compared


def compare(
    a: str, b: str, rules: Sequence[str | SubstitutionRule] = (), prover: ProofSearch | None = None
) -> Comparison:
    """Compare two formulas; a formula without a tree is only compared as a string.

    `rules` are substitutions `symbol = expression` that hold where the formulas come from (FormulaError for one that is none); they are tried
    where the formulas do not meet without them. A `prover` is asked to confirm what sampling finds.
    """
    found = find_relation(a, b, rules, prover)
    if settled := _settled(found, a, b):
        return settled
    if in_other_notation := compare_notations(a, b):
        return in_other_notation
    differs = difference(a, b) or (label_difference(a, b) if found.level == "K3" else None)
    common_form = compare_in_common_form(a, b)
    if common_form and (common_form.same_concept or differs is None):
        return common_form
    if differs is None and found.level != "K4":  # up to factors they may be one in other units
        differs = value_difference(a, b)
    if differs is None and (_differs_in_few_terms(found, a, b) or _has_same_shape(found, a, b)):
        differs = Message("differs.value", tex=b)
    if differs is None:
        return _with_further_terms(found, a, b)
    return replace(found, message=Message("note.differs", note=found.message, differs=differs), differs=differs)


def _settled(found: Comparison, a: str, b: str) -> Comparison | None:
    """Return a comparison that no difference changes; None where the two may yet differ, or be one in a common form."""
    if found.same_concept:
        return (compare_with_vectors(a, b) if found.level == "K3" else None) or found
    if part := among_equations(a, b):
        return replace(found, relation="variant", message=part)
    return compare_parts(a, b)


def compare_as_same(a: str, b: str) -> Comparison | None:
    """Return what `compare`, given no rules, finds of two formulas of one concept; None for any others, by whatever they differ."""
    found = _settled(find_relation(a, b), a, b) or compare_notations(a, b) or compare_in_common_form(a, b)
    return found if found and found.same_concept else None


def compare_as_variant(a: str, b: str) -> Comparison | None:
    """Return what `compare`, given no rules, finds of a variant; None for any others. What is looked for after their relation makes no variant."""
    found = find_relation(a, b)
    if (_settled(found, a, b) or found).relation != "variant":
        return None
    found = compare(a, b)
    return found if found.relation == "variant" else None


def first_contradiction(
    tex: str, known_formulas: Iterable[str], usual: UsualLetters = no_usual_letters, other_forms: Iterable[str] = ()
) -> Message | None:
    """Return how a formula contradicts those of one concept, the most similar first: as a near miss of one, or as comparison says of the first.

    None where it equals one of them or of the concept's other forms, up to conventions, and for a special case, which is no other concept where
    the concept has several forms.
    """
    known_formulas, of_chain = list(known_formulas) or [""], is_chain(tex)
    if not of_chain:
        known_formulas = [
            form for known in known_formulas for form in (known, *(chain_equalities(known) if is_chain(known) else ()))
        ]
    if differs := _contradicted_statement(tex, [*known_formulas, *other_forms], usual):
        return differs
    differs = first_difference(tex, known_formulas, usual) or compare(tex, known_formulas[0]).differs
    if differs is None or differs.code == "differs.special":
        return None
    nearest = str(differs.values.get("tex", "")) or known_formulas[0]
    has_constants = has_constants_of(tex, nearest)
    for known in dict.fromkeys([*known_formulas, *other_forms]):
        as_written = compare(tex, known)
        found = compare_conventions(as_written, tex, known, usual)
        if found.relation == "renamed" and (
            differs.code == "differs.place"
            or has_another_mark(tex, nearest)
            or (differs.code == "differs.sign" and has_same_tokens(tex, nearest))
        ):
            continue  # the same letters in other places, with another sign, or without a †, are no other form with its letters renamed
        if found.message.code == "note.solution" and differs.code in _OF_EQUATIONS:
            continue  # where constants are free, one solution may be of both
        if of_chain and not as_written.same_concept and not is_chain(known):
            continue  # a chain is wrong where one of its equalities is
        if found.same_concept and _in_known_units(found) and not (found.message.code in OTHER_UNITS and has_constants):
            return None
    return differs


def _contradicted_statement(
    tex: str, known_formulas: Iterable[str], usual: UsualLetters = no_usual_letters
) -> Message | None:
    """Return by what one of several equations, or one beside a number after ≈, is a near miss; None where neither formula has any."""
    parts, known_formulas = statements(tex), list(known_formulas)
    known_parts = [part for known in known_formulas for part in statements(known)]
    if parts == [tex.strip()] and len(known_parts) == len(known_formulas):
        return None
    return next(filter(None, [first_difference(part, known_parts, usual) for part in parts]), None)


def _in_known_units(found: Comparison) -> bool:
    """Tell whether two formulas are one without leaving out more than c, ħ and other constants that are one in some units."""
    return not found.loose or (found.message.code == "note.one_side_units" and "π" not in str(found.message.values["units"]))  # fmt: skip


def _differs_in_few_terms(found: Comparison, a: str, b: str) -> bool:
    """Tell whether two formulas have the same letters and nearly the same terms, as many of them, and are not equal.

    One that implies the other may be its root; under a sum another name may run: f(τ)g(t - τ) is f(t - τ)g(τ).
    """
    if found.relation != "variant" or found.message.code in ("note.one_way", "note.root_signs"):
        return False
    one, other = analyse_formula(a), analyse_formula(b)
    if _relation_signs(one.nodes) != _relation_signs(other.nodes):
        return False  # an inequality may be strict
    if found.level == "K4" and "d" not in one.increments ^ other.increments:
        return False  # up to factors and signs they may be one in other units
    if found.level == "K3" and not has_other_index_range(one, other):
        sums = any(isinstance(node, nodes.Big) for node in walk(one.nodes))
        if sums or one.variables != other.variables:
            return False
    return one.letters == other.letters and number_of_terms(one.shapes) == number_of_terms(other.shapes)


def _relation_signs(trees: Iterable[nodes.NormalNode]) -> list[tuple[str, ...]]:
    return [node.signs for node in walk(trees) if node.__class__ is nodes.Relation]


def _has_same_shape(found: Comparison, a: str, b: str) -> bool:
    """Tell whether two formulas have one shape and mostly the same letters, but in other places: TP/(TP + FP) and TP/(TP + FN)."""
    if found.level != "K6":
        return False
    one, other = analyse_formula(a), analyse_formula(b)
    shared = len(one.letters & other.letters)
    return min(one.keys.leaves, other.keys.leaves) >= MIN_SHAPE_LEAVES and 2 * shared > len(one.letters | other.letters)


class ComparisonDigests(NamedTuple):
    """Digests, the same in every process, of what a formula can share with others: a point that both have, or a form that one requires and the other provides."""

    points: frozenset[int]
    required: frozenset[int]
    provided: frozenset[int]

    def may_meet(self, other: Self) -> bool:
        """Tell whether both formulas share one of these."""
        return not (
            self.points.isdisjoint(other.points)
            and self.required.isdisjoint(other.provided)
            and other.required.isdisjoint(self.provided)
        )


def may_be_same(a: str, b: str) -> bool:
    """Tell whether `compare`, given no rules, may find two formulas to be the same concept: False is certain, and fast for formulas seen before."""
    return comparison_digests(a).may_meet(comparison_digests(b))


@lru_cache(maxsize=16384)  # some 1.8 kB each
def comparison_digests(tex: str) -> ComparisonDigests:
    """Return what `may_be_same` asks of a formula."""
    points: set[Hashable] = {without_blanks(tex)}
    asks: set[Hashable] = set()
    answers: set[Hashable] = {ANY_FORM}
    try:
        found = keys(tex)
    except FormulaError:  # it is itself, and nothing else
        return ComparisonDigests(_digests(points), frozenset(), frozenset())
    try:
        formula = analyse_formula(tex)
        points |= {(level, found.at(level)) for level in LEVELS[:5]}
        points.add(("letters", *sorted(formula.letters)))
        points.add(("notations", *sorted(letters_without_notation(tex))))
        points.add(("K5", found.K5, *(() if found.leaves >= MIN_LEAVES_RENAMED else plain_names(formula))))
        asks.update([ANY_FORM] if has_parts(tex) or has_definitions(formula) else applicable_rules(formula.letters))
        answers.update(reaching_rules(formula.letters))
        for all_of, new_digests in zip((points, asks, answers), common_form_points(tex), strict=True):
            all_of.update(new_digests)
    except (FormulaError, RecursionError):
        asks = {ANY_FORM}
    return ComparisonDigests(_digests(points), _digests(asks), _digests(answers))


def _digests(values: Iterable[Hashable]) -> frozenset[int]:
    texts = (repr(value).encode("utf-8", "surrogatepass") for value in values)
    return frozenset([int.from_bytes(blake2b(text, digest_size=8).digest()) for text in texts])


def _with_further_terms(found: Comparison, a: str, b: str) -> Comparison:
    if found.relation == "variant" and (terms := further_terms(a, b)):
        return replace(found, message=Message("note.further_terms", note=found.message, terms=terms))
    return found
