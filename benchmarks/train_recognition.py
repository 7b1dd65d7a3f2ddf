"""Fit the recogniser's probability: is the best hit right? Folds keep all queries of one concept together."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
from recognition import gold
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold

from bot.console import read_lines, table
from bot.match.recognise import ACCEPT, Recogniser, leads

WEIGHTS = Path(__file__).resolve().parents[1] / "bot" / "match" / "weights.json"
NAMES = ("jaccard", "key", "same", "variant", "lead")


def rows_of(recogniser: Recogniser, queries: list[dict[str, Any]]) -> tuple[list[list[float]], list[bool], list[str]]:
    """Return the features of each query's best hit, whether it is right, and the query's concept."""
    x, y, groups = [], [], []
    for query in queries:
        hits = recogniser.hits(query["tex"], 10)
        if not hits:
            continue
        features = {**hits[0].features, "lead": leads(hits)[0]}
        x.append([features.get(name, 0.0) for name in NAMES])
        y.append(hits[0].qid in gold(query))
        groups.append(min(gold(query), default=str(query.get("id", query["tex"]))))
    return x, y, groups


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--items", required=True, metavar="F")
    parser.add_argument("--queries", required=True, nargs="+", metavar="F", help="with gold, and negatives without")
    parser.add_argument("--write", action="store_true", help="write bot/match/weights.json")
    args = parser.parse_args()
    queries = [row for path in args.queries for row in read_lines(path, {"tex": str})]
    x, y, groups = rows_of(Recogniser(read_lines(args.items, {"qid": str})), queries)
    held_out = np.zeros(len(y))
    for seen, unseen in GroupKFold(5).split(x, y, groups):
        model = LogisticRegression(C=3.0).fit(np.array(x)[seen], np.array(y)[seen])
        held_out[unseen] = model.predict_proba(np.array(x)[unseen])[:, 1]
    right = np.array(y)
    bands = [
        (low, (held_out >= low) & (held_out < high))
        for low, high in ((0, 0.2), (0.2, 0.5), (0.5, 0.8), (0.8, 0.9), (0.9, 1.01))
    ]
    table(
        "held out",
        ("from", "queries", "said", "right"),
        [(b, int(m.sum()), float(held_out[m].mean()), float(right[m].mean())) for b, m in bands if m.any()],
    )
    accepted = held_out >= ACCEPT
    print(f"accepted {accepted.sum()}, right {right[accepted].sum()} of {right.sum()} that are first")
    model = LogisticRegression(C=3.0).fit(x, y)
    weights = {name: round(float(w), 3) for name, w in zip(NAMES, model.coef_[0], strict=True)}
    print(round(float(model.intercept_[0]), 3), weights)
    if args.write:
        data = json.loads(WEIGHTS.read_text(encoding="utf-8"))
        data["recognition"] = {
            "note": f"fitted by benchmarks/train_recognition.py on {len(y)} queries; context as set by hand",
            "bias": round(float(model.intercept_[0]), 3),
            "weights": weights | {"context": 2.0},
        }
        WEIGHTS.write_text(json.dumps(data, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
    main()
