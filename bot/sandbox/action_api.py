"""One call of the Action API: choose the module, check rights and parameters, return the answer or the refusal.

The order of the checks is MediaWiki's: action, assertions, token and method, read-only, lag, parameters, the module.
"""

from __future__ import annotations

import time
import unicodedata

from bot.sandbox.accounts import User
from bot.sandbox.call import ACTIONS, ApiAnswer, Call, Dropped, Json, split
from bot.sandbox.messages import ApiError, failed_save, message, missing_parameter
from bot.sandbox.parameters import MODULES, NAMES, Module
from bot.sandbox.site import Site


def answer(call: Call) -> ApiAnswer:
    """Carry out a call; refusals come back as bodies, as the real API sends them."""
    call.user = call.site.present(call.session.user)
    try:
        body = _carry_out(call)
    except ApiError as error:
        body = error.as_json(call.version, call.get("errorformat", "bc"), call.site.api)
        headers = {"MediaWiki-API-Error": error.header, **error.headers}
    else:
        headers = {}
    if call.warnings:
        body = {**body, "warnings": call.warnings}
    if call.flag("curtimestamp"):
        body = {**body, "curtimestamp": call.site.db.now()}
    return ApiAnswer(body, headers, call.cookies)


def _carry_out(call: Call) -> Json:
    if call.action not in NAMES["actions"]:
        raise ApiError("badvalue", f'Unrecognized value for parameter "action": {call.action}.')
    if call.action not in ACTIONS:
        raise ApiError("sandbox-no-such-module", f"The rehearsal wiki does not know action={call.action}.")
    module = MODULES[call.action]
    if module.edits:
        call.site.received.append(call.params)
    if module.edits and call.site.faults.trigger("session_lost", call.action):
        call.site.forget(call.session)
        call.user = User()
        call.session = call.site.session(None)
    if module.edits and call.site.faults.trigger("right_lost", call.action):
        call.site.repository.take_groups(call.user.name, {"bot"})
        call.user = call.site.present(call.user)
    _check_assertions(call)
    _check_token(call, module)
    if module.edits:
        _check_readonly(call)
    _check_lag(call)
    if module.edits:
        _simulate_write_faults(call)
    call = _checked(call, module)
    body = ACTIONS[call.action](call)
    if module.edits and call.site.faults.trigger("lost_reply", call.action):
        raise Dropped("the reply is lost after the commit")
    return body


def _check_assertions(call: Call) -> None:
    wanted = call.get("assert")
    gone = "so the action could not be completed."
    if wanted == "user" and call.user.anonymous:
        raise ApiError("assertuserfailed", f"You are no longer logged in, {gone}")
    if wanted == "bot" and not call.user.may("bot"):
        raise ApiError("assertbotfailed", f'You do not have the "bot" right, {gone}')
    if wanted == "anon" and not call.user.anonymous:
        raise ApiError("assertanonfailed", f"You are no longer logged out, {gone}")
    name = call.get("assertuser")
    if name and name != call.user.name:
        raise ApiError("assertnameduserfailed", f'You are no longer logged in as "{name}", {gone}')


def _check_token(call: Call, module: Module) -> None:
    if not any(parameter.name == "token" and parameter.required for parameter in module.parameters):
        return
    if "token" in call.in_query:
        info = "The following parameter was found in the query string, but must be in the POST body: token."
        raise ApiError("mustpostparams", info)
    if not call.posted:
        raise ApiError("mustbeposted", f'The "{call.action}" module requires a POST request.')
    if not call.flag("token"):
        raise missing_parameter("token")
    bad = module.edits and call.site.faults.trigger("bad_token", call.action)
    if bad or call.get("token") != call.session.token(module.token):
        raise ApiError("badtoken", "Invalid CSRF token.")


def _check_readonly(call: Call) -> None:
    fault = call.site.faults.trigger("readonly", call.action)
    if fault:
        extra: Json = {"readonlyreason": fault.options.get("reason", "maintenance")}
        raise ApiError("readonly", "The wiki is currently in read-only mode.", extra=extra)


def _check_lag(call: Call) -> None:
    if not call.get("maxlag"):
        return
    allowed = call.number("maxlag")
    fault = call.site.faults.trigger("lag", call.action, lambda armed: armed.options.get("lag", 7.3) > allowed)
    lag = fault.options.get("lag", 7.3) if fault else 0
    if lag <= allowed:
        return
    host = fault.options.get("host", "wdqs1020") if fault else "db1234"
    extra: Json = {"host": host, "lag": lag, "type": "db"}
    if fault:
        extra |= {"type": "wikibase-queryservice", "queryserviceLag": round(lag * 60)}
    headers = {"Retry-After": str(max(5, int(lag)) if lag > 60 else 5), "X-Database-Lag": str(int(lag))}
    raise ApiError("maxlag", f"Waiting for {host}: {lag:g} seconds lagged.", extra=extra, headers=headers)


def _simulate_write_faults(call: Call) -> None:
    """Simulate the armed faults that come before an edit is made."""
    trigger = call.site.faults.trigger
    if trigger("lost_before", call.action):
        raise Dropped("the request is lost before anything is done")
    if trigger("database_locked", call.action):
        raise ApiError("internal_api_error_DBQueryError", "[sandbox] Caught exception of type DBQueryError")
    if trigger("ratelimit", call.action):
        raise failed_save(message("actionthrottledtext"), kinds=("ratelimited",))
    blocked = trigger("block", call.action)
    if blocked:
        call.site.repository.block(call.user.name, blocked.options.get("reason", "rehearsed block"))
    other = trigger("other_edit", call.action)
    if other:
        other.options["edit"]()


def _checked(call: Call, module: Module) -> Call:
    """Return the call with normalised parameters; complain about unknown, missing and overlong ones."""
    limit = 500 if call.user.may("apihighlimits") else 50
    params = dict(call.params)
    for name, value in call.params.items():
        params[name] = unicodedata.normalize("NFC", value)
        bare = value[1:] if value.startswith("\x1f") else value
        if params[name] != value or any(ord(c) < 32 and c not in "\t\n\r\x1f" for c in bare):
            call.warn_text(call.action, _NOT_NORMAL.format(name=name))
    for parameter in module.parameters:
        name = module.prefix + parameter.name
        values = split(params.get(name, ""))
        if parameter.required and (name not in params or (parameter.several and not any(values))):
            raise missing_parameter(name)
        if parameter.required and parameter.several and "" in values and not params[name].startswith("\x1f"):
            raise missing_parameter(name)
        one_of = () if parameter.several else parameter.choices
        if one_of and params.get(name) and params[name] not in one_of:
            raise ApiError("badvalue", f'Unrecognized value for parameter "{name}": {params[name]}.')
        if parameter.several and len(values) > limit:
            info = f'Too many values supplied for parameter "{name}". The limit is {limit}.'
            extra = {"parameter": name, "limit": limit, "lowlimit": 50, "highlimit": 500}
            raise ApiError("toomanyvalues", info, extra=extra)
    if params.get("tags"):
        tags = split(params["tags"])
        info = f'The tag "{tags[0]}" is not allowed to be manually applied.'
        raise ApiError("badtags", info, extra={"disallowedtags": tags})
    call.params = params
    _warn_unknown(call, module)
    return call


def _warn_unknown(call: Call, module: Module) -> None:
    known = MODULES["main"].names() | module.names() | {"formatversion", "utf8", "ascii", "callback"}
    if call.action == "query":
        for below in (*call.several("prop"), *call.several("list"), *call.several("meta")):
            known |= MODULES[f"query+{below}"].names() if f"query+{below}" in MODULES else set()
    unknown = [name for name in call.params if name not in known]
    if unknown:
        plural = "s" if len(unknown) > 1 else ""
        call.warn_text("main", f"Unrecognized parameter{plural}: {', '.join(unknown)}.")


def slow_down(site: Site, kind: str, name: str = "") -> None:
    """Sleep for the seconds of an armed fault of this kind."""
    fault = site.faults.trigger(kind, name)
    if fault:
        time.sleep(float(fault.options.get("seconds", 1)))


_NOT_NORMAL = (
    'The value passed for "{name}" contains invalid or non-normalized data. Textual data should be valid,'
    " NFC-normalized Unicode without C0 control characters other than HT (\\t), LF (\\n), and CR (\\r)."
)
