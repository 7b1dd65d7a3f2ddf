"""Sessions: action=login and logout, and the tokens and userinfo parts of action=query."""

from __future__ import annotations

from bot.sandbox.accounts import User, check_login
from bot.sandbox.call import Call, Json, action
from bot.sandbox.siteinfo import RATE_LIMITS


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
    user = call.user
    out: Json = {"id": user.id, "name": user.name}
    if user.anonymous:
        out["anon"] = call.true()
    for prop in call.several("uiprop"):
        if prop == "groups":
            out["groups"] = list(user.groups)
        elif prop == "rights":
            out["rights"] = list(user.rights)
        elif prop == "hasmsg":
            out |= call.flags(messages=False)
        elif prop == "editcount":
            out["editcount"] = call.site.db.number("SELECT count(*) FROM revisions WHERE user = ?", user.name)
        elif prop == "ratelimits":
            who, limits = "ip" if user.anonymous else "user", {} if user.may("noratelimit") else RATE_LIMITS
            out["ratelimits"] = {name: {who: limit} for name, limit in limits.items()}
        elif prop == "blockinfo":
            out |= _block(call, user)
    return out


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
