"""Reading entities: wbgetentities, wbgetclaims, wbsearchentities."""

from __future__ import annotations

from typing import Any

from bot.sandbox import entity_json
from bot.sandbox.call import Call, action
from bot.sandbox.messages import ApiError, ApiMessage, no_such_claim, refusal
from bot.sandbox.snaks import entity_of, is_guid

Json = dict[str, Any]
_DEFAULT_PROPS = "info|sitelinks|aliases|labels|descriptions|claims|datatype"


@action("wbgetentities")
def wbgetentities(call: Call) -> Json:
    """Return entities by id or by sitelink; a missing one is an entry, a malformed id an error."""
    wanted = [entity for entity in call.several("ids") if entity]
    wanted += _by_sitelink(call)
    if not wanted:
        said = 'Either provide the Item "ids" or pairs of "sites" and "titles" for corresponding page'
        raise refusal("param-missing", "wikibase-api-illegal-ids-or-sites-titles-selector", said)
    out: Json = {}
    for given in wanted:
        if isinstance(given, dict):
            out["-1"] = given
        elif not entity_json.is_id(given.upper()):
            said = f'Could not find an entity with the ID "{given}".'
            raise refusal("no-such-entity", "wikibase-api-no-such-entity", said, given, id=given)
        else:
            out[given.upper()] = _entity(call, given.upper())
    return {"entities": out, "success": 1}


@action("wbgetclaims")
def wbgetclaims(call: Call) -> Json:
    """Return statements of one entity, narrowed by property, rank or identifier."""
    guid = call.get("claim")
    if guid and not is_guid(guid):
        raise refusal("invalid-guid", "wikibase-api-invalid-guid", "Invalid claim GUID.")
    wanted = entity_of(guid) if guid else call.get("entity").upper()
    found, _ = call.site.repository.resolve(wanted) if entity_json.is_id(wanted) else (None, "")
    if found is None:
        said = f'Could not find an entity with the ID "{wanted}".'
        raise refusal("no-such-entity", "wikibase-api-no-such-entity", said, wanted)
    groups: Json = {}
    for one in entity_json.statements(found.entity):
        prop = one["mainsnak"]["property"]
        if guid and one["id"].upper() != guid.upper():
            continue
        if call.get("property", prop).upper() == prop and call.get("rank", one["rank"]) == one["rank"]:
            groups.setdefault(prop, []).append(one)
    if guid and not groups:
        raise no_such_claim()
    return {"claims": groups}


@action("wbsearchentities")
def wbsearchentities(call: Call) -> Json:
    """Search by the beginning of a label or alias in one language (then mul), or by id."""
    text, language = call.get("search"), call.get("language")
    kind, limit, start = call.get("type", "item"), call.number("limit", 7), call.number("continue")
    found = (
        [_by_id(call, text)] if entity_json.is_id(text.upper()) and call.site.repository.exists(text.upper()) else []
    )
    letter = "P" if kind == "property" else "Q"
    found = [hit for hit in found if hit["id"].startswith(letter)]
    seen = {hit["id"] for hit in found}
    for row in _matching(call, text, letter, start + limit + 1):
        if row["entity"] not in seen:
            seen.add(row["entity"])
            found.append(_hit(call, row["entity"], language, row))
    out: Json = {"searchinfo": {"search": text}, "search": found[start : start + limit]}
    if len(found) > start + limit:
        out["search-continue"] = start + limit
    return {**out, "success": 1}


def _entity(call: Call, entity: str) -> Json:
    follow = call.get("redirects", "yes") == "yes"
    found, source = call.site.repository.resolve(entity) if follow else (call.site.repository.get(entity), "")
    if found is None or found.redirect:
        return {"id": entity, "missing": call.yes(True)}
    props = set(call.several("props", _DEFAULT_PROPS))
    content, name = found.entity, found.entity["id"]
    out: Json = {}
    if "info" in props:
        title = call.site.db.namespaces.title(name)
        out = {"pageid": found.page, "ns": call.site.db.namespaces.number(title), "title": title}
        out |= {"lastrevid": found.revision, "modified": found.time}
    if source:
        out["redirects"] = {"from": source, "to": name}
    out["type"] = content["type"]
    if "datatype" in content and ("datatype" in props or "info" in props):
        out["datatype"] = content["datatype"]
    out["id"] = name
    languages = call.several("languages")
    for part in ("labels", "descriptions", "aliases"):
        if part in props:
            out[part] = {k: v for k, v in content[part].items() if not languages or k in languages}
    if "claims" in props:
        out["claims"] = content["claims"]
    if props & {"sitelinks", "sitelinks/urls"} and "sitelinks" in content:
        wanted = call.several("sitefilter")
        out["sitelinks"] = {k: v for k, v in content["sitelinks"].items() if not wanted or k in wanted}
    return out


def _by_sitelink(call: Call) -> list[Any]:
    sites, titles = call.several("sites"), call.several("titles")
    pairs = [(site, title) for site in sites for title in titles] if len(sites) == 1 or len(titles) == 1 else []
    pairs = pairs or list(zip(sites, titles, strict=False))
    out: list[Any] = []
    for site, title in pairs:
        sql = "SELECT entity FROM terms WHERE kind = ? AND text = ?"
        row = call.site.db.row(sql, f"sitelink:{site}", title)
        out.append(row["entity"] if row else {"site": site, "title": title, "missing": call.yes(True)})
    return out


def _matching(call: Call, text: str, letter: str, limit: int) -> list[Json]:
    folded, language = text.casefold().strip(), call.get("language")
    if not folded:
        return []
    sql = (
        "SELECT *, (language <> ?) AS fallback, (kind <> 'label') AS other FROM terms"
        " WHERE folded >= ? AND folded < ? AND language IN (?, 'mul') AND entity LIKE ? AND kind IN ('label', 'alias')"
        " ORDER BY folded <> ?, other, fallback, length(folded), CAST(substr(entity, 2) AS INTEGER) LIMIT ?"
    )
    above = folded + "\U0010ffff"
    return call.site.db.rows(sql, language, folded, above, language, f"{letter}%", folded, limit * 4)


def _by_id(call: Call, text: str) -> Json:
    return _hit(call, text.upper(), call.get("language"), None)


def _hit(call: Call, entity: str, language: str, row: Json | None) -> Json:
    found, _ = call.site.repository.resolve(entity)
    page = call.site.db.page(call.site.db.namespaces.title(entity))
    if found is None or page is None:
        raise ApiError("no-such-entity", entity, (ApiMessage("no-such-entity", (entity,)),))
    content, title = found.entity, call.site.db.namespaces.title(entity)
    out: Json = {"id": entity, "title": title, "pageid": page["id"]}
    if "datatype" in content:
        out["datatype"] = content["datatype"]
    out |= {"concepturi": call.site.entity_prefix + entity, "repository": "local", "url": call.site.page_url(title)}
    shown: Json = {}
    for name, part in (("label", "labels"), ("description", "descriptions")):
        term = next((content[part][key] for key in (language, "mul", "en") if key in content[part]), None)
        if term:
            shown[name] = {"value": term["value"], "language": term["language"]}
    out |= {"display": shown, **{name: term["value"] for name, term in shown.items()}}
    if row is None:
        return {**out, "match": {"type": "entityId", "text": entity}, "aliases": [entity]}
    out["match"] = {"type": row["kind"], "language": row["language"], "text": row["text"]}
    return {**out, "aliases": [row["text"]]} if row["kind"] == "alias" else out
