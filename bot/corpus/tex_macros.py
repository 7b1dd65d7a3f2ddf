r"""Macros in formulas between delimiters: a definition in one formula holds in those that follow, as MathJax has it."""

import re
from collections.abc import Mapping
from functools import cache

from bot.corpus.latex import macros as latex_macros
from bot.corpus.latex.latex_commands import ARITY
from bot.corpus.latex.stream import TokenStream

# Far above what formulas need; beyond, a macro calls itself for ever.
_MAX_DEPTH = 100
_MAX_LENGTH = 50_000  # characters that a formula may become
_MAX_TOTAL_GROWTH = 5_000_000  # characters that all formulas of a document may become more
_MAX_DEFINITION_LENGTH = 2000  # characters
_MAX_MACROS = 2000  # macros of one mapping
_DEFINES = re.compile(
    r"\\(?:(?:re)?newcommand|providecommand|[gex]?def|let|DeclareMathOperator|(?:Re|Provide)?NewDocumentCommand)(?![A-Za-z])"
)
_COMMAND = re.compile(r"\\(?:[A-Za-z]+|.)", re.S)
_ENDS_IN_WORD = re.compile(r"\\[A-Za-z]+\Z")
_PARAMETER = re.compile(r"#([1-9])")


@cache
def _known_commands() -> re.Pattern[str]:
    """Return what finds the commands that MathJax and KaTeX know and the grammar of a wiki does not."""
    return re.compile(rf"(?:{'|'.join(map(re.escape, latex_macros.default_macros()))})(?![A-Za-z])")


def macros_in_text(text: str) -> dict[str, latex_macros.Macro]:
    r"""Return the macros that a text defines, as a file of \newcommand does; a line behind a % is none."""
    macros = latex_macros.MacroTable()
    for found in _DEFINES.finditer(text):
        if "%" not in text[text.rfind("\n", 0, found.start()) + 1 : found.start()]:
            stream = TokenStream(text[found.start() : found.start() + _MAX_DEFINITION_LENGTH])
            macros.read_definition(stream.command(), stream)
    return macros.commands


class TexMacros:
    """The definitions in force at a place of a document."""

    def __init__(self) -> None:
        self._macros = latex_macros.MacroTable()
        self._made = 0  # characters that expansions have made

    def load(self, package: str) -> None:
        """Load the definitions of a package that MathJax supports like LaTeX."""
        self._macros.load_package(package)

    def add(self, macros: Mapping[str, object]) -> None:
        r"""Take in macros as settings of MathJax and KaTeX hold them: `{"RR": "\\mathbb{R}", "bm": ["\\boldsymbol{#1}", 1]}`, or those of `macros_in_text`."""
        for name, value in list(macros.items())[:_MAX_MACROS]:
            if isinstance(value, latex_macros.Macro):
                self._macros.define_command(name, value)
                continue
            body, *rest_of_value = value if isinstance(value, list | tuple) and value else [value]
            if not isinstance(body, str) or not isinstance(name, str):
                continue
            stated = [n for n in rest_of_value[:1] if isinstance(n, int) and 0 <= n < 10]
            count = max([*map(int, _PARAMETER.findall(body)), *stated], default=0)
            parameters = [latex_macros.MacroParameter("m")] * count
            if count and len(rest_of_value) > 1 and isinstance(rest_of_value[1], str):
                parameters[0] = latex_macros.MacroParameter("o", rest_of_value[1])
            macro = latex_macros.Macro(latex_macros.split_at_parameters(body), tuple(parameters))
            self._macros.define_command("\\" + name.lstrip("\\").strip(), macro)

    def read_definition(self, text: str, at: int) -> int:
        """Take in the definition that stands at a place of a text; return where it ends, at the latest with its paragraph."""
        end = text.find("\n\n", at, at + _MAX_DEFINITION_LENGTH)
        stream = TokenStream(text[at : end if end >= 0 else at + _MAX_DEFINITION_LENGTH])
        self._macros.read_definition(stream.command(), stream)
        return at + stream.top.position

    def expand(self, tex: str) -> str:
        """Return a formula with its macros replaced and without the definitions in it, which hold from here on."""
        macros = self._macros.commands
        if (
            not macros and not _DEFINES.search(tex) and not _known_commands().search(tex)
        ) or self._made > _MAX_TOTAL_GROWTH:
            return tex
        stream, out, length = TokenStream(tex), list[str](), 0
        while True:
            top = stream.top
            found = _COMMAND.search(top.text, top.position)
            self._add(out, top.text[top.position : found.start() if found else len(top.text)])
            if found is None:
                top.position = len(top.text)
                if not stream.pop():
                    return "".join(out)
                continue
            top.position = found.end()
            macro = macros.get(found[0]) or latex_macros.default_macros().get(found[0])
            if macro is not None and not macro.primitive:
                depth = stream.top.depth + 1
                text = latex_macros.substitute_arguments(macro.parts, macro.arguments(stream))
                text = f"{{{text}}}" if self._is_argument(out) else text
                length += len(text)
                self._made += len(text)
                if depth > _MAX_DEPTH or length > _MAX_LENGTH:
                    return tex  # it calls itself
                stream.push(text, depth)
            elif not latex_macros.expand_value_test(found[0][1:], stream) and not self._macros.read_definition(
                found[0], stream
            ):
                self._add(out, macro.primitive if macro else found[0])

    @staticmethod
    def _is_argument(out: list[str]) -> bool:
        """Tell whether the next part is a script or the argument of a command, so that it needs braces."""
        before = next((text for text in reversed(out) if not text.isspace()), "").rstrip()
        return before.endswith(("^", "_")) or bool(ARITY.get(before.removeprefix("\\")))

    @staticmethod
    def _add(out: list[str], text: str) -> None:
        if text:
            if out and text[0].isalpha() and _ENDS_IN_WORD.search(out[-1]):
                out.append(" ")
            out.append(text)
