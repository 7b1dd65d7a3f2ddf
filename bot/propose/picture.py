"""The run's numbers as two inline SVG pictures: the way from documents to proposals, and the probabilities."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from markupsafe import Markup, escape

_ROW, _LABEL, _WIDTH = 30, 104, 420
Say = Callable[..., str]  # key of a text of the page, with its values -> the text
_KINDS = ("new_claim", "add_reference", "flag")


def funnel(steps: Sequence[tuple[str, int]], say: Say) -> Markup:
    """Return bars on a logarithmic scale, one for each step (`page.step_<name>`); the numbers stand beside them."""
    steps = [(say(f"step_{name}"), number) for name, number in steps]
    top = max((n for _, n in steps), default=0)
    scale = (_WIDTH - _LABEL - 76) / math.log10(top + 1) if top else 0
    rows = []
    for i, (name, number) in enumerate(steps):
        y, width = i * _ROW, math.log10(number + 1) * scale
        rows.append(
            f'<text x="{_LABEL - 10}" y="{y + 20}" text-anchor="end">{escape(name)}</text>'
            f'<rect class="bar" x="{_LABEL}" y="{y + 5}" width="{max(width, 2):.1f}" height="{_ROW - 9}" rx="3"/>'
            f'<text class="number" x="{_LABEL + max(width, 2) + 8:.1f}" y="{y + 20}">{number:,}</text>'
        )
    said = ", ".join(f"{name} {number:,}" for name, number in steps)
    return _svg(f"{say('report_funnel')}: {said}", len(steps) * _ROW, "".join(rows))


def histogram(values: Sequence[tuple[float, str]], low: float, say: Say, bins: int = 10) -> Markup:
    """Return stacked columns of (probability, kind) between `low` and 1."""
    counts = [dict.fromkeys(_KINDS, 0) for _ in range(bins)]
    step = (1 - low) / bins if low < 1 else 1.0
    for value, kind in values:
        at = min(bins - 1, max(0, int((value - low) / step + 1e-9)))
        counts[at][kind] = counts[at].get(kind, 0) + 1
    tallest = max((sum(each.values()) for each in counts), default=0) or 1
    height, width = 132, (_WIDTH - 16) / bins
    columns = []
    for i, each in enumerate(counts):
        x, y = 8 + i * width, 20.0 + height
        for kind in _KINDS:
            tall = each[kind] / tallest * height
            y -= tall
            if tall:
                columns.append(
                    f'<rect class="{kind}" x="{x + 2:.1f}" y="{y:.1f}" width="{width - 4:.1f}" height="{tall:.1f}"/>'
                )
        if total := sum(each.values()):
            columns.append(
                f'<text class="number" x="{x + width / 2:.1f}" y="{y - 5:.1f}" text-anchor="middle">{total}</text>'
            )
    base = 20 + height
    marks = "".join(
        f'<text x="{8 + (mark - low) / (1 - low) * (_WIDTH - 16):.1f}" y="{base + 18}" text-anchor="{anchor}">{mark:.2f}</text>'
        for mark, anchor in ((low, "start"), ((low + 1) / 2, "middle"), (1.0, "end"))
        if low < 1
    )
    axis = f'<line x1="8" y1="{base}" x2="{_WIDTH - 8}" y2="{base}"/>'
    said = say("histogram_said", n=len(values), low=f"{low:.2f}", bins=bins)
    said += " " + ", ".join(str(sum(each.values())) for each in counts)
    return _svg(said, base + 26, "".join(columns) + axis + marks)


def reliability(bands: Sequence[tuple[float, float, int]], say: Say) -> Markup:
    """Return what was said against what was accepted, one dot for each (mean probability, share of accepted ones, judged).

    The larger the dot, the more were judged; on the diagonal the probabilities are right, below it they say too much.
    """
    left, top, side = 52, 26, 172
    most = max((judged for _, _, judged in bands), default=1)
    dots, marks = [], []
    for said, right, judged in bands:
        x, y, r = left + said * (_WIDTH - left - 16), top + (1 - right) * side, 3 + 6 * math.sqrt(judged / most)
        dots.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{r:.1f}"/>')
        dots.append(f'<text class="number" x="{x:.1f}" y="{y - r - 4:.1f}" text-anchor="middle">{judged}</text>')
    for mark in (0.0, 0.5, 1.0):
        x, y = left + mark * (_WIDTH - left - 16), top + (1 - mark) * side
        marks.append(f'<text x="{left - 8}" y="{y + 4:.1f}" text-anchor="end">{mark:.1f}</text>')
        marks.append(f'<text x="{x:.1f}" y="{top + side + 18}" text-anchor="middle">{mark:.1f}</text>')
    ends = (left, top + side, _WIDTH - 16, top)
    frame = f'<line x1="{left}" y1="{top}" x2="{left}" y2="{top + side}"/><line x1="{left}" y1="{top + side}" x2="{_WIDTH - 16}" y2="{top + side}"/>'
    diagonal = '<line class="honest" x1="{}" y1="{}" x2="{}" y2="{}"/>'.format(*ends)
    each = (
        say("reliability_said", said=f"{said:.2f}", right=f"{right:.2f}", judged=judged)
        for said, right, judged in bands
    )
    return _svg(
        f"{say('report_calibration')}: {'; '.join(each)}", top + side + 26, frame + diagonal + "".join((*marks, *dots))
    )


def _svg(said: str, height: float, body: str) -> Markup:
    return Markup(
        f'<svg viewBox="0 0 {_WIDTH} {height:.0f}" role="img" aria-label="{escape(said)}" '
        f'xmlns="http://www.w3.org/2000/svg">{body}</svg>'
    )
