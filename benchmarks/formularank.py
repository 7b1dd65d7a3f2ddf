"""FormulaRank beside plain frequency: how far the two orders agree (Kendall's tau), and which formulas change places in the first fifty.

`--formulas`: JSON lines {"tex", "doc"}. Formulas equal at K2 are one. The order is also held against how often the whole group of a formula stands:
a good rank of one spelling foretells the weight of its concept.

    python benchmarks/formularank.py --formulas F [--top 50] [--json]
"""

from __future__ import annotations

import sys
import time
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import numpy as np
from command import arguments
from scipy.stats import kendalltau

from bot.console import read_lines, table, write_json
from bot.discover.candidate_filters import is_candidate
from bot.discover.grouping.equivalents import Equivalents, FormulaInContext
from bot.discover.grouping.formularank import FormulaRank
from bot.errors import FormulaError
from bot.formula import keys, statement_kind


def distinct(rows: Sequence[Mapping[str, Any]]) -> tuple[list[str], list[int], list[int]]:
    """Return for each K2 key of an equation that could define something: its commonest spelling, its documents, its occurrences."""
    spellings: dict[str, Counter[str]] = defaultdict(Counter)
    documents: dict[str, set[str]] = defaultdict(set)
    for row in rows:
        try:
            key = keys(row["tex"]).K2
        except FormulaError:
            continue
        if is_candidate(row["tex"], statement_kind(row["tex"])):
            spellings[key][row["tex"]] += 1
            documents[key].add(row["doc"])
    order = sorted(spellings, key=lambda key: (-len(documents[key]), -spellings[key].total(), key))
    return (
        [spellings[k].most_common(1)[0][0] for k in order],
        [len(documents[k]) for k in order],
        [spellings[k].total() for k in order],
    )


def main() -> None:
    parser = arguments(__doc__, "--formulas", "--json")
    parser.add_argument("--top", type=int, default=50)
    given = parser.parse_args()
    tex, documents, occurrences = distinct(list(read_lines(given.formulas, {"tex": str, "doc": str})))
    start = time.process_time()
    ranked = FormulaRank().fit(tex, documents)
    seconds = time.process_time() - start
    plain, ours = list(range(len(tex)))[: given.top], ranked.order_.tolist()[: given.top]
    model = Equivalents(encodings=()).fit(FormulaInContext(t, str(n)) for n, t in enumerate(tex))
    several = sorted({*plain, *ours})
    weight = [sum(documents[n] for n in model.group(row)) for row in several]
    result = {
        "formulas": len(tex),
        "seconds": round(seconds, 2),
        "tau": round(float(kendalltau(documents, ranked.score_).statistic), 4),
        "tau_of_centrality": round(float(kendalltau(documents, ranked.centrality_).statistic), 4),
        "tau_with_bundles": {
            "frequency": round(float(kendalltau([documents[n] for n in several], weight).statistic), 4),
            "formularank": round(float(kendalltau(ranked.score_[several], weight).statistic), 4),
        },
        "in": [tex[n] for n in ours if n not in set(plain)],
        "out": [tex[n] for n in plain if n not in set(ours)],
    }
    if given.json:
        write_json(result)
        return
    place = {row: n for n, row in enumerate(ranked.order_.tolist(), 1)}
    rows = [
        (n + 1, place[n], documents[n], occurrences[n], float(np.round(ranked.centrality_[n], 2)), tex[n])
        for n in sorted(several, key=lambda n: place[n])
    ]
    table(f"First {given.top} by either order", ("frequency", "FormulaRank", "D", "d", "centrality", "formula"), rows)
    for name, value in result.items():
        print(f"{name}: {value}")


if __name__ == "__main__":
    main()
