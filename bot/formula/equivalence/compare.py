"""How two formulas are related, in one word, with the key level at which they meet and a sentence a reviewer reads.

From sure to unsure: the same string, keys K0 to K3, exact algebra on one side, sampled solutions, K4, known substitutions, renaming, shared
terms. `same_concept` prefers to miss: short formulas that only share their shape are different (p = mv, F = ma, V = IR).
"""

from __future__ import annotations

from collections.abc import Sequence

from bot.errors import FormulaError
from bot.formula.equivalence.algebraic import bare, same_order, solved
from bot.formula.equivalence.analysed import Side, side
from bot.formula.equivalence.comparison import Comparison as Comparison
from bot.formula.equivalence.comparison import ProofSearch
from bot.formula.equivalence.rules import SubstitutionRule, read_rule
from bot.formula.equivalence.substitutions import by_rules, by_shipped_rules
from bot.formula.equivalence.units import up_to_units
from bot.formula.keys.levels import LEVELS, shown_alike
from bot.formula.keys.shapes import shapes
from bot.formula.normal.stages import Forms
from bot.formula.tex.clean import clean
from bot.messages import Message

# Renamed formulas of fewer leaves coincide by chance: of 178 groups on the items of 2019 only the 41 of eight leaves and more are mostly real.
MIN_LEAVES_RENAMED = 8
# A formula is a variant of another from this share of its terms on; random pairs stay below .3.
VARIANT = 0.75
LEAST = 6.0  # formulas that say less than this are no standard to measure a share by
SAME_SHAPES = 14.0  # weight of terms (see shapes) from which equal shapes on both sides mean the same formula


def compare(
    a: str, b: str, rules: Sequence[str | SubstitutionRule] = (), prover: ProofSearch | None = None
) -> Comparison:
    """Compare two formulas; what has no tree is only compared as a string.

    `rules` are substitutions `symbol = expression` that hold where the formulas come from (FormulaError for one that is none); they are tried
    where the formulas do not meet without them. A `prover` is asked to confirm what sampling finds.
    """
    known = [read_rule(rule) if isinstance(rule, str) else rule for rule in rules]
    if "".join(clean(a).split()) == "".join(clean(b).split()):
        return Comparison("identical", "K0", True, Message("note.characters"))
    try:
        one, other = side(a), side(b)
        plain = _plain(one, other, prover)
        if plain.same_concept and not (known and plain.loose):
            return plain
        met = by_rules(one, other, known, prover) if known else None
        if plain.same_concept:
            return met if met and met.same_concept and not met.loose else plain
        return met or by_shipped_rules(one, other) or plain
    except FormulaError as error:
        return Comparison("different", "", False, Message("note.unreadable", error=str(error)))
    except RecursionError:
        return Comparison("different", "", False, Message("note.too_deep"))


def _plain(one: Side, other: Side, prover: ProofSearch | None) -> Comparison:
    level = next((level for level in LEVELS if one.keys.at(level) == other.keys.at(level)), "")
    if level == "K0":
        return Comparison("identical", level, True, Message("note.tokens"))
    if level == "K1":
        return Comparison("typographic", level, True, Message("note.typographic"))
    if level == "K2":
        return Comparison("notation", level, True, Message("note.notation"))
    if level == "K3":
        return bare(one, other, one.keys.K5 == other.keys.K5 and shown_alike(one.form, other.form))
    return _rearranged(one, other, level, prover) or _looser(one, other, level)


def _rearranged(one: Side, other: Side, level: str, prover: ProofSearch | None) -> Comparison | None:
    if level != "K4" and one.letters != other.letters:
        return None  # algebra alone keeps the letters, unless one cancels
    if not same_order(one, other):
        return Comparison("variant", level, False, Message("note.order_numbers")) if level == "K4" else None
    found = solved(one, other, level, prover)
    if isinstance(found, Comparison):
        return found
    if level != "K4":
        return None
    if one.increments != other.increments:
        return Comparison("variant", level, False, Message("note.increments"))
    return up_to_units(one, other, level, found)


# -- looser -------------------------------------------------------------------------------------------------------------
def _looser(one: Side, other: Side, level: str) -> Comparison:
    if level == "K5":
        enough = (
            min(one.keys.leaves, other.keys.leaves) >= MIN_LEAVES_RENAMED
            and one.keys.equation
            and one.increments == other.increments
            and one.variables != other.variables  # the same letters in other places say something else
        )
        message = Message("note.renamed" if enough else "note.renamed_short")
        return Comparison("renamed" if enough else "different", level, enough, message)
    share, weight = containment(one.form, other.form)
    if share == 1.0 and weight >= SAME_SHAPES and shapes(one.nodes).keys() == shapes(other.nodes).keys():
        return Comparison("renamed", level, True, Message("note.terms"))
    if share >= VARIANT and weight >= 6:
        return Comparison("variant", level, False, Message("note.share", percent=f"{share:.0%}"))
    if level == "K6":
        return Comparison("different", level, False, Message("note.shape"))
    return Comparison("different", "", False, Message("note.nothing"))


def containment(one: Forms, other: Forms) -> tuple[float, float]:
    """Return how much of the smaller formula's terms the other holds (names aside, heavier terms count more), and the weight found."""
    left, right = shapes(one.noted[0]), shapes(other.noted[0])
    if not left or not right:
        return 0.0, 0.0
    common = sum(min(count, right[term][0]) * weight for term, (count, weight) in left.items() if term in right)
    smaller = min(sum(count * weight for count, weight in side.values()) for side in (left, right))
    return common / max(smaller, LEAST), common
