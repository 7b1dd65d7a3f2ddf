"""The OpenAPI description of the API: its paths, and the schemas of api_schema.py."""

from typing import TypeAlias

import msgspec

from bot import __version__
from bot.review.statistics import Statistics
from bot.review.topics import Topic
from bot.review.web import api_schema

Json: TypeAlias = dict[str, object]
_TYPES = (
    api_schema.DecisionRequest, api_schema.Error, api_schema.FilterRequest, api_schema.ItemPage, api_schema.Next, api_schema.QueuePage, api_schema.PreviewAnswer, api_schema.PreviewRequest, api_schema.QueuedProposal, api_schema.RecordedDecision, Statistics, Topic, api_schema.TopicRequest, api_schema.Topics,
)  # fmt: skip


def description() -> Json:
    """Return the OpenAPI 3.1 document."""
    _, schemas = msgspec.json.schema_components(
        _TYPES, schema_hook=lambda of: {"type": "string"}, ref_template="#/components/schemas/{name}"
    )
    proposal = {"name": "proposal", "in": "path", "required": True, "schema": {"type": "string", "minLength": 1}}
    wanted = [
        {"name": name, "in": "query", "schema": of} for name, of in schemas["FilterRequest"]["properties"].items()
    ]
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
            "schemas": schemas,
            "responses": {"Error": _answer("What is wrong, and what to do", api_schema.Error)},
        },
        "paths": {
            "/api/v1/openapi.json": {
                "get": {"operationId": "openapi", "security": [], "responses": {"200": {"description": "This document"}}}
            },
            "/api/v1/proposals": {
                "get": _operation("listProposals", "A page of the queue", api_schema.QueuePage, "422", parameters=wanted)
            },
            "/api/v1/proposals/{proposal}": {
                "get": _operation("getProposal", "The proposal", api_schema.QueuedProposal, "404", parameters=[proposal])
            },
            "/api/v1/next": {
                "post": _operation("leaseNext", "The next proposal, leased", api_schema.Next, "415", "422", body=api_schema.FilterRequest)
            },
            "/api/v1/proposals/{proposal}/decisions": {
                "post": _operation(
                    "decide", "The decision as it was recorded", api_schema.RecordedDecision, "404", "409", "415", "422",
                    body=api_schema.DecisionRequest, parameters=[proposal], code="201",
                )
            },
            "/api/v1/items/{qid}/proposals": {
                "get": _operation(
                    "listOfItem", "What waits on the item; without a token where the settings show it to everyone", api_schema.ItemPage, "404",
                    parameters=[{**proposal, "name": "qid"}, {"name": "lang", "in": "query", "schema": {"type": "string"}}],
                )
            },
            "/api/v1/topics": {
                "get": _operation("listTopics", "The topics of this person", api_schema.Topics),
                "post": _operation(
                    "keepTopic", "The topic as it is kept", Topic, "409", "415", "422", body=api_schema.TopicRequest, code="201"
                ),
            },
            "/api/v1/topics/{topic}": {
                "delete": _operation("forgetTopic", "The other topics", api_schema.Topics, parameters=[{**proposal, "name": "topic"}])
            },
            "/api/v1/preview": {
                "post": _operation("preview", "The edited formula", api_schema.PreviewAnswer, "404", "415", "422", body=api_schema.PreviewRequest)
            },
            "/api/v1/statistics": {"get": _operation("statistics", "Figures", Statistics)},
        },
    }  # fmt: skip


def _operation(
    name: str,
    description: str,
    answer: type,
    *errors: str,
    body: type | None = None,
    parameters: list[Json] | None = None,
    code: str = "200",
) -> Json:
    """Return an operation: its good answer, the errors beside those of tokens and of foreign pages, its body."""
    refused = {each: {"$ref": "#/components/responses/Error"} for each in ("401", "403", *errors, "429")}
    operation: Json = {"operationId": name, "responses": {code: _answer(description, answer), **refused}}
    operation |= {"parameters": parameters} if parameters else {}
    return operation | ({"requestBody": {"required": True, **_content(body)}} if body else {})


def _answer(description: str, schema: type) -> Json:
    return {"description": description, **_content(schema)}


def _content(schema: type) -> Json:
    return {"content": {"application/json": {"schema": {"$ref": f"#/components/schemas/{schema.__name__}"}}}}
