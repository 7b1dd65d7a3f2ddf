"""Document -> the reference that would be written: stated in, else arXiv ID, DOI or address; retrieved; heuristic.

Property ids come from the wiki's settings. Two references to one source are one, whatever their dates. Sources are admitted by
registrable domain (public suffix list); items that references would name are looked up first, since a wiki refuses a reference to none.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import lru_cache
from types import MappingProxyType
from typing import TYPE_CHECKING
from urllib.parse import quote, unquote, urlsplit

from bot.errors import SettingsError
from bot.lookup.publications import Publication
from bot.messages import Message
from bot.records import Document, Item, Reference
from bot.settings import CitationRule, Properties, Proposing, Settings, is_web_address
from bot.wikibase import is_item_id

if TYPE_CHECKING:
    from tldextract import TLDExtract


_HAS_SCHEME = re.compile(r"(?:[a-z][a-z0-9+.-]*:)?//", re.IGNORECASE)
_NAME = re.compile(r"[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})*")
# Hosts that give each user a name and are not in that list.
_OF_USERS = """
    angelfire.com beehiiv.com bearblog.dev blog.hu canalblog.com edublogs.org fandom.com fc2.com ghost.io gitbook.io
    hashnode.dev home.blog jimdofree.com jimdosite.com livejournal.com medium.com micro.blog mystrikingly.com neocities.org
    over-blog.com pbworks.com quarto.pub seesaa.net shinyapps.io sourceforge.io squarespace.com strikingly.com substack.com surge.sh
    tripod.com tumblr.com typepad.com ucoz.ru webnode.page weebly.com wikia.com wikidot.com wordpress.com write.as
""".split()
_BLOGSPOT = """
    ae al am ba be bg bj ca cf ch cl co.at co.id co.il co.ke co.nz co.uk co.za com com.ar com.au com.br com.by com.co com.cy com.ee
    com.eg com.es com.mt com.ng com.tr com.uy cv cz de dk fi fr gr hk hr hu ie in is it jp kr li lt lu md mk mr mx my nl no pe pt qa re
    ro rs ru se sg si sk sn td tw ug vn
""".split()
_DOI = re.compile(r"10\.\d{4,9}/\S+")
_ARXIV = re.compile(
    r"(?:(?i:arxiv):\s*)?(\d{4}\.\d{4,5}|[a-z-]+(?:\.[A-Z]{2})?/\d{7})(?:v\d+)?"
)  # the property has no version
_WIKIS = ("wikitext", "mediawiki_xml", "mediawiki_html")
_REVISION = re.compile(r"[?&]oldid=\d+$")  # of a wiki's page: another one is the same source
_MAX_ADDRESS_LENGTH = 500  # what Wikibase accepts in a url value


def host(address: str) -> str:
    """Return the host of a web address in lower-case ASCII, or "" where there is none."""
    import idna

    if "\\" in address:  # a browser reads it as a slash, a parser as part of the user's name
        return ""
    try:
        name = (urlsplit(address if _HAS_SCHEME.match(address) else f"//{address}").hostname or "").removesuffix(".")
        if not name.isascii():
            name = idna.encode(name, uts46=True).decode("ascii")
    except (ValueError, UnicodeError):
        return ""
    return name if _is_number(name) or (_NAME.fullmatch(name) and len(name) < 254) else ""


def registrable_domain(address: str) -> str:
    """Return what one owner registered: en.wikipedia.org → wikipedia.org, a.b.ac.uk → b.ac.uk, one user of a host of users.

    An IP address, a public suffix and a name of one label are returned whole.
    """
    name = host(address)
    if not name or _is_number(name):
        return name
    found = _suffix_list()(name)
    if not found.suffix:  # a top level that is in no list, e.g. of an intranet
        return ".".join(name.split(".")[-2:])
    return found.top_domain_under_public_suffix or name


def is_public(address: str) -> bool:
    """Say whether an address is of a name that ends as names of the internet do: no number, and no name of a network of one's own."""
    name = host(address)
    return "." in name and not _is_number(name) and bool(_suffix_list()(name).suffix)


def is_admitted(address: str, allow: Collection[str], deny: Collection[str]) -> bool:
    """Say whether a source at this address may be cited; an empty allow list admits all that is not denied.

    A denied public suffix, such as a host that gives each user a name, denies all below it; an allowed one only itself.
    """
    name, domain = host(address), registrable_domain(address)
    if not domain or domain in {registrable_domain(entry) for entry in deny}:
        return False
    if any(name.endswith(f".{host(entry)}") for entry in deny if host(entry)):
        return False
    return not allow or domain in {registrable_domain(entry) for entry in allow}


@lru_cache(maxsize=1)
def _suffix_list() -> TLDExtract:
    """Return the list that ships with tldextract; nothing is fetched or kept on disk."""
    from tldextract import TLDExtract

    extra = (*_OF_USERS, *(f"blogspot.{country}" for country in _BLOGSPOT))
    return TLDExtract(cache_dir=None, suffix_list_urls=(), include_psl_private_domains=True, extra_suffixes=extra)


def _is_number(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


@dataclass(frozen=True, slots=True)
class Citation:
    """How a document can be cited; `reference` is None where it cannot. `why`: the reason of that, or why it is not cited as an item."""

    document: str
    reference: Reference | None
    why: Message | None = None


def check_sources(sources: Sequence[CitationRule]) -> None:
    """Raise SettingsError for a `[[proposing.sources]]` table that cannot be meant."""
    for number, source in enumerate(sources, 1):
        where = Message("at.settings_table", name="proposing.sources", n=number)
        if not source.documents:
            raise SettingsError("source_documents", where=where, todo="source_pattern")
        if not (source.item or source.doi or source.arxiv or source.url):
            raise SettingsError("source_of", where=where)
        if source.item and not is_item_id(source.item):
            raise SettingsError("source_item", given=repr(source.item), where=where)
        stated = {"arxiv": source.arxiv, "doi": source.doi, "url": _with_fields(source.url, "x", "x")}
        for name, text in stated.items():
            alone = {each: text if each == name else "" for each in stated}
            if text and not _source_snak(Properties(), "", **alone)[0]:
                given = repr(getattr(source, name))
                raise SettingsError("source_named", name=name, given=given, where=where, todo="source_format")


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
    named = _named_by_operator(document, settings.sources)
    if named is None and document.format in _WIKIS and not settings.wiki_sources:
        return Citation(document.id, None, Message("cite.wiki"))
    item, arxiv, doi, url = named or _named_by_document(document)
    why = Message("cite.item", qid=item, why=unsuitable[item]) if item in unsuitable else None
    lead, address = _source_snak(properties, "" if why else item, arxiv, doi, url)
    if not lead:
        return Citation(document.id, None, why or Message("cite.nothing"))
    if address and not is_admitted(address, settings.allow_domains, settings.deny_domains):
        return Citation(document.id, None, Message("cite.domain", domain=registrable_domain(address)))
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
    lead, address = _source_snak(properties, text, text, text, text)
    if not lead or (
        address
        and lead[0] != properties.stated_in
        and not is_admitted(address, settings.allow_domains, settings.deny_domains)
    ):
        return None
    return Reference((lead, _retrieved(retrieved, properties)))


def reference_to(found: Publication, item: str, properties: Properties, retrieved: str) -> Reference | None:
    """Return the reference to a publication: its item and the pages where the wiki has one, which then tells the rest; else its fields.

    None where it has neither item, DOI, arXiv ID nor address: without one nobody finds it.
    """
    p = properties
    lead, _ = _source_snak(
        p, item, "" if found.doi else found.arxiv, found.doi, "" if found.doi or found.arxiv else found.url
    )
    if not lead:
        return None
    snaks = [(p.title, "monolingualtext", found.title and f"{found.language or 'und'}:{found.title}")]
    snaks += [(p.author_name, "string", name) for name in found.authors]
    snaks += [(p.published, "time", found.day)]
    snaks = [*([] if item else snaks), (p.pages, "string", found.pages)]
    return Reference((lead, *(snak for snak in snaks if snak[0] and snak[2]), _retrieved(retrieved, p)))


def named_item(document: Document, settings: Proposing) -> str:
    """Return the item that a reference to a document would name, "" where there is none."""
    item = (_named_by_operator(document, settings.sources) or _named_by_document(document))[0].strip()
    return item if is_item_id(item) else ""


def with_retrieval_day(reference: Reference, day: str, properties: Properties) -> Reference:
    """Return a reference with another day of retrieval."""
    found = _retrieved(day, properties)
    return Reference(tuple(found if snak[0] == properties.retrieved else snak for snak in reference.snaks))


def _retrieved(day: str, properties: Properties) -> tuple[str, str, str]:
    return properties.retrieved, "time", f"+{day[:10]}T00:00:00Z"


def distinct_references(references: Iterable[Reference], properties: Properties) -> tuple[Reference, ...]:
    """Return the references without repetitions of a source, in order."""
    found: dict[frozenset[tuple[str, str]], Reference] = {}
    for reference in references:
        found.setdefault(reference_identity(reference, properties), reference)
    return tuple(found.values())


def missing_references(
    wanted: Iterable[Reference], existing: Iterable[Reference], properties: Properties
) -> tuple[Reference, ...]:
    """Return the wanted references whose source no existing reference names."""
    identities = [reference_identity(reference, properties) for reference in existing]
    return tuple(r for r in wanted if not any(reference_identity(r, properties) & found for found in identities))


def reference_identity(reference: Reference, properties: Properties) -> frozenset[tuple[str, str]]:
    """Return what a reference points to, spelt in one way: its dates, methods and what it tells of the source are left aside."""
    p = properties
    aside = {p.retrieved, p.heuristic, p.title, p.author_name, p.published, p.pages}
    return frozenset(_normalised_address(snak, properties) for snak in reference.snaks if snak[0] not in aside)


def _named_by_operator(document: Document, sources: Sequence[CitationRule]) -> tuple[str, str, str, str] | None:
    """Return item, arXiv ID, DOI and address as the operator names them; None where no table fits."""
    for source in sources:
        if fnmatchcase(document.id, source.documents):
            return source.item, source.arxiv, source.doi, _filled(source.url, document)
    return None


def _named_by_document(document: Document) -> tuple[str, str, str, str]:
    """Return item, arXiv ID, DOI and address as the document's file states them."""
    identifiers = dict(document.identifiers)
    # The item of an encyclopaedia's article is the article's subject, not the article.
    item = "" if document.kind == "encyclopaedia" else identifiers.get("qid", "")
    return item, identifiers.get("arxiv", ""), identifiers.get("doi", ""), document.url


def _filled(url: str, document: Document) -> str:
    path = document.id.removeprefix(f"{document.source}/")
    title = document.title.replace(" ", "_")
    return _with_fields(url, quote(title, safe="/:,()"), quote(path, safe="/:,()"))


def _with_fields(url: str, title: str, path: str) -> str:
    return url.replace("{title}", title).replace("{path}", path)


def _source_snak(p: Properties, item: str, arxiv: str, doi: str, url: str) -> tuple[tuple[str, str, str] | None, str]:
    """Return the snak that names the source, and the address whose domain is checked ("" for an item)."""
    if is_item_id(item.strip()):
        return (p.stated_in, "wikibase-item", item.strip()), url
    if preprint := _ARXIV.fullmatch(arxiv.strip()):
        return (p.arxiv, "external-id", preprint[1]), "https://arxiv.org"
    if found := _DOI.search(unquote(doi)):
        return (p.doi, "external-id", found[0].upper()), "https://doi.org"
    if is_web(url):
        return (p.reference_url, "url", url), url
    return None, ""


def is_web(url: str) -> bool:
    """Say whether an address can be cited and linked to."""
    printable = url.isprintable() and not re.search(r'[\s<>"{}|\\^`]', url)
    return printable and len(url) <= _MAX_ADDRESS_LENGTH and is_web_address(url)


def _normalised_address(snak: tuple[str, str, str], p: Properties) -> tuple[str, str]:
    """Return (property, value) with addresses of DOIs and preprints as their identifiers."""
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


def items_to_cite(documents: Iterable[Document], settings: Settings) -> list[str]:
    """Return the items that references to these documents would name: their sources, and the method."""
    method = settings.wiki.properties.inferred_heuristic_item
    found = [named_item(document, settings.proposing) for document in documents]
    return sorted({qid for qid in (*found, method) if qid})


def unsuitable_items(
    qids: Iterable[str],
    items: Mapping[str, Item],
    classes: Mapping[str, frozenset[str]],
    labels: Mapping[str, str],
    settings: Settings,
) -> dict[str, Message]:
    """Return item -> why a reference cannot name it."""
    method = settings.wiki.properties.inferred_heuristic_item
    found: dict[str, Message] = {}
    for qid in qids:
        classes_of_item = frozenset(items[qid].classes) | classes.get(qid, frozenset())
        kind = None if qid == method else _implausible_class(items[qid], classes_of_item, labels, settings)
        if why := _missing_or_merged(items[qid]) or kind:
            found[qid] = why
    return found


def remarks(found: Mapping[str, Message], settings: Settings) -> tuple[Message, ...]:
    """Return what the operator should know of each item that cannot be named."""
    method = settings.wiki.properties.inferred_heuristic_item
    return tuple(
        Message("gap.method" if qid == method else "gap.source_item", qid=qid, why=why)
        for qid, why in sorted(found.items(), key=lambda each: each[0])
    )


def _missing_or_merged(item: Item) -> Message | None:
    if item.missing:
        return Message("unsuitable.missing")
    return Message("unsuitable.merged", qid=item.redirect) if item.redirect else None


def _implausible_class(
    item: Item, classes: frozenset[str], labels: Mapping[str, str], settings: Settings
) -> Message | None:
    if wrong := [qid for qid in settings.proposing.implausible_source_classes if qid in classes]:
        return Message("unsuitable.kind", what=labels.get(wrong[0], wrong[0]))
    formula = settings.wiki.properties.defining_formula
    return Message("unsuitable.formula") if any(s.property == formula for s in item.statements) else None
