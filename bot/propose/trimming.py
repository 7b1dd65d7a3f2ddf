"""The part of a formula in a text that an editor would store: without a second way of saying it, remarks, marks of layout and worked-out members."""

import re
from collections.abc import Collection, Sequence
from functools import lru_cache

from bot.discover import left_sides
from bot.errors import FormulaError
from bot.formula import check, clean, compare, identifiers, parse
from bot.formula.features.sides import FENCES, relations, sides
from bot.formula.keys.alpha_equivalence import scripted_variables
from bot.formula.normal.stages import normal_forms
from bot.formula.numeric.system_pair import read_system_pair
from bot.propose.respelling import respelled

_WORDS = r"\\(?:text|mbox|hbox|textrm|mathrm|textit)\s*\{\s*"
# Words with which a text says the same again or explains it. Conditions (if, for, when) and a second equation (and) belong to the value.
_AGAIN = rf"{_WORDS}(?:[,;]\s*)?(?:(?:or|so|so that|where|with|thus|hence|therefore|since|because)\b|i\.e\b)[^{{}}]*\}}"
_IF = re.compile(rf"{_WORDS}(?:if|for|when|unless|whenever)\b")  # a condition, that may hold this or that
_OR = re.compile(rf"{_WORDS}(?:[,;]\s*)?or\b")
_UNEQUAL = re.compile(r"\\neq?(?![A-Za-z])")  # this or not this
_SPACE = r"(?:\\[,;:! ]|\\q?quad(?![A-Za-z])|\s|~)"
_ASIDE = r"(?:\\[,;: ]|\\q?quad(?![A-Za-z])|~)\s*"  # without it, words in parentheses are an argument: P(\text{head})
_NO_PROPERTY = r"(?!\s*(?:is\s+|an?\s+)*(?:even|odd|integers?|naturals?|primes?|real|complex|positive|negative|non)\b)"  # of a number: a condition
# A remark in parentheses at the end: set off by a space, or plainly no argument: words behind a closed bracket or a power, or several words.
_TEXT_BOX = r"\\(?:text|mbox|hbox|textrm)\s*"
_WORD, _WORDS_IN = "[^{}]*[A-Za-z]{4}[^{}]*", r"[^{}]*[A-Za-z]+\s+[A-Za-z]+[^{}]*"
_REMARK = re.compile(
    rf"(?:{_SPACE}*{_ASIDE}(?:\([^()=]*{_TEXT_BOX}\{{{_NO_PROPERTY}[^{{}}]*\}}[^()=]*\)|{_TEXT_BOX}\{{\s*\([^{{}}]*(?:\)\s*\}}|\}}[^()=]*\)))"
    rf"|(?:(?<=\))|(?<=\^\{{\d\}}))\(\s*{_TEXT_BOX}(?:\{{{_WORD}\}}[^()=]+|\{{{_WORDS_IN}\}})\)|{_TEXT_BOX}\{{\s*\({_WORDS_IN}\)\s*\}})\s*\Z"
)
_SENTENCE = re.compile(rf"{_SPACE}*\\mathrm\s*\{{\s*\((?:[A-Za-z]+(?:{_SPACE}|[.,])*){{3,}}\)\s*\}}\s*\Z")
_GROUPED_WORDS = re.compile(rf"(\\q?quad|\\[,;: ])\s*\{{({_TEXT_BOX}\{{[^{{}}]*\}})\}}")
# What is held constant while the others vary: at constant T
_HELD = re.compile(
    rf"[,;]?{_SPACE}*{_TEXT_BOX}\{{\s*(?:at|for|with|under)\s+(?:const\b\.?|constant\b)[^{{}}=]*\}}(?:[^=<>{{}}&]|{_TEXT_BOX}\{{\s*and\s*\}})*\Z"
)
_END_OF_PROOF = re.compile(
    rf"(?:{_SPACE}|[.,;]|\\hfill(?![A-Za-z]))+\\(?:blacksquare|square|Box|qedsymbol|qed)(?![A-Za-z])\s*\Z"
)
_UNFINISHED = re.compile(r"(?:[-+=(]|\\(?:equiv|coloneqq|to|cdot|times))\Z")  # what follows is an operand
# A name before the formula, \text{Commutativity}: a+b=b+a; a name of a map has its sets behind it
_TITLE = re.compile(
    rf"\A{_TEXT_BOX}\{{\s*(?:(?!(?:If|Let|When|Where|Given|Suppose|Assume)\b){_WORD}(?::\s*\}}|\}}{_SPACE}*:(?!\s*=))|\({_WORD}\)\s*\}}{_SPACE}*(?![=<>]|\\(?:equiv|approx|propto|leq?|geq?)(?![A-Za-z]))){_SPACE}*"
    r"(?=[^=]*(?:=|\\(?:iff|Leftrightarrow)(?![A-Za-z])))(?![^=]*\\(?:to|mapsto|rightarrow|longrightarrow|subset|subseteq)(?![A-Za-z]))"
)
_NUMBER = re.compile(rf"{_SPACE}*\\q?quad{_SPACE}*\(\s*\d+(?:\.\d+)*[a-z]?\s*\)\s*\Z")  # of the equation, typed by hand
_IMPLIES = r"\\(?:implies|Rightarrow|Longrightarrow)(?![A-Za-z])"
_WORD_BOX = re.compile(rf"{_WORDS}{_WORD}\}}")
_LAYOUT = re.compile(r"\\(?:displaystyle|textstyle|scriptstyle|scriptscriptstyle)(?![A-Za-z])\s*")
_EMPTY = re.compile(r"[_^]\s*\{\s*\}")
_EQUALS = r"=|\\(?:equiv|coloneqq|approx|simeq)(?![A-Za-z])"
_STATES = re.compile(_EQUALS)
_REMARK_WORDS = re.compile(rf"{_EQUALS}|\\propto(?![A-Za-z])")
# Separators of statements, and other relations: a part with one is not a member of a chain.
_PARTS = (
    r"[,;<>&]|\\\\|\\(?:text|mbox|hbox|textrm|quad|qquad|leq?|leqslant|geq?|geqslant|neq?|in|to|sim|propto|mid|and|land|wedge|lor|vee|mapsto|"
    r"implies|iff|Rightarrow|Leftrightarrow|Longrightarrow|longrightarrow|rightarrow|rightleftharpoons)(?![A-Za-z])"
)
_CONDITION = re.compile(rf"[,;]|\\q?quad|{_WORDS}(?:,|for|if|when|as|at|in|on|unless|provided|and)\b")
_BEGINNING = re.compile(rf"\A{_SPACE}+")
_END = re.compile(rf"(?<!\\){_SPACE}+\Z")
_ROWS = re.compile(
    r"\{?\\begin\{(?P<name>aligned|align\*?|array|split|gathered|eqnarray\*?)\}(?:\{[lcr\s|]*\})?(?P<rows>.*)\\end\{(?P=name)\}\}?",
    re.S,
)
_NEW_ROW = r"\\\\(?:\s*\[[^\]]*\])?"
_MACRO = re.compile(r"\\[A-Za-z]+")
_INTEGER = r"-?\d+"
_LIMIT = rf"(?:<|>|\\(?:leq?|leqslant|geq?|geqslant)){_INTEGER}"
_GREEK = r"\\(?:var)?(?:alpha|beta|gamma|delta|epsilon|zeta|eta|theta|kappa|lambda|mu|nu|xi|pi|rho|sigma|tau|phi|chi|psi|omega|Delta|Phi|Psi|Omega|ell)(?![A-Za-z])"
_MARKED = r"\\(?:hat|vec|bar|tilde|d?dot|overline|mathbf|mathcal|boldsymbol|bm)\s*\{(?:[A-Za-z]|\\[A-Za-z]+)\}"
_INDEXED = re.compile(
    rf"(?P<base>{_MARKED}|{_GREEK}|(?<![A-Za-z\\])[A-Za-z]+)\s*_\s*(?P<number>[1-9]|\{{\s*[1-9]\s*\}})(?!\s*(?:\d|\(|\\left))"
)
_COMPOUND = re.compile(r"[-+|(]|\\(?:left|vert|langle|oplus)(?![A-Za-z])|\^\s*(?!\{?\d)")
_LISTED = re.compile(r"[,;|]|\\(?:[a-z]?dots|\{)")
# A constant that a text counts: P = k₃T. K₁(x) is a function.
_NUMBERED_CONSTANT = re.compile(r"(?<![A-Za-z\\])(?P<base>[kC])\s*_\s*(?:[1-9]|\{\s*[1-9]\s*\})(?!\s*(?:\d|\(|\\left))")
MIN_QUANTITIES = 3  # R₁ = 1/T₁ may be names
_REPEATED = ("big(∑)", "big(∏)")  # canonical strings of sums and products
# Of the first member's letters and numbers; read off 150 chains of encyclopaedia articles and textbooks
MIN_SHARE = 0.8
# SI units, units accepted beside them (SI Brochure, tables 2, 4 and 8) and old ones that textbooks use, set upright.
_UNITS = (
    r"(?:da|[yzafpnµmcdhkMGTPEZY])?"
    r"(?:g|m|s|A|K|mol|cd|rad|sr|Hz|N|Pa|J|W|C|V|F|S|Wb|T|H|lm|lx|Bq|Gy|Sv|kat|L|l|t|eV|u|Da|bar|cal|pc|ly)|min|h|d|au|atm|rev|rpm|ft|lb|in|mi|mph|psi"
)
_UNIT = re.compile(
    rf"(?:\\mu\s*)?\\(?:text|mbox|hbox|textrm|mathrm|rm|operatorname)\s*\{{(?:{_SPACE}|{_UNITS}|[/·⋅^\-\d{{}}]|\\cdot)+\}}|\\(?:Omega|circ|degree)(?![A-Za-z])|\\%|°"
)
_MEASURED = re.compile(rf"{_UNIT.pattern}|\d(?:\.|\{{,\}})\d|\\(?:times|cdot)\s*10\s*\^")
_NUMBER_IN_TEXT = re.compile(r"\\(?:text|mbox|textrm)\s*\{\s*([-+]?[\d.,]*\d)(?=[\s}])([^{}]*)\}")  # \text{5 kg}
_DIGITS = re.compile(r"\d(?:[\d\s,]|\{,\})*(?:\.[\d\s\\,]*\d)?|\.\d+")
_ARITHMETIC = re.compile(
    rf"{_SPACE}|\\(?:times|cdot|div|pm|over|frac|dfrac|tfrac|sqrt|sin|cos|tan|log|ln|exp|left|right|big[lr]?|Big[lr]?|ldots|dots|cdots)(?![A-Za-z])|[-+*/^(){{}}\[\]|!]"
)


@lru_cache(maxsize=20_000)
def trimmed(tex: str, *parts: str) -> str:
    """Return the part of a cleaned formula that states it; the formula itself where nothing can be left out.

    `parts`: equalities of a chain that are known to define the item, of which the first is kept. What stands behind the chain belongs to it.
    """
    text = _without_number_of_constant(stated(tex))
    return _without_index(clean(_defining(text, parts)) if parts else text)


@lru_cache(maxsize=20_000)
def stated(tex: str) -> str:
    """Return a cleaned formula without a second way of saying it, remarks, layout and worked-out members, in the letters of the text."""
    text = _TITLE.sub("", _EMPTY.sub("", _LAYOUT.sub("", respelled(tex))))
    plain = _GROUPED_WORDS.sub(r"\1\2", text)
    text = text if (before := _without_remarks(plain)) == plain else before
    if "=" in (before := _NUMBER.sub("", text)):
        text = before
    line = _in_one_line(text)
    if line and len(_split(short := stated(line), _EQUALS)) < 3 and not re.search(_IMPLIES, short):
        text = short
    return clean(_without_worked_out(_once(_without_own_bound(clean(_implied(text).strip())))))


def _without_remarks(text: str) -> str:
    """Leave out what is said behind a formula: the same again, words about it, a sign that a proof ends."""
    for depth, sign in relations(text, _AGAIN, FENCES):
        before, behind = text[: sign.start()], text[sign.end() :]
        alternative = _OR.match(sign[0]) and (_IF.search(before) or _UNEQUAL.search(behind))
        if depth == 0 and _REMARK_WORDS.search(before) and not alternative:
            text = before
            break
    for words in (_REMARK, _SENTENCE, _HELD):
        if _REMARK_WORDS.search(before := words.sub("", text)):
            text = before
    end = _END_OF_PROOF.search(text)
    return text[: end.start()] if end and not _UNFINISHED.search(text[: end.start()]) else text


def members(tex: str) -> tuple[str, ...]:
    """Return the parts of a chain a = b = c …, each after the first with its sign; () for what is not a chain of three or more."""
    starts = [0, *(sign.start() for depth, sign in relations(tex, _EQUALS, FENCES) if depth == 0)]
    found = tuple(tex[start:end] for start, end in zip(starts, [*starts[1:], len(tex)], strict=True))
    return found if len(found) > 2 and not any(_tail(each) and not _value(each) for each in found[:-1]) else ()


def _in_one_line(tex: str) -> str:
    """Return the rows of a system in one line where each carries on the first: = …, ⇒ …, or numbers for it; "" where one does not."""
    if not (found := _ROWS.fullmatch(tex)):
        return ""
    first, *others = (clean(_cells(row)) for row in _split(found["rows"], _NEW_ROW) if row.strip())
    left = next((first[: sign.start()] for depth, sign in relations(first, _EQUALS, FENCES) if depth == 0), "")
    line = first
    for row in others:
        again = row[len(left) :] if left and row.startswith(left) else ""
        if not (
            _STATES.match(row) or re.match(_IMPLIES, row) or (again and all(map(_value, _split(again, _EQUALS)[1:])))
        ):
            return ""
        line += f" {again or row}"
    return line if others and _without_remarks(line) == line else ""


def _cells(row: str) -> str:
    """A row without its marks of columns, and without blanks at its edges and before its signs."""
    text = re.sub(r"\{\s*\}", "", "".join(_split(row, r"&")))
    return _END.sub("", _BEGINNING.sub("", re.sub(rf"\s+(?={_EQUALS})", "", text)))


def _split(tex: str, signs: str) -> list[str]:
    found = [sign for depth, sign in relations(tex, signs, FENCES) if depth == 0]
    starts, ends = [0, *(each.end() for each in found)], [*(each.start() for each in found), len(tex)]
    return [tex[start:end] for start, end in zip(starts, ends, strict=True)]


def _without_own_bound(tex: str) -> str:
    """Leave out, behind a definition, the limits that its own left side has: r = s/t, |r| ≤ 1."""
    left, _, right = tex.partition("=")
    *others, last = _split(right, ",")
    head, bound, definition = re.escape(_unspaced(left)), _unspaced(last), _unspaced(",".join(others))
    if not (others and head) or re.search(head, definition if "\\" in left else _MACRO.sub("", definition)):
        return tex
    if re.fullmatch(rf"\|{head}\|{_LIMIT}|-?\d{_LIMIT.replace(_INTEGER, head)}{_LIMIT}", bound):
        return f"{left}={','.join(others)}"
    return tex


def _unspaced(tex: str) -> str:
    return re.sub(rf"{_SPACE}|\\(?:left|right)(?![A-Za-z])", "", tex)


def _without_index(tex: str) -> str:
    """Leave out the number of a state or a body that all quantities with an index have: Q₁ = A₁v₁. One such quantity may be named so."""
    found = list(_INDEXED.finditer(tex))
    bases = {_indexed_letter(each) for each in found}
    left, *right = sides(tex) if len(bases) > 1 else ("",)
    plain = _INDEXED.sub(lambda each: each["base"].removesuffix(_indexed_letter(each)), tex)
    if (
        len(right) != 1
        or len({each["number"].strip("{ }") for each in found}) != 1
        or not _INDEXED.search(left)
        or _COMPOUND.search(left)
        or "_" in plain
        or _LISTED.search(tex)
        or any(_stands_in(base, plain) for base in bases)
        or len({*_quantities(left), *_quantities(right[0])}) < MIN_QUANTITIES
    ):
        return tex
    return clean(_INDEXED.sub(r"\g<base>", tex))


def _without_number_of_constant(tex: str) -> str:
    """Leave out the number of a constant on the right, where nothing else has a number or its letter: P = k₃T, PV = k₁."""
    left, *right = sides(tex)
    found = _NUMBERED_CONSTANT.findall(tex)
    plain = _NUMBERED_CONSTANT.sub("", tex)
    if len(right) != 1 or len(found) != 1 or _NUMBERED_CONSTANT.search(left) or _stands_in(found[0], plain):
        return tex
    return tex if re.search(r"_\s*\{?\s*\d", plain) else _NUMBERED_CONSTANT.sub(r"\g<base>", tex)


def _stands_in(symbol: str, tex: str) -> bool:
    text = tex if symbol.startswith("\\") else _MACRO.sub(" ", tex)
    return bool(re.search(re.escape(symbol) + ("(?![A-Za-z])" if symbol.startswith("\\") else ""), text))


def _indexed_letter(found: re.Match[str]) -> str:
    """v of m v₁, whose letters stand together."""
    return found["base"] if found["base"].startswith("\\") else found["base"][-1]


def _once(tex: str) -> str:
    """Leave out of a chain the members that stand in it before."""
    kept: dict[str, str] = {}
    for n, member in enumerate(members(tex)):
        kept.setdefault(_letters(_without_states(member)) or str(n), member)
    return "".join(kept.values()) if 1 < len(kept) < len(members(tex)) else tex


def _implied(tex: str) -> str:
    """Return of equations that follow from each other by moving terms (F = ma ⇒ a = F/m) the first that gives a symbol; other implications whole."""
    parts = [_END.sub("", _BEGINNING.sub("", each)) for each in _split(tex, _IMPLIES)]
    if len(parts) == 1 or not all(compare(parts[0], each).same_concept for each in parts[1:]):
        return tex
    return next((each for each in parts if _gives_symbol(each)), tex)


def _gives_symbol(equation: str) -> bool:
    """Tell whether one side, and only one, is a symbol."""
    return sum(bool(left_sides.symbol_or_change(each)) for each in left_sides.sides(equation)) == 1


def _tail(member: str) -> str:
    """What follows a member: a condition, a range."""
    return next((member[sign.start() :] for depth, sign in relations(member, _PARTS, FENCES) if depth == 0), "")


def _without_worked_out(tex: str) -> str:
    """Leave out of a chain the values of an example, what is said in words, and the members that only work out the first.

    A chain where this cannot be told stays whole, as does one about numbers throughout (units, a worked example).
    """
    chain = members(tex)
    if not chain:
        return tex
    tail = "" if _value(chain[-1]) else _tail(chain[-1])  # words behind a number are its unit
    left, *sides = (*chain[:-1], chain[-1].removesuffix(tail))
    first, *later = [each for each in sides if not _in_words(each)] or sides
    if (tail and not _CONDITION.match(tail)) or _MEASURED.search(first) or not _quantities(first):
        return tex
    others = [each for each in later if not _value(each) and not _estimate(each)]
    if len(others) < len(later):
        others = [each for each in others if not _is_arithmetic(each)]
    if _works_out(left, first, others):
        others = []
    if [first, *others] == sides:
        return tex
    shorter = _END.sub("", "".join((left, first, *others))) + (f" {tail}" if tail[:1] == "\\" else tail)
    return shorter if check(shorter).valid or not check(tex).valid else tex


def _defining(tex: str, parts: Collection[str]) -> str:
    """Keep of a chain the first member that makes one of `parts` with its left side."""
    if not (chain := members(tex)):
        return tex
    left, *others, last = chain
    tail = "" if _value(last) else _tail(last)
    wanted = {_letters(part) for part in parts}
    side = next((left + each for each in (*others, last.removesuffix(tail)) if _letters(left + each) in wanted), "")
    return _END.sub("", side) + (f" {tail}" if tail[:1] == "\\" else tail) if side else tex


def _letters(tex: str) -> str:
    return "".join(tex.replace(r"\equiv", "=").replace(r"\coloneqq", "=").split())


def _works_out(left: str, first: str, later: Sequence[str]) -> bool:
    """Tell whether all later members say nothing that the first does not say.

    They do not where the first defines the left side, can be computed from its quantities, and the others from no further ones: all equal the
    left side. One that is much shorter than the first may be the result that the chain leads to, and a bare number or words (`= 0`, `= constant`)
    say more.
    """
    try:
        named, head = _quantities(first), identifiers(_without_states(left))[:1]
        if not head or head[0] in identifiers(_without_states(first)) or not _computable(first):
            return False
        size = MIN_SHARE * _size(first)
        return all(
            (own := _quantities(each)) and own <= named and _computable(each, _REPEATED) and _size(each) > size
            for each in later
        )
    except FormulaError:
        return False


def _size(member: str) -> int:
    return len(parse(_without_states(member)).leaves())


def _value(member: str) -> bool:
    """Tell whether a member is a number that was measured or worked out: with a unit, a decimal fraction or a power of ten."""
    return _is_arithmetic(member) and bool(_MEASURED.search(_NUMBER_IN_TEXT.sub(r"\1\\text{\2}", member)))


def _in_words(member: str) -> bool:
    """Tell whether a member relates words (mass over length) and no symbols; a single word (constant) says more."""
    rest, boxes = _WORD_BOX.subn("", member)
    return boxes > 1 and not identifiers(rest)


def _estimate(member: str) -> bool:
    """Tell whether a member gives the one before in numbers: ≈ 2.95 M/M_☉ km."""
    return bool(re.match(r"\s*\\(?:approx|simeq)(?![A-Za-z])", member) and _MEASURED.search(member))


def _is_arithmetic(member: str) -> bool:
    body = _UNIT.sub("", _NUMBER_IN_TEXT.sub(r"\1\\text{\2}", _without_states(member)))
    return bool(_DIGITS.search(body)) and not _ARITHMETIC.sub("", _DIGITS.sub("", body))


def _without_states(member: str) -> str:
    return _STATES.sub("", member, count=1).strip()


def _quantities(member: str) -> set[str]:
    """Return the quantities of a member, with their scripts and without bound names; nothing where it has no tree."""
    try:
        found = scripted_variables(normal_forms(_without_states(member)).normal[0])
    except FormulaError:
        return set()
    return {each for each in found if not each.startswith("$δ")}


def _computable(member: str, allowed: tuple[str, ...] = ()) -> bool:
    """Tell whether a member can be computed from its quantities, and from what begins as one of `allowed`; a word may name a function."""
    nodes, named = normal_forms("Y =" + _without_states(member)).normal_with_names, _quantities(member)
    pair = read_system_pair(nodes, nodes)
    return (
        pair is not None
        and not any(name.startswith("$%") for name in named)
        and all(f"${name}" in named or name.startswith(allowed) for name in pair.names if name != "Y")
    )
