"""The labels of items, found in running text: Aho–Corasick over folded words, longest match on word boundaries."""

from collections.abc import Iterable, Iterator

from bot.discover.phrases import fold, folded_clauses, is_usable_name
from bot.wikibase import item_number


class Labels:
    """A dictionary of labels; `known` maps the folded label to its QID (the smallest number where several share it)."""

    def __init__(self, labels: Iterable[tuple[str, str]]) -> None:
        import ahocorasick

        self.known: dict[str, str] = {}
        self.shown: dict[str, str] = {}  # folded label to the label as it is written
        for qid, label in labels:
            key = fold(label)
            if is_usable_name(label) and (key not in self.known or item_number(qid) < item_number(self.known[key])):
                self.known[key] = qid
                self.shown[key] = label
        self._automaton = ahocorasick.Automaton()
        for key in self.known:
            self._automaton.add_word(f" {key} ", key)
        if self.known:
            self._automaton.make_automaton()

    def find(self, text: str) -> Iterator[str]:
        """Yield the labels in `text`, the longest of overlapping ones, each once."""
        if not self.known:
            return
        yield from map(self.shown.__getitem__, dict.fromkeys(self._longest(f" {folded_clauses(text)} ")))

    def _longest(self, text: str) -> list[str]:
        found = sorted((end - len(key) - 1, -len(key), key) for end, key in self._automaton.iter(text))
        longest: list[str] = []
        reached = -1
        for start, size, key in found:
            if start - size > reached:  # not inside an earlier, longer one
                longest.append(key)
                reached = start - size
        return longest
