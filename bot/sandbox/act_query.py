"""What a client asks first and between: siteinfo, tokens, login and logout, paraminfo, query."""

from collections.abc import Callable
from typing import TypedDict

from bot.sandbox import parameters
from bot.sandbox.accounts import GROUPS, User, check_login
from bot.sandbox.act_lists import LISTS, named_columns, page_of_rows, requested_parts
from bot.sandbox.call import Call, Json, action
from bot.sandbox.database import Row
from bot.sandbox.messages import ApiError
from bot.sandbox.package_data import load_data
from bot.sandbox.snaks import VALUE_TYPES

_SUBPAGES = {1, 2, 3, 4, 5, 7, 8, 9, 10, 11, 12, 13, 15}


class _Siteinfo(TypedDict):
    general: Json  # in format version 2
    extensions: list[Json]
    restrictions: Json
    ratelimits: dict[str, Json]  # for addresses; a user has the same


_SITEINFO: _Siteinfo = load_data("siteinfo")
RATE_LIMITS = _SITEINFO["ratelimits"]


def siteinfo(call: Call) -> Json:
    """Answer meta=siteinfo for the asked properties."""
    answers: dict[str, Callable[[Call], object]] = {
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
    return {prop: answers[prop](call) for prop in call.list_value("siprop", "general") if prop in answers}


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
    return general if call.version == 2 else {**_in_format_version_1(general), "variantarticlepath": False}


def _in_format_version_1(values: Json) -> Json:
    """Return an object in format version 1: false is left out, true is an empty text, numbered objects are lists."""
    out: Json = {}
    for key, value in values.items():
        if isinstance(value, dict):
            inner = _in_format_version_1(value)
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


@action("login")
def login(call: Call) -> Json:
    """Log in with a bot password (or a main account's); a wrong token is a session that timed out."""
    call.session.persistent = True
    token = call.get("lgtoken")
    if not token:
        return {"login": {"result": "NeedToken", "token": call.session.token("login")}}
    if token != call.session.token("login"):
        return _login_failure("Unable to continue login. Your session most likely timed out.")
    user = check_login(call.get("lgname"), call.get("lgpassword"))
    if user is None:
        return _login_failure("Incorrect username or password entered. Please try again.")
    call.session.user = user
    if "@" in call.get("lgname"):
        call.cookies["wikidb_BPsession"] = call.session.id
    return {"login": {"result": "Success", "lguserid": user.id, "lgusername": user.name}}


@action("logout")
def logout(call: Call) -> Json:
    call.session.user = User()
    call.site.end_session(call.session)
    call.cookies["wikidb_BPsession"] = None
    return {}


def tokens(call: Call) -> Json:
    """Answer meta=tokens."""
    return {f"{kind}token": call.session.token(kind) for kind in call.list_value("type", "csrf")}


def userinfo(call: Call) -> Json:
    """Answer meta=userinfo."""
    user = call.user
    out: Json = {"id": user.id, "name": user.name}
    if user.anonymous:
        out["anon"] = call.true()
    for prop in call.list_value("uiprop"):
        if prop == "groups":
            out["groups"] = list(user.groups)
        elif prop == "rights":
            out["rights"] = list(user.rights)
        elif prop == "hasmsg":
            out |= call.flags(messages=False)
        elif prop == "editcount":
            out["editcount"] = call.site.db.number("SELECT count(*) FROM revisions WHERE user = ?", user.name)
        elif prop == "ratelimits":
            kind, limits = "ip" if user.anonymous else "user", {} if user.has_right("noratelimit") else RATE_LIMITS
            out["ratelimits"] = {name: {kind: limit} for name, limit in limits.items()}
        elif prop == "blockinfo":
            out |= _block(call, user)
    return out


def _block(call: Call, user: User) -> Json:
    block = call.site.db.row("SELECT * FROM blocks WHERE user = ?", user.name)
    if block is None:
        return {}
    names = "blockid=id blockedby=by blockreason=reason blockedtimestamp=time"
    return {**named_columns(block, names), "blockedbyid": 1, "blockexpiry": "infinite"}


def _login_failure(reason: str) -> Json:
    return {"login": {"result": "Failed", "reason": reason}}


_META = {"tokens": tokens, "userinfo": userinfo, "wikibase": wikibase}


@action("paraminfo")
def paraminfo(call: Call) -> Json:
    """Describe modules; those that are not known are named in a warning."""
    described = []
    for path in call.list_value("modules"):
        if module := parameters.find_module(path):
            described.append(parameters.describe(module, call.site.server, call.user.has_right("apihighlimits")))
        else:
            call.warn_text("paraminfo", f'The module "{path}" does not exist.')
    return {"paraminfo": {"helpformat": "none", "modules": described}}


@action("query")
def query(call: Call) -> Json:
    """Answer every asked part of one query."""
    out: Json = {}
    continuation: Json = {}
    for meta in call.list_value("meta"):
        if meta == "siteinfo":
            out |= siteinfo(call)
        elif meta in _META:
            out[meta] = _META[meta](call)
    for name in call.list_value("list"):
        if name not in LISTS:
            raise ApiError("sandbox-no-such-module", f"The rehearsal wiki does not know list={name}.")
        out[name], found = LISTS[name](call)
        continuation |= found
    if call.get("titles") or call.get("pageids") or call.get("revids"):
        found_pages, found = _pages(call)
        out |= found_pages
        continuation |= found
    body: Json = {"continue": {**continuation, "continue": "||"}} if continuation else {"batchcomplete": call.true()}
    return {**body, "query": out}


def _pages(call: Call) -> tuple[Json, Json]:
    db = call.site.db
    out: Json = {}
    continuation: Json = {}
    canonical = {title: call.site.canonical_title(title) for title in call.list_value("titles")}
    displayed = {requested: call.site.displayed_title(title) for requested, title in canonical.items()}
    normal = [{"from": requested, "to": title} for requested, title in displayed.items() if requested != title]
    if normal:
        out["normalized"] = normal
    titles = list(canonical.values())
    for number in call.list_value("pageids"):
        row = db.row("SELECT title FROM pages WHERE id = ?", int(number))
        titles += [row["title"]] if row else []
    for number in call.list_value("revids"):
        row = db.row("SELECT title FROM pages JOIN revisions ON page = pages.id WHERE revisions.id = ?", int(number))
        titles += [row["title"]] if row else []
    if call.flag("redirects"):
        titles, redirects = _resolve_redirects(call, titles)
        if redirects:
            out["redirects"] = redirects
    pages: dict[str, Json] = {}
    for n, title in enumerate(dict.fromkeys(titles), 1):
        page, found = _page(call, title)
        pages[str(page.get("pageid", -n))] = page
        continuation |= found
    if call.flag("indexpageids"):
        out["pageids"] = list(pages)
    out["pages"] = list(pages.values()) if call.version == 2 else pages
    return out, continuation


def _resolve_redirects(call: Call, titles: list[str]) -> tuple[list[str], list[Json]]:
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
    latest, props = call.site.db.latest(title), call.list_value("prop")
    name = call.site.displayed_title(title)
    if latest is None:
        out: Json = {"ns": call.site.db.namespaces.number(title), "title": name, "missing": call.true()}
    else:
        out = {"pageid": latest["page_id"], "ns": latest["ns"], "title": name}
    continuation: Json = {}
    if latest and "revisions" in props:
        out["revisions"], continuation = _revisions(call, latest)
    if "info" in props:
        out |= _info(call, title, latest)
    return out, continuation


def _info(call: Call, title: str, latest: Row | None) -> Json:
    entity = (latest["entity"] if latest else "") or ""
    model = {"Q": "wikibase-item", "P": "wikibase-property"}.get(entity[:1], "wikitext")
    out: Json = {"contentmodel": model, "pagelanguage": "en", "pagelanguagehtmlcode": "en", "pagelanguagedir": "ltr"}
    if latest:
        out |= {"touched": latest["time"], "lastrevid": latest["id"], "length": len(latest["text"].encode())}
        if latest["redirect"]:
            out["redirect"] = call.true()
        elif not latest["parent"]:
            out["new"] = call.true()
    requested = call.list_value("inprop")
    if "protection" in requested:
        protected = call.site.db.rows("SELECT level FROM protections WHERE title = ?", title)
        out["protection"] = [{"type": "edit", "level": row["level"], "expiry": "infinity"} for row in protected]
        out["restrictiontypes"] = ["edit"] if model != "wikitext" else ["edit", "move"]
    if "url" in requested:
        url = call.site.page_url(title)
        out |= {"fullurl": url, "editurl": f"{url}?action=edit", "canonicalurl": url}
    return out


def _revisions(call: Call, latest: Row) -> tuple[list[Json], Json]:
    if call.get("revids"):
        found = (call.site.db.revision(int(number)) for number in call.list_value("revids"))
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
    rows, continuation = page_of_rows(call, "revisions", "rv", where, 50 if several else 1)
    return [_revision(call, row) for row in rows], continuation if several else {}


def _revision(call: Call, row: Row) -> Json:
    text: str = row["text"]
    model = "wikibase-item" if text.startswith("{") else "wikitext"
    kind = "text/x-wiki" if model == "wikitext" else "application/json"
    content: Json = {"contentmodel": model, "contentformat": kind, **call.text(text, "content")}
    parts: dict[str, Json] = {
        "ids": named_columns(row, "revid=id parentid=parent"),
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
    return requested_parts(parts, call.list_value("rvprop", "ids|timestamp|flags|comment|user"))
