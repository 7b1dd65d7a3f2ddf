"""Groups to formula concepts: the representation to show, the others with their level, the places to quote."""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence

import sqlalchemy as sa

from bot import store
from bot.discover.candidate_filters import keys_of
from bot.discover.group import Group, meanings, telling_places
from bot.discover.label_automaton import Labels
from bot.discover.name_ranking import CorpusUsage
from bot.discover.names import NameMention, candidates
from bot.formula import check, parse
from bot.records import Document, FormulaConcept, Representation, as_json, digest
from bot.store import Workspace, now, record_of

_REPRESENTATIONS = 300
_LOADED = 500  # rows read at once; SQLite's older limit of a statement is 999 values
_SPACING = re.compile(r"\\[,;:! ]|\\(?:quad|qquad|displaystyle|textstyle)(?![a-zA-Z])|[.,;:]\s*$")


def concept(
    group: Group,
    members: list[Group],
    most: int,
    titles: Mapping[str, str],
    labels: Labels,
    propagated: Sequence[NameMention] = (),
    spread: Mapping[str, int] = {},
    usage: CorpusUsage | None = None,
) -> FormulaConcept:
    """Return the concept of a group and the groups joined with it; its key is the group's.

    `propagated` are the mentions of its equivalents, `spread` how far names are spread in the corpus, `usage` what the corpus calls
    symbols (see `candidates`).
    """
    tex = _shown(group)
    everyone = [group, *members]
    documents = set().union(*(g.documents for g in everyone))
    mentions = [*mentions_of(group, members), *propagated]
    names = candidates(mentions, most=most, titles=titles, known=labels.known, spread=spread, formula=tex, usage=usage)
    return FormulaConcept(
        key=group.key,
        tex=tex,
        occurrences=sum(g.d for g in everyone),
        documents=len(documents) + sum(g.more_documents for g in everyone),
        representations=_representations(tex, everyone),
        names=names,
        places=telling_places(everyone),
        definitions=meanings(group, tex),
    )


def mentions_of(group: Group, members: Sequence[Group]) -> list[NameMention]:
    """Return all mentions of names at a group and those joined with it."""
    own = [mention for g in (group, *members) for mention in g.mentions]
    return own if members else [*own, *group.propagated]


def _shown(group: Group) -> str:
    """The valid spelling that structure names, else the most frequent, else the plainest; mended where that makes it valid."""

    def rank(tex: str) -> tuple[bool, int, int, int, int, str]:
        noise = len(_SPACING.findall(tex))
        return (not _valid(tex), -min(group.structural[tex], 3), -group.spellings[tex], noise, len(tex), tex)

    best = min(group.spellings, key=rank)
    return _valid(best) or best


def _valid(tex: str) -> str:
    """Return the spelling a Wikibase accepts, mended where needed, or an empty string."""
    verdict = check(tex)
    return tex if verdict.valid else verdict.mended


def _representations(shown: str, everyone: list[Group]) -> tuple[Representation, ...]:
    strict = {tex: key for group in everyone for tex, key in group.strict.items()}
    own = strict.get(shown) or getattr(keys_of(shown), "K1", "")  # mended, it may not have been met
    found = [
        Representation(
            tex, group.levels.get(tex) or _level(shown, tex, own == strict[tex]), count, len(group.spread[tex])
        )
        for group in everyone
        for tex, count in group.spellings.items()
    ]
    found.sort(key=lambda r: (r.level, -r.documents, -r.occurrences, r.tex))
    return tuple(found[:_REPRESENTATIONS])


def _level(shown: str, other: str, same: bool) -> str:
    """Return the level of two formulas of one group that are the `same` by K1 or not; tokens, and so K0, are compared here."""
    if not same:
        return "K2"
    return "K0" if shown == other or parse(shown).tokens == parse(other).tokens else "K1"


def save(
    workspace: Workspace, concepts: Iterable[FormulaConcept], firsts: Mapping[str, Mapping[str, tuple[str, int]]]
) -> None:
    """Replace the concepts of the workspace; add what is new to the Formula Concept Database, which only grows.

    `firsts` gives for each concept the first place of each of its representations, once it has come. The database is open for
    writing only when all have come; until then their rows are packed.
    """
    packed: list[tuple[int, int, str, bytes]] = []
    found: list[dict[str, str | int]] = []
    known = {row["id"] for row in workspace.rows(sa.select(store.representations.c.id))}
    for c in concepts:
        packed.append((-c.documents, -c.occurrences, c.key, zlib.compress(json.dumps(as_json(c)).encode(), 1)))
        rows = (_kept(c, r, firsts.get(c.key, {}).get(r.tex, ("", 0))) for r in c.representations)
        found += [row for row in rows if row["id"] not in known]
    packed.sort()
    with workspace.engine.begin() as db:
        db.execute(store.concepts.delete())
        for start in range(0, len(packed), _LOADED):
            block = [json.loads(zlib.decompress(row)) for *_, row in packed[start : start + _LOADED]]
            db.execute(store.concepts.insert(), block)
        for start in range(0, len(found), _LOADED):
            db.execute(store.representations.insert(), found[start : start + _LOADED])


def _kept(c: FormulaConcept, r: Representation, place: tuple[str, int]) -> dict[str, str | int]:
    return {
        "id": digest(c.key, r.tex, "corpus"), "concept": c.key, "qid": "", "tex": r.tex, "level": r.level,
        "document": place[0], "position": place[1], "reviewer": "", "added": now(),
    }  # fmt: skip


def load_documents(workspace: Workspace) -> dict[str, Document]:
    """Return the workspace's documents by id."""
    rows = workspace.rows(sa.select(store.documents))
    return {row["id"]: record_of(Document, row, f"documents {row['id']}") for row in rows}


def load_concepts(workspace: Workspace, keys: Sequence[str] | None = None) -> Iterator[FormulaConcept]:
    """Yield the concepts of the workspace, those in most documents first; with `keys` these, in their order."""
    table = store.concepts
    if keys is None:
        order = sa.select(table.c.key).order_by(table.c.documents.desc(), table.c.occurrences.desc(), table.c.key)
        keys = [row["key"] for row in workspace.rows(order)]
    for start in range(0, len(keys), _LOADED):
        block = keys[start : start + _LOADED]
        rows = {row["key"]: row for row in workspace.rows(sa.select(table).where(table.c.key.in_(block)))}
        for key in block:
            yield record_of(FormulaConcept, rows[key], f"concepts {key}")
