"""What one formula says otherwise than another of the same letters: an exponent, an order, a sign, an operation, a factor, a place, a term left out.

Near misses look like the formula in every other way (E = mc³). Letters may be others where they can be laid on each other in order; two formulas of other
functions or relations are not measured.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import permutations

from bot.errors import FormulaError
from bot.formula.alignment.tree_alignment import UsualLetters, no_usual_letters
from bot.formula.alignment.tree_rewriting import bottom_up
from bot.formula.equivalence.analysed import analyse_formula
from bot.formula.equivalence.related import find_relation
from bot.formula.equivalence.renamed import MIN_LEAVES_RENAMED, has_exchanged_labels, has_other_accents, is_relabelled
from bot.formula.equivalence.units import ONE_IN_UNITS
from bot.formula.equivalence.unscripted import (
    has_other_conditions,
    has_other_parts,
    has_swapped_labels,
    is_told_by_scripts,
)
from bot.formula.features.canonical_tokens import tokens
from bot.formula.keys.algebra import exact_texts
from bot.formula.keys.alpha_equivalence import is_name
from bot.formula.keys.levels import keys
from bot.formula.normal.arithmetic import times
from bot.formula.normal.render import render
from bot.formula.normal.scripts import without_scripts
from bot.formula.normal.stages import NormalForms, normal_forms
from bot.formula.tex import nodes
from bot.formula.tex.nodes import EMPTY, NormalNode, tag_of
from bot.formula.tex.symbols import FLIPPED
from bot.formula.tex.tree import children, find_all, leaves, terms_of
from bot.messages import Message

_EQUAL, _RENAMED, _IN_UNITS = "equal", "renamed", "in units"
OTHER_UNITS = frozenset(
    ["note.one_side_units", "note.one_side_to_units", "note.natural_units"]
)  # equal once constants are one
_CONSTANTS = frozenset("cGħ")  # letters that are constants without a label
_BELOW = re.compile(r"_\s*(?:\{(?:[^{}]|\{[^{}]*\})*\}|\\[A-Za-z]+(?:\s*\{[^{}]*\})?|[^\\])")
_WORD = re.compile(r"\\(?:text|mbox|mathrm|operatorname\*?|textrm|begin|end)\s*\{[^{}]*\}|\\[A-Za-z]+|[A-Za-z]")
_GREEK = frozenset(
    "\\" + name
    for name in (
        "alpha beta gamma delta epsilon varepsilon zeta eta theta vartheta iota kappa lambda mu nu xi rho varrho sigma tau upsilon phi varphi chi psi"
        " omega Gamma Theta Lambda Xi Sigma Upsilon Phi Psi Omega"
    ).split()
)
# Differences that letters paired by order alone often show in a short formula.
_LIKELY_BY_CHANCE = frozenset(["differs.sign", "differs.factor"])
_STYLE = re.compile(r"\\(?:math(?:cal|scr|bf|frak|bb|it|sf)|boldsymbol|bm|vec|hat|bar|tilde)(?![A-Za-z])")
_VECTOR_OPERATORS = frozenset(["div", "curl", "∇", "·", "×"])
_ANGLES = "sin cos tan cot sec csc sinh cosh tanh coth"
_FUNCTIONS = frozenset(f"%{inverse}{name}" for name in _ANGLES.split() for inverse in ("", "arc", "ar"))
_OPPOSED = [set(pair.split()) for pair in "⋃ ⋂,∪ ∩,~∀ ~∃,%max %min,%sup %inf,⊂ ⊃,⊆ ⊇,~∧ ~∨,∈ ∉,∑ ∏".split(",")]
_ALIKE = [set(pair.split()) for pair in "%max %sup,%min %inf,%log %ln,%ker %null".split(",")]
_FONTS = frozenset("b bb cal frak it rm scr sf".split())
_PRIMES = {"~′": "'"}
_MARKS = frozenset(["†", "~†", "~¬"])  # that nobody leaves out
_PRODUCT_SIGNS = frozenset(["·", "*", "×", "\\cdot", "\\,"])
_ENDS_SIDE = frozenset("= , ; < ≤ > ≥ ≈ → ∈".split())
_MAX_EXTRA_TOKENS = 2  # tokens of the one that the other does not have, labels and marks among them
_NEAR_MISS_TOKENS = frozenset(  # and marks that not everyone writes
    "+ - − ± ∓ / · * ^ ( ) [ ] | . , frac \\frac \\over \\tfrac \\dfrac \\cfrac \\cdot \\times \\, \\; \\! \\quad hat sf rm".split()
)


@dataclass(frozen=True, slots=True)
class ElementCounts:
    """Counts of the elements of a formula without scripts that are not powers: letters, functions, marks, and everything that a near miss changes."""

    letters: Counter[str] = field(default_factory=Counter)
    functions_and_marks: Counter[str] = field(default_factory=Counter)  # functions, derivatives, big operators, marks
    exponents: Counter[str] = field(default_factory=Counter)  # numbers above
    orders: Counter[str] = field(default_factory=Counter)  # of derivatives
    numbers: Counter[str] = field(default_factory=Counter)  # numbers on the line
    signs: Counter[str] = field(default_factory=Counter)
    sum_lengths: Counter[int] = field(default_factory=Counter)  # lengths of sums
    denominators: Counter[str] = field(default_factory=Counter)  # letters and numbers under a stroke
    sides: tuple[tuple[tuple[str, ...], ...], ...] = ()  # of each relation its sides, each as its terms


def first_difference(tex: str, known_formulas: Iterable[str], usual: UsualLetters = no_usual_letters) -> Message | None:
    """Return how a formula differs from the first known one that it is comparable with.

    None where it equals one of them, as far as comparison can tell, and where all are too unlike to be measured. `usual` tells letters of one quantity.
    What has the letters of one form in other places is no other form with its letters renamed.
    """
    found: Message | None = None
    renamed = in_units = False
    for other in known_formulas:
        try:
            differs = _difference(tex, other, usual)
        except (FormulaError, RecursionError):
            continue
        if differs == _EQUAL:
            return None
        if isinstance(differs, Message) and not (
            differs.code == "differs.term" and _is_optional_term(tex, other, known_formulas)
        ):
            found = found or differs
        renamed = renamed or differs == _RENAMED
        in_units = in_units or differs == _IN_UNITS
    if found is None or (in_units and not has_constants_of(tex, str(found.values["tex"]))):
        return None
    return None if renamed and found.code != "differs.place" else found


def has_constants_of(tex: str, known_tex: str) -> bool:
    """Tell whether two formulas have the same constants, some that natural units set to one: neither is written in these units."""
    constants = ONE_IN_UNITS.intersection(keys(tex).constants)
    return bool(constants) and constants == ONE_IN_UNITS.intersection(keys(known_tex).constants)


def difference(tex: str, known_tex: str) -> Message | None:
    """Return how a formula differs decisively from another one with the same letters; None if they are equal or too different.

    Of two formulas none is known to be whole: a term that one of them has alone may be an extension of the other.
    """
    try:
        left, right = _tokens(tex), _tokens(known_tex)
        one, other = _counts_of_tex(tex), _counts_of_tex(known_tex)
        if _lacks_term(one, other) or _lacks_term(other, one):
            return None
        same = left.all == right.all
        near = same or (
            _is_nearly_contained(left.without_subscripts, right.without_subscripts)
            and _is_nearly_contained(right.without_subscripts, left.without_subscripts)
        )
        found = _measured_difference(tex, known_tex, same=same) if near else None
    except (FormulaError, RecursionError):
        return None
    return found if isinstance(found, Message) else None


def _difference(tex: str, known_tex: str, usual: UsualLetters) -> Message | str | None:
    left, right = _tokens(tex), _tokens(known_tex)
    same = left.all == right.all
    if _ends_otherwise(tex, known_tex) or has_another_mark(tex, known_tex):
        return Message("differs.operation", tex=known_tex)
    if _has_another_name(tex, known_tex):
        return Message("differs.function", tex=known_tex)
    if keys(tex).K5 == keys(known_tex).K5:
        one, other = analyse_formula(tex), analyse_formula(known_tex)
        if has_exchanged_labels(one, other) or has_other_accents(one, other):
            return Message("differs.place", tex=known_tex)
        if is_relabelled(one, other):
            return _EQUAL
    if _has_another_letter(tex, known_tex) or _loses_prime(tex, known_tex):
        return Message("differs.place", tex=known_tex)
    found = (
        _measured_difference(tex, known_tex, same=same)
        if same or _is_nearly_contained(left.without_subscripts, right.without_subscripts)
        else None
    )
    if found is None and not same:
        moved, sure = _with_renamed_letters(left, right, usual)
        letters = _tokens(moved).all if moved else Counter[str]()
        if letters == right.all or (moved and _differs_in_one_function(letters, right.all)):
            found = _measured_difference(moved, known_tex, same=letters == right.all)
            if isinstance(found, Message):
                codes = _change_codes(
                    _counts_of_tex(moved), _counts_of_tex(known_tex)
                )  # several: a precision for a variance
                chance = not (sure or found.code in _LIKELY_BY_CHANCE)
                return None if found.code == "differs.place" or len(codes) > 1 or chance else found
            return found and _RENAMED
    return found


def _changes(tex: str, known_tex: str) -> tuple[Counter[str], Counter[str]]:
    """Return the tokens that each of two formulas has more often than the other."""
    left, right = _tokens(tex).all, _tokens(known_tex).all
    return left - right, right - left


def has_another_mark(tex: str, known_tex: str) -> bool:
    """Tell whether one formula has a † or ¬ that the other has not, and they differ in nothing else."""
    added, removed = _changes(tex, known_tex)
    return bool(added or removed) and {*added, *removed} <= _MARKS


def has_same_tokens(tex: str, known_tex: str) -> bool:
    """Tell whether two formulas have the same letters, functions and relations, with as many labels."""
    return _tokens(tex).all == _tokens(known_tex).all


def _has_another_letter(tex: str, known_tex: str) -> bool:
    """Tell whether one letter stands for another, both of which the rest has: f(x) for f(y) in ∫ φ(x - y)f(y) dy."""
    added, removed = (
        Counter({n: count for n, count in each.items() if n not in _FONTS}) for each in _changes(tex, known_tex)
    )
    if added.total() != 1 or removed.total() != 1 or not all(map(is_name, (*added, *removed))):
        return False
    return {*added, *removed} <= (_tokens(tex).all & _tokens(known_tex).all).keys() and not find_relation(
        tex, known_tex
    ).same_concept


def _has_another_name(tex: str, known_tex: str) -> bool:
    """Tell whether an operator has another name and nothing else differs: pd for id, which is no spelling of it."""
    added, removed = _changes(tex, known_tex)
    names = {*added, *removed}
    if added.total() != 1 or removed.total() != 1 or not all(name[:1] == "%" for name in names):
        return False
    one, other = (name[1:].casefold() for name in (*added, *removed))
    alike = one.startswith(other) or other.startswith(one) or names & _FUNCTIONS or names in _ALIKE
    return not alike and not find_relation(tex, known_tex).same_concept


def _loses_prime(tex: str, known_tex: str) -> bool:
    """Tell whether a prime more or less makes one quantity of two, and nothing else differs: μ' + μ' for μ' + μ."""
    added, removed = _changes(tex, known_tex)
    if {*added, *removed} != {"'"}:
        return False
    return len(_primed_or_not(tex)) != len(_primed_or_not(known_tex))


def _primed_or_not(tex: str) -> set[tuple[str, ...]]:
    """Return the letters, each with its label of one token and the prime behind them."""
    found = tokens(tex)
    named = [(n, found[n : n + 3 : 2] if found[n + 1 : n + 2] == ("_",) else (name,)) for n, name in enumerate(found)]
    return {
        (*name, *(sign for sign in found[n + 2 * len(name) - 1 : n + 2 * len(name)] if sign == "'"))
        for n, name in named
        if name[0].isalpha()
    }


def _measured_difference(tex: str, known_tex: str, *, same: bool) -> Message | str | None:
    one, other = _counts_of_tex(tex), _counts_of_tex(known_tex)
    if _lacks_term(one, other):
        return Message("differs.term", tex=known_tex)
    letters = bool(one.letters) and one.letters == other.letters
    if _lacks_factor(one, other) and tex.count("^") == known_tex.count("^"):  # f_{abc} lacks no factor of f^{abc}
        same_concept = find_relation(tex, known_tex).same_concept or _is_rearranged(tex, known_tex)
        return _EQUAL if same_concept else Message("differs.lost", tex=known_tex)
    function = letters and (
        _differs_in_one_function(one.functions_and_marks, other.functions_and_marks)
        or _differs_in_one_operator(tex, known_tex)
    )
    multiplied = letters and _has_other_vector_products(tex, known_tex)
    if (
        not (same or function or multiplied or (letters and one.functions_and_marks == other.functions_and_marks))
        and keys(tex).K4 != keys(known_tex).K4
    ):
        return None
    relation = find_relation(tex, known_tex)
    same_marks = same and _STYLE.findall(tex) == _STYLE.findall(known_tex)
    if same_marks and relation.relation == "renamed":
        return Message("differs.place", tex=known_tex)  # V = IR is not R = VI
    if relation.same_concept or _is_rearranged(tex, known_tex):
        if has_other_conditions(analyse_formula(tex), analyse_formula(known_tex)):
            return Message("differs.operation", tex=known_tex)
        if relation.relation == "renamed":
            return _RENAMED
        return _IN_UNITS if relation.message.code in OTHER_UNITS else _EQUAL
    if multiplied or _is_reversed(tex, known_tex):
        return Message("differs.operation", tex=known_tex)
    if function and not same:
        changed = set(one.functions_and_marks - other.functions_and_marks)
        phase = {"%sin", "%cos"} >= changed and not _has_plain_angles(tex)  # an oscillation is either by its phase
        if phase or _change_codes(one, other):
            return None
        brackets = "[]" in one.functions_and_marks + other.functions_and_marks
        return Message("differs.operation" if brackets else "differs.function", tex=known_tex)
    dots = one.functions_and_marks["~…"] and other.functions_and_marks["~…"]
    if dots and one.sum_lengths != other.sum_lengths and one.sum_lengths and other.sum_lengths:
        return None  # a series may be written to any term
    moved = (set(keys(tex).constants) ^ set(keys(known_tex).constants)) - {"π"}
    if not same and moved and one.signs == other.signs:
        # other units, in which c is one; in some also 8πG, or 4π elsewhere
        natural = moved <= ONE_IN_UNITS and ("G" not in moved or (one.numbers and other.numbers))
        return Message("differs.factor", tex=known_tex) if natural and one.numbers != other.numbers else None
    found = _change_message(one, other, known_tex)
    if found.code == "differs.place" and not (
        (
            ONE_IN_UNITS.intersection(keys(tex).constants)
            and relation.message.values.get("parts") == Message("part.factors")
        )  # m²c² for m²c⁴
        or same_marks
        or (
            keys(tex).K3 == keys(known_tex).K3
            and analyse_formula(tex).variables == analyse_formula(known_tex).variables
        )
    ):
        return None  # ℰ for E, ΔW/Δt for W/t; with labels of the same letters it is R_m for R_f
    return found


def _differs_in_one_function(left: Counter[str], right: Counter[str]) -> bool:
    """Tell whether all tokens are the same except one function: cos for sin, n for n!."""
    added, removed = left - right, right - left
    pairs = {*added, *removed}
    if added.total() == removed.total() == 1 and (pairs <= _FUNCTIONS or pairs in _OPPOSED):
        return True
    return pairs in ({"!"}, {"~!"}, {"[]", "{}"})


def _differs_in_one_operator(tex: str, known_tex: str) -> bool:
    """Tell whether an operator is called by another name, which is no spelling of the first: Spec for Proj."""
    one, other = [
        {name.casefold() for name in normal_forms(each).formula.called_letters if name[:1] == "%"}
        for each in (tex, known_tex)
    ]
    added, removed = "".join(one - other), "".join(other - one)
    return len(one - other) == len(other - one) == 1 and not (added.startswith(removed) or removed.startswith(added))


def _lacks_factor(one: ElementCounts, other: ElementCounts) -> bool:
    """Tell whether a formula is another one without a factor that the other has elsewhere, too, so that no unit makes it one."""
    return (
        one.letters.keys() == other.letters.keys()
        and one.letters < other.letters
        and not one.functions_and_marks - other.functions_and_marks
        and (one.exponents, one.numbers, one.orders, one.signs, one.sum_lengths)
        == (other.exponents, other.numbers, other.orders, other.signs, other.sum_lengths)
    )


def _has_other_vector_products(tex: str, known_tex: str) -> bool:
    """Tell whether the same vectors are multiplied, with a dot here and a cross there."""
    left, right = analyse_formula(tex).products, analyse_formula(known_tex).products
    factors = [sorted(sorted(product[1:]) for product in each.elements()) for each in (left, right)]
    return bool(left) and factors[0] == factors[1] and {each[0] for each in left} != {each[0] for each in right}


def _is_reversed(tex: str, known_tex: str) -> bool:
    """Tell whether an inequality holds the other way round."""
    left, right = normal_forms(tex).unscripted, normal_forms(known_tex).unscripted
    pairs = zip(left, right, strict=False)
    return len(left) == len(right) and any(
        one.__class__ is nodes.Relation
        and other.__class__ is nodes.Relation
        and one.sides == other.sides
        and any(
            FLIPPED.get(sign) == known or FLIPPED.get(known) == sign
            for sign, known in zip(one.signs, other.signs, strict=True)
        )
        for one, other in pairs
    )


def _ends_otherwise(tex: str, known_tex: str) -> bool:
    """Tell whether two series of the same beginning are written to another last term: (a + n) for (a + n - 1)."""
    (left, last), (right, known_last) = _around_dots(tex), _around_dots(known_tex)
    shorter = min(len(left), len(right))
    return (
        bool(last and known_last)
        and shorter > 1
        and left[:shorter] == right[:shorter]
        and Counter(last) != Counter(known_last)
        and Counter(filter(str.isalpha, last)) == Counter(filter(str.isalpha, known_last))
    )


def _around_dots(tex: str) -> tuple[list[str], list[str]]:
    """Return the tokens of the first side with dots before the first of them and after the last."""
    names = [token for token in tokens(tex) if token not in _PRODUCT_SIGNS]
    at = [n for n, token in enumerate(names) if token == "~…"]
    if not at:
        return [], []
    start = max((n for n in range(at[0]) if names[n] == "="), default=-1) + 1
    end = next((n for n in range(at[-1], len(names)) if names[n] in _ENDS_SIDE), len(names))
    return names[start : at[0]], names[at[-1] + 1 : end]


def _has_plain_angles(tex: str) -> bool:
    """Tell whether all angles of a formula are letters, not sums or products."""
    calls = find_all(nodes.Applied, *normal_forms(tex).normal[0])
    return all(call.body.__class__ is str for call in calls if not {"%sin", "%cos"}.isdisjoint(leaves(call.head)))


@dataclass(frozen=True, slots=True)
class _Tokens:
    """The tokens that no near miss changes (letters, functions, relations, big operators), counted with and without scripts below."""

    tex: str
    all: Counter[str]
    without_subscripts: Counter[str]
    letters: tuple[str, ...]  # as they are written, in order of first appearance


@lru_cache(maxsize=8192)
def _tokens(tex: str) -> _Tokens:
    letters = [name for name in dict.fromkeys(_WORD.findall(tex)) if _is_letter(name)]
    return _Tokens(tex, _count_tokens(tex), _count_tokens(_BELOW.sub(" ", tex)), tuple(letters))


def _is_letter(name: str) -> bool:
    return len(name) == 1 or name in _GREEK


def _count_tokens(tex: str) -> Counter[str]:
    found = (_PRIMES.get(token, token) for token in tokens(tex))
    return Counter([token for token in found if token not in _NEAR_MISS_TOKENS and token[0] != "#"])


def _is_nearly_contained(left: Counter[str], right: Counter[str]) -> bool:
    """Tell whether the second contains all of the first, or both have nearly all in common."""
    added, removed = left - right, right - left
    return len(added) <= _MAX_EXTRA_TOKENS and (not added or len(removed) <= _MAX_EXTRA_TOKENS)


def _with_renamed_letters(left: _Tokens, right: _Tokens, usual: UsualLetters) -> tuple[str, bool]:
    """Return the formula with the letters of the other one, by order of first appearance; "" if they cannot be paired.

    Letters that both have stay. Where only some do in a short formula, it is sure only if the others are usual letters of one quantity: mω²r is not mv²/r.
    """
    if len(left.letters) != len(right.letters):
        return "", False
    names = dict(zip(left.letters, right.letters, strict=True))
    changed = {one: other for one, other in names.items() if one != other}
    if any(one in right.letters or other in left.letters for one, other in changed.items()):
        return "", False
    sure = len(changed) == len(names) or right.all.total() >= MIN_LEAVES_RENAMED
    sure = sure or all(
        one.casefold() == other.casefold() or usual(*tokens(one), *tokens(other)) for one, other in changed.items()
    )
    moved = _WORD.sub(lambda found: f" {names[found[0]]} " if _is_letter(found[0]) else found[0], left.tex)
    return moved, sure


def label_difference(tex: str, known_tex: str) -> Message | None:
    """Return how a formula differs from a known one that is the same without scripts: by a constant that has a label, labels in other places, marks.

    2GM/c² is a radius for light, 2GM/c_s² for sound; 1 - T_c/T_h is an efficiency, and 1 - T_h/T_c is not.
    """
    try:
        constants = [{name.partition("_")[0] for name in keys(each).constants} for each in (tex, known_tex)]
        if (constants[0] ^ constants[1]) & _CONSTANTS:
            return Message("differs.label", tex=known_tex)
        one, other = analyse_formula(tex), analyse_formula(known_tex)
        if has_other_conditions(one, other) or has_another_mark(tex, known_tex):
            return Message("differs.operation", tex=known_tex)
        if has_other_parts(one, other):
            return Message("differs.parts", tex=known_tex)
        swapped = has_swapped_labels(one, other) or (
            is_told_by_scripts(other) and not find_relation(tex, known_tex).same_concept
        )
    except FormulaError:
        return None
    return Message("differs.place", tex=known_tex) if swapped else None


def _change_message(left: ElementCounts, right: ElementCounts, known_tex: str) -> Message:
    fallback = "differs.operation" if left.denominators != right.denominators else "differs.place"
    return Message(next(iter(_change_codes(left, right)), fallback), tex=known_tex)


def _change_codes(left: ElementCounts, right: ElementCounts) -> list[str]:
    """Return the codes of the differences, the most decisive first."""
    return [
        code
        for code, one, other in (
            ("differs.exponent", left.exponents, right.exponents),
            ("differs.order", left.orders, right.orders),
            ("differs.sign", left.signs, right.signs),
            ("differs.factor", left.numbers, right.numbers),
            ("differs.operation", left.sum_lengths, right.sum_lengths),
            ("differs.operation", _letters(left.denominators), _letters(right.denominators)),
        )
        if one != other and (code != "differs.sign" or left.sum_lengths == right.sum_lengths)
    ]


def _letters(denominators: Counter[str]) -> set[tuple[str, int]]:
    return {(name, count) for name, count in denominators.items() if name[0] != "#"}


def _is_rearranged(tex: str, known_tex: str) -> bool:
    """Tell whether the formulas are rearranged, also with labels in only one of them, and powers in numerator or denominator."""
    one, other = analyse_formula(tex), analyse_formula(known_tex)
    same_variables = one.variables == other.variables
    # The places of labels count, T_c/T_h is not T_h/T_c; under a sum another name may run: f(τ)g(t - τ) is f(t - τ)g(τ).
    placed = same_variables and not any(find_all(nodes.Big, *one.expanded))
    left, right = (
        [bottom_up(node, _without_negative) for node in (each.expanded if placed else each.form.unscripted)]
        for each in (one, other)
    )
    if sorted(map(render, left)) == sorted(map(render, right)):
        return True
    if same_variables:
        return False  # compared as they are
    texts = exact_texts(left)
    return texts is not None and texts == exact_texts(right)


def _without_negative(node: NormalNode) -> NormalNode:
    """Move a power with a negative exponent to the denominator: n^{-s} as 1/n^s, which algebra does not do inside a sum."""
    match node:
        case nodes.Scripts(base, low, nodes.Signed("-", exponent)):
            return times([], [nodes.Scripts(base, low, exponent)])
    return node


def _lacks_term(left: ElementCounts, right: ElementCounts) -> bool:
    """Tell whether all sides but one are the same, and that one has some of the known terms but not all."""
    return bool(_missing_terms(left, right))


def _missing_terms(left: ElementCounts, right: ElementCounts) -> frozenset[str]:
    """Return the terms of the one side of `right` that `left` has not whole, without their signs; none where they differ otherwise."""
    if len(left.sides) != 1 or len(right.sides) != 1 or len(left.sides[0]) != len(right.sides[0]):
        return frozenset()
    left_side, right_side = Counter(left.sides[0]), Counter(right.sides[0])
    removed, added = list((left_side - right_side).elements()), list((right_side - left_side).elements())
    if len(removed) != 1 or len(added) != 1 or Counter(removed[0]) - Counter(added[0]):
        return frozenset()
    return frozenset(term.strip("(-) ") for term in Counter(added[0]) - Counter(removed[0]))


def _is_optional_term(tex: str, known_tex: str, known_formulas: Iterable[str]) -> bool:
    """Tell whether the concept is written with and without the terms of a known form that a formula lacks, as field equations are with Λ."""
    missing = _missing_terms(_counts_of_tex(tex), _counts_of_tex(known_tex))
    counts = [_counts_of_tex(form) for form in known_formulas]
    return any(_missing_terms(one, other) == missing for one, other in permutations(counts, 2))


def decisive_difference(one: ElementCounts, two: ElementCounts, tex: str) -> Message | None:
    """Return how two unequal formulas with the same letters and functions differ; `tex` is the second one."""
    if one.letters != two.letters or _lacks_term(one, two) or _lacks_term(two, one):
        return None
    added, removed = (
        one.functions_and_marks - two.functions_and_marks,
        two.functions_and_marks - one.functions_and_marks,
    )
    if added or removed:
        other_operators = added.total() == removed.total() and set(added) | set(removed) <= _VECTOR_OPERATORS
        return Message("differs.operation", tex=tex) if other_operators else None
    message = _change_message(one, two, tex)
    return message if message.code != "differs.place" else None


@lru_cache(maxsize=8192)
def _counts_of_tex(tex: str) -> ElementCounts:
    return element_counts(normal_forms(tex))


def element_counts(found: NormalForms) -> ElementCounts:
    """Count the elements in the trees of a formula."""
    inventory = ElementCounts(
        sides=tuple([_sides(node) for node in found.unscripted if node.__class__ is nodes.Relation])
    )
    for node in without_scripts(found.normal[0] + found.normal[1], "_" in found.formula.tokens):
        _count_node(node, inventory, in_exponent=False, under=False)
    return inventory


def _sides(node: NormalNode) -> tuple[tuple[str, ...], ...]:
    assert node.__class__ is nodes.Relation
    return tuple([tuple(sorted(map(render, terms_of(side)))) for side in node.sides])


def _count_node(node: NormalNode, found: ElementCounts, in_exponent: bool, under: bool) -> None:
    """Count a node; `in_exponent`: in an exponent, `under`: under a stroke."""
    if node.__class__ is str:
        if is_name(node):
            letter = node.rpartition(".")[2]
            found.letters[letter] += 1
            if under:
                found.denominators[letter] += 1
        elif node[:1] == "#":
            if under:
                found.denominators[node] += 1
            if node != "#1":
                (found.exponents if in_exponent else found.numbers)[node] += 1
        elif node:
            found.functions_and_marks[node] += 1
        return
    if node.__class__ is nodes.Scripts:
        _count_node(node.base, found, in_exponent, under)
        if node.low != EMPTY and (
            node.base.__class__ is nodes.Big or (node.base.__class__ is str and node.base[:1] == "%")
        ):
            _count_node(node.low, found, in_exponent, under)
        _count_node(node.high, found, node.base.__class__ is not nodes.Big, under)
        return
    if node.__class__ is nodes.Product:
        for factor in node.numerator:
            _count_node(factor, found, in_exponent, under)
        for factor in node.denominator:
            _count_node(factor, found, in_exponent, not under)
        return
    if node.__class__ is nodes.Sum:
        found.sum_lengths[len(node.terms)] += 1
    elif node.__class__ is nodes.Signed:
        found.signs[node.sign] += 1
    else:
        found.functions_and_marks.update(_marks(node))
        if node.__class__ is nodes.Derivative:
            found.orders.update([order for _, order in node.variables])
    for child in children(node):
        _count_node(child, found, in_exponent, under)


def _marks(node: NormalNode) -> Iterator[str]:
    """Yield what distinguishes a node from others of its kind."""
    match node:
        case nodes.Big(sign):
            yield sign
        case nodes.Infix(signs, _) | nodes.Relation(signs, _):
            yield from signs
        case nodes.Accented(name, _):
            yield name
        case nodes.Derivative(_, variables, _):
            yield f"D{len(variables)}"
        case nodes.Fenced(opening, closing, nodes.CommaList()):
            yield opening + closing  # a commutator, an anticommutator
        case nodes.Differential(sign, order, _):
            yield f"{sign}{order}"
        case nodes.Factorial("#0" | "#1" | "#2"):
            pass  # a number
        case _:
            yield tag_of(node)
