"""Exports carry the field names that others rely on, in a stable order."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from cli_runner import TABLES, call

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
