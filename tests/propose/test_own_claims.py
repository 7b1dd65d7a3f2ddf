"""Which statements of an item are our own: written from an approval, not taken back, and still as they were approved."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from propose_records import HUBBLE, statement

from bot import store
from bot.propose import own_claims
from bot.store import Workspace
from bot.write import payload


def test_claims_that_were_written_and_not_taken_back_are_ours(workspace: Workspace) -> None:
    claim = payload.claim("Q1$1", "P2534", "v = H d", ())
    rows: list[dict[str, Any]] = [
        {"guid": "Q1$1", "payload": claim, "outcome": "written"},
        {"guid": "Q1$2", "payload": {"snaks": {}}, "outcome": "written"},
        {"guid": "Q1$3", "payload": None, "outcome": "written"},
        {"guid": "Q1$4", "payload": claim, "outcome": "refused"},
        {"guid": "Q1$5", "payload": claim, "outcome": "written", "undo_state": "undone"},
        {"guid": "Q1$6", "payload": claim, "outcome": "written", "undo_state": "kept"},
    ]
    with workspace.engine.begin() as db:
        for row in rows:
            db.execute(store.edits.insert().values(**row))
    assert own_claims.written_claims(workspace) == {"Q1$1": "v = H d", "Q1$6": "v = H d"}


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [("a^2", "a^2", True), ("a^2", "a^{2}", False), (" a^2\n", "a^2", True), ("a\u0308", "ä", True), ("a b", "ab", False)],
)  # fmt: skip
def test_a_statement_is_ours_while_it_has_the_value_that_was_approved(one: str, other: str, same: bool) -> None:
    item = replace(HUBBLE, statements=(replace(statement(one), guid="Q1$1"), replace(statement(one), guid="Q1$2")))
    assert own_claims.is_same_value(one, other) is same
    assert own_claims.own_claims_on(item, {"Q1$1": other, "Q1$3": one}) == ({"Q1$1"} if same else set())
