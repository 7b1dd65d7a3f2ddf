"""Writing statements: wbsetclaim, wbcreateclaim, wbsetclaimvalue, wbremoveclaims."""

from __future__ import annotations

from typing import Any

from bot.sandbox import entity_json, hashes, snaks
from bot.sandbox.call import Call, action
from bot.sandbox.editing import check, claim_answer, describe, edit, main_snak, parse_json, standing, statement_id
from bot.sandbox.messages import invalid_claim, modification_failed, refusal

Json = dict[str, Any]


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
        old = entity_json.find(entity, guid)
        index = call.number("index") if call.get("index") else None
        verb = "update" if old else "create"
        return entity_json.put(entity, done, index), f"/* wbsetclaim-{verb}:2||1 */ {describe(done['mainsnak'])}"

    saved, new = edit(call, snaks.entity_of(guid), change)
    return claim_answer(saved, entity_json.find(new, guid))


@action("wbcreateclaim")
def wbcreateclaim(call: Call) -> Json:
    """Add a statement with a main snak only; the server makes the identifier."""
    entity_id, guid = call.get("entity").upper(), ""
    stored, _ = call.site.repository.base(entity_id, call.number("baserevid"))
    if call.site.repository.datatype(call.get("property").upper()) is None:
        # The wiki forgets to fill in the parameter of this message.
        raise refusal("no-such-entity", "wikibase-api-no-such-entity", 'Could not find an entity with the ID "$1".')
    main = main_snak(call, call.get("property"))
    guid = hashes.new_guid(stored.entity["id"])

    def change(entity: Json) -> tuple[Json, str]:
        done = {"mainsnak": main, "type": "statement", "id": guid, "rank": "normal"}
        check(call, done)
        return entity_json.put(entity, done), f"/* wbcreateclaim-create:1| */ {describe(main)}"

    saved, new = edit(call, entity_id, change)
    return claim_answer(saved, entity_json.find(new, guid))


@action("wbsetclaimvalue")
def wbsetclaimvalue(call: Call) -> Json:
    """Change the main snak of a standing statement."""
    guid = statement_id(call, "claim")

    def change(entity: Json) -> tuple[Json, str]:
        old = standing(entity, guid)
        main = main_snak(call, old["mainsnak"]["property"])
        done = {**old, "mainsnak": main}
        check(call, done)
        return entity_json.put(entity, done), f"/* wbsetclaimvalue:1| */ {describe(main)}"

    saved, new = edit(call, snaks.entity_of(guid), change)
    return claim_answer(saved, entity_json.find(new, guid))


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
            entity = entity_json.remove(entity, one["id"])
        return entity, f"/* wbremoveclaims-remove:{len(gone)}| */ " + ", ".join(describe(g["mainsnak"]) for g in gone)

    saved, _ = edit(call, owners.pop(), change)
    return {"pageinfo": {"lastrevid": saved.revision}, "success": 1, "claims": guids}


def _statement(call: Call, raw: Json) -> Json:
    try:
        done = snaks.statement(raw, call.site.repository.datatype)
    except snaks.Malformed:
        said = "Failed to get claim from claim Serialization Failed to get statement from Serialization"
        raise invalid_claim(said) from None
    check(call, done)
    return done
