"""What commands make of their options and of the rows that they show, without a workspace."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import click
import pytest
import sqlalchemy as sa

import bot.review
from bot import cli, cli_formulas, cli_operate, cli_review, cli_train, store
from bot.audit import edit_states, known_findings
from bot.demo import _decide_by_script
from bot.errors import AlreadyWritten, BotError, InputError, LookupFailed, SettingsError, WorkspaceError
from bot.match.training.quality import Quality
from bot.messages import uncoded_message
from bot.records import Edit, EditOutcome
from bot.settings import Wiki
from bot.store import Workspace

# -- which references are approved


@pytest.mark.parametrize(
    ("given", "verdicts"),
    [
        ({}, ()),
        ({"proposals": ("a", "b")}, ()),
        ({"reject_reference": (2,)}, ("approve", "reject", "approve")),
        ({"reject_reference": (1, 3)}, ("reject", "approve", "reject")),
        ({"approve_reference": (2,)}, ("reject", "approve", "reject")),
        ({"approve_reference": (1, 3), "tex": "x=y", "confirm_edit": True}, ("approve", "reject", "approve")),
        ({"reject_reference": (1,), "tex": "x=y"}, ("reject", "approve", "approve")),
        ({"proposals": ("a", "b"), "tex": "x=y"}, "one_at_a_time"),
        ({"proposals": ("a", "b"), "confirm_edit": True}, "one_at_a_time"),
        ({"proposals": ("a", "b"), "approve_reference": (1,)}, "one_at_a_time"),
        ({"proposals": ("a", "b"), "reject_reference": (1,)}, "one_at_a_time"),
        ({"reject_reference": (1,), "approve_reference": (2,)}, "approved_or_rejected"),
        ({"reject_reference": (1,), "confirm_edit": True, "tex": "x=y"}, "approved_or_rejected"),
        ({"confirm_edit": True}, "confirm_without_edit"),
        ({"tex": " "}, "empty_tex"),
        ({"tex": ""}, "empty_tex"),
        ({"approve_reference": (4, 3)}, "no_reference_number"),
        ({"reject_reference": (0,)}, "no_reference_number"),
    ],
)
def test_references_are_approved_but_for_those_left_out(
    monkeypatch: pytest.MonkeyPatch, given: dict[str, Any], verdicts: tuple[str, ...] | str
) -> None:
    decided: list[dict[str, Any]] = []
    monkeypatch.setattr(cli_review, "_decide", lambda w, s, proposals, **values: decided.append(values))
    monkeypatch.setattr(bot.review, "find", lambda w, proposal: SimpleNamespace(references=[1, 2, 3]))
    plain: dict[str, Any] = {"proposals": ("a",), "tex": None, "confirm_edit": False}
    plain |= {"reject_reference": (), "approve_reference": ()}
    approve: Any = cli_review.review_approve.callback
    approve = approve.__wrapped__
    if isinstance(verdicts, str):
        with pytest.raises(InputError) as caught:
            approve(None, None, **plain | given)
        assert caught.value.message.code == f"error.{verdicts}"
        if verdicts == "no_reference_number":
            number = min({*given.get("approve_reference", ()), *given.get("reject_reference", ())} - {1, 2, 3})
            assert caught.value.message.values["number"] == number
        return
    approve(None, None, **plain | given, reviewer="Ada", seen="h")
    wanted = {"verdict": "approve", "references": verdicts, "reviewer": "Ada", "seen": "h"}
    wanted |= {"tex": given.get("tex", ""), "edit_confirmed": given.get("confirm_edit", False)}
    assert decided == [wanted]


# -- what is given on the command line


@pytest.mark.parametrize(
    ("row", "source", "found"),
    [
        ({"tex": "x"}, "", [{"tex": "x"}]),
        ({"tex": ""}, "f", []),
        ({"tex": ""}, "", "Give FORMULA or --input F."),
        ({"tex": "x"}, "f", "Give FORMULA or --input F."),
        ({"a": "x", "b": "y"}, "", [{"a": "x", "b": "y"}]),
        ({"a": "", "b": ""}, "f", []),
        ({"a": "x", "b": ""}, "", "Give two formulas or --input F."),
        ({"a": "x", "b": ""}, "f", "Give two formulas or --input F."),
    ],
)
def test_formulas_are_given_themselves_or_in_a_file(row: dict[str, str], source: str, found: object) -> None:
    if isinstance(found, str):
        with pytest.raises(click.UsageError) as caught:
            cli._rows_from_arguments(row, source)
        assert caught.value.message == found
        return
    assert cli._rows_from_arguments(row, source) == found


@pytest.mark.parametrize(
    ("mute", "unmute", "reason", "accepted"),
    [
        ("f", None, " so be it ", ("f", "so be it")),
        (None, "f", "", ("f", "")),
        (None, "f", "  ", ("f", "")),
        ("f", None, "  ", None),
        (None, "f", "why", None),
        ("f", "f", "why", None),
        ("", None, "", None),
    ],
)
def test_a_finding_is_accepted_for_a_reason_and_taken_back_without_one(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    mute: str | None,
    unmute: str | None,
    reason: str,
    accepted: tuple[str, str] | None,
) -> None:
    told: list[tuple[str, str]] = []
    monkeypatch.setattr(known_findings, "mute", lambda w, finding, reason, person: told.append((finding, reason)))
    if accepted is None:
        with pytest.raises(InputError):
            cli._mute(None, mute, unmute, reason)  # type: ignore[arg-type]
        assert told == []
        return
    assert cli._mute(None, mute, unmute, reason) == 0  # type: ignore[arg-type]
    assert told == [accepted]
    assert "f" in capsys.readouterr().out


def test_the_workspace_of_a_run_lies_beside_its_settings(tmp_path: Path) -> None:
    named, bare = tmp_path / "bot.toml", tmp_path / "bare.toml"
    named.write_text('[run]\nworkspace = "w"\n', encoding="utf-8")
    bare.write_text("", encoding="utf-8")
    assert cli_operate._of_run(str(named)) == str(tmp_path / "w")
    for config in (None, "", str(bare)):
        with pytest.raises(SettingsError) as caught:
            cli_operate._of_run(config)
        error: BotError = caught.value
        assert (error.message.code, error.where) == ("error.no_workspace_named", config or "")


# -- what is shown


def test_figures_of_training_are_errors_and_shares_from_each_threshold() -> None:
    found = Quality(9, 5, 0.0312, 0.01, 0.4321, ((0.9, 2, 3), (0.8, 4, 4), (0.7, 0, 0)))
    assert cli_train._figures(found) == {
        "calibration_error": 0.0312, "log_loss": 0.4321, "precision_at_90": 0.6667, "judged_at_90": 3,
        "precision_at_80": 1.0, "judged_at_80": 4, "precision_at_70": None, "judged_at_70": 0,
    }  # fmt: skip


def test_a_row_of_the_ranked_list_names_its_item_and_its_places() -> None:
    assert cli_formulas._item({"qid": "Q1", "label": "force", "probability": 0.876}) == "force (Q1, 87 %)"
    assert cli_formulas._item({"qid": "", "label": "", "probability": 0.0}) == ""
    row: dict[str, Any] = {name: name for name in cli_formulas._COLUMNS}
    row |= {"place": {"d": 3, "D": None, "rank": 1}, "occurrences": 7, "documents": 2, "label": None}
    header = "d,D,formularank,place_d,place_D,place_rank,tex,name,qid,label,probability,key\n"
    assert cli_formulas._csv([row]) == f"{header}7,2,formularank,3,,1,tex,name,qid,,probability,key\n"
    assert cli_formulas._csv([]) == header


# -- a proposal that is written already


@pytest.mark.parametrize(
    ("outcomes", "states", "told"),
    [
        ("WW", ("present", "amended"), ""), ("WW", ("merged", "present"), ""), ("PW", ("removed", "present"), ""), ("", (), ""),
        ("WW", ("removed", "present"), "edit 1 on Q1: became removed"), ("WW", ("changed", "deprecated"), "edit 1 on Q1: became changed; edit 2 on Q2: became deprecated"),
        ("WP", ("deleted", "removed"), "edit 1 on Q1: became deleted"), ("WW", None, ""),
    ],
)  # fmt: skip
def test_edits_that_others_have_changed_are_named(
    monkeypatch: pytest.MonkeyPatch, outcomes: str, states: tuple[str, ...] | None, told: str
) -> None:
    kinds = {"W": EditOutcome.WRITTEN, "P": EditOutcome.PENDING}
    error = AlreadyWritten("p", [Edit(n=n, qid=f"Q{n}", outcome=kinds[each]) for n, each in enumerate(outcomes, 1)])

    def raw_entities(qids: list[str]) -> dict[str, str]:
        if states is None:
            raise LookupFailed(uncoded_message("away"))
        assert qids == [row.qid for row in error.rows]
        return dict(zip(qids, states, strict=True))

    def edit_state(row: Edit, entity: str) -> edit_states.EditState:
        return edit_states.EditState(entity, uncoded_message(f"became {entity}"))

    client = SimpleNamespace(raw_entities=raw_entities)
    monkeypatch.setattr(cli_review, "open_wiki_and_client", lambda opened, settings: nullcontext((None, client)))
    monkeypatch.setattr(edit_states, "edit_state", edit_state)
    found = cli_review._error_of_changed_edits(None, None, error)  # type: ignore[arg-type]
    if told:
        assert (found.message.code, found.message.values["told"]) == ("error.written_and_changed", told)
        assert found.where == error.where
    else:
        assert found is error


def test_a_script_decides_on_a_rehearsal_wiki_alone(workspace: Workspace, tmp_path: Path) -> None:
    (tmp_path / "script.jsonl").write_text("", encoding="utf-8")
    with pytest.raises(WorkspaceError) as caught:
        _decide_by_script(workspace, Wiki(), tmp_path / "script.jsonl")
    assert caught.value.message.code == "error.script_rehearsal_only"
    assert workspace.rows(sa.select(store.reviewers)) == []
    _decide_by_script(workspace, Wiki(sandbox=True), tmp_path / "script.jsonl")
    assert [row["role"] for row in workspace.rows(sa.select(store.reviewers))] == ["stand-in"]
