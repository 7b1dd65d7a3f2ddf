"""What the page's table keeps and how it is asked: columns, tags, orders, leases and limits, at their boundaries."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from msgspec.structs import replace
from web_records import opened, proposal

from bot import store
from bot.messages import uncoded_message
from bot.records import Decision, Evidence, as_json
from bot.review import answers, decide
from bot.review.proposal_state import State, Status
from bot.review.queue_rules import change_rules
from bot.review.statistics import Band
from bot.review.web import control_questions, queue_selection, security, views
from bot.review.web import pages_statistics as figures
from bot.review.web.queue_filters import Filter, whole_number
from bot.review.web.queue_index import (
    QueueIndex,
    columns_of,
    indexed,
    learning_value,
    tags_of,
    with_frequency,
    words_of,
    words_tags,
)
from bot.store import Workspace

LIGHT = as_json(proposal(0))


@pytest.mark.parametrize(
    ("probability", "frequency", "bits"),
    [(0.5, 0, 1.0), (0.5, 9, 2.0), (0.5, 99, 3.0), (0.25, 0, 0.811278), (0.75, 0, 0.811278), (0.11, 0, 0.499916)],
)
def test_a_decision_tells_the_doubt_in_bits_more_for_a_frequent_formula(
    probability: float, frequency: int, bits: float
) -> None:
    assert learning_value(probability, frequency) == pytest.approx(bits, abs=1e-6)
    row = with_frequency(replace(indexed(LIGHT, "").entry, probability=probability, id="p"), frequency)
    assert (row.id, row.frequency, row.learn) == ("p", frequency, learning_value(probability, frequency))


@pytest.mark.parametrize("probability", [0.0, 1.0, -0.5, 1.5])
def test_certainty_tells_next_to_nothing(probability: float) -> None:
    assert 0 < learning_value(probability, 0) < 3e-5
    assert math.isclose(learning_value(probability, 0), learning_value(1e-6, 0), rel_tol=1e-6)


CHECKS: list[tuple[str, list[str], int, int, str, tuple[str, ...]]] = [
    ("new_claim", ["ok", "ok"], 1, 1, "open", ()),
    ("new_claim", [], 1, 1, "open", ()),
    ("new_claim", ["ok", "warn"], 0, 1, "open", ("c1",)),
    ("new_claim", ["unknown", "fail"], 0, 1, "open", ("c1",)),
    ("flag", ["ok", "ok"], 0, 0, "flagged", ()),
]


@pytest.mark.parametrize(("kind", "states", "green", "turn", "state", "tags"), CHECKS)
def test_a_proposal_nobody_has_decided_on(
    kind: str, states: list[str], green: int, turn: int, state: str, tags: tuple[str, ...]
) -> None:
    checks = [{"name": f"c{n}", "state": s, "detail": ""} for n, s in enumerate(states)]
    found = indexed({**LIGHT, "kind": kind, "checks": checks}, "x" * 300, ("Q7",))
    row = found.entry
    assert (row.green, row.needs_review, row.state, found.checks) == (green, turn, state, tags)
    assert (row.number, row.label, row.decided, row.frequency) == (179916, "x" * 250, 0, 0)
    assert (row.learn, row.first_decider, row.reviewer, row.lease, row.until) == (0.0, "", "", "", "")
    assert (found.documents, found.classes) == (("lectures/0",), ("Q7",))
    assert indexed(LIGHT, None).entry.label == ""


def test_columns_of_a_status() -> None:
    for state, first, turn in (
        (State.OPEN, "", 1),
        (State.SECOND, "Ada", 1),
        (State.APPROVED, "", 0),
        (State.APPROVED, "Ada", 1),
    ):
        found = columns_of(Status(state, None, False, "Ben", first, 3))
        assert found == {
            "state": state.value,
            "first_decider": first,
            "needs_review": turn,
            "reviewer": "Ben",
            "decided": 3,
        }


def test_tags_of_a_proposal() -> None:
    found = indexed(
        {**LIGHT, "checks": [{"name": "Source", "state": "warn"}, {"name": "source", "state": "fail"}]},
        "",
        ("Q7", "Q5"),
    )
    assert tags_of(found, {"lectures/0": "books"}, {}) == ["check:source", "class:Q5", "class:Q7", "corpus:books"]
    assert "corpus" not in "".join(tags_of(found, {"lectures/0": None}, {}))
    assert all(len(tag) <= 190 for tag in tags_of(found, {"lectures/0": "b" * 300}, {}))


@pytest.mark.parametrize(
    ("label", "words"),
    [
        ("Hubble's Law", ["hubble", "s", "law"]),
        ("Schrödinger", ["schrodinger"]),
        ("STRASSE Straße", ["strasse", "strasse"]),
        ("", []),
        ("x" * 61, ["x" * 60]),
        (" ".join(f"w{n}" for n in range(25)), [f"w{n}" for n in range(20)]),
    ],
)
def test_words_of_a_label(label: str, words: list[str]) -> None:
    assert words_of(label) == words
    assert words_tags(label) == sorted({f"word:{word}" for word in words})


# Asking the table


@pytest.fixture
def w(tmp_path: Path) -> Iterator[Workspace]:
    with opened(tmp_path / "w", "Ada", "Ben") as workspace:
        QueueIndex(workspace).refresh(now=True)
        yield workspace


def numbers(w: Workspace, **values: Any) -> list[int]:
    me, after, limit = values.pop("me", "Ada"), values.pop("after", ""), values.pop("limit", 50)
    return [int(row.id, 16) for row in queue_selection.rows(w, Filter(**values), me, after, limit)]


def test_each_order_goes_its_way_and_the_id_with_it(w: Workspace) -> None:
    with w.engine.begin() as db:
        db.execute(store.queue.update().where(store.queue.c.id == f"{4:016x}").values(probability=0.9))
    assert numbers(w) == [0, 1, 2, 4, 3, 10, 5, 6, 7, 8, 9]
    assert numbers(w, order="frequency")[:3] == [0, 1, 2]
    by_item = numbers(w, order="item")
    items = [int(row.qid[1:]) for row in queue_selection.rows(w, Filter(order="item"), "Ada")]
    assert items == sorted(items)
    assert by_item[1:3] == [1, 10] or by_item.index(1) < by_item.index(10)
    doubts = [row.learn for row in queue_selection.rows(w, Filter(order="learn"), "Ada")]
    assert doubts == sorted(doubts, reverse=True)
    assert numbers(w, limit=2) == [0, 1]
    for order in ("probability", "frequency", "item", "learn"):
        whole = numbers(w, order=order)
        for n, each in enumerate(whole):
            assert numbers(w, order=order, after=f"{each:016x}") == whole[n + 1 :]
    assert numbers(w, after="unknown") == numbers(w)


NARROW: list[tuple[dict[str, Any], list[int]]] = [
    ({"low": 90}, [0, 1, 2, 3]),
    ({"low": 91}, [0, 1, 2]),
    ({"high": 91}, [3, 10, 4, 5, 6, 7, 8, 9]),
    ({"high": 90}, [10, 4, 5, 6, 7, 8, 9]),
    ({"low": 55, "high": 73}, [6, 7, 8]),
    ({"kind": "add_reference"}, [10]),
    ({"green": "1", "low": 90}, [0, 1, 3]),
    ({"q": "Q35875"}, [1, 10]),
    ({"q": " q35875 "}, [1, 10]),
    ({"q": "law"}, [0, 2, 3, 4]),
    ({"q": "law new"}, [2]),
    ({"q": "awl"}, []),
    ({"q": "?"}, []),
    ({"q": "  "}, [0, 1, 2, 3, 10, 4, 5, 6, 7, 8, 9]),
    ({"corpus": "lectures", "high": 60}, [8, 9]),
    ({"corpus": "books"}, []),
    ({"check": "other items"}, [2]),
    ({"cls": "Q214070", "low": 95}, [0, 1]),
    ({"cls": "Q5"}, []),
    ({"state": "flagged"}, [11]),
    ({"state": "approved"}, []),
    ({"state": "all", "high": 56}, [8, 11, 9]),
    ({"state": "expired"}, []),
]


@pytest.mark.parametrize(("values", "found"), NARROW)
def test_a_filter_lets_through(w: Workspace, values: dict[str, Any], found: list[int]) -> None:
    assert numbers(w, **values) == found
    assert queue_selection.count(w, Filter(**values), "Ada") == len(found)


@pytest.mark.parametrize(("rare", "words", "found"), [(4, ["law"], True), (3, ["law"], False), (1, ["law", "hubble"], True), (0, ["law", "hubble"], False), (0, ["zzz"], True)])  # fmt: skip
def test_a_word_of_more_items_than_are_rare_is_not_looked_up(
    w: Workspace, monkeypatch: pytest.MonkeyPatch, rare: int, words: list[str], found: bool
) -> None:
    monkeypatch.setattr(queue_selection, "RARE_WORD", rare)
    assert (queue_selection.items_with_words(w, words) is not None) is found
    assert numbers(w, q=" ".join(words)) == ([] if "zzz" in words else [0] if len(words) > 1 else [0, 2, 3, 4])


def test_a_page_has_fifty_rows_and_leads_to_the_next(tmp_path: Path) -> None:
    with opened(tmp_path / "w", "Ada", proposals=[proposal(n) for n in range(51)]) as workspace:
        QueueIndex(workspace).refresh(now=True)
        page = queue_selection.rows(workspace, Filter(), "Ada")
        assert len(page) == 50
        assert len(queue_selection.rows(workspace, Filter(), "Ada", page[-1].id)) == 1


def expire(w: Workspace, n: int, day: str) -> None:
    with w.engine.begin() as db:
        db.execute(store.queue.update().where(store.queue.c.id == f"{n:016x}").values(expires=day))


def test_what_expired_is_in_its_own_list_from_the_day_after(w: Workspace) -> None:
    from bot.review.proposal_state import today

    expire(w, 0, today())
    expire(w, 1, "2026-01-01")
    expire(w, 11, "2026-01-01")  # flagged: it waits for nobody
    assert numbers(w)[:2] == [0, 2]
    assert numbers(w, state="expired") == [1]
    assert queue_selection.expired_by_state(w) == {"open": 1}
    assert queue_selection.counts_in_other_states(w, Filter(state="flagged"), "Ada") == {"open": 10, "expired": 1}
    assert queue_selection.counts_in_other_states(w, Filter(), "Ada") == {"flagged": 1, "expired": 1}


def test_a_first_decision_is_hidden_from_who_makes_the_second_unseen(w: Workspace) -> None:
    change_rules(w, {"blind": "1"})
    decide(w, Decision(f"{0:016x}", proposal(0).hash, "approve", reviewer="Ada"))
    decide(w, Decision(f"{1:016x}", proposal(1).hash, "reject", reason="bad_tex", reviewer="Ada"))
    QueueIndex(w).refresh(now=True)
    assert (numbers(w, state="approved"), numbers(w, state="rejected")) == ([0], [1])
    assert (numbers(w, state="approved", me="Ben"), numbers(w, state="rejected", me="Ben")) == ([], [])
    assert numbers(w)[0] == 2
    assert numbers(w, me="Ben")[:3] == [0, 1, 2]
    assert numbers(w, state="all", reviewer="Ada") == [0, 1]
    assert numbers(w, state="all", reviewer="Ada", me="Ben") == []
    beside = [queue_selection.other_formulas_of_item(w, f"{9:016x}", "Q179916", me) for me in ("Ada", "Ben")]
    assert beside == [[(State.APPROVED, r"v = H_0 d")], []]
    assert queue_selection.other_formulas_of_item(w, f"{0:016x}", "Q179916", "Ada") == []
    assert queue_selection.counts_in_other_states(w, Filter(state="flagged"), "Ben") == {"open": 11}
    assert queue_selection.counts_in_other_states(w, Filter(state="flagged"), "Ada") == {
        "open": 9,
        "approved": 1,
        "rejected": 1,
    }


def test_a_lease_keeps_a_row_until_it_ends(w: Workspace) -> None:
    one, two = f"{0:016x}", f"{1:016x}"
    assert queue_selection.next_for(w, Filter(), "Ada") == one
    assert queue_selection.row_of(w, one).lease == "Ada"  # type: ignore[union-attr]
    assert queue_selection.next_for(w, Filter(), "Ada") == one
    assert queue_selection.next_for(w, Filter(), "Ben") == two
    assert not queue_selection.lease(w, one, "Ben", 10)
    queue_selection.release(w, one, "Ben")
    assert not queue_selection.lease(w, one, "Ben", 10)
    queue_selection.take_over(w, one, "Ben", 10)
    assert not queue_selection.lease(w, one, "Ada", 10)
    queue_selection.release(w, one, "Ben")
    assert queue_selection.lease(w, one, "Ada", -1)  # has ended already
    assert queue_selection.lease(w, one, "Ben", 10)
    assert not queue_selection.lease(w, "unknown", "Ada", 10)
    assert queue_selection.row_of(w, "unknown") is None


def test_the_next_and_the_one_before(w: Workspace) -> None:
    ids = [row.id for row in queue_selection.rows(w, Filter(), "Ada")]
    assert queue_selection.next_for(w, Filter(), "Ada", ids[3]) == ids[4]
    assert queue_selection.next_for(w, Filter(), "Ada", ids[3], back=True) == ids[2]
    assert queue_selection.next_for(w, Filter(), "Ada", ids[-1]) == ""
    assert queue_selection.next_for(w, Filter(), "Ada", ids[0], back=True) == ""
    assert queue_selection.next_for(w, Filter(), "Ada", "unknown") == ids[0]


def test_choices_are_the_most_frequent_first(w: Workspace) -> None:
    with w.engine.begin() as db:
        db.execute(store.queue.update().where(store.queue.c.id <= f"{2:016x}").values(reviewer="Ben"))
        db.execute(store.queue.update().where(store.queue.c.id == f"{3:016x}").values(reviewer="Ada"))
    found = queue_selection.filter_choices(w)
    assert found["reviewer"] == [("Ben", 3), ("Ada", 1)]
    assert found["corpus"] == [("lectures", 12)]
    assert found["class"] == [("Q214070", 12)]
    assert found["check"] == [("other items", 1), ("standing formulas", 1)]
    assert queue_selection.counts_by_state(w) == {"open": 11, "flagged": 1}
    labels = answers.labels_of(w, ["Q35875", "Q1", "Q35875"])
    assert labels == {"Q35875": "mass–energy equivalence"}


def test_a_value_is_remembered_until_the_queue_changes_or_the_seconds_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = [100.0]
    monkeypatch.setattr(queue_selection.time, "monotonic", lambda: clock[0])
    kept, made = queue_selection.QueueCache(20), iter(range(10))

    def get(key: str = "a", change: int = 0) -> Any:
        return kept.get(key, lambda: next(made), change)

    assert [get(), get(), get("b"), get(change=1), get(change=1)] == [0, 0, 1, 2, 2]
    clock[0] = 120.0
    assert get(change=1) == 2
    clock[0] = 120.1
    assert get(change=1) == 3


@pytest.mark.parametrize(
    ("given", "read"),
    [
        ({}, Filter()),
        ({"low": "0", "high": "100"}, Filter()),
        ({"low": "100", "high": "0"}, Filter(low=100, high=0)),
        ({"low": "101", "high": "-1"}, Filter()),
        ({"low": "5x", "high": ""}, Filter()),
        ({"state": "nonsense", "order": "nonsense", "kind": "nonsense"}, Filter()),
        ({"state": "second", "order": "learn", "kind": "flag"}, Filter("second", "learn", "flag")),
        ({"green": "1", "q": "x" * 200}, Filter(green="1", q="x" * 190)),
        ({"green": "yes"}, Filter()),
    ],
)
def test_a_filter_is_read_from_an_address(given: dict[str, str], read: Filter) -> None:
    assert Filter.read(given) == read
    assert Filter.read(dict(p.split("=") for p in read.query().split("&") if p)) == read


def test_a_filter_in_an_address() -> None:
    chosen = Filter(state="approved", low=5)
    assert chosen.query() == "state=approved&low=5"
    assert chosen.query(after="p", page="", other=None) == "state=approved&low=5&after=p"
    assert chosen.in_state("open") == Filter(low=5)
    assert [f.narrowed for f in (Filter(), Filter("all", "item"), Filter(low=1), Filter(q="x"))] == [
        False,
        False,
        True,
        True,
    ]
    assert Filter(q="of Newton's law law").words == ["newton", "law", "of", "s"]
    assert [Filter(q=q).qid for q in ("Q1", "q12", "Q0", "Q01", "xQ1", "Q" + "1" * 10, "Q" + "1" * 11)] == [
        "Q1",
        "Q12",
        "",
        "",
        "",
        "Q1111111111",
        "",
    ]
    assert Filter(q="Q1").words == []


@pytest.mark.parametrize(
    ("given", "number"), [("7", 7), ("", 3), ("x", 3), ("-1", 3), ("9" * 8, 99_999_999), ("9" * 9, 3)]
)
def test_a_whole_number(given: str, number: int) -> None:
    assert whole_number(given, 3) == number


# Guards


def test_so_many_failures_in_so_many_seconds(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = [0.0]
    monkeypatch.setattr(security.time, "monotonic", lambda: clock[0])
    limit = security.FailureLimiter(3, 60)
    assert [limit.allows("a") for _ in range(5)] == [True, True, True, False, False]
    assert not limit.allows("a", failed=False)
    assert limit.allows("b")
    clock[0] = 60.0
    assert not limit.allows("a", failed=False)
    clock[0] = 60.1
    assert limit.allows("a", failed=False)
    assert limit.allows("a")
    two = security.FailureLimiter(2, 60)
    assert [two.allows("a"), two.allows("a", failed=False), two.allows("a"), two.allows("a", failed=False)] == [
        True,
        True,
        True,
        False,
    ]


def test_a_token_opens_once_and_a_new_one_follows_a_spent_one() -> None:
    told: list[str] = []
    token = security.OneTimeToken(told.append)
    first = token.text
    token.renew()
    assert (token.text, told) == (first, [])
    assert [token.spend(""), token.spend(first[:-1]), token.spend(first), token.spend(first), token.spend("")] == [
        False,
        False,
        True,
        False,
        False,
    ]
    token.renew()
    assert told == [token.text]
    assert token.text != first
    assert [token.spend(first), token.spend(token.text)] == [False, True]
    silent = security.OneTimeToken()
    assert silent.spend(silent.text)
    silent.renew()
    assert silent.spend(silent.text)


# Wrong on purpose


def test_a_formula_is_borrowed_from_another_item() -> None:
    some = [proposal(n) for n in range(4)]
    found = list(control_questions.with_wrong_items(some))
    assert [(one.qid, one.tex) for one in found] == [(some[n].qid, some[(n + 2) % 4].tex) for n in range(4)]
    assert found[0].quotes == some[2].quotes
    assert found[0].concept == some[2].concept
    assert found[0].references == some[0].references
    assert list(control_questions.with_wrong_items(some[:1])) == []
    assert list(control_questions.with_wrong_items([some[0], proposal(0, id="x")])) == []
    assert list(control_questions.with_wrong_items([some[0], proposal(1, tex=some[0].tex)])) == []
    assert all(qid != one.qid for one in found for qid, _, _ in one.runners_up)


def test_known_wrong_ones_are_made_once_and_answered_once(w: Workspace) -> None:
    assert control_questions.make_questions(w, 4) == 4
    assert control_questions.make_questions(w, 4) == 4
    assert control_questions.due_question(w, "Ada", 0.0) == ""
    ids = [row["id"] for row in w.rows(sa.select(store.control_questions.c.id).order_by(store.control_questions.c.id))]
    assert control_questions.due_question(w, "Ada", 1.0) == ids[0]
    record = control_questions.record_of(w, ids[0])
    assert record is not None
    assert control_questions.record_of(w, "unknown") is None
    word = Decision(ids[0], record["hash"], "skip", reviewer="Ada")
    assert control_questions.record_answer(w, record, word) is None
    assert control_questions.due_question(w, "Ada", 1.0) == ids[1]
    assert (
        control_questions.record_answer(w, record, Decision(ids[0], record["hash"], "unsure", reviewer="Ada")) is True
    )
    assert (
        control_questions.record_answer(w, record, Decision(ids[0], record["hash"], "approve", reviewer="Ben")) is False
    )
    for verdict in ("approve", "withdraw"):
        with pytest.raises(control_questions.ReviewError, match="wrong on purpose"):
            control_questions.record_answer(w, record, Decision(ids[0], record["hash"], verdict, reviewer="Ada"))
    row = control_questions.row_of(w, record)
    assert (row.state, row.frequency, row.id) == ("open", 40 - int(record["concept"][8:]), ids[0])


# Figures


def texts(svg: str) -> list[tuple[str, ...]]:
    import re

    return re.findall(r'<text(?: class="\w+")? x="([\d.]+)" y="([\d.]+)" text-anchor="(\w+)">([^<]*)', svg)


def test_days_are_columns_with_gaps() -> None:
    svg = str(figures.days([("2026-11-20", 3, 1), ("2026-11-18", 0, 2)], "said"))
    assert svg.startswith('<svg viewBox="0 0 520 202" role="img" aria-label="said">')
    good, bad = (
        '<rect class="good" x="372.0" y="59.5" width="56.0" height="112.5" rx="2"/>',
        '<rect class="bad" x="372.0" y="22.0" width="56.0" height="37.5" rx="2"/>',
    )
    assert good in svg
    assert bad in svg
    assert svg.count("<rect") == 3
    assert [text[3] for text in texts(svg)] == ["11-14", "11-16", "2", "11-18", "4", "11-20"]
    assert texts(svg)[-1] == ("400.0", "194.0", "middle", "11-20")
    assert texts(svg)[-2] == ("400.0", "16.0", "middle", "4")
    assert str(figures.days([], "said")) == ""
    long = str(figures.days([("2026-01-01", 1, 0), ("2026-11-20", 1, 0)], "said"))
    assert long.count("<rect") == 1  # 28 days are shown


def test_bars_are_as_long_as_their_share() -> None:
    svg = str(figures.bars([("a", 4), ("b", 1), ("c", 0)], "said", str.upper))
    assert '<svg viewBox="0 0 520 144"' in svg
    for y, width in ((24, "460.0"), (70, "115.0"), (116, "2.0")):
        assert f'<rect class="bar" x="2.0" y="{y}.0" width="{width}" height="16.0" rx="2"/>' in svg
    assert texts(svg)[:2] == [("2.0", "17.0", "start", "A"), ("470.0", "38.0", "start", "4")]
    assert str(figures.bars([], "said", str)) == ""


def test_precision_is_shown_with_its_interval() -> None:
    bands = [Band(n / 10, (n + 1) / 10, 0, 0, 0) for n in range(10)]
    assert str(figures.precision(bands, "said")) == ""
    svg = str(figures.precision([*bands[:9], Band(0.9, 1.0, 8, 2, 0)], "said"))
    assert svg.count("<circle") == 1
    assert '<circle class="bar" cx="477.3" cy="57.2" r="5"/>' in svg
    assert '<line class="whisker" x1="477.3" y1="108.6" x2="477.3" y2="33.4"/>' in svg
    assert '<line class="ideal" x1="46" y1="190" x2="500" y2="24"/>' in svg
    assert ("485.3", "51.2", "start", "10") in texts(svg)
    assert texts(svg)[:4] == [
        ("46.0", "210.0", "middle", "0"),
        ("38.0", "195.0", "end", "0"),
        ("273.0", "210.0", "middle", "0.5"),
        ("38.0", "112.0", "end", "0.5"),
    ]


# The page of a proposal


def test_signs_are_parted_into_what_is_shown_at_once_and_the_rest(w: Workspace) -> None:
    from bot.settings import Wiki

    reasons = tuple(Evidence(f"r{n}", 9.0 - n, uncoded_message("x")) for n in range(8))
    doubts = tuple(Evidence(f"d{n}", n - 9.0, uncoded_message("x")) for n in range(7))
    like = (Evidence("one_word", 20.0, uncoded_message("x")), Evidence("eponym", -20.0, uncoded_message("x")))
    found = views.proposal_view(w, Wiki(), proposal(0, evidence=(*reasons, *doubts, *like)))
    assert [e.name for e in found.card.main_evidence] == [*(f"r{n}" for n in range(6)), *(f"d{n}" for n in range(5))]
    assert [e.name for e in found.card.further_evidence] == ["one_word", "r6", "r7", "eponym", "d5", "d6"]
    only = views.proposal_view(w, Wiki(), proposal(0, evidence=like))
    assert ([e.name for e in only.card.main_evidence], only.card.further_evidence) == (["one_word", "eponym"], ())


def test_what_the_item_says_before_and_after(w: Workspace) -> None:
    from bot.settings import Wiki

    new = views.proposal_view(w, Wiki(), proposal(4))
    assert [(line.formula.tex, line.rank, line.new, len(line.added)) for line in new.after] == [
        ("U = R I", "preferred", False, 0),
        ("V = I R", "normal", True, 2),
    ]
    assert len(new.before) == 1
    source = views.proposal_view(
        w, Wiki(), proposal(10, qid="Q35875", kind="add_reference", tex="E=mc^2", statement="Q35875$1")
    )
    assert [(line.new, len(line.references), len(line.added)) for line in source.after] == [(False, 1, 2)]
    other = views.proposal_view(
        w, Wiki(), proposal(10, qid="Q35875", kind="add_reference", tex="E=mc^2", statement="Q35875$2")
    )
    assert other.after == other.before
    flag = views.proposal_view(w, Wiki(), proposal(4, kind="flag"))
    assert flag.after == flag.before


def test_an_edited_formula_is_previewed() -> None:
    same, other, bad = (views.edit_preview("v = H_0 d", tex) for tex in ("v=H_{0}d", "F = m a", r"\nomacro"))
    assert (same.valid, same.same, same.confirm, same.relation) == (True, True, False, "typographic")
    assert same.note
    assert (other.valid, other.same, other.confirm, other.relation, other.note) == (
        True,
        False,
        True,
        "different",
        None,
    )
    assert (bad.valid, bool(bad.why)) == (False, True)
