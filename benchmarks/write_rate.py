"""How fast the writer is on the rehearsal wiki with every proof on and no pace to keep: edits in a second.

Half of the edits are new claims, half are sources for formulas that stand there. Prints {edits, written, seconds,
edits_per_s, cpu_seconds (of writer and wiki), requests_per_edit}; --profile says where the time goes.
"""

from __future__ import annotations

import cProfile
import json
import pstats
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

from command import arguments

from bot import store
from bot.lookup import Client
from bot.propose.build import content_hash, proposal_id
from bot.records import Decision, Proposal, Reference, as_json
from bot.review import add_reviewer, decide
from bot.sandbox import Sandbox
from bot.settings import Settings
from bot.store import Workspace
from bot.write import apply, make_plan

SOURCE = Reference((("P854", "url", "https://example.org/a"), ("P813", "time", "+2026-11-20T00:00:00Z")))


def measure(folder: Path, edits: int, profile: bool) -> dict[str, Any]:
    """Fill a wiki, approve one proposal for each item, plan, and time what carrying out the plan takes."""
    settings = Settings()
    with Sandbox(folder / "sandbox.db") as sandbox, Workspace.open(folder / "w") as workspace:
        sandbox.fill(
            {"qid": f"Q{1000 + n}", "label": f"item {n}", "formulas": [f"a_{{{n}}}=b^2"] if n % 2 else []}
            for n in range(edits)
        )
        add_reviewer(workspace, "Ada")
        for n in range(edits):
            _approved(workspace, sandbox, n)
        with Client(sandbox.wiki, settings.agent, None) as client:
            plan = make_plan(workspace, client, sandbox.wiki, settings)
        requests = _counted(sandbox)
        profiler = cProfile.Profile()
        began, busy = time.perf_counter(), time.process_time()
        if profile:
            profiler.enable()
        outcomes = apply(workspace, plan, sandbox.wiki, settings)
        profiler.disable()
        seconds, busy = time.perf_counter() - began, time.process_time() - busy
    if profile:
        pstats.Stats(profiler).sort_stats("cumulative").print_stats(45)
    written = Counter(outcome for _, outcome, _ in outcomes)["written"]
    return {
        "edits": edits,
        "written": written,
        "seconds": round(seconds, 2),
        "edits_per_s": round(written / seconds, 1),
        "cpu_seconds": round(busy, 2),
        "requests_per_edit": round(requests[0] / max(1, written), 2),
    }


def _approved(workspace: Workspace, sandbox: Sandbox, n: int) -> None:
    qid, tex, statement = f"Q{1000 + n}", f"a_{{{n}}}=b^2", ""
    kind: Any = "new_claim"
    if n % 2:
        entity = sandbox.entity(qid) or {}
        kind, statement = "add_reference", entity["claims"]["P2534"][0]["id"]
    hash_ = content_hash(kind, qid, "P2534", tex, (SOURCE,), statement)
    id_ = proposal_id(qid, "P2534", tex)
    made = Proposal(id_, kind, qid, "P2534", tex, (SOURCE,), (), (), 0.9, 1, hash_, "2999-01-01", statement)
    names = ("id", "kind", "qid", "probability", "hash", "expires")
    row = {name: getattr(made, name) for name in names}
    with workspace.engine.begin() as db:
        db.execute(store.proposals.insert().values(**row, record=as_json(made), created="2026-11-20T00:00:00Z"))
    decide(workspace, Decision(made.id, made.hash, "approve", reviewer="Ada"))


def _counted(sandbox: Sandbox) -> list[int]:
    """Count the requests that reach the wiki from now on."""
    count, session = [0], sandbox.site.session

    def counted(cookie: str | None) -> Any:
        count[0] += 1
        return session(cookie)

    sandbox.site.session = counted  # type: ignore[method-assign]
    return count


def main() -> None:
    parser = arguments(__doc__, "--json")
    parser.add_argument("--edits", type=int, default=200)
    parser.add_argument("--profile", action="store_true")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        found = measure(Path(folder), args.edits, args.profile)
    print(json.dumps(found) if args.json else "\n".join(f"{name:18} {value}" for name, value in found.items()))


if __name__ == "__main__":
    main()
