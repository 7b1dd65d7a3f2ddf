"""Ids, names and verdicts: small checks and records that the other lookup modules share."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from bot.errors import InputError

_QID = re.compile(r"Q[1-9]\d{0,18}\Z", re.ASCII)
_ENTITY = re.compile(r"[QP][1-9]\d{0,18}\Z", re.ASCII)
_APOSTROPHES = str.maketrans("’ʼ‘`", "''''")
_DASHES = str.maketrans("–‐‑−", "----")


@dataclass(frozen=True, slots=True)
class MathVerdict:
    """What the wiki's own check says of one math value; `why` is its sentence where it refuses."""

    tex: str
    valid: bool
    why: str = ""


def is_qid(text: str) -> bool:
    return bool(_QID.match(text))


def checked_ids(ids: Iterable[str], pattern: re.Pattern[str] = _QID) -> list[str]:
    """Return the distinct ids in order; raises InputError for anything that is no id."""
    distinct = list(dict.fromkeys(ids))
    for each in distinct:
        if not isinstance(each, str) or not pattern.match(each):
            raise InputError(f"{each!r} is no item id", todo="ids look like Q42")
    return distinct


def checked_entities(ids: Iterable[str]) -> list[str]:
    """Return the distinct item and property ids in order; raises InputError for anything else."""
    return checked_ids(ids, _ENTITY)


def spellings(name: str) -> tuple[str, ...]:
    """Return the ways in which a wiki may spell a name: first letter, words after it, apostrophe, dash.

    Labels begin with a small letter (“ideal gas law”), titles with a capital, headings capitalise every word.
    """
    plain = " ".join(name.split())
    if not plain:
        return ()
    forms = [plain, plain.translate(_APOSTROPHES).translate(_DASHES)]
    if "-" in forms[1]:
        forms.append(re.sub(r"(?<=\w)-(?=\w)", "–", forms[1]))
    cased = [
        case for form in forms for case in (form, _first(form, upper=False), _first(form, upper=True), _rest(form))
    ]
    return tuple(dict.fromkeys(cased))


def _first(text: str, *, upper: bool) -> str:
    """Change the first letter, but leave an acronym (“NMR shift”) whole."""
    if not upper and text[1:2].isupper():
        return text
    return (text[0].upper() if upper else text[0].lower()) + text[1:]


def _rest(text: str) -> str:
    """Write the words after the first small, acronyms excepted: “Hubble's Law” → “Hubble's law”."""
    first, *others = text.split(" ")
    return " ".join([first, *(w if w[1:2].isupper() else w.lower() for w in others)])
