"""The scheduled run fetches first what its settings name, and reads it with the rest."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from cli_runner import ITEMS, SETTINGS, call

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "benchmarks"))
from crawl_site import CrawlSite, SitePage

RUN = """
[run]
workspace = "w"
items = {items!r}
audits = ["seeded"]

[[run.crawl]]
source = "wikipedia"
into = "corpus/wikipedia"
titles_file = "titles.txt"

[[run.crawl]]
source = "http"
into = "corpus/book"
url = "{address}/book/"

[crawling]
seconds = 0

[matching]
builtin = false

[agent]
contact = "User:Somebody"
"""


@pytest.fixture
def site() -> Iterator[CrawlSite]:
    running = CrawlSite(lambda: 0.0)
    law = "'''Ohm's law''' says that the current is <math>I = \\frac{V}{R}</math>, where <math>R</math> is the resistance."
    running.article("Ohm's law", law, 1234)
    running.index("one.html")
    yield running
    running.close()


def config(folder: Path, site: CrawlSite) -> Path:
    (folder / "titles.txt").write_text("Ohm's law\n", encoding="utf-8")
    wiki = SETTINGS.read_text(encoding="utf-8")
    assert "[agent]" not in wiki
    head, _, tail = wiki.partition("[wiki]\n")
    articles = f'[wiki]\narticles = "{site.address}/{{language}}/w/api.php"\n'
    text = RUN.format(items=str(ITEMS), address=site.address) + head + articles + tail
    path = folder / "bot.toml"
    path.write_text(text, encoding="utf-8")
    return path


def events(folder: Path) -> list[str]:
    newest = max((folder / "logs").iterdir(), key=lambda path: path.stat().st_mtime_ns)
    told = [json.loads(line)["event"] for line in newest.read_text(encoding="utf-8").splitlines()]
    return [event for event in told if event != "heartbeat"]


def test_what_is_fetched_is_read_in_the_same_run(site: CrawlSite, tmp_path: Path) -> None:
    (figures,) = call("run", "--config", config(tmp_path, site), "--json").well().rows
    assert (figures["crawl_fetched"], figures["crawl_failed"], figures["discover_documents"]) == (3, 0, 3)
    assert figures["discover_skipped"] == []
    assert events(tmp_path) == [
        *("start", "crawl", "crawl", "discover", "match", "propose", "expire", "audit", "write", "end")
    ]
    (figures,) = call("run", "--config", tmp_path / "bot.toml", "--json").well().rows
    assert (figures["crawl_unchanged"], figures["discover_files_reused"]) == (3, 3)


def test_a_site_that_does_not_answer_costs_only_what_is_new(site: CrawlSite, tmp_path: Path) -> None:
    path = config(tmp_path, site)
    call("run", "--config", path).well()
    site.pages["/book/"] = SitePage(status=400)
    said = call("run", "--config", path, "--json")
    assert said.code == 2
    assert (said.rows[0]["crawl_failed"], said.rows[0]["discover_documents"]) == (1, 3)


def test_an_order_that_cannot_be_meant_is_said_before_anybody_is_asked(site: CrawlSite, tmp_path: Path) -> None:
    path = config(tmp_path, site)
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace('source = "http"', 'source = "gopher"'), encoding="utf-8")
    call("run", "--config", path).refused(f"{path}: run.crawl ", "'gopher' is not a source of documents; known: wiki")
    path.write_text(text.replace("titles_file", "title_file"), encoding="utf-8")
    call("run", "--config", path).refused("unknown setting run.crawl[0].title_file")
    assert site.asked == []
    assert not (tmp_path / "w").exists()
