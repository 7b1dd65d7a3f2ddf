"""Two equations, or two systems of the same size, as expressions over the same numbered variables."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from bot.formula.numeric.expressions import LOGARITHM, SIGN, Expression, ExpressionReader, NotComputable
from bot.formula.tex.nodes import EMPTY, NormalNode, Relation

MAX_VARIABLES = 14  # a bound for hostile input; eight answer alike on the judged pairs
MAX_SYSTEM = 3  # equations; one of the judged pairs needs two, none more
Sides = list[tuple[NormalNode, NormalNode]]


@dataclass(frozen=True, slots=True)
class SystemPair:
    """Both systems as expressions over the same numbered variables; `used` and `marks` of the one and of the other."""

    one: list[tuple[Expression, Expression]]
    other: list[tuple[Expression, Expression]]
    names: list[str]
    whole: set[int]  # variables that count something
    used: tuple[set[str], set[str]]
    marks: tuple[set[str], set[str]]


def read_system_pair(one: Sequence[NormalNode], other: Sequence[NormalNode]) -> SystemPair | None:
    """Return both systems as expressions, or None: other variables, another size, nothing to compute."""
    mine, yours = _equations(one), _equations(other)
    if mine is None or yours is None or len(mine) != len(yours) or len(mine) > MAX_SYSTEM:
        return None
    try:
        pair = _read(mine, yours, natural=False)
        if LOGARITHM in pair.names and pair.used[0] != pair.used[1]:
            said = pair.marks[0] | pair.marks[1]
            if said & {"ln", "ten"}:
                return None
            pair = _read(mine, yours, natural=True)  # log beside an exponential on the other side is ln, or of any base
    except NotComputable:
        return None
    number = len(pair.names) - (SIGN in pair.names)
    if pair.used[0] - {SIGN} != pair.used[1] - {SIGN} or not len(mine) < number <= MAX_VARIABLES:
        return None
    return pair


def _equations(nodes: Sequence[NormalNode]) -> Sides | None:
    """a = b = c is two equations."""
    found: Sides = []
    for node in nodes:
        if node.__class__ is not Relation or set(node.signs) != {"="} or EMPTY in node.sides:
            return None
        found.extend(pairwise(node.sides))
    return found


def _read(one: Sides, other: Sides, *, natural: bool) -> SystemPair:
    names: dict[str, int] = {}
    mine, yours = ExpressionReader(names, natural), ExpressionReader(names, natural)
    first, second = (
        [(reader.of(left), reader.of(right)) for left, right in sides]
        for reader, sides in ((mine, one), (yours, other))
    )
    return SystemPair(
        first, second, list(names), mine.whole | yours.whole, (mine.used, yours.used), (mine.marks, yours.marks)
    )
