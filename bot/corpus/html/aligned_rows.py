"""Rejoin what LaTeXML split: the cells of an eqnarray or align row to one formula, and rows that only go on."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from bot.formula.features.sides import FENCES, relations

_STYLE = re.compile(r"^\s*\\(?:displaystyle|textstyle)(?![A-Za-z])\s*")
_RELATION = (
    r"(?:=|(?<!\\left)<|(?<!\\right)>|:=|\\(?:equiv|approx|approxeq|simeq|sim|cong|propto|neq|ne|leq?|geq?|leqslant|geqslant|ll|gg|lesssim|gtrsim|lessapprox|gtrapprox"
    r"|to|rightarrow|longrightarrow|mapsto|Rightarrow|Longrightarrow|implies|Leftrightarrow|iff|in|subset|subseteq|doteq|triangleq|coloneqq|asymp|prec|succ"
    r"|stackrel|overset|mathrel)(?![A-Za-z]))"
)
_RELATION_ALONE = re.compile(rf"\s*{_RELATION}\s*")
# Not > alone, which may be that of a ket, nor a part of <=, ==, !=
_ENDS_IN_RELATION = re.compile(
    rf"(?:\s|\\[,;: ])*(?:(?<![<>=!^_])(?:\\not\s*)?(?![<>]){_RELATION}|\\(?:stackrel|overset)\s*(?:\{{(?:[^{{}}]|\{{[^{{}}]*\}})*\}}|[^\s{{}}\\])\s*\{{?{_RELATION}\}}?)\s*\Z"
)
_MAX_RELATION_LENGTH = 200  # characters with what stands over it and the blanks before it
_GOES_ON = re.compile(
    r"(?:\\[,;:! ]|\\q?quad(?![A-Za-z])|\s|\{\}|&)*(?:[+\-*/)\]]|\\(?:times|cdot|pm|mp|left|right|bigg?[lr]?|Bigg?[lr]?|otimes|wedge|circ|div)(?![A-Za-z]))"
)
_UNFINISHED = re.compile(
    rf"(?<![\^_{{])(?:[+\-=(\[]|\\(?:\{{|(?:times|cdot|pm|mp)(?![A-Za-z]))|(?![<>]){_RELATION})\s*\Z"
)
# What says how a formula follows from the one before is no part of either.
_BLANK = r"(?:\\[,;:! ]|\\q?quad(?![A-Za-z])|\s|\{\}|&)*"
_STARTS_WITH_RELATION = re.compile(rf"{_BLANK}(?=\{{?{_RELATION})")
_EMPTY_GROUPS = re.compile(r"\A(?:\s*\{\s*\})+(?!\s*[_^'])")  # which publishers set beside a mark of columns
_FOLLOWS = rf"(?:{_BLANK}\\(?:iff|implies|impliedby|(?:Longr|R|L(?:ongl)?eftr)ightarrow|Downarrow|therefore|because)(?![A-Za-z]))+"
# What begins a formula of its own as well: an arrow, < of a bra, a sign over another
_MAY_BEGIN = re.compile(
    rf"{_BLANK}(?:[<>]|\\(?:[A-Za-z]*arrow|to|mapsto|implies|iff|stackrel|overset|mathrel)(?![A-Za-z]))"
)
_STARTS_WITH_FOLLOWS = re.compile(_FOLLOWS + _BLANK)
_ENDS_IN_FOLLOWS = re.compile(rf"{_FOLLOWS}{_BLANK}\Z")
_LEFT, _RIGHT = "ltx_align_right", "ltx_align_left"  # the left side of a relation is set flush right
_ENDS_IN_COMMAND = re.compile(r"(?<!\\)(?:\\\\)*\\([A-Za-z]*)$")


@dataclass(frozen=True, slots=True)
class AlignedCell:
    tex: str
    classes: str = ""


def formulas_of_rows(rows: Sequence[Sequence[AlignedCell]]) -> list[str]:
    """Return one formula for each row; a row that only continues a formula belongs to the row before.

    A row that opens with a relation gets the left side above it, so that `a = b \\\\ = c` gives `a=b` and `a=c`;
    one that opens with an arrow or a sign for "it follows" is a formula of its own.
    """
    found: list[str] = []
    previous = ""  # whose left side holds
    for row in rows:
        for tex in _formulas_of_row(row):
            if follows := _STARTS_WITH_FOLLOWS.match(tex):
                tex = tex[follows.end() :]
            tex = _ENDS_IN_FOLLOWS.sub("", tex)
            if not tex:
                continue
            if found and not follows and (relation := _STARTS_WITH_RELATION.match(tex)):
                found[-1], previous = _without_relation_at_end(found[-1]), _without_relation_at_end(previous)
                tex = tex[relation.end() :]
                if found[-1] == previous and not has_relation(previous):  # a left side on a row of its own
                    found[-1] = previous = f"{previous.rstrip()} {tex}"
                else:
                    found.append(f"{left_side(previous)}{tex}")
            # A row that only continues the formula before it
            elif (
                found and not follows and (_GOES_ON.match(tex) or _UNFINISHED.search(found[-1])) and not left_side(tex)
            ):
                found[-1] = f"{found[-1].rstrip()} {tex}"
            else:
                previous = tex
                found.append(tex)
    return found


def has_relation(tex: str) -> bool:
    """Tell whether it has a relation outside of all brackets."""
    return any(depth <= 0 for depth, _ in relations(tex, _RELATION, FENCES))


def goes_on(tex: str, following: str) -> bool:
    """Tell whether a formula stops at the sign of a relation, or the one that follows it begins with one that begins no formula."""
    if is_relation(tex) or is_relation(following) or _ENDS_IN_FOLLOWS.search(tex):
        return False
    if _STARTS_WITH_RELATION.match(following):
        return not _MAY_BEGIN.match(following)
    return _without_relation_at_end(tex) != tex and not left_side(following)


def without_open_relation(tex: str) -> str:
    """Return an equation without a relation that nothing follows; `a=` alone stays."""
    closed = _without_relation_at_end(tex)
    return closed if closed != tex and left_side(closed) else tex


def _without_relation_at_end(tex: str) -> str:
    tail = tex[-_MAX_RELATION_LENGTH:]
    found = _ENDS_IN_RELATION.search(tail)
    return tex[: len(tex) - len(tail) + found.start()] if found else tex


def is_relation(tex: str) -> bool:
    """Tell whether TeX is the sign of a relation and nothing else."""
    return _RELATION_ALONE.fullmatch(_STYLE.sub("", tex)) is not None


def left_side(tex: str) -> str:
    """Return the part before the first relation outside all brackets, "" if there is none."""
    return next((tex[: sign.start()] for depth, sign in relations(tex, _RELATION, FENCES) if depth <= 0), "")


def _formulas_of_row(row: Sequence[AlignedCell]) -> list[str]:
    """Return the formulas of one row: an align with several columns holds one in each pair of cells."""
    groups: list[list[str]] = [[]]
    seen_right = False
    for cell in row:
        tex = _EMPTY_GROUPS.sub("", _STYLE.sub("", cell.tex)).strip()
        if not tex:
            continue
        if _LEFT in cell.classes and seen_right:
            groups.append([])
            seen_right = False
        seen_right = seen_right or _RIGHT in cell.classes
        groups[-1].append(tex)
    return [_join_cells(group) for group in groups if group]


def _join_cells(cells: Sequence[str]) -> str:
    """Join cells; a blank only where two letters would make another command, or a backslash was before one."""
    tex = ""
    for cell in cells:
        command = _ENDS_IN_COMMAND.search(tex)
        tex += f" {cell}" if command and (not command[1] or cell[:1].isalpha()) else cell
    return tex
