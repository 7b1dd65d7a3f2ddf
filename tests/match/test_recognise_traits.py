"""What the recogniser looks at: letters in their places, terms by what acts in them, which item is meant at all."""

from __future__ import annotations

import pytest

from bot.errors import FormulaError
from bot.formula.features.equation_terms import term_words
from bot.formula.features.structural import FEATURE_GROUPS, structural_features
from bot.formula.normal.stages import normal_forms
from bot.match.retrieval.feature_groups import ChannelIndex
from bot.match.retrieval.inverted_index import IndexedFormula
from bot.match.retrieval.ranking_features import RANKING_FEATURES, item_prior, ranking_features
from bot.match.retrieval.recognise import shipped_ranker


def channel(tex: str, name: str) -> frozenset[str]:
    return structural_features(tex)[FEATURE_GROUPS.index(name)]


def terms_of(tex: str) -> frozenset[str]:
    return term_words(normal_forms(tex).normal[0])


def test_moved_terms_and_factors_keep_their_places() -> None:
    assert channel(r"a \sin b = c \sin d", "placed") == channel(r"\frac{\sin b}{\sin d} = \frac{c}{a}", "placed")


def test_a_denominator_in_an_exponent_is_another_place() -> None:
    assert channel(r"y = e^{a/b}", "named") != channel(r"y = e^{ab}", "named")


def test_renaming_leaves_what_a_letter_binds() -> None:
    assert channel(r"\frac{m^k e^{-m}}{k!}", "bound") == channel(r"\frac{a^j e^{-a}}{j!}", "bound")


def test_variant_shapes_and_case_of_letters_fold() -> None:
    assert channel(r"\phi = \epsilon X", "folded") == channel(r"\varphi = \varepsilon x", "folded")


def test_terms_forget_the_name_of_the_unknown_and_the_constants() -> None:
    assert terms_of(r"w_t + w w_x = \nu w_{xx}") == terms_of(
        r"\frac{\partial y}{\partial t} + y\frac{\partial y}{\partial x} = 3d\frac{\partial^2 y}{\partial x^2}"
    )


def test_terms_tell_a_squared_unknown_from_a_constant() -> None:
    assert terms_of(r"\nabla^2 u + k u^2 = 0") != terms_of(r"\nabla^2 u + k^2 u = 0")


def test_a_formula_without_a_tree_has_no_traits() -> None:
    with pytest.raises(FormulaError):
        structural_features(r"\sum " * 50)


def test_an_index_answers_with_numbers_for_every_name() -> None:
    index = ChannelIndex(
        [IndexedFormula("Q1", "E=mc^2"), IndexedFormula("Q2", "F=ma"), IndexedFormula("Q3", r"\frac{")]
    )
    near = index.search_tex("E = m c^{2}")
    assert near is not None
    numbers = ranking_features([near], index.leaves[near.rows], index.leaves[near.rows][:, None] * [0, 0, 0, 0, 0])
    assert numbers.shape == (len(near.rows), len(RANKING_FEATURES))
    assert near.levels[0] in ("K0", "K1")


def test_a_query_like_nothing_has_no_shortlist() -> None:
    assert ChannelIndex([IndexedFormula("Q1", "E=mc^2")]).search_tex("7") is None
    assert ChannelIndex([]).search_tex("a=b") is None


def test_known_statements_stand_out() -> None:
    law, example = item_prior("Q100", "Foo's law", 9), item_prior("Q9000000", "use of foo", 0)
    assert all(a >= b for a, b in zip(law, example, strict=True))
    assert law != example


def test_the_shipped_weights_name_what_there_is() -> None:
    ranker = shipped_ranker()
    assert len(ranker.weights) == len(RANKING_FEATURES)
    assert ranker.weights.any()
    assert 0.5 < ranker.accept <= 1
