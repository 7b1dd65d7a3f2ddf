"""The defining formula of an article: how often the first formula is it, and how often the one that we choose.

Gold: articles whose title is the label or an alias of an item (a label goes before an alias) that has a formula; a choice is
right if it agrees with one of the item's formulas, judged on the trees as in rediscovery.py. `accepted_precision`: of the
choices that we would stand by. With `--read F`, articles that were read by us count as well, as further figures: JSON lines
{"title", "formulas"}, an empty list where the article has no defining formula. `--out` writes a row for every article.
The shipped weights were fitted on the development articles: their honest figures are those that train_articles.py prints.
"""

from __future__ import annotations

import re
import sys
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from command import arguments

from bot.console import read_lines, table, write_json, write_lines
from bot.corpus import Page, read
from bot.discover.articles import Defining, defining_formula
from bot.match.features.agreement import equivalent
from bot.match.item_labels import fold


def articles(corpora: Sequence[str]) -> list[Page]:
    """Return the encyclopaedia's articles of the corpora."""
    return [page for page in read(corpora) if page.document.kind == "encyclopaedia"]


class Gold:
    """Formulas of the items that carry a name as label or, failing that, as alias."""

    def __init__(self, rows: Iterable[Mapping[str, Any]]) -> None:
        self._labels: dict[str, list[str]] = defaultdict(list)
        self._aliases: dict[str, list[str]] = defaultdict(list)
        for row in rows:
            self._labels[fold(row.get("label") or "")] += row.get("formulas") or ()
            for alias in row.get("aliases") or ():
                self._aliases[fold(alias)] += row.get("formulas") or ()

    def __call__(self, title: str) -> tuple[str, ...]:
        """Return the formulas that an article of this title should give; () where no item says."""
        for name in (fold(title), fold(re.sub(r"\s*\([^()]*\)$", "", title))):
            for known in (self._labels, self._aliases):
                if name in known:
                    return tuple(known[name])
        return ()


def right(tex: str, formulas: Sequence[str]) -> bool:
    return bool(tex) and any(equivalent(tex, each) is not None for each in formulas)


def figures(rows: Sequence[tuple[Page, Defining, Sequence[str]]]) -> dict[str, Any]:
    """Return the share of articles whose first formula, and whose chosen formula, is right."""
    first = [right(page.occurrences[0].tex if page.occurrences else "", gold) for page, _, gold in rows]
    ours = [right(found.tex, gold) for _, found, gold in rows]
    stood = [is_right for (_, found, _), is_right in zip(rows, ours, strict=True) if found.accepted]
    return {
        "articles": len(rows),
        "first_formula": share(first),
        "ours": share(ours),
        "accepted": len(stood),
        "accepted_precision": share(stood),
    }


def share(verdicts: Sequence[bool]) -> float | None:
    return round(sum(verdicts) / len(verdicts), 4) if verdicts else None


def against_read(pages: Sequence[tuple[Page, Defining]], path: str) -> dict[str, Any]:
    """Return figures over the articles that were read, those without a defining formula among them."""
    known = {row["title"]: row["formulas"] for row in read_lines(path, {"title": str, "formulas": list})}
    rows = [(page, found, known[page.document.title]) for page, found in pages if page.document.title in known]
    with_formula = figures([row for row in rows if row[2]])
    empty = [found.accepted for _, found, gold in rows if not gold]
    stood = [right(found.tex, gold) for _, found, gold in rows if found.accepted]
    return {f"read_{name}": value for name, value in with_formula.items()} | {
        "read_accepted": len(stood),
        "read_accepted_precision": share(stood),
        "read_without_formula": len(empty),
        "read_without_formula_accepted": sum(empty),
    }


def main() -> None:
    parser = arguments(__doc__, "--corpus", "--items", "--json")
    parser.add_argument("--out", metavar="F", help="write {title, tex, accepted} for every article")
    parser.add_argument("--read", metavar="F", help="articles read by us")
    args = parser.parse_args()
    found = [(page, defining_formula(page.document, page.occurrences)) for page in articles(args.corpus)]
    if args.out:
        with Path(args.out).open("w", encoding="utf-8") as file:
            write_lines((row(page, one) for page, one in found), file)
    gold = Gold(read_lines(args.items, {"qid": str}))
    judged = [(page, one, wanted) for page, one in found if (wanted := gold(page.document.title))]
    result = figures(judged) | (against_read(found, args.read) if args.read else {})
    if args.json:
        write_json(result)
        return
    lines = [
        (page.document.title, one.probability, right(one.tex, wanted), one.accepted, one.tex, " | ".join(wanted))
        for page, one, wanted in judged
    ]
    table("articles", ("title", "p", "right", "accepted", "ours", "the item's"), lines)
    table("figures", ("what", "figure"), list(result.items()))


def row(page: Page, one: Defining) -> dict[str, Any]:
    """Return what is written of one article."""
    return {
        "title": page.document.title,
        "tex": one.tex,
        "accepted": one.accepted,
        "probability": one.probability,
        "document": page.document.id,
        "position": one.position,
    }


if __name__ == "__main__":
    main()
