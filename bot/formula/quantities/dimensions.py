"""Physical dimensions: written ones read (“L T^-1”, `\\mathsf{L} \\mathsf{T}^{-1}`), and whether a formula's sides and terms agree.

A product of powers of the base quantities of the SI; nothing here knows what a symbol stands for.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import TypeAlias

from bot.errors import FormulaError, InputError
from bot.formula.quantities.formula_symbols import node_keys, symbol_of, without_running_index
from bot.formula.tex import nodes
from bot.formula.tex.nodes import EMPTY, RawNode
from bot.formula.tex.parsing import parse
from bot.formula.tex.symbols import FUNCTIONS, INTEGRALS
from bot.messages import Message

BASES = "L M T I Θ N J".split()
Dimension: TypeAlias = tuple[int, ...]  # exponents in the order of BASES, each times _SCALE
_SCALE = 2520  # of whole numbers of a tenth, a ninth, … a half: roots stay whole
DIMENSIONLESS: Dimension = (0,) * len(BASES)
_WIDTH = 64  # bits of one exponent in a packed dimension
_DOTS = {"dot": 1, "ddot": 2, "dddot": 3}
_WRITTEN = re.compile(r"(?P<base>[LMTINJΘ1])\s*(?:\^\s*\{?\s*(?P<power>[-−]?\d+(?:/\d+)?)\s*\}?)?")
_STYLE = re.compile(r"\\(?:mathsf|mathrm|mathbf|mathit|text|operatorname|cdot|,|;|!|:|displaystyle)|[{}]|\s|·")


@lru_cache(maxsize=4096)
def parse_dimension(text: str) -> Dimension | None:
    """Parse a dimension; None if the text is not one. An item's ISQ dimension is TeX."""
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


class DimensionMismatch(Exception):
    """Two terms or sides of a formula have different dimensions, or an exponent has one."""


@lru_cache(maxsize=4096)
def packed_dimension(dimension: Dimension) -> int:
    """Return a dimension as one number: the sum of two is that of the product, n times one is that of the n-th power."""
    return sum(each << _WIDTH * n for n, each in enumerate(dimension))


def _root(one: int, numerator: int, denominator: int) -> int | None:
    """Return a power of a packed dimension; None if the denominator of an exponent cannot be stored."""
    found, half = [], 1 << _WIDTH - 1
    for _ in BASES:
        found.append(((one + half) & (2 * half - 1)) - half)
        one = one - found[-1] >> _WIDTH
    if all(a * numerator % denominator == 0 for a in found):
        return packed_dimension(tuple(a * numerator // denominator for a in found))
    return None


_INVERSE_LENGTH, _FREQUENCY = (packed_dimension(tuple(-_SCALE * (each == base) for each in BASES)) for base in "LT")


class DimensionBalance:
    """Checks whether a formula's terms and sides agree for many dimensions of its symbols; the tree is walked only once."""

    def __init__(self, tex: str) -> None:
        self._parts: list[_Part] = []
        try:
            formula = parse(tex)
            self._parts = [_Compiler(formula.called_letters).compile(equation) for equation in formula.equations]
        except (FormulaError, RecursionError):
            pass

    def agrees(self, dimensions: Mapping[str, int]) -> bool | None:
        """Like `has_balanced_dimensions`, of packed dimensions."""
        walk = _BalanceWalk(dimensions)
        try:
            for part in self._parts:
                part(walk)
        except DimensionMismatch:
            return False
        except RecursionError:
            return None
        return True if walk.compared and not walk.unknown else None


@lru_cache(maxsize=1024)
def balance(tex: str) -> DimensionBalance:
    return DimensionBalance(tex)


def has_balanced_dimensions(tex: str, dimensions: Mapping[str, Dimension]) -> bool | None:
    """Return whether a formula's terms and sides agree where its symbols (by key) have these dimensions.

    True: all were compared and agree. False: two disagree whatever the others are. None: it cannot be said.
    """
    return balance(tex).agrees({key: packed_dimension(each) for key, each in dimensions.items()})


def balance_of_row(row: Mapping[str, object], number: int) -> dict[str, bool | None]:
    """Return {"balanced"} for a row with "dimensions" ({symbol: dimension}), nothing for one without. Raises InputError for another shape."""
    dimensions = row.get("dimensions")
    if dimensions is None:
        return {}
    found: dict[str, Dimension] = {}
    for name, text in dimensions.items() if isinstance(dimensions, dict) else [("", None)]:
        symbol, dimension = symbol_of(name), parse_dimension(text) if isinstance(text, str) else None
        if symbol is None or dimension is None:
            raise InputError(
                "no_dimension",
                symbol=repr(name),
                dimension=repr(text),
                where=Message("at.row", n=number),
                todo="dimensions",
            )
        for key in symbol.keys:
            found.setdefault(key, dimension)
    return {"balanced": has_balanced_dimensions(str(row["tex"]), found)}


class _BalanceWalk:
    """State of one check: the packed dimensions of symbols, whether anything was compared, and whether anything was not understood."""

    __slots__ = ("compared", "dimensions", "unknown")

    def __init__(self, dimensions: Mapping[str, int]) -> None:
        self.dimensions, self.compared, self.unknown = dimensions, False, False


_Part: TypeAlias = Callable[[_BalanceWalk], int | None]  # the packed dimension of a subtree, None if it is unknown


def _mark_unknown(walk: _BalanceWalk) -> int | None:
    """Note that something was not understood, so that the balance of the formula is not confirmed."""
    walk.unknown = True
    return None


def _constant_part(dimension: int | None) -> _Part:
    return lambda walk: dimension


_nothing, _one, _inverse_length = map(_constant_part, (None, 0, _INVERSE_LENGTH))


def _dimension_of_names(names: Sequence[str], otherwise: _Part) -> _Part:
    """Return the dimension of a symbol, by the first of its names that is known."""

    def part(walk: _BalanceWalk) -> int | None:
        for name in names:
            if (found := walk.dimensions.get(name)) is not None:
                return found
        return otherwise(walk)

    return part if names else otherwise


def _common_dimension(terms: Sequence[_Part]) -> _Part:
    """Return the one dimension that terms have; a zero has any."""

    def part(walk: _BalanceWalk) -> int | None:
        first = None
        for term in terms:
            if (found := term(walk)) is not None:
                if first is None:
                    first = found
                elif found != first:
                    raise DimensionMismatch
                else:
                    walk.compared = True
        return first

    return part


def _product(numerator: Iterable[_Part], denominator: Iterable[_Part] = ()) -> _Part:
    over, under = [each for each in numerator if each is not _one], [each for each in denominator if each is not _one]

    def part(walk: _BalanceWalk) -> int | None:
        result, is_known = 0, True
        for each in over:
            if (found := each(walk)) is None:
                is_known = False
            else:
                result += found
        for each in under:
            if (found := each(walk)) is None:
                is_known = False
            else:
                result -= found
        return result if is_known else None

    return part if over or under else _one


def _power(base: _Part, numerator: int, denominator: int, unknown: _Part = _nothing) -> _Part:
    def part(walk: _BalanceWalk) -> int | None:
        if (inner := base(walk)) is None:
            return unknown(walk)
        return inner * numerator if denominator == 1 else _root(inner, numerator, denominator)

    return part


def _require_dimensionless(inner: _Part, result: _Part) -> _Part:
    """Require that a part has no dimension: an exponent, the argument of a function."""

    def part(walk: _BalanceWalk) -> int | None:
        if (found := inner(walk)) is not None:
            walk.compared = True
            if found:
                raise DimensionMismatch
        return result(walk)

    return part


def _if_dimensionless(inner: _Part) -> _Part:
    return lambda walk: 0 if inner(walk) == 0 else _mark_unknown(walk)


def _last_part(parts: Sequence[_Part], last: _Part) -> _Part:
    """Return the dimension of the last of several parts, all of which are checked."""

    def part(walk: _BalanceWalk) -> int | None:
        for each in parts:
            each(walk)
        return last(walk)

    return part if parts else last


def _ignoring_unknown(inner: _Part) -> _Part:
    """Ignore what a part does not understand."""

    def part(walk: _BalanceWalk) -> int | None:
        before = walk.unknown
        found = inner(walk)
        walk.unknown = before
        return found

    return part


def _names_of(node: RawNode, mark: str = "") -> list[str]:
    """Return the keys of a symbol, also that without a running index."""
    keys = node_keys(node)
    return [mark + key for key in (*keys, *map(without_running_index, keys)) if key]


class _Compiler:
    """The parts of one formula; `called` are its letters that stand before their arguments."""

    def __init__(self, called: frozenset[str]) -> None:
        self.called = called

    def compile(self, node: RawNode) -> _Part:
        return _dimension_of_names(_names_of(node), self._leaf(node) if node.__class__ is str else self._inner(node))

    def _compile_all(self, found: Iterable[RawNode]) -> list[_Part]:
        return [self.compile(each) for each in found]

    def _inner(self, node: RawNode) -> _Part:
        match node:
            case nodes.Relation():
                return self._relation(node)
            case nodes.Sum():
                return _common_dimension(self._compile_all(node.terms))
            case nodes.Signed() | nodes.Fenced():
                return self.compile(node.body)
            case nodes.Accented():
                return self._accented(node)
            case nodes.Primed():
                return self.compile(node.base)
            case nodes.Fraction():
                return _product([self.compile(node.numerator)], [self.compile(node.denominator)])
            case nodes.Factors():
                return self._factors(node.factors)
            case nodes.Infix():
                return _product(self._compile_all(node.operands)) if set(node.signs) <= set("×·*") else _mark_unknown
            case nodes.SquareRoot():
                return _power(self.compile(node.body), 1, 2)
            case nodes.Root():
                degree = _number(node.degree)
                if not degree or degree < 0:
                    return _last_part([self.compile(node.body)], _mark_unknown)
                return _power(self.compile(node.body), degree.denominator, degree.numerator, _mark_unknown)
            case nodes.Scripts():
                return self._scripts(node)
            case nodes.FencedCall():
                is_function = _name(node.function) in FUNCTIONS
                return self._function(node.function, node.arguments) if is_function else self.compile(node.function)
            case nodes.Applied():
                return self._applied(node.head, node.body)
            case _:
                return _mark_unknown

    def _accented(self, node: nodes.Accented[RawNode]) -> _Part:
        """Return the dimension under an accent: a dot is a derivative by time, a hat may make a unit vector of a quantity."""
        inner = self.compile(node.body)
        if node.name in _DOTS:
            return _product([inner, _constant_part(_DOTS[node.name] * _FREQUENCY)])
        return _last_part([inner], _mark_unknown) if node.name in ("hat", "widehat", "check") else inner

    def _leaf(self, leaf: str) -> _Part:
        if not leaf or leaf == "#0":
            return _nothing
        if leaf[0] == "#" or leaf in ("π", "i", "d", "∂", "Δ", "δ", "e", "rm.d", "rm.e", "rm.i"):
            return _one
        return _inverse_length if leaf in ("∇", "b.∇") else _mark_unknown

    def _relation(self, node: nodes.Relation[RawNode]) -> _Part:
        sides = [self.compile(side) if side != EMPTY else _nothing for side in node.sides]
        if not all(sign in "=≡≈≃:=≐≜∼<>≤≥≪≫≲≳→∝" for sign in node.signs):
            return _last_part(sides, _mark_unknown)
        groups = [sides[:1]]
        for sign, side in zip(node.signs, sides[1:], strict=True):
            if sign in ("∝", "→", "∼"):
                groups.append([])
            groups[-1].append(side)
        *before, last = map(_common_dimension, groups)
        return _last_part(before, last)

    def _factors(self, factors: tuple[RawNode, ...]) -> _Part:
        """Return the dimension of a product; a letter before brackets may be a function, Δ and d make one symbol of what follows."""
        parts: list[_Part] = []
        for i, each in enumerate(factors):
            before = factors[i - 1] if i else EMPTY
            if (
                isinstance(each, nodes.Fenced)
                and each.opening == "("
                and isinstance(before, str)
                and before in self.called
            ):
                continue
            if before in ("Δ", "δ"):
                parts.append(_dimension_of_names(_names_of(each, "Δ"), self.compile(each)))
            elif before in ("d", "rm.d") and _is_vector(each):
                return _mark_unknown  # a volume element as often as a line's
            else:
                parts.append(self.compile(each))
        return _product(parts)

    def _scripts(self, node: nodes.Scripts[RawNode]) -> _Part:
        if node.high == EMPTY:
            return self.compile(node.base) if node.low == EMPTY else _mark_unknown
        base = self.compile(node.base if node.low == EMPTY else nodes.Scripts(node.base, node.low, EMPTY))
        if (exponent := _number(node.high)) is not None:
            return _power(base, exponent.numerator, exponent.denominator)
        if isinstance(node.high, str) and node.high[:1] == "~":  # a mark
            return base
        return _require_dimensionless(self.compile(node.high), _if_dimensionless(base))

    def _function(self, function: RawNode, argument: RawNode) -> _Part:
        name = _name(function)
        if name in ("log", "ln", "lg", "lb"):  # of a quantity: its unit is understood
            return _if_dimensionless(self.compile(argument))
        if name in ("max", "min", "sup", "inf", "grad", "div", "det", "tr", "Tr", "arg", "dim"):
            return _mark_unknown
        return _require_dimensionless(self.compile(argument), _one)

    def _limits(self, head: nodes.Scripts[RawNode], body: RawNode) -> list[_Part]:
        """Require that the limits of an integral have the dimension of its variable."""
        variable = _variable(body)
        if variable is None or _is_vector(variable):
            return []
        limits = (each for each in (head.low, head.high) if not (isinstance(each, str) and each[:1] in "~#"))
        return [_ignoring_unknown(_common_dimension(self._compile_all((variable, *limits))))]

    def _applied(self, head: RawNode, body: RawNode) -> _Part:
        base = head.base if isinstance(head, nodes.Scripts) else head
        if isinstance(base, nodes.Big):
            if base.sign in INTEGRALS and isinstance(head, nodes.Scripts):
                return _last_part(self._limits(head, body), self.compile(body))
            return self.compile(body) if base.sign in INTEGRALS or base.sign == "∑" else _mark_unknown
        name = _name(head)
        if name in ("lim", "max", "min"):
            return self.compile(body)
        if name in FUNCTIONS:
            return self._function(head, body)
        return _product((self.compile(head), self.compile(body))) if base in ("∇", "∂") else _mark_unknown


def _variable(body: RawNode) -> RawNode | None:
    """Return the variable of an integral, if its d is the last one of the product."""
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
            numerator, denominator = _number(node.numerator), _number(node.denominator)
            return numerator / denominator if numerator is not None and denominator else None
        case nodes.Fenced():
            return _number(node.body)
    return None
