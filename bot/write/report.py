"""A plan for people: before and after of each item, in the terminal and as a page; then what became of each edit."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from html import escape
from pathlib import Path

from bot.console import table, write_json
from bot.formula import mathml
from bot.records import as_json
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


def save_report(workspace: Workspace, plan: Plan) -> Path:
    """Write reports/write-plan.html and .json; return the page's path."""
    path = workspace.reports / "write-plan.html"
    template = Path(__file__).with_name("plan.html").read_text(encoding="utf-8")
    cards = "\n".join(_card(e) for e in plan.entries) or "<p>Nothing is approved and unwritten.</p>"
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


def _card(e: Entry) -> str:
    before = "".join(f"<li>{mathml(s.rsplit(' (', 1)[0])} <small>{escape(s)}</small></li>" for s in e.standing)
    new = mathml(added(e), display=True) if e.kind == "new_claim" else f"<p>{escape(added(e))}</p>"
    references = e.payload.get("references", [e.payload] if e.payload else [])
    snaks = "".join(
        f"<li>{escape(p)}: {escape(str(s['datavalue']['value']))}</li>"
        for r in references
        for p in r.get("snaks-order", [])
        for s in r["snaks"][p]
    )
    return f"""<article><h2>{escape(e.qid)} <small>{escape(e.kind.replace("_", " "))}, approved by {escape(e.reviewer)}</small></h2>
<div class="sides"><section><h3>stands there, revision {e.revision}</h3><ul>{before or "<li>no such statement</li>"}</ul></section>
<section><h3>would be added</h3><div class="new">{new}</div><ul>{snaks}</ul></section></div>
<p class="small">{escape(e.summary)}</p>
<details><summary>exact payload</summary><pre>{escape(_pretty(e))}</pre></details></article>"""


def _pretty(entry: Entry) -> str:
    return json.dumps(entry.payload, ensure_ascii=False, indent=1)
