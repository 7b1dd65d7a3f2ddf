"""Scripts: which are powers, which are indices and labels. K3 drops indices, labels, bold type, arrows and shown arguments."""

import re

from bot.formula.normal.arithmetic import times
from bot.formula.normal.commuting import is_capital, is_transposition_mark
from bot.formula.normal.render import render
from bot.formula.tex import nodes
from bot.formula.tex.nodes import EMPTY, NormalNode
from bot.formula.tex.tree import Formula, base_of, children, map_children, walk

LABELS = frozenset(
    "tot total eff max min in out ext int crit ref obs rel sys net mean avg eq kin pot grav rad mat vac sat lim initial final in fin rms std cm lab "
    "abs real ideal gas vap liq surf bulk free bound crit rest new old opt exp th num fit phys bare ren reg sym left right up down on off".split()
)
_TENSOR = frozenset("μνρσλκτ")
_ARROWS = frozenset("→ ← ↔ ⇒ ⇔ ⇐ ↦ ↪ ⇀ ⇝ ↠ ⇌".split())
_OF_LAWS = frozenset(["d]", "D]", "cal.D]", "law]", "st]"])
_DECADIC = re.compile(r"\\log\s*(?:\\left\s*)?\[|p\s*[HK]|dB|\b(?:10|20|2\.5|5|0\.4|2\.30?\d?)(?!\d)")


def plain_sign(sign: str) -> str:
    """Return the sign of a relation without what is written over it, unless that makes another of it: convergence in probability, equality in law, the side of a limit."""
    plain, over, label = sign.partition("[")
    return sign if over and (plain in _ARROWS or label in _OF_LAWS) else plain


def without_power(node: nodes.Scripts[NormalNode]) -> NormalNode:
    """Return a base that is raised to a power without it, with its index."""
    return node.base if node.low == EMPTY else nodes.Scripts(node.base, node.low, EMPTY)


def is_power(base: NormalNode, script: NormalNode) -> bool:
    """Tell whether a superscript is a power, not an index or a label."""
    if script.__class__ is str:
        first = script[:1]
        if first == "#":
            return True
        if script in ("~+", "~-"):
            return base.__class__ is str and base[:1] == "#"  # f(0⁺) is not f(0⁻)
        if first == '"' or first == "%":
            # A^\text T is not a label, x^\text T may be one
            return is_capital(base) and is_transposition_mark(base, script)
        if first == "~":
            # A mark of conjugation is not a label
            return is_transposition_mark(base, script) or script in ("~∞", "~*", "~∗", "~†", "~⋆")
        return bool(script not in _TENSOR or base.__class__ is not str or base[:1] in ("#", "e"))
    if script.__class__ is nodes.Letters:
        letters = script.letters
        if any(letter[:1] in '"%~' for letter in letters):
            return False
        if "".join(letters) in LABELS:
            return False
        return not (len(letters) >= 2 and all(letter in _TENSOR or letter in "αβγδ" for letter in letters))
    if script.__class__ is nodes.Fenced:
        return False
    return bool(script.__class__ is not nodes.CommaList)


def without_scripts(trees: list[NormalNode], scripted: bool = True) -> list[NormalNode]:
    """Return the normal trees without scripts that only distinguish; numbers stay if they distinguish x_1 from x_2 or v_0 from v.

    The same list where there is nothing to take off.
    """
    marks: dict[NormalNode, set[str]] = {}
    alone: set[str] = set()
    has_scripts = False
    stack = list(trees)
    while stack:
        node = stack.pop()
        if node.__class__ is str:
            alone.add(node)
        elif node.__class__ is nodes.Scripts:
            base, low, high = node.base, node.low, node.high
            has_scripts = has_scripts or low != EMPTY or not is_power(base, high)
            if base.__class__ is not str:
                stack.append(base)
            elif low.__class__ is str and low[:1] == "#":
                marks.setdefault(_without_bold(base), set()).add(low)
            else:
                alone.add(base)
            stack += (low, high)
        else:
            has_scripts = has_scripts or _has_scripts_to_strip(node)
            stack += children(node)
    bold = {leaf: leaf[2:] for leaf in alone if leaf[:2] == "b."}
    if not has_scripts and not bold:
        return trees
    walk = _ScriptStripper(_letters_of_several_marks(marks, alone) if scripted else frozenset(), bold)
    return [walk.visit(node) for node in trees]


def _has_scripts_to_strip(node: NormalNode) -> bool:
    """Tell whether `without_scripts` would change this node itself."""
    if node.__class__ is nodes.Relation:
        return any([plain_sign(sign) != sign for sign in node.signs])
    if node.__class__ is nodes.Infix:
        return "·" in node.signs
    return (
        node.__class__ is nodes.Prescripts
        or (node.__class__ is nodes.Accented and node.name == "vec")
        or (node.__class__ is nodes.FunctionCall and _are_identifiers(node.arguments))
    )


def has_natural_logarithm(formula: Formula) -> bool:
    """Tell whether a log without a base is ln, or may be: nothing beside it tells a logarithm of 10 (decibels, magnitudes, pH)."""
    return "\\log" in formula.tokens and not _DECADIC.search(formula.tex)


def with_natural_logarithm(node: NormalNode) -> NormalNode:
    """Write ln for log without a base."""
    if node.__class__ is str:
        return "%ln" if node == "%log" else node
    if node.__class__ is nodes.Scripts and node.base == "%log" and node.low != EMPTY:
        return map_children(node, lambda part: part if part == "%log" else with_natural_logarithm(part))
    return map_children(node, with_natural_logarithm)


def _letters_of_several_marks(marks: dict[NormalNode, set[str]], alone: set[str]) -> frozenset[NormalNode]:
    """Return letters with several marks, or both with and without one."""
    if not marks:
        return frozenset()
    plain = {_without_bold(leaf) for leaf in alone}
    return frozenset([letter for letter, found in marks.items() if len(found) > 1 or letter in plain])


class _ScriptStripper:
    __slots__ = ("bold", "numbered")

    def __init__(self, numbered: frozenset[NormalNode], bold: dict[str, str]) -> None:
        self.numbered = numbered
        self.bold = bold  # bold letters and their plain letters

    def leaf(self, leaf: str) -> str:
        return _without_bold(leaf)

    def visit(self, node: NormalNode) -> NormalNode:
        """Powers, and bounds of sums and integrals, stay."""
        if node.__class__ is str:
            return self.leaf(node)
        if node.__class__ is nodes.Scripts:
            return self.scripts(node)
        if node.__class__ is nodes.Product:
            return times(self.visit_all(node.numerator), self.visit_all(node.denominator))
        if node.__class__ is nodes.Relation:
            return nodes.Relation(tuple(map(plain_sign, node.signs)), tuple(self.visit_all(node.sides)))
        if node.__class__ is nodes.FunctionCall and _are_identifiers(node.arguments):
            return self.visit(node.function)
        if node.__class__ is nodes.Accented and node.name == "vec":
            return self.visit(node.body)
        if node.__class__ is nodes.Prescripts:
            return self.visit(node.body)
        if node.__class__ is nodes.Infix and set(node.signs) == {"·"}:
            return times(self.visit_all(node.operands))
        return map_children(node, self.visit)

    def visit_all(self, trees: tuple[NormalNode, ...]) -> list[NormalNode]:
        plain, of = self.bold.get, self.visit
        return [plain(node, node) if node.__class__ is str else of(node) for node in trees]

    def scripts(self, node: nodes.Scripts[NormalNode]) -> NormalNode:
        base, low, high = node.base, node.low, node.high
        if base.__class__ is nodes.Big:
            return nodes.Scripts(base, self.visit(_without_side(low)), self.visit(_without_side(high)))
        if base.__class__ is str and base[:1] == "%":
            return nodes.Scripts(self.visit(base), self.visit(low), self.visit(high))
        inner = _without_bold(base) if base.__class__ is str else self.visit(base)
        if low.__class__ is str and low[:1] == "#" and inner.__class__ is str and inner in self.numbered:
            inner += low
        if high == EMPTY or not is_power(base, high):
            return inner
        return nodes.Scripts(inner, EMPTY, high if high.__class__ is str and high[0] == "#" else self.visit(high))


def without_needless_scripts(trees: list[NormalNode]) -> list[NormalNode]:
    """Like `without_scripts`, but a letter keeps scripts and arguments that distinguish variables: algebra must not cancel x_1 with x_2."""
    variants: dict[str, set[str]] = {}  # letter -> its forms with scripts or arguments
    alone: set[str] = set()
    has_scripts = False
    stack = list(trees)
    while stack:
        node = stack.pop()
        if node.__class__ is str:
            alone.add(node)
            continue
        if node.__class__ is nodes.Scripts:
            base, low, high = node.base, node.low, node.high
            power = high == EMPTY or is_power(base, high)
            if base.__class__ is not str:
                has_scripts = has_scripts or low != EMPTY or not power
                stack += (base, low, high)
            elif not power:
                has_scripts = True
                variants.setdefault(_without_bold(base), set()).add(render(node))
            else:
                if low == EMPTY:
                    alone.add(base)
                else:
                    has_scripts = True
                    look = low if low.__class__ is str else render(low)
                    variants.setdefault(_without_bold(base), set()).add(f"{base}_{look}^;")
                stack.append(high)
        elif node.__class__ is nodes.FunctionCall and _are_identifiers(node.arguments):
            has_scripts = True
            head = node.function
            if head.__class__ is not str:
                head = head.base if head.__class__ is nodes.Scripts and head.base.__class__ is str else EMPTY
            variants.setdefault(_without_bold(head), set()).add(render(node))
            stack.append(node.arguments)
        else:
            has_scripts = has_scripts or _has_scripts_to_strip(node)
            stack += children(node)
    bold = {leaf: leaf[2:] for leaf in alone if leaf[:2] == "b."}
    if not has_scripts and not bold:
        return trees
    for letter, found in variants.items():
        if letter in alone and not _one_function(letter, found):
            found.add(letter)
    for leaf, letter in bold.items():
        if letter in variants or letter in alone:
            variants.setdefault(letter, {letter}).add(leaf)
    numbered = frozenset([letter for letter, found in variants.items() if len(found) > 1])
    walk = _NeedlessScriptStripper(numbered, {leaf: letter for leaf, letter in bold.items() if letter not in numbered})
    return [walk.visit(node) for node in trees]


def _one_function(letter: NormalNode, found: set[str]) -> bool:
    """Tell whether a function such as θ(x, t) is also written θ, without its arguments."""
    return len(found) == 1 and next(iter(found)).startswith(f"{letter}(")


def calls_operator(node: nodes.FunctionCall[NormalNode]) -> bool:
    """Tell whether a call is that of an operator by its name: Spec R, Tor_n(A, B)."""
    function = base_of(node.function, nodes.Scripts)
    return function.__class__ is str and function[:1] == "%"


def without_shown_arguments(trees: list[NormalNode]) -> list[NormalNode]:
    """Return the trees without shown arguments of letters that have the same arguments wherever they have any. Scripts stay."""
    calls: dict[NormalNode, set[NormalNode]] = {}
    for node in walk(trees):
        if node.__class__ is nodes.FunctionCall and _are_identifiers(node.arguments) and not calls_operator(node):
            calls.setdefault(node.function, set()).add(node)
    once = frozenset([head for head, found in calls.items() if len(found) == 1])
    if not once:
        return trees

    def of(node: NormalNode) -> NormalNode:
        if node.__class__ is nodes.FunctionCall and node.function in once and _are_identifiers(node.arguments):
            return of(node.function)
        return map_children(node, of)

    return [of(node) for node in trees]


class _NeedlessScriptStripper(_ScriptStripper):
    """Strips only letters that have one form in the whole formula; `numbered` are the others."""

    __slots__ = ()

    def leaf(self, leaf: str) -> str:
        return leaf if _without_bold(leaf) in self.numbered else _without_bold(leaf)

    def visit(self, node: NormalNode) -> NormalNode:
        if (
            node.__class__ is nodes.FunctionCall
            and node.function.__class__ is str
            and _without_bold(node.function) in self.numbered
        ):
            return map_children(node, self.visit)
        return _ScriptStripper.visit(self, node)

    def scripts(self, node: nodes.Scripts[NormalNode]) -> NormalNode:
        if self.numbered and node.base.__class__ is str and _without_bold(node.base) in self.numbered:
            return nodes.Scripts(node.base, node.low, self.visit(node.high))
        return _ScriptStripper.scripts(self, node)


def _without_side(bound: NormalNode) -> NormalNode:
    """Return the bound of an integral without the side from which it is taken: most authors write 0 for the 0⁻ of a Laplace transform."""
    return bound.base if bound.__class__ is nodes.Scripts and bound.high in ("~+", "~-") else bound


def _without_bold(leaf: str) -> str:
    return leaf[2:] if leaf[:2] == "b." else leaf


def _are_identifiers(arguments: NormalNode) -> bool:
    """Tell whether arguments are only identifiers, which show a dependence and are not values."""
    if arguments.__class__ is str:
        return arguments[:1] not in '#"' and arguments != EMPTY and arguments[:1] != "~"
    if arguments.__class__ is nodes.Scripts:
        return str(arguments.base)[:1] != "#"  # 0⁺ and 2ⁿ are values
    if isinstance(arguments, (nodes.Accented, nodes.Primed)):
        return True
    return bool(arguments.__class__ is nodes.CommaList and all(_are_identifiers(part) for part in arguments.parts))
