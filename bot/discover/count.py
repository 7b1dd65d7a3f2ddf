"""The duplicate ranking over Parquet, on DuckDB or Spark: occurrences d and documents D of each canonical key, and their rows.

The key is K2: strict enough that a group is one formula (docs/formula-keys.md). Weaker levels only join groups whose names agree.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Protocol, cast

from bot.discover.shards import ShardRow
from bot.settings import Discovery


class RowQuery(Protocol):
    """Asks for rows of the views `occurrences` and `counted`, its columns that are counted by; DuckDB and Spark take the same SQL."""

    def __call__(self, query: str, parameters: Mapping[str, int | bool], /) -> Iterator[ShardRow]:
        """Yield the rows of a query."""

    def narrowed(self, parts: Collection[str]) -> str:
        """Return the name of a view that has at least the rows of `occurrences` from these shards."""

    def gather(self, view: str) -> None:
        """Have the candidates of `occurrences`, or `counted`, at hand for several queries to come: from thousands of shards each would read anew."""


# Places of one formula that are looked at; a formula in ten thousand papers is not named better by more.
MAX_PLACES = 400

_EVERY = "true"
_CHOSEN = """
WITH chosen AS (
    SELECT K2 AS key, count(*) AS times, count(DISTINCT document) AS spread FROM counted o
    WHERE candidate AND {only}
    GROUP BY K2
    HAVING (count(DISTINCT document) >= $documents AND bool_or(length BETWEEN $least AND $most))
        OR (bool_or(named AND ($long OR length BETWEEN $least AND $most)) AND (count(*) > 1 OR bool_or(named AND role NOT IN ('example', 'exercise'))))
)
"""
_DUPLICATES = (
    f"{_CHOSEN.format(only=_EVERY)} SELECT key, times, spread FROM chosen ORDER BY spread DESC, times DESC, key"
)
# Groups whose first rows share K3 are a family: what it holds follows each other, by K2, and what it is made from is told by two digests.
_FOUND = f"""{_CHOSEN}, placed AS (
    SELECT o.K2 AS key, o.path, o.document, o.position, o.part, c.times, c.spread,
        row_number() OVER (PARTITION BY o.K2 ORDER BY o.document, o.position) AS place,
        first_value(o.K3) OVER (PARTITION BY o.K2 ORDER BY o.document, o.position) AS family
    FROM counted o JOIN chosen c ON o.K2 = c.key WHERE candidate AND {{only}}
)
"""
_DIGESTS = f"""{_FOUND.format(only=_EVERY)}
SELECT family, key, times, spread, bit_xor(hash(part, document, position)) AS one, bit_xor(hash(position, document, part)) AS other
FROM placed WHERE place <= {MAX_PLACES} GROUP BY family, key, times, spread ORDER BY family, key
"""
_PLACES = f"""{_FOUND} SELECT family, part, document, position FROM placed WHERE place <= {MAX_PLACES} ORDER BY family, key, document, position"""
_ROWS = f"""{_FOUND}
SELECT o.K1, o.K2, o.K3, o.K4, o.K5, o.leaves, o.document, o.position, o.tex, o.window, o.role, o.definitions, o.signs, p.times, p.spread, p.family, p.part
FROM {{view}} o JOIN placed p ON o.path = p.path AND o.document = p.document AND o.position = p.position AND o.K2 = p.key
WHERE p.place <= {MAX_PLACES} AND {{only}} ORDER BY p.family, o.K2, o.document, o.position
"""


class CountedRow(ShardRow):
    """A row of a shard with the occurrences (d of the paper) and documents (D) of its key."""

    times: int
    spread: int
    family: str  # K3 of the first row of its key
    part: str  # the shard


Place = tuple[str, str, int]  # shard, document and position


def count_formulas(rows: RowQuery) -> tuple[int, int]:
    """Return (formulas, distinct formulas by K1) of the workspace."""
    (found,) = rows("SELECT count(*) AS formulas, count(DISTINCT K1) AS forms FROM counted", {})
    counted = cast(Mapping[str, int], found)
    return counted["formulas"], counted["forms"]


def key_digests(rows: RowQuery, settings: Discovery) -> Iterator[dict[str, str | int]]:
    """Yield family, key, `times` and `spread`, and what changes where a row of the key does, for all formulas that pass the filters, by family."""
    return cast(Iterator[dict[str, str | int]], rows(_DIGESTS, _limits(settings)))


def rows_of_keys(
    rows: RowQuery, settings: Discovery, keys: Sequence[str], view: str = "occurrences"
) -> Iterator[CountedRow]:
    """Yield the rows of formulas with these keys (K2) that pass the filters and are in a view: by family, and in it by key."""
    query = _ROWS.format(only=_having_key(keys), view=view)
    return cast(Iterator[CountedRow], rows(query, _limits(settings)))


def places_of_keys(rows: RowQuery, settings: Discovery, keys: Sequence[str]) -> Iterator[tuple[str, Place]]:
    """Yield the family and the place of each row that `rows_of_keys` yields, in this order; only what is counted is read."""
    found = cast(Iterator[CountedRow], rows(_PLACES.format(only=_having_key(keys)), _limits(settings)))
    return ((row["family"], place_of(row)) for row in found)


def place_of(row: CountedRow) -> Place:
    return row["part"], row["document"], row["position"]


def _having_key(keys: Sequence[str]) -> str:
    # A list of thousands of values behind IN is compared one by one; values in rows are joined.
    return f"o.K2 IN (SELECT key FROM (VALUES {', '.join(f'({key!r})' for key in keys)}) AS asked(key))"


def duplicates(rows: RowQuery, settings: Discovery) -> Iterator[Mapping[str, str | int]]:
    """Yield key, `times` and `spread` of all formulas that pass the filters, those in most documents first."""
    return cast(Iterator[Mapping[str, str | int]], rows(_DUPLICATES, _limits(settings)))


def _limits(settings: Discovery) -> dict[str, int | bool]:
    limits = {"documents": settings.min_documents, "least": settings.min_length, "most": settings.max_length}
    return limits | {"long": settings.long_formulas}
