"""The rules of symbols on the revisions of one item: with which formula one goes, what stops it, and what its decision allows."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, cast

import pytest
from item_revisions import OTHER, OURS, SOURCE, SYMBOL, THEIRS, PermissivePolicy, Wiki, entity, entry

from bot.errors import WriteRefused
from bot.lookup.entities import to_item
from bot.propose.build import recomputed_hash
from bot.records import Decision, Proposal, Reference, as_json
from bot.settings import Settings
from bot.settings import Wiki as Where
from bot.store import Workspace
from bot.write import concurrent_edit, item_state, payload, proof, verify
from bot.write.entry import Plan, PlanEntry, batches, number_of_edits
from bot.write.plan import _symbol_entries
from bot.write.preconditions import Preconditions
from bot.write.wiki_policy import WikiPolicy
from bot.write.wiki_protocol import WikiSession

CALM = cast(WikiPolicy, PermissivePolicy())
SECOND = payload.claim("Q1$t", "P7235", "v", (), (("P9758", "wikibase-item", "Q11465"),))
DEPRECATED = {**OURS, "rank": "deprecated"}


def claim(symbol: str, qid: str) -> dict[str, Any]:
    return payload.claim(f"Q1${symbol}{qid}", "P7235", symbol, (), (("P9758", "wikibase-item", qid),))


# Which entries are one edit

FORMULA, P = entry(), entry("symbol")
V = replace(P, statement="Q1$t", payload=SECOND)
ENERGY = replace(P, about="E=mc^2")
GIVEN = replace(entry("add_reference"), about="p=mv")
THERE = replace(P, kind="already_there", payload={})


@pytest.mark.parametrize(
    ("entries", "sizes", "edits"),
    [
        ([], [], 0),
        ([FORMULA, P, V], [3], 1),
        ([P, V], [2], 1),  # of a formula that stands
        ([FORMULA, ENERGY], [1, 1], 2),
        ([P, ENERGY, V], [1, 1, 1], 3),
        ([FORMULA, replace(P, qid="Q2")], [1, 1], 2),
        ([GIVEN, P], [1, 1], 2),
        ([THERE, P, FORMULA], [1, 1, 1], 2),
        ([FORMULA, FORMULA], [1, 1], 2),
        ([replace(P, about=" p=mv"), V], [2], 1),
    ],
)
def test_a_formula_and_its_symbols_are_one_batch(entries: list[PlanEntry], sizes: list[int], edits: int) -> None:
    assert [len(batch) for batch in batches(entries)] == sizes
    assert number_of_edits(entries) == edits


@pytest.mark.parametrize(("made", "tex"), [(FORMULA, "p=mv"), (P, "p=mv"), (GIVEN, ""), (THERE, "")])
def test_the_formula_that_an_entry_is_about(made: PlanEntry, tex: str) -> None:
    assert made.formula == tex


# What must hold before


def test_the_formulas_of_a_symbol_on_an_item() -> None:
    again = {**OURS, "id": "Q1$c", "rank": "preferred"}
    other = payload.claim("Q1$d", "P7235", "p=mv", ())  # a symbol that looks like the formula is none
    found = concurrent_edit.statements_with_formula(entity(7, THEIRS, OURS, again, SYMBOL, other), P)
    assert found == {"Q1$b": item_state.without_references(OURS), "Q1$c": item_state.without_references(again)}
    assert concurrent_edit.statements_with_formula(entity(7, THEIRS, DEPRECATED), P) == {}


GONE = "its formula is not on the item, and a symbol is never written without it"
CHANGED = "the item has changed since the plan was made (1 statements)"
BACK = "somebody has added this since it was proposed, and it was removed again"


@pytest.mark.parametrize(
    ("planned_on", "revisions", "first", "why"),
    [
        ([OURS], [[OURS]], P, ""),
        ([], [[]], P, GONE),
        ([THEIRS], [[THEIRS]], P, GONE),
        ([DEPRECATED], [[DEPRECATED]], P, GONE),
        ([], [[]], FORMULA, ""),
        ([], [[]], replace(FORMULA, payload=THEIRS), GONE),
        ([], [[]], GIVEN, GONE),
        ([], [[OURS]], P, ""),  # somebody else added the formula since
        ([], [[OURS, THEIRS]], P, CHANGED),
        ([THEIRS], [[OURS]], P, CHANGED),
        ([OURS], [[OURS, THEIRS]], P, CHANGED),
        ([OURS], [[{**OURS, "references": [OTHER]}]], P, CHANGED),
        ([OURS], [[OURS, SYMBOL], [OURS]], P, BACK),  # ours, written from a copy of this workspace
        ([OURS], [[OURS, {**SYMBOL, "id": "Q1$z"}], [OURS]], P, BACK),
        ([OURS], [[OURS, SECOND], [OURS]], P, ""),
    ],
)
def test_a_symbol_needs_its_formula_and_an_item_as_planned_on(
    workspace: Workspace, planned_on: list[Any], revisions: list[list[Any]], first: PlanEntry, why: str
) -> None:
    wiki = Wiki(entity(7, *planned_on), *(entity(8 + n, *claims) for n, claims in enumerate(revisions)))
    plan = Plan("plan", "sandbox", "group", (), ())
    of = Preconditions(workspace, plan, cast(WikiSession, wiki), CALM, Where(name="sandbox", sandbox=True))
    said = ""
    try:
        of.check_symbol(replace(P, before=item_state.fingerprint(wiki.entity_at(7))), wiki.entity("Q1"), first)
    except WriteRefused as refused:
        said = str(refused.message)
    assert said == why


# The proof


SYMBOLS = "somebody changed the symbols of the item's formulas at the same moment"
FORMULAS = "somebody changed the item's formulas at the same moment"


@pytest.mark.parametrize(
    ("parent", "overtaken"),
    [
        ([OURS], ""),
        ([OURS, SECOND], SYMBOLS),
        ([DEPRECATED], FORMULAS),
        ([], FORMULAS),
        ([OURS, {**OURS, "id": "Q1$c"}], FORMULAS),
        ([OURS, THEIRS], ""),  # another formula
        ([{**OURS, "references": [OTHER]}], ""),
    ],
)
def test_what_others_did_to_a_symbol_or_its_formula_just_before_is_told(parent: list[Any], overtaken: str) -> None:
    wiki = Wiki(entity(7, OURS), entity(8, *parent), entity(9, *parent, SYMBOL))
    seen = proof.prove_edit(cast(WikiSession, wiki), P, wiki.entity_at(7), wiki.entity_at(9), 9, "group", CALM)
    assert (seen.revision, seen.unplanned, str(seen.concurrent_change or ""), seen.remark) == (9, (), overtaken, None)


def test_a_formula_is_proved_with_what_went_along() -> None:
    def harm(*claims: dict[str, Any]) -> list[str]:
        wiki = Wiki(entity(7, THEIRS), entity(8, THEIRS, *claims))
        seen = proof.prove_edit(
            cast(WikiSession, wiki), FORMULA, wiki.entity_at(7), wiki.entity_at(8), 8, "group", CALM, [P]
        )
        assert seen.revision == 8
        return [str(what) for what in seen.unplanned]

    assert harm(OURS, SYMBOL) == []
    assert harm(OURS) == ["the new statement Q1$s is not there"]
    assert harm(OURS, SYMBOL, SECOND) == ["statement Q1$t appeared"]


def test_a_change_that_concerns_only_what_went_along_is_told() -> None:
    wiki = Wiki(entity(7), entity(8, SECOND), entity(9, SECOND, OURS, SYMBOL))
    seen = proof.prove_edit(
        cast(WikiSession, wiki), FORMULA, wiki.entity_at(7), wiki.entity_at(9), 9, "group", CALM, [P]
    )
    assert (seen.unplanned, str(seen.concurrent_change)) == ((), SYMBOLS)
    seen = proof.prove_edit(cast(WikiSession, wiki), FORMULA, wiki.entity_at(7), wiki.entity_at(9), 9, "group", CALM)
    assert seen.concurrent_change is None


# What its decision allows

A = Reference((("P854", "url", "https://example.org/a"),))
SETTINGS = Settings()


def told(**values: Any) -> list[str]:
    """Return what contradicts a decision in the entry of a symbol that differs in some values from what was approved."""
    means = (("P9758", "wikibase-item", "Q41273"),)
    made = Proposal("p", "symbol", "Q1", "P7235", "p", (A,), (), (), 0.9, 1, "", "2999-01-01", qualifiers=means, formula="p=mv")  # fmt: skip
    made = replace(made, hash=recomputed_hash(made))
    guid = payload.guid("Q1", "sandbox", "p", made.hash, 3)
    summary = verify.edit_summary("symbol", "Ada", "group", SETTINGS)
    good = PlanEntry(
        "p", made.hash, 3, "Ada", "Q1", "symbol", guid, payload.claim(guid, "P7235", "p", (A,), means), 7, {}, (), summary, about="p=mv"
    )  # fmt: skip
    one = replace(good, **values)
    decision = Decision("p", made.hash, "approve", ("approve",), reviewer="Ada")
    row = {**as_json(decision), "n": 3, "record": as_json(made), "role": "reviewer", "wiki": ""}
    found = verify.entry_problems(one, row, Plan("id", "sandbox", "group", (one,), ()))
    return [str(what) for what in found]


@pytest.mark.parametrize(
    "values",
    [
        {"about": "p=mv^2"},
        {"statement": "Q1$s"},
        {"payload": SYMBOL},
        {"payload": SOURCE},
        {"otherwise": (SOURCE,), "otherwise_summary": verify.edit_summary("add_reference", "Ada", "group", SETTINGS)},
    ],
)
def test_a_symbol_is_sent_as_it_was_approved(values: dict[str, Any]) -> None:
    assert told() == []
    assert told(**values) == ["its payload is not what was approved"]


def test_the_summary_of_a_symbol_and_of_a_formula_with_its_symbols() -> None:
    rest = "approved by Ada, rehearsal ([[:toolforge:editgroups/b/CB/g|details]])"
    assert verify.edit_summary("symbol", "Ada", "g", SETTINGS) == f"add what symbols of the formula represent, {rest}"
    first = verify.edit_summary("new_claim", "Ada", "g", SETTINGS)
    assert verify.joint_summary(first) == f"add formula with its source and what its symbols represent, {rest}"
    assert verify.joint_summary("add a source") == "add a source"


# What a plan makes of it


@pytest.mark.parametrize(
    ("claims", "said"),
    [
        ([OURS], ["symbol"]),
        ([], []),
        ([DEPRECATED], []),
        ([{**OURS, "mainsnak": {**OURS["mainsnak"], "snaktype": "somevalue"}}], []),
        ([THEIRS], []),  # another formula
        ([OURS, SYMBOL], ["already_there"]),
        ([OURS, {**SYMBOL, "rank": "deprecated"}], ["symbol"]),
        ([OURS, claim("p", "Q5")], "refused.symbol_told"),
        ([OURS, claim("q", "Q41273")], "refused.symbol_told"),
        ([OURS, claim("q", "Q5")], ["symbol"]),
        ([OURS, {**claim("q", "Q41273"), "rank": "deprecated"}], ["symbol"]),
    ],
)
@pytest.mark.parametrize("more", [(), (("P518", "wikibase-item", "Q9"),)])
def test_a_symbol_is_planned_where_its_formula_is_and_nothing_contradicts_it(
    claims: list[Any], said: Any, more: tuple[tuple[str, str, str], ...]
) -> None:
    means = (("P9758", "wikibase-item", "Q41273"), *more)
    made = Proposal("p", "symbol", "Q1", "P7235", "p", (A,), (), (), 0.9, 1, "h", "2999-01-01", qualifiers=means, formula="p=mv")  # fmt: skip
    decision, there = Decision("p", "h", "approve", ("approve",), reviewer="Ada"), entity(7, *claims)
    item = to_item("Q1", there, SETTINGS.wiki.properties, ("en",))
    if more and said == ["already_there"]:
        said = "refused.symbol_told"  # without the other qualifier it says something else
    try:
        became: Any = [one.kind for one in _symbol_entries((made, decision, 3), there, item, SETTINGS.wiki, (A,))]
    except WriteRefused as refused:
        became = refused.message.code
    assert became == said
