"""A server on this machine that answers exactly what a test tells it to, and a clock that only tests move."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest

from bot.lookup import Client
from bot.settings import Agent, Wiki

SPARQL_JSON = "application/sparql-results+json; charset=utf-8"


@dataclass
class Reply:
    """One answer; `length` overstates the body to cut the connection short, `hold` waits before answering."""

    body: bytes | str | dict[str, Any] = b""
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    kind: str = SPARQL_JSON
    length: int | None = None
    hold: threading.Event | None = None

    def bytes(self) -> bytes:
        if isinstance(self.body, dict):
            return json.dumps(self.body).encode()
        return self.body.encode() if isinstance(self.body, str) else self.body


@dataclass
class Asked:
    method: str
    path: str
    headers: dict[str, str]
    values: dict[str, str]
    query: str = ""  # what of them stands in the address


class Server:
    """Gives out its replies in order; the last one is repeated."""

    def __init__(self) -> None:
        self.replies: list[Reply] = []
        self.asked: list[Asked] = []
        self.most_at_once = self._now = 0
        self._lock = threading.Lock()
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def _serve(self) -> None:
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0)).decode()
                parts = urlsplit(self.path)
                values = dict(parse_qsl(parts.query) + parse_qsl(body))
                with outer._lock:
                    outer.asked.append(Asked(self.command, parts.path, dict(self.headers), values, parts.query))
                    outer._now += 1
                    outer.most_at_once = max(outer.most_at_once, outer._now)
                    reply = outer.replies.pop(0) if len(outer.replies) > 1 else outer.replies[0]
                if reply.hold:
                    reply.hold.wait(5)
                threading.Event().wait(0.01)  # long enough for a second request to be seen, if the client sent one
                with outer._lock:
                    outer._now -= 1  # before the answer leaves: the client asks again as soon as it has it
                self._answer(reply)

            def _answer(self, reply: Reply) -> None:
                body = reply.bytes()
                try:
                    self.send_response(reply.status)
                    for name, value in {"Content-Type": reply.kind, **reply.headers}.items():
                        self.send_header(name, value)
                    self.send_header("Content-Length", str(reply.length or len(body)))
                    self.end_headers()
                    self.wfile.write(body)
                except BrokenPipeError:
                    pass  # the client had given up, which is what that test is about

            do_GET = do_POST = _serve

            def log_message(self, *_: object) -> None:
                pass

        self._http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.address = f"http://127.0.0.1:{self._http.server_port}"
        threading.Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()

    def close(self) -> None:
        self._http.shutdown()
        self._http.server_close()


class Time:
    """A clock that moves when somebody sleeps."""

    def __init__(self) -> None:
        self.now = 1_800_000_000.0
        self.slept: list[float] = []

    def clock(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds


@pytest.fixture
def server() -> Iterator[Server]:
    running = Server()
    yield running
    running.close()


@pytest.fixture
def answers(server: Server) -> Callable[..., None]:
    """A function that sets the server's replies: bodies, or dicts of Reply's fields."""

    def put(*replies: Any) -> None:
        made = [Reply(**r) if isinstance(r, dict) and "body" in r else Reply(r) for r in replies]
        server.replies[:] = made

    return put


@pytest.fixture
def time() -> Time:
    return Time()


@pytest.fixture
def wiki(server: Server) -> Wiki:
    return Wiki(
        name="here",
        api=f"{server.address}/w/api.php",
        sparql=f"{server.address}/sparql",
        entity_prefix="http://wiki.example/entity/",
    )


@pytest.fixture
def make(wiki: Wiki, time: Time) -> Iterator[Callable[..., Client]]:
    """A function that opens clients of the scripted server, closed at the end of the test."""
    opened: list[Client] = []

    def open_client(**changes: Any) -> Client:
        agent = Agent(contact="User:Somebody", **{k: v for k, v in changes.items() if k in ("timeout", "cache_days")})
        client = Client(changes.get("wiki", wiki), agent, changes.get("cache"), clock=time.clock, sleep=time.sleep)
        opened.append(client)
        return client

    yield open_client
    for client in opened:
        client.close()
