"""Items files: JSON lines {"qid", "label", "aliases", "formulas", "instance_of", …}, checked row by row."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Required, TypedDict, cast

from bot.console import located_lines
from bot.errors import ItemsError
from bot.records import is_text
from bot.wikibase import Json, is_item_id


class ItemRow(TypedDict, total=False):
    """One item; a row may have other fields."""

    qid: Required[str]
    label: str | None
    description: str | None
    language: str | None
    redirect: str | None
    aliases: Sequence[str] | None
    formulas: Sequence[str] | None
    instance_of: list[str] | None
    part_of: list[str] | None
    sitelinks: dict[str, str] | None


_TEXTS = ("label", "description", "language", "redirect")
_ITEMS = ("instance_of", "part_of")
_LISTS = ("aliases", "formulas", *_ITEMS)


def read_items(path: str | Path) -> list[ItemRow]:
    """Return the rows of an items file; raises ItemsError with path and line for the first that cannot be an item."""
    rows = []
    for where, row in located_lines(path, {"qid": str}):
        if problem := _problem(row):
            raise ItemsError(problem, where=where, todo="mend_line")
        rows.append(cast(ItemRow, row))
    if not rows:
        raise ItemsError("holds no item", where=str(path), todo="json_lines_items")
    return rows


def labels_of(rows: Iterable[ItemRow]) -> list[tuple[str, str]]:
    """Return (QID, label or alias) for all names of the rows of an items file."""
    return [(r["qid"], name) for r in rows for name in (r.get("label"), *(r.get("aliases") or ())) if name]


def _problem(row: Json) -> str:
    """Say why a row cannot be an item, or nothing."""
    if not is_text(*_texts(row)):
        return "holds what is no character (half a surrogate pair, or a zero byte)"
    if not is_item_id(row["qid"]):
        return f'"qid" {row["qid"]!r} is no item id'
    for key in _TEXTS:
        if not isinstance(row.get(key) or "", str):
            return f'"{key}" must be a string'
    for key in _LISTS:
        value = row.get(key) or []
        if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
            return f'"{key}" must be a list of strings'
    links = row.get("sitelinks") or {}
    if not isinstance(links, dict) or not all(isinstance(title, str) for title in links.values()):
        return '"sitelinks" must be an object of titles, such as {"enwiki": "Energy"}'
    for key in _ITEMS:
        if wrong := [one for one in row.get(key) or () if not is_item_id(one)]:
            return f'"{key}" holds {wrong[0]!r}, which is no item id'
    if row.get("redirect") and not is_item_id(row["redirect"]):
        return f'"redirect" {row["redirect"]!r} is no item id'
    return ""


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list | dict):
        for inner in [*value, *value.values()] if isinstance(value, dict) else value:
            yield from _texts(inner)
