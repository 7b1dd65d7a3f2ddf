"""The canonical string of a normal tree: commuting parts sorted, so equal strings are equal formulas."""

from collections.abc import Callable, Iterable

from bot.formula.normal.commuting import is_transposed, keeps_order
from bot.formula.tex import nodes
from bot.formula.tex.nodes import EMPTY, NormalNode, tag_of
from bot.formula.tex.symbols import COMMUTATIVE_INFIX, FLIPPED, SYMMETRIC
from bot.formula.tex.tree import children

_OPERATORS = frozenset(["∂", "∇"])
_UNFLIPPED = {small: big for big, small in FLIPPED.items()}


def render(node: NormalNode) -> str:
    """Return the canonical string of a normal tree."""
    if node.__class__ is str:
        return node
    return _RENDER[node.__class__](node)


def render_all(equations: list[NormalNode], conditions: list[NormalNode]) -> str:
    """Return the canonical string of all equations and conditions, whose order does not matter."""
    if len(equations) == 1 and not conditions:
        return render(equations[0])
    return ";".join(sorted(map(render, equations))) + "|" + ";".join(sorted(map(render, conditions)))


def _product(node: nodes.Product[NormalNode]) -> str:
    numerator = _render_factors(node.numerator)
    return f"({numerator}/{_render_factors(node.denominator)})" if node.denominator else f"({numerator})"


def _render_factors(factors: tuple[NormalNode, ...], inside: bool = False) -> str:
    """Sort commuting factors; vectors, matrices and operators keep their order among themselves. `inside` what is transposed as a whole all do."""
    strings: list[str] = []
    fixed: list[int] = []
    for factor in factors:
        if factor.__class__ is str:
            if factor[:2] == "b." or factor in _OPERATORS:
                fixed.append(len(strings))
            strings.append(factor)
        else:
            strings.append(_RENDER[factor.__class__](factor))
            if keeps_order(factor):
                fixed.append(len(strings) - 1)
    if len(strings) > 1:
        if fixed or inside:
            # with a transposed matrix about, all may be matrices
            if inside or any([is_transposed(factors[index]) for index in fixed]):
                fixed = [
                    index for index, factor in enumerate(factors) if factor.__class__ is not str or factor[:1] != "#"
                ]
            if len(fixed) > 1:
                fixed_positions = set(fixed)
                ordered = "⋅".join([strings[index] for index in fixed])
                strings = [text for index, text in enumerate(strings) if index not in fixed_positions]
                strings.append(ordered)
        strings.sort()
    return "·".join(strings)


def _sum(node: nodes.Sum[NormalNode]) -> str:
    terms = [term if term.__class__ is str else _RENDER[term.__class__](term) for term in node.terms]
    if not any([term.__class__ is nodes.Signed and term.sign in "⊕⊖" for term in node.terms]):
        terms.sort()
    return "[" + "+".join(terms) + "]"


def _infix(node: nodes.Infix[NormalNode]) -> str:
    operands = [render(operand) for operand in node.operands]
    if len(set(node.signs)) == 1 and node.signs[0] in COMMUTATIVE_INFIX:
        operands.sort()
    return f"{{{_chain(node.signs, operands)}}}"


def _relation(node: nodes.Relation[NormalNode]) -> str:
    signs = node.signs
    sides = [side if side.__class__ is str else _RENDER[side.__class__](side) for side in node.sides]
    if signs[0] in SYMMETRIC and (len(signs) == 1 or len(set(signs)) == 1):
        sides.sort()
        return f"<{signs[0].join(sides)}>"
    if EMPTY not in sides and all([sign in SYMMETRIC or sign in FLIPPED or sign in _UNFLIPPED for sign in signs]):
        backward = [sign if sign in SYMMETRIC else FLIPPED.get(sign) or _UNFLIPPED[sign] for sign in reversed(signs)]
        return f"<{min(_chain(signs, sides), _chain(backward, sides[::-1]))}>"
    return f"<{_chain(signs, sides)}>"


def _chain(signs: Iterable[str], parts: list[str]) -> str:
    return parts[0] + "".join([sign + part for sign, part in zip(signs, parts[1:], strict=True)])


def _scripts(node: nodes.Scripts[NormalNode]) -> str:
    base, low, high = node.base, node.low, node.high
    written = base if base.__class__ is str else _base(base)  # render is not called for the strings that most parts are
    superscript = high if high.__class__ is str else _RENDER[high.__class__](high)
    if base.__class__ is nodes.Product and not base.denominator and is_transposed(node):
        written = f"({_render_factors(base.numerator, inside=True)})"
    return f"{written}_{render(low)}^{superscript};" if low != EMPTY else f"{written}^{superscript};"


def _base(node: NormalNode) -> str:
    """Render a base, in parentheses if a mark after it would seem to belong to its last part: f(x)² is not f(x²), nor (−x)² the same as −x²."""
    return f"({render(node)})" if node.__class__ in (nodes.FunctionCall, nodes.Signed) else render(node)


def _derivative(node: nodes.Derivative[NormalNode]) -> str:
    variables = sorted([f"{render(variable)}{order}" for variable, order in node.variables])
    return f"D{node.style}({','.join(variables)}|{render(node.body)})"


def _generic(node: NormalNode) -> str:
    return f"{tag_of(node)}({'|'.join([render(part) for part in children(node)])})"


def _signed(node: nodes.Signed[NormalNode]) -> str:
    return node.sign + render(node.body) if node.sign in "-±∓" else _generic(node)


def _matrix(node: nodes.Matrix[NormalNode]) -> str:
    rows = ["&".join([render(cell) for cell in row]) for row in node.rows]
    return f"mat{node.environment}(" + "\\\\".join(rows) + ")"


_RENDER: dict[type, Callable[..., str]] = {
    nodes.Product: _product,
    nodes.Sum: _sum,
    nodes.Infix: _infix,
    nodes.Relation: _relation,
    nodes.Scripts: _scripts,
    nodes.Derivative: _derivative,
    nodes.Signed: _signed,
    nodes.Matrix: _matrix,
    nodes.Letters: lambda node: "‹" + " ".join(node.letters) + "›",
    nodes.Accented: lambda node: f"{node.name}({render(node.body)})",
    nodes.Primed: lambda node: f"{_base(node.base)}{'′' * node.number}",
    nodes.CommaList: lambda node: "(," + ",".join([render(part) for part in node.parts]) + ")",
    nodes.Fenced: lambda node: f"{node.opening}({render(node.body)}){node.closing}",
    nodes.FunctionCall: lambda node: f"{render(node.function)}@{node.around}{render(node.arguments)}",
    nodes.Applied: lambda node: f"{render(node.head)}@({render(node.body)})",
    nodes.Differential: lambda node: f"d{node.order}({render(node.variable)})",
    nodes.Parts: lambda node: "{" + ";".join([render(part) for _, part in node.pairs]) + "}",
    nodes.Big: lambda node: f"big({node.sign})",
    **dict.fromkeys((nodes.Stacked, nodes.Factorial, nodes.Modulo, nodes.Prescripts), _generic),
}
