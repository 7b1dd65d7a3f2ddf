"""One glossary for page, report and docs: each word explained in each language, and the document says the same."""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.messages import Message, has_message, sentence
from bot.messages.glossary import QUESTIONS, TERMS

DOCUMENT = Path(__file__).parents[2] / "docs" / "glossary.md"
CODES = [f"glossary.{term}" for term in TERMS] + [f"question.{name}" for name in QUESTIONS]


@pytest.mark.parametrize("language", ["en", "de", "fr", "es"])
def test_each_word_and_question_is_explained(language: str) -> None:
    assert [code for code in CODES if not (has_message(code, language) and has_message(f"{code}_said", language))] == []


def test_the_document_says_what_the_page_says() -> None:
    text = DOCUMENT.read_text(encoding="utf-8")
    rows = [f"| {sentence(Message(c))} | {sentence(Message(f'{c}_said'))} |" for c in CODES[: len(TERMS)]]
    told = [f"**{sentence(Message(c))}** {sentence(Message(f'{c}_said'))}" for c in CODES[len(TERMS) :]]
    assert [each for each in (*rows, *told) if each not in text] == []
    assert text.count("\n| ") == len(TERMS) + 1
    assert text.count("\n**") == len(QUESTIONS) == 10
