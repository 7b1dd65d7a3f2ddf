"""Checks of the setup: settings, workspace, disk, clock, endpoints, property ids and their datatypes, the account.

Each check says `ok`, `warn`, `fail`, or `unknown` where it could not tell; nothing is written anywhere. `check_before_run` is the
part that a scheduled run looks at before a site is asked or a workspace is touched.
"""

import importlib.metadata
import os
import shutil
import stat
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Self
from urllib.parse import urlsplit

from bot.corpus.crawl.run import check_order
from bot.errors import BotError, LookupFailed, SettingsError, WorkspaceError, WriteRefused
from bot.file_permissions import OTHER_ACCOUNTS
from bot.items_file import ItemRow, read_items
from bot.lookup import Client, queries
from bot.messages import Message, Value, languages, uncoded_message
from bot.records import CheckState
from bot.settings import THIS_MACHINE, Settings, Wiki, environment
from bot.store import Workspace
from bot.write.authorise import authorise

_MIN_FREE_FOR_RUN = 256 * 2**20  # bytes: chosen, the workspace, reports and caches of a small corpus
NO_ADVICE = uncoded_message("")  # nothing is to be done
_SECURITY = ("starttls", "tls", "none")
ACCOUNT_FILES = ("user-config.py", "user-password.py")
# The datatype that each property of the settings must have (Wikibase data types).
DATATYPES = {
    "defining_formula": "math", "instance_of": "wikibase-item", "subclass_of": "wikibase-item",
    "part_of": "wikibase-item", "has_part": "wikibase-item", "in_defining_formula": "math",
    "symbol_represents": "wikibase-item", "stated_in": "wikibase-item", "reference_url": "url", "retrieved": "time",
    "heuristic": "wikibase-item", "doi": "external-id", "arxiv": "external-id", "title": "monolingualtext",
    "author_name": "string", "published": "time", "pages": "string",
}  # fmt: skip
_LIBRARIES = "pywikibot SPARQLWrapper requests scikit-learn gensim lxml tenacity SQLAlchemy duckdb".split()
_MIN_FREE = 2 * 2**30  # bytes: chosen, the mined occurrences of about a gigabyte of pages
_MAX_CLOCK_OFFSET = 60  # seconds: chosen, far below a day, by which caps and expiries count
_AUDIT_SERVICE = "query service of audits"
_SLOW_QUERY = 10  # seconds for one small query: chosen, the query service ends a query after 60


def check_before_run(settings: Settings, base: Path) -> list[ItemRow]:
    """Raise what is wrong with the first thing that is: BotError. Return the rows of the items file."""
    if problem := next(setup_problems(settings, base), None):
        raise problem
    for order in settings.run.crawl:
        try:
            check_order(order, settings)
        except BotError as error:
            where = f"{settings.path}: run.crawl {order.into}".rstrip()
            raise SettingsError(error.message, where=error.where or where, todo=error.advice or "") from None
    return read_items(base / settings.run.items) if settings.run.items else []


def crawled_folders(settings: Settings, base: Path) -> list[Path]:
    """Return the folders that the orders of [[run.crawl]] fill."""
    return list(dict.fromkeys((base / order.into).resolve() for order in settings.run.crawl))


def setup_problems(settings: Settings, base: Path) -> Iterator[BotError]:
    """Yield what would end a run: audits, items, sources, contact, folders, disk, notification, the rights to write."""
    from bot.audit import audits_of
    from bot.corpus.probe import probe

    where, run = settings.path, settings.run
    audits, known = audits_of(settings), ", ".join(audits_of(settings))
    for name in run.audits:
        if name not in audits:
            yield SettingsError("audit_named", name=repr(name), where=where, todo="known", known=known)
    folders = crawled_folders(settings, base)
    sources = [str(base / source) for source in run.sources]
    own_sources = [each for each in sources if not any(f.is_relative_to(Path(each).resolve()) for f in folders)]
    for needed, read in ((run.items, lambda: read_items(base / run.items)), (own_sources, lambda: probe(own_sources))):
        try:
            if needed:
                read()
        except BotError as error:
            yield error
    host = urlsplit(settings.wiki.api).hostname or ""
    if not settings.agent.contact and not run.items and host not in THIS_MACHINE:
        yield SettingsError("host_without_contact", host=host, where=where, todo="contact")
    for name in (run.workspace, run.logs):
        yield from _folder_problems(base / name)
    yield from notification_problems(settings)
    if run.write and not run.items:
        try:
            authorise(settings.wiki, settings)
        except BotError as error:
            yield SettingsError("run_write", why=error.message, where=where, todo=error.advice or "")
        else:
            yield from account_files(settings)


def _folder_problems(folder: Path) -> Iterator[BotError]:
    """The folder, or the nearest one above it that is there, can be written to and has room."""
    existing = next(path for path in (folder, *folder.resolve().parents) if path.exists())
    if not existing.is_dir():
        yield WorkspaceError("no_folder", where=str(existing), todo="other_place")
    elif not os.access(existing, os.W_OK | os.X_OK):
        yield WorkspaceError("folder_unwritable", where=str(existing), todo="right_to_write")
    elif (free := shutil.disk_usage(existing).free) < _MIN_FREE_FOR_RUN:
        free_mib, needed = free // 2**20, _MIN_FREE_FOR_RUN // 2**20
        yield WorkspaceError("little_room", free=free_mib, needed=needed, where=str(existing), todo="room")


def account_files(settings: Settings) -> Iterator[BotError]:
    """Yield problems of pywikibot's files of the account: missing, or readable by other accounts."""
    folder = Path(settings.writing.pywikibot_dir or ".")
    missing = [name for name in ACCOUNT_FILES if not (folder / name).is_file()]
    if missing:
        yield SettingsError(
            "account_lacks", folder=str(folder), files=", ".join(missing), where="account", todo="copy_config"
        )
        return
    loose = [name for name in ACCOUNT_FILES if stat.S_IMODE((folder / name).stat().st_mode) & OTHER_ACCOUNTS]
    if loose:
        values = {"files": ", ".join(loose), "code_files": " ".join(loose), "folder": str(folder)}
        yield SettingsError("account_readable", **values, where="account", todo="chmod")


def notification_problems(settings: Settings) -> Iterator[BotError]:
    """Yield problems of [notify]: addresses that are none, and servers that would be told secrets in the clear."""
    notify, where = settings.notify, settings.path
    addresses = (*notify.operators, *(each.email for each in notify.reviewers))

    wrong = partial(SettingsError, where=where)
    if bad := [each for each in addresses if "@" not in each.strip("@")]:
        yield wrong("no_mail_address", given=repr(bad[0]), todo="mail_address")
    if nameless := [each.email for each in notify.reviewers if not each.name]:
        yield wrong("nameless_reviewer", address=nameless[0], todo="reviewer_name")
    if addresses and not (notify.smtp_host and "@" in notify.sender):
        yield wrong("mail_settings", todo="mail_server")
    if notify.smtp_security not in _SECURITY:
        yield wrong("smtp_security", given=repr(notify.smtp_security), todo="known", known=", ".join(_SECURITY))
    elif notify.smtp_security == "none" and notify.smtp_host not in ("", *THIS_MACHINE):
        yield wrong("smtp_unencrypted", todo="use_tls")
    if notify.smtp_user and not environment("SMTP_PASSWORD"):
        yield wrong("smtp_password", todo="smtp_password")
    address = urlsplit(notify.webhook)
    if notify.webhook and (
        not address.hostname or (address.scheme != "https" and address.hostname not in THIS_MACHINE)
    ):
        yield wrong("webhook_plain", todo="https_address")
    for language in {notify.language, *(each.language or notify.language for each in notify.reviewers)}:
        if language not in languages():
            yield wrong("notify_language", language=repr(language), todo="known", known=", ".join(languages()))


@dataclass(frozen=True, slots=True)
class HealthCheck:
    """The result of one check."""

    name: str
    state: CheckState
    what: Message
    todo: Message = NO_ADVICE  # what mends it

    @classmethod
    def of(cls, name: str, state: CheckState, what: str, todo: str = "", **values: Value) -> Self:
        """Return a check; `what` is its code below `health.`, `todo` the code of what mends it, as of an error."""
        return cls(name, state, Message(f"health.{what}", **values), Message(f"todo.{todo}") if todo else NO_ADVICE)

    @classmethod
    def failed(cls, name: str, error: BotError, *known: str) -> Self:
        """Return the check that an error made fail; its place is named unless it is a known one."""
        placed = Message("error.at_what", what=error.message, where=error.where)
        return cls(
            name, "fail", placed if error.where not in ("", name, *known) else error.message, error.advice or NO_ADVICE
        )


Checks = Iterator[HealthCheck]


def examine(workspace: Workspace, settings: Settings, wiki: Client | BotError) -> list[HealthCheck]:
    """Run all checks; one that raises is `unknown`, and the others still run."""
    found = [*_programs(), *_workspace(workspace), *_scheduled(settings)]
    if isinstance(wiki, BotError):
        return [*found, HealthCheck("wiki", "fail", wiki.full_message)]
    for name, look in (("wiki", _api), ("properties", _properties), ("query service", _query_service)):
        found += _run_check(name, look, wiki)
    if address := settings.audit.sparql:
        found += _run_check(_AUDIT_SERVICE, partial(_query_service, name=_AUDIT_SERVICE, address=address), wiki)
    return [*found, *_account(wiki.wiki, settings)]


def _run_check(name: str, look: Callable[[Client], Checks], wiki: Client) -> list[HealthCheck]:
    try:
        return list(look(wiki))
    except LookupFailed as error:
        return [HealthCheck(name, "unknown", error.full_message, Message("todo.see_address"))]
    except BotError as error:
        return [HealthCheck(name, "fail", error.full_message)]


def _programs() -> Checks:
    running = sys.version_info
    version = uncoded_message(f"Python {running.major}.{running.minor}.{running.micro}")
    yield HealthCheck("python", "ok" if running >= (3, 11) else "fail", version)
    versions = [f"{name} {importlib.metadata.version(name)}" for name in _LIBRARIES]
    yield HealthCheck("libraries", "ok", uncoded_message(", ".join(versions)))


def _workspace(workspace: Workspace) -> Checks:
    folder = workspace.path
    usable = os.access(folder, os.W_OK | os.X_OK)
    advice = NO_ADVICE if usable else Message("todo.right_to_write")
    yield HealthCheck("workspace", "ok" if usable else "fail", uncoded_message(str(folder)), advice)
    free = shutil.disk_usage(folder).free
    todo = "" if free >= _MIN_FREE else "room_disk"
    yield HealthCheck.of("disk", "warn" if todo else "ok", "free", todo, free=free / 2**30)
    dialect, schema = workspace.engine.dialect.name, str(workspace.get("schema"))
    yield HealthCheck.of("database", "ok", "database", dialect=dialect, schema=schema)


def _scheduled(settings: Settings) -> Checks:
    """Yield the checks of a scheduled run before its first stage."""
    if not settings.run.workspace:
        return
    wrong = list(setup_problems(settings, Path(settings.path).resolve().parent))
    yield from (HealthCheck.failed("run", error, settings.path) for error in wrong)
    for order in settings.run.crawl:
        try:
            check_order(order, settings)
        except BotError as error:
            wrong.append(error)
            yield HealthCheck.failed(f"crawl {order.into}", error, settings.path)
    if not wrong:
        does = Message("health.writes" if settings.run.write else "health.plans")
        crawls = len(settings.run.crawl)
        yield HealthCheck.of("run", "ok", "run_crawls" if crawls else "run", n=crawls, does=does)


def _api(client: Client) -> Checks:
    before = time.time()
    software, moment = client.software_and_time()
    yield HealthCheck.of("wiki", "ok", "wiki", wiki=client.wiki.name, said=software, address=client.wiki.api)
    off = abs((moment - datetime.fromtimestamp(before, UTC)).total_seconds())
    todo = "clock" if off > _MAX_CLOCK_OFFSET else ""
    yield HealthCheck.of("clock", "warn" if todo else "ok", "clock", todo, seconds=off)


def _properties(client: Client) -> Checks:
    named = {name: str(getattr(client.wiki.properties, name)) for name in DATATYPES}
    stated = {name: prop for name, prop in named.items() if prop}
    types = client.datatypes(stated.values())
    wrong = 0
    for name, prop in stated.items():
        found, wanted = types.get(prop, ""), DATATYPES[name]
        if found != wanted:
            wrong += 1
            problem = "datatype" if found else "no_property"
            values = {"property": prop, "found": found, "wanted": wanted}
            yield HealthCheck.of(f"wiki.properties.{name}", "fail", problem, "own_property", **values)
    if not wrong:
        yield HealthCheck.of("properties", "ok", "properties", n=len(stated))


def _query_service(client: Client, name: str = "query service", address: str = "") -> Checks:
    """Yield what a small query comes to: at the query service of the wiki, or at another address."""
    query = queries.load_query("lookup_items_with_formula")
    text = queries.fill(query, client.wiki, {"after": "", "limit": 1})
    start = time.monotonic()
    rows = client.rows(text, fresh=True, service=address)
    seconds = time.monotonic() - start
    if not rows:
        yield HealthCheck.of(name, "warn", "lists_none", "see_sparql")
        return
    todo = "slow_audits" if seconds > _SLOW_QUERY else ""
    state: CheckState = "warn" if todo else "ok"
    yield HealthCheck.of(name, state, "answers", todo, seconds=seconds, address=address or client.wiki.sparql)


def _account(wiki: Wiki, settings: Settings) -> Checks:
    if wiki.sandbox:
        yield HealthCheck.of("writing", "ok", "rehearsal")
        return
    try:
        authorise(wiki, settings)
    except WriteRefused as error:
        yield HealthCheck("writing", "warn", error.full_message, Message("todo.live_needs"))
        return
    if wrong := list(account_files(settings)):
        yield from (HealthCheck.failed("account", each) for each in wrong)
        return
    writing = settings.writing
    yield HealthCheck.of("account", "ok", "account", account=writing.account, folder=writing.pywikibot_dir or ".")
