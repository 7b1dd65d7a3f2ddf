"""What a publication is cited by: read from Crossref's answer on a DOI, or from a BibTeX entry that a person pastes."""

import html
import json
import logging
import re
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from bot.errors import InputError
from bot.lookup.endpoints import Endpoint

AUTHORS = 10  # of one reference, chosen: collaborations have thousands
_MAX_STRING_LENGTH = 1500  # characters of a string on Wikibase
_LANGUAGES = {"english": "en", "american": "en", "british": "en", "german": "de", "ngerman": "de", "french": "fr", "spanish": "es", "italian": "it"}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Publication:
    """A publication's identifiers and fields; "" or () where it has none. `day` is as Wikibase writes a time, 00 for what is not known."""

    doi: str = ""
    arxiv: str = ""
    url: str = ""
    title: str = ""
    language: str = ""  # of the title, a code
    authors: tuple[str, ...] = ()
    day: str = ""
    pages: str = ""


class Crossref(Endpoint):
    """The REST API of Crossref (https://api.crossref.org/swagger-ui/index.html); who names a contact is answered sooner."""

    service = "registry of DOIs"

    def publication(self, doi: str, contact: str) -> Publication | None:
        """Return the publication with a DOI, None where Crossref has registered none. Raises LookupFailed."""
        return self._with_retries(lambda: self._attempt(doi, contact))

    def _attempt(self, doi: str, contact: str) -> Publication | None:
        mail = {"mailto": contact} if "@" in contact else {}
        address = f"{self._address.rstrip('/')}/works/{quote(doi, safe='')}"
        answer = self._answer("GET", address, accepted=(200, 404), params=mail)
        if answer.status == 404:
            return None
        try:
            found = from_crossref(json.loads(answer.body)["message"])
        except (ValueError, KeyError, TypeError, AttributeError, IndexError, RecursionError):
            raise self._failure("no_publication") from None
        if found.doi.upper() != doi.upper():
            raise self._failure("other_doi", doi=repr(found.doi[:80]))
        return found


def from_crossref(message: Any) -> Publication:
    """Return the publication of a message of Crossref; fields of another shape raise what Python raises."""
    # An organisation among the authors has a `name`, and may be an affiliation.
    names = (" ".join(filter(None, (each.get("given"), each.get("family")))) for each in message.get("author") or ())
    return Publication(
        doi=str(message["DOI"]),
        title=_plain(next(iter(message.get("title") or ()), "")),
        language=str(message.get("language") or ""),
        authors=tuple(_plain(name) for name in names if name)[:AUTHORS],
        day=_day(*((message.get("issued") or {}).get("date-parts") or [[]])[0]),
        pages=_plain(message.get("page") or message.get("article-number") or ""),
    )


def from_bibtex(text: str) -> Publication:
    """Return the publication of the one BibTeX entry in a text. Raises InputError for none, several or a broken one."""
    from bibtexparser import middlewares as steps
    from bibtexparser.entrypoint import parse_string  # with what it needs it takes long to load
    from pylatexenc.latex2text import LatexNodes2Text

    logging.getLogger("bibtexparser").setLevel(logging.CRITICAL)  # what it would print of broken entries is raised here
    names = (steps.SeparateCoAuthors(), steps.SplitNameParts(), steps.MergeNameParts(style="first"))
    try:
        read = parse_string(text, append_middleware=[steps.MonthIntMiddleware(), *names])
        if read.failed_blocks or len(read.entries) != 1:
            raise InputError("bibtex", n=len(read.entries))
        fields: dict[str, Any] = {name.lower(): field.value for name, field in read.entries[0].fields_dict.items()}
        decoder = LatexNodes2Text(math_mode="verbatim", keep_comments=True)
        decoded = {name: decoder.latex_to_text(value) for name, value in fields.items() if isinstance(value, str)}
        authors = tuple(decoder.latex_to_text(name) for name in fields.get("author") or ())
    except InputError:
        raise
    except Exception:  # the libraries raise errors of many kinds for text that is not BibTeX
        raise InputError("bibtex", n=0) from None
    date = re.findall(r"\d+", decoded.get("date", "")) or [decoded.get("year", ""), fields.get("month", ""), ""]
    eprint = decoded.get("archiveprefix", decoded.get("eprinttype", "arXiv")).lower() == "arxiv"
    language = decoded.get("langid", decoded.get("language", "")).lower()
    return Publication(
        doi=decoded.get("doi", ""),
        arxiv=decoded.get("eprint", "") if eprint else "",
        url=fields.get("url", "").strip() if isinstance(fields.get("url"), str) else "",
        title=_line(decoded.get("title", "")),
        language=_LANGUAGES.get(language, language),
        authors=tuple(_line(name) for name in authors if name.lower() != "others")[:AUTHORS],
        day=_day(*(int(part) if str(part).isdecimal() else None for part in date[:3])),
        pages=_line(decoded.get("pages", "")),
    )


def _plain(text: str) -> str:
    """Return a text of Crossref, which may have markup, as one plain line."""
    return _line(html.unescape(re.sub(r"</?[A-Za-z][^<>]*>", "", str(text))))


def _line(text: str) -> str:
    return " ".join(text.split())[:_MAX_STRING_LENGTH]


def _day(year: int | None = None, month: int | None = None, day: int | None = None, *_: object) -> str:
    """Return a date of the Gregorian calendar as Wikibase writes it, with what is known of it; "" for none."""
    if not year or not 1583 <= year <= 9999:
        return ""
    month = month if month and 1 <= month <= 12 else 0
    day = day if month and day and 1 <= day <= 31 else 0
    return f"+{year:04d}-{month:02d}-{day:02d}T00:00:00Z"
