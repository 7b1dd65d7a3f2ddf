"""Snaks and statements in normal form, with the hashes that Wikibase itself gives them."""

from __future__ import annotations

from typing import Any

import pytest

from bot.sandbox import snaks
from bot.sandbox.messages import ApiError

TYPES = {"P2534": "math", "P416": "string", "P248": "wikibase-item", "P813": "time", "P854": "url", "P7235": "math"}


def _snak(prop: str, kind: str, value: Any) -> dict[str, Any]:
    return snaks.normal_snak(
        {"snaktype": "value", "property": prop, "datavalue": {"type": kind, "value": value}}, TYPES.get
    )


def test_hashes_are_those_of_wikibase() -> None:
    assert _snak("P2534", "string", "a^2+b^2=c^2")["hash"] == "6209901253245c33e28be02e54776657eb3a4157"
    assert _snak("P416", "string", "c")["hash"] == "07f1130f1167146997fa0c7d9054b9afcce290a1"
    item = {"entity-type": "item", "numeric-id": 5227355}
    assert _snak("P248", "wikibase-entityid", item)["hash"] == "0aa88ed53a3baee1d0915e2cdc86c4e1971e3a15"
    somevalue = snaks.normal_snak({"snaktype": "somevalue", "property": "P7235"}, TYPES.get)
    assert somevalue["hash"] == "0a79565c3647d9c506b39d261890eb23c30cc548"


def test_a_reference_has_one_hash_in_any_order() -> None:
    one, other = _snak("P854", "string", "https://a.example/"), _snak("P416", "string", "x")
    first = snaks.reference_hash({"P854": [one], "P416": [other]})
    assert first == snaks.reference_hash({"P416": [other], "P854": [one]})


def test_years_lose_their_leading_zeros_and_items_get_both_ids() -> None:
    time = _snak("P813", "time", {"time": "+00000002026-11-20T00:00:00Z", "precision": 11})["datavalue"]["value"]
    assert (time["time"], time["timezone"]) == ("+2026-11-20T00:00:00Z", 0)
    item = _snak("P248", "wikibase-entityid", {"entity-type": "item", "id": "Q42"})["datavalue"]["value"]
    assert item == {"entity-type": "item", "numeric-id": 42, "id": "Q42"}


@pytest.mark.parametrize(
    "raw",
    [
        None,
        [],
        {},
        {"property": "P2534"},
        {"property": "X1", "snaktype": "novalue"},
        {"property": "P2534", "snaktype": "maybe"},
    ],
)
def test_what_is_no_snak_is_malformed(raw: object) -> None:
    with pytest.raises(snaks.MalformedJson):
        snaks.normal_snak(raw, TYPES.get)


def test_a_value_of_another_type_is_refused_by_name() -> None:
    with pytest.raises(ApiError, match="Bad value type time, expected string"):
        _snak("P2534", "time", {})


def test_identical_references_are_kept_once() -> None:
    ref = {
        "snaks": {
            "P854": [
                {
                    "snaktype": "value",
                    "property": "P854",
                    "datavalue": {"type": "string", "value": "https://a.example/"},
                }
            ]
        }
    }
    main = {"snaktype": "value", "property": "P2534", "datavalue": {"type": "string", "value": "x"}}
    done = snaks.normal_statement({"mainsnak": main, "references": [ref, ref]}, TYPES.get)
    assert len(done["references"]) == 1


@pytest.mark.parametrize(
    ("kind", "value", "name"),
    [
        ("math", "E=mc^2", None),
        ("math", "", "too-short"),
        ("math", "x" * 401, "too-long"),
        ("math", " x", "illegal-string-chars"),
        ("math", "x\ny", "illegal-string-chars"),
        ("math", r"\frac{a}{", "malformed-value"),
        ("math", r"\notamacro", "malformed-value"),
        ("url", "https://example.org/a", None),
        ("url", "example.org", "url-scheme-missing"),
        ("url", "https://example.org/a b", "bad-url"),
        ("url", "javascript:alert(1)", "bad-url-scheme"),
        ("time", {"time": "+2026-11-20T00:00:00Z", "precision": 11}, None),
        ("time", {"time": "+2026-11-20T10:00:00Z", "precision": 11}, "malformed-value"),
        ("time", {"time": "+2026-11-20T00:00:00Z", "precision": 14}, "malformed-value"),
        ("wikibase-item", {"id": "Q1"}, None),
        ("wikibase-item", {"id": "Q2"}, "no-such-entity"),
    ],
)
def test_validators_object_by_name(kind: str, value: Any, name: str | None) -> None:
    found = snaks.value_violation(kind, value, lambda entity: entity == "Q1")
    assert (found.name if found else None) == (f"wikibase-validator-{name}" if name else None)


def test_an_unknown_function_is_named() -> None:
    found = snaks.math_violation(r"\notamacro{x}")
    assert found is not None
    assert found.text == r"Malformed input: unknown function &#34;\notamacro&#34;"


def test_the_servers_own_verdicts_on_formulas(shared_data: Any) -> None:
    import json

    lines = (shared_data / "wikibase" / "math_validity_dev.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    wrong = [row["tex"] for row in rows if (snaks.math_violation(row["tex"]) is None) != row["valid"]]
    assert wrong == []
