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
    """Both systems as expressions over the same numbered variables, with `used` and `marks` of each."""

    one: list[tuple[Expression, Expression]]
    other: list[tuple[Expression, Expression]]
    names: list[str]
    whole_numbers: set[int]  # variables that count something
    used: tuple[set[str], set[str]]
    marks: tuple[set[str], set[str]]


def read_system_pair(one: Sequence[NormalNode], other: Sequence[NormalNode]) -> SystemPair | None:
    """Return both systems as expressions, None if variables or sizes differ, or they cannot be computed."""
    left, right = _equations(one), _equations(other)
    if left is None or right is None or len(left) != len(right) or len(left) > MAX_SYSTEM:
        return None
    try:
        pair = _read(left, right, natural=False)
        if LOGARITHM in pair.names and pair.used[0] != pair.used[1]:
            marks = pair.marks[0] | pair.marks[1]
            if marks & {"ln", "ten"}:
                return None
            pair = _read(left, right, natural=True)  # log beside an exponential on the other side is ln, or of any base
    except NotComputable:
        return None
    number = len(pair.names) - (SIGN in pair.names)
    if pair.used[0] - {SIGN} != pair.used[1] - {SIGN} or not len(left) < number <= MAX_VARIABLES:
        return None
    return pair


def _equations(nodes: Sequence[NormalNode]) -> Sides | None:
    """Return the sides of all equations; a = b = c is two."""
    found: Sides = []
    for node in nodes:
        if node.__class__ is not Relation or set(node.signs) != {"="} or EMPTY in node.sides:
            return None
        found.extend(pairwise(node.sides))
    return found


def _read(one: Sides, other: Sides, *, natural: bool) -> SystemPair:
    names: dict[str, int] = {}
    own, others = ExpressionReader(names, natural), ExpressionReader(names, natural)
    first, second = (
        [(reader.read(left), reader.read(right)) for left, right in sides]
        for reader, sides in ((own, one), (others, other))
    )
    return SystemPair(
        first,
        second,
        list(names),
        own.whole_numbers | others.whole_numbers,
        (own.used, others.used),
        (own.marks, others.marks),
    )
