"""Refusals and warnings in the wiki's own words: code, text, messages, and how each format version renders them."""

from __future__ import annotations

import html as html_escape
import re
from dataclasses import dataclass, field
from typing import Any

_USAGE = (
    "See {api} for API usage. Subscribe to the mediawiki-api-announce mailing list at &lt;https://lists.wikimedia.org"
    "/postorius/lists/mediawiki-api-announce.lists.wikimedia.org/&gt; for notice of API deprecations and breaking"
    " changes."
)


@dataclass(frozen=True, slots=True)
class ApiMessage:
    """One localised message: its key, its parameters, and its text as wikitext (or HTML where that differs)."""

    name: str
    parameters: tuple[Any, ...] = ()
    text: str = ""
    html: str = ""

    def as_json(self, version: int) -> dict[str, Any]:
        shown = self.html or self.text
        return {
            "name": self.name,
            "parameters": list(self.parameters),
            "html": shown if version == 2 else {"*": shown},
        }


@dataclass
class ApiError(Exception):
    """A refusal. `kinds` are the further codes that go into the MediaWiki-API-Error header."""

    code: str
    info: str
    messages: tuple[ApiMessage, ...] = ()
    extra: dict[str, Any] = field(default_factory=dict)
    kinds: tuple[str, ...] = ()
    headers: dict[str, str] = field(default_factory=dict)

    def __str__(self) -> str:
        return f"{self.code}: {self.info}"

    @property
    def header(self) -> str:
        return ", ".join((self.code, *self.kinds))

    def as_json(self, version: int, errorformat: str, api: str) -> dict[str, Any]:
        """Return the body: `error` in the old format, a list of `errors` in the new ones."""
        usage = _USAGE.format(api=api)
        extra = dict(self.extra)
        if self.messages:
            extra["messages"] = [message.as_json(version) for message in self.messages]
        if errorformat != "bc":
            error: dict[str, Any] = {"code": self.code, "text": self.info}
            if extra:
                error["data"] = extra
            return {"errors": [{**error, "module": "main"}], "docref": usage, "servedby": "sandbox"}
        last = {"docref": usage} if version == 2 else {"*": usage}
        return {"error": {"code": self.code, "info": self.info, **extra, **last}, "servedby": "sandbox"}


def plain(text: str) -> str:
    """Return a message's text as `info` shows it: entities decoded, white space run together."""
    return re.sub(r"\s+", " ", html_escape.unescape(text)).strip()


def refusal(code: str, name: str, text: str, *parameters: Any, html: str = "", **extra: Any) -> ApiError:
    """Return an error with one message, the way most of Wikibase's are made."""
    return ApiError(code, plain(text), (ApiMessage(name, parameters, text, html),), extra)


def failed_save(*reasons: ApiMessage, kinds: tuple[str, ...]) -> ApiError:
    """Return the error under which the wiki hides block, protection, missing rights and rate limit."""
    first = ApiMessage("wikibase-api-failed-save", (), "The save has failed.")
    return ApiError("failed-save", first.text, (first, *reasons), kinds=kinds)


def modification_failed(text: str) -> ApiError:
    return refusal("modification-failed", "wikibase-api-modification-failed", text, text)


def no_such_entity(qid: str) -> ApiError:
    """Return what writing to a missing entity answers; the message key has no text in that wiki."""
    return refusal("no-such-entity", "no-such-entity", "⧼no-such-entity⧽", qid)


def no_such_claim() -> ApiError:
    return refusal("no-such-claim", "wikibase-api-no-such-claim", "Could not find such a claim.")


def invalid_claim(text: str) -> ApiError:
    return refusal("invalid-claim", "wikibase-api-invalid-claim", text, text)


def invalid_snak() -> ApiError:
    return refusal("invalid-snak", "wikibase-api-invalid-snak", "Invalid snak data.")


def unresolved_redirect() -> ApiError:
    text = "The given entity ID refers to a redirect, which is not supported in this context."
    return refusal("unresolved-redirect", "wikibase-api-unresolved-redirect", text)


def edit_conflict() -> ApiError:
    text = "Edit conflict. Could not patch the current revision."
    messages = (ApiMessage("wikibase-api-editconflict", (), text), ApiMessage("edit-conflict", (), "Edit conflict."))
    return ApiError("editconflict", text, messages)


def missing_parameter(name: str) -> ApiError:
    return ApiError("missingparam", f'The "{name}" parameter must be set.')


PATCHED = ApiMessage("wikibase-conflict-patched", (), "Your edit was patched into the latest version.")
SELF_PATCHED = ApiMessage(
    "wikibase-self-conflict-patched", (), "Your edit was patched into the latest version, overriding some of your own."
)
