"""Ids, names and verdicts: small checks and records that the other lookup modules share."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from html import unescape

from bot.errors import InputError
from bot.wikibase import Json, is_entity_id, is_item_id

SEPARATOR = "\x1f"  # MediaWiki's other separator: TeX may hold |
WRITABLE = re.compile(r"[^\0\ud800-\udfff]+\Z")  # what an RDF literal can hold
_APOSTROPHES = str.maketrans("’ʼ‘`", "''''")
_DASHES = str.maketrans("–‐‑−", "----")


@dataclass(frozen=True, slots=True)
class MathVerdict:
    """What the wiki's own check says of one math value; `why` is its sentence where it refuses."""

    tex: str
    valid: bool
    why: str = ""


def nfc(text: str) -> str:
    return unicodedata.normalize("NFC", text)


def refusal(result: Json) -> str:
    """Return why one result of wbparsevalue is a refusal, "" where it is none."""
    if "error" not in result and "valid" in result:
        return ""
    messages = result.get("messages")
    first = messages[0] if isinstance(messages, list) and messages else {}
    html = first.get("html", "")
    text = html.get("*", "") if isinstance(html, dict) else html
    return unescape(text) or str(first.get("name") or result.get("error") or "not valid")


def is_sendable(value: str) -> bool:
    """The API normalises and trims what it is sent, so a value that would change is judged here."""
    return bool(value) and value == nfc(value).strip() and SEPARATOR not in value and "\0" not in value


def verdict(value: str, why: str | None) -> MathVerdict:
    """Return the verdict from what the wiki said; None where it was not asked, since such a value cannot be sent."""
    if why is not None:
        return MathVerdict(value, not why, why)
    if not value.strip():
        return MathVerdict(value, False, "is empty")
    if value != value.strip():
        return MathVerdict(value, False, "has white space at its edges")
    return MathVerdict(value, False, "holds characters that a value cannot hold, or not in normal form C")


def checked_ids(ids: Iterable[str], is_id: Callable[[str], bool] = is_item_id) -> list[str]:
    """Return the distinct ids in order; raises InputError for anything that is no id."""
    distinct = list(dict.fromkeys(ids))
    for each in distinct:
        if not isinstance(each, str) or not is_id(each):
            raise InputError(f"{each!r} is no item id", todo="ids look like Q42")
    return distinct


def checked_entities(ids: Iterable[str]) -> list[str]:
    """Return the distinct item and property ids in order; raises InputError for anything else."""
    return checked_ids(ids, is_entity_id)


def spellings(name: str) -> tuple[str, ...]:
    """Return the ways in which a wiki may spell a name: first letter, words after it, apostrophe, dash.

    Labels begin with a small letter (“ideal gas law”), titles with a capital, headings capitalise every word.
    """
    plain = " ".join(name.split())
    if not plain or not WRITABLE.match(plain):
        return ()
    forms = [plain, plain.translate(_APOSTROPHES).translate(_DASHES)]
    if "-" in forms[1]:
        forms.append(re.sub(r"(?<=\w)-(?=\w)", "–", forms[1]))
    return tuple(dict.fromkeys(case for form in forms for case in _cases(form)))


def _cases(form: str) -> tuple[str, ...]:
    """“Gas Law” → itself, “gas Law”, “Gas law”, “gas law”."""
    small = _rest(form)
    return form, _first(form, upper=False), _first(form, upper=True), small, _first(small, upper=False)


def _first(text: str, *, upper: bool) -> str:
    """Change the first letter, but leave an acronym (“NMR shift”) whole."""
    if not upper and text[1:2].isupper():
        return text
    return (text[0].upper() if upper else text[0].lower()) + text[1:]


def _rest(text: str) -> str:
    """Write the words after the first small, acronyms excepted: “Hubble's Law” → “Hubble's law”."""
    first, *others = text.split(" ")
    return " ".join([first, *(w if w[1:2].isupper() else w.lower() for w in others)])
