"""The paper's discovery by neighbours, repeated: relative success of four encodings, the authors' examples, the time of the whole.

`--formulas`: JSON lines {"i", "tex", "doc", "window500"}; `--samples`: the 50 samples {"tex", "indices", "example_equivalent", "equiv_counts"};
`--gold`: for some of them every equivalent formula. A neighbour is a formula written unlike the sample; it counts when the gold calls it equivalent.

    python benchmarks/discovery.py --formulas F --samples F --gold F [--theirs] [--json]
"""

from __future__ import annotations

import argparse
import multiprocessing
import resource
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import numpy as np
from command import arguments
from equivalents import formulas, located, wanted

from bot.console import read_lines, table, write_json
from bot.discover.grouping.encoding_names import ENCODINGS, FAST, Encoding
from bot.discover.grouping.encodings import encode_formulas
from bot.discover.grouping.equivalents import Equivalents
from bot.discover.grouping.neighbours import Nearest
from bot.formula.alignment.equations import stated_equations

Row = Mapping[str, Any]
K = 9  # the paper finds nothing more above nine neighbours
FIRST = 10
FURTHEST = 20  # distinct neighbours that are looked at to see what more than nine would bring
EPOCHS = 100  # of the plain repetition
PRINTED = {"math2vec": 0.71, "math tf-idf": 0.04, "semantics2vec": 0.11, "semantics tf-idf": 0.15}


# -- the paper's encodings as it made them -------------------------------------------------------------------------------
def plain(kind: Encoding, tex: Sequence[str], words: Sequence[Sequence[str]]) -> Any:
    """Encode as the authors did: scikit-learn's own tokeniser, which drops letters that stand alone; Doc2Vec over strings, that is over characters."""
    texts = list(tex) if kind.startswith("math") else [" ".join(row) for row in words]
    if kind.endswith("tf-idf"):
        from sklearn.feature_extraction.text import TfidfVectorizer

        return TfidfVectorizer().fit_transform(texts)
    from gensim.models.doc2vec import Doc2Vec, TaggedDocument

    model = Doc2Vec(
        [TaggedDocument(text, [n]) for n, text in enumerate(texts)], min_count=1, epochs=EPOCHS, workers=1, seed=0
    )
    return np.asarray(model.dv.vectors)


def plain_neighbours(rows: Any, of: Sequence[int], k: int) -> list[list[int]]:
    from sklearn.neighbors import NearestNeighbors

    found = (
        NearestNeighbors(n_neighbors=min(k + 1, rows.shape[0]), algorithm="brute")
        .fit(rows)
        .kneighbors(rows[of], return_distance=False)
    )
    return [[int(n) for n in line if n != own][:k] for own, line in zip(of, found, strict=True)]


# -- measuring -----------------------------------------------------------------------------------------------------------
def measured(work: Callable[[], Any]) -> tuple[Any, float, float]:
    """Do the work in a process of its own; return (result, seconds of a core, MB that it took beyond what was there)."""
    context = multiprocessing.get_context("fork")
    mine, other = context.Pipe(False)

    def run() -> None:
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        start = time.process_time()
        found = work()
        seconds = time.process_time() - start
        other.send((found, seconds, (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024))

    process = context.Process(target=run)
    process.start()
    answer: tuple[Any, float, float] = mine.recv()
    process.join()
    return answer


def written(tex: str) -> str:
    """Return a formula as a person reads it: blanks, closing marks and \\displaystyle aside."""
    bare = "".join(tex.replace("\\displaystyle", "").replace("\\,", "").replace("\\;", "").split())
    return bare.rstrip(".,;\\")


def distinct(
    rows: Sequence[Row], ranked: Sequence[int], own: str, most: int, by: Callable[[str], str] = written
) -> list[int]:
    """Return the first rows that are written unlike the sample and unlike each other."""
    seen = {by(own)}
    found: list[int] = []
    for row in ranked:
        look = by(rows[row]["tex"])
        if look not in seen:
            seen.add(look)
            found.append(row)
        if len(found) == most:
            break
    return found


def success(
    found: Mapping[str, Mapping[int, Sequence[int]]],
    rows: Sequence[Row],
    gold: Sequence[Row],
    only: Sequence[int] | None = None,
) -> dict[str, Any]:
    """Return for each source of neighbours: equivalents among the first nine, their share of all sources' together, samples with any; of these samples `only`."""
    right = {
        name: {
            g: {written(rows[n]["tex"]) for n in near[g] if n in wanted(rows, sample)[0]}
            for g, sample in enumerate(gold)
            if g in near and (only is None or g in only)
        }
        for name, near in found.items()
    }
    every = sum(len(part) for name in ENCODINGS for part in right[name].values())
    asked = [sample for g, sample in enumerate(gold) if only is None or g in only]
    there = [len({written(e["tex"]) for e in sample["equivalent"]} - {written(sample["tex"])}) for sample in asked]
    return {
        name: {
            "equivalents": sum(len(part) for part in parts.values()),
            "relative": round(sum(len(part) for part in parts.values()) / max(every, 1), 4)
            if name in ENCODINGS
            else None,
            "samples_with_any": sum(bool(part) for part in parts.values()),
            "possible": sum(min(number, K) for number in there),
            "samples_that_have_any": sum(number > 0 for number in there),
        }
        for name, parts in right.items()
    }


def examples(rows: Sequence[Row], samples: Sequence[Row], ranked: Mapping[int, Sequence[int]]) -> dict[str, float]:
    """Return the share of the authors' examples among our first ten: as strings, and as forms (what is equal but for scripts, sides, arguments is one)."""
    everywhere = {written(row["tex"]) for row in rows}
    asked = [n for n, s in enumerate(samples) if n in ranked and written(s["example_equivalent"]) in everywhere]
    hits = {"strings": 0, "forms": 0}
    for n in asked:
        sample = samples[n]
        for name, look in (("strings", written), ("forms", form)):
            first = distinct(rows, ranked[n], sample["tex"], FIRST, look)
            # An example of the sample's own form is grouped with it before any neighbour is looked for.
            same = look(sample["example_equivalent"]) == look(sample["tex"])
            hits[name] += same or look(sample["example_equivalent"]) in {look(rows[row]["tex"]) for row in first}
    return {"located": len(asked)} | {name: round(count / max(len(asked), 1), 4) for name, count in hits.items()}


def form(tex: str) -> str:
    """Return what a formula states, with its letters, whatever scripts, sides and arguments it is written with."""
    found = stated_equations(tex)
    if not found:
        return written(tex)
    names = {s.name: s.letter + (f"_{s.label}" if s.label else "") for s in found[0].symbols}
    return repr([term[:2] for term in found[0].terms_with_names(names)])


# -- the whole -----------------------------------------------------------------------------------------------------------
def pipeline(
    rows: Sequence[Row], places: Sequence[int], encodings: Sequence[Encoding]
) -> tuple[Equivalents, dict[int, list[int]]]:
    """Keys, statements, encodings of all formulas, their neighbours, and the judged neighbours of the samples."""
    model = Equivalents(encodings=encodings).fit(formulas(rows))
    for near in model.nearest_.values():
        near.neighbours()
    return model, {place: [n.row for n in model.neighbours(place)] for place in places}


def pipeline_of_theirs(rows: Sequence[Row], places: Sequence[int]) -> None:
    tex, words = [row["tex"] for row in rows], [row["window500"] for row in rows]
    for kind in ENCODINGS:
        plain_neighbours(plain(kind, tex, words), places, K)


def places_of(rows: Sequence[Row], gold: Sequence[Row]) -> dict[int, int]:
    """Return the row of each sample of the gold."""
    return {g: own[0] for g, own in located(rows, gold).items() if own}


def found_by(
    make: Callable[..., Any], rows: Sequence[Row], gold: Sequence[Row], most: int = K
) -> tuple[dict[str, dict[int, list[int]]], dict[str, dict[str, float]]]:
    """Return for each encoding the distinct neighbours of each sample, and what it cost; `make` is `encoded` or `plain`."""
    tex, words = [row["tex"] for row in rows], [row["window500"] for row in rows]
    golden = places_of(rows, gold)

    def near(kind: Encoding) -> dict[int, list[int]]:
        found = Nearest(200).fit(normalised(make(kind, tex, words))).neighbours(list(golden.values()))[0]
        return {g: distinct(rows, line.tolist(), gold[g]["tex"], most) for g, line in zip(golden, found, strict=True)}

    found: dict[str, dict[int, list[int]]] = {}
    cost = {}
    for kind in ENCODINGS:
        found[kind], seconds, memory = measured(lambda kind=kind: near(kind))
        cost[kind] = {"seconds": round(seconds, 2), "mb": round(memory)}
    return found, cost


def together(found: Mapping[str, Mapping[int, Sequence[int]]], k: int = K) -> dict[str, dict[int, list[int]]]:
    """Return the first k of each encoding, and all four together."""
    first = {kind: {g: list(line[:k]) for g, line in found[kind].items()} for kind in ENCODINGS}
    return first | {"all four": {g: sorted({n for kind in ENCODINGS for n in first[kind][g]}) for g in first[ENCODINGS[0]]}}  # fmt: skip


def judged_neighbours(model: Equivalents, rows: Sequence[Row], gold: Sequence[Row]) -> dict[int, list[int]]:
    """Return the neighbours of each sample that alignment judges to be equivalent."""
    return {
        g: distinct(rows, [n.row for n in model.neighbours(place)], gold[g]["tex"], K)
        for g, place in places_of(rows, gold).items()
    }


def everything(given: argparse.Namespace) -> dict[str, Any]:
    import gensim.models.doc2vec  # noqa: F401  imports are not part of any time
    import sklearn.feature_extraction.text
    import sklearn.neighbors  # noqa: F401

    rows = list(read_lines(given.formulas, {"i": int, "tex": str, "doc": str, "window500": list}))
    samples = list(read_lines(given.samples, {"tex": str, "indices": list}))
    gold = list(read_lines(given.gold, {"tex": str, "equivalent": list}))
    at = {row["i"]: n for n, row in enumerate(rows)}
    of = {n: at[sample["indices"][0]] for n, sample in enumerate(samples)}
    result: dict[str, Any] = {"encodings": {}, "plain": {}, "seconds": {}}
    near, cost = found_by(encode_formulas, rows, gold)
    for kind in ENCODINGS:
        result["encodings"][kind] = cost[kind] | {"printed": PRINTED[kind]}
    found = together(near)
    fast = measured(lambda: pipeline(rows, list(of.values()), FAST)[1])
    slow = measured(lambda: pipeline(rows, list(of.values()), ENCODINGS)[1])
    result["seconds"] = {"without Doc2Vec": round(fast[1], 2), "with Doc2Vec": round(slow[1], 2)}
    ranked = {n: slow[0][place] for n, place in of.items()}
    found["judged"] = judged_neighbours(Equivalents(encodings=FAST).fit(formulas(rows)), rows, gold)
    for name, numbers in success(found, rows, gold).items():
        result["encodings"].setdefault(name, {}).update(numbers)
    result["examples"] = examples(rows, samples, ranked)
    if given.theirs:
        again, cost = found_by(plain, rows, gold)
        result["plain"].update(cost)
        for name, numbers in success(together(again), rows, gold).items():
            result["plain"].setdefault(name, {}).update(numbers)
        result["seconds"]["theirs, repeated plainly"] = round(
            measured(lambda: pipeline_of_theirs(rows, list(of.values())))[1], 2
        )
    return result


def normalised(rows: Any) -> Any:
    from sklearn.preprocessing import normalize

    return normalize(rows)


def show(result: Mapping[str, Any]) -> None:
    columns = ("equivalents", "possible", "relative", "printed", "samples_with_any", "seconds", "mb")
    for part, title in (("encodings", "ours"), ("plain", "as the authors made them")):
        rows = [[name, *["" if row.get(c) is None else row[c] for c in columns]] for name, row in result[part].items()]
        if rows:
            table(f"Equivalents among the first {K}, {title}", ("encoding", *columns), rows)
    table("Seconds of a core for all formulas", ("pipeline", "seconds"), list(result["seconds"].items()))
    table("The authors' example among the first ten", ("", "share"), list(result["examples"].items()))


def main() -> None:
    parser = arguments(__doc__, "--formulas", "--gold", "--json")
    parser.add_argument("--samples", required=True)
    parser.add_argument("--theirs", action="store_true", help="repeat the authors' encodings too (minutes)")
    given = parser.parse_args()
    result = everything(given)
    if given.json:
        write_json(result)
    else:
        show(result)


if __name__ == "__main__":
    main()
