"""The thirteen challenges of the paper (its table of challenges), each with pairs of its own equations: what `compare` says, by mathematics alone and with the built-in list.

`same`: two forms of one concept; `variant`: one says more than the other; `part`: one is among what the other states. The table of docs/challenges.md is made by this.

    python benchmarks/paper_challenges.py [--pairs F] [--markdown | --json]
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from command import arguments

from bot.console import read_lines, table, write_json
from bot.formula import Comparison, compare

PAIRS = Path(__file__).resolve().parents[1] / "tests/quality/challenges.jsonl"
FIELDS = {"challenge": int, "type": str, "what": str, "wanted": str, "a": str, "b": str, "where": str}


def judged(wanted: str, found: Comparison) -> str:
    """Return `right`, `related` (a relation is seen, not the one that is wanted), or `not seen`."""
    if wanted == "same":
        return "right" if found.same_concept else "related" if found.relation == "variant" else "not seen"
    if found.same_concept:
        return "related"
    return "right" if found.relation == "variant" else "not seen"


def answered(pairs: Iterable[Mapping[str, Any]], *, builtin: bool = True) -> list[dict[str, Any]]:
    """Return each pair with the relation, the note and the judgement of both answers; with `builtin` the list is asked too."""
    rows = []
    for pair in pairs:
        found = compare(pair["a"], pair["b"])
        row = {**pair, "relation": found.relation, "note": found.note, "judged": judged(pair["wanted"], found)}
        if builtin:
            from bot.match.retrieval.known_concepts import refine_comparison

            told = refine_comparison(found, pair["a"], pair["b"])
            row |= {
                "with_list": told.relation,
                "note_with_list": told.note,
                "judged_with_list": judged(pair["wanted"], told),
            }
        rows.append(row)
    return rows


def counted(rows: Iterable[Mapping[str, Any]], field: str) -> dict[str, int]:
    """Return how many pairs are judged how."""
    found = {"right": 0, "related": 0, "not seen": 0}
    for row in rows:
        found[row[field]] += 1
    return found


def markdown(rows: Iterable[Mapping[str, Any]]) -> str:
    """Return the table of the page."""
    lines = ["| challenge | formulas | wanted | by mathematics | with the list |", "|---|---|---|---|---|"]
    for row in rows:
        listed = (
            ""
            if row["note_with_list"] == row["note"]
            else f"{row['judged_with_list']}: {row['note_with_list'].removeprefix(row['note'] + '; ')}"
        )
        lines.append(
            f"| {row['challenge']} {row['what']} | `{row['a']}`<br>`{row['b']}`<br>{row['where']} | {row['wanted']}"
            f" | **{row['judged']}**: {row['note']} | {listed} |"
        )
    return "\n".join(lines)


def main() -> None:
    parser = arguments(__doc__, "--json")
    parser.add_argument("--pairs", type=Path, default=PAIRS, metavar="F")
    parser.add_argument("--markdown", action="store_true", help="print the table of docs/challenges.md")
    given = parser.parse_args()
    rows = answered(read_lines(given.pairs, FIELDS))
    counts = {"mathematics": counted(rows, "judged"), "with the list": counted(rows, "judged_with_list")}
    if given.json:
        write_json({"counts": counts, "pairs": rows})
    elif given.markdown:
        print(markdown(rows))
    else:
        table("The paper's thirteen challenges", ("challenge", "wanted", "by mathematics", "with the list"), [(f"{r['challenge']} {r['what']}", r["wanted"], f"{r['judged']}: {r['note']}", r["judged_with_list"]) for r in rows])  # fmt: skip
        table("Pairs", ("", *counts["mathematics"]), [(name, *each.values()) for name, each in counts.items()])


if __name__ == "__main__":
    main()
