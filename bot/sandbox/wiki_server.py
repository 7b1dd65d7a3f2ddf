"""A rehearsal wiki on loopback: a threaded server around one site, with the switches that tests and rehearsals need."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Unpack
from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

from werkzeug.serving import BaseWSGIServer, WSGIRequestHandler, make_server

from bot.errors import BotError
from bot.sandbox import entity_json, served_articles
from bot.sandbox.accounts import Editor, user
from bot.sandbox.call import Dropped, Json
from bot.sandbox.database import Clock, utc_now
from bot.sandbox.entity_json import EntityJson, Raw
from bot.sandbox.faults import FaultOptions, SimulatedFault
from bot.sandbox.fill import fill
from bot.sandbox.graph import Graph
from bot.sandbox.site import ENTITY_PREFIX, SITE_NAME, Site
from bot.sandbox.web import act, make_app
from bot.settings import Properties, Wiki


class Sandbox:
    """A small Wikibase that answers on 127.0.0.1 for as long as the `with` lasts. It is no Wikidata.

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

    def __enter__(self) -> Sandbox:
        return self.start()

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        self.close()

    def start(self) -> Sandbox:
        """Begin to answer; raises BotError where the port is taken."""
        app = _Guard(make_app(self.site, self.graph))
        try:
            listener = socket.create_server(("127.0.0.1", self._port), reuse_port=False)
        except OSError as error:
            self.site.db.close()
            where = f"127.0.0.1:{self._port}"
            raise BotError(
                f"cannot be listened on ({error.strerror})", where=where, todo="choose another port"
            ) from None
        self._port = listener.getsockname()[1]
        self._server = make_server(
            "127.0.0.1", self._port, app, threaded=True, request_handler=_Quiet, fd=listener.fileno()
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
            articles=self.site.server + served_articles.PATTERN,
            item_namespace=self.site.db.namespaces.items,
            sandbox=True,
            properties=self.properties,
        )

    def fill(self, rows: Iterable[Raw]) -> int:
        """Add items from rows of an items file, and the properties they need; return how many items there are."""
        return fill(self.site.repository, rows, self.properties)

    def load_entities(self, given: Mapping[str, Raw]) -> None:
        """Add entities from whole entity JSON ({id: entity}); page and revision numbers are kept where they are free."""
        db = self.site.db
        with db.writing():
            for name, raw in sorted(given.items(), key=lambda pair: pair[1].get("lastrevid", 0)):
                content = entity_json.content(name, raw)
                for key, counter in (("pageid", "page"), ("lastrevid", "revision")):
                    if raw.get(key, 0) > int(db.get_meta(f"last {counter}", "0")):
                        db.set_meta(f"last {counter}", str(raw[key] - 1))
                kind = content["type"]
                self.site.repository.write(content, Editor(user("Admin")), f"/* wbeditentity-create-{kind}:0| */")

    def entity(self, qid: str) -> EntityJson | None:
        """Return an entity's JSON as it is now, None where it is missing or merged away."""
        found = self.site.repository.get(qid)
        return None if found is None or found.redirect else found.entity

    def history(self, title: str) -> list[Json]:
        """Return a page's or entity's revisions, oldest first: id, parent, user, time, comment, bot, text."""
        sql = "SELECT r.* FROM revisions r JOIN pages ON r.page = pages.id WHERE title = ? ORDER BY r.id"
        return [{**row} for row in self.site.db.rows(sql, self.site.page_title(title))]

    def set_page(self, title: str, text: str, by: str = "Admin") -> int:
        """Write a wiki page (a stop page, an exclusion list); return its revision."""
        with self.site.db.writing():
            return self.site.db.save(self.site.canonical(title), text, Editor(user(by)), "")

    def act(self, name: str, **params: object) -> Json:
        """Carry out an API call for an account ('' for nobody), past all faults; return the answer's body."""
        given = {key: json.dumps(v) if isinstance(v, dict | list) else str(v) for key, v in params.items()}
        return act(self.site, name, {"format": "json", **given})

    def fault(
        self, kind: str, times: int | None = 1, after: int = 0, on: str = "", **options: Unpack[FaultOptions]
    ) -> SimulatedFault:
        """Arm a fault; see bot.sandbox.faults.KINDS for what there is and what it takes."""
        return self.site.faults.arm(kind, times, after, on, **options)

    def clear_faults(self, kind: str = "") -> None:
        self.site.faults.clear(kind)

    def block(self, name: str, reason: str = "rehearsed block") -> None:
        self.site.repository.block(name, reason)

    def take_right(self, name: str) -> None:
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


class _Quiet(WSGIRequestHandler):
    """Keeps connections open, sends small answers at once, and does not write a line for each."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def log_request(self, code: int | str = "-", size: int | str = "-") -> None:
        return None

    def log(self, type: str, message: str, *args: object) -> None:
        return None


class _Guard:
    """Lets a dropped connection through to the server, which then closes it without an answer."""

    def __init__(self, app: WSGIApplication) -> None:
        self.app = app

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        try:
            return self.app(environ, start_response)
        except Dropped:
            wire = environ.get("werkzeug.socket")
            if wire is not None:
                wire.shutdown(socket.SHUT_RDWR)
            raise
