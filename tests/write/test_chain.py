"""The hash chain from the source sentence to the revision: whole after a run, and broken by whatever is changed later."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
import sqlalchemy as sa
from rehearsal import SETTINGS, Direct, Looks, Time, approve, approve_all, claims, policy, put, rows, undo

from bot import hashchain as chain
from bot import store
from bot.errors import InputError
from bot.lookup import Client
from bot.messages import Message, from_json, sentence, uncoded_message
from bot.records import Edit, EditOutcome, UndoState
from bot.sandbox import Sandbox
from bot.store import Workspace
from bot.write import Plan, apply, ledger, make_plan
from bot.write.outcome import outcome_counts, outcome_rows, print_outcome
from bot.write.plan import estimated_duration
from bot.write.plans import unfinished_entries, unfinished_plan
from bot.write.wiki_protocol import WikiRefusal


@pytest.fixture
def sandbox() -> Iterator[Sandbox]:
    with Sandbox() as running:
        running.fill(rows(6))
        yield running


@pytest.fixture
def run(workspace: Workspace, sandbox: Sandbox) -> str:
    approve_all(workspace, sandbox, 6)
    plan = make_plan(workspace, Looks(sandbox), sandbox.wiki, SETTINGS)  # type: ignore[arg-type]
    wiki_policy = policy(workspace, sandbox, Time())
    apply(workspace, plan, sandbox.wiki, SETTINGS, session=Direct(sandbox), policy=wiki_policy)
    undo(workspace, sandbox.wiki, SETTINGS, item="Q1002", session=Direct(sandbox), policy=wiki_policy)
    assert list(chain.edit_discrepancies(workspace)) == []
    return plan.id


TAMPERED = {
    "the source sentence": (
        "UPDATE decisions SET record = replace(record, 'momentum is', 'energy is') WHERE n = 2",
        "its source sentences changed",
    ),
    "the decision": ("UPDATE decisions SET reviewer = 'Bob' WHERE n = 2", "its decision changed"),
    "the payload": (
        "UPDATE edits SET payload = replace(payload, 'example.org/a', 'example.org/b')",
        "its payload changed",
    ),
    "the GUID": ("UPDATE edits SET guid = 'Q1$x' WHERE n = 2", "its guid changed"),
    "the revision": ("UPDATE edits SET revision = 1 WHERE n = 2", "its revision changed"),
    "the outcome": ("UPDATE edits SET outcome = 'failed' WHERE n = 2", "its outcome changed"),
    "the code of the reason": (
        """UPDATE edits SET message = '{"code": "ended.earlier", "values": {}}' WHERE n = 2""",
        "its message changed",
    ),
    "the undo": ("UPDATE edits SET undo = '' WHERE undo <> ''", "undo"),
    "the state of the undo": ("UPDATE edits SET undo_state = 'kept' WHERE undo_state = 'undone'", "undo"),
    "an undo that was never made": ("UPDATE edits SET undo_state = 'undone' WHERE undo_state = ''", "undo"),
    "the code of the undo": ("UPDATE edits SET undo_message = '{}' WHERE undo_state = 'undone'", "undo"),
    "no state of the undo": ("UPDATE edits SET undo_state = NULL WHERE undo_state = 'undone'", "undo"),
    "the revision of the undo": ("UPDATE edits SET undo_revision = 1 WHERE undo_revision > 0", "undo"),
    "a row that is gone": ("DELETE FROM edits WHERE n = 2", "not in the ledger"),
    "a row that came later": (
        "INSERT INTO edits(n, proposal, outcome, revision, reason, undo, payload) VALUES(99, 'x', 'written', 1, '', '', '{}')",
        "has no link",
    ),
    "a link": ("UPDATE chain SET record = '{}' WHERE n = 3", "link 3 was changed"),
    "a link that is gone": ("DELETE FROM chain WHERE n = 3", "does not follow"),
}


@pytest.mark.parametrize("what", TAMPERED)
def test_whatever_is_changed_later_is_named(workspace: Workspace, run: str, what: str) -> None:
    statement, says = TAMPERED[what]
    with workspace.engine.begin() as db:
        assert db.execute(sa.text(statement)).rowcount >= 1
    assert any(says in str(told) for _, told in chain.edit_discrepancies(workspace))


def test_every_edit_needs_a_link(workspace: Workspace) -> None:
    numbers = [
        ledger.open_row(workspace, proposal="p", qid="Q1", decision=1, payload={}, revision_before=7) for _ in "abc"
    ]
    with workspace.engine.begin() as db:
        kept = [dict(link) for link in db.execute(sa.select(chain.links)).mappings() if link["edit"] == numbers[1]]
        db.execute(chain.links.delete())
        for link in kept:
            chain.append(db, link["edit"], link["event"], link["record"], link["time"])
    unbound = [(n, Message("discrepancy.no_link")) for n in (numbers[0], numbers[2])]
    assert list(chain.edit_discrepancies(workspace)) == unbound


def test_what_is_said_of_an_undo_is_bound(workspace: Workspace, run: str) -> None:
    undone = next(row.n for row in ledger.ledger_rows(workspace) if row.undone)
    assert list(chain.edit_discrepancies(workspace)) == []
    for statement in ("undo_state = ''", "undo_revision = 1", "undo_message = NULL", "undo = ''"):
        with workspace.engine.begin() as db:
            db.execute(sa.text(f"UPDATE edits SET {statement} WHERE n = {undone}"))
        assert [n for n, _ in chain.edit_discrepancies(workspace)] == [undone], statement


def test_a_reason_is_a_code_with_values_that_every_language_words(workspace: Workspace) -> None:
    n = ledger.open_row(workspace, proposal="p", qid="Q1", decision=1, payload={}, revision_before=7)
    ledger.close_row(workspace, n, EditOutcome.REFUSED, reason=Message("refused.item_changed", n=2))
    (row,) = ledger.ledger_rows(workspace)
    assert row.reason == "the item has changed since the plan was made (2 statements)"
    assert row.message == {"code": "refused.item_changed", "values": {"n": 2}}
    assert row.explanation == Message("refused.item_changed", n=2)
    assert sentence(row.explanation, "de") == "das Datenobjekt hat sich seit dem Planen geändert (2 Aussagen)"
    assert list(chain.edit_discrepancies(workspace)) == []


def test_what_became_of_an_undo_is_a_code_that_every_language_words(workspace: Workspace) -> None:
    n = ledger.open_row(workspace, proposal="p", qid="Q1", decision=1, payload={}, revision_before=7)
    kept = ledger.UndoResult(UndoState.KEPT, Message("kept.changed", code_parts="rank"))
    ledger.record_undo(workspace, n, kept)
    (row,) = ledger.ledger_rows(workspace)
    assert (row.undo, row.undo_state) == ("kept: somebody changed its rank", "kept")
    assert sentence(from_json(row.undo_message), "de") == "bleibt stehen: jemand hat daran geändert: rank"
    assert kept.is_recorded_in(row)
    assert not ledger.UndoResult(UndoState.KEPT, Message("kept.removed")).is_recorded_in(row)
    assert not ledger.UndoResult(UndoState.FAILED, kept.why).is_recorded_in(row)
    assert ledger.UndoResult(UndoState.UNDONE, revision=9).is_recorded_in(
        Edit(undo_state=UndoState.UNDONE, undo_revision=9)
    )
    assert not ledger.UndoResult(UndoState.UNDONE, revision=8).is_recorded_in(
        Edit(undo_state=UndoState.UNDONE, undo_revision=9)
    )
    back = ledger.UndoResult(UndoState.KEPT, Message("kept.put_back"), 9)
    assert str(back.message).endswith("; put back as they left it in revision 9")
    assert list(chain.edit_discrepancies(workspace)) == []


def test_a_row_without_a_code_says_the_sentence_that_it_has() -> None:
    assert Edit(reason="the wiki was away").explanation == uncoded_message("the wiki was away")
    assert Edit(reason="the wiki was away", message={"code": 7}).explanation == uncoded_message("the wiki was away")


def test_what_the_wiki_answers_is_kept_with_its_code() -> None:
    refusal = WikiRefusal("abusefilter-disallowed", "x" * 500)
    assert refusal.message == Message("wiki.answer", code="abusefilter-disallowed", text="x" * 376)
    assert len(str(refusal.message)) == 400


def test_the_audit_verifies_the_chain_and_shows_its_head(workspace: Workspace, sandbox: Sandbox, run: str) -> None:
    from bot.audit import exit_code, run_audits

    with Client(sandbox.wiki, SETTINGS.agent, None) as client:
        findings = run_audits(workspace, client, SETTINGS, ["ledger"])
        assert exit_code(findings) == 0, findings
        assert "of the hash chain, head" in findings[-1].what
        with workspace.engine.begin() as db:
            db.execute(sa.text("UPDATE edits SET revision = 1 WHERE n = 2"))
        findings = run_audits(workspace, client, SETTINGS, ["ledger"])
    assert exit_code(findings) == 1
    assert any("its revision changed" in finding.what for finding in findings)


def test_what_was_undone_and_approved_anew_may_be_said_again(workspace: Workspace, sandbox: Sandbox, run: str) -> None:
    from bot.audit import exit_code, run_audits

    wiki_policy = policy(workspace, sandbox, Time())
    undo(workspace, sandbox.wiki, SETTINGS, item="Q1001", session=Direct(sandbox), policy=wiki_policy)
    guid = claims(sandbox, "Q1001")[0]["id"]
    approve(workspace, put(workspace, "Q1001", "a_{1}=b^2", kind="add_reference", statement=guid))
    plan = make_plan(workspace, Looks(sandbox), sandbox.wiki, SETTINGS)  # type: ignore[arg-type]
    apply(workspace, plan, sandbox.wiki, SETTINGS, session=Direct(sandbox), policy=wiki_policy)
    with Client(sandbox.wiki, SETTINGS.agent, None) as client:
        assert exit_code(run_audits(workspace, client, SETTINGS, ["ledger"])) == 0


def test_a_kept_head_shows_that_the_newest_links_were_cut_off(workspace: Workspace, sandbox: Sandbox, run: str) -> None:
    """Cut off together with their rows they leave a chain that is whole; only the head that was kept tells."""
    from bot.audit import exit_code, run_audits

    length, head = chain.length_and_head(workspace)
    half = chain.length_and_head(workspace)[0] // 2

    def told(kept: str) -> tuple[int, str]:
        findings = run_audits(workspace, client, SETTINGS, ["ledger"], head=kept)
        return exit_code(findings), " ".join(finding.what for finding in findings)

    with Client(sandbox.wiki, SETTINGS.agent, None) as client:
        assert told(head) == (0, told(head)[1])
        assert f"the kept head is link {length} of {length}" in told(head[:16])[1]
        assert told(chain.GENESIS)[0] == 0
        with workspace.engine.begin() as db:
            kept = db.execute(sa.select(chain.links.c.hash).where(chain.links.c.n == half)).scalar_one()
            cut = db.execute(sa.select(chain.links.c.edit).where(chain.links.c.n > length - 2)).scalars().all()
            db.execute(sa.delete(chain.links).where(chain.links.c.edit.in_(cut)))
            db.execute(sa.delete(store.edits).where(store.edits.c.n.in_(cut)))
        assert f"link {half} of" in told(kept)[1]
        assert told(head)[0] == 2  # rows are missing since the last audit
        assert "cut off at the end" in told(head)[1]
        for wrong in ("xyz", head[:8]):
            with pytest.raises(InputError, match="is not a head"):
                told(wrong)
        with pytest.raises(InputError, match="is not a head"):
            run_audits(workspace, client, SETTINGS, ["seeded"], head=head)


def test_the_outcome_adds_up_also_where_nothing_was_reached(workspace: Workspace, sandbox: Sandbox) -> None:
    approve_all(workspace, sandbox, 6)
    plan = make_plan(workspace, Looks(sandbox), sandbox.wiki, SETTINGS)  # type: ignore[arg-type]
    told = outcome_rows(workspace, plan)
    assert {one["reason"] for one in told} == {"not sent: the run ended before it"}
    counts = outcome_counts(workspace, plan, told)
    assert counts["planned"] == 6 == counts["failed"]
    assert unfinished_plan(workspace, sandbox.wiki) == plan
    wiki_policy = policy(workspace, sandbox, Time())
    apply(workspace, plan, sandbox.wiki, SETTINGS, session=Direct(sandbox), policy=wiki_policy)
    print_outcome(workspace, plan, False)
    counts = outcome_counts(workspace, plan, outcome_rows(workspace, plan))
    assert counts["planned"] == sum(counts[name] for name in ledger.OUTCOMES) == counts["written"]
    assert unfinished_entries(workspace, plan) == []
    assert unfinished_plan(workspace, sandbox.wiki) is None
    saved = json.loads((workspace.reports / "write-outcome.json").read_text(encoding="utf-8"))
    assert saved["chain"] == chain.length_and_head(workspace)[1]
    assert len(saved["edits"]) == 6
    page = (workspace.reports / "write-outcome.html").read_text(encoding="utf-8")
    assert all(one["label"] and one["label"] in page for one in saved["edits"])
    assert page.count("<tr>") == 7
    assert "<math" in page
    assert "<!--" not in page
    assert "written 6" in (workspace.reports / "write-outcome.txt").read_text(encoding="utf-8")


def test_a_run_that_was_stopped_goes_on_in_its_own_edit_group(workspace: Workspace, sandbox: Sandbox) -> None:
    """However often a plan was made in between: undo by group takes back the whole run."""
    approve_all(workspace, sandbox, 6)

    def planned() -> Plan:
        return make_plan(workspace, Looks(sandbox), sandbox.wiki, SETTINGS)  # type: ignore[arg-type]

    def carried_out(plan: Plan, session: Direct) -> None:
        apply(workspace, plan, sandbox.wiki, SETTINGS, session=session, policy=policy(workspace, sandbox, Time()))

    calls = iter(range(100))

    def killed(call: str) -> None:
        if call == "add" and next(calls) == 2:
            raise KeyboardInterrupt

    first = planned()
    with pytest.raises(KeyboardInterrupt):
        carried_out(first, Direct(sandbox, killed))
    plans_ = [planned() for _ in range(3)]
    assert {plan.group for plan in plans_} == {first.group}
    assert unfinished_plan(workspace, sandbox.wiki) == plans_[-1]
    carried_out(plans_[-1], Direct(sandbox))
    written = [row for row in ledger.ledger_rows(workspace) if row.outcome == "written"]
    assert len(written) == 6
    assert {row.group for row in written} == {first.group}
    assert unfinished_entries(workspace, first) == []
    approve(workspace, put(workspace, "Q1000", "x=y"))
    assert planned().group != first.group  # another run


def test_a_plan_says_how_long_it_takes(sandbox: Sandbox) -> None:
    from bot.settings import Wiki

    assert str(estimated_duration(0, sandbox.wiki, SETTINGS)) == "no time"
    assert str(estimated_duration(3, Wiki(), SETTINGS)) == "about 30 seconds"
    assert str(estimated_duration(30, Wiki(), SETTINGS)) == "about 5 minutes"
    assert str(estimated_duration(450, Wiki(), SETTINGS)) == "3 days at 200 edits a day"


def test_each_change_of_the_ledger_takes_the_lock_first(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    locked: list[int] = []

    def lock(db: sa.Connection) -> None:
        locked.append(len(db.execute(sa.select(chain.links)).all()))

    monkeypatch.setattr(chain, "lock", lock)
    n = ledger.open_row(workspace, proposal="p", qid="Q1", decision=1, payload={}, revision_before=7)
    ledger.close_row(workspace, n, EditOutcome.WRITTEN, revision=8)
    ledger.begin_undo(workspace, n, 8, "group")
    ledger.record_undo(workspace, n, ledger.UndoResult(UndoState.KEPT, "somebody changed it"))
    ledger.add_closed_row(
        workspace, EditOutcome.REFUSED, reason="no", proposal="q", qid="Q2", decision=2, payload={}, revision_before=0
    )
    assert locked == [0, 1, 2, 3, 4]
    assert [row["event"] for row in workspace.rows(sa.select(chain.links).order_by(chain.links.c.n))] == [
        "begin", "end", "undoing", "undo", "begin", "end",
    ]  # fmt: skip
