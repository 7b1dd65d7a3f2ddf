"""What a person sees in the terminal: progress on a terminal, plain lines elsewhere; tables; JSON lines."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, Protocol

from bot.errors import ItemsError
from bot.records import as_json


class Advance(Protocol):
    def __call__(self, step: float = 1, note: str = "") -> None: ...


@contextmanager
def progress(title: str, total: float | None = None, *, quiet: bool = False) -> Iterator[Advance]:
    """Show a bar on a terminal and one closing line elsewhere (both on standard error).

    Yields a function to call with (step, note).
    """
    if quiet:
        yield lambda step=1, note="": None
        return
    if not sys.stderr.isatty():
        yield lambda step=1, note="": None
        print(f"{title}: done", file=sys.stderr)
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeRemainingColumn

    columns = (SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    with Progress(
        *columns, TimeRemainingColumn(), TextColumn("{task.fields[note]}"), console=Console(stderr=True), transient=True
    ) as bar:
        task = bar.add_task(title, total=total, note="")

        def advance(step: float = 1, note: str = "") -> None:
            bar.update(task, advance=step, note=note)

        yield advance


def table(title: str, columns: Sequence[str], rows: Iterable[Sequence[object]], *, file: IO[str] | None = None) -> None:
    """Print a table; numbers stand to the right."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    data = [list(row) for row in rows]
    grid = Table(title=title, title_justify="left", header_style="bold")
    for i, name in enumerate(columns):
        numeric = bool(data) and all(isinstance(row[i], int | float) for row in data)
        grid.add_column(name, justify="right" if numeric else "left", overflow="fold")
    for row in data:
        grid.add_row(*(Text(f"{v:.3f}" if isinstance(v, float) else str(v)) for v in row))
    Console(file=file).print(grid)


def write_json(value: Any) -> None:
    """Print one JSON object on standard output."""
    print(json.dumps(as_json(value), ensure_ascii=False))


def write_lines(rows: Iterable[Any], file: IO[str] | None = None) -> int:
    """Print JSON lines; return how many."""
    n = 0
    for row in rows:
        print(json.dumps(as_json(row), ensure_ascii=False), file=file or sys.stdout)
        n += 1
    return n


def read_lines(path: str | Path, required: Mapping[str, type] | None = None) -> Iterator[dict[str, Any]]:
    """Yield the objects of a JSON-lines file; `-` is standard input; extra fields pass through.

    Raises ItemsError naming path and line for a bad line or a missing field.
    """
    name = "standard input" if str(path) == "-" else str(path)
    try:
        with _open(path) as lines:
            for number, raw in enumerate(lines, 1):
                if not raw.strip():
                    continue
                where = f"{name}:{number}"
                try:
                    row = json.loads(raw)
                except (json.JSONDecodeError, UnicodeDecodeError, RecursionError) as error:
                    raise ItemsError(f"is no JSON ({error})", where=where, todo="mend or remove that line") from None
                if not isinstance(row, dict):
                    raise ItemsError("is not a JSON object", where=where, todo="mend or remove that line")
                for key, kind in (required or {}).items():
                    if not isinstance(row.get(key), kind):
                        raise ItemsError(f'needs "{key}" ({kind.__name__})', where=where, todo="mend or remove that line")
                yield row
    except FileNotFoundError:
        raise ItemsError("there is no such file", where=name, todo="check the path") from None
    except OSError as error:
        raise ItemsError(f"cannot be read ({error.strerror})", where=name) from None


@contextmanager
def _open(path: str | Path) -> Iterator[IO[bytes]]:
    if str(path) == "-":
        yield sys.stdin.buffer
        return
    with Path(path).open("rb") as file:
        yield file
