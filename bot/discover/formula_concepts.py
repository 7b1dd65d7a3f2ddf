"""Groups to formula concepts: the representation to show, the others with their level, the places to quote."""

import json
import re
import zlib
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple, Self

import sqlalchemy as sa

from bot import store
from bot.discover.candidate_filters import keys_of
from bot.discover.group import Group, counts_of, places_to_show, symbol_meanings
from bot.discover.label_automaton import Labels
from bot.discover.name_ranking import CorpusUsage, NameMention
from bot.discover.names import name_candidates
from bot.formula import check, parse
from bot.records import FormulaConcept, NameCandidate, Representation, as_json, digest
from bot.result_cache import cache_key
from bot.sequences import batched
from bot.store import Workspace, now
from bot.wikibase import Json

_REPRESENTATIONS = 300
_STORED = "concepts stored"  # of the workspace's notes: a digest of each row
_LOADED = 500  # rows read at once; SQLite's older limit of a statement is 999 values
_SPACING = re.compile(r"\\[,;:! ]|\\(?:quad|qquad|displaystyle|textstyle)(?![a-zA-Z])|[.,;:]\s*$")


def make_concept(
    group: Group,
    members: list[Group],
    most: int,
    titles: Mapping[str, str],
    labels: Labels,
    propagated: Sequence[NameMention] = (),
    usage: CorpusUsage | None = None,
) -> FormulaConcept:
    """Return the concept of a group and the groups joined with it; its key is the group's.

    `propagated` are the mentions of its equivalents, `usage` what the corpus calls symbols (see `name_candidates`).
    """
    tex = _representative_spelling(group)
    everyone = [group, *members]
    occurrences, documents = counts_of(everyone)
    mentions = [*mentions_of(group, members), *propagated]
    names = name_candidates(mentions, most=most, titles=titles, qids_by_label=labels.known, formula=tex, usage=usage)
    return FormulaConcept(
        key=group.key,
        tex=tex,
        occurrences=occurrences,
        documents=documents,
        representations=_representations(tex, everyone),
        names=names,
        places=places_to_show(everyone),
        definitions=symbol_meanings(group, tex),
    )


def mentions_of(group: Group, members: Sequence[Group]) -> list[NameMention]:
    """Return all mentions of names at a group and those joined with it."""
    own = [mention for g in (group, *members) for mention in g.mentions]
    return own if members else [*own, *group.propagated]


def _representative_spelling(group: Group) -> str:
    """The valid spelling that structure names, else the most frequent, else the plainest; mended where that makes it valid."""

    def rank(tex: str) -> tuple[bool, int, int, int, int, str]:
        noise = len(_SPACING.findall(tex))
        return (not _valid(tex), -min(group.structural_counts[tex], 3), -group.spellings[tex], noise, len(tex), tex)

    best = min(group.spellings, key=rank)
    return _valid(best) or best


def _valid(tex: str) -> str:
    """Return the spelling a Wikibase accepts, mended where needed, or an empty string."""
    verdict = check(tex)
    return tex if verdict.valid else verdict.mended


def _representations(main_tex: str, everyone: list[Group]) -> tuple[Representation, ...]:
    strict = {tex: key for group in everyone for tex, key in group.strict_keys.items()}
    own = strict.get(main_tex) or getattr(keys_of(main_tex), "K1", "")  # mended, it may not have been met
    found = [
        Representation(
            tex,
            group.levels.get(tex) or _level(main_tex, tex, own == strict[tex]),
            count,
            len(group.spelling_documents[tex]),
        )
        for group in everyone
        for tex, count in group.spellings.items()
    ]
    found.sort(key=lambda r: (r.level, -r.documents, -r.occurrences, r.tex))
    return tuple(found[:_REPRESENTATIONS])


def _level(main_tex: str, other: str, same: bool) -> str:
    """Return the level of two formulas of one group that are the `same` by K1 or not; tokens, and so K0, are compared here."""
    if not same:
        return "K2"
    return "K0" if main_tex == other or parse(main_tex).tokens == parse(other).tokens else "K1"


class ConceptRow(NamedTuple):
    """A concept as it is stored, packed without its counts, with what its rank needs."""

    key: str
    tex: str
    occurrences: int
    documents: int
    name: str  # the best one, "" without any
    score: float  # of that name
    packed: bytes

    @classmethod
    def of(cls, c: FormulaConcept, first: Mapping[str, tuple[str, int]] = {}) -> Self:
        """`first` gives the first place of each representation."""
        best = c.names[0] if c.names else NameCandidate("", 0.0)
        representations = [[r.tex, r.level, *first.get(r.tex, ("", 0))] for r in c.representations]
        packed = zlib.compress(
            json.dumps([as_json(c) | {"occurrences": 0, "documents": 0}, representations]).encode(), 1
        )
        return cls(c.key, c.tex, c.occurrences, c.documents, best.name, best.score, packed)

    def unpacked(self) -> tuple[Json, list[tuple[str, str, str, int]]]:
        """Return the concept as JSON has it, and TeX, level, document and position of the first place of each representation."""
        concept, first = json.loads(zlib.decompress(self.packed))
        return concept | {"occurrences": self.occurrences, "documents": self.documents}, first


def save_concepts(workspace: Workspace, rows: Iterable[ConceptRow]) -> None:
    """Bring the concepts of the workspace up to date; add what is new to the Formula Concept Database, which only grows.

    Only rows that are not as they were are written.
    """
    last: dict[str, str] | None = workspace.get(_STORED)
    stored: dict[str, str] = {}
    with workspace.engine.begin() as db:
        if last is None:
            db.execute(store.concepts.delete())
            last = {}
        for block in batched(rows, _LOADED):
            new = []
            for row in block:
                stored[row.key] = cache_key(row.packed, row.occurrences, row.documents).hex()
                if last.pop(row.key, None) != stored[row.key]:
                    new.append(row)
            _replace(db, new)
        store.delete_rows(db, store.concepts.c.key, list(last))
        store.put(db, _STORED, stored)


def _replace(db: sa.Connection, rows: Sequence[ConceptRow]) -> None:
    if not rows:
        return
    store.delete_rows(db, store.concepts.c.key, [row.key for row in rows])
    concepts: list[Json] = []
    found: dict[str, dict[str, str | int]] = {}
    for row in rows:
        concept, representations = row.unpacked()
        concepts.append(concept)
        found |= {str(one["id"]): one for one in (_fcdb_row(row.key, *each) for each in representations)}
    db.execute(store.concepts.insert(), concepts)
    table = store.representations
    for (id_,) in store.rows_with(db, sa.select(table.c.id), table.c.id, list(found)):
        del found[id_]
    if found:
        db.execute(table.insert(), list(found.values()))


def _fcdb_row(concept: str, tex: str, level: str, document: str, position: int) -> dict[str, str | int]:
    return {
        "id": digest(concept, tex, "corpus"), "concept": concept, "qid": "", "tex": tex, "level": level,
        "document": document, "position": position, "reviewer": "", "added": now(),
    }  # fmt: skip
