"""Tokens by which item pages of the wiki decide for a signed-in person: each is good for as long as that person's session."""

import secrets
import threading

from bot.review import sessions
from bot.review.sessions import hash_of
from bot.store import Workspace

MOST = 10_000  # tokens that one server knows; the oldest are forgotten


class ConnectedPages:
    """The tokens that this server gave. They are kept in memory: a page whose token is forgotten connects again."""

    def __init__(self) -> None:
        self._sessions: dict[str, str] = {}  # digest of a token -> secret of the session in which it was given
        self._lock = threading.Lock()

    def give(self, session: str) -> str:
        """Return a new token for the session that has this secret."""
        token = secrets.token_urlsafe(32)
        with self._lock:
            while len(self._sessions) >= MOST:
                del self._sessions[next(iter(self._sessions))]
            self._sessions[hash_of(token)] = session
        return token

    def whose(self, workspace: Workspace, token: str, hours: float) -> str:
        """Return who decides with a token, and note that the session is used; "" for one that is not known, or whose session ended."""
        secret = self._sessions.get(hash_of(token))
        name = sessions.whose(workspace, secret, hours) if secret else None
        if secret and name is None:
            with self._lock:
                self._sessions.pop(hash_of(token), None)
        return name or ""
