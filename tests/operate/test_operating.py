"""What an operator asks between runs: status, doctor, query; and findings that are new, known, or accepted."""

from __future__ import annotations

import json
import re
import shlex
import shutil
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from cli_runner import ITEMS, SETTINGS, call
from test_scheduled import _config

from bot.errors import LookupFailed
from bot.lookup import Client
from bot.messages import uncoded_message
from bot.operate import run_history
from bot.operate.doctor import DATATYPES, examine
from bot.operate.status import prometheus, status
from bot.sandbox import Sandbox
from bot.settings import Agent, Auditing, Properties, Settings, Wiki
from bot.store import Workspace


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The settings file of two scheduled runs, with their workspace beside it."""
    config = _config(tmp_path_factory.mktemp("ran"), '"unreferenced", "survival"')
    call("run", "--config", config).news()
    call("run", "--config", config).well()
    return config


def test_status_tells_runs_queue_findings_and_what_to_do_next(ran: Path) -> None:
    (told,) = call("status", "--config", ran, "--json").well().rows
    assert [run["exit_code"] for run in told["runs"]] == [0, 1]
    assert told["runs"][0]["started"] >= told["runs"][1]["ended"] > ""
    assert told["queue"]["open"] == sum(told["queue"].values()) > 10
    assert (told["approvals_waiting"], told["edits_written"], told["edits_left"]) == (0, 0, 200)
    assert told["findings"]["unreferenced"] > 0
    assert told["findings_new"] == 0  # the second run found the same
    assert told["survival"][0] == "no edit is 1 day old yet"
    assert told["next_steps"] == [
        f"{told['queue']['open']} proposals wait for a decision: "
        f"formula-bot review serve -w {ran.parent / 'w'} --config {ran}"
    ]
    shown = call("status", "-w", ran.parent / "w").well().out
    assert re.search(r"^open +" + str(told["queue"]["open"]), shown, re.M)


def test_a_next_step_can_be_pasted_whatever_the_folder_is_called(ran: Path, tmp_path: Path) -> None:
    folder = shutil.copytree(ran.parent / "w", tmp_path / "mein Büro")
    (told,) = call("status", "-w", folder, "--json").well().rows
    assert shlex.split(told["next_steps"][0].split(": ")[1]) == ["formula-bot", "review", "serve", "-w", str(folder)]


def test_status_names_a_run_that_was_killed_and_one_that_failed(tmp_path: Path) -> None:
    with Workspace.open(tmp_path / "w") as w:
        with pytest.raises(LookupFailed), run_history.record_run(w, "b"):
            raise LookupFailed(uncoded_message("did not answer"), where="http://wiki.example")
        with w.engine.begin() as db:  # as kill -9 leaves it
            row = {
                "id": "a",
                "started": "2020-01-01T00:00:00Z",
                "ended": "",
                "exit_code": None,
                "message": None,
                "figures": {},
            }
            db.exec_driver_sql(
                "INSERT INTO runs (id, started, ended, exit_code, message, figures) VALUES (?, ?, ?, ?, ?, ?)",
                (*list(row.values())[:5], "{}"),
            )
        found = status(w, Settings())
    assert [(run.id, bool(run.ended), run.exit_code) for run in found.runs] == [("b", True, 2), ("a", False, None)]
    assert list(map(str, found.next_steps)) == ["the last run failed: http://wiki.example: did not answer"]


def test_only_the_last_thousand_runs_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run_history, "_MAX_RUNS", 2)
    with Workspace.open(tmp_path / "w") as w:
        for name in "abcd":
            with run_history.record_run(w, name) as result:
                result.exit_code, result.figures = 0, {"n": 3, "skipped": [1]}
        rows = run_history.last_runs(w)
    assert [row["id"] for row in rows] == ["d", "c"]
    assert rows[0]["figures"] == {"n": 3}


def test_the_figures_are_told_to_prometheus(ran: Path, tmp_path: Path) -> None:
    file = tmp_path / "bot.prom"
    (told,) = call("status", "--config", ran, "--json", "--prometheus", file).well().rows
    metrics = dict(line.rsplit(" ", 1) for line in file.read_text().splitlines() if not line.startswith("#"))
    assert metrics["formula_bot_last_run_exit_code"] == "0"
    assert float(metrics["formula_bot_last_run_end_seconds"]) > 1_700_000_000
    assert metrics['formula_bot_proposals{state="open"}'] == str(told["queue"]["open"])
    assert metrics['formula_bot_findings{audit="unreferenced"}'] == str(told["findings"]["unreferenced"])
    types = {line.split()[2] for line in file.read_text().splitlines() if line.startswith("# TYPE")}
    assert {name.partition("{")[0] for name in metrics} <= types


def test_the_daily_cap_counts_the_last_24_hours(tmp_path: Path) -> None:
    with Workspace.open(tmp_path / "w") as w:
        found = status(w, Settings(), moment=datetime.now(UTC) + timedelta(days=2))
    assert (found.edits_last_day, found.edits_left) == (0, Settings().writing.edits_a_day)
    assert "last_run" not in prometheus(found)


def test_without_a_workspace_one_line_says_so(tmp_path: Path) -> None:
    (tmp_path / "bot.toml").write_text("", encoding="utf-8")
    call("status").refused("no workspace is named", "--workspace")
    call("doctor", "--config", tmp_path / "bot.toml").refused("bot.toml", "no workspace is named")


def test_a_finding_is_new_once_and_counts_until_somebody_accepts_it(tmp_path: Path) -> None:
    w = tmp_path / "w"
    call("discover", tmp_path.parent / "none", "-w", w).refused("none")
    _config(tmp_path)
    call("discover", tmp_path / "corpus" / "cnxml", "--items", ITEMS, "-w", w, "--config", SETTINGS).well()
    call("match", "--items", ITEMS, "-w", w).well()
    first = json.loads(call("audit", "unreferenced", "-w", w, "--format", "json").news().out)["findings"]
    again = json.loads(call("audit", "unreferenced", "-w", w, "--format", "json").news().out)["findings"]
    faults = [f for f in first if f["severity"] == "warning"]
    assert all(f["new"] for f in faults)
    assert not any(f["new"] for f in again)
    assert [f["id"] for f in first] == [f["id"] for f in again]
    assert {f["first_seen"] for f in again if f["severity"] == "warning"} == {faults[0]["first_seen"]}
    for finding in faults:
        call("audit", "-w", w, "--mute", finding["id"], "--reason", "known to the community").well()
    answer = json.loads(call("audit", "unreferenced", "-w", w, "--format", "json").well().out)
    assert answer["audits"]["unreferenced"]["warning"] == 0
    assert {f["muted"] for f in answer["findings"] if f["severity"] == "warning"} == {"known to the community"}
    assert f"{len(faults)} accepted as they are" in call("audit", "unreferenced", "-w", w).well().out
    call("audit", "-w", w, "--unmute", faults[0]["id"]).well()
    assert json.loads(call("audit", "unreferenced", "-w", w, "--format", "json").news().out)["exit_code"] == 1
    exported = [row for row in call("export", "findings", "-w", w).rows if row["severity"] == "warning"]
    assert [bool(row["muted"]) for row in exported].count(False) == 1
    call("audit", "-w", w, "--mute", "0123456789ab", "--reason", "x").refused("0123456789ab", "no finding")
    call("audit", "-w", w, "--mute", faults[0]["id"]).refused("--reason")


@pytest.fixture
def client() -> Iterator[Client]:
    row = {"qid": "Q1", "label": "mass", "aliases": [], "formulas": ["F=ma"], "instance_of": []}
    with Sandbox() as sandbox:
        sandbox.fill([row])
        with Client(sandbox.wiki, Agent(timeout=5)) as opened:
            yield opened


def test_the_doctor_finds_a_sound_setting_sound(tmp_path: Path, client: Client) -> None:
    with Workspace.open(tmp_path / "w") as w:
        checks = examine(w, Settings(), client)
    assert {check.state for check in checks} == {"ok"}
    names = [check.name for check in checks]
    assert names == [
        *"python libraries workspace disk database wiki clock properties".split(),
        "query service",
        "writing",
    ]


def test_the_doctor_asks_the_query_service_of_audits_too(tmp_path: Path, client: Client) -> None:
    with Workspace.open(tmp_path / "w") as w:
        for address, state in ((client.wiki.sparql, "ok"), ("http://127.0.0.1:9/sparql", "unknown")):
            checks = {c.name: c.state for c in examine(w, Settings(audit=Auditing(sparql=address)), client)}
            assert (checks["query service"], checks["query service of audits"]) == ("ok", state)


def test_the_doctor_looks_at_all_that_a_run_looks_at_first(tmp_path: Path) -> None:
    config = _config(tmp_path, '"survivel"')
    (tmp_path / "items.jsonl").unlink()
    shutil.rmtree(tmp_path / "corpus")
    with Workspace.open(tmp_path / "w"):
        pass
    (told,) = call("doctor", "--config", config, "--json").rows
    wrong = "\n".join(check["what"] for check in told["checks"] if (check["name"], check["state"]) == ("run", "fail"))
    assert re.search(r"'survivel'.*\n.*items.jsonl: .*no such file\n.*corpus: .*no such file", wrong)


def test_the_doctor_doubts_a_wiki_without_a_formula(tmp_path: Path) -> None:
    with Sandbox() as sandbox, Client(sandbox.wiki, Agent(timeout=5)) as empty, Workspace.open(tmp_path / "w") as w:
        told = {check.name: check for check in examine(w, Settings(), empty)}
    assert (told["query service"].state, str(told["query service"].what)) == ("warn", "lists no item with a formula")
    assert str(told["wiki.properties.stated_in"].what) == "there is no property P248"


def test_the_doctor_names_wrong_and_missing_properties(tmp_path: Path, client: Client) -> None:
    client.wiki = replace(client.wiki, properties=Properties(defining_formula="P31", doi="P99999999"))
    with Workspace.open(tmp_path / "w") as w:
        told = {check.name: check for check in examine(w, Settings(), client)}
    wrong = told["wiki.properties.defining_formula"]
    assert (wrong.state, str(wrong.what)) == ("fail", "P31 is of datatype wikibase-item, not math")
    assert str(told["wiki.properties.doi"].what) == "there is no property P99999999"
    assert "properties" not in told


def test_the_doctor_says_what_does_not_answer_and_goes_on(tmp_path: Path) -> None:
    dead = Wiki(name="dead", api="http://127.0.0.1:9/api.php", sparql="http://127.0.0.1:9/sparql")
    with Workspace.open(tmp_path / "w") as w, Client(dead, Agent(timeout=1), sleep=lambda _: None) as opened:
        told = {check.name: check.state for check in examine(w, Settings(), opened)}
    assert (told["wiki"], told["properties"], told["query service"]) == ("unknown", "unknown", "unknown")
    assert told["workspace"] == "ok"
    assert told["writing"] == "warn"


@pytest.mark.parametrize("mode", [0o600, 0o644])
def test_the_doctor_looks_at_the_files_of_the_account(tmp_path: Path, mode: int) -> None:
    from bot.operate.doctor import _account
    from bot.settings import Writing

    wiki = Wiki(name="mine", api="https://test.wiki.example/w/api.php")
    writing = Writing("mine", "task", "Bot", "fam", "mine", pywikibot_dir=str(tmp_path))
    settings = Settings(writing=writing, agent=Agent(contact="User:Ada"))
    (check,) = _account(wiki, settings)
    assert (check.state, str(check.what)) == ("fail", f"{tmp_path} lacks user-config.py, user-password.py")
    for name in ("user-config.py", "user-password.py"):
        (tmp_path / name).write_text("")
        (tmp_path / name).chmod(mode)
    (check,) = _account(wiki, settings)
    assert check.state == ("ok" if mode == 0o600 else "fail")
    assert ("others can read" in str(check.what)) == (mode == 0o644)


def test_every_datatype_is_of_a_property_of_the_settings() -> None:
    assert set(DATATYPES) <= set(Properties.__slots__)


def test_the_doctor_ends_with_what_it_found(ran: Path) -> None:
    (told,) = call("doctor", "--config", ran, "--json").well().rows
    assert {check["state"] for check in told["checks"]} == {"ok"}
    assert "query service" in call("doctor", "--config", ran).well().out


def test_queries_are_listed_and_printed_filled() -> None:
    (told,) = call("query", "--json").well().rows
    purposes = {query["name"]: query["purpose"] for query in told["queries"]}
    assert "lookup_classes" in purposes
    assert all(purposes.values())
    text = call("query", "lookup_items_with_formula", "--set", "limit=7").well().out
    assert "p:P2534" in text
    assert text.rstrip().endswith("LIMIT 7")
    assert "$" not in text
    named = call("query", "lookup_items_by_name", "--set", "names=Ohm's law@en,Masse@de").well().out
    assert 'VALUES ?name { "Ohm\'s law"@en "Masse"@de }' in named


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (("lookup_nothing",), ("no query",)),
        (("lookup_classes", "--set", "qids=Q1"), ("no parameter qids", "items")),
        (("lookup_items_with_formula", "--set", "limit=all"), ("'all' is not a count",)),
        (("lookup_classes", "--set", "items=Q1 } DROP ALL"), ("Q1 } DROP ALL",)),
    ],
)
def test_a_query_that_cannot_be_filled_is_refused(given: tuple[str, ...], words: tuple[str, ...]) -> None:
    call("query", *given).refused(*words)
