"""The source still to be read: a stack of pieces, the innermost last. An expanded macro and an included file are pieces."""

import re
from dataclasses import dataclass

_BRACES = re.compile(r"\\.|%[^\n]*|[{}]", re.S)
_SIGNS = {  # what closes an optional argument, by what opens it: delimiters of its kind and braces nest
    "[": re.compile(r"\\.|%[^\n]*|[{}\[\]]", re.S),
    "(": re.compile(r"\\.|%[^\n]*|[{}()]", re.S),
    "{": _BRACES,
}
_BLANKS = re.compile(r"(?:[ \t]+|\n(?![ \t]*\n)|%[^\n]*\n?[ \t]*)+")
_COMMAND = re.compile(r"\\(?:[A-Za-z@]+|.)", re.S)
# Both bound the search for the brace that closes: a file with thousands of open ones is read in linear time.
_MAX_ARGUMENT_CHARACTERS = 400_000  # characters of one argument: a macro around a whole section
_SHORT = 10_000  # the same, once _FAILURES were not closed; it falls to _MIN_PREFIX with the failures
_MIN_PREFIX = 40
_FAILURES = 20


@dataclass(slots=True)
class InputPiece:
    """Some source text, the reading position, its depth of expansion, its file ("" for an expansion), and whether @ is a letter in it."""

    text: str
    position: int = 0
    depth: int = 0
    file: str = ""
    at_is_letter: bool = True  # in packages, and in what a macro became, which often was defined in one


def _at_is_letter(file: str) -> bool:
    return not file or file.endswith((".sty", ".cls"))


class TokenStream:
    """Reads arguments and tokens; `top` is the piece that is being read."""

    def __init__(self, text: str, depth: int = 0, file: str = "") -> None:
        self.top = InputPiece(text, 0, depth, file, _at_is_letter(file))
        self.outer_pieces: list[InputPiece] = []
        self.unclosed_groups = 0

    def push(self, text: str, depth: int, file: str = "") -> None:
        """Read `text` next, and then what is left of the rest."""
        if self.top.position < len(self.top.text) or self.top.file:
            self.outer_pieces.append(self.top)
        self.top = InputPiece(text, 0, depth, file, _at_is_letter(file))

    def pop(self) -> bool:
        """Continue with the piece below; False at the end of the input."""
        if not self.outer_pieces:
            return False
        self.top = self.outer_pieces.pop()
        return True

    def open_files(self) -> list[str]:
        return [piece.file for piece in (*self.outer_pieces, self.top) if piece.file]

    def leave_file(self) -> None:
        """Skip the rest of the current file; in the main file, everything."""
        self.leave_expansions()
        self.top.position = len(self.top.text)

    def leave_expansions(self) -> None:
        """Skip the rest of all expansions, down to the file's own text."""
        while not self.top.file and self.pop():
            pass
        if not self.top.file:
            self.top.position = len(self.top.text)

    def mark(self) -> tuple[list[InputPiece], InputPiece]:
        """Return the current position, for `rewind`."""
        *outer, top = (
            InputPiece(p.text, p.position, p.depth, p.file, p.at_is_letter) for p in (*self.outer_pieces, self.top)
        )
        return outer, top

    def rewind(self, mark: tuple[list[InputPiece], InputPiece]) -> None:
        """Go back to a position that `mark` returned."""
        self.outer_pieces, self.top = mark

    def skip_blanks(self) -> None:
        """Skip blanks, comments and one line end, but no empty line."""
        while True:
            top = self.top
            if found := _BLANKS.match(top.text, top.position):
                top.position = found.end()
            if top.position < len(top.text) or not self.pop():
                return

    def peek(self) -> str:
        """Return the next character after blanks, or an empty string at the end."""
        self.skip_blanks()
        return self.top.text[self.top.position : self.top.position + 1]

    def skip_star(self) -> bool:
        if self.peek() == "*":
            self.top.position += 1
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
        self.top.position += 1
        return sign

    def command(self) -> str:
        """Return the command that stands next, with its backslash, or an empty string; `\\csname` gives the name it makes."""
        self.skip_blanks()
        top = self.top
        found = _COMMAND.match(top.text, top.position)
        if not found:
            return ""
        top.position = found.end()
        name = self.csname() if found[0] == "\\csname" else ""
        return "\\" + name if name else found[0]

    def csname(self) -> str:
        """Return the name that is made up to `\\endcsname`; where that does not come, an empty string."""
        top = self.top
        end = top.text.find("\\endcsname", top.position, top.position + _SHORT)
        if end < 0:
            return ""
        name, top.position = top.text[top.position : end].strip(), end + len("\\endcsname")
        return name

    def group(self) -> str:
        """Return the content of the group that opens here; "" for one that is never closed, of which only the brace is skipped."""
        top = self.top
        start = top.position + 1
        end = self._end_of_group(_BRACES, "{", "}")
        if end < 0:
            top.position = start
            return ""
        top.position = end
        return top.text[start : end - 1]

    def optional(self, opening: str = "[", closing: str = "]") -> str | None:
        """Return an optional argument, or None where there is none."""
        if self.peek() != opening:
            return None
        top = self.top
        start = top.position + 1
        signs = _SIGNS.get(opening)
        end = self._end_of_group(signs, opening, closing) if signs else top.text.find(closing, start) + 1
        if end <= 0:
            return None
        top.position = end
        return top.text[start : end - 1]

    def until(self, delimiter: str) -> str:
        """Return what stands before a delimiter of \\def and skip both; outer braces go, as in TeX."""
        top = self.top
        depth, start = 0, top.position
        most = self._search_limit()
        for found in re.finditer(
            rf"\\.|[{{}}]|{re.escape(delimiter)}", top.text[top.position : top.position + most], re.S
        ):
            token = found[0]
            if top.text.startswith(delimiter, start + found.start()) and depth == 0:
                end = start + found.start()
                top.position = end + len(delimiter)
                text = top.text[start:end]
                return text[1:-1] if text[:1] == "{" and text[-1:] == "}" and text.count("{") == 1 else text
            depth += (token == "{") - (token == "}")
        self.unclosed_groups += 1
        return ""

    def _search_limit(self) -> int:
        """Return how many characters to search for an end; fewer after each failed search."""
        if self.unclosed_groups < _FAILURES:
            return _MAX_ARGUMENT_CHARACTERS
        return max(_MIN_PREFIX, _SHORT * _FAILURES // self.unclosed_groups)

    def _end_of_group(self, signs: re.Pattern[str], opening: str, closing: str) -> int:
        top = self.top
        limit = top.position + self._search_limit()
        braces = depth = 0
        for found in signs.finditer(top.text, top.position, limit):
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
        self.unclosed_groups += 1
        return -1
