"""Content MathML to presentation MathML of the same meaning (MathML 3, chapter 4).

A formula with an element that has no presentation here is not read at all: half of a formula is another one.
"""

import re
import unicodedata
from collections.abc import Callable, Sequence
from copy import copy
from typing import NamedTuple, TypeVar

from lxml import etree

from bot.corpus.xml_parsing import Element, element_name, one_line_text

T = TypeVar("T")
RELATION, SUM, PRODUCT, POWER, ATOM = range(5)  # how strongly the parts of a presentation bind

_RELATIONS = {
    "eq": "=", "neq": "≠", "lt": "<", "gt": ">", "leq": "≤", "geq": "≥", "equivalent": "≡", "approx": "≈", "in": "∈", "notin": "∉",
    "subset": "⊆", "prsubset": "⊂", "tendsto": "→", "implies": "⇒", "factorof": "∣", "distributedin": "∼",
}  # fmt: skip
_INFIX_SIGNS = {
    "plus": ("+", SUM), "union": ("∪", SUM), "intersect": ("∩", PRODUCT), "and": ("∧", SUM), "or": ("∨", SUM), "xor": ("⊕", SUM),
    "setdiff": ("∖", SUM), "cartesianproduct": ("×", PRODUCT), "vectorproduct": ("×", PRODUCT), "scalarproduct": ("⋅", PRODUCT),
    "outerproduct": ("⊗", PRODUCT), "convolve": ("∗", PRODUCT),
}  # fmt: skip
_CHAINED = frozenset(["eq", "approx", "lt", "leq", "gt", "geq"])
_NOT_ASSOCIATIVE = frozenset(["setdiff", "vectorproduct", "implies"])
_PREFIX_SIGNS = {"divergence": ("∇", "⋅"), "curl": ("∇", "×"), "grad": ("∇",), "not": ("¬",)}
_SUPERSCRIPT_SIGNS = {"transpose": "T", "adjoint": "†", "complement": "c"}
_ACCENTS_ABOVE = {"mean": "¯", "conjugate": "¯", "estimate": "^"}
_FENCES = {"abs": "||", "norm": "‖‖", "floor": "⌊⌋", "ceiling": "⌈⌉", "card": "||"}
_BIG_OPERATORS = {"sum": "∑", "product": "∏", "int": "∫", "surfaceintegral": "∬"}
_NAMED_FUNCTIONS = {"real": "Re", "imaginary": "Im", "variance": "Var", "expectedvalue": "E", "probability": "Pr", "determinant": "det", "normaldistribution": "N"}  # fmt: skip
_FUNCTIONS = frozenset(
    [f"{arc}{each}{h}" for arc in ("", "arc") for each in ("sin", "cos", "tan", "sec", "csc", "cot") for h in ("", "h")]
    + ["ln", "log", "arg", "max", "min", "gcd", "argmax", "argmin"]
)
_OVER_DOMAINS = frozenset(["max", "min", "argmax", "argmin"])
_CONSTANTS = {
    "pi": "π", "imaginaryi": "i", "exponentiale": "e", "infinity": "∞", "eulergamma": "γ", "reals": "ℝ", "integers": "ℤ", "complexes": "ℂ",
    "naturalnumbers": "ℕ", "rationals": "ℚ", "primes": "ℙ", "emptyset": "∅",
}  # fmt: skip
CONTENT_TAGS = frozenset(
    ["apply", "reln", "ci", "cn", "csymbol", "piecewise", "vector", "matrix", "set", "list", "interval", *_CONSTANTS]
)
_EXPRESSIONS = frozenset(["ci", "cn", "csymbol", "apply", "set", "interval", "vector", "matrix", "piecewise"])
_QUALIFIERS = ("bvar", "lowlimit", "uplimit", "condition", "domainofapplication", "degree", "logbase", "interval")
_DOMAINS = ("domainofapplication", "condition", "bvar")
# The qualifiers that the presentation of an operator shows.
_SHOWN = {
    **dict.fromkeys(["ci", "csymbol", *_NAMED_FUNCTIONS], ("bvar", "condition")), **dict.fromkeys(_EXPRESSIONS - {"ci", "csymbol"}, ("condition",)),
    **dict.fromkeys(_OVER_DOMAINS, _DOMAINS), "log": ("logbase",), "root": ("degree",), "norm": ("domainofapplication",),
}  # fmt: skip


class NoPresentation(Exception):
    """An element has no presentation here."""


class _Presentation(NamedTuple):
    element: Element
    level: int


def to_presentation(content: Element) -> Element:
    """Return the presentation of an element of CONTENT_TAGS. Raises NoPresentation where a part has none."""
    return _presentation(content).element


def _presentation(element: Element) -> _Presentation:
    tag = element_name(element)
    if tag in ("apply", "reln"):  # relations had an element of their own in MathML 1
        return _application(element)
    if tag in ("ci", "csymbol"):
        return _symbol(element)
    if tag == "cn":
        return _number(element)
    if tag in _CONSTANTS:
        return _Presentation(_token("mi", _CONSTANTS[tag]), ATOM)
    if tag in ("vector", "matrix", "piecewise"):
        return _table(tag, _children(element))
    if tag in ("set", "list", "interval"):
        return _bracketed_list(tag, element)
    if tag.startswith("m") and tag != "matrixrow":
        return _Presentation(copy(element), SUM if tag in ("mrow", "math") and len(element) > 1 else ATOM)
    raise NoPresentation


def _application(element: Element) -> _Presentation:
    if not (children := _children(element)):
        raise NoPresentation
    head, *rest = children
    qualifiers = {element_name(part): part for part in rest if element_name(part) in _QUALIFIERS}
    parts = [
        part
        for part in rest
        if element_name(part) not in _QUALIFIERS
        or (element_name(part) == "interval" and element_name(head) not in _BIG_OPERATORS)
    ]
    tag = element_name(head)
    if tag == "csymbol" and not one_line_text(head):
        tag = re.split("[#/]", str(head.get("definitionURL", "")))[-1]
    if tag in ("ci", "csymbol") and parts and _is_sign(one_line_text(head)):
        tag = "mo"
    if tag == "forall":
        bound = _qualifier(qualifiers, "condition" if "condition" in qualifiers else "bvar")
        if bound is None:
            raise NoPresentation
        return _Presentation(_row(_sign("∀"), bound, _sign(":"), _presentation(_only(parts)).element), RELATION)
    if tag in _BIG_OPERATORS or tag == "limit":
        return _big_operator(tag, qualifiers, parts)
    if tag == "evaluateat":
        return _evaluated(qualifiers, [part for part in parts if element_name(part) != "interval"])
    if tag == "diff" and "bvar" not in qualifiers:
        return _primed(_only(parts))
    if tag in ("diff", "partialdiff"):
        return _derivative("d" if tag == "diff" else "∂", rest)
    if qualifiers.keys() - {element_name(part) for part in parts} - set(_SHOWN.get(tag, ())):
        raise NoPresentation
    bound, given = _qualifier(qualifiers, "bvar"), _qualifier(qualifiers, "condition")
    if tag in _EXPRESSIONS or (tag != "mo" and tag.startswith("m") and len(head)):
        return _function_call(_presentation(head), parts, bound, given)
    operands = [
        _Presentation(_between("(", found.element, ")"), ATOM) if _needs_fences(tag, part) else found
        for part, found in ((part, _presentation(part)) for part in parts)
    ]
    if not operands:
        if tag in _RELATIONS:  # the sign alone
            return _Presentation(_sign(_RELATIONS[tag]), ATOM)
        raise NoPresentation
    alone = len(operands) == 1
    if tag == "mo":  # a sign that has no name
        joined = _joined_by_sign(one_line_text(head), operands, PRODUCT, before=alone)
        return _Presentation(joined, PRODUCT if alone else SUM)
    if tag in _RELATIONS:
        level = RELATION if tag == "implies" else SUM
        if tag in _CHAINED and _operator(parts[0]) in _CHAINED:  # (a < b) < c is meant as a chain
            operands[0] = operands[0]._replace(level=level)
        return _Presentation(_joined_by_sign(_RELATIONS[tag], operands, level, before=alone), RELATION)
    if tag in _INFIX_SIGNS:
        sign, level = _INFIX_SIGNS[tag]
        return operands[0] if alone else _Presentation(_joined_by_sign(sign, operands, level), level)
    if tag in _PREFIX_SIGNS:
        return _Presentation(_row(*map(_sign, _PREFIX_SIGNS[tag]), _fenced_if_looser(operands[0], POWER)), PRODUCT)
    if tag in _ACCENTS_ABOVE:
        return _Presentation(_new_element("mover", operands[0].element, _sign(_ACCENTS_ABOVE[tag])), ATOM)
    if tag in _SUPERSCRIPT_SIGNS:
        return _superscript(operands[0], _token("mi", _SUPERSCRIPT_SIGNS[tag]))
    if tag in _FENCES:
        (opening, closing), index = map(_sign, _FENCES[tag]), _qualifier(qualifiers, "domainofapplication")
        closing = closing if index is None else _new_element("msub", closing, index)
        return _Presentation(_row(opening, operands[0].element, closing), ATOM)
    if tag in _NAMED_FUNCTIONS:
        return _function_call(_Presentation(_token("mi", _NAMED_FUNCTIONS[tag]), ATOM), parts, bound, given)
    if tag in _FUNCTIONS:
        below = next((each for each in ("logbase", *_DOMAINS) if each in qualifiers), "")
        base = _qualifier(qualifiers, below)
        called = _token("mi", tag)
        if base is not None:
            called = _new_element("munder" if tag in _OVER_DOMAINS else "msub", called, base)
        return _function_call(_Presentation(called, ATOM), parts)
    if tag in _OPERATOR_BUILDERS:
        return _OPERATOR_BUILDERS[tag](operands, _qualifier(qualifiers, "degree"))
    raise NoPresentation


def _is_sign(text: str) -> bool:
    """Tell whether the name of a function is a sign that stands between its arguments, as × in `<ci><mo>×</mo></ci>`."""
    return len(text) == 1 and unicodedata.category(text) in ("Sm", "Po", "Pd") and text not in "!'′"


def _operator(part: Element) -> str:
    """Return the name of what is applied in a part, "" where nothing is."""
    return element_name(next(iter(_children(part)), None)) if element_name(part) in ("apply", "reln") else ""


def _needs_fences(tag: str, part: Element) -> bool:
    """Tell whether a part needs fences whatever its level: a × (b × c), a ∧ (b ∨ c)."""
    inner = _operator(part)
    if inner == tag:
        return tag in _NOT_ASSOCIATIVE
    return tag in _INFIX_SIGNS and tag != "plus" and inner in _INFIX_SIGNS


def _minus(operands: Sequence[_Presentation], _: Element | None) -> _Presentation:
    if len(operands) == 1:
        return _Presentation(_row(_sign("−"), _fenced_if_looser(operands[0], PRODUCT)), SUM)
    left, right = _two_operands(operands)
    return _Presentation(_row(_fenced_if_looser(left, SUM), _sign("−"), _fenced_if_looser(right, PRODUCT)), SUM)


def _times(operands: Sequence[_Presentation], _: Element | None) -> _Presentation:
    parts: list[Element] = []
    for n, one in enumerate(operands):
        if n and _begins_with_number(one.element):  # 2 · 3, not 23
            parts.append(_sign("⋅"))
        parts.append(_fenced_if_looser(one, PRODUCT))
    return _Presentation(_row(*parts), PRODUCT)


def _begins_with_number(element: Element) -> bool:
    first = element
    while len(first) and element_name(first) in ("mrow", "msup", "msub"):
        first = first[0]
    return element_name(first) == "mn"


def _division(operands: Sequence[_Presentation], _: Element | None) -> _Presentation:
    numerator, denominator = _two_operands(operands)
    return _Presentation(_new_element("mfrac", numerator.element, denominator.element), POWER)


def _power(operands: Sequence[_Presentation], _: Element | None) -> _Presentation:
    base, exponent = _two_operands(operands)
    return _superscript(base, exponent.element)


def _superscript(base: _Presentation, above: Element) -> _Presentation:
    return _Presentation(_new_element("msup", _fenced_if_looser(base, ATOM), above), POWER)


def _root(operands: Sequence[_Presentation], degree: Element | None) -> _Presentation:
    radicand = operands[0].element
    root = _new_element("msqrt", radicand) if degree is None else _new_element("mroot", radicand, degree)
    return _Presentation(root, ATOM)


def _exponential(operands: Sequence[_Presentation], _: Element | None) -> _Presentation:
    return _superscript(_Presentation(_token("mi", "e"), ATOM), operands[0].element)


def _inverse(operands: Sequence[_Presentation], _: Element | None) -> _Presentation:
    return _superscript(operands[0], _row(_sign("−"), _token("mn", "1")))


def _factorial(operands: Sequence[_Presentation], _: Element | None) -> _Presentation:
    return _Presentation(_row(_fenced_if_looser(operands[0], ATOM), _sign("!")), POWER)


def _selector(operands: Sequence[_Presentation], _: Element | None) -> _Presentation:
    base, *indices = operands
    if not indices:
        raise NoPresentation
    return _Presentation(_new_element("msub", _fenced_if_looser(base, ATOM), _joined_by_sign(",", indices, SUM)), ATOM)


def _binomial(operands: Sequence[_Presentation], _: Element | None) -> _Presentation:
    above, below = _two_operands(operands)
    pair = _new_element("mfrac", above.element, below.element)
    pair.set("linethickness", "0")
    return _Presentation(_between("(", pair, ")"), ATOM)


_OPERATOR_BUILDERS: dict[str, Callable[[Sequence[_Presentation], Element | None], _Presentation]] = {
    "minus": _minus, "times": _times, "divide": _division, "power": _power, "root": _root, "exp": _exponential, "inverse": _inverse,
    "factorial": _factorial, "selector": _selector, "combinat1.ocd": _binomial,
}  # fmt: skip


def _function_call(
    function: _Presentation, parts: Sequence[Element], bound: Element | None = None, given: Element | None = None
) -> _Presentation:
    """Return a function with its arguments in parentheses; the function alone without any.

    What is `bound` is the index of a density, p_X(x), and under what is `given` it is a conditional one, p(x|θ).
    """
    if bound is not None:
        function = _Presentation(_new_element("msub", _fenced_if_looser(function, ATOM), bound), ATOM)
    if not parts:
        return function
    arguments = _joined_by_sign(",", [_presentation(part) for part in parts], SUM)
    if given is not None:
        arguments = _row(arguments, _sign("|"), given)
    return _Presentation(_row(_fenced_if_looser(function, POWER), _sign("("), arguments, _sign(")")), ATOM)


def _big_operator(tag: str, qualifiers: dict[str, Element], parts: Sequence[Element]) -> _Presentation:
    """Return a sum, product, integral or limit with its qualifiers."""
    body = _presentation(_only(parts))
    bound = _qualifier(qualifiers, "bvar")
    low, high = _bounds(qualifiers)
    over = _qualifier(qualifiers, "condition")
    if over is None:
        over = _qualifier(qualifiers, "domainofapplication")
    if tag == "limit":
        if over is None and (bound is None or low is None):
            raise NoPresentation
        limit = _new_element("munder", _sign("lim"), over if over is not None else _row_with_sign(bound, "→", low))
        return _Presentation(_row(limit, _fenced_if_looser(body, PRODUCT)), SUM)
    sign = _sign(_BIG_OPERATORS[tag])
    if over is not None:
        low = over
    elif low is not None and bound is not None and tag != "int":
        low = _row_with_sign(bound, "=", low)
    elif low is None and tag != "int":
        low = bound
    whole = sign
    if low is not None:
        whole = _new_element("munder", sign, low) if high is None else _new_element("munderover", sign, low, high)
    differential = (_token("mi", "d"), bound) if tag == "int" and bound is not None else ()
    return _Presentation(_row(whole, _fenced_if_looser(body, PRODUCT), *differential), SUM)


def _bounds(qualifiers: dict[str, Element]) -> tuple[Element | None, Element | None]:
    """Return the lower and the upper bound of a variable."""
    if "interval" in qualifiers:
        low, high = _two_operands([_presentation(end) for end in _children(qualifiers["interval"])])
        return low.element, high.element
    return _qualifier(qualifiers, "lowlimit"), _qualifier(qualifiers, "uplimit")


def _evaluated(qualifiers: dict[str, Element], parts: Sequence[Element]) -> _Presentation:
    """Return an expression with a bar at whose foot is the value of its variable: f(x)|_{x=0}."""
    body = _presentation(_only(parts))
    bound = _qualifier(qualifiers, "bvar")
    low, high = _bounds(qualifiers)
    if "condition" in qualifiers:
        low = _qualifier(qualifiers, "condition")
        stated = any(_operator(part) in _RELATIONS for part in _children(qualifiers["condition"]))
        bound = None if stated else bound
    if low is None:
        raise NoPresentation
    foot = low if bound is None else _row_with_sign(bound, "=", low)
    bar = _sign("|")
    bar = _new_element("msub", bar, foot) if high is None else _new_element("msubsup", bar, foot, high)
    return _Presentation(_row(_fenced_if_looser(body, POWER), bar), PRODUCT)


def _primed(function: Element) -> _Presentation:
    """Return the derivative of a function whose variable is not named: x', f'(t)."""
    children = _children(function)
    if element_name(function) == "apply" and len(children) > 1 and element_name(children[0]) in ("ci", "csymbol"):
        return _function_call(_primed(children[0]), children[1:])
    return _superscript(_presentation(function), _sign("′"))


def _derivative(sign: str, parts: Sequence[Element]) -> _Presentation:
    """Return a derivative; each of its variables may have a degree."""
    bound = [part for part in parts if element_name(part) == "bvar"]
    body = _only([_presentation(part) for part in parts if element_name(part) not in _QUALIFIERS])
    denominator: list[Element] = []
    degrees: list[Element | None] = []
    for each in bound:
        children = _children(each)
        degree = _qualifier({element_name(part): part for part in children}, "degree")
        variable = next((part for part in children if element_name(part) != "degree"), None)
        if variable is None:
            raise NoPresentation
        shown = _presentation(variable).element
        denominator += (_sign(sign), shown if degree is None else _new_element("msup", shown, degree))
        degrees.append(degree)
    if len(bound) == 1:
        order = degrees[0]
    elif bound and not any(degree is not None for degree in degrees):
        order = _token("mn", str(len(bound)))
    else:
        raise NoPresentation
    numerator = _sign(sign) if order is None else _new_element("msup", _sign(sign), copy(order))
    above = _row(numerator, _fenced_if_looser(body, PRODUCT))
    return _Presentation(_new_element("mfrac", above, _row(*denominator)), ATOM)


def _symbol(element: Element) -> _Presentation:
    if children := _children(element):
        return _Presentation(_row(*map(copy, children)), ATOM if len(children) == 1 else SUM)
    if not (text := one_line_text(element)):
        raise NoPresentation
    token = _token("mi", text)
    if element.get("type") in ("vector", "matrix"):
        token.set("mathvariant", "bold")
    return _Presentation(token, ATOM)


def _number(element: Element) -> _Presentation:
    """Return a number; <sep/> separates its parts."""
    parts = [part.strip() for part in (element.text or "", *((each.tail or "") for each in element))]
    kind = element.get("type", "")
    if len(parts) == 1 and parts[0]:
        return _Presentation(_token("mn", parts[0]), SUM if parts[0][0] in "-−" else ATOM)
    if len(parts) != 2 or not all(parts):
        raise NoPresentation
    first, second = _token("mn", parts[0]), _token("mn", parts[1])
    if kind == "rational":
        return _Presentation(_new_element("mfrac", first, second), ATOM)
    if kind == "e-notation":
        return _Presentation(_row(first, _sign("×"), _new_element("msup", _token("mn", "10"), second)), PRODUCT)
    if kind == "complex-cartesian":
        return _Presentation(_row(first, _sign("+"), second, _token("mi", "i")), SUM)
    raise NoPresentation


def _table(tag: str, lines: Sequence[Element]) -> _Presentation:
    cells = [_children(line) if tag != "vector" else [line] for line in lines]
    if not all(cells):
        raise NoPresentation
    rows = [_new_element("mtr", *(_new_element("mtd", *_cell(part)) for part in row)) for row in cells]
    table = _new_element("mtable", *rows)
    return (
        _Presentation(_row(_sign("{"), table), SUM)
        if tag == "piecewise"
        else _Presentation(_between("(", table, ")"), ATOM)
    )


def _cell(part: Element) -> list[Element]:
    """Return what a cell of a table shows; a symbol without a name leaves it empty."""
    empty = element_name(part) in ("ci", "cn") and not len(part) and not one_line_text(part)
    return [] if empty else [_presentation(part).element]


def _bracketed_list(tag: str, element: Element) -> _Presentation:
    closure = element.get("closure", "closed") if tag == "interval" else ""
    opening = "{" if tag == "set" else "(" if closure in ("", "open", "open-closed") else "["
    closing = "}" if tag == "set" else ")" if closure in ("", "open", "closed-open") else "]"
    children = _children(element)
    bound = [part for part in children if element_name(part) == "bvar"]
    condition = next((part for part in children if element_name(part) == "condition"), None)
    members = [part for part in children if part is not condition and part not in bound]
    if condition is not None and not members:  # {x | x > 0}
        members = [part for each in bound for part in _children(each)]
    operands = [_presentation(part) for part in members]
    inside = [_joined_by_sign(",", operands, RELATION)] if operands else []
    if condition is not None:
        stated = _qualifier({"condition": condition}, "condition")
        inside += [*([_sign("|")] if inside else []), *([] if stated is None else [stated])]
    return _Presentation(_row(_sign(opening), *inside, _sign(closing)), ATOM)


def _qualifier(qualifiers: dict[str, Element], which: str) -> Element | None:
    """Return the presentation of a qualifier's content, None where there is none."""
    inside = _children(qualifiers[which]) if which in qualifiers else ()
    parts = [_presentation(part) for part in inside if element_name(part) != "degree"]
    return _joined_by_sign(",", parts, RELATION) if parts else None


def _row_with_sign(left: Element | None, sign: str, right: Element | None) -> Element:
    return _row(*(each for each in (left, _sign(sign), right) if each is not None))


def _joined_by_sign(sign: str, operands: Sequence[_Presentation], level: int, *, before: bool = False) -> Element:
    """Return presentations joined by a sign, or with it `before` each; looser parts than `level` get fences."""
    parts: list[Element] = []
    for one in operands:
        if parts or before:
            parts.append(_sign(sign))
        parts.append(_fenced_if_looser(one, level))
    return _row(*parts)


def _fenced_if_looser(operand: _Presentation, level: int) -> Element:
    """Return a presentation, in fences where its parts bind less strongly than `level`."""
    return operand.element if operand.level >= level else _between("(", operand.element, ")")


def _between(opening: str, inside: Element, closing: str) -> Element:
    return _row(_sign(opening), inside, _sign(closing))


def _only(parts: Sequence[T]) -> T:
    if len(parts) != 1:
        raise NoPresentation
    return parts[0]


def _two_operands(operands: Sequence[_Presentation]) -> tuple[_Presentation, _Presentation]:
    if len(operands) != 2:
        raise NoPresentation
    return operands[0], operands[1]


def _children(element: Element) -> list[Element]:
    return [part for part in element if isinstance(part.tag, str) and element_name(part) != "mphantom"]


def _row(*parts: Element) -> Element:
    return parts[0] if len(parts) == 1 else _new_element("mrow", *parts)


def _new_element(tag: str, *parts: Element) -> Element:
    element = etree.Element(tag)
    for part in parts:
        part.tail = None
        element.append(part)
    return element


def _sign(text: str) -> Element:
    return _token("mo", text)


def _token(tag: str, text: str) -> Element:
    element = etree.Element(tag)
    element.text = text
    return element
