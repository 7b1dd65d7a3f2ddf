"""Figures, rows and lists as they are worked out: statistics of a person, the next question, lists, exports, searches."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import sqlalchemy as sa
from msgspec.structs import replace as replace_entry
from web_records import SignedIn, dozen, proposal, signed_in

from bot import store
from bot.errors import ItemsError, ReviewError
from bot.messages import uncoded_message
from bot.records import Decision, Item, Reference, Statement, as_json
from bot.review import (
    add_reviewer,
    answers,
    curated,
    decide,
    exports,
    fcdb,
    packet,
    queue,
    remove_reviewer,
    reviewer,
    reviewers,
    sessions,
    show,
)
from bot.review.decide import needs_confirmation
from bot.review.proposal_answers import revision_of_manual_edit
from bot.review.proposal_state import State
from bot.review.ranked_list import ranked_concepts, ranked_list
from bot.review.reconciliation.known_items import KnownItems
from bot.review.statistics import statistics_of_decisions
from bot.review.web import control_questions, make_app, pages_queue, pages_statistics, queue_selection, views
from bot.review.web.openapi import description
from bot.review.web.queue_filters import Filter
from bot.review.web.rest import make_token
from bot.review.web.review_context import ReviewContext
from bot.review.web.security import FailureLimiter
from bot.review.web.translation import error_text, language
from bot.settings import Properties, Settings
from bot.store import Workspace

WORDS = {"n": 1, "hash": "h", "reason": "", "time": "2026-11-20T10:00:00Z", "tex": "", "probability": 0.95}

# -- statistics


def test_a_reviewer_sees_own_figures_and_the_others_in_one_row(
    w: Workspace, ada: SignedIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = [
        {**WORDS, "n": n, "proposal": f"p{n}", "verdict": verdict, "reviewer": name}
        for n, (name, verdict) in enumerate(
            [("Ada", "approve"), ("Ben", "reject"), ("Cleo", "approve"), ("Cleo", "reject")]
        )
    ]
    seen = [{"reviewer": name, "verdict": "reject"} for name in ("Ada", "Ben")]
    given: dict[str, Any] = {}
    monkeypatch.setattr(pages_statistics, "measured", lambda workspace: statistics_of_decisions(rows, seen))
    monkeypatch.setattr(pages_statistics, "render_template", lambda name, **values: given.update(values) or "")
    ada.client.get("/statistics")
    assert given["people"] == (("Ada", 1, 0), ("Ben", 0, 1), ("Cleo", 1, 1))
    assert given["attention"] == (("Ada", 1, 1), ("Ben", 1, 1))
    ben = signed_in(w, "Ben")
    ben.client.get("/statistics")
    assert given["people"] == [("Ben", 0, 1), ("other people", 2, 1)]
    assert given["attention"] == [("Ben", 1, 1)]
    rows = rows[1:2]
    ben.app.extensions["review"].facets._kept.clear()
    ben.client.get("/statistics")
    assert given["people"] == [("Ben", 0, 1)]


def test_progress_is_what_is_decided_of_all_that_are_no_flags(ada: SignedIn, monkeypatch: pytest.MonkeyPatch) -> None:
    states = {"approved": 3, "rejected": 2, "written": 1, "open": 4, "flagged": 7, "closed": 1}
    monkeypatch.setattr(ReviewContext, "states", lambda self: dict(states))
    from flask import g, session

    with ada.app.test_request_context():
        g.who = "Ada"
        session["count"] = 5
        assert pages_queue.progress() == {"done": 6, "total": 11, "mine": 5, "percent": 54}
        states.clear()
        assert pages_queue.progress() == {"done": 0, "total": 0, "mine": 5, "percent": 0}
        g.who = ""
        states["open"] = 3
        assert pages_queue.progress()["total"] == 0


# -- control questions


def test_as_many_questions_are_made_as_asked_for_from_six_times_as_many_proposals(w: Workspace) -> None:
    assert control_questions.make_questions(w, 2) == 2
    first = w.rows(sa.select(store.control_questions).order_by(store.control_questions.c.id))
    assert control_questions.make_questions(w, 2) == control_questions.make_questions(w, 1) == 2
    assert w.rows(sa.select(store.control_questions).order_by(store.control_questions.c.id)) == first
    assert control_questions.make_questions(w, 60) == 10
    row = control_questions.row_of(w, {**first[0]["record"], "concept": "concept-3"})
    assert (row.frequency, row.label) == (
        37,
        next(i["record"]["label"] for i in w.rows(sa.select(store.items)) if i["qid"] == row.qid),
    )
    assert control_questions.row_of(w, {**first[0]["record"], "concept": "none", "qid": "Q9"}).frequency == 0
    with w.engine.begin() as db:
        db.execute(store.control_questions.delete())
        db.execute(store.proposals.delete().where(store.proposals.c.id != f"{0:016x}"))
    assert control_questions.make_questions(w, 5) == 0


def test_proposals_are_drawn_six_for_each_question(w: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []
    monkeypatch.setattr(control_questions, "with_wrong_items", lambda found: asked.append(len(found)) or iter(found))
    assert control_questions.make_questions(w, 1) == 1
    assert asked == [6]


# -- the pages


def test_what_somebody_looks_at_is_free_once_they_look_at_another_page(w: Workspace, ada: SignedIn) -> None:
    def lease() -> str:
        row = queue_selection.row_of(w, f"{0:016x}")
        assert row is not None
        return row.lease

    ada.get(f"/p/{0:016x}")
    ada.post("/topics", remove="x")
    ada.client.get(f"/p/{0:016x}/source/1")
    assert ada.client.get(f"/p/{0:016x}/source/2").status_code == 404
    assert ada.client.get(f"/p/{0:016x}/source/0").status_code == 404
    assert lease() == "Ada"
    ada.get("/help")
    assert lease() == ""


def test_the_number_of_rows_is_said_where_the_page_does_not_show_it(w: Workspace) -> None:
    app = make_app(w, Settings(), hosts={"localhost"})
    assert len(app.config["SESSION_COOKIE_NAME"]) == len("formula_review_") + 8
    entry = queue_selection.row_of(w, f"{0:016x}")
    assert entry is not None
    with app.test_request_context():
        from flask import g

        g.who = "Ada"
        for chosen, number, after, wanted in (
            (Filter(), 49, "", 49),
            (Filter(), 50, "", 10 + 1),
            (Filter(), 3, "x", 10 + 1),
            (Filter(state="all"), 50, "", None),
            (Filter(state="all", q="law"), 50, "", 5),
        ):
            assert pages_queue._total(chosen, [entry] * number, after) == wanted
        assert not pages_queue.session_is_over()
        from flask import session

        session.update(until=3, count=2)
        assert not pages_queue.session_is_over()
        session["count"] = 3
        assert pages_queue.session_is_over()
        for more, high in ((1986, 70), (1987, 7), (1994, 100)):  # what is behind 2,000 characters is not read
            assert pages_queue.filter_of("low=5&" + "x" * more + "&high=70") == Filter(low=5, high=high)
        row = pages_queue.shown_row(
            replace_entry(entry, probability=1.0, first_decider="Ben", state=State.APPROVED, reviewer="Ben")
        )
        assert (row.percent, row.state, row.reviewer) == (99, "open", "")
        row = pages_queue.shown_row(
            replace_entry(entry, probability=0.666, first_decider="Ada", state=State.APPROVED, reviewer="Ada")
        )
        assert (row.percent, row.state, row.reviewer) == (66, "approved", "Ada")
        assert pages_queue.shown_row(replace_entry(entry, expires="2020-01-01")).state == "expired"


def test_an_error_says_what_where_and_what_to_do(w: Workspace) -> None:
    with make_app(w, Settings(), hosts={"localhost"}).test_request_context("/?lang=en"):
        said = [
            str(error_text(error))
            for error in (
                ReviewError(uncoded_message("bad")), ReviewError(uncoded_message("bad"), where="here"), ReviewError(uncoded_message("bad"), todo="mend it"), ReviewError(uncoded_message("bad"), where="here", todo="mend it"),
                ItemsError(uncoded_message("bad"), where="file"),
            )
        ]  # fmt: skip
    assert said[0] == "bad"
    assert [("here" in each, "mend it" in each) for each in said] == [
        (False, False),
        (True, False),
        (False, True),
        (True, True),
        (False, False),
    ]
    assert said[4] == "bad. (file)"


def test_the_api_refuses_what_is_no_json_and_describes_itself(w: Workspace) -> None:
    client = make_app(w, Settings(), hosts={"localhost"}).test_client()
    token = {"Authorization": f"Bearer {make_token(w, 'Ada')}"}
    answer = client.post("/api/v1/next", data="{}", headers=token)
    assert (answer.status_code, answer.get_json()["error"]) == (
        422,
        {"code": 422, "what": "the body has to be a JSON object, with the header Content-Type: application/json"},
    )
    answer = client.post("/api/v1/next", json={"x" * 400: 1}, headers=token)
    assert (answer.status_code, len(answer.get_json()["error"]["what"])) == (422, 300)
    assert client.get("/api/v1/items/P5/proposals", headers=token).status_code == 404
    found: Any = description()
    asked = found["paths"]["/api/v1/items/{qid}/proposals"]["get"]
    assert asked["parameters"][0] == {
        "name": "qid",
        "in": "path",
        "required": True,
        "schema": {"type": "string", "minLength": 1},
    }
    assert [*asked["responses"]] == ["200", "401", "403", "404", "429"]
    assert "requestBody" not in asked
    decision = found["paths"]["/api/v1/proposals/{proposal}/decisions"]["post"]
    assert [*decision["responses"]] == ["201", "401", "403", "404", "409", "415", "422", "429"]
    assert decision["requestBody"]["content"]["application/json"]["schema"] == {
        "$ref": "#/components/schemas/DecisionRequest"
    }
    assert found["components"]["responses"]["Error"]["description"] == "What is wrong, and what to do"
    assert "parameters" not in found["paths"]["/api/v1/next"]["post"]


def test_old_values_are_forgotten_when_there_are_many(monkeypatch: pytest.MonkeyPatch) -> None:
    kept: queue_selection.QueueCache = queue_selection.QueueCache(1000)
    made: list[int] = []
    for n in [*range(501), 0, 501, 0]:
        kept.get(n, lambda n=n: made.append(n))  # type: ignore[misc]
    assert made == [*range(502), 0]
    limit = FailureLimiter(1, 1000)
    assert [limit.allows("0"), limit.allows("0")] == [True, False]
    for n in range(1, 10_001):
        limit.allows(str(n))
    assert len(limit._seen) == 10_001
    assert limit.allows("0")
    assert len(limit._seen) == 1


def test_two_hundred_choices_are_offered(w: Workspace) -> None:
    with w.engine.begin() as db:
        db.execute(store.queue_tags.insert(), [{"tag": f"corpus:c{n:03}", "proposal": "p"} for n in range(201)])
    found = queue_selection.filter_choices(w)["corpus"]
    assert (len(found), found[0], found[1]) == (200, ("c000", 1), ("c001", 1))


@pytest.mark.parametrize(
    ("path", "kept", "browser", "wanted"),
    [
        ("/?lang=de", "fr", "es", "de"),
        ("/?lang=xx", "fr", "es", "fr"),
        ("/", "", "es, de;q=0.5", "es"),
        ("/", "", "ja", "en"),
        ("/api/v1/statistics?lang=de", "fr", "es", "de"),
        ("/api/v1/statistics?lang=xx", "fr", "es", "en"),
    ],
)
def test_the_language_is_the_chosen_the_kept_or_the_browsers(
    workspace: Workspace, path: str, kept: str, browser: str, wanted: str
) -> None:
    app = make_app(workspace, Settings(), hosts={"localhost"})
    with app.test_request_context(path, headers={"Accept-Language": browser}):
        from flask import session

        session["lang"] = kept
        assert (language(), language()) == (wanted, wanted)
        assert session["lang"] == ("de" if path == "/?lang=de" else kept)


# -- people, sessions and the queue


def test_a_person_has_one_role_and_a_script_stays_one(workspace: Workspace) -> None:
    assert add_reviewer(workspace, " Ada ") == "Ada"
    add_reviewer(workspace, "robot", "stand-in")
    add_reviewer(workspace, "Ada", "operator")
    add_reviewer(workspace, "robot", "stand-in")
    assert reviewers(workspace) == {"Ada": "operator", "robot": "stand-in"}
    for name, role in (
        ("Ada", "stand-in"),
        ("robot", "reviewer"),
        ("Ben", "king"),
        ("a#b", "reviewer"),
        ("", "reviewer"),
    ):
        with pytest.raises(ReviewError):
            add_reviewer(workspace, name, role)
    assert reviewers(workspace) == {"Ada": "operator", "robot": "stand-in"}
    remove_reviewer(workspace, "robot")
    with pytest.raises(ReviewError, match="is not a reviewer"):
        remove_reviewer(workspace, "robot")
    assert (reviewer(workspace), reviewer(workspace, "Ada")) == ("Ada", "Ada")


def test_who_is_removed_gives_back_what_was_looked_at(w: Workspace, ada: SignedIn) -> None:
    for n, name in enumerate(("Ben", "Ada")):
        assert queue_selection.lease(w, f"{n:016x}", name, 10)
    secret = sessions.begin_session(w, "Ben", 8)
    remove_reviewer(w, "Ben")
    found = [queue_selection.row_of(w, f"{n:016x}") for n in range(2)]
    assert [each and each.lease for each in found] == ["", "Ada"]
    assert [each and bool(each.until) for each in found] == [False, True]
    assert sessions.session_reviewer(w, secret, 8) is None


def test_sessions_are_named_by_a_beginning_that_fits_one(workspace: Workspace) -> None:
    with workspace.engine.begin() as db:
        rows = [
            {"digest": digest + "0" * 20, "reviewer": name, "created": f"2026-01-0{day}", "expires": "2027"}
            for digest, name, day in (("ab1", "Ada", 2), ("ab2", "Ada", 1), ("c", "Ben", 3))
        ]
        db.execute(store.api_tokens.insert(), rows)

    def listed(*names: str, reviewer: str = "") -> list[str]:
        return [each.id for each in sessions.list_open(workspace, store.api_tokens, names, reviewer)]

    assert listed() == ["ab20000000", "ab10000000", "c000000000"]
    assert listed(reviewer="Ada") == listed("ab2", "ab1") == ["ab20000000", "ab10000000"]
    for name, why in (("ab", "fits several"), ("d", "fits none"), ("", "fits none")):
        with pytest.raises(ReviewError, match=why):
            listed(name)
    with pytest.raises(ReviewError, match="fits none"):  # also where there is none at all
        sessions.list_open(workspace, store.sessions, ["ab1"])
    sessions.end_listed(workspace, store.api_tokens, sessions.list_open(workspace, store.api_tokens, ["ab1"]))
    assert listed() == ["ab20000000", "c000000000"]
    assert sessions.list_open(workspace, store.api_tokens)[0].until == "2027"


def test_a_row_of_the_queue_has_the_number_of_its_decision(w: Workspace) -> None:
    one, two, *_ = dozen()
    decide(w, Decision(two.id, two.hash, "unsure", reviewer="Ada"))
    decide(w, Decision(one.id, one.hash, "approve", reviewer="Ada"))
    row = show(w, one.id)
    assert (row.number, row.state, row.decision and row.decision.verdict, row.reopened) == (
        2,
        "approved",
        "approve",
        False,
    )
    assert (show(w, dozen()[2].id).number, show(w, dozen()[2].id).decision) == (0, None)
    assert [row.proposal.id for row in queue(w, "all")][:3] == [one.id, two.id, dozen()[2].id]
    assert [row.proposal.id for row in queue(w, "unsure")] == [two.id]
    assert (len(queue(w)), len(queue(w, "all"))) == (9, 12)
    with pytest.raises(ReviewError):
        queue(w, "none")


# -- lists and searches


def test_what_a_person_refuted_is_kept_of_the_last_decision_on_each_claim(w: Workspace) -> None:
    hubble, mass, newton = dozen()[:3]
    for one, verdict, reason in ((hubble, "reject", "wrong_item"), (hubble, "skip", ""), (mass, "reject", "bad_source"), (newton, "reject", "wrong_item"), (newton, "approve", "")):  # fmt: skip
        decide(w, Decision(one.id, one.hash, verdict, reason=reason, reviewer="Ada"))
    with w.engine.begin() as db:
        record = as_json(proposal(5, kind="symbol"))
        db.execute(
            store.decisions.insert().values(
                proposal="s", verdict="reject", reason="wrong_item", reviewer="Ada", record=record
            )
        )
    assert fcdb.rejected_items(w) == {"concept-0": ["Q179916"]}


def test_an_item_without_a_label_is_called_by_its_id() -> None:
    items = KnownItems([{"qid": "Q1", "aliases": ["a"]}, {"qid": "Q2", "label": "two"}], {})
    assert [items.name(qid) for qid in ("Q1", "Q2", "Q9")] == ["Q1", "two", "Q9"]
    assert [items.aliases("Q1"), items.aliases("Q2"), items.types("Q1"), items.formulas("Q1")] == [["a"], (), (), []]


def test_labels_of_many_items_are_asked_for_in_parts(w: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []

    def rows(query: sa.Select[Any]) -> list[store.Row]:
        asked.append(len(next(iter(query.compile().params.values()))))
        return []

    with monkeypatch.context() as patched:
        patched.setattr(w, "rows", rows)
        assert answers.labels_of(w, [f"Q{n}" for n in range(801)] * 2) == {}
    assert asked == [400, 400, 1]
    with w.engine.begin() as db:
        db.execute(store.items.insert().values(qid="Q7", revision=1, record=as_json(Item("Q7"))))
    assert answers.labels_of(w, ["Q7", "Q41591", "Q41591", "Q0"]) == {"Q41591": "Ohm's law"}


def test_names_are_searched_by_likeness_and_each_item_is_found_once(w: Workspace) -> None:
    known = [("Q1", "Ohm's law", "a"), ("Q1", "law of Ohm", "a"), ("Q2", "Ohm", "b"), ("Q3", "zebra", "c")]
    assert answers.items_with_similar_name(known, "OHM'S LAW ") == [known[0], known[2]]
    assert answers.items_with_similar_name(known, "", " ") == []
    assert [qid for qid, *_ in answers.items_with_similar_name(known, "zebra", "ohm's law", limit=2)] == ["Q1", "Q3"]
    many = [(f"Q{n // 3}", f"law {n}", "") for n in range(60)]
    assert len(answers.items_with_similar_name(many, "law")) == 12
    assert len(answers.items_with_similar_name(many, "law", limit=4)) == 4
    assert answers.items_with_similar_name(known, "qqq") == []
    named = [
        ("Q2", "energy", ""),
        ("Q1", "kinetic energy", ""),
    ]  # of several names that are asked for the likest counts
    assert [qid for qid, *_ in answers.items_with_similar_name(named, "kinetic energies", "energie")] == ["Q1", "Q2"]
    crowd = [("Q0", "law", "")] * 36
    assert [qid for qid, *_ in answers.items_with_similar_name([*crowd[1:], ("Q1", "law", "")], "law")] == ["Q0", "Q1"]
    assert [qid for qid, *_ in answers.items_with_similar_name([*crowd, ("Q1", "law", "")], "law")] == ["Q0"], (
        "three names for each"
    )
    with w.engine.begin() as db:
        for item in (Item("Q7", missing=True, label="gone"), Item("Q8", "", ("other name",))):
            db.execute(store.items.insert().values(qid=item.qid, revision=1, record=as_json(item)))
        older = {"qid": "Q9", "label": "bare", "aliases": None, "description": None}  # a record of an earlier version
        db.execute(store.items.insert().values(qid="Q9", revision=1, record=older))
    found = answers.item_names(w)
    assert ("Q8", "other name", "") in found
    assert found.pop(found.index(("Q9", "bare", ""))) == ("Q9", "bare", "")
    assert ("Q41591", "Ohm's law (physics)", "relation of voltage and current") in found
    assert len(found) == 21


def test_a_concept_is_found_by_the_beginning_of_its_key_where_that_is_clear(w: Workspace) -> None:
    with w.engine.begin() as db:
        row = w.rows(sa.select(store.concepts).where(store.concepts.c.key == "free-1"))[0]
        db.execute(store.concepts.insert().values(**{**row, "key": "free-11"}))
    assert answers.find_concept(w, "free-1")["key"] == "free-1"
    assert answers.find_concept(w, "free-11")["key"] == "free-11"
    assert answers.find_concept(w, "concept-3")["key"] == "concept-3"
    for key, why in (("fre", "several concepts begin so"), ("", "no such concept"), ("x" * 20, "no such concept")):
        with pytest.raises(ReviewError) as raised:
            answers.find_concept(w, key)
        assert (str(raised.value.message), raised.value.where) == (why, key[:16])


def test_a_concept_without_a_rank_comes_after_all_that_have_one(w: Workspace) -> None:
    with w.engine.begin() as db:
        for key, rank, documents in (("free-3", 0.5, 0), ("free-4", 12.34567, 3)):
            change = store.concepts.update().where(store.concepts.c.key == key)
            db.execute(change.values(formularank=rank, documents=documents))
    rows = list(ranked_concepts(w, "rank"))
    assert [(row["key"], row["centrality"]) for row in rows[:3]] == [
        ("free-4", 4.1152), ("free-3", 0.5), ("concept-0", None),
    ]  # fmt: skip
    assert [row["place"] for row in rows[:2]] == [{"d": 10, "D": 19, "rank": 1}, {"d": 8, "D": 20, "rank": 2}]
    first = next(ranked_list(w))
    assert (first["qid"], first["probability"], first["label"], first["name"]) == ("Q1", 0.9, "", "")


# -- curated lists


def test_a_long_list_is_imported_whole(w: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    names = ("concept", "qid", "tex", "level", "document", "reviewer", "added")
    made = [{"id": f"r{n}", **dict.fromkeys(names, "x"), "position": 0} for n in range(501)]
    monkeypatch.setattr(curated, "rows_of", lambda *given: (made, 2, [("row 1", "why")]))
    (tmp_path / "l.jsonl").write_text("")
    assert curated.import_list(w, tmp_path / "l.jsonl", "Ada") == curated.CuratedImport(501, 2, (("row 1", "why"),))
    assert len(w.rows(sa.select(store.representations.c.id).where(store.representations.c.tex == "x"))) == 501


@pytest.mark.parametrize(
    ("row", "why"),
    [
        ({"qid": "P1", "tex": "x"}, "\"qid\" 'P1' is not an item id"),
        ({"qid": "Q1", "tex": "x", "level": "K9"}, "\"level\" 'K9' is none of K0, K1, K2, K3, K4, K5, K6"),
        ({"qid": "Q1", "tex": "x", "name": 5}, '"name" must be a string'),
        ({"qid": "Q1", "tex": "x", "source": ["a"]}, '"source" must be a string'),
        ({"qid": "Q1", "tex": "x", "level": "", "name": None}, ""),
    ],
)
def test_a_row_of_a_list_is_checked(row: dict[str, Any], why: str) -> None:
    if not why:
        assert curated.checked_row(row, "here") is row
        return
    with pytest.raises(ItemsError) as raised:
        curated.checked_row(row, "here")
    assert (str(raised.value.message), raised.value.where) == (why, "here")


def test_what_is_known_of_an_item_is_its_representations_and_what_stands_on_it(w: Workspace) -> None:
    first, second = (
        {
            "id": n,
            "concept": c,
            "qid": q,
            "tex": t,
            "level": "K0",
            "document": "",
            "position": 0,
            "reviewer": "",
            "added": a,
        }
        for n, c, q, t, a in (
            ("b", "c1", "Q41591", "V = I R", "2026-01-01"),
            ("a", "c2", "Q41591", "V=RI", "2026-01-02"),
        )
    )
    with w.engine.begin() as db:
        db.execute(store.representations.insert(), [second, first, {**first, "id": "c", "qid": "", "tex": "z"}])
    found = curated._stored_formulas(w, "P2534")
    assert found.formulas["Q41591"] == ["V = I R", "V=RI", "U = R I"]
    assert found.concepts == {"Q41591": "c1"}
    assert found.stored == {("Q41591", "V = I R"), ("Q41591", "V=RI")}


# -- exports and packets


def test_a_claim_in_rdf_has_its_qualifiers_and_the_address_of_its_statement() -> None:
    long = Reference((("P248", "wikibase-item", "Q9"), ("P813", "time", "+2026-11-20T00:00:00Z"), ("P854", "url", "https://a.org/ä b"), ("P1", "string", "s")))  # fmt: skip
    made = proposal(0, references=(long,), qualifiers=(("P9758", "wikibase-item", "Q5"),), statement="Q1$AB")
    text = exports.primary_sources([made, proposal(1)], "http://w.org/entity/")
    for part in (
        "@prefix pq: <http://w.org/prop/qualifier/>", "pq:P9758 wd:Q5", "wds:Q1-AB", "pr:P248 wd:Q9", 'pr:P813 "2026-11-20T00:00:00Z"^^xsd:dateTime',
        "pr:P854 <https://a.org/%C3%A4%20b>", 'pr:P1 "s"', "prov:wasDerivedFrom wdref:",
    ):  # fmt: skip
        assert part in text, part
    plain = exports.primary_sources([proposal(0)], "http://w.org/entity/")
    assert f"wds:Q179916-{0:016x}" in plain
    assert "pq:" not in plain


def test_symbols_stand_behind_their_formula_in_a_packet() -> None:
    formulas = [proposal(n) for n in range(3)]
    symbols = [proposal(20 + n, kind="symbol", claim=formulas[n % 2].id) for n in range(3)]
    lonely = proposal(30, kind="symbol", claim="gone")
    order = [symbols[0], formulas[1], symbols[1], lonely, formulas[0], symbols[2], formulas[2]]
    found = packet.symbols_after_formulas(order)
    assert found == [formulas[1], symbols[1], lonely, formulas[0], symbols[0], symbols[2], formulas[2]]


def test_a_packet_has_a_row_for_each_proposal_as_it_is_shown() -> None:
    import csv
    import io

    one = replace(proposal(1), probability=0.955, formula="x", qualifiers=(("P9758", "wikibase-item", "Q5"),))
    text = packet._as_csv([one, proposal(2, quotes=(), references=())], {one.qid: "=label"}, {one.id: 3})
    first, second = csv.DictReader(io.StringIO(text))
    assert (first["words"], first["label"], first["probability"], first["item"]) == ("3", "'=label", "0.95", one.qid)
    assert first["sources_write"] == "represents Q5 in x"
    assert (
        first["sentence"]
        == "The mass–energy equivalence is usually written $E = m c^{2}$, where $x$ is what is measured."
    )
    assert first["references"].count(" · ") == 1
    assert (second["words"], second["label"], second["source"], second["references"]) == ("0", "", "", "")
    assert [first[name] for name in packet.ANSWER_COLUMNS] == [""] * 6


# -- the Formula Concept Database, and an item changed by hand


def test_rows_of_an_edited_approval_stand_where_the_corpus_or_the_quote_has_them() -> None:
    claim = as_json(proposal(0))
    made = Decision(claim["id"], claim["hash"], "approve", reviewer="Ada", time="t")
    spelling: Any = SimpleNamespace(tex="d H_0 = v", level="K1")
    places = {"d H_0 = v": ("other", 9)}

    def rows(decision: Decision) -> list[tuple[str, str, str, str, int]]:
        found = fcdb.rows_of(claim, decision, [spelling], places)
        return [(row["tex"], row["level"], row["qid"], row["document"], row["position"]) for row in found]

    plain = [("v = H_0 d", "K0", "Q179916", "lectures/0", 4), ("d H_0 = v", "K1", "Q179916", "other", 9)]
    assert rows(made) == plain
    assert rows(replace(made, tex="v=d H_0")) == [*plain, ("v=d H_0", "K1", "Q179916", "lectures/0", 4)]
    assert rows(replace(made, tex="d H_0 = v")) == plain
    assert rows(replace(made, tex="z", edit_confirmed=True)) == [("z", "K0", "Q179916", "lectures/0", 4)]
    assert rows(replace(made, verdict="reject", reason="wrong_item")) == [("v = H_0 d", "K0", "", "lectures/0", 4)]
    assert rows(replace(made, verdict="reject", reason="bad_source")) == rows(replace(made, verdict="close")) == []


def test_a_change_by_hand_is_of_formulas_in_a_later_revision() -> None:
    ids, one = Properties(), Statement("g", "P2534", "a=b")
    made, before = proposal(0), Item("Q1", statements=(one,), revision=7)
    after = replace(before, statements=(one, Statement("h", "P2534", "c=d")), revision=8)
    assert revision_of_manual_edit(made, before, after, ids) == 8
    for same in (
        replace(after, revision=7),
        replace(before, revision=9, statements=(one, Statement("x", "P31", "Q5"))),
    ):
        with pytest.raises(ReviewError):
            revision_of_manual_edit(made, before, same, ids)
    odd = (
        Statement("i", "P2534", "", snaktype="novalue"),
        Statement("j", "P2534", "x", "deprecated"),
        Statement("k", "P31", "Q5"),
    )
    assert replace(before, statements=(one, *odd)).live_statements(ids.defining_formula) == [one]


def test_an_edit_of_the_same_notation_is_another_formula_where_it_is_another_concept(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for relation, same, another in (("notation", True, False), ("notation", False, True), ("renamed", True, True)):
        found = SimpleNamespace(relation=relation, same_concept=same)
        monkeypatch.setattr(sys.modules["bot.review.decide"], "compare", lambda *_, found=found: found)
        assert needs_confirmation("a", "b") is another


def test_wrong_statements_are_those_that_a_standing_decision_names(w: Workspace) -> None:
    ohm, hubble = dozen()[4], dozen()[0]
    decide(w, Decision(ohm.id, ohm.hash, "close", reason="item_wrong", reviewer="Ada", about="Q41591$1"))
    decide(w, Decision(hubble.id, hubble.hash, "close", reason="leave", reviewer="Ada"))
    assert {guid: p.id for guid, p in exports.wrong_statements(w).items()} == {"Q41591$1": ohm.id}
    lines = exports.export(w, Settings(), "mismatch-finder").splitlines()
    assert lines[1] == "Q41591,Q41591$1,P2534,U = R I,,V = I R,https://lectures.example.org/expansion,statement"
    assert json.dumps(lines[0].split(",")) == json.dumps(list(exports.MISMATCH))


def test_a_passage_is_shown_with_its_formulas_as_the_workspace_keeps_it(monkeypatch: pytest.MonkeyPatch) -> None:
    kept = {
        ("d", 0): SimpleNamespace(document="d", position=0, tex="a=b", window="So ⟦0⟧ and ⟦1⟧ or ⟦2⟧."),
        ("d", 1): SimpleNamespace(document="d", position=1, tex="c", window=""),
    }
    monkeypatch.setattr(views, "occurrences_of", lambda w, places: [kept[each] for each in places if each in kept])
    ((document, pieces),) = views.passages_of(SimpleNamespace(), [("d", 0), ("d", 1)])  # type: ignore[arg-type]
    assert document == "d"
    assert [kind for kind, _ in pieces if kind != "text"] == ["subject", "formula", "formula"]
