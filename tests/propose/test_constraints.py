"""The property's constraints are read from its entity, and `unknown` is an answer."""

from __future__ import annotations

from typing import Any

from propose_records import P

from bot.propose.checks import check_constraints, read_constraints


def claim(kind: str, **qualifiers: Any) -> dict[str, Any]:
    snaks = {p: [snak(p, v) for v in values] for p, values in qualifiers.items()}
    return {"mainsnak": snak(P.property_constraint, {"id": kind}), "rank": "normal", "qualifiers": snaks}


def snak(prop: str, value: Any) -> dict[str, Any]:
    return {"property": prop, "snaktype": "value", "datavalue": {"value": value}}


def entity(*claims: dict[str, Any]) -> dict[str, Any]:
    return {"id": P.defining_formula, "lastrevid": 42, "claims": {P.property_constraint: list(claims)}}


def test_wiki_without_constraints_says_unknown() -> None:
    assert read_constraints({"id": "P1", "claims": []}, P) is read_constraints({"id": "P1"}, P) is None
    assert check_constraints(None, "a", (), False, False).state == "unknown"


def test_constraints_are_read_with_their_revision() -> None:
    found = read_constraints(
        entity(
            claim(P.format_constraint, **{P.constraint_regex: [r"[^$]+"]}),
            claim(P.subject_type_constraint, **{P.constraint_class: [{"id": "Q1"}]}),
            claim(P.single_value_constraint),
            claim("Q999"),
            {**claim(P.distinct_values_constraint), "rank": "deprecated"},
        ),
        P,
    )
    assert found is not None
    assert (found.revision, found.formats, found.classes) == (42, ("[^$]+",), ("Q1",))
    assert (found.single, found.distinct, found.unread) == (True, False, ("Q999",))


def test_broken_constraints_are_named() -> None:
    wanted = read_constraints(
        entity(claim(P.format_constraint, **{P.constraint_regex: ["[a-z]"]}), claim(P.single_value_constraint)), P
    )
    broken = check_constraints(wanted, "A", (), True, False)
    assert broken.state == "warn"
    assert "format; single value" in str(broken.detail)
    assert check_constraints(wanted, "a", (), False, False).state == "ok"


def test_pattern_that_is_no_python_is_unknown_not_broken() -> None:
    wanted = read_constraints(entity(claim(P.format_constraint, **{P.constraint_regex: [r"(?<n>\p{L})++["]})), P)
    assert check_constraints(wanted, "a", (), False, False).state == "unknown"
