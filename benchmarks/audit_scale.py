"""One night's audits of a large wiki: processor time and memory of the process that audits, the rehearsal wiki in another.

    python benchmarks/audit_scale.py [--items 100000] [--statements 50000] [--formulas F] [--json]

F is an items file whose formulas are varied until there are enough; without it they are sums of letters with indices.
"""

from __future__ import annotations

import json
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from command import arguments

from bot.audit import run_audits
from bot.console import table, write_json
from bot.items_file import read_items
from bot.lookup import Client
from bot.sandbox.site import ENTITY_PREFIX
from bot.settings import Agent, Settings, Wiki
from bot.store import Workspace


def rows(items: int, statements: int, given: list[str], seed: int) -> list[dict[str, Any]]:
    """Return the rows of an items file: formulas all different, on as many of the items."""
    rng, out = random.Random(seed), []
    for n in range(items):
        formulas = []
        if n < statements:
            tex = rng.choice(given) if given else rf"y_{{{n}}}=a_{{{n}}}x+\sum_{{k=1}}^{{{n}}}b_k"
            formulas = [f"{tex}+k_{{{n}}}" if given and len(tex) < 380 else tex]
        out.append({"qid": f"Q{n + 1}", "label": f"item {n}", "formulas": formulas, "instance_of": ["Q11345"]})
    return out


def measure(items: int, statements: int, given: list[str], folder: Path) -> dict[str, Any]:
    """Return figures of one run of all audits that are made every night."""
    path = folder / "items.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows(items, statements, given, 1)), encoding="utf-8")
    command = [sys.executable, "-m", "bot", "sandbox", "serve", "--items", str(path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout
        api = next(word for line in server.stdout for word in line.split() if word.endswith("/w/api.php"))
        wiki = Wiki(
            name="sandbox",
            api=api,
            sparql=api.replace("/w/api.php", "/sparql"),
            entity_prefix=ENTITY_PREFIX,
            sandbox=True,
        )
        try:
            with Workspace.open(folder / "w") as workspace, Client(wiki, Agent(timeout=600)) as client:
                client.qids_with_formula(fresh=True)  # the graph is built at the first query
                start, wall = time.process_time(), time.monotonic()
                findings = run_audits(workspace, client, Settings(wiki=wiki))
                seconds, waited = time.process_time() - start, time.monotonic() - wall
        finally:
            server.terminate()
    return {
        "items": items,
        "statements": statements,
        "processor_seconds": round(seconds, 1),
        "seconds": round(waited, 1),
        "megabytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
        "findings": dict(Counter(f.audit for f in findings if f.severity in ("warning", "error"))),
        "could_not_tell": [f"{f.audit}: {f.what}" for f in findings if f.severity == "unknown"],
    }


def main() -> None:
    parser = arguments(__doc__, "--json")
    parser.add_argument("--items", type=int, default=100_000)
    parser.add_argument("--statements", type=int, default=50_000)
    parser.add_argument("--formulas", type=Path, help="an items file to take formulas from")
    given = parser.parse_args()
    formulas = [tex for row in read_items(given.formulas) for tex in row.get("formulas", ())] if given.formulas else []
    with tempfile.TemporaryDirectory() as folder:
        result = measure(given.items, given.statements, formulas, Path(folder))
    if given.json:
        write_json(result)
    else:
        table("audits", ("what", "figure"), list(result.items()))


if __name__ == "__main__":
    main()
