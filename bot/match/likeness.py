"""What a shortlist's likeness to the query says, as named numbers for a linear model: shares both ways by channel, keys, sizes."""

from __future__ import annotations

import math

import numpy as np

from bot.match.channels import Floats, Shortlist
from bot.match.traits import CHANNELS

KEY_NAMES = ("K0", "K1", "K2", "K3", "K4", "K5")
_STRICT = KEY_NAMES.index("K3")
NAMES: tuple[str, ...] = (
    *[f"{channel}_{what}" for channel in CHANNELS for what in ("both", "mine", "theirs", "mass")],
    *KEY_NAMES,
    *[f"{level}_size" for level in KEY_NAMES],
    "beaten",
    "beaten_size",
    "link",
    "link_size",
    "larger",
    "smaller",
    "known",
    "early",
    "lawlike",
    "eponym",
    "handbook",
)
# Words that name a statement; a formula is more often meant as one than as an example in an item on something else.
_STATEMENTS = frozenset(
    "law laws equation equations theorem formula principle relation relations identity inequality rule distribution function transform "
    "lemma postulate conjecture series integral".split()
)


def standing(qid: str, label: str, aliases: int, in_handbook: bool = False) -> tuple[float, ...]:
    """Return how likely an item is meant at all: names, how early it was made, whether its label names a statement, is it well known."""
    words = label.replace("'s ", " 's ").split()
    digits = qid.lstrip("Q")
    return (
        math.log1p(aliases) / 2,
        -math.log10(int(digits)) / 2 if digits.isdigit() and int(digits) else -4.0,
        float(bool(words) and words[-1].lower() in _STATEMENTS),
        float(bool(words) and words[0][:1].isupper() and len(words) > 1 and words[-1][:1].islower()),
        float(in_handbook),
    )


def likeness(found: Shortlist, leaves: Floats, standings: Floats) -> Floats:
    """Return a row of numbers in the order of NAMES for each entry of the shortlist; `leaves` and `standings` are of these entries."""
    wide, total = len(CHANNELS), len(found.rows)
    numbers = np.zeros((len(NAMES), total))
    shares = numbers[: 4 * wide].reshape(wide, 4, total)
    mine, theirs, shared = found.mine[:, None] + 1e-9, found.theirs + 1e-9, found.shared
    np.divide(shared, theirs + mine - shared, out=shares[:, 0])
    np.divide(shared, mine, out=shares[:, 1])
    np.divide(shared, theirs, out=shares[:, 2])
    np.log1p(shared, out=shares[:, 3])
    shares[:, 3] /= 5
    row = 4 * wide
    if found.levels:
        size = math.log2(max(found.leaves, 1)) / 4
        for place, level in zip(np.searchsorted(found.rows, list(found.levels)), found.levels.values(), strict=True):
            strict = KEY_NAMES.index(level)
            numbers[row + strict : row + len(KEY_NAMES), place] = 1.0
            numbers[row + len(KEY_NAMES) + strict : row + 2 * len(KEY_NAMES), place] = size
        # Where one entry shares a strict key, those that share only a looser one differ in a sign or a letter that matters.
        best = KEY_NAMES.index(min(found.levels.values()))
        if best <= _STRICT:
            numbers[row + 2 * len(KEY_NAMES)] = 1 - numbers[row + best]
            numbers[row + 2 * len(KEY_NAMES) + 1] = size * numbers[row + 2 * len(KEY_NAMES)]
    row += 2 * len(KEY_NAMES) + 2
    for place, leaves_shared in zip(np.searchsorted(found.rows, list(found.links)), found.links.values(), strict=True):
        numbers[row, place] = 1.0
        numbers[row + 1, place] = math.log2(max(leaves_shared, 1)) / 4
    row += 2
    ratio = np.log2(np.maximum(leaves, 1) / max(found.leaves, 1))
    numbers[row] = np.maximum(ratio, 0)
    numbers[row + 1] = np.maximum(-ratio, 0)
    numbers[row + 2 :] = standings.T
    return numbers.T
