"""Groups in the text of a formula: where one ends, and what commands with groups stand for."""

import re
from collections.abc import Callable, Sequence

_PAIRS = {"{": "}", "(": ")", "[": "]"}
_SIGNS = {opening: re.compile(rf"\\.|[\{opening}\{closing}]", re.S) for opening, closing in _PAIRS.items()}


def end_of_group(tex: str, start: int) -> int:
    """Return where the group that begins here ends, behind its closing sign; -1 without one."""
    opening, depth = tex[start], 0
    for sign in _SIGNS[opening].finditer(tex, start):
        if sign[0] == opening:
            depth += 1
        elif sign[0] == _PAIRS[opening]:
            depth -= 1
            if not depth:
                return sign.end()
    return -1


def groups_at(tex: str, start: int, number: int) -> tuple[list[str], int]:
    """Return what stands in the groups in braces that follow here, at most so many, and where the last of them ends."""
    found: list[str] = []
    while len(found) < number:
        at = start
        while tex[at : at + 1].isspace():
            at += 1
        end = end_of_group(tex, at) if tex[at : at + 1] == "{" else -1
        if end < 0:
            break
        found.append(tex[at + 1 : end - 1])
        start = end
    return found, start


def with_commands(
    tex: str,
    command: re.Pattern[str],
    number: int | Callable[[re.Match[str]], int],
    write: Callable[[re.Match[str], Sequence[str]], str | None],
) -> str:
    """Return the formula with each command and at most `number` groups behind it as `write` says; None leaves it as it is."""
    out: list[str] = []
    last = 0
    for found in command.finditer(tex):
        if found.start() < last:
            continue
        groups, end = groups_at(tex, found.end(), number if isinstance(number, int) else number(found))
        written = write(found, groups)
        if written is not None:
            out += (tex[last : found.start()], written)
            last = end
    return "".join([*out, tex[last:]]) if out else tex
