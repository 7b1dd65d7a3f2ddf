"""What stands on the item decides what can be said: by formula, of all ranks."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from propose_records import HUBBLE, TEX, P, statement, url

from bot.formula import Comparison
from bot.messages import Message
from bot.propose.diff import Difference, difference, existing_claims
from bot.records import Statement

APART = Message("note.scripts_join")

SOURCE = url("https://lectures.example.org/expansion")


def said(*statements: Statement, references: tuple[object, ...] = (SOURCE,)) -> Difference:
    item = replace(HUBBLE, statements=statements)
    return difference(item, existing_claims(item, TEX, P), references, P)  # type: ignore[arg-type]


def test_no_formula_there_is_a_new_claim() -> None:
    assert (said().kind, said().references) == ("new_claim", (SOURCE,))


@pytest.mark.parametrize("tex", [TEX, "v=H_0d", r"v\,=\,H_{0}\,d", r"H_0 d = v"])
def test_equivalent_formula_there_gets_the_reference_only(tex: str) -> None:
    found = said(statement(tex))
    assert (found.kind, found.references) == ("add_reference", (SOURCE,))
    assert found.statement is not None
    assert found.statement.guid == "Q179916$1"


def test_same_reference_there_leaves_nothing_to_say() -> None:
    assert said(statement(TEX, "normal", SOURCE)).kind == "nothing"
    assert said(statement(TEX), references=()).kind == "nothing"


def test_deprecated_equal_formula_is_never_proposed_again() -> None:
    found = said(statement(TEX, "deprecated"))
    assert found.kind == "flag"
    assert "deprecated" in str(found.why)
    assert said(statement(TEX, "deprecated"), replace(statement(), guid="Q179916$2")).kind == "flag"


def test_other_formula_there_is_for_a_person_and_the_nearest_is_named() -> None:
    far = replace(statement(r"E = m c^{2} + \int_0^1 q(x) dx"), guid="Q179916$0")
    found = said(far, statement(r"w = H_0 d"))
    assert found.kind == "new_claim"
    assert found.beside == ((far.guid, far.value), ("Q179916$1", r"w = H_0 d"))
    assert str(found.why).startswith("the item has another formula (equal after renaming the variables; too short")
    assert str(found.why).endswith(r"w = H_0 d")


def test_formula_that_differs_in_marks_only_is_for_a_person_where_the_marks_tell_concepts_apart() -> None:
    apart = Comparison("notation", "K3", False, APART)
    (found,) = existing_claims(replace(HUBBLE, statements=(statement(),)), TEX, P)
    what = difference(HUBBLE, [replace(found, comparison=apart)], (SOURCE,), P)
    assert what.kind == "new_claim"
    assert str(what.why).startswith("the item has a formula that differs in marks only")


def test_only_deprecated_other_formulas_do_not_stand_in_the_way() -> None:
    assert said(statement("E = m c^2", "deprecated")).kind == "new_claim"


@pytest.mark.parametrize("snaktype", ["novalue", "somevalue"])
def test_item_that_says_it_has_no_formula_is_for_a_person(snaktype: str) -> None:
    assert said(statement("", snaktype=snaktype)).kind == "flag"


def test_statements_of_other_properties_are_none_of_its_business() -> None:
    assert said(replace(statement(), property="P7235")).kind == "new_claim"


# What is left to say, sentence by sentence

NONE, OTHER, THIRD = "the item has no formula yet", "E = m c^2", "F = m a"


def at(number: int, tex: str = TEX, rank: str = "normal", **more: Any) -> Statement:
    return replace(statement(tex, rank, **more), guid=f"Q179916${number}")


CASES: list[tuple[list[Statement], set[str], tuple[str, str]]] = [
    ([], set(), ("new_claim", NONE)),
    ([at(1, OTHER, "deprecated")], set(), ("new_claim", "the item has only other, deprecated formulas")),
    ([at(1, OTHER)], set(), ("new_claim", f"the item has another formula: {OTHER}")),
    ([at(1, OTHER, "preferred")], set(), ("new_claim", f"the item has another formula: {OTHER}")),
    ([at(1, OTHER, "deprecated"), at(2, THIRD)], set(), ("new_claim", f"the item has another formula: {THIRD}")),
    ([at(1, OTHER)], {"Q179916$1"}, ("new_claim", "in addition to a formula that was approved and written earlier")),
    (
        [at(1, OTHER), at(2, THIRD, "deprecated")],
        {"Q179916$1"},
        ("new_claim", "in addition to a formula that was approved and written earlier"),
    ),
    ([at(1, OTHER), at(2, THIRD)], {"Q179916$1"}, ("new_claim", f"the item has another formula: {THIRD}")),
    ([at(1, OTHER)], {"Q179916$9"}, ("new_claim", f"the item has another formula: {OTHER}")),
    ([at(1, OTHER, "deprecated")], {"Q179916$9"}, ("new_claim", "the item has only other, deprecated formulas")),
    ([at(1)], {"Q179916$1"}, ("add_reference", "the item has the formula: the same formula, character by character")),
    ([at(1, rank="deprecated")], {"Q179916$1"}, ("flag", "the item has this formula with deprecated rank: people have rejected it; reject this, or change the statement on the wiki first")),
    ([at(1), at(2, rank="deprecated")], set(), ("flag", "the item has this formula with deprecated rank: people have rejected it; reject this, or change the statement on the wiki first")),
    ([at(1, OTHER), at(2)], set(), ("add_reference", "the item has the formula: the same formula, character by character")),
    ([at(1, "", snaktype="novalue")], set(), ("flag", "the item says that its formula has no value; reject this, or remove that statement on the wiki first")),
    ([at(1, "", snaktype="somevalue")], set(), ("flag", "the item says that its formula has an unknown value; reject this, or remove that statement on the wiki first")),
    ([at(1, OTHER), at(2, "", snaktype="novalue")], set(), ("flag", "the item says that its formula has no value; reject this, or remove that statement on the wiki first")),
    ([at(1), at(2, "", snaktype="novalue")], set(), ("add_reference", "the item has the formula: the same formula, character by character")),
    ([replace(at(1, "", snaktype="novalue"), property="P7235")], set(), ("new_claim", NONE)),
    ([at(1, r"d = \frac{v}{H_0}")], set(), ("add_reference", "the item has the formula: the same after moving terms and factors across the relation sign")),
]  # fmt: skip


@pytest.mark.parametrize(("there", "own", "told"), CASES)
def test_what_is_left_to_say(there: list[Statement], own: set[str], told: tuple[str, str]) -> None:
    item = replace(HUBBLE, statements=tuple(there))
    found = difference(item, existing_claims(item, TEX, P), (SOURCE,), P, own)
    assert (found.kind, str(found.why)) == told
    assert found.references == (SOURCE,)
    assert (found.statement is not None) == (found.kind == "add_reference")


def test_nothing_to_say_tells_whether_a_source_was_asked_for() -> None:
    assert str(said(statement(TEX, "normal", SOURCE)).why) == "the item has the formula with this source"
    assert str(said(statement(TEX), references=()).why) == "the item has the formula already"
    assert said(statement(TEX), references=()).statement == statement(TEX)


def test_only_the_references_that_are_missing_are_added_and_to_the_nearest_statement() -> None:
    other = url("https://other.example/")
    found = said(at(1, "v = H d"), at(2, TEX, "preferred"), at(3, "v=H_0d"), references=(SOURCE, other))
    assert found.statement is not None
    assert found.statement.guid == "Q179916$2"
    assert said(statement(TEX, "normal", SOURCE), references=(SOURCE, other)).references == (other,)


def test_statements_come_the_nearest_formula_first_then_by_rank_and_guid() -> None:
    order = [
        at(9, TEX, "preferred"),
        at(7),
        at(8, "v=H_0d"),
        at(6, TEX, "deprecated"),
        at(5, r"v = H_{0} \cdot d"),
        at(4, "v = H d"),
        at(3, r"d = \frac{v}{H_0}"),
        at(2, "w = H_0 d"),
        at(1, OTHER),
    ]
    for statements in (order, order[::-1], order[4:] + order[:4]):
        found = existing_claims(replace(HUBBLE, statements=tuple(statements)), TEX, P)
        assert [each.statement.guid for each in found] == [each.guid for each in order]


def test_a_formula_of_another_concept_comes_after_those_of_the_same() -> None:
    item = replace(HUBBLE, statements=(at(1),))
    (one,) = existing_claims(item, TEX, P)
    apart = replace(one, comparison=Comparison("notation", "K3", False, APART))
    assert (one.same, apart.same) == (True, False)
    assert not replace(one, comparison=Comparison("renamed", "K5", True, APART)).same
    found = difference(item, (apart,), (SOURCE,), P)
    words = "the item has a formula that differs in marks only, but perhaps in meaning"
    assert str(found.why) == f"{words} ({APART}): {TEX}"


@pytest.mark.parametrize(
    ("relation", "words"),
    [
        ("different", "the item has another formula"),
        ("variant", "the item has a related formula that is not the same"),
    ],
)
def test_how_the_other_formula_differs_is_said(relation: Any, words: str) -> None:
    item = replace(HUBBLE, statements=(at(1),))
    (one,) = existing_claims(item, TEX, P)
    found = difference(item, (replace(one, comparison=Comparison(relation, "K5", False, APART)),), (SOURCE,), P)
    told = f"{words} ({APART}): {TEX}"
    assert (found.kind, str(found.why)) == ("new_claim", told)


def test_a_special_case_of_what_stands_there_is_left_alone() -> None:
    work = replace(HUBBLE, statements=(statement(r"W=\int F\,ds"),))
    found = difference(work, existing_claims(work, "W=Fs", P), (SOURCE,), P)
    assert (found.kind, str(found.why)) == ("nothing", r"the item has a more general formula: W=\int F\,ds")


@pytest.mark.parametrize(("tex", "value"), [("H=U+PV", "H=U+pV"), (r"F=ma=m\frac{dv}{dt}", r"\vec F=m\vec a")])
def test_other_letters_and_chains_are_another_source_of_the_same_formula(tex: str, value: str) -> None:
    item = replace(HUBBLE, statements=(statement(value),))
    found = difference(item, existing_claims(item, tex, P), (SOURCE,), P)
    assert (found.kind, found.references) == ("add_reference", (SOURCE,))
