"""A plan for people: before and after of each item, in the terminal and as a page; then what became of each edit."""

from __future__ import annotations

import dataclasses
import json
from collections import Counter
from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import Any

from bot.console import table, write_json
from bot.formula import mathml
from bot.records import as_json
from bot.settings import Properties
from bot.store import Workspace
from bot.write.apply import Outcome
from bot.write.plan import Entry, Plan


def show_plan(plan: Plan, as_json_: bool) -> None:
    """Print the plan: what each item says now and what would be added."""
    if as_json_:
        write_json(plan)
        return
    rows = [(e.qid, e.kind, "; ".join(e.standing) or "nothing", added(e), e.reviewer) for e in plan.entries]
    table(
        f"plan {plan.id} for {plan.wiki}, nothing sent", ("item", "kind", "stands there", "would add", "reviewer"), rows
    )
    for proposal, why in plan.refused:
        print(f"back to review: {proposal[:10]}: {why}")
    print(f"{len(plan.entries)} edits planned, {len(plan.refused)} back to review; `--live` carries this plan out")


def show_outcomes(plan: Plan, outcomes: Sequence[Outcome], as_json_: bool) -> None:
    """Print what became of each planned edit; planned = written + already there + refused + failed."""
    counts = Counter(outcome for _, outcome, _ in outcomes)
    figures = {"plan": plan.id, "group": plan.group, "planned": len(plan.entries)}
    figures |= {name: counts[name] for name in ("written", "already_there", "refused", "failed")}
    figures["back_to_review"] = len(plan.refused)
    if as_json_:
        edits = [{"proposal": e.proposal, "qid": e.qid, "outcome": o, "reason": why} for e, o, why in outcomes]
        write_json({**figures, "edits": edits})
        return
    table(
        "write",
        ("item", "outcome", "formula or reference", "reason"),
        [(e.qid, o, added(e), why) for e, o, why in outcomes],
    )
    print(", ".join(f"{name.replace('_', ' ')} {value}" for name, value in figures.items()))


def added(entry: Entry) -> str:
    """Return in one line what an entry adds."""
    if entry.kind == "already_there":
        return "nothing: all of it is there"
    if entry.kind == "new_claim":
        return str(entry.payload["mainsnak"]["datavalue"]["value"])
    return f"a source for {entry.statement}: {', '.join(entry.payload['snaks-order'])}"


def save_report(workspace: Workspace, plan: Plan, properties: Properties) -> Path:
    """Write reports/write-plan.html and .json; return the page's path. Properties are named as the settings name them."""
    path = workspace.reports / "write-plan.html"
    template = Path(__file__).with_name("plan.html").read_text(encoding="utf-8")
    names = {getattr(properties, f.name): f.name.replace("_", " ") for f in dataclasses.fields(properties)}
    cards = "\n".join(_card(e, names) for e in plan.entries) or "<p>Nothing is approved and unwritten.</p>"
    refused = "".join(f"<li><code>{escape(p[:10])}</code> {escape(why)}</li>" for p, why in plan.refused)
    values = {"plan": plan.id, "wiki": escape(plan.wiki), "group": plan.group, "count": str(len(plan.entries))}
    page = template.replace("<!--cards-->", cards).replace("<!--refused-->", refused or "<li>none</li>")
    for name, value in values.items():
        page = page.replace(f"<!--{name}-->", value)
    path.write_text(page, encoding="utf-8")
    write_plan = workspace.reports / "write-plan.json"
    write_plan.write_text(_json(plan), encoding="utf-8")
    return path


def _json(plan: Plan) -> str:
    return json.dumps(as_json(plan), ensure_ascii=False, indent=1) + "\n"


def _card(e: Entry, names: dict[str, str]) -> str:
    before = "".join(f"<li>{mathml(s.rsplit(' (', 1)[0])} <code>{escape(s)}</code></li>" for s in e.standing)
    what = {
        "add_reference": "a source for the formula that stands there",
        "already_there": "nothing: all of it is there",
    }
    new = mathml(added(e), display=True) if e.kind == "new_claim" else f"<p>{what[e.kind]}</p>"
    references = e.payload.get("references", [e.payload] if e.payload else [])
    snaks = "".join(
        f"<dt>{escape(names.get(p, p))} <small>{escape(p)}</small></dt><dd>{escape(_value(s))}</dd>"
        for r in references
        for p in r.get("snaks-order", [])
        for s in r["snaks"][p]
    )
    kind = e.kind.replace("_", " ")
    return f"""<article><h2>{escape(e.label or e.qid)} <small>{escape(e.qid)} · {kind} · approved by {escape(e.reviewer)}</small></h2>
<div class="sides"><section><h3>stands there, revision {e.revision}</h3><ul>{before or "<li>no such statement</li>"}</ul></section>
<section><h3>would be added</h3><div class="new">{new}<dl>{snaks}</dl></div></section></div>
<p class="small">{escape(e.summary)}</p>
<details><summary>exact payload</summary><pre>{escape(json.dumps(e.payload, ensure_ascii=False, indent=1))}</pre></details></article>"""


def _value(snak: dict[str, Any]) -> str:
    value = snak["datavalue"]["value"]
    if not isinstance(value, dict):
        return str(value)
    return str(value["time"])[1:11] if "time" in value else f"Q{value['numeric-id']}"
