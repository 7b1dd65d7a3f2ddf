"""Features of a linear ranking model: what query and entry share by channel, the strictest shared key, sizes, and a prior of the item."""

import math
from collections.abc import Sequence
from itertools import accumulate

import numpy as np

from bot.formula.features.structural import FEATURE_GROUPS
from bot.match.retrieval.feature_groups import Floats, Shortlist
from bot.wikibase import item_number

KEY_NAMES = ("K0", "K1", "K2", "K3", "K4", "K5")
RANK = {level: n for n, level in enumerate(KEY_NAMES)}
_STRICT = RANK["K3"]
RANKING_FEATURES: tuple[str, ...] = (
    *[f"{channel}_{what}" for channel in FEATURE_GROUPS for what in ("both", "mine", "theirs", "mass")],
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


def item_prior(qid: str, label: str, aliases: int, in_handbook: bool = False) -> tuple[float, ...]:
    """Return how likely an item is meant at all: names, how early it was made, whether its label names a statement, is it well known."""
    words = label.replace("'s ", " 's ").split()
    number = item_number(qid)
    return (
        math.log1p(aliases) / 2,
        -math.log10(number) / 2 if number else -4.0,
        float(bool(words) and words[-1].lower() in _STATEMENTS),
        float(bool(words) and words[0][:1].isupper() and len(words) > 1 and words[-1][:1].islower()),
        float(in_handbook),
    )


def ranking_features(found: Sequence[Shortlist], leaves: Floats, standings: Floats) -> Floats:
    """Return a row of numbers in the order of NAMES for each entry of the shortlists, one after another; `leaves` and `standings` are of these entries."""
    counts = [len(near.rows) for near in found]
    ends = list(accumulate(counts, initial=0))
    wide, total = len(FEATURE_GROUPS), ends[-1]
    numbers = np.zeros((len(RANKING_FEATURES), total))
    shares = numbers[: 4 * wide].reshape(wide, 4, total)
    shared = np.concatenate([near.shared_sums for near in found], axis=1)
    entry_sums = np.concatenate([near.entry_sums for near in found], axis=1) + 1e-9
    query_sums = np.repeat(np.array([near.query_sums for near in found]).T + 1e-9, counts, axis=1)
    np.divide(shared, entry_sums + query_sums - shared, out=shares[:, 0])
    np.divide(shared, query_sums, out=shares[:, 1])
    np.divide(shared, entry_sums, out=shares[:, 2])
    np.log1p(shared, out=shares[:, 3])
    shares[:, 3] /= 5
    size = np.repeat([math.log2(max(near.leaves, 1)) / 4 for near in found], counts)
    strict = np.full(total, len(KEY_NAMES))
    linked: list[int] = []
    lengths: list[float] = []
    for near, start in zip(found, ends, strict=False):
        if near.levels:
            positions = np.searchsorted(near.rows, list(near.levels)) + start
            strict[positions] = [RANK[level] for level in near.levels.values()]
        if near.links:
            linked += (np.searchsorted(near.rows, list(near.links)) + start).tolist()
            lengths += [math.log2(max(leaves_shared, 1)) / 4 for leaves_shared in near.links.values()]
    row, keys = 4 * wide, len(KEY_NAMES)
    level_flags = numbers[row : row + keys]
    np.less_equal(strict, np.arange(keys)[:, None], out=level_flags, casting="unsafe")
    np.multiply(level_flags, size, out=numbers[row + keys : row + 2 * keys])
    # Where one entry shares a strict key, those that share only a looser one differ in a sign or a letter that matters.
    strict = np.maximum(strict, RANK["K2"])  # a spelling does not matter
    best = np.repeat(np.minimum.reduceat(strict, ends[:-1]), counts)
    row += 2 * keys
    numbers[row] = (best <= _STRICT) & (strict > best)
    np.multiply(numbers[row], size, out=numbers[row + 1])
    row += 2
    numbers[row, linked] = 1.0
    numbers[row + 1, linked] = lengths
    row += 2
    ratio = np.log2(np.maximum(leaves, 1) / np.repeat([max(near.leaves, 1) for near in found], counts))
    np.maximum(ratio, 0, out=numbers[row])
    np.maximum(-ratio, 0, out=numbers[row + 1])
    numbers[row + 2 :] = standings.T
    return numbers.T
