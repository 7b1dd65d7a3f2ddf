"""Statistics of the decisions: by day, person, reason and probability; the bot's precision; how far people agree. Pure."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

import sqlalchemy as sa

from bot import store
from bot.claim_outcomes import wilson_interval
from bot.review.people import SCRIPTED_ROLE
from bot.store import Row, Workspace

JUDGED = ("approve", "reject")


@dataclass(frozen=True, slots=True)
class Band:
    """Proposals whose probability is from `low` to `high`, with the decisions on them."""

    low: float
    high: float
    approved: int
    rejected: int
    edited: int
    precision: float | None = field(init=False)  # None without decisions

    def __post_init__(self) -> None:
        object.__setattr__(self, "precision", self.approved / self.judged if self.judged else None)

    @property
    def judged(self) -> int:
        return self.approved + self.rejected

    @property
    def interval(self) -> tuple[float, float]:
        """Return Wilson's interval of 95 % for the precision."""
        return wilson_interval(self.approved, self.judged)


@dataclass(frozen=True, slots=True)
class Agreement:
    """Two people's decisions on the same content. `kappa` is None where it says nothing: no pairs, or no variety."""

    pairs: int
    same: int
    kappa: float | None


@dataclass(frozen=True, slots=True)
class Statistics:
    """Everything the page shows; without names other people are one row."""

    words: int  # decisions that are not taken back: each person's last one on each content
    proposals: int  # contents that these decisions are on; of each the last decision is in bands and reasons
    days: tuple[tuple[str, int, int], ...]  # (day, approved, rejected)
    people: tuple[tuple[str, int, int], ...]
    reasons: tuple[tuple[str, int], ...]
    bands: tuple[Band, ...]
    agreement: Agreement
    attention: tuple[tuple[str, int, int], ...]  # (person, noticed, shown)


def statistics(workspace: Workspace) -> Statistics:
    """Return the figures of a workspace. Decisions of scripted reviewers do not count."""
    decisions, people = store.decisions.c, store.reviewers.c
    record = decisions.record["probability"].as_float().label("probability")
    columns = (decisions.n, decisions.proposal, decisions.hash, decisions.verdict, decisions.reason, decisions.reviewer)
    scripts = sa.select(people.name).where(people.role == SCRIPTED_ROLE)
    query = sa.select(*columns, decisions.time, decisions.tex, record).where(decisions.reviewer.not_in(scripts))
    query = query.where(sa.func.coalesce(decisions.record["kind"].as_string(), "") != "symbol")  # said of no formula
    rows = workspace.rows(query.order_by(decisions.n))
    return statistics_of_decisions(rows, workspace.rows(sa.select(store.attention)))


def statistics_of_decisions(rows: Sequence[Row], attention: Iterable[Row] = ()) -> Statistics:
    """Return the figures of decisions, oldest first. What was taken back, or replaced by the same person, is in none of them."""
    current = list(decisions_in_force(rows).values())
    judged = sorted(
        (last for history in current if (last := history[-1])["verdict"] in JUDGED), key=lambda row: int(row["n"])
    )
    final = list({(row["proposal"], row["hash"]): row for row in judged}.values())
    reasons = Counter(row["reason"] for row in final if row["verdict"] == "reject")
    attention_of: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    for row in attention:
        attention_of[row["reviewer"]][0] += row["verdict"] in ("reject", "unsure")
        attention_of[row["reviewer"]][1] += row["verdict"] != "skip"
    return Statistics(
        words=len(judged),
        proposals=len(final),
        days=_split(judged, lambda row: row["time"][:10]),
        people=_split(judged, lambda row: row["reviewer"]),
        reasons=tuple(reasons.most_common()),
        bands=probability_bands(final),
        agreement=agreement(history[0] for history in current),
        attention=tuple((name, noticed, number) for name, (noticed, number) in sorted(attention_of.items())),
    )


def decisions_in_force(rows: Iterable[Row]) -> dict[tuple[str, str, str], list[Row]]:
    """Return (proposal, hash, person) -> that person's decisions that are not taken back, oldest first.

    Taking back leaves nothing of one's own decisions on the proposal; who has none takes back those of the last person.
    """
    left: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        history = left[row["proposal"]]
        if row["verdict"] == "withdraw":
            people = [each["reviewer"] for each in history]
            withdrawn = row["reviewer"] if row["reviewer"] in people else people[-1] if people else ""
            history[:] = [each for each in history if each["reviewer"] != withdrawn]
        elif row["verdict"] != "skip":
            history.append(row)
    found: dict[tuple[str, str, str], list[Row]] = defaultdict(list)
    for history in left.values():
        for row in history:
            found[row["proposal"], row["hash"], row["reviewer"]].append(row)
    return found


def probability_bands(final: Iterable[Row]) -> tuple[Band, ...]:
    """Return ten bands of probability with the decisions that count now."""
    counts = [[0, 0, 0] for _ in range(10)]
    for row in final:
        at = min(9, max(0, int((row["probability"] or 0) * 10 + 1e-9)))
        counts[at][0 if row["verdict"] == "approve" else 1] += 1
        counts[at][2] += bool(row["verdict"] == "approve" and row["tex"])
    return tuple(Band(i / 10, (i + 1) / 10, *counts[i]) for i in range(10))


def agreement(rows: Iterable[Row]) -> Agreement:
    """Return Cohen's kappa over the first decisions of the first two people on each content."""
    verdicts_on: dict[tuple[str, str], dict[str, str]] = defaultdict(dict)
    for row in rows:
        if row["verdict"] in JUDGED:
            verdicts_on[row["proposal"], row["hash"]].setdefault(row["reviewer"], row["verdict"])
    pairs = [tuple(verdicts.values())[:2] for verdicts in verdicts_on.values() if len(verdicts) > 1]
    return Agreement(len(pairs), sum(a == b for a, b in pairs), kappa(pairs))


def kappa(pairs: Sequence[tuple[str, ...]]) -> float | None:
    """Return Cohen's kappa (Cohen 1960): (observed − expected) / (1 − expected) agreement."""
    if not pairs:
        return None
    n = len(pairs)
    one, other = Counter(pair[0] for pair in pairs), Counter(pair[1] for pair in pairs)
    expected = sum(one[verdict] * other[verdict] for verdict in one) / n**2
    observed = sum(a == b for a, b in pairs) / n
    return None if expected == 1 else (observed - expected) / (1 - expected)


def _split(rows: Iterable[Row], key: Callable[[Row], str]) -> tuple[tuple[str, int, int], ...]:
    counts: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    for row in rows:
        counts[key(row)][row["verdict"] == "reject"] += 1
    return tuple((name, approved, rejected) for name, (approved, rejected) in sorted(counts.items()))
