"""A site to crawl, a clock that only waiting moves, and a crawl of that site by it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "benchmarks"))
from crawl_site import CrawlSite

from bot.corpus.crawl.run import CrawlSummary, crawl
from bot.settings import Agent, Crawling, CrawlOrder, Settings, Wiki


class CrawlTime:
    def __init__(self) -> None:
        self.now = 1_800_000_000.0  # 2027-01-15
        self.slept: list[float] = []

    def clock(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds


@pytest.fixture
def crawl_time() -> CrawlTime:
    return CrawlTime()


@pytest.fixture
def site(crawl_time: CrawlTime) -> Iterator[CrawlSite]:
    running = CrawlSite(crawl_time.clock)
    yield running
    running.close()


@pytest.fixture
def crawled(site: CrawlSite, crawl_time: CrawlTime, tmp_path: Path) -> Callable[..., CrawlSummary]:
    """A function that crawls the site into the folder `corpus`; `seconds` and `timeout` are settings, the rest is the order."""

    def run(source: str, **given: Any) -> CrawlSummary:
        crawl_time.now += 0.1  # what starting the command takes
        settings = Settings(
            wiki=Wiki(
                articles=f"{site.address}/{{language}}/w/api.php",
                sparql=f"{site.address}/sparql",
                articles_project=f"{site.address}/{{language}}/",
            ),
            agent=Agent(contact="User:Somebody", timeout=given.pop("timeout", 5.0)),
            crawling=given.pop("crawling", Crawling()),
        )
        order = CrawlOrder(source, str(tmp_path / "corpus"), **given)
        return crawl(order, settings, quiet=True, clock=crawl_time.clock, sleep=crawl_time.sleep)

    return run
