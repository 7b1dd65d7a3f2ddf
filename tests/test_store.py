"""The workspace: one folder, one lock, one schema."""

from __future__ import annotations

import json
import multiprocessing
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from bot import store
from bot.errors import WorkspaceError
from bot.messages import sentence
from bot.migrations import VERSION
from bot.records import FormulaConcept, ItemMatch, Proposal, Quote, Reference, as_json, digest
from bot.store import Workspace


def test_a_workspace_keeps_what_is_put(tmp_path: Path) -> None:
    with Workspace.open(tmp_path / "w") as workspace:
        workspace.put("world", {"a": [1]})
    with Workspace.open(tmp_path / "w", create=False) as workspace:
        assert workspace.get("world") == {"a": [1]}
        assert workspace.get("nothing", 7) == 7
        assert workspace.get("schema") == VERSION


def test_a_missing_workspace_is_not_made_by_reading(tmp_path: Path) -> None:
    with pytest.raises(WorkspaceError, match="is not a workspace"):
        Workspace.open(tmp_path / "w", create=False)
    assert not (tmp_path / "w").exists()


def test_a_newer_workspace_is_refused(tmp_path: Path) -> None:
    with Workspace.open(tmp_path / "w") as workspace:
        workspace.put("schema", VERSION + 1)
    with pytest.raises(WorkspaceError, match="newer"):
        Workspace.open(tmp_path / "w")


def test_a_file_that_is_no_database_is_said(tmp_path: Path) -> None:
    (tmp_path / "bot.db").write_bytes(b"not a database at all" * 100)
    with pytest.raises(WorkspaceError, match=r"bot\.db cannot be used"):
        Workspace.open(tmp_path)


def _take(path: str, answer: multiprocessing.Queue[str]) -> None:
    try:
        with Workspace.open(path) as workspace, workspace.lock("second"):
            answer.put("got it")
    except WorkspaceError as error:
        answer.put(error.line())


def test_only_one_process_works_at_a_time_and_the_holder_is_named(workspace: Workspace) -> None:
    context = multiprocessing.get_context("spawn")
    answer: multiprocessing.Queue[str] = context.Queue()
    with workspace.lock("discover"):
        process = context.Process(target=_take, args=(str(workspace.path), answer))
        process.start()
        process.join()
    assert "in use by discover" in answer.get(timeout=10)
    with workspace.lock("again"):
        pass


def test_rows_and_json_become_the_records_that_they_were_made_of(tmp_path: Path) -> None:
    """NULL and what is absent are defaults, other columns are left out, and digests are those of other machines."""
    reference = Reference((("P854", "url", "https://example.org/a"),))
    quote = Quote("d", 1, "⟦1⟧ is", formulas=((1, "E=mc^2"),))
    made = Proposal("p", "new_claim", "Q1", "P2534", "E=mc^2", (reference,), (), (), 1.0, 7, "h", "2026-11-20", quotes=(quote,), runners_up=(("Q2", "two", 0.5),))  # fmt: skip
    assert store.to_record(Proposal, json.loads(json.dumps(as_json(made)))) == made
    assert digest(as_json(made)) == digest(made) == "8c75ea854f255258aee59f1a495726378c1c3e6c"
    concept = {"key": "k", "tex": "E=mc^2", "occurrences": 3, "documents": 2, "names": None, "places": [["d", 1]]}
    with Workspace.open(tmp_path / "w") as w:
        with w.engine.begin() as db:
            db.execute(store.concepts.insert().values(**concept))
        (row,) = w.rows(sa.select(store.concepts, sa.literal(1).label("more")))
    assert store.to_record(FormulaConcept, row) == FormulaConcept("k", "E=mc^2", 3, 2, places=(("d", 1),))


def test_evidence_of_a_code_that_is_no_longer_used_keeps_its_sentence() -> None:
    row = {
        "name": "frequent",
        "score": 0.5,
        "detail": "it stands in 7 documents",
        "code": "evidence.frequent.n",
        "values": {"n": 7},
    }
    (kept,) = store.to_record(
        ItemMatch, {"concept": "k", "tex": "x", "qid": "Q1", "probability": 0.9, "evidence": [row]}
    ).evidence
    assert sentence(kept.detail, "de") == "it stands in 7 documents"


@pytest.mark.parametrize("values", [{}, {"snaks": 3}, {"snaks": [["P1", "url"]]}, {"snaks": [["P1", "url", 1]]}, [], 3])
def test_what_is_no_such_record_is_named_with_its_place(values: Any) -> None:
    with pytest.raises(WorkspaceError, match="decisions 3: its record is not a reference"):
        store.to_record(Reference, values, "decisions 3")
