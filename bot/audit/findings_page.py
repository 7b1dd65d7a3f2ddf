"""One self-contained HTML page of findings, with charts over time: formulas as MathML, no script, readable on a telephone and on paper."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

import sqlalchemy as sa
from markupsafe import Markup

from bot import store
from bot.audit.edit_states import survival
from bot.audit.known_findings import needs_attention, number_with_severity
from bot.audit.query_answers import last_coverage
from bot.audit.survey import is_audit_note
from bot.claim_outcomes import NEGATIVE_VERDICTS, claim_outcomes, wilson_interval
from bot.messages import Message, numeral, sentence
from bot.records import Finding
from bot.settings import Wiki
from bot.store import Workspace, now

if TYPE_CHECKING:
    from jinja2 import Environment

RUNS = 60  # chosen: two months of nights
FIELDS = 12  # chosen: the largest ones
OPEN_ROWS = 25  # chosen: new findings of one audit that are shown at once; the others open on a click
FEW_ROWS = 3  # the same where there are more than MANY new ones in all
MANY = 50
PAGE = 50  # findings that open on one click
ROWS = 500  # of one kind on the page; the rest is counted, and listed in the JSON


@dataclass(frozen=True, slots=True)
class Share:
    """`good` of `all_`; `expected` is the share that was predicted, None where none was."""

    label: str
    good: int
    all_: int
    expected: float | None = None


def charts(workspace: Workspace, language: str = "en") -> str:
    """Return the charts for which there are figures as HTML, "" where there are none. Asks no wiki."""
    ages, runs = survival(workspace, datetime.now(UTC)).ages, _runs(workspace)
    survived = [
        Share(sentence(Message("count.days", n=each.days), language), each.still_present, each.written) for each in ages
    ]
    found = {"survival": survived, "reliability": reliability(workspace, language), "coverage": _coverage(workspace)}
    return draw(runs, found, language)


def draw(runs: Sequence[tuple[str, int, int]], shares: Mapping[str, Sequence[Share]], language: str) -> str:
    """Return charts of the findings of runs, (day, findings, new ones), and of shares; "" where there is nothing to draw."""
    drawn = {name: [each for each in found if each.all_] for name, found in shares.items()}
    if len(runs) < 2 and not any(drawn.values()):
        return ""
    written = partial(numeral, language=language)
    rows = {
        name: [(s.label, written(s.good, ","), written(s.all_, ","), written(s.good / s.all_, ".0%")) for s in found]
        for name, found in drawn.items()
    }
    return _templates(language).get_template("charts.html").render(
        runs=runs,
        most=max([1, *(found for _, found, _ in runs)]),
        over_time_rows=[(day, written(found, ","), written(new, ",")) for day, found, new in reversed(runs)],
        shares=drawn,
        share_rows=rows,
        wilson=wilson_interval,
    )  # fmt: skip


@cache
def _templates(language: str) -> Environment:
    from bot.propose.card_pages import environment

    templates = environment(Path(__file__).parent)
    templates.filters["say"] = lambda message: sentence(message, language)
    templates.filters["message"] = lambda code: sentence(Message(code), language)
    templates.globals |= {"t": lambda code, **values: sentence(Message(f"audit_page.{code}", **values), language)}
    templates.globals |= {"language": language, "numeral": partial(numeral, language=language)}
    return templates


def reliability(workspace: Workspace, language: str = "en") -> list[Share]:
    """Return by band of probability how many claims stood for 30 days, of those that did or that others removed or corrected."""
    bands: dict[int, list[tuple[float, bool]]] = {}
    for each in claim_outcomes(workspace):
        if each.probability is not None and each.verdict in ("stood", *NEGATIVE_VERDICTS):
            bands.setdefault(min(9, int(each.probability * 10 + 1e-9)), []).append(
                (each.probability, each.verdict == "stood")
            )
    shares = []
    for band, found in sorted(bands.items()):
        good, estimated = sum(survived for _, survived in found), sum(probability for probability, _ in found)
        label = "–".join(numeral(edge / 10, ".1f", language) for edge in (band, band + 1))
        shares.append(Share(label, good, len(found), estimated / len(found)))
    return shares


def _runs(workspace: Workspace) -> list[tuple[str, int, int]]:
    """Return (day, findings, new ones) of the last runs that made all their audits, the oldest first."""
    runs = store.runs.c
    rows = workspace.rows(sa.select(runs.started, runs.figures).order_by(runs.started.desc()).limit(RUNS))
    figures_of_days = [(row["started"][:10], row["figures"] or {}) for row in reversed(rows)]
    made = [(day, f) for day, f in figures_of_days if "audit_findings" in f and not f.get("audit_unknown")]
    return [(day, f["audit_findings"], f.get("audit_new", 0)) for day, f in made]


def _coverage(workspace: Workspace) -> list[Share]:
    """Return how many items of the largest fields have a formula, by the last audit that could tell."""
    items, found = store.findings.c, last_coverage(workspace, "audit_coverage_by_field")
    named = workspace.rows(sa.select(items.item, items.label).where(items.audit == "coverage"))
    labels = {row["item"]: row["label"] for row in named}
    largest = sorted(found, key=lambda qid: -found[qid][0])[:FIELDS]
    return [Share(labels.get(qid) or qid, found[qid][1], found[qid][0]) for qid in largest]


def page(
    groups: Mapping[str, Sequence[Finding]],
    descriptions: Mapping[str, str],
    wiki: Wiki | None,
    language: str = "en",
    charts: str = "",
) -> str:
    """Return the page for findings grouped by audit; items are links where the wiki is known. `charts` is HTML."""
    from bot.formula import mathml

    templates = _templates(language)
    templates.filters["drawn"] = lambda tex: Markup(mathml(tex, True))
    templates.filters["address"] = lambda item: wiki.page_prefix + quote(wiki.title(item), safe=":") if wiki else ""
    every = [f for group in groups.values() for f in group]
    found, new = sum(map(needs_attention, every)), sum(f.new and needs_attention(f) for f in every)
    return templates.get_template("page.html").render(
        wiki=wiki,
        when=f"{now()[:16].replace('T', ' ')} UTC",
        found=found,
        new=new,
        unknown=sorted({f.audit for f in every if f.severity == "unknown"}),
        charts=Markup(charts),
        audits=[_section(name, group, descriptions[name] or name.replace("_", " ")) for name, group in groups.items()],
        open=OPEN_ROWS if new <= MANY else FEW_ROWS,
        page=PAGE,
        most=ROWS,
    )


def _section(name: str, group: Sequence[Finding], description: str) -> dict[str, object]:
    """Return what the page shows of one audit: its own words, and its findings by what is known of them."""
    rows = [f for f in group if not is_audit_note(f)]
    counted = [f for f in rows if needs_attention(f)]
    return {
        "name": name,
        "description": description[:1].upper() + description[1:],
        "counts": {severity: number_with_severity(group, severity) for severity in ("unknown", "error", "warning")},
        "said": [f for f in group if is_audit_note(f)],
        "new": [f for f in counted if f.new],
        "known": [f for f in counted if not f.new],
        "accepted": [f for f in rows if f.muted],
        "notes": [f for f in rows if f.severity == "info" and not f.muted],
        "any": bool(rows),
    }
