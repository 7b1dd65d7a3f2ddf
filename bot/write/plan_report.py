"""A plan for people: before and after of each item, in the terminal and as a page; then what became of each edit."""

from __future__ import annotations

import dataclasses
import json
from html import escape
from pathlib import Path

from bot.console import write_json
from bot.formula import mathml
from bot.records import as_json
from bot.settings import Properties
from bot.store import Workspace
from bot.wikibase import Json
from bot.write.entry import Plan, PlanEntry

OTHERWISE = "its sources alone are added to that statement, but for those that it names already"


def show_plan(plan: Plan, takes: str, as_json_: bool) -> None:
    """Print the plan: what each item says now and what would be added; `takes` says how long it would take."""
    if as_json_:
        write_json({**as_json(plan), "estimate": takes})
        return
    if not plan.entries and not plan.refused:
        print("nothing is approved and unwritten: there is nothing to plan")
        return
    print(f"plan {plan.id} for {plan.wiki}, edit group {plan.group}: nothing is sent by making it")
    for entry in plan.entries:
        print("\n".join(diff(entry)))
    for proposal, why in plan.refused:
        print(f"back to review: {proposal[:10]}: {why}")
    if any(entry.otherwise for entry in plan.entries):
        print(f"if somebody else adds one of these formulas first: {OTHERWISE}")
    there = len(plan.entries) - plan.sends
    done = f" ({there} of them there already)" if there else ""
    print(
        f"{len(plan.entries)} edits planned{done}, {len(plan.refused)} back to review; {takes}; "
        f"`--live --plan {plan.id}` carries this plan out"
    )


def diff(entry: PlanEntry) -> list[str]:
    """Return an entry as lines: what the item has with a blank before it, what would be added with a plus."""
    lines = [f"{entry.qid} {entry.label}, revision {entry.revision}: {entry.kind}, approved by {entry.reviewer}"]
    lines += [f"    {entry.edited}"] if entry.edited else []
    lines += [f"    {one}" for one in entry.standing]
    if entry.kind == "already_there":
        return [*lines, f"    {added(entry)}"]
    if entry.kind == "new_claim":
        lines.append(f"  + {added(entry)}")
    else:
        lines.append(f"    {entry.about or entry.statement}, which gets")
    return lines + [f"  +     source: {', '.join(f'{p} {_value(s)}' for p, s in snaks)}" for snaks in _sources(entry)]


def _sources(entry: PlanEntry) -> list[list[tuple[str, Json]]]:
    references = entry.payload.get("references", [entry.payload] if entry.payload else [])
    return [[(p, s) for p in r.get("snaks-order", []) for s in r["snaks"][p]] for r in references]


def added(entry: PlanEntry) -> str:
    """Return in one line what an entry adds."""
    if entry.kind == "already_there":
        return "nothing: all of it is there"
    if entry.kind == "new_claim":
        return str(entry.payload["mainsnak"]["datavalue"]["value"])
    return f"a source for {entry.statement}: {', '.join(entry.payload['snaks-order'])}"


def save_report(workspace: Workspace, plan: Plan, properties: Properties, takes: str = "") -> Path:
    """Write reports/write-plan.html and .json; return the page's path. Properties are named as the settings name them."""
    path = workspace.reports / "write-plan.html"
    template = Path(__file__).with_name("plan.html").read_text(encoding="utf-8")
    names = property_names(properties)
    cards = "\n".join(_card(e, names) for e in plan.entries) or "<p>Nothing is approved and unwritten.</p>"
    refused = "".join(f"<li><code>{escape(p[:10])}</code> {escape(why)}</li>" for p, why in plan.refused)
    values = {"plan": plan.id, "wiki": escape(plan.wiki), "group": plan.group, "count": str(len(plan.entries))}
    page = template.replace("<!--cards-->", cards).replace("<!--refused-->", refused or "<li>none</li>")
    for name, value in {**values, "takes": escape(takes)}.items():
        page = page.replace(f"<!--{name}-->", value)
    path.write_text(page, encoding="utf-8")
    write_plan = workspace.reports / "write-plan.json"
    write_plan.write_text(_json(plan), encoding="utf-8")
    return path


def property_names(properties: Properties) -> dict[str, str]:
    """Return property id -> its name in the settings, in words."""
    return {getattr(properties, f.name): f.name.replace("_", " ") for f in dataclasses.fields(properties)}


def _json(plan: Plan) -> str:
    return json.dumps(as_json(plan), ensure_ascii=False, indent=1) + "\n"


def _card(e: PlanEntry, names: dict[str, str]) -> str:
    before = [(s.rsplit(" (", 1)[0], s) for s in e.standing]
    new = f'<div class="new">{mathml(added(e), display=True)}{_said(e, names)}</div>' if e.kind == "new_claim" else ""
    if e.kind == "already_there":
        new = "<p>nothing is added: all of it is there</p>"
    after = "".join(_standing(tex, shown, _said(e, names) if tex == e.about else "") for tex, shown in before)
    if e.kind == "add_reference" and e.about not in {tex for tex, _ in before}:
        new = f'<div class="new">{_said(e, names)}</div>'
    kind = e.kind.replace("_", " ")
    none = "<li>no such statement</li>"
    return f"""<article><h2>{escape(e.label or e.qid)} <small>{escape(e.qid)} · {kind} · approved by {escape(e.reviewer)}</small></h2>
<div class="sides"><section><h3>before, revision {e.revision}</h3><ul>{"".join(_standing(*b) for b in before) or none}</ul></section>
<section><h3>after</h3><ul>{after}</ul>{new}</section></div>
{_edited(e)}<p class="small">{escape(e.summary)}</p>
<details><summary>exact payload</summary><pre>{_pretty(e.payload)}</pre>{_otherwise(e)}</details></article>"""


def _edited(e: PlanEntry) -> str:
    return f"<p><strong>{escape(e.edited)}</strong></p>" if e.edited else ""


def _otherwise(e: PlanEntry) -> str:
    """Return what would be sent instead, if somebody else adds the formula before the plan is carried out."""
    if not e.otherwise:
        return ""
    said = f"<p>Should somebody else add this formula first, {escape(OTHERWISE)}:</p>"
    return said + f"<pre>{_pretty(list(e.otherwise))}</pre><p>{escape(e.otherwise_summary)}</p>"


def _pretty(value: object) -> str:
    return escape(json.dumps(value, ensure_ascii=False, indent=1))


def _standing(tex: str, shown: str, gains: str = "") -> str:
    gained = f'<div class="new">{gains}</div>' if gains else ""
    return f"<li>{mathml(tex)} <code>{escape(shown)}</code>{gained}</li>"


def _said(e: PlanEntry, names: dict[str, str]) -> str:
    rows = "".join(
        f"<dt>{escape(names.get(p, p))} <small>{escape(p)}</small></dt><dd>{escape(_value(s))}</dd>"
        for snaks in _sources(e)
        for p, s in snaks
    )
    return f"<dl>{rows}</dl>"


def _value(snak: Json) -> str:
    value = snak["datavalue"]["value"]
    if not isinstance(value, dict):
        return str(value)
    return str(value["time"])[1:11] if "time" in value else f"Q{value['numeric-id']}"
