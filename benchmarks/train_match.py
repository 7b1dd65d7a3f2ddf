"""Fit the weights of bot/match/weights.json on rediscovery, item-wise, and show how honest they are.

Weights start from the standing ones and move only as far as the data pull them (a Gaussian prior), so that evidence
which a development corpus cannot show (classes, standing formulas) keeps the weight that was set by hand.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from rediscovery import figures, hide, judge, names_of, opened, show, verdict_on
from scipy.optimize import minimize
from sklearn.model_selection import GroupKFold

from bot.console import read_lines
from bot.discover import discover, load_concepts
from bot.lookup import Client
from bot.match import choose
from bot.match.model import Model, shipped
from bot.match.score import Scored, as_scores, matches, rival_evidence, scored
from bot.match.stage import candidates, look, pairs
from bot.sandbox import open_world
from bot.settings import Settings

WEIGHTS = Path(__file__).resolve().parents[1] / "bot" / "match" / "weights.json"
# Evidence that hidden formulas and bare items cannot teach: its weights stay as set by hand.
BY_HAND = {"same_formula", "variant_formula", "other_formula", "plausible_class", "implausible_class", "author_says"}
FOLDS = 5


def fit(
    rows: Sequence[Mapping[str, float]], right: Sequence[bool], prior: Model, strength: float, fixed: set[str]
) -> Model:
    """Return the logistic model nearest to `prior` that explains the rows; `fixed` weights do not move."""
    names = sorted(set(prior.weights) - fixed)
    x = np.array([[row.get(name, 0.0) for name in names] for row in rows])
    rest = np.array([sum(prior.weights[n] * row.get(n, 0.0) for n in fixed if n in prior.weights) for row in rows])
    y = np.array(right, dtype=float)
    start = np.array([prior.bias, *(prior.weights[name] for name in names)])

    def loss(w: np.ndarray) -> tuple[float, np.ndarray]:
        z = w[0] + x @ w[1:] + rest
        p = 1 / (1 + np.exp(-np.clip(z, -40, 40)))
        pull = w - start
        pull[0] *= 0.1  # the base rate is the data's own
        value = float(np.sum(np.logaddexp(0, z) - y * z) + 0.5 * strength * np.sum(pull**2))
        gradient = np.concatenate([[np.sum(p - y)], x.T @ (p - y)]) + strength * pull
        return value, gradient

    best = minimize(loss, start, jac=True, method="L-BFGS-B").x
    weights = {name: round(float(w), 3) for name, w in zip(names, best[1:], strict=True)}
    return Model(round(float(best[0]), 3), dict(prior.weights) | weights)


def labelled(rows: Sequence[Scored], world: Mapping[str, Mapping[str, Any]]) -> list[bool | None]:
    """Return whether each pair is right; None where the item had no formula."""
    found = [
        verdict_on(row.pair.view.concept.tex, world.get(row.pair.item.qid, {}).get("formulas") or ())[0] for row in rows
    ]
    return [None if verdict == "unjudged" else verdict == "right" for verdict in found]


def relogit(rows: Sequence[Scored], model: Model) -> list[Scored]:
    return [Scored(row.pair, row.evidence, model.logit(as_scores(row.evidence))) for row in rows]


def subset(values: Sequence[Any], mask: Sequence[bool]) -> list[Any]:
    return [value for value, keep in zip(values, mask, strict=True) if keep]


def train(rows: Sequence[Scored], right: Sequence[bool | None], strength: float) -> tuple[Model, Model]:
    """Fit both steps: evidence alone, then evidence among rivals (on rows that lead their item)."""
    judged = [verdict is not None for verdict in right]
    scores = [as_scores(row.evidence) for row in subset(rows, judged)]
    matching = fit(scores, subset(right, judged), shipped("matching"), strength, BY_HAND)
    rivals = rival_evidence(relogit(rows, matching))
    weight = [
        keep and r["lead_of_formula"] > -0.5 and r["lead_of_item"] > -0.5
        for keep, r in zip(judged, rivals, strict=True)
    ]
    choosing = fit(subset(rivals, weight), subset(right, weight), shipped("choosing"), 1.0, set())
    return matching, choosing


def cross(rows: Sequence[Scored], right: Sequence[bool | None], strength: float) -> list[Any]:
    """Return matches in which every item was judged by a model that never saw it."""
    groups = np.array([row.pair.item.qid for row in rows])
    found: list[Any] = []
    for _, unseen in GroupKFold(FOLDS).split(groups, groups=groups):
        held = set(groups[unseen])
        hidden = [None if row.pair.item.qid in held else verdict for row, verdict in zip(rows, right, strict=True)]
        matching, choosing = train(rows, hidden, strength)
        found += [m for m in matches(relogit(rows, matching), choosing) if m.qid in held]
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--corpus", nargs="+", required=True, metavar="DIR")
    parser.add_argument("--items", required=True, metavar="F")
    parser.add_argument("--workspace", metavar="W")
    parser.add_argument("--strength", type=float, default=1.0, help="how hard the hand-set weights hold")
    parser.add_argument("--write", action="store_true", help="write bot/match/weights.json")
    args = parser.parse_args()
    data = list(read_lines(args.items, {"qid": str}))
    world = {row["qid"]: row for row in data}
    settings = Settings()
    with opened(args.workspace) as workspace:
        discover(workspace, args.corpus, settings, labels=names_of(data), quiet=True)
        hidden = hide(data, workspace.path / "items_without_formulas.jsonl")
        with open_world(workspace, settings, str(hidden)) as wiki, Client(wiki, settings.agent, None) as client:
            seen = look(workspace, list(load_concepts(workspace)))
            rows = scored(*pairs(seen, candidates(seen, client, settings), client, settings))
    right = labelled(rows, world)
    print(
        f"{len(rows)} pairs, {sum(v is not None for v in right)} judged, {sum(v is True for v in right)} right",
        file=sys.stderr,
    )
    held_out = list(judge(choose(cross(rows, right, args.strength), settings.proposing.propose_from), world))
    show(held_out, ())
    print("item-wise held out:", json.dumps(figures(held_out)))
    matching, choosing = train(rows, right, args.strength)
    for name in sorted(matching.weights, key=lambda n: -matching.weights[n]):
        n = sum(name in as_scores(row.evidence) for row in rows)
        print(f"{name:20s} {matching.weights[name]:7.3f}  (was {shipped('matching').weights[name]:6.2f}, in {n} pairs)")
    print(matching.bias, choosing)
    if args.write:
        store(matching, choosing, args.items, len(rows))


def store(matching: Model, choosing: Model, items: str, pairs_seen: int) -> None:
    """Write the weights beside the code; recognition's stay."""
    data = json.loads(WEIGHTS.read_text(encoding="utf-8"))
    note = f"fitted by benchmarks/train_match.py on {pairs_seen} pairs over {Path(items).name}"
    data["matching"] = {"note": note, "bias": matching.bias, "weights": dict(sorted(matching.weights.items()))}
    data["choosing"] = {"note": note, "bias": choosing.bias, "weights": dict(sorted(choosing.weights.items()))}
    WEIGHTS.write_text(json.dumps(data, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
    main()
