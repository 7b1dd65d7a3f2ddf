"""Two formulas that differ by their notation alone: each part of the one is taken for what stands in the other, where this has no such part.

Both must be equal then, part by part and in their conditions: nothing is rearranged or renamed here.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache

from bot.errors import FormulaError
from bot.formula.alignment.notations.notation_rewriting import in_signs_of
from bot.formula.alignment.notations.notation_rules import from_rules
from bot.formula.alignment.notations.notation_table import from_table
from bot.formula.alignment.tree_rewriting import bottom_up
from bot.formula.equivalence.analysed import analyse_formula
from bot.formula.equivalence.comparison import Comparison
from bot.formula.equivalence.order import has_same_products, products
from bot.formula.normal.arithmetic import map_children_flat, times
from bot.formula.normal.bound_variables import with_numbered_bound_names
from bot.formula.normal.render import render
from bot.formula.tex import nodes
from bot.formula.tex.nodes import EMPTY, NormalNode
from bot.formula.tex.tree import leaves, walk
from bot.messages import Message

MAX_LEAVES = 120  # a bound for hostile input
# Letters of a notation, which the other formula need not have
_OF_NOTATIONS = frozenset(["C", "S", "c", "P", "D", "V", "σ", "T", "H", "t", "F", "GF", "Γ", "W", "d", "e", "I", "E", "O", "o", "Θ", "Ω", "λ", "i", "j", "k", "z"])  # fmt: skip
_NO_LETTERS = frozenset(
    ["bb.N", "bb.Z", "bb.F", '"w', '"d', '"D', '"L', '"P', '"p']
)  # sets of numbers, and kinds of convergence
_BRACKET = r"\\left\s*\[|\\right\s*\]|\\[Bb]ig+[lr]?\s*[\[\]]|(?<!\\)[\[\]]"
_FLOOR = r"\\lfloor|⌊"
_BAR = r"\\(?:bar|overline)(?![A-Za-z])"
_FACTOR = r"((?:\\[a-z]+\s*|[A-Za-z])(?:_(?:\{[^{}]*\}|\w))?)"
_VECTOR = r"(\\(?:mathbf|boldsymbol|bm|vec)\s*(?:\{[^{}]*\}|\w))"
_NEVER = r"(?!)"
_Statements = tuple[list[NormalNode], list[NormalNode]]  # equations and conditions


def compare_notations(a: str, b: str) -> Comparison | None:
    """Return that two formulas differ by their notation alone; None otherwise."""
    try:
        if letters_without_notation(a) != letters_without_notation(b):
            return None
        ways = ((a, b), *((change.applied(a, b), change.applied(b, a)) for change in _CHANGES_OF_TEX))
        if any(_are_one(*texts) for texts in dict.fromkeys(ways)):
            return Comparison("notation", "", True, Message("note.other_notation"))
    except (FormulaError, RecursionError):
        pass
    return None


@lru_cache(maxsize=4096)
def letters_without_notation(tex: str) -> frozenset[str]:
    """Return the letters of a formula that no other notation of it lacks; all its letters where it has none, or else its numbers."""
    written = {leaf for node in _statements(tex)[0] for leaf in leaves(node)}
    letters = frozenset(filter(str.isalpha, (leaf.rpartition(".")[2].lstrip('"') for leaf in written - _NO_LETTERS)))
    return letters - _OF_NOTATIONS or letters or frozenset(written)


def _statements(tex: str) -> _Statements:
    form = analyse_formula(tex).form
    return form.normal_with_names, form.normal[1]


class _ChangeOfTex:
    """What is written otherwise in a formula without `lacking`, where the other formula has `needed` and not `absent`."""

    def __init__(
        self, pattern: str, replacement: str | Callable[[re.Match[str]], str], needed: str, absent: str, lacking: str
    ) -> None:
        self.replacement = replacement
        self.pattern, self.needed, self.absent, self.lacking = map(re.compile, (pattern, needed, absent, lacking))

    def applied(self, tex: str, other: str) -> str:
        if not self.needed.search(other) or self.absent.search(other) or self.lacking.search(tex):
            return tex
        return self.pattern.sub(self.replacement, tex)


def _floor(bracket: re.Match[str]) -> str:
    return r"\lfloor " if "[" in bracket[0] else r"\rfloor "


_CHANGES_OF_TEX = (
    _ChangeOfTex(_BRACKET, _floor, _FLOOR, _BRACKET, _FLOOR),  # [x] as ⌊x⌋
    _ChangeOfTex(r"\[([^\[\]{},;:]+)\]", r"\\overline{\1}", _BAR, _BRACKET, _BAR),  # a class [a] as one with a bar
    _ChangeOfTex(r"\[([^\[\]]+)\]", r"c(\1)", r"c\(", _BRACKET, _NEVER),  # a concentration [X] as c(X)
    _ChangeOfTex(
        rf"{_FACTOR}\s*\\cdot\s*{_FACTOR}", r"\\langle \1,\2\\rangle ", r"\\langle", r"\\cdot", r"\\langle"
    ),  # x·y as ⟨x, y⟩
    _ChangeOfTex(
        rf"\[\s*{_VECTOR}\s*(?:\\[,;:! ]\s*|,\s*)?{_VECTOR}\s*\]", r"(\1\\times \2)", r"\\times", _BRACKET, _NEVER
    ),  # [a b] of vectors as a × b
    _ChangeOfTex(
        r"(?:\\left)?\]([^\[\](),]+,[^\[\](),]+?)(?:\\right)?\[", r"(\1)", "", r"\]", _NEVER
    ),  # ]a, b[ as (a, b)
)


def _are_one(a: str, b: str) -> bool:
    """Tell whether two formulas are one once each is in the notation of the other."""
    one, other = _with_limits(_statements(a)), _with_limits(_statements(b))
    if [len(part) for part in one] != [len(part) for part in other]:
        return False
    if max(sum(1 for node in each[0] for _ in leaves(node)) for each in (one, other)) > MAX_LEAVES:
        return False
    left = [_in_notation(node, other) for node in one[0]]
    right = [_in_notation(node, (left, one[1])) for node in other[0]]
    if len(left) == len(right) == 1:
        for write in (in_signs_of, _with_quotients, _with_complements):
            left, right = [write(left[0], right[0])], [write(right[0], left[0])]
    return (
        _rendered(left) == _rendered(right)
        and not any(map(_says_nothing, left))
        and has_same_products(products(left), products(right))
        and _rendered(_in_notation(node, other) for node in one[1]) == _rendered(other[1])
    )


def _says_nothing(node: NormalNode) -> bool:
    """Tell whether an equation has one side twice: a definition of a notation, read as what it defines."""
    return node.__class__ is nodes.Relation and len({*map(render, node.sides)}) < len(node.sides)


def _rendered(trees: Iterable[NormalNode]) -> list[str]:
    return sorted(map(render, with_numbered_bound_names(list(trees))))


def _with_quotients(node: NormalNode, other: NormalNode) -> NormalNode:
    """A Legendre symbol (p|q) as the fraction that it is in the other formula."""

    def is_symbol(part: NormalNode) -> bool:
        return part.__class__ is nodes.Fenced and part.body.__class__ is nodes.Relation and part.body.signs == ("|",)

    def quotient(part: NormalNode) -> NormalNode:
        return times([part.body.sides[0]], [part.body.sides[1]]) if is_symbol(part) else part  # type: ignore[union-attr]

    return node if any(map(is_symbol, walk([other]))) else bottom_up(node, quotient)


def _with_complements(node: NormalNode, other: NormalNode) -> NormalNode:
    """A' of Boolean algebra, where all letters are capitals, with a bar."""

    def barred(part: NormalNode) -> NormalNode:
        is_prime = part.__class__ is nodes.Derivative and part.variables == (("~x", "1"),)
        return nodes.Accented("bar", part.body) if is_prime else part  # type: ignore[union-attr]

    boolean = all(leaf[-1:].isupper() or leaf in ("#0", "#1") for each in (node, other) for leaf in leaves(each))
    return bottom_up(node, barred) if boolean else node


def _with_limits(statements: _Statements) -> _Statements:
    """f → b as x → a, said beside it, as a limit."""
    match statements:
        case [nodes.Relation(("→",), (function, limit))], [nodes.Relation(("→",)) as approach]:
            return [
                nodes.Relation(("=",), (nodes.Applied(nodes.Scripts("%lim", approach, EMPTY), function), limit))
            ], []
    return statements


def _in_notation(node: NormalNode, beside: Sequence[Iterable[NormalNode]]) -> NormalNode:
    """Return an equation with each part that the formula beside it lacks as that one writes it."""
    there = {render(part) for trees in beside for part in walk(trees)}

    def in_words_of_other(part: NormalNode) -> NormalNode:
        for _ in range(MAX_LEAVES):
            own = render(part)
            found = None if own in there else next((whole for said, whole in _readings(part) if render(said) in there), None)  # fmt: skip
            if found is None:
                return part
            part = found
        return part

    def reread(part: NormalNode) -> NormalNode:
        part = in_words_of_other(part)  # P_A(B) as a whole, before P_A
        return part if part.__class__ is str else in_words_of_other(map_children_flat(part, reread))

    return reread(node)


def _readings(node: NormalNode) -> Iterable[tuple[NormalNode, NormalNode]]:
    yield from from_table(node)
    yield from from_rules(node)
    if node.__class__ is nodes.Scripts and EMPTY not in (node.low, node.high):  # X_t² as X(t)², a_k^† as a_k^*
        indexed = nodes.Scripts(node.base, node.low, EMPTY)
        for said, whole in _readings(indexed):
            yield said, nodes.Scripts(whole, EMPTY, node.high)
        for _, whole in _readings(nodes.Scripts(indexed, EMPTY, node.high)):
            if whole.__class__ is nodes.Scripts and whole.base == indexed:
                whole = nodes.Scripts(node.base, node.low, whole.high)
            yield whole, whole
