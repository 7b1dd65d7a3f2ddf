"""The Formula Concept Database as RDF: concepts, items, representations, and in PROV where each comes from.

Beside it stands the plain triple item – defining formula – TeX, in the wiki's own words, for who wants no more.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from urllib.parse import quote

import sqlalchemy as sa
from pyoxigraph import Literal, NamedNode, RdfFormat, Triple, serialize

from bot import store
from bot.settings import Wiki
from bot.store import Row, Workspace

FORMATS = {"turtle": RdfFormat.TURTLE, "ntriples": RdfFormat.N_TRIPLES}
PROV, RDF, RDFS, XSD = (
    "http://www.w3.org/ns/prov#",
    "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
    "http://www.w3.org/2000/01/rdf-schema#",
    "http://www.w3.org/2001/XMLSchema#",
)
FCDB = "urn:fcdb:"  # our own few words; none of the common vocabularies has them
_TYPE = NamedNode(f"{RDF}type")


def export(rows: Iterable[Row], urls: Mapping[str, str], wiki: Wiki, form: str) -> str:
    """Return representations that have an item as RDF; `urls` gives the address of a document where it has one."""
    base = wiki.entity_prefix.removesuffix("entity/")
    prefixes = {"fcdb": FCDB, "prov": PROV, "rdfs": RDFS, "xsd": XSD}
    prefixes |= {"wd": wiki.entity_prefix, "wdt": f"{base}prop/direct/"}
    says = NamedNode(f"{base}prop/direct/{wiki.properties.defining_formula}")
    made = triples(rows, urls, wiki.entity_prefix, says)
    return (serialize(made, format=FORMATS[form], prefixes=prefixes) or b"").decode()


def triples(rows: Iterable[Row], urls: Mapping[str, str], entity_prefix: str, says: NamedNode) -> Iterator[Triple]:
    """Yield the triples of all rows; concepts, items and people are described once."""
    seen: set[Triple] = set()
    for row in rows:
        item = NamedNode(entity_prefix + row["qid"])
        for one in (*_concept(row, item), *_representation(row), *_provenance(row, urls)):
            if one not in seen:
                seen.add(one)
                yield one
        plain = Triple(item, says, Literal(row["tex"]))
        if plain not in seen:
            seen.add(plain)
            yield plain


def document_urls(workspace: Workspace) -> dict[str, str]:
    """Return the address of each document that has one."""
    table = store.documents
    rows = workspace.rows(sa.select(table.c.id, table.c.url).where(table.c.url != ""))
    return {row["id"]: row["url"] for row in rows}


def _concept(row: Row, item: NamedNode) -> Iterator[Triple]:
    concept = _name("concept", row["concept"])
    yield Triple(concept, _TYPE, _word("Concept"))
    yield Triple(concept, _word("item"), item)
    yield Triple(concept, _word("representation"), _name("representation", row["id"]))


def _representation(row: Row) -> Iterator[Triple]:
    own = _name("representation", row["id"])
    yield Triple(own, _TYPE, _word("Representation"))
    yield Triple(own, _TYPE, NamedNode(f"{PROV}Entity"))
    yield Triple(own, _word("tex"), Literal(row["tex"]))
    if row["level"]:
        yield Triple(own, _word("level"), Literal(row["level"]))


def _provenance(row: Row, urls: Mapping[str, str]) -> Iterator[Triple]:
    own = _name("representation", row["id"])
    if row["document"]:
        document = _document(row["document"], urls)
        yield Triple(own, NamedNode(f"{PROV}wasDerivedFrom"), document)
        yield Triple(own, _word("position"), Literal(row["position"]))
    if row["reviewer"]:
        person = _name("reviewer", row["reviewer"])
        yield Triple(own, NamedNode(f"{PROV}wasAttributedTo"), person)
        yield Triple(person, _TYPE, NamedNode(f"{PROV}Agent"))
        yield Triple(person, NamedNode(f"{RDFS}label"), Literal(row["reviewer"]))
    if row["added"]:
        time = Literal(row["added"], datatype=NamedNode(f"{XSD}dateTime"))
        yield Triple(own, NamedNode(f"{PROV}generatedAtTime"), time)


def _document(name: str, urls: Mapping[str, str]) -> NamedNode:
    """Return a document's address, or a name made from its id where it has none."""
    address = urls.get(name) or name
    if address.startswith(("http://", "https://")):
        return NamedNode(quote(address, safe=":/?#[]@!$&'()*+,;=%~"))
    return _name("document", name)


def _name(kind: str, value: str) -> NamedNode:
    return NamedNode(f"{FCDB}{kind}:{quote(value, safe='/')}")


def _word(name: str) -> NamedNode:
    return NamedNode(FCDB + name)
