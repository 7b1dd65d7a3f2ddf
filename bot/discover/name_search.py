"""Search by name (Method 1 of the paper): the formulas of the corpus that are likely representations of a concept."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from bot import store
from bot.discover.formula_concepts import load_concepts
from bot.discover.phrases import fold
from bot.discover.shards import engine, occurrence
from bot.errors import FormulaError
from bot.formula import Keys, compare, identifiers, keys
from bot.formula.alignment.equivalence_evidence import Ignorance, PriorKnowledge, evidence, nearest, shipped
from bot.formula.alignment.templates import Templates
from bot.records import FormulaConcept, Item, Occurrence, as_json
from bot.settings import Settings
from bot.store import Workspace

MOST = 50
_FORMULA = 0.6  # how far an equal formula of the item closes the gap to certainty, at its strictest level
_LEVELS = {"K0": 1.0, "K1": 1.0, "K2": 0.95, "K3": 0.8, "K4": 0.6, "K5": 0.5, "K6": 0.1}
_PART = 0.5  # a name that only holds the wanted one, or is held by it
_STRICT = ("K0", "K1", "K2", "K3", "K4")
_RECOGNISED = 0.5  # how far being recognised as the concept, with certainty, closes the gap
_RENAMED_LEAVES = 8  # below this, equality after renaming means nothing
_LETTERS = 0.5  # of a known formula's letters, to be compared with it


@dataclass(frozen=True, slots=True)
class KnownConcept:
    """What is known of the wanted concept beyond its name: more names, formulas, and how likely a formula is recognised as it."""

    names: tuple[str, ...] = ()
    formulas: tuple[str, ...] = ()
    recognised: Callable[[str], float] | None = None
    knowledge: PriorKnowledge | None = None


def find(
    workspace: Workspace, name: str, item: Item | None, settings: Settings, known: KnownConcept | None = None
) -> list[dict[str, Any]]:
    """Return formulas that are likely representations of the concept, best first.

    Rows: tex, key, level (at which it equals a formula of the concept, else ""), score, sentence, document, title, url.
    """
    more = known or KnownConcept()
    wanted = {*_names(name, item), *[fold(each) for each in more.names]} - {""}
    own = [s.value for s in item.statements if s.property == settings.wiki.properties.defining_formula] if item else []
    yardstick = _Yardstick([tex for tex in dict.fromkeys([*own, *more.formulas]) if tex], more.knowledge or Ignorance())
    scored = []
    for concept in load_concepts(workspace):
        level = yardstick.level(concept)
        score = _score(concept, wanted, level)
        if more.recognised and (score or yardstick.near(concept.tex)):
            score = round(score + (1 - score) * _RECOGNISED * more.recognised(concept.tex), 4)
        if score > 0.05:
            scored.append((-score, concept.key, concept, level))
    scored.sort(key=lambda row: row[:2])
    best = scored[:MOST]
    told = {
        (o.document, o.position): o for o in occurrences_of(workspace, [c.places[0] for *_, c, _ in best if c.places])
    }
    about = _documents(workspace, {document for document, _ in told})
    return [_row(concept, level, -minus, told, about) for minus, _, concept, level in best]


def occurrences_of(workspace: Workspace, places: Iterable[tuple[str, int]]) -> list[Occurrence]:
    """Return the occurrences at these (document, position) places, in their order; what is no longer there is left out."""
    wanted = list(places)
    rows = _looked_up(workspace, [(d, p, "") for d, p in wanted], "o.position = w.p")
    found = {(o.document, o.position): o for o in rows}
    return [found[place] for place in wanted if place in found]


def occurrences_again(workspace: Workspace, wanted: Iterable[tuple[str, int, str]]) -> list[Occurrence]:
    """Return what a document holds at a (document, position, key K2), or under that key anywhere else."""
    found = _looked_up(workspace, list(wanted), "(o.position = w.p OR o.K2 = w.k)")
    return sorted(found, key=lambda o: (o.document, o.position))


def _looked_up(workspace: Workspace, wanted: Sequence[tuple[str, int, str]], condition: str) -> list[Occurrence]:
    if not wanted:
        return []
    query = sa.select(store.sources.c.part).join(store.documents, store.documents.c.path == store.sources.c.path)
    shards: set[str] = set()
    names = sorted({document for document, *_ in wanted})
    for start in range(0, len(names), 500):
        rows = workspace.rows(query.where(store.documents.c.id.in_(names[start : start + 500])))
        shards |= {row["part"] for row in rows if row["part"]}
    with engine(workspace.occurrences, sorted(shards)) as db:
        import pyarrow as pa

        columns = zip("dpk", (pa.string(), pa.int32(), pa.string()), zip(*wanted, strict=True), strict=True)
        db.register("wanted", pa.table({name: pa.array(values, kind) for name, kind, values in columns}))
        cursor = db.execute(
            f"SELECT o.* FROM occurrences o SEMI JOIN wanted w ON o.document = w.d AND {condition} ORDER BY o.path DESC"
        )
        names = [column[0] for column in cursor.description]
        return [occurrence(dict(zip(names, row, strict=True))) for row in cursor.fetchall()]


def _names(name: str, item: Item | None) -> set[str]:
    names = [name, item.label, *item.aliases] if item else [name]
    return {fold(n) for n in names if n} - {""}


def _score(concept: FormulaConcept, wanted: set[str], level: str) -> float:
    score = 0.0
    for candidate in concept.names:
        key = fold(candidate.name)
        if key in wanted:
            score = max(score, candidate.score)
        elif any(f" {key} " in f" {w} " or f" {w} " in f" {key} " for w in wanted):
            score = max(score, candidate.score * _PART)
    if level:
        score = score + (1 - score) * _FORMULA * _LEVELS[level]
    return round(score, 4)


class _Yardstick:
    """The concept's formulas, by which those of the corpus are measured: by key, by what they state, by comparison where letters agree."""

    def __init__(self, formulas: Sequence[str], knowledge: PriorKnowledge) -> None:
        self.formulas = formulas
        self.knowledge = knowledge
        self.letters = [set(identifiers(tex)) for tex in formulas]
        self.keys = {tex: found for tex in formulas if (found := _keys(tex))}
        self.templates = Templates().fit(())

    def level(self, concept: FormulaConcept) -> str:
        """Return the strictest level at which any spelling equals a formula; "" where none does."""
        if not self.formulas:
            return ""
        spellings = [concept.tex, *[r.tex for r in concept.representations if r.level > "K2"]]
        return min(filter(None, map(self._level, dict.fromkeys(spellings))), default="")

    def _level(self, tex: str) -> str:
        mine = _keys(tex)
        if mine is None:
            return ""
        for level in _STRICT:
            if any(mine.at(level) == yours.at(level) for yours in self.keys.values()):
                return level
        near = self._near(tex)
        long = mine.leaves >= _RENAMED_LEAVES
        renamed = long and any(other in self.keys and mine.K5 == self.keys[other].K5 for other in near)
        if renamed or any(self._states(tex, other) for other in near):
            return "K5"
        found = [c.level for c in (compare(tex, other) for other in near) if c.level and c.same_concept]
        return min(found, default="")

    def near(self, tex: str) -> bool:
        """Tell whether a formula has letters enough of one of the concept's."""
        return bool(self._near(tex))

    def _near(self, tex: str) -> list[str]:
        mine = set(identifiers(tex))
        pairs = zip(self.formulas, self.letters, strict=True)
        return [other for other, yours in pairs if yours and len(mine & yours) >= _LETTERS * len(mine | yours)]

    def _states(self, tex: str, other: str) -> bool:
        found = nearest(tex, other, self.knowledge)
        if found is None or found[0].turned or found[0].constants or found[0].labels:
            return False
        weights = shipped()
        return weights.probability(evidence(*found, self.templates, 0.0, 0.0)) >= weights.threshold


def _keys(tex: str) -> Keys | None:
    try:
        return keys(tex)
    except FormulaError:
        return None


def _documents(workspace: Workspace, ids: set[str]) -> dict[str, dict[str, Any]]:
    table = store.documents
    rows = workspace.rows(sa.select(table.c.id, table.c.title, table.c.url).where(table.c.id.in_(sorted(ids))))
    return {row["id"]: row for row in rows}


def _row(
    concept: FormulaConcept,
    level: str,
    score: float,
    told: dict[tuple[str, int], Occurrence],
    about: dict[str, dict[str, Any]],
) -> dict[str, Any]:
    place = told.get(concept.places[0]) if concept.places else None
    document = place.document if place else ""
    return {
        "tex": concept.tex,
        "key": concept.key,
        "level": level,
        "score": score,
        "sentence": place.window if place else "",
        "document": document,
        "title": about.get(document, {}).get("title", ""),
        "url": about.get(document, {}).get("url", ""),
    }


def all_occurrences(workspace: Workspace) -> Iterator[dict[str, Any]]:
    """Yield every occurrence as a plain row, by document and position."""
    shards = [row["part"] for row in workspace.rows(sa.select(store.sources.c.part)) if row["part"]]
    owners = {row["id"]: row["path"] for row in workspace.rows(sa.select(store.documents.c.id, store.documents.c.path))}
    with engine(workspace.occurrences, shards) as db:
        cursor = db.execute("SELECT * FROM occurrences ORDER BY document, position, path")
        columns = [column[0] for column in cursor.description]
        while batch := cursor.fetchmany(2000):
            for values in batch:
                row = dict(zip(columns, values, strict=True))
                if owners.get(row["document"]) == row["path"]:  # the same document read from two files counts once
                    yield as_json(occurrence(row))
