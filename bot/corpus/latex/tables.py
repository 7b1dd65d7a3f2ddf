"""Rows of a table: cells of a column of mathematics (`>{$}l<{$}`) are formulas, and a formula that is cut at its relation is one."""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from bot.corpus.html import aligned_rows
from bot.corpus.latex.macros import Macro, substitute_arguments
from bot.corpus.latex.stream import TokenStream

_SIGN = re.compile(
    r"\\begin(?![A-Za-z])|\\end(?![A-Za-z])|\\\\|\\(?:tabularnewline|crcr|cr)(?![A-Za-z])|\\.|%[^\n]*|[{}&]", re.S
)
_RULES = re.compile(
    r"(?:\s|\\(?:hline|firsthline|lasthline|endhead|endfirsthead|endfoot|endlastfoot|centering)(?![A-Za-z])"
    r"|\\(?:toprule|midrule|bottomrule|addlinespace)(?![A-Za-z])\s*(?:\[[^\]]*\])?"
    r"|\\(?:cline|hhline|rowcolor|noalign|cmidrule|specialrule)(?![A-Za-z])\s*(?:\([^)]*\)|\[[^\]]*\]|\{[^{}]*\})*)*"
)
_COMMENT = re.compile(r"(?<!\\)((?:\\\\)*)%[^\n]*\n?[ \t]*")
_EMPTY_LINES = re.compile(r"\n\s*\n")
_DOLLAR = re.compile(r"(?<!\\)\$")
_FORMULA = re.compile(r"\s*(?:\$(?P<one>(?:[^$\\]|\\.)+)\$|\\\((?P<other>(?:(?!\\\)).)+)\\\))\s*", re.S)
_WORDS = re.compile(r"\\(?:text(?:bf|it|rm|sf)?|mbox|hbox)\s*\{([^{}$\\]*)\}")
_STOP = re.compile(r"(?<!\\)[.,:;]\Z")
_SEVERAL = re.compile(r"\\multicolumn\s*\{\s*(\d{1,2})\s*\}")
_OPERATOR = re.compile(r"\s*(?:[+\-,]|\\(?:pm|mp|cdot|times)(?![A-Za-z]))\s*")
_OPENS = re.compile(
    r"\s*(?:\\displaystyle\s*)?(?:=|:=|\\(?:equiv|coloneqq|triangleq|approx|propto|cong|simeq)(?![A-Za-z]))"
)
_LETTERS_WITH_ARGUMENTS = {**dict.fromkeys("pmbP", 1), **dict.fromkeys("wW", 2), "D": 3}
_MAX_COLUMNS = 200
_MAX_ROW = 20_000  # characters
_MAX_DEPTH = 10  # names of columns within names


def mathematical_columns(spec: str, types: Mapping[str, Macro]) -> tuple[bool, ...]:
    """Tell of each column that a table states whether its cells are mathematics; `types` are the author's own letters."""
    return tuple(_columns(spec, types, 0))[:_MAX_COLUMNS]


def _columns(spec: str, types: Mapping[str, Macro], depth: int) -> Iterator[bool]:
    stream = TokenStream(spec)
    opened = False
    while depth < _MAX_DEPTH and stream.peek():
        letter = stream.argument()
        if letter == ">":
            opened = _is_open(stream.argument())
        elif letter in ("<", "@", "!"):
            stream.argument()
        elif letter == "*":
            times, repeated = stream.argument().strip(), stream.argument()
            count = min(int(times), _MAX_COLUMNS) if times.isdigit() else 1
            yield from tuple(_columns(repeated, types, depth + 1))[:_MAX_COLUMNS] * count
        elif letter in types:
            own = types[letter]
            yield from _columns(substitute_arguments(own.parts, own.arguments(stream)), types, depth + 1)
            opened = False
        elif letter.isalpha():
            for _ in range(_LETTERS_WITH_ARGUMENTS.get(letter, 0)):
                stream.argument()
            stream.optional()
            yield opened
            opened = False


def _is_open(before: str) -> bool:
    """Tell whether what stands before each cell of a column leaves mathematics open."""
    return bool(len(_DOLLAR.findall(before)) % 2) or before.rstrip().endswith("\\(")


def rewritten_row(text: str, start: int, mathematical: Sequence[bool]) -> tuple[str, int] | None:
    """Return the row that begins here with its formulas between dollars, and where it ends; None if it can stay as it is."""
    start = _RULES.match(text, start).end()  # type: ignore[union-attr]
    cells, end = _cells(text, start)
    if end < 0 or not (any(mathematical) or "$" in text[start:end] or "\\(" in text[start:end]):
        return None
    formulas: list[str | None] = []
    behind: list[str] = []  # words behind the formula of a cell
    column = 0
    for cell in cells:
        several = _SEVERAL.match(cell)
        in_column = not several and column < len(mathematical) and mathematical[column]
        tex, words = _formula(cell, in_column=in_column)
        formulas.append(tex)
        behind.append(words)
        column += int(several[1]) if several else 1
    joined = _joined(formulas, behind)
    if joined == formulas and not any(mathematical):
        return None
    kept = [n for n, tex in enumerate(joined) if tex or not formulas[n]]  # not the cells that went into another
    return "&".join(_between_dollars(joined[n]) + behind[n] for n in kept), end


def _cells(text: str, start: int) -> tuple[list[str], int]:
    """Return the cells of a row and where it ends, before its `\\\\` or the end of the table; -1 if it does not end."""
    cells: list[str] = []
    depth = 0
    for found in _SIGN.finditer(text, start, start + _MAX_ROW):
        sign = found[0]
        if sign in ("{", "\\begin"):
            depth += 1
        elif depth and sign in ("}", "\\end"):
            depth -= 1
        elif not depth and sign in ("&", "\\\\", "\\tabularnewline", "\\cr", "\\crcr", "\\end"):
            cells.append(_EMPTY_LINES.sub("\n", _COMMENT.sub(r"\1", text[start : found.start()])).strip())
            if sign != "&":
                return cells, found.start()
            start = found.end()
        elif sign == "}":
            break
    return [], -1


def _formula(cell: str, *, in_column: bool) -> tuple[str | None, str]:
    """Return the TeX of a cell that is a formula ("" for an empty cell, None for one of text), and the words behind it."""
    if in_column and not _WORDS.fullmatch(cell):
        tex = _STOP.sub("", cell)
        return tex.rstrip(), cell[len(tex) :]
    found = _FORMULA.match(cell)
    if not found:
        return None if cell else "", cell
    tex = found["one"] or found["other"]
    return (tex, f" {cell[found.end() :]}".rstrip()) if found.end() == len(cell) or _OPENS.match(tex) else (None, cell)


def _joined(formulas: Sequence[str | None], behind: Sequence[str]) -> list[str | None]:
    """Return the formulas of a row with those in one that a table cuts at the relation: in their first cell, the others empty."""
    out = list(formulas)
    stop = 0
    while stop < len(out):
        begin = stop
        while stop < len(out) and out[stop] is not None and (stop == begin or not behind[stop - 1]):
            stop += 1
        _join_run([n for n in range(begin, stop) if out[n]], out)
        stop = max(stop, begin + 1)
    return out


def _join_run(cells: Sequence[int], formulas: list[str | None]) -> None:
    """Join what a relation alone, or at the beginning of a cell, says is one formula."""
    run = [formulas[n] or "" for n in cells]
    alone = [aligned_rows.is_relation(tex) for tex in run]
    cut = any(alone[1:]) or any(_OPENS.match(tex) for tex in run[1:])
    if not cut or alone[0] or any(map(all, pairwise(alone))):
        return
    joined, first = run.copy(), 0
    for place in range(1, len(run)):
        if _binds(run[place]) or _OPENS.match(run[place]) or _binds(run[place - 1]):
            joined[first] += f" {run[place]}"
            joined[place] = ""
        else:
            first = place
    for n, tex in zip(cells, joined, strict=True):
        formulas[n] = tex


def _binds(tex: str) -> bool:
    return aligned_rows.is_relation(tex) or _OPERATOR.fullmatch(tex) is not None


def _between_dollars(tex: str | None) -> str:
    """Return mathematics as text has it; a dollar within leaves it for words."""
    parts = _DOLLAR.split(tex or "")
    return " ".join(part if n % 2 else f"${part}$" for n, part in enumerate(parts) if part.strip())
