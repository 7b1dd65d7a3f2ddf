r"""What is typed in plain TeX or in Unicode as LaTeX writes it: \root n\of x, \cases{…\cr}, \genfrac, ½, √(x), ]a, b[, \lim below an arrow."""

import re
from collections.abc import Sequence
from unicodedata import normalize

from bot.formula.tex.spelling.groups import end_of_group, with_commands

_ROOT = re.compile(r"\\root\s*((?:\{[^{}]*\}|\\[A-Za-z]+|[^\\{}])+?)\s*\\of(?![A-Za-z])\s*")
_TABLE = re.compile(r"\\(cases|pmatrix|matrix|eqalign)(?=\s*\{)")
_TABLES = {"eqalign": "aligned"}
_LAST_ROW = re.compile(r"\\cr\s*\Z")
_FREE_FRACTION = re.compile(r"\\genfrac\s*(\{[^{}]*\}|[(\[|])\s*(\{[^{}]*\}|[)\]|])\s*\{([^{}]*)\}\s*\{[^{}]*\}")
_STACKS = {"()": "choose", "[]": "brack", "{}": "brace", "": "atop"}
_VULGAR = re.compile("[¼-¾⅐-⅞]")
_CELSIUS = re.compile(r"\\(?:text|mathrm)\s*\{\s*℃\s*\}|℃")
_SIGN_OF_ROOT = re.compile(r"([√∛])\s*(?:([0-9]+|[A-Za-zα-ω])|(?=[({]))")
_FENCES = re.compile(r"\\([pbBv])?qty(?![A-Za-z])\s*(?=[({\[|])")
_AROUND = {"p": ("(", ")"), "b": ("[", "]"), "B": ("\\{", "\\}"), "v": ("|", "|"), None: ("\\{", "\\}")}
ARROWED_LIMIT = re.compile(r"\\under(left|right)arrow\s*\{\s*\\lim\s*\}")
_NAME = re.compile(
    r"\\(?:text[a-z]*|mathrm|mathit|mathsf|mathbf|operatorname\*?|mbox|hbox)\s*\{[^{}]*\}|\\[A-Za-z]+"
    r"|(?<![A-Za-z])(?P<name>Var|Cov|Corr|sin|cos|tan|sinh|cosh|tanh|arctan|exp|log|ln|max|min|det|erf|sgn)(?=\s*(?:\\left|\\[bB]igg?l?)?\s*[(\[])"
)
# {\big (} and {\bmod {7}} are how texvc writes them.
_BIG_IN_BRACES = re.compile(r"\{\s*\\(?:big|Big|bigg|Bigg)[lrm]?\s*([()\[\]|/]|\\[{}|]|\\[a-z]+)\s*\}")
_MOD_IN_BRACES = re.compile(r"(?<![_^\\])\{\s*(\\b?mod(?![a-zA-Z])[^{}]*(?:\{[^{}]*\}[^{}]*)?)(?<!\\)\}")
_INNER = r"\{(?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*\}"
_BOX = re.compile(
    rf"\\(?:text(?:rm|it|bf|sf|tt|normal|up|sc|sl)?|mbox|hbox|fbox)\s*\{{((?:[^{{}}$]|{_INNER})*\$(?:[^{{}}]|{_INNER})*)\}}"
)
_DOLLAR = re.compile(r"(?<!\\)\$")
_COMMANDS = re.compile(r"(?:\\[a-zA-Z]+|\s)*")
_PART = re.compile(r"\\(Re|Im)(?![A-Za-z])")  # of a complex number
_ON_THE_LINE = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻ⁿ", "0123456789+-n")
_RAISED = re.compile("[⁰¹²³⁴-⁹⁺⁻ⁿ]+")
_SIZE = r"(?:\\(?:left|right|[bB]igg?[lr]?)(?![A-Za-z]))?\s*"
_BRACKETS = re.compile(r"[\[\]]")
_INTERVAL = re.compile(
    r"(?P<before>(?:\\(?:in|subset|subseteq|times|cup|cap|setminus)(?![A-Za-z])|[=:∈⊂⊆∪∩])\s*(?:\\[,;:! ]\s*)*(?:\{\s*)?)"
    rf"(?P<size>{_SIZE})(?P<open>[\[\]])(?P<ends>(?:[^\[\]{{}}()=]|\([^()]*\)|\{{[^{{}}]*\}})*?,(?:[^\[\]{{}}()=]|\([^()]*\)|\{{[^{{}}]*\}})*?)(?P<end>{_SIZE})(?P<close>[\[\]])"
    r"(?=\s*(?:\Z|[,;:.)}&=<>+\-∪∩×→⇒]|\\[,;:! ]|\\(?:cup|cap|times|setminus|to|q?quad|subset|iff|implies|R?rightarrow|Rightarrow|text|setminus)(?![A-Za-z])))"
)


def with_plain_roots(tex: str) -> str:
    return _ROOT.sub(r"\\sqrt[\1]", tex)


def with_tables(tex: str) -> str:
    r"""Return the formula with \cases{…\cr} and \pmatrix{…\cr} as environments; the words in a second column of \cases are a text."""

    def table(found: re.Match[str], groups: Sequence[str]) -> str | None:
        if not groups:
            return None
        rows = _LAST_ROW.sub("", groups[0])
        if found[1] == "cases":
            rows = "&".join([rows.split("&")[0], *map(_as_text, rows.split("&")[1:])])
        name = _TABLES.get(found[1], found[1])
        return f"\\begin{{{name}}}{rows}\\end{{{name}}}"

    return with_commands(tex, _TABLE, 1, table)


def _as_text(cell: str) -> str:
    r"""Return a cell, which goes on to the next &, with words beside mathematics in dollars as \text."""
    second, row, rest = cell.partition("\\cr")
    if "$" not in second:
        return cell
    parts = second.split("$")
    parts[::2] = [f"\\text{{{part}}}" if part.strip(" .,\n") else part for part in parts[::2]]
    return "".join(parts) + row + rest


def with_free_fractions(tex: str) -> str:
    r"""Return the formula with \genfrac as what it draws: a fraction, or two parts without a bar between delimiters."""

    def drawn(found: re.Match[str], groups: Sequence[str]) -> str | None:
        around = (found[1] + found[2]).replace("{", "").replace("}", "").replace("\\", "")
        if len(groups) != 2:
            return None
        if found[3].strip()[:1] == "0":
            return f"{{{groups[0]}\\{_STACKS[around]} {groups[1]}}}" if around in _STACKS else None
        inner = f"\\frac{{{groups[0]}}}{{{groups[1]}}}"
        return f"\\left{around[0]}{inner}\\right{around[1]}" if around in ("()", "[]", "||") else inner

    return with_commands(tex, _FREE_FRACTION, 2, drawn)


def with_compatible_signs(tex: str) -> str:
    """Return the formula with ½ and the like as fractions, and ℃ as a degree and its C."""

    def fraction(found: re.Match[str]) -> str:
        above, _, below = normalize("NFKC", found[0]).partition("⁄")
        return f"\\frac{{{above}}}{{{below}}}" if below else found[0]

    return _CELSIUS.sub(r"{}^{\\circ}\\mathrm{C}", _VULGAR.sub(fraction, tex))


def with_unicode_roots(tex: str) -> str:
    """Return the formula with √(x), √{x}, √2 and ∛x as roots."""
    while found := _SIGN_OF_ROOT.search(tex):
        root = "\\sqrt" if found[1] == "√" else "\\sqrt[3]"
        end = found.end() if found[2] else end_of_group(tex, found.end())
        if end < 0:
            break
        body = found[2] or tex[found.end() + 1 : end - 1]
        tex = f"{tex[: found.start()]}{root}{{{body}}}{tex[end:]}"
    return tex


def with_fences(tex: str) -> str:
    r"""Return the formula with \qty(x), \pqty{x} and the like of physics as x in its brackets."""

    def fence(found: re.Match[str], groups: Sequence[str]) -> str | None:
        opening, closing = _AROUND[found[1]]
        return f"\\left{opening}{groups[0]}\\right{closing}" if groups else "" if not found[1] else None

    return with_commands(tex, _FENCES, 1, fence)


def with_arrowed_limits(tex: str) -> str:
    return ARROWED_LIMIT.sub(lambda found: "\\projlim " if found[1] == "left" else "\\injlim ", tex)


def with_named_operators(tex: str) -> str:
    """Return the formula with names of functions in italic letters before a bracket, Var(X), as names."""
    return _NAME.sub(lambda found: f"\\operatorname{{{found['name']}}}" if found["name"] else found[0], tex)


def with_round_intervals(tex: str) -> str:
    """Return the formula with ]a, b[ as (a, b) where an interval stands."""

    if not "".join(_BRACKETS.findall(tex)).replace("[]", ""):
        return tex

    def interval(found: re.Match[str]) -> str:
        if found["open"] + found["close"] == "[]" or not found["ends"].rpartition(",")[2].strip("\\, "):
            return found[0]
        opening, closing = "(["[found["open"] == "["], ")]"[found["close"] == "]"]
        return f"{found['before']}{found['size']}{opening}{found['ends']}{found['end']}{closing}"

    return _INTERVAL.sub(interval, tex)


def without_braces_of_signs(tex: str) -> str:
    return _MOD_IN_BRACES.sub(r" \1 ", _BIG_IN_BRACES.sub(r" \1 ", tex))


def with_open_boxes(tex: str) -> str:
    r"""Return the formula with mathematics in boxes of text outside of them: \mbox{if $x_{1} > 0$}, \mbox{\boldmath$k$}."""
    return _DOLLAR.sub(" ", _BOX.sub(_open_box, tex))


def _open_box(box: re.Match[str]) -> str:
    """Return a box of text as its words and its mathematics in turn; without words it is a group, in which its styles hold."""
    parts = _DOLLAR.split(box[1])
    if all(map(_COMMANDS.fullmatch, parts[::2])):
        return f"{{{' '.join(parts)}}}"
    return " ".join(part if n % 2 or not part.strip() else f"\\text{{{part}}}" for n, part in enumerate(parts))


def with_parts_of_complex_numbers(tex: str) -> str:
    return _PART.sub(r"\\operatorname{\1}", tex)


def with_raised_characters(tex: str) -> str:
    """Return the formula with superscripts of Unicode as scripts: E = mc², 10⁻³."""
    return _RAISED.sub(lambda found: f"^{{{found[0].translate(_ON_THE_LINE)}}}", tex)
