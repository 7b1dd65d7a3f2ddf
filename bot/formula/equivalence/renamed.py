"""The same with other names: equal after renaming the variables (K5); or only related by terms that both have."""

import re
from collections.abc import Mapping, Sequence
from itertools import combinations, starmap

from bot.formula.equivalence.analysed import AnalysedFormula
from bot.formula.equivalence.comparison import Comparison
from bot.formula.equivalence.unscripted import has_other_labels
from bot.formula.keys.alpha_equivalence import canonical_names, plain_name
from bot.formula.tex.nodes import EMPTY, Accented, Derivative, FunctionCall, NormalNode, Scripts
from bot.formula.tex.tree import leaves, walk
from bot.messages import Message

_ACCENT = re.compile(r"(?<=.)(?:hat|tilde|bar|check|breve)\Z")
# Renamed formulas of fewer leaves coincide by chance: of 178 groups on the items of 2019 only the 41 of eight leaves and more are mostly real.
# Six make three more false claims on the 352 labelled pairs of docs/compare.md.
MIN_LEAVES_RENAMED = 8
# A formula is a variant of another from this share of its terms on; random pairs stay below .3, and hardly any pair lies between .6 and .9.
VARIANT = 0.75
# Formulas whose terms weigh less are not a standard to measure a share by; 3 and 9 move 19 and 16 of 3,865 pairs between variant and different.
MIN_SHARED_WEIGHT = 6.0


def compare_renamed(one: AnalysedFormula, other: AnalysedFormula) -> Comparison:
    """Compare two formulas that are equal at K5."""
    if one.keys.equation and is_renaming(one, other):
        if has_same_letters(one, other):
            return Comparison("renamed", "K5", True, Message("note.same_letters"))
        if min(one.keys.leaves, other.keys.leaves) >= MIN_LEAVES_RENAMED:
            return Comparison("renamed", "K5", True, Message("note.renamed"))
    code = "accents" if has_other_accents(one, other) else "renamed_short"
    return Comparison("different", "K5", False, Message(f"note.{code}"))


def is_renaming(one: AnalysedFormula, other: AnalysedFormula) -> bool:
    """Tell whether formulas that are equal up to names differ in names only; the same letters in other places say something else."""
    return (
        one.increments == other.increments
        and one.variables != other.variables
        and _uses_of_planck_constant(one) == _uses_of_planck_constant(other)  # ħ is never another quantity
        and state_functions(one.nodes) == state_functions(other.nodes)  # (∂T/∂p)_H is not another name for (∂T/∂V)_U
        and (
            one.distinct_variables != other.distinct_variables or len(one.variables - other.variables) > 1
        )  # r_p is not another name for r_s
        and one.number_of_indexed_letters == other.number_of_indexed_letters  # x_{k+1} and x_k are of one letter
        and not has_exchanged_labels(one, other)
        and not has_other_accents(one, other)
        and not has_other_labels(one, other)
    )


def has_same_letters(one: AnalysedFormula, other: AnalysedFormula) -> bool:
    """Tell whether two formulas that are equal up to names have the same letters, in another type or with a hat: H and Ĥ, L and ℒ."""
    names = plain_names(one)
    return len(set(names)) == len(names) and names == plain_names(other)


def plain_names(formula: AnalysedFormula) -> list[str]:
    """Return the formula's variables in canonical order, each as its letter without type and hat."""
    return list(map(plain_name, canonical_names(formula.form.normal_with_names)))


def has_exchanged_labels(one: AnalysedFormula, other: AnalysedFormula) -> bool:
    """Tell whether two formulas that are equal up to names are so only once labels change places.

    Those of one letter alone: m_1 r_2 + m_2 r_1 is no other name for m_1 r_1 + m_2 r_2; or a label and none: I_c = I + md² for I = I_c + md².
    """
    names = _names_with_labels(one, other)
    moves: dict[str, dict[str, str]] = {}  # of each letter, what becomes of its labels
    for (letter, label), (new_letter, new_label) in names:
        moves.setdefault(letter, {})[label] = new_label
        if label and (new_letter, new_label) == (letter, "") and ((letter, ""), (letter, label)) in names:
            return True
    return any(starmap(_go_elsewhere, combinations(moves.values(), 2)))


def is_relabelled(one: AnalysedFormula, other: AnalysedFormula) -> bool:
    """Tell whether two formulas that are equal up to names have the same letters, with labels that stay together: n_i sin θ_i, n_1 sin θ_1."""
    names = _names_with_labels(one, other)
    relabelled = any(name != new_name for name, new_name in names)
    return (
        relabelled and all(name[0] == new_name[0] for name, new_name in names) and not has_exchanged_labels(one, other)
    )


def _names_with_labels(one: AnalysedFormula, other: AnalysedFormula) -> list[tuple[tuple[str, str], tuple[str, str]]]:
    """Return each variable of the one as letter and label, with what it is in the other."""
    names, others = (canonical_names(each.form.normal_with_names) for each in (one, other))
    if len(names) != len(others):
        return []
    return list(zip(map(_letter_and_label, names), map(_letter_and_label, others), strict=True))


def has_other_accents(one: AnalysedFormula, other: AnalysedFormula) -> bool:
    """Tell whether other accents tell two quantities of one letter apart: Ŷ and Ȳ, which is explained, are no names for y and ŷ, which is left.

    A transform of a function has whatever accent: f̄(s), f̃(s).
    """
    if any(part.__class__ is FunctionCall and part.function.__class__ is Accented for part in walk(one.nodes)):
        return False
    accents: dict[tuple[str, str], set[tuple[str, str]]] = {}
    for (name, _), (new_name, _) in _names_with_labels(one, other):
        (letter, accent), (new_letter, new_accent) = _letter_and_accent(name), _letter_and_accent(new_name)
        accents.setdefault((letter, new_letter), set()).add((accent, new_accent))
    return any(len(pairs) > 1 and {old for old, _ in pairs} != {new for _, new in pairs} for pairs in accents.values())


def _letter_and_accent(name: str) -> tuple[str, str]:
    found = _ACCENT.search(name)
    return (plain_name(name[: found.start()]), found[0].replace("tilde", "hat")) if found else (plain_name(name), "")


def _go_elsewhere(first: Mapping[str, str], second: Mapping[str, str]) -> bool:
    """Tell whether the labels that two letters share become the same ones, each in another order."""
    common = first.keys() & second.keys()
    left, right = ([each[label] for label in common] for each in (first, second))
    return left != right and set(left) == set(right)


def _letter_and_label(name: str) -> tuple[str, str]:
    letter, _, label = name.partition("_")
    return letter, label.partition("^;")[0].lstrip('"%')


def state_functions(trees: Sequence[NormalNode]) -> set[str]:
    """Return the letters in derivatives at a constant quantity, (∂T/∂p)_H, small and large alike; not those of the dot of q_i."""
    found: set[str] = set()
    for part in walk(trees):
        match part:
            case Scripts(Derivative(_, ((by, _),)), low, "") if low != EMPTY and by not in ("t", "~x"):
                found.update(leaf.casefold() for leaf in leaves(part))
    return found


def _uses_of_planck_constant(formula: AnalysedFormula) -> int:
    return sum(list(leaves(node)).count("ħ") for node in formula.nodes)


def compare_terms(one: AnalysedFormula, other: AnalysedFormula, level: str) -> Comparison:
    """Compare two formulas by their terms, if no other comparison relates them."""
    left, right = one.shapes, other.shapes
    share, weight = containment(left, right)
    if share >= VARIANT and weight >= MIN_SHARED_WEIGHT:
        return Comparison("variant", level, False, Message("note.share", percent=f"{share:.0%}"))
    if level == "K6":
        return Comparison("different", level, False, Message("note.shape"))
    return Comparison("different", "", False, Message("note.nothing"))


def containment(left: Mapping[str, tuple[int, float]], right: Mapping[str, tuple[int, float]]) -> tuple[float, float]:
    """Return how much of the smaller formula's terms the other holds (heavier terms count more), and the weight found; see `shapes`."""
    if not left or not right:
        return 0.0, 0.0
    common = sum(min(count, right[term][0]) * weight for term, (count, weight) in left.items() if term in right)
    smaller = min(sum(count * weight for count, weight in side.values()) for side in (left, right))
    return common / max(smaller, MIN_SHARED_WEIGHT), common
