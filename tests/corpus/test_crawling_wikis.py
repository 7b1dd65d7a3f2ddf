"""Pages of a wiki: fetched by the REST API, kept as wikitext, cited by their revision."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from crawl_site import LICENCE, CrawlSite, SitePage

from bot import store
from bot.corpus import read
from bot.corpus.crawl.run import CrawlSummary
from bot.discover import discover
from bot.discover.retrieval_days import first_days
from bot.propose.references import cite
from bot.settings import Properties, Proposing, Settings
from bot.store import Workspace

LAW = (
    "'''Ohm's law''' says that the current is <math>I = \\frac{V}{R}</math>, where <math>R</math> is the resistance.\n"
)
Crawled = Callable[..., CrawlSummary]


def rows(folder: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in (folder / "manifest.jsonl").read_text(encoding="utf-8").splitlines()]


def test_a_page_becomes_a_document_with_its_revision_licence_and_day(
    site: CrawlSite, crawled: Crawled, tmp_path: Path, workspace: Workspace
) -> None:
    site.article("Ohm's law", LAW, 1234)
    found = crawled("wikipedia", titles=("Ohm's law",))
    assert (found.fetched, found.complete, found.failed) == (1, True, [])
    corpus = tmp_path / "corpus"
    (row,) = rows(corpus)
    assert (row["path"], row["revision"], row["licence"]) == ("en/Ohm's_law.wiki", "1234", LICENCE["title"])
    assert (corpus / "en" / "Ohm's_law.wiki").read_text(encoding="utf-8") == LAW
    assert discover(workspace, [str(corpus)], Settings(), quiet=True).formulas == 2
    (document,) = (page.document for page in read([str(corpus)]))
    assert document.title == "Ohm's law"
    assert document.url == f"{site.address}/en/w/index.php?title=Ohm%27s_law&oldid=1234"
    assert (document.language, document.licence, document.retrieved) == ("en", LICENCE["title"], "2027-01-15")
    cited = cite(document, Properties(), Proposing(wiki_sources=True), document.retrieved).reference
    assert cited is not None
    assert [(name, value) for name, _, value in cited.snaks] == [
        ("P854", document.url),
        ("P813", "+2027-01-15T00:00:00Z"),
    ]
    assert first_days(workspace) == {"corpus/en/Ohm's_law.wiki": "2027-01-15"}


def test_a_second_crawl_asks_with_conditions_and_keeps_the_day(
    site: CrawlSite, crawled: Crawled, tmp_path: Path, crawl_time: Any
) -> None:
    site.article("Ohm's law", LAW, 1234)
    crawled("wikipedia", titles=("Ohm's law",))
    before = rows(tmp_path / "corpus")[0]
    crawl_time.now += 3 * 86_400
    found = crawled("wikipedia", titles=("Ohm's law",))
    assert (found.fetched, found.unchanged) == (0, 1)
    assert site.asked[-1].headers["If-None-Match"] == before["etag"]
    (after,) = rows(tmp_path / "corpus")
    assert (after["status"], after["day"], after["digest"]) == ("unchanged", before["day"], before["digest"])
    assert str(after["checked"])[:10] == "2027-01-18"


def test_a_changed_page_carries_its_new_revision_and_day(
    site: CrawlSite, crawled: Crawled, tmp_path: Path, crawl_time: Any
) -> None:
    site.article("Ohm's law", LAW, 1234)
    crawled("wikipedia", titles=("Ohm's law",))
    site.article("Ohm's law", LAW + "More.", 1300)
    crawl_time.now += 86_400
    assert crawled("wikipedia", titles=("Ohm's law",)).fetched == 1
    (row,) = rows(tmp_path / "corpus")
    assert (row["revision"], row["day"], row["status"]) == ("1300", "2027-01-16", "fetched")


def test_what_is_new_of_a_page_is_read_again(
    site: CrawlSite, crawled: Crawled, tmp_path: Path, workspace: Workspace, crawl_time: Any
) -> None:
    """The text, a revision with the same text, a licence: each reaches the workspace with its day."""

    def told() -> tuple[str, str, str]:
        crawled("wikipedia", titles=("Ohm's law",))
        discover(workspace, [str(tmp_path / "corpus")], Settings(), quiet=True)
        (row,) = workspace.rows(sa.select(store.documents))
        return row["url"].rpartition("=")[2], row["licence"], first_days(workspace)[row["id"]]

    site.article("Ohm's law", LAW, 1234)
    assert told() == ("1234", LICENCE["title"], "2027-01-15")
    crawl_time.now += 86_400
    site.article("Ohm's law", LAW + "More.", 1300)
    assert told() == ("1300", LICENCE["title"], "2027-01-16")
    crawl_time.now += 86_400
    site.article("Ohm's law", LAW + "More.", 1301)
    assert told() == ("1301", LICENCE["title"], "2027-01-17")
    crawl_time.now += 86_400
    path = "/en/w/rest.php/v1/page/Ohm%27s_law"
    site.pages[path] = SitePage(site.pages[path].body.replace(b"Alike 4.0", b"Alike 5.0"))
    assert told() == ("1301", LICENCE["title"].replace("4.0", "5.0"), "2027-01-17")


def test_nobody_is_asked_without_a_contact(site: CrawlSite, tmp_path: Path) -> None:
    from cli_runner import call

    said = call("crawl", "wikipedia", "--title", "Ohm's law", "--into", tmp_path / "corpus")
    said.refused("agent.contact is empty")
    assert not (tmp_path / "corpus").exists()
    assert site.asked == []


def test_a_vanished_page_is_named_and_kept_out(site: CrawlSite, crawled: Crawled, tmp_path: Path) -> None:
    site.article("Ohm's law", LAW, 1234)
    site.article("Hooke's law", "'''Hooke's law''' is <math>F = -k x</math>.", 99)
    titles = ("Ohm's law", "Hooke's law")
    crawled("wikipedia", titles=titles)
    del site.pages["/en/w/rest.php/v1/page/Ohm%27s_law"]
    found = crawled("wikipedia", titles=titles)
    assert [(url.rpartition("/")[2], str(why)) for url, why in found.vanished] == [
        ("Ohm%27s_law", "HTTP 404 on 2027-01-15")
    ]
    skipped: list[tuple[str, str]] = []
    pages = list(
        read([str(tmp_path / "corpus")], on_skip=lambda path, why: skipped.append((Path(path).name, str(why))))
    )
    assert [page.document.title for page in pages] == ["Hooke's law"]
    assert skipped == [("Ohm's_law.wiki", "has vanished from where it was fetched (HTTP 404 on 2027-01-15)")]


def test_a_file_that_was_changed_by_hand_is_read_without_what_the_manifest_says(
    site: CrawlSite, crawled: Crawled, tmp_path: Path
) -> None:
    site.article("Ohm's law", LAW, 1234)
    crawled("wikipedia", titles=("Ohm's law",))
    (tmp_path / "corpus" / "en" / "Ohm's_law.wiki").write_text(LAW + "<math>P = V I</math>", encoding="utf-8")
    (page,) = read([str(tmp_path / "corpus")])
    assert (page.document.url, page.document.licence, page.document.retrieved) == ("", "", "")
    crawled("wikipedia", titles=("Ohm's law",))  # is fetched again
    (page,) = read([str(tmp_path / "corpus")])
    assert page.document.url.endswith("oldid=1234")


def test_the_manifest_itself_is_no_document(site: CrawlSite, crawled: Crawled, tmp_path: Path) -> None:
    site.article("Ohm's law", LAW, 1234)
    crawled("wikipedia", titles=("Ohm's law",))
    ignored: dict[str, str] = {}
    list(read([str(tmp_path / "corpus")], on_ignore=lambda path, why: ignored.setdefault(Path(path).name, str(why))))
    assert "manifest.jsonl" in ignored
    assert set(ignored.values()) == {"is the list of what a crawl fetched, and no document"}


@pytest.mark.parametrize("title", ["", "a|b", "a#b"])
def test_what_is_no_title_is_refused(site: CrawlSite, crawled: Crawled, title: str) -> None:
    from bot.errors import InputError

    with pytest.raises(InputError, match="is not a title of a page"):
        crawled("wikipedia", titles=(title,))
    assert site.asked == []
