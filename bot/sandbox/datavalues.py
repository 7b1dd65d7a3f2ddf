"""The wiki's validators: whether a value is allowed for a datatype, with the wiki's own messages."""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterable
from typing import cast

from bot.formula import check as check_formula
from bot.sandbox.entity_json import EntityId, MonolingualText, SnakJson, Time
from bot.sandbox.messages import ApiMessage, message, red_link, refused
from bot.wikibase import MOST_CHARACTERS

LIMITS = {
    **dict.fromkeys(("math", "string", "external-id"), MOST_CHARACTERS),
    "monolingualtext": 1500,
    "url": 500,
}
_EDGES = re.compile(r"^\s|\s$|[\v\t\n\r\f]")
_TIME = re.compile(r"[+-]\d{1,16}-(?:0\d|1[0-2])-(?:[0-2]\d|3[01])T00:00:00Z")
_UNKNOWN = re.compile(r"(?i)unknown|not known")
_SCHEME = re.compile(r"(?i)[a-z][a-z0-9+.-]*:")
_SCHEMES = ("http://", "https://", "ftp://", "mailto:", "sftp://", "git://", "irc://", "telnet://")
_VALIDATOR = "wikibase-validator-"

Exists = Callable[[str], bool]


def violation(kind: str, value: object, exists: Exists) -> ApiMessage | None:
    """Return the validator's message for a bad value of a datatype, or None for a good one.

    The value has the type that belongs to the datatype (`snaks.data_value` makes sure of it).
    """
    if kind in ("string", "external-id", "math") and isinstance(value, str):
        return text_violation(value, LIMITS[kind]) or (math_violation(value) if kind == "math" else None)
    if kind == "url" and isinstance(value, str):
        return _length(value, LIMITS[kind]) or _url(value)
    if kind == "monolingualtext":
        return text_violation(cast(MonolingualText, value)["text"], LIMITS[kind])
    if kind == "time":
        time = cast(Time, value)
        good = _TIME.fullmatch(time["time"]) and 0 <= time["precision"] <= 11
        return None if good else malformed(time["time"])
    if kind in ("wikibase-item", "wikibase-property"):
        qid = cast(EntityId, value)["id"]
        return None if exists(qid) else _no_entity(qid)
    return None


def check(snaks: Iterable[SnakJson], exists: Exists) -> None:
    """Raise ApiError at the first snak whose value is not allowed."""
    for snak in snaks:
        found = violation(snak["datatype"], snak["datavalue"]["value"], exists) if "datavalue" in snak else None
        if found:
            raise refused("modification-failed", found)


def text_violation(text: str, limit: int) -> ApiMessage | None:
    """Length first, then white space: the order in which the wiki looks."""
    return _length(text, limit) or (message(_VALIDATOR + "illegal-string-chars", text) if _EDGES.search(text) else None)


def math_violation(tex: str) -> ApiMessage | None:
    """Return what the server's texvc grammar has against a formula."""
    verdict = check_formula(tex)
    return None if verdict.valid else malformed(_grammar(tex, verdict.why))


def malformed(what: str) -> ApiMessage:
    shown = html.escape(what, quote=False).replace('"', "&#34;") if "<" not in what else html.escape(what)
    return message(_VALIDATOR + "malformed-value", shown)


def too_long(text: str, limit: int, term: str = "") -> ApiMessage:
    """Return the message for a text over its limit; `term` is `label` or `description`, where it is one."""
    name = f"{_VALIDATOR}{term}-too-long" if term else f"{_VALIDATOR}too-long"
    return message(name, str(limit), text if len(text) <= 32 else f"{text[:29]}...")


def _grammar(tex: str, why: str) -> str:
    """Reduce a verdict to the two that the wiki has: an unknown function by name, or a syntax error."""
    for name in re.findall(r"\\(?!begin|end)[A-Za-z]+", tex):
        if re.match(re.escape(name) + r"(?![A-Za-z])", why) and _UNKNOWN.search(why):
            return f'unknown function "{name}"'
    return "syntax error"


def _length(text: str, limit: int) -> ApiMessage | None:
    if len(text) < 1:
        return message(_VALIDATOR + "too-short", "1", text)
    return too_long(text, limit) if len(text) > limit else None


def _url(text: str) -> ApiMessage | None:
    if not _SCHEME.match(text):
        return message(_VALIDATOR + "url-scheme-missing", text)
    if re.search(r'[\s\[\]<>"{}|\\^`]', text):
        return message(_VALIDATOR + "bad-url", text, html=(_linked(text),))
    if not text.startswith(_SCHEMES):
        return message(_VALIDATOR + "bad-url-scheme", text.partition(":")[0])
    return None


def _linked(text: str) -> str:
    """Return wikitext's rendering of a bare address: the link ends at the first character that no URL holds."""
    end = re.match(r'[^\s\[\]<>"]*', text)
    url = end[0] if end else ""
    return f'<a rel="nofollow" class="external free" href="{url}">{url}</a>{text[len(url) :]}'


def _no_entity(qid: str) -> ApiMessage:
    title = f"Property:{qid}" if qid.startswith("P") else qid
    return message(_VALIDATOR + "no-such-entity", f"[[{title}|{qid}]]", html=(red_link(title, qid),))
