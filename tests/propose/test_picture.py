"""The pictures of the report: where their marks stand, and what they say to who cannot see them."""

from __future__ import annotations

import re

from bot.match.model import shipped
from bot.propose.picture import reliability


def test_honest_probabilities_lie_on_the_diagonal_and_boasts_below_it() -> None:
    drawn = str(reliability([(0.2, 0.2, 5), (0.8, 0.8, 20), (0.9, 0.5, 10)]))
    line = [float(v) for v in re.findall(r'class="honest" x1="(.+?)" y1="(.+?)" x2="(.+?)" y2="(.+?)"', drawn)[0]]
    dots = [tuple(map(float, dot)) for dot in re.findall(r'<circle cx="(.+?)" cy="(.+?)" r="(.+?)"', drawn)]
    slope = (line[3] - line[1]) / (line[2] - line[0])
    above = [line[1] + slope * (x - line[0]) - y for x, y, _ in dots]
    assert abs(above[0]) < 0.2
    assert abs(above[1]) < 0.2
    assert above[2] < -10
    assert dots[0][2] < dots[2][2] < dots[1][2]
    assert "said 0.90, right 0.50 of 10" in drawn


def test_the_shipped_weights_say_how_they_held_out() -> None:
    bands = shipped("matching").reliability
    assert sum(judged for _, _, judged in bands) >= 50
    assert all(0 <= said <= 1 and 0 <= right <= 1 for said, right, _ in bands)
