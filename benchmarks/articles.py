"""The defining formula of an article: how often the first equation is it, and how often the one that we choose.

`--gold F`: JSON lines {"title", "has_defining_formula", "acceptable", "doubtful"}, articles that were read; a choice is right
if it is one of the acceptable formulas as a string without closing punctuation and blanks, or by its canonical key (K2).
Figures: `right` and `wrong` of the accepted choices, over all articles and (`strict_`) without doubtful ones; `recall` is over
the articles that have a formula, `best` counts the choices whether accepted or not, and `first_equation` is the baseline that
takes the first formula with an equals sign. `--items F`: a choice is right if it agrees with a formula of the item that has the
article's title as label or alias (`items_` figures). `--out F` writes {"title", "tex", "accepted", …} for every document.
The shipped weights were fitted on the development articles: their honest figures are those that train_articles.py prints.
"""

from __future__ import annotations

import re
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from command import arguments

from bot.console import read_lines, table, write_json, write_lines
from bot.corpus import ParsedDocument, read
from bot.discover.articles import DefiningFormula, defining_formula
from bot.discover.candidate_filters import keys_of
from bot.match.features.agreement import equivalent
from bot.match.item_labels import fold
from bot.match.retrieval.known_concepts import ConceptIndex, builtin_concepts, empty_concepts

_CLOSING = re.compile(r"(?:[.,;:~\s]|\\[,;:! ]|\\$|\\q?quad(?![a-zA-Z]))+$")


def articles(corpora: Sequence[str]) -> list[ParsedDocument]:
    """Return the articles of the corpora: wikitext, MediaWiki XML or HTML."""
    return list(read(corpora, on_skip=lambda path, why: print(f"{path}: {why}", file=sys.stderr)))


@dataclass(frozen=True)
class ReadArticle:
    """What a reader takes for the defining formulas of an article; none where it has none."""

    title: str
    acceptable: tuple[str, ...]
    doubtful: bool = False

    def right(self, tex: str) -> bool:
        """Say whether a formula is one of the acceptable ones as a string or by its key."""
        return bool(tex) and any(written(tex) == written(each) or same_key(tex, each) for each in self.acceptable)


def read_gold(paths: Iterable[str]) -> dict[str, ReadArticle]:
    """Return the articles that were read, by title; a later file goes before an earlier one."""
    fields: dict[str, type] = {"title": str, "acceptable": list, "has_defining_formula": bool}
    rows = (row for path in paths for row in read_lines(path, fields))
    return {
        row["title"]: ReadArticle(
            row["title"], tuple(row["acceptable"]) if row["has_defining_formula"] else (), bool(row.get("doubtful"))
        )
        for row in rows
    }


def written(tex: str) -> str:
    """Return a formula without blanks and without what closes its sentence."""
    return re.sub(r"\s", "", _CLOSING.sub("", tex.strip()))


def same_key(a: str, b: str) -> bool:
    return bool(_key(a)) and _key(a) == _key(b)


@lru_cache(maxsize=100_000)
def _key(tex: str) -> str:
    found = keys_of(tex)
    return found.K2 if found else ""


class ItemFormulas:
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


def agrees(tex: str, formulas: Sequence[str]) -> bool:
    return bool(tex) and any(equivalent(tex, each) is not None for each in formulas)


def first_equation(page: ParsedDocument) -> str:
    """Return the first formula with an equals sign, "" without one: the paper's baseline."""
    return next((each.tex for each in page.occurrences if "=" in each.tex), "")


def against_reading(
    found: Sequence[tuple[ParsedDocument, DefiningFormula]], gold: Mapping[str, ReadArticle]
) -> dict[str, Any]:
    """Return the figures over the articles that were read."""
    rows = [(page, one, gold[page.document.title]) for page, one in found if page.document.title in gold]
    strict = [row for row in rows if not row[2].doubtful]
    return _counts(rows) | {f"strict_{name}": value for name, value in _counts(strict).items()}


def _counts(rows: Sequence[tuple[ParsedDocument, DefiningFormula, ReadArticle]]) -> dict[str, Any]:
    having = sum(bool(known.acceptable) for _, _, known in rows)
    stood = [known.right(one.tex) for _, one, known in rows if one.accepted]
    firsts = [known.right(tex) for page, _, known in rows if (tex := first_equation(page))]
    return {
        "articles": len(rows),
        "with_formula": having,
        "right": sum(stood),
        "wrong": len(stood) - sum(stood),
        "recall": _part(sum(stood), having),
        "precision": _part(sum(stood), len(stood)),
        "best": sum(known.right(one.tex) for _, one, known in rows),
        "first_equation_right": sum(firsts),
        "first_equation_wrong": len(firsts) - sum(firsts),
    }


def against_items(
    found: Sequence[tuple[ParsedDocument, DefiningFormula]], formulas: Callable[[str], Sequence[str]]
) -> dict[str, Any]:
    """Return the figures over the articles whose item has a formula."""
    rows = [(page, one, wanted) for page, one in found if (wanted := formulas(page.document.title))]
    ours = [agrees(one.tex, wanted) for _, one, wanted in rows]
    stood = [is_right for (_, one, _), is_right in zip(rows, ours, strict=True) if one.accepted]
    return {
        "items_articles": len(rows),
        "items_first_equation": _part(sum(agrees(first_equation(page), wanted) for page, _, wanted in rows), len(rows)),
        "items_best": _part(sum(ours), len(rows)),
        "items_accepted": len(stood),
        "items_precision": _part(sum(stood), len(stood)),
    }


def _part(some: int, all_: int) -> float | None:
    return round(some / all_, 4) if all_ else None


def timed(
    pages: Iterable[ParsedDocument], known: ConceptIndex
) -> Iterator[tuple[ParsedDocument, DefiningFormula, float]]:
    """Yield the choice for each article with the processor seconds that it took."""
    for page in pages:
        start = time.process_time()
        found = defining_formula(page.document, page.occurrences, known.definitions_called(page.document.title))
        yield page, found, time.process_time() - start


def main() -> None:
    parser = arguments(__doc__, "--corpus", "--items", "--json")
    parser.add_argument("--gold", metavar="F", nargs="+", default=[], help="articles that were read")
    parser.add_argument("--no-builtin", action="store_true", help="read the articles without the built-in list")
    parser.add_argument("--out", metavar="F", help="write {title, tex, accepted} for every article")
    args = parser.parse_args()
    start = time.process_time()
    pages = articles(args.corpus)
    reading = time.process_time() - start
    known = empty_concepts() if args.no_builtin else builtin_concepts()
    chosen = list(timed(pages, known))
    found = [(page, one) for page, one, _ in chosen]
    if args.out:
        with Path(args.out).open("w", encoding="utf-8") as file:
            write_lines((row(*each) for each in chosen), file)
    seconds = [each for _, _, each in chosen]
    gold = read_gold(args.gold)
    result = {
        **(against_reading(found, gold) if gold else {}),
        **against_items(found, ItemFormulas(read_lines(args.items, {"qid": str}))),
        "seconds_per_article": round((reading + sum(seconds)) / max(1, len(pages)), 4),
        "slowest_seconds": round(max(seconds, default=0.0), 3),
    }
    if args.json:
        write_json(result)
        return
    lines = [(p.document.title, one.probability, one.accepted, _verdict(one, gold.get(p.document.title)), one.tex[:80], f"{s:.3f}") for p, one, s in chosen]  # fmt: skip
    table("articles", ("title", "p", "accepted", "read", "ours", "processor s"), sorted(lines, key=lambda x: -x[1]))
    table("figures", ("what", "figure"), list(result.items()))


def _verdict(one: DefiningFormula, known: ReadArticle | None) -> str:
    if known is None:
        return ""
    return "right" if known.right(one.tex) else "wrong" if known.acceptable else "has none"


def row(page: ParsedDocument, one: DefiningFormula, seconds: float) -> dict[str, Any]:
    """Return what is written of one article."""
    return {
        "title": page.document.title,
        "tex": one.tex,
        "accepted": one.accepted,
        "probability": one.probability,
        "document": page.document.id,
        "position": one.position,
        "seconds": round(seconds, 4),
    }


if __name__ == "__main__":
    main()
