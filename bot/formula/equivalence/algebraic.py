"""Rearranged: equal by exact algebra on one side, at sampled solutions, or up to units (K4)."""

from bot.formula.equivalence.analysed import AnalysedFormula
from bot.formula.equivalence.comparison import Comparison, ProofSearch
from bot.formula.equivalence.order import has_same_products
from bot.formula.equivalence.units import compare_up_to_units
from bot.formula.keys.algebra import exact_texts
from bot.formula.keys.expanded import expand_abbreviations
from bot.formula.normal.scripts import without_needless_scripts
from bot.formula.numeric.sampling import SolutionVerdict, compare_solutions
from bot.formula.numeric.system_pair import read_system_pair
from bot.formula.tex.nodes import NormalNode, Product, Scripts
from bot.formula.tex.tree import children, is_statement
from bot.messages import Message

MIN_LEAVES = (
    3  # a shorter equation is not evidence; from five on, 19 of the 352 labelled pairs of docs/compare.md are missed
)


def compare_by_algebra(
    one: AnalysedFormula, other: AnalysedFormula, level: str, prover: ProofSearch | None
) -> Comparison | None:
    """Compare two formulas of equal letters, or equal at K4; None where they do not meet."""
    if level != "K4" and one.letters != other.letters:
        return None  # algebra alone keeps the letters, unless one cancels
    if one.products != other.products and not has_same_products(one.products, other.products):
        return Comparison("variant", level, False, Message("note.order_numbers")) if level == "K4" else None
    found = compare_rearranged(one, other, level, prover)
    if isinstance(found, Comparison):
        return found
    if level != "K4":
        return None
    if one.increments != other.increments:
        return Comparison("variant", level, False, Message("note.increments"))
    return compare_up_to_units(one, other, found)


def compare_rearranged(
    one: AnalysedFormula, other: AnalysedFormula, level: str, prover: ProofSearch | None
) -> Comparison | SolutionVerdict | None:
    """Compare by exact algebra and at sampled solutions; where these do not join the two, return what sampling says."""
    left, right, texts = one.expanded, other.expanded, (one.exact, other.exact)
    if "d" in one.increments ^ other.increments and not {"∂", "\\partial"}.intersection(
        (*one.form.formula.tokens, *other.form.formula.tokens)
    ):
        # differentials here and perhaps a derivative there: dW/dx is one differential over another
        left, right = (
            without_needless_scripts(expand_abbreviations(each.nodes, quotients=True)) for each in (one, other)
        )
        texts = exact_texts(left), exact_texts(right)
    if len(left) != len(right) or not all(map(is_statement, left + right)):
        return None
    if texts[0] == texts[1] is not None:
        return _algebraic(left, right, level)
    if one.letters != other.letters or min(one.keys.leaves, other.keys.leaves) < MIN_LEAVES:
        return None
    pair = read_system_pair(left, right)
    verdict = compare_solutions(pair)
    if verdict.outcome in ("implies", "implied"):
        return Comparison("variant", level, False, Message("note.one_way"))
    if verdict.outcome != "same":
        return verdict
    principal = "_principal" if verdict.principal else ""
    if prover is not None and pair is not None and prover.proves(pair):
        return Comparison("rearranged", level, True, Message(f"note.proved{principal}"))
    return Comparison("rearranged", level, True, Message(f"note.sampled{principal}", n=verdict.points))


def _algebraic(one: list[NormalNode], other: list[NormalNode], level: str) -> Comparison:
    """Algebra takes x = y and x² = y² as equal: if squares or roots may have been dropped, solutions decide."""
    if not any(map(_has_even_power, one + other)):
        return Comparison("rearranged", level, True, Message("note.algebra"))
    verdict = compare_solutions(read_system_pair(one, other))
    if verdict.outcome in ("same", "unknown"):
        message = Message("note.algebra_principal" if verdict.principal else "note.algebra")
        return Comparison("rearranged", level, True, message)
    return Comparison(
        "variant", level, False, Message("note.root_signs" if verdict.outcome == "unlike" else "note.one_way")
    )


def _has_even_power(node: NormalNode) -> bool:
    """Tell whether a tree has an even power or a root."""
    if node.__class__ is str:
        return False
    if node.__class__ is Scripts and node.high:
        power = node.high
        if power.__class__ is str:
            return power[:1] == "#" and power[-1:] in "02468"
        if power.__class__ is Product and len(power.denominator) == 1:
            return True
    return any(map(_has_even_power, children(node)))
