"""The state that all requests of one server share: the workspace, its wiki and rules, the index of the queue, counts kept for seconds."""

import secrets
import threading
from collections import Counter
from collections.abc import Callable, Hashable
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import TypeVar

from flask import current_app, g, session
from werkzeug.local import LocalProxy

from bot.lookup import Client
from bot.records import Item
from bot.review import sessions
from bot.review.named_source import OpenClient
from bot.review.people import reviewers
from bot.review.proposal_state import State
from bot.review.queue_rules import Rules, load_rules
from bot.review.sessions import secret_digest
from bot.review.topics import MAX_ITEMS
from bot.review.web import control_questions, queue_selection
from bot.review.web.queue_filters import Filter
from bot.review.web.queue_index import QueueIndex
from bot.review.web.security import FailureLimiter, OneTimeToken
from bot.review.workspace_cards import displayed_wiki
from bot.settings import Settings, Wiki
from bot.store import Workspace

T = TypeVar("T")
UNDO_STEPS = 30  # steps that can be undone in one session
MAX_CONNECTED = 10_000  # tokens of item pages that one server knows; the oldest are forgotten


class ConnectedPages:
    """Tokens by which item pages of the wiki decide, each for as long as its person's session. A page whose token is forgotten connects again."""

    def __init__(self) -> None:
        self._sessions: dict[str, str] = {}  # digest of a token -> secret of the session in which it was given
        self._lock = threading.Lock()

    def new_token(self, session: str) -> str:
        """Return a new token for the session that has this secret."""
        token = secrets.token_urlsafe(32)
        with self._lock:
            while len(self._sessions) >= MAX_CONNECTED:
                del self._sessions[next(iter(self._sessions))]
            self._sessions[secret_digest(token)] = session
        return token

    def reviewer_of(self, workspace: Workspace, token: str, hours: float) -> str:
        """Return the reviewer of a token, and record the use of the session; "" for one that is not known, or whose session ended."""
        secret = self._sessions.get(secret_digest(token))
        name = sessions.session_reviewer(workspace, secret, hours) if secret else None
        if secret and name is None:
            with self._lock:
                self._sessions.pop(secret_digest(token), None)
        return name or ""


@dataclass
class ReviewContext:
    """What one server works on. `token` opens a local server; a shared one signs people in elsewhere."""

    workspace: Workspace
    settings: Settings
    token: OneTimeToken | None = None
    reviewer: str = ""  # whom the token signs in; empty: the page asks
    open_client: OpenClient | None = None  # a client of the wiki as it is now; without it the configured wiki is asked
    index: QueueIndex = field(init=False)
    facets: queue_selection.QueueCache = field(default_factory=lambda: queue_selection.QueueCache(20))
    failed_sign_ins: FailureLimiter = field(default_factory=lambda: FailureLimiter(10, 300))  # from one address
    connected: ConnectedPages = field(default_factory=ConnectedPages)
    failed_tokens: FailureLimiter = field(default_factory=lambda: FailureLimiter(30, 300))  # of the API
    _preparing: threading.Thread | None = None  # of control questions, where the rule was set while the page runs
    _resume_after: dict[tuple[str, str], str] = field(default_factory=dict)  # (person, control question) -> proposal

    def __post_init__(self) -> None:
        self.index = QueueIndex(self.workspace)

    @property
    def wiki(self) -> Wiki:
        """The wiki that is proposed to, as it is shown."""
        return displayed_wiki(self.workspace, self.settings.wiki)

    @property
    def rules(self) -> Rules:
        return load_rules(self.workspace)

    def read_item(self, qid: str) -> Item:
        """Return an item as the wiki has it now. Raises BotError where the wiki cannot be asked."""
        with self.client() as client:
            return client.entities([qid], fresh=True)[qid]

    def ask_items(self, sparql: str) -> list[str]:
        """Return the items that a query of a topic finds. Raises BotError where it is not sent or fails."""
        with self.client() as client:
            return client.items_of_query(sparql, MAX_ITEMS)

    def client(self) -> AbstractContextManager[Client]:
        """Open the wiki that is proposed to."""
        return self.open_client() if self.open_client else Client(self.wiki, self.settings.agent)

    def role(self) -> str:
        """Return the role of the signed-in person, as it is now; an empty string for somebody no longer known."""
        if "role" not in g:
            g.role = reviewers(self.workspace).get(g.who, "")
        return str(g.role)

    def next(self, view: Filter, after: str = "", *, back: bool = False) -> str:
        """Return the id of the next proposal for `g.who`: a control question where one is due, else the next of the queue."""
        rules = self.rules
        after = self._resume_after.get((g.who, after), after)
        if rules.known_wrong and view.state == "open" and not back:
            if not self._preparing:
                self._preparing = threading.Thread(
                    target=control_questions.ensure_made, args=(self.workspace,), daemon=True
                )
                self._preparing.start()
            if found := control_questions.due_question(self.workspace, g.who, rules.known_wrong):
                if len(self._resume_after) > 10_000:
                    self._resume_after.clear()
                self._resume_after[g.who, found] = after
                return found
        return queue_selection.next_for(self.workspace, view, g.who, after, back=back, minutes=rules.lease_minutes)

    def counted(self, key: Hashable, count: Callable[[], T]) -> T:
        """Return a count of the queue: as it is after the last decision, and at most some seconds old."""
        return self.facets.get(key, count, self.index.changes)

    def states(self) -> Counter[str]:
        """Return the number of proposals in each state, today."""
        found = self.counted("states", lambda: queue_selection.counts_by_state(self.workspace)).copy()
        expired = self.facets.get("expired", lambda: queue_selection.expired_by_state(self.workspace))
        # Finding the expired ones reads a whole queue: after a decision only where there are any.
        if expired:
            expired = self.counted("expired now", lambda: queue_selection.expired_by_state(self.workspace))
        found.subtract(expired)
        found[State.EXPIRED] += expired.total()
        return found

    def lease_to_reviewer(self, proposal: str = "") -> bool:
        """Lease a proposal to `g.who`, who keeps one at a time: what they looked at before is free again.

        Return false where somebody else has it. Without a proposal they look at none.
        """
        before = str(session.get("looking", ""))
        if before and before != proposal:
            queue_selection.release(self.workspace, before, g.who)
        leased = not proposal or queue_selection.lease(self.workspace, proposal, g.who, self.rules.lease_minutes)
        looking_at = proposal if leased else ""
        if looking_at != before:
            session["looking"] = looking_at
        return leased

    def remember(self, proposals: list[str], counted: int) -> None:
        """Keep what was just decided, so that it can be undone; `counted` of it are proposals of the queue."""
        done = [*session.get("done", []), proposals][-UNDO_STEPS:]
        while sum(map(len, done)) > 80 and len(done) > 1:
            done.pop(0)
        session["done"] = done
        session["count"] = int(session.get("count", 0)) + counted


context: ReviewContext = LocalProxy(lambda: current_app.extensions["review"])  # type: ignore[assignment]
