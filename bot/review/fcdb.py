"""The Formula Concept Database grows by decisions: an accepted claim makes representations of an item.

Decision + the concept's spellings in the corpus -> rows of `representations`. A row with a QID says “an instance of this
item”; a row with a reviewer and no QID says that somebody looked and it is none. Rows are never deleted.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

import sqlalchemy as sa

from bot import store
from bot.formula import compare
from bot.items_file import ItemRow
from bot.records import Decision, Representation, digest
from bot.store import Row, Workspace, to_record

Place = tuple[str, int]

# These say that formula and item do not belong together; a bad source or a duplicate says nothing against it.
REJECTING_REASONS = frozenset({"wrong_item", "wrong_formula", "not_defining", "special_case"})
_CORPUS = "corpus"  # origin of the rows that discover makes


def row_id(concept: str, qid: str, tex: str, origin: str) -> str:
    """Return the id of a row. Rows of decisions carry the item in it, so that a QID taken back can come again."""
    return digest(concept, qid, tex, origin)


def decision_origin(reviewer: str) -> str:
    """Return what marks the rows that this person's decisions made."""
    return f"decision of {reviewer}"


def rows_of(
    proposal: Row, decision: Decision, spellings: Sequence[Representation], places: Mapping[str, Place]
) -> list[Row]:
    """Return the rows that a decision makes: every spelling for an approval, the claimed one for a refutation.

    `places` gives where a spelling stands in the corpus; the proposal's own stands where it is quoted.
    """
    if decision.verdict == "approve":
        wanted = {str(proposal["tex"]): "K0"}
        wanted |= {spelling.tex: spelling.level for spelling in spellings}
        if decision.edit_confirmed:  # another formula: what the corpus writes is none of the item's
            wanted = {decision.tex: "K0"}
        elif decision.tex:
            wanted.setdefault(decision.tex, compare(decision.tex, proposal["tex"]).level)
        qid = str(proposal["qid"])
    elif decision.verdict == "reject" and decision.reason in REJECTING_REASONS:
        wanted, qid = {proposal["tex"]: "K0"}, ""
    else:
        return []
    quoted = next(((q["document"], q["position"]) for q in proposal["quotes"]), ("", 0))
    concept = _concept(proposal)
    return [
        {
            "id": row_id(concept, proposal["qid"], tex, decision_origin(decision.reviewer)),
            "concept": concept,
            "qid": qid,
            "tex": tex,
            "level": level,
            "document": places.get(tex, quoted)[0],
            "position": places.get(tex, quoted)[1],
            "reviewer": decision.reviewer,
            "added": decision.time,
        }
        for tex, level in wanted.items()
    ]


def apply_decision(db: sa.Connection, proposal: Row, decision: Decision) -> None:
    """Bring the database in line with a decision, inside the caller's transaction. A skip changes nothing.

    A decision on a further source does not concern the claim, unless it refutes the claim itself.
    """
    if decision.verdict == "skip" or proposal.get("kind") == "symbol":
        return
    decides = decision.verdict in ("approve", "reject")
    rows = rows_of(proposal, decision, *_corpus_representations(db, proposal)) if decides else []
    if decision.verdict != "approve" and (decision.reason in REJECTING_REASONS or not proposal.get("claim")):
        _remove_item_from_rows(db, proposal)
    _upsert(db, rows)


def remove_undone(workspace: Workspace, proposal: str) -> None:
    """Take the QID from the rows that approvals of this proposal made: its edit was undone."""
    table = store.decisions
    query = sa.select(table.c.record).where(table.c.proposal == proposal).order_by(table.c.n.desc())
    with workspace.engine.begin() as db:
        found = db.execute(query).first()
        if found is not None and not found[0].get("claim"):
            _remove_item_from_rows(db, found[0])


def rejected_items(workspace: Workspace) -> dict[str, list[str]]:
    """Return concept -> items of which a person said that it is none, by the last decision on each proposal."""
    table = store.decisions
    query = sa.select(table.c.proposal, table.c.verdict, table.c.reason, table.c.record).order_by(table.c.n)
    rows = (row for row in workspace.rows(query) if row["verdict"] != "skip" and row["record"].get("kind") != "symbol")
    last = {row["proposal"]: row for row in rows}
    found: dict[str, set[str]] = defaultdict(set)
    for row in last.values():
        if row["verdict"] == "reject" and row["reason"] in REJECTING_REASONS:
            found[_concept(row["record"])].add(row["record"]["qid"])
    return {concept: sorted(qids) for concept, qids in found.items()}


def representations(workspace: Workspace, *, items_only: bool = False) -> list[Row]:
    """Return the rows in a stable order, with `not`: the items that the concept was refused for."""
    table = store.representations
    query = sa.select(table).order_by(table.c.concept, table.c.id)
    rows = workspace.rows(query.where(table.c.qid != "") if items_only else query)
    no = rejected_items(workspace)
    return [{**row, "not": no.get(row["concept"], [])} for row in rows]


def with_representations(items: Iterable[ItemRow], representations: Iterable[Row]) -> Iterator[ItemRow]:
    """Yield the rows of an items file, each with the representations of its item among its formulas, once."""
    formulas_of: dict[str, list[str]] = defaultdict(list)
    for row in representations:
        formulas_of[row["qid"]].append(row["tex"])
    for item in items:
        formulas = dict.fromkeys([*(item.get("formulas") or ()), *formulas_of.get(item["qid"], ())])
        yield {**item, "formulas": list(formulas)}


def _concept(proposal: Row) -> str:
    """Return the concept's key; for a claim without one, a key of the item."""
    return str(proposal["concept"]) or digest("item", proposal["qid"])


def _corpus_representations(db: sa.Connection, proposal: Row) -> tuple[list[Representation], dict[str, Place]]:
    """Return the concept's spellings and a place of each, as discover left them."""
    concepts, table = store.concepts, store.representations
    found = db.execute(sa.select(concepts.c.representations).where(concepts.c.key == proposal["concept"])).first()
    spellings = [to_record(Representation, one) for one in (found[0] if found else ())]
    ids = [digest(proposal["concept"], one.tex, _CORPUS) for one in spellings]
    query = sa.select(table.c.tex, table.c.document, table.c.position).where(table.c.id.in_(ids))
    return spellings, {tex: (document, position) for tex, document, position in db.execute(query) if document}


def _remove_item_from_rows(db: sa.Connection, proposal: Row) -> None:
    """Remove the item from rows of decisions only; rows of curated lists keep it."""
    table, qid, concept = store.representations, proposal["qid"], _concept(proposal)
    query = sa.select(table).where(table.c.concept == concept, table.c.qid == qid)
    rows = db.execute(query).all()
    ids = [r.id for r in rows if r.id == row_id(concept, qid, r.tex, decision_origin(str(r.reviewer)))]
    db.execute(table.update().where(table.c.id.in_(ids)).values(qid=""))


def _upsert(db: sa.Connection, rows: Sequence[Row]) -> None:
    """Put in the rows of one decision; those that are there already get the item that it gives to all of them."""
    table = store.representations
    existing = {row.id for row in db.execute(sa.select(table.c.id).where(table.c.id.in_([row["id"] for row in rows])))}
    fresh = [row for row in rows if row["id"] not in existing]
    if fresh:
        db.execute(table.insert(), fresh)
    if existing:
        db.execute(table.update().where(table.c.id.in_(existing)).values(qid=rows[0]["qid"]))
