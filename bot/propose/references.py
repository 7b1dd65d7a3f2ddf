"""Document -> the reference that would be written: stated in, else arXiv ID, DOI or address; retrieved; heuristic.

Property ids come from the wiki's settings. Two references to one source are one, whatever their dates.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from types import MappingProxyType
from urllib.parse import quote, unquote, urlsplit

from bot.errors import SettingsError
from bot.messages import Message
from bot.propose.domains import admitted, registrable
from bot.records import Document, Reference
from bot.settings import CitationRule, Properties, Proposing
from bot.wikibase import is_item_id

_DOI = re.compile(r"10\.\d{4,9}/\S+")
_ARXIV = re.compile(r"(?:\d{4}\.\d{4,5}|[a-z-]+(?:\.[A-Z]{2})?/\d{7})(?:v\d+)?")
_WIKIS = ("wikitext", "mediawiki_xml", "mediawiki_html")
_REVISION = re.compile(r"[?&]oldid=\d+$")  # of a wiki's page: another one is the same source
_LONGEST_ADDRESS = 500  # what Wikibase accepts in a url value


@dataclass(frozen=True, slots=True)
class Citation:
    """How a document can be cited; `reference` is None where it cannot. `why`: the reason of that, or why it is not cited as an item."""

    document: str
    reference: Reference | None
    why: Message | None = None


def check_sources(sources: Sequence[CitationRule]) -> None:
    """Raise SettingsError for a `[[proposing.sources]]` table that cannot be meant."""
    for number, source in enumerate(sources, 1):
        where = f"proposing.sources, table {number}"
        if not source.documents:
            raise SettingsError("needs `documents`, a pattern over document ids", where=where, todo='e.g. "my_book/*"')
        if not (source.item or source.doi or source.arxiv or source.url):
            raise SettingsError("needs one of item, arxiv, doi, url", where=where)
        if source.item and not is_item_id(source.item):
            raise SettingsError(f"item must be a QID, not {source.item!r}", where=where)


def cite(
    document: Document,
    properties: Properties,
    settings: Proposing,
    retrieved: str,
    unsuitable: Mapping[str, Message] = MappingProxyType({}),
) -> Citation:
    """Return how a document is cited; `retrieved` is an ISO date that must not change over runs.

    `unsuitable` gives items that cannot be named and why: such a document is cited by its next identifier, if it has one.
    """
    named = _named(document, settings.sources)
    if named is None and document.format in _WIKIS and not settings.wiki_sources:
        return Citation(document.id, None, Message("cite.wiki"))
    item, arxiv, doi, url = named or _own(document)
    why = Message("cite.item", qid=item, why=unsuitable[item]) if item in unsuitable else None
    lead, address = _lead(properties, "" if why else item, arxiv, doi, url)
    if not lead:
        return Citation(document.id, None, why or Message("cite.nothing"))
    if address and not admitted(address, settings.allow_domains, settings.deny_domains):
        return Citation(document.id, None, Message("cite.domain", domain=registrable(address)))
    snaks = [lead, _retrieved(retrieved, properties)]
    method = properties.inferred_heuristic_item
    if method and method not in unsuitable:
        snaks.append((properties.heuristic, "wikibase-item", method))
    return Citation(document.id, Reference(tuple(snaks)), why)


def reference_of(text: str, properties: Properties, settings: Proposing, retrieved: str) -> Reference | None:
    """Return the reference to the source that a person names by QID, DOI, arXiv ID or address; None where the text names none.

    An address of a domain that is not admitted names none either.
    """
    text = text.strip()
    lead, address = _lead(properties, text, text, text, text)
    if not lead or (
        address
        and lead[0] != properties.stated_in
        and not admitted(address, settings.allow_domains, settings.deny_domains)
    ):
        return None
    return Reference((lead, _retrieved(retrieved, properties)))


def named_item(document: Document, settings: Proposing) -> str:
    """Return the item that a reference to a document would name, "" where there is none."""
    item = (_named(document, settings.sources) or _own(document))[0].strip()
    return item if is_item_id(item) else ""


def dated(reference: Reference, day: str, properties: Properties) -> Reference:
    """Return a reference with another day of retrieval."""
    found = _retrieved(day, properties)
    return Reference(tuple(found if snak[0] == properties.retrieved else snak for snak in reference.snaks))


def _retrieved(day: str, properties: Properties) -> tuple[str, str, str]:
    return properties.retrieved, "time", f"+{day[:10]}T00:00:00Z"


def distinct(references: Iterable[Reference], properties: Properties) -> tuple[Reference, ...]:
    """Return the references without repetitions of a source, in order."""
    found: dict[frozenset[tuple[str, str]], Reference] = {}
    for reference in references:
        found.setdefault(identity(reference, properties), reference)
    return tuple(found.values())


def missing(
    wanted: Iterable[Reference], standing: Iterable[Reference], properties: Properties
) -> tuple[Reference, ...]:
    """Return the wanted references whose source no standing reference names."""
    there = [identity(reference, properties) for reference in standing]
    return tuple(r for r in wanted if not any(identity(r, properties) & found for found in there))


def identity(reference: Reference, properties: Properties) -> frozenset[tuple[str, str]]:
    """Return what a reference points to, spelt in one way: its dates and methods are left aside."""
    aside = {properties.retrieved, properties.heuristic}
    return frozenset(_one_spelling(snak, properties) for snak in reference.snaks if snak[0] not in aside)


def _named(document: Document, sources: Sequence[CitationRule]) -> tuple[str, str, str, str] | None:
    """Return item, arXiv ID, DOI and address as the operator names them; None where no table fits."""
    for source in sources:
        if fnmatchcase(document.id, source.documents):
            return source.item, source.arxiv, source.doi, _filled(source.url, document)
    return None


def _own(document: Document) -> tuple[str, str, str, str]:
    """Return item, arXiv ID, DOI and address as the document's file states them."""
    known = dict(document.identifiers)
    # The item of an encyclopaedia's article is the article's subject, not the article.
    item = "" if document.kind == "encyclopaedia" else known.get("qid", "")
    return item, known.get("arxiv", ""), known.get("doi", ""), document.url


def _filled(url: str, document: Document) -> str:
    path = document.id.removeprefix(f"{document.source}/")
    title = document.title.replace(" ", "_")
    return url.replace("{title}", quote(title, safe="/:,()")).replace("{path}", quote(path, safe="/:,()"))


def _lead(p: Properties, item: str, arxiv: str, doi: str, url: str) -> tuple[tuple[str, str, str] | None, str]:
    """Return the snak that names the source, and the address whose domain is looked at ("" for an item)."""
    arxiv = arxiv.strip().removeprefix("arXiv:")
    if is_item_id(item.strip()):
        return (p.stated_in, "wikibase-item", item.strip()), url
    if _ARXIV.fullmatch(arxiv):
        return (p.arxiv, "external-id", arxiv), "https://arxiv.org"
    if found := _DOI.search(unquote(doi)):
        return (p.doi, "external-id", found[0].upper()), "https://doi.org"
    if is_web(url):
        return (p.reference_url, "url", url), url
    return None, ""


def is_web(url: str) -> bool:
    """Say whether an address can be cited and linked to."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return False
    printable = url.isprintable() and not re.search(r'[\s<>"{}|\\^`]', url)
    return parts.scheme in ("http", "https") and bool(parts.hostname) and printable and len(url) <= _LONGEST_ADDRESS


def _one_spelling(snak: tuple[str, str, str], p: Properties) -> tuple[str, str]:
    """Return (property, value) with addresses of DOIs and preprints told as the identifiers that they are."""
    name, _, value = snak
    if name == p.reference_url:
        plain = _REVISION.sub("", re.sub(r"^https?://(?:www\.)?", "", value.strip())).rstrip("/")
        if found := re.fullmatch(r"(?:dx\.)?doi\.org/(10\..+)", plain):
            return p.doi, unquote(found[1]).upper()
        if found := re.fullmatch(r"arxiv\.org/(?:abs|pdf)/(.+?)(?:v\d+)?(?:\.pdf)?", plain):
            return p.arxiv, found[1]
        return name, plain
    if name == p.doi:
        return name, value.upper()
    return name, re.sub(r"v\d+$", "", value) if name == p.arxiv else value
