"""The exact JSON that is sent."""

from __future__ import annotations

import pytest

from bot.errors import WriteError
from bot.records import Reference
from bot.write import payload


def test_a_claim_is_whole_and_keeps_its_guid() -> None:
    source = Reference((("P248", "wikibase-item", "Q42"), ("P813", "time", "+2026-11-20T00:00:00Z")))
    made = payload.claim("Q1$x", "P2534", "E=mc^2", (source,))
    assert made["id"] == "Q1$x"
    assert made["mainsnak"]["datavalue"] == {"type": "string", "value": "E=mc^2"}
    assert made["references"][0]["snaks-order"] == ["P248", "P813"]
    assert made["references"][0]["snaks"]["P248"][0]["datavalue"]["value"]["numeric-id"] == 42
    assert made["references"][0]["snaks"]["P813"][0]["datavalue"]["value"]["precision"] == 11


def test_the_same_decision_always_names_the_same_statement() -> None:
    one = payload.guid("Q1", "sandbox", "p", "h", 3)
    assert one == payload.guid("Q1", "sandbox", "p", "h", 3)
    assert len({one, payload.guid("Q1", "sandbox", "p", "h", 4), payload.guid("Q1", "wikidata", "p", "h", 3)}) == 3
    assert one.startswith("Q1$")


@pytest.mark.parametrize(
    ("datatype", "value"),
    [("wikibase-item", "42"), ("time", "2026-11-20"), ("time", "+2026-11-20T10:00:00Z"), ("geo", "x")],
)
def test_a_value_that_the_wiki_would_refuse_is_not_built(datatype: str, value: str) -> None:
    with pytest.raises(WriteError):
        payload.snak("P1", datatype, value)
