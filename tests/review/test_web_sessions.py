"""Sessions and tokens end when somebody ends them, on the server and not in the cookie; only failures lock a sign-in."""

from __future__ import annotations

import json
import re
from urllib.parse import parse_qs, urlsplit

import pytest
import requests
import sqlalchemy as sa
from click.testing import CliRunner
from flask import Flask
from flask.testing import FlaskClient
from web_records import SignedIn, running, signed_in

from bot import store
from bot.cli import cli
from bot.review import add_reviewer, remove_reviewer
from bot.review.queue_rules import change_rules, load_rules
from bot.review.web import make_app
from bot.review.web.listener import listen
from bot.review.web.rest import make_token
from bot.review.web.security import OneTimeToken
from bot.settings import Settings
from bot.store import Workspace

ONE = f"{0:016x}"
PICTURE = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Dest": "image", "Sec-Fetch-Mode": "no-cors"}


def copied(person: SignedIn) -> FlaskClient:
    """Return another browser that has got the same cookie, and keeps it whatever the server says."""
    name = person.app.config["SESSION_COOKIE_NAME"]
    cookie = person.client.get_cookie(name)
    assert cookie is not None
    other = person.app.test_client()
    other.set_cookie(name, cookie.value)
    return other


def command(w: Workspace, *args: str) -> str:
    done = CliRunner().invoke(cli, ["review", *args, "-w", str(w.path)], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.output


def is_in(client: FlaskClient) -> bool:
    return client.get("/").status_code == 200


# How a session ends


def test_after_signing_out_a_copy_of_the_cookie_opens_nothing(ada: SignedIn) -> None:
    thief = copied(ada)
    assert is_in(thief)
    thief = copied(ada)
    ada.post("/sign-out")
    assert not is_in(thief)
    assert thief.post(f"/p/{ONE}", data={"csrf": ada.csrf, "verdict": "approve"}).location == "/sign-in"


def test_one_sign_out_leaves_the_persons_other_sessions(w: Workspace, ada: SignedIn) -> None:
    other = signed_in(w, "Ada")
    ada.post("/sign-out")
    assert is_in(other.client)


def test_a_cookie_dies_with_the_person_even_if_the_name_is_added_again(w: Workspace, ada: SignedIn) -> None:
    ben = signed_in(w, "Ben")
    thief = copied(ben)
    assert ada.post("/people", remove="Ben").status_code == 303
    assert not is_in(ben.client)
    add_reviewer(w, "Ben")
    assert not is_in(thief)
    assert not is_in(ben.client)
    assert is_in(ada.client)


def test_a_token_dies_with_the_person_too(w: Workspace, ada: SignedIn) -> None:
    asked = {"Authorization": f"Bearer {make_token(w, 'Ben')}"}
    assert ada.app.test_client().get("/api/v1/proposals", headers=asked).status_code == 200
    remove_reviewer(w, "Ben")
    add_reviewer(w, "Ben")
    assert ada.app.test_client().get("/api/v1/proposals", headers=asked).status_code == 401


def test_the_step_before_a_name_is_given_ends_with_the_sign_out_too(w: Workspace) -> None:
    """A local server asks for the name after the token; that step is a session as well."""
    token = OneTimeToken()
    client = make_app(w, Settings(), hosts={"localhost"}, token=token).test_client()
    client.get(f"/sign-in/{token.text}")
    csrf = re.findall(r'data-csrf="([^"]+)"', client.get("/who").get_data(True))[0]
    person = SignedIn(client.application, client, csrf)
    thief, later = copied(person), copied(person)
    assert client.post("/who", data={"csrf": csrf, "name": "Ada"}).location == "/"
    assert thief.post("/who", data={"csrf": csrf, "name": "Ben"}).status_code == 403
    assert later.get("/who").location == "/sign-in"


# The commands


def test_sessions_are_listed_and_ended_by_command(w: Workspace, ada: SignedIn) -> None:
    ben = signed_in(w, "Ben")
    listed = [json.loads(line) for line in command(w, "sessions", "--json").splitlines()]
    assert [row["reviewer"] for row in listed] == ["Ada", "Ben"]
    assert "Ben" in command(w, "sessions", "--reviewer", "Ben", "--end")
    assert not is_in(ben.client)
    assert is_in(ada.client)
    again = signed_in(w, "Ben")
    command(w, "sessions", next(row["id"] for row in listed if row["reviewer"] == "Ada"), "--end")
    assert not is_in(ada.client)
    assert is_in(again.client)
    assert "2 sessions" not in command(w, "sessions", "--end")
    assert not is_in(again.client)
    assert "0 sessions" in command(w, "sessions")


def test_no_secret_is_listed_or_kept(w: Workspace, ada: SignedIn) -> None:
    with ada.client.session_transaction() as session:
        secret = session["sid"]
    text = make_token(w, "Ada")
    kept = str([w.rows(sa.select(table)) for table in (store.sessions, store.api_tokens, store.meta)])
    shown = command(w, "sessions", "--json") + command(w, "tokens", "--json")
    assert not any(part in kept + shown for part in (secret, text))


def test_tokens_are_listed_and_revoked_by_command(w: Workspace, ada: SignedIn) -> None:
    tokens = {name: make_token(w, name) for name in ("Ada", "Ben")}

    def works(name: str) -> bool:
        asked = {"Authorization": f"Bearer {tokens[name]}"}
        return ada.app.test_client().get("/api/v1/proposals", headers=asked).status_code == 200

    listed = [json.loads(line) for line in command(w, "tokens", "--json").splitlines()]
    assert sorted(row["reviewer"] for row in listed) == ["Ada", "Ben"]
    assert all(re.fullmatch(r"[0-9a-f]{10}", row["id"]) for row in listed)
    command(w, "tokens", next(row["id"] for row in listed if row["reviewer"] == "Ada"), "--revoke")
    assert (works("Ada"), works("Ben")) == (False, True)
    command(w, "tokens", "--revoke")
    assert not works("Ben")


@pytest.mark.parametrize(("kind", "flag"), [("sessions", "--end"), ("tokens", "--revoke")])
def test_an_id_that_fits_nothing_ends_nothing(w: Workspace, ada: SignedIn, kind: str, flag: str) -> None:
    make_token(w, "Ada")
    done = CliRunner().invoke(cli, ["review", kind, "0123456789x", flag, "-w", str(w.path)])
    assert "fits none" in str(done.exception)
    assert is_in(ada.client)
    assert len(w.rows(sa.select(store.api_tokens))) == 1


# Only failures count, for the address that they come from


def local(w: Workspace) -> tuple[FlaskClient, OneTimeToken]:
    token = OneTimeToken()
    return make_app(w, Settings(), hosts={"localhost"}, token=token, reviewer="Ada").test_client(), token


def shared(w: Workspace, hosts: set[str]) -> Flask:
    """Return a shared page whose wiki never answers."""
    wiki = "http://127.0.0.1:9"
    rules = {"oauth_client": "c", "oauth_authorize": f"{wiki}/a", "oauth_token": f"{wiki}/t", "oauth_profile": wiki}
    change_rules(w, rules)
    return make_app(w, Settings(), hosts=hosts, public="http://127.0.0.1", oauth_secret="secret")


def test_pictures_on_a_foreign_page_do_not_lock_the_sign_in(w: Workspace) -> None:
    client, token = local(w)
    for path in ("/sign-in/guess", "/sign-in?token=guess", "/sign-in/start", "/sign-in/back?error=x"):
        assert {client.get(path, headers=PICTURE).status_code for _ in range(12)} == {403}
    assert client.get("/sign-in/guess").status_code == 403
    assert client.get(f"/sign-in/{token.text}").location == "/"


def test_a_picture_does_not_spend_the_token(w: Workspace) -> None:
    client, token = local(w)
    assert client.get(f"/sign-in/{token.text}", headers=PICTURE).status_code == 403
    assert client.get(f"/sign-in/{token.text}").location == "/"


def test_the_right_token_opens_however_many_wrong_ones_came_before(w: Workspace) -> None:
    client, token = local(w)
    assert [client.get("/sign-in/guess").status_code for _ in range(12)] == [403] * 10 + [429] * 2
    assert client.get(f"/sign-in/{token.text}").location == "/"


def test_beginning_to_sign_in_is_no_failure(w: Workspace) -> None:
    client = shared(w, {"localhost"}).test_client()
    assert {client.get("/sign-in/start").status_code for _ in range(30)} == {302}
    with client.session_transaction() as session:
        assert len([name for name in session if name.startswith("_state_")]) == 4


def test_an_answer_that_nobody_asked_for_is_not_counted_and_one_that_fails_is(w: Workspace) -> None:
    client = shared(w, {"localhost"}).test_client()
    for query in ("error=access_denied", "code=x", "code=x&state=other", ""):
        assert {client.get(f"/sign-in/back?{query}").status_code for _ in range(5)} == {403}

    def declined() -> int:
        away = client.get("/sign-in/start").location
        state = parse_qs(urlsplit(away).query)["state"][0]
        return client.get(f"/sign-in/back?error=access_denied&state={state}").status_code

    assert [declined() for _ in range(12)] == [403] * 10 + [429] * 2


@pytest.mark.parametrize(
    ("proxy", "header", "sent", "separate"),
    [
        ("127.0.0.1", "x-forwarded-for", "X-Forwarded-For: {}", True),
        ("127.0.0.1", "x-forwarded-for", "X-Forwarded-For: 6.6.6.6, {}", True),
        ("127.0.0.1", "forwarded", "Forwarded: for={}", True),
        ("127.0.0.1", "forwarded", "X-Forwarded-For: {}", False),
        ("10.0.0.7", "x-forwarded-for", "X-Forwarded-For: {}", False),
        ("", "x-forwarded-for", "X-Forwarded-For: {}", False),
    ],
)
def test_failures_count_for_the_address_that_the_trusted_proxy_names(
    w: Workspace, proxy: str, header: str, sent: str, separate: bool
) -> None:
    """Whoever is not that proxy cannot take on the address of somebody else."""
    change_rules(w, {"trusted_proxy": proxy, "forwarded_header": header})
    app = shared(w, {"localhost"})
    server = listen(app, "127.0.0.1", 0, load_rules(w))
    with running(server):
        address = f"http://127.0.0.1:{server.effective_port}/sign-in/guess"

        def tried(who: str) -> int:
            name, _, value = sent.format(who).partition(": ")
            return requests.get(address, headers={"Host": "localhost", name: value}, timeout=60).status_code

        assert [tried("198.51.100.1") for _ in range(11)] == [403] * 10 + [429]
        assert tried("198.51.100.2") == (403 if separate else 429)
