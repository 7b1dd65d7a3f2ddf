"""Audits of your own: a .rq file, and a .toml file of the same name that says what a row means."""

from __future__ import annotations

import dataclasses
import string
import tomllib
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import msgspec

from bot.audit import query_answers
from bot.audit.survey import WikiSurvey, about, in_all
from bot.errors import BotError, SettingsError
from bot.lookup import queries
from bot.lookup.queries import Query
from bot.messages import Message, recorded, to_json
from bot.records import Finding, Item
from bot.settings import Settings
from bot.wikibase import is_item_id


@dataclass(frozen=True, slots=True)
class CustomAudit:
    """One pair of files. `sentence` may name columns in braces; the column `item` makes the finding one of that item."""

    description: str
    sentence: str
    columns: tuple[str, ...]
    severity: Literal["info", "warning", "error"] = "warning"
    step: str = ""  # what to do about a finding
    least: int = 0  # rows that there must be
    service: Literal["", "scholarly"] = ""
    on_request: bool = False  # only made when it is named


def load(settings: Settings, taken: Collection[str]) -> dict[str, tuple[CustomAudit, Query]]:
    """Return the audits of the folder that the settings name, by name. Raises SettingsError, also for one that cannot be."""
    if not settings.audit.folder:
        return {}
    folder = Path(settings.path).parent / settings.audit.folder
    if not folder.is_dir():
        raise SettingsError("is no folder", where=str(folder), todo="check audit.folder")
    found = sorted(folder.glob("*.rq"))
    for path in found:
        if path.stem in taken:
            raise SettingsError("has the name of an audit of the bot", where=str(path), todo="give it another one")
    return {path.stem: _read(path) for path in found}


def _read(path: Path) -> tuple[CustomAudit, Query]:
    described = path.with_suffix(".toml")
    try:
        told = msgspec.convert(tomllib.loads(described.read_text(encoding="utf-8")), CustomAudit)
        query = queries.read(path.stem, path.read_text(encoding="utf-8"))
        named = {name for _, name, _, _ in string.Formatter().parse(told.sentence) if name is not None}
    except FileNotFoundError:
        raise SettingsError(
            "there is no such file beside the query", where=str(described), todo="say there what a row means"
        ) from None
    except (OSError, ValueError, BotError) as error:
        what = error.line() if isinstance(error, BotError) else str(error)
        raise SettingsError(f"describes no audit ({what})", where=str(described)) from None
    if wrong := sorted(named - set(told.columns)):
        raise SettingsError(f"its sentence names {wrong[0]!r}, which is no column", where=str(described))
    if set(query.kinds) - {"after", "limit"}:
        raise SettingsError("a query of your own takes no parameters but after and limit", where=str(path))
    if not path.stem.isidentifier():
        raise SettingsError("is no name of an audit: letters, digits and _", where=str(path))
    return told, dataclasses.replace(query, columns=told.columns, own=True)


def run(name: str, told: CustomAudit, query: Query, survey: WikiSurvey) -> Iterator[Finding]:
    """Yield a finding for each row."""
    rows = survey.service.rows(query, told.least, scholarly=told.service == "scholarly")
    items = [row["item"] for row in rows if is_item_id(row.get("item", ""))]
    labels = survey.client.labels_of(items)
    step = to_json(recorded(told.step)) if told.step else None
    for row in rows:
        qid = row.get("item", "")
        item = Item(qid, labels.get(qid, "")) if is_item_id(qid) else None
        shown = {column: value if value else "—" for column, value in row.items()}
        evidence = query_answers.guid(row["statement"]) if row.get("statement") else ""
        found = about(name, told.severity, recorded(told.sentence.format_map(shown)), item, evidence)
        yield dataclasses.replace(found, step=step)
    yield in_all(name, Message("closing.custom", n=len(rows)))
