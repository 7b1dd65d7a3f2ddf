"""What holds for every file of queries/."""

from __future__ import annotations

import re
from dataclasses import fields
from pathlib import Path

import pyoxigraph
import pytest
from portable import faults

from bot.errors import InputError, SettingsError
from bot.lookup import queries
from bot.messages import Message
from bot.settings import Properties, Wiki, resource

FILES = sorted(resource("queries").glob("*.rq"))
STAGES = {"corpus", "discover", "lookup", "match", "propose", "review", "write", "audit"}
SAMPLES = {
    "items": ["Q1", "Q2"],
    "statements": ["Q1$11111111-2222-4333-8444-555555555555"],
    "texts": [("Hubble's law", "en"), ('a "quoted" \\ name\n', "mul")],
    "languages": ["en", "mul"],
    "integer": 10,
    "cursor": "Q1",
}
ELSEWHERE = Wiki(
    entity_prefix="https://maths.example/entity/",
    properties=Properties(
        **{f.name: f"{f.default[0]}{900_000 + n}" for n, f in enumerate(fields(Properties)) if f.default}
    ),
)


def filled(path: Path, wiki: Wiki | None = None) -> str:
    query = queries.load_query(path.stem)
    return queries.fill(query, wiki or Wiki(), {name: SAMPLES[kind] for name, kind in query.kinds.items()})


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.stem)
def test_its_name_is_stage_and_question(path):
    assert path.stem.split("_")[0] in STAGES
    assert re.fullmatch(r"[a-z]+(_[a-z]+)+", path.stem)


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.stem)
def test_its_header_says_purpose_parameters_and_columns(path):
    header = [line for line in path.read_text().splitlines() if line.startswith("#")]
    assert [line.split(":")[0] for line in header if re.match(r"# [A-Z]\w+:", line)] == [
        "# Purpose",
        "# Parameters",
        "# Columns",
    ]
    columns = next(line for line in header if line.startswith("# Columns:")).removeprefix("# Columns:")
    solutions = pyoxigraph.Store().query(filled(path))
    assert [c.strip() for c in columns.split(",")] == [v.value for v in solutions.variables]


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.stem)
def test_it_runs_as_it_stands_and_printing_changes_nothing(path):
    text = path.read_text()
    assert faults(text) == []
    printed = queries.fill(queries.load_query(path.stem), Wiki(), {}, samples=True)
    assert printed.splitlines() == [line for line in text.splitlines() if not line.startswith("#")]
    assert "P2534" in text or path.stem in WITHOUT_FORMULAS


WITHOUT_FORMULAS = {
    "lookup_classes", "lookup_items_by_name", "lookup_items_by_doi", "lookup_labels", "lookup_sitelinks", "audit_class_paths", "audit_units", "audit_service_age",
}  # fmt: skip


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.stem)
def test_filled_it_is_what_blazegraph_and_qlever_take(path):
    assert faults(filled(path)) == []


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("SELECT ?x WHERE { ?x ?y ?z SERVICE <http://x> { ?x ?y ?z } }", "ServiceGraphPattern is not known"),
        ("SELECT ?x WHERE { GRAPH ?g { ?x ?y ?z } }", "Graph is not known"),
        ("SELECT ?x WHERE { ?x ?y ?z FILTER(YEAR(?z) > 3) }", "Builtin_YEAR is not known"),
        ("DESCRIBE <http://x>", "DescribeQuery is not known"),
        ("SELECT ?x WHERE { ?x ?y ?z . hint:Query hint:optimizer 'None' }", "no SPARQL 1.1"),
        ("PREFIX a: <http://b/> SELECT ?x WHERE { ?x a:b* ?z }", "an unbounded path has no end"),
        ("PREFIX a: <http://b/> SELECT ?x WHERE { ?x ?y ?z }", "prefix a is declared and not used"),
        ("SELECT ?x WHERE { ?x ?y rdfs:label }", "prefix rdfs is used and not declared"),
        ("SELECT ?q WHERE { ?x ?y ?z }", "?q is selected and never bound"),
        ("SELECT ?x WHERE { ?x ?y ?z } LIMIT 3", "LIMIT without ORDER BY"),
        ("SELECT ?x WHERE { ?x ?y ?z } ORDER BY ?x LIMIT 3 OFFSET 3", "OFFSET instead of a key"),
        ("SELECT ?x FROM <http://g> WHERE { ?x ?y ?z }", "FROM names a graph"),
    ],
)
def test_the_linter_notices(text, fault):
    assert any(fault in each for each in faults(text))


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.stem)
def test_for_another_wiki_nothing_of_wikidatas_is_left(path):
    text = filled(path, ELSEWHERE)
    assert faults(text) == []
    assert "wikidata.org" not in text
    assert set(re.findall(r":([PQ]\d+)", text)) - {"Q1", "Q2"} <= set(vars_of(ELSEWHERE.properties))


def vars_of(properties):
    return [getattr(properties, f.name) for f in fields(properties)]


@pytest.mark.parametrize("path", [p for p in FILES if "LIMIT" in p.read_text()], ids=lambda p: p.stem)
def test_where_it_is_paged_it_is_ordered(path):
    text = filled(path)
    assert "ORDER BY ?" in text
    assert re.search(r'FILTER\(STR\(\?(item|statement)\) > "http://www.wikidata.org/entity/Q1"\)', text)


def test_every_query_has_a_case_of_its_own():
    cases = "".join(p.read_text() for p in Path(__file__).parent.glob("test_*.py"))
    assert [p.stem for p in FILES if f'"{p.stem}"' not in cases] == []


def test_a_page_may_end_on_an_entity_that_is_no_item():
    text = queries.fill(queries.load_query("lookup_items_with_formula"), Wiki(), {"after": "L7-S1", "limit": 5})
    assert '"http://www.wikidata.org/entity/L7-S1"' in text


def test_literals_are_escaped():
    tricky = 'x"@en } ?s ?p ?o . \\ \n\t#'
    found = pyoxigraph.Store().query(f"SELECT ?x WHERE {{ VALUES ?x {{ {queries.sparql_literal(tricky, 'en')} }} }}")
    assert [row["x"].value for row in found] == [tricky]


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("lookup_labels", {"items": ["Q1 } #"], "languages": ["en"]}),
        ("lookup_labels", {"items": ["P31"], "languages": ["en"]}),
        ("lookup_labels", {"items": ["Q1"], "languages": ['en"']}),
        ("lookup_labels", {"items": ["Q1"]}),
        ("audit_seeded_claims", {"statements": ["Q1$11111111-2222-4333-8444-555555555555 }"]}),
        ("audit_seeded_claims", {"statements": ["Q1"]}),
        ("lookup_items_by_name", {"names": [("x", "en } #")]}),
        ("lookup_items_by_name", {"names": [("x\0", "en")]}),
        ("lookup_items_with_formula", {"after": "", "limit": "10 } #"}),
        ("lookup_items_with_formula", {"after": '"', "limit": 10}),
        ("lookup_no_such_query", {}),
        ("../settings", {}),
    ],
)
def test_values_that_are_not_what_they_should_be_are_refused(name, values):
    with pytest.raises(InputError):
        queries.fill(queries.load_query(name), Wiki(), values)


@pytest.mark.parametrize("prefix", ["http://x/", "http://x/> ?s ?p ?o #/entity/", "entity/", ""])
def test_a_wiki_without_a_proper_base_is_refused(prefix):
    query = queries.load_query("lookup_labels")
    with pytest.raises(SettingsError, match="entity_prefix"):
        queries.fill(query, Wiki(entity_prefix=prefix), {"items": ["Q1"], "languages": ["en"]})


def test_an_id_that_the_settings_have_no_name_for_is_refused_on_another_wiki():
    query = queries.parse_query(
        "own_query", "PREFIX wdt: <http://www.wikidata.org/prop/direct/>\nSELECT ?x WHERE { ?x wdt:P6 ?y }"
    )
    assert "wdt:P6" in queries.fill(query, Wiki(), {})
    with pytest.raises(SettingsError, match="query own_query names P6"):
        queries.fill(query, ELSEWHERE, {})


def test_a_parameter_needs_its_place():
    with pytest.raises(InputError, match="no single place for its parameter items"):
        queries.parse_query("own_query", "#   items (items) of ?item\nSELECT ?item WHERE { ?item ?p ?o }")


def test_a_query_without_a_header_has_no_parameters_columns_or_purpose():
    query = queries.parse_query("own_query", "# more\nSELECT ?item WHERE { ?item ?p ?o }\n\n")
    assert query == queries.Query("own_query", "SELECT ?item WHERE { ?item ?p ?o }", ())


def test_what_a_query_takes_and_was_given_is_told_in_order():
    with pytest.raises(InputError) as refused:
        queries.fill(queries.load_query("lookup_sitelinks"), Wiki(), {"to": 1, "from": 2})
    values = refused.value.message.values
    assert (values["wanted"], values["given"]) == ("['items', 'languages']", "['from', 'to']")


def test_a_parameter_is_of_a_known_kind():
    with pytest.raises(InputError) as refused:
        queries.parse_query(
            "own_query", "#   day (date) of ?day\nSELECT ?item WHERE { VALUES ?day { 1 } ?item ?p ?day }"
        )
    known = "items, statements, texts, languages, integer, cursor"
    assert refused.value.message == Message("error.no_parameter_kind", kind="date", known=known)


def test_a_property_that_the_settings_leave_empty_says_so():
    wiki = Wiki(properties=Properties(instance_of=""))
    with pytest.raises(SettingsError, match=r"wiki\.properties\.instance_of is empty"):
        queries.fill(queries.load_query("lookup_classes"), wiki, {"items": ["Q1"]})
