"""What guards every page: who may ask under which host, the session and its end, tokens against forged forms, headers."""

import hmac
import secrets
import threading
import time
from collections import defaultdict, deque
from collections.abc import Callable, Collection

from flask import Flask, Request, Response, abort, current_app, flash, g, redirect, request, session, url_for

from bot.messages import Message
from bot.review import sessions
from bot.review.sessions import secret_digest
from bot.review.web.translation import translate
from bot.store import Workspace

# Pictures of formulas carry style attributes (alignment of cases, rules of arrays); scripts and sheets are our own files.
CSP = (
    "default-src 'none'; script-src 'self'; style-src 'self'; style-src-attr 'unsafe-inline'; img-src 'self' data:; font-src 'self'; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
_HEADERS = {
    "Content-Security-Policy": CSP,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
}
# Pages for people not signed in.
OPEN = {"static", "item_page.connect", *(f"signin.{page}" for page in ("sign_in", "start", "back", "who"))}
# Pages in the window that the wiki's item page opens to be connected. Only while they are no other context can they answer it.
ANSWER_OPENER = {"item_page.connect", "signin.start", "signin.back"}
# Nothing is lost where these are not answered
WITHOUT_SESSION_MESSAGE = {"proposals.leave", "proposals.preview", "signin.sign_out"}
MAX_BODY_BYTES = 5_000_000  # bytes of a form or a packet


class OneTimeToken:
    """A token that opens the page once; only its digest is kept. `announce` is called with each new token after a used one."""

    def __init__(self, announce: Callable[[str], object] | None = None) -> None:
        self.text = secrets.token_urlsafe(24)
        self.announce = announce
        self._digest, self._lock = secret_digest(self.text), threading.Lock()

    def renew(self) -> None:
        """Make a new token where this one is spent, and announce it."""
        with self._lock:
            if self._digest:
                return
            self.text = secrets.token_urlsafe(24)
            self._digest = secret_digest(self.text)
        if self.announce is not None:
            self.announce(self.text)

    def spend(self, token: str) -> bool:
        """Say whether this is the token, for the first time."""
        with self._lock:
            good = bool(self._digest) and hmac.compare_digest(secret_digest(token), self._digest)
            if good:
                self._digest = ""
            return good


class FailureLimiter:
    """A limit of failures in a period from one address."""

    def __init__(self, tries: int, seconds: float) -> None:
        self._tries, self._seconds = tries, seconds
        self._seen: dict[str, deque[float]] = defaultdict(lambda: deque(maxlen=tries + 1))
        self._lock = threading.Lock()

    def allows(self, who: str, *, failed: bool = True) -> bool:
        """Count a failure, unless `failed` is false, and say whether there are no more than the limit."""
        moment = time.monotonic()
        with self._lock:
            if len(self._seen) > 10_000:
                self._seen.clear()
            times = self._seen[who]
            while times and moment - times[0] > self._seconds:
                times.popleft()
            if failed:
                times.append(moment)
            return len(times) < self._tries + failed


def guard(app: Flask, workspace: Workspace, hosts: Collection[str], hours: float) -> None:
    """Make the app refuse strange hosts, old sessions, forged forms and people who are not signed in."""
    app.before_request(lambda: _host(hosts))
    app.before_request(lambda: _session(workspace, hours))
    app.before_request(_refuse_forged_forms)
    app.after_request(_headers)


def sign_in(workspace: Workspace, name: str, hours: float) -> None:
    """Begin a session: nothing of what was there before stays in it but the language."""
    sign_out(workspace)
    session.update(sid=sessions.begin_session(workspace, name, hours), csrf=secrets.token_urlsafe(24), done=[])


def sign_out(workspace: Workspace) -> None:
    """End the session on both sides: a copy of its cookie opens nothing any more."""
    if secret := session.get("sid"):
        sessions.end_session(workspace, str(secret))
    _forget()


def _forget() -> None:
    language = session.get("lang")
    session.clear()
    if language:
        session["lang"] = language


def csrf() -> str:
    """Return the token that every form of this session carries."""
    if "csrf" not in session:
        session["csrf"] = secrets.token_urlsafe(24)
    return str(session["csrf"])


def _host(hosts: Collection[str]) -> None:
    if request.host.lower() not in hosts:
        abort(400, Message("error.unknown_host"))


def _session(workspace: Workspace, hours: float) -> Response | None:
    g.who, g.asked = "", False
    if request.blueprint == "api" or request.endpoint == "static":
        return None
    if secret := session.get("sid"):
        found = sessions.session_reviewer(workspace, str(secret), hours)
        g.who, g.asked = found or "", found == ""  # asked: the page still asks for the person's name
        if found is None:
            _forget()
    if g.who or request.endpoint in OPEN or request.endpoint is None:
        return None
    if request.method == "POST" and request.endpoint not in WITHOUT_SESSION_MESSAGE:
        flash(translate("session_over"), "error")
    response = redirect(url_for("signin.sign_in"), 303)
    return response if isinstance(response, Response) else None


def _refuse_forged_forms() -> None:
    """Refuse a change that does not come from a page of this session. The API knows no cookies and needs none of this.

    Where there is nothing to be asked, or not so, the answer says that.
    """
    if request.method in ("GET", "HEAD", "OPTIONS") or request.blueprint == "api" or request.endpoint is None:
        return
    token = request.headers.get("X-CSRF-Token") or request.form.get("csrf", "")
    if not token.isascii() or not hmac.compare_digest(token, csrf()) or not _is_same_origin(request):
        abort(403, Message("error.foreign_form"))


def is_own_origin(origin: str, host: str) -> bool:
    """Say whether an Origin header, of whatever form, names this server."""
    return origin.partition("://")[2].lower() == host.lower()


def _is_same_origin(asked: Request) -> bool:
    if asked.headers.get("Sec-Fetch-Site", "same-origin") not in ("same-origin", "none"):
        return False
    origin = asked.headers.get("Origin")
    return origin in (None, "null") or is_own_origin(origin, asked.host)


def _headers(response: Response) -> Response:
    if request.endpoint in ANSWER_OPENER:
        response.headers["Cross-Origin-Opener-Policy"] = "unsafe-none"
    for name, value in _HEADERS.items():
        response.headers.setdefault(name, value)
    if request.endpoint != "static":
        response.headers["Cache-Control"] = "no-store"
    if current_app.config["SESSION_COOKIE_SECURE"]:
        response.headers["Strict-Transport-Security"] = "max-age=31536000"
    return response
