"""Statements with quantifiers and negations, whose order means something, and limits from one side."""

from collections.abc import Sequence

from bot.formula.normal.arithmetic import times
from bot.formula.tex import nodes
from bot.formula.tex.nodes import EMPTY, NormalNode, RawNode
from bot.formula.tex.terms import is_quantifier

LOGIC = frozenset(r"\forall ∀ \exists \exist ∃ \nexists ∄ \neg \lnot ¬".split())
_SIDES = {"↓": "+", "↘": "+", "↑": "-", "↗": "-"}
APPROACHING = frozenset(["→", *_SIDES])
_ADDED: dict[RawNode, str] = {"#0": "+", nodes.Signed("-", "#0"): "-", "~+": "+", "~-": "-"}  # to a limit: a + 0, 0+
_DIRECTED = {"←": "%projlim", "→": "%injlim"}


def statement(factors: Sequence[NormalNode]) -> NormalNode:
    """Return the product of factors in which ∀x, ∃y and ¬ stand before what they are of: ∀x ∃y is not ∃y ∀x; quantifiers of one kind commute."""
    operands: list[NormalNode] = []
    run: list[NormalNode] = []
    rest = iter(factors)
    for factor in rest:
        quantifier: NormalNode = factor
        below: NormalNode = EMPTY
        if factor.__class__ is nodes.Scripts and factor.high == EMPTY:  # ∀_x
            quantifier, below = factor.base, factor.low
        bound = factor.__class__ is nodes.Product and is_quantifier(factor.numerator[0])  # {∀x}
        if factor != "~¬" and not is_quantifier(quantifier) and not bound:
            run.append(factor)
            continue
        if run:
            operands.append(times(run))
            run = []
        before = operands[-1] if operands else EMPTY
        if factor == "~¬" or bound:
            operands.append(factor)
        elif before.__class__ is nodes.Product and before.numerator[0] == quantifier:
            operands[-1] = nodes.Product((*before.numerator, below or next(rest, EMPTY)), ())
        else:
            operands.append(nodes.Product((quantifier, below or next(rest, EMPTY)), ()))
    if run:
        operands.append(times(run))
    return nodes.Infix(("⋅",) * (len(operands) - 1), tuple(operands)) if len(operands) > 1 else operands[0]


def one_sided(low: nodes.Relation[RawNode], letters: bool) -> nodes.Relation[RawNode]:
    """Return x → a with the side from which x comes as a mark of the arrow: x → 0⁺, x → 0+, x → a + 0 and x ↓ 0; with `letters` also for other limits than a number."""
    if len(low.signs) != 1 or low.sides[0] == EMPTY:
        return low
    sign, (name, to) = low.signs[0], low.sides
    side = _SIDES.get(sign, "")
    if sign == "→" and to.__class__ is nodes.Scripts and to.low == EMPTY and to.high in ("~+", "~-"):
        side, to = str(to.high)[1:], to.base
    elif sign == "→" and to.__class__ is nodes.Sum and to.terms[-1] in _ADDED:
        side, to = _ADDED[to.terms[-1]], to.terms[0] if len(to.terms) == 2 else nodes.Sum(to.terms[:-1])
    if not side or not (letters or (to.__class__ is str and to[:1] == "#")):
        return low
    return nodes.Relation((f"→[{side}]",), (name, to))


def directed(low: nodes.Relation[RawNode]) -> str:
    """Return the name of the limit along arrows if there is only an arrow below lim, before the index; "" for any other."""
    return _DIRECTED.get(low.signs[0], "") if low.sides[0] == EMPTY else ""
