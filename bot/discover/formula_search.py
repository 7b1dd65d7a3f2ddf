"""Search by formula: the formulas of the corpus that are this one, state the same, or hold it as a side or a term."""

import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TypedDict, cast

import sqlalchemy as sa

from bot import store
from bot.discover.candidate_filters import keys_of
from bot.discover.stored_occurrences import OWN, ShownPlace, connect_to_shards, fetch, shown_places
from bot.errors import FormulaError, InputError
from bot.formula import Keys, clean, compare, identifiers, keys, unreadable
from bot.formula.features.sides import ENVIRONMENTS, chain_equalities, relations, sides
from bot.store import Row, Workspace

RELATIONS = ("identical", "typographic", "notation", "renamed", "rearranged", "contains")  # the nearest first
_LEVELS = ("K1", "K2", "K3", "K4", "K5")
_SAME = "K3"  # the key at which a side or a term is the formula
_MIN_LEAVES = 3  # what has fewer stands in every formula
# Bounds for time: formulas compared for each reason, and the share of common tokens from which two may be variants.
_KEYED, _ALIKE, _HOLDING, _LIKENESS = 60, 30, 60, 0.4
_TOKEN = re.compile(r"\\(?:[A-Za-z]+|.)|[A-Za-z0-9]|[^\sA-Za-z0-9{}]")
_STYLES = frozenset(rf"\{name}" for name in "left right big Big displaystyle textstyle quad qquad mathrm mathbf mathit boldsymbol vec , ; ! :".split())  # fmt: skip
_FORMULA = re.compile(r"[=\\^_{}<>≈≤≥∝]")
# The place of a spelling is its first as it was asked for, or else its first.
_FIRST = "(replace(o.tex, ' ', '') <> $asked, o.document, o.position)"
_DISTINCT = f"""
SELECT o.K1, arg_min(o.tex, {_FIRST}) AS tex, arg_min(o.document, {_FIRST}) AS document,
    arg_min(o.position, {_FIRST}) AS position, min(o.K2) AS K2, min(o.K3) AS K3, min(o.K4) AS K4, min(o.K5) AS K5, min(o.leaves) AS leaves,
    count(*) AS occurrences, count(DISTINCT o.document) AS documents
{OWN} WHERE o.leaves >= {_MIN_LEAVES} GROUP BY o.K1
"""


class FormulaHit(TypedDict):
    """A formula of the corpus that is related to the one asked for, at its first place."""

    relation: str  # one of RELATIONS
    level: str  # the strictest key that both share, "" for none
    tex: str
    concept: str  # key, "" where it is of none
    name: str  # of the concept
    occurrences: int
    documents: int
    document: str
    position: int
    title: str
    section: str
    sentence: str
    url: str


def is_formula(text: str) -> bool:
    """Tell a formula from a name: it holds a backslash, a brace, a script or a relation sign."""
    return bool(_FORMULA.search(text))


def find_formula(workspace: Workspace, query: str, top: int = 20) -> list[FormulaHit]:
    """Return up to `top` formulas related to the one asked for, those of one concept together, the nearest concept first.

    Each spelling (key K1) once. Raises InputError for a formula that cannot be read.
    """
    tex = clean(query)
    try:
        own = keys(tex)
    except FormulaError as error:
        raise InputError("unreadable_formula", why=str(error), where=query, todo="tex") from None
    if why := unreadable(tex):
        raise InputError("unreadable_formula", why=why, where=query, todo="tex")
    if own.leaves < _MIN_LEAVES:
        raise InputError("short_formula", where=query, todo="two_sides")
    with connect_to_shards(workspace) as db:
        rows = [cast(Row, row) for row in fetch(db, _DISTINCT, {"asked": "".join(tex.split())})]
    found = []
    for row in _candidates(tex, own, rows):
        if related := _relation(tex, own, row):
            found.append((RELATIONS.index(related[0]), related[1] or "K9", -row["documents"], row["tex"], related, row))
    found.sort(key=lambda each: each[:4])
    return list(_hits(workspace, [(related, row) for *_, related, row in found], top))


def _candidates(tex: str, own: Keys, rows: Sequence[Row]) -> list[Row]:
    """Return the rows worth a comparison: with an equal key, with the formula inside, and with most tokens in common."""
    bags = [_tokens(row["tex"]) for row in rows]
    frequency = Counter(token for bag in bags for token in set(bag))
    idf = {token: math.log(1 + len(rows) / n) for token, n in frequency.items()}
    bag_of_query = _tokens(tex)
    total = sum(n * idf.get(token, 10.0) for token, n in bag_of_query.items())
    keyed: list[tuple[float, Row]] = []
    holding: list[tuple[float, Row]] = []
    similar: list[tuple[float, Row]] = []
    for row, bag in zip(rows, bags, strict=True):
        both = sum(n * idf[token] for token, n in (bag_of_query & bag).items())
        if any(row[level] == own.at(level) for level in _LEVELS):
            keyed.append((-both, row))
        elif both:
            if bag_of_query <= bag:
                holding.append((row["leaves"], row))
            likeness = both / (total + sum(n * idf[token] for token, n in bag.items()) - both)
            if likeness >= _LIKENESS:
                similar.append((-likeness, row))
    chosen: dict[str, Row] = {}
    for ranked, most in ((keyed, _KEYED), (holding, _HOLDING), (similar, _ALIKE)):
        for _, row in sorted(ranked, key=lambda one: (one[0], one[1]["leaves"], one[1]["tex"]))[:most]:
            chosen.setdefault(row["K1"], row)
    return list(chosen.values())


def _tokens(tex: str) -> Counter[str]:
    return Counter(token for token in _TOKEN.findall(tex) if token not in _STYLES)


def _relation(tex: str, own: Keys, row: Row) -> tuple[str, str] | None:
    """Return how a formula of the corpus is related, with the level; None for what is another one."""
    found = compare(tex, row["tex"])
    if found.same_concept:
        return None if found.loose else (found.relation, found.level)
    if found.level == "K5" and _only_capitals(tex, row["tex"]):
        return "renamed", found.level
    if _contains(row["tex"], own):
        return "contains", ""
    return None


def _only_capitals(tex: str, other: str) -> bool:
    """Tell whether the letters are the same but for capitals: PV = nRT and pV = nRT, short as they are."""
    left, right = (sorted(letter.casefold() for letter in identifiers(each)) for each in (tex, other))
    return left == right


def _contains(tex: str, own: Keys) -> bool:
    """Tell whether the formula asked for is a side, a term, or an equality of a chain."""
    parts = sides(clean(tex))
    pieces = (*chain_equalities(tex), *parts, *(term for side in parts for term in _terms(side))) if own.leaves else ()
    return any(found.at(_SAME) == own.at(_SAME) for piece in dict.fromkeys(pieces) if (found := keys_of(piece)))


def _terms(side: str) -> Iterator[str]:
    """Yield what stands between plus and minus signs outside all brackets."""
    start = 0
    for depth, sign in relations(side, r"[+\-−]|\\[mp][mp](?![A-Za-z])", ENVIRONMENTS):
        if depth <= 0:
            yield side[start : sign.start()]
            start = sign.end()
    if start:
        yield side[start:]


def _hits(workspace: Workspace, found: Sequence[tuple[tuple[str, str], Row]], top: int) -> Iterator[FormulaHit]:
    concepts = _concepts(workspace) if found else {}
    groups: dict[str, list[tuple[tuple[str, str], Row, Row]]] = {}
    for related, row in found:
        concept = concepts.get("".join(clean(row["tex"]).split())) or concepts.get(row["K2"]) or {}
        groups.setdefault(concept.get("key") or row["K2"], []).append((related, row, concept))
    hits = [each for group in groups.values() for each in group][:top]
    shown = shown_places(workspace, [(row["document"], row["position"]) for _, row, _ in hits])
    for (relation, level), row, concept in hits:
        place = shown.get((row["document"], row["position"]), ShownPlace())
        yield FormulaHit(
            relation=relation,
            level=level,
            tex=row["tex"],
            concept=concept.get("key", ""),
            name=concept["names"][0]["name"] if concept.get("names") else "",
            occurrences=row["occurrences"],
            documents=row["documents"],
            document=row["document"],
            position=row["position"],
            title=place.title,
            section=place.section,
            sentence=place.sentence,
            url=place.url,
        )


def _concepts(workspace: Workspace) -> dict[str, Row]:
    """Return concepts by their key and by each of their spellings without blanks."""
    table = store.concepts
    query = sa.select(table.c.key, table.c.names, table.c.representations)
    found: dict[str, Row] = {}
    for row in workspace.rows(query):
        found |= {"".join(each["tex"].split()): row for each in row["representations"] or ()}
        found[row["key"]] = row
    return found
