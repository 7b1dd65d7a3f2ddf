"""action=query and action=paraminfo: pages, their revisions and their standing; meta and lists are asked next door."""

from __future__ import annotations

from typing import Any

from bot.sandbox import parameters, siteinfo
from bot.sandbox.act_lists import LISTS
from bot.sandbox.act_session import tokens, userinfo
from bot.sandbox.call import Call, action
from bot.sandbox.messages import ApiError
from bot.sandbox.titles import shown

Json = dict[str, Any]
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
    body: Json = {"continue": {**more, "continue": "||"}} if more else {"batchcomplete": call.yes(True)}
    return {**body, "query": out}


def _pages(call: Call) -> tuple[Json, Json]:
    db = call.site.db
    out: Json = {}
    more: Json = {}
    titles = [call.site.canonical(title) for title in call.several("titles")]
    given = call.several("titles")
    normal = [{"from": g, "to": shown(call.site.name, t)} for g, t in zip(given, titles, strict=True)]
    normal = [pair for pair in normal if pair["from"] != pair["to"]]
    if normal:
        out["normalized"] = normal
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
    latest = call.site.db.latest(title)
    name = shown(call.site.name, title)
    if latest is None:
        out: Json = {"ns": call.site.db.namespaces.number(title), "title": name, "missing": call.yes(True)}
        return {**out, **(_info(call, title, None) if "info" in call.several("prop") else {})}, {}
    out = {"pageid": latest["page_id"], "ns": latest["ns"], "title": name}
    more: Json = {}
    if "revisions" in call.several("prop"):
        out["revisions"], more = _revisions(call, latest)
    if "info" in call.several("prop"):
        out |= _info(call, title, latest)
    return out, more


def _info(call: Call, title: str, latest: Json | None) -> Json:
    entity = latest["entity"] if latest else ""
    model = {"Q": "wikibase-item", "P": "wikibase-property"}.get((entity or "")[:1], "wikitext")
    out: Json = {
        "contentmodel": model,
        "pagelanguage": "en",
        "pagelanguagehtmlcode": "en",
        "pagelanguagedir": "ltr",
    }
    if latest:
        out |= {"touched": latest["time"], "lastrevid": latest["id"], "length": len(latest["text"].encode())}
        if latest["redirect"]:
            out["redirect"] = call.yes(True)
        elif not latest["parent"]:
            out["new"] = call.yes(True)
    asked = call.several("inprop")
    if "protection" in asked:
        level = call.site.db.row("SELECT level FROM protections WHERE title = ?", title)
        rule = {"type": "edit", "level": level["level"], "expiry": "infinity"} if level else {}
        out["protection"] = [rule] if rule else []
        out["restrictiontypes"] = ["edit"] if model != "wikitext" else ["edit", "move"]
    if "url" in asked:
        url = call.site.page_url(title)
        out |= {"fullurl": url, "editurl": f"{url}?action=edit", "canonicalurl": url}
    return out


def _revisions(call: Call, latest: Json) -> tuple[list[Json], Json]:
    limit = call.get("rvlimit")
    several = bool(limit or call.get("rvstartid") or call.get("rvendid") or call.get("rvstart") or call.get("rvend"))
    if call.get("revids"):
        wanted = [int(n) for n in call.several("revids")]
        rows = [row for n in wanted if (row := call.site.db.revision(n)) and row["page"] == latest["page_id"]]
        return [_revision(call, row) for row in rows], {}
    count = 500 if limit == "max" else int(limit or (50 if several else 1))
    newer = call.get("rvdir") == "newer"
    first, last = ("rvendid", "rvstartid") if not newer else ("rvstartid", "rvendid")
    low, high = call.number(first), call.number(last, 1 << 60)
    early, late = (call.get("rvend"), call.get("rvstart")) if not newer else (call.get("rvstart"), call.get("rvend"))
    if call.get("rvcontinue"):
        edge = int(call.get("rvcontinue").rpartition("|")[2])
        low, high = (edge, high) if newer else (low, edge)
    order = "ASC" if newer else "DESC"
    sql = (
        "SELECT * FROM revisions WHERE page = ? AND id BETWEEN ? AND ? AND time >= ? AND time <= ?"
        f" AND (? = '' OR user = ?) AND user <> ? ORDER BY id {order} LIMIT ?"
    )
    who = call.get("rvuser")
    values = (low, high, early, late or "9", who, who, call.get("rvexcludeuser"))
    rows = call.site.db.rows(sql, latest["page_id"], *values, count + 1)
    more = {"rvcontinue": f"{rows[count]['time']}|{rows[count]['id']}"} if several and len(rows) > count else {}
    return [_revision(call, row) for row in rows[:count]], more


def _revision(call: Call, row: Json) -> Json:
    asked = set(call.several("rvprop", "ids|timestamp|flags|comment|user"))
    out: Json = {}
    if "ids" in asked:
        out |= {"revid": row["id"], "parentid": row["parent"]}
    if "user" in asked:
        out |= {"user": row["user"], **({"anon": call.yes(True)} if not row["userid"] else {})}
    if "userid" in asked:
        out["userid"] = row["userid"]
    if "timestamp" in asked:
        out["timestamp"] = row["time"]
    if "size" in asked:
        out["size"] = len(row["text"].encode())
    if "sha1" in asked:
        out["sha1"] = row["sha1"]
    if "flags" in asked and call.version == 2:
        out["minor"] = False
    if "comment" in asked:
        out["comment"] = row["comment"]
    if "tags" in asked:
        out["tags"] = []
    if "content" in asked:
        model = "wikitext" if not row["text"].startswith("{") else "wikibase-item"
        key = "content" if call.version == 2 else "*"
        kind = "text/x-wiki" if model == "wikitext" else "application/json"
        content = {"contentmodel": model, "contentformat": kind, key: row["text"]}
        out |= {"slots": {"main": content}} if call.get("rvslots") else content
    return out
