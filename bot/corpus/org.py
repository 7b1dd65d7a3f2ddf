r"""Org files to documents: their markup becomes that of Markdown, in which formulas are written alike (`$`, `\( \)`, `\[ \]`, environments)."""

import re
from collections.abc import Iterator

from bot.corpus.decode import decode
from bot.corpus.markdown.markdown_reader import read_texts
from bot.corpus.tex_macros import macros_in_text
from bot.records import Document, Occurrence

_BLOCK = re.compile(r"[ \t]*#\+(begin|end)_(\w+)[ \t]*(.*)", re.I)
_SETTING = re.compile(r"[ \t]*#\+(\w+)(?:\[[^\]\n]*\])?:[ \t]*(.*)")
_HEADING = re.compile(
    r"(\*+)[ \t]+(?:(?:TODO|DONE|NEXT|WAITING)[ \t]+)?(?:\[#\w\][ \t]+)?(.*?)(?:[ \t]+:[\w@:]+:)?[ \t]*$"
)
_LEVEL = re.compile(r"(\*+)[ \t]")
_COMMENTED = re.compile(r"\*+[ \t]+(?:(?:TODO|DONE|NEXT|WAITING)[ \t]+)?(?:\[#\w\][ \t]+)?COMMENT(?:[ \t]|$)")
_DRAWER = re.compile(r"[ \t]*:[\w-]+:[ \t]*$")
_CODE = frozenset("src example comment export html ascii latex_code".split())  # their text is not read
_LINK = re.compile(r"\[\[([^\[\]\n]+)\](?:\[([^\[\]\n]+)\])?\]")
_NOTE = re.compile(r"\[fn:[^\]\n]{0,80}\]|<<<?[^<>\n]{1,80}>>>?|\b(?:cite[a-z]*|label):&?\w+(?:[:,./;&-]+\w+)*")
_REFERENCE = re.compile(r"\b(?:eq|auto|name|page|[cC])?ref:\w+(?:[:./-]\w+)*")
_BOLD = re.compile(r"(?<![\w\\$*])\*(?=[^\s*])([^*$\n]{1,80})(?<=\S)\*(?![\w*])")
_VERBATIM_FORMULA = re.compile(
    r"(?<![^\s(\"'{|])([=~])(?=\S)([^=~\n$]{0,100}\$[^$\n]{1,200}\$[^=~\n$]{0,100})(?<=\S)\1(?![^\s.,;:!?)\"'}|-])"
)
_VERBATIM = re.compile(r"(?<![^\s(\"'{|])([=~])(?=\S)([^=~\n\\]{1,200}?)(?<=\S)\1(?![^\s.,;:!?)\"'}|-])")


def read_org(data: bytes, *, path: str, source: str) -> Iterator[tuple[Document, tuple[Occurrence, ...]]]:
    """Yield the one document of a file. Its title is what it says, the first heading, or the file's name."""
    settings: dict[str, list[str]] = {}
    text = "\n".join(_lines(decode(data, path), settings))
    fields: dict[str, object] = {key: " ".join(settings[key]) for key in ("title", "language") if key in settings}
    macros = macros_in_text("\n".join((*settings.get("latex_header", ()), *settings.get("latex_header_extra", ()))))
    yield read_texts([text], fields, Document(path, source=source, format="org"), macros)


def _lines(text: str, settings: dict[str, list[str]]) -> Iterator[str]:
    """Yield the lines as Markdown; `settings` gets what the file says of itself."""
    closing = ""  # how the block ends that is left out
    commented = 0  # the level of the heading with COMMENT that we are below
    for line in text.split("\n"):
        block = _BLOCK.match(line)
        if commented and not closing and (heading := _LEVEL.match(line)) and len(heading[1]) <= commented:
            commented = 0
        if not commented and not closing and _COMMENTED.match(line):
            commented = line.index(" ") if " " in line else line.index("\t")
        if commented:
            continue
        if closing:
            found = block and f"{block[1]}_{block[2]}".lower() == closing
            closing = "" if found or (closing == ":end:" and line.strip().lower() == closing) else closing
        elif block:
            name, latex = block[2].lower(), block[3].strip().lower().startswith("latex")
            if block[1].lower() == "begin" and name in _CODE and not (name == "export" and latex):
                closing = f"end_{name}"
            else:
                yield "" if name in ("export", "latex") else f"::: {name}" if block[1].lower() == "begin" else ":::"
        elif setting := _SETTING.match(line):
            settings.setdefault(setting[1].lower(), []).append(setting[2].strip())
            yield setting[2] if setting[1].lower() == "caption" else ""
        elif heading := _HEADING.match(line):
            yield f"\n{'#' * min(len(heading[1]), 6)} {_inline(heading[2])}\n"
        elif _DRAWER.match(line):
            closing = ":end:"
        elif line.lstrip().startswith(("# ", ": ")) or line.strip() in ("#", ":"):
            yield ""
        else:
            yield _inline(line.strip())


def _inline(line: str) -> str:
    if line.startswith("|-"):
        return line.replace("+", "|")
    line = _LINK.sub(lambda link: link[2] or ("" if ":" in link[1] or "/" in link[1] else link[1]), _NOTE.sub("", line))
    line = _REFERENCE.sub("…", line) if "ref:" in line else line
    if "$" in line:
        line = _code(_VERBATIM_FORMULA, line)
    return _BOLD.sub(r"**\1**", _code(_VERBATIM, line))


def _code(verbatim: re.Pattern[str], line: str) -> str:
    """Return a line with what is verbatim, and in no formula, as code."""
    return verbatim.sub(lambda found: found[0] if line.count("$", 0, found.start()) % 2 else f"`{found[2]}`", line)
