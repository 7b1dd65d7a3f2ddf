"""Snak, reference and statement identifiers as Wikibase makes them: SHA-1 over PHP's own serialisation."""

from __future__ import annotations

import hashlib
import json
import uuid

from bot.sandbox.entity_json import DataValue, SnakJson, snaks

_SNAK = "Wikibase\\DataModel\\Snak\\"


def snak_hash(snak: SnakJson) -> str:
    """Return the hash of one snak in normal form."""
    prop = snak["property"]
    if snak["snaktype"] == "somevalue":
        return _sha1(_object(_SNAK + "PropertySomeValueSnak", prop))
    if snak["snaktype"] == "novalue":
        return _sha1(_object(_SNAK + "PropertyNoValueSnak", prop))
    inner = f"a:2:{{i:0;{_string(prop)}i:1;{_value(snak['datavalue'])}}}"
    return _sha1(_object(_SNAK + "PropertyValueSnak", inner))


def reference_hash(groups: dict[str, list[SnakJson]]) -> str:
    """Return the hash of a reference; the order of its snaks does not matter."""
    return _sha1("|".join(sorted(map(snak_hash, snaks(groups)))))


def new_guid(entity: str) -> str:
    """Return a statement identifier as the server makes them, in capitals."""
    return f"{entity}${str(uuid.uuid4()).upper()}"


def _value(data: DataValue) -> str:
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
