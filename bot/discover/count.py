"""The duplicate ranking over Parquet with DuckDB: occurrences d and documents D of each canonical key, and their rows.

The key is K2: strict enough that a group is one formula (docs/formula-keys.md). Weaker levels only join groups whose names agree.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, cast

from bot.discover.shards import ShardRow
from bot.discover.stored_occurrences import OWN, fetch
from bot.settings import Discovery

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

# Places of one formula that are looked at; a formula in ten thousand papers is not named better by more.
MOST_PLACES = 400

_SELECT = f"""
CREATE OR REPLACE TEMP TABLE chosen AS
SELECT K2 AS key, count(*) AS times, count(DISTINCT document) AS spread {OWN}
WHERE candidate
GROUP BY K2
HAVING (count(DISTINCT document) >= $documents AND bool_or(length BETWEEN $least AND $most))
    OR bool_or(named AND role NOT IN ('example', 'exercise') AND ($long OR length BETWEEN $least AND $most))
"""
_PLACES = f"""
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


def totals(db: DuckDBPyConnection) -> tuple[int, int]:
    """Return (formulas, distinct formulas by K1) of the workspace."""
    formulas, distinct = db.execute(f"SELECT count(*), count(DISTINCT K1) {OWN}").fetchall()[0]
    return int(formulas), int(distinct)


def places(db: DuckDBPyConnection, settings: Discovery) -> Iterator[CountedRow]:
    """Yield the rows of all formulas that pass the filters, those of one key together. The connection has `occurrences` and `owners`."""
    limits = {"documents": settings.min_documents, "least": settings.min_length, "most": settings.max_length}
    db.execute(_SELECT, limits | {"long": settings.long_formulas})
    return cast(Iterator[CountedRow], fetch(db, _PLACES))
