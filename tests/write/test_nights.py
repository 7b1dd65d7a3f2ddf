"""Nights in which the corpus grows and the clock moves on, and nothing that a person decided changes under way.

Each night: discover, match and propose, then on some nights what was approved days before is written, and on some a
reviewer decides. Only with FORMULA_BOT_LONG=1.
"""

from __future__ import annotations

import json
import os
import random
import shutil
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from rehearsal import Direct, Time, claims, policy

from bot import store
from bot.audit import run_audits
from bot.discover import discover
from bot.discover.engines import OneMachine
from bot.formula import compare
from bot.lookup import Client
from bot.lookup.entities import statement_from
from bot.match import match
from bot.propose.run import propose
from bot.propose.select import canonical_key
from bot.records import Decision, Proposal, Reference
from bot.review import add_reviewer, decide, queue
from bot.sandbox import Sandbox
from bot.settings import Agent, CitationRule, Proposing, Settings, resource
from bot.store import Workspace
from bot.write import apply, make_plan

NIGHTS = 28
FIRST, MORE = 12, 4  # documents of the first night, and of every later one
START = datetime(2026, 11, 1, 2, tzinfo=UTC)
SAID = (
    "'''{name}''' is given by\n: <math display=\"block\">{tex}</math>\nas measurements show.",
    "By the {name} we have <math>{tex}</math> in every case.",
    "In this chapter the {name}, <math>{tex}</math>, is used again.",
    'The {name} reads\n: <math display="block">{tex}</math>\nand holds for small values.',
)


def _read(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (resource("examples") / name).read_text(encoding="utf-8").splitlines()]


ITEMS = _read("items.jsonl")
ACCEPTS = {row["qid"]: row["accepts"] for row in _read("stand-in.jsonl")}
WRONGLY, POORLY = ("Q41591", "Q170282", "Q46276"), "Q191785"  # rejected for good; rejected once for its sources
LAWS = [(row["label"], ACCEPTS[row["qid"]][0]) for row in ITEMS if row["qid"] in ACCEPTS][:14]


def text_of(number: int) -> str:
    """Return a lecture about four laws, each in one of two spellings, and now and then one that is not true of it."""
    chance = random.Random(number)
    said = []
    for name, tex in chance.sample(LAWS, 4):
        spelt = tex.replace(" = ", "=") if chance.random() < 0.4 else tex
        wrong = chance.random() < 0.15
        said.append(chance.choice(SAID).format(name=name, tex=f"{spelt} + C_{{0}}" if wrong else spelt))
    return "\n\n".join(said) + "\n"


@dataclass
class World:
    """The workspace, the wiki and the corpus over the nights, and what the reviewer said."""

    workspace: Workspace
    sandbox: Sandbox
    corpus: Path
    night: int = 0
    came: dict[str, str] = field(default_factory=dict)  # address -> day on which its document came in
    approved: dict[int, tuple[Proposal, tuple[Reference, ...]]] = field(default_factory=dict)  # decision -> content
    rejected: list[Proposal] = field(default_factory=list)  # for good
    sources: list[Proposal] = field(default_factory=list)  # rejected as a source
    refused_once: bool = False  # the claim that comes back with other sources
    waited: int = 0  # nights that approvals have outlived
    settings: Settings = field(init=False)

    def __post_init__(self) -> None:
        source = CitationRule("lectures/*", url="https://example.org/{path}")
        self.settings = Settings(self.sandbox.wiki, Agent(), proposing=Proposing(sources=(source,)))

    @property
    def now(self) -> datetime:
        return START + timedelta(days=max(self.night - 1, 0))

    def grow(self) -> None:
        """Let the documents of this night come in: on the first one some of the examples are among them."""
        examples = sorted((resource("examples") / "corpus" / "wikitext").glob("*.wiki"))[:6]
        have = len(self.came)
        for number in range(have, have + (FIRST if not have else MORE)):
            target = self.corpus / f"{number:03}.wiki"
            if number < len(examples):
                shutil.copy(examples[number], target)
            else:
                target.write_text(text_of(number), encoding="utf-8")
            self.came[f"https://example.org/{target.name}"] = self.now.date().isoformat()

    def suggest(self, client: Client) -> None:
        today, labels = self.now.date(), [(row["qid"], row["label"]) for row in ITEMS]
        sources = [str(self.corpus)]
        discover(self.workspace, sources, self.settings, labels=labels, quiet=True, engine=OneMachine(1), today=today)
        match(self.workspace, client, self.settings, quiet=True)
        propose(self.workspace, client, self.settings, today=today, quiet=True)

    def decide(self) -> None:
        for n, row in enumerate(queue(self.workspace, "open")):
            p = row.proposal
            chance = random.Random(p.id)
            if (chance.random() < 0.3) if p.claim else p.qid == POORLY and not self.refused_once:
                self._say(p, "reject", reason="bad_source")
                self.sources.append(p)
                self.refused_once |= not p.claim
            elif p.qid in WRONGLY or not any(compare(p.tex, tex).same_concept for tex in ACCEPTS.get(p.qid, ())):
                self._say(p, "reject", reason="not_defining")
                self.rejected.append(p)
            elif len(p.references) > 1 and n % 3 == 0:
                left = ("approve",) * (len(p.references) - 1)
                self._say(p, "approve", references=(*left, "reject"))
            else:
                self._say(p, "approve")

    def _say(self, p: Proposal, verdict: str, **values: Any) -> None:
        made = decide(self.workspace, Decision(p.id, p.hash, verdict, reviewer="Ada", **values))
        if verdict == "approve":
            n = self.workspace.rows(sa.select(sa.func.max(store.decisions.c.n).label("n")))[0]["n"]
            kept = tuple(r for r, said in zip(p.references, made.references, strict=True) if said == "approve")
            self.approved[n] = (p, kept)

    def write(self, client: Client) -> None:
        wiki = self.sandbox.wiki
        plan = make_plan(self.workspace, client, wiki, self.settings)
        wiki_policy = policy(self.workspace, self.sandbox, Time(), self.settings)
        done = apply(self.workspace, plan, wiki, self.settings, session=Direct(self.sandbox), policy=wiki_policy)
        assert {outcome for _, outcome, _ in done} <= {"written"}, done
        assert not plan.refused, plan.refused


@pytest.fixture
def world(workspace: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[World]:
    corpus = tmp_path / "lectures"
    corpus.mkdir()
    made: list[World] = []

    class Moving(datetime):
        @classmethod
        def now(cls, tz: Any = None) -> datetime:  # type: ignore[override]
            return made[0].now if made else START

    monkeypatch.setattr("bot.store.datetime", Moving)
    with Sandbox(clock=lambda: Moving.now()) as sandbox:
        sandbox.fill(ITEMS)
        made.append(World(workspace, sandbox, corpus))
        add_reviewer(workspace, "Ada")
        yield made[0]


@pytest.mark.skipif(not os.environ.get("FORMULA_BOT_LONG"), reason="28 nights; FORMULA_BOT_LONG=1")
def test_what_was_decided_holds_over_the_nights_and_is_written_as_it_was_approved(world: World) -> None:
    with Client(world.sandbox.wiki, Agent()) as client:
        for night in range(1, NIGHTS + 1):
            world.night = night
            world.grow()
            world.suggest(client)
            still_decided(world)
            if night % 3 == 0:
                world.write(client)
            if night % 2 or night == NIGHTS:
                world.decide()
        world.write(client)
        found = run_audits(world.workspace, client, world.settings, ("seeded", "ledger"), now=world.now)
    assert [f for f in found if f.severity in ("error", "unknown")] == []
    every_approval_is_written_as_approved(world)
    no_rejection_came_back(world)
    every_day_is_true(world)
    figures(world)


def still_decided(world: World) -> None:
    """Every approval that is not written yet has outlived this night's run."""
    states = {row.proposal.id: row for row in queue(world.workspace, "all")}
    for p, _ in world.approved.values():
        row = states[p.id]
        assert row.state in ("approved", "written"), (world.night, p.qid, p.tex, row.state, row.proposal)
        assert (row.proposal.hash, row.proposal.tex, row.proposal.references) == (p.hash, p.tex, p.references)
        world.waited += row.state == "approved"


def every_approval_is_written_as_approved(world: World) -> None:
    edits = world.workspace.rows(sa.select(store.edits).where(store.edits.c.outcome == "written"))
    assert {row["decision"] for row in edits} == world.approved.keys()
    for p, references in world.approved.values():
        there = [statement_from(claim) for claim in claims(world.sandbox, p.qid)]
        (statement,) = [s for s in there if s.value == p.tex]
        assert set(references) <= set(statement.references)
        assert not set(p.references) - set(references) & set(statement.references)
    wanted = {p.qid: set[Reference]() for p, _ in world.approved.values()}
    for p, references in world.approved.values():
        wanted[p.qid] |= set(references)
    for qid, references in wanted.items():
        assert {r for c in claims(world.sandbox, qid) for r in statement_from(c).references} == references
        assert len(references) <= world.settings.proposing.references_per_claim


def no_rejection_came_back(world: World) -> None:
    rows = queue(world.workspace, "all")
    for p in world.rejected:
        same = [r for r in rows if r.proposal.qid == p.qid and canonical_key(r.proposal.tex) == canonical_key(p.tex)]
        assert {r.state for r in same} == {"rejected"}
        there = [statement_from(c) for c in claims(world.sandbox, p.qid)]
        if p.kind == "add_reference":
            assert not {r for s in there if s.guid == p.statement for r in s.references} & set(p.references)
        else:
            assert p.tex not in [s.value for s in there]
    for p in world.sources:
        later = [r.proposal for r in rows if r.proposal.qid == p.qid and r.proposal.hash != p.hash]
        assert not set(p.references) & {r for each in later for r in each.references}
        assert not set(p.references) & {r for c in claims(world.sandbox, p.qid) for r in statement_from(c).references}


def every_day_is_true(world: World) -> None:
    days = Counter[str]()
    for p, references in world.approved.values():
        for reference in references:
            said = {name: value for name, _, value in reference.snaks}
            assert said["P813"] == f"+{world.came[said['P854']]}T00:00:00Z", (p.qid, said)
            days[said["P813"]] += 1
    assert len(days) > 1, "only documents of one night were cited"


def figures(world: World) -> None:
    """Print what `pytest -s` shows: the figures of the run."""
    claims_, further = (sum(bool(p.claim) == more for p, _ in world.approved.values()) for more in (False, True))
    print(
        f"\n{NIGHTS} nights, {len(world.came)} documents: {claims_} claims and {further} further sources approved and written"
        f" as approved, {world.waited} nights outlived; {len(world.rejected)} claims and {len(world.sources)} sources rejected"
    )
    assert claims_ > 3
    assert world.rejected
    assert world.sources
    assert world.waited > 3
