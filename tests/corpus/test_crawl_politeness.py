"""What a site asks of us is kept, whatever it answers; what it does wrong costs no more than the page that it is about."""

from __future__ import annotations

import json
from collections.abc import Callable
from email.utils import formatdate
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from crawl_site import CrawlSite, SitePage

from bot.corpus import read
from bot.corpus.crawl.fetcher import Fetcher
from bot.corpus.crawl.journal import Journal
from bot.corpus.crawl.run import CrawlSummary, plan
from bot.corpus.manifest import ManifestRow, read_manifest
from bot.errors import InputError, LookupFailed, SourceError, WorkspaceError
from bot.messages import Message
from bot.settings import Agent, Crawling, CrawlOrder, Settings

Crawled = Callable[..., CrawlSummary]
BOOK = "/book/"
NAMES = [f"{n}.html" for n in range(1, 6)]


@pytest.fixture
def book(site: CrawlSite, crawled: Crawled) -> Callable[..., CrawlSummary]:
    """A function that crawls an index page with five others."""
    site.index(*NAMES)
    return lambda **given: crawled("http", url=f"{site.address}{BOOK}", **given)


def asked(site: CrawlSite, name: str) -> int:
    return site.paths().count(f"{BOOK}{name}")


def why(found: list[tuple[str, str]]) -> list[tuple[str, str]]:
    return [(url.rpartition("/")[2], str(reason)) for url, reason in found]


def test_who_asks_is_said_and_how_often_is_kept(site: CrawlSite, book: Crawled) -> None:
    assert book().fetched == 6
    agents = {asking.headers["User-Agent"] for asking in site.asked}
    assert len(agents) == 1
    assert "(User:Somebody)" in agents.pop()
    times = [asking.time for asking in site.asked]
    assert min(b - a for a, b in pairwise(times)) >= 1.0
    assert site.most_at_once == 1


@pytest.mark.parametrize(
    ("text", "least"),
    [
        ("User-agent: *\nCrawl-delay: 5\n", 5.0),
        ("User-agent: *\nRequest-rate: 1/10s\n", 10.0),
        ("User-agent: FormulaConceptBot\nCrawl-delay: 0.5\n", 1.0),
    ],
)
def test_a_site_may_ask_for_more_time_and_not_for_less(site: CrawlSite, book: Crawled, text: str, least: float) -> None:
    site.robots(text)
    book()
    times = [asking.time for asking in site.asked]
    assert min(b - a for a, b in pairwise(times)) >= least


@pytest.mark.parametrize(
    "text",
    [
        "User-agent: *\nDisallow: /book/2\n",
        "\ufeffUser-agent: *\nDisallow: /book/2\n",
        "User-agent: *\n\nDisallow: /*/2.html$\n",
        "User-agent: FormulaConceptBot\nDisallow: /book/2\n\nUser-agent: *\nDisallow:\n",
        "User-agent: *\nDisallow: /\nAllow: /book/\nDisallow: /book/2\n",
    ],
)
def test_what_robots_forbids_is_named_and_not_asked(site: CrawlSite, book: Crawled, text: str) -> None:
    site.robots(text)
    found = book()
    assert why(found.forbidden) == [("2.html", "robots.txt forbids it")]
    assert (found.fetched, found.complete, asked(site, "2.html")) == (5, False, 0)


def test_what_an_operator_is_permitted_is_asked_all_the_same(site: CrawlSite, book: Crawled) -> None:
    site.robots("User-agent: *\nDisallow: /\n")
    assert book(crawling=Crawling(permitted=(f"{site.address}/book/",))).fetched == 6


@pytest.mark.parametrize("status", [401, 403, 404, 410])
def test_robots_that_are_not_there_forbid_nothing(site: CrawlSite, book: Crawled, status: int) -> None:
    site.robots("User-agent: *\nDisallow: /\n", status)
    assert book().fetched == 6


@pytest.mark.parametrize(
    ("status", "forbidden"), [(401, True), (402, False), (403, True), (451, True), (400, False), (418, False)]
)
def test_a_page_that_the_site_refuses_is_forbidden_and_another_status_a_failure(
    site: CrawlSite, book: Crawled, status: int, forbidden: bool
) -> None:
    site.pages["/book/2.html"] = SitePage(status=status)
    found = book()
    assert [[name for name, _ in why(rows)] for rows in (found.forbidden, found.failed)] == (
        [["2.html"], []] if forbidden else [[], ["2.html"]]
    )
    assert f"HTTP {status}" in [*why(found.forbidden), *why(found.failed)][0][1]


def test_robots_out_of_reach_forbid_all(site: CrawlSite, book: Crawled, crawl_time: Any) -> None:
    site.robots("", 500)
    found = book()
    assert why(found.failed) == [
        ("", "its robots.txt cannot be had: it has an error of its own (HTTP 500)"),
    ]
    assert set(site.paths()) == {"/robots.txt"}
    site.robots("")
    assert book().fetched == 6


def test_robots_are_asked_once_in_a_crawl(site: CrawlSite, book: Crawled) -> None:
    site.robots("User-agent: *\nDisallow:\n")
    book()
    assert site.paths().count("/robots.txt") == 1


def test_a_redirect_into_what_robots_forbid_is_not_followed(site: CrawlSite, book: Crawled) -> None:
    site.robots("User-agent: *\nDisallow: /secret\n")
    site.redirect("/book/2.html", "/secret")
    assert why(book().forbidden) == [("2.html", "robots.txt forbids it")]
    assert "/secret" not in site.paths()


def test_silence_that_a_site_asks_for_is_kept(site: CrawlSite, book: Crawled, crawl_time: Any) -> None:
    dated = formatdate(crawl_time.now + 100, usegmt=True)
    site.faults["/book/2.html"] = [SitePage(status=429, headers={"Retry-After": "30"})]
    site.faults["/book/3.html"] = [SitePage(status=503, headers={"Retry-After": dated})]
    site.faults["/book/4.html"] = [SitePage(status=429)]
    assert book().fetched == 6
    times = {name: [a.time for a in site.asked if a.path.endswith(name)] for name in NAMES}
    assert times["2.html"][1] - times["2.html"][0] >= 30
    assert times["3.html"][1] >= 1_800_000_100
    assert times["4.html"][1] - times["4.html"][0] >= 60  # no time named: a minute


def test_longer_silence_than_we_wait_ends_the_crawl_and_is_kept_by_the_next(
    site: CrawlSite, book: Crawled, crawl_time: Any, tmp_path: Path
) -> None:
    site.faults["/book/2.html"] = [SitePage(status=429, headers={"Retry-After": "7200"})]
    found = book()
    assert [name for name, _ in why(found.failed)] == ["2.html"]
    assert (found.fetched, found.not_asked, found.complete) == (2, 3, False)
    requests = len(site.asked)
    assert (book().not_asked, len(site.asked)) == (4, requests)
    slept, journal = [*crawl_time.slept], Journal(tmp_path / "silent", "order", crawl_time.clock, dry=True)
    fetcher = Fetcher(Agent(contact="t"), Crawling(), journal, crawl_time.sleep)
    journal.rest_until = crawl_time.now + 7200
    for ask in (lambda url: fetcher.get(url, documented=True), lambda url: fetcher.ask_api(url, "query")):
        with pytest.raises(LookupFailed, match="120 minutes"):
            ask(f"{site.address}/book/1.html")
    fetcher.close()
    assert (len(site.asked), crawl_time.slept) == (requests, slept)
    crawl_time.now += 7200
    assert book().fetched == 6
    assert [asked(site, name) for name in ("", *NAMES)] == [1, 1, 2, 1, 1, 1]


def test_a_crawl_that_is_killed_while_it_waits_waits_on(
    site: CrawlSite, book: Crawled, crawl_time: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    site.faults["/book/2.html"] = [SitePage(status=429, headers={"Retry-After": "500"})]
    sleep = crawl_time.sleep

    def killed(seconds: float) -> None:
        if seconds > 100:
            raise KeyboardInterrupt
        sleep(seconds)

    monkeypatch.setattr(crawl_time, "sleep", killed)
    with pytest.raises(KeyboardInterrupt):
        book()
    told = site.asked[-1].time
    monkeypatch.setattr(crawl_time, "sleep", sleep)
    found = book()
    times = [asking.time for asking in site.asked]
    assert min(b - a for a, b in pairwise(times)) >= 1.0
    second = [a.time for a in site.asked if a.path == "/book/2.html"][1]
    assert second - told >= 500
    assert (found.fetched, found.resumed) == (6, 2)
    assert [asked(site, name) for name in ("", *NAMES)] == [1, 1, 2, 1, 1, 1]


@pytest.mark.parametrize(
    ("fault", "times"),
    [
        (SitePage(b"<html>" + b"x" * 1000, cut=200), 2),
        (SitePage(status=500), 2),
        (SitePage(status=503), 2),
    ],
)
def test_what_fails_once_is_asked_again(site: CrawlSite, book: Crawled, fault: SitePage, times: int) -> None:
    site.faults["/book/3.html"] = [fault]
    assert book().fetched == 6
    assert asked(site, "3.html") == times


def test_a_page_that_always_breaks_off_is_named_and_the_rest_is_had(site: CrawlSite, book: Crawled) -> None:
    site.pages["/book/3.html"] = SitePage(b"x" * 1000, cut=200)
    found = book()
    (name, reason), *rest = why(found.failed)
    assert (name, rest, found.fetched) == ("3.html", [], 5)
    assert "broke off in the middle of its answer" in reason
    site.page("/book/3.html", "<html><body>whole</body></html>")
    site.asked.clear()
    again = book()
    assert (again.fetched, again.resumed, again.complete) == (6, 5, True)
    assert [path for path in site.paths() if path != "/robots.txt"] == ["/book/3.html"]


def test_a_body_of_a_byte_at_a_time_has_a_deadline(site: CrawlSite, book: Crawled) -> None:
    site.pages["/book/3.html"] = SitePage(b"x" * 1000, drip=0.05)
    found = book(timeout=1.5)  # the others answer in that time on a busy machine too
    assert why(found.failed) == [("3.html", "did not answer within 1.5 s")]
    assert found.fetched == 5


def test_redirects_are_followed_on_the_host_and_not_for_ever(site: CrawlSite, book: Crawled, tmp_path: Path) -> None:
    site.redirect("/book/1.html", "/book/moved.html")
    site.page("/book/moved.html", "<html><body>here</body></html>")
    site.redirect("/book/2.html", "/book/2.html")
    site.redirect("/book/3.html", "http://10.0.0.1/internal")
    site.redirect("/book/4.html", "file:///etc/passwd")
    found = book()
    times = [asking.time for asking in site.asked]
    assert min(b - a for a, b in pairwise(times)) >= 1.0 - 1e-6  # of a redirect, too
    assert why(found.failed) == [
        ("2.html", "redirects again and again"),
        ("3.html", "redirects to another host (10.0.0.1), which is not followed"),
        ("4.html", "redirects to another host (file:///etc/passwd), which is not followed"),
    ]
    assert found.fetched == 3
    assert (
        tmp_path / "corpus" / site.address.removeprefix("http://").replace(":", "%3A") / "book" / "moved.html"
    ).exists()


def test_what_is_too_large_or_of_no_use_is_named(site: CrawlSite, book: Crawled) -> None:
    site.pages["/book/1.html"] = SitePage(b"x" * (2 << 20))
    site.pages["/book/2.html"] = SitePage(b"%PDF", headers={"Content-Type": "application/pdf"})
    site.pages["/book/3.html"] = SitePage(b"\x89PNG", headers={"Content-Type": "image/png"})
    found = book(crawling=Crawling(largest_megabytes=1))
    assert why(found.failed) == [("1.html", "sent more than 1,048,576 bytes, which is more than any answer needs")]
    assert why(found.unusable) == [
        ("2.html", "is there as a PDF only"),
        ("3.html", "is of the type image/png, which no reader reads"),
    ]


def test_a_site_that_is_down_is_left_alone_and_what_failed_is_asked_last(site: CrawlSite, book: Crawled) -> None:
    for name in ("1.html", "2.html", "3.html"):
        site.pages[f"/book/{name}"] = SitePage(status=500)
    found = book()
    assert (len(found.failed), found.not_asked) == (3, 2)
    site.asked.clear()
    again = book()
    order = list(dict.fromkeys(path for path in site.paths() if path != "/robots.txt"))
    assert order == [f"/book/{n}.html" for n in (4, 5, 1, 2, 3)]
    assert (again.fetched, len(again.failed), again.not_asked) == (3, 3, 0)


def test_what_failed_is_no_reason_to_leave_the_rest_as_it_is_for_ever(
    site: CrawlSite, book: Crawled, crawl_time: Any
) -> None:
    site.pages["/book/3.html"] = SitePage(status=400)
    assert book().fetched == 5
    crawl_time.now += 13 * 3600
    site.asked.clear()
    assert book().unchanged == 5
    assert asked(site, "1.html") == 1


def test_what_failed_is_asked_again_by_the_next_crawl_and_not_after_a_kill(
    site: CrawlSite, book: Crawled, crawl_time: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    site.pages["/book/1.html"] = SitePage(status=500)
    site.faults["/book/4.html"] = [SitePage(status=429, headers={"Retry-After": "500"})]
    sleep = crawl_time.sleep

    def killed(seconds: float) -> None:
        if seconds > 100:
            raise KeyboardInterrupt
        sleep(seconds)

    monkeypatch.setattr(crawl_time, "sleep", killed)
    with pytest.raises(KeyboardInterrupt):
        book()
    assert asked(site, "1.html") == 4
    monkeypatch.setattr(crawl_time, "sleep", sleep)
    assert (len(book().failed), asked(site, "1.html")) == (1, 4)
    site.page("/book/1.html", "<html><body>mended</body></html>")
    assert (book().failed, asked(site, "1.html"), asked(site, "2.html")) == ([], 5, 1)


@pytest.mark.parametrize("text", ['{"path": "a.png", "width": 3}\n', '{"path": "a.png"}', "[]\n", "x"])
def test_a_manifest_of_something_else_is_left_as_it_is(
    site: CrawlSite, book: Crawled, tmp_path: Path, text: str
) -> None:
    (tmp_path / "corpus").mkdir()
    (tmp_path / "corpus" / "manifest.jsonl").write_text(text)
    with pytest.raises(InputError, match="is there already, and no manifest of a crawl"):
        book()
    assert (tmp_path / "corpus" / "manifest.jsonl").read_text() == text
    (tmp_path / "corpus" / "law.wiki").write_text("'''A law''' is <math>a=b</math>.")
    assert [page.document.url for page in read([str(tmp_path / "corpus")])] == [""]


def test_an_incomplete_line_of_a_crawls_state_is_removed_unless_nothing_is_written(tmp_path: Path) -> None:
    state, whole = (
        tmp_path / ".crawl-o.jsonl",
        '{"started": "2026-11-20T00:00:00Z", "retried": "2026-11-20T00:00:00Z"}\n{"question": "q", "answer": 1}\n',
    )
    for dry, left in ((True, whole + '{"rest'), (False, whole)):
        state.write_text(whole + '{"rest', encoding="utf-8")
        with Journal(tmp_path, "o", lambda: 1_800_000_000.0, dry=dry) as journal:
            assert journal.answer_once("q", lambda: pytest.fail("asked")) == 1
            assert journal.started == "2026-11-20T00:00:00Z"
            assert state.read_text(encoding="utf-8").startswith(left)
    state.write_text(whole + "odd\n", encoding="utf-8")
    with Journal(tmp_path, "o", lambda: 1_800_000_000.0) as journal:
        assert journal.answer_once("q", lambda: 2) == 2  # the crawl begins anew
        assert journal.started > "2026-11-20T00:00:00Z"


@pytest.mark.parametrize(
    ("text", "addresses"),
    [
        ('{"url": "u", "source": "http", "path": "p", "status": "x"}\n{"url": "v", "source": "http", "path": "q", "status": "x"}\n', ["u", "v"]), ('{"title": "x"}\n', None), ('["url"]\n', None), ("no JSON\n", None), ("", []),
        ('{"url": "u", "source": "http", "path": "p", "status": "x"}\n{"url": "v"', ["u"]), ("no JSON", None), ('{"url": 3, "source": "http", "path": "p", "status": "x"}\n', None),
    ],
)  # fmt: skip
def test_a_manifest_is_told_by_its_first_line(tmp_path: Path, text: str, addresses: list[str] | None) -> None:
    (tmp_path / "manifest.jsonl").write_text(text)
    rows = read_manifest(tmp_path / "manifest.jsonl")
    assert (rows if rows is None else [*rows]) == addresses


def test_why_a_page_could_not_be_had_is_told_by_its_code_or_as_it_was_stored() -> None:
    row = ManifestRow("u", "http", reason="gone")
    failed = row.as_failed("failed", Message("stopped.another"))
    assert [str(each.status_message) for each in (row, failed)] == ["gone", str(Message("stopped.another"))]
    assert (failed.status, failed.reason) == ("failed", str(Message("stopped.another")))
    assert row.document_metadata == ("", "", "", "", "", "", (), "")


def test_a_damaged_line_of_a_manifest_is_named(site: CrawlSite, book: Crawled, tmp_path: Path) -> None:
    book()
    path = tmp_path / "corpus" / "manifest.jsonl"
    lines = path.read_text().splitlines()
    path.write_text("\n".join([*lines[:2], "broken", *lines[2:]]) + "\n")
    for use in (book, lambda: list(read([str(tmp_path / "corpus")]))):
        with pytest.raises(SourceError, match=r"manifest.jsonl:3: is not a line of a crawl's manifest"):
            use()


def test_a_site_where_everything_fails_once_is_asked_no_faster_than_its_errors_allow(
    site: CrawlSite, crawled: Crawled
) -> None:
    names = [f"{n}.html" for n in range(45)]
    site.index(*names)
    for name in names:
        site.faults[f"{BOOK}{name}"] = [SitePage(status=500)]
    assert crawled("http", url=f"{site.address}{BOOK}").fetched == 46
    failing = [a.time for n, a in enumerate(site.asked) if a.path not in [b.path for b in site.asked[:n]]][2:]
    assert all(later - first >= 60 for first, later in zip(failing, failing[20:], strict=False))


def test_a_site_without_tags_is_asked_by_time_and_else_by_what_it_sends(
    site: CrawlSite, book: Crawled, crawl_time: Any, tmp_path: Path
) -> None:
    day = {"Last-Modified": "Fri, 20 Nov 2026 08:00:00 GMT"}
    site.pages["/book/1.html"] = SitePage(b"<html><body>dated</body></html>", headers=day)
    site.pages["/book/2.html"] = SitePage(b"<html><body>undated</body></html>")
    book()
    crawl_time.now += 3 * 86_400
    site.asked.clear()
    found = book()
    assert (found.unchanged, found.fetched) == (6, 0)
    dated = {a.path: a.headers.get("If-Modified-Since") for a in site.asked}
    assert (dated["/book/1.html"], dated["/book/2.html"]) == (day["Last-Modified"], None)
    rows = map(json.loads, (tmp_path / "corpus" / "manifest.jsonl").read_text().splitlines())
    assert {(row["status"], row["day"]) for row in rows} == {("unchanged", "2027-01-15")}


def test_a_folder_is_crawled_by_one_at_a_time(site: CrawlSite, book: Crawled, tmp_path: Path, crawl_time: Any) -> None:
    with (
        Journal(tmp_path / "corpus", "other", crawl_time.clock),
        pytest.raises(WorkspaceError, match="is in use by another crawl"),
    ):
        book()
    assert site.asked == []
    one, other = (Journal(tmp_path / "corpus", name, crawl_time.clock) for name in "ab")
    with one, pytest.raises(WorkspaceError):
        other.__enter__()
    assert other._lock is not None
    assert other._lock.closed


class Killed(BaseException):
    """The process is gone: nothing of ours runs after it."""


def test_killed_at_any_moment_a_crawl_goes_on_and_asks_for_nothing_twice(
    site: CrawlSite, book: Crawled, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Every moment at which something gets to the disk: before it, and after the half of a line."""
    from bot.corpus.crawl import journal

    site.robots("")
    real, left = journal.os.fsync, [0]

    def fsync(number: int) -> None:
        left[0] -= 1
        if left[0] < 0:
            raise Killed
        real(number)

    monkeypatch.setattr(journal.os, "fsync", fsync)
    moments = 0
    for moment in range(100):
        left[0] = moment
        try:
            book()
            break
        except Killed:
            moments += 1
            for path in [tmp_path / "corpus" / "manifest.jsonl", *(tmp_path / "corpus").glob(".crawl-*.jsonl")]:
                if path.exists() and moment % 2:  # half of what was on its way got to the disk
                    path.write_bytes(path.read_bytes()[:-5])
    left[0] = 1000
    found = book()
    assert (found.documents, found.complete) == (6, True)
    most = max(asked(site, name) for name in ("", *NAMES))
    assert moments > 5
    assert most <= 3 + 1  # the one on its way at a kill, again, and the last crawl with its conditions
    times = [asking.time for asking in site.asked]
    assert min(b - a for a, b in pairwise(times)) >= 1.0 - 1e-6  # the pace is kept over kills
    manifest = (tmp_path / "corpus" / "manifest.jsonl").read_text().splitlines()
    assert len(manifest) == 6
    assert not list((tmp_path / "corpus").glob(".crawl-*.jsonl"))


def test_a_dry_run_shows_and_keeps_nothing(site: CrawlSite, book: Crawled, tmp_path: Path, crawl_time: Any) -> None:
    order = CrawlOrder("http", str(tmp_path / "corpus"), url=f"{site.address}{BOOK}")
    settings = Settings(agent=Agent(contact="User:Somebody"))
    found = plan(order, settings, clock=crawl_time.clock, sleep=crawl_time.sleep)
    assert [url.rpartition("/")[2] for url in found.new] == ["", *NAMES]
    assert not (tmp_path / "corpus").exists()
    assert set(site.paths()) == {"/robots.txt", BOOK}
    book()
    crawl_time.now += 1
    found = plan(order, settings, clock=crawl_time.clock, sleep=crawl_time.sleep)
    assert (len(found.new), len(found.conditional)) == (0, 6)


def test_the_first_of_many_are_fetched_with_a_limit(site: CrawlSite, book: Crawled) -> None:
    assert book(limit=3).fetched == 3
    assert [asked(site, name) for name in NAMES] == [1, 1, 0, 0, 0]
