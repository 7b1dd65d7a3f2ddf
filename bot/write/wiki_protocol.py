"""The calls that writing needs of a wiki, and the meaning of its refusals. It imports no library: tests use a wiki of their own.

Wikibase hides every refusal behind two codes (`modification-failed`, `failed-save`), so a WikiRefusal carries the name of
the innermost message, and `kind` says what may be done about it.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol

from bot.errors import WriteError
from bot.messages import Message
from bot.wikibase import Json

Entity = Json
Kind = Literal["later", "session", "item", "doubt", "stop"]

NO_BOT_RIGHT = "assertbotfailed"  # an account without the right, or nobody at all: the wiki does not say which

# Beginnings of codes. What is not listed is not known, and stops the run.
_KINDS: dict[Kind, tuple[str, ...]] = {
    # Nothing was done; the wiki asks for patience.
    "later": ("maxlag", "readonly", "ratelimited", "actionthrottledtext", "too-many-requests"),
    # Nothing was done; the login or its token has expired.
    "session": ("assertuserfailed", "assertnameduserfailed", "badtoken", "notloggedin"),
    # This item or value cannot be written; the next one may be.
    "item": tuple(
        "wikibase-validator- protected cascadeprotected titleprotected no-such-entity wikibase-api-no-such- no-such-statement no-such-reference unresolved-redirect wikibase-api-unresolved-redirect wikibase-save-unresolved-redirect abusefilter spamblacklist spam-blacklisted revision-hidden".split()
    ),
    # It may have been done: check the item.
    "doubt": ("lost", "editconflict", "wikibase-api-editconflict", "wikibase-api-modification-failed", "internal_api_"),
}


class WikiRefusal(WriteError):
    """The wiki did not take an edit, or its answer was lost; `kind` says what that allows."""

    def __init__(self, code: str, text: str | Message, retry_after: float = 0.0) -> None:
        self.code, self.retry_after = code, retry_after
        excerpt = text[: 398 - len(code)] if isinstance(text, str) else text
        super().__init__(Message("wiki.answer", code=code, text=excerpt))

    @property
    def kind(self) -> Kind:
        """Say what the refusal means: later, session, item, doubt, or stop for all that is not known."""
        return next((kind for kind, codes in _KINDS.items() if self.code.startswith(codes)), "stop")


@dataclass(frozen=True, slots=True)
class Revision:
    """One line of a page's history."""

    id: int
    parent: int
    user: str
    comment: str


@dataclass(frozen=True, slots=True)
class AccountStatus:
    """The account's blocks and rights on the wiki, and the text of the requested pages ("" for a missing one)."""

    blocked: str = ""  # why, and by whom
    bot: bool = True
    pages: dict[str, str] = field(default_factory=dict)
    time: float = 0.0  # by the wiki's own clock, in seconds since 1970; 0 where it does not say

    @property
    def barred(self) -> Message | None:
        """Say why nothing may be sent at all, None where the account may write."""
        if self.blocked:
            return Message("error.blocked", why=self.blocked)
        return None if self.bot else Message("error.no_bot_right")


class WikiSession(Protocol):
    """One account at one wiki; entities are plain JSON. Every call is one request, sent once. Methods raise WikiRefusal."""

    def entity(self, qid: str) -> Entity: ...
    def entity_at(self, revision: int) -> Entity: ...
    def history(self, qid: str, since: int) -> list[Revision]: ...
    def add_claim(self, qid: str, payload: Entity, summary: str, base: int) -> int: ...
    def add_claims(self, qid: str, payloads: Sequence[Entity], summary: str, base: int) -> int: ...
    def add_reference(self, qid: str, statement: str, reference: Entity, summary: str) -> int: ...
    def remove_claim(self, qid: str, statement: str, summary: str, base: int) -> int: ...
    def remove_reference(self, qid: str, statement: str, reference_hash: str, summary: str) -> int: ...
    def account_status(self, pages: tuple[str, ...]) -> AccountStatus: ...
    def log_in(self) -> None: ...
