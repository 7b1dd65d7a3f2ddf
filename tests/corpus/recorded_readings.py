"""What is read of a document of each format that holds something of everything: its formulas, their text, roles, names, hints.

`python tests/corpus/recorded_readings.py` records it anew, where a change is meant.
"""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

from bot.corpus import read
from bot.messages import Message, to_json

KINDS = Path(__file__).parent / "data" / "kinds"
DATA = KINDS.parent / "readings.jsonl"


def recorded() -> list[dict[str, Any]]:
    """Return a row for each document, what was skipped of it and each of its formulas, of which what differs from the one before."""
    rows: list[dict[str, Any]] = []
    for path in sorted(KINDS.iterdir()):
        told: list[tuple[str, Message]] = []
        for page in read([str(path)], on_skip=lambda at, why, told=told: told.append((at, why))):  # type: ignore[misc]
            document = asdict(page.document)
            unread = document.pop("unread")
            rows.append(
                document | {"unread": to_json(page.document.unread) if unread and page.document.unread else None}
            )
            before: dict[str, Any] = {}
            for each in page.occurrences:
                row = {name: value for name, value in asdict(each).items() if value != before.get(name)}
                before = asdict(each)
                rows.append({**row, "document": path.name})
        rows += [{"skipped": path.name, "why": to_json(why)} for _, why in told]
    return json.loads(json.dumps(rows))  # type: ignore[no-any-return]


if __name__ == "__main__":
    lines = (json.dumps(row, ensure_ascii=False) + "\n" for row in recorded())
    DATA.write_text("".join(lines), encoding="utf-8")
