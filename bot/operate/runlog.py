"""One run, one id, one JSON-lines file in logs/: what was done, counted, skipped, and how it ended."""

from __future__ import annotations

import contextlib
import json
import sys
import threading
import uuid
from pathlib import Path
from types import TracebackType

from bot.store import now

_PATIENCE = 0.5  # seconds for which one thread waits for another's line


class RunLog:
    """Append events to logs/<time>-<id>.jsonl. Use in a `with`: the last line says how the run ended, and in which stage.

    `keep` is how many logs of this name are left in the folder, this one among them; None keeps all.
    """

    def __init__(self, folder: str | Path, name: str, *, keep: int | None = None) -> None:
        stamp = now().replace(":", "").replace("-", "")
        self.id = f"{stamp}-{uuid.uuid4().hex[:8]}"
        self.stage = ""  # the one that is going on
        self.path = Path(folder) / f"{self.id}-{name}.jsonl"
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self._file = self.path.open("a", encoding="utf-8")
        self._turn = threading.Lock()
        self._full = False
        if keep is not None:
            for old in sorted(self.path.parent.glob(f"*-{name}.jsonl"))[:-keep]:
                with contextlib.suppress(OSError):
                    old.unlink()

    def __enter__(self) -> RunLog:
        self.event("start")
        return self

    def event(self, what: str, **values: object) -> None:
        """Write one line, at once. A disk that is full ends no run: that is said once on standard error."""
        line = {"time": now(), "run": self.id, "event": what, **values}
        text = json.dumps(line, ensure_ascii=False, default=str) + "\n"
        held = self._turn.acquire(timeout=_PATIENCE)  # a thread that a signal stopped may never give it back
        try:
            self._file.write(text)
            self._file.flush()
        except (OSError, ValueError) as error:  # ValueError: closed by the end of the run
            if not self._full:
                self._full = True
                print(f"{self.path}: cannot be written ({error})", file=sys.stderr)
        finally:
            if held:
                self._turn.release()

    def end(self, outcome: str, error: str = "") -> None:
        """Write the last line."""
        self.event("end", outcome=outcome, error=error, **({"stage": self.stage} if self.stage else {}))

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        self.end("ok" if kind is None else kind.__name__, str(error or ""))
        with contextlib.suppress(OSError):
            self._file.close()
