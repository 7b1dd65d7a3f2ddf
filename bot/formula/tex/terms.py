"""The factors of one term to a tree: infix signs, slashes, functions with their arguments, sums and integrals with their bodies.

Reading is left to right. What a sum, an integral or a limit governs reaches to the end of the term; a function without
parentheses governs the factors up to the next function.
"""

from __future__ import annotations

from collections.abc import Sequence

from bot.errors import FormulaError
from bot.formula.tex.nodes import EMPTY, Applied, Factors, FencedCall, Fraction, Infix, Scripts
from bot.formula.tex.symbols import FUNCTIONS, LIMITS
from bot.formula.tex.tree import Node

MAX_CHAIN = 40  # longer chains nest deeper than anybody writes


def build_term(factors: Sequence[Node], called: set[str]) -> Node:
    """Return the tree of one term. Infix signs among the factors are ("op", sign, the token after it).

    The letters that stand as functions are added to `called`.
    """
    body: Node = None
    end = len(factors)
    if sum(map(_big, factors)) > MAX_CHAIN:
        raise FormulaError(f"more than {MAX_CHAIN} sums, integrals or limits in one term")
    for index in range(len(factors) - 1, -1, -1):
        if _big(factors[index]):
            inner = _run(factors[index + 1 : end], called) if index + 1 < end else EMPTY
            if body is not None:
                inner = body if inner == EMPTY else Factors((inner, body))
            body = Applied(factors[index], inner)
            end = index
    if body is None:
        return _run(factors, called)
    return _run([*factors[:end], body], called)


def _run(factors: Sequence[Node], called: set[str]) -> Node:
    """Infix signs and slashes from left to right."""
    operands: list[Node] = []
    signs: list[str] = []
    run: list[Node] = []
    index = slashes = 0
    while index < len(factors):
        factor = factors[index]
        index += 1
        if factor[:1] != ("op",):
            run.append(factor)
        elif factor[1] == "/":
            slashes += 1
            if slashes > MAX_CHAIN:
                raise FormulaError(f"more than {MAX_CHAIN} slashes in one term")
            index, below = _denominator(factors, index, factor[2], run, called)
            run = [Fraction(product(run, called), below)]
        else:
            operands.append(product(run, called))
            signs.append(factor[1])
            run = []
    operands.append(product(run, called))
    return Infix(tuple(signs), tuple(operands)) if signs else operands[0]


def _big(factor: Node) -> bool:
    head = factor[1] if factor.__class__ is not str and factor[0] == "s" else factor
    if head.__class__ is not str:
        return bool(head[0] == "big")
    return bool(head[:1] == "%" and head[1:] in LIMITS)


def _denominator(
    factors: Sequence[Node], start: int, after: str, above: Sequence[Node], called: set[str]
) -> tuple[int, Node]:
    """What a slash divides by: a group or number alone, else the letters that stand side by side."""
    end = start
    group = after in ("{", "(", "[", "\\left", "\\frac") and not (start < len(factors) and factors[start] in ("d", "∂"))
    one = group or (after[:1].isdigit() and len(above) == 1 and str(above[0])[:1] == "#")
    while end < len(factors) and factors[end][:1] != ("op",):
        factor = factors[end]
        if end > start and (
            one or _big(factor) or (factor.__class__ is not str and factor[0] not in ("s", "'")) or factor[:1] == "%"
        ):
            break
        end += 1
    return end, product(list(factors[start:end]), called)


def product(factors: list[Node], called: set[str]) -> Node:
    """Juxtaposed factors, functions and calls joined with their arguments."""
    if len(factors) < 2:
        return factors[0] if factors else EMPTY
    out: list[Node] = []
    index = 0
    while index < len(factors):
        factor = factors[index]
        index += 1
        head = _head(factor)
        following: Node = factors[index] if index < len(factors) else None
        fence = following[1] if following is not None and following[:1] == ("s",) else following  # f(x)^2
        if head[:1] == "%" and following is not None and not _fenced(fence) and head[1:] in FUNCTIONS:
            end = index + 1
            while end < len(factors) and _head(factors[end])[:1] != "%":
                end += 1
            out.append(Applied(factor, product(factors[index:end], called)))
            index = end
        elif fence is not None and _fenced(fence) and (head[:1] == "%" or is_call(factor, fence)):
            if head[:1] != "%":
                called.add(head)
            call = FencedCall(factor, fence)
            out.append(call if fence is following else Scripts(call, following[2], following[3]))
            index += 1
        else:
            out.append(factor)
    return out[0] if len(out) == 1 else Factors(tuple(out))


def _head(node: Node) -> str:
    """The identifier or name under scripts, primes and accents, or ""."""
    while node.__class__ is not str:
        if node[0] in ("s", "'"):
            node = node[1]
        elif node[0] == "acc":
            node = node[2]
        else:
            return ""
    return str(node)


def _fenced(node: Node) -> bool:
    return bool(node.__class__ is not str and node[0] == "()" and node[1] in "([{")


def is_call(function: Node, fence: Node) -> bool:
    """f(x), f(x, y), f'(x), P(A|B) are calls; m(a+b) is a product, unless m is called elsewhere in the formula."""
    head = _head(function)
    if not head or head[0] in '#~"':
        return False
    body = fence[3]
    while body.__class__ is not str and body[0] == "()" and body[1] == "(":
        body = body[3]
    if body.__class__ is str:
        return bool(body) and body[0] != '"'
    if function.__class__ is not str and function[0] == "'":
        return True
    return body[0] in (",", "'", "s", "acc") or (body[0] == "rel" and "=" not in body[1])
