"""The kinds of nodes, and the two families of trees: raw ones from the TeX reader, and normalised ones.

A leaf is a string: x, α, b.F (bold), %sin (a name), #2 (a number), "where (words), ~∞ (a symbol), "" (nothing). T is the family of the parts.
"""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable, Mapping
from itertools import chain
from operator import itemgetter
from typing import Generic, TypeAlias, TypeVar, cast, dataclass_transform

T = TypeVar("T", covariant=True)
Class = TypeVar("Class")
R = TypeVar("R")
EMPTY = ""
Leaves: TypeAlias = tuple[str, ...]  # strings that are children of a node
_record: Callable[..., type[tuple[object, ...]]] = namedtuple


def _parts(node: tuple[object, ...]) -> tuple[object, ...]:
    """Return the arguments for making a node again when it is copied or unpickled."""
    return node[1:]


# For each field type: its child nodes, and its value with `change` applied to each of them. Other types have no nodes.
_PARTS = {
    "T": ("{0}", "change({0}) if {0} else ''"),
    "tuple[T, ...]": ("*{0}", "tuple(map(change, {0}))"),
    "Leaves": ("*{0}", "tuple([str(change(leaf)) for leaf in {0}])"),
    "tuple[tuple[T, ...], ...]": ("*chain({0})", "tuple([tuple(map(change, row)) for row in {0}])"),
    "tuple[tuple[str, T], ...]": (
        "*[part for _, part in {0}]",
        "tuple([(label, change(part)) for label, part in {0}])",
    ),
    "tuple[tuple[T, str], ...]": (
        "*[part for part, _ in {0}]",
        "tuple([(change(part), label) for part, label in {0}])",
    ),
}
_NodeFunction: TypeAlias = Callable[..., tuple[object, ...]]
CHILDREN: dict[type, _NodeFunction] = {str: lambda leaf: ()}
MAP_CHILDREN: dict[type, _NodeFunction] = {}


def _generated(code: str, **names: object) -> _NodeFunction:
    """Generate a function from source, as namedtuple does: hundreds of nodes are made and walked for each formula."""
    function: _NodeFunction = eval(f"lambda {code}", {"new": tuple.__new__, "chain": chain.from_iterable, **names})
    return function


def _add_walkers(node: type[tuple[object, ...]], tag: str, fields: Mapping[str, str]) -> None:
    """Generate the functions behind `children` and `rebuilt` for a kind of node."""
    parts = [_PARTS[of][0].format(f"node.{name}") for name, of in fields.items() if of in _PARTS]
    alone = len(parts) == 1 and parts[0].startswith("*node")
    CHILDREN[node] = _generated("node: " + (parts[0][1:] if alone else f"({''.join(each + ', ' for each in parts)})"))
    arguments = ", ".join(_PARTS.get(of, ("", "{0}"))[1].format(f"node.{name}") for name, of in fields.items())
    expression = f"new(kind, ({f'{tag!r}, ' * bool(tag)}{arguments}))" if parts else "node"
    MAP_CHILDREN[node] = _generated(f"node, change: {expression}", kind=node)


@dataclass_transform(frozen_default=True)
def kind(tag: str = "") -> Callable[[type[Class]], type[Class]]:
    """Make a class a kind of node: its fields in a tuple behind the tag, so that kinds differ and compare as fast as tuples do.

    Without a tag the first field is it. Type checkers see a frozen dataclass, which is not a tuple: parts have names, not places.
    """

    def make(cls: type[Class]) -> type[Class]:
        fields = tuple(cls.__annotations__)
        node = _record(cls.__name__, ("tag", *fields) if tag else fields)
        if tag:
            named = ", ".join(fields)
            maker = _generated(f"cls, {named}: new(cls, ({tag!r}, {named}))")
            space = {"__slots__": (), "__new__": maker, "__match_args__": fields, "__getnewargs__": _parts}
            node = type(cls.__name__, (node,), space)
        node.__doc__ = cls.__doc__
        _add_walkers(node, tag, cls.__annotations__)
        return cast("type[Class]", node)

    return make


def visitors_of(visitor: type, visit: Callable[..., R]) -> dict[type, Callable[..., R]]:
    """Return the methods `visit_<Kind>` of a class, each under the kind of node that it is for; they return what `visit` returns."""
    named = ((node, getattr(visitor, f"visit_{node.__name__}", None)) for node in MAP_CHILDREN)
    return {node: method for node, method in named if method}


@kind("s")
class Scripts(Generic[T]):
    """A base with a subscript and a superscript, EMPTY where there is none. A power is a superscript."""

    base: T
    low: T
    high: T


@kind("'")
class Primed(Generic[T]):
    """f'': the base and the number of its primes."""

    base: T
    number: int


@kind("acc")
class Accented(Generic[T]):
    r"""\hat x, \vec v, \not\in."""

    name: str
    body: T


@kind()
class Stacked(Generic[T]):
    """Two parts above each other without a fraction bar; the tag is binom, atop, brace or brack."""

    tag: str
    upper: T
    lower: T


@kind("!")
class Factorial(Generic[T]):
    """n!"""

    body: T


@kind("in")
class Infix(Generic[T]):
    """Operands with crosses, dots, ∘, ∩ and the like between them: one sign less than operands."""

    signs: tuple[str, ...]
    operands: tuple[T, ...]


@kind("+")
class Sum(Generic[T]):
    """Terms; one with a sign is Signed."""

    terms: tuple[T, ...]


@kind()
class Signed(Generic[T]):
    """A term behind -, ±, ∓, ⊕, ⊖, ∔, ⊞ or ⊟; in raw trees also behind the + that a row or a cell begins with."""

    sign: str
    body: T


@kind("rel")
class Relation(Generic[T]):
    """a = b < c: one sign less than sides; a side may be EMPTY."""

    signs: tuple[str, ...]
    sides: tuple[T, ...]


@kind(",")
class CommaList(Generic[T]):
    """x, y; z: one separator less than parts."""

    separators: tuple[str, ...]
    parts: tuple[T, ...]


@kind("()")
class Fenced(Generic[T]):
    """A body between two delimiters, "" where one is missing."""

    opening: str
    closing: str
    body: T


@kind("mat")
class Matrix(Generic[T]):
    """An environment with its rows of cells."""

    environment: str
    rows: tuple[tuple[T, ...], ...]


@kind("parts")
class Parts(Generic[T]):
    """A cell of several parts, each with the separator before it."""

    pairs: tuple[tuple[str, T], ...]


@kind("app")
class Applied(Generic[T]):
    """sin x, ∑ a, ∇² f: the head is a name, a big operator, or one of these with scripts."""

    head: T
    body: T


@kind("big")
class Big:
    """The sign of a sum, a product, an integral."""

    sign: str


@kind("mod")
class Modulo(Generic[T]):
    r"""The modulus of \pmod."""

    body: T


@kind("pre")
class Prescripts(Generic[T]):
    r"""\sideset and \prescript: two scripts before a body."""

    first: T
    second: T
    body: T


@kind("system")
class System(Generic[T]):
    """All equations and conditions of a formula."""

    equations: tuple[T, ...]
    conditions: tuple[T, ...]


# -- raw trees only -----------------------------------------------------------------------------------------------------
@kind("frac")
class Fraction(Generic[T]):
    """A fraction with a bar or a slash."""

    numerator: T
    denominator: T


@kind("root")
class Root(Generic[T]):
    """A root of a degree."""

    body: T
    degree: T


@kind("sqrt")
class SquareRoot(Generic[T]):
    """A root without a degree."""

    body: T


@kind("factors")
class Factors(Generic[T]):
    """Two factors or more side by side."""

    factors: tuple[T, ...]


@kind("fcall")
class FencedCall(Generic[T]):
    """f(x): the arguments are the Fenced behind the function."""

    function: T
    arguments: T


@kind("op")
class Operator:
    """An infix sign among the factors of a row that is still read, with the token after it."""

    sign: str
    following: str


@kind("sign")
class RelationSign:
    """A relation that a command stands for, among the factors of a row that is still read."""

    sign: str


# -- normal trees only --------------------------------------------------------------------------------------------------
@kind("*")
class Product(Generic[T]):
    """Factors of numerator and denominator, flat; a sign is outside of it (Signed)."""

    numerator: tuple[T, ...]
    denominator: tuple[T, ...]


@kind("call")
class FunctionCall(Generic[T]):
    """A function of its arguments, with both delimiters in one string."""

    function: T
    around: str
    arguments: T


@kind("d")
class Differential(Generic[T]):
    """dx, δW."""

    sign: str
    order: str
    variable: T


@kind("D")
class Derivative(Generic[T]):
    """A derivative by (variable, order) pairs; EMPTY as body is the operator alone. For styles see derivatives.py and notation.py."""

    style: str
    variables: tuple[tuple[T, str], ...]
    body: T


@kind("seq")
class Letters:
    """Letters side by side in a script: indices, or a label."""

    letters: Leaves


RawNode: TypeAlias = (
    "str | Scripts[RawNode] | Primed[RawNode] | Accented[RawNode] | Stacked[RawNode] | Factorial[RawNode] | Infix[RawNode] | Sum[RawNode] | "
    "Signed[RawNode] | Relation[RawNode] | CommaList[RawNode] | Fenced[RawNode] | Matrix[RawNode] | Parts[RawNode] | Applied[RawNode] | Big | "
    "Modulo[RawNode] | Prescripts[RawNode] | System[RawNode] | Fraction[RawNode] | Root[RawNode] | SquareRoot[RawNode] | Factors[RawNode] | "
    "FencedCall[RawNode] | Operator | RelationSign"
)
NormalNode: TypeAlias = (
    "str | Scripts[NormalNode] | Primed[NormalNode] | Accented[NormalNode] | Stacked[NormalNode] | Factorial[NormalNode] | Infix[NormalNode] | "
    "Sum[NormalNode] | Signed[NormalNode] | Relation[NormalNode] | CommaList[NormalNode] | Fenced[NormalNode] | Matrix[NormalNode] | "
    "Parts[NormalNode] | Applied[NormalNode] | Big | Modulo[NormalNode] | Prescripts[NormalNode] | System[NormalNode] | Product[NormalNode] | "
    "FunctionCall[NormalNode] | Differential[NormalNode] | Derivative[NormalNode] | Letters"
)
AnyNode: TypeAlias = "RawNode | NormalNode"  # for code that uses only kinds of both families
NodeT = TypeVar("NodeT", RawNode, NormalNode)


# The tag of a node that is not a leaf; of Signed it is the sign.
tag_of = cast("Callable[[AnyNode], str]", itemgetter(0))
