"""The Formula Concept Database from the command line: lists in, JSON lines and RDF out, and recognition that knows it."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from cli_runner import ITEMS, call
from pyoxigraph import NamedNode, RdfFormat, Store, parse

from bot.store import Workspace

LIST = [
    {"qid": "Q35875", "tex": "E = m c^2", "source": "https://example.org/a list?x=é"},
    {"qid": "Q35875", "tex": "m c^{2} = E", "level": "K6"},
    {"qid": "Q35875", "tex": r"\Omega_{7} = \lambda \sin \zeta", "name": "unlike"},
]


def lines(rows: list[dict[str, Any]]) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


@pytest.fixture
def w(tmp_path: Path) -> Path:
    with Workspace.open(tmp_path / "w"):
        pass
    call("review", "add-reviewer", "Ada", "-w", tmp_path / "w").well()
    return tmp_path / "w"


def imported(w: Path, rows: list[dict[str, Any]]) -> dict[str, Any]:
    said = call("representations", "import", "-", "--reviewer", "Ada", "--json", "-w", w, stdin=lines(rows)).well()
    return dict(said.rows[0])


def test_a_list_is_counted_and_levelled_and_adds_nothing_twice(w: Path) -> None:
    assert imported(w, LIST) == {"new": 3, "known": 0, "refused": 0}
    assert imported(w, [*LIST, LIST[0]]) == {"new": 0, "known": 4, "refused": 0}
    rows = {row["tex"]: row for row in call("export", "representations", "-w", w).well().rows}
    assert {tex: row["level"] for tex, row in rows.items()} == {
        "E = m c^2": "K0",
        "m c^{2} = E": "K1",
        r"\Omega_{7} = \lambda \sin \zeta": "",
    }
    assert {(row["qid"], row["reviewer"], len(row["concept"])) for row in rows.values()} == {("Q35875", "Ada", 40)}
    wanted = {"tex", "level", "qid", "concept", "document", "position", "reviewer", "added"}
    assert all(wanted <= row.keys() for row in rows.values())
    assert rows["E = m c^2"]["document"] == LIST[0]["source"]


def test_a_formula_without_a_tree_is_refused_alone_and_named(w: Path) -> None:
    said = call(
        "representations",
        "import",
        "-",
        "-w",
        w,
        stdin=lines([{"qid": "Q1", "tex": "}{"}, {"qid": "Q1", "tex": "a=b"}]),
    ).well()
    assert "refused row 1 (Q1)" in said.err
    assert len(call("export", "representations", "-w", w).rows) == 1
    assert imported(w, [{"qid": "Q1", "tex": "\ud800"}, {"qid": "Q1", "tex": " "}])["refused"] == 2


@pytest.mark.parametrize(
    ("row", "word"),
    [
        ({"qid": "35875", "tex": "a=b"}, "item id"),
        ({"qid": "Q1"}, '"tex"'),
        ({"qid": "Q1", "tex": "a=b", "level": "K9"}, "K9"),
        ({"qid": "Q1", "tex": "a=b", "source": 3}, '"source"'),
    ],
)
def test_a_bad_row_is_named_and_nothing_of_its_list_is_kept(w: Path, row: dict[str, Any], word: str) -> None:
    call("representations", "import", "-", "-w", w, stdin=lines([LIST[0], row])).refused(word)
    assert call("export", "representations", "-w", w).rows == []


def test_an_unknown_person_or_file_is_refused(w: Path) -> None:
    call("representations", "import", "-", "--reviewer", "Eve", "-w", w, stdin="").refused("Eve")
    call("representations", "import", w / "none.jsonl", "-w", w).refused("no such file")


@pytest.mark.parametrize(("form", "read"), [("turtle", RdfFormat.TURTLE), ("ntriples", RdfFormat.N_TRIPLES)])
def test_the_rdf_can_be_read_back_and_asked(w: Path, tmp_path: Path, form: str, read: RdfFormat) -> None:
    imported(w, LIST)
    file = tmp_path / "fcdb.rdf"
    call("representations", "export", "--format", form, "--output", file, "-w", w).well()
    graph = Store()
    graph.extend(quad for quad in parse(file.read_bytes(), format=read))
    item = NamedNode("http://www.wikidata.org/entity/Q35875")
    says = NamedNode("http://www.wikidata.org/prop/direct/P2534")
    assert {quad.object.value for quad in graph.quads_for_pattern(item, says, None)} == {row["tex"] for row in LIST}
    answer = graph.query(
        "PREFIX f: <urn:fcdb:> PREFIX prov: <http://www.w3.org/ns/prov#> SELECT * WHERE { ?c f:item ?item ; "
        "f:representation ?r . ?r f:tex ?tex ; f:level 'K0' ; prov:wasDerivedFrom ?d ; prov:generatedAtTime ?t ; "
        "prov:wasAttributedTo/<http://www.w3.org/2000/01/rdf-schema#label> ?who }"
    )
    (row,) = list(answer)
    assert (row["item"], row["tex"].value, row["who"].value) == (item, "E = m c^2", "Ada")
    assert row["d"] == NamedNode("https://example.org/a%20list?x=%C3%A9")
    assert row["t"].datatype == NamedNode("http://www.w3.org/2001/XMLSchema#dateTime")


def test_the_wiki_of_the_settings_gives_the_addresses(w: Path) -> None:
    (w / "settings.toml").write_text(
        '[wiki]\nentity_prefix = "http://wiki.example/entity/"\n[wiki.properties]\ndefining_formula = "P7"\n',
        encoding="utf-8",
    )
    imported(w, LIST[:1])
    said = call("representations", "export", "--format", "ntriples", "-w", w).well().out
    assert '<http://wiki.example/entity/Q35875> <http://wiki.example/prop/direct/P7> "E = m c^2"' in said


def test_an_output_that_cannot_be_written_is_named(w: Path, tmp_path: Path) -> None:
    call("representations", "export", "--output", tmp_path / "none" / "f.ttl", "-w", w).refused("--output")


def test_recognition_knows_the_representations_of_a_workspace(w: Path) -> None:
    imported(w, LIST)
    query = json.dumps({"id": 1, "tex": LIST[2]["tex"]}) + "\n"
    (without,) = call("recognise", "--items", ITEMS, "--queries", "-", stdin=query).well().rows
    (knowing,) = call("recognise", "--items", ITEMS, "--queries", "-", "-w", w, stdin=query).well().rows
    assert "Q35875" not in [hit["qid"] for hit in without["hits"][:1]]
    assert (knowing["hits"][0]["qid"], knowing["hits"][0]["formula"]) == ("Q35875", LIST[2]["tex"])
    call("recognise", "--items", ITEMS, "--queries", "-", "-w", w / "none", stdin=query).refused("none")


def test_an_approval_grows_the_database_with_places_of_the_corpus(tmp_path: Path, proposed_examples: Path) -> None:
    shutil.copytree(proposed_examples, tmp_path / "w")
    call("review", "add-reviewer", "Ada", "-w", tmp_path / "w").well()
    first = next(r for r in call("review", "list", "--json", "-w", tmp_path / "w").rows if r["kind"] == "new_claim")
    call("review", "approve", first["id"], "-w", tmp_path / "w").well()
    rows = [row for row in call("export", "representations", "-w", tmp_path / "w").rows if row["qid"]]
    assert {(row["qid"], row["concept"], row["reviewer"]) for row in rows} == {(first["qid"], first["concept"], "Ada")}
    assert all(row["document"] for row in rows)
    assert "prov:wasDerivedFrom" in call("representations", "export", "-w", tmp_path / "w").well().out
    call("review", "withdraw", first["id"], "-w", tmp_path / "w").well()
    assert not any(row["qid"] for row in call("export", "representations", "-w", tmp_path / "w").rows)
