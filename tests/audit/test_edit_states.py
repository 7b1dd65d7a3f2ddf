"""Who changed what we wrote, from the page's history; and how much of it stands, from the workspace alone."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from bot.audit import RemovedEdit, SurvivalAtAge, run_audits, survival
from bot.audit.known_findings import finding_id
from bot.lookup import Client
from bot.records import Finding
from bot.sandbox import Sandbox
from bot.settings import Agent, Settings
from bot.store import Workspace
from bot.write import payload

DAY = datetime(2026, 11, 20, 12, tzinfo=UTC)
CLAIMS = {
    f"Q{n}": payload.claim(f"Q{n}$11111111-2222-4333-8444-55555555555{n}", "P2534", f"x=y_{n}", ()) for n in range(1, 7)
}


@pytest.fixture
def sandbox() -> Iterator[Sandbox]:
    """A wiki on which our claims stand and were edited by others afterwards, each in another way."""
    with Sandbox() as running:
        running.fill([{"qid": qid, "label": f"law {qid}", "formulas": []} for qid in (*CLAIMS, "Q9")])
        for claim in CLAIMS.values():
            running.act("WikiBot", action="wbsetclaim", claim=claim)
        yield running


@pytest.fixture
def client(sandbox: Sandbox) -> Iterator[Client]:
    with Client(sandbox.wiki, Agent()) as opened:
        yield opened


def _revision(sandbox: Sandbox, qid: str) -> int:
    return int(sandbox.history(qid)[-1]["id"])


def _changed_by_others(sandbox: Sandbox) -> None:
    for n in range(5):  # edits of no concern before and after what matters
        sandbox.act(
            "Admin", action="wbeditentity", id="Q1", data={"labels": {"en": {"language": "en", "value": f"name {n}"}}}
        )
        if n == 2:
            sandbox.act("PlainUser", action="wbremoveclaims", claim=CLAIMS["Q1"]["id"])
    sandbox.act("PlainUser", action="wbsetclaim", claim={**CLAIMS["Q2"], "rank": "deprecated"})
    sandbox.merge("Q3", "Q9")
    sandbox.delete("Q4")
    sandbox.act("PlainUser", action="wbsetclaim", claim={**CLAIMS["Q6"], "rank": "preferred"})


def _ours(bench: Any, sandbox: Sandbox) -> None:
    for n, (qid, claim) in enumerate(CLAIMS.items()):
        bench.edit(qid, claim, days=(0.5, 2, 8, 40, 40, 40)[n], revision=_revision(sandbox, qid))


def _audit(workspace: Workspace, sandbox: Sandbox, client: Client) -> dict[str, str]:
    found = run_audits(workspace, client, Settings(wiki=sandbox.wiki), ("seeded",), now=DAY)
    assert not [f for f in found if f.severity == "unknown"]
    return {f.item: str(f.what) for f in found if f.item}


def test_each_change_is_told_with_its_user_and_revision(bench: Any, sandbox: Sandbox, client: Client) -> None:
    _ours(bench, sandbox)
    _changed_by_others(sandbox)
    said = _audit(bench.workspace, sandbox, client)
    revision = {
        qid: [r["id"] for r in sandbox.history(qid) if r["user"] == "PlainUser"][-1] for qid in ("Q1", "Q2", "Q3", "Q6")
    }
    today = f"{datetime.now(UTC):%Y-%m-%d}"
    assert said["Q1"] == f"removed: the statement was removed, by PlainUser on {today} (revision {revision['Q1']})"
    assert said["Q2"].endswith(f"set its rank to deprecated, by PlainUser on {today} (revision {revision['Q2']})")
    assert said["Q3"] == (
        f"merged: the item was merged into Q9, which says the same, by PlainUser on {today} (revision {revision['Q3']})"
    )
    assert said["Q4"] == f"deleted: the item was deleted, by Admin on {today}"
    assert said["Q5"] == "present: as we wrote it"
    assert said["Q6"].endswith(f"added to its rank, by PlainUser on {today} (revision {revision['Q6']})")


def test_survival_is_read_from_the_workspace(bench: Any, sandbox: Sandbox, client: Client) -> None:
    assert survival(bench.workspace, DAY).ages == (
        SurvivalAtAge(1, 0, 0),
        SurvivalAtAge(7, 0, 0),
        SurvivalAtAge(30, 0, 0),
    )
    _ours(bench, sandbox)
    _changed_by_others(sandbox)
    _audit(bench.workspace, sandbox, client)
    found = survival(bench.workspace, DAY)
    assert found.ages == (SurvivalAtAge(1, 5, 3), SurvivalAtAge(7, 4, 3), SurvivalAtAge(30, 3, 2))
    assert [age.removed for age in found.ages] == [2, 1, 1]
    later = survival(bench.workspace, DAY + timedelta(hours=12))  # the first is a day old to the second
    assert later.ages[0] == SurvivalAtAge(1, 6, 3)
    assert found.looked == "2026-11-20T12:00:00Z"
    assert [(r.edit, r.qid, r.state, r.user) for r in found.removals] == [
        (1, "Q1", "removed", "PlainUser"),
        (2, "Q2", "deprecated", "PlainUser"),
        (4, "Q4", "deleted", "Admin"),
    ]
    first = found.removals[0]
    time = next(r["time"] for r in sandbox.history("Q1") if r["user"] == "PlainUser")
    assert first == RemovedEdit(1, "p", "Q1", "removed", "2026-11-20T00:00:00Z", "PlainUser", first.revision, time)


def test_what_an_earlier_audit_found_is_not_looked_up_again(
    bench: Any, sandbox: Sandbox, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    _ours(bench, sandbox)
    _changed_by_others(sandbox)
    before = _audit(bench.workspace, sandbox, client)
    monkeypatch.setattr(Client, "history", lambda *_: pytest.fail("asked again"))
    assert _audit(bench.workspace, sandbox, client) == before


def test_a_history_that_is_not_shown_leaves_the_state(
    bench: Any, sandbox: Sandbox, client: Client, tmp_path: Path
) -> None:
    _ours(bench, sandbox)
    sandbox.act("PlainUser", action="wbremoveclaims", claim=CLAIMS["Q1"]["id"])
    sandbox.fault("truncated_json", None, on="query")
    assert _audit(bench.workspace, sandbox, client)["Q1"] == "removed: the statement was removed"
    sandbox.clear_faults()
    assert "by PlainUser" in _audit(bench.workspace, sandbox, client)["Q1"]


def test_a_finding_about_no_item_is_known_by_its_evidence_and_others_by_what_they_say() -> None:
    """The figures of survival change every night; that too little is left is said once."""
    first = Finding("survival", "", "warning", "of 25 edits, 14 are there still", "age 1 d")
    assert finding_id(first) == finding_id(replace(first, what="of 26 edits, 14 are there still"))
    assert finding_id(first) != finding_id(replace(first, evidence="age 7 d"))
    assert finding_id(first) != finding_id(replace(first, severity="info"))
    assert finding_id(replace(first, item="Q1")) != finding_id(replace(first, item="Q1", what="x"))
