"""Pages for people: an item with its formulas drawn, a property, a wiki page, its history; each with the notice that it is not Wikidata."""

from __future__ import annotations

from collections.abc import Callable

from flask import render_template
from markupsafe import Markup

from bot.sandbox.act_values import formula_html
from bot.sandbox.database import Row
from bot.sandbox.editing import value_text
from bot.sandbox.entity_json import best_label, best_term
from bot.sandbox.repository import Stored
from bot.sandbox.site import NOTICE, Site


def page(title: str, template: str = "base.html", **values: object) -> str:
    """Return a whole page; the plain template shows `text`."""
    return render_template(template, title=title, notice=NOTICE, **values)


def start(site: Site) -> str:
    """Return the start page: what there is, and the addresses of the interfaces."""
    interfaces = (("Action API", site.api), ("SPARQL", f"{site.server}/sparql"), ("Changes", f"{site.server}/changes"))
    pages = site.db.rows("SELECT title, entity FROM pages WHERE entity <> '' ORDER BY latest DESC LIMIT 50")
    counts = site.siteinfo_counts()
    return page(site.name, "start.html", counts=counts, interfaces=interfaces, pages=pages, label=_labels(site))


def entity(site: Site, stored: Stored) -> str:
    """Return an entity's page with labels, statements, references and its data in other forms."""
    content = stored.entity
    return page(
        f"{best_label(content)} ({content['id']})",
        "entity.html",
        stored=stored,
        description=best_term(content["descriptions"]),
        aliases=[alias for group in content["aliases"].values() for alias in group],
        label=_labels(site),
        title_of=site.page_title,
        script="/w/index.php?title=MediaWiki:Common.js&action=raw" if site.db.latest("MediaWiki:Common.js") else "",
        text=value_text,
        formula=lambda tex: Markup(formula_html(tex)),
    )


def history(site: Site, title: str) -> str:
    """Return a page's revisions, newest first."""
    sql = "SELECT r.* FROM revisions r JOIN pages ON r.page = pages.id WHERE title = ? ORDER BY r.id DESC LIMIT 200"
    return _table(f"History of {title}", site.db.rows(sql, title))


def changes(site: Site) -> str:
    """Return the latest changes of the whole wiki."""
    return _table("Recent changes", site.db.rows("SELECT * FROM changes ORDER BY id DESC LIMIT 200"))


def _table(title: str, rows: list[Row]) -> str:
    return page(title, "changes.html", rows=[{"title": "", **row} for row in rows])


def _labels(site: Site) -> Callable[[str], str]:
    def label(entity_id: str) -> str:
        found, _ = site.repository.resolve(entity_id)
        return f"{best_label(found.entity)} ({entity_id})" if found else entity_id

    return label
