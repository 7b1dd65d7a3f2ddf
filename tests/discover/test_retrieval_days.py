"""Each document carries the day on which it was first read, whatever becomes of its file."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from bot import store
from bot.discover import discover
from bot.discover.retrieval_days import first_days
from bot.settings import Settings
from bot.store import Workspace

FIRST, LATER = date(2026, 11, 1), date(2026, 11, 15)


def write(folder: Path, name: str, text: str = "The '''law''' is <math>F = m a</math>.") -> None:
    folder.mkdir(exist_ok=True)
    (folder / f"{name}.wiki").write_text(text, encoding="utf-8")


def days(workspace: Workspace, folder: Path, today: date) -> dict[str, str]:
    discover(workspace, [str(folder)], Settings(), quiet=True, today=today)
    return {name.rpartition("/")[2]: day for name, day in first_days(workspace).items()}


def test_a_document_of_before_days_were_kept_has_none(workspace: Workspace) -> None:
    rows = [{"document": "a", "day": "2026-11-01"}, {"document": "b", "day": ""}]
    workspace.change(store.retrievals.insert().values(rows))
    assert first_days(workspace) == {"a": "2026-11-01"}


def test_a_document_that_comes_in_later_carries_the_later_day(workspace: Workspace, tmp_path: Path) -> None:
    corpus = tmp_path / "corpus"
    write(corpus, "a")
    assert list(days(workspace, corpus, FIRST).values()) == ["2026-11-01"]
    write(corpus, "b")
    assert sorted(days(workspace, corpus, LATER).values()) == ["2026-11-01", "2026-11-15"]


def test_a_document_that_is_read_again_or_comes_back_keeps_its_first_day(workspace: Workspace, tmp_path: Path) -> None:
    corpus = tmp_path / "corpus"
    write(corpus, "a")
    first = days(workspace, corpus, FIRST)
    write(corpus, "a", "Now the '''law''' is <math>F = m a^2</math>.")
    assert days(workspace, corpus, LATER) == first
    (corpus / "a.wiki").rename(tmp_path / "away")
    write(corpus, "b")
    days(workspace, corpus, LATER)
    (tmp_path / "away").rename(corpus / "a.wiki")
    assert days(workspace, corpus, date(2026, 12, 1)).items() >= first.items()


def test_what_an_interrupted_run_has_read_it_has_read_on_its_day(
    workspace: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from bot.discover import mine

    corpus = tmp_path / "corpus"
    write(corpus, "a")
    write(corpus, "b")
    real = mine.store_mined_file

    def once(*given: object) -> None:
        real(*given)  # type: ignore[arg-type]
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(mine, "store_mined_file", once)
        with pytest.raises(KeyboardInterrupt):
            days(workspace, corpus, FIRST)
    assert sorted(days(workspace, corpus, LATER).values()) == ["2026-11-01", "2026-11-15"]
