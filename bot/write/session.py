"""The one door to pywikibot: log in, read an entity, send one claim or one reference, take one back.

Nothing here decides and nothing is sent twice: pywikibot's own second tries are switched off, since a resend after a
lost reply could put back what a person has removed in between. Errors of the library become a WikiRefusal.
"""

import contextlib
import functools
import io
import json
import logging
import os
import re
import sys
from collections.abc import Callable, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, ParamSpec, TypeAlias, TypeVar

import requests

from bot.console import localised
from bot.errors import WriteRefused, WriteStopped
from bot.file_permissions import repair_permissions
from bot.messages import Message
from bot.settings import REHEARSAL_PASSWORD, REHEARSAL_PASSWORD_NAME, REHEARSAL_USER, Settings, Wiki
from bot.wikibase import Json
from bot.write.wiki_protocol import NO_BOT_RIGHT, AccountStatus, Entity, Revision, WikiRefusal, WikiSession

_P = ParamSpec("_P")
_T = TypeVar("_T")
_Site: TypeAlias = Any  # a site, family or module of pywikibot, which has no types
_TRIES_AT_LOGIN = 3  # pywikibot's own, while nothing can have been written yet


def connect(wiki: Wiki, settings: Settings, home: Path) -> WikiSession:
    """Log in and return a session. `home` keeps pywikibot's cookies for the rehearsal wiki.

    Raises WriteStopped with one clear line where the wiki is down, the password is wrong or the bot right is missing;
    nobody is ever asked for a password. Raises WriteRefused where pywikibot's own settings cannot be used.
    """
    folder = account_folder(wiki, settings, home)
    pywikibot = _load_pywikibot(wiki, folder)
    try:
        site = _rehearsal_site(wiki) if wiki.sandbox else _configured_site(wiki, settings, folder)
        session = _PywikibotSession(site, wiki)
        _forget_login(site)
        _login(site, wiki)
        if not wiki.sandbox:
            session.check_wiki()
    except (pywikibot.exceptions.Error, OSError, ValueError, KeyError, RuntimeError) as error:
        todo = "" if wiki.sandbox else "see_account_files"
        message = Message("stopped.login", wiki=wiki.name, why=_short(error))
        raise WriteStopped(message, where=wiki.api, todo=todo) from None
    if "bot" not in site.userinfo.get("rights", ()):
        raise WriteStopped(Message("stopped.no_bot", account=site.username(), wiki=wiki.name), where=wiki.api)
    pywikibot.config.max_retries = 0
    return session


def account_folder(wiki: Wiki, settings: Settings, home: Path) -> Path:
    """Return the folder that belongs to the account: pywikibot's settings, its cookies, and the account's pace."""
    return home if wiki.sandbox else Path(settings.writing.pywikibot_dir or ".")


def _load_pywikibot(wiki: Wiki, folder: Path) -> _Site:
    """Load pywikibot with the settings of this folder and no others, quiet, and without a terminal to ask on."""
    if not wiki.sandbox and not (folder / "user-config.py").is_file():
        raise WriteRefused("no_user_config", where=str(folder.resolve()), todo="copy_config")
    folder.mkdir(parents=True, exist_ok=True)
    for line in repair_permissions(folder, itself=folder != Path()).lines(folder):
        print(localised(line), file=sys.stderr)
    # pywikibot reads these at import; it must never look for a user-config.py of its own choosing.
    os.environ["PYWIKIBOT_DIR"] = str(folder.resolve())
    os.environ["PYWIKIBOT_NO_USER_CONFIG"] = "2" if wiki.sandbox else "0"
    output = io.StringIO()  # of what it prints at import, only what it would not read matters
    try:
        with contextlib.redirect_stderr(output), contextlib.redirect_stdout(output):
            import pywikibot
            from pywikibot import config
    except (Exception, SystemExit) as error:  # it runs user-config.py, which may hold anything
        raise _unusable(error, folder / "user-config.py") from None
    if skipped := re.search(r"Skipped .*: (.*)|cannot be loaded", output.getvalue()):
        where, why = str(folder / "user-config.py"), skipped[1] or skipped[0]
        raise WriteRefused("config_unread", why=why, where=where, todo="own_file")
    pywikibot.bot.init_handlers()
    pywikibot.bot.ui.input = _refuse_to_ask
    # What goes wrong comes out as an error of ours, in one line; the library would say it in twenty.
    logging.getLogger("pywiki").setLevel(logging.CRITICAL + 1)
    config.base_dir = str(folder.resolve())
    config.maxlag = config.write_maxlag = 5
    # The pace is kept by rate_limit.py, across processes
    config.put_throttle = config.minthrottle = config.maxthrottle = 0
    config.simulate = False
    config.max_retries, config.retry_wait, config.retry_max = _TRIES_AT_LOGIN, 1, 2
    (folder / "throttle.ctrl").touch()  # pywikibot takes it for granted once it has used another folder
    return pywikibot


def _refuse_to_ask(question: str, *args: object, **kwargs: object) -> str:
    message = Message("stopped.asked", question=question.split("(")[0].strip())
    raise WriteStopped(message, todo="password")


def _as_refusal(method: Callable[_P, _T]) -> Callable[_P, _T]:
    """Raise a WikiRefusal for an answer without the parts that every such answer has."""

    @functools.wraps(method)
    def called(*args: _P.args, **kwargs: _P.kwargs) -> _T:
        return _call(method, *args, **kwargs)

    return called


def _refuse_relogin() -> None:
    raise WikiRefusal("assertuserfailed", Message("wiki.forgotten"))


class _PywikibotSession:
    def __init__(self, site: _Site, wiki: Wiki) -> None:
        self._site, self._wiki = site, wiki
        self._last: tuple[int, float] = (0, 0.0)  # status and Retry-After of the newest answer
        site._relogin = _refuse_relogin  # otherwise the library logs in itself, and may ask for a password
        self._titles: dict[str, str] = {}  # where a wiki keeps its items: Q42, or Item:Q42

    def check_wiki(self) -> None:
        """Raise WriteRefused where this is not the wiki of the settings by its own word: the same Q-number is another item there."""
        said = self._query(meta="siteinfo", siprop="general")["general"].get("wikibase-conceptbaseuri", "")
        if said and said != self._wiki.entity_prefix:
            values = {"prefix": self._wiki.entity_prefix, "said": said}
            raise WriteRefused("prefix_of_wiki", where=self._wiki.api, todo="set_as_wiki", **values)

    @_as_refusal
    def entity(self, qid: str) -> Entity:
        # Redirects are not followed: a merged item goes back to review. The session keeps replicas in step.
        found: Entity = self._ask(action="wbgetentities", ids=qid, redirects="no")["entities"][qid]
        if "missing" in found:
            raise WikiRefusal("no-such-entity", Message("wiki.no_item", item=qid))
        self._titles[qid] = found.get("title", qid)
        return found

    @_as_refusal
    def entity_at(self, revision: int) -> Entity:
        pages = self._query(prop="revisions", revids=revision, rvprop="ids|content", rvslots="main")["pages"]
        slot = pages[0]["revisions"][0]["slots"]["main"]
        if "texthidden" in slot:
            raise WikiRefusal("revision-hidden", Message("wiki.hidden", revision=revision))
        found: Entity = json.loads(slot["content"])
        return {**found, "lastrevid": revision}

    @_as_refusal
    def history(self, qid: str, since: int) -> list[Revision]:
        parameters = {"prop": "revisions", "titles": self._titles.get(qid, qid)}
        parameters |= {"rvprop": "ids|comment|user", "rvlimit": "max"}
        pages = self._query(**parameters, rvdir="newer", rvstartid=since)["pages"]
        found = [r for page in pages for r in page.get("revisions", [])]
        found = [r for r in found if r["revid"] > since]
        return [Revision(r["revid"], r["parentid"], r.get("user", ""), r.get("comment", "")) for r in found]

    def add_claim(self, qid: str, payload: Entity, summary: str, base: int) -> int:
        # With a base revision a GUID that is there already is refused as a conflict and not written over.
        return self._edit(summary, action="wbsetclaim", claim=json.dumps(payload), baserevid=base or None)

    def add_claims(self, qid: str, payloads: Sequence[Entity], summary: str, base: int) -> int:
        # Whole claims with GUIDs of ours: all of them are saved in one revision, or none.
        data = json.dumps({"claims": list(payloads)})
        return self._edit(summary, action="wbeditentity", id=qid, data=data, baserevid=base or None)

    def add_reference(self, qid: str, statement: str, reference: Entity, summary: str) -> int:
        # Without a base revision: with a stale one the whole statement would be patched in as it was then, over
        # another person's change of it (recorded as conflict_stale_same_statement).
        snaks, order = json.dumps(reference["snaks"]), json.dumps(reference["snaks-order"])
        return self._edit(summary, action="wbsetreference", statement=statement, snaks=snaks, **{"snaks-order": order})

    def remove_claim(self, qid: str, statement: str, summary: str, base: int) -> int:
        return self._edit(summary, action="wbremoveclaims", claim=statement, baserevid=base or None)

    def remove_reference(self, qid: str, statement: str, reference_hash: str, summary: str) -> int:
        # Not through Claim.removeSources: with several properties in a reference it writes and then raises.
        return self._edit(summary, action="wbremovereferences", statement=statement, references=reference_hash)

    @_as_refusal
    def account_status(self, pages: tuple[str, ...]) -> AccountStatus:
        parameters = {"meta": "userinfo", "uiprop": "blockinfo|rights"}
        if pages:
            parameters |= {"prop": "revisions", "titles": "|".join(pages), "rvprop": "content", "rvslots": "main"}
        whole = self._ask(action="query", formatversion=2, curtimestamp=1, **parameters)
        answer = whole["query"]
        user = answer["userinfo"]
        blocked = f"{user.get('blockreason', '')} (by {user.get('blockedby', '?')})" if "blockid" in user else ""
        named = {n["to"]: n["from"] for n in answer.get("normalized", ())}
        texts = {
            named.get(page["title"], page["title"]): page["revisions"][0]["slots"]["main"]["content"]
            if page.get("revisions")
            else ""
            for page in answer.get("pages", ())
            if "invalid" not in page
        }
        if untitled := next((page for page in pages if page not in texts), ""):
            raise WriteStopped(Message("stopped.no_title"), where=untitled, todo="see_docs", code_page="operating.md")
        timestamp = whole.get("curtimestamp", "")
        moment = datetime.fromisoformat(timestamp).timestamp() if timestamp else 0.0
        return AccountStatus(blocked, "bot" in user.get("rights", ()), {p: texts[p] for p in pages}, moment)

    def log_in(self) -> None:
        """Log in again after the session has ended."""
        _forget_login(self._site)
        _call(_login, self._site, self._wiki)

    def _edit(self, summary: str, **parameters: object) -> int:
        given_parameters = {name: value for name, value in parameters.items() if value is not None}
        token = _call(lambda: self._site.tokens["csrf"])
        try:
            answer = self._ask(**given_parameters, summary=summary, bot=True, token=token)
        except WikiRefusal as refusal:
            if refusal.code == NO_BOT_RIGHT:
                self.account_status(())  # a login that was forgotten is refused under the same code, and is raised here
            raise
        return int((answer.get("pageinfo") or answer.get("entity") or {}).get("lastrevid", 0))

    def _query(self, **parameters: object) -> Json:
        found: Json = self._ask(action="query", formatversion=2, **parameters).get("query", {})
        return found

    def _ask(self, **parameters: object) -> Json:
        """Send one request once; a second try is for those to decide who know what it would do."""

        def no_second_try(*args: object, **kwargs: object) -> None:
            code, text = request.last_error.get("code"), request.last_error.get("info") or ""
            if code:
                raise WikiRefusal(*_innermost(code, text, request.last_error.get("messages")), self._last[1])
            if self._last[0] == 429:
                raise WikiRefusal("too-many-requests", "HTTP 429", self._last[1])
            raise WikiRefusal(
                "lost", Message("wiki.no_answer", n=self._last[0]) if self._last[0] else Message("wiki.lost")
            )

        self._last = (0, 0.0)
        self._watch_responses()
        request = self._site.simple_request(**parameters)
        if request.write:
            # Set here and not given above: the library sets assert=user over what it is given for an edit, and without
            # the bot right such an edit is saved, unflagged.
            request["assert"] = "bot"
        request.wait = no_second_try
        try:
            answer = _call(request.submit)
        except WikiRefusal as refusal:
            refusal.retry_after = refusal.retry_after or self._last[1]
            raise
        finally:
            # The caller that gets the WikiRefusal waits; the library would wait longer
            self._site.throttle.retry_after = 0
        if not isinstance(answer, dict):
            raise WikiRefusal("lost", Message("wiki.no_object"))
        return answer

    def _watch_responses(self) -> None:
        """Note status and Retry-After of every answer: the library does not pass them on."""
        from pywikibot.comms import http

        def note(response: requests.Response, *args: object, **kwargs: object) -> None:
            self._last = (response.status_code, _seconds(response.headers.get("Retry-After", "")))

        http.session.hooks["response"] = [note]


def _seconds(wait: str) -> float:
    """Return a Retry-After as seconds, 0 where it is a date or nothing that could be waited for."""
    return float(wait) if re.fullmatch(r"[0-9]{1,9}(\.[0-9]{0,9})?", wait) else 0.0


def _call(action: Callable[_P, _T], *args: _P.args, **kwargs: _P.kwargs) -> _T:
    from pywikibot import exceptions

    try:
        return action(*args, **kwargs)
    except (WikiRefusal, WriteStopped):
        raise
    except exceptions.MaxlagTimeoutError as error:
        raise WikiRefusal("maxlag", _short(error)) from None
    except exceptions.APIError as error:
        raise WikiRefusal(*_innermost(error.code, error.info, error.other.get("messages"))) from None
    except exceptions.Error as error:
        raise WikiRefusal("lost", f"{type(error).__name__}: {_short(error)}") from None
    except (OSError, ValueError, KeyError, IndexError, TypeError, AttributeError) as error:
        raise WikiRefusal("lost", Message("wiki.no_sense", why=f"{type(error).__name__}: {_short(error)}")) from None


def _innermost(code: str, text: str, messages: object) -> tuple[str, str]:
    """Return the name of the message that tells most, and the wiki's text."""
    listed = messages.values() if isinstance(messages, dict) else messages if isinstance(messages, list) else ()
    names = [m.get("name", "") for m in listed if isinstance(m, dict)]
    telling = [n for n in names if n and n != "wikibase-api-failed-save"]
    return (telling or [code])[0] or "unknown", " ".join(text.split())


def _short(error: BaseException) -> str:
    return " ".join(str(error).split())[:200] or type(error).__name__


def _configured_site(wiki: Wiki, settings: Settings, folder: Path) -> _Site:
    """Return pywikibot's site, after making sure, before a byte is sent, that it is the wiki that was read and planned on."""
    import pywikibot

    writing = settings.writing
    family = _family(writing.family, folder)
    try:
        address = f"{family.protocol(writing.code)}://{family.hostname(writing.code)}{family.apipath(writing.code)}"
    except (pywikibot.exceptions.Error, KeyError) as error:
        raise WriteRefused("no_family", why=_short(error)) from None
    if address != wiki.api:
        raise WriteRefused("other_site", address=address, wiki=wiki.api, todo="agree")
    return pywikibot.Site(writing.code, writing.family, user=writing.account)


def _family(name: str, folder: Path) -> _Site:
    """Load a family. A file that user-config.py registers without its whole path counts from the folder of user-config.py."""
    from pywikibot import config
    from pywikibot.family import Family

    family_file = config.family_files.get(name, "")
    where = folder.resolve() / "user-config.py"
    if family_file and "://" not in family_file:
        where = folder.resolve() / family_file
        if not where.is_file():
            stated = str(folder.resolve() / "user-config.py")
            raise WriteRefused("not_a_file", where=str(where), todo="family_file", code_name=name, code_file=stated)
        config.family_files[name] = str(where)
    try:
        return Family.load(name)
    except Exception as error:  # a family file may hold anything, and the library hides why it could not be imported
        if not family_file:
            raise WriteRefused("no_family", why=_short(error), where=str(where), todo="register_family") from None
        raise _unusable(error.__context__ or error, where) from None


def _unusable(error: BaseException, file: Path) -> WriteRefused:
    why = f"{type(error).__name__}: {_short(error)}"
    return WriteRefused("config_unusable", why=why, where=str(file), todo="mend_file")


def _rehearsal_site(wiki: Wiki) -> _Site:
    import pywikibot
    from pywikibot.family import DefaultWikibaseFamily, SingleSiteFamily

    host, path = wiki.api.removeprefix("http://").split("/", 1)
    if not host.startswith("127.0.0.1"):
        raise WriteStopped(Message("stopped.rehearsal"), where=wiki.api)
    name = "rehearsal" + "".join(c for c in host if c.isdigit())
    members = {
        "name": name,
        "domain": host,
        "protocol": lambda self, code: "http",
        "scriptpath": lambda self, code: "/" + path.removesuffix("/api.php"),
        "interwiki_forward": None,
    }
    family = type("RehearsalFamily", (SingleSiteFamily, DefaultWikibaseFamily), members)()
    return pywikibot.Site(name, family, user=REHEARSAL_USER)


def _forget_login(site: _Site) -> None:
    """Forget the login that pywikibot keeps with its sites: its session may be gone, the account's rights have changed."""
    site.tokens.clear()
    del site.userinfo
    site._loginstatus = -1  # as pywikibot's own _relogin does; it would ask for a password


def _login(site: _Site, wiki: Wiki) -> None:
    if not wiki.sandbox:
        site.login()
        return
    from pywikibot.login import BotPassword, ClientLoginManager

    manager = ClientLoginManager(site=site, user=REHEARSAL_USER, password=REHEARSAL_PASSWORD)
    manager.login_name = BotPassword(REHEARSAL_PASSWORD_NAME, REHEARSAL_PASSWORD).login_name(REHEARSAL_USER)
    manager.login()
    site.login(cookie_only=True)
