"""What a context says of items that names alone do not: fields, special cases, words of labels, symbols; and what is made of it."""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from bot.match.retrieval.context import Context
from bot.match.retrieval.contextual import (
    CONTEXT_CALIBRATION,
    CONTEXT_FEATURE_NAMES,
    ContextualIndex,
    calibration_features_in_document,
    given_symbol,
)

LABELS = ("velocity", "tangential velocity", "wave equation", "energy", "the")
ROWS: Any = [{"qid": f"Q{n}", "label": label} for n, label in enumerate(LABELS)]
FORMULAS = {"Q0": ["v=at", "v=x/t", "u=2"], "Q3": ["E=mc^2"]}
SITUATION = ContextualIndex(ROWS, FORMULAS, {"Q0": "mechanics", "Q1": "mechanics", "Q2": "waves", "Q3": ""})


def context(**said: Any) -> Context:
    nothing: dict[str, Any] = {
        name: {} for name in ("title", "heading", "near", "before", "times", "length", "letters")
    }
    return Context(**(nothing | {"words": frozenset()} | said))


def brought(share: float) -> Any:
    return SimpleNamespace(score=math.log(share))


def test_a_field_has_its_share_of_all_that_is_named() -> None:
    found = SITUATION._topic(context(title={0: 1.0}, heading={2: 0.5}, times={1: 5.0, 3: 1.0}))
    # A title counts twice, an item that is named again and again twice; what has no field is left out.
    assert found == {"mechanics": 4.0 / 5.5, "waves": 0.5 / 5.5}
    assert SITUATION._topic(context()) == {}


def test_a_general_item_has_the_share_of_special_ones_that_are_not_named() -> None:
    by_item = {1: brought(0.3), 2: brought(0.5)}
    assert dict(SITUATION._kinds([0, 1, 2], by_item, context())) == {0: pytest.approx(0.3)}
    assert dict(SITUATION._kinds([1, 2], by_item, context())) == {}
    assert dict(SITUATION._kinds([0, 1, 2], by_item, context(title={1: 1.0}))) == {}


def test_words_of_a_label_count_by_how_rare_they_are() -> None:
    velocity, tangential = math.log(1 + 5 / 2), math.log(1 + 5 / 1)
    said = context(words=frozenset({"veloci"}))
    assert SITUATION._used(0, said) == 1.0
    assert SITUATION._used(1, said) == pytest.approx(velocity / (velocity + tangential))
    assert SITUATION._used(3, said) == 0.0
    assert SITUATION._used(4, context(words=frozenset({"the"}))) == 0.0  # its only word tells nothing


def test_an_item_has_usual_symbols_and_those_that_its_formulas_begin_with() -> None:
    usual, own = SITUATION._symbols_of(0)
    assert "v" in usual
    assert own == {"v": pytest.approx(2 / 3), "u": pytest.approx(1 / 3)}
    assert SITUATION._symbols_of(2)[1] == {}


def test_the_symbol_that_stands_alone_on_a_side() -> None:
    sides = {"v^2=2as": "v", r"\Delta p=mv": "p", "x(t)=vt": "x", "mv=p": "p", "a+b=c+d": "", "E": ""}
    assert {tex: given_symbol(tex) for tex in sides} == sides
    assert given_symbol("mv=p", alone=True) == ""


def test_numbers_become_evidence() -> None:
    numbers = np.zeros((2, len(CONTEXT_FEATURE_NAMES)))
    numbers[0, [CONTEXT_FEATURE_NAMES.index(name) for name in ("probability", "title", "share", "usual")]] = (
        0.8,
        0.5,
        0.25,
        1.0,
    )
    numbers[1, [CONTEXT_FEATURE_NAMES.index(name) for name in ("probability", "times")]] = (1.0, 0.1)
    one, other = (
        dict(zip(CONTEXT_CALIBRATION, row, strict=True))
        for row in calibration_features_in_document(numbers, np.array([0.5, 0.0]))
    )
    assert list(one.values())[:5] == pytest.approx([0.0, math.log(4) / 3, 0.5, 0.0, 1.0])
    assert list(other.values())[:5] == pytest.approx(
        [math.log(1e-4 / (1 - 1e-4)) / 3, math.log(0.998 / 0.002) / 3, 0.0, 0.0, 0.0]
    )
    assert list(one.values())[5] == 1.0
    assert (list(one.values())[-2], list(other.values())[-2]) == (0.0, 1.0)  # the formula alone does not bring it
