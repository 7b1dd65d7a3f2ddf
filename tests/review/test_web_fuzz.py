"""No request of the API is answered with an error of the server, and no packet ends an import; more with FORMULA_BOT_LONG=1."""

from __future__ import annotations

import csv
import json
import random
import sys
from contextlib import suppress
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from fuzzing import LONG, damaged, formulas, in_time, json_value, mutated
from web_records import opened

from bot.errors import BotError
from bot.review import import_packet, queue
from bot.review.web import make_app
from bot.review.web.queue_filters import whole_number
from bot.review.web.rest import make_token
from bot.settings import Settings

PATHS = (
    "/next",
    "/preview",
    "/proposals/{id}/decisions",
    "/proposals/{id}",
    "/proposals",
    "/statistics",
    "/openapi.json",
)
NAMES = "state order kind green low high q after corpus cls check reviewer proposal tex hash verdict reason references words edit_confirmed".split()


@pytest.mark.parametrize("seed", range(100) if LONG else range(1))
def test_odd_requests_of_the_api(seed: int, tmp_path: Path) -> None:
    rng, known = random.Random(seed), formulas()
    with opened(tmp_path / "w", "Ada") as workspace:
        client = make_app(workspace, Settings(), hosts={"localhost"}).test_client()
        headers = {"Authorization": f"Bearer {make_token(workspace, 'Ada')}"}
        for _ in range(20):
            values = {rng.choice(NAMES): json_value(rng) for _ in range(rng.randrange(5))}
            if rng.random() < 0.3:
                values["tex"] = mutated(rng.choice(known), known, rng)
            path = "/api/v1" + rng.choice(PATHS).format(id=rng.choice([f"{0:016x}", "²", "%ED%A0%80", "x" * 900]))
            body = (
                json.dumps(values) if rng.random() < 0.8 else rng.choice(["[" * 5000, "{", "", "9" * 9999, "\\ud800"])
            )
            with in_time((path, values)):
                if rng.random() < 0.5:
                    query = {name: str(value).encode(errors="replace") for name, value in values.items()}
                    answer = client.get(path, query_string=query, headers=headers)
                else:
                    answer = client.post(path, data=body, content_type="application/json", headers=headers)
            assert answer.status_code < 500, (path, body)


@pytest.mark.parametrize("seed", range(100) if LONG else range(1))
def test_mutated_packets(seed: int, tmp_path: Path) -> None:
    rng = random.Random(seed)
    with opened(tmp_path / "w", "Ada") as workspace:
        rows = [row.proposal for row in queue(workspace, "all")]
        for n in range(30):
            shown = rng.choice(rows)
            row: dict[str, object] = {
                "proposal": shown.id,
                "hash": shown.hash,
                "verdict": rng.choice(["approve", "skip", "reject"]),
            }
            for _ in range(rng.randint(1, 4)):
                name = rng.choice(
                    [
                        "proposal",
                        "hash",
                        "verdict",
                        "reason",
                        "tex",
                        "edited_tex",
                        "references",
                        "words",
                        "reference_verdicts",
                        "reviewer",
                    ]
                )
                row[name] = json_value(rng)
            path = tmp_path / f"{n}.{rng.choice(['jsonl', 'csv'])}"
            if path.suffix == ".csv":
                with path.open("w", encoding="utf-8", errors="replace", newline="") as file:
                    writer = csv.DictWriter(file, list(row))
                    writer.writeheader()
                    writer.writerow(row)
            else:
                path.write_text(json.dumps(row) + "\n", encoding="utf-8")
            if rng.random() < 0.3:
                path.write_bytes(damaged(path.read_bytes(), rng))
            with in_time(path.read_bytes()), suppress(BotError):
                import_packet(workspace, path, "Ada")


@pytest.mark.parametrize("given", ["²", "٣", "", "-1", "1.5", "9" * 5000, "\ud800"])
def test_a_number_of_a_form_that_is_none_is_the_default(given: str) -> None:
    assert whole_number(given, -1) == -1
