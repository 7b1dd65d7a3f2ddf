"""What every audit says of a wiki with a fault of each kind, and how that is shown, recorded word by word.

`python tests/audit/recorded_audits.py` records it anew, where a change is meant.
"""

from __future__ import annotations

import json
import sys
import tempfile
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "benchmarks"))

import planted_faults

from bot.audit import AUDITS, render, run_audits
from bot.lookup import Client
from bot.records import Finding
from bot.sandbox import Sandbox
from bot.settings import Agent, Settings, Wiki
from bot.store import Workspace

DATA = Path(__file__).parent / "data" / "audits.jsonl"
SHOWN = DATA.with_name("shown.txt")
TODAY = datetime(2026, 11, 20, 12, tzinfo=UTC)


@cache
def findings() -> tuple[Finding, ...]:
    """Return what all audits but the costly ones find on a small wiki with a fault of each kind."""
    world = planted_faults.build(130, len(planted_faults.KINDS), 5)
    with tempfile.TemporaryDirectory() as folder, Sandbox() as sandbox, Workspace.open(Path(folder) / "w") as workspace:
        sandbox.fill(())
        sandbox.load_entities(world.entities)
        planted_faults.write_ledger(workspace, sandbox, world)
        planted_faults.apply_later(sandbox, world)
        with Client(sandbox.wiki, Agent()) as client:
            return tuple(run_audits(workspace, client, Settings(wiki=sandbox.wiki), now=TODAY))


def recorded() -> list[dict[str, Any]]:
    """Return a row for each finding, without the day on which somebody undid an edit of ours: that is today."""
    rows = []
    for each in findings():
        message = json.loads(json.dumps(each.message))
        message.get("values", {}).pop("day", None)
        row = {
            "audit": each.audit,
            "item": each.item,
            "severity": each.severity,
            "label": each.label,
            "message": message,
        }
        rows.append(row | {"evidence": each.evidence, "formulas": list(each.formulas), "step": each.step})
    return rows


def shown() -> str:
    """Return the findings that tell of no day as text, wikitext and CSV."""
    stable = [each for each in findings() if "day" not in (each.message or {}).get("values", {})]
    wiki = Wiki(name="here", page_prefix="https://wiki.example/wiki/")
    return "\n".join(render(stable, form, audits=list(AUDITS), wiki=wiki) for form in ("text", "wikitext", "csv"))


if __name__ == "__main__":
    DATA.parent.mkdir(exist_ok=True)
    DATA.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in recorded()), encoding="utf-8")
    SHOWN.write_text(shown(), encoding="utf-8")
