"""The page's own words, in files: one for each language. What the machine says of a formula stays as it was recorded."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

from flask import g, has_app_context
from markupsafe import Markup, escape

LANGUAGES = {"en": "English", "de": "Deutsch"}


@cache
def messages(language: str) -> dict[str, str]:
    """Return the messages of a language by key."""
    path = Path(__file__).with_name("messages") / f"{language}.json"
    found: dict[str, str] = json.loads(path.read_text(encoding="utf-8"))
    return found


def say(language: str, key: str, **values: object) -> str:
    """Return a message with its values put in; `key_one` is taken where n is 1. A missing message is English."""
    known, english = messages(language), messages("en")
    for name in ((f"{key}_one",) if values.get("n") == 1 else ()) + (key,):
        text = known.get(name) or english.get(name)
        if text:
            return text.format(**values) if values else text
    return key


def say_safely(language: str, key: str, **values: object) -> Markup:
    """Return a message that holds markup of ours (`<kbd>`), its values escaped."""
    return Markup(say(language, key, **{name: escape(value) for name, value in values.items()}))


def preferred(accept: str) -> str:
    """Return the first language of an Accept-Language header that there is."""
    for part in accept.split(",")[:20]:
        name = part.partition(";")[0].strip().lower()[:2]
        if name in LANGUAGES:
            return name
    return "en"


def translate(key: str, **values: object) -> str:
    """Return a message in the language of whoever asks."""
    return say(g.get("language", "en") if has_app_context() else "en", key, **values)
