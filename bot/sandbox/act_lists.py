"""The lists of action=query: recent changes, log, contributions, blocks, users; newest first unless asked otherwise."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from bot.sandbox.accounts import ACCOUNTS, user
from bot.sandbox.call import Call, Json
from bot.sandbox.database import Row

Listed = tuple[list[Json], Json]  # the entries, and where to go on


def _recentchanges(call: Call) -> Listed:
    shows = call.several("rcshow")
    where = _equal(call, {"title": "rctitle", "user": "rcuser"})
    where |= _among("type", call.several("rctype") or ["edit", "new", "log"])
    if "bot" in shows or "!bot" in shows:
        where |= _among("bot", ["bot" in shows])
    rows, more = page_of_rows(call, "changes", "rc", where)
    return [_change(call, row) for row in rows], more


def _change(call: Call, row: Row) -> Json:
    parts: dict[str, Json] = {
        "title": {"ns": row["ns"], "title": call.site.displayed(row["title"])},
        "ids": {
            **{"pageid": row["page"], "revid": row["revision"], "old_revid": row["old_revision"]},
            "rcid": row["id"],
        },
        "user": {"user": row["user"]},
        "flags": call.flags(bot=row["bot"], new=row["type"] == "new"),
        "timestamp": {"timestamp": row["time"]},
        "comment": {"comment": row["comment"]},
        "tags": {"tags": []},
    }
    asked = call.several("rcprop", "title|timestamp|ids")
    return {"type": row["type"], **chosen(parts, asked)}


def _logevents(call: Call) -> Listed:
    where = _equal(call, {"type": "letype", "title": "letitle", "user": "leuser"})
    rows, more = page_of_rows(call, "log", "le", where)
    return [
        {
            "logid": row["id"],
            "ns": row["ns"],
            "title": call.site.displayed(row["title"]),
            "pageid": row["page"],
            "logpage": row["page"],
            "params": {},
            **{key: row[key] for key in ("type", "action", "user")},
            "timestamp": row["time"],
            "comment": row["comment"],
        }
        for row in rows
    ], more


def _usercontribs(call: Call) -> Listed:
    where = _among("user", call.several("ucuser")) | _among("type", ["edit", "new"])
    rows, more = page_of_rows(call, "changes", "uc", where)
    return [
        {
            "userid": 0,
            "user": row["user"],
            "pageid": row["page"],
            "revid": row["revision"],
            "parentid": row["old_revision"],
            "ns": row["ns"],
            "title": call.site.displayed(row["title"]),
            "timestamp": row["time"],
            "comment": row["comment"],
        }
        for row in rows
    ], more


def _blocks(call: Call) -> Listed:
    users = call.several("bkusers")
    rows = call.site.db.rows("SELECT * FROM blocks ORDER BY id DESC")
    return [
        {
            **{key: row[key] for key in ("id", "user", "by")},
            "timestamp": row["time"],
            "expiry": "infinity",
            "reason": row["reason"],
        }
        for row in rows
        if not users or row["user"] in users
    ], {}


def _users(call: Call) -> Listed:
    out: list[Json] = []
    for name in call.several("ususers"):
        if name not in ACCOUNTS:
            out.append({"name": name, "missing": call.true()})
            continue
        found = call.site.present(user(name))
        entry: Json = {"userid": found.id, "name": name, "groups": list(found.groups), "rights": list(found.rights)}
        block = call.site.db.row("SELECT * FROM blocks WHERE user = ?", name)
        if block:
            entry |= {"blockid": block["id"], "blockedby": block["by"], "blockreason": block["reason"]}
        out.append(entry)
    return out, {}


def _allusers(call: Call) -> Listed:
    names = sorted(n for n in ACCOUNTS if n.startswith(call.get("auprefix")) and n >= call.get("aufrom"))
    if call.get("auto"):
        names = [name for name in names if name <= call.get("auto")]
    found = [call.site.present(user(name)) for name in names[: call.limit("aulimit")]]
    groups = "groups" in call.several("auprop")
    return [{"userid": u.id, "name": u.name, **({"groups": list(u.groups)} if groups else {})} for u in found], {}


def chosen(parts: dict[str, Json], asked: list[str]) -> Json:
    """Return the asked parts of an entry as one, in their own order."""
    return {key: value for name, part in parts.items() if name in asked for key, value in part.items()}


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
    values = [value for given in where.values() for value in given]
    sql = f"SELECT * FROM {table} WHERE {condition} ORDER BY id {'ASC' if newer else 'DESC'} LIMIT ?"
    rows = call.site.db.rows(sql, *values, limit + 1)
    more: Json = {f"{prefix}continue": f"{rows[limit]['time']}|{rows[limit]['id']}"} if len(rows) > limit else {}
    return rows[:limit], more


LISTS: dict[str, Callable[[Call], Listed]] = {
    "recentchanges": _recentchanges,
    "logevents": _logevents,
    "usercontribs": _usercontribs,
    "blocks": _blocks,
    "users": _users,
    "allusers": _allusers,
}
