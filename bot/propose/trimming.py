"""The part of a formula in a text that an editor would store: without a second way of saying it, remarks and marks of layout."""

from __future__ import annotations

import re

from bot.formula import clean
from bot.formula.features.sides import FENCES, relations

_WORDS = r"\\(?:text|mbox|hbox|textrm|mathrm|textit)\s*\{\s*"
# Words with which a text says the same again or explains it. Conditions (if, for, when) and a second equation (and) belong to the value.
_AGAIN = rf"{_WORDS}(?:or|so|so that|where|with|thus|hence|therefore|since|because|i\.e\.)\b[^{{}}]*\}}"
_REMARK = re.compile(rf"(?:\\[,;:! ]|\\q?quad|\s)*\(\s*{_WORDS}[^{{}}]*\}}[^()=]*\)\s*\Z")
_LAYOUT = re.compile(r"\\(?:displaystyle|textstyle|scriptstyle|scriptscriptstyle)(?![A-Za-z])\s*")
_EMPTY = re.compile(r"[_^]\s*\{\s*\}")


def trimmed(tex: str) -> str:
    """Return the part of a cleaned formula that states it; the formula itself where nothing can be left out."""
    text = _EMPTY.sub("", _LAYOUT.sub("", tex))
    for depth, sign in relations(text, _AGAIN, FENCES):
        if depth == 0 and "=" in text[: sign.start()]:
            text = text[: sign.start()]
            break
    if "=" in (before := _REMARK.sub("", text)):
        text = before
    return clean(text.strip())
