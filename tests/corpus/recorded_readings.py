"""What is read of a document of each format that holds something of everything, and of each of its forms between two sentences.

`python tests/corpus/recorded_readings.py` records it anew, where a change is meant.
"""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from bot.corpus import read
from bot.errors import BotError
from bot.messages import Message, to_json

KINDS = Path(__file__).parent / "data" / "kinds"
DATA = KINDS.parent / "readings.jsonl"
FRAGMENTS, FRAGMENT_DATA = KINDS.parent / "fragments", KINDS.parent / "fragments.jsonl"
PLACE, END = "@@", "\n∎\n"  # where a fragment is put into the first text of a file, and how a text ends


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


def recorded_fragments() -> list[dict[str, Any]]:
    """Return for each fragment what is read of it: texts of its sentences, and formulas with role and names."""
    rows: list[dict[str, Any]] = []
    with TemporaryDirectory() as folder:
        for path in sorted(FRAGMENTS.iterdir()):
            frame, *fragments = path.read_text(encoding="utf-8").removesuffix("\n").split(END)
            plain: dict[str, Any] = {}
            for fragment in ("", *fragments):
                file = Path(folder) / f"page.{path.name}"
                file.write_text(frame.replace(PLACE, fragment), encoding="utf-8")
                found = _read_fragment(file)
                plain = plain or found
                rows.append(
                    {"file": path.name, "fragment": fragment}
                    | {k: v for k, v in found.items() if v != plain.get(k) or not fragment}
                )
    return json.loads(json.dumps(rows))  # type: ignore[no-any-return]


def _read_fragment(file: Path) -> dict[str, Any]:
    told: list[Message] = []
    try:
        (page,) = read([str(file)], on_skip=lambda _, why: told.append(why))
    except BotError as error:
        return {"error": to_json(error.message)}
    fields, formulas = asdict(page.document), page.occurrences
    del fields["id"], fields["source"]
    fields |= {
        "unread": to_json(page.document.unread) if page.document.unread else None,
        "told": [to_json(why) for why in told],
    }  # type: ignore[arg-type]
    fields["formulas"] = [
        f"{'display ' * each.display}{each.role} {each.tex} {' '.join(f'{hint.kind}: {hint.name};' for hint in each.hints)}".strip()
        for each in formulas
    ]
    fields["texts"] = list(dict.fromkeys((each.heading, each.window) for each in formulas))
    fields["definitions"] = list(
        dict.fromkeys(f"{d.symbol}: {d.meaning}" for each in formulas for d in each.definitions)
    )
    return fields


def _write(path: Path, rows: list[dict[str, Any]]) -> None:
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")


if __name__ == "__main__":
    _write(DATA, recorded())
    _write(FRAGMENT_DATA, recorded_fragments())
