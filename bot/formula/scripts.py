"""Scripts: which are powers, which are indices and labels. K3 drops indices, labels, bold type, arrows and shown arguments."""

from __future__ import annotations

from bot.formula.tree import EMPTY, Node, rebuilt

_LABELS = frozenset(
    "tot total eff max min in out ext int crit ref obs rel sys net mean avg eq kin pot grav rad mat vac sat lim initial final in fin rms std cm lab "
    "abs real ideal gas vap liq surf bulk free bound crit rest new old opt exp th num fit phys bare ren reg sym left right up down on off".split()
)
_TENSOR = frozenset("μνρσλκτ")


def is_power(base: Node, script: Node) -> bool:
    """Tell a power from an index or a label above the letter."""
    if script.__class__ is str:
        if script[:1] in ('"', "%"):
            return False
        if script[:1] == "~":
            return script in ("~∞",)
        return script not in _TENSOR or base.__class__ is not str or base[:1] in ("#", "e", "(")
    if script[0] == "seq":
        letters = script[1]
        if any(letter[:1] in '"%~' for letter in letters):
            return False
        if "".join(letters) in _LABELS:
            return False
        return not (len(letters) >= 2 and all(letter in _TENSOR or letter in "αβγδ" for letter in letters))
    if script[0] == "()":
        return False
    return script[0] != ","


def bare(node: Node) -> Node:
    """Return the normal tree without indices, labels, bold and arrows; powers, bounds of sums and integrals stay."""
    if node.__class__ is str:
        return _plain(node)
    tag = node[0]
    if tag == "s":
        base = bare(node[1])
        if _bounded(node[1]):
            return ("s", base, bare(node[2]), bare(node[3]))
        if node[3] == EMPTY or not is_power(node[1], node[3]):
            return base
        return ("s", base, EMPTY, bare(node[3]))
    if tag == "acc":
        return bare(node[2]) if node[1] in ("vec",) else (tag, node[1], bare(node[2]))
    if tag == "rel":
        return (tag, tuple([sign.partition("[")[0] for sign in node[1]]), tuple([bare(side) for side in node[2]]))
    if tag == "pre":
        return bare(node[3])
    if tag == "call" and _shown(node[3]):
        return bare(node[1])
    return rebuilt(node, bare)


def _plain(leaf: str) -> str:
    return leaf[2:] if leaf[:2] == "b." else leaf


def _bounded(base: Node) -> bool:
    if base.__class__ is tuple:
        return bool(base[0] == "big")
    return bool(base[:1] == "%")


def _shown(arguments: Node) -> bool:
    """Only identifiers in the parentheses: a dependence that is shown, not a value."""
    if arguments.__class__ is str:
        return arguments[:1] not in '#"' and arguments != EMPTY and arguments[:1] != "~"
    if arguments[0] in ("s", "acc", "'"):
        return True
    return bool(arguments[0] == "," and all(_shown(part) for part in arguments[2]))
