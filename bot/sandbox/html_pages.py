"""Pages of the rehearsal wiki for people, and the articles of the rehearsal encyclopaedia."""

from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from urllib.parse import unquote

from flask import render_template
from markupsafe import Markup

from bot.sandbox.act_entities import formula_html
from bot.sandbox.call import Json
from bot.sandbox.database import Row
from bot.sandbox.editing import value_text
from bot.sandbox.entity_json import best_label, best_term
from bot.sandbox.repository import StoredEntity
from bot.sandbox.site import NOTICE, Site, capitalised
from bot.settings import resource

PATH = "/articles/<language>/api.php"
PATTERN = "/articles/{language}/api.php"
_REDIRECT = "#REDIRECT [["


def html_page(title: str, template: str = "base.html", **values: object) -> str:
    """Return a whole page; the plain template shows `text`."""
    return render_template(template, title=title, notice=NOTICE, **values)


def start_page(site: Site) -> str:
    """Return the start page: what there is, and the addresses of the interfaces."""
    interfaces = (("Action API", site.api), ("SPARQL", f"{site.server}/sparql"), ("Changes", f"{site.server}/changes"))
    pages = site.db.rows("SELECT title, entity FROM pages WHERE entity <> '' ORDER BY latest DESC LIMIT 50")
    counts = site.siteinfo_counts()
    return html_page(site.name, "start.html", counts=counts, interfaces=interfaces, pages=pages, label=_labels(site))


def entity_page(site: Site, stored: StoredEntity) -> str:
    """Return an entity's page with labels, statements, references and its data in other forms."""
    content = stored.entity
    return html_page(
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


def history_page(site: Site, title: str) -> str:
    """Return a page's revisions, newest first."""
    return _table(f"History of {title}", site.db.history(title)[::-1][:200])


def recent_changes_page(site: Site) -> str:
    """Return the latest changes of the whole wiki."""
    return _table("Recent changes", site.db.rows("SELECT * FROM changes ORDER BY id DESC LIMIT 200"))


def _table(title: str, rows: list[Row]) -> str:
    return html_page(title, "changes.html", rows=[{"title": "", **row} for row in rows])


def _labels(site: Site) -> Callable[[str], str]:
    def label(entity_id: str) -> str:
        found, _ = site.repository.resolve(entity_id)
        return f"{best_label(found.entity)} ({entity_id})" if found else entity_id

    return label


@cache
def example_articles() -> Mapping[tuple[str, str], str]:
    """Return wikitext by (language, title)."""
    folder = resource("examples", "articles")
    files = sorted(Path(folder).glob("*/*.wiki"))
    return {
        (file.parent.name, unquote(file.stem).replace("_", " ")): file.read_text(encoding="utf-8") for file in files
    }


def articles_answer(language: str, params: Mapping[str, str]) -> Json:
    """Answer action=query for the texts of titles, in the shape of formatversion 2; other actions are an error."""
    if params.get("action") != "query" or "revisions" not in params.get("prop", "").split("|"):
        info = "The rehearsal encyclopaedia only tells the texts of its articles."
        return {"error": {"code": "badvalue", "info": info}}
    normalized: list[Json] = []
    redirects: list[Json] = []
    pages: dict[str, Json] = {}
    for requested in filter(None, params.get("titles", "").split("|")):
        title = capitalised(" ".join(requested.replace("_", " ").split()))
        if title != requested:
            normalized.append({"fromencoded": False, "from": requested, "to": title})
        text = example_articles().get((language, title), "")
        if text.startswith(_REDIRECT) and params.get("redirects"):
            target = text[len(_REDIRECT) :].partition("]]")[0]
            redirects.append({"from": title, "to": target})
            title = target
        pages[title] = _page(language, title)
    changed = {"normalized": normalized, "redirects": redirects}
    query = {name: pairs for name, pairs in changed.items() if pairs} | {"pages": list(pages.values())}
    return {"batchcomplete": True, "query": query}


def _page(language: str, title: str) -> Json:
    text = example_articles().get((language, title))
    if text is None:
        return {"ns": 0, "title": title, "missing": True}
    number = sorted(example_articles()).index((language, title)) + 1
    content = {"contentmodel": "wikitext", "contentformat": "text/x-wiki", "content": text}
    revision = {"revid": 1000 + number, "parentid": 0, "slots": {"main": content}}
    return {"pageid": number, "ns": 0, "title": title, "revisions": [revision]}
