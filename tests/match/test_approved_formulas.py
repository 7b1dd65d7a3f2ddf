"""What people accepted in a workspace is recognised in its next match and discover, with the built-in list or without."""

from __future__ import annotations

import json
import pickle
from pathlib import Path
from typing import Any

import pytest
from cli_runner import call

from bot import store
from bot.match.builtin import Concept, builtin_formulas
from bot.match.builtin.workspace_formulas import workspace_entries
from bot.match.retrieval.known_concepts import ConceptIndex, _concepts_with_own, builtin_concepts, known_concepts
from bot.records import Item, as_json
from bot.settings import Matching, Settings
from bot.store import Workspace

ITEMS = [
    {"qid": "Q77", "label": "Froth law", "aliases": [], "formulas": [], "instance_of": []},
    {"qid": "Q78", "label": "barrel", "aliases": [], "formulas": [], "instance_of": []},
]
LAW = "'''Froth law''' is a law.\nThe '''froth law''' reads\n:<math>\\Phi = \\frac{\\chi \\xi^3}{1 + \\beta \\xi}</math>\n"
BARRELS = "'''Barrels''' are made of wood.\nOne finds\n:<math>W = \\frac{a q^3}{1 + b q}</math>\nand so on.\n"


def corpus(folder: Path, title: str, text: str) -> Path:
    folder.mkdir()
    for n in (1, 2):
        (folder / f"{title} {n}.txt").write_text(text, encoding="utf-8")
    return folder


def read(w: Path, items: Path, *sources: Path) -> dict[str, Any]:
    """Discover and match without the built-in list; return the match of the formula of barrels with the froth law, if there is one."""
    call("discover", *sources, "--items", items, "-w", w, "--no-builtin").well()
    call("match", "--items", items, "-w", w, "--no-builtin").well()
    rows = call("export", "matches", "-w", w).well().rows
    return next((row for row in rows if row["tex"].startswith("W") and row["qid"] == "Q77"), {})


def test_an_approved_formula_is_recognised_in_the_next_match_and_discover(tmp_path: Path) -> None:
    w, items = tmp_path / "w", tmp_path / "items.jsonl"
    items.write_text("".join(json.dumps(row) + "\n" for row in ITEMS), encoding="utf-8")
    law, barrels = corpus(tmp_path / "a", "Froth law", LAW), corpus(tmp_path / "b", "Barrel", BARRELS)
    assert read(w, items, law, barrels) == {}
    source = '[[proposing.sources]]\ndocuments = "*"\nurl = "https://example.org/{path}"\n'
    settings = f"[proposing]\npropose_from = 0.1\nlow_below = 0.2\n{source}"
    (w / "settings.toml").write_text(settings, encoding="utf-8")
    call("propose", "-w", w).well()
    (claim,) = (row for row in call("export", "proposals", "-w", w).well().rows if row["qid"] == "Q77")
    call("review", "add-reviewer", "Ada", "-w", w).well()
    call("review", "approve", claim["id"], "--reviewer", "Ada", "-w", w).well()
    found = read(w, items, law, barrels)
    (own,) = (each for each in found["evidence"] if each["name"] == "handbook")
    assert own["code"] == "evidence.handbook.own"
    assert own["values"] == {"tex": claim["tex"]}
    names = next(row for row in call("export", "concepts", "-w", w).well().rows if row["tex"].startswith("W"))["names"]
    (name,) = (name for name in names if name["name"] == "Froth law")
    assert "the same or a similar formula was accepted in this workspace for Q77" in name["reasons"]
    call("review", "reject", claim["id"], "--reviewer", "Ada", "--reason", "wrong_formula", "-w", w).well()
    assert read(w, items, law, barrels) == {}


@pytest.fixture
def curated(workspace: Workspace, tmp_path: Path) -> Workspace:
    path = tmp_path / "list.jsonl"
    rows = [
        {"qid": "Q11402", "tex": r"F = \frac{\zeta^{7}}{\xi + \chi}"},
        {"qid": "Q9999", "tex": r"\Upsilon = \sqrt{\Xi^5 + \Theta}"},
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    call("review", "add-reviewer", "Ada", "-w", workspace.path).well()
    call("representations", "import", path, "--reviewer", "Ada", "-w", workspace.path).well()
    return workspace


def test_a_curated_formula_stands_beside_those_of_the_list(curated: Workspace) -> None:
    own, book = workspace_entries(curated, {"Q11402": builtin_formulas()["Q11402"]})
    known = ConceptIndex(book, own)
    assert known.formulas("Q11402") == (*builtin_formulas()["Q11402"].formulas, r"F = \frac{\zeta^{7}}{\xi + \chi}")
    assert (known.label("Q11402"), known.label("Q9999")) == ("force", "")
    assert [hit.qid for hit in known.recogniser.hits(r"\Upsilon = \sqrt{\Theta + \Xi^5}")][:1] == ["Q9999"]
    assert known.is_own("Q11402", r"F = \frac{\zeta^{7}}{\xi + \chi}")
    assert not known.is_own("Q11402", r"\mathbf{F} = m \mathbf{a}")


def test_without_the_list_the_workspace_s_own_formulas_are_all_that_is_known(curated: Workspace) -> None:
    known = known_concepts(curated, Settings(matching=Matching(builtin=False)))
    assert sorted(known.entries) == ["Q11402", "Q9999"]
    assert known.is_named("Q9999", ())


def test_on_another_wiki_the_item_of_the_workspace_stands_for_its_qid(workspace: Workspace) -> None:
    entry = Concept("Q77", "steam law", "x", ("a = b",), (), ())
    assert workspace_entries(workspace, {"Q77": entry}) == ({}, {"Q77": entry})


def test_an_entry_of_the_list_is_left_out_where_its_qid_is_another_item_here(workspace: Workspace) -> None:
    book = {qid: Concept(qid, label, "mechanics", ("F=ma",), (), ()) for qid, label in (("Q1", "force"), ("Q2", "mass"), ("Q3", "work"))}  # fmt: skip
    rows = [
        ("Q1", "a=b", "K0", "2026-01-02"), ("Q1", "b=a", "K2", "2026-01-01"), ("Q1", "a=b", "K3", "2026-01-03"), ("Q2", "m=n", "K0", "2026-01-01"), ("Q3", "w=z", "K0", "2026-01-01"), ("", "no=item", "K0", "2026-01-01"),
        ("Q4", "c=e", "K2", "2026-01-01"), ("Q4", "c=d", "K0", "2026-01-01"),
    ]  # fmt: skip
    names = ("id", "qid", "tex", "level", "added")
    with workspace.engine.begin() as db:
        table = store.representations
        db.execute(table.insert(), [dict(zip(names, (f"{n}", *row), strict=True)) | {"concept": "k"} for n, row in enumerate(rows)])  # fmt: skip
        met = [Item("Q1", "barrel"), Item("Q2", "", ("mass",)), Item("Q4", "")]
        db.execute(store.items.insert(), [{"qid": one.qid, "revision": 1, "record": as_json(one)} for one in met])
    own, left = workspace_entries(workspace, book)
    assert {qid: (one.label, one.formulas) for qid, one in own.items()} == {
        "Q1": ("barrel", ("b=a", "a=b")), "Q2": ("mass", ("m=n",)), "Q3": ("work", ("w=z",)), "Q4": ("", ("c=d", "c=e")),
    }  # fmt: skip
    assert (left, {one.field for one in own.values()}) == ({"Q2": book["Q2"], "Q3": book["Q3"]}, {"workspace"})


def test_the_index_is_built_again_once_it_was_given_back() -> None:
    known = ConceptIndex({"Q1": Concept("Q1", "force", "mechanics", ("F=ma",), (), ())})
    first = known.recogniser
    assert known.recogniser is first
    known.release()
    assert known.recogniser is not first


def test_a_process_has_one_index_of_what_is_known() -> None:
    own = (Concept("Q1", "force", "workspace", ("F=ma",), (), ()),)
    for known in (builtin_concepts(), _concepts_with_own(False, frozenset(), own)):
        packed = pickle.dumps(known)
        assert len(packed) < 1000
        assert pickle.loads(packed) is known
    other = pickle.loads(pickle.dumps(ConceptIndex({own[0].qid: own[0]})))
    assert other.hits("F=ma")[0].qid == "Q1"
