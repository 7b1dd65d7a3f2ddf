"""Which items might be meant: those that carry a name of the concept, and those that carry its formula, here or in the built-in list."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from bot.errors import FormulaError
from bot.lookup import Client
from bot.match.features.candidate_pair import View, labels_of
from bot.match.item_labels import fold, labels_to_ask, variants
from bot.match.retrieval.inverted_index import FormulaIndex, IndexedFormula
from bot.records import Item
from bot.wikibase import item_number

# Chosen, for the number of names that are asked for: a candidate too many is weighed, one too few is lost.
NAMES_WITH_VARIANTS = 6  # further names of a concept are asked for as they stand
FIRST_EQUATIONS = 12  # how far into an article its title is still a name for the equation
ALIKE = 8  # entries of the index looked at for each concept
KNOWN_FROM = 0.5  # probability from which what the built-in list recognises is a name to ask for
LIKE_ENOUGH = 0.5  # idf-Jaccard from which an item is a candidate without a shared key


@dataclass(frozen=True)
class Candidates:
    """The items met, and for each concept (by key) the QIDs of its candidates."""

    items: Mapping[str, Item]
    of: Mapping[str, tuple[str, ...]]
    carriers: Mapping[str, int]  # how many items carry each folded label

    def shared(self, view: View, item: Item) -> int:
        """Return how many items carry the label that tells most for this pair, at best 1."""
        labels = [label for label in labels_of(item) if label in view.names] or list(labels_of(item))
        return min((self.carriers[label] for label in labels), default=1)


def names_of(view: View) -> dict[str, bool]:
    """Return every name worth asking for; True where its variants are worth asking for as well."""
    found: dict[str, bool] = {}
    for rank, name in enumerate(view.said):
        found[name.name] = rank < NAMES_WITH_VARIANTS
    for place in view.places:
        found.update((hint.name, True) for hint in place.occurrence.hints if hint.kind != "qid")
        if place.rank < FIRST_EQUATIONS:
            found[place.document.title] = True
        found[place.occurrence.heading] = True
    found.update((meaning, True) for meaning in view.meanings.get(view.left, ()))
    found.update((view.known.label(hit.qid), False) for hit in view.recognised if hit.probability >= KNOWN_FROM)
    return {name: wide for name, wide in found.items() if len(fold(name)) > 1 and len(name) <= 100}


def author_qids(view: View) -> set[str]:
    """Return the items to which the source itself ties the formula."""
    return {hint.name for place in view.places for hint in place.occurrence.hints if hint.kind == "qid"}


def own_qids(view: View) -> set[str]:
    """Return the items for which the workspace's own database likely has the formula."""
    likely = (hit.qid for hit in view.recognised if hit.probability >= KNOWN_FROM)
    return {qid for qid in likely if view.known.is_own(qid)}


def chosen_qids(view: View) -> set[str]:
    """Return the item that a person named for the formula."""
    return {view.answer.qid} if view.answer and view.answer.qid else set()


def gather(views: Sequence[View], client: Client, index: FormulaIndex, holders: Mapping[str, Item]) -> Candidates:
    """Ask the wiki once for all names of all concepts, and the index for all formulas."""
    names = {view.concept.key: names_of(view) for view in views}
    by_label = _ask(names.values(), client)
    hinted = {view.concept.key: author_qids(view) | own_qids(view) | chosen_qids(view) for view in views}
    wanted = {qid for qids in by_label.values() for qid in qids} | {qid for qids in hinted.values() for qid in qids}
    items = dict(holders) | client.entities(sorted(wanted - holders.keys(), key=_number))
    items = {qid: item for qid, item in items.items() if not item.missing and not item.redirect}
    carriers: dict[str, int] = defaultdict(int)
    for item in items.values():
        for label in labels_of(item):
            carriers[label] += 1
    by_name = _by_name(items)
    of = {
        view.concept.key: tuple(
            sorted(
                (_named(names[view.concept.key], by_name) | hinted[view.concept.key] | alike(view, index))
                & items.keys(),
                key=_number,
            )
        )
        for view in views
    }
    return Candidates(items, of, carriers)


def alike(view: View, index: FormulaIndex) -> set[str]:
    """Return the items one of whose formulas shares a key with the concept or is much like it."""
    try:
        near = index.near(view.concept.tex, ALIKE)
    except FormulaError:
        return set()
    return {found.entry.qid for found in near if found.level or found.jaccard >= LIKE_ENOUGH}


def claims_index(items: Iterable[Item], formula_property: str) -> FormulaIndex:
    """Index the formulas that items hold."""
    return FormulaIndex(
        IndexedFormula(item.qid, statement.value)
        for item in items
        for statement in item.statements
        if statement.property == formula_property and statement.value and statement.rank != "deprecated"
    )


def _ask(names: Iterable[Mapping[str, bool]], client: Client) -> dict[str, list[str]]:
    wide: dict[str, bool] = {}
    for each in names:
        for name, variants_too in each.items():
            wide[name] = wide.get(name, False) or variants_too
    asked = {form for name, variants_too in wide.items() for form in labels_to_ask(name, variants_too=variants_too)}
    return client.by_label(sorted(asked))


def _by_name(items: Mapping[str, Item]) -> dict[str, set[str]]:
    found: dict[str, set[str]] = defaultdict(set)
    for qid, item in items.items():
        for label in labels_of(item):
            found[label].add(qid)
    return found


def _named(names: Mapping[str, bool], by_name: Mapping[str, set[str]]) -> set[str]:
    spellings = {spelling for name in names for spelling, _ in variants(name)}
    return {qid for spelling in spellings for qid in by_name.get(spelling, ())}


def _number(qid: str) -> tuple[int, str]:
    return item_number(qid), qid
