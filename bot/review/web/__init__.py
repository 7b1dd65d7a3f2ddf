"""The review page: a Flask app over the workspace, served on this machine or, with sign-in, to a group of reviewers."""

from collections.abc import Callable

from bot.console import localised, progress
from bot.errors import ReviewError
from bot.messages import Message
from bot.review.named_source import OpenClient
from bot.review.people import reviewers
from bot.review.queue_rules import load_rules
from bot.review.web import control_questions, security
from bot.review.web.app import make_app
from bot.settings import THIS_MACHINE, Settings, environment, page_origin
from bot.store import Workspace

__all__ = ["make_app", "serve"]


def serve(
    workspace: Workspace,
    settings: Settings,
    *,
    port: int = 8090,
    host: str = "127.0.0.1",
    public: str = "",
    reviewer: str = "",
    say: Callable[[str], None] = print,
    open_client: OpenClient | None = None,
) -> None:
    """Serve until interrupted. Without `public` only this machine is answered, and a token opens the page once.

    Raises ReviewError where a shared page lacks its sign-in, for an unknown reviewer, or a port that is taken.
    """
    from bot.review.web.listener import listen

    rules = load_rules(workspace)
    if rules.known_wrong:
        control_questions.ensure_made(workspace)
    token = None if public else security.OneTimeToken()
    secret = _shared(public, rules.oauth_client) if public else ""
    if not public and host not in THIS_MACHINE:
        raise ReviewError("this_machine_only", host=host, todo="public")
    if reviewer and reviewers(workspace).get(reviewer) not in ("reviewer", "operator"):
        raise ReviewError(Message("error.no_reviewer", name=repr(reviewer)), todo="add_reviewer")
    # The application is given once the port, and with it the host's name, is known.
    server = listen(lambda environ, start: [], host, port, rules if public else None)
    found = server.effective_port
    origin = page_origin(public)
    hosts = {origin.partition("://")[2]} if public else {f"127.0.0.1:{found}", f"localhost:{found}"}
    with progress(Message("told.queue_bar")) as advance:  # the first reading of a long queue takes time
        server.application = make_app(
            workspace,
            settings,
            hosts=hosts,
            token=token,
            reviewer=reviewer,
            public=origin,
            oauth_secret=secret,
            advance=advance,
            open_client=open_client,
        )
    address = f"http://127.0.0.1:{found}/sign-in/"
    if token is not None:
        token.announce = lambda text: say(f"{address}{text}\n{localised(Message('told.new_address'))}")
    say(origin or f"{address}{token.text if token else ''}")
    say(localised(Message("told.serving" if public else "told.serving_once")))
    try:
        server.run()
    finally:
        server.close()


def _shared(public: str, client: str) -> str:
    """Return the consumer's secret. Raises ReviewError where something that a shared page needs is missing."""
    if not page_origin(public):
        raise ReviewError("no_signin_address", where=public, todo="https_host")
    secret = environment("OAUTH_SECRET")
    if not client or not secret:
        raise ReviewError("no_wiki_signin", todo="oauth_secret")
    return secret
