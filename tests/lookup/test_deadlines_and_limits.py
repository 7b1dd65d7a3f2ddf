"""Servers that trickle, never end, pack a bomb or send us elsewhere: each way of asking ends soon, in one line."""

from __future__ import annotations

import gzip
import json
import socket
import threading
import time as clock
from collections.abc import Callable, Iterator

import pytest

from bot.errors import LookupFailed
from bot.lookup import Client, exchange
from bot.settings import Agent, Wiki

DEADLINE = 0.05
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/sparql-results+json\r\nConnection: close\r\n"
ENTITY = {"entities": {"Q1": {"id": "Q1", "labels": {}, "lastrevid": 1}}}
ROWS = {"head": {"vars": ["item", "label", "language"]}, "results": {"bindings": []}}
Answers = Callable[[socket.socket, bytes], None]


class Raw:
    """A server that answers byte by byte as a function says; that function ends when the client has gone."""

    def __init__(self, answer: Answers) -> None:
        self.answer, self.asked, self.open = answer, 0, 0
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.address = f"http://127.0.0.1:{self._listener.getsockname()[1]}"
        threading.Thread(target=self._serve, daemon=True).start()

    def close(self) -> None:
        self._listener.close()

    def _serve(self) -> None:
        while True:
            try:
                wire, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._one, args=(wire,), daemon=True).start()

    def _one(self, wire: socket.socket) -> None:
        self.asked += 1
        self.open += 1
        try:
            self.answer(wire, wire.recv(1 << 16))
        except OSError:
            pass
        finally:
            self.open -= 1
            wire.close()


@pytest.fixture
def serve() -> Iterator[Callable[[Answers], Raw]]:
    running: list[Raw] = []

    def start(answer: Answers) -> Raw:
        running.append(Raw(answer))
        return running[-1]

    yield start
    for server in running:
        server.close()


def client_of(address: str, timeout: float = DEADLINE) -> Client:
    wiki = Wiki(
        name="here",
        api=f"{address}/w/api.php",
        sparql=f"{address}/sparql",
        entity_prefix="http://wiki.example/entity/",
        articles=address + "/{language}/api.php",
    )
    return Client(wiki, Agent(contact="User:Somebody", timeout=timeout), sleep=lambda _: None)


def _articles(client: Client) -> object:
    return client.articles._texts("en", ["Energy"], None)


WAYS = {
    "query": lambda client: client.select("lookup_labels", items=["Q1"], languages=["en"]),
    "entities": lambda client: client.entities(["Q1"], fresh=True),
    "math": lambda client: client.parse_math(["x"]),
    "articles": _articles,
}
every_way = pytest.mark.parametrize("ask", WAYS.values(), ids=WAYS)


def trickle(first: bytes) -> Answers:
    """Send a head at once and then a byte each hundredth of a second: no single read ever waits for long."""

    def answer(wire: socket.socket, _: bytes) -> None:
        wire.sendall(first)
        while True:
            wire.sendall(b" ")
            clock.sleep(0.01)

    return answer


@every_way
@pytest.mark.parametrize(
    "first",
    [
        HEAD + b"Content-Length: 1000000\r\n\r\n",
        HEAD + b"\r\n",
        HEAD + b"Transfer-Encoding: chunked\r\n\r\nfffff\r\n",
        HEAD + b"Content-Encoding: gzip\r\n\r\n" + gzip.compress(b"{}", mtime=0)[:10],
        HEAD + b"X-Slow: ",
        b"HTTP/1.1 200",
    ],
    ids=["length", "no length", "one chunk", "packed", "header", "status line"],
)
def test_a_byte_now_and_then_does_not_move_the_deadline(serve, ask, first):
    server = serve(trickle(first))
    began = clock.monotonic()
    with client_of(server.address) as client, pytest.raises(LookupFailed, match=r"did not answer|cannot be unpacked"):
        ask(client)
    assert (
        clock.monotonic() - began < 2 * DEADLINE + 20
    )  # two tries at most; on a busy machine; the answer would take days
    gone = clock.monotonic() + 20
    while server.open and clock.monotonic() < gone:
        clock.sleep(0.01)
    assert server.open == 0  # the connection is not kept either


@every_way
def test_an_answer_without_an_end_stops_at_the_limit(serve, ask, monkeypatch):
    monkeypatch.setattr(exchange, "MAX_RESPONSE_BYTES", 1 << 20)
    sent = []

    def answer(wire: socket.socket, _: bytes) -> None:
        wire.sendall(HEAD + b"\r\n")
        while True:
            wire.sendall(b" " * 65536)
            sent.append(65536)

    server = serve(answer)
    with client_of(server.address, 5) as client, pytest.raises(LookupFailed, match="more than 1,048,576 bytes"):
        ask(client)
    assert (server.asked, sum(sent) < 16 << 20) == (1, True)


@every_way
def test_a_packed_answer_is_unpacked_only_up_to_the_limit(serve, ask, monkeypatch):
    monkeypatch.setattr(exchange, "MAX_RESPONSE_BYTES", 1 << 20)
    bomb = gzip.compress(b" " * (8 << 20), 6)
    unpacked = 0
    made = exchange._Decoder.decode

    def noted(self: exchange._Decoder, part: bytes) -> Iterator[bytes]:
        nonlocal unpacked
        for piece in made(self, part):
            unpacked += len(piece)
            yield piece

    monkeypatch.setattr(exchange._Decoder, "decode", noted)
    head = HEAD + b"Content-Encoding: gzip\r\nContent-Length: %d\r\n\r\n" % len(bomb)
    server = serve(lambda wire, _: wire.sendall(head + bomb))
    with client_of(server.address, 5) as client, pytest.raises(LookupFailed, match="more than 1,048,576 bytes"):
        ask(client)
    assert unpacked <= 2 << 20


def test_a_packed_answer_is_read(serve):
    body = gzip.compress(json.dumps(ENTITY).encode()[:20]) + gzip.compress(json.dumps(ENTITY).encode()[20:])
    head = HEAD + b"Content-Encoding: gzip\r\nContent-Length: %d\r\n\r\n" % len(body)
    server = serve(lambda wire, _: wire.sendall(head + body))
    with client_of(server.address, 5) as client:
        assert client.raw_entities(["Q1"])["Q1"]["lastrevid"] == 1


@pytest.mark.parametrize(
    ("encoding", "body", "says"),
    [("br", b"x", "packed as br"), ("gzip", b"no gzip", "cannot be unpacked")],
)
def test_an_answer_packed_in_another_way_is_refused(serve, encoding, body, says):
    head = HEAD + b"Content-Encoding: %s\r\nContent-Length: %d\r\n\r\n" % (encoding.encode(), len(body))
    server = serve(lambda wire, _: wire.sendall(head + body))
    with client_of(server.address, 5) as client, pytest.raises(LookupFailed, match=says):
        client.entities(["Q1"])


def test_a_packed_answer_that_breaks_off_is_no_answer(serve):
    body = gzip.compress(json.dumps(ENTITY).encode())[:-9]
    head = HEAD + b"Content-Encoding: gzip\r\nContent-Length: %d\r\n\r\n" % len(body)
    server = serve(lambda wire, _: wire.sendall(head + body))
    with client_of(server.address, 5) as client, pytest.raises(LookupFailed, match="broke off"):
        client.entities(["Q1"])


def moved(status: int, location: str) -> bytes:
    return f"HTTP/1.1 {status} Moved\r\nConnection: close\r\nLocation: {location}\r\nContent-Length: 0\r\n\r\n".encode()


@every_way
@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_to_another_host_is_not_followed(serve, ask, status):
    other = serve(lambda wire, _: wire.sendall(HEAD + b"Content-Length: 2\r\n\r\n{}"))
    elsewhere = other.address.replace("127.0.0.1", "localhost")
    others = ("http://169.254.169.254", "file:///etc/passwd", "//wiki.invalid") if status == 302 else ()
    for target in (other.address, elsewhere, *others):
        server = serve(lambda wire, _, to=target: wire.sendall(moved(status, f"{to}/x")))
        with client_of(server.address, 5) as client, pytest.raises(LookupFailed, match="redirects to another host"):
            ask(client)
        assert server.asked == 1
    assert other.asked == 0


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_on_the_same_host_is_followed_with_method_and_body(serve, status):
    asked: list[bytes] = []

    def answer(wire: socket.socket, request: bytes) -> None:
        while b"query=" not in request:
            request += wire.recv(1 << 16)
        asked.append(request)
        body = json.dumps(ROWS).encode()
        onward = HEAD + b"Content-Length: %d\r\n\r\n" % len(body) + body
        wire.sendall(moved(status, "/new") if b" /sparql " in request else onward)

    server = serve(answer)
    with client_of(server.address, 5) as client:
        assert client.select("lookup_labels", items=["Q1"], languages=["en"]) == []
    assert [request.split(b" HTTP")[0] for request in asked] == [b"POST /sparql", b"POST /new"]


def test_redirects_in_a_circle_end(serve):
    server = serve(lambda wire, _: wire.sendall(moved(302, "/again")))
    with client_of(server.address, 5) as client, pytest.raises(LookupFailed, match="again and again"):
        client.entities(["Q1"])
    assert server.asked <= 8


@pytest.mark.parametrize(
    ("here", "there", "stays"),
    [
        ("http://a.org/x", "https://a.org/x", True),
        (
            "https://a.org/x",
            "https://a.org:443/y",
            False,
        ),  # written otherwise: nothing is lost by asking for the address
        ("https://a.org/x", "http://a.org/x", False),
        ("http://a.org:8080/x", "https://a.org/x", False),
        ("https://a.org/x", "https://b.a.org/x", False),
    ],
)
def test_what_counts_as_the_same_host(here, there, stays):
    assert exchange._same_host(here, there) is stays


def test_a_service_that_is_late_three_times_is_not_asked_again(serve):
    server = serve(trickle(HEAD + b"\r\n"))
    told = []
    with client_of(server.address, 0.05) as client:
        for _ in range(5):
            with pytest.raises(LookupFailed) as failed:
                WAYS["query"](client)
            told.append("failed repeatedly" in str(failed.value))
    assert told == [False, False, False, True, True]
    assert server.asked <= 3  # on a busy machine its threads may not have counted all of them yet
