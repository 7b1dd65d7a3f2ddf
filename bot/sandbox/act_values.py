"""Values without edits: wbparsevalue (the server's validation of a formula) and wbformatvalue."""

from __future__ import annotations

import html
import re

from bot.formula import mathml
from bot.sandbox import datavalues, editing, snaks
from bot.sandbox.call import Call, Json, action
from bot.sandbox.entity_json import Time
from bot.sandbox.messages import ApiError, plain, refusal

_DATE = re.compile(r"([+-]?)(\d{4,})(?:-(\d\d))?(?:-(\d\d))?(?:T00:00:00Z)?")


@action("wbparsevalue")
def wbparsevalue(call: Call) -> Json:
    """Parse strings as values of a datatype; with `validate` each gets a verdict. Edges are trimmed here."""
    datatype = call.get("datatype") or call.get("parser") or _of_property(call)
    results, first = [], None
    for raw in call.several("values"):
        result, error = _parsed(call, datatype or "string", raw)
        results.append(result)
        first = first or error
    return {**({"error": first} if first else {}), "results": results}


@action("wbformatvalue")
def wbformatvalue(call: Call) -> Json:
    """Render one value as plain text, wikitext or HTML."""
    given = editing.parse_json(call.get("datavalue"))
    if not isinstance(given, dict) or "value" not in given:
        raise refusal("unknown", name="wikibase-api-invalid-datavalue")
    datatype = call.get("datatype") or _of_property(call)
    generate = call.get("generate", "text/x-wiki")
    return {"result": _formatted(given["value"], datatype, generate)}


def _parsed(call: Call, datatype: str, raw: str) -> tuple[Json, Json | None]:
    try:
        value = _value(datatype, raw)
    except ValueError:
        info = f"The value {raw!r} cannot be parsed as {datatype}."
        return {"raw": raw, "error": "ParseException"}, {"code": "wikibase-parse-error", "info": info}
    out: Json = {"raw": raw, "value": value, "type": snaks.VALUE_TYPES.get(datatype, "string")}
    if not call.flag("validate"):
        return out, None
    found = datavalues.violation(datatype, value, call.site.repository.exists)
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
    shown = _plain(value)
    return html.escape(shown) if generate.startswith("text/html") else shown


def formula_html(tex: str) -> str:
    """Return a formula as MathML, or the wiki's error where it cannot be parsed."""
    wrong = datavalues.math_violation(tex)
    if wrong:
        why = plain(str(wrong.parameters[0]))
        shown = html.escape(tex, quote=False)
        return f'<strong class="error texerror">Failed to parse ({why}): {{\\displaystyle {shown}}}</strong>\n'
    return mathml(tex, display=True, named=False)


def _plain(value: object) -> str:
    if isinstance(value, dict):
        return str(value.get("id") or value.get("time") or value.get("text") or value.get("amount") or value)
    return str(value)


def _of_property(call: Call) -> str:
    prop = call.get("property").upper()
    if not prop:
        raise ApiError("param-missing", 'Either "datatype" or "property" must be given.')
    found = call.site.repository.datatype(prop)
    if found is None:
        raise refusal("no-such-entity", prop)
    return found
