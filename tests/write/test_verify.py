"""What is recomputed before anything is sent: each contradiction has its sentence, and what fits has none."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import pytest

from bot.errors import WorkspaceError, WriteRefused
from bot.hashchain import Discrepancy
from bot.messages import Message, sentence, to_json, uncoded_message
from bot.propose.build import content_hash
from bot.records import Decision, Proposal, Reference, as_json, digest
from bot.settings import Settings, Wiki, Writing
from bot.write import item_state, payload, verify
from bot.write.entry import Plan, PlanEntry
from bot.write.plan_report import plan_as_json
from bot.write.plans import plan_from_record

A, B = (Reference((("P854", "url", f"https://example.org/{name}"),)) for name in "ab")
SETTINGS = Settings(writing=Writing(task="Wikidata:Task"))
WIKI, LIVE = Wiki(name="sandbox", sandbox=True), Wiki(name="test", sandbox=False)


def proposal(kind: Any = "new_claim", statement: str = "") -> Proposal:
    hash_ = content_hash(kind, "Q1", "P2534", "p=mv", (A, B), statement)
    return Proposal("p", kind, "Q1", "P2534", "p=mv", (A, B), (), (), 0.9, 1, hash_, "2999-01-01", statement)


def row(made: Proposal | None = None, **values: Any) -> dict[str, Any]:
    made = made or proposal()
    decision = Decision(made.id, made.hash, "approve", ("approve", "reject"), reviewer="Ada")
    return {**as_json(decision), "n": 3, "record": as_json(made), "role": "reviewer", "wiki": "", **values}


def entry(kind: str = "new_claim", made: Proposal | None = None, **values: Any) -> PlanEntry:
    made = made or proposal()
    guid = payload.guid("Q1", "sandbox", "p", made.hash, 3)
    claim = payload.claim(guid, "P2534", "p=mv", (A,))
    plain: dict[str, tuple[str, dict[str, Any], Any]] = {
        "new_claim": (guid, claim, tuple(claim["references"])),
        "add_reference": ("Q1$a", payload.reference(A), ()),
        "already_there": ("Q1$a", {}, ()),
    }
    statement, sent, otherwise = plain.get(kind, plain["new_claim"])
    first = verify.edit_summary(kind, "Ada", "group", SETTINGS)
    second = verify.edit_summary("add_reference", "Ada", "group", SETTINGS) if otherwise else ""
    found = PlanEntry(
        "p", made.hash, 3, "Ada", "Q1", kind, statement, sent, 7, {}, (), first, otherwise=otherwise, otherwise_summary=second
    )  # fmt: skip
    return replace(found, **values)


def plan(*entries: PlanEntry) -> Plan:
    id_ = verify.plan_id("sandbox", "group", entries, ())
    return Plan(id_, "sandbox", "group", entries, (), "2026-11-20")


def test_what_is_stored_under_a_digest_is_found_under_it_by_every_version() -> None:
    assert verify.plan_id("sandbox", "group", (), ()) == "5f77d742071a9808"
    assert payload.guid("Q1", "sandbox", "p", "hash", 3) == "Q1$e629c36b-6033-5bc3-a877-22d8f0d8e49e"
    assert proposal().hash == "a409bb773412b277cc7ce99a127bf560325edbde"
    item = {"id": "Q1", "claims": {"P2534": [payload.claim("Q1$a", "P2534", "p=mv", (A,))]}}
    assert item_state.fingerprint(item) == {"Q1$a": "a33e129565028050"}


def said(found: Iterable[Message]) -> list[str]:
    return [str(what) for what in found]


def told(one: PlanEntry, decision: dict[str, Any] | None = None) -> list[str]:
    return said(verify.entry_problems(one, decision or row(), plan(one)))


PAYLOAD = "its payload is not what was approved"


@pytest.mark.parametrize("kind", ["new_claim", "add_reference", "already_there"])
def test_an_entry_that_its_decision_allows(kind: str) -> None:
    assert told(entry(kind)) == []


def test_an_entry_without_its_decision() -> None:
    assert said(verify.entry_problems(entry(), None, plan())) == ["decision 3 does not exist"]


ENTRIES: list[tuple[PlanEntry, dict[str, Any], list[str]]] = [
    (entry(proposal="x"), {}, ["its proposal is not that of decision 3"]),
    (entry(hash="x"), {}, ["its hash is not that of decision 3"]),
    (entry(reviewer="Ben"), {}, ["its reviewer is not that of decision 3"]),
    (entry(), {"verdict": "reject"}, ["decision 3 says reject"]),
    (entry(qid="Q2"), {}, ["its item is not the approved one"]),
    (entry(statement="Q1$x"), {}, [PAYLOAD]),
    (entry(payload={}), {}, [PAYLOAD]),
    (entry(otherwise=()), {}, [PAYLOAD]),
    (entry(otherwise=(payload.reference(B),)), {}, [PAYLOAD]),
    (entry(), {"tex": "p=m v"}, [PAYLOAD]),
    (entry(), {"references": ["approve", "approve"]}, [PAYLOAD]),
    (entry("add_reference", payload=payload.reference(B)), {}, [PAYLOAD]),
    (entry("add_reference", otherwise=(payload.reference(A),)), {}, [PAYLOAD]),
    (entry("already_there", payload=payload.reference(A)), {}, [PAYLOAD]),
    (entry("already_there", otherwise=(payload.reference(A),)), {}, [PAYLOAD]),
    (entry("another"), {}, [PAYLOAD]),
]


@pytest.mark.parametrize(("one", "decided", "what"), ENTRIES)
def test_an_entry_that_its_decision_does_not_allow(one: PlanEntry, decided: dict[str, Any], what: list[str]) -> None:
    assert told(one, row(**decided)) == what


def test_a_plan_whose_settings_have_changed_is_to_be_made_anew() -> None:
    """That is no change of the database, which would have to be put back."""
    verify.check_summaries(plan(entry()), SETTINGS)
    of_settings = (entry(), Settings())
    for one, settings in (of_settings, (entry(summary="x"), SETTINGS), (entry(otherwise_summary="x"), SETTINGS)):
        assert told(one) == []
        with pytest.raises(WriteRefused, match=r"its edit summaries .*; make a new plan") as refused:
            verify.check_summaries(plan(one), settings)
        assert refused.value.where == f"plan {plan(one).id}"


def test_a_source_for_a_standing_statement_goes_to_that_statement() -> None:
    made = proposal("add_reference", "Q1$a")
    assert told(entry("add_reference", made), row(made)) == []
    assert told(entry("add_reference", made, statement="Q1$b"), row(made)) == [PAYLOAD]
    assert told(entry("add_reference", statement="Q1$b")) == []  # a new claim that somebody else added
    assert PAYLOAD in told(entry("new_claim", made), row(made))


def test_a_decision_contradicts_what_it_stored() -> None:
    no, verdicts = (
        "the proposal that it stored is not the one that its hash says",
        "its verdicts on the references are not those of an approval",
    )
    assert said(verify.decision_problems(row())) == []
    assert said(verify.decision_problems(row(record=None))) == ["has not stored what was decided on"]
    assert said(verify.decision_problems(row(proposal="x"))) == [no]
    assert said(verify.decision_problems(row(hash="x"))) == [no]
    for given in (["approve"], ["reject", "skip"], [], None, ["approve", "reject", "approve"]):
        assert said(verify.decision_problems(row(references=given))) == [verdicts]
        assert said(verify.decision_problems(row(references=given, verdict="reject"))) == []


def test_a_proposals_row_contradicts_its_record() -> None:
    made = proposal()
    good = {"id": "p", "hash": made.hash, "kind": "new_claim", "qid": "Q1", "record": as_json(made)}
    assert said(verify.proposal_problems(good)) == []
    for name in ("id", "kind", "qid"):
        assert said(verify.proposal_problems({**good, name: "x"})) == [f"its {name} is not its record's"]
    both = ["its hash is not its record's", "its record is not what its hash says"]
    assert said(verify.proposal_problems({**good, "hash": "x"})) == both
    other = {**as_json(made), "tex": "p=m v"}
    assert said(verify.proposal_problems({**good, "record": other})) == ["its record is not what its hash says"]


def stored(one: Plan) -> dict[str, Any]:
    return {"id": one.id, "wiki": one.wiki, "group": one.group, "created": one.created, "record": as_json(one)}


def test_a_plan_contradicts_its_id_and_its_columns() -> None:
    whole, decisions = stored(plan(entry())), {3: row()}
    assert list(verify.plan_row_discrepancies(whole, decisions)) == []
    columns = "its columns are not what its record says"
    for name in ("wiki", "group", "created"):
        assert [str(d.what) for d in verify.plan_row_discrepancies({**whole, name: "x"}, decisions)] == [columns]
    told = [str(d.what) for d in verify.plan_row_discrepancies({**whole, "id": "x"}, decisions)]
    assert told == [columns, "its content is not what its id says"]
    (found,) = verify.plan_row_discrepancies(whole, {})
    assert (found.row, str(found.what)) == (whole["id"], "for Q1 (p) decision 3 does not exist")


def test_the_id_of_a_plan_is_of_more_than_its_entries() -> None:
    one = plan(entry())
    of_entries = digest("sandbox", as_json(one)["entries"], length=16)
    (found,) = verify.plan_row_discrepancies(stored(dataclasses.replace(one, id=of_entries)), {3: row()})
    assert found.what == Message("discrepancy.plan_content")


def test_a_plan_of_before_there_were_codes_is_verified_and_shown() -> None:
    """Its refusals are sentences, and its entries hold an empty reason; its id is the digest of exactly that."""
    record = as_json(plan(entry()))
    record["entries"][0]["because"] = ""
    record["refused"] = [["p2", "Q2 is a redirect now"]]
    record["id"] = verify.plan_id("sandbox", "group", record["entries"], record["refused"])
    kept = {**{name: record[name] for name in ("id", "wiki", "group", "created")}, "record": record}
    assert list(verify.plan_row_discrepancies(kept, {3: row()})) == []
    assert plan_from_record(record, record["id"]).refused == (("p2", uncoded_message("Q2 is a redirect now")),)
    record["refused"] = [["p2", "nothing"]]
    assert [str(d.what) for d in verify.plan_row_discrepancies(kept, {3: row()})] == [
        "its content is not what its id says"
    ]


def test_what_a_plan_refuses_is_kept_as_a_code() -> None:
    why = Message("refused.redirect", qid="Q2")
    refusing = dataclasses.replace(plan(entry()), refused=(("p2", why),))
    shown = plan_as_json(refusing)
    assert (shown["refused"], shown["messages"]) == ([["p2", "Q2 is a redirect now"]], [to_json(why)])
    record = as_json(refusing)
    assert record["refused"] == [["p2", {"code": "refused.redirect", "values": {"qid": "Q2"}}]]
    assert plan_from_record(record, "id").refused == (("p2", why),)


@pytest.mark.parametrize(
    "wrong",
    [
        {"entries": [{**as_json(entry()), "later": 1}]},  # of a newer version: what it says more may matter
        {"entries": [{"qid": "Q1"}]},
        {"entries": [7]},
        {"entries": 7},
        {"wiki": 7},
        {"refused": [["p2", 7]]},
    ],
)
def test_what_is_no_plan_is_not_read_as_one(wrong: dict[str, Any]) -> None:
    whole = as_json(plan(entry()))
    assert plan_from_record(whole, "id") == plan(entry())
    with pytest.raises(WorkspaceError) as refused:
        plan_from_record({**whole, **wrong}, "id")
    assert refused.value.message.code == "error.no_plan_record"


def edit(**values: Any) -> dict[str, Any]:
    one = entry()
    return {"guid": one.statement, "payload": one.payload, **values}


def test_an_edit_of_the_ledger_is_what_its_decision_approved() -> None:
    other, source = (
        ["has another payload than its decision approved"],
        ["has a reference that its decision did not approve"],
    )
    assert said(verify.edit_problems(edit(), row())) == []
    assert said(verify.edit_problems(edit(guid="Q1$x"), row())) == other
    assert said(verify.edit_problems(edit(), row(tex="p=m v"))) == other
    assert said(verify.edit_problems(edit(payload=payload.reference(A)), row())) == []
    assert said(verify.edit_problems(edit(payload=payload.reference(B)), row())) == source
    for decision in (None, row(record=None)):
        assert said(verify.edit_problems(edit(guid="Q1$x"), decision)) == []
    assert said(verify.edit_problems(edit(payload={}), row())) == []


@pytest.mark.parametrize(
    ("role", "where", "why"),
    [
        ("reviewer", "", ""),
        ("stand-in", "", "a script approved it: it is written to the rehearsal wiki only"),
        ("stand-in", "rehearsal", "a script approved it: it is written to the rehearsal wiki only"),
        ("reviewer", "rehearsal", "it was approved in a rehearsal: it is written to the rehearsal wiki only"),
    ],
)
def test_a_rehearsals_approval_is_written_in_the_rehearsal_only(role: str, where: str, why: str) -> None:
    verify.check_rehearsal_only(row(role=role, wiki=where), WIKI)
    if not why:
        verify.check_rehearsal_only(row(role=role, wiki=where), LIVE)
        return
    with pytest.raises(WriteRefused) as refused:
        verify.check_rehearsal_only(row(role=role, wiki=where), LIVE)
    assert str(refused.value.message) == why


@pytest.mark.parametrize("count", [0, 1, 5, 6, 7])
def test_up_to_five_rows_are_named(count: int) -> None:
    found = [Discrepancy("edits", str(n), uncoded_message("x")) for n in range(count)]
    if not count:
        verify.refuse_if_any(found)
        return
    with pytest.raises(WriteRefused) as refused:
        verify.refuse_if_any(found)
    named = "; ".join(f"edits {n}: x" for n in range(min(count, 5)))
    more = {6: " and 1 more", 7: " and 2 more"}.get(count, "")
    assert (
        str(refused.value.message)
        == f"nothing is sent, since the database was changed past the commands: {named}{more}"
    )
    if count == 7:
        german = "es wird nichts gesendet, da die Datenbank an den Befehlen vorbei geändert wurde: edits 0: x; "
        assert sentence(refused.value.message, "de").startswith(german)
        assert sentence(refused.value.message, "de").endswith("edits 4: x und 2 weitere Abweichungen")


def test_the_summary_says_what_why_and_where_to_take_it_back() -> None:
    rest = "approved by Ada, [[Wikidata:Task]] ([[:toolforge:editgroups/b/CB/g|details]])"
    assert verify.edit_summary("new_claim", "Ada", "g", SETTINGS) == f"add formula with its source, {rest}"
    assert verify.edit_summary("add_reference", "Ada", "g", SETTINGS) == f"add a source to the formula, {rest}"
    assert ", rehearsal ([[" in verify.edit_summary("new_claim", "Ada", "g", Settings())
