"""Words in formulas: which of them part a formula from what is said about it."""

from __future__ import annotations

CONNECTING = frozenset(
    "for if where when and with as or such otherwise let so then whenever while given provided subject to on in all every any each hence thus "
    "since iff s.t. st. because which is are has be else unless at from by that über für wenn falls und mit avec pour si se per para wobei "
    "i.e. e.g. the a an of not non-negative positive even odd almost only but both either same mod".split()
)


def separates(words: str) -> bool:
    """Tell whether words (a leaf beginning with a quote) part two statements: they hold a connecting word or a comma."""
    text = words[1:].lower()
    return "," in text or ";" in text or any(word.strip(".,:;()") in CONNECTING for word in text.split())
