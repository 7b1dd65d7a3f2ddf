"""The paper's section on discovery, repeated: the ranked duplicates, the encodings, names and items of the fifty samples, windows, other languages.

Each value has a code of `paper_printed.tsv`: repeated from the authors' released data or by their method, ours on the same data, and what the difference is.

    python benchmarks/paper_discovery.py --data DIR [--json]
"""

from __future__ import annotations

import re
import sys
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from statistics import mean
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import discovery
import names as naming
from command import arguments
from discovery import distinct, form, success, written
from equivalents import concepts, formulas, wanted
from paper_printed import PRINTED, Value
from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

from bot.console import read_lines, table, write_json
from bot.corpus import read
from bot.discover.grouping.encoding_names import FAST
from bot.discover.grouping.encodings import encode_formulas
from bot.discover.grouping.equivalents import Equivalents
from bot.errors import FormulaError
from bot.formula import clean, keys
from bot.match.knowledge import Knowledge
from bot.match.retrieval.known_concepts import builtin_concepts as known

Row = Mapping[str, Any]
Near = Mapping[int, Sequence[int]]  # the neighbours of each sample of the gold
HALVES = ("first", "kept apart")
KINDS = {
    "math2vec": "math2vec",
    "math_tfidf": "math tf-idf",
    "sem2vec": "semantics2vec",
    "sem_tfidf": "semantics tf-idf",
}
CORPORA = ("corpora/latexml_star_formation_a_ch01_11", "corpora/latexml_arxiv_real_a")
SHORTEST, LONGEST, TOP = 10, 30, 50  # characters of a formula, and how many are looked at: as in the paper


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


def duplicates(found: Sequence[Mapping[str, Any]], rows: Sequence[Row]) -> list[Value]:
    equal = sum(row["strings"] == row["printed"] for row in found)
    larger = sum(row["keys"][0] > row["printed"][0] for row in found)
    same = sum(row["keys"] == row["printed"] for row in found)
    more = {name: sum(row[name][0] > 2 for row in found) for name in ("strings", "keys")}
    values = [
        Value("discovery.corpus.documents", "documents of astrophysics", len({row["doc"] for row in rows}), remark="repeated: documents with a released formula"),
        Value("discovery.corpus.selected", "formulas of 10 to 30 characters in at least two documents", len(rows)),
        Value("discovery.duplicates", "samples with d and D as printed", equal, same, None, f"of {len(found)}; by canonical keys {larger} have more occurrences, because other spellings are counted"),
        Value("discovery.documents_per_formula", "documents of a formula", round(mean(row["strings"][1] for row in found), 1), round(mean(row["keys"][1] for row in found), 1)),
        Value("discovery.more_than_two", "samples with more than two duplicates", more["strings"], more["keys"]),
    ]  # fmt: skip
    for row in found:
        for n, name in enumerate(("d", "D")):
            values.append(Value(f"samples.{row['nr']}.{name}", row["tex"], row["strings"][n], row["keys"][n], None, "ours: equal canonical keys"))  # fmt: skip
    return values


# -- equivalents and encodings -------------------------------------------------------------------------------------------------
def counted(sample: Row) -> dict[str, int]:
    """Return the equivalents that each encoding found, as released."""
    return {name: int(sample["equiv_counts"][key]) for key, name in KINDS.items()}


def shares(samples: Sequence[Row]) -> dict[str, tuple[float, float]]:
    """Return for each encoding the mean of its shares over the samples that have equivalents, and its share of all of them."""
    some = [each for each in map(counted, samples) if sum(each.values())]
    every = sum(sum(each.values()) for each in some)
    return {
        name: (mean(each[name] / sum(each.values()) for each in some), sum(each[name] for each in some) / every)
        for name in KINDS.values()
    }


def halves(gold: Sequence[Row]) -> dict[str, list[int]]:
    """Return the samples of each half: a concept (samples that share an equivalent) is in one half, every second concept in the one kept apart."""
    of = concepts(gold)
    return {name: [g for g, concept in enumerate(of) if concept % 2 == n] for n, name in enumerate(HALVES)}


def encodings(
    rows: Sequence[Row], samples: Sequence[Row], gold: Sequence[Row], model: Equivalents, near: Mapping[str, Near]
) -> list[Value]:
    """Return the equivalents of the samples, and what each encoding finds of them; `near`: distinct neighbours, `plain` and `ours`."""
    every = [sum(counted(sample).values()) for sample in samples]
    some = f"{sum(map(bool, every))}/{len(samples)}"
    judged = discovery.judged_neighbours(model, rows, gold)
    first = {name: discovery.together(found) for name, found in near.items()}
    last = {name: _last_new(found, rows, gold) for name, found in near.items()}
    got = {"plain": success(first["plain"], rows, gold), "ours": success(first["ours"] | {"judged": judged}, rows, gold)}  # fmt: skip
    per = sum(every) / max(len(samples), 1)
    values = [
        Value("discovery.equivalents", "equivalents retrieved", sum(every), remark="the printed table of results adds up to two more"),
        Value("discovery.per_formula", "equivalents for a formula", round(per, 1)),
        Value("discovery.per_source", "equivalents for a formula and an encoding", round(per / 4, 1)),
        Value("discovery.with_any", "samples with an equivalent", some, f"{got['ours']['all four']['samples_with_any']}/{len(gold)}", None, "ours: by the gold, of the samples that have one"),
        Value("discovery.neighbours", "number of neighbours after which nothing is added", last["plain"], last["ours"], None, f"by the gold, of {discovery.FURTHEST} different neighbours"),
    ]  # fmt: skip
    for name, (by_sample, of_all) in shares(samples).items():
        plain, ours = got["plain"][name], got["ours"][name]
        values += [
            Value(f"discovery.share.{name}", f"relative success, {name}", round(by_sample, 2), ours["relative"], None, f"the printed value is the mean over samples; share of all their equivalents {of_all:.2f}; ours: share of all by the gold, with the paper's method {plain['relative']:.2f}"),
            Value(f"discovery.gold.{name}", f"equivalents in the gold, {name}", plain["equivalents"], ours["equivalents"], None, f"of {ours['possible']}"),
        ]  # fmt: skip
    values += [
        Value("discovery.gold.all four", "equivalents in the gold, all four together", got["plain"]["all four"]["equivalents"], got["ours"]["all four"]["equivalents"], None, "nine neighbours by each"),
        Value("discovery.gold.judged", "equivalents in the gold, checked by alignment", None, got["ours"]["judged"]["equivalents"], None, f"of {got['ours']['judged']['possible']}; those that grouping keeps"),
    ]  # fmt: skip
    for half, members in halves(gold).items():
        part = {name: success(_only(found, members), rows, gold, members) for name, found in first.items()}
        for name in (*KINDS.values(), "all four"):
            plain, ours = part["plain"][name], part["ours"][name]
            values.append(Value(f"discovery.half.{half}.{name}", f"equivalents in the gold, {half} half, {name}", plain["equivalents"], ours["equivalents"], None, f"of {ours['possible']}; {len(members)} samples"))  # fmt: skip
    return values + _by_sample(rows, samples, gold, first["ours"])


def _only(found: Mapping[str, Near], members: Sequence[int]) -> dict[str, Near]:
    return {name: {g: lines[g] for g in members if g in lines} for name, lines in found.items()}


def _last_new(found: Mapping[str, Near], rows: Sequence[Row], gold: Sequence[Row]) -> int:
    """Return the last k with which the four encodings together find an equivalent more than with k - 1."""
    counts = [
        success(discovery.together(found, k), rows, gold)["all four"]["equivalents"]
        for k in range(discovery.FURTHEST + 1)
    ]
    return max((k for k in range(1, len(counts)) if counts[k] > counts[k - 1]), default=0)


def _by_sample(rows: Sequence[Row], samples: Sequence[Row], gold: Sequence[Row], near: Mapping[str, Near]) -> list[Value]:  # fmt: skip
    """Return the shares of the encodings for each sample: of the released counts, and of ours by gold for the half of the samples that has one."""
    at = {sample["nr"]: g for g, sample in enumerate(gold)}
    values = []
    for sample in samples:
        nr, theirs = sample["nr"], counted(sample)
        g = at.get(nr)
        right = {} if g is None else {name: len({written(rows[n]["tex"]) for n in near[name].get(g, ()) if n in wanted(rows, gold[g])[0]}) for name in KINDS.values()}  # fmt: skip
        for name in KINDS.values():
            ours = round(right[name] / max(sum(right.values()), 1), 2) if right else None
            remark = "" if right else "no gold for this sample"
            values.append(Value(f"samples.{nr}.share.{name}", f"{sample['tex']}, {name}", round(theirs[name] / max(sum(theirs.values()), 1), 2), ours, None, remark))  # fmt: skip
    return values


def example_ranks(rows: Sequence[Row], samples: Sequence[Row], model: Equivalents) -> list[Value]:
    """Return for each sample the authors' example of an equivalent, as released, and its place among our judged neighbours."""
    at = {row["i"]: n for n, row in enumerate(rows)}
    everywhere = {written(row["tex"]) for row in rows}
    values = []
    for sample in samples:
        example = sample["example_equivalent"]
        place, remark = None, ""
        if example != "N/A" and sample["indices"]:
            near = [n.row for n in model.neighbours(at[sample["indices"][0]])]
            first = [form(rows[row]["tex"]) for row in distinct(rows, near, sample["tex"], discovery.FIRST, form)]
            if form(example) == form(sample["tex"]):
                place, remark = "grouped", "equal except for scripts, sides or arguments"
            elif form(example) in first:
                place, remark = f"{first.index(form(example)) + 1}.", "its rank among our neighbours"
            else:
                place, remark = "–", "not among our first ten" if written(example) in everywhere else "the example is not among the released formulas"  # fmt: skip
        values.append(Value(f"samples.{sample['nr']}.example", sample["tex"], example, place, None, remark))
    return values


# -- names and items -----------------------------------------------------------------------------------------------------------
def names(rows: Sequence[Row], samples: Sequence[Row], items: Iterable[Row]) -> list[Value]:
    """Return names and items of the samples: as printed, in the authors' table, and by the names that `discover` gives."""
    at = naming.concepts(rows, Knowledge(known))
    where = {row["i"]: (row["doc"], row["i"]) for row in rows}
    items = list(items)
    labels: dict[str, str] = {}
    for row in items:
        labels.setdefault(str(row.get("label", "")).casefold(), row["qid"])
    judged = [sample for sample in samples if "judged_names" in sample]
    theirs = ours = 0
    values, available = [], 0
    for sample in samples:
        found = next((at[where[i]] for i in sample["indices"] if where.get(i) in at), [])[:5]
        item = next((labels[name.casefold()] for name in found if name.casefold() in labels), None)
        available += item is not None
        values += [
            Value(f"samples.{sample['nr']}.name", sample["tex"], sample["paper_name"] or "N/A", found[0] if found else "N/A"),
            Value(f"samples.{sample['nr']}.qid", sample["tex"], sample["paper_qid"] or "N/A", item or "N/A", None, "ours: the item of mid 2019 with one of five names as its label"),
        ]  # fmt: skip
        if sample in judged:
            accepted = {naming.words(name) for name in sample["judged_names"]}
            ours += bool(accepted & set(map(naming.words, found)))
            theirs += any(set(name.split()) <= set(sample["paper_candidates"]) for name in sample["judged_names"])
    with_formula = sum(bool(row.get("formulas")) for row in items)
    return [
        Value("discovery.items_with_formula", "items with a defining formula", with_formula, remark="repeated: the items of mid 2019"),
        Value("discovery.named", "names among five candidates", f"{sum(bool(s['paper_name']) for s in samples)}/{len(samples)}", remark="judged by the authors; candidates are single words that a person combines"),
        Value("discovery.named.judged", "judged names among five candidates", f"{theirs}/{len(judged)}", f"{ours}/{len(judged)}", None, "the half of the samples whose names were judged again; ours are whole names"),
        Value("discovery.available", "items available", f"{sum(bool(s['paper_qid']) for s in samples)}/{len(samples)}", f"{available}/{len(samples)}", None, "ours: one of five names is the label of an item of mid 2019"),
        *values,
    ]  # fmt: skip


# -- windows -------------------------------------------------------------------------------------------------------------------
_MATH = re.compile(r"<math\b[^>]*?\balttext=\"([^\"]*)\".*?</math>", re.S)
_TAG = re.compile(r"<[^<>]*>|<[^<>]*$|^[^<>]*>")
_WORD = re.compile(r"[A-Za-z]{3,}")


def windows(folders: Sequence[Path], widths: Sequence[int]) -> list[Value]:
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
            Value(f"discovery.coverage.{width}", f"coverage by words, ±{width} characters", round(raw / max(len(top), 1), 2), round(text / max(len(top), 1), 2), None, f"{len(top)} duplicates of another corpus, since the authors' pages are not released")
        )  # fmt: skip
    return out


def _has_words(text: str) -> bool:
    return any(word.casefold() not in ENGLISH_STOP_WORDS for word in _WORD.findall(text))


# -- other languages -----------------------------------------------------------------------------------------------------------
def languages() -> list[Value]:
    """Return the figures of method 3 as the printed table adds up; the articles it read are not released."""
    column = [row.value for code, row in PRINTED.items() if code.startswith("languages.") and code.endswith(".share")]
    told = [str(value).split("/") for value in column if value != "-"]
    return [
        Value("languages.versions", "other representations in language versions", f"{sum(int(a) for a, _ in told)}/{sum(int(b) for _, b in told)}", remark="the printed table has five versions in each row; the articles are not released"),
        Value("languages.formulas", "formulas with another representation", f"{sum(a != '0' for a, _ in told)}/{len(told)}"),
    ]  # fmt: skip


def everything(data: Path) -> tuple[list[Value], list[dict[str, Any]]]:
    """Return all values and the table of duplicates; raises ItemsError where the data is not."""
    formulas_file, samples, gold_file = (
        data / "discovery" / name for name in ("astro_3495.jsonl", "paper_50.jsonl", "equivalents_dev.jsonl")
    )
    rows = list(read_lines(formulas_file, {"i": int, "tex": str, "doc": str, "window500": list}))
    fifty = list(read_lines(samples, {"tex": str, "indices": list}))
    gold = list(read_lines(gold_file, {"tex": str, "equivalent": list}))
    items = list(read_lines(data / "wikidata/items_2019.jsonl", {"qid": str}))
    table_of_samples = ranked(rows, fifty)
    near = {
        name: discovery.found_by(make, rows, gold, discovery.FURTHEST)[0]
        for name, make in (("ours", encode_formulas), ("plain", discovery.plain))
    }
    model = Equivalents(encodings=FAST).fit(formulas(rows))
    values = [
        *duplicates(table_of_samples, rows),
        *encodings(rows, fifty, gold, model, near),
        *example_ranks(rows, fifty, model),
        *names(rows, fifty, items),
        *windows([data / corpus for corpus in CORPORA], (500, 400, 300, 200, 100)),
        *languages(),
    ]
    return values, table_of_samples


def main() -> None:
    parser = arguments(__doc__, "--json")
    parser.add_argument("--data", type=Path, required=True, metavar="DIR")
    given = parser.parse_args()
    values, samples = everything(given.data)
    if given.json:
        write_json({"values": [value.row() for value in values], "samples": samples})
        return
    shown = [value.row() for value in values if not value.code.startswith("samples.")]
    table("Formula Concept Discovery", list(shown[0]), [["" if v is None else v for v in row.values()] for row in shown])  # fmt: skip


if __name__ == "__main__":
    main()
