"""What is set up wrongly: settings, workspace, disk, clock, endpoints, property ids and their datatypes, the account.

Each check says `ok`, `warn`, `fail`, or `unknown` where it could not tell; nothing is written anywhere.
"""

from __future__ import annotations

import importlib.metadata
import os
import shutil
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from bot.corpus.crawl.run import check_order
from bot.errors import BotError, LookupFailed, WriteRefused
from bot.lookup import Client
from bot.operate.readiness import account_files, problems
from bot.records import CheckState
from bot.settings import Settings, Wiki
from bot.store import Workspace

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
}
_LIBRARIES = (
    "pywikibot",
    "SPARQLWrapper",
    "requests",
    "scikit-learn",
    "gensim",
    "lxml",
    "tenacity",
    "SQLAlchemy",
    "duckdb",
)
_LEAST_FREE = 2 * 2**30  # bytes: chosen, the mined occurrences of about a gigabyte of pages
_CLOCK_OFF = 60  # seconds: chosen, far below a day, by which caps and expiries count
_SLOW = 10  # seconds for one small query: chosen, the query service ends a query after 60


@dataclass(frozen=True, slots=True)
class HealthCheck:
    """One thing that was looked at."""

    name: str
    state: CheckState
    what: str
    todo: str = ""


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
        return [
            HealthCheck(
                name, "unknown", error.line(), "see whether the address in the settings answers, and run it again"
            )
        ]
    except BotError as error:
        return [HealthCheck(name, "fail", error.line())]


def _programs() -> Checks:
    here = sys.version_info
    yield HealthCheck("python", "ok" if here >= (3, 11) else "fail", f"Python {here.major}.{here.minor}.{here.micro}")
    versions = [f"{name} {importlib.metadata.version(name)}" for name in _LIBRARIES]
    yield HealthCheck("libraries", "ok", ", ".join(versions))


def _workspace(workspace: Workspace) -> Checks:
    folder = workspace.path
    writable = os.access(folder, os.W_OK | os.X_OK)
    yield HealthCheck(
        "workspace",
        "ok" if writable else "fail",
        str(folder),
        "" if writable else "give this account the right to write there",
    )
    free = shutil.disk_usage(folder).free
    enough = free >= _LEAST_FREE
    yield HealthCheck(
        "disk",
        "ok" if enough else "warn",
        f"{free / 2**30:.1f} GiB free",
        "" if enough else "make room: a full disk ends a run",
    )
    rows = workspace.get("schema")
    yield HealthCheck("database", "ok", f"{workspace.engine.dialect.name}, schema {rows}")


def _scheduled(settings: Settings) -> Checks:
    """What a scheduled run looks at before its first stage."""
    if not settings.run.workspace:
        return
    wrong = list(problems(settings, Path(settings.path).resolve().parent))
    yield from (HealthCheck("run", "fail", error.what, error.todo) for error in wrong)
    for order in settings.run.crawl:
        try:
            check_order(order, settings)
        except BotError as error:
            wrong.append(error)
            yield HealthCheck(f"crawl {order.into}", "fail", error.what, error.todo)
    if not wrong:
        orders = f", {len(settings.run.crawl)} orders of documents" if settings.run.crawl else ""
        writes = "writes what people approved" if settings.run.write else "plans only"
        yield HealthCheck("run", "ok", f"its settings can be carried out{orders}; it {writes}")


def _api(client: Client) -> Checks:
    before = time.time()
    said, moment = client.about()
    yield HealthCheck("wiki", "ok", f"{client.wiki.name}: {said} answers at {client.wiki.api}")
    off = abs((moment - datetime.fromtimestamp(before, UTC)).total_seconds())
    todo = "set this machine's clock: days, caps and expiries count by it" if off > _CLOCK_OFF else ""
    yield HealthCheck("clock", "warn" if todo else "ok", f"{off:.0f} s from the wiki's", todo)


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
            yield HealthCheck(f"wiki.properties.{name}", "fail", what, "name this wiki's own property in the settings")
    if not wrong:
        yield HealthCheck("properties", "ok", f"{len(stated)} properties have the datatypes that they need")


def _query_service(client: Client) -> Checks:
    start = time.monotonic()
    rows = client.select("lookup_items_with_formula", fresh=True, after="", limit=1)
    seconds = time.monotonic() - start
    if not rows:
        yield HealthCheck(
            "query service",
            "warn",
            "lists no item with a formula",
            "see wiki.sparql, wiki.entity_prefix and wiki.properties.defining_formula",
        )
        return
    slow = seconds > _SLOW
    yield HealthCheck(
        "query service",
        "warn" if slow else "ok",
        f"answers in {seconds:.1f} s at {client.wiki.sparql}",
        "expect audits that could not tell" if slow else "",
    )


def _account(wiki: Wiki, settings: Settings) -> Checks:
    from bot.write.authorise import authorise

    if wiki.sandbox:
        yield HealthCheck("writing", "ok", "a rehearsal wiki: writing is always allowed there")
        return
    try:
        authorise(wiki, settings)
    except WriteRefused as error:
        yield HealthCheck("writing", "warn", error.line(), "only `write --live` needs it")
        return
    if wrong := list(account_files(settings)):
        yield from (HealthCheck("account", "fail", each.what, each.todo) for each in wrong)
        return
    yield HealthCheck(
        "account",
        "ok",
        f"{settings.writing.account} of {settings.writing.pywikibot_dir or '.'}; its rights are looked at by `write --live` before the first edit",
    )
