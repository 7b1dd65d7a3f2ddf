"""What the page says and in which order: the machine's sentences in every language, a marked difference, signs of like kind together."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from web_records import Desk, dozen, opened, proposal, reference, sit_down

from bot.discover.names import KINDS as SIGNS
from bot.formula import check, compare
from bot.match.classes import CLASSES
from bot.match.features.existing_claims import STANDING
from bot.match.features.known import KNOWN, handbook
from bot.match.features.left_side import SYMBOLS
from bot.match.features.negative import DOUBTS
from bot.match.features.ranking_evidence import REASONS
from bot.propose.cards import property_names
from bot.propose.checks import _WHERE, CHECKS
from bot.propose.dry_run import PLACES
from bot.records import Check, Evidence
from bot.review.statistics import Band
from bot.review.web import figures, translation
from bot.review.web.translation import messages, say_recorded
from bot.settings import Wiki

ADDED = ("also_written", "better_named", "most_frequent")  # evidence that no function of its own makes
PAIRS = (
    ("E = mc^2", "E=mc^2"), ("E = m c^2", "E=mc^{2}"), ("F = ma", "a = F/m"), ("F = ma", "p = mv"), ("x = y", "x^2 = y^2"),
    (r"\mathbf{F} = m \mathbf{a}", "F = ma"), (r"E = \frac{1}{2} m v^2", "E = m v^2"), (r"\frac{P_1}{T_1} = \frac{P_2}{T_2}", "P_1 T_2 = P_2 T_1"),
    (r"\frac{d x}{d t} = v", r"\dot{x} = v"), ("F = G m M / r^2", "F = k q Q / r^2"), ("a + b = c", "x + y = z"), ("(", "a = b"),
    (r"\gamma = \frac{1}{\sqrt{1 - v^2/c^2}}", r"v = c \sqrt{1 - \gamma^{-2}}"), (r"a \times b = c", r"b \times a = c"), ("a b = c d", "a b = c d + e"),
)  # fmt: skip


def german(group: str, text: str) -> str:
    return str(say_recorded("de", group, text))


def known(group: str, text: str) -> bool:
    return 'lang="en"' not in german(group, text)


# -- what the machine recorded, said again -----------------------------------------------------------------------------
def test_every_recorded_sentence_has_a_message_with_no_value_but_its_own() -> None:
    for rows in translation._recorded().values():
        for key, pattern, _ in rows:
            for language in translation.LANGUAGES:
                for name in (key, f"{key}_one"):
                    text = messages(language).get(name)
                    assert text or name != key, (language, key)
                    assert set(re.findall(r"{(\w+)}", text or "")) <= pattern.groupindex.keys(), (language, name)


def test_every_reason_check_sign_place_and_property_is_known() -> None:
    functions = (*REASONS, *DOUBTS, *SYMBOLS, *STANDING, *CLASSES, *KNOWN)
    groups = translation._recorded()
    assert {f.__name__ for f in functions} | set(ADDED) <= {g.removeprefix("evidence.") for g in groups}
    assert [text for text in SIGNS.values() if not known("sign", text[1].format(where="“A law”"))] == []
    assert [text for text in _WHERE.values() if not known("where", text)] == []
    assert [text for text in PLACES.values() if not known("place", text)] == []
    assert [text for text in property_names(Wiki().properties).values() if not known("property", text)] == []
    assert len([g for g in groups if g.startswith("check.")]) == len(CHECKS)


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
def test_what_the_wiki_refuses_is_said_in_german(tex: str) -> None:
    assert not check(tex).valid
    assert known("verdict", check(tex).why), check(tex).why


@pytest.mark.parametrize(("one", "other"), PAIRS)
def test_every_comparison_is_said_in_german(one: str, other: str) -> None:
    for found in (compare(one, other), compare(other, one)):
        assert known("note", found.note), found.note
        assert known("evidence.same_formula", f"{found.relation}: {found.note}")


@pytest.mark.parametrize(
    ("group", "text", "said"),
    [
        ("evidence.several_documents", "3 documents name it so", "3 Dokumente nennen sie so"),
        ("evidence.title", "it is equation 1 of “Torque”", "sie ist die erste Gleichung des Artikels „Torque“"),
        ("evidence.title", "it is equation 2 of “Torque”", "sie ist Gleichung 2 des Artikels „Torque“"),
        ("evidence.left_unusual", "C stands on the left, where N or n is usual", "links steht C, üblich ist N oder n"),
        (
            "evidence.name_score",
            "“work”; the text calls it so (3 places); its sentence mentions it",
            "„work“: der Text nennt sie so (3 Stellen); ihr Satz erwähnt es",
        ),
        ("check.choice of item", "no other item came into question", "kein anderes Objekt kam in Frage"),
        ("check.citable source", "1 document can be cited", "1 Dokument ist zitierbar"),
        (
            "check.source",
            "one sentence holds both formula and name: Pi: a, formula 3, and 1 more",
            "ein Satz enthält Formel und Namen: Pi: a, Formel 3, und eine weitere",
        ),
        ("evidence.handbook", r"the handbook writes it as p = \frac{F}{A}, equal at K0", "das Handbuch schreibt sie genauso"),
        (
            "error",
            "0df0: somebody else has said a word on it; look at it again",
            "Jemand anderes hat schon geurteilt: bitte noch einmal ansehen. (0df0)",
        ),
    ],
)  # fmt: skip
def test_the_machine_speaks_german(group: str, text: str, said: str) -> None:
    assert german(group, text) == said


def test_a_formula_in_a_sentence_is_drawn() -> None:
    said = german("check.standing formulas", r"another formula stands there: A = \frac{F}{s}")
    assert said.startswith("dort steht eine andere Formel: <math")
    assert "\\frac" not in said


def test_a_sentence_that_no_message_knows_stays_as_it_was_recorded() -> None:
    assert (
        german("evidence.new_one", "so <b>it</b> is\u202e")
        == r'<span lang="en">so &lt;b&gt;it&lt;/b&gt; is\u202e</span>'
    )
    assert str(say_recorded("en", "evidence.new_one", "so it is")) == "so it is"
    assert known("error", messages("de")["nothing_to_undo"])
    assert german("note", "x" * 5000).startswith("<span")


def test_values_of_a_sentence_are_escaped() -> None:
    said = german("evidence.title", "it is equation 1 of “<script>{0}{n}\u202e”")
    assert "&lt;script&gt;{0}{n}\\u202e" in said


@pytest.mark.parametrize("level", ["K0", "K1", "K2", "K3", "K4", "K5", "K6", ""])
def test_the_handbook_names_no_key_level(level: str) -> None:
    hit = SimpleNamespace(qid="Q1", probability=0.9, level=level, formula="E = m c^2")
    pair: Any = SimpleNamespace(view=SimpleNamespace(recognised=(hit,)), is_of_handbook=lambda qid: True)
    found = handbook(pair)
    assert found is not None
    assert not re.search(r"K\d", found.detail)
    assert ("E = m c^2" in found.detail) == (level not in ("K0", "K1", "K2"))
    assert known("evidence.handbook", found.detail)


# -- the pages ----------------------------------------------------------------------------------------------------------
@pytest.fixture
def ada(tmp_path: Path) -> Iterator[Desk]:
    evidence = (
        Evidence("short", 0.9, "the formula is short (4 symbols)"),
        Evidence("key_equation", 0.5, "a table of key equations names it “Ohm's law”"),
        Evidence("statement", -0.4, "“Ohm's law” names a statement, not a quantity"),
    )
    checks = (
        Check("class", "unknown", "the item states no class"),
        Check("citable source", "ok", "1 document can be cited"),
    )
    rows = [*dozen(), proposal(12, qid="Q41591", tex="V = R I", evidence=evidence, checks=checks)]
    rows.append(proposal(13, qid="Q182505", references=(reference(3),)))
    with opened(tmp_path / "w", "Ada", proposals=rows) as workspace:
        yield sit_down(workspace, "Ada")


def test_what_only_the_formula_is_like_stands_behind_what_a_source_says(ada: Desk) -> None:
    html = ada.get(f"/p/{12:016x}")
    assert html.index("a table of key equations") < html.index("2 weaker signs") < html.index("the formula is short")


def test_a_german_page_has_no_sentence_of_the_machine_in_english(ada: Desk) -> None:
    html = ada.get(f"/p/{12:016x}?lang=de")
    assert '<span lang="en">' not in html
    for text in ("eine Tabelle der wichtigsten Gleichungen", "das Objekt nennt keine Klasse", "1 Dokument ist zitierbar", "URL der Fundstelle", "Abschnitt „First laws“"):  # fmt: skip
        assert text in html, text


def test_the_difference_is_folded_away_where_it_tells_little(ada: Desk) -> None:
    marked = re.compile(r'<p class="diff">.*?</p>', re.S)
    assert marked.search(ada.get(f"/p/{13:016x}")), "written otherwise: the marks tell"
    html = ada.get(f"/p/{4:016x}")  # other symbols
    assert "<details><summary>difference in TeX</summary><p class=\"diff\">" in html  # fmt: skip
    assert "<ins>" in html
    assert not marked.search(ada.get(f"/p/{1:016x}")), "the same but for blanks and braces"


def test_a_flag_says_that_it_is_never_written_where_approval_would_stand(ada: Desk) -> None:
    html = ada.get(f"/p/{11:016x}")
    assert "it is never written" in html[html.index('id="decide"') :]
    assert 'value="approve"' not in html
    assert "What readers see" not in html


def test_another_name_has_a_form_of_its_own(tmp_path: Path) -> None:
    """Enter in the field must not press the button of somebody who is known already."""
    from bot.review.web import make_app
    from bot.review.web.security import OneTime
    from bot.settings import Settings

    with opened(tmp_path / "w", "Ada") as workspace:
        token = OneTime()
        client = make_app(workspace, Settings(), hosts={"localhost"}, token=token).test_client()
        client.get(f"/sign-in/{token.text}")
        forms = re.findall(r"<form.*?</form>", client.get("/who").get_data(True), re.S)
        field = next(form for form in forms if 'name="name"' in form)
        assert 'name="known"' not in field
        assert any('value="Ada"' in form for form in forms)


@pytest.mark.parametrize(("code", "path"), [(404, "/p/nothing"), (404, "/item/x"), (405, "/undo")])
def test_an_error_says_in_words_what_it_is(ada: Desk, code: int, path: str) -> None:
    html = ada.get(f"{path}?lang=de", code)
    assert f'<p class="small">Fehler {code}</p>' in html
    assert "Hier ist nichts" in html or "Das geht nicht" in html
    assert 'lang="en"' not in html[html.index("<main") :], "the whole page is in the reader's language"
    assert "The requested URL" not in ada.get(f"{path}?lang=en", code)


def test_an_empty_statistics_page_says_so_and_shows_no_empty_table(ada: Desk) -> None:
    html = ada.get("/statistics")
    assert "No decisions yet." in html
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
