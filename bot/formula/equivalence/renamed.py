"""The same with other names: equal after renaming the variables (K5); or only related by terms that both have."""

from collections.abc import Mapping, Sequence

from bot.formula.equivalence.analysed import AnalysedFormula
from bot.formula.equivalence.comparison import Comparison
from bot.formula.tex.nodes import EMPTY, Derivative, Fenced, NormalNode, Scripts
from bot.formula.tex.tree import leaves, walk
from bot.messages import Message

# Renamed formulas of fewer leaves coincide by chance: of 178 groups on the items of 2019 only the 41 of eight leaves and more are mostly real.
# Six make three more false claims on the 352 labelled pairs of docs/compare.md.
MIN_LEAVES_RENAMED = 8
# A formula is a variant of another from this share of its terms on; random pairs stay below .3, and hardly any pair lies between .6 and .9.
VARIANT = 0.75
# Formulas whose terms weigh less are not a standard to measure a share by; 3 and 9 move 19 and 16 of 3,865 pairs between variant and different.
MIN_SHARED_WEIGHT = 6.0


def compare_renamed(one: AnalysedFormula, other: AnalysedFormula) -> Comparison:
    """Compare two formulas that are equal at K5."""
    long = min(one.keys.leaves, other.keys.leaves) >= MIN_LEAVES_RENAMED
    if long and one.keys.equation and is_renaming(one, other):
        return Comparison("renamed", "K5", True, Message("note.renamed"))
    return Comparison("different", "K5", False, Message("note.renamed_short"))


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
    )


def state_functions(trees: Sequence[NormalNode]) -> set[str]:
    """Return the letters in derivatives at a constant quantity, (∂T/∂p)_H, small and large alike; not those of the dot of q_i."""
    found: set[str] = set()
    for part in walk(trees):
        match part:
            case Scripts(Derivative(_, ((by, _),)) | Fenced("", "|", Derivative(_, ((by, _),))), low, "") if (
                low != EMPTY and by not in ("t", "~x")
            ):
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
