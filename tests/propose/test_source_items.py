"""An item that a reference would name is looked up before anything is proposed, and what cannot be named is said."""

from __future__ import annotations

from dataclasses import replace

import pytest
from propose_records import DOCUMENT, HUBBLE, statement
from test_better_sources import Corpus, corpus

from bot.propose.summary import ProposeSummary
from bot.records import Item, Proposal
from bot.settings import CitationRule

BOOK = Item("Q77", "A book", classes=("Q571",), revision=1)
TABLE = CitationRule("lectures/*", item="Q77", doi="10.1000/77")
ALONE = replace(TABLE, doi="")
WRONG = [
    (Item("Q77", missing=True), "does not exist"),
    (replace(BOOK, redirect="Q78"), "was merged into Q78"),
    (replace(BOOK, classes=("Q5",)), "is a label of Q5"),
    (replace(BOOK, statements=(replace(statement("p = m u"), guid="Q77$1"),)), "has a formula of its own"),
]
__all__ = ["corpus"]


def proposed(corpus: Corpus, book: Item, source: CitationRule) -> tuple[Proposal, ProposeSummary]:
    summary = corpus.run(HUBBLE, book, sources=(source,))
    (row,) = corpus.rows()
    return row.proposal, summary


def state(proposal: Proposal) -> str:
    return next(check.state for check in proposal.checks if check.name == "citable source")


def test_a_book_that_is_there_is_cited(corpus: Corpus) -> None:
    p, summary = proposed(corpus, BOOK, ALONE)
    assert p.references[0].snaks[0] == ("P248", "wikibase-item", "Q77")
    assert (summary.source_items, state(p)) == ((), "ok")


@pytest.mark.parametrize(("book", "why"), WRONG)
def test_an_item_that_cannot_be_a_source_is_not_cited_and_the_operator_is_told(
    corpus: Corpus, book: Item, why: str
) -> None:
    p, summary = proposed(corpus, book, ALONE)
    assert (p.kind, p.references) == ("new_claim", ())
    assert any(f"Q77 {why}" in str(check) for check in p.checks if check.state == "warn")
    assert len(summary.source_items) == 1
    assert f"Q77: it {why}" in summary.source_items[0]
    assert why in (corpus.workspace.reports / "dry-run.html").read_text(encoding="utf-8")


@pytest.mark.parametrize(("book", "why"), WRONG)
def test_the_next_identifier_of_the_same_table_is_cited_instead(corpus: Corpus, book: Item, why: str) -> None:
    p, _ = proposed(corpus, book, TABLE)
    assert p.kind == "new_claim"
    assert p.references[0].snaks[0] == ("P356", "external-id", "10.1000/77")
    assert (state(p), any(why in str(check) for check in p.checks)) == ("warn", True)


def test_an_item_is_no_source_of_itself(corpus: Corpus) -> None:
    p, _ = proposed(corpus, BOOK, replace(ALONE, item=HUBBLE.qid))
    assert any("is the item itself" in str(check) for check in p.checks if check.state == "warn")


def test_an_approval_with_a_source_item_that_has_gone_is_open_again(corpus: Corpus) -> None:
    proposed(corpus, BOOK, TABLE)
    corpus.decide()
    corpus.run(HUBBLE, Item("Q77", missing=True), sources=(TABLE,), days=1)
    (row,) = corpus.rows("open")
    assert (row.reopened, row.proposal.references[0].snaks[0][0]) == (True, "P356")


def test_documents_without_such_a_table_are_cited_as_before(corpus: Corpus) -> None:
    p, summary = proposed(corpus, BOOK, replace(ALONE, documents="other/*"))
    assert (p.references[0].snaks[0][0], summary.source_items) == ("P854", ())
    assert DOCUMENT.source
