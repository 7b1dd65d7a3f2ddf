"""The equations of a formula as monomials over its quantities, without scripts, bars and shown arguments that distinguish nothing.

Two such equations can be aligned quantity by quantity (see tree_alignment.py).
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
from bot.formula.keys.polynomial import CONSTANT_MARK
from bot.formula.keys.solving import coprime
from bot.formula.normal.arithmetic import times
from bot.formula.normal.bound_variables import rename_leaves
from bot.formula.normal.render import render
from bot.formula.normal.scripts import is_power
from bot.formula.normal.stages import normal_forms
from bot.formula.tex import nodes
from bot.formula.tex.nodes import EMPTY
from bot.formula.tex.nodes import NormalNode as Node
from bot.formula.tex.tree import base_of, children, find_all, leaves, map_children

MAX_SYMBOLS = 12
_MARK = "\u2063"  # between the parts of a symbol's leaf; occurs in no formula
_ACCENTS = frozenset(["bar", "vec", "hat", "tilde", "under", "check", "breve", "ring"])
_CONSTANTS_OR_LETTERS = frozenset(
    CONSTANT_MARK + letter for letter in "κi"
)  # constants of some texts, coefficients and indices of others
_INCREMENTS = frozenset(["δ", "Δ", "d"])
INDEX = "*"  # the label of an index, whatever its letter

WrittenTerm = tuple[str, tuple[tuple[str, str], ...], int]  # number, factors with powers, sign


class Symbol(NamedTuple):
    """One quantity of an equation: its letter without style, the style, and the labels that distinguish it from others with that letter."""

    letter: str
    style: str = ""
    label: str = ""

    @property
    def name(self) -> str:
        return _symbol_leaf(self.letter, self.style, self.label)


@dataclass(frozen=True, slots=True)
class Equation:
    """An equation with everything on one side: terms (coefficient, ((atom, power), …)), atoms as trees over the names of `symbols`."""

    sign: str
    terms: tuple[tuple[str, tuple[tuple[Node, str], ...]], ...]
    symbols: tuple[Symbol, ...]
    places: tuple[str, ...]  # for each symbol its place in the equation, independent of names
    shape: str  # equal for statements that differ in the names of their symbols, signs aside
    is_whole_formula: bool  # the only equation of its formula
    signs: tuple[int, ...]
    has_prime_derivative: bool  # a derivative is written with a prime; the variable is not stated
    constants: frozenset[str] = frozenset()  # factors left out: c, ħ, 4π …
    letter_places: frozenset[tuple[str, str]] = frozenset()  # letter (capitals as small ones) and colour of each symbol
    letters: frozenset[str] = frozenset()
    places_by_letter: frozenset[tuple[str, tuple[str, ...]]] = (
        frozenset()
    )  # each letter with the colours of all its symbols
    symbols_by_place: Mapping[str, tuple[Symbol, ...]] = field(default_factory=dict, compare=False)

    def terms_with_names(self, names: dict[str, str]) -> list[WrittenTerm]:
        """Return (number, factors, sign) of each term with symbols under other names, sorted."""
        return sorted(
            [
                (number, tuple(sorted([(_render(atom, names), power) for atom, power in factors])), sign)
                for (number, factors), sign in zip(self.terms, self.signs, strict=True)
            ]
        )


@lru_cache(maxsize=1024)  # some kilobytes each
def stated_equations(tex: str) -> tuple[Equation, ...]:
    """Return the equations of a formula; () where it has no tree or no equation with letters."""
    try:
        trees = normal_forms(tex).normal[0]
        pairs = [pair for node in trees for pair in _equation_pairs(node)]
        return tuple([found for pair in pairs if (found := _read_equation(pair, len(pairs) == 1)) is not None])
    except (FormulaError, RecursionError):
        return ()


def _equation_pairs(node: Node) -> Iterator[nodes.Relation[Node]]:
    """Yield the equations of a chain: its first side equal to each other side."""
    if node.__class__ is not nodes.Relation:
        return
    sides = [side for side in node.sides if side != EMPTY]
    if len(sides) == len(node.sides) == 2:
        yield node
    elif len(sides) > 2 and node.sides[0] != EMPTY and set(node.signs) <= {"=", "≡", ":="}:
        for side in sides[1:]:
            yield nodes.Relation(("=",), (sides[0], side))


def _read_equation(node: nodes.Relation[Node], whole: bool) -> Equation | None:
    node = nodes.Relation(tuple(["=" if sign in (":=", "=:", "≡") else sign for sign in node.signs]), node.sides)
    plain = _without_needless_labels(
        _SymbolReader(_indices(node), _heads_of_several_calls(node)).read(_differential(node))
    )
    found = equation(plain, constants=False)
    if found is None:
        return None
    sign, polynomial = found
    numbered = coprime(polynomial.terms)
    names = sorted({name for _, powers in numbered for key in powers for name in _names(polynomial.atoms[key])})
    if not names or len(names) > MAX_SYMBOLS or len(numbered) < 2:
        return None
    terms = tuple(
        [
            (str(abs(number)), tuple([(polynomial.atoms[key], str(power)) for key, power in sorted(powers.items())]))
            for number, powers in numbered
        ]
    )
    signs = tuple([-1 if number < 0 else 1 for number, _ in numbered])
    primed = _has_prime_derivative(node)
    blank = Equation(sign, terms, tuple([Symbol(*_split_symbol(name)) for name in names]), (), "", whole, signs, primed)
    colours = tuple(
        [repr([t[:2] for t in blank.terms_with_names(dict.fromkeys(names, "?") | {name: "@"})]) for name in names]
    )
    shape = sign + repr([t[:2] for t in blank.terms_with_names(dict.fromkeys(names, "?"))]) + "|".join(sorted(colours))
    constants = frozenset(_constants(plain))
    placed = frozenset([(symbol.letter.casefold(), look) for symbol, look in zip(blank.symbols, colours, strict=True)])
    by_colour: dict[str, tuple[Symbol, ...]] = {}
    by_letter: dict[str, tuple[str, ...]] = {}
    for symbol, look in zip(blank.symbols, colours, strict=True):
        by_colour[look] = (*by_colour.get(look, ()), symbol)
        by_letter[symbol.letter] = (*by_letter.get(symbol.letter, ()), look)
    letter_symbols = frozenset(
        [(letter, tuple(sorted(symbols_of_letter))) for letter, symbols_of_letter in by_letter.items()]
    )
    letters = frozenset(by_letter)
    return Equation(
        sign, terms, blank.symbols, colours, shape, whole, signs, primed, constants, placed, letters, letter_symbols, by_colour
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
            factors = other.body.numerator if other.body.__class__ is nodes.Product else ()
            elements = sum(part.__class__ is nodes.Differential for part in factors)
            if base_of(other.head, nodes.Scripts) == nodes.Big("∫") and elements == 1:
                return nodes.Relation(node.signs, (nodes.Differential("d", "1", one), other.body))
    return node


def _names(node: Node) -> Iterator[str]:
    return (leaf for leaf in leaves(node) if is_name(leaf) and not is_constant(leaf))


def _render(node: Node, names: dict[str, str]) -> str:
    return names.get(node, node) if node.__class__ is str else render(rename_leaves(node, names))


class _SymbolReader:
    """Turn every letter with its style and label into one leaf; `indices` are superscripts that are not powers."""

    def __init__(self, indices: frozenset[str], several: frozenset[str]) -> None:
        self.indices = indices
        self.heads_of_several_calls = several  # heads called with different arguments

    def read(self, node: Node) -> Node:
        if node.__class__ is str or node.__class__ is nodes.Scripts:
            constant = with_marked_constants(node)
            if constant.__class__ is str and is_constant(constant) and constant not in _CONSTANTS_OR_LETTERS:
                return constant
        match node:
            case str():
                return _leaf(node) if is_name(node) else node
            case nodes.Derivative():
                return self.derivative(node)
            case nodes.Differential(order="1"):
                inner = self.read(node.variable)
                return "d" + inner if isinstance(inner, str) and is_name(inner) else nodes.Differential("d", "1", inner)
            case nodes.Scripts():
                return self.scripted(node)
            case nodes.Accented(name, body) if name in _ACCENTS:
                return _with_style_and_label(self.read(body), name)
            case nodes.Fenced("⟨", "⟩", body):
                return _with_style_and_label(self.read(body), "mean")
            case nodes.Fenced("|", "|", body):
                inner = self.read(body)
                return _with_style_and_label(inner, "size") if inner.__class__ is str else nodes.Fenced("|", "|", inner)
            case nodes.FunctionCall(function, _, arguments) if _identifiers(arguments):
                head = self.read(function)
                return (
                    _with_style_and_label(head, "", f"({_label_text(arguments)})")
                    if render(function) in self.heads_of_several_calls
                    else head
                )
            case nodes.Product(numerator, denominator):
                if denominator and len(numerator) > 1 and numerator[-1] in _arguments(numerator[-2]):
                    numerator = numerator[:-1]  # p(τ)/ρ(τ) is read as p(τ)/ρ·τ
                return times(self.factors(numerator), self.factors(denominator))
        return map_children(node, self.read)

    def factors(self, trees: tuple[Node, ...]) -> list[Node]:
        """δ, Δ and d before a letter make another quantity of it: they do not cancel."""
        found: list[Node] = []
        for n, node in enumerate(trees):
            if n and _are_shown_arguments(node, trees[n - 1]) and len(trees) > 1:
                continue
            one, last = self.read(node), found[-1] if found else ""
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
        """Read a derivative: by a prime as by t, of a logarithm as a quotient."""
        by = tuple([("t" if variable == "~x" else self.read(variable), order) for variable, order in node.variables])
        body = self.read(node.body)
        if body.__class__ is nodes.Applied and body.head == "%ln" and len(by) == 1 and by[0][1] == "1":
            return times([nodes.Derivative(node.style, by, body.body)], [body.body])
        return nodes.Derivative(node.style, by, body)

    def scripted(self, node: nodes.Scripts[Node]) -> Node:
        base, low, high = node.base, node.low, node.high
        if base.__class__ is nodes.Big or (base.__class__ is str and base[:1] == "%"):
            return nodes.Scripts(base, self.read(low) if low else EMPTY, self.read(high) if high else EMPTY)
        inner = self.read(base)
        if high != EMPTY and is_power(base, high) and high not in self.indices:
            if (
                high == nodes.Product(("#1",), ("#2",))
                and base.__class__ is nodes.Fenced
                and base.opening + base.closing == "||"
            ):
                inner = self.read(base.body)  # the root of a magnitude is the root
            return nodes.Scripts(self.labelled(inner, low), EMPTY, self.read(high))
        return self.labelled(self.labelled(inner, low), high)

    def labelled(self, inner: Node, script: Node) -> Node:
        if script == EMPTY:
            return inner
        if inner.__class__ is nodes.Derivative:
            return nodes.Derivative(inner.style, inner.variables, self.labelled(inner.body, script))
        if inner.__class__ is str and not is_name(inner):
            return nodes.Scripts(inner, script, EMPTY)
        return _with_style_and_label(inner, "", _label_text(script))


def _indices(node: Node) -> frozenset[str]:
    """Return letters that are superscripts of two letters and not factors themselves: uᵅ = dxᵅ/ds."""
    superscript_bases: dict[str, set[Node]] = defaultdict(set)
    line: set[str] = set()
    stack = [node]
    while stack:
        current = stack.pop()
        if current.__class__ is str:
            line.add(current)
        elif current.__class__ is nodes.Scripts:
            if current.high.__class__ is str and is_name(current.high) and current.base != "e":
                superscript_bases[current.high].add(current.base)
            elif current.high != EMPTY:
                stack.append(current.high)
            stack.append(current.base)
        else:
            stack.extend(children(current))
    return frozenset(letter for letter, bases in superscript_bases.items() if len(bases) > 1 and letter not in line)


def _heads_of_several_calls(node: Node) -> frozenset[str]:
    """Return functions called with different arguments: ψ(t, r) is not ψ(r) and must not cancel with it."""
    found: dict[str, set[Node]] = defaultdict(set)
    for call in find_all(nodes.FunctionCall, node):
        found[render(call.function)].add(call.arguments)
    return frozenset(head for head, arguments in found.items() if len(arguments) > 1)


def _has_prime_derivative(node: Node) -> bool:
    return any(name == "~x" for part in find_all(nodes.Derivative, node) for name, _ in part.variables)


def _leaf(leaf: str) -> str:
    style, _, letter = leaf.rpartition(".")
    style = "vec" if style == "b" else style  # bold type and an arrow say the same
    return _symbol_leaf(letter, style, "")


def _with_style_and_label(node: Node, style: str = "", label: str = "") -> Node:
    if node.__class__ is not str or not is_name(node):
        return node
    letter, old, old_label = _split_symbol(node)
    return _symbol_leaf(letter, " ".join(filter(None, (old, style))), " ".join(filter(None, (old_label, label))))


def _label_text(script: Node) -> str:
    """Return the label as read: no quotes, no parentheses, letters of a word together."""
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
        case nodes.Product(numerator, ()):
            return all(map(_identifiers, numerator))
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
    """Remove styles and labels of letters that have only one form, and labels that two letters share (a species, an index)."""
    variants: dict[str, set[str]] = defaultdict(set)
    bearers: dict[str, set[str]] = defaultdict(set)
    for name in _names(node):
        letter, _, label = _split_symbol(name)
        variants[letter].add(name)
        for part in filter(None, (label, *label)):  # g_{ab} and n_a share an index
            bearers[part].add(letter)
    shared = {label for label, letters in bearers.items() if len(letters) > 1}
    new: dict[str, str] = {}
    for letter, found in variants.items():
        if len(found) == 1:
            new[next(iter(found))] = letter
            continue
        stripped = {
            name: _without(name, shared, len({_split_symbol(other)[1] for other in found}) > 1) for name in found
        }
        if len(set(stripped.values())) < len(found):
            stripped = {name: _symbol_leaf(letter, style, INDEX + label if label in shared else label) for name in found for _, style, label in [_split_symbol(name)]}  # fmt: skip
        new |= stripped
    return rename_leaves(node, new) if new else node


def _without(name: str, shared: set[str], styled: bool) -> str:
    letter, style, label = _split_symbol(name)
    return _symbol_leaf(letter, style if styled else "", "" if label in shared else label)


def _split_symbol(name: str) -> tuple[str, str, str]:
    letter, _, rest = name.partition(_MARK)
    style, _, label = rest.partition(_MARK)
    return letter, style, label


def _symbol_leaf(letter: str, style: str, label: str) -> str:
    return _MARK.join((letter, style, label)) if style or label else letter
