"""Each check by itself: its state and its sentence, just below, at and above each boundary."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from propose_records import DOCUMENT, HUBBLE, TEX, entry, statement, url

from bot.formula import Comparison, Validity
from bot.messages import Message, uncoded_message
from bot.propose import checks
from bot.propose.checks import Constraints, ProposalCase, blocking_failure
from bot.propose.diff import Difference, ExistingClaim
from bot.propose.references import Citation
from bot.records import Check, Evidence, Quote
from bot.settings import Proposing

SOURCE = url("https://lectures.example.org/expansion")
GOOD = Citation(DOCUMENT.id, SOURCE)
BAD = Citation("a", None, Message("cite.nothing"))
QUOTE = Quote(DOCUMENT.id, 4, "⟦4⟧", "", "Hubble’s law", "The expanding universe", "", ((4, TEX),), "sentence")
NEW = Difference("new_claim", Message("check.standing_formulas.none"), None, (SOURCE,))
THERE = Difference("add_reference", uncoded_message("the item has the formula"), statement(), (SOURCE,))


def plain(check: Check) -> tuple[str, str, str]:
    return check.name, check.state, str(check.detail)


def claim(tex: str = "E = m c^2", rank: str = "normal", guid: str = "Q179916$1") -> ExistingClaim:
    other = Comparison("different", "", False, Message("note.nothing"))
    return ExistingClaim(replace(statement(tex, rank), guid=guid), other)


def case(**values: Any) -> ProposalCase:
    plain: dict[str, Any] = {
        "entry": entry(),
        "item": HUBBLE,
        "tex": TEX,
        "validity": Validity(TEX, True),
        "server": None,
        "existing_claims": (),
        "difference": NEW,
        "quotes": (QUOTE,),
        "citations": (GOOD,),
        "other_items": (),
        "rivals": (),
        "classes": frozenset({"Q214070"}),
        "class_labels": {"Q214070": "physical law", "Q5": "human"},
        "constraints": None,
        "settings": Proposing(),
    }
    return ProposalCase(**{**plain, **values})


WRONG = Validity(TEX, False, Message("recorded", text="no such macro"), 0)
MENDED = Validity(TEX, False, Message("recorded", text="no such macro"), 0, "v = d")

GRAMMAR: list[tuple[dict[str, Any], tuple[str, str]]] = [
    ({}, ("ok", "our copy of the wiki's grammar accepts it")),
    ({"server": (True, "")}, ("ok", "the wiki accepts it")),
    ({"server": (False, "bad")}, ("fail", "the wiki refuses this TeX: bad")),
    ({"server": (False, "bad"), "validity": WRONG}, ("fail", "the wiki refuses this TeX: bad")),
    ({"server": (True, ""), "validity": WRONG}, ("fail", "not what the math datatype accepts: no such macro")),
    ({"validity": WRONG}, ("fail", "not what the math datatype accepts: no such macro")),
    ({"validity": MENDED}, ("warn", f"our copy of the wiki's grammar accepts it after repair; the source has {TEX}")),
    ({"server": (True, ""), "validity": MENDED}, ("warn", f"the wiki accepts it after repair; the source has {TEX}")),
    ({"server": (False, "bad"), "difference": THERE}, ("ok", "the item has it already")),
]


@pytest.mark.parametrize(("values", "said"), GRAMMAR)
def test_grammar(values: dict[str, Any], said: tuple[str, str]) -> None:
    assert plain(checks.grammar(case(**values))) == ("grammar", *said)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("size", "state"), [(0, "fail"), (1, "ok"), (2, "ok"), (399, "ok"), (400, "ok"), (401, "fail")]
)
def test_length_is_1_to_400_characters(size: int, state: str) -> None:
    assert plain(checks.length(case(tex="x" * size))) == ("length", state, f"{size} of 400 characters")  # type: ignore[arg-type]
    assert checks.length(case(tex="x" * size, difference=THERE)).state == "ok"


def test_item_is_there_and_is_itself() -> None:
    told = [
        plain(checks.item(case())),
        plain(checks.item(case(item=replace(HUBBLE, missing=True)))),
        plain(checks.item(case(item=replace(HUBBLE, redirect="Q2")))),
        plain(checks.item(case(classes=frozenset({"Q4167410"}), disambiguation="Q4167410"))),
        plain(checks.item(case(classes=frozenset({"Q4167410"}), disambiguation="Q1"))),
        plain(checks.item(case(classes=frozenset({""})))),
    ]
    assert told == [
        ("item", "ok", "exists, revision 7"),
        ("item", "fail", "the item does not exist"),
        ("item", "fail", "the item was merged into Q2; match again"),
        ("item", "fail", "the item is a disambiguation page"),
        ("item", "ok", "exists, revision 7"),
        ("item", "ok", "exists, revision 7"),
    ]


def test_class_is_one_that_can_have_a_formula() -> None:
    doubt = (
        Evidence("name", 1.0, uncoded_message("named")),
        Evidence("implausible_class", -2.0, uncoded_message("it is described as a film")),
    )
    doubted = entry(evidence=doubt)
    told = [
        plain(checks.item_class(case())),
        plain(checks.item_class(case(item=replace(HUBBLE, classes=("Q214070", "Q7"))))),
        plain(checks.item_class(case(classes=frozenset({"Q5"}), entry=doubted))),
        plain(checks.item_class(case(classes=frozenset({"Q101352"})))),
        plain(checks.item_class(case(entry=doubted))),
        plain(checks.item_class(case(item=replace(HUBBLE, classes=())))),
    ]
    assert told == [
        ("class", "ok", "instance of physical law"),
        ("class", "ok", "instance of physical law, Q7"),
        ("class", "fail", "a formula does not define a human"),
        ("class", "fail", "a formula does not define a Q101352"),
        ("class", "warn", "it is described as a film"),
        ("class", "unknown", "the item states no class"),
    ]


def test_standing_formulas() -> None:
    old, new = claim(rank="deprecated"), claim()
    flag = Difference("flag", "the item has another formula")
    assert plain(checks.statements(case())) == ("standing formulas", "ok", str(NEW.why))
    assert checks.statements(case(existing_claims=(new,), difference=THERE)).state == "ok"
    assert plain(checks.statements(case(existing_claims=(new, old)))) == ("standing formulas", "warn", str(NEW.why))
    assert plain(checks.statements(case(existing_claims=(old,), difference=flag))) == (
        "standing formulas",
        "fail",
        str(flag.why),
    )


def test_a_deprecated_statement_and_one_of_our_own_are_no_other_value() -> None:
    single = Constraints(3, single=True)

    def told(*standing: ExistingClaim, **values: Any) -> str:
        return checks.property_constraints(case(existing_claims=standing, constraints=single, **values)).state

    assert told() == "ok"
    assert told(claim()) == "warn"
    assert told(claim(rank="preferred")) == "warn"
    assert told(claim(rank="deprecated")) == "ok"
    assert told(claim(rank="deprecated"), claim(guid="Q179916$2")) == "warn"
    assert told(claim(), own_claims={"Q179916$1"}) == "ok"
    assert told(claim(), claim(guid="Q179916$2"), own_claims={"Q179916$1"}) == "warn"
    assert told(claim(), difference=THERE) == "ok"


@pytest.mark.parametrize(
    ("number", "said"),
    [
        (0, "no other item known here has this formula"),
        (1, "the same formula belongs to law 0 (Q0)"),
        (3, "the same formula belongs to law 0 (Q0), law 1 (Q1), law 2 (Q2)"),
        (4, "the same formula belongs to law 0 (Q0), law 1 (Q1), law 2 (Q2) and 1 more"),
        (5, "the same formula belongs to law 0 (Q0), law 1 (Q1), law 2 (Q2) and 2 more"),
    ],
)
def test_other_items_with_the_formula_are_named_up_to_three(number: int, said: str) -> None:
    items = tuple((f"Q{n}", f"law {n}") for n in range(number))
    assert plain(checks.other_items(case(other_items=items))) == ("other items", "fail" if number else "ok", said)
    there = plain(checks.other_items(case(other_items=items, difference=THERE)))
    assert there == ("other items", "warn" if number else "ok", said)


def test_item_without_a_label_is_named_by_its_id() -> None:
    assert (
        str(checks.other_items(case(other_items=(("Q9", ""),))).detail) == "the same formula belongs to no label (Q9)"
    )
    assert str(checks.item_clear(case(rivals=(("Q9", "", 0.1),))).detail) == "the next item, Q9 (Q9), has 0.10"


def test_several_equations_in_one_value() -> None:
    system = r"\begin{align} v &= H_0 d \\ E &= m c^2 \end{align}"
    several = "one value contains several equations"
    assert plain(checks.one_equation(case())) == ("one equation", "ok", "one formula")
    assert plain(checks.one_equation(case(tex=system))) == ("one equation", "fail", several)
    assert plain(checks.one_equation(case(tex=system, difference=THERE))) == ("one equation", "warn", several)


@pytest.mark.parametrize(
    ("rival", "said"),
    [
        (None, ("ok", "no other item is likely")),
        (0.25, ("ok", "the next item, Lemaître's law (Q9), has 0.25")),
        (0.375, ("ok", "the next item, Lemaître's law (Q9), has 0.38")),  # the margin is what it must be ahead
        (0.376, ("warn", "Lemaître's law (Q9) is nearly as likely, 0.38 against 0.50")),
        (0.5, ("warn", "Lemaître's law (Q9) is nearly as likely, 0.50 against 0.50")),
        (0.75, ("warn", "Lemaître's law (Q9) is more likely, 0.75 against 0.50")),
    ],
)
def test_best_item_is_well_ahead_of_the_next(rival: float | None, said: tuple[str, str]) -> None:
    rivals = () if rival is None else (("Q9", "Lemaître's law", rival), ("Q10", "a third", 0.99))
    found = plain(
        checks.item_clear(case(entry=entry(probability=0.5), rivals=rivals, settings=Proposing(unclear_margin=0.125)))
    )
    assert found == ("choice of item", *said)  # type: ignore[arg-type]


def test_source_holds_formula_and_name() -> None:
    silent, titled = replace(QUOTE, where=""), replace(QUOTE, where="title", title="")
    told = [
        plain(checks.source(case())),
        plain(checks.source(case(quotes=(QUOTE, titled, silent)))),
        plain(checks.source(case(quotes=(titled, QUOTE, QUOTE)))),
        plain(checks.source(case(quotes=(replace(QUOTE, where="heading"),)))),
        plain(checks.source(case(quotes=(silent,)))),
        plain(checks.source(case(quotes=()))),
    ]
    title = "the name is the title of the document with the formula: lectures/expansion.html, formula 5, and 2 more"
    heading = "the name heads the section with the formula: The expanding universe, formula 5"
    none = (
        "source",
        "warn",
        "no source has both this formula and a name of the item; name one that does, or reject this",
    )
    sentence = "one sentence holds both formula and name: The expanding universe, formula 5"
    assert told == [
        ("source", "ok", sentence),
        ("source", "ok", f"{sentence}, and 1 more"),
        ("source", "warn", title),
        ("source", "warn", heading),
        none,
        none,
    ]


def test_each_source_writes_the_formula_that_it_is_cited_for() -> None:
    other = replace(QUOTE, formulas=((4, "v = H d"),))
    another = replace(other, title="B", formulas=((4, "E = m c^2"),))
    fine = ("formula of the source", "ok", "each source writes this formula")
    assert plain(checks.source_formula(case())) == fine
    assert plain(checks.source_formula(case(quotes=(replace(other, where=""),)))) == fine
    one, two = (plain(checks.source_formula(case(quotes=q))) for q in ((QUOTE, other), (other, QUOTE, another)))
    assert one[1] == two[1] == "warn"
    assert one[2].startswith("The expanding universe writes v = H d (compared: ")
    assert two[2] == f"{one[2]}, and 1 more"


def test_a_reference_alone_is_compared_with_the_value_on_the_item() -> None:
    there = replace(THERE, statement=statement("v = H d"))
    assert checks.source_formula(case(difference=there)).state == "warn"
    assert checks.source_formula(case(tex="v = H d", difference=THERE)).state == "ok"
    new = replace(NEW, statement=statement("v = H d"))
    assert checks.source_formula(case(difference=new)).state == "ok"


CITED: list[tuple[tuple[Citation, ...], tuple[str, str]]] = [
    ((), ("warn", "there is no source to cite; name one before you approve")),
    ((BAD, BAD), ("warn", f"the source cannot be cited: {BAD.why}; name another one before you approve")),
    (
        (BAD, Citation("b", None, uncoded_message("no"))),
        ("warn", f"the source cannot be cited: {BAD.why}; no; name another one before you approve"),
    ),
    ((GOOD,), ("ok", "1 document can be cited")),
    ((GOOD, GOOD), ("ok", "2 documents can be cited")),
    ((GOOD, BAD, BAD), ("ok", f"1 document can be cited; 2 left out: {BAD.why}")),
    ((replace(GOOD, why="x"),), ("warn", "1 document can be cited; not cited as an item: x")),
    (
        (replace(GOOD, why="x"), GOOD, replace(GOOD, why="x"), BAD),
        ("warn", f"3 documents can be cited; 1 left out: {BAD.why}; not cited as an item: x"),
    ),
]


@pytest.mark.parametrize(("citations", "said"), CITED)
def test_source_can_be_cited(citations: tuple[Citation, ...], said: tuple[str, str]) -> None:
    assert plain(checks.citable(case(citations=citations))) == ("citable source", *said)  # type: ignore[arg-type]


def test_all_checks_speak_in_the_order_in_which_a_person_hears_of_them() -> None:
    assert [check.name for check in checks.run_checks(case())] == [
        "item", "class", "grammar", "value", "length", "standing formulas", "special case", "one equation", "other items", "choice of item",
        "constraints", "source", "formula of the source", "citable source",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "standing", "difference", "hopeless"),
    [
        ("grammar", False, NEW, True),
        ("length", False, NEW, True),
        ("item", True, THERE, True),
        ("class", False, NEW, True),
        ("source", False, NEW, False),
        ("source", True, NEW, True),
        ("source", True, THERE, False),
        ("other items", True, NEW, False),
        ("citable source", True, NEW, False),
    ],
)
def test_what_leaves_a_reviewer_nothing_to_do(
    name: str, standing: bool, difference: Difference, hopeless: bool
) -> None:
    there = (claim(),) if standing else ()
    failed = Check(name, "fail", uncoded_message("…"))
    others = Check("choice of item", "fail", uncoded_message("…"))
    found = blocking_failure(case(existing_claims=there, difference=difference), (others, failed))
    assert found == (failed if hopeless else None)
