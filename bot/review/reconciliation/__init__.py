"""Reconciliation for OpenRefine and others: columns of formulas or names to items. It reads items and writes nothing."""

from collections.abc import Callable, Iterable, Iterator

import sqlalchemy as sa

from bot import store
from bot.console import localised
from bot.errors import ItemsError
from bot.items_file import ItemRow
from bot.messages import Message
from bot.records import Item
from bot.review.fcdb import representations, with_representations
from bot.review.reconciliation.known_items import KnownItems
from bot.review.reconciliation.service import make_service
from bot.settings import Settings
from bot.store import Workspace, to_record

__all__ = ["item_rows", "serve_reconciliation"]


def item_rows(workspace: Workspace, settings: Settings, given: Iterable[ItemRow] = ()) -> list[ItemRow]:
    """Return the items given, else those that the workspace looked up, with its representations. Raises ItemsError for none."""
    rows = list(given) or list(_looked_up(workspace, settings))
    if not rows:
        raise ItemsError("no_item_held", where=str(workspace.path), todo="items_or_match")
    return list(with_representations(rows, representations(workspace, items_only=True)))


def serve_reconciliation(
    rows: Iterable[ItemRow], settings: Settings, *, port: int, say: Callable[[str], None] = print
) -> None:
    """Serve this machine until interrupted. Raises ReviewError where the port is taken."""
    from bot.review.web.listener import listen

    items = KnownItems(rows, None if settings.matching.builtin else {})
    server = listen(lambda environ, start: [], "127.0.0.1", port)  # until its port, a part of the addresses, is known
    found = server.effective_port
    server.application = make_service(items, settings.wiki, hosts={f"127.0.0.1:{found}", f"localhost:{found}"})
    say(f"http://127.0.0.1:{found}/\n{localised(Message('told.reconciling'))}")
    try:
        server.run()
    finally:
        server.close()


def _looked_up(workspace: Workspace, settings: Settings) -> Iterator[ItemRow]:
    for row in workspace.rows(sa.select(store.items.c.record).order_by(store.items.c.qid)):
        item = to_record(Item, row["record"])
        if not item.missing:
            formula = settings.wiki.properties.defining_formula
            yield {
                "qid": item.qid,
                "label": item.label,
                "aliases": item.aliases,
                "description": item.description,
                "instance_of": list(item.classes),
                "redirect": item.redirect,
                "formulas": [s.value for s in item.live_statements(formula)],
            }
