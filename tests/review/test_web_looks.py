"""What the page says and in which order: the machine's sentences in every language, a marked difference, signs of like kind together."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from flask import Flask
from web_records import SignedIn, dozen, opened, proposal, reference, signed_in

from bot.errors import ReviewError
from bot.formula import check, compare
from bot.match.features.builtin_list import handbook
from bot.messages import Message, uncoded_message
from bot.records import Check, Evidence
from bot.review.statistics import Band
from bot.review.web import pages_statistics as figures
from bot.review.web.translation import error_text, message_markup


@pytest.fixture
def german() -> Iterator[None]:
    app = Flask("page")
    app.secret_key = "for the session"
    with app.test_request_context("/?lang=de"):
        yield


# -- what the machine says, in the reader's language -------------------------------------------------------------------
@pytest.mark.parametrize(
    "tex",
    [
        "",
        "x" * 500,
        " x",
        "x\x00",
        "π",
        r"\frac{a}",
        "}",
        "{",
        r"\right)",
        r"\foo x",
        r"\begin{foo}",
        r"a & b",
        r"\over b",
        "x^",
        r"\label{a} x",
        "\\",
        r"\left( x",
    ],
)
def test_what_the_wiki_refuses_is_said_in_german(german: None, tex: str) -> None:
    why = check(tex).message
    assert why is not None
    assert 'lang="en"' not in message_markup(why), why


@pytest.mark.parametrize(
    ("one", "other"),
    [("F = ma", "a = F/m"), ("F = ma", "p = mv"), ("(", "a = b"), (r"\frac{d x}{d t} = v", r"\dot{x} = v")],
)
def test_every_comparison_is_said_in_german(german: None, one: str, other: str) -> None:
    assert 'lang="en"' not in message_markup(compare(one, other).message)


@pytest.mark.usefixtures("german")
def test_an_error_is_said_in_german() -> None:
    todo = Message("todo.again")
    late, changed = Message("error.decided"), Message("error.changed")
    assert (
        error_text(ReviewError(late, where="0df0", todo=todo))
        == "Jemand anderes hat schon entschieden: bitte noch einmal ansehen. (0df0)"
    )
    assert (
        str(ReviewError(changed, where="0df0", todo=todo)) == "0df0: has changed since it was shown; look at it again"
    )
    assert "(0df0)" in error_text(ReviewError(changed, where="0df0"))
    assert "noch einmal" in error_text(ReviewError(changed, todo=todo))
    assert error_text(ReviewError(uncoded_message("so it is"))) == '<span lang="en">so it is</span>'


@pytest.mark.usefixtures("german")
def test_a_formula_in_a_sentence_is_drawn() -> None:
    said = message_markup(Message("evidence.encyclopaedia.other", titles="Pressure", tex=r"A = \frac{F}{s}"))
    assert "<math" in said
    assert said.count("\\frac") == 1  # in its name


@pytest.mark.usefixtures("german")
def test_what_no_catalogue_knows_is_shown_escaped_as_english() -> None:
    said = message_markup(Message("recorded", text="so <b>it</b> is\u202e"))
    assert said == r'<span lang="en">so &lt;b&gt;it&lt;/b&gt; is\u202e</span>'


@pytest.mark.usefixtures("german")
def test_values_of_a_sentence_are_escaped() -> None:
    said = message_markup(Message("evidence.title.nth", n=1, title="<script>{0}{n}\u202e"))
    assert "&lt;script&gt;{0}{n}\\u202e" in said


@pytest.mark.parametrize("level", ["K0", "K1", "K2", "K3", "K4", "K5", "K6", ""])
def test_the_built_in_list_names_no_key_level(level: str) -> None:
    hit = SimpleNamespace(qid="Q1", probability=0.9, level=level, formula="E = m c^2")
    known = SimpleNamespace(is_own=lambda qid, tex: False)
    pair: Any = SimpleNamespace(view=SimpleNamespace(known=known), recognition=hit)
    found = handbook(pair)
    assert found is not None
    assert not re.search(r"K\d", str(found.detail))
    assert ("E = m c^2" in str(found.detail)) == (level not in ("K0", "K1", "K2"))


# -- the pages ----------------------------------------------------------------------------------------------------------
@pytest.fixture
def ada(tmp_path: Path) -> Iterator[SignedIn]:
    evidence = (
        Evidence.of("eponym.named", 0.9, name="Ohm's law"),
        Evidence.of("key_equation.named", 0.5, name="Ohm's law"),
        Evidence.of("loose_noun.label", -0.4, label="Ohm's law"),
    )
    checks = (Check.of("class.unknown", "unknown"), Check.of("citable_source.ok", "ok", n=1))
    rows = [*dozen(), proposal(12, qid="Q41591", tex="V = R I", evidence=evidence, checks=checks)]
    rows.append(proposal(13, qid="Q182505", references=(reference(3),)))
    with opened(tmp_path / "w", "Ada", proposals=rows) as workspace:
        yield signed_in(workspace, "Ada")


def test_what_only_the_formula_is_like_stands_behind_what_a_source_says(ada: SignedIn) -> None:
    html = ada.get(f"/p/{12:016x}")
    assert html.index("a table of key equations") < html.index("2 weaker signs") < html.index("is named after a person")


def test_a_german_page_has_no_sentence_of_the_machine_in_english(ada: SignedIn) -> None:
    html = ada.get(f"/p/{12:016x}?lang=de")
    of_the_item = '<span lang="en">Ohm&#39;s law</span>'  # its label
    assert of_the_item in html
    assert '<span lang="en">' not in html.replace(of_the_item, "")
    for text in (
        "eine Tabelle der wichtigsten Gleichungen",
        "das Datenobjekt nennt keine Klasse",
        "1 Dokument ist zitierbar",
        "URL der Fundstelle",
        "Abschnitt „First laws“",
    ):
        assert text in html, text


def test_the_difference_is_folded_away_where_it_tells_little(ada: SignedIn) -> None:
    marked = re.compile(r'<p class="diff">.*?</p>', re.S)
    assert marked.search(ada.get(f"/p/{13:016x}")), "written otherwise: the marks tell"
    html = ada.get(f"/p/{4:016x}")  # other symbols
    assert "<details><summary>difference in TeX</summary><p class=\"diff\">" in html  # fmt: skip
    assert "<ins>" in html
    assert not marked.search(ada.get(f"/p/{1:016x}")), "the same but for blanks and braces"


def test_a_flag_says_that_it_is_never_written_where_approval_would_stand(ada: SignedIn) -> None:
    html = ada.get(f"/p/{11:016x}")
    assert "it is never written" in html[html.index('id="decide"') :]
    assert 'value="approve"' not in html
    assert "What readers see" not in html


def test_another_name_has_a_form_of_its_own(tmp_path: Path) -> None:
    """Enter in the field must not press the button of somebody who is known already."""
    from bot.review.web import make_app
    from bot.review.web.security import OneTimeToken
    from bot.settings import Settings

    with opened(tmp_path / "w", "Ada") as workspace:
        token = OneTimeToken()
        client = make_app(workspace, Settings(), hosts={"localhost"}, token=token).test_client()
        client.get(f"/sign-in/{token.text}")
        forms = re.findall(r"<form.*?</form>", client.get("/who").get_data(True), re.S)
        field = next(form for form in forms if 'name="name"' in form)
        assert 'name="known"' not in field
        assert any('value="Ada"' in form for form in forms)


@pytest.mark.parametrize(("code", "path"), [(404, "/p/nothing"), (404, "/item/x"), (405, "/undo")])
def test_an_error_says_in_words_what_it_is(ada: SignedIn, code: int, path: str) -> None:
    html = ada.get(f"{path}?lang=de", code)
    assert f'<p class="small">Fehler {code}</p>' in html
    assert "Hier ist nichts" in html or "Das geht nicht" in html
    assert 'lang="en"' not in html[html.index("<main") :], "the whole page is in the reader's language"
    assert "The requested URL" not in ada.get(f"{path}?lang=en", code)


def test_an_empty_statistics_page_says_so_and_shows_no_empty_table(ada: SignedIn) -> None:
    html = ada.get("/statistics")
    assert "No decisions by a person yet." in html
    assert "<table" not in html


def test_the_days_shown_end_with_the_last_one() -> None:
    drawn = str(figures.days([("2026-11-21", 2, 1)], "by day"))
    assert "11-21" in drawn
    assert "11-22" not in drawn
    assert "11-15" in drawn


def test_long_names_of_reasons_stand_above_their_bars() -> None:
    drawn = str(figures.bars([("a", 3)], "reasons", lambda key: "a name that is far longer than the bar is wide"))
    assert 'text-anchor="end"' not in drawn


def test_a_figure_without_data_is_left_out() -> None:
    assert not figures.precision([Band(0.0, 0.1, 0, 0, 0)], "precision")
    assert not figures.days([], "by day")
