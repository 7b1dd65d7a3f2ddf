"""Rows of an items file into entities: labels, aliases, formulas, classes, and the properties that these need."""

from __future__ import annotations

import hashlib
import json
import uuid
from collections.abc import Iterable, Iterator, Mapping
from typing import TypedDict

from bot.sandbox import entity_json, hashes
from bot.sandbox.database import TermRow
from bot.sandbox.entity_json import DataValue, EntityJson, Raw, SnakJson, StatementJson
from bot.sandbox.namespaces import Namespaces
from bot.sandbox.package_data import read
from bot.sandbox.repository import Repository, terms
from bot.sandbox.snaks import data_value
from bot.settings import Properties
from bot.wikibase import is_entity_id

_FILLED_BY = ("Admin", 1)
_COMMENT = "/* wbeditentity-create-item:0| */"


class _KnownProperties(TypedDict):
    named: dict[str, tuple[str, str]]  # field of the settings -> label, datatype
    besides: dict[str, tuple[str, str]]  # id -> label, datatype of what formulas and references need, too


_PROPERTIES: _KnownProperties = json.loads(read("properties.json"))


def fill(repository: Repository, rows: Iterable[Raw], ids: Properties) -> int:
    """Add the rows' items in one transaction; an item that is there already stays as it is. Return the items' number."""
    db = repository.db
    with db.writing():
        there = {row["entity"] for row in db.rows("SELECT entity FROM pages WHERE entity <> ''")}
        _write(repository, [one for one in properties(ids) if one["id"] not in there])
        made: dict[str, EntityJson] = {}
        redirects: dict[str, str] = {}
        classes: dict[str, None] = {}
        for row in _joined(rows):
            qid = str(row["qid"]).upper()
            classes.update(dict.fromkeys(str(q).upper() for q in row.get("instance_of") or ()))
            if row.get("redirect"):
                redirects[qid] = str(row["redirect"]).upper()
            elif qid not in there:
                made[qid] = item(row, ids)
        for qid in [*classes, *redirects.values()]:
            if is_entity_id(qid) and qid not in there and qid not in made and qid not in redirects:
                made[qid] = entity_json.blank(qid)
        _write(repository, made.values(), redirects)
        return db.number("SELECT count(*) FROM pages WHERE entity LIKE 'Q%' AND redirect = ''")


def item(row: Raw, ids: Properties) -> EntityJson:
    """Return the entity that one row describes; formulas are taken as they come, valid or not, as old wikis hold them."""
    qid, language = str(row["qid"]).upper(), str(row.get("language") or "en")
    out = entity_json.blank(qid)
    for part in entity_json.TERM_PARTS:
        text = row.get(part.removesuffix("s"))
        if text:
            out[part] = {language: {"language": language, "value": str(text)}}
    names = dict.fromkeys(str(name) for name in row.get("aliases") or () if name)
    if names:
        out["aliases"] = {language: [{"language": language, "value": name} for name in names]}
    links = (row.get("sitelinks") or {}).items()
    out["sitelinks"] = {site: {"site": site, "title": title, "badges": []} for site, title in links}
    for class_id in row.get("instance_of") or ():
        _add(out, ids.instance_of, "wikibase-item", data_value("wikibase-entityid", {"id": class_id}))
    for tex in row.get("formulas") or ():
        _add(out, ids.defining_formula, "math", {"value": str(tex), "type": "string"})
    return out


def _joined(rows: Iterable[Raw]) -> Iterator[Raw]:
    """Yield one row for each item: what further rows of the same item say is added to its first."""
    first: dict[str, dict[str, object]] = {}
    for row in rows:
        known = first.setdefault(row["qid"], {**row})
        for key, value in row.items():
            here = known.get(key)
            if isinstance(value, list) and isinstance(here, list):
                known[key] = list(dict.fromkeys([*here, *value]))
            elif not here:
                known[key] = value
    yield from first.values()


def properties(ids: Properties) -> list[EntityJson]:
    """Return the properties that every rehearsal wiki has."""
    named = {getattr(ids, name): described for name, described in _PROPERTIES["named"].items()}
    out: list[EntityJson] = []
    for name, (label, datatype) in {**_PROPERTIES["besides"], **named}.items():
        if name:
            out.append({**entity_json.blank(name, datatype), "labels": {"en": {"language": "en", "value": label}}})
    return out


def _add(entity: EntityJson, prop: str, datatype: str, value: DataValue) -> None:
    """Add a statement; its identifier follows from its content, so that a wiki filled twice is the same."""
    snak: SnakJson = {"snaktype": "value", "property": prop, "datavalue": value}
    main: SnakJson = {**snak, "hash": hashes.snak_hash(snak), "datatype": datatype}
    group = entity["claims"].setdefault(prop, [])
    guid = uuid.uuid5(uuid.NAMESPACE_URL, f"{entity['id']} {prop} {len(group)} {main['hash']}")
    done: StatementJson = {
        "mainsnak": main,
        "type": "statement",
        "id": f"{entity['id']}${str(guid).upper()}",
        "rank": "normal",
    }
    group.append(done)


def _write(repository: Repository, made: Iterable[EntityJson], redirects: Mapping[str, str] | None = None) -> None:
    """Write many first revisions at once; one insert for each table instead of one edit for each entity."""
    db, pages, revisions, found = repository.db, [], [], []
    page, revision, time = db.reserved("page") - 1, db.reserved("revision") - 1, db.now()
    for title, name, text, target, indexed in _texts(made, redirects or {}, db.namespaces):
        page, revision = page + 1, revision + 1
        digest = hashlib.sha1(text.encode(), usedforsecurity=False).hexdigest()
        pages.append((page, db.namespaces.number(title), title, name, revision, target))
        revisions.append((revision, page, 0, *_FILLED_BY, time, _COMMENT, 0, text, digest, ""))
        found += [(name, *term, term[3].casefold()) for term in indexed]
    db.execute_many("INSERT INTO pages VALUES(?,?,?,?,?,?)", pages)
    db.execute_many("INSERT INTO revisions VALUES(?,?,?,?,?,?,?,?,?,?,?)", revisions)
    db.execute_many("INSERT INTO terms VALUES(?,?,?,?,?,?)", found)
    db.set_meta("last page", str(page))
    db.set_meta("last revision", str(revision))


def _texts(
    made: Iterable[EntityJson], redirects: Mapping[str, str], namespaces: Namespaces
) -> Iterator[tuple[str, str, str, str, list[TermRow]]]:
    for entity in made:
        text = json.dumps(entity, ensure_ascii=False, separators=(",", ":"))
        yield namespaces.title(entity["id"]), entity["id"], text, "", terms(entity)
    for source, target in redirects.items():
        yield namespaces.title(source), source, json.dumps({"entity": source, "redirect": target}), target, []
