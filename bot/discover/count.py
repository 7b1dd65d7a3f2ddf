"""The duplicate ranking over Parquet, on DuckDB or Spark: occurrences d and documents D of each canonical key, and their rows.

The key is K2: strict enough that a group is one formula (docs/formula-keys.md). Weaker levels only join groups whose names agree.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import cast

from bot.discover.shards import ShardRow
from bot.discover.stored_occurrences import OWN
from bot.settings import Discovery

# Yields the rows of a query over the views `occurrences` and `owners`; DuckDB and Spark take the same SQL.
RowQuery = Callable[[str, Mapping[str, int | bool]], Iterator[ShardRow]]

# Places of one formula that are looked at; a formula in ten thousand papers is not named better by more.
MOST_PLACES = 400

_CHOSEN = f"""
WITH chosen AS (
    SELECT K2 AS key, count(*) AS times, count(DISTINCT document) AS spread {OWN}
    WHERE candidate
    GROUP BY K2
    HAVING (count(DISTINCT document) >= $documents AND bool_or(length BETWEEN $least AND $most))
        OR bool_or(named AND role NOT IN ('example', 'exercise') AND ($long OR length BETWEEN $least AND $most))
)
"""
_DUPLICATES = f"{_CHOSEN} SELECT key, times, spread FROM chosen ORDER BY spread DESC, times DESC, key"
_PLACES = f"""{_CHOSEN}
SELECT o.*, c.times, c.spread FROM (
    SELECT o.*, row_number() OVER (PARTITION BY K2 ORDER BY document, position) AS place {OWN} WHERE candidate
) o JOIN chosen c ON o.K2 = c.key
WHERE place <= {MOST_PLACES}
ORDER BY o.K2, o.document, o.position
"""


class CountedRow(ShardRow):
    """A row of a shard with the occurrences (d of the paper) and documents (D) of its key."""

    times: int
    spread: int


def totals(rows: RowQuery) -> tuple[int, int]:
    """Return (formulas, distinct formulas by K1) of the workspace."""
    (found,) = rows(f"SELECT count(*) AS formulas, count(DISTINCT K1) AS forms {OWN}", {})
    counted = cast(Mapping[str, int], found)
    return counted["formulas"], counted["forms"]


def places(rows: RowQuery, settings: Discovery) -> Iterator[CountedRow]:
    """Yield the rows of all formulas that pass the filters, those of one key together."""
    return cast(Iterator[CountedRow], rows(_PLACES, _limits(settings)))


def duplicates(rows: RowQuery, settings: Discovery) -> Iterator[Mapping[str, str | int]]:
    """Yield key, `times` and `spread` of all formulas that pass the filters, those in most documents first."""
    return cast(Iterator[Mapping[str, str | int]], rows(_DUPLICATES, _limits(settings)))


def _limits(settings: Discovery) -> dict[str, int | bool]:
    limits = {"documents": settings.min_documents, "least": settings.min_length, "most": settings.max_length}
    return limits | {"long": settings.long_formulas}
