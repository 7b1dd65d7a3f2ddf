"""From a proposal to its sources: numbers that join quotes and references, an address at the sentence, the stored passage."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from web_records import SignedIn, opened, proposal, reference, signed_in

from bot.propose.quotes import sentence_url
from bot.records import Quote

ADDRESS = "https://lectures.example.org/expansion"
QUOTE = Quote("a", 4, "", "Hubble's law", url=ADDRESS, title="Cosmology")


@pytest.mark.parametrize(
    ("window", "fragment"),
    [
        ("In a flat universe the velocity of recession is ⟦4⟧ today.", "#Hubble%27s_law:~:text=a%20flat%20universe%20the%20velocity%20of%20recession%20is"),
        ("Let it be. We write ⟦4⟧, which holds for near and well-measured galaxies.", "#Hubble%27s_law:~:text=which%20holds%20for%20near%20and%20well%2Dmeasured%20galaxies"),
        ("The name ⟦3⟧ of ⟦4⟧ and ⟦5⟧.", "#Hubble%27s_law"),
        ("no mask at all in these words", "#Hubble%27s_law"),
    ],
)  # fmt: skip
def test_an_address_leads_to_the_words_beside_the_formula_else_to_its_section(window: str, fragment: str) -> None:
    assert sentence_url(replace(QUOTE, window=window)) == ADDRESS + fragment


def test_an_anchor_that_is_there_stays_and_a_heading_that_is_the_title_is_none() -> None:
    assert sentence_url(replace(QUOTE, url=f"{ADDRESS}#s3")) == f"{ADDRESS}#s3"
    assert sentence_url(replace(QUOTE, heading="Cosmology")) == ADDRESS


@pytest.fixture
def ada(tmp_path: Path) -> Any:
    first, second = reference(0), reference(1)
    given = proposal(0).quotes[0]
    quotes = (
        replace(given, cited=second.snaks[0][2]),
        replace(given, document="folder/scan.tex", url="", title="", cited=""),
    )
    with opened(tmp_path / "w", "Ada", proposals=[proposal(0, references=(first, second), quotes=quotes)]) as w:
        yield signed_in(w, "Ada")


def test_quotes_and_references_are_joined_by_number(ada: SignedIn) -> None:
    page = ada.get(f"/p/{0:016x}")
    first, second = page[page.index('id="quote-1"') :].split('id="quote-2"')
    assert "This document is reference 2" in first
    assert "This document is not among the references" in second
    one, two = page[page.index('id="reference-0"') :].split('id="reference-1"')
    assert "no quote of it is shown" in one
    assert 'supported by quote <span class="number">1</span>' in two


def test_a_quote_without_an_address_says_its_document_and_opens_the_stored_passage(ada: SignedIn) -> None:
    page = ada.get(f"/p/{0:016x}")
    second = page[page.index('id="quote-2"') :]
    assert "<code>folder/scan.tex</code>" in second
    assert f'href="/p/{0:016x}/source/2" target="_blank" data-source' in second
    stored = ada.get(f"/p/{0:016x}/source/2")
    assert "<code>folder/scan.tex</code>" in stored
    assert '<mark class="subject"><math' in stored
    ada.get(f"/p/{0:016x}/source/3", code=404)
