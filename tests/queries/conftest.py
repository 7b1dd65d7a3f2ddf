"""Small graphs of Wikibase's shape to ask the query files, with two engines that have to answer alike."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import pyoxigraph
import pytest
import rdflib

from bot.lookup import queries
from bot.settings import Wiki

WIKI = Wiki(entity_prefix="http://wiki.example/entity/")
PREFIXES = """
PREFIX wd: <http://wiki.example/entity/>
PREFIX s: <http://wiki.example/entity/statement/>
PREFIX ref: <http://wiki.example/reference/>
PREFIX wdt: <http://wiki.example/prop/direct/>
PREFIX wdno: <http://wiki.example/prop/novalue/>
PREFIX p: <http://wiki.example/prop/>
PREFIX ps: <http://wiki.example/prop/statement/>
PREFIX pq: <http://wiki.example/prop/qualifier/>
PREFIX pr: <http://wiki.example/prop/reference/>
PREFIX wikibase: <http://wikiba.se/ontology#>
PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#>
PREFIX skos: <http://www.w3.org/2004/02/skos/core#>
PREFIX schema: <http://schema.org/>
PREFIX prov: <http://www.w3.org/ns/prov#>
"""


rdflib.NORMALIZE_LITERALS = False  # the lexical form is what a client reads


def oxigraph(turtle: str, query: str) -> list[dict[str, str]]:
    store = pyoxigraph.Store()
    store.load((PREFIXES + turtle).encode(), format=pyoxigraph.RdfFormat.TURTLE)
    solutions = store.query(query)
    columns = [v.value for v in solutions.variables]
    return [{c: row[c].value for c in columns if row[c] is not None} for row in solutions]


def rdflib_(turtle: str, query: str) -> list[dict[str, str]]:
    graph = rdflib.Graph()
    graph.parse(data=PREFIXES + turtle, format="turtle")
    found = graph.query(query)
    return [{str(c): str(row[c]) for c in found.vars or () if row[c] is not None} for row in found]  # type: ignore[index,call-overload]


@pytest.fixture
def ask() -> Callable[..., list[dict[str, str]]]:
    """A function (query name, Turtle, values) → rows, entities as bare ids; both engines have to give the same rows.

    What is not given stays as the file has it: the first page.
    """

    def run(name: str, turtle: str, **values: Any) -> list[dict[str, str]]:
        text = queries.fill(queries.load_query(name), WIKI, values, samples=True)
        one, other = oxigraph(turtle, text), rdflib_(turtle, text)
        assert _bag(one) == _bag(other)
        if "ORDER BY" in text:
            key = text.split("ORDER BY ?")[1].split()[0]
            assert [row[key] for row in one] == [row[key] for row in other]
        return [{c: v.removeprefix(WIKI.entity_prefix) for c, v in row.items()} for row in one]

    return run


def _bag(rows: list[dict[str, str]]) -> Counter[tuple[tuple[str, str], ...]]:
    return Counter(tuple(sorted(row.items())) for row in rows)
