"""Whose approval reaches which wiki, and what plan and outcome say of an edited formula."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from rehearsal import SETTINGS, Direct, Looks, Time, approve, formulas, policy, put, rows

from bot.errors import ReviewError, SettingsError
from bot.records import Decision
from bot.review import add_reviewer, decide, import_packet, queue, remove_reviewer
from bot.sandbox import Sandbox
from bot.settings import Settings, Wiki, Writing, load
from bot.store import Workspace
from bot.write import apply, make_plan
from bot.write.outcome import outcome_rows
from bot.write.plan_report import diff_lines, save_report

SCRIPT = "stand-in (a script, not a person)"


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    with Sandbox() as running:
        running.fill(rows(12))
        yield running


def configured(sandbox: Sandbox) -> tuple[Wiki, Settings]:
    """Return the same wiki as one that the settings name."""
    wiki = dataclasses.replace(sandbox.wiki, sandbox=False, name="configured")
    writing = Writing(site="configured", task="Task", account="WikiBot", family="f", code="c", pywikibot_dir=".")
    agent = dataclasses.replace(SETTINGS.agent, contact="somebody@example.org")
    return wiki, dataclasses.replace(SETTINGS, writing=writing, agent=agent, wiki=wiki)


def planned(w: Workspace, sandbox: Sandbox, wiki: Wiki, settings: Settings) -> Any:
    return make_plan(w, Looks(sandbox), wiki, settings)  # type: ignore[arg-type]


def test_a_script_decides_in_a_rehearsal_only(workspace: Workspace, tmp_path: Path) -> None:
    made = put(workspace, "Q1000", "a_{0}=b^2")
    add_reviewer(workspace, SCRIPT, "stand-in")
    with pytest.raises(ReviewError, match="rehearsal wiki only"):
        decide(workspace, Decision(made.id, made.hash, "approve", reviewer=SCRIPT))
    packet = tmp_path / "p.jsonl"
    packet.write_text(json.dumps({"proposal": made.id, "hash": made.hash, "verdict": "approve"}) + "\n")
    assert import_packet(workspace, packet, SCRIPT).recorded == 0
    with pytest.raises(ReviewError):
        add_reviewer(workspace, SCRIPT, "reviewer")


def test_what_was_approved_in_a_rehearsal_never_leaves_it(workspace: Workspace, sandbox: Sandbox) -> None:
    """Neither on a plan, nor where the workspace forgets that it was one, nor where the script becomes a person."""
    workspace.put("world", "items.jsonl")
    add_reviewer(workspace, SCRIPT, "stand-in")
    made = put(workspace, "Q1000", "a_{0}=b^2")
    decide(workspace, Decision(made.id, made.hash, "approve", reviewer=SCRIPT))
    approve(workspace, put(workspace, "Q1002", "a_{2}=b^2"))
    rehearsal = planned(workspace, sandbox, sandbox.wiki, SETTINGS)
    assert len(rehearsal.entries) == 2
    wiki, settings = configured(sandbox)
    plan = planned(workspace, sandbox, wiki, settings)
    assert plan.entries == ()
    assert sorted(str(why) for _, why in plan.refused) == [
        "a script approved it: it is written to the rehearsal wiki only",
        "it was approved in a rehearsal: it is written to the rehearsal wiki only",
    ]
    workspace.put("world", "")
    assert queue(workspace, "approved") == []
    remove_reviewer(workspace, SCRIPT)
    add_reviewer(workspace, SCRIPT, "reviewer")
    assert queue(workspace, "approved") == []
    session = Direct(sandbox)
    told = apply(
        workspace, rehearsal, sandbox.wiki, SETTINGS, session=session, policy=policy(workspace, sandbox, Time())
    )
    assert {outcome for _, outcome, _ in told} == {"refused"}
    assert formulas(sandbox, "Q1000") == formulas(sandbox, "Q1002") == []


def test_a_settings_file_cannot_call_a_wiki_the_rehearsal_wiki(tmp_path: Path) -> None:
    file = tmp_path / "settings.toml"
    file.write_text("[wiki]\nsandbox = true\n")
    with pytest.raises(SettingsError, match="sandbox"):
        load(file)


def test_an_approval_for_another_property_than_that_of_the_settings_goes_back_to_review(
    workspace: Workspace, sandbox: Sandbox
) -> None:
    """What the item says already is looked for under that of the settings: the formula was planned a second time."""
    approve(workspace, put(workspace, "Q1001", "a_{1}=b^2"))
    assert planned(workspace, sandbox, sandbox.wiki, SETTINGS).entries[0].kind != "new_claim"
    properties = dataclasses.replace(sandbox.wiki.properties, defining_formula="P7973")
    plan = planned(workspace, sandbox, dataclasses.replace(sandbox.wiki, properties=properties), SETTINGS)
    ((_, why),) = plan.refused
    assert str(why) == "it was approved for P2534, and the settings name another property since"
    assert plan.entries == ()


def test_an_approval_of_somebody_who_was_removed_is_not_written(workspace: Workspace, sandbox: Sandbox) -> None:
    add_reviewer(workspace, "Ben")
    made = put(workspace, "Q1004", "a_{4}=b^2")
    decide(workspace, Decision(made.id, made.hash, "approve", reviewer="Ben"))
    plan = planned(workspace, sandbox, sandbox.wiki, SETTINGS)
    remove_reviewer(workspace, "Ben")
    assert planned(workspace, sandbox, sandbox.wiki, SETTINGS).entries == ()
    wiki_policy = policy(workspace, sandbox, Time())
    ((_, outcome, why),) = apply(workspace, plan, sandbox.wiki, SETTINGS, session=Direct(sandbox), policy=wiki_policy)
    assert (outcome, why) == ("refused", "is not approved any more")
    assert formulas(sandbox, "Q1004") == []
    assert [row.proposal.id for row in queue(workspace, "open")] == [made.id]


def test_each_reference_of_a_plan_stands_apart_with_its_properties_in_the_readers_language(
    workspace: Workspace, sandbox: Sandbox
) -> None:
    approve(workspace, put(workspace, "Q1006", "E=mc^2"))
    plan = planned(workspace, sandbox, sandbox.wiki, SETTINGS)
    html = save_report(workspace, plan, sandbox.wiki.properties, language="de").read_text(encoding="utf-8")
    assert html.count("<dl>") == len(plan.entries[0].payload["references"])
    assert "angegeben in" in html or "URL der Fundstelle" in html
    assert "Zusammenfassung: " in html


def test_plan_and_outcome_say_who_edited_what_into_what(workspace: Workspace, sandbox: Sandbox) -> None:
    made = put(workspace, "Q1006", "E=mc^2")
    approve(workspace, made, tex="x=vt", edit_confirmed=True, references=("approve",))
    plan = planned(workspace, sandbox, sandbox.wiki, SETTINGS)
    says = "edited by Ada from E=mc^2 to x=vt"
    assert any(says in line for line in diff_lines(plan.entries[0]))
    assert says in save_report(workspace, plan, sandbox.wiki.properties).read_text(encoding="utf-8")
    wiki_policy = policy(workspace, sandbox, Time())
    apply(workspace, plan, sandbox.wiki, SETTINGS, session=Direct(sandbox), policy=wiki_policy)
    (told,) = outcome_rows(workspace, plan)
    assert (told["edited"], told["edited_from"], told["outcome"]) == (says, "E=mc^2", "written")
    assert formulas(sandbox, "Q1006") == ["x=vt"]
