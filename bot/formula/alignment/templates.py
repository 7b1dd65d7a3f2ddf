"""Equations with one quantity left out: where a corpus writes many letters in one place and the others stay, the letter is free.

p = □ρ is written with w, ω, γ, α, κ and σ: what makes it the equation of state are p and ρ. □ = ωρ is written with p alone.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable
from hashlib import blake2b
from itertools import groupby, islice
from operator import itemgetter
from typing import Self

from bot.formula.alignment.equations import INDEX, Equation, stated_equations
from bot.formula.alignment.tree_alignment import Alignment

Hole = tuple[bytes, str]
_HOLE = "□"
_MIN_DOCUMENTS = 2  # of a letter that counts: one paper with a letter of its own shows no custom
_MAX_DOCUMENTS = 20  # stored documents of a letter: evidence counts at most as many (equivalence_evidence.py)


class Templates:
    """Learned from (tex, document) pairs: `letters_` maps a statement with a hole to the letters found there, and their documents.

    For a letter no more than _MAX_DOCUMENTS documents are kept. Most equations occur once: of these `once_` has the letter
    and the documents as they were given, a tenth of the memory.
    """

    def fit(self, formulas: Iterable[tuple[str, str]]) -> Self:
        read = (
            ([hole for found in stated_equations(tex) for hole in holes(found)], {document for _, document in pairs})
            for tex, pairs in groupby(formulas, itemgetter(0))
        )
        return self.fit_holes(read)

    def fit_holes(self, formulas: Iterable[tuple[Iterable[Hole], Collection[str]]]) -> Self:
        """Learn from the holes of formulas and their documents, which stay as they are."""
        self.once_: dict[bytes, tuple[str, Collection[str]]] = {}
        self.letters_: dict[bytes, dict[str, set[str]]] = {}
        for found, documents in formulas:
            for key, letter in found:
                if key in self.letters_:
                    self._add(key, letter, documents)
                elif (first := self.once_.pop(key, None)) is None:
                    self.once_[key] = letter, documents
                else:
                    self.letters_[key] = defaultdict(set)
                    self._add(key, *first)
                    self._add(key, letter, documents)
        return self

    def _add(self, key: bytes, letter: str, documents: Collection[str]) -> None:
        stored = self.letters_[key][letter]
        if len(stored) < _MAX_DOCUMENTS:
            stored.update(islice(documents, _MAX_DOCUMENTS))

    def _documents(self, key: bytes) -> dict[str, set[str]]:
        """Return the documents of each letter found in the hole of a statement."""
        if (once := self.once_.get(key)) is None:
            return self.letters_.get(key, {})
        return {once[0]: set(islice(once[1], _MAX_DOCUMENTS))}

    def support(self, own: Iterable[Hole], pair: Alignment) -> tuple[int, int]:
        """Return the numbers of documents and of letters with other letters than these two in the one place where the equations differ.

        `own` are the holes of the first statement of the pair.
        """
        changed = pair.unexplained_pairs or pair.usual_pairs
        if len(pair.unexplained_pairs) + len(pair.usual_pairs) != 1:
            return 0, 0
        one, other = changed[0]
        own_letters = {one.casefold(), other.casefold()}
        for key, letter in own:
            if letter == one.casefold():
                rest = {
                    name: found
                    for name, found in self._documents(key).items()
                    if name not in own_letters and len(found) >= _MIN_DOCUMENTS
                }
                return len(set().union(*rest.values())), len(rest)
        return 0, 0


def holes(statement: Equation) -> list[Hole]:
    """Return (digest of the statement with a hole, letter there) for each quantity of a statement that keeps two others."""
    if len(statement.symbols) < 3:
        return []
    names = {
        s.name: s.letter.casefold() + ("" if s.label[:1] in ("", INDEX) else f"_{s.label}") for s in statement.symbols
    }
    return [
        (
            _digest(statement.sign + repr([t[:2] for t in statement.terms_with_names(names | {s.name: _HOLE})])),
            s.letter.casefold(),
        )
        for s in statement.symbols
    ]


def _digest(text: str) -> bytes:
    return blake2b(text.encode(), digest_size=8).digest()
