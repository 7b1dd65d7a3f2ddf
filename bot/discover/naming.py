"""From mined rows to named, ranked concepts in the workspace: count, group, name, store.

A formula also gets the mentions of its equivalents: one author names it, ten others only write it in other letters.
"""

import heapq
import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain

import sqlalchemy as sa

from bot import store
from bot.discover.builtin_names import BuiltinFormulas, with_builtin_names
from bot.discover.engines import Engine, OneMachine
from bot.discover.families import Families
from bot.discover.formula_concepts import ConceptRow, make_concept, save_concepts
from bot.discover.group import MAX_WORDS, ConceptGroup, Group, counts_of, group_equivalents
from bot.discover.grouping.encoding_names import Encoding, known_encodings
from bot.discover.grouping.formula_facts import CachedFacts
from bot.discover.grouping.merge import merge_equivalents
from bot.discover.label_automaton import Labels
from bot.discover.name_ranking import NameMention, RecordingUsage, UsageQuery
from bot.discover.names import STRUCTURAL_CUES, is_bare
from bot.formula.alignment.equivalence_evidence import feature_values, shipped_weights
from bot.formula.alignment.templates import Hole, Templates
from bot.formula.alignment.tree_alignment import no_usual_letters
from bot.freed_memory import return_freed_memory
from bot.records import LIKELY_SCORE
from bot.result_cache import NO_CACHE, ResultCache, cache_key, open_result_cache, temporary_result_cache
from bot.sequences import batched, one_ahead
from bot.settings import Settings
from bot.store import Workspace

# Bounds for time, not for quality.
_MAX_ALIGNED = 200  # formulas of one shape that each is laid over, those in most documents first
_MAX_PROPAGATED_PLACES = 60  # places whose mentions one concept gets, the likeliest equivalents first
_BLOCK = 256  # concepts, a whole number of what is recognised at once
MAX_RANKED = 5000  # concepts, those in most documents: neighbours are looked for among all of them


def mentions_of_equivalents(others: Iterable[tuple[ConceptGroup, bool]]) -> list[NameMention]:
    """Return the mentions of other concepts that state the same, at a discount; each comes with whether it has the same letters.

    `p = wρ` and `w_X = p_X/ρ_X` stay two concepts where no name joins them, and both are the equation of state. Where a letter
    differs only words of bare windows count: a sentence that points to its formula is about its letters.
    """
    propagated: list[NameMention] = []
    places: set[tuple[str, int]] = set()
    for (head, members), same_letters in others:
        for mention in chain.from_iterable([group.mentions for group in (head, *members)]):
            place = mention.document, mention.position
            fits = is_bare(mention.kind) or (same_letters and mention.kind not in STRUCTURAL_CUES)
            if fits and (place in places or len(places) < _MAX_PROPAGATED_PLACES):
                places.add(place)
                propagated.append(mention._replace(role="equivalent"))
    return propagated


def find_equivalents(
    groups: Sequence[Group],
    usual: Callable[[str, str], bool] = no_usual_letters,
    facts: CachedFacts | None = None,
    version: object = "",
) -> list[dict[int, bool]]:
    """Return for each group the equivalent groups, the likeliest first, and whether they have the same letters.

    `usual` tells whether two letters are usual for one quantity; `version` must change with its answers, as facts are cached.
    """
    facts = facts or CachedFacts()
    order = sorted(range(len(groups)), key=lambda n: groups[n].order)
    by_shape: dict[bytes, list[tuple[int, int]]] = defaultdict(list)
    holes: dict[int, Sequence[Sequence[Hole]]] = {}
    for number, each in zip(order, facts.of([groups[n].representative for n in order]), strict=True):
        holes[number] = each.holes
        for equation, shape in enumerate(each.shapes):
            by_shape[shape].append((number, equation))
    templates = Templates().fit_holes((chain.from_iterable(own), groups[n].documents) for n, own in holes.items())
    several = {shape: same for shape, same in by_shape.items() if len({number for number, _ in same}) > 1}
    members = (
        (shape, [(groups[n].representative, equation) for n, equation in same]) for shape, same in several.items()
    )
    laid = facts.alignments(f"any, {version}", members, lambda one, other: other < _MAX_ALIGNED, usual)
    weights = shipped_weights()
    likely: list[dict[int, tuple[float, bool]]] = [{} for _ in groups]
    for same, found in zip(several.values(), laid, strict=True):
        for (i, j), alignment in found.items():
            (number, equation), (other, _) = same[i], same[j]
            numbers = feature_values(alignment, holes[number][equation], templates, 0.0, 0.0)
            probability = round(weights.probability(numbers), 6)
            if probability >= weights.threshold:
                comparison_key = probability, not alignment.unexplained_pairs
                likely[number][other] = max(comparison_key, likely[number].get(other, comparison_key))
    return [
        {other: found[other][1] for other in sorted(found, key=lambda n: (-found[n][0], groups[n].key))}
        for found in likely
    ]


def build_concepts(
    workspace: Workspace,
    settings: Settings,
    labels: Labels,
    builtin: BuiltinFormulas = BuiltinFormulas(),  # noqa: B008  # knows nothing
    engine: Engine = OneMachine(),  # noqa: B008  # frozen
) -> dict[str, int]:
    """Count, group, name and store the concepts of what was mined; return how many formulas, distinct ones, concepts and named ones there are."""
    table = store.documents
    titles = {row["id"]: row["title"] for row in workspace.rows(sa.select(table.c.id, table.c.title))}
    encodings = known_encodings(settings.discovery.encodings)
    words = MAX_WORDS if any(encoding.startswith("semantics") for encoding in encodings) else 0
    # What a list without a version recognises may differ from run to run.
    with temporary_result_cache() if builtin.version() is None else open_result_cache(workspace, "discover") as results:
        families = Families(partial(engine.occurrences, workspace), settings.discovery, labels, words, results)
        concepts = NamedConcepts(families, titles, builtin, encodings, results)
        return_freed_memory()  # what grouping needed
        rows, passed = concepts.rows(), _RowStatistics()
        return_freed_memory()
        save_concepts(workspace, passed.pass_through(rows))
        figures = {
            "formulas": families.formulas,
            "distinct": families.distinct,
            "concepts": len(concepts.found),
            "named": passed.named,
        }
        del families, concepts, rows  # what they hold has served
        return_freed_memory()
        store_formularank(workspace, passed.most_frequent(), results)
    return figures


class _RowStatistics:
    """Statistics of the rows that pass through: how many have a likely name, and which are in most documents."""

    def __init__(self) -> None:
        self.named = 0
        self._rows: list[ConceptRow] = []

    def pass_through(self, rows: Iterable[ConceptRow]) -> Iterator[ConceptRow]:
        for row in rows:
            self.named += row.score >= LIKELY_SCORE
            self._rows.append(row._replace(packed=b""))
            if len(self._rows) > 2 * MAX_RANKED:
                self._rows = self.most_frequent()
            yield row

    def most_frequent(self) -> list[ConceptRow]:
        return heapq.nsmallest(MAX_RANKED, self._rows, key=lambda row: (-row.documents, -row.occurrences, row.key))


class NamedConcepts:
    """The named concepts of a corpus. Results are cached by a digest of what each concept is made from."""

    def __init__(
        self,
        families: Families,
        titles: Mapping[str, str],
        builtin: BuiltinFormulas,
        encodings: Sequence[Encoding],
        results: ResultCache,
    ) -> None:
        self._families, self._titles, self._builtin, self._results = families, titles, builtin, results
        facts = CachedFacts(results)
        self.found = merge_equivalents(group_equivalents(families.outlines), encodings, facts=facts)
        return_freed_memory()
        self._equivalents = find_equivalents(
            [head for head, _ in self.found], builtin.are_usual_letters, facts, builtin.version()
        )
        # Concepts whose groups lie in one family follow each other: what is read for one serves the next.
        self._order = sorted(range(len(self.found)), key=lambda n: families.family[self.found[n][0].key])

    def rows(self) -> Iterator[ConceptRow]:
        """Return the rows of all concepts; they are made here, and those of a block are in memory at a time."""
        rows = self._rows_but_for_counts()
        counts = (counts_of((head, *members)) for head, members in map(self.found.__getitem__, self._order))
        return (
            row._replace(occurrences=occurrences, documents=documents)
            for row, (occurrences, documents) in zip(rows, counts, strict=True)
        )

    def _rows_but_for_counts(self) -> Iterator[ConceptRow]:
        grounds = self._input_digests()

        def start(order: Sequence[int]) -> Callable[[], list[bytes]]:
            return self._start_block([(n, grounds[n]) for n in order])

        # While other processes recognise the formulas of a block, the next one is read
        keys = [key for block in one_ahead(map(start, batched(self._order, _BLOCK))) for key in block]
        return self._results.load_in_order("concept", keys)

    def _start_block(self, block: Sequence[tuple[int, bytes]]) -> Callable[[], list[bytes]]:
        """Return what stores the rows of a block and returns their keys."""
        queries: dict[bytes, list[UsageQuery]] = self._results.load("asked", [ground for _, ground in block])
        digests = {ground: self._answers_digest(ground, queries[ground]) for _, ground in block if ground in queries}
        stored_rows: dict[bytes, ConceptRow] = self._results.load("concept", list(digests.values()))
        missing = [(n, ground) for n, ground in block if digests.get(ground) not in stored_rows]
        started = self._start(missing)

        def finish() -> list[bytes]:
            made_rows: dict[bytes, ConceptRow] = {}
            for ground, questions, row in started():
                queries[ground], digests[ground] = questions, self._answers_digest(ground, questions)
                made_rows[digests[ground]] = row
            self._results.store("asked", {ground: queries[ground] for _, ground in missing})
            self._results.store("concept", made_rows)
            return [digests[ground] for _, ground in block]

        return finish

    def _input_digests(self) -> list[bytes]:
        """Return a digest of the input of each concept but for its counts, without the usage of the whole corpus."""
        family, digests = self._families.family, self._families.digests
        own = [
            cache_key([(group.key, digests[family[group.key]], group.levels) for group in (head, *members)])
            for head, members in self.found
        ]
        version = self._builtin.version()
        return [
            cache_key(version, own[n], [(own[other], same) for other, same in others.items()])
            for n, others in enumerate(self._equivalents)
        ]

    def _answers_digest(self, ground: bytes, queries: Sequence[UsageQuery]) -> bytes:
        return cache_key(ground, list(map(self._families.usage.answer, queries)))

    def _start(
        self, concepts: Sequence[tuple[int, bytes]]
    ) -> Callable[[], Iterator[tuple[bytes, list[UsageQuery], ConceptRow]]]:
        """Make concepts of what the corpus says, and return what adds the names of the list."""
        read = self._read([n for n, _ in concepts])
        most, labels = self._families.settings.names_per_concept, self._families.labels
        read_concepts = []
        for n, ground in concepts:
            head, members = read[n]
            usage = RecordingUsage.recording(self._families.usage)
            propagated = mentions_of_equivalents((read[other], same) for other, same in self._equivalents[n].items())
            from_corpus = make_concept(head, members, most, self._titles, labels, propagated, usage)
            first = {tex: place for group in (*members[::-1], head) for tex, place in group.first_places.items()}
            read_concepts.append((ground, sorted(usage.queries), first, from_corpus))
        self._builtin.begin_names([each.tex for *_, each in read_concepts], self._results)

        def named() -> Iterator[tuple[bytes, list[UsageQuery], ConceptRow]]:
            concepts = with_builtin_names([each for *_, each in read_concepts], self._builtin, self._results)
            for (ground, queries, first, _), whole in zip(read_concepts, concepts, strict=True):
                yield ground, queries, ConceptRow.of(whole, first)

        return named

    def _read(self, numbers: Sequence[int]) -> dict[int, ConceptGroup]:
        """Return these concepts and their equivalents with all that is known of their groups."""
        group_numbers = {other for n in numbers for other in (n, *self._equivalents[n])}
        outlines = {n: (self.found[n][0], *self.found[n][1]) for n in group_numbers}
        groups = self._families.groups([self._families.family[o.key] for each in outlines.values() for o in each])
        for outline in chain.from_iterable(outlines.values()):
            level = outline.levels.get(outline.representative)
            groups[outline.key].levels = dict.fromkeys(groups[outline.key].spellings, level) if level else {}
        found = {n: [groups[outline.key] for outline in each] for n, each in outlines.items()}
        return {n: (head, members) for n, (head, *members) in found.items()}


def store_formularank(
    workspace: Workspace,
    concepts: Sequence[ConceptRow],
    results: ResultCache = NO_CACHE,
) -> None:
    """Store each concept's FormulaRank, document frequency times centrality, and write reports/formularank.jsonl in its order."""
    from bot.discover.grouping.formularank import FormulaRank

    plain = sorted(concepts, key=lambda c: (-c.documents, -c.occurrences, c.key))
    tex = [c.tex for c in plain]
    found = FormulaRank(results=results).fit(tex, [c.documents for c in plain], CachedFacts(results, 0).words)
    table = store.concepts
    query = table.update().where(table.c.key == sa.bindparam("of")).values(formularank=sa.bindparam("rank"))
    scores = {c.key: float(score) for c, score in zip(plain, found.score_, strict=True)}
    with workspace.engine.begin() as db:
        last = {key: rank for key, rank in db.execute(sa.select(table.c.key, table.c.formularank)) if rank is not None}
        changed = [
            {"of": key, "rank": scores.get(key)} for key in {**last, **scores} if last.get(key) != scores.get(key)
        ]
        if changed:
            db.execute(query, changed)
    rows = [
        {
            "formularank": rank,
            "frequency": int(n) + 1,
            "key": plain[n].key,
            "tex": plain[n].tex,
            "name": plain[n].name,
            "documents": plain[n].documents,
            "occurrences": plain[n].occurrences,
            "centrality": round(float(found.centrality_[n]), 4),
        }
        for rank, n in enumerate(found.order_, 1)
    ]
    new = workspace.ranking.with_name(f".{workspace.ranking.name}.new")
    new.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    new.replace(workspace.ranking)
