"""Plain wiki pages (user pages, the stop page, an exclusion list): edit, parse, purge, and the actions of administrators."""

import html

from bot.sandbox.accounts import ACCOUNTS
from bot.sandbox.call import Call, Json, action
from bot.sandbox.database import Row
from bot.sandbox.messages import ApiError, edit_conflict_error


@action("edit")
def edit(call: Call) -> Json:
    """Save a page's wikitext; items and properties cannot be edited this way."""
    title, db = _title(call), call.site.db
    spaces = db.namespaces
    for number, name in ((spaces.item_number, spaces.items or "Item"), (spaces.numbers["Property"], "Property")):
        if spaces.number(title) == number and title != "Main Page":
            raise ApiError("wikibase-no-direct-editing", f"Direct editing is disabled in namespace {name}")
    with db.writing():
        latest = db.latest(title)
        if call.flag("createonly") and latest:
            raise ApiError("articleexists", "The article you tried to create has been created already.")
        if call.flag("nocreate") and not latest:
            raise ApiError("missingtitle", "The page you specified doesn't exist.")
        if latest and call.get("baserevid") and call.number("baserevid") != latest["id"]:
            raise edit_conflict_error()
        call.site.repository.check_permission(call.user, title)
        old = latest["text"] if latest else ""
        text = call.get("text") if call.flag("text") else f"{call.get('prependtext')}{old}{call.get('appendtext')}"
        out: Json = {"result": "Success", "title": call.site.displayed_title(title), "contentmodel": "wikitext"}
        if latest and text == old:
            return {"edit": {**out, "pageid": latest["page_id"], "nochange": call.true()}}
        number = db.save(title, text, call.editor(), call.get("summary")[:500])
        page = db.number("SELECT id FROM pages WHERE title = ?", title)
    if not latest:
        out["new"] = call.true()
    out |= {"pageid": page, "oldrevid": latest["id"] if latest else 0, "newrevid": number}
    return {"edit": {**out, "newtimestamp": db.now()}}


@action("parse")
def parse(call: Call) -> Json:
    """Return a page's text, and as HTML its source made safe: the rehearsal wiki has no wikitext parser."""
    title, text, page, number = call.get("title", "API"), call.get("text"), 0, 0
    if call.get("page") or call.get("pageid") or call.get("oldid"):
        row = _revision(call)
        title, text, page, number = row["title"], row["text"], row["page_id"], row["id"]
    page_html = f'<div class="mw-parser-output"><pre>{html.escape(text)}</pre></div>'
    out: Json = {"title": call.site.displayed_title(title), "pageid": page, "revid": number}
    texts = {"text": page_html, "wikitext": text}
    props = call.list_value("prop", "text|wikitext")
    out |= {name: value if call.version == 2 else {"*": value} for name, value in texts.items() if name in props}
    return {"parse": out}


@action("purge")
def purge(call: Call) -> Json:
    titles = [call.site.canonical_title(title) for title in call.list_value("titles")]
    number = call.site.db.namespaces.number
    return {"purge": [{"ns": number(t), "title": call.site.displayed_title(t), "purged": call.true()} for t in titles]}


@action("delete")
def delete(call: Call) -> Json:
    _require(call, "delete")
    title = _title(call)
    with call.site.db.writing():
        if call.site.db.page(title) is None:
            raise ApiError("missingtitle", "The page you specified doesn't exist.")
        call.site.db.delete(title, call.editor(), call.get("reason"))
    return {"delete": {"title": call.site.displayed_title(title), "reason": call.get("reason"), "logid": 1}}


@action("protect")
def protect(call: Call) -> Json:
    """Protect a page against everyone but administrators, or lift that (`edit=all`)."""
    _require(call, "protect")
    title, db = _title(call), call.site.db
    level = dict(part.split("=", 1) for part in call.list_value("protections")).get("edit", "all")
    with db.writing():
        db.execute("DELETE FROM protections WHERE title = ?", title)
        if level != "all":
            db.insert("protections", title=title, level=level)
        row = db.latest(title)
        if row:  # protection leaves a revision without a change behind
            comment = f'Protected "{title}": {call.get("reason")}'
            db.save(title, row["text"], call.editor(), comment, entity=row["entity"], redirect=row["redirect"])
        db.log("protect", "protect", title, call.editor(), call.get("reason"))
    return {
        "protect": {"title": call.site.displayed_title(title), "protections": [{"edit": level, "expiry": "infinite"}]}
    }


@action("block")
def block(call: Call) -> Json:
    _require(call, "block")
    call.site.repository.block(call.get("user"), call.get("reason"), call.user.name)
    return {"block": {"user": call.get("user"), "reason": call.get("reason"), "expiry": "infinite"}}


@action("unblock")
def unblock(call: Call) -> Json:
    _require(call, "block")
    call.site.repository.unblock(call.get("user"))
    return {"unblock": {"user": call.get("user"), "reason": call.get("reason")}}


@action("userrights")
def userrights(call: Call) -> Json:
    """Remove an account from groups, or add it to those again that it began with."""
    _require(call, "userrights")
    name, repository = call.get("user"), call.site.repository
    account = ACCOUNTS.get(name)
    if account is None:
        raise ApiError("nosuchuser", f'There is no user by the name "{name}". Check your spelling.')
    was = repository.removed_groups(name)
    now = (was | {g for g in call.list_value("remove") if g in account.groups}) - set(call.list_value("add"))
    repository.set_removed_groups(name, now)
    return {
        "userrights": {"user": name, "userid": account.id, "removed": sorted(now - was), "added": sorted(was - now)}
    }


def _title(call: Call) -> str:
    if call.get("pageid"):
        row = call.site.db.row("SELECT title FROM pages WHERE id = ?", call.number("pageid"))
        if row is None:
            raise ApiError("nosuchpageid", f"There is no page with ID {call.get('pageid')}.")
        return str(row["title"])
    return call.site.canonical_title(call.get("title"))


def _revision(call: Call) -> Row:
    if call.get("oldid"):
        sql = (
            "SELECT revisions.*, pages.title, pages.id AS page_id FROM revisions JOIN pages ON page = pages.id"
            " WHERE revisions.id = ?"
        )
        row = call.site.db.row(sql, call.number("oldid"))
        if row is None:
            raise ApiError("nosuchrevid", f"There is no revision with ID {call.get('oldid')}.")
        return row
    row = call.site.db.latest(call.site.canonical_title(call.get("page")) if call.get("page") else _title(call))
    if row is None:
        raise ApiError("missingtitle", "The page you specified doesn't exist.")
    return row


def _require(call: Call, right: str) -> None:
    if not call.user.has_right(right):
        info = "You don't have permission to do this: the action is for administrators."
        raise ApiError("permissiondenied", info)
