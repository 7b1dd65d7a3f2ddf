"""The paper's experiments on recognition, honestly repeated: search, classification and clustering, similarity maps, centroid distances.

Queries are JSON lines with "tex", a "label" (or "name") and gold items, and for the encodings by hand "content" and "constituent_qids".

    python benchmarks/paper_tables.py [--data DIR | --queries F --items F [--ranks F]] [--figures DIR] [--json | --markdown]
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import numpy as np
import paper_printed as printed
import paper_search as search
import paper_vectors as vectors
from command import arguments
from numpy.typing import NDArray

from bot.console import progress, read_lines, table, write_json
from bot.errors import BotError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SLOWER = 4  # Doc2Vec takes ten times as long: it gets a quarter of the seeds and choices, and its deviation tells whether that is enough
PARTS = ("search", "separation", "similarity")
UNITS = {"TF-IDF": "cosine (0 to 1)", "Doc2Vec": "cosine (0 to 1)", "fuzzy": "partial ratio of the strings (0 to 1)"}
DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
Row = Mapping[str, Any]
Table = tuple[str, Sequence[str], Sequence[Sequence[Any]]]


def label(row: Row) -> str:
    return str(row.get("label") or row.get("name") or row.get("qid"))


def searched(items: Sequence[Row], queries: Sequence[Row], ranks: Sequence[Row] | None) -> list[dict[str, Any]]:
    return search.published(ranks) + search.ours(items, queries)


def separated(queries: Sequence[Row], repeats: int, most: int, quiet: bool) -> dict[str, Any]:
    """Return for each encoding and number of classes: accuracy, purities, Rand index, mean and deviation over seeds and choices."""
    labels = np.array([label(row) for row in queries])
    classes = list(dict.fromkeys(labels.tolist()))
    folds = min(10, *Counter(labels.tolist()).values())
    sizes = list(range(3, min(len(classes), 10) + 1))
    sizes += [len(classes)] if len(classes) > 10 else []
    every = vectors.encodings(queries)
    out: dict[str, Any] = {"folds": folds, "repeats": repeats}
    with progress("classification and clustering", len(every) * len(sizes), quiet=quiet) as advance:
        for each in every:
            out[each.name] = {}
            for size in sizes:
                effort = 1 if each.kind == "TF-IDF" else SLOWER
                chosen = vectors.choices(classes, size, max(most // effort, 1))
                seeds = range(max(repeats // effort, 1) if size == len(classes) else 1)
                rows = [np.flatnonzero(np.isin(labels, names)) for names in chosen]
                accuracies = [value for part in rows for value in vectors.classified(each, labels, part, folds, seeds)]
                found = [value for part in rows for value in vectors.clustered(each, labels, part, seeds)]
                out[each.name][size] = {
                    "choices": len(chosen),
                    "seeds": len(seeds),
                    **_spread("accuracy", accuracies),
                    **{k: v for name in found[0] for k, v in _spread(name, [one[name] for one in found]).items()},
                }
                if size < len(classes):
                    apart = [vectors.inductive(each, labels, part) for part in rows]
                    out[each.name][size]["inductive"] = {k: round(float(np.mean([one[k] for one in apart])), 4) for k in apart[0]}  # fmt: skip
                advance(1, f"{each.name}, {size} classes")
    return out


def _spread(name: str, values: Sequence[float]) -> dict[str, float]:
    return {name: round(float(np.mean(values)), 4), f"{name}_sd": round(float(np.std(values)), 4)}


def compared(queries: Sequence[Row], seeds: range) -> tuple[dict[str, Any], dict[str, NDArray[np.float64]]]:
    """Return coherence and centroid distances of each encoding, and the maps they were read from."""
    labels = np.array([label(row) for row in queries])
    three = list(dict.fromkeys(labels.tolist()))[:3]
    thirty = np.flatnonzero(np.isin(labels, three))
    every = vectors.encodings(queries)
    maps = {each.name: vectors.similarities(each) for each in every}
    maps |= {
        each.name.replace(each.kind, "fuzzy"): vectors.fuzzy(each.documents) for each in every if each.kind == "TF-IDF"
    }
    return {
        "coherence": {name: vectors.coherence(found, labels, thirty) for name, found in maps.items()},
        "inductive": {
            each.name: vectors.coherence(vectors.inductive_similarities(each, labels), labels, thirty) for each in every
        },
        "centroids": {
            each.name: vectors.centroids(each, labels, three, seeds)
            | {"inductive": vectors.centroids(each, labels, three, seeds, inductive=True)}
            for each in every
        },
        "of_thirty": next(
            vectors.of_thirty(each, labels, thirty, seeds) for each in every if each.name == "content TF-IDF"
        ),
    }, maps


# -- figures -------------------------------------------------------------------------------------------------------------
def draw(
    folder: Path, queries: Sequence[Row], maps: Mapping[str, NDArray[np.float64]], separation: Mapping[str, Any] | None
) -> None:
    """Write the figures as SVG."""
    from charts import Panel, heat_maps, save

    folder.mkdir(parents=True, exist_ok=True)
    labels = np.array([label(row) for row in queries])
    classes = list(dict.fromkeys(labels.tolist()))
    order = np.argsort([classes.index(name) for name in labels], kind="stable")
    for kind, unit in UNITS.items():
        pair = {
            name: found
            for name, found in maps.items()
            if name.endswith(kind) and name.startswith(("content", "semantics"))
        }
        slug = kind.lower().replace("-", "")
        panels = [Panel(_titled(name), found[np.ix_(order, order)], classes) for name, found in pair.items()]
        axis = "equation, by class"
        save(
            heat_maps(f"Similarity of equations, {kind}", panels, unit=unit, axis=axis),
            folder / f"equations_{slug}.svg",
        )
        means = {name: vectors.by_class(found, labels, classes) for name, found in pair.items()}
        panels = [Panel(_titled(name), found, classes, 0, float(found.max())) for name, found in means.items()]
        drawn = heat_maps(f"Mean similarity of classes, {kind}", panels, unit=f"mean {unit}", numbers=True)
        save(drawn, folder / f"classes_{slug}.svg")
    far = []
    for each in vectors.encodings(queries):
        if each.name in ("content TF-IDF", "semantics TF-IDF"):
            found = vectors.centroid_distances(each.vectors(np.arange(len(labels))), labels, classes)
            apart = found[~np.eye(len(classes), dtype=bool)]
            far.append(Panel(_titled(each.name), found, classes, float(apart.min()), float(apart.max())))
    unit = "Euclidean distance (vectors of length 1)"
    drawn = heat_maps("Distance of the classes' centroids, TF-IDF", far, unit=unit, numbers=True)
    save(drawn, folder / "centroids.svg")
    if separation:
        save(_by_classes(separation), folder / "separation.svg")


def _titled(name: str) -> str:
    titles = {"content": "Content: from the TeX", "semantics": "Semantics: items of the constituents"}
    return titles[name.split()[0]]


def _by_classes(separation: Mapping[str, Any]) -> Figure:
    from charts import line_charts

    shown = [name for name in separation if name.startswith(("content", "semantics"))]
    charts: dict[str, dict[str, dict[int, float]]] = {"Accuracy of the SVM": {}, "Purity by cluster (the paper's)": {}}
    for chart, figure, column in zip(charts, ("accuracy", "purity_by_cluster"), (0, 1), strict=True):
        for name in shown:
            charts[chart][name] = {size: row[figure] for size, row in separation[name].items()}
        charts[chart]["content TF-IDF, as printed"] = {
            size: row[column] for size, row in printed.SEPARATION["content TF-IDF"].items()
        }
    dashed = ("content TF-IDF, as printed",)
    return line_charts(
        "From three to ten classes", charts, low=0.5, below="classes", left="share (0 to 1)", dashed=dashed
    )


# -- tables --------------------------------------------------------------------------------------------------------------
def tables(found: Mapping[str, Any]) -> list[Table]:
    """Return what was found beside what is printed and what a strict reading leaves of that; – where there is nothing."""
    out: list[Table] = []
    if "search" in found:
        out.append(_search_table(found["search"]))
    if "separation" in found:
        out += _separation_tables(found["separation"])
    if "similarity" in found:
        out += _similarity_tables(found["similarity"])
    return out


def _cell(value: object) -> str:
    return (
        "–"
        if value is None
        else f"{value:.2f}".removeprefix("0")
        if isinstance(value, float) and value < 1
        else f"{value:.2f}"
    )


def _mean(row: Row, name: str) -> str:
    return f"{row[name]:.3f} ± {row[name + '_sd']:.3f}".replace("0.", ".")


def _search_table(rows: Sequence[Row]) -> Table:
    columns = (
        "source",
        "printed top-1 / top-10",
        "printed MRR (of found)",
        "MRR@10 of all, their ranks",
        "strict top-1 / top-10",
        "strict MRR@10",
    )
    cells = []
    for row in rows:
        told, strict = row.get("printed"), row.get("strict")
        cells.append((
            row["source"],
            f"{_cell(told['top1'])} / {_cell(told['top10'])}" if told else "–",
            _cell(told["mrr_of_found"]) if told else "–",
            _cell(row["all_queries"]["mrr10"]) if "all_queries" in row else "–",
            f"{_cell(strict['top1'])} / {_cell(strict['top10'])}" if strict else "–",
            _cell(strict["mrr10"]) if strict else "–",
        ))  # fmt: skip
    return "Search", columns, cells


def _separation_tables(found: Mapping[str, Any]) -> list[Table]:
    names = [name for name in found if isinstance(found[name], Mapping)]
    most = max(found[names[0]])
    at_most: list[Sequence[str]] = []
    groups: list[Sequence[str]] = []
    for name in names:
        row, told = found[name][most], printed.SEPARATION.get(name, {}).get(most)
        strict = printed.ACCURACY_STRICT.get(name) if most == 10 else None
        at_most.append((name, _cell(told[0]) if told else "–", _cell(strict), _mean(row, "accuracy")))
        groups.append((
            name, _cell(told[1]) if told else "–", _mean(row, "plain_purity_by_cluster"), _mean(row, "plain_purity"),
            _mean(row, "purity_by_cluster"), _mean(row, "purity"), _mean(row, "ari"),
        ))  # fmt: skip
    sizes = list(found[names[0]])
    by_size = [
        (name, figure, *(_cell(round(found[name][size][key], 2)) for size in sizes), *_told(name, column, sizes))
        for name in names for figure, key, column in (("accuracy", "accuracy", 0), ("purity by cluster", "purity_by_cluster", 1), ("ARI", "ari", None))
    ]  # fmt: skip
    return [
        (f"Classification, {most} classes", ("encoding", "printed", "strict", "here"), at_most),
        (
            f"Clustering, {most} classes",
            (
                "encoding",
                "printed purity",
                "k-means: by cluster",
                "standard",
                "spherical: by cluster",
                "standard",
                "ARI",
            ),
            groups,
        ),
        (
            "By number of classes",
            ("encoding", "figure", *map(str, sizes), f"printed {sizes[0]} … {sizes[-1]}"),
            by_size,
        ),
    ]


def _told(name: str, column: int | None, sizes: Sequence[int]) -> tuple[str]:
    told = printed.SEPARATION.get(name, {})
    if column is None or sizes[0] not in told or sizes[-1] not in told:
        return ("–",)
    return (f"{_cell(told[sizes[0]][column])} … {_cell(told[sizes[-1]][column])}",)


def _similarity_tables(found: Mapping[str, Any]) -> list[Table]:
    maps = [
        (name, _cell(row["within"]), _cell(row["between"]), _cell(row["by_sum"]), _cell(row["by_nearest"]), _cell(row["by_sum_of_three"]),
         _cell(printed.FUZZY_OF_THIRTY) if name == "content fuzzy" else "–",
         *(_cell(found["inductive"][name][key]) if name in found["inductive"] else "–" for key in ("by_sum", "by_nearest", "by_sum_of_three")))
        for name, row in found["coherence"].items()
    ]  # fmt: skip
    far = [
        (
            name,
            _cell(printed.CENTROIDS.get(name)),
            _cell(row["two_components"]),
            _cell(row["relative"]),
            _cell(row["inductive"]["two_components"]),
            _cell(row["inductive"]["relative"]),
        )
        for name, row in found["centroids"].items()
    ]
    return [
        (
            "Similarity",
            (
                "map",
                "within a class",
                "between",
                "right by sum",
                "right by nearest",
                "three classes, by sum",
                "printed",
                "inductive: by sum",
                "by nearest",
                "three classes",
            ),
            maps,
        ),
        (
            "Centroid distances, three classes",
            ("encoding", "printed", "two components", "relative to width", "inductive: two components", "relative"),
            far,
        ),
    ]


def show(every: Sequence[Table], markdown: bool) -> None:
    for title, columns, rows in every:
        if not markdown:
            table(title, columns, rows)
            continue
        lines = [columns, ["---"] * len(columns), *rows]
        print(f"\n### {title}\n", *("| " + " | ".join(map(str, line)) + " |" for line in lines), sep="\n")


# -- the command ---------------------------------------------------------------------------------------------------------
def measured(given: argparse.Namespace) -> dict[str, Any]:
    """Read the data and run what was asked for; raises ItemsError where the data is not."""
    queries = list(read_lines(given.queries or given.data / "recognition/paper_100.jsonl", {"tex": str}))
    items = (
        list(read_lines(given.items or given.data / "wikidata/items_2019.jsonl", {"qid": str}))
        if "search" in given.only
        else []
    )
    ranks_file = given.ranks or (given.data / "recognition/paper_ranks100.json" if not given.queries else None)
    ranks = json.loads(ranks_file.read_text(encoding="utf-8")) if ranks_file and ranks_file.exists() else None
    found: dict[str, Any] = {}
    if "search" in given.only:
        found["search"] = searched(items, queries, ranks)
    if "separation" in given.only:
        found["separation"] = separated(queries, given.repeats, given.choices, given.json)
        best = found["separation"]["content TF-IDF"]
        found |= {name: best[max(best)][name] for name in printed.BEST_KNOWN}
        found["best_known"] = printed.BEST_KNOWN
    if "similarity" in given.only:
        found["similarity"], maps = compared(queries, range(5))
        if given.figures:
            draw(given.figures, queries, maps, found.get("separation"))
    return found


def main() -> None:
    parser = arguments(__doc__, "--json")
    parser.add_argument("--data", type=Path, default=DATA, metavar="DIR", help="folder with recognition/ and wikidata/")
    parser.add_argument("--queries", type=Path, metavar="F", help="other equations than the paper's 100")
    parser.add_argument("--items", type=Path, metavar="F")
    parser.add_argument("--ranks", type=Path, metavar="F", help="the authors' own ranks")
    parser.add_argument("--only", nargs="+", choices=PARTS, default=PARTS)
    parser.add_argument(
        "--repeats", type=int, default=20, help="seeds for all classes; Doc2Vec a quarter of them (default 20)"
    )
    parser.add_argument(
        "--choices", type=int, default=16, help="ways to choose fewer classes, one seed each (default 16)"
    )
    parser.add_argument("--figures", type=Path, metavar="DIR", help="write the figures there as SVG")
    parser.add_argument("--markdown", action="store_true", help="print the tables as in docs/paper.md")
    given = parser.parse_args()
    try:
        found = measured(given)
    except BotError as error:
        print(f"paper_tables: {error}", file=sys.stderr)
        raise SystemExit(2) from None
    if given.json:
        write_json(found)
    else:
        show(tables(found), given.markdown)


if __name__ == "__main__":
    main()
