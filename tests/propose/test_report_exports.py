"""The same content as JSON lines, QuickStatements CSV and wikitext."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace

import pytest
from propose_records import DOCUMENT, HUBBLE, TODAY, entry, settings, statement, world

from bot.propose.build import BuildResult, build
from bot.propose.dry_run import DryRun, json_lines, quickstatements, wikitext
from bot.propose.proposal_context import RunCounts
from bot.propose.quickstatements import claims_csv, text
from bot.records import Reference
from bot.settings import Wiki


def run(*built: BuildResult) -> DryRun:
    return DryRun("2026-11-20", Wiki(), settings(), RunCounts(), built, {DOCUMENT.id: DOCUMENT})


def claim(tex: str = "v = H_0 d", **more: object) -> BuildResult:
    return build(entry(tex), world(replace(HUBBLE, **more)), settings(), TODAY)


def with_references(*references: Reference) -> BuildResult:
    made = claim()
    assert made.proposal is not None
    return replace(made, proposal=replace(made.proposal, references=references))


def test_json_lines_carry_the_exports_fields_and_what_stands() -> None:
    (row,) = map(json.loads, json_lines(run(claim(statements=(statement("E = m c^2"),)))).splitlines())
    assert {"id", "kind", "qid", "property", "tex", "references", "probability", "checks", "hash"} <= row.keys()
    assert row["label"] == "Hubble's law"
    assert row["standing"][0]["tex"] == "E = m c^2"


def test_quickstatements_hold_new_claims_only_in_valid_csv() -> None:
    flagged = claim("p = m v", statements=(statement("E = m c^2"),))
    rows = list(csv.reader(io.StringIO(quickstatements(run(claim("v = f(a, b)"), flagged)))))
    assert rows == [
        ["qid", "P2534", "S854", "s813"],
        ["Q179916", '"v = f(a, b)"', f'"{DOCUMENT.url}"', "+2026-11-20T00:00:00Z/11"],
    ]


def test_quickstatements_give_each_form_of_reference_columns_of_its_own() -> None:
    book = Reference((("P248", "wikibase-item", "Q77"), ("P813", "time", "+2026-11-20T00:00:00Z")))
    web = Reference((("P854", "url", "https://a.example"), ("P813", "time", "+2026-11-20T00:00:00Z")))
    other = replace(web, snaks=(("P854", "url", "https://b.example"), web.snaks[1]))
    rows = list(csv.reader(io.StringIO(quickstatements(run(with_references(web, other), with_references(book))))))
    assert rows[0] == ["qid", "P2534", "S248", "s813", "S854", "s813", "S854", "s813"]
    assert rows[1][2:] == ["", "", '"https://a.example"', "+2026-11-20T00:00:00Z/11", '"https://b.example"', rows[1][7]]
    assert rows[2][2:] == ["Q77", "+2026-11-20T00:00:00Z/11", "", "", "", ""]
    assert len({len(row) for row in rows}) == 1


@pytest.mark.parametrize(
    ("tex", "shown"),
    [
        (r"|x| = \|y\|", r"\vert x\vert  = \Vert y\Vert "),
        (r"\frac{a}{{b}} = c", r"\frac{a}{ {b} } = c"),
        ("a < b", r"a \lt  b"),
        (r"\begin{array}{c|c} a & b \end{array} = c", r"\begin{array}{c|c} a & b \end{array} = c"),
    ],
)
def test_wikitext_formulas_stay_in_their_cell(tex: str, shown: str) -> None:
    assert f"<math>{shown}</math>" in wikitext(run(claim(tex)))


def test_wikitext_of_hostile_labels_is_inert() -> None:
    text = wikitext(
        run(claim(label="x|y || {{delete}} [[A]] <script> '''b''' ~~~~ __TOC__\n|-", aliases=("Hubble's law",)))
    )
    row = text.split("|-\n", 1)[1]
    for dangerous in ("{{", "[[", "<script", "'''", "~~~~", "__TOC__", "\n|-"):
        assert dangerous not in row
    assert row.splitlines()[0].count(" || ") == 5


@pytest.mark.parametrize(
    ("title", "address", "shown"),
    [
        ("Laws", "https://a.example/x", "[https://a.example/x Laws], formula 5"),
        ("", "https://a.example/x", "[https://a.example/x lectures/expansion.html], formula 5"),
        ("Laws", "", "Laws, formula 5"),
        ("", "ftp://a.example", "lectures/expansion.html, formula 5"),
    ],
)
def test_wikitext_names_the_first_source(title: str, address: str, shown: str) -> None:
    made = claim()
    assert made.proposal is not None
    first = replace(made.proposal.quotes[0], title=title, url=address)
    text = wikitext(run(replace(made, proposal=replace(made.proposal, quotes=(first, *made.proposal.quotes)))))
    assert f" || {shown} || " in text
    assert " ||  || " in wikitext(run(replace(made, proposal=replace(made.proposal, quotes=()))))


@pytest.mark.parametrize(
    ("tex", "field"),
    [("a  b", '"a  b"'), (" a ", '" a "'), ("a\r\nb", '"a b"'), (" a \t  b", '"a b"'), ('a"b', '"a"b"'), ("", '""')],
)
def test_only_what_ends_a_field_is_taken_out_of_it(tex: str, field: str) -> None:
    assert text(tex) == field


def test_each_property_each_qualifier_and_each_kind_of_reference_has_columns_of_its_own() -> None:
    made = claim()
    assert made.proposal is not None
    one = replace(made.proposal, property="P1", qid="Q1", tex="a", qualifiers=(("P9", "string", "x"), ("P5", "wikibase-item", "Q5"), ("P7", "string", "z")))  # fmt: skip
    title, day = ("P1476", "monolingualtext", "fr:Sur: le\tmouvement"), ("P577", "time", "+1999-05-00T00:00:00Z")
    pages = Reference((("P304", "string", "7"),))
    one = replace(one, references=(Reference((title, day)), pages))
    two = replace(
        one, property="P2", qid="Q2", tex="b", qualifiers=(), references=(pages, Reference((("P304", "string", "8"),)))
    )
    assert [list(row) for row in csv.reader(claims_csv([one, two], ["P1", "P2"]).splitlines())] == [
        ["qid", "P1", "qal5", "qal7", "qal9", "P2", "S1476", "s577", "S304", "S304"],
        ["Q1", '"a"', "Q5", '"z"', '"x"', "", 'fr:"Sur: le mouvement"', "+1999-05-00T00:00:00Z/10", '"7"', ""],
        ["Q2", "", "", "", "", '"b"', "", "", '"7"', '"8"'],
    ]
