"""Fits how the meanings of symbols are weighed, on a reader's answers; figures in folds by document.

`--workspace`: one in which the corpora of the gold have been discovered; `--gold` as of symbols.py. `--write` ships the weights.
With `--items` also how right the items are.
Two logistic regressions: over the readings of each symbol, and over what is chosen for a formula (see bot.match.symbols.symbol_choice).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from command import arguments
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold
from symbols import Row, right_meaning, rows_of, same_symbol

from bot.console import read_lines, write_json
from bot.formula.quantities.formula_symbols import FormulaSymbol
from bot.items_file import read_items
from bot.match.symbols.symbol_choice import ChosenReading, SymbolWeights, choose_readings
from bot.match.symbols.symbol_evidence import FormulaReadings
from bot.match.symbols.symbol_items import SymbolItems
from bot.match.symbols.symbol_stage import read_formulas
from bot.records import Item
from bot.settings import Properties
from bot.store import Workspace

FILE = Path(__file__).resolve().parents[1] / "bot" / "match" / "symbols" / "symbol_weights.json"
FOLDS = 10
BALANCE = 3.0  # log-odds that agreement of dimensions may cost; 2, 3, 4 and 6 were as good, 0 worse by 3 of 100
THRESHOLDS = (0.5, 0.6, 0.65, 0.7, 0.75, 0.8, 0.9)
_NEUTRAL = {"bias": 0.0, "balance": BALANCE}

Formula = tuple[Row, str, FormulaReadings]  # of the gold, its TeX as it was read, readings


def read(workspace: Path, gold: Sequence[Row]) -> list[Formula]:
    """Return the readings of every formula of the gold that the workspace holds."""
    found: dict[str, list[Row]] = {}
    with Workspace.open(workspace, create=False) as opened:
        for document, formula, readings in read_formulas(opened):
            row = {"document": document, "position": formula.position, "tex": formula.tex, "readings": readings}
            found.setdefault(document, []).append(row)
    pairs = ((formula, rows_of(formula, found)) for formula in gold)
    return [(formula, rows[0]["tex"], rows[0]["readings"]) for formula, rows in pairs if rows]


def gold_of(formula: Row, symbol: FormulaSymbol) -> Row | None:
    return next((each for each in formula["symbols"] if same_symbol(symbol.tex, each["symbol"])), None)


def fit(rows: Sequence[dict[str, float]], labels: Sequence[bool]) -> dict[str, float]:
    """Return weights by name, with the bias."""
    names = sorted({name for row in rows for name in row} - {"bias"})
    model = LogisticRegression(C=1.0, max_iter=5000).fit([[row.get(n, 0.0) for n in names] for row in rows], labels)
    return {"bias": round(float(model.intercept_[0]), 3)} | {
        n: round(float(w), 3) for n, w in zip(names, model.coef_[0], strict=True)
    }


def first_weights(formulas: Iterable[Formula]) -> dict[str, float]:
    rows, labels = [], []
    for formula, _, found in formulas:
        for symbol, readings in found:
            if (gold := gold_of(formula, symbol)) is not None:
                rows += [dict(each.features) for each in readings]
                labels += [right_meaning(each.meaning, gold) for each in readings]
    return fit(rows, labels)


def chosen(formulas: Iterable[Formula], weights: SymbolWeights) -> list[tuple[ChosenReading, Row]]:
    """Return what is chosen for each symbol that the gold has."""
    found = []
    for formula, tex, readings in formulas:
        for each in choose_readings(tex, readings, weights):
            if (gold := gold_of(formula, each.symbol)) is not None:
                found.append((each, gold))
    return found


def second_weights(formulas: Sequence[Formula], first: dict[str, float]) -> dict[str, float]:
    pairs = chosen(formulas, SymbolWeights(first, _NEUTRAL))
    return fit(
        [each.features for each, _ in pairs], [right_meaning(each.reading.meaning, gold) for each, gold in pairs]
    ) | {"balance": BALANCE}


def held_out(formulas: Sequence[Formula]) -> list[tuple[ChosenReading, Row]]:
    """Return what is chosen by weights that had not seen the document, each with what the reader says."""
    groups = [formula["document"] for formula, _, _ in formulas]
    found: list[tuple[ChosenReading, Row]] = []
    for train, test in GroupKFold(FOLDS).split(groups, groups, groups):
        known = [formulas[i] for i in train]
        first = first_weights(known)
        weights = SymbolWeights(first, second_weights(known, first))
        found += chosen([formulas[i] for i in test], weights)
    return found


def of_file(row: Row) -> Item:
    return Item(row["qid"], row["label"], tuple(row["aliases"]))


def _shares(right: Sequence[bool], total: int) -> dict[str, float]:
    return {"precision": round(float(np.mean(right)), 4), "recall": round(sum(right) / total, 4)}


def main() -> None:
    parser = arguments(__doc__, "--gold", "--json")
    parser.add_argument("--workspace", required=True, metavar="W")
    parser.add_argument("--items", metavar="F", help="for the figures of items")
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args()
    gold = list(read_lines(given.gold, {"document": str, "tex": str, "symbols": list}))
    formulas = read(Path(given.workspace), gold)
    total = sum(len(row["symbols"]) for row in gold)
    pairs = held_out(formulas)
    figures: dict[str, Any] = {"formulas": len(formulas), "symbols": total}
    items = SymbolItems(map(of_file, read_items(given.items)), Properties()) if given.items else None
    have = sum(bool(symbol["qid"]) for row in gold for symbol in row["symbols"])
    for threshold in THRESHOLDS:
        likely = [(each, gold) for each, gold in pairs if each.probability >= threshold]
        right = [right_meaning(each.reading.meaning, gold) for each, gold in likely]
        figures[f"from_{threshold}"] = _shares(right, total)
        if items:
            said = [
                (items.item_of(each.reading.meaning, each.reading.quantity.key if each.reading.quantity else ""), gold)
                for each, gold in likely
                if each.agreed is not False
            ]
            figures[f"items_from_{threshold}"] = _shares([qid == gold["qid"] for qid, gold in said if qid], have)
    if given.write:
        first = first_weights(formulas)
        data = {
            "note": "Fitted by benchmarks/train_symbols.py.",
            "first": first,
            "second": second_weights(formulas, first),
        }
        FILE.write_text(json.dumps(data, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    write_json(figures)


if __name__ == "__main__":
    main()
