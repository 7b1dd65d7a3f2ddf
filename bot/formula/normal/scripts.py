"""Scripts: which are powers, which are indices and labels. K3 drops indices, labels, bold type, arrows and shown arguments."""

from __future__ import annotations

from bot.formula.normal.arithmetic import times
from bot.formula.normal.commuting import is_capital, is_mark
from bot.formula.normal.render import render
from bot.formula.tex.nodes import EMPTY, Relation, Scripts, Signed, Sum
from bot.formula.tex.tree import Node, children, rebuilt

LABELS = frozenset(
    "tot total eff max min in out ext int crit ref obs rel sys net mean avg eq kin pot grav rad mat vac sat lim initial final in fin rms std cm lab "
    "abs real ideal gas vap liq surf bulk free bound crit rest new old opt exp th num fit phys bare ren reg sym left right up down on off".split()
)
_TENSOR = frozenset("μνρσλκτ")


def is_power(base: Node, script: Node) -> bool:
    """Tell a power from an index or a label above the letter."""
    if script.__class__ is str:
        first = script[:1]
        if first == "#":
            return True
        if first == '"' or first == "%":
            return is_capital(base) and is_mark(base, script)  # A^\text T is no label, x^\text T may be one
        if first == "~":
            return is_mark(base, script) or script in ("~∞", "~*", "~∗", "~†", "~⋆")  # what conjugates is no label
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
    """Return the normal trees without scripts that only tell apart; numbers stay where they tell x_1 from x_2 or v_0 from v.

    The same list where there is nothing to take off.
    """
    marks: dict[Node, set[str]] = {}
    alone: set[str] = set()
    dressed = False
    stack = list(nodes)
    while stack:
        node = stack.pop()
        if node.__class__ is str:
            alone.add(node)
        elif node[0] == "s":
            base, low, high = node[1], node[2], node[3]
            dressed = dressed or low != EMPTY or not is_power(base, high)
            if base.__class__ is not str:
                stack.append(base)
            elif low.__class__ is str and low[:1] == "#":
                marks.setdefault(_plain(base), set()).add(low)
            else:
                alone.add(base)
            stack += node[2:]
        elif node[0] == "*":
            stack += node[1]
            stack += node[2]
        elif node[0] == "+":
            stack += node[1]
        else:
            dressed = dressed or _dressed(node)
            stack += children(node)
    bold = {leaf: leaf[2:] for leaf in alone if leaf[:2] == "b."}
    if not dressed and not bold:
        return nodes
    walk = _Bare(_several(marks, alone) if scripted else frozenset(), bold)
    return [walk.of(node) for node in nodes]


def _dressed(node: Node) -> bool:
    """Tell whether `bared` would change this node, its parts aside."""
    tag = node[0]
    if tag == "rel":
        return "[" in "".join(node[1])
    if tag == "in":
        return "·" in node[1]
    return tag == "pre" or (tag == "acc" and node[1] == "vec") or (tag == "call" and _shown(node[3]))


def _several(marks: dict[Node, set[str]], alone: set[str]) -> frozenset[Node]:
    """Letters that stand with more than one mark, or with one and without."""
    if not marks:
        return frozenset()
    plain = {_plain(leaf) for leaf in alone}
    return frozenset([letter for letter, found in marks.items() if len(found) > 1 or letter in plain])


class _Bare:
    __slots__ = ("bold", "numbered")

    def __init__(self, numbered: frozenset[Node], bold: dict[str, str]) -> None:
        self.numbered = numbered
        self.bold = bold  # bold letters and what they are without

    def leaf(self, leaf: str) -> str:
        return _plain(leaf)

    def of(self, node: Node) -> Node:
        """Powers, and bounds of sums and integrals, stay."""
        if node.__class__ is str:
            return self.leaf(node)
        tag = node[0]
        if tag == "s":
            return self.scripts(node)
        if tag == "*":
            return times(self.all(node[1]), self.all(node[2]))
        if tag == "+":
            return Sum(tuple(self.all(node[1])))
        if tag == "rel":
            return Relation(tuple([sign.partition("[")[0] for sign in node[1]]), tuple(self.all(node[2])))
        if tag == "-":
            return Signed("-", self.of(node[1]))
        if tag == "call" and _shown(node[3]):
            return self.of(node[1])
        if tag == "acc" and node[1] == "vec":
            return self.of(node[2])
        if tag == "pre":
            return self.of(node[3])
        if tag == "in" and set(node[1]) == {"·"}:
            return times(self.all(node[2]))
        return rebuilt(node, self.of)

    def all(self, nodes: tuple[Node, ...]) -> list[Node]:
        plain, of = self.bold.get, self.of
        return [plain(node, node) if node.__class__ is str else of(node) for node in nodes]

    def scripts(self, node: Node) -> Node:
        base, low, high = node[1], node[2], node[3]
        if base.__class__ is str and base[:1] != "%":
            inner = base[2:] if base[:2] == "b." else base
            if low and low.__class__ is str and low[0] == "#" and inner in self.numbered:
                inner += low
        elif base[:1] == "%" or base[0] == "big":
            return Scripts(self.of(base), self.of(low), self.of(high))
        else:
            inner = self.of(base)
            if low.__class__ is str and low[:1] == "#" and inner.__class__ is str and inner in self.numbered:
                inner += low
        if high == EMPTY or not is_power(base, high):
            return inner
        return Scripts(inner, EMPTY, high if high[:1] == "#" else self.of(high))


def apart(nodes: list[Node]) -> list[Node]:
    """Like `bared`, but a letter keeps its scripts and arguments where they tell one variable from another: algebra must not cancel x_1 with x_2."""
    variants: dict[str, set[str]] = {}  # letter -> how it stands with scripts or arguments
    alone: set[str] = set()
    dressed = False
    stack = list(nodes)
    while stack:
        node = stack.pop()
        if node.__class__ is str:
            alone.add(node)
            continue
        tag = node[0]
        if tag == "s":
            base, low, high = node[1], node[2], node[3]
            power = high == EMPTY or is_power(base, high)
            if base.__class__ is not str:
                dressed = dressed or low != EMPTY or not power
                stack += node[1:]
            elif not power:
                dressed = True
                variants.setdefault(_plain(base), set()).add(render(node))
            else:
                if low == EMPTY:
                    alone.add(base)
                else:
                    dressed = True
                    look = low if low.__class__ is str else render(low)
                    variants.setdefault(_plain(base), set()).add(f"{base}_{look}^;")
                stack.append(high)
        elif tag == "call" and _shown(node[3]):
            dressed = True
            head = node[1]
            if head.__class__ is not str:
                head = head[1] if head[0] == "s" and head[1].__class__ is str else EMPTY
            variants.setdefault(_plain(head), set()).add(render(node))
            stack.append(node[3])
        elif tag == "*":
            stack += node[1]
            stack += node[2]
        elif tag == "+":
            stack += node[1]
        else:
            dressed = dressed or _dressed(node)
            stack += children(node)
    bold = {leaf: leaf[2:] for leaf in alone if leaf[:2] == "b."}
    if not dressed and not bold:
        return nodes
    for letter, found in variants.items():
        if letter in alone and not _one_function(letter, found):
            found.add(letter)
    for leaf, letter in bold.items():
        if letter in variants or letter in alone:
            variants.setdefault(letter, {letter}).add(leaf)
    numbered = frozenset([letter for letter, found in variants.items() if len(found) > 1])
    walk = _Apart(numbered, {leaf: letter for leaf, letter in bold.items() if letter not in numbered})
    return [walk.of(node) for node in nodes]


def _one_function(letter: Node, found: set[str]) -> bool:
    """Tell θ beside θ(x, t): the arguments are shown once and left out afterwards."""
    return len(found) == 1 and next(iter(found)).startswith(f"{letter}(")


def unshown(nodes: list[Node]) -> list[Node]:
    """Return the trees without shown arguments of letters that have the same arguments wherever they have any. Scripts stay."""
    calls: dict[Node, set[Node]] = {}
    stack = list(nodes)
    while stack:
        node = stack.pop()
        if node.__class__ is str:
            continue
        if node[0] == "call" and _shown(node[3]):
            calls.setdefault(node[1], set()).add(node)
        stack += children(node)
    once = frozenset([head for head, found in calls.items() if len(found) == 1])
    if not once:
        return nodes

    def of(node: Node) -> Node:
        if node.__class__ is str:
            return node
        if node[0] == "call" and node[1] in once and _shown(node[3]):
            return of(node[1])
        return rebuilt(node, of)

    return [of(node) for node in nodes]


class _Apart(_Bare):
    """Strips only letters that stand in one form all through the formula; `numbered` holds the others."""

    __slots__ = ()

    def leaf(self, leaf: str) -> str:
        return leaf if _plain(leaf) in self.numbered else _plain(leaf)

    def of(self, node: Node) -> Node:
        if node[:1] == ("call",) and node[1].__class__ is str and _plain(node[1]) in self.numbered:
            return rebuilt(node, self.of)
        return _Bare.of(self, node)

    def scripts(self, node: Node) -> Node:
        if self.numbered and node[1].__class__ is str and _plain(node[1]) in self.numbered:
            return Scripts(node[1], node[2], self.of(node[3]))
        return _Bare.scripts(self, node)


def _plain(leaf: str) -> str:
    return leaf[2:] if leaf[:2] == "b." else leaf


def _shown(arguments: Node) -> bool:
    """Only identifiers in the parentheses: a dependence that is shown, not a value."""
    if arguments.__class__ is str:
        return arguments[:1] not in '#"' and arguments != EMPTY and arguments[:1] != "~"
    if arguments[0] in ("s", "acc", "'"):
        return True
    return bool(arguments[0] == "," and all(_shown(part) for part in arguments[2]))
