"""A SPARQL query that a person pastes to name items: checked before it is sent, since it runs in the bot's name."""

import re
from collections.abc import Iterable
from typing import Any

from rdflib.plugins.sparql.parser import parseQuery
from rdflib.plugins.sparql.parserutils import CompValue

from bot.errors import InputError

MAX_QUERY_LENGTH = 10_000  # characters, chosen: many times what the query builder of Wikidata writes
_SERVICES = "http://wikiba.se/ontology#"  # labels and searches that the query service itself provides
_PREFIX = re.compile(r"\b(?:prefix\s+[\w.-]*:|base)\s*<[^<>\s]*>", re.I)
_MAX_DEPTH = 400  # steps of the parsed query; a query of 10,000 brackets is none that a person wrote


def limited_query(text: str, most: int) -> str:
    """Return a SELECT of ?item with a limit of one row more than `most`, where it has none of its own.

    Raises InputError for anything else: another form of query, no ?item, or a service of somebody else.
    """
    if len(text) > MAX_QUERY_LENGTH:
        raise InputError("query_long", most=MAX_QUERY_LENGTH)
    prologue, query = _parsed(text)
    if query.name != "SelectQuery" or query.datasetClause:
        raise InputError("query_select")
    columns = [each.evar or each.var for each in query.projection or ()]
    if columns and "item" not in map(str, columns):
        raise InputError("query_item")
    prefixes = {str(each.prefix or ""): str(each.iri) for each in prologue if each.name == "PrefixDecl"}
    for service in _services(query):
        name = service if isinstance(service, str) else prefixes.get(service.prefix or "", service.prefix or "")
        if not str(name).startswith(_SERVICES) and name != "wikibase":
            raise InputError("query_service")
    try:
        _parsed(limited := f"{text}\nLIMIT {most + 1}")
    except InputError:  # it has a limit, or VALUES at the end: the size of the answer is checked as well
        return text
    return limited


def _parsed(text: str) -> tuple[list[CompValue], CompValue]:
    """Return prologue and query. Raises InputError for what is not SPARQL 1.1."""
    try:
        # rdflib takes what follows the # of a prefix's address on its line for a comment, where a service is asked.
        prologue, query = parseQuery(_PREFIX.sub(r"\g<0>\n", text))
    except Exception as error:  # pyparsing's own, and RecursionError
        line = str(getattr(error, "line", "") or "").strip()[:60]
        raise InputError("query_syntax", line=line) from None
    return list(prologue), query


def _services(found: object, depth: int = 0) -> list[Any]:
    """Return the names of the services that a query asks, wherever they stand."""
    if depth > _MAX_DEPTH:
        raise InputError("query_syntax", line="")
    inside: Iterable[object] = ()
    if isinstance(found, dict):
        inside = found.values()
    elif isinstance(found, Iterable) and not isinstance(found, str):
        inside = found
    named = [found.term] if isinstance(found, CompValue) and found.name == "ServiceGraphPattern" else []
    return [*named, *(name for each in inside for name in _services(each, depth + 1))]
