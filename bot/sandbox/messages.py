"""Refusals and warnings as the wiki words them: code, text, messages, and how each format version renders them."""

import html as html_escape
import re
from dataclasses import dataclass, field

from bot.sandbox.package_data import load_data

_USAGE = (
    "See {api} for API usage. Subscribe to the mediawiki-api-announce mailing list at &lt;https://lists.wikimedia.org"
    "/postorius/lists/mediawiki-api-announce.lists.wikimedia.org/&gt; for notice of API deprecations and breaking"
    " changes."
)
TEXTS: dict[str, str] = load_data("messages")  # message key -> text, $1 to $9 standing for parameters


@dataclass(frozen=True, slots=True)
class ApiMessage:
    """One localised message: its key, its parameters, and its text as wikitext (or HTML where that differs)."""

    name: str
    parameters: tuple[object, ...] = ()
    text: str = ""
    html: str = ""

    def as_json(self, version: int) -> dict[str, object]:
        text = self.html or self.text
        return {"name": self.name, "parameters": list(self.parameters), "html": text if version == 2 else {"*": text}}


@dataclass
class ApiError(Exception):
    """A refusal. `kinds` are the further codes that go into the MediaWiki-API-Error header."""

    code: str
    info: str
    messages: tuple[ApiMessage, ...] = ()
    extra: dict[str, object] = field(default_factory=dict)
    kinds: tuple[str, ...] = ()
    headers: dict[str, str] = field(default_factory=dict)

    def __str__(self) -> str:
        return f"{self.code}: {self.info}"

    @property
    def header(self) -> str:
        return ", ".join((self.code, *self.kinds))

    def as_json(self, version: int, errorformat: str, api: str) -> dict[str, object]:
        """Return the body: `error` in the old format, a list of `errors` in the new ones."""
        usage = _USAGE.format(api=api)
        extra = dict(self.extra)
        if self.messages:
            extra["messages"] = [message.as_json(version) for message in self.messages]
        if errorformat != "bc":
            error = {"code": self.code, "text": self.info, **({"data": extra} if extra else {})}
            return {"errors": [{**error, "module": "main"}], "docref": usage, "servedby": "sandbox"}
        last = {"docref": usage} if version == 2 else {"*": usage}
        return {"error": {"code": self.code, "info": self.info, **extra, **last}, "servedby": "sandbox"}


def message(name: str, *parameters: object, html: tuple[object, ...] = ()) -> ApiMessage:
    """Return a message with its text filled in; `html` are the parameters as HTML, where they differ from wikitext.

    A placeholder without its parameter stays in the text.
    """
    return ApiMessage(name, parameters, _filled(name, parameters), _filled(name, html) if html else "")


def plain(text: str) -> str:
    """Return a message's text as `info` shows it: entities decoded, white space run together."""
    return re.sub(r"\s+", " ", html_escape.unescape(text)).strip()


def error_with_message(code: str, found: ApiMessage, **extra: object) -> ApiError:
    """Return an error with one message, the way most of Wikibase's are made."""
    return ApiError(code, plain(found.text), (found,), extra)


def named_error(code: str, *parameters: object, name: str = "", **extra: object) -> ApiError:
    """Return an error with the one message that is named after it, unless `name` says another."""
    return error_with_message(code, message(name or f"wikibase-api-{code}", *parameters), **extra)


def failed_save_error(*reasons: ApiMessage, kinds: tuple[str, ...]) -> ApiError:
    """Return the error under which the wiki hides block, protection, missing rights and rate limit."""
    first = message("wikibase-api-failed-save")
    return ApiError("failed-save", first.text, (first, *reasons), kinds=kinds)


def missing_entity_error(qid: str) -> ApiError:
    """Return what writing to a missing entity answers; the message key has no text in that wiki."""
    return named_error("no-such-entity", qid, name="no-such-entity")


def edit_conflict_error() -> ApiError:
    reasons = (message("wikibase-api-editconflict"), message("edit-conflict"))
    return ApiError("editconflict", reasons[0].text, reasons)


def missing_parameter_error(name: str) -> ApiError:
    return ApiError("missingparam", f'The "{name}" parameter must be set.')


def error_with_text(code: str, text: str) -> ApiError:
    """Return a refusal whose message has another text than its key usually has."""
    return error_with_message(code, ApiMessage(f"wikibase-api-{code}", (), text))


def red_link(title: str, text: str) -> str:
    """Return the wiki's HTML for a link to a page that is not there."""
    return (
        f'<a href="/w/index.php?title={title.replace(" ", "_")}&amp;action=edit&amp;redlink=1" class="new"'
        f' title="{title} (page does not exist)">{text}</a>'
    )


def _filled(name: str, parameters: tuple[object, ...]) -> str:
    def parameter(found: re.Match[str]) -> str:
        number = int(found[1]) - 1
        return str(parameters[number]) if number < len(parameters) else found[0]

    return re.sub(r"\$(\d)", parameter, TEXTS[name])
