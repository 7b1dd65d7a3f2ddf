"""The text of a LaTeX source in reading order: headings, theorems, names, notes, tables, each formula in its place."""

import re
import unicodedata

from bot.corpus.draft import Draft
from bot.corpus.latex import displays
from bot.corpus.latex import latex_commands as commands
from bot.corpus.latex.displays import NoSink, Sink, TitleSink, is_term, one_line, printed
from bot.corpus.latex.expansion import Note
from bot.corpus.latex.mathematics import DisplayRow, MathScanner
from bot.corpus.latex.project import SourceTree
from bot.errors import DocumentError
from bot.messages import Message
from bot.records import NameHint, Role

_TOKEN = re.compile(
    r"(?P<plain>[^\\$%{}~&\n]*+(?:\n(?![ \t]*\n)[^\\$%{}~&\n]*+)*+)"
    r"(?:\\(?P<word>[A-Za-z]+)[ \t]*|\\(?P<symbol>.)|(?P<comment>%[^\n]*\n?[ \t]*)|(?P<empty>\n[ \t]*\n\s*)|(?P<sign>[${}~&\n])|\Z)",
    re.S,
)
_TOKEN_AT = re.compile(_TOKEN.pattern.replace("[A-Za-z]+", "[A-Za-z@]+"), re.S)
_BEGINS = re.compile(r"^[^%\n]*\\begin\s*\{document\}", re.M)
_POINTS_ELSEWHERE = re.compile(r"\w*[a-z](?:[rR]ef|[cC]ite\w{0,6})")
_THEOREM_NAME = re.compile(r"[^\W\d_]{3}")
_LONGEST_NAME = 80
_DOI = re.compile(r"10\.\d{4,9}/[^\s{}]+")
_OPTION = re.compile(r"\[[^\[\]\n$]{0,60}\]")


class TextScanner(MathScanner):
    """Goes through the source command by command."""

    def __init__(self, text: str, tree: SourceTree, note: Note, out: Sink) -> None:
        super().__init__(text, tree, note)
        self.draft = out
        self.out: Sink = out
        if _BEGINS.search(text):
            self.out = NoSink()
        self.words: list[str] = []
        self.prose = False
        self.role: Role = "text"
        self.hints: tuple[NameHint, ...] = ()
        self.groups: list[tuple[str, int, int]] = []  # style, how many texts had gone out and how many words waited
        self.sent = 0
        self.before = ""  # the last words that went out
        self.style = ""  # of the group that opens next
        self.environments: list[tuple[str, Role, tuple[NameHint, ...]]] = []
        self.later: list[str] = []  # footnotes, read after their section
        self.tables = 0
        self.title = self.first_heading = self.doi = self.language = ""
        self.book = False
        self.roles_of_groups: list[tuple[int, Role]] = []

    # -- the loop -----------------------------------------------------------------------------------------------------
    def read(self) -> None:
        """Read the stream to its end."""
        while True:
            top = self.stream.top
            found = (_TOKEN if top.file and not self.at_is_letter else _TOKEN_AT).match(top.text, top.at)
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
            name = printed("".join(self.words[words:]))
            if is_term(name, self.before, self.role):
                del self.words[words:]
                self.flush()
                shown = name.rstrip(" .:,;")
                self.out.term("defined_term", shown.lstrip())
                self.words.append(name[len(shown) :])
        while self.roles_of_groups and self.roles_of_groups[-1][0] > len(self.groups):
            self.flush()
            self.out.paragraph()
            self.role = self.roles_of_groups.pop()[1]

    def flush(self) -> None:
        """Send the words that wait."""
        self.sent += 1
        if self.words:
            text = printed("".join(self.words))
            self.words = []
            self.before = (self.before + text)[-60:]
            if text:
                self.prose = self.prose or (self.out is self.draft and bool(text.strip()))
                self.out.text(text)

    def paragraph(self) -> None:
        self.flush()
        self.before = ""
        self.out.paragraph()

    # -- mathematics --------------------------------------------------------------------------------------------------
    def dollar(self) -> None:
        top = self.stream.top
        if isinstance(self.out, NoSink):
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
            self.out.formula(one_line(*row.cells), role=self.role, hints=self.hints)
        self.before = "$"

    def display(self, closing: str, environment: str = "") -> None:
        """Read a display: one formula for each row, words between rows as text."""
        base = environment.rstrip("*")
        if base in commands.COUNTED:
            self.skip_arguments("om")
        elif base:
            self.skip_option()
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
        if rows:
            for tex in displays.formulas([row.cells for row in rows], base):
                self.out.formula(tex, display=True, role=self.role, hints=self.hints)

    # -- commands -----------------------------------------------------------------------------------------------------
    def symbol(self, symbol: str) -> None:
        if symbol == "(":
            self.inline("\\)")
        elif symbol == "[":
            self.display("\\]")
        elif symbol == "\\":
            self.line_end()
        elif symbol in commands.ACCENTS:
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

    def skip_option(self) -> None:
        """Go on behind an optional argument that stands right here."""
        if found := _OPTION.match(self.stream.top.text, self.stream.top.at):
            self.stream.top.at = found.end()

    def line_end(self) -> None:
        self.stream.star()
        self.skip_option()
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
        elif word in commands.CITING or _POINTS_ELSEWHERE.fullmatch(word):
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

    def collect(self, raw: str) -> TitleSink:
        title = TitleSink()
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
        if self.begin_own(name):
            pass
        elif name == "document":
            self.words = []
            self.out = self.draft
        elif name in commands.OPAQUE or base in commands.OPAQUE:
            self.opaque(name)
        elif base in commands.DISPLAYED and not isinstance(self.out, NoSink):
            if base == "math":
                self.inline_environment(name)
            else:
                self.display("", name)
        else:
            self.block(name, base)

    def inline_environment(self, name: str) -> None:
        self.flush()
        for row in self.mathematics("", name) or ():
            self.out.formula(one_line(*row.cells), role=self.role, hints=self.hints)

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
        notes = len(self.later)
        called = self.collect(given).plain()
        del self.later[notes:]
        self.run(given, self.read)
        self.words.append(". " if called else "")
        if self.role != "exercise" and 4 <= len(called) <= _LONGEST_NAME and _THEOREM_NAME.search(called):
            self.hints = (NameHint("equation_title", called),)

    def end(self, word: str) -> None:
        name = self.stream.argument().strip()
        if name == "document":
            self.flush()
            self.stream.leave_file()
        elif self.end_own(name):
            pass
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
        self.skip_to_end(name)
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
        self.skip_arguments("a")
        label = self.stream.optional()
        if label:
            self.run(label, self.read)
            self.words.append(" ")

    def ensured(self, word: str) -> None:
        raw = self.stream.argument()
        self.flush()

        def read() -> None:
            for row in self.mathematics("$") or ():
                self.out.formula(one_line(*row.cells), role=self.role, hints=self.hints)

        self.run(raw + "$", read)

    def titled(self, word: str) -> None:
        self.stream.optional()
        self.title = self.collect(self.stream.argument()).plain() or self.title

    def own_doi(self, word: str) -> None:
        """A DOI before the first heading is the document's own; later ones are cited."""
        found = _DOI.search(self.stream.argument())
        if found and not self.first_heading:
            self.doi = found[0]

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

    def packages_used(self, options: str, names: list[str]) -> None:
        if "babel" in names:
            self.languages(options)

    def set_language(self, word: str) -> None:
        self.stream.optional()
        self.languages(self.stream.argument())

    def paragraph_end(self, word: str) -> None:
        self.paragraph()

    def table_data(self, word: str) -> None:
        """aastex: \\startdata … \\enddata."""
        self.paragraph()

    def read_definitions(self, name: str) -> None:
        """Read a file for its definitions alone; what cannot be read to its end is named, and counts as far as it was read."""
        before, stream, self.out = self.out, self.stream, NoSink()
        try:
            self.run(self.tree.text(name), self.read)
        except DocumentError as error:
            self.note(Message("unread.definitions", name=name, why=error.message))
            self.stream, self.expanded, self.runs, self.lost = stream, 0, 0, 0
        self.out = before

    def finish(self) -> None:
        """Read what was to come later."""
        self.flush()
        self.read_later()
        self.flush()


_HANDLERS = {
    "begin": TextScanner.begin, "end": TextScanner.end, "item": TextScanner.item, "verb": TextScanner.verb, "lstinline": TextScanner.verb,
    "mintinline": TextScanner.verb, "caption": TextScanner.caption, "captionof": TextScanner.caption, "footnote": TextScanner.note_later,
    "footnotetext": TextScanner.note_later, "endnote": TextScanner.note_later, "marginnote": TextScanner.note_later, "sidenote": TextScanner.note_later,
    "marginpar": TextScanner.note_later, "ensuremath": TextScanner.ensured, "title": TextScanner.titled, "doi": TextScanner.own_doi, "DOI": TextScanner.own_doi, "acmDOI": TextScanner.own_doi,
    "documentclass": TextScanner.class_, "documentstyle": TextScanner.class_, "par": TextScanner.paragraph_end, "startdata": TextScanner.table_data,
    "enddata": TextScanner.table_data, "hline": TextScanner.table_data, "tabularnewline": TextScanner.table_data, "setdefaultlanguage": TextScanner.set_language,
    "setmainlanguage": TextScanner.set_language,
}  # fmt: skip
