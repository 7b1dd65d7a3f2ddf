"""What Blazegraph and QLever both take of SPARQL 1.1: a query is parsed, and everything in its algebra has to be in a list.

What only one of them has (hints, subqueries by name) is not SPARQL 1.1 and does not parse; services, named graphs and functions
that one of them lacks or had late are left out of the lists on purpose.
"""

from __future__ import annotations

from collections.abc import Iterator

from rdflib import URIRef
from rdflib.paths import MulPath, Path
from rdflib.plugins.sparql.algebra import translateQuery
from rdflib.plugins.sparql.parser import parseQuery
from rdflib.plugins.sparql.parserutils import CompValue
from rdflib.term import Variable

ALGEBRA = frozenset(
    "SelectQuery Project Distinct OrderBy OrderCondition Slice Filter BGP Join LeftJoin Union Minus Extend Group AggregateJoin ToMultiSet values"
    " TriplesBlock GroupGraphPatternSub TrueFilter vars PV".split()
)
EXPRESSIONS = frozenset(
    "RelationalExpression ConditionalAndExpression ConditionalOrExpression AdditiveExpression MultiplicativeExpression UnaryNot literal pname"
    " Builtin_STR Builtin_LANG Builtin_CONTAINS Builtin_STRSTARTS Builtin_STRLEN Builtin_REGEX Builtin_BOUND Builtin_IF Builtin_COALESCE"
    " Builtin_NOTEXISTS Builtin_EXISTS Aggregate_Count Aggregate_Sample Aggregate_Min Aggregate_Max Aggregate_Sum".split()
)


def faults(text: str) -> list[str]:
    """Return what in a query is not known to be taken by both engines, and what makes pages or counts unsure."""
    try:
        parsed = parseQuery(text)
        declared = {str(one.prefix) for one in parsed[0] if one.name == "PrefixDecl"}
        used = {str(dict.get(node, "prefix", "")) for node in _nodes(parsed[1]) if node.name == "pname"}
        named = "datasetClause" in parsed[1]
        query = translateQuery(parsed)
    except Exception as error:
        return [f"no SPARQL 1.1: {error}"]
    found = [f"{name} is not known to both engines" for name in sorted(_names(query.algebra) - ALGEBRA - EXPRESSIONS)]
    found += [f"prefix {name} is used and not declared" for name in sorted(used - declared)]
    found += [f"prefix {name} is declared and not used" for name in sorted(declared - used)]
    if named:
        found.append("FROM names a graph")
    bound = _variables(query.algebra)
    selected = query.algebra.PV if query.algebra.name == "SelectQuery" else ()
    found += [f"?{v} is selected and never bound" for v in selected if v not in bound]
    found += _paths(query.algebra)
    sliced = next((n for n in _nodes(query.algebra) if n.name == "Slice"), None)
    if sliced is not None and not any(n.name == "OrderBy" for n in _nodes(query.algebra)):
        found.append("LIMIT without ORDER BY")
    if sliced is not None and sliced.start:
        found.append("OFFSET instead of a key")
    return found


def _nodes(value: object) -> Iterator[CompValue]:
    if isinstance(value, CompValue):
        yield value
        for inner in value.values():
            yield from _nodes(inner)
    elif isinstance(value, dict):
        yield from _nodes(list(value.values()))
    elif isinstance(value, list | tuple) or type(value).__name__ in ("ParseResults", "plist"):
        for inner in value:
            yield from _nodes(inner)


def _names(algebra: CompValue) -> set[str]:
    return {node.name for node in _nodes(algebra)}


def _triples(algebra: CompValue) -> Iterator[tuple[object, object, object]]:
    for node in _nodes(algebra):
        if node.name == "BGP":
            yield from node.triples


def _variables(algebra: CompValue) -> set[Variable]:
    found = {term for triple in _triples(algebra) for term in triple if isinstance(term, Variable)}
    for node in _nodes(algebra):
        if node.name == "Extend":
            found.add(node["var"])
    return found | {v for v in _values(algebra) if isinstance(v, Variable)}


def _paths(algebra: CompValue) -> Iterator[str]:
    """An unbounded path has to begin or end at something that another pattern binds: alone it walks the whole graph."""
    triples = list(_triples(algebra))
    for triple in triples:
        subject, path, other = triple
        if not isinstance(path, Path) or not any(isinstance(p, MulPath) and p.mod in "*+" for p in _inside(path)):
            continue
        held = {term for one in triples if one is not triple for term in one} | _values(algebra)
        if not any(isinstance(end, URIRef) or end in held for end in (subject, other)):
            yield "an unbounded path has no end that is bound"


def _values(algebra: CompValue) -> set[object]:
    tables = (node for node in _nodes(algebra) if node.name == "values")
    return {variable for table in tables for row in dict.get(table, "res", []) for variable in row}


def _inside(path: object) -> Iterator[object]:
    yield path
    for inner in getattr(path, "args", None) or [getattr(path, "path", None) or getattr(path, "arg", None)]:
        if isinstance(inner, Path):
            yield from _inside(inner)
