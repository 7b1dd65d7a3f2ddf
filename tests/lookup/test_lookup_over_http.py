"""What the client makes of every way in which a wiki can answer badly. No test sleeps: time is injected."""

from __future__ import annotations

import socket
import threading
from email.utils import formatdate

import pytest

from bot.errors import InputError, LookupFailed, SettingsError
from bot.lookup import Client, exchange, queries
from bot.lookup.endpoints import Sparql
from bot.messages import uncoded_message
from bot.settings import Agent, Wiki

LABELS = {"items": ["Q1"], "languages": ["en", "mul"]}
GOOD = {
    "head": {"vars": ["item", "label", "language"]},
    "results": {
        "bindings": [
            {
                "item": {"type": "uri", "value": "http://wiki.example/entity/Q1"},
                "label": {"type": "literal", "value": "ideal gas law", "xml:lang": "en"},
                "language": {"type": "literal", "value": "en"},
            }
        ]
    },
}
ROWS = [{"item": "Q1", "label": "ideal gas law", "language": "en"}]
STACK_TRACE = """{"head": {"vars": ["item"]}, "results": {"bindings": [ {"item":
SPARQL-QUERY: queryStr=SELECT ...
java.util.concurrent.TimeoutException
\tat java.util.concurrent.FutureTask.get(FutureTask.java:205)"""


def test_a_query_is_posted_with_agent_and_contact(server, answers, make):
    answers(GOOD)
    assert make().select("lookup_labels", **LABELS) == ROWS
    asked = server.asked[0]
    assert asked.method == "POST"
    assert "User:Somebody" in asked.headers["User-Agent"]
    assert "wd:Q1" in asked.values["query"]


def test_too_many_requests_waits_as_long_as_it_is_told(server, answers, make, time):
    answers({"body": "slow down", "status": 429, "headers": {"Retry-After": "17"}}, GOOD)
    assert make().select("lookup_labels", **LABELS) == ROWS
    assert time.slept == [17.0]


def test_a_retry_after_that_is_a_date_is_understood(answers, make, time):
    answers({"body": "", "status": 429, "headers": {"Retry-After": formatdate(time.now + 30, usegmt=True)}}, GOOD)
    assert make().select("lookup_labels", **LABELS) == ROWS
    assert time.slept == [30.0]


def test_too_many_requests_without_a_time_waits_a_minute(answers, make, time):
    answers({"body": "", "status": 429}, GOOD)
    make().select("lookup_labels", **LABELS)
    assert time.slept == [60.0]


def test_told_to_wait_for_an_hour_it_stops_instead_of_asking_sooner(server, answers, make, time):
    answers({"body": "", "status": 429, "headers": {"Retry-After": "3600"}})
    with pytest.raises(LookupFailed, match="60 minutes"):
        make().select("lookup_labels", **LABELS)
    assert (len(server.asked), time.slept) == (1, [])


def test_a_bad_gateway_is_asked_again(server, answers, make, time):
    answers({"body": "<html>", "status": 502, "kind": "text/html"}, GOOD)
    assert make().select("lookup_labels", **LABELS) == ROWS
    assert time.slept == [1.0]


def test_an_error_500_is_asked_again_and_in_the_end_given_up(server, answers, make, time):
    answers({"body": "oops", "status": 500})
    with pytest.raises(LookupFailed, match="HTTP 500"):
        make().select("lookup_labels", **LABELS)
    assert (len(server.asked), time.slept) == (4, [1.0, 2.0, 4.0])


@pytest.mark.parametrize("status", [200, 500, 503])
def test_a_stack_trace_of_a_timeout_fails_at_once_whatever_the_status(server, answers, make, status):
    answers({"body": STACK_TRACE, "status": status})
    with pytest.raises(LookupFailed, match="ran out of time"):
        make().select("lookup_labels", **LABELS)
    assert len(server.asked) == 1


def test_truncated_json_is_a_failure_and_not_an_empty_answer(answers, make):
    answers('{"head": {"vars": ["item"]}, "results": {"bindings": [')
    with pytest.raises(LookupFailed, match="cut off"):
        make().select("lookup_labels", **LABELS)


@pytest.mark.parametrize(
    "body",
    ["[]", "null", "{}", '{"head": {}, "results": {}}', '{"head": {"vars": ["a"]}, "results": {"bindings": {}}}',
     '{"head": {"vars": ["item", "label", "language"]}, "results": {"bindings": [{"item": 1}]}}', '{"error": "no"}'],
)  # fmt: skip
def test_json_of_another_shape_is_a_failure(answers, make, body):
    answers(body)
    with pytest.raises(LookupFailed, match="is not a query result"):
        make().select("lookup_labels", **LABELS)


def test_an_empty_result_is_an_answer(answers, make):
    answers({"head": {"vars": ["item", "label", "language"]}, "results": {"bindings": []}})
    assert make().select("lookup_labels", **LABELS) == []


def test_the_answer_to_another_query_is_a_failure_and_not_an_empty_answer(answers, make):
    answers({"head": {"vars": ["item"]}, "results": {"bindings": []}})
    with pytest.raises(LookupFailed, match="label"):
        make().select("lookup_labels", **LABELS)
    answers({"head": {"vars": ["x"]}, "results": {"bindings": [{"x": {"value": "1"}}]}})
    with pytest.raises(LookupFailed, match="item"):
        make().qids_with_formula()


def test_a_page_of_html_is_a_failure(answers, make):
    answers({"body": "<html>maintenance</html>", "kind": "text/html"})
    with pytest.raises(LookupFailed, match="text/html instead of JSON: <html>maintenance"):
        make().select("lookup_labels", **LABELS)


def test_a_refused_query_is_not_asked_again(server, answers, make):
    answers({"body": "MalformedQueryException: line 3", "status": 400, "kind": "text/plain"})
    with pytest.raises(LookupFailed, match=r"refused the query.*line 3"):
        make().select("lookup_labels", **LABELS)
    assert len(server.asked) == 1


def test_a_connection_cut_in_the_middle_is_asked_again(server, answers, make):
    answers({"body": '{"head": ', "length": 5000}, GOOD)
    assert make().select("lookup_labels", **LABELS) == ROWS
    assert len(server.asked) == 2


def test_silence_ends_at_the_deadline(server, answers, make):
    go_on = threading.Event()
    answers({"body": GOOD, "hold": go_on})
    with pytest.raises(LookupFailed, match=r"did not answer within 0\.05 s"):
        make(timeout=0.05).select("lookup_labels", **LABELS)
    go_on.set()


def test_a_wiki_that_is_down_gives_one_clear_line(time):
    with socket.socket() as held:  # bound and silent: nobody answers, and nobody else gets the port
        held.bind(("127.0.0.1", 0))
        port = held.getsockname()[1]
        wiki = Wiki(api=f"http://127.0.0.1:{port}/w/api.php", sparql=f"http://127.0.0.1:{port}/sparql")
        with Client(wiki, Agent(), clock=time.clock, sleep=time.sleep) as client:
            for ask in (client.qids_with_formula, lambda: client.entities(["Q1"])):
                with pytest.raises(LookupFailed, match="cannot be reached") as caught:
                    ask()
                assert f"127.0.0.1:{port}" in caught.value.line()
                assert "\n" not in caught.value.line()
                assert "check that it is up" in caught.value.line()
    assert time.slept == [1.0, 1.0]


def test_after_failures_in_a_row_the_service_is_left_alone(server, answers, make):
    answers({"body": "oops", "status": 500})
    client = make()
    for _ in range(3):
        with pytest.raises(LookupFailed, match="HTTP 500"):
            client.select("lookup_labels", **LABELS)
    before = len(server.asked)
    with pytest.raises(LookupFailed, match="not asked again"):
        client.select("lookup_labels", **LABELS)
    assert len(server.asked) == before


def test_errors_that_are_ours_are_also_counted(server, answers, make):
    answers({"body": "bad", "status": 400})
    client = make()
    for _ in range(20):
        with pytest.raises(LookupFailed, match="refused"):
            client.select("lookup_labels", **LABELS)
    with pytest.raises(LookupFailed, match="not asked again"):
        client.select("lookup_labels", **LABELS)
    assert len(server.asked) == 20


def test_queries_wait_while_a_minute_holds_too_much_query_time(answers, make, time):
    answers(GOOD)
    client = make()
    client._query_budget.record_query_time(30.0)
    time.now += 10
    client._query_budget.record_query_time(25.0)
    client.select("lookup_labels", **LABELS)
    assert time.slept == [50.0]


def test_only_one_query_is_asked_at_a_time(server, answers, make):
    answers(GOOD)
    client = make()
    threads = [threading.Thread(target=client.select, args=("lookup_labels",), kwargs=LABELS) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (len(server.asked), server.most_at_once) == (4, 1)


@pytest.mark.parametrize(
    "ask",
    [
        lambda client: client.qids_with_formula(),
        lambda client: client.entities(["Q1"]),
        lambda client: client.history("Q1", 0),
        lambda client: client.entity_at(7),
        lambda client: client.datatypes(["P1"]),
        lambda client: client.software_and_time(),
        lambda client: client.items_of_query("SELECT ?item WHERE { ?item ?p ?o }", 5),
        lambda client: client.parse_math(["x"]),
        lambda client: client.publication("10.1000/x", "https://crossref.example.org"),
    ],
)
def test_without_a_contact_no_byte_leaves_for_another_machine(ask):
    with Client(Wiki(), Agent()) as client, pytest.raises(SettingsError, match=r"agent\.contact is empty"):
        ask(client)


def test_an_answer_makes_up_for_the_failures_before_it(answers, make):
    answers(*[{"body": "oops", "status": 500}] * 4, GOOD, {"body": "oops", "status": 500})
    client = make()
    with pytest.raises(LookupFailed, match="HTTP 500"):
        client.select("lookup_labels", **LABELS)
    assert client.select("lookup_labels", **LABELS) == ROWS
    for _ in range(3):
        with pytest.raises(LookupFailed, match="HTTP 500"):
            client.select("lookup_labels", fresh=True, **LABELS)
    with pytest.raises(LookupFailed, match="not asked again"):
        client.select("lookup_labels", fresh=True, **LABELS)


@pytest.mark.parametrize(("columns", "named"), [([], "-"), (["a", "b"], "a, b")])
def test_an_answer_without_a_column_says_which_ones_it_has(answers, make, columns, named):
    answers({"head": {"vars": columns}, "results": {"bindings": []}})
    with pytest.raises(LookupFailed) as caught:
        make().items_of_query("SELECT ?item WHERE { ?item ?p ?o }", 5)
    assert caught.value.message.values["columns"] == named


def test_what_was_opened_is_closed(make, monkeypatch):
    closed = []
    monkeypatch.setattr(exchange.Exchange, "close", lambda self: closed.append(self))
    with make() as client:
        opened = {client._api._http, client._endpoint(Sparql, client.wiki.sparql)._http}
        assert closed == []
    assert opened == set(closed)


def test_where_the_query_service_is_away_a_cached_listing_does_unless_all_is_asked_anew(make, monkeypatch):
    client = make()

    def listing(*, fresh=False):
        if fresh:
            raise LookupFailed(uncoded_message("away"))
        return ["Q1"]

    monkeypatch.setattr(client, "qids_with_formula", listing)
    monkeypatch.setattr(client, "entities", lambda qids, **_: list(qids))
    with pytest.raises(LookupFailed, match="away"):
        client.items_with_formulas(fresh=True)
    assert not client.cache_use().query_service_failure
    assert client.items_with_formulas() == ["Q1"]
    assert client.items_with_formulas(exclude={"Q1"}) == []
    assert client.cache_use().query_service_failure
    with pytest.raises(LookupFailed, match="away"):  # nothing else is asked of a service that is away
        client.rows("SELECT ?item { ?item ?p ?o }")


def test_the_innermost_reason_of_a_failure_is_told():
    outer, middle, inner = ValueError("outer"), KeyError("middle"), OSError(113, "No route to host")
    outer.__context__, middle.__context__ = middle, inner
    assert exchange._root_cause(outer) == "No route to host"
    assert exchange._root_cause(ValueError("x")) == "ValueError"


def test_a_cursor_is_an_id_and_nothing_else():
    for good in ("", "Q1", "statement/Q1-a-2"):
        assert queries.PARAMETER_KINDS["cursor"].write(good) == f'"{good}"'
    for bad in ("Q1 ", 'Q1") } #', "statement/", "1"):
        with pytest.raises(InputError):
            queries.PARAMETER_KINDS["cursor"].write(bad)


def test_queries_are_listed_by_name():
    names = [query.name for query in queries.catalogue()]
    assert names == sorted(names)
    assert len(names) > 9
