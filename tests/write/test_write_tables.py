"""Who may write where, what the ledger keeps, what a plan says and which edits are taken back: case by case, without a wiki."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from bot.errors import InputError, WriteRefused
from bot.messages import uncoded_message
from bot.records import Edit, Item, Proposal, Reference, Statement, UndoState
from bot.settings import Agent, Settings, Wiki, Writing
from bot.store import Workspace
from bot.write import ledger, outcome, payload
from bot.write import plan as planning
from bot.write.authorise import authorise, confirm_count, is_production
from bot.write.entry import Plan, PlanEntry
from bot.write.ledger import UndoResult
from bot.write.plans import group_of_unfinished_run, load_plan, store_record, unfinished_entries, unfinished_plan
from bot.write.undo import EditSelection, UndoPlan, _rows

A, B = (Reference((("P854", "url", f"https://example.org/{name}"),)) for name in "ab")
TEST = Wiki(name="test", api="https://test.example.org/w/api.php")
LIVE = Wiki(name="live", api="https://www.example.org/w/api.php")
FULL = Writing(site="test", task="T", account="Bot", family="f", code="c")


def refused(wiki: Wiki, writing: Writing, contact: str = "me@example.org") -> str:
    settings = Settings(writing=writing, agent=replace(Agent(), contact=contact))
    try:
        authorise(wiki, settings)
    except WriteRefused as error:
        return str(error.message)
    return ""


def test_writing_needs_everything_named() -> None:
    assert refused(Wiki(name="sandbox", sandbox=True), Writing()) == ""
    assert refused(TEST, FULL) == ""
    assert refused(TEST, Writing()) == "[writing] site is '', the wiki is 'test'"
    for name in ("task", "account", "family", "code"):
        assert refused(TEST, replace(FULL, **{name: ""})) == f"[writing] lacks {name}"
    live = replace(FULL, site="live")
    assert refused(LIVE, live) == "[writing] lacks stop_page"
    assert refused(LIVE, replace(live, stop_page="Stop")) == ""
    plain = replace(TEST, api="http://test.example.org/w/api.php")
    assert refused(plain, FULL) == f"{plain.api} is neither HTTPS nor on this machine"
    assert refused(replace(TEST, api="http://127.0.0.1:80/api.php"), FULL) == ""
    assert refused(TEST, FULL, contact="") == "[agent] lacks a contact"


@pytest.mark.parametrize(
    ("api", "sandbox", "production"),
    [("https://www.wikidata.org/w", False, True), ("https://www.wikidata.org/w", True, False), ("https://test.wikidata.org/w", False, False), ("https://latest.example.org", False, True), ("http://localhost/w", False, False), ("", False, True)],
)  # fmt: skip
def test_which_wikis_have_readers(api: str, sandbox: bool, production: bool) -> None:
    assert is_production(Wiki(name="x", api=api, sandbox=sandbox)) is production


@pytest.mark.parametrize(("count", "allowed"), [(0, True), (199, True), (200, True), (201, False)])
def test_nobody_is_asked_up_to_the_daily_cap(count: int, allowed: bool) -> None:
    if allowed:
        confirm_count(count, Settings())
        return
    with pytest.raises(WriteRefused, match="201 edits are more than the daily cap of 200"):
        confirm_count(count, Settings())


def said(decision: int = 1, qid: str = "Q1", **values: Any) -> dict[str, Any]:
    return {
        "decision": decision,
        "qid": qid,
        "guid": f"{qid}$a",
        "payload": {},
        "proposal": "p",
        "group": "g",
        "reviewer": "Ada",
        **values,
    }


def test_the_ledger_keeps_each_attempt_and_its_end(workspace: Workspace) -> None:
    one = ledger.open_row(workspace, **said())
    (row,) = ledger.ledger_rows(workspace)
    assert (row.n, row.outcome, row.revision, row.reason, row.undo) == (one, "pending", 0, "", "")
    ledger.close_row(workspace, one, "written", revision=9, reason="why")
    two = ledger.add_closed_row(workspace, "refused", reason="no", **said(2, "Q2"))
    first, second = ledger.ledger_rows(workspace)
    assert (first.outcome, first.revision, first.reason) == ("written", 9, "why")
    assert (second.n, second.outcome, second.revision, second.reason, second.undo) == (
        two,
        "refused",
        0,
        "no",
        "",
    )
    numbers = [
        [r.n for r in ledger.ledger_rows(workspace, **by)]
        for by in ({"decision": 2}, {"item": "Q1"}, {"outcome": "written"}, {"outcome": "pending"})
    ]  # type: ignore[arg-type]
    assert numbers == [[two], [one], [one], []]
    ledger.begin_undo(workspace, one, 9, "u1")
    ledger.begin_undo(workspace, two, 3, "u2")
    assert ledger.undo_attempts(workspace, one) == [{"revision_before": 9, "group": "u1"}]
    ledger.record_undo(workspace, one, UndoResult(UndoState.UNDONE, revision=10))
    assert [row.undone for row in ledger.ledger_rows(workspace)] == [True, False]


# Which edits are taken back


@pytest.fixture
def four(workspace: Workspace) -> Workspace:
    days = ("2026-11-19T23:59:59Z", "2026-11-20T00:00:00Z", "2026-11-20T12:00:00Z", "2026-11-21T00:00:00Z")
    for n, time in enumerate(days, 1):
        ledger.add_closed_row(
            workspace, "written", time=time, **said(n, f"Q{n % 2}", group=f"g{n}", reviewer="Ada" if n < 3 else "Ben")
        )
    ledger.add_closed_row(workspace, "refused", time=days[0], **said(5))
    return workspace


@pytest.mark.parametrize(
    ("which", "numbers"),
    [
        (EditSelection(edit=2), [2]),
        (EditSelection(edit=5), []),
        (EditSelection(group="g3"), [3]),
        (EditSelection(item="Q1"), [3, 1]),
        (EditSelection(reviewer="Ben"), [4, 3]),
        (EditSelection(since="2026-11-20"), [4, 3, 2]),
        (EditSelection(since="2026-11-20T00:00:00Z"), [4, 3, 2]),
        (EditSelection(until="2026-11-20T00:00:00Z"), [1]),
        (EditSelection(until="2026-11-20"), [1]),
        (EditSelection(since="2026-11-20", until="2026-11-21"), [3, 2]),
        (EditSelection(item="Q1", reviewer="Ben"), [3]),
        (EditSelection(since="2027"), []),
    ],
)
def test_which_edits(four: Workspace, which: EditSelection, numbers: list[int]) -> None:
    assert [row.n for row in _rows(four, which)] == numbers


def test_no_edit_is_chosen_by_nothing_or_by_a_word(four: Workspace) -> None:
    with pytest.raises(InputError, match="give --group"):
        _rows(four, EditSelection())
    for bad in (
        EditSelection(since="yesterday"),
        EditSelection(until="20-11-2026"),
        EditSelection(since="2026-11-20T"),
        EditSelection(edit=1, until="x"),
    ):
        with pytest.raises(InputError, match="is not a time"):
            _rows(four, bad)
    assert [
        bool(w) for w in (EditSelection(), EditSelection(edit=1), EditSelection(until="2026"), EditSelection(group="g"))
    ] == [
        False,
        True,
        True,
        True,
    ]


def test_what_is_open_of_an_undo() -> None:
    rows = [Edit(n=n) for n in range(3)]
    results = [UndoResult(UndoState.PLANNED), UndoResult(UndoState.KEPT, "x"), UndoResult(UndoState.UNDONE, revision=3)]
    entries = tuple(zip(rows, results, strict=True))
    assert UndoPlan("u", "g", entries).open == (rows[0],)


# Plans


CLAIM = payload.claim("Q1$b", "P2534", "p=mv", (A,))
NEW = PlanEntry(
    "p",
    "h",
    1,
    "Ada",
    "Q1",
    "new_claim",
    "Q1$b",
    CLAIM,
    7,
    {},
    (),
    "",
    "momentum",
    otherwise=tuple(CLAIM["references"]),
)


def plan(group: str = "g", wiki: str = "test", created: str = "1", *entries: PlanEntry) -> Plan:
    return Plan(f"plan-{group}", wiki, group, entries or (NEW,), (), created)


def keep(workspace: Workspace, *plans: Plan) -> None:
    for each in plans:
        store_record(workspace, each.id, each.wiki, each.group, each.created, each)


def test_stored_plans_are_found_the_newest_first(workspace: Workspace) -> None:
    assert load_plan(workspace) is None
    assert unfinished_plan(workspace, TEST) is None
    one, two = plan("a", created="1"), plan("b", created="2")
    keep(workspace, two, one)
    store_record(workspace, "undo-x", "test", "u", "3", {"kind": "undo", "entries": []})
    assert load_plan(workspace) == two
    assert load_plan(workspace, "plan-a") == one
    assert load_plan(workspace, "plan-c") is None
    assert unfinished_plan(workspace, TEST) == two
    assert unfinished_plan(workspace, LIVE) is None
    assert unfinished_entries(workspace, two) == [NEW]
    ledger.add_closed_row(workspace, "written", **said(guid="Q1$b", payload=CLAIM, group="b"))
    assert unfinished_entries(workspace, two) == []
    assert unfinished_plan(workspace, TEST) is None


def test_a_run_that_ended_half_way_goes_on_in_its_group(workspace: Workspace) -> None:
    begun, fresh = plan("a", created="1"), plan("b", created="2")
    keep(workspace, begun, fresh)
    assert group_of_unfinished_run(workspace, TEST, [NEW]) == ""
    n = ledger.open_row(workspace, **said(guid="Q1$b", payload=CLAIM, group="a"))
    assert group_of_unfinished_run(workspace, TEST, [NEW]) == "a"
    assert group_of_unfinished_run(workspace, LIVE, [NEW]) == ""
    assert group_of_unfinished_run(workspace, TEST, [replace(NEW, decision=2)]) == ""
    assert group_of_unfinished_run(workspace, TEST, []) == ""
    ledger.close_row(workspace, n, "written")
    assert group_of_unfinished_run(workspace, TEST, [NEW]) == ""


def proposal(kind: Any = "new_claim", statement: str = "") -> Proposal:
    return Proposal("p", kind, "Q1", "P2534", "p=mv", (A, B), (), (), 0.9, 1, "h", "2999-01-01", statement)


def there(tex: str = "p=mv", guid: str = "Q1$a", *references: Reference, **more: Any) -> Statement:
    return Statement(guid, "P2534", tex, "normal", references, **more)


def todo(made: Proposal, *statements: Statement, ours: frozenset[str] = frozenset()) -> tuple[str, str, int]:
    kind, guid, references = planning._planned_edit(made, "p=mv", (A, B), Item("Q1", statements=statements), TEST, ours)
    return kind, guid, len(references)


def test_what_is_left_to_do_on_the_item_as_it_is_now() -> None:
    new, source = proposal(), proposal("add_reference", "Q1$a")
    assert todo(new) == ("new_claim", "", 2)
    assert todo(new, there()) == ("add_reference", "Q1$a", 2)
    assert todo(new, there("p=mv", "Q1$a", A)) == ("add_reference", "Q1$a", 1)
    assert todo(new, there("p=mv", "Q1$a", A, B)) == ("already_there", "Q1$a", 0)
    assert todo(source, there()) == ("add_reference", "Q1$a", 2)
    assert todo(source, there("p = m v")) == ("add_reference", "Q1$a", 2)
    assert todo(new, there("E=mc^2"), ours=frozenset({"Q1$a"})) == ("new_claim", "", 2)


@pytest.mark.parametrize(
    ("made", "statements", "ours", "why"),
    [
        (proposal(), [there("E=mc^2")], "", "not as reviewed: the item has another formula: E=mc^2"),
        (proposal("add_reference", "Q1$a"), [], "", "the statement that was to get the source is gone or says something else"),
        (proposal("add_reference", "Q1$a"), [there(guid="Q1$c")], "", "the statement that was to get the source is gone or says something else"),
        (proposal(), [there("p = m v")], "", "somebody else added the formula in other marks: p = m v"),
        (proposal(), [there("p = m v")], "Q1$a", "another approval of the same formula was first in other marks: p = m v"),
        (proposal(), [there(qualifiers=(("P1", "x"),))], "", "somebody else added the formula with qualifiers, which nobody has reviewed"),
    ],
)  # fmt: skip
def test_what_goes_back_to_review(made: Proposal, statements: list[Statement], ours: str, why: str) -> None:
    with pytest.raises(WriteRefused) as back:
        todo(made, *statements, ours=frozenset({ours}))
    assert str(back.value.message) == why


def test_the_item_is_taken_as_it_will_be_once_the_planned_claims_are_there() -> None:
    item = Item("Q1", statements=(there("E=mc^2"),))
    others = [replace(NEW, qid="Q2"), replace(NEW, kind="add_reference", payload=payload.reference(A))]
    after = planning._item_after(item, [NEW, *others])
    assert [(s.guid, s.value) for s in after.statements] == [("Q1$a", "E=mc^2"), ("Q1$b", "p=mv")]


# The outcome


def shown(
    workspace: Workspace, made: Plan, capsys: pytest.CaptureFixture[str], as_json: bool = False, stopped: str = ""
) -> str:
    outcome.print_outcome(workspace, made, as_json, uncoded_message(stopped) if stopped else None)
    return capsys.readouterr().out


def test_the_outcome_is_printed_and_kept(workspace: Workspace, capsys: pytest.CaptureFixture[str]) -> None:
    workspace.reports.mkdir(exist_ok=True)
    kept = workspace.reports / "write-outcome.json"
    nothing = Plan("i", "test", "g", (), ())
    assert shown(workspace, nothing, capsys).startswith(
        "there is nothing approved that is not yet written: plan i, group g, planned 0"
    )
    assert not kept.exists()
    assert json.loads(shown(workspace, nothing, capsys, as_json=True))["planned"] == 0
    assert shown(workspace, plan(), capsys, stopped="the stop page says no") == ""
    told = json.loads(kept.read_text(encoding="utf-8"))
    assert (told["stopped"], told["failed"], told["edits"][0]["reason"]) == (
        "the stop page says no",
        1,
        "not sent: the run ended before it",
    )
    ledger.add_closed_row(workspace, "written", revision=9, **said(guid="Q1$b", payload=CLAIM))
    out = shown(workspace, plan(), capsys, stopped="x")
    assert "planned 1, written 1, already there 0, refused 0, failed 0, source only 0, back to review 0" in out
    assert json.loads(shown(workspace, plan(), capsys, as_json=True))["written"] == 1
    back = Plan("i", "test", "g", (), (("p", uncoded_message("why")),))
    assert "back to review 1" in shown(workspace, back, capsys)
