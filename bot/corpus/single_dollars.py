"""Single dollar signs: do two of them enclose a formula, or are they sums of money?"""

import re
from collections.abc import Callable

MAX_INLINE_LENGTH = 2000  # characters
_INLINE = re.compile(r"\$((?:[^$\\\n]++|\\.|\n(?![ \t>]*\n))++)\$", re.S)
_COMMAND = re.compile(r"\\[A-Za-z]")
MATHEMATICAL = re.compile(r"\\[A-Za-z{}|,;!]|[\^_=<>+′]|\A\s*[A-Za-z](?:\s*\([A-Za-z, ]{1,10}\))?['′]*\s*\Z")
# What blanks inside of the signs leave a formula: one short word, or letters; and a lone sign between two blanks.
_LETTERS = re.compile(
    r"\s*(?:[A-Za-z]{1,3}|[A-Za-z]['′]*(?:\s+[A-Za-z]['′]*)*)\s*|\s+(?:\d+|\S)\s+"
    # Single letters between signs of arithmetic: $ (M-1)/2 $.
    r"|\s+(?=[^A-Za-z]*[A-Za-z])(?=[^-+*/(]*[-+*/(])(?:[A-Za-z](?![A-Za-z])|[\d()\[\]\-+*/.,!\s])+\s+"
)
_RELATION_ALONE = re.compile(r"[<>=]{1,2}")
_PROSE = re.compile(r"(?:(?<![\\A-Za-z])[A-Za-z]{2,}[,;:]?\s+){4}[A-Za-z]{2,}")
_TWO_WORDS = re.compile(r"(?<![\\A-Za-z])[A-Za-z]{2,}[,;:]?\s+[A-Za-z]{2,}")
_MONEY = re.compile(r"\s*\d[\d.,]*(?:[kKmMbB]?\b(?:.*?\s[A-Za-z]{2,}))")
_WORDS_IN_TEX = re.compile(r"\\(?:text\w*|mbox|hbox|mathrm|operatorname|label|tag)\s*\{[^{}]*\}")


def formula_at_dollar(text: str, at: int) -> re.Match[str] | None:
    """Return the text from a dollar sign to the next one in its paragraph, None if there is none."""
    return _INLINE.match(text, at, at + MAX_INLINE_LENGTH)


def is_inline_formula(inside: str, before: str, after: str) -> bool:
    """Tell whether the text between two single dollar signs is mathematics, not two sums of money."""
    mathematical = bool(MATHEMATICAL.search(inside) or _LETTERS.fullmatch(inside))
    if is_prose(inside) or (_MONEY.match(inside) and "^" not in inside and not _COMMAND.search(inside)):
        return False
    if _RELATION_ALONE.fullmatch(inside):  # $>$5
        return True
    if (before.isascii() and before.isalnum()) or after.isdigit():
        if inside[0] in "_^(" and before.isalpha() and not after.isdigit():  # AdS$_3$, Beta$(a, b)$
            return True
        return bool(_COMMAND.search(inside)) or (mathematical and not after.isdigit() and not before.isupper())
    if inside[-1].isspace() and not inside[0].isspace() and _TWO_WORDS.search(_WORDS_IN_TEX.sub("", inside)):
        return False  # the sign in front has no second one: this one opens a formula
    return mathematical if inside[0].isspace() or inside[-1].isspace() else True


def is_prose(tex: str) -> bool:
    found = _PROSE.search(_WORDS_IN_TEX.sub("", tex))
    return found is not None and not found[0].isupper()  # names of points, permutations of letters


def replace_single_dollars(text: str, put: Callable[[str, bool], str]) -> str:
    """Return a text with each formula between single dollar signs replaced by `put(tex, display)`."""
    parts: list[str] = []
    at = 0
    while (start := text.find("$", at)) >= 0:
        found = formula_at_dollar(text, start) if text[start - 1 : start] != "\\" else None
        if found and is_inline_formula(found[1], text[start - 1 : start], text[found.end() : found.end() + 1]):
            parts += text[at:start], put(found[1], False)
            at = found.end()
        else:
            parts.append(text[at : start + 1])
            at = start + 1
    return "".join((*parts, text[at:]))
