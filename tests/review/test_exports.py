"""What is approved in other tools' forms, and that each of them reads back as what was approved."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from pyoxigraph import RdfFormat, Store
from web_records import dozen, opened, proposal, reference

from bot.errors import InputError
from bot.records import Decision, Proposal, Reference
from bot.review import decide
from bot.review.exports import FORMATS, approved, export, primary_sources, quickstatements, quickstatements_csv
from bot.settings import Settings
from bot.store import Workspace

ONE, OTHER = f"{0:016x}", f"{1:016x}"
LONG = Reference((("P248", "wikibase-item", "Q1"), ("P813", "time", "+2026-11-20T00:00:00Z")))


@pytest.fixture
def w(tmp_path: Path) -> Iterator[Workspace]:
    with opened(tmp_path / "w", "Ada") as workspace:
        first, second, *_ = dozen()
        decide(
            workspace,
            Decision(first.id, first.hash, "approve", ("reject", "approve"), reviewer="Ada", tex=r"v = H_0 \, d"),
        )
        decide(workspace, Decision(second.id, second.hash, "reject", reason="duplicate", reviewer="Ada"))
        yield workspace


def said(proposals: list[Proposal]) -> list[tuple[str, str, list[list[tuple[str, str]]]]]:
    return [(p.qid, p.tex, [[(prop, v) for prop, _, v in r.snaks] for r in p.references]) for p in proposals]


SAMPLE = [
    proposal(0, references=(reference(0), LONG, reference(1))),
    proposal(1, tex='a"b, \\text{"}', references=(LONG,)),
    proposal(2, references=()),
]


def test_only_what_is_approved_leaves_as_it_would_be_written(w: Workspace) -> None:
    assert said(approved(w)) == [
        ("Q179916", r"v = H_0 \, d", [[("P854", reference(1).snaks[0][2]), ("P813", "+2026-11-20T00:00:00Z")]])
    ]
    for form in FORMATS:
        text = export(w, Settings(), form)
        assert (r"H_0" in text) is (form != "mismatch-finder")


def _value(text: str) -> str:
    return text[1:-1] if text.startswith('"') else text.removesuffix("/11")


def test_quickstatements_read_back() -> None:
    back = []
    for line in quickstatements(SAMPLE).splitlines():
        qid, _, tex, *rest = line.split("\t")
        references: list[list[tuple[str, str]]] = []
        for prop, value in zip(rest[::2], rest[1::2], strict=True):
            if prop.startswith("!") or not references:
                references.append([])
            references[-1].append((prop.lstrip("!").replace("S", "P"), _value(value)))
        back.append((qid, _value(tex), references))
    assert back == said(SAMPLE)


def test_the_csv_has_a_column_for_each_property_in_their_order() -> None:
    properties = [f"P{n}" for n in (9, 1, 7, 2534, 3, 5, 8, 2, 6, 4)]
    made = [replace(SAMPLE[2], property=name, tex=f"x={name}") for name in properties]
    head, *rows = csv.reader(io.StringIO(quickstatements_csv(made)))
    assert head == ["qid", *sorted(properties)]
    assert [row.index(f'"x={name}"') for name, row in zip(properties, rows, strict=True)] == [
        head.index(name) for name in properties
    ]


def test_quickstatements_csv_reads_back() -> None:
    head, *rows = csv.reader(io.StringIO(quickstatements_csv(SAMPLE)))
    back = []
    for row in rows:
        references: list[list[tuple[str, str]]] = []
        for name, value in zip(head[2:], row[2:], strict=True):
            if name.startswith("S"):
                references.append([])
            if value:
                references[-1].append(("P" + name[1:], _value(value)))
        back.append((row[0], _value(row[1]), sorted(r for r in references if r)))
    assert back == [(qid, tex, sorted(references)) for qid, tex, references in said(SAMPLE)]


def test_a_line_break_in_tex_ends_no_line() -> None:
    (line,) = quickstatements([replace(SAMPLE[2], tex="a\tb\nc")]).splitlines()
    assert line.split("\t") == [SAMPLE[2].qid, "P2534", '"a b c"']


def test_the_data_set_of_the_primary_sources_tool_reads_back() -> None:
    graph = Store()
    graph.load(primary_sources(SAMPLE, "http://www.wikidata.org/entity/").encode(), format=RdfFormat.TURTLE)
    base = "http://www.wikidata.org/"
    query = f"""SELECT ?item ?tex ?url WHERE {{ ?item <{base}prop/P2534> ?claim . ?claim <{base}prop/statement/P2534> ?tex .
        OPTIONAL {{ ?claim <http://www.w3.org/ns/prov#wasDerivedFrom> ?r . ?r <{base}prop/reference/P854> ?url }} }}"""
    found = {
        (s["item"].value.rpartition("/")[2], s["tex"].value, s["url"].value if s["url"] else "")
        for s in graph.query(query)
    }
    urls = {(p.qid, p.tex, v) for p in SAMPLE for r in p.references for prop, _, v in r.snaks if prop == "P854"}
    assert found == urls | {(p.qid, p.tex, "") for p in SAMPLE[1:]}


def exported(w: Workspace) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(export(w, Settings(), "mismatch-finder"))))


def test_another_formula_on_an_item_is_no_mismatch(w: Workspace) -> None:
    """U = R I is Ohm's law in other letters; it was exported as a contradiction of V = I R."""
    assert exported(w) == []


def test_the_command_writes_them(w: Workspace, tmp_path: Path) -> None:
    from click.testing import CliRunner

    from bot.cli import cli

    path = tmp_path / "out.txt"
    done = CliRunner().invoke(cli, ["review", "export", str(path), "--for", "quickstatements", "-w", str(w.path)])
    assert (done.exit_code, path.read_text("utf-8").count("\n")) == (0, 1)
    wrong = CliRunner().invoke(cli, ["review", "export", "x", "--for", "nothing", "-w", str(w.path)])
    assert isinstance(wrong.exception, InputError)
    rules = CliRunner().invoke(cli, ["review", "rules", "--set", "blind=0.2", "--json", "-w", str(w.path)])
    assert '"blind": 0.2' in rules.output
    token = CliRunner().invoke(cli, ["review", "token", "Ada", "-w", str(w.path)])
    assert len(token.output.strip()) > 30
