"""The statistics page: tables over the decisions, and as inline SVG decisions by day, rejections by reason, precision by probability."""

from collections.abc import Callable, Sequence
from datetime import date, timedelta
from pathlib import Path

from flask import Blueprint, g, render_template
from markupsafe import Markup

from bot.propose.card_pages import drawn_figure
from bot.propose.cards import with_escapes
from bot.review.decide import REASONS
from bot.review.statistics import Band, Statistics
from bot.review.statistics import statistics as measured
from bot.review.web.review_context import context
from bot.review.web.signin import Page
from bot.review.web.translation import language, translate

statistics = Blueprint("statistics", __name__)


@statistics.get("/statistics")
def page() -> Page:
    """Show the figures; who is not an operator sees no other person's."""
    found = figures_now()
    operator = context.role() == "operator"
    return render_template(
        "statistics.html",
        s=found,
        people=found.people if operator else own(found.people),
        attention=found.attention if operator else [row for row in found.attention if row[0] == g.who],
        by_day=days(found.days, translate("by_day")),
        by_reason=bars(found.reasons, translate("by_reason"), _reason),
        by_band=precision(found.bands, translate("by_band")),
    )


def _reason(code: str) -> str:
    return translate(f"reason_{code}") if code in REASONS else str(with_escapes(code))


def figures_now() -> Statistics:
    """Return the workspace's figures, at most some seconds old."""
    return context.counted("statistics", lambda: measured(context.workspace))


def own(people: tuple[tuple[str, int, int], ...]) -> list[tuple[str, int, int]]:
    """Return a person's own row, and everybody else in one."""
    own_rows = [row for row in people if row[0] == g.who]
    others = [row for row in people if row[0] != g.who]
    if not others:
        return own_rows
    return [*own_rows, (translate("other_people"), sum(r[1] for r in others), sum(r[2] for r in others))]


def _drawn(name: str, *values: object) -> Markup:
    return drawn_figure(
        name, *values, language=language(), folder=Path(__file__).with_name("templates"), template="figures.html"
    )


def days(values: Sequence[tuple[str, int, int]], label: str, most: int = 28) -> Markup:
    """Return columns of approved and rejected for the last days; days without a decision are gaps."""
    counts_of = {day: (approved, rejected) for day, approved, rejected in values}
    if not counts_of:
        return Markup("")
    last = date.fromisoformat(max(counts_of))
    first = max(date.fromisoformat(min(counts_of)), last - timedelta(days=most - 1))
    first = min(first, last - timedelta(days=6))
    dates = [first + timedelta(days=n) for n in range((last - first).days + 1)]
    columns = [(f"{day:%m-%d}", *counts_of.get(day.isoformat(), (0, 0))) for day in dates]
    top = max(approved + rejected for _, approved, rejected in columns) or 1
    return _drawn("days", label, columns, top, min(500 / len(dates), 60), max(2, len(dates) // 6))


def bars(values: Sequence[tuple[str, int]], label: str, name: Callable[[str], str]) -> Markup:
    """Return horizontal bars with their names and numbers."""
    if not values:
        return Markup("")
    return _drawn("bars", label, [(name(key), number) for key, number in values], max(n for _, n in values))


def precision(bands: Sequence[Band], label: str) -> Markup:
    """Return the precision in each band with its interval, against the line that a calibrated bot would follow."""
    if not any(band.judged for band in bands):
        return Markup("")
    shares = ((b, b.precision) for b in bands)
    rows = [((b.low + b.high) / 2, share, *b.interval, b.judged) for b, share in shares if share is not None]
    return _drawn("precision", label, rows)
