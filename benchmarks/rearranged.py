"""Which pairs of formulas are called the same concept although nothing but mathematics says so, and rightly.

With `--proofs` also what sympy proves where sampling found it, and what sympy alone, asked of every pair, proves: its share of the pairs that are the same, and of those that are not.

    python benchmarks/rearranged.py [--pairs F] [--proofs] [--json] [--show]

F holds JSON lines {"field", "a", "b", "same"} and perhaps "where", a list of substitutions; ours is tests/formula/data/rearranged.jsonl.
Precision: of the pairs called the same, those that are. Recall: of the pairs that are the same, those called so.
"""

from __future__ import annotations

import json
import statistics
import sys
import time
from collections import Counter
from contextlib import nullcontext
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from command import arguments

from bot.errors import FormulaError
from bot.formula import compare
from bot.formula.normal.stages import normal_forms
from bot.formula.numeric.prove import Prover
from bot.formula.numeric.system_pair import read_system_pair

PAIRS = Path(__file__).resolve().parents[1] / "tests/formula/data/rearranged.jsonl"


def measured(rows: list[dict[str, Any]], proofs: bool) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Return the figures, and the rows that were answered wrongly."""
    counts: Counter[tuple[bool, bool]] = Counter()
    relations: Counter[str] = Counter()
    proved = 0
    times: list[float] = []
    wrong: list[dict[str, Any]] = []
    with Prover() if proofs else nullcontext() as prover:
        for row in rows:
            start = time.perf_counter()
            found = compare(row["a"], row["b"], row.get("where", ()), prover)
            times.append(1000 * (time.perf_counter() - start))
            counts[row["same"], found.same_concept] += 1
            relations[found.relation] += 1
            proved += "proved by algebra" in found.note
            if row["same"] != found.same_concept:
                wrong.append({**row, "relation": found.relation, "note": found.note})
    hits, false, missed = counts[True, True], counts[False, True], counts[True, False]
    figures: dict[str, Any] = {
        "pairs": len(rows),
        "same": hits + missed,
        "precision": round(hits / max(hits + false, 1), 4),
        "recall": round(hits / max(hits + missed, 1), 4),
        "false_claims": false,
        "relations": dict(relations.most_common()),
        "ms_median": round(statistics.median(times), 3),
        "ms_most": round(max(times), 1),
    }
    return figures | ({"proved": proved} if proofs else {}), wrong


def sympy_alone(rows: list[dict[str, Any]]) -> dict[str, int]:
    """Return how many pairs sympy proves, without keys, sampling or substitutions: those that are the same, and those that are not."""
    proved: Counter[bool] = Counter()
    with Prover() as prover:
        for row in rows:
            try:
                pair = read_system_pair(normal_forms(row["a"]).canonical[0], normal_forms(row["b"]).canonical[0])
            except FormulaError:
                continue
            proved[row["same"]] += bool(pair and prover.proves(pair))
    return {"sympy_alone_same": proved[True], "sympy_alone_different": proved[False]}


def main() -> None:
    parser = arguments(__doc__, "--json")
    parser.add_argument("--pairs", type=Path, default=PAIRS)
    parser.add_argument("--proofs", action="store_true", help="let sympy confirm")
    parser.add_argument("--show", action="store_true", help="list what was answered wrongly")
    options = parser.parse_args()
    rows = [json.loads(line) for line in options.pairs.read_text(encoding="utf-8").splitlines() if line.strip()]
    figures, wrong = measured(rows, options.proofs)
    figures |= sympy_alone(rows) if options.proofs else {}
    print(json.dumps(figures) if options.json else "\n".join(f"{name}: {value}" for name, value in figures.items()))
    if options.show:
        print(*(json.dumps(row, ensure_ascii=False) for row in wrong), sep="\n", file=sys.stderr)


if __name__ == "__main__":
    main()
