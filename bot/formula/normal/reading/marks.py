"""Marks and brackets of some authors where the formula alone tells what they are: ᵗA, x to the falling n, (x)_n, #A, {a, b} behind max, ⟨a, b⟩ for a vector."""

import re
from collections.abc import Sequence

from bot.formula.normal.commuting import is_vector, plain_mark
from bot.formula.tex import nodes
from bot.formula.tex.nodes import EMPTY, NormalNode, RawNode
from bot.formula.tex.tree import base_of, children, leaves

_MARK = r"\^\s*(?:\{\s*)?(?:\\(?:mathrm|mathsf|rm|sf|text|textrm)\s*\{?\s*)?[tT](?!\w)"
T_ABOVE = re.compile(_MARK)
_LEFT_MARK = re.compile(rf"(?:\A|[^\w\s)\]}}'|]|\{{\s*\}}|\\[,;! ])\s*{_MARK}")
GAUSS = re.compile(r"F\s*_\s*\{?\s*1")
OF_SETS = frozenset(
    r"\cup \cap \setminus \subset \subseteq \emptyset \varnothing \bigcup \bigcap \in \{ ∪ ∩ ∈ ⊂ ⊆ ∅".split()
)
STACKS = {"()": "binom", "[]": "brack", "{}": "brace"}
CONVERGENCE = {
    "→[p]": "→[P]",
    "→[bb.P]": "→[P]",
    "→[Pr]": "→[P]",
    "→[cal.P]": "→[P]",
    "→[D]": "→[d]",
    "→[cal.D]": "→[d]",
    "→[cal.L]": "→[d]",
    "→[dist]": "→[d]",
}
_OPERATORS = frozenset(["E", "P", "bb.E", "bb.P"])
_TWO = nodes.Scripts(EMPTY, "#2", EMPTY)
_F_ONE = nodes.Scripts("F", "#1", EMPTY)
_STEPS = {
    "under": ("n", "k", "m", "r", "#2", "#3"),
    "bar": ("n",),
    "low": ("n", "k", "m", "r"),
}  # a bar is also over an index


def has_left_transposes(tex: str) -> bool:
    """Check whether a T above the line may belong to what follows it."""
    return _LEFT_MARK.search(tex) is not None


def with_left_transposes(factors: Sequence[RawNode]) -> Sequence[RawNode]:
    """Return factors with ᵗA as Aᵀ: a T, or a t before a capital, a bold letter or a bracket."""
    out: list[RawNode] = []
    transposed = False
    for factor in factors:
        base, low = factor, EMPTY
        if factor.__class__ is nodes.Scripts and factor.high == EMPTY:
            base, low = factor.base, factor.low  # type: ignore[assignment]
        letter = base.__class__ is str and (base[-1:].isupper() or base[:2] == "b.")
        if transposed and (letter or base.__class__ is nodes.Fenced):
            out[-1] = nodes.Scripts(base, low, "T")
        else:
            out.append(factor)
        transposed = factor.__class__ is nodes.Scripts and factor.base == EMPTY == factor.low and _is_t(factor.high)
    return out


def _is_t(mark: RawNode) -> bool:
    return mark.__class__ is str and plain_mark(mark) in ("t", "T")


def with_one_spelling_of_calls(factors: Sequence[RawNode], counted: bool) -> Sequence[RawNode]:
    """Return factors with Gauss's ₂F₁(a, b; c; z) as F(a, b; c; z) and, if `counted`, the number of elements #A as |A|."""
    out: list[RawNode] = []
    for factor in factors:
        before = out[-1] if out else EMPTY
        if counted and before == "~#":
            around = factor.body if factor.__class__ is nodes.Fenced and factor.opening in "({" else factor
            out[-1] = nodes.Fenced("|", "|", around)
        elif before == _TWO and factor.__class__ is nodes.FencedCall and factor.function == _F_ONE:
            out[-1] = nodes.FencedCall("F", factor.arguments)
        else:
            out.append(factor)
    return out


def factorial_of(node: nodes.Scripts[RawNode]) -> RawNode:
    """Return a factorial that scripts make, EMPTY if they make none: x to the n with a line below or above the n, and (x)_n, which is of either kind."""
    base, low, high = node.base, node.low, node.high
    if high.__class__ is nodes.Accented and low == EMPTY and base not in ("e", EMPTY):
        first = high.body.terms[0] if high.body.__class__ is nodes.Sum else high.body
        if first in _STEPS.get(high.name, ()):
            return nodes.Stacked("falling" if high.name == "under" else "rising", base, high.body)
    if base.__class__ is nodes.Fenced and base.opening == "(" and high == EMPTY and low in _STEPS["low"]:
        plain = base.body.__class__ is str and base.body[:2] != "b." and not base.body[-1:].isupper()
        return nodes.Stacked("pochhammer", base.body, low) if plain else EMPTY
    return EMPTY


def with_components(sides: tuple[NormalNode, ...]) -> tuple[NormalNode, ...]:
    """Return the sides of an equation of a vector with its components in round brackets, where they are in angle brackets."""
    if not any(map(_has_components, sides)) or not any(map(_is_plain_vector, sides)):
        return sides
    return tuple([nodes.Fenced("(", ")", *children(side)) if _has_components(side) else side for side in sides])


def _has_components(side: NormalNode) -> bool:
    """Tell whether a side is a list of scalars in angle brackets."""
    if side.__class__ is not nodes.Fenced or side.opening != "⟨" or side.body.__class__ is not nodes.CommaList:
        return False
    return not any(map(is_vector, side.body.parts))


def _is_plain_vector(side: NormalNode) -> bool:
    """Tell whether a side is a vector by its letters: **u**, **r**(t), 2**u** − 3**v**."""
    if side.__class__ is nodes.Sum or side.__class__ is nodes.Product:
        return any(map(_is_plain_vector, children(side)))
    letter = base_of(side, nodes.Scripts, nodes.FunctionCall, nodes.Primed)
    return (
        letter[:2] == "b." if letter.__class__ is str else letter.__class__ is nodes.Accented and letter.name == "vec"
    )


def takes_braces(name: str, body: NormalNode) -> bool:
    """Tell whether a function has its argument in braces, as another author has it in parentheses: of an operator no set of what fulfils a condition."""
    if name[:1] == "%":
        parts = body.parts if body.__class__ is nodes.CommaList else (body,)
        return not any(part.__class__ is nodes.Relation for part in parts)
    return name in _OPERATORS or name[:4] == "cal."


def is_operator_product(node: NormalNode) -> bool:
    """Tell whether a node is a product of letters with an operator among them: ρA, γ_μ γ_ν."""
    names = list(leaves(node)) if node.__class__ is nodes.Product else []
    return not any(name[0] == "#" for name in names) and any(name[-1:].isupper() or name in "ργσ" for name in names)
