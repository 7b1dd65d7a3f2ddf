"""Two equations, or two systems of the same size, as expressions over the same numbered variables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from bot.formula.numeric.expressions import LOGARITHM, SIGN, Expression, ExpressionReader, NotComputable
from bot.formula.tex.nodes import EMPTY
from bot.formula.tex.tree import Node

MAX_VARIABLES = 14
MAX_SYSTEM = 3


@dataclass(slots=True)
class SystemPair:
    """Both systems as expressions over the same numbered variables."""

    one: list[tuple[Expression, Expression]]
    other: list[tuple[Expression, Expression]]
    names: list[str]
    whole: frozenset[int]
    marks: tuple[frozenset[str], frozenset[str]]


def read(one: Sequence[Node], other: Sequence[Node]) -> SystemPair | None:
    """Return both systems as expressions, or None: other variables, another size, nothing to compute."""
    mine, yours = _equations(one), _equations(other)
    if mine is None or yours is None or len(mine) != len(yours) or len(mine) > MAX_SYSTEM:
        return None
    found = _read(mine, yours, natural=False)
    if found is None:
        return None
    pair, used = found
    unsaid = LOGARITHM in pair.names and used[0] != used[1]
    if unsaid:  # log beside an exponential of e on the other side is ln
        said = frozenset[str]().union(*pair.marks)
        found = _read(mine, yours, natural=True) if "exp" in said and not said & {"ln", "ten"} else None
        if found is None:
            return None
        pair, used = found
    number = len(pair.names) - (SIGN in pair.names)
    if used[0] - {SIGN} != used[1] - {SIGN} or not len(mine) < number <= MAX_VARIABLES:
        return None
    return pair


def _equations(nodes: Sequence[Node]) -> list[tuple[Node, Node]] | None:
    """a = b = c is two equations."""
    found: list[tuple[Node, Node]] = []
    for node in nodes:
        if node.__class__ is str or node[0] != "rel" or set(node[1]) != {"="} or EMPTY in node[2]:
            return None
        found.extend(pairwise(node[2]))
    return found


def _read(
    one: Sequence[tuple[Node, Node]], other: Sequence[tuple[Node, Node]], *, natural: bool
) -> tuple[SystemPair, tuple[set[str], set[str]]] | None:
    names: dict[str, int] = {}
    whole: set[int] = set()
    systems: list[list[tuple[Expression, Expression]]] = []
    used: list[set[str]] = []
    marks: list[frozenset[str]] = []
    for sides in (one, other):
        own: dict[str, int] = dict(names)
        reader = ExpressionReader(_Noting(own), natural)
        try:
            systems.append([(reader.of(left), reader.of(right)) for left, right in sides])
        except NotComputable:
            return None
        noted = reader.names
        assert isinstance(noted, _Noting)
        names = dict(noted)
        used.append(noted.asked)
        whole |= reader.whole
        marks.append(frozenset(reader.marks))
    pair = SystemPair(systems[0], systems[1], list(names), frozenset(whole), (marks[0], marks[1]))
    return pair, (used[0], used[1])


class _Noting(dict[str, int]):
    """Numbers names, and notes which of them one system asked for."""

    def __init__(self, known: dict[str, int]) -> None:
        super().__init__(known)
        self.asked: set[str] = set()

    def setdefault(self, key: str, default: int = 0) -> int:
        self.asked.add(key)
        return super().setdefault(key, default)
