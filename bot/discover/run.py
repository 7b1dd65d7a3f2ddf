"""The stage: sources to shards, shards to groups, groups to named concepts in the workspace."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime

import sqlalchemy as sa

from bot import store
from bot.console import progress
from bot.corpus import survey
from bot.discover.builtin_names import BuiltinFormulas, NoBuiltinFormulas, with_builtin_names
from bot.discover.count import places, totals
from bot.discover.engines import Engine, OneMachine
from bot.discover.formula_concepts import concept, save
from bot.discover.group import STRONG, ConceptGroup, Group, group_equivalents, groups, named, propagate
from bot.discover.grouping.merge import merge_equivalents
from bot.discover.grouping.neighbours import USUAL, Encoding, known_encodings
from bot.discover.label_automaton import Labels
from bot.discover.mine import Ignored, mine
from bot.discover.name_ranking import CorpusUsage
from bot.discover.names import spread_of
from bot.discover.propagation import mentions_of_equivalents
from bot.discover.retrieved import note_new
from bot.records import FormulaConcept
from bot.settings import Settings
from bot.store import Workspace

MOST_RANKED = 5000  # concepts, those in most documents: neighbours are looked for among all of them


@dataclass(frozen=True, slots=True)
class DiscoverSummary:
    """What a run did; `skipped` names each file or document that could not be read and why."""

    files_read: int
    files_reused: int
    skipped: tuple[tuple[str, str], ...]
    ignored: int  # files of no known format, pages that are no article, and text without mathematics
    documents: int
    formulas: int
    distinct: int
    concepts: int
    named: int  # concepts with a name that scores at least one half
    seconds: float
    found: int = 0  # formulas in the sources of this run; `formulas` are all of the workspace
    ignored_files: tuple[Ignored, ...] = ()


def discover(
    workspace: Workspace,
    sources: Sequence[str],
    settings: Settings,
    *,
    format: str = "",
    labels: Iterable[tuple[str, str]] = (),
    builtin: BuiltinFormulas | None = None,
    quiet: bool = False,
    engine: Engine = OneMachine(),  # noqa: B008  # frozen
    today: date | None = None,
) -> DiscoverSummary:
    """Read the sources, count, group and name their formulas, and store the concepts; goes on where a killed run stopped.

    `labels` are (QID, label or alias) pairs whose labels are looked for in the text; `builtin` is what is known beyond the corpus;
    `format` is the name of the format that the sources are in, where it is not to be told from what stands in them;
    `today` is the day that new documents carry as retrieved, the current one in UTC without it.
    Raises SettingsError for an unknown encoding, SourceError for a source that cannot be used, WorkspaceError while another
    process writes.
    """
    start = time.monotonic()
    known_encodings(settings.discovery.encodings)
    there = survey(list(sources), format)
    with workspace.lock("discover"):
        with progress("Reading", sum(f.size for f in there.files), quiet=quiet) as advance:
            try:
                mined = mine(workspace, sources, there.files, advance, engine.read)
            finally:  # what an interrupted run has read, it has read today
                note_new(workspace, today or datetime.now(UTC).date())
        with progress("Naming", quiet=quiet):
            found, formulas, distinct = build(workspace, settings, Labels(labels), builtin, engine)
    ignored = (*(Ignored(*pair) for pair in there.ignored), *mined.ignored)
    documents = workspace.rows(sa.select(sa.func.count().label("n")).select_from(store.documents))[0]["n"]
    return DiscoverSummary(
        files_read=mined.read,
        files_reused=mined.reused,
        skipped=tuple(mined.skipped),
        ignored=sum(each.count for each in ignored),
        documents=documents,
        formulas=formulas,
        distinct=distinct,
        concepts=len(found),
        named=sum(1 for c in found if c.names and c.names[0].score >= STRONG),
        seconds=round(time.monotonic() - start, 1),
        found=mined.formulas,
        ignored_files=ignored,
    )


def build(
    workspace: Workspace,
    settings: Settings,
    labels: Labels,
    builtin: BuiltinFormulas | None = None,
    engine: Engine = OneMachine(),  # noqa: B008  # frozen
) -> tuple[list[FormulaConcept], int, int]:
    """Count, group, name and store the concepts of what was mined; return them, the formulas and the distinct ones."""
    table = store.documents
    titles = {row["id"]: row["title"] for row in workspace.rows(sa.select(table.c.id, table.c.title))}
    with engine.occurrences(workspace) as rows:
        formulas, distinct = totals(rows)
        found = list(groups(places(rows, settings.discovery), labels))
    most = settings.discovery.names_per_concept
    builtin, encodings = builtin or NoBuiltinFormulas(), known_encodings(settings.discovery.encodings)
    found_concepts = named_concepts(found, most, titles, labels, builtin, encodings)
    concepts = [concept for concept, _ in found_concepts]
    firsts = {
        concept.key: {tex: place for group in (*members[::-1], head) for tex, place in group.first.items()}
        for concept, (head, members) in found_concepts
    }
    save(workspace, concepts, firsts)
    ranked(workspace, concepts)
    return concepts, formulas, distinct


def named_concepts(
    found: list[Group],
    most: int,
    titles: Mapping[str, str],
    labels: Labels,
    builtin: BuiltinFormulas,
    encodings: Sequence[Encoding] = USUAL,
) -> list[tuple[FormulaConcept, ConceptGroup]]:
    """Return the named concepts of counted groups, each with the groups that it is made of."""
    for group in propagate(found):
        named(group, most, titles, labels)
    concept_groups = merge_equivalents(group_equivalents(found), encodings)
    propagated = mentions_of_equivalents(concept_groups, builtin.usual)
    spread = spread_of(group.mentions for group in found)
    usage = CorpusUsage.of((group.usual, group.mentions) for group in found)
    from_corpus = [
        concept(*pair, most, titles, labels, more, spread, usage)
        for pair, more in zip(concept_groups, propagated, strict=True)
    ]
    return list(zip(with_builtin_names(from_corpus, builtin), concept_groups, strict=True))


def ranked(workspace: Workspace, concepts: Sequence[FormulaConcept]) -> None:
    """Store each concept's FormulaRank, document frequency times centrality, and write reports/formularank.jsonl in its order."""
    from bot.discover.grouping.formularank import FormulaRank

    plain = sorted(concepts, key=lambda c: (-c.documents, -c.occurrences, c.key))[:MOST_RANKED]
    found = FormulaRank().fit([c.tex for c in plain], [c.documents for c in plain])
    table = store.concepts
    query = table.update().where(table.c.key == sa.bindparam("of")).values(formularank=sa.bindparam("rank"))
    if plain:
        with workspace.engine.begin() as db:
            db.execute(
                query, [{"of": c.key, "rank": float(score)} for c, score in zip(plain, found.score_, strict=True)]
            )
    path = workspace.reports / "formularank.jsonl"
    rows = [
        {
            "formularank": place,
            "frequency": int(n) + 1,
            "key": plain[n].key,
            "tex": plain[n].tex,
            "name": plain[n].names[0].name if plain[n].names else "",
            "documents": plain[n].documents,
            "occurrences": plain[n].occurrences,
            "centrality": round(float(found.centrality_[n]), 4),
        }
        for place, n in enumerate(found.order_, 1)
    ]
    new = path.with_name(f".{path.name}.new")
    new.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    new.replace(path)
