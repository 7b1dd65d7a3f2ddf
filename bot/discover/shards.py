"""The rows of occurrence shards: what is known of an occurrence without the rest of the corpus."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, TypedDict

from bot.discover.left_sides import strip_styling
from bot.records import Occurrence, Role

if TYPE_CHECKING:
    from bot.discover.cues.name_cues import NameCue

_encoded = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode
LEVELS = ("K1", "K2", "K3", "K4", "K5")


class MinedRow(TypedDict):
    """One occurrence with all that is known of it without the rest of the corpus."""

    document: str
    position: int
    tex: str
    display: bool
    window: str
    heading: str
    role: Role
    definitions: str  # pairs as JSON, as in the next two; "" for none
    hints: str
    signs: str  # the name cues; shards of earlier versions call them so
    K1: str
    K2: str
    K3: str
    K4: str
    K5: str
    leaves: int
    length: int
    kind: str
    candidate: bool  # passes the filters that look at the formula alone
    named: bool  # its document's structure or a naming pattern names it


class ShardRow(MinedRow):
    """A row of a shard: with the file that the occurrence was read from."""

    path: str


def mined_row(
    o: Occurrence, keys: Sequence[str], leaves: int, kind: str, candidate: bool, cues: Iterable[NameCue], named: bool
) -> MinedRow:
    """Return an occurrence as the columns of a shard; `keys` are at LEVELS."""
    k1, k2, k3, k4, k5 = map(_sound, keys)
    return MinedRow(
        document=_sound(o.document), position=o.position, tex=_sound(o.tex), display=o.display, window=_sound(o.window),
        heading=_sound(o.heading), role=o.role, definitions=_pack((d.symbol, d.meaning) for d in o.definitions),
        hints=_pack((h.kind, h.name) for h in o.hints), signs=_pack((cue.name, cue.kind) for cue in cues),
        K1=k1, K2=k2, K3=k3, K4=k4, K5=k5, leaves=leaves, length=len(strip_styling(o.tex)), kind=kind, candidate=candidate, named=named,
    )  # fmt: skip


def _sound(text: str) -> str:
    """Arrow stores UTF-8 only: a lone surrogate from a broken escape becomes the replacement character."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")


def _pack(pairs: Iterable[tuple[str, str]]) -> str:
    found = list(pairs)
    return _sound(_encoded(found)) if found else ""


def unpack(text: str) -> list[tuple[str, str]]:
    """Return the pairs of a packed column."""
    return [(a, b) for a, b in json.loads(text)] if text else []
