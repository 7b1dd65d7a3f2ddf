"""Sources to occurrence shards, file by file: what was read before and has not changed is not read again.

A file's row in `sources` is committed after its shard stands under its final name, so a run that was killed at any
moment goes on where it was. Rows are committed in the order of the plan: neither the number of worker processes nor
an interruption changes the result.
"""

import fnmatch
import hashlib
import os
from collections import Counter, deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from bot import store
from bot.console import Advance
from bot.corpus import ParsedDocument, SourceFile, read_file
from bot.corpus.draft import Notice
from bot.discover.candidate_filters import is_candidate, keys_of
from bot.discover.cues.cue_language import cue_language
from bot.discover.cues.name_cues import SOURCE_CUES, DocumentContext, NameCue, cue_kind, defined_symbols, name_cues
from bot.discover.document_language import with_language
from bot.discover.file_digests import FileDigests, digest_of_file
from bot.discover.names import DISPLAYED_CUES, NAMING_CUES, SENTENCE_CUES
from bot.discover.phrases import is_law
from bot.discover.retrieval_days import store_crawl_days
from bot.discover.shards import LEVELS, MinedRow, mined_row
from bot.errors import short_text
from bot.formula import clean, identifiers, statement_kind
from bot.messages import Message, from_json, to_json
from bot.processes import CORES, process_pool
from bot.records import MASK_OPEN, Document, Occurrence, as_json
from bot.store import Row, Workspace

_PARALLEL_FROM = 3_000_000  # bytes to read; below that starting processes costs more than it saves
# What mining stores of a file, as a version: raise it with every change of the code that decides that, and run
# tests/discover/reader_closure.py. A higher number reads every corpus again; a comment or a docstring needs none.
READER = 202
_READ_FROM_CODE = "unread.read_from"  # its document stands in another file too, which counts
MAX_IGNORED_LISTED = 1000  # of what is ignored in one file for one reason: a dump has millions of redirects


@dataclass(frozen=True, slots=True)
class IgnoredFile:
    """An ignored file or page: an unknown format, no article, or no mathematics. `count` above 1 stands for more of a file with one reason."""

    path: str
    reason: Message
    count: int = 1


@dataclass(frozen=True, slots=True)
class MinedFile:
    """The result of reading one source file."""

    path: str
    digest: str
    shard: str = ""
    documents: tuple[Document, ...] = ()
    formulas: int = 0
    skipped: tuple[tuple[str, Message], ...] = ()
    ignored: tuple[IgnoredFile, ...] = ()


# Reads (source file, digest) pairs into shards in a folder and yields a result for each, in order.
ReadFiles = Callable[[Sequence[tuple[SourceFile, str]], Path], Iterator[MinedFile]]


@dataclass(slots=True)
class MiningResult:
    read: int = 0
    reused: int = 0
    formulas: int = 0  # in the files, read now or before
    ignored: list[IgnoredFile] = field(default_factory=list)
    skipped: list[tuple[str, Message]] = field(default_factory=list)


def mine(
    workspace: Workspace, sources: Sequence[str], files: Sequence[SourceFile], advance: Advance, read: ReadFiles
) -> MiningResult:
    """Bring `sources`, `documents` and the shards up to date with `files`, the files that `sources` hold today."""
    done = MiningResult()
    rows_by_path = {row["path"]: row for row in workspace.rows(sa.select(store.sources))}
    listed = dict(zip(map(workspace_path, files), files, strict=True))
    _drop_vanished(workspace, [p for p in rows_by_path if p not in listed and _is_in_sources(p, sources)])
    tasks: list[tuple[SourceFile, str]] = []
    digests = FileDigests(workspace)
    for path, file in listed.items():
        digest, row = fingerprint(file, digests.of), rows_by_path.get(path)
        shard_is_there = row and (not row["part"] or (workspace.occurrences / row["part"]).exists())
        if row and row["digest"] == digest and shard_is_there and not _is_owner_gone(row["notes"]):
            done.reused += 1
            done.formulas += row["formulas"]
            done.skipped += _skipped_of(row)
            done.ignored += _ignored_of(row)
            advance(file.size, "unchanged")
        else:
            tasks.append((file, digest))
    digests.store()
    for mined, (file, _) in zip(read(tasks, workspace.occurrences), tasks, strict=True):
        done.skipped += store_mined_file(workspace, mined)
        done.read += 1
        done.formulas += mined.formulas
        done.ignored += mined.ignored
        advance(file.size, file.name)
    _remove_unused_shards(workspace)
    return done


def mine_file(file: SourceFile, digest: str, folder: Path) -> MinedFile:
    """Read one source file into its shard; a file without any formula leaves no shard. Runs in a worker process."""
    from bot.discover.shard_files import ShardWriter

    path = workspace_path(file)
    name = hashlib.sha256(f"{digest} {path}".encode()).hexdigest()[:32] + ".parquet"
    documents: dict[str, Document] = {}
    skipped: list[tuple[str, Message]] = []
    ignored = _IgnoredCollector(file.path)

    def skip(path: str, reason: Message) -> None:
        skipped.append((path, reason))

    with ShardWriter(folder / name, path) as writer:
        for page in read_file(file, skip, ignored):
            if page.document.id in documents:
                skip(file.path, Message("unread.twice", document=page.document.id))
                continue
            try:
                document = with_language(page.document, [o.window for o in page.occurrences if MASK_OPEN in o.window])
                rows = list(mine_page(replace(page, document=document), skip))
            except Exception as error:  # a fault of ours on this document: the others are read
                skip(page.path, Message("unread.fault", why=short_text(error)))
                continue
            documents[document.id] = document
            writer.write(rows)
    formulas = writer.written
    return MinedFile(
        path, digest, name if formulas else "", tuple(documents.values()), formulas, tuple(skipped), ignored.all()
    )


class _IgnoredCollector:
    """Collects what is ignored in a file; beyond MAX_IGNORED_LISTED for one reason only the count is kept."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.found: list[IgnoredFile] = []
        self.counts: Counter[Message] = Counter()

    def __call__(self, path: str, reason: Message) -> None:
        self.counts[reason] += 1
        if self.counts[reason] <= MAX_IGNORED_LISTED:
            self.found.append(IgnoredFile(path, reason))

    def all(self) -> tuple[IgnoredFile, ...]:
        unlisted = ((reason, n - MAX_IGNORED_LISTED) for reason, n in self.counts.items() if n > MAX_IGNORED_LISTED)
        return (*self.found, *(IgnoredFile(self.path, reason, n) for reason, n in unlisted))


def mine_page(page: ParsedDocument, on_skip: Notice = lambda path, reason: None) -> Iterator[MinedRow]:
    """Yield a row for each formula of a document: its keys, its kind, and what the document says about its name.

    A formula that cannot be analysed goes to `on_skip` and is left out.
    """
    sound: list[tuple[Occurrence, _Analysis]] = []
    language = cue_language(page.document.language)
    own = language and language.definitions
    formulas = {occurrence.position: occurrence.tex for occurrence in page.occurrences} if own else {}
    for occurrence in page.occurrences:
        if language and own:
            definitions = defined_symbols(occurrence.window, formulas, language)
            occurrence = replace(occurrence, definitions=definitions or occurrence.definitions)
        try:
            sound.append((occurrence, _analyse_formula(clean(occurrence.tex), _is_named_by_source(occurrence))))
        except Exception as error:  # a fault of ours on this formula: the others are kept
            at, tex = occurrence.position, occurrence.tex[:80]
            on_skip(page.path, Message("unread.formula", position=at, why=short_text(error), tex=tex))
    candidates = (occurrence.position for occurrence, (*_, fits) in sound if fits)
    context = DocumentContext.of(page.document, [occurrence for occurrence, _ in sound], candidates)
    for occurrence, (found, leaves, kind, fits) in sound:
        cues = name_cues(occurrence, context) if fits else ()
        yield mined_row(occurrence, found, leaves, kind, fits, cues, _is_worth_keeping(occurrence, page.document, cues))


def _is_named_by_source(occurrence: Occurrence) -> bool:
    r"""Tell whether the author names the formula itself, by structure or as a law that is displayed: `\theta_r = \theta_i` is the law of reflection."""
    displayed = occurrence.display and occurrence.role == "text"
    return any(
        cue_kind(hint) in SOURCE_CUES or (displayed and hint.kind == "defined_term" and is_law(hint.name))
        for hint in occurrence.hints
    )


def _is_worth_keeping(occurrence: Occurrence, document: Document, cues: Sequence[NameCue]) -> bool:
    """Tell whether an equation that only one document has is stored.

    The text of books and encyclopaedias states what matters, also within a sentence; in papers an equation is a step like any other.
    """
    enough = NAMING_CUES
    if occurrence.role == "text" and document.kind in ("textbook", "encyclopaedia"):
        enough = DISPLAYED_CUES if occurrence.display else SENTENCE_CUES
    return any(s.kind in enough for s in cues)


_Analysis = tuple[tuple[str, ...], int, str, bool]


@lru_cache(maxsize=50_000)
def _analyse_formula(tex: str, is_named_by_source: bool) -> _Analysis:
    found = keys_of(tex)
    if found is None:  # the occurrence stays, as text without equals
        return ("",) * len(LEVELS), 0, "broken", False
    kind = statement_kind(tex)
    if fits := is_candidate(tex, kind, is_named_by_source):
        identifiers(tex)  # while its tree is at hand: what its letters mean is asked next
    return tuple(found.at(level) for level in LEVELS), found.leaves, kind, fits


def workspace_path(file: SourceFile) -> str:
    """Return the path a file is known by in the workspace, however the source was spelt on the command line."""
    if file.leads_outside:  # the link itself: what it leads to may be a source of its own
        folder, name = os.path.split(file.path)
        return os.path.join(os.path.realpath(folder), name)
    return os.path.realpath(file.path)


def fingerprint(file: SourceFile, digest_of: Callable[[str], str] = digest_of_file) -> str:
    """Return a digest of the file's bytes and of the reader's version: a newer reader reads old files again."""
    parts = "".join(f":{name}={digest_of(os.path.join(file.root, name))}" for name in file.parts)
    crawled = "" if file.manifest_row is None else repr(file.manifest_row.document_metadata)
    content = f"{file.problem or digest_of(file.path)}{parts}{crawled}"
    return hashlib.sha256(f"{READER}:{file.source}:{file.name}:{file.stated_format}:{content}".encode()).hexdigest()[
        :40
    ]


def read_locally(tasks: Sequence[tuple[SourceFile, str]], folder: Path, workers: int = CORES) -> Iterator[MinedFile]:
    """Yield a result for each task in order, read in processes of this machine; small work stays in this process."""
    if workers < 2 or len(tasks) < 2 or sum(f.size for f, _ in tasks) < _PARALLEL_FROM:
        yield from (mine_file(file, digest, folder) for file, digest in tasks)
        return
    at = 0
    while at < len(tasks):
        try:
            with process_pool(workers) as pool:
                # Not pool.map: interrupted, it cancels, and the pool's own thread falls over what is cancelled.
                results = deque(pool.submit(mine_file, file, digest, folder) for file, digest in tasks[at:])
                while results:
                    yield results.popleft().result()
                    at += 1
        except BrokenProcessPool:
            # A reader took its process down: those that may have are read one at a time, so that it can be named.
            for file, digest in tasks[at : at + workers + 1]:
                yield _mine_in_own_process(file, digest, folder)
                at += 1


def _mine_in_own_process(file: SourceFile, digest: str, folder: Path) -> MinedFile:
    try:
        with process_pool(1) as pool:
            return pool.submit(mine_file, file, digest, folder).result()
    except BrokenProcessPool:
        return MinedFile(workspace_path(file), digest, skipped=((file.path, Message("unread.reader_died")),))


def store_mined_file(workspace: Workspace, mined: MinedFile) -> list[tuple[str, Message]]:
    """Replace the stored documents and row of a file, whose shard must be written already; return what is skipped of it."""
    with workspace.engine.begin() as db:
        _delete_rows(db, [mined.path])
        query = sa.select(store.documents.c.id, store.documents.c.path)
        rows = list(store.rows_with(db, query, store.documents.c.id, [d.id for d in mined.documents]))
        stored_paths = {row.id: row.path for row in rows if os.path.lexists(row.path)}
        _delete_rows(db, sorted({row.path for row in rows} - set(stored_paths.values())))  # of a corpus that was moved
        own = [d for d in mined.documents if d.id not in stored_paths]
        duplicates = [Message("unread.read_from", document=d, path=p) for d, p in sorted(stored_paths.items())]
        skipped = [*mined.skipped, *((mined.path, m) for m in duplicates)]
        notes = [
            *({"path": path, **to_json(why)} for path, why in skipped),
            *({"path": i.path, **to_json(i.reason), "count": i.count} for i in mined.ignored),
        ]
        if own:
            db.execute(store.documents.insert(), [as_json(d) | {"path": mined.path} for d in own])
            store_crawl_days(db, own)
        db.execute(
            store.sources.insert().values(
                path=mined.path,
                digest=mined.digest,
                status="read" if mined.documents else "skipped",
                notes=notes,
                documents=len(own),
                formulas=mined.formulas,
                part=mined.shard,
            )
        )
    return skipped


def _drop_vanished(workspace: Workspace, paths: Sequence[str]) -> None:
    """Delete the rows of files that are gone, and of those whose documents were read from one of them, so that these are read again."""
    if not paths:
        return
    vanished = set(paths)
    with workspace.engine.begin() as db:
        _delete_rows(db, paths)
        for row in db.execute(sa.select(store.sources.c.path, store.sources.c.notes)).all():
            if any(note["code"] == _READ_FROM_CODE and note["values"]["path"] in vanished for note in row.notes):
                db.execute(store.sources.delete().where(store.sources.c.path == row.path))


def _is_owner_gone(notes: Sequence[Mapping[str, Any]]) -> bool:
    """Tell whether documents of a file were left out as they had been read from a file that is no longer there."""
    owners = (note["values"]["path"] for note in notes if note["code"] == _READ_FROM_CODE)
    return not all(map(os.path.lexists, owners))


def _delete_rows(db: sa.Connection, paths: Sequence[str]) -> None:
    for table in (store.documents, store.sources):
        for path in paths:
            db.execute(table.delete().where(table.c.path == path))


def _is_in_sources(path: str, sources: Sequence[str]) -> bool:
    """Say whether a file of an earlier run is in one of these sources (files, folders or globs)."""
    real_path = Path(path)
    real = [os.path.realpath(os.path.expanduser(source)) for source in sources]
    return any(real_path.is_relative_to(one) or (fnmatch.fnmatch(path, one) and not real_path.exists()) for one in real)


def _skipped_of(row: Row) -> list[tuple[str, Message]]:
    return [(note["path"], from_json(note)) for note in row["notes"] if "count" not in note]


def _ignored_of(row: Row) -> list[IgnoredFile]:
    return [IgnoredFile(note["path"], from_json(note), note["count"]) for note in row["notes"] if "count" in note]


def _remove_unused_shards(workspace: Workspace) -> None:
    """Remove shards and temporary files that no row names: of killed runs and replaced files."""
    named = {row["part"] for row in workspace.rows(sa.select(store.sources.c.part))}
    for file in workspace.occurrences.iterdir():
        if file.is_file() and file.name not in named:
            file.unlink(missing_ok=True)
