"""The words by which an encyclopaedia introduces a formula (cue_words.toml): English, German, French, Spanish, Italian.

An article in another language is judged by its structure alone.
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path

_NEVER = r"(?!)"


@dataclass(frozen=True, slots=True)
class ClueWords:
    """Patterns over lower-case text; each is searched in one part of the formula's sentence or its heading."""

    says: re.Pattern[str]  # before the formula: this is the statement itself
    doubts: re.Pattern[str]  # before the formula: an example, a step, a case, a consequence
    besides: re.Pattern[str]  # right before the formula: it explains a symbol of another one
    statement: re.Pattern[str]  # heading of a section that states
    aside: re.Pattern[str]  # heading of a section that does something else
    named: re.Pattern[str]  # between a name and its symbol


@cache
def words(language: str) -> ClueWords:
    """Return the patterns of a language; none of them ever matches for one that is not read."""
    tables = tomllib.loads(Path(__file__).with_name("cue_words.toml").read_text("utf-8"))
    return ClueWords(**{cue: re.compile(by.get(language, _NEVER).replace("\n", "")) for cue, by in tables.items()})
