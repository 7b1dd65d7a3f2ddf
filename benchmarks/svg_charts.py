"""Heat maps and line charts as small SVG text, without a plotting library."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape

import numpy as np
from numpy.typing import NDArray

LEVELS = 12
_LIGHT, _MIDDLE, _DARK = (247, 250, 253), (107, 174, 214), (8, 48, 107)
_LINES = ("#08519c", "#d95f0e", "#1b7837", "#762a83", "#666666")


@dataclass(frozen=True)
class Panel:
    """One square of a heat map: values, the names of equal groups of rows, and what the colours run between."""

    title: str
    values: NDArray[np.float64]
    names: Sequence[str]
    low: float = 0.0
    high: float = 1.0


def heat_maps(title: str, panels: Sequence[Panel], *, side: int = 400, numbers: bool = False) -> str:
    """Return an SVG with the panels side by side and one scale of colours each."""
    step = side + 110
    body = [part for n, panel in enumerate(panels) for part in _heat(panel, 60 + n * step, 66, side, numbers)]
    return _page(title, 60 + len(panels) * step - 20, side + 122, body)


def _heat(panel: Panel, x: int, y: int, side: int, numbers: bool) -> list[str]:
    size = len(panel.values)
    cell = side / size
    levels = _levels(panel)
    out = [f'<text x="{x}" y="{y - 12}" class="h">{escape(panel.title)}</text>']
    out.append(f'<g transform="translate({x} {y}) scale({cell:.6g})" shape-rendering="crispEdges">')
    out.append(f'<rect width="{size}" height="{size}" fill="{_colour(0)}"/><g transform="translate(0 .5)">')
    for level in range(1, LEVELS):
        runs = "".join(_runs(levels, level))
        if runs:
            out.append(f'<path stroke="{_colour(level / (LEVELS - 1))}" d="{runs}"/>')
    out.append("</g></g>")
    group = side / len(panel.names)
    for n, name in enumerate(panel.names):
        middle = (n + 0.5) * group
        out.append(f'<text x="{x - 6}" y="{y + middle + 4:.5g}" text-anchor="end">{escape(name)}</text>')
        out.append(f'<text x="{x + middle:.5g}" y="{y + side + 16}" text-anchor="middle">{escape(name)}</text>')
    if size > len(panel.names):
        lines = "".join(
            f"M{x + n * group:.5g} {y}v{side}M{x} {y + n * group:.5g}h{side}" for n in range(1, len(panel.names))
        )
        out.append(f'<path d="{lines}" stroke="#fff" stroke-width=".8" opacity=".8"/>')
    if numbers:
        out += _numbers(panel, levels, x, y, cell)
    return out + _scale(panel, x, y + side + 30, side)


def _levels(panel: Panel) -> NDArray[np.int64]:
    scaled = (panel.values - panel.low) / ((panel.high - panel.low) or 1)
    return np.asarray(np.clip(np.rint(scaled * (LEVELS - 1)), 0, LEVELS - 1), dtype=np.int64)


def _runs(levels: NDArray[np.int64], level: int) -> list[str]:
    """Neighbouring cells of one colour in a row are one stroke; steps are relative, which keeps the file small."""
    out: list[str] = []
    x, y = 0, 0
    for row, values in enumerate(levels):
        marked = np.flatnonzero(np.diff(np.concatenate(([0], values == level, [0]))))
        for start, end in zip(marked[::2].tolist(), marked[1::2].tolist(), strict=True):
            out.append(f"m{start - x} {row - y}h{end - start}")
            x, y = end, row
    return out


def _numbers(panel: Panel, levels: NDArray[np.int64], x: int, y: int, cell: float) -> list[str]:
    out = []
    for row, values in enumerate(panel.values):
        for column, value in enumerate(values):
            ink = "#fff" if levels[row, column] > LEVELS * 0.55 else "#222"
            text = f"{value:.2f}".removeprefix("0") or "0"
            out.append(
                f'<text x="{x + (column + 0.5) * cell:.5g}" y="{y + (row + 0.5) * cell + 4:.5g}" text-anchor="middle" fill="{ink}">{text}</text>'
            )
    return out


def _scale(panel: Panel, x: int, y: int, side: int) -> list[str]:
    width = side / 2 / LEVELS
    out = [
        f'<rect x="{x + n * width:.5g}" y="{y}" width="{width + 0.3:.5g}" height="9" fill="{_colour(n / (LEVELS - 1))}"/>'
        for n in range(LEVELS)
    ]
    out.append(
        f'<text x="{x}" y="{y + 22}">{panel.low:.2g}</text><text x="{x + side / 2:.5g}" y="{y + 22}" text-anchor="end">{panel.high:.2g}</text>'
    )
    return out


def _colour(share: float) -> str:
    start, end, way = (_LIGHT, _MIDDLE, share * 2) if share < 0.5 else (_MIDDLE, _DARK, share * 2 - 1)
    return "#" + "".join(f"{round(a + (b - a) * way):02x}" for a, b in zip(start, end, strict=True))


def line_charts(
    title: str,
    charts: Mapping[str, Mapping[str, Mapping[int, float]]],
    *,
    low: float,
    dashed: Sequence[str] = (),
    below: str = "classes",
) -> str:
    """Return an SVG with a chart for each name: {chart: {line: {x: y}}}, y from `low` to 1; one legend for all."""
    side, height = 400, 240
    names = list(dict.fromkeys(line for lines in charts.values() for line in lines))
    body: list[str] = []
    for n, (name, lines) in enumerate(charts.items()):
        body += _chart(
            name,
            {line: (names.index(line), points) for line, points in lines.items()},
            60 + n * (side + 60),
            66,
            side,
            height,
            low,
            dashed,
            below,
        )
    columns, step = (3, 300) if len(charts) > 1 else (2, 210)
    for n, line in enumerate(names):
        x, y = 60 + n % columns * step, height + 118 + n // columns * 20
        body.append(
            f'<path d="M{x} {y - 4}h24" {_stroke(n, line in dashed)}/><text x="{x + 30}" y="{y}">{escape(line)}</text>'
        )
    return _page(title, 60 + len(charts) * (side + 60), height + 132 + (len(names) - 1) // columns * 20, body)


def _chart(
    name: str,
    lines: Mapping[str, tuple[int, Mapping[int, float]]],
    x: int,
    y: int,
    width: int,
    height: int,
    low: float,
    dashed: Sequence[str],
    below: str,
) -> list[str]:
    xs = sorted({at for _, points in lines.values() for at in points})
    across = {at: x + 10 + n * (width - 20) / max(len(xs) - 1, 1) for n, at in enumerate(xs)}
    out = [f'<text x="{x}" y="{y - 12}" class="h">{escape(name)}</text>']
    for tick in np.arange(low, 1.001, 0.1):
        level = y + height * (1 - (tick - low) / (1 - low))
        out.append(
            f'<path d="M{x} {level:.5g}h{width}" stroke="#ddd"/><text x="{x - 6}" y="{level + 4:.5g}" text-anchor="end">{tick:.1f}</text>'
        )
    out += [
        f'<text x="{place:.5g}" y="{y + height + 16}" text-anchor="middle">{at}</text>' for at, place in across.items()
    ]
    out.append(f'<text x="{x + width / 2:.5g}" y="{y + height + 32}" text-anchor="middle">{escape(below)}</text>')
    for line, (number, points) in lines.items():
        path = "L".join(
            f"{across[at]:.5g} {y + height * (1 - (max(value, low) - low) / (1 - low)):.5g}"
            for at, value in sorted(points.items())
        )
        out.append(f'<path d="M{path}" {_stroke(number, line in dashed)}/>')
    return out


def growth_charts(title: str, charts: Mapping[str, Mapping[str, Mapping[float, float]]], *, below: str) -> str:
    """Return an SVG with a chart for each name: {chart: {line: {x: y}}}, both axes logarithmic; grey lines are linear growth."""
    side, height = 300, 240
    body: list[str] = []
    for n, (name, lines) in enumerate(charts.items()):
        body += _growth(name, lines, 62 + n * (side + 70), 66, side, height, below)
    body.append(f'<text x="62" y="{height + 132}">dashed: as much as the first size times the formulas</text>')
    return _page(title, 62 + len(charts) * (side + 70) - 40, height + 146, body)


def _growth(
    name: str, lines: Mapping[str, Mapping[float, float]], x: int, y: int, width: int, height: int, below: str
) -> list[str]:
    xs = sorted({at for points in lines.values() for at in points})
    ys = [max(value, 1e-3) for points in lines.values() for value in points.values()]
    left, right = np.log10(xs[0]) - 0.08, np.log10(xs[-1]) + 0.32
    bottom, top = np.floor(np.log10(min(ys))), np.ceil(np.log10(max(ys)) + 0.01)

    def place(at: float, value: float) -> tuple[float, float]:
        share = (np.log10(max(value, 1e-3)) - bottom) / (top - bottom)
        return x + width * (np.log10(at) - left) / (right - left), y + height * (1 - share)

    out = [f'<text x="{x}" y="{y - 12}" class="h">{escape(name)}</text>']
    for power in range(int(bottom), int(top) + 1):
        level = place(xs[0], 10.0**power)[1]
        out.append(f'<path d="M{x} {level:.5g}h{width}" stroke="#ddd"/>')
        out.append(f'<text x="{x - 6}" y="{level + 4:.5g}" text-anchor="end">{10.0**power:g}</text>')
    for at in xs:
        across = place(at, 1)[0]
        out.append(f'<text x="{across:.5g}" y="{y + height + 16}" text-anchor="middle">{at:,.0f}</text>')
    out.append(f'<text x="{x + width / 2:.5g}" y="{y + height + 34}" text-anchor="middle">{escape(below)}</text>')
    labels: list[tuple[float, str]] = []
    for number, (line, points) in enumerate(lines.items()):
        ends = sorted(points)
        first = points[ends[0]]
        far = min(ends[-1], ends[0] * 10.0**top / max(first, 1e-3))  # a dashed line ends at the frame
        linear = [place(ends[0], first), place(far, first * far / ends[0])]
        drawn = [place(at, points[at]) for at in ends]
        out.append(f'<path d="{_way(linear)}" fill="none" stroke="#bbb" stroke-dasharray="3 3"/>')
        out.append(f'<path d="{_way(drawn)}" {_stroke(number, False)}/>')
        out += [f'<circle cx="{a:.5g}" cy="{b:.5g}" r="3" fill="{_LINES[number]}"/>' for a, b in drawn]
        labels.append((drawn[-1][1] + 4, f'fill="{_LINES[number]}">{escape(line)}</text>'))
    lowest = 0.0
    for level, text in sorted(labels):
        lowest = max(level, lowest + 13)  # one below the other
        out.append(f'<text x="{place(xs[-1], 1)[0] + 8:.5g}" y="{lowest:.5g}" {text}')
    return out


def _way(points: Sequence[tuple[float, float]]) -> str:
    return "M" + "L".join(f"{a:.5g} {b:.5g}" for a, b in points)


def _stroke(number: int, dashed: bool) -> str:
    return f'fill="none" stroke="{_LINES[number % len(_LINES)]}" stroke-width="2"' + (
        ' stroke-dasharray="5 4"' if dashed else ""
    )


def _page(title: str, width: int, height: int, body: Sequence[str]) -> str:
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" role="img" font-family="sans-serif" font-size="11" fill="#222">'
        f"<title>{escape(title)}</title><style>.h{{font-size:13px;font-weight:bold}}</style>"
        f'<rect width="{width}" height="{height}" fill="#fff"/><text x="12" y="26" font-size="16" font-weight="bold">{escape(title)}</text>'
    )
    return head + "\n".join(body) + "</svg>\n"
