"""One polite SPARQL request: POST, agent, deadline, one at a time; the whole answer read and checked before belief."""

from __future__ import annotations

import http.client
import json
import threading
import urllib.error
from collections.abc import Callable
from typing import Any

from SPARQLWrapper import JSON, POST, SPARQLWrapper
from SPARQLWrapper.SPARQLExceptions import EndPointInternalError, SPARQLWrapperException

from bot.errors import LookupFailed
from bot.lookup.manners import Budget, Transient, for_status, persistently

_ONE_AT_A_TIME = threading.Lock()
_TIMED_OUT = ("TimeoutException", "QueryTimeout", "Operation timed out")


class Sparql:
    """A query service. `select` returns rows of column → value, "" where a column is unbound."""

    def __init__(
        self,
        endpoint: str,
        agent: str,
        timeout: float,
        budget: Budget,
        clock: Callable[[], float],
        sleep: Callable[[float], None],
    ) -> None:
        self._endpoint, self._agent, self._timeout = endpoint, agent, timeout
        self._budget, self._clock, self._sleep = budget, clock, sleep

    def select(self, query: str) -> list[dict[str, str]]:
        """Run a query; raises LookupFailed for anything but a whole and well-formed answer."""
        with _ONE_AT_A_TIME:
            return persistently(lambda: self._once(query), where=self._endpoint, budget=self._budget, sleep=self._sleep)

    def _once(self, query: str) -> list[dict[str, str]]:
        wrapper: Any = SPARQLWrapper(self._endpoint, agent=self._agent, returnFormat=JSON)
        wrapper.setMethod(POST)
        wrapper.setOnlyConneg(True)
        wrapper.setQuery(query)
        wrapper.timeout = self._timeout  # setTimeout() cuts to whole seconds, and 0 would mean none
        self._budget.wait_for_query_time()
        start = self._clock()
        try:
            return self._rows(self._body(wrapper, start))
        finally:
            self._budget.queried(max(0.0, self._clock() - start))

    def _body(self, wrapper: Any, start: float) -> bytes:
        try:
            with wrapper.query().response as response:
                kind = response.headers.get("Content-Type", "")
                body = self._read(response, start)
        except urllib.error.HTTPError as error:
            with error:
                transient = for_status(error.code, error.headers.get("Retry-After"), self._clock())
                text = error.read(4000).decode(errors="replace")
            if transient and not _timed_out(text):
                raise transient from None
            raise self._failure(f"refused the query (HTTP {error.code}): {_gist(text)}", text) from None
        except EndPointInternalError as error:
            if _timed_out(str(error)):
                raise self._failure("", str(error)) from None
            raise Transient("has an error of its own (HTTP 500)") from None
        except SPARQLWrapperException as error:
            raise self._failure(f"refused the query: {_gist(str(error))}", "") from None
        except TimeoutError:
            raise self._late() from None
        except urllib.error.URLError as error:
            if isinstance(error.reason, TimeoutError):
                raise self._late() from None
            raise _unreachable(error.reason) from None
        except (OSError, http.client.HTTPException) as error:
            raise _unreachable(error) from None
        if "json" not in kind:
            raise self._failure(
                f"answered {kind or 'nothing named'} instead of JSON: {_gist(body.decode(errors='replace'))}", ""
            )
        return body

    def _read(self, response: Any, start: float) -> bytes:
        """Read to the end, or to the deadline: a socket timeout alone lets a trickle go on for ever."""
        parts = []
        while part := response.read(1 << 16):
            parts.append(part)
            if self._clock() - start > self._timeout:
                raise self._late()
        if response.length:  # http.client returns short reads of a cut connection without a word
            raise Transient("broke off in the middle of its answer")
        return b"".join(parts)

    def _rows(self, body: bytes) -> list[dict[str, str]]:
        try:
            answer = json.loads(body)
        except (ValueError, RecursionError):
            text = body.decode(errors="replace")
            raise self._failure(f"sent an answer that is cut off or no JSON: {_gist(text[-300:])}", text) from None
        try:
            columns = [str(c) for c in answer["head"]["vars"]]
            bindings = answer["results"]["bindings"]
            if not isinstance(bindings, list):
                raise TypeError
            return [{c: str(b[c]["value"]) if c in b else "" for c in columns} for b in bindings]
        except (KeyError, TypeError, AttributeError):
            raise self._failure(
                f"sent JSON that is no query result: {_gist(body[:300].decode(errors='replace'))}", ""
            ) from None

    def _late(self) -> LookupFailed:
        return self._failure(f"did not answer within {self._timeout:g} s", "")

    def _failure(self, what: str, text: str) -> LookupFailed:
        """A failure that asking again would not mend; it counts as an error of ours."""
        self._budget.erred()
        if _timed_out(text):
            what = "ran out of time on this query"
        todo = "check that the address is right and the service well, then run again"
        return LookupFailed(what, where=self._endpoint, todo=todo)


def _timed_out(text: str) -> bool:
    return any(word in text for word in _TIMED_OUT)


def _unreachable(reason: object) -> Transient:
    attempts = 2 if isinstance(reason, ConnectionRefusedError) else 4
    return Transient(f"cannot be reached ({getattr(reason, 'strerror', None) or reason})", attempts=attempts)


def _gist(text: str) -> str:
    """The first words of an answer, on one line."""
    line = " ".join(text.split())
    return line if len(line) <= 160 else f"{line[:157]}…"
