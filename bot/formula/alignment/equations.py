"""What a formula states, one equation at a time, as monomials over its quantities: scripts, bars and shown arguments taken off where they tell nothing apart.

Two formulas can then be laid over each other, quantity on quantity (see alignment.py).
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple

from bot.errors import FormulaError
from bot.formula.keys.algebra import equation
from bot.formula.keys.alpha_equivalence import is_name
from bot.formula.keys.constants import is_constant, with_marked_constants
from bot.formula.keys.polynomial import MARK
from bot.formula.keys.solving import coprime
from bot.formula.normal.arithmetic import times
from bot.formula.normal.bound_variables import substituted
from bot.formula.normal.render import render
from bot.formula.normal.scripts import is_power
from bot.formula.normal.stages import normal_forms
from bot.formula.tex import nodes
from bot.formula.tex.nodes import EMPTY
from bot.formula.tex.nodes import NormalNode as Node
from bot.formula.tex.tree import children, leaves, rebuilt, walk

MOST_LETTERS = 12
_MARK = "\u2063"  # between the parts of a symbol's leaf; stands in no formula
_MEANS = frozenset(["bar", "vec", "hat", "tilde", "under", "check", "breve", "ring"])
_VARIED = frozenset(MARK + letter for letter in "κi")  # constants of some texts, coefficients and indices of others
_INCREMENTS = frozenset(["δ", "Δ", "d"])
INDEX = "*"  # the label of an index, whatever its letter

WrittenTerm = tuple[str, tuple[tuple[str, str], ...], int]  # number, factors with powers, sign


class Symbol(NamedTuple):
    """One quantity of a statement: its letter without style, the style, and the labels that tell it from others of its letter."""

    letter: str
    style: str = ""
    label: str = ""

    @property
    def name(self) -> str:
        return _joined(self.letter, self.style, self.label)


@dataclass(frozen=True, slots=True)
class Equation:
    """An equation with everything on one side: terms (coefficient, ((atom, power), …)), atoms as trees over the names of `symbols`."""

    sign: str
    terms: tuple[tuple[str, tuple[tuple[Node, str], ...]], ...]
    symbols: tuple[Symbol, ...]
    colours: tuple[str, ...]  # for each symbol: where it stands, whatever it is called
    shape: str  # equal for statements that differ in the names of their symbols, signs aside
    whole: bool  # all that its formula states
    signs: tuple[int, ...]
    primed: bool  # differentiates by a prime: by what, the text says
    constants: frozenset[str] = frozenset()  # factors left out: c, ħ, 4π …
    placed: frozenset[tuple[str, str]] = frozenset()  # letter (capitals as small ones) and colour of each symbol
    letters: frozenset[str] = frozenset()
    standing: frozenset[tuple[str, tuple[str, ...]]] = frozenset()  # each letter with the colours of all its symbols
    by_colour: Mapping[str, tuple[Symbol, ...]] = field(default_factory=dict, compare=False)

    def written(self, names: dict[str, str]) -> list[WrittenTerm]:
        """Return (number, factors, sign) of each term with symbols under other names, sorted."""
        return sorted(
            [
                (number, tuple(sorted([(_render(atom, names), power) for atom, power in factors])), sign)
                for (number, factors), sign in zip(self.terms, self.signs, strict=True)
            ]
        )


@lru_cache(maxsize=1024)  # some kilobytes each
def stated_equations(tex: str) -> tuple[Equation, ...]:
    """Return what the formula states; () for what has no tree or no equation with letters."""
    try:
        trees = normal_forms(tex).noted[0]
        pairs = [pair for node in trees for pair in _pairs(node)]
        return tuple([found for pair in pairs if (found := _statement(pair, len(pairs) == 1)) is not None])
    except (FormulaError, RecursionError):
        return ()


def _pairs(node: Node) -> Iterator[nodes.Relation[Node]]:
    """A chain states its first side of each of the others."""
    if node.__class__ is not nodes.Relation:
        return
    sides = [side for side in node.sides if side != EMPTY]
    if len(sides) == len(node.sides) == 2:
        yield node
    elif len(sides) > 2 and node.sides[0] != EMPTY and set(node.signs) <= {"=", "≡", ":="}:
        for side in sides[1:]:
            yield nodes.Relation(("=",), (sides[0], side))


def _statement(node: nodes.Relation[Node], whole: bool) -> Equation | None:
    node = nodes.Relation(tuple(["=" if sign in (":=", "=:", "≡") else sign for sign in node.signs]), node.sides)
    plain = _without_needless_labels(_Symbols(_indices(node), _heads_of_several_calls(node)).of(_differential(node)))
    found = equation(plain, constants=False)
    if found is None:
        return None
    sign, polynomial = found
    numbered = coprime(polynomial.terms)
    names = sorted({name for _, powers in numbered for key in powers for name in _names(polynomial.atoms[key])})
    if not names or len(names) > MOST_LETTERS or len(numbered) < 2:
        return None
    terms = tuple(
        [
            (str(abs(number)), tuple([(polynomial.atoms[key], str(power)) for key, power in sorted(powers.items())]))
            for number, powers in numbered
        ]
    )
    signs = tuple([-1 if number < 0 else 1 for number, _ in numbered])
    primed = _primed(node)
    blank = Equation(sign, terms, tuple([Symbol(*_parts(name)) for name in names]), (), "", whole, signs, primed)
    colours = tuple([repr([t[:2] for t in blank.written(dict.fromkeys(names, "?") | {name: "@"})]) for name in names])
    shape = sign + repr([t[:2] for t in blank.written(dict.fromkeys(names, "?"))]) + "|".join(sorted(colours))
    constants = frozenset(_constants(plain))
    placed = frozenset([(symbol.letter.casefold(), look) for symbol, look in zip(blank.symbols, colours, strict=True)])
    by_colour: dict[str, tuple[Symbol, ...]] = {}
    by_letter: dict[str, tuple[str, ...]] = {}
    for symbol, look in zip(blank.symbols, colours, strict=True):
        by_colour[look] = (*by_colour.get(look, ()), symbol)
        by_letter[symbol.letter] = (*by_letter.get(symbol.letter, ()), look)
    standing = frozenset([(letter, tuple(sorted(looks))) for letter, looks in by_letter.items()])
    letters = frozenset(by_letter)
    return Equation(
        sign, terms, blank.symbols, colours, shape, whole, signs, primed, constants, placed, letters, standing, by_colour
    )  # fmt: skip


def _constants(node: Node) -> Iterator[str]:
    """c, ħ, π, and roots of numbers."""
    stack = [node]
    while stack:
        current = stack.pop()
        if current.__class__ is str:
            if is_constant(current):
                yield current
        elif current.__class__ is nodes.Scripts and current.base.__class__ is str and current.base[:1] == "#":
            yield render(current)
        else:
            stack.extend(children(current))


def _differential(node: nodes.Relation[Node]) -> nodes.Relation[Node]:
    """x = ∫ f dy states dx = f dy."""
    for one, other in (node.sides, node.sides[::-1]):
        if one.__class__ is str and is_name(one) and other.__class__ is nodes.Applied:
            big = other.head.base if other.head.__class__ is nodes.Scripts else other.head
            body = other.body
            parts = body.above if big == nodes.Big("∫") and body.__class__ is nodes.Product else ()
            if sum(part.__class__ is nodes.Differential for part in parts) == 1:
                return nodes.Relation(node.signs, (nodes.Differential("d", "1", one), body))
    return node


def _names(node: Node) -> Iterator[str]:
    return (leaf for leaf in leaves(node) if is_name(leaf) and not is_constant(leaf))


def _render(node: Node, names: dict[str, str]) -> str:
    return names.get(node, node) if node.__class__ is str else render(substituted(node, names))


class _Symbols:
    """Every letter with its dress as one leaf: letter, style, label; `indices` stand above letters without being powers."""

    def __init__(self, indices: frozenset[str], several: frozenset[str]) -> None:
        self.indices = indices
        self.several = several  # heads called with different arguments

    def of(self, node: Node) -> Node:
        if node.__class__ is str or node.__class__ is nodes.Scripts:
            known = with_marked_constants(node)
            if known.__class__ is str and is_constant(known) and known not in _VARIED:
                return known
        match node:
            case str():
                return _leaf(node) if is_name(node) else node
            case nodes.Derivative():
                return self.derivative(node)
            case nodes.Differential(order="1"):
                inner = self.of(node.variable)
                return "d" + inner if isinstance(inner, str) and is_name(inner) else nodes.Differential("d", "1", inner)
            case nodes.Scripts():
                return self.scripted(node)
            case nodes.Accented(name, body) if name in _MEANS:
                return _with_style_and_label(self.of(body), name)
            case nodes.Fenced("⟨", "⟩", body):
                return _with_style_and_label(self.of(body), "mean")
            case nodes.Fenced("|", "|", body):
                inner = self.of(body)
                return _with_style_and_label(inner, "size") if inner.__class__ is str else nodes.Fenced("|", "|", inner)
            case nodes.FunctionCall(function, _, arguments) if _identifiers(arguments):
                head = self.of(function)
                return (
                    _with_style_and_label(head, "", f"({_text(arguments)})")
                    if render(function) in self.several
                    else head
                )
            case nodes.Product(above, below):
                if below and len(above) > 1 and above[-1] in _arguments(above[-2]):
                    above = above[:-1]  # p(τ)/ρ(τ) is read as p(τ)/ρ·τ
                return times(self.factors(above), self.factors(below))
        return rebuilt(node, self.of)

    def factors(self, trees: tuple[Node, ...]) -> list[Node]:
        """δ, Δ and d before a letter make another quantity of it: they do not cancel."""
        found: list[Node] = []
        for n, node in enumerate(trees):
            if n and _are_shown_arguments(node, trees[n - 1]) and len(trees) > 1:
                continue
            one, last = self.of(node), found[-1] if found else ""
            if (
                isinstance(last, str)
                and last in _INCREMENTS
                and isinstance(one, str)
                and is_name(one)
                and not is_constant(one)
            ):
                found[-1] = last + one
            else:
                found.append(one)
        return found

    def derivative(self, node: nodes.Derivative[Node]) -> Node:
        """By a prime as by t; of a logarithm as the quotient that it is."""
        by = tuple([("t" if variable == "~x" else self.of(variable), order) for variable, order in node.variables])
        body = self.of(node.body)
        if body.__class__ is nodes.Applied and body.head == "%ln" and len(by) == 1 and by[0][1] == "1":
            return times([nodes.Derivative(node.style, by, body.body)], [body.body])
        return nodes.Derivative(node.style, by, body)

    def scripted(self, node: nodes.Scripts[Node]) -> Node:
        base, low, high = node.base, node.low, node.high
        if base.__class__ is nodes.Big or (base.__class__ is str and base[:1] == "%"):
            return nodes.Scripts(base, self.of(low) if low else EMPTY, self.of(high) if high else EMPTY)
        inner = self.of(base)
        if high != EMPTY and is_power(base, high) and high not in self.indices:
            if (
                high == nodes.Product(("#1",), ("#2",))
                and base.__class__ is nodes.Fenced
                and base.opening + base.closing == "||"
            ):
                inner = self.of(base.body)  # the root of a magnitude is the root
            return nodes.Scripts(self.labelled(inner, low), EMPTY, self.of(high))
        return self.labelled(self.labelled(inner, low), high)

    def labelled(self, inner: Node, script: Node) -> Node:
        if script == EMPTY:
            return inner
        if inner.__class__ is nodes.Derivative:
            return nodes.Derivative(inner.style, inner.variables, self.labelled(inner.body, script))
        if inner.__class__ is str and not is_name(inner):
            return nodes.Scripts(inner, script, EMPTY)
        return _with_style_and_label(inner, "", _text(script))


def _indices(node: Node) -> frozenset[str]:
    """Letters that stand above two letters and nowhere else on the line: uᵅ = dxᵅ/ds."""
    above: dict[str, set[Node]] = defaultdict(set)
    line: set[str] = set()
    stack = [node]
    while stack:
        current = stack.pop()
        if current.__class__ is str:
            line.add(current)
        elif current.__class__ is nodes.Scripts:
            if current.high.__class__ is str and is_name(current.high) and current.base != "e":
                above[current.high].add(current.base)
            elif current.high != EMPTY:
                stack.append(current.high)
            stack.append(current.base)
        else:
            stack.extend(children(current))
    return frozenset(letter for letter, bases in above.items() if len(bases) > 1 and letter not in line)


def _heads_of_several_calls(node: Node) -> frozenset[str]:
    """Heads called with different arguments: ψ(t, r) is not ψ(r), and must not cancel with it."""
    found: dict[str, set[Node]] = defaultdict(set)
    for inner in walk([node]):
        if inner.__class__ is nodes.FunctionCall:
            found[render(inner.function)].add(inner.arguments)
    return frozenset(head for head, arguments in found.items() if len(arguments) > 1)


def _primed(node: Node) -> bool:
    return any(
        [
            inner.__class__ is nodes.Derivative and "~x" in [name for name, _ in inner.variables]
            for inner in walk([node])
        ]
    )


def _leaf(leaf: str) -> str:
    style, _, letter = leaf.rpartition(".")
    style = "vec" if style == "b" else style  # bold type and an arrow say the same
    return _joined(letter, style, "")


def _with_style_and_label(node: Node, style: str = "", label: str = "") -> Node:
    if node.__class__ is not str or not is_name(node):
        return node
    letter, old, told = _parts(node)
    return _joined(letter, " ".join(filter(None, (old, style))), " ".join(filter(None, (told, label))))


def _text(script: Node) -> str:
    """The label as it is read: no quotes, no parentheses, letters of a word together."""
    if script.__class__ is str:
        return script.strip('"%#~ ')
    return "".join([leaf.strip('"%#~ ') for leaf in leaves(script)])


def _arguments(node: Node) -> tuple[Node, ...]:
    """The argument of a call, of a letter's derivative its parameter, of dt the t."""
    match node:
        case str():
            return (node,)
        case nodes.FunctionCall():
            return (node.arguments,)
        case nodes.Derivative(body=nodes.FunctionCall()):
            return _arguments(node.body)
        case nodes.Derivative():
            return ("t",)
    return ()


def _identifiers(node: Node) -> bool:
    match node:
        case str():
            return bool(node) and node[0] not in '#"~'
        case nodes.Scripts() | nodes.Accented():
            return True
        case nodes.Product(above, ()):
            return all(map(_identifiers, above))
        case nodes.CommaList():
            return all(map(_identifiers, node.parts))
    return False


def _are_shown_arguments(node: Node, before: Node) -> bool:
    """Arguments behind a fraction or a derivative: (ȧ/a)(z; s), ȧ(t)."""
    if node.__class__ is not nodes.Fenced or not _identifiers(node.body):
        return False
    return node.body.__class__ is nodes.CommaList or (
        before.__class__ is nodes.Derivative and node.body.__class__ is str
    )


def _without_needless_labels(node: Node) -> Node:
    """Take off styles and labels where a letter stands in one form only, and labels that two letters share (a species, an index)."""
    variants: dict[str, set[str]] = defaultdict(set)
    bearers: dict[str, set[str]] = defaultdict(set)
    for name in _names(node):
        letter, _, label = _parts(name)
        variants[letter].add(name)
        for part in filter(None, (label, *label)):  # g_{ab} and n_a share an index
            bearers[part].add(letter)
    shared = {label for label, letters in bearers.items() if len(letters) > 1}
    new: dict[str, str] = {}
    for letter, found in variants.items():
        if len(found) == 1:
            new[next(iter(found))] = letter
            continue
        bare = {name: _without(name, shared, len({_parts(other)[1] for other in found}) > 1) for name in found}
        if len(set(bare.values())) < len(found):
            bare = {name: _joined(letter, style, INDEX + label if label in shared else label) for name in found for _, style, label in [_parts(name)]}  # fmt: skip
        new |= bare
    return substituted(node, new) if new else node


def _without(name: str, shared: set[str], styled: bool) -> str:
    letter, style, label = _parts(name)
    return _joined(letter, style if styled else "", "" if label in shared else label)


def _parts(name: str) -> tuple[str, str, str]:
    letter, _, rest = name.partition(_MARK)
    style, _, label = rest.partition(_MARK)
    return letter, style, label


def _joined(letter: str, style: str, label: str) -> str:
    return _MARK.join((letter, style, label)) if style or label else letter
