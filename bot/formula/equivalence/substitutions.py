"""Formulas that meet with a substitution put in: the rules given with them, or one of the few that always hold."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import product

from bot.formula.equivalence.algebraic import rearranged
from bot.formula.equivalence.analysed import AnalysedFormula, analysis
from bot.formula.equivalence.comparison import Comparison, ProofSearch, enumerated
from bot.formula.equivalence.order import has_same_products
from bot.formula.equivalence.renamed import MIN_LEAVES_RENAMED
from bot.formula.equivalence.rewriting import rewritings
from bot.formula.equivalence.rules import SubstitutionRule, is_symbol, joining_rules
from bot.formula.equivalence.units import up_to_units
from bot.formula.equivalence.unscripted import without_scripts
from bot.formula.keys.algebra import equation, without_numbers
from bot.formula.keys.alpha_equivalence import canonical_renaming, is_name
from bot.formula.keys.constants import is_constant, with_marked_constants
from bot.formula.normal.bound_variables import substituted
from bot.formula.normal.render import render
from bot.formula.normal.scripts import without_needless_scripts
from bot.formula.tex.nodes import NormalNode, Relation
from bot.formula.tex.tree import leaves, walk
from bot.messages import Message

_TELLING = frozenset(["k", "\\hbar", "ħ", "ℏ", "\\omega", "ω"])


@dataclass(frozen=True, slots=True)
class _RewrittenFormula:
    """A formula with some rules put in, or none."""

    rules: tuple[SubstitutionRule, ...]
    formula: AnalysedFormula
    loose: list[str] | None  # what K4 compares; None where algebra does not apply


def by_rules(
    one: AnalysedFormula, other: AnalysedFormula, rules: Sequence[SubstitutionRule], prover: ProofSearch | None
) -> Comparison | None:
    """Try both formulas as they stand and with the rules put in, few rules first; None where they never meet."""
    best: Comparison | None = None
    theirs = _rewritten_formulas(other, rules)
    pairs = [(mine, yours) for mine in _rewritten_formulas(one, rules) for yours in theirs if mine.rules or yours.rules]
    for mine, yours in sorted(pairs, key=lambda pair: len({*pair[0].rules, *pair[1].rules})):
        found = _compare_rewritten(mine, yours, prover)
        if found is not None and (best is None or _rank(found) > _rank(best)):
            named = _named((*mine.rules, *yours.rules))
            best = replace(found, message=Message("note.put_in_note", rules=named, note=found.message))
            if _rank(best) == 2:
                break
    return best


def _rewritten_formulas(known: AnalysedFormula, rules: Sequence[SubstitutionRule]) -> list[_RewrittenFormula]:
    made = [(used, analysis(form, known.keys)) for used, form in rewritings(known.form, rules)]
    return [
        _RewrittenFormula(used, formula, _without_constants_and_signs(formula.nodes))
        for used, formula in [((), known), *made]
    ]


def _rank(found: Comparison) -> int:
    """Exactly the same, the same up to units, related."""
    return 0 if not found.same_concept else 1 if found.loose else 2


def _named(rules: Iterable[SubstitutionRule]) -> str | Message:
    return enumerated([rule.readable() for rule in dict.fromkeys(rules)])


def _compare_rewritten(
    mine: _RewrittenFormula, yours: _RewrittenFormula, prover: ProofSearch | None
) -> Comparison | None:
    """Do two rewritten formulas meet, at K2, K3, by algebra, at sampled solutions, or at K4?"""
    one, other = mine.formula, yours.formula
    if sorted(map(render, one.nodes)) == sorted(map(render, other.nodes)):
        return Comparison("notation", "K2", True, Message("note.then_same"))
    if sorted(map(render, one.form.unscripted)) == sorted(map(render, other.form.unscripted)):
        return without_scripts(one, other, alike=False)
    if not has_same_products(one.products, other.products):
        return None
    equal = mine.loose == yours.loose is not None
    found = rearranged(one, other, "K4" if equal else "", prover)
    if isinstance(found, Comparison):
        if found.relation == "rearranged":
            return found
        found = None
    if one.increments != other.increments:
        return None
    if equal:
        return up_to_units(one, other, found)
    letter = _factor_of_one(one.nodes, other.nodes)
    return Comparison("variant", "", False, Message("note.set_one", letter=letter)) if letter else None


def _factor_of_one(one: list[NormalNode], other: list[NormalNode]) -> str:
    """Return the letter that only one of them has and without which K4 compares equal."""
    extra = _letters(one) ^ _letters(other)
    if len(extra) != 1:
        return ""
    (letter,) = extra
    left, right = (
        _without_constants_and_signs([substituted(node, {letter: "#1"}) for node in nodes]) for nodes in (one, other)
    )
    return letter if left == right is not None else ""


def _letters(nodes: list[NormalNode]) -> set[str]:
    """Letters that are not constants, scripts aside."""
    found = (
        leaf
        for node in without_needless_scripts([with_marked_constants(node) for node in nodes])
        for leaf in leaves(node)
    )
    return {leaf for leaf in found if is_name(leaf) and not is_constant(leaf)}


def _without_constants_and_signs(nodes: list[NormalNode]) -> list[str] | None:
    """Return the equations without constants, numbers and signs, sorted; None where algebra does not apply to one of them."""
    found = [
        equation(node, constants=False)
        for node in without_needless_scripts([with_marked_constants(node) for node in nodes])
    ]
    return sorted([without_numbers(*each) for each in found if each]) if all(found) else None


def by_definitions(one: AnalysedFormula, other: AnalysedFormula) -> Comparison | None:
    """Put in what the formulas themselves define beside their one equation: r = p/(1 + e cos θ), p = a(1 - e²)."""
    (left, mine), (right, yours) = _with_definitions(one), _with_definitions(other)
    rules = (*mine, *yours)
    if not rules:
        return None
    found = by_rules(left, right, rules, None)
    if found is not None and found.same_concept and not found.loose:
        return found
    for first, second in product(_rewritten_formulas(left, rules), _rewritten_formulas(right, rules)):
        used, made = (*first.rules, *second.rules), (first.formula, second.formula)
        if used and made[0].variables != made[1].variables and _renamed(*made):
            note = Message("note.put_in_note", rules=_named(used), note=Message("note.renamed"))
            return Comparison("renamed", "", True, note)
    return None


def _renamed(one: AnalysedFormula, other: AnalysedFormula) -> bool:
    long = all(sum(1 for _ in leaves(each.nodes[0])) >= MIN_LEAVES_RENAMED for each in (one, other))
    return long and canonical_renaming(one.nodes) == canonical_renaming(other.nodes)


def has_definitions(known: AnalysedFormula) -> bool:
    """Tell whether a formula defines symbols of its one equation beside it."""
    return bool(_with_definitions(known)[1])


def _with_definitions(known: AnalysedFormula) -> tuple[AnalysedFormula, tuple[SubstitutionRule, ...]]:
    """Return a formula without the definitions beside its first equation, and these; as it is where anything else stands there."""
    stated, *beside = known.nodes
    rules = []
    for node in beside:
        if node.__class__ is not Relation or node.signs != ("=",) or len(node.sides) != 2:
            return known, ()
        symbol, expression = node.sides
        if not is_symbol(symbol) or symbol in walk([expression]) or symbol not in walk([stated]):
            return known, ()
        rules.append(SubstitutionRule(known.form.formula.tex, symbol, expression))
    if not rules:
        return known, ()
    form = replace(
        known.form,
        canonical=([stated], []),
        normal=([stated], []),
        normal_with_names=[stated],
        unscripted=known.form.unscripted[:1],
    )
    return analysis(form, known.keys), tuple(rules)


def by_shipped_rules(one: AnalysedFormula, other: AnalysedFormula) -> Comparison | None:
    """Coulomb's constant, h and frequencies: only where exact algebra agrees with them put in."""
    if _TELLING.isdisjoint(one.form.formula.tokens) and _TELLING.isdisjoint(other.form.formula.tokens):
        return None
    rules = joining_rules(one.letters, other.letters)
    if not rules or not has_same_products(one.products, other.products):
        return None
    theirs = _rewritten_formulas(_bare(other), rules)
    for mine in _rewritten_formulas(_bare(one), rules):
        for yours in theirs:
            used = (*mine.rules, *yours.rules)
            if used and mine.formula.exact == yours.formula.exact is not None:
                return Comparison("rearranged", "", True, Message("note.put_in", rules=_named(used)))
    return None


def _bare(known: AnalysedFormula) -> AnalysedFormula:
    """The formula without the scripts that tell nothing apart: ω_0 is 2πf_0."""
    return replace(known, form=replace(known.form, normal=(known.expanded, [])))
