"""Exports carry the field names that others rely on, in a stable order."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest
from cli_runner import TABLES, call

ROOT = Path(__file__).resolve().parents[1]

# What every row carries at least; "a.b" is field b of each element of the list a.
FIELDS = {
    "occurrences": "document position tex display window heading role definitions",
    "concepts": "tex key occurrences documents representations representations.tex representations.level names "
    "names.name names.score names.reasons",
    "matches": "tex qid probability evidence evidence.name evidence.score evidence.detail concept",
    "proposals": "id kind qid property tex references references.snaks probability checks checks.name checks.state "
    "checks.detail hash evidence expires",
    "symbols": "document position tex symbol meaning qid probability sentence label agrees",
    "decisions": "proposal hash verdict references reason reviewer time",
    "edits": "proposal qid guid revision group outcome payload reviewer revision_before undo",
    "findings": "audit item severity what evidence",
    "representations": "concept tex level document position",
}


@pytest.fixture(scope="module")
def full(tmp_path_factory: pytest.TempPathFactory, proposed_examples: Path) -> Path:
    """A workspace with rows in every table."""
    path = Path(shutil.copytree(proposed_examples, tmp_path_factory.mktemp("export") / "w"))
    call("review", "add-reviewer", "Ada", "-w", path).well()
    rows = [row for row in call("review", "list", "--json", "-w", path).rows if row["kind"] == "new_claim"]
    call("review", "approve", *(row["id"] for row in rows[:2]), "-w", path).well()
    call("write", "--live", "-w", path).well()
    call("audit", "-w", path)
    return path


@pytest.mark.parametrize("table", TABLES)
def test_every_row_carries_its_fields(full: Path, table: str) -> None:
    rows = call("export", table, "-w", full).well().rows
    assert rows
    for field in FIELDS[table].split():
        name, _, inner = field.partition(".")
        assert all(name in row for row in rows), field
        if inner:
            elements = [element for row in rows for element in row[name]]
            assert elements
            assert all(inner in element for element in elements), field


@pytest.mark.parametrize("table", TABLES)
def test_an_export_is_the_same_each_time(full: Path, table: str) -> None:
    assert call("export", table, "-w", full).out == call("export", table, "-w", full).out


def test_values_are_what_their_names_say(full: Path) -> None:
    concepts = call("export", "concepts", "-w", full).rows
    assert all(c["occurrences"] >= c["documents"] >= 1 for c in concepts)
    assert all(0 <= n["score"] <= 1 and n["reasons"] for c in concepts for n in c["names"])
    matches = call("export", "matches", "-w", full).rows
    assert {m["concept"] for m in matches} <= {c["key"] for c in concepts}
    assert all(0 <= m["probability"] <= 1 and m["evidence"] for m in matches)
    proposals = {p["id"]: p for p in call("export", "proposals", "-w", full).rows}
    assert {p["kind"] for p in proposals.values()} <= {"new_claim", "add_reference", "flag"}
    edits = call("export", "edits", "-w", full).rows
    assert all(e["guid"].startswith(f"{e['qid']}$") and e["revision"] > e["revision_before"] for e in edits)
    assert all(e["outcome"] == "written" and e["hash"] == proposals[e["proposal"]]["hash"] for e in edits)
    assert len({e["group"] for e in edits}) == 1
    occurrences = call("export", "occurrences", "-w", full).rows
    places = [(o["document"], o["position"]) for o in occurrences]
    assert places == sorted(set(places))
    assert sum(c["occurrences"] for c in concepts) <= len(occurrences)


def described(table: str) -> set[str]:
    """Return the columns that docs/exports.md describes for a table."""
    page = (ROOT / "docs/exports.md").read_text(encoding="utf-8")
    section = page.partition(f"\n## `{table}`\n")[2].partition("\n## ")[0]
    return {name for cell in re.findall(r"^\| (`.*?) \|", section, re.M) for name in re.findall(r"`(\w+)`", cell)}


@pytest.mark.parametrize("table", TABLES)
def test_the_page_on_exports_describes_every_column(full: Path, table: str) -> None:
    rows = call("export", table, "-w", full).rows
    assert described(table) == {name for row in rows for name in row} - {"messages"}


def other_output(command: str) -> set[str]:
    """Return the columns that docs/exports.md names for a command; notes in brackets are none."""
    page = (ROOT / "docs/exports.md").read_text(encoding="utf-8")
    (cell,) = re.findall(rf"^\| `{re.escape(command)}` \| (.*) \|$", page, re.M)
    return set(re.findall(r"`(\w+)`", cell))


def test_the_page_on_exports_names_the_columns_of_other_outputs(full: Path, tmp_path: Path) -> None:
    def columns(*args: object) -> set[str]:
        return set(call(*args, "-w", full).well().rows[0])

    def heading(*args: object) -> set[str]:
        return set(call(*args, "-w", full).well().out.partition("\n")[0].split(","))

    assert other_output("formulas --json") == columns("formulas", "--json", "--top", 1)
    assert other_output("formulas --csv") == heading("formulas", "--csv", "-")
    assert other_output("formulas --list --json") == columns("formulas", "--list", "--json", "--top", 1)
    assert other_output("find FORMULA --json") == columns("find", "E = mc^2", "--json")
    assert other_output("find NAME --json") == columns("find", "Hubble's law", "--json")
    assert other_output("write --live --json") == columns("write", "--live", "--json")
    call("review", "export", tmp_path / "packet.csv", "-w", full).well()
    packet = (tmp_path / "packet.csv").read_text(encoding="utf-8-sig").partition("\n")[0]
    assert other_output("review export packet.csv") == set(packet.strip().split(","))
    page = (ROOT / "docs/exports.md").read_text(encoding="utf-8")
    audits = re.findall(r"^`audit --format csv` has (.*)\.$", page, re.M)[0]
    printed = call("audit", "ledger", "--format", "csv", "-w", full).out.partition("\n")[0]
    assert re.findall(r"`(\w+)`", audits) == printed.split(",")
