"""From an approved proposal to the exact JSON that is sent: one whole claim, or one reference."""

import re
import uuid

from bot.errors import WriteError
from bot.records import Reference
from bot.wikibase import Json, is_item_id, item_number

_NAMESPACE = uuid.UUID("5d4f2d0a-6c0b-5a43-9a5c-0f3a4c3d2534")
_GREGORIAN = "http://www.wikidata.org/entity/Q1985727"


def guid(qid: str, wiki: str, proposal: str, content: str, decision: int) -> str:
    """Return the GUID of the statement that one decision may make.

    It is a function of the decision, so a resend, a resumed run and a new plan all name the same statement.
    """
    return f"{qid}${uuid.uuid5(_NAMESPACE, f'{wiki}|{proposal}|{content}|{decision}')}"


Snaks = tuple[tuple[str, str, str], ...]  # (property id, datatype, value)


def claim(guid: str, property_id: str, tex: str, references: tuple[Reference, ...], qualifiers: Snaks = ()) -> Json:
    """Return a whole claim in the JSON form of Wikibase, references and qualifiers inside: one edit."""
    statement: Json = {
        "id": guid,
        "type": "statement",
        "rank": "normal",
        "mainsnak": snak(property_id, "math", tex),
        "references": [reference(r) for r in references],
    }
    groups = _grouped(qualifiers)
    return statement | ({"qualifiers": groups, "qualifiers-order": list(groups)} if groups else {})


def reference(record: Reference) -> Json:
    """Return a reference in the JSON form of Wikibase, its snaks in their order."""
    groups = _grouped(record.snaks)
    return {"snaks": groups, "snaks-order": list(groups)}


def _grouped(snaks: Snaks) -> dict[str, list[Json]]:
    groups: dict[str, list[Json]] = {}
    for property_id, datatype, value in snaks:
        groups.setdefault(property_id, []).append(snak(property_id, datatype, value))
    return groups


def snak(property_id: str, datatype: str, value: str) -> Json:
    """Return a snak with a value. Raises WriteError for a datatype that this project never writes."""
    return {"snaktype": "value", "property": property_id, "datatype": datatype, "datavalue": _value(datatype, value)}


def _value(datatype: str, value: str) -> Json:
    if datatype in ("math", "string", "url", "external-id"):
        return {"type": "string", "value": value}
    if datatype == "wikibase-item" and is_item_id(value):
        return {
            "type": "wikibase-entityid",
            "value": {"entity-type": "item", "numeric-id": item_number(value), "id": value},
        }
    if datatype == "monolingualtext" and ":" in value:
        language, _, text = value.partition(":")
        return {"type": "monolingualtext", "value": {"language": language, "text": text}}
    if datatype == "time" and (date := re.fullmatch(r"\+\d{4}-(\d\d)-(\d\d)T00:00:00Z", value)):
        # Precision 11 is a day, 10 a month, 9 a year; Wikibase refuses a time with hours at these.
        precision = 9 + sum(part != "00" for part in date.groups())
        day = {"time": value, "timezone": 0, "before": 0, "after": 0}
        day |= {"precision": precision, "calendarmodel": _GREGORIAN}
        return {"type": "time", "value": day}
    raise WriteError("unwritable_value", value=repr(value), kind=datatype)
