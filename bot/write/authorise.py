"""May this run write here at all? Only to the rehearsal wiki, or to the one site that the settings name in full."""

from functools import partial
from urllib.parse import urlsplit

from bot.errors import WriteRefused
from bot.messages import Message
from bot.settings import THIS_MACHINE, Settings, Wiki


def authorise(wiki: Wiki, settings: Settings) -> None:
    """Return if writing to `wiki` is allowed; raise WriteRefused saying what is missing.

    The rehearsal wiki is always allowed. Any other needs [writing] site, task, account, family and code, and an API
    on HTTPS or on this machine; one with readers a stop page too (policy: Wikidata:Bots, an approved task, a named
    operator, and a way for everybody to stop it).
    """
    if wiki.sandbox:
        return
    writing = settings.writing
    refuse = partial(WriteRefused, where="write", todo="see_docs", code_page="operating.md")
    if writing.site != wiki.name:
        raise refuse(Message("refused.site", site=repr(writing.site), wiki=repr(wiki.name)))
    wanted = ("task", "account", "family", "code", *(("stop_page",) if is_production(wiki) else ()))
    missing = [name for name in wanted if not getattr(writing, name)]
    if missing:
        raise refuse(Message("refused.setting", names=", ".join(missing)))
    address = urlsplit(wiki.api)
    if address.scheme != "https" and address.hostname not in THIS_MACHINE:
        raise refuse(Message("refused.address", address=wiki.api))
    if not settings.agent.contact:
        raise refuse(Message("refused.contact"))


def is_production(wiki: Wiki) -> bool:
    """Say whether real readers see the wiki: every wiki but the rehearsal wiki, test.… hosts and this machine."""
    host = urlsplit(wiki.api).hostname or ""
    return not (wiki.sandbox or host.startswith("test.") or host in THIS_MACHINE)


def confirm_count(count: int, settings: Settings) -> None:
    """Return if a run that nobody is asked about may send `count` edits; raises WriteRefused above the daily cap."""
    cap = settings.writing.edits_a_day
    if count > cap:
        raise WriteRefused(Message("refused.many", n=count, cap=cap), where="write --yes", todo="answer_question")
