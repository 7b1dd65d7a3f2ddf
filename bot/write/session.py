"""The one door to pywikibot: log in, read an entity, send one claim or one reference, take one back.

Nothing here decides; `apply.py` does. Errors of the library come out as `Refusal`, with the code of the innermost
message, since Wikibase hides every refusal behind two codes (`modification-failed`, `failed-save`).
"""

from __future__ import annotations

import json
import logging
import os
from pathlib import Path
from typing import Any, Protocol

from bot.errors import WriteError, WriteRefused, WriteStopped
from bot.settings import REHEARSAL_PASSWORD, REHEARSAL_PASSWORD_NAME, REHEARSAL_USER, Settings, Wiki

# A refusal with one of these concerns one item or value; anything else is not known and stops the run.
HARMLESS = (
    "wikibase-validator-",
    "protected",
    "cascadeprotected",
    "titleprotected",
    "no-such-entity",
    "unresolved-redirect",
    "wikibase-api-editconflict",
    "editconflict",
    "abusefilter",
)


class Refusal(WriteError):
    """The wiki did not take an edit; `code` says why, `harmless` whether the next item may be tried."""

    def __init__(self, code: str, text: str) -> None:
        self.code = code
        super().__init__(f"{code}: {text}"[:400])

    @property
    def harmless(self) -> bool:
        return self.code.startswith(HARMLESS)


class Session(Protocol):
    """What the writer needs of a wiki; entities are plain JSON. Methods raise Refusal."""

    def entity(self, qid: str) -> dict[str, Any]: ...
    def add_claim(self, qid: str, payload: dict[str, Any], summary: str) -> None: ...
    def add_reference(self, qid: str, statement: str, reference: dict[str, Any], summary: str) -> None: ...
    def remove_claim(self, qid: str, statement: str, summary: str) -> None: ...
    def remove_reference(self, qid: str, statement: str, reference_hash: str, summary: str) -> None: ...
    def page_text(self, title: str) -> str: ...
    def comments_since(self, qid: str, revision: int) -> list[tuple[int, str]]: ...


def connect(wiki: Wiki, settings: Settings, home: Path) -> Session:
    """Log in and return a session. `home` keeps pywikibot's cookies for the rehearsal wiki.

    Raises WriteStopped with one clear line where the wiki is down, the password is wrong or the bot right is missing.
    """
    folder = home if wiki.sandbox else Path(settings.writing.pywikibot_dir or ".")
    if not wiki.sandbox and not (folder / "user-config.py").is_file():
        raise WriteRefused("has no user-config.py", where=str(folder), todo="copy user-config.py.example there")
    folder.mkdir(parents=True, exist_ok=True)
    # pywikibot reads these at import; it must never look for a user-config.py of its own choosing.
    os.environ["PYWIKIBOT_DIR"] = str(folder.resolve())
    os.environ["PYWIKIBOT_NO_USER_CONFIG"] = "2" if wiki.sandbox else "0"
    import pywikibot
    from pywikibot import config

    pywikibot.bot.init_handlers()
    logging.getLogger("pywiki").setLevel(logging.WARNING)  # that it logs in is no news; what goes wrong is

    config.base_dir = str(folder.resolve())
    config.maxlag = config.write_maxlag = 5
    config.put_throttle = config.minthrottle = config.maxthrottle = 0  # the pace is kept by manners.py, over processes
    config.simulate = False
    (folder / "throttle.ctrl").touch()  # pywikibot takes it for granted once it has used another folder
    if wiki.sandbox:
        config.max_retries, config.retry_wait, config.retry_max = 3, 1, 2
    site = _rehearsal_site(wiki) if wiki.sandbox else _configured_site(wiki, settings)
    try:
        _login(site, wiki)
    except (pywikibot.exceptions.Error, OSError, ValueError) as error:
        raise WriteStopped(f"cannot log in to {wiki.name} ({_short(error)})", where=wiki.api) from None
    if "bot" not in site.userinfo.get("rights", ()):
        raise WriteStopped(f"the account {site.username()} has no bot right on {wiki.name}", where=wiki.api)
    return _PywikibotSession(site)


class _PywikibotSession:
    def __init__(self, site: Any) -> None:
        self._site = site
        plain = site.simple_request

        def with_bot_assertion(**parameters: Any) -> Any:
            request = plain(**parameters)
            if request.write:
                request["assert"] = "bot"  # pywikibot asserts a user only
            return request

        site.simple_request = with_bot_assertion

    def entity(self, qid: str) -> dict[str, Any]:
        # Redirects are not followed: a merged item goes back to review. The session keeps replicas in step.
        answer = _call(self._site.simple_request(action="wbgetentities", ids=qid, redirects="no").submit)
        found: dict[str, Any] = answer["entities"][qid]
        if "missing" in found:
            raise Refusal("no-such-entity", f"{qid} does not exist")
        return found

    def add_claim(self, qid: str, payload: dict[str, Any], summary: str) -> None:
        import pywikibot

        item = self._item(qid)
        claim = _planned_claim(pywikibot).fromJSON(self._site, json.loads(json.dumps(payload)))
        _call(item.addClaim, claim, bot=True, summary=summary)

    def add_reference(self, qid: str, statement: str, reference: dict[str, Any], summary: str) -> None:
        import pywikibot

        claim = self._claim(qid, statement)
        sources = [
            pywikibot.Claim.fromJSON(self._site, {"mainsnak": snak})
            for group in (reference["snaks"][p] for p in reference["snaks-order"])
            for snak in json.loads(json.dumps(group))
        ]
        _call(claim.addSources, sources, bot=True, summary=summary)

    def remove_claim(self, qid: str, statement: str, summary: str) -> None:
        claim = self._claim(qid, statement)
        _call(claim.on_item.removeClaims, [claim], bot=True, summary=summary)

    def remove_reference(self, qid: str, statement: str, reference_hash: str, summary: str) -> None:
        # Not through Claim.removeSources: with several properties in a reference it writes and then raises.
        request = self._site.simple_request(
            action="wbremovereferences",
            statement=statement,
            references=reference_hash,
            summary=summary,
            bot=True,
            token=self._site.tokens["csrf"],
        )
        _call(request.submit)

    def page_text(self, title: str) -> str:
        import pywikibot

        page = pywikibot.Page(self._site, title)
        return str(_call(page.get, force=True)) if _call(page.exists) else ""

    def comments_since(self, qid: str, revision: int) -> list[tuple[int, str]]:
        asked = {"prop": "revisions", "titles": qid, "rvprop": "ids|comment", "rvlimit": "max", "rvendid": revision}
        answer = _call(self._site.simple_request(action="query", formatversion=2, **asked).submit)
        found = [r for page in answer["query"]["pages"] for r in page.get("revisions", [])]
        return [(r["revid"], r.get("comment", "")) for r in found if r["revid"] > revision]

    def _item(self, qid: str) -> Any:
        import pywikibot

        item = pywikibot.ItemPage(self._site, qid)
        _call(item.get, force=True)
        return item

    def _claim(self, qid: str, statement: str) -> Any:
        for group in self._item(qid).claims.values():
            for claim in group:
                if claim.snak and claim.snak.lower() == statement.lower():
                    return claim
        raise Refusal("no-such-statement", f"{statement} is not on {qid}")


def _planned_claim(pywikibot: Any) -> Any:
    class PlannedClaim(pywikibot.Claim):  # type: ignore[misc]
        """A claim that keeps the GUID of its plan: `addClaim` would make one that nobody stored before sending."""

        @property
        def snak(self) -> str | None:
            return self.__dict__.get("planned")

        @snak.setter
        def snak(self, value: str | None) -> None:
            if value is not None:
                self.__dict__.setdefault("planned", value)

    return PlannedClaim


def _call(action: Any, *args: Any, **kwargs: Any) -> Any:
    from pywikibot import exceptions

    try:
        return action(*args, **kwargs)
    except exceptions.Error as error:
        raise Refusal(*_reason(error)) from None
    except (OSError, ValueError, KeyError) as error:
        raise Refusal("unknown", _short(error)) from None


def _reason(error: Any) -> tuple[str, str]:
    """Return the innermost message name and text that the wiki gave."""
    from pywikibot import exceptions

    inner = getattr(error, "reason", None)
    inner = inner if isinstance(inner, exceptions.APIError) else error
    if isinstance(inner, exceptions.APIError):
        names = [m.get("name", "") for m in inner.other.get("messages", []) if isinstance(m, dict)]
        telling = [n for n in names if n and n != "wikibase-api-failed-save"]
        return (telling or [inner.code])[0] or "unknown", inner.info
    known = {"NoPageError": "no-such-entity", "IsRedirectPageError": "unresolved-redirect"}
    return known.get(type(error).__name__, type(error).__name__), _short(error)


def _short(error: BaseException) -> str:
    return " ".join(str(error).split())[:200] or type(error).__name__


def _configured_site(wiki: Wiki, settings: Settings) -> Any:
    """Return pywikibot's site, after making sure, before a byte is sent, that it is the wiki that was read and planned on."""
    import pywikibot
    from pywikibot.family import Family

    writing = settings.writing
    try:
        family = Family.load(writing.family)
        address = f"{family.protocol(writing.code)}://{family.hostname(writing.code)}{family.apipath(writing.code)}"
    except (pywikibot.exceptions.Error, KeyError) as error:
        raise WriteRefused(f"[writing] family and code are not known to pywikibot ({_short(error)})") from None
    if address != wiki.api:
        raise WriteRefused(
            f"[writing] family and code lead to {address}, the wiki is {wiki.api}", todo="make them agree"
        )
    return pywikibot.Site(writing.code, writing.family, user=writing.account)


def _rehearsal_site(wiki: Wiki) -> Any:
    import pywikibot
    from pywikibot.family import DefaultWikibaseFamily, SingleSiteFamily

    host, path = wiki.api.removeprefix("http://").split("/", 1)
    if not host.startswith("127.0.0.1"):
        raise WriteStopped("a rehearsal wiki must be on this machine", where=wiki.api)
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


def _login(site: Any, wiki: Wiki) -> None:
    if not wiki.sandbox:
        site.login()
        return
    from pywikibot.login import BotPassword, ClientLoginManager

    manager = ClientLoginManager(site=site, user=REHEARSAL_USER, password=REHEARSAL_PASSWORD)
    manager.login_name = BotPassword(REHEARSAL_PASSWORD_NAME, REHEARSAL_PASSWORD).login_name(REHEARSAL_USER)
    manager.login()
    site.login(cookie_only=True)
