"""Notations of one thing that no line of the table states: of any number of parts, by the kind of a letter, or with another sign.

Each rule yields what a part may be, and the part with it; the two are one where the whole part is meant.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

from bot.formula.normal.arithmetic import times
from bot.formula.normal.commuting import is_capital, is_vector
from bot.formula.normal.render import render
from bot.formula.tex import nodes
from bot.formula.tex.nodes import EMPTY, NormalNode
from bot.formula.tex.tree import find_all, fraction_of, leaves, walk

Readings = Iterator[tuple[NormalNode, NormalNode]]
# Signs of which authors use one or another. ≃ and ≅ are no two of these: homotopy and isomorphism.
_SIGNS = (
    ("⊆", "⊂"),
    ("⊇", "⊃"),
    ("⊴", "⊲"),
    ("⇌", "⇄"),
    ("→", "::="),
    ("⇀", "→[w]"),
    ("→[d]", "→[D]", "→[\\mathcal{D}]", "→[L]", "⇒", "⇝"),
)
_LOGICAL_SIGNS = (("→", "⊃", "⇒"), ("↔", "⇔", "=", "≡"))
_CONNECTIVES = frozenset("¬∧∨")
_CIRCLED = {"∮": "∫", "∫": "∮"}
_COMPLEX = frozenset("zwζ")
_ORDERS = {"O": "≪", "cal.O": "≪", "Θ": "≍", "Ω": "≫", "o": "≺"}
_PRINCIPAL = ("P", "cal.P", "%PV", '"p.v.', '"P.V.', "%pv", "%vp")
_MEANS = frozenset(["bb.E", "sf.E", "E"])
_IDENTITIES = ("I", "E", "b.I", "b.E", "bb.I")
_AXES = dict(zip("xyz", "ijk", strict=True))
_ALGEBRAS = frozenset(["so", "su", "sl", "sp", "gl"])
_ONE_LETTER_ELEMENTS = frozenset("HBCNOFPSKVYIWU")
_NUMBER_SETS = frozenset("NZQRCF")
_ELEMENT = re.compile("[A-Z][a-z]?")
_SUBSTANCE = re.compile("%(?:[A-Z][a-z]?)+")
_RINGS = frozenset(["bb.Z", "bb.Q", "bb.R", "bb.C", "bb.F", "k", "K"])


def from_rules(node: NormalNode) -> Readings:
    """Yield what a part may be by the rules for its kind of node."""
    for rule in _RULES.get(node.__class__, ()):
        for found in rule(node):
            yield found if found.__class__ is tuple else (found, found)


def _letters(node: str) -> Iterator[NormalNode]:
    """A bold R, of numbers, as ℝ."""
    kind, _, letter = node.rpartition(".")
    if letter in _NUMBER_SETS and kind in ("b", "bb"):
        yield f"bb.{letter}" if kind == "b" else f"b.{letter}"


# -- relations ------------------------------------------------------------------------------------------------------------
def _other_signs(node: nodes.Relation[NormalNode]) -> Iterator[NormalNode]:
    """⊂ for ⊆, and other signs of one meaning; → and ⊃ between statements."""
    trees: Iterator[NormalNode] = walk([node])
    logical = any(map(_is_connective, trees))
    for signs in _SIGNS + (_LOGICAL_SIGNS if logical else ()):
        for sign in {*signs} & {*node.signs}:
            for other in signs:
                if other != sign:
                    yield nodes.Relation(tuple(other if each == sign else each for each in node.signs), node.sides)


def _is_connective(node: NormalNode) -> bool:
    if node.__class__ is nodes.Infix:
        return not _CONNECTIVES.isdisjoint(node.signs)
    return node == "~¬" or (node.__class__ is nodes.Relation and {*node.signs} <= {"→", "⊃"})


def _relations(node: nodes.Relation[NormalNode]) -> Iterator[NormalNode]:
    match node:
        case nodes.Relation(("=",) | ("∈",) as sign, (left, right)) if (order := _order(right)) is not None:
            yield nodes.Relation(("∈" if sign == ("=",) else "=",), node.sides)
            yield nodes.Relation((order[0],), (left, order[1]))
        case nodes.Relation((sign,), (source, target)) if sign[:2] == "→[":  # X →[f] Y
            yield nodes.Relation((":", "→"), (sign[2:-1], source, target))
        case nodes.Relation((":", "=", ":"), (a, b, c, d)):
            yield nodes.Relation(("=",), (times([a], [b]), times([c], [d])))
        case nodes.Relation(("→",), (before, after)) if _elements(before) == _elements(after) != frozenset():
            yield nodes.Relation(("=",), (before, after))
        case nodes.Relation(("≡",), (left, nodes.Product((*right, nodes.Modulo(modulus)), ()))):
            yield nodes.Relation(("=",), (left, nodes.Infix(("mod",), (times(right), modulus))))
        case nodes.Relation(("∈",), (nodes.Fenced("{", "}", nodes.CommaList(_, (start, end))), edges)):
            yield nodes.Relation(("∈",), (times([start, end]), edges))
        case nodes.Relation(("←",), (name, value)) if name in walk([value]):  # w ← w - 1
            yield nodes.Relation(("=",), (name, value))


def _order(node: NormalNode) -> tuple[str, NormalNode] | None:
    """Return ≪ and g for O(g)."""
    match node:
        case nodes.FunctionCall(str(name), "()", bound) if name in _ORDERS:
            return _ORDERS[name], bound
        case nodes.Product((str(name), *bound), denominator) if name in _ORDERS:
            return _ORDERS[name], times(bound or ["#1"], denominator)
    return None


def _elements(node: NormalNode) -> frozenset[str]:
    """Return the chemical elements of a side of a reaction; none where it has other letters."""
    names = [leaf for leaf in leaves(node) if leaf[:1] != "#"]
    if not all(leaf in _ONE_LETTER_ELEMENTS or _SUBSTANCE.fullmatch(leaf) for leaf in names):
        return frozenset()
    found = frozenset(element for leaf in names for element in _ELEMENT.findall(leaf))
    return found if len(found) > 1 else frozenset()


# -- scripts, calls, fences -------------------------------------------------------------------------------------------------
def _scripts(node: nodes.Scripts[NormalNode]) -> Iterator[NormalNode]:
    match node:
        case nodes.Scripts(nodes.Fenced("{" | "⟨", _, nodes.Scripts() as term), low, high):  # {a_n}_{n ≥ 1}
            yield nodes.Scripts(term, low, high)
        case nodes.Scripts(base, nodes.CommaList(("," | ";" as sign,), (first, str(index))), high):  # A_{b,a}
            inner = nodes.Scripts(base, first, high) if first != EMPTY or high != EMPTY else base
            yield nodes.Derivative("" if sign == "," else "∇", ((index, "1"),), inner)
        case nodes.Scripts(nodes.Fenced("(" | "[", _, nodes.CommaList(_, parts)), "", "T" | "t"):
            column = tuple(("~⋮" if part == "~…" else part,) for part in parts)
            yield from (nodes.Matrix(kind, column) for kind in "pb")
        case nodes.Scripts("#1", nodes.Fenced("{", "}", nodes.Relation() as condition), ""):
            yield from _indicators(condition)
        case nodes.Scripts("#1", nodes.Relation() as condition, ""):
            yield from _indicators(condition)
        case nodes.Scripts(base, "", str(exponent)) if exponent[:2] == "b.":  # x to an underlined n
            yield from _pochhammer(base, exponent[2:])
        case nodes.Scripts(base, "", nodes.Accented("bar" | "under", steps)):
            yield from _pochhammer(base, steps)
        case nodes.Scripts("Y", low, nodes.Infix(("*",), (high, ""))) if low != EMPTY:
            yield nodes.Scripts("Y", _pair(low, high), "~*")
        case nodes.Scripts("Y", low, high) if EMPTY not in (low, high):
            yield nodes.Scripts("Y", _pair(low, high), EMPTY)


def _factorials(node: nodes.Stacked[NormalNode]) -> Iterator[NormalNode]:
    """(x)_n for a falling or a rising factorial."""
    if node.tag in ("falling", "rising"):
        yield from _pochhammer(node.upper, node.lower)


def _pochhammer(base: NormalNode, steps: NormalNode) -> Iterator[NormalNode]:
    """(x)_n as it is read where the n is one of steps, and as a script."""
    yield nodes.Stacked("pochhammer", base, steps)
    yield nodes.Scripts(base, steps, EMPTY)


def _contours(node: nodes.Applied[NormalNode]) -> Iterator[NormalNode]:
    """∫ for ∮ over a curve in the complex plane that is named."""
    match node.head:
        case nodes.Scripts(nodes.Big(sign), low, "") if sign in _CIRCLED and low != EMPTY:
            if any(part.variable in _COMPLEX for part in find_all(nodes.Differential, node.body)):
                yield nodes.Applied(nodes.Scripts(nodes.Big(_CIRCLED[sign]), low, EMPTY), node.body)


def _pair(first: NormalNode, second: NormalNode) -> NormalNode:
    letters = first.__class__ is second.__class__ is str
    return nodes.Letters((first, second)) if letters else nodes.Product((first, second), ())  # type: ignore[arg-type]


def _calls(node: nodes.FunctionCall[NormalNode]) -> Iterator[NormalNode]:
    match node:
        case nodes.FunctionCall(nodes.Infix(signs, functions), around, argument) if {*signs} == {"*"}:  # (x * h)(t)
            yield nodes.Infix(signs, tuple(nodes.FunctionCall(each, around, argument) for each in functions))
        case nodes.FunctionCall("%diag", _, nodes.CommaList(_, parts)):
            rows = tuple(tuple(part if at == row else "#0" for at in range(len(parts))) for row, part in enumerate(parts))  # fmt: skip
            yield from (nodes.Matrix(kind, rows) for kind in "pb")
        case nodes.FunctionCall("P", around, nodes.Product(events, ())):  # P(AB)
            yield nodes.FunctionCall("P", around, nodes.Infix(("∩",) * (len(events) - 1), events))
        case nodes.FunctionCall("P", around, nodes.Product(events, given)):  # P(A/B)
            yield nodes.FunctionCall("P", around, nodes.Relation(("|",), (times(events), times(given))))
        case nodes.FunctionCall(name, around, nodes.CommaList((";",), (variable, parameter))):
            yield nodes.FunctionCall(name, around, nodes.Relation(("|",), (variable, parameter)))
        case nodes.FunctionCall("I" | "bb.I", _, nodes.Relation() as condition):
            yield from _indicators(condition)
    if node.around in ("()", "{}"):
        yield nodes.FunctionCall(node.function, "{}" if node.around == "()" else "()", node.arguments)


def _indicators(condition: NormalNode) -> Iterator[NormalNode]:
    """[X ≤ t], and 1 with it as an argument or an index."""
    yield nodes.Fenced("[", "]", condition)
    yield nodes.Fenced("{", "}", condition)
    yield nodes.Scripts("#1", condition, EMPTY)
    yield nodes.Scripts("#1", nodes.Fenced("{", "}", condition), EMPTY)
    yield from (nodes.FunctionCall(name, "()", condition) for name in ("I", "bb.I"))


def _fences(node: nodes.Fenced[NormalNode]) -> Iterator[NormalNode]:
    match node:
        case nodes.Fenced("⟨", "⟩", nodes.CommaList(separators, parts) as body):
            yield nodes.Fenced("(", ")", body)
            if parts[-1].__class__ is nodes.Relation and parts[-1].signs[0] == ":":  # a presentation of a group
                last = nodes.Relation(("|", *parts[-1].signs[1:]), parts[-1].sides)
                yield nodes.Fenced("⟨", "⟩", nodes.CommaList(separators, (*parts[:-1], last)))
        case nodes.Fenced("(", ")", nodes.CommaList() as parts):
            yield nodes.Fenced("⟨", "⟩", parts)
        case nodes.Fenced("[" | "{", _, nodes.Relation() as condition):
            yield from _indicators(condition)
        case nodes.Fenced("|", "⟩", str(digits)) if digits[:1] == "#" and len(digits) > 2:  # |01⟩
            yield _tensor([nodes.Fenced("|", "⟩", f"#{digit}") for digit in digits[1:]])
        case nodes.Fenced("|", "⟩", nodes.Product(states, ()) | nodes.Infix(("⋅", *_), states)):
            yield _tensor([nodes.Fenced("|", "⟩", state) for state in states])


def _joined(states: Sequence[NormalNode]) -> Iterator[NormalNode]:
    """|0⟩|1⟩ as a tensor product, and as |01⟩."""
    yield _tensor(states)
    names = [state.body for state in states]  # type: ignore[union-attr]
    if all(name.__class__ is str and name[:1] == "#" for name in names):
        yield nodes.Fenced("|", "⟩", "#" + "".join(name[1:] for name in names))  # type: ignore[index]


def _tensor(states: Sequence[NormalNode]) -> NormalNode:
    return nodes.Infix(("⊗",) * (len(states) - 1), tuple(states))


def _unit_vectors(node: nodes.Accented[NormalNode]) -> Iterator[NormalNode]:
    """e_r for r̂, and i for x̂."""
    if node.name == "hat" and node.body.__class__ is str:
        name = node.body.removeprefix("b.")
        yield from (nodes.Scripts(base, name, EMPTY) for base in ("b.e", "b.u", "b.a", nodes.Accented("hat", "e")))
        if name in _AXES:
            yield from (nodes.Accented("hat", each + _AXES[name]) for each in ("", "b."))
            yield f"b.{_AXES[name]}"


def _volumes(node: nodes.Differential[NormalNode]) -> Iterator[NormalNode]:
    """The element of a volume as that of its vector: dr for d³r."""
    if node.sign == "d" and node.order in ("2", "3", "n", "N") and node.variable.__class__ is str:
        yield nodes.Differential("d", "1", f"b.{node.variable.removeprefix('b.')}")


# -- sums and products --------------------------------------------------------------------------------------------------------
def _factors(node: nodes.Product[NormalNode]) -> Readings:
    factors, denominator = node.numerator, node.denominator
    match node:
        case nodes.Product(("bb.Z",), _) if "bb.Z" in denominator and len(denominator) > 1:  # Z/mnZ
            modulus = tuple(part for part in denominator if part != "bb.Z")
            letters = all(part.__class__ is str for part in modulus)
            yield _same(nodes.Scripts("bb.Z", nodes.Letters(modulus) if letters else times(modulus), EMPTY))  # type: ignore[arg-type]
        case nodes.Product((nodes.FunctionCall(ring),), (nodes.Fenced("⟨", "⟩", ideal),)) if ring in _RINGS:
            yield _same(times(factors, [ideal]))
        case nodes.Product((*size, "~∠", angle), ()) if size:  # a phasor
            turns: list[NormalNode] = [nodes.Scripts("e", EMPTY, times([unit, angle])) for unit in "ji"]
            yield from ((turn, times([*size, turn])) for turn in turns)  # fmt: skip
        case nodes.Product(("λ", str(identity)), ()) if identity in _IDENTITIES:
            yield _same("λ")
    if "~⋆" in factors:
        yield "~*", times(["~*" if factor == "~⋆" else factor for factor in factors], denominator)
    for at, pair in enumerate(pairwise(factors)):
        for said in _neighbours(*pair):
            witness = said.numerator[0] if said.__class__ is nodes.Product else said
            yield witness, times([*factors[:at], said, *factors[at + 2 :]], denominator)
    yield from _kets(factors, denominator)
    yield from _means(factors, denominator)


def _same(node: NormalNode) -> tuple[NormalNode, NormalNode]:
    return node, node


def _neighbours(first: NormalNode, second: NormalNode) -> Iterator[NormalNode]:
    """Yield what two factors may be together."""
    match first, second:
        case nodes.Scripts("χ", "", "#2"), nodes.Sum():  # χ²(n - 1)
            yield nodes.Scripts("χ", second, "#2")
        case nodes.Scripts("", low, ""), nodes.FunctionCall(nodes.Scripts(str(name), _, ""), around, arguments):  # ₂F₁
            if low[:1] == "#":  # type: ignore[index]
                yield nodes.FunctionCall(name, around, arguments)
        case _, nodes.Scripts("", nodes.CommaList(("," | ";" as sign,), ("", str(index))), ""):  # T^{μν}_{;ν}
            yield nodes.Derivative("" if sign == "," else "∇", ((index, "1"),), first)
        case str(name), nodes.Sum() as argument:  # a function, where the other formula calls it
            yield nodes.FunctionCall(name, "()", argument)
        case str(name), nodes.Infix(("*",)) as argument if name[:4] == "cal.":
            yield nodes.FunctionCall(name, "()", argument)
        case nodes.Scripts("D", vector, ""), function if is_vector(vector):  # a directional derivative
            for style in ("", "∇"):
                yield nodes.Derivative(style, ((vector, "1"),), function)
                if function.__class__ is nodes.FunctionCall:
                    yield times([nodes.Derivative(style, ((vector, "1"),), function.function), function.arguments])
        case str(s), nodes.FunctionCall(str(o), "()", number) if s + o in _ALGEBRAS:
            yield nodes.Product((f"frak.{s}", f"frak.{o}", number), ())
    if first in _PRINCIPAL and second.__class__ is nodes.Applied:
        for name in _PRINCIPAL:
            yield nodes.Product((name, second), ())


def _kets(factors: tuple[NormalNode, ...], denominator: tuple[NormalNode, ...] = ()) -> Readings:
    """The kets at the end of a product as one, their tensor product."""
    start = next((at for at, each in enumerate(factors) if _is_ket(each)), len(factors))
    if len(factors) - start > 1 and all(map(_is_ket, factors[start:])):
        yield from ((said, times([*factors[:start], said], denominator)) for said in _joined(factors[start:]))


def _means(factors: tuple[NormalNode, ...], denominator: tuple[NormalNode, ...] = ()) -> Readings:
    """E XY as E(XY): the mean of all that stands behind an E, up to the next one."""
    starts = [at for at, each in enumerate(factors) if each in _MEANS]
    ends = [*starts[1:], len(factors)]
    if starts and all(start + 1 < end for start, end in zip(starts, ends, strict=True)):
        means = [nodes.FunctionCall("E", "()", times(factors[start + 1 : end])) for start, end in zip(starts, ends, strict=True)]  # fmt: skip
        yield means[-1], times([*factors[: starts[0]], *means], denominator)


def _is_ket(node: NormalNode) -> bool:
    return node.__class__ is nodes.Fenced and (node.opening, node.closing) == ("|", "⟩")


def _infixes(node: nodes.Infix[NormalNode]) -> Readings:
    signs, operands = {*node.signs}, node.operands
    if signs in ({"⋅"}, {"⊗"}):
        yield from _kets((*fraction_of(operands[0])[0], *operands[1:]))
    if signs == {"⋅"} and operands[0] == "~∠":  # of three points in more than one order
        yield _same(nodes.Accented("hat", nodes.Infix(node.signs[1:], operands[1:])))
    if signs == {"⋅"}:
        yield from _means(operands)
    if signs == {"⊗"} and all(is_vector(each) and not any(map(is_capital, leaves(each))) for each in operands):
        yield _same(times(operands))  # a dyad
    if signs == {"∧"}:
        along = [fraction_of(each)[0][-1] for each in operands]
        names = list(map(render, along))
        if all(each.__class__ is nodes.Differential for each in along) and names == sorted(names):  # dx ∧ dy, in order
            yield _same(times(operands))
    if signs == {"⊙"}:
        yield _same(nodes.Infix(("∘",) * len(node.signs), operands))


_RULES: dict[type, tuple[Callable[..., Iterator[object]], ...]] = {
    str: (_letters,),
    nodes.Relation: (_other_signs, _relations),
    nodes.Scripts: (_scripts,),
    nodes.Stacked: (_factorials,),
    nodes.Applied: (_contours,),
    nodes.FunctionCall: (_calls,),
    nodes.Fenced: (_fences,),
    nodes.Accented: (_unit_vectors,),
    nodes.Differential: (_volumes,),
    nodes.Product: (_factors,),
    nodes.Infix: (_infixes,),
}
