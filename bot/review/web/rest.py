"""The API: read the queue and decide, with a token, for whoever builds another front end. JSON in, JSON out."""

from __future__ import annotations

import dataclasses
import re
import secrets
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import sqlalchemy as sa
from flask import Blueprint, Response, abort, g, jsonify, request

from bot import store
from bot.errors import ReviewError
from bot.propose import proposal_from_record
from bot.propose.source_formulas import source_formulas
from bot.records import Decision, Proposal, as_json, is_text
from bot.review.decide import VERDICTS
from bot.review.people import reviewer as known_reviewer
from bot.review.people import reviewers
from bot.review.queue import STATES, find
from bot.review.sessions import hash_of
from bot.review.statistics import statistics as measured
from bot.review.web import control_questions, pick
from bot.review.web.desk import desk
from bot.review.web.openapi import description
from bot.review.web.pages_queue import shown_row
from bot.review.web.queue_filters import KINDS, ORDERS, Filter
from bot.review.web.say import say
from bot.review.web.views import preview as preview_of
from bot.store import Workspace, now

api = Blueprint("api", __name__, url_prefix="/api/v1")
Json = dict[str, Any]
_ROW = ("id", "hash", "kind", "qid", "label", "tex", "probability", "frequency", "expires", "state", "words")


def make_token(workspace: Workspace, name: str, days: int = 90) -> str:
    """Return a new token of a known person; only its digest is kept. Raises ReviewError."""
    who = known_reviewer(workspace, name)
    if reviewers(workspace)[who] == "stand-in":
        raise ReviewError("is a script, not a person", where=who)
    text = secrets.token_urlsafe(32)
    until = (datetime.now(UTC) + timedelta(days=days)).strftime("%Y-%m-%dT%H:%M:%SZ")
    with workspace.engine.begin() as db:
        db.execute(store.api_tokens.insert().values(digest=hash_of(text), reviewer=who, created=now(), expires=until))
    return text


@api.before_request
def _who() -> None:
    g.language = "en"
    if request.endpoint == "api.openapi":
        return
    kind, _, given = request.headers.get("Authorization", "").partition(" ")
    table = store.api_tokens.c
    query = sa.select(table.reviewer).where(table.digest == hash_of(given.strip()), table.expires > now())
    found = desk().workspace.rows(query) if kind.lower() == "bearer" and given else []
    role = reviewers(desk().workspace).get(found[0]["reviewer"], "") if found else ""
    if role not in ("reviewer", "operator"):
        if not desk().wrong.allows(request.remote_addr or ""):
            abort(429, "too many wrong tokens; wait some minutes")
        answer = jsonify(error={"code": 401, "what": "a token is needed: Authorization: Bearer …"})
        answer.status_code, answer.headers["WWW-Authenticate"] = 401, "Bearer"
        abort(answer)
    g.who, g.role = found[0]["reviewer"], role
    desk().index.refresh()


@api.get("/openapi.json")
def openapi() -> Response:
    """Describe the API."""
    return jsonify(description())


@api.get("/proposals")
def proposals() -> Response:
    """Return a page of the queue."""
    chosen = _view(request.args)
    after = request.args.get("after", "")
    rows = [shown_row(row) for row in pick.rows(desk().workspace, chosen, g.who, after)]
    more = rows[-1]["id"] if len(rows) == pick.PAGE else None
    return jsonify(proposals=[{name: row[name] for name in _ROW} for row in rows], after=more)


@api.get("/proposals/<proposal>")
def proposal(proposal: str) -> Response:
    """Return a proposal with all that a reviewer needs."""
    record, row = _found(proposal)
    state = shown_row(row)
    return jsonify({**record, "label": row["label"], "state": state["state"], "words": row["words"]})


@api.post("/next")
def following() -> Response:
    """Lease the next proposal for this token's person and return it."""
    body = _body()
    chosen = _view(body)
    after = body.get("after", "")
    here = desk()
    if after:
        pick.release(here.workspace, after, g.who)
    id_ = here.next(chosen, after)
    if not id_:
        return jsonify(proposal=None)
    record, row = _found(id_)
    return jsonify(proposal={**record, "label": row["label"], "state": shown_row(row)["state"], "words": row["words"]})


@api.post("/proposals/<proposal>/decisions")
def decide(proposal: str) -> tuple[Response, int]:
    """Record a decision on exactly the content whose hash is given."""
    body, here = _body("hash", "verdict", "reason", "references", "tex", "edit_confirmed", "words"), desk()
    _, row = _found(proposal)
    texts = {name: body.get(name, "") for name in ("hash", "verdict", "reason", "tex")}
    references = body.get("references", [])
    if not all(isinstance(value, str) and len(value) < 5000 for value in texts.values()):
        abort(422, "hash, verdict, reason and tex are strings")
    if not isinstance(references, list) or len(references) > 100 or not all(isinstance(r, str) for r in references):
        abort(422, "references is a list of approve, reject or skip")
    confirmed = body.get("edit_confirmed", False)
    if not isinstance(confirmed, bool):
        abort(422, "edit_confirmed is true or false")
    if texts["verdict"] not in VERDICTS:
        abort(422, f"verdict is one of {', '.join(VERDICTS)}")
    if not is_text(texts["tex"]):
        raise ReviewError("the wiki would refuse the edited formula: it holds what is no character", where=row["id"])
    texts["tex"] = texts["tex"] if texts["verdict"] == "approve" else ""
    texts["reason"] = texts["reason"] if texts["verdict"] == "reject" else ""
    words = body.get("words", row["words"])
    if not isinstance(words, int) or isinstance(words, bool) or not 0 <= words < 1_000_000:
        abort(422, "words is the number that came with the proposal")
    confirmed = confirmed and bool(texts["tex"])
    said = Decision(row["id"], **texts, references=tuple(references), reviewer=g.who, edit_confirmed=confirmed)
    if (record := control_questions.record_of(here.workspace, row["id"])) is not None:
        noticed = control_questions.answer(here.workspace, record, said)
        told = {} if noticed is None else {"known_wrong": "noticed" if noticed else "missed"}
        return jsonify({**as_json(dataclasses.replace(said, time=now())), **told}), 201
    return jsonify(as_json(say(here.workspace, here.index, said, words))), 201


@api.post("/preview")
def preview() -> Response:
    """Draw an edited formula and say whether the wiki would take it."""
    body = _body("proposal", "tex")
    id_, tex = body.get("proposal", ""), body.get("tex", "")
    if not isinstance(id_, str) or not isinstance(tex, str):
        abort(422, "proposal and tex are strings")
    record, _ = _found(id_)
    return jsonify(as_json(preview_of(record["tex"], tex)))


@api.get("/statistics")
def statistics() -> Response:
    """Return the figures over all decisions; names only for operators."""
    here = desk()
    found = as_json(here.counted("statistics", lambda: measured(here.workspace)))
    for band in found["bands"]:
        judged = band["approved"] + band["rejected"]
        band["precision"] = band["approved"] / judged if judged else None
    if g.role != "operator":
        found["people"] = [row for row in found["people"] if row[0] == g.who]
        found["attention"] = [row for row in found["attention"] if row[0] == g.who]
    return jsonify(found)


def _found(id_: str) -> tuple[Json, dict[str, Any]]:
    here = desk()
    if is_text(id_) and (wrong := control_questions.record_of(here.workspace, id_)) is not None:
        return _shown(proposal_from_record(wrong)), control_questions.row_of(here.workspace, wrong)
    row = pick.row_of(here.workspace, id_) if is_text(id_) else None
    if row is None:
        abort(404, "no such proposal")
    try:
        return _shown(find(here.workspace, id_)), row
    except ReviewError:
        abort(404, "no such proposal")


def _shown(found: Proposal) -> Json:
    """Return a proposal with what each of its sources writes."""
    return {**as_json(found), "source_formulas": as_json(source_formulas(found))}


def _body(*known: str) -> Json:
    try:
        found = request.get_json(silent=True)
    except RecursionError:
        found = None
    if not isinstance(found, dict):
        abort(422, "the body is a JSON object")
    _only(found, known or tuple(found))
    return found


def _only(given: Mapping[str, Any], known: Sequence[str]) -> None:
    if unknown := sorted(given.keys() - set(known)):
        abort(422, f"there is no {unknown[0][:40]!r}: known are {', '.join(known)}")


def _view(values: Mapping[str, Any]) -> Filter:
    """Return a filter; the API refuses what the pages would pass over, a misspelt name too."""
    _only(values, (*(f.name for f in dataclasses.fields(Filter)), "after"))
    chosen = {"state": STATES, "order": tuple(ORDERS), "kind": KINDS, "green": ("1",)}
    for name, known in chosen.items():
        if name in values and values[name] not in known:
            abort(422, f"{name} is one of {', '.join(known)}")
    for name in ("low", "high"):
        if name in values and not re.fullmatch(r"0|[1-9]\d?|100", str(values[name])):
            abort(422, f"{name} is a percentage")
    for name in ("q", "after", "corpus", "cls", "check", "reviewer"):
        if name in values and not (isinstance(values[name], str) and is_text(values[name])):
            abort(422, f"{name} is a string of characters")
    return Filter.read({name: str(value) for name, value in values.items()})
