"""Entity JSON: blank entities, looking into them, and small changes that leave the given entity alone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from bot.wikibase import is_entity_id

Json = dict[str, Any]


def is_id(text: object) -> bool:
    return isinstance(text, str) and is_entity_id(text)


def blank(entity: str, datatype: str = "") -> Json:
    """Return an entity with nothing in it."""
    if entity.startswith("P"):
        kind: Json = {"type": "property", "datatype": datatype}
        return {**kind, "id": entity, "labels": {}, "descriptions": {}, "aliases": {}, "claims": {}}
    parts: Json = {"labels": {}, "descriptions": {}, "aliases": {}, "claims": {}, "sitelinks": {}}
    return {"type": "item", "id": entity, **parts}


def content(entity: Mapping[str, Any]) -> Json:
    """Return what a revision stores: the entity without what its page knows (page id, revision, time)."""
    fields = blank(entity["id"], entity.get("datatype", ""))
    return {key: (entity.get(key) or default) for key, default in fields.items()}


def statements(entity: Mapping[str, Any]) -> Iterator[Json]:
    for group in entity["claims"].values():
        yield from group


def find(entity: Mapping[str, Any], guid: str) -> Json | None:
    """Return the statement with this identifier; capitals do not matter in its UUID."""
    wanted = guid.upper()
    return next((one for one in statements(entity) if one["id"].upper() == wanted), None)


def put(entity: Mapping[str, Any], statement: Json, index: int | None = None) -> Json:
    """Return the entity with the statement in its place: replaced by identifier, or added to its property's group."""
    prop = statement["mainsnak"]["property"]
    old = find(entity, statement["id"])
    if old is not None and old["mainsnak"]["property"] != prop:
        entity, old = remove(entity, statement["id"]), None
    group = list(entity["claims"].get(prop, ()))
    if old is not None:
        at = next(i for i, one in enumerate(group) if one["id"] == old["id"])
        group[at] = {**statement, "id": old["id"]}
    else:
        group.insert(len(group) if index is None else index, statement)
    return {**entity, "claims": {**entity["claims"], prop: group}}


def remove(entity: Mapping[str, Any], guid: str) -> Json:
    """Return the entity without a statement."""
    wanted = guid.upper()
    groups = {p: [one for one in group if one["id"].upper() != wanted] for p, group in entity["claims"].items()}
    return {**entity, "claims": {p: group for p, group in groups.items() if group}}


def best_label(entity: Mapping[str, Any], languages: tuple[str, ...] = ("en", "mul")) -> str:
    """Return the label in the first language that has one, else any, else the id."""
    labels = entity["labels"]
    for language in (*languages, *labels):
        if language in labels:
            return str(labels[language]["value"])
    return str(entity["id"])
