"""The core of the contract on exchanges of our own, for checkouts without the recorded transcripts."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from replay import Client

from bot.sandbox import Sandbox

ROWS = [
    {"qid": "Q41591", "label": "Ohm's law", "aliases": ["resistance law"]},
    {"qid": "Q7", "redirect": "Q41591"},
]
CASES = json.loads(Path(__file__).with_name("own_transcripts.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def answers() -> dict[str, tuple[Any, dict[str, str]]]:
    """Send all cases in their order; for each the body and the headers."""
    out = {}
    with Sandbox() as sandbox:
        sandbox.fill(ROWS)
        first = str(sandbox.history("Q41591")[-1]["id"])
        client = Client(sandbox, "bot")
        for case in CASES:
            params = {**case["params"], "format": "json"}
            params = {key: first if value == "<first>" else value for key, value in params.items()}
            if not case.get("get"):
                params["token"] = client.csrf
            answer = client.send("GET" if case.get("get") else "POST", params)
            out[case["name"]] = (answer.json(), dict(answer.headers))
    return out


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_is_answered_as_a_wikibase_answers(
    case: dict[str, Any], answers: dict[str, tuple[Any, dict[str, str]]]
) -> None:
    body, headers = answers[case["name"]]
    if "error" in case:
        assert body["error"]["code"] == case["error"]
        assert headers["MediaWiki-API-Error"].split(", ")[0] == case["error"]
        assert [message["name"] for message in body["error"].get("messages", ())] == case["names"]
    else:
        assert _fits(case["response"], body), body


def _fits(told: Any, ours: Any) -> bool:
    if told == "<any>":
        return True
    if told == "<n>":
        return isinstance(ours, int) and ours > 0
    if told == "<hash>":
        return re.fullmatch(r"[0-9a-f]{40}", ours) is not None
    if isinstance(told, dict):
        return isinstance(ours, dict) and told.keys() == ours.keys() and all(_fits(told[k], ours[k]) for k in told)
    if isinstance(told, list):
        return isinstance(ours, list) and len(told) == len(ours) and all(map(_fits, told, ours))
    return bool(told == ours)
