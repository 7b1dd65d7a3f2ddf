"""May this run write here at all? Only to the rehearsal wiki, or to the one site that the settings name in full."""

from urllib.parse import urlsplit

from bot.errors import WriteRefused
from bot.messages import Message
from bot.settings import Settings, Wiki

_DOCS = "operating.md"
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
        raise WriteRefused(
            Message("refused.site", site=repr(writing.site), wiki=repr(wiki.name)),
            where="write",
            todo="see_docs",
            code_page=_DOCS,
        )
    wanted = ("task", "account", "family", "code", *(("stop_page",) if is_production(wiki) else ()))
    missing = [name for name in wanted if not getattr(writing, name)]
    if missing:
        raise WriteRefused(
            Message("refused.setting", names=", ".join(missing)), where="write", todo="see_docs", code_page=_DOCS
        )
    address = urlsplit(wiki.api)
    if address.scheme != "https" and address.hostname not in _THIS_MACHINE:
        raise WriteRefused(
            Message("refused.address", address=wiki.api), where="write", todo="see_docs", code_page=_DOCS
        )
    if not settings.agent.contact:
        raise WriteRefused(Message("refused.contact"), where="write", todo="see_docs", code_page=_DOCS)


def is_production(wiki: Wiki) -> bool:
    """Say whether real readers see the wiki: every wiki but the rehearsal wiki, test.… hosts and this machine."""
    host = urlsplit(wiki.api).hostname or ""
    return not (wiki.sandbox or host.startswith("test.") or host in _THIS_MACHINE)


def confirm_count(count: int, settings: Settings) -> None:
    """Return if a run that nobody is asked about may send `count` edits; raises WriteRefused above the daily cap."""
    cap = settings.writing.edits_a_day
    if count > cap:
        raise WriteRefused(Message("refused.many", n=count, cap=cap), where="write --yes", todo="answer_question")
