"""One API call: its parameters read as MediaWiki reads them, warnings, cookies; and the register of actions."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from bot.sandbox.accounts import Editor, User
from bot.sandbox.messages import ApiError, ApiMessage
from bot.sandbox.site import ClientSession, Site

Json = dict[str, object]  # an answer, or a part of one
Action = Callable[["Call"], Json]
ACTIONS: dict[str, Action] = {}


class ConnectionDropped(ConnectionError):
    """The connection is cut without an answer."""


@dataclass
class Call:
    """One API call with its user and session, and the warnings and cookies that its answer gets."""

    site: Site
    session: ClientSession
    params: Mapping[str, str]
    posted: bool = True
    in_query: frozenset[str] = frozenset()  # parameters that came in the address
    user: User = field(default_factory=User)
    messages: dict[str, list[Json]] = field(default_factory=dict)  # warnings by module, as messages
    texts: dict[str, list[str]] = field(default_factory=dict)  # warnings by module, as plain text
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

    def list_value(self, name: str, default: str = "") -> list[str]:
        """Split a parameter on `|`, or on the control character it begins with."""
        return split(self.get(name, default))

    def limit(self, name: str, default: int = 10) -> int:
        """Return how many results a list parameter asks for; `max` is 500."""
        requested = self.get(name) or default
        return 500 if requested == "max" else int(requested)

    def true(self) -> object:
        """Return a true boolean in the asked format version; a false one is left out in version 1."""
        return True if self.version == 2 else ""

    def flags(self, **values: object) -> Json:
        """Return booleans in the asked format version."""
        return {name: self.true() if value else False for name, value in values.items() if value or self.version == 2}

    def text(self, value: str, key: str) -> Json:
        """Return a text under its key of format version 2, or under the `*` of version 1."""
        return {key if self.version == 2 else "*": value}

    def warn(self, message: ApiMessage) -> None:
        self.messages.setdefault(self.action, []).append({**message.as_json(self.version), "type": "warning"})

    def warn_text(self, module: str, text: str) -> None:
        self.texts.setdefault(module, []).append(text)

    @property
    def warnings(self) -> Json:
        """Return the warnings by module, as the answer holds them."""
        out: dict[str, Json] = {module: self.text("\n".join(lines), "warnings") for module, lines in self.texts.items()}
        for module, messages in self.messages.items():
            out.setdefault(module, {})["messages"] = messages
        return {**out}

    def editor(self) -> Editor:
        return Editor(self.user, self.flag("bot") and self.user.has_right("bot"))


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
