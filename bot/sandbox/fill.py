"""Rows of an items file into entities: labels, aliases, formulas, classes, and the properties that these need."""

from __future__ import annotations

import hashlib
import json
import uuid
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from bot.sandbox import entity_json, hashes
from bot.sandbox.namespaces import Namespaces
from bot.sandbox.repository import Repository, terms
from bot.settings import Properties

Json = dict[str, Any]
# Properties that formulas and references need beside those of the settings.
_BESIDES = {
    "P143": ("imported from Wikimedia project", "wikibase-item"),
    "P304": ("page(s)", "string"),
    "P407": ("language of work or name", "wikibase-item"),
    "P416": ("quantity symbol (string)", "string"),
    "P577": ("publication date", "time"),
    "P1476": ("title", "monolingualtext"),
    "P1810": ("subject named as", "string"),
    "P4020": ("ISQ dimension", "math"),
    "P4934": ("calculated from", "wikibase-item"),
    "P7937": ("course", "quantity"),
    "P7973": ("quantity symbol (LaTeX)", "math"),
}
# Field of the settings -> (label, datatype).
_NAMED = {
    "defining_formula": ("defining formula", "math"),
    "instance_of": ("instance of", "wikibase-item"),
    "subclass_of": ("subclass of", "wikibase-item"),
    "part_of": ("part of", "wikibase-item"),
    "has_part": ("has part(s)", "wikibase-item"),
    "in_defining_formula": ("in defining formula", "math"),
    "symbol_represents": ("symbol represents", "wikibase-item"),
    "stated_in": ("stated in", "wikibase-item"),
    "reference_url": ("reference URL", "url"),
    "retrieved": ("retrieved", "time"),
    "heuristic": ("based on heuristic", "wikibase-item"),
    "doi": ("DOI", "external-id"),
    "arxiv": ("arXiv ID", "external-id"),
    "property_constraint": ("property constraint", "wikibase-item"),
    "constraint_regex": ("format as a regular expression", "string"),
    "constraint_class": ("class", "wikibase-item"),
}
FILLER = {"name": "Admin", "id": 1}


def fill(repository: Repository, rows: Iterable[Mapping[str, Any]], ids: Properties) -> int:
    """Add the rows' items in one transaction; an item that is there already stays as it is. Return the items' number."""
    db = repository.db
    with db.writing():
        standing = {row["entity"] for row in db.rows("SELECT entity FROM pages WHERE entity <> ''")}
        _write(repository, [one for one in properties(ids) if one["id"] not in standing])
        made: dict[str, Json] = {}
        redirects: dict[str, str] = {}
        classes: dict[str, None] = {}
        for row in _joined(rows):
            qid = str(row["qid"]).upper()
            classes.update(dict.fromkeys(str(q).upper() for q in row.get("instance_of") or ()))
            if row.get("redirect"):
                redirects[qid] = str(row["redirect"]).upper()
            elif qid not in standing:
                made[qid] = item(row, ids)
        for qid in [*classes, *redirects.values()]:
            if entity_json.is_id(qid) and qid not in standing and qid not in made and qid not in redirects:
                made[qid] = entity_json.blank(qid)
        _write(repository, made.values(), redirects)
        return db.number("SELECT count(*) FROM pages WHERE entity LIKE 'Q%' AND redirect = ''")


def item(row: Mapping[str, Any], ids: Properties) -> Json:
    """Return the entity that one row describes; formulas are taken as they come, valid or not, as old wikis hold them."""
    qid, language = str(row["qid"]).upper(), str(row.get("language") or "en")
    out = entity_json.blank(qid)
    if row.get("label"):
        out["labels"] = {language: {"language": language, "value": str(row["label"])}}
    if row.get("description"):
        out["descriptions"] = {language: {"language": language, "value": str(row["description"])}}
    names = list(dict.fromkeys(str(name) for name in row.get("aliases") or () if name))
    if names:
        out["aliases"] = {language: [{"language": language, "value": name} for name in names]}
    links = (row.get("sitelinks") or {}).items()
    out["sitelinks"] = {site: {"site": site, "title": title, "badges": []} for site, title in links}
    groups: dict[str, list[Json]] = {}
    for qid_of_class in row.get("instance_of") or ():
        value = {"entity-type": "item", "numeric-id": int(str(qid_of_class)[1:]), "id": str(qid_of_class).upper()}
        _add(groups, qid, (ids.instance_of, "wikibase-item"), "wikibase-entityid", value)
    for tex in row.get("formulas") or ():
        _add(groups, qid, (ids.defining_formula, "math"), "string", str(tex))
    return {**out, "claims": groups}


def _joined(rows: Iterable[Mapping[str, Any]]) -> Iterator[Json]:
    """Yield one row for each item: what further rows of the same item say is added to its first."""
    first: dict[str, Json] = {}
    for row in rows:
        known = first.setdefault(row["qid"], dict(row))
        for key, value in row.items():
            here = known.get(key)
            if isinstance(value, list) and isinstance(here, list):
                known[key] = list(dict.fromkeys([*here, *value]))
            elif not here:
                known[key] = value
    yield from first.values()


def properties(ids: Properties) -> list[Json]:
    """Return the properties that every rehearsal wiki has."""
    known = {getattr(ids, name): described for name, described in _NAMED.items() if getattr(ids, name)}
    out = []
    for name, (label, datatype) in {**_BESIDES, **known}.items():
        entity = entity_json.blank(name, datatype)
        out.append({**entity, "labels": {"en": {"language": "en", "value": label}}})
    return out


def _add(groups: dict[str, list[Json]], qid: str, prop: tuple[str, str], kind: str, value: Any) -> None:
    """Add a statement; its identifier follows from its content, so that a wiki filled twice is the same."""
    name, datatype = prop
    snak: Json = {"snaktype": "value", "property": name, "datavalue": {"value": value, "type": kind}}
    done = {**snak, "hash": hashes.snak_hash(snak), "datatype": datatype}
    group = groups.setdefault(name, [])
    guid = uuid.uuid5(uuid.NAMESPACE_URL, f"{qid} {name} {len(group)} {done['hash']}")
    group.append({"mainsnak": done, "type": "statement", "id": f"{qid}${str(guid).upper()}", "rank": "normal"})


def _write(repository: Repository, made: Iterable[Json], redirects: Mapping[str, str] | None = None) -> None:
    """Write many first revisions at once; one insert for each table instead of one edit for each entity."""
    db, pages, revisions, found = repository.db, [], [], []
    page, revision, time = db.reserved("page") - 1, db.reserved("revision") - 1, db.now()
    for title, name, text, target, indexed in _texts(made, redirects or {}, db.namespaces):
        page, revision = page + 1, revision + 1
        digest = hashlib.sha1(text.encode(), usedforsecurity=False).hexdigest()
        pages.append((page, db.namespaces.number(title), title, name, revision, target))
        revisions.append((revision, page, 0, FILLER["name"], FILLER["id"], time, _COMMENT, 0, text, digest, ""))
        found += [(name, *term, term[3].casefold()) for term in indexed]
    db.execute_many("INSERT INTO pages VALUES(?,?,?,?,?,?)", pages)
    db.execute_many("INSERT INTO revisions VALUES(?,?,?,?,?,?,?,?,?,?,?)", revisions)
    db.execute_many("INSERT INTO terms VALUES(?,?,?,?,?,?)", found)
    db.set_meta("last page", str(page))
    db.set_meta("last revision", str(revision))


_COMMENT = "/* wbeditentity-create-item:0| */"


def _texts(
    made: Iterable[Json], redirects: Mapping[str, str], namespaces: Namespaces
) -> Iterator[tuple[str, str, str, str, list[tuple[str, str, int, str]]]]:
    for entity in made:
        text = json.dumps(entity, ensure_ascii=False, separators=(",", ":"))
        yield namespaces.title(entity["id"]), entity["id"], text, "", terms(entity)
    for source, target in redirects.items():
        yield namespaces.title(source), source, json.dumps({"entity": source, "redirect": target}), target, []
