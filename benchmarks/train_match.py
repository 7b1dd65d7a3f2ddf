"""Fit the weights of bot/match/weights.json to judged pairs and to rediscovery, with the built-in list and without it.

The same corpora, items and gold as `acceptance.py`, whose held-out figures are printed for both sets. Further corpora come as workspaces that
the commands have discovered and matched with all formulas hidden (`--matched`); with the list a pair of theirs counts half. Weights start from the ones
set by hand (`hand` in the file) and move only as far as the data pull them (a Gaussian prior), so that evidence which a
development corpus cannot show (classes, existing claims) keeps the weight that was set by hand. With `--calibrate` the weights stay as they are
shipped, and only the calibration moves towards the one that is fitted to the judged pairs.
"""

from __future__ import annotations

import json
import sys
from dataclasses import asdict, replace
from pathlib import Path

from acceptance import FURTHER, Seen, evidence, fitted, held_out_quality, matched, material, settings_for, verdicts
from command import arguments
from rediscovery import opened

from bot.console import read_lines, table
from bot.match.model import shipped_model
from bot.match.training import recalibrate

WEIGHTS = Path(__file__).resolve().parents[1] / "bot" / "match" / "weights.json"
SETS = {"matching": True, "matching_without_list": False}
STEP = 0.25  # of the way to the fitted calibration: all of it promises .75 where .53 of the world of 2019 are accepted, for items without a formula


def main() -> None:
    parser = arguments(__doc__, "--corpus", "--items", "--gold")
    parser.add_argument("--workspaces", metavar="DIR", help="keep both discovered workspaces here and use them again")
    parser.add_argument(
        "--matched",
        nargs="*",
        default=[],
        metavar="DIR",
        help="folders that hold two matched workspaces each, named as in the file of weights",
    )
    parser.add_argument("--calibrate", nargs="*", choices=SETS, metavar="SET", help="fit the calibration of these sets alone (default: all)")  # fmt: skip
    parser.add_argument("--write", action="store_true", help="write bot/match/weights.json")
    args = parser.parse_args()
    rows, gold = list(read_lines(args.items, {"qid": str})), verdicts(args.gold)
    data = json.loads(WEIGHTS.read_text(encoding="utf-8"))
    for name in args.calibrate or SETS:
        builtin = SETS[name]
        with opened(args.workspaces and str(Path(args.workspaces) / name)) as workspace:
            seen = evidence(workspace, args.corpus, rows, settings_for(builtin), quiet=True)
        pairs = [
            *map(Seen.of, seen),
            *(pair for folder in args.matched for pair in matched(Path(folder) / name, FURTHER[builtin])),
        ]
        found = material(pairs, {row["qid"]: row for row in rows}, gold)
        shipped = shipped_model(name)
        made = fitted(found) if args.calibrate is None else recalibrate(found.judged, shipped, STEP)
        figures = held_out_quality(found, made.held_out)
        table(f"{name}, held out", ("what", "figure"), list(asdict(figures).items()))
        table("how right the probabilities are", ("said", "accepted", "judged"), made.model.reliability)
        was, ranked = shipped_model("hand").weights, sorted(made.model.weights.items(), key=lambda pair: -pair[1])
        table("weights", ("evidence", "weight", "was"), [(n, round(w, 3), was[n]) for n, w in ranked])
        pairs_told = f"{figures.judged} judged pairs, {figures.accepted} of them accepted"
        note = f"shipped: fitted to {pairs_told}" if args.calibrate is None else f"{shipped.note}; calibrated in part to {pairs_told}"  # fmt: skip
        data[name] = {"data": found.digest, **replace(made.model, note=note).as_json()}
    if args.write:
        WEIGHTS.write_text(json.dumps(data, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
    main()
