"""The benchmark of the paper's experiments: its measures, what it says without data, and the floors it has reached."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import xml.dom.minidom
from pathlib import Path
from typing import Any

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "benchmarks"))

import charts  # noqa: E402
import paper  # noqa: E402
import paper_search  # noqa: E402
import paper_vectors  # noqa: E402

EQUATIONS = [
    {"label": label, "tex": tex, "gold_qids": [qid], "content": list(tex), "constituent_qids": [qid]}
    for label, qid, spellings in (
        ("A", "Q1", ("F=ma", "F=am", "m a=F", r"\vec F=m\vec a")),
        ("B", "Q2", (r"\nabla^2u=0", r"\Delta u=0", "u_{xx}+u_{yy}=0", r"\nabla^2 v=0")),
        ("C", "Q3", ("E=mc^2", "mc^2=E", r"E=m_0c^2", r"E/c^2=m")),
    )
    for tex in spellings
]


def _run(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(ROOT / "benchmarks/paper_tables.py"), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, env=paper.fixed_environment())


def test_without_the_data_it_says_so_in_one_line(tmp_path: Path) -> None:
    done = _run("--data", str(tmp_path))
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.count("\n") == 1
    assert "paper_100.jsonl" in done.stderr


@pytest.fixture(scope="module")
def drawn_once(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any], dict[str, bytes]]:
    """Return the folder of a run over the equations above, the object that it prints, and the figures that it draws."""
    folder = tmp_path_factory.mktemp("paper")
    queries, items = folder / "recognition/paper_100.jsonl", folder / "i.jsonl"
    queries.parent.mkdir()
    queries.write_text("".join(json.dumps(row) + "\n" for row in EQUATIONS), encoding="utf-8")
    items.write_text(json.dumps({"qid": "Q1", "label": "a", "formulas": ["F=ma"]}) + "\n", encoding="utf-8")
    done = _run(
        "--queries", str(queries), "--items", str(items), "--repeats", "1", "--figures", str(folder / "f"), "--json"
    )
    assert done.returncode == 0, done.stderr
    return folder, json.loads(done.stdout), {path.name: path.read_bytes() for path in (folder / "f").glob("*.svg")}


@pytest.mark.skipif(not os.environ.get("FORMULA_BOT_LONG"), reason="draws every figure; FORMULA_BOT_LONG=1")
def test_other_equations_give_one_json_object_and_figures(
    drawn_once: tuple[Path, dict[str, Any], dict[str, bytes]],
) -> None:
    _, found, drawn = drawn_once
    assert found["search"][-1]["ceiling"] == pytest.approx(1 / 3, abs=1e-3)
    assert {"accuracy", "purity", "ari"} <= set(found)
    assert set(found["separation"]["semantics Doc2Vec"]) == {"3"}
    assert set(found["similarity"]["of_thirty"]) == {"plain", "spherical", "inductive", "random"}
    assert len(drawn) == 11
    for data in drawn.values():
        xml.dom.minidom.parseString(data)


@pytest.mark.skipif(not os.environ.get("FORMULA_BOT_LONG"), reason="draws every figure once more; FORMULA_BOT_LONG=1")
def test_another_folder_hash_seed_and_number_of_threads_give_the_same_numbers_and_bytes(
    drawn_once: tuple[Path, dict[str, Any], dict[str, bytes]],
) -> None:
    folder, found, drawn = drawn_once
    command = [sys.executable, str(ROOT / "benchmarks/paper.py"), "--data", "..", "--out", ".", "--only", "similarity"]
    other = {**os.environ, "PYTHONHASHSEED": "8", "OMP_NUM_THREADS": "2", "OPENBLAS_NUM_THREADS": "2"}
    again = subprocess.run(command, capture_output=True, text=True, check=False, env=other, cwd=folder / "f")
    assert again.returncode == 0, again.stderr
    values = {row["code"]: row for row in json.loads((folder / "f/values.json").read_text(encoding="utf-8"))}
    similar = found["similarity"]
    assert values["thirty.random"]["repeated"] == similar["of_thirty"]["random"]
    for name, row in similar["thirty"].items():
        assert values[f"thirty.purity.{name}"]["repeated"] == row["repeated"]["purity_by_cluster"]
        assert values[f"thirty.centroids.{name}"]["repeated"] == similar["centroids"][name]["two_components"]
    written = {path.name: path.read_bytes() for path in (folder / "f/figures").glob("*.svg")}
    assert sorted(written) == sorted({*drawn} - {"separation.svg"})
    assert [name for name in written if written[name] != drawn[name]] == []


def test_the_papers_purity_rewards_small_clusters_and_the_standard_one_does_not() -> None:
    labels, found = ["a"] * 5 + ["b"] * 5, np.array([0] * 9 + [1])
    assert paper_vectors.purity(labels, found) == pytest.approx(0.6)
    assert paper_vectors.purity_by_cluster(labels, found) == pytest.approx((5 / 9 + 1) / 2)


def test_a_query_that_is_not_found_counts() -> None:
    assert paper_search.figures([1, 2, None, 11]) == {"top1": 0.25, "top10": 0.5, "mrr10": 0.375}


def test_mean_ranks_are_over_what_is_found_and_the_means_over_sources() -> None:
    sources = paper_search.SOURCES
    ranks = [dict.fromkeys(sources[:6], 1), dict.fromkeys(sources, 3), dict.fromkeys(sources)]
    rows = {row["source"]: row for row in paper_search.published(ranks)}
    assert rows["Google"]["all_queries"] == {"top1": 0.0, "top10": 0.3333, "mrr10": 0.1111, "mr": 3, "mrr": 0.3333}
    assert rows["arXiv LaTeX"]["all_queries"]["mr"] == 2
    assert rows["mean of six sources"]["all_queries"]["mrr"] == 0.6667
    assert rows["mean of two search engines"]["all_queries"]["mr"] == 3
    assert rows["Wikipedia LaTeX"]["printed"] == {"top1": 0.48, "top10": 0.74, "mr": 1.78, "mrr": 0.78}


def test_shared_items_are_counted_and_components_have_one_orientation() -> None:
    documents = np.array([["Q1", "Q2"], ["Q2", "Q3"], ["Q4"]], dtype=object)
    assert paper_vectors.common(documents).tolist() == [[2, 1, 0], [1, 2, 0], [0, 0, 1]]
    points = np.array([[3.0, 0.0], [0.0, 1.0], [-1.0, -1.0]])
    for given in (points, -points):
        found = paper_vectors.on_a_plane(given)
        assert (found[np.abs(found).argmax(axis=0), [0, 1]] > 0).all()


def test_points_of_another_cluster_are_outlined_and_numbers_can_be_read() -> None:
    points = np.array([[0.0, 0.0], [0.1, 0.0], [0.2, 0.0], [1.0, 1.0]])
    axes = charts.scatter_plots("t", {"c": (points, ["a", "a", "b", "b"], [0, 0, 0, 1])}).axes[0]
    outlined = [drawn for drawn in axes.collections if len(drawn.get_offsets()) and len(drawn.get_edgecolors())]
    assert [drawn.get_offsets().tolist() for drawn in outlined] == [[[0.2, 0.0]]]
    assert [charts._readable(colour) for colour in ((0, 0, 0, 1), (1, 1, 1, 1), (0.42, 0.68, 0.84, 1))] == ["white", "black", "black"]  # fmt: skip


def test_similarity_by_class_leaves_each_equation_itself_out() -> None:
    labels = np.array(["a", "a", "b", "b"])
    found = paper_vectors.by_class(np.eye(4), labels, ["a", "b"])
    assert found.max() == 0


def test_a_heat_map_has_its_values_names_and_the_unit_of_its_colours() -> None:
    panel = charts.Panel("p", np.array([[1.0, 0.25], [0.25, 1.0]]), ["a", "b"])
    axes, scale = charts.heat_maps("t", [panel], unit="cosine", numbers=True).axes
    assert [text.get_text() for text in axes.texts] == ["1.00", ".25", ".25", "1.00"]
    assert [text.get_text() for text in axes.get_xticklabels()] == ["a", "b"]
    assert (axes.get_xlabel(), scale.get_xlabel()) == ("class", "cosine")


def test_the_same_figure_is_the_same_file(tmp_path: Path) -> None:
    for name in ("one.svg", "two.svg"):
        drawn = charts.line_charts("t", {"c": {"l": {0: 0.5, 1: 0.75}}}, low=0, below="x", left="share")
        charts.save(drawn, tmp_path / name)
    assert (tmp_path / "one.svg").read_bytes() == (tmp_path / "two.svg").read_bytes()


def test_the_floors_hold_on_the_hundred_equations(shared_data: Path) -> None:
    """Measured in November 2026: accuracy .971, standard purity .93, adjusted Rand index .85."""
    path = shared_data / "recognition/paper_100.jsonl"
    if hashlib.sha256(path.read_bytes()).hexdigest()[:16] != "5feb02aa9b3f02d1":
        pytest.skip("the 100 equations are not those the floors were measured on")
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    labels, every = np.array([row["label"] for row in rows]), np.arange(len(rows))
    content = paper_vectors.encodings(rows)[0]
    assert np.mean(paper_vectors.classified(content, labels, every, 10, range(5))) >= 0.97
    found = list(paper_vectors.clustered(content, labels, every, range(5)))
    assert np.mean([row["purity"] for row in found]) >= 0.88
    assert np.mean([row["ari"] for row in found]) >= 0.78


def test_components_that_part_groups_are_one_fewer_than_the_groups() -> None:
    rows = np.array([[1.0, 0.0, 0.0], [1.0, 0.1, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
    assert [paper_vectors.spread(rows, groups).shape[1] for groups in (1, 2, 3)] == [1, 1, 2]
    parted = paper_vectors.spread(rows, 3)
    assert np.allclose(np.linalg.norm(parted, axis=1), 1)
    assert parted[0] @ parted[1] > 0.9 > parted[0] @ parted[2]
