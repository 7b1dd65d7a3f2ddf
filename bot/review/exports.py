"""What people approved, for other tools: QuickStatements V1 and CSV, Mismatch Finder, Primary Sources Tool. Files only.

The Mismatch Finder gets what no bot may write: existing formulas that are surely another concept's.
"""

import csv
import io
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from urllib.parse import quote as percent

import sqlalchemy as sa
from pyoxigraph import Literal, NamedNode, RdfFormat, Triple, serialize

from bot import store
from bot.propose.quickstatements import claims_csv, text
from bot.propose.quickstatements import value as quoted
from bot.records import Item, Proposal, digest
from bot.review.decide import approved_references
from bot.review.mismatches import mismatches
from bot.review.queue import queue
from bot.settings import Settings
from bot.store import Row, Workspace, to_record

FORMATS = {"quickstatements": "txt", "quickstatements-csv": "csv", "mismatch-finder": "csv", "primary-sources": "ttl"}
MISMATCH = (
    "item_id", "statement_guid", "property_id", "wikidata_value", "meta_wikidata_value", "external_value", "external_url", "type",
)  # fmt: skip
_PROV, _XSD = "http://www.w3.org/ns/prov#", "http://www.w3.org/2001/XMLSchema#"


def export(workspace: Workspace, settings: Settings, form: str) -> str:
    """Return what is approved and not yet written (for the Mismatch Finder: what is flagged) as text in one of FORMATS."""
    if form == "mismatch-finder":
        return mismatch_finder(workspace, settings)
    claims = approved(workspace)
    if form == "primary-sources":
        return primary_sources(claims, settings.wiki.entity_prefix)
    return quickstatements(claims) if form == "quickstatements" else quickstatements_csv(claims)


def approved(workspace: Workspace) -> list[Proposal]:
    """Return approved proposals as they would be written: the edited formula, the accepted references.

    A symbol follows its formula, and only where this is approved or written.
    """
    found, symbols = list[Proposal](), defaultdict[tuple[str, str], list[Proposal]](list)
    for row in queue(workspace, "approved"):
        assert row.decision is not None
        references = approved_references(row.decision, row.proposal)
        proposal = replace(row.proposal, tex=row.decision.tex or row.proposal.tex, references=references)
        (symbols[proposal.claim, proposal.formula] if proposal.kind == "symbol" else found).append(proposal)
    written = [row.proposal for row in queue(workspace, "written")] if symbols else []
    with_symbols = [each for p in found for each in (p, *symbols.pop((p.id, p.tex), ()))]
    return with_symbols + [each for p in written for each in symbols.get((p.id, p.tex), ())]


def quickstatements(proposals: Iterable[Proposal]) -> str:
    """Return QuickStatements V1: a line for each claim; `S` adds to the reference, `!S` opens the next one."""
    lines = []
    for p in proposals:
        parts = [p.qid, p.property, text(p.tex)]
        parts += [part for prop, datatype, value in p.qualifiers for part in (prop, quoted(datatype, value))]
        for n, reference in enumerate(p.references):
            for m, (prop, datatype, value) in enumerate(reference.snaks):
                parts += [f"{'!' if n and not m else ''}S{prop[1:]}", quoted(datatype, value)]
        lines.append("\t".join(parts))
    return "".join(f"{line}\n" for line in lines)


def quickstatements_csv(proposals: Sequence[Proposal]) -> str:
    """Return QuickStatements CSV."""
    return claims_csv(proposals, sorted({p.property for p in proposals}))


def mismatch_finder(workspace: Workspace, settings: Settings) -> str:
    """Return Mismatch Finder CSV: live statements whose formula is surely another concept's, or that a reviewer says is wrong, each once.

    The former are found by the built-in list (see mismatches), the latter by decisions that stand.
    """
    wanted = settings.wiki.properties.defining_formula
    out = io.StringIO()
    table = csv.writer(out, lineterminator="\n")
    table.writerow(MISMATCH)
    flagged = [row.proposal for row in queue(workspace, "flagged")] if settings.matching.builtin else []
    wrong = wrong_statements(workspace)
    items = _items(workspace, {p.qid for p in (*flagged, *wrong.values())})
    found = {s.guid: (p, s) for p in reversed(flagged) if p.qid in items for s in mismatches(p, items[p.qid], wanted)}
    for p in wrong.values():
        statements = items[p.qid].live_statements(wanted) if p.qid in items else []
        found |= {s.guid: (p, s) for s in statements if s.guid in wrong}
    for p, s in reversed(found.values()):
        address = next((q.url for q in p.quotes if q.where and q.url.startswith(("http://", "https://"))), "")
        table.writerow([p.qid, s.guid, wanted, s.value, "", p.tex, address, "statement"])
    return out.getvalue()


def wrong_statements(workspace: Workspace) -> dict[str, Proposal]:
    """Return GUID -> the proposal on which a reviewer said that this statement's formula is wrong, by decisions that stand."""
    rows = (row for row in queue(workspace, "closed") if row.decision and row.decision.reason == "item_wrong")
    return {row.decision.about: row.proposal for row in rows if row.decision}


def primary_sources(proposals: Sequence[Proposal], entity_prefix: str) -> str:
    """Return the data set of the Primary Sources Tool: Wikibase's own RDF of claims with their references, as Turtle."""
    base = entity_prefix.removesuffix("entity/")
    prefixes = {"wd": entity_prefix, "p": f"{base}prop/"}
    prefixes |= {"ps": f"{base}prop/statement/", "pr": f"{base}prop/reference/"}
    prefixes |= {"wds": f"{entity_prefix}statement/", "wdref": f"{base}reference/", "prov": _PROV, "xsd": _XSD}
    prefixes |= {"pq": f"{base}prop/qualifier/"} if any(p.qualifiers for p in proposals) else {}
    triples: dict[Triple, None] = {}
    for p in proposals:
        claim = NamedNode(f"{entity_prefix}statement/{p.statement.replace('$', '-') or f'{p.qid}-{p.id}'}")
        triples[Triple(NamedNode(entity_prefix + p.qid), NamedNode(f"{base}prop/{p.property}"), claim)] = None
        triples[Triple(claim, NamedNode(f"{base}prop/statement/{p.property}"), Literal(p.tex))] = None
        for prop, datatype, value in p.qualifiers:
            predicate = NamedNode(f"{base}prop/qualifier/{prop}")
            triples[Triple(claim, predicate, _rdf(datatype, value, entity_prefix))] = None
        for reference in p.references:
            node = NamedNode(f"{base}reference/{digest(reference)}")
            triples[Triple(claim, NamedNode(f"{_PROV}wasDerivedFrom"), node)] = None
            for prop, datatype, value in reference.snaks:
                predicate = NamedNode(f"{base}prop/reference/{prop}")
                triples[Triple(node, predicate, _rdf(datatype, value, entity_prefix))] = None
    return (serialize(triples, format=RdfFormat.TURTLE, prefixes=prefixes) or b"").decode()


def _rdf(datatype: str, value: str, entity_prefix: str) -> NamedNode | Literal:
    if datatype == "wikibase-item":
        return NamedNode(entity_prefix + value)
    if datatype == "url":
        return NamedNode(percent(value, safe=":/?#[]@!$&'()*+,;=%~"))
    if datatype == "time":
        return Literal(value.lstrip("+"), datatype=NamedNode(f"{_XSD}dateTime"))
    if datatype == "monolingualtext":
        language, _, text = value.partition(":")
        return Literal(text, language=language)
    return Literal(value)


def _items(workspace: Workspace, qids: set[str]) -> Row:
    rows = workspace.rows(sa.select(store.items.c.record).where(store.items.c.qid.in_(qids)))
    return {row["record"]["qid"]: to_record(Item, row["record"]) for row in rows}
