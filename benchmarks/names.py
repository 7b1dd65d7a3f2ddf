"""Names of formulas from the words around them: exact at 1 and in the first five, against names that people accept.

`--formulas`: JSON lines {"i", "tex", "doc", "window500": [words]}; `--gold`: {"indices", "judged_names"} (others are passed over).
A name counts as exact when its words are those of an accepted name, function words aside (the windows hold none).
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from itertools import groupby
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from command import arguments

from bot.console import read_lines, write_json
from bot.corpus import Page
from bot.corpus.formula_rows import MARKUP
from bot.discover.builtin_names import BuiltinFormulas
from bot.discover.count import CountedRow
from bot.discover.group import groups
from bot.discover.label_automaton import Labels
from bot.discover.mine import mine_page
from bot.discover.naming import named_concepts
from bot.discover.phrases import fold
from bot.discover.shards import ShardRow
from bot.match.knowledge import Knowledge
from bot.match.retrieval.known_concepts import concepts as known
from bot.match.retrieval.known_concepts import no_concepts
from bot.records import Document, FormulaConcept, Occurrence

FUNCTION = frozenset("of for the a an to in and".split())


def pages(rows: Iterable[dict[str, Any]]) -> Iterator[Page]:
    """Yield a document for each `doc`, with its formulas and the words around them as windows without a mask."""
    for name, run in groupby(sorted(rows, key=lambda r: (r["doc"], r["i"])), key=lambda r: str(r["doc"])):
        occurrences = tuple(
            Occurrence(name, int(r["i"]), r["tex"], False, " ".join(w for w in r["window500"] if w not in MARKUP))
            for r in run
        )
        yield Page(name, "", Document(name, "", kind="paper"), occurrences)


def concepts(rows: Iterable[dict[str, Any]], builtin: BuiltinFormulas) -> dict[tuple[str, int], FormulaConcept]:
    """Return for each place (document, i) the concept it fell into; every equation counts, whatever its frequency."""
    mined = [ShardRow(**row, path="") for page in pages(rows) for row in mine_page(page)]
    kept = sorted((row for row in mined if row["K2"]), key=lambda row: (row["K2"], row["document"], row["position"]))
    found = []
    for _, run in groupby(kept, key=lambda row: row["K2"]):
        same = list(run)
        spread = len({row["document"] for row in same})
        found += groups([CountedRow(**row, times=len(same), spread=spread) for row in same], Labels(()))
    at: dict[tuple[str, int], FormulaConcept] = {}
    for whole, (group, members) in named_concepts(found, 15, {}, Labels(()), builtin):
        at |= {place: whole for g in (group, *members) for place in g.telling}
    return at


def words(name: str) -> str:
    """Return a name without function words, blanks and hyphens: the windows have lost them (“firstorder”)."""
    return "".join(word for word in fold(name).split() if word not in FUNCTION)


def main() -> None:
    parser = arguments(__doc__, "--formulas", "--gold", "--no-builtin", "--json")
    given = parser.parse_args()
    rows = list(read_lines(given.formulas, {"i": int, "tex": str, "doc": str, "window500": list}))
    at = concepts(rows, Knowledge(no_concepts if given.no_builtin else known))
    where = {r["i"]: (r["doc"], r["i"]) for r in rows}
    first = five = total = 0
    for gold in read_lines(given.gold, {"indices": list}):
        if "judged_names" not in gold:
            continue
        total += 1
        accepted = {words(name) for name in gold["judged_names"]}
        whole = next((at[where[i]] for i in gold["indices"] if where.get(i) in at), None)
        names = [words(n.name) for n in whole.names[:5]] if whole else []
        first += names[:1] != [] and names[0] in accepted
        five += bool(accepted & set(names))
        if not given.json:
            print(f"{gold.get('tex', '')}: wanted {sorted(accepted)}, found {names}", file=sys.stderr)
    write_json(
        {"exact_at_1": round(first / max(total, 1), 4), "exact_in_5": round(five / max(total, 1), 4), "judged": total}
    )


if __name__ == "__main__":
    main()
