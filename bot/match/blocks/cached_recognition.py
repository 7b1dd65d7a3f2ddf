"""What the known concepts recognise in formulas, once for all stages: discover keeps it, and match finds it there."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from bot.match.retrieval.known_concepts import ConceptIndex
from bot.match.retrieval.recognise import Hit
from bot.result_cache import ResultCache, cache_key


@dataclass(frozen=True, slots=True)
class BatchRecogniser:
    """Recognises formulas."""

    known: ConceptIndex

    def __call__(self, texts: Sequence[str]) -> list[list[Hit]]:
        return self.known.recogniser.all_hits(texts)


def recognise_cached(
    texts: Sequence[str], index: ConceptIndex, version: str, results: ResultCache
) -> Iterator[list[Hit]]:
    """Yield the hits of each formula; `version` tells what is known from what was known when results were kept."""
    return results.map_parallel("hits", texts, lambda tex: cache_key(version, tex), BatchRecogniser(index))


def begin_recognition(texts: Sequence[str], index: ConceptIndex, version: str, results: ResultCache) -> None:
    """Have other processes recognise formulas that `recognise_cached` will be asked for next."""
    results.begin("hits", texts, lambda tex: cache_key(version, tex), BatchRecogniser(index))
