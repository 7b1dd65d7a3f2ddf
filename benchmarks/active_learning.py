"""Discovery by recognition as active learning: how many decisions until most of what can be accepted is accepted?

A simulated reviewer answers from judged pairs (gold as in acceptance.py). The orders of asking: at random; by how often the formula occurs; by the weights set by
hand; and learning, by weights that are fitted anew to the decisions so far after every 25 (the likeliest first, pairs of undecided items never seen by a fit). A pair of
the low stratum stands for the 8.7 pairs that it was drawn from.

    python benchmarks/active_learning.py --corpus DIR... --items F --gold F [--no-builtin] [--figure F] [--json]
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from statistics import mean
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from acceptance import ACCEPTED, BY_HAND, LOW_WEIGHT, canonical, evidence, settings_for
from command import arguments
from rediscovery import opened

from bot.console import read_lines, table, write_json
from bot.discover.stored_concepts import load_concepts
from bot.match.model import scores_by_name, shipped_model
from bot.match.score import Scored
from bot.match.training import JudgedPair, train
from bot.store import Workspace

SHARE = 0.8  # of what can be accepted
BATCH = 25  # decisions between two fits
LEAST = 50  # decisions before the first fit; below it the weights set by hand order
SEEDS = 20


@dataclass(frozen=True)
class Question:
    """A judged pair as it is put to the reviewer."""

    item: str
    judged: JudgedPair
    documents: int
    occurrences: int

    @property
    def decisions(self) -> float:
        """So many pairs it stands for."""
        return self.judged.weight


def questions(rows: Sequence[Scored], gold: Sequence[dict[str, Any]], workspace: Workspace) -> list[Question]:
    """Return the judged pairs that matching found, each in its likeliest writing; how often a formula occurs is read from the workspace."""
    counts = {concept.key: (concept.documents, concept.occurrences) for concept in load_concepts(workspace)}
    verdicts = {(row["qid"], canonical(row["tex"])): row for row in reversed(gold) if row["verdict"] != "unsure"}
    best: dict[tuple[str, str], Scored] = {}
    for row in rows:
        pair = row.pair.item.qid, canonical(row.tex)
        if pair in verdicts and (pair not in best or row.probability > best[pair].probability):
            best[pair] = row
    found = []
    for (qid, key), row in sorted(best.items()):
        verdict = verdicts[qid, key]
        weight = float(verdict.get("weight") or (LOW_WEIGHT if verdict.get("stratum") == "low" else 1.0))
        judged = JudgedPair(qid, scores_by_name(row.evidence), verdict["verdict"] in ACCEPTED, weight, None)
        found.append(Question(qid, judged, *counts[row.pair.view.concept.key]))
    return found


# -- orders of asking ----------------------------------------------------------------------------------------------------------
def at_random(asked: Sequence[Question], seed: int) -> list[Question]:
    shuffled = list(asked)
    Random(seed).shuffle(shuffled)
    return shuffled


def by_frequency(asked: Sequence[Question], seed: int) -> list[Question]:
    return sorted(at_random(asked, seed), key=lambda q: (-q.documents, -q.occurrences))


def by_hand(asked: Sequence[Question], seed: int) -> list[Question]:
    model = shipped_model("hand")
    return sorted(at_random(asked, seed), key=lambda q: -model.probability(q.judged.scores))


def learning(asked: Sequence[Question], seed: int) -> list[Question]:
    """Ask what is likeliest to be accepted, by weights that are fitted to the answers so far."""
    prior = model = shipped_model("hand")
    waiting, answered = at_random(asked, seed), list[Question]()
    while waiting:
        waiting.sort(key=lambda q: -model.probability(q.judged.scores))
        answered, waiting = answered + waiting[:BATCH], waiting[BATCH:]
        if len(answered) >= LEAST and len({q.judged.accepted for q in answered}) == 2:
            model = train([q.judged for q in answered], prior, fixed=BY_HAND).model
    return answered


ORDERS: dict[str, Callable[[Sequence[Question], int], list[Question]]] = {
    "random": at_random,
    "frequency": by_frequency,
    "by hand": by_hand,
    "learning": learning,
}


# -- what comes of it ----------------------------------------------------------------------------------------------------------
def curve(order: Sequence[Question]) -> list[tuple[float, float]]:
    """Return (decisions, accepted) after each question."""
    out, decisions, accepted = [(0.0, 0.0)], 0.0, 0.0
    for each in order:
        decisions += each.decisions
        accepted += each.decisions * bool(each.judged.accepted)
        out.append((decisions, accepted))
    return out


def decisions_for(points: Sequence[tuple[float, float]], share: float) -> float:
    """Return after how many decisions this share of what can be accepted is accepted."""
    wanted = points[-1][1] * share
    return next(decisions for decisions, accepted in points if accepted >= wanted)


def measured(asked: Sequence[Question], share: float = SHARE) -> dict[str, Any]:
    """Return the decisions for `share` of what can be accepted in each order (means over seeds), and beside random order."""
    curves = {name: curve(order(asked, 0)) for name, order in ORDERS.items()}
    needed = {
        name: mean(
            decisions_for(curve(order(asked, seed)), share) for seed in range(1 if name == "learning" else SEEDS)
        )
        for name, order in ORDERS.items()
    }
    total, possible = curves["random"][-1]
    return {
        "pairs": round(total, 1),
        "acceptable": round(possible, 1),
        "decisions": {name: round(number, 1) for name, number in needed.items()},
        "beside_random": {name: round(number / needed["random"], 4) for name, number in needed.items()},
        "best_possible": round(share * possible / needed["random"], 4),
        "curves": curves,
    }


def draw(found: dict[str, Any], path: str | Path) -> None:
    """Write the curves as a figure."""
    from charts import line_charts, save

    whole = found["acceptable"]
    lines = {name: {round(x): y / whole for x, y in points} for name, points in found["curves"].items()}
    save(
        line_charts("Accepted formulas against decisions", {"one reviewer, judged pairs": lines}, low=0.0, below="decisions", left="share of what can be accepted"), path
    )  # fmt: skip


def main() -> None:
    parser = arguments(__doc__, "--corpus", "--items", "--gold", "--no-builtin", "--json")
    parser.add_argument("--workspace", metavar="W", help="keep the discovered workspace here and use it again")
    parser.add_argument("--figure", metavar="F", help="write the curves there")
    args = parser.parse_args()
    rows, gold = list(read_lines(args.items, {"qid": str})), list(read_lines(args.gold, {"qid": str, "tex": str}))
    with opened(args.workspace) as workspace:
        seen = evidence(workspace, args.corpus, rows, settings_for(not args.no_builtin), quiet=args.json)
        asked = questions(seen, gold, workspace)
    found = measured(asked)
    if args.figure:
        draw(found, args.figure)
    if args.json:
        write_json({name: value for name, value in found.items() if name != "curves"})
        return
    shown = [(name, found["decisions"][name], found["beside_random"][name]) for name in ORDERS]
    table(f"Decisions for {SHARE:.0%} of {found['acceptable']:.0f} acceptable among {found['pairs']:.0f} pairs", ("order", "decisions", "beside random"), shown)  # fmt: skip
    print(f"no order can have less than {found['best_possible']:.2f}")


if __name__ == "__main__":
    main()
