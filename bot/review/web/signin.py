"""Signing in: by the one-time token of a local server, or through the wiki's OAuth 2 where reviewers share one."""

from __future__ import annotations

from typing import Any

from flask import (
    Blueprint,
    Flask,
    Response,
    abort,
    current_app,
    flash,
    redirect,
    render_template,
    request,
    session,
    url_for,
)
from werkzeug.wrappers import Response as Answer

from bot.errors import ReviewError
from bot.review.people import add_reviewer, reviewers
from bot.review.rules import Rules
from bot.review.web import security
from bot.review.web.desk import desk
from bot.review.web.words import translate

signin = Blueprint("signin", __name__)
Page = str | Answer | tuple[str, int]


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
def sign_in() -> Page:
    """Say how to sign in; a token in the address is spent at once and leaves the address."""
    if given := request.args.get("token"):
        return _by_token(given)
    return render_template("sign_in.html", shared="wiki_oauth" in current_app.extensions, again=False)


@signin.get("/sign-in/<token>")
def token(token: str) -> Page:
    """Spend the token of the command's address."""
    return _by_token(token)


def _by_token(given: str) -> Page:
    here = desk()
    _count()
    if here.token is None or not here.token.spend(given):
        return render_template("sign_in.html", shared="wiki_oauth" in current_app.extensions, again=True), 403
    if here.reviewer:
        security.sign_in(here.reviewer)
        return redirect(url_for("queue.page"), 303)
    security.sign_in("")
    session["local"] = True
    return redirect(url_for("signin.who"), 303)


@signin.route("/who", methods=["GET", "POST"])
def who() -> Page:
    """Ask a person at this machine under which name the decisions are to be recorded."""
    here = desk()
    if not session.get("local") or session.get("who"):
        return redirect(url_for("queue.page" if session.get("who") else "signin.sign_in"), 303)
    known = {name: role for name, role in reviewers(here.workspace).items() if role != "stand-in"}
    if request.method == "POST":
        name = (request.form.get("known") or request.form.get("name") or "").strip()
        try:
            if name not in known:
                if reviewers(here.workspace).get(name) == "stand-in":
                    raise ReviewError("is a script, not a person", where=name)
                # Whoever has the command's token has the workspace in hand.
                name = add_reviewer(here.workspace, name, "operator" if not known else "reviewer")
        except ReviewError as error:
            flash(error.line(), "error")
            return render_template("who.html", known=known), 400
        security.sign_in(name)
        return redirect(url_for("queue.page"), 303)
    return render_template("who.html", known=known)


@signin.get("/sign-in/start")
def start() -> Page:
    """Send the person to the wiki; nothing from the address goes with them."""
    _count()
    if "wiki_oauth" not in current_app.extensions:
        abort(404)
    client, _, back = current_app.extensions["wiki_oauth"]
    answer: Answer = client.authorize_redirect(back)
    return answer


@signin.get("/sign-in/back")
def back() -> Page:
    """Take the wiki's answer: only people whom an operator has made known come in."""
    _count()
    if "wiki_oauth" not in current_app.extensions:
        abort(404)
    from authlib.integrations.base_client.errors import OAuthError
    from requests import RequestException

    client, rules, _ = current_app.extensions["wiki_oauth"]
    here = desk()
    try:
        granted = client.authorize_access_token()
        answer = client.get(rules.oauth_profile, token=granted)
        profile = answer.json() if answer.status_code == 200 else {}
    except (OAuthError, RequestException, ValueError, KeyError):
        flash_error("sign_in_failed")
        return render_template("sign_in.html", shared=True, again=False), 403
    name = profile.get(rules.oauth_name) if isinstance(profile, dict) else None
    role = reviewers(here.workspace).get(name, "") if isinstance(name, str) else ""
    if role not in ("reviewer", "operator") or (isinstance(profile, dict) and profile.get("blocked")):
        flash_error("not_on_the_list")
        return render_template("sign_in.html", shared=True, again=False), 403
    security.sign_in(str(name))
    return redirect(url_for("queue.page"), 303)


@signin.post("/sign-out")
def sign_out() -> Page:
    """End the session."""
    session.clear()
    return redirect(url_for("signin.sign_in"), 303)


def flash_error(key: str) -> None:
    """Show a message of ours as an error on the next page."""
    flash(translate(key), "error")


def _count() -> None:
    if not desk().tries.allows(request.remote_addr or ""):
        abort(Response("too many tries to sign in; wait some minutes", 429, mimetype="text/plain"))
