"""The built-in list line by line, and which documents of a workspace hold each formula: what a corpus attests of a list without sources."""

from collections import defaultdict
from collections.abc import Iterator

from bot.discover.stored_occurrences import OWN, connect_to_shards
from bot.formula import Keys
from bot.match.builtin import builtin_formulas
from bot.match.features.agreement import compare_formulas
from bot.match.retrieval.stored_readings import readings
from bot.store import Row, Workspace
from bot.wikibase import is_item_id

MAX_DOCUMENTS_NAMED = 3  # documents named for a formula
_FORMULAS = f"SELECT K4, K2, min(o.tex), list_sort(list(DISTINCT o.document)) {OWN} WHERE K4 <> '' GROUP BY K4, K2 ORDER BY K4, K2"


def builtin_list_rows() -> list[Row]:
    """Return the list, a row {"qid", "label", "field", "tex"} for each formula, in its own order; "qid" is "" where we know none."""
    return [
        {"qid": entry.qid if is_item_id(entry.qid) else "", "label": entry.label, "field": entry.field, "tex": tex}
        for entry in builtin_formulas().values()
        for tex in entry.formulas
    ]


def builtin_list_in_corpus(workspace: Workspace) -> Iterator[Row]:
    """Yield the lines with `documents`: how many hold the formula, and `first`: the ids of some of them.

    A document holds it where it has one of the same key K2, or of the same key K4 which comparison finds to be the formula without leaving out
    signs, numbers, constants or scripts that may tell the two apart.
    """
    found: dict[str, list[tuple[str, str, list[str]]]] = defaultdict(list)
    with connect_to_shards(workspace) as db:
        for loose, *group in db.execute(_FORMULAS).fetchall():
            found[loose].append((group[0], group[1], group[2]))
    rows = builtin_list_rows()
    parsed = readings(row["tex"] for row in rows)
    for row in rows:
        number = parsed.row_of.get(row["tex"])
        own = Keys(*parsed.keys[number]) if number is not None else None
        groups = found.get(own.K4, ()) if own else ()
        documents = {
            d for key, tex, ids in groups if (own and key == own.K2) or _is_same_formula(row["tex"], tex) for d in ids
        }
        yield {**row, "documents": len(documents), "first": sorted(documents)[:MAX_DOCUMENTS_NAMED]}


def _is_same_formula(tex: str, other: str) -> bool:
    result = compare_formulas(tex, other)
    return result is not None and result.same_concept and not result.loose and result.relation != "renamed"
