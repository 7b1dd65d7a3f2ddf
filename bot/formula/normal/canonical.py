"""The canonical tree: products, sums and fractions flat, grouping parentheses off, derivatives and differentials found.

A normal product is ("*", numerators, denominators), its sign stands in front of it; ("call", f, parentheses, arguments).
What a derivative looks like is kept as its style, so that nothing but typography is lost here.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from bot.formula.normal.arithmetic import minus, plus, times
from bot.formula.normal.commuting import ends_in_nabla, in_order, is_vector, ordered_products
from bot.formula.normal.derivatives import (
    apply_operators,
    derivative_of_fraction,
    has_differentials,
    join_differentials,
)
from bot.formula.normal.reading.marks import (
    CONVERGENCE,
    GAUSS,
    OF_SETS,
    STACKS,
    T_ABOVE,
    factorial_of,
    has_left_transposes,
    is_operator_product,
    takes_braces,
    with_components,
    with_left_transposes,
    with_one_spelling_of_calls,
)
from bot.formula.normal.reading.statements import APPROACHING, LOGIC, directed, one_sided, statement
from bot.formula.tex import nodes
from bot.formula.tex.nodes import EMPTY, NormalNode, RawNode
from bot.formula.tex.symbols import FUNCTIONS
from bot.formula.tex.terms import head_of
from bot.formula.tex.tree import Formula, leaves, map_children, side_by_side, terms_of

_LOGICAL = ("⇔", "⇒", "⇐", "∴", "⊢", "⊨", "↔")
_MATRICES = {"pmatrix": "p", "bmatrix": "p", "vmatrix": "v", "Vmatrix": "V", "Bmatrix": "B"}
_GROUPING = frozenset(["()", "[]", "{}"])
_GROUPED = (nodes.Sum, nodes.Fraction, nodes.Applied, nodes.FencedCall, nodes.SquareRoot, nodes.Root)


def normalised(formula: Formula) -> tuple[list[NormalNode], list[NormalNode], bool]:
    """Return the normal trees of a formula's equations and conditions, and whether there is a derivative in them."""
    reader = _Normaliser(formula)
    equations, conditions = list(map(reader.visit, formula.equations)), list(map(reader.visit, formula.conditions))
    calligraphic = not _CALLIGRAPHIC.isdisjoint(formula.tokens)
    if (len(reader.products) > 1 or calligraphic) and (ordered := ordered_products(reader.products, calligraphic)):
        equations = [in_order(node, ordered) for node in equations]
        conditions = [in_order(node, ordered) for node in conditions]
    return equations, conditions, reader.derived


class _Normaliser:
    """Normalises one formula; stores whether its d's are differentials and which letters are called as functions."""

    __slots__ = (
        "called",
        "counted",
        "derived",
        "differentials",
        "hypergeometric",
        "left",
        "logical",
        "nabla",
        "products",
    )

    def __init__(self, formula: Formula) -> None:
        tokens = formula.tokens
        self.called = formula.called_letters
        self.derived = False
        self.differentials = _has_sure_differentials(tokens) or (
            "d" in tokens and has_differentials((*formula.equations, *formula.conditions))
        )
        self.nabla = "\\nabla" in tokens or "∇" in tokens
        self.counted = "\\#" in tokens and not OF_SETS.isdisjoint(tokens)
        self.hypergeometric = GAUSS.search(formula.tex) is not None
        self.left = T_ABOVE.search(formula.tex) is not None and has_left_transposes(formula.tex)
        self.logical = not LOGIC.isdisjoint(tokens)
        self.products: list[tuple[NormalNode, ...]] = []

    def visit(self, node: RawNode) -> NormalNode:
        if node.__class__ is str:
            return _upright_word(node) if node[:1] == '"' else node
        return _VISITORS[node.__class__](self, node)

    def visit_factor(self, node: RawNode) -> NormalNode:
        """Make brackets and braces around a sum in a product parentheses."""
        if node.__class__ is nodes.Fenced and node.opening + node.closing in _GROUPING:
            body = node.body
            while body.__class__ is nodes.Fenced and body.opening == "(" and body.closing == ")":
                body = body.body
            if isinstance(body, (nodes.Factors, nodes.Infix, *_GROUPED)) or (
                body.__class__ is nodes.Signed and body.sign == "-"
            ):
                return self.visit(body)
        return self.visit(node)

    def visit_side(self, node: RawNode) -> NormalNode:
        return self.visit_factor(node) if node.__class__ is nodes.Fenced and node.opening == "[" else self.visit(node)

    def visit_without_parentheses(self, node: RawNode) -> NormalNode:
        """Remove parentheses around a whole numerator or denominator."""
        while (
            node.__class__ is nodes.Fenced
            and node.opening == "("
            and node.closing == ")"
            and node.body != EMPTY
            and not isinstance(node.body, (nodes.CommaList, nodes.Relation))
        ):
            node = node.body
        return self.visit_factor(node)

    def visit_Sum(self, node: nodes.Sum[RawNode]) -> NormalNode:
        terms = [self.visit_factor(term) for term in node.terms]
        return plus(_with_integrands(terms) if any(map(_integral_of, terms)) else terms)

    def visit_Signed(self, node: nodes.Signed[RawNode]) -> NormalNode:
        if node.sign == "+":  # a cell "+1" of a matrix
            return self.visit(node.body)
        return minus(self.visit_factor(node.body)) if node.sign == "-" else self.visit_children(node)

    def visit_Factors(self, node: nodes.Factors[RawNode]) -> NormalNode:
        raw = self.with_calls(node.factors) if self.called else node.factors
        if self.left and any([factor.__class__ is nodes.Scripts and factor.base == EMPTY for factor in raw]):
            raw = with_left_transposes(raw)
        if self.counted or self.hypergeometric:
            raw = with_one_spelling_of_calls(raw, self.counted)
        if raw[0] == "~*" and raw[1] != EMPTY:  # the star of a Hodge dual
            raw = ("~⋆", *raw[1:])
        factors = [
            factor if factor.__class__ is str and factor[:1] != '"' else self.visit_factor(factor) for factor in raw
        ]
        if self.differentials:
            factors = join_differentials(factors)
        if self.nabla:
            factors = _with_open_operators(factors)
        acting = apply_operators(factors)
        if acting is not factors:
            self.derived = True
        found = statement(acting) if self.logical else times(acting)
        if found.__class__ is nodes.Product and len(found.numerator) > 1:
            self.products.append(found.numerator)
        return found

    def with_calls(self, factors: Sequence[RawNode]) -> Sequence[RawNode]:
        """Make f before parentheses a call if f is called elsewhere in the formula."""
        out: list[RawNode] = []
        for factor in factors:
            head = head_of(out[-1]) if out else EMPTY
            if (
                factor.__class__ is nodes.Fenced
                and head in self.called
                and (factor.opening in "([" or (factor.opening == "{" and takes_braces(head, EMPTY)))
            ):
                out.append(nodes.FencedCall(out.pop(), factor))
            else:
                out.append(factor)
        return out

    def visit_Fraction(self, node: nodes.Fraction[RawNode]) -> NormalNode:
        denominator_kind = node.denominator.__class__  # a derivative has its sign and a variable below
        found = (
            derivative_of_fraction(node.numerator, node.denominator)
            if denominator_kind is nodes.Factors or denominator_kind is nodes.Fenced
            else None
        )
        if found is None:
            return times(
                [self.visit_without_parentheses(node.numerator)], [self.visit_without_parentheses(node.denominator)]
            )
        self.derived = True
        body = self.visit_without_parentheses(side_by_side(found.body))
        variables = tuple([(self.visit(variable), power) for variable, power in found.variables])
        derivative = nodes.Derivative(found.sign, variables, body)
        if found.coefficient:
            return times([*[self.visit_factor(factor) for factor in found.coefficient], derivative])
        return derivative

    def visit_Fenced(self, node: nodes.Fenced[RawNode]) -> NormalNode:
        body = self.visit(node.body)
        around = node.opening + node.closing
        if body.__class__ is not str:
            if body.__class__ is nodes.Stacked and body.tag == "atop" and around in STACKS:
                return nodes.Stacked(STACKS[around], body.upper, body.lower)
            if around == "()" and not isinstance(body, (nodes.CommaList, nodes.Relation, nodes.Matrix, nodes.Parts)):
                return body
            if body.__class__ is nodes.Matrix:
                if around in _GROUPING:
                    return nodes.Matrix("p" if around != "{}" else "B", body.rows)
                if around in ("||", "‖‖"):
                    return nodes.Matrix("v" if around == "||" else "V", body.rows)
                if around == "{":
                    return nodes.Matrix("cases", body.rows)
        elif around == "()" and body and body[0] not in '"':
            return body
        return nodes.Fenced(node.opening, node.closing, body)

    def visit_Infix(self, node: nodes.Infix[RawNode]) -> NormalNode:
        """Dots between numbers or plain letters are products; so are crosses with a number. ∘, ⊗, ⋆, * (1*f is a convolution) and products of vectors stay."""
        operands = [self.visit_factor(operand) for operand in node.operands]
        out: list[NormalNode] = [operands[0]]
        signs: list[str] = []
        for sign, operand in zip(node.signs, operands[1:], strict=True):
            before = out[-1]
            if before == "~∞" or operand == "~∞" or (sign == "*" and (before == "#1" or operand == "#1")):
                signs.append(sign)
                out.append(operand)
            elif (sign == "·" and not ends_in_nabla(before) and not (is_vector(before) and is_vector(operand))) or (
                sign in ("×", "*") and (_is_number(before, -1) or _is_number(operand, 0))
            ):
                out[-1] = times([before, operand])
            elif sign == "÷":
                out[-1] = times([before], [operand])
            else:
                signs.append(sign)
                out.append(operand)
        if not signs:
            return out[0]
        first = out[0]
        if first.__class__ is nodes.Signed and first.sign == "-":
            return nodes.Signed("-", nodes.Infix(tuple(signs), (first.body, *out[1:])))
        last = out[-1]
        if last.__class__ is nodes.Product and ends_in_nabla(out[-2]) and any(map(_is_differential, last.numerator)):
            parts = [part for part in last.numerator if not _is_differential(part)]  # ∇·E dV as (∇·E) dV
            divergence = nodes.Infix(tuple(signs), (*out[:-1], times(parts)))
            return times([divergence, *filter(_is_differential, last.numerator)], last.denominator)
        if signs == ["·"] and not ends_in_nabla(first) and last.__class__ is nodes.Product and is_vector(last.numerator[0]) and not any(map(is_vector, last.numerator[1:])):  # fmt: skip
            scaled = nodes.Infix(("·",), (first, last.numerator[0]))  # E·n dA as (E·n) dA
            return times([scaled, *last.numerator[1:]], last.denominator)
        return nodes.Infix(tuple(signs), tuple(out))

    def visit_Relation(self, node: nodes.Relation[RawNode]) -> NormalNode:
        if len(node.signs) == 1 and node.signs[0] in APPROACHING:
            node = one_sided(node, letters=False)
        sides = tuple([self.visit_side(side) for side in node.sides])
        last = sides[-1]
        if node.signs[0] == "=":
            if nodes.Fenced in (sides[0].__class__, last.__class__):
                sides = with_components(sides)
        elif node.signs[0] in CONVERGENCE and len(sides) == 2 and "n" in leaves(sides[0]):
            return nodes.Relation((CONVERGENCE[node.signs[0]],), sides)
        if last.__class__ is nodes.Infix and last.signs == ("mod",) and node.signs[-1] == "≡":
            sides = (*sides[:-1], times([last.operands[0], nodes.Modulo(last.operands[1])]))
        return _split_by_strength(node.signs, sides) if len(node.signs) > 1 else nodes.Relation(node.signs, sides)

    def visit_children(self, node: RawNode) -> NormalNode:
        return map_children(node, self.visit)

    visit_Stacked = visit_Factorial = visit_Modulo = visit_Prescripts = visit_children
    visit_Primed = visit_Big = visit_CommaList = visit_children

    def visit_Accented(self, node: nodes.Accented[RawNode]) -> NormalNode:
        body = self.visit(node.body)
        if isinstance(body, nodes.Scripts) and body.base.__class__ is str and body.high == EMPTY:
            return nodes.Scripts(nodes.Accented(node.name, body.base), body.low, EMPTY)  # the mean of x_i
        return nodes.Accented(node.name, body)

    def visit_Scripts(self, node: nodes.Scripts[RawNode]) -> NormalNode:
        low, high = node.low, node.high
        if low == EMPTY == high:  # x^{}
            return self.visit(node.base)
        if isinstance(low, nodes.Relation) and isinstance(high, nodes.Relation) and low.sides[0] == high.sides[0]:
            high = high.sides[-1]  # ∑ from k = 1 to k = n
            if node.base not in _SERIES:
                low = low.sides[-1]  # ∫ from x = a to x = b
        if high == EMPTY and isinstance(low, nodes.Relation) and node.base in _SERIES and _begins_series(low):
            low, high = nodes.Relation(("=",), low.sides), "~∞"  # ∑ over n ≥ 1
        if node.base == "%lim" and isinstance(low, nodes.Relation):
            if name := directed(low):  # an arrow below lim, and the index behind it
                return self.visit_Scripts(nodes.Scripts(name, low.sides[1], high))
            low = one_sided(low, letters=True)
        if low == "bb.R" and node.base == nodes.Big("∫"):
            low, high = nodes.Signed("-", "~∞"), "~∞"
        of_factorial = high.__class__ is nodes.Accented or node.base.__class__ is nodes.Fenced
        if of_factorial and (factorial := factorial_of(node)) != EMPTY:
            return self.visit(factorial)
        # e^{ikx}, 2^{nk}
        power = low == EMPTY and node.base.__class__ is str and (node.base == "e" or node.base[:1] == "#")
        raw = node.base
        if raw.__class__ is nodes.Fenced and raw.opening == "[" and low != EMPTY != high:
            raw = nodes.Fenced("", "|", raw.body)  # [F(x)]_a^b
        base = self.visit_factor(raw) if _only_groups(raw) else self.visit(raw)
        if base.__class__ is nodes.Fenced and not base.opening and base.body.__class__ is nodes.Derivative:
            base = base.body  # (∂S/∂T)_V
        below = low if low.__class__ is str else self.visit_script(low)
        if below == EMPTY and node.base.__class__ in _INDEXED and base.__class__ is nodes.Scripts:
            base, below = base.base, base.low  # type: ignore[union-attr]
        above = (
            "T"
            if high in _TRANSPOSED
            else high
            if high.__class__ is str
            else self.visit(high)
            if power
            else self.visit_script(high)
        )
        if base.__class__ is nodes.Applied and below == EMPTY and _is_power(above) and str(base.head)[1:] in FUNCTIONS:
            return nodes.Applied(nodes.Scripts(base.head, EMPTY, above), base.body)  # (sin x)²
        found = nodes.Scripts(base, below, above)
        return times([found]) if above.__class__ is nodes.Signed and str(above.body).isalpha() else found

    def visit_script(self, node: RawNode) -> NormalNode:
        """Normalise a script: letters side by side are indices or a label, whose order and parentheses matter."""
        if node.__class__ is nodes.Factors and all([part.__class__ is str for part in node.factors]):
            return nodes.Letters(tuple(map(str, node.factors)))
        if node.__class__ is nodes.Fenced:
            while node.body.__class__ is nodes.Fenced:
                node = node.body
            if node.body.__class__ is nodes.Fraction:
                return self.visit(node)
            return nodes.Fenced(node.opening, node.closing, self.visit(node.body))
        return self.visit(node)

    def visit_Matrix(self, node: nodes.Matrix[RawNode]) -> NormalNode:
        return nodes.Matrix(
            _MATRICES.get(node.environment, node.environment),
            tuple([tuple([self.visit(cell) for cell in row]) for row in node.rows]),
        )

    def visit_FencedCall(self, node: nodes.FencedCall[RawNode]) -> NormalNode:
        raw, fence = node.function, node.arguments
        if raw.__class__ is nodes.Scripts and raw.base.__class__ is nodes.Primed:
            return self.visit_Scripts(nodes.Scripts(nodes.FencedCall(raw.base, fence), EMPTY, raw.high))  # f'^2(x)
        function = self.visit(raw)
        if fence.__class__ is not nodes.Fenced:
            return nodes.FunctionCall(function, "()", self.visit(fence))
        body = self.visit(fence.body)
        name = head_of(function)
        if (
            name[:1] == "%"
            and name[1:] in FUNCTIONS
            and body != EMPTY
            and not isinstance(body, (nodes.CommaList, nodes.Relation))
        ):
            return nodes.Applied(function, body)
        if name == "%GF":
            return nodes.Scripts("bb.F", body, EMPTY)
        if name == "%Sp" and is_operator_product(body):
            return nodes.Applied("%tr", body)  # Spur, not a symplectic group
        around = fence.opening + fence.closing
        if (around == "[]" and body.__class__ is not nodes.CommaList) or (around == "{}" and takes_braces(name, body)):
            around = "()"  # E[X], P{A}, max{a, b}
        return nodes.FunctionCall(function, around, body)

    def visit_Applied(self, node: nodes.Applied[RawNode]) -> NormalNode:
        head = self.visit(node.head)
        visit = self.visit_without_parentheses if head.__class__ is str else self.visit_factor
        return nodes.Applied(head, visit(node.body))

    def visit_Parts(self, node: nodes.Parts[RawNode]) -> NormalNode:
        if len(node.pairs) == 1 and (
            node.pairs[0][0] == "\\quad" or (node.pairs[0][0][:1] == '"' and node.pairs[0][1] != EMPTY)
        ):
            return self.visit(node.pairs[0][1])  # also "if x > 0" in a cell
        return nodes.Parts(tuple([(sep if sep[:1] != '"' else ",", self.visit(part)) for sep, part in node.pairs]))

    def visit_Root(self, node: nodes.SquareRoot[RawNode] | nodes.Root[RawNode]) -> NormalNode:
        body = self.visit(node.body)
        return nodes.Scripts(
            body, EMPTY, times(["#1"], [self.visit(node.degree) if node.__class__ is nodes.Root else "#2"])
        )

    visit_SquareRoot = visit_Root


def _only_groups(node: RawNode) -> bool:
    """Tell whether brackets only group what a power is of: [AB]² may be of a concentration."""
    if node.__class__ is not nodes.Fenced:
        return False
    body = node.body
    return isinstance(body, (nodes.Signed, *_GROUPED)) or (
        body.__class__ is nodes.Factors and not all([factor.__class__ is str for factor in body.factors])
    )


def _begins_series(low: nodes.Relation[RawNode]) -> bool:
    first = low.sides[-1]
    return low.signs == ("≥",) and low.sides[0].__class__ is str and first.__class__ is str and first[:1] == "#"


def _is_power(script: NormalNode) -> bool:
    return script.__class__ is str and script[:1] == "#"


def _split_by_strength(signs: tuple[str, ...], sides: tuple[NormalNode, ...]) -> NormalNode:
    """Split at implications first: a = b ⇒ c = d relates two equations."""
    if not signs:
        return sides[0]
    logical = next((sign for sign in _LOGICAL if sign in signs), "")
    if not logical or len(set(signs)) == 1:
        return nodes.Relation(signs, sides)
    ends = [index for index, sign in enumerate((*signs, logical)) if sign == logical]
    starts = [0, *(end + 1 for end in ends)]
    pieces = [
        _split_by_strength(signs[start:end], sides[start : end + 1]) for start, end in zip(starts, ends, strict=False)
    ]
    return nodes.Relation((logical,) * (len(pieces) - 1), tuple(pieces))


def _integral_of(term: NormalNode) -> NormalNode | None:
    """Return the sign of a sum or an integral with its bounds, where a term is one, alone or with what it governs."""
    head = term.head if term.__class__ is nodes.Applied else term
    sign = head.base if head.__class__ is nodes.Scripts else head
    return head if sign.__class__ is nodes.Big else None


def _with_integrands(terms: Sequence[NormalNode]) -> list[NormalNode]:
    """Return the terms of a sum with those under an integral that are of it: ∫ P dx + Q dy, ∫ -f dx."""
    out: list[NormalNode] = []
    for term in terms:
        before = out[-1] if out else EMPTY
        head = _integral_of(before)
        if head is not None and before == head:
            out[-1] = nodes.Applied(head, term)
        elif (
            head is not None
            and before.__class__ is nodes.Applied
            and _has_differential(term)
            and any(map(_has_differential, terms_of(before.body)))
        ):
            out[-1] = nodes.Applied(head, plus([before.body, term]))
        else:
            out.append(term)
    return out


def _with_open_operators(factors: Sequence[NormalNode]) -> list[NormalNode]:
    """Return factors with v·∇ in parentheses as two of them, (v·∇)v; of a vector it is one, **v**·∇**v**, with what follows."""
    out: list[NormalNode] = []
    for factor in factors:
        before = out[-1] if out else EMPTY
        if before.__class__ is nodes.Infix and before.signs == ("·",) and before.operands[1] == "∇":
            out[-1] = nodes.Infix(("·",), (before.operands[0], nodes.Applied("∇", factor)))
        else:
            out += factor.numerator if factor.__class__ is nodes.Product and ends_in_nabla(factor) else [factor]
    return out


def _has_differential(node: NormalNode) -> bool:
    """Tell whether a term has a differential that is under no integral of its own."""
    term = node.body if node.__class__ is nodes.Signed else node
    return any(map(_is_differential, term.numerator if term.__class__ is nodes.Product else (term,)))


def _is_differential(node: NormalNode) -> bool:
    return node.__class__ is nodes.Differential


def _upright_word(leaf: str) -> str:
    r"""Make one word of text an upright symbol: \text{Re} is \mathrm{Re}, \text{const.} is \mathrm{const}."""
    word = leaf[1:].strip().removesuffix(".")
    if not word.isalpha():
        return leaf
    return word if len(word) == 1 else "%" + word


def _has_sure_differentials(tokens: Sequence[str]) -> bool:
    """Tell whether there is an integral, or an upright d: \\mathrm{d}, \\mathrm d, {\\rm d}."""
    if not _INTEGRALS.isdisjoint(tokens):
        return True
    return any(
        (token == "d" and before in _UPRIGHT) or (token[-3:] == "{d}" and token.replace(" ", "") in _UPRIGHT_D)
        for before, token in pairwise(("", *tokens))
    )


def _is_number(node: NormalNode, at: int) -> bool:
    """Tell whether the end of a node that is next to the sign is a number or a word."""
    if node.__class__ is str:
        return node[:1] in ("#", '"') or (node[:1] == "%" and len(node) > 3)
    if node.__class__ is nodes.Scripts:
        return _is_number(node.base, at)
    if node.__class__ is nodes.Product:
        return not node.denominator and _is_number(node.numerator[at], at)
    return False


_INDEXED = (nodes.Accented, nodes.FencedCall)  # of x̄_i and GF(q), which has its index below
_SERIES = (nodes.Big("∑"), nodes.Big("∏"))
_TRANSPOSED = frozenset(["~⊤", "~⊺", "sf.T", '"T'])
_CALLIGRAPHIC = frozenset(["\\mathcal", "\\mathscr", "\\cal", "\\mathbfcal"])
_INTEGRALS = frozenset(r"∫ \int \iint \iiint \oint \oiint \oiiint \idotsint".split())
_UPRIGHT = frozenset(["\\mathrm", "\\rm", "\\textrm", "\\text", "\\textup", "\\operatorname"])
_UPRIGHT_D = frozenset(command + "{d}" for command in _UPRIGHT)
_VISITORS = nodes.visitors_of(_Normaliser, _Normaliser.visit)
