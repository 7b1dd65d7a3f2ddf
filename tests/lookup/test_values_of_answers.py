"""What is read out of a wiki's answers, and what it is asked: whole values, for each way of asking."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from bot.errors import InputError, LookupFailed, SettingsError
from bot.lookup import MathVerdict, client, endpoints, entities, publications, queries
from bot.lookup.cache import Cache
from bot.lookup.client import CacheUse
from bot.lookup.endpoints import Sparql
from bot.lookup.entities import PageRevision
from bot.lookup.publications import Publication, from_bibtex, from_crossref
from bot.messages import Message, uncoded_message
from bot.settings import Properties, Wiki

BASE = "http://wiki.example/entity/"


def table(*rows: tuple[str, ...], columns: str) -> dict[str, Any]:
    names = columns.split()
    bindings = [{c: {"value": v} for c, v in zip(names, row, strict=True)} for row in rows]
    return {"head": {"vars": names}, "results": {"bindings": bindings}}


# The Action API


def test_datatypes_are_those_of_the_properties_that_exist(server: Any, answers: Any, make: Any) -> None:
    answers(
        {"entities": {"P1": {"datatype": "math"}, "P2": {"missing": ""}}}, {"entities": {"P99": {"datatype": "url"}}}
    )
    asked = [f"P{n}" for n in range(1, 52)]
    assert make().datatypes([*asked, "P1"]) == {"P1": "math", "P99": "url"}
    assert [len(each.values["ids"].split("|")) for each in server.asked] == [50, 1]
    assert server.asked[0].values["props"] == "datatype"


def test_what_a_wiki_says_of_itself(answers: Any, make: Any) -> None:
    answers({"query": {"general": {"generator": "MediaWiki 1.45", "time": "2026-11-20T10:11:12Z"}}})
    assert make().software_and_time() == ("MediaWiki 1.45", datetime(2026, 11, 20, 10, 11, 12, tzinfo=UTC))
    for general in ({"generator": "x", "time": "soon"}, {"time": "2026-11-20T10:11:12Z"}, []):
        answers({"query": {"general": general}})
        with pytest.raises(LookupFailed):
            make().software_and_time()


@pytest.mark.parametrize(
    ("changes", "newest"), [([{"revid": 5}, {"revid": 9}, {}], 9), ([], None), ([{"revid": 0}], None)]
)
def test_the_newest_revision_of_a_wiki(
    server: Any, answers: Any, make: Any, changes: list[Any], newest: int | None
) -> None:
    answers({"query": {"recentchanges": changes}})
    assert make().newest_revision() == newest
    assert {name: server.asked[0].values[name] for name in ("list", "rclimit", "rcprop", "rctype")} == {
        "list": "recentchanges", "rclimit": "1", "rcprop": "ids", "rctype": "edit|new"
    }  # fmt: skip


class Log:
    """An Action API that gives one answer and keeps what it was asked."""

    def __init__(self, answer: dict[str, Any]) -> None:
        self.answer, self.asked = answer, list[dict[str, str]]()

    def ask(self, *, expect: str, **values: str) -> dict[str, Any]:
        self.asked.append(values)
        return {expect: self.answer} | ({"continue": {"rvcontinue": 7}} if self.answer.pop("more", False) else {})


def test_a_deletion_is_told_from_other_rows_of_the_log() -> None:
    rows = [{"action": "restore", "user": "A"}, {"action": "delete", "user": "B", "timestamp": "t", "comment": "c"}]
    api: Any = Log({"logevents": [*rows, {"action": "delete", "user": "C"}]})
    assert entities.last_deletion(api, "Q1") == PageRevision(0, "B", "t", "c")
    assert (api.asked[0]["letitle"], api.asked[0]["letype"]) == ("Q1", "delete")
    bare: Any = Log({"logevents": [{"action": "delete"}]})
    assert entities.last_deletion(bare, "Q1") == PageRevision(0, "", "", "")
    none: Any = Log({})
    assert entities.last_deletion(none, "Q1") is None


def test_the_history_of_a_deleted_item_is_its_deletion(answers: Any, make: Any) -> None:
    answers({"query": {"pages": []}}, {"query": {"logevents": [{"action": "delete", "user": "B"}]}})
    assert make().history("Q1", 3) == [PageRevision(0, "B", "")]
    answers({"query": {"pages": []}}, {"query": {"logevents": []}})
    assert make().history("Q1", 3) == []
    answers({"query": {"pages": [{"revisions": [{"revid": 3, "user": "A"}, {"revid": 4}]}]}})
    assert make().history("Q1", 3) == [PageRevision(4, "", "")]


def test_an_entity_as_of_a_revision_is_its_content_or_nothing_is_known(answers: Any, make: Any) -> None:
    def pages(*contents: Any) -> dict[str, Any]:
        rows = [{"slots": {"main": {"content": each}}} if each is not None else {"slots": {}} for each in contents]
        return {"query": {"pages": [{}, {"revisions": rows}]}}

    answers(pages('{"id": "Q1"}'))
    assert make().entity_at(7) == {"id": "Q1"}
    answers(pages("[]", '{"entity": "Q1", "redirect": "Q2"}'))
    assert make().entity_at(7) == {"entity": "Q1", "redirect": "Q2"}
    for hidden in (pages(None), pages("no JSON"), pages(), {"query": {}}):
        answers(hidden)
        with pytest.raises(LookupFailed) as caught:
            make().entity_at(7)
        assert caught.value.message.values == {"revision": 7}


def test_a_history_of_too_many_edits_is_not_walked() -> None:
    class Endless:
        asked = 0

        def ask(self, **_: str) -> dict[str, Any]:
            self.asked += 1
            rows = [{"revid": n} for n in range(500)]
            return {"query": {"pages": [{"revisions": rows}]}, "continue": {"rvcontinue": 7}}

    api: Any = Endless()
    with pytest.raises(LookupFailed) as caught:
        entities.revisions_after(api, "Q1", 0)
    assert caught.value.message.values == {"title": "Q1", "most": 5000}
    assert api.asked == 10


def test_verdicts_are_asked_for_fifty_at_a_time_once_and_then_kept(
    server: Any, answers: Any, make: Any, tmp_path: Path
) -> None:
    values = [f"x_{n}" for n in range(60)]

    def judged(part: list[str]) -> dict[str, Any]:
        return {"results": [{"raw": v, "valid": ""} if v != "x_3" else {"raw": v, "error": "bad"} for v in part]}

    wanted = [MathVerdict(v, v != "x_3", "bad" if v == "x_3" else "") for v in values]
    answers(judged(values[:50]), judged(values[50:]), judged(values[:1]))
    path = tmp_path / "cache.db"
    assert make(cache=path).parse_math([*values, *values[:5]]) == [*wanted, *wanted[:5]]
    assert len(server.asked) == 2
    assert make(cache=path).parse_math(values) == wanted
    assert len(server.asked) == 2
    assert make(cache=path).parse_math(["x_0"], fresh=True) == wanted[:1]
    assert len(server.asked) == 3


@pytest.mark.parametrize(
    ("result", "why"),
    [
        ({"valid": ""}, ""), ({"valid": "", "error": "E"}, "E"), ({}, "not valid"), ({"error": "E", "messages": []}, "E"), ({"messages": "no"}, "not valid"),
        ({"error": "E", "messages": [{"name": "n"}]}, "n"), ({"messages": [{"html": {"*": "a &lt; b"}, "name": "n"}]}, "a < b"),
        ({"messages": [{"html": "text"}]}, "text"), ({"messages": [{"html": {}, "name": "n"}]}, "n"),
    ],
)  # fmt: skip
def test_why_a_value_is_refused(result: dict[str, Any], why: str) -> None:
    assert queries.refusal_reason(result) == why


@pytest.mark.parametrize(
    ("value", "code"),
    [("", "empty"), (" \n", "empty"), (" a", "edges"), ("a ", "edges"), ("e\u0301", "characters"), ("a\x1fb", "characters"), ("a\0b", "characters")],
)  # fmt: skip
def test_a_value_that_cannot_be_sent_says_why(value: str, code: str) -> None:
    assert not queries.is_sendable(value)
    assert queries.math_verdict(value, None) == MathVerdict(value, False, Message(f"unsendable.{code}"))
    assert queries.is_sendable("a b\tc")


def test_long_requests_are_posted_and_errors_of_the_wiki_are_told_apart(
    server: Any, answers: Any, make: Any, time: Any
) -> None:
    answers({"results": [{"raw": "x" * 3000, "valid": ""}]}, {"results": [{"raw": "x" * 4000, "valid": ""}]})
    make().parse_math(["x" * 3000])
    make().parse_math(["x" * 4000])
    assert [(each.method, bool(each.query)) for each in server.asked] == [("GET", True), ("POST", False)]
    for code, again in (
        ("maxlag", True),
        ("ratelimited", True),
        ("internal_api_error_DBQueryError", True),
        ("internal_api_error_X", False),
    ):
        server.asked.clear()
        answers({"error": {"code": code, "info": "i"}})
        with pytest.raises(LookupFailed) as caught:
            make().software_and_time()
        assert caught.value.message.code == "error.says"
        assert {"code": code, "text": "i"}.items() <= caught.value.message.values.items()
        assert len(server.asked) == (4 if again else 1)
    answers({"error": "odd"})
    with pytest.raises(LookupFailed) as caught:
        make().software_and_time()
    assert caught.value.message.values["field"] == "query"


@pytest.mark.parametrize(("text", "gist"), [("a\n  b", "a b"), ("x" * 160, "x" * 160), ("x" * 161, "x" * 157 + "…")])
def test_the_gist_of_an_answer_is_one_line(text: str, gist: str) -> None:
    assert endpoints._first_words(text) == gist


# Snaks and items


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("E=mc^2", "E=mc^2"), ({"id": "Q5", "numeric-id": 5}, "Q5"), ({"time": "+2026"}, "+2026"), ({"amount": "+5", "unit": "1"}, "+5"),
        ({"text": "law", "language": "en"}, "law"), ({"numeric-id": 5}, "Q5"), ({"numeric-id": 5, "entity-type": "property"}, "P5"),
        ({"longitude": 2, "latitude": 1}, '{"latitude": 1, "longitude": 2}'), ({"id": 5, "text": "t"}, "t"),
    ],
)  # fmt: skip
def test_a_snak_has_one_text(value: Any, text: str) -> None:
    assert entities.snak_value({"snaktype": "value", "datavalue": {"value": value}}) == text
    assert entities.snak_value({"snaktype": "novalue"}) == ""


def test_an_item_has_the_statements_that_are_wanted_and_the_fields_it_names() -> None:
    def claims(pid: str, *values: str, rank: str | None = None) -> list[dict[str, Any]]:
        ranked = {"rank": rank} if rank else {}
        return [
            {"mainsnak": {"snaktype": "value", "property": pid, "datavalue": {"value": v, "type": "string"}}, **ranked}
            for v in values
        ]

    ids = Properties()
    snak = {"snaktype": "value", "property": "P854", "datavalue": {"value": "u", "type": "string"}}
    [sourced] = claims(ids.defining_formula, "a=b")
    sourced["references"] = [{"snaks": {"P854": [snak]}}]
    groups = {
        ids.defining_formula: [sourced], ids.has_part: claims(ids.has_part, "Q3"), "P5": claims("P5", "five"), "P6": claims("P6", "six"),
        ids.studied_by: claims(ids.studied_by, "Q4"), ids.part_of: claims(ids.part_of, "Q5", "Q4"), ids.facet_of: claims(ids.facet_of, "Q6", rank="deprecated"),
    }  # fmt: skip
    links = {"frwiki": {"title": "F"}, "dewiki": {"title": "D"}}
    found = entities.to_item(
        "Q1", {"id": "Q1", "claims": groups, "sitelinks": links}, ids, ("en",), ("P5", ids.has_part)
    )
    assert [(s.property, s.value, s.rank, s.guid) for s in found.statements] == [
        (ids.defining_formula, "a=b", "normal", ""), (ids.has_part, "Q3", "normal", ""), ("P5", "five", "normal", "")
    ]  # fmt: skip
    assert found.statements[0].references[0].snaks == (("P854", "string", "u"),)
    assert found.fields == ("Q4", "Q5")
    assert found.sitelinks == (("dewiki", "D"), ("frwiki", "F"))
    assert (found.revision, found.redirect, found.label, found.description) == (0, "", "", "")


# The query service


def test_classes_labels_and_titles_come_for_all_items_asked_for(server: Any, answers: Any, make: Any) -> None:
    ids = [f"Q{n}" for n in range(1, 302)]
    rows = [(f"{BASE}Q1", f"{BASE}{c}") for c in ("Q10", "Q9", "Q10", "P5")]
    answers(table(*rows, columns="item class"), table(columns="item class"))
    assert make().classes_of(["Q301", *ids])["Q1"] == ("Q9", "Q10")
    assert [each.values["query"].count("wd:Q") for each in server.asked] == [300, 1]
    assert set(make().classes_of(["Q7"]).items()) == {("Q7", ())}
    server.asked.clear()
    rows = [
        (f"{BASE}Q1", "b", "mul"),
        (f"{BASE}Q1", "c", "en"),
        (f"{BASE}Q1", "a", "en"),
        (f"{BASE}Q2", "d", "de"),
        (f"{BASE}Q3", "e", "mul"),
    ]
    answers(table(*rows, columns="item label language"), table(columns="item label language"))
    assert make().labels_of(ids) == {"Q1": "a", "Q3": "e"}
    assert [each.values["query"].count("wd:Q") for each in server.asked] == [300, 1]
    rows = [
        (f"{BASE}Q1", "T", "de", "https://de.wikipedia.org/"),
        (f"{BASE}Q2", "U", "de", "https://de.wikibooks.org/"),
        (f"{BASE}Q9", "V", "de", "https://de.wikipedia.org/"),
    ]
    answers(table(*rows, columns="item title language project"))
    wiki = replace(make().wiki, articles_project="https://{language}.wikipedia.org/")
    assert make(wiki=wiki).articles.titles_of(["Q1", "Q2"], ["de", "en"]) == {"Q1": (("de", "T"),), "Q2": ()}


def test_pages_of_rows_of_one_value_are_whole(make: Any) -> None:
    pages = {
        "": [("a", "1"), ("b", "1"), ("c", "1"), ("c", "2")],
        "b": [("c", "1"), ("c", "2"), ("c", "3"), ("d", "1")],
        "c": [("d", "1"), ("d", "2")],
        "d": [],
    }
    asked: list[str] = []

    def page(after: str) -> list[dict[str, str]]:
        asked.append(after)
        return [{"key": key, "n": n} for key, n in pages[after]]

    found = list(make().read_pages(page, "key", 4, "name"))
    assert "".join(row["key"] + row["n"] for row in found) == "a1b1c1c2c3d1d2"
    assert asked == ["", "b", "c", "d"]
    with pytest.raises(LookupFailed) as caught:
        list(make().read_pages(lambda after: [{"key": "k", "n": "1"}, {"key": "k", "n": "2"}], "key", 2, "name"))
    assert {name: caught.value.message.values[name] for name in ("n", "key", "query")} == {
        "n": 2,
        "key": "k",
        "query": "name",
    }
    one = iter([[{"key": "a"}, {"key": "b"}], []])
    assert [row["key"] for row in make().read_pages(lambda after: next(one), "key", 2, "name")] == ["a", "b"]


@pytest.mark.parametrize(
    ("rows", "said", "code", "prefix"),
    [
        ((), {"wikibase-conceptbaseuri": "http://other/entity/"}, "prefix_of_wiki", "http://other/entity/"),
        (("http://service/entity/Q1",), {}, "prefix_of_service", "http://service/entity/Q1"),
        (("http://service/entity/Q1",), {"wikibase-conceptbaseuri": BASE}, "prefix_of_service", "http://service/entity/Q1"),
        ((), {"wikibase-conceptbaseuri": BASE}, "", ""),
    ],
)  # fmt: skip
def test_where_nothing_is_found_the_prefix_is_compared_with_the_wikis(
    answers: Any, make: Any, rows: tuple[str, ...], said: dict[str, str], code: str, prefix: str
) -> None:
    listed = [table(*((row,) for row in rows), columns="item")] if rows else []
    answers(*(listed or [table(columns="item")]), {"query": {"general": said}})
    if not code:
        assert make().qids_with_formula() == []
        return
    with pytest.raises(SettingsError) as caught:
        make().qids_with_formula()
    assert (caught.value.message.code, caught.value.message.values["said"]) == (f"error.{code}", prefix)
    assert caught.value.message.values["prefix"] == BASE


def test_another_query_service_is_asked_at_its_own_address_and_answers_are_kept_apart(
    server: Any, answers: Any, make: Any, tmp_path: Path
) -> None:
    answers(table((f"{BASE}Q1",), columns="item"), table((f"{BASE}Q2",), columns="item"))
    opened = make(cache=tmp_path / "cache.db")
    other = f"{server.address}/other"
    for _ in range(2):
        assert opened.rows("SELECT") == [{"item": "Q1"}]
        assert opened.rows("SELECT", service=other) == [{"item": "Q2"}]
    assert [each.path for each in server.asked] == ["/sparql", "/other"]
    assert opened._endpoint(Sparql, other) is opened._endpoint(Sparql, other)
    assert opened._endpoint(Sparql, other) is not opened._endpoint(Sparql, opened.wiki.sparql)


@pytest.mark.parametrize(("names", "requests"), [(100, [400]), (101, [400, 4])])
def test_four_hundred_spellings_are_asked_for_at_once(
    server: Any, answers: Any, make: Any, names: int, requests: list[int]
) -> None:
    answers(table(columns="name item"))
    assert make().items_by_label(f"x{n}" for n in range(names)) == {f"x{n}": [] for n in range(names)}
    assert [each.values["query"].count('"@') for each in server.asked] == requests


def test_twenty_articles_are_asked_for_at_once(server: Any, answers: Any, make: Any) -> None:
    titles = [f"T{n}" for n in range(21)]
    pages = [{"title": t, "revisions": [{"revid": 1, "slots": {"main": {"content": t}}}]} for t in titles]
    answers({"query": {"pages": pages[:20]}}, {"query": {"pages": pages[20:]}})
    opened = make(wiki=replace(make().wiki, articles=server.address + "/{language}/api.php"))
    assert [page["text"] for page in opened.articles._texts("en", titles, None).values()] == titles
    assert [len(each.values["titles"].split("|")) for each in server.asked] == [20, 1]


# The cache


def test_what_was_kept_counts_from_before_and_has_an_age(make: Any, answers: Any, time: Any, tmp_path: Path) -> None:
    path, answer = (
        tmp_path / "cache.db",
        {"entities": {q: {"id": q, "labels": {"en": {"value": q}}} for q in ("Q1", "Q2")}},
    )
    answers(answer)
    first = make(cache=path)
    first.entities(["Q1"])
    first.entities(["Q1"])
    assert first.cache_use() == CacheUse()
    time.now += 5000
    second = make(cache=path)
    second.entities(["Q1", "Q2"])
    assert second.cache_use() == CacheUse(1, 1.39)
    second._query_service_failure = LookupFailed(uncoded_message("gone"))
    assert second.cache_use().query_service_failure == second._query_service_failure.full_message


@pytest.mark.parametrize(
    ("cached", "remarks"),
    [
        (CacheUse(0, 5.0, "x"), ()),
        (CacheUse(2, 1.0), (Message("cached.answers", n=2, age=Message("cached.hours", n=1.0)),)),
        (CacheUse(2, 1.04), (Message("cached.answers", n=2, age=Message("cached.hours", n=1.0)),)),
        (CacheUse(2, 0.99), (Message("cached.answers", n=2, age=Message("cached.minutes", n=59)),)),
        (CacheUse(1, 0.5, "x"), (Message("cached.away", why="x"), Message("cached.answers", n=1, age=Message("cached.minutes", n=30)))),
    ],
)  # fmt: skip
def test_what_is_said_of_kept_answers(cached: CacheUse, remarks: tuple[Message, ...]) -> None:
    assert cached.remarks() == remarks


def test_one_kept_answer_of_a_minute_ago_is_said_so() -> None:
    assert str(CacheUse(1, 1 / 60).remarks()[0]) == "1 answer of the wiki is from the cache, from 1 minute ago."


def test_an_answer_that_a_clock_stored_that_was_ahead_is_asked_for_again(tmp_path: Path, time: Any) -> None:
    cache = Cache(tmp_path / "c.db", Wiki(), 2, time.clock)
    cache.put("item", "old")
    time.now -= 3600
    assert cache.get_many(["item"]) == {}
    cache.put("item", "new")
    assert cache.get_many(["item"]) == {"item": "new"}
    cache.close()


def test_answers_are_kept_for_so_many_days_and_the_old_ones_go(tmp_path: Path, time: Any) -> None:
    cache = Cache(tmp_path / "c.db", Wiki(), 2, time.clock)
    cache.put("old", [1])
    time.now += 86400
    cache.put_many({f"n{n}": n for n in range(1001)} | {"ä": "ü"})
    assert cache.get_many(["old", "ä", "none", *(f"n{n}" for n in range(1001))]) == {
        "old": [1],
        "ä": "ü",
        **{f"n{n}": n for n in range(1001)},
    }
    assert (cache.old_answers_used, cache.oldest_age) == (0, 0.0)
    later = Cache(tmp_path / "c.db", Wiki(), 2, time.clock)
    later._clock = lambda: time.now + 10
    assert later.get_many(["n1"]) == {"n1": 1}
    time.now += 86400
    assert cache.get_many(["old", "n1"]) == {"n1": 1}
    cache.put("new", 5)
    rows = cache._execute("SELECT key, stored, body FROM answers", ())
    assert len(rows) == 1003
    assert Cache(None, Wiki(), 2, time.clock).get_many(["n1"]) == {}
    assert cache.today == "2027-01-17"
    cache.close()
    last = Cache(tmp_path / "c.db", Wiki(), 2, time.clock)
    last.get_many(["n1", "n2"])
    assert (last.old_answers_used, last.oldest_age) == (2, 86400.0)
    time.now += 86399
    assert last.get_many(["n1", "new"]) == {"n1": 1, "new": 5}
    time.now += 1
    assert last.get_many(["n1", "new"]) == {"new": 5}
    later.close()
    last.close()


def test_a_client_says_who_asks_and_how_long_a_person_waits(make: Any, wiki: Any) -> None:
    opened = make(timeout=40)
    assert (opened._interactive_timeout, make(timeout=20)._interactive_timeout) == (30.0, 20)
    assert opened._user_agent.endswith(" (User:Somebody)")
    assert opened.languages == ("en", "mul")
    assert opened.content_version() is None
    assert client.Client(wiki, opened.agent, content_version=lambda: "s").content_version() == "s"


# Names and publications


@pytest.mark.parametrize(
    ("name", "forms"),
    [
        ("Gas Law", ("Gas Law", "gas Law", "Gas law", "gas law")),
        ("law", ("law", "Law")),
        ("a-b Law", ("a-b Law", "A-b Law", "a-b law", "a–b Law", "A–b Law", "a–b law")),
        ("NMR Shift", ("NMR Shift", "NMR shift")),
        ("Ohm’s law", ("Ohm’s law", "ohm’s law", "Ohm's law", "ohm's law")),
    ],
)
def test_the_ways_to_spell_a_name(name: str, forms: tuple[str, ...]) -> None:
    assert set(queries.spellings(name)) == set(forms)
    assert queries.spellings(name)[0] == name
    assert len(queries.spellings(name)) == len(forms)


@pytest.mark.parametrize(
    ("date", "day"),
    [
        ((), ""), ((None,), ""), ((2020,), "+2020-00-00"), ((2020, 5), "+2020-05-00"), ((2020, 12, 31), "+2020-12-31"), ((2020, 1, 1), "+2020-01-01"), ((2020, 13, 1), "+2020-00-00"),
        ((2020, 0, 1), "+2020-00-00"), ((2020, 5, 32), "+2020-05-00"), ((2020, 5, 0), "+2020-05-00"), ((1582, 1, 1), ""), ((1583,), "+1583-00-00"), ((9999,), "+9999-00-00"), ((10000,), ""),
        ((2020, 5, 6, 7), "+2020-05-06"),
    ],
)  # fmt: skip
def test_a_date_is_known_as_far_as_it_can_be(date: tuple[Any, ...], day: str) -> None:
    assert publications._day(*date) == (f"{day}T00:00:00Z" if day else "")


def test_a_message_of_crossref_is_read_whole() -> None:
    authors = [
        {"given": "A", "family": "B"},
        {"family": "C<sub>2</sub>"},
        {"name": "an institute"},
        *({"family": f"F{n}"} for n in range(20)),
    ]
    message = {
        "DOI": "10.1/x", "title": ["On  <i>a</i> &amp; b < c", "second"], "language": "en", "author": authors,
        "issued": {"date-parts": [[2020, 5]]}, "page": None, "article-number": "e7",
    }  # fmt: skip
    names = ("A B", "C2", *(f"F{n}" for n in range(8)))
    assert from_crossref(message) == Publication(
        "10.1/x", "", "", "On a & b < c", "en", names, "+2020-05-00T00:00:00Z", "e7"
    )
    assert from_crossref({"DOI": "10.1/x", "issued": {"date-parts": []}}) == Publication("10.1/x")
    assert len(from_crossref({"DOI": "d", "title": ["t" * 2000]}).title) == 1500


@pytest.mark.parametrize(
    ("entry", "read"),
    [
        ("@misc{x, eprint={1}, eprinttype={arXiv}}", Publication(arxiv="1")), ("@misc{x, eprint={1}, archiveprefix={hal}}", Publication()),
        ("@book{x, language={ngerman}, year={1999}}", Publication(language="de", day="+1999-00-00T00:00:00Z")), ("@book{x, language={Klingon}}", Publication(language="klingon")),
        ("@book{x, author={A B and others}, date={2020-05}}", Publication(authors=("A B",), day="+2020-05-00T00:00:00Z")),
    ],
)  # fmt: skip
def test_an_entry_of_bibtex_is_read_whole(entry: str, read: Publication) -> None:
    assert from_bibtex(entry) == read


def test_a_registry_is_told_of_a_contact_only_where_that_is_an_address(
    server: Any, answers: Any, make: Any, tmp_path: Path
) -> None:
    answers({"body": json.dumps({"message": {"DOI": "10.1/X", "title": ["t"]}})})
    opened = make(cache=tmp_path / "cache.db")
    for doi in ("10.1/x", "10.1/X"):
        assert opened.publication(doi, f"{server.address}/") == Publication("10.1/X", title="t")
    assert [(each.path, each.values) for each in server.asked] == [("/works/10.1%2Fx", {})]
    answers({"body": "none", "status": 404})
    for _ in range(2):
        assert opened.publication("10.1/y", server.address) is None
    assert len(server.asked) == 2


# The texts of queries


@pytest.mark.parametrize(
    ("kind", "text", "value"),
    [
        ("items", " Q1, Q2 ,,", ["Q1", "Q2"]), ("statements", "Q1$a", ["Q1$a"]), ("languages", "en,de", ["en", "de"]), ("integer", "12", 12), ("cursor", "Q1", "Q1"),
        ("texts", "gas law, loi@fr, a@b@de", [("gas law", "en"), ("loi", "fr"), ("a@b", "de")]), ("texts", "@x", [("x", "en")]),
    ],
)  # fmt: skip
def test_a_parameter_is_read_from_a_command_line(kind: str, text: str, value: object) -> None:
    query = queries.Query("q_q", "", (queries.QueryParameter("name", kind, ""),))
    assert queries.values_from_text(query, {"name": text}) == {"name": value}
    assert queries.values_from_text(query, {}) == {}
    with pytest.raises(InputError) as caught:
        queries.values_from_text(query, {"name": "1", "other": "1", "another": "1"})
    assert (caught.value.message.values["parameter"], caught.value.message.values["known"]) == ("another", "name")
    with pytest.raises(InputError) as caught:
        queries.values_from_text(queries.Query("q_q", "", ()), {"x": "1"})
    assert caught.value.message.values["known"] == "–"


@pytest.mark.parametrize("text", ["", "-1", "1.5", "x", "²", "٣"])
def test_a_count_is_written_in_digits(text: str) -> None:
    with pytest.raises(InputError):
        queries._whole_number(text)


GUID = "Q1$11111111-2222-4333-8444-555555555555"


@pytest.mark.parametrize(
    ("kind", "value", "text"),
    [
        ("items", ["Q1", "Q2", "Q1"], "wd:Q1 wd:Q2"), ("items", ["P1"], None), ("statements", [GUID, GUID], f"s:{GUID.replace('$', '-')}"), ("statements", ["Q1$1"], None),
        ("texts", [('a"\\\n', "en"), ("b", "")], '"a\\"\\\\\\n"@en "b"'), ("texts", [("\0", "en")], None), ("texts", [("a", "EN")], None), ("languages", ["en", "de-at"], '"en", "de-at"'),
        ("languages", ['e"'], None), ("integer", 0, "0"), ("integer", 7, "7"), ("integer", -1, None), ("integer", True, None), ("cursor", "Q1", '"Q1"'),
    ],
)  # fmt: skip
def test_a_value_is_written_into_a_query_or_refused(kind: str, value: Any, text: str | None) -> None:
    if text is not None:
        assert queries.PARAMETER_KINDS[kind].write(value) == text
        return
    with pytest.raises(InputError):
        queries.PARAMETER_KINDS[kind].write(value)


def test_a_query_file_is_read_and_filled_for_another_wiki() -> None:
    text = """# Purpose: items
# Columns: item, label
#   items (items) of ?item
#   limit (integer)

SELECT ?item WHERE {
  VALUES ?item { wd:P2534 }
  ?item wdt:P31 <http://www.wikidata.org/entity/Q5> .
}
LIMIT 5
"""
    query = queries.parse_query("q_items", text)
    assert (query.purpose, query.columns, query.kinds) == (
        "items",
        ("item", "label"),
        {"items": "items", "limit": "integer"},
    )
    assert query.text.splitlines()[0] == "SELECT ?item WHERE {"
    wiki = Wiki(entity_prefix="https://maths.example/entity/", properties=Properties(instance_of="P7"))
    assert queries.fill(query, wiki, {"items": ["Q8"], "limit": 9}).splitlines() == [
        "SELECT ?item WHERE {", "  VALUES ?item { wd:Q8 }", "  ?item wdt:P7 <https://maths.example/entity/Q5> .", "}", "LIMIT 9",
    ]  # fmt: skip
    assert "wd:P2534" in queries.fill(query, wiki, {}, samples=True)
    own = replace(query, is_for_this_wiki=True)
    assert "wdt:P31 <http://www.wikidata.org/entity/Q5>" in queries.fill(own, wiki, {}, samples=True)
    for values in ({"items": ["Q8"]}, {"items": ["Q8"], "limit": 9, "more": 1}):
        with pytest.raises(InputError):
            queries.fill(query, wiki, values)
    with pytest.raises(SettingsError) as caught:
        queries.fill(query, replace(wiki, properties=Properties(instance_of="")), {}, samples=True)
    assert caught.value.message.values["name"] == "instance_of"
    with pytest.raises(SettingsError) as caught:
        queries.fill(queries.parse_query("q_x", "SELECT ?x { ?x wdt:P77777 ?y }"), wiki, {})
    assert caught.value.message.values["property"] == "P77777"
    for broken in ("#   limit (integer)\nSELECT", "#   limit (integer)\nLIMIT 5 LIMIT 6", "#   x (colour)\nSELECT"):
        with pytest.raises(InputError):
            queries.parse_query("q_x", broken)


def test_a_cursor_is_the_address_of_an_entity() -> None:
    query = queries.parse_query("q_x", '#   after (cursor)\nSELECT ?x { FILTER(STR(?x) > "") }')
    assert (
        queries.fill(query, Wiki(), {"after": "Q7"}) == f'SELECT ?x {{ FILTER(STR(?x) > "{Wiki().entity_prefix}Q7") }}'
    )
    assert queries.fill(query, Wiki(), {"after": ""}) == 'SELECT ?x { FILTER(STR(?x) > "") }'


@pytest.mark.parametrize(
    ("prefix", "base"),
    [
        ("https://a.org/entity/", "https://a.org"),
        ("ftp://a.org/entity/", None),
        ("https://a.org/e/", None),
        ("https://a b/entity/", None),
    ],
)
def test_the_base_of_a_wiki(prefix: str, base: str | None) -> None:
    if base:
        assert queries.rdf_base(Wiki(entity_prefix=prefix)) == base
        return
    with pytest.raises(SettingsError):
        queries.rdf_base(Wiki(entity_prefix=prefix))
