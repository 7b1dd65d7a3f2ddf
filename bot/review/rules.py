"""The rules of one queue: they are kept in the workspace, so that every way of deciding obeys the same ones."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any

from bot.errors import ReviewError
from bot.store import Workspace

_KEY = "review_rules"
_META = "https://meta.wikimedia.org/w/rest.php/oauth2"


@dataclass(frozen=True, slots=True)
class Rules:
    """How people decide together. The endpoints are Wikimedia's; the secret of the consumer is never kept here."""

    two_persons: bool = False  # an approval counts when two people said the same
    blind: float = 0.0  # share of proposals that get a second word, unseen by the first
    known_wrong: float = 0.0  # share of what is shown that is wrong on purpose
    lease_minutes: float = 10.0
    session_hours: float = 8.0
    oauth_client: str = ""
    oauth_authorize: str = f"{_META}/authorize"
    oauth_token: str = f"{_META}/access_token"
    oauth_profile: str = f"{_META}/resource/profile"
    oauth_name: str = "username"  # the field of the profile that holds the account name

    @property
    def more_than_one(self) -> bool:
        """Say whether one person's word may not be enough."""
        return self.two_persons or self.blind > 0


_RANGES = {"blind": (0, 1), "known_wrong": (0, 0.5), "lease_minutes": (0.1, 1440), "session_hours": (0.1, 720)}


def load_rules(workspace: Workspace) -> Rules:
    """Return the workspace's rules; what a newer version knows beside them is left alone."""
    stored = workspace.get(_KEY, {})
    known = {f.name for f in dataclasses.fields(Rules)}
    return Rules(**{name: value for name, value in stored.items() if name in known})


def change_rules(workspace: Workspace, changes: dict[str, str]) -> Rules:
    """Change rules given as text and return them all. Raises ReviewError for an unknown name or an impossible value."""
    kinds = {f.name: type(f.default) for f in dataclasses.fields(Rules)}
    stored: dict[str, Any] = dict(workspace.get(_KEY, {}))
    for name, text in changes.items():
        if name not in kinds:
            raise ReviewError(f"there is no rule {name!r}", todo=f"known: {', '.join(kinds)}")
        stored[name] = _value(name, text, kinds[name])
    workspace.put(_KEY, stored)
    return load_rules(workspace)


def _value(name: str, text: str, kind: type[Any]) -> Any:
    if kind is bool:
        if text.lower() not in ("true", "false", "yes", "no"):
            raise ReviewError(f"{name} is true or false, not {text!r}")
        return text.lower() in ("true", "yes")
    if kind is float:
        least, most = _RANGES[name]
        try:
            value = float(text)
        except ValueError:
            value = float("nan")
        if not least <= value <= most:
            raise ReviewError(f"{name} is a number from {least:g} to {most:g}, not {text!r}")
        return value
    if not text.isprintable() or (
        name.startswith("oauth_") and name not in ("oauth_client", "oauth_name") and not _safe(text)
    ):
        raise ReviewError(f"{name} must be an https address", where=text[:80])
    return text


def _safe(address: str) -> bool:
    """An address to sign in at is encrypted, or on this machine."""
    return address.startswith(("https://", "http://127.0.0.1:", "http://localhost:"))
