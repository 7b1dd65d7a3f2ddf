"""The Formula Concept Database in sentences: what documents say of its items and symbols, as RDF that rdflib reads."""

from __future__ import annotations

from pathlib import Path

import pytest
import sqlalchemy as sa
from cli_runner import call
from rdflib import RDF, RDFS, Graph, Literal, URIRef

from bot import store
from bot.discover.phrases import fold
from bot.review.fcdb_statements import ClassStatement, class_of_subject, item_labels
from bot.store import Workspace

SUBJECTS = {
    "friction": "Q82580",
    "force": "Q11402",
    "planck length": "Q207387",
    fold("Klein–Gordon equation"): "Q868967",
}
LABELS = {"force": "Q11402", "action": "Q846785", "wave equation": "Q193846", "length": "Q36253", "unit": "Q47574"}


@pytest.mark.parametrize(
    ("sentence", "found"),
    [
        (
            "Friction is a force that opposes motion.",
            ClassStatement("Q82580", "Friction is a force", "a force", "Q11402"),
        ),
        (
            "In physics, a force is an action that can change a velocity.",
            ClassStatement("Q11402", "force is an action", "an action", ""),
        ),
        (
            "The Planck length, denoted here, is a unit of length.",
            ClassStatement("Q207387", "Planck length is a unit of length", "a unit of length", ""),
        ),
        (
            "The Klein–Gordon equation (1926) is a relativistic wave equation, like others.",
            ClassStatement(
                "Q868967",
                "Klein–Gordon equation is a relativistic wave equation",
                "a relativistic wave equation",
                "Q193846",
            ),
        ),
        ("Friction is a that.", None),
        ("Heat is a force.", None),
        ("The force is larger than friction.", None),
        ("Friction, force and heat are a nuisance.", None),
    ],
)
def test_a_sentence_says_a_class_of_its_subject(sentence: str, found: ClassStatement | None) -> None:
    assert class_of_subject(sentence, SUBJECTS, LABELS) == found


def test_items_without_a_label_have_no_name_that_a_sentence_could_be_of(workspace: Workspace) -> None:
    told = {"Q2": ("friction", ["drag"]), "Q1": ("", ["nameless"]), "Q3": ("force", [])}
    rows = [
        {"qid": qid, "revision": 1, "record": {"qid": qid, "label": label, "aliases": aliases}, "fetched": ""}
        for qid, (label, aliases) in told.items()
    ]
    with workspace.engine.begin() as db:
        db.execute(store.items.insert(), rows)
    assert item_labels(workspace) == {"Q2": ("friction", "drag"), "Q3": ("force",)}


def test_statements_of_documents_stand_in_the_rdf_with_their_sentences(tmp_path: Path) -> None:
    corpus, w = tmp_path / "corpus", tmp_path / "w"
    corpus.mkdir()
    article = "'''Friction''' is a force that opposes motion: <math>F = \\mu N</math>, where <math>N</math> is the normal force.\n"
    (corpus / "Friction.wiki").write_text(article, encoding="utf-8")
    call("discover", corpus, "-w", w).well()
    call("review", "add-reviewer", "Ada", "-w", w).well()
    (concept,) = call("export", "concepts", "-w", w).rows
    with Workspace.open(w) as opened, opened.engine.begin() as db:
        of = {"concept": concept["key"], "document": "corpus/Friction.wiki", "position": 0}
        record = {"aliases": []}
        for qid, label in (("Q82580", "friction"), ("Q11402", "force")):
            row = {"qid": qid, "revision": 1, "record": {**record, "qid": qid, "label": label}, "fetched": ""}
            db.execute(store.items.insert(), row)
        db.execute(sa.update(store.representations).values(qid="Q82580", reviewer="Ada"))
        common = {"label": "", "quantity": "", "agrees": None}
        said = {"symbol": "N", "meaning": "normal force", "sentence": "$N$ is the normal force.", "probability": 0.95}
        usual = {"symbol": "F", "meaning": "force", "sentence": "", "probability": 0.9}
        rows = [{**of, **common, "n": n, "qid": "", **each} for n, each in enumerate((said, usual))]
        db.execute(store.symbols.insert(), rows)
    graph = Graph().parse(data=call("representations", "export", "-w", w).well().out, format="turtle")
    statements = {str(graph.value(s, RDFS.label)): s for s in graph.subjects(RDF.type, RDF.Statement)}
    assert set(statements) == {
        r"friction has defining formula $F = \mu N$",
        "$N$ is normal force",
        "Friction is a force",
    }
    symbol, kind = statements["$N$ is normal force"], statements["Friction is a force"]
    wd, fcdb = "http://www.wikidata.org/entity/", "urn:fcdb:"
    assert [graph.value(kind, part) for part in (RDF.subject, RDF.predicate, RDF.object)] == [
        URIRef(wd + "Q82580"),
        URIRef(fcdb + "isA"),
        URIRef(wd + "Q11402"),
    ]
    assert graph.value(symbol, RDF.object) == Literal("normal force", lang="en")
    assert graph.value(symbol, RDF.predicate) == URIRef("http://www.wikidata.org/prop/direct/P9758")
    assert graph.value(symbol, URIRef(fcdb + "probability")) == Literal(0.95)
    subject = graph.value(symbol, RDF.subject)
    assert graph.value(subject, URIRef(fcdb + "tex")) == Literal("N")
    assert (URIRef(f"{fcdb}concept:{concept['key']}"), URIRef(fcdb + "symbol"), subject) in graph
    prov = "http://www.w3.org/ns/prov#"
    for each in (symbol, kind):
        assert str(graph.value(each, URIRef(prov + "wasDerivedFrom"))) == f"{fcdb}document:corpus/Friction.wiki"
        assert str(graph.value(each, URIRef(prov + "wasAttributedTo"))) == f"{fcdb}agent:formula-bot"
    assert (URIRef(f"{fcdb}agent:formula-bot"), RDF.type, URIRef(prov + "SoftwareAgent")) in graph
    accepted = statements[r"friction has defining formula $F = \mu N$"]
    assert str(graph.value(accepted, URIRef(prov + "wasDerivedFrom"))).startswith(f"{fcdb}representation:")
