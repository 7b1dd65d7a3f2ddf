"""One HTTP answer through requests, and how often and how long we ask for one.

An exchange has a deadline for the whole of it, a size limit, and no redirect to another host.
A socket's own timeout counts from byte to byte, so that a server that sends one a second is never late by it. The exchange
happens in a thread of its own, and whoever asked waits for it no longer than the deadline.
Wikidata gives each client 60 s of query time a minute and 30 errors a minute; who ignores a Retry-After is banned.
"""

from __future__ import annotations

import contextlib
import math
import queue
import socket
import threading
import time
import weakref
import zlib
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import Any, TypedDict, TypeVar, Unpack
from urllib.parse import urljoin, urlsplit

import requests
import tenacity
import urllib3
from requests.adapters import HTTPAdapter
from urllib3.connection import HTTPConnection, HTTPSConnection

from bot.errors import CodedError, LookupFailed
from bot.messages import Value

T = TypeVar("T")
E = TypeVar("E", bound=Exception)

ATTEMPTS = 4  # chosen: about 7 s of doubling waits
MAX_WAIT = 120.0  # seconds, chosen; where the server asks for more, the request fails
RATE_LIMIT_WAIT = 60.0  # seconds after a 429 that names no time: the query service's manual says a minute
WINDOW = 60.0  # seconds over which the budget counts
QUERY_TIME = 50.0  # seconds of query time in a window: under the 60 allowed, since a query's end is not known before
MAX_ERRORS = 20  # in a window, under the 30 allowed
MAX_CONSECUTIVE_FAILURES = 3  # chosen
MAX_RESPONSE_BYTES = 64 << 20  # bytes, decoded: fifty large items have about 20 MB, twenty articles 40 MB at most
_AT_ONCE = 1 << 16
_PIECE = 1 << 20  # bytes that are unpacked at once
_CONNECT = 10.0  # seconds, chosen
_REDIRECTS = 5  # chosen
_GZIP_OR_ZLIB = 47  # for zlib: take either header


class TransientError(CodedError):
    """An attempt that failed, while another one may succeed; `wait` in seconds where the server named it."""

    def __init__(self, code: str, /, wait: float | None = None, attempts: int = ATTEMPTS, **values: Value) -> None:
        super().__init__(code, **values)
        self.wait, self.attempts = wait, attempts


def retry_after(value: str | None, now: float) -> float | None:
    """Return the seconds a Retry-After header asks for (a number or an HTTP date), None where it says nothing."""
    if not value or not value.strip():
        return None
    try:
        seconds = float(value)
    except ValueError:
        try:
            seconds = parsedate_to_datetime(value).timestamp() - now
        except (ValueError, OverflowError):
            return None
    return max(0.0, seconds) if math.isfinite(seconds) else None


def error_for_status(status: int, header: str | None, now: float) -> TransientError | None:
    """Return the TransientError of an HTTP status, None where a retry is useless."""
    wait = retry_after(header, now)
    if status == 429:
        return TransientError("slow_down", RATE_LIMIT_WAIT if wait is None else wait)
    if status >= 500:
        return TransientError("own_error", wait, status=status)
    return None


def with_retries(
    call: Callable[[], T],
    *,
    where: str,
    budget: RequestBudget,
    sleep: Callable[[float], None],
    longest: float = MAX_WAIT,
) -> T:
    """Return what `call` returns, retrying after a TransientError; raises LookupFailed when they do not end.

    `longest` is the seconds that are waited at most where the server names them.
    """
    budget.check(where)
    budget.rest(where, longest)
    retrying = tenacity.Retrying(
        retry=tenacity.retry_if_exception_type(TransientError),
        after=lambda _: budget.record_error(),
        wait=_wait,
        stop=_stop(longest),
        sleep=sleep,
        reraise=True,
    )
    try:
        answer = retrying(call)
    except TransientError as error:
        budget.record_failure()
        budget.record_wait(where, error.wait or 0.0)
        if error.wait is not None and error.wait > longest:
            minutes = f"{error.wait / 60:.0f}"
            raise LookupFailed(error.message, where=where, todo="silence", minutes=minutes) from None
        raise LookupFailed(error.message, where=where, todo="check_up") from None
    budget.record_success()
    return answer


class RequestBudget:
    """The requests to one wiki so far; shared by all requests of a client."""

    def __init__(self, clock: Callable[[], float], sleep: Callable[[float], None]) -> None:
        self._clock, self._sleep = clock, sleep
        self._queries: deque[tuple[float, float]] = deque()  # (end, seconds)
        self._errors: deque[float] = deque()
        self._failures = 0
        self._rest_until: dict[str, float] = {}  # until when who failed wants to be left alone, by address

    def check(self, where: str) -> None:
        """Raise LookupFailed where asking on would be rude: after failures in a row, or too many errors a minute."""
        self._drop_expired_errors()
        if self._failures >= MAX_CONSECUTIVE_FAILURES or len(self._errors) >= MAX_ERRORS:
            raise LookupFailed("failed_repeatedly", where=where, todo="later")

    def rest(self, where: str, longest: float) -> None:
        """Sleep for as long as an address still wants to be left alone. Raises LookupFailed where that is longer than `longest`."""
        left = self._rest_until.get(where, 0.0) - self._clock()
        if left > longest:
            raise LookupFailed("silence", minutes=f"{left / 60:.0f}", where=where)
        if left > 0:
            self._sleep(left)

    def wait_for_errors(self) -> None:
        """Sleep until a window holds fewer errors than are allowed, for those who have the time."""
        self._drop_expired_errors()
        while len(self._errors) >= MAX_ERRORS:
            self._sleep(max(0.1, self._errors[0] + WINDOW - self._clock()))
            self._drop_expired_errors()

    def wait_for_query_time(self) -> None:
        """Sleep until a window holds less than the allowed query time."""
        while self._queries and self._query_time_in_window() >= QUERY_TIME:
            oldest = self._queries[0][0]
            self._sleep(max(0.1, oldest + WINDOW - self._clock()))
            self._queries.popleft()

    def record_query_time(self, seconds: float) -> None:
        self._queries.append((self._clock(), seconds))

    def record_error(self) -> None:
        self._errors.append(self._clock())

    def record_failure(self) -> None:
        self._failures += 1

    def record_wait(self, where: str, seconds: float) -> None:
        """Note for how long an address that failed wants to be left alone."""
        self._rest_until[where] = self._clock() + seconds

    def record_success(self) -> None:
        self._failures = 0

    def _drop_expired_errors(self) -> None:
        while self._errors and self._errors[0] <= self._clock() - WINDOW:
            self._errors.popleft()

    def _query_time_in_window(self) -> float:
        start = self._clock() - WINDOW
        while self._queries and self._queries[0][0] <= start:
            self._queries.popleft()
        return sum(seconds for _, seconds in self._queries)


def _wait(state: tenacity.RetryCallState) -> float:
    error = failure_of(state, TransientError)
    return error.wait if error.wait is not None else 2.0 ** (state.attempt_number - 1)


def _stop(longest: float) -> Callable[[tenacity.RetryCallState], bool]:
    def stop(state: tenacity.RetryCallState) -> bool:
        error = failure_of(state, TransientError)
        return state.attempt_number >= error.attempts or (error.wait or 0.0) > longest

    return stop


def failure_of(state: tenacity.RetryCallState, kind: type[E]) -> E:
    """Return the error of the last attempt, which is of the kind that is tried again."""
    error = state.outcome.exception() if state.outcome else None
    assert isinstance(error, kind)
    return error


class DeadlineExceeded(Exception):
    """The whole answer was not there at the deadline."""


class UnusableAnswer(CodedError):
    """An answer that asking again would not mend: too large, unreadable, or on another host."""


@dataclass(frozen=True, slots=True)
class HttpAnswer:
    status: int
    headers: Mapping[str, str]
    body: bytes  # decoded; empty where the status is 429
    url: str = ""  # the address that answered, after redirects


def _accept_all(_: object) -> None:
    """Accept any answer."""


@dataclass(frozen=True, slots=True)
class ResponsePolicy:
    """What is let in. The functions raise what `send` shall raise; they run in the thread of the exchange."""

    max_bytes: int = 0  # bytes of one answer, decoded; 0: MAX_RESPONSE_BYTES
    redirect: Callable[[str], None] = _accept_all  # gets the address that a redirect leads to, before it is followed
    headers: Callable[[Mapping[str, str]], None] = _accept_all  # of an answer 200, before its body is read


class RequestOptions(TypedDict, total=False):
    """What a request carries, as for requests."""

    params: Mapping[str, str]
    data: Mapping[str, str] | bytes | None
    headers: Mapping[str, str]


class Exchange:
    """Sends requests, one after the other. `timeout` is the seconds that one answer may take, redirects included."""

    def __init__(self, agent: str, timeout: float, admission: ResponsePolicy = ResponsePolicy()) -> None:
        self._agent, self._timeout, self._admission = agent, timeout, admission
        self._session, self._adapter = self._open()

    def send(self, method: str, address: str, **options: Unpack[RequestOptions]) -> HttpAnswer:
        """Return the answer to one request.

        Raises DeadlineExceeded, UnusableAnswer, or TransientError where there is no answer or it is cut off.
        """
        deadline = time.monotonic() + self._timeout
        box: queue.SimpleQueue[HttpAnswer | Exception] = queue.SimpleQueue()
        session = self._session

        def work() -> None:
            try:
                box.put(_send_following_redirects(session, self._admission, deadline, method, address, options))
            except Exception as error:
                box.put(error)

        threading.Thread(target=work, name="lookup", daemon=True).start()
        try:
            found = box.get(timeout=self._timeout)
        except queue.Empty:
            self._reopen()
            raise DeadlineExceeded from None
        except BaseException:
            self._reopen()
            raise
        if isinstance(found, HttpAnswer):
            return found
        raise _translated_error(found) from None

    def close(self) -> None:
        self._session.close()

    def _open(self) -> tuple[requests.Session, _Adapter]:
        session, adapter = requests.Session(), _Adapter()
        session.headers.update({"User-Agent": self._agent, "Accept-Encoding": "gzip"})
        session.mount("http://", adapter)
        session.mount("https://", adapter)
        return session, adapter

    def _reopen(self) -> None:
        """Close the connections of the abandoned thread, and open a new session."""
        self._adapter.cut_connections()
        self._session.close()
        self._session, self._adapter = self._open()


class _Adapter(HTTPAdapter):
    """Knows its connections, so that they can be cut from outside while a read is going on."""

    def __init__(self) -> None:
        self._made: weakref.WeakSet[HTTPConnection] = weakref.WeakSet()
        super().__init__()

    def init_poolmanager(self, *args: Any, **kwargs: Any) -> None:
        super().init_poolmanager(*args, **kwargs)
        connections = self._made

        def noting(pool: type[urllib3.HTTPConnectionPool], kind: type[HTTPConnection]) -> type:
            def connect(connection: HTTPConnection) -> None:
                connections.add(connection)
                kind.connect(connection)

            return type(pool.__name__, (pool,), {"ConnectionCls": type(kind.__name__, (kind,), {"connect": connect})})

        plain, secure = (
            noting(urllib3.HTTPConnectionPool, HTTPConnection),
            noting(urllib3.HTTPSConnectionPool, HTTPSConnection),
        )
        self.poolmanager.pool_classes_by_scheme = {"http": plain, "https": secure}

    def cut_connections(self) -> None:
        for connection in list(self._made):
            if connection.sock is not None:
                with contextlib.suppress(OSError):  # past TLS, whose own shutdown would wait for the other side
                    socket.socket.shutdown(connection.sock, socket.SHUT_RDWR)


def _send_following_redirects(
    session: requests.Session,
    admission: ResponsePolicy,
    deadline: float,
    method: str,
    address: str,
    options: RequestOptions,
) -> HttpAnswer:
    """Send a request and follow redirects as long as they stay on the host; method and body stay the same."""
    for _ in range(_REDIRECTS + 1):
        left = max(0.001, deadline - time.monotonic())
        with session.request(
            method, address, stream=True, allow_redirects=False, timeout=(min(_CONNECT, left), left), **options
        ) as response:
            if not response.is_redirect:
                if response.status_code == 200:
                    admission.headers(response.headers)
                body = (
                    b""
                    if response.status_code == 429
                    else _body(response, deadline, admission.max_bytes or MAX_RESPONSE_BYTES)
                )
                return HttpAnswer(response.status_code, response.headers, body, response.url or address)
            onward = urljoin(address, _location(response.headers["Location"]))
        if not _same_host(address, onward):
            raise UnusableAnswer("other_host", host=urlsplit(onward).netloc or onward)
        admission.redirect(onward)
        address, options = onward, options.copy()
        options.pop("params", None)
    raise UnusableAnswer("redirects_on")


def _location(header: str) -> str:
    """Return where a redirect leads: a header comes as Latin-1, and a site may put an address in UTF-8 into it."""
    try:
        return header.encode("latin-1").decode()
    except UnicodeError:
        return header


def _same_host(address: str, other: str) -> bool:
    """Say whether a redirect stays: same host and port, or from plain HTTP to HTTPS on their usual ports."""
    old, new = urlsplit(address), urlsplit(other)
    if old.hostname != new.hostname:
        return False
    if (old.scheme, new.scheme) == ("http", "https"):
        return (old.port or 80, new.port or 443) == (80, 443)
    return (old.scheme, old.port) == (new.scheme, new.port)


def _body(response: requests.Response, deadline: float, largest: int) -> bytes:
    """Read and decode to the end, the deadline or the size limit, whichever comes first."""
    declared = response.headers.get("Content-Length", "")
    if declared.isdecimal() and int(declared) > largest:
        raise _too_large(largest)
    decoder = _Decoder(response.headers.get("Content-Encoding", ""))
    body = bytearray()
    while part := response.raw.read1(_AT_ONCE, decode_content=False):
        for piece in decoder.decode(part):
            body += piece
            if len(body) > largest:
                raise _too_large(largest)
        if time.monotonic() > deadline:
            raise DeadlineExceeded
    if not decoder.complete:
        raise TransientError("broke_off")
    return bytes(body)


def _too_large(largest: int) -> UnusableAnswer:
    return UnusableAnswer("many_bytes", most=largest)


class _Decoder:
    """Unpacks in pieces, so that reading can stop: a small answer may unpack to a thousand times its size."""

    def __init__(self, encoding: str) -> None:
        name = encoding.strip().lower()
        if name not in ("", "identity", "gzip", "x-gzip", "deflate"):
            raise UnusableAnswer("packed", packing=name)
        self._packed = name not in ("", "identity")
        self._inside = zlib.decompressobj(_GZIP_OR_ZLIB)
        self._begun = False

    @property
    def complete(self) -> bool:
        return not self._packed or not self._begun or self._inside.eof

    def decode(self, part: bytes) -> Iterator[bytes]:
        """Yield what a part unpacks to, piece by piece."""
        if not self._packed:
            yield part
            return
        while part:
            if self._inside.eof:  # a further member follows
                self._inside = zlib.decompressobj(_GZIP_OR_ZLIB)
            self._begun = True
            try:
                piece = self._inside.decompress(part, _PIECE)
            except zlib.error:
                raise UnusableAnswer("cannot_unpack") from None
            part = self._inside.unused_data or self._inside.unconsumed_tail
            yield piece


def _translated_error(error: Exception) -> Exception:
    """Return our error for an error of the libraries."""
    if isinstance(error, requests.exceptions.Timeout | urllib3.exceptions.TimeoutError):
        return DeadlineExceeded()
    if isinstance(error, requests.exceptions.ConnectionError):
        refused = "refused" in str(error).lower()
        why = "connection refused" if refused else _root_cause(error)
        return TransientError("unreachable", attempts=2 if refused else 4, why=why)
    if isinstance(error, requests.exceptions.InvalidURL | requests.exceptions.InvalidSchema):
        return UnusableAnswer("no_askable_address", why=_root_cause(error))
    if isinstance(error, requests.exceptions.RequestException | urllib3.exceptions.HTTPError | OSError):
        return TransientError("broke_off_because", why=_root_cause(error))
    return error


def _root_cause(error: BaseException) -> str:
    """The innermost reason, without the library's nesting."""
    while error.__context__ is not None:
        error = error.__context__
    return getattr(error, "strerror", None) or type(error).__name__
