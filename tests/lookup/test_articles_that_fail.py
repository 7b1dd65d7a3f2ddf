"""A wiki of articles that misbehaves: what it did not tell is not known, and is asked for again the next time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bot.errors import LookupFailed
from bot.lookup import Client
from bot.settings import Wiki

LANGUAGES = ("de", "en")
LINKS = [
    {"item": "Q1", "title": "Ohm's law", "language": "en", "project": "https://en.wikipedia.org/"},
    {"item": "Q1", "title": "Ohmsches Gesetz", "language": "de", "project": "https://de.wikipedia.org/"},
]


def told(title: str, text: str) -> dict[str, Any]:
    revision = {"revid": 7, "slots": {"main": {"content": text}}}
    return {"body": {"query": {"pages": [{"title": title, "revisions": [revision]}]}}}


DE, EN = told("Ohmsches Gesetz", "U"), told("Ohm's law", "V")
HTML = {"body": "<html>busy</html>", "kind": "text/html"}
CUT = {"body": DE["body"], "length": 100_000}
LAGGED = {"body": {"error": {"code": "maxlag", "info": "lagged"}}, "headers": {"Retry-After": "7"}}
LONG = {"body": "", "status": 429, "headers": {"Retry-After": "3600"}}


@pytest.fixture
def client(
    make: Callable[..., Client], wiki: Wiki, server: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> Callable[[], Client]:
    """A function that opens clients whose articles the scripted server tells, and which share one cache."""

    def opened() -> Client:
        made = make(wiki=replace(wiki, articles=f"{server.address}/{{language}}/api.php"), cache=tmp_path / "cache.db")
        monkeypatch.setattr(made.articles, "_select", lambda *_, **__: LINKS)
        return made

    return opened


def read(client: Client) -> tuple[list[tuple[str, str]], list[str]]:
    """Return what the articles of Q1 say, and what failed."""
    failed: list[LookupFailed] = []
    found = client.articles.articles_of(["Q1"], LANGUAGES, failed.append)
    return [(one.language, one.text) for one in found.get("Q1", ())], [error.line() for error in failed]


def test_too_many_requests_and_lag_wait_as_long_as_they_are_told(client: Any, answers: Any, time: Any) -> None:
    answers({"body": "slow down", "status": 429, "headers": {"Retry-After": "17"}}, LAGGED, DE, EN)
    assert read(client()) == ([("de", "U"), ("en", "V")], [])
    assert time.slept == [17.0, 7.0]


def test_requests_say_which_lag_is_too_much_and_come_one_after_the_other(
    client: Any, answers: Any, server: Any
) -> None:
    answers(DE, EN)
    read(client())
    assert [asked.values["maxlag"] for asked in server.asked] == ["5", "5"]
    assert server.most_at_once == 1


@pytest.mark.parametrize("bad", [LONG, HTML, CUT, told("Another title", "U")])
def test_a_wiki_that_does_not_tell_costs_its_language_only_and_is_asked_again(
    client: Any, answers: Any, bad: dict[str, Any]
) -> None:
    answers(bad, EN)
    first, failed = read(client())
    assert (first, len(failed)) == ([("en", "V")], 1)
    assert "/de/" in failed[0]
    answers(DE)
    assert read(client()) == ([("de", "U"), ("en", "V")], []), "what failed was not kept as an empty answer"


def test_a_page_that_is_missing_is_known_to_be_missing(client: Any, answers: Any, server: Any) -> None:
    answers({"body": {"query": {"pages": [{"title": "Ohmsches Gesetz", "missing": True}]}}}, EN)
    assert read(client()) == ([("en", "V")], [])
    asked = len(server.asked)
    assert read(client()) == ([("en", "V")], [])
    assert len(server.asked) == asked


def test_an_article_is_kept_with_its_revision_and_the_day_on_which_it_was_read(client: Any, answers: Any) -> None:
    answers(DE, EN)
    first = client().articles.articles_of(["Q1"], LANGUAGES)["Q1"]
    assert [(one.revision, one.day) for one in first] == [(7, "2027-01-15"), (7, "2027-01-15")]
    assert client().articles.articles_of(["Q1"], LANGUAGES)["Q1"] == first
