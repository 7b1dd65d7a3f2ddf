"""The least that an audit must find: the items of the last audit and those we wrote to. With fewer, it could not tell.

Every absence is checked twice: an item that the query service no longer lists is looked up through the Action API.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from bot.errors import LookupFailed
from bot.lookup import Client
from bot.messages import Message
from bot.records import Item, digest
from bot.store import Workspace, now
from bot.wikibase import Json, item_number

# Share of known items that the listing may lack though they have a formula. They are looked at all the same. Single
# statements are lost or late in a query service for weeks; a page of a listing that is lost is far more than that.
MAX_UNLISTED_SHARE = 0.01
# Known items that may have lost their formula between two audits, which the Action API has to confirm: people merge items and
# delete statements one by one. A tenth at once is a wrong wiki, a wrong property id or a restored database more often.
MIN_LOST, MAX_LOST_SHARE = 3, 0.1
_ITEMS_NAMED = 5


@dataclass(frozen=True, slots=True)
class ItemsWithFormula:
    """Every item with a formula as far as is known; `unlisted` of them are not in the query service's listing."""

    items: Mapping[str, Item]
    unlisted: int = 0


def _baseline_key(workspace: Workspace, client: Client) -> str:
    """Return the key of the workspace's `meta` under which is what the last audit of this wiki found: `items`, and which are `gone`."""
    wiki = client.wiki
    identity = (wiki.name, wiki.entity_prefix, wiki.properties.defining_formula, workspace.get("world"))
    return f"audited-{digest(*identity, length=16)}"


def read_items_with_formula(
    workspace: Workspace,
    client: Client,
    edited: Collection[str],
    taken_back: Collection[str],
    *,
    accept_drop: bool,
    more: Sequence[str] = (),
) -> ItemsWithFormula:
    """Read every item with a formula from the wiki as it is now, and keep which they are for the next audit.

    `more`: properties whose statements are read beside those of the formula.
    `edited`: items that our edits are on; `taken_back`: items on which nothing of ours is left because we undid it. Raises
    LookupFailed where fewer are found than must be there, unless `accept_drop`.
    """
    wanted, key = client.wiki.properties.defining_formula, _baseline_key(workspace, client)
    before = workspace.get(key)
    known, gone = (before["items"], before.get("gone", ())) if before else ((), ())
    expected = {*known, *edited} - (set(taken_back) - set(edited))
    listed = client.items_with_formulas(fresh=True, more=more)
    items = {**listed, **client.entities(sorted(expected - listed.keys()), fresh=True, more=more)}
    holding = {qid for qid, item in items.items() if _has_formula(item, wanted)}
    unlisted = (expected & holding) - listed.keys()
    if not accept_drop:
        missed, where = expected - {*gone}, client.wiki.sparql
        _check_not_shrunk(holding, listed.keys(), missed, unlisted, first=before is None, where=where)
    workspace.put(key, {"items": sorted(holding), "gone": sorted(expected - holding), "time": now()})
    return ItemsWithFormula(
        {qid: item for qid, item in items.items() if qid in listed or qid in holding}, len(unlisted)
    )


def _check_not_shrunk(
    holding: Collection[str],
    listed: Collection[str],
    expected: Collection[str],
    unlisted: Collection[str],
    *,
    first: bool,
    where: str,
) -> None:
    if not holding and (first or expected):
        raise LookupFailed("no_formula_found", todo="accept_drop")
    if len(unlisted) > MAX_UNLISTED_SHARE * len(holding):
        message = Message("error.unlisted", lacks=len(unlisted), all=len(holding), items=_item_list(unlisted))
        raise LookupFailed(message, where=where, todo="accept_listing")
    for name, group in (("known", expected), ("listed", listed)):
        lost = set(group) - set(holding)
        if len(lost) > max(MIN_LOST, MAX_LOST_SHARE * len(group)):
            message = Message(f"error.formulas_gone.{name}", gone=len(lost), all=len(group), items=_item_list(lost))
            raise LookupFailed(message, todo="accept_drop")


def check_any_exist(entities: Mapping[str, Json]) -> None:
    """Raise LookupFailed where the wiki knows none of several items that we wrote to: it is probably another wiki."""
    if len(entities) > 1 and all("missing" in entity for entity in entities.values()):
        raise LookupFailed(Message("error.none_on_wiki", items=len(entities)), todo="accept_drop")


def tables_with_fewer_rows(workspace: Workspace, *, accept_drop: bool, **counts: int) -> tuple[Message, ...]:
    """Keep how many rows the ledger's tables have; return which have fewer than at the last audit.

    Rows are only ever appended: fewer of them are an older copy of the database, or deleted ones.
    """
    last_counts: dict[str, int] = workspace.get("audited-ledger") or {}
    fewer = {name: n for name, n in counts.items() if n < last_counts.get(name, 0)}
    if not fewer or accept_drop:
        workspace.put("audited-ledger", counts)
        return ()
    return tuple(Message(f"fewer.{name}", before=last_counts[name], now=n) for name, n in fewer.items())


def _has_formula(item: Item, property_id: str) -> bool:
    return not (item.missing or item.redirect) and any(s.property == property_id and s.value for s in item.statements)


def _item_list(qids: Collection[str]) -> str:
    ordered = sorted(qids, key=item_number)
    return ", ".join(ordered[:_ITEMS_NAMED]) + (", …" if len(ordered) > _ITEMS_NAMED else "")
