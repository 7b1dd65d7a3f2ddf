"""Who is there: action=login and logout, and the tokens and userinfo parts of action=query."""

from __future__ import annotations

from typing import Any

from bot.sandbox.accounts import User, check_login
from bot.sandbox.call import Call, action

Json = dict[str, Any]

_IP_LIMITS = {
    "edit": (8, 60),
    "upload": (8, 60),
    "mailpassword": (5, 3600),
    "sendemail": (5, 86400),
    "purge": (30, 60),
    "linkpurge": (30, 60),
    "renderfile": (700, 30),
    "renderfile-nonstandard": (70, 30),
    "stashedit": (30, 60),
    "stashbasehtml": (5, 60),
    "changetags": (8, 60),
    "wikibase-idgenerator": (8, 60),
}


@action("login")
def login(call: Call) -> Json:
    """Log in with a bot password (or a main account's); a wrong token is a session that timed out."""
    call.session.kept = True
    token = call.get("lgtoken")
    if not token:
        return {"login": {"result": "NeedToken", "token": call.session.token("login")}}
    if token != call.session.token("login"):
        return _failed("Unable to continue login. Your session most likely timed out.")
    user = check_login(call.get("lgname"), call.get("lgpassword"))
    if user is None:
        return _failed("Incorrect username or password entered. Please try again.")
    call.session.user = user
    if "@" in call.get("lgname"):
        call.cookies["wikidb_BPsession"] = call.session.id
    return {"login": {"result": "Success", "lguserid": user.id, "lgusername": user.name}}


@action("logout")
def logout(call: Call) -> Json:
    call.session.user = User()
    call.site.forget(call.session)
    call.cookies["wikidb_BPsession"] = None
    return {}


def tokens(call: Call) -> Json:
    """Answer meta=tokens."""
    return {f"{kind}token": call.session.token(kind) for kind in call.several("type", "csrf")}


def userinfo(call: Call) -> Json:
    """Answer meta=userinfo."""
    user, new, out = call.user, call.version == 2, {}
    out = {"id": user.id, "name": user.name}
    if user.anonymous:
        out["anon"] = call.yes(True)
    for prop in call.several("uiprop"):
        if prop == "groups":
            out["groups"] = list(user.groups)
        elif prop == "rights":
            out["rights"] = list(user.rights)
        elif prop == "hasmsg" and new:
            out["messages"] = False
        elif prop == "editcount":
            out["editcount"] = call.site.db.number("SELECT count(*) FROM revisions WHERE user = ?", user.name)
        elif prop == "ratelimits":
            out["ratelimits"] = {} if user.may("noratelimit") else _limits("ip" if user.anonymous else "user")
        elif prop == "blockinfo":
            out |= _block(call, user)
    return out


def _limits(who: str) -> Json:
    return {name: {who: {"hits": hits, "seconds": seconds}} for name, (hits, seconds) in _IP_LIMITS.items()}


def _block(call: Call, user: User) -> Json:
    block = call.site.db.row("SELECT * FROM blocks WHERE user = ?", user.name)
    if block is None:
        return {}
    return {
        "blockid": block["id"],
        "blockedby": block["by"],
        "blockedbyid": 1,
        "blockreason": block["reason"],
        "blockedtimestamp": block["time"],
        "blockexpiry": "infinite",
    }


def _failed(reason: str) -> Json:
    return {"login": {"result": "Failed", "reason": reason}}
