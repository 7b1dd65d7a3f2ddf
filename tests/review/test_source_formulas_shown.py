"""A reference alone: page, API, command line and packets show what the source writes, and where it is another formula."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from cli_runner import call
from web_records import opened, proposal, signed_in

from bot.records import Quote
from bot.review import export_packet
from bot.review.web.rest import make_token
from bot.settings import Settings
from bot.store import Workspace

SOURCE = r"E_0 = m_0 c_0^2"
SAME = proposal(20, qid="Q35875", kind="add_reference", tex="E=mc^2", statement="Q35875$1")


def quote(tex: str, title: str, address: str) -> Quote:
    return Quote(
        f"lectures/{title}", 4, "The rest energy is ⟦4⟧.", "", "rest energy", title, address, ((4, tex),), "sentence", address
    )  # fmt: skip


def rows() -> list[object]:
    first, second = (r.snaks[0][2] for r in SAME.references)
    other = replace(SAME, id=f"{21:016x}", quotes=(quote("E = mc^2", "One", first), quote(SOURCE, "Two", second)))
    return [replace(SAME, quotes=(quote("E = m c^{2}", "One", first),)), other]


@pytest.fixture
def w(tmp_path: Path) -> Iterator[Workspace]:
    with opened(tmp_path / "w", "Ada", proposals=rows()) as workspace:  # type: ignore[arg-type]
        yield workspace


def test_the_page_says_before_the_button_that_a_source_writes_another_formula(w: Workspace) -> None:
    html = signed_in(w, "Ada").get(f"/p/{21:016x}")
    before = html[: html.index('value="approve"')]
    assert "One source writes another formula than the item" in before
    assert "<del>E</del><wbr><ins>E_0</ins>" in before
    assert "<del>mc^2</del><wbr><ins>m_0c_0^2</ins>" in before
    assert "<b>same in other notation</b>" in before
    assert "<b>identical</b>" not in html
    assert html.count("its document writes the formula differently") == 1
    second = html.index('name="reference" value="1"')
    assert second < html.index("its document writes the formula differently")


def test_a_chain_that_the_formula_is_a_part_of_is_not_said_to_have_nothing_in_common(tmp_path: Path) -> None:
    chain = quote(r"E=mc^2=\frac{m_0c^2}{\sqrt{1-v^2/c^2}}", "Three", SAME.references[0].snaks[0][2])
    with opened(tmp_path / "chain", "Ada", proposals=[replace(SAME, quotes=(chain,))]) as workspace:
        html = signed_in(workspace, "Ada").get(f"/p/{20:016x}")
    assert "another formula" not in html
    assert "nothing in common" not in html


def test_the_page_says_nothing_where_every_source_writes_the_formula(w: Workspace) -> None:
    html = signed_in(w, "Ada").get(f"/p/{20:016x}")
    assert "another formula than" not in html
    assert "writes the formula differently" not in html
    assert "<b>identical</b>" in html or "<b>typographic variant</b>" in html


def test_the_german_page_says_it_in_german(w: Workspace) -> None:
    html = signed_in(w, "Ada").get(f"/p/{21:016x}?lang=de")
    assert "Eine Quelle schreibt eine andere Formel als das Datenobjekt" in html
    assert "Two schreibt" in html
    assert "ihr Dokument schreibt die Formel anders" in html


def test_the_api_gives_what_each_source_writes(w: Workspace) -> None:
    person = signed_in(w, "Ada")
    head = {"Authorization": f"Bearer {make_token(w, 'Ada')}"}
    found = person.client.get(f"/api/v1/proposals/{21:016x}", headers=head).json["source_formulas"]
    assert [(f["title"], f["tex"], f["relation"], f["differs"], f["reference"]) for f in found] == [
        ("One", "E = mc^2", "identical", False, 0),
        ("Two", SOURCE, "notation", True, 1),
    ]


def test_the_command_line_shows_what_each_source_writes(w: Workspace) -> None:
    said = call("review", "show", f"{21:016x}", "--workspace", w.path).well().out
    assert "differs" in said
    assert SOURCE in said
    found = json.loads(call("review", "show", f"{21:016x}", "--workspace", w.path, "--json").well().out)
    assert [f["differs"] for f in found["source_formulas"]] == [False, True]


def test_packets_show_what_differs(w: Workspace, tmp_path: Path) -> None:
    export_packet(w, tmp_path / "p.csv", Settings())
    lines = (tmp_path / "p.csv").read_text(encoding="utf-8").splitlines()
    cells = {row["proposal"]: row["sources_write"] for row in csv.DictReader(lines)}
    assert cells[f"{20:016x}"] == ""
    assert cells[f"{21:016x}"].startswith(f"Two writes {SOURCE} (notation: ")
    export_packet(w, tmp_path / "p.html", Settings())
    page = (tmp_path / "p.html").read_text(encoding="utf-8")
    assert page.count("One source writes another formula") == 1
    assert "<del>mc^2</del><wbr><ins>m_0c_0^2</ins>" in page
