"""What the page says is so: counts, searches, statistics, first approvals of two, and who keeps a proposal from whom."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from web_records import SignedIn, dozen, opened, proposal, signed_in

from bot import store
from bot.errors import ReviewError
from bot.records import Decision
from bot.review import decide
from bot.review.queue_rules import change_rules
from bot.review.statistics import Statistics, statistics
from bot.review.web import make_app
from bot.review.web.security import OneTimeToken
from bot.settings import Settings
from bot.store import Workspace

ONE, OTHER, FLAGGED = f"{0:016x}", f"{1:016x}", f"{11:016x}"


@pytest.fixture
def w(tmp_path: Path) -> Any:
    with opened(tmp_path / "w", "Ada", "Ben", "Cleo") as workspace:
        yield workspace


def counts(person: SignedIn, query: str = "") -> dict[str, int]:
    """Return the numbers by state over the queue."""
    bar = person.get(f"/{query}").split('<nav class="states"')[1].split("</nav>")[0]
    return {state: int(n) for state, n in re.findall(r"state=(\w+)[^>]*>[^<]*<b>(\d+)", bar)}


# -- counts
def test_counts_are_right_after_each_decision(w: Workspace, ada: SignedIn) -> None:
    assert counts(ada) == {"open": 11, "flagged": 1}
    ada.decide(ONE, "approve")
    assert counts(ada) == {"open": 10, "flagged": 1, "approved": 1}
    assert "1 of 11 decided" in ada.get("/")
    ada.decide(OTHER, "", reject="duplicate")
    assert counts(ada) == {"open": 9, "flagged": 1, "approved": 1, "rejected": 1}
    ada.post("/undo")
    assert counts(ada) == {"open": 10, "flagged": 1, "approved": 1}
    assert "Ada (1)" in ada.get("/?low=10")
    found = ada.get("/?high=90")
    assert "7 proposals" in found
    ada.decide(f"{4:016x}", "unsure")
    assert "6 proposals" in ada.get("/?high=90")


def test_counts_follow_what_others_decide_elsewhere(w: Workspace, ada: SignedIn) -> None:
    assert counts(ada)["open"] == 11
    signed_in(w, "Ben").decide(ONE, "approve")  # a server of its own
    assert counts(ada) == {"open": 10, "flagged": 1, "approved": 1}
    decide(w, Decision(OTHER, dozen()[1].hash, "reject", reason="duplicate", reviewer="Cleo"))  # by command
    assert counts(ada) == {"open": 9, "flagged": 1, "approved": 1, "rejected": 1}


def test_expired_ones_are_counted_apart_and_follow_a_decision(tmp_path: Path) -> None:
    made = [proposal(0), proposal(1, expires="2026-01-01"), proposal(2, expires="2026-01-01")]
    with opened(tmp_path / "w", "Ada", proposals=made) as w:
        ada = signed_in(w, "Ada")
        assert counts(ada) == {"open": 1, "expired": 2}
        ada.decide(OTHER, "", reject="duplicate")
        assert counts(ada) == {"open": 1, "expired": 1, "rejected": 1}


# -- searches
def test_a_search_says_what_it_found_in_other_states(w: Workspace, ada: SignedIn) -> None:
    flagged = ada.get("/?q=ohm&kind=flag")
    assert "Nothing here" not in flagged
    assert f'href="/p/{FLAGGED}' in flagged
    assert "state=flagged" in flagged.split('class="elsewhere"')[1]
    ada.decide(ONE, "approve")
    found = ada.get("/?q=hubble")
    assert "Nothing here" not in found
    assert "it is here in other states" in found
    assert f'href="/p/{ONE}' in found
    assert "q=hubble" in found.split('class="elsewhere"')[1]
    assert "Nothing here" in ada.get("/?q=nosuchthing")


def test_a_search_that_other_filters_hide_says_so(ada: SignedIn) -> None:
    found = ada.get("/?q=hubble&low=5&high=10")
    assert "it is here without them" in found
    assert f'href="/p/{ONE}' in found


def test_a_search_that_finds_some_tells_of_the_others_in_a_line(ada: SignedIn) -> None:
    ada.decide(f"{4:016x}", "unsure")
    found = ada.get("/?q=law")
    assert "Found in other states too" in found
    assert set(re.findall(r"state_?=?(\w+)&amp;q=law", found)) >= {"unsure", "flagged"}


def test_no_search_tells_the_first_decision_to_who_makes_the_second_unseen(w: Workspace, ada: SignedIn) -> None:
    change_rules(w, {"blind": "1"})
    ada.decide(ONE, "approve")
    ben = signed_in(w, "Ben")
    assert 'class="elsewhere"' not in ben.get("/?q=hubble")
    other = ben.get("/?q=hubble&state=unsure").split('class="elsewhere"')[1]
    assert "approved" not in other
    assert "Ada" not in other


# -- statistics
def sums(found: Statistics) -> set[tuple[int, int]]:
    """Return (approved, rejected) by day, by person and by band."""
    return {
        (sum(r[1] for r in found.days), sum(r[2] for r in found.days)),
        (sum(r[1] for r in found.people), sum(r[2] for r in found.people)),
        (sum(b.approved for b in found.bands), sum(b.rejected for b in found.bands)),
    }


def test_statistics_agree_with_themselves_when_decisions_are_taken_back(w: Workspace, ada: SignedIn) -> None:
    for n in range(4):
        ada.decide(f"{n:016x}", "approve")
    ada.decide(f"{5:016x}", "", reject="duplicate")
    for _ in range(3):
        ada.post("/undo")  # the rejection, and two approvals
    found = statistics(w)
    assert (found.words, found.proposals, sums(found)) == (2, 2, {(2, 0)})
    assert found.reasons == ()
    assert "Decisions: 2, proposals: 2." in ada.get("/statistics")
    ada.decide(f"{6:016x}", "", reject="duplicate")
    assert "Decisions: 3, proposals: 3." in ada.get("/statistics")  # at once


def test_who_decides_again_counts_once_and_a_slip_is_no_disagreement(w: Workspace) -> None:
    hash_ = dozen()[0].hash
    for who, verdict in (
        ("Ada", "reject"),
        ("Ada", "withdraw"),
        ("Ada", "approve"),
        ("Ben", "approve"),
        ("Ben", "unsure"),
    ):
        reason = "duplicate" if verdict == "reject" else ""
        decide(w, Decision(ONE, hash_, verdict, reason=reason, reviewer=who))
    found = statistics(w)
    assert sums(found) == {(1, 0)}
    assert (found.agreement.pairs, found.agreement.same) == (1, 1)
    with pytest.raises(ReviewError, match="only your own decision"):
        decide(w, Decision(ONE, hash_, "withdraw", reviewer="Cleo"))
    decide(w, Decision(ONE, hash_, "withdraw", reviewer="Ben"))
    assert statistics(w).words == 1


# -- the first approval of two
def test_the_first_approval_of_two_says_that_it_waits(w: Workspace, ada: SignedIn) -> None:
    change_rules(w, {"two_persons": "true"})
    ada.decide(ONE, "approve")
    assert "It waits for a second person" in ada.get("/")
    assert "It waits for a second person" in ada.get(f"/p/{ONE}")
    ben = signed_in(w, "Ben")
    ben.decide(ONE, "approve")
    after = ben.get("/")
    assert "Approved: Hubble" in after
    assert "second person" not in after.split('class="states"')[0]
    boxes = re.findall(r'name="chosen" value="([^"]+)"', ada.get("/"))
    ada.post("/batch", chosen=boxes[:2])
    assert "2 of them wait for a second person" in ada.get("/")


def test_a_decision_against_another_says_that_it_is_disputed(w: Workspace, ada: SignedIn) -> None:
    change_rules(w, {"blind": "1"})
    ben, cleo = signed_in(w, "Ben"), signed_in(w, "Cleo")
    ben.decide(ONE, "approve")
    cleo.decide(ONE, "", reject="not_defining")
    assert "Another person decided otherwise" in cleo.get("/")


# -- who looks at it
def test_looking_at_ones_own_approval_keeps_the_second_person_from_nothing(w: Workspace, ada: SignedIn) -> None:
    change_rules(w, {"two_persons": "true"})
    ada.decide(ONE, "approve")
    ada.get(f"/p/{ONE}")
    ben = signed_in(w, "Ben")
    assert "is looking at it" not in ben.get(f"/p/{ONE}")
    assert ben.decide(ONE, "approve").status_code == 303


@pytest.mark.parametrize("path", ["/", "/statistics", "/item/Q35875", "/formulas", "/help", f"/p/{OTHER}"])
def test_who_goes_elsewhere_leaves_the_proposal_to_others(w: Workspace, ada: SignedIn, path: str) -> None:
    ben = signed_in(w, "Ben")
    ada.get(f"/p/{ONE}")
    assert "Ada is looking at it" in ben.get(f"/p/{ONE}")
    ada.get(path)
    assert "is looking at it" not in ben.get(f"/p/{ONE}")
    assert ben.decide(ONE, "approve").status_code == 303


def test_a_closed_page_leaves_the_proposal_to_others(w: Workspace, ada: SignedIn) -> None:
    ada.get(f"/p/{ONE}")
    assert ada.post("/leave", proposal=ONE).status_code == 204
    assert "is looking at it" not in signed_in(w, "Ben").get(f"/p/{ONE}")


def test_a_page_left_open_can_be_taken_over_at_once_and_one_decision_is_kept(w: Workspace, ada: SignedIn) -> None:
    ben = signed_in(w, "Ben")
    fields = ada.fields(ONE)
    assert "Take it over" in ben.get(f"/p/{ONE}")
    assert ben.decide(ONE, "approve").status_code == 409  # not by mistake
    assert ben.decide(ONE, "take_over").status_code == 303
    late = ada.post(f"/p/{ONE}", **{**fields, "verdict": "approve"})
    assert "Ben is looking at it" in late.get_data(True)
    assert ben.decide(ONE, "approve").status_code == 303
    assert ada.post(f"/p/{ONE}", **{**fields, "verdict": "approve"}).status_code == 409
    rows = w.rows(sa.select(store.decisions))
    assert [(row["reviewer"], row["verdict"]) for row in rows] == [("Ben", "approve")]


# -- signing out, and what did not arrive
def test_after_signing_out_a_new_address_lets_one_in_without_a_new_start(w: Workspace) -> None:
    told: list[str] = []
    token = OneTimeToken(told.append)
    client = make_app(w, Settings(), hosts={"localhost"}, token=token, reviewer="Ada").test_client()
    first = token.text
    assert client.get(f"/sign-in/{first}").status_code == 303
    csrf = re.findall(r'data-csrf="([^"]+)"', client.get("/").get_data(True))[0]
    client.post("/sign-out", data={"csrf": csrf})
    assert "has been printed where the command runs" in client.get("/sign-in").get_data(True)
    client.get("/sign-in")
    assert told == [token.text] != [first]  # printed once, until it is used
    assert client.get(f"/sign-in/{first}").status_code == 403
    assert client.get(f"/sign-in/{token.text}").status_code == 303
    assert client.get("/").status_code == 200
    stranger = client.application.test_client()
    assert token.text not in stranger.get("/sign-in").get_data(True)  # only where the command runs


def test_a_decision_after_the_end_of_a_session_is_said_not_to_be_recorded(w: Workspace, ada: SignedIn) -> None:
    fields = ada.fields(ONE)
    ada.client.delete_cookie(ada.app.config["SESSION_COOKIE_NAME"])
    answer = ada.post(f"/p/{ONE}", **{**fields, "verdict": "approve"})
    assert answer.location == "/sign-in"
    assert "what you sent was not recorded" in ada.get("/sign-in")
    assert w.rows(sa.select(store.decisions)) == []


def test_a_decision_that_arrives_twice_is_known_as_ones_own(w: Workspace, ada: SignedIn) -> None:
    fields = ada.fields(ONE)
    assert ada.post(f"/p/{ONE}", **{**fields, "verdict": "approve"}).status_code == 303
    again = ada.post(f"/p/{ONE}", **{**fields, "verdict": "approve"})
    assert again.status_code == 409
    assert "you have decided on it already" in again.get_data(True)
    assert len(w.rows(sa.select(store.decisions))) == 1


def test_the_same_decision_again_is_said_to_exist_and_is_not_appended(w: Workspace, ada: SignedIn) -> None:
    for id_, verdict, more in ((ONE, "approve", {}), (OTHER, "", {"reject": "duplicate"}), (FLAGGED, "unsure", {})):
        assert ada.decide(id_, verdict, **more).status_code == 303
        again = ada.decide(id_, verdict, **more)  # with the page as it is now
        assert again.status_code == 409
        assert "this decision exists already" in again.get_data(True)
    assert len(w.rows(sa.select(store.decisions))) == 3
    assert ada.decide(ONE, "", reject="duplicate").status_code == 303
    assert ada.decide(ONE, "approve").status_code == 303  # something else was said since
    assert len(w.rows(sa.select(store.decisions))) == 5
