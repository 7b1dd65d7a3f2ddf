"""The paper, whole: every printed value that the released data allow, beside its repetition and beside ours on the same data, in the order of the paper.

Writes paper.md, values.csv, values.json and figures/ into `--out`. Each stage keeps its result in stages/ and is not run again as long as program and data
are the same. Seeds, hash seed, threads and the processor's instructions are fixed: two runs write the same bytes.

    python benchmarks/paper.py --data DIR [--out DIR] [--only discovery challenges search classes similarity learning] [--fresh]
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import platform
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from paper_printed import PRINTED, SECTIONS, Value, lost, printed

FIXED = {"PYTHONHASHSEED": "0", "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
# Sums come out otherwise with other instructions: those that every machine since 2013 has.
FIXED_X86 = {"OPENBLAS_CORETYPE": "Haswell", "NPY_DISABLE_CPU_FEATURES": "X86_V4 AVX512_ICL AVX512_SPR"}
ROOT = Path(__file__).resolve().parents[1]
CORPORA = tuple(
    f"corpora/{name}"
    for name in (
        "openstax_university_physics_v1_v2",
        "wikitext_physics_a",
        "ntcir11_wikipedia_pages_a",
        "latexml_star_formation_a_ch01_11",
        "wikitext_enwikimath_sample",
    )
)
ITEMS, EQUATIONS = "wikidata/items_2019.jsonl", "recognition/paper_100.jsonl"
LIBRARIES = ("gensim", "matplotlib", "numpy", "rapidfuzz", "scikit-learn", "scipy")
PRINTED_ENCODINGS = ("content TF-IDF", "content Doc2Vec", "semantics TF-IDF", "semantics Doc2Vec")
COLUMNS = ("section", "code", "what", "printed", "repeated", "ours", "inductive", "remark")
Result = tuple[list[Value], str]  # the values, and tables and figures as Markdown


def fixed_environment() -> dict[str, str]:
    """Return the environment with hashes, threads and instructions fixed: Doc2Vec seeds its vectors by the hash of a word."""
    return {**os.environ, **FIXED, **(FIXED_X86 if platform.machine() == "x86_64" else {})}


# -- the stages ----------------------------------------------------------------------------------------------------------------
def discovered(data: Path, out: Path) -> Result:
    import paper_discovery

    values, _ = paper_discovery.everything(data)
    return values, "### The fifty samples\n\n" + _markdown(*fifty_samples(values))


def fifty_samples(values: Iterable[Value]) -> tuple[Sequence[str], list[Sequence[object]]]:
    """Return a line for each sample of the table of discovery: printed, repeated and ours."""
    at = {value.code: value for value in values if value.code.startswith("samples.")}
    numbers = sorted({int(code.split(".")[1]) for code in at})
    encodings = ("math2vec", "math tf-idf", "semantics2vec", "semantics tf-idf")

    def each(nr: int, names: Sequence[str], column: str) -> str:
        rows = [at[f"samples.{nr}.{name}"].row()[column] for name in names]
        return "–" if None in rows else " / ".join(_cell(row).replace(".000", "0").replace("1.00", "1") if isinstance(row, float) else str(row) for row in rows)  # fmt: skip

    columns = (
        "nr", "formula", "d / D printed", "equal strings", "equal canonical keys", "name printed", "ours", "item printed", "ours",
        "shares printed: math2vec, math tf-idf, semantics2vec, semantics tf-idf", "repeated", "ours", "example printed", "ours",
    )  # fmt: skip
    lines: list[Sequence[object]] = []
    for nr in numbers:
        sizes = [each(nr, ("d", "D"), column) for column in ("printed", "repeated", "ours")]
        named = [each(nr, (name,), column) for name in ("name", "qid") for column in ("printed", "ours")]
        shares = [each(nr, [f"share.{name}" for name in encodings], column) for column in ("printed", "repeated", "ours")]  # fmt: skip
        example = at[f"samples.{nr}.example"]
        theirs = "N/A" if printed(example.code) == "N/A" else _code(printed(example.code))
        lines.append((nr, _code(example.what), *sizes, *named, *shares, theirs, example.ours))
    return columns, lines


def challenged(data: Path, out: Path) -> Result:
    import paper_challenges

    rows = paper_challenges.answered(paper_challenges.read_lines(paper_challenges.PAIRS, paper_challenges.FIELDS))
    numbers = {row["challenge"] for row in rows}
    right = paper_challenges.counted(rows, "judged_with_list")["right"]
    values = [
        Value("challenges.number", "challenges", len(numbers), remark=f"{len(rows)} pairs of the paper's own equations, {right} right"),
        Value("challenges.per_example", "challenges by example (three of them)", round(len(numbers) / 3, 1)),
    ]  # fmt: skip
    for n, row in enumerate(rows, 1):
        what = f"{row['challenge']} {row['what']}: {row['where']}"
        remark = f"{row['note_with_list']}; by mathematics alone: {row['judged']}"
        values.append(Value(f"challenges.pair.{n}", what, None, row["judged_with_list"], None, remark))
    return values, paper_challenges.markdown(rows)


def _tables(data: Path, out: Path, part: str, search: Sequence[Mapping[str, Any]] = ()) -> tuple[dict[str, Any], str]:
    import paper_tables

    given = argparse.Namespace(
        data=data, queries=None, items=None, ranks=None, only=(part,), repeats=20, choices=16, json=False, figures=out / "figures"
    )  # fmt: skip
    found = paper_tables.measured(given)
    for row in found.get("search", ()):
        row |= next((each for each in search if each["source"] == row["source"]), {})
    texts = [f"### {title}\n\n" + _markdown(columns, cells) for title, columns, cells in paper_tables.tables(found)]
    return found, "\n\n".join(texts)


def searched(data: Path, out: Path) -> Result:
    import paper_inductive
    import paper_search

    from bot.console import read_lines

    queries, items = list(read_lines(data / EQUATIONS, {"tex": str})), list(read_lines(data / ITEMS, {"qid": str}))
    others = [data / EQUATIONS, data / "recognition/variants_dev.jsonl"]
    apart = paper_inductive.held_out(items, queries, others, data / "recognition/negatives_dev.jsonl")
    inductive = [{"source": name, "inductive": paper_search.scored(queries, found)} for name, found in apart.items()]
    found, text = _tables(data, out, "search", inductive)
    values = []
    for row in found["search"]:
        again, ours, unseen = (row.get(name) or {} for name in ("all_queries", "strict", "inductive"))
        told = row.get("printed")
        remark = ", ".join(f"{name} {ours[name]}" for name in ours if told)
        for name, what in (("mrr", "MRR of what is found"), ("mr", "mean rank of what is found"), ("top10", "top 10"), ("top1", "top 1"), ("mrr10", "MRR of all")):  # fmt: skip
            strict = None if told else ours.get(name)
            if again.get(name) is not None or strict is not None:
                values.append(
                    Value(f"search.{row['source']}.{name}", f"{row['source']}, {what}", again.get(name), strict, unseen.get(name), f"read strictly: {remark}" if remark else "")
                )  # fmt: skip
    values += _classes_of_data(queries)
    return values, text


def _classes_of_data(queries: Sequence[Mapping[str, Any]]) -> list[Value]:
    """Return each class's item, and how many meanings a constituent has on average."""
    items = {row["label"]: row["gold_qids"][0] for row in queries}
    meanings: dict[str, set[str]] = {}
    for row in queries:
        if len(row["content"]) == len(row["constituent_qids"]):
            for sign, item in zip(row["content"], row["constituent_qids"], strict=True):
                meanings.setdefault(sign, set()).add(item)
    mean = round(sum(map(len, meanings.values())) / max(len(meanings), 1), 2)
    return [
        *(Value(f"data.item.{label}", f"item of {label}", qid, remark="repeated: of the released equations") for label, qid in items.items()),
        Value("data.annotations", "meanings of a constituent, on average", mean, remark="of the released equations that have an item for each constituent; the paper's source has 1.6 in a comment"),
    ]  # fmt: skip


def separated(data: Path, out: Path) -> Result:
    from math import comb

    found, text = _tables(data, out, "separation")
    values = []
    rows = {name: sizes for name, sizes in found["separation"].items() if isinstance(sizes, Mapping)}
    sizes = list(next(iter(rows.values())))
    for name, row in rows.items():
        for figure, measured in (("accuracy", "accuracy"), ("purity", "purity_by_cluster")):
            columns: dict[str, list[float]] = {"repeated": [], "ours": [], "inductive": []}
            for size in sizes:
                one = {"repeated": row[size].get("repeated", {}).get(measured), "ours": row[size][measured], "inductive": row[size].get("inductive", {}).get(measured)}  # fmt: skip
                for column, value in one.items():
                    columns[column] += [] if value is None else [value]
                remark = "" if size < sizes[-1] else "no other class to fit to"
                values.append(Value(f"classes.{name}.{size}.{figure}", f"{name}, {size} classes, {figure}", **one, remark=remark))  # fmt: skip
            means = {column: round(sum(part) / len(part), 4) if part else None for column, part in columns.items()}
            values.append(Value(f"classes.{name}.mean.{figure}", f"{name}, {figure}, mean", **means))
    both = [value for value in values if value.code.endswith("TF-IDF.mean.accuracy") and value.repeated is not None]
    stable = {column: round(sum(getattr(value, column) for value in both) / len(both), 4) for column in ("repeated", "ours", "inductive")}  # fmt: skip
    values.append(Value("classes.stable", "TF-IDF, accuracy, mean of content and semantics", **stable))
    counts = [comb(sizes[-1], size) for size in sizes]
    values += [
        Value(f"classes.choices.{size}", f"choices of {size} classes", number, rows["content TF-IDF"][size]["choices"], None, "ours: a fixed sample; a quarter of it for Doc2Vec")
        for size, number in zip(sizes, counts, strict=True)
    ]  # fmt: skip
    values.append(Value("classes.choices.total", "choices in all", sum(counts), remark="the sum of the printed column"))
    return values, text + "\n\n![separation](figures/separation.svg)"


def likened(data: Path, out: Path) -> Result:
    found, text = _tables(data, out, "similarity")
    part = found["similarity"]
    of, values = part["of_thirty"], []
    for name, row in part["thirty"].items():
        for figure, measured in (("accuracy", "accuracy"), ("purity", "purity_by_cluster"), ("mixed", "mixed")):
            what = {"accuracy": "accuracy", "purity": "purity", "mixed": "equations outside the most frequent class of their cluster"}[figure]  # fmt: skip
            values.append(Value(f"thirty.{figure}.{name}", f"{name}, {what}", row["repeated"][measured], row["spherical"][measured], row["inductive"][measured]))  # fmt: skip
    values += [
        Value("thirty.kmeans", "of thirty in three classes, k-means on content TF-IDF", round(30 - part["thirty"]["content TF-IDF"]["repeated"]["mixed"], 1), of["spherical"], of["inductive"], "equations of the most frequent class of their cluster"),
        Value("thirty.fuzzy", "of thirty in three classes, highest sum of partial ratios", round(30 * part["coherence"]["content fuzzy"]["by_sum_of_three"], 1), remark="no fit; each equation is compared with the others"),
        Value("thirty.random", "of thirty in three classes, drawn at random", of["random"], remark="mean of 200 draws; the paper has one"),
        Value("similarity.mean", "mean similarity of two equations, content TF-IDF", part["mean_repeated"], part["coherence"]["content TF-IDF"]["mean"], None, "without comparing an equation with itself"),
    ]  # fmt: skip
    for name, row in part["centroids"].items():
        values.append(Value(f"thirty.centroids.{name}", f"{name}, distance of centroids", row["two_components"], row["relative"], row["inductive"]["relative"], f"repeated: on two components, inductive {row['inductive']['two_components']:.2f}; ours: divided by the width of a class"))  # fmt: skip
    for name, row in part["coherence"].items():
        apart = part["inductive"].get(name, row if "fuzzy" in name else {})  # strings are compared without any fit
        for figure, what in (("by_sum_of_three", "three classes right by sum"), ("by_sum", "ten classes right by sum"), ("by_nearest", "ten classes right by nearest")):  # fmt: skip
            values.append(Value(f"similarity.{figure}.{name}", f"{name}, {what}", None, row[figure], apart[figure]))
    names = ("equations_tfidf", "equations_doc2vec", "equations_fuzzy", "classes_tfidf", "classes_doc2vec", "classes_fuzzy", "centroids", "planes", "matches", "sorted")  # fmt: skip
    names += ("unlabelled",) if (data / STAGES["similarity"].data[1]).exists() else ()
    return values, text + "\n\n" + "\n".join(f"![{name}](figures/{name}.svg)" for name in names)


def learnt(data: Path, out: Path) -> Result:
    import active_learning as learning
    from acceptance import evidence, settings_for
    from rediscovery import opened

    from bot.console import read_lines

    rows = list(read_lines(data / ITEMS, {"qid": str}))
    gold = list(read_lines(data / "labelled/acceptability_dev.jsonl", {"qid": str, "tex": str}))
    with opened(None) as workspace:
        seen = evidence(workspace, [str(data / name) for name in CORPORA], rows, settings_for(True), quiet=False)
        asked = learning.questions(seen, gold, workspace)
    found = learning.measured(asked)
    (out / "figures").mkdir(parents=True, exist_ok=True)
    learning.draw(found, out / "figures/active_learning.svg")
    remark = f"the smallest possible value is {found['best_possible']}"
    values = [Value("learning.pairs", "decisions, weighted", None, found["pairs"], None, f"{found['acceptable']} are acceptable")]  # fmt: skip
    for name in learning.ORDERS:
        what = f"until {learning.SHARE:.0%} of the acceptable pairs are accepted, {name}"
        values += [
            Value(f"learning.decisions.{name}", f"decisions {what}", None, found["decisions"][name]),
            Value(f"learning.beside.{name}", f"relative to random order, {what}", None, found["beside_random"][name], None, remark),
        ]  # fmt: skip
    return values, "![Accepted formulas against decisions](figures/active_learning.svg)"


class Stage(NamedTuple):
    """A part of the paper: its heading, how it is run, and which data it reads."""

    title: str
    run: Callable[[Path, Path], Result]
    data: Sequence[str]


STAGES = {
    "discovery": Stage("Formula Concept Discovery", discovered, ("discovery", ITEMS, "corpora/latexml_star_formation_a_ch01_11", "corpora/latexml_arxiv_real_a")),
    "challenges": Stage("The thirteen challenges", challenged, ()),
    "search": Stage("Formula Concept Recognition: search", searched, (EQUATIONS, ITEMS, "recognition/paper_ranks100.json", "recognition/variants_dev.jsonl", "recognition/negatives_dev.jsonl")),
    "classes": Stage("Formula Concept Recognition: classification and clustering", separated, (EQUATIONS,)),
    "similarity": Stage("Formula Concept Recognition: similarity", likened, (EQUATIONS, "discovery/astro_3495.jsonl")),
    "learning": Stage("Discovery by recognition", learnt, (ITEMS, "labelled/acceptability_dev.jsonl", *CORPORA)),
}  # fmt: skip


# -- kept results --------------------------------------------------------------------------------------------------------------
def digest(data: Path, names: Iterable[str]) -> str:
    """Return the state of program, libraries and data that a stage depends on."""
    found = sha256("".join(f"{name} {version(name)}\n" for name in LIBRARIES).encode())
    code = [*ROOT.glob("bot/**/*"), *ROOT.glob("benchmarks/*"), ROOT / "tests/quality/challenges.jsonl"]
    given = [path for name in names for path in ((data / name).rglob("*") if (data / name).is_dir() else [data / name])]
    for path in sorted(path for path in code if path.is_file() and "__pycache__" not in path.parts) + sorted(given):
        if path.is_file():
            found.update(path.name.encode() + b"\0" + path.read_bytes())
    return found.hexdigest()


def stage_result(name: str, data: Path, out: Path, fresh: bool) -> Result:
    """Return what a stage gives: kept where program and data are the same and its figures are there, else run and kept."""
    stage, kept = STAGES[name], out / "stages" / f"{name}.json"
    state = digest(data, stage.data)
    if kept.exists() and not fresh:
        row = json.loads(kept.read_text(encoding="utf-8"))
        if row["state"] == state and all((out / "figures" / figure).exists() for figure in row["figures"]):
            return [Value(*value) for value in row["values"]], row["text"]
    values, text = stage.run(data, out)
    figures = [part.split(")")[0] for part in text.split("](figures/")[1:]]
    if missing := [figure for figure in figures if not (out / "figures" / figure).exists()]:
        raise FileNotFoundError(f"{name} names figures that it did not draw: {', '.join(missing)}")
    kept.parent.mkdir(parents=True, exist_ok=True)
    row = {"state": state, "figures": figures, "values": values, "text": text}
    kept.with_suffix(".new").write_text(json.dumps(row, ensure_ascii=False), encoding="utf-8")
    kept.with_suffix(".new").replace(kept)
    return values, text


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


def _code(tex: object) -> str:
    return "`" + str(tex).replace("|", "&#124;") + "`"


def write(out: Path, found: Mapping[str, Result]) -> None:
    """Write the values as CSV and JSON (with those that are printed and not repeated), and everything as one page."""
    out.mkdir(parents=True, exist_ok=True)
    values = [value for part, _ in found.values() for value in part]
    rows = [value.row() for value in values]
    left = {code: row for code, row in PRINTED.items() if row.reason}
    rows += [Value(code, row.where, remark=f"not repeated: {row.reason}").row() for code, row in left.items()]
    with (out / "values.csv").open("w", encoding="utf-8", newline="") as file:
        table = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        table.writeheader()
        table.writerows(rows)
    (out / "values.json").write_text(json.dumps(rows, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    page = [
        "# The paper, repeated",
        "Printed, repeated from the released data or by the method of the paper, and ours on the same data; *inductive*: ours by what has not seen the classes measured. "
        "A dash: there is no such value. Every value, those of the fifty samples too, is in `values.csv`.",
    ]
    for name, (part, text) in found.items():
        page += [f"## {STAGES[name].title}", values_table(part), text]
    if by_constituents := semantic_encoding(values):
        columns = ("encoding, TF-IDF", "by", "accuracy", "right by sum", "right by nearest", "by sum, class not seen", "by nearest, class not seen")  # fmt: skip
        page += ["## Semantic encoding by constituents", _markdown(columns, by_constituents)]
    page += ["## Printed and not repeated", _markdown(("section", "values", "printed", "reason"), not_repeated())]
    (out / "paper.md").write_text("\n\n".join(page) + "\n", encoding="utf-8")


def values_table(values: Iterable[Value]) -> str:
    """Return the values as a table, without columns that are empty throughout; those of the fifty samples have a table of their own."""
    rows = [value.row() for value in values if not value.code.startswith("samples.")]
    empty = {name for name in ("repeated", "inductive", "remark") if all(row[name] in (None, "") for row in rows)}
    shown = [name for name in COLUMNS if name not in {"section", "code", *empty}]
    return _markdown(shown, [[row[name] for name in shown] for row in rows])


def semantic_encoding(values: Iterable[Value]) -> list[Sequence[object]]:
    """Return what constituents obtained automatically are worth beside those that were listed by hand."""
    at = {value.code: value for value in values}
    made = {"constituents": "the authors", "semantics": "the authors, items", "automatic": "`bot.match.symbols`", "content": "the TeX alone, no meanings"}  # fmt: skip
    lines: list[Sequence[object]] = []
    for name, by in made.items():
        codes = [f"{part}.{name} TF-IDF{end}" for part, end in (("classes", ".10.accuracy"), ("similarity.by_sum", ""), ("similarity.by_nearest", ""))]  # fmt: skip
        if all(code in at for code in codes):
            lines.append((name, by, *(at[code].ours for code in codes), *(at[code].inductive for code in codes[1:])))
    return lines


def not_repeated() -> list[Sequence[object]]:
    """Return what is printed and not repeated: a line for each reason in each part of the paper."""
    groups: dict[tuple[str, str], list[str]] = {}
    for code, row in PRINTED.items():
        if row.reason:
            groups.setdefault((SECTIONS[code.split(".")[0]], row.reason), []).append(code)
    return [
        (section, len(codes), ", ".join(str(printed(code)) for code in codes[:5]) + (" …" if len(codes) > 5 else ""), reason)
        for (section, reason), codes in groups.items()
    ]  # fmt: skip


def main() -> None:
    if os.environ != (fixed := fixed_environment()):
        os.execve(sys.executable, [sys.executable, *sys.argv], fixed)
    from command import arguments

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
    parser.add_argument("--only", nargs="+", choices=STAGES, default=list(STAGES))
    parser.add_argument("--fresh", action="store_true", help="run every stage, whatever is kept")
    given = parser.parse_args()
    start, found = time.monotonic(), dict[str, Result]()
    given.out.mkdir(parents=True, exist_ok=True)
    for n, name in enumerate(given.only, 1):
        print(f"[{n}/{len(given.only)}] {STAGES[name].title}", file=sys.stderr, flush=True)
        before = time.monotonic()
        try:
            found[name] = stage_result(name, given.data.resolve(), given.out.resolve(), given.fresh)
        except BotError as error:
            print(f"paper: {error}", file=sys.stderr)
            raise SystemExit(2) from None
        print(f"    {len(found[name][0])} values, {time.monotonic() - before:.0f} s", file=sys.stderr, flush=True)
    write(given.out, found)
    values = [value for part, _ in found.values() for value in part]
    told = sum(value.code in PRINTED for value in values)
    print(
        f"{given.out / 'paper.md'}: {len(values)} values, {told} of them printed in the paper, {(time.monotonic() - start) / 60:.0f} minutes"
    )
    if set(given.only) == set(STAGES) and (missing := lost(value.code for value in values)):
        print(f"paper: printed, without a reason and not repeated: {', '.join(missing)}", file=sys.stderr)
        raise SystemExit(1)


if __name__ == "__main__":
    main()
