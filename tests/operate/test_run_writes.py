"""What a scheduled run writes: what people approved, where that is set, and nothing while the bot is paused."""

from __future__ import annotations

import json
import shutil
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from cli_runner import CORPUS, ITEMS, SETTINGS, CommandResult, call

from bot.audit import edit_states
from bot.errors import InputError
from bot.lookup.entities import PageRevision
from bot.messages import Message, uncoded_message
from bot.operate.scheduled import pause_if_removed, removed_and_written
from bot.sandbox.wiki_server import Sandbox
from bot.settings import Settings
from bot.store import Workspace
from bot.write import ledger
from bot.write.pause import current_pause, pause_writing, pauses, resume_writing

RUN = '[run]\nsources = ["corpus"]\nworkspace = "w"\nitems = "items.jsonl"\naudits = ["seeded"]\n'
APPROVED = 4


def config(folder: Path, more: str = "") -> Path:
    path = folder / "bot.toml"
    path.write_text(RUN + more + SETTINGS.read_text(encoding="utf-8"), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def approved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder after a first run, where Ada approved some proposals."""
    folder = tmp_path_factory.mktemp("approved")
    (folder / "corpus" / "wikitext").mkdir(parents=True)
    for name in ("Ohms_law", "Hookes_law", "Heat_equation", "Ideal_gas_law", "Hubbles_law", "Lorentz_force"):
        shutil.copy(CORPUS / "wikitext" / f"{name}.wiki", folder / "corpus" / "wikitext")
    shutil.copy(ITEMS, folder / "items.jsonl")
    call("run", "--config", config(folder)).news()
    w = folder / "w"
    call("review", "add-reviewer", "Ada", "-w", w).well()
    rows = call("export", "proposals", "-w", w).rows
    wanted = [row["id"] for row in rows if row["kind"] != "flag" and row["references"]][:APPROVED]
    assert len(wanted) == APPROVED
    call("review", "approve", *wanted, "--reviewer", "Ada", "-w", w).well()
    return folder


@pytest.fixture
def folder(approved: Path, tmp_path: Path) -> Path:
    shutil.copytree(approved, tmp_path / "f")
    return tmp_path / "f"


def run(folder: Path, more: str = "") -> tuple[CommandResult, dict[str, Any]]:
    said = call("run", "--config", config(folder, more), "--json")
    return said, said.rows[0]


def edits(folder: Path) -> list[dict[str, Any]]:
    return call("export", "edits", "-w", folder / "w").rows


def test_without_the_setting_a_run_only_plans(folder: Path) -> None:
    said, figures = run(folder)
    assert (said.code, figures["write_live"], figures["write_planned"]) == (0, False, APPROVED)
    assert edits(folder) == []
    assert "write-plan.html" in {path.name for path in (folder / "w" / "reports").iterdir()}


def test_with_the_setting_it_writes_what_was_approved_once(folder: Path) -> None:
    said, figures = run(folder, "write = true\n")
    assert said.code == 0, said.err  # what a person approved is not news
    assert (figures["write_written"], figures["write_failed"], figures["write_paused"]) == (APPROVED, 0, False)
    written = edits(folder)
    assert {row["reviewer"] for row in written} == {"Ada"}
    said, figures = run(folder, "write = true\n")
    assert (figures["write_planned"], figures["audit_new"]) == (0, 0)
    assert (said.code, figures["propose_changed"]) == (0, 0)  # no other formula is proposed for one of these items
    assert [row["guid"] for row in edits(folder)] == [row["guid"] for row in written]


def test_nothing_is_written_where_what_was_written_cannot_be_looked_at(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from bot.audit.run import AUDITS, Audit
    from bot.errors import LookupFailed

    def fails(survey: object) -> Any:
        raise LookupFailed(uncoded_message("did not answer"))
        yield

    monkeypatch.setitem(AUDITS, "seeded", Audit(fails))
    said, figures = run(folder, "write = true\n")
    assert (said.code, figures["write_live"], figures["audit_unknown"]) == (2, False, 1)
    why = "not everything could be done: the audit seeded: could not tell: did not answer"
    assert why in said.err
    assert call("status", "-w", folder / "w", "--json").rows[0]["next_steps"][0] == f"the last run failed: {why}"
    assert edits(folder) == []


def test_a_pause_is_kept_said_and_lifted_by_a_person_with_a_reason(folder: Path) -> None:
    w, file = folder / "w", config(folder, "write = true\n")
    with Workspace.open(w) as opened, opened.lock("run"):  # a run that is going on is what one wants to stop
        call("pause", "--config", file, "--reason", "the task page is being discussed").well()
    call("pause", "--config", file, "--reason", "again").refused("paused already")
    said, figures = run(folder, "write = true\n")
    assert (said.code, figures["write_live"], figures["write_paused"]) == (0, False, True)
    call("write", "-w", w, "--live").refused("writing is paused since", "the task page is being discussed")
    assert edits(folder) == []
    (told,) = call("status", "--config", file, "--json").rows
    assert "the task page is being discussed" in told["paused"]
    assert told["next_steps"][0].startswith("writing is paused")
    call("resume", "--config", file, "--reason", " ").refused("for a reason")
    assert "the pause has ended" in call("resume", "--config", file, "--reason", "everybody agreed").well().out
    call("resume", "--config", file, "--reason", "again").refused("is not paused")
    assert run(folder, "write = true\n")[1]["write_written"] == APPROVED
    with Workspace.open(w) as opened:
        (pause,) = pauses(opened)
    assert (pause["reason"], bool(pause["until"]), bool(pause["lifted_by"])) == ("everybody agreed", True, True)
    assert call("status", "--config", file, "--json").rows[0]["paused"] == ""


def test_the_bot_pauses_itself_when_others_remove_what_it_wrote(folder: Path) -> None:
    assert run(folder, "write = true\n")[1]["write_written"] == APPROVED
    with Sandbox(folder / "w" / "sandbox.db") as wiki:
        for row in edits(folder)[:3]:
            wiki.act("PlainUser", action="wbremoveclaims", claim=row["guid"])
    said, figures = run(folder, "write = true\n")
    assert (said.code, figures["audit_new"], figures["write_paused"]) == (1, 3, True)
    log = [json.loads(line) for line in Path(figures["log"]).read_text(encoding="utf-8").splitlines()]
    (event,) = [line for line in log if line["event"] == "paused"]
    assert (event["by"], len(event["counted"])) == ("the bot", 3)
    (told,) = call("status", "--config", folder / "bot.toml", "--json").rows
    assert told["paused"].endswith("others removed 3 of the 4 edits of the last 30 days")
    assert run(folder, "write = true\n")[0].code == 0  # said once
    call("resume", "--config", folder / "bot.toml", "--reason", "a mistake of the source; it is out").well()
    assert run(folder, "write = true\n")[1]["write_paused"] is False  # what was looked at counts no more


NOW = datetime(2026, 6, 30, 12, tzinfo=UTC)


def _written(workspace: Workspace, count: int, removed: int, days: float) -> None:
    """Edits of one day, the first of which others have removed on the same day."""
    time = f"{NOW - timedelta(days=days):%Y-%m-%dT%H:%M:%SZ}"
    row = {"proposal": "p", "hash": "h", "decision": 1, "reviewer": "Ada", "qid": "Q1", "payload": {}, "guid": "g"}
    rest = {"plan": "x", "group": "y", "revision_before": 1, "time": time}
    made = []
    for _ in range(count):
        n = ledger.open_row(workspace, **row, **rest)
        ledger.close_row(workspace, n, "written", revision=2, reason=Message("recorded", text=""))
        made.append(n)
    known = [
        (n, row["state"], PageRevision(row["revision"], row["user"], row["changed"]), row["instead"])
        for n, row in edit_states.stored_states(workspace).items()
    ]
    found = [
        (n, "removed" if at < removed else "changed", PageRevision(7, "Bob", time), "") for at, n in enumerate(made)
    ]
    edit_states.store_states(workspace, [*known, *found], time)


@pytest.mark.parametrize(
    ("count", "removed", "days", "pauses_"),
    [
        (20, 3, 1, True),
        (30, 3, 1, False),  # a tenth is not above a tenth
        (20, 2, 1, False),  # fewer than three are not a rate
        (20, 20, 31, False),  # long ago
    ],
)
def test_the_rate_is_of_the_edits_of_thirty_days(
    tmp_path: Path, count: int, removed: int, days: float, pauses_: bool
) -> None:
    with Workspace.open(tmp_path / "w") as w:
        _written(w, count, removed, days)
        assert len(removed_and_written(w, NOW)[0]) == (removed if days < 30 else 0)
        assert pause_if_removed(w, 0.1, NOW) is pauses_
        assert bool(current_pause(w)) is pauses_
        if pauses_:
            resume_writing(w, "looked at", "Ada")
            assert not pause_if_removed(w, 0.1, NOW)
            _written(w, 0, 0, 1)
            assert removed_and_written(w, NOW) == ([], count)


def test_a_pause_wants_a_reason_and_there_is_one_at_a_time(tmp_path: Path) -> None:
    with Workspace.open(tmp_path / "w") as w:
        with pytest.raises(InputError, match="not paused"):
            resume_writing(w, "x", "Ada")
        pause_writing(w, Message("pause.person", by="Ada", reason="x"), by="Ada")
        with pytest.raises(InputError, match="paused already"):
            pause_writing(w, Message("pause.person", by="Ada", reason="x"))
        with pytest.raises(InputError, match="for a reason"):
            resume_writing(w, "", "Ada")


def test_the_default_is_not_to_write() -> None:
    assert (Settings().run.write, Settings().run.pause_above) == (False, 0.1)
