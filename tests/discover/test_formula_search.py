"""Search by formula: relatives with their relation, grouped by concept; noise is left out."""

from __future__ import annotations

from pathlib import Path

import pytest
from cli_runner import call

from bot.discover.formula_search import find_formula, is_formula
from bot.errors import InputError
from bot.store import Workspace

TEXTS = {
    "Spring": [r"F = -k x", r"U = \frac{1}{2} k x^2", r"E = \frac{1}{2} m v^2 + \frac{1}{2} k x^2"],
    "Gas": [r"p V = n R T", r"V = \frac{n R T}{p}", r"F = m a"],
    "Force": [r"F_{\text{net}} = m a", r"a = F/m", r"Q = C U", r"F = m a = m \ddot{x}"],
    "Photon": [r"E = \frac{h}{2\pi} \omega + p q", r"p q = E - \hbar \omega"],
}


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("search")
    for title, formulas in TEXTS.items():
        lines = [f"The '''{title} law''' states that\n:<math>{tex}</math>\nas is known.\n" for tex in formulas]
        (folder / f"{title}.txt").write_text("== Basics ==\n" + "\n".join(lines), encoding="utf-8")
    call("discover", *sorted(folder.glob("*.txt")), "-w", folder / "w").well()
    return folder / "w"


def found(w: Path, tex: str, top: int = 20) -> list[tuple[str, str, str]]:
    with Workspace.open(w) as opened:
        return [(hit["relation"], hit["level"], hit["tex"].replace(" ", "")) for hit in find_formula(opened, tex, top)]


def test_the_same_statement_is_found_in_other_letters_and_on_other_sides(corpus: Path) -> None:
    hits = found(corpus, "F = ma")
    assert hits[0] == ("identical", "K0", "F=ma")
    assert set(hits[1:]) == {
        ("notation", "K3", r"F_{\text{net}}=ma"), ("rearranged", "K4", "a=F/m"), ("contains", "", r"F=ma=m\ddot{x}")
    }  # fmt: skip
    assert found(corpus, "F = ma", top=2) == hits[:2]


def test_capitals_are_no_other_letters_and_other_short_formulas_are_not_alike(corpus: Path) -> None:
    assert set(found(corpus, "PV = nRT")) == {("renamed", "K5", "pV=nRT"), ("renamed", "K5", r"V=\frac{nRT}{p}")}
    assert {tex for _, _, tex in found(corpus, "Q = C U")} == {"Q=CU"}, "it has the shape of F = ma"


def test_of_one_relation_what_shares_a_key_comes_first(corpus: Path) -> None:
    hits = [("rearranged", "K4", r"pq=E-\hbar\omega"), ("rearranged", "", r"E=\frac{h}{2\pi}\omega+pq")]
    assert found(corpus, r"E = \hbar\omega + pq") == hits


def test_a_term_or_a_side_is_found_where_it_is_contained(corpus: Path) -> None:
    hits = found(corpus, r"\frac{1}{2}kx^{2}")
    assert {(relation, tex) for relation, _, tex in hits} == {
        ("contains", r"U=\frac{1}{2}kx^2"), ("contains", r"E=\frac{1}{2}mv^2+\frac{1}{2}kx^2")
    }  # fmt: skip


def test_nothing_like_it_is_said_and_what_cannot_be_read_is_one_line(corpus: Path) -> None:
    assert found(corpus, r"\nabla\cdot\mathbf{E} = \rho/\varepsilon_0") == []
    assert call("find", r"e^{i\pi} = -1", "-w", corpus).well().out == "the corpus has no similar formula\n"
    assert call("find", r"e^{i\pi} = -1", "--json", "-w", corpus).well().out == ""
    said = call("find", r"\frac{", "-w", corpus)
    assert (said.code, said.err.count("\n")) == (2, 1)
    with Workspace.open(corpus) as opened, pytest.raises(InputError, match="too short"):
        find_formula(opened, "x_1")


def test_a_hit_says_where_it_stands(corpus: Path) -> None:
    (first, *_) = call("find", "F=-kx", "--json", "-w", corpus).well().rows
    assert (first["title"], first["section"], first["relation"]) == ("Spring", "Basics", "identical")
    assert "Spring law" in first["sentence"]
    assert first["tex"] in first["sentence"]
    assert (first["occurrences"], first["documents"], first["name"]) == (1, 1, "Spring law")
    assert "F = −kx" in call("find", "F=-kx", "-w", corpus).well().out


@pytest.mark.parametrize(
    ("text", "formula"),
    [("E=mc^2", True), (r"\frac12 kx^2", True), ("a < b", True), ("Hubble's law", False), ("Q179916", False), ("C*-algebra", False)],
)  # fmt: skip
def test_a_formula_is_told_from_a_name(text: str, formula: bool) -> None:
    assert is_formula(text) is formula
