"""The item that a meaning names: the quantity's own item, else the kind of quantity that it is; none where it is not sure which.

An item that states another physical dimension than the quantity has is not meant; of several that carry a name, the one that states it is.
"""

from collections import defaultdict
from collections.abc import Iterable
from functools import lru_cache
from typing import Self

from bot.discover.phrases import fold, split_at_joint
from bot.discover.symbols.quantity_names import Quantity, quantities, quantity_of
from bot.formula.quantities.dimensions import Dimension, parse_dimension
from bot.formula.quantities.formula_symbols import symbol_of
from bot.lookup import Client
from bot.match.item_labels import labels_to_ask
from bot.records import Item
from bot.settings import Properties
from bot.wikibase import item_number


class SymbolItems:
    """The items that carry the names of meanings; read once for all of them."""

    def __init__(self, items: Iterable[Item], properties: Properties) -> None:
        self._labels: dict[str, set[str]] = defaultdict(set)
        self._aliases: dict[str, set[str]] = defaultdict(set)
        self.label: dict[str, str] = {}
        self.dimension: dict[str, Dimension | None] = {}
        self.own_symbols: dict[str, frozenset[str]] = {}  # keys of the conventional symbols that items state
        for item in items:
            self.own_symbols[item.qid] = own_symbols(item, properties)
            self.dimension[item.qid] = stated_dimension(item, properties)
            self.label[item.qid] = item.label
            self._labels[fold(item.label)].add(item.qid)
            for alias in item.aliases:
                self._aliases[fold(alias)].add(item.qid)

    @classmethod
    def fetch(cls, meanings: Iterable[tuple[str, str]], client: Client, never: Iterable[str]) -> Self:
        """Ask the wiki for all names at once. Raises LookupFailed."""
        names = sorted(
            {
                form
                for meaning in meanings
                for name in names_of(*meaning)
                for form in (name, *labels_to_ask(name, variants_too=False))
            }
        )
        found = client.items_by_label(names) if names else {}
        qids = sorted({qid for each in found.values() for qid in each}, key=item_number)
        forbidden, ids = frozenset(never), client.wiki.properties
        allowed = [
            item
            for item in client.entities(
                qids, more=(ids.dimension, ids.quantity_symbol, ids.quantity_symbol_string)
            ).values()
            if not item.missing and not item.redirect and not forbidden.intersection(item.classes)
        ]
        return cls(allowed, ids)

    def item_of(self, meaning: str, quantity: str, symbol: str = "") -> str:
        """Return the QID of what a meaning, and the quantity that it is, name, "" where none is sure.

        Of several items with the name the one counts whose conventional symbol is this one.
        """
        known_symbol = symbol_of(symbol) if symbol else None
        keys = known_symbol.keys if known_symbol else ()
        quantity_entry = quantities().get(quantity)
        dimension = quantity_entry.dimension if quantity_entry else None
        for name in names_of(meaning, quantity):
            carriers = self._labels.get(fold(name)) or self._aliases.get(fold(name)) or set()
            qids = {qid for qid in carriers if not dimension or self.dimension[qid] in (None, dimension)}
            if len(qids) > 1 and dimension:
                qids = {qid for qid in qids if self.dimension[qid] == dimension} or qids
            if len(qids) > 1:
                qids = {qid for qid in qids if not self.own_symbols[qid].isdisjoint(keys)} or qids
            if len(qids) == 1:
                return next(iter(qids))
            if qids:
                return ""
        return ""


def own_symbols(item: Item, properties: Properties) -> frozenset[str]:
    """Return the keys of the symbols by which an item says that its quantity is written."""
    stated = item.live_statements(properties.quantity_symbol, properties.quantity_symbol_string)
    return frozenset(key for each in stated if (symbol := symbol_of(each.value)) for key in symbol.keys)


def stated_dimension(item: Item, properties: Properties) -> Dimension | None:
    """Return the dimension that an item states, None if it states none or several."""
    values = item.live_statements(properties.dimension)
    best = [s for s in values if s.rank == "preferred"] or values
    read = {parse_dimension(s.value) for s in best}
    return next(iter(read)) if len(read) == 1 else None


@lru_cache(maxsize=50_000)
def names_of(meaning: str, key: str) -> tuple[str, ...]:
    """Return under which names the item of a meaning is looked for, in order: what it says, the quantity, the kind of quantity."""
    quantity = quantities().get(key)
    if quantity is None:
        return (meaning,) if len(meaning.split()) > 1 else ()
    own = {fold(name) for name in quantity.names}
    first = (meaning,) if fold(meaning) not in own and len(meaning.split()) > 1 else ()
    return tuple(dict.fromkeys((*first, *quantity.names, *(name for kind in _kinds(quantity) for name in kind.names))))


def _kinds(quantity: Quantity) -> list[Quantity]:
    """Return the quantities of the same dimension that its name says it is one of: a speed of sound is a speed. A constant is itself only."""
    if any(name.endswith("constant") for name in quantity.names):
        return []
    head = split_at_joint(quantity.names[0])[0]
    found = [kind for shorter in (head, head.split()[-1]) if (kind := quantity_of(shorter)[0]) is not None]
    return [kind for kind in found if kind != quantity and kind.dimension == quantity.dimension is not None]
