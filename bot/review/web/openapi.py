"""The OpenAPI description of the API, made from the code's own lists."""

from __future__ import annotations

from typing import Any

from bot import __version__
from bot.review.decide import REASONS, VERDICTS
from bot.review.queue import STATES
from bot.review.web.queue_filters import KINDS, ORDERS

Json = dict[str, Any]


def description() -> Json:
    """Return the OpenAPI 3.1 document."""
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Formula review",
            "version": __version__,
            "description": "Read proposals and decide on them. Nothing here writes to a wiki.",
        },
        "servers": [{"url": "/"}],
        "security": [{"token": []}],
        "components": {
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
            "schemas": _schemas(),
            "responses": {
                "Error": _answer("What is wrong, and what to do", "Error"),
            },
        },
        "paths": {
            "/api/v1/openapi.json": {
                "get": {
                    "operationId": "openapi",
                    "security": [],
                    "responses": {"200": {"description": "This document"}},
                }
            },
            "/api/v1/proposals": {
                "get": {
                    "operationId": "listProposals",
                    "parameters": _filter(),
                    "responses": {"200": _answer("A page of the queue", "Page"), **_errors("401", "422", "429")},
                }
            },
            "/api/v1/proposals/{proposal}": {
                "get": {
                    "operationId": "getProposal",
                    "parameters": [_id()],
                    "responses": {"200": _answer("The proposal", "Proposal"), **_errors("401", "404", "429")},
                }
            },
            "/api/v1/next": {
                "post": {
                    "operationId": "leaseNext",
                    "requestBody": _body("View"),
                    "responses": {
                        "200": _answer("The next proposal, leased", "Next"),
                        **_errors("401", "415", "422", "429"),
                    },
                }
            },
            "/api/v1/proposals/{proposal}/decisions": {
                "post": {
                    "operationId": "decide",
                    "parameters": [_id()],
                    "requestBody": _body("Word"),
                    "responses": {
                        "201": _answer("The decision as it was recorded", "Decision"),
                        **_errors("401", "404", "409", "415", "422", "429"),
                    },
                }
            },
            "/api/v1/preview": {
                "post": {
                    "operationId": "preview",
                    "requestBody": _body("Edited"),
                    "responses": {
                        "200": _answer("The edited formula", "Preview"),
                        **_errors("401", "404", "415", "422", "429"),
                    },
                }
            },
            "/api/v1/statistics": {
                "get": {
                    "operationId": "statistics",
                    "responses": {"200": _answer("Figures", "Statistics"), **_errors("401", "429")},
                }
            },
        },
    }


def _schemas() -> Json:
    text, number, whole = {"type": "string"}, {"type": "number"}, {"type": "integer"}
    known_wrong = {
        "enum": ["noticed", "missed"],
        "description": "the proposal was wrong on purpose, to measure attention; nothing was recorded on it",
    }
    row = {
        "id": text, "hash": text, "kind": {"enum": list(KINDS)}, "qid": text, "label": text, "tex": text, "probability": number,
        "frequency": whole, "expires": text, "state": {"enum": list(STATES)}, "words": whole,
    }  # fmt: skip
    source_formula = {
        "document": text, "position": whole, "title": text, "tex": text, "reference": whole, "relation": text, "note": text,
        "same_concept": {"type": "boolean"}, "differs": {"type": "boolean", "description": "from the proposal's formula, by more than typography"},
    }  # fmt: skip
    return {
        "Error": _object({"error": _object({"code": whole, "what": text})}),
        "Row": _object(row),
        "Page": _object({"proposals": {"type": "array", "items": _ref("Row")}, "after": {"type": ["string", "null"]}}),
        "Proposal": {
            "type": "object",
            "required": ["id", "hash", "kind", "qid", "property", "tex", "references", "source_formulas", "state", "words"],
            "properties": {**{k: v for k, v in row.items() if k != "frequency"}, "property": text, "references": {"type": "array"}, "source_formulas": {"type": "array", "items": _object(source_formula)}},
        },
        "Next": _object({"proposal": {"oneOf": [_ref("Proposal"), {"type": "null"}]}}),
        "View": {"type": "object", "additionalProperties": False, "properties": {each["name"]: each["schema"] for each in _filter()}},
        "Word": {
            "type": "object",
            "additionalProperties": False,
            "required": ["hash", "verdict"],
            "properties": {
                "hash": {"type": "string", "description": "of the content that was shown"},
                "verdict": {"enum": list(VERDICTS)},
                "reason": {"type": "string", "description": f"for a rejection: {', '.join(REASONS)}"},
                "references": {"type": "array", "maxItems": 100, "items": {"enum": ["approve", "reject", "skip"]}},
                "tex": {"type": "string", "maxLength": 4999, "description": "the formula as it was edited, to approve that instead"},
                "edit_confirmed": {"type": "boolean", "description": "the edited formula is meant though it differs in more than notation (see preview); give references with it"},
                "words": {"type": "integer", "minimum": 0, "maximum": 999_999, "description": "as it came with the proposal; refuses where somebody spoke in between"},
            },
        },
        "Decision": _object({name: text for name in ("proposal", "hash", "verdict", "reason", "reviewer", "time", "tex")}, {"known_wrong": known_wrong}),
        "Edited": {"type": "object", "additionalProperties": False, "required": ["proposal", "tex"], "properties": {"proposal": text, "tex": text}},
        "Preview": _object({"drawn": text, "valid": {"type": "boolean"}, "why": text, "mended": text, "relation": text, "note": text}),
        "Statistics": _object({"words": whole, "bands": {"type": "array"}, "agreement": {"type": "object"}}),
    }  # fmt: skip


def _filter() -> list[Json]:
    return [
        {"name": "state", "in": "query", "schema": {"enum": list(STATES), "default": "open"}},
        {"name": "order", "in": "query", "schema": {"enum": list(ORDERS), "default": "probability"}},
        {"name": "kind", "in": "query", "schema": {"enum": list(KINDS)}},
        *(
            {"name": name, "in": "query", "schema": {"type": "string"}}
            for name in ("corpus", "cls", "check", "reviewer", "q", "after")
        ),
        *(
            {"name": name, "in": "query", "schema": {"type": "integer", "minimum": 0, "maximum": 100}}
            for name in ("low", "high")
        ),
        {"name": "green", "in": "query", "schema": {"enum": ["1"]}},
    ]


def _id() -> Json:
    return {"name": "proposal", "in": "path", "required": True, "schema": {"type": "string", "minLength": 1}}


def _object(properties: Json, more: Json | None = None) -> Json:
    return {"type": "object", "required": list(properties), "properties": {**properties, **(more or {})}}


def _ref(name: str) -> Json:
    return {"$ref": f"#/components/schemas/{name}"}


def _answer(said: str, schema: str) -> Json:
    return {"description": said, "content": {"application/json": {"schema": _ref(schema)}}}


def _body(schema: str) -> Json:
    return {"required": True, "content": {"application/json": {"schema": _ref(schema)}}}


def _errors(*codes: str) -> Json:
    return {code: {"$ref": "#/components/responses/Error"} for code in codes}
