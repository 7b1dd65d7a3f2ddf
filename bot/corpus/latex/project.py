"""The documents among the LaTeX files of a folder or archive, the files of each document, and their text in any encoding."""

import codecs
import posixpath
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import cast

from bot.corpus.decode import cleaned_text, is_binary
from bot.corpus.latex.macros import MacroTable, package_definitions, substitute_arguments
from bot.corpus.latex.stream import TokenStream
from bot.corpus.siblings import FileCollection, SiblingFiles
from bot.errors import DocumentError

_DECLARED = re.compile(
    rb"\\(?:usepackage|RequirePackage|inputencoding)\s*(?:\[([\w-]+)\]\s*\{inputenc\}|\{([\w-]+)\})|-\*-.{0,40}coding:\s*([\w-]+)|^%\s*!TeX encoding\s*=\s*([\w-]+)",
    re.I | re.M,
)
_CODECS = {
    "latin1": "cp1252", "latin9": "iso8859-15", "latin2": "iso8859-2", "latin5": "iso8859-9", "ansinew": "cp1252", "applemac": "mac-roman", "macce": "mac-latin2",
    "cp1252": "cp1252", "cp1250": "cp1250", "cp1251": "cp1251", "koi8-r": "koi8-r", "cp866": "cp866", "cp437": "cp437", "cp850": "cp850", "latin3": "iso8859-3",
    "latin4": "iso8859-4", "latin10": "iso8859-16",
}  # fmt: skip
_ENDINGS = ("", ".tex", ".ltx", ".latex", ".sty", ".cls")
ENDINGS = (".tex", ".ltx", ".latex")
_COMMENT = re.compile(r"(?<!\\)((?:\\\\)*)%[^\n]*")
_INCLUDE = re.compile(
    r"\\(?P<how>input|include|loadglsentries(?:\[[^\[\]{}\n]{0,80}\])?|subfile|subfileinclude|@input|InputIfFileExists|import|subimport|includefrom|inputfrom)\*?\s*"
    r"(?:\{(?P<one>[^{}\n]{1,200})\}(?:\s*\{(?P<two>[^{}\n]{1,200})\})?|(?P<bare>[\w./-]{1,200}))"
)
_INCLUDES_ARGUMENT = re.compile(
    r"\\(?:(?:sub)?import\*?\s*\{[^{}\n#]*\}|input|include|subfile|(?:sub)?import)\*?\s*\{[^{}\n#]*#"
)
_SET_ASIDE = re.compile(r"^[ \t]*%[ \t%]*\\(?:input|include|subfile)\s*\{([^{}#\n]{1,200})\}", re.M)
_MACRO = re.compile(r"\\(?:(?:re)?newcommand|providecommand|def|NewDocumentCommand)(?![A-Za-z])")
_COMMAND = re.compile(r"\\[A-Za-z@]+\s*")
_MAX_MACRO = 1000  # characters of a definition or call that is looked at
_PACKAGES = re.compile(
    r"\\(?:usepackage|RequirePackage|documentclass|documentstyle|LoadClass)\s*(?:\[[^\]]*\]\s*)?\{([^{}]{1,2000})\}"
)
_BEGINS = re.compile(r"\\begin\s*\{document\}")
_SUBFILE = re.compile(r"\\documentclass\s*\[([^\[\]{}]{1,200})\]\s*\{subfiles\}")
_CLASS = re.compile(r"\\document(?:class|style)\b")
_DEFINES = re.compile(r"^\s*\\(?:re)?(?:new|provide|declare|g?def\b|let\b|usepackage|RequirePackage)", re.M | re.I)
_PROSE = re.compile(r"\\(?:(?:sub)*section|chapter|caption|maketitle|item|bye)(?![A-Za-z])|\\end\s*\Z")
_GENERATED = re.compile(r"^%+ ?generated with the docstrip utility", re.M)
_HEAD = 500  # characters
_PACKAGES_KEY = "*.sty"  # of the memo of a collection
_MAX_COPIES = 50  # of a package in one collection, to be compared
_MAX_DEFINITIONS = 200_000  # characters of a file of definitions
_MAX_NEIGHBOURS = 300  # files that are looked through for definitions
_FORMER_VERSION_SHARE = 0.7  # of the lines of one main file in another: a former version of it


def _decode_as_windows(error: UnicodeError) -> tuple[str, int]:
    """Read a byte that is not a UTF-8 as the Windows character that it is on most machines."""
    if not isinstance(error, UnicodeDecodeError):
        raise error
    odd = error.object[error.start : error.end]
    return odd.decode("cp1252", "replace"), error.end


codecs.register_error("latex-windows", _decode_as_windows)


def decode_latex(data: bytes, path: str) -> str:
    """Return the text of a LaTeX file: valid UTF-8, else as inputenc declares, else UTF-8 with invalid bytes read as Windows-1252.

    Raises DocumentError for binary data only: one odd byte must not lose a document.
    """
    if is_binary(data):
        raise DocumentError("binary", where=path)
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return cleaned_text(data.decode("utf-16", "replace"))
    try:
        return cleaned_text(data.decode("utf-8-sig"))
    except UnicodeDecodeError:
        found = _DECLARED.search(data)
        name = next((g for g in found.groups() if g), b"").decode().lower() if found else ""
        if codec := _CODECS.get(name):
            return cleaned_text(data.decode(codec, "replace"))
        return cleaned_text(data.decode("utf-8", "latex-windows"))


@dataclass(slots=True)
class SourceTree:
    """Resolves the names in \\input and its like; `main_file` is the main file's name among the siblings."""

    main_file: str
    siblings: SiblingFiles

    def find(self, name: str, of: str) -> str:
        """Return the file that a name in the file `of` means, or an empty string: beside the main file, beside `of`, in a folder above, then anywhere by its last parts."""
        name = _COMMAND.sub("", name.strip().strip('"')).lstrip("/")  # a folder whose name is not known
        # A collection keeps its common files in the folders above.
        above = [str(folder) for folder in PurePosixPath(self.main_file).parents][1:]
        return self.find_near(name, of) or self._find_in_folders(name, above) or self._find_by_last_part(name)

    def find_near(self, name: str, of: str) -> str:
        return self._find_in_folders(name, (posixpath.dirname(self.main_file), posixpath.dirname(of)))

    def find_package(self, file: str, of: str) -> str:
        """Return the file of a package or class: beside the main file or `of`, or anywhere if only one has the name and it is none that everybody has."""
        name = posixpath.basename(file)
        return self.find_near(file, of) or ("" if name[:-4] in package_definitions() else self._only_package(name))

    def _only_package(self, file: str) -> str:
        """Return the package or class of the collection with this name: the only one, or the first of copies."""
        files = self.siblings.files
        if _PACKAGES_KEY not in files.memo:
            found: dict[str, list[str]] = {}
            for name in sorted(self.siblings.files.names):
                if name.endswith((".sty", ".cls")):
                    found.setdefault(posixpath.basename(name), []).append(name)
            files.memo[_PACKAGES_KEY] = found
        packages = cast(dict[str, list[str]], files.memo[_PACKAGES_KEY])
        named = packages.get(file, [])
        if len(named) > 1:
            first = files.read(named[0]) if len(named) <= _MAX_COPIES else None
            copies = first is not None and all(files.read(name) == first for name in named[1:])
            named = packages[file] = named[:1] if copies else []
        return named[0] if named else ""

    def _find_in_folders(self, name: str, folders: Iterable[str]) -> str:
        for folder in dict.fromkeys(folders):
            for ending in _ENDINGS:
                path = posixpath.normpath(posixpath.join(folder, name + ending))
                if path in self.siblings.files.names:
                    return path
        return ""

    def _find_by_last_part(self, name: str) -> str:
        """Return the only file with this last part of its name, in whatever case where none has its own, or an empty string."""
        last = posixpath.basename(name)
        names = [n for n in self.siblings.files.names if n.lower().endswith(_ENDINGS[1:])]
        found = [n for n in names if posixpath.basename(n) in (last + ".tex", last)] or [
            n for n in names if posixpath.basename(n).lower() in (last.lower() + ".tex", last.lower())
        ]
        return found[0] if last and len(found) == 1 else ""

    def is_generated(self, file: str) -> bool:
        """Tell whether a class was made out of a documented source, as those of publishers are."""
        return bool(_GENERATED.search(self.text(file)[:_HEAD]))

    def preamble(self, file: str) -> str:
        """Return the text of a file before \\begin{document}."""
        text = self.text(file)
        begins = _BEGINS.search(text)
        return text[: begins.start()] if begins else text

    def text(self, file: str) -> str:
        """Return the text of a file; a binary or missing one is empty."""
        data = self.siblings.read(file)
        if data is None:
            return ""
        try:
            return decode_latex(data, file)
        except DocumentError:
            return ""


@dataclass(frozen=True, slots=True)
class _FileFacts:
    """Facts about one file for the graph of includes."""

    is_main: bool  # it has \\begin{document}
    included: tuple[str, ...]  # names of files, resolved
    has_missing_include: bool  # it includes a file that is missing
    is_text: bool  # it is part of what a reader sees
    only_commands: bool  # it holds commands and no text
    only_definitions: bool  # and defines something
    is_frame: bool  # a main file without text of its own: what it shows is what it includes
    lines: frozenset[int]  # hashes of its longer lines, of main files only
    set_aside: tuple[str, ...]  # of a main file: chapters whose includes are commented out, as they may be named
    preamble_file: str  # the file whose preamble it has as a subfile, or an empty string


def documents(files: FileCollection, names: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """Return the documents among the LaTeX files `names`, each with its other files.

    A file that another takes in is a part of that; a file of definitions is none; of two main files in one folder with
    nearly the same lines the larger one counts.
    """
    names = list(names)
    facts = {name: _file_facts(files, name) for name in names}
    inside = {part for name in names for part in facts[name].included if part != name}
    heads = [name for name in names if name not in inside]
    reached = {part for head in heads for part in _included_files(files, head)} | set(heads)
    # Files that take in one another in a ring have no head: the first main file among them is it, or the first at all.
    for name in sorted(names, key=lambda name: not facts[name].is_main):
        if name not in reached:
            heads.append(name)
            reached |= {name, *_included_files(files, name)}
    wrappers = _wrappers(files, [name for name in heads if not facts[name].is_main])
    heads = [name for name in heads if not facts[name].only_definitions and name not in wrappers] + _one_per_main(
        wrappers
    )
    mains = [name for name in heads if facts[name].is_main]
    older = {*_former_versions(mains, facts), *_frames_of_parts(files, mains)}
    return {name: tuple(dict.fromkeys(_parts(files, name))) for name in heads if name not in older}


def _parts(files: FileCollection, name: str) -> Iterator[str]:
    """Yield the other files of a document."""
    yield from definition_files(files, name)
    yield from _included_files(files, name)
    yield from _preamble_files(files, name)


def _main_files(files: FileCollection, name: str) -> list[str]:
    """Return the main files among a file and those that it includes."""
    return [part for part in (name, *_included_files(files, name)) if _file_facts(files, part).is_main]


def _wrappers(files: FileCollection, heads: Iterable[str]) -> dict[str, str]:
    """Return the files that only set options for a main file which they include, with that main file."""
    mains_of = ((name, _main_files(files, name)) for name in heads if _file_facts(files, name).only_commands)
    return {name: mains[0] for name, mains in mains_of if len(mains) == 1}


def _one_per_main(wrappers: Mapping[str, str]) -> list[str]:
    """Return one file for each main file: editions of one book differ in their layout."""
    by_length = sorted(wrappers, key=lambda name: (len(name), name), reverse=True)
    shortest = {wrappers[name]: name for name in by_length}
    return [shortest[main] for main in dict.fromkeys(wrappers.values())]


def definition_files(files: FileCollection, home: str) -> tuple[str, ...]:
    """Return the nearest files of definitions, with which a document without its main file or preamble is read."""
    mains = _main_files(files, home)
    if mains and not any(_file_facts(files, main).has_missing_include for main in mains):
        return ()
    folder = posixpath.dirname(home)
    included = {home, *_included_files(files, home)}
    near = [name for name in files.names if name.endswith(ENDINGS if mains else (*ENDINGS, ".sty"))]
    while True:
        in_folder = sorted(name for name in near if not folder or name.startswith(folder + "/"))
        found = [
            name
            for name in in_folder[:_MAX_NEIGHBOURS]
            if name not in included and _file_facts(files, name).only_definitions and not _main_files(files, name)
        ]
        if found or not folder:
            return tuple(found)
        folder = posixpath.dirname(folder)


def main_of_chapter(files: FileCollection, home: str) -> str:
    """Return the main file beside or above a chapter that has its include commented out; "" where there is none."""
    if _file_facts(files, home).is_main:
        return ""
    folders = {"" if str(folder) == "." else str(folder) for folder in PurePosixPath(home).parents}
    near = (name for name in files.names if name.endswith(ENDINGS) and posixpath.dirname(name) in folders)
    return min((name for name in near if home in _file_facts(files, name).set_aside), default="")


def _preamble_files(files: FileCollection, home: str) -> list[str]:
    """Return the file whose preamble a chapter has, and what that includes."""
    main = _file_facts(files, home).preamble_file or main_of_chapter(files, home)
    return [main, *(name for name in _included_files(files, main) if name != home)] if main else []


def _included_files(files: FileCollection, home: str) -> list[str]:
    """Return all files that `home` includes, directly or not, without itself."""
    found: dict[str, None] = {}
    waiting = [home]
    while waiting:
        for part in _file_facts(files, waiting.pop()).included:
            if part not in found and part != home:
                found[part] = None
                waiting.append(part)
    return list(found)


def _former_versions(mains: list[str], facts: dict[str, _FileFacts]) -> Collection[str]:
    """Return main files that are former versions of another in the same folder."""
    found: set[str] = set()
    ranked = sorted(mains, key=lambda name: (-len(facts[name].lines), name))
    for number, name in enumerate(ranked):
        for other in ranked[:number]:
            lines = facts[name].lines
            if other in found or posixpath.dirname(name) != posixpath.dirname(other) or len(lines) < 20:
                continue
            if len(lines & facts[other].lines) >= _FORMER_VERSION_SHARE * len(lines):
                found.add(name)
                break
    return found


def _frames_of_parts(files: FileCollection, mains: list[str]) -> Iterator[str]:
    """Yield the main files with which an author sets parts of a book alone: all that they show is in another main file, with its macros."""
    frames = [name for name in mains if _file_facts(files, name).is_frame]
    texts: dict[str, set[str]] = {}
    mains_with: dict[str, list[str]] = {}
    for name in mains if frames else ():
        texts[name] = {part for part in _included_files(files, name) if _file_facts(files, part).is_text}
        for part in texts[name]:
            mains_with.setdefault(part, []).append(name)
    for name in frames:
        first = next(iter(texts[name]), "")
        if any(texts[name] < texts[other] for other in mains_with.get(first, ())):
            yield name


def _file_facts(files: FileCollection, name: str) -> _FileFacts:
    found = files.memo.get(name)
    if not isinstance(found, _FileFacts):
        found = files.memo[name] = _read_file_facts(files, name)
    return found


def _read_file_facts(files: FileCollection, name: str) -> _FileFacts:
    tree = SourceTree(name, SiblingFiles(name, files))
    text = tree.text(name)
    aside = _SET_ASIDE.findall(text) if _BEGINS.search(text) else []
    text = _COMMENT.sub(r"\1", text) if "%" in text else text
    included = [*_INCLUDE.finditer(text), *_included_by_macros(text)]
    wanted = [tree.find(_included_name(found, text), name) for found in included if "#" not in found[0]]
    packages = [p.strip() for found in _PACKAGES.finditer(text) for p in found[1].split(",")]
    own = [tree.find_package(p + ".sty", name) or tree.find_package(p + ".cls", name) for p in packages]
    wanted += [file for p, file in zip(packages, own, strict=True) if file or "/" in p]
    main, written = bool(_BEGINS.search(text)), _BEGINS.split(text, maxsplit=1)[-1]
    commands = not main and _only_commands(text)
    subfile = _SUBFILE.search(text)
    return _FileFacts(
        main,
        tuple(dict.fromkeys(file for file in wanted if file and file != name)),
        "" in wanted,
        name.endswith(ENDINGS) and not commands and not main,
        commands,
        not main and _only_definitions(text, is_package=name.endswith(".sty")),
        main and _only_commands(written),
        frozenset(hash(line) for line in written.split("\n") if len(line) > 20) if main else frozenset(),
        tuple(
            posixpath.normpath(posixpath.join(posixpath.dirname(name), part + end))
            for part in aside
            for end in ("", ".tex")
        ),
        tree.find(subfile[1], name) if subfile else "",
    )


def _included_by_macros(text: str) -> Iterator[re.Match[str]]:
    """Yield what is included by calls of the author's own macros, as in `\\newcommand\\lecture[1]{\\input{lectures/#1}}`."""
    if not _INCLUDES_ARGUMENT.search(text):
        return
    for found in _MACRO.finditer(text):
        table, stream = MacroTable(), TokenStream(text[found.start() : found.start() + _MAX_MACRO])
        table.read_definition(stream.command(), stream)
        for command, macro in table.commands.items():
            if not any(_INCLUDES_ARGUMENT.search(part + "#") for part in macro.parts if isinstance(part, str)):
                continue
            for call in re.finditer(rf"{re.escape(command)}(?![A-Za-z@])", text[found.end() :]):
                start = found.end() + call.end()
                arguments = macro.arguments(TokenStream(text[start : start + _MAX_MACRO]))
                yield from _INCLUDE.finditer(substitute_arguments(macro.parts, arguments))


def _included_name(found: re.Match[str], text: str) -> str:
    """Return the name that an include states; a command in it is what the text before defines it as, as in `\\input{\\parts/one}`."""
    if found["how"].endswith(("import", "from")):
        name = posixpath.join(found["one"] or "", found["two"] or "")
    else:
        name = found["one"] or found["bare"] or ""
    before = text[: found.start()] if found.string is text else text
    return _COMMAND.sub(lambda command: _folder(command[0].strip(), before), name)


def _folder(command: str, text: str) -> str:
    """Return what a command without arguments is last defined as in a text, or the command."""
    found = re.findall(
        rf"\\(?:(?:re)?newcommand|providecommand|def)\*?\s*(?:\{{{re.escape(command)}\}}|{re.escape(command)})\s*\{{([^{{}}]*)\}}",
        text,
    )
    return found[-1] if found else command


def _only_definitions(text: str, *, is_package: bool = False) -> bool:
    """Tell whether a file only defines macros and has no text of the document."""
    if len(text) > _MAX_DEFINITIONS or not _DEFINES.search(text):
        return False
    return is_package or bool(_CLASS.search(text)) or _only_commands(text)


def _only_commands(text: str) -> bool:
    lines = [line.lstrip() for line in text.split("\n") if line.strip()]
    return not _PROSE.search(text) and sum(line[0] in "\\}{#" for line in lines) >= 0.6 * len(lines)
