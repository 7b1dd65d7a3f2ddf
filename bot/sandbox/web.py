"""The rehearsal wiki over HTTP: /w/api.php, Special:EntityData, /sparql, pages for people, and /fault."""

from __future__ import annotations

import json
import sqlite3
from typing import Any

from flask import Flask, Response, redirect, request
from werkzeug.wrappers import Response as Redirect

from bot.sandbox import (
    act_claims,
    act_edit,
    act_entities,
    act_pages,
    act_query,
    act_references,
    act_session,
    act_values,
    html_pages,
    served_articles,
)
from bot.sandbox.accounts import ACCOUNTS, User, user
from bot.sandbox.action_api import answer, slow_down
from bot.sandbox.call import ACTIONS, ApiAnswer, Call, Dropped
from bot.sandbox.entity_json import blank, is_id, statements
from bot.sandbox.entity_rdf import Vocabulary, serialise, triples
from bot.sandbox.graph import Graph, QueryError
from bot.sandbox.misbehaviour import KINDS, Faults
from bot.sandbox.parameters import MODULES
from bot.sandbox.site import NOTICE, Site
from bot.sandbox.snaks import snaks_in

Json = dict[str, Any]
# Importing an act_ module registers its actions; naming them here keeps that from looking like an accident.
ACT_MODULES = (act_claims, act_edit, act_entities, act_pages, act_query, act_references, act_session, act_values)
_COOKIE = "wikidb_session"
_TYPES = {
    "json": "application/json",
    "ttl": "text/turtle",
    "nt": "application/n-triples",
    "rdf": "application/rdf+xml",
    "jsonld": "application/ld+json",
}


def make_app(site: Site, graph: Graph) -> Flask:
    """Return the WSGI application of one site."""
    app = Flask("sandbox")
    app.config["PROPAGATE_EXCEPTIONS"] = True
    app.add_url_rule("/", "front", lambda: html_pages.front(site))
    app.add_url_rule("/changes", "changes", lambda: html_pages.changes(site))
    app.add_url_rule("/w/api.php", "api", lambda: _api(site), methods=["GET", "POST"])
    app.add_url_rule(
        served_articles.PATH,
        "articles",
        lambda language: served_articles.answer(language, request.values.to_dict()),
        methods=["GET", "POST"],
    )
    app.add_url_rule("/w/index.php", "index", lambda: _index(site))
    app.add_url_rule("/wiki/<path:title>", "page", lambda title: _page(site, title))
    app.add_url_rule("/entity/<name>", "entity", lambda name: redirect(f"/wiki/{_page_title(site, name)}", 303))
    app.add_url_rule(
        "/history/<path:title>", "history", lambda title: html_pages.history(site, _page_title(site, title))
    )
    app.add_url_rule("/sparql", "sparql", lambda: _sparql(site, graph), methods=["GET", "POST"])
    app.add_url_rule("/fault", "fault", lambda: _fault(site), methods=["GET", "POST", "DELETE"])
    app.after_request(_sign)
    return app


def call_of(site: Site, params: dict[str, str], cookie: str | None, *, posted: bool, in_query: frozenset[str]) -> Call:
    return Call(site, site.session(cookie), params, posted, in_query)


def _api(site: Site) -> Response:
    in_query = request.args.to_dict()
    params = {**in_query, **request.form.to_dict()} if request.method == "POST" else in_query
    action = params.get("action", "")
    slow_down(site, "slow", action)
    early = _broken_before(site, action)
    if early:
        return early
    cookie = request.cookies.get(_COOKIE)
    call = call_of(site, params, cookie, posted=request.method == "POST", in_query=frozenset(in_query))
    try:
        found = answer(call)
    except sqlite3.OperationalError as error:  # a disk that is full, a database that another process holds
        body = {"error": {"code": "internal_api_error_DBQueryError", "info": f"[sandbox] {error}"}}
        found = ApiAnswer(body, {"MediaWiki-API-Error": "internal_api_error_DBQueryError"})
    return _response(site, call, found, action, known=cookie == call.session.id)


def _broken_before(site: Site, action: str) -> Response | None:
    strike = site.faults.strike
    if strike("http_502", action):
        return Response("<html><head><title>502 Bad Gateway</title></head></html>", 502, content_type="text/html")
    busy = strike("too_many_requests", action)
    if busy:
        wait = str(busy.options.get("retry_after", 5))
        return Response("Too many requests", 429, {"Retry-After": wait}, content_type="text/plain")
    return None


def _response(site: Site, call: Call, found: ApiAnswer, action: str, *, known: bool) -> Response:
    text = json.dumps(found.body, ensure_ascii=False)
    if site.faults.strike("truncated_json", action):
        text = text[: len(text) // 2]
    if site.faults.strike("garbled_json", action):
        text = text[:-1] + "\x00<!-- -->"
    headers = {
        "X-Content-Type-Options": "nosniff",
        "Cache-Control": "private, must-revalidate, max-age=0",
        **found.headers,
    }
    out = Response(text, 200, headers, content_type="application/json; charset=utf-8")
    if call.session.kept and not known:
        site.keep(call.session)
        out.set_cookie(_COOKIE, call.session.id, httponly=True, path="/")
    for name, value in found.cookies.items():
        if value is None:
            out.delete_cookie(name, httponly=True, path="/")
        else:
            out.set_cookie(name, value, httponly=True, path="/", max_age=10 if name == "UseDC" else None)
    return out


def _sparql(site: Site, graph: Graph) -> Response:
    slow_down(site, "slow_sparql")
    if site.faults.strike("sparql_down"):
        return Response("Service Unavailable", 503, content_type="text/plain")
    busy = site.faults.strike("sparql_busy")
    if busy:
        wait = str(busy.options.get("retry_after", 5))
        return Response("Rate limit exceeded", 429, {"Retry-After": wait}, content_type="text/plain")
    if site.faults.strike("sparql_timeout"):
        half = '{ "head" : { "vars" : [ "item" ] }, "results" : { "bindings" : [ {\njava.util.concurrent.TimeoutException\n'
        return Response(half, 200, content_type="application/sparql-results+json")
    query = request.values.get("query")
    if query is None and request.mimetype == "application/sparql-query":
        query = request.get_data(as_text=True)
    if not query:
        text = '<form method="get"><textarea name="query" rows="12" cols="80"></textarea><button>Ask</button></form>'
        return Response(
            html_pages.page("SPARQL", text), 200 if request.method == "GET" else 400, content_type="text/html"
        )
    try:
        kind, body = graph.query(query)
    except QueryError as error:
        return Response(f"SPARQL-QUERY: {error}\n", 400, content_type="text/plain; charset=utf-8")
    return Response(body, content_type=kind)


def _page(site: Site, title: str) -> Response | Redirect:
    title = site.canonical(title)
    if title.startswith("Special:EntityData/"):
        return _entity_data(site, title.removeprefix("Special:EntityData/"))
    row = site.db.latest(title)
    if row is None:
        return Response(html_pages.page(title, "<p>There is no such page.</p>"), 404, content_type="text/html")
    if row["redirect"]:
        return redirect(f"/wiki/{_page_title(site, row['redirect'])}")
    found = site.repository.get(row["entity"]) if row["entity"] else None
    shown = html_pages.entity(site, found) if found else html_pages.wikitext(title, row["text"])
    return Response(shown, content_type="text/html; charset=utf-8")


def _entity_data(site: Site, name: str) -> Response:
    entity, _, form = name.partition(".")
    form = form or "json"
    stored, source = site.repository.resolve(entity.upper()) if is_id(entity.upper()) else (None, "")
    if stored is None or form not in _TYPES:
        return Response(html_pages.page(name, "<p>No entity or no such form.</p>"), 404, content_type="text/html")
    if form == "json":
        call = call_of(site, {"ids": stored.entity["id"]}, None, posted=False, in_query=frozenset())
        return Response(
            json.dumps({"entities": ACTIONS["wbgetentities"](call)["entities"]}, ensure_ascii=False),
            content_type="application/json",
        )
    iri = Vocabulary(site.entity_prefix)
    said = list(triples(stored, iri))
    if source:
        said += list(triples(type(stored)(blank(source), 0, 0, "", stored.entity["id"]), iri, source))
    for other in _mentioned(stored.entity):  # the full form says what other entities are called
        found = site.repository.get(other)
        if found and not found.redirect and other != stored.entity["id"]:
            bare = {**found.entity, "claims": {}, "aliases": {}, "sitelinks": {}}
            data = iri(f"data:{other}")
            said += [t for t in triples(type(found)(bare, 0, 0, ""), iri) if t.subject != data]
    return Response(serialise(said, form, iri), content_type=f"{_TYPES[form]}; charset=utf-8")


def _mentioned(entity: Json) -> list[str]:
    out: dict[str, None] = {}
    for one in statements(entity):
        for snak in snaks_in(one):
            out[snak["property"]] = None
            value = snak.get("datavalue", {}).get("value")
            if isinstance(value, dict) and "id" in value:
                out[value["id"]] = None
    return list(out)


def _index(site: Site) -> Response | Redirect:
    title = site.canonical(request.args.get("title", "Main Page"))
    row = site.db.latest(title)
    if request.args.get("action") == "raw" and row:
        return Response(row["text"], content_type="text/x-wiki; charset=utf-8")
    return redirect(f"/wiki/{title.replace(' ', '_')}")


def _fault(site: Site) -> Response:
    """Arm a fault (POST with JSON), list what is armed (GET), or disarm all (DELETE)."""
    if request.method == "DELETE":
        site.faults.clear()
    if request.method == "POST":
        given = request.get_json(force=True, silent=True)
        if not isinstance(given, dict) or given.get("kind") not in KINDS:
            said = {"error": f"give JSON with a kind, one of: {', '.join(KINDS)}"}
            return Response(json.dumps(said), 400, content_type="application/json")
        if isinstance(given.get("edit"), dict):
            edit = {key: str(value) for key, value in given["edit"].items()}
            by = given.pop("by", "PlainUser")
            if by not in ACCOUNTS:
                said = {"error": f"nobody here is called {by}; known: {', '.join(ACCOUNTS)}"}
                return Response(json.dumps(said), 400, content_type="application/json")
            given["edit"] = lambda: act(site, by, edit)
        site.faults.arm(**given)
    body = {"armed": site.faults.listing(), "kinds": KINDS, "notice": NOTICE}
    return Response(json.dumps(body), content_type="application/json")


def act(site: Site, name: str, params: dict[str, str]) -> Json:
    """Carry out an API call as somebody, without HTTP and without faults; return the answer's body."""
    aside = site.aside(Faults())
    session = aside.session(None)
    session.user = user(name) if name else User()
    module = MODULES.get(params.get("action", ""))
    given = {"token": session.token(module.token if module else "csrf"), **params}
    return answer(Call(aside, session, given)).body


def _page_title(site: Site, name: str) -> str:
    return site.db.namespaces.title(name) if is_id(name) else name


def _sign(response: Response) -> Response:
    response.headers["X-Sandbox"] = "no Wikidata"
    return response


__all__ = ["ACT_MODULES", "Dropped", "act", "make_app"]
