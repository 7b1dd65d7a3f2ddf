"""The API: read and decide with a token, as its own description says."""

from __future__ import annotations

import json
from typing import Any

import pytest
import sqlalchemy as sa
from flask.testing import FlaskClient
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from web_records import dozen

from bot import store
from bot.errors import ReviewError
from bot.records import Decision
from bot.review import add_reviewer, decide
from bot.review.queue_rules import change_rules
from bot.review.web import control_questions, make_app, queue_selection
from bot.review.web.queue_filters import Filter
from bot.review.web.rest import make_token
from bot.settings import Settings
from bot.store import Workspace

ONE = f"{0:016x}"


@pytest.fixture
def client(w: Workspace) -> FlaskClient:
    return make_app(w, Settings(), hosts={"localhost"}).test_client()


@pytest.fixture
def token(w: Workspace) -> dict[str, str]:
    return {"Authorization": f"Bearer {make_token(w, 'Ada')}"}


def decisions(w: Workspace) -> list[dict[str, Any]]:
    return w.rows(sa.select(store.decisions))


def test_the_same_decision_again_is_said_to_exist_and_is_not_appended(
    w: Workspace, client: FlaskClient, token: dict[str, str]
) -> None:
    path = f"/api/v1/proposals/{ONE}"
    body = {"hash": dozen()[0].hash, "verdict": "approve", "references": ["approve", "approve"]}
    assert client.post(f"{path}/decisions", json=body, headers=token).status_code == 201
    now = client.get(path, headers=token).json["words"]
    again = client.post(f"{path}/decisions", json={**body, "words": now}, headers=token)
    assert again.status_code == 409
    assert f"exists already, of {decisions(w)[0]['time']}" in again.json["error"]["what"]
    assert len(decisions(w)) == 1
    other = {**body, "references": ["approve", "reject"], "words": now}
    assert client.post(f"{path}/decisions", json=other, headers=token).status_code == 201
    assert len(decisions(w)) == 2


def test_nobody_takes_back_what_somebody_else_decided(w: Workspace, client: FlaskClient, token: dict[str, str]) -> None:
    ben = {"Authorization": f"Bearer {make_token(w, 'Ben')}"}
    path, body = f"/api/v1/proposals/{ONE}/decisions", {"hash": dozen()[0].hash}

    def answer(verdict: str, who: dict[str, str]) -> tuple[int, str]:
        made = client.post(path, json={**body, "verdict": verdict}, headers=who)
        return made.status_code, made.json.get("error", {}).get("what", "")

    assert answer("withdraw", ben)[0] == 409  # nothing is decided yet
    assert answer("approve", token)[0] == 201
    code, why = answer("withdraw", ben)
    assert (code, "only your own decision can be taken back" in why) == (409, True)
    with pytest.raises(ReviewError, match="only your own"):
        decide(w, Decision(ONE, body["hash"], "withdraw", reviewer="Ben"))
    assert answer("withdraw", token)[0] == 201
    assert answer("withdraw", token)[0] == 409
    assert [(row["reviewer"], row["verdict"]) for row in decisions(w)] == [("Ada", "approve"), ("Ada", "withdraw")]


def test_a_decision_that_says_not_what_was_seen_is_not_taken_over_anothers(
    w: Workspace, client: FlaskClient, token: dict[str, str]
) -> None:
    path, body = f"/api/v1/proposals/{ONE}/decisions", {"hash": dozen()[0].hash}
    decide(w, Decision(ONE, body["hash"], "reject", reason="wrong_item", reviewer="Ben"))
    approval = {**body, "verdict": "approve"}
    assert client.post(path, json=approval, headers=token).status_code == 409
    assert client.post(path, json={**approval, "words": 1}, headers=token).status_code == 201
    assert client.post(path, json={**body, "verdict": "unsure"}, headers=token).status_code == 201  # over one's own
    assert [row["reviewer"] for row in decisions(w)] == ["Ben", "Ada", "Ada"]


def test_the_next_proposal_is_leased_and_decided(w: Workspace, client: FlaskClient, token: dict[str, str]) -> None:
    found = client.post("/api/v1/next", json={"state": "open"}, headers=token).json["proposal"]
    assert (found["id"], found["label"], found["words"]) == (ONE, "Hubble's law", 0)
    path = f"/api/v1/proposals/{ONE}/decisions"
    body = {"hash": found["hash"], "verdict": "approve", "references": ["approve", "reject"], "words": 0}
    answer = client.post(path, json=body, headers=token)
    assert answer.status_code == 201
    assert (answer.json["reviewer"], answer.json["references"]) == ("Ada", ["approve", "reject"])
    assert client.post(path, json=body, headers=token).status_code == 409
    assert client.get(f"/api/v1/proposals/{ONE}", headers=token).json["state"] == "approved"
    assert len(decisions(w)) == 1


def test_a_proposal_that_somebody_looks_at_is_not_decided_by_another(
    w: Workspace, client: FlaskClient, token: dict[str, str]
) -> None:
    ben = {"Authorization": f"Bearer {make_token(w, 'Ben')}"}
    client.post("/api/v1/next", json={}, headers=ben)
    body = {"hash": dozen()[0].hash, "verdict": "approve"}
    assert client.post(f"/api/v1/proposals/{ONE}/decisions", json=body, headers=token).status_code == 409
    theirs = client.post("/api/v1/next", json={}, headers=token).json["proposal"]["id"]
    assert theirs != ONE
    # Who goes on to the next gives the one before back.
    assert client.post("/api/v1/next", json={"after": ONE}, headers=ben).json["proposal"]["id"] not in (ONE, theirs)
    assert client.post(f"/api/v1/proposals/{ONE}/decisions", json=body, headers=token).status_code == 201
    assert [row["proposal"] for row in decisions(w)] == [ONE]


def test_without_a_good_token_nothing_is_said(w: Workspace, client: FlaskClient) -> None:
    old = make_token(w, "Ben", days=-1)
    for header in (
        {},
        {"Authorization": "Bearer wrong"},
        {"Authorization": "Basic x"},
        {"Authorization": f"Bearer {old}"},
        {"Authorization": "Bearer"},
    ):
        for method, path in (
            ("get", "/api/v1/proposals"),
            ("post", f"/api/v1/proposals/{ONE}/decisions"),
            ("get", "/api/v1/statistics"),
        ):
            answer = getattr(client, method)(path, headers=header)
            assert answer.status_code == 401
            assert answer.headers["WWW-Authenticate"] == "Bearer"
    for _ in range(20):
        client.get("/api/v1/proposals", headers={"Authorization": "Bearer guess"})
    assert client.get("/api/v1/proposals", headers={"Authorization": "Bearer guess"}).status_code == 429
    assert client.get("/api/v1/openapi.json").status_code == 200


def test_a_session_of_the_pages_is_no_token(client: FlaskClient) -> None:
    with client.session_transaction() as session:
        session.update(who="Ada", at=9e9, csrf="x")
    assert client.get("/api/v1/proposals").status_code == 401


def test_what_the_api_does_not_have_is_no_forged_form(client: FlaskClient, token: dict[str, str]) -> None:
    answer = client.delete("/api/v1/proposals", headers=token)
    assert (answer.status_code, answer.headers["Allow"]) == (405, "GET, HEAD, OPTIONS")
    assert client.post("/api/v1/nothing", json={}, headers=token).status_code == 404
    assert "Content-Type: application/json" in client.post("/api/v1/next", headers=token).json["error"]["what"]


def test_scripts_and_strangers_get_no_token(w: Workspace) -> None:
    add_reviewer(w, "robot", "stand-in")
    for name in ("robot", "Eve"):
        with pytest.raises(ReviewError):
            make_token(w, name)
    assert w.rows(sa.select(store.api_tokens)) == []


def test_tokens_are_kept_as_digests(w: Workspace) -> None:
    text = make_token(w, "Ada")
    assert text not in json.dumps(w.rows(sa.select(store.api_tokens)))


def test_attention_is_measured_here_too_and_nothing_tells_before(
    w: Workspace, client: FlaskClient, token: dict[str, str]
) -> None:
    change_rules(w, {"known_wrong": "0.5"})
    assert control_questions.make_questions(w, 6) == 6
    known = {row["id"] for row in w.rows(sa.select(store.control_questions))}
    queue = [row.id for row in queue_selection.rows(w, Filter(), "Ada")]
    met, shapes, after, seen = [], set(), "", []
    for n in range(14):
        found = client.post("/api/v1/next", json={"after": after}, headers=token).json["proposal"]
        if found is None:
            break
        seen.append(found["id"])
        shapes.add((frozenset(found), bool(found["concept"]), bool(found["quotes"]), found["state"]))
        assert client.get(f"/api/v1/proposals/{found['id']}", headers=token).json == found
        path, body = f"/api/v1/proposals/{found['id']}/decisions", {"hash": found["hash"], "verdict": "approve"}
        assert client.post(path, json={**body, "hash": "old"}, headers=token).status_code == 409
        assert client.post(path, json={**body, "verdict": "reject"}, headers=token).status_code == 409
        said = body if n % 2 else {**body, "verdict": "reject", "reason": "wrong_item"}
        answer = client.post(path, json=said, headers=token)
        assert answer.status_code == 201
        if found["id"] in known:
            met.append(answer.json["known_wrong"] == "noticed")
            assert met[-1] is (n % 2 == 0)
            assert client.post(path, json=said, headers=token).status_code == 409
        else:
            assert "known_wrong" not in answer.json
        after = found["id"]
    assert len(met) > 1
    assert len(shapes) == 1
    assert [id_ for id_ in seen if id_ not in known] == [id_ for id_ in queue if id_ in seen]
    assert not known & {row["proposal"] for row in decisions(w)}
    assert client.get("/api/v1/statistics", headers=token).json["attention"] == [["Ada", sum(met), len(met)]]


def test_behind_one_that_is_wrong_on_purpose_the_queue_goes_on(
    w: Workspace, client: FlaskClient, token: dict[str, str]
) -> None:
    control_questions.make_questions(w, 6)
    known = {row["id"] for row in w.rows(sa.select(store.control_questions))}
    change_rules(w, {"known_wrong": "0.5"})
    queue = [row.id for row in queue_selection.rows(w, Filter(), "Ada")]
    after, order = "", []
    for _ in range(12):
        found = client.post("/api/v1/next", json={"after": after}, headers=token).json["proposal"]
        if found is None:
            break
        after = found["id"]
        order.append(after)
        body = {"hash": found["hash"], "verdict": "skip"}
        answer = client.post(f"/api/v1/proposals/{after}/decisions", json=body, headers=token)
        assert "known_wrong" not in answer.json
    skipped = [id_ for id_ in order if id_ not in known]
    assert skipped == [id_ for id_ in queue if id_ in skipped]
    assert known & set(order)


def test_statistics_name_nobody_else(w: Workspace, client: FlaskClient, token: dict[str, str]) -> None:
    client.post(
        f"/api/v1/proposals/{ONE}/decisions", json={"hash": dozen()[0].hash, "verdict": "approve"}, headers=token
    )
    ben = {"Authorization": f"Bearer {make_token(w, 'Ben')}"}
    assert client.get("/api/v1/statistics", headers=token).json["people"] == [["Ada", 1, 0]]
    found = client.get("/api/v1/statistics", headers=ben).json
    assert (found["words"], found["people"]) == (1, [])


def test_every_route_is_described_and_every_description_is_a_route(client: FlaskClient) -> None:
    described = {
        (path, method)
        for path, methods in client.get("/api/v1/openapi.json").json["paths"].items()
        for method in methods
    }
    routes = {
        (rule.rule.replace("<", "{").replace(">", "}"), method.lower())
        for rule in client.application.url_map.iter_rules()
        if rule.endpoint.startswith("api.")
        for method in rule.methods - {"HEAD", "OPTIONS"}
    }
    assert described == routes


TEXT = st.text(max_size=30) | st.sampled_from(["approve", "reject", "open", ONE, "", "\ud800", "\x00", "a" * 6000])
VALUE = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | TEXT,
    lambda v: st.lists(v, max_size=3) | st.dictionaries(TEXT, v, max_size=3),
    max_leaves=6,
)
BODY = (
    st.dictionaries(
        st.sampled_from(
            [
                "hash",
                "verdict",
                "reason",
                "tex",
                "references",
                "words",
                "proposal",
                "state",
                "order",
                "q",
                "after",
                "kind",
            ]
        ),
        VALUE,
    )
    | VALUE
)


@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck), database=None)
@given(
    body=BODY,
    path=st.sampled_from(["next", "preview", f"proposals/{ONE}/decisions", "proposals/x/decisions"]),
    query=st.dictionaries(TEXT, TEXT, max_size=3),
)
def test_whatever_is_sent_the_server_does_not_fail(
    client: FlaskClient, token: dict[str, str], body: Any, path: str, query: dict[str, str]
) -> None:
    sent = json.dumps(body)
    answer = client.post(f"/api/v1/{path}", data=sent, content_type="application/json", headers=token)
    assert answer.status_code in (200, 201, 404, 409, 415, 422)
    plain = {k.encode("utf-8", "replace"): v.encode("utf-8", "replace") for k, v in query.items()}
    assert client.get("/api/v1/proposals", query_string=plain, headers=token).status_code in (200, 422)
