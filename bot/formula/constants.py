"""Constants that unit systems move about: c, ħ, G, 4π, ε₀ … K4 drops them as factors, and the key's notes say which."""

from __future__ import annotations

from bot.formula.tree import EMPTY, Node, rebuilt

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


def marked(node: Node) -> Node:
    """Return the normal tree with its constants as leaves of their own; G with indices is a tensor and stays."""
    if node.__class__ is str:
        return MARK + node if node in _PLAIN or node == "G" else _FOLDED.get(node, node)
    if node[0] == "s":
        base, low = node[1], node[2]
        if base.__class__ is str and low.__class__ is str and low != EMPTY:
            name = f"{base}_{low}"
            if name in _WITH_LABEL or name.replace("_", "_%") in _WITH_LABEL:
                return (
                    ("s", MARK + name.replace("%", "").replace("#", ""), EMPTY, node[3])
                    if node[3] != EMPTY
                    else MARK + name.replace("%", "").replace("#", "")
                )
        if base in ("κ", "G") and node[3].__class__ is str and node[3][:1] == "#" and low == EMPTY:
            return ("s", MARK + base, EMPTY, node[3])
        if (
            low == EMPTY
            and base.__class__ is str
            and base in _PLAIN
            and node[3].__class__ is str
            and (node[3] == EMPTY or node[3][:1] == "#")
        ):
            return ("s", MARK + base, EMPTY, node[3])
        if base.__class__ is str:
            return (node[0], _FOLDED.get(base, base), low, marked(node[3]) if node[3].__class__ is tuple else node[3])
    if node[0] in ("big", "seq"):
        return node
    if node[0] == "call":
        return ("call", node[1], node[2], marked(node[3]))
    return rebuilt(node, marked)


def is_constant(node: Node) -> bool:
    return bool(node.__class__ is str and node[:1] == MARK)
