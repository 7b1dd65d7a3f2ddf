"""The page about keys cannot drift: its example pairs meet where it says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from bot.formula import LEVELS, keys

PAGE = Path(__file__).parents[2] / "docs" / "formula-keys.md"
PAIRS = re.findall(r"^\| (K\d) \| [^|]* \| `([^`]+)` \| `([^`]+)` \|$", PAGE.read_text(encoding="utf-8"), re.M)


def test_the_page_has_a_pair_for_each_level() -> None:
    assert [level for level, _, _ in PAIRS] == list(LEVELS)


@pytest.mark.parametrize(("level", "one", "other"), PAIRS)
def test_the_pairs_of_the_page_first_meet_at_their_level(level: str, one: str, other: str) -> None:
    assert keys(one).shared_level(keys(other)) == level
