"""Bound names in one form: summation indices, integration variables, limits, and pairs of tensor indices get numbers by their place.

∑_i x_i and ∑_k x_k are the same; so are A_μ B^μ and A_ν B^ν. A name that also stands outside its binder is left alone.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from itertools import permutations

from bot.formula.normal.render import render
from bot.formula.normal.scripts import LABELS
from bot.formula.tex.nodes import EMPTY, Applied
from bot.formula.tex.symbols import BIG, INTEGRALS
from bot.formula.tex.tree import Formula, Node, children, rebuilt

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


def unified(nodes: list[Node]) -> list[Node]:
    """Return the trees with bound names numbered; the same list where nothing is bound."""
    return [_unified(node) for node in nodes]


def _unified(node: Node) -> Node:
    binders, pairs = _binds(node)
    if binders:
        node = _bound(node, 0)
    return _pairs(node) if pairs else node


def _binds(node: Node) -> tuple[bool, bool]:
    """A quick look: is there an operator that binds a name, is there an index that stands twice?"""
    binders = pairs = False
    seen: set[str] = set()
    stack = [node] if node.__class__ is not str else []
    while stack:
        current = stack.pop()
        tag = current[0]
        if tag == "s":
            for script in current[2:]:
                if script.__class__ is not str:
                    names = _index_names(script)
                    stack.append(script)
                elif _is_letter(script):
                    names = (script,)
                else:
                    continue
                pairs = pairs or not seen.isdisjoint(names)
                seen.update(names)
            if current[1].__class__ is not str:
                stack.append(current[1])
            continue
        if tag == "D":
            names = tuple([name for name, _ in current[2] if name.__class__ is str])
            pairs = pairs or not seen.isdisjoint(names)
            seen.update(names)
        elif tag == "app" and not binders:
            binders = bool(_binder_names(current))
        below = current[1] + current[2] if tag == "*" else children(current)
        stack += [child for child in below if child.__class__ is not str]
    return binders, pairs


# -- binders ------------------------------------------------------------------------------------------------------------
def _bound(node: Node, depth: int) -> Node:
    if node.__class__ is str:
        return node
    if node[0] == "app":
        names = _binder_names(node)
        if names:
            renamed = _best(node, names, depth)
            return Applied(_bound(renamed[1], depth + len(names)), _bound(renamed[2], depth + len(names)))
    return rebuilt(node, lambda child: child if child.__class__ is str else _bound(child, depth))


def _best(node: Node, names: list[str], depth: int) -> Node:
    """Number the names; several names of one binder take the order that gives the first string."""
    marks = [f"δ{depth + number}" for number in range(len(names))]
    if len(names) == 1 or len(names) > MAX_PAIRS:
        return substituted(node, dict(zip(names, marks, strict=True)))
    tries = [substituted(node, dict(zip(order, marks, strict=True))) for order in permutations(names)]
    return min(tries, key=render)


def _binder_names(node: Node) -> list[str]:
    """The names that ∑, ∏, ∫ with bounds, lim, max … bind."""
    head = node[1]
    if head.__class__ is str or head[0] != "s":
        return []
    base = head[1]
    if base.__class__ is not str and base[0] == "big":
        if base[1] in INTEGRALS:
            return _integrated(node[2]) if head[2] != EMPTY else []
        if base[1] in _BINDING:
            return list(dict.fromkeys(_declared(head[2])))
    elif base.__class__ is str and base in _LIMITING:
        return list(dict.fromkeys(_declared(head[2])))
    return []


def _declared(below: Node) -> Iterator[str]:
    if below.__class__ is str:
        if _is_letter(below):
            yield below
        return
    tag = below[0]
    if tag == "rel":
        sides = below[2] if below[1][0] in ("<", "≤", "≠") else below[2][:1]
        for side in sides:
            if side.__class__ is str or side[0] in (",", "seq"):
                yield from _declared(side)
    elif tag in (",", "seq"):
        for part in below[2] if tag == "," else below[1]:
            if part.__class__ is str or part[0] == "rel":
                yield from _declared(part)
    elif tag == "mat":
        for row in below[2]:
            for cell in row:
                yield from _declared(cell)
    elif tag == "parts":
        for _, part in below[1]:
            yield from _declared(part)


def _integrated(body: Node) -> list[str]:
    """dx in the product under the integral, and in an integral within."""
    found: list[str] = []
    stack = [body]
    while stack:
        node = stack.pop()
        if node.__class__ is str:
            continue
        if node[0] == "d":
            variable = node[3][1] if node[3][:1] == ("s",) else node[3]
            if variable.__class__ is str and _is_letter(variable):
                found.append(variable)
        elif node[0] in ("*", "-", "app", "+"):
            stack.extend(children(node))
    return list(dict.fromkeys(found))[:1]


def _is_letter(name: str) -> bool:
    return bool(name) and name[0] not in '#"%~' and name not in ("∂", "∇")


def substituted(node: Node, names: dict[str, str]) -> Node:
    """Return the tree with these leaves renamed."""
    if node.__class__ is str:
        return names.get(node, node)
    return rebuilt(node, lambda child: names.get(child, child) if child.__class__ is str else substituted(child, names))


# -- tensor indices -----------------------------------------------------------------------------------------------------
def _index_names(script: Node) -> tuple[str, ...]:
    if script.__class__ is str:
        return (script,) if _is_letter(script) else ()
    if script[0] == "seq" and len(set(script[1])) == len(script[1]) and "".join(script[1]) not in LABELS:
        return tuple([name for name in script[1] if _is_letter(name)])
    return ()


def _pairs(node: Node) -> Node:
    """Number the indices that stand exactly twice in a term, term by term."""
    if node.__class__ is str:
        return node
    if node[0] in ("*", "D", "in"):
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


def _indices(node: Node) -> Iterator[tuple[str, bool]]:
    """(name, above?) in the scripts of letters and the variables of derivatives; powers and nested terms are not looked into."""
    stack = [node]
    while stack:
        current = stack.pop()
        if current.__class__ is str:
            continue
        tag = current[0]
        if tag == "s" and (current[1].__class__ is str or current[1][0] == "acc"):
            yield from [(name, False) for name in _index_names(current[2])]
            if current[2] != EMPTY or current[3].__class__ is not str or current[3] in _GREEK:
                yield from [(name, True) for name in _index_names(current[3])]
        elif tag == "D":
            for variable, order in current[2]:
                if variable.__class__ is str and order == "1" and variable in _INDEX:
                    yield variable, current[1][-1:] == "^"
            stack.append(current[3])
        elif tag in ("*", "-", "call", "app", "'", "in"):
            stack.extend(children(current))


def _elsewhere(node: Node, names: list[str]) -> bool:
    """A name that is also a factor is no index."""
    stack = [node]
    while stack:
        current = stack.pop()
        if current.__class__ is str:
            if current in names:
                return True
            continue
        if current[0] == "s":
            stack.append(current[1])
        elif current[0] == "D":
            stack.append(current[3])
        else:
            stack.extend(children(current))
    return False


_GREEK = frozenset("αβγδμνρσλκτ")
_INDEX = _GREEK | frozenset("abcdefijklmnpqrsABCDIJKMN")
_SURE = _GREEK | frozenset("ijk")  # these are indices even where both stand below
