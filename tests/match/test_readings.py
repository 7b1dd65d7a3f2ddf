"""Kept readings of formulas: the same as new ones, and no trouble where they cannot be kept."""

from __future__ import annotations

import os
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import fields
from pathlib import Path
from unittest.mock import Mock

import numpy as np
import pytest

from bot.match.builtin import Concept, read_concepts
from bot.match.retrieval.feature_groups import ChannelIndex
from bot.match.retrieval.formula_reading import read_formula as look
from bot.match.retrieval.index import stored_readings
from bot.match.retrieval.index.mapped_arrays import map_arrays, save_arrays
from bot.match.retrieval.index.sparse_matrix import NO_READINGS, SparseReadings
from bot.match.retrieval.index.stored_readings import builtin_texts, readings, stored_index
from bot.match.retrieval.inverted_index import IndexedFormula

READABLE = ("E=mc^2", r"a=b=\frac{c}{d}", "F=ma")
UNREADABLE = r"\sum " * 50
TEXTS = (*READABLE[:2], UNREADABLE, READABLE[2])


PACKAGE = stored_readings.SHIPPED


@pytest.fixture(autouse=True)
def _built_without_the_list(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stored_readings, "SHIPPED", tmp_path.parent / "nothing was built")


def files(folder: Path) -> list[Path]:
    return list(folder.glob("readings-*.arrays"))


def kept(texts: Sequence[str], folder: Path) -> SparseReadings:
    return readings(texts, folder, few=0)


def same(found: SparseReadings, texts: Sequence[str] = TEXTS) -> bool:
    """Tell whether the readings of these formulas are those that are made of them now."""
    own, made = found.subset(found.rows_of(texts)), NO_READINGS.added({tex: look(tex) for tex in texts})
    return all(np.array_equal(getattr(own, each.name), getattr(made, each.name)) for each in fields(SparseReadings))


def test_kept_readings_are_those_that_were_made(tmp_path: Path) -> None:
    assert same(kept(TEXTS, tmp_path))
    again = kept(TEXTS, tmp_path)
    assert same(again)
    assert (again.leaves < 0).tolist() == [tex == UNREADABLE for tex in TEXTS]
    assert len(files(tmp_path)) == 1


def test_new_formulas_join_the_kept_ones(tmp_path: Path) -> None:
    kept(TEXTS[:2], tmp_path)
    assert same(kept(TEXTS[1:], tmp_path))
    assert same(kept(["c=d"], tmp_path), ["F=ma", "c=d"])
    assert len(files(tmp_path)) == 1


def test_beyond_the_limit_only_what_was_asked_for_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kept(TEXTS, tmp_path)
    monkeypatch.setattr("bot.match.retrieval.index.stored_readings.MAX_STORED", 4)
    kept(["c=d", "F=ma"], tmp_path)
    left = kept(["F=ma"], tmp_path)
    assert len(left.texts) == 2
    assert same(left, ["c=d", "F=ma"])


def test_a_few_formulas_are_not_worth_a_file(tmp_path: Path) -> None:
    assert same(readings(TEXTS, tmp_path))
    readings([f"x={n}" for n in range(200)], tmp_path)
    assert not list(tmp_path.iterdir())
    readings([f"x={n}" for n in range(201)], tmp_path)
    assert len(files(tmp_path)) == 1


HEAD = b'{"texts": ["<u8", [1]]}\n'


@pytest.mark.parametrize("damage", [b"", b"no readings", b"null\n", b"{}\n", b'{"texts": 1}\n', b'{"texts": ["?8", [0]]}\n', HEAD, HEAD.ljust(63) + b"8 bytes", HEAD.ljust(64) + b"8 bytes.", HEAD.ljust(64) + b"8 bytes.."])  # fmt: skip
def test_a_damaged_file_is_made_anew_and_said(tmp_path: Path, damage: bytes, caplog: pytest.LogCaptureFixture) -> None:
    kept(TEXTS, tmp_path)
    (path,) = files(tmp_path)
    path.write_bytes(damage)
    with caplog.at_level("INFO"):
        assert same(kept(TEXTS, tmp_path))
    assert f"the readings in {path} are of no use" in caplog.text


@pytest.mark.parametrize("name", ["leaves", "keys", "link_ptr", "ptr", "flat", "links", "texts"])
def test_a_file_whose_rows_do_not_agree_is_made_anew(tmp_path: Path, name: str) -> None:
    kept(TEXTS, tmp_path)
    (path,) = files(tmp_path)
    found = map_arrays(path)
    save_arrays(path, {**found, name: found[name][1:]})
    assert same(kept(TEXTS, tmp_path))


def test_arrays_of_any_size_come_back_from_a_file(tmp_path: Path) -> None:
    arrays = {"none": np.zeros((0, 3)), "odd": np.arange(7, dtype=np.uint8), "square": np.arange(6).reshape(2, 3).T}
    save_arrays(tmp_path / "below" / "a", arrays)
    found = map_arrays(tmp_path / "below" / "a")
    assert [(each.dtype, each.tolist()) for each in found.values()] == [(each.dtype, each.tolist()) for each in arrays.values()]  # fmt: skip
    with pytest.raises(ValueError, match="read-only"):
        found["odd"][0] = 1
    save_arrays(tmp_path / "below" / "a", {"odd": np.zeros(7)})
    assert found["odd"].tolist() == list(range(7)), "who has the old file keeps it"
    assert [path.name for path in (tmp_path / "below").iterdir()] == ["a"]


def test_a_file_that_cannot_be_finished_leaves_the_old_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    save_arrays(tmp_path / "a", {"one": np.arange(3)})
    full = Mock(side_effect=OSError("No space left on device"))
    monkeypatch.setattr("bot.match.retrieval.index.mapped_arrays.os.fsync", full)
    with pytest.raises(OSError, match="No space"):
        save_arrays(tmp_path / "a", {"one": np.arange(4)})
    assert [path.name for path in tmp_path.iterdir()] == ["a"]
    assert map_arrays(tmp_path / "a")["one"].tolist() == [0, 1, 2]


ENTRIES = [IndexedFormula(f"Q{n % 3}", tex) for n, tex in enumerate([*TEXTS, "F = m a", "p=mv", "E=mc^2"])]


def test_an_index_from_a_file_finds_what_a_new_one_finds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    new = ChannelIndex(ENTRIES)
    stored_index(ENTRIES, tmp_path, few=0)
    monkeypatch.setattr(stored_readings, "index_arrays", None)
    old = ChannelIndex(ENTRIES, stored_index(ENTRIES, tmp_path, few=0))
    assert old.entries == new.entries == tuple(entry for entry in ENTRIES if entry.tex != UNREADABLE)
    for tex in (*READABLE, "a=b", "E=c", "x"):
        assert repr(old.search_tex(tex)) == repr(new.search_tex(tex))


def test_other_entries_have_an_index_of_their_own(tmp_path: Path) -> None:
    for entries in (ENTRIES, ENTRIES[1:], [IndexedFormula("Q9", ENTRIES[0].tex), *ENTRIES[1:]]):
        arrays = stored_index(entries, tmp_path, few=0)
        assert ChannelIndex(entries, arrays).entries == tuple(each for each in entries if each.tex != UNREADABLE)
    assert len(list(tmp_path.glob("index-*.arrays"))) == 3
    assert stored_index(ENTRIES, tmp_path / "other")["entries"].tolist() == [0, 1, 3, 4, 5, 6]
    assert not (tmp_path / "other").exists()


def test_a_folder_that_cannot_be_written_costs_time_only_and_is_said(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "file").write_text("in the way")
    with caplog.at_level("INFO"):
        assert same(kept(TEXTS, tmp_path / "file" / "below"))
        assert len(stored_index(ENTRIES, tmp_path / "file" / "below", few=0)["entries"]) == len(ENTRIES) - 1
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

    monkeypatch.setattr("bot.match.retrieval.index.stored_readings.read_formula", reading)
    with ThreadPoolExecutor(2) as pool:
        with stored_readings.exclusive_lock(
            tmp_path / f"readings-{stored_readings._digest(stored_readings._READERS)}.lock"
        ):
            asked = [pool.submit(kept, TEXTS, tmp_path) for _ in range(2)]
            assert not first.wait(0.05)
        assert all(same(one.result()) for one in asked)
    assert read_now == list(TEXTS)


def test_what_is_kept_is_not_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kept(TEXTS, tmp_path)
    read_now: list[str] = []

    def reading(tex: str) -> object:
        read_now.append(tex)
        return look(tex)

    monkeypatch.setattr("bot.match.retrieval.index.stored_readings.read_formula", reading)
    kept([*TEXTS, "g=h"], tmp_path)
    assert read_now == ["g=h"]


def test_another_reader_keeps_a_file_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kept(TEXTS, tmp_path)
    before = set(files(tmp_path))
    monkeypatch.setattr("bot.match.retrieval.index.stored_readings._READERS", ("bot.formula.features.sides",))
    kept(TEXTS, tmp_path)
    assert before < set(files(tmp_path))


def test_the_files_of_the_versions_used_last_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for n, version in enumerate("abcdae"):
        monkeypatch.setattr(stored_readings, "_digest", lambda modules, version=version: version)
        kept(TEXTS[:1], tmp_path)
        if n < 4:
            os.utime(tmp_path / f"readings-{version}.arrays", (n, n))
    assert {path.stem for path in tmp_path.iterdir()} == {f"readings-{version}" for version in "acde"}
    assert len(files(tmp_path)) == stored_readings.VERSIONS


def test_another_version_does_not_wait_for_the_lock(tmp_path: Path) -> None:
    with stored_readings.exclusive_lock(tmp_path / "readings-other.lock"):
        assert same(kept(TEXTS, tmp_path))


def test_what_the_package_was_built_with_is_not_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    built = tmp_path / "package"
    kept(TEXTS, built)
    monkeypatch.setattr(stored_readings, "SHIPPED", built)
    monkeypatch.setattr("bot.match.retrieval.index.stored_readings.read_formula", None)
    assert same(kept(TEXTS, tmp_path / "cache"))
    assert not (tmp_path / "cache").exists()


def test_what_a_build_keeps_is_what_the_code_makes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stored_readings, "SHIPPED", PACKAGE)
    some = builtin_texts()[::400]
    kept(some, tmp_path)
    assert same(kept(some, tmp_path), some)


def test_sources_are_read_in_the_order_of_their_names(tmp_path: Path) -> None:
    for name in ("c.py", "a/z.py", "a/b.json", "d.txt", "a/c/y.py", "b.py", "a0.json", "a/notes.po"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    found = [str(path).removeprefix(f"{tmp_path}/") for path in stored_readings._sources(tmp_path)]
    assert found == ["a/b.json", "a/c/y.py", "a/z.py", "a0.json", "b.py", "c.py"]
