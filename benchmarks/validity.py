"""What share of formulas a wiki's math datatype would accept, as they stand and after the safe mends.

F is JSON lines with "tex" (or "formula", or a list "formulas"); where rows have a recorded verdict "valid", it is scored too.

    python benchmarks/validity.py --formulas F [F …] [--sample N] [--seed S] [--json] [--show N]
"""

from __future__ import annotations

import json
import random
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from command import arguments

from bot.formula.validity.check import check


def rows(paths: list[Path]) -> Iterator[tuple[str, bool | None]]:
    for path in paths:
        with path.open(encoding="utf-8") as lines:
            for line in filter(str.strip, lines):
                row = json.loads(line)
                formulas = row.get("formulas") or [row.get("tex", row.get("formula", row.get("value")))]
                yield from ((tex, row.get("valid")) for tex in formulas if isinstance(tex, str))


def main() -> None:
    parser = arguments(__doc__, "--json")
    parser.add_argument("--formulas", type=Path, nargs="+", required=True)
    parser.add_argument("--sample", type=int, default=0, help="check so many formulas, drawn at random")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "--show", type=int, default=0, help="print so many formulas that stay invalid or are judged wrongly"
    )
    given = parser.parse_args()
    formulas = list(rows(given.formulas))
    if given.sample:
        formulas = random.Random(given.seed).sample(formulas, min(given.sample, len(formulas)))
    start = time.perf_counter()
    verdicts = [(check(tex), recorded) for tex, recorded in formulas]
    seconds = time.perf_counter() - start
    valid = sum(verdict.valid for verdict, _ in verdicts)
    mended = sum(bool(verdict.mended) for verdict, _ in verdicts if not verdict.valid)
    judged = [(verdict, recorded) for verdict, recorded in verdicts if recorded is not None]
    wrong = [verdict for verdict, recorded in judged if verdict.valid != recorded]
    left = [verdict for verdict, _ in verdicts if not verdict.valid and not verdict.mended]
    result = {
        "n": len(verdicts),
        "valid": valid,
        "valid_after_mend": valid + mended,
        "share": round(valid / max(len(verdicts), 1), 4),
        "share_after_mend": round((valid + mended) / max(len(verdicts), 1), 4),
        "per_second": round(len(verdicts) / max(seconds, 1e-9)),
        "reasons": dict(Counter(" ".join(v.why.split()[:5]) for v in left).most_common(20)),
    }
    if judged:
        result |= {"verdicts": len(judged), "verdicts_right": len(judged) - len(wrong)}
    for verdict in [*wrong, *left][: given.show]:
        print(f"{verdict.why!r} at {verdict.position}: {verdict.tex[:200]!r}", file=sys.stderr)
    print(json.dumps(result, ensure_ascii=False) if given.json else "\n".join(f"{k}: {v}" for k, v in result.items()))


if __name__ == "__main__":
    main()
