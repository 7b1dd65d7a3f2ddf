"""What was mined to named, ranked concepts in the workspace: counted, grouped, named, stored."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

import sqlalchemy as sa

from bot import store
from bot.discover.builtin_names import BuiltinFormulas, NoBuiltinFormulas, with_builtin_names
from bot.discover.count import places, totals
from bot.discover.engines import Engine, OneMachine
from bot.discover.formula_concepts import concept, save
from bot.discover.group import ConceptGroup, Group, group_equivalents, groups, named, propagate
from bot.discover.grouping.encoding_names import USUAL, Encoding, known_encodings
from bot.discover.grouping.merge import merge_equivalents
from bot.discover.label_automaton import Labels
from bot.discover.name_ranking import CorpusUsage
from bot.discover.names import STRONG, spread_of
from bot.discover.propagation import mentions_of_equivalents
from bot.discover.run import RANKED
from bot.kept_results import KeptResults, kept_results
from bot.records import FormulaConcept
from bot.settings import Settings
from bot.store import Workspace

_NOTHING = KeptResults()
MOST_RANKED = 5000  # concepts, those in most documents: neighbours are looked for among all of them


def strongly_named(concept: FormulaConcept) -> bool:
    """Say whether the best name of a concept scores at least one half."""
    return bool(concept.names) and concept.names[0].score >= STRONG


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
    with kept_results(workspace, "discover") as results:
        found_concepts = named_concepts(found, most, titles, labels, builtin, encodings, results)
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
    results: KeptResults = _NOTHING,
) -> list[tuple[FormulaConcept, ConceptGroup]]:
    """Return the named concepts of counted groups, each with the groups that it is made of."""
    for group in propagate(found):
        named(group, most, labels)
    concept_groups = merge_equivalents(group_equivalents(found), encodings)
    propagated = mentions_of_equivalents(concept_groups, builtin.usual)
    spread = spread_of(group.mentions for group in found)
    usage = CorpusUsage.of((group.usual, group.mentions) for group in found)
    from_corpus = [
        concept(*pair, most, titles, labels, more, spread, usage)
        for pair, more in zip(concept_groups, propagated, strict=True)
    ]
    return list(zip(with_builtin_names(from_corpus, builtin, results), concept_groups, strict=True))


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
