"""Kept readings of formulas: the same as new ones, and no trouble where they cannot be kept."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import msgspec
import pytest

from bot.match.builtin import Concept, read_concepts
from bot.match.retrieval import stored_readings
from bot.match.retrieval.formula_reading import read_formula as look
from bot.match.retrieval.sparse_matrix import SparseReadings
from bot.match.retrieval.stored_readings import builtin_texts, readings

READABLE = ("E=mc^2", r"a=b=\frac{c}{d}", "F=ma")
UNREADABLE = r"\sum " * 50
TEXTS = (*READABLE[:2], UNREADABLE, READABLE[2])


PACKAGE = stored_readings.SHIPPED


@pytest.fixture(autouse=True)
def _built_without_the_list(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stored_readings, "SHIPPED", tmp_path.parent / "nothing was built")


def files(folder: Path) -> list[Path]:
    return list(folder.glob("readings-*.msgpack"))


def kept(texts: Sequence[str], folder: Path) -> SparseReadings:
    return readings(texts, folder, few=0)


def test_kept_readings_are_those_that_were_made(tmp_path: Path) -> None:
    made, again = kept(TEXTS, tmp_path), kept(TEXTS, tmp_path)
    for tex in READABLE:
        assert made.get(tex) == again.get(tex) == look(tex)
    assert again.get(UNREADABLE) is None
    assert again.row_of == made.row_of
    assert len(files(tmp_path)) == 1


def test_new_formulas_join_the_kept_ones(tmp_path: Path) -> None:
    kept(TEXTS[:2], tmp_path)
    both = kept(TEXTS[1:], tmp_path)
    assert set(both.row_of) == set(TEXTS)
    assert kept(["c=d"], tmp_path).get("F=ma") == look("F=ma")
    assert len(files(tmp_path)) == 1


def test_beyond_the_limit_only_what_was_asked_for_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kept(TEXTS, tmp_path)
    monkeypatch.setattr("bot.match.retrieval.stored_readings.MAX_STORED", 4)
    kept(["c=d", "F=ma"], tmp_path)
    left = kept(["F=ma"], tmp_path)
    assert set(left.row_of) == {"c=d", "F=ma"}
    assert left.get("F=ma") == look("F=ma")


def test_a_few_formulas_are_not_worth_a_file(tmp_path: Path) -> None:
    assert readings(TEXTS, tmp_path).get("F=ma") == look("F=ma")
    readings([f"x={n}" for n in range(200)], tmp_path)
    assert not list(tmp_path.iterdir())
    readings([f"x={n}" for n in range(201)], tmp_path)
    assert len(files(tmp_path)) == 1


@pytest.mark.parametrize("damage", [b"", b"no readings", b"\x96\x80", b"\x96\x80\x90\xc4\x03abc\xc4\x00\x90\x90"])
def test_a_damaged_file_is_made_anew_and_said(tmp_path: Path, damage: bytes, caplog: pytest.LogCaptureFixture) -> None:
    kept(TEXTS, tmp_path)
    (path,) = files(tmp_path)
    path.write_bytes(damage)
    with caplog.at_level("INFO"):
        assert kept(TEXTS, tmp_path).get("F=ma") == look("F=ma")
    assert f"the readings in {path} are of no use" in caplog.text


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("row_of", lambda rows: {tex: row and row + 1 for tex, row in rows.items()}),
        ("ptr", lambda ptr: ptr[8:] + ptr[:8]),
        ("ptr", lambda ptr: ptr[8:]),
        ("flat", lambda flat: flat[:-4]),
        ("links", lambda links: links[:-1]),
        ("words", lambda words: words[:-1]),
    ],
)
def test_a_file_whose_rows_do_not_agree_is_made_anew(
    tmp_path: Path, name: str, change: Callable[[Any], object]
) -> None:
    made = kept(TEXTS, tmp_path)
    (path,) = files(tmp_path)
    file = msgspec.msgpack.decode(path.read_bytes(), type=stored_readings._File)
    setattr(file, name, change(getattr(file, name)))
    path.write_bytes(msgspec.msgpack.encode(file))
    again = kept(TEXTS, tmp_path)
    assert (again.row_of, again.keys) == (made.row_of, made.keys)


def test_a_folder_that_cannot_be_written_costs_time_only_and_is_said(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "file").write_text("in the way")
    with caplog.at_level("INFO"):
        assert kept(TEXTS, tmp_path / "file" / "below").get("F=ma") == look("F=ma")
    assert f"the readings cannot be kept in {tmp_path / 'file' / 'below'}" in caplog.text


def test_an_entry_is_read_with_its_abbreviations_and_its_whole() -> None:
    lines = ["% a remark", "# Q1 first law", "a=b", "where a = c + d", "part of Q9", "", "# Q2 second", "c=d"]
    assert list(read_concepts(lines, "algebra")) == [
        Concept("Q1", "first law", "algebra", ("a=b",), ("a = c + d",), ("Q9",)),
        Concept("Q2", "second", "algebra", ("c=d",), (), ()),
    ]


def test_processes_that_need_the_same_readings_make_them_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = threading.Event()
    read_now: list[str] = []

    def reading(tex: str) -> object:
        first.set()
        read_now.append(tex)
        return look(tex)

    monkeypatch.setattr("bot.match.retrieval.stored_readings.read_formula", reading)
    with ThreadPoolExecutor(2) as pool:
        with stored_readings._exclusive_lock(tmp_path / f"readings-{stored_readings._digest()}.lock"):
            asked = [pool.submit(kept, TEXTS, tmp_path) for _ in range(2)]
            assert not first.wait(0.05)
        assert [one.result().get("F=ma") for one in asked] == [look("F=ma")] * 2
    assert read_now == list(TEXTS)


def test_what_is_kept_is_not_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kept(TEXTS, tmp_path)
    read_now: list[str] = []

    def reading(tex: str) -> object:
        read_now.append(tex)
        return look(tex)

    monkeypatch.setattr("bot.match.retrieval.stored_readings.read_formula", reading)
    kept([*TEXTS, "g=h"], tmp_path)
    assert read_now == ["g=h"]


def test_another_reader_keeps_a_file_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kept(TEXTS, tmp_path)
    before = set(files(tmp_path))
    monkeypatch.setattr("bot.match.retrieval.stored_readings._READERS", ("bot.formula.features.sides",))
    kept(TEXTS, tmp_path)
    assert before < set(files(tmp_path))


def test_the_files_of_the_versions_used_last_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for n, version in enumerate("abcdae"):
        monkeypatch.setattr(stored_readings, "_digest", lambda version=version: version)
        kept(TEXTS[:1], tmp_path)
        if n < 4:
            os.utime(tmp_path / f"readings-{version}.msgpack", (n, n))
    assert {path.stem for path in tmp_path.iterdir()} == {f"readings-{version}" for version in "acde"}
    assert len(files(tmp_path)) == stored_readings.VERSIONS


def test_another_version_does_not_wait_for_the_lock(tmp_path: Path) -> None:
    with stored_readings._exclusive_lock(tmp_path / "readings-other.lock"):
        assert kept(TEXTS, tmp_path).get("F=ma") == look("F=ma")


def test_what_the_package_was_built_with_is_not_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    built = tmp_path / "package"
    made = kept(TEXTS, built)
    monkeypatch.setattr(stored_readings, "SHIPPED", built)
    monkeypatch.setattr("bot.match.retrieval.stored_readings.read_formula", None)
    again = kept(TEXTS, tmp_path / "cache")
    assert (again.row_of, again.keys) == (made.row_of, made.keys)
    assert not (tmp_path / "cache").exists()


def test_what_a_build_keeps_is_what_the_code_makes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stored_readings, "SHIPPED", PACKAGE)
    some = builtin_texts()[::400]
    kept(some, tmp_path)
    again = kept(some, tmp_path)
    assert {tex: again.get(tex) for tex in some} == {tex: look(tex) for tex in some}
