"""What a reviewer reads as a reason never counts as a doubt, whatever the fit would like."""

from __future__ import annotations

from bot.match.model import shipped


def test_fitted_weights_keep_the_sign_they_were_given_by_hand() -> None:
    by_hand, fitted = shipped("hand").weights, shipped("matching").weights
    assert fitted.keys() == by_hand.keys()
    assert [name for name, weight in by_hand.items() if weight * fitted[name] < 0] == []
