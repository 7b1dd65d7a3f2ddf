"""What the wiki does not give: one message for each thing that is missing and makes matches worse."""

import sqlalchemy as sa

from bot import stage_state, store
from bot.errors import LookupFailed
from bot.lookup import Client
from bot.messages import Message, from_json
from bot.records import as_json
from bot.settings import Wiki
from bot.store import Workspace


def missing_wiki_data(workspace: Workspace, client: Client) -> tuple[Message, ...]:
    """Return missing data of the items, and faults in the wiki's answers.

    Of the items nothing is said where all is there, or where no concept asked for one.
    """
    return (*ids_of_wikidata(client.wiki), *client.cache_use().remarks(), *_items(workspace, client))


def ids_of_wikidata(wiki: Wiki) -> tuple[Message, ...]:
    """Say which ids are Wikidata's though the wiki is another one; nothing where all are stated."""
    return (Message("gap.ids", ids=", ".join(wiki.unstated)),) if wiki.unstated else ()


def _items(workspace: Workspace, client: Client) -> tuple[Message, ...]:
    inputs = stage_state.last_inputs(workspace, "match")
    if (noted := stage_state.last_outcome(workspace, "gaps", inputs)) is not None:
        return tuple(map(from_json, noted["messages"]))
    found = _asked(workspace, client)
    stage_state.record_run(workspace, "gaps", inputs, messages=as_json(found))
    return found


def _asked(workspace: Workspace, client: Client) -> tuple[Message, ...]:
    if not workspace.count(store.concepts):
        return ()
    matched = sa.select(store.matches.c.qid).distinct()
    rows = workspace.rows(sa.select(store.items.c.record).where(store.items.c.qid.in_(matched)))
    records, found = [row["record"] for row in rows], []
    if not records:
        found.append(Message("gap.items"))
    elif not any(record["label"] or record["aliases"] for record in records):
        found.append(Message("gap.labels"))
    if not _formulas(client):
        found.append(Message("gap.defining_formulas"))
    return tuple(found)


def _formulas(client: Client) -> bool:
    try:
        return bool(client.qids_with_formula())
    except LookupFailed:
        return True  # what was not answered is said elsewhere
