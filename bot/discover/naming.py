"""What was mined to named, ranked concepts in the workspace: counted, grouped, named, stored.

A formula has the mentions of its equivalents too: one author names it, ten others only write it with letters of their own.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain, islice

import sqlalchemy as sa

from bot import store
from bot.discover.builtin_names import BuiltinFormulas, NoBuiltinFormulas, with_builtin_names
from bot.discover.count import places, totals
from bot.discover.engines import Engine, OneMachine
from bot.discover.formula_concepts import concept, save
from bot.discover.group import WORDS, ConceptGroup, Group, group_equivalents, groups, most_telling, named, propagate
from bot.discover.grouping.encoding_names import USUAL, Encoding, known_encodings
from bot.discover.grouping.merge import merge_equivalents
from bot.discover.label_automaton import Labels
from bot.discover.name_ranking import CorpusUsage
from bot.discover.names import STRONG, STRUCTURAL, NameMention, is_bare, spread_of
from bot.discover.run import RANKED
from bot.formula.alignment.equations import Equation, statements
from bot.formula.alignment.equivalence_evidence import WORTH, evidence, shipped
from bot.formula.alignment.templates import Templates
from bot.formula.alignment.tree_alignment import aligned, nothing_usual
from bot.kept_results import KeptResults, kept_results
from bot.records import FormulaConcept
from bot.settings import Settings
from bot.store import Workspace

# Bounds for time, not for quality.
_ASKED = 200  # formulas of one shape that each is laid over, those in most documents first
_PLACES = 60  # places whose mentions one concept gets, the likeliest equivalents first
_BLOCK = 1024  # concepts, a whole number of what is recognised at once
_NOTHING = KeptResults()
MOST_RANKED = 5000  # concepts, those in most documents: neighbours are looked for among all of them


def mentions_of_equivalents(
    found: Sequence[ConceptGroup], usual: Callable[[str, str], bool] = nothing_usual
) -> Iterator[list[NameMention]]:
    """Yield for each concept the mentions of the other concepts that state the same, at a discount.

    `p = wρ` and `w_X = p_X/ρ_X` stay two concepts where no name joins them, and both are the equation of state. Where a letter
    differs only words of bare windows count: a sentence that points to its formula is about its letters. `usual` tells
    whether two letters are usual for one quantity.
    """
    for mates in _mates([head.usual for head, _ in found], [head for head, _ in found], usual):
        yield _signs([(found[other], letters) for other, letters in mates.items()])


def _signs(others: Sequence[tuple[ConceptGroup, bool]]) -> list[NameMention]:
    propagated: list[NameMention] = []
    places: set[tuple[str, int]] = set()
    for (head, members), same_letters in others:
        for mention in chain.from_iterable([group.mentions for group in (head, *members)]):
            place = mention.document, mention.position
            fits = is_bare(mention.kind) or (same_letters and mention.kind not in STRUCTURAL)
            if fits and (place in places or len(places) < _PLACES):
                places.add(place)
                propagated.append(replace(mention, role="equivalent"))
    return propagated


def _mates(
    formulas: Sequence[str], groups: Sequence[Group], usual: Callable[[str, str], bool]
) -> list[dict[int, bool]]:
    """Return for each formula those of one concept with it, the likeliest first, and whether they have the same letters."""
    spread = ((tex, document) for tex, group in zip(formulas, groups, strict=True) for document in group.documents)
    templates = Templates().fit(spread)
    by_shape: dict[str, list[tuple[int, Equation]]] = defaultdict(list)
    for number in sorted(range(len(groups)), key=lambda n: (-groups[n].D, -groups[n].d, groups[n].key)):
        for statement in statements(formulas[number]):
            by_shape[statement.shape].append((number, statement))
    weights = shipped()
    likely: list[dict[int, tuple[float, bool]]] = [{} for _ in groups]
    for same in by_shape.values():
        for number, one in same:
            for other, its in same[:_ASKED]:
                if other == number or (laid := aligned(one, its, usual, WORTH)) is None:
                    continue
                probability = round(weights.probability(evidence(laid, one, templates, 0.0, 0.0)), 6)
                if probability >= weights.threshold:
                    judged = probability, not laid.others
                    likely[number][other] = max(judged, likely[number].get(other, judged))
    return [
        {other: found[other][1] for other in sorted(found, key=lambda n: (-found[n][0], groups[n].key))}
        for found in likely
    ]


def strongly_named(concept: FormulaConcept) -> bool:
    """Say whether the best name of a concept scores at least one half."""
    return bool(concept.names) and concept.names[0].score >= STRONG


def build(
    workspace: Workspace,
    settings: Settings,
    labels: Labels,
    builtin: BuiltinFormulas | None = None,
    engine: Engine = OneMachine(),  # noqa: B008  # frozen
) -> dict[str, int]:
    """Count, group, name and store the concepts of what was mined; return how many formulas, distinct ones, concepts and named ones there are."""
    table = store.documents
    titles = {row["id"]: row["title"] for row in workspace.rows(sa.select(table.c.id, table.c.title))}
    most = settings.discovery.names_per_concept
    builtin, encodings = builtin or NoBuiltinFormulas(), known_encodings(settings.discovery.encodings)
    words = WORDS if any(encoding.startswith("semantics") for encoding in encodings) else 0
    with engine.occurrences(workspace) as rows:
        formulas, distinct = totals(rows)
        found = list(map(most_telling, groups(places(rows, settings.discovery), labels, words)))
    short: list[FormulaConcept] = []  # of each concept what its rank needs
    firsts: dict[str, dict[str, tuple[str, int]]] = {}

    def concepts() -> Iterator[FormulaConcept]:
        for made, (head, members) in named_concepts(found, most, titles, labels, builtin, encodings, results):
            firsts[made.key] = {tex: place for group in (*members[::-1], head) for tex, place in group.first.items()}
            short.append(replace(made, representations=(), names=made.names[:1], places=(), definitions=()))
            yield made

    with kept_results(workspace, "discover") as results:
        save(workspace, concepts(), firsts)
    ranked(workspace, short)
    named = sum(map(strongly_named, short))
    return {"formulas": formulas, "distinct": distinct, "concepts": len(short), "named": named}


def named_concepts(
    found: list[Group],
    most: int,
    titles: Mapping[str, str],
    labels: Labels,
    builtin: BuiltinFormulas,
    encodings: Sequence[Encoding] = USUAL,
    results: KeptResults = _NOTHING,
) -> Iterator[tuple[FormulaConcept, ConceptGroup]]:
    """Yield the named concepts of counted groups, each with the groups that it is made of; a block of concepts is in memory."""
    for group in propagate(found):
        named(group, most, labels)
    concept_groups = merge_equivalents(group_equivalents(found), encodings)
    propagated = mentions_of_equivalents(concept_groups, builtin.usual)
    spread = spread_of(group.mentions for group in found)
    usage = CorpusUsage.of((group.usual, group.mentions) for group in found)
    left = zip(concept_groups, propagated, strict=True)
    while block := list(islice(left, _BLOCK)):
        from_corpus = [concept(*pair, most, titles, labels, more, spread, usage) for pair, more in block]
        named_ = with_builtin_names(from_corpus, builtin, results)
        yield from zip(named_, [pair for pair, _ in block], strict=True)


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
    path = workspace.reports / RANKED
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
