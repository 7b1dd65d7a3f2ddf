"""One Action API request: agent, deadline, retries, and errors that arrive under status 200."""

from __future__ import annotations

import json
from collections.abc import Mapping

from bot.lookup.endpoint import Endpoint
from bot.lookup.exchange import Late, Unusable
from bot.lookup.request_policy import Transient, for_status, retry_after
from bot.wikibase import Json

_LONG = 4000  # characters of parameters from which a request is posted: chosen, under the 8,000 bytes from which servers refuse an address
_TRY_AGAIN = ("maxlag", "ratelimited", "internal_api_error_DB", "internal_api_error_Timeout")


class Api(Endpoint):
    """A wiki's Action API, for reading only."""

    service = "wiki"

    def ask(self, *, expect: str, **parameters: str) -> Json:
        """Return an answer that has the key `expect`; raises LookupFailed for every other answer."""
        sent = {**parameters, "format": "json"}
        return self._persistently(lambda: self._once(sent, expect))

    def _once(self, parameters: Mapping[str, str], expect: str) -> Json:
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
        try:
            answer = (
                self._http.send("POST", self._address, data=parameters)
                if long
                else self._http.send("GET", self._address, params=parameters)
            )
        except Late:
            raise Transient(f"did not answer within {self._timeout:g} s", attempts=2) from None
        except Unusable as error:
            raise self._failure(str(error)) from None
        header = answer.headers.get("Retry-After")
        if transient := for_status(answer.status, header, self._clock()):
            raise transient
        if answer.status != 200:
            raise self._failure(f"refused the request (HTTP {answer.status})")
        return answer.body, header

    def _check_error(self, answer: Json, header: str | None) -> None:
        error = answer.get("error")
        if not isinstance(error, dict):
            return
        code, info = str(error.get("code", "")), str(error.get("info", ""))
        if code.startswith(_TRY_AGAIN):
            raise Transient(f"says {code}: {info}", retry_after(header, self._clock()))
        raise self._failure(f"says {code}: {info}")
