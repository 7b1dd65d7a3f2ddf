"""Every fault that a wiki, a network, a disk or another person can make: for a new claim, for a source alone, and for
the source of a claim that somebody else made after the plan.

Afterwards the item is right, the outcome has a name, nothing was asked again and again, and a second run changes nothing.
"""

from __future__ import annotations

import contextlib
import functools
import itertools
import os
import sqlite3
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import pytest
import sqlalchemy as sa
from rehearsal import (
    REFERENCE,
    Looks,
    Time,
    adds,
    approve,
    changes,
    claims,
    formulas,
    labels,
    no_row_is_open,
    policy,
    put,
    removes,
    removes_sources,
)

from bot import hashchain as chain
from bot.errors import WriteStopped
from bot.sandbox import Sandbox
from bot.settings import Settings
from bot.store import Workspace
from bot.write import Plan, apply, item_state, ledger, make_plan, payload
from bot.write.session import connect
from bot.write.wiki_protocol import WikiSession

ITEM, OTHER, TEX = "Q41273", "Q179916", "p=mv"
SETTINGS = Settings()
KINDS = ("new_claim", "add_reference", "source_only")


class Case:
    """One item, one approved edit of one kind, a plan for it, and a session through pywikibot."""

    def __init__(self, workspace: Workspace, sandbox: Sandbox, session: WikiSession, kind: str) -> None:
        self.workspace, self.sandbox, self.session, self.kind = workspace, sandbox, session, kind
        self.time = Time()
        self.before = adds(sandbox, ITEM, TEX) if kind == "add_reference" else ""
        planned: Any = "add_reference" if kind == "add_reference" else "new_claim"
        approve(workspace, put(workspace, ITEM, TEX, kind=planned, statement=self.before))
        self.plan: Plan = make_plan(workspace, Looks(sandbox), sandbox.wiki, SETTINGS)  # type: ignore[arg-type]
        self.claims = kind == "new_claim"
        assert [e.kind for e in self.plan.entries] == [planned]
        self.before = adds(sandbox, ITEM, TEX) if kind == "source_only" else self.before
        self.action = "wbsetclaim" if self.claims else "wbsetreference"
        self.writes = 0

    def run(self) -> tuple[str, str]:
        wiki_policy = policy(self.workspace, self.sandbox, self.time)
        ((_, outcome, reason),) = apply(
            self.workspace, self.plan, self.sandbox.wiki, SETTINGS, session=self.session, policy=wiki_policy
        )
        return outcome, reason

    def meanwhile(self, edit: Callable[[], object]) -> None:
        """Let somebody do something between our reading and our writing."""
        self.sandbox.fault("other_edit", on=self.action, edit=edit)

    def said(self) -> int:
        """How often the wiki says what we wanted to say."""
        entity = self.sandbox.entity(ITEM) or {}
        if self.claims:
            return formulas(self.sandbox, ITEM).count(TEX)
        wanted = item_state.reference_content(payload.reference(REFERENCE))
        references = [r for s in item_state.statements(entity).values() for r in s.get("references", ())]
        return [item_state.reference_content(r) for r in references].count(wanted)

    def ours(self) -> list[dict[str, Any]]:
        return [r for r in self.sandbox.history(ITEM) if r["user"] == "WikiBot"]

    def settled(self, outcome: str) -> None:
        """The ledger tells this outcome, its chain holds, and another run changes nothing."""
        assert no_row_is_open(self.workspace)
        assert ledger.ledger_rows(self.workspace)[-1].outcome == outcome
        assert list(chain.edit_discrepancies(self.workspace)) == []
        self.sandbox.clear_faults()
        edits = len(self.ours())
        if outcome != "failed":
            assert self.run()[0] == outcome
            assert len(self.ours()) == edits


def each_kind(faults: Iterable[str]) -> list[tuple[str, str]]:
    """Pair each fault with every kind of edit in the long run, and with one of them, by turns, in the ordinary run."""
    kinds = itertools.cycle(KINDS)
    return [
        (kind, fault) for fault in faults for kind in (KINDS if os.environ.get("FORMULA_BOT_LONG") else [next(kinds)])
    ]


@pytest.fixture(params=KINDS)
def case(request: pytest.FixtureRequest, workspace: Workspace) -> Iterator[Case]:
    with Sandbox() as sandbox:
        sandbox.fill([{"qid": ITEM, "label": "momentum"}, {"qid": OTHER, "label": "Hubble's law"}])
        session = connect(sandbox.wiki, SETTINGS, workspace.path / "pywikibot")
        counted = session._ask  # type: ignore[attr-defined]
        made = Case(workspace, sandbox, session, request.param)

        @functools.wraps(counted)
        def ask(**parameters: Any) -> Any:
            made.writes += "token" in parameters
            return counted(**parameters)

        session._ask = ask  # type: ignore[attr-defined]
        yield made
        assert made.writes <= 12, "a storm of requests"


TRANSIENT: dict[str, dict[str, Any]] = {
    "lost_before": {},
    "lost_reply": {},
    "too_many_requests": {"times": 3, "retry_after": 37},
    "http_502": {"times": 2},
    "session_lost": {},
    "bad_token": {},
    "truncated_json": {},
    "garbled_json": {},
    "ratelimit": {"times": 2},
    "readonly": {"times": 2},
    "database_locked": {"times": 2},
}


STAYING = ("lost_before", "http_502", "database_locked", "too_many_requests", "readonly")


@pytest.mark.parametrize(("case", "fault"), each_kind(TRANSIENT), indirect=["case"])
def test_a_fault_that_passes_leaves_one_statement(case: Case, fault: str) -> None:
    case.sandbox.fault(fault, on=case.action, **TRANSIENT[fault])
    assert case.run()[0] == "written"
    assert case.said() == 1
    assert len(case.ours()) == 1
    if fault == "too_many_requests":
        assert case.time.slept >= 3 * 37
    case.settled("written")


@pytest.mark.parametrize(("case", "fault"), each_kind(STAYING), indirect=["case"])
def test_a_fault_that_stays_is_a_failure_with_a_name_and_few_requests(case: Case, fault: str) -> None:
    case.sandbox.fault(fault, times=None, on=case.action)
    outcome, reason = case.run()
    assert outcome == "failed"
    assert reason
    assert case.said() == 0
    case.settled("failed")
    assert case.run()[0] == "written"  # the failed one alone, when the wiki is well again
    assert case.said() == 1


def test_lag_for_a_minute_is_waited_out(case: Case) -> None:
    case.sandbox.fault("lag", times=None, on=case.action, lag=12)
    case.time.on_sleep = lambda slept: case.sandbox.clear_faults() if slept >= 60 else None
    wiki_policy = policy(case.workspace, case.sandbox, case.time)
    wiki_policy._retry_delays = (5.0, 10.0, 20.0, 40.0, 80.0)  # as on a wiki that is not a rehearsal
    apply(case.workspace, case.plan, case.sandbox.wiki, SETTINGS, session=case.session, policy=wiki_policy)
    assert 60 <= case.time.slept <= 160
    assert case.said() == 1
    case.settled("written")


def test_somebody_edits_something_else_in_between(case: Case) -> None:
    case.meanwhile(lambda: labels(case.sandbox, ITEM, "Impuls"))
    assert case.run()[0] == "written"
    assert (case.sandbox.entity(ITEM) or {})["labels"]["de"]["value"] == "Impuls"
    assert case.said() == 1
    (row,) = ledger.ledger_rows(case.workspace)
    assert row.revision == case.ours()[-1]["id"]
    case.settled("written")


def test_somebody_adds_a_formula_in_between(case: Case) -> None:
    case.meanwhile(lambda: adds(case.sandbox, ITEM, "p = m v"))
    outcome, reason = case.run()
    if not case.claims:
        assert outcome == "written"
        assert case.said() == 1
        return
    assert (outcome, "same moment" in reason) == ("refused", True)
    assert formulas(case.sandbox, ITEM) == ["p = m v"]
    case.settled("refused")


def test_somebody_changes_a_statement_in_between(case: Case) -> None:
    guid = case.before or adds(case.sandbox, OTHER, "v=HD")
    case.meanwhile(lambda: changes(case.sandbox, guid, "p = 2mv"))
    outcome, reason = case.run()
    if case.claims:
        assert outcome == "written"
        return
    assert (outcome, "same moment" in reason) == ("refused", True)
    assert formulas(case.sandbox, ITEM) == ["p = 2mv"]
    assert case.said() == 0
    case.settled("refused")


@pytest.mark.parametrize("lost", ["lost_reply", "truncated_json"])
def test_what_somebody_removes_before_the_retry_is_never_put_back(case: Case, lost: str) -> None:
    case.sandbox.fault(lost, on=case.action)
    read, seen = case.session.entity, []

    def somebody_is_faster(qid: str) -> Any:
        if case.said() and not seen:
            seen.append(qid)
            found = claims(case.sandbox, ITEM)[0]
            removes(case.sandbox, found["id"]) if case.claims else removes_sources(case.sandbox, found)
        return read(qid)

    case.session.entity = somebody_is_faster  # type: ignore[method-assign]
    outcome, reason = case.run()
    assert (outcome, "never put back" in reason) == ("refused", True)
    assert case.said() == 0
    assert len(case.ours()) == 1
    case.settled("refused")


@pytest.mark.parametrize("what", ["merge", "delete", "protect"])
def test_the_item_is_taken_away_in_between(case: Case, what: str) -> None:
    acts: dict[str, Callable[[], object]] = {
        "merge": lambda: case.sandbox.merge(ITEM, OTHER),
        "delete": lambda: case.sandbox.delete(ITEM),
        "protect": lambda: case.sandbox.protect(ITEM),
    }
    case.meanwhile(acts[what])
    outcome, reason = case.run()
    assert outcome == "refused"
    assert any(word in reason for word in ("redirect", "no-such-entity", "protected")), reason
    assert case.ours() == []
    assert no_row_is_open(case.workspace)
    assert case.run()[0] == "refused"


def test_a_block_in_between_stops_the_run(case: Case) -> None:
    case.sandbox.fault("block", on=case.action)
    with pytest.raises(WriteStopped, match="block"):
        case.run()
    with pytest.raises(WriteStopped, match="blocked: rehearsed block"):  # asked before anything is sent
        case.run()
    assert case.said() == 0
    case.sandbox.unblock("WikiBot")
    assert case.run()[0] == "written"


@pytest.mark.parametrize("moment", ["before", "after"])
def test_our_disk_is_full(case: Case, moment: str) -> None:
    if moment == "before":
        _fill(case.workspace)
    else:
        case.meanwhile(lambda: _fill(case.workspace))
    with pytest.raises(sa.exc.OperationalError, match="full"):
        case.run()
    assert case.said() == (moment == "after")
    _make_room(case.workspace)
    assert case.run()[0] == "written"
    assert case.said() == 1
    case.settled("written")


@pytest.mark.parametrize("moment", ["before", "after"])
def test_our_database_is_locked(case: Case, moment: str) -> None:
    sa.event.listen(case.workspace.engine, "checkout", _impatient)
    with contextlib.closing(
        sqlite3.connect(case.workspace.path / "bot.db", isolation_level=None, check_same_thread=False)
    ) as other:
        if moment == "before":
            other.execute("BEGIN IMMEDIATE")
        else:
            case.meanwhile(lambda: other.execute("BEGIN IMMEDIATE"))
        with pytest.raises(sa.exc.OperationalError, match="locked"):
            case.run()
        other.execute("ROLLBACK")
    assert case.said() == (moment == "after")
    assert case.run()[0] == "written"
    assert case.said() == 1
    case.settled("written")


def _impatient(connection: Any, *_: Any) -> None:
    connection.execute("PRAGMA busy_timeout=20")


def _full(connection: Any, *_: Any) -> None:
    (pages,) = connection.execute("PRAGMA page_count").fetchone()
    connection.execute(f"PRAGMA max_page_count={pages}")


def _fill(workspace: Workspace) -> None:
    """Leave no room in the database file: every link of the chain wants a page that cannot be had."""
    with workspace.engine.begin() as db:
        db.execute(sa.text("CREATE TABLE ballast(filler)"))
        db.execute(
            sa.text(
                "CREATE TRIGGER heavy BEFORE INSERT ON chain BEGIN INSERT INTO ballast VALUES(zeroblob(65536)); END"
            )
        )
    workspace.engine.dispose()
    sa.event.listen(workspace.engine, "connect", _full)


def _make_room(workspace: Workspace) -> None:
    sa.event.remove(workspace.engine, "connect", _full)
    workspace.engine.dispose()
    with workspace.engine.begin() as db:
        db.execute(sa.text("DROP TRIGGER heavy"))
