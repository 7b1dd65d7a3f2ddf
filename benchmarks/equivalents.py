"""Equivalent formulas: for each sample of the gold, which formulas the project groups with it, against all that a reader held to be equivalent.

`--formulas`: JSON lines {"i", "tex", "doc", "window500"}; `--gold`: {"tex", "equivalent": [{"i"}], "borderline": [{"i"}]}, as in equivalents_dev.jsonl.
What the reader called equivalent: the same relation between the same quantities, whatever scripts, bars, arguments, sides or letters it is
written with (p = ωρ, w = p_X/ρ_X, σ = p/ρ), also as the first part of a chain. Not: the relation with a number put in (p = −ρ is not p = wρ), of
other quantities (r = ρ_B/ρ_γ is no Ω = ρ/ρ_c), of their perturbations, a derived relation. Borderline formulas are left out of both scores.

    python benchmarks/equivalents.py --formulas F --gold F [--samples F] [--json] [--folds | --train]
"""

from __future__ import annotations

import json
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import numpy as np
from command import arguments

from bot.console import read_lines, write_json
from bot.discover.grouping.encoding_names import ENCODINGS, FAST
from bot.discover.grouping.equivalents import Equivalents, FormulaInContext
from bot.formula.alignment.equivalence_evidence import FEATURE_NAMES, Floats, Weights
from bot.match.knowledge import Knowledge

Row = Mapping[str, Any]
PRECISION = 0.97  # that a threshold must keep in the folds


def formulas(rows: Iterable[Row]) -> list[FormulaInContext]:
    return [FormulaInContext(row["tex"], row["doc"], tuple(row.get("window500") or ())) for row in rows]


def located(rows: Sequence[Row], gold: Sequence[Row]) -> dict[int, list[int]]:
    """Return for each sample (its place in the gold) the rows that are written as it is, the blanks aside."""
    places: dict[str, list[int]] = defaultdict(list)
    for n, row in enumerate(rows):
        places["".join(row["tex"].split())].append(n)
    return {g: places["".join(sample["tex"].split())] for g, sample in enumerate(gold)}


def wanted(rows: Sequence[Row], sample: Row) -> tuple[set[int], set[int]]:
    """Return the rows that are equivalent to a sample, and those left out."""
    at = {row["i"]: n for n, row in enumerate(rows)}
    return {at[e["i"]] for e in sample["equivalent"]}, {at[e["i"]] for e in sample.get("borderline", ())}


def scored(found: Mapping[int, set[int]], rows: Sequence[Row], gold: Sequence[Row]) -> dict[str, float]:
    """Return precision and recall over all samples' formulas, and their means over samples."""
    right = wrong = missed = 0
    each: list[tuple[float, float]] = []
    for g, sample in enumerate(gold):
        good, aside = wanted(rows, sample)
        mine = found[g] - aside
        right, wrong, missed = right + len(mine & good), wrong + len(mine - good), missed + len(good - mine)
        each.append((len(mine & good) / max(len(mine), 1), len(mine & good) / max(len(good), 1)))
    return {
        "precision": round(right / max(right + wrong, 1), 4),
        "recall": round(right / max(right + missed, 1), 4),
        "precision_by_sample": round(float(np.mean([p for p, _ in each])), 4),
        "recall_by_sample": round(float(np.mean([r for _, r in each])), 4),
        "samples": len(gold),
    }


def grouped(model: Equivalents, places: Mapping[int, Sequence[int]]) -> dict[int, set[int]]:
    """Return for each sample the rows grouped with its first place, and its own."""
    return {g: {*model.group(own[0]), *own} if own else set() for g, own in places.items()}


# -- training ------------------------------------------------------------------------------------------------------------
def pairs(
    model: Equivalents, rows: Sequence[Row], gold: Sequence[Row], places: Mapping[int, Sequence[int]]
) -> list[tuple[int, Floats, int]]:
    """Return (sample, evidence, equivalent or not) for all candidates that can be laid over a sample."""
    found = []
    for g, sample in enumerate(gold):
        good, aside = wanted(rows, sample)
        for other in model.candidates(places[g][0]) if places[g] else ():
            seen = model.evidence(places[g][0], other)
            if other not in aside and seen is not None:
                found.append((g, seen, int(other in good)))
    return found


def concepts(gold: Sequence[Row]) -> list[int]:
    """Return a number for each sample; samples that share an equivalent formula share it."""
    groups: list[set[int]] = []
    of: list[int] = []
    for sample in gold:
        mine = {e["i"] for part in ("equivalent", "borderline") for e in sample.get(part, ())}
        same = next((n for n, group in enumerate(groups) if group & mine), len(groups))
        groups += [set()] if same == len(groups) else []
        groups[same] |= mine
        of.append(same)
    return of


def fitted(data: Sequence[tuple[int, Floats, int]], of: Sequence[int], leave: int | None = None) -> Weights:
    """Fit the weights on all concepts but one; what is said of a concept counts as much as what is said of another."""
    from sklearn.linear_model import LogisticRegression

    kept = [row for row in data if of[row[0]] != leave]
    many = Counter((of[g], y) for g, _, y in kept)
    weight = [1 / many[of[g], y] ** 0.5 for g, _, y in kept]
    model = LogisticRegression(C=10.0, max_iter=5000).fit(
        np.array([x for _, x, _ in kept]), [y for *_, y in kept], sample_weight=weight
    )
    return Weights(model.coef_[0], float(model.intercept_[0]), 0.5)


def folded(data: Sequence[tuple[int, Floats, int]], of: Sequence[int]) -> list[tuple[float, int]]:
    """Return (probability, equivalent or not) of each pair by weights that have not seen its concept."""
    models = {concept: fitted(data, of, concept) for concept in set(of)}
    return [(models[of[g]].probability(x), y) for g, x, y in data]


def threshold(judged: Sequence[tuple[float, int]]) -> float:
    """Return the lowest probability from which on the pairs have the wanted precision."""
    best, right = 0.99, 0
    for n, (said, y) in enumerate(sorted(judged, reverse=True), 1):
        right += y
        if right / n >= PRECISION and said > 0.5:
            best = said
    return best


def main() -> None:
    parser = arguments(__doc__, "--formulas", "--gold", "--no-builtin", "--json")
    parser.add_argument("--all-encodings", action="store_true", help="with the two that train a model")
    parser.add_argument(
        "--folds", action="store_true", help="weights by cross-validation over concepts instead of the shipped ones"
    )
    parser.add_argument("--train", metavar="F", help="fit on the gold and write the weights there")
    given = parser.parse_args()
    rows = list(read_lines(given.formulas, {"i": int, "tex": str, "doc": str}))
    gold = list(read_lines(given.gold, {"tex": str, "equivalent": list}))
    start = time.perf_counter()
    knowledge = None if given.no_builtin else Knowledge()
    model = Equivalents(encodings=ENCODINGS if given.all_encodings else FAST, knowledge=knowledge).fit(formulas(rows))
    places = located(rows, gold)
    if given.folds or given.train:
        data, of = pairs(model, rows, gold, places), concepts(gold)
        judged = folded(data, of)
        least = threshold(judged)
        if given.train:
            whole = fitted(data, of)
            made = {
                "weights": dict(zip(FEATURE_NAMES, np.round(whole.weights, 4).tolist(), strict=True)),
                "bias": round(whole.bias, 4),
                "threshold": round(least, 4),
            }
            Path(given.train).write_text(json.dumps(made, indent=1) + "\n", encoding="utf-8")
        found: dict[int, set[int]] = {}
        for g, own in places.items():
            one = fitted(data, of, of[g])
            model.weights = Weights(one.weights, one.bias, least)
            found[g] = {*model.group(own[0]), *own}
    else:
        found = grouped(model, places)
    result = scored(found, rows, gold) | {"seconds": round(time.perf_counter() - start, 2)}
    if not given.json:
        for g, sample in enumerate(gold):
            good, aside = wanted(rows, sample)
            missed, wrong = [
                dict(Counter(rows[n]["tex"] for n in some)) for some in (good - found[g], found[g] - good - aside)
            ]
            print(f"{sample['tex']}: missed {missed}, wrong {wrong}", file=sys.stderr)
    write_json(result)


if __name__ == "__main__":
    main()
