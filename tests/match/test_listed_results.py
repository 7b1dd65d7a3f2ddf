"""What is computed of formulas of the built-in list is kept for other processes and later runs."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from bot.formula.alignment.compare import comparison_digests
from bot.match.builtin import builtin_formulas
from bot.match.features.agreement import equivalent
from bot.match.features.weak_equivalence import compared_formula
from bot.match.retrieval.index import listed_results
from bot.match.retrieval.index.listed_results import (
    ListedResults,
    keep_results_for,
    keep_results_for_links,
    kept_for_list,
)

LISTED = next(tex for concept in builtin_formulas().values() for tex in concept.formulas)
asked: list[str] = []


def letters(tex: str) -> frozenset[str]:
    asked.append(tex)
    return frozenset(tex)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    asked.clear()
    use(tmp_path, monkeypatch)
    return tmp_path


def use(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Have the next results read by a process of its own."""
    results = ListedResults(folder)
    monkeypatch.setattr(listed_results, "_listed_results", lambda: results)
    monkeypatch.setattr(listed_results, "_WRITTEN", 1)
    monkeypatch.setattr(listed_results, "_listed", {LISTED})


def test_results_for_the_list_alone_are_kept(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for _ in range(2):
        of = kept_for_list(maxsize=8)(letters)
        assert [of(LISTED), of(LISTED), of("q = w z")] == [frozenset(LISTED)] * 2 + [frozenset("q = w z")]
        use(folder, monkeypatch)
    assert asked == [LISTED, "q = w z", "q = w z"]


def test_the_equalities_of_a_listed_formula_are_kept_too(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for _ in range(2):
        keep_results_for_links("q = w z", ["no link = of the list"])
        keep_results_for_links(LISTED, ["a link = of the list"])
        of = kept_for_list(maxsize=8)(letters)
        of("a link = of the list")
        of("no link = of the list")
        use(folder, monkeypatch)
    assert asked == ["a link = of the list", "no link = of the list", "no link = of the list"]


def test_results_are_written_some_at_a_time(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listed_results, "_WRITTEN", 2)
    texts = [tex for concept in builtin_formulas().values() for tex in concept.formulas][:3]
    for _ in range(2):
        keep_results_for(texts)
        of = kept_for_list(maxsize=8)(letters)
        assert list(map(of, texts)) == list(map(frozenset, texts))
        use(folder, monkeypatch)
    assert asked == [*texts, texts[2]]


def test_a_file_that_cannot_be_used_costs_time_only(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (path,) = folder.glob("comparisons-*.db")
    path.write_bytes(b"no database" * 999)
    use(folder, monkeypatch)
    assert kept_for_list(maxsize=8)(letters)(LISTED) == frozenset(LISTED)
    use(folder / path.name, monkeypatch)  # a file is no folder
    assert kept_for_list(maxsize=8)(letters)(LISTED) == frozenset(LISTED)
    kept_for_list(maxsize=8)(letters)(LISTED)
    assert asked == [LISTED] * 3


def test_files_of_the_versions_used_last_are_kept(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (own,) = (path.name for path in folder.glob("comparisons-*.db"))
    for n in range(5):
        for rest in ("", "-wal"):
            path = folder / f"comparisons-{n}.db{rest}"
            path.touch()
            os.utime(path, (n, n))
    use(folder, monkeypatch)
    names = {path.name for path in folder.iterdir() if not path.name.startswith(own.removesuffix(".db"))}
    assert names == {f"comparisons-{n}.db{rest}" for n in (2, 3, 4) for rest in ("", "-wal")}


def test_what_is_kept_compares_as_what_is_computed(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    texts = [concept.formulas[:2] for concept in builtin_formulas().values() if len(concept.formulas) > 1][:12]
    computed = [equivalent.__wrapped__(one, other) for one, other in texts]
    keep_results_for(tex for both in texts for tex in both)
    compared_formula.cache_clear()  # type: ignore[attr-defined]
    assert [equivalent.__wrapped__(one, other) for one, other in texts] == computed
    use(folder, monkeypatch)
    keep_results_for(tex for both in texts for tex in both)
    compared_formula.cache_clear()  # type: ignore[attr-defined]
    assert [equivalent.__wrapped__(one, other) for one, other in texts] == computed


def test_digests_are_the_same_in_every_process() -> None:
    tex = r"E = \gamma m c^2 = \sum_i p_i"
    code = f"from bot.formula.alignment.compare import comparison_digests; print([sorted(each) for each in comparison_digests({tex!r})])"
    printed = subprocess.run([sys.executable, "-c", code], env=os.environ | {"PYTHONHASHSEED": "7"}, capture_output=True, text=True, check=True)  # fmt: skip
    assert printed.stdout.strip() == str([sorted(each) for each in comparison_digests(tex)])
