"""What holds for every file of queries/."""

from __future__ import annotations

import re
from pathlib import Path

import pyoxigraph
import pytest

from bot.errors import InputError, SettingsError
from bot.lookup import queries
from bot.settings import Properties, Wiki, resource

FILES = sorted(resource("queries").glob("*.rq"))
STAGES = {"corpus", "discover", "lookup", "match", "propose", "review", "write", "audit"}
SAMPLES = {
    "items": ["Q1", "Q2"],
    "texts": [("Hubble's law", "en"), ('a "quoted" \\ name\n', "mul")],
    "languages": ["en", "mul"],
    "integer": 10,
    "cursor": "Q1",
}
NOT_PORTABLE = ("SERVICE", "mwapi", "hint:", "INCLUDE", "bd:", "gas:", "wikibase:label", "GRAPH", "FROM")


def filled(path: Path, wiki: Wiki | None = None) -> str:
    query = queries.load(path.stem)
    return queries.fill(query, wiki or Wiki(), {name: SAMPLES[kind] for name, kind in query.parameters})


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
def test_it_is_portable_sparql(path):
    text = filled(path)
    assert not [word for word in NOT_PORTABLE if re.search(rf"\b{re.escape(word)}", text)]
    assert not re.search(r"^\s*WITH\b", text, re.MULTILINE)


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.stem)
def test_it_declares_every_prefix_it_uses_and_no_other(path):
    text = filled(path)
    body = "\n".join(line for line in text.splitlines() if not line.startswith("PREFIX"))
    bare = re.sub(r'"(?:[^"\\]|\\.)*"|<[^>]*>', "", body)
    used = set(re.findall(r"(?<![\w?$])([a-z]+):(?=\w)", bare))
    assert used == set(re.findall(r"^PREFIX (\w+):", text, re.MULTILINE))


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.stem)
def test_it_names_no_property_and_no_wiki_of_its_own(path):
    text = path.read_text()
    assert not re.search(r"\b[PQ][0-9]+\b", text)
    assert "wikidata.org" not in text
    other = Wiki(entity_prefix="https://maths.example/entity/", properties=Properties(defining_formula="P77"))
    assert "P2534" not in filled(path, other)
    assert "wikidata.org" not in filled(path, other)


@pytest.mark.parametrize("path", [p for p in FILES if "$limit" in p.read_text()], ids=lambda p: p.stem)
def test_where_it_is_paged_it_is_ordered(path):
    text = filled(path)
    assert "ORDER BY ?" in text
    assert 'FILTER(STR(?item) > "http://www.wikidata.org/entity/Q1")' in text


def test_every_query_has_a_case_of_its_own():
    cases = "".join(p.read_text() for p in Path(__file__).parent.glob("test_*.py"))
    assert [p.stem for p in FILES if f'"{p.stem}"' not in cases] == []


def test_a_page_may_end_on_an_entity_that_is_no_item():
    text = queries.fill(queries.load("lookup_items_with_formula"), Wiki(), {"after": "L7-S1", "limit": 5})
    assert '"http://www.wikidata.org/entity/L7-S1"' in text


def test_literals_are_escaped():
    tricky = 'x"@en } ?s ?p ?o . \\ \n\t#'
    found = pyoxigraph.Store().query(f"SELECT ?x WHERE {{ VALUES ?x {{ {queries.literal(tricky, 'en')} }} }}")
    assert [row["x"].value for row in found] == [tricky]


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("lookup_labels", {"items": ["Q1 } #"], "languages": ["en"]}),
        ("lookup_labels", {"items": ["P31"], "languages": ["en"]}),
        ("lookup_labels", {"items": ["Q1"], "languages": ['en"']}),
        ("lookup_labels", {"items": ["Q1"]}),
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
        queries.fill(queries.load(name), Wiki(), values)


@pytest.mark.parametrize("prefix", ["http://x/", "http://x/> ?s ?p ?o #/entity/", "entity/", ""])
def test_a_wiki_without_a_proper_base_is_refused(prefix):
    query = queries.load("lookup_labels")
    with pytest.raises(SettingsError, match="entity_prefix"):
        queries.fill(query, Wiki(entity_prefix=prefix), {"items": ["Q1"], "languages": ["en"]})


def test_a_property_that_the_settings_leave_empty_says_so():
    wiki = Wiki(properties=Properties(instance_of=""))
    with pytest.raises(SettingsError, match=r"wiki\.properties\.instance_of is empty"):
        queries.fill(queries.load("lookup_classes"), wiki, {"items": ["Q1"]})
