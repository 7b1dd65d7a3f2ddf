"""Scripts: which are powers, which are indices and labels. K3 drops indices, labels, bold type, arrows and shown arguments."""

from __future__ import annotations

from bot.formula.arithmetic import times
from bot.formula.render import render
from bot.formula.tree import EMPTY, NORMAL_SHAPES, Node, children, rebuilt

LABELS = frozenset(
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
            return script in ("~∞", "~*", "~∗", "~†", "~⋆")  # what conjugates is no label
        return bool(script not in _TENSOR or base.__class__ is not str or base[:1] in ("#", "e"))
    if script[0] == "seq":
        letters = script[1]
        if any(letter[:1] in '"%~' for letter in letters):
            return False
        if "".join(letters) in LABELS:
            return False
        return not (len(letters) >= 2 and all(letter in _TENSOR or letter in "αβγδ" for letter in letters))
    if script[0] == "()":
        return False
    return bool(script[0] != ",")


def bared(nodes: list[Node], scripted: bool = True) -> list[Node]:
    """Return the normal trees without scripts that only tell apart; numbers stay where they tell x_1 from x_2 or v_0 from v."""
    seen: dict[Node, set[str]] = {}
    stack = list(nodes) if scripted else []  # without a script below there is nothing to tell apart
    while stack:
        node = stack.pop()
        if node.__class__ is str:
            seen.setdefault(_plain(node), set()).add("")
            continue
        if node[0] == "s" and node[1].__class__ is str:
            seen.setdefault(_plain(node[1]), set()).add(
                node[2] if node[2].__class__ is str and node[2][:1] == "#" else ""
            )
            stack.extend(node[2:])
        else:
            stack.extend(children(node, NORMAL_SHAPES))
    walk = _Bare(frozenset(letter for letter, marks in seen.items() if len(marks) > 1))
    return [walk.of(node) for node in nodes]


class _Bare:
    __slots__ = ("numbered",)

    def __init__(self, numbered: frozenset[str]) -> None:
        self.numbered = numbered

    def of(self, node: Node) -> Node:
        """Powers, and bounds of sums and integrals, stay."""
        if node.__class__ is str:
            return _plain(node)
        tag = node[0]
        if tag == "s":
            return self.scripts(node)
        if tag == "acc" and node[1] == "vec":
            return self.of(node[2])
        if tag == "pre":
            return self.of(node[3])
        if tag == "call" and _shown(node[3]):
            return self.of(node[1])
        if tag == "rel":
            return (
                tag,
                tuple([sign.partition("[")[0] for sign in node[1]]),
                tuple([self.of(side) for side in node[2]]),
            )
        if tag == "*":
            return times([self.of(part) for part in node[1]], [self.of(part) for part in node[2]])
        if tag == "in" and set(node[1]) == {"·"}:
            return times([self.of(part) for part in node[2]])
        return rebuilt(node, self.of)

    def scripts(self, node: Node) -> Node:
        base, low, high = node[1], node[2], node[3]
        if _bounded(base):
            return ("s", self.of(base), self.of(low), self.of(high))
        inner = self.of(base)
        if low.__class__ is str and low[:1] == "#" and inner.__class__ is str and inner in self.numbered:
            inner = inner + low
        if high == EMPTY or not is_power(base, high):
            return inner
        return ("s", inner, EMPTY, self.of(high))


def apart(nodes: list[Node]) -> list[Node]:
    """Like `bared`, but a letter keeps its scripts and arguments where they tell one variable from another: algebra must not cancel x_1 with x_2."""
    seen: dict[str, set[str]] = {}
    stack = list(nodes)
    while stack:
        node = stack.pop()
        if node.__class__ is str:
            seen.setdefault(_plain(node), set()).add(node)
        elif node[0] == "s" and node[1].__class__ is str:
            label = EMPTY if node[3] == EMPTY or is_power(node[1], node[3]) else node[3]
            seen.setdefault(_plain(node[1]), set()).add(
                render(("s", node[1], node[2], label)) if node[2] != EMPTY or label != EMPTY else node[1]
            )
            if label == EMPTY:
                stack.append(node[3])
        elif node[0] == "call" and _shown(node[3]):
            letter = (
                node[1]
                if node[1].__class__ is str
                else node[1][1]
                if node[1][0] == "s" and node[1][1].__class__ is str
                else EMPTY
            )
            seen.setdefault(_plain(letter), set()).add(render(node))
            stack.append(node[3])
        else:
            stack.extend(children(node, NORMAL_SHAPES))
    walk = _Apart(frozenset(letter for letter, variants in seen.items() if len(variants) > 1))
    return [walk.of(node) for node in nodes]


class _Apart(_Bare):
    """Strips only letters that stand in one form all through the formula; `numbered` holds the others."""

    __slots__ = ()

    def of(self, node: Node) -> Node:
        if node.__class__ is str:
            return node if _plain(node) in self.numbered else _plain(node)
        if node[0] == "call" and node[1].__class__ is str and _plain(node[1]) in self.numbered:
            return rebuilt(node, self.of)
        return super().of(node)

    def scripts(self, node: Node) -> Node:
        if node[1].__class__ is str and _plain(node[1]) in self.numbered:
            return ("s", node[1], node[2], self.of(node[3]))
        return super().scripts(node)


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
