"""Bound names in one form: summation indices, integration variables, limits, and pairs of tensor indices get numbers by their place.

∑_i x_i and ∑_k x_k are the same; so are A_μ B^μ and A_ν B^ν. A name that also stands outside its binder is left alone.
"""

import re
from collections import Counter
from collections.abc import Iterator
from itertools import permutations

from bot.formula.normal.render import render
from bot.formula.normal.scripts import LABELS
from bot.formula.tex import nodes
from bot.formula.tex.nodes import EMPTY, NormalNode
from bot.formula.tex.symbols import BIG, INTEGRALS
from bot.formula.tex.tree import Formula, children, rebuilt

MAX_PAIRS = 4
_BINDING = frozenset(["∑", "∏", "∐", "⋃", "⋂", "⨁", "⨂", "⨆", "⋁", "⋀"])
_LIMIT = re.compile("lim|max|min|sup|inf(?!ty)")
_SCRIPT = re.compile(r"[_^]\s*(\{[^{}]*\}|\\[a-zA-Z]+|[^\s{\\])")
_LETTER = re.compile(r"\\[a-zA-Z]+|[^\W\d_]")
_BINDERS = frozenset(BIG) | {"\\partial", "\\nabla"}
_LIMITING = frozenset(["%lim", "%max", "%min", "%sup", "%inf", "%limsup", "%liminf"])


def may_bind(formula: Formula) -> bool:
    """A quick look at the tokens and the text: a big operator, a limit, or a letter that stands in two scripts."""
    tokens = formula.tokens
    if not _BINDERS.isdisjoint(tokens) or _LIMIT.search(formula.tex):
        return True
    if "_" not in tokens:
        return False
    scripts = _SCRIPT.findall(formula.tex)
    if len(scripts) != tokens.count("_") + tokens.count("^"):
        return True  # scripts in scripts
    letters = _LETTER.findall("".join(scripts))
    return len(set(letters)) < len(letters)


def with_numbered_bound_names(trees: list[NormalNode]) -> list[NormalNode]:
    """Return the trees with bound names numbered."""
    return [_pairs(_bound(node, 0)) for node in trees]


# -- binders ------------------------------------------------------------------------------------------------------------
def _bound(node: NormalNode, depth: int) -> NormalNode:
    if node.__class__ is nodes.Applied:
        names = _binder_names(node)
        if names:
            renamed = _best(node, names, depth)
            assert renamed.__class__ is nodes.Applied
            return nodes.Applied(_bound(renamed.head, depth + len(names)), _bound(renamed.body, depth + len(names)))
    return rebuilt(node, lambda child: child if child.__class__ is str else _bound(child, depth))


def _best(node: nodes.Applied[NormalNode], names: list[str], depth: int) -> NormalNode:
    """Number the names; several names of one binder take the order that gives the first string."""
    marks = [f"δ{depth + number}" for number in range(len(names))]
    if len(names) == 1 or len(names) > MAX_PAIRS:
        return substituted(node, dict(zip(names, marks, strict=True)))
    tries = [substituted(node, dict(zip(order, marks, strict=True))) for order in permutations(names)]
    return min(tries, key=render)


def _binder_names(node: nodes.Applied[NormalNode]) -> list[str]:
    """The names that ∑, ∏, ∫ with bounds, lim, max … bind."""
    head = node.head
    if head.__class__ is not nodes.Scripts:
        return []
    base = head.base
    if base.__class__ is nodes.Big:
        if base.sign in INTEGRALS:
            return _integrated(node.body) if head.low != EMPTY else []
        if base.sign in _BINDING:
            return list(dict.fromkeys(_declared(head.low)))
    elif base.__class__ is str and base in _LIMITING:
        return list(dict.fromkeys(_declared(head.low)))
    return []


def _declared(below: NormalNode) -> Iterator[str]:
    if below.__class__ is str:
        if _is_letter(below):
            yield below
        return
    if below.__class__ is nodes.Relation:
        sides = below.sides if below.signs[0] in ("<", "≤", "≠") else below.sides[:1]
        for side in sides:
            if side.__class__ is str or isinstance(side, (nodes.CommaList, nodes.Letters)):
                yield from _declared(side)
    elif isinstance(below, (nodes.CommaList, nodes.Letters)):
        for part in below.parts if isinstance(below, nodes.CommaList) else below.letters:
            if part.__class__ is str or part.__class__ is nodes.Relation:
                yield from _declared(part)
    elif below.__class__ is nodes.Matrix:
        for row in below.rows:
            for cell in row:
                yield from _declared(cell)
    elif below.__class__ is nodes.Parts:
        for _, part in below.pairs:
            yield from _declared(part)


def _integrated(body: NormalNode) -> list[str]:
    """dx in the product under the integral, and in an integral within."""
    found: list[str] = []
    stack = [body]
    while stack:
        node = stack.pop()
        if node.__class__ is str:
            continue
        if node.__class__ is nodes.Differential:
            variable = node.variable.base if node.variable.__class__ is nodes.Scripts else node.variable
            if variable.__class__ is str and _is_letter(variable):
                found.append(variable)
        elif isinstance(node, (nodes.Product, nodes.Applied, nodes.Sum)) or (
            node.__class__ is nodes.Signed and node.sign == "-"
        ):
            stack.extend(children(node))
    return list(dict.fromkeys(found))[:1]


def _is_letter(name: str) -> bool:
    return bool(name) and name[0] not in '#"%~' and name not in ("∂", "∇")


def substituted(node: NormalNode, names: dict[str, str]) -> NormalNode:
    """Return the tree with these leaves renamed."""
    if node.__class__ is str:
        return names.get(node, node)
    return rebuilt(node, lambda child: names.get(child, child) if child.__class__ is str else substituted(child, names))


# -- tensor indices -----------------------------------------------------------------------------------------------------
def _index_names(script: NormalNode) -> tuple[str, ...]:
    if script.__class__ is str:
        return (script,) if _is_letter(script) else ()
    if (
        script.__class__ is nodes.Letters
        and len(set(script.letters)) == len(script.letters)
        and "".join(script.letters) not in LABELS
    ):
        return tuple([name for name in script.letters if _is_letter(name)])
    return ()


def _pairs(node: NormalNode) -> NormalNode:
    """Number the indices that stand exactly twice in a term, term by term."""
    if isinstance(node, (nodes.Product, nodes.Derivative, nodes.Infix)):
        counts = Counter(_indices(node))
        both = Counter(name for name, _ in counts)
        names = sorted(
            name
            for name, places in both.items()
            if sum(counts[name, up] for up in (True, False)) == 2 and (name in _INDEX if places == 2 else name in _SURE)
        )
        if names and len(names) <= MAX_PAIRS and not _elsewhere(node, names):
            marks = [f"ι{number}" for number in range(len(names))]
            tries = [substituted(node, dict(zip(order, marks, strict=True))) for order in permutations(names)]
            return min(tries, key=render) if len(tries) > 1 else tries[0]
        return node
    return rebuilt(node, _pairs)


def _indices(node: NormalNode) -> Iterator[tuple[str, bool]]:
    """(name, above?) in the scripts of letters and the variables of derivatives; powers and nested terms are not looked into."""
    stack = [node]
    while stack:
        current = stack.pop()
        if current.__class__ is str:
            continue
        if current.__class__ is nodes.Scripts and (
            current.base.__class__ is str or current.base.__class__ is nodes.Accented
        ):
            yield from [(name, False) for name in _index_names(current.low)]
            if current.low != EMPTY or current.high.__class__ is not str or current.high in _GREEK:
                yield from [(name, True) for name in _index_names(current.high)]
        elif current.__class__ is nodes.Derivative:
            for variable, order in current.variables:
                if variable.__class__ is str and order == "1" and variable in _INDEX:
                    yield variable, current.style[-1:] == "^"
            stack.append(current.body)
        elif isinstance(current, (nodes.Product, nodes.FunctionCall, nodes.Applied, nodes.Primed, nodes.Infix)) or (
            current.__class__ is nodes.Signed and current.sign == "-"
        ):
            stack.extend(children(current))


def _elsewhere(node: NormalNode, names: list[str]) -> bool:
    """A name that is also a factor is not an index."""
    stack = [node]
    while stack:
        current = stack.pop()
        if current.__class__ is str:
            if current in names:
                return True
            continue
        if current.__class__ is nodes.Scripts:
            stack.append(current.base)
        elif current.__class__ is nodes.Derivative:
            stack.append(current.body)
        else:
            stack.extend(children(current))
    return False


_GREEK = frozenset("αβγδμνρσλκτ")
_INDEX = _GREEK | frozenset("abcdefijklmnpqrsABCDIJKMN")
_SURE = _GREEK | frozenset("ijk")  # these are indices even where both stand below
