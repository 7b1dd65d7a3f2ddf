"""Small graphs of Wikibase's shape to ask the query files."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pyoxigraph
import pytest

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
PREFIX wikibase: <http://wikiba.se/ontology#>
PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#>
PREFIX skos: <http://www.w3.org/2004/02/skos/core#>
PREFIX schema: <http://schema.org/>
PREFIX prov: <http://www.w3.org/ns/prov#>
"""


@pytest.fixture
def ask() -> Callable[..., list[dict[str, str]]]:
    """A function (query name, Turtle, values) → rows, entities as bare ids."""

    def run(name: str, turtle: str, **values: Any) -> list[dict[str, str]]:
        store = pyoxigraph.Store()
        store.load((PREFIXES + turtle).encode(), format=pyoxigraph.RdfFormat.TURTLE)
        solutions = store.query(queries.fill(queries.load(name), WIKI, values))
        columns = [v.value for v in solutions.variables]
        return [
            {c: row[c].value.removeprefix(WIKI.entity_prefix) for c in columns if row[c] is not None}
            for row in solutions
        ]

    return run
