"""How often and how long a wiki is asked: waits, budgets and limits as values, without a server where none is needed."""

from __future__ import annotations

import queue
import threading
import zlib
from collections.abc import Callable
from contextlib import nullcontext
from email.utils import formatdate
from pathlib import Path
from typing import Any

import pytest
import requests
import urllib3

from bot.errors import LookupFailed
from bot.lookup import exchange
from bot.lookup.endpoints import Api, Sparql
from bot.lookup.exchange import (
    DeadlineExceeded,
    Exchange,
    HttpAnswer,
    RequestBudget,
    ResponsePolicy,
    TransientError,
    UnusableAnswer,
    _Decoder,
    _same_host,
    _translated_error,
    error_for_status,
    retry_after,
    with_retries,
)
from bot.messages import Message

NOW = 1_800_000_000.0


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        (None, None), ("", None), ("  ", None), ("soon", None), ("nan", None), ("inf", None), ("17", 17.0), ("1.5", 1.5), ("-3", 0.0),
        (formatdate(NOW + 30, usegmt=True), 30.0), (formatdate(NOW - 30, usegmt=True), 0.0), ("Fri, 99 Jan 2027 08:00:00 GMT", None),
    ],
)  # fmt: skip
def test_what_a_retry_after_asks_for(header: str | None, seconds: float | None) -> None:
    assert retry_after(header, NOW) == seconds


@pytest.mark.parametrize(
    ("status", "header", "told"),
    [
        (200, "5", None), (404, None, None), (428, None, None), (430, None, None), (499, "5", None),
        (429, None, ("slow_down", 60.0)), (429, "5", ("slow_down", 5.0)), (429, "0", ("slow_down", 0.0)),
        (500, None, ("own_error", None)), (503, "5", ("own_error", 5.0)),
    ],
)  # fmt: skip
def test_which_statuses_are_asked_again_and_when(
    status: int, header: str | None, told: tuple[str, float | None]
) -> None:
    made = error_for_status(status, header, NOW)
    assert (made and (made.message.code.rpartition(".")[2], made.wait)) == told
    assert made is None or made.attempts == 4


@pytest.mark.parametrize(
    ("failure", "longest", "asked", "slept", "minutes"),
    [
        (TransientError("late"), 120.0, 4, [1.0, 2.0, 4.0], None),
        (TransientError("late", attempts=2), 120.0, 2, [1.0], None),
        (TransientError("late", 5.0), 120.0, 4, [5.0] * 3, None),
        (TransientError("late", 120.0), 120.0, 4, [120.0] * 3, None),
        (TransientError("late", 150.5), 120.0, 1, [], "3"),
        (TransientError("late", 7.0), 6.0, 1, [], "0"),
    ],
)
def test_a_failure_is_asked_again_so_often_and_after_such_waits(
    time: Any, failure: TransientError, longest: float, asked: int, slept: list[float], minutes: str | None
) -> None:
    calls: list[float] = []

    def call() -> None:
        calls.append(time.now)
        raise failure

    budget = RequestBudget(time.clock, time.sleep)
    with pytest.raises(LookupFailed) as ended:
        with_retries(call, where="w", budget=budget, sleep=time.sleep, longest=longest)
    assert (len(calls), time.slept) == (asked, slept)
    assert ended.value.message == failure.message
    advice = ended.value.advice
    assert isinstance(advice, Message)
    assert (advice.code, advice.values.get("minutes")) == ("todo.silence" if minutes else "todo.check_up", minutes)
    assert len(budget._errors) == asked


def test_who_is_told_to_wait_does_so_for_two_minutes_and_no_longer(
    answers: Callable[..., None], make: Any, time: Any
) -> None:
    body = {"entities": {"Q1": {"id": "Q1"}}}
    for wait, slept in ((120, [120.0]), (121, [])):
        time.slept.clear()
        answers({"body": "", "status": 429, "headers": {"Retry-After": str(wait)}}, body)
        if slept:
            assert make().entities(["Q1"])["Q1"].qid == "Q1"
        else:
            with pytest.raises(LookupFailed, match="2 minutes"):
                make().entities(["Q1"])
        assert time.slept == slept


def test_who_wants_silence_is_not_asked_again_before_it_is_over(
    server: Any, answers: Callable[..., None], make: Any, time: Any
) -> None:
    busy = {"body": "", "status": 429, "headers": {"Retry-After": "300"}}
    answers(busy, {"entities": {"Q1": {"id": "Q1", "labels": {"en": {"language": "en", "value": "x"}}}}})
    client = make()
    for minutes in (5, 4):
        with pytest.raises(LookupFailed, match=f"{minutes} minutes of silence"):
            client.entities(["Q1"])
        assert len(server.asked) == 1
        time.now += 60
    time.now += 80  # a hundred seconds are left: short enough to be waited for
    assert client.entities(["Q1"])["Q1"].qid == "Q1"
    assert (len(server.asked), time.slept) == (2, [100.0])


def test_errors_are_counted_for_a_minute_and_failures_until_an_answer(time: Any) -> None:
    budget = RequestBudget(time.clock, time.sleep)
    for _ in range(19):
        budget.record_error()
    time.now += 30
    budget.check("w")
    budget.record_error()
    with pytest.raises(LookupFailed):
        budget.check("w")
    time.now += 29.9
    with pytest.raises(LookupFailed):
        budget.check("w")
    time.now += 0.1  # the first ones are a minute old
    budget.check("w")
    for failed in (1, 2, 3):
        budget.record_failure()
        if failed < 3:
            budget.check("w")
    with pytest.raises(LookupFailed):
        budget.check("w")
    budget.record_success()
    budget.check("w")


def test_who_has_time_waits_until_errors_or_query_time_are_allowed_again(time: Any) -> None:
    budget = RequestBudget(time.clock, time.sleep)
    budget.wait_for_errors()
    for _ in range(10):
        budget.record_error()
    time.now += 12
    for _ in range(10):
        budget.record_error()
    budget.wait_for_errors()
    assert time.slept == [48.0]
    budget.check("w")
    time.slept.clear()
    budget.record_query_time(49.9)
    budget.wait_for_query_time()
    assert time.slept == []
    time.now += 5
    budget.record_query_time(0.1)  # 50 seconds within a minute are too many
    budget.wait_for_query_time()
    assert time.slept == [55.0]
    budget.record_query_time(60.0)
    time.now += 60
    time.slept.clear()
    budget.wait_for_query_time()
    assert time.slept == []


@pytest.mark.parametrize(("passed", "slept"), [(59.5, [0.5]), (59.95, [0.1]), (60.0, [])])
def test_a_wait_is_never_shorter_than_a_tenth_of_a_second(time: Any, passed: float, slept: list[float]) -> None:
    queries, errors = RequestBudget(time.clock, time.sleep), RequestBudget(time.clock, time.sleep)
    queries.record_query_time(50.0)
    for _ in range(20):
        errors.record_error()
    start = time.now
    for wait in (queries.wait_for_query_time, errors.wait_for_errors):
        time.now = start + passed
        time.slept.clear()
        wait()
        assert time.slept == pytest.approx(slept, abs=1e-6)


@pytest.mark.parametrize(
    ("here", "there", "stays"),
    [
        ("http://a.org/x", "http://a.org/y", True), ("http://a.org:80/x", "https://a.org:443/x", True), ("http://a.org/x", "https://a.org:8443/x", False),
        ("http://a.org/x", "http://a.org:8080/x", False), ("https://a.org/x", "ftp://a.org/x", False), ("http://a.org/", "http://b.org/", False),
    ],
)  # fmt: skip
def test_a_redirect_stays_on_host_and_port(here: str, there: str, stays: bool) -> None:
    assert _same_host(here, there) is stays


@pytest.mark.parametrize(
    ("error", "kind", "code", "why", "attempts"),
    [
        (requests.exceptions.ReadTimeout(), DeadlineExceeded, "", None, None),
        (urllib3.exceptions.ReadTimeoutError(None, "u", "m"), DeadlineExceeded, "", None, None),  # type: ignore[arg-type]
        (requests.exceptions.ConnectionError("Connection Refused"), TransientError, "unreachable", "connection refused", 2),
        (requests.exceptions.ConnectionError("gone"), TransientError, "unreachable", "ConnectionError", 4),
        (requests.exceptions.InvalidURL("x"), UnusableAnswer, "no_askable_address", "InvalidURL", None),
        (requests.exceptions.InvalidSchema("x"), UnusableAnswer, "no_askable_address", "InvalidSchema", None),
        (requests.exceptions.ChunkedEncodingError("x"), TransientError, "broke_off_because", "ChunkedEncodingError", 4),
        (OSError(5, "Input/output error"), TransientError, "broke_off_because", "Input/output error", 4),
        (ValueError("x"), ValueError, "", None, None),
    ],
)  # fmt: skip
def test_what_an_error_of_the_libraries_means(
    error: Exception, kind: type, code: str, why: str | None, attempts: int | None
) -> None:
    found = _translated_error(error)
    assert type(found) is kind
    if isinstance(found, TransientError | UnusableAnswer):
        assert (found.message.code.rpartition(".")[2], found.message.values["why"]) == (code, why)
    assert getattr(found, "attempts", None) == attempts


def test_what_is_packed_is_unpacked_member_by_member_and_known_to_be_whole() -> None:
    def unpacked(encoding: str, *parts: bytes) -> tuple[bytes, bool]:
        decoder = _Decoder(encoding)
        return b"".join(piece for part in parts for piece in decoder.decode(part)), decoder.complete

    gzip = zlib.compressobj(wbits=31)
    member = gzip.compress(b"abc") + gzip.flush()
    assert unpacked("", b"plain") == unpacked(" Identity ", b"plain") == (b"plain", True)
    assert unpacked("gzip") == (b"", True)
    assert unpacked("x-gzip", member) == (b"abc", True)
    assert unpacked("deflate", zlib.compress(b"abc")) == (b"abc", True)
    assert unpacked("gzip", member[:4], member[4:], member) == (b"abcabc", True)
    assert unpacked("gzip", member + member[:12])[1] is False
    assert unpacked("gzip", member[:-1]) == (b"abc", False)
    big = _Decoder("deflate")
    assert [len(piece) for piece in big.decode(zlib.compress(bytes((1 << 20) + 5)))] == [1 << 20, 5]
    with pytest.raises(UnusableAnswer):
        _Decoder("br")


@pytest.fixture
def opened() -> Any:
    made: list[Exchange] = []

    def open_exchange(timeout: float = 5.0, admission: ResponsePolicy | None = None) -> Exchange:
        made.append(Exchange("bot/1 (me)", timeout, admission or ResponsePolicy()))
        return made[-1]

    yield open_exchange
    for each in made:
        each.close()


def test_an_answer_has_its_status_body_and_the_address_that_gave_it(opened: Any, answers: Any, server: Any) -> None:
    seen: list[str] = []
    admission = ResponsePolicy(10, seen.append, lambda headers: seen.append(headers["X-Kind"]))
    exchange = opened(admission=admission)
    answers(
        {"body": "moved", "status": 302, "headers": {"Location": "/there?b=2"}},
        {"body": "0123456789", "headers": {"X-Kind": "k"}},
    )
    found = exchange.send("GET", f"{server.address}/here", params={"a": "1"}, headers={"X-Own": "o"})
    assert (found.status, found.body, found.url) == (200, b"0123456789", f"{server.address}/there?b=2")
    assert seen == [f"{server.address}/there?b=2", "k"]
    assert [(each.path, each.values) for each in server.asked] == [("/here", {"a": "1"}), ("/there", {"b": "2"})]
    sent = server.asked[1].headers
    assert (sent["User-Agent"], sent["Accept-Encoding"], sent["X-Own"]) == ("bot/1 (me)", "gzip", "o")
    answers({"body": "01234567890", "headers": {"X-Kind": "k"}})
    with pytest.raises(UnusableAnswer) as refused:
        exchange.send("GET", f"{server.address}/here")
    assert refused.value.message.values == {"most": 10}


@pytest.mark.parametrize(("status", "body"), [(404, b"gone"), (429, b""), (500, b"oops")])
def test_only_a_good_answer_is_looked_at_before_it_is_read(
    opened: Any, answers: Any, server: Any, status: int, body: bytes
) -> None:
    def never(headers: object) -> None:
        raise AssertionError(headers)

    answers({"body": "slow down" if status == 429 else body, "status": status})
    found = opened(admission=ResponsePolicy(headers=never)).send("GET", server.address)
    assert (found.status, found.body) == (status, body)


def test_five_redirects_are_followed_and_no_sixth(opened: Any, answers: Any, server: Any) -> None:
    moved = {"body": "", "status": 302, "headers": {"Location": "/on"}}
    answers(*[moved] * 5, {"body": "there"})
    assert opened().send("GET", server.address).body == b"there"
    answers(*[moved] * 6, {"body": "there"})
    with pytest.raises(UnusableAnswer, match="again and again"):
        opened().send("GET", server.address)


class Interrupted(queue.SimpleQueue[object]):
    def get(self, block: bool = True, timeout: float | None = None) -> object:
        raise KeyboardInterrupt


@pytest.mark.parametrize("error", [DeadlineExceeded, KeyboardInterrupt])
def test_after_a_late_answer_or_an_interrupt_the_session_is_a_new_one(
    opened: Any, monkeypatch: pytest.MonkeyPatch, error: type[BaseException]
) -> None:
    exchange = opened(0.01)
    first, ended, go_on = exchange._session, [], threading.Event()
    if error is KeyboardInterrupt:
        monkeypatch.setattr(queue, "SimpleQueue", Interrupted)
    monkeypatch.setattr("bot.lookup.exchange._send_following_redirects", lambda *_: go_on.wait(20))
    monkeypatch.setattr(first, "close", lambda: ended.append(first))
    monkeypatch.setattr(exchange._adapter, "cut_connections", lambda: ended.append("connections"))
    with pytest.raises(error):
        exchange.send("GET", "http://127.0.0.1:9/")
    go_on.set()
    assert ended == ["connections", first]
    assert exchange._session is not first
    assert exchange._session.adapters["https://"] is exchange._session.adapters["http://"] is exchange._adapter


@pytest.mark.parametrize(("left", "timeout"), [(100.0, (10.0, 100.0)), (4.0, (4.0, 4.0)), (-1.0, (0.001, 0.001))])
def test_a_connection_is_waited_for_ten_seconds_or_what_is_left(
    monkeypatch: pytest.MonkeyPatch, left: float, timeout: tuple[float, float]
) -> None:
    class Session:
        def request(self, *_: object, **options: Any) -> Any:
            raise LookupError(options["timeout"])

    monkeypatch.setattr(exchange.time, "monotonic", lambda: 50.0)
    with pytest.raises(LookupError) as asked:
        exchange._send_following_redirects(Session(), ResponsePolicy(), 50.0 + left, "GET", "http://a/", {})  # type: ignore[arg-type]
    assert asked.value.args == (timeout,)


@pytest.mark.parametrize("error", [DeadlineExceeded(), TransientError("slow_down"), None])
def test_query_time_counts_whether_or_not_there_was_an_answer(time: Any, error: Exception | None) -> None:
    budget = RequestBudget(time.clock, time.sleep)
    service = Sparql("http://127.0.0.1:9/sparql", "bot/1 (me)", 5.0, budget, time.clock, time.sleep)
    body = b'{"head": {"vars": []}, "results": {"bindings": []}}'

    def send(*_: object, **__: object) -> HttpAnswer:
        time.now += 7
        if error:
            raise error
        return HttpAnswer(200, {"Content-Type": "application/json"}, body)

    service._http.send = send  # type: ignore[method-assign]
    with pytest.raises((LookupFailed, TransientError)) if error else nullcontext():
        service._attempt("SELECT ?item { ?item ?p ?o }", ())
    assert [seconds for _, seconds in budget._queries] == [7.0]


def test_so_many_are_asked_for_at_once(make: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of 401 items' names, of 301 items' classes, labels and sitelinks, of 501 items and of as many answers one is asked for apart."""
    client, sizes = make(), list[int]()

    def select(query: str, **values: Any) -> list[dict[str, str]]:
        sizes.append(len(values.get("items") or values["names"]))
        return []

    def entities(ids: Any, languages: str, fresh: bool) -> dict[str, Any]:
        sizes.append(len(ids))
        return {}

    monkeypatch.setattr(client, "select", select)
    monkeypatch.setattr(client.articles, "_select", select)
    monkeypatch.setattr(client, "_entities", entities)
    qids = [f"Q{n}" for n in range(1, 502)]
    for ask in (client.classes_of, client.labels_of, lambda some: client.articles.titles_of(some, ["en"])):
        ask(qids[:301])
        assert sizes == [300, 1]
        sizes.clear()
    client.items_by_label([str(n) for n in range(10_000, 10_201)])  # in two languages
    assert sizes == [400, 2]
    sizes.clear()
    client.entities(qids)
    assert sizes == [500, 0, 1, 0]
    sizes.clear()
    monkeypatch.setattr(client, "rows", lambda text, **_: sizes.append(int(text.rpartition("LIMIT ")[2])) or [])
    assert client.qids_with_formula() == []
    assert sizes == [5000]
    sizes.clear()
    cache = make(cache=tmp_path / "cache.db")._cache
    monkeypatch.setattr(cache, "_execute", lambda sql, values: sizes.append(len(values) - 2) or [])
    assert cache.get_many(qids) == {}
    assert sizes == [500, 1]


@pytest.mark.parametrize("status", [201, 204, 301, 400, 404])
def test_an_answer_of_another_status_is_refused(answers: Any, make: Any, server: Any, status: int) -> None:
    answers({"body": {"query": {"recentchanges": []}}, "status": status})
    with pytest.raises(LookupFailed) as refused:
        make().newest_revision()
    values = refused.value.message.values
    assert (refused.value.message.code, values["status"]) == ("error.refused_http", status)
    assert len(server.asked) == 1


def test_what_a_client_opened_is_closed_with_it(make: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    closed: list[object] = []
    monkeypatch.setattr(requests.Session, "close", lambda session: closed.append(session))
    opened = make(cache=tmp_path / "cache.db")
    opened._cache.put("request", 1)
    assert opened._cache._db is not None
    services = [opened._endpoint(Sparql, f"http://127.0.0.1:{port}/sparql") for port in (8, 9)]
    services += [opened._api, *(opened._endpoint(Api, f"http://127.0.0.1/{language}") for language in ("de", "en"))]
    opened.close()
    assert {id(each._http._session) for each in services} == {id(each) for each in closed}
    assert opened._cache._db is None


@pytest.mark.parametrize(("more", "method"), [(0, "GET"), (1, "POST")])
def test_a_request_of_four_thousand_characters_is_not_posted(
    answers: Any, make: Any, server: Any, more: int, method: str
) -> None:
    answers({"query": 1})
    make()._api.ask(expect="query", action="x" * (4000 - len("json") + more))
    assert server.asked[0].method == method
