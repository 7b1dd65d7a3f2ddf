"""Fit the weights of bot/match/weights.json on rediscovery, item-wise, and show how honest they are.

Weights start from the standing ones and move only as far as the data pull them (a Gaussian prior), so that evidence
which a development corpus cannot show (classes, standing formulas) keeps the weight that was set by hand.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np
from command import arguments
from rediscovery import calibration, figures, hide, judge, names_of, opened, reliability, show, verdict_on
from scipy.optimize import minimize
from scipy.special import expit
from sklearn.model_selection import GroupKFold

from bot.console import read_lines, table
from bot.discover import discover, load_concepts
from bot.lookup import Client
from bot.match import choose
from bot.match.model import Belief, EvidenceModel, shipped
from bot.match.score import Scored, as_scores, believed, matches, probabilities, scored, weighed
from bot.match.stage import candidates, look, pairs
from bot.sandbox import open_wiki
from bot.settings import Settings

WEIGHTS = Path(__file__).resolve().parents[1] / "bot" / "match" / "weights.json"
# Evidence that hidden formulas and bare items cannot teach: its weights stay as set by hand.
BY_HAND = {
    "decided",
    "encyclopaedia",
    "same_formula",
    "variant_formula",
    "other_formula",
    "plausible_class",
    "implausible_class",
}
FOLDS = 5
LEAST = 0.02  # share of an item's probability from which a chosen formula tells something about belief
THRESHOLDS = (0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5)


def fit(rows: Sequence[Scored], right: Sequence[bool | None], prior: EvidenceModel, strength: float) -> EvidenceModel:
    """Return the conditional logit nearest to `prior`: which of an item's formulas is right, or none of them."""
    names = sorted(set(prior.weights) - BY_HAND)
    judged = [n for n, verdict in enumerate(right) if verdict is not None]
    scores = [as_scores(rows[n].evidence) for n in judged]
    x = np.array([[1.0, *(row.get(name, 0.0) for name in names)] for row in scores])
    rest = np.array([sum(prior.weights[n] * row.get(n, 0.0) for n in BY_HAND) for row in scores])
    good = np.array([right[n] for n in judged], dtype=float)
    _, item = np.unique([rows[n].pair.item.qid for n in judged], return_inverse=True)
    items = int(item.max()) + 1
    none_right = np.bincount(item, good, items) == 0
    start = np.array([prior.bias, *(prior.weights[name] for name in names)])
    hold = np.full(len(start), strength)
    hold[0] *= 0.05  # the base rate is the data's own

    def loss(w: np.ndarray) -> tuple[float, np.ndarray]:
        e = np.exp(np.clip(x @ w + rest, -30, 30))
        total = 1.0 + np.bincount(item, e, items)
        chosen = np.where(none_right, 1.0, np.bincount(item, e * good, items))
        pull = w - start
        value = float(np.sum(np.log(total) - np.log(chosen)) + 0.5 * np.sum(hold * pull**2))
        slope = e / total[item] - np.where(none_right[item], 0.0, e * good / chosen[item])
        return value, x.T @ slope + hold * pull

    # A reason never counts against, a doubt never for: what a reviewer reads keeps its sign.
    bounds = [(0 if w > 0 else None, 0 if w < 0 else None) for w in start]
    bounds[0] = (None, None)
    best = minimize(loss, start, jac=True, method="L-BFGS-B", bounds=bounds).x
    weights = {name: round(float(w), 3) for name, w in zip(names, best[1:], strict=True)}
    return EvidenceModel(round(float(best[0]), 3), dict(prior.weights) | weights)


def labelled(rows: Sequence[Scored], world: Mapping[str, Mapping[str, Any]]) -> list[bool | None]:
    """Return whether each pair is right; None where the item had no formula."""
    found = [
        verdict_on(row.pair.view.concept.tex, world.get(row.pair.item.qid, {}).get("formulas") or ())[0] for row in rows
    ]
    return [None if verdict == "unjudged" else verdict == "right" for verdict in found]


def cross(rows: Sequence[Scored], right: Sequence[bool | None], strength: float) -> list[Scored]:
    """Return the rows with logits from models that never saw the row's item."""
    groups = np.array([row.pair.item.qid for row in rows])
    logits = np.zeros(len(rows))
    for _, unseen in GroupKFold(FOLDS).split(groups, groups=groups):
        hidden = list(right)
        for n in unseen:
            hidden[n] = None
        model = fit(rows, hidden, shipped("hand"), strength)
        logits[unseen] = [row.logit for row in weighed([rows[n] for n in unseen], model)]
    return [replace(row, logit=float(logit)) for row, logit in zip(rows, logits, strict=True)]


def belief(rows: Sequence[Scored], world: Mapping[str, Mapping[str, Any]]) -> Belief:
    """Return slope, shift and ceiling under which the held-out shares of what would be chosen are most likely.

    A weak prior holds them: no slope and shift, a ceiling near .9.
    """
    chosen = judge(choose(matches(rows, probabilities(rows)), LEAST), world)
    judged = [(o.match.probability, o.verdict == "right") for o in chosen if o.verdict != "unjudged"]
    share = np.clip([p for p, _ in judged], 1e-9, 1 - 1e-9)
    logit, good = np.log(share / (1 - share)), np.array([verdict for _, verdict in judged])

    def loss(t: np.ndarray) -> float:
        p = np.clip(expit(t[2]) * expit(np.exp(t[0]) * logit + t[1]), 1e-9, 1 - 1e-9)
        return float(-np.sum(np.log(np.where(good, p, 1 - p))) + 0.5 * (t[0] ** 2 + t[1] ** 2 + 0.2 * (t[2] - 2) ** 2))

    best = minimize(loss, np.array([0.0, 0.0, 2.0]), method="Nelder-Mead", options={"maxiter": 4000}).x
    return Belief(round(float(np.exp(best[0])), 3), round(float(best[1]), 3), round(float(expit(best[2])), 3))


def held_out(rows: Sequence[Scored], world: Mapping[str, Mapping[str, Any]]) -> list[float]:
    """Return what is believed of rows whose logits never saw their item, by beliefs that never saw it either."""
    groups = np.array([row.pair.item.qid for row in rows])
    found = np.zeros(len(rows))
    for seen, unseen in GroupKFold(2 * FOLDS).split(groups, groups=groups):
        fitted = belief([rows[n] for n in seen], world)
        found[unseen] = believed([rows[n] for n in unseen], fitted)
    return found.tolist()


def main() -> None:
    parser = arguments(__doc__, "--corpus", "--items")
    parser.add_argument("--workspace", metavar="W")
    parser.add_argument("--strength", type=float, default=4.0, help="how hard the hand-set weights hold")
    parser.add_argument("--write", action="store_true", help="write bot/match/weights.json")
    args = parser.parse_args()
    data = list(read_lines(args.items, {"qid": str}))
    world = {row["qid"]: row for row in data}
    settings = Settings()
    with opened(args.workspace) as workspace:
        discover(workspace, args.corpus, settings, labels=names_of(data), quiet=True)
        hidden = hide(data, workspace.path / "items_without_formulas.jsonl")
        with open_wiki(workspace, settings, str(hidden)) as wiki, Client(wiki, settings.agent, None) as client:
            seen = look(workspace, list(load_concepts(workspace)), settings)
            rows = scored(*pairs(seen, candidates(seen, client, settings), client, settings))
    right = labelled(rows, world)
    print(
        f"{len(rows)} pairs, {sum(v is not None for v in right)} judged, {sum(v is True for v in right)} right",
        file=sys.stderr,
    )
    start = time.perf_counter()
    unseen = cross(rows, right, args.strength)
    model = fit(rows, right, shipped("hand"), args.strength)
    print(f"fitted {FOLDS + 1} times in {time.perf_counter() - start:.1f} s", file=sys.stderr)
    sure = belief(unseen, world)
    found = matches(unseen, held_out(unseen, world))
    queued = list(judge(choose(found, settings.proposing.propose_from), world))
    show(queued, ())
    by_threshold = [(low, figures(list(judge(choose(found, low), world)))) for low in THRESHOLDS]
    listed = [(low, f["right"], f["wrong"], f["unjudged"]) for low, f in by_threshold]
    table("item-wise held out, by propose_from", ("from", "right", "wrong", "unjudged"), listed)
    print("item-wise held out:", json.dumps(figures(queued)), sure)
    error, noise = calibration(list(judge(found, world)))
    print(f"calibration error of all matches, held out: {error:.4f} (noise {noise:.4f})")
    model = replace(model, belief=sure)
    was = shipped("hand").weights
    counted = {name: sum(name in as_scores(row.evidence) for row in rows) for name in model.weights}
    ranked = sorted(model.weights.items(), key=lambda pair: -pair[1])
    table("weights", ("evidence", "weight", "was", "pairs"), [(n, w, was[n], counted[n]) for n, w in ranked])
    if args.write:
        store(model, len(rows), len({row.pair.item.qid for row in rows}), digest(rows, right), reliability(queued))


def digest(rows: Sequence[Scored], right: Sequence[bool | None]) -> str:
    """Return what the weights were fitted to, in a few letters: every pair, its evidence and its verdict."""
    found = blake2b(digest_size=8)
    for row, verdict in zip(rows, right, strict=True):
        evidence = sorted(as_scores(row.evidence).items())
        found.update(repr((row.pair.item.qid, row.tex, evidence, verdict)).encode())
    return found.hexdigest()


def store(
    model: EvidenceModel,
    pairs_seen: int,
    items_seen: int,
    data_digest: str,
    bands: Sequence[tuple[str, int, float, float]],
) -> None:
    """Write the weights beside the code; those set by hand stay."""
    data = json.loads(WEIGHTS.read_text(encoding="utf-8"))
    note = f"fitted by benchmarks/train_match.py on {pairs_seen} pairs of {items_seen} items"
    data["matching"] = {
        "note": note,
        "data": data_digest,
        "bias": model.bias,
        "belief": asdict(model.belief),
        "reliability": [[round(said, 3), round(right, 3), judged] for _, judged, said, right in bands],
        "weights": dict(sorted(model.weights.items())),
    }
    WEIGHTS.write_text(json.dumps(data, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
    main()
