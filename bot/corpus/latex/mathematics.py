"""Mathematics as TeX reads it: macros expanded, labels and numbers off, displays as rows of cells, words within kept as words."""

import re
from dataclasses import dataclass, field

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
_MOST_TOKENS = 8000  # of one formula
_FEW_TOKENS = 1000  # of one formula, once _FAILURES were never closed
_FAILURES = 20
_MOST_LOST = 150_000  # tokens that were read in vain, in one document
_DEEPEST = 40  # environments in one another
_FAR = 100  # characters of the options of a diagram
_OVERLAY = -1  # an open brace that only says on which slide its content is shown, rows and all
_DIMENSION = re.compile(r"\*?\s*(?:\[\s*-?[\d.]*\s*(?:pt|mm|cm|ex|em|in|pc|bp|mu|\\[A-Za-z]+)[^\]\n]{0,20}\])?")
_ASSIGNED = re.compile(r"\s*=?\s*-?(?:\d+(?:\.\d*)?|\.\d+)(?:\s*(?:mu|pt|e[mx]|[cm]m|in|pc|bp)\b)?\s?")
_SCRIPT = re.compile(r"[_^]\s*\Z")
_OPTION = re.compile(r"\s*\[[^\]]*\]\s*\Z")
_CR = re.compile(r"\\cr(?:cr)?(?![A-Za-z])")
_PLAIN_ROWS = frozenset(["eqalign", "eqalignno", "leqalignno", "displaylines", "aligned"])
_PLAIN_TABLES = frozenset(["cases", "matrix", "pmatrix", "bordermatrix"])
_UNITS_AND_NUMBERS = frozenset(["SI", "si", "num", "qty", "unit", "ang"])


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
    out: list[str] = field(default_factory=list)
    tokens: int = 0
    groups: list[int] = field(default_factory=list)  # for each open brace, how many arguments are wanted behind it
    # Open environments; one that only holds the rows begins with a blank.
    inner: list[str] = field(default_factory=list)
    wants: int = 0  # arguments that the command before still takes
    in_rows: bool = False
    after_word: bool = False

    def add(self, text: str, word: bool = False) -> None:
        if self.after_word and text[0].isalpha():
            self.out.append(" ")
        self.out.append(text)
        self.after_word = word

    def end_cell(self) -> None:
        self.row.append("".join(self.out))
        self.out, self.after_word, self.wants = [], False, 0

    def end_row(self) -> None:
        self.end_cell()
        if any(cell.strip() for cell in self.row):
            self.rows.append(DisplayRow(self.row))
        self.row = []

    @property
    def outside(self) -> bool:
        return all(wants == _OVERLAY for wants in self.groups) and all(name[0] == " " for name in self.inner)


class MathScanner(Expander):
    """Reads formulas out of the stream."""

    def __init__(self, text: str, tree: SourceTree, note: Note) -> None:
        super().__init__(text, tree, note)
        self.failures = self.lost = 0
        self.never_closed: set[str] = set()  # opaque environments

    def mathematics(self, closing: str, environment: str = "", *, rows: bool = False) -> list[DisplayRow] | None:
        """Return the rows of the formula that begins here, and go on behind it; None where it is never closed.

        `closing` is `$`, `$$`, `\\)`, `\\]` or "" for an `environment`, which ends with its \\end.
        """
        before, self.in_mathematics = self.in_mathematics, True
        formula = _OpenFormula(in_rows=rows)
        closed = self._read(formula, closing, environment)
        self.in_mathematics = before
        if closed:
            return formula.rows
        self.failures += 1
        self.lost += formula.tokens
        if self.lost > _MOST_LOST:
            raise DocumentError("many_unclosed", where=self.tree.home)
        return None

    def _read(self, formula: _OpenFormula, closing: str, environment: str) -> bool:
        stream = self.stream
        most = _MOST_TOKENS if self.failures < _FAILURES else _FEW_TOKENS
        while formula.tokens < most and len(formula.inner) < _DEEPEST:
            formula.tokens += 1
            top = stream.top
            # What a macro became was read as tokens where it was defined, often in a package.
            found = (_TOKEN if top.file and not self.at_is_letter else _TOKEN_AT).match(top.text, top.at)
            if found is None:  # a lone backslash at the end
                top.at = len(top.text)
                continue
            top.at = found.end()
            plain, word, symbol, comment, sign = found.groups()
            if plain:
                self._plain(formula, plain)
            if word is not None:
                verdict = self._word(formula, word, closing, environment)
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
                    if closing == "$" or (closing == "$$" and top.text.startswith("$", top.at)):
                        top.at += len(closing) - 1
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
        if formula.wants and not _OPTION.match(plain):
            formula.wants = max(0, formula.wants - len(plain.strip()))
        if _SCRIPT.search(plain):
            formula.wants = 1

    def _sign(self, formula: _OpenFormula, sign: str) -> None:
        if sign == "{":
            formula.groups.append(max(0, formula.wants - 1))
            formula.wants = 0
            formula.add("{")
        elif sign == "}":
            if formula.groups and (wants := formula.groups.pop()) != _OVERLAY:
                formula.wants = wants
                formula.add("}")
        elif sign == "&":
            if formula.in_rows and formula.outside:
                formula.end_cell()
            else:
                formula.add("&")

    def _symbol(self, formula: _OpenFormula, symbol: str) -> None:
        if symbol == "\\":
            self._row_end(formula)
        elif symbol not in "/-@":
            formula.wants = max(0, formula.wants - 1)
            formula.add("\\" + symbol)

    def _row_end(self, formula: _OpenFormula) -> None:
        top = self.stream.top
        if found := _DIMENSION.match(top.text, top.at):
            top.at = found.end()
        if formula.in_rows and formula.outside:
            formula.end_row()
        else:
            formula.add("\\\\ ")

    def _word(self, formula: _OpenFormula, word: str, closing: str, environment: str) -> bool | None:
        """Read a command; True or False ends the formula, found or lost."""
        macro = self.macros.commands.get("\\" + word)
        if macro is not None and not macro.primitive:
            wrap = formula.wants > 0
            self.expand("\\" + word, macro, wrap=wrap)
        elif word == "begin":
            self._begin(formula, self.stream.argument().strip())
        elif word == "end":
            return self._end(formula, self.stream.argument().strip(), closing, environment)
        elif word in commands.WORDS:
            self._words(formula, word)
        elif word in _UNITS_AND_NUMBERS and not (word in ("unit", "qty") and macro is not None):
            self._quantity(formula, word)
        elif word in ("cr", "tabularnewline", "crcr"):
            self._row_end(formula)
        elif word in commands.NOT_MATHEMATICS:
            self.skip_arguments(commands.NOT_MATHEMATICS[word])
            if "a" in commands.NOT_MATHEMATICS[word] and not formula.wants and self.stream.peek() == "{":
                self.stream.top.at += 1
                formula.groups.append(_OVERLAY)
        elif word.endswith("penalty") or word in ("mkern", "kern", "mskip", "hskip"):
            found = _ASSIGNED.match(self.stream.top.text, self.stream.top.at)
            self.stream.top.at = found.end() if found else self.stream.top.at
        elif word in commands.HEADINGS or word in ("item", "bibitem", "maketitle", "bibliography"):
            self.stream.top.at -= len(word) + 1
            return False
        elif word in _PLAIN_ROWS and formula.outside and self.stream.peek() == "{":
            self.stream.push(self.stream.group(), self.stream.top.depth)
            formula.in_rows = True
        elif word in _PLAIN_TABLES and self.stream.peek() == "{":
            body = _CR.sub(r"\\\\ ", self.stream.group())
            self.stream.push(f"\\begin{{{word}}}{body}\\end{{{word}}}", self.stream.top.depth)
        elif self.resolve(word):
            pass
        else:
            if macro is not None:
                word = macro.primitive[1:]
            formula.wants = commands.ARITY.get(word, max(0, formula.wants - 1))
            formula.add("\\" + word, word=word.isalpha())
        return None

    def _quantity(self, formula: _OpenFormula, word: str) -> None:
        before = self.stream.optional() or ""  # options, and the value where the package units is meant
        value = commands.number(
            self.stream.argument() if word in ("SI", "num", "qty", "ang") else before if word == "unit" else ""
        )
        if word in ("SI", "qty"):
            self.stream.optional()
        unit = (
            commands.unit(self.stream.argument())
            if word in ("SI", "si", "qty", "unit")
            else r"{}^\circ"
            if word == "ang"
            else ""
        )
        text = rf"{value}\,{unit}" if value and unit and word != "ang" else value + unit
        if text:
            text = f"{{{text}}}" if formula.wants else text
            formula.add(text, word=bool(ENDS_IN_WORD.search(text)))
        formula.wants = max(0, formula.wants - 1)

    def _begin(self, formula: _OpenFormula, name: str) -> None:
        base = name.rstrip("*")
        if self.begin_own(name):
            pass
        elif name in commands.OPAQUE:
            self.skip_to_end(name)
        elif base in commands.DISPLAYED and formula.outside:
            if base in commands.COUNTED:
                self.stream.argument()
            formula.inner.append(" " + name)
            formula.in_rows = formula.in_rows or base in commands.ROWS
        else:
            formula.inner.append(name)
            formula.wants = 0
            formula.add(f"\\begin{{{name}}}")

    def _end(self, formula: _OpenFormula, name: str, closing: str, environment: str) -> bool | None:
        if self.end_own(name):
            pass
        elif name in formula.inner:
            while formula.inner[-1] != name:
                self._close(formula)
            self._close(formula)
        elif " " + name in formula.inner:
            formula.inner.remove(" " + name)
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
        name = formula.inner.pop()
        if name[0] != " ":
            formula.add(f"\\end{{{name}}}")

    def _words(self, formula: _OpenFormula, word: str) -> None:
        """\\text and its like: words, and mathematics within them as mathematics."""
        self.skip_arguments(commands.WORDS[word])
        if word in ("hbox", "vbox") and (
            to := re.match(r"\s*(?:to|spread)\s*[^{]{0,30}", self.stream.top.text[self.stream.top.at :][:40])
        ):
            self.stream.top.at += to.end()
        raw = self.stream.argument()
        if word.endswith("intertext"):
            formula.end_row()
            formula.rows.append(DisplayRow(words=raw))
            return
        pieces = self.worded(raw, commands.AS_WORDS.get(word, word))
        if len(pieces) > 1 and formula.wants:
            pieces = ["{", *pieces, "}"]
        for piece in pieces:
            formula.add(piece)
        formula.wants = max(0, formula.wants - 1)

    def worded(self, raw: str, command: str) -> list[str]:
        """Return the words of a box as `\\text{…}`, with the mathematics in it between."""
        found: list[str] = []
        words: list[str] = []

        def finish() -> None:
            text = "".join(words)
            if text.strip(" ~\n"):
                found.append(f"\\{command}{{{' '.join(f'x{text}x'.split())[1:-1]}}}")
            elif text and found:
                found.append(" ")
            words.clear()

        def read() -> None:
            stream = self.stream
            while True:
                top = stream.top
                token = _TOKEN.match(top.text, top.at)
                if token is None:
                    top.at = len(top.text)
                    continue
                top.at = token.end()
                plain, word, symbol, comment, sign = token.groups()
                words.append(plain)
                if sign == "$":
                    rows = self._inside("$")
                    finish()
                    found.extend(" ".join(row.cells) for row in rows)
                elif symbol == "(":
                    rows = self._inside("\\)")
                    finish()
                    found.extend(" ".join(row.cells) for row in rows)
                elif word == "ensuremath":
                    inner = stream.argument()
                    finish()
                    found.append(inner)
                elif word is not None:
                    if word in commands.ARGUMENTS:
                        self.skip_arguments(commands.ARGUMENTS[word])
                    elif word in commands.CITING:
                        self.skip_arguments("soom")
                    elif word in commands.SYMBOLS:
                        words.append(commands.SYMBOLS[word])
                    else:
                        self.resolve(word)
                elif symbol is not None:
                    words.append(
                        {"\\": " ", ",": " ", ";": " ", ":": " ", "!": "", "/": "", " ": " ", "\n": " "}.get(
                            symbol, "\\" + symbol
                        )
                    )
                elif sign == "&":
                    words.append(" ")
                elif sign is None and comment is None and not stream.pop():
                    return

        self.in_mathematics = False
        self.run(raw, read)
        self.in_mathematics = True
        finish()
        return found

    def _inside(self, closing: str) -> list[DisplayRow]:
        mark = self.stream.mark()
        rows = self.mathematics(closing)
        if rows is None:
            self.stream.back(mark)
        return rows or []

    def skip_to_end(self, name: str) -> None:
        """Skip an environment that is no prose and no mathematics; one that is never closed is not skipped."""
        top = self.stream.top
        if name in self.never_closed:
            return
        end = top.text.find(f"\\end{{{name}}}", top.at)
        if end >= 0:
            top.at = end + len(name) + 6
        elif top.file:
            self.never_closed.add(name)

    def _skip_to_group(self) -> None:
        top = self.stream.top
        top.at = max(top.at, top.text.find("{", top.at, top.at + _FAR))

    def skip_arguments(self, letters: str) -> None:
        """Skip arguments: s star, o optional, m mandatory, p in round brackets, a in angle brackets, g mandatory behind anything else."""
        stream = self.stream
        for letter in letters:
            if letter == "s":
                stream.star()
            elif letter == "m":
                stream.argument()
            elif letter == "o":
                stream.optional()
            elif letter == "a":
                stream.optional("<", ">")
            elif letter == "g":
                self._skip_to_group()
                stream.argument()
            else:
                stream.optional("(", ")")
