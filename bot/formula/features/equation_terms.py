"""The terms of an equation by what acts in them: u_t, u·u_x and u_xx whatever u is called; constants in front say nothing."""

from __future__ import annotations

from bot.formula.keys.alpha_equivalence import is_name
from bot.formula.tex.nodes import Product
from bot.formula.tex.symbols import INTEGRALS
from bot.formula.tex.tree import Node, children

_SECOND = frozenset(["∇²", "□"])
_ACTING = _SECOND | {"∇", "div", "grad", "curl"}
_DEEP = 6  # operators inside of operators that are still told apart
_MANY = 40


def terms(nodes: list[Node]) -> frozenset[str]:
    """Return a word for each term, another for its second and third of a kind, and one for all together."""
    unknowns = _operands(nodes)
    found: set[str] = set()
    for node in nodes:
        sides = node[2] if node.__class__ is not str and node[0] == "rel" else (node,)
        words = sorted(filter(None, [_term(term, unknowns) for side in sides for term in _summands(side)][:_MANY]))
        found.update(f"{word}×{words[:n].count(word)}" for n, word in enumerate(words))
        if len(words) > 1:
            found.add(" + ".join(words))
            found.add(" | ".join(dict.fromkeys(words)))
    return frozenset(found)


def letter(node: Node) -> str:
    """Return the letter under scripts, accents, primes and arguments; "" for what is more than a letter."""
    while node.__class__ is not str:
        if node[0] in ("s", "'", "call", "-"):
            node = node[1]
        elif node[0] == "acc":
            node = node[2]
        else:
            return ""
    return node.rpartition(".")[2] if is_name(node) else ""


def _operands(nodes: list[Node]) -> set[str]:
    """The letters that operators act on: they are the unknowns, all others are constants."""
    found: set[str] = set()
    stack = list(nodes)
    while stack:
        node = stack.pop()
        if node.__class__ is str:
            continue
        if node[0] == "D":
            found.add(letter(node[3]))
        elif node[0] == "app" and node[1].__class__ is str and node[1] in _ACTING:
            found.add(letter(node[2]))
        stack.extend(children(node))
    return found - {""}


def _summands(node: Node) -> list[Node]:
    """The terms of a side, a product with one sum multiplied out."""
    if node.__class__ is str:
        return [node]
    if node[0] == "+":
        return [part for term in node[1] for part in _summands(term)]
    if node[0] == "-":
        return _summands(node[1])
    if node[0] == "*":
        sums = [n for n, factor in enumerate(node[1]) if factor.__class__ is not str and factor[0] == "+"]
        if len(sums) == 1 and len(node[1]) > 1:
            others = node[1][: sums[0]] + node[1][sums[0] + 1 :]
            return [Product((*others, *_factors(term)), node[2]) for term in node[1][sums[0]][1]]
    return [node]


def _factors(node: Node) -> tuple[Node, ...]:
    if node.__class__ is not str and node[0] == "-":
        node = node[1]
    return node[1] + node[2] if node.__class__ is not str and node[0] == "*" else (node,)


def _term(node: Node, unknowns: set[str], depth: int = 0) -> str:
    return "·".join(sorted(filter(None, [_factor(factor, unknowns, depth) for factor in _factors(node)])))


def _factor(node: Node, unknowns: set[str], depth: int) -> str:
    if depth > _DEEP:
        return "…"
    name = letter(node)
    if node.__class__ is str or (name and node[0] != "s"):
        return "u" if name in unknowns else ""
    tag, below = node[0], depth + 1
    if tag == "s":
        return _power(node, name, unknowns, below)
    if tag == "D":
        orders = "".join(sorted([f"D{'t' if variable == 't' else ''}{order}" for variable, order in node[2]]))
        return f"{orders}({_term(node[3], unknowns, below)})"
    if tag == "app":
        return f"{_head(node[1])}({_term(node[2], unknowns, below)})"
    if tag == "+":
        return "(" + "+".join(sorted([_term(part, unknowns, below) for part in node[1]])) + ")"
    if tag in ("-", "*"):
        return _term(node, unknowns, below)
    if tag == "()" and node[1] + node[2] == "()":
        return _factor(node[3], unknowns, below)
    inner = "".join([_term(child, unknowns, below) for child in children(node)])
    sign = "".join(sorted(set(node[1]))) if tag == "in" else node[1] if tag == "()" else tag
    return f"{sign}[{inner}]"


def _power(node: Node, name: str, unknowns: set[str], depth: int) -> str:
    base, high = node[1], node[3]
    if base == "e" and high:
        return f"exp({_term(high, unknowns, depth)})"
    number = high[1:] if high.__class__ is str and high[:1] == "#" else ""
    if name:
        return f"u{number}" if name in unknowns else "" if number or not high else "x^y"
    return f"{_factor(base, unknowns, depth)}{number}"


def _head(head: Node) -> str:
    while head.__class__ is not str and head[0] == "s":
        head = head[1]
    if head.__class__ is not str:
        return ("∫" if head[1] in INTEGRALS else str(head[1])) if head[0] == "big" else head[0]
    return "D2" if head in _SECOND else "D1" if head in ("∇", "div", "grad") else str(head)
