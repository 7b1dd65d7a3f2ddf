"""What is made of formulas of many fields, of misprints of them and of pairs: only digests are kept, `recorded_forms` and `recorded_alignments` say of what.

`python tests/formula/recorded_digests.py` records them anew, where a change is meant; a formula is added as a line with its TeX alone.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from recorded_alignments import of_formula, of_pair
from recorded_forms import DATA, _rows, _short, recorded, recorded_pair

SHORT = 60
STORE = DATA / "recorded_digests.jsonl"


def kept() -> list[dict[str, Any]]:
    return _rows(STORE)


MADE: dict[str, Callable[..., Any]] = {
    "forms": recorded,
    "stated": of_formula,
    "related": recorded_pair,
    "laid": of_pair,
}


def kinds(row: dict[str, Any]) -> tuple[str, ...]:
    """Return what is made of a row, which is a formula or a pair; what a formula states takes long, and is made of short ones."""
    if "tex" in row:
        return ("forms", "stated") if len(row["tex"]) <= SHORT else ("forms",)
    return "related", "laid"


def digest(row: dict[str, Any], kind: str) -> str:
    return _short(MADE[kind](*(row[name] for name in ("tex", "a", "b") if name in row)))


if __name__ == "__main__":
    given = [{name: text for name, text in row.items() if name not in MADE} for row in kept()]
    rows = [row | {kind: digest(row, kind) for kind in kinds(row)} for row in given]
    text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    STORE.write_text(text, encoding="utf-8")
