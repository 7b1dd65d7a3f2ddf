"""Articles about items: asked for by many titles at once, once for each language, kept, and never made up."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest

from bot.errors import InputError, LookupFailed, SettingsError
from bot.lookup import Client
from bot.lookup.article_client import ArticleClient, resolved_title
from bot.lookup.cache import Cache
from bot.lookup.endpoints import Api
from bot.settings import Agent, Wiki

EN, DE = "https://en.wikipedia.org/", "https://de.wikipedia.org/"
LINKS = [
    {"item": "Q1", "title": "Ohm's law", "language": "en", "project": EN},
    {"item": "Q1", "title": "Ohmsches Gesetz", "language": "de", "project": DE},
    {"item": "Q1", "title": "Ohm's law", "language": "en", "project": "https://en.wikiquote.org/"},
    {"item": "Q2", "title": "hooke law", "language": "en", "project": EN},
]


def page(title: str, text: str) -> dict[str, Any]:
    return {"title": title, "revisions": [{"revid": 7, "slots": {"main": {"content": text}}}]}


class Answers:
    """An API that gives its answers in order and remembers what it was asked."""

    def __init__(self, *answers: dict[str, Any]) -> None:
        self.answers, self.asked, self.opened = list(answers), [], []  # type: ignore[var-annotated]

    def open(self, address: str) -> Api:
        self.opened.append(address)
        return self  # type: ignore[return-value]

    def ask(self, **parameters: str) -> dict[str, Any]:
        self.asked.append(parameters["titles"])
        return self.answers.pop(0)

    def close(self) -> None:
        pass


def articles(api: Answers, path: Path | None = None, wiki: Wiki | None = None) -> ArticleClient:
    wiki = wiki or Wiki()
    return ArticleClient(wiki, Cache(path, wiki, 1.0, lambda: 0.0), lambda *_, **__: LINKS, api.open)  # type: ignore[arg-type]


ENGLISH = {
    "query": {
        "normalized": [{"from": "hooke law", "to": "Hooke law"}],
        "redirects": [{"from": "Hooke law", "to": "Hooke's law"}],
        "pages": [page("Ohm's law", "V"), page("Hooke's law", "F")],
    }
}
GERMAN = {"query": {"pages": [page("Ohmsches Gesetz", "U")]}}


def test_every_language_is_asked_once_and_its_pages_find_their_items() -> None:
    api = Answers(GERMAN, ENGLISH)
    found = articles(api).articles_of(["Q1", "Q2", "Q3"], ["de", "en"])
    assert sorted(api.opened) == [f"{project}w/api.php" for project in (DE, EN)]
    assert [(one.language, one.text) for one in found["Q1"]] == [("de", "U"), ("en", "V")]
    assert [(one.title, one.text, one.revision) for one in found["Q2"]] == [("Hooke's law", "F", 7)]
    assert "Q3" not in found
    assert len(api.asked) == 2


def test_what_was_fetched_is_not_fetched_again(tmp_path: Path) -> None:
    cache = tmp_path / "cache.db"
    first = articles(Answers(ENGLISH), cache).articles_of(["Q1", "Q2"], ["en"])
    assert articles(Answers(), cache).articles_of(["Q1", "Q2"], ["en"]) == first


def test_another_encyclopaedia_is_asked_though_the_first_ones_articles_are_kept(tmp_path: Path) -> None:
    other = Answers(ENGLISH, GERMAN)
    articles(Answers(ENGLISH, GERMAN), tmp_path / "lookup.db").articles_of(["Q1"], ["en", "de"])
    wiki = Wiki(articles="https://{language}.encyclopaedia.example/api.php")
    articles(other, tmp_path / "lookup.db", wiki).articles_of(["Q1"], ["en", "de"])
    assert len(other.asked) == 2


def test_a_cache_makes_its_folder_and_closes_what_it_cannot_use(tmp_path: Path) -> None:
    path = tmp_path / "new" / "folder" / "cache.db"
    cache = Cache(path, Wiki(), 1.0, lambda: 0.0)
    cache.put("request", {"a": ["ü"]})
    assert (cache.get_many(["request", "other"]), cache.old_answers_used) == ({"request": {"a": ["ü"]}}, 0)
    opened = cache._db
    cache.close()
    with pytest.raises(sqlite3.ProgrammingError, match="closed"):
        opened.execute("SELECT 1")  # type: ignore[union-attr]
    path.write_bytes(b"no database" * 100)
    with pytest.raises(LookupFailed, match=re.escape(str(path))):
        cache.get_many(["request"])
    assert cache._db is None


def test_a_page_that_is_gone_is_left_out() -> None:
    gone = {"query": {"pages": [{"title": "Ohmsches Gesetz", "missing": True}]}}
    assert articles(Answers(gone)).articles_of(["Q1"], ["de"]) == {}


def test_texts_that_do_not_fit_into_one_answer_are_asked_for_one_by_one() -> None:
    short = {"continue": {"rvcontinue": "x"}, "query": {"pages": [page("Ohm's law", "V"), {"title": "hooke law"}]}}
    api = Answers(short, {"query": {"pages": [page("Ohm's law", "V")]}}, {"query": {"pages": [page("hooke law", "F")]}})
    found = articles(api).articles_of(["Q1", "Q2"], ["en"])
    assert api.asked == ["Ohm's law|hooke law", "Ohm's law", "hooke law"]
    assert found["Q2"][0].text == "F"


def test_a_page_asked_for_alone_is_taken_though_the_answer_would_go_on() -> None:
    api = Answers({"continue": {"rvcontinue": "x"}, **GERMAN})
    assert articles(api).articles_of(["Q1"], ["de"])["Q1"][0].text == "U"
    assert api.answers == []


@pytest.mark.parametrize(
    ("moved", "title"),
    [("", "a"), ("ab", "b"), ("ab bc", "c"), ("ab bc cd de", "e"), ("ab bc cd de ef", "e"), ("aa", "a")],
)
def test_a_title_is_followed_over_four_steps(moved: str, title: str) -> None:
    assert resolved_title("a", {step[0]: step[1] for step in moved.split()}) == title


@pytest.mark.parametrize(
    "answer",
    [
        {"query": {"pages": [page("Another title", "V")]}},
        {"query": {"pages": [{"title": "Ohmsches Gesetz"}]}},
        {"query": {"pages": {"1": {}}}},
        {"query": []},
    ],
)
def test_an_answer_about_something_else_is_no_empty_answer(answer: dict[str, Any]) -> None:
    with pytest.raises(LookupFailed, match=r"de\.wikipedia\.org"):
        articles(Answers(answer)).articles_of(["Q1"], ["de"])


def test_more_than_five_languages_and_no_languages_are_refused() -> None:
    with pytest.raises(InputError, match="5 at most"):
        articles(Answers()).articles_of(["Q1"], ["en", "de", "fr", "es", "it", "nl"])
    with pytest.raises(InputError, match="is not a language code"):
        articles(Answers()).articles_of(["Q1"], ["en/../"])


def test_without_a_language_no_wiki_is_asked_for_links() -> None:
    client = articles(Answers())
    client._select = lambda *_, **__: pytest.fail("asked")  # type: ignore[assignment,misc]
    assert client.titles_of(["Q1", "Q2"], []) == {"Q1": (), "Q2": ()}


def test_an_address_without_a_place_for_the_language_is_refused() -> None:
    with pytest.raises(SettingsError, match=r"wiki\.articles "):
        articles(Answers(GERMAN), wiki=Wiki(articles="https://wiki.example/api.php")).articles_of(["Q1"], ["de"])


@pytest.mark.parametrize(
    ("address", "asked"),
    [
        ("http://localhost:8080/w/api.php", True), ("http://127.0.0.1/", True), ("http://127.9.9.9/", True), ("http://[::1]:80/", True),
        ("https://wiki.example/", False), ("http://localhost.example/", False), ("http://10.127.0.1/", False), ("no address", False), ("", False),
    ],
)  # fmt: skip
def test_who_names_no_contact_asks_only_this_machine(anonymous: Client, address: str, asked: bool) -> None:
    with nullcontext() if asked else pytest.raises(SettingsError, match=r"agent\.contact"):
        anonymous._require_contact(address)


@pytest.fixture
def anonymous() -> Iterator[Client]:
    with Client(Wiki(sparql="http://127.0.0.1:9/sparql"), Agent()) as client:
        yield client


def test_an_encyclopaedia_is_not_asked_without_a_contact(anonymous: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(anonymous.articles, "_select", lambda *_, **__: LINKS)
    with pytest.raises(SettingsError, match=r"agent\.contact"):
        anonymous.articles.articles_of(["Q1"], ["en"])
