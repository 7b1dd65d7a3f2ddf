"""The ranked list of a workspace: concepts and equal strings by d, D and FormulaRank, with the paper's filters."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Any

import pytest
from cli_runner import call
from web_records import opened

from bot import store
from bot.formula.drawing.plain_text import plain_text
from bot.review.ranked_list import RankFilters, ranked_concepts, ranked_duplicates, ranked_list
from bot.store import Workspace


def concept(w: Workspace, key: str, tex: str, d: int, documents: int, rank: float | None, name: str = "") -> None:
    row: dict[str, Any] = {"key": key, "tex": tex, "occurrences": d, "documents": documents, "formularank": rank}
    spelling = {"tex": tex, "level": "K0", "occurrences": d, "documents": documents}
    names = [{"name": name, "score": 0.8}] if name else []
    with w.engine.begin() as db:
        db.execute(
            store.concepts.insert().values(**row, names=names, representations=[spelling], places=[], definitions=[])
        )


@pytest.fixture
def three(tmp_path: Path) -> Path:
    with opened(tmp_path / "w", proposals=[]) as w:
        with w.engine.begin() as db:
            for table in (store.concepts, store.matches):
                db.execute(table.delete())
            for qid, probability in (("Q35875", 0.7), ("Q41591", 0.2)):
                db.execute(
                    store.matches.insert().values(concept="b", qid=qid, tex="", probability=probability, evidence=[])
                )
        concept(w, "a", r"\vec{F} = m \vec{a}", 9, 2, 1.0, "second law")
        concept(w, "b", r"E = m c^2 + p^2 c^2/(2m)", 5, 4, 6.0)
        concept(w, "c", "p = m v", 7, 3, None)
    return tmp_path / "w"


@pytest.mark.parametrize(("order", "keys"), [("d", "acb"), ("D", "bca"), ("rank", "bac")])
def test_the_order_is_by_d_by_documents_or_by_formularank(three: Path, order: str, keys: str) -> None:
    with Workspace.open(three) as w:
        rows = list(ranked_list(w, order))
    assert "".join(row["key"] for row in rows) == keys
    assert {row["key"]: row["place"] for row in rows} == {
        "a": {"d": 1, "D": 3, "rank": 2}, "b": {"d": 3, "D": 1, "rank": 1}, "c": {"d": 2, "D": 2, "rank": 3}
    }  # fmt: skip


def test_a_row_has_the_likeliest_item_the_best_name_and_the_rank(three: Path) -> None:
    with Workspace.open(three) as w:
        rows = {row["key"]: row for row in ranked_list(w)}
        found = {row["key"]: row["centrality"] for row in ranked_concepts(w)}
    assert (rows["b"]["qid"], rows["b"]["label"], rows["b"]["probability"]) == (
        "Q35875",
        "mass–energy equivalence",
        0.7,
    )
    assert (rows["a"]["name"], rows["a"]["qid"], rows["a"]["probability"]) == ("second law", "", None)
    assert found == {"a": 0.5, "b": 1.5, "c": None}, "documents times centrality is the rank"


@pytest.mark.parametrize(
    ("filters", "keys"), [((3, 0, 0), "cb"), ((1, 5, 0), "b"), ((1, 0, 4), "ac"), ((3, 4, 4), "c")]
)
def test_the_filters_are_documents_and_characters_without_styling(
    three: Path, filters: tuple[int, int, int], keys: str
) -> None:
    with Workspace.open(three) as w:
        assert "".join(row["key"] for row in ranked_list(w, "d", RankFilters(*filters))) == keys


def test_the_command_prints_a_table_lines_and_csv(three: Path) -> None:
    said = call("formulas", "-w", three, "--by", "D", "--top", "2").well().out.splitlines()
    assert "E = mc² + p²c²/(2m)" in said[2]
    assert "mass–energy equivalence (Q35875, 70 %)" in said[2]
    assert len(said) == 4
    rows = list(csv.DictReader(io.StringIO(call("formulas", "-w", three, "--csv", "-").well().out)))
    assert [(r["d"], r["D"], r["place_rank"], r["formularank"], r["probability"]) for r in rows] == [
        ("9", "2", "2", "1.0", ""), ("7", "3", "3", "", ""), ("5", "4", "1", "6.0", "0.7")
    ]  # fmt: skip
    assert [row["key"] for row in call("formulas", "-w", three, "--json", "--by", "rank").well().rows] == [
        "b",
        "a",
        "c",
    ]
    assert [row["place"]["D"] for row in call("export", "concepts", "-w", three).well().rows] == [1, 2, 3]
    assert call("formulas", "-w", three, "--csv", "no/such/folder.csv").code == 2


def test_duplicates_are_counted_by_their_tex_alone(tmp_path: Path) -> None:
    pages = tmp_path / "pages"
    pages.mkdir()
    for n, formulas in enumerate((("p=wr^{n}", "p=wr^{n}"), ("p = w r^{n}", "q=wr^n+s"), ("p=wr^n", "x=3"))):
        text = "\n".join(f"The '''wave law''' is\n:<math>{tex}</math>\nas known." for tex in formulas)
        (pages / f"Article {n}.txt").write_text(text, encoding="utf-8")
    call("discover", pages, "-w", tmp_path / "w").well()
    rows = call("formulas", "-w", tmp_path / "w", "--duplicates", "--json").well().rows
    found = {row["tex"].replace(" ", ""): (row["occurrences"], row["documents"], row["place"]["d"]) for row in rows}
    assert found == {"p=wr^{n}": (3, 2, 1), "p=wr^n": (1, 1, 2), "q=wr^n+s": (1, 1, 3)}
    assert len({row["key"] for row in rows if row["tex"].startswith("p")}) == 1, "they are one concept"
    said = call("formulas", "-w", tmp_path / "w", "--duplicates", "--json", "--min-documents", 2, "--min-length", 8)
    assert [row["occurrences"] for row in said.well().rows] == [3]
    keys = {row["tex"][0]: row["key"] for row in rows}
    with Workspace.open(tmp_path / "w") as w:
        table = store.concepts
        with w.engine.begin() as db:  # two concepts that were found to be one have the key of one of them
            db.execute(table.update().where(table.c.key == keys["p"]).values(key="merged"))
            db.execute(table.update().where(table.c.key == keys["q"]).values(representations=[]))
        again = {row["tex"][0]: row["key"] for row in ranked_duplicates(w)}
    assert again == {"p": "merged", "q": keys["q"]}, "by the spelling, else by the key"


@pytest.mark.parametrize(
    ("tex", "text"),
    [
        (r"H=\dot{a}/a", "H = ȧ/a"),
        (r"E=\frac{1}{2}mv^2", "E = ½mv²"),
        (r"\frac{\partial \rho}{\partial t}=-\nabla\cdot\mathbf{J}", "(∂ρ)/(∂t) = − ∇⋅𝐉"),
        (r"\sum_{i=1}^{n} x_{ij}=\sqrt[3]{a+b}", "∑ᵢ₌₁ⁿxᵢⱼ = ∛(a + b)"),
        (r"R_{\mu\nu}=e^{-x}", "R_(μν) = e^(−x)"),
        (r"\begin{align}a&=b\\c&=d\end{align}", "a = b; c = d"),
        (r"M=\begin{pmatrix}1&0\\0&1\end{pmatrix}", "M = ( 1, 0; 0, 1)"),
        (r"\bad{  x", r"\bad{ x"),
    ],
)
def test_a_formula_is_one_line_of_text(tex: str, text: str) -> None:
    assert plain_text(tex) == text
