"""Snak, reference and statement identifiers as Wikibase makes them: SHA-1 over PHP's own serialisation."""

from __future__ import annotations

import hashlib
import json
import uuid
from collections.abc import Mapping, Sequence
from typing import Any

_SNAK = "Wikibase\\DataModel\\Snak\\"
_CLASSES = {
    "string": "DataValues\\StringValue",
    "wikibase-entityid": "Wikibase\\DataModel\\Entity\\EntityIdValue",
    "time": "DataValues\\TimeValue",
    "monolingualtext": "DataValues\\MonolingualTextValue",
    "quantity": "DataValues\\UnboundedQuantityValue",
    "globecoordinate": "DataValues\\Geo\\Values\\GlobeCoordinateValue",
}


def snak_hash(snak: Mapping[str, Any]) -> str:
    """Return the hash of one snak in normal form."""
    prop = snak["property"]
    if snak["snaktype"] == "somevalue":
        return _sha1(_object(_SNAK + "PropertySomeValueSnak", prop))
    if snak["snaktype"] == "novalue":
        return _sha1(_object(_SNAK + "PropertyNoValueSnak", prop))
    inner = f"a:2:{{i:0;{_string(prop)}i:1;{_value(snak['datavalue'])}}}"
    return _sha1(_object(_SNAK + "PropertyValueSnak", inner))


def reference_hash(snaks: Mapping[str, Sequence[Mapping[str, Any]]]) -> str:
    """Return the hash of a reference; the order of its snaks does not matter."""
    return _sha1("|".join(sorted(snak_hash(snak) for group in snaks.values() for snak in group)))


def new_guid(entity: str) -> str:
    """Return a statement identifier as the server makes them, in capitals."""
    return f"{entity}${str(uuid.uuid4()).upper()}"


def _value(datavalue: Mapping[str, Any]) -> str:
    kind, value = datavalue["type"], datavalue["value"]
    name = _CLASSES.get(kind, "DataValues\\UnknownValue")
    if kind == "string":
        return _object(name, value)
    if kind == "wikibase-entityid":
        entity = "ItemId" if value["entity-type"] == "item" else "NumericPropertyId"
        return _object(name, _object(f"Wikibase\\DataModel\\Entity\\{entity}", value["id"]))
    if kind == "time":
        order = ("time", "timezone", "before", "after", "precision", "calendarmodel")
        return _object(name, _json([value[key] for key in order]))
    if kind == "monolingualtext":
        return _object(name, f"a:2:{{i:0;{_string(value['language'])}i:1;{_string(value['text'])}}}")
    return _object(name, _json(value))


def _object(name: str, inner: str) -> str:
    return f'C:{len(name)}:"{name}":{len(inner.encode())}:{{{inner}}}'


def _string(text: str) -> str:
    return f's:{len(text.encode())}:"{text}";'


def _json(value: Any) -> str:
    return json.dumps(value, separators=(",", ":")).replace("/", "\\/")


def _sha1(text: str) -> str:
    return hashlib.sha1(text.encode(), usedforsecurity=False).hexdigest()
