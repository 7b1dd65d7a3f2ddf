"""The workspace: one folder, one lock, one schema."""

from __future__ import annotations

import multiprocessing
from pathlib import Path

import pytest

from bot.errors import WorkspaceError
from bot.migrations import VERSION
from bot.store import Workspace


def test_a_workspace_keeps_what_is_put(tmp_path: Path) -> None:
    with Workspace.open(tmp_path / "w") as workspace:
        workspace.put("world", {"a": [1]})
    with Workspace.open(tmp_path / "w", create=False) as workspace:
        assert workspace.get("world") == {"a": [1]}
        assert workspace.get("nothing", 7) == 7
        assert workspace.get("schema") == VERSION


def test_a_missing_workspace_is_not_made_by_reading(tmp_path: Path) -> None:
    with pytest.raises(WorkspaceError, match="no workspace"):
        Workspace.open(tmp_path / "w", create=False)
    assert not (tmp_path / "w").exists()


def test_a_newer_workspace_is_refused(tmp_path: Path) -> None:
    with Workspace.open(tmp_path / "w") as workspace:
        workspace.put("schema", VERSION + 1)
    with pytest.raises(WorkspaceError, match="newer"):
        Workspace.open(tmp_path / "w")


def test_a_file_that_is_no_database_is_said(tmp_path: Path) -> None:
    (tmp_path / "bot.db").write_bytes(b"not a database at all" * 100)
    with pytest.raises(WorkspaceError, match=r"bot\.db cannot be used"):
        Workspace.open(tmp_path)


def _take(path: str, answer: multiprocessing.Queue[str]) -> None:
    try:
        with Workspace.open(path) as workspace, workspace.lock("second"):
            answer.put("got it")
    except WorkspaceError as error:
        answer.put(error.line())


def test_only_one_process_works_at_a_time_and_the_holder_is_named(workspace: Workspace) -> None:
    context = multiprocessing.get_context("spawn")
    answer: multiprocessing.Queue[str] = context.Queue()
    with workspace.lock("discover"):
        process = context.Process(target=_take, args=(str(workspace.path), answer))
        process.start()
        process.join()
    assert "in use by discover" in answer.get(timeout=10)
    with workspace.lock("again"):
        pass
