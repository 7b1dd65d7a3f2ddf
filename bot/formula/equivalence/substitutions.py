"""Formulas that meet with a substitution put in: the rules given with them, or one of the few that always hold."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import product

from bot.formula.equivalence.algebraic import compare_rearranged
from bot.formula.equivalence.analysed import AnalysedFormula, analyse_forms, with_equations
from bot.formula.equivalence.comparison import Comparison, ProofSearch, enumerated
from bot.formula.equivalence.order import has_same_products
from bot.formula.equivalence.renamed import MIN_LEAVES_RENAMED
from bot.formula.equivalence.rewriting import rewritings
from bot.formula.equivalence.rules import SubstitutionRule, is_symbol, joining_rules
from bot.formula.equivalence.units import compare_up_to_units, equations_without_constants, with_constants_apart
from bot.formula.equivalence.unscripted import compare_without_scripts
from bot.formula.keys.algebra import without_numbers
from bot.formula.keys.alpha_equivalence import canonical_renaming, is_name
from bot.formula.keys.constants import is_constant
from bot.formula.normal.bound_variables import rename_leaves
from bot.formula.normal.render import render
from bot.formula.tex.nodes import NormalNode, Relation
from bot.formula.tex.tree import leaves, walk
from bot.messages import Message

_TELLING = frozenset(["k", "\\hbar", "ħ", "ℏ", "\\omega", "ω"])


@dataclass(frozen=True, slots=True)
class _RewrittenFormula:
    """A formula after some rules, or none, were applied."""

    rules: tuple[SubstitutionRule, ...]
    formula: AnalysedFormula
    loose: list[str] | None  # the texts that K4 compares; None if algebra does not apply


def compare_with_rules(
    one: AnalysedFormula, other: AnalysedFormula, rules: Sequence[SubstitutionRule], prover: ProofSearch | None
) -> Comparison | None:
    """Try both formulas as they stand and with the rules put in, few rules first; None where they never meet."""
    best: Comparison | None = None
    right_formulas = _rewritten_formulas(other, rules)
    pairs = [
        (left, right)
        for left in _rewritten_formulas(one, rules)
        for right in right_formulas
        if left.rules or right.rules
    ]
    for left, right in sorted(pairs, key=lambda pair: len({*pair[0].rules, *pair[1].rules})):
        found = _compare_rewritten(left, right, prover)
        if found is not None and (best is None or _rank(found) > _rank(best)):
            named = _rule_texts((*left.rules, *right.rules))
            best = replace(found, message=Message("note.put_in_note", rules=named, note=found.message))
            if _rank(best) == 2:
                break
    return best


def _rewritten_formulas(original: AnalysedFormula, rules: Sequence[SubstitutionRule]) -> list[_RewrittenFormula]:
    rewritten = [(used, analyse_forms(form, original.keys)) for used, form in rewritings(original.form, rules)]
    return [
        _RewrittenFormula(used, formula, _without_constants_and_signs(formula.nodes))
        for used, formula in [((), original), *rewritten]
    ]


def _rank(found: Comparison) -> int:
    """Rank comparisons: exactly the same, the same up to units, related."""
    return 0 if not found.same_concept else 1 if found.loose else 2


def _rule_texts(rules: Iterable[SubstitutionRule]) -> str | Message:
    return enumerated([rule.readable() for rule in dict.fromkeys(rules)])


def _compare_rewritten(
    left: _RewrittenFormula, right: _RewrittenFormula, prover: ProofSearch | None
) -> Comparison | None:
    """Compare two rewritten formulas, at K2, K3, by algebra, at sampled solutions, or at K4?"""
    one, other = left.formula, right.formula
    if sorted(map(render, one.nodes)) == sorted(map(render, other.nodes)):
        return Comparison("notation", "K2", True, Message("note.then_same"))
    if sorted(map(render, one.form.unscripted)) == sorted(map(render, other.form.unscripted)):
        return compare_without_scripts(one, other, same_names=False)
    if not has_same_products(one.products, other.products):
        return None
    equal = left.loose == right.loose is not None
    found = compare_rearranged(one, other, "K4" if equal else "", prover)
    if isinstance(found, Comparison):
        if found.relation == "rearranged":
            return found
        found = None
    if one.increments != other.increments:
        return None
    if equal:
        return compare_up_to_units(one, other, found)
    letter = _factor_of_one(one.nodes, other.nodes)
    return Comparison("variant", "", False, Message("note.set_one", letter=letter)) if letter else None


def _factor_of_one(one: list[NormalNode], other: list[NormalNode]) -> str:
    """Return the letter that only one formula has, if they are equal at K4 without it."""
    extra = _letters(one) ^ _letters(other)
    if len(extra) != 1:
        return ""
    (letter,) = extra
    left, right = (
        _without_constants_and_signs([rename_leaves(node, {letter: "#1"}) for node in nodes]) for nodes in (one, other)
    )
    return letter if left == right is not None else ""


def _letters(nodes: list[NormalNode]) -> set[str]:
    """Return the letters, without scripts, that are not constants."""
    found = (leaf for node in with_constants_apart(nodes) for leaf in leaves(node))
    return {leaf for leaf in found if is_name(leaf) and not is_constant(leaf)}


def _without_constants_and_signs(nodes: list[NormalNode]) -> list[str] | None:
    """Return the equations without constants, numbers and signs, sorted; None where algebra does not apply to one of them."""
    found = equations_without_constants(nodes)
    return sorted([without_numbers(*each) for each in found if each]) if all(found) else None


def compare_with_definitions(one: AnalysedFormula, other: AnalysedFormula) -> Comparison | None:
    """Substitute definitions that the formulas have beside their one equation: r = p/(1 + e cos θ), p = a(1 - e²)."""
    (left, own), (right, others) = _with_definitions(one), _with_definitions(other)
    rules = (*own, *others)
    if not rules:
        return None
    found = compare_with_rules(left, right, rules, None)
    if found is not None and found.same_concept and not found.loose:
        return found
    for first, second in product(_rewritten_formulas(left, rules), _rewritten_formulas(right, rules)):
        used, formulas = (*first.rules, *second.rules), (first.formula, second.formula)
        if used and formulas[0].variables != formulas[1].variables and _are_renamings(*formulas):
            note = Message("note.put_in_note", rules=_rule_texts(used), note=Message("note.renamed"))
            return Comparison("renamed", "", True, note)
    return None


def _are_renamings(one: AnalysedFormula, other: AnalysedFormula) -> bool:
    long = all(sum(1 for _ in leaves(each.nodes[0])) >= MIN_LEAVES_RENAMED for each in (one, other))
    return long and canonical_renaming(one.nodes) == canonical_renaming(other.nodes)


def has_definitions(formula: AnalysedFormula) -> bool:
    """Tell whether a formula defines symbols of its one equation beside it."""
    return bool(_with_definitions(formula)[1])


def _with_definitions(formula: AnalysedFormula) -> tuple[AnalysedFormula, tuple[SubstitutionRule, ...]]:
    """Return a formula without the definitions beside its first equation, and these; as it is where anything else stands there."""
    stated, *definitions = formula.nodes
    rules = []
    for node in definitions:
        if node.__class__ is not Relation or node.signs != ("=",) or len(node.sides) != 2:
            return formula, ()
        symbol, expression = node.sides
        if not is_symbol(symbol) or symbol in walk([expression]) or symbol not in walk([stated]):
            return formula, ()
        rules.append(SubstitutionRule(formula.form.formula.tex, symbol, expression))
    if not rules:
        return formula, ()
    return analyse_forms(with_equations(formula.form, [stated], formula.form.unscripted[:1]), formula.keys), tuple(
        rules
    )


def compare_with_shipped_rules(one: AnalysedFormula, other: AnalysedFormula) -> Comparison | None:
    """Compare with the shipped rules (Coulomb's constant, h, frequencies): only if exact algebra agrees with them put in."""
    if _TELLING.isdisjoint(one.form.formula.tokens) and _TELLING.isdisjoint(other.form.formula.tokens):
        return None
    rules = joining_rules(one.letters, other.letters)
    if not rules or not has_same_products(one.products, other.products):
        return None
    right_formulas = _rewritten_formulas(_without_needless_scripts(other), rules)
    for left in _rewritten_formulas(_without_needless_scripts(one), rules):
        for right in right_formulas:
            used = (*left.rules, *right.rules)
            if used and left.formula.exact == right.formula.exact is not None:
                return Comparison("rearranged", "", True, Message("note.put_in", rules=_rule_texts(used)))
    return None


def _without_needless_scripts(formula: AnalysedFormula) -> AnalysedFormula:
    """Return the formula without needless scripts: ω_0 is 2πf_0."""
    return replace(formula, form=replace(formula.form, normal=(formula.expanded, [])))
