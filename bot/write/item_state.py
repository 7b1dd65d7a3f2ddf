"""What an item said before and says after: fingerprints of statements, and the proof that an edit only added.

Works on entity JSON; hashes and the order of keys do not count, values, qualifiers, references and ranks do. Values are
compared as the wiki stores them.
"""

from collections.abc import Iterable, Mapping

from bot.messages import Message
from bot.propose.own_claims import normalised
from bot.records import digest
from bot.wikibase import Json


def statements(entity: Json) -> dict[str, Json]:
    """Return GUID -> statement of every property. GUIDs keep the letter case they were stored with."""
    claims = entity.get("claims") or {}
    return {s["id"]: s for group in (claims.values() if isinstance(claims, dict) else claims) for s in group}


def fingerprint(entity: Json, property_id: str = "") -> dict[str, str]:
    """Return GUID -> digest of what the statement says; of one property where given."""
    return {
        guid: _digest(s) for guid, s in statements(entity).items() if property_id in ("", s["mainsnak"]["property"])
    }


def statement_content(statement: Json) -> Json:
    """Return what a statement says, without hashes: main snak, rank, qualifiers, references in order."""
    return {
        "mainsnak": _snak(statement["mainsnak"]),
        "rank": statement.get("rank", "normal"),
        "qualifiers": _snak_groups(statement.get("qualifiers")),
        "references": sorted((reference_content(r) for r in statement.get("references", [])), key=digest),
    }


def without_references(statement: Json) -> Json:
    """Return the content of a statement without its sources."""
    return {part: content for part, content in statement_content(statement).items() if part != "references"}


def changed_parts(found: Json, payload: Json) -> list[str]:
    """Return the parts of a statement that differ from how we left it."""
    left, now = statement_content(payload), statement_content(found)
    return [part for part in left if left[part] != now[part]]


def reference_hash(statement: Json, reference: Json) -> str:
    """Return the server's hash of a reference that says the same, "" where there is none."""
    wanted = reference_content(reference)
    for one in statement.get("references", []):
        if reference_content(one) == wanted:
            return str(one.get("hash", ""))
    return ""


def reference_content(reference: Json) -> Json:
    """Return the content of a reference, independent of the order of its properties."""
    return _snak_groups(reference.get("snaks"))


def contains(entity: Json, guid: str, payload: Json) -> bool:
    """Say whether a statement is there, and with it the reference where `payload` is one and not a whole claim."""
    found = statements(entity).get(guid)
    if found is None or not payload or "mainsnak" in payload:
        return found is not None
    wanted = reference_content(payload)
    return any(reference_content(r) == wanted for r in found.get("references", []))


def changed_since_plan(planned: dict[str, str], now: Json, additions: Iterable[tuple[str, Json]]) -> set[str]:
    """Return the GUIDs whose statements differ from the fingerprints that were planned on, but for what we said since.

    `additions`: GUID and payload (a whole claim, or one reference) of each edit of our own since then.
    """
    whole: dict[str, Json] = {}
    added: dict[str, list[Json]] = {}
    for guid, payload in additions:
        if "mainsnak" in payload:
            whole[guid] = payload
        elif payload:
            added.setdefault(guid, []).append(reference_content(payload))
    found = statements(now)
    changed = planned.keys() - found.keys()
    for guid, statement in found.items():
        wanted = planned.get(guid) or (_digest(whole[guid]) if guid in whole else "")
        other_references = [
            r for r in statement.get("references", []) if reference_content(r) not in added.get(guid, ())
        ]
        if wanted not in (_digest(statement), _digest({**statement, "references": other_references})):
            changed = changed | {guid}
    return set(changed)


def unplanned_changes(
    before: Json,
    after: Json,
    *,
    added: Mapping[str, Json] | None = None,
    grown: str = "",
    reference: Json | None = None,
) -> list[Message]:
    """Return what an edit did that it should not have; an empty list is the additive-only proof.

    `added`: GUID and payload of each new statement. `grown`: GUID of the one statement that gained `reference`.
    """
    old, new, found = fingerprint(before), fingerprint(after), statements(after)
    added = added or {}
    wrong = [Message("harm.removed", guid=g) for g in old if g not in new]
    wrong += [Message("harm.changed", guid=g) for g in old if g in new and old[g] != new[g] and g != grown]
    wrong += [Message("harm.appeared", guid=g) for g in new if g not in old and g not in added]
    wrong += [Message("harm.not_added", guid=g) for g in added if g not in new]
    changed = {g: changed_parts(found[g], payload) for g, payload in added.items() if g in found}
    wrong += [Message("harm.not_as_planned", guid=g, code_parts=", ".join(c)) for g, c in changed.items() if c]
    if grown:
        wrong += _reference_problems(statements(before).get(grown), statements(after).get(grown), reference)
    return wrong


def only_gained_reference(old: Json, new: Json, reference: Json) -> bool:
    """Say whether a statement gained exactly this reference and changed in nothing else."""
    return not _reference_problems(old, new, reference)


def _reference_problems(old: Json | None, new: Json | None, reference: Json | None) -> list[Message]:
    if old is None or new is None or reference is None:
        return [Message("harm.not_grown")]
    was, now = statement_content(old), statement_content(new)
    expected = sorted([*was["references"], reference_content(reference)], key=digest)
    wrong = [
        Message("harm.part", code_part=part) for part in ("mainsnak", "rank", "qualifiers") if was[part] != now[part]
    ]
    return wrong + ([] if now["references"] == expected else [Message("harm.references")])


def _digest(statement: Json) -> str:
    return digest(statement_content(statement), length=16)


def _snak_groups(snaks: Json | None) -> Json:
    return {prop: sorted((_snak(s) for s in group), key=digest) for prop, group in (snaks or {}).items()}


def _snak(snak: Json) -> Json:
    value = (snak.get("datavalue") or {}).get("value")
    if isinstance(value, dict) and "numeric-id" in value:  # older clients leave "id" out
        value = {"entity-type": value.get("entity-type"), "numeric-id": value["numeric-id"]}
    if isinstance(value, str):
        value = normalised(value)
    elif isinstance(value, dict) and "text" in value:
        value = {**value, "text": normalised(value["text"])}
    return {"property": snak["property"], "snaktype": snak["snaktype"], "value": value}
