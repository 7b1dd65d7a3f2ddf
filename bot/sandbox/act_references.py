"""Writing what hangs on a statement: references and qualifiers, each known by its hash."""

from __future__ import annotations

from typing import Any

from bot.sandbox import datavalues, entity_json, snaks
from bot.sandbox.call import Call, action
from bot.sandbox.editing import claim_answer, describe, edit, main_snak, parse_json, standing, statement_id
from bot.sandbox.messages import modification_failed, refusal

Json = dict[str, Any]


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
        datavalues.check(snaks.snaks_in(done), call.site.repository.exists)
        if at is None:
            references.insert(call.number("index", len(references)), done)
        else:
            references[at] = done
        verb = "add" if at is None else "set"
        comment = f"/* wbsetreference-{verb}:2| */ {describe(old['mainsnak'])}"
        return entity_json.put(entity, {**old, "references": references}), comment

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
        return entity_json.put(
            entity, done
        ), f"/* wbremovereferences-remove:2||{len(gone)} */ {describe(old['mainsnak'])}"

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
        done = main_snak(call, call.get("property") or flat[at or 0]["property"])
        if any(one["hash"] == done["hash"] for n, one in enumerate(flat) if n != at):
            raise modification_failed(f"The statement has already a qualifier with hash {done['hash']}")
        datavalues.check([done], call.site.repository.exists)
        if at is None:
            flat.append(done)
        else:
            flat[at] = done
        verb = "add" if at is None else "update"
        return (
            entity_json.put(entity, _qualified(old, flat)),
            f"/* wbsetqualifier-{verb}:1| */ {describe(done)}",
        )

    saved, new = edit(call, snaks.entity_of(guid), change)
    return claim_answer(saved, entity_json.find(new, guid))


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
        return entity_json.put(entity, _qualified(old, left)), comment

    saved, _ = edit(call, snaks.entity_of(guid), change)
    return {"pageinfo": {"lastrevid": saved.revision}, "success": 1}


def _reference(call: Call, raw: Any, order: Any) -> Json:
    try:
        return snaks.reference({"snaks": raw}, call.site.repository.datatype, order)
    except snaks.Malformed:
        said = "Failed to get reference from reference Serialization"
        raise refusal("invalid-snak", "wikibase-api-invalid-snak", said) from None


def _qualified(statement: Json, flat: list[Json]) -> Json:
    done = {key: value for key, value in statement.items() if not key.startswith("qualifiers")}
    groups: dict[str, list[Json]] = {}
    for one in flat:
        groups.setdefault(one["property"], []).append(one)
    return {**done, "qualifiers": groups, "qualifiers-order": list(groups)} if groups else done
