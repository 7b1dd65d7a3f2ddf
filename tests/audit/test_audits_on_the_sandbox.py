"""The audits over HTTP against the rehearsal wiki: the same path as on Wikidata."""

from __future__ import annotations

import json
import os
import time
from itertools import islice

import pytest

from bot.audit import exit_code, run_audits
from bot.lookup import Client
from bot.sandbox import Sandbox
from bot.settings import Agent, Settings

ROWS = [
    {"qid": "Q1", "label": "gas law", "aliases": [], "formulas": ["PV=nRT"], "instance_of": []},
    {"qid": "Q2", "label": "another law", "aliases": ["law two"], "formulas": ["P V=n R T"], "instance_of": ["Q9"]},
    {"qid": "Q3", "label": "helix", "aliases": [], "formulas": ["x=\\cos t,\\quad y=\\sin t"], "instance_of": []},
    {"qid": "Q4", "label": "no formula", "aliases": [], "formulas": [], "instance_of": []},
]


@pytest.fixture
def sandbox():
    with Sandbox() as running:
        running.fill(ROWS)
        yield running


@pytest.fixture
def client(sandbox):
    with Client(sandbox.wiki, Agent()) as opened:
        yield opened


def test_every_audit_runs_against_the_sandbox(workspace, sandbox, client):
    findings = run_audits(workspace, client, Settings(wiki=sandbox.wiki))
    found = {(f.audit, f.item) for f in findings if f.severity in ("warning", "error")}
    assert found == {
        ("unreferenced", "Q1"),
        ("unreferenced", "Q2"),
        ("unreferenced", "Q3"),
        ("shared_formula", "Q1"),
        ("several_equations", "Q3"),
    }
    assert exit_code(findings) == 1


def test_the_client_reads_the_sandbox(client):
    assert client.qids_with_formula() == ["Q1", "Q2", "Q3"]
    assert client.items_by_label(["Gas Law", "Law two", "nothing"]) == {
        "Gas Law": ["Q1"],
        "Law two": ["Q2"],
        "nothing": [],
    }
    assert client.labels_of(["Q1", "Q4"]) == {"Q1": "gas law", "Q4": "no formula"}
    assert client.classes_of(["Q2", "Q1"]) == {"Q2": ("Q9",), "Q1": ()}
    assert [v.valid for v in client.parse_math(["a^2", "\\nosuchcommand"])] == [True, False]
    assert client.entities(["Q99"])["Q99"].missing


def test_a_sandbox_that_stops_is_could_not_tell(workspace, sandbox, client):
    sandbox.close()
    client._sleep = lambda _: None
    findings = run_audits(workspace, client, Settings(wiki=sandbox.wiki))
    assert exit_code(findings) == 2


def test_the_items_of_a_wiki_are_audited_in_well_under_a_minute(workspace, shared_data):
    """A quarter of the 3,551 items of 2019; with FORMULA_BOT_LONG all of them."""
    step = 1 if os.environ.get("FORMULA_BOT_LONG") else 4
    with (shared_data / "wikidata" / "items_2019.jsonl").open() as lines, Sandbox() as sandbox:
        rows = [json.loads(line) for line in islice(lines, 0, None, step)]
        sandbox.fill(rows)
        with Client(sandbox.wiki, Agent()) as client:
            start = time.process_time()
            findings = run_audits(workspace, client, Settings(wiki=sandbox.wiki))
            assert time.process_time() - start < 30 / step
    assert sum(f.audit == "unreferenced" for f in findings) > 0.98 * sum(bool(row["formulas"]) for row in rows)
    assert not any(f.severity == "unknown" for f in findings)
