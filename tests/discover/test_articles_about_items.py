"""What an item's articles say in each language: from dumps or as they are fetched, with the sentence of the formula."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from bot.discover.articles.languages import ArticleReading, article_readings
from bot.lookup import FetchedArticle

LAW = "'''Hooke's law''' states that the force is\n:<math>F = -k x</math>\nwhere <math>k</math> is the stiffness. More follows."
ELSE = "The '''spring''' is old. It has a length <math>l</math>."


class Articles:
    """Answers of the encyclopaedia by item; keeps what was asked."""

    def __init__(self, *pages: FetchedArticle) -> None:
        self.pages = pages
        self.articles = self  # of the client

    def articles_of(self, qids: Any, languages: Any, on_failure: Any) -> dict[str, tuple[FetchedArticle, ...]]:
        return {qid: tuple(page for page in self.pages if page.qid == qid) for qid in qids}

    def titles_of(self, qids: Any, languages: Any) -> dict[str, tuple[tuple[str, str], ...]]:
        return {qid: tuple((page.language, page.title) for page in self.pages if page.qid == qid) for qid in qids}


def page(qid: str, title: str, text: str, language: str = "en") -> FetchedArticle:
    return FetchedArticle(qid, language, title, text, 77, "2026-11-20")


def said(*pages: FetchedArticle, dumps: tuple[str, ...] = (), **more: Any) -> dict[str, tuple[ArticleReading, ...]]:
    client: Any = Articles(*pages)
    return article_readings(client, list(dict.fromkeys(each.qid for each in pages)), ["en", "de"], dumps, **more)


def test_each_article_says_its_formula_with_sentence_revision_and_day() -> None:
    found = said(
        page("Q1", "Hooke's law", LAW),
        page("Q1", "Spring", ELSE),
        page("Q2", "Spring", ELSE),
        page("Q3", "X", "#REDIRECT [[Y]]"),
    )
    assert list(found) == ["Q1"]
    (one,) = found["Q1"]
    assert (one.language, one.title, one.tex, one.accepted) == ("en", "Hooke's law", "F = -k x", True)
    assert one.sentence == "Hooke's law states that the force is $F = -k x$ where $k$ is the stiffness"
    assert (one.revision, one.day) == (77, "2026-11-20")
    assert one.probability > 0.5


def test_articles_of_a_dump_are_found_by_language_and_title_and_have_no_revision(tmp_path: Path) -> None:
    folder = tmp_path / "en"
    folder.mkdir()
    (folder / "Hookes law.wiki").write_text(LAW.replace("Hooke's", "Hookes"), encoding="utf-8")
    (folder / "Spring.wiki").write_text(ELSE, encoding="utf-8")
    found = said(
        page("Q1", "Hookes law", ""),
        page("Q2", "Spring", ""),
        page("Q4", "Hookes law", "", "de"),
        dumps=(str(tmp_path),),
    )
    assert {qid: [(each.tex, each.revision, each.day) for each in rows] for qid, rows in found.items()} == {
        "Q1": [("F = -k x", 0, "")]
    }


@pytest.mark.parametrize("as_dump", [True, False])
def test_an_article_is_read_beside_what_a_list_has_of_its_item(tmp_path: Path, as_dump: bool) -> None:
    folder = tmp_path / "en"
    folder.mkdir()
    (folder / "Hookes law.wiki").write_text(LAW.replace("Hooke's", "Hookes"), encoding="utf-8")
    law, dumps = page("Q1", "Hookes law", LAW.replace("Hooke's", "Hookes")), (str(tmp_path),) if as_dump else ()
    known: dict[str, tuple[str, ...]] = {"Q1": ("F = -k x",)}
    without, nothing, listed = (
        said(law, dumps=dumps, listed_formulas=find)["Q1"][0].probability
        for find in (lambda qid: None, lambda qid: (), known.get)
    )
    assert nothing < without < listed


@pytest.mark.parametrize("words", [10, 60])
def test_a_long_sentence_is_shown_by_whole_words_and_formulas_of_a_hundred_and_twenty_characters_on_each_side(
    words: int,
) -> None:
    before, after = "word " * words, " thing" * 19 + " <math>a + b + c</math> more and more" + " thing" * 40
    text = f"'''Hooke's law''' is: {before}the force is given by <math>F = -k x</math>{after}."
    ((one,),) = said(page("Q1", "Hooke's law", text)).values()
    head, _, tail = one.sentence.partition("$F = -k x$")
    start = "Hooke's law is:" + " word" * 10 if words == 10 else "…" + " word" * 19
    assert head == f"{start} the force is given by "
    assert tail == " thing" * 19 + " …"


@pytest.mark.parametrize(("last", "shown"), [(" a", " a."), (" ab", " …")])
def test_the_last_word_that_fits_is_shown(last: str, shown: str) -> None:
    text = f"'''Hooke's law''' says that the force is given by <math>F = -k x</math>{' ab' * 39}{last}."
    ((one,),) = said(page("Q1", "Hooke's law", text)).values()
    assert one.sentence.partition("$F = -k x$")[2] == " ab" * 39 + shown
