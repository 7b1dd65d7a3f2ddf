"""What stands on the item decides what can be said: by formula, of all ranks."""

from __future__ import annotations

from dataclasses import replace

import pytest
from propose_records import HUBBLE, TEX, P, statement, url

from bot.formula import Comparison
from bot.propose.diff import Difference, difference, standing
from bot.records import Statement

SOURCE = url("https://lectures.example.org/expansion")


def said(*statements: Statement, references: tuple[object, ...] = (SOURCE,)) -> Difference:
    item = replace(HUBBLE, statements=statements)
    return difference(item, standing(item, TEX, P), references, P)  # type: ignore[arg-type]


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
    assert "deprecated" in found.why
    assert said(statement(TEX, "deprecated"), replace(statement(), guid="Q179916$2")).kind == "flag"


def test_other_formula_there_is_for_a_person_and_the_nearest_is_named() -> None:
    far = replace(statement(r"E = m c^{2} + \int_0^1 q(x) dx"), guid="Q179916$0")
    found = said(far, statement(r"w = H_0 d"))
    assert found.kind == "flag"
    assert found.why.startswith("another formula stands there (equal after renaming the variables; too short")
    assert found.why.endswith(r"w = H_0 d")


def test_formula_that_differs_in_marks_only_is_for_a_person_where_the_marks_tell_concepts_apart() -> None:
    apart = Comparison("notation", "K3", False, "joins variables that differ")
    (found,) = standing(replace(HUBBLE, statements=(statement(),)), TEX, P)
    what = difference(HUBBLE, [replace(found, comparison=apart)], (SOURCE,), P)
    assert what.kind == "flag"
    assert what.why.startswith("a formula that differs in marks only")


def test_only_deprecated_other_formulas_do_not_stand_in_the_way() -> None:
    assert said(statement("E = m c^2", "deprecated")).kind == "new_claim"


@pytest.mark.parametrize("snaktype", ["novalue", "somevalue"])
def test_item_that_says_it_has_no_formula_is_for_a_person(snaktype: str) -> None:
    assert said(statement("", snaktype=snaktype)).kind == "flag"


def test_statements_of_other_properties_are_none_of_its_business() -> None:
    assert said(replace(statement(), property="P7235")).kind == "new_claim"
