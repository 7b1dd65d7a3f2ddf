"""`formula-bot crawl`: what it says, how it ends, and that it ends when it is told to."""

from __future__ import annotations

import json
import signal
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from cli_runner import call, finished, started, wait_for

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "benchmarks"))
from crawl_site import CrawlSite, SitePage


@pytest.fixture
def site() -> Iterator[CrawlSite]:
    running = CrawlSite(lambda: 0.0)
    running.index("one.html", "two.html")
    yield running
    running.close()


@pytest.fixture
def options(tmp_path: Path) -> tuple[object, ...]:
    config = tmp_path / "bot.toml"
    config.write_text('[agent]\ncontact = "User:Somebody"\n[crawling]\nseconds = 0\n', encoding="utf-8")
    return "--into", tmp_path / "corpus", "--config", config


def test_the_summary_says_what_became_of_each(site: CrawlSite, options: tuple[object, ...]) -> None:
    url = f"{site.address}/book/"
    (found,) = call("crawl", "http", url, *options, "--json").well().rows
    assert (found["fetched"], found["unchanged"], found["vanished"], found["requests"]) == (3, 0, [], 4)
    site.pages["/book/one.html"] = SitePage(status=410)
    site.pages["/book/two.html"] = SitePage(status=403)
    said = call("crawl", "http", url, *options)
    assert said.code == 1
    assert f"forbidden {url}two.html: the site refuses it (HTTP 403)" in said.err
    assert f"vanished {url}one.html: HTTP 410 on " in said.err


def test_what_would_be_fetched_is_shown(site: CrawlSite, options: tuple[object, ...], tmp_path: Path) -> None:
    url = f"{site.address}/book/"
    said = call("crawl", "http", url, *options, "--dry-run").well()
    assert [line for line in said.out.splitlines() if line.startswith("new http")] == [
        f"new {url}{name}" for name in ("", "one.html", "two.html")
    ]
    assert not (tmp_path / "corpus").exists()


@pytest.mark.parametrize(("sent", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_interrupted_it_ends_at_once_and_goes_on_later(
    site: CrawlSite, options: tuple[object, ...], tmp_path: Path, sent: int, code: int
) -> None:
    waiting = threading.Event()
    page = site.pages["/book/two.html"]
    site.pages["/book/two.html"] = SitePage(hold=waiting)
    arguments = ("crawl", "http", f"{site.address}/book/", *options)
    running = started(*arguments)
    assert wait_for(running, lambda: "/book/two.html" in site.paths())
    running.send_signal(sent)
    said = finished(running)
    waiting.set()
    assert (said.code, "finished work is kept" in said.err) == (code, True)
    lines = (tmp_path / "corpus" / "manifest.jsonl").read_text(encoding="utf-8").splitlines()
    assert [json.loads(line)["status"] for line in lines] == ["fetched", "fetched"]
    site.pages["/book/two.html"] = page
    (found,) = call(*arguments, "--json").well().rows
    assert (found["fetched"], found["resumed"], site.paths().count("/book/one.html")) == (3, 2, 1)
