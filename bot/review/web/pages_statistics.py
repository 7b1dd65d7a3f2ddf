"""The statistics page: figures and tables over the decisions."""

from flask import Blueprint, g, render_template

from bot.propose.cards import with_escapes
from bot.review.decide import REASONS
from bot.review.statistics import Statistics
from bot.review.statistics import statistics as measured
from bot.review.web import figures
from bot.review.web.review_context import context
from bot.review.web.signin import Page
from bot.review.web.translation import translate

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
        by_day=figures.days(found.days, translate("by_day")),
        by_reason=figures.bars(found.reasons, translate("by_reason"), _reason),
        by_band=figures.precision(found.bands, translate("by_band")),
    )


def _reason(code: str) -> str:
    return translate(f"reason_{code}") if code in REASONS else str(with_escapes(code))


def figures_now() -> Statistics:
    """Return the workspace's figures, at most some seconds old."""
    return context.counted("statistics", lambda: measured(context.workspace))


def own(people: tuple[tuple[str, int, int], ...]) -> list[tuple[str, int, int]]:
    """Return a person's own row, and everybody else in one."""
    mine = [row for row in people if row[0] == g.who]
    others = [row for row in people if row[0] != g.who]
    if not others:
        return mine
    return [*mine, (translate("other_people"), sum(r[1] for r in others), sum(r[2] for r in others))]
