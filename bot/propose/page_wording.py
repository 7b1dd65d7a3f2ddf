"""What the pages say, in one language: the texts of the catalogues, and messages as markup.

The review page, the dry-run report and the packet word everything with these, so that one proposal reads alike on each.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from markupsafe import Markup, escape

from bot.formula import mathml
from bot.messages import Message, Value, known, recorded, sentence
from bot.propose.cards import visible


def text(language: str, key: str, **values: Value) -> str:
    """Return a text of the pages, `page.<key>` of the catalogue."""
    return sentence(Message(f"page.{key}", **values), language)


def markup(language: str, message: Message) -> Markup:
    """Return a message as markup: formulas drawn, everything else escaped; what is there in English alone says so."""
    made = Markup(sentence(message, language, _value))
    there = language == "en" or (message.code != "recorded" and known(message.code, language))
    return made if there else Markup('<span lang="en">{}</span>').format(made)


def name(language: str, group: str, called: str) -> Markup:
    """Return what a name of the data is called, such as "item" of the group "checkname"; one that no catalogue has as it is."""
    code = f"{group}.{called.replace(' ', '_')}"
    return markup(language, Message(code) if known(code) else recorded(called))


def worded(language: str) -> dict[str, Callable[..., str]]:
    """Return what templates of a page that has one language for all its readers call `t`, `shown` and `named`."""
    return {"t": partial(text, language), "shown": partial(markup, language), "named": partial(name, language)}


def _value(called: str, given: str) -> str:
    if called == "tex":
        return mathml(given)
    return Markup("<code>{}</code>").format(visible(given)) if called == "code" else escape(visible(given))
