"""Snaks, references and statements in normal form, their hashes, and what the wiki has against a value."""

import hashlib
import html
import json
import re
import uuid
from collections.abc import Callable, Iterable, Mapping
from typing import cast

from bot.formula import check as check_formula
from bot.sandbox import entity_json
from bot.sandbox.messages import ApiError, ApiMessage, error_with_message, message, named_error, red_link
from bot.wikibase import MAX_CHARACTERS

_SNAK = "Wikibase\\DataModel\\Snak\\"
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
DatatypeOf = Callable[[str], str | None]  # property id -> its datatype, None where there is no such property
LIMITS = {**dict.fromkeys(("math", "string", "external-id"), MAX_CHARACTERS), "monolingualtext": 1500, "url": 500}
_EDGES = re.compile(r"^\s|\s$|[\v\t\n\r\f]")
_TIME_VALUE = re.compile(r"[+-]\d{1,16}-(?:0\d|1[0-2])-(?:[0-2]\d|3[01])T00:00:00Z")
_UNKNOWN = re.compile(r"(?i)unknown|not known")
_SCHEME = re.compile(r"(?i)[a-z][a-z0-9+.-]*:")
_SCHEMES = ("http://", "https://", "ftp://", "mailto:", "sftp://", "git://", "irc://", "telnet://")
_VALIDATOR = "wikibase-validator-"
EntityExists = Callable[[str], bool]


def snak_hash(snak: entity_json.SnakJson) -> str:
    """Return the hash of one snak in normal form."""
    prop = snak["property"]
    if snak["snaktype"] == "somevalue":
        return _sha1(_object(_SNAK + "PropertySomeValueSnak", prop))
    if snak["snaktype"] == "novalue":
        return _sha1(_object(_SNAK + "PropertyNoValueSnak", prop))
    inner = f"a:2:{{i:0;{_string(prop)}i:1;{_value(snak['datavalue'])}}}"
    return _sha1(_object(_SNAK + "PropertyValueSnak", inner))


def reference_hash(groups: dict[str, list[entity_json.SnakJson]]) -> str:
    """Return the hash of a reference; the order of its snaks does not matter."""
    return _sha1("|".join(sorted(map(snak_hash, entity_json.flattened_snaks(groups)))))


def new_guid(entity: str) -> str:
    """Return a statement identifier as the server makes them, in capitals."""
    return f"{entity}${str(uuid.uuid4()).upper()}"


def _value(data: entity_json.DataValue) -> str:
    if data["type"] == "string":
        return _object("DataValues\\StringValue", data["value"])
    if data["type"] == "wikibase-entityid":
        kind = "ItemId" if data["value"]["entity-type"] == "item" else "NumericPropertyId"
        entity = _object(f"Wikibase\\DataModel\\Entity\\{kind}", data["value"]["id"])
        return _object("Wikibase\\DataModel\\Entity\\EntityIdValue", entity)
    if data["type"] == "time":
        time = data["value"]
        fields = (time["time"], time["timezone"], time["before"], time["after"], time["precision"])
        return _object("DataValues\\TimeValue", _json([*fields, time["calendarmodel"]]))
    if data["type"] == "monolingualtext":
        text = data["value"]
        inner = f"a:2:{{i:0;{_string(text['language'])}i:1;{_string(text['text'])}}}"
        return _object("DataValues\\MonolingualTextValue", inner)
    if data["type"] == "quantity":
        return _object("DataValues\\UnboundedQuantityValue", _json(data["value"]))
    return _object("DataValues\\Geo\\Values\\GlobeCoordinateValue", _json(data["value"]))


def _object(name: str, inner: str) -> str:
    return f'C:{len(name)}:"{name}":{len(inner.encode())}:{{{inner}}}'


def _string(text: str) -> str:
    return f's:{len(text.encode())}:"{text}";'


def _json(value: object) -> str:
    return json.dumps(value, separators=(",", ":")).replace("/", "\\/")


def _sha1(text: str) -> str:
    return hashlib.sha1(text.encode(), usedforsecurity=False).hexdigest()


class MalformedJson(ValueError):
    """Raised for JSON that is not a snak, reference or statement; `args[0]` names the part."""


def is_guid(text: object) -> bool:
    return isinstance(text, str) and _GUID.fullmatch(text) is not None


def entity_of(guid: str) -> str:
    """Return the entity id that a statement's identifier begins with."""
    return guid.partition("$")[0].upper()


def data_value(kind: str, raw: object) -> entity_json.DataValue:
    """Return a data value in normal form; raises MalformedJson."""
    if kind == "string" and isinstance(raw, str):
        return {"value": raw, "type": "string"}
    if kind == "string" or not isinstance(raw, Mapping):
        raise MalformedJson("value")
    if kind == "wikibase-entityid":
        return {"value": _entity_id(raw), "type": "wikibase-entityid"}
    if kind == "time":
        return {"value": _time(raw), "type": "time"}
    if kind == "monolingualtext":
        text, language = raw.get("text"), raw.get("language")
        if not isinstance(text, str) or not isinstance(language, str):
            raise MalformedJson("value")
        return {"value": {"text": text, "language": language}, "type": "monolingualtext"}
    return {"value": dict(raw), "type": "quantity" if kind == "quantity" else "globecoordinate"}


def normal_snak(raw: object, datatype: DatatypeOf) -> entity_json.SnakJson:
    """Return a snak with hash and datatype; raises MalformedJson, or ApiError where property or value type is wrong."""
    if not isinstance(raw, Mapping) or not isinstance(raw.get("property"), str):
        raise MalformedJson("snak")
    prop, kind = raw["property"].upper(), raw.get("snaktype", "value")
    if kind not in ("value", "somevalue", "novalue") or not re.fullmatch(r"P[1-9]\d*", prop):
        raise MalformedJson("snak")
    expected = datatype(prop)
    if expected is None:
        raise _no_such_property(prop)
    out: entity_json.SnakJson = {"snaktype": kind, "property": prop}
    if kind == "value":
        datavalue = raw.get("datavalue")
        if not isinstance(datavalue, Mapping) or not isinstance(datavalue.get("type"), str):
            raise MalformedJson("snak")
        wanted = VALUE_TYPES.get(expected, "string")
        if datavalue["type"] != wanted:
            name = "wikibase-validator-bad-value-type"
            raise named_error("modification-failed", datavalue["type"], wanted, name=name)
        out["datavalue"] = data_value(wanted, datavalue.get("value"))
    return {**out, "hash": snak_hash(out), "datatype": expected}


def group_by_property(snaks: list[entity_json.SnakJson]) -> dict[str, list[entity_json.SnakJson]]:
    """Return snaks grouped by property, in the order of their first mention."""
    groups: dict[str, list[entity_json.SnakJson]] = {}
    for one in snaks:
        groups.setdefault(one["property"], []).append(one)
    return groups


def snak_groups(raw: object, order: object, datatype: DatatypeOf) -> dict[str, list[entity_json.SnakJson]]:
    """Return snaks grouped by property; the given order of properties wins over the JSON's."""
    if isinstance(raw, list):  # PHP writes an empty object as an empty list, and some clients send flat lists
        flat = raw
    elif isinstance(raw, Mapping):
        flat = [one for group in raw.values() for one in (group if isinstance(group, list) else [group])]
    else:
        raise MalformedJson("snaks")
    groups = group_by_property([normal_snak(one, datatype) for one in flat])
    wanted = [p for p in order if p in groups] if isinstance(order, list) else []
    return {p: groups[p] for p in (*wanted, *groups)}


def normal_reference(raw: object, datatype: DatatypeOf, order: object = None) -> entity_json.ReferenceJson:
    """Return a reference with its hash."""
    if not isinstance(raw, Mapping) or "snaks" not in raw:
        raise MalformedJson("reference")
    groups = snak_groups(raw["snaks"], order or raw.get("snaks-order"), datatype)
    return {"hash": reference_hash(groups), "snaks": groups, "snaks-order": list(groups)}


def normal_statement(raw: object, datatype: DatatypeOf) -> entity_json.StatementJson:
    """Return a statement in normal form; its id is taken as it comes and may be missing."""
    if not isinstance(raw, Mapping) or "mainsnak" not in raw:
        raise MalformedJson("statement")
    if raw.get("type", "statement") not in ("statement", "claim"):
        raise MalformedJson("statement")
    out: entity_json.StatementJson = {"mainsnak": normal_snak(raw["mainsnak"], datatype), "type": "statement"}
    if raw.get("qualifiers"):
        out["qualifiers"] = snak_groups(raw["qualifiers"], raw.get("qualifiers-order"), datatype)
        out["qualifiers-order"] = list(out["qualifiers"])
    if raw.get("id") is not None:
        out["id"] = raw["id"]
    out["rank"] = raw.get("rank", "normal")
    if out["rank"] not in ("deprecated", "normal", "preferred"):
        raise MalformedJson("rank")
    references: dict[str, entity_json.ReferenceJson] = {}
    for one in raw.get("references") or ():
        done = normal_reference(one, datatype)
        references.setdefault(done["hash"], done)
    if references:
        out["references"] = list(references.values())
    return out


def snaks_of(statement: entity_json.StatementJson) -> list[entity_json.SnakJson]:
    """Return every snak of a statement in normal form: main, qualifiers, references."""
    out = [statement["mainsnak"], *entity_json.flattened_snaks(statement.get("qualifiers", {}))]
    for ref in statement.get("references", ()):
        out += entity_json.flattened_snaks(ref["snaks"])
    return out


def check_guid(guid: object, entity: str) -> None:
    """Refuse an identifier that is malformed or names another entity."""
    if not is_guid(guid):
        raise named_error("modification-failed", "Statement does not have a valid GUID")
    if entity_of(str(guid)) != entity:
        raise named_error("modification-failed", "Statement GUID does not belong to the entity")


def _entity_id(raw: entity_json.RawJson) -> entity_json.EntityId:
    kind, number = raw.get("entity-type", "item"), raw.get("numeric-id")
    letter = "P" if kind == "property" else "Q"
    text = raw.get("id", f"{letter}{number}" if isinstance(number, int) else "")
    found = re.fullmatch(r"([QP])([1-9]\d*)", str(text).upper())
    if not found:
        raise MalformedJson("value")
    return {"entity-type": "item" if found[1] == "Q" else "property", "numeric-id": int(found[2]), "id": found[0]}


def _time(raw: entity_json.RawJson) -> entity_json.Time:
    found = _TIME.fullmatch(str(raw.get("time", "")))
    timezone, before, after, precision = numbers = [
        raw.get(key, 0) for key in ("timezone", "before", "after", "precision")
    ]
    if not found or not all(isinstance(n, int) for n in numbers):
        raise MalformedJson("value")
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
    return error_with_message(
        "modification-failed", message("wikibase-validator-no-such-property", f"[[{title}|{prop}]]", html=html)
    )


def value_violation(kind: str, value: object, exists: EntityExists) -> ApiMessage | None:
    """Return the validator's message for a bad value of a datatype, or None for a good one.

    The value has the type that belongs to the datatype (`snaks.data_value` makes sure of it).
    """
    if kind in ("string", "external-id", "math") and isinstance(value, str):
        return text_violation(value, LIMITS[kind]) or (math_violation(value) if kind == "math" else None)
    if kind == "url" and isinstance(value, str):
        return _length(value, LIMITS[kind]) or _url(value)
    if kind == "monolingualtext":
        return text_violation(cast(entity_json.MonolingualText, value)["text"], LIMITS[kind])
    if kind == "time":
        time = cast(entity_json.Time, value)
        good = _TIME_VALUE.fullmatch(time["time"]) and 0 <= time["precision"] <= 11
        return None if good else malformed_value(time["time"])
    if kind in ("wikibase-item", "wikibase-property"):
        qid = cast(entity_json.EntityId, value)["id"]
        return None if exists(qid) else _no_entity(qid)
    return None


def check_values(snaks: Iterable[entity_json.SnakJson], exists: EntityExists) -> None:
    """Raise ApiError at the first snak whose value is not allowed."""
    for snak in snaks:
        found = value_violation(snak["datatype"], snak["datavalue"]["value"], exists) if "datavalue" in snak else None
        if found:
            raise error_with_message("modification-failed", found)


def text_violation(text: str, limit: int) -> ApiMessage | None:
    """Length first, then white space: the order in which the wiki looks."""
    return _length(text, limit) or (message(_VALIDATOR + "illegal-string-chars", text) if _EDGES.search(text) else None)


def math_violation(tex: str) -> ApiMessage | None:
    """Return what the server's texvc grammar has against a formula."""
    verdict = check_formula(tex)
    return None if verdict.valid else malformed_value(_grammar(tex, verdict.why))


def malformed_value(problem: str) -> ApiMessage:
    escaped = html.escape(problem, quote=False).replace('"', "&#34;") if "<" not in problem else html.escape(problem)
    return message(_VALIDATOR + "malformed-value", escaped)


def too_long(text: str, limit: int, term: str = "") -> ApiMessage:
    """Return the message for a text over its limit; `term` is `label` or `description`, where it is one."""
    name = f"{_VALIDATOR}{term}-too-long" if term else f"{_VALIDATOR}too-long"
    return message(name, str(limit), text if len(text) <= 32 else f"{text[:29]}...")


def _grammar(tex: str, why: str) -> str:
    """Reduce a verdict to the two that the wiki has: an unknown function by name, or a syntax error."""
    for name in re.findall(r"\\(?!begin|end)[A-Za-z]+", tex):
        if re.match(re.escape(name) + r"(?![A-Za-z])", why) and _UNKNOWN.search(why):
            return f'unknown function "{name}"'
    return "syntax error"


def _length(text: str, limit: int) -> ApiMessage | None:
    if len(text) < 1:
        return message(_VALIDATOR + "too-short", "1", text)
    return too_long(text, limit) if len(text) > limit else None


def _url(text: str) -> ApiMessage | None:
    if not _SCHEME.match(text):
        return message(_VALIDATOR + "url-scheme-missing", text)
    if re.search(r'[\s\[\]<>"{}|\\^`]', text):
        return message(_VALIDATOR + "bad-url", text, html=(_linked(text),))
    if not text.startswith(_SCHEMES):
        return message(_VALIDATOR + "bad-url-scheme", text.partition(":")[0])
    return None


def _linked(text: str) -> str:
    """Return wikitext's rendering of a bare address: the link ends at the first character that no URL holds."""
    end = re.match(r'[^\s\[\]<>"]*', text)
    url = end[0] if end else ""
    return f'<a rel="nofollow" class="external free" href="{url}">{url}</a>{text[len(url) :]}'


def _no_entity(qid: str) -> ApiMessage:
    title = f"Property:{qid}" if qid.startswith("P") else qid
    return message(_VALIDATOR + "no-such-entity", f"[[{title}|{qid}]]", html=(red_link(title, qid),))
