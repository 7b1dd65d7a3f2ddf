"""The difference between two formulas in TeX: what stays, what is gone, what is new."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

_PIECE = re.compile(r"\\[A-Za-z]+|\\.|\d+|\S", re.S)
_LONGEST = 6  # letters and digits of a script in braces that is part of its sign


@dataclass(frozen=True, slots=True)
class DifferenceRun:
    """A run of TeX in a marked difference: same, gone or new."""

    kind: str
    text: str


def marked(old: str, new: str) -> tuple[DifferenceRun, ...]:
    """Return two formulas as one run of pieces; blanks do not count, nor do braces around one sign. m_e is one sign."""
    one, other = (_symbols(_bare(_PIECE.findall(tex))) for tex in (old, new))
    found: list[DifferenceRun] = []
    for kind, a, b, c, d in SequenceMatcher(None, one, other, autojunk=False).get_opcodes():
        if kind == "equal":
            found.append(DifferenceRun("same", _joined(one[a:b])))
            continue
        if a < b:
            found.append(DifferenceRun("gone", _joined(one[a:b])))
        if c < d:
            found.append(DifferenceRun("new", _joined(other[c:d])))
    return tuple(found)


def _symbols(tokens: Sequence[str]) -> list[str]:
    """Return tokens with short scripts joined to what they stand at: m_e and c_0^2 are one each."""
    found: list[str] = []
    at = 0
    while at < len(tokens):
        size = _script(tokens, at)
        if size and found and (found[-1][-1:].isalnum() or found[-1][-1:] == "}"):
            found[-1] += _joined(tokens[at : at + size])
        else:
            size = 1
            found.append(tokens[at])
        at += size
    return found


def _script(tokens: Sequence[str], at: int) -> int:
    """Return how many tokens the script that begins here has; 0 where none begins, or one that is a term of its own."""
    if tokens[at] not in ("_", "^") or at + 1 >= len(tokens):
        return 0
    if tokens[at + 1] != "{":
        return 2
    inside = tokens[at + 2 : at + 2 + _LONGEST + 1]
    if "}" not in inside or not all(token.isalnum() for token in inside[: inside.index("}")]):
        return 0
    return inside.index("}") + 3


def _bare(tokens: Sequence[str]) -> list[str]:
    """Return tokens without braces that only group: {P_{1}} as P_1. Arguments of a command keep theirs."""
    found: list[str] = []
    opened: list[tuple[int, str]] = []  # where a group begins, and what stands before it
    after_argument = False
    for token in tokens:
        before = found[-1] if found else ""
        found.append(token)
        if token == "{":
            argument = after_argument or re.match(r"\\[A-Za-z]", before) or before == "]"
            opened.append((len(found) - 1, "argument" if argument else "script" if before in ("_", "^") else "group"))
        after_argument = False
        if token == "}" and opened:
            at, kind = opened.pop()
            after_argument = kind == "argument"
            if kind == "group" or (kind == "script" and len(found) - at == 3):
                del found[-1], found[at]
    return found


def _joined(tokens: Sequence[str]) -> str:
    """Put pieces of TeX together; a command and a letter after it stay apart."""
    text = ""
    for token in tokens:
        apart = token[:1].isalpha() and re.search(r"\\[A-Za-z]+$", text)
        text += f" {token}" if apart else token
    return text
