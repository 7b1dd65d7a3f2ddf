"""One rehearsal wiki: its database, its sessions, its simulated faults and its names, without HTTP."""

import copy
import secrets
import threading
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

from bot.sandbox.accounts import User, user_without_groups
from bot.sandbox.database import Clock, Database, utc_now
from bot.sandbox.faults import Faults
from bot.sandbox.repository import Repository
from bot.wikibase import is_entity_id

ENTITY_PREFIX = "http://sandbox.invalid/entity/"
SITE_NAME = "Rehearsal Wikibase"
_UNUSED_NAMESPACES = frozenset({6, 7, 9, 11, 13, 15})  # no such pages are here; their names are taken as they come
NOTICE = "This is not Wikidata: a wiki on this machine to rehearse on. Nothing here is published anywhere."


@dataclass
class ClientSession:
    """The session of one client, known by its cookie."""

    id: str
    user: User = field(default_factory=User)
    secret: str = field(default_factory=lambda: secrets.token_hex(20))
    persistent: bool = False  # whether the client has been given its cookie

    def token(self, kind: str) -> str:
        """Return a token of a kind; without a login all tokens for edits are the same."""
        if kind not in ("login", "createaccount") and self.user.anonymous:
            return "+\\"
        self.persistent = True
        return f"{self.secret}{kind}+\\"


class Site:
    """Everything that a call to the wiki can touch."""

    def __init__(
        self,
        path: Path | None = None,
        *,
        clock: Clock = utc_now,
        entity_prefix: str = ENTITY_PREFIX,
        name: str = SITE_NAME,
        site_id: str = "sandbox",
        item_namespace: str = "",
    ) -> None:
        self.db = Database(path, clock, item_namespace)
        self.repository = Repository(self.db, name)
        self.faults = Faults()
        self.entity_prefix, self.name, self.site_id = entity_prefix, name, site_id
        self.server = "http://127.0.0.1"
        self.received: deque[Mapping[str, str]] = deque(maxlen=1_000)  # the newest calls that edit, as they came
        self._sessions: dict[str, ClientSession] = {}
        self._lock = threading.Lock()

    @property
    def api(self) -> str:
        return f"{self.server}/w/api.php"

    def with_present_groups(self, user: User) -> User:
        """Return a user with its present groups; it may have been removed from some since the login."""
        removed = set() if user.anonymous else self.repository.removed_groups(user.name)
        return user_without_groups(user, removed) if removed else user

    def session(self, cookie: str | None) -> ClientSession:
        """Return the session behind a cookie, or a new one that is forgotten unless it is kept."""
        with self._lock:
            return self._sessions.get(cookie or "") or ClientSession(secrets.token_hex(16))

    def keep(self, session: ClientSession) -> None:
        """Remember a session whose client has got its cookie."""
        with self._lock:
            self._sessions[session.id] = session

    def end_session(self, session: ClientSession) -> None:
        """End a session, as when the server's memory of it is lost."""
        with self._lock:
            self._sessions.pop(session.id, None)

    def with_faults(self, faults: Faults) -> Self:
        """Return the same wiki with other faults and sessions of its own: for calls that come from inside."""
        other = copy.copy(self)
        other.faults, other._sessions, other.received = faults, {}, deque()
        return other

    def canonical_title(self, title: str) -> str:
        """Return a title as the database keeps it: no underscores, first letters large, the project's own prefix undone."""
        spaces, text = self.db.namespaces, " ".join(title.replace("_", " ").split()).lstrip(":")
        before, colon, rest = (part.strip() for part in text.partition(":"))
        if not colon:
            return capitalised(text)
        own = self.name.casefold()
        local = {own: "Project", f"{own} talk": "Project talk"}
        local |= {} if spaces.items else {"item": ""}  # Wikidata's alias of its main namespace
        used = (name for name, number in spaces.numbers.items() if number > 0 and number not in _UNUSED_NAMESPACES)
        names = {name.casefold(): name for name in used}
        name = local.get(before.casefold(), names.get(before.casefold(), capitalised(before)))
        return f"{name}:{capitalised(rest)}" if name else capitalised(rest)

    def displayed_title(self, title: str) -> str:
        """Return a title as the wiki shows it: the pages of its own project under its name."""
        for prefix, local in (("Project:", self.name), ("Project talk:", f"{self.name} talk")):
            if title.startswith(prefix):
                return f"{local}:{title.removeprefix(prefix)}"
        return title

    def page_title(self, name: str) -> str:
        """Return the title of an entity's page for its id; any other name is a title itself."""
        return self.db.namespaces.title(name) if is_entity_id(name) else name

    def page_url(self, title: str) -> str:
        return f"{self.server}/wiki/{title.replace(' ', '_')}"

    def siteinfo_counts(self) -> dict[str, int]:
        """Return the numbers that Special:Statistics would show."""
        number = self.db.number
        return {
            "pages": number("SELECT count(*) FROM pages"),
            "articles": number("SELECT count(*) FROM pages WHERE entity LIKE 'Q%' AND redirect = ''"),
            "edits": number("SELECT count(*) FROM revisions"),
            "images": 0,
            "users": number("SELECT count(DISTINCT user) FROM revisions"),
            "activeusers": 0,
            "admins": 1,
            "jobs": 0,
        }


def capitalised(text: str) -> str:
    return text[:1].upper() + text[1:]
