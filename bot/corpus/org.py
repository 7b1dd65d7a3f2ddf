r"""Org files to documents: their markup becomes that of Markdown, in which formulas are written alike (`$`, `\( \)`, `\[ \]`, environments)."""

import posixpath
import re
from collections.abc import Iterable, Iterator

from bot.corpus.decode import decode
from bot.corpus.draft import DocumentFormulas
from bot.corpus.markdown.markdown_reader import read_texts
from bot.corpus.siblings import FileCollection, RecordingFiles, SiblingFiles
from bot.corpus.tex_macros import macros_in_text

_BLOCK = re.compile(r"[ \t]*#\+(begin|end)_([\w-]+)[ \t]*(.*)", re.I)
_INCLUDED = re.compile(r"^[ \t]*#\+(?:include|setupfile):[ \t]*\"?([^\"\s]+)", re.I | re.M)
_MAX_INCLUDED = 20  # files of one document
# `{{{term(Ring)}}}`: a call of a macro, and what is for one kind of output alone.
_CALL = re.compile(r"\{\{\{([A-Za-z][\w-]*)(?:\(((?:[^{}]|\{[^{}]*\}){0,500})\))?\}\}\}")
_DEFINES_TERM = re.compile(r"(?:def|dfn|term)", re.I)
_SNIPPET = re.compile(r"@@[a-z]+:(?:[^@\n]|@(?!@)){0,500}@@")
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
_ITALIC = re.compile(r"(?<![\w/:.$\\])/(?=[^\W\d_])([^/$\\\n]{1,80})(?<=[\w.,;!?)])/(?![\w/$])")
_VERBATIM_FORMULA = re.compile(
    r"(?<![^\s(\"'{|])([=~])(?=\S)([^=~\n$]{0,100}\$[^$\n]{1,200}\$[^=~\n$]{0,100})(?<=\S)\1(?![^\s.,;:!?)\"'}|-])"
)
_VERBATIM = re.compile(r"(?<![^\s(\"'{|])([=~])(?=\S)([^=~\n\\]{1,200}?)(?<=\S)\1(?![^\s.,;:!?)\"'}|-])")


def read_org(data: bytes, *, path: str, siblings: SiblingFiles | None = None) -> Iterator[DocumentFormulas]:
    """Yield the one document of a file. Its title is what it says, the first heading, or the file's name."""
    settings: dict[str, list[str]] = {}
    text = _CALL.sub(_called, decode(data, path))
    lines = "\n".join(_lines(text, settings))
    fields: dict[str, object] = {key: " ".join(settings[key]) for key in ("title", "language") if key in settings}
    included = _included_texts(text, siblings) if siblings else ()
    headers = (*settings.get("latex_header", ()), *settings.get("latex_header_extra", ()))
    macros = macros_in_text("\n".join((*included, *headers)))
    yield read_texts([lines], fields, path, macros)


def documents(files: FileCollection, names: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """Return each of the files with those that it includes, whose macros hold in it."""
    found = {}
    for name in names:
        noted = RecordingFiles(files)
        text = (files.read(name) or b"").decode("utf-8", "replace")
        list(_included_texts(text, SiblingFiles(name, noted)))
        found[name] = tuple(noted.files_read)
    return found


def _included_texts(text: str, siblings: SiblingFiles) -> Iterator[str]:
    """Yield the texts of the files that one includes, and of those that they do."""
    waiting, seen = [(siblings.home, text)], {siblings.home}
    while waiting and len(seen) < _MAX_INCLUDED:
        home, text = waiting.pop()
        for found in _INCLUDED.findall(text):
            name = posixpath.normpath(posixpath.join(posixpath.dirname(home), found))
            if name not in seen and (data := siblings.read(name)):
                seen.add(name)
                waiting.append((name, data.decode("utf-8", "replace")))
                yield waiting[-1][1]


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
    line = _SNIPPET.sub("", line) if "@@" in line else line
    if "$" in line:
        line = _code(_VERBATIM_FORMULA, line)
    return _ITALIC.sub(r"*\1*", _BOLD.sub(r"**\1**", _code(_VERBATIM, line)))


def _called(call: re.Match[str]) -> str:
    """Return the arguments of a macro, which is what most show; one that defines a term sets it in bold."""
    text = (call[2] or "").replace("\\,", ",").strip()
    return f"**{text}**" if text and _DEFINES_TERM.match(call[1]) else text


def _code(verbatim: re.Pattern[str], line: str) -> str:
    """Return a line with what is verbatim, and in no formula, as code."""
    return verbatim.sub(lambda found: found[0] if line.count("$", 0, found.start()) % 2 else f"`{found[2]}`", line)
