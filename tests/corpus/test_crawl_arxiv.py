"""Papers of arXiv: records with their licence, lists that go on, tokens that expire, sources of every kind."""

from __future__ import annotations

import gzip
import io
import json
import tarfile
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from crawl_site import Asking, CrawlSite, SitePage

from bot.corpus import read
from bot.corpus.crawl.arxiv_source import oai_set, source_suffix
from bot.corpus.crawl.fetcher import UnsupportedContent
from bot.corpus.crawl.run import CrawlSummary
from bot.errors import LookupFailed
from bot.settings import Crawling

Crawled = Callable[..., CrawlSummary]
HTML = '<!DOCTYPE html><html lang="en"><body class="ltx_document"><p>So <math alttext="E=mc^{2}"></math>.</p></body></html>'
LICENCE = "http://creativecommons.org/licenses/by/4.0/"


def record(number: str, day: str = "2026-11-02", more: str = "") -> str:
    """Return a record of the format arXiv, as https://oaipmh.arxiv.org answers it."""
    return (
        f"<record><header><identifier>oai:arXiv.org:{number}</identifier><datestamp>{day}</datestamp>"
        f"<setSpec>physics:hep-th</setSpec></header><metadata><arXiv xmlns='http://arxiv.org/OAI/arXiv/'><id>{number}</id>"
        f"<created>2026-10-01</created><authors><author><keyname>Doe</keyname></author></authors><title>Paper\n  {number}</title>"
        f"<categories>hep-th</categories>{more}<license>{LICENCE}</license><abstract>E = mc^2</abstract></arXiv></metadata></record>"
    )


def oai(inside: str) -> SitePage:
    text = f"<?xml version='1.0'?><OAI-PMH xmlns='http://www.openarchives.org/OAI/2.0/'><request/>{inside}</OAI-PMH>"
    return SitePage(text.encode(), headers={"Content-Type": "text/xml"})


def tar(**files: str) -> bytes:
    held = io.BytesIO()
    with tarfile.open(fileobj=held, mode="w:gz") as archive:
        for name, text in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(text.encode())
            archive.addfile(info, io.BytesIO(text.encode()))
    return held.getvalue()


@pytest.fixture
def papers(site: CrawlSite, crawled: Crawled) -> Callable[..., CrawlSummary]:
    a = site.address
    lists = a.replace("127.0.0.1", "localhost")  # another host of the same operator
    settings = Crawling(arxiv_oai=f"{lists}/oai", arxiv_eprint=f"{a}/e-print/{{id}}", arxiv_html=f"{a}/html/{{id}}")
    return lambda **given: crawled("arxiv", crawling=settings, **given)


def rows(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "corpus" / "manifest.jsonl").read_text().splitlines()]


def test_a_paper_comes_with_its_licence_title_doi_and_version(
    site: CrawlSite, papers: Crawled, tmp_path: Path, crawl_time: Any
) -> None:
    body = record("hep-th/9901001", more="<doi>10.1000/xyz</doi>")
    site.pages["/oai"] = oai(f"<GetRecord>{body}</GetRecord>")
    held = {
        "Content-Disposition": 'attachment; filename="arXiv-hep-th9901001v3.tar.gz"',
        "Content-Type": "application/gzip",
    }
    site.pages["/e-print/hep-th/9901001"] = SitePage(tar(main="\\documentclass{article}"), headers=held)
    assert papers(ids=("arXiv:hep-th/9901001v2",)).complete
    assert [a.query for a in site.asked if a.path.startswith("/oai")] == [
        {"verb": "GetRecord", "identifier": "oai:arXiv.org:hep-th/9901001", "metadataPrefix": "arXiv"}
    ]
    (row,) = rows(tmp_path)
    assert (row["path"], row["licence"]) == ("arxiv/hep-th_9901001.tar.gz", LICENCE)
    assert (row["title"], row["identifiers"]) == (
        "Paper hep-th/9901001",
        [["arxiv", "hep-th/9901001"], ["doi", "10.1000/xyz"], ["arxiv_class", "hep-th"]],
    )
    assert row["permanent_url"] == "https://arxiv.org/abs/hep-th/9901001v3"
    times = [asking.time for asking in site.asked]
    assert min(b - a for a, b in pairwise(times)) >= 3.0  # arXiv's terms of use


def test_the_html_of_a_paper_is_read_with_what_its_record_says(
    site: CrawlSite, papers: Crawled, tmp_path: Path
) -> None:
    site.pages["/oai"] = oai(f"<GetRecord>{record('2101.00001')}</GetRecord>")
    stated = '<head><link rel="canonical" href="https://ar5iv.labs.arxiv.org/html/2101.00001"><link rel="license" href="https://l.example/"></head>'
    site.page("/html/2101.00001", HTML.replace("<body", f"{stated}<body"))
    papers(ids=("2101.00001",), html=True)
    (page,) = read([str(tmp_path / "corpus")])
    found = page.document
    assert (found.title, dict(found.identifiers)) == (
        "Paper 2101.00001",
        {"arxiv": "2101.00001", "arxiv_class": "hep-th"},
    )
    assert found.licence == "https://l.example/"  # what the file says itself
    assert (found.url, found.retrieved) == ("https://arxiv.org/abs/2101.00001", "2027-01-15")


def listing(site: CrawlSite, parts: int, expires: int = -1) -> None:
    """Serve a list of two records a part; the token of one part is refused once."""
    refused = [expires]

    def answer(asking: Asking) -> SitePage:
        token = asking.query.get("resumptionToken", "")
        part = int(token.removeprefix("t") or 0)
        if part == refused[0]:
            refused[0] = -1
            return oai("<error code='badResumptionToken'>expired</error>")
        more = f"t{part + 1}" if part + 1 < parts else ""
        numbers = [f"2101.{2 * part + n:05d}" for n in range(2)]
        inside = "".join(map(record, numbers)) + f"<resumptionToken>{more}</resumptionToken>"
        return oai(f"<ListRecords>{inside}</ListRecords>")

    site.pages["/oai"] = answer
    for number in range(2 * parts):
        site.page(f"/html/2101.{number:05d}", HTML)


def test_a_list_goes_on_by_its_tokens(site: CrawlSite, papers: Crawled) -> None:
    listing(site, 3)
    assert papers(category="hep-th", since="2026-11-01", until="2026-11-07", html=True).fetched == 6
    first, second, third = (a.query for a in site.asked if a.path.startswith("/oai"))
    assert first == {
        "verb": "ListRecords", "metadataPrefix": "arXiv", "set": "physics:hep-th", "from": "2026-11-01", "until": "2026-11-07",
    }  # fmt: skip
    assert (second, third) == tuple({"verb": "ListRecords", "resumptionToken": t} for t in ("t1", "t2"))


def test_a_list_whose_token_has_expired_is_asked_for_once_more(site: CrawlSite, papers: Crawled) -> None:
    listing(site, 3, expires=2)
    assert papers(category="hep-th", html=True).fetched == 6
    tokens = [a.query.get("resumptionToken", "") for a in site.asked if a.path.startswith("/oai")]
    assert tokens == ["", "t1", "t2", "", "t1", "t2"]
    assert sum(path.startswith("/html/") for path in site.paths()) == 6


def test_an_unchanged_record_needs_no_request_of_its_paper(site: CrawlSite, papers: Crawled) -> None:
    listing(site, 2)
    papers(category="hep-th", html=True)
    site.asked.clear()
    assert papers(category="hep-th", html=True).unchanged == 4
    assert [path for path in site.paths() if path.startswith("/html/")] == []


@pytest.mark.parametrize(
    ("inside", "said"),
    [
        ("<error code='badArgument'>no such set</error>", "badArgument: no such set"),
        ("<Identify/>", "without records"),
    ],
)
def test_an_answer_without_records_is_no_empty_list(site: CrawlSite, papers: Crawled, inside: str, said: str) -> None:
    site.pages["/oai"] = oai(inside)
    with pytest.raises(LookupFailed, match=said):
        papers(category="hep-th")


@pytest.mark.parametrize("body", [b"<OAI-PMH><ListRecords><record>", b"", b"<html/>"])
def test_broken_xml_is_an_error(site: CrawlSite, papers: Crawled, body: bytes) -> None:
    site.pages["/oai"] = SitePage(body, headers={"Content-Type": "text/xml"})
    with pytest.raises(LookupFailed):
        papers(category="hep-th")


def test_what_has_no_source_or_record_is_named_and_skipped(site: CrawlSite, papers: Crawled) -> None:
    known = {"2101.00001": record("2101.00001"), "2101.00002": record("2101.00002")}

    def answer(asking: Asking) -> SitePage:
        number = asking.query["identifier"].rpartition(":")[2]
        unknown = "<error code='idDoesNotExist'>no</error>"
        return oai(f"<GetRecord>{known[number]}</GetRecord>" if number in known else unknown)

    site.pages["/oai"] = answer
    site.pages["/e-print/2101.00001"] = SitePage(b"%PDF-1.5", headers={"Content-Type": "application/pdf"})
    site.pages["/e-print/2101.00002"] = SitePage(
        gzip.compress(b"%!PS-Adobe", mtime=0), headers={"Content-Type": "application/gzip"}
    )
    found = papers(ids=("2101.00001", "2101.00002", "2101.00003"))
    assert [str(why) for _, why in found.unusable] == ["is there as a PDF only", "is there as PostScript only"]
    assert [(url, str(why)) for url, why in found.failed] == [
        ("https://arxiv.org/abs/2101.00003", "has no record (idDoesNotExist)")
    ]


@pytest.mark.parametrize(
    ("data", "suffix"),
    [
        (tar(a="x" * 600), ".tar.gz"),
        (gzip.decompress(tar(a="x")), ".tar"),
        (gzip.compress(b"\\documentclass{article}", mtime=0), ".tex.gz"),
        (b"\\input amstex", ".tex"),
        (b"<!DOCTYPE html><html>", ".html"),
    ],
    ids=["tar.gz", "tar", "tex.gz", "tex", "html"],  # an archive holds the time at which it was made
)
def test_a_source_gets_the_suffix_of_what_it_is(data: bytes, suffix: str) -> None:
    assert source_suffix(data) == suffix


@pytest.mark.parametrize("data", [b"%PDF-1.5", gzip.compress(b"%PDF-1.5", mtime=0), b"%!PS", b"\x1f\x8bbroken"])
def test_what_no_reader_reads_is_not_kept(data: bytes) -> None:
    with pytest.raises(UnsupportedContent):
        source_suffix(data)


def test_categories_are_told_as_sets() -> None:
    found = [oai_set(c) for c in ("hep-th", "math.AG", "astro-ph.GA", "cs", "physics:gr-qc")]
    assert found == ["physics:hep-th", "math:math:AG", "physics:astro-ph:GA", "cs:cs", "physics:gr-qc"]
