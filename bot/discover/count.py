"""The duplicate ranking over Parquet with DuckDB: occurrences d and documents D of each canonical key, and their rows.

The key is K2: strict enough that a group is one formula (docs/formula-keys.md). Weaker levels only join groups whose names agree.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from bot.settings import Discovery

# Places of one formula that are looked at; a formula in ten thousand papers is not named better by more.
MOST_PLACES = 400

_OWN = "FROM occurrences o JOIN owners w ON o.path = w.path AND o.document = w.id"
_SELECT = f"""
CREATE OR REPLACE TEMP TABLE chosen AS
SELECT K2 AS key, count(*) AS times, count(DISTINCT document) AS spread {_OWN}
WHERE candidate
GROUP BY K2
HAVING (count(DISTINCT document) >= $documents AND bool_or(length BETWEEN $least AND $most))
    OR bool_or(named AND role NOT IN ('example', 'exercise') AND ($long OR length BETWEEN $least AND $most))
"""
_PLACES = f"""
SELECT o.*, c.times, c.spread FROM (
    SELECT o.*, row_number() OVER (PARTITION BY K2 ORDER BY document, position) AS place {_OWN} WHERE candidate
) o JOIN chosen c ON o.K2 = c.key
WHERE place <= {MOST_PLACES}
ORDER BY o.K2, o.document, o.position
"""


def totals(db: Any) -> tuple[int, int]:
    """Return (formulas, distinct formulas by K1) of the workspace."""
    rows = db.execute(f"SELECT count(*), count(DISTINCT K1) {_OWN}").fetchall()
    return int(rows[0][0]), int(rows[0][1])


def places(db: Any, settings: Discovery) -> Iterator[dict[str, Any]]:
    """Yield the rows of all formulas that pass the filters, those of one key together, each with `times` (d of the paper) and `spread` (D).

    The connection holds `occurrences` and `owners` (id, path): the documents that count, and the file each was read from.
    """
    db.execute(
        _SELECT,
        {
            "documents": settings.min_documents,
            "least": settings.min_length,
            "most": settings.max_length,
            "long": settings.long_formulas,
        },
    )
    cursor = db.execute(_PLACES)
    names = [column[0] for column in cursor.description]
    while batch := cursor.fetchmany(2000):
        for row in batch:
            yield dict(zip(names, row, strict=True))
