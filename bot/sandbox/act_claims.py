"""Writing statements: wbsetclaim, wbcreateclaim, wbsetclaimvalue, wbremoveclaims, references and qualifiers."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from bot.sandbox import entities, hashes, snaks, values
from bot.sandbox.api import Call, action
from bot.sandbox.messages import (
    PATCHED,
    SELF_PATCHED,
    ApiError,
    invalid_claim,
    invalid_snak,
    modification_failed,
    no_such_claim,
    refusal,
)
from bot.sandbox.repository import Saved

Json = dict[str, Any]
_WARNINGS = {message.name: message for message in (PATCHED, SELF_PATCHED)}
# What an edit makes of the entity it was given: the new entity and the automatic half of the summary.
Change = Callable[[Json], tuple[Json, str]]


@action("wbsetclaim")
def wbsetclaim(call: Call) -> Json:
    """Write one whole statement under the identifier that the client made."""
    raw = parse_json(call.get("claim"))
    if not isinstance(raw, dict):
        raise invalid_claim("Failed to get claim from claim Serialization Failed to get statement from Serialization")
    guid = raw.get("id")
    if guid is None:
        raise invalid_claim("GUID must be set when setting a claim")
    if not snaks.is_guid(guid):
        raise modification_failed("Statement does not have a valid GUID")

    def change(entity: Json) -> tuple[Json, str]:
        done = _statement(call, raw)
        old = entities.find(entity, guid)
        index = call.number("index") if call.get("index") else None
        verb = "update" if old else "create"
        return entities.put(entity, done, index), f"/* wbsetclaim-{verb}:2||1 */ {describe(done['mainsnak'])}"

    saved, new = edit(call, snaks.entity_of(guid), change)
    return claim_answer(saved, entities.find(new, guid))


@action("wbcreateclaim")
def wbcreateclaim(call: Call) -> Json:
    """Add a statement with a main snak only; the server makes the identifier."""
    entity_id, guid = call.get("entity").upper(), ""
    stored, _ = call.site.repository.base(entity_id, call.number("baserevid"))
    if call.site.repository.datatype(call.get("property").upper()) is None:
        # The wiki forgets to fill in the parameter of this message.
        raise refusal("no-such-entity", "wikibase-api-no-such-entity", 'Could not find an entity with the ID "$1".')
    main = _main_snak(call, call.get("property"))
    guid = hashes.new_guid(stored.entity["id"])

    def change(entity: Json) -> tuple[Json, str]:
        done = {"mainsnak": main, "type": "statement", "id": guid, "rank": "normal"}
        check(call, done)
        return entities.put(entity, done), f"/* wbcreateclaim-create:1| */ {describe(main)}"

    saved, new = edit(call, entity_id, change)
    return claim_answer(saved, entities.find(new, guid))


@action("wbsetclaimvalue")
def wbsetclaimvalue(call: Call) -> Json:
    """Change the main snak of a standing statement."""
    guid = statement_id(call, "claim")

    def change(entity: Json) -> tuple[Json, str]:
        old = standing(entity, guid)
        main = _main_snak(call, old["mainsnak"]["property"])
        done = {**old, "mainsnak": main}
        check(call, done)
        return entities.put(entity, done), f"/* wbsetclaimvalue:1| */ {describe(main)}"

    saved, new = edit(call, snaks.entity_of(guid), change)
    return claim_answer(saved, entities.find(new, guid))


@action("wbremoveclaims")
def wbremoveclaims(call: Call) -> Json:
    """Take statements of one entity away."""
    guids = call.several("claim")
    owners = {snaks.entity_of(guid) for guid in guids}
    if not all(snaks.is_guid(guid) for guid in guids):
        raise refusal("invalid-guid", "wikibase-api-invalid-guid", "Invalid claim GUID.")
    if len(owners) != 1:
        raise refusal("invalid-guid", "wikibase-api-invalid-guid", "All claims must belong to the same entity.")

    def change(entity: Json) -> tuple[Json, str]:
        gone = [standing(entity, guid) for guid in guids]
        for one in gone:
            entity = entities.remove(entity, one["id"])
        return entity, f"/* wbremoveclaims-remove:{len(gone)}| */ " + ", ".join(describe(g["mainsnak"]) for g in gone)

    saved, _ = edit(call, owners.pop(), change)
    return {"pageinfo": {"lastrevid": saved.revision}, "success": 1, "claims": guids}


@action("wbsetreference")
def wbsetreference(call: Call) -> Json:
    """Add a reference to a statement, or replace the one with the given hash; a second of the same hash is refused."""
    guid, old_hash = statement_id(call, "statement"), call.get("reference")
    raw, order = parse_json(call.get("snaks")), parse_json(call.get("snaks-order") or "null")
    done: Json = {}

    def change(entity: Json) -> tuple[Json, str]:
        nonlocal done
        old = standing(entity, guid)
        done = _reference(call, raw, order)
        references = list(old.get("references", ()))
        at = next((n for n, ref in enumerate(references) if ref["hash"] == old_hash), None)
        if old_hash and at is None:
            raise refusal("no-such-reference", "wikibase-api-no-such-reference", "Could not find such a reference.")
        if any(ref["hash"] == done["hash"] for n, ref in enumerate(references) if n != at):
            raise modification_failed(f"The statement has already a reference with hash {done['hash']}")
        values.check(snaks.snaks_in(done), call.site.repository.exists)
        if at is None:
            references.insert(call.number("index", len(references)), done)
        else:
            references[at] = done
        verb = "add" if at is None else "set"
        comment = f"/* wbsetreference-{verb}:2| */ {describe(old['mainsnak'])}"
        return entities.put(entity, {**old, "references": references}), comment

    saved, _ = edit(call, snaks.entity_of(guid), change)
    return {"pageinfo": {"lastrevid": saved.revision}, "success": 1, "reference": done}


@action("wbremovereferences")
def wbremovereferences(call: Call) -> Json:
    """Take references away by hash; the same hash may be named more than once."""
    guid, gone = statement_id(call, "statement"), list(dict.fromkeys(call.several("references")))

    def change(entity: Json) -> tuple[Json, str]:
        old = standing(entity, guid)
        references = list(old.get("references", ()))
        if any(all(ref["hash"] != wanted for ref in references) for wanted in gone):
            raise refusal("no-such-reference", "wikibase-api-no-such-reference", "Could not find such a reference.")
        left = [ref for ref in references if ref["hash"] not in gone]
        done = {key: value for key, value in old.items() if key != "references"}
        if left:
            done["references"] = left
        return entities.put(entity, done), f"/* wbremovereferences-remove:2||{len(gone)} */ {describe(old['mainsnak'])}"

    saved, _ = edit(call, snaks.entity_of(guid), change)
    return {"pageinfo": {"lastrevid": saved.revision}, "success": 1}


@action("wbsetqualifier")
def wbsetqualifier(call: Call) -> Json:
    """Add a qualifier to a statement, or replace the one with the given hash."""
    guid, old_hash = statement_id(call, "claim"), call.get("snakhash")

    def change(entity: Json) -> tuple[Json, str]:
        old = standing(entity, guid)
        flat = [one for group in old.get("qualifiers", {}).values() for one in group]
        at = next((n for n, one in enumerate(flat) if one["hash"] == old_hash), None)
        if old_hash and at is None:
            raise refusal("no-such-qualifier", "wikibase-api-no-such-qualifier", "Could not find such a qualifier.")
        done = _main_snak(call, call.get("property") or flat[at or 0]["property"])
        if any(one["hash"] == done["hash"] for n, one in enumerate(flat) if n != at):
            raise modification_failed(f"The statement has already a qualifier with hash {done['hash']}")
        values.check([done], call.site.repository.exists)
        if at is None:
            flat.append(done)
        else:
            flat[at] = done
        verb = "add" if at is None else "update"
        return (
            entities.put(entity, _qualified(old, flat)),
            f"/* wbsetqualifier-{verb}:1| */ {describe(done)}",
        )

    saved, new = edit(call, snaks.entity_of(guid), change)
    return claim_answer(saved, entities.find(new, guid))


@action("wbremovequalifiers")
def wbremovequalifiers(call: Call) -> Json:
    """Take qualifiers away by hash."""
    guid, gone = statement_id(call, "claim"), set(call.several("qualifiers"))

    def change(entity: Json) -> tuple[Json, str]:
        old = standing(entity, guid)
        flat = [one for group in old.get("qualifiers", {}).values() for one in group]
        if gone - {one["hash"] for one in flat}:
            raise refusal("no-such-qualifier", "wikibase-api-no-such-qualifier", "Could not find such a qualifier.")
        left = [one for one in flat if one["hash"] not in gone]
        comment = f"/* wbremovequalifiers-remove:{len(gone)}| */ {describe(old['mainsnak'])}"
        return entities.put(entity, _qualified(old, left)), comment

    saved, _ = edit(call, snaks.entity_of(guid), change)
    return {"pageinfo": {"lastrevid": saved.revision}, "success": 1}


def edit(call: Call, entity: str, change: Change) -> tuple[Saved, Json]:
    """Make one edit inside one transaction; return what was saved and the entity as the editor meant it."""
    repository = call.site.repository
    with repository.db.writing():
        base, newest = repository.base(entity, call.number("baserevid"))
        new, automatic = change(base.entity)
        saved = repository.save(base, newest, new, call.hand(), summary(call, automatic))
    tell(call, saved)
    return saved, new


def tell(call: Call, saved: Saved) -> None:
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


def claim_answer(saved: Saved, claim: Json | None) -> Json:
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
    found = entities.find(entity, guid)
    if found is None:
        raise no_such_claim()
    return found


def check(call: Call, statement: Json) -> None:
    values.check(snaks.snaks_in(statement), call.site.repository.exists)


def _statement(call: Call, raw: Json) -> Json:
    try:
        done = snaks.statement(raw, call.site.repository.datatype)
    except snaks.Malformed:
        said = "Failed to get claim from claim Serialization Failed to get statement from Serialization"
        raise invalid_claim(said) from None
    check(call, done)
    return done


def _reference(call: Call, raw: Any, order: Any) -> Json:
    try:
        return snaks.reference({"snaks": raw}, call.site.repository.datatype, order)
    except snaks.Malformed:
        said = "Failed to get reference from reference Serialization"
        raise refusal("invalid-snak", "wikibase-api-invalid-snak", said) from None


def _main_snak(call: Call, prop: str) -> Json:
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


def _qualified(statement: Json, flat: list[Json]) -> Json:
    done = {key: value for key, value in statement.items() if not key.startswith("qualifiers")}
    groups: dict[str, list[Json]] = {}
    for one in flat:
        groups.setdefault(one["property"], []).append(one)
    return {**done, "qualifiers": groups, "qualifiers-order": list(groups)} if groups else done
