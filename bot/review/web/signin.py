"""Signing in: by the one-time token of a local server, or through the wiki's OAuth 2 where reviewers share one."""

from typing import Any, NoReturn

from flask import Blueprint, Flask, abort, current_app, flash, g, redirect, render_template, request, session, url_for
from werkzeug.wrappers import Response as Answer

from bot.errors import ReviewError
from bot.messages import Message
from bot.review.people import SCRIPTED_ROLE, add_reviewer, reviewers
from bot.review.queue_rules import Rules
from bot.review.web import security
from bot.review.web.review_context import context
from bot.review.web.translation import error_text, translate

signin = Blueprint("signin", __name__)
_BEGUN = 4  # sign-ins that one browser can have begun at a time
Page = str | Answer | tuple[str, int]


def redirect_to(endpoint: str, view: str = "", *, proposal: str | None = None, key: str | None = None) -> Answer:
    """Send the browser to a page of ours; `view` is the query of the filter through which it is seen."""
    return redirect(url_for(endpoint, proposal=proposal, key=key) + (f"?{view}" if view else ""), 303)


def connect(app: Flask, rules: Rules, secret: str, public: str) -> None:
    """Make the wiki's OAuth 2 known to the app; `public` is the address under which people reach it."""
    from authlib.integrations.flask_client import OAuth

    oauth: Any = OAuth(app)
    oauth.register(
        "wiki",
        client_id=rules.oauth_client,
        client_secret=secret,
        authorize_url=rules.oauth_authorize,
        access_token_url=rules.oauth_token,
        client_kwargs={"code_challenge_method": "S256", "timeout": 20},
    )
    app.extensions["wiki_oauth"] = (oauth.wiki, rules, f"{public.rstrip('/')}/sign-in/back")


@signin.get("/sign-in")
@signin.get("/sign-in/<token>")
def sign_in(token: str = "") -> Page:
    """Say how to sign in; a token in the address, which the command prints, is spent at once and leaves the address."""
    token = token or request.args.get("token", "")
    if not token:
        return _asked_for(again=False)
    if context.token is None or not context.token.spend(token):
        _count_failure()
        return _asked_for(again=True), 403
    _begin(context.reviewer)
    return redirect_to("queue.page" if context.reviewer else "signin.who")


@signin.route("/who", methods=["GET", "POST"])
def who() -> Page:
    """Ask a person at this machine under which name the decisions are to be recorded."""
    if not g.asked:
        return redirect_to("queue.page" if g.who else "signin.sign_in")
    people = {name: role for name, role in reviewers(context.workspace).items() if role != SCRIPTED_ROLE}
    if request.method == "POST":
        name = (request.form.get("known") or request.form.get("name") or "").strip()
        try:
            if name not in people:
                if reviewers(context.workspace).get(name) == SCRIPTED_ROLE:
                    raise ReviewError("script", where=name)
                # Whoever has the command's token has the workspace in hand.
                name = add_reviewer(context.workspace, name, "operator" if not people else "reviewer")
        except ReviewError as error:
            flash(error_text(error), "error")
            return render_template("who.html", known=people), 400
        _begin(name)
        return redirect_to("queue.page")
    return render_template("who.html", known=people)


@signin.get("/sign-in/start")
def start() -> Page:
    """Send the person to the wiki; nothing from the address goes with them."""
    if "wiki_oauth" not in current_app.extensions:
        abort(404)
    client, _, callback = current_app.extensions["wiki_oauth"]
    session["connecting"] = "connect" in request.args
    started = [name for name in session if name.startswith("_state_wiki_")]
    for name in started[: 1 - _BEGUN]:
        session.pop(name)  # a cookie has no room for many
    answer: Answer = client.authorize_redirect(callback)
    return answer


@signin.get("/sign-in/back")
def back() -> Page:
    """Take the wiki's answer: only people whom an operator has made known come in."""
    if "wiki_oauth" not in current_app.extensions:
        abort(404)
    if not context.failed_sign_ins.allows(_address(), failed=False):
        _refuse_too_many()

    client, rules, _ = current_app.extensions["wiki_oauth"]
    if not client.framework.get_state_data(session, request.args.get("state", "")):
        # This sign-in was not begun here: nothing is sent to the wiki, and it is not counted
        return _refused("sign_in_failed")
    profile = _profile(client, rules)
    name = profile.get(rules.oauth_name)
    role = reviewers(context.workspace).get(name, "") if isinstance(name, str) else ""
    if role not in ("reviewer", "operator") or profile.get("blocked"):
        _count_failure()
        return _refused("not_on_the_list" if isinstance(name, str) else "sign_in_failed")
    connecting = session.get("connecting")
    _begin(str(name))
    return redirect_to("item_page.connect" if connecting else "queue.page")


def _profile(client: Any, rules: Rules) -> dict[str, object]:
    """Return what the wiki says of the person whom it sent back; empty where it says nothing that can be read."""
    from authlib.integrations.base_client.errors import OAuthError
    from requests import RequestException

    try:
        granted = client.authorize_access_token()
        answer = client.get(rules.oauth_profile, token=granted)
        profile = answer.json() if answer.status_code == 200 else {}
    except (OAuthError, RequestException, ValueError, KeyError):
        return {}
    return profile if isinstance(profile, dict) else {}


@signin.post("/sign-out")
def sign_out() -> Page:
    """End the session."""
    security.sign_out(context.workspace)
    return redirect_to("signin.sign_in")


def _asked_for(*, again: bool) -> str:
    """Return the page that says how to sign in; where the local address is spent, the command prints a new one."""
    if (token := context.token) is not None:
        token.renew()
    return render_template("sign_in.html", shared="wiki_oauth" in current_app.extensions, again=again, connect=None)


def _begin(name: str) -> None:
    security.sign_in(context.workspace, name, context.rules.session_hours)


def _refused(key: str) -> Page:
    flash(translate(key), "error")
    connect = 1 if session.get("connecting") else None  # who tries again is still to be connected
    return render_template("sign_in.html", shared=True, again=False, connect=connect), 403


def _count_failure() -> None:
    """Count a failed sign-in. What succeeds, and what was never begun here, locks nobody out."""
    if not context.failed_sign_ins.allows(_address()):
        _refuse_too_many()


def _refuse_too_many() -> NoReturn:
    abort(429, Message("error.many_tries"))


def _address() -> str:
    return request.remote_addr or ""


@signin.before_request
def _as_a_page() -> None:
    """Refuse pictures and frames of foreign pages before they try anything: browsers say what a request is for."""
    sent = request.headers
    if sent.get("Sec-Fetch-Site") == "cross-site" and sent.get("Sec-Fetch-Dest", "document") != "document":
        abort(403, Message("error.own_page"))
