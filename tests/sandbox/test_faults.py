"""What can go wrong on a real wiki can be switched on here, in code and over HTTP."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
import requests
from replay import Client

from bot.sandbox import Sandbox
from bot.sandbox.faults import Faults

CLAIM = {
    "id": "Q11379$5b0c0f1e-0000-4000-8000-000000000001",
    "type": "statement",
    "mainsnak": {"snaktype": "value", "property": "P2534", "datavalue": {"type": "string", "value": "E=mc^2"}},
}


@pytest.fixture
def sandbox() -> Iterator[Sandbox]:
    with Sandbox() as opened:
        opened.fill([{"qid": "Q11379", "label": "energy"}])
        yield opened


@pytest.fixture
def bot(sandbox: Sandbox) -> Client:
    return Client(sandbox, "bot")


def _write(bot: Client, **more: str) -> requests.Response:
    params = {"action": "wbsetclaim", "claim": json.dumps(CLAIM), "token": bot.csrf, "format": "json", **more}
    return bot.send("POST", params)


def _written(sandbox: Sandbox) -> bool:
    return "P2534" in (sandbox.entity("Q11379") or {})["claims"]


def test_a_reply_lost_after_the_commit_leaves_the_edit_standing(sandbox: Sandbox, bot: Client) -> None:
    sandbox.fault("lost_reply")
    with pytest.raises(requests.ConnectionError):
        _write(bot)
    assert _written(sandbox)


def test_a_request_lost_before_the_commit_leaves_nothing(sandbox: Sandbox, bot: Client) -> None:
    sandbox.fault("lost_before")
    with pytest.raises(requests.ConnectionError):
        _write(bot)
    assert not _written(sandbox)
    assert _write(bot).json()["success"] == 1


@pytest.mark.parametrize(
    ("kind", "code"),
    [
        ("readonly", "readonly"),
        ("ratelimit", "failed-save"),
        ("block", "failed-save"),
        ("bad_token", "badtoken"),
        ("database_locked", "internal_api_error_DBQueryError"),
    ],
)
def test_a_refused_edit_is_not_made(sandbox: Sandbox, bot: Client, kind: str, code: str) -> None:
    sandbox.fault(kind)
    assert _write(bot).json()["error"]["code"] == code
    assert not _written(sandbox)


def test_a_lost_session_is_noticed_by_the_assertion(sandbox: Sandbox, bot: Client) -> None:
    sandbox.fault("session_lost")
    assert _write(bot, **{"assert": "user"}).json()["error"]["code"] == "assertuserfailed"
    assert bot.ask("GET", action="query", meta="userinfo")["query"]["userinfo"]["id"] == 0


def test_lag_strikes_only_calls_that_allow_less(sandbox: Sandbox, bot: Client) -> None:
    sandbox.fault("lag", lag=12)
    assert _write(bot, maxlag="30").json()["success"] == 1
    answer = _write(bot, maxlag="5")
    assert answer.json()["error"]["lag"] == 12
    assert (answer.headers["Retry-After"], answer.headers["X-Database-Lag"]) == ("5", "12")


def test_somebody_edits_between_reading_and_writing(sandbox: Sandbox, bot: Client) -> None:
    base = str(sandbox.history("Q11379")[-1]["id"])
    label = {"labels": {"de": {"language": "de", "value": "Energie"}}}
    sandbox.fault("other_edit", edit=lambda: sandbox.act("PlainUser", action="wbeditentity", id="Q11379", data=label))
    warned = _write(bot, baserevid=base).json()["warnings"]["wbsetclaim"]["messages"]
    assert [message["name"] for message in warned] == ["wikibase-conflict-patched"]
    assert [one["user"] for one in sandbox.history("Q11379")] == ["Admin", "PlainUser", "WikiBot"]


@pytest.mark.parametrize(("kind", "status"), [("http_502", 502), ("too_many_requests", 429), ("truncated_json", 200)])
def test_answers_that_are_no_json(sandbox: Sandbox, bot: Client, kind: str, status: int) -> None:
    sandbox.fault(kind)
    answer = _write(bot)
    assert answer.status_code == status
    with pytest.raises(ValueError, match=r".+"):
        answer.json()


def test_strikes_are_counted_delayed_and_aimed(sandbox: Sandbox, bot: Client) -> None:
    sandbox.fault("http_502", times=2, after=1, on="query")
    codes = [bot.send("GET", {"action": "query", "format": "json"}).status_code for _ in range(4)]
    assert codes == [200, 502, 502, 200]
    assert _write(bot).status_code == 200


@pytest.mark.parametrize(("kind", "status"), [("sparql_down", 503), ("sparql_busy", 429), ("sparql_timeout", 200)])
def test_the_query_service_fails_in_its_own_ways(sandbox: Sandbox, kind: str, status: int) -> None:
    sandbox.fault(kind)
    answer = requests.post(sandbox.wiki.sparql, data={"query": "SELECT * WHERE { ?a ?b ?c } LIMIT 1"}, timeout=10)
    assert answer.status_code == status
    with pytest.raises(ValueError, match=r".+"):
        answer.json()


def test_faults_are_armed_and_cleared_over_http(sandbox: Sandbox, bot: Client) -> None:
    edit = {
        "action": "wbeditentity",
        "id": "Q11379",
        "data": json.dumps({"labels": {"fr": {"language": "fr", "value": "énergie"}}}),
    }
    armed = requests.post(f"{sandbox.address}/fault", json={"kind": "other_edit", "edit": edit}, timeout=10).json()
    assert armed["armed"][0]["kind"] == "other_edit"
    assert _write(bot).json()["success"] == 1
    assert "fr" in (sandbox.entity("Q11379") or {})["labels"]
    requests.post(f"{sandbox.address}/fault", json={"kind": "readonly", "times": None}, timeout=10)
    assert requests.delete(f"{sandbox.address}/fault", timeout=10).json()["armed"] == []
    assert requests.post(f"{sandbox.address}/fault", json={"kind": "earthquake"}, timeout=10).status_code == 400


def test_an_administrator_steps_in_over_http(sandbox: Sandbox, bot: Client) -> None:
    protect = {"action": "protect", "title": "Q11379", "protections": "edit=sysop"}
    armed = {"kind": "other_edit", "edit": protect, "by": "Admin"}
    assert requests.post(f"{sandbox.address}/fault", json=armed, timeout=10).status_code == 200
    assert _write(bot).json()["error"]["messages"][1]["name"] == "protectedpagetext"
    armed["by"] = "Nobody"
    assert requests.post(f"{sandbox.address}/fault", json=armed, timeout=10).status_code == 400


def test_an_unknown_fault_is_a_mistake_in_the_test(sandbox: Sandbox) -> None:
    with pytest.raises(ValueError, match="known"):
        sandbox.fault("earthquake")


@pytest.mark.parametrize(
    ("times", "after", "on", "actions", "struck"),
    [
        (1, 0, "", "qqq", "x  "), (2, 2, "", "qqqqq", "  xx "), (None, 1, "", "qqqq", " xxx"), (1, 3, "wbsetclaim", "wqwqww", "     x"), (1, 1, "write", "qwqw", "   x"), (0, 0, "", "qq", "  "), (1, 0, "edit", "qw", "  "),
    ],
)  # fmt: skip
def test_a_fault_strikes_so_often_after_so_many_calls_of_its_actions(
    times: int | None, after: int, on: str, actions: str, struck: str
) -> None:
    faults = Faults()
    armed = faults.arm("slow", times, after, on)
    found = [faults.trigger("slow", "query" if action == "q" else "wbsetclaim") for action in actions]
    assert "".join("x" if each is armed else " " for each in found) == struck
    assert (
        faults.listing() == [{"kind": "slow", "times": times, "after": 0, "on": on, "strikes": struck.count("x")}]
        or on == "edit"
    )
    assert faults.trigger("lag") is None
    faults.clear("lag")
    assert len(faults.listing()) == 1
    faults.clear("slow")
    assert faults.listing() == []
