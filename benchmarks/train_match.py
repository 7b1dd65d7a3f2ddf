"""Fit the weights of bot/match/weights.json to judged pairs and to rediscovery, with the built-in list and without it.

The same corpora, items and gold as `acceptance.py`, whose held-out figures are printed for both sets. Further corpora come as workspaces that
the commands have discovered and matched with all formulas hidden (`--matched`); with the list a pair of theirs counts half, and the calibration is
fitted to these alone, since the evidence was made with the development corpora. Weights start from the ones
set by hand (`hand` in the file), without the list from the shipped ones, and move only as far as the data pull them (a Gaussian prior), so that
evidence which a development corpus cannot show (classes, existing claims) keeps the weight that was set by hand.
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

WEIGHTS = Path(__file__).resolve().parents[1] / "bot" / "match" / "weights.json"
SETS = {"matching": True, "matching_without_list": False}


def main() -> None:
    parser = arguments(__doc__, "--corpus", "--items", "--gold")
    parser.add_argument("--workspaces", metavar="DIR", help="keep both discovered workspaces here and use them again")
    parser.add_argument(
        "--matched",
        nargs="*",
        default=[],
        metavar="DIR",
        help="folders that hold matched workspaces, named as in the file of weights",
    )
    parser.add_argument("--set", choices=SETS, help="fit these weights alone")
    parser.add_argument("--write", action="store_true", help="write bot/match/weights.json")
    args = parser.parse_args()
    for folder in args.matched:
        if not any((Path(folder) / name).is_dir() for name in SETS):
            parser.error(f"{folder} holds no matched workspace: {' or '.join(SETS)}")
    rows, gold = list(read_lines(args.items, {"qid": str})), verdicts(args.gold)
    data = json.loads(WEIGHTS.read_text(encoding="utf-8"))
    for name in [args.set] if args.set else SETS:
        builtin = SETS[name]
        with opened(args.workspaces and str(Path(args.workspaces) / name)) as workspace:
            seen = evidence(workspace, args.corpus, rows, settings_for(builtin), quiet=True)
        pairs = [
            *(replace(Seen.of(row), calibrates=not builtin) for row in seen),
            *(
                pair
                for folder in args.matched
                if (Path(folder) / name).exists()
                for pair in matched(Path(folder) / name, FURTHER[builtin])
            ),
        ]
        found = material(pairs, {row["qid"]: row for row in rows}, gold)
        made = fitted(found, builtin=builtin)
        figures = held_out_quality(found, made.held_out)
        table(f"{name}, held out", ("what", "figure"), list(asdict(figures).items()))
        table("how right the probabilities are", ("said", "accepted", "judged"), made.model.reliability)
        was, ranked = shipped_model("hand").weights, sorted(made.model.weights.items(), key=lambda pair: -pair[1])
        table("weights", ("evidence", "weight", "was"), [(n, round(w, 3), was[n]) for n, w in ranked])
        pairs_told = f"{figures.judged} judged pairs, {figures.accepted} of them accepted"
        note = f"shipped: fitted to {pairs_told}"
        data[name] = {"data": found.digest, **replace(made.model, note=note).as_json()}
    if args.write:
        WEIGHTS.write_text(json.dumps(data, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
    main()
