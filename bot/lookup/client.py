"""The one client of a wiki: names and QIDs in, Items and QIDs out, through the cache and under the request policy."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Self, TypeVar, cast
from urllib.parse import urlsplit

from bot import __version__
from bot.errors import InputError, LookupFailed, SettingsError
from bot.lookup import queries
from bot.lookup.article_client import ArticleClient
from bot.lookup.cache import Cache
from bot.lookup.endpoints import Api, Endpoint, Sparql
from bot.lookup.entities import PageRevision, entity_as_of, last_deletion, revisions_after, to_item
from bot.lookup.exchange import RequestBudget
from bot.lookup.publications import Crossref, Publication
from bot.lookup.queries import (
    SEPARATOR,
    MathVerdict,
    Query,
    checked_entities,
    checked_ids,
    is_sendable,
    math_verdict,
    nfc,
    refusal_reason,
    spellings,
)
from bot.messages import Message
from bot.records import Item, as_json
from bot.sequences import batched
from bot.settings import Agent, Wiki
from bot.wikibase import Json, is_item_id, item_number

if TYPE_CHECKING:
    from bot.lookup.answers_of_state import AnswersOfState
    from bot.result_cache import ResultCache

T = TypeVar("T")
R = TypeVar("R")
E = TypeVar("E", bound=Endpoint)

# wbgetentities and wbparsevalue take 50 values without a bot's higher limit (API help of Wikibase).
ENTITIES_AT_ONCE = 50
VALUES_AT_ONCE = 50
# Chosen so that one query stays well under the 60 s that the query service gives it.
LITERALS_AT_ONCE = 400
ITEMS_AT_ONCE = 300
QUERY_PAGE_ROWS = 5000
ITEMS_IN_MEMORY = 500  # as entity JSON, which is many times what is kept of it; chosen
INTERACTIVE_TIMEOUT = 30.0  # seconds for the answer to a query of a person who looks at a page; chosen
_PROPS = "info|labels|aliases|descriptions|claims|sitelinks"


@dataclass(frozen=True, slots=True)
class CacheUse:
    """Answers taken from the cache: their number, hours of the oldest, and why the query service gave none."""

    answers: int = 0
    hours: float = 0.0
    query_service_failure: str | Message = ""

    def remarks(self) -> tuple[Message, ...]:
        """Return remarks for the reader; none where nothing came from the cache."""
        if not self.answers:
            return ()
        age = (
            Message("cached.hours", n=round(self.hours, 1))
            if self.hours >= 1
            else Message("cached.minutes", n=round(self.hours * 60))
        )
        age_remark = Message("cached.answers", n=self.answers, age=age)
        if self.query_service_failure:
            return (Message("cached.away", why=self.query_service_failure), age_remark)
        return (age_remark,)


class Client:
    """Reads one wiki. `cache=None` keeps no answers, as the sandbox needs; `clock` and `sleep` are for tests.

    `content_version` returns a text that differs after any change of the wiki; without it that is not known.
    """

    def __init__(
        self,
        wiki: Wiki,
        agent: Agent,
        cache: Path | None = None,
        *,
        clock: Callable[[], float] = time.time,
        sleep: Callable[[float], None] = time.sleep,
        content_version: Callable[[], str] | None = None,
    ) -> None:
        self.wiki, self.agent = wiki, agent
        self._content_version = content_version
        self._answers: AnswersOfState | None = None
        self.languages = tuple(dict.fromkeys((wiki.language, "mul")))
        self._cache = Cache(cache, wiki, agent.cache_days, clock)
        # What the query service failed with, once it is known to be away
        self._query_service_failure: LookupFailed | None = None
        name = f"{agent.name}/{__version__} ({agent.contact or 'no contact'})"
        self._user_agent, self._clock, self._sleep = name, clock, sleep
        self._interactive_timeout = min(agent.timeout, INTERACTIVE_TIMEOUT)  # seconds for what a person waits for
        self._query_budget = RequestBudget(clock, sleep)
        self._endpoints: dict[tuple[type[Endpoint], str], Endpoint] = {}  # that were asked, by their address
        self.articles = ArticleClient(wiki, self._cache, self.select, partial(self._endpoint, Api))

    def _endpoint(self, kind: type[E], address: str) -> E:
        """Return the one endpoint at an address. Raises SettingsError where it may not be asked."""
        if (kind, address) not in self._endpoints:
            self._endpoints[kind, address] = self._open(kind, address, self.agent.timeout)
        return cast(E, self._endpoints[kind, address])

    def _open(self, kind: type[E], address: str, timeout: float) -> E:
        self._require_contact(address)
        budget = self._query_budget if kind is Sparql else RequestBudget(self._clock, self._sleep)
        return kind(address, self._user_agent, timeout, budget, self._clock, self._sleep)

    @property
    def _api(self) -> Api:
        return self._endpoint(Api, self.wiki.api)

    def close(self) -> None:
        for endpoint in self._endpoints.values():
            endpoint.close()
        self._cache.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def select(self, query_name: str, *, fresh: bool = False, **values: object) -> list[dict[str, str]]:
        """Run queries/<query_name>.rq; entities come as bare ids, "" is unbound. Raises LookupFailed."""
        loaded = queries.load_query(query_name)
        return self.rows(queries.fill(loaded, self.wiki, values), fresh=fresh, columns=loaded.columns)

    def rows(
        self, text: str, *, fresh: bool = False, columns: Sequence[str] = (), service: str = ""
    ) -> list[dict[str, str]]:
        """Run the text of a query, as `select` does one of queries/; an answer without one of `columns` is none.

        `service` is the address of another query service than the wiki's.
        """
        request = f"select\0{service}{text}"
        rows = None if fresh else self._cache.get_many([request]).get(request)
        if rows is None:
            if self._query_service_failure:
                raise self._query_service_failure
            found = self._endpoint(Sparql, service or self.wiki.sparql).select(text, columns)
            rows = [{c: self._local_id(v) for c, v in row.items()} for row in found]
            self._cache.put(request, rows)
        return list(rows)

    def select_pages(
        self,
        query: str | Query,
        values: Mapping[str, object] | None = None,
        *,
        fresh: bool = False,
        service: str = "",
        samples: bool = False,
    ) -> Iterator[dict[str, str]]:
        """Return the rows of a query of queries/ or of a given one; one with a cursor is walked in its order, page by page until one is empty.

        `service` as in `rows`, `samples` as in `queries.fill`.
        """
        loaded = queries.load_query(query) if isinstance(query, str) else query
        has_cursor = "after" in loaded.kinds

        def page(after: str) -> list[dict[str, str]]:
            paged = {"after": after, "limit": QUERY_PAGE_ROWS} if has_cursor else {}
            text = queries.fill(loaded, self.wiki, {**(values or {}), **paged}, samples=samples)
            return self.rows(text, fresh=fresh, columns=loaded.columns, service=service)

        if not has_cursor or not loaded.order:
            return iter(page(""))
        return self.read_pages(page, loaded.order, QUERY_PAGE_ROWS, loaded.name)

    def read_pages(
        self, page: Callable[[str], list[dict[str, str]]], column: str, limit: int, name: str
    ) -> Iterator[dict[str, str]]:
        """Yield the rows of pages of `limit` rows in the order of `column`, of which `page` returns the one after a value.

        Several rows of one value are whole: those at the end of a full page are asked again with the next. Raises LookupFailed.
        """
        after = ""
        while rows := page(after):
            keys = [row[column] for row in rows]
            if any(a > b for a, b in zip([after, *keys], keys, strict=False)) or keys[-1] == after:
                raise LookupFailed("unordered", query=name, column=column, where=self.wiki.sparql)
            if len(rows) >= limit and len(rows[0]) > 1:
                rows = [row for row in rows if row[column] != keys[-1]]
                if not rows:
                    raise LookupFailed("many_rows", n=limit, key=keys[-1], query=name, where=self.wiki.sparql)
            yield from rows
            after = rows[-1][column]

    def entities(self, qids: Iterable[str], *, fresh: bool = False, more: Sequence[str] = ()) -> dict[str, Item]:
        """Return every requested item under the requested id: redirects are followed and shown, missing items marked.

        `more` are properties whose statements are wanted beside those of the formula.
        """
        ask = partial(self._items, fresh=fresh, more=more)
        return self._known(f"items {more}", checked_entities(qids), ask)

    def _items(self, qids: Sequence[str], fresh: bool, more: Sequence[str]) -> dict[str, Item]:
        found: dict[str, Item] = {}
        for part in batched(qids, ITEMS_IN_MEMORY):
            raw = self._entities(part, "|".join(self.languages), fresh)
            # A label in another language is better than none; few items need it, so it is asked for apart.
            nameless = [qid for qid, e in raw.items() if "missing" not in e and not e.get("labels")]
            raw.update(self._entities(nameless, "", fresh))
            found |= {qid: to_item(qid, e, self.wiki.properties, self.languages, more) for qid, e in raw.items()}
        return found

    def raw_entities(self, ids: Iterable[str]) -> dict[str, Json]:
        """Return whole entity JSON (items or properties) under the id asked for, all languages, asked anew."""
        return self._entities(ids, "", True)

    def history(self, qid: str, after: int) -> list[PageRevision]:
        """Return who edited an item after a revision, oldest first; of a deleted one who deleted it. Raises LookupFailed."""
        title = self.wiki.title(qid)
        found = revisions_after(self._api, title, after)
        if not found and (deletion := last_deletion(self._api, title)):
            return [deletion]
        return found

    def newest_revision(self) -> int | None:
        """Return the wiki's newest revision, None where its recent changes show none. Raises LookupFailed."""
        parameters = {"list": "recentchanges", "rclimit": "1", "rcprop": "ids", "rctype": "edit|new"}
        rows = self._api.ask(expect="query", action="query", **parameters)["query"].get("recentchanges", ())
        return max((int(row.get("revid", 0)) for row in rows), default=0) or None

    def entity_at(self, revision: int) -> Json:
        """Return the JSON of an entity as of a revision; of a redirect `{"entity", "redirect"}`. Raises LookupFailed."""
        return entity_as_of(self._api, revision)

    def datatypes(self, properties: Iterable[str]) -> dict[str, str]:
        """Return the datatype of each property that exists, asked anew. Raises LookupFailed."""
        found: dict[str, str] = {}
        for part in batched(checked_entities(properties), ENTITIES_AT_ONCE):
            answer = self._api.ask(expect="entities", action="wbgetentities", ids="|".join(part), props="datatype")
            found |= {prop: entity["datatype"] for prop, entity in answer["entities"].items() if "datatype" in entity}
        return found

    def software_and_time(self) -> tuple[str, datetime]:
        """Return the wiki's software and its clock, asked anew. Raises LookupFailed."""
        answer = self._api.ask(expect="query", action="query", meta="siteinfo", siprop="general")
        try:
            general = answer["query"]["general"]
            moment = datetime.strptime(general["time"], "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=UTC)
            return str(general["generator"]), moment
        except (KeyError, TypeError, ValueError):
            raise LookupFailed("no_about", where=self.wiki.api) from None

    def qids_with_formula(self, *, fresh: bool = False) -> list[str]:
        """Return the QIDs of all items with a defining formula, in the order of their IRIs."""
        found: list[str] = []
        for row in self.select_pages("lookup_items_with_formula", fresh=fresh):
            found.append(row["item"])
            if len(found) == 1 and "://" in found[0]:  # before it is the cursor of the next page
                self._check_prefix(found)
        if not found:
            self._check_prefix(found)
        return [each for each in found if is_item_id(each)]

    def items_by_label(self, names: Iterable[str]) -> dict[str, list[str]]:
        """Return for every name the items that carry it, or a usual spelling of it, as label or alias."""
        return self._known("names", names, self._items_by_label)

    def _items_by_label(self, names: Iterable[str]) -> dict[str, list[str]]:
        spellings_of = {name: spellings(nfc(name)) for name in dict.fromkeys(names)}
        literals = [
            (s, lang)
            for s in dict.fromkeys(s for forms in spellings_of.values() for s in forms)
            for lang in self.languages
        ]
        found: dict[str, list[str]] = {}
        for part in batched(literals, LITERALS_AT_ONCE):
            for row in self.select("lookup_items_by_name", names=part):
                if is_item_id(row["item"]):
                    found.setdefault(row["name"], []).append(row["item"])
        return {name: _sorted_qids(q for s in forms for q in found.get(s, ())) for name, forms in spellings_of.items()}

    def items_of_query(self, text: str, most: int) -> list[str]:
        """Return the items, `most` at most, that a person's query names in its column ?item, asked anew.

        Raises InputError for a query that is not sent (see `item_query`) and for too many rows, LookupFailed where it fails.
        """
        from bot.lookup.item_query import limited_query  # its parser takes half a second to load

        query = limited_query(text, most)
        with closing(self._open(Sparql, self.wiki.sparql, self._interactive_timeout)) as service:
            rows = service.select(query, ("item",))
        if len(rows) > most:
            raise InputError("query_rows", most=most)
        found = dict.fromkeys(self._local_id(row["item"]) for row in rows)
        return [each for each in found if is_item_id(each)]

    def publication(self, doi: str, crossref: str) -> Publication | None:
        """Return what Crossref at an address says of a DOI, None where it has registered none. Raises LookupFailed."""
        request = f"crossref\0{doi.upper()}"
        cached = self._cache.get_many([request]).get(request)
        if cached is None:
            with closing(self._open(Crossref, crossref, self._interactive_timeout)) as registry:
                found = registry.publication(doi, self.agent.contact)
            cached = as_json(found) if found else {}
            self._cache.put(request, cached)
        return Publication(**{**cached, "authors": tuple(cached["authors"])}) if cached else None

    def item_with_doi(self, doi: str) -> str:
        """Return the one item of a publication, "" where the wiki has none or several. Raises LookupFailed."""
        found = {row["item"] for row in self.select("lookup_items_by_doi", dois=[(doi.upper(), "")])}
        return found.pop() if len(found) == 1 else ""

    def labels_of(self, qids: Iterable[str]) -> dict[str, str]:
        """Return the labels of items in the wanted language, then `mul`; items without one are left out."""
        found = self._known("labels", checked_ids(qids), self._labels)
        return {qid: label for qid, label in found.items() if label}

    def _labels(self, qids: Sequence[str]) -> dict[str, str]:
        best: dict[str, tuple[int, str]] = {}
        for part in batched(qids, ITEMS_AT_ONCE):
            for row in self.select("lookup_labels", items=part, languages=self.languages):
                if row["language"] not in self.languages:
                    continue
                label = (self.languages.index(row["language"]), row["label"])
                best[row["item"]] = min(label, best.get(row["item"], label))
        return dict.fromkeys(qids, "") | {qid: label for qid, (_, label) in best.items()}

    def classes_of(self, qids: Iterable[str]) -> dict[str, tuple[str, ...]]:
        """Return for every item its classes and those above them, three steps up."""
        return self._known("classes", checked_ids(qids), self._classes)

    def _classes(self, qids: Sequence[str]) -> dict[str, tuple[str, ...]]:
        found: dict[str, list[str]] = {qid: [] for qid in qids}
        for part in batched(qids, ITEMS_AT_ONCE):
            for row in self.select("lookup_classes", items=part):
                if is_item_id(row["class"]):
                    found[row["item"]].append(row["class"])
        return {qid: tuple(_sorted_qids(classes)) for qid, classes in found.items()}

    def items_with_formulas(
        self, *, fresh: bool = False, more: Sequence[str] = (), exclude: Container[str] = ()
    ) -> dict[str, Item]:
        """Return every item but those `exclude` that has a defining formula, with its statements; `more` as in `entities`.

        The list of these items is always read again; unless `fresh`, a cached list is used where the query service fails.
        """
        listed = [qid for qid in self._listed_qids(cached=not fresh) if qid not in exclude]
        return self.entities(listed, fresh=fresh, more=more)

    @contextlib.contextmanager
    def keeping_answers(self, results: ResultCache) -> Iterator[None]:
        """Keep answers among the results of a stage, for as long as the wiki is known not to have changed."""
        if self._content_version:
            from bot.lookup.answers_of_state import AnswersOfState

            self._answers = AnswersOfState(
                results, self._content_version, self.wiki.entity_prefix, self.wiki.properties, self.languages
            )
        try:
            yield
            if self._answers:
                self._answers.store()
        finally:
            self._answers = None

    def _known(self, kind: str, names: Iterable[str], ask: Callable[[list[str]], Mapping[str, R]]) -> dict[str, R]:
        return self._answers.get(kind, names, ask) if self._answers else dict(ask(list(dict.fromkeys(names))))

    def content_version(self) -> str | None:
        """Return a text that differs after any change of the wiki; None where that is not known."""
        return self._content_version() if self._content_version else None

    def cache_use(self) -> CacheUse:
        """Return how many answers came from the cache so far."""
        away = self._query_service_failure.full_message if self._query_service_failure else ""
        return CacheUse(self._cache.old_answers_used, round(self._cache.oldest_age / 3600, 2), away)

    def _listed_qids(self, *, cached: bool) -> list[str]:
        try:
            return self._known("with formula", [""], lambda _: {"": self.qids_with_formula(fresh=True)})[""]
        except LookupFailed as error:
            if not cached:
                raise
            self._query_service_failure = error
            return self.qids_with_formula()

    def parse_math(self, values: Iterable[str], *, fresh: bool = False) -> list[MathVerdict]:
        """Return the wiki's own verdict on each math value, in order; nothing is written there."""
        all_values = list(values)
        todo = [v for v in dict.fromkeys(all_values) if is_sendable(v)]
        verdicts = self._known("verdicts", todo, partial(self._refusals, fresh=fresh))
        return [math_verdict(value, verdicts.get(value)) for value in all_values]

    def _refusals(self, todo: Sequence[str], fresh: bool) -> dict[str, str]:
        """Return why each value is refused, "" where it is not."""
        return self._cache.get_or_ask({v: f"math\0{v}" for v in todo}, self._parse, VALUES_AT_ONCE, fresh=fresh)

    def _parse(self, values: Sequence[str]) -> dict[str, str]:
        """Why each value is refused, "" where it is not."""
        joined = "".join(SEPARATOR + v for v in values)
        answer = self._api.ask(expect="results", action="wbparsevalue", datatype="math", validate="1", values=joined)
        results = answer["results"]
        if not isinstance(results, list) or [r.get("raw") if isinstance(r, dict) else None for r in results] != list(
            values
        ):
            raise LookupFailed("other_verdicts", where=self.wiki.api)
        return {value: refusal_reason(result) for value, result in zip(values, results, strict=True)}

    def _entities(self, ids: Iterable[str], languages: str, fresh: bool) -> dict[str, Json]:
        requests = {each: f"entity\0{languages}\0{each}" for each in checked_entities(ids)}
        ask = partial(self._fetch, languages=languages)
        return self._cache.get_or_ask(requests, ask, ENTITIES_AT_ONCE, fresh=fresh)

    def _fetch(self, ids: Sequence[str], languages: str) -> dict[str, Json]:
        narrowed = {"languages": languages} if languages else {}
        answer = self._api.ask(
            expect="entities", action="wbgetentities", ids="|".join(ids), props=_PROPS, redirects="yes", **narrowed
        )
        entities = answer["entities"]
        found = {}
        for entity in entities.values() if isinstance(entities, dict) else ():
            if isinstance(entity, dict) and "id" in entity:
                redirects = entity.get("redirects")
                found[redirects["from"] if isinstance(redirects, dict) else entity["id"]] = entity
        # A redirect and its target asked for together may come as one entity.
        by_target = {e["id"]: e for e in found.values()}
        for each in ids:
            entity = found.get(each) or by_target.get(each)
            if entity is None:
                raise LookupFailed("no_answer_about", item=each, where=self.wiki.api)
            found[each] = entity
        return {each: found[each] for each in ids}

    def _check_prefix(self, found: Sequence[str]) -> None:
        """Raise SettingsError where nothing is found because the settings name another prefix than the wiki does."""
        with contextlib.suppress(LookupFailed):
            answer = self._api.ask(expect="query", action="query", meta="siteinfo", siprop="general")
            stated = answer["query"].get("general", {}).get("wikibase-conceptbaseuri", "")
            if stated and stated != self.wiki.entity_prefix:
                self._raise_wrong_prefix("prefix_of_wiki", stated)
        if found:
            self._raise_wrong_prefix("prefix_of_service", found[0])

    def _raise_wrong_prefix(self, code: str, stated: str) -> None:
        raise SettingsError(
            code, prefix=self.wiki.entity_prefix, said=stated, where=self.wiki.sparql, todo="set_as_wiki"
        )

    def _local_id(self, value: str) -> str:
        return value.removeprefix(self.wiki.entity_prefix)

    def _require_contact(self, address: str) -> None:
        """Wikimedia blocks clients without a contact; a wiki on this machine asks for none."""
        host = urlsplit(address).hostname or ""
        if not self.agent.contact and not (host == "localhost" or host.startswith("127.") or host == "::1"):
            raise SettingsError("contact_empty", where=host, todo="contact")


def _sorted_qids(qids: Iterable[str]) -> list[str]:
    return sorted(set(qids), key=item_number)
