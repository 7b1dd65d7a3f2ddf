"""Pages for people: an item with its formulas drawn, a property, a wiki page, its history; each says it is no Wikidata."""

from __future__ import annotations

import html
from typing import Any

from bot.sandbox.act_values import formula_html
from bot.sandbox.entity_json import best_label
from bot.sandbox.repository import Stored
from bot.sandbox.site import NOTICE, Site

Json = dict[str, Any]
_STYLE = (
    "body{font:1em/1.5 system-ui,sans-serif;max-width:60em;margin:0 auto;padding:0 1em 3em;color:#1b1b1b}"
    ".notice{background:#7a1f1f;color:#fff;padding:.6em 1em;margin:0 -1em 1em;font-weight:600}"
    ".notice a{color:#fff}dt{font-weight:600;margin-top:.8em}dd{margin:0 0 .3em 1.2em}"
    ".rank{color:#666;font-size:.85em}.ref{color:#444;font-size:.9em;margin-left:1.2em}code{background:#f2f2f2}"
    "math{font-size:1.2em}table{border-collapse:collapse}td,th{padding:.2em .8em;border-bottom:1px solid #ddd}"
)


def page(title: str, body: str) -> str:
    """Return a whole page around a body."""
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        f"<title>{html.escape(title)} – no Wikidata</title><style>{_STYLE}</style></head><body>"
        f'<p class="notice" role="note">{NOTICE} <a href="/">Start</a></p>'
        f"<main><h1>{html.escape(title)}</h1>{body}</main></body></html>"
    )


def front(site: Site) -> str:
    """Return the front page: what there is and where the machines' doors are."""
    counts = site.siteinfo_counts()
    doors = (("Action API", site.api), ("SPARQL", f"{site.server}/sparql"), ("Changes", f"{site.server}/changes"))
    links = "".join(f'<li>{name}: <a href="{url}"><code>{url}</code></a></li>' for name, url in doors)
    rows = site.db.rows("SELECT title, entity FROM pages WHERE entity <> '' ORDER BY latest DESC LIMIT 50")
    items = "".join(
        f'<li><a href="/wiki/{row["title"]}">{html.escape(_names(site)(row["entity"]))}</a></li>' for row in rows
    )
    text = (
        f"<p>{counts['pages']} pages, {counts['edits']} edits.</p><ul>{links}</ul><h2>Latest pages</h2><ul>{items}</ul>"
    )
    return page(site.name, text)


def entity(site: Site, stored: Stored) -> str:
    """Return an entity's page with labels, statements, references and its data in other forms."""
    content = stored.entity
    labels = _names(site)
    parts = [f"<p>{html.escape(_first(content['descriptions']))}</p>"]
    aliases = [alias["value"] for group in content["aliases"].values() for alias in group]
    if aliases:
        parts.append(f"<p>Also known as: {html.escape(', '.join(aliases))}</p>")
    forms = "".join(
        f' <a href="/wiki/Special:EntityData/{content["id"]}.{form}">{form}</a>' for form in ("json", "ttl", "nt")
    )
    parts.append(f'<p>Revision {stored.revision}, <a href="/history/{content["id"]}">history</a>. Data:{forms}</p><dl>')
    for prop, group in content["claims"].items():
        parts.append(f"<dt>{_link(prop, labels)}</dt>")
        parts += [f"<dd>{_statement(one, labels)}</dd>" for one in group]
    parts.append("</dl>")
    return page(f"{best_label(content)} ({content['id']})", "".join(parts))


def wikitext(title: str, text: str) -> str:
    return page(title, f"<pre>{html.escape(text)}</pre>")


def history(site: Site, title: str) -> str:
    """Return a page's revisions, newest first."""
    rows = site.db.rows(
        "SELECT r.* FROM revisions r JOIN pages ON r.page = pages.id WHERE title = ? ORDER BY r.id DESC LIMIT 200",
        title,
    )
    return page(f"History of {title}", _table(rows))


def changes(site: Site) -> str:
    """Return the latest changes of the whole wiki."""
    return page("Recent changes", _table(site.db.rows("SELECT * FROM changes ORDER BY id DESC LIMIT 200")))


def _table(rows: list[Json]) -> str:
    def row(one: Json) -> str:
        title = one.get("title", "")
        cells = (one["time"], title, one["user"], "bot" if one["bot"] else "", one["comment"])
        return "<tr>" + "".join(f"<td>{html.escape(str(cell))}</td>" for cell in cells) + "</tr>"

    head = "<tr><th>time</th><th>page</th><th>user</th><th>bot</th><th>summary</th></tr>"
    return f"<table><caption>{len(rows)} edits</caption>{head}{''.join(map(row, rows))}</table>"


def _statement(one: Json, labels: Any) -> str:
    rank = "" if one["rank"] == "normal" else f' <span class="rank">({one["rank"]})</span>'
    parts = [_snak(one["mainsnak"], labels) + rank]
    for group in one.get("qualifiers", {}).values():
        parts += [f'<div class="ref">{_link(q["property"], labels)}: {_snak(q, labels)}</div>' for q in group]
    for ref in one.get("references", ()):
        told = [f"{_link(s['property'], labels)} {_snak(s, labels)}" for g in ref["snaks"].values() for s in g]
        parts.append(f'<div class="ref">Reference: {"; ".join(told)}</div>')
    return "".join(parts)


def _snak(snak: Json, labels: Any) -> str:
    if snak["snaktype"] != "value":
        return f"<em>{snak['snaktype']}</em>"
    value = snak["datavalue"]["value"]
    if snak["datatype"] == "math":
        return f"{formula_html(value)} <code>{html.escape(value)}</code>"
    if isinstance(value, dict) and "id" in value:
        return _link(value["id"], labels)
    shown = html.escape(str(value.get("time") or value.get("text") or value) if isinstance(value, dict) else str(value))
    safe = snak["datatype"] == "url" and str(value).startswith(("http://", "https://"))
    return f'<a rel="nofollow" href="{html.escape(str(value))}">{shown}</a>' if safe else shown


def _link(entity_id: str, labels: Any) -> str:
    return f'<a href="/entity/{entity_id}">{html.escape(labels(entity_id))}</a>'


def _names(site: Site) -> Any:
    def name(entity_id: str) -> str:
        found, _ = site.repository.resolve(entity_id)
        return f"{best_label(found.entity)} ({entity_id})" if found else entity_id

    return name


def _first(terms: Json) -> str:
    return next((term["value"] for term in (*(terms[k] for k in ("en", "mul") if k in terms), *terms.values())), "")
