"""The additive-only proof on entity JSON."""

from __future__ import annotations

import copy
from typing import Any

from bot.records import Reference
from bot.write import item_state, payload

REFERENCE = payload.reference(Reference((("P854", "url", "https://example.org/a"),)))
OTHER = payload.reference(Reference((("P248", "wikibase-item", "Q42"), ("P813", "time", "+2026-11-20T00:00:00Z"))))


def entity(*claims: dict[str, Any]) -> dict[str, Any]:
    return {"id": "Q1", "lastrevid": 7, "claims": {"P2534": copy.deepcopy(list(claims))}}


def harm(*given: Any, **of: Any) -> list[str]:
    return list(map(str, item_state.unplanned_changes(*given, **of)))


def claim(guid: str, tex: str = "E=mc^2", *references: dict[str, Any], rank: str = "normal") -> dict[str, Any]:
    made = payload.claim(guid, "P2534", tex, ())
    return {**made, "rank": rank, "references": list(references)}


def test_one_new_statement_is_no_harm() -> None:
    assert (
        harm(entity(claim("Q1$a")), entity(claim("Q1$a"), claim("Q1$b", "p=mv")), added={"Q1$b": claim("Q1$b", "p=mv")})
        == []
    )


def test_a_lost_statement_is_named() -> None:
    assert harm(entity(claim("Q1$a")), entity(claim("Q1$b")), added={"Q1$b": claim("Q1$b")}) == [
        "statement Q1$a was removed"
    ]


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
        assert harm(entity(old), entity(now, claim("Q1$b")), added={"Q1$b": claim("Q1$b")}) == [
            "statement Q1$a was changed"
        ]


def test_a_stranger_or_a_missing_new_statement_is_named() -> None:
    assert harm(entity(), entity(claim("Q1$x")), added={"Q1$b": claim("Q1$b")}) == [
        "statement Q1$x appeared",
        "the new statement Q1$b is not there",
    ]


def test_a_new_statement_that_is_not_as_planned_is_named() -> None:
    planned = claim("Q1$b", "p=mv", REFERENCE)
    found = [
        (claim("Q1$b", "p=m", REFERENCE), "mainsnak"),
        (claim("Q1$b", "p=mv", REFERENCE, rank="preferred"), "rank"),
        (claim("Q1$b", "p=mv"), "references"),
        (claim("Q1$b", "p=mv", REFERENCE, OTHER), "references"),
    ]
    for now, part in found:
        said = [f"the new statement Q1$b is not as planned: {part}"]
        assert harm(entity(), entity(now), added={"Q1$b": planned}) == said


def test_values_are_compared_as_the_wiki_stores_them() -> None:
    """It composes letters with their accents, and trims."""

    def title(text: str) -> dict[str, Any]:
        return payload.reference(Reference((("P1476", "monolingualtext", f"de:{text}"),)))

    sent, stored = title("Einfu\u0308hrung "), title("Einf\u00fchrung")
    ours, theirs = claim("Q1$b", "u\u0308", sent), claim("Q1$b", "\u00fc", stored)
    assert harm(entity(), entity(theirs), added={"Q1$b": ours}) == []
    assert item_state.changed_parts(theirs, ours) == []
    before, after = entity(claim("Q1$a", "x")), entity(claim("Q1$a", "x", stored))
    assert harm(before, after, grown="Q1$a", reference=sent) == []
    assert item_state.contains(after, "Q1$a", sent)
    assert harm(before, entity(claim("Q1$a", "x", title("Ein"))), grown="Q1$a", reference=sent)


def test_a_statement_that_gains_exactly_the_planned_reference_is_no_harm() -> None:
    before, after = entity(claim("Q1$a", "E=mc^2", OTHER)), entity(claim("Q1$a", "E=mc^2", OTHER, REFERENCE))
    assert harm(before, after, grown="Q1$a", reference=REFERENCE) == []
    assert harm(before, before, grown="Q1$a", reference=REFERENCE)
    replaced = entity(claim("Q1$a", "E=mc^2", REFERENCE))
    assert harm(before, replaced, grown="Q1$a", reference=REFERENCE)


def test_hashes_key_order_and_the_two_forms_of_item_values_do_not_count() -> None:
    with_hash = copy.deepcopy(OTHER)
    with_hash["hash"] = "abc"
    del with_hash["snaks"]["P248"][0]["datavalue"]["value"]["id"]
    with_hash["snaks"] = dict(reversed(with_hash["snaks"].items()))
    assert item_state.fingerprint(entity(claim("Q1$a", "x", OTHER))) == item_state.fingerprint(
        entity(claim("Q1$a", "x", with_hash))
    )


def test_an_item_without_claims_has_no_statements() -> None:
    assert item_state.statements({"id": "Q1", "claims": []}) == {}
    assert item_state.statements({"id": "Q1"}) == {}


def test_a_reference_is_on_its_statement() -> None:
    item = entity(claim("Q1$a", "x", OTHER), claim("Q1$b", "y", REFERENCE))
    assert item_state.contains(item, "Q1$b", REFERENCE)
    assert not item_state.contains(item, "Q1$a", REFERENCE)
    assert not item_state.contains(item, "Q1$c", REFERENCE)
    assert item_state.contains(item, "Q1$a", {})
    assert item_state.contains(item, "Q1$a", claim("Q1$a", "another"))
    assert not item_state.contains(item, "Q1$c", {})


def test_the_servers_hash_is_of_the_reference_that_says_the_same() -> None:
    found = claim("Q1$a", "x", {**OTHER, "hash": "o"}, {**REFERENCE, "hash": "r"})
    assert (item_state.reference_hash(found, REFERENCE), item_state.reference_hash(found, OTHER)) == ("r", "o")
    assert item_state.reference_hash(claim("Q1$a", "x", OTHER), REFERENCE) == ""
    assert item_state.reference_hash(claim("Q1$a", "x", REFERENCE), REFERENCE) == ""


def test_parts_that_somebody_touched_are_named() -> None:
    ours = claim("Q1$a", "x", REFERENCE)
    qualified = {**ours, "qualifiers": {"P1": [payload.snak("P1", "string", "x")]}}
    assert item_state.changed_parts(ours, ours) == []
    assert item_state.changed_parts(claim("Q1$a", "y", REFERENCE, rank="preferred"), ours) == ["mainsnak", "rank"]
    assert item_state.changed_parts(claim("Q1$a", "x"), ours) == ["references"]
    assert item_state.changed_parts(qualified, ours) == ["qualifiers"]
    assert item_state.without_references(claim("Q1$a", "x")) == item_state.without_references(ours)
    assert item_state.without_references(qualified) != item_state.without_references(ours)


def test_fingerprint_of_one_property() -> None:
    item = entity(claim("Q1$a"))
    item["claims"]["P1"] = [payload.claim("Q1$z", "P1", "x", ())]
    assert item_state.fingerprint(item).keys() == {"Q1$a", "Q1$z"}
    assert item_state.fingerprint(item, "P1").keys() == {"Q1$z"}


def test_drift_is_what_others_changed_and_not_what_we_said() -> None:
    one, two = claim("Q1$a", "x", OTHER), claim("Q1$b", "y", REFERENCE)
    planned = item_state.fingerprint(entity(one))
    grown = claim("Q1$a", "x", OTHER, REFERENCE)
    assert item_state.changed_since_plan(planned, entity(one), ()) == set()
    assert item_state.changed_since_plan(planned, entity(), ()) == {"Q1$a"}
    assert item_state.changed_since_plan(planned, entity(one, two), ()) == {"Q1$b"}
    assert item_state.changed_since_plan(planned, entity(one, two), [("Q1$b", two)]) == set()
    assert item_state.changed_since_plan(planned, entity(one, claim("Q1$b", "z", REFERENCE)), [("Q1$b", two)]) == {
        "Q1$b"
    }
    assert item_state.changed_since_plan(planned, entity(grown), ()) == {"Q1$a"}
    assert item_state.changed_since_plan(planned, entity(grown), [("Q1$a", REFERENCE)]) == set()
    assert item_state.changed_since_plan(planned, entity(grown), [("Q1$b", REFERENCE)]) == {"Q1$a"}
    assert item_state.changed_since_plan(
        planned, entity(claim("Q1$a", "z", OTHER, REFERENCE)), [("Q1$a", REFERENCE)]
    ) == {"Q1$a"}
    assert item_state.changed_since_plan(planned, entity(one), [("Q1$a", {})]) == set()
    two_grown = claim("Q1$b", "y", REFERENCE, OTHER)
    assert item_state.changed_since_plan(planned, entity(one, two_grown), [("Q1$b", two), ("Q1$b", OTHER)]) == set()


def test_growth_names_what_else_changed() -> None:
    before, gone = entity(claim("Q1$a", "x", OTHER)), ["the statement that should gain a reference is not there"]
    assert harm(entity(), entity(), grown="Q1$a", reference=REFERENCE) == gone
    assert harm(before, entity(), grown="Q1$a", reference=REFERENCE) == ["statement Q1$a was removed", *gone]
    changed = entity(claim("Q1$a", "y", OTHER, REFERENCE, rank="preferred"))
    told = harm(before, changed, grown="Q1$a", reference=REFERENCE)
    assert told == ["its mainsnak changed", "its rank changed"]
    twice = entity(claim("Q1$a", "x", OTHER, REFERENCE, REFERENCE))
    told = harm(before, twice, grown="Q1$a", reference=REFERENCE)
    assert told == ["its references are not the old ones and the new one"]
    assert item_state.only_gained_reference(claim("Q1$a", "x"), claim("Q1$a", "x", REFERENCE), REFERENCE)
    assert not item_state.only_gained_reference(claim("Q1$a", "x"), claim("Q1$a", "x", OTHER), REFERENCE)
