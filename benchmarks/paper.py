"""The paper, whole: every printed value that the released data allow, beside its repetition and beside ours on the same data, in the order of the paper.

Writes paper.md, values.csv, values.json and figures/ into `--out`. Seeds, hash seed and threads are fixed: two runs write the same bytes.

    python benchmarks/paper.py --data DIR [--out DIR] [--only discovery challenges recognition learning]
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

FIXED = {"PYTHONHASHSEED": "0", "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
ROOT = Path(__file__).resolve().parents[1]
CORPORA = (
    "openstax_university_physics_v1_v2",
    "wikitext_physics_a",
    "ntcir11_wikipedia_pages_a",
    "latexml_star_formation_a_ch01_11",
    "wikitext_enwikimath_sample",
)
Value = tuple[
    str, str, Any, Any, Any, Any, str
]  # `inductive`: by encodings that have not seen the classes that are measured
COLUMNS = ("section", "what", "printed", "repeated", "ours", "inductive", "remark")


def with_fixed_environment() -> None:
    """Start again where hashes or threads are not fixed: Doc2Vec seeds its vectors by the hash of a word."""
    if any(os.environ.get(name) != value for name, value in FIXED.items()):
        os.execve(sys.executable, [sys.executable, *sys.argv], {**os.environ, **FIXED})


# -- the parts -----------------------------------------------------------------------------------------------------------------
def discovered(data: Path, out: Path) -> tuple[list[Value], str]:
    import paper_discovery

    found = paper_discovery.everything(data)
    rows = [
        ("discovery", each["what"], each["printed"], each["repeated"], each["ours"], None, each["remark"])
        for each in found["figures"]
    ]
    cells = [
        (
            row["nr"],
            f"`{row['tex'].replace('|', '&#124;')}`",
            *("{} / {}".format(*row[name]) for name in ("printed", "strings", "keys")),
        )
        for row in found["samples"]
    ]
    return rows, "### The fifty samples: duplicates d / documents D\n\n" + _markdown(
        ("nr", "formula", "printed", "equal strings", "equal canonical keys"), cells
    )


def challenged(data: Path, out: Path) -> tuple[list[Value], str]:
    import paper_challenges

    rows = paper_challenges.answered(paper_challenges.read_lines(paper_challenges.PAIRS, paper_challenges.FIELDS))
    values: list[Value] = [
        (
            "challenges",
            f"{row['challenge']} {row['what']}: {row['where']}",
            None,
            None,
            row["judged_with_list"],
            None,
            row["note_with_list"],
        )
        for row in rows
    ]
    return values, paper_challenges.markdown(rows)


def recognised(data: Path, out: Path) -> tuple[list[Value], str]:
    import paper_tables

    given = argparse.Namespace(
        data=data,
        queries=None,
        items=None,
        ranks=None,
        only=paper_tables.PARTS,
        repeats=20,
        choices=16,
        json=False,
        figures=out / "figures",
    )
    found = paper_tables.measured(given)
    values: list[Value] = []
    for row in found["search"]:
        told, again, strict = (row.get(name) or {} for name in ("printed", "all_queries", "strict"))
        found_at_all = again.get("top10") or 1
        for name, printed, repeated in (
            ("top1", told.get("top1"), again.get("top1")),
            ("top10", told.get("top10"), again.get("top10")),
            ("MRR of what is found", told.get("mrr_of_found"), again and round(again["mrr10"] / found_at_all, 4)),
            ("MRR of all", None, again.get("mrr10")),
        ):
            key = {"MRR of all": "mrr10"}.get(name, name)
            remark = f"read strictly {strict[key]} of theirs" if told and key in strict else ""
            ours = None if told else strict.get(key)
            if (printed, repeated or None, ours) != (None, None, None):
                values.append(
                    ("recognition 1, search", f"{row['source']}, {name}", printed, repeated or None, ours, None, remark)
                )
    told_of = paper_tables.printed.SEPARATION
    for name, sizes in found["separation"].items():
        for size, row in sizes.items() if isinstance(sizes, Mapping) else ():
            accuracy, purity = told_of.get(name, {}).get(size, (None, None))
            apart = row.get("inductive", {})
            values += [
                (
                    "recognition 2, classes",
                    f"{name}, {size} classes, accuracy",
                    accuracy,
                    None,
                    row["accuracy"],
                    apart.get("accuracy"),
                    "inductive: fitted to the equations of the other classes"
                    if apart
                    else "no class is left to fit to",
                ),
                (
                    "recognition 2, classes",
                    f"{name}, {size} classes, purity by cluster",
                    purity,
                    row["plain_purity_by_cluster"],
                    row["purity_by_cluster"],
                    apart.get("purity_by_cluster"),
                    "repeated: k-means on the vectors as they are",
                ),
            ]
    of = found["similarity"]["of_thirty"]
    told_three = paper_tables.printed
    values += [
        ("recognition 2, classes", "of thirty in three classes, k-means on content TF-IDF", told_three.KMEANS_OF_THIRTY, of["plain"], of["spherical"], of["inductive"], "equations that are of their cluster's commonest class"),
        ("recognition 2, classes", "of thirty in three classes, drawn at random", told_three.RANDOM_OF_THIRTY, of["random"], None, None, "mean of 200 draws; theirs is one"),
    ]  # fmt: skip
    for name, row in found["similarity"]["centroids"].items():
        values.append(
            (
                "recognition 2, classes",
                f"{name}, distance of centroids",
                paper_tables.printed.CENTROIDS.get(name),
                row["two_components"],
                row["relative"],
                row["inductive"]["two_components"],
                f"ours: beside the width of a class, inductive {row['inductive']['relative']:.2f}",
            )
        )
    for name, row in found["similarity"]["coherence"].items():
        told_sum = paper_tables.printed.FUZZY_OF_THIRTY if name == "content fuzzy" else None
        apart = found["similarity"]["inductive"].get(
            name, row if "fuzzy" in name else {}
        )  # strings are compared without any fit
        values.append(
            (
                "recognition 3, similarity",
                f"{name}, three classes right by sum",
                told_sum,
                row["by_sum_of_three"],
                row["by_sum"],
                apart["by_sum_of_three"],
                f"ours: all ten classes, inductive {apart['by_sum']:.2f}",
            )
        )
    texts = []
    for title, columns, cells in paper_tables.tables(found):
        texts.append(f"### {title}\n\n" + _markdown(columns, cells))
    return values, "\n\n".join(texts) + "\n\n" + "\n".join(
        f"![{path.stem}](figures/{path.name})" for path in sorted((out / "figures").glob("*.svg"))
    )


def learnt(data: Path, out: Path) -> tuple[list[Value], str]:
    import active_learning as learning
    from acceptance import evidence, settings_for
    from rediscovery import opened

    from bot.console import read_lines

    rows = list(read_lines(data / "wikidata/items_2019.jsonl", {"qid": str}))
    gold = list(read_lines(data / "labelled/acceptability_dev.jsonl", {"qid": str, "tex": str}))
    with opened(None) as workspace:
        seen = evidence(
            workspace, [str(data / "corpora" / name) for name in CORPORA], rows, settings_for(True), quiet=False
        )
    found = learning.measured(learning.questions(seen, gold))
    (out / "figures").mkdir(parents=True, exist_ok=True)
    learning.draw(found, out / "figures/active_learning.svg")
    remark = f"beside random order; no order can have less than {found['best_possible']}"
    values: list[Value] = [
        (
            "discovery by recognition",
            f"decisions for {learning.SHARE:.0%} of what can be accepted, {name}",
            None,
            None,
            found["decisions"][name],
            None,
            f"{found['beside_random'][name]} {remark}",
        )
        for name in learning.ORDERS
    ]
    return values, "![Accepted formulas against decisions](figures/active_learning.svg)"


PARTS: dict[str, tuple[str, Callable[[Path, Path], tuple[list[Value], str]]]] = {
    "discovery": ("Formula Concept Discovery", discovered),
    "challenges": ("The thirteen challenges", challenged),
    "recognition": ("Formula Concept Recognition", recognised),
    "learning": ("Discovery by recognition", learnt),
}


# -- what is written -----------------------------------------------------------------------------------------------------------
def _markdown(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    lines = [columns, ["---"] * len(columns), *rows]
    return "\n".join("| " + " | ".join(map(_cell, line)) + " |" for line in lines)


def _cell(value: object) -> str:
    if value is None:
        return "–"
    return (
        f"{value:.3f}".removeprefix("0")
        if isinstance(value, float) and value < 1
        else f"{value:.2f}"
        if isinstance(value, float)
        else str(value)
    )


def write(out: Path, found: Mapping[str, tuple[Sequence[Value], str]]) -> None:
    """Write the values as CSV and JSON, and everything as one page."""
    out.mkdir(parents=True, exist_ok=True)
    values = [value for part, _ in found.values() for value in part]
    with (out / "values.csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([COLUMNS, *values])
    rows = [dict(zip(COLUMNS, value, strict=True)) for value in values]
    (out / "values.json").write_text(json.dumps(rows, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    page = [
        "# The paper, repeated",
        "Printed, repeated from the released data or by the method of the paper, and ours on the same data. A dash: there is no such value.",
    ]
    for name, (part, text) in found.items():
        page += [f"## {PARTS[name][0]}", _markdown(COLUMNS, part), text]
    from paper_printed import NOT_REPEATED

    rows_left = [row for row in NOT_REPEATED if any(value[0] == row[0] for value in values)]
    if rows_left:
        page += ["## Printed and not repeated", _markdown(("section", "what", "printed", "reason"), rows_left)]
    (out / "paper.md").write_text("\n\n".join(page) + "\n", encoding="utf-8")


def main() -> None:
    with_fixed_environment()
    from command import arguments

    from bot.console import progress
    from bot.errors import BotError

    parser = arguments(__doc__)
    parser.add_argument(
        "--data",
        type=Path,
        required=True,
        metavar="DIR",
        help="folder with discovery/, recognition/, labelled/, corpora/, wikidata/",
    )
    parser.add_argument("--out", type=Path, default=ROOT / "build/paper", metavar="DIR")
    parser.add_argument("--only", nargs="+", choices=PARTS, default=list(PARTS))
    given = parser.parse_args()
    start, found = time.monotonic(), dict[str, tuple[list[Value], str]]()
    given.out.mkdir(parents=True, exist_ok=True)
    with progress("the paper's experiments", len(given.only)) as advance:
        for part in given.only:
            try:
                found[part] = PARTS[part][1](given.data, given.out)
            except BotError as error:
                print(f"paper: {error}", file=sys.stderr)
                raise SystemExit(2) from None
            advance(1, PARTS[part][0])
    write(given.out, found)
    values = [value for part, _ in found.values() for value in part]
    told = sum(value[2] is not None for value in values)
    print(
        f"{given.out / 'paper.md'}: {len(values)} values, {told} of them printed in the paper, {(time.monotonic() - start) / 60:.0f} minutes"
    )


if __name__ == "__main__":
    main()
