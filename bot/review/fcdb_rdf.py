"""The Formula Concept Database as RDF: concepts, items, representations, and in PROV where each comes from.

Beside it stands the plain triple item – defining formula – TeX, in the wiki's own words, for who wants no more, and the same and what is
read of symbols and classes as statements with a sentence each.
"""

from collections.abc import Iterable, Iterator, Mapping
from urllib.parse import quote

import sqlalchemy as sa
from pyoxigraph import Literal, NamedNode, RdfFormat, Triple, serialize

from bot import store
from bot.messages import Message, sentence
from bot.records import digest
from bot.review.fcdb_statements import ReadStatement
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
_READER = NamedNode(f"{FCDB}agent:formula-bot")
_TYPE, _LABEL = NamedNode(f"{RDF}type"), NamedNode(f"{RDFS}label")
_FROM, _BY = NamedNode(f"{PROV}wasDerivedFrom"), NamedNode(f"{PROV}wasAttributedTo")


def export(
    rows: Iterable[Row],
    statements: Iterable[ReadStatement],
    names: Mapping[str, tuple[str, ...]],
    urls: Mapping[str, str],
    wiki: Wiki,
    form: str,
) -> str:
    """Return representations that have an item, and what is read of them, as RDF.

    `names` has the label of an item, first of its names; `urls` gives the address of a document where it has one.
    """
    vocabulary = _Vocabulary(wiki, urls)
    prefixes = {"fcdb": FCDB, "prov": PROV, "rdf": RDF, "rdfs": RDFS, "xsd": XSD}
    prefixes |= {"wd": wiki.entity_prefix, "wdt": vocabulary.direct}
    read = (one for each in statements for one in vocabulary.read(each))
    triples = (*vocabulary.predicates(), *vocabulary.of_rows(rows, names), *read)
    return (serialize(dict.fromkeys(triples), format=FORMATS[form], prefixes=prefixes) or b"").decode()


class _Vocabulary:
    """The wiki's names of the predicates, and the triples of rows and statements."""

    def __init__(self, wiki: Wiki, urls: Mapping[str, str]) -> None:
        self.wiki, self.urls = wiki, urls
        self.direct = f"{wiki.entity_prefix.removesuffix('entity/')}prop/direct/"
        self.formula = NamedNode(self.direct + wiki.properties.defining_formula)
        self.represents = NamedNode(self.direct + wiki.properties.symbol_represents)

    def predicates(self) -> Iterator[Triple]:
        for node, code in ((self.formula, "formula"), (self.represents, "represents"), (_own_term("isA"), "is_a")):
            yield Triple(node, _LABEL, Literal(sentence(Message(f"triple.predicate_{code}")), language="en"))

        yield Triple(_READER, _TYPE, NamedNode(f"{PROV}SoftwareAgent"))

    def of_rows(self, rows: Iterable[Row], names: Mapping[str, tuple[str, ...]]) -> Iterator[Triple]:
        for row in rows:
            item, own = self.item(row["qid"]), _name("representation", row["id"])
            yield from _representation(row, own, item, self.urls)
            yield Triple(item, self.formula, Literal(row["tex"]))
            if label := names.get(row["qid"], ("",))[0]:
                yield Triple(item, _LABEL, Literal(label, language="en"))
                text = sentence(Message("triple.formula", name=label, tex=f"${row['tex']}$"))
                node, triples = self.statement(item, self.formula, Literal(row["tex"]), text)
                yield from (*triples, Triple(node, _FROM, own))

    def read(self, each: ReadStatement) -> Iterator[Triple]:
        """Yield a statement of the text: its triple, its sentences, its place, and that a program read it."""
        subject, predicate = self.item(each.subject), _own_term("isA")
        if not each.subject:
            subject, predicate = _name("symbol", f"{each.concept}/{each.symbol}"), self.represents
            yield Triple(_name("concept", each.concept), _own_term("symbol"), subject)
            yield Triple(subject, _own_term("tex"), Literal(each.symbol))
        node, triples = self.statement(
            subject, predicate, self.item(each.qid) if each.qid else Literal(each.meaning, language="en"), each.text
        )
        yield from triples
        yield Triple(node, _own_term("sentence"), Literal(each.sentence))
        yield Triple(node, _FROM, _document(each.document, self.urls))
        yield Triple(node, _own_term("position"), Literal(each.position))
        yield Triple(node, _BY, _READER)
        if each.probability is not None:
            yield Triple(node, _own_term("probability"), Literal(each.probability))

    def statement(
        self, subject: NamedNode, predicate: NamedNode, value: NamedNode | Literal, text: str
    ) -> tuple[NamedNode, list[Triple]]:
        """Return a node for the statement, and what it says with its sentence."""
        own = _name("statement", digest(str(subject), str(predicate), str(value)))
        parts = {"type": NamedNode(f"{RDF}Statement"), "subject": subject, "predicate": predicate, "object": value}
        found = [Triple(own, NamedNode(RDF + part), node) for part, node in parts.items()]
        return own, [*found, Triple(own, _LABEL, Literal(text, language="en"))]

    def item(self, qid: str) -> NamedNode:
        return NamedNode(self.wiki.entity_prefix + qid)


def document_urls(workspace: Workspace) -> dict[str, str]:
    """Return the address of each document that has one."""
    table = store.documents
    rows = workspace.rows(sa.select(table.c.id, table.c.url).where(table.c.url != ""))
    return {row["id"]: row["url"] for row in rows}


def _representation(row: Row, own: NamedNode, item: NamedNode, urls: Mapping[str, str]) -> Iterator[Triple]:
    """Yield a concept with its item, a representation of it, and in PROV where this comes from."""
    concept = _name("concept", row["concept"])
    yield Triple(concept, _TYPE, _own_term("Concept"))
    yield Triple(concept, _own_term("item"), item)
    yield Triple(concept, _own_term("representation"), own)
    yield Triple(own, _TYPE, _own_term("Representation"))
    yield Triple(own, _TYPE, NamedNode(f"{PROV}Entity"))
    yield Triple(own, _own_term("tex"), Literal(row["tex"]))
    if row["level"]:
        yield Triple(own, _own_term("level"), Literal(row["level"]))
    if row["document"]:
        yield Triple(own, _FROM, _document(row["document"], urls))
        yield Triple(own, _own_term("position"), Literal(row["position"]))
    if row["reviewer"]:
        person = _name("reviewer", row["reviewer"])
        yield Triple(own, _BY, person)
        yield Triple(person, _TYPE, NamedNode(f"{PROV}Agent"))
        yield Triple(person, _LABEL, Literal(row["reviewer"]))
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


def _own_term(name: str) -> NamedNode:
    return NamedNode(FCDB + name)
