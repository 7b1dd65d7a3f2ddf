"""What is made of formulas of many fields, of misprints of them and of pairs: only digests are kept, `recorded_forms` and `recorded_alignments` say of what.

`python tests/formula/recorded_digests.py` records them anew, where a change is meant; a formula is added as a line with its TeX alone.
"""

from __future__ import annotations

import json
from typing import Any

from recorded_alignments import of_formula, of_pair
from recorded_forms import DATA, _rows, _short, recorded, recorded_pair

STORE = DATA / "recorded_digests.jsonl"


def kept() -> list[dict[str, Any]]:
    return _rows(STORE)


def digested(row: dict[str, Any]) -> dict[str, Any]:
    """Return a row, a formula or a pair, with what is made of it."""
    if tex := row.get("tex"):
        return {"tex": tex, "forms": _short(recorded(tex)), "stated": _short(of_formula(tex))}
    a, b = row["a"], row["b"]
    return {"a": a, "b": b, "related": _short(recorded_pair(a, b)), "laid": _short(of_pair(a, b))}


if __name__ == "__main__":
    text = "".join(json.dumps(digested(row), ensure_ascii=False) + "\n" for row in kept())
    STORE.write_text(text, encoding="utf-8")
