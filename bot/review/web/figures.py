"""The statistics as inline SVG: decisions by day, rejections by reason, precision by probability; `figures.html` draws them."""

from collections.abc import Callable, Sequence
from datetime import date, timedelta
from functools import partial
from pathlib import Path

from markupsafe import Markup

from bot.propose.card_pages import drawn_figure
from bot.review.statistics import Band

_drawn = partial(drawn_figure, folder=Path(__file__).with_name("templates"), template="figures.html")


def days(values: Sequence[tuple[str, int, int]], label: str, most: int = 28) -> Markup:
    """Return columns of approved and rejected for the last days; days without a decision are gaps."""
    known = {day: (approved, rejected) for day, approved, rejected in values}
    if not known:
        return Markup("")
    last = date.fromisoformat(max(known))
    first = max(date.fromisoformat(min(known)), last - timedelta(days=most - 1))
    first = min(first, last - timedelta(days=6))
    shown = [first + timedelta(days=n) for n in range((last - first).days + 1)]
    columns = [(f"{day:%m-%d}", *known.get(day.isoformat(), (0, 0))) for day in shown]
    top = max(approved + rejected for _, approved, rejected in columns) or 1
    return _drawn("days", label, columns, top, min(500 / len(shown), 60), max(2, len(shown) // 6))


def bars(values: Sequence[tuple[str, int]], label: str, name: Callable[[str], str]) -> Markup:
    """Return horizontal bars with their names and numbers."""
    if not values:
        return Markup("")
    return _drawn("bars", label, [(name(key), number) for key, number in values], max(n for _, n in values))


def precision(bands: Sequence[Band], label: str) -> Markup:
    """Return the precision in each band with its interval, against the line that a calibrated bot would follow."""
    if not any(band.judged for band in bands):
        return Markup("")
    known = ((b, b.precision) for b in bands)
    rows = [((b.low + b.high) / 2, share, *b.interval, b.judged) for b, share in known if share is not None]
    return _drawn("precision", label, rows)
