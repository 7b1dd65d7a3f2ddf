"""JSON lines of formulas with what is known of their place to documents: one row a formula, many documents a file.

The names of fields are those of the NTCIR catalogues of formulas, of the data of the paper, and of our own exports.
"""

import hashlib
import json
import re
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing
from pathlib import PurePosixPath

from bot.corpus import arxiv
from bot.corpus.archives import ReadableStream, limited_lines
from bot.corpus.decode import language_code
from bot.corpus.draft import DocumentFormulas, Notice, squeeze
from bot.errors import DocumentError
from bot.formula.tex.clean import clean
from bot.messages import Message
from bot.records import MASK_CLOSE, MASK_OPEN, Document, Occurrence, is_text

_TEX = ("tex", "formula", "latex", "TeX")
_DOCUMENT = ("document", "doc", "file", "paper", "article", "page")
_WINDOW = ("window", "words", "window500", "surrounding_words", "context", "sentence", "text")
_TITLE = ("title", "document_title")
_KINDS = ("encyclopaedia", "textbook", "paper")
_MAX_ROW_BYTES = 16 * 2**20  # bytes of one row
_MAX_ROWS_NAMED = 20  # bad rows that are named one by one
# What a stripper of markup leaves of references and annotations among the words.
MARKUP = frozenset("xref xre xr ref id ci cit cite annotationxml mannotationxml ionxml bibref ie eg al et".split())
_TEX_IN_WORD = re.compile(r"[\\{}^_=$]")
_MASK = re.compile(f"{MASK_OPEN}(\\d+){MASK_CLOSE}")
_SUFFIX = re.compile(r"\.(?:tei|xml|html?|xhtml|tex|txt|pdf|json)\Z", re.I)


def read_formula_rows(
    stream: ReadableStream, path: str, on_skip: Notice, on_ignore: Notice
) -> Iterator[tuple[str, DocumentFormulas]]:
    """Yield (digest of its rows, document, occurrences), documents in the order of their first rows.

    A row that is not a JSON object, has no formula or is too long goes to `on_skip` with the number of its line.
    """
    with closing(sqlite3.connect("")) as rows:  # a temporary file, where there is more than memory should hold
        rows.execute(
            "CREATE TABLE row (document INTEGER, line INTEGER, row TEXT, PRIMARY KEY (document, line)) WITHOUT ROWID"
        )
        rows.executemany("INSERT INTO row VALUES (?, ?, ?)", _valid_rows(stream, on_skip))
        group: list[dict[str, object]] = []
        last = -1
        for document, row in rows.execute("SELECT document, row FROM row ORDER BY document, line"):
            if document != last and group:
                yield _document(group, path)
                group = []
            last = document
            group.append(json.loads(row))
        if group:
            yield _document(group, path)


def _valid_rows(stream: ReadableStream, on_skip: Notice) -> Iterator[tuple[int, int, str]]:
    """Yield (number of the document, number of the line, row) for each row that is sound."""
    documents: dict[str, int] = {}
    bad = 0
    for number, line in enumerate(limited_lines(stream, _MAX_ROW_BYTES), 1):
        try:
            row = _row(line)
        except DocumentError as error:
            bad += 1
            if bad <= _MAX_ROWS_NAMED:
                on_skip(f"#line {number}", error.message)
            continue
        if row:
            name = _first_text(row, _DOCUMENT)
            yield documents.setdefault(name, len(documents)), number, json.dumps(row)
    if bad > _MAX_ROWS_NAMED:
        on_skip("", Message("unread.more_rows", n=bad - _MAX_ROWS_NAMED))


def _row(line: bytes | None) -> dict[str, object]:
    """Return a row, empty for a blank line. Raises DocumentError for one that cannot be used."""
    if line is None:
        raise DocumentError("long_line", most=_MAX_ROW_BYTES >> 20)
    try:
        text = line.decode("utf-8-sig").strip()
        row = json.loads(text) if text else {}
    except UnicodeDecodeError as error:
        raise DocumentError("no_utf8", byte=line[error.start]) from None
    except (ValueError, RecursionError) as error:
        raise DocumentError("no_json", reason=" ".join(str(error).split())[:100]) from None
    if not isinstance(row, dict):
        raise DocumentError("no_json_object")
    if row and not any(isinstance(row.get(name), str) and row[name].strip() for name in _TEX):
        raise DocumentError("row_without_tex", names=", ".join(_TEX[:3]))
    if not is_text(text) or ("\\ud" in text.lower() and not is_text(*(str(value) for value in row.values()))):
        raise DocumentError("half_character")
    return row


def _document(rows: list[dict[str, object]], path: str) -> tuple[str, DocumentFormulas]:
    first = rows[0]
    name = _first_text(first, _DOCUMENT)
    number = arxiv.arxiv_id(name)
    title = next((title for title in (_first_text(row, _TITLE) for row in rows) if title), "")
    kind = _first_text(first, ("kind",))
    document = Document(
        id=f"{path}#{name}" if name else path,
        title=title or ("" if number else _SUFFIX.sub("", PurePosixPath(name or path).name).replace("_", " ")),
        language=language_code(_first_text(first, ("language", "lang"))) or "en",
        licence=_first_text(first, ("licence", "license")),
        url=_first_text(first, ("url",)) or arxiv.abstract_url(number),
        kind=kind if kind in _KINDS else "paper" if number else "",
        identifiers=(("arxiv", number),) if number else (),
    )
    stated_positions = [n for n in (row.get("position") for row in rows) if isinstance(n, int) and n >= 0]
    own = len(set(stated_positions)) == len(rows)
    occurrences = []
    for position, row in zip(stated_positions if own else range(len(rows)), rows, strict=True):
        if tex := clean(_first_text(row, _TEX)):
            window, heading = _window(row, own), _first_text(row, ("heading", "section"))
            display = row.get("display") is True
            occurrences.append(Occurrence(document.id, position, tex, display, window, heading))
    digest = hashlib.sha256(json.dumps(rows, sort_keys=True).encode()).hexdigest()[:40]
    return digest, (document, tuple(occurrences))


def _first_text(row: Mapping[str, object], names: tuple[str, ...]) -> str:
    """Return the first of these fields that holds a text or a whole number, as text."""
    values = (row.get(name) for name in names)
    found = (str(value).strip() for value in values if isinstance(value, str | int) and not isinstance(value, bool))
    return next(filter(None, found), "")


def _window(row: Mapping[str, object], own: bool) -> str:
    """Return the text around a formula, or the words of it, without what is left of markup.

    Masks stay where the rows' own positions do: nobody knows otherwise which formulas they stand for.
    """
    for name in _WINDOW:
        value = row.get(name)
        if isinstance(value, list):
            words = (word for word in value if isinstance(word, str))
            return squeeze(" ".join(w for w in words if w not in MARKUP and not _TEX_IN_WORD.search(w)))
        if isinstance(value, str) and value.strip():
            return squeeze(value if own else _MASK.sub("…", value))
    return ""
