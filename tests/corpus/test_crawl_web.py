"""Web folders and site maps: what belongs to them, where it is kept, and what it is read as."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path

import pytest
from crawl_site import PAGE, CrawlSite, SitePage

from bot.corpus import read
from bot.corpus.crawl.run import CrawlSummary
from bot.corpus.crawl.web_source import file_path_of, links_of
from bot.errors import LookupFailed

Crawled = Callable[..., CrawlSummary]


def pages_of(site: CrawlSite) -> list[str]:
    return [path for path in site.paths() if path != "/robots.txt"]


def map_of(*urls: str, index: bool = False) -> bytes:
    outer, inner = ("sitemapindex", "sitemap") if index else ("urlset", "url")
    entries = "".join(f"<{inner}><loc>{url}</loc></{inner}>" for url in urls)
    space = "http://www.sitemaps.org/schemas/sitemap/0.9"
    return f'<?xml version="1.0" encoding="UTF-8"?><{outer} xmlns="{space}">{entries}</{outer}>'.encode()


def test_an_index_page_and_what_it_links_to_below_its_path_is_fetched(
    site: CrawlSite, crawled: Crawled, tmp_path: Path
) -> None:
    links = [
        "one.html",
        "two",
        "picture.png",
        "../other.html",
        "one.html#part",
        "?C=N;O=D",
        "http://elsewhere.example/",
    ]
    site.page("/book/", "".join(f'<a href="{link}">x</a>' for link in [*links, "mailto:a@b.c"]))
    site.page("/book/one.html", PAGE.format(number=1).replace("</p>", '<a href="three.html">next</a></p>'))
    site.page("/book/two", PAGE.format(number=2))
    site.page("/book/three.html", PAGE.format(number=3))
    found = crawled("http", url=f"{site.address}/book/")
    assert pages_of(site) == ["/book/", "/book/one.html", "/book/two"]
    assert (found.fetched, found.complete) == (3, True)
    crawled("http", url=f"{site.address}/book/", depth=1)
    assert pages_of(site)[-1] == "/book/three.html"
    documents = {page.document.url: page.document.title for page in read([str(tmp_path / "corpus")])}
    assert documents[f"{site.address}/book/two"] == "Page 2"


def test_links_are_followed_from_a_page_that_has_not_changed(site: CrawlSite, crawled: Crawled) -> None:
    site.index("one.html", "two.html")
    crawled("http", url=f"{site.address}/book/")
    found = crawled("http", url=f"{site.address}/book/")
    assert (found.unchanged, found.fetched, found.documents) == (3, 0, 3)
    assert [a.headers.get("If-None-Match") is not None for a in site.asked] == [False] * 4 + [False] + [True] * 3


@pytest.mark.parametrize("packed", [False, True])
def test_a_site_map_and_the_maps_of_an_index_list_pages(
    site: CrawlSite, crawled: Crawled, packed: bool, tmp_path: Path
) -> None:
    a = site.address
    site.index("one.html", "two.html", "three.html")
    maps = [map_of(f"{a}/book/one.html", f"{a}/book/two.html"), map_of(f"{a}/book/three.html", "http://other.example/")]
    for number, data in enumerate(maps):
        body = gzip.compress(data) if packed else data
        site.pages[f"/map{number}.xml"] = SitePage(body, headers={"Content-Type": "application/xml"})
    site.pages["/map.xml"] = SitePage(
        map_of("http://other.example/map.xml", f"{a}/map0.xml", f"{a}/map1.xml", f"{a}/gone.xml", index=True)
    )
    found = crawled("sitemap", url=f"{a}/map.xml")
    assert found.fetched == 3
    assert [(url.rpartition("/")[2], str(why).split(",")[0]) for url, why in found.failed] == [
        ("map.xml", "is a site map on another host"),
        ("", "is on another host than its site map"),
        ("gone.xml", "is not a site map (HTTP 404)"),
    ]
    assert not found.complete


@pytest.mark.parametrize("body", [b"", b"<urlset><url><loc>x", b"<html></html>", b"\x1f\x8bnothing", b"\x00\xff"])
def test_what_is_no_site_map_is_an_error(site: CrawlSite, crawled: Crawled, body: bytes) -> None:
    site.pages["/map.xml"] = SitePage(body, headers={"Content-Type": "application/xml"})
    with pytest.raises(LookupFailed, match="is not a site map"):
        crawled("sitemap", url=f"{site.address}/map.xml")


def test_a_site_map_reads_no_file_and_no_entity(site: CrawlSite, crawled: Crawled, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("http://127.0.0.1/stolen")
    body = (
        f'<!DOCTYPE urlset [<!ENTITY s SYSTEM "file://{tmp_path}/secret">]><urlset><url><loc>&s;</loc></url></urlset>'
    )
    site.pages["/map.xml"] = SitePage(body.encode(), headers={"Content-Type": "application/xml"})
    assert crawled("sitemap", url=f"{site.address}/map.xml").documents == 0


@pytest.mark.parametrize(
    ("url", "is_html", "path"),
    [
        ("https://example.org/", True, "example.org/index.html"),
        ("https://example.org/a/b", True, "example.org/a/b.html"),
        ("https://example.org/a/b.tex", False, "example.org/a/b.tex"),
        ("https://example.org:8080/a%2Fb/../c?x=1", True, "example.org%3A8080/a/b/%2E./c%3Fx=1.html"),
        ("https://example.org/.git/config", False, "example.org/%2Egit/config"),
        ("https://example.org//a", False, "example.org/_/a"),
        ("https://example.org/" + "ä" * 300, True, None),
    ],
)
def test_a_file_stays_in_its_folder_whatever_its_address(url: str, is_html: bool, path: str | None) -> None:
    found = file_path_of(url, is_html)
    assert path is None or found == path
    assert all(not part.startswith(".") and 0 < len(part.encode()) <= 200 for part in found.split("/"))


def test_a_page_that_cannot_be_kept_is_named(site: CrawlSite, crawled: Crawled) -> None:
    site.index("a.html", "a.html/b.html", "c.html")
    found = crawled("http", url=f"{site.address}/book/")
    assert [str(why) for _, why in found.failed] == ["cannot be kept: another document has its name"]
    assert found.fetched == 3


def test_links_of_a_page_that_is_broken_are_those_that_can_be_read() -> None:
    page = b'<base href="/x/"><a href="a">1<a href="http://[broken">2<a href="b?c">3<a href="a#d">4<a>5'
    assert list(links_of(page, "https://example.org/start")) == ["https://example.org/x/a"]
    assert list(links_of(b"", "https://example.org/")) == []


@pytest.mark.parametrize(
    ("head", "encoding"), [("", "utf-8"), ("", "latin-1"), ('<meta charset="latin-1">', "latin-1"), ("", "utf-8-sig")]
)
def test_links_with_letters_beyond_ascii_are_read_as_the_page_is_encoded(head: str, encoding: str) -> None:
    page = f'{head}<a href="Fluß.html">x</a>'.encode(encoding)
    assert list(links_of(page, "https://example.org/")) == ["https://example.org/Flu%C3%9F.html"]


def test_an_index_that_leads_to_its_folder_is_followed_below_that_folder(site: CrawlSite, crawled: Crawled) -> None:
    site.pages["/book"] = SitePage(status=301, headers={"Location": "/book/"})
    site.page("/book/", '<a href="one.html">x</a><a href="%6Fne.html">x</a><a href="/other.html">x</a>')
    site.page("/book/one.html", PAGE.format(number=1))
    found = crawled("http", url=f"{site.address}/book")
    assert pages_of(site) == ["/book", "/book/", "/book/one.html"]
    assert (found.fetched, found.complete) == (2, True)


def test_a_redirect_may_name_its_address_in_utf8(site: CrawlSite, crawled: Crawled) -> None:
    site.index("one.html")
    site.pages["/book/one.html"] = SitePage(
        status=302, headers={"Location": "/book/größe.html".encode().decode("latin-1")}
    )
    site.page("/book/gr%C3%B6%C3%9Fe.html", PAGE.format(number=1))
    assert (crawled("http", url=f"{site.address}/book/").fetched, pages_of(site)[-1]) == (2, "/book/größe.html")


def test_a_page_of_no_stated_type_is_kept_as_html_if_it_is_that(
    site: CrawlSite, crawled: Crawled, tmp_path: Path
) -> None:
    site.index("one", "two")
    site.page("/book/one", PAGE.format(number=1), **{"Content-Type": ""})
    site.page("/book/two", "x = 1", **{"Content-Type": ""})
    crawled("http", url=f"{site.address}/book/")
    assert sorted(path.name for path in tmp_path.rglob("book/*")) == ["index.html", "one.html", "two"]


def test_an_index_page_that_is_not_there_is_a_failure(site: CrawlSite, crawled: Crawled) -> None:
    assert not crawled("http", url=f"{site.address}/book/").complete


def test_an_index_of_site_maps_in_an_index_is_named(site: CrawlSite, crawled: Crawled) -> None:
    site.pages["/sitemap.xml"] = SitePage(map_of(f"{site.address}/inner.xml", index=True))
    site.pages["/inner.xml"] = SitePage(map_of(f"{site.address}/pages.xml", index=True))
    found = crawled("sitemap", url=f"{site.address}/sitemap.xml")
    assert [(url, str(why)) for url, why in found.failed] == [
        (f"{site.address}/inner.xml", "is not a site map, but <sitemapindex>")
    ]
