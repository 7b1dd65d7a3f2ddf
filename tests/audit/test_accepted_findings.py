"""An accepted finding is not counted, and counts again as soon as it says something else."""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.audit.known_findings import mute, needs_attention, store_known
from bot.records import Finding
from bot.store import Workspace

FOUND = Finding("wrong", "Q1", "warning", "two formulas differ", "Q1$A", "law", ("E=mc^2",))


@pytest.mark.parametrize(
    ("later", "counted"),
    [
        (FOUND, False),
        (Finding("wrong", "Q1", "warning", "two formulas differ", "Q1$A", "another label", ("E=mc^2",)), False),
        (Finding("wrong", "Q1", "warning", "two formulas differ", "Q1$A", "law", ("E=mc^3",)), True),
        (Finding("wrong", "Q1", "error", "two formulas differ", "Q1$A", "law", ("E=mc^2",)), True),
        (Finding("wrong", "Q1", "warning", "two formulas differ", "Q1$B", "law", ("E=mc^2",)), True),
    ],
)
def test_it_comes_back_when_it_changes(tmp_path: Path, later: Finding, counted: bool) -> None:
    with Workspace.open(tmp_path / "w") as workspace:
        (first,) = store_known(workspace, ("wrong",), [FOUND], "2026-11-20T12:00:00Z")
        mute(workspace, first.id, "both are in use", "Ada")
        store_known(workspace, ("wrong",), [], "2026-11-21T12:00:00Z")  # a night without it forgets no acceptance
        (found,) = store_known(workspace, ("wrong",), [later], "2026-11-22T12:00:00Z")
    assert (needs_attention(found), found.new, found.muted) == (counted, counted, "" if counted else "both are in use")
