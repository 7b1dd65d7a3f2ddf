"""The only reader of settings files and the environment: TOML in, one frozen `Settings` out."""

import dataclasses
import os
import re
import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar, cast, get_args, get_type_hints
from urllib.parse import urlsplit

import msgspec

from bot.errors import SettingsError
from bot.file_permissions import OTHER_ACCOUNTS
from bot.messages import Message, languages
from bot.wikibase import Json

T = TypeVar("T")
THIS_MACHINE = ("127.0.0.1", "localhost", "::1")  # hosts

# The rehearsal wiki's bot account. It opens nothing but a wiki on this machine, so it is not a secret.
REHEARSAL_USER, REHEARSAL_PASSWORD_NAME, REHEARSAL_PASSWORD = "WikiBot", "formulabot", "0" * 22 + "rehearsal0"


def _number(default: float, least: float, most: float) -> Any:
    """Return a field with its default, and the range outside of which the setting cannot be meant."""
    return field(default=default, metadata={"range": (least, most)})


@dataclass(frozen=True, slots=True)
class Properties:
    """Property and item ids of the wiki; the defaults are Wikidata's and the only place where they are named."""

    defining_formula: str = "P2534"
    instance_of: str = "P31"
    subclass_of: str = "P279"
    part_of: str = "P361"
    has_part: str = "P527"
    in_defining_formula: str = "P7235"
    symbol_represents: str = "P9758"
    stated_in: str = "P248"
    reference_url: str = "P854"
    retrieved: str = "P813"
    heuristic: str = "P887"
    doi: str = "P356"
    arxiv: str = "P818"
    title: str = "P1476"  # this and the next three tell of a publication without an item
    author_name: str = "P2093"
    published: str = "P577"
    pages: str = "P304"
    inferred_heuristic_item: str = ""  # QID for P887, e.g. an item about the bot's method; empty leaves P887 out
    disambiguation_class: str = "Q4167410"
    same_as: str = "P460"  # said to be the same as
    quantity_symbol: str = "P7973"  # as LaTeX
    quantity_symbol_string: str = "P416"
    dimension: str = "P4020"  # of a quantity in the International System of Quantities
    recommended_unit: str = "P8111"
    measured_quantity: str = "P111"  # of a unit
    studied_by: str = "P2579"
    facet_of: str = "P1269"
    imported_from: str = "P143"
    import_url: str = "P4656"
    property_constraint: str = "P2302"
    constraint_regex: str = "P1793"
    constraint_class: str = "P2308"
    constraint_relation: str = "P2309"
    constraint_property: str = "P2306"
    constraint_value: str = "P2305"
    constraint_exception: str = "P2303"
    format_constraint: str = "Q21502404"
    distinct_values_constraint: str = "Q21502410"
    single_value_constraint: str = "Q19474404"
    subject_type_constraint: str = "Q21503250"
    single_best_value_constraint: str = "Q52060874"
    required_statement_constraint: str = "Q21503247"
    conflict_constraint: str = "Q21502838"
    citation_constraint: str = "Q54554025"
    relation_instance: str = "Q21503252"
    relation_subclass: str = "Q21514624"
    relation_either: str = "Q30208840"


@dataclass(frozen=True, slots=True)
class Wiki:
    """Where a Wikibase answers. `sandbox` is true only for the rehearsal wiki."""

    name: str = "wikidata"
    api: str = "https://www.wikidata.org/w/api.php"
    sparql: str = "https://query.wikidata.org/sparql"
    entity_prefix: str = "http://www.wikidata.org/entity/"
    page_prefix: str = "https://www.wikidata.org/wiki/"
    item_namespace: str = ""  # "Item" where items do not lie in the main namespace
    language: str = "en"
    articles: str = "https://{language}.wikipedia.org/w/api.php"  # where the encyclopaedia answers in each language
    articles_project: str = "https://{language}.wikipedia.org/"  # how sitelinks name it
    sandbox: bool = False
    properties: Properties = field(default_factory=Properties)
    unstated: tuple[str, ...] = ()  # settings that still hold Wikidata's own ids though this is another wiki

    def title(self, qid: str) -> str:
        """Return the title of an item's page."""
        return f"{self.item_namespace}:{qid}" if self.item_namespace else qid

    @property
    def origin(self) -> str:
        """Return the web origin of the wiki's pages; "" for the rehearsal wiki, which answers only while a command runs."""
        scheme, _, rest = self.page_prefix.partition("://")
        return "" if self.sandbox else f"{scheme}://{rest.partition('/')[0]}".lower()


@dataclass(frozen=True, slots=True)
class Agent:
    """How the bot introduces itself; Wikimedia blocks clients without a contact."""

    name: str = "FormulaConceptBot"
    contact: str = ""  # a user page or an address
    timeout: float = _number(65.0, 1, 3600)  # seconds; the query service itself gives up at 60
    cache_days: float = _number(1.0, 0, 3650)


@dataclass(frozen=True, slots=True)
class Discovery:
    """The paper's filters (section 3.2, Data Selection); its digit filter is left out on purpose (MATH: it hides laws)."""

    min_length: int = _number(10, 0, 100_000)
    max_length: int = _number(30, 0, 100_000)  # of the stripped TeX, for the paper's duplicate ranking
    min_documents: int = _number(2, 1, 1_000_000)
    long_formulas: bool = True  # also keep longer formulas where a structural name (title, table) stands beside them
    names_per_concept: int = _number(15, 1, 1000)
    # In which formulas of other shapes are looked for, see docs/discover.md.
    encodings: tuple[str, ...] = ("math tf-idf",)


@dataclass(frozen=True, slots=True)
class Encyclopaedia:
    """Articles about the items that may be meant, as evidence; nothing is fetched where `languages` is empty."""

    languages: tuple[str, ...] = ("en", "de", "fr", "es", "it")  # five at most
    dumps: tuple[str, ...] = ()  # files or folders of articles that are read instead of asking the encyclopaedia
    least: float = _number(0.02, 0, 1)  # probability without articles below which an item's articles are not looked at
    most_items: int = _number(500, 0, 100_000)  # in one run, the likeliest first


@dataclass(frozen=True, slots=True)
class Matching:
    """What formulas are recognised by beside the corpus, the wiki and the workspace's own database."""

    builtin: bool = True  # the built-in formula list, see docs/builtin-list.md


@dataclass(frozen=True, slots=True)
class CitationRule:
    """What to cite for documents whose files do not say it themselves: a `[[proposing.sources]]` table."""

    documents: str = ""  # shell pattern over document ids, e.g. "my_textbook/*"; the first table that fits counts
    item: str = ""  # QID of the book or paper on the wiki
    arxiv: str = ""
    doi: str = ""
    url: str = ""  # {title} and {path} stand for the document's title and its path inside the corpus


@dataclass(frozen=True, slots=True)
class Proposing:
    # Probability below which a match is kept out of the queue: it is more likely rejected
    propose_from: float = _number(0.5, 0, 1)
    low_below: float = _number(0.6, 0, 0.7)  # probability below which a proposal is shown low in the list
    expires_days: int = _number(90, 1, 3650)
    report_language: str = "en"  # of the dry-run report and the pages of `write`: a catalogue of bot/messages
    symbols: bool = False  # propose what the symbols of a formula represent, too
    # Domains of sources, compared by registrable domain. An allow list admits nothing else.
    allow_domains: tuple[str, ...] = ()
    deny_domains: tuple[str, ...] = ()
    wiki_sources: bool = False  # pages of wikis as sources: on Wikidata "imported from Wikipedia" is none
    sources: tuple[CitationRule, ...] = ()
    references_per_claim: int = _number(3, 1, 50)
    crossref: str = "https://api.crossref.org"  # where a DOI that a reviewer names is looked up; empty: nowhere
    unclear_margin: float = _number(0.1, 0, 1)  # an item this near to the best one makes the item unclear
    # A formula defines none of these: people, disambiguation, category, list, template, article, book, given and family name.
    implausible_classes: tuple[str, ...] = (
        "Q5", "Q4167410", "Q4167836", "Q13406463", "Q11266439", "Q13442814", "Q571", "Q202444", "Q101352",
    )  # fmt: skip
    # None of these is a source, though a table of sources may name it by mistake: people, disambiguation, category, list,
    # template, given and family name, law, quantity, theorem.
    implausible_source_classes: tuple[str, ...] = (
        "Q5", "Q4167410", "Q4167836", "Q13406463", "Q11266439", "Q202444", "Q101352", "Q214070", "Q107715", "Q65943",
    )  # fmt: skip


_META = "https://meta.wikimedia.org/w/rest.php/oauth2"


@dataclass(frozen=True, slots=True)
class Reviewing:
    """How people decide together. A workspace takes over what a file states here; `review rules` shows what holds.

    The endpoints are Wikimedia's; the secret of the consumer is in the environment and never kept.
    """

    two_persons: bool = False  # an approval counts when two people said the same
    blind: float = _number(0.0, 0, 1)  # share of proposals that get a second decision, unseen by the first
    known_wrong: float = _number(0.0, 0, 0.5)  # share of what is shown that is wrong on purpose
    lease_minutes: float = _number(10.0, 0.1, 1440)
    session_hours: float = _number(8.0, 0.1, 720)
    oauth_client: str = ""
    oauth_authorize: str = f"{_META}/authorize"
    oauth_token: str = f"{_META}/access_token"
    oauth_profile: str = f"{_META}/resource/profile"
    oauth_name: str = "username"  # the field of the profile that holds the account name
    trusted_proxy: str = "127.0.0.1"  # the proxy before a shared page, by its address; empty: there is none
    forwarded_header: str = "x-forwarded-for"  # where that proxy names who asks; or "forwarded"
    sparql_topics: bool = True  # reviewers may name the items of a topic by a query, which the bot then sends
    reviewers: tuple[str, ...] = ()  # who may decide, by account name, beside those whom a command or an operator adds
    operators: tuple[str, ...] = ()

    @property
    def more_than_one(self) -> bool:
        """Say whether one person's decision may not be enough."""
        return self.two_persons or self.blind > 0


@dataclass(frozen=True, slots=True)
class Gadget:
    """The script for the wiki's item pages: whom it asks, and who sees what waits there."""

    server: str = "http://127.0.0.1:8090"  # where the review page is reached: https://HOST, or this machine
    everyone: bool = False  # open proposals are shown on item pages to people who are not signed in, too


@dataclass(frozen=True, slots=True)
class Writing:
    """Nothing is written unless site, task and account are named here and --live is given."""

    site: str = ""  # must equal the wiki's name
    task: str = ""  # the approved task page, goes into every summary
    account: str = ""
    family: str = ""  # pywikibot family and code
    code: str = ""
    seconds_between_edits: float = _number(10.0, 0, 86_400)  # chosen, as edits_a_day is
    edits_a_day: int = _number(200, 0, 1_000_000)
    stop_page: str = ""
    exclusion_page: str = ""
    stop_after_failures: int = _number(3, 1, 1000)
    pywikibot_dir: str = ""  # folder with user-config.py; empty: pywikibot's own rules


@dataclass(frozen=True, slots=True)
class Crawling:
    """How politely documents are fetched, and where arXiv answers; the policies are named in docs/crawling.md."""

    # Between two requests to one host, chosen; more where robots.txt asks for more
    seconds: float = _number(1.0, 0, 3600)
    arxiv_seconds: float = _number(3.0, 0, 3600)  # arXiv's terms of use for its APIs: one request in three seconds
    largest_megabytes: int = _number(64, 1, 1024)  # of one document
    # Seconds, chosen; a host that wants longer silence is left alone in this run
    longest_wait: float = _number(3600.0, 1, 86_400)
    permitted: tuple[str, ...] = ()  # beginnings of addresses that you may fetch though robots.txt says otherwise
    # Items of these have articles that give formulas: physical law, scientific law, equation, theorem, physical quantity, physical constant.
    classes: tuple[str, ...] = ("Q214070", "Q408891", "Q11345", "Q65943", "Q107715", "Q173227")
    arxiv_oai: str = "https://oaipmh.arxiv.org/oai"
    arxiv_eprint: str = "https://export.arxiv.org/e-print/{id}"
    arxiv_html: str = "https://ar5iv.labs.arxiv.org/html/{id}"


@dataclass(frozen=True, slots=True)
class CrawlOrder:
    """What one crawl fetches: a `[[run.crawl]]` table, or the options of `formula-bot crawl`. Fields of other sources stay empty."""

    source: str = ""  # wikipedia, arxiv, http or sitemap
    into: str = ""  # the folder
    limit: int = _number(0, 0, 1_000_000_000)  # documents; 0: all
    # wikipedia
    languages: tuple[str, ...] = ("en",)
    site: str = ""  # address of the Action API (…/api.php) of another MediaWiki; empty: wiki.articles in each language
    categories: tuple[str, ...] = ()
    depth: int = _number(0, 0, 20)  # of subcategories; of links for http
    titles: tuple[str, ...] = ()
    titles_file: str = ""  # one title a line
    query: str = ""  # a .rq file with the columns `title` and `language`, or `article`
    without_formula: bool = False  # items of the classes that have an article and no formula
    classes: tuple[str, ...] = ()  # empty: crawling.classes
    # arxiv
    ids: tuple[str, ...] = ()
    category: str = ""  # a set of OAI-PMH, as physics:hep-th
    since: str = ""  # ISO date of the record's last change
    until: str = ""
    html: bool = False  # ar5iv's HTML instead of the source
    # http, sitemap
    url: str = ""


@dataclass(frozen=True, slots=True)
class Auditing:
    """Where audits ask, what they accept for an answer, and where those of your own lie."""

    sparql: str = ""  # another query service of the same items, such as QLever; empty: wiki.sparql
    scholarly: str = ""  # the query service of scholarly articles, which Wikidata keeps apart
    folder: str = ""  # of your own audits: a .rq file and a .toml file each; counts from the settings file
    # That the query service may be behind the wiki; chosen: beyond it an audit cannot tell
    most_lag_hours: float = _number(24.0, 0, 8760)


@dataclass(frozen=True, slots=True)
class Run:
    """The scheduled run: what `formula-bot run --config` reads beside the rest."""

    sources: tuple[str, ...] = ()
    workspace: str = ""
    items: str = ""
    audits: tuple[str, ...] = ()
    logs: str = "logs"
    crawl: tuple[CrawlOrder, ...] = ()  # done first; their folders are read with `sources`
    minutes: float = _number(0.0, 0, 100_000)  # of work, after which the next run goes on; 0: no limit
    # How often a run is due: for --if-due, and for saying that some were missed
    every_hours: float = _number(24.0, 0.01, 8760)
    heartbeat_seconds: float = _number(60.0, 0.1, 86_400)  # between two lines that say where a run is; chosen
    keep_logs: int = _number(90, 1, 100_000)  # runs, chosen
    write: bool = False  # write what people approved; without it a run only plans
    # Share of our edits of 30 days, removed by others, above which the bot pauses; chosen
    pause_above: float = _number(0.1, 0, 1)


@dataclass(frozen=True, slots=True)
class ReviewerAddress:
    """Where a reviewer's weekly digest goes: a `[[notify.reviewers]]` table."""

    name: str = ""  # as decisions carry it
    email: str = ""
    language: str = ""  # empty: that of [notify]


@dataclass(frozen=True, slots=True)
class Notifying:
    """Whom a scheduled run tells what. The password is FORMULA_BOT_SMTP_PASSWORD of the environment, never in a file."""

    operators: tuple[str, ...] = ()  # e-mail addresses
    language: str = "en"
    sender: str = ""
    smtp_host: str = ""
    smtp_port: int = _number(587, 1, 65_535)
    smtp_security: str = "starttls"  # or "tls" (port 465), or "none", which only a host of this machine may be given
    smtp_user: str = ""
    webhook: str = ""  # an address that gets each message as JSON; it may hold a secret and is never shown
    queue_days: int = _number(14, 0, 3650)  # a proposal that waits longer is said; 0: never
    digest: bool = True  # once a week
    reviewers: tuple[ReviewerAddress, ...] = ()


@dataclass(frozen=True, slots=True)
class Settings:
    wiki: Wiki = field(default_factory=Wiki)
    agent: Agent = field(default_factory=Agent)
    discovery: Discovery = field(default_factory=Discovery)
    encyclopaedia: Encyclopaedia = field(default_factory=Encyclopaedia)
    matching: Matching = field(default_factory=Matching)
    proposing: Proposing = field(default_factory=Proposing)
    review: Reviewing = field(default_factory=Reviewing)
    gadget: Gadget = field(default_factory=Gadget)
    writing: Writing = field(default_factory=Writing)
    crawling: Crawling = field(default_factory=Crawling)
    audit: Auditing = field(default_factory=Auditing)
    run: Run = field(default_factory=Run)
    notify: Notifying = field(default_factory=Notifying)
    database: str = ""  # SQLAlchemy address of a shared queue; empty: bot.db in the workspace
    path: str = ""  # the file they came from
    stated: tuple[str, ...] = ()  # what the file says of [review] itself


def load(path: str | Path | None = None, *, workspace: str | Path | None = None) -> Settings:
    """Read settings from `path`, else from `settings.toml` in the workspace, else the defaults.

    Raises SettingsError with file, key and what to do for an unknown key or a wrong type.
    """
    file = Path(path) if path else (Path(workspace) / "settings.toml" if workspace else None)
    if file is None or (path is None and not file.exists()):
        return Settings()
    try:
        raw = tomllib.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise SettingsError("no_settings_file", where=str(file), todo="check", code_what="--config") from None
    except OSError as error:
        raise SettingsError("unreadable", reason=str(error.strerror), where=str(file), todo="settings_file") from None
    except UnicodeDecodeError as error:
        raise SettingsError("no_utf8", byte=error.object[error.start], where=str(file), todo="settings_file") from None
    except (ValueError, RecursionError) as error:  # also endless numbers
        raise SettingsError("no_toml", reason=str(error), where=str(file), todo="mend_line") from None
    found = _build(Settings, raw, str(file), "")
    wiki = dataclasses.replace(found.wiki, unstated=_unstated(found.wiki, raw))
    return dataclasses.replace(found, wiki=wiki, path=str(file), stated=tuple(sorted(raw.get("review", ()))))


def load_run(path: str | Path) -> Settings:
    """Read the settings of a scheduled run. Raises SettingsError also where [run] does not say what to read, and into what."""
    found = load(path)
    if not (found.run.sources or found.run.crawl) or not found.run.workspace:
        raise SettingsError("run_settings", where=str(path), todo="see_docs", code_page="operating.md")
    return found


def _unstated(wiki: Wiki, raw: Json) -> tuple[str, ...]:
    """Return the settings with ids that a file for another wiki than Wikidata leaves as they are there."""
    if wiki.entity_prefix == Wiki().entity_prefix:
        return ()
    named = raw.get("wiki", {}).get("properties", {})
    left = [f for f in dataclasses.fields(Properties) if f.default and f.name not in named]
    ids = [f"wiki.properties.{f.name} ({f.default})" for f in left]
    classes = ("implausible_classes", "implausible_source_classes")
    return (*ids, *(f"proposing.{name}" for name in classes if name not in raw.get("proposing", {})))


def readable_secret(settings: Settings) -> Message | None:
    """Return what is said where the file holds a password that other accounts can read."""
    if not settings.path or not urlsplit(settings.database).password:
        return None
    loose = Path(settings.path).stat().st_mode & OTHER_ACCOUNTS
    return Message("rights.password", folder=settings.path) if loose else None


def resource(*names: str) -> Path:
    """Return a file or folder shipped with the package (queries, examples), from a checkout or an installed wheel."""
    package = Path(__file__).resolve().parent
    for base in (package / "_data", package.parent):
        if (base / names[0]).exists():
            return base.joinpath(*names)
    raise SettingsError("package_lacks", file="/".join(names), todo="reinstall")


def environment(name: str) -> str:
    """Return one environment variable of ours (FORMULA_BOT_…), or an empty string."""
    return os.environ.get(f"FORMULA_BOT_{name}", "")


# What a file cannot say: where it was read from, and that a wiki is the rehearsal wiki, where writing is always allowed.
_NOT_STATED = ("path", "stated", "unstated", "sandbox")
_PAGE = re.compile(r"(https?)://([a-z0-9.-]+|\[[0-9a-f:.]+\])(?::(\d{1,5}))?/?", re.ASCII)
# Those of audits may be empty
_ADDRESSES = ("wiki.api", "wiki.sparql", "wiki.page_prefix", "audit.sparql", "audit.scholarly")


def _build(cls: type[T], raw: object, file: str, at: str) -> T:
    if not isinstance(raw, dict):
        raise SettingsError("no_table", name=at, where=file)
    kinds = {name: kind for name, kind in get_type_hints(cls).items() if name not in _NOT_STATED}
    ranges = number_ranges(cls)
    values = {}
    for key, value in raw.items():
        name = f"{at}.{key}" if at else key
        if key not in kinds:
            raise SettingsError("unknown_setting", name=name, where=file, todo="known", known=", ".join(kinds))
        values[key] = _value(kinds[key], value, file, name)
        _check_range(name, values[key], file, *ranges.get(key, (float("-inf"), float("inf"))))
        if name in _ADDRESSES and not is_web_address(str(values[key])) and (values[key] or at == "wiki"):
            allowed = Message("value_kind.address")
            raise SettingsError("setting_kind", name=name, allowed=allowed, given=repr(value), where=file)
        if name == "proposing.report_language" and value not in (available := languages()):
            known = ", ".join(available)
            raise SettingsError(
                "no_catalogue", language=repr(value), where=f"{file}: {name}", todo="known", known=known
            )
    return cls(**values)


def _value(kind: type, value: object, file: str, name: str) -> object:
    if dataclasses.is_dataclass(kind):
        return _build(cast(type, kind), value, file, name)
    if (row_kind := next(iter(get_args(kind)), None)) and dataclasses.is_dataclass(row_kind):
        if not isinstance(value, list):
            raise SettingsError("no_tables", name=name, where=file)
        return tuple(_build(cast(type, row_kind), row, file, f"{name}[{n}]") for n, row in enumerate(value))
    try:
        return msgspec.convert(value, kind)
    except msgspec.ValidationError:
        allowed = Message("value_kind.texts" if kind == tuple[str, ...] else f"value_kind.{kind.__name__}")
        raise SettingsError("setting_kind", name=name, allowed=allowed, given=repr(value), where=file) from None


def is_web_address(text: str) -> bool:
    """Say whether a text is the address of something on a web server."""
    try:
        parts = urlsplit(text)
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and bool(parts.hostname)


def page_origin(address: str) -> str:
    """Return the web origin, as browsers name it, at which our page is reached; "" for an address that is neither encrypted nor this machine's."""
    found = _PAGE.fullmatch(address.strip().lower())
    scheme, host, port = found.groups("") if found else ("", "", "")
    usable = scheme == "https" or host in THIS_MACHINE
    if not usable or int(port or 0) > 65_535:
        return ""
    default = {"https": "443", "http": "80"}[scheme]
    return f"{scheme}://{host}" + (f":{port}" if port not in ("", default) else "")


def number_ranges(cls: type) -> dict[str, tuple[float, float]]:
    """Return the least and the most of each number of a table of the settings that has a range."""
    return {each.name: each.metadata["range"] for each in dataclasses.fields(cls) if each.metadata}


def _check_range(name: str, value: object, file: str, least: float, most: float) -> None:
    """Raise SettingsError for a number out of its range, or text that would break a line it is put into."""
    if isinstance(value, int | float) and not least <= value <= most:
        raise SettingsError("setting_range", name=name, least=least, most=most, given=repr(value), where=file)
    for text in value if isinstance(value, tuple) else (value,):
        if isinstance(text, str) and not text.isprintable():
            raise SettingsError("unprintable", name=name, where=file)
