"""The script for the wiki's item pages, which shows proposals in the places of their statements: `gadget.js` with settings and words put in."""

import json
from pathlib import Path

from bot import __version__
from bot.errors import SettingsError
from bot.messages import Message, languages, sentence
from bot.review.decide import REASONS
from bot.settings import Settings, page_origin

WORDS = (
    "menu", "menu_n", "menu_signed_out", "menu_away", "loading", "none", "open", "signed_out", "sign_in", "blocked", "away", "again",
    "new_claim", "add_reference", "looked_at", "tick_one", "approved", "approved_first", "rejected", "reasons", "card", "sources", "sources_read", "sending",
    "signed_out_since", "unsure", "refused", "decided_since", "not_recorded", "changed_since",
)  # fmt: skip
PAGE_WORDS = ("approve", "approve_second", "reject", "undo", "estimate", *(f"reason_{reason}" for reason in REASONS))
_VALUES = {name: f"{{{name}}}" for name in ("n", "name", "reason")}  # put in by the script
_MARK = '"%SETUP%"'


def script(settings: Settings) -> str:
    """Return the script for the configured wiki and review server. Raises SettingsError for an address that cannot be asked."""
    wiki, server = settings.wiki, server_origin(settings.gadget.server)
    setup = {
        "server": server,
        "wiki": wiki.origin,
        "everyone": settings.gadget.everyone,
        "page": wiki.page_prefix + "Property:$1",
        "reasons": list(REASONS),
        "words": {code: _catalogue_texts(code) for code in languages()},
    }
    text = Path(__file__).with_name("gadget.js").read_text(encoding="utf-8")
    head = f"// <nowiki> formula-bot {__version__}, for {wiki.origin}, asks {server}\n"
    return f"{head}{text.replace(_MARK, json.dumps(setup), 1)}// </nowiki>\n"


def server_origin(address: str) -> str:
    """Return the web origin of the review page's address. Raises SettingsError for one that is not encrypted and not this machine's."""
    origin = page_origin(address)
    if not origin:
        raise SettingsError("gadget_server", where=address, todo="https_host")
    return origin


def _catalogue_texts(language: str) -> dict[str, str]:
    own = {name: sentence(Message(f"gadget.{name}", **_VALUES), language) for name in WORDS}
    return own | {name: sentence(Message(f"page.{name}", **_VALUES), language) for name in PAGE_WORDS}
