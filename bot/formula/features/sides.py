"""The relations of a formula in TeX text, and the brackets that they stand in: its sides, and the equalities of a chain (a = b = c says a = b and a = c)."""

import re
from collections.abc import Iterator
from functools import lru_cache

from bot.formula.tex.clean import clean

MAX_CHAIN_EQUALITIES = 5  # of a chain a = b = c = …
PARENTHESES = r"(?<!\\)\{|\\?\(", r"(?<!\\)\}|\\?\)"  # regular expressions of opening and closing tokens
ENVIRONMENTS = r"[{(\[]|\\begin(?![A-Za-z])", r"[})\]]|\\end(?![A-Za-z])"
FENCES = (
    r"[{(\[]|(?<!left)\\\{|\\(?:left|begin)(?![A-Za-z])",
    r"[})\]]|(?<!right)\\\}|\\(?:right|end)(?![A-Za-z])",
)
_OVER_SIGN = r"\\(?:stackrel|overset)\s*(?:\{(?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*\}|\\?[A-Za-z!?]+)\s*"
_BRACED_SIGN = rf"(?:{_OVER_SIGN}|\\mathrel\s*)?\{{\s*:?=\s*\}}"
_SIGN_IN_BRACES = re.compile(rf"\{{\s*{_BRACED_SIGN}\s*\}}|{_BRACED_SIGN}")  # \mathrel{:=}
_NUMBER = re.compile(r"[\s\\,;:!{]*\d")


def relations(tex: str, signs: str, brackets: tuple[str, str]) -> Iterator[tuple[int, re.Match[str]]]:
    """Yield the matches of `signs`, from left to right, each with the number of brackets open there (below 0: closed too often).

    `signs` and `brackets` are regular expressions without named groups; a bracket behind a backslash is none unless they say so.
    """
    depth = 0
    for token in _tokens(signs, brackets).finditer(tex):
        if token["sign"] is not None:
            yield depth, token
        elif token["opening"] is not None:
            depth += 1
        elif token["closing"] is not None:
            depth -= 1


@lru_cache
def _tokens(signs: str, brackets: tuple[str, str]) -> re.Pattern[str]:
    opening, closing = brackets
    return re.compile(rf"(?P<sign>{signs})|(?P<opening>{opening})|(?P<closing>{closing})|\\[A-Za-z]+|\\.", re.S)


@lru_cache(maxsize=100_000)
def chain_equalities(tex: str) -> tuple[str, ...]:
    """Return the equalities of a chain, each with its first side: a = b = c gives a = b and a = c; () if there is no equation."""
    first, *others = sides(clean(tex))
    return tuple(f"{first}={side}" for side in others[:MAX_CHAIN_EQUALITIES] if first.strip() and side.strip())


def is_chain(tex: str) -> bool:
    """Tell whether a formula has several equality signs: a = b = c."""
    return len(chain_equalities(tex)) > 1


def without_approximation(tex: str) -> str:
    """Leave out an approximate number behind an equation: V = πr²h ≈ 3.14r²h says V = πr²h."""
    for depth, sign in relations(tex, r"≈|\\(?:approx|simeq|doteq)(?![A-Za-z])", FENCES):
        if depth <= 0 and "=" in tex[: sign.start()] and _NUMBER.match(tex, sign.end()):
            return tex[: sign.start()].rstrip()
    return tex


def statements(tex: str) -> list[str]:
    """Split at the commas, semicolons and wide spaces outside brackets that stand between equations; a formula that is one has one part.

    An approximate number behind an equation is left out.
    """
    found, start = [], 0
    for depth, sign in relations(tex, r",|;|\\q?quad(?![A-Za-z])", FENCES):
        if depth <= 0 and "=" in tex[start : sign.start()] and "=" in tex[sign.end() :]:
            found.append(tex[start : sign.start()])
            start = sign.end()
    return [without_approximation(part.strip()) for part in (*found, tex[start:])]


def sides(tex: str) -> list[str]:
    """Split at the equality signs outside braces, brackets and environments."""
    text = tex.replace(r"\equiv", "=     ").replace(r"\coloneqq", "=        ")
    text = _SIGN_IN_BRACES.sub(lambda found: f"{'=':<{len(found[0])}}", text)
    found, start = [], 0
    for depth, sign in relations(text, "=", ENVIRONMENTS):
        if depth <= 0:
            found.append(text[start : sign.start()].rstrip(": "))
            start = sign.end()
    return [*found, text[start:]]
