"""Whether a wiki's math grammar (texvc) accepts a string: one pass with an explicit stack, the first fault with its place."""

import re
from dataclasses import dataclass, field

from bot.formula.validity import texvc_macros as known
from bot.messages import Message

_MACRO = re.compile(r"\\([A-Za-z]+)")
_BLANK = re.compile(r"[ \t\n\r]*")
_PLAIN = re.compile(r"[A-Za-z0-9,:;?!'\-+*=><~%$().\[/|]")
_DELIMITER = re.compile(r"\s*(?:[().\[\]/|]|\\[{}|]|\\([A-Za-z]+))")
_BOX = re.compile(r"\s*\{([-0-9a-zA-Z+*,=():/;?.!'` \[\]\u0080-\ud7ff\ue000-\U0010ffff]+)\}")
_ENVIRONMENT = re.compile(r"\s*\{\s*([A-Za-z]+\*?)\s*\}")
_POSITION = re.compile(r"\s*\[\s*[tcb]\s*\]")
_COLUMNS = re.compile(r"\s*\{(?:\s*(?:[lrc]|\||[p@]\{[^{}]+\}|\*\{\d+\s*\}(?:[lrc]|\{[lrc|\s]+\})))+\s*\}")
_COUNT = re.compile(r"\s*\{\d+\s*\}")
_NUMBERS = r"\s*[\d.]+\s*(?:,\s*[\d.]+\s*){0,3}"
_COLOUR = re.compile(
    rf"\s*(?:\[\s*(?:rgb|RGB|cmyk|gray)\s*\]\s*\{{{_NUMBERS}\}}|(?:\[\s*named\s*\]\s*)?\{{\s*[A-Za-z]+\s*\}})"
)
_DEFINED_COLOUR = re.compile(
    rf"\s*\{{\s*[A-Za-z]+\s*\}}\s*\{{\s*(?:rgb|RGB|cmyk|gray|named)\s*\}}\s*\{{(?:{_NUMBERS}|\s*[A-Za-z]+\s*)\}}"
)


class GrammarRefusal(Exception):
    """The grammar refuses the formula: reason, position, and the macro if one is the cause."""

    def __init__(self, why: Message, position: int, macro: str = "") -> None:
        super().__init__(why)
        self.why, self.position, self.macro = why, position, macro


@dataclass(slots=True)
class _Pending:
    """A macro or a script whose arguments are missing."""

    name: str
    arguments: int
    position: int


@dataclass(slots=True)
class _Frame:
    kind: str  # top, {, left, option, or the name of an environment
    start: int
    needs: list[_Pending] = field(default_factory=list)
    filled: bool = False
    infix: str = ""
    row_start: bool = True


def accept(tex: str) -> None:
    """Return if the grammar accepts `tex`; raise GrammarRefusal with the first fault."""
    _GrammarReader(tex).read()


class _GrammarReader:
    def __init__(self, tex: str) -> None:
        self.tex, self.at = tex, 0
        self.frames = [_Frame("top", 0)]

    def read(self) -> None:
        while True:
            self._take(_BLANK)
            if self.at >= len(self.tex):
                break
            self._one(self.tex[self.at])
        top = self.frames[-1]
        if top.kind != "top":
            raise GrammarRefusal(Message("verdict.open", mark=_opening(top)), top.start)
        self._close(len(self.tex))

    def _take(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        """Return what the pattern matches here and go behind it; None and stay where it does not match."""
        found = pattern.match(self.tex, self.at)
        self.at = found.end() if found else self.at
        return found

    def _one(self, character: str) -> None:
        frame, start = self.frames[-1], self.at
        if character == "\\":
            self._command(frame)
            return
        self.at += 1
        if character == "{":
            self.frames.append(_Frame("{", start))
        elif character == "}":
            if frame.kind == "top":
                raise GrammarRefusal(Message("verdict.closes_nothing", mark="}"), start)
            if frame.kind != "{":
                raise GrammarRefusal(Message("verdict.inside", mark="}", other=_opening(frame)), start)
            self._leave(start)
        elif character in "_^":
            self._expect_none(frame, character, start)
            frame.needs.append(_Pending(character, 1, start))
            frame.filled = True
        elif character == "&":
            self._cell(frame, "&", start)
        elif character == "]":
            if frame.kind == "option":
                self._close(start)
                self.frames.pop()
                self.frames[-1].needs.append(_Pending(frame.infix, 1, frame.start))
            else:
                self._expect_none(frame, "]", start)
                frame.filled = True
        elif _PLAIN.match(character):
            self._atom(frame)
        else:
            raise GrammarRefusal(_foreign(character), start)

    def _command(self, frame: _Frame) -> None:
        start = self.at
        found = self._take(_MACRO)
        if not found:
            self._symbol(frame, self.tex[start + 1 : start + 2])
            return
        name = found[1]
        frame_row, frame.row_start = frame.row_start, False
        if name in known.NO_ARGUMENT or name in known.DELIMITERS:
            self._atom(frame)
        elif name in known.OPTIONAL and self._option(name, start):
            return
        elif name in known.ONE_ARGUMENT or name in known.TWO_ARGUMENTS:
            frame.needs.append(_Pending(f"\\{name}", 1 if name in known.ONE_ARGUMENT else 2, start))
        elif name in known.BOXES:
            self._raw(_BOX, start, Message("verdict.words", mark=f"\\{name}"), name)
        elif name in known.BIG:
            self._delimiter(f"\\{name}", start)
            self._atom(frame)
        elif name in known.INFIX:
            self._infix(frame, name, start)
        elif name in known.DECLARATIONS:
            self._expect_none(frame, f"\\{name}", start)
            frame.filled = True
        elif name == "hline" and frame.kind in known.ENVIRONMENTS and frame_row:
            frame.row_start = True
        else:
            self._structure(frame, name, start)

    def _structure(self, frame: _Frame, name: str, start: int) -> None:
        if name == "left":
            self._delimiter(r"\left", start)
            self.frames.append(_Frame("left", start))
        elif name == "right":
            if frame.kind != "left":
                raise GrammarRefusal(Message("verdict.right"), start, "right")
            self._delimiter(r"\right", start)
            self._leave(start)
        elif name == "begin":
            self._begin(start)
        elif name == "end":
            found = self._take(_ENVIRONMENT)
            if not found or found[1] != frame.kind:
                mark = f"\\end{{{found[1] if found else ''}}}"
                raise GrammarRefusal(Message("verdict.other_end", mark=mark, other=_opening(frame)), start, "end")
            self._leave(start)
        elif name in ("color", "pagecolor"):
            self._raw(_COLOUR, start, Message("verdict.colour", mark=f"\\{name}"), name)
        elif name == "definecolor":
            self._raw(_DEFINED_COLOUR, start, Message("verdict.definecolor"), name)
        else:
            raise GrammarRefusal(Message("verdict.unknown", mark=f"\\{name}"), start, name)

    def _begin(self, start: int) -> None:
        found = self._take(_ENVIRONMENT)
        name = found[1] if found else ""
        if name not in known.ENVIRONMENTS:
            raise GrammarRefusal(Message("verdict.environment", mark=name or "?"), start, f"begin{{{name}}}")
        if name in ("array", "aligned", "alignedat"):
            self._take(_POSITION)
        columns = {"array": _COLUMNS, "alignat": _COUNT, "alignedat": _COUNT}.get(name)
        if columns and not self._take(columns):
            mark = f"begin{{{name}}}"
            raise GrammarRefusal(Message("verdict.columns", mark=f"\\{mark}"), start, mark)
        self.frames.append(_Frame(name, start))

    def _symbol(self, frame: _Frame, character: str) -> None:
        start = self.at
        self.at += 2
        if character == "\\":
            self._cell(frame, r"\\", start)
        elif character and (character in known.ESCAPED or character in known.ESCAPED_DELIMITERS):
            self._atom(frame)
        else:
            why = Message("verdict.unknown", mark=f"\\{character}") if character else Message("verdict.backslash")
            raise GrammarRefusal(why, start, character)

    def _atom(self, frame: _Frame) -> None:
        """Count a complete expression: it is the expected argument, or stands alone."""
        frame.filled, frame.row_start = True, False
        while frame.needs:
            frame.needs[-1].arguments -= 1
            if frame.needs[-1].arguments:
                return
            frame.needs.pop()

    def _cell(self, frame: _Frame, sign: str, start: int) -> None:
        if frame.kind not in known.ENVIRONMENTS:
            raise GrammarRefusal(Message("verdict.outside_table", mark=sign), start, sign)
        self._close(start)
        frame.filled, frame.row_start = False, sign != "&"

    def _infix(self, frame: _Frame, name: str, start: int) -> None:
        if frame.kind not in ("top", "{"):
            raise GrammarRefusal(Message("verdict.fraction", mark=f"\\{name}"), start, name)
        self._expect_none(frame, f"\\{name}", start)
        if frame.infix or not frame.filled:
            code = "verdict.two" if frame.infix else "verdict.before"
            raise GrammarRefusal(Message(code, mark=f"\\{name}"), start, name)
        frame.infix, frame.filled = f"\\{name}", False

    def _option(self, name: str, start: int) -> bool:
        """Open the bracket after \\sqrt where it is closed in the same group."""
        self._take(_BLANK)
        if self.tex[self.at : self.at + 1] != "[" or not _closes(self.tex, self.at):
            return False
        self.at += 1
        self.frames.append(_Frame("option", start, infix=f"\\{name}", filled=True))
        return True

    def _raw(self, pattern: re.Pattern[str], start: int, why: Message, macro: str) -> None:
        if not self._take(pattern):
            raise GrammarRefusal(why, start, macro)
        self._atom(self.frames[-1])

    def _delimiter(self, name: str, start: int) -> None:
        found = self._take(_DELIMITER)
        if not found or (found[1] and found[1] not in known.DELIMITERS):
            raise GrammarRefusal(Message("verdict.delimiter", mark=name), start, name[1:])

    def _expect_none(self, frame: _Frame, sign: str, start: int) -> None:
        if frame.needs:
            mark = frame.needs[-1].name
            raise GrammarRefusal(Message("verdict.argument_before", mark=mark, other=sign), start, sign[1:])

    def _close(self, position: int) -> None:
        """Check that the innermost frame is complete."""
        frame = self.frames[-1]
        if frame.needs:
            raise GrammarRefusal(Message("verdict.argument", mark=frame.needs[-1].name), frame.needs[-1].position)
        if frame.kind != "option" and frame.infix and not frame.filled:
            raise GrammarRefusal(Message("verdict.after", mark=frame.infix), position)

    def _leave(self, position: int) -> None:
        self._close(position)
        self.frames.pop()
        self._atom(self.frames[-1])


def _closes(tex: str, at: int) -> bool:
    """Tell whether the bracket at `at` is closed before its group ends."""
    depth, brackets = 0, 0
    for found in re.finditer(r"\\.|[{}\[\]]", tex[at:], re.S):
        sign = found[0]
        depth += (sign == "{") - (sign == "}")
        brackets += (sign == "[" and not depth) - (sign == "]" and not depth)
        if depth < 0 or (not depth and not brackets):
            return depth == 0
    return False


def _opening(frame: _Frame) -> str:
    return {"{": "{", "left": r"\left", "option": "[", "top": "anything"}.get(frame.kind, f"\\begin{{{frame.kind}}}")


def _foreign(character: str) -> Message:
    point = f"U+{ord(character):04X}"
    if ord(character) < 32 or ord(character) == 127:
        return Message("verdict.control", mark=point)
    if character.isascii():
        return Message("verdict.foreign", mark=character)
    if character.isprintable():
        return Message("verdict.outside_text", mark=character)
    return Message("verdict.character", mark=point)
