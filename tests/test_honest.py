"""Where something is missing, the summaries and the report say what it is, and no proposal is made up in its place."""

from __future__ import annotations

import json
from collections.abc import Mapping
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from cli_runner import ITEMS, call, few_documents

NAMELESS = {
    "a.wiki": r"<math>\nabla \cdot E = \rho / \varepsilon_0</math>" + "\n\n<math>E = m c^2</math>\n",
    "b.wiki": r"<math>\nabla \cdot E = \rho / \varepsilon_0</math>" + "\n\n<math>F = m a</math>\n",
    "c.wiki": "<math>E = m c^2</math>\n\n<math>F = m a</math>\n\n<math>v = H_0 d</math>\n",
}
SHORT = {name: text.replace(r"\nabla \cdot E = \rho / \varepsilon_0", "p = q v") for name, text in NAMELESS.items()}
ONE = {
    "Energy.wiki": "The '''mass–energy equivalence''' is the equation\n\n:<math>E = m c^2</math>\n\nwhere <math>E</math> is the energy, "
    "<math>m</math> is the mass and <math>c</math> is the speed of light.\n"
}
POLISH = {
    "Prawo.wiki": "'''Prawo Hubble’a''' mówi, że prędkość galaktyk\n\n:<math>v = H_0 d</math>\n\ngdzie <math>v</math> jest prędkością, a "
    "<math>d</math> odległością.\n\n== Energia ==\nRównoważność masy i energii:\n\n:<math>E = m c^2</math>\n",
    "Zasada.wiki": "'''Druga zasada dynamiki''' to równanie\n\n:<math>F = m a</math>\n\noraz <math>E = m c^2</math> i prawo Hubble’a "
    "<math>v = H_0 d</math>, które mówi o prędkości galaktyk.\n",
}
JAPANESE = {
    "h.wiki": "'''ハッブルの法則'''は、銀河の後退速度が距離に比例するという法則である。\n\n:<math>v = H_0 d</math>\n\nここで<math>v</math>は速度、"
    "<math>d</math>は距離である。質量とエネルギーの等価性は\n\n:<math>E = m c^2</math>\n\nで表される。\n",
    "n.wiki": "'''運動の第2法則'''\n\n:<math>F = m a</math>\n\n質量とエネルギーの等価性は次のように表される <math>E = m c^2</math>。\n",
}
WORDS = {"a.wiki": "'''Energy''' is a quantity. There is no formula here at all.\n"}

Run = tuple[dict[str, str], str, list[dict[str, Any]]]


def _corpus(folder: Path, texts: Mapping[str, str]) -> Path:
    folder.mkdir()
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")
    return folder


def _items(folder: Path, *leave: str) -> Path:
    """Write the example items without some of their fields."""
    rows = [json.loads(line) for line in ITEMS.read_text(encoding="utf-8").splitlines()]
    path = folder / "items.jsonl"
    path.write_text("".join(json.dumps({k: v for k, v in r.items() if k not in leave}) + "\n" for r in rows), "utf-8")
    return path


def _run(folder: Path, corpus: Path, items: Path = ITEMS, *, formulas: bool = True) -> Run:
    """Run the three stages; return what each said on standard error, the report, and the proposals."""
    w = folder / "w"
    said = {
        "discover": call("discover", corpus, "--items", items, "-w", w).ended(0 if formulas else 1).err,
        "match": call("match", "--items", items, "-w", w).well().err,
        "propose": call("propose", "-w", w).well().err,
    }
    report = unescape((w / "reports" / "dry-run.html").read_text(encoding="utf-8"))
    return said, report, call("review", "list", "--json", "-w", w).well().rows


def _written(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the proposals that would write something as they are: a claim without a source waits until a person names one."""
    return [row for row in rows if row["kind"] != "flag" and row["references"]]


def test_a_corpus_without_a_name_leads_to_nothing_that_would_be_written(tmp_path: Path) -> None:
    said, report, rows = _run(tmp_path, _corpus(tmp_path / "c", NAMELESS))
    assert _written(rows) == []
    assert "Nothing would be written" in report or "There is nothing to propose" in report or not rows
    assert "Traceback" not in "".join(said.values())


def test_a_corpus_without_a_name_or_a_long_formula_has_no_concept_and_says_why(tmp_path: Path) -> None:
    said, report, rows = _run(tmp_path, _corpus(tmp_path / "c", SHORT))
    why = "No formula was kept as a concept (read: 7)"
    assert why in said["discover"]
    assert why in said["propose"]
    assert why in report
    assert "There is nothing to propose: the corpus gave no formula concept." in report
    assert rows == []


def test_a_single_document_is_named_as_that(tmp_path: Path) -> None:
    said, report, rows = _run(tmp_path, _corpus(tmp_path / "c", ONE))
    assert "The corpus is one document: no other one confirms what it says." in said["discover"]
    assert "The corpus is one document" in report
    assert {row["qid"] for row in rows} <= {"Q35875"}


@pytest.mark.parametrize(("texts", "told"), [(POLISH, "not declared"), (JAPANESE, "ja")], ids=["pl", "ja"])
def test_in_a_language_without_rules_sentences_give_no_name(
    tmp_path: Path, texts: Mapping[str, str], told: str
) -> None:
    said, report, rows = _run(tmp_path, _corpus(tmp_path / "c", texts))
    line = f"No rules for the language of 2 of 2 documents ({told} 2)"
    assert line in said["discover"]
    assert line in report
    names = {n["name"] for c in call("export", "concepts", "-w", tmp_path / "w").rows for n in c["names"]}
    assert not names & {"gdzie", "oraz", "które", "równanie", "ここで", "で表される", "は速度"}
    assert _written(rows) == []


def test_items_without_labels_give_what_their_formulas_give(tmp_path: Path) -> None:
    items = _items(tmp_path, "label", "aliases", "description")
    said, report, rows = _run(tmp_path, few_documents(tmp_path / "c"), items)
    assert "No item that was found has a label or alias" in said["match"]
    assert "No item that was found has a label or alias" in report
    assert [row for row in rows if row["kind"] == "new_claim"] == []


def test_items_without_formulas_are_found_by_name_and_that_is_said(tmp_path: Path) -> None:
    said, report, rows = _run(tmp_path, few_documents(tmp_path / "c"), _items(tmp_path, "formulas"))
    assert "No item of the wiki has a defining formula" in said["match"]
    assert "No item of the wiki has a defining formula" in report
    assert rows
    assert all(row["probability"] >= 0.2 for row in rows)


def test_items_that_are_nothing_but_a_number_lead_to_nothing(tmp_path: Path) -> None:
    items = _items(tmp_path, "label", "aliases", "description", "formulas", "instance_of", "sitelinks")
    said, report, rows = _run(tmp_path, few_documents(tmp_path / "c"), items)
    assert "No concept found an item" in said["match"]
    assert "There is nothing to propose: no concept found an item." in report
    assert rows == []


def test_a_corpus_without_formulas_says_so_at_every_stage(tmp_path: Path) -> None:
    said, report, rows = _run(tmp_path, _corpus(tmp_path / "c", WORDS), formulas=False)
    assert "No formula was found in 1 document: is this the right corpus?" in said["discover"]
    assert "No formula was found in 1 document" in said["propose"]
    assert "No formula was found in 1 document" in report
    assert rows == []


def test_an_empty_corpus_makes_no_workspace(tmp_path: Path) -> None:
    (tmp_path / "c").mkdir()
    call("discover", tmp_path / "c", "-w", tmp_path / "w").refused(tmp_path / "c", "is empty")
    call("match", "-w", tmp_path / "w").refused(tmp_path / "w", "is not a workspace")
    assert not (tmp_path / "w").exists()


def test_what_is_missing_is_in_the_json_too_and_nothing_where_all_is_there(tmp_path: Path) -> None:
    corpus = _corpus(tmp_path / "c", ONE)
    found = json.loads(call("discover", corpus, "-w", tmp_path / "w", "--json").well().out)
    assert found["missing"] == ["The corpus is one document: no other one confirms what it says."]
    full = json.loads(
        call("discover", few_documents(tmp_path / "few"), "--items", ITEMS, "-w", tmp_path / "full", "--json")
        .well()
        .out
    )
    assert full["missing"] == []
