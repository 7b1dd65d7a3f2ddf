"""Whether a value of Wikidata's math datatype would be accepted, where the fault is, and the safe repair."""

import re
from dataclasses import dataclass
from functools import lru_cache

from bot.formula.validity.refused import with_advice
from bot.formula.validity.repair import repairs
from bot.formula.validity.texvc import GrammarRefusal, accept
from bot.messages import Message
from bot.wikibase import MAX_CHARACTERS

_CONTROL_SPACE = re.compile(r"(?!\s)(?:.*[^\\])?(?:\\\\)*\\ ", re.S)
_MAX_REPAIRED_CHARACTERS = 4000  # longer input is answered at once: no repair makes a tenth of it
# What no TeX reads, as opposed to what only the wiki refuses: a command of a package, a length
_BROKEN = frozenset(
    f"verdict.{fault}"
    for fault in ("open", "closes_nothing", "inside", "right", "other_end", "argument", "argument_before", "backslash")
)


@dataclass(frozen=True, slots=True)
class Validity:
    """A verdict; `position` counts characters from 0, -1 where the whole value is at fault; `mended` is "" if nothing safe helps."""

    tex: str
    valid: bool
    message: Message | None = None  # why not
    position: int = -1
    mended: str = ""

    @property
    def why(self) -> str:
        """Return why not as the English sentence of exports and commands; "" where it is valid."""
        return str(self.message) if self.message else ""


@lru_cache(maxsize=16384)
def check(tex: str) -> Validity:
    """Return whether a wiki accepts `tex`; if not, why, and a repaired form that it accepts."""
    fault = _first_fault(tex)
    if fault is None:
        return Validity(tex, True)
    mended = _repaired(tex) if len(tex) <= _MAX_REPAIRED_CHARACTERS else ""
    return Validity(tex, False, fault[0], fault[1], mended)


def unreadable(tex: str) -> Message | None:
    """Return why no TeX reads `tex`; None for what one reads, even if the wiki refuses it."""
    fault = check(tex).message
    return fault if fault and fault.code in _BROKEN else None


def _repaired(tex: str) -> str:
    return next((form for form in repairs(tex) if _first_fault(form) is None), "")


def _first_fault(tex: str) -> tuple[Message, int] | None:
    """Return the first fault as (reason, position), or None. The order is the server's."""
    if not tex:
        return Message("verdict.empty"), 0
    if len(tex) > MAX_CHARACTERS:
        return Message("verdict.long", size=len(tex), most=MAX_CHARACTERS), MAX_CHARACTERS
    # A control space at the end is a sign of the formula; a recorded verdict accepts it.
    if tex != tex.strip() and not _CONTROL_SPACE.fullmatch(tex):
        return Message("verdict.edge"), 0 if tex[0].isspace() else len(tex.rstrip())
    at = next((n for n, character in enumerate(tex) if ord(character) < 32 or ord(character) == 127), -1)
    if at >= 0:
        return Message("verdict.control", mark=f"U+{ord(tex[at]):04X}"), at
    try:
        accept(tex)
    except GrammarRefusal as fault:
        return with_advice(fault.why, fault.macro) if fault.macro else fault.why, fault.position
    return None
