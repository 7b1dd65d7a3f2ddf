"""An accepted claim makes representations of an item; a word taken back takes the item from them again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from bot import store
from bot.discover.formula_concepts import ConceptRow, save_concepts
from bot.errors import ReviewError
from bot.messages import uncoded_message
from bot.records import (
    Check,
    Decision,
    FormulaConcept,
    Item,
    Proposal,
    Quote,
    Reference,
    Representation,
    Statement,
    as_json,
)
from bot.review import add_reviewer, decide
from bot.review.curated import import_list
from bot.review.fcdb import rejected_items, remove_undone, representations, with_representations
from bot.store import Workspace

SPELLINGS = (
    Representation("E=mc^2", "K0", 3, 2),
    Representation("mc^{2}=E", "K1", 1, 1),
    Representation("E_0=m_0c^2", "K3", 1, 1),
)
CONCEPT = FormulaConcept("mass-energy", "E=mc^2", 5, 3, SPELLINGS)
FIRSTS = {"E=mc^2": ("a/Energy", 4), "mc^{2}=E": ("b/Mass", 1), "E_0=m_0c^2": ("b/Mass", 7)}


def proposal(id_: str = "claim-1", **values: Any) -> Proposal:
    plain: dict[str, Any] = {
        "id": id_,
        "kind": "new_claim",
        "qid": "Q35875",
        "property": "P2534",
        "tex": "E=mc^2",
        "references": (Reference((("P854", "url", "https://example.org/a"),)),),
        "evidence": (),
        "checks": (Check("validity", "ok", uncoded_message("accepted")),),
        "probability": 0.9,
        "base_revision": 3,
        "hash": f"hash of {id_}",
        "expires": "2999-01-01",
        "concept": "mass-energy",
        "quotes": (Quote("a/Energy", 4, "It is ⟦4⟧."),),
    }
    return Proposal(**{**plain, **values})


def put(workspace: Workspace, made: Proposal) -> Proposal:
    row = {name: getattr(made, name) for name in ("id", "kind", "qid", "probability", "hash", "expires")}
    with workspace.engine.begin() as db:
        db.execute(store.proposals.insert().values(**row, record=as_json(made)))
    return made


def decided(workspace: Workspace, made: Proposal, verdict: str = "approve", **values: Any) -> None:
    decide(
        workspace, Decision(**{"proposal": made.id, "hash": made.hash, "verdict": verdict, "reviewer": "Ada", **values})
    )


def of_item(workspace: Workspace, qid: str = "Q35875") -> set[tuple[str, str, str, int, str]]:
    rows = [row for row in representations(workspace) if row["qid"] == qid]
    return {(row["tex"], row["level"], row["document"], row["position"], row["reviewer"]) for row in rows}


@pytest.fixture
def w(workspace: Workspace) -> Workspace:
    add_reviewer(workspace, "Ada")
    add_reviewer(workspace, "Ben")
    save_concepts(workspace, [ConceptRow.of(CONCEPT, FIRSTS)])
    return workspace


ALL = {
    ("E=mc^2", "K0", "a/Energy", 4, "Ada"),
    ("mc^{2}=E", "K1", "b/Mass", 1, "Ada"),
    ("E_0=m_0c^2", "K3", "b/Mass", 7, "Ada"),
}


def test_an_approval_makes_every_spelling_of_the_concept_a_representation_with_its_place(w: Workspace) -> None:
    decided(w, put(w, proposal()))
    assert of_item(w) == ALL
    assert all(row["added"] and row["concept"] == "mass-energy" for row in representations(w))


def test_saying_it_again_adds_nothing(w: Workspace) -> None:
    made = put(w, proposal())
    decided(w, made)
    before = len(representations(w))
    decided(w, made)
    save_concepts(w, [ConceptRow.of(CONCEPT, FIRSTS)])
    assert len(representations(w)) == before == 6


@pytest.mark.parametrize(
    "word", [{"verdict": "withdraw"}, {"verdict": "unsure"}, {"verdict": "reject", "reason": "duplicate"}]
)
def test_a_word_taken_back_takes_the_item_and_an_approval_gives_it_again(w: Workspace, word: dict[str, str]) -> None:
    made = put(w, proposal())
    decided(w, made)
    decided(w, made, **word)
    assert of_item(w) == set()
    decided(w, made)
    assert of_item(w) == ALL
    assert len(representations(w)) == 6


def test_a_skip_leaves_the_earlier_word_standing(w: Workspace) -> None:
    made = put(w, proposal())
    decided(w, made)
    decided(w, made, "skip", reviewer="Ben")
    assert of_item(w) == ALL


def test_another_persons_rejection_is_the_last_word(w: Workspace) -> None:
    made = put(w, proposal())
    decided(w, made)
    decided(w, made, "reject", reason="wrong_item", reviewer="Ben")
    assert of_item(w) == set()
    assert rejected_items(w) == {"mass-energy": ["Q35875"]}


def test_a_refuted_claim_is_remembered_without_an_item(w: Workspace) -> None:
    decided(w, put(w, proposal()), "reject", reason="wrong_item")
    (row,) = [row for row in representations(w) if row["reviewer"] == "Ada"]
    assert (row["qid"], row["tex"], row["not"]) == ("", "E=mc^2", ["Q35875"])


def test_a_bad_source_says_nothing_against_the_claim(w: Workspace) -> None:
    decided(w, put(w, proposal()), "reject", reason="bad_source")
    assert rejected_items(w) == {}
    assert {row["reviewer"] for row in representations(w)} == {""}


def test_another_item_of_the_concept_keeps_its_rows(w: Workspace) -> None:
    one, other = put(w, proposal()), put(w, proposal("claim-2", qid="Q11379"))
    decided(w, one)
    decided(w, other)
    decided(w, other, "withdraw")
    assert of_item(w) == ALL
    assert of_item(w, "Q11379") == set()


def test_an_edited_formula_is_a_representation_too(w: Workspace) -> None:
    decided(w, put(w, proposal()), tex="E = m c^{2}")
    assert ("E = m c^{2}", "K1", "a/Energy", 4, "Ada") in of_item(w)


def test_an_undone_edit_takes_the_item_back(w: Workspace) -> None:
    made = put(w, proposal())
    decided(w, made)
    remove_undone(w, made.id)
    assert of_item(w) == set()
    remove_undone(w, "unknown")


def test_a_concept_that_is_no_longer_in_the_corpus_leaves_the_claimed_formula(w: Workspace) -> None:
    decided(w, put(w, proposal(concept="gone")))
    assert of_item(w) == {("E=mc^2", "K0", "a/Energy", 4, "Ada")}


def test_a_decision_that_fails_leaves_no_representation(w: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    made = put(w, proposal(expires="2000-01-01"))
    with pytest.raises(ReviewError, match="expired"):
        decided(w, made)

    def broken(*_: object) -> None:
        raise sa.exc.OperationalError("insert", {}, Exception("disk full"))

    monkeypatch.setattr("bot.review.fcdb._upsert", broken)
    with pytest.raises(sa.exc.OperationalError):
        decided(w, put(w, proposal("claim-2")))
    assert of_item(w) == set()
    assert w.rows(sa.select(store.decisions)) == []


def test_items_get_the_representations_of_their_own_once() -> None:
    items = [{"qid": "Q1", "formulas": ["a=b"], "label": "x"}, {"qid": "Q2", "label": "y"}]
    known = [{"qid": "Q1", "tex": "a=b"}, {"qid": "Q1", "tex": "b=a"}, {"qid": "Q9", "tex": "c=d"}]
    rows = list(with_representations(items, known))
    assert [row["formulas"] for row in rows] == [["a=b", "b=a"], []]
    assert rows[0]["label"] == "x"


def test_a_list_is_levelled_against_what_stands_on_the_item_and_joins_its_concept(w: Workspace, tmp_path: Path) -> None:
    item = Item("Q35875", statements=(Statement("g", "P2534", "E=mc^2"), Statement("h", "P31", "Q1")))
    with w.engine.begin() as db:
        db.execute(store.items.insert().values(qid="Q35875", revision=1, record=as_json(item)))
    (tmp_path / "l.jsonl").write_text('{"qid": "Q35875", "tex": "mc^2 = E"}\n{"qid": "Q1", "tex": "<"}\n', "utf-8")
    done = import_list(w, tmp_path / "l.jsonl", "Ada")
    assert (done.new, done.known, done.refused) == (2, 0, ())
    assert of_item(w) == {("mc^2 = E", "K1", "l.jsonl", 0, "Ada")}


def test_a_withdrawal_leaves_what_a_list_says(w: Workspace, tmp_path: Path) -> None:
    made = put(w, proposal())
    decided(w, made)
    (tmp_path / "l.jsonl").write_text('{"qid": "Q35875", "tex": "mc^2 = E"}\n', "utf-8")
    import_list(w, tmp_path / "l.jsonl", "Ada")
    assert {row["concept"] for row in representations(w) if row["qid"]} == {"mass-energy"}
    decided(w, made, "withdraw")
    assert {tex for tex, *_ in of_item(w)} == {"mc^2 = E"}
