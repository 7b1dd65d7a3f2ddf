"""The lists of action=query: recent changes, log, contributions, blocks, users; newest first unless asked otherwise."""

from collections.abc import Callable, Sequence

from bot.sandbox.accounts import ACCOUNTS, user_of_account
from bot.sandbox.call import Call, Json
from bot.sandbox.database import Row

ListPage = tuple[list[Json], Json]  # the entries, and where to go on


def _recentchanges(call: Call) -> ListPage:
    shows = call.list_value("rcshow")
    where = _equal(call, {"title": "rctitle", "user": "rcuser"})
    where |= _among("type", call.list_value("rctype") or ["edit", "new", "log"])
    if "bot" in shows or "!bot" in shows:
        where |= _among("bot", ["bot" in shows])
    rows, continuation = page_of_rows(call, "changes", "rc", where)
    return [_change(call, row) for row in rows], continuation


def _change(call: Call, row: Row) -> Json:
    parts: dict[str, Json] = {
        "title": {"ns": row["ns"], "title": call.site.displayed_title(row["title"])},
        "ids": named_columns(row, "pageid=page revid=revision old_revid=old_revision rcid=id"),
        "user": named_columns(row, "user"),
        "flags": call.flags(bot=row["bot"], new=row["type"] == "new"),
        "timestamp": named_columns(row, "timestamp=time"),
        "comment": named_columns(row, "comment"),
        "tags": {"tags": []},
    }
    requested = call.list_value("rcprop", "title|timestamp|ids")
    return {"type": row["type"], **requested_parts(parts, requested)}


def _logevents(call: Call) -> ListPage:
    where = _equal(call, {"type": "letype", "title": "letitle", "user": "leuser"})
    rows, continuation = page_of_rows(call, "log", "le", where)
    names = "logid=id ns pageid=page logpage=page type action user timestamp=time comment"
    return [
        {**named_columns(row, names), "title": call.site.displayed_title(row["title"]), "params": {}} for row in rows
    ], continuation


def _usercontribs(call: Call) -> ListPage:
    where = _among("user", call.list_value("ucuser")) | _among("type", ["edit", "new"])
    rows, continuation = page_of_rows(call, "changes", "uc", where)
    names = "user pageid=page revid=revision parentid=old_revision ns timestamp=time comment"
    return [
        {"userid": 0, **named_columns(row, names), "title": call.site.displayed_title(row["title"])} for row in rows
    ], continuation


def _blocks(call: Call) -> ListPage:
    users = call.list_value("bkusers")
    rows = call.site.db.rows("SELECT * FROM blocks ORDER BY id DESC")
    selected = [row for row in rows if not users or row["user"] in users]
    return [{**named_columns(row, "id user by timestamp=time reason"), "expiry": "infinity"} for row in selected], {}


def _users(call: Call) -> ListPage:
    out: list[Json] = []
    for name in call.list_value("ususers"):
        if name not in ACCOUNTS:
            out.append({"name": name, "missing": call.true()})
            continue
        found = call.site.with_present_groups(user_of_account(name))
        entry: Json = {"userid": found.id, "name": name, "groups": list(found.groups), "rights": list(found.rights)}
        if block := call.site.db.row("SELECT * FROM blocks WHERE user = ?", name):
            entry |= named_columns(block, "blockid=id blockedby=by blockreason=reason")
        out.append(entry)
    return out, {}


def _allusers(call: Call) -> ListPage:
    names = sorted(n for n in ACCOUNTS if n.startswith(call.get("auprefix")) and n >= call.get("aufrom"))
    if call.get("auto"):
        names = [name for name in names if name <= call.get("auto")]
    found = [call.site.with_present_groups(user_of_account(name)) for name in names[: call.limit("aulimit")]]
    groups = "groups" in call.list_value("auprop")
    return [{"userid": u.id, "name": u.name, **({"groups": list(u.groups)} if groups else {})} for u in found], {}


def named_columns(row: Row, names: str) -> Json:
    """Return columns of a row under the names of the API: "revid=revision user"."""
    pairs = (name.partition("=") for name in names.split())
    return {name: row[column or name] for name, _, column in pairs}


def requested_parts(parts: dict[str, Json], requested: list[str]) -> Json:
    """Return the requested parts of an entry in one object, in their own order."""
    return {key: value for name, part in parts.items() if name in requested for key, value in part.items()}


def _equal(call: Call, columns: dict[str, str]) -> dict[str, list[object]]:
    """Return the conditions that columns equal the parameters that are given."""
    return {f"{column} = ?": [call.get(name)] for column, name in columns.items() if call.get(name)}


def _among(column: str, values: Sequence[object]) -> dict[str, list[object]]:
    return {f"{column} IN ({','.join('?' * len(values))})": list(values)}


def page_of_rows(
    call: Call, table: str, prefix: str, where: dict[str, list[object]], default: int = 10
) -> tuple[list[Row], Json]:
    """Return the asked rows of a table, newest first unless asked otherwise, and where to go on.

    `where` holds conditions with their values; they are joined by AND.
    """
    newer = call.get(f"{prefix}dir") == "newer"
    early, late = call.get(f"{prefix}end"), call.get(f"{prefix}start")
    early, late = (late, early) if newer else (early, late)
    where = where | ({"time >= ?": [early]} if early else {}) | ({"time <= ?": [late]} if late else {})
    if call.get(f"{prefix}continue"):
        edge = int(call.get(f"{prefix}continue").rpartition("|")[2])
        where = where | {"id >= ?" if newer else "id <= ?": [edge]}
    limit = call.limit(f"{prefix}limit", default)
    condition = " AND ".join(where) or "1 = 1"
    values = [value for bound in where.values() for value in bound]
    sql = f"SELECT * FROM {table} WHERE {condition} ORDER BY id {'ASC' if newer else 'DESC'} LIMIT ?"
    rows = call.site.db.rows(sql, *values, limit + 1)
    continuation: Json = (
        {f"{prefix}continue": f"{rows[limit]['time']}|{rows[limit]['id']}"} if len(rows) > limit else {}
    )
    return rows[:limit], continuation


LISTS: dict[str, Callable[[Call], ListPage]] = {
    "recentchanges": _recentchanges, "logevents": _logevents, "usercontribs": _usercontribs, "blocks": _blocks,
    "users": _users, "allusers": _allusers,
}  # fmt: skip
