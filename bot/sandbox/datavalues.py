"""May this value stand in a statement? The wiki's validators for each datatype, with the wiki's own messages."""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Mapping
from typing import Any

from bot.formula import check as check_formula
from bot.sandbox.messages import ApiError, ApiMessage, plain
from bot.wikibase import MOST_CHARACTERS

LIMITS = {
    "math": MOST_CHARACTERS,
    "string": MOST_CHARACTERS,
    "external-id": MOST_CHARACTERS,
    "monolingualtext": 1500,
    "url": 500,
}
_EDGES = re.compile(r"^\s|\s$|[\v\t\n\r\f]")
_TIME = re.compile(r"[+-]\d{1,16}-(?:0\d|1[0-2])-(?:[0-2]\d|3[01])T00:00:00Z")
_UNKNOWN = re.compile(r"(?i)unknown|not known")
_SCHEME = re.compile(r"(?i)[a-z][a-z0-9+.-]*:")
_SCHEMES = ("http://", "https://", "ftp://", "mailto:", "sftp://", "git://", "irc://", "telnet://")

Exists = Callable[[str], bool]


def violation(kind: str, value: Any, exists: Exists) -> ApiMessage | None:
    """Return the validator's message for a bad value of a datatype, or None where the value may stand."""
    if kind in ("string", "external-id"):
        return text_violation(value, LIMITS[kind])
    if kind == "math":
        return text_violation(value, LIMITS[kind]) or math_violation(value)
    if kind == "url":
        return _length(value, LIMITS[kind]) or _url(value)
    if kind == "monolingualtext":
        return text_violation(value["text"], LIMITS[kind])
    if kind == "time":
        good = _TIME.fullmatch(value["time"]) and 0 <= value["precision"] <= 11
        return None if good else malformed(value["time"])
    if kind in ("wikibase-item", "wikibase-property"):
        return None if exists(value["id"]) else _no_entity(value["id"])
    return None


def refuse(found: ApiMessage | None) -> None:
    """Raise what the wiki answers when a validator objects."""
    if found:
        raise ApiError("modification-failed", plain(found.text), (found,))


def check(snaks: list[Mapping[str, Any]] | list[dict[str, Any]], exists: Exists) -> None:
    """Raise ApiError at the first snak whose value may not stand."""
    for snak in snaks:
        if snak["snaktype"] == "value":
            refuse(violation(snak["datatype"], snak["datavalue"]["value"], exists))


def text_violation(text: str, limit: int) -> ApiMessage | None:
    """Length first, then white space: the order in which the wiki looks."""
    return _length(text, limit) or _spaces(text)


def math_violation(tex: str) -> ApiMessage | None:
    """Return what the server's texvc grammar has against a formula."""
    verdict = check_formula(tex)
    return None if verdict.valid else malformed(_grammar(tex, verdict.why))


def malformed(what: str) -> ApiMessage:
    shown = html.escape(what, quote=False).replace('"', "&#34;") if "<" not in what else html.escape(what)
    return ApiMessage("wikibase-validator-malformed-value", (shown,), f"Malformed input: {shown}")


def too_long(name: str, subject: str, text: str, limit: int) -> ApiMessage:
    return ApiMessage(name, (str(limit), _cut(text)), f"{subject} be no more than {limit} characters long")


def _grammar(tex: str, why: str) -> str:
    """Reduce a verdict to the two things the wiki says: an unknown function by name, or a syntax error."""
    for name in re.findall(r"\\(?!begin|end)[A-Za-z]+", tex):
        if re.match(re.escape(name) + r"(?![A-Za-z])", why) and _UNKNOWN.search(why):
            return f'unknown function "{name}"'
    return "syntax error"


def _length(text: str, limit: int) -> ApiMessage | None:
    if len(text) < 1:
        return ApiMessage("wikibase-validator-too-short", ("1", text), "Must be at least one character long")
    return too_long("wikibase-validator-too-long", "Must", text, limit) if len(text) > limit else None


def _spaces(text: str) -> ApiMessage | None:
    if not _EDGES.search(text):
        return None
    said = f"String should not start or end with whitespace nor include vertical whitespace or tabs: {text}"
    return ApiMessage("wikibase-validator-illegal-string-chars", (text,), said)


def _url(text: str) -> ApiMessage | None:
    if not _SCHEME.match(text):
        said = f'This URL misses a scheme like "https://": {text}'
        return ApiMessage("wikibase-validator-url-scheme-missing", (text,), said)
    if re.search(r'[\s\[\]<>"{}|\\^`]', text):
        said = "URLs are not allowed to contain certain characters like spaces or square brackets: "
        return ApiMessage("wikibase-validator-bad-url", (text,), said + text, said + _linked(text))
    if not text.startswith(_SCHEMES):
        scheme = text.partition(":")[0]
        return ApiMessage("wikibase-validator-bad-url-scheme", (scheme,), f'An URL scheme "{scheme}" is not supported.')
    return None


def _linked(text: str) -> str:
    """Return wikitext's rendering of a bare address: the link ends at the first character that may not stand in it."""
    end = re.match(r'[^\s\[\]<>"]*', text)
    url = end[0] if end else ""
    return f'<a rel="nofollow" class="external free" href="{url}">{url}</a>{text[len(url) :]}'


def _no_entity(qid: str) -> ApiMessage:
    title = f"Property:{qid}" if qid.startswith("P") else qid
    said = f"[[{title}|{qid}]]"
    link = (
        f'<a href="/w/index.php?title={title}&amp;action=edit&amp;redlink=1" class="new"'
        f' title="{title} (page does not exist)">{qid}</a> not found'
    )
    return ApiMessage("wikibase-validator-no-such-entity", (said,), f"{said} not found", link)


def _cut(text: str) -> str:
    return text if len(text) <= 32 else f"{text[:29]}..."
