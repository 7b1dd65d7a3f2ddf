"""Single changes to the database between approval and live: none is written, and each that concerns the write is named."""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from rehearsal import SETTINGS, Direct, Looks, Time, approve, claims, policy, put, rows

from bot.audit import run_audits
from bot.errors import BotError, WriteRefused
from bot.lookup import Client
from bot.records import Decision, as_json
from bot.review import add_reviewer, decide
from bot.sandbox import Sandbox
from bot.store import Workspace
from bot.write import apply, load_plan, make_plan
from bot.write.verify import plan_id
from bot.write.wiki_protocol import WikiRefusal

PLANS = "UPDATE plans SET record = replace(record, '{}', '{}')"
DECISION = "UPDATE decisions SET {} WHERE n = {}"
RECORD = "UPDATE {} SET record = replace(record, '{}', '{}')"
INSERT = (
    'INSERT INTO decisions(proposal, hash, verdict, "references", reason, reviewer, time, tex, edit_confirmed, record, role, wiki) '
    "SELECT id, hash, 'approve', '[\"approve\"]', '', '{}', '2026-11-22T00:00:00Z', '', 0, record, 'reviewer', '' FROM proposals WHERE qid = '{}'"
)
RULES = "INSERT INTO meta(key, value) VALUES('{}', '{}')"
EDIT = (
    'INSERT INTO edits(proposal, hash, "group", qid, guid, payload, decision, reviewer, outcome, revision, reason, undo) '
    "SELECT proposal, hash, 'g', 'Q1000', 'Q1000$x', '{{}}', n, reviewer, '{}', 1, '', '' FROM decisions WHERE n = 1"
)

# what was changed -> (table that is named, statement)
STOPPED = {
    "the formula of a payload": ("plans", PLANS.format('"value": "a_{0}=b^2"', '"value": "a_{0}=b^3"')),
    "the source of a payload": ("plans", PLANS.format("example.org/a", "example.org/b")),
    "the item of an entry": ("plans", PLANS.format('"qid": "Q1000"', '"qid": "Q1002"')),
    "the statement of an entry": ("plans", PLANS.format('"statement": "Q1000$', '"statement": "q1000$')),
    "the reviewer of an entry": ("plans", PLANS.format('"reviewer": "Ada"', '"reviewer": "Bob"')),
    "the decision of an entry": ("plans", PLANS.format('"decision": 1', '"decision": 2')),
    "the state of the item": ("plans", PLANS.format('"before": {}', '"before": {"Q1$x": "y"}')),
    "an edit summary": ("plans", PLANS.format("approved by Ada", "approved by everybody")),
    "what was sent back": ("plans", PLANS.format('"refused": []', '"refused": [["abc", "why"]]')),
    "the edit group": ("plans", "UPDATE plans SET \"group\" = 'another'"),
    "the wiki of the plan": ("plans", "UPDATE plans SET wiki = 'another'"),
    "the time of the plan": ("plans", "UPDATE plans SET created = '2999-01-01'"),
    "a plan with its id made anew": ("plans", ""),
    "a rejection to an approval": ("decisions", DECISION.format("verdict = 'approve', reason = ''", 5)),
    "the reviewer of a decision": ("decisions", DECISION.format("reviewer = 'Ben'", 1)),
    "the formula of a decision": ("decisions", DECISION.format("tex = 'x=y'", 1)),
    "a rejected source to an approved one": ("decisions", DECISION.format("\"references\" = '[\"approve\", \"approve\"]'", 3)),
    "the hash of a decision": ("decisions", DECISION.format("hash = 'abc'", 1)),
    "the proposal of a decision": ("decisions", DECISION.format("proposal = 'abc'", 1)),
    "the time of a decision": ("decisions", DECISION.format("time = '2020-01-01T00:00:00Z'", 1)),
    "the role of a decision": ("decisions", DECISION.format("role = 'operator'", 1)),
    "the wiki of a decision": ("decisions", DECISION.format("wiki = 'rehearsal'", 1)),
    "the confirmation of an edit": ("decisions", DECISION.format("edit_confirmed = 1", 1)),
    "the reason of a rejection": ("decisions", DECISION.format("reason = 'bad_source'", 5)),
    "the formula that was approved": ("decisions", RECORD.format("decisions", "a_{0}=b^2", "a_{0}=b^3")),
    "the source that was approved": ("decisions", RECORD.format("decisions", "example.org/a", "example.org/b")),
    "a rejection that is gone": ("decisions", "DELETE FROM decisions WHERE n = 5"),
    "an approval that is gone": ("decisions", "DELETE FROM decisions WHERE n = 1"),
    "an approval by a stranger": ("decisions", INSERT.format("Mallory", "Q1008")),
    "an approval by a known person": ("decisions", INSERT.format("Ada", "Q1008")),
    "the proposed formula": ("proposals", RECORD.format("proposals", "a_{0}=b^2", "a_{0}=b^3")),
    "the proposed source": ("proposals", RECORD.format("proposals", "example.org/a", "example.org/b")),
    "the kind of a proposal": ("proposals", "UPDATE proposals SET kind = 'add_reference' WHERE qid = 'Q1000'"),
    "the item of a proposal": ("proposals", "UPDATE proposals SET qid = 'Q1002' WHERE qid = 'Q1000'"),
    "the hash of a proposal": ("proposals", "UPDATE proposals SET hash = 'abc' WHERE qid = 'Q1000'"),
    "a person who is added": ("reviewers", "INSERT INTO reviewers(name, role) VALUES('Mallory', 'reviewer')"),
    "a reviewer who becomes an operator": ("reviewers", "UPDATE reviewers SET role = 'operator' WHERE name = 'Ada'"),
    "a reviewer who is removed": ("reviewers", "DELETE FROM reviewers WHERE name = 'Ben'"),
    "a reviewer of another name": ("reviewers", "UPDATE reviewers SET name = 'Mallory' WHERE name = 'Ben'"),
    "a rule": ("meta", RULES.format("review_rules", '{"two_persons": false, "blind": 0.5}')),
    "a rule of the settings": ("meta", RULES.format("review_settings", '{"values": {"two_persons": false}}')),
    "an edit that was never made": ("edits", EDIT.format("written")),
    "a refusal that was never made": ("edits", EDIT.format("refused")),
    "a link": ("chain", "UPDATE chain SET record = '{}' WHERE n = 3"),
    "the time of a link": ("chain", "UPDATE chain SET time = '2020-01-01T00:00:00Z' WHERE n = 3"),
    "a link that is gone": ("chain", "DELETE FROM chain WHERE n = 3"),
    "a link that is put in": ("chain", "INSERT INTO chain(edit, event, record, time, previous, hash) VALUES(0, 'decision', '{\"n\": 99}', '', 'a', 'b')"),
}  # fmt: skip

# These say nothing of what is written: everything is written as it was approved.
HARMLESS = {
    "an item in the cache": "INSERT INTO items(qid, revision, record) VALUES('Q1000', 1, '{\"qid\": \"Q1000\"}')",
    "an answer": "INSERT INTO answers(concept, answer, qid, reviewer) VALUES('c', 'item', 'Q1000', 'Mallory')",
    "a finding": "INSERT INTO findings(audit, item, severity, what) VALUES('ledger', 'Q1000', 'info', 'nothing')",
    "a concept": "INSERT INTO concepts(\"key\", tex) VALUES('c', 'x=y')",
    "a match": "INSERT INTO matches(concept, qid, tex, probability) VALUES('c', 'Q1000', 'x=y', 1)",
    "a representation": "INSERT INTO representations(id, concept, qid, tex) VALUES('r', 'c', 'Q1000', 'x=y')",
    "a document": "INSERT INTO documents(id, title) VALUES('d', 'x')",
    "the page's copy of a state": "INSERT INTO queue(id, state, qid) VALUES('p', 'approved', 'Q1008')",
    "a tag of the page": "INSERT INTO queue_tags(tag, proposal) VALUES('word:x', 'p')",
    "a control question": "INSERT INTO seeded(id, record) VALUES('s', '{}')",
    "an answer to one": "INSERT INTO attention(seeded, reviewer, verdict) VALUES('s', 'Ada', 'approve')",
    "a token": "INSERT INTO api_tokens(digest, reviewer) VALUES('t', 'Ada')",
    "the probability of a proposal": "UPDATE proposals SET probability = 0.1",
    "the expiry of a proposal": "UPDATE proposals SET expires = '2000-01-01'",
    "the evidence for a proposal": RECORD.format("proposals", "The momentum is", "The energy is"),
    "a note of the page": RULES.format("review_followed", "{}"),
}


class Recorder(Direct):
    """A session that keeps what would be sent, and sends nothing."""

    def __init__(self, sandbox: Sandbox) -> None:
        super().__init__(sandbox)
        self.sent: list[dict[str, Any]] = []

    def _edit(self, call: str, **parameters: Any) -> int:
        self.sent.append(parameters.get("claim") or {"snaks": parameters["snaks"]})
        raise WikiRefusal("protected", "kept, not sent")


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    with Sandbox() as running:
        running.fill(rows(10))
        yield running


@pytest.fixture(scope="module")
def approved(tmp_path_factory: pytest.TempPathFactory, sandbox: Sandbox) -> Path:
    """Return a workspace with approvals, a rejection of an approval, an open proposal, and a plan that waits."""
    from rehearsal import REFERENCE

    path = tmp_path_factory.mktemp("approved") / "w"
    with Workspace.open(path) as w:
        add_reviewer(w, "Ben")
        approve(w, put(w, "Q1000", "a_{0}=b^2"))
        guid = claims(sandbox, "Q1001")[0]["id"]
        approve(w, put(w, "Q1001", "a_{1}=b^2", kind="add_reference", statement=guid))
        two = put(w, "Q1002", "a_{2}=b^2", sources=(REFERENCE, REFERENCE))
        approve(w, two, references=("approve", "reject"))
        three = put(w, "Q1004", "a_{4}=b^2")
        approve(w, three)
        decide(w, Decision(three.id, three.hash, "reject", reason="not_defining", reviewer="Ben"))
        put(w, "Q1008", "a_{8}=b^2")
        plan = make_plan(w, Looks(sandbox), sandbox.wiki, SETTINGS)  # type: ignore[arg-type]
        assert len(plan.entries) == 3
    return path


def changed(approved: Path, to: Path, statement: str) -> Workspace:
    shutil.copytree(approved, to)
    with closing(sqlite3.connect(to / "bot.db")) as db:
        assert db.execute(statement).rowcount >= 1
        db.commit()
    return Workspace.open(to)


def forged(approved: Path, to: Path) -> Workspace:
    """Change a payload and give the plan the id that fits."""
    shutil.copytree(approved, to)
    with closing(sqlite3.connect(to / "bot.db")) as db:
        record = json.loads(db.execute("SELECT record FROM plans").fetchone()[0])
        entry = next(e for e in record["entries"] if e["kind"] == "add_reference")
        entry["payload"]["snaks"]["P854"][0]["datavalue"]["value"] = "https://evil.example"
        record["id"] = plan_id(record["wiki"], record["group"], record["entries"], record["refused"])
        db.execute("UPDATE plans SET id = ?, record = ?", (record["id"], json.dumps(record)))
        db.commit()
    return Workspace.open(to)


def carry_out(w: Workspace, sandbox: Sandbox) -> list[dict[str, Any]]:
    """Carry out the plan that waits; return what would have been sent."""
    session = Recorder(sandbox)
    go_on(w, sandbox, session)
    return session.sent


def go_on(w: Workspace, sandbox: Sandbox, session: Recorder) -> None:
    plan = load_plan(w)
    assert plan is not None
    apply(w, plan, sandbox.wiki, SETTINGS, session=session, policy=policy(w, sandbox, Time()))


@pytest.mark.parametrize("what", STOPPED)
def test_a_change_that_concerns_the_write_stops_it_and_is_named(
    approved: Path, sandbox: Sandbox, tmp_path: Path, what: str
) -> None:
    table, statement = STOPPED[what]
    with changed(approved, tmp_path / "w", statement) if statement else forged(approved, tmp_path / "w") as w:
        session, plan = Recorder(sandbox), load_plan(w)
        assert plan is not None
        with pytest.raises(WriteRefused, match=rf"changed past the commands:.*\b{table}\b") as told:
            apply(w, plan, sandbox.wiki, SETTINGS, session=session, policy=policy(w, sandbox, Time()))
        assert told.value.exit_code == 2
        if table != "plans":
            with pytest.raises(WriteRefused, match=table):
                make_plan(w, Looks(sandbox), sandbox.wiki, SETTINGS)  # type: ignore[arg-type]
        assert session.sent == []
        with Client(sandbox.wiki, SETTINGS.agent, None) as client:
            found = run_audits(w, client, SETTINGS, ["ledger"])
        wanted = {"chain": "link ", "edits": "edit "}.get(table, f"{table} ")
        assert [f for f in found if f.severity == "error" and f.what.startswith(wanted)], found


@pytest.mark.parametrize("what", HARMLESS)
def test_a_change_of_anything_else_changes_nothing_of_what_is_written(
    approved: Path, sandbox: Sandbox, tmp_path: Path, what: str
) -> None:
    with changed(approved, tmp_path / "w", HARMLESS[what]) as w, Workspace.open(approved) as as_it_was:
        plan = load_plan(as_it_was)
        assert plan is not None
        wanted = [json.dumps(as_json(e.payload.get("mainsnak") or e.payload["snaks"])) for e in plan.entries]
        sent = [json.dumps(one.get("mainsnak") or one["snaks"]) for one in carry_out(w, sandbox)]
        assert sent == wanted


# what was cut off or replaced -> (table and row that are named, statement)
UNREADABLE = {
    "a plan that is cut off": ("plans ", "UPDATE plans SET record = substr(record, 1, 90)"),
    "a plan that is none": ("plans ", "UPDATE plans SET record = '{}'"),
    "a plan without a record": ("plans ", "UPDATE plans SET record = NULL"),
    "a proposal that is cut off": ("proposals ", "UPDATE proposals SET record = substr(record, 1, 90) WHERE qid = 'Q1000'"),
    "a proposal that is none": ("proposals ", "UPDATE proposals SET record = '{\"id\": 1}' WHERE qid = 'Q1000'"),
    "a decision that is cut off": ("decisions 1", "UPDATE decisions SET record = substr(record, 1, 90) WHERE n = 1"),
    "a decision on a list": ("decisions 1", "UPDATE decisions SET record = '[1]' WHERE n = 1"),
    "references that are cut off": ("decisions 1", "UPDATE decisions SET \"references\" = '[\"appr' WHERE n = 1"),
    "references that are a number": ("decisions 1", "UPDATE decisions SET \"references\" = '3' WHERE n = 1"),
    "a link that is cut off": ("chain 2", "UPDATE chain SET record = substr(record, 1, 9) WHERE n = 2"),
    "a link of no record": ("chain", "UPDATE chain SET record = '[3]' WHERE n = 2"),
    "a rule that is cut off": ("meta review_rules", RULES.format("review_rules", "{")),
    "nesting without an end": ("decisions 1", "UPDATE decisions SET record = replace(hex(zeroblob(60000)), '0', '[') WHERE n = 1"),
}  # fmt: skip


@pytest.mark.parametrize("what", UNREADABLE)
def test_what_cannot_be_read_any_more_is_one_line_that_names_table_and_row(
    approved: Path, sandbox: Sandbox, tmp_path: Path, what: str
) -> None:
    row, statement = UNREADABLE[what]
    with changed(approved, tmp_path / "w", statement) as w:
        session = Recorder(sandbox)
        with pytest.raises(BotError, match=row) as told:
            go_on(w, sandbox, session)
        assert told.value.exit_code == 2
        assert "\n" not in told.value.line()
        assert session.sent == []
        if not row.startswith("plans"):
            with pytest.raises(BotError, match=row):
                make_plan(w, Looks(sandbox), sandbox.wiki, SETTINGS)  # type: ignore[arg-type]
        with Client(sandbox.wiki, SETTINGS.agent, None) as client:
            found = run_audits(w, client, SETTINGS, ["ledger"])
        wanted = "link " if row == "chain" else row
        assert [f for f in found if f.severity in ("error", "unknown") and wanted in f.what], found
        assert not [f for f in found if "Error: " in f.what], found


def test_a_proposal_that_is_gone_is_not_written(approved: Path, sandbox: Sandbox, tmp_path: Path) -> None:
    with changed(approved, tmp_path / "w", "DELETE FROM proposals WHERE qid = 'Q1000'") as w:
        assert len(carry_out(w, sandbox)) == 2


def test_there_are_enough_changes() -> None:
    assert len(STOPPED) >= 30
