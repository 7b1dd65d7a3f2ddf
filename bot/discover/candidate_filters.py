"""Which formulas can be concepts: the paper's selection (section 3.2, Data Selection), by structure instead of by string.

Its digit filter is left out: it hides every law with a ½ or a 4π. What is kept out instead are numeric instances.
"""

import re

from bot.discover.left_sides import plain_symbol, sides, single_symbol
from bot.errors import FormulaError
from bot.formula import Keys, identifiers, keys
from bot.wikibase import MAX_CHARACTERS

CANDIDATE_KINDS = frozenset(("equation", "system"))
_DIGIT = re.compile(r"\d")
_NUMBER = re.compile(r"\d+(?:[.,]\d+)+|\d{2,}|\d")
_VALUE = re.compile(r"\\(?:text|mbox|textrm|mathrm)\s*\{(?!\s*1\s)[^{}A-Za-z]*\d[^{}]*\}")  # but `1 V/A` defines a unit
_DECIMAL = re.compile(r"\d\.\d")
_INEQUALITY = re.compile(r"[<>]|\\(?:leq?|geq?|l[et]slant|geqslant|ll|gg)(?![a-zA-Z])")
_DERIVATIVE = re.compile(r"\\d{1,3}ot(?![a-zA-Z])|'|\\prime")
_TEXT = re.compile(r"\\(?:text|mbox|textrm|mathrm|operatorname|rm)\s*\{[^{}]*\}")
_STYLED = re.compile(r"\\(?:vec|mathbf|hat|boldsymbol)|[{}\s]")
_SCRIPT = re.compile(r"[_^](?:\{(?:[^{}]|\{[^{}]*\})*\}|\\?\w)")
_OWN_INDEX = re.compile(r"[A-Za-z]_\{?([a-z])\}?\s*$")
# Behind a formula the numbers that it holds for: `, m = 0, 1, 2, …`, `(n = 1, 2, 3, …)`.
_INDEX = re.compile(
    r"(?:[,(]|\\q?quad(?![a-zA-Z])|\\text\s*\{[^{}]*\})(?:\\text\s*\{[^{}]*\}|\\[,;:! ]|\s)*[a-zA-Z]\s*$"
)
_NUMBERS = re.compile(r"(?:[-+\d.,()\s±…]|\\(?:pm|[lc]?dots)(?![a-zA-Z])|\\[,;:! ])+")
_FUNCTION = re.compile(r"\\(?:sin|cos|tan|cot|sec|csc|sinh|cosh|tanh|log|ln|exp)(?![a-zA-Z])")
_INDEXED = re.compile(r"(?P<sign>-?)(?P<letter>\\?[A-Za-z]+)_(?P<index>\\?\w+)")
# A hypothesis of a test: H_0: …
_HYPOTHESIS = re.compile(r"\{?H_\{?(?:[01oOaA]|\\(?:text|mathrm)\{\w\})\}?\}?\s*(?:\\text\{:\}|:|\\colon)")
# What states something of one example only.
_SINGLE_CASE = re.compile(
    "|".join(
        (
            r"=\s*\?",  # to be found
            r"^[^=(]*=\s*[-+]?(?:\\frac)?\{?\d*\\pi\}?(?:/?\{?\d+\}?)?\s*$",  # an angle: θ = π/6
            r"^[^=]*=\s*[-+]?\d+\s*,(?:\\[,;:! ]|\s)*(?:\d|\\[lc]?dots|\\pm)",  # numbers in a row: i = 1, 2, …
            r"\\_",  # a blank to fill in
            r"=\s*(?:\\left)?\\\{[\d\s,.]+(?:\\right)?\\\}",  # a set of numbers
            r"=\s*-?\w\s*[<>]\s*0\s*$",  # a sign: |x| = x > 0
            r"^[A-Za-z]\((?:[a-zA-Z]|\d+)\)=(?:\\frac\{\d+\}\{\d+\}|[-\d.]*[2-9.][\d.]*)$",  # a value: P(A) = 0.3
        )
    )
)
_REACTION_ARROW = re.compile(r"\\(?:to|(?:long|x)?(?:left|right){1,2}(?:arrow|harpoons))(?![a-zA-Z])")
_ELEMENT = re.compile(r"\\(?:text|mathrm|mbox|textrm)\{\d?[A-Z][A-Za-z]?\d?\}|\((?:aq|g|l|s)\)")
# The decay of any nuclide, by letters for its numbers: `{}_Z^A X \to {}_{Z-2}^{A-4} Y + …`.
_DECAY = re.compile(r"\s*(?:\{\})?(?:[_^]\{?[A-Z]\}?){2}(?!.*\\to.*\\to).*\\(?:to|(?:long)?rightarrow)(?![a-zA-Z])")
_MAX_REACTION_PARTS = 2  # elements, or states of matter
# A concentration or a pressure of one substance, as in `K_c = [HI]^2/[H_2][I_2]`; water, its ions and letters for any substance are none.
_SPECIES = re.compile(r"(?:\[|P_\{?)\{?\\(?:text|mathrm|mbox|textrm)\{[A-Za-z]*(?:[A-Z][a-z]|[NFSIP]|C[OH])")
_ABSOLUTE = re.compile(r"\\[lr]?vert(?![a-zA-Z])|(?<!\\)\|")
_DISTANCE = re.compile(r"(?<![A-Za-z\\])d(?![A-Za-z])")  # a letter of its own, which is read as a differential's
_WORDS = re.compile(r"\\(?:text|mathrm|mbox|textrm|textit)\s*\{\s*[a-z]{4}")
_COMBINES = re.compile(r"\\(?:frac|times|cdot|sqrt|log|ln)(?![a-zA-Z])|[-+*/]|\].*\[")
_CONCENTRATION = re.compile(r"\[\{?\\(?:text|mathrm|mbox|textrm)\{")


def keys_of(tex: str) -> Keys | None:
    """Return the keys of a formula, None for one that has no tree."""
    try:
        return keys(tex)
    except FormulaError:
        return None


def is_candidate(tex: str, kind: str, is_named_by_source: bool = False) -> bool:
    """Say whether a formula is an equation that could define something: no stub, no x = x(t), x = y, x = const, no numbers.

    Where the author names the formula itself (`is_named_by_source`), only numbers put in for symbols speak against it.
    """
    if _is_of_example(tex):
        return False
    if is_named_by_source and kind in ("dependence", "assignment"):
        return len(tex) <= MAX_CHARACTERS and not is_numeric(tex)
    left, right = sides(tex)
    if kind == "assignment" and (_DERIVATIVE.search(left) or _is_combination(right) or _states_opposite(left, right)):
        kind = "equation"  # a rate is not a bare variable, and words, distances or concentrations put together are not a constant
    stated = kind in CANDIDATE_KINDS or (kind == "relation" and _is_relation(tex))
    return stated and 3 <= len(tex) <= MAX_CHARACTERS and not is_numeric(tex)


def _is_relation(tex: str) -> bool:
    """Tell whether a relation is an inequality that says more than a bound, or how any nuclide decays."""
    return bool(_DECAY.match(tex) or (_INEQUALITY.search(tex) and not _is_bound(tex)))


def _is_of_example(tex: str) -> bool:
    """Tell whether a formula is a hypothesis of a test, an exercise to fill in, a set of numbers or a chemical reaction."""
    if _HYPOTHESIS.match(tex) or _SINGLE_CASE.search(tex):
        return True
    if _SPECIES.search(tex):
        return True
    return (
        bool(_REACTION_ARROW.search(tex))
        and not _DECAY.match(tex)
        and len(_ELEMENT.findall(tex)) >= _MAX_REACTION_PARTS
    )


def _is_bound(tex: str) -> bool:
    """Tell whether an inequality only bounds symbols by numbers or by each other, as in `0 ≤ t ≤ 1`, or compares numbers."""
    members = [part for part in _INEQUALITY.split(tex) if part.strip()]
    numbers = [n for part in members for n in _NUMBER.findall(part) if "." in n]
    return len(numbers) > 1 or all(
        single_symbol(_ABSOLUTE.sub("", _SCRIPT.sub(" ", part))) or not identifiers(part) for part in members
    )


def _is_combination(right: str) -> bool:
    """Tell whether a side without variables is made of words, distances or concentrations: `distance/time`, `d_i d_o/(d_i + d_o)`."""
    words = _WORDS.search(right) and not _DIGIT.search(right)
    made_of = words or _CONCENTRATION.search(right) or _DISTANCE.search(_TEXT.sub(" ", right))
    return bool(made_of and _COMBINES.search(right))


def _states_opposite(left: str, right: str) -> bool:
    """Tell whether two sides are one letter with its indices in another order, or two quantities of one thing, one the negative of the other.

    `F_{AB} = -F_{BA}`, `p_\\Lambda = -\\rho_\\Lambda`.
    """
    one, other = (_INDEXED.fullmatch(plain_symbol(side)) for side in (left, right))
    if not one or not other:
        return False
    if one["letter"] != other["letter"]:
        return other["sign"] == "-" and one["index"] == other["index"]
    return one["index"] != other["index"] and sorted(one["index"]) == sorted(other["index"])


def _without_range(tex: str) -> str:
    head, _, tail = tex.rpartition("=")
    index = _INDEX.search(head) if "," in tail and _NUMBERS.fullmatch(_TEXT.sub(" ", tail)) else None
    return head[: index.start()] if index else tex


def is_numeric(tex: str) -> bool:
    """Say whether numbers were put in for symbols, as in `v = 3 m/s` or `F = (2.0)(9.8) = 19.6`.

    Powers and indices are no such numbers, and a small whole number (½, 4π, 2g) is part of many a law.
    """
    left, right = sides(_TEXT.sub(" ", _without_range(tex)))
    if _is_value(left, right):
        return True
    if not _DIGIT.search(_SCRIPT.sub(" ", right)):
        return _is_measured(tex) and not identifiers(right)
    if symbols := _symbols(right):
        return not (_TEXT.search(tex) and _holds_for_every_index(left, right)) and _has_number_for_each_symbol(
            right, len(symbols)
        )
    if re.search(r"\\(?:nabla|partial|pi|hbar|infty)", right):
        return False
    if re.fullmatch(r"\W*0\W*", _STYLED.sub("", right)):
        return _has_number_for_each_symbol(left, len(_symbols(left)))
    few = len(_symbols(left)) < 2 and len(_FUNCTION.findall(left)) < 2  # sin² t + cos² t = 1 says more than cos t = 1
    return few or bool(_DECIMAL.search(left + right))


def _holds_for_every_index(left: str, right: str) -> bool:
    r"""Tell whether a value with its unit is one for every index of the left: `E_n = -\frac{13.6\,\text{eV}}{n^2}`."""
    index = _OWN_INDEX.search(left)
    return index is not None and index[1] in identifiers(right)


def _symbols(side: str) -> set[str]:
    return {*identifiers(side), *_DISTANCE.findall(side)}


def _is_value(left: str, right: str) -> bool:
    """Tell whether a chain only gives symbols a value, as in `ΔH = EA = -328.2`, or numbers were put in on the left."""
    measured = sum("." in n for n in _NUMBER.findall(_SCRIPT.sub(" ", left)))
    if measured > 1 and measured >= len(_symbols(left)):
        return True
    members = [left]
    while right:
        member, right = sides(right)
        members.append(member)
    if len(members) < 3:
        return False
    values = [member for member in members if _DECIMAL.search(member) and len(identifiers(member)) < 2]
    return bool(values) and all(m in values or (len(identifiers(m)) < 3 and not _COMBINES.search(m)) for m in members)


def _is_measured(tex: str) -> bool:
    r"""Tell whether a formula gives a value whose number is set as text with its unit, as in `E = \text{5 kJ}`."""
    first = sides(sides(tex)[1])[0]
    return bool(_VALUE.search(first)) and not identifiers(_TEXT.sub(" ", first))


def _has_number_for_each_symbol(side: str, symbols: int) -> bool:
    """Tell whether a side has as many measured numbers as symbols."""
    numbers = [n for n in _NUMBER.findall(_SCRIPT.sub(" ", side)) if len(n) > 2 or "." in n]
    return len(numbers) >= max(1, symbols) and (len(numbers) > 1 or "." in numbers[0])
