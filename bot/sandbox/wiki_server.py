"""A rehearsal wiki on loopback: a threaded server around one site, filled from an items file, with the switches that tests and rehearsals need."""

import hashlib
import json
import socket
import threading
import uuid
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from pathlib import Path
from typing import Self, TypedDict, Unpack
from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

from werkzeug.serving import BaseWSGIServer, WSGIRequestHandler, make_server

from bot.errors import BotError
from bot.sandbox import entity_json, html_pages, snaks
from bot.sandbox.accounts import Editor, user_of_account
from bot.sandbox.call import ConnectionDropped, Json
from bot.sandbox.database import Clock, TermRow, utc_now
from bot.sandbox.entity_json import DataValue, EntityJson, RawJson, SnakJson, StatementJson
from bot.sandbox.faults import FaultOptions, SimulatedFault
from bot.sandbox.graph import Graph
from bot.sandbox.package_data import load_data
from bot.sandbox.repository import Repository, term_rows
from bot.sandbox.site import ENTITY_PREFIX, SITE_NAME, Site
from bot.sandbox.snaks import data_value
from bot.sandbox.web import act_as, make_app
from bot.settings import Properties, Wiki
from bot.wikibase import is_entity_id

_FILLED_BY = ("Admin", 1)
_ITEMS = ("instance_of", "part_of")  # of a row and of the settings: statements whose values are items
_COMMENT = "/* wbeditentity-create-item:0| */"


class _KnownProperties(TypedDict):
    named: dict[str, tuple[str, str]]  # field of the settings -> label, datatype
    besides: dict[str, tuple[str, str]]  # id -> label, datatype of what formulas and references need, too


_PROPERTIES: _KnownProperties = load_data("properties")


def item_of_row(row: RawJson, ids: Properties) -> EntityJson:
    """Return the entity that one row describes; formulas are taken as they come, valid or not, as old wikis hold them."""
    qid, language = str(row["qid"]).upper(), str(row.get("language") or "en")
    out = entity_json.blank_entity(qid)
    for part in entity_json.TERM_PARTS:
        if text := row.get(part.removesuffix("s")):
            out[part] = {language: {"language": language, "value": str(text)}}
    names = dict.fromkeys(str(name) for name in row.get("aliases") or () if name)
    if names:
        out["aliases"] = {language: [{"language": language, "value": name} for name in names]}
    links = (row.get("sitelinks") or {}).items()
    out["sitelinks"] = {site: {"site": site, "title": title, "badges": []} for site, title in links}
    for key in _ITEMS:
        for qid in row.get(key) or ():
            _add_statement(out, getattr(ids, key), "wikibase-item", data_value("wikibase-entityid", {"id": qid}))
    for tex in row.get("formulas") or ():
        _add_statement(out, ids.defining_formula, "math", {"value": str(tex), "type": "string"})
    return out


def _one_row_per_item(rows: Iterable[RawJson]) -> Iterator[RawJson]:
    """Yield one row for each item: what further rows of the same item say is added to its first."""
    first: dict[str, dict[str, object]] = {}
    for row in rows:
        merged = first.setdefault(row["qid"], {**row})
        for key, value in row.items():
            present = merged.get(key)
            if isinstance(value, list) and isinstance(present, list):
                merged[key] = list(dict.fromkeys([*present, *value]))
            elif not present:
                merged[key] = value
    yield from first.values()


def standard_properties(ids: Properties) -> list[EntityJson]:
    """Return the properties that every rehearsal wiki has."""
    named = {getattr(ids, name): described for name, described in _PROPERTIES["named"].items()}
    out: list[EntityJson] = []
    for name, (label, datatype) in {**_PROPERTIES["besides"], **named}.items():
        if name:
            out.append(
                {**entity_json.blank_entity(name, datatype), "labels": {"en": {"language": "en", "value": label}}}
            )
    return out


def _add_statement(entity: EntityJson, prop: str, datatype: str, value: DataValue) -> None:
    """Add a statement; its identifier follows from its content, so that a wiki filled twice is the same."""
    snak: SnakJson = {"snaktype": "value", "property": prop, "datavalue": value}
    main: SnakJson = {**snak, "hash": snaks.snak_hash(snak), "datatype": datatype}
    group = entity["claims"].setdefault(prop, [])
    guid = uuid.uuid5(uuid.NAMESPACE_URL, f"{entity['id']} {prop} {len(group)} {main['hash']}")
    own = f"{entity['id']}${str(guid).upper()}"
    done: StatementJson = {"mainsnak": main, "type": "statement", "id": own, "rank": "normal"}
    group.append(done)


def _write_first_revisions(
    repository: Repository, entities: Iterable[EntityJson], redirects: Mapping[str, str] | None = None
) -> None:
    """Write many first revisions at once; one insert for each table instead of one edit for each entity."""
    db, pages, revisions, terms = repository.db, [], [], []
    page, revision, time = db.next_free_number("page") - 1, db.next_free_number("revision") - 1, db.now()
    written = ((e["id"], json.dumps(e, ensure_ascii=False, separators=(",", ":")), "", term_rows(e)) for e in entities)
    merged = ((s, json.dumps({"entity": s, "redirect": t}), t, list[TermRow]()) for s, t in (redirects or {}).items())
    for name, text, target, indexed in chain(written, merged):
        page, revision, title = page + 1, revision + 1, db.namespaces.title(name)
        digest = hashlib.sha1(text.encode(), usedforsecurity=False).hexdigest()
        pages.append((page, db.namespaces.number(title), title, name, revision, target))
        revisions.append((revision, page, 0, *_FILLED_BY, time, _COMMENT, 0, text, digest, ""))
        terms += [(name, *term, term[3].casefold()) for term in indexed]
    db.execute_many("INSERT INTO pages VALUES(?,?,?,?,?,?)", pages)
    db.execute_many("INSERT INTO revisions VALUES(?,?,?,?,?,?,?,?,?,?,?)", revisions)
    db.execute_many("INSERT INTO terms VALUES(?,?,?,?,?,?)", terms)
    db.set_meta("last page", str(page))
    db.set_meta("last revision", str(revision))


class Sandbox:
    """A small Wikibase that answers on 127.0.0.1 for as long as the `with` lasts. It is not Wikidata.

    `path` is its SQLite file (none: in memory), `port` 0 a free port, `clock` the wiki's time. `item_namespace` ("Item") puts the
    items of a new wiki into a namespace of their own; a file that is there keeps what it was made with.
    """

    def __init__(
        self,
        path: str | Path | None = None,
        port: int = 0,
        *,
        entity_prefix: str = ENTITY_PREFIX,
        clock: Clock = utc_now,
        site_name: str = SITE_NAME,
        site_id: str = "sandbox",
        properties: Properties | None = None,
        item_namespace: str = "",
    ) -> None:
        self.site = Site(
            Path(path) if path else None,
            clock=clock,
            entity_prefix=entity_prefix,
            name=site_name,
            site_id=site_id,
            item_namespace=item_namespace,
        )
        self.graph = Graph(self.site)
        self.properties = properties or Properties()
        self._port = port
        self._server: BaseWSGIServer | None = None
        self._thread: threading.Thread | None = None

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(self, *exc: object) -> None:
        self.close()

    def start(self) -> Self:
        """Begin to answer; raises BotError where the port is taken."""
        app = _DroppedConnectionGuard(make_app(self.site, self.graph))
        try:
            listener = socket.create_server(("127.0.0.1", self._port), reuse_port=False)
        except OSError as error:
            self.site.db.close()
            where = f"127.0.0.1:{self._port}"
            raise BotError("address_taken", reason=str(error.strerror), where=where, todo="port") from None
        self._port = listener.getsockname()[1]
        self._server = make_server(
            "127.0.0.1", self._port, app, threaded=True, request_handler=_QuietRequestHandler, fd=listener.fileno()
        )
        listener.close()
        self.site.server = f"http://127.0.0.1:{self._port}"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), name="sandbox", daemon=True)
        self._thread.start()
        return self

    def close(self) -> None:
        """Stop answering; what was written stays in the file."""
        if self._server:
            self._server.shutdown()
            self._server.server_close()
            self._server = None
        if self._thread:
            self._thread.join(timeout=5)
        self.site.db.close()

    @property
    def address(self) -> str:
        return self.site.server

    @property
    def wiki(self) -> Wiki:
        """The settings of this wiki, for everybody who looks things up or writes."""
        return Wiki(
            name="sandbox",
            api=self.site.api,
            sparql=f"{self.site.server}/sparql",
            entity_prefix=self.site.entity_prefix,
            page_prefix=f"{self.site.server}/wiki/",
            articles=self.site.server + html_pages.PATTERN,
            item_namespace=self.site.db.namespaces.items,
            sandbox=True,
            properties=self.properties,
        )

    def fill(self, rows: Iterable[RawJson]) -> int:
        """Add items from rows of an items file, and the properties they need, in one transaction; return how many items there are.

        An item that is there already stays as it is.
        """
        repository, db = self.site.repository, self.site.db
        with db.writing():
            existing = {row["entity"] for row in db.rows("SELECT entity FROM pages WHERE entity <> ''")}
            _write_first_revisions(
                repository, [one for one in standard_properties(self.properties) if one["id"] not in existing]
            )
            new_entities: dict[str, EntityJson] = {}
            redirects: dict[str, str] = {}
            classes: dict[str, None] = {}
            for row in _one_row_per_item(rows):
                qid = str(row["qid"]).upper()
                classes.update(dict.fromkeys(str(q).upper() for key in _ITEMS for q in row.get(key) or ()))
                if row.get("redirect"):
                    redirects[qid] = str(row["redirect"]).upper()
                elif qid not in existing:
                    new_entities[qid] = item_of_row(row, self.properties)
            for qid in [*classes, *redirects.values()]:
                if is_entity_id(qid) and qid not in existing and qid not in new_entities and qid not in redirects:
                    new_entities[qid] = entity_json.blank_entity(qid)
            _write_first_revisions(repository, new_entities.values(), redirects)
            return db.number("SELECT count(*) FROM pages WHERE entity LIKE 'Q%' AND redirect = ''")

    def load_entities(self, entities: Mapping[str, RawJson]) -> None:
        """Add entities from whole entity JSON ({id: entity}); page and revision numbers are kept where they are free."""
        db = self.site.db
        with db.writing():
            for name, raw in sorted(entities.items(), key=lambda pair: pair[1].get("lastrevid", 0)):
                content = entity_json.stored_content(name, raw)
                for key, counter in (("pageid", "page"), ("lastrevid", "revision")):
                    if raw.get(key, 0) > int(db.get_meta(f"last {counter}", "0")):
                        db.set_meta(f"last {counter}", str(raw[key] - 1))
                kind = content["type"]
                self.site.repository.write(
                    content, Editor(user_of_account("Admin")), f"/* wbeditentity-create-{kind}:0| */"
                )

    def entity(self, qid: str) -> EntityJson | None:
        """Return an entity's JSON as it is now, None where it is missing or merged away."""
        found = self.site.repository.get(qid)
        return None if found is None or found.redirect else found.entity

    def history(self, title: str) -> list[Json]:
        """Return a page's or entity's revisions, oldest first: id, parent, user, time, comment, bot, text."""
        return [{**row} for row in self.site.db.history(self.site.page_title(title))]

    def set_page(self, title: str, text: str) -> int:
        """Write a wiki page (a stop page, an exclusion list); return its revision."""
        with self.site.db.writing():
            return self.site.db.save(self.site.canonical_title(title), text, Editor(user_of_account("Admin")), "")

    def act(self, name: str, **params: object) -> Json:
        """Carry out an API call for an account ('' for nobody), past all faults; return the answer's body."""
        texts = {key: json.dumps(v) if isinstance(v, dict | list) else str(v) for key, v in params.items()}
        return act_as(self.site, name, {"format": "json", **texts})

    def fault(
        self, kind: str, times: int | None = 1, after: int = 0, on: str = "", **options: Unpack[FaultOptions]
    ) -> SimulatedFault:
        """Arm a fault; see bot.sandbox.faults.KINDS for what there is and what it takes."""
        return self.site.faults.arm(kind, times, after, on, **options)

    def clear_faults(self, kind: str = "") -> None:
        self.site.faults.clear(kind)

    def block(self, name: str, reason: str = "rehearsed block") -> None:
        self.site.repository.block(name, reason)

    def remove_from_bots(self, name: str) -> None:
        """Remove an account from the bots, as a bureaucrat would; its sessions go on."""
        self.act("Admin", action="userrights", user=name, remove="bot")

    def unblock(self, name: str) -> None:
        self.site.repository.unblock(name)

    def protect(self, title: str, level: str = "sysop") -> None:
        self.act("Admin", action="protect", title=title, protections=f"edit={level}")

    def delete(self, title: str) -> None:
        self.act("Admin", action="delete", title=self.site.page_title(title))

    def merge(self, source: str, target: str) -> None:
        """Merge an item into another as a person would."""
        self.act("PlainUser", action="wbmergeitems", fromid=source, toid=target, ignoreconflicts="description")


class _QuietRequestHandler(WSGIRequestHandler):
    """Sends small answers at once, and does not write a line for each."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def log_request(self, code: int | str = "-", size: int | str = "-") -> None:
        return None

    def log(self, type: str, message: str, *args: object) -> None:
        return None


class _DroppedConnectionGuard:
    """Lets a dropped connection through to the server, which then closes it without an answer."""

    def __init__(self, app: WSGIApplication) -> None:
        self.app = app

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        try:
            return self.app(environ, start_response)
        except ConnectionDropped:
            connection = environ.get("werkzeug.socket")
            if connection is not None:
                connection.shutdown(socket.SHUT_RDWR)
            raise
