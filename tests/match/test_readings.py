"""Kept readings of the handbook: the same as new ones, and no trouble where they cannot be kept."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from bot.match.handbook import Concept, read
from bot.match.handbook.readings import readings
from bot.match.reading import read as look

UNREADABLE = r"\sum " * 50
BOOK = {
    "Q1": Concept("Q1", "one", "mechanics", ("E=mc^2", r"a=b=\frac{c}{d}"), (), ()),
    "Q2": Concept("Q2", "two", "mechanics", (UNREADABLE, "F=ma"), (), ()),
}


def test_kept_readings_are_those_that_were_made(tmp_path: Path) -> None:
    made, kept = readings(BOOK, tmp_path), readings(BOOK, tmp_path)
    for tex in ("E=mc^2", r"a=b=\frac{c}{d}", "F=ma"):
        assert made.get(tex) == kept.get(tex) == look(tex)
    assert kept.get(UNREADABLE) is None
    assert len(list(tmp_path.iterdir())) == 1


def test_another_book_takes_the_place_of_the_old(tmp_path: Path) -> None:
    readings(BOOK, tmp_path)
    readings({"Q1": BOOK["Q1"]}, tmp_path)
    assert len(list(tmp_path.glob("*.gz"))) == 1


@pytest.mark.parametrize("damage", [b"", b"no archive", gzip.compress(b"{"), gzip.compress(b"[1]")])
def test_a_damaged_file_is_made_anew(tmp_path: Path, damage: bytes) -> None:
    readings(BOOK, tmp_path)
    (path,) = tmp_path.iterdir()
    path.write_bytes(damage)
    assert readings(BOOK, tmp_path).get("F=ma") == look("F=ma")


def test_a_folder_that_cannot_be_written_costs_time_only(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    assert readings(BOOK, tmp_path / "file" / "below").get("F=ma") == look("F=ma")


def test_an_entry_is_read_with_its_abbreviations_and_its_whole() -> None:
    lines = ["% a remark", "# Q1 first law", "a=b", "where a = c + d", "part of Q9", "", "# Q2 second", "c=d"]
    assert list(read(lines, "algebra")) == [
        Concept("Q1", "first law", "algebra", ("a=b",), ("a = c + d",), ("Q9",)),
        Concept("Q2", "second", "algebra", ("c=d",), (), ()),
    ]
