"""The built-in list: formulas of well-known concepts, by item, without sources; the Formula Concept Database starts from it.

One file for each field. An entry is a line `# QID label`, then one formula a line; `where SYMBOL = EXPRESSION` is an abbreviation
that the field puts in for the symbol, `part of QID` an item that this one is a part of (P361). A line that begins with % is a remark.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from bot.errors import ItemsError
from bot.messages import Message
from bot.wikibase import ITEM_ID

_HEAD = re.compile(rf"#\s*({ITEM_ID})\s+(\S.*)")


@dataclass(frozen=True, slots=True)
class Concept:
    """One item: `formulas` are unlike representations, `where` its abbreviations, `part_of` QIDs."""

    qid: str
    label: str
    field: str
    formulas: tuple[str, ...]
    where: tuple[str, ...]
    part_of: tuple[str, ...]


@cache
def builtin_formulas() -> dict[str, Concept]:
    """Return what the package ships, by QID, in the order of fields and entries."""
    found: dict[str, Concept] = {}
    for path in sorted(files(__package__).iterdir(), key=lambda path: path.name):
        if path.name.endswith(".txt"):
            for concept in read_concepts(path.read_text(encoding="utf-8").splitlines(), path.name.removesuffix(".txt")):
                if concept.qid in found:
                    fields = f"{concept.field}, {found[concept.qid].field}"
                    raise ItemsError("twice", qid=concept.qid, where=fields, todo="one_entry")
                found[concept.qid] = concept
    return found


def entry_for_item(qid: str, names: Iterable[str], book: Mapping[str, Concept]) -> Concept | None:
    """Return what a book says of an item that has this QID and one of whose names is the book's; on another wiki a QID is another item."""
    # The list alone, as it is read when the package is built, needs no other library
    from bot.match.item_labels import fold

    concept = book.get(qid)
    return concept if concept and fold(concept.label) in {fold(name) for name in names if name} else None


def read_concepts(lines: Iterable[str], field: str) -> Iterator[Concept]:
    """Yield the concepts of one file. Raises ItemsError for a formula before the first head and a head without a QID."""
    head: tuple[str, str] | None = None
    parts: tuple[list[str], list[str], list[str]] = ([], [], [])

    def concept() -> Concept:
        assert head is not None
        return Concept(*head, field, tuple(parts[0]), tuple(parts[1]), tuple(parts[2]))

    for n, line in enumerate(lines, 1):
        text = line.strip()
        if not text or text.startswith("%"):
            continue
        if text.startswith("#"):
            matched = _HEAD.fullmatch(text)
            if not matched:
                raise ItemsError("builtin_head", where=Message("at.line", path=field, n=n), todo="builtin_line")
            if head:
                yield concept()
            head, parts = (matched[1], matched[2]), ([], [], [])
        elif head is None:
            raise ItemsError("before_head", where=Message("at.line", path=field, n=n), todo="builtin_head")
        elif text.startswith("where "):
            parts[1].append(text.removeprefix("where "))
        elif text.startswith("part of "):
            parts[2].append(text.removeprefix("part of "))
        else:
            parts[0].append(text)
    if head:
        yield concept()
