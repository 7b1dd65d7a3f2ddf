"""Statements of our own: claims that were written from an approval of this workspace, known by their GUIDs in the ledger.

A second approved formula of an item is added beside them, whether both are in one plan or the first is written already.
"""

import unicodedata
from collections.abc import Mapping

import sqlalchemy as sa

from bot import store
from bot.lookup.entities import snak_value
from bot.records import EditOutcome, Item
from bot.store import Workspace


def written_claims(workspace: Workspace) -> dict[str, str]:
    """Return GUID -> TeX of every claim that was written from an approval and not taken back."""
    edits = store.edits.c
    query = sa.select(edits.guid, edits.payload).where(edits.outcome == EditOutcome.WRITTEN, ~store.is_undone())
    rows = workspace.rows(query)
    return {r["guid"]: snak_value(r["payload"]["mainsnak"]) for r in rows if "mainsnak" in (r["payload"] or {})}


def own_claims_on(item: Item, values: Mapping[str, str]) -> frozenset[str]:
    """Return the GUIDs of the statements that are ours and still have the value that was approved."""
    return frozenset(s.guid for s in item.statements if s.guid in values and is_same_value(s.value, values[s.guid]))


def is_same_value(one: str, other: str) -> bool:
    """Say whether the wiki takes two values for one: it composes Unicode (NFC) and trims, and nothing else.

    `a^2` and `a^{2}` are two values there; whether they say the same is for a reviewer.
    """
    return normalised(one) == normalised(other)


def normalised(value: str) -> str:
    """Return a value as the wiki stores it."""
    return unicodedata.normalize("NFC", value).strip(" \t\r\n")
