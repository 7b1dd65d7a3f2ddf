"""Search by name with the built-in list: its names and formulas of the concept, and recognition of what the corpus writes."""

from collections.abc import Mapping

from bot.discover import find_by_name as find_in_corpus
from bot.discover.name_search import FoundFormula, KnownConcept
from bot.match.builtin import Concept
from bot.match.item_labels import fold
from bot.match.knowledge import Knowledge
from bot.match.retrieval.known_concepts import known_concepts
from bot.records import Item
from bot.settings import Settings
from bot.store import Workspace

_SURE = 0.5  # recognised with less, a formula is more likely of another concept


def find_with_builtin(workspace: Workspace, name: str, item: Item | None, settings: Settings) -> list[FoundFormula]:
    """Return formulas of the corpus that are likely representations of the concept, best first (see bot.discover.name_search)."""
    index = known_concepts(workspace, settings)
    entry = find_entry(name, item, index.entries)
    if entry is None:
        return find_in_corpus(workspace, name, item, settings)
    qid = entry.qid

    def recognised(tex: str) -> float:
        near = index.recogniser.hits(tex, top=3)
        found = next((hit.probability for hit in near if hit.qid == qid), 0.0)
        return found if found >= _SURE else 0.0

    return find_in_corpus(
        workspace,
        name,
        item,
        settings,
        KnownConcept((entry.label,) if entry.label else (), entry.formulas, recognised, Knowledge(lambda: index)),
    )


def find_entry(name: str, item: Item | None, book: Mapping[str, Concept]) -> Concept | None:
    """Return the entry of an item, or of a QID, or of the concept with this name."""
    if item and item.qid in book:
        return book[item.qid]
    names = {fold(each) for each in (name, *((item.label, *item.aliases) if item else ())) if each}
    return book.get(name) or next((entry for entry in book.values() if fold(entry.label) in names), None)
