"""What a shortlist's likeness to the query says, as named numbers for a linear model: shares both ways by channel, keys, sizes."""

from __future__ import annotations

import math

import numpy as np

from bot.match.channels import Floats, Shortlist
from bot.match.traits import CHANNELS

KEY_NAMES = ("K0", "K1", "K2", "K3", "K4", "K5")
NAMES: tuple[str, ...] = (
    *[f"{channel}_{what}" for channel in CHANNELS for what in ("both", "mine", "theirs", "mass")],
    *KEY_NAMES,
    *[f"{level}_size" for level in KEY_NAMES],
    "larger",
    "smaller",
    "known",
    "early",
    "lawlike",
    "eponym",
)
# Words that name a statement; a formula is more often meant as one than as an example in an item on something else.
_STATEMENTS = frozenset(
    "law laws equation equations theorem formula principle relation relations identity inequality rule distribution function transform "
    "lemma postulate conjecture series integral".split()
)


def standing(qid: str, label: str, aliases: int) -> tuple[float, ...]:
    """Return how likely an item is meant at all: how many names it has, how early it was made, whether its label names a statement."""
    words = label.replace("'s ", " 's ").split()
    digits = qid.lstrip("Q")
    return (
        math.log1p(aliases) / 2,
        -math.log10(int(digits)) / 2 if digits.isdigit() and int(digits) else -4.0,
        float(bool(words) and words[-1].lower() in _STATEMENTS),
        float(bool(words) and words[0][:1].isupper() and len(words) > 1 and words[-1][:1].islower()),
    )


def likeness(found: Shortlist, leaves: Floats, standings: Floats) -> Floats:
    """Return a row of numbers in the order of NAMES for each entry of the shortlist; `leaves` and `standings` are of these entries."""
    mine = found.mine[:, None]
    both = found.shared / (found.theirs + mine - found.shared + 1e-9)
    of_mine = found.shared / (mine + 1e-9)
    of_theirs = found.shared / (found.theirs + 1e-9)
    mass = np.log1p(found.shared) / 5
    columns = [each[n] for n in range(len(CHANNELS)) for each in (both, of_mine, of_theirs, mass)]
    size = np.log2(max(found.leaves, 1)) / 4
    level = np.full(len(found.rows), len(KEY_NAMES))
    if found.levels:
        at = np.searchsorted(found.rows, list(found.levels))
        level[at] = [KEY_NAMES.index(name) for name in found.levels.values()]
    at_least = [(level <= n).astype(np.float64) for n in range(len(KEY_NAMES))]
    columns += at_least + [each * size for each in at_least]
    ratio = np.log2(np.maximum(leaves, 1) / max(found.leaves, 1))
    columns += [np.maximum(ratio, 0), np.maximum(-ratio, 0)]
    return np.column_stack([*columns, standings])
