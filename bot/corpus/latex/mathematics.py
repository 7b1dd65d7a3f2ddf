"""Mathematics as TeX reads it: macros expanded, labels and numbers off, displays as rows of cells, words within kept as words."""

import re
from dataclasses import dataclass, field

from bot.corpus.draft import collapse_blanks
from bot.corpus.latex import latex_commands as commands
from bot.corpus.latex.expansion import Expander, Note
from bot.corpus.latex.macros import ENDS_IN_WORD
from bot.corpus.latex.project import SourceTree
from bot.errors import DocumentError

_TOKEN = re.compile(
    r"(?P<plain>[^\\$%{}&\n]*+(?:\n(?![ \t]*\n)[^\\$%{}&\n]*+)*+)"
    r"(?:\\(?P<word>[A-Za-z]+)|\\(?P<symbol>.)|(?P<comment>%[^\n]*\n?[ \t]*)|(?P<sign>[$%{}&\n])|\Z)",
    re.S,
)
_TOKEN_AT = re.compile(_TOKEN.pattern.replace("[A-Za-z]+", "[A-Za-z@]+"), re.S)
# Bounds against an opening sign that is never closed, and files full of them; the longest display met had 2,100 tokens.
_MAX_TOKENS = 8000  # of one formula
_MAX_TOKENS_AFTER_FAILURES = 1000  # of one formula, once _FAILURES_ALLOWED were never closed
_FAILURES_ALLOWED = 20
_MAX_UNREAD_TOKENS = 150_000  # tokens that were read in vain, in one document
_MAX_ENVIRONMENT_DEPTH = 40  # environments in one another
_MAX_SKIPPED_TO_GROUP = 100  # characters of the options of a diagram
_OVERLAY = -1  # an open brace that only says on which slide its content is shown, rows and all
_DIMENSION = re.compile(r"\*?\s*(?:\[\s*-?[\d.]*\s*(?:pt|mm|cm|ex|em|in|pc|bp|mu|\\[A-Za-z]+)[^\]\n]{0,20}\])?")
_BOX_WIDTH = re.compile(r"\s*(?:to|spread)\s*[^{]{0,30}")
_SCRIPT = re.compile(r"[_^]\s*\Z")
_EMPTY_SCRIPT = re.compile(r"(?<!\\)(?:[_^]\s*\{(?:\s|\{\s*\})*\})+")  # of an order that is not given: \mathrm{d}^{}x
_OPTION = re.compile(r"\s*\[[^\]]*\]\s*\Z")
_CR = re.compile(r"\\cr(?:cr)?(?![A-Za-z])")
_PLAIN_ROWS = frozenset(["eqalign", "eqalignno", "leqalignno", "displaylines", "aligned"])
_PLAIN_TABLES = frozenset(["cases", "matrix", "pmatrix", "bordermatrix"])
_CASES_OF_WORDS = {f"{name}*": name for name in ("cases", "dcases", "rcases", "drcases")}  # in the second column
_CELL = re.compile(r"(?:[^\\&%]|\\(?!\\|end\s*\{).){0,2000}", re.S)
_SPACES = {**dict.fromkeys("\\,;: \n", " "), "!": "", "/": ""}  # by command, among words
_BRACKETS = {"o": "[]", "a": "<>", "p": "()"}  # of arguments


@dataclass(slots=True)
class DisplayRow:
    """A row of a display: its cells, or the words between rows (\\intertext)."""

    cells: list[str] = field(default_factory=list)
    words: str = ""


@dataclass(slots=True)
class _OpenFormula:
    """A formula that is being read."""

    rows: list[DisplayRow] = field(default_factory=list)
    row: list[str] = field(default_factory=list)
    cell: list[str] = field(default_factory=list)
    tokens: int = 0
    groups: list[int] = field(default_factory=list)  # for each open brace, how many arguments are wanted behind it
    # Open environments; one that only holds the rows begins with a blank.
    open_environments: list[str] = field(default_factory=list)
    missing_arguments: int = 0  # arguments that the command before still takes
    in_rows: bool = False
    after_word: bool = False
    number_at: int | None = None  # where the number of an equation (\eqno) begins in the cell
    most_cells: int | None = None  # of a row; numbers stand behind them

    def add(self, text: str, word: bool = False) -> None:
        if self.after_word and text[0].isalpha():
            self.cell.append(" ")
        self.cell.append(text)
        self.after_word = word

    def end_cell(self) -> None:
        cell = "".join(self.cell[: self.number_at])
        self.row.append(_EMPTY_SCRIPT.sub(_blank_behind_word, cell) if "}" in cell else cell)
        self.cell, self.after_word, self.missing_arguments, self.number_at = [], False, 0, None

    def end_row(self) -> None:
        self.end_cell()
        self.row = self.row[: self.most_cells]
        if any(cell.strip() for cell in self.row):
            self.rows.append(DisplayRow(self.row))
        self.row = []

    @property
    def is_at_top_level(self) -> bool:
        in_group = any(wants != _OVERLAY for wants in self.groups)
        return not in_group and all(name[0] == " " for name in self.open_environments)


def _blank_behind_word(script: re.Match[str]) -> str:
    """Return what an empty script leaves: a blank between a command and a letter."""
    before, following = script.string[: script.start()], script.string[script.end() : script.end() + 1]
    return " " if following.isalpha() and ENDS_IN_WORD.search(before) else ""


class MathScanner(Expander):
    """Reads formulas out of the stream."""

    def __init__(self, text: str, tree: SourceTree, note: Note) -> None:
        super().__init__(text, tree, note)
        self.failures = self.unread_tokens = 0
        self.never_closed: set[str] = set()  # opaque environments

    def read_formula(self, closing: str, environment: str = "", *, rows: bool = False) -> list[DisplayRow] | None:
        """Return the rows of the formula that begins here, and continue after it; None if it is never closed.

        `closing` is `$`, `$$`, `\\)`, `\\]` or "" for an `environment`, which ends with its \\end.
        """
        before, self.in_mathematics = self.in_mathematics, True
        formula = _OpenFormula(in_rows=rows)
        closed = self._read(formula, closing, environment)
        self.in_mathematics = before
        if closed:
            return formula.rows
        self.failures += 1
        self.unread_tokens += formula.tokens
        if self.unread_tokens > _MAX_UNREAD_TOKENS:
            raise DocumentError("many_unclosed", where=self.tree.main_file)
        return None

    def _read(self, formula: _OpenFormula, closing: str, environment: str) -> bool:
        stream = self.stream
        most = _MAX_TOKENS if self.failures < _FAILURES_ALLOWED else _MAX_TOKENS_AFTER_FAILURES
        while formula.tokens < most and len(formula.open_environments) < _MAX_ENVIRONMENT_DEPTH:
            formula.tokens += 1
            top = stream.top
            # What a macro became was read as tokens where it was defined, often in a package.
            found = (_TOKEN_AT if top.at_is_letter or self.at_is_letter else _TOKEN).match(top.text, top.position)
            if found is None:  # a lone backslash at the end
                top.position = len(top.text)
                continue
            top.position = found.end()
            plain, word, symbol, comment, sign = found.groups()
            if plain:
                self._plain(formula, plain)
            if word is not None:
                verdict = self._command(formula, word, closing, environment)
                if verdict is not None:
                    return verdict
            elif symbol is not None:
                if "\\" + symbol == closing:
                    formula.end_row()
                    return True
                if symbol in "[(" and closing:
                    return False
                self._symbol(formula, symbol)
            elif sign is not None:
                if sign == "$":
                    if closing == "$" or (closing == "$$" and top.text.startswith("$", top.position)):
                        top.position += len(closing) - 1
                        formula.end_row()
                        return True
                elif sign == "\n":
                    if closing in ("$", "$$", "\\)"):
                        return False
                else:
                    self._sign(formula, sign)
            elif comment is None and not stream.pop():
                return False
        return False

    def _plain(self, formula: _OpenFormula, plain: str) -> None:
        formula.add(plain)
        if formula.missing_arguments and not _OPTION.match(plain):
            formula.missing_arguments = max(0, formula.missing_arguments - len(plain.strip()))
        if _SCRIPT.search(plain):
            formula.missing_arguments = 1

    def _sign(self, formula: _OpenFormula, sign: str) -> None:
        if sign == "{":
            formula.groups.append(max(0, formula.missing_arguments - 1))
            formula.missing_arguments = 0
            formula.add("{")
        elif sign == "}":
            if formula.groups and (wants := formula.groups.pop()) != _OVERLAY:
                formula.missing_arguments = wants
                formula.add("}")
        elif sign == "&":
            if formula.in_rows and formula.is_at_top_level:
                formula.end_cell()
            else:
                formula.add("&")
            if formula.open_environments[-1:] and formula.open_environments[-1] in _CASES_OF_WORDS:
                cell = self.skip(_CELL)
                for piece in self._text_pieces(cell[0] if cell else "", "text"):
                    formula.add(piece)

    def _symbol(self, formula: _OpenFormula, symbol: str) -> None:
        if symbol == "\\":
            self._row_end(formula)
        elif symbol not in "/-@":
            formula.missing_arguments = max(0, formula.missing_arguments - 1)
            formula.add("\\" + symbol)

    def _row_end(self, formula: _OpenFormula) -> None:
        self.skip(_DIMENSION)
        if formula.in_rows and formula.is_at_top_level:
            formula.end_row()
        else:
            formula.add("\\\\ ")

    def _command(self, formula: _OpenFormula, word: str, closing: str, environment: str) -> bool | None:
        """Read a command; True or False ends the formula, found or lost."""
        macro = self.macros.commands.get("\\" + word)
        if macro is not None and not macro.primitive:
            wrap = formula.missing_arguments > 0
            self.expand("\\" + word, macro, wrap=wrap)
        elif word == "begin":
            self._begin(formula, self.stream.argument().strip())
        elif word == "end":
            return self._end(formula, self.stream.argument().strip(), closing, environment)
        elif word in commands.WORDS:
            self._text_box(formula, word)
        elif word in commands.QUANTITIES and not (word in ("unit", "qty") and macro is not None):
            self._add_quantity(formula, word)
        elif word in ("cr", "tabularnewline", "crcr"):
            self._row_end(formula)
        elif word in ("eqno", "leqno"):
            formula.number_at = len(formula.cell)
        elif word in commands.NOT_MATHEMATICS:
            self.skip_arguments(commands.NOT_MATHEMATICS[word])
            if "a" in commands.NOT_MATHEMATICS[word] and not formula.missing_arguments and self.stream.peek() == "{":
                self.stream.top.position += 1
                formula.groups.append(_OVERLAY)
        elif word in commands.HEADINGS or word in ("item", "bibitem", "maketitle", "bibliography"):
            self.stream.top.position -= len(word) + 1
            return False
        elif word in _PLAIN_ROWS and formula.is_at_top_level and self.stream.peek() == "{":
            self.stream.push(self.stream.group(), self.stream.top.depth)
            formula.in_rows = True
            formula.most_cells = 2 if word.endswith("no") else None
        elif word in _PLAIN_TABLES and self.stream.peek() == "{":
            body = _CR.sub(r"\\\\ ", self.stream.group())
            self.stream.push(f"\\begin{{{word}}}{body}\\end{{{word}}}", self.stream.top.depth)
        elif self.resolve_command(word):
            pass
        else:
            if macro is not None:
                word = macro.primitive[1:]
            formula.missing_arguments = commands.ARITY.get(word, max(0, formula.missing_arguments - 1))
            formula.add("\\" + word, word=word.isalpha())
        return None

    def quantity(self, word: str) -> tuple[list[str], str]:
        """Read what follows a command of siunitx or of the package units: its numbers (two of a range) and its unit."""
        before = self.stream.optional() or ""  # options, and the value where the package units is meant
        count = 0 if word in commands.UNITS else 2 if word.endswith("range") else 1
        numbers = [commands.numbers(self.stream.argument(), word) for _ in range(count)]
        if word == "unit" and before:
            numbers = [commands.number(before)]
        elif word in ("qty", "SI"):
            self.stream.optional()
        if word == "ang":
            return numbers, r"{}^\circ"
        has_unit = word in commands.WITH_UNIT
        return numbers, commands.unit(self.stream.argument(), self.macros.declared_unit) if has_unit else ""

    def _add_quantity(self, formula: _OpenFormula, word: str) -> None:
        numbers, unit = self.quantity(word)
        value = r"\text{–}".join(numbers)
        text = rf"{value}\,{unit}" if value and unit and word != "ang" else value + unit
        if text:
            text = f"{{{text}}}" if formula.missing_arguments else text
            formula.add(text, word=bool(ENDS_IN_WORD.search(text)))
        formula.missing_arguments = max(0, formula.missing_arguments - 1)

    def _begin(self, formula: _OpenFormula, name: str) -> None:
        base = name.rstrip("*")
        if self.begin_defined_environment(name):
            pass
        elif name in commands.OPAQUE:
            self.skip_to_end(name)
        elif base in commands.DISPLAYED and formula.is_at_top_level:
            if base in commands.COUNTED:
                self.stream.argument()
            formula.open_environments.append(" " + name)
            formula.in_rows = formula.in_rows or base in commands.ROWS
        else:
            formula.open_environments.append(name)
            formula.missing_arguments = 0
            formula.add(f"\\begin{{{_CASES_OF_WORDS.get(name, name)}}}")

    def _end(self, formula: _OpenFormula, name: str, closing: str, environment: str) -> bool | None:
        if self.end_defined_environment(name):
            pass
        elif name in formula.open_environments:
            while formula.open_environments[-1] != name:
                self._close(formula)
            self._close(formula)
        elif " " + name in formula.open_environments:
            formula.open_environments.remove(" " + name)
        elif name == environment:
            formula.end_row()
            return True
        else:  # the end of something around the formula, which is never closed itself
            self.stream.push(f"\\end{{{name}}}", self.stream.top.depth)
            if closing in ("$", "\\)"):
                return False
            formula.end_row()
            return True
        return None

    @staticmethod
    def _close(formula: _OpenFormula) -> None:
        name = formula.open_environments.pop()
        if name[0] != " ":
            formula.add(f"\\end{{{_CASES_OF_WORDS.get(name, name)}}}")

    def _text_box(self, formula: _OpenFormula, word: str) -> None:
        """Read \\text and similar boxes: their words as text, mathematics in them as mathematics."""
        self.skip_arguments(commands.WORDS[word])
        if word in ("hbox", "vbox"):
            self.skip(_BOX_WIDTH)
        raw = self.stream.argument()
        if word.endswith("intertext"):
            formula.end_row()
            formula.rows.append(DisplayRow(words=raw))
            return
        pieces = self._text_pieces(raw, commands.AS_WORDS.get(word, word))
        if len(pieces) > 1 and formula.missing_arguments:
            pieces = ["{", *pieces, "}"]
        for piece in pieces:
            formula.add(piece)
        formula.missing_arguments = max(0, formula.missing_arguments - 1)

    def _text_pieces(self, raw: str, command: str) -> list[str]:
        """Return a box as pieces: its words as `\\text{…}`, its mathematics between them."""
        found: list[str] = []
        words: list[str] = []

        def finish() -> None:
            text = "".join(words)
            if text.strip(" ~\n"):
                found.append(f"\\{command}{{{collapse_blanks(text)}}}")
            elif text and found:
                found.append(" ")
            words.clear()

        def read() -> None:
            stream = self.stream
            while True:
                top = stream.top
                token = _TOKEN.match(top.text, top.position)
                if token is None:
                    top.position = len(top.text)
                    continue
                top.position = token.end()
                plain, word, symbol, comment, sign = token.groups()
                words.append(plain)
                if sign == "$" or symbol == "(":
                    rows = self.try_formula("$" if sign else "\\)")
                    finish()
                    found.extend(" ".join(row.cells) for row in rows or ())
                elif word == "ensuremath":
                    stream.push(f"${stream.argument()}$", stream.top.depth)
                elif word is not None:
                    if word in ("begin", "end"):
                        name = stream.argument().strip()
                        self.skip_arguments(commands.TABLES.get(name, "") if word == "begin" else "")
                    elif word in commands.ARGUMENTS:
                        self.skip_arguments(commands.ARGUMENTS[word])
                    elif word in commands.CITING:
                        self.skip_arguments("soom")
                    elif word in commands.SYMBOLS:
                        words.append(commands.SYMBOLS[word])
                    else:
                        self.resolve_command(word)
                elif symbol is not None:
                    words.append(_SPACES.get(symbol, "\\" + symbol))
                elif sign == "&":
                    words.append(" ")
                elif sign is None and comment is None and not stream.pop():
                    return

        self.in_mathematics = False
        self.read_separately(raw, read)
        self.in_mathematics = True
        finish()
        return found

    def try_formula(self, closing: str, environment: str = "", *, rows: bool = False) -> list[DisplayRow] | None:
        """Read the formula that begins here as `read_formula` does; one that is never closed leaves the stream where it is."""
        mark = self.stream.mark()
        found = self.read_formula(closing, environment, rows=rows)
        if found is None:
            self.stream.rewind(mark)
        return found

    def skip_to_end(self, name: str) -> None:
        """Skip an environment that is not prose or mathematics; one that is never closed is not skipped."""
        top = self.stream.top
        if name in self.never_closed:
            return
        end = top.text.find(f"\\end{{{name}}}", top.position)
        if end >= 0:
            top.position = end + len(name) + 6
        elif top.file:
            self.never_closed.add(name)
        elif self.defined_environment_ends and f"\\end{{{name}}}" in self.defined_environment_ends[-1][1]:
            self.stream.pop()  # an environment of the author's begins it, and ends it where it ends itself
            self.skip_to_end(self.defined_environment_ends.pop()[0])

    def _skip_to_group(self) -> None:
        top = self.stream.top
        while (start := top.text.find("{", top.position, top.position + _MAX_SKIPPED_TO_GROUP)) < 0 and not top.file:
            if not self.stream.pop():  # a macro that the options begin with
                return
            top = self.stream.top
        top.position = max(top.position, start)

    def skip_arguments(self, letters: str) -> None:
        """Skip arguments: s star, o optional, m mandatory, p in round brackets, a in angle brackets, g mandatory behind anything else."""
        stream = self.stream
        for letter in letters:
            if letter == "s":
                stream.skip_star()
            elif letter in _BRACKETS:
                stream.optional(*_BRACKETS[letter])
            else:
                if letter == "g":
                    self._skip_to_group()
                stream.argument()
