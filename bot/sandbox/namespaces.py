"""The namespaces of a wiki: items in the main namespace as on Wikidata, or in one of their own as a new Wikibase has them."""

from __future__ import annotations

from dataclasses import dataclass

_NAMES = ("User", "Project", "File", "MediaWiki", "Template", "Help", "Category")  # 2, 4, …; their talk pages 3, 5, …
_COMMON = {"Media": -2, "Special": -1, "Talk": 1}
for _number, _name in enumerate(_NAMES, 1):
    _COMMON |= {_name: 2 * _number, f"{_name} talk": 2 * _number + 1}
_UNUSED = frozenset({6, 7, 9, 11, 13, 15})  # the rehearsal wiki has no such pages and takes their names as they come


@dataclass(frozen=True, slots=True)
class Namespaces:
    """`items` is the name of the namespace of items, empty for the main one."""

    items: str = ""

    @property
    def numbers(self) -> dict[str, int]:
        """Return every namespace but the main one by its canonical name."""
        if not self.items:
            return {**_COMMON, "Property": 120, "Property talk": 121}
        return {**_COMMON, self.items: 120, f"{self.items} talk": 121, "Property": 122, "Property talk": 123}

    @property
    def item_number(self) -> int:
        return 120 if self.items else 0

    def number(self, title: str) -> int:
        """Return the number of the namespace that a title names."""
        prefix, colon, _ = title.partition(":")
        return self.numbers.get(prefix, 0) if colon else 0

    def title(self, entity: str) -> str:
        """Return the title of the page that holds an entity."""
        prefix = "Property" if entity.startswith("P") else self.items
        return f"{prefix}:{entity}" if prefix else entity

    def canonical(self, site_name: str, title: str) -> str:
        """Return a title as the database keeps it: no underscores, first letters large, the project's own prefix undone."""
        text = " ".join(title.replace("_", " ").split()).lstrip(":")
        prefix, colon, rest = text.partition(":")
        if not colon:
            return _large(text)
        prefix, rest = prefix.strip().casefold(), rest.strip()
        local = {site_name.casefold(): "Project", f"{site_name.casefold()} talk": "Project talk"}
        local |= {} if self.items else {"item": ""}  # Wikidata's alias of its main namespace
        known = {name.casefold(): name for name, number in self.numbers.items() if number > 0 and number not in _UNUSED}
        name = local.get(prefix, known.get(prefix, _large(text.partition(":")[0].strip())))
        return f"{name}:{_large(rest)}" if name else _large(rest)


def displayed(site_name: str, title: str) -> str:
    """Return a title as the wiki shows it: the pages of its own project under its name."""
    for prefix, local in (("Project:", site_name), ("Project talk:", f"{site_name} talk")):
        if title.startswith(prefix):
            return f"{local}:{title.removeprefix(prefix)}"
    return title


def _large(text: str) -> str:
    return text[:1].upper() + text[1:]
