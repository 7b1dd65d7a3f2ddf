"""Entity JSON to items, and the history of an entity's page."""

import json
from collections.abc import Sequence
from dataclasses import dataclass

from bot.errors import LookupFailed
from bot.lookup.endpoints import Api
from bot.records import Item, Reference, Statement
from bot.settings import Properties
from bot.wikibase import Json

MAX_REVISIONS = 5000  # chosen: an item that was edited more often since then is not searched


def to_item(qid: str, entity: Json, properties: Properties, languages: Sequence[str], more: Sequence[str] = ()) -> Item:
    """Return the Item that was asked for as `qid`; a merged one carries its target's content and `redirect`.

    Its statements are those of the formula, what qualifies it, and of the properties in `more`.
    Raises LookupFailed where the JSON has another shape than an entity's.
    """
    if "missing" in entity:
        return Item(qid, missing=True)
    try:
        return _item(qid, entity, properties, languages, more)
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise LookupFailed("entity_shape", qid=qid, why=repr(error)) from None


def statement_from(claim: Json) -> Statement:
    """Return one statement, whatever its property."""
    snak = claim["mainsnak"]
    return Statement(
        guid=claim.get("id", ""),
        property=snak["property"],
        value=snak_value(snak),
        rank=claim.get("rank", "normal"),
        references=tuple(_reference(r) for r in claim.get("references", ())),
        snaktype=snak["snaktype"],
        qualifiers=tuple((s["property"], snak_value(s)) for s in _snaks(claim, "qualifiers", "qualifiers-order")),
    )


def snak_value(snak: Json) -> str:
    """Return a snak's value as one string: TeX, QID, time, amount, text; "" where it has none."""
    if snak["snaktype"] != "value":
        return ""
    value = snak["datavalue"]["value"]
    if isinstance(value, str):
        return value
    for key in ("id", "time", "amount", "text"):
        if isinstance(value.get(key), str):
            return str(value[key])
    if "numeric-id" in value:
        return f"{'P' if value.get('entity-type') == 'property' else 'Q'}{value['numeric-id']}"
    return json.dumps(value, sort_keys=True)


def _item(qid: str, entity: Json, properties: Properties, languages: Sequence[str], more: Sequence[str]) -> Item:
    claims = _as_map(entity, "claims")
    property_ids = (properties.defining_formula, properties.in_defining_formula, properties.has_part, *more)
    found = str(entity["id"])
    return Item(
        qid=qid,
        label=_text(_as_map(entity, "labels"), languages),
        aliases=_aliases(_as_map(entity, "aliases"), languages),
        description=_text(_as_map(entity, "descriptions"), languages),
        classes=_values(claims, properties.instance_of),
        statements=tuple(statement_from(claim) for pid in dict.fromkeys(property_ids) for claim in claims.get(pid, ())),
        revision=int(entity.get("lastrevid", 0)),
        redirect=found if found != qid else "",
        sitelinks=tuple((site, link["title"]) for site, link in sorted(_as_map(entity, "sitelinks").items())),
        fields=_values(claims, properties.studied_by, properties.part_of, properties.facet_of),
    )


def _as_map(entity: Json, key: str) -> Json:
    """PHP writes an empty map as an empty list."""
    value = entity.get(key) or {}
    return dict(value)


def _text(texts: Json, languages: Sequence[str]) -> str:
    """The wanted language, then `mul`, then any (the first by code, so that every run says the same)."""
    for language in (*languages, "mul", *sorted(texts)):
        if language in texts:
            return str(texts[language]["value"])
    return ""


def _aliases(texts: Json, languages: Sequence[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(alias["value"] for language in (*languages, "mul") for alias in texts.get(language, ())))


def _values(claims: Json, *properties: str) -> tuple[str, ...]:
    """Return what an item says under these properties, each value once."""
    current = (claim for each in properties for claim in claims.get(each, ()) if claim.get("rank") != "deprecated")
    return tuple(dict.fromkeys(value for claim in current if (value := snak_value(claim["mainsnak"]))))


def _reference(reference: Json) -> Reference:
    snaks = _snaks(reference, "snaks", "snaks-order")
    return Reference(tuple((s["property"], _datatype(s), snak_value(s)) for s in snaks))


def _snaks(holder: Json, key: str, order: str) -> list[Json]:
    groups = _as_map(holder, key)
    return [snak for pid in holder.get(order, groups) for snak in groups[pid]]


def _datatype(snak: Json) -> str:
    return str(snak.get("datatype") or snak.get("datavalue", {}).get("type", ""))


@dataclass(frozen=True, slots=True)
class PageRevision:
    """One edit of a page; `revision` is 0 for a deletion."""

    revision: int
    user: str
    time: str
    comment: str = ""


def revisions_after(api: Api, title: str, after: int) -> list[PageRevision]:
    """Return the revisions of a page after one of them, oldest first; none where there is no such page. Raises LookupFailed."""
    parameters = {"action": "query", "titles": title, "prop": "revisions", "rvprop": "ids|user|timestamp|comment"}
    parameters |= {"rvdir": "newer", "rvstartid": str(after), "rvlimit": "500", "formatversion": "2"}
    found: list[PageRevision] = []
    continuation: dict[str, str] = {}
    while len(found) < MAX_REVISIONS:
        answer = api.ask(expect="query", **parameters, **continuation)
        found += (_revision(row) for page in answer["query"].get("pages", ()) for row in page.get("revisions", ()))
        if "continue" not in answer:
            return [each for each in found if each.revision > after]
        continuation = {name: str(value) for name, value in answer["continue"].items()}
    raise LookupFailed("many_revisions", title=title, most=MAX_REVISIONS)


def entity_as_of(api: Api, revision: int) -> Json:
    """Return the JSON of an entity as of a revision; of a redirect `{"entity", "redirect"}`. Raises LookupFailed."""
    parameters = {"revids": str(revision), "prop": "revisions", "rvprop": "ids|content", "rvslots": "main"}
    answer = api.ask(expect="query", action="query", formatversion="2", **parameters)
    for page in answer["query"].get("pages", ()):
        for row in page.get("revisions", ()):
            try:
                found = json.loads(row["slots"]["main"]["content"])
            except (KeyError, TypeError, ValueError):
                break  # hidden by an administrator, or no entity
            if isinstance(found, dict):
                return found
    raise LookupFailed("revision_hidden", revision=revision)


def last_deletion(api: Api, title: str) -> PageRevision | None:
    """Return who deleted a page last, None where the log does not say. Raises LookupFailed."""
    parameters = {"action": "query", "list": "logevents", "letype": "delete", "letitle": title, "formatversion": "2"}
    for row in api.ask(expect="query", **parameters)["query"].get("logevents", ()):
        if row.get("action") == "delete":
            return PageRevision(0, str(row.get("user", "")), str(row.get("timestamp", "")), str(row.get("comment", "")))
    return None


def _revision(row: Json) -> PageRevision:
    return PageRevision(
        int(row["revid"]), str(row.get("user", "")), str(row.get("timestamp", "")), str(row.get("comment", ""))
    )
