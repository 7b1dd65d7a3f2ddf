"""Entities as RDF: the same triples as a real Wikibase writes, and the query service over them."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path

import pytest
import requests
from pyoxigraph import BlankNode, Literal, NamedNode, RdfFormat, Triple, parse

from bot.sandbox import Sandbox
from bot.sandbox.graph import Vocabulary

MATHML = "http://www.w3.org/1998/Math/MathML"
ROWS = [
    {
        "qid": "Q35875",
        "label": "mass–energy equivalence",
        "aliases": ["E=mc²"],
        "description": "physical law",
        "formulas": ["E=mc^2"],
        "instance_of": ["Q408891"],
        "sitelinks": {"enwiki": "Mass–energy equivalence"},
    },
    {"qid": "Q11379", "label": "energy"},
    {"qid": "Q1", "redirect": "Q35875"},
]
PREFIXES = """
PREFIX wd: <http://sandbox.invalid/entity/>
PREFIX wdt: <http://sandbox.invalid/prop/direct/>
PREFIX p: <http://sandbox.invalid/prop/>
PREFIX ps: <http://sandbox.invalid/prop/statement/>
PREFIX pr: <http://sandbox.invalid/prop/reference/>
PREFIX prov: <http://www.w3.org/ns/prov#>
PREFIX schema: <http://schema.org/>
PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#>
PREFIX wikibase: <http://wikiba.se/ontology#>
PREFIX owl: <http://www.w3.org/2002/07/owl#>
"""


def _ask(sandbox: Sandbox, body: str, *, get: bool = False) -> list[dict[str, str]]:
    send = requests.get if get else requests.post
    key = "params" if get else "data"
    answer = send(sandbox.wiki.sparql, **{key: {"query": PREFIXES + body}}, timeout=10)  # type: ignore[operator]
    assert answer.status_code == 200, answer.text
    assert answer.headers["Content-Type"] == "application/sparql-results+json"
    return [{name: one["value"] for name, one in row.items()} for row in answer.json()["results"]["bindings"]]


def _shape(triples: list[Triple]) -> Counter[tuple[str, str, str]]:
    """Make triples comparable: formulas by datatype only, blank nodes and value hashes by kind, no dates."""

    def name(node: object) -> str:
        if isinstance(node, BlankNode):
            return "_:"
        if isinstance(node, Literal):
            return MATHML if node.datatype.value == MATHML else str(node)
        return re.sub(r"/value/[0-9a-f]{32}", "/value/#", str(node))

    varying = {"http://schema.org/version", "http://schema.org/dateModified"}
    return Counter(
        (name(t.subject), name(t.predicate), name(t.object)) for t in triples if t.predicate.value not in varying
    )


def test_a_text_whose_language_rdf_does_not_know_is_there_without_one() -> None:
    with Sandbox() as sandbox:
        sandbox.fill([{"qid": "Q1", "label": "y", "language": "xx-yy-zz", "sitelinks": {"zh_classicalwiki": "力"}}])
        rows = _ask(
            sandbox, "SELECT ?name { {wd:Q1 rdfs:label ?name} UNION {?page schema:about wd:Q1; schema:name ?name} }"
        )
    assert sorted(row["name"] for row in rows) == ["y", "力"]


@pytest.mark.parametrize("form", ["ttl", "nt"])
def test_an_item_has_the_triples_that_a_real_wikibase_writes(shared_data: Path, form: str) -> None:
    data = shared_data / "wikibase"
    recorded = json.loads((data / "rdf" / "Q11518.json").read_text(encoding="utf-8"))["entities"]
    others = json.loads((data / "initial_entities.json").read_text(encoding="utf-8"))
    with Sandbox(entity_prefix="http://127.0.0.1:8181/entity/") as sandbox:
        sandbox.load_entities({**others, **recorded})
        answer = requests.get(f"{sandbox.address}/wiki/Special:EntityData/Q11518.{form}", timeout=10)
    kind = {"ttl": RdfFormat.TURTLE, "nt": RdfFormat.N_TRIPLES}[form]
    ours = _shape([quad.triple for quad in parse(answer.content, format=kind)])
    theirs = _shape([quad.triple for quad in parse((data / "rdf" / f"Q11518.{form}").read_bytes(), format=kind)])
    assert sorted((theirs - ours).elements()) == []
    assert sorted((ours - theirs).elements()) == []


def test_a_property_has_the_triples_that_a_real_wikibase_writes(shared_data: Path) -> None:
    data = shared_data / "wikibase"
    with Sandbox(entity_prefix="http://127.0.0.1:8181/entity/") as sandbox:
        sandbox.load_entities(json.loads((data / "initial_entities.json").read_text(encoding="utf-8")))
        answer = requests.get(f"{sandbox.address}/wiki/Special:EntityData/P2534.ttl", timeout=10)
    ours = _shape([quad.triple for quad in parse(answer.content, format=RdfFormat.TURTLE)])
    theirs = _shape([q.triple for q in parse((data / "rdf" / "P2534.ttl").read_bytes(), format=RdfFormat.TURTLE)])
    assert ours == theirs


def test_formulas_are_mathml_in_the_graph_and_never_tex() -> None:
    with Sandbox() as sandbox:
        sandbox.fill(ROWS)
        found = _ask(sandbox, "SELECT ?f (DATATYPE(?f) AS ?kind) WHERE { wd:Q35875 wdt:P2534 ?f }")
    assert [row["kind"] for row in found] == [MATHML]
    assert found[0]["f"].startswith("<math")
    assert "mc^2" not in found[0]["f"]


def test_labels_classes_and_articles_are_in_the_graph() -> None:
    body = """SELECT ?item ?class ?article WHERE {
      ?item rdfs:label "mass–energy equivalence"@en ; wdt:P31 ?class .
      ?article schema:about ?item ; schema:name "Mass–energy equivalence"@en ; schema:isPartOf <https://en.wikipedia.org/>
    }"""
    with Sandbox() as sandbox:
        sandbox.fill(ROWS)
        found = _ask(sandbox, body, get=True)
    assert found[0]["item"] == "http://sandbox.invalid/entity/Q35875"
    assert found[0]["class"] == "http://sandbox.invalid/entity/Q408891"


def test_a_merged_item_is_the_same_as_its_target() -> None:
    with Sandbox() as sandbox:
        sandbox.fill(ROWS)
        found = _ask(sandbox, "SELECT ?to WHERE { wd:Q1 owl:sameAs ?to }")
    assert found == [{"to": "http://sandbox.invalid/entity/Q35875"}]


def test_the_graph_follows_each_edit_and_forgets_what_is_removed() -> None:
    count = "SELECT (COUNT(*) AS ?n) WHERE { wd:Q11379 p:P2534 ?s . ?s ps:P2534 ?f }"
    with Sandbox() as sandbox:
        sandbox.fill(ROWS)
        assert _ask(sandbox, count) == [{"n": "0"}]
        done = sandbox.act(
            "WikiBot", action="wbcreateclaim", entity="Q11379", property="P2534", snaktype="value", value='"E"'
        )
        assert _ask(sandbox, count) == [{"n": "1"}]
        sandbox.act("PlainUser", action="wbremoveclaims", claim=done["claim"]["id"])
        assert _ask(sandbox, count) == [{"n": "0"}]


def test_names_that_come_again_are_made_once_and_those_of_statements_are_not_remembered() -> None:
    iri = Vocabulary("http://sandbox.invalid/entity/")
    assert (iri("wdt:P1"), iri("wd:Q1")) == (NamedNode(f"{iri.base}prop/direct/P1"), NamedNode(f"{iri.base}entity/Q1"))
    assert iri("wdt:P1") is iri("wdt:P1")
    assert not any(iri(f"{kind}:1") is iri(f"{kind}:1") for kind in ("s", "ref", "v"))
    iri._known = {str(n): iri("wdt:P1") for n in range(99_999)}
    assert [iri(f"wd:Q{n}") is iri(f"wd:Q{n}") for n in (1, 2)] == [True, False]


def test_edits_of_another_process_on_the_same_file_are_seen(tmp_path: Path) -> None:
    count = "SELECT ?f WHERE { wd:Q11379 wdt:P2534 ?f }"
    with Sandbox(tmp_path / "wiki.db") as one, Sandbox(tmp_path / "wiki.db") as other:
        one.fill(ROWS)
        assert _ask(other, count) == []
        one.act("WikiBot", action="wbcreateclaim", entity="Q11379", property="P2534", snaktype="value", value='"E"')
        assert len(_ask(other, count)) == 1


def test_wikidatas_own_prefixes_mean_this_wiki_and_its_calendars_stay() -> None:
    written = PREFIXES.replace("http://sandbox.invalid/", "http://www.wikidata.org/")
    calendar = "http://www.wikidata.org/entity/Q1985727"
    with Sandbox() as sandbox:
        sandbox.fill(ROWS)
        asked = "SELECT * WHERE { ?item wdt:P2534 ?f ; wdt:P31 ?class }"
        own = sandbox.graph.query(PREFIXES + asked)
        assert b"Q35875" in own[1]
        assert sandbox.graph.query(written + asked) == own
        named = '<http://www.wikidata.org/entity/Q35875> ?p ?o FILTER(STRSTARTS(STR(?p), "http://www.wikidata.org/prop/direct/P2"))'
        assert _ask(sandbox, f"SELECT ?p WHERE {{ {named} }}") == [{"p": "http://sandbox.invalid/prop/direct/P2534"}]
        assert _ask(sandbox, f"SELECT (<{calendar}> AS ?c) WHERE {{}}") == [{"c": calendar}]


def test_a_deprecated_statement_is_not_truthy_and_a_preferred_one_wins() -> None:
    def claim(number: int, tex: str, rank: str) -> dict[str, object]:
        snak = {"snaktype": "value", "property": "P2534", "datavalue": {"type": "string", "value": tex}}
        guid = f"Q11379$00000000-0000-0000-0000-00000000000{number}"
        return {"id": guid, "type": "statement", "rank": rank, "mainsnak": snak}

    with Sandbox() as sandbox:
        sandbox.fill(ROWS)
        for number, (tex, rank) in enumerate((("x", "deprecated"), ("y", "preferred"), ("z", "normal"))):
            sandbox.act("WikiBot", action="wbsetclaim", claim=claim(number, tex, rank))
        ranks = _ask(sandbox, "SELECT ?r WHERE { wd:Q11379 p:P2534/wikibase:rank ?r } ORDER BY ?r")
        truthy = _ask(sandbox, "SELECT ?f WHERE { wd:Q11379 wdt:P2534 ?f }")
    assert [row["r"].rpartition("#")[2] for row in ranks] == ["DeprecatedRank", "NormalRank", "PreferredRank"]
    assert len(truthy) == 1
    assert ">y<" in truthy[0]["f"]


def test_a_query_that_is_no_sparql_is_refused_with_the_reason() -> None:
    with Sandbox() as sandbox:
        answer = requests.post(sandbox.wiki.sparql, data={"query": "SELECT nothing"}, timeout=10)
    assert answer.status_code == 400
    assert "expected" in answer.text
