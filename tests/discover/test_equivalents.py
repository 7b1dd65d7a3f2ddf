"""Equivalents: keys, four encodings, judged neighbours, groups, FormulaRank."""

from __future__ import annotations

import math

import numpy as np
import pytest

from bot.discover.grouping import encodings
from bot.discover.grouping.encoding_names import ENCODINGS, FAST
from bot.discover.grouping.encodings import encode_formulas
from bot.discover.grouping.equivalents import Equivalents, FormulaInContext
from bot.discover.grouping.formularank import FormulaRank
from bot.discover.grouping.neighbours import Nearest
from bot.formula.alignment.equations import stated_equations
from bot.formula.alignment.equivalence_evidence import FEATURE_NAMES, NoPriorKnowledge
from bot.formula.alignment.templates import Templates

STATE = [r"p=w\rho", r"w=p_X/\rho_X", r"p=\alpha\rho", r"\sigma=p/\rho", r"P_M=\gamma\rho_M", r"p=\kappa\rho"]
OTHERS = [r"v=w\rho", r"p_\Lambda=-\rho_\Lambda", r"k=aH", r"H=\dot a/a", r"r=\rho_B/\rho_\gamma", r"\frac{", ""]
FORMULAS = [  # each in two documents: a letter of one paper shows no custom
    FormulaInContext(tex, f"{paper}{n}", ("dark", "energy") if n < len(STATE) else ("other",))
    for paper in "de"
    for n, tex in enumerate(STATE + OTHERS)
]
STATING = [n for n, formula in enumerate(FORMULAS) if formula.tex in STATE]


@pytest.fixture(scope="module")
def model() -> Equivalents:
    return Equivalents(encodings=FAST).fit(FORMULAS)


def test_a_group_holds_the_concept_and_nothing_else(model: Equivalents) -> None:
    assert model.group(0) == STATING
    assert model.group(STATE.index(r"\sigma=p/\rho")) == STATING


def test_what_has_no_tree_is_alone(model: Equivalents) -> None:
    row = len(STATE) + OTHERS.index(r"\frac{")
    assert model.group(row) == [row, row + len(STATE + OTHERS)]  # as it is written, in both documents


def test_neighbours_come_best_first_with_probability_and_level(model: Equivalents) -> None:
    found = model.neighbours(0)
    assert [n.probability for n in found] == sorted((n.probability for n in found), reverse=True)
    assert all(0 <= n.probability <= 1 and n.row != 0 for n in found)


@pytest.mark.parametrize("row", range(len(STATE)))
def test_rows_that_are_settled_are_left_out(model: Equivalents, row: int) -> None:
    other = STATE.index(r"p=\kappa\rho") if row != STATE.index(r"p=\kappa\rho") else 0
    for asked in (model.neighbours, model.likely_neighbours):
        every = [n.row for n in asked(row)]
        assert other in every
        assert [n.row for n in asked(row, {other})] == [n for n in every if n != other]


def test_a_place_with_many_letters_is_free() -> None:
    templates = Templates().fit((f.tex, f.document) for f in FORMULAS)
    counts = sorted(len(letters) for letters in templates.letters_.values())
    assert counts[-1] >= 5  # p = □ρ
    assert len(stated_equations(STATE[0])) == 1


@pytest.mark.parametrize("kind", ENCODINGS)
def test_each_encoding_has_a_row_for_each_formula_and_is_the_same_each_time(kind: str) -> None:
    tex, words = [f.tex for f in FORMULAS], [f.words for f in FORMULAS]
    first, second = (encode_formulas(kind, tex, words, seed=3) for _ in range(2))  # type: ignore[arg-type]
    dense = [np.asarray(rows.todense()) if hasattr(rows, "todense") else rows for rows in (first, second)]
    assert dense[0].shape[0] == len(FORMULAS)
    assert np.array_equal(dense[0], dense[1])


def test_a_formula_without_tokens_has_one_word_for_doc2vec(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[object] = []
    monkeypatch.setattr(encodings, "doc2vec_rows", lambda rows, seed: asked.append((rows, seed)))
    encode_formulas("math2vec", ["ab", ""], [["w"], ["w"]], seed=4)
    encode_formulas("semantics2vec", ["ab", "c"], [[], ["w", "v"]])
    assert asked == [([["a", "b"], ["…"]], 4), ([["…"], ["w", "v"]], 0)]


def test_the_nearest_are_others_and_ties_go_to_the_earlier_row() -> None:
    rows = np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 0.0]])
    near, cosines = Nearest(2).fit(rows).neighbours([3])
    assert near.tolist() == [[0, 1]]
    assert cosines.tolist() == [[1.0, 1.0]]
    assert Nearest(5).fit(rows[:1]).neighbours([0])[0].shape == (1, 0)


def test_formularank_lifts_what_has_many_neighbours() -> None:
    tex = [*STATE, r"\nabla\times E=-\partial_tB"]
    found = FormulaRank(k=3).fit(tex, [1] * len(tex))
    assert found.order_[-1] == len(STATE)
    assert found.centrality_.mean() == pytest.approx(1.0, abs=1e-6)


@pytest.mark.parametrize(
    ("k", "damping", "centrality"),
    [
        (1, 0.85, [2.3784, 0.15, 2.1716, 0.15, 0.15]),
        (3, 0.85, [1.5869, 1.3548, 1.4313, 0.15, 0.4769]),
        (3, 0.5, [1.3564, 1.2209, 1.2539, 0.5, 0.6688]),
    ],
)
def test_centrality_is_the_share_of_a_walk_along_the_nearest(k: int, damping: float, centrality: list[float]) -> None:
    tex = ["F=ma", "F=mg", "F=ma+b", r"\nabla\times E=-\partial_tB", "x"]
    found = FormulaRank(k, damping).fit(tex, [1, 2, 3, 1, 1])
    assert found.centrality_ == pytest.approx(centrality, abs=1e-3)
    assert found.score_ == pytest.approx(found.centrality_ * [1, 2, 3, 1, 1], abs=1e-6)


def test_formularank_of_nothing_and_of_one() -> None:
    nothing = FormulaRank().fit([], [])
    assert (nothing.score_.tolist(), nothing.centrality_.tolist()) == ([], [])
    assert FormulaRank().fit(["a=b"], [3]).score_.tolist() == [3.0]


def test_the_builtin_list_is_asked_only_where_a_letter_differs_and_little_else() -> None:
    asked: list[tuple[str, str]] = []

    class Asked(NoPriorKnowledge):
        def shared_concept_probability(self, a: str, b: str) -> float:
            asked.append((a, b))
            return 0.75

    tex = [r"p=w\rho", r"p=\alpha\rho", r"p_i=w_i\rho_i", r"q=\alpha\rho"]
    model = Equivalents(encodings=FAST, knowledge=Asked()).fit(FormulaInContext(t, "d", ()) for t in tex)
    said = [model.evidence(0, other) for other in range(1, len(tex))]
    assert asked == [(tex[0], tex[1])]
    column = FEATURE_NAMES.index("known")
    assert [float(each[column]) if each is not None else None for each in said] == [
        pytest.approx(math.log(3)),
        0.0,
        0.0,
    ]


@pytest.mark.parametrize(
    ("tex", "other", "level", "probability"),
    [
        (r"E^2=p^2c^2+m^2c^4+W", r"E=\sqrt{p^2c^2+m^2c^4+W}", "K5", 0.9),  # ten leaves on the shorter side
        (r"E^2=p^2c^2+m^2c^4", r"E=\sqrt{p^2c^2+m^2c^4}", "K5", 0.001),  # nine
        (r"E^2=p^2c^2+m^2c^4+abW", r"E=\sqrt{p^2c^2+m^2c^4+xyW}", "K5", 0.001),
        (r"E^2=p^2c^2+m^2c^4+abW", r"E=\sqrt{p^2c^2-m^2c^4+abW}", "", 0.001),
        (r"P=(a+b+c+d+e+f+g+h)/k", r"e^{kP}=e^{a+b+c+d+e+f+g+h}", "", 0.9),
        ("x+y", "y+x", "K1", 0.98),
        ("x+y", "2x+2y", "K4", 0.001),
        ("x+y", "x", "", 0.001),
        ("{" * 3000 + "a  b", "{" * 3000 + "a b", "K0", 0.98),  # without a tree
        ("{" * 3000, "{" * 3001, "", 0.001),
    ],
)
def test_what_cannot_be_laid_over_each_other_is_of_one_concept_by_keys_or_by_comparison(
    tex: str, other: str, level: str, probability: float
) -> None:
    model = Equivalents(encodings=FAST).fit([FormulaInContext(tex, "a"), FormulaInContext(other, "b")])
    for row in (0, 1):
        assert model.evidence(row, 1 - row) is None
        assert (model.level(row, 1 - row), model.probability(row, 1 - row)) == (level, probability)


@pytest.mark.parametrize("without", [set(), {1}, {1, 2, 5}, set(range(1, len(FORMULAS)))])
def test_what_is_left_out_is_no_neighbour(model: Equivalents, without: set[int]) -> None:
    every = {n.row for n in model.neighbours(0)}
    assert {n.row for n in model.neighbours(0, without)} == every - without
    assert {n.row for n in model.likely_neighbours(0, without)} == {*STATING[1:]} - without


class Judged(Equivalents):
    """The order of neighbours that are judged beforehand: row -> (probability, level, cosine)."""

    def __init__(self, told: dict[int, tuple[float, str, float]]) -> None:
        super().__init__()
        self.told = told

    def candidates(self, row: int) -> dict[int, float]:
        return {other: cosine for other, (_, _, cosine) in self.told.items()}

    def probability(self, row: int, other: int) -> float:
        return self.told[other][0]

    def level(self, row: int, other: int) -> str:
        return self.told[other][1]


def test_neighbours_come_by_probability_then_level_then_cosine_then_place() -> None:
    told = {
        9: (0.9, "", 0.1), 8: (0.8, "K2", 0.1), 7: (0.8, "K3", 0.9), 6: (0.8, "K3", 0.2), 4: (0.8, "", 0.5000001),
        5: (0.8, "", 0.5), 3: (0.8, "", 0.4), 2: (0.1, "K0", 1.0), 1: (0.80000004, "", 0.3), 0: (0.0, "", 0.0),
    }  # fmt: skip
    for rows in (told, reversed(told)):
        found = Judged({row: told[row] for row in rows}).neighbours(10, without={6})
        assert [n.row for n in found] == [9, 8, 7, 4, 5, 3, 1, 2, 0]
        assert (found[0].probability, found[0].level, found[0].cosine) == (0.9, "", 0.1)
        assert found[6].probability == 0.8
