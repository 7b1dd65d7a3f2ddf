"""What grouping asks of each formula, and which formulas of one shape can be laid over each other: made once for a text, and kept."""

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from hashlib import blake2b
from typing import NamedTuple

from bot.discover.tf_idf import FormulaWords
from bot.formula import compare, identifiers
from bot.formula.alignment.equations import Equation, stated_equations
from bot.formula.alignment.equivalence_evidence import MAX_SUPPORTED_COST
from bot.formula.alignment.templates import Hole, holes
from bot.formula.alignment.tree_alignment import Alignment, UsualLetters, best_alignment, no_usual_letters
from bot.formula.features.feature_words import features
from bot.pickled_values import from_pickle, to_pickle
from bot.result_cache import NO_CACHE, ResultCache, cache_key
from bot.sequences import batched

# Facts, words, equations
_Packed = tuple[tuple[bytes, ...], tuple[str, ...], tuple[tuple[Hole, ...], ...], bytes, bytes]
_BLOCK, _REMEMBERED = 1024, 20_000  # formulas
Member = tuple[str, int]  # a formula, and the place of one of its equations


class FormulaFacts(NamedTuple):
    """Facts about a formula that are kept in memory for grouping."""

    shapes: tuple[bytes, ...]  # of each of its equations, as digests
    letters: tuple[str, ...]
    holes: tuple[tuple[Hole, ...], ...]  # of each of its equations
    words: bytes  # what it is made of, packed


class CachedFacts:
    """The facts and equations of formulas; without results to keep them in they are made when they are asked for."""

    def __init__(self, results: ResultCache = NO_CACHE, remembered: int = _REMEMBERED) -> None:
        self._results, self._remembered = results, remembered
        self._known: dict[str, FormulaFacts] = {}

    def of(self, formulas: Sequence[str]) -> Iterator[FormulaFacts]:
        """Yield the facts of each formula; those of the first ones are in memory, as grouping asks for them again and again."""
        for block in batched(formulas, _BLOCK):
            found = {tex: self._known[tex] for tex in block if tex in self._known}
            missing = [tex for tex in dict.fromkeys(block) if tex not in found]
            results = self._results.map_parallel("formula", missing, cache_key, _facts)
            for tex, (shapes, letters, every, words, _) in zip(missing, results, strict=True):
                found[tex] = FormulaFacts(shapes, tuple(map(sys.intern, letters)), every, words)
            if len(self._known) < self._remembered:
                self._known.update(found)
            yield from map(found.__getitem__, block)

    def words(self, formulas: Sequence[str]) -> Iterator[FormulaWords]:
        """Yield what each formula is made of."""
        for facts in self.of(formulas):
            yield FormulaWords([tuple(map(sys.intern, block)) for block in from_pickle(facts.words)])

    def equations(self, formulas: Sequence[str]) -> dict[str, tuple[Equation, ...]]:
        """Return what each formula states."""
        results = self._results.map_parallel("formula", formulas, cache_key, _facts)
        return {tex: from_pickle(row[4]) for tex, row in zip(formulas, results, strict=True)}

    def is_one_concept(self, a: str, b: str) -> bool:
        """Say whether the comparison of formulas holds two for one concept."""
        (found,) = self._results.map_batch("compared", [(a, b)], cache_key, lambda _: [compare(a, b).same_concept])
        return found

    def alignments(
        self,
        of: str,
        shapes: Iterable[tuple[bytes, Sequence[Member]]],
        is_wanted: Callable[[int, int], bool],
        usual: UsualLetters = no_usual_letters,
    ) -> Iterator[dict[tuple[int, int], Alignment]]:
        """Yield for each shape how those of its members can be laid over each other, by their places in it, that are `is_wanted`.

        No formula is laid over itself, and nothing that costs more than WORTH is believed. What is kept holds for pairs that were
        wanted under the name `of`.
        """
        for shape, members in shapes:
            key = cache_key(of, shape)
            stored: dict[bytes, tuple[list[Member], dict[tuple[int, int], Alignment]]] = self._results.load(
                "aligned", [key]
            )
            old, alignments = stored.get(key, ([], {}))
            if list(members) != old:
                alignments = self._aligned_members(members, old, alignments, is_wanted, usual)
                self._results.store("aligned", {key: (list(members), alignments)})
            yield alignments

    def _aligned_members(
        self,
        members: Sequence[Member],
        old: Sequence[Member],
        alignments: dict[tuple[int, int], Alignment],
        is_wanted: Callable[[int, int], bool],
        usual: UsualLetters,
    ) -> dict[tuple[int, int], Alignment]:
        number_of = {member: n for n, member in enumerate(old)}
        old_numbers = [number_of.get(member, -1) for member in members]
        found: dict[tuple[int, int], Alignment] = {}
        missing: list[tuple[int, int]] = []
        for i, (tex, _) in enumerate(members):
            for j, (other, _) in enumerate(members):
                if is_wanted(i, j) and tex != other:
                    pair = old_numbers[i], old_numbers[j]
                    if min(pair) < 0 or not is_wanted(*pair):
                        missing.append((i, j))
                    elif pair in alignments:
                        found[i, j] = alignments[pair]
        texts = sorted({members[n][0] for pair in missing for n in pair})
        equations = self.equations(texts)
        each = [equations[tex][n] if tex in equations else None for tex, n in members]
        for i, j in missing:
            one, other_ = each[i], each[j]
            if (
                one is not None
                and other_ is not None
                and (laid := best_alignment(one, other_, usual, MAX_SUPPORTED_COST)) is not None
            ):
                found[i, j] = laid
        return found


def _facts(formulas: Sequence[str]) -> list[_Packed]:
    return list(map(_facts_of, formulas))


def _facts_of(tex: str) -> _Packed:
    # The trees of a formula are made once for all that looks at it here.
    found, words = stated_equations(tex), features(tex)
    blocks = tuple(tuple(dict.fromkeys(block)) for block in words)
    shapes = tuple(blake2b(one.shape.encode(), digest_size=8).digest() for one in found)
    letters = tuple(sorted(set(identifiers(tex))))
    every = tuple(tuple(holes(one)) for one in found)
    return shapes, letters, every, to_pickle(blocks), to_pickle(found)
