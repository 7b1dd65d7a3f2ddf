"""The page's words, in files: one for each language. What the machine recorded in English is said again where it is known."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from flask import g, has_app_context
from markupsafe import Markup, escape

from bot.formula import mathml
from bot.propose.cards import visible
from bot.wikibase import ITEM_ID

LANGUAGES = {"en": "English", "de": "Deutsch"}
_FOLDER = Path(__file__).with_name("messages")
_VALUE = re.compile(r"\{(\w+)(?::(\w+))?\}")
_SHAPES = {"n": r"[1-9]\d{0,8}", "m": r"\d{1,9}", "qid": ITEM_ID}  # any other value is any text
_LONGEST = 2000  # characters of a sentence that is taken apart


@cache
def messages(language: str) -> dict[str, str]:
    """Return the messages of a language by key: the page's own, and what the machine says."""
    return {**_load(f"{language}.json"), **_load(f"machine.{language}.json")}


def say(language: str, key: str, **values: object) -> str:
    """Return a message with its values put in; `key_one` is taken where n is 1. A missing message is English."""
    text = _message(language, key, values.get("n") == 1)
    return key if text is None else text.format(**values) if values else text


def say_safely(language: str, key: str, **values: object) -> Markup:
    """Return a message that holds markup of ours (`<kbd>`), its values escaped."""
    return Markup(say(language, key, **{name: escape(value) for name, value in values.items()}))


def say_recorded(language: str, group: str, text: str) -> Markup:
    """Return a sentence of the machine in a language; one that no message knows as it was recorded.

    `recorded.json` has the sentences of each group (`evidence.title`, `check.item`, `note`), with their values: `{tex}` is drawn, `{n}` counts,
    `{note:note}` is a sentence of another group. Several in one, parted by semicolons, are said one by one.
    """
    found = _said(language, group.replace(" ", "_"), text) if len(text) <= _LONGEST else None
    if found is not None:
        return found
    plain = escape(visible(text))
    return (
        plain
        if language == "en" or text in messages(language).values()
        else Markup('<span lang="en">{}</span>').format(plain)
    )


def preferred(accept: str) -> str:
    """Return the first language of an Accept-Language header that there is."""
    for part in accept.split(",")[:20]:
        name = part.partition(";")[0].strip().lower()[:2]
        if name in LANGUAGES:
            return name
    return "en"


def translate(key: str, **values: object) -> str:
    """Return a message in the language of whoever asks."""
    return say(_language(), key, **values)


def told(group: str, text: str) -> Markup:
    """Return a sentence of the machine in the language of whoever asks."""
    return say_recorded(_language(), group, text)


@lru_cache(maxsize=4096)
def _said(language: str, group: str, text: str) -> Markup | None:
    parts = text.split("; ")
    said = [_one(language, group, part) for part in parts] if len(parts) > 1 else []
    whole = None if said and all(said) else _one(language, group, text)
    if whole is not None or not any(said):
        return whole
    return Markup("; ").join(one or escape(visible(part)) for one, part in zip(said, parts, strict=True))


def _one(language: str, group: str, text: str) -> Markup | None:
    for key, pattern, groups in _recorded().get(group, ()):
        if found := pattern.fullmatch(text):
            values = {n: _value(language, n, groups.get(n, ""), v) for n, v in found.groupdict().items() if n != "_"}
            message = _message(language, key, values.get("n") == 1)
            return None if message is None else Markup(message).format(**values)
    return None


def _value(language: str, name: str, group: str, text: str) -> int | Markup:
    if name == "n":
        return int(text)
    if name == "tex":
        return Markup(mathml(text))
    if name == "code":
        return Markup("<code>{}</code>").format(visible(text))
    return (_said(language, group, text) if group else None) or escape(visible(text))


def _message(language: str, key: str, one: bool) -> str | None:
    names = (f"{key}_one", key) if one else (key,)
    return next((text for name in names for of in (language, "en") if (text := messages(of).get(name))), None)


@cache
def _recorded() -> Mapping[str, tuple[tuple[str, re.Pattern[str], dict[str, str]], ...]]:
    """Return the recorded sentences by group: the key of the message, the sentence as a pattern, the groups of its values."""
    rows: dict[str, dict[str, str | list[str]]] = _load("recorded.json")
    return {
        group: tuple(
            (f"{group}.{name}", _pattern(text), {value: of for value, of in _VALUE.findall(text) if of})
            for name, texts in sentences.items()
            for text in ([texts] if isinstance(texts, str) else texts)
        )
        for group, sentences in rows.items()
    }


def _pattern(text: str) -> re.Pattern[str]:
    parts, at = [], 0
    for found in _VALUE.finditer(text):
        parts += [re.escape(text[at : found.start()]), f"(?P<{found[1]}>{_SHAPES.get(found[1], '.+?')})"]
        at = found.end()
    return re.compile("".join((*parts, re.escape(text[at:]))), re.S)


def _load(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((_FOLDER / name).read_text(encoding="utf-8"))
    return found


def _language() -> str:
    return g.get("language", "en") if has_app_context() else "en"
