"""What must hold before an edit, on the revisions of one item and a ledger: no server, no pywikibot."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from types import SimpleNamespace
from typing import Any, cast

import pytest
import sqlalchemy as sa
from item_revisions import GUID, OURS, SOURCE, THEIRS, PermissivePolicy, Wiki, entity, entry
from rehearsal import put

from bot import hashchain, settings, store
from bot.errors import WriteRefused, WriteStopped
from bot.messages import Message, uncoded_message
from bot.records import Decision, Edit, EditOutcome, UndoState, as_json
from bot.review import add_reviewer, decide
from bot.store import Workspace
from bot.write import concurrent_edit, ledger, plans, verify
from bot.write.apply import _Writer, apply
from bot.write.entry import Plan, PlanEntry
from bot.write.ledger import UndoResult
from bot.write.plan import make_plan
from bot.write.preconditions import Preconditions
from bot.write.undo import Undoer
from bot.write.wiki_policy import WikiPolicy
from bot.write.wiki_protocol import WikiRefusal, WikiSession

WIKI = settings.Wiki(name="sandbox", sandbox=True)
PLAN = Plan("plan", "sandbox", "group", (), ())


def checks(workspace: Workspace, wiki: Wiki) -> Preconditions:
    return Preconditions(workspace, PLAN, cast(WikiSession, wiki), cast(WikiPolicy, PermissivePolicy()), WIKI)


def attempt(workspace: Workspace, outcome: str, made: PlanEntry, **values: Any) -> int:
    sent = {"proposal": "p", "hash": "h", "qid": "Q1", "decision": 1, "group": "group", "reviewer": "Ada"}
    sent |= {"guid": made.statement, "payload": made.payload, "revision_before": 7}
    return ledger.add_closed_row(workspace, EditOutcome(outcome), **{**sent, **values})


def why(of: Preconditions, made: PlanEntry, before: dict[str, Any]) -> str:
    try:
        left = of.remaining_sources(made, before)
    except WriteRefused as refused:
        return str(refused.message)
    return "nobody" if left is None else ", ".join(f"{part.kind} {part.because}" for part in left)


# The revision of an earlier attempt


@pytest.mark.parametrize(
    ("attempts", "comments", "revision"),
    [
        ([], {8: "formula (group)"}, 9),  # nothing was tried: the one that it is seen in
        ([{}], {8: "formula (group)"}, 8),
        ([{"group": "earlier"}], {8: "formula (earlier)"}, 8),
        ([{"group": "earlier"}], {8: "formula (group)"}, 8),  # the group of this plan counts as well
        ([{}], {}, 9),  # the history does not tell
        ([{"revision_before": 8}], {8: "formula (group)"}, 9),  # made before the attempt: not by it
        ([{"revision_before": 8}, {}], {8: "formula (group)"}, 8),  # the first attempt counts
    ],
)
def test_the_revision_of_an_earlier_attempt(
    workspace: Workspace, attempts: list[dict[str, Any]], comments: dict[int, str], revision: int
) -> None:
    for values in attempts:
        attempt(workspace, "failed", entry(), **values)
    wiki = Wiki(entity(7, THEIRS), entity(8, THEIRS, OURS), entity(9, OURS), comments=comments)
    of = checks(workspace, wiki)
    assert of.revision_of(entry(), of.rows(entry()), wiki.entity_at(9)) == revision


def test_an_attempt_that_arrived_late_is_told_from_one_that_was_removed(workspace: Workspace) -> None:
    rows = [Edit(revision_before=7, group="group")]
    there = Wiki(entity(7), entity(8, OURS), comments={8: "formula (group)"})
    assert checks(workspace, there).is_saved_meanwhile(entry(), rows) is True
    assert checks(workspace, there).is_saved_meanwhile(entry(), []) is False
    assert checks(workspace, there).is_saved_meanwhile(entry(), [Edit(revision_before=8, group="group")]) is False
    gone = Wiki(entity(7), entity(8, OURS), entity(9), comments={8: "formula (group)"})
    with pytest.raises(WriteRefused, match="was written and then removed by somebody"):
        checks(workspace, gone).is_saved_meanwhile(entry(), rows)


def test_an_item_that_was_merged_or_is_gone_is_refused(workspace: Workspace) -> None:
    assert checks(workspace, Wiki(entity(7))).read(entry())["lastrevid"] == 7
    for found in ({**entity(7), "id": "Q2"}, {**entity(7), "redirects": {"from": "Q1", "to": "Q2"}}):
        with pytest.raises(WriteRefused, match="Q1 is a redirect now"):
            checks(workspace, Wiki(found)).read(entry())
    for code, error in (("no-such-entity", WriteRefused), ("readonly", WikiRefusal)):
        wiki = Wiki(entity(7))
        wiki.entity = lambda qid, code=code: (_ for _ in ()).throw(WikiRefusal(code, "no"))  # type: ignore[method-assign,misc]
        with pytest.raises(error, match=f"{code}: no"):
            checks(workspace, wiki).read(entry())


def test_statements_of_approvals_carried_out_since_the_plan_are_no_change(workspace: Workspace) -> None:
    planned = entry(before={})
    of, now = checks(workspace, Wiki(entity(8))), entity(8, OURS)
    with pytest.raises(WriteRefused, match=r"\(1 statements\)"):
        of.check_item(planned, now)
    of.check_item(planned, now, ignored=GUID)
    attempt(workspace, "failed", entry())
    with pytest.raises(WriteRefused):
        of.check_item(planned, now)
    attempt(workspace, "written", entry())
    of.check_item(planned, now)


# The claim that somebody else made, and the one that somebody took back


def test_what_is_left_where_somebody_else_made_the_claim(workspace: Workspace) -> None:
    theirs = {**OURS, "id": "Q1$c", "references": [SOURCE]}
    wiki = Wiki(entity(7), entity(8, theirs))
    of = checks(workspace, wiki)
    assert why(of, entry("add_reference"), wiki.entity_at(8)) == "nobody"
    assert why(of, entry(), wiki.entity_at(7)) == "nobody"
    first = "add_reference somebody else added the formula with this source, on Q1$c"
    second = "add_reference somebody else added the formula: the source only, on Q1$c"
    assert why(of, entry(), wiki.entity_at(8)) == f"{first}, {second}"
    assert "(1 statements)" in why(of, entry(), entity(8, theirs, THEIRS))
    attempt(workspace, "written", replace(entry(), statement="Q1$c"), decision=2, revision=8)
    assert why(of, entry(), wiki.entity_at(8)).startswith(
        "add_reference another approval of the same formula was first"
    )


def test_a_formula_that_was_set_and_taken_back_is_left_alone(workspace: Workspace) -> None:
    theirs = {**OURS, "id": "Q1$c"}
    wiki = Wiki(entity(7), entity(8, theirs), entity(9))
    of = checks(workspace, wiki)
    assert (
        why(of, entry(), wiki.entity_at(9)) == "somebody has added this since it was proposed, and it was removed again"
    )
    assert why(of, entry(revision=9), wiki.entity_at(9)) == "nobody"
    assert why(of, entry(revision=8), wiki.entity_at(9)) == "nobody"  # the plan was made on the item with it
    n = attempt(workspace, "written", replace(entry(), statement="Q1$c"), decision=2, revision=8)
    assert why(of, entry(), wiki.entity_at(9)).endswith("and it was removed again")
    ledger.record_undo(workspace, n, UndoResult(UndoState.UNDONE, revision=9))
    assert why(of, entry(), wiki.entity_at(9)) == "nobody"  # by ourselves
    busy = Wiki(*(entity(n) for n in range(7, 209)))
    assert (
        why(checks(workspace, busy), entry(), busy.entity_at(208))
        == "the item was edited 201 times since this was proposed"
    )
    calm = Wiki(*(entity(n) for n in range(7, 208)))
    assert why(checks(workspace, calm), entry(), calm.entity_at(207)) == "nobody"
    attempt(workspace, "written", replace(entry("add_reference"), statement="Q1$c"))
    assert why(of, entry(revision=9), wiki.entity_at(9)) == "the statement of another that had our source is gone"


def test_a_formula_is_not_added_where_a_revision_since_the_proposal_cannot_be_read(workspace: Workspace) -> None:
    class Hidden(Wiki):
        def entity_at(self, revision: int) -> dict[str, Any]:
            if revision == 8:
                raise WikiRefusal("revision-hidden", "revision 8 is hidden")
            return super().entity_at(revision)

    wiki = Hidden(entity(7), entity(8), entity(9))
    assert why(checks(workspace, wiki), entry(), wiki.entity_at(9)).endswith("revision 8 is hidden")


# What the writer makes of several sources


@pytest.mark.parametrize(
    ("ends", "said", "asked"),
    [
        ([], ("already_there", concurrent_edit.ADDED_BY_ANOTHER), 0),
        (["already_there"], ("already_there", uncoded_message("0")), 1),
        (["written", "already_there"], ("written", uncoded_message("0")), 2),
        (["already_there", "written"], ("written", uncoded_message("1")), 2),
        (["written", "refused", "written"], ("refused", uncoded_message("1")), 2),
        (["failed", "written"], ("failed", uncoded_message("0")), 1),
    ],
)
def test_the_sources_of_one_claim_end_as_one(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch, ends: list[str], said: tuple[str, Message], asked: int
) -> None:
    of = checks(workspace, Wiki(entity(7)))
    writer, tried = _Writer(of, 3), []

    def one(part: PlanEntry) -> tuple[EditOutcome, Message]:
        tried.append(part)
        return EditOutcome(str(part.because)), uncoded_message(str(len(tried) - 1))

    monkeypatch.setattr(writer, "write_entry", one)
    parts = [entry("add_reference", because=uncoded_message(end)) for end in ends]
    assert writer._write_sources(entry(), parts) == said
    assert len(tried) == asked
    closed = [(row.outcome, row.reason) for row in ledger.ledger_rows(workspace)]
    assert closed == ([] if ends else [("already_there", "somebody else added the formula")])


def test_repeated_failures_end_the_run_and_a_success_between_them_does_not(workspace: Workspace) -> None:
    of = checks(workspace, Wiki(entity(7)))
    of.plan = replace(
        PLAN, entries=tuple(entry(label=end) for end in ("failed", "written", "failed", "failed", "written"))
    )
    writer = _Writer(of, 2)
    writer.write_entry = lambda part, rest=(): (EditOutcome(part.label), uncoded_message("away"))  # type: ignore[method-assign]
    seen = []
    with pytest.raises(Exception, match="2 failures one after another, the last: away"):
        seen.extend([one[1] for one in _noting(writer, seen)])
    assert seen == ["failed", "written", "failed", "failed"]


def _noting(writer: _Writer, seen: list[str]) -> Iterable[Any]:
    for one in writer.run():
        seen.append(one[1])
        yield one


def test_what_a_plan_could_not_take_goes_back_to_review_once(workspace: Workspace) -> None:
    add_reviewer(workspace, "Ada")
    made = {qid: put(workspace, qid, "p=mv") for qid in ("Q1", "Q2", "Q3", "Q4")}
    for qid in ("Q1", "Q2"):
        decide(workspace, Decision(made[qid].id, made[qid].hash, "approve", reviewer="Ada"))
    attempt(workspace, "failed", entry(), proposal=made["Q2"].id, decision=2)
    of = checks(workspace, Wiki(entity(7)))
    why = Message("refused.missing", qid="Q1")
    proposals = (*(made[qid].id for qid in ("Q1", "Q2", "Q3")), "nowhere")
    of.plan = replace(PLAN, refused=tuple((each, why) for each in proposals))
    for _ in range(2):
        _Writer(of, 3).record_refused()
        (_, row) = ledger.ledger_rows(workspace)
        assert (row.proposal, row.hash, row.decision, row.reviewer) == (made["Q1"].id, made["Q1"].hash, 1, "Ada")
        assert (row.qid, row.outcome, row.explanation, row.payload, row.guid) == ("Q1", "refused", why, {}, "")
        assert (row.time, row.group) == ("2026-11-20T00:00:00Z", "group")


# Undo, and the proposals that are looked at


@pytest.mark.parametrize(
    ("begun", "state"),
    [([], UndoState.KEPT), ([8], UndoState.UNDONE), ([8, 9], UndoState.UNDONE), ([9, 8], UndoState.UNDONE), ([9], UndoState.KEPT)],
)  # fmt: skip
def test_what_is_gone_already_is_undone_only_where_we_removed_it(
    workspace: Workspace, begun: list[int], state: UndoState
) -> None:
    attempt(workspace, "written", entry(), revision=8)
    (row,) = ledger.ledger_rows(workspace)
    for revision in begun:
        ledger.begin_undo(workspace, row.n, revision, "undogroup")
    wiki = Wiki(entity(7), entity(8, OURS), entity(9), comments={9: "undo (undogroup)"})
    undoer = object.__new__(Undoer)
    undoer.workspace, undoer.task = workspace, "T"
    undoer._session, undoer._policy = cast(WikiSession, wiki), cast(WikiPolicy, PermissivePolicy())
    found = undoer._undo_once(row, "undogroup", cast(Any, None))
    assert found == UndoResult(state, *((None, 9) if 8 in begun else (Message("kept.removed"),)))
    assert wiki.calls == []


def test_proposals_that_somebody_approved_are_recomputed_and_no_others(workspace: Workspace) -> None:
    add_reviewer(workspace, "Ada")
    made = {qid: put(workspace, qid, "p=mv") for qid in ("Q1", "Q2", "Q3")}
    decide(workspace, Decision(made["Q1"].id, made["Q1"].hash, "approve", reviewer="Ada"))
    decide(workspace, Decision(made["Q2"].id, made["Q2"].hash, "reject", reason="wrong_item", reviewer="Ada"))
    assert list(verify.approved_proposal_discrepancies(workspace)) == []
    with workspace.engine.begin() as db:
        db.execute(sa.update(store.proposals).values(kind="add_reference"))
    named = {(one.row, str(one.what)) for one in verify.approved_proposal_discrepancies(workspace)}
    assert named == {(made["Q1"].id, "its kind is not its record's")}


def test_an_approval_that_the_chain_does_not_know_was_put_in_by_hand(workspace: Workspace) -> None:
    add_reviewer(workspace, "Ada")
    made = put(workspace, "Q1", "p=mv")
    decide(workspace, Decision(made.id, made.hash, "approve", reviewer="Ada"))
    decide(workspace, Decision(made.id, made.hash, "reject", reason="wrong_item", reviewer="Ada"))
    by_hand = "was put in by hand: the chain knows of no decision"
    assert list(verify.approval_discrepancies(workspace, [1])) == []
    assert [(one.row, str(one.what)) for one in verify.approval_discrepancies(workspace, [1, 2])] == [
        ("2", "says reject")
    ]
    with workspace.engine.begin() as db:
        db.execute(hashchain.links.delete())
    assert [(one.row, str(one.what)) for one in verify.approval_discrepancies(workspace, [1])] == [("1", by_hand)]


def test_a_plan_is_not_made_of_an_approval_that_has_not_stored_what_was_approved(workspace: Workspace) -> None:
    add_reviewer(workspace, "Ada")
    made = put(workspace, "Q1", "p=mv")
    decide(workspace, Decision(made.id, made.hash, "approve", reviewer="Ada"))
    workspace.change(store.decisions.update().values(record=sa.null()), hashchain.links.delete())
    with pytest.raises(WriteRefused) as refused:
        make_plan(workspace, cast(Any, SimpleNamespace(raw_entities=None)), WIKI, settings.Settings())
    assert "decisions 1: has not stored what was decided on" in str(refused.value.message)


def test_a_decision_that_is_changed_while_the_plan_is_carried_out_stops_the_run(workspace: Workspace) -> None:
    add_reviewer(workspace, "Ada")
    made = put(workspace, "Q1", "p=mv")
    decide(workspace, Decision(made.id, made.hash, "approve", reviewer="Ada"))
    approved = replace(entry(), proposal=made.id, hash=made.hash, decision=1)
    plan = replace(PLAN, entries=(approved,))

    def of() -> Preconditions:
        return Preconditions(
            workspace, plan, cast(WikiSession, Wiki(entity(7))), cast(WikiPolicy, PermissivePolicy()), WIKI
        )

    before = of()
    before.check_decision(approved)
    with workspace.engine.begin() as db:
        db.execute(store.decisions.update().values(reason="another"))
    with pytest.raises(WriteStopped) as stopped:
        before.check_decision(approved)
    assert stopped.value.message == Message("stopped.decision_changed", decision=1)
    with pytest.raises(WriteStopped):
        before._check_unchanged(replace(approved, decision=2))  # one that is gone


def test_only_a_plan_as_it_was_stored_is_carried_out(workspace: Workspace) -> None:
    def said(plan: Plan) -> str:
        session, wiki_policy = cast(WikiSession, Wiki(entity(7))), cast(WikiPolicy, PermissivePolicy())
        try:
            return str(apply(workspace, plan, WIKI, settings.Settings(), session=session, policy=wiki_policy))
        except WriteRefused as refused:
            return str(refused.message)

    id_ = verify.plan_id("sandbox", "group", (), ())
    plan = replace(PLAN, id=id_, created="2026-11-20")
    assert f"plans {id_}: is not stored" in said(plan)
    plans.store_record(workspace, id_, "sandbox", "group", plan.created, as_json(plan))
    assert said(plan) == "[]"
    assert "was changed after it was read" in said(replace(plan, entries=(entry(),)))
    assert said(replace(plan, wiki="another")) == "the plan is for another, the wiki is sandbox"
    workspace.change(store.plans.update().values(group="other"))
    assert "its columns are not what its record says" in said(plan)
