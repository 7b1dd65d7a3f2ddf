"""What is set up wrongly: settings, workspace, disk, clock, endpoints, property ids and their datatypes, the account.

Each check says `ok`, `warn`, `fail`, or `unknown` where it could not tell; nothing is written anywhere. `ready` is the
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
from bot.items_file import ItemRow, read_items
from bot.lookup import Client
from bot.messages import Message, languages, recorded
from bot.private import OTHERS
from bot.records import CheckState
from bot.settings import Settings, Wiki, environment
from bot.store import Workspace
from bot.write.authorise import authorise

_LEAST_FREE_FOR_RUN = 256 * 2**20  # bytes: chosen, the workspace, reports and caches of a small corpus
_THIS_MACHINE = ("127.0.0.1", "localhost", "::1")
NOTHING = recorded("")  # nothing is to be done
_SECURITY = ("starttls", "tls", "none")
ACCOUNT_FILES = ("user-config.py", "user-password.py")
# The datatype that each property of the settings must have (Wikibase data types).
DATATYPES = {
    "defining_formula": "math",
    "instance_of": "wikibase-item",
    "subclass_of": "wikibase-item",
    "part_of": "wikibase-item",
    "has_part": "wikibase-item",
    "in_defining_formula": "math",
    "symbol_represents": "wikibase-item",
    "stated_in": "wikibase-item",
    "reference_url": "url",
    "retrieved": "time",
    "heuristic": "wikibase-item",
    "doi": "external-id",
    "arxiv": "external-id",
    "title": "monolingualtext",
    "author_name": "string",
    "published": "time",
    "pages": "string",
}
_LIBRARIES = "pywikibot SPARQLWrapper requests scikit-learn gensim lxml tenacity SQLAlchemy duckdb".split()
_LEAST_FREE = 2 * 2**30  # bytes: chosen, the mined occurrences of about a gigabyte of pages
_CLOCK_OFF = 60  # seconds: chosen, far below a day, by which caps and expiries count
_SLOW = 10  # seconds for one small query: chosen, the query service ends a query after 60


def ready(settings: Settings, base: Path) -> list[ItemRow]:
    """Raise what is wrong with the first thing that is: BotError. Return the rows of the items file."""
    run, where = settings.run, settings.path
    from bot.audit import audits_of

    for name in run.audits:
        if name not in audits_of(settings):
            raise SettingsError(
                f"run.audits names {name!r}", where=where, todo="known", known=", ".join(audits_of(settings))
            )
    rows = read_items(base / run.items) if run.items else []
    if problem := next(problems(settings, base), None):
        raise problem
    for order in run.crawl:
        check_order(order, settings)
    folders = crawled_folders(settings, base)
    sources = [str(base / source) for source in run.sources]
    if there := [each for each in sources if not any(f.is_relative_to(Path(each).resolve()) for f in folders)]:
        from bot.corpus.probe import probe

        probe(there)
    return rows


def crawled_folders(settings: Settings, base: Path) -> list[Path]:
    """Return the folders that the orders of [[run.crawl]] fill."""
    return list(dict.fromkeys((base / order.into).resolve() for order in settings.run.crawl))


def problems(settings: Settings, base: Path) -> Iterator[BotError]:
    """Yield what would end a run late: contact, folders, disk, notification, the rights to write."""
    where, run = settings.path, settings.run
    host = urlsplit(settings.wiki.api).hostname or ""
    if not settings.agent.contact and not run.items and host not in _THIS_MACHINE:
        yield SettingsError(f"agent.contact is empty: {host} is not asked without it", where=where, todo="contact")
    for name in (run.workspace, run.logs):
        yield from _folder(base / name)
    yield from _notifying(settings)
    if run.write and not run.items:
        try:
            authorise(settings.wiki, settings)
        except BotError as error:
            yield SettingsError(f"run.write is true, and {error.what}", where=where, todo=error.advice or "")
        else:
            yield from account_files(settings)


def _folder(folder: Path) -> Iterator[BotError]:
    """The folder, or the nearest one above it that is there, can be written to and has room."""
    above = next(path for path in (folder, *folder.resolve().parents) if path.exists())
    if not above.is_dir():
        yield WorkspaceError("is no folder", where=str(above), todo="other_place")
    elif not os.access(above, os.W_OK | os.X_OK):
        yield WorkspaceError("cannot be written to", where=str(above), todo="right_to_write")
    elif (free := shutil.disk_usage(above).free) < _LEAST_FREE_FOR_RUN:
        what = f"has {free / 2**20:.0f} MiB free, and a run needs {_LEAST_FREE_FOR_RUN // 2**20}"
        yield WorkspaceError(what, where=str(above), todo="room")


def account_files(settings: Settings) -> Iterator[BotError]:
    """pywikibot's files of the account: they are there, and nobody else can read them."""
    folder = Path(settings.writing.pywikibot_dir or ".")
    missing = [name for name in ACCOUNT_FILES if not (folder / name).is_file()]
    if missing:
        yield SettingsError(f"{folder} has no {' and no '.join(missing)}", where="account", todo="copy_config")
        return
    loose = [name for name in ACCOUNT_FILES if stat.S_IMODE((folder / name).stat().st_mode) & OTHERS]
    if loose:
        what = f"others can read {' and '.join(loose)} in {folder}"
        yield SettingsError(what, where="account", todo="chmod", code_files=" ".join(loose))


def _notifying(settings: Settings) -> Iterator[BotError]:
    notify, where = settings.notify, settings.path
    addresses = (*notify.operators, *(each.email for each in notify.reviewers))

    wrong = partial(SettingsError, where=where)
    if bad := [each for each in addresses if "@" not in each.strip("@")]:
        yield wrong(f"notify: {bad[0]!r} is no e-mail address", todo="mail_address")
    if nameless := [each.email for each in notify.reviewers if not each.name]:
        yield wrong(f"notify.reviewers: {nameless[0]} has no name", todo="reviewer_name")
    if addresses and not (notify.smtp_host and "@" in notify.sender):
        yield wrong("notify needs smtp_host and sender", todo="mail_server")
    if notify.smtp_security not in _SECURITY:
        yield wrong(f"notify.smtp_security is {notify.smtp_security!r}", todo="known", known=", ".join(_SECURITY))
    elif notify.smtp_security == "none" and notify.smtp_host not in ("", *_THIS_MACHINE):
        yield wrong("notify.smtp_security is none for another machine", todo="use_tls")
    if notify.smtp_user and not environment("SMTP_PASSWORD"):
        yield wrong("notify.smtp_user has no password", todo="smtp_password")
    address = urlsplit(notify.webhook)
    if notify.webhook and address.scheme != "https" and address.hostname not in _THIS_MACHINE:
        yield wrong("notify.webhook is neither on HTTPS nor on this machine", todo="https_address")
    for language in {notify.language, *(each.language or notify.language for each in notify.reviewers)}:
        if language not in languages():
            yield wrong(f"notify: there is no catalogue for {language!r}", todo="known", known=", ".join(languages()))


@dataclass(frozen=True, slots=True)
class HealthCheck:
    """One thing that was looked at."""

    name: str
    state: CheckState
    what: str
    todo: Message = NOTHING  # what mends it

    @classmethod
    def of(cls, name: str, state: CheckState, what: str, todo: str = "") -> Self:
        """Return a check; `todo` is the code of what mends it, as of an error."""
        return cls(name, state, what, Message(f"todo.{todo}") if todo else NOTHING)


Checks = Iterator[HealthCheck]


def examine(workspace: Workspace, settings: Settings, wiki: Client | BotError) -> list[HealthCheck]:
    """Look at everything; a check that fails by itself is `unknown`, and the others go on."""
    found = [*_programs(), *_workspace(workspace), *_scheduled(settings)]
    if isinstance(wiki, BotError):
        return [*found, HealthCheck("wiki", "fail", wiki.line())]
    for name, look in (("wiki", _api), ("properties", _properties), ("query service", _query_service)):
        found += _looked(name, look, wiki)
    return [*found, *_account(wiki.wiki, settings)]


def _looked(name: str, look: Callable[[Client], Checks], wiki: Client) -> list[HealthCheck]:
    try:
        return list(look(wiki))
    except LookupFailed as error:
        return [HealthCheck.of(name, "unknown", error.line(), "see_address")]
    except BotError as error:
        return [HealthCheck(name, "fail", error.line())]


def _programs() -> Checks:
    here = sys.version_info
    yield HealthCheck("python", "ok" if here >= (3, 11) else "fail", f"Python {here.major}.{here.minor}.{here.micro}")
    versions = [f"{name} {importlib.metadata.version(name)}" for name in _LIBRARIES]
    yield HealthCheck("libraries", "ok", ", ".join(versions))


def _workspace(workspace: Workspace) -> Checks:
    folder = workspace.path
    todo = "" if os.access(folder, os.W_OK | os.X_OK) else "right_to_write"
    yield HealthCheck.of("workspace", "fail" if todo else "ok", str(folder), todo)
    free = shutil.disk_usage(folder).free
    todo = "" if free >= _LEAST_FREE else "room_disk"
    yield HealthCheck.of("disk", "warn" if todo else "ok", f"{free / 2**30:.1f} GiB free", todo)
    rows = workspace.get("schema")
    yield HealthCheck("database", "ok", f"{workspace.engine.dialect.name}, schema {rows}")


def _scheduled(settings: Settings) -> Checks:
    """What a scheduled run looks at before its first stage."""
    if not settings.run.workspace:
        return
    wrong = list(problems(settings, Path(settings.path).resolve().parent))
    yield from (HealthCheck("run", "fail", error.what, error.advice or NOTHING) for error in wrong)
    for order in settings.run.crawl:
        try:
            check_order(order, settings)
        except BotError as error:
            wrong.append(error)
            yield HealthCheck(f"crawl {order.into}", "fail", error.what, error.advice or NOTHING)
    if not wrong:
        orders = f", {len(settings.run.crawl)} orders of documents" if settings.run.crawl else ""
        writes = "writes what people approved" if settings.run.write else "plans only"
        yield HealthCheck("run", "ok", f"its settings can be carried out{orders}; it {writes}")


def _api(client: Client) -> Checks:
    before = time.time()
    said, moment = client.about()
    yield HealthCheck("wiki", "ok", f"{client.wiki.name}: {said} answers at {client.wiki.api}")
    off = abs((moment - datetime.fromtimestamp(before, UTC)).total_seconds())
    todo = "clock" if off > _CLOCK_OFF else ""
    yield HealthCheck.of("clock", "warn" if todo else "ok", f"{off:.0f} s from the wiki's", todo)


def _properties(client: Client) -> Checks:
    named = {name: str(getattr(client.wiki.properties, name)) for name in DATATYPES}
    stated = {name: prop for name, prop in named.items() if prop}
    types = client.datatypes(stated.values())
    wrong = 0
    for name, prop in stated.items():
        found, wanted = types.get(prop, ""), DATATYPES[name]
        if found != wanted:
            wrong += 1
            what = f"{prop} is of datatype {found}, not {wanted}" if found else f"there is no property {prop}"
            yield HealthCheck.of(f"wiki.properties.{name}", "fail", what, "own_property")
    if not wrong:
        yield HealthCheck("properties", "ok", f"{len(stated)} properties have the datatypes that they need")


def _query_service(client: Client) -> Checks:
    start = time.monotonic()
    rows = client.select("lookup_items_with_formula", fresh=True, after="", limit=1)
    seconds = time.monotonic() - start
    if not rows:
        yield HealthCheck.of("query service", "warn", "lists no item with a formula", "see_sparql")
        return
    what = f"answers in {seconds:.1f} s at {client.wiki.sparql}"
    todo = "slow_audits" if seconds > _SLOW else ""
    yield HealthCheck.of("query service", "warn" if todo else "ok", what, todo)


def _account(wiki: Wiki, settings: Settings) -> Checks:
    if wiki.sandbox:
        yield HealthCheck("writing", "ok", "a rehearsal wiki: writing is always allowed there")
        return
    try:
        authorise(wiki, settings)
    except WriteRefused as error:
        yield HealthCheck.of("writing", "warn", error.line(), "live_needs")
        return
    if wrong := list(account_files(settings)):
        yield from (HealthCheck("account", "fail", each.what, each.advice or NOTHING) for each in wrong)
        return
    whose = f"{settings.writing.account} of {settings.writing.pywikibot_dir or '.'}"
    yield HealthCheck("account", "ok", f"{whose}; its rights are looked at by `write --live` before the first edit")
