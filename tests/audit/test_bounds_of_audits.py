"""Where an audit draws its lines: what is just enough, what is just too much, and what is counted."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any

import pytest
import sqlalchemy as sa

from bot import store
from bot.audit import (
    class_coverage,
    consistency,
    coverage,
    edit_states,
    findings_page,
    formula_sources,
    formulas,
    query_answers,
    run,
    run_audits,
)
from bot.audit.finding_formats import render
from bot.audit.findings_page import Share
from bot.audit.known_findings import finding_id, mute, needs_attention, store_known, stored_findings
from bot.audit.query_answers import AuditAnswer, QueryService
from bot.audit.stated_symbols import dimensions
from bot.audit.survey import WikiSurvey
from bot.errors import InputError, LookupFailed, SettingsError
from bot.hashchain import Discrepancy
from bot.lookup import Client
from bot.lookup.entities import PageRevision
from bot.lookup.queries import Query
from bot.messages import Message
from bot.records import Edit, Finding, Item, Reference, Statement
from bot.settings import Agent, Auditing, Properties, Settings, Wiki
from bot.store import Workspace
from bot.write import payload

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)


def values(caught: pytest.ExceptionInfo[Any]) -> dict[str, Any]:
    return dict(caught.value.message.values)


# -- what has to be there


def _checked(holding: int, listed: int, expected: int, unlisted: int = 0, first: bool = False) -> None:
    def of(n: int) -> list[str]:
        return [f"Q{k}" for k in range(1, n + 1)]

    coverage._check_not_shrunk(of(holding), of(listed), of(expected), of(unlisted), first=first, where="w")


@pytest.mark.parametrize(
    ("told", "code", "counted"),
    [
        ((0, 0, 0, 0, True), "no_formula_found", {}), ((0, 0, 1), "no_formula_found", {}), ((0, 0, 0), "", {}), ((100, 100, 100, 1), "", {}),
        ((100, 100, 100, 2), "unlisted", {"lacks": 2, "all": 100}), ((100, 100, 103), "", {}), ((100, 100, 111), "", {}), ((100, 100, 112), "formulas_gone.known", {"gone": 12, "all": 112}),
        ((5, 5, 8), "", {}), ((5, 5, 9), "formulas_gone.known", {"gone": 4, "all": 9}), ((5, 9, 5), "formulas_gone.listed", {"gone": 4, "all": 9}), ((90, 100, 90), "", {}),
        ((89, 100, 89), "formulas_gone.listed", {"gone": 11, "all": 100}),
    ],
)  # fmt: skip
def test_how_many_formulas_may_be_gone(told: tuple[Any, ...], code: str, counted: dict[str, int]) -> None:
    if not code:
        _checked(*told)
        return
    with pytest.raises(LookupFailed) as caught:
        _checked(*told)
    assert caught.value.message.code == f"error.{code}"
    assert counted.items() <= values(caught).items()


def test_five_items_are_named_in_their_order() -> None:
    assert coverage._item_list(["Q10", "Q9", "Q1", "Q2", "Q3"]) == "Q1, Q2, Q3, Q9, Q10"
    assert coverage._item_list(["Q10", "Q9", "Q1", "Q2", "Q3", "Q4"]) == "Q1, Q2, Q3, Q4, Q9, …"


def test_what_has_a_formula_is_an_item_with_a_value_of_that_property() -> None:
    def item(prop: str, value: str, **changes: Any) -> Item:
        return Item("Q1", statements=(Statement("g", prop, value),), **changes)

    cases = [
        item("P1", "x"),
        item("P2", "x"),
        item("P1", ""),
        item("P1", "x", missing=True),
        item("P1", "x", redirect="Q2"),
    ]
    assert [coverage._has_formula(each, "P1") for each in cases] == [True, False, False, False, False]


def test_a_wiki_that_knows_none_of_several_items_is_another_one() -> None:
    gone = {"missing": ""}
    for right in ({}, {"Q1": gone}, {"Q1": gone, "Q2": {"id": "Q2"}}):
        coverage.check_any_exist(right)
    with pytest.raises(LookupFailed) as caught:
        coverage.check_any_exist({"Q1": gone, "Q2": gone})
    assert values(caught) == {"items": 2}


def test_tables_that_have_shrunk_are_named_until_that_is_accepted(workspace: Workspace) -> None:
    assert coverage.tables_with_fewer_rows(workspace, accept_drop=False, edits=5, links=7) == ()
    assert coverage.tables_with_fewer_rows(workspace, accept_drop=False, edits=5, links=8) == ()
    assert coverage.tables_with_fewer_rows(workspace, accept_drop=False, edits=4, links=7) == (
        Message("fewer.edits", before=5, now=4), Message("fewer.links", before=8, now=7)
    )  # fmt: skip
    assert coverage.tables_with_fewer_rows(workspace, accept_drop=True, edits=4, links=9) == ()
    assert coverage.tables_with_fewer_rows(workspace, accept_drop=False, edits=4, links=8) == (
        Message("fewer.links", before=9, now=8),
    )


# -- findings that are known


def test_a_finding_is_known_counted_and_told_with_its_history(workspace: Workspace) -> None:
    one, note = Finding("wrong", "Q1", "warning", "what", "e", "l", ("x",)), Finding("wrong", "", "info", "1 found")
    first = store_known(workspace, ("wrong",), [one, note], "2026-11-01T00:00:00Z")
    assert [(f.new, f.first_seen) for f in first] == [(True, "2026-11-01T00:00:00Z"), (False, "2026-11-01T00:00:00Z")]
    again = store_known(workspace, ("wrong",), [one, note], "2026-11-02T00:00:00Z")
    assert [(f.new, f.first_seen) for f in again] == [(False, "2026-11-01T00:00:00Z"), (False, "2026-11-02T00:00:00Z")]
    [row] = workspace.rows(sa.select(store.known_findings))
    assert (row["audits"], row["muted"]) == (2, "")
    mute(workspace, first[0].id, "so be it", "Ada")
    [row] = workspace.rows(sa.select(store.known_findings))
    assert (row["muted"], row["muted_by"], bool(row["muted_at"])) == ("so be it", "Ada", True)
    with pytest.raises(InputError) as caught:
        mute(workspace, "0" * 12, "", "Ada")
    assert caught.value.where == "0" * 12
    unknown = Finding("other", "", "unknown", "could not tell")
    store_known(workspace, ("other",), [Finding("other", "Q2", "error", "bad")], "2026-11-03T00:00:00Z")
    store_known(workspace, ("other",), [unknown], "2026-11-04T00:00:00Z")
    assert len(workspace.rows(sa.select(store.known_findings))) == 2  # who could not tell forgets nothing
    store_known(workspace, ("other",), [], "2026-11-05T00:00:00Z")
    assert [row["audit"] for row in workspace.rows(sa.select(store.known_findings))] == ["wrong"]


def test_what_a_finding_is_known_by() -> None:
    def known(**changes: Any) -> str:
        return finding_id(
            Finding(**{"audit": "a", "item": "Q1", "severity": "warning", "what": "w", "evidence": "e"} | changes)
        )

    assert len(known()) == 12
    assert known() == known(label="other")
    assert (
        len(
            {
                known(),
                known(audit="b"),
                known(item="Q2"),
                known(severity="error"),
                known(what="v"),
                known(evidence="f"),
                known(formulas=("x",)),
            }
        )
        == 7
    )
    assert known(item="") == known(item="", what="v")
    assert known(item="", evidence="") != known(item="", evidence="", what="v")
    severities: tuple[Any, ...] = ("info", "warning", "error", "unknown")
    assert [needs_attention(Finding("a", "Q1", each, "w")) for each in severities] == [False, True, True, False]


def test_stored_findings_are_told_with_since_when_and_whether_they_are_new(bench: Any) -> None:
    bench.wiki.put(
        "Q1",
        {
            "id": "Q1$A",
            "mainsnak": {"snaktype": "value", "property": "P2534", "datavalue": {"value": r"\ce{x}", "type": "string"}},
        },
    )
    bench.audit("invalid")
    [found, closing] = stored_findings(bench.workspace)
    assert (found["item"], found["new"], found["first_seen"], found["muted"]) == (
        "Q1",
        True,
        "2026-11-20T12:00:00Z",
        "",
    )
    assert found["step"] != closing["step"] == ""
    assert (closing["new"], closing["first_seen"]) == (False, "2026-11-20T12:00:00Z")
    bench.audit("invalid")
    assert [row["new"] for row in stored_findings(bench.workspace)] == [False, False]


@pytest.mark.parametrize(
    ("head", "names"), [("abc", ("ledger",)), ("0" * 15, ("ledger",)), ("0" * 65, ()), ("0" * 16, ("wrong",))]
)
def test_a_head_is_looked_at_by_the_audit_of_the_ledger_alone(bench: Any, head: str, names: Sequence[str]) -> None:
    with pytest.raises(InputError):
        run_audits(bench.workspace, bench.wiki, Settings(), names, now=NOW, head=head)
    found = run_audits(bench.workspace, bench.wiki, Settings(), ("ledger",), now=NOW, head="1" * 16)
    assert [f.severity for f in found] == ["error", "info"]


# -- what the query service answers


class Service:
    """A client that answers queries from a list of answers and keeps what it was asked."""

    def __init__(self, *answers: list[dict[str, str]], time: str = "2026-11-20T11:59:00Z") -> None:
        self.wiki, self.answers, self.time = Wiki(), list(answers), time
        self.asked: list[tuple[str, str]] = []

    def newest_revision(self) -> int:
        return 7

    def rows(self, text: str, *, fresh: bool, columns: Sequence[str] = (), service: str = "") -> list[dict[str, str]]:
        assert fresh
        if "dateModified" in text:
            return [{"time": self.time}, {"time": "soon"}]
        self.asked.append((service, text))
        return self.answers.pop(0)

    select_pages = Client.select_pages

    def read_pages(self, page: Any, column: str, limit: int, name: str) -> Iterator[dict[str, str]]:
        if name == "audit_x":
            yield {"walked": f"{column} {limit} {name}"}
        yield from page("Q5")

    def labels_of(self, qids: Any) -> dict[str, str]:
        return {qid: f"label of {qid}" for qid in qids}


def query(text: str = "SELECT ?item { VALUES ?item { wd:Q1 } }", **kinds: str) -> Query:
    from bot.lookup import queries

    head = "".join(f"#   {name} ({kind}){' of ?item' if kind == 'items' else ''}\n" for name, kind in kinds.items())
    return queries.parse_query("audit_x", f"# Columns: item\n{head}{text}")


def test_an_answer_is_kept_with_what_was_asked_and_how_long_it_took(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter([1.0, 1.23456, *[2.0] * 9])
    monkeypatch.setattr("bot.audit.query_answers.time.monotonic", lambda: next(clock))
    client: Any = Service([{"item": "Q1"}], [{"item": "Q2"}], [])
    service = QueryService(client, Auditing(sparql="http://s"), NOW)
    many = [f"Q{n}" for n in range(1, 302)]
    assert service.rows(query(qids="items"), qids=many) == [{"item": "Q1"}, {"item": "Q2"}]
    assert [text.count("wd:") for _, text in client.asked] == [300, 1]
    assert {address for address, _ in client.asked} == {"http://s"}
    service.add_figures(a=1)
    service.add_figures(b=2)
    [kept] = service.take_answers()
    assert (kept.query, kept.endpoint, kept.rows, kept.revision, kept.lag, kept.message) == (
        "audit_x",
        "http://s",
        2,
        7,
        60.0,
        None,
    )
    assert kept.figures == {"a": 1, "b": 2}
    assert kept.seconds == 0.235
    assert service.take_answers() == []
    with pytest.raises(LookupFailed) as caught:
        service.rows(query(), 1)
    assert values(caught) == {"query": "audit_x", "n": 0, "least": 1}
    assert service.answers[0].message is not None
    with pytest.raises(LookupFailed):
        service.rows(query(), scholarly=True)


def test_a_query_of_pages_is_walked_in_its_order() -> None:
    client: Any = Service([{"item": "Q6"}])
    paged = query(
        'SELECT ?item { ?item ?p ?o FILTER(STR(?item) > "") }\nORDER BY ?item\nLIMIT 5', after="cursor", limit="integer"
    )
    found = QueryService(client, Auditing(), NOW).rows(paged)
    assert found == [{"walked": "item 5000 audit_x"}, {"item": "Q6"}]
    [(address, text)] = client.asked
    assert address == Wiki().sparql
    assert f'"{Wiki().entity_prefix}Q5"' in text
    assert text.endswith("LIMIT 5000")


@pytest.mark.parametrize(("hours", "lag"), [(0, 0.0), (2, 7200.0), (5, 18000.0), (5.001, None), (-1, 0.0)])
def test_a_service_that_is_behind_is_believed_up_to_a_number_of_hours(hours: float, lag: float | None) -> None:
    client: Any = Service([], time=f"{NOW - timedelta(hours=hours):%Y-%m-%dT%H:%M:%SZ}")
    service = QueryService(client, Auditing(most_lag_hours=5), NOW)
    if lag is None:
        with pytest.raises(LookupFailed) as caught:
            service.rows(query())
        assert values(caught) == {"n": 5, "most": 5}
        return
    service.rows(query())
    assert service.answers[0].lag == lag


def test_a_query_and_the_wiki_may_differ_by_single_statements() -> None:
    many = [f"s{n}" for n in range(1000)]
    least = 3
    query_answers.check_agreement("q", many[:least], [], "w")
    query_answers.check_agreement("q", [], many[:least], "w")
    share = 10  # one of a hundred
    query_answers.check_agreement("q", many, many[: 1000 - share], "w")
    with pytest.raises(LookupFailed) as caught:
        query_answers.check_agreement("q", many[: least + 1], [], "w")
    assert values(caught) == {"query": "q", "extra": least + 1, "lacking": 0}
    with pytest.raises(LookupFailed) as caught:
        query_answers.check_agreement("q", many[: 1000 - share - 1], many, "w")
    assert values(caught) == {"query": "q", "extra": 0, "lacking": share + 1}


def test_so_many_answers_of_an_audit_are_kept(workspace: Workspace) -> None:
    most = 500
    query_answers.store_answers(workspace, "b", [AuditAnswer("q", "t", "e")], "t")
    for n in (0, 1):
        query_answers.store_answers(workspace, "a", [AuditAnswer(f"q{n}{k}", "t", "e") for k in range(most)], "t")
    rows = workspace.rows(sa.select(store.audit_answers).order_by(store.audit_answers.c.n))
    assert [row["query"] for row in rows if row["audit"] == "a"] == [f"q1{k}" for k in range(most)]
    assert len(rows) == most + 1


# -- classes


def _surveyed(workspace: Workspace, *answers: list[dict[str, str]]) -> WikiSurvey:
    client: Any = Service(*answers)
    survey = WikiSurvey(workspace, client, Settings(), NOW)
    survey.__dict__["_covered"] = coverage.ItemsWithFormula({"Q1": Item("Q1")})
    return survey


def test_classes_are_listed_by_size_with_what_is_new(workspace: Workspace) -> None:
    def rows(column: str, n: int, formulas: int) -> list[dict[str, str]]:
        return [
            {column: f"Q{k}", "items": str(100 + k), "formulas": str(formulas), "referenced": "3"}
            for k in range(1, n + 1)
        ]

    survey = _surveyed(workspace, rows("class", 26, 5), rows("field", 1, 5))
    found = list(class_coverage.coverage(survey))
    assert [f.item for f in found] == [*(f"Q{k}" for k in range(26, 1, -1)), "Q1"]
    assert found[0].message == {
        "code": "finding.coverage.now", "values": {"items": 126, "formulas": 5, "sourced": 3, "more": "new"}
    }  # fmt: skip
    assert found[0].label == "label of Q26"
    query_answers.store_answers(workspace, "coverage", survey.service.take_answers(), "t")
    later = list(class_coverage.coverage(_surveyed(workspace, rows("class", 27, 7), rows("field", 1, 4))))
    told = {f.item: f.message["values"]["more"] for f in later if f.message and f.message["values"]["items"] != 101}
    assert (told["Q27"], told["Q26"]) == ("new", "+2")
    assert later[-1].message is not None
    assert later[-1].message["values"]["more"] == "-1"
    assert later[-1].message["code"] == "finding.coverage.since"


def test_an_answer_without_figures_is_no_earlier_one(workspace: Workspace) -> None:
    asked = {"audit": "coverage", "message": None}
    assert query_answers.last_coverage(workspace, "q") == {}
    with workspace.engine.begin() as db:
        for query, figures in (
            ("q", {"coverage": {"Q1": [3, 2, 1]}}),
            ("q", None),
            ("r", {"coverage": {"Q1": [1, 1, 1]}}),
        ):
            db.execute(store.audit_answers.insert().values(**asked, query=query, figures=figures))
    assert query_answers.last_coverage(workspace, "q") == {}
    assert query_answers.last_coverage(workspace, "r") == {"Q1": [1, 1, 1]}


def test_two_thousand_items_wait_for_a_formula_and_the_others_are_counted(workspace: Workspace) -> None:
    rows = [{"item": f"Q{n}"} for n in (*range(1, 2003), 5)]
    found = list(class_coverage.without_formula(_surveyed(workspace, rows)))
    assert (len(found), found[0].item, found[0].label) == (2001, "Q2", "label of Q2")
    assert found[-1].message == {"code": "closing.without_formula", "values": {"n": 2001, "listed": 2000}}
    survey = _surveyed(workspace, rows[:2])
    few = list(class_coverage.without_formula(survey))
    assert few[-1].message == {"code": "closing.without_formula", "values": {"n": 1, "listed": 1}}


# -- formulas


@pytest.mark.parametrize(("size", "code"), [(400, None), (401, "finding.invalid.long")])
def test_a_value_may_have_four_hundred_characters(size: int, code: str | None) -> None:
    tex = ("x+" * 300)[: size - 1] + "x"
    tex = tex.replace("xx", "ab")
    assert len(tex) == size
    found = formulas._validity_error(tex)
    assert (found and found.code) == code


@pytest.mark.parametrize(
    ("related", "kept"),
    [
        ((), ["Q1", "Q2", "Q3", "Q10"]), (("Q1 Q2",), ["Q1", "Q3", "Q10"]), (("Q1 Q2", "Q3 Q10"), ["Q1", "Q3"]), (("Q1 Q10", "Q2 Q10"), ["Q1", "Q3"]),
        (("Q2 Q10", "Q3 Q10", "Q1 Q3"), ["Q1"]),
    ],
)  # fmt: skip
def test_of_items_that_belong_together_one_is_told(related: tuple[str, ...], kept: list[str]) -> None:
    items = [Item(qid) for qid in ("Q1", "Q2", "Q3", "Q10")]
    found = formulas._unrelated(items, frozenset(frozenset(pair.split()) for pair in related))
    assert [item.qid for item in found] == kept


def test_every_shared_formula_is_counted_and_twelve_others_are_named(bench: Any) -> None:
    def claim(qid: str, tex: str) -> dict[str, Any]:
        return {
            "id": f"{qid}$A",
            "mainsnak": {"snaktype": "value", "property": "P2534", "datavalue": {"value": tex, "type": "string"}},
        }

    for n in range(1, 15):
        bench.wiki.put(f"Q{n}", claim(f"Q{n}", "E=mc^2"), label="l")
    for n in (20, 21):
        bench.wiki.put(f"Q{n}", claim(f"Q{n}", "U=RI"))
    found = bench.audit("shared_formula")
    assert [f.item for f in found] == ["Q1", "Q20", ""]
    assert found[0].message["values"]["items"] == " and ".join(f"Q{n} (l)" for n in range(2, 14))
    assert found[0].evidence == "; ".join(f"Q{n} E=mc^2" for n in range(1, 15))
    assert found[0].formulas == ("E=mc^2",)
    assert found[-1].message["values"]["n"] == 2


@pytest.mark.parametrize(
    ("statement", "found"),
    [
        (Statement("g", "P2534", "E=mv^3"), ["g"]), (Statement("g", "P2534", "E=mv^3", rank="deprecated"), []), (Statement("g", "P1", "E=mv^3"), []),
        (Statement("g", "P2534", "", snaktype="somevalue"), []), (Statement("g", "P2534", "E=mv^2"), []),
    ],
)  # fmt: skip
def test_dimensions_are_of_formulas_that_count(statement: Statement, found: list[str]) -> None:
    ids = Properties()
    dims = {
        "Q21": ("m", r"\mathsf{M}"),
        "Q24": ("v", r"\mathsf{L} \mathsf{T}^{-1}"),
        "Q25": ("E", r"\mathsf{L}^2 \mathsf{M} \mathsf{T}^{-2}"),
    }
    others = {q: Item(q, statements=(Statement("d", ids.dimension, d),)) for q, (_, d) in dims.items()}
    symbols = tuple(
        Statement("s", ids.in_defining_formula, s, qualifiers=((ids.symbol_represents, q),))
        for q, (s, _) in dims.items()
    )
    item = Item("Q1", statements=(statement, *symbols))
    rows = [{"item": q, "quantity": "Q21"} for q in ("Q1", "Q2", "Q1")]
    survey: Any = SimpleNamespace(
        client=SimpleNamespace(wiki=Wiki()), service=SimpleNamespace(rows=lambda *_: rows), items_without_formula=lambda qids: others, items={"Q1": item}, formulas=[], unlisted=0
    )  # fmt: skip
    told = list(dimensions(survey))
    assert [f.evidence for f in told[:-1]] == found
    assert told[-1].message is not None
    assert told[-1].message["values"]["n"] == len(found)


def test_items_without_a_formula_are_read_once(workspace: Workspace) -> None:
    asked: list[list[str]] = []

    def entities(qids: list[str], *, fresh: bool, more: tuple[str, ...]) -> dict[str, Item]:
        asked.append(list(qids))
        return {qid: Item(qid) for qid in qids}

    client: Any = SimpleNamespace(wiki=Wiki(), entities=entities)
    survey = WikiSurvey(workspace, client, Settings(), NOW)
    survey.__dict__["_covered"] = coverage.ItemsWithFormula({"Q1": Item("Q1", "law")}, 3)
    assert survey.items_without_formula(["Q1", "Q2", "Q2"]) == {"Q1": Item("Q1", "law"), "Q2": Item("Q2")}
    assert survey.items_without_formula(["Q2", "Q3"]) == {"Q2": Item("Q2"), "Q3": Item("Q3")}
    assert asked == [["Q2"], ["Q3"]]
    assert (survey.unlisted, survey.timestamp) == (3, "2026-11-20T12:00:00Z")


# -- our edits


def test_since_when_an_edit_is_so_is_looked_for_by_halves(monkeypatch: pytest.MonkeyPatch) -> None:
    later = [PageRevision(n, f"U{n}", f"t{n}") for n in range(10, 30)]
    asked: list[int] = []

    def at(revision: int) -> dict[str, Any]:
        asked.append(revision)
        return {"rev": revision} if revision != 25 else {"entity": "Q1", "redirect": "Q2"}

    client: Any = SimpleNamespace(history=lambda qid, after: later, entity_at=at)
    edit: Any = SimpleNamespace(qid="Q1", revision=9)

    def became(edit: Edit, entity: dict[str, Any]) -> edit_states.EditState:
        return edit_states.EditState("removed" if entity["rev"] >= 17 else "present", Message("became.removed"))

    monkeypatch.setattr(edit_states, "edit_state", became)
    assert edit_states.responsible_revision(client, edit, "removed", {"rev": 99}) == later[7]
    assert len(asked) <= 5
    assert edit_states.responsible_revision(client, edit, "deprecated", {"rev": 99}) == PageRevision(0, "", "")
    client.history = lambda qid, after: []
    assert edit_states.responsible_revision(client, edit, "removed", {}) == PageRevision(0, "", "")
    client.history = lambda qid, after: [PageRevision(0, "D", "t", "c")]
    assert edit_states.responsible_revision(client, edit, "deleted", {}) == PageRevision(0, "D", "t", "c")


@pytest.mark.parametrize(
    ("row", "state", "by"),
    [
        (None, "removed", None), ({"state": "removed", "user": "U", "revision": 5, "changed": "t", "comment": None}, "removed", PageRevision(5, "U", "t", "")),
        ({"state": "removed", "user": "U", "revision": 5, "changed": "t", "comment": "c"}, "deleted", None), ({"state": "removed", "user": "", "revision": 0, "changed": "", "comment": ""}, "removed", None),
        ({"state": "deleted", "user": "U", "revision": 0, "changed": "t", "comment": "c"}, "deleted", PageRevision(0, "U", "t", "c")),
    ],
)  # fmt: skip
def test_who_made_it_so_is_known_from_an_earlier_audit(row: Any, state: str, by: PageRevision | None) -> None:
    assert edit_states.stored_revision(row, state) == by


def test_only_what_is_there_is_missing_from_the_query_service(bench: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def claim(qid: str, guid: str) -> dict[str, Any]:
        return {
            "id": guid,
            "type": "statement",
            "rank": "normal",
            "mainsnak": {"snaktype": "value", "property": "P2534", "datavalue": {"value": "a=b", "type": "string"}},
        }

    guids = {qid: f"{qid}$11111111-2222-4333-8444-55555555555{n}" for n, qid in enumerate(("Q1", "Q2", "Q3"))}
    for qid, guid in guids.items():
        bench.edit(qid, claim(qid, guid), guid=guid)
        bench.wiki.put(qid, *([claim(qid, guid)] if qid != "Q3" else []))
    rows = [{"statement": "statement/" + guids["Q1"].replace("$", "-", 1)}]
    monkeypatch.setattr(QueryService, "rows", lambda self, name, **given: rows)
    found = bench.audit("seeded")
    assert found[-1].message == {"code": "closing.seeded_late", "values": {"n": 1}}
    rows.append({"statement": "statement/" + guids["Q2"].replace("$", "-", 1)})
    assert bench.audit("seeded")[-1].message["code"] == "closing.seeded"


GUID = "Q1$11111111-2222-4333-8444-555555555551"
SOURCE, OTHER_SOURCE = (Reference((("P854", "url", f"https://{n}.example"),)) for n in "ab")
OWN = payload.claim(GUID, "P2534", "F=ma", (SOURCE,), (("P1", "string", "in a frame at rest"),))


def respelled(tex: str) -> dict[str, Any]:
    return {**OWN, "mainsnak": payload.snak("P2534", "math", tex)}


@pytest.mark.parametrize(
    ("now", "state", "became", "values", "instead"),
    [
        (OWN, "present", "present", {}, ""),
        (respelled("F = m a"), "amended", "respelled", {"tex": "F = m a"}, ""),
        (respelled("F=mb"), "changed", "value", {"tex": "F=mb"}, "F=mb"),
        ({**OWN, "mainsnak": {"snaktype": "somevalue", "property": "P2534"}}, "changed", "value", {"tex": "–"}, "–"),
        ({**respelled("F=mb"), "rank": "deprecated"}, "changed", "value", {"tex": "F=mb"}, "F=mb"),
        ({**OWN, "rank": "deprecated", "references": []}, "deprecated", "deprecated", {}, ""),
        ({**OWN, "qualifiers": {}, "references": []}, "changed", "represents", {}, "–"),
        ({**OWN, "references": [payload.reference(OTHER_SOURCE)]}, "changed", "reference", {}, ""),
        ({**OWN, "rank": "preferred"}, "amended", "amended", {"parts": ["part_of_claim.rank"]}, ""),
        ({**OWN, "references": [*OWN["references"], payload.reference(OTHER_SOURCE)], "rank": "preferred"}, "amended", "amended", {"parts": ["part_of_claim.rank", "part_of_claim.references"]}, ""),
        (None, "removed", "removed", {}, ""),
    ],
)  # fmt: skip
def test_what_became_of_a_claim(now: Any, state: str, became: str, values: dict[str, Any], instead: str) -> None:
    entity = {"id": "Q1", "claims": {"P2534": [now] if now else []}}
    found = edit_states.edit_state(Edit(qid="Q1", guid=GUID, payload=OWN), entity)
    assert (found.state, found.message.code, found.instead) == (state, f"became.{became}", instead)
    said = {k: sorted(each.code for each in v) if k == "parts" else v for k, v in found.message.values.items()}
    assert said == values


@pytest.mark.parametrize("written", [OWN, OWN["references"][0]])
@pytest.mark.parametrize("there", [True, False])
def test_after_a_merge_the_content_is_looked_for(written: dict[str, Any], there: bool) -> None:
    other = payload.claim("Q2$" + GUID[3:], "P2534", "E=mc^2", (OTHER_SOURCE,))
    entity = {"id": "Q2", "claims": {"P2534": [other, *([{**OWN, "id": "Q2$x"}] if there else [])]}}
    found = edit_states.edit_state(Edit(qid="Q1", guid=GUID, payload=written), entity)
    state = ("merged", "became.merged") if there else ("removed", "became.merged_without")
    assert (found.state, found.message) == (state[0], Message(state[1], target="Q2"))


@pytest.mark.parametrize(
    ("now", "state", "became"),
    [
        (OWN, "present", "reference_present"), ({**OWN, "rank": "deprecated"}, "deprecated", "statement_deprecated"),
        ({**OWN, "rank": "deprecated", "references": [payload.reference(OTHER_SOURCE)]}, "removed", "reference_removed"),
        ({**OWN, "references": [payload.reference(OTHER_SOURCE), *OWN["references"]]}, "present", "reference_present"),
    ],
)  # fmt: skip
def test_what_became_of_a_reference(now: dict[str, Any], state: str, became: str) -> None:
    row = Edit(qid="Q1", guid=GUID, payload=OWN["references"][0])
    found = edit_states.edit_state(row, {"id": "Q1", "claims": {"P2534": [now]}})
    assert (found.state, found.message) == (state, Message(f"became.{became}"))


# -- pages


def test_charts_are_drawn_to_their_largest_figure() -> None:
    runs = [("2026-11-01", 40, 3), ("2026-11-02", 1200, 0)]
    drawn = findings_page.draw(runs, {"survival": [Share("1 day", 3, 4, 0.5), Share("none", 0, 0)]}, "en")
    assert '<th scope="row">2026-11-02</th><td>1,200</td><td>0</td>' in drawn
    assert '<th scope="row">1 day</th><td>3</td><td>4</td><td>75%</td>' in drawn
    assert "none" not in drawn
    assert findings_page.draw(runs[:1], {"survival": [Share("none", 0, 0)]}, "en") == ""
    small = findings_page.draw([("2026-11-01", 40, 3), ("2026-11-02", 80, 0)], {}, "en")
    large = findings_page.draw([("2026-11-01", 400, 30), ("2026-11-02", 800, 0)], {}, "en")
    line = re.compile(r'<polyline points="[^"]+"/>')
    assert line.findall(small) == line.findall(large) == ['<polyline points="44.0,53.0 348.0,8.0"/>']


def test_a_section_tells_new_known_accepted_and_noted_findings_apart() -> None:
    def one(severity: Any, **changes: Any) -> Finding:
        return Finding("a", changes.pop("item", "Q1"), severity, "w", **changes)

    new, known, accepted, noted = one("warning", new=True), one("error"), one("error", muted="m", new=True), one("info")
    said, unsure = one("info", item=""), one("unknown", item="")
    made = findings_page._section("a", [new, known, accepted, noted, said, unsure], "what it is")
    assert made == {
        "name": "a", "description": "What it is", "counts": {"unknown": 1, "error": 1, "warning": 1}, "said": [said, unsure],
        "new": [new], "known": [known], "accepted": [accepted], "notes": [noted], "any": True,
    }  # fmt: skip
    assert findings_page._section("a", [said], "w")["any"] is False


@pytest.mark.parametrize(("form", "most", "more"), [("text", 30, "1 more"), ("wikitext", 500, "1 more")])
def test_so_many_rows_are_shown_and_the_others_are_counted(form: str, most: int, more: str) -> None:
    def shown(n: int) -> str:
        return render([Finding("wrong", f"Q{k}", "warning", "told so") for k in range(1, n + 1)], form)

    assert shown(most).count("told so") == shown(most + 1).count("told so") == most
    assert more not in shown(most)
    assert more in shown(most + 1)


@pytest.mark.parametrize(("new", "shown"), [(25, 25), (26, 25), (50, 25), (51, 3)])
def test_new_findings_are_shown_and_beyond_fifty_only_a_few(new: int, shown: int) -> None:
    found = [Finding("wrong", f"Q{k}", "warning", "told so", new=True) for k in range(1, new + 1)]
    unsure = [Finding(audit, "", "unknown", "cannot") for audit in ("units", "ledger", "symbols", "wrong")]
    seen: dict[str, Any] = {}
    template = SimpleNamespace(render=lambda **given: seen.update(given) or "")
    made = SimpleNamespace(filters={}, get_template=lambda name: template)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(findings_page, "_templates", lambda language: made)
        findings_page.page({"wrong": found, "units": unsure}, {"wrong": "w", "units": ""}, None)
    assert (seen["open"], seen["page"], seen["most"]) == (shown, 50, 500)
    assert (seen["found"], seen["new"], seen["unknown"]) == (new, new, ["ledger", "symbols", "units", "wrong"])
    assert [section["description"] for section in seen["audits"]] == ["W", "Units"]


# -- the survey and its run


def test_a_service_that_tells_no_zone_tells_utc_and_one_that_does_is_believed() -> None:
    noon = datetime(2026, 11, 20, 12, tzinfo=UTC)
    told = ("2026-11-20T12:00:00Z", "2026-11-20T14:00:00+02:00", "2026-11-20T12:00:00", "soon")
    assert [query_answers._moment(each) for each in told] == [noon, noon, noon, None]


def test_audits_of_ones_own_are_those_of_the_named_folder_alone(tmp_path: Any) -> None:
    (tmp_path / "mine.rq").write_text("# Columns: item\nSELECT ?item { ?item ?p ?o }")  # beside the settings
    assert list(run.audits_of(Settings(path=str(tmp_path / "settings.toml")))) == list(run.AUDITS)
    with pytest.raises(SettingsError) as caught:
        run.audits_of(Settings(path=str(tmp_path / "settings.toml"), audit=Auditing(folder="none")))
    assert (caught.value.message.code, caught.value.where) == ("error.no_folder", str(tmp_path / "none"))


def test_a_broken_link_is_told_of_its_edit_where_there_is_one(bench: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    bench.edit("Q7", {"mainsnak": {}})
    what = Message("discrepancy.no_link")
    monkeypatch.setattr(
        "bot.audit.consistency.hashchain.edit_discrepancies", lambda workspace: [(1, what), (9, what), (0, what)]
    )
    survey = WikiSurvey(bench.workspace, bench.wiki, Settings(), NOW)
    rows = {row["n"]: row for row in bench.workspace.rows(sa.select(store.edits))}
    found = list(consistency._chain(survey, rows))
    assert [(f.item, f.severity, f.evidence) for f in found] == [
        ("Q7", "error", "statement Q7$A"), ("", "error", ""), ("", "error", "")
    ]  # fmt: skip
    assert found[1].what == str(Message("finding.ledger.edit", edit=9, what=what))
    assert found[2].what == str(what)


def test_what_is_worked_out_again_and_differs_is_told_of_its_row(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    what = Message("discrepancy.no_link")
    monkeypatch.setattr("bot.audit.consistency.hashchain.decision_discrepancies", lambda workspace: [])
    monkeypatch.setattr("bot.audit.consistency.verify.decision_problems", lambda row: [what])
    monkeypatch.setattr("bot.audit.consistency.verify.proposal_problems", lambda row: [what, what])
    monkeypatch.setattr("bot.audit.consistency.verify.plan_row_discrepancies", lambda row, decisions: [])
    monkeypatch.setattr("bot.audit.consistency.verify.edit_problems", lambda edit, decision: [what] if decision else [])
    with workspace.engine.begin() as db:
        db.execute(store.proposals.insert().values(id="p1"))
    decisions: Any = {1: {"n": 1, "record": {"id": "p1"}}, 2: {"n": 2, "record": {}}, 3: {"n": 3, "record": None}}
    edits: Any = [{"n": n, "decision": n, "qid": "Q7", "guid": "Q7$A"} for n in (1, 9)]
    found = list(consistency._decision_findings(_surveyed(workspace), edits, decisions))
    places = [Discrepancy(table, row, what).message for table, row in (("decisions", "1"), *[("proposals", "p1")] * 2)]
    assert [(f.what, f.item, f.severity) for f in found] == [
        *((str(place), "", "error") for place in places),
        (str(Message("finding.ledger.edit", edit=1, what=what)), "Q7", "error"),
    ]


def test_items_that_need_no_formula_are_asked_for_once(bench: Any) -> None:
    for n in (1, 2, 3):
        bench.wiki.put(f"Q{n}")
    survey = WikiSurvey(bench.workspace, bench.wiki, Settings(), NOW)
    survey.__dict__["_covered"] = coverage.ItemsWithFormula({"Q1": Item("Q1", "one")})
    asked: list[tuple[str, ...]] = []
    answer = bench.wiki.entities

    def entities(ids: Any, **named: Any) -> dict[str, Item]:
        asked.append(tuple(ids))
        return dict(answer(asked[-1], **named))

    bench.wiki.entities = entities
    assert {q: item.label for q, item in survey.items_without_formula(["Q2", "Q1", "Q2"]).items()} == {
        "Q1": "one",
        "Q2": "label of Q2",
    }
    assert sorted(survey.items_without_formula(["Q3", "Q2"])) == ["Q2", "Q3"]
    assert asked == [("Q2",), ("Q3",)]
    wiki = replace(bench.wiki.wiki, properties=Properties(part_of="P361", dimension="", same_as="P460"))
    bench.wiki.wiki = wiki
    assert survey._properties == tuple(
        each for each in survey._properties if each and each != wiki.properties.defining_formula
    )
    assert {"P361", "P460", wiki.properties.recommended_unit} <= set(survey._properties)


@pytest.mark.parametrize(
    ("severity", "audit", "step"),
    [("warning", "invalid", "step.invalid"), ("error", "invalid", "step.invalid"), ("info", "invalid", None), ("unknown", "invalid", None), ("error", "mine", None)],
)  # fmt: skip
def test_what_to_do_is_told_of_a_fault_that_its_audit_knows_a_step_for(severity: Any, audit: str, step: Any) -> None:
    told = run._with_step(Finding(audit, "Q1", severity, "w")).step
    assert (told or {}).get("code") == step
    own = {"code": "step.ledger"}
    assert run._with_step(Finding(audit, "Q1", severity, "w", step=own)).step == own


def test_an_audit_that_breaks_leaves_the_others_and_what_is_not_named_as_it_was(
    bench: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(survey: WikiSurvey) -> Iterator[Finding]:
        yield Finding("wrong", "Q1", "warning", "before")
        raise ValueError("odd")

    monkeypatch.setitem(run.AUDITS, "wrong", run.Audit(broken))
    found = run_audits(bench.workspace, bench.wiki, Settings(), ("wrong", "ledger", "wrong"), now=NOW)
    assert [(f.audit, f.severity) for f in found] == [("wrong", "warning"), ("wrong", "unknown"), ("ledger", "info")]
    assert "ValueError" in found[1].what
    run_audits(bench.workspace, bench.wiki, Settings(), ("ledger",), now=NOW)
    assert [row["audit"] for row in stored_findings(bench.workspace)] == ["wrong", "wrong", "ledger"]
    with pytest.raises(InputError) as caught:
        run_audits(bench.workspace, bench.wiki, Settings(), ("ledger", "rong"), now=NOW)
    assert values(caught)["name"] == "rong"


@pytest.mark.parametrize(
    ("left", "back", "there", "severity"),
    [(10, 0, 9, "info"), (10, 0, 8, "warning"), (0, 2, 0, "info"), (0, 0, 0, "info"), (10, 3, 10, "info")],
)
def test_how_much_survives_is_of_what_was_not_taken_back(
    workspace: Workspace, left: int, back: int, there: int, severity: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        edit_states, "edit_state", lambda row, entity: SimpleNamespace(state="merged" if row.n < there else "changed")
    )
    monkeypatch.setattr(edit_states, "_at_least_old", lambda survey, rows, days: rows)
    rows = [SimpleNamespace(n=n, qid="Q1") for n in range(left)]
    survey: Any = SimpleNamespace(edits=rows, undone_edits=[None] * back, entities={"Q1": {}}, now=NOW)
    found = list(edit_states.audit_survival(survey))
    assert [(f.severity, f.evidence) for f in found] == [(severity, f"age {days} d") for days in (1, 7, 30)]
    assert found[0].message is not None
    told = found[0].message["values"]
    if left:
        assert (told["there"], told["share"]) == (there, f"{there * 10}%")
    kind = {(10, 0): "all", (0, 2): "only_back", (0, 0): "none", (10, 3): "some_back"}[left, back]
    assert found[0].message["code"] == f"finding.survival.{kind}"


def test_a_formula_that_a_reviewer_calls_wrong_is_named_while_it_stands(
    bench: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    survey: Any = SimpleNamespace(
        workspace=bench.workspace,
        formulas=[(Item("Q1", "one"), Statement("g1", "P1", "x")), (Item("Q2"), Statement("g2", "P1", "y"))],
    )
    monkeypatch.setattr(formulas, "wrong_statements", lambda workspace: {"g2": "w", "g3": "w"})
    found, closing = formulas.wrong(survey)
    assert (found.item, found.severity, found.evidence, found.formulas) == ("Q2", "warning", "g2", ("y",))
    assert closing.message == {"code": "closing.wrong", "values": {"n": 1, "said": 2}}
    monkeypatch.setattr(formulas, "wrong_statements", lambda workspace: {})
    survey.formulas = property()  # is not looked at
    [closing] = formulas.wrong(survey)
    assert closing.message == {"code": "closing.wrong", "values": {"n": 0, "said": 0}}


def test_an_edit_has_an_age_from_that_second_on(bench: Any) -> None:
    def aged(seconds: int) -> Edit:
        time = f"{NOW - timedelta(seconds=seconds):%Y-%m-%dT%H:%M:%SZ}"
        return SimpleNamespace(time=time)  # type: ignore[return-value]

    survey = WikiSurvey(bench.workspace, bench.wiki, Settings(), NOW)
    rows = [aged(86399), aged(86400), aged(7 * 86400), aged(30 * 86400)]
    assert [len(edit_states._at_least_old(survey, rows, days)) for days in edit_states.AGES] == [3, 2, 1]
    assert edit_states.days_between("2026-11-19T00:00:00Z", NOW) == 1.5


@pytest.mark.parametrize(
    ("address", "api", "asked"),
    [
        ("http://10.0.0.1/x", "http://127.0.0.1:8/w", False), ("http://127.0.0.1:9/x", "http://127.0.0.1:8/w", True), ("https://example.org/x", "http://127.0.0.1:8/w", True),
        ("http://localhost/x", "https://example.org/w", False), ("http://intranet/x", "https://example.org/w", False),
    ],
)  # fmt: skip
@pytest.mark.parametrize(("status", "there"), [(200, True), (404, False), (410, False), (500, None), (403, None)])
def test_only_public_addresses_and_the_wiki_s_own_machine_are_asked(
    monkeypatch: pytest.MonkeyPatch, address: str, api: str, asked: bool, status: int, there: bool | None
) -> None:
    sent: list[tuple[str, str]] = []

    def send(method: str, where: str) -> SimpleNamespace:
        sent.append((method, where))
        return SimpleNamespace(status=status)

    made: list[Any] = []
    exchange = SimpleNamespace(send=send, close=lambda: sent.append(("closed", "")))

    def make(*given: object) -> SimpleNamespace:
        made.append(given)
        return exchange

    monkeypatch.setattr(formula_sources, "Exchange", make)
    client = SimpleNamespace(wiki=Wiki(api=api), agent=Agent(name="bot/1", contact=""))
    survey: Any = SimpleNamespace(client=client)
    assert formula_sources._is_reachable(address, survey) == (there if asked else None)
    assert sent == ([("GET", address), ("closed", "")] if asked else [])
    assert [given[:2] for given in made] == ([("bot/1 (no contact)", 20.0)] if asked else [])


def test_sixty_runs_and_twelve_fields_are_drawn(workspace: Workspace) -> None:
    days = [f"{datetime(2026, 9, 1) + timedelta(days=n):%Y-%m-%dT02:00:00Z}" for n in range(62)]
    coverage = {f"Q{n}": [100 + n, n, 0] for n in range(13)}
    with workspace.engine.begin() as db:
        for n, day in enumerate(days):
            figures = {"audit_findings": n, "audit_unknown": int(n == 59)} if n != 60 else {"other": 1}
            db.execute(store.runs.insert().values(id=str(n), started=day, figures=figures))
        asked = {"audit": "coverage", "query": "audit_coverage_by_field", "figures": {"coverage": coverage}}
        db.execute(store.audit_answers.insert().values(**asked))
        db.execute(store.audit_answers.insert().values(**asked | {"message": {"code": "x"}, "figures": {}}))
        db.execute(store.findings.insert().values(audit="coverage", item="Q12", label="physics"))
        db.execute(store.findings.insert().values(audit="other", item="Q11", label="no"))
    drawn = findings_page._runs(workspace)
    assert (len(drawn), drawn[0], drawn[-1]) == (58, ("2026-09-03", 2, 0), ("2026-11-01", 61, 0))
    fields = findings_page._coverage(workspace)
    assert [(each.label, each.good, each.all_) for each in fields] == [
        ("physics", 12, 112), *((f"Q{n}", n, 100 + n) for n in range(11, 0, -1))
    ]  # fmt: skip


def test_a_block_of_a_query_holds_three_hundred_of_its_longest_list() -> None:
    many = [f"Q{n}" for n in range(601)]
    blocks = list(query_answers._blocks({"few": ["a", "b"], "many": many}))
    assert [(block["few"], len(block["many"]), block["many"][0]) for block in blocks] == [
        (["a", "b"], 300, "Q0"), (["a", "b"], 300, "Q300"), (["a", "b"], 1, "Q600")
    ]  # fmt: skip
    assert list(query_answers._blocks({})) == [{}]
    assert query_answers.statement_guid("statement/Q1-2-3") == "Q1$2-3"
