"""What all edits of statements share: one transaction, the summary, the warning, the parameters that name statements."""

import json
from collections.abc import Callable

from bot.sandbox import entity_json, snaks
from bot.sandbox.call import Call, Json
from bot.sandbox.entity_json import DataValue, EntityJson, SnakJson, StatementJson
from bot.sandbox.messages import ApiError, message, named_error
from bot.sandbox.repository import SavedEntity

# What an edit makes of the entity it was given: the new entity and the automatic half of the summary.
Change = Callable[[EntityJson], tuple[EntityJson, str]]
# What an edit makes of a statement: the new one and the automatic half of the summary.
StatementChange = Callable[[StatementJson], tuple[StatementJson, str]]
UNREADABLE_CLAIM = "Failed to get claim from claim Serialization Failed to get statement from Serialization"


def edit(call: Call, entity: str, change: Change) -> tuple[SavedEntity, EntityJson]:
    """Make one edit inside one transaction; return what was saved and the entity as the editor meant it."""
    repository = call.site.repository
    with repository.db.writing():
        base, newest = repository.base_and_newest(entity, call.number("baserevid"))
        new, automatic = change(base.entity)
        saved = repository.save(base, newest, new, call.editor(), summary(call, automatic))
    if saved.warning:
        call.warn(message(saved.warning))
    if saved.changed:
        mark_changed(call)
    return saved, new


def edit_statement(call: Call, guid: str, change: StatementChange) -> tuple[SavedEntity, StatementJson | None]:
    """Change one statement; return what was saved and the statement as the editor meant it."""

    def changed(entity: EntityJson) -> tuple[EntityJson, str]:
        new, automatic = change(statement_in(entity, guid))
        return entity_json.put_statement(entity, new), automatic

    saved, entity = edit(call, snaks.entity_of(guid), changed)
    return saved, entity_json.find_statement(entity, guid)


def mark_changed(call: Call) -> None:
    """Set the cookie that follows every change: for ten seconds the client reads from the main database."""
    call.cookies["UseDC"] = "master"


def summary(call: Call, automatic: str) -> str:
    """Return the edit summary: the automatic half, then the editor's own words."""
    own = call.get("summary")
    joined = f"{automatic.strip()}, {own}" if own and not automatic.endswith("*/") else f"{automatic.strip()} {own}"
    return joined.strip()[:500]


def success_answer(saved: SavedEntity, **values: object) -> Json:
    return {"pageinfo": {"lastrevid": saved.revision}, "success": 1, **values}


def value_text(data: DataValue) -> str:
    """Return a value as one short text: the string itself, an id, a time, or the text of a language."""
    if data["type"] == "wikibase-entityid":
        return data["value"]["id"]
    if data["type"] == "time":
        return data["value"]["time"]
    return data["value"]["text"] if data["type"] == "monolingualtext" else str(data["value"])


def describe(snak: SnakJson) -> str:
    """Return a snak as summaries show it: the property's link and the value."""
    text = snak["snaktype"]
    if "datavalue" in snak:
        data = snak["datavalue"]
        text = f"[[{value_text(data)}]]" if data["type"] == "wikibase-entityid" else value_text(data)
    return f"[[Property:{snak['property']}]]: {text}"


def parse_json(text: str) -> object:
    """Return the JSON value, None where the text is not JSON."""
    try:
        return json.loads(text)
    except ValueError:
        return None


def statement_id(call: Call, name: str) -> str:
    guid = call.get(name)
    if not snaks.is_guid(guid):
        raise named_error("invalid-guid")
    return guid


def statement_in(entity: EntityJson, guid: str) -> StatementJson:
    """Return the statement; raises the wiki's refusal where it is gone."""
    found = entity_json.find_statement(entity, guid)
    if found is None:
        raise named_error("no-such-claim")
    return found


def read_statement(call: Call, raw: object, entity: str = "") -> StatementJson:
    """Return a valid statement in normal form; with `entity`, an identifier must belong to that entity."""
    try:
        done = snaks.normal_statement(raw, call.site.repository.datatype)
    except snaks.MalformedJson:
        raise named_error("invalid-claim", UNREADABLE_CLAIM) from None
    if entity and "id" in done:
        snaks.check_guid(done["id"], entity)
    check_snaks(call, snaks.snaks_of(done))
    return done


def check_snaks(call: Call, found: list[SnakJson]) -> None:
    snaks.check_values(found, call.site.repository.exists)


def read_snak(call: Call, prop: str) -> SnakJson:
    """Build a snak from the parameters snaktype and value; the value's type follows from the property."""
    datatype, kind = call.site.repository.datatype(prop.upper()), call.get("snaktype", "value")
    raw: Json = {"snaktype": kind, "property": prop}
    if kind == "value":
        if not call.flag("value"):
            raise ApiError("param-missing", "A parameter that is required was missing.")
        value_type = snaks.VALUE_TYPES.get(datatype or "", "string")
        raw["datavalue"] = {"type": value_type, "value": parse_json(call.get("value"))}
    try:
        return snaks.normal_snak(raw, call.site.repository.datatype)
    except snaks.MalformedJson:
        raise named_error("invalid-snak") from None
