"""One polite Action API request through requests: agent, deadline, retries, and errors that arrive under status 200."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

import requests

from bot.errors import LookupFailed
from bot.lookup.manners import Budget, Transient, for_status, persistently, retry_after

_CONNECT = 10.0  # seconds
_LONG = 4000  # characters of parameters from which a request is posted: servers refuse longer addresses
_TRY_AGAIN = ("maxlag", "ratelimited", "internal_api_error_DB", "internal_api_error_Timeout")


class Api:
    """A wiki's Action API, for reading only."""

    def __init__(
        self,
        address: str,
        agent: str,
        timeout: float,
        budget: Budget,
        clock: Callable[[], float],
        sleep: Callable[[float], None],
    ) -> None:
        self._address, self._timeout = address, timeout
        self._budget, self._clock, self._sleep = budget, clock, sleep
        self._session = requests.Session()
        self._session.headers["User-Agent"] = agent

    def ask(self, *, expect: str, **parameters: str) -> dict[str, Any]:
        """Return an answer that has the key `expect`; raises LookupFailed for every other answer."""
        sent = {**parameters, "format": "json"}
        return persistently(
            lambda: self._once(sent, expect), where=self._address, budget=self._budget, sleep=self._sleep
        )

    def close(self) -> None:
        self._session.close()

    def _once(self, parameters: Mapping[str, str], expect: str) -> dict[str, Any]:
        body, header = self._exchange(parameters)
        try:
            answer = json.loads(body)
        except (ValueError, RecursionError):
            raise self._failure("sent an answer that is cut off or no JSON") from None
        if not isinstance(answer, dict):
            raise self._failure("sent JSON that is no API answer")
        if expect in answer:  # wbparsevalue carries an error beside its results
            return answer
        self._check_error(answer, header)
        raise self._failure(f"sent an answer without “{expect}”")

    def _exchange(self, parameters: Mapping[str, str]) -> tuple[bytes, str | None]:
        long = sum(map(len, parameters.values())) > _LONG
        start = self._clock()
        try:
            with self._session.request(
                "POST" if long else "GET",
                self._address,
                data=parameters if long else None,
                params=None if long else parameters,
                stream=True,
                timeout=(min(_CONNECT, self._timeout), self._timeout),
            ) as response:
                header = response.headers.get("Retry-After")
                if transient := for_status(response.status_code, header, self._clock()):
                    raise transient
                if response.status_code != 200:
                    raise self._failure(f"refused the request (HTTP {response.status_code})")
                return self._read(response, start), header
        except requests.exceptions.Timeout:
            raise Transient(f"did not answer within {self._timeout:g} s", attempts=2) from None
        except requests.exceptions.ConnectionError as error:
            refused = "refused" in str(error).lower()
            why = "connection refused" if refused else _cause(error)
            raise Transient(f"cannot be reached ({why})", attempts=2 if refused else 4) from None
        except requests.exceptions.RequestException as error:
            raise Transient(f"broke off in the middle of its answer ({_cause(error)})") from None

    def _read(self, response: requests.Response, start: float) -> bytes:
        parts = []
        for part in response.iter_content(1 << 16):
            parts.append(part)
            if self._clock() - start > self._timeout:
                raise Transient(f"did not answer within {self._timeout:g} s", attempts=2)
        return b"".join(parts)

    def _check_error(self, answer: Mapping[str, Any], header: str | None) -> None:
        error = answer.get("error")
        if not isinstance(error, dict):
            return
        code, info = str(error.get("code", "")), str(error.get("info", ""))
        if code.startswith(_TRY_AGAIN):
            raise Transient(f"says {code}: {info}", retry_after(header, self._clock()))
        raise self._failure(f"says {code}: {info}")

    def _failure(self, what: str) -> LookupFailed:
        self._budget.erred()
        todo = "check that the address is right and the wiki well, then run again"
        return LookupFailed(what, where=self._address, todo=todo)


def _cause(error: BaseException) -> str:
    """The innermost reason, without the library's nesting."""
    while error.__context__ is not None:
        error = error.__context__
    return getattr(error, "strerror", None) or type(error).__name__
