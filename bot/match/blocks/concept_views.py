"""The concepts of a workspace as matching looks at them: all with a digest of their grounds, and views of those that are asked for."""

import json
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import groupby, starmap
from operator import attrgetter

import sqlalchemy as sa

from bot import store
from bot.claim_outcomes import removed_by_document
from bot.discover import load_concepts
from bot.discover.articles import defining_formula
from bot.discover.stored_occurrences import all_occurrences, occurrences_in_order
from bot.match.blocks.cached_recognition import recognise_cached
from bot.match.builtin.reviewer_answers import reviewer_answers
from bot.match.builtin.workspace_formulas import knowledge_version
from bot.match.features.candidate_pair import ConceptOccurrence, ConceptView, equation_ranks
from bot.match.retrieval.known_concepts import Related, known_concepts
from bot.match.retrieval.recognise import Hit
from bot.records import Document, FormulaConcept, Occurrence
from bot.result_cache import ResultCache, cache_key
from bot.sequences import batched, one_ahead
from bot.settings import Settings
from bot.store import Workspace, to_record

BLOCK = 128  # concepts read at once, and recognised at once (see recognise.CHUNK)
_ARTICLES = 32  # read at once
_READING = 4  # arguments for which an article counts: some 40 milliseconds
_NOT_SHOWN = ("occurrences", "documents", "representations")  # fields of a concept that no view has
# Arguments for which a concept counts: to judge it takes some 20 milliseconds, and a tenth of that where its formula is known
_JUDGING = 3
_FEW = 4000  # places whose occurrences are in memory, some 8 MB


@dataclass(frozen=True, slots=True)
class ConceptDigest:
    """A concept with its occurrences, and a digest of everything in its view that comes from the corpus.

    How often it occurs and its other spellings are not part of a view: they say nothing of its item.
    """

    key: str
    tex: str
    places: tuple[tuple[str, int], ...]
    digest: bytes


class ConceptViews:
    """The concepts of a workspace, those in most documents first, and what formulas are recognised by.

    `version` tells what is known beyond the corpus from what was known when results were kept.
    """

    def __init__(self, workspace: Workspace, settings: Settings, results: ResultCache) -> None:
        self._workspace, self._kept = workspace, results
        self.known, self.version = known_concepts(workspace, settings), knowledge_version(workspace, settings)
        self._answers, self._removed = reviewer_answers(workspace), removed_by_document(workspace)
        self._read: dict[tuple[str, int], Occurrence | None] = {}  # at the places of the last few views
        self._documents = {row["id"]: row for row in workspace.rows(sa.select(store.documents))}
        rows = list(self._rows())
        self._ranks = equation_ranks(place for *_, places in rows for place in places)
        homes = self._home_digests = self._document_digests()
        self.concept_digests = [
            ConceptDigest(key, tex, places, self._digest(key, seen, places, homes)) for key, tex, seen, places in rows
        ]

    def _rows(self) -> Iterator[tuple[str, str, bytes, tuple[tuple[str, int], ...]]]:
        """Yield key, TeX, a digest of what views show of the record, and places of each concept."""
        table = store.concepts.c
        columns_shown = [field for field in FormulaConcept.__dataclass_fields__ if field not in _NOT_SHOWN]
        columns = [
            sa.cast(c, sa.Text) if isinstance(c.type, sa.JSON) else c for c in map(table.__getitem__, columns_shown)
        ]
        query = sa.select(*columns).order_by(table.documents.desc(), table.occurrences.desc(), table.key)
        at = columns_shown.index("places")
        with self._workspace.engine.connect() as db:
            for row in db.execute(query.execution_options(yield_per=BLOCK)):
                places = tuple((document, position) for document, position in json.loads(row[at] or "[]"))
                yield row[0], row[1], cache_key(*row), places

    def _document_digests(self) -> dict[str, bytes]:
        """Return for each document a digest of its record, of the rows mined from its file, and of the states of its claims."""
        shards = {row["path"]: row["part"] for row in self._workspace.rows(sa.select(store.sources.c.path, store.sources.c.part))}  # fmt: skip
        return {
            id_: cache_key(row, shards.get(row["path"]), self._removed.get(id_)) for id_, row in self._documents.items()
        }

    def _digest(self, key: str, record: bytes, places: Sequence[tuple[str, int]], homes: Mapping[str, bytes]) -> bytes:
        return cache_key(
            record, [(homes.get(place[0]), self._ranks[place]) for place in places], self._answers.get(key)
        )  # fmt: skip

    def views(self, of: Sequence[ConceptDigest]) -> Iterator[ConceptView]:
        """Yield the view of each of these, a block of them in memory. They will be judged: what comes before may run in the same processes."""
        self._kept.processes.expect_arguments(_JUDGING * len(of))
        self.known.related = self._related()
        deque(self._recognised([each.tex for each in of]), maxlen=0)  # all together, and kept
        wanted = [(n, place) for n, each in enumerate(of) for place in each.places]
        found = self._occurrences_at(wanted)
        pending = next(found, None)
        for start in range(0, len(of), BLOCK):
            block = of[start : start + BLOCK]
            concepts = load_concepts(self._workspace, [each.key for each in block], ("representations",))
            recognised = self._recognised([each.tex for each in block])
            for n, (concept, hits) in enumerate(zip(concepts, recognised, strict=True), start):
                at = {}
                while pending is not None and pending[0] == n:
                    at[pending[1].position, pending[1].document] = pending[1]
                    pending = next(found, None)
                occurrences = tuple(
                    ConceptOccurrence(
                        occurrence,
                        self._document(document),
                        self._ranks[document, position],
                        self._defining.get((document, position), 0.0),
                    )
                    for document, position in concept.places
                    if (occurrence := at.get((position, document)))
                )
                removed = {
                    id_: self._removed[id_]
                    for id_ in dict.fromkeys(d for d, _ in concept.places)
                    if id_ in self._removed
                }
                yield ConceptView(
                    replace(concept, occurrences=0, documents=0),
                    occurrences,
                    self.known,
                    tuple(hits),
                    self._answers.get(concept.key),
                    removed,
                )

    def _occurrences_at(self, wanted: Sequence[tuple[int, tuple[str, int]]]) -> Iterator[tuple[int, Occurrence]]:
        """Yield the occurrences at places, each with its number, by number; those of few places are cached."""
        if len(wanted) > _FEW:
            yield from occurrences_in_order(self._workspace, wanted)
            return
        if any(place not in self._read for _, place in wanted):
            self._read = dict.fromkeys([place for _, place in wanted])
            for _, one in occurrences_in_order(self._workspace, wanted):
                self._read[one.document, one.position] = one
        read = self._read
        for n, place in wanted:
            if (occurrence := read[place]) is not None:
                yield n, occurrence

    def formula_alone(self, of: ConceptDigest) -> ConceptView:
        """Return a view that shows the formula and nothing of the corpus."""
        return ConceptView(FormulaConcept(of.key, of.tex, 0, 0), (), self.known)

    @cached_property
    def _defining(self) -> Mapping[tuple[str, int], float]:
        """Return the positions of the defining formulas of encyclopaedia articles, each with its probability."""
        articles = [id_ for id_, row in self._documents.items() if row["kind"] == "encyclopaedia"]
        found = self._kept.map_as_one_row(
            "defining", articles, lambda id_: cache_key(self._home_digests[id_], self.version), self._defining_positions
        )
        return {(id_, position): likely for id_, (position, likely) in zip(articles, found, strict=True) if likely}

    def _defining_positions(self, articles: Sequence[str]) -> list[tuple[int, float]]:
        self._kept.processes.expect_arguments(_READING * len(articles))
        positions: dict[str, tuple[int, float]] = {}
        for found in one_ahead(map(self._start_choices, batched(articles, _ARTICLES))):
            positions |= found
        return [positions.get(id_, (-1, 0.0)) for id_ in articles]

    def _start_choices(self, articles: Sequence[str]) -> Callable[[], dict[str, tuple[int, float]]]:
        rows = all_occurrences(self._workspace, articles)
        documents = [(self._document(id_), tuple(each)) for id_, each in groupby(rows, attrgetter("document"))]
        read = [(document, each, self.known.definitions_called(document.title)) for document, each in documents]
        ids, started = [document.id for document, _ in documents], self._kept.processes.start(_choices, read)
        return lambda: dict(zip(ids, started(), strict=True))

    def _document(self, id_: str) -> Document:
        row = self._documents.get(id_)
        return to_record(Document, row, f"documents {id_}") if row else Document(id_, "")

    def _recognised(self, texts: Sequence[str]) -> Iterator[list[Hit]]:
        return recognise_cached(texts, self.known, self.version, self._kept.for_stage("discover"))

    def _related(self) -> Related:
        """Return which known items share formulas, without the index where it was asked before."""
        (found,) = self._kept.map_batch("related", [self.version], cache_key, lambda _: [self.known.related])
        return found


def _choices(
    articles: Sequence[tuple[Document, tuple[Occurrence, ...], tuple[str, ...] | None]],
) -> list[tuple[int, float]]:
    """Return for each article, given with the listed formulas of its subject, the position of its defining formula, and the probability that it is."""
    found = starmap(defining_formula, articles)
    return [(each.position, each.probability) for each in found]
