"""One equation in the notation of another: norms, determinants, complements, unit vectors, phases, products under an integral, functions of functions.

Each function takes a tree and the tree beside it, and returns the first as it is where the second gives no reason to write it otherwise.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import cache

from bot.formula.alignment.tree_rewriting import bottom_up, top_down
from bot.formula.normal.arithmetic import minus, plus, times
from bot.formula.normal.stages import normal_forms
from bot.formula.tex import nodes
from bot.formula.tex.nodes import EMPTY, NormalNode
from bot.formula.tex.tree import base_of, find_all, fraction_of, leaves, walk

_SETS = frozenset("∩∪∧∨")
_PARTS = {"%Re": "%cos", "ℜ": "%cos", "%Im": "%sin", "ℑ": "%sin"}
_FUNCTION_LETTERS = frozenset("fghxyuvwφψμνK")
# Functions by others, of x: written out beside a formula without them.
_FUNCTIONS = {
    "%logit": r"\ln\frac{x}{1-x}",
    "%expit": r"\frac{1}{1+e^{-x}}",
    "%erfc": r"1-\operatorname{erf}(x)",
    "%sech": r"\frac{1}{\cosh x}",
    "%csch": r"\frac{1}{\sinh x}",
    "%cis": r"\cos x+i\sin x",
    "%sinc": r"\frac{\sin x}{x}",
    "%vers": r"1-\cos x",
}


def in_notation_of(node: NormalNode, other: NormalNode) -> NormalNode:
    """Return an equation in the notation of another."""
    for write in (
        _probabilities,
        _hats,
        _norms,
        _determinants,
        _complements,
        _joint_events,
        _brackets,
        _components,
        _unit_vectors,
        _sizes,
        _real_parts,
        _phases,
        _by_parts,
        _functions,
        _cologarithms,
        _asterisks,
        _factorials,
    ):
        node = write(node, other)
    return node


def in_signs_of(node: NormalNode, other: NormalNode) -> NormalNode:
    """Return an equation in the signs of another: the notations that leave its letters as they are."""
    for write in (_probabilities, _norms, _determinants, _complements, _joint_events):
        node = write(node, other)
    return node


def _has(node: NormalNode, test: Callable[[NormalNode], bool]) -> bool:
    return any(map(test, walk([node])))


def _is_fenced(node: NormalNode, sign: str) -> bool:
    return node.__class__ is nodes.Fenced and node.opening == node.closing == sign


def _hats(node: NormalNode, other: NormalNode) -> NormalNode:
    """Â as A, where the other formula has the letter alone and states are written."""
    if not _has(node, lambda part: part in ("ψ", "Ψ") or (part.__class__ is nodes.Fenced and part.opening == "⟨")):
        return node
    there = set(walk([other]))

    def bare(part: NormalNode) -> NormalNode:
        hatted = part.__class__ is nodes.Accented and part.name == "hat"
        return part.body if hatted and part.body in there else part  # type: ignore[union-attr]

    return bottom_up(node, bare)


def _probabilities(node: NormalNode, _: NormalNode) -> NormalNode:
    """Pr(A or B) as P(A ∪ B)."""

    def probability(part: NormalNode) -> NormalNode:
        match part:
            case nodes.FunctionCall("%Pr" | "bb.P" | "P", around, arguments):
                return nodes.FunctionCall("P", around, _event(arguments))
            case nodes.Applied("%Pr", body):
                return nodes.FunctionCall("P", "()", _event(body))
        return part

    return bottom_up(node, probability)


def _event(node: NormalNode) -> NormalNode:
    """A or B as A ∪ B, A and B as A ∩ B: an event in a probability."""
    if node.__class__ is nodes.Product and not node.denominator:
        for word, sign in (("%or", "∪"), ("%and", "∩")):
            if node.numerator.count(word) == 1 and node.numerator[0] != word != node.numerator[-1]:
                place = node.numerator.index(word)
                return nodes.Infix((sign,), (times(node.numerator[:place]), times(node.numerator[place + 1 :])))
    return node


def _norms(node: NormalNode, other: NormalNode) -> NormalNode:
    """‖a‖ as |a|."""
    if _has(other, lambda part: _is_fenced(part, "‖")) or not _has(other, lambda part: _is_fenced(part, "|")):
        return node
    return bottom_up(node, lambda part: nodes.Fenced("|", "|", part.body) if _is_fenced(part, "‖") else part)  # type: ignore[union-attr]


def _determinants(node: NormalNode, other: NormalNode) -> NormalNode:
    """|A| as det A."""

    present, expected = (any(part.head == "%det" for part in find_all(nodes.Applied, each)) for each in (node, other))
    if present or not expected:
        return node
    return bottom_up(node, lambda part: nodes.Applied("%det", part.body) if _is_fenced(part, "|") else part)  # type: ignore[union-attr]


def _complements(node: NormalNode, other: NormalNode) -> NormalNode:
    """A^c, A', ¬A and Ā as one, beside ∩, ∪, ∧ or ∨ or in a probability."""
    if not all(_has(each, _is_about_sets) for each in (node, other)):
        return node

    def complement(part: NormalNode) -> NormalNode:
        match part:
            case nodes.Scripts(base, "", "c" | "C" | "~∁" | "%c"):
                return nodes.Accented("bar", base)
            case nodes.Derivative("", ((_, "1"),), base) if base != EMPTY:
                return nodes.Accented("bar", base)
            case nodes.Product(("~¬", base), ()):
                return nodes.Accented("bar", base)
        return part

    return bottom_up(node, complement)


def _is_about_sets(node: NormalNode) -> bool:
    return (node.__class__ is nodes.Infix and not _SETS.isdisjoint(node.signs)) or (
        node.__class__ is nodes.FunctionCall and node.function == "P"
    )


def _joint_events(node: NormalNode, other: NormalNode) -> NormalNode:
    """P(A, B) as P(A ∩ B)."""
    if not any("∩" in part.signs for part in find_all(nodes.Infix, other)):
        return node

    def joint(part: NormalNode) -> NormalNode:
        match part:
            case nodes.FunctionCall("P" as name, around, nodes.CommaList(_, parts)):
                return nodes.FunctionCall(name, around, nodes.Infix(("∩",) * (len(parts) - 1), parts))
        return part

    return bottom_up(node, joint)


def _brackets(node: NormalNode, other: NormalNode) -> NormalNode:
    """∫ ψ* A ψ dx as ⟨ψ|A|ψ⟩."""
    if not any(call.arguments.__class__ is nodes.Relation for call in find_all(nodes.FunctionCall, other)):
        return node

    def bracket(part: NormalNode) -> NormalNode:
        match part:
            case nodes.Applied(
                nodes.Big() | nodes.Scripts(nodes.Big()),
                nodes.Product((nodes.Scripts(bra, "", "~*"), *between, ket, nodes.Differential()), ()),
            ):
                sides = (bra, times(between), ket) if between else (bra, ket)
                return nodes.FunctionCall("bb.E", "()", nodes.Relation(("|",) * (len(sides) - 1), sides))
        return part

    return bottom_up(node, bracket)


def _components(node: NormalNode, other: NormalNode) -> NormalNode:
    """An equation of components with a δ_ij, as one of the quantities: [x_i, p_j] = iħδ_ij as [x, p] = iħ."""

    def pair(part: NormalNode) -> tuple[NormalNode, ...]:
        unit = part.__class__ is nodes.Scripts and part.base == "δ" and part.low.__class__ is nodes.Letters
        return part.low.letters if unit and len(part.low.letters) == 2 else ()  # type: ignore[union-attr]

    found = set(filter(None, map(pair, walk([node]))))
    if len(found) != 1 or _has(other, lambda part: bool(pair(part))):
        return node
    indices = {*found.pop()}
    if not indices <= {part.low for part in find_all(nodes.Scripts, node)}:
        return node  # of a tensor

    def without_indices(part: NormalNode) -> NormalNode:
        if part.__class__ is nodes.Product:
            return times([each for each in part.numerator if not pair(each)] or ["#1"], part.denominator)
        indexed = part.__class__ is nodes.Scripts and part.low in indices and part.high == EMPTY
        return part.base if indexed else part  # type: ignore[union-attr]

    return bottom_up(node, without_indices)


def _unit_vectors(node: NormalNode, other: NormalNode) -> NormalNode:
    """A bold n as n̂."""
    own, there = set(walk([node])), set(leaves(other))
    hats: dict[NormalNode, nodes.Accented[NormalNode]] = {}
    for hat in find_all(nodes.Accented, other):
        if hat.name == "hat" and hat.body.__class__ is str:
            hats[f"b.{hat.body.removeprefix('b.')}"] = hat
    hats = {bold: hat for bold, hat in hats.items() if (bold not in there or hat.body == bold) and hat not in own}

    def change(part: NormalNode) -> NormalNode | None:
        return part if part.__class__ is nodes.Accented else hats.get(part)

    return top_down(node, change) if hats else node


def _sizes(node: NormalNode, other: NormalNode) -> NormalNode:
    """|a| of a vector as a, which is its size where the other formula has both."""
    there = set(leaves(other))

    def size(part: NormalNode) -> NormalNode:
        body = str(part.body) if _is_fenced(part, "|") else ""  # type: ignore[union-attr]
        return body[2:] if body[:2] == "b." and {body, body[2:]} <= there else part

    return bottom_up(node, size)


def _real_parts(node: NormalNode, _: NormalNode) -> NormalNode:
    """Re(A e^{iωt}) as A cos ωt, and Im(A e^{iωt}) as A sin ωt."""

    def real(part: NormalNode) -> NormalNode:
        match part:
            case nodes.FunctionCall(str(name), _, argument) if name in _PARTS:
                return _wave(name, argument) or part
            case nodes.Product((str(name), *rest), denominator) if name in _PARTS and rest:
                found = _wave(name, times(rest))
                return times([found], denominator) if found else part
        return part

    return bottom_up(node, real)


def _wave(function: str, node: NormalNode) -> NormalNode | None:
    """Return a part of A e^{ix}, as A cos x or A sin x."""
    factors, denominator = fraction_of(node)
    if denominator:
        return None
    for at, factor in enumerate(factors):
        if factor.__class__ is not nodes.Scripts or factor.base != "e" or factor.low != EMPTY:
            continue
        signed, power = factor.high.__class__ is nodes.Signed, base_of(factor.high, nodes.Signed)
        if power.__class__ is nodes.Product and {"i", "j"} & {*power.numerator}:
            phase = times([each for each in power.numerator if each not in ("i", "j")], power.denominator)
            wave = nodes.Applied(_PARTS[function], minus(phase) if signed else phase)
            return times([*factors[:at], wave, *factors[at + 1 :]])
    return None


def _phases(node: NormalNode, other: NormalNode) -> NormalNode:
    """cos(ωt + φ) as sin(ωt + φ), where φ is a letter of this place alone in both: any phase is meant."""
    mine, yours = _phased(node), _phased(other)
    if mine is None or yours is None or mine == yours or {mine, yours} != {"%sin", "%cos"}:
        return node

    def as_sine(part: NormalNode) -> NormalNode:
        cosine = part.__class__ is nodes.Applied and part.head == "%cos" and part.body.__class__ is nodes.Sum
        return nodes.Applied("%sin", part.body) if cosine else part  # type: ignore[union-attr]

    return bottom_up(node, as_sine)


def _phased(node: NormalNode) -> str | None:
    """Return the only sine or cosine of a tree, of a sum with a letter of its own; None where there is no such."""
    waves = [part for part in find_all(nodes.Applied, node) if part.head in ("%sin", "%cos")]
    if len(waves) != 1 or waves[0].body.__class__ is not nodes.Sum:
        return None
    numbers = Counter(leaves(node))
    terms = [base_of(term, nodes.Signed) for term in waves[0].body.terms]
    alone = [term for term in terms if numbers[next(leaves(term))] == 1 and _is_letter(term)]
    return str(waves[0].head) if alone else None


def _is_letter(node: NormalNode) -> bool:
    name = base_of(node, nodes.Scripts)
    return name.__class__ is str and name[:1] not in '#%"~'


def _by_parts(node: NormalNode, other: NormalNode) -> NormalNode:
    """g'(x) dx under an integral as dg, where the other formula has no derivatives."""
    if any(find_all(nodes.Derivative, other)):
        return node

    def as_differential(part: NormalNode) -> NormalNode:
        factors, denominator = fraction_of(part)
        for slope in factors if part.__class__ is nodes.Product else ():
            match slope:
                case nodes.Derivative(_, ((variable, "1"),), body):
                    element = nodes.Differential("d", "1", variable)
                    if element in factors:
                        rest = [each for each in factors if each not in (slope, element)]
                        return times([*rest, nodes.Differential("d", "1", body)], denominator)
        return part

    made = bottom_up(node, as_differential)
    return node if any(find_all(nodes.Derivative, made)) else made


@cache
def _function(name: str) -> NormalNode:
    return normal_forms(_FUNCTIONS[name]).normal_with_names[0]


def _functions(node: NormalNode, other: NormalNode) -> NormalNode:
    """logit p as ln p/(1 - p), and others of _FUNCTIONS, where the other formula has no such function."""
    names = (_FUNCTIONS.keys() & {*leaves(node)}) - {*leaves(other)}
    if not names:
        return node

    def written_out(part: NormalNode) -> NormalNode:
        match part:
            case nodes.FunctionCall(str(name), _, argument) | nodes.Applied(str(name), argument) if name in names:
                return _with_argument(_function(name), argument)
            case nodes.Applied(nodes.Scripts(str(name), "", power), argument) if name in names:
                return nodes.Scripts(_with_argument(_function(name), argument), EMPTY, power)
            case nodes.Product((*before, str(name), argument), denominator) if name in names:
                return times([*before, _with_argument(_function(name), argument)], denominator)
        return part

    return bottom_up(node, written_out)


def _with_argument(node: NormalNode, argument: NormalNode) -> NormalNode:
    return bottom_up(node, lambda part: argument if part == "x" else part)


def _cologarithms(node: NormalNode, other: NormalNode) -> NormalNode:
    """pH as -log [H⁺], and pK as -log K, where the other formula has the concentration or the constant itself."""
    hydrogen = next(filter(_is_hydrogen_ion, walk([other])), EMPTY)
    constants = {part for part in find_all(nodes.Scripts, other) if part.base == "K"}
    if _has(other, lambda part: part in ("p", "%pH")):
        return node

    def written_out(part: NormalNode) -> NormalNode:
        if part == "%pH" and hydrogen != EMPTY:
            return _cologarithm(hydrogen)
        match part:
            case nodes.Product((*before, "p", "H"), denominator) if hydrogen != EMPTY:
                return times([*before, _cologarithm(hydrogen)], denominator)
            case nodes.Product((*before, "p", nodes.Scripts() as constant), denominator) if constant in constants:
                return times([*before, _cologarithm(constant)], denominator)
        return part

    return bottom_up(node, written_out)


def _is_hydrogen_ion(node: NormalNode) -> bool:
    """Tell a concentration or activity of H⁺."""
    match node:
        case nodes.Fenced("[", "]", nodes.Scripts("H" | "%H", "", "~+")):
            return True
        case nodes.Scripts("a" | "c", nodes.Scripts("H" | "%H", "", "~+"), ""):
            return True
    return False


def _cologarithm(node: NormalNode) -> NormalNode:
    logarithm = nodes.Scripts("%log", "#10", EMPTY)
    return nodes.Signed("-", nodes.Applied(logarithm, node))


def _asterisks(node: NormalNode, other: NormalNode) -> NormalNode:
    """P * L(R, Y) as a product, where the other formula has no asterisk; of two functions it is their convolution."""

    def is_product(part: NormalNode) -> bool:
        if part.__class__ is not nodes.Infix or {*part.signs} != {"*"}:
            return False
        return not all(_is_function(operand) for operand in part.operands)

    if any("*" in part.signs for part in find_all(nodes.Infix, other)):
        return node
    return bottom_up(node, lambda part: times(part.operands) if is_product(part) else part)  # type: ignore[union-attr]


def _is_function(node: NormalNode) -> bool:
    return node.__class__ in (nodes.FunctionCall, nodes.Applied) or node in _FUNCTION_LETTERS


def _factorials(node: NormalNode, other: NormalNode) -> NormalNode:
    """Γ(k) as (k - 1)!, where the other formula has factorials and no Γ."""
    if "Γ" in leaves(other) or not any(find_all(nodes.Factorial, other)):
        return node

    def factorial(part: NormalNode) -> NormalNode:
        match part:
            case nodes.FunctionCall("Γ", _, argument):
                return nodes.Factorial(plus([argument, nodes.Signed("-", "#1")]))
            case nodes.Product((*before, "Γ", nodes.Sum() as argument), denominator):
                return times([*before, factorial(nodes.FunctionCall("Γ", "()", argument))], denominator)
        return part

    return bottom_up(node, factorial)
