"""Writing statements: wbsetclaim, wbcreateclaim, wbsetclaimvalue, wbremoveclaims."""

from __future__ import annotations

from bot.sandbox import entity_json, hashes, snaks
from bot.sandbox.call import Call, Json, action
from bot.sandbox.editing import (
    UNREADABLE_CLAIM,
    check,
    describe,
    edit,
    edit_statement,
    parse_json,
    read_snak,
    read_statement,
    statement_id,
    statement_in,
    success,
)
from bot.sandbox.entity_json import EntityJson, StatementJson
from bot.sandbox.messages import refusal, reworded


@action("wbsetclaim")
def wbsetclaim(call: Call) -> Json:
    """Write one whole statement under the identifier that the client made."""
    raw = parse_json(call.get("claim"))
    if not isinstance(raw, dict):
        raise refusal("invalid-claim", UNREADABLE_CLAIM)
    guid = raw.get("id")
    if guid is None:
        raise refusal("invalid-claim", "GUID must be set when setting a claim")
    if not snaks.is_guid(guid):
        raise refusal("modification-failed", "Statement does not have a valid GUID")

    def change(entity: EntityJson) -> tuple[EntityJson, str]:
        done = read_statement(call, raw)
        verb = "update" if entity_json.find(entity, guid) else "create"
        index = call.number("index") if call.get("index") else None
        return entity_json.put(entity, done, index), f"/* wbsetclaim-{verb}:2||1 */ {describe(done['mainsnak'])}"

    saved, new = edit(call, snaks.entity_of(guid), change)
    return success(saved, claim=entity_json.find(new, guid))


@action("wbcreateclaim")
def wbcreateclaim(call: Call) -> Json:
    """Add a statement with a main snak only; the server makes the identifier."""
    entity_id, prop = call.get("entity").upper(), call.get("property")
    stored, _ = call.site.repository.base(entity_id, call.number("baserevid"))
    if call.site.repository.datatype(prop.upper()) is None:
        raise refusal("no-such-entity")  # the wiki forgets to fill in the parameter of this message
    main = read_snak(call, prop)
    done: StatementJson = {
        "mainsnak": main,
        "type": "statement",
        "id": hashes.new_guid(stored.entity["id"]),
        "rank": "normal",
    }

    def change(entity: EntityJson) -> tuple[EntityJson, str]:
        check(call, [main])
        return entity_json.put(entity, done), f"/* wbcreateclaim-create:1| */ {describe(main)}"

    saved, new = edit(call, entity_id, change)
    return success(saved, claim=entity_json.find(new, done["id"]))


@action("wbsetclaimvalue")
def wbsetclaimvalue(call: Call) -> Json:
    """Change the main snak of a statement."""

    def change(old: StatementJson) -> tuple[StatementJson, str]:
        main = read_snak(call, old["mainsnak"]["property"])
        done: StatementJson = {**old, "mainsnak": main}
        check(call, snaks.snaks_of(done))
        return done, f"/* wbsetclaimvalue:1| */ {describe(main)}"

    saved, claim = edit_statement(call, statement_id(call, "claim"), change)
    return success(saved, claim=claim)


@action("wbremoveclaims")
def wbremoveclaims(call: Call) -> Json:
    """Remove statements of one entity."""
    guids = call.several("claim")
    owners = {snaks.entity_of(guid) for guid in guids}
    if not all(snaks.is_guid(guid) for guid in guids):
        raise refusal("invalid-guid")
    if len(owners) != 1:
        raise reworded("invalid-guid", "All claims must belong to the same entity.")

    def change(entity: EntityJson) -> tuple[EntityJson, str]:
        gone = [statement_in(entity, guid) for guid in guids]
        for one in gone:
            entity = entity_json.remove(entity, one["id"])
        return entity, f"/* wbremoveclaims-remove:{len(gone)}| */ " + ", ".join(describe(g["mainsnak"]) for g in gone)

    saved, _ = edit(call, owners.pop(), change)
    return success(saved, claims=guids)
