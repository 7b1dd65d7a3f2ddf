"""What the query service answers is believed only where it can be: everything else is “could not tell”, with the reason, in time."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import sqlalchemy as sa
from time_limit import at_most

from bot import store
from bot.audit import run_audits
from bot.lookup import Client
from bot.messages import from_json
from bot.records import Finding
from bot.sandbox import Sandbox
from bot.settings import Agent, Auditing, Settings
from bot.store import Workspace

DEADLINE = 2.0  # seconds for one request; whoever answers does so in that time on a busy machine too
ROWS = [{"qid": f"Q{n}", "label": f"law {n}", "formulas": [f"a_{{{n}}}=b"]} for n in range(1, 8)]
Answers = Callable[[socket.socket], None]


class BadService:
    """A query service that answers each request as a function says."""

    def __init__(self, answer: Answers) -> None:
        self.answer = answer
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.address = f"http://127.0.0.1:{self._listener.getsockname()[1]}/sparql"
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        while True:
            try:
                wire, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._one, args=(wire,), daemon=True).start()

    def _one(self, wire: socket.socket) -> None:
        with wire:
            try:
                wire.recv(1 << 16)
                self.answer(wire)
            except OSError:
                pass

    def close(self) -> None:
        self._listener.close()


def response(
    body: bytes, status: str = "200 OK", kind: str = "application/sparql-results+json", **headers: object
) -> bytes:
    lines = [f"HTTP/1.1 {status}", f"Content-Type: {kind}", "Connection: close", f"Content-Length: {len(body)}"]
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    return "\r\n".join([*lines, "", ""]).encode() + body


def answer(columns: list[str], *rows: dict[str, str]) -> bytes:
    bindings = [{c: {"type": "literal", "value": v} for c, v in row.items()} for row in rows]
    return json.dumps({"head": {"vars": columns}, "results": {"bindings": bindings}}).encode()


def a_byte_a_time(wire: socket.socket) -> None:
    wire.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: application/sparql-results+json\r\nConnection: close\r\n\r\n")
    for byte in answer(["time"]) * 1000:
        wire.sendall(bytes([byte]))
        time.sleep(0.2)


def never(wire: socket.socket) -> None:
    while wire.recv(1 << 16):  # until the client has gone
        pass


OLD = f"{datetime.now(UTC) - timedelta(hours=80):%Y-%m-%dT%H:%M:%SZ}"
TIMEOUT = b'{"head":{"vars":["time"]},"results":{"bindings":[{\njava.util.concurrent.TimeoutException'
CASES: dict[str, tuple[Answers, str]] = {
    "slow": (a_byte_a_time, "did not answer within 2 s"),
    "silent": (never, "did not answer within 2 s"),
    "busy": (
        lambda wire: wire.sendall(response(b"", "429 Too Many Requests", Retry_After=7200)),
        "wants 120 minutes of silence",
    ),
    "down": (lambda wire: wire.sendall(response(b"", "503 Service Unavailable")), "HTTP 503"),
    "truncated": (lambda wire: wire.sendall(response(answer(["time"])[:-9])), "cut off or no JSON"),
    "broken off": (lambda wire: wire.sendall(response(answer(["time"]))[:-9]), "broke off"),
    "timed out": (lambda wire: wire.sendall(response(TIMEOUT)), "ran out of time on this query"),
    "HTML": (
        lambda wire: wire.sendall(response(b"<html>Welcome</html>", kind="text/html")),
        "answered text/html instead of JSON",
    ),
    "other columns": (lambda wire: wire.sendall(response(answer(["x"]))), "without the column"),
    "stale": (lambda wire: wire.sendall(response(answer(["time"], {"time": OLD}))), "as it was 80 hours ago"),
}


@pytest.fixture
def sandbox() -> Iterator[Sandbox]:
    with Sandbox() as running:
        running.fill(ROWS)
        yield running


def audit(workspace: Workspace, sandbox: Sandbox, *names: str, sparql: str = "", **options: Any) -> list[Finding]:
    settings = Settings(wiki=sandbox.wiki, audit=Auditing(sparql=sparql, **options))
    with Client(sandbox.wiki, replace(Agent(), timeout=DEADLINE), sleep=lambda _: None) as client:
        return run_audits(workspace, client, settings, names)


def kept(workspace: Workspace) -> list[store.Row]:
    return workspace.rows(sa.select(store.audit_answers).order_by(store.audit_answers.c.n))


@pytest.mark.parametrize("case", CASES)
def test_an_answer_that_is_none_could_not_tell_and_says_why(workspace: Workspace, sandbox: Sandbox, case: str) -> None:
    how, why = CASES[case]
    service = BadService(how)
    try:
        with at_most(2):
            found = audit(workspace, sandbox, "unreferenced", "invalid", sparql=service.address)
    finally:
        service.close()
    [unknown] = [f for f in found if f.severity == "unknown"]
    assert (unknown.audit, unknown.what.startswith(f"could not tell: {service.address}: ")) == ("unreferenced", True)
    assert why in unknown.what
    assert [f.audit for f in found if f.severity == "info"] == ["invalid"]  # which needs no such answer
    [row] = kept(workspace)
    assert (row["audit"], row["query"], row["endpoint"], row["rows"]) == (
        "unreferenced",
        "audit_unreferenced",
        service.address,
        0,
    )
    assert why in str(from_json(row["message"]))


def test_nobody_there_could_not_tell(workspace: Workspace, sandbox: Sandbox) -> None:
    with socket.socket() as held:  # bound and silent
        held.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{held.getsockname()[1]}/sparql"
        found = audit(workspace, sandbox, "unreferenced", sparql=address)
    assert "connection refused" in found[0].what


def test_an_empty_answer_where_entity_json_says_otherwise_could_not_tell(
    workspace: Workspace, sandbox: Sandbox
) -> None:
    service = BadService(lambda wire: wire.sendall(response(answer(["item", "statement", "time"]))))
    found = audit(workspace, sandbox, "unreferenced", sparql=service.address)
    service.close()
    assert [f.item for f in found if f.severity == "warning"] == [
        f"Q{n}" for n in range(1, 8)
    ]  # entity JSON tells them
    [unknown] = [f for f in found if f.severity == "unknown"]
    assert "of audit_unreferenced it lists 0 that are not so and lacks 7" in unknown.what


def test_fewer_rows_than_there_must_be_could_not_tell(workspace: Workspace, sandbox: Sandbox) -> None:
    [unknown] = audit(workspace, sandbox, "coverage")
    assert "answered audit_coverage with 0 rows, where at least 1 must be" in unknown.what


def test_an_answer_is_kept_with_how_it_was_asked(workspace: Workspace, sandbox: Sandbox) -> None:
    sandbox.act(
        "PlainUser", action="wbeditentity", id="Q1", data={"labels": {"en": {"language": "en", "value": "name"}}}
    )
    assert not [f for f in audit(workspace, sandbox, "unreferenced") if f.severity == "unknown"]
    [row] = kept(workspace)
    assert (row["audit"], row["query"], row["rows"], row["message"]) == ("unreferenced", "audit_unreferenced", 7, None)
    assert row["endpoint"] == sandbox.wiki.sparql
    assert f"<{sandbox.wiki.entity_prefix.removesuffix('entity/')}prop/>" in row["text"]
    assert row["revision"] == sandbox.history("Q1")[-1]["id"]
    assert 0 <= row["lag"] < 60


def test_what_is_covered_is_compared_with_the_last_audit(workspace: Workspace, sandbox: Sandbox) -> None:
    classes = {"qid": "Q50", "label": "Snell's law", "formulas": [], "instance_of": ["Q11345"]}
    sandbox.fill([classes])
    first = audit(workspace, sandbox, "coverage")
    assert [(f.item, f.what) for f in first] == [("Q11345", "0 of 1 items have a formula, 0 one with a source (new)")]
    sandbox.fill([{"qid": "Q51", "label": "Gauss's law", "formulas": ["x=y"], "instance_of": ["Q11345"]}])
    sandbox.graph._seen, sandbox.graph._store = None, type(sandbox.graph._store)()  # filled past the changes
    second = audit(workspace, sandbox, "coverage")
    assert second[0].what == "1 of 2 items have a formula (+1 since the last audit), 0 one with a source"


def test_the_work_list_names_items_with_an_article_and_no_formula(workspace: Workspace, sandbox: Sandbox) -> None:
    links = {"enwiki": "Snell's law"}
    sandbox.fill(
        [
            {"qid": "Q50", "label": "Snell's law", "instance_of": ["Q11345"], "sitelinks": links},
            {"qid": "Q51", "instance_of": ["Q11345"]},
        ]
    )
    found = audit(workspace, sandbox, "without_formula")
    assert [(f.item, f.what) for f in found] == [
        ("Q50", "it has an article and no formula"),
        ("", "1 item waits for a formula, 1 listed"),
    ]


def test_a_full_page_is_not_believed_to_hold_all_rows_of_its_last_item(
    workspace: Workspace, sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bot.lookup.client.QUERY_PAGE_ROWS", 3)
    found = audit(workspace, sandbox, "unreferenced")
    assert [f.item for f in found if f.severity == "warning"] == [f"Q{n}" for n in range(1, 8)]
    assert kept(workspace)[0]["rows"] == 7
