"""Workspaces of released schemas, kept as SQL text in tests/data/: their loading, and how one is made.

At a release: `python tests/schema_dumps.py W > tests/data/schema-N.sql` of a small workspace W.
"""

from __future__ import annotations

import sqlite3
import sys
from contextlib import closing
from pathlib import Path

DATA = Path(__file__).parent / "data"
DUMPS = sorted(path.stem for path in DATA.glob("schema-*.sql"))


def dump(workspace: Path) -> str:
    """Return the database of a workspace as SQL."""
    with closing(sqlite3.connect(f"file:{workspace / 'bot.db'}?mode=ro", uri=True)) as db:
        return "\n".join(db.iterdump()) + "\n"


def load(name: str, workspace: Path) -> Path:
    """Make a workspace folder of a stored dump."""
    workspace.mkdir()
    with closing(sqlite3.connect(workspace / "bot.db")) as db:
        db.executescript((DATA / f"{name}.sql").read_text(encoding="utf-8"))
    return workspace


if __name__ == "__main__":
    print(dump(Path(sys.argv[1])), end="")
