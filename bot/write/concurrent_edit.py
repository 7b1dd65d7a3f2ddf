"""Somebody else added the formula between plan and writing: which statement has it, and which sources are left to add.

Only what the person approved and the plan showed is left: the approved references, on a statement that says the approved
TeX and no more. What is merely like it goes back to review.
"""

import dataclasses

from bot.errors import WriteRefused
from bot.lookup.entities import snak_value, statement_from
from bot.messages import Message
from bot.propose.own_claims import is_same_value
from bot.propose.references import missing_references
from bot.settings import Properties
from bot.wikibase import Json
from bot.write import item_state
from bot.write.entry import PlanEntry
from bot.write.wiki_protocol import Entity

ADDED_BY_ANOTHER = Message("formula.by_another")
APPROVED_BEFORE = Message("formula.approved_before")


def claims_with(entity: Entity, property_id: str, tex: str, own_guid: str = "") -> list[Json]:
    """Return the statements with this TeX, of every rank, without the one with `own_guid`."""
    return [
        statement
        for guid, statement in item_state.statements(entity).items()
        if guid != own_guid
        and statement["mainsnak"]["property"] == property_id
        and statement["mainsnak"]["snaktype"] == "value"
        and is_same_value(snak_value(statement["mainsnak"]), tex)
    ]


def statements_with_formula(entity: Entity, entry: PlanEntry) -> dict[str, Json]:
    """Return GUID -> content of each statement, not deprecated, that has the formula of a symbol."""
    own_property = entry.payload["mainsnak"]["property"]
    return {
        guid: item_state.without_references(statement)
        for guid, statement in item_state.statements(entity).items()
        if statement["mainsnak"]["property"] != own_property
        and statement["rank"] != "deprecated"
        and is_same_value(snak_value(statement["mainsnak"]), entry.formula)
    }


def same_claim(entity: Entity, entry: PlanEntry) -> Json | None:
    """Return the statement of somebody else with the value of a planned claim; None where there is none.

    Raises WriteRefused where that statement is deprecated or has qualifiers.
    """
    snak = entry.payload["mainsnak"]
    found = claims_with(entity, snak["property"], snak_value(snak), entry.statement)
    if any(statement["rank"] == "deprecated" for statement in found):
        raise WriteRefused(Message("refused.deprecated", how=ADDED_BY_ANOTHER))
    if found and all(statement.get("qualifiers") for statement in found):
        raise WriteRefused(Message("refused.qualifiers", how=ADDED_BY_ANOTHER))
    plain = [statement for statement in found if not statement.get("qualifiers")]
    return min(plain, key=lambda statement: statement["rank"] != "preferred", default=None)


def remaining_sources(
    entry: PlanEntry, entity: Entity, statement: Json, properties: Properties, why: Message = ADDED_BY_ANOTHER
) -> list[PlanEntry]:
    """Return what is left to send: one entry for each approved reference, `already_there` where its source is named.

    `why` says how the statement came.
    """
    wanted = statement_from({**entry.payload, "references": list(entry.otherwise)}).references
    new = missing_references(wanted, statement_from(statement).references, properties)
    guid = statement["id"]
    found = []
    for payload, reference in zip(entry.otherwise, wanted, strict=True):
        # Our own statements are known by their ledger rows
        send = reference in new or item_state.contains(entity, guid, payload)
        part = dataclasses.replace(
            entry,
            kind="add_reference" if send else "already_there",
            statement=guid,
            payload=payload,
            before=entry.before | {guid: item_state.fingerprint(entity)[guid]},
            summary=entry.otherwise_summary,
            about=snak_value(statement["mainsnak"]),
            otherwise=(),
            because=Message("because.source_only" if reference in new else "because.with_source", how=why, guid=guid),
        )
        found.append(part)
    return found
