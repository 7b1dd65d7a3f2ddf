"""The pictures of the report: where their marks stand, and what they say to who cannot see them."""

from __future__ import annotations

import re

from bot.match.model import shipped_model
from bot.propose.dry_run import funnel, histogram, reliability


def test_right_probabilities_lie_on_the_diagonal_and_too_high_ones_below_it() -> None:
    drawn = str(reliability([(0.2, 0.2, 5), (0.8, 0.8, 20), (0.9, 0.5, 10)]))
    line = [float(v) for v in re.findall(r'class="honest" x1="(.+?)" y1="(.+?)" x2="(.+?)" y2="(.+?)"', drawn)[0]]
    dots = [tuple(map(float, dot)) for dot in re.findall(r'<circle cx="(.+?)" cy="(.+?)" r="(.+?)"', drawn)]
    slope = (line[3] - line[1]) / (line[2] - line[0])
    above = [line[1] + slope * (x - line[0]) - y for x, y, _ in dots]
    assert abs(above[0]) < 0.2
    assert abs(above[1]) < 0.2
    assert above[2] < -10
    assert dots[0][2] < dots[2][2] < dots[1][2]
    assert "said 0.90, accepted 0.50 of 10" in drawn


def test_the_shipped_weights_say_how_they_held_out() -> None:
    bands = shipped_model("matching").reliability
    assert sum(judged for _, _, judged in bands) >= 50
    assert all(0 <= said <= 1 and 0 <= right <= 1 for said, right, _ in bands)


def rects(svg: str, name: str) -> list[tuple[float, ...]]:
    found = re.findall(rf'<rect class="{name}" x="([\d.]+)" y="([\d.]+)" width="([\d.]+)" height="([\d.]+)"', svg)
    return [tuple(map(float, each)) for each in found]


def test_funnel_is_logarithmic_with_the_longest_bar_over_the_whole_width() -> None:
    svg = str(funnel([("documents", 999), ("formulas", 9), ("named", 0)]))
    assert rects(svg, "bar") == [(104, 5, 240, 21), (104, 35, 80, 21), (104, 65, 2, 21)]
    assert 'viewBox="0 0 420 90"' in svg
    assert '<text x="94" y="20" text-anchor="end">documents</text>' in svg
    assert '<text class="number" x="352.0" y="20">999</text>' in svg
    assert '<text class="number" x="114.0" y="80">0</text>' in svg
    assert 'aria-label="From documents to proposals: documents 999, formulas 9, named 0"' in svg
    assert rects(str(funnel([("named", 0)])), "bar") == [(104, 5, 2, 21)]
    assert rects(str(funnel([("named", 1)])), "bar") == [(104, 5, 240, 21)]
    assert rects(str(funnel([])), "bar") == []


def columns(svg: str) -> list[int]:
    said = re.search(r"steps: ([\d, ]+)", svg)
    assert said
    return [int(n) for n in said[1].split(",")]


def test_histogram_puts_each_probability_into_its_column() -> None:
    values = [(p, "new_claim") for p in (0.0, 0.5, 0.5499, 0.55, 0.6, 0.95, 1.0)]
    svg = str(histogram(values, 0.5))
    assert columns(svg) == [3, 1, 1, 0, 0, 0, 0, 0, 0, 2]
    assert "7 proposals by probability, from 0.50 to 1.00 in 10 steps" in svg
    assert rects(svg, "new_claim")[0] == (10, 20, 36.4, 132)
    assert rects(svg, "new_claim")[1] == (50.4, 108, 36.4, 44)
    assert '<text class="number" x="28.2" y="15.0" text-anchor="middle">3</text>' in svg
    marks = re.findall(r'x="([\d.]+)" y="170" text-anchor="(\w+)">([\d.]+)<', svg)
    assert marks == [("8.0", "start", "0.50"), ("210.0", "middle", "0.75"), ("412.0", "end", "1.00")]
    assert '<line x1="8" y1="152" x2="412" y2="152"/>' in svg
    assert 'viewBox="0 0 420 178"' in svg


def test_histogram_stacks_kinds_and_knows_empty_ones() -> None:
    svg = str(histogram([(0.9, "new_claim"), (0.9, "flag"), (0.9, "flag"), (0.1, "add_reference")], 0.0, bins=2))
    assert columns(svg) == [1, 3]
    assert rects(svg, "new_claim") == [(212, 108, 198, 44)]
    assert rects(svg, "flag") == [(212, 20, 198, 88)]
    assert rects(svg, "add_reference") == [(10, 108, 198, 44)]
    assert columns(str(histogram([], 0.5, bins=3))) == [0, 0, 0]
    assert "text-anchor" not in str(histogram([], 1.0, bins=3))


def test_reliability_has_its_marks_on_the_axes() -> None:
    svg = str(reliability([(0.5, 1.0, 4), (1.0, 0.0, 1)]))
    assert '<circle cx="228.0" cy="26.0" r="9.0"/>' in svg
    assert '<circle cx="404.0" cy="198.0" r="6.0"/>' in svg
    assert '<text class="number" x="228.0" y="13.0" text-anchor="middle">4</text>' in svg
    for mark in (
        'x="44" y="202.0" text-anchor="end">0.0<',
        'x="44" y="30.0" text-anchor="end">1.0<',
        'x="228.0" y="216" text-anchor="middle">0.5<',
    ):
        assert mark in svg
    assert '<line x1="52" y1="26" x2="52" y2="198"/><line x1="52" y1="198" x2="404" y2="198"/>' in svg
    assert 'viewBox="0 0 420 224"' in svg
