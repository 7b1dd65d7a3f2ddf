"""Slow, capped, and stopped when asked: the rate cap, the daily cap, the stop page, the exclusion page."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import sqlalchemy as sa

from bot import store
from bot.errors import WriteStopped
from bot.settings import Settings, Wiki
from bot.store import Workspace

Clock = Callable[[], float]  # seconds since the epoch
PageText = Callable[[str], str]

_SENT = ("pending", "written", "failed")  # what may have reached the wiki


class Manners:
    """Ask `before_edit(qid)` right before each write; it waits, or raises WriteStopped, or says why to leave the item."""

    def __init__(
        self,
        workspace: Workspace,
        settings: Settings,
        wiki: Wiki,
        page_text: PageText,
        *,
        clock: Clock = time.time,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._workspace, self._writing = workspace, settings.writing
        self._rehearsal = wiki.sandbox
        self._gap = 0.0 if wiki.sandbox else settings.writing.seconds_between_edits
        self._page_text, self._clock, self._sleep = page_text, clock, sleep

    def before_edit(self, qid: str) -> str:
        """Wait for the turn; return "" or the reason why this item is to be left alone. Raises WriteStopped."""
        self._stop_page()
        if qid in self._excluded():
            return f"{qid} is on the exclusion page {self._writing.exclusion_page}"
        self._daily_cap()
        self._wait()
        return ""

    def _stop_page(self) -> None:
        page = self._writing.stop_page
        if page and (text := self._page_text(page).strip()):
            raise WriteStopped(f"the stop page says: {text[:80]}", where=page, todo="answer there before going on")

    def _excluded(self) -> frozenset[str]:
        page = self._writing.exclusion_page
        return frozenset(re.findall(r"\bQ[1-9]\d*\b", self._page_text(page))) if page else frozenset()

    def _daily_cap(self) -> None:
        if self._rehearsal:
            return
        since = datetime.fromtimestamp(self._clock(), UTC) - timedelta(days=1)
        edits = store.edits
        query = sa.select(sa.func.count()).where(edits.c.time > _stamp(since), edits.c.outcome.in_(_SENT))
        with self._workspace.engine.connect() as db:
            sent = db.execute(query).scalar_one()
        if sent >= self._writing.edits_a_day:
            raise WriteStopped(f"{sent} edits in 24 hours is the daily cap", todo="go on tomorrow")

    def _wait(self) -> None:
        """Keep the gap to the last edit of any process; a clock set back never shortens it."""
        last = self._workspace.get("last_edit", 0.0)
        wait = self._gap - max(0.0, self._clock() - last) if last else 0.0
        if wait > 0:
            self._sleep(min(wait, self._gap))
        self._workspace.put("last_edit", self._clock())


def _stamp(moment: datetime) -> str:
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")
