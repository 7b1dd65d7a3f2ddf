"""The additive-only proof on entity JSON."""

from __future__ import annotations

import copy
from typing import Any

from bot.records import Reference
from bot.write import payload, state

REFERENCE = payload.reference(Reference((("P854", "url", "https://example.org/a"),)))
OTHER = payload.reference(Reference((("P248", "wikibase-item", "Q42"), ("P813", "time", "+2026-11-20T00:00:00Z"))))


def entity(*claims: dict[str, Any]) -> dict[str, Any]:
    return {"id": "Q1", "lastrevid": 7, "claims": {"P2534": copy.deepcopy(list(claims))}}


def claim(guid: str, tex: str = "E=mc^2", *references: dict[str, Any], rank: str = "normal") -> dict[str, Any]:
    made = payload.claim(guid, "P2534", tex, ())
    return {**made, "rank": rank, "references": list(references)}


def test_one_new_statement_is_no_harm() -> None:
    assert state.harm(entity(claim("Q1$a")), entity(claim("Q1$a"), claim("Q1$b", "p=mv")), added="Q1$b") == []


def test_a_lost_statement_is_named() -> None:
    assert state.harm(entity(claim("Q1$a")), entity(claim("Q1$b")), added="Q1$b") == ["statement Q1$a was removed"]


def test_a_changed_value_rank_qualifier_or_reference_is_named() -> None:
    old = claim("Q1$a", "E=mc^2", REFERENCE)
    changed = [
        claim("Q1$a", "E=mc^3", REFERENCE),
        claim("Q1$a", "E=mc^2", REFERENCE, rank="deprecated"),
        claim("Q1$a", "E=mc^2"),
        claim("Q1$a", "E=mc^2", REFERENCE, OTHER),
        {**claim("Q1$a", "E=mc^2", REFERENCE), "qualifiers": {"P1": [payload.snak("P1", "string", "x")]}},
    ]
    for now in changed:
        assert state.harm(entity(old), entity(now, claim("Q1$b")), added="Q1$b") == ["statement Q1$a was changed"]


def test_a_stranger_or_a_missing_new_statement_is_named() -> None:
    assert state.harm(entity(), entity(claim("Q1$x")), added="Q1$b") == [
        "statement Q1$x appeared",
        "the new statement Q1$b is not there",
    ]


def test_a_statement_that_gains_exactly_the_planned_reference_is_no_harm() -> None:
    before, after = entity(claim("Q1$a", "E=mc^2", OTHER)), entity(claim("Q1$a", "E=mc^2", OTHER, REFERENCE))
    assert state.harm(before, after, grown="Q1$a", reference=REFERENCE) == []
    assert state.harm(before, before, grown="Q1$a", reference=REFERENCE)
    replaced = entity(claim("Q1$a", "E=mc^2", REFERENCE))
    assert state.harm(before, replaced, grown="Q1$a", reference=REFERENCE)


def test_hashes_key_order_and_the_two_forms_of_item_values_do_not_count() -> None:
    with_hash = copy.deepcopy(OTHER)
    with_hash["hash"] = "abc"
    del with_hash["snaks"]["P248"][0]["datavalue"]["value"]["id"]
    with_hash["snaks"] = dict(reversed(with_hash["snaks"].items()))
    assert state.fingerprint(entity(claim("Q1$a", "x", OTHER))) == state.fingerprint(
        entity(claim("Q1$a", "x", with_hash))
    )


def test_an_item_without_claims_has_no_statements() -> None:
    assert state.statements({"id": "Q1", "claims": []}) == {}
    assert state.statements({"id": "Q1"}) == {}
