"""Helpers of the LaTeX scanner: rows of displays to formulas, sinks for text, and which emphasised words are terms."""

import re
from collections.abc import Iterator, Sequence

from bot.corpus.draft import collapse_blanks
from bot.corpus.html import aligned_rows
from bot.corpus.latex import latex_commands as commands
from bot.corpus.tex_equations import readable_tex
from bot.formula.tex.tokenizer import KINDS
from bot.formula.validity.texvc_macros import KNOWN
from bot.records import NameHint, Role

_EQUATIONS = re.compile(r"[\s~]*\\begin\{(?:aligned|split|gathered|cases|array)\}")
_BLANKS = re.compile(r"[ \t]*\n\s*")
_ONLY_COMMAND = re.compile(r"\s*\\([A-Za-z]+)\s*\{(.*)\}[\s.,;]*\Z", re.S)

_DRAWS = re.compile(r"\\(?:draw|path|fill|filldraw|shade|foreach|graph|matrix|addplot)(?![A-Za-z])")
_COMMENT = re.compile(r"(?<!\\)%[^\n]*")
_BOX = re.compile(r"\\(begin|end)\s*\{minipage\}")
_NODE = re.compile(r"\\node\s*(?:\[[^\]]*\])?[^{};]*\{((?:[^{}]|\{[^{}]*\})*)\}\s*;")

_RIGHT, _LEFT, _CENTRE = "ltx_align_right", "ltx_align_left", ""
_KINDS = {"r": _RIGHT, "c": _CENTRE, "l": _LEFT}
_TERM = re.compile(r"[^\W\d_]{3}|[\u3041-\u9fff]{2}")
_MIN_TERM_LENGTH = 4  # or 2 of ideographs
_MAX_TERM_LENGTH = 80
# What stands before a term that is introduced, in the languages that textbooks we read are in; and what is emphasised for its own sake.
_INTRODUCES = re.compile(
    r"(?:\b(?:called|named|termed|dubbed|known as|referred to as|said to be|defined as|define|is|are|be|as|or|the|an?|its|their|following"
    r"|heißt|heißen|nennt man|nennen wir|genannt|sogenannte[nrs]?|bezeichnet|als|der|die|das|dem|den|ein|eine[nrms]?|sind|ist"
    r"|appelée?s?|appelle|dite?s?|nommée?s?|est|sont|une?|le|la|les|du|des|de|llamad[oa]s?|es|el|los|las|un|una|il|lo|dett[oaie]|chiama(?:no|t[oaie]|remo)?|denomina(?:mos|d[oa]s?|-se)?|llama(?:mos|remos)?|dicen?|dir[áa]"
    r"|chama(?:-se|mos|remos|d[oa]s?)|diz-se|dit[oa]s?|называ(?:ется|ются|ют|ем)|назов[её]м|именуется|nazywa(?:my|ją|ne|n[yae])?|zwan[yae])"
    r"|[(«“:]|l[’']|[称叫](?:为|作|做)|称之为)\s*$",
    re.I,
)
_NO_TERMS = frozenset(
    "not only unique all any every never always same both must very exactly also one two each more less most precisely does cannot and but should will whether "
    "nicht nur alle immer nie genau auch beide nein pas tous deux toujours jamais exactement même seulement".split()
)
# What a paragraph is headed by is not a term: "Proof.", "First example."
PARAGRAPH_HEADS = frozenset(
    "proof proofs example examples exercise exercises remark remarks claim definition definitions theorem lemma proposition corollary solution hint answer note notes "
    "warning question problem case step summary abstract keywords beweis beispiel aufgabe bemerkung definitionen satz lösung hinweis preuve démonstration exemple "
    "exemples exercice remarque remarques théorème définition proposition corollaire esempio esempi esercizio esercizi osservazione nota definizione teorema "
    "dimostrazione proposizione corollario ejemplo ejercicio observación definición demostración proposición corolario exemplo exercício definição demonstração".split()
)
_BLANK_BEFORE_STOP = re.compile(r" (?=[,.](?:\s|$))")  # a blank that a removed citation leaves


def display_formulas(rows: Sequence[Sequence[str]], environment: str, columns: str = "") -> Iterator[str]:
    """Yield the formulas of the cells of a display in an environment without its star ("" for `\\[` and `$$`).

    `columns` are those that an IEEEeqnarray states, as in `rCl`.
    """
    if environment in commands.JOINED:
        yield join_cells(" ".join(join_cells(*row) for row in rows))
    elif len(rows) == 1 and len(rows[0]) == 1:
        yield without_frame(join_cells(*rows[0]))
    else:
        # The alignment that amsmath or eqnarray gives to each cell of a row.
        kinds = tuple(_KINDS[letter] for letter in columns.lower() if letter in _KINDS)
        kinds = kinds or ((_RIGHT, _CENTRE, _LEFT) if environment in commands.ARRAYED else (_RIGHT, _LEFT))
        cells = [[aligned_rows.AlignedCell(tex, kinds[n % len(kinds)]) for n, tex in enumerate(row)] for row in rows]
        yield from (without_frame(join_cells(tex)) for tex in aligned_rows.formulas_of_rows(cells))


def join_cells(*cells: str) -> str:
    """Return cells as one formula on one line."""
    return _BLANKS.sub(" ", " ".join(cells))


def without_frame(tex: str) -> str:
    """Return a displayed equation without an unknown command around all of it, such as a book's frame for important equations."""
    found = _ONLY_COMMAND.match(tex)
    if not found or found[1] in KNOWN or "\\" + found[1] in KINDS or not _braces_match(found[2]):
        return tex
    return found[2] if _EQUATIONS.match(found[2]) or aligned_rows.left_side(found[2]) else tex


def _braces_match(text: str) -> bool:
    depth = 0
    for sign in re.finditer(r"\\.|[{}]", text, re.S):
        depth += (sign[0] == "{") - (sign[0] == "}")
        if depth < 0:
            return False
    return depth == 0


def drawn_boxes(drawing: str) -> str:
    """Return the text of the boxes in a drawing that holds nothing else, each under its title; "" for any other drawing."""
    if "minipage" not in drawing or _DRAWS.search(drawing):
        return ""
    drawing = _COMMENT.sub("", drawing)
    boxes: list[str] = []
    rest: list[str] = []
    depth = start = end = 0
    for found in _BOX.finditer(drawing):
        if found[1] == "begin" and not depth:
            start = found.start()
            rest.append(drawing[end:start])
        depth += 1 if found[1] == "begin" else -1
        if not depth:
            end = found.end()
            boxes.append(drawing[start:end])
    titles = node_texts("".join(rest) + drawing[end:])
    if len(titles) != len(boxes):
        return "\n\n".join(boxes)
    return "".join(f"\\subsubsection{{{title}}}\n{box}\n" for title, box in zip(titles, boxes, strict=True))


def node_texts(drawing: str) -> list[str]:
    """Return the texts of the nodes of a drawing."""
    return [text.strip() for text in _NODE.findall(drawing) if text.strip()]


class TitleSink:
    """Collects a title as plain text, with its formulas readable, and the formulas; takes what a Draft does."""

    def __init__(self) -> None:
        self.parts: list[str] = []
        self.formulas: list[str] = []

    def text(self, text: str) -> None:
        self.parts.append(text)

    def paragraph(self) -> None:
        self.parts.append(" ")

    line = paragraph

    def term(self, kind: str, name: str) -> None:
        self.parts.append(name)

    def formula(
        self, tex: str, *, display: bool = False, role: Role = "text", hints: tuple[NameHint, ...] = ()
    ) -> None:
        self.formulas.append(tex)
        self.parts.append(readable_tex(tex))

    def plain(self) -> str:
        return " ".join("".join(self.parts).split())


class PreambleSink(TitleSink):
    """Takes what stands before the document begins and is no text of it."""


def is_term(name: str, before: str, role: Role) -> bool:
    """Tell whether emphasised words introduce a term, by the words before them: "is called", "the" or none."""
    found = name.strip(" .:,;").lower()
    shortest = 2 if found[:1] > "\u3040" else _MIN_TERM_LENGTH
    if not shortest <= len(found) <= _MAX_TERM_LENGTH or not _TERM.search(found) or len(found.split()) > 6:
        return False
    if role not in ("text", "caption") or any(word in _NO_TERMS for word in found.split()):
        return False
    if found in PARAGRAPH_HEADS or (not before.strip() and found.split()[-1] in PARAGRAPH_HEADS):
        return False
    return bool(_INTRODUCES.search(before)) or not before.strip()


def typographic(text: str) -> str:
    """Return text as it is printed: quotes, dashes, one blank for many."""
    if "`" in text or "''" in text:
        text = text.replace("``", "“").replace("''", "”").replace("`", "‘")
    if "--" in text:
        text = text.replace("---", "—").replace("--", "–")
    text = collapse_blanks(text)
    return _BLANK_BEFORE_STOP.sub("", text) if " ," in text or " ." in text else text
