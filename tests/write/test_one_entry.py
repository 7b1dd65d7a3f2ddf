"""One entry brought to its end, on the revisions of one item: what each answer of the wiki leads to, and what the ledger keeps of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, cast

import pytest
from item_revisions import GUID, OURS, SOURCE, SYMBOL, THEIRS, Answer, PermissivePolicy, Wiki, answers, entity, entry
from rehearsal import put

from bot import settings
from bot.errors import WriteStopped
from bot.messages import Message, uncoded_message
from bot.records import Decision
from bot.review import add_reviewer, decide
from bot.store import Workspace
from bot.write import item_state, ledger
from bot.write.apply import _Writer
from bot.write.entry import Plan, PlanEntry
from bot.write.preconditions import Preconditions
from bot.write.wiki_policy import WikiPolicy
from bot.write.wiki_protocol import WikiRefusal, WikiSession

BEFORE = entity(7, THEIRS)
WITH = entity(8, THEIRS, OURS)


class Run:
    """An approved proposal, an entry of its plan, and a wiki of a few revisions."""

    def __init__(
        self, workspace: Workspace, wiki: Wiki, kind: str = "new_claim", policy: PermissivePolicy | None = None
    ) -> None:
        add_reviewer(workspace, "Ada")
        made = put(workspace, "Q1", "p=mv")
        decide(workspace, Decision(made.id, made.hash, "approve", reviewer="Ada"))
        before = item_state.fingerprint(wiki.entity_at(7))
        self.entry = entry(kind, proposal=made.id, hash=made.hash, summary="why", before=before)
        self.workspace, self.wiki, self.policy = workspace, wiki, policy or PermissivePolicy()
        plan, where = Plan("plan", "sandbox", "group", (self.entry,), ()), settings.Wiki(name="sandbox", sandbox=True)
        session, wiki_policy = cast(WikiSession, wiki), cast(WikiPolicy, self.policy)
        self.writer = _Writer(Preconditions(workspace, plan, session, wiki_policy, where), 3)

    def write_entry(self, *rest: PlanEntry, **values: Any) -> tuple[str, str]:
        outcome, reason = self.writer.write_entry(replace(self.entry, **values), rest)
        return str(outcome), str(reason)

    def rows(self) -> list[tuple[str, int, str]]:
        return [(row.outcome, row.revision, row.reason) for row in ledger.ledger_rows(self.workspace)]

    def tried_before(self, outcome: str = "failed", **values: Any) -> None:
        names = ("proposal", "hash", "qid", "decision", "reviewer", "payload")
        sent = {name: getattr(self.entry, name) for name in names} | {"guid": self.entry.statement, "group": "group"}
        ledger.add_closed_row(self.workspace, outcome, reason="…", **{**sent, "revision_before": 7, **values})  # type: ignore[arg-type]


REMOVED = "was written and then removed by somebody; it is never put back"


@pytest.mark.parametrize(
    ("given", "said", "kept", "waited"),
    [
        ([(WITH, 8)], ("written", ""), [("written", 8, "")], []),
        ([(WITH, "lost")], ("written", ""), [("written", 8, "")], []),  # and it is there all the same
        ([("lost",), (WITH, 8)], ("written", ""), [("failed", 0, "lost: …"), ("written", 8, "")], [0]),
        ([("lost",)] * 3, ("failed", "lost: …"), [("failed", 0, "lost: …")] * 3, [0, 1]),
        ([(WITH, entity(9, THEIRS), "lost")], ("refused", REMOVED), [("refused", 0, REMOVED)], []),
        ([("maxlag",), (WITH, 8)], ("written", ""), [("failed", 0, "maxlag: …"), ("written", 8, "")], [0]),
        ([("maxlag",)] * 3, ("failed", "maxlag: …"), [("failed", 0, "maxlag: …")] * 3, [0, 1]),
        ([("protected",)], ("refused", "protected: …"), [("refused", 0, "protected: …")], []),
        ([(WITH, "protected")], ("written", ""), [("written", 8, "")], []),
    ],
)
def test_what_an_answer_of_the_wiki_leads_to(
    workspace: Workspace, given: list[Answer], said: tuple[str, str], kept: list[Any], waited: list[int]
) -> None:
    wiki = Wiki(BEFORE, comments={8: "why (group)"})
    run = Run(workspace, wiki)
    answers(wiki, *given)
    assert run.write_entry() == said
    assert run.rows() == kept
    assert run.policy.waited == waited
    assert wiki.calls == [f"add {GUID} 7: why"] * len(given)
    (row, *_) = ledger.ledger_rows(workspace)
    assert (row.guid, row.payload, row.revision_before, row.plan, row.group) == (GUID, OURS, 7, "plan", "group")
    assert (row.time, row.reviewer, row.qid, row.decision) == ("2026-11-20T00:00:00Z", "Ada", "Q1", 1)


def test_what_ended_is_not_begun_again(workspace: Workspace) -> None:
    run = Run(workspace, Wiki(BEFORE))
    run.tried_before("written", revision=8)
    assert run.write_entry() == ("written", "…")
    assert run.wiki.calls == []


def test_a_lost_login_is_made_anew_and_one_that_cannot_be_ends_the_run(workspace: Workspace) -> None:
    wiki = Wiki(BEFORE)
    run = Run(workspace, wiki)
    answers(wiki, ("badtoken",), ("assertuserfailed",), (WITH, 8))
    assert run.write_entry() == ("written", "")
    assert (wiki.logins, run.policy.waited) == (2, [0, 1])


def test_a_login_that_fails_ends_the_run(workspace: Workspace) -> None:
    wiki = Wiki(BEFORE)
    run = Run(workspace, wiki)
    answers(wiki, ("badtoken",))
    wiki.log_in = lambda: (_ for _ in ()).throw(WikiRefusal("wrongpassword", "no"))  # type: ignore[method-assign]
    with pytest.raises(WriteStopped) as stopped:
        run.write_entry()
    assert "wrongpassword: no" in str(stopped.value.message)


def test_an_unknown_refusal_ends_the_run_and_the_attempt(workspace: Workspace) -> None:
    run = Run(workspace, Wiki(BEFORE))
    answers(run.wiki, ("unheard-of",))
    with pytest.raises(WriteStopped, match="stopped by unheard-of"):
        run.write_entry()
    assert run.rows() == [("failed", 0, "unheard-of: …")]


def test_an_item_that_is_excluded_is_left_alone(workspace: Workspace) -> None:
    run = Run(workspace, Wiki(BEFORE), policy=PermissivePolicy(uncoded_message("excluded")))
    assert run.write_entry() == ("refused", "excluded")
    assert (run.wiki.calls, run.rows()) == ([], [("refused", 0, "excluded")])


@pytest.mark.parametrize(
    ("outcome", "now", "said"),
    [
        ("pending", WITH, ("written", "found on the item")),
        ("failed", WITH, ("written", "found on the item")),
        ("pending", entity(8, THEIRS), ("written", "")),
    ],
)
def test_what_an_earlier_attempt_sent_is_looked_for(
    workspace: Workspace, outcome: str, now: dict[str, Any], said: tuple[str, str]
) -> None:
    wiki = Wiki(BEFORE, now, comments={8: "group"})
    run = Run(workspace, wiki)
    run.tried_before(outcome)
    answers(wiki, (entity(9, THEIRS, OURS), 9))
    assert run.write_entry() == said
    sent = now is not WITH
    assert wiki.calls == [f"add {GUID} 8: why"] * sent
    assert run.rows()[-1] == ("written", 9 if sent else 8, said[1])
    assert len(run.rows()) == (1 if outcome == "pending" else 2)


def test_what_is_there_already_is_only_noted(workspace: Workspace) -> None:
    run = Run(workspace, Wiki(entity(7, OURS)))
    assert run.write_entry(kind="already_there", payload={}) == ("already_there", "found on the item")
    assert run.rows() == [("already_there", 7, "found on the item")]
    because = uncoded_message("somebody else added it")
    assert run.write_entry(kind="already_there", payload=SOURCE, because=because) == ("already_there", str(because))
    gone = "what stood on the item when the plan was made is gone"
    assert run.write_entry(kind="already_there", statement="Q1$z", payload={}) == ("refused", gone)
    assert run.rows()[1:] == [("already_there", 7, str(because)), ("refused", 0, gone)]


def test_a_change_of_the_item_since_the_plan_sends_nothing(workspace: Workspace) -> None:
    run = Run(workspace, Wiki(BEFORE, entity(8, {**THEIRS, "rank": "preferred"})))
    assert run.write_entry() == ("refused", "the item has changed since the plan was made (1 statements)")
    assert run.wiki.calls == []


HARM = entity(8, OURS)


def test_an_edit_that_did_more_ends_the_run_and_says_how_to_take_it_back(workspace: Workspace) -> None:
    run = Run(workspace, Wiki(BEFORE, comments={8: "group"}))
    answers(run.wiki, (HARM, 8))
    with pytest.raises(WriteStopped) as stopped:
        run.write_entry()
    assert stopped.value.message == Message("stopped.harm", harm=(Message("harm.removed", guid="Q1$a"),))
    assert run.rows() == [("written", 8, "statement Q1$a was removed")]


@pytest.mark.parametrize(
    ("undone", "outcome", "became"),
    [
        (lambda third: (entity(10, THEIRS, third), 10), "refused", "undone in revision 10"),
        (lambda third: (entity(10, third), entity(11, THEIRS, third), 10), "stopped", ""),
        (lambda third: ("protected",), "stopped", "failed: protected: …"),
        (lambda third: ("unheard-of",), "stopped", "failed: stopped by unheard-of"),
    ],
)
def test_what_landed_beside_a_change_by_another_is_taken_back(
    workspace: Workspace, undone: Callable[[Any], Answer], outcome: str, became: str
) -> None:
    third = {**OURS, "id": "Q1$c", "mainsnak": {**OURS["mainsnak"], "datavalue": {"type": "string", "value": "F=ma"}}}
    wiki = Wiki(BEFORE, comments={9: "group", 10: "group"})
    run = Run(workspace, wiki)
    answers(wiki, (entity(8, THEIRS, third), entity(9, THEIRS, third, OURS), 9), undone(third))
    if outcome == "stopped":
        with pytest.raises(WriteStopped) as stopped:
            run.write_entry()
        assert became in str(stopped.value.message)
        assert run.rows()[0][0] == ("written" if became else "pending")
    else:
        told, why = run.write_entry()
        assert (told, why.endswith(became)) == (outcome, True)
        assert run.rows() == [(outcome, 9, why)]
    assert wiki.calls[1] == f"remove {GUID} 9"


def test_a_formula_goes_with_its_symbol_and_without_one_whose_formula_it_is_not(workspace: Workspace) -> None:
    wiki = Wiki(BEFORE, comments={8: "group"})
    run = Run(workspace, wiki)
    symbol = replace(entry("symbol"), proposal=run.entry.proposal, hash=run.entry.hash, before=run.entry.before)
    other = replace(symbol, statement="Q1$t", about="F=ma")
    answers(wiki, (entity(8, THEIRS, OURS, SYMBOL), 8))
    assert run.write_entry(symbol, other) == ("written", "")
    assert wiki.calls == [f"add {GUID} Q1$s 7: why"]
    assert run.rows() == [("written", 8, "")] * 2


def test_a_refusal_of_the_item_sends_the_formula_without_its_symbol(workspace: Workspace) -> None:
    wiki = Wiki(BEFORE, comments={8: "group"})
    run = Run(workspace, wiki)
    symbol = replace(entry("symbol"), proposal=run.entry.proposal, hash=run.entry.hash, before=run.entry.before)
    answers(wiki, ("wikibase-validator-x",), (WITH, 8))
    assert run.write_entry(symbol) == ("written", "")
    assert wiki.calls == [f"add {GUID} Q1$s 7: why", f"add {GUID} 7: why"]
    assert [row[:2] for row in run.rows()] == [("failed", 0), ("failed", 0), ("written", 8)]


def sourced(*references: Any, rank: str = "normal") -> dict[str, Any]:
    return {**THEIRS, "references": list(references), "rank": rank}


def test_a_source_goes_to_its_statement(workspace: Workspace) -> None:
    wiki = Wiki(BEFORE)
    run = Run(workspace, wiki, "add_reference")
    answers(wiki, (entity(8, sourced(SOURCE)), 8))
    assert run.write_entry() == ("written", "")
    assert (wiki.calls, run.rows()) == (["source of Q1$a: why"], [("written", 8, "")])


def test_a_source_is_taken_back_from_a_statement_that_was_changed_just_before(workspace: Workspace) -> None:
    late, ours = sourced(rank="preferred"), sourced({**SOURCE, "hash": "d"}, rank="preferred")
    wiki = Wiki(BEFORE, comments={9: "group", 10: "group"})
    run = Run(workspace, wiki, "add_reference")
    answers(wiki, (entity(8, late), entity(9, ours), 9), (entity(10, late), 10))
    why = "somebody changed the statement at the same moment; undone in revision 10"
    assert run.write_entry() == ("refused", why)
    assert (wiki.calls, run.rows()) == (["source of Q1$a: why", "remove d of Q1$a"], [("refused", 9, why)])
