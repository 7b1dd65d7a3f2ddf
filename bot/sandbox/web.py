"""The rehearsal wiki over HTTP: /w/api.php, Special:EntityData, /sparql, pages for people, and /fault."""

import json
import sqlite3
import time
import unicodedata
from collections.abc import Mapping

from flask import Flask, Response, redirect, request
from flask.typing import ResponseReturnValue

from bot.sandbox import act_claims, act_edit, act_entities, act_pages, act_query, html_pages
from bot.sandbox.accounts import ACCOUNTS, User, user_of_account
from bot.sandbox.call import ACTIONS, ApiAnswer, Call, ConnectionDropped, Json, split
from bot.sandbox.entity_json import EntityJson, blank_entity, statements
from bot.sandbox.faults import KINDS, Faults
from bot.sandbox.graph import RDF_FORMATS, Graph, QueryError, Vocabulary, serialise, triples
from bot.sandbox.messages import ApiError, failed_save_error, message, missing_parameter_error
from bot.sandbox.parameters import MODULES, NAMES, Module
from bot.sandbox.repository import StoredEntity
from bot.sandbox.site import NOTICE, Site
from bot.sandbox.snaks import snaks_of
from bot.wikibase import is_entity_id

_NOT_NORMAL = (
    'The value passed for "{name}" contains invalid or non-normalized data. Textual data should be valid,'
    " NFC-normalized Unicode without C0 control characters other than HT (\\t), LF (\\n), and CR (\\r)."
)
# Importing an act_ module registers its actions; naming them here keeps that from looking like an accident.
ACT_MODULES = (act_claims, act_edit, act_entities, act_pages, act_query)
_COOKIE = "wikidb_session"
# A timeout of Blazegraph: a stack trace inside truncated JSON.
_TIMEOUT = '{ "head" : { "vars" : [ "item" ] }, "results" : { "bindings" : [ {\njava.util.concurrent.TimeoutException\n'


def answer_call(call: Call) -> ApiAnswer:
    """Carry out a call; refusals come back as bodies, as the real API sends them."""
    call.user = call.site.with_present_groups(call.session.user)
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
        call.site.end_session(call.session)
        call.user = User()
        call.session = call.site.session(None)
    if module.edits and call.site.faults.trigger("right_lost", call.action):
        call.site.repository.set_removed_groups(call.user.name, {"bot"})
        call.user = call.site.with_present_groups(call.user)
    _check_assertions(call)
    _check_token(call, module)
    if module.edits:
        _check_readonly(call)
    _check_lag(call)
    if module.edits:
        _simulate_write_faults(call)
    _check_parameters(call, module)
    body = ACTIONS[call.action](call)
    if module.edits and call.site.faults.trigger("lost_reply", call.action):
        raise ConnectionDropped("the reply is lost after the commit")
    return body


def _check_assertions(call: Call) -> None:
    wanted = call.get("assert")
    ending = "so the action could not be completed."
    if wanted == "user" and call.user.anonymous:
        raise ApiError("assertuserfailed", f"You are no longer logged in, {ending}")
    if wanted == "bot" and not call.user.has_right("bot"):
        raise ApiError("assertbotfailed", f'You do not have the "bot" right, {ending}')
    if wanted == "anon" and not call.user.anonymous:
        raise ApiError("assertanonfailed", f"You are no longer logged out, {ending}")
    name = call.get("assertuser")
    if name and name != call.user.name:
        raise ApiError("assertnameduserfailed", f'You are no longer logged in as "{name}", {ending}')


def _check_token(call: Call, module: Module) -> None:
    if not any(parameter.name == "token" and parameter.required for parameter in module.parameters):
        return
    if "token" in call.in_query:
        info = "The following parameter was found in the query string, but must be in the POST body: token."
        raise ApiError("mustpostparams", info)
    if not call.posted:
        raise ApiError("mustbeposted", f'The "{call.action}" module requires a POST request.')
    if not call.flag("token"):
        raise missing_parameter_error("token")
    bad = module.edits and call.site.faults.trigger("bad_token", call.action)
    if bad or call.get("token") != call.session.token(module.token):
        raise ApiError("badtoken", "Invalid CSRF token.")


def _check_readonly(call: Call) -> None:
    if fault := call.site.faults.trigger("readonly", call.action):
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
        raise ConnectionDropped("the request is lost before anything is done")
    if trigger("database_locked", call.action):
        raise ApiError("internal_api_error_DBQueryError", "[sandbox] Caught exception of type DBQueryError")
    if trigger("ratelimit", call.action):
        raise failed_save_error(message("actionthrottledtext"), kinds=("ratelimited",))
    if blocked := trigger("block", call.action):
        call.site.repository.block(call.user.name, blocked.options.get("reason", "rehearsed block"))
    if other := trigger("other_edit", call.action):
        other.options["edit"]()


def _check_parameters(call: Call, module: Module) -> None:
    """Normalise the parameters of a call; complain about unknown, missing and overlong ones."""
    limit = 500 if call.user.has_right("apihighlimits") else 50
    params = dict(call.params)
    for name, value in call.params.items():
        params[name] = unicodedata.normalize("NFC", value)
        unprefixed = value[1:] if value.startswith("\x1f") else value
        if params[name] != value or any(ord(c) < 32 and c not in "\t\n\r\x1f" for c in unprefixed):
            call.warn_text(call.action, _NOT_NORMAL.format(name=name))
    for parameter in module.parameters:
        name = module.prefix + parameter.name
        values = split(params.get(name, ""))
        if parameter.required and (name not in params or (parameter.several and not any(values))):
            raise missing_parameter_error(name)
        if parameter.required and parameter.several and "" in values and not params[name].startswith("\x1f"):
            raise missing_parameter_error(name)
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


def _warn_unknown(call: Call, module: Module) -> None:
    accepted = MODULES["main"].names() | module.names() | {"formatversion", "utf8", "ascii", "callback"}
    if call.action == "query":
        for submodule in (*call.list_value("prop"), *call.list_value("list"), *call.list_value("meta")):
            accepted |= MODULES[f"query+{submodule}"].names() if f"query+{submodule}" in MODULES else set()
    unknown = [name for name in call.params if name not in accepted]
    if unknown:
        plural = "s" if len(unknown) > 1 else ""
        call.warn_text("main", f"Unrecognized parameter{plural}: {', '.join(unknown)}.")


def slow_down(site: Site, kind: str, name: str = "") -> None:
    """Sleep for the seconds of an armed fault of this kind."""
    if fault := site.faults.trigger(kind, name):
        time.sleep(float(fault.options.get("seconds", 1)))


def make_app(site: Site, graph: Graph) -> Flask:
    """Return the WSGI application of one site."""
    app = Flask(__name__, static_folder=None)
    app.config["PROPAGATE_EXCEPTIONS"] = True
    both = ["GET", "POST"]
    app.add_url_rule("/", "start", lambda: html_pages.start_page(site))
    app.add_url_rule("/changes", "changes", lambda: html_pages.recent_changes_page(site))
    app.add_url_rule("/w/api.php", "api", lambda: _api(site), methods=both)
    app.add_url_rule(html_pages.PATH, "articles", _articles, methods=both)
    app.add_url_rule("/w/index.php", "index", lambda: _index(site))
    app.add_url_rule("/wiki/<path:title>", "page", lambda title: _page(site, title))
    app.add_url_rule("/entity/<name>", "entity", lambda name: redirect(f"/wiki/{site.page_title(name)}", 303))
    app.add_url_rule(
        "/history/<path:title>", "history", lambda title: html_pages.history_page(site, site.page_title(title))
    )
    app.add_url_rule("/sparql", "sparql", lambda: _sparql(site, graph), methods=both)
    app.add_url_rule("/fault", "fault", lambda: _fault(site), methods=[*both, "DELETE"])
    app.after_request(_mark_as_rehearsal)
    return app


def act_as(site: Site, name: str, params: Mapping[str, str]) -> Json:
    """Carry out an API call for an account ('' for nobody), without HTTP and without faults; return the answer's body."""
    aside = site.with_faults(Faults())
    session = aside.session(None)
    session.user = user_of_account(name) if name else User()
    module = MODULES.get(params.get("action", ""))
    parameters = {"token": session.token(module.token if module else "csrf"), **params}
    return answer_call(Call(aside, session, parameters)).body


def _mark_as_rehearsal(response: Response) -> Response:
    response.headers["X-Sandbox"] = "no Wikidata"
    return response


def _articles(language: str) -> Json:
    return html_pages.articles_answer(language, request.values.to_dict())


def _api(site: Site) -> Response:
    in_query, posted = request.args.to_dict(), request.method == "POST"
    params = {**in_query, **request.form.to_dict()} if posted else in_query
    action, cookie = params.get("action", ""), request.cookies.get(_COOKIE)
    slow_down(site, "slow", action)
    if site.faults.trigger("http_502", action):
        return Response("<html><head><title>502 Bad Gateway</title></head></html>", 502, content_type="text/html")
    if busy := site.faults.trigger("too_many_requests", action):
        return _text("Too many requests", 429, {"Retry-After": str(busy.options.get("retry_after", 5))})
    call = Call(site, site.session(cookie), params, posted, frozenset(in_query))
    try:
        found = answer_call(call)
    except sqlite3.OperationalError as error:  # a disk that is full, a database that another process holds
        code = "internal_api_error_DBQueryError"
        found = ApiAnswer({"error": {"code": code, "info": f"[sandbox] {error}"}}, {"MediaWiki-API-Error": code})
    return _response(call, found, action, known=cookie == call.session.id)


def _response(call: Call, found: ApiAnswer, action: str, *, known: bool) -> Response:
    text = json.dumps(found.body, ensure_ascii=False)
    if call.site.faults.trigger("truncated_json", action):
        text = text[: len(text) // 2]
    if call.site.faults.trigger("garbled_json", action):
        text = text[:-1] + "\x00<!-- -->"
    headers = {
        "X-Content-Type-Options": "nosniff",
        "Cache-Control": "private, must-revalidate, max-age=0",
        **found.headers,
    }
    out = Response(text, 200, headers, content_type="application/json; charset=utf-8")
    if call.session.persistent and not known:
        call.site.keep(call.session)
        out.set_cookie(_COOKIE, call.session.id, httponly=True, path="/")
    for name, value in found.cookies.items():
        if value is None:
            out.delete_cookie(name, httponly=True, path="/")
        else:
            out.set_cookie(name, value, httponly=True, path="/", max_age=10 if name == "UseDC" else None)
    return out


def _sparql(site: Site, graph: Graph) -> ResponseReturnValue:
    slow_down(site, "slow_sparql")
    if site.faults.trigger("sparql_down"):
        return _text("Service Unavailable", 503)
    if busy := site.faults.trigger("sparql_busy"):
        return _text("Rate limit exceeded", 429, {"Retry-After": str(busy.options.get("retry_after", 5))})
    if site.faults.trigger("sparql_timeout"):
        return Response(_TIMEOUT, content_type="application/sparql-results+json")
    query = request.values.get("query")
    if query is None and request.mimetype == "application/sparql-query":
        query = request.get_data(as_text=True)
    if not query:
        return html_pages.html_page("SPARQL", "query.html"), 200 if request.method == "GET" else 400
    try:
        kind, body = graph.query(query)
    except QueryError as error:
        return _text(f"SPARQL-QUERY: {error}\n", 400)
    return Response(body, content_type=kind)


def _page(site: Site, title: str) -> ResponseReturnValue:
    title = site.canonical_title(title)
    if title.startswith("Special:EntityData/"):
        return _entity_data(site, title.removeprefix("Special:EntityData/"))
    row = site.db.latest(title)
    if row is None:
        return html_pages.html_page(title, text="There is no such page."), 404
    if row["redirect"]:
        return redirect(f"/wiki/{site.page_title(row['redirect'])}")
    found = site.repository.get(row["entity"]) if row["entity"] else None
    return (
        html_pages.entity_page(site, found) if found else html_pages.html_page(title, "wikitext.html", text=row["text"])
    )


def _entity_data(site: Site, name: str) -> ResponseReturnValue:
    entity, _, form = name.partition(".")
    stored, source = site.repository.resolve(entity.upper()) if is_entity_id(entity.upper()) else (None, "")
    if stored and form in ("", "json"):
        call = Call(site, site.session(None), {"ids": stored.entity["id"]})
        text = json.dumps({"entities": ACTIONS["wbgetentities"](call)["entities"]}, ensure_ascii=False)
        return Response(text, content_type="application/json")
    if stored is None or form not in RDF_FORMATS:
        return html_pages.html_page(name, text="No entity or no such form."), 404
    iri = Vocabulary(site.entity_prefix)
    found = list(triples(stored, iri))
    if source:
        found += triples(StoredEntity(blank_entity(source), 0, 0, "", stored.entity["id"]), iri, source)
    for other in _mentioned_entities(stored.entity):  # the full form has the labels of other entities
        named = site.repository.get(other)
        if named and not named.redirect and other != stored.entity["id"]:
            without_claims: EntityJson = {**named.entity, "claims": {}, "aliases": {}, "sitelinks": {}}
            data = iri(f"data:{other}")
            found += [t for t in triples(StoredEntity(without_claims, 0, 0, ""), iri) if t.subject != data]
    return Response(serialise(found, form, iri), content_type=f"{RDF_FORMATS[form].media_type}; charset=utf-8")


def _mentioned_entities(entity: EntityJson) -> dict[str, None]:
    """Return the properties and entities in an entity's statements, in order, each once."""
    out: dict[str, None] = {}
    for one in statements(entity):
        for snak in snaks_of(one):
            out[snak["property"]] = None
            if "datavalue" in snak and snak["datavalue"]["type"] == "wikibase-entityid":
                out[snak["datavalue"]["value"]["id"]] = None
    return out


def _index(site: Site) -> ResponseReturnValue:
    title = site.canonical_title(request.args.get("title", "Main Page"))
    row = site.db.latest(title)
    if request.args.get("action") == "raw" and row:
        kind = "text/javascript" if title.endswith(".js") else "text/x-wiki"
        return Response(row["text"], content_type=f"{kind}; charset=utf-8")
    return redirect(f"/wiki/{title.replace(' ', '_')}")


def _fault(site: Site) -> ResponseReturnValue:
    """Arm a fault (POST with JSON), list what is armed (GET), or disarm all (DELETE)."""
    if request.method == "DELETE":
        site.faults.clear()
    if request.method == "POST":
        order = request.get_json(force=True, silent=True)
        if not isinstance(order, dict) or order.get("kind") not in KINDS:
            return {"error": f"give JSON with a kind, one of: {', '.join(KINDS)}"}, 400
        if isinstance(order.get("edit"), dict):
            edit = {key: str(value) for key, value in order["edit"].items()}
            by = order.pop("by", "PlainUser")
            if by not in ACCOUNTS:
                return {"error": f"nobody here is called {by}; known: {', '.join(ACCOUNTS)}"}, 400
            order["edit"] = lambda: act_as(site, by, edit)
        site.faults.arm(**order)
    return {"armed": site.faults.listing(), "kinds": KINDS, "notice": NOTICE}


def _text(text: str, status: int, headers: Mapping[str, str] | None = None) -> Response:
    return Response(text, status, headers, content_type="text/plain; charset=utf-8")
