"""What a crawl asks for, and how: sources that list documents, one request at a time under one policy: user agent, robots.txt, the pace of each host, retries, accepted content.

robots.txt is read as RFC 9309 says: missing (4xx) it forbids nothing, out of reach (5xx) it forbids all. It is there for
programs that follow links; an interface that a site documents for programs (MediaWiki's and OAI-PMH) is asked
all the same, under its own terms, but no page whose own address robots.txt forbids.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

from protego import Protego

from bot import __version__
from bot.corpus.crawl.journal import Journal
from bot.corpus.manifest import ManifestRow
from bot.errors import CodedError, InputError, LookupFailed
from bot.lookup import exchange
from bot.lookup.endpoints import Api
from bot.messages import Message
from bot.settings import Agent, Crawling, CrawlOrder, Settings
from bot.wikibase import Json

_ROBOTS_BYTES = 500 << 10  # RFC 9309, 2.5: at least so much has to be read
_LATE_ATTEMPTS = 2
_UNSUPPORTED_TYPES = ("image/", "video/", "audio/", "font/", "text/css", "text/javascript", "application/javascript")


class ForbiddenAddress(CodedError):
    """An address that robots.txt or the site forbids."""


class UnsupportedContent(CodedError):
    """An answer in a format that is not read: a PDF, a picture."""


@dataclass(slots=True)
class RequestPace:
    """The time between requests; hosts of one operator may share it."""

    seconds: float
    last_request: float  # when the last request began or ended


@dataclass(slots=True)
class Host:
    """The state of one host: its request budget, pace and robots.txt."""

    budget: exchange.RequestBudget
    pace: RequestPace
    robots: Protego | None = None


class Fetcher:
    """Asks the hosts of one crawl, one request after the other. `requests` counts them, redirects included and retries of the Action API not."""

    def __init__(self, agent: Agent, settings: Crawling, journal: Journal, sleep: Callable[[float], None]) -> None:
        self._agent, self._settings, self._journal = agent, settings, journal
        self._clock, self._sleep = journal.clock, sleep
        self._name = f"{agent.name}/{__version__} ({agent.contact})"
        admission = exchange.ResponsePolicy(settings.largest_megabytes << 20, self._check_redirect, _check_kind)
        self._http = exchange.Exchange(self._name, agent.timeout, admission)
        self._hosts: dict[str, Host] = {}
        self._apis: dict[str, Api] = {}
        self._documented = False  # whether the request on its way goes to an interface made for programs
        self.requests = 0

    def close(self) -> None:
        self._http.close()
        for api in self._apis.values():
            api.close()

    def get(
        self, url: str, headers: Mapping[str, str] | None = None, *, documented: bool = False
    ) -> exchange.HttpAnswer:
        """Return the answer 200, 304, 404 or 410 to one address; `documented` for an interface made for programs.

        Raises ForbiddenAddress, UnsupportedContent, or LookupFailed for any answer that cannot be trusted.
        """
        if not documented:
            self.check_robots(url)
        self._documented = documented
        answer = self._answer(url, headers or {})
        if answer.status in (401, 403, 451):
            raise ForbiddenAddress("site_refuses", status=answer.status)
        if answer.status not in (200, 304, 404, 410):
            raise LookupFailed("refused_http", status=answer.status, where=url)
        return answer

    def ask_api(self, address: str, expect: str, **parameters: str) -> Json:
        """Return the answer of a MediaWiki's Action API; raises LookupFailed."""
        self._check_available(address)
        host = self._host(address)
        if address not in self._apis:
            budget, timeout = host.budget, self._agent.timeout
            self._apis[address] = Api(address, self._name, timeout, budget, self._clock, self._wait_before_retry)
        self._pace(host)
        try:
            return self._apis[address].ask(expect=expect, maxlag="5", **parameters)
        finally:
            host.pace.last_request = self._clock()

    def check_robots(self, url: str) -> None:
        """Raise ForbiddenAddress for an address that robots.txt forbids, LookupFailed where robots.txt cannot be fetched."""
        if url.startswith(self._settings.permitted):
            return
        host = self._host(url)
        if host.robots is None:
            host.robots = Protego.parse(self._robots_text(url))
            delay, rate = host.robots.crawl_delay(self._name), host.robots.request_rate(self._name)
            host.pace.seconds = max(host.pace.seconds, delay or 0.0, rate.seconds / rate.requests if rate else 0.0)
        if not host.robots.can_fetch(url, self._name):
            raise ForbiddenAddress("robots_forbid")

    def slow_down(self, urls: Iterable[str], seconds: float) -> None:
        """Ask the hosts of these addresses, all together, no more often than once in so many seconds."""
        pace = self._pace_of(max(seconds, self._settings.seconds))
        for url in urls:
            self._host(url).pace = pace

    def unavailable_reason(self, url: str) -> Message | None:
        """Return why the host of an address is not asked at present, None if it may be asked."""
        left = self._journal.rest_until - self._clock()
        if left > self._settings.longest_wait:
            return Message("error.silence", minutes=round(left / 60))
        budget = self._host(url).budget
        budget.wait_for_errors()
        try:
            budget.check(url)
        except LookupFailed as error:
            return error.message
        return None

    def _answer(self, url: str, headers: Mapping[str, str]) -> exchange.HttpAnswer:
        """Return an answer of any status that asking again would not change."""
        self._check_available(url)
        host, longest = self._host(url), self._settings.longest_wait

        def once() -> exchange.HttpAnswer:
            self._pace(host)
            try:
                answer = self._http.send("GET", url, headers=dict(headers))
            except exchange.DeadlineExceeded:
                raise exchange.TransientError("late", attempts=_LATE_ATTEMPTS, seconds=self._agent.timeout) from None
            finally:
                host.pace.last_request = self._clock()
            if transient := exchange.error_for_status(answer.status, answer.headers.get("Retry-After"), self._clock()):
                if (transient.wait or 0.0) > longest:
                    self._journal.record_wait(transient.wait or 0.0)
                raise transient
            return answer

        wait = self._wait_before_retry
        try:
            return exchange.with_retries(once, where=url, budget=host.budget, sleep=wait, longest=longest)
        except exchange.UnusableAnswer as error:
            raise LookupFailed(error.message, where=url, todo="check_address") from None

    def _check_available(self, url: str) -> None:
        if why := self.unavailable_reason(url):
            raise LookupFailed(why, where=url)

    def _robots_text(self, url: str) -> str:
        parts = urlsplit(url)
        address = f"{parts.scheme}://{parts.netloc}/robots.txt"
        return str(self._journal.answer_once(address, lambda: self._fetch_robots(address)))

    def _fetch_robots(self, address: str) -> str:
        self._documented = True
        try:
            answer = self._answer(address, {})
        except LookupFailed as error:
            raise LookupFailed("no_robots", why=error.message, where=address) from None
        # RFC 9309, 2.3.1.3: any status from 400 to 499 is "unavailable", and nothing is forbidden.
        return answer.body[:_ROBOTS_BYTES].decode("utf-8-sig", "replace") if answer.status == 200 else ""

    def _check_redirect(self, onward: str) -> None:
        """Look at where a redirect leads, which is on the same host, before it is followed."""
        if not self._documented:
            self.check_robots(onward)
        self._pace(self._host(onward))

    def _pace(self, host: Host) -> None:
        """Wait for this host's turn, and count a request."""
        wait = max(host.pace.last_request + host.pace.seconds, self._journal.rest_until) - self._clock()
        if wait > 0:
            self._sleep(wait)
        host.pace.last_request = self._clock()
        self.requests += 1

    def _pace_of(self, seconds: float) -> RequestPace:
        """Return a pace that counts from now: a crawl that was killed may have asked a moment ago."""
        return RequestPace(seconds, self._clock())

    def _wait_before_retry(self, seconds: float) -> None:
        """Wait before another attempt; who is killed meanwhile waits on when called again."""
        self._journal.record_wait(seconds)
        self._sleep(seconds)

    def _host(self, url: str) -> Host:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise InputError("no_http_address", where=url, todo="check_address")
        name = parts.netloc.lower()
        if name not in self._hosts:
            budget = exchange.RequestBudget(self._clock, self._sleep)
            self._hosts[name] = Host(budget, self._pace_of(self._settings.seconds))
        return self._hosts[name]


def _check_kind(headers: Mapping[str, str]) -> None:
    kind = headers.get("Content-Type", "").partition(";")[0].strip().lower()
    if kind == "application/pdf":
        raise UnsupportedContent("pdf_only")
    if kind.startswith(_UNSUPPORTED_TYPES):
        raise UnsupportedContent("unread_type", kind=kind)


@dataclass(frozen=True, slots=True)
class Target:
    """One document to fetch; `known` is its metadata from the listing."""

    url: str
    known: ManifestRow
    revision: str = ""  # that the site has now, where listing told it: the same one need not be fetched
    documented: bool = False  # an interface made for programs
    page: str = ""  # the address whose robots.txt rule counts for a documented interface
    depth: int = 0  # links from where the crawl began


@dataclass(frozen=True, slots=True)
class FetchedDocument:
    """A fetched document; `row` has its path and metadata."""

    row: ManifestRow
    data: bytes


class CrawlSource(ABC):
    """A source of documents. `problems` are (address, reason) of parts that could not be listed."""

    follows_links = False  # whether documents link to others that are fetched too

    def __init__(self, order: CrawlOrder, settings: Settings, fetcher: Fetcher, journal: Journal) -> None:
        self._order, self._settings, self._fetcher, self._journal = order, settings, fetcher, journal
        self.problems: list[tuple[str, Message]] = []

    @abstractmethod
    def targets(self) -> Iterable[Target]:
        """Yield the documents in a stable order. Raises LookupFailed where they cannot be listed."""

    @abstractmethod
    def document_of(self, target: Target, answer: exchange.HttpAnswer) -> FetchedDocument:
        """Return the document of a whole answer (status 200). Raises UnsupportedContent or LookupFailed."""

    def links(self, target: Target, row: ManifestRow, data: bytes) -> Iterator[Target]:
        """Yield the targets that a document links to which is kept already; only those of a source that follows are asked for."""
        return iter(())
