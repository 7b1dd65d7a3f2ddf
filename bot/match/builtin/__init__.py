"""The built-in list: formulas of well-known concepts, by item, without sources; the Formula Concept Database starts from it.

One file for each field. An entry is a line `# QID label`, or `# - label` where we do not know the item, then one formula a line;
`about FORMULA` is true of the concept but does not define it (a special case, a property, one of several equations), of `doubtful FORMULA` one reader says so
and another does not, `where SYMBOL = EXPRESSION` is an abbreviation that the field puts in for the symbol, `part of QID` an item that this one is a part of (P361).
A line that begins with % is a remark.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from bot.errors import ItemsError
from bot.messages import Message
from bot.wikibase import ITEM_ID, is_item_id

_HEAD = re.compile(rf"#\s*({ITEM_ID}|-)\s+(\S.*)")
_MARKS = ("where ", "part of ", "about ", "doubtful ")  # at the beginning of a line
_NO_FORMULAS = _MARKS[:2]
_SIGNS = str.maketrans("–—’", "--'")


@dataclass(frozen=True, slots=True)
class Concept:
    """One item: `formulas` are unlike representations, `about` those that do not define it, `doubtful` those that may not, `where` its abbreviations, `part_of` QIDs.

    `qid` is an id by the name where we know no QID (see `id_by_name`).
    """

    qid: str
    label: str
    field: str
    formulas: tuple[str, ...]
    where: tuple[str, ...]
    part_of: tuple[str, ...]
    about: tuple[str, ...] = ()
    doubtful: tuple[str, ...] = ()

    @property
    def defining(self) -> tuple[str, ...]:
        """Return the formulas that surely define the concept, the most general one first."""
        return tuple(tex for tex in self.formulas if tex not in self.about and tex not in self.doubtful)


def id_by_name(name: str) -> str:
    """Return the id of an entry without a QID: it is no item's, and counts for items with this name."""
    return "~" + name.translate(_SIGNS).casefold()


def shown_id(entry: str) -> str | Message:
    """Return the QID of an entry for a sentence, or that it is not known."""
    return entry if is_item_id(entry) else Message("builtin.no_qid")


@cache
def builtin_formulas() -> dict[str, Concept]:
    """Return what the package ships, by id, in the order of fields and entries."""
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
    """Return what a book says of an item that has this QID and one of whose names is the book's; on another wiki a QID is another item.

    An entry without a QID is that of an item with its name.
    """
    # The list alone, as it is read when the package is built, needs no other library
    from bot.match.item_labels import fold

    names = list(filter(None, names))
    concept = book.get(qid)
    if concept and fold(concept.label) in map(fold, names):
        return concept
    return next(filter(None, map(book.get, map(id_by_name, names))), None)


def read_concepts(lines: Iterable[str], field: str) -> Iterator[Concept]:
    """Yield the concepts of one file. Raises ItemsError for a formula before the first head and a head without a QID or -."""
    head: tuple[str, str] | None = None
    formulas: list[str] = []
    marked: dict[str, list[str]] = {}

    def concept() -> Concept:
        assert head is not None
        where, part_of, about, doubtful = (tuple(marked[mark]) for mark in _MARKS)
        return Concept(*head, field, tuple(formulas), where, part_of, about, doubtful)

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
            qid, label = matched.groups()
            head, formulas, marked = (
                (id_by_name(label) if qid == "-" else qid, label),
                [],
                {mark: [] for mark in _MARKS},
            )
        elif head is None:
            raise ItemsError("before_head", where=Message("at.line", path=field, n=n), todo="builtin_head")
        else:
            mark = next((mark for mark in _MARKS if text.startswith(mark)), "")
            text = text.removeprefix(mark)
            if mark:
                marked[mark].append(text)
            if mark not in _NO_FORMULAS:
                formulas.append(text)
    if head:
        yield concept()
