"""Wikimedia Enterprise: one article a line, its metadata beside it; one bad line costs that line."""

from __future__ import annotations

import io
import json
import tarfile
from pathlib import Path
from typing import Any

import pytest

from bot.corpus import read, wikimedia_enterprise
from bot.corpus.wikimedia_enterprise import read_enterprise
from bot.records import Document, NameHint, Occurrence

MATH = (
    '<span class="mwe-math-element" typeof="mw:Extension/math" data-mw=\'{"name":"math","attrs":{"qid":"Q35875"},"body":{"extsrc":"E=mc^2"}}\'>'
    '<math alttext="{\\displaystyle E=mc^{2}}"><mi>E</mi></math><img src="https://wikimedia.org/api/rest_v1/media/math/render/svg/1"></span>'
)
ROW: dict[str, Any] = {
    "name": "Mass–energy equivalence",
    "identifier": 422481,
    "url": "https://en.wikipedia.org/wiki/Mass",
    "namespace": {"identifier": 0},
    "in_language": {"identifier": "en"},
    "version": {"identifier": 77},
    "main_entity": {"identifier": "Q35875"},
    "license": [{"name": "CC BY-SA", "url": "https://creativecommons.org/licenses/by-sa/4.0/"}],
    "article_body": {
        "html": f"<html><body class='mw-parser-output'><p>Here <b>it</b> is {MATH}.</p></body></html>",
        "wikitext": "<math>no</math>",
    },
}


def rows(
    *lines: object,
) -> tuple[list[tuple[Document, tuple[Occurrence, ...]]], list[tuple[str, str]], list[tuple[str, str]]]:
    data = "\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines).encode()
    skipped: list[tuple[str, str]] = []
    ignored: list[tuple[str, str]] = []
    found = read_enterprise(
        io.BytesIO(data),
        "dump/en.ndjson",
        lambda path, why: skipped.append((path, str(why))),
        lambda path, why: ignored.append((path, str(why))),
    )
    return [each for _, each in found], skipped, ignored


def test_an_article_has_its_html_and_what_its_line_says() -> None:
    ((document, (found,)),), skipped, ignored = rows(ROW)
    assert (document.id, document.title) == ("dump/en.ndjson#Mass–energy equivalence", "Mass–energy equivalence")
    assert (document.url, document.licence) == (ROW["url"], "https://creativecommons.org/licenses/by-sa/4.0/")
    assert document.identifiers == (("qid", "Q35875"), ("revision", "77"))
    assert (found.tex, found.window, found.hints) == ("E=mc^2", "Here it is ⟦0⟧.", (NameHint("qid", "Q35875"),))
    assert skipped == ignored == []


def test_formulas_that_are_pictures_only_are_told_of_a_page_that_is_read() -> None:
    picture = (
        "<img class='mwe-math-fallback-image-inline' src='https://wikimedia.org/api/rest_v1/media/math/render/svg/2'>"
    )
    body = {"html": f"<html><body class='mw-parser-output'><p>Here is {MATH} and {picture}.</p></body></html>"}
    ((document, (found,)),), skipped, ignored = rows(ROW | {"article_body": body})
    assert (found.tex, document.unread is not None, ignored) == ("E=mc^2", True, [])
    assert skipped == [("#Mass–energy equivalence", str(document.unread))]


def test_wikitext_is_read_where_there_is_no_html() -> None:
    ((document, (found,)),), _, _ = rows(
        {**ROW, "article_body": {"wikitext": "It is <math>a=b</math>."}, "in_language": {"identifier": "de"}}
    )
    assert (document.language, found.tex) == ("de", "a=b")


def test_a_bad_line_costs_that_line() -> None:
    found, skipped, ignored = rows(
        ROW,
        '{"name": ',
        "[1]",
        {**ROW, "namespace": {"identifier": 10}},
        {"name": "Empty"},
        "",
        {**ROW, "name": "Last"},
    )
    assert [document.title for document, _ in found] == ["Mass–energy equivalence", "Last"]
    assert [where for where, _ in skipped] == ["#line 2", "#line 3", "#Empty"]
    assert ignored == [("#Mass–energy equivalence", "is not an article (namespace 10)")]


def test_a_line_of_a_gigabyte_is_passed_over_in_pieces() -> None:
    class Endless:
        """Says `{` and a gigabyte of blanks, then a line that is sound."""

        left = 128

        def read(self, size: int = -1) -> bytes:
            self.left -= 1
            return b" x" * 2**19 if self.left > 0 else b"" if self.left < 0 else b"\n" + json.dumps(ROW).encode()

    skipped: list[tuple[str, str]] = []
    found = list(read_enterprise(Endless(), "a", lambda path, why: skipped.append((path, str(why))), lambda *why: None))
    assert [document.title for _, (document, _) in found] == ["Mass–energy equivalence"]
    assert skipped == [("#line 1", "is longer than 64 MB")]


def test_lines_are_recognised_in_a_packed_archive(tmp_path: Path) -> None:
    with tarfile.open(tmp_path / "en.tar.gz", "w:gz") as archive:
        info = tarfile.TarInfo("en_0.ndjson")
        data = json.dumps(ROW).encode() + b"\n"
        info.size = len(data)
        archive.addfile(info, io.BytesIO(data))
    (page,) = read([str(tmp_path)])
    assert (page.document.title, page.occurrences[0].tex) == ("Mass–energy equivalence", "E=mc^2")


def test_an_error_of_the_reader_is_not_taken_for_bad_json(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: object) -> None:
        raise ValueError("of the page")

    monkeypatch.setattr(wikimedia_enterprise, "html_article", fails)
    _, skipped, _ = rows(ROW, '{"name": ')
    (_, failure), (_, syntax) = skipped
    assert "ValueError: of the page" in failure
    assert "JSON" not in failure
    assert "JSON" in syntax


def test_languages_are_codes() -> None:
    ((document, _),), _, _ = rows({**ROW, "in_language": {"identifier": "zh_Hant"}})
    assert document.language == "zh"
