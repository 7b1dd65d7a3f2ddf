"""What a formula states, one equation at a time, as monomials over its quantities: scripts, bars and shown arguments taken off where they tell nothing apart.

Two formulas can then be laid over each other, quantity on quantity (see alignment.py).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache

from bot.errors import FormulaError
from bot.formula.keys.algebra import coprime, equation
from bot.formula.keys.alpha_equivalence import is_name
from bot.formula.keys.constants import MARK, is_constant, marked
from bot.formula.keys.polynomial import size
from bot.formula.normal.arithmetic import times
from bot.formula.normal.render import render
from bot.formula.normal.scripts import is_power
from bot.formula.normal.stages import forms
from bot.formula.tex.nodes import EMPTY, Derivative, Differential, Fenced, Relation, Scripts
from bot.formula.tex.tree import Node, children, leaves, rebuilt

MOST_LETTERS = 12
_MARK = "\u2063"  # between the parts of a symbol's leaf; stands in no formula
_MEANS = frozenset(["bar", "vec", "hat", "tilde", "under", "check", "breve", "ring"])
_VARIED = frozenset(MARK + letter for letter in "κi")  # constants of some texts, coefficients and indices of others
_INCREMENTS = frozenset(["δ", "Δ", "d"])
INDEX = "*"  # the label of an index, whatever its letter

Written = tuple[str, tuple[tuple[str, str], ...], int]  # number, factors with powers, sign


@dataclass(frozen=True, slots=True)
class Symbol:
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
    letters: frozenset[str] = frozenset()  # capitals as small ones
    by_colour: Mapping[str, tuple[Symbol, ...]] = field(default_factory=dict, compare=False)

    def written(self, names: dict[str, str]) -> list[Written]:
        """Return (number, factors, sign) of each term with symbols under other names, sorted."""
        return sorted(
            [
                (number, tuple(sorted([(_render(atom, names), power) for atom, power in factors])), sign)
                for (number, factors), sign in zip(self.terms, self.signs, strict=True)
            ]
        )


@lru_cache(maxsize=65536)
def statements(tex: str) -> tuple[Equation, ...]:
    """Return what the formula states; () for what has no tree or no equation with letters."""
    try:
        nodes = forms(tex).noted[0]
        pairs = [pair for node in nodes for pair in _pairs(node)]
        return tuple([found for pair in pairs if (found := _statement(pair, len(pairs) == 1)) is not None])
    except (FormulaError, RecursionError):
        return ()


def _pairs(node: Node) -> Iterator[Node]:
    """A chain states its first side of each of the others."""
    if node[:1] != ("rel",):
        return
    sides = [side for side in node[2] if side != EMPTY]
    if len(sides) == len(node[2]) == 2:
        yield node
    elif len(sides) > 2 and node[2][0] != EMPTY and set(node[1]) <= {"=", "≡", ":="}:
        for side in sides[1:]:
            yield Relation(("=",), (sides[0], side))


def _statement(node: Node, whole: bool) -> Equation | None:
    node = Relation(tuple(["=" if sign in (":=", "=:", "≡") else sign for sign in node[1]]), node[2])
    plain = _told_apart(_Symbols(_indices(node), _several(node)).of(_differential(node)))
    found = equation(plain, is_constant)
    if found is None:
        return None
    sign, polynomial = found
    numbered = coprime(polynomial.terms)
    names = sorted({name for _, powers in numbered for key in powers for name in _names(polynomial.atoms[key])})
    if not names or len(names) > MOST_LETTERS or len(numbered) < 2:
        return None
    terms = tuple(
        [
            (str(size(number)), tuple([(polynomial.atoms[key], str(power)) for key, power in sorted(powers.items())]))
            for number, powers in numbered
        ]
    )
    signs = tuple([-1 if number < 0 else 1 for number, _ in numbered])
    primed = _primed(node)
    blank = Equation(sign, terms, tuple(map(_symbol, names)), (), "", whole, signs, primed)
    colours = tuple([repr([t[:2] for t in blank.written(dict.fromkeys(names, "?") | {name: "@"})]) for name in names])
    shape = sign + repr([t[:2] for t in blank.written(dict.fromkeys(names, "?"))]) + "|".join(sorted(colours))
    constants = frozenset(_constants(plain))
    placed = frozenset([(symbol.letter.casefold(), look) for symbol, look in zip(blank.symbols, colours, strict=True)])
    letters = frozenset([symbol.letter.casefold() for symbol in blank.symbols])
    by_colour: dict[str, tuple[Symbol, ...]] = {}
    for symbol, look in zip(blank.symbols, colours, strict=True):
        by_colour[look] = (*by_colour.get(look, ()), symbol)
    return Equation(
        sign, terms, blank.symbols, colours, shape, whole, signs, primed, constants, placed, letters, by_colour
    )


def _constants(node: Node) -> Iterator[str]:
    """c, ħ, π, and roots of numbers."""
    stack = [node]
    while stack:
        current = stack.pop()
        if current.__class__ is str:
            if is_constant(current):
                yield current
        elif current[0] == "s" and current[1].__class__ is str and current[1][:1] == "#":
            yield render(current)
        else:
            stack.extend(children(current))


def _differential(node: Node) -> Node:
    """x = ∫ f dy states dx = f dy."""
    sides = node[2]
    for one, other in (sides, sides[::-1]):
        if one.__class__ is str and is_name(one) and other[:1] == ("app",):
            big = other[1][1] if other[1][:1] == ("s",) else other[1]
            body = other[2]
            whole = big == ("big", "∫") and body[:1] == ("*",)
            if whole and sum(part[:1] == ("d",) for part in body[1]) == 1:
                return Relation(node[1], (Differential("d", "1", one), body))
    return node


def _symbol(name: str) -> Symbol:
    return Symbol(*_parts(name))


def _names(node: Node) -> Iterator[str]:
    return (leaf for leaf in leaves(node) if is_name(leaf) and not is_constant(leaf))


def _render(node: Node, names: dict[str, str]) -> str:
    return names.get(node, node) if node.__class__ is str else render(_renamed(node, names))


def _renamed(node: Node, names: dict[str, str]) -> Node:
    if node.__class__ is str:
        return names.get(node, node)
    return rebuilt(node, lambda part: _renamed(part, names))


class _Symbols:
    """Every letter with its dress as one leaf: letter, style, label; `indices` stand above letters without being powers."""

    def __init__(self, indices: frozenset[str], several: frozenset[str]) -> None:
        self.indices = indices
        self.several = several  # heads called with different arguments

    def of(self, node: Node) -> Node:
        if node.__class__ is str or node[0] == "s":
            known = marked(node)
            if is_constant(known) and known not in _VARIED:
                return known
        if node.__class__ is str:
            return _leaf(node) if is_name(node) else node
        tag = node[0]
        if tag == "D":
            return self.derivative(node)
        if tag == "d" and node[2] == "1":
            inner = self.of(node[3])
            return "d" + inner if inner.__class__ is str and is_name(inner) else Differential("d", "1", inner)
        if tag == "s":
            return self.scripted(node)
        if tag == "acc" and node[1] in _MEANS:
            return _dressed(self.of(node[2]), node[1])
        if tag == "'":
            return _dressed(self.of(node[1]), "prime")
        if tag == "()" and node[1] + node[2] == "⟨⟩":
            return _dressed(self.of(node[3]), "mean")
        if tag == "()" and node[1] + node[2] == "||":
            inner = self.of(node[3])
            return _dressed(inner, "size") if inner.__class__ is str else Fenced("|", "|", inner)
        if tag == "call" and _identifiers(node[3]):
            head = self.of(node[1])
            return _dressed(head, "", f"({_text(node[3])})") if render(node[1]) in self.several else head
        if tag == "*":
            above = node[1]
            if node[2] and len(above) > 1 and above[-1] in _arguments(above[-2]):
                above = above[:-1]  # p(τ)/ρ(τ) is read as p(τ)/ρ·τ
            return times(self.factors(above), self.factors(node[2]))
        return rebuilt(node, self.of)

    def factors(self, nodes: tuple[Node, ...]) -> list[Node]:
        """δ, Δ and d before a letter make another quantity of it: they do not cancel."""
        found: list[Node] = []
        for n, node in enumerate(nodes):
            if n and _shown(node, nodes[n - 1]) and len(nodes) > 1:
                continue
            one = self.of(node)
            if found and found[-1] in _INCREMENTS and one.__class__ is str and is_name(one) and not is_constant(one):
                found[-1] += one
            else:
                found.append(one)
        return found

    def derivative(self, node: Node) -> Node:
        """By a prime as by t; of a logarithm as the quotient that it is."""
        by = tuple([("t" if variable == "~x" else self.of(variable), order) for variable, order in node[2]])
        body = self.of(node[3])
        if body[:2] == ("app", "%ln") and len(by) == 1 and by[0][1] == "1":
            return times([Derivative(node[1], by, body[2])], [body[2]])
        return Derivative(node[1], by, body)

    def scripted(self, node: Node) -> Node:
        base, low, high = node[1], node[2], node[3]
        if base[:1] == ("big",) or base[:1] == "%":
            return Scripts(base, self.of(low) if low else EMPTY, self.of(high) if high else EMPTY)
        inner = self.of(base)
        if high != EMPTY and is_power(base, high) and high not in self.indices:
            if high == ("*", ("#1",), ("#2",)) and base[:3] == ("()", "|", "|"):
                inner = self.of(base[3])  # the root of a magnitude is the root
            return Scripts(self.labelled(inner, low), EMPTY, self.of(high))
        return self.labelled(self.labelled(inner, low), high)

    def labelled(self, inner: Node, script: Node) -> Node:
        if script == EMPTY:
            return inner
        if inner[:1] == ("D",):
            return Derivative(inner[1], inner[2], self.labelled(inner[3], script))
        if inner.__class__ is not str or not is_name(inner):
            return inner if inner.__class__ is not str else Scripts(inner, script, EMPTY)
        return _dressed(inner, "", _text(script))


def _indices(node: Node) -> frozenset[str]:
    """Letters that stand above two letters and nowhere else on the line: uᵅ = dxᵅ/ds."""
    above: dict[str, set[Node]] = defaultdict(set)
    line: set[str] = set()
    stack = [node]
    while stack:
        current = stack.pop()
        if current.__class__ is str:
            line.add(current)
        elif current[0] == "s":
            if current[3].__class__ is str and is_name(current[3]) and current[1] != "e":
                above[current[3]].add(current[1])
            elif current[3] != EMPTY:
                stack.append(current[3])
            stack.append(current[1])
        else:
            stack.extend(children(current))
    return frozenset(letter for letter, bases in above.items() if len(bases) > 1 and letter not in line)


def _several(node: Node) -> frozenset[str]:
    """Heads called with different arguments: ψ(t, r) is not ψ(r), and must not cancel with it."""
    found: dict[str, set[Node]] = defaultdict(set)
    stack = [node]
    while stack:
        current = stack.pop()
        if current.__class__ is not str:
            if current[0] == "call":
                found[render(current[1])].add(current[3])
            stack.extend(children(current))
    return frozenset(head for head, arguments in found.items() if len(arguments) > 1)


def _primed(node: Node) -> bool:
    stack = [node]
    while stack:
        current = stack.pop()
        if current.__class__ is not str:
            if current[0] == "D" and any(variable == "~x" for variable, _ in current[2]):
                return True
            stack.extend(children(current))
    return False


def _leaf(leaf: str) -> str:
    style, _, letter = leaf.rpartition(".")
    style = "vec" if style == "b" else style  # bold type and an arrow say the same
    return _joined(letter, style, "")


def _dressed(node: Node, style: str = "", label: str = "") -> Node:
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
    if node.__class__ is str:
        return (node,)
    if node[0] == "call":
        return (node[3],)
    if node[0] != "D":
        return ()
    return _arguments(node[3]) if node[3][:1] == ("call",) else ("t",)


def _identifiers(node: Node) -> bool:
    if node.__class__ is str:
        return bool(node) and node[0] not in '#"~'
    if node[0] in ("s", "acc", "'"):
        return True
    if node[0] == "*":
        return not node[2] and all(part[:1] == "\\" or _identifiers(part) for part in node[1])
    return bool(node[0] == "," and all(_identifiers(part) for part in node[2]))


def _shown(node: Node, before: Node) -> bool:
    """Arguments behind a fraction or a derivative: (ȧ/a)(z; s), ȧ(t)."""
    return bool(
        node[:1] == ("()",)
        and _identifiers(node[3])
        and (node[3][:1] == (",",) or (before[:1] == ("D",) and node[3].__class__ is str))
    )


def _told_apart(node: Node) -> Node:
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
    return _renamed(node, new) if new else node


def _without(name: str, shared: set[str], styled: bool) -> str:
    letter, style, label = _parts(name)
    return _joined(letter, style if styled else "", "" if label in shared else label)


def _parts(name: str) -> tuple[str, str, str]:
    letter, _, rest = name.partition(_MARK)
    style, _, label = rest.partition(_MARK)
    return letter, style, label


def _joined(letter: str, style: str, label: str) -> str:
    return _MARK.join((letter, style, label)) if style or label else letter
