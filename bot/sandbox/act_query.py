"""action=query and action=paraminfo: pages and their revisions; the lists are in act_lists."""

from __future__ import annotations

from bot.sandbox import parameters, siteinfo
from bot.sandbox.act_lists import LISTS, chosen, page_of_rows
from bot.sandbox.act_session import tokens, userinfo
from bot.sandbox.call import Call, Json, action
from bot.sandbox.database import Row
from bot.sandbox.messages import ApiError

_META = {"tokens": tokens, "userinfo": userinfo, "wikibase": siteinfo.wikibase}


@action("paraminfo")
def paraminfo(call: Call) -> Json:
    """Describe modules; those that are not known are named in a warning."""
    described = []
    for path in call.several("modules"):
        module = parameters.known(path)
        if module:
            described.append(parameters.describe(module, call.site.server, call.user.may("apihighlimits")))
        else:
            call.warn_text("paraminfo", f'The module "{path}" does not exist.')
    return {"paraminfo": {"helpformat": "none", "modules": described}}


@action("query")
def query(call: Call) -> Json:
    """Answer every asked part of one query."""
    out: Json = {}
    more: Json = {}
    for meta in call.several("meta"):
        if meta == "siteinfo":
            out |= siteinfo.siteinfo(call)
        elif meta in _META:
            out[meta] = _META[meta](call)
    for name in call.several("list"):
        if name not in LISTS:
            raise ApiError("sandbox-no-such-module", f"The rehearsal wiki does not know list={name}.")
        out[name], found = LISTS[name](call)
        more |= found
    if call.get("titles") or call.get("pageids") or call.get("revids"):
        found_pages, found = _pages(call)
        out |= found_pages
        more |= found
    body: Json = {"continue": {**more, "continue": "||"}} if more else {"batchcomplete": call.true()}
    return {**body, "query": out}


def _pages(call: Call) -> tuple[Json, Json]:
    db = call.site.db
    out: Json = {}
    more: Json = {}
    canonical = {title: call.site.canonical(title) for title in call.several("titles")}
    shown = {given: call.site.displayed(title) for given, title in canonical.items()}
    normal = [{"from": given, "to": title} for given, title in shown.items() if given != title]
    if normal:
        out["normalized"] = normal
    titles = list(canonical.values())
    for number in call.several("pageids"):
        row = db.row("SELECT title FROM pages WHERE id = ?", int(number))
        titles += [row["title"]] if row else []
    for number in call.several("revids"):
        row = db.row("SELECT title FROM pages JOIN revisions ON page = pages.id WHERE revisions.id = ?", int(number))
        titles += [row["title"]] if row else []
    if call.flag("redirects"):
        titles, redirects = _followed(call, titles)
        if redirects:
            out["redirects"] = redirects
    pages: dict[str, Json] = {}
    for n, title in enumerate(dict.fromkeys(titles), 1):
        page, found = _page(call, title)
        pages[str(page.get("pageid", -n))] = page
        more |= found
    if call.flag("indexpageids"):
        out["pageids"] = list(pages)
    out["pages"] = list(pages.values()) if call.version == 2 else pages
    return out, more


def _followed(call: Call, titles: list[str]) -> tuple[list[str], list[Json]]:
    out: list[str] = []
    redirects: list[Json] = []
    for title in titles:
        row = call.site.db.page(title)
        target = call.site.db.namespaces.title(row["redirect"]) if row and row["redirect"] else ""
        if target:
            redirects.append({"from": title, "to": target})
        out.append(target or title)
    return out, redirects


def _page(call: Call, title: str) -> tuple[Json, Json]:
    latest, props = call.site.db.latest(title), call.several("prop")
    name = call.site.displayed(title)
    if latest is None:
        out: Json = {"ns": call.site.db.namespaces.number(title), "title": name, "missing": call.true()}
    else:
        out = {"pageid": latest["page_id"], "ns": latest["ns"], "title": name}
    more: Json = {}
    if latest and "revisions" in props:
        out["revisions"], more = _revisions(call, latest)
    if "info" in props:
        out |= _info(call, title, latest)
    return out, more


def _info(call: Call, title: str, latest: Row | None) -> Json:
    entity = (latest["entity"] if latest else "") or ""
    model = {"Q": "wikibase-item", "P": "wikibase-property"}.get(entity[:1], "wikitext")
    out: Json = {
        "contentmodel": model,
        "pagelanguage": "en",
        "pagelanguagehtmlcode": "en",
        "pagelanguagedir": "ltr",
    }
    if latest:
        out |= {"touched": latest["time"], "lastrevid": latest["id"], "length": len(latest["text"].encode())}
        if latest["redirect"]:
            out["redirect"] = call.true()
        elif not latest["parent"]:
            out["new"] = call.true()
    asked = call.several("inprop")
    if "protection" in asked:
        protected = call.site.db.rows("SELECT level FROM protections WHERE title = ?", title)
        out["protection"] = [{"type": "edit", "level": row["level"], "expiry": "infinity"} for row in protected]
        out["restrictiontypes"] = ["edit"] if model != "wikitext" else ["edit", "move"]
    if "url" in asked:
        url = call.site.page_url(title)
        out |= {"fullurl": url, "editurl": f"{url}?action=edit", "canonicalurl": url}
    return out


def _revisions(call: Call, latest: Row) -> tuple[list[Json], Json]:
    if call.get("revids"):
        found = (call.site.db.revision(int(number)) for number in call.several("revids"))
        return [_revision(call, row) for row in found if row and row["page"] == latest["page_id"]], {}
    several = any(call.get(f"rv{name}") for name in ("limit", "startid", "endid", "start", "end"))
    newer = call.get("rvdir") == "newer"
    first, last = ("rvstartid", "rvendid") if newer else ("rvendid", "rvstartid")
    conditions = {
        "id >= ?": call.number(first),
        "id <= ?": call.number(last),
        "user = ?": call.get("rvuser"),
        "user <> ?": call.get("rvexcludeuser"),
    }
    where: dict[str, list[object]] = {"page = ?": [latest["page_id"]]}
    where |= {condition: [value] for condition, value in conditions.items() if value}
    rows, more = page_of_rows(call, "revisions", "rv", where, 50 if several else 1)
    return [_revision(call, row) for row in rows], more if several else {}


def _revision(call: Call, row: Row) -> Json:
    text: str = row["text"]
    model = "wikibase-item" if text.startswith("{") else "wikitext"
    kind = "text/x-wiki" if model == "wikitext" else "application/json"
    content: Json = {"contentmodel": model, "contentformat": kind, **call.text(text, "content")}
    parts: dict[str, Json] = {
        "ids": {"revid": row["id"], "parentid": row["parent"]},
        "user": {"user": row["user"], **({} if row["userid"] else {"anon": call.true()})},
        "userid": {"userid": row["userid"]},
        "timestamp": {"timestamp": row["time"]},
        "size": {"size": len(text.encode())},
        "sha1": {"sha1": row["sha1"]},
        "flags": call.flags(minor=False),
        "comment": {"comment": row["comment"]},
        "tags": {"tags": []},
        "content": {"slots": {"main": content}} if call.get("rvslots") else content,
    }
    return chosen(parts, call.several("rvprop", "ids|timestamp|flags|comment|user"))
