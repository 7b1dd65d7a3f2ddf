"""The lists of action=query: recent changes, log, contributions, blocks, users; newest first unless asked otherwise."""

from __future__ import annotations

from typing import Any

from bot.sandbox.accounts import ACCOUNTS, user
from bot.sandbox.call import Call
from bot.sandbox.titles import shown

Json = dict[str, Any]


def _recentchanges(call: Call) -> tuple[list[Json], Json]:
    shows, kinds = call.several("rcshow"), call.several("rctype") or ["edit", "new", "log"]
    where, values = ["1 = 1"], []
    if "bot" in shows or "!bot" in shows:
        where.append(f"bot = {int('bot' in shows)}")
    for name, column in (("rctitle", "title"), ("rcuser", "user")):
        if call.get(name):
            where.append(f"{column} = ?")
            values.append(call.get(name))
    where.append(f"type IN ({','.join('?' * len(kinds))})")
    rows, more = _listed(call, "changes", "rc", where, [*values, *kinds])
    return [_change(call, row) for row in rows], more


def _change(call: Call, row: Json) -> Json:
    asked = set(call.several("rcprop", "title|timestamp|ids"))
    out: Json = {"type": row["type"]}
    if "title" in asked:
        out |= {"ns": row["ns"], "title": shown(call.site.name, row["title"])}
    if "ids" in asked:
        ids = {"pageid": row["page"], "revid": row["revision"], "old_revid": row["old_revision"], "rcid": row["id"]}
        out |= ids
    if "user" in asked:
        out["user"] = row["user"]
    if "flags" in asked:
        flags = {"bot": row["bot"], "new": row["type"] == "new"}
        out |= {k: bool(v) for k, v in flags.items()} if call.version == 2 else {k: "" for k, v in flags.items() if v}
    if "timestamp" in asked:
        out["timestamp"] = row["time"]
    if "comment" in asked:
        out["comment"] = row["comment"]
    if "tags" in asked:
        out["tags"] = []
    return out


def _logevents(call: Call) -> tuple[list[Json], Json]:
    where, values = ["1 = 1"], []
    for name, column in (("letype", "type"), ("letitle", "title"), ("leuser", "user")):
        if call.get(name):
            where.append(f"{column} = ?")
            values.append(call.get(name))
    rows, more = _listed(call, "log", "le", where, values)
    return [
        {
            **{
                "logid": row["id"],
                "ns": row["ns"],
                "title": shown(call.site.name, row["title"]),
                "pageid": row["page"],
            },
            **{"logpage": row["page"], "params": {}, "type": row["type"], "action": row["action"], "user": row["user"]},
            **{"timestamp": row["time"], "comment": row["comment"]},
        }
        for row in rows
    ], more


def _usercontribs(call: Call) -> tuple[list[Json], Json]:
    users = call.several("ucuser")
    where = [f"user IN ({','.join('?' * len(users))})", "type IN ('edit', 'new')"]
    rows, more = _listed(call, "changes", "uc", where, list(users))
    return [
        {
            **{"userid": 0, "user": row["user"], "pageid": row["page"], "revid": row["revision"]},
            **{"parentid": row["old_revision"], "ns": row["ns"], "title": shown(call.site.name, row["title"])},
            **{"timestamp": row["time"], "comment": row["comment"]},
        }
        for row in rows
    ], more


def _blocks(call: Call) -> tuple[list[Json], Json]:
    users = call.several("bkusers")
    rows = call.site.db.rows("SELECT * FROM blocks ORDER BY id DESC")
    return [
        {
            **{"id": row["id"], "user": row["user"], "by": row["by"], "timestamp": row["time"]},
            **{"expiry": "infinity", "reason": row["reason"]},
        }
        for row in rows
        if not users or row["user"] in users
    ], {}


def _users(call: Call) -> tuple[list[Json], Json]:
    out: list[Json] = []
    for name in call.several("ususers"):
        if name not in ACCOUNTS:
            out.append({"name": name, "missing": call.yes(True)})
            continue
        found = call.site.present(user(name))
        entry: Json = {"userid": found.id, "name": name, "groups": list(found.groups), "rights": list(found.rights)}
        block = call.site.db.row("SELECT * FROM blocks WHERE user = ?", name)
        if block:
            entry |= {"blockid": block["id"], "blockedby": block["by"], "blockreason": block["reason"]}
        out.append(entry)
    return out, {}


def _allusers(call: Call) -> tuple[list[Json], Json]:
    limit = call.get("aulimit", "10")
    names = sorted(n for n in ACCOUNTS if n.startswith(call.get("auprefix")) and n >= call.get("aufrom"))
    if call.get("auto"):
        names = [name for name in names if name <= call.get("auto")]
    found = [call.site.present(user(name)) for name in names[: 500 if limit == "max" else int(limit)]]
    groups = "groups" in call.several("auprop")
    return [{"userid": u.id, "name": u.name, **({"groups": list(u.groups)} if groups else {})} for u in found], {}


def _listed(call: Call, table: str, prefix: str, where: list[str], values: list[Any]) -> tuple[list[Json], Json]:
    """Return rows of a list module, newest first unless asked otherwise, and where to go on."""
    newer = call.get(f"{prefix}dir") == "newer"
    early, late = call.get(f"{prefix}end"), call.get(f"{prefix}start")
    early, late = (late, early) if newer else (early, late)
    if early:
        where, values = [*where, "time >= ?"], [*values, early]
    if late:
        where, values = [*where, "time <= ?"], [*values, late]
    if call.get(f"{prefix}continue"):
        edge = int(call.get(f"{prefix}continue").rpartition("|")[2])
        where, values = [*where, "id >= ?" if newer else "id <= ?"], [*values, edge]
    asked = call.get(f"{prefix}limit", "10")
    limit = 500 if asked == "max" else int(asked)
    sql = f"SELECT * FROM {table} WHERE {' AND '.join(where)} ORDER BY id {'ASC' if newer else 'DESC'} LIMIT ?"
    rows = call.site.db.rows(sql, *values, limit + 1)
    more = {f"{prefix}continue": f"{rows[limit]['time']}|{rows[limit]['id']}"} if len(rows) > limit else {}
    return rows[:limit], more


LISTS = {
    "recentchanges": _recentchanges,
    "logevents": _logevents,
    "usercontribs": _usercontribs,
    "blocks": _blocks,
    "users": _users,
    "allusers": _allusers,
}
