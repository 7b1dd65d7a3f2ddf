"""A file is read again unless the file system says that it has not been touched since it was read."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from bot.discover import file_digests
from bot.discover.file_digests import FileDigests, digest_of_file
from bot.store import Workspace

SECOND = 10**9


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of files that are read."""
    names: list[str] = []
    monkeypatch.setattr(
        file_digests, "digest_of_file", lambda path: names.append(Path(path).name) or digest_of_file(path)
    )
    return names


def digests(workspace: Path, *paths: Path, later: int = 60) -> list[str]:
    """Return digests as a run makes them so many seconds from now."""
    with Workspace.open(workspace) as opened:
        found = FileDigests(opened, lambda: time.time_ns() + later * SECOND)
        try:
            return [found.of(str(path)) for path in paths]
        finally:
            found.store()


def test_only_files_that_were_touched_are_read_again(
    tmp_path: Path, read: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    one, other = tmp_path / "one", tmp_path / "other"
    one.write_text("E = mc")
    other.write_text("F = ma")
    first = digests(tmp_path / "w", one, other)
    before = one.stat()
    assert digests(tmp_path / "w", one, other) == first
    assert read == ["one", "other"]
    monkeypatch.chdir(tmp_path)
    assert digests(tmp_path / "w", Path("one"), Path("other")) == first
    assert read == ["one", "other"]
    # A file of the same size and date is another one by the time of the change, which nobody can set.
    one.write_text("E = mb")
    os.utime(one, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert digests(tmp_path / "w", one, other) == [digest_of_file(str(one)), first[1]]
    assert read == ["one", "other", "one"]


def test_a_file_that_was_changed_just_before_is_read_again(tmp_path: Path, read: list[str]) -> None:
    path = tmp_path / "one"
    path.write_text("E = mc")
    for _ in range(2):
        digests(tmp_path / "w", path, later=2)
    assert read == ["one", "one"]


def test_a_file_that_cannot_be_read_says_why_each_time(tmp_path: Path, read: list[str]) -> None:
    for _ in range(2):
        assert digests(tmp_path / "w", tmp_path / "gone") == ["unreadable: No such file or directory"]
    assert read == ["gone", "gone"]
