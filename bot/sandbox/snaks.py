"""Snaks, references and statements as clients send them, put into the one form that the wiki stores and answers."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from bot.sandbox import hashes
from bot.sandbox.messages import ApiError, modification_failed, refusal

# What a property's datatype expects as the type of its values.
VALUE_TYPES = {
    "commonsMedia": "string",
    "geo-shape": "string",
    "tabular-data": "string",
    "url": "string",
    "external-id": "string",
    "wikibase-item": "wikibase-entityid",
    "wikibase-property": "wikibase-entityid",
    "globe-coordinate": "globecoordinate",
    "monolingualtext": "monolingualtext",
    "quantity": "quantity",
    "string": "string",
    "time": "time",
    "math": "string",
}
_TIME = re.compile(r"([+-])0*(\d{4,}-\d\d-\d\dT\d\d:\d\d:\d\dZ)")
_GUID = re.compile(r"(?i)[QP]\d+\$[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")

Datatype = Callable[[str], str | None]  # property id -> its datatype, None where there is no such property
Json = dict[str, Any]


class Malformed(ValueError):
    """What was sent is no snak, reference or statement; `args[0]` says which part."""


def is_guid(text: object) -> bool:
    return isinstance(text, str) and _GUID.fullmatch(text) is not None


def entity_of(guid: str) -> str:
    """Return the entity id that a statement's identifier begins with."""
    return guid.partition("$")[0].upper()


def value(kind: str, raw: Any) -> Any:
    """Return a data value's content in normal form; raises Malformed."""
    if kind == "string":
        if isinstance(raw, str):
            return raw
    elif kind == "wikibase-entityid" and isinstance(raw, Mapping):
        return _entity_value(raw)
    elif kind == "time" and isinstance(raw, Mapping):
        return _time_value(raw)
    elif kind == "monolingualtext" and isinstance(raw, Mapping):
        if isinstance(raw.get("text"), str) and isinstance(raw.get("language"), str):
            return {"text": raw["text"], "language": raw["language"]}
    elif isinstance(raw, Mapping):
        return dict(raw)
    raise Malformed("value")


def snak(raw: Any, datatype: Datatype) -> Json:
    """Return a snak with hash and datatype; raises Malformed, or ApiError where property or value type is wrong."""
    if not isinstance(raw, Mapping) or not isinstance(raw.get("property"), str):
        raise Malformed("snak")
    prop, kind = raw["property"].upper(), raw.get("snaktype", "value")
    if kind not in ("value", "somevalue", "novalue") or not re.fullmatch(r"P[1-9]\d*", prop):
        raise Malformed("snak")
    expected = datatype(prop)
    if expected is None:
        raise _no_such_property(prop)
    out: Json = {"snaktype": kind, "property": prop}
    if kind == "value":
        given = raw.get("datavalue")
        if not isinstance(given, Mapping) or not isinstance(given.get("type"), str):
            raise Malformed("snak")
        wanted = VALUE_TYPES.get(expected, "string")
        if given["type"] != wanted:
            raise _bad_value_type(given["type"], wanted)
        out["datavalue"] = {"value": value(wanted, given.get("value")), "type": wanted}
    return {**out, "hash": hashes.snak_hash(out), "datatype": expected}


def snak_groups(raw: Any, order: Any, datatype: Datatype) -> tuple[dict[str, list[Json]], list[str]]:
    """Return snaks grouped by property and the order of the properties; the given order wins over the JSON's."""
    if isinstance(raw, list):  # PHP writes an empty object as an empty list, and some clients send flat lists
        flat = raw
    elif isinstance(raw, Mapping):
        flat = [one for group in raw.values() for one in (group if isinstance(group, list) else [group])]
    else:
        raise Malformed("snaks")
    groups: dict[str, list[Json]] = {}
    for one in flat:
        done = snak(one, datatype)
        groups.setdefault(done["property"], []).append(done)
    wanted = [p for p in order if p in groups] if isinstance(order, list) else []
    properties = list(dict.fromkeys([*wanted, *groups]))
    return {p: groups[p] for p in properties}, properties


def reference(raw: Any, datatype: Datatype, order: Any = None) -> Json:
    """Return a reference with its hash."""
    if not isinstance(raw, Mapping) or "snaks" not in raw:
        raise Malformed("reference")
    snaks, properties = snak_groups(raw["snaks"], order or raw.get("snaks-order"), datatype)
    return {"hash": hashes.reference_hash(snaks), "snaks": snaks, "snaks-order": properties}


def statement(raw: Any, datatype: Datatype) -> Json:
    """Return a statement in normal form; its id is taken as it comes and may be missing."""
    if (
        not isinstance(raw, Mapping)
        or "mainsnak" not in raw
        or raw.get("type", "statement") not in ("statement", "claim")
    ):
        raise Malformed("statement")
    out: Json = {"mainsnak": snak(raw["mainsnak"], datatype), "type": "statement"}
    if raw.get("qualifiers"):
        out["qualifiers"], out["qualifiers-order"] = snak_groups(
            raw["qualifiers"], raw.get("qualifiers-order"), datatype
        )
    if raw.get("id") is not None:
        out["id"] = raw["id"]
    out["rank"] = raw.get("rank", "normal")
    if out["rank"] not in ("deprecated", "normal", "preferred"):
        raise Malformed("rank")
    unique: dict[str, Json] = {}
    for one in raw.get("references") or ():
        done = reference(one, datatype)
        unique.setdefault(done["hash"], done)
    if unique:
        out["references"] = list(unique.values())
    return out


def snaks_in(done: Mapping[str, Any]) -> list[Json]:
    """Return every snak of a statement or reference in normal form: main, qualifiers, references."""
    out = [done["mainsnak"]] if "mainsnak" in done else []
    for groups in (done.get("qualifiers", {}), done.get("snaks", {})):
        out += [one for group in groups.values() for one in group]
    for ref in done.get("references", ()):
        out += snaks_in(ref)
    return out


def check_guid(guid: object, entity: str) -> None:
    """Refuse an identifier that is malformed or names another entity."""
    if not is_guid(guid):
        raise modification_failed("Statement does not have a valid GUID")
    if entity_of(str(guid)) != entity:
        raise modification_failed("Statement GUID does not belong to the entity")


def _entity_value(raw: Mapping[str, Any]) -> Json:
    kind, number = raw.get("entity-type", "item"), raw.get("numeric-id")
    letter = "P" if kind == "property" else "Q"
    given = raw.get("id", f"{letter}{number}" if isinstance(number, int) else "")
    found = re.fullmatch(r"([QP])([1-9]\d*)", str(given).upper())
    if not found:
        raise Malformed("value")
    return {
        "entity-type": "item" if found[1] == "Q" else "property",
        "numeric-id": int(found[2]),
        "id": found[0],
    }


def _time_value(raw: Mapping[str, Any]) -> Json:
    found = _TIME.fullmatch(str(raw.get("time", "")))
    numbers = {key: raw.get(key, 0) for key in ("timezone", "before", "after", "precision")}
    if not found or not all(isinstance(n, int) for n in numbers.values()):
        raise Malformed("value")
    model = raw.get("calendarmodel", "http://www.wikidata.org/entity/Q1985727")
    return {"time": found[1] + found[2], **numbers, "calendarmodel": model}


def _no_such_property(prop: str) -> ApiError:
    link = (
        f'Property <a href="/w/index.php?title=Property:{prop}&amp;action=edit&amp;redlink=1" class="new"'
        f' title="Property:{prop} (page does not exist)">{prop}</a> not found'
    )
    shown = f"[[Property:{prop}|{prop}]]"
    name = "wikibase-validator-no-such-property"
    return refusal("modification-failed", name, f"Property {shown} not found", shown, html=link)


def _bad_value_type(given: str, expected: str) -> ApiError:
    text = f"Bad value type {given}, expected {expected}"
    return refusal("modification-failed", "wikibase-validator-bad-value-type", text, given, expected)
