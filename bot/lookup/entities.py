"""Entity JSON to records: the one place that knows how Wikibase writes an item down."""

from __future__ import annotations

import json
from collections.abc import Sequence

from bot.errors import LookupFailed
from bot.records import Item, Reference, Statement
from bot.settings import Properties
from bot.wikibase import Json


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
        raise LookupFailed(f"the entity JSON of {qid} has an unknown shape ({error!r})") from None


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
    claims = _map(entity, "claims")
    wanted = (properties.defining_formula, properties.in_defining_formula, properties.has_part, *more)
    found = str(entity["id"])
    return Item(
        qid=qid,
        label=_text(_map(entity, "labels"), languages),
        aliases=_aliases(_map(entity, "aliases"), languages),
        description=_text(_map(entity, "descriptions"), languages),
        classes=_classes(claims.get(properties.instance_of, ())),
        statements=tuple(statement_from(claim) for pid in dict.fromkeys(wanted) for claim in claims.get(pid, ())),
        revision=int(entity.get("lastrevid", 0)),
        redirect=found if found != qid else "",
        sitelinks=tuple((site, link["title"]) for site, link in sorted(_map(entity, "sitelinks").items())),
    )


def _map(entity: Json, key: str) -> Json:
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


def _classes(claims: Sequence[Json]) -> tuple[str, ...]:
    values = (snak_value(c["mainsnak"]) for c in claims if c.get("rank") != "deprecated")
    return tuple(dict.fromkeys(v for v in values if v))


def _reference(reference: Json) -> Reference:
    snaks = _snaks(reference, "snaks", "snaks-order")
    return Reference(tuple((s["property"], _datatype(s), snak_value(s)) for s in snaks))


def _snaks(holder: Json, key: str, order: str) -> list[Json]:
    groups = _map(holder, key)
    return [snak for pid in holder.get(order, groups) for snak in groups[pid]]


def _datatype(snak: Json) -> str:
    return str(snak.get("datatype") or snak.get("datavalue", {}).get("type", ""))
