"""Writing statements, their values, references and qualifiers: wbsetclaim, wbcreateclaim, wbsetreference, wbsetqualifier and what removes them."""

from collections.abc import Collection
from typing import TypeVar

from bot.sandbox import editing, entity_json, snaks
from bot.sandbox.call import Call, Json, action
from bot.sandbox.entity_json import EntityJson, ReferenceJson, SnakJson, StatementJson
from bot.sandbox.messages import error_with_text, named_error

Hashed = TypeVar("Hashed", SnakJson, ReferenceJson)


@action("wbsetclaim")
def wbsetclaim(call: Call) -> Json:
    """Write one whole statement under the identifier that the client made."""
    raw = editing.parse_json(call.get("claim"))
    if not isinstance(raw, dict):
        raise named_error("invalid-claim", editing.UNREADABLE_CLAIM)
    guid = raw.get("id")
    if guid is None:
        raise named_error("invalid-claim", "GUID must be set when setting a claim")
    if not snaks.is_guid(guid):
        raise named_error("modification-failed", "Statement does not have a valid GUID")

    def change(entity: EntityJson) -> tuple[EntityJson, str]:
        done = editing.read_statement(call, raw)
        verb = "update" if entity_json.find_statement(entity, guid) else "create"
        index = call.number("index") if call.get("index") else None
        return entity_json.put_statement(
            entity, done, index
        ), f"/* wbsetclaim-{verb}:2||1 */ {editing.describe(done['mainsnak'])}"

    saved, new = editing.edit(call, snaks.entity_of(guid), change)
    return editing.success_answer(saved, claim=entity_json.find_statement(new, guid))


@action("wbcreateclaim")
def wbcreateclaim(call: Call) -> Json:
    """Add a statement with a main snak only; the server makes the identifier."""
    entity_id, prop = call.get("entity").upper(), call.get("property")
    stored, _ = call.site.repository.base_and_newest(entity_id, call.number("baserevid"))
    if call.site.repository.datatype(prop.upper()) is None:
        raise named_error("no-such-entity")  # the wiki forgets to fill in the parameter of this message
    main = editing.read_snak(call, prop)
    guid = snaks.new_guid(stored.entity["id"])
    done: StatementJson = {"mainsnak": main, "type": "statement", "id": guid, "rank": "normal"}

    def change(entity: EntityJson) -> tuple[EntityJson, str]:
        editing.check_snaks(call, [main])
        return entity_json.put_statement(entity, done), f"/* wbcreateclaim-create:1| */ {editing.describe(main)}"

    saved, new = editing.edit(call, entity_id, change)
    return editing.success_answer(saved, claim=entity_json.find_statement(new, done["id"]))


@action("wbsetclaimvalue")
def wbsetclaimvalue(call: Call) -> Json:
    """Change the main snak of a statement."""

    def change(old: StatementJson) -> tuple[StatementJson, str]:
        main = editing.read_snak(call, old["mainsnak"]["property"])
        done: StatementJson = {**old, "mainsnak": main}
        editing.check_snaks(call, snaks.snaks_of(done))
        return done, f"/* wbsetclaimvalue:1| */ {editing.describe(main)}"

    saved, claim = editing.edit_statement(call, editing.statement_id(call, "claim"), change)
    return editing.success_answer(saved, claim=claim)


@action("wbremoveclaims")
def wbremoveclaims(call: Call) -> Json:
    """Remove statements of one entity."""
    guids = call.list_value("claim")
    owners = {snaks.entity_of(guid) for guid in guids}
    if not all(snaks.is_guid(guid) for guid in guids):
        raise named_error("invalid-guid")
    if len(owners) != 1:
        raise error_with_text("invalid-guid", "All claims must belong to the same entity.")

    def change(entity: EntityJson) -> tuple[EntityJson, str]:
        removed = [editing.statement_in(entity, guid) for guid in guids]
        for one in removed:
            entity = entity_json.remove_statement(entity, one["id"])
        return entity, f"/* wbremoveclaims-remove:{len(removed)}| */ " + ", ".join(
            editing.describe(g["mainsnak"]) for g in removed
        )

    saved, _ = editing.edit(call, owners.pop(), change)
    return editing.success_answer(saved, claims=guids)


@action("wbsetreference")
def wbsetreference(call: Call) -> Json:
    """Add a reference to a statement, or replace the one with the given hash; a second of the same hash is refused."""
    raw, order = editing.parse_json(call.get("snaks")), editing.parse_json(call.get("snaks-order") or "null")
    done: list[ReferenceJson] = []

    def change(old: StatementJson) -> tuple[StatementJson, str]:
        new, references = _reference(call, raw, order), list(old.get("references", ()))
        done.append(new)
        at = _position(references, call.get("reference"), "reference")
        _put(references, new, at, "reference", call.number("index", len(references)))
        editing.check_snaks(call, entity_json.flattened_snaks(new["snaks"]))
        verb = "add" if at is None else "set"
        comment = f"/* wbsetreference-{verb}:2| */ {editing.describe(old['mainsnak'])}"
        return {**old, "references": references}, comment

    saved, _ = editing.edit_statement(call, editing.statement_id(call, "statement"), change)
    return editing.success_answer(saved, reference=done[-1])


@action("wbremovereferences")
def wbremovereferences(call: Call) -> Json:
    """Remove references by hash; the same hash may be named more than once."""
    removed = list(dict.fromkeys(call.list_value("references")))

    def change(old: StatementJson) -> tuple[StatementJson, str]:
        done: StatementJson = {**old, "references": _without(old.get("references", []), removed, "reference")}
        if not done["references"]:
            del done["references"]
        return done, f"/* wbremovereferences-remove:2||{len(removed)} */ {editing.describe(old['mainsnak'])}"

    saved, _ = editing.edit_statement(call, editing.statement_id(call, "statement"), change)
    return editing.success_answer(saved)


@action("wbsetqualifier")
def wbsetqualifier(call: Call) -> Json:
    """Add a qualifier to a statement, or replace the one with the given hash."""

    def change(old: StatementJson) -> tuple[StatementJson, str]:
        flat = entity_json.flattened_snaks(old.get("qualifiers", {}))
        at = _position(flat, call.get("snakhash"), "qualifier")
        done = editing.read_snak(call, call.get("property") or flat[at or 0]["property"])
        _put(flat, done, at, "qualifier", len(flat))
        editing.check_snaks(call, [done])
        verb = "add" if at is None else "update"
        return _qualified(old, flat), f"/* wbsetqualifier-{verb}:1| */ {editing.describe(done)}"

    saved, claim = editing.edit_statement(call, editing.statement_id(call, "claim"), change)
    return editing.success_answer(saved, claim=claim)


@action("wbremovequalifiers")
def wbremovequalifiers(call: Call) -> Json:
    """Remove qualifiers by hash."""
    removed = set(call.list_value("qualifiers"))

    def change(old: StatementJson) -> tuple[StatementJson, str]:
        left = _without(entity_json.flattened_snaks(old.get("qualifiers", {})), removed, "qualifier")
        comment = f"/* wbremovequalifiers-remove:{len(removed)}| */ {editing.describe(old['mainsnak'])}"
        return _qualified(old, left), comment

    saved, _ = editing.edit_statement(call, editing.statement_id(call, "claim"), change)
    return editing.success_answer(saved)


def _reference(call: Call, raw: object, order: object) -> ReferenceJson:
    try:
        return snaks.normal_reference({"snaks": raw}, call.site.repository.datatype, order)
    except snaks.MalformedJson:
        raise error_with_text("invalid-snak", "Failed to get reference from reference Serialization") from None


def _position(existing: list[Hashed], replaced: str, kind: str) -> int | None:
    """Return the index of the replaced reference or qualifier, None for an addition; refuse an unknown hash."""
    if not replaced:
        return None
    found = next((n for n, one in enumerate(existing) if one["hash"] == replaced), None)
    if found is None:
        raise named_error(f"no-such-{kind}")
    return found


def _put(existing: list[Hashed], new: Hashed, at: int | None, kind: str, index: int) -> None:
    """Replace the reference or qualifier `at` a place, or add one at an index; refuse a second of the same hash."""
    if any(one["hash"] == new["hash"] for n, one in enumerate(existing) if n != at):
        raise named_error("modification-failed", f"The statement has already a {kind} with hash {new['hash']}")
    if at is None:
        existing.insert(index, new)
    else:
        existing[at] = new


def _without(existing: list[Hashed], removed: Collection[str], kind: str) -> list[Hashed]:
    if set(removed) - {one["hash"] for one in existing}:
        raise named_error(f"no-such-{kind}")
    return [one for one in existing if one["hash"] not in removed]


def _qualified(statement: StatementJson, flat: list[SnakJson]) -> StatementJson:
    done: StatementJson = {**statement}
    done.pop("qualifiers", None)
    done.pop("qualifiers-order", None)
    if flat:
        done["qualifiers"] = snaks.group_by_property(flat)
        done["qualifiers-order"] = list(done["qualifiers"])
    return done
