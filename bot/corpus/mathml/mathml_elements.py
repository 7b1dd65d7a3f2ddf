"""MathML's elements with arguments as TeX: scripts, fractions, roots, accents, limits, fences, tables."""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from bot.corpus.mathml.mathml_rows import VERTICAL, TexPiece, ends_in_superscript, join_row, separator_between
from bot.corpus.mathml.mathml_tokens import token_to_tex
from bot.corpus.xml_parsing import Element


class TableRows(list[list[dict[str, str]]]):
    """A table without a tree: the attributes of the cells of each row, with its own."""

    def __init__(self, rows: list[list[dict[str, str]]], attributes: Mapping[str, str]) -> None:
        super().__init__(rows)
        self.get = attributes.get


Attributes = Element | Mapping[str, str] | TableRows  # an element, or its attributes

# Characters of one accent: the macro over one letter, and over more.
_ACCENTS = {
    sign: (narrow, wide)
    for signs, narrow, wide in (
        (["→", "⃗"], "vec", "overrightarrow"), (["←", "⃖"], "overleftarrow", "overleftarrow"),
        (["↔", "⃡"], "overleftrightarrow", "overleftrightarrow"), (["^", "ˆ", "̂", "⌃"], "hat", "widehat"),
        (["~", "˜", "̃", "∼"], "tilde", "widetilde"), (["-", "–", "−", "—", "¯", "‾", "_", "̲", "̄", "̅"], "bar", "overline"),
        ([".", "˙", "̇"], "dot", "dot"), (["¨", "̈", ".."], "ddot", "ddot"), (["ˇ", "̌"], "check", "check"), (["˘", "̆"], "breve", "breve"),
        (["´", "́"], "acute", "acute"), (["`", "̀"], "grave", "grave"), (["⏞", "︷"], "overbrace", "overbrace"),
    )
    for sign in signs
}  # fmt: skip
_ENCLOSING = {
    "updiagonalstrike": "cancel", "downdiagonalstrike": "bcancel", "radical": "sqrt", "top": "overline", "bottom": "underline",
}  # fmt: skip
_UNDER = {**dict.fromkeys("_-–−¯‾̲", "underline"), "⏟": "underbrace", "︸": "underbrace"}
_BIG = re.compile(
    r"\\(?:sum|prod|coprod|lim|max|min|sup|inf|limsup|liminf|big(?:cup|cap|oplus|otimes|vee|wedge|sqcup)|operatorname\*?\{[^{}]*\}|over(?:brace).*|under(?:brace).*)$",
    re.S,
)
_INTEGRAL = re.compile(r"\\(?:i{1,3}nt|oint)$")
_UNRAISED = {"", "'", "''", "'''", "''''", r"^{\circ}"}  # superscripts that stand as they are
_SINGLE = {"mi", "mn", "mo", "mtext", "mover", "munder", "mtable", "msqrt", "mfenced"}
_ONE_TOKEN = re.compile(r"\\[A-Za-z]+|[A-Za-z]|\\[A-Za-z]+\{[^{}]*\}")
_ONE_LETTER = re.compile(r"\\text\{(.)\}")
_RELATES = re.compile(r"(?:[=<>]|\\(?:approx|equiv|simeq|leq|geq)(?![A-Za-z]))")
_NARROW = re.compile(r"(?:\\(?:mathbf|boldsymbol|mathrm|mathcal|text)\{)?(?:\\[A-Za-z]+|.)\}?")
_NO_LINE = re.compile(r"0+(?:\.0+)?\s*[a-z]*")
_LIMIT_NAME = re.compile(
    r"(\\arg)?(?:\\[,;: ]|\s)*\\(?:text|mathrm)\{((?:arg ?)?(?:max|min)|sup|inf|lim|máx|mín|lím)\}"
)
_WITHOUT_ACCENT = str.maketrans("áí", "ai")


def _base(part: TexPiece) -> str:
    """Return a base that scripts can follow; what is more than one thing goes into braces."""
    tex = "" if part.tag == "mspace" else part.tex
    single = part.tag in _SINGLE or _ONE_TOKEN.fullmatch(tex) or _in_fences(tex)
    return tex if tex and single and tex[0] not in "^'-" and not ends_in_superscript(tex) else f"{{{tex}}}"


def _in_fences(tex: str) -> bool:
    r"""Tell whether one pair of ( ) or \left( \right) holds all of it."""
    if not tex.endswith(")") or not tex.startswith(("(", r"\left(")):
        return False
    depth = 0
    for n, character in enumerate(tex):
        depth += (character == "(") - (character == ")")
        if not depth and character == ")":
            return n == len(tex) - 1
    return False


def _sub(parts: Sequence[TexPiece]) -> str:
    return f"{_base(parts[0])}{_below(parts[1])}" if not _is_blank(parts[1]) else parts[0].tex


def _is_blank(part: TexPiece) -> bool:
    """Tell whether a script shows nothing: an editor's blank that holds a place or lifts another."""
    return not part.tex or part.tag == "mspace"


def _below(part: TexPiece) -> str:
    return "" if _is_blank(part) else f"_{{{part.tex}}}"


def _sup(parts: Sequence[TexPiece]) -> str:
    base, sup = parts[:2]
    if _is_blank(sup):
        return base.tex
    # {x_1}^2 and x_1^2 are set alike; the second is how people write it.
    return (base.tex if base.tag == "msub" else _base(base)) + _above(sup)


def _subsup(parts: Sequence[TexPiece]) -> str:
    base, sub, sup = parts[:3]
    return f"{_base(base)}{_below(sub)}{_above(sup)}" if not _is_blank(sub) else _sup((base, sup))


def _above(part: TexPiece) -> str:
    return "" if _is_blank(part) else part.tex if part.tex in _UNRAISED else f"^{{{part.tex}}}"


def _frac(element: Attributes, parts: Sequence[TexPiece]) -> str:
    if _NO_LINE.fullmatch(element.get("linethickness", "1")):
        return f"{{{parts[0].tex} \\atop {parts[1].tex}}}"
    return f"\\frac{{{parts[0].tex}}}{{{parts[1].tex}}}"


def _sqrt(parts: Sequence[TexPiece]) -> str:
    return f"\\sqrt{{{join_row(parts)}}}"


def _root(parts: Sequence[TexPiece]) -> str:
    index = parts[1].tex
    return f"\\sqrt[{f'{{{index}}}' if ']' in index else index}]{{{parts[0].tex}}}"


def _over(parts: Sequence[TexPiece]) -> str:
    base, over = parts[0], _accent_sign(parts[1])
    if not over:
        return base.tex
    if over in _ACCENTS:
        narrow, wide = _ACCENTS[over]
        letter = _ONE_LETTER.fullmatch(base.tex)  # one letter of text under an accent is a symbol
        return f"\\{narrow if _NARROW.fullmatch(base.tex) else wide}{{{letter[1] if letter else base.tex}}}"
    limits = _limits(base)
    return f"{limits}^{{{parts[1].tex}}}" if limits else f"\\overset{{{parts[1].tex}}}{{{base.tex}}}"


def _under(parts: Sequence[TexPiece]) -> str:
    base, under = parts[0], _accent_sign(parts[1])
    if not under:
        return base.tex
    if under in _UNDER:
        return f"\\{_UNDER[under]}{{{base.tex}}}"
    limits = _limits(base)
    return f"{limits}_{{{parts[1].tex}}}" if limits else f"\\underset{{{parts[1].tex}}}{{{base.tex}}}"


def _under_over(parts: Sequence[TexPiece]) -> str:
    base, under, over = parts[0], parts[1].tex, parts[2].tex
    if not under or not over:
        return _over((base, parts[2])) if over else _under((base, parts[1]))
    limits = _limits(base)
    return (
        f"{limits}_{{{under}}}^{{{over}}}" if limits else f"\\overset{{{over}}}{{\\underset{{{under}}}{{{base.tex}}}}}"
    )


def _limits(base: TexPiece) -> str:
    """Return a base whose scripts stand above and below it, "" for any other."""
    if named := _LIMIT_NAME.fullmatch(base.tex):
        name = f"{'arg' if named[1] else ''}{named[2].replace(' ', '')}".translate(_WITHOUT_ACCENT)
        return f"\\{name}" if len(name) == 3 else f"\\operatorname*{{{name}}}"
    return base.tex + r"\limits" if _INTEGRAL.match(base.tex) else base.tex if _BIG.match(base.tex) else ""


def _accent_sign(part: TexPiece) -> str:
    """Return the sign of an accent from its TeX: accents are tokens that are spelt already."""
    letter = _ONE_LETTER.fullmatch(part.tex)
    return letter[1] if letter else _ACCENT_TEX.get(part.tex, part.tex)


def _fence(character: str) -> str:
    tex = token_to_tex("mo", character)
    return VERTICAL.get(tex, tex)


def _fenced(element: Attributes, parts: Sequence[TexPiece]) -> str:
    opening, closing = (_fence(element.get(side, default)) for side, default in (("open", "("), ("close", ")")))
    if len(parts) == 1 and parts[0].tag == "mtable":
        return join_row([TexPiece(opening, "mo"), parts[0], TexPiece(closing, "mo")])
    if opening or closing:
        opening, closing = opening or ".", closing or "."
    marks = "".join(element.get("separators", ",").split())
    tall = any(part.tall for part in parts) or "." in (opening, closing)
    last = len(marks) - 1
    signs = [token_to_tex("mo", marks[min(n, last)]) if marks else "" for n in range(len(parts) - 1)]
    separated = "".join(f"{part.tex}{sign}" for part, sign in zip(parts, (*signs, ""), strict=False))
    body = separated if marks else join_row(parts)
    if not opening:
        return body
    inside = f"{separator_between(opening, body)}{body}"
    return f"\\left{opening}{inside}\\right{closing}" if tall else f"{opening}{inside}{closing}"


def _enclosed(element: Attributes, parts: Sequence[TexPiece]) -> str:
    macro = next((macro for mark, macro in _ENCLOSING.items() if mark in element.get("notation", "")), "")
    return f"\\{macro}{{{join_row(parts)}}}" if macro else join_row(parts)


def _table(element: Element | TableRows, parts: Sequence[TexPiece]) -> str:
    """Return aligned for two columns, else an array that keeps the columns' sides; rows that only go on are one chain a = b = c."""
    rows = [part.tex for part in parts if part.tex.strip(" &")]
    if chain := _chain([line.split(" & ") for line in rows]):
        return chain
    body = r" \\ ".join(rows)
    columns = max((len(line) for line in element), default=0)
    if columns == 2:
        return f"\\begin{{aligned}}{body}\\end{{aligned}}"
    return f"\\begin{{array}}{{{_sides(element, columns)}}}{body}\\end{{array}}"


def _chain(rows: Sequence[Sequence[str]]) -> str:
    """Return the rows of a table as one line where only the first has a left side and all go on with a relation."""
    if len(rows) < 2 or not rows[0][0].strip() or "\\begin{" in "".join(map("".join, rows)):
        return ""
    if max(map(len, rows)) > 1:  # the left sides have a column of their own
        further = [
            line[1] if len(line) in (2, 3) and (n == 0 or not line[0].strip()) else "" for n, line in enumerate(rows)
        ]
    else:
        further = [line[0] for line in rows[1:]]
    if not all(_RELATES.match(cell.strip()) for cell in further):
        return ""
    built = ""
    for cell in (cell.strip() for line in rows for cell in line):
        built += separator_between(built, cell) + cell
    return built


def _sides(element: Element | TableRows, columns: int) -> str:
    alignments = str(element.get("columnalign", "")).split()
    first = next((line for line in element if len(line) == columns), None)
    cells = [] if first is None else [str(cell.get("columnalign", "")) for cell in first]
    sides = [cell or (alignments[min(n, len(alignments) - 1)] if alignments else "") for n, cell in enumerate(cells)]
    return "".join(side[0] if side and side[0] in "lcr" else "c" for side in sides) or "c"


def _tensor(parts: Sequence[TexPiece]) -> str:
    """Return the indices of mmultiscripts around their base; <none/> leaves a gap."""
    names = [part.tag for part in parts]
    cut = names.index("mprescripts") if "mprescripts" in names else len(names)
    after, before = parts[1:cut], parts[cut + 1 :]
    return _indices("{}", before) + _indices(_base(parts[0]), after)


def _indices(base: str, parts: Sequence[TexPiece]) -> str:
    built: list[str] = []
    for sub, sup in zip(parts[::2], parts[1::2], strict=False):
        pair = _below(sub) + (f"^{{{sup.tex}}}" if sup.tex else "")
        built.append(("{}" if built else base) + pair)
    return "".join(built) or ("" if base == "{}" else base)


ELEMENT_BUILDERS: dict[str, Callable[[Sequence[TexPiece]], str]] = {
    "msub": _sub, "msup": _sup, "msubsup": _subsup, "msqrt": _sqrt, "mroot": _root, "mover": _over, "munder": _under, "munderover": _under_over,
    "mmultiscripts": _tensor, **dict.fromkeys(("mtr", "mlabeledtr"), lambda parts: " & ".join(part.tex for part in parts)),
    **dict.fromkeys(("semantics", "maction"), lambda parts: parts[0].tex),
}  # fmt: skip
ATTRIBUTE_BUILDERS: dict[str, Callable[[Any, Sequence[TexPiece]], str]] = {
    "mfrac": _frac, "mfenced": _fenced, "menclose": _enclosed, "mtable": _table,  # which needs the element itself
}  # fmt: skip
MIN_CHILDREN = {
    "msub": 2, "msup": 2, "msubsup": 3, "mfrac": 2, "mroot": 2, "mover": 2, "munder": 2, "munderover": 3,
    "mmultiscripts": 1, "semantics": 1, "maction": 1,
}  # fmt: skip
_ACCENT_TEX = {
    r"\to": "→", r"\leftarrow": "←", r"\leftrightarrow": "↔", r"\wedge": "^", r"\sim": "~", r"\text{^}": "^", r"\_": "_",
}  # fmt: skip
