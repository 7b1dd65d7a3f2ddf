"""The description of the rehearsal wiki: meta=siteinfo and meta=wikibase, in both format versions."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TypedDict

from bot.sandbox.accounts import GROUPS
from bot.sandbox.call import Call, Json
from bot.sandbox.package_data import read
from bot.sandbox.snaks import VALUE_TYPES


class _Siteinfo(TypedDict):
    general: Json  # in format version 2
    extensions: list[Json]
    restrictions: Json
    ratelimits: dict[str, Json]  # for addresses; a user has the same


_SITEINFO: _Siteinfo = json.loads(read("siteinfo.json"))
RATE_LIMITS = _SITEINFO["ratelimits"]
_SUBPAGES = {1, 2, 3, 4, 5, 7, 8, 9, 10, 11, 12, 13, 15}


def siteinfo(call: Call) -> Json:
    """Answer meta=siteinfo for the asked properties."""
    known: dict[str, Callable[[Call], object]] = {
        "general": _general,
        "namespaces": _namespaces,
        "namespacealiases": lambda call: [
            {"id": 6, **call.text("Image", "alias")},
            {"id": 7, **call.text("Image talk", "alias")},
        ],
        "extensions": lambda _: _SITEINFO["extensions"],
        "statistics": lambda call: call.site.siteinfo_counts(),
        "restrictions": lambda _: _SITEINFO["restrictions"],
        "usergroups": lambda _: [{"name": name, "rights": rights} for name, rights in GROUPS.items()],
    }
    return {prop: known[prop](call) for prop in call.several("siprop", "general") if prop in known}


def wikibase(call: Call) -> Json:
    """Answer meta=wikibase."""
    url = {"base": call.site.server, "scriptpath": "/w", "articlepath": "/wiki/$1"}
    return {"repo": {"url": url}, "siteid": call.site.site_id}


def _general(call: Call) -> object:
    site = call.site
    general = {
        **_SITEINFO["general"],
        "base": site.page_url("Main Page"),
        "sitename": site.name,
        "logo": f"{site.server}/w/resources/assets/change-your-logo.svg",
        "server": site.server,
        "wikiid": site.site_id,
        "time": site.db.now(),
        "favicon": f"{site.server}/favicon.ico",
        "wikibase-propertytypes": {kind: {"valuetype": value} for kind, value in VALUE_TYPES.items()},
        "wikibase-conceptbaseuri": site.entity_prefix,
    }
    return general if call.version == 2 else {**_format_1(general), "variantarticlepath": False}


def _format_1(values: Json) -> Json:
    """Return an object in format version 1: false is left out, true is an empty text, numbered objects are lists."""
    out: Json = {}
    for key, value in values.items():
        if isinstance(value, dict):
            inner = _format_1(value)
            out[key] = list(inner.values()) if all(name.isdigit() for name in inner) else inner
        elif value is not False:
            out[key] = "" if value is True else value
    return out


def _namespaces(call: Call) -> Json:
    spaces = call.site.db.namespaces
    local = {4: call.site.name, 5: f"{call.site.name} talk"} | ({} if spaces.items else {0: "Item", 1: "Item talk"})
    canonical = {0: "", **{number: name for name, number in spaces.numbers.items()}}
    models = {spaces.item_number: "wikibase-item", spaces.numbers["Property"]: "wikibase-property"}
    out: Json = {}
    for number, name in sorted(canonical.items()):
        one: Json = {"id": number, "case": "first-letter", **call.text(local.get(number, name), "name")}
        if name:
            one["canonical"] = name
        one |= call.flags(subpages=number in _SUBPAGES, content=number == 0, nonincludable=False)
        if number in models:
            one["defaultcontentmodel"] = models[number]
        if number == 8:
            one["namespaceprotection"] = "editinterface"
        out[str(number)] = one
    return out
