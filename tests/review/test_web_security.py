"""Nobody gets in, out or around: hosts, tokens, forged forms, sessions, roles, hostile text, sign-in by OAuth 2."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest
import requests
import sqlalchemy as sa
from flask import Flask, jsonify, redirect, request
from waitress.server import create_server
from web_records import SignedIn, dozen, running, served, signed_in

from bot import store
from bot.review.queue_rules import change_rules, load_rules
from bot.review.web import make_app
from bot.review.web.security import FailureLimiter, OneTimeToken
from bot.settings import Settings
from bot.store import Workspace

ONE = f"{0:016x}"


def decided(w: Workspace) -> int:
    return len(w.rows(sa.select(store.decisions)))


# -- who gets in
def test_nothing_but_the_sign_in_is_shown_to_strangers(w: Workspace) -> None:
    client = make_app(w, Settings(), hosts={"localhost"}, token=OneTimeToken()).test_client()
    for path in (
        "/",
        "/next",
        f"/p/{ONE}",
        "/item/Q1",
        "/formulas",
        "/statistics",
        "/packets",
        "/packets/out.csv",
        "/people",
        "/who",
    ):
        assert client.get(path).location == "/sign-in", path
    assert client.post(f"/p/{ONE}", data={"verdict": "approve"}).location == "/sign-in"
    assert client.get("/sign-in").status_code == 200


def test_the_token_opens_once(w: Workspace) -> None:
    token = OneTimeToken()
    app = make_app(w, Settings(), hosts={"localhost"}, token=token, reviewer="Ada")
    first, second = app.test_client(), app.test_client()
    assert first.get("/sign-in/wrong").status_code == 403
    assert first.get(f"/sign-in/{token.text}").location == "/"
    assert second.get(f"/sign-in/{token.text}").status_code == 403
    assert first.get("/").status_code == 200
    assert second.get("/").location == "/sign-in"


def test_without_a_name_the_page_asks_and_scripts_are_no_people(w: Workspace) -> None:
    from bot.review import add_reviewer, reviewers

    add_reviewer(w, "robot", "stand-in")
    token = OneTimeToken()
    client = make_app(w, Settings(), hosts={"localhost"}, token=token).test_client()
    assert client.get(f"/sign-in/{token.text}").location == "/who"
    page = client.get("/who").get_data(True)
    assert ">robot " not in page
    csrf = re.findall(r'data-csrf="([^"]+)"', page)[0]
    assert client.post("/who", data={"csrf": csrf, "name": "robot"}).status_code == 400
    assert client.post("/who", data={"csrf": csrf, "name": "a\nb"}).status_code == 400
    assert client.post("/who", data={"csrf": csrf, "name": "Dora"}).location == "/"
    assert reviewers(w)["Dora"] == "reviewer"


def test_signing_in_is_limited(w: Workspace) -> None:
    client = make_app(w, Settings(), hosts={"localhost"}, token=OneTimeToken()).test_client()
    codes = [client.get("/sign-in/guess").status_code for _ in range(12)]
    assert codes == [403] * 10 + [429] * 2
    assert FailureLimiter(1, 0.0).allows("a")


def test_other_hosts_are_refused(ada: SignedIn) -> None:
    for host in ("evil.example", "localhost.evil.example", "127.0.0.1", "localhost:81"):
        assert ada.client.get("/", headers={"Host": host}).status_code == 400


@pytest.mark.parametrize(("name", "hours"), [("seen", 9), ("created", 81)])
def test_a_session_ends(w: Workspace, ada: SignedIn, name: str, hours: float) -> None:
    """After a while without a click, and after a longer one however many clicks there were."""
    then = datetime.now(UTC) - timedelta(hours=hours)
    with w.engine.begin() as db:
        db.execute(store.sessions.update().values({name: then.strftime("%Y-%m-%dT%H:%M:%SZ")}))
    assert ada.client.get("/").location == "/sign-in"


def test_signing_out_ends_the_session(ada: SignedIn) -> None:
    ada.post("/sign-out")
    assert ada.client.get("/").location == "/sign-in"


def test_people_are_for_operators(w: Workspace) -> None:
    ben = signed_in(w, "Ben")
    ben.get("/people", 403)
    assert ben.post("/people", name="Eve", role="operator").status_code == 403
    assert "/people" not in ben.get("/")


def test_who_is_taken_off_the_list_decides_no_more(w: Workspace, ada: SignedIn) -> None:
    fields = ada.fields(ONE)
    with w.engine.begin() as db:
        db.execute(store.reviewers.delete().where(store.reviewers.c.name == "Ada"))
    assert ada.post(f"/p/{ONE}", **{**fields, "verdict": "approve"}).location == "/sign-in"
    assert ada.client.get("/").location == "/sign-in"
    assert decided(w) == 0


# -- forged forms
@pytest.mark.parametrize(
    "path", [f"/p/{ONE}", "/batch", "/undo", "/preview", "/formulas/free-0", "/packets", "/people", "/sign-out"]
)
def test_every_change_needs_the_token_of_the_session(w: Workspace, ada: SignedIn, path: str) -> None:
    good = ada.fields(ONE)
    for csrf in ("", "wrong", "ü", ada.csrf[:-1]):
        assert ada.client.post(path, data={**good, "csrf": csrf, "verdict": "approve"}).status_code == 403
    for headers in (
        {"Origin": "https://evil.example"},
        {"Origin": "http://[::1"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
    ):
        assert (
            ada.client.post(path, data={**good, "csrf": ada.csrf, "verdict": "approve"}, headers=headers).status_code
            == 403
        )
    assert decided(w) == 0


def test_every_form_of_every_page_carries_it(ada: SignedIn) -> None:
    for path in ("/", f"/p/{ONE}", "/item/Q1", "/formulas/free-0", "/packets", "/people"):
        for form in re.findall(r"<form[^>]*method=\"post\".*?</form>", ada.get(path), re.S):
            assert 'name="csrf"' in form, path


def test_no_get_request_records_a_word(w: Workspace, ada: SignedIn) -> None:
    for rule in ada.app.url_map.iter_rules():
        if "GET" in rule.methods and rule.endpoint != "static":
            path = re.sub(r"<[^>]+>", ONE, rule.rule)
            ada.client.get(f"{path}?verdict=approve&hash={dozen()[0].hash}&words=0")
    assert decided(w) == 0


def test_no_address_leads_away(ada: SignedIn) -> None:
    for query in ("next=https://evil.example", "view=//evil.example", "back=//evil.example", "state=//evil.example"):
        for path in ("/next", "/sign-in", "/"):
            location = ada.client.get(f"{path}?{query}").location
            assert location is None or re.match(r"/(?!/)", location)
    assert ada.post("/undo", view="//evil.example").location == "/"


# -- what is sent
def test_headers_forbid_scripts_frames_and_leaks(ada: SignedIn) -> None:
    answer = ada.client.get("/")
    policy = answer.headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "script-src 'self';" in policy
    assert "frame-ancestors 'none'" in policy
    assert "unsafe-inline" not in policy.replace("style-src-attr 'unsafe-inline'", "")
    assert answer.headers["Referrer-Policy"] == "no-referrer"
    assert answer.headers["Cache-Control"] == "no-store"
    cookie = next(v for k, v in ada.client.get("/?lang=de").headers if k == "Set-Cookie")
    assert "HttpOnly" in cookie
    assert "SameSite=Lax" in cookie


def test_every_answer_has_them_errors_too(w: Workspace, ada: SignedIn, monkeypatch: pytest.MonkeyPatch) -> None:
    from bot.review.web import queue_selection

    api, wrong = "/api/v1/proposals", {"Authorization": "Bearer wrong"}
    stranger = make_app(w, Settings(), hosts={"localhost"}, token=OneTimeToken()).test_client()
    answers = [
        (303, ada.client.get("/next")),
        (400, ada.client.get("/", headers={"Host": "evil.example"})),
        (401, ada.client.get(api, headers=wrong)),
        (403, ada.client.post("/undo")),
        (403, stranger.get("/sign-in/guess")),
        (404, ada.client.get("/p/nothing")),
        (404, ada.client.get("/nowhere")),
        (404, stranger.get("/nowhere")),
        (303, stranger.get("/topics")),
        (404, ada.client.get("/static/nothing.js")),
        (404, ada.client.get("/packets/for/x")),
        (405, ada.client.get("/batch")),
        (413, ada.client.post("/packets", data={"csrf": "x" * 6_000_000})),
        (200, ada.client.get("/static/review.js")),
        (200, ada.client.get("/packets/out.html")),
        (200, ada.client.get("/api/v1/openapi.json")),
        (429, [stranger.get("/sign-in/guess") for _ in range(10)][-1]),
    ]
    monkeypatch.setattr(queue_selection, "rows", lambda *_, **__: 1 / 0)
    ada.app.config["PROPAGATE_EXCEPTIONS"] = False
    answers.append((500, ada.client.get("/")))
    for code, answer in answers:
        assert answer.status_code == code, (code, answer.request.path)
        assert "default-src 'none'" in answer.headers["Content-Security-Policy"], code
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
        assert answer.headers["X-Frame-Options"] == "DENY"
        assert "Traceback" not in answer.get_data(True)
        answer.close()


def test_a_shared_page_is_never_asked_for_without_encryption(w: Workspace) -> None:
    app = make_app(w, Settings(), hosts={"review.example.org"}, public="https://review.example.org", oauth_secret="x")
    answer = app.test_client().get("/sign-in", base_url="https://review.example.org")
    assert answer.headers["Strict-Transport-Security"]
    assert all("Secure" in value for name, value in answer.headers if name == "Set-Cookie")


# -- OAuth 2
@contextmanager
def provider(profile: Any) -> Iterator[tuple[str, list[dict[str, str]]]]:
    """A small wiki of our own on loopback that signs people in as Wikimedia's does."""
    app, asked, codes = Flask("provider"), [], {}

    @app.get("/authorize")
    def authorize() -> Any:
        asked.append(request.args.to_dict())
        codes["code"] = request.args
        return redirect(
            f"{request.args['redirect_uri']}?{urlencode({'code': 'the-code', 'state': request.args['state']})}"
        )

    @app.post("/access_token")
    def token() -> Any:
        asked.append(request.form.to_dict())
        if request.form.get("code") != "the-code" or not request.form.get("code_verifier"):
            return jsonify(error="invalid_grant"), 400
        return jsonify(access_token="the-token", token_type="Bearer", expires_in=3600)

    @app.get("/profile")
    def me() -> Any:
        return (
            jsonify(profile)
            if request.headers.get("Authorization") == "Bearer the-token"
            else (jsonify(error="x"), 401)
        )

    server: Any = create_server(app, host="127.0.0.1", port=0, threads=4)
    with running(server):
        yield f"http://127.0.0.1:{server.effective_port}", asked


@pytest.fixture
def free_port() -> int:
    import socket

    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return int(s.getsockname()[1])


def shared(w: Workspace, address: str, port: int) -> Flask:
    change_rules(
        w,
        {
            "oauth_client": "our-client",
            "oauth_authorize": f"{address}/authorize",
            "oauth_token": f"{address}/access_token",
            "oauth_profile": f"{address}/profile",
        },
    )
    return make_app(
        w, Settings(), hosts={f"127.0.0.1:{port}"}, public=f"http://127.0.0.1:{port}", oauth_secret="secret"
    )


@pytest.mark.parametrize(
    ("profile", "refusal"),
    [
        ({"username": "Ada"}, ""),
        ({"username": "Eve"}, "This account is not on the list"),
        ({"username": "Ada", "blocked": True}, "This account is not on the list"),
        ({}, "The wiki did not sign you in"),
        (["Ada"], "The wiki did not sign you in"),
        ({"username": ["Ada"]}, "The wiki did not sign you in"),
    ],
)
def test_people_on_the_list_sign_in_by_the_wiki(w: Workspace, free_port: int, profile: Any, refusal: str) -> None:
    with provider(profile) as (address, asked):
        client = shared(w, address, free_port).test_client()
        base = f"http://127.0.0.1:{free_port}"
        away = client.get("/sign-in/start", base_url=base).location
        assert away.startswith(f"{address}/authorize?")
        back = requests.get(away, allow_redirects=False, timeout=60).headers["Location"]
        assert back.startswith(f"{base}/sign-in/back?")
        answer = client.get(back.removeprefix(base), base_url=base)
        assert answer.status_code == (403 if refusal else 303)
        assert refusal in answer.text
        assert (client.get("/", base_url=base).status_code == 200) is (not refusal)
        assert asked[0]["code_challenge_method"] == "S256"
        assert asked[0]["redirect_uri"] == f"{base}/sign-in/back"


def test_who_tries_again_in_the_window_of_an_item_page_is_still_connected(w: Workspace, free_port: int) -> None:
    with provider({"username": "Eve"}) as (address, _):
        client = shared(w, address, free_port).test_client()
        base = f"http://127.0.0.1:{free_port}"
        for start in ("/sign-in/start?connect=1", "/sign-in/start"):
            back = requests.get(client.get(start, base_url=base).location, allow_redirects=False, timeout=60)
            refused = client.get(back.headers["Location"].removeprefix(base), base_url=base)
            assert f'href="{start}"' in refused.text


def test_a_forged_answer_of_the_wiki_is_refused(w: Workspace, free_port: int) -> None:
    with provider({"username": "Ada"}) as (address, _):
        client = shared(w, address, free_port).test_client()
        base = f"http://127.0.0.1:{free_port}"
        away = client.get("/sign-in/start", base_url=base).location
        state = parse_qs(urlsplit(away).query)["state"][0]
        for query in (
            {"code": "the-code", "state": "other"},
            {"code": "the-code"},
            {"code": "wrong", "state": state},
            {"error": "access_denied"},
        ):
            assert client.get(f"/sign-in/back?{urlencode(query)}", base_url=base).status_code == 403
        assert client.get("/", base_url=base).location == "/sign-in"


def test_a_token_of_the_local_page_does_not_open_a_shared_one(w: Workspace, free_port: int) -> None:
    app = shared(w, "http://127.0.0.1:9", free_port)
    assert app.test_client().get("/sign-in/abc", base_url=f"http://127.0.0.1:{free_port}").status_code == 403


def test_rules_are_checked_before_they_are_kept(w: Workspace) -> None:
    from bot.errors import ReviewError

    for bad in (
        {"blind": "2"},
        {"blind": "x"},
        {"two_persons": "maybe"},
        {"unknown": "1"},
        {"oauth_token": "http://evil.example"},
    ):
        with pytest.raises(ReviewError):
            change_rules(w, bad)
    assert load_rules(w).blind == 0.0
    assert change_rules(w, {"blind": "0.1", "two_persons": "yes"}).two_persons


def test_the_command_serves_this_machine_only_without_sign_in(w: Workspace) -> None:
    from bot.errors import ReviewError
    from bot.review.web import serve

    for values in (
        {"host": "0.0.0.0"},
        {"public": "http://review.example.org"},
        {"public": "https://review.example.org"},
        {"public": "https://[::1"},
        {"reviewer": "Eve"},
    ):
        with pytest.raises(ReviewError):
            serve(w, Settings(), port=0, **values)  # type: ignore[arg-type]


def test_a_served_page_answers_over_http(w: Workspace) -> None:
    with served(w, reviewer="Ada") as (address, token):
        session = requests.Session()
        assert session.get(f"{address}/sign-in/{token.text}", timeout=60).status_code == 200
        assert "Hubble" in session.get(f"{address}/", timeout=60).text
        assert (
            requests.get(f"{address}/static/review.js", timeout=60)
            .headers["Content-Type"]
            .startswith("text/javascript")
        )


def test_the_command_prints_an_address_that_works_and_ends_on_ctrl_c(w: Workspace) -> None:
    import signal
    import subprocess
    import sys

    command = [sys.executable, "-m", "bot", "review", "serve", "--port", "0", "--reviewer", "Ada", "-w", str(w.path)]
    running = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        assert running.stdout is not None
        address = running.stdout.readline().strip()
        assert re.fullmatch(r"http://127\.0\.0\.1:\d+/sign-in/[\w-]{20,}", address)
        session = requests.Session()
        assert "Hubble" in session.get(address, timeout=60).text
        running.send_signal(signal.SIGINT)
        assert running.wait(20) in (0, 130)
    finally:
        running.kill()
        running.communicate()
