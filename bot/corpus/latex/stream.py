"""The source still to be read: a stack of pieces, the innermost last. An expanded macro and a file taken in are pieces."""

import re
from dataclasses import dataclass

_BRACES = re.compile(r"\\.|%[^\n]*|[{}]", re.S)
_BRACKETS = re.compile(r"\\.|%[^\n]*|[{}\[\]]", re.S)
_BLANKS = re.compile(r"(?:[ \t]+|\n(?![ \t]*\n)|%[^\n]*\n?[ \t]*)+")
_COMMAND = re.compile(r"\\(?:[A-Za-z@]+|.)", re.S)
# Both bound the search for the brace that closes: a file with thousands of open ones is read in linear time.
_LONGEST = 400_000  # characters of one argument: a macro around a whole section
_SHORT = 10_000  # the same, once _FAILURES were not closed; it falls to _SHORTEST with the failures
_SHORTEST = 40
_FAILURES = 20


@dataclass(slots=True)
class Piece:
    """Some source text, where it is read at, how deep in expansions it is, and the file it is of ("" for an expansion)."""

    text: str
    at: int = 0
    depth: int = 0
    file: str = ""


class Stream:
    """Reads arguments and tokens; `top` is the piece that is being read."""

    def __init__(self, text: str, depth: int = 0, file: str = "") -> None:
        self.top = Piece(text, depth=depth, file=file)
        self.below: list[Piece] = []
        self.unclosed = 0

    def push(self, text: str, depth: int, file: str = "") -> None:
        """Read `text` next, and then what is left of the rest."""
        if self.top.at < len(self.top.text) or self.top.file:
            self.below.append(self.top)
        self.top = Piece(text, depth=depth, file=file)

    def pop(self) -> bool:
        """Go on with the piece below; False at the end of all."""
        if not self.below:
            return False
        self.top = self.below.pop()
        return True

    def open_files(self) -> list[str]:
        return [piece.file for piece in (*self.below, self.top) if piece.file]

    def leave_file(self) -> None:
        """Leave out what is left of the file that is read; of the main file, all."""
        self.leave_expansions()
        self.top.at = len(self.top.text)

    def leave_expansions(self) -> None:
        """Leave out what is left of all expansions, down to the file's own text."""
        while not self.top.file and self.pop():
            pass
        if not self.top.file:
            self.top.at = len(self.top.text)

    def mark(self) -> tuple[list[Piece], Piece]:
        """Return where we are, for `back`."""
        return [Piece(p.text, p.at, p.depth, p.file) for p in self.below], Piece(
            self.top.text, self.top.at, self.top.depth, self.top.file
        )

    def back(self, mark: tuple[list[Piece], Piece]) -> None:
        """Read again from a mark."""
        self.below, self.top = mark

    def blanks(self) -> None:
        """Skip blanks, comments and one line end, but no empty line."""
        while True:
            top = self.top
            if found := _BLANKS.match(top.text, top.at):
                top.at = found.end()
            if top.at < len(top.text) or not self.pop():
                return

    def peek(self) -> str:
        """Return the next character after blanks, or an empty string at the end."""
        self.blanks()
        return self.top.text[self.top.at : self.top.at + 1]

    def star(self) -> bool:
        if self.peek() == "*":
            self.top.at += 1
            return True
        return False

    def argument(self) -> str:
        """Return the next argument without its braces: a group, a command or a character."""
        sign = self.peek()
        if sign == "{":
            return self.group()
        if sign == "\\":
            return self.command()
        if sign == "}":
            return ""
        self.top.at += 1
        return sign

    def command(self) -> str:
        """Return the command that stands next, with its backslash, or an empty string; `\\csname` gives the name it makes."""
        self.blanks()
        top = self.top
        found = _COMMAND.match(top.text, top.at)
        if not found:
            return ""
        top.at = found.end()
        name = self.csname() if found[0] == "\\csname" else ""
        return "\\" + name if name else found[0]

    def csname(self) -> str:
        """Return the name that is made up to `\\endcsname`; where that does not come, an empty string."""
        top = self.top
        end = top.text.find("\\endcsname", top.at, top.at + _SHORT)
        if end < 0:
            return ""
        name, top.at = top.text[top.at : end].strip(), end + len("\\endcsname")
        return name

    def group(self) -> str:
        """Return what is in the group that opens here; where it is never closed, nothing, and only its brace is skipped."""
        top = self.top
        start = top.at + 1
        end = self._closing(_BRACES, "{", "}")
        if end < 0:
            top.at = start
            return ""
        top.at = end
        return top.text[start : end - 1]

    def optional(self, opening: str = "[", closing: str = "]") -> str | None:
        """Return an optional argument, or None where there is none."""
        if self.peek() != opening:
            return None
        top = self.top
        start = top.at + 1
        end = self._closing(_BRACKETS, opening, closing) if opening == "[" else top.text.find(closing, start) + 1
        if end <= 0:
            return None
        top.at = end
        return top.text[start : end - 1]

    def until(self, delimiter: str) -> str:
        """Return what stands before a delimiter of \\def and skip both; outer braces go, as in TeX."""
        top = self.top
        depth, start = 0, top.at
        most = self._most()
        for found in re.finditer(rf"\\.|[{{}}]|{re.escape(delimiter)}", top.text[top.at : top.at + most], re.S):
            here = found[0]
            if top.text.startswith(delimiter, start + found.start()) and depth == 0:
                end = start + found.start()
                top.at = end + len(delimiter)
                text = top.text[start:end]
                return text[1:-1] if text[:1] == "{" and text[-1:] == "}" and text.count("{") == 1 else text
            depth += (here == "{") - (here == "}")
        self.unclosed += 1
        return ""

    def _most(self) -> int:
        """Return how far an end is looked for: the less, the more often none was found."""
        return _LONGEST if self.unclosed < _FAILURES else max(_SHORTEST, _SHORT * _FAILURES // self.unclosed)

    def _closing(self, signs: re.Pattern[str], opening: str, closing: str) -> int:
        top = self.top
        limit = top.at + self._most()
        braces = depth = 0
        for found in signs.finditer(top.text, top.at, limit):
            sign = found[0]
            if sign == opening and (opening == "{" or not braces):
                depth += 1
            elif sign == closing and (opening == "{" or not braces):
                depth -= 1
                if not depth:
                    return found.end()
            elif sign == "{":
                braces += 1
            elif sign == "}":
                braces -= 1
                if braces < 0:
                    break
        self.unclosed += 1
        return -1
