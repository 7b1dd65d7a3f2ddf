"""May this run write here at all? Only to the rehearsal wiki, or to the one site that the settings name in full."""

from __future__ import annotations

from urllib.parse import urlsplit

from bot.errors import WriteRefused
from bot.settings import Settings, Wiki

_TODO = "see docs/operating.md"
_THIS_MACHINE = ("127.0.0.1", "localhost", "::1")


def authorise(wiki: Wiki, settings: Settings) -> None:
    """Return if writing to `wiki` is allowed; raise WriteRefused saying what is missing.

    The rehearsal wiki is always allowed. Any other needs [writing] site, task, account, family and code, and an API
    on HTTPS or on this machine; one with readers a stop page too (policy: Wikidata:Bots, an approved task, a named
    operator, and a way for everybody to stop it).
    """
    if wiki.sandbox:
        return
    writing = settings.writing
    if writing.site != wiki.name:
        raise WriteRefused(f"[writing] site is {writing.site!r}, the wiki is {wiki.name!r}", where="write", todo=_TODO)
    wanted = ("task", "account", "family", "code", *(("stop_page",) if is_production(wiki) else ()))
    missing = [name for name in wanted if not getattr(writing, name)]
    if missing:
        raise WriteRefused(f"[writing] lacks {', '.join(missing)}", where="write", todo=_TODO)
    address = urlsplit(wiki.api)
    if address.scheme != "https" and address.hostname not in _THIS_MACHINE:
        raise WriteRefused(f"{wiki.api} is neither HTTPS nor on this machine", where="write", todo=_TODO)
    if not settings.agent.contact:
        raise WriteRefused("[agent] lacks a contact", where="write", todo=_TODO)


def is_production(wiki: Wiki) -> bool:
    """Say whether real readers see the wiki: every wiki but the rehearsal wiki, test.… hosts and this machine."""
    host = urlsplit(wiki.api).hostname or ""
    return not (wiki.sandbox or host.startswith("test.") or host in _THIS_MACHINE)


def confirm_count(count: int, settings: Settings) -> None:
    """Return if a run that nobody is asked about may send `count` edits; raises WriteRefused above the daily cap."""
    cap = settings.writing.edits_a_day
    if count > cap:
        todo = "leave --yes away and answer the question, or approve in smaller parts"
        raise WriteRefused(f"{count} edits are more than the daily cap of {cap}", where="write --yes", todo=todo)
