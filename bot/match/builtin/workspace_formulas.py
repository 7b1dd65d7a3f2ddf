"""What a workspace's Formula Concept Database knows, as entries like those of the built-in list: representations with an item, and the item's names."""

from collections import defaultdict
from collections.abc import Mapping

import sqlalchemy as sa

from bot import store
from bot.match.builtin import Concept, entry_for_item
from bot.records import Item, digest
from bot.settings import Settings
from bot.store import Workspace, to_record

FIELD = "workspace"


def workspace_entries(
    workspace: Workspace, book: Mapping[str, Concept]
) -> tuple[dict[str, Concept], dict[str, Concept]]:
    """Return the workspace's own entries, and the list without those whose QID is another item here.

    An entry holds the formulas in the order in which they were added, those that were themselves decided on first; its label is "" where
    the workspace never met the item, and the list's where the list has the item.
    """
    table = store.representations
    query = sa.select(table.c.qid, table.c.tex).where(table.c.qid != "")
    formulas: dict[str, dict[str, None]] = defaultdict(dict)
    for row in workspace.rows(query.order_by(table.c.added, table.c.level != "K0", table.c.id)):
        formulas[row["qid"]][row["tex"]] = None
    names = _names(workspace, list(formulas))
    own, left = {}, dict(book)
    for qid, texts in formulas.items():
        labels = names.get(qid, ())
        listed = entry_for_item(qid, labels, book) if labels else book.get(qid)
        if listed is None:
            left.pop(qid, None)
        label = listed.label if listed else next(iter(labels), "")
        own[qid] = Concept(qid, label, FIELD, tuple(texts), (), ())
    return own, left


def knowledge_version(workspace: Workspace, settings: Settings) -> str:
    """Return a digest that changes with what formulas are recognised by, as far as the code does not: no list is read for it."""
    own, _ = workspace_entries(workspace, {})
    return digest(settings.matching.builtin, list(own.values()))


def _names(workspace: Workspace, qids: list[str]) -> dict[str, tuple[str, ...]]:
    items, found = store.items.c, {}
    for row in workspace.rows_with(sa.select(items.qid, items.record), items.qid, qids):
        item = to_record(Item, row["record"], f"items {row['qid']}")
        found[row["qid"]] = (item.label, *item.aliases) if item.label else item.aliases
    return found
