"""The items that references would name, looked up before anything is proposed: a wiki refuses a reference to none."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from bot.messages import Message
from bot.propose.references import named_item
from bot.records import Document, Item
from bot.settings import Settings


def wanted(documents: Iterable[Document], settings: Settings) -> list[str]:
    """Return the items that references to these documents would name: their sources, and the method."""
    method = settings.wiki.properties.inferred_heuristic_item
    found = [named_item(document, settings.proposing) for document in documents]
    return sorted({qid for qid in (*found, method) if qid})


def unsuitable(
    qids: Iterable[str],
    items: Mapping[str, Item],
    classes: Mapping[str, frozenset[str]],
    labels: Mapping[str, str],
    settings: Settings,
) -> dict[str, Message]:
    """Return item -> why a reference cannot name it."""
    method = settings.wiki.properties.inferred_heuristic_item
    found: dict[str, Message] = {}
    for qid in qids:
        above = frozenset(items[qid].classes) | classes.get(qid, frozenset())
        kind = None if qid == method else _kind(items[qid], above, labels, settings)
        if why := _gone(items[qid]) or kind:
            found[qid] = why
    return found


def remarks(found: Mapping[str, Message], settings: Settings) -> tuple[Message, ...]:
    """Return what the operator should know of each item that cannot be named."""
    method = settings.wiki.properties.inferred_heuristic_item
    return tuple(
        Message("gap.method" if qid == method else "gap.source_item", qid=qid, why=why)
        for qid, why in sorted(found.items(), key=lambda each: each[0])
    )


def _gone(item: Item) -> Message | None:
    if item.missing:
        return Message("unsuitable.missing")
    return Message("unsuitable.merged", qid=item.redirect) if item.redirect else None


def _kind(item: Item, classes: frozenset[str], labels: Mapping[str, str], settings: Settings) -> Message | None:
    if wrong := [qid for qid in settings.proposing.implausible_source_classes if qid in classes]:
        return Message("unsuitable.kind", what=labels.get(wrong[0], wrong[0]))
    formula = settings.wiki.properties.defining_formula
    return Message("unsuitable.formula") if any(s.property == formula for s in item.statements) else None
