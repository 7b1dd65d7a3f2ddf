"""Scheduled runs ended from outside: kill -9 at chosen points, SIGTERM in each stage, two at once. Is the state whole, and how long does an end take?

python benchmarks/interrupted_run.py

Each run is `formula-bot run` in a process of its own, on the example corpus and a site on this machine, with writing to the rehearsal
wiki; a thread of that process sends the signal when the run has come to a chosen point. Afterwards the same command is run to its
end, and all exports are compared with those of a run that nobody disturbed.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from command import arguments
from crawl_site import CrawlSite

from bot.cli import main as main_of_bot
from bot.settings import resource

# Stage, units that are done in it, and seconds after that: the middle of each stage, and the gaps between them.
POINTS = (
    ("crawl", 3, 0.0),
    ("discover", 0, 0.01),
    ("discover", 5, 0.0),
    ("discover", 30, 0.3),
    ("match", 2, 0.0),
    ("match", 4, 0.0),
    ("propose", 0, 0.1),
    ("expire", 0, 0.0),
    ("audit", 0, 0.05),
    ("write", 1, 0.0),
    ("write", 2, 0.05),
)
STAGES = (("crawl", 1), ("discover", 2), ("match", 1), ("propose", 0), ("expire", 0), ("audit", 0), ("write", 1))
TABLES = ("occurrences", "concepts", "matches", "proposals", "decisions", "edits", "findings", "representations")
CHANGING = {
    "time",
    "first_seen",
    "added",
    "created",
    "seen",
    "fetched",
    "revision",
    "revision_before",
    "group",
    "plan",
    "n",
}
APPROVED = 8


def settings(folder: Path, site: CrawlSite) -> Path:
    """Write the settings of a run that crawls, reads, and writes to its rehearsal wiki."""
    run = (
        '[run]\nsources = ["corpus"]\nworkspace = "w"\nitems = "items.jsonl"\naudits = ["seeded"]\nwrite = true\n'
        f'[[run.crawl]]\nsource = "http"\ninto = "corpus/book"\nurl = "{site.address}/book/"\n'
        '[crawling]\nseconds = 0\n[agent]\ncontact = "User:Benchmark"\n'
    )
    path = folder / "bot.toml"
    path.write_text(run + (resource("examples") / "settings.toml").read_text(encoding="utf-8"), encoding="utf-8")
    return path


def run(folder: Path, *before: str) -> subprocess.CompletedProcess[str]:
    program = [str(Path(__file__).with_name("run_at.py")), *before, "--"] if before else ["-m", "bot"]
    command = [sys.executable, *program, "run", "--config", str(folder / "bot.toml"), "--json"]
    return subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)


def bot(*args: object) -> str:
    """Run a command in this process; return what it printed."""
    out = io.StringIO()
    try:
        with contextlib.redirect_stdout(out):
            main_of_bot([str(arg) for arg in args])
    except SystemExit as end:
        if end.code:
            raise RuntimeError(f"{args} ended with {end.code}") from None
    return out.getvalue()


def prepare(folder: Path, site: CrawlSite) -> None:
    """A workspace after its first run: some proposals are approved, and new documents wait."""
    examples = resource("examples")
    shutil.copytree(examples / "corpus" / "wikitext", folder / "corpus" / "wikitext")
    shutil.copy(examples / "items.jsonl", folder)
    settings(folder, site)
    first = run(folder)
    assert first.returncode == 1, first.stderr
    w = folder / "w"
    bot("review", "add-reviewer", "Ada", "-w", w)
    rows = [json.loads(line) for line in bot("export", "proposals", "-w", w).splitlines()]
    open_ = [row["id"] for row in rows if row["kind"] != "flag" and row["references"]][:APPROVED]
    bot("review", "approve", *open_, "--reviewer", "Ada", "-w", w)
    for kind in ("cnxml", "latexml"):
        shutil.copytree(examples / "corpus" / kind, folder / "corpus" / kind)
    site.index(*(f"page{n}.html" for n in range(12)))


def state(folder: Path) -> dict[str, Any]:
    """Return every table as exported, without times and numbers of revisions, and what the rehearsal wiki holds."""
    tables = {
        name: [
            {key: value for key, value in json.loads(line).items() if key not in CHANGING}
            for line in bot("export", name, "-w", folder / "w").splitlines()
        ]
        for name in TABLES
    }
    tables["edits"] = sorted(
        ({k: v for k, v in row.items() if k in ("proposal", "qid", "guid", "outcome")} for row in tables["edits"]),
        key=lambda row: str(row["guid"]),
    )
    for row in tables["findings"]:  # numbers of edits and revisions
        row.pop("evidence", None), row.pop("id", None)
    return tables


def last_line(folder: Path) -> dict[str, Any]:
    newest = max((folder / "logs").glob("*.jsonl"), key=lambda path: path.stat().st_mtime_ns)
    found: dict[str, Any] = json.loads(newest.read_text(encoding="utf-8").splitlines()[-1])
    return found


def disturbed(base: Path, folder: Path, stage: str, units: int, seconds: float, number: int) -> dict[str, Any]:
    """Run, send the signal, run again; return what was seen."""
    shutil.copytree(base, folder, symlinks=True)
    place = ["--stage", stage, "--units", str(units), "--seconds", str(seconds)]
    first = run(folder, *place, "--signal", str(int(number)))
    ended = time.monotonic()
    at = [float(line.split()[2]) for line in first.stderr.splitlines() if line.startswith("signal at")]
    seen = {"stage": stage, "units": units, "code": first.returncode, "sent": bool(at)}
    seen |= {"seconds": round(ended - at[0], 2) if at else None, "log": last_line(folder)}
    return {**seen, **steady(folder)}


def steady(folder: Path) -> dict[str, Any]:
    """Run to the end, and again until nothing is new: what a run writes changes what the next one finds."""
    codes, error, planned = [], "", 1
    while (planned or codes[-1] == 1) and len(codes) < 5:
        done = run(folder)
        planned = json.loads(done.stdout)["write_planned"] if done.stdout else 0
        codes.append(done.returncode)
        error = done.stderr[-300:] if done.returncode > 1 else ""
    return {"then": codes, "error": error}


def two_at_once(base: Path, folder: Path) -> dict[str, Any]:
    """Start two runs; return their exit codes and what the one that had to go said."""
    shutil.copytree(base, folder, symlinks=True)
    command = [sys.executable, "-m", "bot", "run", "--config", str(folder / "bot.toml"), "--json"]
    started = [subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) for _ in range(2)]
    ended = [(*process.communicate(), process.returncode) for process in started]
    refused = [err for _, err, code in ended if code == 2]
    return {"codes": sorted(code for _, _, code in ended), "said": refused[0].strip() if refused else ""}


def measured(folder: Path, points: tuple[tuple[str, int, float], ...] = POINTS) -> dict[str, Any]:
    site = CrawlSite(time.monotonic)
    try:
        site.index(*(f"page{n}.html" for n in range(4)))
        base = folder / "base"
        base.mkdir()
        prepare(base, site)
        shutil.copytree(base, folder / "whole", symlinks=True)
        assert steady(folder / "whole")["then"][-1] == 0
        wanted = state(folder / "whole")
        written = [row["guid"] for row in wanted["edits"] if row["outcome"] == "written"]
        assert len(written) == APPROVED, written
        kills, terms = [], []
        for n, (stage, units, seconds) in enumerate(points):
            seen = disturbed(base, folder / f"kill{n}", stage, units, seconds, signal.SIGKILL)
            found = state(folder / f"kill{n}")
            seen["differs"] = [name for name in TABLES if found[name] != wanted[name]]
            kills.append(seen)
        for stage, units in STAGES if points is POINTS else ():
            seen = disturbed(base, folder / f"term-{stage}", stage, units, 0.02, signal.SIGTERM)
            found = state(folder / f"term-{stage}")
            seen["differs"] = [name for name in TABLES if found[name] != wanted[name]]
            terms.append(seen)
        both = two_at_once(base, folder / "two")
    finally:
        site.close()
    return {
        "kills": len([seen for seen in kills if seen["code"] == -signal.SIGKILL]),
        "kills_whole": sum(not seen["differs"] and seen["then"][-1] == 0 for seen in kills),
        "terminated": len([seen for seen in terms if seen["code"] == 143]),
        "terminated_whole": sum(not seen["differs"] and seen["then"][-1] == 0 for seen in terms),
        "terminated_logged": sum(seen["log"]["event"] == "end" and bool(seen["log"].get("stage")) for seen in terms),
        "slowest_end_seconds": max((seen["seconds"] for seen in terms if seen["seconds"]), default=0.0),
        "two_at_once": both,
        "seen": [*kills, *terms],
    }


def main() -> None:
    given = arguments(__doc__, "--json").parse_args()
    with tempfile.TemporaryDirectory() as folder:
        found = measured(Path(folder))
    if given.json:
        print(json.dumps(found))
        return
    for seen in found.pop("seen"):
        print(seen)
    print(json.dumps(found, indent=1))


if __name__ == "__main__":
    os.environ.setdefault("PYTHONHASHSEED", "0")
    main()
