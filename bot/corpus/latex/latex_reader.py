"""LaTeX source to documents: text, headings, theorems, names and notes in reading order, each formula in its place."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import Protocol

from bot.corpus import arxiv
from bot.corpus.draft import Draft, NoArticle
from bot.corpus.html import aligned_rows
from bot.corpus.latex import latex_commands as commands
from bot.corpus.latex import project
from bot.corpus.latex.macros import filled
from bot.corpus.latex.mathematics import DisplayRow, MathScanner
from bot.corpus.latex.source_tree import SourceTree, decoded
from bot.corpus.siblings import Siblings
from bot.records import Document, NameHint, Occurrence, Role

_TOKEN = re.compile(
    r"(?P<plain>[^\\$%{}~&\n]*+(?:\n(?![ \t]*\n)[^\\$%{}~&\n]*+)*+)"
    r"(?:\\(?P<word>[A-Za-z]+)[ \t]*|\\(?P<symbol>.)|(?P<comment>%[^\n]*\n?[ \t]*)|(?P<empty>\n[ \t]*\n\s*)|(?P<sign>[${}~&\n])|\Z)",
    re.S,
)
_TOKEN_AT = re.compile(_TOKEN.pattern.replace("[A-Za-z]+", "[A-Za-z@]+"), re.S)
_BEGINS = re.compile(r"^[^%\n]*\\begin\s*\{document\}", re.M)
_TERM = re.compile(r"[^\W\d_]{3}")
_THEOREM_NAME = re.compile(r"[^\W\d_]{3}")
_LONGEST_NAME = 80
_FLUSH = ("right", "left")


class Sink(Protocol):
    """Where text and formulas go: a Draft, or what collects a title."""

    def text(self, text: str) -> None: ...
    def paragraph(self) -> None: ...
    def line(self) -> None: ...
    def term(self, kind: str, name: str) -> None: ...
    def formula(
        self, tex: str, *, display: bool = False, role: Role = "text", hints: tuple[NameHint, ...] = ()
    ) -> None: ...


class _Title:
    """Collects a title as plain text, with its formulas readable, and the formulas."""

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
        self.parts.append(re.sub(r"[{}]|\\[,;! ]", "", tex).lstrip("_^") if len(tex) < 40 else tex)

    def plain(self) -> str:
        return " ".join("".join(self.parts).split())


class _Nowhere(_Title):
    """Takes what stands before the document begins."""

    def text(self, text: str) -> None:
        pass

    def term(self, kind: str, name: str) -> None:
        pass

    def paragraph(self) -> None:
        pass

    line = paragraph


def read_latex(
    data: bytes, *, path: str, source: str, siblings: Siblings | None = None
) -> Iterator[tuple[Document, tuple[Occurrence, ...]]]:
    """Yield the one document of a main file, with all that it takes in. Raises NoArticle for a file of definitions only."""
    siblings = siblings or Siblings(PurePosixPath(path).name)
    text = decoded(data, path)
    draft = Draft(path)
    scanner = TextScanner(text, SourceTree(siblings.home, siblings), siblings.note, draft)
    for name in reversed(project.preloaded(siblings.files, siblings.home)):
        scanner.stream.push(scanner.tree.text(name), 0, name)
    scanner.read()
    scanner.finish()
    occurrences = draft.occurrences()
    if not occurrences and not scanner.prose:
        raise NoArticle("holds definitions and no text", where=path)
    yield scanner.document(path, source), occurrences


class TextScanner(MathScanner):
    """Goes through the source command by command."""

    def __init__(self, text: str, tree: SourceTree, note: object, out: Sink) -> None:
        super().__init__(text, tree, note)  # type: ignore[arg-type]
        self.draft = out
        self.out: Sink = out
        if _BEGINS.search(text):
            self.out = _Nowhere()
        self.words: list[str] = []
        self.prose = False
        self.role: Role = "text"
        self.hints: tuple[NameHint, ...] = ()
        self.groups: list[tuple[str, int, int]] = []  # style, how many texts had gone out and how many words waited
        self.sent = 0
        self.style = ""  # of the group that opens next
        self.environments: list[tuple[str, Role, tuple[NameHint, ...]]] = []
        self.later: list[str] = []  # footnotes, read after their section
        self.tables = 0
        self.title = self.first_heading = self.author = self.doi = self.language = ""
        self.book = False
        self.roles_of_groups: list[tuple[int, Role]] = []

    # -- the loop -----------------------------------------------------------------------------------------------------
    def read(self) -> None:
        """Read the stream to its end."""
        while True:
            top = self.stream.top
            found = (_TOKEN_AT if self.at_is_letter else _TOKEN).match(top.text, top.at)
            if found is None:
                top.at = len(top.text)
                continue
            top.at = found.end()
            plain, word, symbol, comment, empty, sign = found.groups()
            if plain:
                self.words.append(plain)
            style, self.style = self.style, ""
            if word is not None:
                self.command(word)
            elif sign is not None:
                self.sign(sign, style)
            elif symbol is not None:
                self.symbol(symbol)
            elif empty is not None:
                self.paragraph()
            elif comment is not None:
                if top.text.startswith("\n", top.at):
                    self.paragraph()
            elif not self.stream.pop():
                self.flush()
                return

    def sign(self, sign: str, style: str) -> None:
        if sign == "{":
            if style:
                self.flush()
            self.groups.append((style, self.sent, len(self.words)))
        elif sign == "}":
            self.close_group()
        elif sign == "$":
            self.dollar()
        elif sign == "&":
            self.words.append(" | " if self.tables else " ")
        else:
            self.words.append(" ")

    def close_group(self) -> None:
        if not self.groups:
            return
        style, sent, words = self.groups.pop()
        if style and sent == self.sent:
            name = plain("".join(self.words[words:]))
            if len(name) <= _LONGEST_NAME and _TERM.search(name):
                del self.words[words:]
                self.flush()
                self.out.term("defined_term", name.strip())
                if name[-1:].isspace():
                    self.words.append(" ")
        while self.roles_of_groups and self.roles_of_groups[-1][0] > len(self.groups):
            self.flush()
            self.out.paragraph()
            self.role = self.roles_of_groups.pop()[1]

    def flush(self) -> None:
        """Send the words that wait."""
        self.sent += 1
        if self.words:
            text = plain("".join(self.words))
            self.words = []
            if text:
                self.prose = self.prose or (self.out is self.draft and bool(text.strip()))
                self.out.text(text)

    def paragraph(self) -> None:
        self.flush()
        self.out.paragraph()

    # -- mathematics --------------------------------------------------------------------------------------------------
    def dollar(self) -> None:
        top = self.stream.top
        if isinstance(self.out, _Nowhere):
            return
        if top.text.startswith("$", top.at):
            top.at += 1
            self.display("$$")
        else:
            self.inline("$")

    def inline(self, closing: str) -> None:
        self.flush()
        mark = self.stream.mark()
        rows = self.mathematics(closing)
        if rows is None:  # a dollar that is no mathematics
            self.stream.back(mark)
            self.words.append("$" if closing == "$" else "")
            return
        for row in rows:
            self.out.formula(" ".join(row.cells), role=self.role, hints=self.hints)

    def display(self, closing: str, environment: str = "") -> None:
        """Read a display: one formula for each row, words between rows as text."""
        base = environment.rstrip("*")
        if base in commands.COUNTED:
            self.skip_arguments("om")
        elif base:
            self.stream.top.at += len(_brackets(self.stream.top.text, self.stream.top.at))
        self.flush()
        mark = self.stream.mark()
        rows = self.mathematics(closing, environment, rows=base in commands.ROWS)
        if rows is None:
            self.stream.back(mark)
            return
        waiting: list[DisplayRow] = []
        for row in rows:
            if not row.words:
                waiting.append(row)
                continue
            self.pour(waiting, base)
            waiting = []
            self.run(row.words, self.read)
        self.pour(waiting, base)

    def pour(self, rows: list[DisplayRow], base: str) -> None:
        if not rows:
            return
        if base in commands.JOINED:
            self.shown(" ".join(" ".join(row.cells) for row in rows))
        elif len(rows) == 1 and len(rows[0].cells) == 1:
            self.shown(rows[0].cells[0])
        else:
            arrayed = base in commands.ARRAYED
            for tex in aligned_rows.formulas([_cells(row.cells, arrayed) for row in rows]):
                self.shown(tex)

    def shown(self, tex: str) -> None:
        self.out.formula(tex, display=True, role=self.role, hints=self.hints)

    # -- commands -----------------------------------------------------------------------------------------------------
    def symbol(self, symbol: str) -> None:
        if symbol == "(":
            self.inline("\\)")
        elif symbol == "[":
            self.display("\\]")
        elif symbol == "\\":
            self.line_end()
        elif (symbol in commands.ACCENTS and symbol not in "=.") or symbol in "=.":
            self.accent(symbol)
        elif symbol in " ,;:>\n\t~":
            self.words.append(" ")
        elif symbol in "$&%#_{}":
            self.words.append(symbol)

    def accent(self, sign: str) -> None:
        letter = self.stream.argument().strip()
        if letter.startswith("\\"):
            letter = {"\\i": "i", "\\j": "j"}.get(letter, "")
        mark = commands.ACCENTS[sign]
        self.words.append(unicodedata.normalize("NFC", letter[:1] + mark) + letter[1:] if letter else "")

    def line_end(self) -> None:
        self.stream.star()
        self.stream.top.at += len(_brackets(self.stream.top.text, self.stream.top.at))
        if self.tables:
            self.paragraph()
        else:
            self.words.append(" ")

    def command(self, word: str) -> None:
        if self.resolve(word):
            return
        macro = self.macros.commands.get("\\" + word)
        if macro is not None:
            word = macro.primitive[1:]
        handler = _HANDLERS.get(word)
        if handler is not None:
            handler(self, word)
        elif word in commands.EMPHASISED:
            self.emphasised(word)
        elif word in commands.SYMBOLS:
            self.words.append(commands.SYMBOLS[word])
        elif word in commands.ARGUMENTS:
            self.skip_arguments(commands.ARGUMENTS[word])
        elif word in commands.HEADINGS:
            self.heading(word)
        elif word in commands.RUN_IN:
            self.run_in()
        elif word in commands.CITING:
            self.skip_arguments("soom")
        elif word in commands.ACCENTS:
            self.accent(word)
        elif word in ("TeX", "LaTeX"):
            self.words.append(word)
        else:
            self.stream.star() if self.stream.top.text.startswith("*", self.stream.top.at) else None

    def emphasised(self, word: str) -> None:
        if word not in commands.SWITCHES:
            self.style = commands.EMPHASISED[word]
        elif self.groups:
            self.flush()
            self.groups[-1] = (commands.EMPHASISED[word], self.sent, 0)

    def heading(self, word: str) -> None:
        self.stream.star()
        self.stream.optional()
        title = self.collect(self.stream.argument())
        self.book = self.book or word in ("chapter", "part", "addchap")
        name = title.plain()
        self.first_heading = self.first_heading or name
        self.flush()
        self.read_later()
        self.tables = 0
        if isinstance(self.out, Draft):
            self.out.heading(name)
            for tex in title.formulas:
                self.out.formula(tex, role=self.role)
            if title.formulas:
                self.out.paragraph()

    def run_in(self) -> None:
        """\\paragraph{Name}: its title stands in the text."""
        self.stream.star()
        self.stream.optional()
        self.paragraph()
        self.run(self.stream.argument(), self.read)
        self.words.append(" ")

    def collect(self, raw: str) -> _Title:
        title = _Title()
        before = self.out, self.words, self.groups
        self.out, self.words, self.groups = title, [], []
        self.run(raw, self.read)
        self.out, self.words, self.groups = before
        return title

    def note_later(self, word: str) -> None:
        self.stream.optional()
        self.later.append(self.stream.argument())

    def read_later(self) -> None:
        """Read the footnotes of the section that ends."""
        waiting, self.later = self.later, []
        for raw in waiting:
            self.paragraph()
            self.run(raw, self.read)
            self.paragraph()

    def caption(self, word: str) -> None:
        self.stream.star()
        self.stream.optional()
        self.paragraph()
        if self.stream.peek() == "{":
            self.roles_of_groups.append((len(self.groups) + 1, self.role))
            self.role = "caption"

    def begin(self, word: str) -> None:
        name = self.stream.argument().strip()
        base = name.rstrip("*")
        own = self.macros.environments.get(name)
        if own is not None:
            arguments = own.arguments(self.stream)
            self.own_endings.append((name, filled(own.ending or (), arguments)))
            self.stream.push(filled(own.parts, arguments), self.stream.top.depth + 1)
        elif name == "document":
            self.words = []
            self.out = self.draft
        elif name in commands.OPAQUE or base in commands.OPAQUE:
            self.opaque(name)
        elif base in commands.DISPLAYED and not isinstance(self.out, _Nowhere):
            if base == "math":
                self.inline_environment(name)
            else:
                self.display("", name)
        else:
            self.block(name, base)

    def inline_environment(self, name: str) -> None:
        self.flush()
        for row in self.mathematics("", name) or ():
            self.out.formula(" ".join(row.cells), role=self.role, hints=self.hints)

    def block(self, name: str, base: str) -> None:
        self.paragraph()
        self.environments.append((name, self.role, self.hints))
        if name in commands.TABLES:
            self.skip_arguments(commands.TABLES[name])
            self.tables += 1
            self.role = "table" if self.role == "text" else self.role
        elif name in self.macros.theorems or base.lower() in commands.THEOREMS:
            self.theorem(name, base)
        else:
            self.skip_arguments(commands.ENVIRONMENTS.get(name, "o"))

    def theorem(self, name: str, base: str) -> None:
        """A theorem's name in brackets is the title of the formulas in it."""
        known = self.macros.theorems.get(name)
        kind = f"{base} {known.title if known else ''}".lower()
        if any(word in kind for word in commands.EXERCISE_WORDS):
            self.role = "exercise"
        elif any(word in kind for word in commands.EXAMPLE_WORDS):
            self.role = "example"
        given = self.stream.optional()
        if given is None:
            return
        title = self.collect(given)
        called = title.plain()
        self.words.append(f"{called}. " if called else "")
        for tex in title.formulas:
            self.out.formula(tex, role=self.role)
        if 4 <= len(called) <= _LONGEST_NAME and _THEOREM_NAME.search(called):
            self.hints = (NameHint("equation_title", called),)

    def end(self, word: str) -> None:
        name = self.stream.argument().strip()
        if name == "document":
            self.flush()
            self.stream.stop()
        elif self.own_endings and name == self.own_endings[-1][0]:
            self.stream.push(self.own_endings.pop()[1], self.stream.top.depth + 1)
        elif any(name == open_ for open_, *_ in self.environments):
            self.paragraph()
            while self.environments:
                closed, self.role, self.hints = self.environments.pop()
                self.tables -= closed in commands.TABLES
                if closed == name:
                    break
            self.tables = max(0, self.tables)
        else:
            self.paragraph()

    def opaque(self, name: str) -> None:
        """Skip an environment whose content is no prose."""
        top = self.stream.top
        end = top.text.find(f"\\end{{{name}}}", top.at)
        if end >= 0:
            top.at = end + len(name) + 6
        self.paragraph()

    def verb(self, word: str) -> None:
        self.stream.star()
        top = self.stream.top
        if word == "lstinline":
            self.stream.optional()
        delimiter = top.text[top.at : top.at + 1]
        if delimiter == "{":
            self.stream.group()
            return
        end = top.text.find(delimiter, top.at + 1, top.at + 400) if delimiter else -1
        if end >= 0:
            top.at = end + 1

    def item(self, word: str) -> None:
        self.flush()
        self.out.line()
        label = self.stream.optional()
        if label:
            self.run(label, self.read)
            self.words.append(" ")

    def ensured(self, word: str) -> None:
        raw = self.stream.argument()
        self.flush()

        def read() -> None:
            for row in self.mathematics("$") or ():
                self.out.formula(" ".join(row.cells), role=self.role, hints=self.hints)

        self.run(raw + "$", read)

    def titled(self, word: str) -> None:
        self.stream.optional()
        self.title = self.collect(self.stream.argument()).plain() or self.title

    def authors(self, word: str) -> None:
        self.stream.optional()
        self.author = self.stream.argument()

    def class_(self, word: str) -> None:
        options = self.stream.optional() or ""
        name = self.stream.argument().strip()
        self.book = self.book or name in commands.BOOKS or "class=report" in options or "class=book" in options
        self.languages(options)
        self.package(name + ".cls")

    def languages(self, options: str) -> None:
        for option in options.split(","):
            name = option.strip().lower().removeprefix("main=")
            self.language = commands.LANGUAGES.get(name, self.language)

    def usepackage(self, options: str, names: str) -> None:
        if "babel" in names.split(",") or "polyglossia" in names:
            self.languages(options)

    def set_language(self, word: str) -> None:
        self.stream.optional()
        self.languages(self.stream.argument())

    def paragraph_end(self, word: str) -> None:
        self.paragraph()

    def table_data(self, word: str) -> None:
        """aastex: \\startdata … \\enddata."""
        self.paragraph()

    def finish(self) -> None:
        """Read what was to come later."""
        self.flush()
        self.read_later()
        self.flush()

    def document(self, path: str, source: str) -> Document:
        """Return what is known of the document, once it is read."""
        number = arxiv.identifier(path)
        pairs = (("arxiv", number), ("doi", self.doi))
        return Document(
            id=path,
            title=self.title or self.first_heading or PurePosixPath(path).stem,
            language=self.language or "en",
            url=arxiv.url(number),
            source=source,
            format="latex",
            kind="textbook" if self.book else "paper",
            identifiers=tuple((scheme, value) for scheme, value in pairs if value),
        )


def plain(text: str) -> str:
    """Return text as it is printed: quotes, dashes, one blank for many."""
    if "`" in text or "''" in text:
        text = text.replace("``", "“").replace("''", "”").replace("`", "‘")
    if "--" in text:
        text = text.replace("---", "—").replace("--", "–")
    return " ".join(f"x{text}x".split())[1:-1]


def _brackets(text: str, at: int) -> str:
    """Return an optional argument that stands right here, with its brackets."""
    found = re.compile(r"\[[^\[\]\n$]{0,60}\]").match(text, at)
    return found[0] if found else ""


def _cells(cells: list[str], arrayed: bool) -> list[aligned_rows.Cell]:
    """Give cells the alignment that amsmath or eqnarray gives them."""
    right, left = frozenset(["ltx_align_right"]), frozenset(["ltx_align_left"])
    centre: frozenset[str] = frozenset()
    kinds = (right, centre, left) if arrayed else (right, left)
    return [aligned_rows.Cell(tex, kinds[number % len(kinds)]) for number, tex in enumerate(cells)]


_HANDLERS = {
    "begin": TextScanner.begin, "end": TextScanner.end, "item": TextScanner.item, "verb": TextScanner.verb, "lstinline": TextScanner.verb,
    "mintinline": TextScanner.verb, "caption": TextScanner.caption, "captionof": TextScanner.caption, "footnote": TextScanner.note_later,
    "footnotetext": TextScanner.note_later, "endnote": TextScanner.note_later, "marginnote": TextScanner.note_later, "sidenote": TextScanner.note_later,
    "marginpar": TextScanner.note_later, "ensuremath": TextScanner.ensured, "title": TextScanner.titled, "author": TextScanner.authors,
    "documentclass": TextScanner.class_, "documentstyle": TextScanner.class_, "par": TextScanner.paragraph_end, "startdata": TextScanner.table_data,
    "enddata": TextScanner.table_data, "hline": TextScanner.table_data, "tabularnewline": TextScanner.table_data, "setdefaultlanguage": TextScanner.set_language,
    "setmainlanguage": TextScanner.set_language,
}  # fmt: skip
