"""Slow, capped, and stopped when asked: turns, the daily cap, the stop page, the exclusion page, the block."""

import contextlib
import re
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeVar

import sqlalchemy as sa
import tenacity

from bot import store
from bot.errors import WriteStopped
from bot.lookup.exchange import failure_of
from bot.messages import Message
from bot.records import EditOutcome
from bot.settings import Settings, Wiki
from bot.store import Workspace
from bot.write.rate_limit import DAY, Clock, RateLimiter, Sleep, WriteSlot
from bot.write.wiki_protocol import AccountStatus, WikiRefusal, WikiSession

T = TypeVar("T")
_SENDS_AFTER_DOUBT = 2  # chosen: after a lost answer, each after a look at the item and its history
# What may have reached the wiki
OUTCOMES_AFTER_SENDING = (EditOutcome.PENDING, EditOutcome.WRITTEN, EditOutcome.FAILED)
_MAX_WAIT = 3_600.0  # chosen: seconds; a wiki that asks for more is asked by a later run
_TEMPORARY = ("later", "session", "doubt")  # kinds of refusal after which a reading is tried again
# Seconds before each new try where the wiki names none: from the 5 s of API:Maxlag, doubled.
_RETRY_DELAYS = (5.0, 10.0, 20.0, 40.0, 80.0)


class WikiPolicy:
    """The pace of one account, and what is checked before each edit: block, rights, stop page, exclusion page, daily cap.

    `monotonic` is the clock that the pace is kept by; the daily cap counts by it and by the wiki's own clock, which nobody
    here can set. `clock`, the wall clock, stands in where the wiki does not tell its time.
    """

    def __init__(
        self,
        workspace: Workspace,
        settings: Settings,
        wiki: Wiki,
        folder: Path,
        *,
        clock: Clock = time.time,
        monotonic: Clock = time.monotonic,
        sleep: Sleep = time.sleep,
        boot: str | None = None,
    ) -> None:
        self._workspace, self._writing, self._rehearsal = workspace, settings.writing, wiki.sandbox
        gap = 0.0 if wiki.sandbox else settings.writing.seconds_between_edits
        self.rate_limiter = RateLimiter(folder, gap, clock=monotonic, moment=self.now, sleep=sleep, boot=boot)
        self._clock, self._monotonic, self._sleep = clock, monotonic, sleep
        self._status: tuple[float, AccountStatus] | None = None
        self._retry_delays = tuple(s / 25 for s in _RETRY_DELAYS) if wiki.sandbox else _RETRY_DELAYS

    def before_edit(self, session: WikiSession, qid: str, slot: WriteSlot) -> Message | None:
        """Return the reason why this item is to be left alone, None where there is none. Raises WriteStopped where nothing may be sent."""
        status = self.checked_account(session)
        page = self._writing.stop_page
        if page and (text := status.pages[page].strip()):
            raise WriteStopped(Message("stopped.page", text=text[:80]), where=page, todo="answer_there")
        self._check_daily_cap(slot)
        listed = status.pages.get(self._writing.exclusion_page, "")
        if re.search(rf"(?<![A-Z0-9]){qid}(?!\d)", listed.upper()):  # however it is linked: [[q42]], Q42_(law)
            return Message("refused.excluded", qid=qid, page=self._writing.exclusion_page)
        return None

    def checked_account(self, session: WikiSession) -> AccountStatus:
        """Ask the wiki for the account's status, and return it. Raises WriteStopped without the bot right and when blocked."""
        pages = (self._writing.stop_page, self._writing.exclusion_page)
        status = self.read_with_retries(lambda: session.account_status(tuple(p for p in pages if p)), session)
        self._status = (self._monotonic(), status)
        if status.barred:
            raise WriteStopped(status.barred, todo="talk_page")
        return status

    def stop_error(self, session: WikiSession, refusal: WikiRefusal, where: str) -> WriteStopped:
        """Return the error that ends the run after a refusal: a block and a lost right are named with their reason."""
        with contextlib.suppress(WikiRefusal):
            if barred := session.account_status(()).barred:
                return WriteStopped(barred, where=where, todo="talk_page")
        return WriteStopped(refusal.message, where=where, todo="find_out")

    def read_with_retries(self, ask: Callable[[], T], session: WikiSession) -> T:
        """Read from the wiki; where the session is lost log in, wait, and ask again as long as it is worth while. Raises the last WikiRefusal."""

        def before_waiting(state: tenacity.RetryCallState) -> None:
            if failure_of(state, WikiRefusal).kind == "session":
                session.log_in()

        retrying = tenacity.Retrying(
            retry=tenacity.retry_if_exception(
                lambda e: isinstance(e, WikiRefusal) and e.kind in _TEMPORARY and e.retry_after <= _MAX_WAIT
            ),
            stop=tenacity.stop_after_attempt(self.max_retries + 1),
            wait=lambda state: self.retry_delay(state.attempt_number - 1, failure_of(state, WikiRefusal)),
            before_sleep=before_waiting,
            sleep=self._sleep,
            reraise=True,
        )
        return retrying(ask)

    @property
    def max_retries(self) -> int:
        """How many retries are allowed after the wiki asked to wait."""
        return len(self._retry_delays)

    def max_resends(self, refusal: WikiRefusal) -> int:
        """Return how often something may be sent anew after refusals of this kind."""
        if refusal.retry_after > _MAX_WAIT:
            return 0
        return {"later": self.max_retries, "session": 2, "doubt": _SENDS_AFTER_DOUBT}.get(refusal.kind, 0)

    def wait_before_retry(self, n: int, refusal: WikiRefusal) -> None:
        """Wait before the n-th new try."""
        self._sleep(self.retry_delay(n, refusal))

    def retry_delay(self, n: int, refusal: WikiRefusal) -> float:
        """Return the seconds before the n-th new try: as long as the wiki asks, and never less than our own patience says."""
        return max(refusal.retry_after, self._retry_delays[min(n, len(self._retry_delays) - 1)])

    def now(self) -> float:
        """Return the time by the wiki's clock, as it was told last and has gone on since; the wall clock's before that."""
        if self._status is None or not self._status[1].time:
            return self._clock()
        asked_at, status = self._status
        return status.time + max(0.0, self._monotonic() - asked_at)

    def timestamp(self) -> str:
        """Return the time as ledger rows write it."""
        return store.stamp(datetime.fromtimestamp(self.now(), UTC))

    def _check_daily_cap(self, slot: WriteSlot) -> None:
        """Count by the ledger of this workspace, and by the account's own file, which knows of all workspaces."""
        if self._rehearsal:
            return
        since = datetime.fromtimestamp(self.now() - DAY, UTC)
        edits = store.edits.c
        ledger = sa.select(edits.n).where(edits.time > store.stamp(since), edits.outcome.in_(OUTCOMES_AFTER_SENDING))
        sent = max(self._workspace.count(ledger), slot.sent_today())
        if sent >= self._writing.edits_a_day:
            raise WriteStopped(Message("stopped.daily_cap", n=self._writing.edits_a_day), todo="tomorrow")
