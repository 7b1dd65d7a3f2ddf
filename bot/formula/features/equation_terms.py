"""The terms of an equation by what acts in them: u_t, u·u_x and u_xx whatever u is called; constants in front say nothing."""

from bot.formula.keys.alpha_equivalence import is_name
from bot.formula.tex import nodes
from bot.formula.tex.nodes import NormalNode, tag_of
from bot.formula.tex.symbols import INTEGRALS
from bot.formula.tex.tree import base_of, children, walk

_SECOND = frozenset(["∇²", "□"])
_ACTING = _SECOND | {"∇", "div", "grad", "curl"}
_MAX_DEPTH = 6  # nested operators that are distinguished
_MAX_TERMS = 40


def term_words(trees: list[NormalNode]) -> frozenset[str]:
    """Return a word for each term, numbered if the term is repeated, and words for all terms together."""
    unknowns = _operands(trees)
    found: set[str] = set()
    for node in trees:
        sides = node.sides if node.__class__ is nodes.Relation else (node,)
        words = sorted(filter(None, [_term(term, unknowns) for side in sides for term in _summands(side)][:_MAX_TERMS]))
        found.update(f"{word}×{words[:n].count(word)}" for n, word in enumerate(words))
        if len(words) > 1:
            found.add(" + ".join(words))
            found.add(" | ".join(dict.fromkeys(words)))
    return frozenset(found)


def main_letter(node: NormalNode) -> str:
    """Return the letter under scripts, accents, primes and arguments; "" for anything else."""
    found = base_of(node, nodes.Scripts, nodes.Primed, nodes.FunctionCall, nodes.Accented)
    if found.__class__ is nodes.Signed and found.sign == "-":
        return main_letter(found.body)
    return found.rpartition(".")[2] if found.__class__ is str and is_name(found) else ""


def _operands(trees: list[NormalNode]) -> set[str]:
    """Return the letters that operators act on: these are unknowns, all others constants."""
    found = {
        main_letter(node.body)
        for node in walk(trees)
        if node.__class__ is nodes.Derivative
        or (node.__class__ is nodes.Applied and node.head.__class__ is str and node.head in _ACTING)
    }
    return found - {""}


def _summands(node: NormalNode) -> list[NormalNode]:
    """Return the terms of a side; a product with one sum is multiplied out."""
    if node.__class__ is str:
        return [node]
    if node.__class__ is nodes.Sum:
        return [part for term in node.terms for part in _summands(term)]
    if node.__class__ is nodes.Signed and node.sign == "-":
        return _summands(node.body)
    if node.__class__ is nodes.Product:
        sums = [(n, factor.terms) for n, factor in enumerate(node.numerator) if factor.__class__ is nodes.Sum]
        if len(sums) == 1 and len(node.numerator) > 1:
            others = node.numerator[: sums[0][0]] + node.numerator[sums[0][0] + 1 :]
            return [nodes.Product((*others, *factors_of(term)), node.denominator) for term in sums[0][1]]
    return [node]


def factors_of(node: NormalNode) -> tuple[NormalNode, ...]:
    """Return the factors of numerator and denominator of a term, without its sign."""
    if node.__class__ is nodes.Signed and node.sign == "-":
        node = node.body
    return node.numerator + node.denominator if node.__class__ is nodes.Product else (node,)


def _term(node: NormalNode, unknowns: set[str], depth: int = 0) -> str:
    return "·".join(sorted(filter(None, [_factor(factor, unknowns, depth) for factor in factors_of(node)])))


def _factor(node: NormalNode, unknowns: set[str], depth: int) -> str:
    if depth > _MAX_DEPTH:
        return "…"
    name = main_letter(node)
    if node.__class__ is str or (name and node.__class__ is not nodes.Scripts):
        return "u" if name in unknowns else ""
    inner_depth = depth + 1
    sign = tag_of(node)
    match node:
        case nodes.Scripts():
            return _power(node, name, unknowns, inner_depth)
        case nodes.Derivative():
            orders = "".join(
                sorted([f"D{'t' if variable == 't' else ''}{order}" for variable, order in node.variables])
            )
            return f"{orders}({_term(node.body, unknowns, inner_depth)})"
        case nodes.Applied():
            return f"{_head(node.head)}({_term(node.body, unknowns, inner_depth)})"
        case nodes.Sum():
            return "(" + "+".join(sorted([_term(part, unknowns, inner_depth) for part in node.terms])) + ")"
        case nodes.Product() | nodes.Signed(sign="-"):
            return _term(node, unknowns, inner_depth)
        case nodes.Fenced(opening="(", closing=")"):
            return _factor(node.body, unknowns, inner_depth)
        case nodes.Fenced():
            sign = node.opening
        case nodes.Infix():
            sign = "".join(sorted(set(node.signs)))
    return f"{sign}[{''.join([_term(child, unknowns, inner_depth) for child in children(node)])}]"


def _power(node: nodes.Scripts[NormalNode], name: str, unknowns: set[str], depth: int) -> str:
    base, high = node.base, node.high
    if base == "e" and high:
        return f"exp({_term(high, unknowns, depth)})"
    number = high[1:] if high.__class__ is str and high[:1] == "#" else ""
    if name:
        return f"u{number}" if name in unknowns else "" if number or not high else "x^y"
    return f"{_factor(base, unknowns, depth)}{number}"


def _head(head: NormalNode) -> str:
    head = base_of(head, nodes.Scripts)
    if head.__class__ is nodes.Big:
        return "∫" if head.sign in INTEGRALS else head.sign
    if head.__class__ is not str:
        return tag_of(head)
    return "D2" if head in _SECOND else "D1" if head in ("∇", "div", "grad") else str(head)
