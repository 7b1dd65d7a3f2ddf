"""How fast formulas are parsed and keyed, and which formulas of unlike items clash at each level.

    python benchmarks/keys.py --items F | --formulas F [--json] [--show K1]

F holds JSON lines with "formulas" (items) or "tex" / "formula". Speeds are formulas a second on one core, best of three runs.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from bot.formula import LEVELS, FormulaError, keys, parse
from bot.formula.forms import forms
from bot.formula.keys import strict_keys


def load(path: Path) -> list[tuple[str, str]]:
    """Return (item or row, formula) pairs."""
    pairs: list[tuple[str, str]] = []
    with path.open(encoding="utf-8") as lines:
        for number, line in enumerate(lines):
            row = json.loads(line)
            found = row.get("formulas") or [row.get("tex") or row.get("formula") or ""]
            pairs += [(str(row.get("qid", number)), tex) for tex in found if tex]
    return pairs


def speed(work: Callable[[str], object], formulas: list[str]) -> float:
    best = 0.0
    for _ in range(3):
        forms.cache_clear()
        keys.cache_clear()
        start = time.process_time()
        for tex in formulas:
            try:
                work(tex)
            except FormulaError:
                continue
        best = max(best, len(formulas) / (time.process_time() - start))
    return round(best)


def clashes(pairs: list[tuple[str, str]]) -> tuple[dict[str, int], dict[str, list[list[tuple[str, str]]]], list[str]]:
    groups: dict[str, dict[str, dict[str, str]]] = {level: defaultdict(dict) for level in LEVELS}
    errors: list[str] = []
    for name, tex in pairs:
        try:
            found = keys(tex)
        except FormulaError as error:
            errors.append(f"{tex[:60]}: {error}")
            continue
        for level in LEVELS:
            groups[level][found.at(level)].setdefault(name, tex)
    listed = {
        level: [sorted(group.items()) for group in found.values() if len(group) > 1] for level, found in groups.items()
    }
    return {level: len(found) for level, found in listed.items()}, listed, errors


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument("--items", type=Path)
    source.add_argument("--formulas", type=Path)
    parser.add_argument("--json", action="store_true", help="one JSON object")
    parser.add_argument("--show", choices=LEVELS, help="list the groups of this level")
    options = parser.parse_args()
    pairs = load(options.items or options.formulas)
    unique = list(dict.fromkeys(tex for _, tex in pairs))
    counts, listed, errors = clashes(pairs)
    result: dict[str, Any] = {
        "formulas": len(pairs),
        "errors": len(errors),
        "parse_per_s": speed(parse, unique),
        "k1_k2_per_s": speed(strict_keys, unique),
        "all_keys_per_s": speed(keys, unique),
        "clashes": counts,
    }
    if options.json:
        print(json.dumps(result))
        return
    print(f"{result['formulas']:,} formulas, {result['errors']} without a tree")
    print(
        f"parse {result['parse_per_s']:,}/s · K1 and K2 {result['k1_k2_per_s']:,}/s · all keys {result['all_keys_per_s']:,}/s"
    )
    print("groups of several items: " + " · ".join(f"{level} {count}" for level, count in counts.items()))
    for group in listed.get(options.show, []):
        print(*(f"  {name:>12}  {tex}" for name, tex in group), sep="\n", end="\n\n")
    print(*errors[:20], sep="\n")


if __name__ == "__main__":
    main()
