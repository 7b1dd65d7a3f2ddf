"""The listening side with real sockets: half-open connections, clients that keep theirs, requests that are too large."""

from __future__ import annotations

import http.client
import json
import os
import re
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
import sqlalchemy as sa
from web_records import dozen, opened, proposal, running

from bot import store
from bot.errors import ReviewError
from bot.review import add_reviewer, sessions
from bot.review.web import _shared, make_app
from bot.review.web.listener import CONNECTIONS, listen
from bot.review.web.rest import make_token
from bot.settings import Settings
from bot.store import Workspace

HALF = b"GET / HTTP/1.1\r\nHost: localhost\r\n"  # the empty line that ends a request never comes
PATIENCE = 30.0  # seconds after which a client gives up


@pytest.fixture
def w(tmp_path: Path) -> Iterator[Workspace]:
    with opened(tmp_path / "w", "Ada", proposals=dozen()) as workspace:
        yield workspace


@contextmanager
def listening(w: Workspace, **values: Any) -> Iterator[int]:
    server = listen(make_app(w, Settings(), hosts={"localhost"}), "127.0.0.1", 0, **values)
    with running(server):
        yield server.effective_port


@contextmanager
def half_open(port: int, count: int) -> Iterator[list[socket.socket]]:
    """Hold so many connections that have begun a request each."""
    with ExitStack() as stack:
        held = [stack.enter_context(socket.create_connection(("127.0.0.1", port), PATIENCE)) for _ in range(count)]
        for each in held:
            each.sendall(HALF)
        yield held


class Client:
    """A client that keeps one connection, as a browser does."""

    def __init__(self, port: int, host: str = "localhost", **headers: str) -> None:
        self.kept = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
        self.kept.connect()
        self.first = self.kept.sock
        self.headers = {"Host": host, **headers}

    def ask(self, method: str, path: str, body: str = "", **headers: str) -> tuple[int, str]:
        self.kept.request(method, path, body or None, {**self.headers, **headers})
        answer = self.kept.getresponse()
        return answer.status, answer.read().decode()

    @property
    def is_first(self) -> bool:
        """Say whether everything went over one connection."""
        return self.kept.sock is self.first


def at_once(clients: list[Any], act: Callable[[Any], None]) -> None:
    """Let every client act in a thread of its own and raise what any of them raised."""
    failed: list[BaseException] = []

    def run(each: Any) -> None:
        try:
            act(each)
        except BaseException as error:
            failed.append(error)

    threads = [threading.Thread(target=run, args=(each,)) for each in clients]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failed:
        raise failed[0]


def test_half_open_connections_keep_nobody_out(w: Workspace) -> None:
    with listening(w) as port, half_open(port, 150):
        clients = [Client(port) for _ in range(20)]

        def asks(client: Client) -> None:
            for _ in range(3):
                assert client.ask("GET", "/sign-in")[0] == 200
            assert client.is_first
            client.kept.close()

        at_once(clients, asks)


def test_a_request_that_never_ends_is_closed_also_if_it_comes_in_drops(w: Workspace) -> None:
    with listening(w, idle=0.3) as port, half_open(port, 2) as (silent, dripping):
        end = time.monotonic() + PATIENCE
        silent.settimeout(PATIENCE)
        dripping.settimeout(0.1)
        closed = False
        while not closed and time.monotonic() < end:
            try:
                dripping.sendall(b"X")
                closed = dripping.recv(1) == b""
            except TimeoutError:
                continue
            except OSError:
                closed = True
        assert closed
        with suppress(ConnectionResetError):  # closed too, the other way
            assert silent.recv(1) == b""


@pytest.mark.parametrize("path", ["/sign-in", "/packets", "/api/v1/next"])
def test_a_body_above_the_limit_is_refused_before_it_is_read(w: Workspace, path: str) -> None:
    with listening(w) as port, socket.create_connection(("127.0.0.1", port), PATIENCE) as client:
        head = f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5000001\r\n\r\n"
        client.sendall(head.encode())
        assert client.recv(1000).startswith(b"HTTP/1.1 413")


def test_a_chunked_body_above_the_limit_is_refused(w: Workspace) -> None:
    chunk = b"%x\r\n%s\r\n" % (100_000, b"x" * 100_000)
    with listening(w) as port, socket.create_connection(("127.0.0.1", port), PATIENCE) as client:
        client.sendall(b"POST /packets HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n")
        try:
            for _ in range(5_000_000 // 100_000 + 5):
                client.sendall(chunk)
            assert client.recv(1000).startswith(b"HTTP/1.1 413")
        except OSError:
            pass  # it does not read to the end, and the answer can be lost with the rest


def test_more_connections_are_open_than_half_open_ones_and_clients_of_the_figure() -> None:
    assert CONNECTIONS == 500


# The figure: 10,000 proposals, 150 half-open connections, 200 clients that keep theirs; through the command


@contextmanager
def the_command(path: Path) -> Iterator[int]:
    """Run `review serve` and yield its port."""
    run = [sys.executable, "-u", "-m", "bot", "review", "serve", "--port", "0", "-w", str(path)]
    server = subprocess.Popen(run, stdout=subprocess.PIPE, text=True)
    assert server.stdout is not None
    found = None
    while found is None:
        line = server.stdout.readline()
        assert line, "it ended"
        found = re.search(r"http://127\.0\.0\.1:(\d+)/", line)
    try:
        yield int(found[1])
    finally:
        server.terminate()
        server.wait(60)


def cookies(w: Workspace, port: int, names: list[str]) -> list[str]:
    """Return the cookie of a new session for each person, signed with the workspace's own key."""
    app = make_app(w, Settings(), hosts={f"127.0.0.1:{port}", f"localhost:{port}"})
    signer: Any = app.session_interface.get_signing_serializer(app)  # type: ignore[attr-defined]
    name = app.config["SESSION_COOKIE_NAME"]
    made = [{"sid": sessions.begin_session(w, who, 8.0), "csrf": "c" * 32, "done": []} for who in names]
    return [f"{name}={signer.dumps(session)}" for session in made]


@pytest.mark.skipif(not os.environ.get("FORMULA_BOT_LONG"), reason="long; set FORMULA_BOT_LONG=1")
def test_two_hundred_clients_and_half_open_connections_on_ten_thousand_proposals(tmp_path: Path) -> None:
    people, each = 200, 5
    made = [replace(proposal(n), id=f"{n:016x}", hash=f"hash {n}") for n in range(10_000)]
    names = [f"P{n}" for n in range(people)]
    slowest: list[float] = []
    accepted: list[str] = []
    with opened(tmp_path / "w", "Ada", proposals=made) as w:
        for name in names:
            add_reviewer(w, name)
        tokens = {name: make_token(w, name) for name in names[: people // 2]}
        with the_command(tmp_path / "w") as port, half_open(port, 150):
            kept = dict(zip(names[people // 2 :], cookies(w, port, names[people // 2 :]), strict=True))

            def timed(client: Client, *args: str, **headers: str) -> tuple[int, str]:
                began = time.monotonic()
                said = client.ask(*args, **headers)
                slowest.append(time.monotonic() - began)
                return said

            def by_api(client: Client, name: str, turn: int) -> None:
                auth = {"Authorization": f"Bearer {tokens[name]}", "Content-Type": "application/json"}
                code, text = timed(client, "POST", "/api/v1/next", "{}", **auth)
                assert code == 200, text
                found = json.loads(text)["proposal"]
                body = json.dumps({"hash": found["hash"], "verdict": "approve"})
                code, text = timed(client, "POST", f"/api/v1/proposals/{found['id']}/decisions", body, **auth)
                assert code == 201, text
                accepted.append(found["id"])

            def by_page(client: Client, name: str, turn: int) -> None:
                with_ = {"Cookie": kept[name]}
                n = 5_000 + names.index(name) * each + turn  # the API gives out those before
                code, text = timed(client, "GET", f"/p/{n:016x}", **with_)
                assert code == 200, text[-300:]
                fields = dict(re.findall(r'name="(hash|words|view)" value="([^"]*)"', text))
                fields |= {"verdict": "approve", "csrf": "c" * 32, "reference": "0"}
                form = {**with_, "Content-Type": "application/x-www-form-urlencoded"}
                code, text = timed(client, "POST", f"/p/{n:016x}", urlencode(fields), **form)
                assert code in (200, 303), text[-300:]
                accepted.append(f"{n:016x}")

            clients = [(Client(port, f"127.0.0.1:{port}"), name) for name in names]

            def act(who: tuple[Client, str]) -> None:
                client, name = who
                for turn in range(each):
                    (by_api if name in tokens else by_page)(client, name, turn)
                assert client.is_first
                client.kept.close()

            began = time.monotonic()
            at_once(clients, act)
            took = time.monotonic() - began
        rows = [row["proposal"] for row in w.rows(sa.select(store.decisions))]
    assert sorted(rows) == sorted(accepted)
    assert len(accepted) == len(set(accepted)) == people * each
    slowest.sort()
    print(
        f"{len(slowest)} requests in {took:.0f} s, median {slowest[len(slowest) // 2]:.2f} s, longest {slowest[-1]:.2f} s"
    )
    assert slowest[-1] < PATIENCE


@pytest.mark.parametrize(
    ("public", "said"),
    [
        ("https://review.example.org", "not set up"),
        ("https://review.example.org/", "not set up"),
        ("http://127.0.0.1:8080", "not set up"),
        ("http://localhost", "not set up"),
        ("http://review.example.org", "is not an address"),
        ("ftp://localhost", "is not an address"),
        ("https://", "is not an address"),
        ("https://review.example.org/queue", "is not an address"),
        ("review.example.org", "is not an address"),
    ],
)
def test_a_shared_page_has_an_encrypted_address_without_a_path(
    public: str, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("FORMULA_BOT_OAUTH_SECRET", raising=False)
    with pytest.raises(ReviewError, match=said):
        _shared(public, "client")
    if said == "not set up":
        monkeypatch.setenv("FORMULA_BOT_OAUTH_SECRET", "secret")
        assert _shared(public, "client") == "secret"
        with pytest.raises(ReviewError, match=said):
            _shared(public, "")
