"""The account in the middle of a run: what every edit asserts, a bot right or an account that is lost, the stop page."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import Any

import pytest
from rehearsal import Looks, Time, adds, approve, claims, formulas, policy, put, undo

from bot.errors import WriteStopped
from bot.sandbox import Sandbox
from bot.settings import Settings, Writing
from bot.store import Workspace
from bot.write import apply, ledger, make_plan
from bot.write.session import connect
from bot.write.wiki_protocol import WikiSession

SETTINGS = Settings(writing=Writing(stop_page="User:WikiBot/stop", exclusion_page="User:WikiBot/exclude"))
ITEMS = ("Q11", "Q12", "Q13", "Q14", "Q15")


@pytest.fixture
def sandbox() -> Iterator[Sandbox]:
    with Sandbox() as running:
        running.fill([{"qid": qid, "label": f"item {qid}"} for qid in ITEMS])
        yield running


class Run:
    """Five approved claims, one session through pywikibot, and a clock that only sleeping moves."""

    def __init__(self, workspace: Workspace, sandbox: Sandbox) -> None:
        self.workspace, self.sandbox, self.time = workspace, sandbox, Time()
        self.session: WikiSession = connect(sandbox.wiki, SETTINGS, workspace.path / "pywikibot")
        self.logins, self.before_login = 0, lambda: None
        again = self.session.log_in

        @functools.wraps(again)
        def counted() -> None:
            self.logins += 1
            self.before_login()
            again()

        self.session.log_in = counted  # type: ignore[method-assign]
        for n, qid in enumerate(ITEMS):
            approve(workspace, put(workspace, qid, f"a_{n}=b"))
        self.plan = make_plan(workspace, Looks(sandbox), sandbox.wiki, SETTINGS)  # type: ignore[arg-type]

    def apply(self) -> list[str]:
        wiki_policy = policy(self.workspace, self.sandbox, self.time, SETTINGS)
        wiki = self.sandbox.wiki
        done = apply(self.workspace, self.plan, wiki, SETTINGS, session=self.session, policy=wiki_policy)
        return [outcome for _, outcome, _ in done]

    def take_back(self) -> list[str]:
        wiki_policy = policy(self.workspace, self.sandbox, self.time, SETTINGS)
        wiki = self.sandbox.wiki
        done = undo(self.workspace, wiki, SETTINGS, group=self.plan.group, session=self.session, policy=wiki_policy)
        return [what for _, what in done]

    def outcomes(self) -> list[str]:
        return [row.outcome for row in ledger.ledger_rows(self.workspace)]


@pytest.fixture
def run(workspace: Workspace, sandbox: Sandbox) -> Run:
    return Run(workspace, sandbox)


def flagged(sandbox: Sandbox) -> list[bool]:
    rows = [row for qid in ITEMS for row in sandbox.history(qid) if row["user"] == "WikiBot"]
    return [bool(row["bot"]) for row in rows]


# What the wiki receives


@pytest.mark.parametrize("fault", ["", "session_lost", "bad_token", "lost_before", "lost_reply", "readonly", "lag"])
def test_every_edit_reaches_the_wiki_with_assert_bot(run: Run, fault: str) -> None:
    if fault:
        run.sandbox.fault(fault, on="wbsetclaim", after=1)
    assert run.apply() == ["written"] * 5
    received = list(run.sandbox.site.received)
    assert len(received) >= 5
    assert {(call["assert"], "bot" in call) for call in received} == {("bot", True)}
    assert flagged(run.sandbox) == [True] * 5


def test_sources_and_every_kind_of_taking_back_assert_the_right_too(workspace: Workspace, sandbox: Sandbox) -> None:
    statement = adds(sandbox, "Q11", "E=mc^2")
    approve(workspace, put(workspace, "Q11", "E=mc^2", kind="add_reference", statement=statement))
    approve(workspace, put(workspace, "Q12", "p=mv"))
    session = connect(sandbox.wiki, SETTINGS, workspace.path / "pywikibot")
    plan = make_plan(workspace, Looks(sandbox), sandbox.wiki, SETTINGS)  # type: ignore[arg-type]
    wiki_policy = policy(workspace, sandbox, Time(), SETTINGS)
    apply(workspace, plan, sandbox.wiki, SETTINGS, session=session, policy=wiki_policy)
    undo(workspace, sandbox.wiki, SETTINGS, group=plan.group, session=session, policy=wiki_policy)
    received = list(sandbox.site.received)
    actions = {"wbsetclaim", "wbsetreference", "wbremoveclaims", "wbremovereferences"}
    assert {call["action"] for call in received} == actions
    assert {call["assert"] for call in received} == {"bot"}
    assert formulas(sandbox, "Q11") == ["E=mc^2"]
    assert "references" not in claims(sandbox, "Q11")[0]


# A right that is taken away


def test_the_rehearsal_wiki_shows_what_an_account_without_the_right_gets(run: Run) -> None:
    """An edit that asserts the right is refused, one that asserts a login is saved and not flagged as a bot's."""
    given: dict[str, Any] = {"action": "wbcreateclaim", "entity": "Q11", "property": "P2534", "snaktype": "value"}
    given |= {"value": '"x=1"', "bot": 1}
    run.sandbox.remove_from_bots("WikiBot")
    refused = run.sandbox.act("WikiBot", **given, **{"assert": "bot"})
    assert refused["error"]["code"] == "assertbotfailed"
    assert "success" in run.sandbox.act("WikiBot", **given, **{"assert": "user"})
    assert flagged(run.sandbox) == [False]
    assert run.sandbox.act("Admin", action="userrights", user="WikiBot", add="bot")["userrights"]["added"] == ["bot"]
    assert "success" in run.sandbox.act("WikiBot", **given, **{"assert": "bot"})


def test_a_right_that_is_lost_between_two_edits_ends_the_run_at_once(run: Run) -> None:
    run.sandbox.fault("other_edit", on="wbsetclaim", after=1, edit=lambda: run.sandbox.remove_from_bots("WikiBot"))
    with pytest.raises(WriteStopped, match="the account has no bot right any more"):
        run.apply()
    assert (run.logins, run.time.slept) == (0, 0.0)
    assert run.outcomes() == ["written"] * 2
    assert len(run.sandbox.site.received) == 2


@pytest.mark.parametrize("before", [0, 3])
def test_a_right_that_is_lost_as_an_edit_arrives_ends_the_run_at_once(run: Run, before: int) -> None:
    run.sandbox.fault("right_lost", on="wbsetclaim", after=before)
    with pytest.raises(WriteStopped) as stopped:
        run.apply()
    assert str(stopped.value.message) == "the account has no bot right any more"
    assert (run.logins, run.time.slept) == (0, 0.0)
    assert run.outcomes() == ["written"] * before + ["failed"]
    assert flagged(run.sandbox) == [True] * before
    run.sandbox.act("Admin", action="userrights", user="WikiBot", add="bot")
    assert run.apply() == ["written"] * 5


def test_a_later_run_of_one_process_asks_the_wiki_again_for_its_rights(workspace: Workspace, sandbox: Sandbox) -> None:
    home = workspace.path / "pywikibot"
    connect(sandbox.wiki, SETTINGS, home)
    sandbox.remove_from_bots("WikiBot")
    with pytest.raises(WriteStopped, match="has no bot right"):
        connect(sandbox.wiki, SETTINGS, home)
    sandbox.act("Admin", action="userrights", user="WikiBot", add="bot")
    connect(sandbox.wiki, SETTINGS, home)


def test_an_undo_without_the_right_ends_at_once(run: Run) -> None:
    run.apply()
    run.sandbox.fault("right_lost", on="wbremoveclaims", after=1)
    with pytest.raises(WriteStopped, match="the account has no bot right any more"):
        run.take_back()
    assert (run.logins, run.time.slept) == (0, 0.0)
    assert sum(bool(formulas(run.sandbox, qid)) for qid in ITEMS) == 4


def test_a_login_that_was_forgotten_is_not_taken_for_a_lost_right(run: Run) -> None:
    """The wiki refuses nobody under the same code as a person who is not a bot."""
    run.sandbox.fault("session_lost", on="wbsetclaim", times=2, after=1)
    assert run.apply() == ["written"] * 5
    assert run.logins == 2


def test_a_login_and_a_right_that_are_lost_together_end_the_run(run: Run) -> None:
    run.sandbox.fault("session_lost", on="wbsetclaim", after=1)
    run.before_login = lambda: run.sandbox.remove_from_bots("WikiBot")
    with pytest.raises(WriteStopped, match="the account has no bot right any more"):
        run.apply()
    assert run.logins == 1
    assert flagged(run.sandbox) == [True]


# A block, and a page that says stop


@pytest.mark.parametrize("before", [0, 2])
def test_a_block_in_the_middle_of_a_run_is_told_with_who_and_why(run: Run, before: int) -> None:
    run.sandbox.fault("block", on="wbsetclaim", after=before, reason="adds wrong formulas")
    with pytest.raises(WriteStopped) as stopped:
        run.apply()
    assert "the account is blocked: adds wrong formulas (by Admin)" in str(stopped.value.message)
    assert run.outcomes() == ["written"] * before + ["failed"]


def test_a_block_while_taking_back_is_told_with_who_and_why(run: Run) -> None:
    run.apply()
    run.sandbox.fault("block", on="wbremoveclaims", reason="stop that")
    with pytest.raises(WriteStopped, match=r"the account is blocked: stop that \(by Admin\)"):
        run.take_back()


def test_the_stop_page_is_read_before_every_edit_however_fast_they_follow(run: Run) -> None:
    """No time passes between these edits, and the page is filled while the second one is sent."""
    stop = functools.partial(run.sandbox.set_page, "User:WikiBot/stop", "please stop")
    run.sandbox.fault("other_edit", on="wbsetclaim", after=1, edit=stop)
    with pytest.raises(WriteStopped, match="the stop page says: please stop"):
        run.apply()
    assert run.outcomes() == ["written"] * 2


def test_the_exclusion_page_is_read_before_every_edit_however_fast_they_follow(run: Run) -> None:
    exclude = functools.partial(run.sandbox.set_page, "User:WikiBot/exclude", f"* [[{run.plan.entries[2].qid}]]")
    run.sandbox.fault("other_edit", on="wbsetclaim", after=1, edit=exclude)
    assert run.apply() == ["written", "written", "refused", "written", "written"]
