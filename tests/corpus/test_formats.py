"""The table of formats: recognition by content and name, a format that is named, what is refused and what is ignored."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import pytest
from cli_runner import call
from time_limit import at_most

from bot.corpus import formats, list_sources, read
from bot.errors import InputError, SourceError
from bot.messages import has_message

WIKI = "'''A law''' says <math>a=b</math>.\n== More ==\n[[Link]]"
PAGE = '<!DOCTYPE html><html><body><p>So <math alttext="c=d"></math>.</p></body></html>'


@pytest.mark.parametrize("format", formats.FORMATS, ids=lambda format: str(format.name))
def test_each_format_has_a_reader_and_says_what_it_is_in_every_language(format: formats.Format) -> None:
    assert callable(format.read)
    assert has_message(f"format.{format.name}")
    assert has_message(f"format.{format.name}", "de")


RECOGNISED = {
    "wikitext": [("a.wiki", "words"), ("a.txt", "[[Link]]"), ("a", WIKI), ("a.text", WIKI)],
    "html": [
        ("a.html", PAGE), ("a.htm", "words"), ("a", PAGE), ("a.txt", PAGE), ("a.html", " " * 200 + '<html class="ltx_page">'), ("a.html", ' class="ltx_page"'),
        ("a", "x" * 2043 + "<html><math alttext="), ("a.html", "\\documentclass{article}"),
    ],
    "latexml": [("a.html", " " * 199 + '<html class="ltx_page">')],
    "mediawiki_html": [("a.html", '<html><meta content="MediaWiki 1.4">')],
    "mediawiki_xml": [("a.xml", "<mediawiki>")],
    "latex": [("2001.00001", "\\documentclass{article}"), ("a.tex", "words"), ("a.tex", PAGE), ("a.txt", "\\documentclass{article}")],
    "wikimedia_enterprise": [("a.json", ' {"name": "x", "url": "u", "article_body": {}}')],
    "formula_rows": [("a.jsonl", '\n{"id": 1, "formula" : "a"}')],
    "notebook": [("a.ipynb", "{}"), ("a.ipynb", '{"cells": [{"cell_type": "code"')],
    "jats": [("a.nxml", '<article dtd-version="1">'), ("a.xml", '<article dtd-version="1">')],
    "cnxml": [("a.cnxml", "<x>"), ("a.xml", '<document xmlns="http://cnx.rice.edu/cnxml">')],
    "tei": [("a.tei", "<TEI.2>")],
    "markdown": [("a.MD", WIKI), ("a.qmd", "words")],
    "": [
        ("a.txt", "words"), ("a.dat", WIKI), ("a", "[[Link]] and {{template}}"), ("a", r"<html><p>\(a\)"), ("a", "x" * 2044 + "<html><math alttext="), ("a.sty", "\\documentclass{article}"),
        ("a.txt", "% \\documentclass{article}"), ("a.json", '{"name": "x", "article_body": {}}'), ("a.json", '[{"name": "x", "url": "u", "article_body": {}}'), ("a.json", '{"name": "x", "url": "u"}'),
        ("a.jsonl", '{"id": 1}'), ("a.json", '{"tex": "a"}'), ("a.py", '{"tex": "a"}'), ("a.nxml", "<article>"), ("a.tei", "words"), ("a.xql", 'let $page := <TEI xmlns="http://www.tei-c.org/ns/1.0">'), ("._a.md", "\0\5\x16\7"), ("a.pdf", "%PDF-1"),
        ("a.tex", "{\\rtf1 \\documentclass{article}"), ("a.adoc", PAGE), ("a.typ", "\\documentclass{article}"), ("a.html", "%!PS\n<html>"),
    ],
}  # fmt: skip


@pytest.mark.parametrize(
    ("name", "head", "format"), [(*file, format) for format, of in RECOGNISED.items() for file in of]
)
def test_a_file_is_recognised_by_its_beginning_and_its_name(name: str, head: str, format: str) -> None:
    assert formats.recognise(name, head.encode()) == format


def test_the_formats_are_listed_without_a_source() -> None:
    listed = call("discover", "--list-formats")
    assert listed.code == 0
    assert "cnxml" in listed.out
    assert "CNXML of OpenStax" in listed.out
    rows = json.loads(call("discover", "--list-formats", "--json").out)
    assert [row["name"] for row in rows] == [format.name for format in formats.FORMATS]
    assert next(row for row in rows if row["name"] == "wikitext")["files"][0] == ".wiki"


def test_a_named_format_counts_against_name_and_content(tmp_path: Path) -> None:
    (tmp_path / "law.csv").write_text("It is <math>a=b</math>.")
    (page,) = read([str(tmp_path / "law.csv")], format="wikitext")
    assert [o.tex for o in page.occurrences] == ["a=b"]


def test_in_a_folder_a_named_format_holds_for_files_of_formats_alone(tmp_path: Path) -> None:
    (tmp_path / "page.html").write_text(PAGE)
    (tmp_path / "words.csv").write_text("a,b")
    (tmp_path / "law.wiki").write_text(WIKI)
    found = list_sources([str(tmp_path)], "wikitext")
    assert [(f.name, f.stated_format) for f in found.files] == [("law.wiki", "wikitext"), ("page.html", "wikitext")]
    assert [Path(path).name for path, _ in found.ignored] == ["words.csv"]


def test_an_unknown_format_is_named_with_those_that_there_are(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"there is no format 'word'; known: .*cnxml"):
        list_sources([str(tmp_path)], "word")


REFUSED = [
    ("a.adoc", b"= Title", "is an AsciiDoc file", "asciidoctor"),
    ("a.tid", b"title: Bayes\n\n$$x$$", "is a TiddlyWiki file", "tiddlywiki --render"),
    ("a.txt", b"====== Bayes ======\n\nSo $x$ is **bold**.", "is a DokuWiki page", "do=export_xhtml"),
    ("a.ptx", b"<pretext>", "is a PreTeXt file", "pretext build"),
    ("a.typ", b"= Title", "is a Typst file", "pandoc"),
    ("a.lyx", b"#LyX 2.3", "is a LyX file", "lyx --export"),
    ("a.pdf", b"%PDF-1.7\n%\xe2\xe3", "is a PDF file", "Nougat"),
    ("a.ps", b"%!PS-Adobe-3.0\n", "is a PostScript file", "ps2pdf"),
    ("a.djvu", b"AT&TFORM\0\0", "is a DjVu file", "ddjvu"),
    ("a.docx", b"PK\x03\x04\0\0", "is a Word file", "pandoc"),
    ("unnamed", b"PK\x03\x04\0\0word/document.xml", "is a Word file", "pandoc"),
    ("a.odt", b"PK\x03\x04\0\0", "is an OpenDocument file", "pandoc"),
    ("a.pptx", b"PK\x03\x04\0\0", "is a PowerPoint file", "LibreOffice"),
]


@pytest.mark.parametrize(("name", "data", "what", "converter"), REFUSED)
def test_what_has_to_be_converted_is_refused_with_the_converter(
    tmp_path: Path, name: str, data: bytes, what: str, converter: str
) -> None:
    (tmp_path / name).write_bytes(data)
    with pytest.raises(SourceError, match=what) as error:
        list(read([str(tmp_path / name)]))
    assert converter in error.value.line()
    (tmp_path / "law.wiki").write_text(WIKI)
    ((path, reason),) = list_sources([str(tmp_path)]).ignored
    assert Path(path).name == name
    assert converter in str(reason)


def test_what_is_ignored_is_named_with_its_reason(tmp_path: Path) -> None:
    (tmp_path / "c").mkdir()
    (tmp_path / "c" / "law.wiki").write_text(WIKI)
    (tmp_path / "c" / "a.png").write_bytes(b"\x89PNG\r\n\0")
    (tmp_path / "c" / "LICENSE").write_text("Some words.")
    with zipfile.ZipFile(tmp_path / "c" / "more.zip", "w") as archive:
        archive.writestr("b.png", b"\x89PNG\r\n\0")
        archive.writestr("Other.wiki", WIKI.replace("a=b", "c=d"))
    for _ in range(2):  # read, and found unchanged
        found = call("discover", str(tmp_path / "c"), "-w", str(tmp_path / "w"), "--json")
        summary = json.loads(found.out)
        assert summary["ignored"] == 3
        assert [(Path(row["path"]).name, row["reason"]) for row in summary["ignored_files"]] == [
            ("LICENSE", "is of no known format"),
            ("a.png", "is a picture or a recording"),
            ("more.zip!b.png", "is a picture or a recording"),
        ]
    shown = call("discover", str(tmp_path / "c"), "-w", str(tmp_path / "w")).out
    assert "2  is a picture or a recording  a.png, more.zip!b.png" in shown


def test_mathematics_of_which_nothing_is_read_is_a_skip_that_says_so(tmp_path: Path) -> None:
    (tmp_path / "law.wiki").write_text("It is \\begin{align}a&=b\\end{align}.")
    (tmp_path / "plain.wiki").write_text("It is so.")
    skipped: list[tuple[str, str]] = []
    pages = list(read([str(tmp_path)], on_skip=lambda path, reason: skipped.append((Path(path).name, str(reason)))))
    assert [page.document.title for page in pages] == ["plain"]
    assert skipped == [("law.wiki", "holds mathematics of which nothing could be read as wikitext")]


def test_an_article_with_mathematics_in_its_navigation_alone_is_not_skipped(tmp_path: Path) -> None:
    box = '<div class="navbox"><math alttext="a=b"><mi>a</mi></math></div>'
    page = f'<html><head><title>Force</title></head><body><div id="mw-content-text" class="mw-parser-output"><p>It pushes.</p>{box}</div></body></html>'
    (tmp_path / "Force.html").write_text(page)
    skipped: list[str] = []
    pages = list(read([str(tmp_path)], on_skip=lambda path, reason: skipped.append(str(reason))))
    assert [(page.document.title, page.document.format, page.occurrences) for page in pages] == [
        ("Force", "mediawiki_html", ())
    ]
    assert skipped == []


def test_code_is_no_mathematics_in_sight() -> None:
    assert formats.has_mathematics(b"so $\\alpha$ is")
    assert not formats.has_mathematics(b"so `$\\alpha$` is\n```\n$\\beta$\n```\nand $5 or $6")


def test_references_are_no_mathematics_in_sight() -> None:
    assert not formats.has_mathematics(b"Geometry<ref name='a'>Triples with <math>a^2+b^2=c^2</math></ref> is old.")
    assert formats.has_mathematics(b"Geometry<ref name='a'/> has <math>a^2+b^2=c^2</math><ref>Euclid</ref>")


def test_a_run_without_any_formula_ends_with_a_line_and_an_exit_code(tmp_path: Path) -> None:
    (tmp_path / "plain.wiki").write_text("It is so.")
    ended = call("discover", str(tmp_path / "plain.wiki"), "-w", str(tmp_path / "w"))
    assert ended.code == 1
    assert "No formula was found in 1 document" in ended.err
    (tmp_path / "law.wiki").write_text(WIKI)
    assert call("discover", str(tmp_path / "law.wiki"), "-w", str(tmp_path / "w")).code == 0
    ended = call("discover", str(tmp_path / "plain.wiki"), "-w", str(tmp_path / "w"))
    assert ended.code == 1
    assert "No formula was found in the sources of this run" in ended.err


HOSTILE_HEADS = (
    "<!-- a -->\n", "<!-- ", "-->", "<?xml ", "<page> ", "<article ", "<book ", "<math ", "<document ", '<html class="', "[[a", "{{a", "'''a", "== a ", '{ "cell_type" ',
    '{"tex" ', "\\begin ", "% \\documentclass", "\\input ", "<TEI ", "\n", " ", "`", "<pre ",
)  # fmt: skip


@pytest.mark.parametrize("repeated", HOSTILE_HEADS)
def test_no_beginning_of_a_file_takes_long_to_recognise(repeated: str) -> None:
    head = (repeated.encode() * formats.HEAD_BYTES)[: formats.HEAD_BYTES]
    for name in ("a.xml", "a.txt", "a", "a.html", "a.ipynb"):
        with at_most(1, repeated):
            formats.recognise(name, head)


def test_a_dump_may_begin_with_comments() -> None:
    assert (
        formats.recognise("a.xml", b'<?xml version="1.0"?>\n<!-- a --> <!-- b -->\n<mediawiki xml:lang="en">')
        == "mediawiki_xml"
    )
