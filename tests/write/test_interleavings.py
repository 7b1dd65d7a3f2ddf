"""The writer and another editor at the same items, in every order that hypothesis can think of.

Between any two requests of ours somebody may add, change or remove statements and sources, ours too. No statement of
another is ever changed or lost, and what we say is said at most once. The normal run makes some fifty interleavings;
FORMULA_BOT_LONG=1 makes more than 10,000 (half an hour).
"""

from __future__ import annotations

import contextlib
import itertools
import re
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    rule,
    run_state_machine_as_test,
)
from rehearsal import (
    REFERENCE,
    SETTINGS,
    Direct,
    Looks,
    Time,
    adds,
    approve,
    by_hand,
    changes,
    policy,
    put,
    removes,
    undo,
)

from bot import hashchain as chain
from bot import store
from bot.errors import BotError, ReviewError
from bot.records import Reference
from bot.sandbox import Sandbox
from bot.settings import environment
from bot.store import Workspace
from bot.write import apply, item_state, ledger, make_plan, payload

LONG = bool(environment("LONG"))
ITEMS = 4
TEX = ("p=mv", "E=mc^2")
THEIRS = payload.reference(Reference((("P854", "url", "https://example.org/theirs"),)))
OURS = item_state.reference_content(payload.reference(REFERENCE))
TOTAL = [0]

# What the other editor does, and with which of what is there.
DEEDS = st.tuples(
    st.sampled_from(["add", "change", "remove", "remove", "source", "unsource", "label", "rank"]),
    st.integers(0, 3),
    st.sampled_from(TEX),
)
ITEM = st.integers(0, ITEMS - 1)
# At which request of ours (counted from 0) which deeds are done.
SCHEDULE = st.dictionaries(st.integers(0, 5), st.lists(DEEDS, min_size=1, max_size=2), min_size=1, max_size=3)


class Wiki:
    """One sandbox and one workspace for all examples; each example has items of its own."""

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory()
        self.sandbox = Sandbox()
        self.sandbox.fill([])
        self.workspace = Workspace.open(Path(self._folder.name) / "w")

    def begin(self) -> list[str]:
        with self.workspace.engine.begin() as db:
            for table in (store.proposals, store.decisions, store.plans, store.edits, chain.links):
                db.execute(sa.delete(table))
        qids = [f"Q{10_000 + n}" for n in range(ITEMS)]
        for qid in qids:
            self.sandbox.delete(qid)
        self.sandbox.fill([{"qid": qid, "label": qid} for qid in qids])
        return qids

    def close(self) -> None:
        self.workspace.close()
        self.sandbox.close()
        self._folder.cleanup()


class TwoEditors(RuleBasedStateMachine):
    wiki: Wiki

    @initialize()
    def begin(self) -> None:
        self.qids = self.wiki.begin()
        self.theirs: dict[str, dict[str, Any]] = {}  # what they last made of each statement that they made or touched
        self.gone: set[str] = set()  # what they removed
        self.requests: dict[int, list[Any]] = {}
        self.n = 0

    # The other hand

    def statement(self, qid: str, which: int) -> dict[str, Any] | None:
        found = list(item_state.statements(self.wiki.sandbox.entity(qid) or {}).values())
        return found[which % len(found)] if found else None

    def deed(self, qid: str, what: str, which: int, tex: str) -> None:
        sandbox, found = self.wiki.sandbox, self.statement(qid, which)
        guid = found["id"] if found else ""
        if what == "add":
            guid = adds(sandbox, qid, tex)
        elif what == "label":
            data = {"labels": {"de": {"language": "de", "value": tex}}}
            by_hand(sandbox, action="wbeditentity", id=qid, data=data)
            return
        elif found is None:
            return
        elif what == "change":
            changes(sandbox, guid, tex)
        elif what == "remove":
            removes(sandbox, guid)
            self.theirs.pop(guid, None)
            self.gone.add(guid)
            return
        elif what == "rank":
            by_hand(sandbox, action="wbsetclaim", claim={**found, "rank": "preferred"})
        elif what == "source":
            sandbox.act("PlainUser", action="wbsetreference", statement=guid, snaks=THEIRS["snaks"])
        elif what == "unsource":
            if not found.get("references"):
                return
            hash_ = found["references"][which % len(found["references"])]["hash"]
            by_hand(sandbox, action="wbremovereferences", statement=guid, references=hash_)
        now = item_state.statements(sandbox.entity(qid) or {})[guid]
        self.theirs[guid] = _without_ours(now)
        made = [r.payload for r in ledger.ledger_rows(self.wiki.workspace) if r.guid == guid]
        if any("mainsnak" in ours and not item_state.changed_parts(now, ours) for ours in made):
            del self.theirs[guid]  # changed and changed back: it is as we left it

    @rule(item=ITEM, deed=DEEDS)
    def somebody_does(self, item: int, deed: tuple[str, int, str]) -> None:
        self.deed(self.qids[item], *deed)

    # Our hand, with theirs in between

    def session(self, schedule: dict[int, list[tuple[str, int, str]]], item: int) -> Direct:
        count = itertools.count()

        def between(call: str) -> None:
            for deed in schedule.get(next(count), ()):
                self.deed(self.qids[item], *deed)
                self.met += 1

        return Direct(self.wiki.sandbox, between)

    def ours(self, act: Callable[[], object]) -> None:
        self.met = 0
        said = ""
        try:
            act()
        except BotError as error:
            said = str(error)
        TOTAL[0] += self.met > 0
        assert not re.search("did not only gain|changed more than", said), said

    @rule(item=ITEM, tex=st.sampled_from(TEX))
    def a_person_approves(self, item: int, tex: str) -> None:
        qid, workspace = self.qids[item], self.wiki.workspace
        found = self.statement(qid, 0)
        same = found is not None and found["mainsnak"]["datavalue"]["value"] == tex
        kind, guid = ("add_reference", found["id"]) if found and same else ("new_claim", "")
        with contextlib.suppress(ReviewError):  # it is written already
            approve(workspace, put(workspace, qid, tex, kind=kind, statement=guid))

    @rule(rounds=st.lists(st.tuples(ITEM, st.sampled_from(TEX), SCHEDULE), min_size=2, max_size=5))
    def we_write(self, rounds: list[Any]) -> None:
        wiki = self.wiki
        for item, tex, schedule in rounds:
            self.a_person_approves(item, tex)
            plan = make_plan(wiki.workspace, Looks(wiki.sandbox), wiki.sandbox.wiki, SETTINGS)  # type: ignore[arg-type]
            wiki_policy = policy(wiki.workspace, wiki.sandbox, Time())
            session = self.session(schedule, item)
            self.ours(
                lambda plan=plan, session=session, wiki_policy=wiki_policy: apply(  # type: ignore[misc]
                    wiki.workspace, plan, wiki.sandbox.wiki, SETTINGS, session=session, policy=wiki_policy
                )
            )
            self.all_holds()

    @rule(rounds=st.lists(st.tuples(ITEM, SCHEDULE), min_size=1, max_size=3))
    def we_undo(self, rounds: list[Any]) -> None:
        wiki = self.wiki
        for item, schedule in rounds:
            wiki_policy = policy(wiki.workspace, wiki.sandbox, Time())
            session = self.session(schedule, item)
            self.ours(
                lambda item=item, session=session, wiki_policy=wiki_policy: undo(  # type: ignore[misc]
                    wiki.workspace,
                    wiki.sandbox.wiki,
                    SETTINGS,
                    item=self.qids[item],
                    session=session,
                    policy=wiki_policy,
                )
            )
            self.all_holds()

    # What always holds

    @invariant()
    def all_holds(self) -> None:
        if not hasattr(self, "qids"):
            return
        now: dict[str, Any] = {}
        for qid in self.qids:
            now |= item_state.statements(self.wiki.sandbox.entity(qid) or {})
        for guid, left in self.theirs.items():
            assert guid in now, f"a statement of another is lost: {guid}"
            assert _without_ours(now[guid]) == left, f"a statement of another is changed: {guid}"
        assert not self.gone & set(now), "what somebody removed is back"
        for statement in now.values():
            said = [item_state.reference_content(r) for r in statement.get("references", ())]
            assert said.count(OURS) <= 1, "a source is said twice"

    def teardown(self) -> None:
        if hasattr(self, "qids"):
            assert list(chain.edit_discrepancies(self.wiki.workspace)) == []
            written = {r.guid for r in ledger.ledger_rows(self.wiki.workspace) if "mainsnak" in r.payload}
            for qid in self.qids:  # every statement is either theirs, or ours and in the ledger
                for guid in item_state.statements(self.wiki.sandbox.entity(qid) or {}):
                    assert guid in self.theirs or guid in written


def _without_ours(statement: dict[str, Any]) -> dict[str, Any]:
    said = item_state.statement_content(statement)
    return {**said, "references": [r for r in said["references"] if r != OURS]}


def test_no_interleaving_changes_or_loses_a_statement_of_another() -> None:
    TwoEditors.wiki = Wiki()
    TOTAL[0] = 0
    try:
        run_state_machine_as_test(  # type: ignore[no-untyped-call]
            TwoEditors,
            settings=settings(
                max_examples=int(environment("EXAMPLES") or (7000 if LONG else 15)),
                stateful_step_count=10,
                deadline=None,
                phases=[Phase.generate] if environment("NO_SHRINK") else tuple(Phase),
                derandomize=not LONG,
                database=None,
                suppress_health_check=list(HealthCheck),
            ),
        )
    finally:
        TwoEditors.wiki.close()
    print(f"\n{TOTAL[0]} runs of ours with another editor in between")
    assert TOTAL[0] >= (10_000 if LONG else 6)
