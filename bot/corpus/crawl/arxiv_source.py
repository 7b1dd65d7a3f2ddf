"""Papers of arXiv: their records by OAI-PMH (licence, title, DOI), each document as source or as HTML.

https://info.arxiv.org/help/oa/index.html, https://www.openarchives.org/OAI/openarchivesprotocol.html. What a record says
holds for the paper's newest version; the version that was fetched is the one in the file name of the answer.
"""

import gzip
import io
import re
import zlib
from collections.abc import Iterator
from dataclasses import replace
from datetime import date
from urllib.parse import quote, urlencode

from lxml import etree

from bot.corpus import arxiv
from bot.corpus.archives import compression_suffix
from bot.corpus.crawl.fetcher import CrawlSource, FetchedDocument, Fetcher, Target, UnsupportedContent
from bot.corpus.crawl.journal import Journal, file_name
from bot.corpus.manifest import ManifestRow
from bot.corpus.xml_parsing import Element, element_name, one_line_text, xml_parser
from bot.errors import InputError, LookupFailed
from bot.lookup.exchange import HttpAnswer
from bot.messages import Message
from bot.settings import CrawlOrder, Settings
from bot.wikibase import Json

_VERSION = re.compile(r"filename\s*=\s*\"?[^\";]*?(v\d+)\.", re.I)
_HEAD = 4096
# Groups with one archive of their own name; the archives of physics are many (arXiv's category taxonomy).
_GROUPS = frozenset(["cs", "econ", "eess", "math", "q-bio", "q-fin", "stat"])
_PDF, _POSTSCRIPT = b"%PDF", b"%!PS"


class ArxivSource(CrawlSource):
    """Papers by identifier, or by set and date of their record's last change."""

    def __init__(self, order: CrawlOrder, settings: Settings, fetcher: Fetcher, journal: Journal) -> None:
        super().__init__(order, settings, fetcher, journal)
        crawling = settings.crawling
        self._oai, self._documents = crawling.arxiv_oai, crawling.arxiv_html if order.html else crawling.arxiv_eprint

    def targets(self) -> Iterator[Target]:
        """Yield the papers in the order of identifiers, then of the list of records."""
        self._fetcher.slow_down((self._oai, self._documents), self._settings.crawling.arxiv_seconds)
        for number in self._order.ids:
            yield from self._target_of_identifier(identifier_in(number))
        if self._order.category or self._order.since or self._order.until:
            for record in self._records():
                yield self._target(record)

    def document_of(self, target: Target, answer: HttpAnswer) -> FetchedDocument:
        """Return the paper with a suffix that tells readers its format. Raises UnsupportedContent for PDF and PostScript."""
        number = dict(target.known.identifiers)["arxiv"]
        version = _VERSION.search(answer.headers.get("Content-Disposition", ""))
        row = replace(
            target.known,
            path="arxiv/" + file_name(number.replace("/", "_") + source_suffix(answer.body)),
            permanent_url=arxiv.abstract_url(number) + (version[1] if version else ""),
        )
        return FetchedDocument(row, answer.body)

    def _target_of_identifier(self, number: str) -> Iterator[Target]:
        """Yield one paper by its identifier; one that arXiv does not know is a problem."""
        found = self._list_answer(verb="GetRecord", identifier=f"oai:arXiv.org:{number}", metadataPrefix="arXiv")
        if found["records"]:
            yield self._target(found["records"][0])
        else:
            why = Message("unread.no_record", why=found["error"]) if found["error"] else Message("unread.deleted")
            self.problems.append((arxiv.abstract_url(number), why))

    def _records(self) -> Iterator[Json]:
        """Yield the records of a set; where a token has expired, the list is asked for once more from its beginning."""
        parameters = {"verb": "ListRecords", "metadataPrefix": "arXiv"}
        parameters |= {"set": oai_set(self._order.category)} if self._order.category else {}
        parameters |= {key: day for key, day in (("from", self._order.since), ("until", self._order.until)) if day}
        may_restart = True
        found = self._list_answer(**parameters)
        while True:
            if found["error"] == "badResumptionToken":
                if not may_restart:
                    raise LookupFailed("tokens_taken_back", where=self._oai, todo="later")
                may_restart = False
                self._journal.forget_answers("oai verb=ListRecords")
                found = self._list_answer(**parameters)
                continue
            yield from found["records"]
            if not found["token"]:
                return
            found = self._list_answer(verb="ListRecords", resumptionToken=found["token"])

    def _list_answer(self, **parameters: str) -> Json:
        query = urlencode(parameters)

        def ask() -> Json:
            answer = self._fetcher.get(f"{self._oai}?{query}", documented=True)
            if answer.status != 200:
                raise LookupFailed("refused_http", status=answer.status, where=self._oai)
            return read_records(answer.body, self._oai)

        return self._journal.answer_once(f"oai {query}", ask)

    def _target(self, record: Json) -> Target:
        number = record["id"]
        stated = (("doi", record["doi"]), ("arxiv_class", record.get("class", "")))
        url = self._documents.replace("{id}", quote(number, safe="/"))
        row = ManifestRow(
            url,
            "arxiv",
            permanent_url=arxiv.abstract_url(number),
            licence=record["licence"],
            revision=record["day"],
            title=record["title"],
            identifiers=(("arxiv", number), *(pair for pair in stated if pair[1])),
        )
        return Target(url, row, revision=record["day"])


def read_records(data: bytes, address: str) -> Json:
    """Return {"records", "token", "error"} of an answer of OAI-PMH. Raises LookupFailed for anything else.

    A record is {"id", "title", "licence", "doi", "day", "class"}; deleted ones are left out.
    """
    try:
        root = etree.fromstring(data, xml_parser())
    except (ValueError, etree.XMLSyntaxError):
        raise LookupFailed("broken_records", where=address) from None
    if element_name(root) != "OAI-PMH":
        raise LookupFailed("no_oai", where=address, todo="check", code_what="crawling.arxiv_oai")
    refusal = root.find("{*}error")
    error = "" if refusal is None else str(refusal.get("code", ""))
    if error and error not in ("noRecordsMatch", "badResumptionToken", "idDoesNotExist"):
        said = one_line_text(refusal)
        raise LookupFailed("refused_saying", error=error, said=said, where=address, todo="check_category")
    token = one_line_text(root.find(".//{*}resumptionToken"))
    records = [found for each in root.iter("{*}record") if (found := _record(each))]
    if not error and root.find("{*}ListRecords") is None and root.find("{*}GetRecord") is None:
        raise LookupFailed("no_records", where=address)
    return {"records": records, "token": token, "error": error}


def _record(element: Element) -> Json | None:
    fields = {element_name(each): one_line_text(each) for each in element.iter() if not len(each)}
    number = arxiv.arxiv_id(fields.get("id", ""))
    if not number:  # a deleted record has a header alone
        return None
    return {
        "id": number,
        "title": fields.get("title", ""),
        "licence": fields.get("license", ""),
        "doi": fields.get("doi", ""),
        "day": fields.get("datestamp", ""),
        "class": fields.get("categories", "").partition(" ")[0],  # the first one is the primary one
    }


def source_suffix(data: bytes) -> str:
    """Return the suffix of a paper's source by its bytes: .tar.gz, .tar, .tex.gz, .tex or .html. Raises UnsupportedContent for PDF and PostScript."""
    head, packed = data[:_HEAD], ""
    if compression_suffix(data[:512]) == ".gz":
        try:
            head, packed = gzip.GzipFile(fileobj=io.BytesIO(data)).read(_HEAD), ".gz"
        except (OSError, EOFError, zlib.error):
            raise UnsupportedContent("damaged_archive") from None
    if head.startswith((_PDF, _POSTSCRIPT)):
        raise UnsupportedContent("pdf_only" if head.startswith(_PDF) else "postscript_only")
    if compression_suffix(head[:512]) == ".tar":
        return ".tar" + packed
    return (".html" if re.match(rb"\s*<(?:!doctype\s+html|html)\b", head, re.I) else ".tex") + packed


def oai_set(category: str) -> str:
    """Return arXiv's OAI-PMH set of a category: hep-th → physics:hep-th, math.AG → math:math:AG; a set stays unchanged."""
    if ":" in category:
        return category
    archive, _, subject = category.partition(".")
    group = archive if archive in _GROUPS else "physics"
    return ":".join(filter(None, (group, archive, subject)))


def identifier_in(text: str) -> str:
    """Return the identifier in a text such as arXiv:2101.00001v2 or an address. Raises InputError where there is none."""
    found = arxiv.arxiv_id(text)
    if not found:
        raise InputError("no_arxiv_id", given=repr(text), todo="arxiv_id")
    return found


def check_days(order: CrawlOrder) -> None:
    """Raise InputError for invalid days or days in the wrong order."""
    for day in filter(None, (order.since, order.until)):
        try:
            date.fromisoformat(day)
        except ValueError:
            raise InputError("no_date", given=repr(day), todo="day") from None
    if order.since and order.until and order.since > order.until:
        raise InputError("no_day_between", since=order.since, until=order.until, todo="turn_round")
