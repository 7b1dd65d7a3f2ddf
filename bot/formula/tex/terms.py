"""The factors of one term to a tree: infix signs, slashes, functions with their arguments, sums and integrals with their bodies.

Reading is left to right. What a sum, an integral or a limit governs reaches to the end of the term; a function without
parentheses governs the factors up to the next function, a differential, and what is not a factor of a number or an angle.
"""

from __future__ import annotations

from collections.abc import Sequence

from bot.errors import FormulaError
from bot.formula.tex import nodes
from bot.formula.tex.nodes import EMPTY, NormalNode, RawNode
from bot.formula.tex.symbols import ANGULAR, FUNCTIONS, LIMITS, NUMERIC
from bot.formula.tex.tree import base_of, inside_parentheses, side_by_side

DERIVATIVE_SIGNS = frozenset("d∂Dδ")  # of a derivative
_OPERATORS = frozenset("∂∇□")
_MOVING = frozenset(["dot", "ddot", "hat", "vec"])
MAX_NAMES = 4  # of functions of functions
MAX_CHAIN = 40  # longer chains nest deeper than anybody writes


def build_term(factors: Sequence[RawNode], called: set[str], scope: bool = False) -> RawNode:
    """Return the tree of one term. Infix signs among the factors are Operators.

    The letters that stand as functions are added to `called`, which begins with the names of operators. With `scope` the first names a set that a quantifier runs over.
    """
    body: RawNode | None = None
    end = len(factors)
    if sum(map(_is_big_operator, factors)) > MAX_CHAIN:
        raise FormulaError("many_sums", most=MAX_CHAIN)
    for index in range(len(factors) - 1, -1, -1):
        if _is_big_operator(factors[index]):
            inner = _infix_term(factors[index + 1 : end], called) if index + 1 < end else EMPTY
            if body is not None:
                inner = body if inner == EMPTY else nodes.Factors((inner, body))
            body = nodes.Applied(factors[index], inner)
            end = index
    return _infix_term(factors if body is None else [*factors[:end], body], called, scope)


def _infix_term(factors: Sequence[RawNode], called: set[str], scope: bool = False) -> RawNode:
    """Build a term with infix signs and slashes from left to right."""
    operands: list[RawNode] = []
    signs: list[str] = []
    run: list[RawNode] = []
    index = slashes = 0
    while index < len(factors):
        factor = factors[index]
        index += 1
        if factor.__class__ is not nodes.Operator:
            run.append(factor)
        elif factor.sign == "/":
            slashes += 1
            if slashes > MAX_CHAIN:
                raise FormulaError("many_slashes", most=MAX_CHAIN)
            index, denominator = _denominator(factors, index, factor.following, run, called)
            run = [nodes.Fraction(product(run, called, scope), denominator)]
        elif not run and operands and factor.sign in _STARS:  # F ∧ *F
            run = ["~⋆"]
        else:
            operands.append(product(run, called, scope))
            signs.append(factor.sign)
            run = []
    operands.append(product(run, called, scope))
    return nodes.Infix(tuple(signs), tuple(operands)) if signs else operands[0]


def _is_big_operator(factor: RawNode) -> bool:
    head = factor.base if factor.__class__ is nodes.Scripts else factor
    if head.__class__ is not str:
        return head.__class__ is nodes.Big
    return bool(head[:1] == "%" and head[1:] in LIMITS)


def _denominator(
    factors: Sequence[RawNode], start: int, after: str, before: Sequence[RawNode], called: set[str]
) -> tuple[int, RawNode]:
    """Return the denominator after a slash: a group or number alone, else the letters that stand side by side."""
    end = start
    group = after in ("{", "(", "[", "\\left", "\\frac") and not (start < len(factors) and factors[start] in ("d", "∂"))
    one = group or (after[:1].isdigit() and len(before) == 1 and str(before[0])[:1] == "#")
    while end < len(factors) and factors[end].__class__ is not nodes.Operator:
        factor = factors[end]
        if end > start and factor.__class__ is nodes.Fenced and _is_called(factors[end - 1], factor):
            end += 1  # sin(x)/cos(x), dt/a(t)
            break
        if end > start and (
            one
            or _is_big_operator(factor)
            or (factor[:1] == "%" if factor.__class__ is str else not isinstance(factor, (nodes.Scripts, nodes.Primed)))
        ):
            break
        end += 1
    return end, product(list(factors[start:end]), called)


def _is_called(function: RawNode, fence: nodes.Fenced[RawNode]) -> bool:
    return head_of(function)[1:] in FUNCTIONS or is_call(function, fence)


_STARS = frozenset("*⋆")
_EXPECTING = frozenset(["bb.E", "bb.P"])
_COMPOSING = frozenset("∘*⋆")  # of two functions: what follows in parentheses is their argument


def product(factors: list[RawNode], called: set[str], scope: bool = False) -> RawNode:
    """Juxtaposed factors, functions and calls joined with their arguments; in ∃z (z = x) the statement is none of z."""
    if len(factors) < 2:
        return factors[0] if factors else EMPTY
    out: list[RawNode] = []
    index = 0
    while index < len(factors):
        factor = factors[index]
        index += 1
        head = head_of(factor)
        following = factors[index] if index < len(factors) else None
        fence = following.base if following.__class__ is nodes.Scripts else following  # f(x)^2
        if (
            head[:1] == "%"
            and following is not None
            and not _is_fenced(fence)
            and (head[1:] in FUNCTIONS or head in called)
        ):
            end = _end_of_argument(head[1:], factors, index)
            argument = product(factors[index:end], called)
            known = head[1:] in FUNCTIONS
            out.append(nodes.Applied(factor, argument) if known else nodes.FencedCall(factor, argument))
            index = end
        elif (
            fence.__class__ is nodes.Fenced
            and fence.opening in "([{"
            and (head[:1] == "%" or _is_word(head) or is_call(factor, fence))
            and not (
                fence.body.__class__ is nodes.Relation and (is_quantifier(factors[index - 2]) if index > 1 else scope)
            )
        ):
            if head and head[0] not in '%"':
                called.add(head)
            call = nodes.FencedCall(factor, fence)
            out.append(
                nodes.Scripts(call, following.low, following.high) if following.__class__ is nodes.Scripts else call
            )
            index += 1
        else:
            out.append(factor)
    return side_by_side(out)


def _end_of_argument(function: str, factors: Sequence[RawNode], start: int) -> int:
    """Return where the argument of a function without parentheses ends. What stands next to the function is always argument: ln dy/dx."""
    end = start + 1
    while end < min(start + MAX_NAMES, len(factors)) and head_of(factors[end - 1])[:1] == "%":  # ln sin x
        end += 1
    while end < len(factors) and not (
        _is_apart(factors, end)
        or (function in NUMERIC and _is_operator(factors[end], factors[end - 1]))
        or (function in ANGULAR and _is_no_angle(factors[end], factors[end - 1]))
    ):
        end += 1
    return end


def _is_apart(factors: Sequence[RawNode], index: int) -> bool:
    """Tell whether a factor is another function or a differential: sin θ dθ."""
    head = head_of(factors[index])
    if head != "d":
        return head[:1] == "%"
    following = head_of(factors[index + 1]) if index + 1 < len(factors) else ""
    return following[:1] not in ("", "#", '"', "%", "~")


def _is_operator(factor: RawNode, before: RawNode) -> bool:
    """Tell derivatives, and sums with what they govern: sin θ ∂u/∂θ, cosh u ∂_u, ln λ ∑ x; but ln 1/n ∑ x."""
    if factor.__class__ is nodes.Applied:
        return before.__class__ is not nodes.Fraction
    if factor.__class__ is nodes.Fraction:
        denominator = factor.denominator
        return (
            denominator.__class__ is nodes.Factors
            and head_of(denominator.factors[0]) in DERIVATIVE_SIGNS
            and _first(factor.numerator) == _first(denominator)
        )
    return head_of(factor) in _OPERATORS


def _first(node: RawNode) -> str:
    return head_of(node.factors[0] if node.__class__ is nodes.Factors else node)


def _is_no_angle(factor: RawNode, before: RawNode) -> bool:
    """Tell a rate, a vector and a power of e: cos θ θ̇, cos θ 𝐤, sin ωt e^{-γt}; but cos 2θ̂."""
    if before.__class__ is str and before[:1] == "#":
        return False
    if factor.__class__ is nodes.Scripts and factor.base == "e":
        return factor.high != EMPTY
    base = factor.base if factor.__class__ is nodes.Scripts else factor
    return base.name in _MOVING if base.__class__ is nodes.Accented else head_of(base)[:2] == "b."


def head_of(node: RawNode | NormalNode) -> str:
    """Return the identifier or name under scripts, primes and accents, or ""."""
    if node.__class__ is str:
        return node
    found = base_of(node, nodes.Scripts, nodes.Primed, nodes.Accented)  # type: ignore[type-var]  # of one family
    return found if found.__class__ is str else ""


def is_quantifier(factor: RawNode | NormalNode) -> bool:
    """Tell whether a factor is ∀, ∃, ∄ or ∃!."""
    return (factor.body if factor.__class__ is nodes.Factorial else factor) in ("~∀", "~∃", "~∄")


def _is_fenced(node: RawNode | None) -> bool:
    return node.__class__ is nodes.Fenced and node.opening in "([{"


def _is_word(head: str) -> bool:
    r"""Tell whether a name is one word of text, which calls what follows in parentheses: \text{Var}(X)."""
    return head[:1] == '"' and head[1:].isalpha()


def _is_composite(function: RawNode) -> bool:
    """Tell (f ∘ g) and (f * g), which are functions."""
    return (
        function.__class__ is nodes.Fenced
        and function.opening == "("
        and function.body.__class__ is nodes.Infix
        and _COMPOSING.issuperset(function.body.signs)
        and all(operand.__class__ is str for operand in function.body.operands)
    )


def is_call(function: RawNode, fence: nodes.Fenced[RawNode]) -> bool:
    """Tell whether a letter and its fence are a call: f(x), f(x, y), f(g(x)), f'(x), (f ∘ g)(x), P(A|B), u(t = 0); m(a+b) is a product, unless m is called elsewhere in the formula."""
    head = head_of(function)
    if head in _EXPECTING or (fence.opening in "[{" and head == "E"):
        return fence.body.__class__ is not nodes.CommaList
    if fence.opening == "[" and (head in ("d", "∂") or (head == "k" and head_of(fence.body)[:1].isupper())):
        return False  # d[A]/dt = -k[A], where k[x] is a ring
    if not _is_composite(function) and (not head or head[0] in '#~"'):
        return False
    body = inside_parentheses(fence.body)
    if body.__class__ is str:
        return bool(body) and body[0] != '"'
    if function.__class__ is nodes.Primed:
        return True
    if body.__class__ is nodes.Relation:  # u(t = 0), not Ω (= Ω_m)
        return bool(body.sides[0] != EMPTY)
    if body.__class__ is nodes.FencedCall and head_of(body.function)[1:] in FUNCTIONS:
        return False  # m(sin(x)) as m(sin x)
    return isinstance(body, (nodes.CommaList, nodes.Primed, nodes.Scripts, nodes.Accented, nodes.FencedCall))
