"""Names of formulas from the words around them: exact at 1 and in the first five, against names that people accept.

`--formulas`: JSON lines {"i", "tex", "doc", "window500": [words]}; `--gold`: {"indices", "judged_names"} (others are passed over).
A name counts as exact when its words are those of an accepted name, function words aside (the windows hold none).
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from functools import partial
from itertools import groupby
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from command import arguments

from bot import store
from bot.console import read_lines, write_json
from bot.corpus import ParsedDocument
from bot.corpus.formula_rows import MARKUP
from bot.discover.builtin_names import BuiltinFormulas
from bot.discover.engines import OneMachine
from bot.discover.families import Families
from bot.discover.grouping.encoding_names import USUAL
from bot.discover.label_automaton import Labels
from bot.discover.mine import mine_page
from bot.discover.naming import NamedConcepts
from bot.discover.phrases import fold
from bot.discover.shard_files import ShardWriter
from bot.match.knowledge import Knowledge
from bot.match.retrieval.known_concepts import builtin_concepts as known
from bot.match.retrieval.known_concepts import empty_concepts
from bot.records import Document, Occurrence
from bot.result_cache import temporary_result_cache
from bot.settings import Discovery
from bot.store import Workspace

FUNCTION = frozenset("of for the a an to in and".split())


def pages(rows: Iterable[dict[str, Any]]) -> Iterator[ParsedDocument]:
    """Yield a document for each `doc`, with its formulas and the words around them as windows without a mask."""
    for name, run in groupby(sorted(rows, key=lambda r: (r["doc"], r["i"])), key=lambda r: str(r["doc"])):
        occurrences = tuple(
            Occurrence(name, int(r["i"]), r["tex"], False, " ".join(w for w in r["window500"] if w not in MARKUP))
            for r in run
        )
        yield ParsedDocument(name, "", Document(name, "", kind="paper"), occurrences)


def concepts(rows: Iterable[dict[str, Any]], builtin: BuiltinFormulas) -> dict[tuple[str, int], list[str]]:
    """Return for each place (document, i) the names of the concept it fell into; every equation counts, whatever its frequency."""
    mined = [row for page in pages(rows) for row in mine_page(page)]
    kept = [{**row, "candidate": True} for row in mined if row["K2"]]
    settings = Discovery(min_documents=1, min_length=0, max_length=10**6, long_formulas=True, names_per_concept=15)
    at: dict[str, list[str]] = {}
    with TemporaryDirectory() as folder, Workspace.open(Path(folder)) as workspace, temporary_result_cache() as results:
        with ShardWriter(workspace.occurrences / "all.parquet", "all") as shard:
            shard.write(kept)
        with workspace.engine.begin() as db:
            db.execute(store.sources.insert().values(path="all", part="all.parquet"))
            db.execute(
                store.documents.insert(), [{"id": id_, "path": "all"} for id_ in {row["document"] for row in kept}]
            )
        families = Families(partial(OneMachine().occurrences, workspace), settings, Labels(()), 0, results)
        named = NamedConcepts(families, {}, builtin, USUAL, results)
        names = {row.key: [name["name"] for name in row.unpacked()[0]["names"]] for row in named.rows()}
        for head, members in named.found:
            at |= {group.key: names[head.key] for group in (head, *members)}
    return {(row["document"], row["position"]): at[row["K2"]] for row in kept}


def words(name: str) -> str:
    """Return a name without function words, blanks and hyphens: the windows have lost them (“firstorder”)."""
    return "".join(word for word in fold(name).split() if word not in FUNCTION)


def main() -> None:
    parser = arguments(__doc__, "--formulas", "--gold", "--no-builtin", "--json")
    given = parser.parse_args()
    rows = list(read_lines(given.formulas, {"i": int, "tex": str, "doc": str, "window500": list}))
    at = concepts(rows, Knowledge(empty_concepts if given.no_builtin else known))
    where = {r["i"]: (r["doc"], r["i"]) for r in rows}
    first = five = total = 0
    for gold in read_lines(given.gold, {"indices": list}):
        if "judged_names" not in gold:
            continue
        total += 1
        accepted = {words(name) for name in gold["judged_names"]}
        found = next((at[where[i]] for i in gold["indices"] if where.get(i) in at), [])
        names = list(map(words, found[:5]))
        first += names[:1] != [] and names[0] in accepted
        five += bool(accepted & set(names))
        if not given.json:
            print(f"{gold.get('tex', '')}: wanted {sorted(accepted)}, found {names}", file=sys.stderr)
    write_json(
        {"exact_at_1": round(first / max(total, 1), 4), "exact_in_5": round(five / max(total, 1), 4), "judged": total}
    )


if __name__ == "__main__":
    main()
