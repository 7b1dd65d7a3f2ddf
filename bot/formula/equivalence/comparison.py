"""What a comparison answers, and who may confirm it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from bot.formula.numeric.system_pair import SystemPair
from bot.messages import Message

Relation = Literal["identical", "typographic", "notation", "renamed", "rearranged", "variant", "different"]


@dataclass(frozen=True, slots=True)
class Comparison:
    """`level` is the strictest key that both share ("" for none).

    Relation and concept are one answer: identical, typographic, notation, renamed and rearranged formulas are of one concept, different ones are
    not; of a variant, which says less, more or something else about the same quantities, `same_concept` tells.
    """

    relation: Relation
    level: str
    same_concept: bool
    message: Message
    differs: Message | None = None  # a sign, an exponent, a factor … that makes the one a near miss of the other
    loose: bool = False  # only once signs, numbers, constants or scripts are dropped that may tell the two apart

    @property
    def note(self) -> str:
        """The note in English, for exports and commands."""
        return str(self.message)


class ProofSearch(Protocol):
    """Confirms by algebra what sampling found; see prove.py."""

    def proves(self, pair: SystemPair) -> bool | None: ...


def enumerated(parts: Sequence[str | Message]) -> str | Message:
    """Return several values as one value of a message: a, "b and c"."""
    first, *rest = parts
    return Message("part.and", one=first, other=enumerated(rest)) if rest else first
