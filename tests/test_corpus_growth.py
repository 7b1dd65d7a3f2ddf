"""The growth benchmark makes copies whose formulas and names are new, and measures each size in a process of its own."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest
from cli_runner import CORPUS
from forked import run_anew

from bot.formula import keys

BENCHMARKS = Path(__file__).resolve().parents[1] / "benchmarks"
sys.path.insert(0, str(BENCHMARKS))

import corpus_growth  # noqa: E402

COMMON = frozenset("the where equation".split())


def test_letters_are_renamed_by_a_permutation_that_leaves_commands_and_words() -> None:
    letters = corpus_growth.renaming(3)
    assert sorted(letters) == sorted(letters.values())
    tex = corpus_growth.renamed(r"\frac{\alpha}{a} = a \sin(b) \text{ if } \mathrm{Re}", letters)
    a, b, alpha = letters["a"], letters["b"], letters["alpha"]
    assert tex == rf"\frac{{\{alpha}}}{{{a}}} = {a} \sin({b}) \text{{ if }} \mathrm{{Re}}"


@pytest.mark.parametrize("copy", [1, 2, 15])
def test_a_copy_has_new_formulas_of_the_same_form(copy: int) -> None:
    letters = corpus_growth.renaming(copy)
    for tex in (r"v = \frac{h}{t} + g t", r"\rho = \frac{m}{V}", "E = m c^2"):
        new = corpus_growth.renamed(tex, letters)
        assert keys(new).at("K2") != keys(tex).at("K2")
    tex = r"s = v t + \frac{1}{2} a t^2"
    assert keys(corpus_growth.renamed(tex, letters)).at("K5") == keys(tex).at("K5")


def test_a_copy_has_names_of_its_own_and_the_first_is_the_document_itself() -> None:
    text = "The '''Hooke equation''' is <math>F = k x</math> where the stiffness is {{math|k}}."
    assert corpus_growth.altered(text, "wikitext", 0, COMMON) == text
    one, other = (corpus_growth.altered(text, "wikitext", copy, COMMON) for copy in (1, 2))
    assert "'''Bahooke equation'''" in one
    assert "bastiffness" in one
    assert "'''Behooke equation'''" in other
    assert len({text, one, other}) == 3


def test_syllables_are_distinct() -> None:
    assert corpus_growth.syllable(0) == ""
    assert len({corpus_growth.syllable(n) for n in range(200)}) == 200


def test_exponents_are_slopes_in_log_log() -> None:
    assert corpus_growth.exponent({1: 3, 4: 12, 16: 48}) == pytest.approx(1)
    assert corpus_growth.exponent({1: 1, 4: 16}) == pytest.approx(2)


@pytest.mark.skipif(not os.environ.get("FORMULA_BOT_LONG"), reason="measures three sizes; FORMULA_BOT_LONG=1")
def test_it_measures_discover_and_draws(tmp_path: Path) -> None:
    command = [sys.executable, BENCHMARKS / "corpus_growth.py", "--corpus", CORPUS / "wikitext", "--times", "1", "2"]
    more = ["--figure", tmp_path / "f.svg", "--json"]
    said = run_anew([*command, *more], timeout=120)
    found = json.loads(said.stdout)
    one, two = found["sizes"]
    assert two["documents"] == 2 * one["documents"]
    assert two["formulas"] == 2 * one["formulas"]
    assert two["concepts"] > 1.5 * one["concepts"]
    assert one["discover_cpu_s"] > 0
    assert one["discover_mb"] >= one["discover_parent_mb"] > 10
    assert set(found["exponents"]) >= {"discover_s", "discover_mb", "disk_mb"}
    ElementTree.fromstring((tmp_path / "f.svg").read_text(encoding="utf-8"))
