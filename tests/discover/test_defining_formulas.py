"""The formula that defines what an article is about, chosen by readable clues; none where the article has none."""

from __future__ import annotations

import json
import sys
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from cli_runner import run_script

from bot.corpus.wikitext import article
from bot.discover.articles import DefiningFormula, defining_formula
from bot.discover.articles.clues import CLUES
from bot.discover.articles.selection import FIRST, ArticleModel, shipped_article_model
from bot.records import Document


def chosen(title: str, text: str, language: str = "en") -> DefiningFormula:
    return defining_formula(
        *article(text, Document("x", title, language, source="s", format="wikitext", kind="encyclopaedia"))
    )


def test_the_formula_that_the_title_says_is_taken_before_an_earlier_one() -> None:
    found = chosen(
        "Darcy's law",
        "== Background ==\n\nSuppose that a fluid of pressure\n: <math>p = \\rho g h</math>\nflows through sand.\n\n== Description ==\n\n"
        "Darcy's law states that\n: <math>q = -\\frac{k}{\\mu} \\nabla p</math>\nwhere <math>q</math> is the flux and <math>k</math> is the permeability.",
    )
    assert found.tex.startswith("q =")
    assert {"statement_section", "title_in_sentence"} <= {name for name, _ in found.reasons}


def test_the_article_s_own_symbol_is_on_the_left() -> None:
    found = chosen(
        "Angular acceleration",
        "The angular velocity ω is given by\n: <math>\\omega = \\frac{v}{r}</math>\n\n"
        "Therefore the angular acceleration α of a particle is given by\n: <math>\\alpha = \\frac{d\\omega}{dt}</math>",
    )
    assert found.tex.startswith(r"\alpha")
    assert "own_symbol" in [name for name, _ in found.reasons]


def test_an_example_is_passed_over() -> None:
    found = chosen(
        "Associative property",
        "'''Associativity''' is a property of operations. For example,\n: <math>(5+2)+1=5+(2+1)=8</math>\n\n== Definition ==\n\n"
        "Formally, the associative property of an operation is defined as\n: <math>(xy)z=x(yz)</math>",
    )
    assert found.tex == "(xy)z=x(yz)"


def test_a_mean_is_not_the_quantity_itself() -> None:
    found = chosen(
        "Velocity",
        "== Average velocity ==\nThe average velocity is\n: <math>\\bar{v} = \\frac{\\Delta x}{\\Delta t}</math>\n\n"
        "== Instantaneous velocity ==\nVelocity is defined as\n: <math>v = \\frac{dx}{dt}</math>\nwhere <math>v</math> is the velocity.",
    )
    assert found.tex.startswith("v =")


@pytest.mark.parametrize(
    ("language", "title", "text"),
    [
        ("de", "Ohmsches Gesetz", "Das '''ohmsche Gesetz''' lautet\n: <math>U = RI</math>\nmit der Spannung <math>U</math>."),
        ("fr", "Loi d'Ohm", "La '''loi d'Ohm''' s'écrit\n: <math>U = RI</math>\noù <math>U</math> est la tension."),
        ("es", "Ley de Ohm", "La '''ley de Ohm''' se expresa como\n: <math>U = RI</math>\ndonde <math>U</math> es la tensión."),
        ("it", "Legge di Ohm", "La '''legge di Ohm''' si esprime con\n: <math>U = RI</math>\ndove <math>U</math> è la tensione."),
    ],
)  # fmt: skip
def test_five_languages_are_read(language: str, title: str, text: str) -> None:
    found = chosen(title, text, language)
    assert found.tex == "U = RI"
    assert found.accepted


def test_an_article_that_uses_a_formula_in_passing_has_none() -> None:
    found = chosen(
        "Sun",
        "The '''Sun''' is a star.\n\n== Motion ==\n\nIf its orbit is nearly round, then <math>\\Omega_0 = A - B</math>.\n\n"
        "== Age ==\n\nSupposing <math>t = 4.6</math> billion years, it is middle-aged.",
    )
    assert not found.accepted


@pytest.mark.parametrize(
    "text", ["", "No formula here.", "A symbol <math>x</math>.", "<math>\\frac{</math>", "<math>=</math>"]
)
def test_where_there_is_no_formula_nothing_is_made_up(text: str) -> None:
    found = chosen("Nothing", text)
    assert (found.tex, found.accepted, found.reasons) == ("", False, ())


def test_a_formula_written_twice_counts_together() -> None:
    once = chosen("Force", "It is\n: <math>F = ma</math>\nor\n: <math>F = -kx</math>\n")
    twice = chosen("Force", "It is\n: <math>F = ma</math>\nor\n: <math>F=m a</math>\n")
    assert twice.probability > once.probability


TWO = "== Form ==\nThe growth is\n: <math>G = a b</math>\nand the growth is\n: <math>G = c + d^2</math>\n"


@pytest.mark.parametrize("listed", [r"G = a \cdot b", "G = c + d^2"])
def test_of_two_formulas_the_one_that_the_list_has_of_the_subject_is_taken_and_surer(listed: str) -> None:
    page = article(TWO, Document("x", "Growth", source="s", format="wikitext", kind="encyclopaedia"))
    unlisted, found = (defining_formula(*page, known) for known in ((), (listed,)))
    assert found.tex.replace(" ", "") == listed.replace(r"\cdot", "").replace(" ", "")
    assert found.probability > unlisted.probability + 0.2


def test_a_list_that_has_nothing_of_the_subject_speaks_against_its_having_a_formula() -> None:
    page = article(TWO, Document("x", "Growth", source="s", format="wikitext", kind="encyclopaedia"))
    assert defining_formula(*page, ()).probability < defining_formula(*page).probability


def _shipped(listed: bool) -> ArticleModel:
    return shipped_article_model(listed=listed)


def test_every_clue_has_a_weight_and_every_weight_a_clue() -> None:
    alone, listed = ({*model.choice, *model.accept} for model in map(_shipped, (False, True)))
    assert listed == {*CLUES, *(f"first_{name}" for name in FIRST), "share"}
    assert listed - alone == {"is_listed", "like_listed", "like_first_listed", "contains_listed"}
    assert not alone - listed
    assert set(CLUES) >= set(FIRST)
    data = json.loads(files("bot.discover.articles").joinpath("model.json").read_text())
    assert len(data["data"]) == 40  # the digest of what it was fitted on


def test_a_formula_is_right_as_a_string_or_by_its_key(tmp_path: Path) -> None:
    folder = tmp_path / "pages"
    folder.mkdir()
    force = "The '''force''' is the product\n: <math>F = m a.</math>\nwhere <math>m</math> is the mass.\n"
    (folder / "Force.wiki").write_text(force)
    (folder / "Iron.wiki").write_text("'''Iron''' is a material without formulas.\n")
    (folder / "Gold.wiki").write_text("#REDIRECT [[Iron]]\n")
    gold = [
        {"title": "Force", "has_defining_formula": True, "acceptable": ["F = m\\, a ,"], "doubtful": True},
        {"title": "Iron", "has_defining_formula": False, "acceptable": []},
    ]
    (tmp_path / "gold.jsonl").write_text("".join(json.dumps(row) + "\n" for row in gold))
    (tmp_path / "items.jsonl").write_text('{"qid": "Q1", "label": "force", "formulas": ["F = ma"]}\n')
    found = figures(tmp_path, folder, "--gold", tmp_path / "gold.jsonl", "--out", tmp_path / "out.jsonl")
    assert [found[n] for n in ("articles", "with_formula", "best", "first_equation_right")] == [2, 1, 1, 1]
    assert (found["strict_articles"], found["strict_best"]) == (1, 0)
    assert (found["items_articles"], found["items_best"]) == (1, 1.0)
    rows = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text().splitlines()]
    assert [(row["title"], row["tex"], row["accepted"]) for row in rows] == [
        ("Force", "F = m a", found["right"] == 1),
        ("Iron", "", False),
    ]
    assert all(row["seconds"] >= 0 for row in rows)


def figures(root: Path, *given: Any) -> dict[str, Any]:
    script = Path(__file__).resolve().parents[2] / "benchmarks/articles.py"
    call = [sys.executable, script, "--json", "--items", root / "items.jsonl", "--corpus", *given]
    found: dict[str, Any] = json.loads(run_script(call).stdout)
    return found
