"""The evaluation gate: quality figures against floors that are pinned with a digest of the data they were measured on.

The floors are in `benchmarks/floors.json`. Each entry names a benchmark, its arguments, the files it reads, and the floors. The set
`shipped` runs on data of ours in `tests/quality/` and `examples/`; the set `development` needs a folder of data, given with `--data`.

    python benchmarks/gate.py [--set shipped|development] [--data DIR] [--only NAME] [--json]     check; exit 1 below a floor, 2 where it cannot be said
    python benchmarks/gate.py … --raise                                 take over what is measured where it is higher
    python benchmarks/gate.py … --lower NAME --why TEXT                 lower the floors of one entry, with a line in CHANGELOG.md

A floor is what was measured, less `SLACK`. The figure of a run whose data has another digest is shown and not judged.
"""

from __future__ import annotations

import hashlib
import json
import math
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from command import arguments

from bot.console import table, write_json

ROOT = Path(__file__).resolve().parents[1]
FLOORS = ROOT / "benchmarks/floors.json"
CHANGES = ROOT / "CHANGELOG.md"
SLACK = 0.005  # another version of a numerical library may move one borderline case
TIMEOUT = 1800  # seconds for one benchmark

Entry = dict[str, Any]


@dataclass(frozen=True)
class Result:
    """What a run of one entry gave. `status`: held, below, other data, no data or failed."""

    name: str
    status: str
    measured: Mapping[str, float]
    below: Mapping[str, tuple[float, float]]  # figure -> (measured, floor)
    detail: str = ""


def entries(which: str, only: str = "") -> list[Entry]:
    """Return the entries of a set, or of all sets where `which` is empty."""
    every = json.loads(FLOORS.read_text(encoding="utf-8"))
    return [e for e in every if (not which or e["set"] == which) and only in ("", e["name"])]


def files(entry: Entry, data: Path | None) -> list[Path]:
    """Return every file that an entry reads, folders walked, in one order on every machine."""
    found: list[Path] = []
    for part in entry["data"]:
        path = located(part, data)
        found += sorted(p for p in path.rglob("*") if p.is_file()) if path.is_dir() else [path]
    return found


def located(part: str, data: Path | None) -> Path:
    """Return the path of an argument: below `--data` where it begins with `{data}/`, else below the root."""
    return data / part.removeprefix("{data}/") if data and part.startswith("{data}/") else ROOT / part


def digest(entry: Entry, data: Path | None) -> str:
    """Return a digest of the names and bytes of all that an entry reads, and of its arguments."""
    made = hashlib.sha256(json.dumps(entry["call"]).encode())
    for path in files(entry, data):
        made.update(path.name.encode() + b"\0" + hashlib.sha256(path.read_bytes()).digest())
    return made.hexdigest()[:16]


def run(entry: Entry, data: Path | None) -> Result:
    """Run the benchmark of one entry as a user does and hold its figures against the floors."""
    name = entry["name"]
    missing = [str(p) for part in entry["data"] if not (p := located(part, data)).exists()]
    if missing or ("{data}/" in "".join(entry["data"]) and data is None):
        return Result(name, "no data", {}, {}, missing[0] if missing else "give --data")
    script, *arguments = entry["call"]
    call = [sys.executable, str(ROOT / "benchmarks" / script)]
    call += [str(located(a, data)) if a.startswith(("{data}/", "tests/", "examples/")) else a for a in arguments]
    done = subprocess.run([*call, "--json"], capture_output=True, text=True, check=False, timeout=TIMEOUT)
    if done.returncode:
        return Result(name, "failed", {}, {}, (done.stderr.strip().splitlines() or ["no word"])[-1])
    found = json.loads(done.stdout)
    measured = {figure: float(found[figure] or 0) for figure in entry["floors"]}
    if digest(entry, data) != entry["digest"]:
        return Result(name, "other data", measured, {}, f"the floors are of {entry['digest']}")
    below = {f: (measured[f], floor) for f, floor in entry["floors"].items() if measured[f] < floor}
    return Result(name, "below" if below else "held", measured, below)


def raised(entry: Entry, result: Result, data: Path | None) -> Entry:
    """Return the entry with floors from what was measured where that is higher, and with the digest of the data."""
    same = digest(entry, data) == entry["digest"]
    floors = {
        figure: max(floor, _floor(result.measured[figure])) if same else _floor(result.measured[figure])
        for figure, floor in entry["floors"].items()
    }
    return {**entry, "floors": floors, "digest": digest(entry, data)}


def lowered(entry: Entry, result: Result, why: str) -> tuple[Entry, str]:
    """Return the entry with the floors that do not hold set to what was measured, and the line for the changelog."""
    new = {figure: _floor(measured) for figure, (measured, _) in result.below.items()}
    said = ", ".join(f"{figure} from {entry['floors'][figure]:g} to {new[figure]:g}" for figure in new)
    line = f"- Floor lowered, {entry['name']}: {said}. {why}"
    kept = [*entry.get("lowered", ()), line]
    return {**entry, "floors": {**entry["floors"], **new}, "lowered": kept}, line


def _floor(measured: float) -> float:
    return max(0.0, math.floor((measured - SLACK) * 1000) / 1000)


def sealed(entry: Entry) -> Entry:
    """Return the entry with a digest of its floors: floors that were changed by hand are noticed by the test suite."""
    said = [entry[name] for name in ("name", "call", "digest", "floors")] + [entry.get("lowered", [])]
    return {**entry, "seal": hashlib.sha256(json.dumps(said, sort_keys=True).encode()).hexdigest()[:16]}


def save(changed: Mapping[str, Entry]) -> None:
    """Write changed entries back in their places."""
    every = [sealed(changed[e["name"]]) if e["name"] in changed else e for e in entries("")]
    text = "[\n" + ",\n".join(json.dumps(e, ensure_ascii=False) for e in every) + "\n]\n"
    FLOORS.write_text(text, encoding="utf-8")


def note(line: str) -> None:
    """Put a line at the end of the newest section of the changelog."""
    text = CHANGES.read_text(encoding="utf-8")
    second = text.find("\n## ", text.find("\n## ") + 1)
    newest, older = (text[:second], text[second:]) if second >= 0 else (text, "")
    CHANGES.write_text(newest.rstrip() + f"\n{line}\n" + older, encoding="utf-8")


def shown(results: Sequence[Result]) -> Iterator[tuple[str, str, str, str]]:
    for r in results:
        figures = ", ".join(f"{k} {v:g}" for k, v in r.measured.items())
        wrong = ", ".join(f"{k} {v:g} < {floor:g}" for k, (v, floor) in r.below.items())
        yield r.name, r.status, figures, wrong or r.detail


def main() -> None:
    parser = arguments(__doc__, "--json")
    parser.add_argument("--set", choices=("shipped", "development"), default="")
    parser.add_argument("--data", type=Path, help="the folder of the development data")
    parser.add_argument("--only", default="", metavar="NAME")
    parser.add_argument("--raise", dest="higher", action="store_true", help="take over higher figures as floors")
    parser.add_argument("--lower", default="", metavar="NAME", help="lower the floors of this entry")
    parser.add_argument("--why", default="", help="the reason, for the changelog")
    given = parser.parse_args()
    if bool(given.lower) != bool(given.why):
        parser.error("--lower NAME and --why TEXT go together")
    wanted = entries(given.set, given.lower or given.only)
    if not wanted:
        parser.error("there is no such entry in benchmarks/floors.json")
    results = [run(entry, given.data) for entry in wanted]
    changed: dict[str, Entry] = {}
    for entry, result in zip(wanted, results, strict=True):
        if given.higher and result.measured:
            changed[entry["name"]] = raised(entry, result, given.data)
        elif given.lower and result.below:
            changed[entry["name"]], line = lowered(entry, result, given.why)
            note(line)
    if changed:
        save(changed)
    if given.json:
        write_json({r.name: {"status": r.status, **r.measured} for r in results})
    else:
        table("quality", ("what", "status", "measured", "below its floor"), list(shown(results)))
    states = {r.status for r in results if r.name not in changed}
    sys.exit(1 if "below" in states else 2 if states & {"failed", "no data", "other data"} else 0)


if __name__ == "__main__":
    main()
