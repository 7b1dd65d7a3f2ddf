"""The query service beside the wiki: entities as RDF in Wikibase's shape, in one graph in memory that is brought up to date before each query.

A math value is a MathML literal, as on the real server: its TeX is not in the graph.
"""

import hashlib
import os
import re
import threading
from collections.abc import Iterator
from contextlib import suppress
from functools import lru_cache
from itertools import chain
from typing import TypedDict
from urllib.parse import quote

from pyoxigraph import (
    BlankNode,
    DefaultGraph,
    Literal,
    NamedNode,
    Quad,
    QueryBoolean,
    QueryResultsFormat,
    QuerySolutions,
    RdfFormat,
    Store,
    Triple,
    serialize,
)

from bot.formula import mathml
from bot.sandbox.entity_json import (
    DataValue,
    EntityJson,
    Sitelink,
    SnakJson,
    StatementJson,
    Time,
    flattened_snaks,
    statements,
)
from bot.sandbox.package_data import load_data
from bot.sandbox.repository import StoredEntity, entity_of_row
from bot.sandbox.site import Site
from bot.stage_state import code_version

Node = NamedNode | BlankNode
RDF_TYPE = NamedNode("http://www.w3.org/1999/02/22-rdf-syntax-ns#type")
MATHML = NamedNode("http://www.w3.org/1998/Math/MathML")
RDF_FORMATS = {
    "ttl": RdfFormat.TURTLE,
    "nt": RdfFormat.N_TRIPLES,
    "rdf": RdfFormat.RDF_XML,
    "jsonld": RdfFormat.JSON_LD,
}
_KEPT = ".graph.nt"  # ends the name of the file of a wiki's graph
_RANKS = {"preferred": "PreferredRank", "normal": "NormalRank", "deprecated": "DeprecatedRank"}
_TYPES = {
    "wikibase-item": "WikibaseItem",
    "wikibase-property": "WikibaseProperty",
    "monolingualtext": "Monolingualtext",
}
_SITE = re.compile(r"(.+?)(wiki|wikibooks|wikinews|wikiquote|wikisource|wikiversity|wikivoyage|wiktionary)")
# What hangs on Wikidata's address in RDF; a query that was written for Wikidata spells it out. Its items of the two
# calendars stand in the dates of every wiki.
_OF_WIKIDATA = re.compile(
    r"http://www\.wikidata\.org(?!/entity/Q19857(?:27|86)>)(?=>|/(?:entity|reference|value|prop|wiki/Special:EntityData)/)"
)
_OBJECTS = {"wikibase-item", "wikibase-property", "url", "commonsMedia", "geo-shape", "tabular-data"}


class _RdfNames(TypedDict):
    prefixes: dict[str, str]  # of vocabularies that all wikis share
    own_prefixes: dict[str, str]  # below the address of the wiki
    roles: dict[str, str]  # how a property is used -> its prefix
    normalised_roles: dict[str, str]  # the same for normalised values of external identifiers


_NAMES: _RdfNames = load_data("rdf")


@lru_cache(maxsize=20000)
def formula_literal(tex: str) -> Literal:
    """Return a formula as the server writes it into RDF; an unparsable one as its error."""
    return Literal(mathml(tex, display=True, named=False), datatype=MATHML)


class Vocabulary:
    """IRIs of one wiki: everything of its own hangs on the prefix of its entities."""

    def __init__(self, entity_prefix: str) -> None:
        self.base = entity_prefix.removesuffix("entity/")
        self.prefixes = _NAMES["prefixes"] | {name: self.base + path for name, path in _NAMES["own_prefixes"].items()}
        self.prefixes["wd"] = entity_prefix
        self._known: dict[str, NamedNode] = {}

    def __call__(self, name: str) -> NamedNode:
        """Return the node for a prefixed name such as `wdt:P31`."""
        node = self._known.get(name)
        if node is None:
            prefix, _, rest = name.partition(":")
            node = NamedNode(self.prefixes[prefix] + rest)
            if len(self._known) < 100_000 and prefix not in ("s", "ref", "v"):
                self._known[name] = node
        return node


def triples(stored: StoredEntity, iri: Vocabulary, source: str = "") -> Iterator[Triple]:
    """Yield all triples of one entity; a merged one has only owl:sameAs its target."""
    if stored.redirect:
        yield Triple(iri(f"wd:{source or stored.entity['id']}"), iri("owl:sameAs"), iri(f"wd:{stored.redirect}"))
        return
    entity, subject = stored.entity, iri(f"wd:{stored.entity['id']}")
    yield from _dataset(stored, iri)
    kind = "Item" if entity["type"] == "item" else "Property"
    yield Triple(subject, RDF_TYPE, iri(f"wikibase:{kind}"))
    yield from _terms(entity, subject, iri)
    for group in entity["claims"].values():
        yield from _statements(group, subject, iri)
    for site, link in (entity.get("sitelinks") or {}).items():
        yield from _sitelink(site, link, subject, iri)
    if kind == "Property":
        yield from _property(entity, subject, iri)


def serialise(found: list[Triple], form: str, iri: Vocabulary) -> bytes:
    """Return triples as ttl, nt, rdf or jsonld."""
    prefixes = iri.prefixes if form in ("ttl", "rdf") else None
    return serialize(found, format=RDF_FORMATS[form], prefixes=prefixes) or b""


def _dataset(stored: StoredEntity, iri: Vocabulary) -> Iterator[Triple]:
    entity = stored.entity
    subject, about = iri(f"data:{entity['id']}"), iri(f"wd:{entity['id']}")
    integer = iri("xsd:integer")
    yield Triple(subject, RDF_TYPE, iri("schema:Dataset"))
    yield Triple(subject, iri("schema:about"), about)
    licence = NamedNode("http://creativecommons.org/publicdomain/zero/1.0/")
    yield Triple(subject, iri("cc:license"), licence)
    yield Triple(subject, iri("schema:softwareVersion"), Literal("1.0.0"))
    yield Triple(subject, iri("schema:version"), Literal(str(stored.revision), datatype=integer))
    yield Triple(subject, iri("schema:dateModified"), Literal(stored.time, datatype=iri("xsd:dateTime")))
    flat = list(statements(entity))
    counts = {"statements": len(flat)}
    if entity["type"] == "item":
        counts["sitelinks"] = len(entity.get("sitelinks") or {})
        counts["identifiers"] = sum(one["mainsnak"]["datatype"] == "external-id" for one in flat)
    for name, count in counts.items():
        yield Triple(subject, iri(f"wikibase:{name}"), Literal(str(count), datatype=integer))


def _terms(entity: EntityJson, subject: NamedNode, iri: Vocabulary) -> Iterator[Triple]:
    for label in entity["labels"].values():
        text = _text(label["value"], label["language"])
        for name in ("rdfs:label", "skos:prefLabel", "schema:name"):
            yield Triple(subject, iri(name), text)
    for term in entity["descriptions"].values():
        yield Triple(subject, iri("schema:description"), _text(term["value"], term["language"]))
    for aliases in entity["aliases"].values():
        for alias in aliases:
            yield Triple(subject, iri("skos:altLabel"), _text(alias["value"], alias["language"]))


def _text(text: str, language: str) -> Literal:
    """Return a text in its language; without one where the code is none of RDF's (the site zh_classicalwiki: a part is too long)."""
    try:
        return Literal(text, language=language)
    except ValueError:
        return Literal(text)


def _statements(group: list[StatementJson], subject: NamedNode, iri: Vocabulary) -> Iterator[Triple]:
    """The best statements of a property are truthy: the preferred ones, else the normal ones, never the deprecated."""
    ranks = {one["rank"] for one in group}
    best = "preferred" if "preferred" in ranks else "normal"
    for one in group:
        main = one["mainsnak"]
        prop = main["property"]
        node = iri("s:" + one["id"].replace("$", "-", 1))
        yield Triple(subject, iri(f"p:{prop}"), node)
        yield Triple(node, RDF_TYPE, iri("wikibase:Statement"))
        if one["rank"] == best:
            yield Triple(node, RDF_TYPE, iri("wikibase:BestRank"))
            yield from _snak(subject, "wdt", "", main, iri)
        yield Triple(node, iri("wikibase:rank"), iri(f"wikibase:{_RANKS[one['rank']]}"))
        yield from _snak(node, "ps", "psv", main, iri)
        for snak in flattened_snaks(one.get("qualifiers", {})):
            yield from _snak(node, "pq", "pqv", snak, iri)
        for reference in one.get("references", ()):
            ref = iri(f"ref:{reference['hash']}")
            yield Triple(node, iri("prov:wasDerivedFrom"), ref)
            yield Triple(ref, RDF_TYPE, iri("wikibase:Reference"))
            for snak in flattened_snaks(reference["snaks"]):
                yield from _snak(ref, "pr", "prv", snak, iri)


def _snak(subject: Node, direct: str, deep: str, snak: SnakJson, iri: Vocabulary) -> Iterator[Triple]:
    prop = snak["property"]
    if snak["snaktype"] == "novalue":
        yield Triple(subject, RDF_TYPE, iri(f"wdno:{prop}"))
    elif snak["snaktype"] == "somevalue":
        yield Triple(subject, iri(f"{direct}:{prop}"), BlankNode(snak["hash"]))
    else:
        data = snak["datavalue"]
        yield Triple(subject, iri(f"{direct}:{prop}"), _object(snak["datatype"], data, iri))
        if deep and data["type"] == "time":
            yield from _time_value(subject, iri(f"{deep}:{prop}"), data["value"], iri)


def _object(datatype: str, data: DataValue, iri: Vocabulary) -> Node | Literal:
    if data["type"] == "wikibase-entityid":
        return iri(f"wd:{data['value']['id']}")
    if data["type"] == "monolingualtext":
        return _text(data["value"]["text"], data["value"]["language"])
    if data["type"] == "time":
        return _date(data["value"], iri)
    if data["type"] == "quantity":
        return Literal(str(data["value"]["amount"]), datatype=iri("xsd:decimal"))
    if data["type"] != "string":
        return Literal(str(data["value"]))
    if datatype == "math":
        return formula_literal(data["value"])
    if datatype == "url":
        return NamedNode(quote(data["value"], safe=":/?#[]@!$&'()*+,;=%~-._"))
    if datatype == "commonsMedia":
        return NamedNode(f"http://commons.wikimedia.org/wiki/Special:FilePath/{quote(data['value'])}")
    return Literal(data["value"])


def _date(value: Time, iri: Vocabulary) -> Literal:
    return Literal(value["time"].removeprefix("+"), datatype=iri("xsd:dateTime"))


def _time_value(subject: Node, predicate: NamedNode, value: Time, iri: Vocabulary) -> Iterator[Triple]:
    digest = hashlib.md5(repr(sorted(value.items())).encode(), usedforsecurity=False).hexdigest()
    node, integer = iri(f"v:{digest}"), iri("xsd:integer")
    yield Triple(subject, predicate, node)
    yield Triple(node, RDF_TYPE, iri("wikibase:TimeValue"))
    yield Triple(node, iri("wikibase:timeValue"), _date(value, iri))
    yield Triple(node, iri("wikibase:timePrecision"), Literal(str(value["precision"]), datatype=integer))
    yield Triple(node, iri("wikibase:timeTimezone"), Literal(str(value["timezone"]), datatype=integer))
    yield Triple(node, iri("wikibase:timeCalendarModel"), NamedNode(value["calendarmodel"]))


def _sitelink(site: str, link: Sitelink, subject: NamedNode, iri: Vocabulary) -> Iterator[Triple]:
    language, home = project_of_site(site)
    page = NamedNode(f"{home}wiki/{quote(link['title'].replace(' ', '_'))}")
    yield Triple(page, RDF_TYPE, iri("schema:Article"))
    yield Triple(page, iri("schema:about"), subject)
    yield Triple(page, iri("schema:inLanguage"), Literal(language))
    yield Triple(page, iri("schema:isPartOf"), NamedNode(home))
    yield Triple(page, iri("schema:name"), _text(link["title"], language))


def project_of_site(site: str) -> tuple[str, str]:
    """Return a project's language and address from its name: enwiki, dewikiquote, commonswiki."""
    found = _SITE.fullmatch(site)
    code, family = (found[1], found[2]) if found else (site, "wiki")
    if code in ("commons", "species", "meta"):
        return "en", f"https://{code}.wikimedia.org/"
    host = "wikipedia" if family == "wiki" else family
    return code.replace("_", "-"), f"https://{code.replace('_', '-')}.{host}.org/"


def _property(entity: EntityJson, subject: NamedNode, iri: Vocabulary) -> Iterator[Triple]:
    prop, kind = entity["id"], entity["datatype"]
    name = _TYPES.get(kind) or "".join(part.capitalize() for part in kind.split("-"))
    yield Triple(subject, iri("wikibase:propertyType"), iri(f"wikibase:{name}"))
    for role, prefix in _NAMES["roles"].items():
        yield Triple(subject, iri(f"wikibase:{role}"), iri(f"{prefix}:{prop}"))
    node_like = iri("owl:ObjectProperty" if kind in _OBJECTS else "owl:DatatypeProperty")
    for prefix in ("p", "psv", "pqv", "prv"):
        yield Triple(iri(f"{prefix}:{prop}"), RDF_TYPE, iri("owl:ObjectProperty"))
    for prefix in ("wdt", "ps", "pq", "pr"):
        yield Triple(iri(f"{prefix}:{prop}"), RDF_TYPE, node_like)
    if kind == "external-id":
        for role, prefix in _NAMES["normalised_roles"].items():
            yield Triple(subject, iri(f"wikibase:{role}"), iri(f"{prefix}:{prop}"))
            yield Triple(iri(f"{prefix}:{prop}"), RDF_TYPE, iri("owl:ObjectProperty"))
    none, rule = iri(f"wdno:{prop}"), BlankNode(hashlib.md5(prop.encode(), usedforsecurity=False).hexdigest())
    yield Triple(none, RDF_TYPE, iri("owl:Class"))
    yield Triple(none, iri("owl:complementOf"), rule)
    yield Triple(rule, RDF_TYPE, iri("owl:Restriction"))
    yield Triple(rule, iri("owl:onProperty"), iri(f"wdt:{prop}"))
    yield Triple(rule, iri("owl:someValuesFrom"), iri("owl:Thing"))


class QueryError(ValueError):
    """The query is not SPARQL, or asks for what this engine does not do."""


class Graph:
    """The wiki as triples. Nothing is built until the first query; another process's edits are seen as well."""

    def __init__(self, site: Site) -> None:
        self.site, self.iri = site, Vocabulary(site.entity_prefix)
        self._lock = threading.RLock()
        self._store = Store()
        self._seen: int | None = None  # the last change that is in the store; None before it is built

    def query(self, sparql: str) -> tuple[str, bytes]:
        """Return (media type, body) of an answer. Wikidata's own names in the query mean this wiki's. Raises QueryError."""
        self.refresh()
        sparql = _OF_WIKIDATA.sub(self.iri.base.rstrip("/"), sparql)
        try:
            found = self._store.query(sparql, prefixes=self.iri.prefixes)
            if isinstance(found, QuerySolutions | QueryBoolean):
                body = found.serialize(format=QueryResultsFormat.JSON)
                return "application/sparql-results+json", body or b""
            return "application/n-triples", found.serialize(format=RdfFormat.N_TRIPLES) or b""
        except (SyntaxError, ValueError) as error:
            raise QueryError(str(error)) from None

    def refresh(self) -> None:
        """Bring the graph to the wiki's present state."""
        with self._lock:
            newest = self.site.db.number("SELECT max(id) FROM changes")
            if self._seen is None:
                self._build()
            else:
                sql = "SELECT DISTINCT entity FROM changes WHERE id > ? AND entity <> ''"
                for row in self.site.db.rows(sql, self._seen):
                    self._replace(row["entity"])
            self._seen = newest
            self._write_freshness()

    def _write_freshness(self) -> None:
        """Say until when the graph knows the wiki, where Wikidata's query service says it."""
        wiki, predicate = NamedNode(self.site.entity_prefix.removesuffix("/entity/")), self.iri("schema:dateModified")
        for quad in list(self._store.quads_for_pattern(wiki, predicate, None)):
            self._store.remove(quad)
        self._store.add(Quad(wiki, predicate, Literal(self.site.db.now(), datatype=self.iri("xsd:dateTime"))))

    def _build(self) -> None:
        """Read the graph from a file beside that of the wiki, if there is one of this state; else make it, which takes four times as long."""
        path = self.site.db.path
        file = path and path.with_name(f"{path.name}.{self._state()}{_KEPT}")
        if file and file.exists():
            self._store.bulk_load(path=file, format=RdfFormat.N_TRIPLES)
            return
        entities = self.site.db.entities()
        found = chain.from_iterable(triples(entity_of_row(row), self.iri, row["entity"]) for row in entities)
        self._store.bulk_extend(Quad(t.subject, t.predicate, t.object) for t in found)
        if path and file:
            part = file.with_name(f"{file.name}.{os.getpid()}")
            with suppress(OSError):  # without the file it is made again
                self._store.dump(part, format=RdfFormat.N_TRIPLES, from_graph=DefaultGraph())
                for old in path.parent.glob(f"{path.name}.*{_KEPT}"):
                    old.unlink(missing_ok=True)
                part.replace(file)

    def _state(self) -> str:
        """Return a digest of all that the graph is made from."""
        sql = (
            "SELECT pages.entity, pages.redirect, revisions.id, revisions.time, revisions.sha1"
            " FROM pages JOIN revisions ON revisions.id = pages.latest WHERE pages.entity <> '' ORDER BY pages.id"
        )
        rows = [tuple(row) for row in self.site.db.rows(sql)]
        return hashlib.sha256(repr((code_version(), self.iri.base, rows)).encode()).hexdigest()[:16]

    def _replace(self, entity: str) -> None:
        """Replace an entity's triples by those of its newest revision; shared reference nodes may stay, they are content."""
        subject = self.iri(f"wd:{entity}")
        about = [quad.subject for quad in self._store.quads_for_pattern(None, self.iri("schema:about"), subject)]
        subjects = [subject, self.iri(f"data:{entity}"), *about]
        removed = [quad for node in subjects for quad in self._store.quads_for_pattern(node, None, None)]
        own = self.iri.prefixes["s"]
        statements = [q.object for q in removed if isinstance(q.object, NamedNode) and q.object.value.startswith(own)]
        removed += [quad for node in statements for quad in self._store.quads_for_pattern(node, None, None)]
        for quad in removed:
            self._store.remove(quad)
        if found := self.site.repository.get(entity):
            for t in triples(found, self.iri, entity):
                self._store.add(Quad(t.subject, t.predicate, t.object))
