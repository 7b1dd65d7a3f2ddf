"""Rediscovery: hide every formula of a set of items, discover and match a corpus, and see which formulas come back.

A proposal (item, formula) is right if one of the formulas hidden on this item is the same law or definition, judged on the
trees by bot.match.features.agreement with the item's name given. That is less than identity. These count as the same: another notation, a
rearrangement, one equality of a chain (a long derivation only where that step is surely the formula); vectors, hats of operators,
domains of integrals, remarks in words; increments Δ, d and δ of single quantities in a sum; the sign of one term (or of a side)
where no letter differs; constants that change with the units; other letters where half are shared, stand for themselves and each
pair is usual for one quantity (A and S for an area), or where eight symbols and more are of the same structure. These do not: other
numbers, a special case or a mean, a formula that follows from the hidden one, one that is true of the item but says another thing.
Wrong: the item had formulas and none agrees; `wrong_but_one_concept` says of how many of these the comparison with the built-in list holds
that they are another form of the same concept. Unjudged: it had none. An item's formulas that agree with one another count once.
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from command import arguments

from bot.console import read_lines, table, write_json
from bot.discover import discover
from bot.lookup import Client
from bot.match import choose_matches, load_matches, match
from bot.match.features.agreement import compare_formulas, equivalent
from bot.match.retrieval.known_concepts import refine_comparison
from bot.match.training import curve, quality
from bot.records import ItemMatch
from bot.sandbox import open_wiki
from bot.settings import Settings
from bot.store import Workspace


@dataclass(frozen=True)
class Outcome:
    """One proposal and what the hidden formulas say of it: right, wrong or unjudged."""

    match: ItemMatch
    label: str
    verdict: str
    hidden: tuple[str, ...]
    note: str = ""


def judge(chosen: Iterable[ItemMatch], world: Mapping[str, Mapping[str, Any]]) -> Iterator[Outcome]:
    """Compare each chosen formula with those that its item had."""
    for each in chosen:
        row = world.get(each.qid, {})
        hidden = tuple(row.get("formulas") or ())
        verdict, note = verdict_on(each.tex, hidden)
        yield Outcome(each, row.get("label", ""), verdict, hidden, note)


def verdict_on(tex: str, hidden: Sequence[str]) -> tuple[str, str]:
    """Return right, wrong or unjudged, and the comparison's own sentence."""
    if not hidden:
        return "unjudged", ""
    same = next((each for formula in hidden if (each := equivalent(tex, formula)) is not None), None)
    other = compare_formulas(tex, hidden[0])
    return ("right", same.note) if same else ("wrong", other.note if other else "")


def one_concept(tex: str, hidden: Sequence[str]) -> bool:
    """Tell whether the comparison knows a formula and a hidden one as unlike forms of one concept; it knows them by the built-in list."""
    found = ((compare_formulas(tex, formula), formula) for formula in hidden)
    return any(each is not None and refine_comparison(each, tex, formula).same_concept for each, formula in found)


def figures(outcomes: Sequence[Outcome]) -> dict[str, Any]:
    count = {name: sum(o.verdict == name for o in outcomes) for name in ("right", "wrong", "unjudged")}
    error, noise = calibration(outcomes)
    forms = sum(o.verdict == "wrong" and one_concept(o.match.tex, o.hidden) for o in outcomes)
    return (
        count
        | {"wrong_but_one_concept": forms}
        | {"precision_at_80": precision(outcomes, 0.8), "precision_at_90": precision(outcomes, 0.9)}
        | {"calibration_error": round(error, 4), "calibration_noise": round(noise, 4)}
    )


def precision(outcomes: Sequence[Outcome], least: float) -> float | None:
    """Return the share of right ones among those judged at this probability or above; None where there are none."""
    judged = [o.verdict == "right" for o in outcomes if o.match.probability >= least and o.verdict != "unjudged"]
    return round(sum(judged) / len(judged), 4) if judged else None


def calibration(outcomes: Sequence[Outcome]) -> tuple[float, float]:
    """Return the expected calibration error over ten bands, and what it would be on average if every probability were exact."""
    judged = [o for o in outcomes if o.verdict != "unjudged"]
    found = quality([o.match.probability for o in judged], [o.verdict == "right" for o in judged])
    return found.calibration_error, found.calibration_noise


def hide(rows: Iterable[Mapping[str, Any]], path: Path) -> Path:
    """Write the items without their formulas."""
    with path.open("w", encoding="utf-8") as file:
        for row in rows:
            print(json.dumps(dict(row) | {"formulas": []}, ensure_ascii=False), file=file)
    return path


@contextmanager
def opened(path: str | None) -> Iterator[Workspace]:
    """Open the workspace to be used again, or one that goes away."""
    if path:
        with Workspace.open(path) as workspace:
            yield workspace
        return
    with tempfile.TemporaryDirectory() as folder, Workspace.open(folder) as workspace:
        yield workspace


def names_of(rows: Iterable[Mapping[str, Any]]) -> list[tuple[str, str]]:
    return [(row["qid"], name) for row in rows for name in (row.get("label"), *(row.get("aliases") or ())) if name]


def rediscover(
    workspace: Workspace, corpora: Sequence[str], rows: Sequence[Mapping[str, Any]], settings: Settings, *, quiet: bool
) -> list[Outcome]:
    """Run the stages and judge what they would queue."""
    discover(workspace, corpora, settings, labels=names_of(rows), quiet=quiet)
    hidden = hide(rows, workspace.path / "items_without_formulas.jsonl")
    start = time.perf_counter()
    with open_wiki(workspace, settings, str(hidden)) as wiki, Client(wiki, settings.agent, None) as client:
        print(f"sandbox filled in {time.perf_counter() - start:.1f} s", file=sys.stderr)
        start = time.perf_counter()
        summary = match(workspace, client, settings, quiet=quiet)
    print(f"{summary} in {time.perf_counter() - start:.1f} s", file=sys.stderr)
    chosen = choose_matches(load_matches(workspace), settings.proposing.propose_from)
    return list(judge(chosen, {row["qid"]: row for row in rows}))


def show(outcomes: Sequence[Outcome], shown: Sequence[str] = ("wrong",)) -> None:
    for verdict in shown:
        rows = [
            (
                o.match.probability,
                o.match.qid,
                o.label,
                o.match.tex,
                " | ".join(o.hidden),
                " ".join(f"{e.name}:{e.score:.2f}" for e in o.match.evidence),
            )
            for o in outcomes
            if o.verdict == verdict
        ]
        table(verdict, ("p", "item", "label", "proposed", "hidden", "evidence"), rows)
    judged = [o for o in outcomes if o.verdict != "unjudged"]
    bands = curve([o.match.probability for o in judged], [o.verdict == "right" for o in judged])
    table("how right the probabilities are", ("said", "right", "judged"), bands)
    table("rediscovery", ("what", "figure"), list(figures(outcomes).items()))


def main() -> None:
    parser = arguments(__doc__, "--corpus", "--items", "--json")
    parser.add_argument("--workspace", metavar="W", help="keep the discovered workspace here and use it again")
    parser.add_argument("--show", nargs="*", default=["wrong"], choices=("right", "wrong", "unjudged"))
    args = parser.parse_args()
    rows = list(read_lines(args.items, {"qid": str}))
    with opened(args.workspace) as workspace:
        outcomes = rediscover(workspace, args.corpus, rows, Settings(), quiet=args.json)
    if args.json:
        write_json(figures(outcomes))
    else:
        show(outcomes, args.show)


if __name__ == "__main__":
    main()
