"""From a person's decision to the rehearsal wiki: plan, apply, again, doubt, refusal, undo. With the real pywikibot."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from rehearsal import (
    SETTINGS,
    Direct,
    Looks,
    Time,
    adds,
    approve,
    changes,
    formulas,
    in_a_process,
    policy,
    put,
    removes,
    undo,
)

from bot import hashchain as chain
from bot.errors import WriteRefused, WriteStopped
from bot.lookup import Client
from bot.lookup.publications import Publication
from bot.messages import uncoded_message
from bot.propose.references import reference_to
from bot.records import Decision, EditOutcome, UndoState
from bot.review import decide, queue, show
from bot.sandbox import Sandbox
from bot.settings import Settings, Wiki, Writing
from bot.store import Workspace
from bot.write import Plan, apply, authorise, item_state, ledger, load_plan, make_plan
from bot.write.authorise import is_production
from bot.write.pause import pause_writing, resume_writing
from bot.write.session import connect

ROWS = [
    {"qid": "Q41273", "label": "momentum", "aliases": [], "formulas": [], "instance_of": []},
    {"qid": "Q172137", "label": "Lorentz force", "aliases": [], "formulas": [r"F=q(E+v\times B)"], "instance_of": []},
    {"qid": "Q179916", "label": "Hubble's law", "aliases": [], "formulas": [], "instance_of": []},
]


@pytest.fixture
def sandbox() -> Iterator[Sandbox]:
    with Sandbox() as running:
        running.fill(ROWS)
        yield running


@pytest.fixture
def client(sandbox: Sandbox) -> Iterator[Client]:
    with Client(sandbox.wiki, SETTINGS.agent, None) as opened:
        yield opened


def test_nothing_is_planned_without_a_decision(workspace: Workspace, client: Client, sandbox: Sandbox) -> None:
    put(workspace, "Q41273", "p=mv")
    assert make_plan(workspace, client, sandbox.wiki, SETTINGS).entries == ()


def test_a_plan_sends_nothing_and_is_the_same_twice(workspace: Workspace, client: Client, sandbox: Sandbox) -> None:
    approve(workspace, put(workspace, "Q41273", "p=mv"))
    before = len(sandbox.history("Q41273"))
    one, two = (make_plan(workspace, client, sandbox.wiki, SETTINGS) for _ in range(2))
    assert (one.id, one.entries) == (two.id, two.entries)
    assert load_plan(workspace, one.id) == two
    assert len(sandbox.history("Q41273")) == before


def test_an_approved_claim_is_one_edit_with_its_source_and_twice_changes_nothing(
    workspace: Workspace, client: Client, sandbox: Sandbox
) -> None:
    made = put(workspace, "Q41273", "p=mv")
    approve(workspace, made)
    plan = make_plan(workspace, client, sandbox.wiki, SETTINGS)
    edits = len(sandbox.history("Q41273"))
    assert [o for _, o, _ in apply(workspace, plan, sandbox.wiki, SETTINGS)] == ["written"]
    entity = sandbox.entity("Q41273")
    assert entity is not None
    (statement,) = entity["claims"]["P2534"]
    assert statement["id"] == plan.entries[0].statement
    assert statement["mainsnak"]["datavalue"]["value"] == "p=mv"
    assert item_state.reference_content(statement["references"][0]) == item_state.reference_content(
        plan.entries[0].payload["references"][0]
    )
    history = sandbox.history("Q41273")
    assert len(history) == edits + 1
    assert plan.group in history[-1]["comment"]
    assert history[-1]["bot"]
    assert show(workspace, made.id).state == "written"
    assert [o for _, o, _ in apply(workspace, plan, sandbox.wiki, SETTINGS)] == ["written"]
    assert make_plan(workspace, client, sandbox.wiki, SETTINGS).entries == ()
    assert len(sandbox.history("Q41273")) == edits + 1
    (row,) = ledger.ledger_rows(workspace)
    assert (row.outcome, row.reviewer, row.revision) == ("written", "Ada", history[-1]["id"])


def test_a_source_for_a_standing_formula_changes_nothing_else(
    workspace: Workspace, client: Client, sandbox: Sandbox
) -> None:
    entity = sandbox.entity("Q172137")
    assert entity is not None
    guid = entity["claims"]["P2534"][0]["id"]
    made = put(workspace, "Q172137", r"F=q(E+v\times B)", kind="add_reference", statement=guid)
    approve(workspace, made)
    plan = make_plan(workspace, client, sandbox.wiki, SETTINGS)
    assert [e.kind for e in plan.entries] == ["add_reference"]
    assert [o for _, o, _ in apply(workspace, plan, sandbox.wiki, SETTINGS)] == ["written"]
    after = sandbox.entity("Q172137")
    assert after is not None
    assert item_state.unplanned_changes(entity, after, grown=guid, reference=plan.entries[0].payload) == []
    ((row, what),) = undo(workspace, sandbox.wiki, SETTINGS, item="Q172137")
    assert what.state is UndoState.UNDONE
    final = sandbox.entity("Q172137")
    assert final is not None
    assert item_state.fingerprint(final) == item_state.fingerprint(entity)
    assert row.guid == guid


def test_an_item_that_changed_after_the_plan_goes_back_to_review(
    workspace: Workspace, client: Client, sandbox: Sandbox
) -> None:
    made = put(workspace, "Q41273", "p=mv")
    approve(workspace, made)
    plan = make_plan(workspace, client, sandbox.wiki, SETTINGS)
    adds(sandbox, "Q41273", "E=mc^2")
    ((_, outcome, reason),) = apply(workspace, plan, sandbox.wiki, SETTINGS)
    assert outcome == "refused"
    assert "has changed" in reason
    assert formulas(sandbox, "Q41273") == ["E=mc^2"]
    row = show(workspace, made.id)
    assert (row.state, row.reopened) == ("open", False)


def test_a_publication_is_cited_with_its_title_authors_date_and_pages(
    workspace: Workspace, client: Client, sandbox: Sandbox
) -> None:
    told = Publication("10.1234/x", title="On motion: I", language="en", authors=("Ada", "Ben"), day="+1929-03-00T00:00:00Z", pages="4–7")  # fmt: skip
    source = reference_to(told, "", sandbox.wiki.properties, "2026-11-20")
    assert source is not None
    approve(workspace, put(workspace, "Q41273", "p=mv", sources=(source,)))
    plan = make_plan(workspace, client, sandbox.wiki, SETTINGS)
    assert [str(outcome) for _, outcome, _ in apply(workspace, plan, sandbox.wiki, SETTINGS)] == ["written"]
    (statement,) = (sandbox.entity("Q41273") or {})["claims"]["P2534"]
    snaks = statement["references"][0]["snaks"]
    assert list(snaks) == ["P356", "P1476", "P2093", "P577", "P304", "P813"]
    assert snaks["P1476"][0]["datavalue"]["value"] == {"text": "On motion: I", "language": "en"}
    assert [each["datavalue"]["value"] for each in snaks["P2093"]] == ["Ada", "Ben"]
    assert snaks["P577"][0]["datavalue"]["value"]["precision"] == 10
    assert make_plan(workspace, client, sandbox.wiki, SETTINGS).entries == ()


def test_a_withdrawn_decision_is_not_carried_out(workspace: Workspace, client: Client, sandbox: Sandbox) -> None:
    made = put(workspace, "Q41273", "p=mv")
    approve(workspace, made)
    plan = make_plan(workspace, client, sandbox.wiki, SETTINGS)
    decide(workspace, Decision(made.id, made.hash, "withdraw", reviewer="Ada"))
    assert [o for _, o, _ in apply(workspace, plan, sandbox.wiki, SETTINGS)] == ["refused"]
    assert formulas(sandbox, "Q41273") == []


def test_a_merged_item_goes_back_to_review(workspace: Workspace, client: Client, sandbox: Sandbox) -> None:
    approve(workspace, put(workspace, "Q41273", "p=mv"))
    sandbox.merge("Q41273", "Q179916")
    plan = make_plan(workspace, client, sandbox.wiki, SETTINGS)
    assert plan.entries == ()
    assert "merged" in str(plan.refused[0][1])
    assert apply(workspace, plan, sandbox.wiki, SETTINGS) == []
    (row,) = ledger.ledger_rows(workspace)
    assert (row.outcome, "merged" in row.reason) == ("refused", True)
    assert [r.state for r in queue(workspace, "all")] == ["open"]
    assert list(chain.edit_discrepancies(workspace)) == []
    assert make_plan(workspace, client, sandbox.wiki, SETTINGS).refused == ()


def test_the_ledger_keeps_the_time_of_the_wiki(workspace: Workspace) -> None:
    """The machine's clock may be wrong; the wiki's is the one that everybody sees."""
    with Sandbox(clock=lambda: datetime(2031, 5, 4, 3, 2, 1, tzinfo=UTC)) as elsewhere:
        elsewhere.fill(ROWS)
        approve(workspace, put(workspace, "Q41273", "p=mv"))
        plan = make_plan(workspace, Looks(elsewhere), elsewhere.wiki, SETTINGS)  # type: ignore[arg-type]
        assert [o for _, o, _ in apply(workspace, plan, elsewhere.wiki, SETTINGS)] == ["written"]
    (row,) = ledger.ledger_rows(workspace)
    assert row.time[:17] == "2031-05-04T03:02:"


def test_a_lost_reply_leaves_one_statement(workspace: Workspace, client: Client, sandbox: Sandbox) -> None:
    approve(workspace, put(workspace, "Q41273", "p=mv"))
    plan = make_plan(workspace, client, sandbox.wiki, SETTINGS)
    sandbox.fault("lost_reply", on="wbsetclaim")
    assert [o for _, o, _ in apply(workspace, plan, sandbox.wiki, SETTINGS)] == ["written"]
    assert formulas(sandbox, "Q41273") == ["p=mv"]


def test_what_somebody_removed_after_a_crash_is_not_put_back(
    workspace: Workspace, client: Client, sandbox: Sandbox
) -> None:
    made = put(workspace, "Q41273", "p=mv")
    approve(workspace, made)
    plan = make_plan(workspace, client, sandbox.wiki, SETTINGS)
    apply(workspace, plan, sandbox.wiki, SETTINGS)
    (row,) = ledger.ledger_rows(workspace)
    ledger.close_row(workspace, row.n, EditOutcome.PENDING)  # as if the process had died right after sending
    removes(sandbox, plan.entries[0].statement)
    ((_, outcome, reason),) = apply(workspace, plan, sandbox.wiki, SETTINGS)
    assert outcome == "refused"
    assert "never put back" in reason
    assert formulas(sandbox, "Q41273") == []


@pytest.mark.parametrize("kind", ["new_claim", "add_reference"])
def test_what_a_killed_run_sent_may_arrive_while_the_next_one_reads(
    workspace: Workspace, sandbox: Sandbox, kind: str
) -> None:
    """It stood not on the item when that was read and is in the history: nobody removed it."""
    statement = adds(sandbox, "Q41273", "p=mv") if kind == "add_reference" else ""
    approve(workspace, put(workspace, "Q41273", "p=mv", kind=kind, statement=statement))
    plan = make_plan(workspace, Looks(sandbox), sandbox.wiki, SETTINGS)  # type: ignore[arg-type]
    (entry,) = plan.entries
    on_its_way: list[str] = []

    class Dies(Direct):
        def _ask(self, call: str, **parameters: Any) -> Any:
            if call == "add" and not on_its_way:
                on_its_way.append(call)
                raise KeyboardInterrupt
            return super()._ask(call, **parameters)

        def history(self, qid: str, since: int) -> Any:
            if on_its_way.pop() if on_its_way else "":
                late = Direct(sandbox)
                if kind == "new_claim":
                    late.add_claim(qid, entry.payload, entry.summary, 0)
                else:
                    late.add_reference(qid, entry.statement, entry.payload, entry.summary)
            return super().history(qid, since)

    wiki_policy = policy(workspace, sandbox, Time())
    session = Dies(sandbox)
    with pytest.raises(KeyboardInterrupt):
        apply(workspace, plan, sandbox.wiki, SETTINGS, session=session, policy=wiki_policy)
    assert [r.outcome for r in ledger.ledger_rows(workspace)] == [EditOutcome.PENDING]
    ((_, outcome, _),) = apply(workspace, plan, sandbox.wiki, SETTINGS, session=session, policy=wiki_policy)
    assert outcome == "written"
    (ours,) = [r for r in sandbox.history("Q41273") if r["user"] == "WikiBot"]
    assert [(r.outcome, r.revision) for r in ledger.ledger_rows(workspace)] == [("written", ours["id"])]


def test_an_unknown_refusal_stops_the_run(workspace: Workspace, client: Client, sandbox: Sandbox) -> None:
    for qid in ("Q41273", "Q179916"):
        approve(workspace, put(workspace, qid, "p=mv"))
    plan = make_plan(workspace, client, sandbox.wiki, SETTINGS)
    sandbox.fault("block", times=None)
    with pytest.raises(WriteStopped):
        apply(workspace, plan, sandbox.wiki, SETTINGS)
    assert [r.outcome for r in ledger.ledger_rows(workspace)] == ["failed"]


def test_undo_takes_back_what_is_ours_and_keeps_what_others_touched(
    workspace: Workspace, client: Client, sandbox: Sandbox
) -> None:
    for qid in ("Q41273", "Q179916"):
        approve(workspace, put(workspace, qid, "p=mv"))
    plan = make_plan(workspace, client, sandbox.wiki, SETTINGS)
    apply(workspace, plan, sandbox.wiki, SETTINGS)
    touched = next(e for e in plan.entries if e.qid == "Q179916")
    changes(sandbox, touched.statement, "v=HD")
    told = {row.qid: what for row, what in undo(workspace, sandbox.wiki, SETTINGS, group=plan.group)}
    assert told["Q41273"].state is UndoState.UNDONE
    assert told["Q179916"].state is UndoState.KEPT
    assert formulas(sandbox, "Q41273") == []
    assert formulas(sandbox, "Q179916") == ["v=HD"]
    assert {r.proposal.qid: r.state for r in queue(workspace, "all")} == {"Q41273": "open", "Q179916": "written"}
    assert make_plan(workspace, client, sandbox.wiki, SETTINGS).entries == ()


def test_the_stop_page_stops(workspace: Workspace, client: Client, sandbox: Sandbox) -> None:
    settings = Settings(writing=Writing(stop_page="User:WikiBot/stop", exclusion_page="User:WikiBot/exclude"))
    made = put(workspace, "Q41273", "p=mv")
    approve(workspace, made)
    plan = make_plan(workspace, client, sandbox.wiki, settings)
    sandbox.set_page("User:WikiBot/stop", "please stop")
    with pytest.raises(WriteStopped, match="please stop"):
        apply(workspace, plan, sandbox.wiki, settings)
    sandbox.set_page("User:WikiBot/stop", " ")
    sandbox.set_page("User:WikiBot/exclude", "* Q41273")
    assert [o for _, o, _ in apply(workspace, plan, sandbox.wiki, settings)] == ["refused"]
    assert formulas(sandbox, "Q41273") == []


def test_a_pause_stops_a_plan_that_is_being_written_before_its_next_edit(
    workspace: Workspace, client: Client, sandbox: Sandbox
) -> None:
    for qid in ("Q41273", "Q179916"):
        approve(workspace, put(workspace, qid, "p=mv"))
    plan = make_plan(workspace, client, sandbox.wiki, SETTINGS)
    with pytest.raises(WriteStopped, match=r"writing is paused since .*: the talk page"):
        apply(
            workspace, plan, sandbox.wiki, SETTINGS,
            on_edit=lambda entry, outcome: pause_writing(workspace, uncoded_message("the talk page"), by="Ada"),
        )  # fmt: skip
    assert [row.outcome for row in ledger.ledger_rows(workspace)] == ["written"]
    resume_writing(workspace, "answered there", "Ada")
    assert [outcome for _, outcome, _ in apply(workspace, plan, sandbox.wiki, SETTINGS)] == ["written", "written"]


@pytest.mark.parametrize(
    "writing",
    [Writing(), Writing(site="wikidata"), Writing(site="test", task="t", account="a", family="f", code="c")],
)
def test_any_other_wiki_is_refused_unless_the_settings_name_it_in_full(writing: Writing) -> None:
    with pytest.raises(WriteRefused):
        authorise(Wiki(), Settings(writing=writing))


def test_a_folder_without_the_files_of_the_account_is_named_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A relative one counts from the folder in which the command was started."""
    monkeypatch.chdir(tmp_path)
    with pytest.raises(WriteRefused, match=r"no user-config\.py") as refused:
        connect(Wiki(name="test"), Settings(writing=Writing(pywikibot_dir="account")), tmp_path)
    assert refused.value.where == str(tmp_path / "account")


@pytest.mark.parametrize(("family", "code"), [("wikidata", "wikidata"), ("wikidata", "nowhere"), ("nowhere", "x")])
def test_pywikibot_must_be_set_to_the_wiki_that_was_planned_on(tmp_path: Path, family: str, code: str) -> None:
    wiki = Wiki(name="test", api="https://test.wikidata.org/w/api.php")
    writing = Writing(site="test", task="t", account="a", family=family, code=code, pywikibot_dir=str(tmp_path))
    with pytest.raises(WriteRefused, match=r"no user-config\.py"):
        connect(wiki, Settings(writing=writing), tmp_path)
    config = tmp_path / "user-config.py"
    config.write_text('usernames["wikidata"]["*"] = "a"\n', encoding="utf-8")
    config.chmod(0o600)
    with pytest.raises(WriteRefused, match=r"lead to|not known"):
        connect(wiki, Settings(writing=writing), tmp_path)


def test_a_wiki_with_readers_is_a_production_wiki(sandbox: Sandbox) -> None:
    assert is_production(Wiki())
    assert is_production(Wiki(name="test", api="https://portal.example.org/w/api.php"))
    assert not is_production(Wiki(name="test", api="https://test.wikidata.org/w/api.php"))
    assert not is_production(sandbox.wiki)


def test_a_plan_for_another_wiki_is_refused(workspace: Workspace, sandbox: Sandbox) -> None:
    plan = Plan("x", "wikidata", "g", (), ())
    with pytest.raises(WriteRefused, match="the plan is for wikidata"):
        apply(workspace, plan, sandbox.wiki, SETTINGS)


def _apply_and_die(path: str, plan_id: str, wiki: Wiki, step: str) -> None:
    import os

    from bot.write import apply as module  # noqa: F401  (loaded before it is changed)
    from bot.write import session

    original = getattr(session._PywikibotSession, step)

    def die(self: Any, *args: Any, **kwargs: Any) -> None:
        if step == "add_claim":
            original(self, *args, **kwargs)
        os.kill(os.getpid(), signal.SIGKILL)

    setattr(session._PywikibotSession, step, die)
    with Workspace.open(path) as workspace, workspace.lock("write"):
        plan = load_plan(workspace, plan_id)
        assert plan
        apply(workspace, plan, wiki, SETTINGS)


@pytest.mark.parametrize("step", ["entity", "account_status", "add_claim"])
def test_a_killed_run_goes_on_and_says_it_once(
    workspace: Workspace, client: Client, sandbox: Sandbox, step: str
) -> None:
    approve(workspace, put(workspace, "Q41273", "p=mv"))
    plan = make_plan(workspace, client, sandbox.wiki, SETTINGS)
    assert in_a_process(_apply_and_die, str(workspace.path), plan.id, sandbox.wiki, step) == -signal.SIGKILL
    with workspace.lock("write"):
        assert [o for _, o, _ in apply(workspace, plan, sandbox.wiki, SETTINGS)] == ["written"]
    assert formulas(sandbox, "Q41273") == ["p=mv"]
    assert [r.outcome for r in ledger.ledger_rows(workspace)] == ["written"]
