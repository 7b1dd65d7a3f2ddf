"""Physical dimensions: written ones read (“L T^-1”, `\\mathsf{L} \\mathsf{T}^{-1}`), and whether a formula's sides and terms agree.

A product of powers of the base quantities of the SI; nothing here knows what a symbol stands for.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from operator import add, sub
from typing import TypeAlias

from bot.errors import FormulaError, InputError
from bot.formula.quantities.formula_symbols import node_keys, symbol_of, without_running_index
from bot.formula.tex import nodes
from bot.formula.tex.nodes import EMPTY, RawNode
from bot.formula.tex.parsing import parse
from bot.formula.tex.symbols import FUNCTIONS, INTEGRALS
from bot.formula.tex.tree import Formula

BASES = "L M T I Θ N J".split()
Dimension: TypeAlias = tuple[int, ...]  # exponents in the order of BASES, each times _SCALE
_SCALE = 2520  # of whole numbers of a tenth, a ninth, … a half: roots stay whole
ONE: Dimension = (0,) * len(BASES)
_INVERSE_LENGTH: Dimension = tuple(-_SCALE * (base == "L") for base in BASES)
_FREQUENCY: Dimension = tuple(-_SCALE * (base == "T") for base in BASES)
_DOTS = {"dot": 1, "ddot": 2, "dddot": 3}
_WRITTEN = re.compile(r"(?P<base>[LMTINJΘ1])\s*(?:\^\s*\{?\s*(?P<power>[-−]?\d+(?:/\d+)?)\s*\}?)?")
_STYLE = re.compile(r"\\(?:mathsf|mathrm|mathbf|mathit|text|operatorname|cdot|,|;|!|:|displaystyle)|[{}]|\s|·")


@lru_cache(maxsize=4096)
def parse_dimension(text: str) -> Dimension | None:
    """Return a written dimension; None for what is none. An item's ISQ dimension is TeX."""
    plain = re.sub(r"\^\s*\{([^{}]*)\}", r"^\1", text.replace("\\Theta", "Θ").replace("\\mathsf\\Theta", "Θ"))
    plain = _STYLE.sub(" ", plain).strip()
    found = [0] * len(BASES)
    at = 0
    while at < len(plain):
        if plain[at].isspace():
            at += 1
            continue
        match = _WRITTEN.match(plain, at)
        if not match:
            return None
        if match["base"] != "1":
            found[BASES.index(match["base"])] += int(_SCALE * Fraction((match["power"] or "1").replace("−", "-")))
        at = match.end()
    return tuple(found) if plain else None


def times(one: Dimension, other: Dimension) -> Dimension:
    return tuple(map(add, one, other))


def power(one: Dimension, above: int, below: int = 1) -> Dimension | None:
    """Return a power of a dimension; None where an exponent has too odd a denominator to be kept."""
    return tuple(a * above // below for a in one) if all(a * above % below == 0 for a in one) else None


class Disagreement(Exception):
    """Two terms or sides of a formula have different dimensions, or an exponent has one."""


@lru_cache(maxsize=1024)
def _parsed(tex: str) -> Formula:
    return parse(tex)


def agrees(tex: str, dimensions: Mapping[str, Dimension]) -> bool | None:
    """Return whether a formula's terms and sides agree where its symbols (by key) have these dimensions.

    True: all were compared and agree. False: two disagree whatever the others are. None: it cannot be said.
    """
    try:
        formula = _parsed(tex)
    except FormulaError:
        return None
    walk = _DimensionWalk(dimensions, formula.called)
    try:
        for equation in formula.equations:
            walk.of(equation)
    except Disagreement:
        return False
    except RecursionError:
        return None
    return True if walk.compared and not walk.unknown else None


def balance_of_row(row: Mapping[str, object], number: int) -> dict[str, bool | None]:
    """Return {"balanced"} for a row with "dimensions" ({symbol: dimension}), nothing for one without. Raises InputError for another shape."""
    given = row.get("dimensions")
    if given is None:
        return {}
    found: dict[str, Dimension] = {}
    for name, text in given.items() if isinstance(given, dict) else [("", None)]:
        symbol, dimension = symbol_of(name), parse_dimension(text) if isinstance(text, str) else None
        if symbol is None or dimension is None:
            todo = 'give "dimensions" as symbols with dimensions such as "L T^-1"'
            raise InputError(f"{name!r} with {text!r} is no symbol with a dimension", where=f"row {number}", todo=todo)
        for key in symbol.keys:
            found.setdefault(key, dimension)
    return {"balanced": agrees(str(row["tex"]), found)}


class _DimensionWalk:
    """One formula's walk: the dimension of each subtree, None where it is not known."""

    def __init__(self, dimensions: Mapping[str, Dimension], called: frozenset[str]) -> None:
        self.dimensions, self.called = dimensions, called
        self.compared = 0
        self.unknown = False

    def of(self, node: RawNode) -> Dimension | None:
        if node.__class__ is str:
            return self._leaf(node)
        if (given := self._given(node)) is not None:
            return given
        match node:
            case nodes.Relation():
                return self._relation(node)
            case nodes.Sum():
                return self._same([self.of(term) for term in node.terms])
            case nodes.Signed() | nodes.Fenced():
                return self.of(node.body)
            case nodes.Accented():
                return self._accented(node)
            case nodes.Primed():
                return self.of(node.base)
            case nodes.Fraction():
                return self._product([node.above], [node.below])
            case nodes.Factors():
                return self._factors(node.factors)
            case nodes.Infix():
                return self._product(node.operands, []) if set(node.signs) <= set("×·*") else self._lost()
            case nodes.SquareRoot():
                inner = self.of(node.body)
                return None if inner is None else power(inner, 1, 2)
            case nodes.Root():
                degree = _number(node.degree)
                inner = self.of(node.body)
                return (
                    power(inner, degree.denominator, degree.numerator)
                    if inner is not None and degree and degree > 0
                    else self._lost()
                )
            case nodes.Scripts():
                return self._scripts(node)
            case nodes.FencedCall():
                return self._call(node.function, node.arguments)
            case nodes.Applied():
                return self._applied(node.head, node.body)
            case _:
                return self._lost()

    def _given(self, node: RawNode, mark: str = "") -> Dimension | None:
        """Return what a symbol has; one with a running index has what the symbol without it has."""
        keys = node_keys(node)
        for key in (*keys, *(bare for key in keys if (bare := without_running_index(key)))):
            if (found := self.dimensions.get(mark + key)) is not None:
                return found
        return None

    def _accented(self, node: nodes.Accented[RawNode]) -> Dimension | None:
        """Return the dimension under an accent: a dot is a derivative by time, a hat may make a unit vector of a quantity."""
        inner = self.of(node.body)
        if node.name in _DOTS:
            return None if inner is None else times(inner, tuple(_DOTS[node.name] * each for each in _FREQUENCY))
        return self._lost() if node.name in ("hat", "widehat", "check") else inner

    def _lost(self) -> Dimension | None:
        """Note that something was not understood: nothing is known of it, and nothing of the whole is confirmed."""
        self.unknown = True
        return None

    def _leaf(self, leaf: str) -> Dimension | None:
        if not leaf:
            return None
        if (given := self._given(leaf)) is not None:
            return given
        if leaf[0] == "#" or leaf in ("π", "i", "d", "∂", "Δ", "δ", "e", "rm.d", "rm.e", "rm.i"):
            return ONE if leaf != "#0" else None
        if leaf in ("∇", "b.∇"):
            return _INVERSE_LENGTH
        return self._lost()

    def _relation(self, node: nodes.Relation[RawNode]) -> Dimension | None:
        known = [self.of(side) if side != EMPTY else None for side in node.sides]
        if not all(sign in "=≡≈≃:=≐≜∼<>≤≥≪≫≲≳→∝" for sign in node.signs):
            return self._lost()
        compared = known[:1]
        for sign, side in zip(node.signs, known[1:], strict=True):
            if sign in ("∝", "→", "∼"):
                self._same(compared)
                compared = []
            compared.append(side)
        return self._same(compared)

    def _same(self, found: Sequence[Dimension | None]) -> Dimension | None:
        """Return the one dimension that terms have; a zero has any."""
        said = [each for each in found if each is not None]
        if any(each != said[0] for each in said):
            raise Disagreement
        if len(said) > 1:
            self.compared += 1
        return said[0] if said else None

    def _product(self, above: Iterable[RawNode], below: Iterable[RawNode]) -> Dimension | None:
        result: Dimension | None = ONE
        for factors, operation in ((above, add), (below, sub)):
            for each in factors:
                inner = self.of(each)
                result = None if inner is None or result is None else tuple(map(operation, result, inner))
        return result

    def _factors(self, factors: tuple[RawNode, ...]) -> Dimension | None:
        """Return the dimension of a product; a letter before brackets may be a function, Δ and d make one symbol of what follows."""
        kept: list[RawNode] = []
        result = ONE
        for i, each in enumerate(factors):
            before = factors[i - 1] if i else EMPTY
            if (
                isinstance(each, nodes.Fenced)
                and each.opening == "("
                and isinstance(before, str)
                and before in self.called
            ):
                continue
            if before in ("Δ", "δ") and (changed := self._given(each, "Δ")) is not None:
                result = times(result, changed)
            elif before in ("d", "rm.d") and _is_vector(each):
                self._lost()  # a volume element as often as a line's
                return None
            else:
                kept.append(each)
        found = self._product(kept, ())
        return None if found is None else times(result, found)

    def _scripts(self, node: nodes.Scripts[RawNode]) -> Dimension | None:
        base = (
            self.of(nodes.Scripts(node.base, node.low, EMPTY))
            if node.low != EMPTY and node.high != EMPTY
            else self.of(node.base)
            if node.low == EMPTY
            else self._lost()
        )
        if node.high == EMPTY:
            return base
        exponent = _number(node.high)
        if exponent is not None:
            return power(base, exponent.numerator, exponent.denominator) if base is not None else None
        if isinstance(node.high, str) and node.high[:1] == "~":  # a mark
            return base
        self._pure(node.high)
        return base if base == ONE else self._lost()

    def _pure(self, node: RawNode) -> None:
        """Hold that what stands here has no dimension: an exponent, the argument of a function."""
        inner = self.of(node)
        if inner is not None:
            self.compared += 1
            if inner != ONE:
                raise Disagreement

    def _call(self, function: RawNode, arguments: RawNode) -> Dimension | None:
        if _name(function) in FUNCTIONS:
            return self._function(function, arguments)
        return self.of(function)

    def _function(self, function: RawNode, argument: RawNode) -> Dimension | None:
        name = _name(function)
        if name in ("log", "ln", "lg", "lb"):  # of a quantity: its unit is understood
            return ONE if self.of(argument) == ONE else self._lost()
        if name in ("max", "min", "sup", "inf", "grad", "div", "det", "tr", "Tr", "arg", "dim"):
            return self._lost()
        self._pure(argument)
        return ONE

    def _limits(self, head: nodes.Scripts[RawNode], body: RawNode) -> None:
        """Hold that the limits of an integral are of the dimension of what it runs over."""
        if (variable := _variable(body)) is not None and not _is_vector(variable):
            limits = [
                each
                for each in (head.low, head.high)
                if each != EMPTY and not (isinstance(each, str) and each[0] in "~#")
            ]
            before = self.unknown
            self._same([self.of(each) for each in (variable, *limits)])
            self.unknown = before

    def _applied(self, head: RawNode, body: RawNode) -> Dimension | None:
        base = head.base if isinstance(head, nodes.Scripts) else head
        if isinstance(base, nodes.Big):
            if base.sign in INTEGRALS and isinstance(head, nodes.Scripts):
                self._limits(head, body)
            if base.sign in INTEGRALS or base.sign == "∑":
                return self.of(body)
            return self._lost()
        name = _name(head)
        if name in ("lim", "max", "min"):
            return self.of(body)
        if name in FUNCTIONS:
            return self._function(head, body)
        if base in ("∇", "∂"):
            return self._product((head, body), ())
        return self._lost()


def _variable(body: RawNode) -> RawNode | None:
    """Return what an integral runs over, where its d is the last one of the product."""
    if isinstance(body, nodes.Factors) and len(body.factors) > 1 and body.factors[-2] in ("d", "rm.d"):
        return body.factors[-1]
    return None


def _is_vector(node: RawNode) -> bool:
    return isinstance(node, str) and node.startswith("b.") and node[2:].islower()


def _name(node: RawNode) -> str:
    base = node.base if isinstance(node, nodes.Scripts) else node
    return base[1:] if isinstance(base, str) and base[:1] == "%" else ""


def _number(node: RawNode) -> Fraction | None:
    match node:
        case str() if node[:1] == "#":
            try:
                return Fraction(node[1:])
            except ValueError:
                return None
        case nodes.Signed() if node.sign == "-":
            inner = _number(node.body)
            return None if inner is None else -inner
        case nodes.Fraction():
            above, below = _number(node.above), _number(node.below)
            return above / below if above is not None and below else None
        case nodes.Fenced():
            return _number(node.body)
    return None
