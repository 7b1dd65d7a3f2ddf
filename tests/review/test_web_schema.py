"""schemathesis against the API as it describes itself: no failure of the server, no answer that is not described."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import pytest
import sqlalchemy as sa
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from web_records import dozen, opened

from bot import store
from bot.review.queue_rules import change_rules
from bot.review.web import make_app
from bot.review.web.openapi import description
from bot.review.web.rest import make_token
from bot.settings import Settings
from bot.store import Workspace

schemathesis = pytest.importorskip("schemathesis", reason="needs schemathesis, of the extra [dev]")
# A made-up id is good data and finds nothing; the other two ask again without a token and soon meet the limit of wrong ones.
LEFT = ("positive_data_acceptance", "ignored_auth", "object_level_authorization")
ONE = f"{1:016x}"
LIMITS = settings(
    max_examples=150 if os.environ.get("FORMULA_BOT_LONG") else 12,
    deadline=None,
    database=None,
    derandomize=True,
    suppress_health_check=list(HealthCheck),
    phases=[Phase.explicit, Phase.generate],
)


@pytest.fixture(scope="module")
def w(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    with opened(tmp_path_factory.mktemp("api") / "w", "Ada") as workspace:
        change_rules(workspace, {"known_wrong": "0.2"})
        yield workspace


@pytest.fixture(scope="module")
def described(w: Workspace) -> Any:
    app = make_app(w, Settings(), hosts={"localhost"})
    return schemathesis.openapi.from_wsgi("/api/v1/openapi.json", app)


@pytest.fixture(scope="module")
def token(w: Workspace) -> dict[str, str]:
    return {"Authorization": f"Bearer {make_token(w, 'Ada')}"}


def cases(described: Any, token: dict[str, str], method: str, path: str, change: Any = None) -> None:
    """Send what schemathesis makes of one operation, good data and bad, and check each answer against the description."""
    left = [schemathesis.checks.CHECKS.get_one(name) for name in LEFT]
    refusal = schemathesis.checks.CHECKS.get_one("negative_data_rejection")

    def answers(case: Any) -> None:
        if change is not None:
            change(case)
        # What is sent as nothing cannot be refused: an empty list of a parameter that nobody knows.
        unsent = any(value is None or value in ([], {}) for value in (case.query or {}).values())
        case.call_and_validate(headers=token, excluded_checks=[*left, refusal] if unsent else left)

    strategies = [described[path][method].as_strategy(generation_mode=mode) for mode in schemathesis.GenerationMode]
    few = settings(
        LIMITS, max_examples=min(30, LIMITS.max_examples) if "topics" in path else LIMITS.max_examples
    )  # each of theirs writes
    few(given(case=st.one_of(strategies))(answers))()


OPERATIONS = [
    (method, path)
    for path, methods in description()["paths"].items()
    for method in methods
    if path != "/api/v1/openapi.json"
]


@pytest.mark.parametrize(("method", "path"), OPERATIONS)
def test_the_api_answers_as_it_is_described(described: Any, token: dict[str, str], method: str, path: str) -> None:
    cases(described, token, method, path)


@pytest.mark.parametrize(
    ("method", "path"), [each for each in OPERATIONS if "{p" in each[1] or "{q" in each[1] or "preview" in each[1]]
)
def test_the_api_answers_so_on_a_proposal_that_there_is(
    w: Workspace, described: Any, token: dict[str, str], method: str, path: str
) -> None:
    """Random ids meet no proposal: here each case gets one, and every second word the right content."""

    def change(case: Any) -> None:
        if "proposal" in case.path_parameters:
            case.path_parameters["proposal"] = ONE
        if isinstance(case.body, dict):
            case.body |= {"proposal": ONE} if "proposal" in case.body else {}
            case.body |= {"hash": dozen()[1].hash} if len(case.body) % 2 else {}

    cases(described, token, method, path, change)
    assert all(row["reviewer"] == "Ada" for row in w.rows(sa.select(store.decisions.c.reviewer)))
