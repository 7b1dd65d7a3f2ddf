"""MediaWiki XML export to documents, page by page from a stream; only a damaged page is skipped.

Pages are cut out at `<page>` before they are parsed: a dump may lack its root, and a DTD in it is never seen by a parser.
"""

import hashlib
import re
from collections.abc import Iterator
from typing import cast
from urllib.parse import quote, urlsplit

from lxml import etree

from bot.corpus.archives import ReadableStream
from bot.corpus.decode import decode, language_code
from bot.corpus.draft import DocumentFormulas, NoArticle, Notice
from bot.corpus.wikitext import CONTENT_NAMESPACES, article, without_namespace
from bot.corpus.xml_parsing import Element, text_of, xml_parser
from bot.errors import DocumentError, short_text
from bot.messages import Message
from bot.records import Document

_CHUNK = 2**20
_MAX_BYTES = 32 * 2**20  # of one page; MediaWiki itself stops at 2 MB of text
_START, _END = b"<page>", b"</page>"
_START_TAG = re.compile(rb"<page(?:\s[^<>]*)?>")
_FIELD = re.compile(rb"<(base|sitename|dbname)>([^<]*)</\1>")
_LANGUAGE = re.compile(rb"<mediawiki\b[^>]*xml:lang=[\"']([\w-]+)")
_NAMESPACE = re.compile(rb"<namespace\b[^>]*\bkey=[\"'](\d+)[\"'][^>]*>([^<]*)<")
# `dewiki-20130602-pages.xml`: pages that were cut out of a dump have its language in their file's name alone.
_NAME_OF_DUMP = re.compile(r"(?:.*/)?([a-z]{2,3})wiki(?:books|versity|quote|source|news|voyage)?-")
_LICENCE = re.compile(rb"<(?:rights|license|licence)\b[^>]*>([^<]+)<")
# A recovering parser drops the line behind a bare ampersand.
_BARE_AMPERSAND = re.compile(r"&(?!(?:amp|lt|gt|quot|apos|#\d+|#x[0-9a-fA-F]+);)")


def read_dump(
    stream: ReadableStream, path: str, on_skip: Notice, on_ignore: Notice
) -> Iterator[tuple[str, DocumentFormulas]]:
    """Yield (digest of the page, document, occurrences). Redirects, talk pages and templates go to `on_ignore`."""
    site = _Site()
    if named := _NAME_OF_DUMP.match(path):
        site.language = named[1]
    count = 0
    for count, (raw, whole) in enumerate(_pages(stream, site), 1):
        label = f"#page {count}"
        try:
            if not whole:
                raise DocumentError("file_ends")
            page = _Page(raw)
            label = f"#{page.title}"
            found = _article(page, site, path)
        except NoArticle as error:
            on_ignore(label, error.message)
        except DocumentError as error:
            on_skip(label, error.message)
        except Exception as error:  # a fault of the reader on this page: the others are read
            on_skip(label, Message("error.unreadable", reason=short_text(error)))
        else:
            yield hashlib.sha256(raw).hexdigest()[:40], found
    if not count:
        on_skip("", Message("unread.no_page"))


class _Site:
    """The wiki's address, language and licence, from the head of the dump."""

    def __init__(self) -> None:
        self.base = self.language = self.licence = ""
        self.content = {"0"}  # namespaces of articles

    def read_site_info(self, head: bytes) -> None:
        fields = {name.decode(): value.decode("utf-8", "replace").strip() for name, value in _FIELD.findall(head)}
        self.base = fields.get("base", self.base)
        names = ((key.decode(), name.decode("utf-8", "replace").lower()) for key, name in _NAMESPACE.findall(head))
        self.content |= {key for key, name in names if name in CONTENT_NAMESPACES}
        if found := _LANGUAGE.search(head):
            self.language = language_code(found[1].decode())
        if found := _LICENCE.search(head):
            self.licence = found[1].decode("utf-8", "replace").strip()

    def url(self, title: str, revision: str) -> str:
        """Return the permanent address of a revision, in the folder of the main page that the dump names; "" if it names none."""
        parts = urlsplit(self.base)
        if not parts.netloc:
            return ""
        folder = parts.path.rpartition("/")[0] or "/wiki"
        permanent = f"?oldid={revision}" if revision.isdigit() else ""
        return f"{parts.scheme}://{parts.netloc}{folder}/{quote(title.replace(' ', '_'), safe=':/(),')}{permanent}"


class _Page:
    """One `<page>` element, parsed strictly, or mended where title and text survive."""

    def __init__(self, raw: bytes) -> None:
        text = decode(raw, "")
        root = _parse(text, recover=False)
        if root is None:
            root = _parse(_BARE_AMPERSAND.sub("&amp;", text), recover=True)
        self.title = " ".join(root.findtext("title", "").split()) if root is not None else ""
        if root is None or not self.title:
            raise DocumentError("broken_no_title")
        # A dump with the history of its pages has the newest revision last, an export may have it first.
        revisions = [each for each in root.iter("revision") if each.find("text") is not None]
        if not revisions:
            raise DocumentError("broken_page")
        *_, revision = sorted(revisions, key=lambda each: each.findtext("timestamp", ""))
        self.text = text_of(cast(Element, revision.find("text")))
        self.revision = revision.findtext("id", "").strip()
        self.namespace = root.findtext("ns", "0").strip()
        self.redirect = root.find("redirect") is not None
        self.model = revision.findtext("model", "").strip()


def _parse(text: str, *, recover: bool) -> Element | None:
    try:
        return etree.fromstring(text.encode(), xml_parser(recover=recover))
    except etree.XMLSyntaxError:
        return None


def _article(page: _Page, site: _Site, path: str) -> DocumentFormulas:
    if page.redirect:
        raise NoArticle("redirect")
    if page.namespace not in site.content:
        raise NoArticle("other_namespace", namespace=page.namespace)
    if page.model not in ("", "wikitext"):
        raise NoArticle("no_wikitext", model=page.model)
    id, language, url = f"{path}#{page.title}", site.language or "en", site.url(page.title, page.revision)
    document = Document(id, without_namespace(page.title), language, site.licence, url, kind="encyclopaedia")
    return article(page.text, document)


def _pages(stream: ReadableStream, site: _Site) -> Iterator[tuple[bytes, bool]]:
    """Yield (bytes of a page, whether its end was found)."""
    buffer = b""
    inside = first = False
    while chunk := stream.read(_CHUNK):
        searched = max(0, len(buffer) - 16)  # nothing before it can be new
        buffer += chunk
        while True:
            if not inside:
                start = _START_TAG.search(buffer)
                if start is None:
                    buffer = buffer[-64:] if first else buffer[-_CHUNK:]
                    break
                if not first:
                    site.read_site_info(buffer[: start.start()])
                    first = True
                buffer, inside, searched = buffer[start.start() :], True, 0
            end = buffer.find(_END, searched)
            if end < 0:
                if len(buffer) > _MAX_BYTES:
                    yield buffer[:_CHUNK], False
                    buffer, inside = b"", False
                break
            yield buffer[: end + len(_END)], True
            buffer, inside = buffer[end + len(_END) :], False
    if inside:
        yield buffer, False
