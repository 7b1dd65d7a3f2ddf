"""Limits at their edges: as many as allowed is taken, one more is not; what is shown of a longer list is its beginning."""

from __future__ import annotations

import contextlib
import json
from itertools import islice
from types import SimpleNamespace
from typing import Any

import pytest
import sqlalchemy as sa
from flask.testing import FlaskClient
from web_records import SignedIn, dozen, opened, proposal, reference

from bot import store
from bot.errors import ReviewError
from bot.records import Decision, Item, Proposal, Quote
from bot.review import builtin_list_coverage, decide, judgements, mismatches, proposal_state, sessions, topics
from bot.review.judgements import Judgements
from bot.review.queue_rules import Rules, change_rules
from bot.review.reconciliation.known_items import KnownItems, ReconciliationRequest
from bot.review.reconciliation.service import Service, make_service
from bot.review.web import app as web_app
from bot.review.web import (
    listener,
    make_app,
    pages_formulas,
    pages_proposal,
    pages_queue,
    queue_index,
    queue_selection,
    review_context,
)
from bot.review.web import pages_statistics as figures
from bot.review.web.queue_filters import Filter
from bot.review.web.queue_index import QueueIndex
from bot.review.web.rest import make_token
from bot.review.web.security import OneTimeToken
from bot.settings import Settings, Wiki
from bot.store import Workspace

# -- reconciliation


@pytest.fixture(scope="module")
def client() -> FlaskClient:
    rows: list[Any] = [
        {
            "qid": f"Q{n}",
            "label": f"law {n:03}",
            "instance_of": [f"Q{900 + n}"],
            "formulas": [f"x = {n}", "a", "b", "c"],
        }
        for n in range(1, 31)
    ]
    return make_service(KnownItems(rows, {}), Wiki(), hosts={"localhost"}).test_client()


def code(client: FlaskClient, name: str, value: object) -> int:
    return client.post("/", data={name: json.dumps(value)}).status_code


def test_as_much_as_allowed_is_reconciled_and_extended(client: FlaskClient) -> None:
    one = {"query": "law 001"}
    values = {"query": "a", "properties": [{"pid": "label", "v": ["b"] * 20}]}
    properties = [{"id": "label"}]
    for name, value in (
        ("queries", {str(n): one for n in range(50)}),
        ("queries", {"q": values}),
        ("queries", {"q": {"query": "x" * 2000}}),
        ("extend", {"ids": ["Q1"] * 500, "properties": properties * 20}),
    ):
        assert code(client, name, value) == 200
    for value in ({"ids": ["Q1"], "properties": properties * 21}, {"ids": ["Q1"] * 501, "properties": []}):
        assert code(client, "extend", value) == 413
    both = {"queries": "{}", "extend": json.dumps({"ids": [], "properties": []})}
    assert client.post("/", data=both).status_code == 400
    assert client.get("/suggest/entity", query_string={"prefix": "x" * 2000}).status_code == 200
    assert client.get("/suggest/entity", query_string={"prefix": "x" * 2001}).status_code == 413
    assert client.get("/suggest/entity?prefix=l&cursor=123456789").get_json() == {"result": []}
    assert client.get("/suggest/entity?prefix=l&cursor=1234567890").status_code == 400


def test_suggestions_come_twenty_at_a_time_from_the_first(client: FlaskClient) -> None:
    for kind, first in (("entity", "Q1"), ("type", "item")):
        prefix = "law" if kind == "entity" else ""
        found = [
            [each["id"] for each in client.get(f"/suggest/{kind}?prefix={prefix}{more}").get_json()["result"]]
            for more in ("", "&cursor=1", "&cursor=20")
        ]
        assert found[0][0] == first
        assert len(found[0]) == 20
        assert found[1][:19] == found[0][1:]
        assert len(found[2]) == (10 if kind == "entity" else 11)
    assert client.get("/properties").get_json() == {
        "type": "item",
        "limit": 5,
        "properties": [
            {"id": "P2534", "name": "defining formula"},
            {"id": "P31", "name": "instance of"},
            *({"id": name, "name": name} for name in ("label", "alias", "description")),
        ],
    }
    assert client.get("/preview/Q7").text.count("<math") == 3
    assert client.get("/properties?limit=6").get_json()["limit"] == 6


def test_a_query_is_what_its_parts_say() -> None:
    items = KnownItems([{"qid": "Q1", "label": "gauge", "description": "d"}, {"qid": "Q2", "label": "b"}], {})
    service, asked = Service(items, Wiki()), list[ReconciliationRequest]()
    items.candidates = lambda requests: asked.extend(requests) or [[] for _ in requests]  # type: ignore[method-assign]
    properties = [
        {"pid": "P2534", "v": ["a=b", " "]}, {"pid": "alias", "v": "n"}, {"pid": "label", "v": 5}, {"pid": "P31", "v": {"id": "Q8"}}, {"pid": "P1", "v": "z"},
    ]  # fmt: skip
    one = {"query": " t ", "type": ["Q7", ""], "limit": 99, "properties": properties, "type_strict": "all"}
    assert service.reconcile(json.dumps({"a": one, "b": {"query": "u", "type": "Q3", "limit": 49}})) == {
        "a": {"result": []},
        "b": {"result": []},
    }
    assert asked == [
        ReconciliationRequest("t", ("a=b",), ("n", "5"), ("Q7", "Q8"), "all", 50),
        ReconciliationRequest("u", (), (), ("Q3",), "any", 49),
    ]
    extended = service.extend(json.dumps({"ids": ["Q1", "Q2"], "properties": [{"id": "description"}, {"id": "alias"}]}))
    assert extended["rows"] == {
        "Q1": {"description": [{"str": "d"}], "alias": []},
        "Q2": {"description": [], "alias": []},
    }
    made = service._candidate(SimpleNamespace(qid="Q2", probability=0.123456, sure=True, features={"name": 0.5}))  # type: ignore[arg-type]
    assert made == {
        "id": "Q2", "name": "b", "type": [{"id": "item", "name": "any item"}], "score": 12.35, "match": True, "features": [{"id": "name", "value": 0.5}]
    }  # fmt: skip


def test_ten_hits_at_least_are_asked_for_to_see_rivals(monkeypatch: pytest.MonkeyPatch) -> None:
    items, asked = KnownItems([{"qid": "Q1", "label": "gauge"}], {}), list[tuple[Any, ...]]()
    monkeypatch.setattr(items._recogniser, "all_hits", lambda *given: asked.append(given) or [[] for _ in given[0]])
    items.candidates([ReconciliationRequest("a=b", limit=3), ReconciliationRequest("n", ("c=d",), ("m",), limit=4)])
    items.candidates([ReconciliationRequest("a=b", names=("a", "b"), limit=12), ReconciliationRequest("gauge")])
    assert items.candidates([]) == []
    assert asked == [(["a=b", "c=d"], 10, ["", "n\nm"]), (["a=b"], 12, ["a\nb"]), ([], 0, [])]


def test_an_item_is_completed_by_its_shortest_name_and_each_once() -> None:
    items = KnownItems(
        [
            {"qid": "Q1", "label": "gauge theory", "aliases": ["gauge group theory"]},
            {"qid": "Q2", "label": "gauge symmetry", "aliases": ["gauge"], "redirect": ""},
            {"qid": "Q3", "label": "gauge", "redirect": "Q2"},
            {"qid": "Q2", "label": "another"},
        ],
        {},
    )
    assert items.starting("gauge") == ["Q2", "Q1"]
    assert items.starting("gauge t") == ["Q1"]
    assert items.starting("Q1") == ["Q1"]
    assert items.starting("h") == []


# -- what decisions teach, what is another concept's


def test_the_shipped_weights_hold_like_ten_decisions(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[float] = []
    made = SimpleNamespace(model=judgements.shipped_model("matching"), held_out=())
    monkeypatch.setattr(judgements, "train", lambda pairs, near, *, strength: asked.append(strength) or made)
    monkeypatch.setattr(judgements, "quality", lambda odds, accepted: ("quality", odds))
    monkeypatch.setattr(judgements, "held_out", lambda pairs, model: "before")
    found = judgements.retrain(Judgements((), 0, 0, 0), made.model, builtin=False)
    assert asked == [10.0, 10.0]
    assert (found.before, found.after) == (("quality", "before"), ("quality", ()))


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("E = mc^2", "mc^2 = E", True),
        ("E = mc^2", "E = 7 m c^2", False),  # a number tells them apart
        ("V = I R", "U = I R", False),
        ("E = mc^2", "F = ma", False),
    ],
)
def test_a_document_attests_what_is_the_same_formula(one: str, other: str, same: bool) -> None:
    assert builtin_list_coverage._is_same_formula(one, other) is same


def test_other_letters_and_loose_comparisons_attest_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    for same, loose, relation, wanted in (
        (True, False, "notation", True),
        (True, False, "renamed", False),
        (True, True, "notation", False),
        (False, False, "notation", False),
    ):
        found = SimpleNamespace(same_concept=same, loose=loose, relation=relation)
        monkeypatch.setattr(builtin_list_coverage, "compare_formulas", lambda *_, found=found: found)
        assert builtin_list_coverage._is_same_formula("a", "b") is wanted


def hit(qid: str, probability: float, level: str = "K2") -> SimpleNamespace:
    return SimpleNamespace(qid=qid, probability=probability, level=level)


@pytest.mark.parametrize(
    ("hits", "of_another"),
    [
        ([], False),
        ([hit("Q2", 0.9)], True),
        ([hit("Q2", 0.899)], False),
        ([hit("Q2", 1.0, "K3")], False),
        ([hit("Q2", 1.0, "")], False),
        ([hit("Q1", 1.0)], False),
        ([hit("Q2", 1.0), hit("Q1", 0.02, "")], False),
        ([hit("Q2", 1.0), hit("Q1", 0.019, "")], True),
        ([hit("Q3", 1.0)], False),  # related to Q1
    ],
)
def test_a_formula_is_anothers_where_the_list_is_sure_and_this_one_is_far(
    monkeypatch: pytest.MonkeyPatch, hits: list[SimpleNamespace], of_another: bool
) -> None:
    book = SimpleNamespace(recogniser=SimpleNamespace(hits=lambda value: hits), related={"Q3": frozenset({"Q1"})})
    monkeypatch.setattr(mismatches, "builtin_concepts", lambda: book)
    assert mismatches._is_of_another("x", SimpleNamespace(qid="Q1")) is of_another  # type: ignore[arg-type]


def test_a_formula_of_six_leaves_is_long_enough_to_be_anothers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mismatches, "_is_of_another", lambda value, concept: True)
    concept: Any = SimpleNamespace(formulas=(r"a = \mathrm{Mse}",))
    said = {tex: mismatches.another_concepts(tex, concept, "p") for tex in (r"T_{ij} = -T_{ji}", "x = y z", r"\frac{")}
    assert said == {r"T_{ij} = -T_{ji}": True, "x = y z": False, r"\frac{": False}
    assert not mismatches.another_concepts("M_{ij} = -M_{ji}", concept, "p"), "a letter of a word counts"
    assert not mismatches.another_concepts("p_{ij} = -p_{ji}", concept, "p")


# -- topics, tokens, addresses


def test_a_person_has_forty_topics(w: Workspace) -> None:
    made = [topics.save_topic(w, "Ada", f"topic {n:02}", "x" * 2001, "") for n in range(40)]
    assert (len(made[0].query), len(made[0].id)) == (2000, 16)
    with pytest.raises(ReviewError):
        topics.save_topic(w, "Ada", "one more", "", "")
    topics.save_topic(w, "Ada", "topic 07", "", "Q1")
    assert topics.save_topic(w, "Ben", "n" * 100, "", "").items == ()
    found = topics.topics_of_person(w, "Ada")
    assert [each.name for each in found] == [f"topic {n:02}" for n in range(40)]
    assert [each.items for each in found[6:9]] == [(), ("Q1",), ()]
    assert (
        topics.items_of_topic(w, made[7].id),
        topics.items_of_topic(w, made[6].id),
        topics.items_of_topic(w, "none"),
    ) == (
        ("Q1",),
        (),
        None,
    )
    assert topics.items_in(" ".join(f"Q{n}" for n in range(1, 5001)))[-1] == "Q5000"
    with pytest.raises(ReviewError):
        topics.save_topic(w, "Ben", "longer", "", " ".join(f"Q{n}" for n in range(1, 5002)))
    assert len(topics.save_topic(w, "Ben", "long", "", " ".join(f"Q{n}" for n in range(1, 5001))).items) == 5000


def test_secrets_have_24_or_32_random_bytes(w: Workspace, ada: SignedIn) -> None:
    token = OneTimeToken()
    assert len(token.text) == 32
    token.spend(token.text)
    token.renew()
    with ada.client.session_transaction() as session:
        known = [token.text, session["csrf"], session["sid"], sessions.begin_session(w, "Ada", 8)]
    pages = review_context.ConnectedPages()
    assert [len(each) for each in known] == [32] * 4
    assert [len(each) for each in (pages.new_token(""), make_token(w, "Ada"))] == [43] * 2
    for _ in range(10_001):
        pages.new_token("")
    assert len(pages._sessions) == 10_000
    ada.client.get("/sign-in")
    with ada.app.test_client() as other:
        other.get("/sign-in")
        with other.session_transaction() as session:
            assert len(session.get("csrf", "x" * 32)) == 32


@pytest.mark.parametrize(
    ("files", "rules", "wanted"),
    [
        (2000, None, (500, {})),
        (600, Rules(trusted_proxy=""), (300, {})),
        (2000, Rules(trusted_proxy="10.0.0.7"), (500, {"trusted_proxy": "10.0.0.7", "trusted_proxy_headers": {"x-forwarded-for"}})),
    ],
)  # fmt: skip
def test_a_server_has_as_many_connections_as_half_its_files(
    monkeypatch: pytest.MonkeyPatch, files: int, rules: Rules | None, wanted: tuple[int, dict[str, Any]]
) -> None:
    given: dict[str, Any] = {}
    monkeypatch.setattr(listener, "create_server", lambda app, **values: given.update(values) or SimpleNamespace())
    monkeypatch.setattr(listener.resource, "getrlimit", lambda which: (files, files))
    made = listener.listen(lambda *_: [], "h", 1, rules)
    proxy = {name: value for name, value in given.items() if name.startswith("trusted_")}
    assert (given["connection_limit"], proxy) == wanted
    names = ("threads", "channel_timeout", "cleanup_interval", "max_request_body_size", "asyncore_use_poll")
    assert [given[name] for name in names] == [12, 60, 15, 5_000_000, True]
    assert made.channel_class is listener._Channel  # type: ignore[attr-defined]


def test_what_a_page_takes_keeps_and_remembers(w: Workspace) -> None:
    app = make_app(w, Settings(), hosts={"localhost"}, public="https://localhost")
    names = ("MAX_CONTENT_LENGTH", "SEND_FILE_MAX_AGE_DEFAULT", "SESSION_COOKIE_SECURE", "SESSION_COOKIE_HTTPONLY")
    assert [app.config[name] for name in names] == [5_000_000, 3600, True, True]
    context = app.extensions["review"]
    with app.test_request_context():
        from flask import session

        for n in range(32):
            context.remember([str(n)], 1)
        assert (len(session["done"]), session["done"][0], session["count"]) == (30, ["2"], 32)
        context.remember([str(n) for n in range(50)], 50)
        assert (len(session["done"]), session["count"]) == (30, 82)
        context.remember(["x"] * 31, 31)
        assert [len(each) for each in session["done"]] == [31]
        context.remember(["y"] * 100, 0)
        assert [len(each) for each in session["done"]] == [100]


# -- pages


@pytest.fixture
def long(tmp_path: Any) -> Any:
    """A queue of one page and one proposal more, and as many concepts without an item."""
    with opened(tmp_path / "w", "Ada", proposals=[proposal(n) for n in range(51)]) as workspace:
        yield workspace


def shown_by(monkeypatch: pytest.MonkeyPatch, module: Any) -> dict[str, Any]:
    """Return what the pages of a module give to their template from now on."""
    given: dict[str, Any] = {}
    monkeypatch.setattr(module, "render_template", lambda name, **values: given.clear() or given.update(values) or "")
    return given


def test_a_page_of_the_queue_has_fifty_and_leads_to_the_next(long: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    from web_records import signed_in

    ada = signed_in(long, "Ada")
    token = {"Authorization": f"Bearer {make_token(long, 'Ada')}"}
    one = ada.client.get("/api/v1/proposals", headers=token).get_json()
    ids = [row["id"] for row in one["proposals"]]
    assert (len(ids), one["after"]) == (50, ids[49])
    two = ada.client.get(f"/api/v1/proposals?after={ids[49]}", headers=token).get_json()
    assert (len(two["proposals"]), two["after"]) == (1, None)
    given = shown_by(monkeypatch, pages_queue)
    ada.client.get("/")
    assert ([row.id for row in given["rows"]], given["more"], given["total"]) == (ids, ids[49], 51)
    assert (given["session_size"], given["elsewhere"], given["counts"]) == (20, None, [("open", 51)])
    ada.client.get(f"/?after={ids[49]}")
    assert (len(given["rows"]), given["more"], given["total"]) == (1, "", 51)
    ada.client.get("/?state=all")
    assert (len(given["rows"]), given["total"]) == (50, None)
    ada.client.get("/?state=closed&low=1")
    found = given["elsewhere"]
    assert (found.numbers, len(found.rows), found.wider) == ({"open": 51}, 5, False)
    ada.client.get("/?state=closed&low=99&q=Ohm")
    found = given["elsewhere"]
    assert (found.numbers, len(found.rows), found.wider) == ({"open": 5}, 5, True)
    assert queue_selection.count(long, found.chosen.in_state("open"), "Ada") == 5
    chosen = [f"{each}:none:0" for each in ids] * 2
    ada.post("/batch", chosen=chosen)
    with ada.client.session_transaction() as session:
        assert len([kind for kind, _ in session["_flashes"] if kind == "error"]) == 50


def test_formulas_without_an_item_come_fifty_at_a_time(
    w: Workspace, ada: SignedIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    row = {"key": "k", "tex": "x"}
    asked: list[tuple[Any, ...]] = []
    monkeypatch.setattr(
        pages_formulas.answers, "concepts_without_item", lambda *given: asked.append(given[1:]) or [row] * 50
    )
    given = shown_by(monkeypatch, pages_formulas)
    ada.client.get("/formulas?after=100")
    assert (len(given["rows"]), given["more"], asked[0][1:]) == (50, 150, (100, 50))
    assert "<math" in given["rows"][0]["drawn"]
    monkeypatch.setattr(pages_formulas.answers, "concepts_without_item", lambda *given: [row] * 49)
    ada.client.get("/formulas")
    assert (given["more"], given["total"]) == (0, 10)
    with w.engine.begin() as db:
        names = [{"name": f"law {n}"} for n in range(9)]
        places = [["lectures/0", n] for n in range(6)]
        spellings = [{"tex": f"x_{n}", "occurrences": n} for n in range(9)]
        change = store.concepts.update().where(store.concepts.c.key == "free-1")
        db.execute(change.values(names=names, places=places, representations=spellings))
    searched: list[Any] = []
    monkeypatch.setattr(
        pages_formulas.answers,
        "items_with_similar_name",
        lambda known, *asked, **more: searched.append((asked, more)) or [],
    )
    monkeypatch.setattr(pages_formulas, "passages_of", lambda workspace, places: places)
    ada.client.get("/formulas/free-1")
    assert searched.pop() == (("law 0", "law 1", "law 2"), {"limit": 6})
    assert (given["quotes"], given["asked"]) == ([("lectures/0", n) for n in range(4)], "law 0")
    assert ([n for _, n in given["spellings"]], given["names"]) == ([*range(8)], [f"law {n}" for n in range(8)])
    assert given["can_ask"] is True
    ada.client.get(f"/formulas/free-1?q={'y' * 191}")
    assert searched.pop() == (("y" * 190,), {})


def test_packets_and_exports_that_there_are_not_are_not_found(ada: SignedIn) -> None:
    for path in ("out.txt", "out.csv?state=nonsense", "for/nothing"):
        ada.get(f"/packets/{path}", 404)
    for path, kind in (("out.csv?state=all", "text/csv"), ("for/primary-sources", "text/turtle"), ("for/quickstatements", "text/plain")):  # fmt: skip
        answer = ada.client.get(f"/packets/{path}")
        assert answer.headers["Content-Type"] == f"{kind}; charset=utf-8"
        assert answer.headers["Content-Disposition"].startswith("attachment; filename=")
    import io

    lines = "\n".join(
        json.dumps({"proposal": f"{n:02}{'z' * 20}", "hash": "h", "verdict": "approve"}) for n in range(21)
    )
    ada.post("/packets", file=(io.BytesIO(lines.encode()), "p.jsonl"))
    with ada.client.session_transaction() as session:
        said = [text for kind, text in session["_flashes"] if kind == "error"]
    assert len(said) == 20
    assert all(each.startswith(f"{n:02}{'z' * 14}: no such proposal") for n, each in enumerate(said))


def test_an_item_page_shows_three_quotes(w: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    quotes = tuple(
        Quote(
            f"d{n}",
            0,
            f"So ⟦0⟧ is number {n}.",
            "s",
            "n",
            f"title {n}",
            "https://a.org",
            ((0, "E = m c^2"),),
            "sentence",
        )
        for n in range(5)
    )
    made = proposal(21, quotes=quotes, references=tuple(reference(n, "https://a.org") for n in range(5)))
    one: Proposal = made
    monkeypatch.setattr("bot.review.web.item_page.find", lambda workspace, id_: one)
    app = make_app(w, Settings(), hosts={"localhost"})
    token = {"Authorization": f"Bearer {make_token(w, 'Ada')}"}
    found = app.test_client().get("/api/v1/items/Q35875/proposals", headers=token).get_json()["proposals"]
    assert [each["title"] for each in found[0]["quotes"]] == ["title 0", "title 1", "title 2"]


def test_a_word_of_two_thousand_items_is_looked_up_and_one_of_more_is_not(w: Workspace) -> None:
    tags = [
        {"tag": f"word:{word}", "proposal": f"Q{n}"}
        for word, number in (("rare", 2000), ("usual", 2001))
        for n in range(number)
    ]
    with w.engine.begin() as db:
        db.execute(store.queue_tags.insert(), tags)
    assert queue_selection.items_with_words(w, ["rare"]) is not None
    assert queue_selection.items_with_words(w, ["usual"]) is None
    both = queue_selection.items_with_words(w, ["usual", "rare"])
    assert both is not None
    assert len(w.rows(both)) == 2000


def test_a_search_counts_to_five_hundred(w: Workspace) -> None:
    QueueIndex(w).refresh(now=True)
    row = w.rows(sa.select(store.queue).where(store.queue.c.id == f"{4:016x}"))[0]
    with w.engine.begin() as db:
        db.execute(store.queue.insert(), [{**row, "id": f"more {n}"} for n in range(505)])
    assert queue_selection.count(w, Filter(q="Ohm"), "Ada") == 501
    assert queue_selection.count(w, Filter(q="Q41591"), "Ada") == 506


def test_the_queue_is_followed_in_batches_at_intervals(w: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    sizes: list[int] = []
    index = QueueIndex(w)
    monkeypatch.setattr(queue_index.time, "monotonic", lambda: 100.0)
    monkeypatch.setattr(
        queue_index, "itertools", SimpleNamespace(islice=lambda rows, n: sizes.append(n) or islice(rows, n))
    )
    index.refresh(now=True)
    assert (set(sizes), index._next, w.get("review_queue")) == ({2000}, 115.0, 3)
    later: list[int] = []
    monkeypatch.setattr(
        queue_index.threading,
        "Thread",
        lambda **given: later.append(len(given["args"][0])) or SimpleNamespace(start=lambda: None),
    )
    monkeypatch.setattr(index, "_catch_up", lambda new, terms, last: later.append(-len(new)))
    for number, terms in ((2000, "one"), (2001, "two")):
        with w.engine.begin() as db:
            db.execute(store.decisions.delete())
            db.execute(
                store.decisions.insert(),
                [{"proposal": f"p{n}", "verdict": "approve", "record": {}} for n in range(number)],
            )
        monkeypatch.setattr(index, "_terms", lambda terms=terms: terms)
        index._follow_decisions()
    assert later == [-2000, 2001]


def test_twelve_items_of_the_wiki_are_offered_with_two_formulas(w: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[list[str]] = []

    class Client(contextlib.nullcontext[Any]):
        def items_by_label(self, names: list[str]) -> dict[str, list[str]]:
            return {names[0]: [f"Q{n}" for n in range(1, 20)] if names[0] == "law" else []}

        def entities(self, qids: list[str]) -> dict[str, Item]:
            asked.append(qids)
            odd = {
                "Q1": Item("Q1", missing=True),
                "Q2": Item("Q2", redirect="Q3"),
                "Q3": Item("Q3", "three", description="d"),
            }
            return {qid: odd.get(qid, Item(qid)) for qid in qids}

        def __enter__(self) -> Client:
            return self

    monkeypatch.setattr(pages_formulas, "Client", lambda *given: Client())
    app = make_app(w, Settings(), hosts={"localhost"})
    with app.app_context():
        found = pages_formulas._on_the_wiki("law")
        assert pages_formulas._on_the_wiki("none") == []
    assert [len(each) for each in asked] == [12]
    assert found[:2] == [("Q3", "three", "d"), ("Q4", "Q4", "")]
    assert len(found) == 10


def test_what_was_decided_last_skips_aside(w: Workspace) -> None:
    one = dozen()[0]
    app = make_app(w, Settings(), hosts={"localhost"})
    with app.app_context():
        assert pages_proposal._last(one.id) is None
        for verdict in ("approve", "unsure", "skip"):
            decide(w, Decision(one.id, one.hash, verdict, reviewer="Ada"))
        last = pages_proposal._last(one.id)
        assert last is not None
        assert last.verdict == "unsure"
        assert pages_proposal._last("none") is None
    with app.test_request_context("/?a=1&a=2&lang=en&token=x"):
        assert web_app._language_query("de") == "a=1&a=2&lang=de"


def test_the_wiki_has_twenty_seconds_to_answer(w: Workspace) -> None:
    change_rules(w, {"oauth_client": "c", "oauth_authorize": "https://w/a", "oauth_token": "https://w/t"})
    app = make_app(w, Settings(), hosts={"localhost"}, public="https://localhost/", oauth_secret="s")
    client, _, back = app.extensions["wiki_oauth"]
    assert (client.client_kwargs, back) == (
        {"code_challenge_method": "S256", "timeout": 20},
        "https://localhost/sign-in/back",
    )
    assert (client.client_id, client.client_secret, client.authorize_url) == ("c", "s", "https://w/a")


def test_a_picture_is_520_wide() -> None:
    assert 'viewBox="0 0 520 52"' in figures.bars([("a", 3)], "l", str.upper)


def test_figures_of_a_candidate_have_four_places_and_a_day_has_ten_characters(monkeypatch: pytest.MonkeyPatch) -> None:
    items = KnownItems([{"qid": f"Q{n}", "label": "gauge"} for n in range(1, 4)], {})
    (named,) = items.candidates([ReconciliationRequest("gauge")])
    assert [dict(one.features) for one in named] == [{"name": 0.3333}] * 3
    near = SimpleNamespace(qid="Q1", probability=0.123456, level="K1")
    monkeypatch.setattr(items._recogniser, "all_hits", lambda *given: [[near] for _ in given[0]])
    (found,) = items.candidates([ReconciliationRequest("a=b")])
    assert [dict(one.features) for one in found] == [{"formula": 0.1235, "same_formula": True}]
    monkeypatch.setattr(proposal_state, "now", lambda: "2026-11-23T10:00:00Z")
    assert proposal_state.today() == "2026-11-23"
