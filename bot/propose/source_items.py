"""The items that references would name, looked up before anything is proposed: a wiki refuses a reference to none."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

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
) -> dict[str, str]:
    """Return item -> why a reference cannot name it."""
    method = settings.wiki.properties.inferred_heuristic_item
    found = {}
    for qid in qids:
        above = frozenset(items[qid].classes) | classes.get(qid, frozenset())
        kind = "" if qid == method else _kind(items[qid], above, labels, settings)
        found[qid] = _gone(items[qid]) or kind
    return {qid: why for qid, why in found.items() if why}


def told(found: Mapping[str, str], settings: Settings) -> tuple[str, ...]:
    """Return a sentence on each item that cannot be named, for the operator."""
    method = settings.wiki.properties.inferred_heuristic_item
    return tuple(
        f"References are written without the method {qid}: it {why} (wiki.properties.inferred_heuristic_item)."
        if qid == method
        else f"No source is cited as {qid}: it {why}. Name another item in [[proposing.sources]]."
        for qid, why in sorted(found.items())
    )


def _gone(item: Item) -> str:
    if item.missing:
        return "does not exist on the wiki"
    return f"was merged into {item.redirect}" if item.redirect else ""


def _kind(item: Item, classes: frozenset[str], labels: Mapping[str, str], settings: Settings) -> str:
    if wrong := [qid for qid in settings.proposing.implausible_source_classes if qid in classes]:
        return f"is a {labels.get(wrong[0], wrong[0])}, and that is no source"
    formula = settings.wiki.properties.defining_formula
    return "has a formula of its own" if any(s.property == formula for s in item.statements) else ""
