"""The query service beside the wiki: one graph in memory, brought up to date from the wiki's changes before each query."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from itertools import chain

from pyoxigraph import Literal, NamedNode, Quad, QueryBoolean, QueryResultsFormat, QuerySolutions, RdfFormat, Store

from bot.sandbox.entity_rdf import Vocabulary, triples
from bot.sandbox.repository import Stored, stored
from bot.sandbox.site import Site


class QueryError(ValueError):
    """The query is no SPARQL, or asks for what this engine does not do."""


class Graph:
    """The wiki as triples. Nothing is built until the first query; another process's edits are seen as well."""

    def __init__(self, site: Site) -> None:
        self.site, self.iri = site, Vocabulary(site.entity_prefix)
        self._lock = threading.RLock()
        self._store = Store()
        self._built = False
        self._seen = 0

    def query(self, sparql: str) -> tuple[str, bytes]:
        """Return (media type, body) of an answer. Raises QueryError."""
        self.refresh()
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
            newest = self.site.db.last_change()
            if not self._built:
                self._build()
            else:
                sql = "SELECT DISTINCT entity FROM changes WHERE id > ? AND entity <> ''"
                for row in self.site.db.rows(sql, self._seen):
                    self._replace(row["entity"])
            self._seen = newest
            self._tell_age()

    def _tell_age(self) -> None:
        """Say until when the graph knows the wiki, where Wikidata's query service says it."""
        wiki, said = NamedNode(self.site.entity_prefix.removesuffix("/entity/")), self.iri("schema:dateModified")
        for quad in list(self._store.quads_for_pattern(wiki, said, None)):
            self._store.remove(quad)
        self._store.add(Quad(wiki, said, Literal(self.site.db.now(), datatype=self.iri("xsd:dateTime"))))

    def _build(self) -> None:
        found = chain.from_iterable(triples(entity, self.iri, name) for name, entity in self._all())
        self._store.bulk_extend(Quad(t.subject, t.predicate, t.object) for t in found)
        self._built = True

    def _all(self) -> Iterator[tuple[str, Stored]]:
        sql = (
            "SELECT pages.entity, pages.redirect, pages.id AS page_id, revisions.id, revisions.time, revisions.text"
            " FROM pages JOIN revisions ON revisions.id = pages.latest WHERE pages.entity <> ''"
        )
        for row in self.site.db.rows(sql):
            yield row["entity"], stored(row)

    def _replace(self, entity: str) -> None:
        """Replace an entity's triples by those of its newest revision; shared reference nodes may stay, they are content."""
        subject = self.iri(f"wd:{entity}")
        about = [quad.subject for quad in self._store.quads_for_pattern(None, self.iri("schema:about"), subject)]
        subjects = [subject, self.iri(f"data:{entity}"), *about]
        gone = [quad for node in subjects for quad in self._store.quads_for_pattern(node, None, None)]
        own = self.iri.prefixes["s"]
        statements = [q.object for q in gone if isinstance(q.object, NamedNode) and q.object.value.startswith(own)]
        gone += [quad for node in statements for quad in self._store.quads_for_pattern(node, None, None)]
        for quad in gone:
            self._store.remove(quad)
        found = self.site.repository.get(entity)
        if found:
            for t in triples(found, self.iri, entity):
                self._store.add(Quad(t.subject, t.predicate, t.object))
