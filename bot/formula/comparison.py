"""What a comparison answers, and who may confirm it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from bot.formula.tree import Node


@dataclass(frozen=True, slots=True)
class Comparison:
    """`level` is the strictest key that both share ("" for none)."""

    relation: str
    level: str
    same_concept: bool
    note: str


class Prover(Protocol):
    """Confirms by algebra what sampling found; see prove.py."""

    def proves(self, one: Sequence[Node], other: Sequence[Node]) -> bool | None: ...
