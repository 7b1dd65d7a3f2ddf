"""Send recorded requests to a rehearsal wiki in the recorded order, and say where the answers differ.

Left out of the comparison: times, tokens, server-made statement ids (mapped), hashes of page texts, byte lengths.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import requests

from bot.sandbox import BOT_PASSWORD, Sandbox
from bot.sandbox.accounts import ACCOUNTS, BOT_PASSWORDS

RECORDED_AT = "http://127.0.0.1:8181"
HEADERS = ("MediaWiki-API-Error", "Retry-After", "X-Database-Lag")
# Keys whose values belong to the machine that was recorded, or change with the time.
OWN = {"servedby", "sha1", "length", "rcid", "touched", "modified", "timestamp", "curtimestamp", "users", "jobs"}
_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")
_CLOCK = re.compile(r"\d\d:\d\d, \d{1,2} [A-Z][a-z]+ \d{4}")
_GUID = re.compile(r"([QP]\d+)\$[0-9A-Fa-f-]{36}")
LOGINS = {
    "bot": ("WikiBot@formulabot", BOT_PASSWORD),
    "noedit": ("WikiBot@noeditbot", BOT_PASSWORDS["WikiBot", "noeditbot"].password),
    "plain": ("PlainUser", ACCOUNTS["PlainUser"].password),
    "blocked": ("BlockedUser", ACCOUNTS["BlockedUser"].password),
}
Setup = Callable[[Sandbox], None]


@dataclass(frozen=True)
class Exchange:
    method: str
    params: dict[str, str]
    status: int
    headers: Mapping[str, str]
    response: Any


def read_case(path: Path) -> list[Exchange]:
    """Return the calls of one transcript."""
    raw = json.loads(path.read_text(encoding="utf-8"))
    if "exchanges" not in raw:
        raw = {
            "exchanges": [
                {**raw["request"], **{key: raw[key] for key in ("http_status", "response_headers", "response")}}
            ]
        }
    return [
        Exchange(
            one["method"],
            {key: str(value) for key, value in one["params"].items()},
            one["http_status"],
            one["response_headers"],
            one["response"],
        )
        for one in raw["exchanges"]
    ]


class Client:
    """One recorded client: its cookies and its tokens."""

    def __init__(self, sandbox: Sandbox, name: str) -> None:
        self.sandbox, self.name = sandbox, name
        self.http = requests.Session()
        self.login_token = self.csrf = ""
        if name in LOGINS:
            self.log_in()

    def log_in(self) -> None:
        name, password = LOGINS[self.name]
        self.refresh_tokens()
        said = self.ask("POST", action="login", lgname=name, lgpassword=password, lgtoken=self.login_token)
        assert said["login"]["result"] == "Success", said
        self.refresh_tokens()

    def refresh_tokens(self) -> None:
        found = self.ask("GET", action="query", meta="tokens", type="csrf|login")["query"]["tokens"]
        self.csrf, self.login_token = found["csrftoken"], found["logintoken"]

    def ask(self, method: str, **params: str) -> Any:
        return self.send(method, {**params, "format": "json"}).json()

    def send(self, method: str, params: dict[str, str]) -> requests.Response:
        url = self.sandbox.wiki.api
        if method == "GET":
            return self.http.get(url, params=params, timeout=30)
        return self.http.post(url, data=params, timeout=30)


@dataclass
class Replay:
    """One run: the wiki, its clients, and what is known of ids that the server made."""

    sandbox: Sandbox
    clients: dict[str, Client] = field(default_factory=dict)
    guids: dict[str, str] = field(default_factory=dict)
    outcomes: dict[str, str] = field(default_factory=dict)

    def client(self, name: str) -> Client:
        if name not in self.clients:
            self.clients[name] = Client(self.sandbox, name)
        return self.clients[name]

    def play(
        self, case: str, exchanges: list[Exchange], who: Callable[[str, int, Exchange], str], secrets: Mapping[str, Any]
    ) -> Iterator[str]:
        """Send a case's calls; yield every difference as path: recorded, answered."""
        for n, exchange in enumerate(exchanges):
            hook = secrets.get(f"{case}#{n}")
            if hook:
                hook(self)
            client = self.client(who(case, n, exchange))
            answer = client.send(exchange.method, self._filled(case, client, exchange.params, secrets))
            text = answer.text.replace(self.sandbox.address, RECORDED_AT)
            body = json.loads(text)
            self.outcomes[case] = outcome(body)
            if exchange.params.get("action") == "login" and body.get("login", {}).get("result") == "Success":
                client.refresh_tokens()
            client.csrf = body.get("query", {}).get("tokens", {}).get("csrftoken", client.csrf)
            client.login_token = body.get("query", {}).get("tokens", {}).get("logintoken", client.login_token)
            where = f"[{n}]" if len(exchanges) > 1 else ""
            if answer.status_code != exchange.status:
                yield f"{where}status: {exchange.status}, {answer.status_code}"
            yield from (where + one for one in self._headers(exchange, answer))
            yield from (where + one for one in self.differences(exchange.response, body, ""))

    def _filled(self, case: str, client: Client, params: dict[str, str], secrets: Mapping[str, Any]) -> dict[str, str]:
        filled = {
            key: _GUID.sub(lambda found: self.guids.get(found[0], found[0]), value) for key, value in params.items()
        }
        known = {"token": client.csrf, "lgtoken": client.login_token, "lgpassword": BOT_PASSWORD}
        for key, value in known.items():
            if filled.get(key) == "<REDACTED>":
                filled[key] = secrets.get(f"{case} {key}", value)
        return filled

    def _headers(self, exchange: Exchange, answer: requests.Response) -> Iterator[str]:
        for name in HEADERS:
            if exchange.headers.get(name) != answer.headers.get(name):
                yield f"header {name}: {exchange.headers.get(name)}, {answer.headers.get(name)}"
        kind = exchange.headers.get("Content-Type")
        if kind and kind != answer.headers.get("Content-Type"):
            yield f"header Content-Type: {kind}, {answer.headers.get('Content-Type')}"
        if len(exchange.headers) > 1:  # where only the type was kept, cookies were not recorded
            for cookie in ("UseDC", "wikidb_BPsession", "wikidb_session"):
                told, ours = (
                    cookie in exchange.headers.get("Set-Cookie", ""),
                    cookie in answer.headers.get("Set-Cookie", ""),
                )
                if told != ours:
                    yield f"cookie {cookie}: {told}, {ours}"

    def differences(self, told: Any, ours: Any, at: str) -> Iterator[str]:
        """Yield where two answers differ."""
        if isinstance(told, dict) and isinstance(ours, dict):
            for key in {**told, **ours}:
                if key in OWN and key in told and key in ours:
                    continue
                here = f"{at}.{key}"
                if key not in ours:
                    yield f"{here}: recorded {_short(told[key])}, missing"
                elif key not in told:
                    yield f"{here}: not recorded, answered {_short(ours[key])}"
                else:
                    yield from self.differences(told[key], ours[key], here)
        elif isinstance(told, list) and isinstance(ours, list):
            if len(told) != len(ours):
                yield f"{at}: {len(told)} entries, {len(ours)}: {_short(told)}, {_short(ours)}"
            for n, (one, other) in enumerate(zip(told, ours, strict=False)):
                yield from self.differences(one, other, f"{at}[{n}]")
        elif isinstance(told, str) and isinstance(ours, str):
            if not self._same_text(told, ours, at):
                yield f"{at}: {_short(told)}, {_short(ours)}"
        elif told != ours or type(told) is not type(ours):
            yield f"{at}: {_short(told)}, {_short(ours)}"

    def _same_text(self, told: str, ours: str, at: str) -> bool:
        if told == "<REDACTED>" or told == ours or (_TIME.fullmatch(told) and _TIME.fullmatch(ours)):
            return True
        if told.startswith("<math") and ours.startswith("<math"):
            return True  # two renderers draw one formula; that it is MathML is what readers rely on
        known, made = _GUID.fullmatch(told), _GUID.fullmatch(ours)
        if known and made and known[1] == made[1]:
            return self.guids.setdefault(told, ours) == ours
        mapped = _GUID.sub(lambda found: self.guids.get(found[0], found[0]), told)
        return _CLOCK.sub("<time>", mapped) == _CLOCK.sub("<time>", ours)


def outcome(body: Mapping[str, Any]) -> str:
    """Sum an answer up as the recording's own summary does."""
    if "error" in body:
        return f"{body['error'].get('code')}: {body['error'].get('info')}"
    return "ok"


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) < 160 else text[:157] + "..."
