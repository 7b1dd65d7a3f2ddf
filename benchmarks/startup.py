"""How long `--help` of each command takes, against starting Python alone; medians of several runs.

python benchmarks/startup.py --json
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator

import click
from command import arguments

from bot.cli import cli


def commands(group: click.Group, path: str = "") -> Iterator[str]:
    """Yield the path of every command below a group, the group itself first."""
    yield path
    for name, command in group.commands.items():
        below = f"{path} {name}".strip()
        if isinstance(command, click.Group):
            yield from commands(command, below)
        else:
            yield below


def seconds(command: list[str], runs: int) -> float:
    """Return the median wall time of a whole process."""
    times = []
    for _ in range(runs):
        start = time.perf_counter()
        subprocess.run(command, check=True, capture_output=True)
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def main() -> None:
    options = arguments(__doc__, "--json")
    options.add_argument("--runs", type=int, default=5)
    given = options.parse_args()
    python = seconds([sys.executable, "-c", "pass"], given.runs)
    times = {
        name or "formula-bot": seconds([sys.executable, "-m", "bot", *name.split(), "--help"], given.runs)
        for name in commands(cli)
    }
    result = {"slowest_s": max(times.values()), "ratio_to_python": max(times.values()) / python, "python_s": python}
    if given.json:
        print(json.dumps({**result, "commands": times}))
        return
    for name, value in times.items():
        print(f"{value:6.3f} s  {name} --help")
    print(f"{python:6.3f} s  python -c pass; the slowest takes {result['ratio_to_python']:.1f} times as long")


if __name__ == "__main__":
    main()
