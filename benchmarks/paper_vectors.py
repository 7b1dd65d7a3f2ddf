"""The paper's second and third experiment: are equations of one concept near each other, in which encoding, and how is that measured."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from random import Random
from typing import Any

import numpy as np
from numpy.typing import NDArray
from paper_encodings import encoding
from rapidfuzz import fuzz, process
from sklearn.cluster import KMeans
from sklearn.metrics import adjusted_rand_score
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import normalize
from sklearn.svm import SVC

from bot.discover.cues.cue_language import article_language
from bot.discover.tf_idf import Rows
from bot.formula import clean, tokens
from bot.formula.quantities.formula_symbols import formula_symbols
from bot.match.symbols.symbol_choice import choose_readings, shipped_weights
from bot.match.symbols.symbol_evidence import (
    DocumentSymbols,
    FormulaSymbolReadings,
    SymbolUsage,
    _readings_by_document,
    readings,
)
from bot.records import Occurrence

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Encoded:
    """One of the encodings: which documents, which vectors, and whether a person prepared the documents."""

    name: str
    kind: str
    of: str
    documents: NDArray[Any]
    by_hand: bool

    def vectors(self, chosen: NDArray[Any], seed: int = 0, fitted: NDArray[Any] | None = None) -> Array:
        """Return the rows of the chosen equations; the encoding is fitted to these (as in the paper), or to others (`fitted`), where there are any."""
        model = encoding(self.kind, of=self.of, seed=seed)
        if fitted is None or not len(fitted):
            rows = model.fit_transform(self.documents[chosen])
        else:
            rows = model.fit(self.documents[fitted]).transform(self.documents[chosen])
        return np.asarray(rows.todense() if hasattr(rows, "todense") else rows)


OPERATORS = frozenset("∂ ∇ Δ ∑ ∏ ∫ ∬ ∭ ∮ × ⊗ ≥ ≤ □ rot curl div grad %rot %curl %div %grad vec".split())


def constituents(tex: str) -> list[str]:
    """Return what the symbols of a formula without any text usually mean (`bot.match.symbols`), and its operators: the constituents, obtained automatically."""
    alone = Occurrence("", 0, tex, True)
    document = DocumentSymbols([alone], article_language("en"))
    symbols_read = tuple(_readings_by_document(symbol, alone, document) for symbol in formula_symbols(tex))
    found = readings(FormulaSymbolReadings(0, tex, symbols_read, {}), SymbolUsage(), "", {})
    meant = {each.symbol.tex: each.reading.key for each in choose_readings(tex, found, shipped_weights())}
    symbols = [meant.get(symbol.tex, symbol.tex) for symbol, _ in found]
    return [*symbols, *(token for token in dict.fromkeys(tokens(tex)) if token in OPERATORS)] or ["…"]


def encodings(rows: Sequence[Mapping[str, Any]]) -> list[Encoded]:
    """Return ours from TeX alone, the paper's from constituents named by hand, and from their items, so far as the rows have them; and from constituents obtained automatically."""
    rows = [{**row, "automatic": constituents(row["tex"])} for row in rows]
    sources = (
        ("content", "tex", "content"),
        ("constituents", "content", "words"),
        ("semantics", "constituent_qids", "words"),
        ("automatic", "automatic", "words"),
    )
    out = []
    for name, field, of in sources:
        if all(field in row for row in rows):
            documents = np.empty(len(rows), dtype=object)
            documents[:] = [row[field] for row in rows]
            by_hand = field not in ("tex", "automatic")
            out += [Encoded(f"{name} {kind}", kind, of, documents, by_hand) for kind in ("TF-IDF", "Doc2Vec")]
    return out


def spread(vectors: Rows, groups: int) -> Array:
    """Return rows for spherical k-means into `groups` clusters: centred, on the groups - 1 principal components, of length one.

    Those components are the relaxed solution of k-means (Ding and He 2004), so nothing is tuned here.
    """
    dense = np.asarray(vectors.todense() if hasattr(vectors, "todense") else vectors, dtype=np.float64)
    dense = dense - dense.mean(axis=0)
    left, sizes, _ = np.linalg.svd(dense, full_matrices=False)
    kept = max(groups - 1, 1)
    return np.asarray(normalize(left[:, :kept] * sizes[:kept]), dtype=np.float64)


def choices(classes: Sequence[str], size: int, most: int) -> list[tuple[str, ...]]:
    """Return all ways to choose so many classes, or a seeded sample of them."""
    every = list(combinations(classes, size))
    return every if len(every) <= most else sorted(Random(size).sample(every, most))


def classified(each: Encoded, labels: NDArray[Any], chosen: NDArray[Any], folds: int, seeds: range) -> list[float]:
    """Return the accuracy of a linear SVM for each seed: shuffled stratified folds, the encoding fitted inside the fold."""
    out = []
    for seed in seeds:
        pipeline = make_pipeline(encoding(each.kind, of=each.of, seed=seed), SVC(kernel="linear"))
        splits = StratifiedKFold(folds, shuffle=True, random_state=seed)
        out.append(float(cross_val_score(pipeline, each.documents[chosen], labels[chosen], cv=splits).mean()))
    return out


def clustered(each: Encoded, labels: NDArray[Any], chosen: NDArray[Any], seeds: range) -> Iterator[dict[str, float]]:
    """Yield for each seed the paper's purity of plain k-means, and three measures of spherical k-means on principal components."""
    wanted = labels[chosen]
    groups = len(set(wanted))
    vectors = np.empty(0)
    for seed in seeds:
        if not len(vectors) or each.kind == "Doc2Vec":  # TF-IDF has no seed
            vectors = each.vectors(chosen, seed)
            on_sphere = spread(vectors, groups)
        plain = KMeans(groups, n_init=10, random_state=seed).fit_predict(vectors)
        found = KMeans(groups, n_init=10, random_state=seed).fit_predict(on_sphere)
        yield {
            "plain_purity_by_cluster": purity_by_cluster(wanted, plain),
            "plain_purity": purity(wanted, plain),
            "purity_by_cluster": purity_by_cluster(wanted, found),
            "purity": purity(wanted, found),
            "ari": float(adjusted_rand_score(wanted, found)),
        }


def plainly(documents: Sequence[Sequence[str]], kind: str) -> Array:
    """Return rows as the authors made them: scikit-learn's TF-IDF of what they listed, and Doc2Vec over strings, that is over characters."""
    from discovery import plain
    from sklearn.feature_extraction.text import TfidfVectorizer

    words = [[str(word) for word in row] for row in documents]
    rows = TfidfVectorizer(analyzer=list).fit_transform(words).toarray() if kind == "TF-IDF" else plain("semantics2vec", (), words)  # fmt: skip
    return np.asarray(rows, dtype=np.float64)


def repeated(documents: NDArray[Any], kind: str, labels: NDArray[Any], chosen: NDArray[Any]) -> dict[str, float]:
    """Return accuracy and purity by cluster of the chosen classes by the authors' encoding, fitted to all of them (transductive), one seed."""
    vectors, wanted = plainly(documents[chosen], kind), labels[chosen]
    splits = StratifiedKFold(min(10, *Counter(wanted.tolist()).values()), shuffle=True, random_state=0)
    clusters = KMeans(len(set(wanted)), n_init=10, random_state=0).fit_predict(vectors)
    return {
        "accuracy": float(cross_val_score(SVC(kernel="linear"), vectors, wanted, cv=splits).mean()),
        "purity_by_cluster": purity_by_cluster(wanted, clusters),
        "purity": purity(wanted, clusters),
    }


def of_thirty(each: Encoded, labels: NDArray[Any], thirty: NDArray[Any], seeds: range) -> dict[str, float]:
    """Return how many of thirty equations of three classes k-means puts with their class (means over seeds), and drawing a class at random."""
    wanted = labels[thirty]
    drawn = [
        (np.random.default_rng(seed).choice(sorted(set(wanted)), len(wanted)) == wanted).sum() for seed in range(200)
    ]
    found = {name: float(np.mean([len(thirty) * purity(wanted, clusters) for clusters in every])) for name, every in three_clusters(each, labels, thirty, seeds).items()}  # fmt: skip
    return {name: round(value, 1) for name, value in (found | {"random": float(np.mean(drawn))}).items()}


def three_clusters(
    each: Encoded, labels: NDArray[Any], chosen: NDArray[Any], seeds: range
) -> dict[str, list[NDArray[Any]]]:
    """Return the clusters of each seed: of the vectors as they are, on the sphere, and by an encoding fitted to the other classes."""
    others, groups = np.setdiff1d(np.arange(len(labels)), chosen), len(set(labels[chosen]))
    own = each.vectors(chosen)
    rows = {"plain": own, "spherical": spread(own, groups), "inductive": spread(each.vectors(chosen, 0, others), groups)}  # fmt: skip
    return {
        name: [KMeans(groups, n_init=10, random_state=seed).fit_predict(vectors) for seed in seeds]
        for name, vectors in rows.items()
    }


def on_a_plane(vectors: Array) -> Array:
    """Return the first two principal components; each has its largest value above 0, so that a figure has one orientation."""
    centred = vectors - vectors.mean(axis=0)
    left, sizes, _ = np.linalg.svd(centred, full_matrices=False)
    points = left[:, :2] * sizes[:2]
    largest = points[np.abs(np.round(points, 9)).argmax(axis=0), range(points.shape[1])]
    return np.asarray(points * np.where(largest < 0, -1, 1))


def common(documents: NDArray[Any]) -> Array:
    """Return the number of words (items of constituents) that two documents share."""
    sets = [frozenset(row) for row in documents]
    return np.array([[len(one & other) for other in sets] for one in sets], dtype=np.float64)


def inductive(each: Encoded, labels: NDArray[Any], chosen: NDArray[Any]) -> dict[str, float]:
    """Return accuracy and purity by cluster of the chosen classes by an encoding that is fitted to the equations of the other classes."""
    vectors, wanted = each.vectors(chosen, 0, np.setdiff1d(np.arange(len(labels)), chosen)), labels[chosen]
    splits = StratifiedKFold(min(10, *Counter(wanted.tolist()).values()), shuffle=True, random_state=0)
    groups = len(set(wanted))
    return {
        "accuracy": float(cross_val_score(SVC(kernel="linear"), vectors, wanted, cv=splits).mean()),
        "purity_by_cluster": purity_by_cluster(wanted, KMeans(groups, n_init=10, random_state=0).fit_predict(spread(vectors, groups))),
    }  # fmt: skip


def purity(labels: Sequence[Any] | NDArray[Any], found: NDArray[Any]) -> float:
    """Return the standard purity: the share of all equations that are of their cluster's commonest class."""
    return float(sum(max(Counter(part).values()) for part in _parts(labels, found)) / len(found))


def purity_by_cluster(labels: Sequence[Any] | NDArray[Any], found: NDArray[Any]) -> float:
    """Return the paper's purity, a mean over clusters: many small clusters of one class each make up for one that mixes all."""
    return float(np.mean([max(Counter(part).values()) / len(part) for part in _parts(labels, found)]))


def _parts(labels: Sequence[Any] | NDArray[Any], found: NDArray[Any]) -> list[list[Any]]:
    return [[str(label) for label in np.asarray(labels)[found == cluster]] for cluster in sorted(set(found))]


# -- distances and similarities ------------------------------------------------------------------------------------------
def centroid_distances(vectors: Array, labels: NDArray[Any], classes: Sequence[str]) -> Array:
    """Return the distance of each class's centroid to each other's."""
    centres = np.array([vectors[labels == name].mean(axis=0) for name in classes])
    return np.asarray(np.linalg.norm(centres[:, None] - centres[None], axis=2))


def centroids(
    each: Encoded, labels: NDArray[Any], classes: Sequence[str], seeds: range, *, inductive: bool = False
) -> dict[str, float]:
    """Return the mean centroid distance on two principal components, and in the whole space relative to the classes' own width.

    With `inductive` the encoding is fitted to the equations of the other classes.

    The first has no unit: it grows with the length of the vectors. The second can be compared between encodings.
    """
    chosen = np.flatnonzero(np.isin(labels, classes))
    wanted, upper = labels[chosen], np.triu_indices(len(classes), 1)
    plane, relative = [], []
    for seed in seeds if each.kind == "Doc2Vec" else seeds[:1]:
        others = np.setdiff1d(np.arange(len(labels)), chosen) if inductive else None
        vectors = each.vectors(chosen, seed, others)
        plane.append(centroid_distances(on_a_plane(vectors), wanted, classes)[upper].mean())
        own = [
            np.linalg.norm(part - part.mean(axis=0), axis=1).mean() for part in (vectors[wanted == c] for c in classes)
        ]
        relative.append(centroid_distances(vectors, wanted, classes)[upper].mean() / np.mean(own))
    return {"two_components": round(float(np.mean(plane)), 4), "relative": round(float(np.mean(relative)), 4)}


def similarities(each: Encoded) -> Array:
    """Return the cosines of all pairs of equations, from 0."""
    vectors = each.vectors(np.arange(len(each.documents)))
    return np.clip(vectors @ vectors.T, 0, 1)


def inductive_similarities(each: Encoded, labels: NDArray[Any]) -> Array:
    """Return the cosines of each equation with all others by an encoding that has seen no equation of its class."""
    every = np.arange(len(labels))
    found = np.zeros((len(labels), len(labels)))
    for name in sorted(set(labels)):
        own = labels == name
        vectors = each.vectors(every, 0, every[~own])
        found[own] = np.clip(vectors[own] @ vectors.T, 0, 1)
    return found


def fuzzy(documents: NDArray[Any]) -> Array:
    """Return the partial ratio of all pairs of strings, from 0 to 1, the larger of its two directions."""
    texts = [clean(document) if isinstance(document, str) else " ".join(document) for document in documents]
    found = process.cdist(texts, texts, scorer=fuzz.partial_ratio, dtype=np.float64) / 100
    return np.asarray(np.maximum(found, found.T))


def coherence(map_: Array, labels: NDArray[Any], thirty: NDArray[Any]) -> dict[str, float]:
    """Return mean similarity within and between classes, and the share put right by summed similarity and by the nearest equation."""
    same = labels[:, None] == labels[None]
    others = ~np.eye(len(labels), dtype=bool)
    nearest = np.where(others, map_, -1).argmax(axis=1)
    return {
        "within": round(float(map_[same & others].mean()), 4),
        "between": round(float(map_[~same].mean()), 4),
        "mean": round(float(map_[others].mean()), 4),
        "by_sum": round(_by_sum(map_, labels), 4),
        "by_sum_of_three": round(_by_sum(map_[np.ix_(thirty, thirty)], labels[thirty]), 4),
        "by_nearest": round(float((labels[nearest] == labels).mean()), 4),
    }


def _by_sum(map_: Array, labels: NDArray[Any]) -> float:
    """Each equation to the class with the highest mean similarity of the others."""
    classes = sorted(set(labels))
    rest = map_ - np.diag(np.diag(map_))
    others = ~np.eye(len(labels), dtype=bool)
    sums = np.array([rest[:, labels == name].sum(axis=1) / others[:, labels == name].sum(axis=1) for name in classes])
    return float((np.array(classes)[sums.argmax(axis=0)] == labels).mean())


def by_class(map_: Array, labels: NDArray[Any], classes: Sequence[str]) -> Array:
    """Return the mean similarity of the equations of two classes; of one class, without each with itself."""
    others = ~np.eye(len(labels), dtype=bool)
    out = np.zeros((len(classes), len(classes)))
    for i, one in enumerate(classes):
        for j, other in enumerate(classes):
            cell = np.outer(labels == one, labels == other) & others
            out[i, j] = map_[cell].mean()
    return out
