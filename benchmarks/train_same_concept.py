"""Fit how likely two formulas are of one concept that the built-in list knows, where mathematics does not decide.

Pairs are {"a", "b", "label": same or different}. Folds keep pairs together whose closest concept is the same.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
from command import arguments
from rich.progress import track
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import GroupKFold, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from bot.console import read_lines
from bot.formula import compare
from bot.match.retrieval.known_concepts import (
    SAME_CONCEPT_FEATURES,
    builtin_concepts,
    closest_item,
    refine_comparison,
    same_concept_features,
)

WEIGHTS = Path(__file__).resolve().parents[1] / "bot" / "match" / "recognition.json"
FOLDS = 10
STRENGTH = 0.1  # inverse, of the regularisation


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--pairs", required=True, nargs="+", metavar="F")
    parser.add_argument("--write", action="store_true", help="write bot/match/recognition.json")
    args = parser.parse_args()
    rows = [row for path in args.pairs for row in read_lines(path, {"a": str, "b": str, "label": str})]
    found, same, of = undecided(rows)
    model = make_pipeline(StandardScaler(), LogisticRegression(C=STRENGTH))
    held_out = cross_val_predict(model, found, same, groups=of, cv=GroupKFold(FOLDS), method="predict_proba")[:, 1]
    joined = held_out >= 0.5
    print(f"{len(rows)} pairs, {len(same)} that mathematics does not decide and whose formulas have a concept in common, {same.sum()} of them of one concept")  # fmt: skip
    print(f"held out: {(joined == same).mean():.3f} right; joined {joined.sum()}, of these right {same[joined].mean():.3f}; area {roc_auc_score(same, held_out):.3f}")  # fmt: skip
    scaler, fitted = model.fit(found, same).steps[0][1], model.steps[1][1]
    weights = fitted.coef_[0] / scaler.scale_
    bias = fitted.intercept_[0] - weights @ scaler.mean_
    for name, weight in zip((*SAME_CONCEPT_FEATURES, "bias"), (*weights, bias), strict=True):
        print(f"{name:>10} {weight:.3f}")
    if args.write:
        shipped = json.loads(WEIGHTS.read_text(encoding="utf-8"))
        shipped["same"] = [round(float(value), 3) for value in (*weights, bias)]
        WEIGHTS.write_text(json.dumps(shipped, indent=2) + "\n", encoding="utf-8")


def undecided(rows: list[dict[str, str]]) -> tuple[Any, Any, list[str]]:
    """Return features, labels and closest concepts of the pairs that are left to the list."""
    index = builtin_concepts()
    found, same, of = [], [], []
    for row in track(rows, "pairs"):
        a, b = row["a"], row["b"]
        alone = refine_comparison(compare(a, b), a, b, listed=False)
        hits = index.hits(a), index.hits(b)
        best = "" if alone.same_concept or alone.differs else closest_item(*hits, index.related)
        if best:
            found.append(same_concept_features((a, b), hits, best, index.related))
            same.append(row["label"] == "same")
            of.append(best)
    return np.array(found), np.array(same), of


if __name__ == "__main__":
    main()
