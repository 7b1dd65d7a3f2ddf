"""The rules of one queue: kept in its workspace, so that every way of deciding, and the bot that writes, obey the same ones.

A settings file's [review] table is taken over by the workspace; a rule set by command stands above it. Each change is recorded.
"""

import dataclasses
from collections.abc import Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass
from ipaddress import ip_address

import sqlalchemy as sa

from bot import hashchain, store
from bot.errors import ReviewError
from bot.review.people import SCRIPTED_ROLE, add_reviewer, remove_reviewer, reviewers
from bot.settings import Reviewing, Settings, number_ranges
from bot.store import Row, Workspace, now, to_record

Rules = Reviewing
RuleValue = bool | float | str
(_SET, _TAKEN), _LOG = hashchain.RULES, "review_rules_log"
PEOPLE = ("reviewers", "operators")  # of the settings; they make people known and are not rules
_SECURE = ("https://", "http://127.0.0.1:", "http://localhost:")
_FORWARDED = ("x-forwarded-for", "forwarded")
_KINDS = {f.name: type(f.default) for f in dataclasses.fields(Rules) if f.name not in PEOPLE}


@dataclass(frozen=True, slots=True)
class QueueRule:
    """One rule with its present value and origin: default, settings file, workspace."""

    name: str
    value: RuleValue
    origin: str


def load_rules(workspace: Workspace) -> Rules:
    """Return the rules in force; those of a newer version are ignored."""
    return to_record(Rules, {rule.name: rule.value for rule in all_rules(workspace)}, "the rules of review")


def all_rules(workspace: Workspace) -> list[QueueRule]:
    """Return every rule with its origin."""
    query = sa.select(store.meta).where(store.meta.c.key.in_((_SET, _TAKEN)))
    stored = {row["key"]: row["value"] for row in workspace.rows(query)}
    own, from_settings = stored.get(_SET, {}), stored.get(_TAKEN, {}).get("values", {})
    found = []
    for name in _KINDS:
        origin = "workspace" if name in own else "settings file" if name in from_settings else "default"
        value = own.get(name, from_settings.get(name, getattr(Rules(), name)))
        found.append(QueueRule(name, value, origin))
    return found


def change_rules(workspace: Workspace, changes: Mapping[str, str], drop: Collection[str] = ()) -> Rules:
    """Set rules given as text above the settings, or drop such rules again, and return all that hold.

    Raises ReviewError for an unknown name or an impossible value; then nothing changes.
    """
    stored: dict[str, RuleValue] = dict(workspace.get(_SET, {}))
    for name in (*changes, *drop):
        if name not in _KINDS:
            raise ReviewError("no_such_rule", name=repr(name), todo="known", known=", ".join(_KINDS))
    changed = {name: _value(name, text, _KINDS[name]) for name, text in changes.items()}
    _store_rules(workspace, _SET, {name: value for name, value in {**stored, **changed}.items() if name not in drop})
    _record(workspace, "workspace", {**changed, **dict.fromkeys(drop)})
    return load_rules(workspace)


def take_over_settings(workspace: Workspace, settings: Settings) -> bool:
    """Let the workspace take over what a settings file states in [review]; say whether that changes anything.

    A file that states nothing changes nothing. People who are no longer named by the file are no longer known; those whom it names as before stay
    what a command has made of them since.
    Raises ReviewError for a name that cannot be a person's, or an address that is not encrypted.
    """
    if not settings.stated:
        return False
    stated = {name: getattr(settings.review, name) for name in settings.stated}
    stated = {name: list(value) if isinstance(value, tuple) else value for name, value in stated.items()}
    before = workspace.get(_TAKEN, {}).get("values", {})
    if stated == before:
        return False
    for name, value in stated.items():
        if name not in PEOPLE and isinstance(value, str):
            _value(name, value, str)
    wanted, named_before = _roles(stated), _roles(before)
    registered = reviewers(workspace)
    for name, role in wanted.items():
        if registered.get(name) == SCRIPTED_ROLE:
            raise ReviewError("script", where=name)
        if named_before.get(name) != role:
            add_reviewer(workspace, name, role)
    for name in named_before.keys() - wanted.keys():
        if name in registered:
            remove_reviewer(workspace, name)
    _store_rules(workspace, _TAKEN, {"values": stated, "file": settings.path, "time": now()})
    dropped = dict.fromkeys(before.keys() - stated.keys())
    _record(workspace, settings.path, {k: v for k, v in {**dropped, **stated}.items() if before.get(k) != v})
    return True


def _roles(stated: Mapping[str, Collection[str]]) -> dict[str, str]:
    """Return name -> role of the people whom a settings file names; who is in both lists is an operator."""
    return {name: role[:-1] for role in PEOPLE for name in stated.get(role, ())}


def rule_changes(workspace: Workspace) -> list[Row]:
    """Return every change of a rule, oldest first: time, rule, value (None: no longer set here), and where it was said."""
    found: list[Row] = workspace.get(_LOG, [])
    return found


def _store_rules(workspace: Workspace, key: str, value: object) -> None:
    with workspace.engine.begin() as db:
        hashchain.lock(db)
        store.put(db, key, value)
        hashchain.note_authority(db)


def _record(workspace: Workspace, where: str, changes: Mapping[str, object]) -> None:
    entries = [{"time": now(), "rule": name, "value": value, "where": where} for name, value in changes.items()]
    if entries:
        workspace.put(_LOG, [*rule_changes(workspace), *entries])


def _value(name: str, text: str, kind: type) -> RuleValue:
    if kind is bool:
        if text.lower() not in ("true", "false", "yes", "no"):
            raise ReviewError("rule_truth", name=name, given=repr(text))
        return text.lower() in ("true", "yes")
    if kind is float:
        least, most = number_ranges(Reviewing)[name]
        try:
            value = float(text)
        except ValueError:
            value = float("nan")
        if not least <= value <= most:
            raise ReviewError("rule_number", name=name, least=least, most=most, given=repr(text))
        return value
    if name == "forwarded_header" and text not in _FORWARDED:
        raise ReviewError("rule_one_of", name=name, known=", ".join(_FORWARDED), given=repr(text[:80]))
    if name == "trusted_proxy" and not _is_address(text):
        raise ReviewError("rule_ip", name=name, where=text[:80])
    is_address = name in ("oauth_authorize", "oauth_token", "oauth_profile")  # encrypted, or on this machine
    if not text.isprintable() or (is_address and not text.startswith(_SECURE)):
        raise ReviewError("rule_https", name=name, where=text[:80])
    return text


def _is_address(text: str) -> bool:
    with suppress(ValueError):
        return not text or bool(ip_address(text))
    return False
