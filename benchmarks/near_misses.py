"""Near misses: items' own formulas with one exponent, sign, operation or factor changed, a fraction turned over, a term left out, or two roles swapped.

Each is generated from a formula of the items (`bot.near_misses`), the same in every run, and kept where no item of the file or the built-in list has it.
None may be accepted: `accepted` is the share that is, by kind of change, and `refused` the rest. `held` is the share of the unchanged formulas that are accepted, in another spelling.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from random import Random
from zlib import crc32

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from command import arguments

from bot.console import read_lines, table, write_json
from bot.errors import FormulaError
from bot.formula import keys
from bot.formula.generation.near_misses import CHANGES
from bot.formula.generation.transformations import TRANSFORMATIONS
from bot.formula.generation.written_forms import near_misses
from bot.match import Recogniser


def changed(tex: str, known: set[str]) -> Iterator[tuple[str, str]]:
    """Yield (kind, TeX) of the near misses of a formula that are not known formula (`known`: keys at K2 and K3)."""
    try:
        for form in near_misses(tex):
            found = keys(form.tex)
            if found.K2 not in known and found.K3 not in known:
                yield form.transformations[0], form.tex
    except FormulaError:
        return


def respelt(tex: str) -> str:
    """Return a formula with its sides swapped, its fractions as slashes, in another style."""
    rng = Random(5)
    for name in ("swapped sides", "slash", "styling"):
        tex = TRANSFORMATIONS[name](tex, rng) or tex
    return tex


def known_keys(texts: Iterable[str]) -> set[str]:
    """Return the keys K2 and K3 of formulas."""
    found: set[str] = set()
    for tex in texts:
        try:
            found |= {keys(tex).K2, keys(tex).K3}
        except FormulaError:
            continue
    return found


def main() -> None:
    parser = arguments(__doc__, "--items", "--no-builtin", "--json")
    parser.add_argument("--sample", type=int, default=300, help="formulas that are changed")
    parser.add_argument("--show", action="store_true", help="the near misses that are accepted")
    args = parser.parse_args()
    items = list(read_lines(args.items, {"qid": str}))
    recogniser = Recogniser(items, book={} if args.no_builtin else None)
    listed = sorted(
        [(row["qid"], tex) for row in items for tex in row.get("formulas") or ()],
        key=lambda each: crc32("|".join(each).encode()),
    )
    known = known_keys(entry.tex for entry in recogniser.index.entries)
    rows, plain = [], []
    for qid, tex in listed[: args.sample]:
        rows += [{"qid": qid, "kind": kind, "of": tex, "tex": other} for kind, other in changed(tex, known)]
        plain.append({"qid": qid, "tex": respelt(tex)})
    answers = list(recogniser.answers(rows))
    by_kind: dict[str, list[bool]] = defaultdict(list)
    for answer in answers:
        by_kind[answer["kind"]].append(answer["accepted"])
    held = [answer["accepted"] for answer in recogniser.answers(plain)]
    found = {
        "near_misses": len(rows),
        "accepted": round(sum(answer["accepted"] for answer in answers) / max(len(rows), 1), 4),
        "refused": round(sum(not answer["accepted"] for answer in answers) / max(len(rows), 1), 4),
        **{
            f"accepted_{kind.replace(' ', '_')}": round(sum(by_kind[kind]) / max(len(by_kind[kind]), 1), 4)
            for kind in CHANGES
        },
        "held": round(sum(held) / max(len(held), 1), 4),
    }
    if args.json:
        write_json(found)
        return
    if args.show:
        shown = [(a["kind"], a["of"], a["tex"], a["hits"][0]["formula"], a["hits"][0]["level"], a["hits"][0]["probability"]) for a in answers if a["accepted"]]  # fmt: skip
        table("accepted", ("kind", "of", "query", "formula", "level", "p"), shown)
    table("near misses", ("what", "figure"), list(found.items()))


if __name__ == "__main__":
    main()
