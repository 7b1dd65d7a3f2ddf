"""Reading entities: wbgetentities, wbgetclaims, wbsearchentities."""

from __future__ import annotations

from collections.abc import Mapping

from bot.sandbox import entity_json
from bot.sandbox.call import Call, Json, action
from bot.sandbox.database import Row
from bot.sandbox.messages import refusal, unwritable
from bot.sandbox.snaks import entity_of, is_guid
from bot.wikibase import is_entity_id

_DEFAULT_PROPS = "info|sitelinks|aliases|labels|descriptions|claims|datatype"


@action("wbgetentities")
def wbgetentities(call: Call) -> Json:
    """Return entities by id or by sitelink; a missing one is an entry, a malformed id an error."""
    wanted = [entity for entity in call.several("ids") if entity]
    linked, missing = _by_sitelink(call)
    if not wanted and not linked and not missing:
        raise refusal("param-missing", name="wikibase-api-illegal-ids-or-sites-titles-selector")
    out: Json = {}
    for given in (*wanted, *linked):
        if not is_entity_id(given.upper()):
            raise refusal("no-such-entity", given, id=given)
        out[given.upper()] = _entity(call, given.upper())
    if missing:
        out["-1"] = missing
    return {"entities": out, "success": 1}


@action("wbgetclaims")
def wbgetclaims(call: Call) -> Json:
    """Return statements of one entity, narrowed by property, rank or identifier."""
    guid = call.get("claim")
    if guid and not is_guid(guid):
        raise refusal("invalid-guid")
    wanted = entity_of(guid) if guid else call.get("entity").upper()
    found, _ = call.site.repository.resolve(wanted) if is_entity_id(wanted) else (None, "")
    if found is None:
        raise refusal("no-such-entity", wanted)
    groups: dict[str, list[entity_json.StatementJson]] = {}
    for one in entity_json.statements(found.entity):
        prop = one["mainsnak"]["property"]
        if guid and one["id"].upper() != guid.upper():
            continue
        if call.get("property", prop).upper() == prop and call.get("rank", one["rank"]) == one["rank"]:
            groups.setdefault(prop, []).append(one)
    if guid and not groups:
        raise refusal("no-such-claim")
    return {"claims": groups}


@action("wbsearchentities")
def wbsearchentities(call: Call) -> Json:
    """Search by the beginning of a label or alias in one language (then mul), or by id."""
    text, limit, start = call.get("search"), call.number("limit", 7), call.number("continue")
    letter = "P" if call.get("type") == "property" else "Q"
    found: dict[str, Json] = {}
    if is_entity_id(text.upper()) and text.upper().startswith(letter) and call.site.repository.exists(text.upper()):
        found[text.upper()] = _hit(call, text.upper(), None)
    for row in _matching(call, text, letter, start + limit + 1):
        if row["entity"] not in found:
            found[row["entity"]] = _hit(call, row["entity"], row)
    hits = list(found.values())
    more = {"search-continue": start + limit} if len(hits) > start + limit else {}
    return {"searchinfo": {"search": text}, "search": hits[start : start + limit], **more, "success": 1}


def _entity(call: Call, entity: str) -> Json:
    follow = call.get("redirects", "yes") == "yes"
    found, source = call.site.repository.resolve(entity) if follow else (call.site.repository.get(entity), "")
    if found is None or found.redirect:
        return {"id": entity, "missing": call.true()}
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
            out[part] = _narrowed(content[part], languages)
    if "claims" in props:
        out["claims"] = content["claims"]
    if props & {"sitelinks", "sitelinks/urls"} and "sitelinks" in content:
        out["sitelinks"] = _narrowed(content["sitelinks"], call.several("sitefilter"))
    return out


def _narrowed(values: Mapping[str, object], keys: list[str]) -> Json:
    return {key: value for key, value in values.items() if not keys or key in keys}


def _by_sitelink(call: Call) -> tuple[list[str], Json]:
    """Return the ids of the items with the asked articles, and the last article that no item has."""
    sites, titles = call.several("sites"), call.several("titles")
    pairs = [(site, title) for site in sites for title in titles] if len(sites) == 1 or len(titles) == 1 else []
    found: list[str] = []
    missing: Json = {}
    for site, title in pairs or zip(sites, titles, strict=False):
        row = call.site.db.row("SELECT entity FROM terms WHERE kind = ? AND text = ?", f"sitelink:{site}", title)
        if row:
            found.append(row["entity"])
        else:
            missing = {"site": site, "title": title, "missing": call.true()}
    return found, missing


def _matching(call: Call, text: str, letter: str, limit: int) -> list[Row]:
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


def _hit(call: Call, entity: str, row: Row | None) -> Json:
    """Return a search result; `row` is the term that matched, None where the id did."""
    found, _ = call.site.repository.resolve(entity)
    title = call.site.db.namespaces.title(entity)
    page = call.site.db.page(title)
    if found is None or page is None:
        raise unwritable(entity)
    content = found.entity
    out: Json = {"id": entity, "title": title, "pageid": page["id"]}
    if "datatype" in content:
        out["datatype"] = content["datatype"]
    out |= {"concepturi": call.site.entity_prefix + entity, "repository": "local", "url": call.site.page_url(title)}
    display: Json = {}
    out["display"] = display
    for name, terms in (("label", content["labels"]), ("description", content["descriptions"])):
        term = next((terms[key] for key in (call.get("language"), "mul", "en") if key in terms), None)
        if term:
            display[name] = {"value": term["value"], "language": term["language"]}
            out[name] = term["value"]
    if row is None:
        return {**out, "match": {"type": "entityId", "text": entity}, "aliases": [entity]}
    out["match"] = {"type": row["kind"], "language": row["language"], "text": row["text"]}
    return {**out, "aliases": [row["text"]]} if row["kind"] == "alias" else out
