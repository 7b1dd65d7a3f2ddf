"""How two formulas are related, in one word, with the key level at which they meet and a sentence a reviewer reads.

From sure to unsure: the same string, keys K0 to K3, exact algebra on one side, sampled solutions, K4, known substitutions, renaming, shared
terms. `same_concept` prefers to miss: short formulas that only share their shape are different (p = mv, F = ma, V = IR).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Protocol

from bot.errors import FormulaError
from bot.formula.algebra import Polynomial, equation, exact, loose, size
from bot.formula.clean import clean
from bot.formula.constants import is_constant, marked
from bot.formula.dummies import substituted
from bot.formula.expanded import expanded, increments
from bot.formula.forms import Forms, forms, states
from bot.formula.keys import LEVELS, Keys, keys
from bot.formula.order import same_order
from bot.formula.renaming import atomic, is_name
from bot.formula.render import render
from bot.formula.rules import Rule, read_rule, shipped, ways
from bot.formula.sampling import Verdict, relate
from bot.formula.scripts import apart
from bot.formula.shapes import shapes
from bot.formula.tree import NORMAL_SHAPES, Node, children, leaves

# Renamed formulas of fewer leaves coincide by chance: of 178 groups on the items of 2019 only the 41 of eight leaves and more are mostly real.
MIN_LEAVES_RENAMED = 8
# A formula is a variant of another from this share of its terms on; random pairs stay below .3.
VARIANT = 0.75
LEAST = 6.0  # formulas that say less than this are no standard to measure a share by
SAME_SHAPES = 14.0  # weight of terms (see shapes) from which equal shapes on both sides mean the same formula
MIN_LEAVES_SAMPLED = 3

_ALGEBRA = "the same after moving terms and factors across the relation sign"
_LOOSELY = "equal on one side with denominators cleared"
_COUPLINGS = frozenset(["κ"])  # κ of one author is κ² of another
_DROPPED = "K4 drops the constants"
_ONE_WAY = "every solution of one solves the other, but not the other way round"


class Prover(Protocol):
    """Confirms by algebra what sampling found; see prove.py."""

    def proves(self, one: Sequence[Node], other: Sequence[Node]) -> bool | None: ...


@dataclass(frozen=True, slots=True)
class Comparison:
    """`level` is the strictest key that both share ("" for none)."""

    relation: str
    level: str
    same_concept: bool
    note: str


def compare(a: str, b: str, rules: Sequence[str | Rule] = (), prover: Prover | None = None) -> Comparison:
    """Compare two formulas; what has no tree is only compared as a string.

    `rules` are substitutions `symbol = expression` that hold where the formulas come from (FormulaError for one that is none); they are tried
    where the formulas do not meet without them. A `prover` is asked to confirm what sampling finds.
    """
    known = [read_rule(rule) if isinstance(rule, str) else rule for rule in rules]
    if "".join(clean(a).split()) == "".join(clean(b).split()):
        return Comparison("identical", "K0", True, "the same formula, character by character")
    try:
        left, right = keys(a), keys(b)
        one, other = forms(a), forms(b)
    except FormulaError as error:
        return Comparison("different", "", False, f"one of them cannot be read: {error}")
    try:
        plain = _plain(one, other, left, right, prover)
        if plain.same_concept and not (known and plain.note.startswith(_LOOSELY)):
            return plain
        met = _by_rules(one, other, left, right, known, prover) if known else None
        if plain.same_concept:
            return met if met and met.same_concept and _LOOSELY not in met.note else plain
        return met or _by_shipped_rules(one, other) or plain
    except RecursionError:
        return Comparison("different", "", False, "one of them is nested too deep")


def _plain(one: Forms, other: Forms, left: Keys, right: Keys, prover: Prover | None) -> Comparison:
    level = next((level for level in LEVELS if left.at(level) == right.at(level)), "")
    if level in ("K0", "K1"):
        note = (
            "the same formula, set or ordered differently" if level == "K1" else "the same tokens, spaced differently"
        )
        return Comparison("typographic" if level == "K1" else "identical", level, True, note)
    if level == "K2":
        return Comparison(
            "notation", level, True, "the same formula with derivatives, bound names or definitions written differently"
        )
    if level == "K3":
        return _bare(one, other, left.K5 == right.K5)
    return _rearranged(one, other, left, right, level, prover) or _looser(one, other, left, right, level)


def _bare(one: Forms, other: Forms, renamed: bool) -> Comparison:
    """Equal at K3: what was dropped must not have told anything apart."""
    if not same_order(one.noted[0], other.noted[0]):
        return Comparison(
            "variant", "K3", False, "the same letters, but vectors or operators multiply in another order"
        )
    mine, yours = (sorted(map(render, apart(form.noted[0]))) for form in (one, other))
    # with the same scripted letters, what differs is where they stand: T_c/T_h is not T_h/T_c
    told = _variables(one.named) != _variables(other.named)
    sure = mine == yours or (told and (renamed or _labels_agree(one, other)))
    note = "equal without index and label scripts, shown arguments and vector marks"
    return Comparison(
        "notation", "K3", sure, note if sure else note + ", but dropping these joins variables that differ"
    )


def _labels_agree(one: Forms, other: Forms) -> bool:
    """No two variables of one formula fall together when the scripts go, unless they do so in both."""
    mine, yours = _variables(one.named), _variables(other.named)
    return len(mine) == len(yours) or (
        len(mine) == len(_variables(one.bare)) and len(yours) == len(_variables(other.bare))
    )


def _variables(nodes: list[Node]) -> set[str]:
    return {leaf for node in nodes for leaf in leaves(atomic(node), NORMAL_SHAPES) if leaf[0] == "$"}


# -- rearranged ---------------------------------------------------------------------------------------------------------
def _rearranged(
    one: Forms, other: Forms, left: Keys, right: Keys, level: str, prover: Prover | None
) -> Comparison | None:
    if not same_order(one.noted[0], other.noted[0]):
        note = "equal as numbers, but vectors or operators multiply in another order"
        return Comparison("variant", level, False, note) if level == "K4" else None
    found = _solved(one, other, level, min(left.leaves, right.leaves), prover)
    if isinstance(found, Comparison):
        return found
    if level != "K4":
        return None
    if increments(one.noted[0]) != increments(other.noted[0]):
        return Comparison("variant", level, False, "one holds for small changes of the quantities of the other")
    return _up_to_units(one, other, left, right, level, found)


def _solved(one: Forms, other: Forms, level: str, size: int, prover: Prover | None) -> Comparison | Verdict | None:
    """Equal by exact algebra, or at sampled solutions; where they are not, what sampling says."""
    mine, yours = _spelt_out(one, other)
    if len(mine) != len(yours) or not all(states(node) for node in mine + yours):
        return None
    if _texts(mine) == _texts(yours) is not None:
        if not any(_even(node) for node in mine + yours):
            return Comparison("rearranged", level, True, _ALGEBRA)
        verdict = relate(mine, yours)  # x = y and x² = y² are one to algebra
        if verdict.word in ("same", "unknown"):
            return Comparison("rearranged", level, True, _ALGEBRA + (_POSITIVE if verdict.principal else ""))
        return Comparison(
            "variant", level, False, _ONE_WAY if verdict.word != "unlike" else "equal up to the signs of roots"
        )
    if size < MIN_LEAVES_SAMPLED:
        return None
    verdict = relate(mine, yours)
    if verdict.word == "same":
        return Comparison("rearranged", level, True, _said(verdict, mine, yours, prover))
    if verdict.word in ("implies", "implied"):
        return Comparison("variant", level, False, _ONE_WAY)
    return verdict


_POSITIVE = ", for the principal values of roots and inverse functions"


def _said(verdict: Verdict, one: list[Node], other: list[Node], prover: Prover | None) -> str:
    proved = prover is not None and prover.proves(one, other)
    how = "proved by algebra" if proved else f"both hold at the same {verdict.points} sampled solutions"
    return f"solved for another variable or by another identity: {how}" + (_POSITIVE if verdict.principal else "")


def _spelt_out(one: Forms, other: Forms) -> tuple[list[Node], list[Node]]:
    """Both systems with sums and differentials spelt out, scripts gone where they tell nothing apart."""
    differentials = "d" in increments(one.noted[0]) | increments(other.noted[0])
    partial = differentials and any(
        "∂" in token or token == "\\partial" for form in (one, other) for token in form.formula.tokens
    )
    mine, yours = (apart(expanded(form.noted[0], differentials and not partial)) for form in (one, other))
    return mine, yours


def _texts(nodes: list[Node]) -> list[str] | None:
    """Every equation in exact algebra, sorted; None where algebra does not apply to one of them."""
    found = [text for node in nodes if (text := _exact(node))]
    return sorted(found) if len(found) == len(nodes) else None


def _exact(node: Node) -> str | None:
    found = equation(node)
    if found is None or not any([atom[:1] != "#" for atom in found[1].atoms]):
        return None  # no algebra, or numbers only
    return exact(*found)


def _even(node: Node) -> bool:
    """Tell a relation that algebra may have squared or rooted: two terms, with even powers or roots."""
    if node.__class__ is str:
        return False
    if node[0] == "s" and node[3]:
        power = node[3]
        if power.__class__ is str:
            return power[:1] == "#" and power[-1:] in "02468"
        if power[0] == "*" and len(power[2]) == 1:
            return True
    return any([_even(child) for child in children(node, NORMAL_SHAPES)])


def _up_to_units(one: Forms, other: Forms, left: Keys, right: Keys, level: str, sampled: Verdict | None) -> Comparison:
    """Equal at K4: say what it dropped, and whether that is only a choice of units."""
    signs, numbers = _differences(one.noted[0], other.noted[0])
    squared = _parities(one.noted[0]) != _parities(other.noted[0])
    said_of = (("signs of terms", signs), ("numeric factors", numbers), ("squares", squared))
    parts = [text for text, differs in said_of if differs]
    units = [note for note in (*left.notes, *right.notes) if note.startswith(_DROPPED)]
    moved = _units(left) != _units(right)
    unlike = sampled is not None and sampled.word == "unlike"
    if unlike and not parts and not moved and not _units(left) & _COUPLINGS:
        numbers = True
        parts.append("factors")
    said = _LOOSELY
    if parts:
        said += f", up to {' and '.join(parts)}"
    if moved:
        said += f" ({units[0].replace(_DROPPED, 'other units:')})"
    return Comparison("rearranged", level, not squared and _units_only(left, right, signs, numbers, moved), said)


def _units(found: Keys) -> set[str]:
    """The constants that K4 left out; π comes with no unit."""
    names = [note.removeprefix(_DROPPED).split(", ") for note in found.notes if note.startswith(_DROPPED)]
    return {name.strip() for row in names for name in row} - {"π"}


def _parities(nodes: list[Node]) -> list[bool]:
    """For every equation of two terms: are all its powers even, so that it says less than its root?"""
    found: list[bool] = []
    for node in nodes:
        if node.__class__ is tuple and node[0] == "rel" and len(node[2]) == 2:
            powers: list[Fraction] = []
            for side in node[2]:
                value = equation(side, is_constant)
                if value is None or len(value[1].terms) != 1:
                    break
                powers += [Fraction(power) for key, power in value[1].terms[0][1].items() if not is_constant(key)]
            else:
                found.append(bool(powers) and all(power % 2 == 0 for power in powers))
    return sorted(found)


def _differences(one: list[Node], other: list[Node]) -> tuple[bool, bool]:
    """Whether two systems equal at K4 differ in the signs of terms, and in numbers, once constants are gone."""
    signs: list[Counter[str]] = []
    numbers: list[Counter[str]] = []
    for nodes in (one, other):
        sign_texts: Counter[str] = Counter()
        number_texts: Counter[str] = Counter()
        for node in apart([marked(node) for node in nodes]):
            found = equation(node, is_constant)
            if found is not None:
                sign_texts[exact(found[0], _only_signs(found[1]))] += 1
                number_texts[exact(found[0], _only_sizes(found[1]))] += 1
        signs.append(sign_texts)
        numbers.append(number_texts)
    return signs[0] != signs[1], numbers[0] != numbers[1]


def _only_signs(found: Polynomial) -> Polynomial:
    return Polynomial([(1 if number > 0 else -1, powers) for number, powers in found.terms], found.atoms)


def _only_sizes(found: Polynomial) -> Polynomial:
    return Polynomial([(size(number), powers) for number, powers in found.terms], found.atoms)


def _units_only(left: Keys, right: Keys, signs: bool, numbers: bool, units: bool) -> bool:
    """Constants may come and go with the units, and numbers with them; a sign or a number alone makes another formula (½mv² and mv²)."""
    if signs or left.leaves < 4 or right.leaves < 4:
        return False
    return units or not numbers


# -- substitutions -------------------------------------------------------------------------------------------------------
def _by_rules(
    one: Forms, other: Forms, left: Keys, right: Keys, rules: Sequence[Rule], prover: Prover | None
) -> Comparison | None:
    """Try both formulas as they stand and with the rules put in, surest first."""
    mine: list[tuple[tuple[Rule, ...], Forms]] = [((), one), *ways(one, rules)]
    yours: list[tuple[tuple[Rule, ...], Forms]] = [((), other), *ways(other, rules)]
    pairs = [(used, form, too, counter) for used, form in mine for too, counter in yours if used or too]
    pairs.sort(key=lambda pair: len({*pair[0], *pair[2]}))
    leaves_of = min(left.leaves, right.leaves)
    best: Comparison | None = None
    for used, form, too, counter in pairs:
        found = _met(form, counter, left, right, leaves_of, prover)
        if found is not None and (best is None or (found.same_concept and not best.same_concept)):
            said = " and ".join(rule.said() for rule in dict.fromkeys((*used, *too)))
            best = Comparison(
                found.relation, found.level, found.same_concept, f"equal with {said} put in: {found.note}"
            )
            if best.same_concept:
                break
    return best


def _met(one: Forms, other: Forms, left: Keys, right: Keys, leaves_of: int, prover: Prover | None) -> Comparison | None:
    """Do two rewritten formulas meet, at K2, K3, by algebra, at sampled solutions, or at K4?"""
    if sorted(map(render, one.noted[0])) == sorted(map(render, other.noted[0])):
        return Comparison("notation", "K2", True, "then the same formula")
    if sorted(map(render, one.bare)) == sorted(map(render, other.bare)):
        return _bare(one, other, False)
    if not same_order(one.noted[0], other.noted[0]):
        return None
    loosely = _loose(one.noted[0]) == _loose(other.noted[0]) is not None
    found = _solved(one, other, "K4" if loosely else "", leaves_of, prover)
    if isinstance(found, Comparison):
        if found.relation == "rearranged":
            return found
        found = None
    if increments(one.noted[0]) != increments(other.noted[0]):
        return None
    if loosely:
        return _up_to_units(one, other, left, right, "K4", found)
    factor = _factor_of_one(one.noted[0], other.noted[0])
    if factor:
        return Comparison(
            "variant", "", False, f"equal up to units and signs if {factor} = 1, which only one of them has"
        )
    return None


def _loose(nodes: list[Node]) -> list[str] | None:
    """What K4 compares, of rewritten trees."""
    found = [equation(node, is_constant) for node in apart([marked(node) for node in nodes])]
    return sorted(loose(*each) for each in found if each) if all(found) else None


def _factor_of_one(one: list[Node], other: list[Node]) -> str:
    """Return the letter that only one of them has and without which K4 compares equal."""
    mine, yours = (_letters_of(nodes) for nodes in (one, other))
    extra = mine ^ yours
    if len(extra) != 1:
        return ""
    (letter,) = extra
    texts = [_loose([substituted(node, {letter: "#1"}) for node in nodes]) for nodes in (one, other)]
    return letter if texts[0] == texts[1] is not None else ""


def _letters_of(nodes: list[Node]) -> set[str]:
    """Letters that are no constants, scripts aside."""
    found = apart([marked(node) for node in nodes])
    return {leaf for node in found for leaf in leaves(node, NORMAL_SHAPES) if is_name(leaf) and not is_constant(leaf)}


_TELLING = frozenset(["k", "\\hbar", "ħ", "ℏ"])


def _by_shipped_rules(one: Forms, other: Forms) -> Comparison | None:
    """Coulomb's constant and h: only where exact algebra agrees with them put in."""
    if _TELLING.isdisjoint(one.formula.tokens) and _TELLING.isdisjoint(other.formula.tokens):
        return None
    rules = shipped(one, other)
    if not rules:
        return None
    for used, form in [((), one), *ways(one, rules)]:
        for too, counter in [((), other), *ways(other, rules)]:
            mine, yours = _spelt_out(form, counter)
            equal = len(mine) == len(yours) and _texts(mine) == _texts(yours) is not None
            if equal and same_order(form.noted[0], counter.noted[0]):
                said = " and ".join(rule.said() for rule in dict.fromkeys((*used, *too)))
                return Comparison("rearranged", "", True, f"equal with {said} put in")
    return None


# -- looser -------------------------------------------------------------------------------------------------------------
def _looser(one: Forms, other: Forms, left: Keys, right: Keys, level: str) -> Comparison:
    if level == "K5":
        enough = (
            min(left.leaves, right.leaves) >= MIN_LEAVES_RENAMED
            and left.equation
            and increments(one.noted[0]) == increments(other.noted[0])
            and _variables(one.named) != _variables(other.named)  # the same letters in other places say something else
        )
        why = (
            "long enough not to coincide by chance"
            if enough
            else "too short for this to mean anything without a second sign"
        )
        return Comparison("renamed", level, enough, f"equal after renaming the variables; {why}")
    share, weight = containment(one, other)
    if share == 1.0 and weight >= SAME_SHAPES and shapes(one.noted[0]).keys() == shapes(other.noted[0]).keys():
        return Comparison(
            "renamed",
            level,
            True,
            "the same terms up to names, constants and signs, and too many of them to coincide by chance",
        )
    if share >= VARIANT and weight >= 6:
        return Comparison(
            "variant",
            level,
            False,
            f"one holds {share:.0%} of the other's terms, weighted by what they say: a special case or an extension",
        )
    if level == "K6":
        return Comparison("different", level, False, "of the same shape, with other variables in other places")
    return Comparison("different", "", False, "no key in common")


def containment(one: Forms, other: Forms) -> tuple[float, float]:
    """Return how much of the smaller formula's terms the other holds (names aside, heavier terms count more), and the weight found."""
    left, right = shapes(one.noted[0]), shapes(other.noted[0])
    if not left or not right:
        return 0.0, 0.0
    common = sum(min(count, right[term][0]) * weight for term, (count, weight) in left.items() if term in right)
    smaller = min(sum(count * weight for count, weight in side.values()) for side in (left, right))
    return common / max(smaller, LEAST), common
