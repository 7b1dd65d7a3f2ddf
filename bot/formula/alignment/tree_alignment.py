"""Alignment of two equations: which quantity of the one corresponds to which of the other, and how their names differ."""

import math
from collections.abc import Callable, Iterator
from itertools import product
from math import factorial, prod
from typing import NamedTuple

from bot.formula.alignment.equations import INDEX, Equation, Symbol, WrittenTerm

UsualLetters = Callable[[str, str], bool]
MAX_PAIRINGS = 720  # six quantities in equivalent places; beyond, only equal names are paired
_SYMMETRIC = frozenset("=≠")
# Costs, in letters changed. They order the pairings and bound the search; their weights as evidence are fitted (equivalence.json).
_USUAL_COST = 0.6  # a letter that is usual for the same quantity; only a capital for a small letter costs less
_CONFLICT_COST = 3.0  # a label or a sign of another meaning: more than any accepted alignment, see MAX_SUPPORTED_COST
_COST_TOLERANCE = 1e-9  # of sums of such costs


class Alignment(NamedTuple):
    """How two equations of one shape differ in letters and marks; `unexplained_pairs` are letters that differ without a known reason."""

    letters: int
    unchanged: int
    case_variants: int  # capital for small, calligraphic for plain
    usual_pairs: tuple[tuple[str, str], ...]  # both usual for one quantity
    unexplained_pairs: tuple[tuple[str, str], ...]
    conflicting_labels: int  # of different meaning where labels distinguish quantities
    one_sided_labels: int  # labels on one side only
    matching_marks: int  # equal labels and styles that distinguish quantities
    sign_differs: bool  # a sign differs
    prime_differs: bool  # one differentiates by a prime, the other does not
    whole_formulas: bool  # each is the only equation of its formula
    constants_differ: bool  # one has constants that the other lacks
    is_order: bool  # inequalities, which with other signs state the opposite

    @property
    def is_short(self) -> bool:
        """Tell equations of so few quantities that the sign matters: p = ρ is not p = −ρ."""
        return self.letters + self.matching_marks < 3

    @property
    def cost(self) -> float:
        """Return the cost of the differences; decisive labels and signs cost more than any letters."""
        differs = self.conflicting_labels + (self.sign_differs and (self.is_short or self.is_order))
        letters = len(self.unexplained_pairs) + _USUAL_COST * len(self.usual_pairs) + 0.2 * self.case_variants
        return letters + _CONFLICT_COST * differs + 0.3 * self.one_sided_labels + 0.2 * self.sign_differs


def no_usual_letters(one: str, other: str) -> bool:
    """Return False: no letters are known to be usual for one quantity."""
    return False


def best_alignment(
    a: Equation, b: Equation, usual: UsualLetters = no_usual_letters, most: float = math.inf
) -> Alignment | None:
    """Return how one is written as the other with the fewest changed letters; None if their shapes differ.

    None, too, where every way costs more than `most`.
    """
    crossed = most >= _CONFLICT_COST
    if a.shape != b.shape or not (crossed or _can_keep_letters(a, b, most)) or not _shares_a_letter(a, b):
        return None
    best: Alignment | None = None
    target: list[WrittenTerm] = []
    for pairs in _pairings(a, b, crossed):
        found = _alignment_of_pairs(a, b, pairs, usual, most)
        if found is None or (best is not None and found.cost >= best.cost):
            continue
        names = {one.name: other.name for one, other in pairs}
        moved, target = a.terms_with_names(names), target or b.terms_with_names({})
        if [term[:2] for term in moved] == [term[:2] for term in target]:
            whole = _signs_agree(moved, target, a.sign not in _SYMMETRIC)
            best = found if whole else found._replace(sign_differs=True)
    return best if best is None or best.cost <= most else None


def _shares_a_letter(a: Equation, b: Equation) -> bool:
    """Tell whether a letter keeps its place, or the equations share a label that distinguishes quantities."""
    return not a.letter_places.isdisjoint(b.letter_places) or any(s.label or s.style for s in a.symbols)


def _can_keep_letters(a: Equation, b: Equation, most: float) -> bool:
    """Tell whether shared letters can stay in their places at a cost of at most `most`."""
    both = a.letters & b.letters
    if len(a.letters) != len(b.letters) or len(a.places_by_letter & b.places_by_letter) != len(both):
        return False
    changed = len(a.letters) - len(both)
    if _USUAL_COST * changed <= most:
        return True
    small = [{letter.casefold() for letter in each - both} for each in (a.letters, b.letters)]
    return _USUAL_COST * len(small[0] - small[1]) <= most


def _pairings(a: Equation, b: Equation, crossed: bool) -> Iterator[tuple[tuple[Symbol, Symbol], ...]]:
    """Yield the pairings of symbols in equivalent places; without `crossed` only those where shared letters are paired with themselves."""
    left, right = a.symbols_by_place, b.symbols_by_place
    if len(left) == len(a.symbols):  # all places are different
        yield tuple([(found[0], right[colour][0]) for colour, found in left.items()])
        return
    if prod(factorial(len(found)) for found in left.values()) > MAX_PAIRINGS:
        same = {s.name for s in a.symbols} & {s.name for s in b.symbols}
        if len(same) < len(a.symbols):
            return
        yield tuple((s, s) for s in a.symbols)
        return
    fixed: frozenset[str] = frozenset() if crossed else a.letters & b.letters
    choices = [list(_orders(found, right[colour], fixed)) for colour, found in left.items()]
    for pairing in product(*choices):
        yield tuple([pair for part in pairing for pair in part])


def _orders(
    left: tuple[Symbol, ...], right: tuple[Symbol, ...], fixed: frozenset[str]
) -> Iterator[tuple[tuple[Symbol, Symbol], ...]]:
    """Yield the ways to pair symbols, by their order in `right`; `fixed` letters are paired with themselves."""
    if not left:
        yield ()
        return
    one = left[0]
    for index, other in enumerate(right):
        if one.letter == other.letter or not (one.letter in fixed or other.letter in fixed):
            for rest in _orders(left[1:], (*right[:index], *right[index + 1 :]), fixed):
                yield ((one, other), *rest)


def _alignment_of_pairs(
    a: Equation, b: Equation, pairs: tuple[tuple[Symbol, Symbol], ...], usual: UsualLetters, most: float
) -> Alignment | None:
    """Return how the two differ in this pairing, None where letters alone, or a crossed one, cost more than `most`."""
    letters = {(one.letter, other.letter) for one, other in pairs}
    changed = [pair for pair in letters if pair[0] != pair[1]]
    near = [pair for pair in changed if pair[0].casefold() == pair[1].casefold()]
    usual_pairs = [pair for pair in changed if pair not in near and usual(*pair)]
    if len(changed) - len(near) - (1 - _USUAL_COST) * len(usual_pairs) > most + _COST_TOLERANCE:
        return None
    left, right = {one for one, _ in letters}, {other for _, other in letters}
    # One letter for two, or a shared letter in another place: the same letters with another meaning.
    moved = any([one in right or other in left for one, other in changed])
    crossed = moved or len(left) != len(letters) or len(right) != len(letters)
    if crossed and most < _CONFLICT_COST:
        return None
    others = tuple(sorted([pair for pair in changed if pair not in near and pair not in usual_pairs]))
    marks = [_compare_labels(one, other) for one, other in pairs]
    return Alignment(
        letters=len(letters),
        unchanged=len(letters) - len(changed),
        case_variants=len(near),
        usual_pairs=tuple(sorted(usual_pairs)),
        unexplained_pairs=others,
        conflicting_labels=marks.count(2) + crossed,
        one_sided_labels=marks.count(1),
        matching_marks=sum(bool(one.label or one.style) for one, _ in pairs) - marks.count(2),
        sign_differs=False,
        prime_differs=a.has_prime_derivative != b.has_prime_derivative,
        whole_formulas=a.is_whole_formula and b.is_whole_formula,
        constants_differ=a.constants != b.constants,
        is_order=a.sign not in _SYMMETRIC,
    )


def _compare_labels(one: Symbol, other: Symbol) -> int:
    """Return 0 for equal marks (c, cr and crit; any two indices), 1 where only one has a label, 2 for different ones."""
    if one.style != other.style:
        return 2
    a, b = one.label.casefold().replace("ℓ", "l"), other.label.casefold().replace("ℓ", "l")
    if a == b or (a[:1] == b[:1] == INDEX):
        return 0
    if not a or not b:
        return 1
    return 0 if a.startswith(b) or b.startswith(a) else 2


def _signs_agree(moved: list[WrittenTerm], target: list[WrittenTerm], ordered: bool) -> bool:
    """Tell whether the signs agree; an equation, not an inequality, may be multiplied by −1."""
    agree = [one[2] == other[2] for one, other in zip(moved, target, strict=True)]
    return all(agree) or not (ordered or any(agree))
