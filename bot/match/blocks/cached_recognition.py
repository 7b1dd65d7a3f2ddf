"""What the known concepts recognise in formulas, once for all stages: discover keeps it, and match finds it there."""

from collections.abc import Iterator, Sequence
from functools import partial

from bot.match.retrieval.known_concepts import ConceptIndex
from bot.match.retrieval.recognise import Hit
from bot.result_cache import ResultCache, cache_key


def recognise_cached(
    texts: Sequence[str], index: ConceptIndex, version: str, results: ResultCache
) -> Iterator[list[Hit]]:
    """Yield the hits of each formula; `version` tells what is known from what was known when results were kept."""
    return results.map_parallel("hits", texts, lambda tex: cache_key(version, tex), partial(recognise_all, index))


def begin_recognition(texts: Sequence[str], index: ConceptIndex, version: str, results: ResultCache) -> None:
    """Have other processes recognise formulas that `recognise_cached` will be asked for next."""
    results.begin("hits", texts, lambda tex: cache_key(version, tex), partial(recognise_all, index))


def recognise_all(index: ConceptIndex, texts: Sequence[str]) -> list[list[Hit]]:
    """Return the hits of each formula; for other processes, which read the index once."""
    return index.recogniser.all_hits(texts)
