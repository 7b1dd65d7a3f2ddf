"""The paper's section on discovery, repeated: the ranked duplicates, the encodings, names and items of the fifty samples, windows, other languages.

Each figure is a row: what, printed, repeated from the authors' released data or by their method, ours on the same data, and what the difference is.

    python benchmarks/paper_discovery.py --data DIR [--json]
"""

from __future__ import annotations

import argparse
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from statistics import mean
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import discovery
import names as naming
import paper_printed as printed
from command import arguments
from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

from bot.console import read_lines, table, write_json
from bot.corpus import read
from bot.errors import FormulaError
from bot.formula import clean, keys
from bot.match.knowledge import Knowledge
from bot.match.retrieval.known_concepts import concepts as known

Row = Mapping[str, Any]
KINDS = {
    "math2vec": "math2vec",
    "math_tfidf": "math tf-idf",
    "sem2vec": "semantics2vec",
    "sem_tfidf": "semantics tf-idf",
}
CORPORA = ("corpora/latexml_star_formation_a_ch01_11", "corpora/latexml_arxiv_real_a")
SHORTEST, LONGEST, TOP = 10, 30, 50  # characters of a formula, and how many are looked at: as in the paper


class Figure(NamedTuple):
    """One value of the paper beside ours; None where there is none."""

    what: str
    printed: float | str | None
    repeated: float | str | None
    ours: float | str | None
    remark: str = ""


# -- the ranked duplicates ---------------------------------------------------------------------------------------------------
def ranked(rows: Sequence[Row], samples: Sequence[Row]) -> list[dict[str, Any]]:
    """Return for each sample d and D: as printed, by equal strings (as the authors group them), and by equal canonical keys (K2)."""
    by_key: dict[str, list[Row]] = defaultdict(list)
    by_place = {row["i"]: row for row in rows}
    for row in rows:
        by_key[_key(row["tex"])].append(row)
    found = []
    for sample in samples:
        parts = {"strings": [by_place[i] for i in sample["indices"]], "keys": by_key[_key(sample["tex"])]}
        counts = {name: (len(part), len({row["doc"] for row in part})) for name, part in parts.items()}
        told = (sample["paper_d"], sample["paper_D"])
        found.append({"nr": sample["nr"], "tex": sample["tex"], "printed": told, **counts})
    return found


def _key(tex: str) -> str:
    try:
        return keys(tex).K2
    except FormulaError:
        return tex


def duplicates(found: Sequence[Mapping[str, Any]]) -> list[Figure]:
    equal = sum(row["strings"] == row["printed"] for row in found)
    larger = sum(row["keys"][0] > row["printed"][0] for row in found)
    same = sum(row["keys"] == row["printed"] for row in found)
    return [
        Figure("samples with d and D as printed", TOP, equal, same, f"by canonical keys {larger} of {len(found)} have more occurrences: other spellings are counted in"),
    ]  # fmt: skip


# -- equivalents and encodings -------------------------------------------------------------------------------------------------
def shares(samples: Sequence[Row]) -> dict[str, tuple[float, float]]:
    """Return for each encoding the mean of its shares over the samples that have equivalents, and its share of all of them."""
    counts = [{name: int(sample["equiv_counts"][key]) for key, name in KINDS.items()} for sample in samples]
    some = [each for each in counts if sum(each.values())]
    every = sum(sum(each.values()) for each in some)
    return {
        name: (mean(each[name] / sum(each.values()) for each in some), sum(each[name] for each in some) / every)
        for name in KINDS.values()
    }


def encodings(samples: Sequence[Row], measured: Mapping[str, Any]) -> list[Figure]:
    """Return the equivalents of the samples, and the relative success of the encodings; `measured` as in discovery.py, with the plain repetition."""
    every = [sum(map(int, sample["equiv_counts"].values())) for sample in samples]
    out = [
        Figure("equivalents retrieved", printed.EQUIVALENTS, sum(every), None, "their table of results adds up to two more"),
        Figure("samples with any", printed.WITH_ANY, sum(map(bool, every)), None),
    ]  # fmt: skip
    for name, (by_sample, of_all) in shares(samples).items():
        plain, ours = measured["plain"][name], measured["encodings"][name]
        out += [
            Figure(f"relative success, {name}", printed.ENCODING_SHARES[name], round(by_sample, 2), None, f"printed is the mean over samples; of all their equivalents {of_all:.2f}"),
            Figure(f"equivalents by gold, {name}", None, plain["equivalents"], ours["equivalents"], f"of {ours['possible']}; relative {plain['relative']:.2f} repeated plainly, {ours['relative']:.2f} as fixed"),
        ]  # fmt: skip
    together, judged = measured["encodings"]["all four"], measured["encodings"]["judged"]
    out.append(Figure("equivalents by gold, all four together", None, measured["plain"]["all four"]["equivalents"], together["equivalents"], "nine neighbours from each"))  # fmt: skip
    out.append(Figure("equivalents by gold, judged by alignment", None, None, judged["equivalents"], f"of {judged['possible']}; what grouping keeps"))  # fmt: skip
    return out


# -- names and items -----------------------------------------------------------------------------------------------------------
def names(rows: Sequence[Row], samples: Sequence[Row], items: Iterable[Row]) -> list[Figure]:
    """Return names and items of the samples: as printed, in the authors' table, and by the names that `discover` gives."""
    at = naming.concepts(rows, Knowledge(known))
    where = {row["i"]: (row["doc"], row["i"]) for row in rows}
    labels = {str(row.get("label", "")).casefold() for row in items}
    judged = [sample for sample in samples if "judged_names" in sample]
    theirs = ours = with_item = 0
    for sample in samples:
        whole = next((at[where[i]] for i in sample["indices"] if where.get(i) in at), None)
        found = [name.name for name in whole.names[:5]] if whole else []
        with_item += any(name.casefold() in labels for name in found)
        if sample in judged:
            accepted = {naming.words(name) for name in sample["judged_names"]}
            ours += bool(accepted & set(map(naming.words, found)))
            theirs += any(set(name.split()) <= set(sample["paper_candidates"]) for name in sample["judged_names"])
    return [
        Figure("names among five candidates", f"{printed.NAMED}/50", f"{sum(bool(s['paper_name']) for s in samples)}/50", None, "the authors' judgement; candidates are single words that a person joins"),
        Figure("judged names among five candidates", None, f"{theirs}/{len(judged)}", f"{ours}/{len(judged)}", "the half of the samples with names that were judged again; ours are whole names"),
        Figure("items available", f"{printed.WITH_ITEM}/50", f"{sum(bool(s['paper_qid']) for s in samples)}/50", f"{with_item}/50", "ours: one of five names is the label of an item of mid 2019"),
    ]  # fmt: skip


# -- windows -------------------------------------------------------------------------------------------------------------------
_MATH = re.compile(r"<math\b[^>]*?\balttext=\"([^\"]*)\".*?</math>", re.S)
_TAG = re.compile(r"<[^<>]*>|<[^<>]*$|^[^<>]*>")
_WORD = re.compile(r"[A-Za-z]{3,}")


def windows(folders: Sequence[Path], widths: Sequence[int]) -> list[Figure]:
    """Return the coverage of the first fifty duplicates by words around them, cut in the raw markup as the authors did, and in the text.

    In raw markup the formula's own tags and those of its neighbours fill a narrow window; what is left after the tags are taken out says nothing.
    """
    places: dict[str, list[tuple[str, int, int]]] = defaultdict(list)
    pages = {
        path.name: path.read_text(encoding="utf-8") for folder in folders for path in sorted(folder.glob("*.html"))
    }
    for name, page in pages.items():
        for found in _MATH.finditer(page):
            places[found[1]].append((name, found.start(), found.end()))
    chosen = [tex for tex in places if SHORTEST <= len(tex) <= LONGEST and "=" in tex and len(places[tex]) > 1]
    top = sorted(chosen, key=lambda tex: (-len(places[tex]), tex))[:TOP]
    texts: dict[str, str] = {}
    for page in read(list(map(str, folders))):
        for each in page.occurrences:
            mask = f"⟦{each.position}⟧"
            if clean(each.tex) not in texts and mask in each.window:
                texts[clean(each.tex)] = each.window.replace(mask, "\0", 1)
    out = []
    for width in widths:
        raw = text = 0
        for tex in top:
            name, start, end = places[tex][0]
            middle = (start + end) // 2
            raw += _has_words(_TAG.sub(" ", pages[name][max(middle - width, 0) : middle + width]))
            before, _, after = texts.get(clean(tex), "").partition("\0")
            text += _has_words(before[-width:] + " " + after[:width])
        out.append(
            Figure(f"coverage by words, ±{width} characters", printed.COVERAGE.get(width), round(raw / max(len(top), 1), 2), round(text / max(len(top), 1), 2), f"{len(top)} duplicates of another corpus: the authors' pages are not released")
        )  # fmt: skip
    return out


def _has_words(text: str) -> bool:
    return any(word.casefold() not in ENGLISH_STOP_WORDS for word in _WORD.findall(text))


# -- other languages -----------------------------------------------------------------------------------------------------------
def languages() -> list[Figure]:
    """Return the figures of method 3 as the printed table adds up; the articles it read are not released."""
    told = [row.split("/") for row in printed.LANGUAGE_ROWS if row != "-"]
    (other, versions), (some, formulas) = printed.LANGUAGES
    return [
        Figure("other representations in language versions", f"{other}/{versions}", f"{sum(int(a) for a, _ in told)}/{sum(int(b) for _, b in told)}", None, "the printed table has five versions in each row; articles not released, ours in docs/articles.md"),
        Figure("formulas with any", f"{some}/{formulas}", f"{sum(a != '0' for a, _ in told)}/{len(told)}", None),
    ]  # fmt: skip


def everything(data: Path) -> dict[str, Any]:
    """Return all figures and the table of duplicates; raises ItemsError where the data is not."""
    formulas, samples, gold = (
        data / "discovery" / name for name in ("astro_3495.jsonl", "paper_50.jsonl", "equivalents_dev.jsonl")
    )
    rows = list(read_lines(formulas, {"i": int, "tex": str, "doc": str, "window500": list}))
    fifty = list(read_lines(samples, {"tex": str, "indices": list}))
    items = list(read_lines(data / "wikidata/items_2019.jsonl", {"qid": str}))
    given = argparse.Namespace(formulas=formulas, samples=samples, gold=gold, theirs=True)
    table_of_samples = ranked(rows, fifty)
    measured = discovery.everything(given)
    figures = [
        *duplicates(table_of_samples),
        *encodings(fifty, measured),
        *names(rows, fifty, items),
        *windows([data / corpus for corpus in CORPORA], sorted(printed.COVERAGE, reverse=True)),
        *languages(),
    ]
    return {"figures": [each._asdict() for each in figures], "samples": table_of_samples}


def main() -> None:
    parser = arguments(__doc__, "--json")
    parser.add_argument("--data", type=Path, required=True, metavar="DIR")
    given = parser.parse_args()
    found = everything(given.data)
    if given.json:
        write_json(found)
        return
    table(
        "Formula Concept Discovery",
        Figure._fields,
        [["" if v is None else v for v in each.values()] for each in found["figures"]],
    )
    print(Counter(tuple(row["keys"]) == tuple(row["printed"]) for row in found["samples"]))


if __name__ == "__main__":
    main()
