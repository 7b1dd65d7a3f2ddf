"""The package document of an EPUB: its pages in reading order, and the book's title, language and licence."""

import posixpath
import re
import zipfile
from dataclasses import dataclass, replace
from typing import IO
from urllib.parse import unquote

from lxml import etree

from bot.corpus import archives
from bot.corpus.decode import language_code
from bot.corpus.xml_parsing import Element, one_line_text, replace_named_entities, without_doctype, xml_parser
from bot.errors import DocumentError
from bot.records import Document

_CONTAINER = "META-INF/container.xml"
_ENCRYPTION = "META-INF/encryption.xml"
_PAGES = ("application/xhtml+xml", "text/html", "application/x-dtbook+xml", "text/x-oeb1-document")
_ADDRESS = re.compile(r"https?://[^\s<>\"')\]]*[^\s<>\"')\].,;]")
_DOI = re.compile(r"(?:doi:|urn:doi:|https?://(?:dx\.)?doi\.org/)?(10\.\d{4,9}/\S+)", re.I)
_ISBN = re.compile(r"(?:urn:isbn:|isbn:?\s*)?((?:97[89][- ]?)?(?:\d[- ]?){9}[\dXx])", re.I)
_LICENCES = ("dcterms:license", "schema:license", "cc:license", "dcterms:rights")
_MAX_PAGES = 20_000


@dataclass(frozen=True, slots=True)
class EpubBook:
    """A book: the names of its pages in the archive, in reading order."""

    pages: tuple[str, ...]
    title: str = ""
    language: str = ""
    licence: str = ""
    url: str = ""
    identifiers: tuple[tuple[str, str], ...] = ()

    def with_book_metadata(self, document: Document) -> Document:
        """Return a page's document, with the book's metadata where the page has none (its title may be only the file name)."""
        stem = posixpath.splitext(posixpath.basename(document.id))[0]
        own = document.title if document.title != stem else ""
        titled = (("book", self.title),) if self.title and self.title != own else ()
        return replace(
            document,
            title=own or self.title or document.title,
            language=self.language or document.language,
            licence=document.licence or self.licence,
            url=document.url or self.url,
            kind="textbook",
            identifiers=(*document.identifiers, *(pair for pair in self.identifiers if pair[0] not in dict(document.identifiers)), *titled),
        )  # fmt: skip


def epub_book(stream: IO[bytes], path: str) -> EpubBook | None:
    """Return the book if a zip archive is an EPUB, else None. Raises DocumentError for an encrypted one."""
    with zipfile.ZipFile(stream) as archive:
        names = {info.filename: info for info in archive.infolist()}
        if _CONTAINER not in names:
            return None
        container = _parse_member(archive, names[_CONTAINER], path)
        root = container.find(".//{*}rootfile") if container is not None else None
        package_path = unquote(root.get("full-path", "")) if root is not None else ""
        package = _parse_member(archive, names[package_path], path) if package_path in names else None
        if package is None:
            return None
        pages = _spine_pages(package, package_path, names)
        locked = _encrypted_files(archive, names, path)
        if pages and locked >= set(pages):
            raise DocumentError("locked_pages", where=path)
        return _book_of_package(package, tuple(page for page in pages if page not in locked)) if pages else None


def _parse_member(archive: zipfile.ZipFile, info: zipfile.ZipInfo, path: str) -> Element | None:
    with archive.open(info) as file:
        data = archives.read_whole(file, path, info.compress_size)
    try:
        text = replace_named_entities(without_doctype(data.decode("utf-8-sig", "replace")))
        return etree.fromstring(text.encode(), xml_parser(recover=True, elements_only=True))
    except etree.XMLSyntaxError:
        return None


def _spine_pages(package: Element, package_path: str, names: dict[str, zipfile.ZipInfo]) -> list[str]:
    """Return the pages of the spine, without the table of contents."""
    items = {str(item.get("id")): item for item in package.iterfind("{*}manifest/{*}item")}
    found: dict[str, None] = {}
    for reference in package.iterfind("{*}spine/{*}itemref"):
        item = items.get(str(reference.get("idref")))
        if item is None or "nav" in str(item.get("properties", "")).split() or item.get("media-type") not in _PAGES:
            continue
        address = unquote(str(item.get("href", "")).partition("#")[0])
        name = posixpath.normpath(posixpath.join(posixpath.dirname(package_path), address))
        if name in names and len(found) < _MAX_PAGES:
            found[name] = None
    return list(found)


def _encrypted_files(archive: zipfile.ZipFile, names: dict[str, zipfile.ZipInfo], path: str) -> set[str]:
    encryption = _parse_member(archive, names[_ENCRYPTION], path) if _ENCRYPTION in names else None
    stated = encryption.iter("{*}CipherReference") if encryption is not None else ()
    return {name for name, info in names.items() if info.flag_bits & 1} | {unquote(s.get("URI", "")) for s in stated}


def _book_of_package(package: Element, pages: tuple[str, ...]) -> EpubBook:
    metadata = package.find("{*}metadata")
    if metadata is None:
        return EpubBook(pages)
    texts = {
        tag: [text for each in metadata.iter(f"{{*}}{tag}") if (text := one_line_text(each))]
        for tag in ("title", "language", "rights", "identifier", "source")
    }
    metas = (each for each in metadata.iter("{*}meta") if each.get("property") in _LICENCES)
    links = (each for each in metadata.iter("{*}link") if each.get("rel") in _LICENCES)
    rights = [one_line_text(each) or str(each.get("content", "")) for each in metas]
    rights += [*(str(each.get("href", "")) for each in links), *texts["rights"]]
    address = next((found[0] for right in rights if (found := _ADDRESS.search(right))), "")
    identifiers: dict[str, str] = {}
    for identifier in (*texts["identifier"], *texts["source"]):
        if found := _DOI.fullmatch(identifier):
            identifiers.setdefault("doi", found[1])
        elif found := _ISBN.fullmatch(identifier):
            identifiers.setdefault("isbn", re.sub("[- ]", "", found[1]))
    urls = (text for text in (*texts["source"], *texts["identifier"]) if _ADDRESS.fullmatch(text))
    return EpubBook(
        pages=pages,
        title=next(iter(texts["title"]), ""),
        language=language_code(next(iter(texts["language"]), "")),
        licence=address or next(iter(rights), ""),
        url=next(urls, f"https://doi.org/{identifiers['doi']}" if "doi" in identifiers else ""),
        identifiers=tuple(identifiers.items()),
    )
