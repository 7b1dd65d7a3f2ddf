"""The API: read the queue and decide, with a token, for other front ends. JSON in, JSON out."""

import dataclasses
import secrets
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import Literal, TypeVar

import msgspec
import sqlalchemy as sa
from flask import Blueprint, Response, abort, g, request
from msgspec import UNSET, UnsetType

from bot import store
from bot.errors import ReviewError
from bot.messages import Message
from bot.propose.cards import RELATIONS
from bot.propose.source_formulas import source_formulas
from bot.records import Decision, Proposal, as_json, is_text
from bot.review.people import SCRIPTED_ROLE, known_reviewer, reviewers
from bot.review.proposal_answers import possible_answers, stored_item
from bot.review.proposal_state import State
from bot.review.sessions import secret_digest
from bot.review.symbols_shown import ProposedSymbol, proposed_symbols, symbols_of_proposal
from bot.review.topics import remove_topic, save_topic, topics_of_person
from bot.review.web import api_schema, control_questions, queue_selection
from bot.review.web.item_page import of_item_page
from bot.review.web.openapi import description
from bot.review.web.pages_proposal import complete_decision_now, enqueue_other_item, with_row
from bot.review.web.pages_queue import shown_row
from bot.review.web.pages_statistics import figures_now
from bot.review.web.queue_filters import Filter
from bot.review.web.queue_index import QueueEntry
from bot.review.web.recording import record_decision
from bot.review.web.review_context import context
from bot.review.web.security import is_own_origin
from bot.review.web.views import edit_preview
from bot.store import Workspace, now, stamp
from bot.wikibase import is_item_id

api = Blueprint("api", __name__, url_prefix="/api/v1")
ITEM_PAGE = ("api.item", "api.decide")  # what the script on the wiki's item pages asks
T = TypeVar("T")


def make_token(workspace: Workspace, name: str, days: int = 90) -> str:
    """Return a new token of a known person; only its digest is kept. Raises ReviewError."""
    who = known_reviewer(workspace, name)
    if reviewers(workspace)[who] == SCRIPTED_ROLE:
        raise ReviewError("script", where=who)
    text = secrets.token_urlsafe(32)
    until = stamp(datetime.now(UTC) + timedelta(days=days))
    workspace.change(
        store.api_tokens.insert().values(digest=secret_digest(text), reviewer=who, created=now(), expires=until)
    )
    return text


@api.before_request
def _authenticate() -> None:
    origin = request.headers.get("Origin", "")
    of_item_pages = request.endpoint in ITEM_PAGE and origin == context.wiki.origin
    if origin and not of_item_pages and not is_own_origin(origin, request.host):
        abort(403, Message("error.foreign_page"))
    if request.endpoint == "api.openapi" or request.method == "OPTIONS":
        return
    kind, _, token = request.headers.get("Authorization", "").partition(" ")
    table = store.api_tokens.c
    query = sa.select(table.reviewer).where(table.digest == secret_digest(token.strip()), table.expires > now())
    found = context.workspace.rows(query) if kind.lower() == "bearer" and token else []
    name = found[0]["reviewer"] if found else _reviewer_of_item_page(token.strip(), origin)
    role = reviewers(context.workspace).get(name, "")
    context.index.refresh()
    if not token and request.endpoint == "api.item" and context.settings.gadget.everyone:
        g.who = ""
        return
    if role not in ("reviewer", "operator"):
        if not context.failed_tokens.allows(request.remote_addr or ""):
            abort(429, Message("error.many_tokens"))
        answer = _json(api_schema.Error(api_schema.Problem(401, str(Message("error.token_needed")))), 401)
        answer.headers["WWW-Authenticate"] = "Bearer"
        abort(answer)
    g.who, g.role = name, role


def _reviewer_of_item_page(token: str, origin: str) -> str:
    """Return who decides with the token of a connected item page: it is good from there alone, and for nothing else."""
    if request.endpoint not in ITEM_PAGE or not origin or origin != context.wiki.origin:
        return ""
    return context.connected.reviewer_of(context.workspace, token, context.rules.session_hours)


@api.after_request
def _allow_item_pages(answer: Response) -> Response:
    """Let the wiki's own pages, and no others, ask what their script asks. No cookie is read here, so none may be sent."""
    if request.endpoint in ITEM_PAGE:
        answer.headers["Vary"] = "Origin"
        if (origin := context.wiki.origin) and request.headers.get("Origin") == origin:
            answer.headers["Access-Control-Allow-Origin"] = origin
            if request.method == "OPTIONS":
                answer.headers["Access-Control-Allow-Methods"] = "GET, POST"
                answer.headers["Access-Control-Allow-Headers"] = "Authorization, Content-Type"
                answer.headers["Access-Control-Max-Age"] = "600"
    return answer


@api.get("/openapi.json")
def openapi() -> Response:
    """Describe the API."""
    return _json(description())


@api.get("/proposals")
def proposals() -> Response:
    """Return a page of the queue."""
    view = msgspec.convert(request.args.to_dict(), api_schema.FilterRequest, strict=False)
    found = [shown_row(row) for row in queue_selection.rows(context.workspace, view, g.who, view.after)]
    rows = [api_schema.Row(**{name: getattr(row, name) for name in api_schema.Row.__struct_fields__}) for row in found]
    return _json(api_schema.QueuePage(rows, rows[-1].id if len(rows) == queue_selection.PAGE else None))


@api.get("/proposals/<proposal>")
def proposal(proposal: str) -> Response:
    """Return a proposal with all that a reviewer needs."""
    return _json(_answer(*_found(proposal)))


@api.get("/items/<qid>/proposals")
def item(qid: str) -> Response:
    """Return what waits for a decision on an item, as the script on the item's page shows it."""
    if not is_item_id(qid):
        abort(404, Message("error.unknown_item"))
    rows = queue_selection.rows(context.workspace, Filter(q=qid), g.who)
    return _json(api_schema.ItemPage(qid, g.who, [of_item_page(row) for row in rows]))


@api.get("/topics")
def topics() -> Response:
    """Return the topics of this token's person."""
    return _json(api_schema.Topics(topics_of_person(context.workspace, g.who)))


@api.post("/topics")
def keep_topic() -> Response:
    """Keep a topic; the same one again asks its query again."""
    body = _body(api_schema.TopicRequest)
    asked = (body.name, body.filter.query(), " ".join(body.items), body.sparql)
    topic = save_topic(context.workspace, g.who, *asked, context.ask_items)
    return _json(topic, 201)


@api.delete("/topics/<topic>")
def forget_topic(topic: str) -> Response:
    """Forget a topic and return the others."""
    remove_topic(context.workspace, g.who, topic)
    return topics()


@api.post("/next")
def following() -> Response:
    """Lease the next proposal for this token's person and return it."""
    view = _body(api_schema.FilterRequest, strict=False)
    if view.after:
        queue_selection.release(context.workspace, view.after, g.who)
    id_ = context.next(view, view.after)
    return _json({"proposal": _answer(*_found(id_)) if id_ else None})


@api.post("/proposals/<proposal>/decisions")
def decide(proposal: str) -> Response:
    """Record a decision on exactly the content whose hash is given."""
    request_body, (found, row) = _body(api_schema.DecisionRequest), _found(proposal)
    control = control_questions.record_of(context.workspace, found.id)
    decision = Decision(
        found.id,
        request_body.hash,
        request_body.verdict,
        request_body.references,
        request_body.reason if request_body.verdict in ("reject", "close") else "",
        g.who,
        tex=request_body.tex if request_body.verdict == "approve" else "",
        edit_confirmed=request_body.edit_confirmed and request_body.verdict == "approve" and bool(request_body.tex),
        about=request_body.about,
    )
    decision, other = complete_decision_now(found, decision, wrong_on_purpose=control is not None)
    known_wrong: Literal["noticed", "missed"] | UnsetType = UNSET
    if control is not None:
        noticed = control_questions.record_answer(context.workspace, control, decision)
        known_wrong = UNSET if noticed is None else "noticed" if noticed else "missed"
        decision = dataclasses.replace(decision, time=now())
    else:
        decision_count = request_body.decided
        if decision_count is UNSET:  # nobody says that the decision of another person was seen
            decision_count = row.decided if row.reviewer in ("", g.who) or request_body.verdict == "withdraw" else 0
        decision = record_decision(context.workspace, context.index, decision, decision_count)
    placed = enqueue_other_item(other) if other else ""
    now_ = queue_selection.row_of(context.workspace, found.id)
    waits = now_ is not None and now_.state is State.SECOND
    recorded = api_schema.RecordedDecision(
        **as_json(decision), known_wrong=known_wrong, placed=placed, waits_for_second=waits
    )
    return _json(recorded, 201)


@api.post("/preview")
def preview() -> Response:
    """Draw an edited formula and say whether the wiki would take it."""
    request_body = _body(api_schema.PreviewRequest)
    found = edit_preview(_found(request_body.proposal)[0].tex, request_body.tex)
    sentences = {name: str(text or "") for name, text in (("why", found.why), ("note", found.note))}
    values = {field.name: getattr(found, field.name) for field in dataclasses.fields(found)}
    return _json(api_schema.PreviewAnswer(**{**values, **sentences, "relation": RELATIONS[found.relation]}))


@api.get("/statistics")
def statistics() -> Response:
    """Return the figures over all decisions; names only for operators."""
    found = figures_now()
    if g.role != "operator":
        people, attention = (tuple(row for row in of if row[0] == g.who) for of in (found.people, found.attention))
        found = dataclasses.replace(found, people=people, attention=attention)
    return _json(found)


def _found(id_: str) -> tuple[Proposal, QueueEntry]:
    if not is_text(id_):
        abort(404, Message("error.unknown_proposal"))
    with suppress(ReviewError):
        found, row = with_row(id_)
        if row is not None:
            return found, row
    abort(404, Message("error.unknown_proposal"))


def _answer(found: Proposal, row: QueueEntry) -> dict[str, object]:
    """Return the QueuedProposal of a proposal, with all its other fields."""
    item = stored_item(context.workspace, found.qid)
    answers = possible_answers(found, item, context.wiki.properties)
    details = {"answers": answers, "label": row.label, "state": shown_row(row).state, "words": row.decided}
    return {
        **as_json(found),
        **details,
        "source_formulas": as_json(source_formulas(found)),
        "symbols": symbols_of_proposal(context.workspace, found, context.wiki.properties),
        "symbol_proposals": [_symbol(each) for each in proposed_symbols(context.workspace, context.wiki, found)],
    }


def _symbol(found: ProposedSymbol) -> api_schema.SymbolOfFormula:
    proposal = found.proposal
    return api_schema.SymbolOfFormula(
        proposal.id, proposal.hash, proposal.tex, found.represents, found.label, found.meaning, proposal.probability, found.state,
        proposal.references, proposal.quotes, found.decided,
    )  # fmt: skip


def _body(schema: type[T], *, strict: bool = True) -> T:
    if not request.is_json:
        abort(422, Message("error.json_body"))
    return msgspec.json.decode(request.get_data(), type=schema, strict=strict)


def _json(answer: object, code: int = 200) -> Response:
    return Response(msgspec.json.encode(answer, enc_hook=str), code, mimetype="application/json")


@api.errorhandler(msgspec.MsgspecError)
@api.errorhandler(UnicodeDecodeError)
@api.errorhandler(RecursionError)
def _refused(error: Exception) -> Response:
    """Refuse what does not fit the schema."""
    return _json(api_schema.Error(api_schema.Problem(422, str(error)[:300])), 422)
