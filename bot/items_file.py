"""Items files: JSON lines {"qid", "label", "aliases", "formulas", "instance_of", …}, checked row by row."""

import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Required, TypedDict, cast

from bot.console import located_lines
from bot.errors import ItemsError
from bot.messages import Message
from bot.records import is_text
from bot.wikibase import Json, is_item_id, is_language_code


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
_SITE = re.compile("[A-Za-z0-9_-]+")  # enwiki, zh_min_nanwiki
_LISTS = ("aliases", "formulas", *_ITEMS)


def read_items(path: str | Path) -> list[ItemRow]:
    """Return the rows of an items file; raises ItemsError with path and line for the first that cannot be an item."""
    rows = []
    for where, row in located_lines(path, {"qid": str}):
        if problem := _problem(row):
            raise ItemsError(problem, where=where, todo="mend_line")
        rows.append(cast(ItemRow, row))
    if not rows:
        raise ItemsError("no_item_held", where=str(path), todo="json_lines_items")
    return rows


def labels_of(rows: Iterable[ItemRow]) -> list[tuple[str, str]]:
    """Return (QID, label or alias) for all names of the rows of an items file."""
    return [(r["qid"], name) for r in rows for name in (r.get("label"), *(r.get("aliases") or ())) if name]


def _problem(row: Json) -> Message | None:
    """Say why a row cannot be an item, None where it can."""
    if not is_text(*_texts(row)):
        return Message("error.no_character")
    if not is_item_id(row["qid"]):
        return Message("error.field_no_item", field="qid", given=repr(row["qid"]))
    for key in _TEXTS:
        if not isinstance(row.get(key) or "", str):
            return Message("error.field_string", field=key)
    for key in _LISTS:
        value = row.get(key) or []
        if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
            return Message("error.field_strings", field=key)
    if (language := row.get("language")) and not is_language_code(language):
        return Message("error.no_language_code", given=repr(language))
    links = row.get("sitelinks") or {}
    if not isinstance(links, dict) or not all(isinstance(t, str) and _SITE.fullmatch(s) for s, t in links.items()):
        return Message("error.field_sitelinks", example='{"enwiki": "Energy"}')
    for key in _ITEMS:
        if wrong := [one for one in row.get(key) or () if not is_item_id(one)]:
            return Message("error.field_holds_no_item", field=key, given=repr(wrong[0]))
    if row.get("redirect") and not is_item_id(row["redirect"]):
        return Message("error.field_no_item", field="redirect", given=repr(row["redirect"]))
    return None


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list | dict):
        for inner in [*value, *value.values()] if isinstance(value, dict) else value:
            yield from _texts(inner)
