"""Which pages of a wiki are meant: by category, by a file of titles, by queries; and only changed ones are fetched again."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from cli_runner import call
from crawl_site import Asking, CrawlSite

from bot.corpus import read
from bot.corpus.crawl.run import CrawlSummary
from bot.errors import InputError, LookupFailed

Crawled = Callable[..., CrawlSummary]
TREE = {  # category: (pages, subcategories)
    "Category:Physics": (["Force", "Energy"], ["Category:Optics", "Category:Physics"]),
    "Category:Optics": (["Lens", "Energy"], ["Category:Lasers"]),
    "Category:Lasers": (["Maser"], []),
}


def members(asking: Asking) -> dict[str, Any]:
    """Answer as list=categorymembers does, two members at once."""
    asked = asking.query
    pages, below = TREE.get(asked["cmtitle"], ([], []))
    spaces = asked["cmnamespace"].split("|")
    found = [{"ns": 0, "title": title} for title in pages]
    found += [{"ns": 14, "title": title} for title in below if "14" in spaces]
    start = int(asked.get("cmcontinue", "0"))
    answer: dict[str, Any] = {"query": {"categorymembers": found[start : start + 2]}}
    if len(found) > start + 2:
        answer["continue"] = {"cmcontinue": str(start + 2), "continue": "-||"}
    return answer


def serve(site: CrawlSite, *titles: str, language: str = "en") -> None:
    for number, title in enumerate(titles, 1):
        site.article(title, f"'''{title}''' is <math>x = {number}</math>.", 1000 + number, language)


def api(site: CrawlSite, language: str = "en") -> list[dict[str, str]]:
    path = f"/{language}/w/api.php"
    return [asking.query for asking in site.asked if asking.path.startswith(path)]


@pytest.mark.parametrize(
    ("depth", "titles"),
    [(0, ["Force", "Energy"]), (1, ["Force", "Energy", "Lens"]), (2, ["Force", "Energy", "Lens", "Maser"])],
)
def test_a_category_is_walked_so_deep_and_each_page_fetched_once(
    site: CrawlSite, crawled: Crawled, tmp_path: Path, depth: int, titles: list[str]
) -> None:
    serve(site, "Force", "Energy", "Lens", "Maser")
    site.json("/en/w/api.php", members)
    assert crawled("wikipedia", categories=("Physics",), depth=depth).fetched == len(titles)
    assert [p for p in site.paths() if "/page/" in p] == [f"/en/w/rest.php/v1/page/{title}" for title in titles]
    assert {asked["maxlag"] for asked in api(site)} == {"5"}


def test_categories_and_titles_can_be_for_one_language_alone(site: CrawlSite, crawled: Crawled, tmp_path: Path) -> None:
    serve(site, "Force")
    serve(site, "Kraft", language="de")
    (tmp_path / "titles.txt").write_text("# remark\nen:Force\n\nde:Kraft\n", encoding="utf-8")
    found = crawled("wikipedia", titles_file=str(tmp_path / "titles.txt"), languages=("en", "de"))
    assert (found.fetched, found.vanished) == (2, [])
    pages = read([str(tmp_path / "corpus")])
    assert [(p.document.title, p.document.language) for p in pages] == [("Kraft", "de"), ("Force", "en")]


def test_an_empty_category_is_an_error_and_no_empty_answer(site: CrawlSite, crawled: Crawled) -> None:
    site.json("/en/w/api.php", members)
    with pytest.raises(InputError, match="no page is meant"):
        crawled("wikipedia", categories=("Nothing",))


def test_a_lagging_wiki_is_waited_for(site: CrawlSite, crawled: Crawled, crawl_time: Any) -> None:
    serve(site, "Force", "Energy")
    lag = {"error": {"code": "maxlag", "info": "Waiting for a host: 7 seconds lagged."}}
    answers = [lag, lag]

    def late(asking: Asking) -> Any:
        return answers.pop() if answers else members(asking)

    site.json("/en/w/api.php", late)
    assert crawled("wikipedia", categories=("Physics",)).fetched == 2
    assert crawl_time.slept[:3] == [1.0, 1.0, 2.0]  # its turn; then doubling, where the wiki names no time


def test_a_second_crawl_asks_fifty_revisions_at_once_and_fetches_what_changed(
    site: CrawlSite, crawled: Crawled, crawl_time: Any
) -> None:
    titles = [f"Law {n}" for n in range(60)]
    serve(site, *titles)
    revisions = {title: 1000 + n for n, title in enumerate(titles, 1)}

    def info(asking: Asking) -> Any:
        named = asking.query["titles"].split("|")
        return {"query": {"pages": [{"title": title, "lastrevid": revisions[title]} for title in named]}}

    site.json("/en/w/api.php", info)
    assert crawled("wikipedia", titles=tuple(titles)).fetched == 60
    crawl_time.now += 86_400
    revisions["Law 7"] = 2000
    site.article("Law 7", "'''Law 7''' is <math>x = -7</math>.", 2000)
    site.asked.clear()
    found = crawled("wikipedia", titles=tuple(titles))
    assert (found.fetched, found.unchanged) == (1, 59)
    assert [len(asked["titles"].split("|")) for asked in api(site)] == [50, 10]
    assert [p for p in site.paths() if "/page/" in p] == ["/en/w/rest.php/v1/page/Law_7"]


def sparql(site: CrawlSite, columns: list[str], rows: list[tuple[str, ...]]) -> dict[str, Any]:
    bindings = [{c: {"type": "literal", "value": v} for c, v in zip(columns, row, strict=True)} for row in rows]
    return {"head": {"vars": columns}, "results": {"bindings": bindings}}


def test_the_articles_of_items_without_a_formula_are_fetched_with_their_item(
    site: CrawlSite, crawled: Crawled, tmp_path: Path
) -> None:
    serve(site, "Stokes law")
    serve(site, "Stokessches Gesetz", language="de")
    entity = "http://www.wikidata.org/entity/"
    asked: list[str] = []

    def answer(asking: Asking) -> Any:
        query = asking.query["query"]
        asked.append(query)
        if "NOT EXISTS" in query:
            return sparql(
                site,
                ["item"],
                [] if '"http://' in query.split("STR(?item)")[1] else [(f"{entity}L7",), (f"{entity}Q5",)],
            )
        titles = {"en": "Stokes law", "de": "Stokessches Gesetz"}
        rows = [(f"{entity}Q5", title, code, f"{site.address}/{code}/") for code, title in titles.items()]
        return sparql(site, ["item", "title", "language", "project"], rows)

    site.json("/sparql", answer)
    found = crawled("wikipedia", without_formula=True, classes=("Q65943",), languages=("en", "de"))
    assert (found.fetched, found.failed) == (2, [])
    assert "wd:Q65943" in asked[0]
    assert not any("wd:L7" in query for query in asked)
    pages = list(read([str(tmp_path / "corpus")]))
    assert [(p.document.title, p.document.identifiers) for p in pages] == [
        ("Stokessches Gesetz", (("qid", "Q5"),)),
        ("Stokes law", (("qid", "Q5"),)),
    ]


def test_a_query_of_ones_own_names_articles_by_their_address(site: CrawlSite, crawled: Crawled, tmp_path: Path) -> None:
    serve(site, "Stokes law")
    (tmp_path / "mine.rq").write_text("SELECT ?article WHERE { }", encoding="utf-8")
    rows = [(f"{site.address}/en/wiki/Stokes_law",), ("https://elsewhere.example/wiki/Other",)]
    site.json("/sparql", lambda _: sparql(site, ["article"], rows))
    assert crawled("wikipedia", query=str(tmp_path / "mine.rq")).fetched == 1


def test_a_query_that_fails_is_no_empty_list(site: CrawlSite, crawled: Crawled, tmp_path: Path) -> None:
    (tmp_path / "mine.rq").write_text("SELECT ?article WHERE { }", encoding="utf-8")
    with pytest.raises(LookupFailed):
        crawled("wikipedia", query=str(tmp_path / "mine.rq"))
    site.json("/sparql", lambda _: sparql(site, ["thing"], [("x",)]))
    with pytest.raises(InputError, match="gives neither the column"):
        crawled("wikipedia", query=str(tmp_path / "mine.rq"))


def test_another_wiki_says_itself_where_its_articles_are(site: CrawlSite, crawled: Crawled, tmp_path: Path) -> None:
    serve(site, "Force", language="mine")
    general = {"server": site.address, "articlepath": "/lex/$1", "lang": "fr"}
    site.json("/mine/w/api.php", lambda _: {"query": {"general": general}})
    site.robots("User-agent: *\nDisallow: /lex/Energy\n")
    found = crawled("wikipedia", site=f"{site.address}/mine/w/api.php", titles=("Force", "Energy"))
    assert (found.fetched, [str(why) for _, why in found.forbidden]) == (1, ["robots.txt forbids it"])
    (page,) = read([str(tmp_path / "corpus")])
    assert (page.document.language, page.document.title) == ("fr", "Force")


def test_a_page_that_was_renamed_is_one_document(site: CrawlSite, crawled: Crawled, tmp_path: Path) -> None:
    serve(site, "Force")
    crawled("wikipedia", titles=("Force",))
    serve(site, "Force (physics)")
    site.redirect("/en/w/rest.php/v1/page/Force", "/en/w/rest.php/v1/page/Force_%28physics%29", 307)
    assert crawled("wikipedia", titles=("Force",)).fetched == 1
    assert [page.document.title for page in read([str(tmp_path / "corpus")])] == ["Force (physics)"]
    assert not (tmp_path / "corpus" / "en" / "Force.wiki").exists()


def test_a_file_of_two_addresses_stays_while_one_leads_to_it(site: CrawlSite, crawled: Crawled, tmp_path: Path) -> None:
    serve(site, "Force", "Energy")
    path = "/en/w/rest.php/v1/page/The_force"
    titles = ("Force", "The force")

    def documents() -> list[str]:
        return [page.document.title for page in read([str(tmp_path / "corpus")])]

    site.redirect(path, "/en/w/rest.php/v1/page/Force", 307)
    crawled("wikipedia", titles=titles)
    del site.pages[path]
    assert len(crawled("wikipedia", titles=titles).vanished) == 1
    assert documents() == ["Force"]
    site.redirect(path, "/en/w/rest.php/v1/page/Energy", 307)
    crawled("wikipedia", titles=titles)
    assert sorted(documents()) == ["Energy", "Force"]


def test_a_page_that_is_no_wikitext_is_not_kept(site: CrawlSite, crawled: Crawled, tmp_path: Path) -> None:
    serve(site, "Style")
    path = "/en/w/rest.php/v1/page/Style"
    page = site.pages[path]
    site.pages[path] = page.__class__(page.body.replace(b'"wikitext"', b'"css"'), headers=page.headers)
    assert [str(why) for _, why in crawled("wikipedia", titles=("Style",)).unusable] == ["is not wikitext (css)"]
    assert not (tmp_path / "corpus" / "en").exists()


def test_a_crawl_that_goes_on_asks_for_no_revision_that_it_has_just_fetched(site: CrawlSite, crawled: Crawled) -> None:
    serve(site, "Force", "Energy")
    site.json("/en/w/api.php", lambda _: {"query": {"pages": []}})
    titles = ("Force", "Energy", "Work")
    site.pages["/en/w/rest.php/v1/page/Work"] = site.pages["/en/w/api.php"]  # no page of the REST API
    assert len(crawled("wikipedia", titles=titles).failed) == 1
    assert (crawled("wikipedia", titles=titles).resumed, api(site)) == (2, [])


def test_a_redirect_and_its_page_are_one_document(site: CrawlSite, crawled: Crawled, tmp_path: Path) -> None:
    serve(site, "Force")
    site.redirect("/en/w/rest.php/v1/page/The_force", "/en/w/rest.php/v1/page/Force", 307)
    assert crawled("wikipedia", titles=("Force", "The force")).complete
    assert [page.document.title for page in read([str(tmp_path / "corpus")])] == ["Force"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("wikipedia",), "wikipedia needs titles, categories, a query"),
        (("wikipedia", "--title", "A", "--language", "en,"), "'' is not a language code"),
        (("arxiv",), "arxiv needs identifiers"),
        (("arxiv", "--id", "nonsense"), "'nonsense' is not an arXiv identifier"),
        (("arxiv", "--from", "2026-13-01"), "'2026-13-01' is not a date"),
        (("arxiv", "--from", "2026-02-01", "--until", "2026-01-01"), "there is no day"),
        (("http", "ftp://example.org/"), "is not an address that can be fetched"),
        (("sitemap", "file:///etc/passwd"), "is not an address that can be fetched"),
    ],
)
def test_an_order_that_cannot_be_meant_is_one_line(tmp_path: Path, arguments: tuple[str, ...], said: str) -> None:
    (tmp_path / "bot.toml").write_text('[agent]\ncontact = "User:Somebody"\n', encoding="utf-8")
    into = ("--into", tmp_path / "corpus", "--config", tmp_path / "bot.toml")
    call("crawl", *arguments, *into).refused(said)
    assert not (tmp_path / "corpus").exists()
