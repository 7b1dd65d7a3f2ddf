"""What a reviewer reads as a reason never counts as a doubt, whatever the fit would like."""

from __future__ import annotations

import pytest

from bot.match.model import shipped_model


@pytest.mark.parametrize("name", ["matching", "matching_without_list"])
def test_fitted_weights_keep_the_sign_they_were_given_by_hand(name: str) -> None:
    by_hand, fitted = shipped_model("hand").weights, shipped_model(name).weights
    assert fitted.keys() == by_hand.keys()
    assert [name for name, weight in fitted.items() if weight * by_hand[name] < 0] == []
