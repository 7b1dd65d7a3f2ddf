"""The built-in list line by line, and which documents of a workspace hold each formula: what a corpus attests of a list without sources."""

from collections import defaultdict
from collections.abc import Iterator

from bot.discover.stored_occurrences import OWN, connect_to_shards
from bot.match.builtin import builtin_formulas
from bot.match.features.agreement import compare_formulas
from bot.match.retrieval.index.sparse_matrix import text_digests
from bot.match.retrieval.index.stored_readings import readings
from bot.match.retrieval.inverted_index import KEY_LEVELS
from bot.store import Row, Workspace
from bot.wikibase import is_item_id

MAX_DOCUMENTS_NAMED = 3  # documents named for a formula
_FORMULAS = f"SELECT K4, K2, min(o.tex), list_sort(list(DISTINCT o.document)) {OWN} WHERE K4 <> '' GROUP BY K4, K2 ORDER BY K4, K2"


def builtin_list_rows() -> list[Row]:
    """Return the list, a row {"qid", "label", "field", "tex", "defines"} for each formula, in its own order.

    "qid" is "" where we know none, "defines" False for a formula that is only true of the concept, None where that is doubtful.
    """
    return [
        {
            "qid": entry.qid if is_item_id(entry.qid) else "",
            "label": entry.label,
            "field": entry.field,
            "tex": tex,
            "defines": None if tex in entry.doubtful else tex not in entry.about,
        }
        for entry in builtin_formulas().values()
        for tex in entry.formulas
    ]


def builtin_list_in_corpus(workspace: Workspace) -> Iterator[Row]:
    """Yield the lines with `documents`: how many hold the formula, and `first`: the ids of some of them.

    A document holds it where it has one of the same key K2, or of the same key K4 which comparison finds to be the formula without leaving out
    signs, numbers, constants or scripts that may tell the two apart.
    """
    with connect_to_shards(workspace) as db:
        formulas = db.execute(_FORMULAS).fetchall()
    found: dict[int, list[tuple[int, str, list[str]]]] = defaultdict(list)
    loose, strict = (text_digests([row[column] for row in formulas]).tolist() for column in (0, 1))
    for key, other, (_, _, tex, ids) in zip(loose, strict, formulas, strict=True):
        found[key].append((other, tex, ids))
    rows = builtin_list_rows()
    texts = [row["tex"] for row in rows]
    parsed = readings(texts)
    numbers = parsed.rows_of(texts)
    own_keys = parsed.keys[numbers][:, [KEY_LEVELS.index(level) for level in ("K4", "K2")]].tolist()
    has_tree = (parsed.leaves[numbers] >= 0).tolist()
    for row, (own, own_strict), is_read in zip(rows, own_keys, has_tree, strict=True):
        groups = found.get(own, ()) if is_read else ()
        documents = {
            d for key, tex, ids in groups if key == own_strict or _is_same_formula(row["tex"], tex) for d in ids
        }
        yield {**row, "documents": len(documents), "first": sorted(documents)[:MAX_DOCUMENTS_NAMED]}


def _is_same_formula(tex: str, other: str) -> bool:
    result = compare_formulas(tex, other)
    return result.same_concept and not result.loose and result.relation != "renamed"
