"""What the symbols of formulas mean, through `discover`, `match` and `export symbols`, against a reader's answers.

`--gold`: JSON lines {"document", "position", "tex", "symbols": [{"symbol", "meaning", "qid", "item_label", "qid_fit", "unit_dimension"}], "balanced"}.
A formula is found by its document and position, else by its key K2 in the documents of its corpus. A meaning is right where it names the
reader's quantity, or has the head of the reader's words or of the item's label (see `right_meaning`); an item is right where it is the reader's.
Recall is of all symbols, or of all that have an item. With `--workspace` the corpus is not read again.
The dimensions are checked through `formula-bot formula`: those of the reader, and with one planted wrong in turn for each symbol.
"""

from __future__ import annotations

import json
import random
import re
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from command import arguments

from bot.console import read_lines, write_json
from bot.discover.phrases import fold
from bot.discover.symbols.quantity_names import quantity_of
from bot.errors import FormulaError
from bot.formula import keys
from bot.formula.quantities.formula_symbols import symbol_of, without_running_index

Row = dict[str, Any]
FUNCTION = frozenset("of the a an in at to for and on by with from der die das des im von".split())
VAGUE = frozenset(
    "number constant function vector component value factor term".split()
)  # a head that alone says nothing
PLANTED = 3  # wrong dimensions for each symbol


def right_meaning(meaning: str, gold: Row) -> bool:
    """Say whether a meaning names what the reader's does: the same quantity, its head word, or only words that the reader has too."""
    plain = re.sub(r"\([^()]*\)", "", gold["meaning"])
    known = _key(meaning)
    if known and known in (_key(plain), _key(gold["item_label"] or "")):
        return True
    head = fold(meaning).split(" of ")[0].split()
    words = _words(gold["meaning"]) | _words(gold["item_label"] or "")
    return bool(head) and ((len(head[-1]) > 3 and head[-1] in words - VAGUE) or _words(meaning) <= words)


def _key(phrase: str) -> str:
    quantity, _ = quantity_of(phrase)
    return quantity.key if quantity else fold(phrase).split(" of ")[0]


def _words(text: str) -> set[str]:
    return set(fold(re.sub(r"[()]", " ", text)).split()) - FUNCTION


def same_symbol(one: str, other: str) -> bool:
    """Say whether two spellings are one symbol; a running index may be left out."""
    a, b = symbol_of(one), symbol_of(other)
    if not a or not b:
        return False
    return bool(set(a.keys) & set(b.keys) or {without_running_index(key) for key in a.keys} & set(b.keys))


def rows_of(formula: Row, exported: Mapping[str, Sequence[Row]]) -> Sequence[Row]:
    """Return the exported rows of a formula of the gold."""
    own = exported.get(formula["document"], ())
    if formula["position"] is not None:
        return [row for row in own if row["position"] == formula["position"]]
    wanted = _formula_key(formula["tex"])
    documents = [rows for document, rows in exported.items() if document.split("/")[0] == formula["corpus"]]
    for rows in (own, *documents):
        places = [(row["document"], row["position"]) for row in rows if _formula_key(row["tex"]) == wanted]
        if places:
            return [row for row in rows if (row["document"], row["position"]) == places[0]]
    return ()


_KEPT: dict[str, str] = {}


def _formula_key(tex: str) -> str:
    if tex not in _KEPT:
        try:
            _KEPT[tex] = keys(tex).at("K2")
        except FormulaError:
            _KEPT[tex] = tex
    return _KEPT[tex]


def judged(gold: Sequence[Row], exported: Mapping[str, Sequence[Row]]) -> Iterator[tuple[Row, Row, Row | None]]:
    """Yield (formula, symbol, our row or None) for every symbol of the gold."""
    for formula in gold:
        rows = rows_of(formula, exported)
        for symbol in formula["symbols"]:
            yield formula, symbol, next((row for row in rows if same_symbol(row["symbol"], symbol["symbol"])), None)


def figures(pairs: Iterable[tuple[Row, Row, Row | None]]) -> Row:
    """Return precision and recall of meanings and items, for all symbols and for those explained beside the formula."""
    said = right = total = items = items_right = have = exact = exact_right = 0
    by_place: dict[str, list[int]] = defaultdict(lambda: [0, 0, 0])
    for _, symbol, row in pairs:
        total += 1
        have += bool(symbol["qid"])
        place = by_place[symbol["explained"]]
        place[0] += 1
        if row is None:
            continue
        ok = right_meaning(row["meaning"], symbol)
        said, right, place[1], place[2] = said + 1, right + ok, place[1] + 1, place[2] + ok
        if row["qid"]:
            items, items_right = items + 1, items_right + (row["qid"] == symbol["qid"])
            if symbol["qid_fit"] != "kind":
                exact, exact_right = exact + 1, exact_right + (row["qid"] == symbol["qid"])
    return {
        "symbols": total, "meaning_precision": _share(right, said), "meaning_recall": _share(right, total),
        "item_precision": _share(items_right, items), "item_recall": _share(items_right, have), "item_precision_exact": _share(exact_right, exact),
        **{f"recall_{place}": _share(n[2], n[0]) for place, n in sorted(by_place.items())},
    }  # fmt: skip


def _share(part: int, whole: int) -> float | None:
    return round(part / whole, 4) if whole else None


def dimension_figures(gold: Sequence[Row], seed: int = 0) -> Row:
    """Return how many planted dimensions `formula-bot formula` finds, and how often it refuses right ones."""
    chance = random.Random(seed)
    every = sorted({symbol["unit_dimension"] for row in gold for symbol in row["symbols"] if symbol["unit_dimension"]})
    asked: list[Row] = []
    for row in gold:
        if not row["balanced"] or any(
            symbol["unit_dimension"] is None or not symbol_of(symbol["symbol"]) for symbol in row["symbols"]
        ):
            continue
        own = {symbol["symbol"]: symbol["unit_dimension"] for symbol in row["symbols"]}
        asked.append({"tex": row["tex"], "dimensions": own, "planted": ""})
        for symbol, dimension in own.items():
            for other in chance.sample([each for each in every if each != dimension], PLANTED):
                asked.append({"tex": row["tex"], "dimensions": {**own, symbol: other}, "planted": symbol})
    text = "".join(json.dumps(row) + "\n" for row in asked)
    answered = [json.loads(line) for line in _run("formula", "--input", "-", text=text).splitlines()]
    right = [row["balanced"] for row in answered if not row["planted"]]
    wrong = [row["balanced"] for row in answered if row["planted"]]
    return {
        "dimension_found": _share(wrong.count(False), len(wrong)),
        "dimension_false_alarms": _share(right.count(False), len(right)),
        "dimension_confirmed": _share(right.count(True), len(right)),
    }


def _run(*words: str, text: str | None = None) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "bot", *words], input=text, capture_output=True, text=True, check=False
    )
    if done.returncode > 1:
        raise SystemExit(done.stderr)
    return done.stdout


def exported_rows(workspace: str) -> dict[str, list[Row]]:
    """Return the rows of `export symbols` by document."""
    found: dict[str, list[Row]] = defaultdict(list)
    for line in _run("export", "symbols", "--workspace", workspace).splitlines():
        row = json.loads(line)
        found[row["document"]].append(row)
    return found


def main() -> None:
    parser = arguments(__doc__, "--gold", "--json")
    parser.add_argument("--corpus", nargs="+", metavar="DIR", default=[])
    parser.add_argument("--items", metavar="F")
    parser.add_argument("--workspace", metavar="W", help="one that these corpora have been discovered and matched in")
    parser.add_argument("--show", action="store_true", help="print what is wrong or missed")
    given = parser.parse_args()
    gold = list(read_lines(given.gold, {"document": str, "tex": str, "symbols": list}))
    with tempfile.TemporaryDirectory() as made:
        workspace = given.workspace or str(Path(made) / "w")
        if not given.workspace:
            if not given.items or not given.corpus:
                parser.error("--corpus and --items are needed without --workspace")
            _run("discover", *given.corpus, "--workspace", workspace, "--json")
            _run("match", "--workspace", workspace, "--items", given.items, "--json")
        pairs = list(judged(gold, exported_rows(workspace)))
    if given.show:
        _show(pairs)
    write_json({**figures(pairs), **dimension_figures(gold)})


def _show(pairs: Iterable[tuple[Row, Row, Row | None]]) -> None:
    for formula, symbol, row in pairs:
        wrong = row is None or not right_meaning(row["meaning"], symbol) or (row["qid"] and row["qid"] != symbol["qid"])
        if wrong:
            ours = f"{row['meaning']} {row['qid']} {row['label']} ({row['probability']:.2f})" if row else "nothing"
            print(
                f"{formula['tex'][:60]}  {symbol['symbol']}: {symbol['meaning']} {symbol['qid']} [{symbol['explained']}] <- {ours}"
            )


if __name__ == "__main__":
    main()
