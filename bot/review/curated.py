"""Curated lists into the Formula Concept Database: rows {"qid", "tex"} that a person answers for.

Nothing is stored unless every row can be read; a formula without a tree is refused alone, counted and named.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import sqlalchemy as sa

from bot import store
from bot.console import read_lines
from bot.errors import FormulaError, ItemsError
from bot.formula import LEVELS, clean, compare, keys, tokens, unreadable
from bot.messages import Message
from bot.records import digest
from bot.review.fcdb import row_id
from bot.review.people import known_reviewer
from bot.sequences import batched
from bot.store import Row, Workspace, now
from bot.wikibase import is_item_id

_TEXTS = ("source", "level", "name")
_ORIGIN = "curated list"


@dataclass(frozen=True, slots=True)
class CuratedImport:
    """The result of importing a list; `refused` gives (row, why)."""

    new: int
    known: int
    refused: tuple[tuple[Message, Message], ...]


@dataclass(frozen=True, slots=True)
class _KnownFormulas:
    """What the workspace knows before the import: formulas and concept of each item, concepts of the corpus."""

    formulas: Mapping[str, Sequence[str]]  # to compare with: representations, and the item's own formulas
    stored: frozenset[tuple[str, str]]  # (item, TeX) that are representations already
    concepts: Mapping[str, str]


def import_list(workspace: Workspace, path: str | Path, reviewer: str = "", *, prop: str = "P2534") -> CuratedImport:
    """Add the rows of a JSON-lines file as representations of their items; again, it adds nothing.

    `prop` is the wiki's defining formula. Raises ItemsError for a row that is none, ReviewError for an unknown person.
    """
    person = known_reviewer(workspace, reviewer)
    source = "<stdin>" if str(path) == "-" else Path(path).name
    entries = [
        checked_row(row, Message("at.file_row", path=str(path), n=n))
        for n, row in enumerate(read_lines(path, {"qid": str, "tex": str}), 1)
    ]
    new_rows, repeated, refused = rows_of(entries, _stored_formulas(workspace, prop), person, source, now())
    with workspace.engine.begin() as db:
        for part in batched(new_rows, 500):
            db.execute(store.representations.insert(), part)
    return CuratedImport(len(new_rows), repeated, tuple(refused))


def checked_row(row: Row, where: Message) -> Row:
    """Return the row, or raise ItemsError saying what is wrong with it."""
    problem = None
    if not is_item_id(row["qid"]):
        problem = Message("error.field_no_item", field="qid", given=repr(row["qid"]))
    elif row.get("level") and row["level"] not in LEVELS:
        problem = Message("error.field_none_of", field="level", given=repr(row["level"]), known=", ".join(LEVELS))
    elif wrong := next((name for name in _TEXTS if not isinstance(row.get(name) or "", str)), ""):
        problem = Message("error.field_string", field=wrong)
    if problem:
        raise ItemsError(problem, where=where, todo="mend_row")
    return row


def rows_of(
    entries: Iterable[Row], before: _KnownFormulas, reviewer: str, source: str, time: str
) -> tuple[list[Row], int, list[tuple[Message, Message]]]:
    """Return the new rows, how many were known, and what was refused with the reason."""
    formulas = defaultdict(list, {qid: list(texts) for qid, texts in before.formulas.items()})
    stored, new_rows, repeated, refused = set(before.stored), list[Row](), 0, list[tuple[Message, Message]]()
    for n, row in enumerate(entries, 1):
        qid, tex = row["qid"], clean(row["tex"])
        if why := _unreadable_reason(tex):
            refused.append((Message("at.row_of", n=n, qid=qid), why))
            continue
        if (qid, tex) in stored:
            repeated += 1
            continue
        concept = before.concepts.get(qid) or digest("item", qid)
        new_rows.append(
            {
                "id": row_id(concept, qid, tex, _ORIGIN),
                "concept": concept,
                "qid": qid,
                "tex": tex,
                "level": shared_level(tex, formulas[qid]) or row.get("level") or "",
                "document": (row.get("source") or source)[:500],
                "position": 0,
                "reviewer": reviewer,
                "added": time,
            }
        )
        stored.add((qid, tex))
        formulas[qid].append(tex)
    return new_rows, repeated, refused


def shared_level(tex: str, formulas: Sequence[str]) -> str:
    """Return the strictest key that the formula shares with one of `formulas`; the strictest of all if there are none."""
    if not formulas:
        return LEVELS[0]
    return min((found for other in formulas if (found := compare(tex, other).level)), default="")


def _unreadable_reason(tex: str) -> Message | None:
    try:
        tex.encode()
        keys(tex)
        if why := unreadable(tex):
            return Message("error.no_tree", why=why)
        return None if tokens(tex) else Message("error.no_formula_held")
    except FormulaError as error:
        return Message("error.no_tree", why=error.message)
    except UnicodeEncodeError:
        return Message("error.half_character")


def _stored_formulas(workspace: Workspace, prop: str) -> _KnownFormulas:
    table = store.representations
    rows = workspace.rows(sa.select(table).where(table.c.qid != "").order_by(table.c.added, table.c.id))
    formulas: dict[str, list[str]] = defaultdict(list)
    concepts: dict[str, str] = {}
    for row in rows:
        formulas[row["qid"]].append(row["tex"])
        concepts.setdefault(row["qid"], row["concept"])
    for item in workspace.rows(sa.select(store.items)):
        statements = (one for one in item["record"]["statements"] if one["property"] == prop and one["value"])
        formulas[item["qid"]] += [one["value"] for one in statements]
    return _KnownFormulas(formulas, frozenset((row["qid"], row["tex"]) for row in rows), concepts)
