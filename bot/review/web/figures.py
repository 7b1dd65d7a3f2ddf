"""The statistics as inline SVG: decisions by day, rejections by reason, precision by probability. No style, only classes."""

from collections.abc import Callable, Sequence
from datetime import date, timedelta

from markupsafe import Markup, escape

from bot.review.statistics import Band

_WIDTH = 520


def days(values: Sequence[tuple[str, int, int]], label: str, most: int = 28) -> Markup:
    """Return columns of approved and rejected for the last days; days without a decision are gaps."""
    known = {day: (approved, rejected) for day, approved, rejected in values}
    if not known:
        return Markup("")
    last = date.fromisoformat(max(known))
    first = max(date.fromisoformat(min(known)), last - timedelta(days=most - 1))
    first = min(first, last - timedelta(days=6))
    shown = [first + timedelta(days=n) for n in range((last - first).days + 1)]
    top = max(sum(known.get(day.isoformat(), (0, 0))) for day in shown) or 1
    width, height = min((_WIDTH - 20) / len(shown), 60), 150
    body = []
    for n, day in enumerate(shown):
        approved, rejected = known.get(day.isoformat(), (0, 0))
        x, tall = 10 + n * width, approved / top * height
        more = rejected / top * height
        if approved:
            body.append(_rect("good", x + 2, 22 + height - tall, width - 4, tall))
        if rejected:
            body.append(_rect("bad", x + 2, 22 + height - tall - more, width - 4, more))
        if approved + rejected:
            body.append(_label(x + width / 2, 16 + height - tall - more, str(approved + rejected), "number"))
        if (len(shown) - 1 - n) % max(2, len(shown) // 6) == 0:
            body.append(_label(x + width / 2, 44 + height, day.strftime("%m-%d")))
    body.append(f'<line x1="10" y1="{22 + height}" x2="{_WIDTH - 10}" y2="{22 + height}"/>')
    return _svg(label, height + 52, "".join(body))


def bars(values: Sequence[tuple[str, int]], label: str, name: Callable[[str], str]) -> Markup:
    """Return horizontal bars with their names and numbers."""
    if not values:
        return Markup("")
    top = max(number for _, number in values)
    body = []
    for n, (key, number) in enumerate(values):
        width = max(2.0, number / top * (_WIDTH - 60))
        body.append(_label(2, n * 46 + 17, name(key), anchor="start"))
        body.append(_rect("bar", 2, n * 46 + 24, width, 16))
        body.append(_label(10 + width, n * 46 + 38, str(number), "number", "start"))
    return _svg(label, len(values) * 46 + 6, "".join(body))


def precision(bands: Sequence[Band], label: str) -> Markup:
    """Return the precision in each band with its interval, against the line that a calibrated bot would follow."""
    if not any(band.judged for band in bands):
        return Markup("")
    left, bottom, wide, tall = 46, 190, _WIDTH - 66, 166

    def at(x: float, y: float) -> tuple[float, float]:
        return left + x * wide, bottom - y * tall

    body = [f'<line class="ideal" x1="{left}" y1="{bottom}" x2="{left + wide}" y2="{bottom - tall}"/>']
    for share in (0.0, 0.5, 1.0):
        x, y = at(share, share)
        body.append(_label(x, bottom + 20, f"{share:g}"))
        body.append(_label(left - 8, y + 5, f"{share:g}", anchor="end"))
    for band in bands:
        if band.precision is None:
            continue
        low, high = band.interval
        x, y = at((band.low + band.high) / 2, band.precision)
        body.append(
            f'<line class="whisker" x1="{x:.1f}" y1="{at(0, low)[1]:.1f}" x2="{x:.1f}" y2="{at(0, high)[1]:.1f}"/>'
        )
        body.append(f'<circle class="bar" cx="{x:.1f}" cy="{y:.1f}" r="5"/>')
        body.append(_label(x + 8, y - 6, str(band.judged), "number", "start"))
    body.append(f'<line x1="{left}" y1="{bottom}" x2="{left + wide}" y2="{bottom}"/>')
    body.append(f'<line x1="{left}" y1="{bottom}" x2="{left}" y2="{bottom - tall}"/>')
    return _svg(label, 220, "".join(body))


def _rect(name: str, x: float, y: float, width: float, height: float) -> str:
    return f'<rect class="{name}" x="{x:.1f}" y="{y:.1f}" width="{max(width, 1):.1f}" height="{height:.1f}" rx="2"/>'


def _label(x: float, y: float, text: str, name: str = "", anchor: str = "middle") -> str:
    kind = f' class="{name}"' if name else ""
    return f'<text{kind} x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(text)}</text>'


def _svg(label: str, height: float, body: str) -> Markup:
    return Markup(f'<svg viewBox="0 0 {_WIDTH} {height:.0f}" role="img" aria-label="{escape(label)}">{body}</svg>')
