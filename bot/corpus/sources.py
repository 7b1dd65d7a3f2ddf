"""Sources as given on the command line (files, folders, globs, archives) to the list of files to read, in a stable order."""

import glob
import os
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from bot.corpus import archives, formats
from bot.corpus.manifest import MANIFEST, VANISHED, ManifestRow, Manifests
from bot.corpus.siblings import FolderFiles
from bot.errors import SourceError
from bot.messages import Message

FORMER_VERSION = Message("unread.former")


@dataclass(frozen=True, slots=True)
class SourceFile:
    """One file to read; `name` is its place inside the source, `format` may be "archive" (its members decide)."""

    path: str
    size: int
    source: str  # the folder's or archive's name
    name: str
    format: str
    problem: Message | None = None  # why it cannot be opened
    leads_outside: bool = False  # a link in a folder that leads out of it: named, and never followed
    stated_format: str = ""  # the format that the user states, whatever the content
    parts: tuple[str, ...] = ()  # names of other files of the source that it is made of
    manifest_row: ManifestRow | None = None  # its row in the manifest of a crawl

    @property
    def root(self) -> str:
        """Return the folder that `name` and `parts` stand below."""
        return self.path.removesuffix(self.name) or "."


@dataclass(frozen=True, slots=True)
class CorpusListing:
    """Files to read, and (path, reason) of ignored files of unknown formats."""

    files: list[SourceFile] = field(default_factory=list)
    ignored: list[tuple[str, Message]] = field(default_factory=list)


def list_sources(sources: Sequence[str], format: str = "") -> CorpusListing:
    """Look at every file of the sources once; opens each for its first bytes only.

    `format` is the name of one that files named by themselves are in, and in a folder those that are of any format.
    Raises SourceError for a source that does not exist, an empty folder, or nothing of a known format at all; InputError
    for an unknown format.
    """
    if format:
        formats.format_named(format)
    if not sources:
        raise SourceError("no_source_given", todo="give_source")
    found = CorpusListing()
    seen: set[str] = set()
    manifests = Manifests()
    for path, source, name, named, outside in _walk([str(s) for s in sources]):
        if outside:
            found.files.append(SourceFile(path, 0, source, name, "", Message("unread.link"), True))
            continue
        if (real := os.path.realpath(path)) in seen:
            continue
        seen.add(real)
        file = _inspect(path, source, name, named, format)
        if isinstance(file, Message):
            found.ignored.append((path, file))
        else:
            found.files.append(_with_manifest_row(file, manifests.row(path)))
    if all(file.problem for file in found.files):
        raise _no_source_error(sources, found)
    return _grouped_parts(found)


def _grouped_parts(found: CorpusListing) -> CorpusListing:
    """Make files that belong to another document its parts: a chapter of a book is not read by itself."""
    parts: dict[str, tuple[str, ...]] = {}  # by path
    groups: dict[tuple[str, str], list[SourceFile]] = {}
    for file in found.files:
        format = file.stated_format or file.format
        if not file.problem and format != "archive" and formats.format_named(format).parts:
            groups.setdefault((format, file.root), []).append(file)
    for (format, root), files in groups.items():
        documents = formats.format_named(format).documents(FolderFiles(root), [file.name for file in files])
        parts |= {file.path: documents[file.name] for file in files if file.name in documents}
        absent = {file.path for file in files} - parts.keys()
        within = {name for names in documents.values() for name in names}
        found.ignored.extend((f.path, FORMER_VERSION) for f in files if f.path in absent and f.name not in within)
        found.files[:] = [file for file in found.files if file.path not in absent]
    found.files[:] = [replace(file, parts=parts[file.path]) if parts.get(file.path) else file for file in found.files]
    return found


def _with_manifest_row(file: SourceFile, row: ManifestRow | None) -> SourceFile:
    """Return the file with its row; a file that has vanished from its site gets that as its problem."""
    if row is None or file.problem:
        return file
    problem = Message("unread.vanished", why=row.status_message) if row.status == VANISHED else None
    return replace(file, manifest_row=row, problem=problem)


def _walk(sources: Iterable[str]) -> Iterator[tuple[str, str, str, bool, bool]]:
    """Yield (path, source name, name inside it, whether it was named itself, whether it is a link that leads out)."""
    roots: dict[str, str] = {}
    for stated_source in sources:
        base = _glob_base(stated_source)
        for path in _expand(stated_source):
            outside = base is not None and _leads_out(path, base)
            if outside or not path.is_dir():
                yield str(path), path.resolve().parent.name, path.name, True, outside
                continue
            root = path.resolve()
            source = _unique_name(root, roots)
            files = list(_files(path))
            if not files:
                raise SourceError("empty_folder", where=str(path), todo="check_path")
            for file in files:
                yield str(file), source, file.relative_to(path).as_posix(), False, _leads_out(file, root)


def _glob_base(stated: str) -> Path | None:
    """Return the folder that a glob searches, None for a full path."""
    path = Path(stated).expanduser()
    if path.exists() or not glob.has_magic(stated):
        return None
    return next(p for p in path.parents if not glob.has_magic(str(p))).resolve()


def _leads_out(path: Path, root: Path) -> bool:
    """Tell whether a path leads through a link outside of the folder `root`, or through a broken link."""
    try:
        return not Path(os.path.realpath(path)).is_relative_to(root)
    except OSError:
        return True


def _expand(stated: str) -> list[Path]:
    path = Path(stated).expanduser()
    if path.exists():
        return [path]
    found = sorted(glob.glob(str(path), recursive=True)) if glob.has_magic(stated) else []
    if not found:
        code = "no_match" if glob.has_magic(stated) else "no_file_or_folder"
        raise SourceError(code, where=stated, todo="check_path")
    return [Path(name) for name in found]


def _unique_name(root: Path, roots: dict[str, str]) -> str:
    """Return a name for a folder; of two with one name the second is prefixed by its parent."""
    name = root.name or "root"
    if roots.setdefault(name, str(root)) != str(root):
        name = f"{root.parent.name}-{name}"
        roots.setdefault(name, str(root))
    return name


def _files(folder: Path) -> Iterator[Path]:
    """Yield the files of a folder; of its folders only those that are not entered: hidden ones, and links that lead out."""
    root = folder.resolve()
    for current, folders, names in os.walk(folder):
        unwalked = [name for name in folders if name.startswith(".") or _leads_out(Path(current, name), root)]
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        yield from (Path(current, name) for name in sorted((*names, *unwalked)))


def _inspect(path: str, source: str, name: str, named: bool, stated_format: str) -> SourceFile | Message:
    """Return the file with its format, or the reason why a file found in a folder is ignored."""
    base = os.path.basename(path)

    def refused(reason: Message) -> SourceFile | Message:
        return SourceFile(path, 0, source, name, "", reason) if named else reason

    if base == MANIFEST or base.startswith(".crawl"):
        return refused(Message("unread.manifest"))
    if base.startswith(".") and not named and not (base.startswith("._") and os.path.isfile(path)):
        return Message("unread.hidden")
    printable = os.fsencode(path).decode(errors="backslashreplace")
    if printable != path:
        return SourceFile(printable, 0, source, Path(printable).name, "", Message("unread.name"))
    try:
        if not os.path.isfile(path):
            return refused(Message("unread.irregular"))
        size = os.path.getsize(path)
        with open(path, "rb") as file:
            head = file.read(formats.HEAD_BYTES)
    except OSError as error:
        return SourceFile(path, 0, source, name, "", Message("error.unreadable", reason=str(error.strerror)))
    if not head and formats.recognise(name, head):
        return SourceFile(path, size, source, name, "", Message("unread.empty"))
    packed, why = archives.compression_suffix(head), formats.unreadable_reason(name, head)
    format = formats.accepted_format(stated_format, name, head, named) or formats.recognise(name, head)
    if packed:
        other = archives.plain_name(name) == name and not _is_archive_name(name) and not named
        # An office file, a package: a zip by its bytes and something else by its name.
        format = "" if other or formats.needed_preparation(name, head) else "archive"
    if format:
        return SourceFile(path, size, source, name, format, stated_format=stated_format)
    if _is_archive_name(name):
        return SourceFile(path, size, source, name, "", Message("unread.no_archive"))
    return refused(why)


def _is_archive_name(name: str) -> bool:
    return name.lower().endswith((".zip", ".tar", ".gz", ".bz2", ".xz", ".tgz", ".tbz2", ".txz", ".epub"))


def _no_source_error(sources: Sequence[str], found: CorpusListing) -> SourceError:
    where, listed = ", ".join(map(str, sources)), Message("todo.see_command", code_command="discover --list-formats")
    first = next(iter(found.files), None)
    if first is not None and first.problem:
        todo = listed if first.problem == formats.UNKNOWN else "readable"
        return SourceError(first.problem, where=first.path, todo=todo)
    (most, _), *_ = Counter(reason for _, reason in found.ignored).most_common(1)
    why = "" if most == formats.UNKNOWN else Message("unread.most_often", why=most)
    return SourceError("none_known", n=len(found.ignored), why=why, where=where, todo=listed)
