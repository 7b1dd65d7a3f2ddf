"""The Reconciliation Service API, draft 0.2 of the W3C community group, as a Flask app over known items. It only reads.

https://www.w3.org/community/reports/reconciliation/CG-FINAL-specs-0.2-20230410/; its answers fit draft 0.1 too. JSONP, which the
drafts leave open, is not offered.
"""

from collections.abc import Collection, Sequence
from typing import Annotated, Any, NoReturn, TypeAlias, TypeVar

import msgspec
from flask import Flask, Response, abort, render_template, request
from flask.typing import ResponseReturnValue
from markupsafe import Markup
from msgspec import Meta, Struct
from werkzeug.exceptions import HTTPException

from bot import __version__
from bot.formula import mathml
from bot.messages import Message
from bot.review.reconciliation.known_items import (
    ANY_TYPE,
    KnownItems,
    ReconciliationCandidate,
    ReconciliationRequest,
    Strictness,
)
from bot.settings import Wiki
from bot.wikibase import Json

BATCH = 50  # queries in one request; chosen: OpenRefine sends ten, or what the manifest says
MAX_CANDIDATES = 50
MAX_ITEMS, MAX_PROPERTIES = 500, 20  # of a data extension
# Characters of a text, five times what Wikibase stores as a formula: what is longer is not an item's
MAX_TEXT_LENGTH = 2_000
MAX_REQUEST_BYTES = 1_000_000  # bytes of a request
PAGE = 20  # suggestions in one answer
MAX_FORMULAS = 3  # formulas of an item
WIDTH, HEIGHT = 420, 240  # pixels of the preview
_HEADERS = {
    "Access-Control-Allow-Origin": "*",  # the draft wants it of every endpoint; nothing here is private, nothing is changed
    "Access-Control-Allow-Methods": "GET, POST, OPTIONS",
    "Access-Control-Allow-Headers": "Content-Type",
    "Cross-Origin-Resource-Policy": "cross-origin",
    "Content-Security-Policy": "default-src 'none'; style-src-attr 'unsafe-inline'; base-uri 'none'; form-action 'none'; "
    "sandbox allow-popups allow-popups-to-escape-sandbox",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
}
T = TypeVar("T")


class ReconciledEntity(Struct):
    id: str
    name: str = ""


PropertyValue: TypeAlias = str | int | float | bool | ReconciledEntity


class ReconciliationProperty(Struct, forbid_unknown_fields=True):
    pid: str
    v: PropertyValue | list[PropertyValue]


class ReconciliationQuery(Struct, forbid_unknown_fields=True):
    query: str | msgspec.UnsetType = msgspec.UNSET
    type: str | list[str] = ""
    limit: Annotated[int, Meta(ge=1)] = 10
    properties: list[ReconciliationProperty] = []
    type_strict: Strictness = "any"


class ExtensionProperty(Struct):
    id: str
    settings: dict[str, Any] = {}


class ExtensionQuery(Struct):
    ids: list[str]
    properties: list[ExtensionProperty]


class Service:
    """The answers of the draft, from the items and the ids of one wiki."""

    def __init__(self, items: KnownItems, wiki: Wiki) -> None:
        self.items, self.wiki = items, wiki
        ids = wiki.properties
        self.formula, self.instance = ids.defining_formula, ids.instance_of
        named = {self.formula: "defining formula", self.instance: "instance of"}
        self.properties = named | {name: name for name in ("label", "alias", "description")}
        self.types = {ANY_TYPE: "any item"} | {qid: items.name(qid) for qid, _ in items.classes.most_common()}

    def manifest(self, address: str) -> Json:
        """Return what the service offers; `address` is its own, without a slash at the end."""
        suggest = {
            kind: {
                "service_url": address,
                "service_path": f"/suggest/{kind}",
                "flyout_service_url": address,  # OpenRefine asks for flyouts of a service that names none, too
                "flyout_service_path": f"/flyout/{kind}?id=${{id}}",
            }
            for kind in ("entity", "property", "type")
        }
        return {
            "versions": ["0.1", "0.2"],
            "name": f"Formula concepts ({self.wiki.name})",
            "identifierSpace": self.wiki.entity_prefix,
            "schemaSpace": self.wiki.entity_prefix.removesuffix("entity/") + "prop/direct/",
            "defaultTypes": [{"id": ANY_TYPE, "name": self.types[ANY_TYPE]}],
            "serviceVersion": __version__,
            "batchSize": BATCH,
            "view": {"url": self.wiki.page_prefix + self.wiki.title("{{id}}")},
            "preview": {"url": f"{address}/preview/{{{{id}}}}", "width": WIDTH, "height": HEIGHT},
            "suggest": suggest,
            "extend": {"propose_properties": {"service_url": address, "service_path": "/properties"}},
        }

    def reconcile(self, text: str) -> Json:
        """Return the result batch of a query batch in JSON."""
        batch = _decoded(text, dict[str, ReconciliationQuery])
        if len(batch) > BATCH:
            abort(413, Message("reconcile.large_batch", n=len(batch), most=BATCH))
        wanted = [self._request_of(name, query) for name, query in batch.items()]
        found = self.items.candidates(wanted)
        return {
            name: {"result": [self._candidate(one) for one in each]} for name, each in zip(batch, found, strict=True)
        }

    def extend(self, text: str) -> Json:
        """Return the properties' values of items; an item that is not known here has none."""
        query = _decoded(text, ExtensionQuery)
        if len(query.ids) > MAX_ITEMS or len(query.properties) > MAX_PROPERTIES:
            abort(413, Message("reconcile.large_request", items=MAX_ITEMS, properties=MAX_PROPERTIES))
        for each in query.properties:
            if each.id not in self.properties:
                _refuse("property", id=repr(each.id[:40]), known=", ".join(self.properties))
        named = [each.id for each in query.properties]
        return {
            "meta": [{"id": each, "name": self.properties[each]} for each in named],
            "rows": {qid: {each: self._values(qid, each) for each in named} for qid in query.ids},
        }

    def suggest(self, kind: str, prefix: str, cursor: int) -> list[Json]:
        """Return entities, properties or types of which a name or the id starts so."""
        if kind == "entity":
            found = self.items.starting(prefix)[cursor : cursor + PAGE]
            return [{**self._entity(qid), "notable": self._types(qid)} for qid in found]
        entries = self.properties if kind == "property" else self.types
        start = prefix.strip().casefold()
        fits = [each for each in entries.items() if any(part.casefold().startswith(start) for part in each)]
        return [{"id": id_, "name": name} for id_, name in fits[cursor : cursor + PAGE]]

    def _request_of(self, name: str, query: ReconciliationQuery) -> ReconciliationRequest:
        if query.query is msgspec.UNSET and not query.properties:
            _refuse("empty_query", name=repr(name[:40]))
        text = "" if query.query is msgspec.UNSET else query.query.strip()
        types = [query.type] if isinstance(query.type, str) else query.type
        values = [(each.pid, text) for each in query.properties for text in _texts(each.v)]
        if len(values) > MAX_PROPERTIES:
            abort(413, Message("reconcile.large_query", name=repr(name[:40]), most=MAX_PROPERTIES))
        if any(len(each) > MAX_TEXT_LENGTH for each in (text, *types, *(value for _, value in values))):
            return ReconciliationRequest()  # one such cell does not take the answers from the other cells of its batch
        return ReconciliationRequest(
            text,
            tuple(text for pid, text in values if pid == self.formula and text.strip()),
            tuple(text for pid, text in values if pid in ("label", "alias")),
            tuple(filter(None, (*types, *(text for pid, text in values if pid == self.instance)))),
            query.type_strict,
            min(query.limit, MAX_CANDIDATES),
        )

    def _candidate(self, one: ReconciliationCandidate) -> Json:
        return {
            **self._entity(one.qid),
            # OpenRefine counts the classes of a few answers and ticks the most frequent one: that of everything, not of some
            "type": [{"id": ANY_TYPE, "name": self.types[ANY_TYPE]}, *self._types(one.qid)],
            "score": round(100 * one.probability, 2),
            "match": one.sure,
            "features": [{"id": name, "value": value} for name, value in one.features.items()],
        }

    def _entity(self, qid: str) -> Json:
        description = self.items.rows[qid].get("description")
        return {"id": qid, "name": self.items.name(qid), **({"description": description} if description else {})}

    def _types(self, qid: str) -> list[Json]:
        return [{"id": each, "name": self.items.name(each)} for each in self.items.types(qid)]

    def _values(self, qid: str, property_: str) -> list[Json]:
        row = self.items.rows.get(qid)
        if row is None:
            return []
        if property_ == self.instance:
            return self._types(qid)
        texts: dict[str, Sequence[str | None]] = {
            self.formula: self.items.formulas(qid),
            "label": [row.get("label")],
            "alias": self.items.aliases(qid),
            "description": [row.get("description")],
        }
        return [{"str": text} for text in texts[property_] if text]


def make_service(items: KnownItems, wiki: Wiki, *, hosts: Collection[str]) -> Flask:
    """Return the app. `hosts` are the only ones it answers under: a page elsewhere cannot make a name of its own lead here."""
    app = Flask(__name__)
    app.config.update(MAX_CONTENT_LENGTH=MAX_REQUEST_BYTES, MAX_FORM_MEMORY_SIZE=MAX_REQUEST_BYTES)
    service = Service(items, wiki)

    @app.before_request
    def known_host() -> None:
        if request.host.lower() not in hosts:
            _refuse("host")

    @app.after_request
    def guarded(answer: Response) -> Response:
        answer.headers.update(_HEADERS)
        return answer

    @app.route("/", methods=["GET", "POST"])
    def endpoint() -> ResponseReturnValue:
        values = request.values
        kinds = [name for name in ("queries", "extend") if name in values]
        if len(kinds) > 1 or (not kinds and request.method == "POST"):
            _refuse("either")
        if not kinds:
            return service.manifest(request.host_url.rstrip("/"))
        return (service.reconcile if kinds == ["queries"] else service.extend)(values[kinds[0]])

    def drawn(template: str, qid: str) -> str:
        if qid not in items.rows:
            abort(404, Message("reconcile.unknown_entity"))
        own = items.formulas(qid)
        return render_template(
            template,
            qid=qid,
            name=items.name(qid),
            row=items.rows[qid],
            own=bool(own),
            drawn=[Markup(mathml(tex, display=True)) for tex in (own or items.builtin_formulas_of(qid))[:MAX_FORMULAS]],
            address=wiki.page_prefix + wiki.title(qid),
        )

    @app.get("/preview/<qid>")
    def preview(qid: str) -> ResponseReturnValue:
        return drawn("preview.html", qid)

    @app.get("/flyout/<any(entity, property, type):kind>")
    def flyout(kind: str) -> ResponseReturnValue:
        id_ = request.args.get("id", "")[:MAX_TEXT_LENGTH]
        if kind == "entity":
            return {"id": id_, "html": drawn("item_shown.html", id_)}
        name = service.properties.get(id_) if kind == "property" else service.types.get(id_)
        if name is None:
            abort(404, Message(f"reconcile.unknown_{kind}"))
        return {"id": id_, "html": Markup("<p><strong>{}</strong> ({})</p>").format(name, id_)}

    @app.get("/suggest/<any(entity, property, type):kind>")
    def suggest(kind: str) -> ResponseReturnValue:
        prefix = request.args.get("prefix", "")
        if len(prefix) > MAX_TEXT_LENGTH:
            abort(413, Message("reconcile.long_prefix", most=MAX_TEXT_LENGTH))
        return {"result": service.suggest(kind, prefix, _number("cursor", 0, least=0))}

    @app.get("/properties")
    def properties() -> ResponseReturnValue:
        listed = [{"id": id_, "name": name} for id_, name in service.properties.items()]
        limit = _number("limit", len(listed), least=1)
        kind = request.args.get("type", ANY_TYPE)[:MAX_TEXT_LENGTH]
        return {"type": kind, "limit": limit, "properties": listed[:limit]}

    @app.errorhandler(HTTPException)
    def failed(error: HTTPException) -> ResponseReturnValue:
        answer = error.get_response()
        answer.data = msgspec.json.encode({"error": {"code": error.code, "what": str(error.description)}})
        answer.content_type = "application/json"
        return answer

    return app


def _decoded(text: str, kind: type[T]) -> T:
    try:
        return msgspec.json.decode(text, type=kind)
    except (msgspec.MsgspecError, UnicodeError, RecursionError) as error:
        _refuse("no_draft", why=str(error))


def _texts(value: PropertyValue | list[PropertyValue]) -> list[str]:
    return [
        str(each.id if isinstance(each, ReconciledEntity) else each)
        for each in (value if isinstance(value, list) else [value])
    ]


def _number(name: str, default: int, *, least: int) -> int:
    text = request.args.get(name, str(default))
    if not (text.isascii() and text.isdigit() and len(text) < 10 and int(text) >= least):
        _refuse("no_number", name=name, least=least)
    return int(text)


def _refuse(code: str, **values: str | int) -> NoReturn:
    abort(400, Message(f"reconcile.{code}", **values))
