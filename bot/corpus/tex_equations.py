r"""TeX as an author typed it for a display to its equations: documents, delimiters, environments and labels off, rows apart."""

import re
from collections.abc import Iterator, Sequence
from itertools import chain, cycle, zip_longest

from bot.corpus.draft import collapse_blanks
from bot.corpus.html.aligned_rows import AlignedCell, formulas_of_rows, has_relation, is_relation, left_side
from bot.formula.tex.spelling.groups import end_of_group
from bot.formula.tex.symbols import LETTERS

_DOCUMENT = re.compile(r"\\begin\s*\{document\}(.*?)(?:\\end\s*\{document\}|\Z)", re.S)
_COMMENT = re.compile(r"(?<!\\)((?:\\\\)*)%[^\n]*\n?")
# What numbers an equation or points at it, and is not part of it.
_LABELS = re.compile(
    r"\\(?:label|tag\*?|(?:eq|auto|[cC])?ref\*?)\s*\{[^{}]*\}|\\(?:nonumber|notag|allowdisplaybreaks|displaybreak)(?![A-Za-z])|\(\\?#eq:[\w:-]+\)|\\l?eqno\s*(?:\([^()]*\)|\{[^{}]*\}|\$[^$]*\$)"
    r"|\\(?:numberwithin|(?:set|addto)counter|definecolor\s*\{[^{}]*\})\s*\{[^{}]*\}\s*\{[^{}]*\}"
)
_COLOUR = re.compile(r"(\\[A-Za-z]+)?\s*\\(?:text)?color\s*(?:\[[^\[\]]*\])?\s*\{[^{}]*\}\s*")
_NEW_LINE = re.compile(r"\\newline(?![A-Za-z])")
# The sign of the standard state drawn as a circle over a line
_DRAWN_STANDARD_STATE = re.compile(
    r"-\s*\\kern\s*-[\d.]+\s*[a-z]{2}\s*\{?\s*\\(?:ominus|circ|bigcirc)\s*\}?\s*\\kern\s*-[\d.]+\s*[a-z]{2}\s*-(?![A-Za-z])"
)
# Words between the rows of a display
_INTERTEXT = re.compile(r"(?:\\\\\s*)?\\(?:short)?intertext\s*\{(?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*\}")
_BLANK_AS_TEXT = re.compile(r"\\(?:text|[mh]box)\s*\{[\s~]+\}")  # of MathType
_STOP_AS_TEXT = re.compile(r"\\text\s*\{\s*([.,;:])\s*\}")  # PreTeXt sets the stop behind a formula so
# Blanks at the edges, and sizes; a blank behind a backslash is a sign of the formula.
_SIZE = re.compile(
    r"\A\s*(?:(?:\\displaystyle\s*)?\\(?:tiny|scriptsize|footnotesize|small|normalsize|large|Large|LARGE|huge|Huge|centering)(?![A-Za-z])\s*|\\displaystyle\s*(?=\\begin))*|(?<!\\)\s+\Z"
)
_DELIMITERS = (("$$", "$$"), (r"\[", r"\]"), (r"\(", r"\)"), ("$", "$"))
_OPENING = re.compile(r"\s*\\begin\s*\{([A-Za-z]+)(\*?)\}")
_SINGLE_EQUATION = frozenset("equation displaymath math dmath empheq subequations multline".split())
_ROW_ENVIRONMENTS = frozenset(
    "align alignat xalignat xxalignat flalign gather eqnarray aligned alignedat gathered split dgroup".split()
)
_ENVIRONMENTS = _SINGLE_EQUATION | _ROW_ENVIRONMENTS
# Behind a bar, what is done to the equation next: `2x=4 |:2`, as pupils write.
_OPERATION = re.compile(
    r"(?:\\q?quad(?![A-Za-z])|\\[,;: ]|~|\s){0,8}(?:\\mid(?![A-Za-z])|(?<!\\)\|)\s*(?=[+\-:]|\\(?:cdot|div|divsymbol|boxed|sqrt)(?![A-Za-z]))(?:(?!\\mid(?![A-Za-z]))[^|])*\Z"
)
_COLUMNS = re.compile(r"\A\s*(?:\[[a-z]\]\s*)?\{(?:[^{}]|\{[^{}]*\})*\}")
# `[t]` and the number of columns; of some environments options: \begin{dmath}[label=a]. Other brackets are the formula's.
_ARGUMENT = re.compile(r"\s*(?:\[[tbc]?\]|\{\d+\})?")
_OPTIONS = re.compile(r"\s*(?:\[[^\[\]]*\])?")
_WITH_OPTIONS = frozenset("dmath dgroup empheq".split())
_TOKEN = re.compile(
    r"\\begin\s*\{(\w+)\*?\}|\\end\s*\{\w+\*?\}|\\\\\*?(?:\s*\[\s*-?[\d.]+\s*[a-z]{2}\s*\])?|\\.|[{}&]", re.S
)
_LEFT, _RIGHT = re.compile(r"\\left(?![A-Za-z])"), re.compile(r"\\right(?![A-Za-z])")
_OPEN_ENDS = frozenset("=<>+-*/(")  # after which an equation goes on, as after a comma in brackets
_BRACKETS = (("(", ")"), ("[", "]"), ("{", "}"))
_WORDS = re.compile(r"\s*(?:\\q?quad\s*)*\\(?:text\w*|mbox|hbox)\s*\{")
_INSIDE = r"(?:[^{}$]++|\{(?:[^{}$]++|\{(?:[^{}$]++|\{[^{}$]*+\})*+\})*+\})*+"  # of a formula
_MIXED = re.compile(
    rf"(?P<box>\\(?:text\w*|mbox|hbox))\s*\{{(?P<inside>[^{{}}$]*\${_INSIDE}\$(?:[^{{}}$]*\${_INSIDE}\$)*[^{{}}$]*)\}}"
)
# A box of words and nothing else; beside text, several words.
_ACCENT = r"\\['`^\"~=.]\s?(?:\{?[A-Za-z]\}?|\{\\i\})"
_ONLY_WORDS = re.compile(rf"\s*\\(?:text|textrm|textnormal|mbox|hbox)\{{((?:[^{{}}\\]|{_ACCENT})*)\}}\s*")
_SEVERAL_WORDS = re.compile(
    r"\s*\\(?:text\w*|mbox|hbox)\{([^{}\\]*[^\W\d_]{2},? (?:[^\W\d_] )?[^\W\d_]{2}[^{}\\]*)\}\s*"
)
_SIGNS_OF_TEXT = {r"\S": "§", r"\P": "¶"}
# What counts the rows of a display: "a)", and "(ii)" before an empty cell.
_ROW_LABEL = re.compile(
    r"\s*(?:\\(?:text\w*|mbox|mathrm)\s*\{)?\s*(?P<open>\()?(?:[a-z]|[ivxIVX]{1,4}|\d{1,2})\)\s*\}?\s*"
)
_FONTS = re.compile(
    r"\\(?:math(?:bb|bf|cal|frak|it|rm|scr|sf|tt|ds)|Bbb|bm|boldsymbol|operatorname\*?|text\w*|mbox)(?![A-Za-z])\s*"
)
_NAMED_LETTER = re.compile(r"(\\[A-Za-z]+) ?")
_SIMPLE_FRACTION = re.compile(r"\\[dt]?frac\s*\{(\w+)\}\s*\{(\w+)\}")
# Braces that only group go, those of scripts first; those of an argument stay, `\sqrt{1-x}`, and those that are shown.
_SCRIPT_GROUP = re.compile(r"([_^])\{([^{}]*)\}")
_SHAPE = re.compile(r"(\\[A-Za-z]+ ?(?:\{(?:[^{}]|\{[^{}]*\})+\})+)|\\([{}])|[{}]|\\[,;! ]")
_MAX_READABLE_LENGTH = 40  # characters
_MAX_LENGTH = 20_000  # characters: beyond that it is taken as it is
_NESTED = 4  # an environment in an environment in delimiters


def equations(tex: str, *, display: bool) -> list[str]:
    """Return the equations of a formula: of what is displayed those of its rows, else the formula as the only one."""
    return display_equations(tex) if display else [without_delimiters(tex)]


def equations_of_lines(tex: str) -> list[str]:
    """Return the equations of a displayed formula, most of which have one line."""
    return display_equations(tex) if "\\\\" in tex else [tex]


def display_equations(tex: str) -> list[str]:
    """Return the equations of a display in the order of its rows; a continuing row belongs to the one before.

    What holds one formula gives that one, what is blank gives none.
    """
    tex = _NEW_LINE.sub(r"\\\\ ", tex)
    text = without_delimiters(_INTERTEXT.sub(r"\\\\ ", tex) if "intertext" in tex else tex)
    for _ in range(_NESTED):
        found = _OPENING.match(text)
        inner = _environment_body(text, found) if found and len(text) <= _MAX_LENGTH else None
        if found is None or inner is None:
            break
        nested = _OPENING.match(inner)
        if nested and (nested[1] not in _ENVIRONMENTS or _environment_body(inner, nested) is None):
            nested = None
        if found[1] in _ROW_ENVIRONMENTS and not nested:  # a split may hold one align and nothing else
            equations = [one for one in formulas_of_rows(list(_rows(inner, found[1]))) if one.strip()]
            if len(equations) == 1:  # perhaps an array that has the rows
                equations = _equations_by_lines(equations[0]) or equations
            return [_without_operation(one) for one in equations]
        if found[1] not in _ENVIRONMENTS:
            break
        text = " ".join((inner.replace(r"\\", " ") if found[1] == "multline" else inner).split())
    return [_without_operation(one) for one in _equations_by_lines(text) or ([text] if text else [])]


def _without_operation(tex: str) -> str:
    """Return an equation without the note behind a bar, which is none where it closes another or stands in brackets."""
    found = _OPERATION.search(tex) if "|" in tex or "\\mid" in tex else None
    before = tex[: found.start()] if found else tex
    closed = before.count("|") % 2 == 0 and _is_balanced(before)
    return before if closed and left_side(before) else tex


def _equations_by_lines(text: str) -> list[str]:
    """Return the equations that lines or the rows of an array hold; none unless each of them is an equation."""
    found = _OPENING.match(text)
    if "\\\\" not in text or len(text) > _MAX_LENGTH or (found and found[1] != "array"):
        return []
    body = _COLUMNS.sub("", _environment_body(text, found) or "") if found else text
    rows = [[_without_braces(cell) for cell in row] for row in _rows(body, "array") if any(cell.tex for cell in row)]
    if len(rows) < 2 or not all(map(_is_closed, rows)):
        return []
    if any(sum(has_relation(cell.tex) for cell in row) > 1 for row in rows):
        return []
    equations = formulas_of_rows(rows)
    if not all(left_side(each).strip() and _is_whole(each) for each in equations):
        return []
    # One equation on several lines is set in cells only at its relation.
    lines = [[cell.tex for cell in row if cell.tex] for row in rows]
    one = len(lines[0]) == 1 or any(map(is_relation, lines[0]))
    return equations if len(equations) > 1 or (one and all(len(line) == 1 for line in lines[1:])) else []


def _without_braces(cell: AlignedCell) -> AlignedCell:
    """Return a cell without the braces that are around an equation."""
    tex = cell.tex
    if tex.startswith("{") and end_of_group(tex, 0) == len(tex) and has_relation(tex[1:-1]):
        return AlignedCell(tex[1:-1].strip(), cell.classes)
    return cell


def _is_whole(tex: str) -> bool:
    """Tell whether an equation does not go on behind its end."""
    last = tex.rstrip()[-1:]
    return last not in _OPEN_ENDS and (last != "," or _is_balanced(tex))


def _is_balanced(tex: str) -> bool:
    return all(tex.count(opening) == tex.count(closing) for opening, closing in _BRACKETS)


def _is_closed(row: Sequence[AlignedCell]) -> bool:
    r"""Tell whether every \left of a row has its \right."""
    line = " ".join(cell.tex for cell in row)
    return len(_LEFT.findall(line)) == len(_RIGHT.findall(line))


def without_delimiters(tex: str) -> str:
    """Return TeX without the document around it, without comments, labels and math delimiters; a delimiter may lack its other half."""
    document = _DOCUMENT.search(tex)
    text = _STOP_AS_TEXT.sub(r"\1", _COMMENT.sub(r"\1", document[1] if document else tex))
    text = _BLANK_AS_TEXT.sub(r"\\ ", text)
    text = _COLOUR.sub(_without_colour, text) if "color" in text else text
    text = _DRAWN_STANDARD_STATE.sub(r"\\ominus", text) if "\\kern" in text else text
    text = _SIZE.sub("", collapse_blanks(_LABELS.sub("", text)))
    for _ in range(_NESTED):
        before = text
        for start, end in _DELIMITERS:
            if text.startswith(start) and text.endswith(end) and len(text) >= len(start) + len(end):
                text = text[len(start) : len(text) - len(end)].strip()
        if text == before:
            break
    if "$" not in text:
        return text
    if len(re.findall(r"(?<!\\)\$", text)) % 2:
        text = re.sub(r"\A\$+|(?<!\\)\$+\Z", "", text).strip()
    return _MIXED.sub(_split_text_box, text).strip()


def _without_colour(found: re.Match[str]) -> str:
    return f"{found[1]} " if found[1] else ""


def _split_text_box(box: re.Match[str]) -> str:
    """Return words with formulas among them as words and formulas."""
    pieces = box["inside"].split("$")
    words = (f"{box['box']}{{{piece}}}" if piece.strip() else piece[:1] for piece in pieces[::2])
    parted = "".join(chain.from_iterable(zip_longest(words, pieces[1::2], fillvalue="")))
    return f"{{{parted}}}" if box.string[: box.start()].rstrip().endswith(("^", "_")) else parted


def words_alone(tex: str, *, display: bool) -> str | None:
    """Return the words (or the sign for a section) of what is typed as a formula and holds nothing else; None for a formula."""
    if tex.strip() in _SIGNS_OF_TEXT:
        return _SIGNS_OF_TEXT[tex.strip()]
    found = (_ONLY_WORDS if display else _SEVERAL_WORDS).fullmatch(tex)
    return found[1] if found else None


def readable_tex(tex: str) -> str:
    """Return a short formula of a title as readable text: without braces and fonts, letters as characters."""
    if len(tex) > 5 * _MAX_READABLE_LENGTH:
        return tex
    tex = _SIMPLE_FRACTION.sub(r"\1/\2", tex)
    readable = _NAMED_LETTER.sub(_letter, _FONTS.sub("", tex))
    readable = _SHAPE.sub(r"\1\2", _SCRIPT_GROUP.sub(r"\1\2", readable)).lstrip("_^")
    return readable if len(readable) < _MAX_READABLE_LENGTH else tex


def _letter(command: re.Match[str]) -> str:
    sign = LETTERS.get(command[1], "")
    return sign if len(sign) == 1 else command[0]


def _environment_body(text: str, opening: re.Match[str]) -> str | None:
    """Return what an environment holds, or None where something other than a stop follows it."""
    name = re.escape(opening[1] + opening[2])
    depth, end = 1, None
    for each in re.compile(rf"\\(begin|end)\s*\{{{name}\}}").finditer(text, opening.end()):
        depth += 1 if each[1] == "begin" else -1
        if not depth:
            end = each
            break
    if end is None or text[end.end() :].strip(" .,;\n\t"):
        return None
    after = (_OPTIONS if opening[1] in _WITH_OPTIONS else _ARGUMENT).match(text, opening.end())
    start = after.end() if after and ("at" in opening[1] or "[" in after[0]) else opening.end()
    return text[start : end.start()]


def _rows(body: str, environment: str) -> Iterator[list[AlignedCell]]:
    right = environment.startswith(("align", "xalign", "xxalign", "flalign", "split"))
    for cells in _cells(body):
        if len(cells) > 1 and (label := _ROW_LABEL.fullmatch(cells[0])) and not (label["open"] and cells[1].strip()):
            cells[0] = ""
        sides = cycle(("ltx_align_right", "ltx_align_left") if right else ("",))
        yield [
            AlignedCell(tex.strip(), "" if _WORDS.match(tex) else side) for tex, side in zip(cells, sides, strict=False)
        ]


def _cells(body: str) -> Iterator[list[str]]:
    """Yield the rows of an environment as cells; what is inside of braces and other environments is not cut."""
    cells, at, depth = [], 0, 0
    for token in _TOKEN.finditer(body):
        sign = token[0]
        if sign == "{" or token[1]:
            depth += 1
        elif sign == "}" or sign.startswith(r"\end"):
            depth -= 1
        elif depth <= 0 and (sign == "&" or sign.startswith(r"\\")):
            cells.append(body[at : token.start()])
            at = token.end()
            if sign != "&":
                yield cells
                cells = []
    yield [*cells, body[at:]]
