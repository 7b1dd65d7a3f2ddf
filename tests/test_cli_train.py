"""`formula-bot train` with a simulated reviewer: what it learns, what it shows, and that it keeps nothing unasked."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from cli_runner import CORPUS, call, stage

from bot import store
from bot.match.model import load_models, shipped_model
from bot.messages import uncoded_message
from bot.records import Evidence, Proposal, UndoState, as_json
from bot.review.judgements import judgements
from bot.review.people import SCRIPTED_ROLE
from bot.store import Workspace


def _proposal(n: int, values: dict[str, float], **more: Any) -> Proposal:
    evidence = tuple(Evidence(name, 0.1, uncoded_message(name), value) for name, value in values.items())
    fields: dict[str, Any] = {"kind": "new_claim", "qid": f"Q{n // 2 + 1}", "tex": f"x_{{{n}}}=y"} | more
    return Proposal(
        id=f"p{n}", property="P2534", references=(), evidence=evidence, checks=(), probability=0.5, base_revision=1,
        hash=f"h{n}", expires="2027-01-01", **fields,
    )  # fmt: skip


def _decided(workspace: Workspace, rows: Iterable[tuple[Proposal, str, str]], reviewer: str = "Ada") -> None:
    with workspace.engine.begin() as db:
        for proposal, verdict, reason in rows:
            db.execute(
                store.decisions.insert().values(
                    proposal=proposal.id, hash=proposal.hash, verdict=verdict, reason=reason, reviewer=reviewer, references=[],
                    time="2026-11-20T12:00:00Z", tex="", record=as_json(proposal), role="reviewer", wiki="",
                )
            )  # fmt: skip


def _reviewer_who_trusts_titles(n: int) -> tuple[Proposal, str, str]:
    """Approves what stands under a title and rejects what only the built-in list knows, nine times of ten."""
    titled = n % 2 == 0
    values = {"title": 1.0, "title_at_all": 1.0} if titled else {"handbook": 1.0, "handbook_first": 1.0}
    approves = titled is not (n % 20 < 2)
    return _proposal(n, values), "approve" if approves else "reject", "" if approves else "wrong_item"


@pytest.fixture(scope="module")
def decided(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace with 220 decisions; to be copied."""
    path = tmp_path_factory.mktemp("decided") / "w"
    with Workspace.open(path) as workspace:
        _decided(workspace, map(_reviewer_who_trusts_titles, range(220)))
    return path


@pytest.fixture(scope="module")
def fitted(tmp_path_factory: pytest.TempPathFactory, decided: Path) -> Path:
    """The same with weights fitted to them; to be copied."""
    path = Path(shutil.copytree(decided, tmp_path_factory.mktemp("fitted") / "w"))
    assert call("train", "-w", path, "--yes").well().out.endswith("kept; `match` uses them from now on\n")
    return path


@pytest.fixture
def w(tmp_path: Path, decided: Path) -> Path:
    return Path(shutil.copytree(decided, tmp_path / "w"))


@pytest.fixture
def trained(tmp_path: Path, fitted: Path) -> Path:
    return Path(shutil.copytree(fitted, tmp_path / "w"))


def test_training_shows_before_and_after_and_keeps_nothing_unasked(w: Path) -> None:
    said = json.loads(call("train", "-w", w, "--json").well().out)
    assert (said["decisions"], said["rejections"], said["kept"]) == (220, 110, False)
    assert said["after"]["calibration_error"] < 0.1 < said["before"]["calibration_error"]
    assert said["after"]["log_loss"] < said["before"]["log_loss"] - 0.2
    assert said["after"]["precision_at_70"] > 0.85
    table = call("train", "-w", w).well()
    assert "220 decisions, 110 accepted" in table.out
    assert table.out.endswith("nothing was kept; --yes keeps them\n")
    assert list((w / "models").iterdir()) == []


def test_what_is_kept_follows_the_reviewer_and_reset_goes_back(trained: Path) -> None:
    w = trained
    models = load_models(w / "models")
    assert set(models) == {"matching", "matching_without_list"}
    titled, listed = {"title": 1.0, "title_at_all": 1.0}, {"handbook": 1.0, "handbook_first": 1.0}
    for name, model in models.items():
        assert model.probability(titled) > 0.7 > 0.4 > model.probability(listed)
        assert model.probability(titled) > shipped_model(name).probability(titled)
    again = json.loads(call("train", "-w", w, "--json").well().out)
    assert again["before"]["log_loss"] < 0.5
    assert json.loads(call("train", "-w", w, "--reset", "--json").well().out) == {"reset": True}
    assert load_models(w / "models") == {}
    assert json.loads(call("train", "-w", w, "--reset", "--json").well().out) == {"reset": False}


def test_match_says_whose_weights_it_uses(trained: Path) -> None:
    w = trained
    call(*stage("discover", w, CORPUS / "cnxml")).well()
    said = json.loads(call(*stage("match", w), "--json").well().out)
    assert said["weights"] == "fitted to 220 decisions of this workspace, 110 of them approvals"
    call("train", "-w", w, "--reset").well()
    assert json.loads(call(*stage("match", w), "--json").well().out)["weights"].startswith("shipped: fitted to ")


@pytest.mark.parametrize(
    ("number", "verdict", "line"),
    [
        (199, None, "holds 199 decisions on formula and item"),
        (200, "approve", "all 200 decisions are alike (approved)"),
    ],
)
def test_too_little_is_one_line_and_nothing_is_changed(tmp_path: Path, number: int, verdict: str, line: str) -> None:
    with Workspace.open(tmp_path / "w") as workspace:
        rows = [_reviewer_who_trusts_titles(n) for n in range(number)]
        _decided(workspace, [(p, verdict or v, "" if verdict else reason) for p, v, reason in rows])
    said = call("train", "-w", tmp_path / "w", "--yes").refused(line)
    assert said.err.count("\n") == 1
    assert load_models(tmp_path / "w" / "models") == {}


def test_the_last_decision_counts_and_undone_edits_are_rejections(tmp_path: Path) -> None:
    values = {"title": 1.0}
    with Workspace.open(tmp_path / "w") as workspace:
        _decided(
            workspace,
            [
                (_proposal(1, values), "approve", ""),
                (_proposal(1, values), "reject", "special_case"),
                (_proposal(2, values), "approve", ""),
                (_proposal(3, values), "approve", ""),
                (_proposal(4, values), "reject", "bad_source"),  # says nothing of the formula
                (_proposal(5, values, kind="add_reference"), "approve", ""),
                (_proposal(6, values, claim="p1"), "approve", ""),
                (_proposal(7, {}), "approve", ""),  # of before values were kept
                (_proposal(8, values), "unsure", ""),
                (_proposal(9, values), "approve", ""),
            ],
        )
        with workspace.engine.begin() as db:
            db.execute(store.reviewers.insert().values(name="bot", role=SCRIPTED_ROLE, added=""))
            db.execute(store.edits.insert().values(proposal="p3", undo_state=UndoState.UNDONE))
            edit = {"outcome": "written", "time": "2026-11-20T12:00:00Z"}
            for n, (proposal, state) in enumerate((("p9", "removed"), ("p2", "present")), start=10):
                payload = {"mainsnak": {"datavalue": {"value": "x"}}}
                db.execute(store.edits.insert().values(**edit, payload=payload, n=n, proposal=proposal))
                looked = {"seen": "2026-11-21T12:00:00Z", "changed": "", "user": "", "revision": 0}
                db.execute(store.edit_states.insert().values(edit=n, state=state, **looked))
        _decided(workspace, [(_proposal(10, values), "approve", "")], reviewer="bot")
        said = judgements(workspace)
    assert [(pair.item, pair.accepted) for pair in said.pairs] == [
        ("Q1", False), ("Q2", True), ("Q2", False), ("Q5", False),
    ]  # fmt: skip
    assert (said.rejections, said.undone, said.left_out) == (3, 2, 4)
    assert {tuple(pair.scores.items()) for pair in said.pairs} == {(("title", 1.0),)}
