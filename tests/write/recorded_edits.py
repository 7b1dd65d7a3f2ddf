"""What is planned, sent, noted and taken back on a rehearsal wiki where other people edit too, recorded.

`python tests/write/recorded_edits.py` records it anew, where a change is meant. Times are left out.
"""

from __future__ import annotations

import contextlib
import dataclasses
import io
import json
import re
import tempfile
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from rehearsal import (
    REFERENCE,
    SETTINGS,
    Direct,
    Looks,
    Time,
    approve,
    by_hand,
    changes,
    claims,
    labels,
    policy,
    put,
    removes,
    removes_sources,
    undo,
)

from bot import store
from bot.errors import BotError
from bot.messages import Message
from bot.records import Decision, Reference, as_json
from bot.review import decide
from bot.sandbox import Sandbox
from bot.store import Workspace
from bot.write import apply, ledger, make_plan, outcome, payload, verify
from bot.write.plan import estimated_duration
from bot.write.plan_report import plan_as_json, save_report, show_plan
from bot.write.plans import load_plan, unfinished_entries, unfinished_plan
from bot.write.undo import EditSelection, Undoer
from bot.write.wiki_protocol import AccountStatus, WikiRefusal

DATA = Path(__file__).parent / "data" / "recorded_edits.jsonl"
SECOND = Reference((("P854", "url", "https://example.org/b"), ("P813", "time", "+2026-11-21T00:00:00Z")))
THIRD = Reference((("P248", "wikibase-item", "Q13"), ("P304", "string", "7")))
_TIME = re.compile(r"20\d\d-\d\d-\d\dT[\d:]+(?:\.\d+)?Z")
_FIXED = re.compile(r"2026-11-2[01]T00:00:00Z")
ROWS = [
    {"qid": "Q1", "label": "momentum"},
    {"qid": "Q2", "label": "Lorentz force", "formulas": [r"F=q(E+v\times B)"]},
    {"qid": "Q3", "label": "Hubble's law"},
    {"qid": "Q4", "label": "Ohm's law", "formulas": ["U=RI"]},
    {"qid": "Q5", "label": "kinetic energy"},
    {"qid": "Q6", "label": "wave", "formulas": ["c=f l"]},
    {"qid": "Q7", "label": "work"},
    {"qid": "Q8", "label": "power", "formulas": ["P=UI"]},
    {"qid": "Q9", "label": "pressure"},
    {"qid": "Q11", "label": "heat"},
    {"qid": "Q12", "label": "charge"},
    {"qid": "Q13", "label": "Lectures on physics"},
]


class RecordingSession(Direct):
    """A direct session that keeps what it is asked, and refuses where it is told to."""

    def __init__(self, sandbox: Sandbox) -> None:
        super().__init__(sandbox, self._before)
        self.asked: list[str] = []
        self.deeds: dict[tuple[str, int], Any] = {}  # (call, how often it was asked before) -> what happens then
        self.status = AccountStatus(pages={})

    def _before(self, call: str) -> None:
        deed = self.deeds.pop((call, self.asked.count(call)), None)
        self.asked.append(call)
        if isinstance(deed, WikiRefusal):
            raise deed
        if deed:
            deed()

    def account_status(self, pages: tuple[str, ...]) -> AccountStatus:
        self.asked.append("status")
        return AccountStatus(pages=dict.fromkeys(pages, ""))

    def log_in(self) -> None:
        self.asked.append("log in")


class Recorder:
    def __init__(self, sandbox: Sandbox, workspace: Workspace) -> None:
        self.sandbox, self.workspace, self.rows = sandbox, workspace, list[dict[str, Any]]()
        self.session, self.time = RecordingSession(sandbox), Time()
        self.policy = policy(workspace, sandbox, self.time)

    def keep(self, what: str, **values: Any) -> None:
        text = json.dumps(values, ensure_ascii=False, default=as_json)
        text = _TIME.sub(lambda m: m[0] if _FIXED.fullmatch(m[0]) else "TIME", text)
        self.rows.append({"what": what, **json.loads(text)})

    def planned(self, what: str) -> Any:
        plan = make_plan(self.workspace, Looks(self.sandbox), self.sandbox.wiki, SETTINGS)
        takes = estimated_duration(plan.number_of_edits, self.sandbox.wiki, SETTINGS)
        save_report(self.workspace, plan, SETTINGS.wiki.properties, takes)
        report = (self.workspace.reports / "write-plan.json").read_text(encoding="utf-8")
        same = report == json.dumps(plan_as_json(plan), ensure_ascii=False, indent=1) + "\n"
        said = printed(lambda: show_plan(plan, takes, as_json_=False)).splitlines()
        values = {name: value for name, value in as_json(plan).items() if name != "created"}
        kept = load_plan(self.workspace)
        waits = unfinished_plan(self.workspace, self.sandbox.wiki)
        self.keep(what, plan=values, said=said, reported=same, kept=kept == plan, waits=waits == plan)
        return plan

    def applied(self, what: str, plan: Any) -> None:
        before, slept, stopped = len(self.session.asked), self.time.slept, ""
        done: list[Any] = []
        try:
            apply(self.workspace, plan, self.sandbox.wiki, SETTINGS, session=self.session, policy=self.policy, on_edit=lambda entry, ended: done.append([entry.qid, entry.kind, ended]))  # fmt: skip
        except BotError as error:
            stopped = error.line()
        said = printed(
            lambda: outcome.print_outcome(
                self.workspace, plan, False, Message("recorded", text=stopped) if stopped else None
            )
        ).splitlines()
        told = outcome.outcome_rows(self.workspace, plan)
        self.keep(
            what,
            done=done,
            stopped=stopped,
            asked=self.session.asked[before:],
            slept=round(self.time.slept - slept, 3),
            said=[line for line in said if "chain" not in line],
            told=told,
            left=[entry.qid for entry in unfinished_entries(self.workspace, plan)],
        )

    def items(self, what: str) -> None:
        found = {}
        for row in ROWS:
            found[row["qid"]] = [
                [
                    claim["mainsnak"]["datavalue"]["value"],
                    claim["rank"],
                    [r["snaks"] for r in claim.get("references", [])],
                ]
                for claim in claims(self.sandbox, row["qid"])
            ]
        history = {row["qid"]: [[h["user"], h["comment"]] for h in self.sandbox.history(row["qid"])] for row in ROWS}
        edits = [
            dataclasses.asdict(edit) if dataclasses.is_dataclass(edit) else as_json(edit)
            for edit in ledger.ledger_rows(self.workspace)
        ]
        self.keep(
            what,
            items=found,
            history=history,
            edits=edits,
            wrong=[str(one) for one in verify.workspace_discrepancies(self.workspace)],
        )


def adds(sandbox: Sandbox, qid: str, tex: str) -> None:
    """Add a claim as somebody else does, under a GUID that is the same each time."""
    by_hand(
        sandbox,
        action="wbsetclaim",
        claim=payload.claim(f"{qid}$00000000-0000-4000-8000-000000000001", "P2534", tex, ()),
    )


def printed(show: Any) -> str:
    with contextlib.redirect_stdout(io.StringIO()) as out:
        show()
    return out.getvalue()


def recorded() -> list[dict[str, Any]]:
    """Return what happened, in order."""
    with tempfile.TemporaryDirectory() as folder, Sandbox() as sandbox, Workspace.open(Path(folder) / "w") as workspace:
        sandbox.fill(ROWS)
        found = Recorder(sandbox, workspace)
        _write(found)
        _take_back(found)
        _stopped(found)
        return found.rows


def _write(r: Recorder) -> None:
    w, sandbox = r.workspace, r.sandbox
    r.planned("nothing is approved")
    force, ohm, wave, power = (claims(sandbox, qid)[0]["id"] for qid in ("Q2", "Q4", "Q6", "Q8"))
    approve(w, put(w, "Q1", "p=mv", sources=(REFERENCE, THIRD)))
    made = put(w, "Q2", r"F=q(E+v\times B)", kind="add_reference", statement=force, sources=(REFERENCE, SECOND))
    approve(w, made, references=("approve", "reject"))
    approve(w, put(w, "Q3", "v=Hd", sources=(REFERENCE, SECOND)), tex="v = H_0 d", edit_confirmed=True)
    approve(w, put(w, "Q4", "U=RI", kind="add_reference", statement=ohm, sources=(REFERENCE, SECOND)))
    approve(w, put(w, "Q5", "T=mv^2/2"))
    approve(w, put(w, "Q6", "c=fl", kind="add_reference", statement=wave))
    approve(w, put(w, "Q7", "W=Fs"))
    approve(w, put(w, "Q8", "P=UI", kind="add_reference", statement=power))
    approve(w, put(w, "Q9", "p=F/A"))
    approve(w, put(w, "Q99", "x=y"))
    adds(sandbox, "Q9", "p=F/A")
    plan = r.planned("nine are approved")
    adds(sandbox, "Q5", "T=mv^2/2")
    adds(sandbox, "Q7", "W=mgh")
    changes(sandbox, wave, "c=2fl")
    labels(sandbox, "Q1", "Impuls")
    r.session.deeds = {
        ("add", 1): WikiRefusal("maxlag", "a server lags", 3.0),
        ("add", 3): WikiRefusal("badtoken", "no"),
    }
    r.applied("others edited since", plan)
    r.applied("again", plan)
    r.planned("after it")
    r.items("what is there now")


def _take_back(r: Recorder) -> None:
    w, sandbox = r.workspace, r.sandbox
    ohm = claims(sandbox, "Q4")[0]
    removes_sources(sandbox, ohm)
    changes(sandbox, next(c["id"] for c in claims(sandbox, "Q3")), "v = H d")
    by_hand(sandbox, action="wbsetclaim", claim={**claims(sandbox, "Q1")[0], "rank": "preferred"})
    for which in (
        EditSelection(item="Q1"),
        EditSelection(reviewer="Ada"),
        EditSelection(group=ledger.ledger_rows(w)[0].group),
        EditSelection(edit=1),
    ):
        taker = Undoer(w, sandbox.wiki, SETTINGS, session=r.session, policy=r.policy)
        try:
            said: Any = [[e.n, e.qid, str(result.message)] for e, result in taker.plan(which).entries]
        except BotError as error:
            said = error.line()
        r.keep("would be taken back", which=as_json(which), said=said)
    before = len(r.session.asked)
    r.session.deeds = {("remove", 0): WikiRefusal("maxlag", "a server lags", 2.0)}
    done = undo(w, sandbox.wiki, SETTINGS, group=ledger.ledger_rows(w)[0].group, session=r.session, policy=r.policy)
    r.keep("taken back", done=[[e.n, e.qid, str(result.message)] for e, result in done], asked=r.session.asked[before:])
    again = undo(w, sandbox.wiki, SETTINGS, item="Q2", session=r.session, policy=r.policy)
    r.keep("taken back again", done=[[e.n, e.qid, str(result.message)] for e, result in again])
    query = sa.select(store.proposals.c.record).where(store.proposals.c.qid == "Q5")
    record = w.rows(query)[0]["record"]
    decide(w, Decision(record["id"], record["hash"], "withdraw", reviewer="Ada"))
    removes(sandbox, claims(sandbox, "Q7")[0]["id"])
    r.planned("after taking back")
    r.items("what is there in the end")


def _stopped(r: Recorder) -> None:
    for qid, tex in (("Q11", "Q=mcT"), ("Q12", "Q=It"), ("Q7", "W=Fs")):
        approve(r.workspace, put(r.workspace, qid, tex, sources=(SECOND,)))
    plan = r.planned("three more")
    n = r.session.asked.count("add")
    r.session.deeds = {
        ("add", n): WikiRefusal("failed-save", "try later"),
        ("add", n + 1): WikiRefusal("blocked", "no bots today"),
    }
    r.applied("blocked", plan)
    labels(r.sandbox, "Q12", "Ladung")
    again = r.planned("what a blocked run left")
    n = r.session.asked.count("add")
    r.session.deeds = {("add", n + k): WikiRefusal("readonly", "locked") for k in range(20)}
    r.applied("a locked wiki", again)
    r.session.deeds = {}
    r.applied("unlocked", again)
    r.items("the end")
    few = [0, 1, 9, 10, 300, 599, 600, 35_999, 36_000]
    wiki = dataclasses.replace(SETTINGS.wiki, sandbox=False)
    r.keep(
        "how long it takes",
        times=[str(estimated_duration(n, one, SETTINGS)) for n in few for one in (wiki, r.sandbox.wiki)],
    )


if __name__ == "__main__":
    DATA.parent.mkdir(exist_ok=True)
    lines = [json.dumps(row, ensure_ascii=False) for row in recorded()]
    DATA.write_text("\n".join(lines) + "\n", encoding="utf-8")
