"""Every value that the paper prints in its tables and text (`paper_printed.tsv`), and what a strict reading of the authors' own data leaves of some.

A row of the list: code, where it is printed, the value, and the reason where it is not repeated. A value that stands at several places of the paper
is listed once. The table of separation heads its second and third column the wrong way round (what it calls Content Doc2Vec are the figures of
Semantics TF-IDF): here they stand under the encoding that they belong to, and the list says so.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

Number = float | int | str


class Printed(NamedTuple):
    """One value of the paper."""

    where: str
    value: Number
    reason: str


class Value(NamedTuple):
    """One value under its code: repeated from the released data or by the method of the paper, ours on the same data, and ours by what has not seen the classes measured."""

    code: str
    what: str
    repeated: Number | None = None
    ours: Number | None = None
    inductive: Number | None = None
    remark: str = ""

    def row(self) -> dict[str, Any]:
        """Return it as it is written, beside what is printed."""
        kind = self.code.split(".")[0]
        start = {"section": SECTIONS[kind], "code": self.code, "what": self.what, "printed": printed(self.code)}
        return start | {name: getattr(self, name) for name in ("repeated", "ours", "inductive", "remark")}


SECTIONS = {
    "discovery": "discovery",
    "samples": "discovery, the fifty samples",
    "languages": "discovery, other languages",
    "challenges": "challenges",
    "data": "recognition, data",
    "search": "recognition 1, search",
    "thirty": "recognition 2, thirty equations",
    "classes": "recognition 2, classes",
    "similarity": "recognition 3, similarity",
    "learning": "discovery by recognition",
}


def _number(text: str) -> Number:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def read_printed() -> dict[str, Printed]:
    """Return the list by code."""
    with Path(__file__).with_name("paper_printed.tsv").open(encoding="utf-8", newline="") as file:
        lines = csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
        return {row["code"]: Printed(row["where"], _number(row["printed"]), row["reason"]) for row in lines}


PRINTED = read_printed()


def printed(code: str) -> Number | None:
    """Return what the paper prints under this code, None where it prints nothing."""
    return PRINTED[code].value if code in PRINTED else None


def lost(codes: Iterable[str]) -> list[str]:
    """Return the codes of the list that are neither among these nor have a reason."""
    return sorted({code for code, row in PRINTED.items() if not row.reason}.difference(codes))


SOURCES = tuple(code.split(".")[1] for code in PRINTED if code.startswith("search.") and code.endswith(".mrr"))
# Of the 68 hits counted for Wikidata LaTeX 45 hold: top-1, top-10, MRR@10.
SEARCH_STRICT = {"Wikidata LaTeX": (0.29, 0.52, 0.36)}
# Ten classes, measured strictly on the same data: accuracy of Doc2Vec fed with words instead of characters; and the best known figures from
# TeX alone (accuracy, standard purity, adjusted Rand index).
ACCURACY_STRICT = {"content TF-IDF": 0.91, "content Doc2Vec": 0.90, "semantics Doc2Vec": 0.93}
BEST_KNOWN = {"accuracy": 0.96, "purity": 0.82, "ari": 0.67}
