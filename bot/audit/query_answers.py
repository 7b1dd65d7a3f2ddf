"""Queries of audits to the query service: page by page or block by block, checked, and stored with the result."""

import time
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial

import sqlalchemy as sa

from bot import store
from bot.errors import BotError, LookupFailed
from bot.lookup import Client, queries
from bot.lookup.queries import Query
from bot.messages import to_json
from bot.sequences import batched
from bot.settings import Auditing
from bot.store import Workspace
from bot.wikibase import Json

BLOCK = 300  # values in a VALUES block: one query stays well under the 60 s that the query service gives it
# Of what a query lists, the share that entity JSON may deny, and the other way round: single statements are late or lost.
MIN_DISAGREEING, MAX_DISAGREEING_SHARE = 3, 0.01
_ANSWERS_PER_AUDIT = 500  # rows of audit_answers of one audit; a year of nights


@dataclass
class AuditAnswer:
    """One question: how and where it was asked, how long it took, how old the answer is, and why it is none."""

    query: str
    text: str
    endpoint: str
    seconds: float = 0.0
    lag: float | None = None
    revision: int | None = None
    rows: int = 0
    message: Json | None = None  # why it could not tell
    figures: dict[str, object] = field(default_factory=dict)


class QueryService:
    """The query service of the settings. Every question leaves an AuditAnswer."""

    def __init__(self, client: Client, settings: Auditing, now: datetime) -> None:
        self._client, self._settings, self._now = client, settings, now
        self._lags: dict[str, float | None] = {}
        self._revision: int | None = None
        self.answers: list[AuditAnswer] = []

    def rows(
        self, query: str | Query, least: int = 0, *, scholarly: bool = False, **values: Sequence[str]
    ) -> list[dict[str, str]]:
        """Return all rows of a query, by pages and by blocks of its longest value.

        Raises LookupFailed where the answer is not an answer: broken off, late, without a column, older than the settings
        take, fewer rows than `least`.
        """
        loaded = queries.load_query(query) if isinstance(query, str) else query
        endpoint = self._endpoint(scholarly)
        filled = queries.fill(loaded, self._client.wiki, {n: v[:BLOCK] for n, v in values.items()}, samples=True)
        answer = AuditAnswer(loaded.name, filled, endpoint)
        self.answers.append(answer)
        start = time.monotonic()
        try:
            self._revision = self._revision or self._client.newest_revision()
            answer.revision, answer.lag = self._revision, self._checked_lag(endpoint)
            ask = partial(self._client.select_pages, loaded, fresh=True, service=endpoint, samples=True)
            found = [row for part in _blocks(values) for row in ask(part)]
            answer.rows = len(found)
            if len(found) < least:
                raise LookupFailed(
                    "few_rows", query=loaded.name, n=len(found), least=least, where=endpoint, todo="later"
                )
        except BotError as error:
            answer.message = to_json(error.full_message)
            raise
        finally:
            answer.seconds = round(time.monotonic() - start, 3)
        return found

    def take_answers(self) -> list[AuditAnswer]:
        """Return the answers since the last call."""
        answers, self.answers = self.answers, []
        return answers

    def add_figures(self, **figures: object) -> None:
        """Keep figures with the last answer."""
        self.answers[-1].figures |= figures

    def _endpoint(self, scholarly: bool) -> str:
        address = self._settings.scholarly if scholarly else self._settings.sparql or self._client.wiki.sparql
        if not address:
            raise LookupFailed("no_scholarly", todo="name_in_settings")
        return address

    def _checked_lag(self, endpoint: str) -> float | None:
        """Return the seconds that the service is behind, None where it does not say. Raises LookupFailed where it is too many."""
        if endpoint not in self._lags:
            text = queries.fill(queries.load_query("audit_service_age"), self._client.wiki, {})
            times = [_moment(row["time"]) for row in self._client.rows(text, fresh=True, service=endpoint)]
            lags = [(self._now - each).total_seconds() for each in times if each]
            self._lags[endpoint] = max(0.0, min(lags)) if lags else None
        lag = self._lags[endpoint]
        if lag is not None and lag > self._settings.most_lag_hours * 3600:
            hours, most = round(lag / 3600), self._settings.most_lag_hours
            raise LookupFailed("lag", n=hours, most=most, where=endpoint, todo="later_or_lag")
        return lag


def _blocks(values: dict[str, Sequence[str]]) -> Iterator[dict[str, Sequence[str]]]:
    longest = max(values, key=lambda name: len(values[name]), default="")
    if not longest:
        yield {}
        return
    for part in batched(values[longest], BLOCK):
        yield {**values, longest: part}


def _moment(text: str) -> datetime | None:
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        return None
    return found if found.tzinfo else found.replace(tzinfo=UTC)


def check_agreement(query: str, listed: Collection[str], expected: Collection[str], where: str) -> None:
    """Raise LookupFailed where what a query lists and what entity JSON holds differ by more than single statements."""
    extra, missing = set(listed) - set(expected), set(expected) - set(listed)
    most = max(MIN_DISAGREEING, MAX_DISAGREEING_SHARE * len(set(listed) | set(expected)))
    if len(extra) > most or len(missing) > most:
        values = {"extra": len(extra), "lacking": len(missing)}
        raise LookupFailed("disagrees", query=query, **values, where=where, todo="lost_data")


def statement_guid(statement: str) -> str:
    """Return the id of a statement from what the query service calls it."""
    return statement.removeprefix("statement/").replace("-", "$", 1)


def last_coverage(workspace: Workspace, query: str) -> dict[str, list[int]]:
    """Return what the last audit that could tell counted with a query: items, with a formula, with a source, by class or field."""
    columns = store.audit_answers.c
    told = (columns.audit == "coverage", columns.query == query, columns.message.is_(None))
    rows = workspace.rows(sa.select(columns.figures).where(*told).order_by(columns.n.desc()).limit(1))
    return dict((rows[0]["figures"] or {}).get("coverage", {})) if rows else {}


def store_answers(workspace: Workspace, audit: str, answers: Iterable[AuditAnswer], time: str) -> None:
    """Store the questions and answers of an audit with its earlier ones."""
    table = store.audit_answers
    rows = [
        {"audit": audit, "time": time, **{f: getattr(a, f) for f in AuditAnswer.__dataclass_fields__}} for a in answers
    ]
    with workspace.engine.begin() as db:
        if rows:
            db.execute(table.insert(), rows)
        old = sa.select(table.c.n).where(table.c.audit == audit).order_by(table.c.n.desc())
        if (last := db.execute(old.offset(_ANSWERS_PER_AUDIT).limit(1)).scalar()) is not None:
            db.execute(table.delete().where(table.c.audit == audit, table.c.n <= last))
