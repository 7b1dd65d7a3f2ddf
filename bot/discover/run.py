"""The stage: sources to shards, shards to groups, groups to named concepts in the workspace."""

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime

import sqlalchemy as sa

from bot import stage_state, store
from bot.console import progress
from bot.corpus import CorpusListing, list_sources
from bot.discover.builtin_names import BuiltinFormulas
from bot.discover.engines import Engine, OneMachine
from bot.discover.grouping.encoding_names import known_encodings
from bot.discover.label_automaton import Labels
from bot.discover.mine import IgnoredFile, mine
from bot.discover.retrieval_days import store_first_days
from bot.messages import Message
from bot.records import PAIRS
from bot.settings import Settings
from bot.store import Workspace


@dataclass(frozen=True, slots=True)
class DiscoverSummary:
    """What a run did; `skipped` names each file or document that could not be read and why."""

    files_read: int
    files_reused: int
    skipped: tuple[tuple[str, Message], ...] = field(metadata=PAIRS)
    ignored: int  # files of no known format, pages that are not an article, and text without mathematics
    documents: int
    formulas: int
    distinct: int
    concepts: int
    named: int  # concepts with a name that scores at least one half
    seconds: float
    found: int = 0  # formulas in the sources of this run; `formulas` are all of the workspace
    ignored_files: tuple[IgnoredFile, ...] = ()


def discover(
    workspace: Workspace,
    sources: Sequence[str],
    settings: Settings,
    *,
    format: str = "",
    labels: Iterable[tuple[str, str]] = (),
    builtin: BuiltinFormulas = BuiltinFormulas(),  # noqa: B008  # knows nothing
    quiet: bool = False,
    engine: Engine = OneMachine(),  # noqa: B008  # frozen
    today: date | None = None,
    listing: CorpusListing | None = None,
) -> DiscoverSummary:
    """Read the sources, count, group and name their formulas, and store the concepts; continues an interrupted run.

    `labels` are (QID, label or alias) pairs whose labels are looked for in the text; `builtin` is what is known beyond the corpus;
    `format` is the name of the format that the sources are in, where it is not to be told from what stands in them;
    `today` is the day that new documents carry as retrieved, the current one in UTC without it; `listing` is what `survey` found in
    the sources, where it has just been asked.
    Raises SettingsError for an unknown encoding, SourceError for a source that cannot be used, WorkspaceError while another
    process writes.
    """
    start = time.monotonic()
    known_encodings(settings.discovery.encodings)
    listing = listing or list_sources(list(sources), format)
    labels = list(labels)
    with workspace.lock("discover"):
        with progress(Message("told.reading_bar"), sum(f.size for f in listing.files), quiet=quiet) as advance:
            try:
                mined = mine(workspace, sources, listing.files, advance, engine.read)
            finally:  # what an interrupted run has read, it has read today
                store_first_days(workspace, today or datetime.now(UTC).date())
        inputs = _inputs(workspace, settings, labels, builtin)
        is_ranked = workspace.ranking.exists()
        figures = stage_state.last_outcome(workspace, "discover", inputs) if is_ranked else None
        if figures is None:
            from bot.discover.naming import build_concepts  # it brings the learning libraries

            with progress(Message("told.naming_bar"), quiet=quiet):
                stage_state.forget_run(workspace, "discover")
                figures = build_concepts(workspace, settings, Labels(labels), builtin, engine)
                stage_state.record_run(workspace, "discover", inputs, **figures)
    ignored = (*(IgnoredFile(*pair) for pair in listing.ignored), *mined.ignored)
    return DiscoverSummary(
        files_read=mined.read,
        files_reused=mined.reused,
        skipped=tuple(mined.skipped),
        ignored=sum(each.count for each in ignored),
        documents=workspace.count(store.documents),
        **figures,
        seconds=round(time.monotonic() - start, 1),
        found=mined.formulas,
        ignored_files=ignored,
    )


def _inputs(
    workspace: Workspace, settings: Settings, labels: Sequence[tuple[str, str]], builtin: BuiltinFormulas
) -> str | None:
    """Return a digest of all inputs of concepts; None if they are unknown."""
    if (version := builtin.version()) is None:
        return None
    files, owned = store.sources.c, store.documents.c
    read = workspace.rows(sa.select(files.path, files.digest, files.part).order_by(files.path))
    owners = workspace.rows(sa.select(owned.id, owned.path).order_by(owned.id))
    return stage_state.inputs_digest(settings.discovery, labels, version, read, owners)
