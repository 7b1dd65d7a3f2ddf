"""The charts of the audit page: figures from the workspace, each with a text; the page stays short and without violations."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser

from bot import store
from bot.audit import render
from bot.audit.findings_page import Share, charts, reliability
from bot.records import Finding
from bot.settings import Wiki
from bot.store import Workspace

PROBABILITIES = (0.55, 0.97, 0.83, 0.58, 0.86)  # the bands are drawn in order


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    """Ten runs, an audit of coverage, and five claims of forty days ago, of which others removed the first and the third."""
    old = f"{datetime.now(UTC) - timedelta(days=40):%Y-%m-%dT%H:%M:%SZ}"
    now = store.now()
    with Workspace.open(tmp_path / "w") as opened:
        with opened.engine.begin() as db:
            for n in range(10):
                figures = {"audit_findings": 20 - n, "audit_new": n % 3}
                db.execute(
                    store.runs.insert().values(id=str(n), started=f"2026-11-{n + 1:02}T02:00:00Z", figures=figures)
                )
            for n, probability in enumerate(PROBABILITIES, 1):
                record = {"probability": probability, "concept": "c", "references": [], "quotes": []}
                claim = {"mainsnak": {"datavalue": {"value": "a = b"}}}
                db.execute(store.decisions.insert().values(n=n, proposal=str(n), record=record, references=[]))
                made = {"n": n, "proposal": str(n), "decision": n, "payload": claim, "time": old, "outcome": "written"}
                db.execute(store.edits.insert().values(**made, qid="Q1"))
                state = "removed" if n in (1, 3) else "present"
                db.execute(store.edit_states.insert().values(edit=n, state=state, user="Eve", changed="", seen=now))
            coverage = {"coverage": {"Q413": [200, 50, 20], "Q395": [100, 80, 10]}}
            asked = {"audit": "coverage", "query": "audit_coverage_by_field", "message": None, "figures": coverage}
            db.execute(store.audit_answers.insert().values(**asked))
            db.execute(store.findings.insert().values(audit="coverage", item="Q413", label="physics & <more>"))
        yield opened


def test_reliability_is_of_what_stood_and_what_others_removed(workspace: Workspace) -> None:
    (low, middle, high) = reliability(workspace)
    assert (low.label, low.good, low.all_, round(low.expected or 0, 3)) == ("0.5–0.6", 1, 2, 0.565)
    assert (middle.good, middle.all_) == (1, 2)
    assert high == Share("0.9–1.0", 1, 1, 0.97)


def test_each_chart_has_a_name_and_its_figures_as_a_table(workspace: Workspace) -> None:
    drawn = charts(workspace)
    names = [
        "Findings over time",
        "What stands of our edits",
        "Probability and what became of it",
        "Items with a formula",
    ]
    assert re.findall(r'role="img" aria-label="([^"]+)"', drawn) == names
    assert '<th scope="row">30 days</th><td>3</td><td>5</td><td>60%</td>' in drawn
    assert '<th scope="row">physics &amp; &lt;more&gt;</th><td>50</td><td>200</td><td>25%</td>' in drawn
    assert '<th scope="row">2026-11-10</th><td>11</td><td>0</td>' in drawn
    assert "Was von unseren Bearbeitungen besteht" in charts(workspace, "de")


def test_nothing_is_drawn_where_nothing_is_known(tmp_path: Path) -> None:
    with Workspace.open(tmp_path / "w") as empty:
        assert charts(empty) == ""


def _page_of(workspace: Workspace, findings: int) -> str:
    found = [
        Finding(
            f"audit {n % 8}",
            f"Q{n}",
            "warning",
            f"finding {n}",
            f"Q{n}$A",
            f"law {n}",
            ("E=mc^2",),
            f"{n:012x}",
            "",
            True,
        )
        for n in range(findings)
    ]
    return render(found, "html", wiki=Wiki(), workspace=workspace)


LONG = [(1280, "dark", 6000)] if os.environ.get("FORMULA_BOT_LONG") else []


@pytest.mark.parametrize(("width", "scheme", "most"), [(360, "light", 9000), *LONG])
def test_a_thousand_findings_are_a_short_page_without_violations(
    workspace: Workspace, browser: Browser, tmp_path: Path, width: int, scheme: str, most: int
) -> None:
    (tmp_path / "audit.html").write_text(_page_of(workspace, 1000), encoding="utf-8")
    page = browser.new_page(viewport={"width": width, "height": 800}, color_scheme=scheme, bypass_csp=True)  # type: ignore[arg-type]
    page.goto((tmp_path / "audit.html").as_uri())
    assert page.locator("li").count() == 1000
    assert page.locator("li:visible").count() == 24  # three of each audit
    assert page.evaluate("document.documentElement.scrollHeight") <= most
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    if not LONG:  # axe reads a thousand for a dozen seconds
        (tmp_path / "audit.html").write_text(_page_of(workspace, 80), encoding="utf-8")
        page.reload()
    assert Axe().run(page).response["violations"] == []
