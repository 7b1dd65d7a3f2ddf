"""One SPARQL request: POST, agent, deadline, one at a time; the whole answer is read and checked before it is used."""

from __future__ import annotations

import json
import threading
from collections.abc import Sequence
from typing import Any

from SPARQLWrapper import JSON, POST, SPARQLWrapper

from bot.lookup.endpoint import Endpoint
from bot.lookup.exchange import HttpAnswer, Late, Unusable
from bot.lookup.request_policy import for_status

_ONE_AT_A_TIME = threading.Lock()
_TIMED_OUT = ("TimeoutException", "QueryTimeout", "Operation timed out")


class Sparql(Endpoint):
    """A query service. `select` returns rows of column → value, "" where a column is unbound."""

    service = "service"

    def select(self, query: str, columns: Sequence[str] = ()) -> list[dict[str, str]]:
        """Run a query; raises LookupFailed for anything but a whole and well-formed answer with these columns."""
        with _ONE_AT_A_TIME:
            return self._persistently(lambda: self._once(query, columns))

    def _once(self, query: str, wanted: Sequence[str]) -> list[dict[str, str]]:
        wrapper: Any = SPARQLWrapper(self._address, agent=self._agent, returnFormat=JSON)
        wrapper.setMethod(POST)
        wrapper.setOnlyConneg(True)
        wrapper.setQuery(query)
        self._budget.wait_for_query_time()
        start = self._clock()
        try:
            return self._rows(self._body(wrapper), wanted)
        finally:
            self._budget.queried(max(0.0, self._clock() - start))

    def _body(self, wrapper: Any) -> bytes:
        # Only the request is the library's: its own sending has no deadline for the whole answer and no limit of size.
        request = wrapper._createRequest()
        headers = {name.title(): value for name, value in request.header_items()}
        try:
            answer = self._http.send(request.get_method(), request.full_url, data=request.data, headers=headers)
        except Late:
            self._budget.failed()
            raise self._failure(f"did not answer within {self._timeout:g} s") from None
        except Unusable as error:
            raise self._failure(str(error)) from None
        if answer.status != 200:
            raise self._refusal(answer)
        kind = answer.headers.get("Content-Type", "")
        if "json" not in kind:
            said = _gist(answer.body.decode(errors="replace"))
            raise self._failure(f"answered {kind or 'nothing named'} instead of JSON: {said}")
        return answer.body

    def _refusal(self, answer: HttpAnswer) -> Exception:
        transient = for_status(answer.status, answer.headers.get("Retry-After"), self._clock())
        text = answer.body[:4000].decode(errors="replace")
        if transient and not _timed_out(text):
            return transient
        return self._failure(_what(f"refused the query (HTTP {answer.status}): {_gist(text)}", text))

    def _rows(self, body: bytes, wanted: Sequence[str]) -> list[dict[str, str]]:
        try:
            answer = json.loads(body)
        except (ValueError, RecursionError):
            text = body.decode(errors="replace")
            what = f"sent an answer that is cut off or no JSON: {_gist(text[-300:])}"
            raise self._failure(_what(what, text)) from None
        try:
            columns = [str(c) for c in answer["head"]["vars"]]
            bindings = answer["results"]["bindings"]
            if not isinstance(bindings, list):
                raise TypeError
            if missing := [c for c in wanted if c not in columns]:
                raise self._failure(f"answered without the column {missing[0]}: it has {', '.join(columns) or 'none'}")
            return [{c: str(b[c]["value"]) if c in b else "" for c in columns} for b in bindings]
        except (KeyError, TypeError, AttributeError):
            said = _gist(body[:300].decode(errors="replace"))
            raise self._failure(f"sent JSON that is no query result: {said}") from None


def _timed_out(text: str) -> bool:
    return any(word in text for word in _TIMED_OUT)


def _what(what: str, text: str) -> str:
    return "ran out of time on this query" if _timed_out(text) else what


def _gist(text: str) -> str:
    """The first words of an answer, on one line."""
    line = " ".join(text.split())
    return line if len(line) <= 160 else f"{line[:157]}…"
