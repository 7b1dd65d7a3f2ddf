"""What other editors remove is found by the audit, never proposed again, and counts against the documents it came from."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from cli_runner import CORPUS, ITEMS, SETTINGS, call

from bot.claim_outcomes import claim_outcomes
from bot.review.judgements import judgements
from bot.sandbox.wiki_server import Sandbox
from bot.store import Workspace

RUN = '[run]\nsources = ["corpus"]\nworkspace = "w"\nitems = "items.jsonl"\naudits = ["seeded"]\nwrite = true\n'
ARTICLES = ("Ohms_law", "Hookes_law", "Heat_equation", "Ideal_gas_law", "Hubbles_law", "Lorentz_force")


def run(folder: Path) -> dict[str, Any]:
    said = call("run", "--config", folder / "bot.toml", "--json")
    assert said.code in (0, 1), said.err
    return dict(said.rows[0])


@pytest.fixture(scope="module")
def nights(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any], list[dict[str, Any]]]:
    """Three runs: claims are written, others change three of them, an audit sees it; the last run, and what was written."""
    folder = tmp_path_factory.mktemp("nights")
    (folder / "corpus" / "wikitext").mkdir(parents=True)
    for name in ARTICLES:
        shutil.copy(CORPUS / "wikitext" / f"{name}.wiki", folder / "corpus" / "wikitext")
    shutil.copy(ITEMS, folder / "items.jsonl")
    (folder / "bot.toml").write_text(RUN + SETTINGS.read_text(encoding="utf-8"), encoding="utf-8")
    run(folder)
    w = folder / "w"
    call("review", "add-reviewer", "Ada", "-w", w).well()
    rows = [r for r in call("export", "proposals", "-w", w).rows if r["kind"] == "new_claim" and r["references"]]
    call("review", "approve", *(row["id"] for row in rows[:3]), "--reviewer", "Ada", "-w", w).well()
    run(folder)
    written = call("export", "edits", "-w", w).rows
    assert len(written) == 3
    with Sandbox(w / "sandbox.db") as wiki:
        wiki.act("PlainUser", action="wbremoveclaims", claim=written[0]["guid"], summary="not its definition")
        for row, tex in ((written[1], "a = b"), (written[2], f"\\displaystyle {_tex(written[2])}")):
            value = {"mainsnak": {**row["payload"]["mainsnak"], "datavalue": {"type": "string", "value": tex}}}
            wiki.act("PlainUser", action="wbsetclaim", claim={**row["payload"], **value, "id": row["guid"]})
    run(folder)
    return folder, run(folder), written


def _tex(edit: dict[str, Any]) -> str:
    return str(edit["payload"]["mainsnak"]["datavalue"]["value"])


def test_each_change_is_kept_with_its_editor_and_reason(
    nights: tuple[Path, dict[str, Any], list[dict[str, Any]]],
) -> None:
    folder, _, written = nights
    with Workspace.open(folder / "w") as opened:
        first, second, third = claim_outcomes(opened)
        counted = judgements(opened)
    assert (first.verdict, first.user, first.qid) == ("removed", "PlainUser", written[0]["qid"])
    assert "not its definition" in first.comment
    assert (second.verdict, second.instead, third.verdict) == ("corrected", "a = b", "")
    assert first.documents
    assert all(document.endswith(".wiki") for document in first.documents)
    assert (len(counted.pairs), counted.rejections, counted.undone, counted.removed) == (3, 2, 2, 2)


def test_what_was_removed_is_refused_with_who_did_it(nights: tuple[Path, dict[str, Any], list[dict[str, Any]]]) -> None:
    folder, figures, written = nights
    assert figures["propose_refused"]["removed"] == 2
    report = [json.loads(line) for line in (folder / "w" / "reports" / "dry-run.jsonl").read_text().splitlines()]
    assert not [row for row in report if row.get("id") in {written[0]["proposal"], written[1]["proposal"]}]
    assert "PlainUser removed this formula from the item on" in (folder / "w" / "reports" / "dry-run.html").read_text()


def test_the_documents_of_removed_claims_are_doubted(nights: tuple[Path, dict[str, Any], list[dict[str, Any]]]) -> None:
    folder, _, _ = nights
    found = [e for row in call("export", "matches", "-w", folder / "w").rows for e in row["evidence"]]
    doubts = {(e["detail"], e["value"]) for e in found if e["name"] == "removed_source"}
    assert (
        "other editors removed or corrected 1 of the 1 edits made from documents with this formula",
        0.2065,
    ) in doubts
    assert all(e["score"] < 0 for e in found if e["name"] == "removed_source")
