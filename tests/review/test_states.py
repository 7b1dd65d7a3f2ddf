"""One state of a proposal: commands, page, API and the plan agree after any history of decisions, rules, people and edits."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from click.testing import CliRunner
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from web_records import opened, proposal, signed_in

from bot import store
from bot.cli import cli
from bot.errors import ReviewError
from bot.records import Decision, as_json
from bot.review import State, add_reviewer, decide, queue, remove_reviewer, show
from bot.review.queue import STATES
from bot.review.queue_rules import change_rules
from bot.review.web import make_app, queue_selection
from bot.review.web.queue_filters import Filter
from bot.review.web.rest import make_token
from bot.review.web.review_context import ReviewContext
from bot.settings import Settings
from bot.store import Workspace

ONE = f"{0:016x}"
PEOPLE = ("Ada", "Ben", "Cleo")


def api_of(workspace: Workspace, name: str) -> Any:
    client = make_app(workspace, Settings(), hosts={"localhost"}).test_client()
    headers = {"Authorization": f"Bearer {make_token(workspace, name)}"}

    def get(path: str) -> Any:
        answer = client.get(f"/api/v1{path}", headers=headers)
        assert answer.status_code == 200, answer.get_data(True)
        return answer.get_json()

    return get


def test_commands_page_and_api_name_the_same_state_under_rules_for_several(tmp_path: Path) -> None:
    with opened(tmp_path / "w", *PEOPLE) as w:
        change_rules(w, {"two_persons": "true"})
        decide(w, Decision(ONE, show(w, ONE).proposal.hash, "approve", reviewer="Ada"))
        listed = CliRunner().invoke(cli, ["review", "list", "--state", "second", "--json", "-w", str(w.path)]).output
        (row,) = (json.loads(line) for line in listed.splitlines())
        assert (row["id"], row["state"]) == (ONE, "second")
        assert [r["id"] for r in api_of(w, "Cleo")("/proposals?state=second")["proposals"]] == [ONE]
        assert {api_of(w, name)(f"/proposals/{ONE}")["state"] for name in PEOPLE} == {"second"}
        change_rules(w, {"two_persons": "false", "blind": "1"})
        decide(w, Decision(ONE, row["hash"], "reject", reason="not_defining", reviewer="Ben"))
        shown = CliRunner().invoke(cli, ["review", "list", "--state", "disputed", "-w", str(w.path)])
        assert (shown.exit_code, ONE[:10] in shown.output) == (0, True)
        # The approval came last this time: it is a dispute all the same.
        remove_reviewer(w, "Ada")
        add_reviewer(w, "Ada")
        decide(w, Decision(ONE, row["hash"], "approve", reviewer="Ada"))
        assert show(w, ONE).state is State.DISPUTED
        assert f"/p/{ONE}?state=disputed" in signed_in(w, "Ada").get("/?state=disputed")


ACTIONS = st.one_of(
    st.tuples(st.just("decide"), st.integers(0, 3), st.sampled_from(PEOPLE), st.sampled_from(("approve", "approve", "reject", "unsure", "close", "skip", "withdraw"))),
    st.tuples(st.just("rule"), st.sampled_from(("two_persons", "blind")), st.booleans()),
    st.tuples(st.just("edit"), st.integers(0, 3), st.sampled_from(("written", "refused", "pending")), st.sampled_from(("", "undone"))),
    st.tuples(st.just("expire"), st.integers(0, 3)),
    st.tuples(st.just("change"), st.integers(0, 3)),
    st.tuples(st.just("person"), st.sampled_from(PEOPLE[1:]), st.sampled_from(("remove", "reviewer", "operator"))),
)  # fmt: skip


def act(w: Workspace, action: tuple[Any, ...]) -> None:
    kind, *rest = action
    if kind == "rule":
        change_rules(w, {rest[0]: str(rest[1]).lower() if rest[0] == "two_persons" else str(int(rest[1]))})
    elif kind == "person":
        remove_reviewer(w, rest[0]) if rest[1] == "remove" else add_reviewer(w, rest[0], rest[1])
    else:
        id_ = f"{rest[0]:016x}"
        found = show(w, id_).proposal
        if kind == "decide":
            reason = {"reject": "not_defining", "close": "leave"}.get(rest[2], "")
            decide(w, Decision(id_, found.hash, rest[2], reason=reason, reviewer=rest[1]))
            return
        with w.engine.begin() as db:
            row = store.proposals.update().where(store.proposals.c.id == id_)
            if kind == "expire":
                db.execute(row.values(expires="2000-01-01", record={**as_json(found), "expires": "2000-01-01"}))
            elif kind == "change":
                changed = {**as_json(found), "hash": found.hash[::-1]}
                db.execute(row.values(hash=changed["hash"], record=changed))
            else:
                n = db.scalar(sa.select(sa.func.max(store.decisions.c.n)).where(store.decisions.c.proposal == id_))
                values = {"proposal": id_, "decision": n or 0, "outcome": rest[1], "undo_state": rest[2], "reason": ""}
                db.execute(store.edits.insert().values(**values))


@example([("expire", 0), ("decide", 1, "Ada", "approve"), ("rule", "two_persons", True), ("expire", 1)])
@settings(
    max_examples=60 if os.environ.get("FORMULA_BOT_LONG") else 6, deadline=None, suppress_health_check=list(HealthCheck)
)
@given(actions=st.lists(ACTIONS, min_size=3, max_size=14))
def test_after_any_history_commands_table_and_api_agree(
    tmp_path_factory: pytest.TempPathFactory, actions: list[tuple[Any, ...]]
) -> None:
    some = [proposal(n) for n in range(3)] + [proposal(3, kind="flag")]
    with opened(tmp_path_factory.mktemp("w"), *PEOPLE, proposals=some) as w:
        for action in actions:
            try:
                act(w, action)
            except ReviewError:
                continue  # not everything can be done at any time
        add_reviewer(w, "Onlooker")
        context = ReviewContext(w, Settings())
        context.index.refresh(now=True)
        counted, get = context.states(), api_of(w, "Onlooker")
        for state in State:
            listed = {row.proposal.id for row in queue(w, state)}
            assert counted[state] == len(listed), (state, listed)
            if state is not State.OPEN:  # there the page shows what waits for this person
                page = {row.id for row in queue_selection.rows(w, Filter(state=state), "")}
                hidden = {row["id"] for row in w.rows(sa.select(store.queue)) if row["first_decider"]}
                assert page - hidden == listed - hidden, state
        for row in queue(w, "all"):
            told = get(f"/proposals/{row.proposal.id}")["state"]
            first = queue_selection.row_of(w, row.proposal.id).first_decider  # type: ignore[union-attr]
            assert told == row.state or (first and told == "open"), row
        assert set(STATES) == {*State, "all"}
