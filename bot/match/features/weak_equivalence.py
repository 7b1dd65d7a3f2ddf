"""Whether two formulas are one where their name is known to be one: annotations stripped, then equal up to units, a sign, or usual other letters."""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import permutations
from typing import NamedTuple, Self, TypeAlias

from bot.discover.candidate_filters import keys_of
from bot.errors import FormulaError
from bot.formula import Comparison
from bot.formula.alignment.compare import ComparisonDigests, comparison_digests
from bot.formula.alignment.differences import first_difference
from bot.formula.features.annotations import increments, strip_annotations
from bot.formula.keys.algebra import equation
from bot.formula.keys.polynomial import CONSTANT_MARK, Polynomial
from bot.formula.keys.solving import coprime
from bot.formula.normal.bound_variables import rename_leaves
from bot.formula.normal.render import render
from bot.formula.normal.stages import normal_forms
from bot.formula.tex.nodes import NormalNode, Relation
from bot.formula.tex.tree import is_variable, leaves
from bot.match.retrieval.index.listed_results import kept_for_list
from bot.match.retrieval.quantities import same_quantity
from bot.messages import Message

SHARED = 0.5  # of the letters; what differs must be usual letters of one quantity
RENAMED = 3  # letters at most: more is another formula, or one that comparison knows by its length
FIXED = frozenset("c e g h i G ħ π".split())  # letters of one thing only: mg is a weight, ma any force
_ARROWS = frozenset("→⟶↦⟼")


@lru_cache(maxsize=2048)
def weakly_equivalent(a: str, b: str) -> Comparison | None:
    """Return how two formulas with one name agree; None if they do not, or differ decisively."""
    try:
        one, other = compared_formula(a).equations, compared_formula(b).equations
        if one is None or other is None:
            return None
        (left, left_free), (right, right_free) = one, other
        found = _equal_trees(left, right)
        if found is None and (left_free is not left or right_free is not right):
            found = _equal_trees(left_free, right_free)
    except (FormulaError, RecursionError):
        return None
    return None if found is None or first_difference(a, [b], same_quantity) else found


class BareEquation(NamedTuple):
    """An equation without annotations; `names` are its letters that are not bound, `mapped` the symbols of a map between sets."""

    tree: NormalNode
    names: frozenset[str]
    mapped: tuple[str, ...]

    @classmethod
    def of(cls, tree: NormalNode) -> Self:
        names = (leaf for leaf in leaves(tree) if is_variable(leaf) and not _is_bound_name(leaf))
        return cls(tree, frozenset(names), _mapping(tree))


_Single: TypeAlias = tuple[BareEquation, BareEquation | None]  # as it is, and with its increments as quantities


_Equations: TypeAlias = tuple[_Single | None, _Single | None]


class ComparedFormula(NamedTuple):
    """What comparisons of names' formulas ask of one formula, made together while its trees are at hand."""

    leaves: int  # 0 without a tree
    digests: ComparisonDigests
    equations: (
        _Equations | None
    )  # the one equation, with numbers for bound names and with these as written; None in it for several


@kept_for_list(maxsize=16384)  # some 3 kB each
def compared_formula(tex: str) -> ComparedFormula:
    """Return what comparisons ask of a formula."""
    found, digests = keys_of(tex), comparison_digests(tex)
    if found is None:
        return ComparedFormula(0, digests, None)
    try:
        return ComparedFormula(found.leaves, digests, _bare_equations(tex))
    except (FormulaError, RecursionError):
        return ComparedFormula(found.leaves, digests, None)


def _bare_equations(tex: str) -> _Equations:
    numbered = _single(strip_annotations(tex))
    found = normal_forms(tex)
    return numbered, numbered if found.normal_with_names == found.normal[0] else _single(
        strip_annotations(tex, bound=False)
    )


def _single(trees: Sequence[NormalNode]) -> _Single | None:
    if len(trees) != 1:
        return None
    grown = increments(trees)
    return BareEquation.of(trees[0]), BareEquation.of(grown[0]) if grown else None


def _equal_trees(left: _Single | None, right: _Single | None) -> Comparison | None:
    if left is None or right is None:
        return None
    return same_equation(left[1], right[1]) if left[1] and right[1] else same_equation(left[0], right[0])


def same_equation(left: BareEquation, right: BareEquation) -> Comparison | None:
    """Return how two equations agree, or None."""
    if left.mapped and left.mapped == right.mapped:
        return Comparison("notation", "", True, Message("note.map"))
    for names in _renamings(left.names, right.names):
        moved = rename_leaves(left.tree, names) if names else left.tree
        message_of_equality = _equal(
            moved, right.tree, signs=all(one.casefold() == other.casefold() for one, other in names.items())
        )
        if message_of_equality:
            if not names:
                return Comparison("notation", "", True, message_of_equality)
            message = Message(
                f"{message_of_equality.code}_names",
                **message_of_equality.values,
                names=_mapping_message(sorted(names.items())),
            )
            return Comparison("renamed", "", True, message)
    return None


def _renamings(left: frozenset[str], right: frozenset[str]) -> Iterator[dict[str, str]]:
    """Yield the ways to write one formula's own letters as the other's; those that both have stand for themselves."""
    if not left:
        return
    shared_letters = left & right
    own, other = (
        sorted(name for name in names - shared_letters if name[:1] != CONSTANT_MARK) for names in (left, right)
    )
    folded = {name.casefold(): name for name in other}
    cases = {name: folded[name.casefold()] for name in own if name.casefold() in folded}
    own = [name for name in own if name not in cases]
    other = [name for name in other if name not in cases.values()]
    shared = len(shared_letters) + len(cases)
    if len(own) != len(other) or len(own) > RENAMED or shared < SHARED * len(left):
        return
    for order in permutations(other):
        pairs = dict(zip(own, order, strict=True))
        if all(_are_usual_letters(one, two) for one, two in pairs.items()):
            yield cases | pairs


def _are_usual_letters(one: str, other: str) -> bool:
    """Both letters, their labels aside, are usual for one quantity."""
    first, second = (name.partition("_")[0].partition("#")[0].rpartition(".")[2] for name in (one, other))
    return first == second or (not {first, second} & FIXED and same_quantity(first, second))


def _equal(left: NormalNode, right: NormalNode, *, signs: bool) -> Message | None:
    """Return how two trees are equal, None if they are not. Signs may differ only if all letters are the same."""
    one, other = equation(left), equation(right)
    if one is None or other is None or one[0] != other[0]:
        return Message("note.dressing") if render(left) == render(right) else None
    if _equal_up_to_one_sign(one[1], other[1], signs=signs):
        return Message("note.dressing_sign")
    units = _constants(left) ^ _constants(right)
    if units - {CONSTANT_MARK + "π", CONSTANT_MARK + "i"}:  # 1/4πε₀ in one, k in the other
        one, other = equation(left, constants=False), equation(right, constants=False)
        if (
            one
            and other
            and len(one[1].atoms) > 2
            and _equal_up_to_one_sign(one[1], other[1], signs=False, numbers=False)
        ):
            return Message("note.units", units=", ".join(sorted(name[1:] for name in units)))
    return None


def _equal_up_to_one_sign(one: Polynomial, other: Polynomial, *, signs: bool, numbers: bool = True) -> bool:
    """The same terms, the same numbers, and at most one sign that differs."""
    left, right = _terms(one), _terms(other)
    if left.keys() != right.keys() or len(left) != len(one.terms) or len(right) != len(other.terms):
        return False
    if numbers and any(abs(left[key]) != abs(right[key]) for key in left):
        return False
    sign_changes = sum((left[key] > 0) != (right[key] > 0) for key in left)
    return min(sign_changes, len(left) - sign_changes) <= (1 if signs else 0)


def _terms(found: Polynomial) -> dict[tuple[tuple[str, str], ...], float]:
    return {
        tuple(sorted((key, str(power)) for key, power in powers.items())): float(number)
        for number, powers in coprime(found.terms)
    }


def _constants(node: NormalNode) -> set[str]:
    return {leaf for leaf in leaves(node) if leaf[:1] == CONSTANT_MARK}


def _is_bound_name(leaf: str) -> bool:
    return leaf[:1] == "δ" and leaf[1:].isdigit()


def _mapping_message(names: Sequence[tuple[str, str]]) -> Message:
    """Which letter stands for which, in a message."""
    (old, new), *rest = names
    one = Message("for.one", new=_leaf_text(new), old=_leaf_text(old))
    return Message("for.more", one=one, more=_mapping_message(rest)) if rest else one


def _leaf_text(name: str) -> str:
    """A leaf as a reviewer reads it."""
    return re.sub(r'["#%]|^b\.', "", name).rstrip("_")


def _mapping(node: NormalNode) -> tuple[str, ...]:
    """Return the symbols of a map between sets in their order: f : A → B and f A → B are the same."""
    if node.__class__ is not Relation or not _ARROWS.intersection(node.signs):
        return ()
    return tuple(leaves(node)) + tuple(sign for sign in node.signs if sign != ":")
