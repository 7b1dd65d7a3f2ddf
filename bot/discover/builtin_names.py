"""Names from the built-in formula list, merged with those of the corpus; what they add to a score is stored separately.

The list recognises formulas and is never a source: a name from it alone counts as no document, and `NameCandidate.known` is the
part of a score that comes from it.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from bot.discover.phrases import fold, is_law, is_quantity
from bot.messages import Message
from bot.records import FormulaConcept, NameCandidate
from bot.result_cache import NO_CACHE, ResultCache

# Set by hand and kept for what they gain on the benchmarks of names and key equations (docs/discover.md, Measured).
_AGREEMENT_GAIN = 0.5  # how far a name that the list is sure of takes away the doubt in the same name of the corpus
_LIST_ONLY_SCORE = 0.6  # the score of a name that only the list gives, where it is sure
_CLEAR_CORPUS_SCORE = 0.25  # from this score on a name of the corpus stays before one that only the list gives
_SURE_PROBABILITY = 0.8  # the probability from which the list alone may give the first name
_UNUSUAL_FACTOR = 0.75  # what a name of the text counts whose quantity has other symbols
_AUTHOR_SCORE = 0.9  # a name of this score is the author's own
_MAX_SCORE = 0.995


@dataclass(frozen=True, slots=True)
class KnownName:
    """A name of a formula, how likely it is, and what a reviewer reads of it."""

    name: str
    probability: float
    reason: Message


class BuiltinFormulas:
    """Knowledge beyond the corpus: usual symbols, and names of known formulas. As it is here, there is none."""

    def version(self) -> str | None:
        """Return a version that changes with the answers; None where it is not known."""
        return "none"

    def are_usual_letters(self, one: str, other: str) -> bool:
        """Tell whether two letters are usual for one quantity."""
        return False

    def is_name_unusual(self, name: str, formula: str) -> bool:
        """Tell whether the quantity of this name has usual symbols, and what stands alone on the left is none of them."""
        return False

    def names(self, formulas: Sequence[str], results: ResultCache) -> list[list[KnownName]]:
        """Return for each formula its names in the list, the likeliest first; what is recognised may be kept."""
        return [[] for _ in formulas]

    def begin_names(self, formulas: Sequence[str], results: ResultCache) -> None:
        """Begin with what `names` will be asked for next, where other processes can do it."""


def with_builtin_names(
    concepts: Sequence[FormulaConcept], builtin: BuiltinFormulas, results: ResultCache = NO_CACHE
) -> list[FormulaConcept]:
    """Return the concepts with the names that the built-in list has for their formulas; its index is not built where all are kept."""
    builtin_names = builtin.names([concept.tex for concept in concepts], results)
    return [
        replace(c, names=merge_names([lower_score_if_unusual(name, c.tex, builtin) for name in c.names], names))
        for c, names in zip(concepts, builtin_names, strict=True)
    ]


def lower_score_if_unusual(name: NameCandidate, formula: str, builtin: BuiltinFormulas) -> NameCandidate:
    """Return a name of the corpus, with a lower score where its quantity usually has other symbols than the one on the left."""
    if name.score >= _AUTHOR_SCORE or not builtin.is_name_unusual(name.name, formula):
        return name
    score = round(_UNUSUAL_FACTOR * name.score, 4)
    reasons = (*name.reasons, Message("cue.unusual"))
    return replace(name, score=score, reasons=reasons, known=round(score - name.score, 4))


def merge_names(corpus: Sequence[NameCandidate], builtin_names: Sequence[KnownName]) -> tuple[NameCandidate, ...]:
    """Return the names of the corpus with those of the built-in list among them, best first.

    A name that both give is raised, not above a fuller one: the text says which acceleration. A name that only the list gives
    comes first where the corpus has no clear name, else second. A thing (“pendulum”) is never put first.
    """
    names = {fold(name.name): name for name in corpus}
    for one in builtin_names:
        key = fold(one.name)
        name = names.get(key, NameCandidate(one.name, 0.0))
        if name.known > 0:
            continue
        fuller = max((n.score for other, n in names.items() if _is_fuller(other, key)), default=0.0)
        best = max((n.score for n in names.values()), default=0.0)
        surer = best < _CLEAR_CORPUS_SCORE and one.probability >= _SURE_PROBABILITY
        first = _can_name_formula(one.name) and (surer or (name.documents and not fuller))
        limit = 1.0 if first or not names else fuller or best
        sure = _AGREEMENT_GAIN if name.documents else _LIST_ONLY_SCORE
        score = min(1 - (1 - name.score) * (1 - sure * one.probability), _MAX_SCORE, limit - 0.001)
        if added := round(max(score - name.score, 0.0), 4):
            reasons = (*name.reasons, one.reason)
            names[key] = replace(
                name, score=round(name.score + added, 4), reasons=reasons, known=round(name.known + added, 4)
            )
    return tuple(sorted(names.values(), key=lambda name: -name.score))


def _is_fuller(name: str, key: str) -> bool:
    """“tangential acceleration” and “acceleration of a car” are fuller names than “acceleration”."""
    return name.endswith(f" {key}") or name.startswith(f"{key} of ")


def _can_name_formula(name: str) -> bool:
    """Say whether a formula can have this name: a law, a quantity, or something named after somebody."""
    return is_law(name) or is_quantity(fold(name)) or any(word[:1].isupper() for word in name.split())
