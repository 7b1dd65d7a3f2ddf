"""The symbols of a formula: each letter as a unit with its accent, style and index, as it stands in the TeX.

Powers, arguments, running indices and the d of differentials are not part of a symbol.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from bot.errors import FormulaError
from bot.formula.normal.commuting import is_certain_transposition_mark
from bot.formula.tex import nodes
from bot.formula.tex.nodes import EMPTY, RawNode
from bot.formula.tex.parsing import parse
from bot.formula.tex.symbols import INTEGRALS
from bot.formula.tex.tokenizer import (
    ACCENT,
    BIG,
    ID,
    KINDS,
    LBRACE,
    NAME,
    NUMBER,
    OPERATOR,
    PRIME,
    RBRACE,
    STYLE,
    SUB,
    SUP,
    SWALLOW,
    TEXT,
    TOKEN,
    WORDS,
)  # fmt: skip
from bot.formula.tex.tree import children

_NO_SYMBOLS = frozenset(["∇", "∂", "□", "π", "~", "ℜ", "ℑ", "¶", "§", "bb.R", "bb.C", "bb.N", "bb.Z", "bb.Q", "Å"])
_DIFFERENTIAL = frozenset(["d", "δ"])
_LOGARITHMS = frozenset(["%ln", "%log"])  # d ln a; d sin θ may be a distance
_CHANGE = frozenset(["Δ", "δ"])
_STYLING = re.compile(r"^(?:b|rm|sf|tt|bb)\.")
_BIG_STYLE = re.compile(r"^(?:cal|frak)\.")
# A superscript of these alone is not a power
_MARKS = frozenset(["*", "\\ast", "\\star", "\\prime", "\\dagger", "\\circ", "+", "-", "\\pm", "\\mp", "′"])
_INDICES = frozenset("i j k l m n p q r s t a b c α β γ δ κ λ μ ν ρ σ τ".split())


@dataclass(frozen=True, slots=True)
class FormulaSymbol:
    """One symbol: `tex` as it stands in the formula, `keys` under which it meets other spellings, the strictest first."""

    tex: str
    keys: tuple[str, ...]
    letter: str  # without accent, style and index
    index: str = ""
    is_difference: bool = False  # Δx: a difference of the quantity x


@dataclass(frozen=True, slots=True)
class _Token:
    text: str
    kind: int
    value: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class _Script:
    """A script with its sign from token `at` to before `after`; what it holds from `first` to before `last`."""

    kind: int
    at: int
    after: int
    first: int
    last: int


@lru_cache(maxsize=65536)
def formula_symbols(tex: str) -> tuple[FormulaSymbol, ...]:
    """Return the symbols of a formula in the order of their first occurrence; () if it cannot be read."""
    found: dict[str, FormulaSymbol] = {}
    for each in _Scanner(tex).symbols():
        if (symbol := symbol_of(each)) is not None:
            found.setdefault(symbol.keys[0], symbol)
    return tuple(found.values())


@lru_cache(maxsize=65536)
def symbol_of(tex: str) -> FormulaSymbol | None:
    """Return the symbol that a piece of TeX is; None for anything but one symbol, perhaps with its arguments."""
    if len(tex) > 80:
        return None
    try:
        parsed = parse(tex.strip(" $.,;:"))
    except FormulaError:
        return None
    if len(parsed.equations) != 1 or parsed.conditions:
        return None
    node: RawNode = parsed.equations[0]
    changed = False
    if node.__class__ is nodes.Factors and len(node.factors) == 2:
        first, second = node.factors
        if first in _CHANGE and second != EMPTY:
            node, changed = second, True
        elif second.__class__ is nodes.Fenced and second.opening == "(":
            node = first  # c(A): the arguments of a function
    if node.__class__ is nodes.FencedCall:
        node = node.function
    read = _read_symbol(node)
    if read is None:
        return None
    keys = _keys(read, "Δ" if changed else "")
    return FormulaSymbol(tex.strip(), keys, read[0], read[3], changed) if keys else None


@lru_cache(maxsize=16384)
def node_keys(node: RawNode) -> tuple[str, ...]:
    """Return the keys of a node that is one symbol; () for any other."""
    read = _read_symbol(node)
    return _keys(read, "") if read else ()


def without_running_index(key: str) -> str:
    """Return the key of a symbol without an index that runs, as in v_{i} and R_{\\mu\\nu}; "" where it has none."""
    stem, sign, index = key.partition("_")
    return stem if sign and len(index) <= 4 and all(letter in _INDICES for letter in index) else ""


def _keys(read: tuple[str, str, str, str, str], mark: str) -> tuple[str, ...]:
    letter, accents, style, index, primes = read
    if letter in _NO_SYMBOLS or not (letter[-1].isalpha() or letter.startswith("\\")):
        return ()
    weak = f"{mark}{letter}{accents}{'_' + index if index else ''}{primes}"
    return tuple(dict.fromkeys((f"{mark}{style}{weak[len(mark) :]}", weak)))


def _read_symbol(node: RawNode) -> tuple[str, str, str, str, str] | None:
    """Return letter, accents, style, index and primes of a node that is one symbol."""
    index = accents = primes = ""
    while True:
        if node.__class__ is nodes.Scripts:
            high = _script_text(node.high)
            if not set(high) <= set("*~′†∘⋆+-±"):
                return None
            primes += high.replace("~", "").replace("⋆", "*")
            index = _script_text(node.low) + index
            node = node.base
        elif node.__class__ is nodes.Primed:
            primes += "′" * node.number
            node = node.base
        elif node.__class__ is nodes.Accented:
            accents += "" if node.name in ("vec", "under") else f"^{node.name}"
            node = node.body
        elif node.__class__ is nodes.Fenced and node.opening + node.closing in ("", "{}"):
            node = node.body
        else:
            break
    if node.__class__ is not str or not node or node[0] in '#"~%':
        return None
    letter = node
    style = ""
    if match := _STYLING.match(letter):
        style, letter = match[0], letter[match.end() :]
    elif match := _BIG_STYLE.match(letter):
        accents, letter = f"^{match[0]}{accents}", letter[match.end() :]
    return (letter, accents, style, index, primes) if letter else None


def _script_text(node: RawNode) -> str:
    if node.__class__ is str:
        text = node.lstrip('#"~%') if len(node) > 1 else node
        return _BIG_STYLE.sub("", _STYLING.sub("", text)).replace(" ", "")
    if node.__class__ is nodes.Relation:
        return "".join((*node.signs, *map(_script_text, node.sides)))
    if node.__class__ is nodes.Signed:
        return node.sign + _script_text(node.body)
    if node.__class__ is nodes.Infix:
        return "".join((*node.signs, *map(_script_text, node.operands)))
    return "".join(map(_script_text, children(node)))


def _is_transposition(base: _Token, script: list[_Token]) -> bool:
    """Tell whether a script is the T of A^T, A^{sf T} or A^{-T}, which is not a symbol."""
    letters = [token.value for token in script if token.kind == ID]
    others = [token for token in script if token.kind not in (ID, STYLE, LBRACE, RBRACE) and token.text != "-"]
    return not others and len(letters) == 1 and is_certain_transposition_mark(base.value, letters[0])


class _Scanner:
    """Walks the tokens of a formula with their positions, and cuts out possible symbols."""

    def __init__(self, tex: str) -> None:
        self.tex = tex
        self.tokens = [
            _Token(found[0], *KINDS[found[0]], *found.span())
            for found in TOKEN.finditer(tex)
            if found[0] not in ("\\,", "\\!", "\\;", "\\:", "~", "\\ ", "\\left", "\\right", "\\displaystyle")
        ]
        self.differentials = bool(
            re.search(r"\\int|\\oint|∫|(?:\\(?:d|t)?frac|/)[^=]{0,12}(?<![A-Za-z\\])d", tex)
            or re.search(r"\\mathrm\s*\{?\s*d", tex)
            or re.match(r"\s*d(?:\\[a-z]+|[A-Za-z])[^=]*=[^=]*d(?:\\[a-z]+|[A-Za-z])", tex)  # dU = T dS
        )

    def symbols(self) -> Iterator[str]:
        yield from self._walk(0, len(self.tokens), set())

    def _walk(self, start: int, end: int, bound: set[str]) -> Iterator[str]:
        at = start
        while at < end:
            token = self.tokens[at]
            if token.kind == STYLE and at + 1 < end and self._is_upright_d(at, end):
                at = self._argument(at + 1, end)[1]
                at, _ = self._scripts(at, end)
                continue
            if token.kind == BIG:
                at, scripts = self._scripts(at + 1, end)
                for script in scripts:
                    inner = self.tokens[script.first : script.last]
                    runs = len(inner) == 1 and inner[0].value in _INDICES and token.value not in INTEGRALS
                    if script.kind == SUB and (runs or any(t.text in ("=", "\\in", "\\neq", "<", ",") for t in inner)):
                        bound.add(inner[0].value)
                    else:
                        yield from self._walk(script.first, script.last, bound)
                continue
            if token.kind in (WORDS, NAME, NUMBER, OPERATOR, TEXT, SWALLOW):
                at += 1
                if token.kind in (OPERATOR, TEXT, SWALLOW) and at < end and self.tokens[at].kind == LBRACE:
                    at = self._closing_brace(at, end) + 1
                elif token.kind in (NAME, WORDS):
                    at, scripts = self._scripts(at, end)
                    for script in scripts:
                        if token.value == "%lim" or script.kind == SUP:
                            yield from self._walk(script.first, script.last, bound)
                continue
            if token.kind == SUB:  # of a group: an index as well
                at = self._argument(at + 1, end)[1]
                continue
            stop = self._atom(at, end)
            if stop <= at:
                at += 1
                continue
            if token.kind == ID and self._is_differential(at, end):
                at += 1
                if at < end and self.tokens[at].kind == SUP:
                    at = self._argument(at + 1, end)[1]
                continue
            first = at
            if token.value in _CHANGE and stop == at + 1 and stop < end and (further := self._atom(stop, end)) > stop:
                at, stop = stop, further
                if token.value == "δ" and self.tokens[at].kind != ID:
                    first = at
            after, scripts = self._scripts(stop, end)
            text = self.tex[self.tokens[first].start : self.tokens[stop - 1].end]
            powers = []
            for script in scripts:
                inner = self.tokens[script.first : script.last]
                if _is_transposition(token, inner):
                    continue
                if script.kind != SUP or (inner and all(t.text in _MARKS or t.kind in (LBRACE, RBRACE) for t in inner)):
                    text += self.tex[self.tokens[script.at].start : self.tokens[script.after - 1].end]
                else:
                    powers.append(script)
            exponential = token.value == "e" and any(
                script.last - script.first != 1 or self.tokens[script.first].kind != NUMBER for script in powers
            )
            if not exponential and not (token.kind == ID and token.value in bound and len(scripts) == len(powers)):
                yield text
            for script in powers:
                yield from self._walk(script.first, script.last, bound)
            at = after

    def _is_upright_d(self, at: int, end: int) -> bool:
        """Say whether an upright d stands before something: \\mathrm{d}x."""
        first, after = self._argument(at + 1, end)
        inside = [t.value for t in self.tokens[first:after] if t.kind not in (LBRACE, RBRACE)]
        return inside == ["d"] and after < end

    def _is_differential(self, at: int, end: int) -> bool:
        """Tell whether a d is before the variable of which it is the differential."""
        token = self.tokens[at]
        if token.value not in _DIFFERENTIAL or at + 1 >= end:
            return False
        following = self.tokens[at + 1]
        if token.value == "δ" or not self.differentials:
            return False
        if following.kind == RBRACE:  # the d above the stroke of an operator d/dt
            return self.tokens[at - 1].kind == LBRACE and [t.value for t in self.tokens[at + 2 : at + 4]] == ["{", "d"]
        if following.kind == SUP:
            stop = self._argument(at + 2, end)[1]
            return (
                stop >= end
                or self.tokens[stop].kind in (ID, STYLE, ACCENT, LBRACE, RBRACE)
                or self.tokens[stop].value in _LOGARITHMS
                or self.tokens[stop].text == "("
            )
        return following.kind in (ID, STYLE, ACCENT, LBRACE) or following.text == "(" or following.value in _LOGARITHMS

    def _atom(self, at: int, end: int) -> int:
        """Return where the letter that begins at a token ends, with its accent and style; `at` where none begins there."""
        if at >= end:
            return at
        token = self.tokens[at]
        if token.kind == ID:  # an unknown command may be anything
            return at if token.value in _NO_SYMBOLS or token.value.startswith("\\") else at + 1
        if token.kind in (ACCENT, STYLE):
            first, after = self._argument(at + 1, end)
            inside = [t for t in self.tokens[first:after] if t.kind not in (LBRACE, RBRACE)]
            if (
                token.kind == STYLE
                and len([t for t in inside if t.kind == ID]) > 1
                and not any(t.kind in (ACCENT, SUB) for t in inside)
            ):
                return at  # \mathrm{Re}: a name
            return after if symbol_of(self.tex[token.start : self.tokens[after - 1].end]) else at
        if token.kind == LBRACE:
            close = self._closing_brace(at, end)
            if (
                close + 1 < end
                and self.tokens[close + 1].kind in (SUB, PRIME)
                and symbol_of(self.tex[token.start : self.tokens[close].end])
            ):
                return close + 1
        return at

    def _argument(self, at: int, end: int) -> tuple[int, int]:
        """Return the first token of an argument and the one after it, with braces inside."""
        if at >= end:
            return at, at
        if self.tokens[at].kind == LBRACE:
            return at, self._closing_brace(at, end) + 1
        if self.tokens[at].kind in (ACCENT, STYLE):
            return at, self._argument(at + 1, end)[1]
        return at, at + 1

    def _scripts(self, at: int, end: int) -> tuple[int, list[_Script]]:
        """Return the token after the scripts at a position, and the scripts."""
        found = []
        while at < end and (
            self.tokens[at].kind in (SUB, SUP, PRIME) or self.tokens[at].text in ("\\limits", "\\nolimits")
        ):
            kind = self.tokens[at].kind
            if kind in (SUB, SUP):
                first, after = self._argument(at + 1, end)
                grouped = first < end and self.tokens[first].kind == LBRACE
                found.append(_Script(kind, at, max(after, at + 1), first + grouped, after - grouped))
            elif kind == PRIME:
                found.append(_Script(kind, at, at + 1, at, at + 1))
            at = found[-1].after if found and kind in (SUB, SUP) else at + 1
        return at, found

    def _closing_brace(self, at: int, end: int) -> int:
        depth = 0
        for i in range(at, end):
            depth += {LBRACE: 1, RBRACE: -1}.get(self.tokens[i].kind, 0)
            if depth == 0:
                return i
        return end - 1
