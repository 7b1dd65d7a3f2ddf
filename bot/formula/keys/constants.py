"""Constants that unit systems move about: c, ħ, G, 4π, ε₀ … K4 drops them as factors, and the key's notes say which."""

from __future__ import annotations

from bot.formula.tex.nodes import EMPTY, FunctionCall, Infix, Product, Relation, Scripts, Signed, Sum
from bot.formula.tex.tree import Node, rebuilt

MARK = "¢"  # a leaf that stands for a constant
_PLAIN = frozenset("c ħ π κ i".split())
_WITH_LABEL = frozenset(
    [
        "k_B",
        "k_%B",
        "ε_0",
        "ε_#0",
        "μ_#0",
        "c_#0",
        "N_A",
        "N_%A",
        "m_%Pl",
        "G_N",
        "G_%N",
        "κ_#4",
        "M_%Pl",
        "M_P",
        "σ_%SB",
        "σ_%B",
        "k_%e",
        "k_e",
    ]
)


_FOLDED = {"Ψ": "ψ", "Φ": "φ"}  # one wave function, one potential
_LEAVES = {name: MARK + name for name in (*_PLAIN, "G")} | _FOLDED


def marked(node: Node) -> Node:
    """Return the normal tree with its constants as leaves of their own; G with indices is a tensor and stays."""
    if node.__class__ is str:
        return _LEAVES.get(node, node)
    tag = node[0]
    if tag == "s":
        return _scripted(node)
    if tag == "*":
        return Product(_all(node[1]), _all(node[2]))
    if tag == "+":
        return Sum(_all(node[1]))
    if tag == "rel" or tag == "in":
        return Relation(node[1], _all(node[2])) if tag == "rel" else Infix(node[1], _all(node[2]))
    if tag == "-":
        return Signed("-", marked(node[1]))
    if tag == "big" or tag == "seq":
        return node
    if tag == "call":
        return FunctionCall(node[1], node[2], marked(node[3]))
    return rebuilt(node, marked)


def _all(nodes: tuple[Node, ...]) -> tuple[Node, ...]:
    return tuple([_LEAVES.get(node, node) if node.__class__ is str else marked(node) for node in nodes])


def _scripted(node: Node) -> Node:
    base, low, high = node[1], node[2], node[3]
    if base.__class__ is not str:
        return rebuilt(node, marked)
    if low == EMPTY:
        if (base in _PLAIN or base == "G") and high.__class__ is str and high[:1] == "#":
            return Scripts(MARK + base, EMPTY, high)
    elif low.__class__ is str:
        name = f"{base}_{low}"
        if name in _WITH_LABEL or f"{base}_%{low}" in _WITH_LABEL:
            name = MARK + name.replace("%", "").replace("#", "")
            return Scripts(name, EMPTY, high) if high != EMPTY else name
    return Scripts(_FOLDED.get(base, base), low, marked(high) if high.__class__ is not str else high)


def is_constant(node: Node) -> bool:
    return bool(node.__class__ is str and node[:1] == MARK)
