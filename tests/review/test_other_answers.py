"""Every card has an end: another item in its place, changed by hand, left as it is, the item's own formula is wrong."""

from __future__ import annotations

import csv
import io
from dataclasses import replace
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from cli_runner import call
from web_records import SignedIn, dozen, opened, proposal, reads, reference, signed_in

from bot import hashchain, store
from bot.audit.coverage import ItemsWithFormula
from bot.audit.formulas import wrong
from bot.audit.survey import WikiSurvey
from bot.errors import LookupFailed, ReviewError
from bot.messages import uncoded_message
from bot.propose.build import BuildResult
from bot.propose.other_item_proposals import queued_proposal
from bot.propose.select import Suggestion
from bot.propose.stored_proposals import save_proposal
from bot.records import Check, Decision, Item, Proposal, Statement, as_json
from bot.review import decide, export_packet, import_packet, queue, show
from bot.review.exports import export, mismatch_finder
from bot.review.fcdb import representations
from bot.review.judgements import judgements
from bot.review.proposal_answers import (
    OtherItem,
    complete_decision,
    possible_answers,
    revision_of_manual_edit,
    stored_item,
)
from bot.review.proposal_state import State
from bot.review.web.rest import make_token
from bot.settings import Settings
from bot.store import Workspace

SETTINGS = Settings()
HUBBLE, EINSTEIN, OHM, FLAGGED = (f"{n:016x}" for n in (0, 1, 4, 11))


@pytest.fixture
def w(tmp_path: Path) -> Any:
    with opened(tmp_path / "w", "Ada", "Ben") as workspace:
        yield workspace


def there(qid: str, *values: str, revision: int = 9) -> Item:
    statements = tuple(Statement(f"{qid}${n + 1}", "P2534", value) for n, value in enumerate(values))
    return Item(qid, "an item", statements=statements, revision=revision)


def made(w: Workspace) -> list[tuple[str, str, str, str]]:
    rows = w.rows(sa.select(store.decisions).order_by(store.decisions.c.n))
    return [(row["proposal"], row["verdict"], row["reason"], row["about"]) for row in rows]


# -- it is this item instead
def test_the_other_items_card_takes_the_place_and_is_approved_there(w: Workspace, ada: SignedIn) -> None:
    answer = ada.decide(HUBBLE, "", instead="Q41591")
    assert answer.status_code == 303
    placed = queued_proposal(w, "Q41591", "v = H_0 d")
    assert placed is not None
    assert answer.headers["Location"].startswith(f"/p/{placed.id}")
    assert made(w) == [(HUBBLE, "reject", "wrong_item", "Q41591")]
    assert (placed.kind, placed.tex, placed.instead_of) == ("new_claim", "v = H_0 d", HUBBLE)
    assert placed.runners_up[0] == ("Q179916", "Hubble's law", 0.97)
    page = ada.get(answer.headers["Location"])
    assert "Ada said that this formula belongs here and not to Hubble&#39;s law." in page
    assert show(w, HUBBLE).state is State.REJECTED
    assert not queue(w, "approved")  # naming the item is not an approval of anything
    assert [row["not"] for row in representations(w)] == [["Q179916"]]


def test_what_is_left_to_decide_for_the_other_item(w: Workspace) -> None:
    one, why = proposal(40), uncoded_message("the item has it")
    refused = Check("item", "fail", uncoded_message("there is no such item"))
    plain = BuildResult(Suggestion(one.qid, "k", one.tex, 0.5, (), ()), Item(one.qid), one.id)
    for other, id_, nothing in (
        (OtherItem(one.qid, one), one.id, None),
        (OtherItem(one.qid, one, replace(plain, reason_for_nothing=why)), one.id, None),
        (OtherItem(one.qid, None), "", None),
        (OtherItem(one.qid, None, replace(plain, reason_for_nothing=why)), "", why),
        (OtherItem(one.qid, None, replace(plain, refused=refused)), "", refused.detail),
        (OtherItem(one.qid, None, replace(plain, proposal=one)), one.id, None),
    ):
        before = len(queue(w, "all"))
        assert (other.reason_for_nothing, other.enqueue(w)) == (nothing, id_)
        assert len(queue(w, "all")) - before == (other.waiting is None and bool(id_))


def test_its_content_hash_is_what_a_decision_there_is_bound_to(w: Workspace, ada: SignedIn) -> None:
    ada.decide(HUBBLE, "", instead="Q41591")
    placed = queued_proposal(w, "Q41591", "v = H_0 d")
    assert placed is not None
    with pytest.raises(ReviewError, match="changed"):
        decide(w, Decision(placed.id, show(w, HUBBLE).proposal.hash, "approve", reviewer="Ada"))


def test_an_item_that_has_a_card_of_this_formula_gets_no_second_one(tmp_path: Path) -> None:
    other = proposal(12, qid="Q41591", tex="v = H_0 d", references=(reference(3),))
    with opened(tmp_path / "w", "Ada", proposals=[*dozen(), other]) as w:
        before = len(queue(w, "all"))
        answer = signed_in(w, "Ada").decide(HUBBLE, "", instead="Q41591")
        assert answer.headers["Location"].startswith(f"/p/{other.id}")
        assert len(queue(w, "all")) == before


def test_undo_takes_the_other_items_card_out_again_but_not_a_decided_one(w: Workspace, ada: SignedIn) -> None:
    ada.decide(HUBBLE, "", instead="Q41591")
    assert ada.post("/undo").headers["Location"].startswith(f"/p/{HUBBLE}")
    assert queued_proposal(w, "Q41591", "v = H_0 d") is None
    ada.decide(HUBBLE, "", instead="Q41591")
    placed = queued_proposal(w, "Q41591", "v = H_0 d")
    assert placed is not None
    decide(w, Decision(placed.id, placed.hash, "unsure", reviewer="Ben"))
    ada.post("/undo")
    assert queued_proposal(w, "Q41591", "v = H_0 d") == placed


def test_an_item_that_has_the_formula_leaves_nothing_to_decide(w: Workspace, ada: SignedIn) -> None:
    with w.engine.begin() as db:
        db.execute(store.items.update().where(store.items.c.qid == "Q11518").values(record=_as_row("V = I R")))
    one = proposal(20, qid="Q83213", tex="V = I R")
    save_proposal(w, one, date(2026, 11, 20))
    answer = ada.decide(one.id, "other", other="Q11518")
    page = ada.client.get(answer.headers["Location"], follow_redirects=True).get_data(True)
    assert "Nothing is left to decide for Q11518" in page
    assert made(w)[-1] == (one.id, "reject", "wrong_item", "Q11518")
    assert queued_proposal(w, "Q11518", "V = I R") is None


def _as_row(tex: str) -> dict[str, Any]:
    reference_ = (reference(0), reference(1))
    statement = Statement("Q11518$1", "P2534", tex, "normal", reference_)
    return as_json(Item("Q11518", "theorem", statements=(statement,), revision=7))  # type: ignore[no-any-return]


def test_an_item_that_nobody_has_read_is_read_and_one_that_is_gone_is_refused(w: Workspace) -> None:
    known = {"Q4242": there("Q4242"), "Q4243": Item("Q4243", missing=True)}
    ada = signed_in(w, "Ada", open_client=reads(known.__getitem__))
    assert ada.decide(HUBBLE, "other", other="q4242").status_code == 303
    assert queued_proposal(w, "Q4242", "v = H_0 d") is not None
    answer = ada.decide(EINSTEIN, "other", other="Q4243")
    assert answer.status_code == 409
    assert "Q4243 does not exist" in answer.get_data(True)
    assert [each[0] for each in made(w)] == [HUBBLE]


@pytest.mark.parametrize("qid", ["", "P12", "Q0", "nonsense", "Q179916"])
def test_what_is_no_other_item_is_refused_and_nothing_is_recorded(w: Workspace, ada: SignedIn, qid: str) -> None:
    answer = ada.decide(HUBBLE, "other", other=qid)
    assert answer.status_code == 409
    assert made(w) == []


# -- an end without an edit of the bot
def test_a_change_by_hand_is_closed_with_the_revision_in_which_it_is_seen(w: Workspace) -> None:
    ada = signed_in(w, "Ada", open_client=reads(lambda qid: there(qid, "v = H_0 d")))
    answer = ada.decide(HUBBLE, "", close="by_hand")
    assert answer.status_code == 303
    assert made(w) == [(HUBBLE, "close", "by_hand", "9")]
    assert "Hubble&#39;s law was changed by hand, seen in revision 9" in ada.get(answer.headers["Location"])
    assert show(w, HUBBLE).state is State.CLOSED
    assert list(hashchain.decision_discrepancies(w)) == []


@pytest.mark.parametrize("item", [there("Q179916", revision=7), there("Q179916", revision=9)])
def test_an_item_that_nobody_has_changed_stays_open(w: Workspace, item: Item) -> None:
    ada = signed_in(w, "Ada", open_client=reads(lambda qid: item))
    answer = ada.decide(HUBBLE, "", close="by_hand")
    assert answer.status_code == 409
    assert f"looked at revision {item.revision}" in answer.get_data(True)
    assert made(w) == []


def test_a_wiki_that_cannot_be_asked_closes_nothing(w: Workspace) -> None:
    def away(qid: str) -> Item:
        raise LookupFailed(uncoded_message("cannot be reached"), where="https://wiki.example.org")

    answer = signed_in(w, "Ada", open_client=reads(away)).decide(HUBBLE, "", close="by_hand")
    assert answer.status_code == 409
    assert "cannot be reached" in answer.get_data(True)
    assert made(w) == []


def test_another_reference_on_the_item_is_a_change_by_hand_too(w: Workspace) -> None:
    standing = show(w, f"{10:016x}").proposal
    before = stored_item(w, "Q35875")
    cited = replace(before.statements[0], references=(reference(7), reference(8)))
    after = replace(before, statements=(cited,), revision=8)
    assert revision_of_manual_edit(standing, before, after, SETTINGS.wiki.properties) == 8
    with pytest.raises(ReviewError):
        revision_of_manual_edit(standing, before, replace(before, revision=8), SETTINGS.wiki.properties)


def test_what_is_left_as_it_is_comes_back_with_other_content_only(w: Workspace, ada: SignedIn) -> None:
    ada.decide(FLAGGED, "", close="leave")
    assert show(w, FLAGGED).state is State.CLOSED
    with w.engine.begin() as db:
        db.execute(store.proposals.update().where(store.proposals.c.id == FLAGGED).values(hash="another"))
    assert show(w, FLAGGED).state is State.FLAGGED


def test_a_wrong_formula_of_the_item_goes_to_the_mismatch_finder_until_it_is_taken_back(
    w: Workspace, ada: SignedIn
) -> None:
    ada.decide(OHM, "", close="item_wrong:Q41591$1")
    table = list(csv.DictReader(io.StringIO(export(w, SETTINGS, "mismatch-finder"))))
    assert [(row["item_id"], row["statement_guid"], row["wikidata_value"]) for row in table] == [
        ("Q41591", "Q41591$1", "U = R I")
    ]
    ada.post("/undo")
    assert mismatch_finder(w, SETTINGS).count("\n") == 1


def test_a_wrong_formula_is_one_that_the_item_has(w: Workspace) -> None:
    close = ("review", "close", OHM, "--as", "item_wrong", "--reviewer", "Ada", "-w", str(w.path))
    for given in ((), ("--statement", "Q41591$2")):
        call(*close, *given).refused("no formula with the statement id", "known: Q41591$1")
    assert made(w) == []
    assert call(*close, "--statement", "q41591$1").code == 0
    assert made(w)[0][1:] == ("close", "item_wrong", "Q41591$1")
    other = ("review", "reject", HUBBLE, "--reviewer", "Ada", "-w", str(w.path), "--item")
    call(*other, "x").refused("'X' is not an item id")
    call(*other, "Q179916").refused("proposed for Q179916 already")


@pytest.mark.parametrize(
    ("verdict", "reason", "about"),
    [
        ("close", "", ""),
        ("close", "wrong_item", ""),
        ("close", "by_hand", ""),
        ("close", "by_hand", "soon"),
        ("close", "by_hand", "0"),
        ("close", "leave", "12"),
        ("close", "item_wrong", ""),
        ("close", "item_wrong", "Q1$1"),
        ("approve", "", "Q1"),
        ("reject", "not_defining", "Q1"),
        ("reject", "wrong_item", "Q179916"),
    ],
)
def test_a_decision_is_about_nothing_that_does_not_go_with_it(
    w: Workspace, verdict: str, reason: str, about: str
) -> None:
    found = show(w, HUBBLE).proposal
    with pytest.raises(ReviewError):
        decide(w, Decision(found.id, found.hash, verdict, reason=reason, reviewer="Ada", about=about))
    assert made(w) == []


def test_what_a_decision_is_about_is_bound_by_the_chain(w: Workspace, ada: SignedIn) -> None:
    ada.decide(HUBBLE, "", close="leave")
    with w.engine.begin() as db:
        db.execute(store.decisions.update().values(about="Q1"))
    assert [str(each.what) for each in hashchain.decision_discrepancies(w)] == ["was changed after it was made"]


def test_none_of_these_answers_can_lead_to_a_write_or_teaches_matching_a_rejection(w: Workspace, ada: SignedIn) -> None:
    ada.decide(HUBBLE, "", close="leave")
    ada.decide(OHM, "", close="item_wrong:Q41591$1")
    assert queue(w, "approved") == []
    assert judgements(w).pairs == ()
    assert {row.state for row in queue(w, "closed")} == {State.CLOSED}


def test_a_packet_that_comes_back_has_looked_up_what_a_person_cannot_say(w: Workspace, tmp_path: Path) -> None:
    packet, after = tmp_path / "p.csv", there("Q179916", "v = H_0 d")
    export_packet(w, packet, SETTINGS)
    rows = list(csv.DictReader(io.StringIO(packet.read_text(encoding="utf-8"))))
    for row in rows:
        if row["proposal"] in (HUBBLE, OHM):
            row.update(verdict="close", reason="by_hand")
        if row["proposal"] == EINSTEIN:
            row.update(verdict="reject", reason="wrong_item", about="Q41591")
    with packet.open("w", encoding="utf-8", newline="") as file:
        table = csv.DictWriter(file, rows[0])
        table.writeheader()
        table.writerows(rows)

    def look_up(found: Proposal, decision: Decision) -> tuple[Decision, OtherItem | None]:
        return complete_decision(
            w, SETTINGS, found, decision, lambda qid: after if qid == "Q179916" else stored_item(w, qid)
        )

    found = import_packet(w, packet, "Ada", look_up)
    assert (found.recorded, [id_ for id_, _ in found.refused]) == (2, [OHM])
    assert made(w) == [(HUBBLE, "close", "by_hand", "9"), (EINSTEIN, "reject", "wrong_item", "Q41591")]
    assert queued_proposal(w, "Q41591", show(w, EINSTEIN).proposal.tex) is not None
    assert import_packet(w, packet, "Ada", look_up).known_already == 2


# -- what can be answered
def test_every_card_offers_an_answer_that_adds_or_ends(w: Workspace) -> None:
    for row in queue(w, "all"):
        found = possible_answers(row.proposal, stored_item(w, row.proposal.qid), SETTINGS.wiki.properties)
        assert {"by_hand", "leave"} < set(found)
        assert ("approve" in found) == (row.proposal.kind != "flag")
    bare = proposal(0, references=(), runners_up=())
    assert possible_answers(bare, Item("Q179916"), SETTINGS.wiki.properties) == (
        "by_hand",
        "leave",
        "reject",
        "unsure",
        "skip",
    )
    assert "item_wrong" in possible_answers(proposal(1), stored_item(w, "Q35875"), SETTINGS.wiki.properties)
    deprecated = stored_item(w, "Q182505")
    assert "item_wrong" not in possible_answers(proposal(6), deprecated, SETTINGS.wiki.properties)


def test_where_nothing_can_be_approved_two_ends_are_in_sight_and_nothing_is_in_the_place_of_approve(
    ada: SignedIn,
) -> None:
    page = ada.get(f"/p/{FLAGGED}")
    assert 'name="close" value="by_hand" class="quiet" data-key="h"' in page
    assert 'name="close" value="leave" class="quiet" data-key="l"' in page
    assert 'value="approve"' not in page


def test_a_further_formula_is_added_as_such(tmp_path: Path) -> None:
    beside = proposal(4, beside=(("Q41591$1", "U = R I"),))
    with opened(tmp_path / "w", "Ada", proposals=[beside]) as w:
        assert "Add as a second formula" in signed_in(w, "Ada").get(f"/p/{beside.id}")


def test_the_api_does_the_same(w: Workspace) -> None:
    app = signed_in(w, "Ada", open_client=reads(lambda qid: there(qid, "E = mc^2", "E = m c^{2}"))).app
    head = {"Authorization": f"Bearer {make_token(w, 'Ben')}"}
    client = app.test_client()

    def told(id_: str, **body: str) -> tuple[int, dict[str, Any]]:
        found = client.get(f"/api/v1/proposals/{id_}", headers=head).get_json()
        answer = client.post(
            f"/api/v1/proposals/{id_}/decisions",
            headers=head,
            json={"hash": found["hash"], "words": found["words"], **body},
        )
        return answer.status_code, answer.get_json()

    answer = client.get(f"/api/v1/proposals/{HUBBLE}", headers=head).get_json()
    assert answer["answers"] == ["approve", "other_item", "by_hand", "leave", "reject", "unsure", "skip"]
    code, found = told(HUBBLE, verdict="reject", reason="wrong_item", about="Q41591")
    placed = queued_proposal(w, "Q41591", "v = H_0 d")
    assert (code, found["about"], found["placed"]) == (201, "Q41591", placed.id if placed else "")
    assert told(EINSTEIN, verdict="close", reason="by_hand")[1]["about"] == "9"
    assert told(OHM, verdict="close", reason="nothing")[0] == 409


def test_the_audit_tells_of_a_wrong_formula_while_it_is_there(w: Workspace, ada: SignedIn) -> None:
    ada.decide(OHM, "", close="item_wrong:Q41591$1")
    statement = Statement("Q41591$1", "P2534", "U = R I")
    survey = WikiSurvey(w, LookupFailed(uncoded_message("away")), SETTINGS, datetime(2026, 11, 22, tzinfo=UTC))
    survey.__dict__["_covered"] = ItemsWithFormula({"Q41591": Item("Q41591", "Ohm's law", statements=(statement,))}, 0)
    survey.__dict__["formulas"] = [(Item("Q41591", "Ohm's law"), statement)]
    found = list(wrong(survey))
    assert [(each.item, each.evidence, each.formulas) for each in found[:-1]] == [("Q41591", "Q41591$1", ("U = R I",))]
    assert found[-1].what == "1 formula of 1 that reviewers say are wrong still there"
    survey.__dict__["formulas"] = []
    assert [each.what for each in wrong(survey)] == ["0 formulas of 1 that reviewers say are wrong still there"]


def test_the_commands_close_and_name_another_item(w: Workspace) -> None:
    path = str(w.path)

    def run(*words: str) -> str:
        said = call(*words)
        assert said.code == 0, said
        return said.out

    assert "rejected" in run("review", "reject", HUBBLE, "--item", "Q41591", "--reviewer", "Ada", "-w", path)
    placed = queued_proposal(w, "Q41591", "v = H_0 d")
    assert placed is not None
    run("review", "close", OHM, "--as", "item_wrong", "--statement", "Q41591$1", "--reviewer", "Ada", "-w", path)
    run("review", "close", FLAGGED, "--as", "leave", "--reviewer", "Ben", "-w", path)
    assert [each[1:] for each in made(w)] == [
        ("reject", "wrong_item", "Q41591"),
        ("close", "item_wrong", "Q41591$1"),
        ("close", "leave", ""),
    ]
    run("review", "withdraw", HUBBLE, "--reviewer", "Ada", "-w", path)
    assert queued_proposal(w, "Q41591", "v = H_0 d") is None
