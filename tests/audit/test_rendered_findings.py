"""Findings as text, HTML, JSON and wikitext."""

from __future__ import annotations

import csv
import io
import json
import re
from types import SimpleNamespace

import pytest

from bot.audit import FORMATS, render
from bot.errors import InputError
from bot.messages import Message, to_json
from bot.records import Finding
from bot.settings import Wiki

NASTY = "<script>alert('x')</script> [[Category:X]] ''' {{stop}} & \""
FINDINGS = [
    Finding("unreferenced", "Q1", "warning", "its formula names no source", "Q1$A", "mass–energy", ("E=mc^2",)),
    Finding("unreferenced", "", "info", "1 formula without a source"),
    Finding("invalid", "Q2", "error", "would be refused", "Q2$A", NASTY, (NASTY,)),
    Finding("seeded", "", "unknown", "could not tell: http://w: cannot be reached"),
]
WIKI = Wiki(name="here", page_prefix="https://wiki.example/wiki/")


@pytest.mark.parametrize("form", FORMATS)
def test_every_finding_is_in_every_format(form):
    text = re.sub(r"[\s│]+", " ", render(FINDINGS, form, wiki=WIKI))
    for words in ("Q1", "names no source", "Q2", "would be refused", "cannot be reached"):
        assert words in text, words


@pytest.mark.parametrize("form", [form for form in FORMATS if form != "csv"])
def test_nothing_found_can_be_rendered_too(form):
    assert render([], form)
    assert "ledger" in render([], form, audits=["ledger"]).lower()


def test_an_unknown_format_is_refused():
    with pytest.raises(InputError, match="known: text, html"):
        render(FINDINGS, "pdf")


def test_json_is_one_object_with_counts_and_findings():
    answer = json.loads(render(FINDINGS, "json"))
    assert answer["exit_code"] == 2
    assert answer["audits"]["unreferenced"]["warning"] == 1
    assert answer["findings"][0]["audit"] == "seeded"
    said = {"audit", "item", "severity", "what", "evidence", "label", "formulas"}
    assert set(answer["findings"][0]) == said | {"id", "first_seen", "new", "muted", "message", "step"}


def test_the_page_is_self_contained_and_draws_formulas():
    page = render(FINDINGS, "html", wiki=WIKI)
    assert "<math" in page
    assert '<a href="https://wiki.example/wiki/Q1">mass–energy</a>' in page
    assert not re.search(r"<(script|link|img|iframe)\b", page)
    assert re.findall(r"<!--(?!\s)", page) == []


def test_the_page_escapes_what_comes_from_the_wiki():
    page = render(FINDINGS, "html", wiki=WIKI)
    assert "<script" not in page
    assert "&lt;script&gt;" in page


def test_wikitext_disarms_what_comes_from_the_wiki():
    text = render(FINDINGS, "wikitext")
    assert "[[Q1]]" in text
    assert not any(markup in text for markup in ("<script", "[[Category", "{{stop", "'''"))


@pytest.mark.parametrize("character", "<>&[]{}|'~_*#:;=\\\"\n\t")
def test_wikitext_shows_each_character_of_a_label_and_a_formula_as_it_is(character):
    found = Finding("invalid", "Q2", "error", "bad", "", f"a{character}b", (f"x{character}y",))
    row = render([found], "wikitext").partition("|-\n")[2].splitlines()[0]
    shown = f"&#{ord(character)};"
    assert row == f"| error || [[Q2]] a{shown}b || bad || <code>x{shown}y</code>"


def test_text_names_the_rows_it_leaves_out():
    many = [Finding("invalid", f"Q{n}", "error", "bad") for n in range(1, 101)]
    assert "70 more" in render(many, "text")


def test_the_page_names_the_rows_it_leaves_out():
    many = [Finding("invalid", f"Q{n}", "error", "bad") for n in range(1, 602)]
    page = render(many, "html")
    assert page.count("<li>") == 500
    assert "101 more" in page


def test_the_next_step_leads_to_the_formula_of_the_item():
    step = to_json(Message("step.wrong"))
    page = render([Finding("wrong", "Q1", "error", "it is wrong", step=step)], "html", wiki=WIKI)
    assert '<p class="step"><a href="https://wiki.example/wiki/Q1#P2534">deprecate it' in page


def test_audits_of_ones_own_keep_all_their_findings_however_severe():
    """Sorted by severity alone, two audits that the bot does not have stand between one another."""
    found = [
        Finding(name, f"Q{n}", severity, "odd")
        for n, (name, severity) in enumerate(
            [("one", "error"), ("two", "error"), ("one", "warning"), ("two", "warning")]
        )
    ]
    assert [f["item"] for f in json.loads(render(found, "json"))["findings"]] == ["Q0", "Q2", "Q1", "Q3"]


def test_csv_has_a_row_for_each_finding_and_no_spreadsheet_takes_one_for_a_formula():
    found = [*FINDINGS, Finding("wrong", "Q3", "error", "=HYPERLINK(1)", label="+1")]
    rows = list(csv.DictReader(io.StringIO(render(found, "csv", wiki=WIKI))))
    assert [row["item"] for row in rows] == ["", "Q3", "Q1", "", "Q2"]
    assert (rows[1]["what"], rows[1]["label"], rows[1]["address"]) == (
        "'=HYPERLINK(1)",
        "'+1",
        "https://wiki.example/wiki/Q3",
    )
    assert rows[0]["severity"] == "unknown"


def test_the_page_says_everything_in_the_language_asked_for():
    page = render(FINDINGS, "html", wiki=WIKI, audits=["ledger"], language="fr")
    words = re.sub(r"<[^>]+>|\s+", " ", page[page.index("<body>") :])
    assert '<html lang="fr">' in page
    assert "2 constats, dont 0 nouveaux. Indéterminé : seeded." in words
    assert words.count("1 déjà connu ") == 2
    said = words.replace("could not tell: http", "")
    assert not re.search(r"\b(?:finding|could not tell|since|known before|errors|warnings)\b", said)
    assert page.count("<section") == 2
    assert '<tr id="ledger">' in page  # an audit without findings is a row, and no section


def test_a_text_for_a_terminal_is_drawn_in_boxes_and_no_other(monkeypatch):
    monkeypatch.setenv("COLUMNS", "100")
    findings = [Finding("seeded", "Q1", "error", "gone", label="mass")]
    for terminal, printed in ((True, True), (True, False), (False, True)):
        monkeypatch.setattr("sys.stdout", SimpleNamespace(isatty=lambda terminal=terminal: terminal))
        assert ("┃" in render(findings, "text", printed=printed)) is (terminal and printed)
