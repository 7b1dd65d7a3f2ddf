"""Small rules of reviewing at their edges: sessions, limits, filters, figures, wrong questions, previews, exports."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from bot.records import Item, Proposal, Quote, Reference, Statement
from bot.review import sessions
from bot.review.curated import shared_level
from bot.review.exports import quickstatements, quickstatements_csv
from bot.review.fcdb_rdf import export as rdf
from bot.review.statistics import Band
from bot.review.web import pages_statistics as figures
from bot.review.web.control_questions import due_question, with_wrong_items
from bot.review.web.queue_filters import Filter, whole_number
from bot.review.web.queue_index import indexed, learning_value, tags_of, with_frequency, words_of, words_tags
from bot.review.web.queue_selection import QueueCache
from bot.review.web.security import FailureLimiter, OneTimeToken
from bot.review.web.views import edit_preview, statements_of
from bot.settings import Wiki
from bot.store import Workspace, control_questions

# -- sessions, limits, tokens ---------------------------------------------------------------------------------------------

START = datetime(2026, 11, 20, 10, tzinfo=UTC)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[datetime]:
    moment = [START]
    monkeypatch.setattr(sessions, "_now", lambda: moment[0])
    return moment


@pytest.mark.parametrize(("hours", "alive"), [(2.0, True), (2.0 + 1 / 3600, False)])
def test_a_session_that_is_not_used_ends_after_its_hours(
    workspace: Workspace, clock: list[datetime], hours: float, alive: bool
) -> None:
    secret = sessions.begin_session(workspace, "Ada", 2)
    clock[0] = START + timedelta(hours=hours)
    assert sessions.session_reviewer(workspace, secret, 2) == ("Ada" if alive else None)
    clock[0] = START
    assert sessions.session_reviewer(workspace, secret, 2) == ("Ada" if alive else None), "what has ended stays so"


def test_a_session_that_is_used_ends_after_ten_times_its_hours(workspace: Workspace, clock: list[datetime]) -> None:
    secret = sessions.begin_session(workspace, "Ada", 2)
    for hours in range(1, 21):
        clock[0] = START + timedelta(hours=hours)
        assert sessions.session_reviewer(workspace, secret, 2) == "Ada"
    clock[0] += timedelta(seconds=1)
    assert sessions.session_reviewer(workspace, secret, 2) is None


@pytest.mark.parametrize(("seconds", "noted"), [(60, False), (61, True)])
def test_a_request_is_noted_after_a_minute(
    workspace: Workspace, clock: list[datetime], seconds: int, noted: bool
) -> None:
    from bot.store import sessions as table

    secret = sessions.begin_session(workspace, "Ada", 2)
    clock[0] = START + timedelta(seconds=seconds)
    sessions.session_reviewer(workspace, secret, 2)
    (found,) = sessions.list_open(workspace, table)
    assert (found.until != found.created) is noted
    assert (found.reviewer, len(found.id)) == ("Ada", 10)
    assert sessions.secret_digest(secret).startswith(found.id)


def test_a_new_session_sweeps_those_that_have_ended(workspace: Workspace, clock: list[datetime]) -> None:
    from bot.store import sessions as table

    sessions.begin_session(workspace, "Ada", 2)
    clock[0] = START + timedelta(hours=20)
    sessions.begin_session(workspace, "Ben", 2)
    assert [each.reviewer for each in sessions.list_open(workspace, table)] == ["Ada", "Ben"]
    assert [each.reviewer for each in sessions.list_open(workspace, table, reviewer="Ben")] == ["Ben"]
    clock[0] += timedelta(seconds=1)
    sessions.begin_session(workspace, "Cleo", 2)
    assert [each.reviewer for each in sessions.list_open(workspace, table)] == ["Ben", "Cleo"]


def test_failures_are_counted_by_address_and_forgotten_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    moment = [100.0]
    monkeypatch.setattr("bot.review.web.security.time.monotonic", lambda: moment[0])
    limit = FailureLimiter(3, 10)
    assert limit.allows("a", failed=False)
    assert [limit.allows("a") for _ in range(4)] == [True, True, True, False]
    assert not limit.allows("a", failed=False)
    assert limit.allows("b")
    assert limit.allows("b", failed=False)
    moment[0] += 10
    assert not limit.allows("a", failed=False)
    moment[0] += 0.1
    assert limit.allows("a", failed=False)
    two = FailureLimiter(2, 10)
    assert [two.allows("a"), two.allows("a"), two.allows("a", failed=False)] == [True, True, False]


def test_a_token_opens_once_and_is_made_anew_only_when_spent() -> None:
    told: list[str] = []
    token = OneTimeToken(told.append)
    first = token.text
    token.renew()
    assert (token.text, told) == (first, [])
    assert [token.spend("x"), token.spend(first), token.spend(first), token.spend("")] == [False, True, False, False]
    token.renew()
    assert told == [token.text]
    assert token.text != first
    assert token.spend(token.text)


def test_what_is_remembered_is_made_again_when_the_queue_changed_or_time_passed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    moment, made = [0.0], []
    monkeypatch.setattr("bot.review.web.queue_selection.time.monotonic", lambda: moment[0])
    kept: QueueCache = QueueCache(5)

    def get(change: int = 0) -> int:
        return kept.get("k", lambda: made.append(1) or len(made), change)

    assert [get(), get(), get(1), get(1)] == [1, 1, 2, 2]
    moment[0] = 5
    assert get(1) == 2
    moment[0] = 5.1
    assert get(1) == 3


# -- filters --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        ({}, Filter()),
        ({"state": "approved", "low": "5", "high": "100"}, Filter(state="approved", low=5)),
        ({"state": "nonsense", "low": "-1", "high": "101"}, Filter()),
        ({"low": "0", "high": "0"}, Filter(high=0)),
        ({"q": "x" * 300}, Filter(q="x" * 190)),
        ({"other": "1"}, Filter()),
    ],
)
def test_a_filter_is_read_from_an_address(given: dict[str, str], wanted: Filter) -> None:
    assert Filter.read(given) == wanted


def test_a_filter_is_written_into_an_address_without_its_defaults() -> None:
    chosen = Filter(state="approved", low=5)
    assert chosen.query() == "state=approved&low=5"
    assert chosen.query(after="x", page=None, q="") == "state=approved&low=5&after=x"
    assert Filter().query() == ""
    assert chosen.in_state("open") == Filter(low=5)


@pytest.mark.parametrize(
    ("chosen", "narrowed"),
    [
        (Filter(), False),
        (Filter(state="all", order="item"), False),
        (Filter(low=1), True),
        (Filter(q="x"), True),
        (Filter(green="1"), True),
    ],
)
def test_state_and_order_alone_narrow_nothing(chosen: Filter, narrowed: bool) -> None:
    assert chosen.narrowed is narrowed


def test_an_item_id_is_asked_for_as_such_and_words_the_longest_first() -> None:
    assert (Filter(q=" q42 ").qid, Filter(q="q42").words) == ("Q42", [])
    assert (Filter(q="law of Hubble law").qid, Filter(q="law of Hubble law").words) == ("", ["hubble", "law", "of"])
    assert [Filter(order=o).descending for o in ("probability", "frequency", "item", "learn")] == [
        True,
        True,
        False,
        True,
    ]


@pytest.mark.parametrize(
    ("given", "wanted"), [("7", 7), ("12345678", 12345678), ("123456789", 3), ("-1", 3), ("", 3), ("1x", 3)]
)
def test_a_whole_number_has_eight_digits_at_most(given: str, wanted: int) -> None:
    assert whole_number(given, 3) == wanted


# -- the row of the queue -------------------------------------------------------------------------------------------------

RECORD: dict[str, Any] = {
    "id": "p", "hash": "h", "kind": "new_claim", "qid": "Q42", "tex": "a=b", "probability": 0.5, "expires": "2027-01-01", "concept": "k",
    "checks": [{"name": "one", "state": "ok"}], "quotes": [{"document": "d"}, {"document": "d"}],
}  # fmt: skip


@pytest.mark.parametrize(
    ("kind", "states", "green", "state", "needs", "tags"),
    [
        ("new_claim", ["ok", "ok"], 1, "open", 1, ()),
        ("new_claim", ["ok", "warn"], 0, "open", 1, ("c1",)),
        ("new_claim", ["unknown", "fail"], 0, "open", 1, ("c1",)),
        ("flag", ["ok", "ok"], 0, "flagged", 0, ()),
    ],
)
def test_a_row_is_green_where_every_check_is_and_a_flag_waits_for_nobody(
    kind: str, states: list[str], green: int, state: str, needs: int, tags: tuple[str, ...]
) -> None:
    checks = [{"name": f"c{n}", "state": each} for n, each in enumerate(states)]
    found = indexed({**RECORD, "kind": kind, "checks": checks}, "Label")
    assert (found.entry.green, found.entry.state, found.entry.needs_review) == (green, state, needs)
    assert (found.checks, found.documents, found.concept, found.entry.number) == (tags, ("d",), "k", 42)
    assert indexed({**RECORD}, "x" * 300).entry.label == "x" * 250
    assert indexed({**RECORD}, None).entry.label == ""


def test_tags_are_corpora_classes_and_checks_each_once() -> None:
    found = indexed({**RECORD, "checks": [{"name": "one", "state": "warn"}]}, "L", ("Q5", "Q5"))
    assert tags_of(found, {"d": "books"}, {"d": "math-ph", "e": "cs"}) == [
        "check:one",
        "class:Q5",
        "corpus:books",
        "field:math-ph",
    ]
    assert tags_of(found, {"d": None}, {}) == tags_of(found, {}, {}) == ["check:one", "class:Q5"]
    assert words_of("Hubble–Lemaître LAW, law") == words_of("hubble lemaitre law law")
    assert words_tags("Law of law") == ["word:law", "word:of"]


@pytest.mark.parametrize(
    ("probability", "frequency", "wanted"),
    [(0.5, 0, 1.0), (0.5, 9, 2.0), (0.5, 99, 3.0), (0.25, 0, 0.8113), (0.75, 0, 0.8113), (0.0, 0, 0.0), (1.0, 99, 0.0)],
)
def test_doubt_times_frequency_is_what_a_decision_tells(probability: float, frequency: int, wanted: float) -> None:
    assert learning_value(probability, frequency) == pytest.approx(wanted, abs=1e-4)
    entry = with_frequency(indexed({**RECORD, "probability": probability}, "").entry, frequency)
    assert (entry.frequency, entry.learn) == (frequency, learning_value(probability, frequency))


# -- figures --------------------------------------------------------------------------------------------------------------


def rects(svg: str) -> list[tuple[str, float, float, float, float]]:
    found = re.findall(r'<rect class="(\w+)" x="([\d.]+)" y="([\d.]+)" width="([\d.]+)" height="([\d.]+)"', svg)
    return [(name, *map(float, numbers)) for name, *numbers in found]  # type: ignore[misc]


def texts(svg: str) -> list[str]:
    return re.findall(r"<text[^>]*>([^<]*)</text>", svg)


def test_columns_of_a_week_have_the_height_of_their_share() -> None:
    svg = str(figures.days([("2026-11-20", 3, 1), ("2026-11-18", 0, 2)], "words"))
    wide = 60
    assert rects(svg) == [
        ("bad", 10 + 4 * wide + 2, 97, wide - 4, 75),
        ("good", 10 + 6 * wide + 2, 59.5, wide - 4, 112.5),
        ("bad", 10 + 6 * wide + 2, 22, wide - 4, 37.5),
    ]
    assert texts(svg) == ["11-14", "11-16", "2", "11-18", "4", "11-20"]
    assert 'viewBox="0 0 520 202"' in svg
    assert 'aria-label="words"' in svg
    assert str(figures.days([], "words")) == ""


def test_columns_reach_back_four_weeks_at_most() -> None:
    svg = str(figures.days([("2026-11-28", 1, 0), ("2026-11-01", 1, 0), ("2026-10-31", 9, 0)], "words"))
    found = rects(svg)
    assert [round(x) for _, x, *_ in found] == [12, round(12 + 27 * 500 / 28)]
    assert [height for *_, height in found] == [150, 150]


def test_bars_have_the_length_of_their_share() -> None:
    svg = str(figures.bars([("a", 4), ("b", 2), ("c", 0)], "reasons", str.upper))
    assert rects(svg) == [("bar", 2, 24, 460, 16), ("bar", 2, 70, 230, 16), ("bar", 2, 116, 2, 16)]
    assert texts(svg) == ["A", "4", "B", "2", "C", "0"]
    assert 'viewBox="0 0 520 144"' in svg
    assert str(figures.bars([], "reasons", str)) == ""


def test_precision_stands_over_the_middle_of_its_band_with_its_interval() -> None:
    band = Band(0.8, 0.9, 1, 1, 0)
    low, high = band.interval
    svg = str(figures.precision([Band(0.0, 0.1, 0, 0, 0), band], "precision"))
    x = f"{46 + 0.85 * 454:.1f}"
    assert re.findall(r'<circle[^>]*cx="([\d.]+)" cy="([\d.]+)"', svg) == [(x, f"{190 - 0.5 * 166:.1f}")]
    assert f'x1="{x}" y1="{190 - low * 166:.1f}" x2="{x}" y2="{190 - high * 166:.1f}"' in svg
    assert texts(svg) == ["0", "0", "0.5", "0.5", "1", "1", "2"]
    assert str(figures.precision([Band(0.0, 0.1, 0, 0, 0)], "precision")) == ""


# -- questions that are wrong on purpose ----------------------------------------------------------------------------------


def proposal(name: str, qid: str, tex: str, **more: Any) -> Proposal:
    values: dict[str, Any] = {
        "id": name, "kind": "new_claim", "qid": qid, "property": "P2534", "tex": tex, "references": (Reference((("P854", "url", "https://a.org"),)),),
        "evidence": (), "checks": (), "probability": 0.9, "base_revision": 1, "hash": f"h{name}", "expires": "2099-01-01", "concept": f"k{name}",
        "quotes": (Quote(f"d{name}", 0, "⟦0⟧", "", "n", "t", "", ((0, tex),), "sentence"),), "runners_up": (("Q1", "one", 0.5), ("Q2", "two", 0.4)),
    }  # fmt: skip
    return Proposal(**(values | more))


def test_a_wrong_question_has_the_formula_and_the_sentence_of_another_item() -> None:
    given = [proposal("a", "Q1", "E = m c^2"), proposal("b", "Q2", "F = q v B"), proposal("c", "Q1", r"\nabla \cdot E = 0"), proposal("d", "Q4", r"p = h / \lambda")]  # fmt: skip
    made = list(with_wrong_items(given))
    assert [(one.qid, one.tex) for one in made] == [("Q2", given[3].tex), ("Q4", given[1].tex)], "Q1 would get its own"
    first = made[0]
    assert (first.quotes, first.concept) == (given[3].quotes, "kd")
    assert first.runners_up == (("Q1", "one", 0.5),), "the item itself is no other item"
    assert len({one.id for one in (*made, *given)}) == 6
    assert len({one.hash for one in (*made, *given)}) == 6
    same = [proposal("a", "Q1", "E = m c^2"), proposal("b", "Q2", "E=mc^{2}")]
    assert list(with_wrong_items(same)) == []


def test_a_wrong_question_is_due_only_below_its_share_and_each_once(workspace: Workspace) -> None:
    with workspace.engine.begin() as db:
        db.execute(control_questions.insert(), [{"id": f"w{n}", "record": {}} for n in range(3)])
    assert due_question(workspace, "Ada", 0.0) == ""
    assert due_question(workspace, "Ada", 1.0) == "w0"
    answers = [due_question(workspace, f"person {n}", 0.3) for n in range(300)]
    assert set(answers) == {"", "w0"}
    assert 60 < answers.count("w0") < 120, "a draw decides when"


# -- previews and items ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("proposed", "edited", "valid", "same", "confirm"),
    [
        ("a = b c", "a = b c", True, True, False),
        ("a = b c", r"a = b\,c", True, True, False),
        ("a = b c", "E = m c^2", True, False, True),
        ("a = b c", r"\frac{", False, False, True),
    ],
)
def test_a_preview_says_whether_the_wiki_takes_it_and_how_it_is_related(
    proposed: str, edited: str, valid: bool, same: bool, confirm: bool
) -> None:
    found = edit_preview(proposed, edited)
    assert (found.valid, found.same, found.confirm) == (valid, same, confirm)
    assert bool(found.why) is not valid


def test_an_item_shows_its_formulas_alone() -> None:
    formula = Statement("g1", "P2534", "a=b", "normal", (Reference((("P854", "url", "https://a.org"),)),))
    others = Statement("g2", "P2534", "", "preferred", snaktype="novalue"), Statement("g3", "P31", "Q5")
    (line,) = statements_of(Item("Q1", "L", statements=(formula, *others)), Wiki())
    assert (line.formula.tex, line.rank, len(line.references), line.new) == ("a=b", "normal", 1, False)


@pytest.mark.parametrize(
    ("tex", "known", "wanted"),
    [("a=b", [], "K0"), ("a = b", ["x=y+z^2", "a=b"], "K0"), ("a=b", ["E=mc^2"], ""), (r"\mathbf{a}=b", ["a=b"], "K3")],
)
def test_a_row_of_a_list_has_the_strictest_level_of_what_is_known(tex: str, known: list[str], wanted: str) -> None:
    assert shared_level(tex, known) == wanted


# -- exports --------------------------------------------------------------------------------------------------------------


def references(*values: str) -> tuple[Reference, ...]:
    return tuple(Reference((("P854", "url", value), ("P813", "time", "+2026-11-20T00:00:00Z"))) for value in values)


def test_quickstatements_open_each_further_reference_anew() -> None:
    one = proposal("a", "Q1", "a =\tb", references=(*references("https://a.org", "https://b.org"), Reference((("P248", "wikibase-item", "Q9"),))))  # fmt: skip
    assert quickstatements([one]) == (
        'Q1\tP2534\t"a = b"\tS854\t"https://a.org"\tS813\t+2026-11-20T00:00:00Z/11'
        '\t!S854\t"https://b.org"\tS813\t+2026-11-20T00:00:00Z/11\t!S248\tQ9\n'
    )
    two = proposal("b", "Q2", "c", references=references("https://c.org"))
    header, first, second = quickstatements_csv([one, two]).splitlines()
    assert header == "qid,P2534,S248,S854,s813,S854,s813"
    assert first.startswith('Q1,"""a = b""",Q9,"""https://a.org""",+2026-11-20T00:00:00Z/11,"""https://b.org"""')
    assert second == 'Q2,"""c""",,"""https://c.org""",+2026-11-20T00:00:00Z/11,,'


def test_rdf_says_where_a_representation_comes_from_only_where_that_is_known() -> None:
    full = {"id": "r1", "concept": "k", "qid": "Q1", "tex": "a=b", "level": "K0", "document": "d", "position": 3, "reviewer": "Ada", "added": "2026-11-20T00:00:00Z"}  # fmt: skip
    bare = {
        "id": "r2",
        "concept": "k",
        "qid": "Q1",
        "tex": "a=c",
        "level": "",
        "document": "",
        "position": 0,
        "reviewer": "",
        "added": "",
    }
    lines = rdf([full, bare, full], (), {}, {"d": "https://a.org/d"}, Wiki(), "ntriples").splitlines()
    assert len(lines) == len(set(lines))
    about = [line for line in lines if "r2" in line.split()[0]]
    assert len(about) == 3, "two types and the TeX"
    assert sum("r1" in line.split()[0] for line in lines) == 8
    assert any("wasDerivedFrom> <https://a.org/d>" in line for line in lines)
    assert sum('P2534> "' in line for line in lines) == 2
    assert sum("P2534" in line for line in lines) == 3, "what somebody accepted is a statement too"
    assert sum("Concept>" in line for line in lines) == 1
    turtle = rdf([full], (), {}, {}, Wiki(), "turtle")
    assert "wd:Q1 wdt:P2534" in turtle
    assert "fcdb:document:d" in turtle
