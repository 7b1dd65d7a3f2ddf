"""The page's texts in the reader's language: the catalogues of bot/messages, whose files name the languages."""

from flask import g, has_request_context, request, session
from markupsafe import Markup

from bot.errors import BotError
from bot.messages import Message, Value, languages, numeral
from bot.propose import card_pages


def language() -> str:
    """Return the language that was chosen on the page, or else the first of the browser's that there is."""
    if not has_request_context():
        return "en"
    if "language" not in g:
        available = languages()
        wanted = request.args.get("lang", "")
        if request.blueprint == "api":  # which knows no sessions
            g.language = wanted if wanted in available else "en"
        elif wanted in available:
            g.language = session["lang"] = wanted
        else:
            g.language = session.get("lang") or request.accept_languages.best_match(available) or "en"
    return str(g.language)


def translate(key: str, **values: Value) -> str:
    """Return a text of the page, `page.<key>` of the catalogue."""
    return card_pages.text(language(), key, **values)


def numeral_in_language(value: float, form: str = "") -> str:
    """Return a number as the reader's language writes it; see `messages.numeral`."""
    return numeral(value, form, language())


def name_in_language(group: str, name: str) -> Markup:
    """Return what a name of the data is called; see `card_pages.name`."""
    return card_pages.name(language(), group, name)


def message_markup(message: Message) -> Markup:
    """Return a message as markup; see `card_pages.markup`."""
    return card_pages.markup(language(), message)


def error_text(error: BotError) -> Markup:
    """Return what an error says, where, and what to do."""
    return message_markup(error.full_message)
