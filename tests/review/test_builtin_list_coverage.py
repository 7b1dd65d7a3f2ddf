"""The built-in list on the command line: whole, or with the documents of a workspace that hold each formula."""

from __future__ import annotations

from pathlib import Path

import pytest
from cli_runner import call

from bot.match.builtin import builtin_formulas

TEXTS = {
    "Energy": "The energy is\n:<math>mc^2 = E</math>\nof a body, and\n:<math>V_2 = 3 I_2 R_2</math>\nof a wire.\n",
    "Mass": "One has\n:<math>E=mc^{2}</math>\nand for the weak field\n:<math>E = 7 m c^2</math>\n",
    "Light": "Again\n:<math>E = mc^2</math>\n",
    "Matter": "And\n:<math>E = mc^2</math>\n",
    "Rest": "Nothing is said of\n:<math>A = \\frac{\\zeta^7}{\\xi - \\chi}</math>\n",
}


@pytest.fixture
def w(tmp_path: Path) -> Path:
    (tmp_path / "c").mkdir()
    for name, text in TEXTS.items():
        (tmp_path / "c" / f"{name}.txt").write_text(text, encoding="utf-8")
    call("discover", tmp_path / "c", "-w", tmp_path / "w", "--no-builtin").well()
    return tmp_path / "w"


def test_a_line_is_attested_by_the_documents_that_hold_its_formula(w: Path) -> None:
    rows = call("formulas", "--list", "--json", "-w", w).well().rows
    assert len(rows) == sum(len(entry.formulas) for entry in builtin_formulas().values())
    (energy,) = (row for row in rows if row["qid"] == "Q35875" and row["tex"] == "E = mc^2")
    assert energy == {
        "qid": "Q35875",
        "label": "mass–energy equivalence",
        "field": "relativity",
        "tex": "E = mc^2",
        "defines": True,
        "documents": 4,
        "first": ["c/Energy.txt", "c/Light.txt", "c/Mass.txt"],  # three of them
    }
    (ohm,) = (row for row in rows if row["qid"] == "Q41591" and row["tex"] == "V = I R")
    assert (ohm["documents"], ohm["first"]) == (0, [])
    assert all(not row["first"] for row in rows if not row["documents"])


def test_the_table_marks_nothing_that_no_document_holds(w: Path) -> None:
    table = call("formulas", "--list", "--top", 2, "-w", w).well().out
    lines = [line for line in table.splitlines() if line.startswith("Q")]
    first = next(iter(builtin_formulas().values()))
    assert len(lines) == 2
    assert all(line.startswith(first.qid) and not line.rstrip().endswith(("0", "]")) for line in lines)


def test_a_formula_that_does_not_define_its_concept_is_told(w: Path) -> None:
    rows = call("formulas", "--list", "--json").well().rows
    triangle = {row["tex"]: row["defines"] for row in rows if row["label"] == "equilateral triangle"}
    entry = next(entry for entry in builtin_formulas().values() if entry.label == "equilateral triangle")
    assert [tex for tex, defines in triangle.items() if defines] == [*entry.defining] != [*triangle]
    doubted = {row["tex"] for row in rows if row["label"] == "angular momentum" and row["defines"] is None}
    assert doubted == {
        *next(entry for entry in builtin_formulas().values() if entry.label == "angular momentum").doubtful
    }
    table = call("formulas", "--list", "--top", 60).well().out
    assert all(
        any(role in line for line in table.splitlines()) for role in ("defines it", "is about it", "may define it")
    )


def test_the_list_says_what_a_formula_is_in_the_language_of_the_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORMULA_BOT_LANGUAGE", "de")
    out = call("formulas", "--list", "--top", 2).well().out
    assert out.count("definiert es") == 2
    assert "defines it" not in out


def test_without_a_workspace_the_list_stands_alone_and_the_ranked_list_is_refused() -> None:
    rows = call("formulas", "--list", "--json", "--top", 3).well().rows
    assert [sorted(row) for row in rows] == [["defines", "field", "label", "qid", "tex"]] * 3
    call("formulas").refused("a workspace is needed")
    call("formulas", "--list", "--csv", "-").refused("is not written as CSV", "--json")
