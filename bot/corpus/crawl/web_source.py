"""Pages of a web site: an index page with what it links to below its own path, or what a site map lists (sitemaps.org)."""

import gzip
import io
import re
from collections.abc import Iterator
from dataclasses import replace
from urllib.parse import unquote, urljoin, urlsplit, urlunsplit

from lxml import etree, html
from requests.utils import requote_uri

from bot.corpus.crawl.fetcher import CrawlSource, FetchedDocument, Fetcher, ForbiddenAddress, Target, UnsupportedContent
from bot.corpus.crawl.journal import Journal, file_name
from bot.corpus.decode import declared_encoding
from bot.corpus.manifest import ManifestRow
from bot.corpus.xml_parsing import element_name, one_line_text, xml_parser
from bot.errors import InputError, LookupFailed
from bot.lookup.exchange import HttpAnswer
from bot.messages import Message
from bot.settings import CrawlOrder, Settings, is_web_address
from bot.wikibase import Json

_HTML_NAMES = (".html", ".htm", ".xhtml", ".xht")
# Links to these are not followed: no reader reads them.
_SKIPPED_SUFFIXES = (
    ".png", ".jpg", ".jpeg", ".gif", ".svg", ".webp", ".ico", ".css", ".js", ".mjs", ".woff", ".woff2", ".ttf", ".eot", ".otf", ".pdf", ".ps", ".eps",
    ".mp3", ".mp4", ".webm", ".ogg", ".avi", ".mov", ".exe", ".dmg", ".doc", ".docx", ".ppt", ".pptx", ".xls", ".xlsx", ".epub",
)  # fmt: skip
_HTML = re.compile(rb"<(?:!doctype\s+html|html|body)\b", re.I)  # where the site does not say what it sends
_MAX_MAPS = 500  # site maps of one index, chosen; 50,000 are allowed
_MAX_BYTES = 50 << 20  # of a site map unpacked, as sitemaps.org allows


class _WebPages(CrawlSource):
    """What pages and site maps share: an answer is kept as it came, under its address."""

    source = ""

    def __init__(self, order: CrawlOrder, settings: Settings, fetcher: Fetcher, journal: Journal) -> None:
        super().__init__(order, settings, fetcher, journal)
        self._start = normalised_address(order.url)

    def document_of(self, target: Target, answer: HttpAnswer) -> FetchedDocument:
        """Return the answer as it is kept."""
        kind = answer.headers.get("Content-Type", "").partition(";")[0].strip().lower()
        is_html = kind in ("text/html", "application/xhtml+xml") if kind else bool(_HTML.search(answer.body[:2048]))
        row = replace(target.known, path=file_path_of(answer.url or target.url, is_html))
        return FetchedDocument(row, answer.body)

    def _target(self, url: str, depth: int = 0) -> Target:
        return Target(url, ManifestRow(url, self.source), depth=depth)


class WebFolder(_WebPages):
    """An index page and its links below its path, followed to `depth`."""

    source = "http"
    follows_links = True

    def targets(self) -> Iterator[Target]:
        """Yield the index page; the others come as its links."""
        yield self._target(self._start)

    def links(self, target: Target, row: ManifestRow, data: bytes) -> Iterator[Target]:
        """Yield the links of a stored page below the path of the index page, in order."""
        if target.depth > self._order.depth or not row.path.endswith(_HTML_NAMES):
            return
        index = self._journal.rows.get(self._start)
        # `/lectures` may lead to `/lectures/`, or to https: what is below that is the site's folder.
        start = index.final_url if index is not None and index.final_url else row.final_url or self._start
        prefix = start.rpartition("/")[0] + "/"
        for url in links_of(data, row.final_url or target.url):
            if url.startswith(prefix) and not urlsplit(url).path.lower().endswith(_SKIPPED_SUFFIXES):
                yield self._target(url, target.depth + 1)


class SiteMap(_WebPages):
    """The pages that a site map, or the site maps of an index, list on their own host."""

    source = "sitemap"

    def targets(self) -> Iterator[Target]:
        """Yield the pages in the order of the maps. Raises LookupFailed where the first map cannot be read."""
        first = self._map(self._start)
        yield from self._pages_in_map(first)
        for address in first["maps"][:_MAX_MAPS]:
            if not _is_same_site(address, self._start):
                self.problems.append((address, Message("unread.other_map")))
                continue
            try:
                found = self._map(address)
                if found["maps"]:
                    raise LookupFailed("other_root", root="sitemapindex", where=address, todo="check_address")
                yield from self._pages_in_map(found)
            except (LookupFailed, ForbiddenAddress, UnsupportedContent) as error:
                self.problems.append((address, error.message))

    def _pages_in_map(self, found: Json) -> Iterator[Target]:
        for url in found["pages"]:
            if not _is_same_site(url, self._start):
                self.problems.append((url, Message("unread.other_host")))
            else:
                yield self._target(url)

    def _map(self, address: str) -> Json:
        def ask() -> Json:
            answer = self._fetcher.get(address)
            if answer.status != 200:
                raise LookupFailed("site_map_http", status=answer.status, where=address, todo="check_address")
            return read_site_map(answer.body, address)

        return self._journal.answer_once(f"map {address}", ask)


def read_site_map(data: bytes, address: str) -> Json:
    """Return {"pages", "maps"} of a site map or an index of them, packed or not. Raises LookupFailed for anything else."""
    try:
        if data.startswith(b"\x1f\x8b"):
            data = gzip.GzipFile(fileobj=io.BytesIO(data)).read(_MAX_BYTES + 1)
        if len(data) > _MAX_BYTES:
            raise LookupFailed("large_unpacked", most=_MAX_BYTES >> 20, where=address)
        root = etree.fromstring(data, xml_parser())
    except (OSError, EOFError, ValueError, etree.XMLSyntaxError):
        raise LookupFailed("broken_site_map", where=address, todo="check_address") from None
    if element_name(root) not in ("urlset", "sitemapindex"):
        raise LookupFailed("other_root", root=element_name(root), where=address, todo="check_address")
    found = [one_line_text(loc) for entry in root for loc in entry if element_name(loc) == "loc"]
    urls = list(dict.fromkeys(_address(url) for url in found if _is_web(url)))
    return {"pages": urls, "maps": []} if element_name(root) == "urlset" else {"pages": [], "maps": urls}


def links_of(data: bytes, base: str) -> Iterator[str]:
    """Yield the addresses that a page links to, each once, without fragment; those with a query are left out, as they may be endless."""
    try:
        tree = html.document_fromstring(data, parser=html.HTMLParser(encoding=_undeclared_encoding(data)))
    except (etree.ParserError, ValueError, etree.XMLSyntaxError):
        return
    stated = tree.find(".//base[@href]")
    base = urljoin(base, stated.get("href", "")) if stated is not None else base
    seen = set()
    for link in tree.iterfind(".//a[@href]"):
        try:
            url = _address(urljoin(base, link.get("href", "").strip()))
        except ValueError:
            continue
        if _is_web(url) and "?" not in url and url not in seen:
            seen.add(url)
            yield url


def _undeclared_encoding(data: bytes) -> str | None:
    """Return "utf-8" for a page in UTF-8 that does not say so: lxml takes it for Latin-1; None for what lxml is to find out."""
    try:
        data.decode()
    except UnicodeDecodeError:
        return None
    return None if declared_encoding(data) else "utf-8"


def normalised_address(url: str) -> str:
    """Return an address without its fragment, its path not empty. Raises InputError for what is not an http or https address."""
    if not _is_web(url):
        raise InputError("no_http_address", where=url, todo="check_address")
    parts = urlsplit(url)
    return _address(urlunsplit((parts.scheme.lower(), parts.netloc.lower(), parts.path or "/", parts.query, "")))


def file_path_of(url: str, is_html: bool) -> str:
    """Return the path of a page's file: its host and path, `index.html` for a folder, a query as part of the name."""
    parts = urlsplit(url)
    *folders, last = unquote(parts.path).removeprefix("/").split("/")
    last = last or "index.html"
    if parts.query:
        last = f"{last}?{parts.query}"
    suffix = "" if not is_html or last.lower().endswith(_HTML_NAMES) else ".html"
    names = [file_name(each or "_") for each in (parts.netloc, *folders)]
    return "/".join([*names, file_name(last, suffix)])


def _address(url: str) -> str:
    """Return an address without fragment, written in one way: `%61.html` is `a.html`, `ö` is `%C3%B6`."""
    return str(requote_uri(url.partition("#")[0]))


def _is_web(url: str) -> bool:
    return is_web_address(url) and not urlsplit(url).username


def _is_same_site(url: str, start: str) -> bool:
    return urlsplit(url)[:2] == urlsplit(start)[:2]
