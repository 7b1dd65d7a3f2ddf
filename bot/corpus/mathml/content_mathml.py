"""Content MathML, which says what is applied to what, as the presentation that means the same (MathML 3, chapter 4).

What has no presentation here is not read at all: half of a formula is another one.
"""

from collections.abc import Callable, Sequence
from copy import copy
from typing import NamedTuple

from lxml import etree

from bot.corpus.xml_parsing import Element, name, words

RELATION, SUM, PRODUCT, POWER, ATOM = range(5)  # how strongly the parts of what is shown hold together

_RELATIONS = {
    "eq": "=", "neq": "≠", "lt": "<", "gt": ">", "leq": "≤", "geq": "≥", "equivalent": "≡", "approx": "≈", "in": "∈", "notin": "∉",
    "subset": "⊆", "prsubset": "⊂", "tendsto": "→", "implies": "⇒", "factorof": "∣", "distributedin": "∼",
}  # fmt: skip
_BETWEEN = {
    "plus": ("+", SUM), "union": ("∪", SUM), "intersect": ("∩", PRODUCT), "and": ("∧", SUM), "or": ("∨", SUM), "xor": ("⊕", SUM),
    "setdiff": ("∖", SUM), "cartesianproduct": ("×", PRODUCT), "vectorproduct": ("×", PRODUCT), "scalarproduct": ("⋅", PRODUCT),
    "outerproduct": ("⊗", PRODUCT),
}  # fmt: skip
_NOT_ASSOCIATIVE = frozenset(["setdiff", "vectorproduct", "implies"])
_BEFORE = {"divergence": ("∇", "⋅"), "curl": ("∇", "×"), "grad": ("∇",), "not": ("¬",)}
_RAISED = {"transpose": "T", "adjoint": "†", "complement": "c"}
_OVER = {"mean": "¯", "conjugate": "¯", "estimate": "^"}
_FENCES = {"abs": "||", "norm": "‖‖", "floor": "⌊⌋", "ceiling": "⌈⌉", "card": "||"}
_BIG = {"sum": "∑", "product": "∏", "int": "∫", "surfaceintegral": "∬"}
_CALLED = {"real": "Re", "imaginary": "Im", "variance": "Var", "expectedvalue": "E", "probability": "Pr", "determinant": "det", "normaldistribution": "N"}  # fmt: skip
_FUNCTIONS = frozenset(
    [f"{arc}{each}{h}" for arc in ("", "arc") for each in ("sin", "cos", "tan", "sec", "csc", "cot") for h in ("", "h")]
    + ["ln", "log", "arg", "max", "min", "gcd", "argmax", "argmin"]
)
_CONSTANTS = {
    "pi": "π", "imaginaryi": "i", "exponentiale": "e", "infinity": "∞", "eulergamma": "γ", "reals": "ℝ", "integers": "ℤ", "complexes": "ℂ",
    "naturalnumbers": "ℕ", "rationals": "ℚ", "primes": "ℙ", "emptyset": "∅",
}  # fmt: skip
CONTENT = frozenset(
    ["apply", "ci", "cn", "csymbol", "piecewise", "vector", "matrix", "set", "list", "interval", *_CONSTANTS]
)
_QUALIFIERS = ("bvar", "lowlimit", "uplimit", "condition", "domainofapplication", "degree", "logbase", "interval")


class NotShown(Exception):
    """There is no presentation of it here."""


class _Shown(NamedTuple):
    element: Element
    level: int


def presented(content: Element) -> Element:
    """Return presentation elements for an element of CONTENT. Raises NotShown where it holds what has none here."""
    return _shown(content).element


def _shown(element: Element) -> _Shown:
    tag = name(element)
    if tag == "apply":
        return _applied(element)
    if tag in ("ci", "csymbol"):
        return _symbol(element)
    if tag == "cn":
        return _number(element)
    if tag in _CONSTANTS:
        return _Shown(_leaf("mi", _CONSTANTS[tag]), ATOM)
    if tag in ("vector", "matrix", "piecewise"):
        return _table(tag, _children(element))
    if tag in ("set", "list", "interval"):
        return _listed(tag, element)
    if tag.startswith("m") and tag != "matrixrow":
        return _Shown(copy(element), SUM if tag in ("mrow", "math") and len(element) > 1 else ATOM)
    raise NotShown


def _applied(element: Element) -> _Shown:
    if not (children := _children(element)):
        raise NotShown
    head, *rest = children
    given = {name(part): part for part in rest if name(part) in _QUALIFIERS}
    parts = [
        part for part in rest if name(part) not in _QUALIFIERS or (name(part) == "interval" and name(head) not in _BIG)
    ]
    tag = name(head)
    if tag == "csymbol" and not words(head):
        tag = str(head.get("definitionURL", "")).rpartition("#")[2]
    if tag in ("ci", "cn", "csymbol", "apply", "set", "interval", "vector", "matrix"):
        return _called(_shown(head), parts)
    if tag == "forall":
        return _for_all(_qualified(given, "condition" if "condition" in given else "bvar"), parts)
    if tag in _BIG or tag == "limit":
        return _big(tag, given, parts)
    if tag in ("diff", "partialdiff"):
        return _derivative("d" if tag == "diff" else "∂", rest)
    shown = [_Shown(_fenced(_shown(part)), ATOM) if _ambiguous(tag, part) else _shown(part) for part in parts]
    if not shown:
        raise NotShown
    if tag == "mo":  # a sign that has no name
        return _Shown(_between(words(head), shown, PRODUCT, before=len(shown) == 1), SUM if len(shown) > 1 else PRODUCT)
    if tag in _RELATIONS:
        level = RELATION if tag == "implies" else SUM
        return _Shown(_between(_RELATIONS[tag], shown, level, before=len(shown) == 1), RELATION)
    if tag in _BETWEEN:
        sign, level = _BETWEEN[tag]
        return _Shown(_between(sign, shown, level), level) if len(shown) > 1 else shown[0]
    if tag in _BEFORE:
        return _Shown(_row(*(_leaf("mo", sign) for sign in _BEFORE[tag]), _held(shown[0], POWER)), PRODUCT)
    if tag in _OVER:
        return _Shown(_made("mover", shown[0].element, _leaf("mo", _OVER[tag])), ATOM)
    if tag in _RAISED:
        return _Shown(_made("msup", _held(shown[0], ATOM), _leaf("mi", _RAISED[tag])), POWER)
    if tag in _FENCES:
        opening, closing = _FENCES[tag][0], _FENCES[tag][1]
        return _Shown(_row(_leaf("mo", opening), shown[0].element, _leaf("mo", closing)), ATOM)
    if tag in _CALLED:
        return _called(_Shown(_leaf("mi", _CALLED[tag]), ATOM), parts)
    if tag in _FUNCTIONS:
        base = _qualified(given, "logbase")
        called = _leaf("mi", tag)
        return _called(_Shown(_made("msub", called, base) if base is not None else called, ATOM), parts)
    if tag in _MAKERS:
        return _MAKERS[tag](shown, _qualified(given, "degree"))
    raise NotShown


def _ambiguous(tag: str, part: Element) -> bool:
    """Tell a part that needs fences whatever its level: a × (b × c), a ∧ (b ∨ c)."""
    head = next(iter(_children(part)), None) if name(part) == "apply" else None
    inner = "" if head is None else name(head)
    if inner == tag:
        return tag in _NOT_ASSOCIATIVE
    return tag in _BETWEEN and tag != "plus" and inner in _BETWEEN


def _minus(shown: Sequence[_Shown], _: Element | None) -> _Shown:
    if len(shown) == 1:
        return _Shown(_row(_leaf("mo", "−"), _held(shown[0], PRODUCT)), SUM)
    left, right = _two(shown)
    return _Shown(_row(_held(left, SUM), _leaf("mo", "−"), _held(right, PRODUCT)), SUM)


def _times(shown: Sequence[_Shown], _: Element | None) -> _Shown:
    parts: list[Element] = []
    for n, one in enumerate(shown):
        if n and _begins_with_number(one.element):  # 2 · 3, not 23
            parts.append(_leaf("mo", "⋅"))
        parts.append(_held(one, PRODUCT))
    return _Shown(_row(*parts), PRODUCT)


def _begins_with_number(element: Element) -> bool:
    first = element
    while len(first) and name(first) in ("mrow", "msup", "msub"):
        first = first[0]
    return name(first) == "mn"


def _divided(shown: Sequence[_Shown], _: Element | None) -> _Shown:
    above, below = _two(shown)
    return _Shown(_made("mfrac", above.element, below.element), POWER)


def _power(shown: Sequence[_Shown], _: Element | None) -> _Shown:
    base, exponent = _two(shown)
    return _Shown(_made("msup", _held(base, ATOM), exponent.element), POWER)


def _root(shown: Sequence[_Shown], degree: Element | None) -> _Shown:
    made = _made("msqrt", shown[0].element) if degree is None else _made("mroot", shown[0].element, degree)
    return _Shown(made, ATOM)


def _exponential(shown: Sequence[_Shown], _: Element | None) -> _Shown:
    return _Shown(_made("msup", _leaf("mi", "e"), shown[0].element), POWER)


def _inverse(shown: Sequence[_Shown], _: Element | None) -> _Shown:
    return _Shown(_made("msup", _held(shown[0], ATOM), _row(_leaf("mo", "−"), _leaf("mn", "1"))), POWER)


def _factorial(shown: Sequence[_Shown], _: Element | None) -> _Shown:
    return _Shown(_row(_held(shown[0], ATOM), _leaf("mo", "!")), POWER)


def _selected(shown: Sequence[_Shown], _: Element | None) -> _Shown:
    base, *indices = shown
    if not indices:
        raise NotShown
    return _Shown(_made("msub", _held(base, ATOM), _between(",", indices, SUM)), ATOM)


_MAKERS: dict[str, Callable[[Sequence[_Shown], Element | None], _Shown]] = {
    "minus": _minus, "times": _times, "divide": _divided, "power": _power, "root": _root, "exp": _exponential, "inverse": _inverse,
    "factorial": _factorial, "selector": _selected,
}  # fmt: skip


def _called(function: _Shown, parts: Sequence[Element]) -> _Shown:
    """Show a function with its arguments, a symbol alone without any."""
    if not parts:
        return function
    arguments = _between(",", [_shown(part) for part in parts], SUM)
    return _Shown(_row(_held(function, POWER), _leaf("mo", "("), arguments, _leaf("mo", ")")), ATOM)


def _big(tag: str, given: dict[str, Element], parts: Sequence[Element]) -> _Shown:
    """Show a sum, product, integral or limit over what its qualifiers say."""
    if len(parts) != 1:
        raise NotShown
    body = _shown(parts[0])
    bound = _qualified(given, "bvar")
    low, high = _qualified(given, "lowlimit"), _qualified(given, "uplimit")
    if "interval" in given:
        low, high = (one.element for one in _two([_shown(end) for end in _children(given["interval"])]))
    over = _qualified(given, "condition")
    if over is None:
        over = _qualified(given, "domainofapplication")
    if tag == "limit":
        if over is None and (bound is None or low is None):
            raise NotShown
        under = over if over is not None else _joined(bound, "→", low)
        return _Shown(_row(_made("munder", _leaf("mo", "lim"), under), _held(body, PRODUCT)), SUM)
    sign = _leaf("mo", _BIG[tag])
    if over is not None:
        low = over
    elif low is not None and bound is not None and tag != "int":
        low = _joined(bound, "=", low)
    elif low is None and tag != "int":
        low = bound
    whole = (
        sign if low is None else _made("munder", sign, low) if high is None else _made("munderover", sign, low, high)
    )
    if tag != "int":
        return _Shown(_row(whole, _held(body, PRODUCT)), SUM)
    return _Shown(_row(whole, _held(body, PRODUCT), *((_leaf("mi", "d"), bound) if bound is not None else ())), SUM)


def _for_all(bound: Element | None, parts: Sequence[Element]) -> _Shown:
    if bound is None or len(parts) != 1:
        raise NotShown
    return _Shown(_row(_leaf("mo", "∀"), bound, _leaf("mo", ":"), _shown(parts[0]).element), RELATION)


def _derivative(sign: str, parts: Sequence[Element]) -> _Shown:
    """Show a derivative; each of its variables may have a degree."""
    bound = [part for part in parts if name(part) == "bvar"]
    body = [_shown(part) for part in parts if name(part) not in _QUALIFIERS]
    if len(body) != 1 or not bound:
        raise NotShown
    below: list[Element] = []
    degrees: list[Element | None] = []
    for each in bound:
        inner = {name(part): part for part in _children(each)}
        variable = next((part for part in _children(each) if name(part) != "degree"), None)
        degree = _qualified(inner, "degree")
        if variable is None:
            raise NotShown
        shown = _shown(variable).element
        below += [_leaf("mo", sign), shown if degree is None else _made("msup", shown, degree)]
        degrees.append(degree)
    if len(bound) == 1:
        order = degrees[0]
    elif all(degree is None for degree in degrees):
        order = _leaf("mn", str(len(bound)))
    else:
        raise NotShown
    above = _leaf("mo", sign) if order is None else _made("msup", _leaf("mo", sign), copy(order))
    return _Shown(_made("mfrac", _row(above, _held(body[0], PRODUCT)), _row(*below)), ATOM)


def _symbol(element: Element) -> _Shown:
    children = _children(element)
    if children:
        return _Shown(_row(*map(copy, children)), ATOM if len(children) == 1 else SUM)
    if not (text := words(element)):
        raise NotShown
    leaf = _leaf("mi", text)
    if element.get("type") in ("vector", "matrix"):
        leaf.set("mathvariant", "bold")
    return _Shown(leaf, ATOM)


def _number(element: Element) -> _Shown:
    """Show a number; its parts stand around <sep/>."""
    parts = [part.strip() for part in (element.text or "", *((each.tail or "") for each in element))]
    kind = element.get("type", "")
    if len(parts) == 1 and parts[0]:
        return _Shown(_leaf("mn", parts[0]), SUM if parts[0][0] in "-−" else ATOM)
    if len(parts) != 2 or not all(parts):
        raise NotShown
    first, second = _leaf("mn", parts[0]), _leaf("mn", parts[1])
    if kind == "rational":
        return _Shown(_made("mfrac", first, second), ATOM)
    if kind == "e-notation":
        return _Shown(_row(first, _leaf("mo", "×"), _made("msup", _leaf("mn", "10"), second)), PRODUCT)
    if kind == "complex-cartesian":
        return _Shown(_row(first, _leaf("mo", "+"), second, _leaf("mi", "i")), SUM)
    raise NotShown


def _table(tag: str, lines: Sequence[Element]) -> _Shown:
    cells = [[part for part in (_children(line) if tag != "vector" else [line])] for line in lines]
    if not all(cells):
        raise NotShown
    rows = [_made("mtr", *(_made("mtd", _shown(part).element) for part in row)) for row in cells]
    if tag != "piecewise":
        return _Shown(_row(_leaf("mo", "("), _made("mtable", *rows), _leaf("mo", ")")), ATOM)
    return _Shown(_row(_leaf("mo", "{"), _made("mtable", *rows)), SUM)


def _listed(tag: str, element: Element) -> _Shown:
    closure = element.get("closure", "closed") if tag == "interval" else ""
    opening = "{" if tag == "set" else "(" if closure in ("", "open", "open-closed") else "["
    closing = "}" if tag == "set" else ")" if closure in ("", "open", "closed-open") else "]"
    parts = [part for part in _children(element) if name(part) != "bvar"]
    condition = next((part for part in parts if name(part) == "condition"), None)
    shown = [_shown(part) for part in parts if part is not condition]
    inside = [_between(",", shown, RELATION)] if shown else []
    if condition is not None:
        said = _qualified({"condition": condition}, "condition")
        inside = [*inside, *([_leaf("mo", "|")] if inside else []), *([said] if said is not None else [])]
    return _Shown(_row(_leaf("mo", opening), *inside, _leaf("mo", closing)), ATOM)


def _qualified(given: dict[str, Element], which: str) -> Element | None:
    """Return what a qualifier holds, shown."""
    parts = [part for part in _children(given[which]) if name(part) != "degree"] if which in given else []
    return _between(",", [_shown(part) for part in parts], RELATION) if parts else None


def _joined(left: Element | None, sign: str, right: Element | None) -> Element:
    return _row(*(each for each in (left, _leaf("mo", sign), right) if each is not None))


def _between(sign: str, shown: Sequence[_Shown], level: int, *, before: bool = False) -> Element:
    """Return what is shown with a sign between, or `before` all of it, each part held together at this level."""
    parts: list[Element] = []
    for one in shown:
        if parts or before:
            parts.append(_leaf("mo", sign))
        parts.append(_held(one, level))
    return _row(*parts)


def _held(shown: _Shown, level: int) -> Element:
    """Return what is shown, in fences where its parts hold together less strongly than they must."""
    return shown.element if shown.level >= level else _fenced(shown)


def _fenced(shown: _Shown) -> Element:
    return _row(_leaf("mo", "("), shown.element, _leaf("mo", ")"))


def _two(shown: Sequence[_Shown]) -> tuple[_Shown, _Shown]:
    if len(shown) != 2:
        raise NotShown
    return shown[0], shown[1]


def _children(element: Element) -> list[Element]:
    return [part for part in element if isinstance(part.tag, str) and name(part) != "mphantom"]


def _row(*parts: Element) -> Element:
    return parts[0] if len(parts) == 1 else _made("mrow", *parts)


def _made(tag: str, *parts: Element) -> Element:
    made = etree.Element(tag)
    for part in parts:
        part.tail = None
        made.append(part)
    return made


def _leaf(tag: str, text: str) -> Element:
    made = etree.Element(tag)
    made.text = text
    return made
