"""Proof by sympy of what sampling found, in one worker process that is killed at the limit and started anew.

What goes there is our own expression as JSON, never TeX and never code; what comes back is one word. Without sympy nothing is proved.
"""

from __future__ import annotations

import json
import os
import selectors
import subprocess
import sys
from collections.abc import Sequence
from fractions import Fraction
from importlib.util import find_spec
from pathlib import Path
from types import TracebackType
from typing import Any

from bot.formula.expressions import SIGN, Expression
from bot.formula.paired import read
from bot.formula.tree import Node

LIMIT = 2.0  # seconds for one pair
START = 30.0  # seconds for sympy to load on a busy machine
MEMORY = 1 << 30  # bytes of address space
KILLS = 20  # workers after which the rest of a run goes unproved
MAX_NODES = 120


def has_sympy() -> bool:
    """Tell whether sympy is installed, without loading it."""
    return find_spec("sympy") is not None


class Prover:
    """Proves pairs of equations; a context manager that ends its worker. Start-up is paid at the first proof."""

    def __init__(self, limit: float = LIMIT, memory: int = MEMORY) -> None:
        self.limit, self.memory = limit, memory
        self.started = 0
        self._worker: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Prover:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """End the worker, if one runs."""
        worker, self._worker = self._worker, None
        if worker is not None:
            worker.kill()
            worker.wait()
            for pipe in (worker.stdin, worker.stdout):
                if pipe is not None:
                    pipe.close()

    def proves(self, one: Sequence[Node], other: Sequence[Node]) -> bool | None:
        """Return True where algebra proves both equations equivalent, None where it does not within the limit."""
        pair = read(one, other)
        if pair is None or len(pair.one) != 1 or SIGN in pair.names or pair.whole or not has_sympy():
            return None
        question = {"one": _plain(pair.one[0]), "other": _plain(pair.other[0]), "imaginary": _imaginary(pair.names)}
        text = json.dumps(question)
        if text.count("[") > MAX_NODES:
            return None
        return True if self._asked(text) == "proved" else None

    def _asked(self, line: str) -> str:
        if self._worker is None and not self._start():
            return ""
        worker = self._worker
        assert worker is not None
        assert worker.stdin is not None
        try:
            worker.stdin.write(line.encode() + b"\n")
            worker.stdin.flush()
        except OSError:
            self.close()
            return ""
        return self._answer(self.limit)

    def _start(self) -> bool:
        if self.started >= KILLS:
            return False
        self.started += 1
        root = str(Path(__file__).resolve().parents[2])
        paths = [root, *filter(None, [os.environ.get("PYTHONPATH", "")])]
        self._worker = subprocess.Popen(
            [sys.executable, "-m", "bot.formula.proving", str(self.limit), str(self.memory)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=root,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
            start_new_session=True,  # Ctrl-C is ours to answer
        )
        return self._answer(START) == "ready"

    def _answer(self, seconds: float) -> str:
        """Read one line, or kill the worker when it does not come."""
        worker = self._worker
        assert worker is not None
        assert worker.stdout is not None
        with selectors.DefaultSelector() as waiting:
            waiting.register(worker.stdout, selectors.EVENT_READ)
            line = worker.stdout.readline() if waiting.select(seconds) else b""
        if not line:
            self.close()
        return line.decode("ascii", "replace").strip()


def _plain(sides: tuple[Expression, Expression]) -> list[Any]:
    return [_listed(side) for side in sides]


def _listed(part: Any) -> Any:
    """An expression as JSON: tuples become lists, fractions two numbers."""
    if isinstance(part, tuple):
        return [_listed(inner) for inner in part]
    return ["q", str(part.numerator), str(part.denominator)] if isinstance(part, Fraction) else part


def _imaginary(names: Sequence[str]) -> int:
    return names.index("i") if "i" in names else -1
