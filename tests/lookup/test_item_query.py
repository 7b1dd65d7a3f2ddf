"""A query that a person pastes: what is sent of it, and what becomes of its answer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from bot.errors import InputError, LookupFailed
from bot.lookup import Client
from bot.lookup.item_query import _services, limited_query
from bot.messages import Message
from bot.settings import Agent, Wiki

LABELS = 'SERVICE wikibase:label { bd:serviceParam wikibase:language "[AUTO_LANGUAGE],en". }'
KNOWN = "PREFIX wikibase: <http://wikiba.se/ontology#> PREFIX bd: <http://www.bigdata.com/rdf#> "
FOREIGN = "SERVICE <http://10.0.0.1/> { ?item ?b ?c }"


@pytest.mark.parametrize(
    ("text", "ending"),
    [
        ("SELECT ?item WHERE { ?item wdt:P31 wd:Q214070 }", "\nLIMIT 8"),
        ("SELECT * { ?item ?p ?o } # of all", "\nLIMIT 8"),
        ("SELECT (?x AS ?item) { ?x ?p ?o } LIMIT 3", ""),
        (f"SELECT ?item {{ ?item ?p ?o {LABELS} }} OFFSET 2", "\nLIMIT 8"),
        (f"{KNOWN}SELECT ?item WHERE {{ ?item ?p ?o. {LABELS} }}", "\nLIMIT 8"),
        ("SELECT ?item { ?item ?p ?o } VALUES ?p { rdfs:label }", ""),
        ("PREFIX : <http://wikiba.se/ontology#> SELECT ?item { ?item ?p ?o SERVICE :label { ?a ?b ?c } }", "\nLIMIT 8"),
        (f'SELECT ?item {{ ?item rdfs:label "{FOREIGN}" }}', "\nLIMIT 8"),
    ],
)
def test_a_select_of_items_is_sent_as_it_is_with_a_limit(text: str, ending: str) -> None:
    assert limited_query(text, 7) == text + ending


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("ASK { ?item ?p ?o }", "query_select"),
        ("SELECT ?item FROM <http://a/b> { ?item ?p ?o }", "query_select"),
        ("DELETE WHERE { ?item ?p ?o }", "query_syntax"),
        ("SELECT ?item {", "query_syntax"),
        ("SELECT ?item { " + "{" * 3000 + "?item ?p ?o" + "}" * 3000 + "}", "query_syntax"),
        ("SELECT ?x { ?x ?item ?z }", "query_item"),
        ("SELECT ?item { ?item ?p ?o }" + " " * 10_000, "query_long"),
        (f"SELECT ?item {{ {FOREIGN} }}", "query_service"),
        (f"SELECT ?item {{ ?item ?p ?o FILTER NOT EXISTS {{ {FOREIGN} }} }}", "query_service"),
        (f"SELECT ?item (EXISTS {{ {FOREIGN} }} AS ?k) {{ {{ SELECT ?item {{ ?item ?p ?o }} }} }}", "query_service"),
        ("SELECT ?item { ?item ?p ?o SERVICE ?s { ?a ?b ?c } }", "query_service"),
        ("PREFIX : <http://10.0.0.1/> SELECT ?item { ?item ?p ?o SERVICE :x { ?a ?b ?c } }", "query_service"),
        (f"PREFIX wikibase: <http://10.0.0.1/> SELECT ?item {{ ?item ?p ?o {LABELS} }}", "query_service"),
    ],
)
def test_nothing_else_is_sent(text: str, code: str) -> None:
    with pytest.raises(InputError) as refused:
        limited_query(text, 7)
    assert refused.value.message.code == f"error.{code}"


def test_services_are_looked_for_four_hundred_steps_deep() -> None:
    found: Any = []
    for _ in range(399):
        found = [found]
    assert _services([found]) == []
    with pytest.raises(InputError):
        _services([[found]])


def answered(*items: str) -> dict[str, Any]:
    rows = [{"item": {"type": "uri", "value": each}} for each in items]
    return {"head": {"vars": ["item"]}, "results": {"bindings": rows}}


def test_its_items_are_those_of_the_wiki_each_once_and_asked_anew(
    server: Any, answers: Callable[..., None], wiki: Wiki
) -> None:
    prefix = wiki.entity_prefix
    answers(answered(f"{prefix}Q5", f"{prefix}Q5", f"{prefix}P31", "http://elsewhere.example/entity/Q7", f"{prefix}Q1"))
    with Client(wiki, Agent(contact="t"), sleep=lambda seconds: None) as client:
        for _ in range(2):
            assert client.items_of_query("SELECT ?item { ?item ?p ?o }", 5) == ["Q5", "Q1"]
        assert [asked.values["query"] for asked in server.asked] == ["SELECT ?item { ?item ?p ?o }\nLIMIT 6"] * 2
        with pytest.raises(InputError, match="more than 4 rows"):
            client.items_of_query("SELECT ?item { ?item ?p ?o }", 4)


@pytest.mark.parametrize(
    ("reply", "why"),
    [
        ({"body": "QueryTimeout", "status": 500}, "ran out of time"),
        ({"body": "no", "status": 400}, "refused the query"),
        ({"body": '{"head": {"vars": ["item"]}, "results": {"bind'}, "cut off"),
        ({"body": {"head": {"vars": ["x"]}, "results": {"bindings": []}}}, "without the column item"),
    ],
)
def test_a_query_that_fails_is_no_empty_answer(
    answers: Callable[..., None], wiki: Wiki, reply: dict[str, Any], why: str
) -> None:
    answers(reply)
    with Client(wiki, Agent(contact="t"), sleep=lambda seconds: None) as client, pytest.raises(LookupFailed, match=why):
        client.items_of_query("SELECT ?item { ?item ?p ?o }", 5)


def test_a_query_has_ten_thousand_characters_and_sixty_of_a_faulty_line_are_shown() -> None:
    query = "SELECT ?item WHERE { ?item ?p ?o } LIMIT 5"
    assert limited_query(query.ljust(10_000), 5).strip() == query
    with pytest.raises(InputError) as told:
        limited_query(query.ljust(10_001), 5)
    assert told.value.message == Message("error.query_long", most=10_000)
    with pytest.raises(InputError) as told:
        limited_query("SELEC " + "x" * 70, 5)
    assert told.value.message.values["line"] == "SELEC " + "x" * 54
