"""How quick the review page is on a long queue, in server time: first page, next page, and word plus next proposal.

--proposals N hand-made proposals (every fifth item has a formula already); --json prints one object.
"""

from __future__ import annotations

import json
import random
import re
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from command import arguments

from bot import store
from bot.console import progress
from bot.messages import uncoded_message
from bot.records import Check, Evidence, Item, Proposal, Quote, Reference, Statement, as_json, digest
from bot.review import add_reviewer
from bot.review.web import make_app
from bot.review.web.security import OneTimeToken
from bot.settings import Settings
from bot.store import Workspace

SHAPES = (
    r"{a} = {b} {c}",
    r"{a} = \frac{{{b}}}{{{c}^2}}",
    r"{a} = \int_0^{{{b}}} {c}(x) \, \mathrm{{d}}x",
    r"\nabla \times \mathbf{{{a}}} = {b} \mathbf{{{c}}}",
    r"{a} = \sqrt{{{b}^2 + {c}^2}}",
    r"{a} = {b} \sum_{{i=1}}^n {c}_i",
)
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghjklmnopqrstuvwxyz"


def proposals(number: int, seed: int = 0) -> Any:
    """Yield proposals of the size that real ones have."""
    chance = random.Random(seed)
    for n in range(number):
        a, b, c = chance.sample(LETTERS, 3)
        tex = chance.choice(SHAPES).format(a=a, b=b, c=c)
        state = "ok" if n % 3 else "warn"
        evidence = tuple(
            Evidence(f"sign {i}", 1.0 - i / 5, uncoded_message(f"reason number {i} of proposal {n}, as a sentence"))
            for i in range(9)
        )
        checks = tuple(
            Check(f"check {i}", "ok" if i else state, uncoded_message(f"what check {i} says of it")) for i in range(11)
        )
        references = tuple(
            Reference((("P854", "url", f"https://example.org/{n}/{i}"), ("P813", "time", "+2026-11-20T00:00:00Z")))
            for i in range(2)
        )
        window = f"The law number {n} says ⟦0⟧ for all ⟦1⟧, as everybody has known for a long time. " * 2
        quotes = tuple(
            Quote(
                f"corpus {n % 7}/{n}",
                0,
                window,
                "Laws",
                f"law number {n}",
                "Lectures",
                "https://example.org",
                ((0, tex), (1, "x")),
                "sentence",
            )
            for _ in range(2)
        )
        yield Proposal(
            digest("proposal", n, length=16), "new_claim" if n % 9 else "add_reference", f"Q{n // 2 + 1}", "P2534", tex, references, evidence, checks,
            round(chance.betavariate(3, 1.5), 4), 1, digest("content", n), "2999-01-01", concept=f"c{n}", quotes=quotes,
            runners_up=((f"Q{n + 5}", f"law number {n + 5}", 0.1),), other_formulas=((f"{a} = {c}", 0.2),),
        )  # fmt: skip


def fill(workspace: Workspace, number: int) -> None:
    """Put proposals, items, concepts and documents into the workspace."""
    with workspace.engine.begin() as db, progress("fill", number) as advance:
        rows: dict[Any, list[dict[str, Any]]] = {
            t: [] for t in (store.proposals, store.items, store.concepts, store.documents)
        }
        for n, p in enumerate(proposals(number)):
            names = ("id", "kind", "qid", "probability", "hash", "expires")
            rows[store.proposals].append(
                {**{k: getattr(p, k) for k in names}, "record": as_json(p), "created": "", "seen": ""}
            )
            document = p.quotes[0].document
            rows[store.documents].append(
                {
                    "id": document,
                    "title": "Lectures",
                    "url": "",
                    "source": document.partition("/")[0],
                    "identifiers": [],
                }
            )
            concept = {
                "key": p.concept,
                "tex": p.tex,
                "occurrences": n % 300,
                "documents": 2,
                "representations": [],
                "names": [],
                "places": [],
            }
            rows[store.concepts].append({**concept, "definitions": []})
            if n % 2 == 0:
                standing = (Statement(f"{p.qid}$1", "P2534", f"{p.tex} + 1"),) if n % 10 == 0 else ()
                item = Item(p.qid, f"law number {n}", (), "a law", (f"Q{n % 40 + 900000}",), standing, 1)
                rows[store.items].append({"qid": p.qid, "revision": 1, "record": as_json(item)})
            if n % 2000 == 1999 or n == number - 1:
                for table, made in rows.items():
                    db.execute(table.insert(), made) if made else None
                    made.clear()
                advance(2000)


def timed(times: int, act: Callable[[int], Any]) -> dict[str, float]:
    """Return median and 95th percentile in milliseconds, and the median of the processor's time: other work does not count there."""
    for n in range(3):
        act(n)
    taken, busy = [], []
    for n in range(times):
        began, thread = time.perf_counter(), time.thread_time()
        act(n + 3)
        taken.append((time.perf_counter() - began) * 1000)
        busy.append((time.thread_time() - thread) * 1000)
    taken.sort()
    return {
        "median_ms": round(statistics.median(taken), 2),
        "p95_ms": round(taken[int(len(taken) * 0.95)], 2),
        "cpu_ms": round(statistics.median(busy), 2),
    }


def measure(workspace: Workspace, times: int) -> dict[str, Any]:
    """Return the figures of a filled workspace."""
    add_reviewer(workspace, "Ada", "operator")
    token = OneTimeToken()
    began = time.perf_counter()
    app = make_app(workspace, Settings(), hosts={"localhost"}, token=token, reviewer="Ada")
    made = {"index_seconds": round(time.perf_counter() - began, 1)}
    client = app.test_client()
    client.get(f"/sign-in/{token.text}")
    at = {"address": "", "form": {}}

    def look(address: str) -> None:
        page = client.get(address).get_data(True)
        at["address"] = address
        at["form"] = {**dict(re.findall(r'name="(csrf|hash|words)" value="([^"]*)"', page)), "reference": ["0", "1"]}

    def word(n: int) -> None:
        made = client.post(at["address"], data={**at["form"], "verdict": "approve" if n % 4 else "unsure"})
        assert made.status_code == 303, made.get_data(True)[-500:]
        look(made.location)

    after = client.get("/").get_data(True)
    deep = re.findall(r"after=([0-9a-f]{16})", after)[0]
    figures: dict[str, Any] = {
        **made,
        "first_page": timed(times, lambda n: client.get("/")),
        "second_page": timed(times, lambda n: client.get(f"/?after={deep}")),
        "by_frequency": timed(times, lambda n: client.get("/?order=frequency")),
        "one_corpus": timed(times, lambda n: client.get("/?corpus=corpus+3")),
        "by_label": timed(times, lambda n: client.get(f"/?q=law+{n}77")),
        "by_label_of_hundreds": timed(times, lambda n: client.get(f"/?q=number+{n % 90 + 10}")),
        "by_label_of_all": timed(times, lambda n: client.get(f"/?q=law&low={n % 40}")),
    }
    look(client.get("/next").location)
    figures["next_proposal"] = timed(times, lambda n: look(client.get(f"/next?after={at['address'][3:19]}").location))
    figures["word_and_next_proposal"] = timed(times, word)
    return figures


def main() -> None:
    parser = arguments(__doc__, "--json")
    parser.add_argument("--proposals", type=int, default=100_000)
    parser.add_argument("--times", type=int, default=60)
    parser.add_argument("--database", default="", help="SQLAlchemy address of an empty database instead of SQLite")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, Workspace.open(Path(folder), database=given.database) as workspace:
        fill(workspace, given.proposals)
        figures = {"proposals": given.proposals, **measure(workspace, given.times)}
    if given.json:
        print(json.dumps(figures))
        return
    for name, value in figures.items():
        print(f"{name:24} {value}")


if __name__ == "__main__":
    main()
