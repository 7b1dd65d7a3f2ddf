"""Twenty reviewers at once on one queue, on SQLite and on MariaDB: no word is lost, none is doubled."""

from __future__ import annotations

import os
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
import sqlalchemy as sa
from mariadb_server import mariadb
from web_records import SignedIn, fill, proposal, signed_in

from bot import store
from bot.errors import ReviewError
from bot.records import Decision
from bot.review import add_reviewer
from bot.review.web import queue_selection
from bot.review.web.queue_filters import Filter
from bot.review.web.queue_index import QueueIndex
from bot.review.web.recording import record_decision
from bot.store import Workspace

PEOPLE, WORDS = 20, 2000 if os.environ.get("FORMULA_BOT_LONG") else 60


@pytest.fixture(scope="module", params=["sqlite", "mariadb"])
def database(request: pytest.FixtureRequest) -> Iterator[str]:
    if request.param == "sqlite":
        yield ""
        return
    with mariadb() as address:
        yield address


@pytest.fixture
def servers(database: str, tmp_path: Path) -> Iterator[list[Workspace]]:
    """Two servers on one database, with a queue for all."""
    with (
        Workspace.open(tmp_path / "w", database=database) as one,
        Workspace.open(tmp_path / "w", database=database) as other,
    ):
        with one.engine.begin() as db:
            for table in reversed(store.tables.sorted_tables):
                db.execute(table.delete())
        fill(one, [replace(proposal(n), id=f"{n:016x}", hash=f"hash {n}") for n in range(WORDS)])
        for n in range(PEOPLE):
            add_reviewer(one, f"P{n}")
        yield [one, other]


def at_once(number: int, act: Callable[[int], None]) -> None:
    """Run something in so many threads and raise what any of them raised."""
    failed: list[BaseException] = []

    def run(n: int) -> None:
        try:
            act(n)
        except BaseException as error:
            failed.append(error)

    threads = [threading.Thread(target=run, args=(n,)) for n in range(number)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failed:
        raise failed[0]


def decisions(w: Workspace) -> list[tuple[str, str]]:
    return [(row["proposal"], row["reviewer"]) for row in w.rows(sa.select(store.decisions))]


def test_twenty_reviewers_share_a_queue(servers: list[Workspace]) -> None:
    indexes = [QueueIndex(w) for w in servers]
    indexes[0].refresh(now=True)
    said: Counter[str] = Counter()
    lock = threading.Lock()

    def review(n: int) -> None:
        w, index, me = servers[n % 2], indexes[n % 2], f"P{n}"
        after = ""
        while id_ := queue_selection.next_for(w, Filter(), me, after) or (
            after and queue_selection.next_for(w, Filter(), me)
        ):
            record_decision(
                w, index, Decision(id_, f"hash {int(id_, 16)}", "approve" if n % 3 else "unsure", reviewer=me), 0
            )
            after = id_
            with lock:
                said[id_] += 1

    at_once(PEOPLE, review)
    recorded = Counter(p for p, _ in decisions(servers[0]))
    assert recorded == said
    assert sum(recorded.values()) == WORDS == len(recorded)
    # Threads that start late on a busy machine may find nothing left.
    assert len({reviewer for _, reviewer in decisions(servers[0])}) > 1
    found = queue_selection.counts_by_state(servers[1])
    assert found["approved"] + found["unsure"] == WORDS


def test_of_twenty_words_on_one_proposal_one_is_recorded(servers: list[Workspace]) -> None:
    indexes = [QueueIndex(w) for w in servers]
    indexes[0].refresh(now=True)
    taken: Counter[str] = Counter()
    lock = threading.Lock()

    def rush(n: int) -> None:
        for at in range(15):
            try:
                record_decision(
                    servers[n % 2], indexes[n % 2], Decision(f"{at:016x}", f"hash {at}", "approve", reviewer=f"P{n}"), 0
                )
            except ReviewError:
                continue
            with lock:
                taken[f"{at:016x}"] += 1

    at_once(PEOPLE, rush)
    assert taken == Counter(f"{at:016x}" for at in range(15))
    assert Counter(p for p, _ in decisions(servers[0])) == taken


def test_the_pages_work_on_either_database(servers: list[Workspace]) -> None:
    ada: SignedIn = signed_in(servers[0], "P0")
    for path in (
        "/",
        "/?q=hub&corpus=lectures&order=learn&state=all",
        "/statistics",
        "/formulas",
        "/formulas/free-0",
        "/item/Q35875",
        "/packets/out.csv",
    ):
        assert ada.get(path)
    assert ada.decide(f"{0:016x}", "approve").status_code == 303
    assert ada.post("/undo").status_code == 303
    ada.get("/formulas/free-0")
    assert ada.post("/formulas/free-0", pick="Q35875").status_code == 303
    assert ada.get("/statistics")
