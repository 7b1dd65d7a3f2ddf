"""A contrastive encoder of formulas (two towers with one set of weights), and what it adds to recognition.

A formula is the TF-IDF row of its feature words, hashed to `--inputs` columns; a matrix takes it to `--size` numbers of length one. Trained with in-batch negatives: two
formulas of one concept of the built-in list (or a formula and a generated form of it) shall be nearer than those of the other concepts of the batch. Measured on the
list itself, each formula without its own entry, concepts in two folds; and on queries of other people, whose concepts are left out of training.

    python benchmarks/contrastive.py --items F --queries F... [--json]
"""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from zlib import crc32

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import numpy as np
from command import arguments
from recognition import gold
from scipy.sparse import csr_matrix
from sklearn.feature_extraction.text import HashingVectorizer, TfidfTransformer

from bot.console import progress, read_lines, table, write_json
from bot.formula import clean
from bot.formula.features.feature_words import features
from bot.formula.generation.written_forms import equivalent_forms
from bot.match.retrieval.recognise import Recogniser

TEMPERATURE = 0.07  # as in SimCLR (Chen et al. 2020) and CLIP
BATCH = 256
RATE = 0.003  # of Adam


class ContrastiveEncoder:
    """`fit` on rows and their concepts; learned: weights_, of shape (inputs, size). Seeded: the same numbers in every run."""

    def __init__(self, size: int = 128, epochs: int = 10, seed: int = 0) -> None:
        self.size, self.epochs, self.seed = size, epochs, seed

    def fit(self, rows: csr_matrix, concepts: Sequence[str], quiet: bool = True) -> ContrastiveEncoder:
        rng = np.random.default_rng(self.seed)
        weights = (rng.standard_normal((rows.shape[1], self.size)) / np.sqrt(self.size)).astype(np.float32)
        members: dict[str, list[int]] = {}
        for n, concept in enumerate(concepts):
            members.setdefault(concept, []).append(n)
        pairs = [each for each in members.values() if len(each) > 1]
        first, second, step = np.zeros_like(weights), np.zeros_like(weights), 0
        with progress("training", self.epochs, quiet=quiet) as advance:
            for _ in range(self.epochs):
                order = rng.permutation(len(pairs))
                for start in range(0, len(order) - 1, BATCH):
                    chosen = [rng.choice(pairs[n], 2, replace=False) for n in order[start : start + BATCH]]
                    slope = _slope(weights, rows[[a for a, _ in chosen]], rows[[b for _, b in chosen]])
                    step += 1
                    first += 0.1 * (slope - first)
                    second += 0.001 * (slope * slope - second)
                    weights -= RATE * (first / (1 - 0.9**step)) / (np.sqrt(second / (1 - 0.999**step)) + 1e-8)
                advance(1, "")
        self.weights_ = weights
        return self

    def transform(self, rows: csr_matrix) -> Any:
        """Return rows of length one, shape (formulas, size)."""
        return _unit(np.asarray(rows @ self.weights_))[0]


def _unit(z: Any) -> tuple[Any, Any]:
    lengths = np.maximum(np.linalg.norm(z, axis=1, keepdims=True), 1e-6)
    return z / lengths, lengths


def _slope(weights: Any, a: csr_matrix, b: csr_matrix) -> Any:
    """Return the gradient of InfoNCE, both ways, for a batch of pairs."""
    (u, of_u), (v, of_v) = _unit(np.asarray(a @ weights)), _unit(np.asarray(b @ weights))
    scores = u @ v.T / TEMPERATURE
    here = np.zeros_like(scores)
    for matrix, turn in ((scores, False), (scores.T, True)):
        power = np.exp(matrix - matrix.max(axis=1, keepdims=True))
        part = power / power.sum(axis=1, keepdims=True) - np.eye(len(matrix), dtype=matrix.dtype)
        here += (part.T if turn else part) / (2 * len(matrix))
    du, dv = here @ v / TEMPERATURE, here.T @ u / TEMPERATURE
    du, dv = ((d - (d * x).sum(axis=1, keepdims=True) * x) / n for d, x, n in ((du, u, of_u), (dv, v, of_v)))
    return a.T @ du + b.T @ dv


def encoded(texts: Sequence[str], inputs: int) -> csr_matrix:
    """Return the hashed counts of the feature words of formulas."""
    words = [[f"{block}:{word}" for block, found_words in found._asdict().items() for word in set(found_words)] for found in map(features, texts)]  # fmt: skip
    return csr_matrix(HashingVectorizer(n_features=inputs, analyzer=list, norm=None, alternate_sign=False, dtype=np.float32).transform(words))  # fmt: skip


def ranks(scores: Any, qids: Any, asked: Sequence[frozenset[str]], own: Sequence[int | None]) -> list[int]:
    """Return the rank of the first right item of each query among all items, each item by its best formula."""
    out = []
    for row, wanted, leave in zip(scores, asked, own, strict=True):
        row = row.copy()
        if leave is not None:
            row[leave] = -9
        best = row[np.isin(qids, sorted(wanted))]
        out.append(1 + len(set(qids[row > best.max()].tolist())) if len(best) and best.max() > -9 else 10**6)
    return out


def shares(found: Sequence[int]) -> dict[str, float]:
    return {f"top{n}": round(float(np.mean(np.array(found) <= n)), 4) for n in (1, 10, 120)}


def measured(items: Sequence[Mapping[str, Any]], files: Mapping[str, Sequence[Mapping[str, Any]]], inputs: int, size: int, epochs: int, quiet: bool) -> dict[str, Any]:  # fmt: skip
    recogniser = Recogniser(items)  # type: ignore[arg-type]
    entries = recogniser.index.entries
    texts, qids = [clean(entry.tex) for entry in entries], np.array([entry.qid for entry in entries])
    counts = encoded(texts, inputs)
    weighed = TfidfTransformer().fit(counts)
    rows = weighed.transform(counts)
    extra: list[tuple[str, str]] = []
    for entry in entries[::6]:
        try:
            forms = equivalent_forms(entry.tex, seed=1, steps=2)
        except ValueError:
            continue
        extra += [(form.tex, entry.qid) for form in forms[:: max(len(forms) // 2, 1)][:2]]
    more = weighed.transform(encoded([tex for tex, _ in extra], inputs))
    from scipy.sparse import vstack

    result: dict[str, Any] = {"formulas": len(texts), "generated": len(extra), "parameters": inputs * size}

    def trained(keep: Any, kept_extra: Any, with_forms: bool) -> ContrastiveEncoder:
        data = vstack([rows[keep], more[kept_extra]]).tocsr() if with_forms else rows[keep]
        names = [*qids[keep].tolist(), *([extra[n][1] for n in np.flatnonzero(kept_extra)] if with_forms else [])]
        start = time.process_time()
        model = ContrastiveEncoder(size, epochs).fit(data, names, quiet)
        result["seconds"] = round(time.process_time() - start, 1)
        return model

    for name, queries in files.items():
        asked = [gold(row) for row in queries]
        held = frozenset().union(*asked)
        keep, kept_extra = ~np.isin(qids, sorted(held)), np.array([qid not in held for _, qid in extra])
        mine = weighed.transform(encoded([clean(row["tex"]) for row in queries], inputs))
        none = [None] * len(queries)
        scores = {"TF-IDF cosine": np.asarray((mine @ rows.T).todense())}
        for with_forms in (False, True):
            model = trained(keep, kept_extra, with_forms)
            scores["contrastive, with generated forms" if with_forms else "contrastive"] = (
                model.transform(mine) @ model.transform(rows).T
            )
        scores["both, mean"] = (scores["TF-IDF cosine"] + scores["contrastive, with generated forms"]) / 2
        found = {method: ranks(matrix, qids, asked, none) for method, matrix in scores.items()}
        found |= _ours(recogniser, qids, queries, asked, scores["contrastive, with generated forms"])
        result[name] = {method: shares(each) for method, each in found.items()}
    result["the list, concepts apart"] = _on_the_list(rows, qids, trained, extra)
    return result


def _ours(recogniser: Recogniser, qids: Any, queries: Sequence[Mapping[str, Any]], asked: Sequence[frozenset[str]], scores: Any) -> dict[str, list[int]]:  # fmt: skip
    """Return the ranks of the ranker, of the ranker whose answers are blended with the encoder, and of the shortlist as a set (1 or none)."""
    out: dict[str, list[int]] = {"ranker": [], "ranker and encoder, reciprocal ranks": [], "shortlist holds it": [], "encoder's 120 hold it": [], "either holds it": []}  # fmt: skip
    for row, wanted, line in zip(queries, asked, scores, strict=True):
        near = recogniser.index.search_tex(clean(row["tex"]))
        hits = [hit.qid for hit in recogniser.all_ranked([near])[0]] if near is not None else []
        order = list(dict.fromkeys(qids[np.argsort(-line, kind="stable")[:600]].tolist()))
        blended = {q: 1 / (60 + n) for n, q in enumerate(hits)}  # reciprocal rank fusion (Cormack et al. 2009)
        for n, q in enumerate(order):
            blended[q] = blended.get(q, 0) + 1 / (60 + n)
        listed = set(qids[near.rows].tolist()) if near is not None else set()
        by_encoder = set(order[:120])
        for name, ranked in (
            ("ranker", hits),
            ("ranker and encoder, reciprocal ranks", sorted(blended, key=lambda q: -blended[q])),
        ):
            out[name].append(next((n for n, q in enumerate(ranked, 1) if q in wanted), 10**6))
        for name, held in (
            ("shortlist holds it", listed),
            ("encoder's 120 hold it", by_encoder),
            ("either holds it", listed | by_encoder),
        ):
            out[name].append(1 if held & wanted else 10**6)
    return out


def _on_the_list(rows: csr_matrix, qids: Any, trained: Any, extra: Sequence[tuple[str, str]]) -> dict[str, Any]:
    fold = np.array([crc32(qid.encode()) % 2 for qid in qids])
    of_extra = np.array([crc32(qid.encode()) % 2 for _, qid in extra])
    found: dict[str, list[int]] = {"TF-IDF cosine": [], "contrastive, with generated forms": []}
    for part in (0, 1):
        chosen = np.flatnonzero(fold == part)[::15]
        model = trained(fold != part, of_extra != part, True)
        asked = [frozenset({qids[n]}) for n in chosen]
        found["TF-IDF cosine"] += ranks(np.asarray((rows[chosen] @ rows.T).todense()), qids, asked, chosen.tolist())
        every = model.transform(rows)
        found["contrastive, with generated forms"] += ranks(every[chosen] @ every.T, qids, asked, chosen.tolist())
    return {method: shares(each) for method, each in found.items()}


def main() -> None:
    parser = arguments(__doc__, "--items", "--json")
    parser.add_argument("--queries", nargs="+", required=True, metavar="F")
    parser.add_argument("--inputs", type=int, default=8192)
    parser.add_argument("--size", type=int, default=128)
    parser.add_argument("--epochs", type=int, default=10)
    given = parser.parse_args()
    items = list(read_lines(given.items, {"qid": str}))
    files = {Path(path).stem: list(read_lines(path, {"tex": str})) for path in given.queries}
    result = measured(items, files, given.inputs, given.size, given.epochs, given.json)
    if given.json:
        write_json(result)
        return
    for name, methods in result.items():
        if isinstance(methods, dict):
            table(name, ("", "first", "in ten", "in 120"), [(method, *row.values()) for method, row in methods.items()])
    print(f"{result['parameters']:,} parameters, {result['parameters'] * 4 / 1e6:.1f} MB; {result['seconds']} seconds of a core for one training; {result['formulas']} formulas, {result['generated']} generated")  # fmt: skip


if __name__ == "__main__":
    main()
