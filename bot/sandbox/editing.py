"""What all edits of statements share: one transaction, the summary, the warning, the parameters that name statements."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from bot.sandbox import datavalues, entity_json, snaks
from bot.sandbox.call import Call
from bot.sandbox.messages import PATCHED, SELF_PATCHED, ApiError, invalid_snak, no_such_claim, refusal
from bot.sandbox.repository import SavedEntity

Json = dict[str, Any]
_WARNINGS = {message.name: message for message in (PATCHED, SELF_PATCHED)}
# What an edit makes of the entity it was given: the new entity and the automatic half of the summary.
Change = Callable[[Json], tuple[Json, str]]


def edit(call: Call, entity: str, change: Change) -> tuple[SavedEntity, Json]:
    """Make one edit inside one transaction; return what was saved and the entity as the editor meant it."""
    repository = call.site.repository
    with repository.db.writing():
        base, newest = repository.base(entity, call.number("baserevid"))
        new, automatic = change(base.entity)
        saved = repository.save(base, newest, new, call.hand(), summary(call, automatic))
    tell(call, saved)
    return saved, new


def tell(call: Call, saved: SavedEntity) -> None:
    """Pass on the save's warning, and the cookie that follows every change."""
    if saved.warning:
        call.warn(call.action, _WARNINGS[saved.warning])
    if saved.changed:
        call.cookies["UseDC"] = "master"


def summary(call: Call, automatic: str) -> str:
    """Return the edit summary: the automatic half, then the editor's own words."""
    own = call.get("summary")
    joined = f"{automatic.strip()}, {own}" if own and not automatic.endswith("*/") else f"{automatic.strip()} {own}"
    return joined.strip()[:500]


def claim_answer(saved: SavedEntity, claim: Json | None) -> Json:
    return {"pageinfo": {"lastrevid": saved.revision}, "success": 1, "claim": claim}


def describe(snak: Json) -> str:
    """Return a snak as summaries show it: the property's link and the value."""
    shown = {"somevalue": "somevalue", "novalue": "novalue"}.get(snak["snaktype"], "")
    if not shown:
        value = snak["datavalue"]["value"]
        if isinstance(value, dict):
            shown = f"[[{value['id']}]]" if "id" in value else str(value.get("time") or value.get("text") or value)
        else:
            shown = str(value)
    return f"[[Property:{snak['property']}]]: {shown}"


def parse_json(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return None


def statement_id(call: Call, name: str) -> str:
    guid = call.get(name)
    if not snaks.is_guid(guid):
        raise refusal("invalid-guid", "wikibase-api-invalid-guid", "Invalid claim GUID.")
    return guid


def standing(entity: Json, guid: str) -> Json:
    """Return the statement; raises the wiki's refusal where it is gone."""
    found = entity_json.find(entity, guid)
    if found is None:
        raise no_such_claim()
    return found


def check(call: Call, statement: Json) -> None:
    datavalues.check(snaks.snaks_in(statement), call.site.repository.exists)


def main_snak(call: Call, prop: str) -> Json:
    """Build a snak from the parameters snaktype and value; the value's type follows from the property."""
    datatype, kind = call.site.repository.datatype(prop.upper()), call.get("snaktype", "value")
    raw: Json = {"snaktype": kind, "property": prop}
    if kind == "value":
        if not call.flag("value"):
            raise ApiError("param-missing", "A parameter that is required was missing.")
        given = snaks.VALUE_TYPES.get(datatype or "", "string")
        raw["datavalue"] = {"type": given, "value": parse_json(call.get("value"))}
    try:
        return snaks.snak(raw, call.site.repository.datatype)
    except snaks.Malformed:
        raise invalid_snak() from None
