"""Killed by SIGKILL at marked points of a run, then resumed: every statement once, no loss, a complete ledger.

By turns an edit is a new claim, a source, and a claim that somebody else makes after the plan, so that its source alone is
sent. The normal run kills one run of 36 edits again and again. FORMULA_BOT_LONG=1 kills a run of 200 edits at each of 65 points, each
time from the beginning, and resumes it (about ten minutes on a free machine).
"""

from __future__ import annotations

import os
import shutil
import signal
from collections import Counter
from multiprocessing.connection import wait
from pathlib import Path

import pytest
from forked import PROCESSES
from kill_child import POINTS, write_and_die
from rehearsal import SETTINGS, adds, approve, approve_all, claims, no_row_is_open, put, put_symbol, rows

from bot import hashchain as chain
from bot.lookup import Client
from bot.sandbox import Sandbox
from bot.settings import environment
from bot.store import Workspace
from bot.write import Plan, apply, ledger, make_plan
from bot.write.outcome import outcome_counts, outcome_rows

LONG = bool(environment("LONG"))
SERVER = "the request has arrived and the writer is dead"  # the wiki commits it for nobody


def prepared(folder: Path, count: int) -> tuple[Path, Path, Plan]:
    """Fill a wiki and a workspace with `count` approved edits and a plan for them."""
    with Sandbox(folder / "sandbox.db") as sandbox, Workspace.open(folder / "w") as workspace:
        sandbox.fill(rows(count))
        approve_all(workspace, sandbox, count)
        with Client(sandbox.wiki, SETTINGS.agent, None) as client:
            plan = make_plan(workspace, client, sandbox.wiki, SETTINGS)
        for n in range(0, count, 4):
            adds(sandbox, f"Q{1000 + n}", f"a_{{{n}}}=b^2")
    assert len(plan.entries) == count
    return folder / "w", folder / "sandbox.db", plan


def killed(sandbox: Sandbox, path: Path, plan: Plan, point: str, nth: int) -> bool:
    """Run the writer in a process of its own until it dies at the point; say whether it did."""
    inner = "" if point == SERVER else point
    process = PROCESSES.Process(target=write_and_die, args=(str(path), plan.id, sandbox.wiki, inner, nth))
    if point == SERVER:

        def kill() -> None:
            assert process.pid
            os.kill(process.pid, signal.SIGKILL)
            wait([process.sentinel], 60)  # until it is dead; joining here and below at once would confuse the library

        # Entries are new claims and sources by turns, in the order of the plan; what arrives is counted over both.
        sandbox.fault("other_edit", on="write", after=nth - 1, edit=kill)
    process.start()
    process.join(120)
    alive = process.is_alive()
    process.kill()
    sandbox.clear_faults()
    assert not alive, "it hangs"
    assert process.exitcode in (0, -signal.SIGKILL), f"{point} {nth}: exit code {process.exitcode}"
    return process.exitcode == -signal.SIGKILL


def resumed(sandbox: Sandbox, path: Path, plan: Plan) -> None:
    """Go on in this process, and check everything."""
    with Workspace.open(path) as workspace, workspace.lock("write"):
        apply(workspace, plan, sandbox.wiki, SETTINGS)
        told = outcome_rows(workspace, plan)
        assert Counter(one["outcome"] for one in told) == {"written": len(plan.entries)}
        assert outcome_counts(workspace, plan, told)["planned"] == len(plan.entries)
        assert no_row_is_open(workspace)
        assert [what for _, what in chain.edit_discrepancies(workspace)] == []
        written = [row for row in ledger.ledger_rows(workspace) if row.outcome == "written"]
        assert len({(row.guid, row.decision) for row in written}) == len(written) == len(plan.entries)
        assert {row.group for row in written} == {plan.group}
        assert sum(one["kind"] == "source_only" for one in told) == -(-len(plan.entries) // 4)
    for entry, row in zip(plan.entries, sorted(written, key=lambda r: _order(plan, r.qid)), strict=True):
        (statement,) = claims(sandbox, entry.qid)
        assert (statement["id"] == entry.statement) == (int(entry.qid[1:]) % 4 != 0)
        assert statement["id"] == row.guid
        assert len(statement["references"]) == 1
        (ours,) = [r for r in sandbox.history(entry.qid) if r["user"] == "WikiBot"]
        assert ours["id"] == row.revision


def _order(plan: Plan, qid: str) -> int:
    return [entry.qid for entry in plan.entries].index(qid)


def test_a_run_killed_again_and_again_says_everything_once(tmp_path: Path) -> None:
    path, file, plan = prepared(tmp_path, 36)
    kills = 0
    with Sandbox(file) as sandbox:
        for n, point in enumerate((*POINTS, SERVER)):
            kills += killed(sandbox, path, plan, point, 1 + n % 3)
        resumed(sandbox, path, plan)
    assert kills == len(POINTS) + 1


@pytest.fixture(scope="module")
def two_hundred(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Plan]:
    folder = tmp_path_factory.mktemp("two_hundred")
    _, _, plan = prepared(folder, 200)
    return folder, plan


@pytest.mark.skipif(not LONG, reason="long; FORMULA_BOT_LONG=1 runs it")
@pytest.mark.parametrize("nth", [1, 50, 100, 150, 200])
@pytest.mark.parametrize("point", [*POINTS, SERVER])
def test_a_run_of_200_killed_at_a_point_and_resumed(
    tmp_path: Path, two_hundred: tuple[Path, Plan], point: str, nth: int
) -> None:
    folder, plan = two_hundred
    shutil.copytree(folder, tmp_path / "copy")
    with Sandbox(tmp_path / "copy" / "sandbox.db") as sandbox:
        assert killed(sandbox, tmp_path / "copy" / "w", plan, point, nth)
        resumed(sandbox, tmp_path / "copy" / "w", plan)


# -- a formula with its symbols is one edit; of every second item the formula is there already, and its symbols go alone
MEANT = {"m": "Q11423", "v": "Q11465"}


def with_symbols(folder: Path, count: int) -> tuple[Path, Path, Plan]:
    with Sandbox(folder / "sandbox.db") as sandbox, Workspace.open(folder / "w") as workspace:
        sandbox.fill([{"qid": qid} for qid in (*MEANT.values(), *(f"Q{1000 + n}" for n in range(count)))])
        for n in range(count):
            qid, tex = f"Q{1000 + n}", f"p_{{{n}}}=mv"
            if n % 2:
                adds(sandbox, qid, tex)
            else:
                approve(workspace, put(workspace, qid, tex))
            for symbol, meant in MEANT.items():
                approve(workspace, put_symbol(workspace, symbol, meant, tex, item=qid))
        with Client(sandbox.wiki, SETTINGS.agent, None) as client:
            plan = make_plan(workspace, client, sandbox.wiki, SETTINGS)
    assert plan.number_of_edits == count
    return folder / "w", folder / "sandbox.db", plan


@pytest.mark.skipif(not LONG, reason="long; FORMULA_BOT_LONG=1 runs it")
@pytest.mark.parametrize("nth", [1, 2, 5])
@pytest.mark.parametrize("point", [*POINTS, SERVER])
def test_symbols_killed_at_a_point_and_resumed_are_there_once_with_their_formula(
    tmp_path: Path, point: str, nth: int
) -> None:
    path, file, plan = with_symbols(tmp_path, 6)
    with Sandbox(file) as sandbox:
        assert killed(sandbox, path, plan, point, nth)
        with Workspace.open(path) as workspace, workspace.lock("write"):
            apply(workspace, plan, sandbox.wiki, SETTINGS)
            assert Counter(one["outcome"] for one in outcome_rows(workspace, plan)) == {"written": len(plan.entries)}
            assert no_row_is_open(workspace)
            assert [what for _, what in chain.edit_discrepancies(workspace)] == []
            written = [row for row in ledger.ledger_rows(workspace) if row.outcome == "written"]
            assert len({(row.guid, row.decision) for row in written}) == len(written) == len(plan.entries)
        for n in range(6):
            found = (sandbox.entity(f"Q{1000 + n}") or {})["claims"]
            assert len(found["P2534"]) == 1
            meant = {each["mainsnak"]["datavalue"]["value"]: each["qualifiers"]["P9758"] for each in found["P7235"]}
            assert {symbol: snak["datavalue"]["value"]["id"] for symbol, (snak,) in meant.items()} == MEANT
            assert len(found["P7235"]) == 2
            assert len([row for row in sandbox.history(f"Q{1000 + n}") if row["user"] == "WikiBot"]) == 1
