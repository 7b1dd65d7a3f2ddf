"""The review page as a Flask app: a workspace and its settings in, pages and an API out. It reads no wiki and writes none."""

from collections.abc import Collection
from datetime import timedelta
from typing import Any
from urllib.parse import urlencode

import sqlalchemy as sa
from flask import Flask, g, make_response, redirect, render_template, request, session, url_for
from flask.typing import ResponseReturnValue
from jinja2 import ChoiceLoader, FileSystemLoader, StrictUndefined
from markupsafe import Markup
from werkzeug.exceptions import HTTPException, MethodNotAllowed
from werkzeug.wrappers import Response as Answer

from bot import file_permissions
from bot.errors import BotError
from bot.formula import mathml
from bot.messages import Message, languages
from bot.propose.cards import TEMPLATES, with_escapes
from bot.records import digest
from bot.review.decide import REASONS
from bot.review.named_source import OpenClient
from bot.review.web import security, translation
from bot.review.web.queue_index import Advance
from bot.review.web.review_context import ReviewContext, context
from bot.settings import Settings
from bot.store import Workspace, now


def make_app(
    workspace: Workspace,
    settings: Settings,
    *,
    hosts: Collection[str],
    token: security.OneTimeToken | None = None,
    reviewer: str = "",
    public: str = "",
    oauth_secret: str = "",
    advance: Advance | None = None,
    open_client: OpenClient | None = None,
) -> Flask:
    """Return the app, its queue made ready.

    `hosts` are the only ones it answers under; with `public` people sign in by OAuth 2. `advance` is told of the queue's progress;
    `open_client` opens the wiki that is proposed to, where that is not the configured one.
    """
    from bot.review.web.item_page import item_page
    from bot.review.web.pages_formulas import formulas
    from bot.review.web.pages_packets import packets
    from bot.review.web.pages_people import people
    from bot.review.web.pages_proposal import proposals
    from bot.review.web.pages_queue import queue
    from bot.review.web.pages_statistics import statistics
    from bot.review.web.rest import api
    from bot.review.web.signin import connect, signin

    app = Flask(__name__)
    review_context = app.extensions["review"] = ReviewContext(workspace, settings, token, reviewer, open_client)
    rules = review_context.rules
    app.config.update(
        SECRET_KEY=file_permissions.stored_secret(workspace.path / file_permissions.KEY),
        MAX_CONTENT_LENGTH=security.MAX_BODY_BYTES,
        SESSION_COOKIE_NAME=f"formula_review_{digest(sorted(hosts), length=8)}",
        SESSION_COOKIE_HTTPONLY=True,
        SESSION_COOKIE_SAMESITE="Lax",
        SESSION_COOKIE_SECURE=public.startswith("https://"),
        PERMANENT_SESSION_LIFETIME=timedelta(hours=rules.session_hours),
        SEND_FILE_MAX_AGE_DEFAULT=3600,
    )
    env: Any = app.jinja_env
    env.loader = ChoiceLoader([env.loader, FileSystemLoader(TEMPLATES)])
    env.trim_blocks = env.lstrip_blocks = True
    env.undefined = StrictUndefined
    env.finalize = with_escapes
    security.guard(app, workspace, {h.lower() for h in hosts}, rules.session_hours)
    app.before_request(_prepare)
    app.context_processor(_globals)
    if public:
        connect(app, rules, oauth_secret, public)
    for blueprint in (signin, queue, proposals, formulas, statistics, packets, people, item_page, api):
        app.register_blueprint(blueprint)
    _errors(app)
    review_context.index.refresh(now=True, advance=advance)
    return app


def _prepare() -> Answer | None:
    if g.get("who"):
        if context.role() not in ("reviewer", "operator"):  # taken off the list since
            security.sign_out(context.workspace)
            g.who = ""
            return redirect(url_for("signin.sign_in"), 303)
        context.index.refresh()
        if session.get("looking") and request.method == "GET" and request.blueprint not in ("proposals", "api", None):
            context.lease_to_reviewer()
    return None


def _globals() -> dict[str, object]:
    return {
        "t": translation.translate,
        "shown": translation.message_markup,
        "named": translation.name_in_language,
        "numeral": translation.numeral_in_language,
        "drawn": lambda tex: Markup(mathml(tex)),
        "csrf": security.csrf,
        "language": translation.language(),
        "languages": languages(),
        "who": g.get("who", ""),
        "operator": bool(g.get("who")) and context.role() == "operator",
        "wiki": context.wiki,
        "reasons": REASONS,
        "can_undo": bool(session.get("done")),
        "moment": now(),
        "language_query": _language_query,
    }


def _errors(app: Flask) -> None:
    """Answer every error with a page, or with JSON; `abort` takes a Message as its description."""

    def plain(error: HTTPException) -> ResponseReturnValue:
        if error.response is not None:
            return error.response
        detail: object = "" if error.description == type(error).description else error.description or ""
        answer = make_response(_failure(error.code or 500, detail, str(error.description or error.name)))
        if isinstance(error, MethodNotAllowed) and error.valid_methods:
            answer.headers["Allow"] = ", ".join(sorted(error.valid_methods))
        return answer

    def database(error: sa.exc.OperationalError) -> ResponseReturnValue:
        app.logger.error("the database answers: %s", error.orig)
        return _failure(503, Message("error.busy"))

    app.register_error_handler(HTTPException, plain)
    app.register_error_handler(BotError, lambda error: _failure(409, translation.error_text(error), error.line()))
    app.register_error_handler(sa.exc.OperationalError, database)


def _failure(code: int, detail: object, plain: str = "") -> ResponseReturnValue:
    """Answer with an error: its message, or the page's text for the code; the API answers in English."""
    if request.path.startswith("/api/"):
        return {"error": {"code": code, "what": plain or str(detail)}}, code
    text = translation.message_markup(detail) if isinstance(detail, Message) else detail
    return render_template("error.html", code=code, what=text), code


def _language_query(code: str) -> str:
    """Return this page's own query with another language."""
    return urlencode(
        [*((k, v) for k, v in request.args.items(multi=True) if k not in ("lang", "token")), ("lang", code)]
    )
