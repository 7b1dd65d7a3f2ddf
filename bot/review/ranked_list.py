"""The ranked list of a workspace: concepts, or formulas with the same TeX, by occurrences d, documents D or FormulaRank.

Each has its best name and its likeliest item. Formulas with the same TeX are the paper's duplicate ranking (section on data selection).
"""

from collections.abc import Iterator
from dataclasses import dataclass

import sqlalchemy as sa

from bot import store
from bot.discover.left_sides import strip_styling
from bot.discover.stored_occurrences import connect_to_shards
from bot.review.answers import ORDERS, labels_of, rank_order
from bot.store import Row, Workspace

_DUPLICATES = """
SELECT any_value(o.tex) AS tex, any_value(o.K2) AS K2, count(*) AS occurrences, count(DISTINCT o.document) AS documents
FROM occurrences o JOIN owners w ON o.path = w.path AND o.document = w.id
WHERE o.candidate GROUP BY regexp_replace(o.tex, '\\s', '', 'g')
"""


@dataclass(frozen=True, slots=True)
class RankFilters:
    """Least documents, and least and most characters of the formula (0: any)."""

    documents: int = 1
    shortest: int = 0
    longest: int = 0

    def allows(self, documents: int, length: int) -> bool:
        return documents >= self.documents and self.shortest <= length <= (self.longest or length)


def ranked_concepts(workspace: Workspace, order: str = "D") -> Iterator[Row]:
    """Yield every concept's row in that order, with `centrality` (1 on average) and its `place` in each of the three orders, from 1.

    `formularank` and `centrality` are None where a concept is not ranked.
    """
    table = store.concepts
    keys = {each: workspace.rows(sa.select(table.c.key).order_by(*rank_order(each))) for each in ORDERS}
    rank_of = {each: {row["key"]: n for n, row in enumerate(rows, 1)} for each, rows in keys.items()}
    for row in workspace.rows(sa.select(table).order_by(*rank_order(order))):
        score = row["formularank"]
        centrality = None if score is None else round(score / max(row["documents"], 1), 4)
        yield {**row, "centrality": centrality, "place": {each: rank_of[each][row["key"]] for each in ORDERS}}


def ranked_list(workspace: Workspace, order: str = "d", filters: RankFilters = RankFilters()) -> Iterator[Row]:
    """Yield a row for each concept that passes the filters, by `order`.

    Lengths are those of the shown formula without styling, braces and blanks. `place` counts all concepts of the workspace. `qid`,
    `label` and `probability` are the likeliest item's, "" and None where there is none.
    """
    best = _likeliest(workspace)
    labels = labels_of(workspace, [qid for qid, _ in best.values()])
    for row in ranked_concepts(workspace, order):
        if filters.allows(row["documents"], len(strip_styling(row["tex"]))):
            qid, probability = best.get(row["key"], ("", None))
            yield {
                **{
                    name: row[name]
                    for name in ("tex", "occurrences", "documents", "formularank", "centrality", "place")
                },
                "name": row["names"][0]["name"] if row["names"] else "",
                "qid": qid,
                "label": labels.get(qid, ""),
                "probability": probability,
                "key": row["key"],
                "representations": row["representations"],
            }


def ranked_duplicates(workspace: Workspace, order: str = "d", filters: RankFilters = RankFilters()) -> Iterator[Row]:
    """Yield the equations with the same TeX, blanks aside, as `ranked_list` does its concepts; FormulaRank, name and item are their concept's.

    Lengths are characters of the TeX without blanks. A formula of no concept has "" for its key and None for its rank; `place` counts
    what is yielded.
    """
    concepts = {row["key"]: row for row in ranked_list(workspace)}
    of = {"".join(each["tex"].split()): key for key, row in concepts.items() for each in row["representations"]}
    with connect_to_shards(workspace) as db:
        columns = ("tex", "K2", "occurrences", "documents")
        rows: list[Row] = [dict(zip(columns, row, strict=True)) for row in db.execute(_DUPLICATES).fetchall()]
    found = []
    for row in rows:
        text, key = "".join(row["tex"].split()), row.pop("K2")
        if filters.allows(row["documents"], len(text)):
            concept = concepts.get(of.get(text) or key) or _NO_CONCEPT
            found.append({**concept, **row, "representations": []})
    rank_of = {each: {row["tex"]: n for n, row in enumerate(_sorted(found, each), 1)} for each in ORDERS}
    for row in _sorted(found, order):
        yield {**row, "place": {each: rank_of[each][row["tex"]] for each in ORDERS}}


_NO_CONCEPT: Row = {
    "formularank": None, "centrality": None, "name": "", "qid": "", "label": "", "probability": None, "key": ""
}  # fmt: skip


def _sorted(rows: list[Row], order: str) -> list[Row]:
    return sorted(rows, key=lambda row: (*(-(row[name] or 0) for name in ORDERS[order]), row["tex"]))


def _likeliest(workspace: Workspace) -> dict[str, tuple[str, float]]:
    table = store.matches
    query = sa.select(table.c.concept, table.c.qid, table.c.probability)
    found: dict[str, tuple[str, float]] = {}
    for row in workspace.rows(query.order_by(table.c.probability.desc(), table.c.qid)):
        found.setdefault(row["concept"], (row["qid"], row["probability"]))
    return found
