"""K2: one form for what is only notation: derivatives, Laplacians and wave operators, vector arrows, e^x, definitions.

Derivatives become ("D", style, ((variable, order), …), body) with style "" for d, ∂, dots, primes and letters below, "^" for an upper index,
∇ for covariant ones, D for material ones, δ for functional ones. ("app", "∇²", f), ("app", "□", f), ("app", "div", E), ("app", "curl", B).
"""

from itertools import chain

from bot.formula.normal.arithmetic import minus, times
from bot.formula.normal.commuting import ends_in_nabla
from bot.formula.normal.derivatives import derivative_operator
from bot.formula.normal.notation_hints import (
    COORDINATES,
    FIELDS,
    NotationHints,
    coordinates_below,
    is_bracket_of_terms,
    letter_of,
    parts_at_bar,
)
from bot.formula.normal.operators import (
    INDEX_GREEK,
    INDEX_LATIN,
    apply_to_next,
    as_bold,
    contracted_pairs,
    derivative,
    distributed_operators,
    laplacians,
)
from bot.formula.tex import nodes
from bot.formula.tex.nodes import EMPTY, NormalNode
from bot.formula.tex.tree import base_of, indices, leaves, map_children, raised

_SAME = dict(zip("ϕϵϑϱςϰℓıȷ", "φεθρσκlij", strict=True))
_SAME |= {f"b.{letter}": f"b.{other}" for letter, other in _SAME.items()}
# Functions under several names.
_SAME |= {
    "%Tr": "%tr", "%tg": "%tan", "%ctg": "%cot", "%cotg": "%cot", "%cosec": "%csc", "%sen": "%sin", "%sh": "%sinh", "%ch": "%cosh", "%th": "%tanh",
    "%arctg": "%arctan", "%arcsen": "%arcsin", "%arcsinh": "%arsinh", "%arccosh": "%arcosh", "%arctanh": "%artanh",
    "%sign": "%sgn", "%var": "%Var", "%cov": "%Cov", "%res": "%Res", "%colim": "%injlim", "%varinjlim": "%injlim", "%varprojlim": "%projlim", "%varlimsup": "%limsup", "%varliminf": "%liminf",
}  # fmt: skip
_INVERSE = nodes.Signed("-", "#1")
_ARC = {f"%{name}": f"%arc{name}" for name in ("sin", "cos", "tan", "cot", "sec", "csc")}
_ARC |= {f"%{name}": f"%ar{name}" for name in ("sinh", "cosh", "tanh", "coth")}  # sin⁻¹ and sinh⁻¹
_NATURAL = nodes.Scripts("%log", "e", EMPTY)
_LOGARITHMS = frozenset(["%ln", "%log"])
_ONE: tuple[tuple[NormalNode, ...], ...] = ((), ("#1",))
_BASES = {"%lg": "#10", "%lb": "#2"}
_DEFINITION = {":=": "=", "=:": "=", "≜": "=", "≐": "=", "≡": "=", "≗": "="}
_IDENTITIES = frozenset(["I", "E", "b.I", "b.E", "bb.1"])
_OF_SETS = frozenset("∈∉⊂⊆→")
_NUMBER_SETS = frozenset(f"b.{letter}" for letter in "NZQRC")
_DOTS = {"dot": "1", "ddot": "2", "dddot": "3", "ddddot": "4"}


def _with_bar(body: NormalNode) -> NormalNode:
    """Return what is between the braces of a set with a bar for the colon: {x : x > 0}."""
    if body.__class__ is not nodes.Relation or ":" not in body.signs:
        return body
    return nodes.Relation(tuple(["|" if sign == ":" else sign for sign in body.signs]), body.sides)


def to_one_notation(trees: list[NormalNode], hints: NotationHints) -> list[NormalNode]:
    """Return the normal trees in one notation."""
    rewriter = _NotationRewriter(hints)
    found = list(map(rewriter.visit, trees))
    return [_with_sets(tree, rewriter.bold_sets) for tree in found] if rewriter.bold_sets else found


def _with_sets(node: NormalNode, bold: set[NormalNode]) -> NormalNode:
    """Return a tree with bold letters that are sets of numbers as the others write them, ℝ for **R**."""
    if node.__class__ is str:
        return f"b{node}" if node in bold else node
    return map_children(node, lambda part: _with_sets(part, bold))


class _NotationRewriter:
    __slots__ = ("bold_sets", "known")

    def __init__(self, hints: NotationHints) -> None:
        self.known = hints
        self.bold_sets: set[NormalNode] = set()  # bold letters that are sets of numbers: x ∈ **R**

    def visit(self, node: NormalNode) -> NormalNode:
        if node.__class__ is str:
            return _SAME.get(node, node)
        rule = _VISITORS.get(node.__class__)
        return rule(self, node) if rule else map_children(node, self.visit)

    def visit_Accented(self, node: nodes.Accented[NormalNode]) -> NormalNode:
        body = self.visit(node.body)
        if node.name in _DOTS:
            return derivative("", (("t", _DOTS[node.name]),), body)
        if node.name == "vec" or (node.name == "under" and body.__class__ is str):
            return as_bold(body)
        return nodes.Accented(node.name, body)

    def visit_Primed(self, node: nodes.Primed[NormalNode]) -> NormalNode:
        return derivative("", ((self.known.prime_variable, str(node.number)),), self.visit(node.base))

    def visit_FunctionCall(self, node: nodes.FunctionCall[NormalNode]) -> NormalNode:
        function, arguments = node.function, self.visit(node.arguments)
        if node.around == "{}":  # inf {t > 0 : …}
            arguments = _with_bar(arguments)
        if self.known.densities.get(base_of(function, nodes.Scripts)):  # f(x | θ) as f(x; θ)
            one, other = parts_at_bar(arguments)
            separators = [*[","] * (len(one) - 1), ";", *[","] * (len(other) - 1)]
            arguments = nodes.CommaList(tuple(separators), (*one, *other))
        if function.__class__ is nodes.Primed:
            variable = letter_of(arguments) or self.known.prime_variable
            return derivative(
                "",
                ((variable, str(function.number)),),
                nodes.FunctionCall(self.visit(function.base), node.around, arguments),
            )
        if function == "%exp":
            return nodes.Scripts("e", EMPTY, arguments)
        if function in ("bb.P", "%Pr"):
            return nodes.FunctionCall("P", "()", arguments)
        name = "E" if function == "bb.E" else self.visit(function)
        if name.__class__ is nodes.Derivative and name.body != EMPTY:
            return nodes.Derivative(name.style, name.variables, nodes.FunctionCall(name.body, node.around, arguments))
        return nodes.FunctionCall(name, node.around, arguments)

    def visit_Applied(self, node: nodes.Applied[NormalNode]) -> NormalNode:
        head, body = node.head, self.visit(node.body)
        if head == "%exp":
            return nodes.Scripts("e", EMPTY, body)
        if head == "%Pr":
            return nodes.FunctionCall("P", "()", body)
        if head == "%det" and body.__class__ is nodes.Matrix and body.environment == "p":
            return nodes.Matrix("v", body.rows)
        if head in _VECTOR_NAMES:
            return nodes.Applied(_VECTOR_NAMES[head], body)
        if head == _NATURAL:
            return nodes.Applied("%ln", body)
        if head.__class__ is nodes.Scripts and head.high == _INVERSE and head.low == EMPTY and head.base in _ARC:
            return nodes.Applied(_ARC[head.base], body)
        logarithm = head.base if head.__class__ is nodes.Scripts and head.high == EMPTY else head
        if logarithm in _LOGARITHMS and body.__class__ is nodes.Product and body.numerator in _ONE and body.denominator:
            return minus(nodes.Applied(self.visit(head), times(list(body.denominator))))  # ln 1/x
        if head in _BASES:
            return nodes.Applied(nodes.Scripts("%log", _BASES[head], EMPTY), body)
        if head.__class__ is nodes.Scripts and head.low == EMPTY and head.high == "#2" and head.base in ("∇", "∂"):
            return nodes.Applied("∇²" if head.base == "∇" else "□", body)
        return nodes.Applied(self.visit(head), body)

    def visit_Derivative(self, node: nodes.Derivative[NormalNode]) -> NormalNode:
        style = _STYLES[node.style]
        variables: list[tuple[NormalNode, str]] = []
        for variable, order in node.variables:
            variable = self.visit(variable)
            if variable.__class__ is nodes.Scripts and variable.base in _COORDINATES and style == "":
                low, high = variable.low, variable.high
                if high == EMPTY and low.__class__ is str and (low in INDEX_GREEK or low in INDEX_LATIN):
                    variable = low
                    style = "^" if low in INDEX_GREEK and len(node.variables) == 1 else ""
                elif low == EMPTY and high.__class__ is str and (high in INDEX_GREEK or high in INDEX_LATIN):
                    variable = high
            variables.append((variable, order))
        return derivative(style, tuple(variables), self.visit(node.body))

    def visit_Scripts(self, node: nodes.Scripts[NormalNode]) -> NormalNode:
        base, low, high = node.base, node.low, node.high
        if base == "∂" and low != EMPTY:
            alone = derivative_operator(node)
            if alone is not None:
                return self.visit_Derivative(alone)
        if low.__class__ is nodes.CommaList and low.parts[0] == EMPTY and low.separators[0] == ",":
            parts = [part.numerator if part.__class__ is nodes.Product else indices(part) for part in low.parts[1:]]
            names = chain.from_iterable(parts)
            return derivative("", tuple([(self.visit(name), "1") for name in names]), self.visit(raised(base, high)))
        of_terms = self.known.functions and is_bracket_of_terms(base) and coordinates_below(node)
        if low != EMPTY and (of_terms or base in self.known.functions):
            found = derivative("", tuple([(letter, "1") for letter in indices(low)]), self.visit(base))
            return raised(found, self.visit(high))
        if base == "∇" and low == EMPTY and high == "#2":
            return "∇²"
        if base == "∂" and low == EMPTY and high == "#2":
            return "□"
        if base in _BASES and low == EMPTY:
            return nodes.Scripts("%log", _BASES[base], self.visit(high))
        return nodes.Scripts(self.visit(base), self.visit(low), self.visit(high))

    def visit_Infix(self, node: nodes.Infix[NormalNode]) -> NormalNode:
        signs, operands = list(node.signs), [self.visit(operand) for operand in node.operands]
        index = len(signs) - 1
        while index >= 0:
            operator = operands[index]
            if signs[index] in "·×" and ends_in_nabla(operator):
                rest = operator.numerator[:-1] if operator.__class__ is nodes.Product else ()
                body = operands[index + 1]
                if signs[index] == "×":
                    found: NormalNode = nodes.Applied("curl", body)
                elif body.__class__ is nodes.Applied and body.head == "∇":
                    found = nodes.Applied("∇²", body.body)
                else:
                    found = "∇²" if body == "∇" else nodes.Applied("div", body)
                operands[index : index + 2] = [times([*rest, found]) if rest else found]
                del signs[index]
            index -= 1
        return nodes.Infix(tuple(signs), tuple(operands)) if signs else operands[0]

    def visit_Product(self, node: nodes.Product[NormalNode]) -> NormalNode:
        numerator = self.visit_all(node.numerator)
        if "Δ" in numerator and numerator[-1] != "Δ":
            numerator = apply_to_next(numerator, self.laplacian)
        if "∇²" in numerator or "□" in numerator:
            numerator = laplacians(numerator)
        contracted = contracted_pairs(_with_binomials(numerator))
        denominator = self.visit_all(node.denominator)
        if "i" in denominator and "ħ" in denominator:  # 1/(iħ) = −i/ħ
            denominator.remove("i")
            return minus(times([*contracted, "i"], denominator))
        if len(contracted) == 2 and not denominator:
            distributed = distributed_operators(contracted)
            if distributed is not None:
                return distributed
        return times(contracted, denominator)

    def visit_Fenced(self, node: nodes.Fenced[NormalNode]) -> NormalNode:
        body = self.visit(node.body)
        if node.opening == "‖" and any(leaf[:2] == "b." for leaf in leaves(body)):
            return nodes.Fenced("|", "|", body)  # of a vector
        if node.opening == "|" and body.__class__ is nodes.Sum and any(map(_has_identity, body.terms)):
            return nodes.Applied("%det", body)  # |A − λI|
        return nodes.Fenced(node.opening, node.closing, _with_bar(body) if node.opening == "{" else body)

    def visit_Sum(self, node: nodes.Sum[NormalNode]) -> NormalNode:
        return nodes.Sum(tuple(self.visit_all(node.terms)))

    def visit_all(self, trees: tuple[NormalNode, ...]) -> list[NormalNode]:
        return [_SAME.get(node, node) if node.__class__ is str else self.visit(node) for node in trees]

    def laplacian(self, factor: NormalNode, following: NormalNode) -> NormalNode:
        """Return ∇² for a Δ that is one, EMPTY for any other factor."""
        letter = letter_of(following)
        acts = letter not in COORDINATES and (self.known.partial or self.known.functions or letter in FIELDS)
        return "∇²" if factor == "Δ" and acts else EMPTY

    def visit_Relation(self, node: nodes.Relation[NormalNode]) -> NormalNode:
        signs = tuple(
            [_DEFINITION.get(sign, sign) if sign != "≡" or not self.known.congruence else sign for sign in node.signs]
        )
        sides = self.visit_all(node.sides)
        if not _OF_SETS.isdisjoint(signs):
            self.bold_sets |= {base_of(side, nodes.Scripts) for side in sides} & _NUMBER_SETS
        return nodes.Relation(signs, tuple(sides))


def _with_binomials(factors: list[NormalNode]) -> list[NormalNode]:
    """_nC_k and ^nC_k, each a script before C_k, as binomials."""
    out: list[NormalNode] = []
    for factor in factors:
        before = out[-1] if out else EMPTY
        if (
            factor.__class__ is nodes.Scripts
            and factor.base == "C"
            and factor.high == EMPTY != factor.low
            and before.__class__ is nodes.Scripts
            and before.base == EMPTY
            and EMPTY in (before.low, before.high)
            and str(before.low or before.high)[:1] != "#"
        ):
            out[-1] = nodes.Stacked("binom", before.low or before.high, factor.low)
        else:
            out.append(factor)
    return out


def _has_identity(term: NormalNode) -> bool:
    """Tell whether a term is λI, of an eigenvalue and the identity matrix."""
    factors = term.body if term.__class__ is nodes.Signed else term
    if factors.__class__ is not nodes.Product or factors.denominator or len(factors.numerator) != 2:
        return False
    return "λ" in factors.numerator and not _IDENTITIES.isdisjoint(factors.numerator)


_COORDINATES = frozenset("xXrRξ")  # a derivative by one of them is known by its index alone; ∂/∂q_i and ∂/∂p_i differ
_STYLES = {style: style for style in ("D", "δ", "∇^", "D^", "", "^", "∇")}
_STYLES |= {"d": "", "∂": "", "∂_": "", "∂^": "^", "∇_": "∇", "D_": "D"}
_VECTOR_NAMES = {"%div": "div", "%rot": "curl", "%curl": "curl", "%grad": "∇"}
_VISITORS = nodes.visitors_of(_NotationRewriter, _NotationRewriter.visit)
