"""Pairs of formulas, the same concept or not: what `formula-bot compare` says, with the built-in list and by mathematics alone.

A pair is {"a", "b", "label"}, the label `same` or `different`. Look-alikes of two concepts and unlike forms of one are what is hard. Where pairs say their
"kind", the same figures stand for each.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from command import arguments

from bot.console import read_lines, table, write_json
from bot.formula import compare
from bot.match.retrieval.known_concepts import builtin_concepts, refine_comparison


def main() -> None:
    parser = arguments(__doc__, "--json")
    parser.add_argument("--pairs", required=True, nargs="+", metavar="F")
    args = parser.parse_args()
    pairs = [row for path in args.pairs for row in read_lines(path, {"a": str, "b": str, "label": str})]
    assert builtin_concepts().related  # built before the clock runs
    answers, seconds = [], 0.0
    for row in pairs:
        start = time.process_time()
        found = compare(row["a"], row["b"])
        alone = refine_comparison(found, row["a"], row["b"], listed=False)
        answers.append((row, alone, refine_comparison(found, row["a"], row["b"])))
        seconds += time.process_time() - start
    found = both([(row, alone.same_concept, known.same_concept) for row, alone, known in answers])
    kinds = {
        kind: both(
            [(row, alone.same_concept, known.same_concept) for row, alone, known in answers if row.get("kind") == kind]
        )
        for kind in dict.fromkeys(row["kind"] for row in pairs if "kind" in row)
    }
    found["ms_per_pair"] = round(1000 * seconds / max(len(pairs), 1), 2)
    if args.json:
        write_json(found | ({"kinds": kinds} if kinds else {}))
        return
    wrong = [(row["label"], row["a"], row["b"], known.note) for row, _, known in answers if known.same_concept != (row["label"] == "same")]  # fmt: skip
    table("wrong", ("label", "a", "b", "note"), wrong)
    if kinds:
        names = ("pairs", "same_right", "same_right_alone", "different_right", "different_right_alone")
        table("kinds", ("kind", *names), [(kind, *[each[name] for name in names]) for kind, each in kinds.items()])
    table("pairs", ("what", "figure"), list(found.items()))


def both(answers: Sequence[tuple[Mapping[str, Any], bool, bool]]) -> dict[str, Any]:
    """Return the figures with the built-in list, and by mathematics alone."""
    found = figures([(row, known) for row, _, known in answers])
    alone = figures([(row, said) for row, said, _ in answers])
    return found | {f"{name}_alone": value for name, value in alone.items() if name != "pairs"}


def figures(answers: Sequence[tuple[Mapping[str, Any], bool]]) -> dict[str, Any]:
    """Return the shares of pairs told rightly: all, those of one concept, those of two."""
    rights = [(row["label"] == "same", said == (row["label"] == "same")) for row, said in answers]
    same, other = [right for wanted, right in rights if wanted], [right for wanted, right in rights if not wanted]
    every = [right for _, right in rights]
    return {
        "pairs": len(every),
        "right": round(sum(every) / max(len(every), 1), 4),
        "same_right": round(sum(same) / max(len(same), 1), 4),
        "different_right": round(sum(other) / max(len(other), 1), 4),
    }


if __name__ == "__main__":
    main()
