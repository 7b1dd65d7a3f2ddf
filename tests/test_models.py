"""The model sheet names every fitted file with the digest that it ships with."""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
ROWS = re.findall(
    r"^\| `(bot/[^`]+\.json)` .*\| `([0-9a-f]{12})` \|$", (ROOT / "docs/models.md").read_text(encoding="utf-8"), re.M
)


def _fitted() -> list[str]:
    """Every table of numbers that a benchmark fits: it holds weights or a bias."""
    found = []
    for path in sorted((ROOT / "bot").rglob("*.json")):
        text = json.dumps(json.loads(path.read_text(encoding="utf-8")))
        if '"bias"' in text or '"calibration"' in text:
            found.append(path.relative_to(ROOT).as_posix())
    return found


def test_every_fitted_file_has_its_row_with_the_digest_of_what_ships() -> None:
    assert sorted(name for name, _ in ROWS) == _fitted()
    assert len(ROWS) >= 6
    for name, digest in ROWS:
        assert hashlib.sha256((ROOT / name).read_bytes()).hexdigest()[:12] == digest, (
            f"{name}: the row of docs/models.md is older"
        )


def test_every_command_that_fits_is_there() -> None:
    page = (ROOT / "docs/models.md").read_text(encoding="utf-8")
    for script in re.findall(r"benchmarks/\w+\.py", page):
        assert (ROOT / script).exists(), script


def test_the_options_of_a_command_that_fits_are_its_own() -> None:
    page = (ROOT / "docs/models.md").read_text(encoding="utf-8")
    shared = (ROOT / "benchmarks/command.py").read_text(encoding="utf-8")
    commands = re.findall(r"`(benchmarks/\w+\.py)( --[^`]*)`", page)
    assert len(commands) >= 4
    for script, options in commands:
        text = (ROOT / script).read_text(encoding="utf-8") + shared
        for option in re.findall(r"--[a-z-]+", options):
            assert f'"{option}"' in text, f"{script} {option}"
