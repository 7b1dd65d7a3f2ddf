"""The queue's table follows the workspace: words, edits, proposals; a restart begins where the last one ended."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from web_records import dozen, opened, proposal, signed_in

from bot import store
from bot.records import Decision, as_json
from bot.review import decide
from bot.review.proposal_state import Terms
from bot.review.queue_rules import Rules, change_rules
from bot.review.web import queue_index as following
from bot.review.web import queue_selection
from bot.review.web.queue_filters import Filter
from bot.review.web.queue_index import QueueIndex, words_of
from bot.store import Workspace

ONE, OTHER = f"{0:016x}", f"{1:016x}"


def state(w: Workspace, id_: str) -> str:
    row = queue_selection.row_of(w, id_)
    return row.state if row else ""


def word(n: int, verdict: str = "approve", **values: Any) -> Decision:
    return Decision(f"{n:016x}", dozen()[n].hash, verdict, reviewer="Ada", **values)


def edit(w: Workspace, outcome: str, undo_state: str = "") -> None:
    with w.engine.begin() as db:
        db.execute(store.edits.delete())
        db.execute(
            store.edits.insert().values(proposal=ONE, outcome=outcome, decision=1, undo_state=undo_state, reason="")
        )


def look(w: Workspace) -> None:
    QueueIndex(w).refresh(now=True)


def test_every_batch_is_told(w: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(following, "PROPOSALS_PER_TRANSACTION", 5)
    told: list[tuple[float, str]] = []
    QueueIndex(w).refresh(now=True, advance=lambda step, note: told.append((step, note)))
    assert told == [(5, "of 12"), (5, "of 12"), (2, "of 12")]
    assert sum(queue_selection.counts_by_state(w).values()) == 12


def test_a_restart_does_not_go_through_old_words_again(w: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(following, "DECISIONS_READ_AGAIN", 2)
    look(w)
    for n in range(9):
        decide(w, word(n))
    look(w)
    seen: list[str] = []
    again = QueueIndex(w)
    monkeypatch.setattr(again, "update", seen.extend)
    again.refresh(now=True)
    assert len(seen) <= 3
    assert queue_selection.counts_by_state(w)["approved"] == 9


def test_a_word_that_is_committed_late_is_followed_within_a_hundred_numbers(w: Workspace) -> None:
    index, table = QueueIndex(w), store.decisions
    index.refresh(now=True)
    for n, number in enumerate((200, 100, 101)):
        decide(w, word(n))
        with w.engine.begin() as db:
            newest = sa.select(sa.func.max(table.c.n)).scalar_subquery() if n == 0 else sa.literal(201)
            db.execute(table.update().where(table.c.n == newest).values(n=number))
        index.refresh()
    assert [state(w, f"{n:016x}") for n in range(3)] == ["approved", "open", "approved"]


def test_four_hundred_at_a_time_are_worked_out_in_the_order_of_their_ids(
    w: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    parts: list[list[str]] = []
    index = QueueIndex(w)
    monkeypatch.setattr(index, "_update", lambda part: parts.append(list(part)))
    ids = [f"{n:03}" for n in range(401)]
    index.update(set(ids))
    assert parts == [ids[:400], ids[400:]]


def test_under_another_rule_every_word_counts_anew(w: Workspace) -> None:
    index = QueueIndex(w)
    index.refresh(now=True)
    decide(w, word(0))
    index.refresh()
    assert state(w, ONE) == "approved"
    change_rules(w, {"two_persons": "true"})
    index.refresh()
    assert state(w, ONE) == "second"
    change_rules(w, {"two_persons": "false"})
    look(w)
    assert state(w, ONE) == "approved"


def test_the_order_in_which_people_are_known_is_no_other_rule(w: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    index, told = QueueIndex(w), set()
    for people in (("Ada", "Ben"), ("Ben", "Ada")):
        made = Terms(Rules(blind=0.5), people, people, False)  # type: ignore[arg-type]  # in that order
        monkeypatch.setattr(following, "terms", lambda _, made=made: made)
        told.add(index._terms())
    assert len(told) == 1
    for other in (Terms(Rules(blind=0.5), frozenset(["Ada"]), frozenset(["Ada", "Ben"]), False), Terms(Rules(blind=0.5), frozenset(["Ada", "Ben"]), frozenset(["Ada"]), False)):  # fmt: skip
        monkeypatch.setattr(following, "terms", lambda _, made=other: made)
        told.add(index._terms())
    assert len(told) == 3


def test_what_becomes_of_an_edit_is_followed(w: Workspace) -> None:
    look(w)
    decide(w, word(0))
    look(w)
    for outcome, undo, then in (
        ("pending", "", "approved"),
        ("written", "", "written"),
        ("written", "undone", "open"),
        ("written", "", "written"),
        ("refused", "", "open"),
    ):
        edit(w, outcome, undo)
        look(w)
        assert state(w, ONE) == then, (outcome, undo)


def test_an_edit_that_is_written_without_a_decision_in_the_queue_is_found(w: Workspace) -> None:
    look(w)
    edit(w, "written")
    look(w)
    assert state(w, ONE) == "written"


def test_a_running_page_sees_an_edit_at_once(w: Workspace) -> None:
    index = QueueIndex(w)
    index.refresh(now=True)
    decide(w, word(0))
    index.refresh()
    edit(w, "written")
    index.refresh()
    assert state(w, ONE) == "written"


def test_proposals_come_change_and_go(w: Workspace) -> None:
    look(w)
    decide(w, word(0))
    decide(w, word(1))
    table = store.proposals
    changed = as_json(proposal(0, hash="another", tex="v = H d"))
    with w.engine.begin() as db:
        db.execute(table.update().where(table.c.id == ONE).values(hash="another", record=changed))
        db.execute(table.delete().where(table.c.id == OTHER))
    look(w)
    row = queue_selection.row_of(w, ONE)
    assert row is not None
    assert (row.state, row.tex, row.label) == ("open", "v = H d", "Hubble's law")
    assert queue_selection.row_of(w, OTHER) is None
    assert not w.rows(sa.select(store.queue_tags).where(store.queue_tags.c.proposal == OTHER))


def test_a_queue_of_another_shape_is_made_anew(w: Workspace) -> None:
    look(w)
    w.put("review_queue", 1)
    with w.engine.begin() as db:
        db.execute(store.queue_tags.delete())
    look(w)
    assert [row.id for row in queue_selection.rows(w, Filter(q="hubble"), "Ada")] == [ONE]


def test_words_of_an_item_are_kept_once_and_without_accents(tmp_path: Path) -> None:
    assert words_of("Poincaré–Birkhoff–Witt theorem, E₈") == ["poincare", "birkhoff", "witt", "theorem", "e8"]
    several = [proposal(0), proposal(10, qid="Q179916")]
    with opened(tmp_path / "w", "Ada", proposals=several) as w:
        look(w)
        tags = store.queue_tags.c
        words = w.rows(sa.select(tags.tag, tags.proposal).where(tags.tag >= "word:").order_by(tags.tag))
        assert [(r["tag"], r["proposal"]) for r in words] == [
            (f"word:{each}", "Q179916") for each in ("hubble", "law", "s")
        ]
        assert len(queue_selection.rows(w, Filter(q="Húbble"), "Ada")) == 2


@pytest.mark.parametrize("rare", [0, 2, 2000])
@pytest.mark.parametrize(
    ("asked", "found"),
    [("law", 4), ("la", 4), ("law newton", 1), ("law ohm hooke", 0), ("zzz", 0), ("?", 0), ("equation schr", 1)],
)
def test_a_search_finds_the_same_by_rare_and_by_frequent_words(
    w: Workspace, monkeypatch: pytest.MonkeyPatch, rare: int, asked: str, found: int
) -> None:
    monkeypatch.setattr(queue_selection, "RARE_WORD", rare)
    look(w)
    chosen = Filter(q=asked)
    rows = queue_selection.rows(w, chosen, "Ada")
    assert len(rows) == queue_selection.count(w, chosen, "Ada") == found
    assert [r.probability for r in rows] == sorted((r.probability for r in rows), reverse=True)
    for row in rows[1:]:
        assert queue_selection.rows(w, chosen, "Ada", after=rows[0].id)[0].id == rows[1].id
        assert row.label


def test_a_search_that_finds_many_says_so(w: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    from bot.review.web import pages_queue

    monkeypatch.setattr(queue_selection, "MAX_COUNTED", 2)
    monkeypatch.setattr(pages_queue, "PAGE", 2)
    assert "2+ proposals" in signed_in(w, "Ada").get("/?q=law")


def test_many_words_are_counted_anew_while_the_page_goes_on(w: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(following, "MAX_UPDATED_AT_ONCE", 1)
    index = QueueIndex(w)
    for n in range(4):
        decide(w, word(n))
    index.refresh(now=True)
    assert queue_selection.counts_by_state(w)["approved"] == 4  # the first time it waits
    change_rules(w, {"two_persons": "true"})
    before = set(threading.enumerate())
    index.refresh()
    for thread in set(threading.enumerate()) - before:
        thread.join(600)
    assert queue_selection.counts_by_state(w)["second"] == 4
    assert w.get("review_followed")["last"] == 4
