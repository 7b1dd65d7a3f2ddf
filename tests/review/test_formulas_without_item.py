"""Formulas without a likely item: which are offered, with what candidates, and what becomes of a person's answer."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from cli_runner import ITEMS, SETTINGS, call
from web_records import SignedIn

from bot import store
from bot.errors import ReviewError
from bot.match.stage import reviewer_answers
from bot.records import Item, digest
from bot.review import answers
from bot.review.web.review_context import ReviewContext
from bot.store import Workspace


def ranked(w: Workspace, **ranks: float) -> None:
    with w.engine.begin() as db:
        for key, rank in ranks.items():
            table = store.concepts
            db.execute(table.update().where(table.c.key == key.replace("_", "-")).values(formularank=rank))


def matched(w: Workspace, key: str, *found: tuple[str, float]) -> None:
    rows = [{"concept": key, "qid": q, "probability": p, "tex": "", "evidence": []} for q, p in found]
    with w.engine.begin() as db:
        db.execute(store.matches.insert(), rows)


def keys(w: Workspace, threshold: float = 0.3) -> list[str]:
    return [row["key"] for row in answers.concepts_without_item(w, threshold)]


def test_concepts_below_the_threshold_are_offered_in_the_order_of_formularank(w: Workspace) -> None:
    matched(w, "free-1", ("Q35875", 0.29), ("Q41591", 0.1))
    matched(w, "free-2", ("Q35875", 0.31))
    ranked(w, free_1=2.0, free_5=3.0)
    assert keys(w)[:3] == ["free-5", "free-1", "free-0"]
    assert "free-2" not in keys(w)
    assert keys(w, 0.32).count("free-2") == 1
    assert answers.number_without_item(w, 0.3) == len(keys(w)) == 9


@pytest.mark.parametrize(("qid", "reviewer", "waits"), [("Q1", "Ada", False), ("Q1", "", True), ("", "Ada", True)])
def test_a_formula_whose_item_a_person_has_approved_does_not_wait(
    w: Workspace, qid: str, reviewer: str, waits: bool
) -> None:
    w.change(store.representations.insert().values(id="r", concept="free-1", qid=qid, tex="x", reviewer=reviewer))
    assert ("free-1" in keys(w)) is waits


def test_the_candidates_are_what_matching_found_with_label_and_formulas(w: Workspace) -> None:
    matched(w, "free-1", ("Q41591", 0.1), ("Q35875", 0.2), ("Q4242", 0.05))
    found = answers.suggested_items(w, "free-1", "P2534")
    assert [(each.qid, each.label, each.formulas, each.probability) for each in found] == [
        ("Q35875", "mass–energy equivalence", ("E=mc^2",), 0.2), ("Q41591", "Ohm's law", ("U = R I",), 0.1), ("Q4242", "Q4242", (), 0.05)
    ]  # fmt: skip
    assert found[0].description == "relation of mass and energy"


def test_an_answer_is_kept_with_who_when_what_was_shown_and_its_digest(w: Workspace) -> None:
    matched(w, "free-1", ("Q41591", 0.1), ("Q35875", 0.2))
    seen = answers.content_digest(answers.find_concept(w, "free-1"))
    answers.record_answer(w, "free-1", "item", "Ada", "Q179380", seen)
    (row,) = w.rows(sa.select(store.answers))
    record = {
        "key": "free-1", "tex": r"E = m c^{2} + 1", "representations": [r"E = m c^{2} + 1"], "offered": ["Q35875", "Q41591"]
    }  # fmt: skip
    assert (row["reviewer"], row["qid"], row["record"]) == ("Ada", "Q179380", record)
    assert row["hash"] == digest(record, "item", "Q179380")
    assert row["time"].endswith("Z")
    assert "free-1" not in keys(w)


def test_a_formula_that_changed_since_it_was_shown_is_not_answered(w: Workspace) -> None:
    seen = answers.content_digest(answers.find_concept(w, "free-1"))
    with w.engine.begin() as db:
        db.execute(store.concepts.update().where(store.concepts.c.key == "free-1").values(tex="E = m c"))
    with pytest.raises(ReviewError, match="has changed"):
        answers.record_answer(w, "free-1", "none", "Ada", seen_hash=seen)
    assert w.rows(sa.select(store.answers)) == []


def test_what_an_approval_has_settled_is_not_asked_again(w: Workspace) -> None:
    row = {"id": "x", "concept": "free-3", "qid": "Q1", "tex": "", "level": "K0", "reviewer": "Ada", "added": ""}
    with w.engine.begin() as db:
        db.execute(store.representations.insert().values(**row))
    assert "free-3" not in keys(w)


def test_match_reads_the_last_answer_and_none_that_was_taken_back(w: Workspace) -> None:
    matched(w, "free-1", ("Q41591", 0.1))
    answers.record_answer(w, "free-0", "item", "Ada", "Q179916")
    answers.record_answer(w, "free-1", "none", "Ada")
    answers.record_answer(w, "free-2", "no_concept", "Ada")
    answers.record_answer(w, "free-3", "no_concept", "Ada")
    answers.record_answer(w, "free-3", "withdraw", "Ada")
    found = reviewer_answers(w)
    assert {key: (each.answer, each.qid, each.offered) for key, each in found.items()} == {
        "free-0": ("item", "Q179916", ()), "free-1": ("none", "", ("Q41591",)), "free-2": ("no_concept", "", ())
    }  # fmt: skip
    with pytest.raises(ReviewError, match="no answer to take back"):
        answers.record_answer(w, "free-3", "withdraw", "Ada")


def test_the_page_offers_the_candidates_before_what_the_names_find(w: Workspace, ada: SignedIn) -> None:
    matched(w, "free-0", ("Q35875", 0.2))
    html = ada.get("/formulas/free-0")
    first = html.index('value="Q35875" data-digit="1"')
    assert first < html.index('value="Q179916" data-digit="2"'), "found by its name, Hubble's law"
    assert "20&nbsp;%" in html
    assert html.count("Q35875</span>") == 1
    ada.post("/formulas/free-0", pick="Q35875", seen="0" * 40)
    assert "has changed since" in ada.get("/formulas/free-0")
    assert w.rows(sa.select(store.answers)) == []


def test_the_beginning_of_a_key_stands_for_the_whole(w: Workspace, ada: SignedIn) -> None:
    w.change(store.concepts.update().where(store.concepts.c.key == "free-7").values(key="whole-7"))
    matched(w, "whole-7", ("Q35875", 0.2))
    assert 'value="Q35875" data-digit="1"' in ada.get("/formulas/whole")
    ada.post("/formulas/whole", pick="Q35875")
    assert [(row["concept"], row["record"]["offered"]) for row in w.rows(sa.select(store.answers))] == [
        ("whole-7", ["Q35875"])
    ]
    assert "whole-7" not in keys(w)


def test_an_item_that_is_none_is_no_answer_on_the_page(
    w: Workspace, ada: SignedIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ReviewContext, "read_item", lambda self, qid: Item(qid, missing=True))
    ada.get("/formulas/free-0")
    ada.post("/formulas/free-0", answer="item", qid="q99999")
    assert "Q99999 does not exist" in ada.get("/formulas/free-0")
    assert w.rows(sa.select(store.answers)) == []
    ada.post("/formulas/free-0", answer="item", qid="Q35875")  # the workspace has it
    assert [row["qid"] for row in w.rows(sa.select(store.answers))] == ["Q35875"]


@pytest.fixture(scope="module")
def proposed(tmp_path_factory: pytest.TempPathFactory, proposed_examples: Path) -> Path:
    path = Path(shutil.copytree(proposed_examples, tmp_path_factory.mktemp("unmatched") / "w"))
    call("review", "add-reviewer", "Ada", "-w", path).well()
    return path


@pytest.fixture
def cli(proposed: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(proposed, tmp_path / "w"))


def _again(w: Path) -> dict[str, Any]:
    call("match", "-w", w, "--items", ITEMS).well()
    call("propose", "-w", w, "--config", SETTINGS).well()
    key = _power(w)["key"]
    return {row["qid"]: row for row in call("export", "matches", "-w", w).well().rows if row["concept"] == key}


def _power(w: Path) -> dict[str, Any]:
    return next(row for row in call("export", "concepts", "-w", w).well().rows if row["tex"] == "P=I^{2}R")


def test_from_the_answer_to_a_proposal_that_still_needs_its_approval(cli: Path) -> None:
    listed = call("review", "unmatched", "--json", "-w", cli).well().rows
    row = next(row for row in listed if row["key"] == _power(cli)["key"])
    ((qid, before),) = [(each["qid"], each["probability"]) for each in row["candidates"]][:1]
    assert before < 0.3
    said = call("review", "answer", row["key"][:12], "--item", qid, "--seen", row["seen"], "-w", cli).well().out
    assert said == f"{row['key'][:10]}: {qid}\n"
    known = call("export", "representations", "-w", cli).well().rows
    assert {(r["tex"], r["reviewer"]) for r in known if r["qid"] == qid} == {
        (r["tex"], "Ada") for r in row["representations"]
    }
    found = _again(cli)
    assert found[qid]["probability"] > 0.9
    (evidence,) = (each for each in found[qid]["evidence"] if each["name"] == "decided")
    assert (evidence["score"], evidence["code"]) == (1.0, "evidence.decided.item")
    assert row["key"] not in {each["key"] for each in call("review", "unmatched", "--json", "-w", cli).well().rows}
    (queued,) = (
        each for each in call("review", "list", "--json", "-w", cli).well().rows if each["concept"] == row["key"]
    )
    assert (queued["qid"], queued["kind"]) == (qid, "new_claim")
    assert call("export", "edits", "-w", cli).well().rows == []
    assert queued["id"] not in call("write", "--json", "-w", cli).well().out, "nobody has approved it"
    call("review", "answer", row["key"], "--withdraw", "-w", cli).well()
    assert _again(cli)[qid]["probability"] == before
    assert queued["id"] not in call("review", "list", "--json", "-w", cli).well().out, "it rested on the answer alone"
    assert all(r["qid"] != qid for r in call("export", "representations", "-w", cli).well().rows)


@pytest.mark.parametrize(
    "words",
    [(), ("--none", "--item", "Q1"), ("--item", "P31"), ("--item", "Q1", "--reviewer", "Nobody"), ("--item", "Q99999")],
)
def test_an_answer_on_the_command_line_that_is_none_is_one_line(cli: Path, words: tuple[str, ...]) -> None:
    said = call("review", "answer", _power(cli)["key"], *words, "-w", cli)
    assert (said.code, said.err.count("\n")) == (2, 1)
    with Workspace.open(cli) as workspace:
        assert reviewer_answers(workspace) == {}
    assert call("review", "answer", "no such key", "--none", "-w", cli).code == 2
