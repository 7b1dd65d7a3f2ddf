"""Reading entities and values: wbgetentities, wbgetclaims, wbsearchentities, wbparsevalue, wbformatvalue."""

import html
import re
from collections.abc import Mapping

from bot.formula import mathml
from bot.sandbox import editing, entity_json, snaks
from bot.sandbox.call import Call, Json, action
from bot.sandbox.database import Row
from bot.sandbox.entity_json import Time
from bot.sandbox.messages import ApiError, missing_entity_error, named_error, plain
from bot.sandbox.snaks import entity_of, is_guid
from bot.wikibase import is_entity_id

_DATE = re.compile(r"([+-]?)(\d{4,})(?:-(\d\d))?(?:-(\d\d))?(?:T00:00:00Z)?")
_DEFAULT_PROPS = "info|sitelinks|aliases|labels|descriptions|claims|datatype"


@action("wbparsevalue")
def wbparsevalue(call: Call) -> Json:
    """Parse strings as values of a datatype; with `validate` each gets a verdict. Edges are trimmed here."""
    datatype = call.get("datatype") or call.get("parser") or _datatype_of_property(call)
    results, first = [], None
    for raw in call.list_value("values"):
        result, error = _parsed(call, datatype or "string", raw)
        results.append(result)
        first = first or error
    return {**({"error": first} if first else {}), "results": results}


@action("wbformatvalue")
def wbformatvalue(call: Call) -> Json:
    """Render one value as plain text, wikitext or HTML."""
    datavalue = editing.parse_json(call.get("datavalue"))
    if not isinstance(datavalue, dict) or "value" not in datavalue:
        raise named_error("unknown", name="wikibase-api-invalid-datavalue")
    datatype = call.get("datatype") or _datatype_of_property(call)
    generate = call.get("generate", "text/x-wiki")
    return {"result": _formatted(datavalue["value"], datatype, generate)}


def _parsed(call: Call, datatype: str, raw: str) -> tuple[Json, Json | None]:
    try:
        value = _value(datatype, raw)
    except ValueError:
        info = f"The value {raw!r} cannot be parsed as {datatype}."
        return {"raw": raw, "error": "ParseException"}, {"code": "wikibase-parse-error", "info": info}
    out: Json = {"raw": raw, "value": value, "type": snaks.VALUE_TYPES.get(datatype, "string")}
    if not call.flag("validate"):
        return out, None
    found = snaks.value_violation(datatype, value, call.site.repository.exists)
    if found is None:
        return {**out, "valid": call.true()}, None
    kind = found.name.removeprefix("wikibase-validator-")
    out |= {"error": "ValidationError", "messages": [found.as_json(call.version)], "validation-errors": [kind]}
    return out, {"code": found.name, "info": plain(found.text)}


def _value(datatype: str, raw: str) -> object:
    text = raw.strip()
    if datatype == "time":
        return _time(text)
    if datatype in ("wikibase-item", "wikibase-property", "wikibase-entityid"):
        return snaks.data_value("wikibase-entityid", {"id": text})["value"]
    if datatype == "quantity":
        return {"amount": f"{float(text):+g}", "unit": "1"}
    return text


def _time(text: str) -> Time:
    found = _DATE.fullmatch(text)
    if not found:
        raise ValueError(text)
    sign, year, month, day = found[1] or "+", found[2], found[3] or "00", found[4] or "00"
    precision = 9 + (month != "00") + (day != "00")
    return {
        "time": f"{sign}{year}-{month}-{day}T00:00:00Z",
        "timezone": 0,
        "before": 0,
        "after": 0,
        "precision": precision,
        "calendarmodel": snaks.GREGORIAN,
    }


def _formatted(value: object, datatype: str, generate: str) -> str:
    if datatype == "math" and isinstance(value, str):
        if generate == "text/plain":
            return value
        if generate == "text/x-wiki":
            return f"<math>{value}</math>"
        return formula_html(value)
    text = _plain(value)
    return html.escape(text) if generate.startswith("text/html") else text


def formula_html(tex: str) -> str:
    """Return a formula as MathML, or the wiki's error where it cannot be parsed."""
    if wrong := snaks.math_violation(tex):
        why = plain(str(wrong.parameters[0]))
        escaped = html.escape(tex, quote=False)
        return f'<strong class="error texerror">Failed to parse ({why}): {{\\displaystyle {escaped}}}</strong>\n'
    return mathml(tex, display=True, named=False)


def _plain(value: object) -> str:
    if isinstance(value, dict):
        return str(value.get("id") or value.get("time") or value.get("text") or value.get("amount") or value)
    return str(value)


def _datatype_of_property(call: Call) -> str:
    prop = call.get("property").upper()
    if not prop:
        raise ApiError("param-missing", 'Either "datatype" or "property" must be given.')
    found = call.site.repository.datatype(prop)
    if found is None:
        raise named_error("no-such-entity", prop)
    return found


@action("wbgetentities")
def wbgetentities(call: Call) -> Json:
    """Return entities by id or by sitelink; a missing one is an entry, a malformed id an error."""
    wanted = [entity for entity in call.list_value("ids") if entity]
    linked, missing = _by_sitelink(call)
    if not wanted and not linked and not missing:
        raise named_error("param-missing", name="wikibase-api-illegal-ids-or-sites-titles-selector")
    out: Json = {}
    for entity_id in (*wanted, *linked):
        if not is_entity_id(entity_id.upper()):
            raise named_error("no-such-entity", entity_id, id=entity_id)
        out[entity_id.upper()] = _entity(call, entity_id.upper())
    if missing:
        out["-1"] = missing
    return {"entities": out, "success": 1}


@action("wbgetclaims")
def wbgetclaims(call: Call) -> Json:
    """Return statements of one entity, narrowed by property, rank or identifier."""
    guid = call.get("claim")
    if guid and not is_guid(guid):
        raise named_error("invalid-guid")
    wanted = entity_of(guid) if guid else call.get("entity").upper()
    found, _ = call.site.repository.resolve(wanted) if is_entity_id(wanted) else (None, "")
    if found is None:
        raise named_error("no-such-entity", wanted)
    groups: dict[str, list[entity_json.StatementJson]] = {}
    for one in entity_json.statements(found.entity):
        prop = one["mainsnak"]["property"]
        if guid and one["id"].upper() != guid.upper():
            continue
        if call.get("property", prop).upper() == prop and call.get("rank", one["rank"]) == one["rank"]:
            groups.setdefault(prop, []).append(one)
    if guid and not groups:
        raise named_error("no-such-claim")
    return {"claims": groups}


@action("wbsearchentities")
def wbsearchentities(call: Call) -> Json:
    """Search by the beginning of a label or alias in one language (then mul), or by id."""
    text, limit, start = call.get("search"), call.number("limit", 7), call.number("continue")
    letter = "P" if call.get("type") == "property" else "Q"
    found: dict[str, Json] = {}
    if is_entity_id(text.upper()) and text.upper().startswith(letter) and call.site.repository.exists(text.upper()):
        found[text.upper()] = _search_result(call, text.upper(), None)
    for row in _matching(call, text, letter, start + limit + 1):
        if row["entity"] not in found:
            found[row["entity"]] = _search_result(call, row["entity"], row)
    hits = list(found.values())
    continuation = {"search-continue": start + limit} if len(hits) > start + limit else {}
    return {"searchinfo": {"search": text}, "search": hits[start : start + limit], **continuation, "success": 1}


def _entity(call: Call, entity: str) -> Json:
    follow = call.get("redirects", "yes") == "yes"
    found, source = call.site.repository.resolve(entity) if follow else (call.site.repository.get(entity), "")
    if found is None or found.redirect:
        return {"id": entity, "missing": call.true()}
    props = set(call.list_value("props", _DEFAULT_PROPS))
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
    languages = call.list_value("languages")
    for part in ("labels", "descriptions", "aliases"):
        if part in props:
            out[part] = _only_keys(content[part], languages)
    if "claims" in props:
        out["claims"] = content["claims"]
    if props & {"sitelinks", "sitelinks/urls"} and "sitelinks" in content:
        out["sitelinks"] = _only_keys(content["sitelinks"], call.list_value("sitefilter"))
    return out


def _only_keys(values: Mapping[str, object], keys: list[str]) -> Json:
    return {key: value for key, value in values.items() if not keys or key in keys}


def _by_sitelink(call: Call) -> tuple[list[str], Json]:
    """Return the ids of the items with the asked articles, and the last article that no item has."""
    sites, titles = call.list_value("sites"), call.list_value("titles")
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
    upper = folded + "\U0010ffff"
    return call.site.db.rows(sql, language, folded, upper, language, f"{letter}%", folded, limit * 4)


def _search_result(call: Call, entity: str, row: Row | None) -> Json:
    """Return a search result; `row` is the term that matched, None where the id did."""
    found, _ = call.site.repository.resolve(entity)
    title = call.site.db.namespaces.title(entity)
    page = call.site.db.page(title)
    if found is None or page is None:
        raise missing_entity_error(entity)
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
