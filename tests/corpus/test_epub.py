"""EPUB: pages in the order of the spine, with what the package says of the book; what is hostile ends in one line."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

import pytest

from bot.corpus import ParsedDocument, read
from bot.corpus.epub import _spine_pages
from bot.corpus.xml_parsing import parse_xml
from bot.errors import SourceError

CONTAINER = '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles><rootfile full-path="OPS/book.opf"/></rootfiles></container>'
PAGE = '<html xmlns="http://www.w3.org/1999/xhtml"><head><title>{}</title></head><body><p>Here <math xmlns="http://www.w3.org/1998/Math/MathML"><mi>{}</mi></math> is.</p></body></html>'
METADATA = (
    '<metadata xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>A book</dc:title><dc:language>de-AT</dc:language><dc:identifier>urn:isbn:978-3-16-148410-0</dc:identifier>'
    "<dc:rights>Under http://creativecommons.org/licenses/by/4.0/.</dc:rights></metadata>"
)


def package(*names: str, metadata: str = METADATA) -> str:
    items = "".join(
        f'<item id="i{n}" href="{name}" media-type="application/xhtml+xml"/>' for n, name in enumerate(names)
    )
    spine = "".join(f'<itemref idref="i{n}"/>' for n in range(len(names)))
    nav = '<item id="nav" href="nav.xhtml" media-type="application/xhtml+xml" properties="nav"/>'
    return f'<package xmlns="http://www.idpf.org/2007/opf">{metadata}<manifest>{nav}{items}</manifest><spine><itemref idref="nav"/>{spine}</spine></package>'


def epub(folder: Path, files: dict[str, str], name: str = "book.epub") -> str:
    with zipfile.ZipFile(folder / name, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("mimetype", "application/epub+zip")
        for each, text in {"META-INF/container.xml": CONTAINER, **files}.items():
            archive.writestr(each, text)
    return str(folder / name)


def pages(path: str) -> list[ParsedDocument]:
    return list(read([path]))


def test_pages_come_in_the_order_of_the_spine_with_what_the_book_says(tmp_path: Path) -> None:
    files = {
        "OPS/book.opf": package("text/b%20two.xhtml", "a.xhtml", "missing.xhtml"),
        "OPS/a.xhtml": PAGE.format("One", "a"),
        "OPS/text/b two.xhtml": PAGE.format("", "b"),
        "OPS/nav.xhtml": PAGE.format("Contents", "n"),
        "OPS/cover.xhtml": PAGE.format("Cover", "c"),
    }
    second, first = pages(epub(tmp_path, files))
    source = tmp_path.name
    assert second.document.id == f"{source}/book.epub/OPS/text/b two.xhtml"
    assert (second.document.title, first.document.title) == ("A book", "One")
    for page in (first, second):
        document = page.document
        assert (document.language, document.licence) == ("de", "http://creativecommons.org/licenses/by/4.0/")
        assert (document.kind, document.format) == ("textbook", "html")
    assert first.document.identifiers == (("isbn", "9783161484100"), ("book", "A book"))
    assert [page.occurrences[0].tex for page in (second, first)] == ["b", "a"]
    assert first.occurrences[0].window == "Here ⟦0⟧ is."


@pytest.mark.parametrize(
    ("item", "page"),
    [
        ('href="a.xhtml" media-type="application/xhtml+xml"', True), ('href="a%20b.html#part" media-type="text/html"', True), ('href="a.xhtml" media-type="image/svg+xml"', False),
        ('href="a.xhtml" media-type="application/xhtml+xml" properties="scripted nav"', False), ('href="a.xhtml" media-type="application/xhtml+xml" properties="navigation"', True), ('href="none.xhtml" media-type="text/html"', False),
    ],
)  # fmt: skip
def test_pages_of_a_book_are_those_of_its_spine_that_can_be_read(item: str, page: bool) -> None:
    text = f'<package xmlns="http://www.idpf.org/2007/opf"><manifest><item id="i" {item}/></manifest><spine><itemref idref="x"/><itemref idref="i"/></spine></package>'
    names = {name: zipfile.ZipInfo() for name in ("OPS/a.xhtml", "OPS/a b.html")}
    assert len(_spine_pages(parse_xml(text, "book.opf"), "OPS/book.opf", names)) == page


def test_a_book_has_twenty_thousand_pages() -> None:
    names = [f"{n}.xhtml" for n in range(20_001)]
    spine = parse_xml(package(*names), "book.opf")
    assert _spine_pages(spine, "OPS/book.opf", {f"OPS/{name}": zipfile.ZipInfo() for name in names}) == [
        f"OPS/{name}" for name in names[:-1]
    ]


def test_a_book_in_a_folder_is_found_and_a_zip_without_a_spine_is_an_archive(tmp_path: Path) -> None:
    files = {"OPS/book.opf": package(), "OPS/a.xhtml": PAGE.format("One", "a")}
    epub(tmp_path, files)
    assert [page.document.title for page in read([str(tmp_path)])] == ["One"]


@pytest.mark.parametrize("first", ["mimetype", "META-INF/container.xml"])
def test_a_book_whose_files_are_not_packed_is_no_office_file(tmp_path: Path, first: str) -> None:
    quoted = "" if first != "mimetype" else "See word/document.xml."
    files = {
        "mimetype": "application/epub+zip",
        "META-INF/container.xml": CONTAINER,
        "OPS/book.opf": package("a.xhtml"),
        "OPS/a.xhtml": PAGE.format("One", "a").replace("Here", f"{quoted} Here"),
    }
    with zipfile.ZipFile(tmp_path / "book.epub", "w", zipfile.ZIP_STORED) as archive:
        for name in sorted(files, key=lambda name: name != first):
            archive.writestr(name, files[name])
    (page,) = pages(str(tmp_path / "book.epub"))
    assert [each.tex for each in page.occurrences] == ["a"]


def test_names_that_lead_out_of_the_book_and_entities_lead_nowhere(tmp_path: Path) -> None:
    secret = tmp_path / "secret.xhtml"
    secret.write_text(PAGE.format("Secret", "s"))
    bomb = '<!DOCTYPE package [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;">]>'
    metadata = METADATA.replace("A book", "A &b; book")
    files = {
        "OPS/book.opf": bomb + package("../../secret.xhtml", "/etc/passwd", "a.xhtml", metadata=metadata),
        "OPS/a.xhtml": PAGE.format("", "a"),
    }
    (page,) = pages(epub(tmp_path, files))
    assert page.document.title == "A book"


def test_a_book_that_is_locked_or_a_bomb_says_so(tmp_path: Path) -> None:
    locked = '<encryption xmlns:enc="http://www.w3.org/2001/04/xmlenc#"><enc:CipherReference URI="OPS/a.xhtml"/></encryption>'
    files = {"OPS/book.opf": package("a.xhtml"), "OPS/a.xhtml": "x", "META-INF/encryption.xml": locked}
    with pytest.raises(SourceError, match="is locked: its pages are encrypted"):
        pages(epub(tmp_path, files))
    blank = PAGE.format("One", "a").replace("<p>", " " * (20 * 2**20) + "<p>")
    with pytest.raises(SourceError, match="unpacks to more than 300 times its size"):
        pages(epub(tmp_path, {"OPS/book.opf": package("a.xhtml"), "OPS/a.xhtml": blank}, "bomb.epub"))


def test_a_book_that_is_cut_off_is_no_book(tmp_path: Path) -> None:
    path = Path(epub(tmp_path, {"OPS/book.opf": package("a.xhtml"), "OPS/a.xhtml": PAGE.format("One", "a")}))
    path.write_bytes(io.BytesIO(path.read_bytes()).read(400))
    with pytest.raises(SourceError, match="the archive is cut off or damaged"):
        pages(str(path))
