"""Findings as text, HTML, JSON and wikitext."""

from __future__ import annotations

import json
import re

import pytest

from bot.audit import FORMATS, render
from bot.errors import InputError
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


@pytest.mark.parametrize("form", FORMATS)
def test_nothing_found_can_be_rendered_too(form):
    assert render([], form)
    assert "ledger" in render([], form, audits=["ledger"]).lower()


def test_an_unknown_format_is_refused():
    with pytest.raises(InputError, match="known are: text, html"):
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


def test_text_names_the_rows_it_leaves_out():
    many = [Finding("invalid", f"Q{n}", "error", "bad") for n in range(1, 101)]
    assert "70 more" in render(many, "text")


def test_the_page_names_the_rows_it_leaves_out():
    many = [Finding("invalid", f"Q{n}", "error", "bad") for n in range(1, 602)]
    page = render(many, "html")
    assert page.count("<li>") == 500
    assert "101 more" in page
