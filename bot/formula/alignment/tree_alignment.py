"""Two statements laid over each other: which quantity of the one stands where which of the other does, and how their names differ."""

import math
from collections.abc import Callable, Iterator
from itertools import product
from math import factorial, prod
from typing import NamedTuple

from bot.formula.alignment.equations import INDEX, Equation, Symbol, WrittenTerm

UsualLetters = Callable[[str, str], bool]
MOST_WAYS = 720  # six quantities of one look; beyond, only equal names are laid on each other
_SYMMETRIC = frozenset("=≠")
# Costs, in letters changed. They order the ways of one pair and bound the search; how much each counts as evidence is fitted (equivalence.json).
_USUAL = 0.6  # a letter that is usual for the same quantity; no other letter than a capital for a small one costs less
_DIFFERS = 3.0  # a label or a sign that says another thing: more than any alignment that is believed, see WORTH
_SLACK = 1e-9  # of sums of such costs


class Alignment(NamedTuple):
    """How two statements of one shape differ, in letters and marks; `others` are the letters that nothing explains."""

    letters: int
    kept: int
    near: int  # capital for small, calligraphic for plain
    usual: tuple[tuple[str, str], ...]  # both usual for one quantity
    others: tuple[tuple[str, str], ...]
    labels: int  # labels that say different things where labels tell quantities apart
    unlabelled: int  # labels that only one has
    told: int  # labels and styles that tell quantities apart, and agree
    turned: bool  # a sign differs
    primed: bool  # one differentiates by a prime, the other does not
    whole: bool  # each is all that its formula states
    constants: bool  # constants stand in one that are not in the other
    ordered: bool  # they state an order: turned, they say the opposite

    @property
    def short(self) -> bool:
        """So few quantities that the sign is half of what is said: p = ρ is not p = −ρ."""
        return self.letters + self.told < 3

    @property
    def cost(self) -> float:
        """How far the two are apart; labels and signs that are what is said weigh more than any letters."""
        differs = self.labels + (self.turned and (self.short or self.ordered))
        letters = len(self.others) + _USUAL * len(self.usual) + 0.2 * self.near
        return letters + _DIFFERS * differs + 0.3 * self.unlabelled + 0.2 * self.turned


def no_usual_letters(one: str, other: str) -> bool:
    """Know no letters that are usual for one quantity."""
    return False


def best_alignment(
    a: Equation, b: Equation, usual: UsualLetters = no_usual_letters, most: float = math.inf
) -> Alignment | None:
    """Return how one can be written as the other with the fewest letters changed; None where their shapes differ.

    None, too, where every way costs more than `most`.
    """
    crossed = most >= _DIFFERS
    if a.shape != b.shape or not (crossed or _can_keep_letters(a, b, most)) or not _shares_a_letter(a, b):
        return None
    best: Alignment | None = None
    target: list[WrittenTerm] = []
    for pairs in _pairings(a, b, crossed):
        found = _alignment_of_pairs(a, b, pairs, usual, most)
        if found is None or (best is not None and found.cost >= best.cost):
            continue
        names = {one.name: other.name for one, other in pairs}
        moved, target = a.written(names), target or b.written({})
        if [term[:2] for term in moved] == [term[:2] for term in target]:
            whole = _signs(moved, target, a.sign not in _SYMMETRIC)
            best = found if whole else found._replace(turned=True)
    return best if best is None or best.cost <= most else None


def _shares_a_letter(a: Equation, b: Equation) -> bool:
    """Something must stay: a letter in its place, or a label that tells quantities apart."""
    return not a.placed.isdisjoint(b.placed) or any(s.label or s.style for s in a.symbols)


def _can_keep_letters(a: Equation, b: Equation, most: float) -> bool:
    """Tell whether letters of both can stay where they are, and so few others be changed that this costs no more than `most`."""
    both = a.letters & b.letters
    if len(a.letters) != len(b.letters) or len(a.standing & b.standing) != len(both):
        return False
    changed = len(a.letters) - len(both)
    if _USUAL * changed <= most:
        return True
    small = [{letter.casefold() for letter in each - both} for each in (a.letters, b.letters)]
    return _USUAL * len(small[0] - small[1]) <= most


def _pairings(a: Equation, b: Equation, crossed: bool) -> Iterator[tuple[tuple[Symbol, Symbol], ...]]:
    """Yield the pairings of symbols of one colour; without `crossed` those where no letter of both is laid on another."""
    mine, yours = a.by_colour, b.by_colour
    if len(mine) == len(a.symbols):  # each stands in a place of its own
        yield tuple([(found[0], yours[colour][0]) for colour, found in mine.items()])
        return
    if prod(factorial(len(found)) for found in mine.values()) > MOST_WAYS:
        same = {s.name for s in a.symbols} & {s.name for s in b.symbols}
        if len(same) < len(a.symbols):
            return
        yield tuple((s, s) for s in a.symbols)
        return
    fixed: frozenset[str] = frozenset() if crossed else a.letters & b.letters
    choices = [list(_orders(found, yours[colour], fixed)) for colour, found in mine.items()]
    for chosen in product(*choices):
        yield tuple([pair for part in chosen for pair in part])


def _orders(
    mine: tuple[Symbol, ...], yours: tuple[Symbol, ...], fixed: frozenset[str]
) -> Iterator[tuple[tuple[Symbol, Symbol], ...]]:
    """Yield the ways to pair symbols, by their order in `yours`; `fixed` letters are paired with themselves."""
    if not mine:
        yield ()
        return
    one = mine[0]
    for place, other in enumerate(yours):
        if one.letter == other.letter or not (one.letter in fixed or other.letter in fixed):
            for rest in _orders(mine[1:], (*yours[:place], *yours[place + 1 :]), fixed):
                yield ((one, other), *rest)


def _alignment_of_pairs(
    a: Equation, b: Equation, pairs: tuple[tuple[Symbol, Symbol], ...], usual: UsualLetters, most: float
) -> Alignment | None:
    """Return how the two differ when laid so, None where letters alone, or one of them crossed, cost more than `most`."""
    letters = {(one.letter, other.letter) for one, other in pairs}
    changed = [pair for pair in letters if pair[0] != pair[1]]
    near = [pair for pair in changed if pair[0].casefold() == pair[1].casefold()]
    known = [pair for pair in changed if pair not in near and usual(*pair)]
    if len(changed) - len(near) - (1 - _USUAL) * len(known) > most + _SLACK:
        return None
    mine, yours = {one for one, _ in letters}, {other for _, other in letters}
    # One letter for two, or a letter of both in another place: the same letters say something else there.
    moved = any([one in yours or other in mine for one, other in changed])
    crossed = moved or len(mine) != len(letters) or len(yours) != len(letters)
    if crossed and most < _DIFFERS:
        return None
    others = tuple(sorted([pair for pair in changed if pair not in near and pair not in known]))
    marks = [_label(one, other) for one, other in pairs]
    return Alignment(
        letters=len(letters),
        kept=len(letters) - len(changed),
        near=len(near),
        usual=tuple(sorted(known)),
        others=others,
        labels=marks.count(2) + crossed,
        unlabelled=marks.count(1),
        told=sum(bool(one.label or one.style) for one, _ in pairs) - marks.count(2),
        turned=False,
        primed=a.primed != b.primed,
        whole=a.whole and b.whole,
        constants=a.constants != b.constants,
        ordered=a.sign not in _SYMMETRIC,
    )


def _label(one: Symbol, other: Symbol) -> int:
    """0 for marks that agree (c, cr and crit; any two indices), 1 where only one has a label, 2 where they say different things."""
    if one.style != other.style:
        return 2
    a, b = one.label.casefold().replace("ℓ", "l"), other.label.casefold().replace("ℓ", "l")
    if a == b or (a[:1] == b[:1] == INDEX):
        return 0
    if not a or not b:
        return 1
    return 0 if a.startswith(b) or b.startswith(a) else 2


def _signs(moved: list[WrittenTerm], target: list[WrittenTerm], ordered: bool) -> bool:
    """An equation may be multiplied by −1, an order may not."""
    agree = [one[2] == other[2] for one, other in zip(moved, target, strict=True)]
    return all(agree) or not (ordered or any(agree))
