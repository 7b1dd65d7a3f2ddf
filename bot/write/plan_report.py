"""A plan for people: before and after of each item, in the terminal and as a page; then what became of each edit."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from bot.console import localised as shown
from bot.console import print_message, write_json
from bot.formula import mathml
from bot.lookup.entities import snak_value
from bot.messages import Message, to_json, uncoded_message
from bot.propose.card_pages import environment, template_functions
from bot.propose.cards import property_names
from bot.records import as_json
from bot.settings import Properties
from bot.store import Workspace
from bot.wikibase import Json
from bot.write.entry import Plan, PlanEntry, batches

if TYPE_CHECKING:
    from jinja2 import Environment


def show_plan(plan: Plan, takes: Message, as_json_: bool) -> None:
    """Print the plan: what each item says now and what would be added; `takes` says how long it would take."""
    if as_json_:
        write_json({**plan_as_json(plan), "estimate": str(takes)})
        return
    if not plan.entries and not plan.refused:
        print_message("nothing_to_plan")
        return
    print_message("plan", id=plan.id, wiki=plan.wiki, group=plan.group)
    for entry in plan.entries:
        print("\n".join(diff_lines(entry)))
    for proposal, why in plan.refused:
        print_message("back_to_review", id=proposal[:10], why=why)
    if any(entry.otherwise for entry in plan.entries):
        print_message("plan_otherwise", otherwise=Message("write.otherwise"))
    edits = len(batches(plan.entries))
    already_there = edits - plan.number_of_edits
    done: str | Message = Message("told.there_already", n=already_there) if already_there else ""
    edits_text = Message("write.edits", n=edits)
    print_message("planned", edits=edits_text, done=done, refused=len(plan.refused), takes=takes, id=plan.id)


def plan_as_json(plan: Plan) -> Json:
    """Return a plan as JSON: why something goes back to review is a sentence, with the codes as `messages` beside them."""
    refused = {"refused": [[proposal, str(why)] for proposal, why in plan.refused]}
    return {**as_json(plan), **refused, "messages": [to_json(why) for _, why in plan.refused]}


def diff_lines(entry: PlanEntry) -> list[str]:
    """Return an entry as lines: what the item has with a blank before it, what would be added with a plus."""
    item = f"{entry.qid} {entry.label}"
    head = Message("told.plan_entry", item=item, revision=entry.revision, kind=entry.kind, who=entry.reviewer)
    lines = [shown(head)]
    lines += [f"    {shown(entry.edit_note)}"] if entry.edit_note else []
    lines += [f"    {one}" for one in entry.standing]
    if entry.kind == "already_there":
        return [*lines, f"    {shown(addition_line(entry))}"]
    if entry.adds_claim:
        lines.append(f"  + {shown(addition_line(entry))}")
    else:
        lines.append(f"    {shown(Message('told.which_gets', what=entry.about or entry.statement))}")
    texts = (", ".join(f"{p} {_value(s)}" for p, s in snaks) for snaks in _sources(entry))
    return lines + [f"  +     {shown(Message('told.plan_source', source=text))}" for text in texts]


def _sources(entry: PlanEntry) -> list[list[tuple[str, Json]]]:
    references = entry.payload.get("references", [entry.payload] if entry.payload else [])
    return [[(p, s) for p in r.get("snaks-order", []) for s in r["snaks"][p]] for r in references]


def addition_line(entry: PlanEntry) -> Message:
    """Return in one line what an entry adds."""
    if entry.kind == "already_there":
        return Message("told.adds_nothing")
    if entry.kind == "symbol":
        represented = [_value(s) for snaks in entry.payload["qualifiers"].values() for s in snaks]
        return Message(
            "told.adds_symbol", symbol=str(snak_value(entry.payload["mainsnak"])), item=", ".join(represented)
        )
    if entry.kind == "new_claim":
        return uncoded_message(str(entry.payload["mainsnak"]["datavalue"]["value"]))
    return Message("told.adds_source", statement=entry.statement, properties=", ".join(entry.payload["snaks-order"]))


def save_report(
    workspace: Workspace, plan: Plan, properties: Properties, takes: Message | None = None, language: str = "en"
) -> Path:
    """Write reports/write-plan.html, in a language, and .json; return the page's path."""
    path = workspace.reports / "write-plan.html"
    values = {"plan": plan, "takes": takes or Message("takes.nothing"), "names": property_names(properties)}
    values |= {"count": Message("write.edits", n=len(batches(plan.entries))), "otherwise": Message("write.otherwise")}
    path.write_text(load_template("plan.html", language, **values), encoding="utf-8")
    path.with_suffix(".json").write_text(_pretty(plan_as_json(plan)) + "\n", encoding="utf-8")
    return path


def load_template(template: str, language: str = "en", **values: object) -> str:
    """Return a page of `templates` in a language; all text is escaped."""
    defaults = {**template_functions(language), "message": Message, "language": language}
    return _templates().get_template(template).render({**defaults, **values})


@cache
def _templates() -> Environment:
    from markupsafe import Markup

    templates = environment(Path(__file__).with_name("templates"))
    templates.filters |= {
        "sources": _sources,
        "value": _value,
        "added": lambda entry: str(addition_line(entry)),
        "tex": lambda heading: heading.rsplit(" (", 1)[0],  # without the rank
        "pretty": _pretty,
    }
    templates.filters["drawn"] = lambda tex, display=False: Markup(mathml(tex, display=display))
    return templates


def _pretty(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, indent=1)


def _value(snak: Json) -> str:
    return snak_value(snak)[1:11] if snak["datavalue"]["type"] == "time" else snak_value(snak)
