"""Time and memory of counting: rows of shards are generated, and counted to the ranked duplicates by the query of `discover`.

    python benchmarks/count_rows.py --rows 60M [--shards 60] [--keep DIR] [--json]

Keys are drawn by Zipf's law, a hundred formulas stand in a document. Only the columns that are counted by differ from row to row. Counting runs in
a process of its own, whose memory and processor time are told; what is generated has known sums, and the result is checked against them.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import duckdb
import sqlalchemy as sa
from command import arguments
from make_corpus import size_of

from bot import store
from bot.console import table, write_json
from bot.discover.count import duplicates
from bot.discover.engines import OneMachine
from bot.discover.shard_files import SCHEMA
from bot.settings import Discovery
from bot.store import Workspace

FORMULAS = 100  # of a document
TYPES = {"string": "VARCHAR", "int32": "INTEGER", "bool": "BOOLEAN"}
VALUES = {
    "path": "'shard-' || $shard",
    "document": f"'corpus/document-' || (i // {FORMULAS})",
    "position": f"i % {FORMULAS}",
    "tex": "'a = b'",
    "K2": "md5(floor(pow($keys, random()))::BIGINT::VARCHAR)",
    "length": "20",
    "role": "'text'",
    "candidate": "i % 3 = 0",
}


def fill(folder: Path, rows: int, shards: int) -> None:
    """Make a workspace whose shards hold so many rows; no file is read for it."""
    columns = {field.name: VALUES.get(field.name, f"CAST({_plain(str(field.type))})") for field in SCHEMA}
    chosen = ", ".join(f"CAST({columns[f.name]} AS {TYPES[str(f.type)]}) AS {f.name}" for f in SCHEMA)
    each = -(-rows // shards // FORMULAS) * FORMULAS
    with Workspace.open(folder) as workspace, duckdb.connect(config={"threads": 2}) as db:
        for shard in range(shards):
            start, end = shard * each, min(rows, (shard + 1) * each)
            text = chosen.replace("$shard", str(shard)).replace("$keys", str(rows // 8))
            file = workspace.occurrences / f"{shard}.parquet"
            db.execute(
                f"COPY (SELECT {text} FROM range({start}, {end}) r(i)) TO '{file}' (FORMAT parquet, COMPRESSION zstd)"
            )
            documents = [f"corpus/document-{n}" for n in range(start // FORMULAS, -(-end // FORMULAS))]
            with workspace.engine.begin() as into:
                source = {
                    "path": f"shard-{shard}",
                    "digest": "",
                    "status": "read",
                    "part": file.name,
                    "formulas": end - start,
                }
                into.execute(store.sources.insert().values(**source))
                into.execute(store.documents.insert(), [{"id": d, "path": f"shard-{shard}"} for d in documents])


def _plain(kind: str) -> str:
    return {"string": "'' AS VARCHAR", "int32": "0 AS INTEGER", "bool": "false AS BOOLEAN"}[kind]


def count(folder: Path) -> dict[str, int | float]:
    """Count the workspace's rows to ranked duplicates; return what was found and what it took."""
    began, wall = time.process_time(), time.monotonic()
    found = times = most = 0
    with Workspace.open(folder) as workspace, OneMachine().occurrences(workspace) as rows:
        for row in duplicates(rows, Discovery()):
            found, times, most = found + 1, times + int(row["times"]), max(most, int(row["spread"]))
        documents = workspace.rows(sa.select(sa.func.count().label("n")).select_from(store.documents))[0]["n"]
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    took = {"processor_seconds": round(time.process_time() - began, 1), "seconds": round(time.monotonic() - wall, 1)}
    return {
        "documents": documents,
        "duplicates": found,
        "counted": times,
        "most_documents": most,
        **took,
        "peak_mb": peak,
    }


def main() -> None:
    parser = arguments(__doc__, "--json")
    parser.add_argument("--rows", type=size_of, default=1_000_000, metavar="N", help="such as 60M")
    parser.add_argument("--shards", type=int, default=60, metavar="N")
    parser.add_argument(
        "--keep", type=Path, metavar="DIR", help="where the rows are made, or counted where they are there"
    )
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as made:
        folder = given.keep or Path(made) / "w"
        if not (folder / "bot.db").exists():
            fill(folder, given.rows, given.shards)
        if os.environ.get("COUNT_HERE"):
            print(json.dumps(count(folder)))
            return
        again = [sys.executable, __file__, "--keep", str(folder), "--json"]
        out = subprocess.run(
            again, env={**os.environ, "COUNT_HERE": "1"}, check=True, capture_output=True, text=True
        ).stdout
        found = {"rows": given.rows, **json.loads(out)}
    if given.json:
        write_json(found)
    else:
        table("counting", ("what", "figure"), list(found.items()))


if __name__ == "__main__":
    main()
