"""A formula that differs from an item's as a near miss does is not accepted for it, whatever stands beside it."""

import math
from dataclasses import replace

import numpy as np
import pytest

from bot.match.retrieval.ranking_features import RANKING_FEATURES
from bot.match.retrieval.recognise import CALIBRATION, Recogniser, _vanishes, calibration_features, shipped_ranker

ITEMS = [
    {"qid": "Q35875", "label": "mass–energy equivalence", "aliases": ["E=mc²"], "formulas": ["E=mc^2"]},
    {"qid": "Q41591", "label": "Ohm's law", "aliases": [], "formulas": ["V = I R"]},
    {"qid": "Q2039117", "label": "Pythagorean identity", "aliases": [], "formulas": [r"\sin^2\theta+\cos^2\theta=1"]},
]


@pytest.fixture(scope="module")
def recogniser() -> Recogniser:
    return Recogniser(ITEMS, book={})


@pytest.mark.parametrize(
    ("tex", "qid", "why"),
    [
        ("E = mc^3", "Q35875", "differs from E=mc^2 by an exponent"),
        (r"\sin^2\theta - \cos^2\theta = 1", "Q2039117", r"differs from \sin^2\theta+\cos^2\theta=1 by a sign"),
        ("V = I + R", "Q41591", "differs from V = I R by an operation"),
    ],
)
def test_a_near_miss_is_found_and_not_accepted(recogniser, tex, qid, why):
    found = recogniser.answer({"tex": tex})
    first = found["hits"][0]
    assert (found["accepted"], first["qid"], first["differs"]) == (False, qid, why)
    assert first["probability"] <= 0.1


def test_what_is_rearranged_stays_accepted(recogniser):
    found = recogniser.answer({"tex": r"\frac{E}{m} = c^2"})
    assert "differs" not in found["hits"][0]
    assert found["hits"][0]["qid"] == "Q35875"


def test_words_do_not_carry_a_near_miss(recogniser):
    found = recogniser.answer({"tex": "V = I + R", "title": "Ohm's law"})
    assert (found["hits"][0]["qid"], found["accepted"]) == ("Q41591", False)
    assert recogniser.answer({"tex": "V = I R", "title": "Ohm's law"})["accepted"]


OPTION = {"qid": "Q1206935", "label": "Foreign-exchange option", "aliases": [], "formulas": [r"c = S_0 e^{-r_f T} N(d_1) - K e^{-r_d T} N(d_2)"]}  # fmt: skip


def test_what_the_list_knows_better_as_a_concept_that_is_no_item_is_not_accepted():
    wrong = (
        r"C = S_0 N(d_1) + K e^{-rT} N(d_2)"  # nearer to the formula of Black and Scholes, which is not among the items
    )
    assert Recogniser([OPTION], book={}).hits(wrong)[0].probability > 0.9
    assert Recogniser([OPTION]).hits(wrong)[0].probability < 0.5
    # An item without an entry of the list has what the concept of the list leaves
    assert Recogniser([OPTION | {"qid": "Q99999999", "label": "option of ours"}]).hits(wrong)[0].probability < 0.7
    same = OPTION["formulas"][0].replace("r_f", "q").replace("r_d", "r")
    assert Recogniser([OPTION]).answer({"tex": same})["accepted"]


def test_a_formula_of_the_item_is_accepted_though_the_list_has_another_name_for_it():
    named_otherwise = {
        "qid": "Q99999998",
        "label": "Kraftgesetz",
        "aliases": [],
        "formulas": [r"\mathbf{F} = m \mathbf{a}"],
    }
    assert Recogniser([named_otherwise]).answer({"tex": "F = ma"})["accepted"]


def test_entries_that_differ_in_spelling_alone_are_rivals():
    features = calibration_features(
        np.zeros((3, len(RANKING_FEATURES))), np.array([0.5, 0.4, 0.1]), ["K1", "K0", "K4"], np.full(3, 8), [0, 3]
    )
    assert features[:, CALIBRATION.index("rival")].tolist() == [1.0, 1.0, 1.0]


def test_a_spelling_gives_no_item_the_formula_of_a_law():
    star = {"qid": "Q504908", "label": "Hayashi track", "aliases": [], "formulas": [r"j^{\star }=\sigma T^{4}"]}
    law = {"qid": "Q704747", "label": "Stefan–Boltzmann law", "aliases": ["Stefan's law", "T4 law"], "formulas": [r"j^\star = \sigma T^4"]}  # fmt: skip
    hits = Recogniser([star, law], book={}).hits(r"j^{\star}=\sigma T^{4}")
    assert [(hit.qid, hit.level) for hit in hits] == [("Q704747", "K1"), ("Q504908", "K0")]


@pytest.mark.parametrize(
    ("other", "raised"),
    [
        (r"V = \frac{4}{3} \pi r^3", True),
        (r"m \Delta \mathbf{v} = \mathbf{F} \Delta t", False),
        (r"\mathbf{A} = b \frac{\Delta \mathbf{c}}{\Delta d}", True),
    ],
)
def test_what_is_one_formula_of_the_item_rearranged_is_surer_unless_another_item_has_it(other, raised):
    items = [
        {"qid": "Q837940", "label": "impulse", "aliases": ["change of momentum"], "formulas": [r"\mathbf{F} \Delta t = m \Delta \mathbf{v}"]},
        {"qid": "Q23392", "label": "other", "aliases": [], "formulas": [other]},
    ]  # fmt: skip
    ranker = shipped_ranker()
    even = replace(ranker, calibration=np.append(np.zeros(len(ranker.calibration) - 1), math.log(0.6 / 0.4)))
    first = Recogniser(items, even, book={}).hits(r"\vec{F} = m \frac{\Delta \vec{v}}{\Delta t}")[0]
    assert first.probability == pytest.approx(0.8 if raised else 0.6)


@pytest.mark.parametrize(
    ("tex", "known"),
    [
        (r"R_m R_n \subseteq R_{m n}", r"R_m R_n \subseteq R_{m+n}"),
        (r"Y_t = \sum_{j=0}^\infty b_j \varepsilon_{t+j} + \eta_t", r"Y_t = \sum_{j=0}^\infty b_j \varepsilon_{t-j} + \eta_t"),
        ("T_{ijk} = T_{jki}", "T_{ij} = T_{ji}"),
        (r"N \to \infty, V \to \infty, N V = K", r"N \to \infty, V \to \infty, \frac{N}{V} = K"),
    ],
)  # fmt: skip
def test_what_equals_an_item_without_scripts_or_conditions_alone_is_compared(tex, known):
    found = Recogniser([{"qid": "Q1", "label": "a law", "aliases": [], "formulas": [known]}], book={}).answer(
        {"tex": tex}
    )
    assert not found["accepted"]
    assert found["hits"][0]["differs"]


def test_a_shifted_recurrence_is_no_other_one():
    item = {"qid": "Q1", "label": "a law", "aliases": [], "formulas": ["F_{n+2} = F_{n+1} + F_n"]}
    (first,) = Recogniser([item], book={}).hits("F_n = F_{n-1} + F_{n-2}")
    assert first.differs is None


def test_behind_a_hit_that_differs_comes_what_equals_the_formula_in_other_letters():
    items = [
        {"qid": "Q1", "label": "left law", "aliases": [], "formulas": ["[x,[y,z]] = [[x,y],z] + [y,[x,z]]"]},
        {"qid": "Q2", "label": "right law", "aliases": [], "formulas": ["[[a,b],c] = [[a,c],b] + [a,[b,c]]"]},
    ]
    first, second = Recogniser(items, book={}).hits("[[x,y],z] = [[x,z],y] + [x,[y,z]]")
    assert (first.qid, first.differs) == ("Q2", None)
    assert second.differs is not None


def test_a_short_formula_in_other_letters_does_not_come_before_the_near_miss():
    items = [*ITEMS, {"qid": "Q9", "label": "volume of a box", "aliases": [], "formulas": ["V = a b^3"]}]
    first = Recogniser(items, book={}).hits("E = m c^3")[0]
    assert (first.qid, first.differs is None) == ("Q35875", False)


FIELDS = [
    {"qid": "Q1", "label": "vorticity", "aliases": [], "formulas": [r"\boldsymbol\omega = \nabla \times \mathbf{u}"]},
    {"qid": "Q2", "label": "orthonormal basis", "aliases": [], "formulas": [r"\langle e_i, e_j\rangle = \delta_{ij}"]},
    {"qid": "Q3", "label": "critical state", "aliases": [], "formulas": ["q = M p'", r"v = \Gamma - \lambda \ln p'"]},
    {"qid": "Q4", "label": "divergence-free field", "aliases": [], "formulas": [r"\nabla\cdot\mathbf{B} = 0"]},
    {"qid": "Q6", "label": "Catalan number", "aliases": [], "formulas": [r"C_{n+1} = \sum_{i=0}^n C_i C_{n-i}"]},
    {"qid": "Q5", "label": "relative frequency", "aliases": [], "formulas": [r"p_x(i) = \frac{n_i}{n}"]},
]


@pytest.mark.parametrize(
    ("tex", "qid", "accepted"),
    [
        (r"\boldsymbol\omega = \operatorname{rot} \mathbf{u}", "Q1", True),
        (r"\boldsymbol\omega = \operatorname{rot} \mathbf{u} = \mathbf{0}", "Q1", False),
        (r"\boldsymbol\omega = \nabla \times \mathbf{u}, \quad \dot s = 0", "Q1", True),
        (r"\boldsymbol\Omega = \nabla \times \mathbf{v}, \quad \dot s = 0", "Q1", True),
        (r"\nabla\cdot\mathbf{B} = \partial_i B_i = 0", "Q4", True),
        (r"K(S) = R(e_1, e_2, e_2, e_1), \quad S = \mathrm{span}\{e_1, e_2\},\ \langle e_i, e_j\rangle = \delta_{ij}", "Q2", False),
        (r"\langle e_i, e_j\rangle = \delta_{ij}, \quad S = \mathrm{span}\{e_1, e_2\}", "Q2", True),
        (r"C_0 = 1 \quad\text{and}\quad C_{n+1} = \sum_{i=0}^n C_i C_{n-i} \quad\text{for } n \ge 0", "Q6", True),
        (r"q = M p', \qquad v = \Gamma - \lambda \ln p'", "Q3", True),
        (r"p_x(i) = \frac{n_i}{n}, \quad 0 \le i < L", "Q5", True),
        (r"p_x(i) = \frac{n}{n_i}, \quad 0 \le i < L", "Q5", False),
    ],
)  # fmt: skip
def test_what_stands_beside_a_formula_or_is_said_to_vanish_is_not_what_it_states(tex, qid, accepted):
    found = Recogniser(FIELDS, book={}).answer({"tex": tex})
    assert (found["hits"][0]["qid"], found["accepted"]) == (qid, accepted)


@pytest.mark.parametrize(
    ("tex", "known", "vanishes"),
    [
        ("a = b = 0", "a = b", True),
        (r"a = b = \mathbf{0}.", "a = b", True),
        ("a = b = 0", "b = 0", False),
        ("a = 0", "a = b", False),
        ("a = b = 10", "a = b", False),
        (r"a = b = c, \quad d = 0", "a = b", False),
    ],
)
def test_a_chain_that_ends_in_zero_says_more_than_its_first_equation(tex, known, vanishes):
    assert _vanishes(tex, known) is vanishes


def test_with_other_labels_another_sign_may_be_another_direction():
    label = "Newton's law of universal gravitation"
    gravity = Recogniser([{"qid": "Q134465", "label": label, "aliases": [], "formulas": []}])
    tex = r"\vec{\mathbf{F}}_{12} = G\frac{m_{1}m_{2}}{r^{2}}\hat{\mathbf{r}}_{12}"
    assert gravity.answer({"tex": tex})["accepted"]
