"""The text of a LaTeX source in reading order: headings, theorems, names, notes, tables, each formula in its place."""

import re
import unicodedata
from itertools import groupby

from bot.corpus.draft import Draft
from bot.corpus.latex import displays, tables
from bot.corpus.latex import latex_commands as commands
from bot.corpus.latex.displays import PreambleSink, TitleSink, is_term, join_cells, typographic
from bot.corpus.latex.expansion import REGISTER_SET, Note
from bot.corpus.latex.macros import keyed_title
from bot.corpus.latex.mathematics import MathScanner
from bot.corpus.latex.project import ENDINGS, SourceTree
from bot.corpus.tex_equations import words_alone
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
_REFERENCE_COMMAND = re.compile(r"\w*[a-z](?:[rR]ef|[cC]ite\w{0,6})")
_THEOREM_NAME = re.compile(r"[^\W\d_]{3}")
_MAX_NAME_LENGTH = 80
_DOI = re.compile(r"10\.\d{4,9}/[^\s{}]+")
_UNPRINTED = re.compile(
    r"\\(?:[A-Za-z]*@|Sexpr(?![A-Za-z]))"
)  # a state of LaTeX's own, as the mark of a footnote; what R computes
_LENGTH_ARGUMENT = re.compile(
    r"(?:\[\w\])?\{\s*-?[\d.,]+\s*(?:pt|[cm]m|in|e[mx]|pc|bp|\\[a-z]*(?:width|height|skip))\s*\}"
)
_EMPTY = re.compile(r"(?:[\s{}~]|\\[,;:!> ])*")
_OF_LATEX = re.compile(r"\\(?:begin\s*\{|section|chapter|documentclass|documentstyle)")
_ESCAPED_SIGNS = frozenset(f"\\{sign}" for sign in "_%#&")
_ENTRIES = frozenset("Definition Theorem Axiom Corollary Topic Result Conjecture Algorithm".split())  # of PlanetMath
_EQUALS = re.compile(r"\s*\+?=")
_OPTION = re.compile(r"\[[^\[\]\n$]{0,60}\]")


class TextScanner(MathScanner):
    """Goes through the source command by command."""

    def __init__(self, text: str, tree: SourceTree, note: Note, draft: Draft) -> None:
        super().__init__(text, tree, note)
        self.draft = draft
        self.sink: Draft | TitleSink = draft
        if _BEGINS.search(text):
            self.sink = PreambleSink()
        self.is_plain_tex = not _OF_LATEX.search(text)
        self.pending_words: list[str] = []
        self.has_prose = False
        self.is_in_entry = False  # of a list of names
        self.role: Role = "text"
        self.hints: tuple[NameHint, ...] = ()
        self.groups: list[tuple[str, int, int]] = []  # style, number of flushes and of pending words at its start
        self.flushes = 0
        self.preceding_text = ""  # the last words written
        self.style = ""  # of the group that opens next
        self.environments: list[tuple[str, Role, tuple[NameHint, ...]]] = []
        self.footnotes: list[str] = []  # footnotes, read after their section
        self.open_tables: list[tuple[bool, ...]] = []  # which columns of each are mathematics
        self.title = self.doi = self.language = ""
        self.headings: list[tuple[int, str]] = []  # level, from 0 for a part, and name
        self.is_book = self.is_entry = False  # an entry of an encyclopaedia is one definition or theorem
        self.roles_of_groups: list[tuple[int, Role]] = []

    # -- the loop -----------------------------------------------------------------------------------------------------
    def read(self) -> None:
        """Read the stream to its end."""
        while True:
            top = self.stream.top
            found = (_TOKEN_AT if top.at_is_letter or self.at_is_letter else _TOKEN).match(top.text, top.position)
            if found is None:
                top.position = len(top.text)
                continue
            top.position = found.end()
            plain, word, symbol, comment, empty, sign = found.groups()
            if plain:
                self.pending_words.append(plain)
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
                if top.text.startswith("\n", top.position):
                    self.paragraph()
            elif not self.stream.pop():
                self.flush()
                return

    def sign(self, sign: str, style: str) -> None:
        if sign == "{":
            if style:
                self.flush()
            self.groups.append((style, self.flushes, len(self.pending_words)))
        elif sign == "}":
            self.close_group()
        elif sign == "$":
            self.dollar()
        elif sign == "&":
            before = "".join(self.pending_words[-2:]).rstrip()
            # Behind a colon stands the meaning of a symbol.
            self.pending_words.append(" | " if self.open_tables and not before.endswith(":") else " ")
        else:
            self.pending_words.append(" ")

    def close_group(self) -> None:
        if not self.groups:
            return
        style, sent, words = self.groups.pop()
        if style and sent == self.flushes:
            name = typographic("".join(self.pending_words[words:]))
            if is_term(name, self.preceding_text, self.role):
                del self.pending_words[words:]
                self.flush()
                term = name.rstrip(" .:,;")
                self.sink.term("defined_term", term.lstrip())
                self.pending_words.append(name[len(term) :])
        while self.roles_of_groups and self.roles_of_groups[-1][0] > len(self.groups):
            self.flush()
            self.sink.paragraph()
            self.role = self.roles_of_groups.pop()[1]

    def flush(self) -> None:
        """Write the pending words to the sink."""
        self.flushes += 1
        if self.pending_words:
            text = typographic("".join(self.pending_words))
            self.pending_words = []
            self.preceding_text = (self.preceding_text + text)[-60:]
            if text:
                self.has_prose = self.has_prose or (self.sink is self.draft and bool(text.strip()))
                self.sink.text(text)

    def paragraph(self) -> None:
        self.flush()
        self.preceding_text = ""
        self.sink.paragraph()

    # -- mathematics --------------------------------------------------------------------------------------------------
    def dollar(self) -> None:
        top = self.stream.top
        if isinstance(self.sink, PreambleSink):
            return
        if top.text.startswith("$", top.position):
            top.position += 1
            self.display_formulas("$$")
        else:
            self.inline_formula("$")

    def inline_formula(self, closing: str) -> None:
        self.flush()
        rows = self.try_formula(closing)
        if rows is None:  # a dollar that is not mathematics
            self.pending_words.append("$" if closing == "$" else "")
            return
        for row in rows:
            tex = join_cells(*row.cells)
            if tex in _ESCAPED_SIGNS:  # $\\_$ in the name of a program
                self.pending_words.append(tex[1:])
            else:
                self.add_formula(tex)
        self.preceding_text = "$"

    def add_formula(self, tex: str, *, display: bool = False) -> None:
        """Hand on a formula; what shows the insides of LaTeX is none, and a row of words alone is text."""
        if (words := words_alone(tex, display=display)) is not None:
            self.pending_words.append(" ")
            self.read_separately(words, self.read)
            self.pending_words.append(" ")
            self.flush()
        elif not _EMPTY.fullmatch(tex) and not _UNPRINTED.search(tex):
            self.sink.formula(tex, display=display, role=self.role, hints=self.hints)

    def display_formulas(self, closing: str, environment: str = "") -> None:
        """Read a display: one formula for each row, words between rows as text."""
        base, columns = environment.rstrip("*"), ""
        if base == "empheq":
            self.stream.optional()
            base = self.stream.argument().partition("=")[0].strip().rstrip("*")
        elif base:
            self.skip(_OPTION)
        if base in commands.COUNTED and environment != "empheq":
            columns = self.stream.argument()
        self.flush()
        found = self.try_formula(closing, environment, rows=base in commands.ROWS) or ()
        for words, rows in groupby(found, lambda row: row.words):
            if words:
                for row in rows:
                    self.read_separately(row.words, self.read)
            else:
                for tex in displays.display_formulas([row.cells for row in rows], base, columns):
                    self.add_formula(tex, display=True)

    # -- commands -----------------------------------------------------------------------------------------------------
    def symbol(self, symbol: str) -> None:
        if symbol == "(":
            self.inline_formula("\\)")
        elif symbol == "[":
            self.display_formulas("\\]")
        elif symbol == "\\":
            self.line_end()
        elif symbol in commands.ACCENTS:
            self.accent(symbol)
        elif symbol in " ,;:>\n\t~":
            self.pending_words.append(" ")
        elif symbol in "$&%#_{}":
            self.pending_words.append(symbol)

    def accent(self, sign: str) -> None:
        letter = self.stream.argument().strip()
        if letter.startswith("\\"):
            letter = {"\\i": "i", "\\j": "j"}.get(letter, "")
        mark = commands.ACCENTS[sign]
        self.pending_words.append(unicodedata.normalize("NFC", letter[:1] + mark) + letter[1:] if letter else "")

    def line_end(self) -> None:
        self.stream.skip_star()
        self.skip(_OPTION)
        if self.open_tables:
            self.row_end("")
        else:
            self.pending_words.append(" ")

    def row_end(self, word: str) -> None:
        self.paragraph()
        self.row_begin()

    def row_begin(self) -> None:
        """Put the formulas of the row that begins here between dollars."""
        if not self.environments or self.environments[-1][0] not in commands.TABLES:
            return  # a list or a box within a cell
        self.stream.skip_blanks()
        top = self.stream.top
        if self.open_tables and (row := tables.rewritten_row(top.text, top.position, self.open_tables[-1])):
            top.position = row[1]
            self.stream.push(row[0], top.depth)

    def command(self, word: str) -> None:
        if self.resolve_command(word):
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
            self.pending_words.append(commands.SYMBOLS[word])
        elif word in commands.ARGUMENTS:
            self.skip_arguments(commands.ARGUMENTS[word])
        elif word in commands.HEADINGS:
            self.heading(word)
        elif word in commands.RUN_IN:
            self.run_in_heading()
        elif word in commands.CITING or _REFERENCE_COMMAND.fullmatch(word):
            self.skip_arguments("soom")
        elif word in commands.ACCENTS:
            self.accent(word)
        elif word in ("TeX", "LaTeX"):
            self.pending_words.append(word)
        elif self.stream.top.text.startswith("*", self.stream.top.position):
            self.stream.skip_star()
        else:
            self.skip(REGISTER_SET) or self.skip(_LENGTH_ARGUMENT)

    def emphasised(self, word: str) -> None:
        if word not in commands.SWITCHES:
            self.style = commands.EMPHASISED[word]
        elif self.groups:
            self.flush()
            self.groups[-1] = (commands.EMPHASISED[word], self.flushes, 0)

    def heading(self, word: str) -> None:
        if word == "part" and any(name == "parts" for name, *_ in self.environments):  # of an exam's question
            self.question(word)
            return
        self.stream.skip_star()
        self.stream.optional()
        title = self.collect_title(self.stream.argument())
        self.is_book = self.is_book or word in ("chapter", "part", "addchap")
        name = title.plain()
        self.headings.append((commands.HEADINGS[word], name))
        self.flush()
        self.read_footnotes()
        self.open_tables = []
        if isinstance(self.sink, Draft):
            self.sink.heading(name)
            for tex in title.formulas:
                self.sink.formula(tex, role=self.role)
            if title.formulas:
                self.sink.paragraph()

    @property
    def only_top_heading(self) -> str:
        """The heading above all others, which stands for a title; "" where the highest level has several: "License" is not the name of a book."""
        top = min((level for level, _ in self.headings), default=0)
        found = [name for level, name in self.headings if level == top]
        return found[0] if len(found) == 1 else ""

    def run_in_heading(self) -> None:
        """\\paragraph{Name}: its title stands in the text; before a colon where a sentence begins behind it, of which it is no part."""
        self.stream.skip_star()
        self.stream.optional()
        self.paragraph()
        title = self.stream.argument()
        self.read_separately(title, self.read)
        self.pending_words.append(": " if title.rstrip()[-1:].isalnum() and self.stream.peek().isupper() else " ")

    def collect_title(self, raw: str, *, with_notes: bool = True) -> TitleSink:
        """Read a title by itself; `with_notes` its footnotes are kept, else it is read in its place once more."""
        title, notes = TitleSink(), len(self.footnotes)
        before = self.sink, self.pending_words, self.groups
        self.sink, self.pending_words, self.groups = title, [], []
        self.read_separately(raw, self.read)
        self.sink, self.pending_words, self.groups = before
        if not with_notes:
            del self.footnotes[notes:]
        return title

    def keep_footnote(self, word: str) -> None:
        self.skip_arguments("oo")  # a number, and in the classes of Tufte how far it is moved
        note = self.stream.argument()
        if word == "marginnote":
            self.skip(_OPTION)
        if self.is_plain_tex and self.stream.peek() == "{":  # the first was its mark
            note = self.stream.group()
        self.footnotes.append(note)

    def nomenclature(self, word: str) -> None:
        """\\nomenclature[key]{symbol}{meaning}: printed in a list, so not where it stands."""
        self.stream.optional()
        self.footnotes.append(f"{self.stream.argument()}: {self.stream.argument()}")

    def read_footnotes(self) -> None:
        """Read the footnotes of the section that ends."""
        waiting, self.footnotes = self.footnotes, []
        for raw in waiting:
            self.paragraph()
            self.read_separately(raw, self.read)
            self.paragraph()

    def caption(self, word: str) -> None:
        self.stream.skip_star()
        if word == "captionof":
            self.stream.argument()
        self.skip_arguments("oo")
        self.paragraph()
        if self.stream.peek() == "{":
            self.roles_of_groups.append((len(self.groups) + 1, self.role))
            self.role = "caption"

    def begin(self, word: str) -> None:
        name = self.stream.argument().strip()
        base = name.rstrip("*")
        if self.begin_defined_environment(name):
            pass
        elif name == "document":
            self.pending_words = []
            self.sink = self.draft
        elif name in commands.OPAQUE or base in commands.OPAQUE:
            self.opaque(name)
        elif base in commands.DISPLAYED and not isinstance(self.sink, PreambleSink):
            if base == "math":
                self.flush()
                self.add_inline_formulas("", name)
            else:
                self.display_formulas("", name)
        else:
            self.block(name, base)

    def opaque(self, name: str) -> None:
        """Skip what is not prose; of boxes that are drawn around text, as those of a cheat sheet, title and text are read."""
        top, start = self.stream.top, self.stream.top.position
        self.skip_to_end(name)
        self.paragraph()
        if boxes := displays.drawn_boxes(top.text[start : top.position]):
            self.read_separately(boxes, self.read)
            self.paragraph()

    def add_inline_formulas(self, closing: str, environment: str = "") -> None:
        for row in self.read_formula(closing, environment) or ():
            self.add_formula(join_cells(*row.cells))

    def block(self, name: str, base: str) -> None:
        self.paragraph()
        self.environments.append((name, self.role, self.hints))
        if name in commands.TABLES:
            arguments = commands.TABLES[name]
            self.skip_arguments(arguments.removesuffix("m"))
            columns = self.stream.argument() if arguments.endswith("m") else ""
            self.open_tables.append(tables.mathematical_columns(columns, self.macros.columns))
            self.role = "table" if self.role == "text" else self.role
            self.row_begin()
        elif base == "restatable":
            title = self.stream.optional()
            self.theorem(self.stream.argument().strip(), title)
            self.stream.argument()
        elif name in self.macros.theorems or base.lower() in commands.THEOREMS:
            self.theorem(name, self.stream.optional())
        elif base in ("tcolorbox", "mdframed"):
            title = keyed_title(self.stream.optional() or "") or ""
            words = {word.strip(".:,0123456789") for word in title.lower().split()}
            self.block_title(title, named=not words & displays.PARAGRAPH_HEADS)
        else:
            self.skip_arguments(commands.ENVIRONMENTS.get(name, "o"))
            if name == "frame" and self.stream.peek() == "{":
                self.heading("frametitle")
                if self.stream.peek() == "{":  # a title below it
                    self.read_separately(self.stream.argument(), self.read)
                    self.paragraph()

    def theorem(self, name: str, title: str | None) -> None:
        """A theorem's name in brackets, or in braces where it is a box, is the title of the formulas in it."""
        declared = self.macros.theorems.get(name)
        kind = f"{name} {declared.title if declared else ''}".lower()
        if any(word in kind for word in commands.EXERCISE_WORDS):
            self.role = "exercise"
        elif any(word in (kind if len(word) > 2 else kind.split()) for word in commands.EXAMPLE_WORDS):
            self.role = "example"
        if declared and declared.braced:
            title = self.stream.argument()
            self.skip_arguments("m" * (declared.braced - 1))
        elif title and (keyed := keyed_title(title)) is not None:
            title = keyed
        self.block_title(title or "", named=self.role != "exercise")

    def block_title(self, title: str, *, named: bool) -> None:
        """The title of a block stands in the text; where it is a name, its formulas have that."""
        called = self.collect_title(title, with_notes=False).plain()
        if not called:
            return
        self.read_separately(title, self.read)
        self.pending_words.append(". ")
        if named and 4 <= len(called) <= _MAX_NAME_LENGTH and _THEOREM_NAME.search(called):
            self.hints = (NameHint("equation_title", called),)

    def end(self, word: str) -> None:
        name = self.stream.argument().strip()
        if name == "document":
            self.flush()
            self.stream.leave_file()
        elif self.end_defined_environment(name):
            pass
        elif any(name == open_ for open_, *_ in self.environments):
            self.paragraph()
            while self.environments:
                closed, self.role, self.hints = self.environments.pop()
                if closed in commands.TABLES:
                    del self.open_tables[-1:]
                if closed == name:
                    break
        else:
            self.paragraph()

    def skip_verbatim(self, word: str) -> None:
        self.stream.skip_star()
        top = self.stream.top
        if word == "lstinline":
            self.stream.optional()
        delimiter = top.text[top.position : top.position + 1]
        if delimiter == "{":
            self.stream.group()
            return
        end = top.text.find(delimiter, top.position + 1, top.position + 400) if delimiter else -1
        if end >= 0:
            top.position = end + 1

    def item(self, word: str) -> None:
        self.flush()
        if self.is_in_entry:
            self.paragraph()
        else:
            self.sink.line()
        self.is_in_entry = False
        self.skip_arguments("a")
        if label := self.stream.optional():
            self.is_in_entry = self.item_name(label)
            if not self.is_in_entry:
                self.read_separately(label, self.read)
            self.pending_words.append(" ")

    def item_name(self, label: str) -> bool:
        """Begin an entry of a list of names, as of a description: its label names the formulas of its first sentence. Return whether it is a name."""
        if "$" in label or isinstance(self.sink, TitleSink):
            return False
        name = self.collect_title(label, with_notes=False).plain().rstrip(" .:,;")
        words = name.lower().split() or [""]
        if words[0] in displays.PARAGRAPH_HEADS or not is_term(name, "", self.role):
            return False
        self.paragraph()
        self.sink.term("defined_term", name)
        return True

    def question(self, word: str) -> None:
        """A question of an exam or a task, perhaps with its points."""
        self.paragraph()
        self.stream.optional()

    def ensure_math(self, word: str) -> None:
        raw = self.stream.argument()
        self.flush()
        self.read_separately(raw + "$", lambda: self.add_inline_formulas("$"))

    def document_title(self, word: str) -> None:
        self.stream.optional()
        title = self.collect_title(self.stream.argument()).plain()
        if title and (isinstance(self.sink, PreambleSink) or not self.title):  # later ones are running heads: "Index"
            self.title = title

    def entry_type(self, word: str) -> None:
        self.is_entry = self.stream.argument().strip() in _ENTRIES

    def link(self, word: str) -> None:
        """\\PMlinkname{shown}{target}: of a link the first argument is text."""
        shown = self.stream.argument()
        self.stream.argument()
        self.read_separately(shown, self.read)

    def add_quantity(self, word: str) -> None:
        """A number with a unit of siunitx, or of the package units, in running text as it is printed."""
        numbers, unit = self.quantity(word)
        blank = " " if numbers and unit not in ("", r"{}^\circ") else ""
        self.pending_words.append(commands.printed("–".join(numbers) + blank + unit))

    def drawing_style(self, word: str) -> None:
        """\\tikzstyle{name} = [options]"""
        self.stream.argument()
        self.skip(_EQUALS)
        self.stream.optional()

    def document_doi(self, word: str) -> None:
        """A DOI before the first heading is the document's own; later ones are cited."""
        found = _DOI.search(self.stream.argument())
        if found and not self.headings:
            self.doi = found[0]

    def document_class(self, word: str) -> None:
        top = self.stream.top
        if self.sink is self.draft and top.text.find(r"\begin{document}", top.position) >= 0:
            self.flush()  # a chapter that is taken in with a preamble of its own, which is no text and gives no title
            self.sink = TitleSink()
        options = self.stream.optional() or ""
        name = self.stream.argument().strip()
        self.is_book = self.is_book or name in commands.BOOKS or "class=report" in options or "class=book" in options
        self.set_languages(options)
        self.options[f"{name}.cls"] = options
        if name != "subfiles":
            self.read_package(name + ".cls")
        elif (main := self.tree.find(options, self._current_file())) not in ("", *self.stream.open_files()):
            before = self.title
            self.read_definitions(main, self.tree.preamble(main))
            self.title = before

    def set_languages(self, options: str) -> None:
        for option in options.split(","):
            name = option.strip().lower().removeprefix("main=")
            self.language = commands.LANGUAGES.get(name, self.language)

    def packages_used(self, options: str, names: list[str]) -> None:
        if "babel" in names:
            self.set_languages(options)

    def set_language(self, word: str) -> None:
        self.stream.optional()
        self.set_languages(self.stream.argument())

    def end_of_text(self, word: str) -> None:
        """\\bye, and \\endinput on a line of its own: what follows in the file is not read."""
        top = self.stream.top
        before = top.text[: top.position - len(word) - 1].rstrip(" \t")
        if word == "bye" or (top.file.endswith(ENDINGS) and before.endswith("\n")):
            self.flush()
            self.stream.leave_file()

    def read_definitions(self, name: str, text: str) -> None:
        """Read the text of a file for its definitions alone; what cannot be read to its end is named, and counts as far as it was read."""
        before, stream, self.sink = self.sink, self.stream, PreambleSink()
        try:
            self.read_separately(text, self.read)
        except DocumentError as error:
            self.note(Message("unread.definitions", name=name, why=error.message))
            self.stream, self.expanded, self.nesting, self.unread_tokens = stream, 0, 0, 0
        self.sink = before

    def read_deferred(self) -> None:
        """Read what was deferred to the end."""
        self.flush()
        self.read_footnotes()
        self.flush()


_HANDLERS = {
    "begin": TextScanner.begin, "end": TextScanner.end, "item": TextScanner.item, "verb": TextScanner.skip_verbatim, "lstinline": TextScanner.skip_verbatim,
    "mintinline": TextScanner.skip_verbatim, "caption": TextScanner.caption, "captionof": TextScanner.caption, "footnote": TextScanner.keep_footnote,
    "footnotetext": TextScanner.keep_footnote, "endnote": TextScanner.keep_footnote, "marginnote": TextScanner.keep_footnote, "sidenote": TextScanner.keep_footnote,
    "marginpar": TextScanner.keep_footnote, "ensuremath": TextScanner.ensure_math, "title": TextScanner.document_title, "doi": TextScanner.document_doi, "DOI": TextScanner.document_doi, "acmDOI": TextScanner.document_doi,
    "pmtitle": TextScanner.document_title, "pmtype": TextScanner.entry_type,
    **dict.fromkeys(("PMlinkname", "PMlinkid", "PMlinkexternal", "PMlinktofile"), TextScanner.link),
    "bye": TextScanner.end_of_text, "endinput": TextScanner.end_of_text,
    "documentclass": TextScanner.document_class, "documentstyle": TextScanner.document_class, "tabularnewline": TextScanner.row_end, "setdefaultlanguage": TextScanner.set_language,
    **dict.fromkeys(("par", "startdata", "enddata", "hline"), lambda scanner, word: scanner.paragraph()),
    "setmainlanguage": TextScanner.set_language, "tikzstyle": TextScanner.drawing_style, "nomenclature": TextScanner.nomenclature, "icmltitle": TextScanner.document_title, "Title": TextScanner.document_title,
    **dict.fromkeys(("question", "subpart", "subsubpart", "choice", "task", "bonusquestion", "bonuspart"), TextScanner.question),
    **dict.fromkeys(commands.QUANTITIES, TextScanner.add_quantity),
}  # fmt: skip
