"""What a person sees in the terminal: progress on a terminal, plain lines elsewhere; tables; JSON lines."""

import json
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from itertools import zip_longest
from pathlib import Path
from textwrap import fill
from typing import IO, Protocol
from unicodedata import combining, east_asian_width

import click

from bot.errors import ItemsError
from bot.messages import Message, Value, export_sentence, has_message, languages, numeral
from bot.wikibase import Json

_MAX_DEPTH = 100  # lists and objects in each other in one line of a file
_SHORT_COLUMN = 24  # a column up to this width is never folded: ids, items, kinds, outcomes
_MIN_FOLDED_WIDTH = 20  # the least a longer column needs in a box
_MAX_PADDED_WIDTH = 60  # a plain column is padded to no more; what is longer pushes its own line only


class Advance(Protocol):
    def __call__(self, step: float = 1, note: str = "") -> None: ...


class ProgressWatcher(Protocol):
    """Who follows long work from outside; what it raises between two units ends the work there."""

    def begin(self, total: float | None) -> None: ...
    def advance(self, step: float) -> None: ...


_watcher: ContextVar[ProgressWatcher | None] = ContextVar("watcher", default=None)


@contextmanager
def use_watcher(watcher: ProgressWatcher) -> Iterator[None]:
    """Let the watcher follow all progress made inside this block."""
    before = _watcher.set(watcher)
    try:
        yield
    finally:
        _watcher.reset(before)


@contextmanager
def progress(title: str | Message, total: float | None = None, *, quiet: bool = False) -> Iterator[Advance]:
    """Show a bar on a terminal and one closing line elsewhere (both on standard error); a stage's name is its title as it is.

    Yields a function to call with (step, note) after each unit of work.
    """
    if watcher := _watcher.get():
        watcher.begin(total)
    with _progress_bar(localised(title), total, quiet) as advance:

        def advance_all(step: float = 1, note: str = "") -> None:
            advance(step, note)
            if watcher:
                watcher.advance(step)

        yield advance_all


@contextmanager
def _progress_bar(title: str, total: float | None, quiet: bool) -> Iterator[Advance]:
    if quiet:
        yield lambda step=1, note="": None
        return
    if not sys.stderr.isatty():
        yield lambda step=1, note="": None
        print_message("progress_done", err=True, what=title)
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


def terminal_language(requested: str = "") -> str:
    """Return the language of what a command prints: `requested`, else that of FORMULA_BOT_LANGUAGE, else English."""
    from bot.settings import environment

    language = requested or environment("LANGUAGE")
    return language if language and language in languages() else "en"


def localised(text: str | Message, language: str = "") -> str:
    """Return a message as commands print it, in a language or else the terminal's; a text that is not a message stays as it is."""
    return export_sentence(text, terminal_language(language)) if isinstance(text, Message) else text


def print_message(code: str, *, err: bool = False, **values: Value) -> None:
    """Print a sentence, `told.<code>` of the catalogues, in the terminal's language."""
    print(localised(Message(f"told.{code}", **values)), file=sys.stderr if err else sys.stdout, flush=True)


def table(
    title: str | Message,
    columns: Sequence[str],
    rows: Iterable[Sequence[object]],
    *,
    file: IO[str] | None = None,
    language: str = "",
) -> None:
    """Print a table; numbers stand to the right. A column's name is a code, `column.<name>` of the catalogues, or else what is shown.

    On a terminal it is drawn in a box, or where that is too narrow, what is long stands below its row with the column's name. Elsewhere each
    row is a line, and nothing is cut or folded.
    """
    title, columns = localised(title, language), [_heading(name, language) for name in columns]
    data = [list(row) for row in rows]
    numeric = [bool(data) and all(isinstance(row[i], int | float) for row in data) for i in range(len(columns))]
    written = terminal_language(language)
    cells = [[numeral(v, ".3f", written) if isinstance(v, float) else str(v) for v in row] for row in data]
    out = file or sys.stdout
    if not out.isatty():
        print(*_plain_lines(title, columns, cells, numeric), sep="\n", file=out)
    elif not _print_boxed(title, columns, cells, numeric, out):
        from rich.console import Console

        print(*_narrow_lines(title, columns, cells, numeric, Console(file=out).width), sep="\n", file=out)


def _heading(name: str, language: str) -> str:
    return localised(Message(code), language) if has_message(code := f"column.{name}") else name


def _print_boxed(
    title: str, columns: Sequence[str], cells: Sequence[Sequence[str]], numeric: Sequence[bool], out: IO[str]
) -> bool:
    """Draw the table if its short columns and the words of the long ones fit whole."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    console = Console(file=out)
    widths = [max(len(name), *(len(row[i]) for row in cells), 0) for i, name in enumerate(columns)]
    word_widths = [
        max([_MIN_FOLDED_WIDTH, *(len(word) for row in cells for word in row[i].split())]) for i in range(len(columns))
    ]
    if (
        sum(w if w <= _SHORT_COLUMN else word_width for w, word_width in zip(widths, word_widths, strict=True))
        + 3 * len(widths)
        + 1
        > console.width
    ):
        return False
    grid = Table(title=title, title_justify="left", header_style="bold")
    for name, number, width in zip(columns, numeric, widths, strict=True):
        grid.add_column(name, justify="right" if number else "left", overflow="fold", no_wrap=width <= _SHORT_COLUMN)
    for row in cells:
        grid.add_row(*map(Text, row))
    console.print(grid)
    return True


def _width(text: str) -> int:
    """Return how many cells of a terminal a text takes: none for a vector's arrow over its letter, two for a Chinese character."""
    return sum(0 if combining(c) else 1 + (east_asian_width(c) in "WF") for c in text)


def _padded(text: str, width: int, right: bool) -> str:
    blanks = " " * (width - _width(text))
    return blanks + text if right else text + blanks


def _plain_lines(
    title: str, columns: Sequence[str], cells: Sequence[Sequence[str]], numeric: Sequence[bool]
) -> Iterator[str]:
    """Yield the lines of a table without a box; a cell of several lines goes on below itself."""
    lines = [line for row in [columns, *cells] for line in zip_longest(*(c.splitlines() for c in row), fillvalue="")]
    widths = [min(_MAX_PADDED_WIDTH, max(_width(line[i]) for line in lines)) for i in range(len(columns))]
    yield title
    for line in lines:
        yield "  ".join(map(_padded, line, widths, numeric)).rstrip()


def _narrow_lines(
    title: str, columns: Sequence[str], cells: Sequence[Sequence[str]], numeric: Sequence[bool], width: int
) -> Iterator[str]:
    """Yield the lines of a table whose rows are wider than the terminal: columns that fit side by side, the others below each row."""
    rows = [columns, *cells]
    widths = [max(_width(row[i]) for row in rows) for i in range(len(columns))]
    same_line: list[int] = []
    for i, each in enumerate(widths):
        if (
            each <= _SHORT_COLUMN
            and sum(widths[j] + 2 for j in same_line) + each <= width
            and not any("\n" in row[i] for row in cells)
        ):
            same_line.append(i)
    yield title
    for row in rows:
        yield "  ".join(_padded(row[i], widths[i], numeric[i]) for i in same_line).rstrip()
        for i in range(len(columns)) if row is not columns else ():
            if i not in same_line:
                for n, line in enumerate(row[i].splitlines()):
                    first = " " * 6 if n else f"    {columns[i]}: "
                    yield fill(
                        line,
                        width,
                        initial_indent=first,
                        subsequent_indent=" " * 6,
                        break_long_words=False,
                        break_on_hyphens=False,
                    )


def write_json(value: object) -> None:
    """Print one JSON object on standard output."""
    print(_json_line(value, sys.stdout))


def _json_line(value: object, file: IO[str]) -> str:
    from bot.records import as_json

    text = json.dumps(as_json(value), ensure_ascii=False)
    try:
        text.encode(getattr(file, "encoding", "") or "utf-8")
    except UnicodeEncodeError:  # another locale, or half a surrogate pair, which JSON can hold and UTF-8 cannot
        return json.dumps(as_json(value))
    return text


def write_lines(rows: Iterable[object], file: IO[str] | None = None) -> int:
    """Print JSON lines; return how many."""
    n, out = 0, file or sys.stdout
    for row in rows:
        print(_json_line(row, out), file=out)
        n += 1
    return n


def read_lines(path: str | Path, required: Mapping[str, type] | None = None) -> Iterator[Json]:
    """Yield the objects of a JSON-lines file; `-` is standard input; extra fields pass through.

    Raises ItemsError naming path and line for a bad line or a missing field.
    """
    return (row for _, row in located_lines(path, required))


def located_lines(path: str | Path, required: Mapping[str, type] | None = None) -> Iterator[tuple[str, Json]]:
    """Yield the objects as `read_lines` does, each with its path:line."""
    name = "<stdin>" if str(path) == "-" else str(path)
    try:
        with click.open_file(str(path), "rb") as lines:
            for number, raw in enumerate(lines, 1):
                if not raw.strip():
                    continue
                location = f"{name}:{number}"
                try:
                    row = json.loads(raw)
                except UnicodeDecodeError as error:
                    byte = error.object[error.start]
                    raise ItemsError("no_utf8", byte=byte, where=location, todo="mend_line") from None
                except (ValueError, RecursionError) as error:  # also endless numbers
                    raise ItemsError("no_json", reason=str(error), where=location, todo="mend_line") from None
                if _depth(row) > _MAX_DEPTH:
                    raise ItemsError("nested", where=location, todo="mend_line")
                if not isinstance(row, dict):
                    raise ItemsError("no_object", where=location, todo="mend_line")
                for key, kind in (required or {}).items():
                    if not isinstance(row.get(key), kind):
                        needed = Message(f"value_kind.{kind.__name__}")
                        raise ItemsError("needs_field", field=key, kind=needed, where=location, todo="mend_line")
                yield location, row
    except FileNotFoundError:
        raise ItemsError("no_file", where=name, todo="check_path") from None
    except OSError as error:
        raise ItemsError("unreadable", reason=str(error.strerror), where=name, todo="json_lines") from None


def _depth(value: object) -> int:
    """Return how deep lists and objects are nested, up to one more than what is read."""
    level, depth = [value], 0
    while level and depth <= _MAX_DEPTH:
        level = [
            inner
            for one in level
            if isinstance(one, dict | list)
            for inner in (one.values() if isinstance(one, dict) else one)
        ]
        depth += 1
    return depth
