"""Articles of Wikimedia Enterprise (a snapshot or an API's answer), one JSON object a line: their HTML, else their wikitext."""

import hashlib
import json
from collections.abc import Iterator
from dataclasses import replace

from bot.corpus.archives import ReadableStream, limited_lines
from bot.corpus.decode import language_code
from bot.corpus.draft import DocumentFormulas, NoArticle, Notice
from bot.corpus.html.mediawiki_html import html_article
from bot.corpus.wikitext import article
from bot.errors import DocumentError, short_text
from bot.messages import Message
from bot.records import Document
from bot.wikibase import is_item_id

_MAX_BYTES = 64 * 2**20  # of one line; the largest pages have 20 MB


def read_enterprise(
    stream: ReadableStream, path: str, on_skip: Notice, on_ignore: Notice
) -> Iterator[tuple[str, DocumentFormulas]]:
    """Yield (digest of the line, document, occurrences). Pages of other namespaces go to `on_ignore`."""
    stripped = (line and line.strip() for line in limited_lines(stream, _MAX_BYTES))
    for number, line in enumerate((line for line in stripped if line != b""), 1):
        label = f"#line {number}"
        try:
            if line is None:
                raise DocumentError("long_line", most=_MAX_BYTES >> 20)
            row = _row(line)
            if not isinstance(row, dict) or not isinstance(row.get("name"), str):
                raise DocumentError("no_named_object")
            label = f"#{row['name']}"
            document, occurrences = _article(row, path)
        except NoArticle as error:
            on_ignore(label, error.message)
        except DocumentError as error:
            on_skip(label, error.message)
        except Exception as error:  # a fault of the reader on this page: the others are read
            on_skip(label, Message("error.unreadable", reason=short_text(error)))
        else:
            if document.unread:
                on_skip(label, document.unread)
            yield hashlib.sha256(line).hexdigest()[:40], (document, occurrences)


def _row(line: bytes) -> object:
    """Return what a line holds. Raises DocumentError where it is no JSON."""
    try:
        return json.loads(line)
    except (ValueError, RecursionError) as error:
        raise DocumentError("no_json", reason=" ".join(str(error).split())[:100]) from None


def _article(row: dict[str, object], path: str) -> DocumentFormulas:
    title = " ".join(str(row["name"]).split())
    if _object_field(row, "namespace").get("identifier") not in (None, 0):
        raise NoArticle("other_namespace", namespace=str(_object_field(row, "namespace").get("identifier")))
    body, id = _object_field(row, "article_body"), f"{path}#{title}"
    page, text = body.get("html"), body.get("wikitext")
    if isinstance(page, str) and page.strip():
        document, occurrences = html_article(page, id, title)
    elif isinstance(text, str):
        document, occurrences = article(text, Document(id, title, kind="encyclopaedia"))
    else:
        raise DocumentError("neither_html")
    language = language_code(str(_object_field(row, "in_language").get("identifier") or ""))
    qid, revision = _object_field(row, "main_entity").get("identifier"), _object_field(row, "version").get("identifier")
    identifiers = {"qid": str(qid) if is_item_id(str(qid)) else "", "revision": str(revision or "")}
    return replace(
        document,
        language=language or document.language,
        licence=_licence(row.get("license")) or document.licence,
        url=str(row.get("url") or document.url),
        identifiers=tuple((scheme, value) for scheme, value in identifiers.items() if value),
    ), occurrences


def _object_field(row: dict[str, object], key: str) -> dict[str, object]:
    found = row.get(key)
    return found if isinstance(found, dict) else {}


def _licence(stated: object) -> str:
    """Return the address or else the name of the first licence."""
    first = stated[0] if isinstance(stated, list) and stated else stated
    found = first if isinstance(first, dict) else {}
    return str(found.get("url") or found.get("name") or found.get("identifier") or "")
