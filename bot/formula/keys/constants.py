"""Constants that unit systems move about: c, ħ, G, 4π, ε₀ … K4 drops them as factors, and the key's notes say which."""

from operator import itemgetter

from bot.formula.keys.algebra import equation, without_numbers
from bot.formula.keys.polynomial import CONSTANT_MARK
from bot.formula.normal.render import render
from bot.formula.normal.scripts import without_needless_scripts
from bot.formula.tex import nodes
from bot.formula.tex.nodes import EMPTY, NormalNode
from bot.formula.tex.tree import map_children, raised

_PLAIN = frozenset("c ħ π κ i".split())
_WITH_LABEL = frozenset(
    "k_B k_%B ε_0 ε_#0 μ_#0 c_#0 N_A N_%A m_%Pl G_N G_%N κ_#4 M_%Pl M_P σ_%SB σ_%B k_%e k_e".split()
)


_FIRST = itemgetter(slice(1))
_FOLDED = {"Ψ": "ψ", "Φ": "φ"}  # one wave function, one potential
_LEAVES = {name: CONSTANT_MARK + name for name in (*_PLAIN, "G")} | _FOLDED


def with_marked_constants(node: NormalNode) -> NormalNode:
    """Return the normal tree with its constants as marked leaves; G with indices is a tensor and stays."""
    if node.__class__ is str:
        return _LEAVES.get(node, node)
    if node.__class__ is nodes.Scripts:
        return _with_marked_label(node)
    if node.__class__ is nodes.Letters:
        return node
    if node.__class__ is nodes.FunctionCall:
        return nodes.FunctionCall(node.function, node.around, with_marked_constants(node.arguments))
    return map_children(node, with_marked_constants)


def _with_marked_label(node: nodes.Scripts[NormalNode]) -> NormalNode:
    base, low, high = node.base, node.low, node.high
    if base.__class__ is not str:
        return map_children(node, with_marked_constants)
    if low == EMPTY:
        if (base in _PLAIN or base == "G") and high.__class__ is str and high[:1] == "#":
            return nodes.Scripts(CONSTANT_MARK + base, EMPTY, high)
    elif low.__class__ is str:
        name = f"{base}_{low}"
        if name in _WITH_LABEL or f"{base}_%{low}" in _WITH_LABEL:
            name = CONSTANT_MARK + name.replace("%", "").replace("#", "")
            return raised(name, high)
    return nodes.Scripts(
        _FOLDED.get(base, base), low, with_marked_constants(high) if high.__class__ is not str else high
    )


def without_constants(equations: list[NormalNode], *, scripted: bool) -> tuple[str, tuple[str, ...], bool]:
    """Return the monomials of all equations, the constants that were left out, and whether signs were; without scripts no letters need be told apart."""
    texts: list[str] = []
    dropped: dict[str, None] = {}
    signs = False
    trees = list(map(with_marked_constants, equations))
    for node in without_needless_scripts(trees) if scripted else trees:
        found = equation(node, constants=False)
        kinds = "".join(map(_FIRST, found[1].atoms)) if found else ""
        if found is None or not kinds.strip("#"):
            texts.append(render(node))  # no algebra, or numbers only
            continue
        texts.append(without_numbers(*found))
        if CONSTANT_MARK in kinds:
            dropped.update(dict.fromkeys([atom[1:] for atom in found[1].atoms if atom[:1] == CONSTANT_MARK]))
        terms = found[1].terms
        signs = signs or (len(terms) > 2 and len({number > 0 for number, _ in terms}) > 1)
    return ";".join(sorted(texts)), tuple(dropped), signs


def is_constant(node: NormalNode) -> bool:
    return bool(node.__class__ is str and node[:1] == CONSTANT_MARK)
