"""An encyclopaedia to rehearse on: a few articles in several languages, served as an Action API serves their wikitext.

The articles are those of examples/articles/<language>/<title>.wiki, written for this project. Nothing of them can be edited.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from urllib.parse import unquote

from bot.sandbox.call import Json
from bot.settings import resource

PATH = "/articles/<language>/api.php"
PATTERN = "/articles/{language}/api.php"
_REDIRECT = "#REDIRECT [["


@cache
def shelf() -> Mapping[tuple[str, str], str]:
    """Return wikitext by (language, title)."""
    folder = resource("examples", "articles")
    files = sorted(Path(folder).glob("*/*.wiki"))
    return {
        (file.parent.name, unquote(file.stem).replace("_", " ")): file.read_text(encoding="utf-8") for file in files
    }


def answer(language: str, params: Mapping[str, str]) -> Json:
    """Answer action=query for the texts of titles, in the shape of formatversion 2; other actions are an error."""
    if params.get("action") != "query" or "revisions" not in params.get("prop", "").split("|"):
        info = "The rehearsal encyclopaedia only tells the texts of its articles."
        return {"error": {"code": "badvalue", "info": info}}
    normalized: list[Json] = []
    redirects: list[Json] = []
    pages: dict[str, Json] = {}
    for given in filter(None, params.get("titles", "").split("|")):
        title = _normal(given)
        if title != given:
            normalized.append({"fromencoded": False, "from": given, "to": title})
        text = shelf().get((language, title), "")
        if text.startswith(_REDIRECT) and params.get("redirects"):
            target = text[len(_REDIRECT) :].partition("]]")[0]
            redirects.append({"from": title, "to": target})
            title = target
        pages[title] = _page(language, title)
    changed = {"normalized": normalized, "redirects": redirects}
    query = {name: pairs for name, pairs in changed.items() if pairs} | {"pages": list(pages.values())}
    return {"batchcomplete": True, "query": query}


def _page(language: str, title: str) -> Json:
    text = shelf().get((language, title))
    if text is None:
        return {"ns": 0, "title": title, "missing": True}
    number = sorted(shelf()).index((language, title)) + 1
    content = {"contentmodel": "wikitext", "contentformat": "text/x-wiki", "content": text}
    return {
        "pageid": number,
        "ns": 0,
        "title": title,
        "revisions": [{"revid": 1000 + number, "parentid": 0, "slots": {"main": content}}],
    }


def _normal(title: str) -> str:
    plain = " ".join(title.replace("_", " ").split())
    return plain[:1].upper() + plain[1:]
