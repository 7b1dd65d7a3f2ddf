"""The left side of a formula: the symbol it defines, or the words where an author wrote words instead of a symbol."""

import re
from functools import lru_cache

from bot.formula.features.sides import PARENTHESES, relations

_RELATION = r"(?<![\\<>!:=])(?::=|=|\\equiv(?![a-zA-Z])|\\approx(?![a-zA-Z])|\\simeq(?![a-zA-Z])|\\coloneqq|\\doteq|\\triangleq|\\propto(?![a-zA-Z]))"
_STYLES = re.compile(
    r"\\(?:displaystyle|textstyle|mathbf|boldsymbol|bm|vec|mathrm|mathit|mathsf|mathcal|mathscr|cal|rm|bf|it|hat|overrightarrow|overset|operatorname|text|textrm|textbf|textit"
    r"|left|right|limits|big|Big|underline|pmb|mbox)(?![a-zA-Z])"
)
_STYLE = re.compile(rf"{_STYLES.pattern}|\\[,;:! ]|[{{}}~\s&]")
_BLANK = "\ue001"
_LETTER_NEXT = re.compile(r"(\\[a-zA-Z]+)(?:[\s{}~]|\\[,;:! ])+(?=[a-zA-Z])")  # the blank that ends a command
_ARGUMENTS = re.compile(r"(?<=.)\((?:[^()=]{1,12})\)$")
_ACCENT = re.compile(r"\\(?:bar|overline|tilde|widetilde|widehat)(?![a-zA-Z])")
_COMMAND = re.compile(r"\\[a-zA-Z]+|[^\W\d_]")
_OPERATION = re.compile(r"[-+*/|=<>]|\\(?:frac|sqrt|nabla|partial|int|oint|sum|lim|cdot|times|dot|ddot)(?![a-zA-Z])")
_SCRIPTS = re.compile(r"[_^]\s*(?:\{(?:[^{}]|\{[^{}]*\})*\}|\\[A-Za-z]+\s*(?:\{[^{}]*\})?|[^\s\\])")
_ABBREVIATION = re.compile(r"\s*\\(?:text|mathrm)\s*\{\s*[A-Za-z]{2,3}\s*\}\s*(?:[_^]|$)")  # KE, emf
_MAX_LENGTH = 60  # characters of a symbol
_BEHIND = re.compile(
    r"\\q?quad\s*\(?\s*\\(?:text|textrm|mbox|mathrm)\s*\{\s*\(?(?P<words>[^{}()]*)\)?\s*\}\s*\)?\s*[.,;]?\s*$"
)
_TEXT = re.compile(r"\\(?:text|textrm|mbox|mathrm|textit|operatorname|textbf)\s*\{([^{}]*)\}|\\[,;:! ]|~|\s|[{}]")


@lru_cache(maxsize=4096)  # asked by what selects a formula, by what names it, and by what names its left side
def sides(tex: str) -> tuple[str, str]:
    """Return the two sides of the first relation outside braces, parentheses and subscripts; the second is empty without one."""
    for depth, sign in relations(tex, _RELATION, PARENTHESES):
        if depth < 0:  # the start of the formula is missing
            break
        if depth == 0:
            return tex[: sign.start()].strip(), tex[sign.end() :].strip()
    return tex.strip(), ""


@lru_cache(maxsize=100_000)
def plain_symbol(tex: str) -> str:
    """Return a symbol without styling, braces, blanks and shown arguments: the form under which `\\vec{F}` and `F` meet."""
    text = _STYLE.sub("", _LETTER_NEXT.sub(lambda m: f"{m[1]}{_BLANK}", _STYLES.sub(" ", tex))).replace(_BLANK, " ")
    return _ARGUMENTS.sub("", text.strip("$.,;: ")).strip()


def strip_styling(tex: str) -> str:
    """Return TeX without styling, braces and blanks: what the paper's lengths are about, however a converter wrote it."""
    return _STYLE.sub("", tex)


def single_symbol(tex: str) -> str:
    """Return the plain form of a formula that is one symbol, or an empty string."""
    if len(tex) > _MAX_LENGTH:
        return ""
    found = plain_symbol(tex)
    base = _ACCENT.sub("", plain_symbol(_SCRIPTS.sub(" ", tex))).strip()
    whole = len(_COMMAND.findall(base)) == 1 or (base.isalpha() and _ABBREVIATION.match(tex))
    alone = (
        whole and found[:1] not in ("_", "^") and not _OPERATION.search(base) and not re.search(r"\^\\?(?:\d|-)", found)
    )
    return found if alone else ""


def symbol_or_change(tex: str) -> str:
    """Return the plain form of a formula that is one symbol or its change (`\\Delta S`), or an empty string."""
    if found := single_symbol(tex):
        return found
    changed = plain_symbol(tex) if len(tex) <= _MAX_LENGTH else ""
    return changed if changed.startswith("\\Delta ") and single_symbol(changed.removeprefix("\\Delta ")) else ""


@lru_cache(maxsize=100_000)
def left_side(tex: str) -> str:
    """Return the plain symbol that a formula defines: alone on its left side, else alone on its right; or an empty string."""
    left, right = sides(tex)
    return (symbol_or_change(left) or symbol_or_change(_after_last_relation(right))) if right else ""


def _after_last_relation(right: str) -> str:
    """Return the side after the last relation: `V/I = ωL = X_L` defines X_L."""
    while True:
        head, tail = sides(right)
        if not tail:
            return head if right != head or "=" not in right else ""
        right = tail


@lru_cache(maxsize=100_000)
def left_text(tex: str) -> str:
    """Return the words on the left of `\\text{Percent uncertainty} = …`, or an empty string."""
    left, right = sides(tex)
    if not right or "\\" not in left or not re.search(r"[a-zA-Z]{4}", left):
        return ""
    outside = re.sub(r"\\(?:displaystyle|left|right)", "", _TEXT.sub("", left))
    words = " ".join(
        "".join(m[0][m[0].index("{") + 1 : -1] if m[1] is not None else " " for m in _TEXT.finditer(left)).split()
    )
    return words if not outside.strip() and re.search(r"[^\W\d_]{4}", words) else ""


def text_after(tex: str) -> str:
    """Return the words that a formula ends with, after a wide blank: `… = 0 \\quad \\text{(Gauss's law)}`."""
    found = _BEHIND.search(tex)
    return " ".join(found["words"].split()) if found else ""
