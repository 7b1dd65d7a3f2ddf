"""How fast formulas are parsed and keyed beside other parsers, what spellings each key sees through, and which formulas of unlike items clash.

    python benchmarks/keys.py [--items F] [--formulas F...] [--json] [--mutations] [--show K1]

F holds JSON lines with "formulas" (items) or "tex" / "formula". Speeds are formulas a second on one core, best of several runs (`--runs`);
nothing is kept between runs. pylatexenc and latex2mathml are measured in the same run where they are installed (`pip install pylatexenc
latex2mathml`), on the same sample as our parser and keys.
"""

from __future__ import annotations

import importlib
import json
import sys
import time
from collections import defaultdict
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from command import arguments

from bot.formula import LEVELS, FormulaError, clean, keys, parse
from bot.formula.generation.tex_pieces import without_needless_blanks
from bot.formula.normal.stages import recent_normal_forms

SAMPLE = 1500  # formulas that the slower parsers are measured on
Groups = dict[str, list[list[tuple[str, str]]]]


def load(path: Path) -> list[tuple[str, str]]:
    """Return (item or row, formula) pairs."""
    pairs: list[tuple[str, str]] = []
    with path.open(encoding="utf-8") as lines:
        for number, line in enumerate(lines):
            row = json.loads(line)
            found = row.get("formulas") or [row.get("tex") or row.get("formula") or ""]
            pairs += [(str(row.get("qid", f"{path.parent.name}:{number}")), tex) for tex in found if tex]
    return pairs


# -- speed ----------------------------------------------------------------------------------------------------------------
def speed(work: Callable[[str], object], formulas: list[str], runs: int) -> float:
    best = 0.0
    for _ in range(runs):
        for cache in (clean, recent_normal_forms, keys):
            cache.cache_clear()
        start = time.process_time()
        for tex in formulas:
            try:
                work(tex)
            except Exception:
                continue  # what one of the parsers refuses costs its time all the same
        best = max(best, len(formulas) / (time.process_time() - start))
    return round(best)


def others() -> dict[str, Callable[[str], object] | None]:
    """Return the parsers to compare with; None for what is not installed."""
    found: dict[str, Callable[[str], object] | None] = {"pylatexenc": None, "latex2mathml": None}
    if find_spec("pylatexenc"):
        walker = importlib.import_module("pylatexenc.latexwalker").LatexWalker
        found["pylatexenc"] = lambda tex: walker(tex, tolerant_parsing=False).get_latex_nodes()
    if find_spec("latex2mathml"):
        found["latex2mathml"] = importlib.import_module("latex2mathml.converter").convert
    return found


def speeds(formulas: list[str], runs: int) -> dict[str, Any]:
    result: dict[str, Any] = {
        "parse_per_s": speed(parse, formulas, runs),
        "all_keys_per_s": speed(keys, formulas, runs),
    }
    sample = formulas[:: max(1, len(formulas) // SAMPLE)]
    ours = {"parse": speed(parse, sample, runs), "all_keys": speed(keys, sample, runs)}
    for name, work in others().items():
        theirs = speed(work, sample, min(runs, 3)) if work else None
        result[f"{name}_per_s"] = theirs
        for what, value in ours.items():
            result[f"{what}_ratio_{name}"] = round(value / theirs, 1) if theirs else None
    return result


# -- what the keys see through, and what clashes -----------------------------------------------------------------------------
def mutations(formulas: list[str]) -> dict[str, dict[str, Any]]:
    """Return for each way to write a formula differently: the level, how many were tried, the share that kept their key."""
    sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "formula"))
    table = importlib.import_module("mutating").MUTATIONS
    found: dict[str, dict[str, Any]] = {}
    for name, (level, _, mutate) in table.items():
        tried = kept = 0
        for seed, tex in enumerate(sorted(formulas)):
            other = mutate(tex, seed)
            if other is None or other == without_needless_blanks(tex):
                continue
            tried += 1
            kept += _equal(tex, other, level)
        found[name] = {"level": level, "tried": tried, "kept": round(kept / tried, 4) if tried else None}
    return found


def _equal(tex: str, other: str, level: str) -> bool:
    try:
        return keys(tex).at(level) == keys(other).at(level)
    except FormulaError:
        return False


def clashes(pairs: list[tuple[str, str]]) -> tuple[dict[str, int], Groups, list[str]]:
    """Return the number of groups of several items at each level, the groups that first meet there, and what has no tree."""
    groups: dict[str, dict[str, dict[str, str]]] = {level: defaultdict(dict) for level in LEVELS}
    errors: list[str] = []
    stricter: dict[str, set[frozenset[str]]] = {level: set() for level in LEVELS}
    for name, tex in pairs:
        try:
            found = keys(tex)
        except FormulaError as error:
            errors.append(f"{tex[:60]}: {error}")
            continue
        for level in LEVELS:
            groups[level][found.at(level)].setdefault(name, tex)
    several = {level: [group for group in found.values() if len(group) > 1] for level, found in groups.items()}
    first: Groups = {}
    for number, level in enumerate(LEVELS):
        if number:
            stricter[level] = stricter[LEVELS[number - 1]] | {frozenset(group) for group in several[LEVELS[number - 1]]}
        first[level] = [sorted(group.items()) for group in several[level] if frozenset(group) not in stricter[level]]
    return {level: len(found) for level, found in several.items()}, first, errors


def main() -> None:
    parser = arguments(__doc__, "--json")
    parser.add_argument("--items", type=Path, help="items with their formulas")
    parser.add_argument(
        "--formulas", type=Path, nargs="+", default=[], help="files of formulas; with --items for the speeds only"
    )
    parser.add_argument("--runs", type=int, default=5, help="take the best of this many")
    parser.add_argument("--mutations", action="store_true", help="count which spellings keep their key")
    parser.add_argument("--show", choices=LEVELS, help="list the groups of items that first meet at this level")
    options = parser.parse_args()
    if not options.items and not options.formulas:
        parser.error("name a file: --items F or --formulas F")
    files = [options.items, *options.formulas] if options.items else options.formulas
    loaded = [load(path) for path in files]
    pairs = loaded[0] if options.items else [pair for part in loaded for pair in part]
    unique = list(dict.fromkeys(tex for part in loaded for _, tex in part))
    counts, first, errors = clashes(pairs)
    result: dict[str, Any] = {"formulas": len(unique) if options.formulas else len(pairs), "errors": len(errors)}
    result |= speeds(unique, options.runs)
    result["clashes"] = counts
    if options.mutations:
        result["mutations"] = mutations(list(dict.fromkeys(tex for _, tex in pairs)))
    if options.json:
        print(json.dumps(result))
        return
    _report(result)
    for group in first.get(options.show, []):
        print(*(f"  {name:>12}  {tex}" for name, tex in group), sep="\n", end="\n\n")
    print(*errors[:20], sep="\n")


def _report(result: dict[str, Any]) -> None:
    print(f"{result['formulas']:,} formulas, {result['errors']} without a tree")
    print(f"parse {result['parse_per_s']:,}/s · all keys {result['all_keys_per_s']:,}/s")
    for name in others():
        theirs = result[f"{name}_per_s"]
        if theirs is None:
            print(f"{name} is not installed: no ratio (pip install {name})")
            continue
        print(
            f"{name} {theirs:,}/s in the same run: our parser is {result[f'parse_ratio_{name}']} times as fast, parser and all keys"
            f" {result[f'all_keys_ratio_{name}']} times"
        )
    for name, row in result.get("mutations", {}).items():
        print(f"  {name:<16} {row['level']}  {row['kept']:.2%} of {row['tried']:,}")
    print("groups of several items: " + " · ".join(f"{level} {count}" for level, count in result["clashes"].items()))


if __name__ == "__main__":
    main()
