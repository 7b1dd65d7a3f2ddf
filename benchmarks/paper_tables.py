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
from random import Random
from typing import TYPE_CHECKING, Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import numpy as np
import paper_search as search
import paper_vectors as vectors
from command import arguments
from numpy.typing import NDArray
from paper_printed import ACCURACY_STRICT, BEST_KNOWN, printed

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
    theirs = listed_by_hand(queries)
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
                    out[each.name][size]["inductive"] = _means(apart)
                if each.name in theirs:
                    again = [vectors.repeated(theirs[each.name], each.kind, labels, part) for part in rows]
                    out[each.name][size]["repeated"] = _means(again)
                advance(1, f"{each.name}, {size} classes")
    return out


def listed_by_hand(queries: Sequence[Row]) -> dict[str, NDArray[Any]]:
    """Return what each of the paper's four encodings was made of: the constituents listed by hand (content), and their items (semantics)."""
    found = {}
    for name, field in (("content", "content"), ("semantics", "constituent_qids")):
        if all(field in row for row in queries):
            documents = np.empty(len(queries), dtype=object)
            documents[:] = [row[field] for row in queries]
            found |= {f"{name} {kind}": documents for kind in ("TF-IDF", "Doc2Vec")}
    return found


def _means(rows: Sequence[Mapping[str, float]]) -> dict[str, float]:
    return {name: round(float(np.mean([row[name] for row in rows])), 4) for name in rows[0]}


def _spread(name: str, values: Sequence[float]) -> dict[str, float]:
    return {name: round(float(np.mean(values)), 4), f"{name}_sd": round(float(np.std(values)), 4)}


def compared(queries: Sequence[Row], seeds: range) -> tuple[dict[str, Any], dict[str, NDArray[np.float64]]]:
    """Return coherence and centroid distances of each encoding, and the maps they were read from."""
    labels = np.array([label(row) for row in queries])
    three = list(dict.fromkeys(labels.tolist()))[:3]
    thirty = np.flatnonzero(np.isin(labels, three))
    every, theirs = vectors.encodings(queries), listed_by_hand(queries)
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
        "thirty": {
            each.name: separated_thirty(each, theirs.get(each.name), labels, thirty, seeds)
            for each in every
            if each.name in theirs
        },
        "mean_repeated": _mean_of_pairs(theirs["content TF-IDF"], "TF-IDF") if theirs else None,
    }, maps


def separated_thirty(
    each: vectors.Encoded, theirs: NDArray[Any], labels: NDArray[Any], thirty: NDArray[Any], seeds: range
) -> dict[str, Any]:
    """Return accuracy, purity by cluster and equations outside their cluster's commonest class, of three classes: repeated, ours, inductive."""
    wanted = labels[thirty]
    folds = min(10, *Counter(wanted.tolist()).values())
    found = {
        name: {
            "purity_by_cluster": float(np.mean([vectors.purity_by_cluster(wanted, one) for one in clusters])),
            "mixed": float(np.mean([len(thirty) * (1 - vectors.purity(wanted, one)) for one in clusters])),
        }
        for name, clusters in vectors.three_clusters(each, labels, thirty, seeds).items()
    }
    again = vectors.repeated(theirs, each.kind, labels, thirty)
    found["repeated"] = again | {"mixed": len(thirty) * (1 - again["purity"])}
    found["spherical"]["accuracy"] = float(np.mean(vectors.classified(each, labels, thirty, folds, seeds[:1])))
    found["inductive"]["accuracy"] = vectors.inductive(each, labels, thirty)["accuracy"]
    return {name: {key: round(value, 4) for key, value in row.items()} for name, row in found.items()}


def _mean_of_pairs(documents: NDArray[Any], kind: str) -> float:
    rows = vectors.normalize(vectors.plainly(documents, kind))
    return round(float((rows @ rows.T)[~np.eye(len(rows), dtype=bool)].mean()), 4)


# -- figures -------------------------------------------------------------------------------------------------------------
def draw(
    folder: Path,
    queries: Sequence[Row],
    maps: Mapping[str, NDArray[np.float64]],
    unlabelled: Sequence[Row] = (),
) -> None:
    """Write the maps as SVG; `unlabelled` are formulas drawn at random."""
    from charts import Panel, heat_maps, save, scatter_plots

    folder.mkdir(parents=True, exist_ok=True)
    labels = np.array([label(row) for row in queries])
    classes = list(dict.fromkeys(labels.tolist()))
    order = np.argsort([classes.index(name) for name in labels], kind="stable")
    axis = "equation, by class"
    for kind, unit in UNITS.items():
        pair = {
            name: found
            for name, found in maps.items()
            if name.endswith(kind) and name.startswith(("content", "semantics"))
        }
        slug = kind.lower().replace("-", "")
        panels = [Panel(_titled(name), found[np.ix_(order, order)], classes) for name, found in pair.items()]
        save(
            heat_maps(f"Similarity of equations, {kind}", panels, unit=unit, axis=axis),
            folder / f"equations_{slug}.svg",
        )
        means = {name: vectors.by_class(found, labels, classes) for name, found in pair.items()}
        panels = [Panel(_titled(name), found, classes, 0, float(found.max())) for name, found in means.items()]
        drawn = heat_maps(f"Mean similarity of classes, {kind}", panels, unit=f"mean {unit}", numbers=True)
        save(drawn, folder / f"classes_{slug}.svg")
    every = {each.name: each for each in vectors.encodings(queries)}
    shown = [each for name, each in every.items() if name in ("content TF-IDF", "semantics TF-IDF")]
    distances = [vectors.centroid_distances(each.vectors(np.arange(len(labels))), labels, classes) for each in shown]
    most = max(float(found.max()) for found in distances)
    far = [Panel(_titled(each.name), found, classes, 0, most) for each, found in zip(shown, distances, strict=True)]
    unit = "Euclidean distance (vectors of length 1)"
    drawn = heat_maps("Distance of the classes' centroids, TF-IDF", far, unit=unit, numbers=True)
    save(drawn, folder / "centroids.svg")
    whole = maps["content TF-IDF"]
    by_mean = np.argsort(-np.round(whole.mean(axis=1), 9), kind="stable")
    means = vectors.by_class(whole, labels, classes)
    best = np.argsort(-np.round(means.mean(axis=1), 9), kind="stable")
    panels = [
        Panel("Equations", whole[np.ix_(by_mean, by_mean)], ()),
        Panel("Classes, mean similarity", means[np.ix_(best, best)], [classes[n] for n in best], 0, float(means.max())),
    ]  # fmt: skip
    save(
        heat_maps("Sorted similarity, content TF-IDF", panels, unit="cosine", axis="the most alike first"),
        folder / "sorted.svg",
    )
    if "semantics TF-IDF" in every:
        first = np.flatnonzero(np.isin(labels, classes[:3]))
        items = vectors.common(every["semantics TF-IDF"].documents[first])
        panels = [
            Panel(
                "Strings: partial ratio",
                maps["content fuzzy"][np.ix_(first, first)],
                classes[:3],
                unit="ratio (0 to 1)",
            ),
            Panel("Items that two equations share", items, classes[:3], 0, float(items.max())),
        ]
        title = "Thirty equations of three classes: strings and items"
        save(heat_maps(title, panels, unit="number of items", axis=axis), folder / "matches.svg")
    save(_on_planes(scatter_plots, every, labels, classes[:3]), folder / "planes.svg")
    if unlabelled:
        drawn_at_random = vectors.encodings([{"tex": row["tex"]} for row in unlabelled])
        panels = []
        for each in drawn_at_random[:2]:
            panels += [
                Panel(f"{each.kind}, drawn at random", vectors.similarities(each), ()),
                Panel(f"{each.kind}, labelled", maps[each.name][np.ix_(order, order)], classes),
            ]
        titles = "Unlabelled formulas drawn at random, and the labelled equations"
        save(heat_maps(titles, panels, unit="cosine (0 to 1)", axis="equation", columns=2), folder / "unlabelled.svg")


def draw_separation(folder: Path, separation: Mapping[str, Any]) -> None:
    """Write the chart of accuracy and purity by number of classes."""
    from charts import save

    folder.mkdir(parents=True, exist_ok=True)
    save(_by_classes(separation), folder / "separation.svg")


def _on_planes(
    scatter_plots: Any, every: Mapping[str, vectors.Encoded], labels: NDArray[Any], classes: Sequence[str]
) -> Figure:
    """Draw the equations of the first classes in each of the paper's encodings, by class and by k-means cluster."""
    chosen = np.flatnonzero(np.isin(labels, classes))
    planes = {}
    for name, each in every.items():
        if name.startswith(("content", "semantics")):
            points = vectors.on_a_plane(each.vectors(chosen))
            [clusters] = vectors.three_clusters(each, labels, chosen, range(1))["plain"]
            planes[name] = (points, labels[chosen], clusters)
    return scatter_plots("Three classes on two principal components", planes)  # type: ignore[no-any-return]


def _titled(name: str) -> str:
    titles = {"content": "Content: from the TeX", "semantics": "Semantics: items of the constituents"}
    return titles[name.split()[0]]


def _by_classes(separation: Mapping[str, Any]) -> Figure:
    from charts import line_charts

    shown = [name for name in separation if name.startswith(("content", "semantics"))]
    charts: dict[str, dict[str, dict[int, float]]] = {"Accuracy of the SVM": {}, "Purity by cluster (the paper's)": {}}
    for chart, figure, column in zip(charts, ("accuracy", "purity_by_cluster"), ("accuracy", "purity"), strict=True):
        for name in shown:
            charts[chart][name] = {size: row[figure] for size, row in separation[name].items()}
        told = {size: printed(f"classes.content TF-IDF.{size}.{column}") for size in separation["content TF-IDF"]}
        charts[chart]["content TF-IDF, as printed"] = {size: value for size, value in told.items() if value}
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
        "printed MRR, MR (of found)",
        "their ranks: MRR, MR",
        "MRR@10 of all, their ranks",
        "strict top-1 / top-10",
        "strict MRR@10",
        "MRR, MR of found",
        "inductive top-1 / top-10",
    )
    cells = []
    for row in rows:
        told, again, strict, apart = (row.get(name) or {} for name in ("printed", "all_queries", "strict", "inductive"))
        cells.append((
            row["source"], _two(told, "top1", "top10", " / "), _two(told, "mrr", "mr"), _two(again, "mrr", "mr"), _cell(again.get("mrr10")),
            _two(strict, "top1", "top10", " / "), _cell(strict.get("mrr10")), _two(strict, "mrr", "mr"), _two(apart, "top1", "top10", " / "),
        ))  # fmt: skip
    return "Search", columns, cells


def _two(row: Row, one: str, other: str, between: str = ", ") -> str:
    return f"{_cell(row[one])}{between}{_cell(row[other])}" if row.get(one) is not None else "–"


def _separation_tables(found: Mapping[str, Any]) -> list[Table]:
    names = [name for name in found if isinstance(found[name], Mapping)]
    most = max(found[names[0]])
    at_most: list[Sequence[str]] = []
    groups: list[Sequence[str]] = []
    for name in names:
        row, told = found[name][most], f"classes.{name}.{most}"
        strict = ACCURACY_STRICT.get(name) if most == 10 else None
        again = row.get("repeated", {})
        at_most.append((name, _cell(printed(f"{told}.accuracy")), _cell(strict), _cell(again.get("accuracy")), _mean(row, "accuracy")))  # fmt: skip
        groups.append((
            name, _cell(printed(f"{told}.purity")), _cell(again.get("purity_by_cluster")), _mean(row, "plain_purity_by_cluster"), _mean(row, "plain_purity"),
            _mean(row, "purity_by_cluster"), _mean(row, "purity"), _mean(row, "ari"),
        ))  # fmt: skip
    sizes = list(found[names[0]])
    by_size = [
        (name, figure, *(_cell(round(found[name][size][key], 2)) for size in sizes), _told(name, told, sizes))
        for name in names for figure, key, told in (("accuracy", "accuracy", "accuracy"), ("purity by cluster", "purity_by_cluster", "purity"), ("ARI", "ari", "ari"))
    ]  # fmt: skip
    return [
        (f"Classification, {most} classes", ("encoding", "printed", "strict", "repeated", "here"), at_most),
        (
            f"Clustering, {most} classes",
            (
                "encoding",
                "printed purity",
                "repeated",
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


def _told(name: str, figure: str, sizes: Sequence[int]) -> str:
    first, last = (printed(f"classes.{name}.{size}.{figure}") for size in (sizes[0], sizes[-1]))
    return "–" if first is None or last is None else f"{_cell(first)} … {_cell(last)}"


def _similarity_tables(found: Mapping[str, Any]) -> list[Table]:
    maps = [
        (name, _cell(row["within"]), _cell(row["between"]), _cell(row["by_sum"]), _cell(row["by_nearest"]), _cell(row["by_sum_of_three"]),
         _cell(int(printed("thirty.fuzzy") or 0) / 30) if name == "content fuzzy" else "–",
         *(_cell(found["inductive"][name][key]) if name in found["inductive"] else "–" for key in ("by_sum", "by_nearest", "by_sum_of_three")))
        for name, row in found["coherence"].items()
    ]  # fmt: skip
    far = [
        (
            name,
            _cell(printed(f"thirty.centroids.{name}")),
            _cell(row["two_components"]),
            _cell(row["relative"]),
            _cell(row["inductive"]["two_components"]),
            _cell(row["inductive"]["relative"]),
        )
        for name, row in found["centroids"].items()
    ]
    thirty = [
        (name, *(_cell(value) for figure, key in (("purity", "purity_by_cluster"), ("accuracy", "accuracy")) for value in (printed(f"thirty.{figure}.{name}"), *(row[part][key] for part in ("repeated", "spherical", "inductive")))),
         *(_cell(row[part]["mixed"]) for part in ("repeated", "spherical")))
        for name, row in found["thirty"].items()
    ]  # fmt: skip
    again = 30 - found["thirty"]["content TF-IDF"]["repeated"]["mixed"] if found["thirty"] else None
    of, fuzzy = found["of_thirty"], 30 * found["coherence"].get("content fuzzy", {}).get("by_sum_of_three", 0.0)
    right = [
        ("k-means on content TF-IDF", _cell(printed("thirty.kmeans")), *map(_cell, (again, of["spherical"], of["inductive"]))),
        ("highest sum of partial ratios", _cell(printed("thirty.fuzzy")), _cell(fuzzy), "–", "–"),
        ("drawn at random, mean of 200", _cell(printed("thirty.random")), _cell(of["random"]), "–", "–"),
    ]  # fmt: skip
    each = ("repeated", "ours", "inductive")
    return [
        (
            "Thirty equations in three classes",
            ("encoding", "printed purity", *each, "printed accuracy", *each, "outside their class, repeated", "ours"),
            thirty,
        ),
        ("Right of thirty", ("method", "printed", "repeated", "on the sphere", "inductive"), right),
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
        if given.figures:
            draw_separation(given.figures, found["separation"])
        best = found["separation"]["content TF-IDF"]
        found |= {name: best[max(best)][name] for name in BEST_KNOWN}
        found["best_known"] = BEST_KNOWN
    if "similarity" in given.only:
        found["similarity"], maps = compared(queries, range(5))
        if given.figures:
            pool = given.data / "discovery/astro_3495.jsonl"
            formulas = list(read_lines(pool, {"tex": str})) if not given.queries and pool.exists() else []
            drawn = Random(0).sample(formulas, min(len(queries), len(formulas)))
            draw(given.figures, queries, maps, drawn)
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
