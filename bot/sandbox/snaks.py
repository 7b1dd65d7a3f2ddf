"""Snaks, references and statements as clients send them, put into the one form that the wiki stores and answers."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from bot.sandbox import entity_json, hashes
from bot.sandbox.entity_json import DataValue, EntityId, Raw, ReferenceJson, SnakJson, StatementJson, Time
from bot.sandbox.messages import ApiError, message, red_link, refusal, refused

# What a property's datatype expects as the type of its values.
VALUE_TYPES = {
    **dict.fromkeys(("commonsMedia", "geo-shape", "tabular-data", "url", "external-id"), "string"),
    **dict.fromkeys(("wikibase-item", "wikibase-property"), "wikibase-entityid"),
    "globe-coordinate": "globecoordinate",
    **{name: name for name in ("monolingualtext", "quantity", "string", "time")},
    "math": "string",
}
GREGORIAN = "http://www.wikidata.org/entity/Q1985727"
_TIME = re.compile(r"([+-])0*(\d{4,}-\d\d-\d\dT\d\d:\d\d:\d\dZ)")
_GUID = re.compile(r"(?i)[QP]\d+\$[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")

Datatype = Callable[[str], str | None]  # property id -> its datatype, None where there is no such property


class Malformed(ValueError):
    """Raised for JSON that is no snak, reference or statement; `args[0]` names the part."""


def is_guid(text: object) -> bool:
    return isinstance(text, str) and _GUID.fullmatch(text) is not None


def entity_of(guid: str) -> str:
    """Return the entity id that a statement's identifier begins with."""
    return guid.partition("$")[0].upper()


def data_value(kind: str, raw: object) -> DataValue:
    """Return a data value in normal form; raises Malformed."""
    if kind == "string" and isinstance(raw, str):
        return {"value": raw, "type": "string"}
    if kind == "string" or not isinstance(raw, Mapping):
        raise Malformed("value")
    if kind == "wikibase-entityid":
        return {"value": _entity_id(raw), "type": "wikibase-entityid"}
    if kind == "time":
        return {"value": _time(raw), "type": "time"}
    if kind == "monolingualtext":
        text, language = raw.get("text"), raw.get("language")
        if not isinstance(text, str) or not isinstance(language, str):
            raise Malformed("value")
        return {"value": {"text": text, "language": language}, "type": "monolingualtext"}
    return {"value": dict(raw), "type": "quantity" if kind == "quantity" else "globecoordinate"}


def snak(raw: object, datatype: Datatype) -> SnakJson:
    """Return a snak with hash and datatype; raises Malformed, or ApiError where property or value type is wrong."""
    if not isinstance(raw, Mapping) or not isinstance(raw.get("property"), str):
        raise Malformed("snak")
    prop, kind = raw["property"].upper(), raw.get("snaktype", "value")
    if kind not in ("value", "somevalue", "novalue") or not re.fullmatch(r"P[1-9]\d*", prop):
        raise Malformed("snak")
    expected = datatype(prop)
    if expected is None:
        raise _no_such_property(prop)
    out: SnakJson = {"snaktype": kind, "property": prop}
    if kind == "value":
        given = raw.get("datavalue")
        if not isinstance(given, Mapping) or not isinstance(given.get("type"), str):
            raise Malformed("snak")
        wanted = VALUE_TYPES.get(expected, "string")
        if given["type"] != wanted:
            name = "wikibase-validator-bad-value-type"
            raise refusal("modification-failed", given["type"], wanted, name=name)
        out["datavalue"] = data_value(wanted, given.get("value"))
    return {**out, "hash": hashes.snak_hash(out), "datatype": expected}


def group(snaks: list[SnakJson]) -> dict[str, list[SnakJson]]:
    """Return snaks grouped by property, in the order of their first mention."""
    groups: dict[str, list[SnakJson]] = {}
    for one in snaks:
        groups.setdefault(one["property"], []).append(one)
    return groups


def snak_groups(raw: object, order: object, datatype: Datatype) -> dict[str, list[SnakJson]]:
    """Return snaks grouped by property; the given order of properties wins over the JSON's."""
    if isinstance(raw, list):  # PHP writes an empty object as an empty list, and some clients send flat lists
        flat = raw
    elif isinstance(raw, Mapping):
        flat = [one for group in raw.values() for one in (group if isinstance(group, list) else [group])]
    else:
        raise Malformed("snaks")
    groups = group([snak(one, datatype) for one in flat])
    wanted = [p for p in order if p in groups] if isinstance(order, list) else []
    return {p: groups[p] for p in (*wanted, *groups)}


def reference(raw: object, datatype: Datatype, order: object = None) -> ReferenceJson:
    """Return a reference with its hash."""
    if not isinstance(raw, Mapping) or "snaks" not in raw:
        raise Malformed("reference")
    groups = snak_groups(raw["snaks"], order or raw.get("snaks-order"), datatype)
    return {"hash": hashes.reference_hash(groups), "snaks": groups, "snaks-order": list(groups)}


def statement(raw: object, datatype: Datatype) -> StatementJson:
    """Return a statement in normal form; its id is taken as it comes and may be missing."""
    if not isinstance(raw, Mapping) or "mainsnak" not in raw:
        raise Malformed("statement")
    if raw.get("type", "statement") not in ("statement", "claim"):
        raise Malformed("statement")
    out: StatementJson = {"mainsnak": snak(raw["mainsnak"], datatype), "type": "statement"}
    if raw.get("qualifiers"):
        out["qualifiers"] = snak_groups(raw["qualifiers"], raw.get("qualifiers-order"), datatype)
        out["qualifiers-order"] = list(out["qualifiers"])
    if raw.get("id") is not None:
        out["id"] = raw["id"]
    out["rank"] = raw.get("rank", "normal")
    if out["rank"] not in ("deprecated", "normal", "preferred"):
        raise Malformed("rank")
    references: dict[str, ReferenceJson] = {}
    for one in raw.get("references") or ():
        done = reference(one, datatype)
        references.setdefault(done["hash"], done)
    if references:
        out["references"] = list(references.values())
    return out


def snaks_of(statement: StatementJson) -> list[SnakJson]:
    """Return every snak of a statement in normal form: main, qualifiers, references."""
    out = [statement["mainsnak"], *entity_json.snaks(statement.get("qualifiers", {}))]
    for ref in statement.get("references", ()):
        out += entity_json.snaks(ref["snaks"])
    return out


def check_guid(guid: object, entity: str) -> None:
    """Refuse an identifier that is malformed or names another entity."""
    if not is_guid(guid):
        raise refusal("modification-failed", "Statement does not have a valid GUID")
    if entity_of(str(guid)) != entity:
        raise refusal("modification-failed", "Statement GUID does not belong to the entity")


def _entity_id(raw: Raw) -> EntityId:
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


def _time(raw: Raw) -> Time:
    found = _TIME.fullmatch(str(raw.get("time", "")))
    timezone, before, after, precision = numbers = [
        raw.get(key, 0) for key in ("timezone", "before", "after", "precision")
    ]
    if not found or not all(isinstance(n, int) for n in numbers):
        raise Malformed("value")
    return {
        "time": found[1] + found[2],
        "timezone": timezone,
        "before": before,
        "after": after,
        "precision": precision,
        "calendarmodel": raw.get("calendarmodel", GREGORIAN),
    }


def _no_such_property(prop: str) -> ApiError:
    title = f"Property:{prop}"
    html = (red_link(title, prop),)
    return refused(
        "modification-failed", message("wikibase-validator-no-such-property", f"[[{title}|{prop}]]", html=html)
    )
