"""Two endpoints of a wiki under its request policy: the Action API and the query service."""

import json
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar, TypeVar, Unpack

from SPARQLWrapper import JSON, POST, SELECT, SPARQLWrapper

from bot.errors import LookupFailed
from bot.lookup.exchange import (
    DeadlineExceeded,
    Exchange,
    HttpAnswer,
    RequestBudget,
    RequestOptions,
    TransientError,
    UnusableAnswer,
    error_for_status,
    retry_after,
    with_retries,
)
from bot.messages import Message, Value
from bot.wikibase import Json

T = TypeVar("T")
_POST_FROM_LENGTH = 4000  # characters of parameters from which a request is posted: chosen, under the 8,000 bytes from which servers refuse an address
_RETRYABLE_ERRORS = ("maxlag", "ratelimited", "internal_api_error_DB", "internal_api_error_Timeout")
_SPARQL_LOCK = threading.Lock()
_TIMED_OUT = ("TimeoutException", "QueryTimeout", "Operation timed out")


class Endpoint:
    """What the query service and the Action API have in common; `clock` and `sleep` are for tests."""

    service: ClassVar[str]  # what a message calls it

    def __init__(
        self,
        address: str,
        agent: str,
        timeout: float,
        budget: RequestBudget,
        clock: Callable[[], float],
        sleep: Callable[[float], None],
    ) -> None:
        self._address, self._agent, self._timeout = address, agent, timeout
        self._budget, self._clock, self._sleep = budget, clock, sleep
        self._http = Exchange(agent, timeout)

    def close(self) -> None:
        self._http.close()

    def _with_retries(self, call: Callable[[], T]) -> T:
        return with_retries(call, where=self._address, budget=self._budget, sleep=self._sleep)

    def _answer(
        self, method: str, address: str, *, accepted: tuple[int, ...] = (200,), **options: Unpack[RequestOptions]
    ) -> HttpAnswer:
        """Return the answer to one request with a status that is `accepted`; raises TransientError or LookupFailed for any other."""
        try:
            answer = self._http.send(method, address, **options)
        except DeadlineExceeded:
            raise TransientError("late", attempts=2, seconds=self._timeout) from None
        except UnusableAnswer as error:
            raise self._failure(error.message) from None
        if transient := error_for_status(answer.status, answer.headers.get("Retry-After"), self._clock()):
            raise transient
        if answer.status not in accepted:
            raise self._failure("refused_http", status=answer.status)
        return answer

    def _failure(self, message: str | Message, /, **values: Value) -> LookupFailed:
        """Return a failure that asking again would not mend; it counts as an error of ours."""
        self._budget.record_error()
        return LookupFailed(message, where=self._address, todo="check_service", service=self.service, **values)


class Api(Endpoint):
    """A wiki's Action API, for reading only."""

    service = "wiki"

    def ask(self, *, expect: str, **parameters: str) -> Json:
        """Return an answer that has the key `expect`; raises LookupFailed for every other answer."""
        sent = {**parameters, "format": "json"}
        return self._with_retries(lambda: self._attempt(sent, expect))

    def _attempt(self, parameters: Mapping[str, str], expect: str) -> Json:
        long = sum(map(len, parameters.values())) > _POST_FROM_LENGTH
        options: RequestOptions = {"data": parameters} if long else {"params": parameters}
        sent = self._answer("POST" if long else "GET", self._address, **options)
        try:
            answer = json.loads(sent.body)
        except (ValueError, RecursionError):
            raise self._failure("answer_cut") from None
        if not isinstance(answer, dict):
            raise self._failure("no_api_answer")
        if expect in answer:  # wbparsevalue carries an error beside its results
            return answer
        self._check_error(answer, sent.headers.get("Retry-After"))
        raise self._failure("answer_lacks", field=expect)

    def _check_error(self, answer: Json, header: str | None) -> None:
        error = answer.get("error")
        if not isinstance(error, dict):
            return
        code, info = str(error.get("code", "")), str(error.get("info", ""))
        if code.startswith(_RETRYABLE_ERRORS):
            raise TransientError("says", retry_after(header, self._clock()), code=code, text=info)
        raise self._failure("says", code=code, text=info)


class Sparql(Endpoint):
    """A query service. `select` returns rows of column → value, "" where a column is unbound."""

    service = "service"

    def select(self, query: str, columns: Sequence[str] = ()) -> list[dict[str, str]]:
        """Run a query; raises LookupFailed for anything but a whole and well-formed answer with these columns."""
        with _SPARQL_LOCK:
            return self._with_retries(lambda: self._attempt(query, columns))

    def _attempt(self, query: str, expected_columns: Sequence[str]) -> list[dict[str, str]]:
        wrapper: Any = SPARQLWrapper(self._address, agent=self._agent, returnFormat=JSON)
        wrapper.setMethod(POST)
        wrapper.setOnlyConneg(True)
        # setQuery looks for the type with patterns that are slow on long queries
        wrapper.queryString, wrapper.queryType = query, SELECT
        self._budget.wait_for_query_time()
        start = self._clock()
        try:
            return self._rows(self._body(wrapper), expected_columns)
        finally:
            self._budget.record_query_time(max(0.0, self._clock() - start))

    def _body(self, wrapper: Any) -> bytes:
        # Only the request is the library's: its own sending has no deadline for the whole answer and no limit of size.
        request = wrapper._createRequest()
        headers = {name.title(): value for name, value in request.header_items()}
        try:
            answer = self._http.send(request.get_method(), request.full_url, data=request.data, headers=headers)
        except DeadlineExceeded:
            self._budget.record_failure()
            raise self._failure("late", seconds=self._timeout) from None
        except UnusableAnswer as error:
            raise self._failure(error.message) from None
        if answer.status != 200:
            raise self._refusal(answer)
        kind = answer.headers.get("Content-Type", "")
        if "json" not in kind:
            excerpt = _first_words(answer.body.decode(errors="replace"))
            raise self._failure("no_json_answered", kind=kind or "?", said=excerpt)
        return answer.body

    def _refusal(self, answer: HttpAnswer) -> Exception:
        transient = error_for_status(answer.status, answer.headers.get("Retry-After"), self._clock())
        text = answer.body[:4000].decode(errors="replace")
        if transient and not _timed_out(text):
            return transient
        if _timed_out(text):
            return self._failure("query_time")
        return self._failure("refused_query", status=answer.status, said=_first_words(text))

    def _rows(self, body: bytes, expected_columns: Sequence[str]) -> list[dict[str, str]]:
        try:
            answer = json.loads(body)
        except (ValueError, RecursionError):
            text = body.decode(errors="replace")
            if _timed_out(text):
                raise self._failure("query_time") from None
            raise self._failure("answer_cut_at", said=_first_words(text[-300:])) from None
        try:
            columns = [str(c) for c in answer["head"]["vars"]]
            bindings = answer["results"]["bindings"]
            if not isinstance(bindings, list):
                raise TypeError
            if missing := [c for c in expected_columns if c not in columns]:
                raise self._failure("no_answer_column", column=missing[0], columns=", ".join(columns) or "-")
            return [{c: str(b[c]["value"]) if c in b else "" for c in columns} for b in bindings]
        except (KeyError, TypeError, AttributeError):
            excerpt = _first_words(body[:300].decode(errors="replace"))
            raise self._failure("no_query_result", said=excerpt) from None


def _timed_out(text: str) -> bool:
    return any(phrase in text for phrase in _TIMED_OUT)


def _first_words(text: str) -> str:
    """The first words of an answer, on one line."""
    line = " ".join(text.split())
    return line if len(line) <= 160 else f"{line[:157]}…"
