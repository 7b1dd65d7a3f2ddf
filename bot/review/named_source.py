"""A source that a reviewer names for a claim which the corpus gives none for: the proposal has it from then on, under a new hash.

The decision is then made on that content as on any other, and nothing is written without a source.
"""

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import replace

from bot import hashchain, store
from bot.errors import ReviewError
from bot.lookup import Client
from bot.lookup.publications import from_bibtex
from bot.messages import Message
from bot.propose.build import recomputed_hash
from bot.propose.references import distinct_references, reference_of, reference_to
from bot.propose.stored_proposals import proposal_from_record
from bot.records import Check, Proposal, Reference, as_json
from bot.review.decide import proposal_row
from bot.review.people import known_reviewer
from bot.review.proposal_state import State, statuses
from bot.settings import Settings
from bot.store import Workspace, now

OpenClient = Callable[[], AbstractContextManager[Client]]
_SOURCES = ("source", "citable source")  # checks that the named source answers


def name_source(
    workspace: Workspace,
    settings: Settings,
    proposal: str,
    seen_hash: str,
    text: str,
    who: str,
    open_client: OpenClient | None = None,
) -> Proposal:
    """Give a proposal a source by QID, DOI, arXiv ID, address or BibTeX entry, and return it as it is then.

    Of a DOI Crossref is asked for title, authors, date and pages, and the wiki for the publication's item; of a QID, whether the wiki
    has it: with what `open_client` opens. Without it the DOI or QID alone is cited.

    `seen_hash` is the hash of what the reviewer saw. Raises ReviewError where it is another one now, for somebody unknown, for
    anything but a new claim, for what is written already, and for a text that names no source that may be cited; LookupFailed
    where Crossref or the wiki does not answer.
    """
    known_reviewer(workspace, who)
    row = proposal_row(workspace, proposal)
    found = proposal_from_record(row["record"], f"proposals {row['id']}")
    if seen_hash != found.hash:
        raise ReviewError("changed", where=found.id, todo="again")
    if found.kind != "new_claim" or statuses(workspace, [found.id])[found.id].state is State.WRITTEN:
        raise ReviewError("only_for_claims", where=found.id)
    properties = settings.wiki.properties
    reference = _reference(text.strip(), settings, open_client)
    if reference is None:
        raise ReviewError(Message("error.no_source_named", text=text[:80]), where=found.id, todo="name_source")
    updated = _with(
        found, distinct_references((*found.given, reference, *found.references), properties), (*found.given, reference)
    )
    table = store.proposals
    with workspace.engine.begin() as db:
        hashchain.lock(db)
        shown = table.update().where(table.c.id == found.id, table.c.hash == found.hash)
        changed = db.execute(shown.values(hash=updated.hash, record=as_json(updated)))
    if changed.rowcount != 1:
        raise ReviewError("changed", where=found.id, todo="again")
    return updated


def _reference(text: str, settings: Settings, open_client: OpenClient | None) -> Reference | None:
    properties, proposing, today = settings.wiki.properties, settings.proposing, now()[:10]
    publication = from_bibtex(text) if text.startswith("@") else None
    named = reference_of(
        (publication.doi or publication.arxiv or publication.url) if publication else text, properties, proposing, today
    )
    if named is None:
        return None
    lead = named.snaks[0]
    if lead[0] == properties.stated_in and open_client is not None:
        with open_client() as client:
            item = client.entities([lead[2]])[lead[2]]
        if item.missing or item.redirect:
            raise ReviewError(Message("error.no_item", qid=lead[2]), todo="name_source")
    doi = lead[2] if lead[0] == properties.doi else ""
    if not doi or open_client is None or (publication is None and not proposing.crossref):
        return reference_to(publication, "", properties, today) if publication else named
    with open_client() as client:
        publication = publication or client.publication(doi, proposing.crossref)
        if publication is None:
            raise ReviewError(Message("error.doi_unknown", doi=doi), todo="doi_unknown")
        return reference_to(publication, client.item_with_doi(doi), properties, today)


def _with(found: Proposal, references: tuple[Reference, ...], stated: tuple[Reference, ...]) -> Proposal:
    checks = tuple(
        Check.of(f"{check.name.replace(' ', '_')}.given", "ok")
        if check.name in _SOURCES and check.state == "warn" and check.detail.code.endswith((".none", ".cannot"))
        else check
        for check in found.checks
    )
    updated = replace(found, references=references, given=tuple(r for r in stated if r in references), checks=checks)
    return replace(updated, hash=recomputed_hash(updated))
