"""What retrieval makes of shipped queries, with a ranker of its own, so that neither weights nor list change it; recorded to the digit.

`python tests/match/recorded_hits.py` records it anew, where a change is meant.
"""

from __future__ import annotations

import dataclasses
import itertools
import json
import re
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from bot.discover.cues.cue_language import article_language
from bot.formula.features.sides import chain_equalities
from bot.match import item_labels
from bot.match.features.agreement import equivalent
from bot.match.features.special_case import special_case_reason
from bot.match.features.weak_equivalence import weakly_equivalent
from bot.match.retrieval import contextual, quantities
from bot.match.retrieval.context import read_context
from bot.match.retrieval.feature_groups import ChannelIndex
from bot.match.retrieval.formula_reading import read_formula
from bot.match.retrieval.inverted_index import FormulaIndex, IndexedFormula
from bot.match.retrieval.ranking_features import RANKING_FEATURES, item_prior
from bot.match.retrieval.recognise import CALIBRATION, Ranker, Recogniser
from bot.match.symbols.symbol_choice import SymbolWeights, choose_readings
from bot.match.symbols.symbol_evidence import DocumentSymbols, SymbolReading, SymbolUsage, read_document, readings
from bot.records import Occurrence

DATA = Path(__file__).parent / "data"
TESTS = Path(__file__).parents[1]


def _rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def _lines(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").splitlines()


ITEMS = _rows(TESTS / "quality" / "items.jsonl")
for n, row in enumerate(ITEMS):
    row["part_of"] = [ITEMS[n - 1]["qid"]] if n % 5 == 1 else []
# A pattern, so that each number counts.
SECOND = {
    "bias": -0.2,
    "score": 0.9,
    "lead": 0.4,
    "agrees": 1.1,
    "free": 0.3,
    "disagrees": -1.3,
    "phrase": -0.5,
    "unsaid": -0.7,
}
QUERIES = [row["tex"] for row in _rows(TESTS / "quality" / "queries.jsonl")]
NEAR_MISSES = ("E=mc^3", r"v=\frac{dt}{dx}", r"T=\frac13mv^2", "F=m+a", "PV=2nRT", "v=H_0+D")
EXTRA = [
    {"qid": "Q900001", "label": "kinetic energy", "aliases": ["vis viva"], "formulas": [r"T=\frac12mv^2=\frac{p^2}{2m}", r"E_k=\frac12mv^2"]},
    {"qid": "Q900002", "label": "electric power", "aliases": [], "formulas": [r"P=\frac{U^2}{R}=UI=I^2R", "", "  "]},
    {"qid": "Q900003", "label": "tangential velocity", "aliases": ["speed along the path", "Foo's number"]},
    {"qid": "Q900004", "label": "velocity", "aliases": [], "formulas": [r"v=\frac{dx}{dt}", r"\vec v=\dot{\vec x}", "v=at"]},
]  # fmt: skip


def _weights(count: int, step: int) -> Any:
    return np.array([((n * step) % 13 - 4) / 9 for n in range(count)])


@cache
def recogniser() -> Recogniser:
    """Return a recogniser of shipped items whose weights are a pattern: each number counts."""
    situated = _weights(len(contextual.CONTEXT_FEATURE_NAMES), 5), _weights(len(contextual.CONTEXT_CALIBRATION) + 1, 7)
    ranker = Ranker(_weights(len(RANKING_FEATURES), 5), _weights(len(CALIBRATION) + 1, 3), 0.5, situated)
    return Recogniser([*ITEMS, *EXTRA], ranker, book={})


@cache
def index() -> FormulaIndex:
    return FormulaIndex([IndexedFormula(row["qid"], tex) for row in ITEMS for tex in row["formulas"]])


def of_query(tex: str) -> dict[str, Any]:
    """Return the hits of a formula, what the ranker looks at, and its place in both indexes."""
    near = recogniser().index.search_tex(tex)
    numbers = [] if near is None else [dict(_named(RANKING_FEATURES, row)) for row in recogniser().features(near)[:3]]
    few = recogniser().index.search_tex(tex, 2)
    return {
        "hits": [_hit(hit) for hit in recogniser().hits(tex, 4)],
        "numbers": numbers,
        "few": None if few is None else [few.rows, few.levels, few.links, few.leaves],
        "near": [[one.entry.qid, one.entry.tex, one.jaccard, one.level] for one in index().search(tex, 3)],
        "left": [contextual.given_symbol(tex), contextual.given_symbol(tex, True), quantities.left_symbol(tex)],
        "read": None
        if (found := read_formula(tex)) is None
        else [[len(part) for part in found.channels], len(found.links), chain_equalities(tex)],
    }


def of_context(context: str) -> dict[str, Any]:
    """Return what words say, the numbers of the items that they name, and the hits of a formula among them."""
    tex = r"v=\frac{dx}{dt}"
    situation = recogniser().contextual_index
    found = read_context(situation.names, context, tex)
    brought = recogniser().hits(tex, 6)
    items = situation.candidates(tex, brought, found)
    numbers = situation.features(tex, brought, found, items)
    return {
        "said": {field.name: getattr(found, field.name) for field in dataclasses.fields(found)},
        "any": [bool(found), found.names_any],
        "items": [
            [situation.qid(item), dict(_named(contextual.CONTEXT_FEATURE_NAMES, row))]
            for item, row in zip(items, numbers, strict=True)
        ][:9],
        "hits": [_hit(hit) for hit in recogniser().hits(tex, 5, context)],
        "misses": [[_hit(hit)[:-1] for hit in recogniser().hits(near, 2, context)] for near in NEAR_MISSES],
    }


def of_name(name: str) -> dict[str, Any]:
    """Return what is made of a name or label."""
    return {
        "fold": item_labels.fold(name),
        "variants": item_labels.variants(name),
        "ask": [item_labels.labels_to_ask(name), item_labels.labels_to_ask(name, variants_too=False)],
        "words": [[item_labels.singular(word), item_labels.plural(word)] for word in name.split()],
        "head": item_labels.head_word(name),
        "usual": quantities.usual_symbols(item_labels.fold(name)),
        "standing": [item_prior("Q100", name, 3), item_prior("Q0", name, 0, True), item_prior("L7", name, 1)],
    }


def of_pair(pair: str) -> dict[str, Any]:
    """Return how two formulas of one name agree, and of which of them the other is a special case."""
    a, b = pair.split(" ~ ")
    cases = [special_case_reason(a, b), special_case_reason(b, a)]
    found = [equivalent(a, b), equivalent(b, a), weakly_equivalent(a, b), weakly_equivalent(b, a)]
    return {
        "agree": [each and [each.relation, each.level, each.note] for each in found],
        "case": [each and each.code for each in cases],
    }


def _mined(text: str) -> DocumentSymbols:
    """Read a line as a document: paragraphs between bars, formulas between dollars."""
    formulas = [each for part in text.split("|") for each in re.findall(r"\$(.+?)\$", part)]
    numbers = itertools.count()
    windows = [
        (re.sub(r"\$.+?\$", lambda _: f"⟦{next(numbers)}⟧", part), part.count("$") // 2) for part in text.split("|")
    ]
    places = [window for window, count in windows for _ in range(count)]
    found = (Occurrence("d", n, tex, True, places[n]) for n, tex in enumerate(formulas))
    return DocumentSymbols(list(found), article_language("en"))


@cache
def _usage() -> SymbolUsage:
    usage = SymbolUsage()
    for text in _lines(DATA / "symbols.txt"):
        usage.add("source", _mined(text).explicit_meanings())
    return usage


def of_symbols(text: str) -> dict[str, Any]:
    """Return what a document says of its symbols: each reading with what speaks for it, and what is chosen of them."""
    document = _mined(text)
    read = read_document(document)
    made = {}
    for formula in read.formulas:
        found = readings(formula, _usage(), "source", read.around)
        features = sorted({name for _, each in found for reading in each for name in reading.features})
        first = {name: ((n * 5) % 13 - 4) / 9 for n, name in enumerate(features)} | {"bias": -0.3}
        chosen = [choose_readings(formula.tex, found, SymbolWeights(first, {**SECOND, "balance": b})) for b in (0.5, 4)]
        made[f"{formula.position} {formula.tex}"] = {
            "named": formula.named,
            "read": [
                [symbol.tex, [_reading(one) for one in sorted(each, key=lambda one: one.key)]] for symbol, each in found
            ],
            "chosen": [
                [[one.symbol.tex, one.reading.key, one.probability, one.agreed, one.features] for one in each]
                for each in chosen
            ],
        }
    return {
        "around": read.around,
        "told": [[*key, *said] for key, said in document.explicit_meanings().items()],
        "formulas": made,
    }


def _reading(reading: SymbolReading) -> list[Any]:
    return [reading.key, reading.meaning, reading.sentence, reading.best, dict(reading.features)]


def _hit(hit: Any) -> list[Any]:
    return [
        hit.qid,
        hit.score,
        hit.probability,
        hit.level,
        hit.formula,
        hit.together,
        hit.differs and hit.differs.code,
        dict(_named(CALIBRATION, hit.evidence)),
    ]


def _named(names: tuple[str, ...], row: Any) -> Iterator[tuple[str, float]]:
    return ((name, value) for name, value in zip(names, row, strict=True) if value)


WORK: dict[str, tuple[Callable[[str], dict[str, Any]], list[str]]] = {
    "query": (of_query, [*QUERIES[::2], *_lines(DATA / "queries.txt")]),
    "context": (of_context, [line.replace("|", "\n") for line in _lines(DATA / "contexts.txt")]),
    "name": (of_name, _lines(DATA / "labels.txt")),
    "symbols": (of_symbols, _lines(DATA / "symbols.txt")),
    "pair": (of_pair, _lines(DATA / "pairs.txt")),
}


def made(what: str, of: str) -> Any:
    """Return what is made of a text now."""
    return _plain(WORK[what][0](of))


def _plain(value: Any) -> Any:
    if isinstance(value, float | np.floating):
        return round(float(value), 5) + 0.0
    if isinstance(value, np.integer):
        return int(value)
    if isinstance(value, np.ndarray):
        return _plain(value.tolist())
    if isinstance(value, dict) or hasattr(value, "items"):
        return {str(key): _plain(each) for key, each in sorted(value.items(), key=lambda pair: str(pair[0]))}
    if isinstance(value, set | frozenset):
        return sorted((_plain(each) for each in value), key=str)
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    return value


def rows() -> Iterator[tuple[str, str]]:
    yield from ((what, text) for what, (_, texts) in WORK.items() for text in dict.fromkeys(texts))


def crowd() -> Any:
    """Return what an index finds where a key is shared by just as many items as still tell, and by one more."""
    found = []
    for many in (40, 41):
        entries = [IndexedFormula(f"Q{n}", "a=bc") for n in range(many)] + [IndexedFormula("Q99", "x=yz+w=q")]
        near, exact = ChannelIndex(entries).search_tex("a = bc", 3), FormulaIndex(entries).search("a=bc", 3)
        found.append([near and [len(near.rows), len(near.levels)], len(exact)])
    return found


if __name__ == "__main__":
    with (DATA / "recorded.jsonl").open("w", encoding="utf-8") as file:
        for what, text in rows():
            file.write(json.dumps({"what": what, "of": text, "made": made(what, text)}, ensure_ascii=False) + "\n")
