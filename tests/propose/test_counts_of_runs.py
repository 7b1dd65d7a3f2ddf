"""What a run counts, and which items have or are proposed for a formula."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from bot import store
from bot.messages import Message
from bot.propose import proposal_context, queueing
from bot.propose.stored_proposals import SavedProposals
from bot.propose.summary import ProposeSummary
from bot.records import Item, Statement
from bot.store import Workspace


def built(kind: str = "", refused: str = "", **more: Any) -> Any:
    checks = [SimpleNamespace(name=name, state=state) for name, state in more.pop("checks", ())]
    proposal = SimpleNamespace(kind=kind, checks=checks) if kind else None
    return SimpleNamespace(proposal=proposal, refused=SimpleNamespace(name=refused) if refused else None, **more)


def test_a_run_counts_what_it_made_of_each_entry() -> None:
    entries = [
        built("new_claim"), built("new_claim"), built("add_reference"), built(),
        built("flag", checks=[("tex", "pass"), ("source", "fail"), ("other", "fail")]),
        built("flag", checks=[("other", "fail")]), built("flag", checks=[("other", "fail")]),
        built(refused="source"), built(refused="grammar"), built(refused="source"),
    ]  # fmt: skip
    saved = SavedProposals(new=1, changed=2, unchanged=3, not_found_again=4, withdrawn=5, expired=6)
    why = Message("wiki.no_answer", n=502)
    run: Any = SimpleNamespace(built=entries, unknown=(why,), waiting=7, symbols=("s",))
    found = queueing._summary(run, saved)
    assert found == ProposeSummary(
        new_claims=2,
        add_references=1,
        flagged=3,
        symbols=1,
        already_there=1,
        refused={"grammar": 1, "source": 2},
        flags={"other": 2, "source": 1},
        new=1,
        changed=2,
        unchanged=3,
        not_found_again=4,
        withdrawn=5,
        expired=6,
        sources_waiting=7,
        could_not_ask=(str(why),),
    )
    assert (list(found.refused), list(found.flags)) == (["grammar", "source"], ["other", "source"])


def test_what_was_looked_at_without_a_result_is_withdrawn_with_its_further_sources() -> None:
    rows = {
        id_: SimpleNamespace(proposal=SimpleNamespace(claim=claim))
        for id_, claim in (("a", ""), ("b", "a"), ("c", "p"), ("p", "a"), ("d", "x"))
    }
    made: Any = [SimpleNamespace(id="a", proposal=None), SimpleNamespace(id="p", proposal=object())]
    context: Any = SimpleNamespace(rows=rows)
    assert queueing._withdrawn(made, context) == {"a", "b", "c"}


def statement(value: str, rank: str = "normal", property_: str = "P1") -> Statement:
    return Statement(f"{value}${rank}", property_, value, rank)


def test_items_are_known_by_each_formula_that_they_hold_in_the_order_of_their_numbers() -> None:
    items = [
        Item("Q10", "ten", statements=(statement("a = b"), statement("a=b"), statement(""))),
        Item("Q9", "nine", statements=(statement("a=b", "preferred"), statement("c=d", property_="P2"))),
        Item("Q8", "eight", statements=(statement("a=b", "deprecated"),)),
    ]
    (holders,) = proposal_context.items_by_formula(items, "P1").values()
    assert holders == (("Q9", "nine"), ("Q10", "ten"))


def test_rivals_are_the_items_proposed_for_a_formula_the_likeliest_and_oldest_first() -> None:
    entries: Any = [
        SimpleNamespace(key=key, qid=qid, probability=p)
        for key, qid, p in (("k", "Q10", 0.5), ("k", "Q9", 0.5), ("k", "Q11", 0.9), ("l", "Q1", 0.1))
    ]
    assert proposal_context._rivals(entries) == {
        "k": (("Q11", 0.9), ("Q9", 0.5), ("Q10", 0.5)),
        "l": (("Q1", 0.1),),
    }


@pytest.mark.parametrize(("rank", "read"), [("preferred", "preferred"), ("", "normal"), (None, "normal")])
def test_stored_items_have_the_ranks_of_their_statements(workspace: Workspace, rank: str | None, read: str) -> None:
    records = [
        {"qid": "Q1", "label": "one", "statements": [{"guid": "Q1$A", "property": "P1", "value": "a=b", "rank": rank}]},
        {"qid": "Q2", "label": None},
    ]
    with workspace.engine.begin() as db:
        for record in records:
            db.execute(store.items.insert().values(qid=record["qid"], record=record))
    assert proposal_context.stored_items(workspace) == {
        "Q1": Item("Q1", "one", statements=(Statement("Q1$A", "P1", "a=b", read),)),
        "Q2": Item("Q2", ""),
    }
