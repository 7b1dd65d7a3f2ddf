"""One API call as a module meets it: parameters in MediaWiki's reading, warnings, cookies; and the modules' register."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from bot.sandbox.accounts import User
from bot.sandbox.messages import ApiError, ApiMessage
from bot.sandbox.repository import Hand
from bot.sandbox.site import ClientSession, Site

Json = dict[str, Any]
Action = Callable[["Call"], Json]
ACTIONS: dict[str, Action] = {}


class Dropped(ConnectionError):
    """The connection is cut without an answer."""


@dataclass
class Call:
    """One API call: who asks for what, and the warnings met on the way."""

    site: Site
    session: ClientSession
    params: Mapping[str, str]
    posted: bool = True
    in_query: frozenset[str] = frozenset()  # parameters that came in the address
    user: User = field(default_factory=User)
    warnings: dict[str, Json] = field(default_factory=dict)
    cookies: dict[str, str | None] = field(default_factory=dict)

    @property
    def action(self) -> str:
        return self.params.get("action", "help")

    @property
    def version(self) -> int:
        return 2 if self.params.get("formatversion") in ("2", "latest") else 1

    def get(self, name: str, default: str = "") -> str:
        return self.params.get(name, default)

    def flag(self, name: str) -> bool:
        """A boolean parameter is true when it is there at all."""
        return name in self.params

    def number(self, name: str, default: int = 0) -> int:
        text = self.get(name)
        if not text:
            return default
        try:
            return int(text)
        except ValueError:
            raise ApiError("badinteger", f'Invalid value "{text}" for integer parameter "{name}".') from None

    def several(self, name: str, default: str = "") -> list[str]:
        """Split a parameter on `|`, or on the control character it begins with."""
        return split(self.get(name, default))

    def yes(self, value: bool) -> Any:
        """Return a true boolean in the asked format version."""
        return value if self.version == 2 else ""

    def warn(self, module: str, message: ApiMessage) -> None:
        shown = {**message.as_json(self.version), "type": "warning"}
        self.warnings.setdefault(module, {}).setdefault("messages", []).append(shown)

    def warn_text(self, module: str, text: str) -> None:
        key = "warnings" if self.version == 2 else "*"
        said = self.warnings.setdefault(module, {})
        said[key] = f"{said[key]}\n{text}" if key in said else text

    def hand(self) -> Hand:
        return Hand(self.user, self.flag("bot"))


@dataclass(frozen=True, slots=True)
class ApiAnswer:
    body: Json
    headers: dict[str, str] = field(default_factory=dict)
    cookies: dict[str, str | None] = field(default_factory=dict)


def action(name: str) -> Callable[[Action], Action]:
    """Register the function that carries out one API action."""

    def register(function: Action) -> Action:
        ACTIONS[name] = function
        return function

    return register


def split(text: str) -> list[str]:
    if text.startswith("\x1f"):
        return text[1:].split("\x1f")
    return text.split("|") if text else []
