"""The figures of the documents, drawn with matplotlib: heat maps, lines over a number, growth on logarithmic axes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import LogLocator
from numpy.typing import NDArray

MARKS = "o^sDvP"
FEW = 6  # names that stand side by side under a panel
MARKED = 20  # places on a line that get a mark and a number each
WIDTH = 8.0  # inches: 800 pixels at 100 dots an inch
matplotlib.rcParams.update(
    {
        "font.size": 9,
        "axes.titlesize": 10,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "figure.titlesize": 12,
        "figure.titleweight": "bold",
        "legend.frameon": False,
        "svg.hashsalt": "figures",  # the same figure is the same file
        "svg.fonttype": "none",
    }
)


@dataclass(frozen=True)
class Panel:
    """One square of a heat map: values, the names of equal groups of rows, and the range of its colours."""

    title: str
    values: NDArray[np.float64]
    names: Sequence[str]
    low: float = 0.0
    high: float = 1.0
    unit: str = ""  # where it is not that of the whole figure


def save(figure: Figure, path: str | Path) -> None:
    """Write a figure; its kind follows from the name's ending (svg, png, pdf)."""
    figure.savefig(path, metadata={"Date": None} if str(path).endswith(".svg") else None)


def heat_maps(
    title: str,
    panels: Sequence[Panel],
    *,
    unit: str,
    axis: str = "class",
    numbers: bool = False,
    columns: int = 0,
) -> Figure:
    """Return the panels side by side (or in so many columns), each with its scale of colours; `unit` says what the colours mean. A panel without names has no ticks."""
    columns = columns or len(panels)
    # One scale of colours for all panels that share it, else one below each.
    shared = len({(panel.low, panel.high, panel.unit) for panel in panels}) == 1
    rows = -(-len(panels) // columns)
    figure, every = _figure(title, columns, WIDTH / columns + (0.3 if shared and rows > 1 else 0.7), rows)
    for axes, panel in zip(every, panels, strict=True):
        size, groups = len(panel.values), len(panel.names)
        drawn = axes.imshow(panel.values, cmap="Blues", vmin=panel.low, vmax=panel.high, interpolation="nearest")
        middles = (np.arange(groups) + 0.5) * size / max(groups, 1) - 0.5
        axes.set_xticks(middles, panel.names, rotation=45 if groups > FEW else 0)
        axes.set_yticks(middles, panel.names)
        axes.tick_params(length=0)
        axes.set(title=panel.title, xlabel=axis, ylabel=axis)
        if groups and size > groups:
            for edge in np.arange(1, groups) * size / groups - 0.5:
                axes.axhline(edge, color="white", linewidth=0.6)
                axes.axvline(edge, color="white", linewidth=0.6)
        for (row, column), value in np.ndenumerate(panel.values) if numbers else ():
            text = f"{value:.2f}".removeprefix("0")
            axes.text(column, row, text, ha="center", va="center", fontsize=7, color=_readable(drawn.to_rgba(value)))
        if not shared:
            figure.colorbar(drawn, ax=axes, orientation="horizontal", shrink=0.8, label=panel.unit or unit)
    if shared:
        figure.colorbar(drawn, ax=every, orientation="horizontal", shrink=0.5, aspect=40, label=panels[0].unit or unit)
    return figure


def _readable(colour: Sequence[float]) -> str:
    """Return the colour of a text on this colour: what has more contrast (WCAG 2, relative luminance)."""
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in colour[:3]]
    luminance = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    return "white" if 1.05 / (luminance + 0.05) > (luminance + 0.05) / 0.05 else "black"


def scatter_plots(title: str, planes: Mapping[str, tuple[NDArray[np.float64], Sequence[str], Sequence[int]]]) -> Figure:
    """Return a chart for each name: {chart: (points, class of each, cluster of each)}; the mark says the class, the colour its cluster's commonest class."""
    columns = min(len(planes), 2)
    figure, every = _figure(title, columns, 3.6, -(-len(planes) // columns))
    classes = list(dict.fromkeys(name for _, names, _ in planes.values() for name in names))
    for axes, (name, (points, names, clusters)) in zip(every, planes.items(), strict=True):
        members = {c: Counter(n for n, of in zip(names, clusters, strict=True) if of == c) for c in sorted(set(clusters))}  # fmt: skip
        commonest = {cluster: max(classes, key=lambda each, own=own: own[each]) for cluster, own in members.items()}
        for kind, mark in zip(classes, MARKS, strict=False):
            for cluster, of in commonest.items():
                own = np.array([n == kind and c == cluster for n, c in zip(names, clusters, strict=True)])
                edge = "none" if of == kind else "black"
                axes.scatter(*points[own].T, marker=mark, color=f"C{classes.index(of)}", s=30, alpha=0.8, edgecolors=edge)  # fmt: skip
        axes.set(title=name, xlabel="first component", ylabel="second component")
        axes.set_aspect("equal", adjustable="datalim")
        axes.locator_params(nbins=6)
    marks = [Line2D([], [], marker=mark, color=f"C{n}", linestyle="") for n, mark in zip(range(len(classes)), MARKS, strict=False)]  # fmt: skip
    figure.legend(marks, classes, loc="outside lower center", ncols=len(classes), title="mark: class; colour: commonest class of its k-means cluster (outlined where another)")  # fmt: skip
    return figure


def line_charts(
    title: str,
    charts: Mapping[str, Mapping[str, Mapping[int, float]]],
    *,
    low: float,
    below: str,
    left: str,
    dashed: Sequence[str] = (),
) -> Figure:
    """Return a chart for each name: {chart: {line: {x: y}}}, y from `low` to 1; one legend for all. Few places are marked, many are not."""
    figure, every = _figure(title, len(charts), 4.4)
    for axes, (name, lines) in zip(every, charts.items(), strict=True):
        places = sorted({x for points in lines.values() for x in points})
        few = len(places) <= MARKED
        for line, points in lines.items():
            axes.plot(
                *_sorted(points), "--" if line in dashed else "-", marker="o" if few else "", markersize=3, label=line
            )
        axes.set(title=name, xlabel=below, ylabel=left, ylim=(low, 1.01))
        if few:
            axes.set_xticks(places)
        axes.grid(axis="y", color="0.85")
    handles = {label: line for axes in every for line, label in zip(*axes.get_legend_handles_labels(), strict=True)}
    figure.legend(handles.values(), handles, loc="outside lower center", ncols=2 if len(charts) == 1 else 3)
    return figure


def growth_charts(title: str, charts: Mapping[str, Mapping[str, Mapping[float, float]]], *, below: str) -> Figure:
    """Return a chart for each name: {chart: {line: {x: y}}}, both axes logarithmic; grey lines are linear growth."""
    figure, every = _figure(title, len(charts), 4.0)
    for axes, (name, lines) in zip(every, charts.items(), strict=True):
        for line, points in lines.items():
            xs, ys = _sorted({x: max(y, 1e-3) for x, y in points.items()})
            axes.loglog(xs, ys, marker="o", markersize=4, label=line)
        lowest, highest = axes.get_ylim()
        for points in lines.values():
            xs, ys = _sorted(points)
            proportional = [max(ys[0], 1e-3) * x / xs[0] for x in xs]
            grey = axes.loglog(xs, proportional, "--", color="0.6", linewidth=0.8, zorder=1)
        axes.set_ylim(lowest, highest * 3)  # room for the legend
        axes.set_xticks(xs, [f"{x:,.0f}" for x in xs])
        axes.set(xlabel=below, ylabel=name)
        axes.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        axes.yaxis.set_major_formatter("{x:g}")
        axes.minorticks_off()
        axes.grid(axis="y", color="0.9")
        axes.legend(fontsize=8)
    figure.legend(grey, ["growth in proportion to the formulas"], loc="outside lower left")
    return figure


def _figure(title: str, columns: int, height: float, rows: int = 1) -> tuple[Figure, list[Axes]]:
    figure = Figure(figsize=(WIDTH if columns > 1 else WIDTH * 0.75, height * rows), layout="constrained")
    figure.get_layout_engine().set(h_pad=0.08, w_pad=0.06)  # type: ignore[union-attr]
    figure.suptitle(title)
    return figure, list(figure.subplots(rows, columns, squeeze=False).flat)


def _sorted(points: Mapping[float, float]) -> tuple[list[float], list[float]]:
    xs = sorted(points)
    return xs, [points[x] for x in xs]
