"""One run, one id, one JSON-lines file in logs/: what was done, counted, skipped, and how it ended."""

from __future__ import annotations

import json
import uuid
from pathlib import Path
from types import TracebackType

from bot.store import now


class RunLog:
    """Append events to logs/<time>-<id>.jsonl. Use in a `with`: the last line says how the run ended."""

    def __init__(self, folder: str | Path, name: str) -> None:
        stamp = now().replace(":", "").replace("-", "")
        self.id = f"{stamp}-{uuid.uuid4().hex[:8]}"
        self.path = Path(folder) / f"{self.id}-{name}.jsonl"
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self._file = self.path.open("a", encoding="utf-8")

    def __enter__(self) -> RunLog:
        self.event("start")
        return self

    def event(self, what: str, **values: object) -> None:
        """Write one line, at once."""
        line = {"time": now(), "run": self.id, "event": what, **values}
        self._file.write(json.dumps(line, ensure_ascii=False, default=str) + "\n")
        self._file.flush()

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        self.event("end", outcome="ok" if error is None else kind.__name__ if kind else "", error=str(error or ""))
        self._file.close()
