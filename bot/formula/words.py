"""Words in formulas: which of them part a formula from what is said about it."""

from __future__ import annotations

CONNECTING = frozenset(
    "for if where when and with as or such otherwise let so then whenever while given provided subject on in all every any each hence thus "
    "since iff s.t. st. because which is are else unless at für wenn falls und mit avec pour si se per para wobei i.e. e.g. that".split()
)


def separates(words: str) -> bool:
    """Tell whether words (a leaf beginning with a quote) part two statements: they begin or end with a connecting word or a comma."""
    text = words[1:].lower().split()
    if not text:
        return False
    first, last = text[0].strip(".:()"), text[-1].strip(".:()")
    if first[:1] in (",", ";") or last[-1:] in (",", ";"):
        return True
    return first in CONNECTING or (len(text) > 1 and last in CONNECTING)
