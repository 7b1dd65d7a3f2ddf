"""A few articles in three languages, served as an encyclopaedia serves them, and what their items' formulas are."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import requests

from bot.discover.articles import article_readings
from bot.lookup import Client
from bot.sandbox import Sandbox
from bot.sandbox.html_pages import example_articles
from bot.settings import Agent, resource

ROWS = [
    {
        "qid": "Q1",
        "label": "Hubble's law",
        "sitelinks": {"enwiki": "Hubble–Lemaître law", "dewiki": "Hubble-Gesetz", "frwiki": "Loi de Hubble"},
    },
    {"qid": "Q2", "label": "nothing", "sitelinks": {"enwiki": "No such article", "enwikiquote": "Ohm's law"}},
]


@pytest.fixture
def sandbox() -> Iterator[Sandbox]:
    with Sandbox() as opened:
        opened.fill(ROWS)
        yield opened


def test_there_are_articles_in_three_languages() -> None:
    assert {language for language, _ in example_articles()} == {"de", "en", "fr"}


def test_an_items_articles_are_found_by_its_sitelinks_and_read(sandbox: Sandbox) -> None:
    with Client(sandbox.wiki, Agent()) as client:
        found, listed = (
            article_readings(client, ["Q1", "Q2"], ["en", "de", "fr"], listed_formulas=formulas.get)
            for formulas in ({}, {"Q1": ("v = H_0 D", "z = v/c")})
        )
    assert list(found) == ["Q1"]
    told = {one.language: one for one in found["Q1"]}
    assert told["en"].title == "Hubble's law"  # a redirect was followed
    assert (told["en"].tex, told["de"].tex) == ("v = H_0 D", r"v = H_0 \cdot D")
    assert told["fr"].tex.startswith("H(t) =")
    assert {one.language for one in told.values() if one.accepted} == {"en", "fr"}
    assert {one.language for one in listed["Q1"] if one.accepted} == {"en", "de"}  # the list has the law, not H


def test_dumps_are_read_in_place_of_asking(sandbox: Sandbox, tmp_path: Path) -> None:
    text = (resource("examples", "articles") / "en" / "Ohm's_law.wiki").read_text()
    (tmp_path / "Hubble–Lemaître law.wiki").write_text(text)
    with Client(sandbox.wiki, Agent()) as client:
        found = article_readings(client, ["Q1", "Q2"], ["en"], [str(tmp_path)])
    assert [(one.title, one.tex) for one in found["Q1"]] == [("Hubble–Lemaître law", "V = IR")]


@pytest.mark.parametrize("asked", [{"action": "edit"}, {"action": "query", "meta": "siteinfo"}])
def test_it_tells_texts_and_nothing_else(sandbox: Sandbox, asked: dict[str, str]) -> None:
    answer = requests.get(sandbox.wiki.articles.replace("{language}", "en"), params=asked, timeout=10)
    assert answer.json()["error"]["code"] == "badvalue"
    assert answer.headers["X-Sandbox"] == "no Wikidata"
