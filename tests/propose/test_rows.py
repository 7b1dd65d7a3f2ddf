"""The queue keeps a person's word: re-runs change nothing, changed content re-opens, what expired goes."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import date, timedelta

import pytest
import sqlalchemy as sa
from propose_records import TEX, TODAY, entry, settings, world
from queued import load_proposals

from bot import store
from bot.claim_outcomes import ClaimOutcome
from bot.errors import LookupFailed
from bot.messages import uncoded_message
from bot.propose.build import build
from bot.propose.earlier_rows import read_earlier_rows
from bot.propose.other_item_proposals import queued_proposal
from bot.propose.proposal_context import removed_claims
from bot.propose.run import REPORTS, _is_up_to_date
from bot.propose.stored_proposals import (
    ExpireSummary,
    SavedProposals,
    decided_verdicts,
    expire,
    mark_seen,
    proposal_from_record,
    queue_fingerprint,
    save_proposal,
    save_proposals,
)
from bot.records import Proposal, as_json
from bot.store import Workspace


def proposal(tex: str = "v = H_0 d") -> Proposal:
    found = build(entry(tex), world(), settings(), TODAY).proposal
    assert found is not None
    return found


def decide(workspace: Workspace, p: Proposal, verdict: str, reason: str = "") -> None:
    row = {"proposal": p.id, "hash": p.hash, "verdict": verdict, "references": [], "reviewer": "ada", "time": "t"}
    row["reason"] = reason
    with workspace.engine.begin() as db:
        db.execute(store.decisions.insert().values(**row, record=as_json(p)))


def table(workspace: Workspace) -> list[dict[str, object]]:
    return workspace.rows(sa.select(store.proposals).order_by(store.proposals.c.id))


def test_record_survives_the_way_through_json() -> None:
    assert proposal_from_record(json.loads(json.dumps(as_json(proposal())))) == proposal()


def test_same_run_again_changes_nothing(workspace: Workspace) -> None:
    assert save_proposals(workspace, [proposal()], TODAY) == SavedProposals(new=1)
    before = table(workspace)
    assert save_proposals(workspace, [proposal()], TODAY) == SavedProposals(unchanged=1)
    assert table(workspace) == before
    assert load_proposals(workspace) == [proposal()]


def test_later_run_with_the_same_content_only_says_that_it_was_seen(workspace: Workspace) -> None:
    save_proposals(workspace, [proposal()], TODAY)
    (before,) = table(workspace)
    save_proposals(workspace, [proposal()], TODAY + timedelta(days=3))
    (after,) = table(workspace)
    assert after == {**before, "seen": "2026-11-23"}


def test_decided_content_stays_as_it_was_shown(workspace: Workspace) -> None:
    p = proposal()
    save_proposals(workspace, [p], TODAY)
    decide(workspace, p, "approve")
    save_proposals(workspace, [replace(p, probability=0.5, base_revision=99)], TODAY)
    assert load_proposals(workspace) == [p]


def test_undecided_row_takes_the_newer_evidence(workspace: Workspace) -> None:
    save_proposals(workspace, [proposal()], TODAY)
    save_proposals(workspace, [replace(proposal(), probability=0.5)], TODAY)
    assert load_proposals(workspace)[0].probability == 0.5


def test_changed_content_reopens_and_the_old_content_is_still_rejected(workspace: Workspace) -> None:
    old, new = proposal(), replace(proposal("v=H_{0}d"))
    assert old.id == new.id
    save_proposals(workspace, [old], TODAY)
    decide(workspace, old, "reject", "bad_tex")
    assert decided_verdicts(workspace, [old]) == {old.id: "reject"}
    assert save_proposals(workspace, [new], TODAY) == SavedProposals(changed=1)
    assert decided_verdicts(workspace, [new]) == {}
    save_proposals(workspace, [old], TODAY)
    assert decided_verdicts(workspace, load_proposals(workspace)) == {old.id: "reject"}


def test_rejected_claim_does_not_come_back_in_another_spelling(workspace: Workspace) -> None:
    decide(workspace, proposal(), "reject", "wrong_item")
    assert decided_verdicts(workspace, [proposal("v=H_{0}d")]) == {proposal().id: "reject"}


def test_skip_and_withdrawal_leave_it_open(workspace: Workspace) -> None:
    p = proposal()
    decide(workspace, p, "skip")
    assert decided_verdicts(workspace, [p]) == {}
    decide(workspace, p, "approve")
    decide(workspace, p, "withdraw")
    assert decided_verdicts(workspace, [p]) == {}


def test_what_is_not_found_again_waits_until_it_expires_and_a_decision_keeps_it_for_good(workspace: Workspace) -> None:
    open_, approved = proposal(), proposal("E = m c^2")
    save_proposals(workspace, [open_, approved], TODAY)
    decide(workspace, approved, "approve")
    assert save_proposals(workspace, [], TODAY + timedelta(days=90)) == SavedProposals(not_found_again=2)
    assert save_proposals(workspace, [], TODAY + timedelta(days=91)) == SavedProposals(not_found_again=1, expired=1)
    assert load_proposals(workspace) == [approved]


def test_what_has_nothing_to_say_any_more_is_withdrawn_unless_a_person_decided(workspace: Workspace) -> None:
    open_, approved = proposal(), proposal("E = m c^2")
    save_proposals(workspace, [open_, approved], TODAY)
    decide(workspace, approved, "approve")
    assert save_proposals(workspace, [], TODAY, {open_.id, approved.id}) == SavedProposals(
        not_found_again=1, withdrawn=1
    )
    assert load_proposals(workspace) == [approved]


def test_what_tells_the_queue_from_itself_at_another_time(workspace: Workspace) -> None:
    p = proposal()
    save_proposals(workspace, [p], TODAY)
    assert queue_fingerprint(workspace) == [[[p.id, p.hash, p.expires]], [[None, 0]], [], [], []]
    decide(workspace, p, "approve")
    with workspace.engine.begin() as db:
        db.execute(store.edits.insert().values(n=4, outcome="written", undo_state="kept"))
        db.execute(store.edits.insert().values(n=3, outcome="failed", undo_state=""))
        db.execute(store.retrievals.insert().values(document="b", day="2026-11-20"))
        db.execute(store.edit_states.insert().values(edit=4, state="removed", user="Eve", instead=""))
    assert queue_fingerprint(workspace) == [
        [[p.id, p.hash, p.expires]],
        [[1, 1]],
        [[3, "failed", ""], [4, "written", "kept"]],
        [["b", "2026-11-20"]],
        [[4, "removed", "Eve", ""]],
    ]


def test_what_a_run_found_is_seen_again_where_nothing_has_changed(workspace: Workspace) -> None:
    save_proposals(workspace, [proposal()], TODAY)
    save_proposals(workspace, [proposal(), proposal("E = m c^2")], TODAY + timedelta(days=3))
    with workspace.engine.begin() as db:
        db.execute(store.proposals.update().where(store.proposals.c.id == proposal().id).values(seen="2026-11-01"))
    later = TODAY + timedelta(days=5)
    mark_seen(workspace, "2026-11-23", later)
    assert sorted(str(row["seen"]) for row in table(workspace)) == ["2026-11-01", later.isoformat()]


def test_reports_stand_until_a_proposal_has_expired(workspace: Workspace) -> None:
    for n, name in enumerate(REPORTS):
        assert not _is_up_to_date(workspace, TODAY), n
        (workspace.reports / name).touch()
    assert _is_up_to_date(workspace, TODAY)
    save_proposals(workspace, [proposal()], TODAY)
    last = date.fromisoformat(proposal().expires)
    assert [_is_up_to_date(workspace, last + timedelta(days=n)) for n in (-1, 0, 1)] == [True, True, False]


def test_what_expired_or_rests_on_what_is_gone_leaves_the_queue_and_what_was_decided_on_stays(
    workspace: Workspace,
) -> None:
    class Wiki:
        def __init__(self, entities: dict[str, dict[str, str]]) -> None:
            self.entities, self.asked = entities, list[list[str]]()

        def raw_entities(self, qids: list[str]) -> dict[str, dict[str, str]]:
            self.asked.append(qids)
            if not self.entities:
                raise LookupFailed(uncoded_message("no answer"))
            return {qid: self.entities[qid] for qid in qids}

    quoted = proposal()
    bare = replace(quoted, quotes=())
    rows = {
        "past": replace(bare, expires="2026-11-20"), "orphan": replace(quoted, quotes=(replace(quoted.quotes[0], document="no.html"),)),
        "missing": replace(bare, qid="Q1"), "merged": replace(bare, qid="Q2"), "there": quoted, "lasts": replace(bare, expires="2026-11-21"),
        "decided": replace(bare, expires="2026-11-20"), "found": replace(bare, expires="2026-11-20"),
    }  # fmt: skip
    save_proposals(workspace, [replace(p, id=id_) for id_, p in rows.items()], TODAY)
    decide(workspace, replace(bare, id="decided"), "skip")
    day = TODAY + timedelta(days=1)
    with workspace.engine.begin() as db:
        db.execute(store.documents.insert().values(id=quoted.quotes[0].document, format="x"))
        db.execute(store.proposals.update().where(store.proposals.c.id == "found").values(seen=day.isoformat()))
    with pytest.raises(LookupFailed):
        expire(workspace, Wiki({}), today=day)  # type: ignore[arg-type]
    assert {row["id"] for row in table(workspace)} == rows.keys()
    wiki = Wiki({"Q1": {"id": "Q1", "missing": ""}, "Q2": {"id": "Q3"}, quoted.qid: {"id": quoted.qid}})
    assert expire(workspace, wiki, today=day) == ExpireSummary(expired=1, source_gone=1, item_gone=2)  # type: ignore[arg-type]
    assert {row["id"] for row in table(workspace)} == {"there", "lasts", "decided", "found"}
    assert wiki.asked == [["Q1", "Q179916", "Q2"]]
    assert ExpireSummary(1, 2, 4).all == 7
    assert expire(workspace, wiki, today=TODAY) == ExpireSummary()  # type: ignore[arg-type]
    assert len(wiki.asked) == 1  # nothing was seen before that day, so nothing is asked


def test_the_proposal_of_a_formula_for_an_item_is_found_in_whatever_spelling(workspace: Workspace) -> None:
    other, ours = proposal("p = mv"), proposal()
    save_proposals(workspace, [other, ours, replace(ours, id="a source of it", claim=ours.id)], TODAY)
    for tex, found in (("H_{0} d = v", ours), ("p=m v", other), ("E = mc^2", None)):
        assert queued_proposal(workspace, ours.qid, tex) == found
    assert queued_proposal(workspace, "Q1", ours.tex) is None


def test_what_others_took_from_an_item_is_kept_by_item_and_what_stood_is_not(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    verdicts = ("removed", "stood", "corrected", "unsourced", "deprecated")
    outcomes = [ClaimOutcome(n, f"p{n}", f"Q{n % 2}", "k", "x", word, 0.9, ()) for n, word in enumerate(verdicts)]
    monkeypatch.setattr("bot.propose.proposal_context.claim_outcomes", lambda _: outcomes)
    assert removed_claims(workspace) == {"Q0": (outcomes[0], outcomes[2], outcomes[4])}


def test_one_more_proposal_is_put_into_the_queue_once(workspace: Workspace) -> None:
    first = proposal()
    save_proposal(workspace, first, TODAY)
    (row,) = table(workspace)
    assert (row["id"], row["qid"], row["hash"], row["kind"]) == (first.id, first.qid, first.hash, "new_claim")
    assert (row["created"], row["seen"], row["expires"]) == ("2026-11-20", "2026-11-20", first.expires)
    save_proposal(workspace, replace(first, probability=0.1), TODAY + timedelta(days=1))
    assert table(workspace) == [row]


def test_rows_of_an_item_and_all_that_were_decided_on_bind_a_run(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    ours, other = proposal(), proposal("E = m c^2")
    rows = [
        ours,
        replace(other, qid="Q2"),
        replace(other, id="decided", qid="Q3"),
        replace(other, id="skipped", qid="Q3"),
        replace(other, id="symbol", kind="symbol"),
    ]
    save_proposals(workspace, rows, TODAY)
    decide(workspace, replace(other, id="decided"), "approve")
    decide(workspace, replace(other, id="skipped"), "skip")
    decide(workspace, ours, "approve")
    with workspace.engine.begin() as db:
        db.execute(store.edits.insert().values(n=1, proposal=ours.id, decision=3, outcome="written", undo_state=""))
        db.execute(store.edits.insert().values(n=2, proposal="decided", decision=1, outcome="refused", undo_state=""))
    found = read_earlier_rows(workspace, {ours.qid})
    assert {row.proposal.id: (row.proposal.qid, row.approved, row.verdict, row.written) for row in found.values()} == {
        ours.id: (ours.qid, True, "approve", True),
        "decided": ("Q3", True, "", False),  # its edit was refused: it is open again
    }
    assert (found[ours.id].proposal, found[ours.id].accepted_references, found[ours.id].rejected_references) == (
        ours,
        ours.references,
        (),
    )
    for outcome, kept in (("pending", True), ("failed", False)):  # what an interrupted run may have sent stays as it is
        with workspace.engine.begin() as db:
            db.execute(store.edits.update().where(store.edits.c.n == 1).values(outcome=outcome))
        assert read_earlier_rows(workspace, {ours.qid})[ours.id].written is kept
    with workspace.engine.begin() as db:
        db.execute(store.edits.update().where(store.edits.c.n == 1).values(outcome="written"))
    gone = [ClaimOutcome(1, ours.id, ours.qid, "k1", TEX, word, 0.9, ()) for word in ("removed", "unsourced")]
    for outcomes, refused in ((gone[:1], ()), (gone, ours.references)):
        monkeypatch.setattr("bot.propose.earlier_rows.claim_outcomes", lambda _, outcomes=outcomes: outcomes)
        assert read_earlier_rows(workspace, set())[ours.id].rejected_references == refused
    assert read_earlier_rows(workspace, set())["decided"].rejected_references == ()
