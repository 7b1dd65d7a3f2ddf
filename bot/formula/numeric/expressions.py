"""One side of an equation as arithmetic: from the normal tree to a small expression that can be computed or handed on.

What cannot be computed (a derivative, an integral, a call, a matrix) is one variable of its own, known by its canonical string.
"""

from dataclasses import dataclass, field
from fractions import Fraction
from typing import TypeAlias, Union

from bot.formula.keys.polynomial import exponent_of, number_of
from bot.formula.normal.render import render
from bot.formula.normal.scripts import is_power
from bot.formula.tex import nodes
from bot.formula.tex.nodes import EMPTY, NormalNode, tag_of
from bot.formula.tex.tree import children, walk

Expression: TypeAlias = Union["Number", "Variable", "Addition", "Multiplication", "Power", "FunctionValue"]


@dataclass(frozen=True, slots=True)
class Number:
    value: int | Fraction


@dataclass(frozen=True, slots=True)
class Variable:
    index: int


@dataclass(frozen=True, slots=True)
class Addition:
    terms: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Multiplication:
    """Factors of numerator and denominator."""

    numerator: tuple[Expression, ...]
    denominator: tuple[Expression, ...] = ()


@dataclass(frozen=True, slots=True)
class Power:
    base: Expression
    exponent: Fraction


@dataclass(frozen=True, slots=True)
class FunctionValue:
    """One of KNOWN, exp, abs, ! of one argument, pow (base, exponent), log (argument, base), binom (n, k), and π of none."""

    name: str
    arguments: tuple[Expression, ...] = ()


# Bounds for hostile input: a quarter of the nodes and a tenth of the exponent answer alike on all judged pairs.
MAX_NODES = 240
MAX_EXPONENT = 60
LOGARITHM = "~log"  # the factor between log and ln if the base is not given
SIGN = "~±"  # +1 or -1

KNOWN = frozenset("sin cos tan sinh cosh tanh ln arcsin arccos arctan arsinh arcosh artanh erf".split())
_RECIPROCAL = {
    "cot": "tan", "sec": "cos", "csc": "sin", "coth": "tanh", "sech": "cosh", "csch": "sinh",
}  # fmt: skip
_INVERSE = {"sin": "arcsin", "cos": "arccos", "tan": "arctan", "sinh": "arsinh", "cosh": "arcosh", "tanh": "artanh"}
_ARCS = frozenset(["arcsin", "arccos", "arctan", "arcosh"])
_WAVE = frozenset(["ψ", "Ψ", "i"])  # beside these a letter may be complex, and |x| is not a sign


class NotComputable(Exception):
    """A tree that cannot be computed: dots for terms, transposed matrices, relations inside."""


@dataclass(slots=True)
class ExpressionReader:
    """Reads sides into expressions; `names` numbers the variables and is shared by all equations of a comparison."""

    names: dict[str, int]
    natural: bool = False  # log without a base is ln
    used: set[str] = field(default_factory=set)  # names that these sides hold
    whole_numbers: set[int] = field(default_factory=set)  # variables that count something
    marks: set[str] = field(default_factory=set)  # root, arc, exp, ln, ten, abs
    size: int = 0  # nodes read

    def read(self, node: NormalNode) -> Expression:
        """Return the expression of a normal tree; NotComputable if there is none."""
        self.size += 1
        if self.size > MAX_NODES:
            raise NotComputable
        if node.__class__ is str:
            return self.leaf(node)
        match node:
            case nodes.Sum(terms):
                return Addition(tuple(map(self.read, terms)))
            case nodes.Signed("-", body):
                return Multiplication((Number(-1), self.read(body)))
            case nodes.Signed("±" | "∓" as sign, body):
                return Multiplication((self.named(SIGN), Number(1 if sign == "±" else -1), self.read(body)))
            case nodes.Product(numerator, denominator):
                return Multiplication(tuple(map(self.read, numerator)), tuple(map(self.read, denominator)))
            case nodes.Infix(signs, operands) if set(signs) == {"·"}:  # a cross product is not a product of numbers
                return Multiplication(tuple(map(self.read, operands)))
            case nodes.Fenced():
                return self.fence(node)
            case nodes.Scripts():
                return self.scripts(node)
            case nodes.Applied(head, body) | nodes.FunctionCall(head, _, body):
                return self.applied(node, head, body)
            case nodes.Factorial() | nodes.Stacked("binom"):
                return self.counted(node)
        return self.variable(node)

    def leaf(self, leaf: str) -> Expression:
        if leaf[:1] == "#":
            value = number_of(leaf)
            if value is None:
                raise NotComputable
            return Number(value)
        if leaf == EMPTY or leaf[0] == "~":
            raise NotComputable
        return FunctionValue("π") if leaf == "π" else self.variable(leaf)

    def variable(self, node: NormalNode) -> Expression:
        """Return a variable for a node that algebra does not expand; NotComputable for words and dots."""
        if node.__class__ is not str and (tag_of(node) in ("rel", ",", "parts", "±", "∓", "⊕", "⊖") or _has_dots(node)):
            raise NotComputable
        return self.named(node if node.__class__ is str else render(node))

    def named(self, name: str) -> Expression:
        self.used.add(name)
        return Variable(self.names.setdefault(name, len(self.names)))

    def fence(self, node: nodes.Fenced[NormalNode]) -> Expression:
        around = node.opening + node.closing
        if around in ("()", "[]", "{}"):
            return self.read(node.body)
        if around == "||" and _may_be_real(node.body):
            self.marks.add("abs")
            return FunctionValue("abs", (self.read(node.body),))
        return self.variable(node)

    def scripts(self, node: nodes.Scripts[NormalNode]) -> Expression:
        base, low, high = node.base, node.low, node.high
        if high == EMPTY or not is_power(base, high) or (high.__class__ is str and high[:1] == "~"):
            return self.variable(node)
        if high in ("T", "H", "t") and base.__class__ is str and base[:1].isupper():
            raise NotComputable  # a transposed matrix does not commute
        if low != EMPTY:
            base = nodes.Scripts(base, low, EMPTY)
        exponent = exponent_of(high)
        if exponent is not None:
            return self.power(self.variable(base) if low != EMPTY else self.read(base), exponent)
        if high.__class__ is nodes.Letters:  # letters side by side: a product, or indices of a letter
            if base.__class__ is str and base != "e" and base[:1] != "#":
                return self.variable(node)
            high = nodes.Product(high.letters, ())
        if base == "e":
            self.marks.add("exp")
            return FunctionValue("exp", (self.read(high),))
        if base == "#10":
            self.marks.add("ten")
        return FunctionValue("pow", (self.read(base), self.read(high)))

    def power(self, base: Expression, exponent: int | Fraction) -> Expression:
        value = Fraction(exponent)
        if abs(value) > MAX_EXPONENT or value.denominator > MAX_EXPONENT:
            raise NotComputable
        if value.denominator % 2 == 0:
            self.marks.add("root")
            if base.__class__ is Power and base.exponent % 2 == 0:
                self.marks.add("abs")
        return Power(base, value)

    def applied(self, node: NormalNode, head: NormalNode, body: NormalNode) -> Expression:
        low: NormalNode = EMPTY
        high: NormalNode = EMPTY
        if head.__class__ is nodes.Scripts and head.base.__class__ is str:
            low, high, head = head.low, head.high, head.base
        name = head[1:] if head.__class__ is str and head[:1] == "%" else ""
        if (
            not (name in KNOWN or name in _RECIPROCAL or name in ("log", "exp"))
            or body.__class__ is nodes.CommaList
            or body == EMPTY
        ):
            return self.variable(node)
        if low != EMPTY and name != "log":
            return self.variable(node)
        if high == nodes.Signed("-", "#1"):
            if name not in _INVERSE:
                raise NotComputable
            return self.function(_INVERSE[name], self.read(body))
        found = self.function(name, self.read(body), self.read(low) if low != EMPTY else None)
        if high == EMPTY:
            return found
        exponent = exponent_of(high)
        if exponent is None or exponent.denominator != 1 or exponent < 1:
            raise NotComputable
        return self.power(found, exponent)

    def function(self, name: str, argument: Expression, base: Expression | None = None) -> Expression:
        if name == "log" and base is None and not self.natural:
            return Multiplication((FunctionValue("ln", (argument,)),), (self.named(LOGARITHM),))
        if name == "log":
            return FunctionValue("log", (argument, base)) if base else FunctionValue("ln", (argument,))
        if name in _RECIPROCAL:
            return Multiplication((Number(1),), (FunctionValue(_RECIPROCAL[name], (argument,)),))
        if name in _ARCS:
            self.marks.add("arc")
        elif name in ("ln", "exp"):
            self.marks.add(name)
        return FunctionValue(name, (argument,))

    def counted(self, node: NormalNode) -> Expression:
        used_before, self.used = self.used, set()
        parts = tuple([self.read(part) for part in children(node)])
        self.whole_numbers.update([self.names[name] for name in self.used])
        self.used |= used_before
        return FunctionValue(tag_of(node), parts)


def _has_dots(node: NormalNode) -> bool:
    return any(current.__class__ is str and current in ("~…", "~⋮", "~⋱") for current in walk([node]))


def _may_be_real(node: NormalNode) -> bool:
    """|ψ| and |A^*| are not absolute values of real numbers, |\\mathbf F| is a length, |A| may be a determinant."""
    for current in walk([node]):
        if current.__class__ is str:
            if current in _WAVE or current[:2] == "b." or current[:1] == "~" or (current is node and current.isupper()):
                return False
        elif tag_of(current) in ("app", "call", "mat", ",", "rel", "D"):
            return False
    return True
