"""A formula in its document: the right item first, for a formula alone and with what its document says.

Rows {"formula" or "tex", "qid"} with `doc`, the title of an article, and, where known, `semantic`, the meaning of the letters as QIDs
(\\w{Q41273}{p}). Contexts: the title; the heading; the sentence; the 500 characters around the formula, with and without the other formulas;
title and window; the document's other rows; the letters (“where p is the momentum”); the item's own name, as the title of an article
about it. The articles come from `--corpus`. Each figure is over the rows that have such a context, beside what the formula alone gives
for the same rows. `ceiling`: share of the rows whose item is in the file, and is in it with a formula or in the built-in list; of formulas that
several documents or sets hold, the share that is labelled alike.
"""

from __future__ import annotations

import re
import sys
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from command import arguments

from bot.console import read_lines, table, write_json
from bot.corpus import ParsedDocument, read
from bot.errors import FormulaError
from bot.formula import clean, keys
from bot.match import Recogniser
from bot.records import Occurrence

AROUND = 500  # characters
OTHERS = 30  # of the document's other formulas
_LETTER = re.compile(r"\\w\{(Q\d+)\}\{")
_MASK = re.compile(r"⟦(\d+)⟧")
_SENTENCES = re.compile(r"(?<=[.])\s+(?=[A-Z⟦])")


def tex_of(row: Mapping[str, Any]) -> str:
    return str(row.get("tex") or row["formula"])


def title_of(row: Mapping[str, Any]) -> str:
    """Return the title of the row's article as a reader sees it."""
    return str(row.get("doc") or "").replace("_", " ")


def articles(corpora: Sequence[str]) -> dict[str, ParsedDocument]:
    """Return the encyclopaedia's articles by title."""
    found: dict[str, ParsedDocument] = {}
    for page in read(corpora) if corpora else ():
        if page.document.kind == "encyclopaedia":
            found.setdefault(page.document.title, page)
    return found


def contexts(
    rows: Sequence[Mapping[str, Any]], pages: Mapping[str, ParsedDocument], labels: Mapping[str, str]
) -> list[dict[str, str]]:
    """Return for each row what can be said of its place, by kind."""
    by_document: dict[str, list[str]] = defaultdict(list)
    for row in rows:
        by_document[title_of(row)].append(tex_of(row))
    last: dict[str, int] = {}
    found = []
    for row in rows:
        title, tex = title_of(row), tex_of(row)
        said: dict[str, str] = {}
        if title:
            said["title"] = title
            said["others"] = "\n".join([other for other in by_document[title] if other != tex][:OTHERS])
        page = pages.get(title)
        place = locate(page, tex, last.get(title, -1)) if page else None
        if page and place:
            last[title] = place.position
            around = window(page, place)
            said |= {
                "sentence": sentence(page, place),
                "around": around,
                "around, no formulas": re.sub(r"\$[^$]*\$", " ", around),
                "title and around": f"{title}\n{around}",
                "title and heading": f"{title}\n{place.heading}",
            }
        letters = ", ".join(f"${symbol}$ is the {labels[qid]}" for qid, symbol in meanings(row) if qid in labels)
        if letters:
            said["letters"] = f"where {letters}"
        if row.get("semantic") and row.get("name"):
            said["name"] = str(row["name"])
        found.append({kind: text for kind, text in said.items() if text.strip()})
    return found


def locate(page: ParsedDocument, tex: str, after: int) -> Occurrence | None:
    """Return where a formula stands in an article: as it is written, else by its key; the first place after the last one found."""
    same = [each for each in page.occurrences if _squeezed(each.tex) == _squeezed(tex)]
    if not same and len(tex) > 8:
        same = [each for each in page.occurrences if key(each.tex, "K1") == key(tex, "K1") != ""]
    return next((each for each in same if each.position > after), same[0] if same else None)


def window(page: ParsedDocument, place: Occurrence) -> str:
    """Return the characters around a formula, formulas as TeX between dollars."""
    mask = f"⟦{place.position}⟧"
    at = max(place.window.find(mask), 0)
    text = place.window[max(0, at - AROUND // 2) : at + len(mask) + AROUND // 2]
    return _filled(page, re.sub(r"^[^⟦⟧]{0,6}⟧|⟦[^⟦⟧]{0,6}$", "", text))


def sentence(page: ParsedDocument, place: Occurrence) -> str:
    found = [each for each in _SENTENCES.split(place.window) if f"⟦{place.position}⟧" in each]
    return _filled(page, found[0] if found else place.window[:200])


def _filled(page: ParsedDocument, text: str) -> str:
    tex = {each.position: each.tex for each in page.occurrences}
    return _MASK.sub(lambda match: f"${tex.get(int(match[1]), '')}$", text)


def meanings(row: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return (QID, symbol) of a row's letters, each once."""
    text = str(row.get("semantic") or "")
    found: dict[tuple[str, str], None] = {}
    for match in _LETTER.finditer(text):
        at, depth = match.end(), 1
        while at < len(text) and depth:
            depth += (text[at] == "{") - (text[at] == "}")
            at += 1
        found[match[1], text[match.end() : at - 1]] = None
    return list(found)


def key(tex: str, level: str) -> str:
    try:
        return keys(clean(tex)).at(level)
    except FormulaError:
        return ""


def _squeezed(tex: str) -> str:
    return "".join(clean(tex).split())


def agreement(sets: Mapping[str, Sequence[Mapping[str, Any]]]) -> dict[str, Any]:
    """Return how often a formula of one document carries the same item in another document or set."""
    by_key: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for name, rows in sets.items():
        for row in rows:
            by_key[key(tex_of(row), "K2")].append((title_of(row) or name, row["qid"]))
    shares = []
    for formula, labelled in by_key.items():
        for place, qid in labelled if formula else ():
            others = [other for elsewhere, other in labelled if elsewhere != place]
            if others:
                shares.append(sum(other == qid for other in others) / len(others))
    return {"formulas": len(shares), "labelled_alike": round(sum(shares) / len(shares), 4) if shares else None}


def figures(answers: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the share of rows whose first hit is right, and what is accepted."""
    rows = list(answers)
    right = [bool(row["hits"]) and row["hits"][0]["qid"] == row["qid"] for row in rows]
    accepted = [good for row, good in zip(rows, right, strict=True) if row["accepted"]]
    ten = [any(hit["qid"] == row["qid"] for hit in row["hits"]) for row in rows]
    return {
        "queries": len(rows),
        "top1": round(sum(right) / max(len(rows), 1), 4),
        "top10": round(sum(ten) / max(len(rows), 1), 4),
        "accepted": len(accepted),
        "accepted_precision": round(sum(accepted) / len(accepted), 4) if accepted else None,
    }


def run(
    recogniser: Recogniser,
    items: Mapping[str, Mapping[str, Any]],
    rows: Sequence[Mapping[str, Any]],
    pages: Mapping[str, ParsedDocument],
) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Return the figures of one set by context, and all answers."""
    said = contexts(rows, pages, {qid: row["label"] for qid, row in items.items() if row.get("label")})
    known = {entry.qid for entry in recogniser.index.entries}
    plain = [{"tex": tex_of(row), "qid": row["qid"]} for row in rows]
    alone = list(recogniser.answers(plain))
    found: dict[str, Any] = {
        "ceiling": {
            "in_items": round(sum(row["qid"] in items for row in rows) / max(len(rows), 1), 4),
            "with_a_formula": round(sum(row["qid"] in known for row in rows) / max(len(rows), 1), 4),
        },
        "alone": figures(alone),
    }
    answers = [{**answer, "kind": "alone"} for answer in alone]
    for kind in dict.fromkeys(kind for each in said for kind in each):
        there = [n for n, each in enumerate(said) if kind in each]
        told = list(recogniser.answers([{**plain[n], "context": said[n][kind]} for n in there]))
        found[kind] = {**figures(told), "alone": figures([alone[n] for n in there])["top1"]}
        answers += [{**answer, "kind": kind} for answer in told]
    return found, answers


def main() -> None:
    parser = arguments(__doc__, "--items", "--no-builtin", "--json")
    parser.add_argument("--queries", required=True, nargs="+", metavar="F")
    parser.add_argument("--corpus", nargs="*", default=[], metavar="DIR", help="where the articles are")
    args = parser.parse_args()
    rows = list(read_lines(args.items, {"qid": str}))
    items = {row["qid"]: row for row in rows}
    recogniser = Recogniser(rows, book={} if args.no_builtin else None)
    sets = {Path(path).stem: [row for row in read_lines(path) if row.get("qid")] for path in args.queries}
    pages = articles(args.corpus)
    found: dict[str, Any] = {}
    wrong = []
    for name, queries in sets.items():
        found[name], answers = run(recogniser, items, queries, pages)
        for a in answers:
            first = a["hits"][0] if a["hits"] else {"qid": "", "probability": 0.0}
            if first["qid"] != a["qid"] and a["kind"] in ("title and around", "letters"):
                wanted = items.get(a["qid"], {}).get("label", a["qid"])
                got = items.get(first["qid"], {}).get("label", "–")
                wrong.append((a["kind"], a["tex"][:60], wanted, got, first["probability"]))
    found["labels"] = agreement(sets)
    if args.json:
        write_json(found)
        return
    table("not first", ("context", "query", "wanted", "first hit", "p"), wrong)
    for name in sets:
        kinds = [(kind, *each.values()) for kind, each in found[name].items() if kind not in ("ceiling", "alone")]
        kinds.insert(0, ("alone", *found[name]["alone"].values(), found[name]["alone"]["top1"]))
        table(name, ("context", "queries", "first", "in ten", "accepted", "of these right", "alone"), kinds)
        table("ceiling", ("what", "share"), list(found[name]["ceiling"].items()))
    table("labels", ("what", "figure"), list(found["labels"].items()))


if __name__ == "__main__":
    main()
