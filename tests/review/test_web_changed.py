"""A formula that was edited into another one is confirmed with its references; a second formula of an item is said to be one."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from web_records import SignedIn, opened, proposal, signed_in

from bot import store
from bot.review.decide import shown_dollars
from bot.review.queue_rules import change_rules
from bot.store import Workspace

ONE = f"{0:016x}"  # v = H_0 d


def decisions(w: Workspace) -> list[tuple[str, str, list[str]]]:
    rows = w.rows(sa.select(store.decisions).order_by(store.decisions.c.n))
    return [(row["verdict"], row["tex"], row["references"]) for row in rows]


def test_another_formula_is_confirmed_and_each_reference_ticked_for_it(w: Workspace, ada: SignedIn) -> None:
    asked = ada.decide(ONE, "approve_edited", tex="E = mc^2")
    html = asked.get_data(True)
    assert (asked.status_code, decisions(w)) == (409, [])
    assert "This is another formula than the sources hold" in html
    assert 'name="reference"' in html
    assert not re.findall(r'name="reference" value="\d+" checked', html)
    assert 'name="confirmed" value="E = mc^2"' in html
    assert 'value="approve_changed"' in html
    assert not re.search(r'name="verdict" value="approve"', html)  # no key and no resting pointer confirms it
    assert "E = mc^2</textarea>" in html

    none = ada.decide(ONE, "approve_changed", tex="E = mc^2", confirmed="E = mc^2", reference=[])
    assert "no reference is left" in none.get_data(True)
    other = ada.decide(ONE, "approve_changed", tex="E = mc^3", confirmed="E = mc^2")  # confirmed was another one
    assert (other.status_code, decisions(w)) == (409, [])
    done = ada.decide(ONE, "approve_changed", tex="E = mc^2", confirmed="E = mc^2", reference=["1"])
    assert done.status_code == 303
    assert decisions(w) == [("approve", "E = mc^2", ["reject", "approve"])]


@pytest.mark.parametrize("tex", [r"v = H_0 \, d", "v=H_{0}d"])
def test_the_same_formula_in_other_spelling_is_asked_for_once(w: Workspace, ada: SignedIn, tex: str) -> None:
    assert ada.decide(ONE, "approve_edited", tex=tex).status_code == 303
    assert decisions(w) == [("approve", tex, ["approve", "approve"])]


def test_what_the_wiki_would_refuse_is_refused_before_it_is_confirmed(w: Workspace, ada: SignedIn) -> None:
    html = ada.decide(ONE, "approve_edited", tex=r"\notamacro{x}").get_data(True)
    assert "would refuse" in html
    assert 'name="confirmed"' not in html


def test_dollar_signs_are_no_part_of_an_edited_formula(w: Workspace, ada: SignedIn) -> None:
    ada.get(f"/p/{ONE}")
    shown = ada.client.post("/preview", data={"csrf": ada.csrf, "proposal": ONE, "tex": "$v=H_0d$"}).get_data(True)
    assert "leave them out" in shown
    assert "accepts it" not in shown
    assert "leave them out" in ada.decide(ONE, "approve_edited", tex="$v=H_0d$").get_data(True)
    assert decisions(w) == []
    assert all(map(shown_dollars, ("$$a=b$$", "a=$b", r"a\\$b")))
    assert not any(map(shown_dollars, (r"a=5\$", r"a\\\$", "a=b")))


# -- a second formula of one item
@pytest.fixture
def two(tmp_path: Path) -> Any:
    """Two formulas of one item, and one of another item."""
    made = [proposal(0), proposal(1, qid="Q179916"), proposal(2)]
    with opened(tmp_path / "two", "Ada", "Ben", proposals=made) as workspace:
        yield workspace


def test_the_card_says_that_a_second_formula_is_added_beside_the_first(two: Workspace) -> None:
    ada = signed_in(two, "Ada")
    other = f"{1:016x}"
    assert "added beside it" not in ada.get(f"/p/{other}")
    ada.decide(ONE, "approve")
    html = ada.get(f"/p/{other}")
    assert "Another formula of this item is approved already" in html
    assert "added beside it" in html.split('value="approve"')[0]
    assert "added beside it" not in ada.get(f"/p/{2:016x}")
    with two.engine.begin() as db:
        db.execute(store.edits.insert().values(proposal=ONE, outcome="written", decision=1, undo=""))
    assert "is written already" in ada.get(f"/p/{other}")
    assert ada.decide(other, "approve").status_code == 303


def test_a_second_formula_is_not_approved_with_others_unseen(two: Workspace) -> None:
    ada = signed_in(two, "Ada")
    boxes = re.findall(r'name="chosen" value="([^"]+)"', ada.get("/"))
    ada.post("/batch", chosen=boxes)
    assert [verdict for verdict, _, _ in decisions(two)] == ["approve"] * 2
    assert "needs a look of its own" in ada.get("/")


def test_a_first_decision_that_is_hidden_is_not_told_by_the_card_of_another_formula(two: Workspace) -> None:
    change_rules(two, {"blind": "1"})
    signed_in(two, "Ben").decide(ONE, "approve")
    assert "added beside it" not in signed_in(two, "Ada").get(f"/p/{1:016x}")
