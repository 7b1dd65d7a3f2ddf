"""Decisions as judged pairs, and the weights of matching fitted to them."""

from __future__ import annotations

from typing import Any

import pytest
from web_records import proposal

from bot import store
from bot.match.model import shipped_model
from bot.match.training import JudgedPair
from bot.messages import uncoded_message
from bot.records import Evidence, as_json
from bot.review import add_reviewer
from bot.review.judgements import Judgements, judgements, retrain
from bot.review.people import SCRIPTED_ROLE
from bot.store import Workspace


def decided(w: Workspace, n: int, verdict: str, reason: str = "", reviewer: str = "Ada", tex: str = "", **more: Any) -> None:  # fmt: skip
    values = more.pop("values", {"title": 0.5 + n / 16})
    evidence = tuple(Evidence(name, 0.1, uncoded_message(name), value) for name, value in values.items())
    made = proposal(n, evidence=evidence, **more)
    row = {"hash": made.hash, "references": [], "time": "2026-11-20T12:00:00Z", "role": "reviewer", "wiki": ""}
    row |= {"proposal": made.id, "verdict": verdict, "reason": reason, "reviewer": reviewer, "tex": tex}
    with w.engine.begin() as db:
        db.execute(store.decisions.insert().values(**row, record=as_json(made)))


def test_the_last_word_on_a_claim_is_a_judged_pair_where_it_speaks_of_the_pair(w: Workspace) -> None:
    add_reviewer(w, "script", SCRIPTED_ROLE)
    decided(w, 0, "approve")
    decided(w, 1, "reject", "wrong_item")
    decided(w, 2, "reject", "bad_source")  # says nothing of the pair
    decided(w, 3, "approve", values={"title": None})  # type: ignore[dict-item]  # decided before values were kept
    decided(w, 4, "approve", kind="add_reference")
    decided(w, 5, "approve", claim="another")
    decided(w, 6, "approve", reviewer="script")
    decided(w, 7, "approve")
    decided(w, 7, "reject", "special_case")
    decided(w, 8, "unsure")
    decided(w, 9, "reject", "not_defining", values={"title": 0.0, "name": 1.0})
    pairs = (
        JudgedPair("Q179916", {"title": 0.5}, True),
        JudgedPair("Q35875", {"title": 0.5625}, False),
        JudgedPair("Q165498", {"title": 0.9375}, False),
        JudgedPair("Q83213", {"title": 0.0, "name": 1.0}, False),
    )
    assert judgements(w) == Judgements(pairs, rejections=3, undone=0, left_out=4)


@pytest.mark.parametrize(
    ("state", "seen", "instead", "counted"),
    [
        ("removed", "2026-11-21", "", (False, 1, 1, 0)),
        ("deprecated", "2026-11-21", "", (False, 1, 1, 0)),
        ("changed", "2026-11-21", "a = b", (False, 1, 1, 0)),
        ("changed", "2026-11-21", "", (True, 0, 0, 0)),  # its reference alone
        ("present", "2026-11-21", "", (True, 0, 0, 0)),
        ("present", "2026-12-20", "", (True, 0, 0, 1)),
        ("deleted", "2026-12-20", "", (True, 0, 0, 0)),
    ],
)
def test_what_others_made_of_an_edit_is_how_its_approval_counts(
    w: Workspace, state: str, seen: str, instead: str, counted: tuple[bool, int, int, int]
) -> None:
    decided(w, 0, "approve")
    decided(w, 1, "approve")
    edit = {"proposal": f"{0:016x}", "outcome": "written", "time": "2026-11-20T12:00:00Z"}
    became = {"edit": 1, "state": state, "seen": f"{seen}T12:00:00Z", "instead": instead, "user": "Eve", "changed": ""}
    with w.engine.begin() as db:
        db.execute(store.edits.insert().values(**edit, payload={"mainsnak": {"datavalue": {"value": "x"}}}))
        db.execute(store.edit_states.insert().values(**became))
    made = judgements(w)
    assert (made.pairs[0].accepted, made.undone, made.removed, made.stood) == counted
    assert (made.pairs[1].accepted, made.rejections) == (True, counted[1])


def test_an_edit_that_we_took_back_counts_as_a_rejection(w: Workspace) -> None:
    decided(w, 0, "approve")
    with w.engine.begin() as db:
        db.execute(store.edits.insert().values(proposal=f"{0:016x}", outcome="written", undo_state="undone"))
    assert judgements(w) == Judgements((JudgedPair("Q179916", {"title": 0.5}, False),), 1, 1, 0)


@pytest.mark.parametrize("builtin", [True, False])
def test_both_sets_of_weights_are_fitted_and_the_one_in_use_is_measured(builtin: bool) -> None:
    pairs = tuple(
        JudgedPair(f"Q{n // 2}", {"title": 1.0} if n % 2 else {"handbook": 1.0}, bool(n % 2)) for n in range(24)
    )
    in_use = shipped_model("matching" if builtin else "matching_without_list")
    found = retrain(Judgements(pairs, 12, 0, 0), in_use, builtin)
    assert list(found.models) == ["matching", "matching_without_list"]
    notes = {model.note for model in found.models.values()}
    assert notes == {"fitted to 24 decisions of this workspace, 12 of them approvals"}
    assert (found.before.judged, found.before.accepted, found.after.judged) == (24, 12, 24)
    assert found.after.log_loss < found.before.log_loss
    first, second = found.models.values()
    assert first.weights["title"] > shipped_model("matching").weights["title"]
    assert second.weights["title"] > shipped_model("matching_without_list").weights["title"]
