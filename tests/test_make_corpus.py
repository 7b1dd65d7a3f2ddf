"""The generated corpus is the same for the same seed, holds what its truth says, and the comparison with it notices what is wrong."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "benchmarks"))

import make_corpus

from bot.corpus import list_sources, read_file


def files(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def test_one_seed_gives_the_same_bytes_and_another_seed_others(tmp_path: Path) -> None:
    done = [make_corpus.write(tmp_path / name, 6, 0, seed) for name, seed in (("a", 1), ("b", 1), ("c", 2))]
    assert files(tmp_path / "a") == files(tmp_path / "b") != files(tmp_path / "c")
    assert done[0]["documents"] == 6
    assert sorted(path.suffix for path in (tmp_path / "a/corpus").rglob("d*")) == [*[".html"] * 5, ".tex"]


def test_a_size_in_bytes_ends_with_the_document_that_reaches_it(tmp_path: Path) -> None:
    done = make_corpus.write(tmp_path, 0, make_corpus.size_of("0.5M"), 0, ("latexml",))
    sizes = [len(data) for name, data in files(tmp_path).items() if name.startswith("corpus")]
    assert sum(sizes) == done["bytes"] >= 500_000 > sum(sizes[:-1])


@pytest.mark.parametrize(("documents", "why"), [("3", "is there already"), ("-3", "must be above 0")])
def test_documents_of_another_corpus_are_not_mixed_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], documents: str, why: str
) -> None:
    make_corpus.write(tmp_path, 1, 0, 0)
    before = files(tmp_path)
    monkeypatch.setattr(sys, "argv", ["make_corpus.py", "--into", str(tmp_path), "--documents", documents])
    with pytest.raises(SystemExit, match="2"):
        make_corpus.main()
    assert why in capsys.readouterr().err
    assert files(tmp_path) == before


def test_the_reader_finds_as_many_formulas_as_the_truth_says(tmp_path: Path) -> None:
    make_corpus.write(tmp_path, 2, 0, 3, ("latexml",))
    told = [
        row["formulas"]
        for row in map(json.loads, (tmp_path / "truth.jsonl").read_text().splitlines())
        if "document" in row
    ]
    pages = [
        page
        for file in list_sources([str(tmp_path / "corpus")]).files
        for page in read_file(file, print, lambda *_: None)
    ]
    assert [len(page.occurrences) for page in pages] == told


def _row(tex: list[str], occurrences: int, documents: int, *names: str) -> dict[str, object]:
    return {
        "occurrences": occurrences,
        "documents": documents,
        "representations": [{"tex": each} for each in tex],
        "names": [{"name": name} for name in names],
    }


@pytest.fixture
def truth(tmp_path: Path) -> make_corpus.Truth:
    rows = [
        {"document": "a", "formulas": 3, "forms": {"0.0": 2, "0.1": 1}},
        {"document": "b", "formulas": 2, "forms": {"0.0": 1, "1.0": 1}},
        {"document": "c", "formulas": 1, "forms": {"1.0": 1}},
        {"concept": 0, "name": "mean drift rate", "forms": [{"tex": ["a = b c", "a=b\\,c"], "relation": "base"}, {"tex": ["b c = a"], "relation": "turned"}]},
        {"concept": 1, "name": "", "forms": [{"tex": ["x = y + z"], "relation": "base"}]},
    ]  # fmt: skip
    (tmp_path / "truth.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return make_corpus.Truth.read(tmp_path / "truth.jsonl")


def test_what_was_found_rightly_agrees_with_the_truth(truth: make_corpus.Truth) -> None:
    rows = [_row(["a = b c", "b c = a"], 4, 2, "Mean drift rate"), _row(["x = y + z"], 2, 2)]
    found = make_corpus.check(truth, iter(rows))
    assert {value for name, value in found.items() if name != "checked"} == {1.0}
    assert found["checked"] == {
        "documents": 2, "found": 2, "grouping_precision": 1, "grouping_recall_turned": 1, "name_first": 1, "name_in_5": 1, "occurrences": 2,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("rows", "wrong"),
    [
        ([_row(["a = b c", "b c = a"], 3, 2, "mean drift rate")], "occurrences"),
        ([_row(["a = b c", "b c = a"], 4, 3, "mean drift rate")], "documents"),
        ([_row(["a = b c", "b c = a"], 4, 2, "drift rate", "mean drift rate")], "name_first"),
        ([_row(["a = b c"], 3, 2), _row(["b c = a"], 1, 1)], "grouping_recall_turned"),
        ([_row(["a = b c", "x = y + z"], 5, 3)], "grouping_precision"),
        ([_row(["x = y + z"], 2, 2)], "found"),
    ],
)
def test_what_is_wrong_is_noticed(truth: make_corpus.Truth, rows: list[dict[str, object]], wrong: str) -> None:
    assert make_corpus.check(truth, iter(rows))[wrong] < 1.0


def test_forms_of_one_concept_are_different_formulas() -> None:
    world = make_corpus.World(0, 100)
    concepts = [world.concept(number) for number in range(60)]
    texs = [make_corpus.written(form, "plain") for concept in concepts for form in concept.forms]
    assert len(set(texs)) == len(texs)
    assert {form.relation for concept in concepts for form in concept.forms} == {"base", "turned", "renamed"}
    assert all(re.fullmatch(r"[A-Z][a-z]+'s \w+|\w+ \w+ \w+|", concept.name) for concept in concepts)
