"""What the commands share: their options, opening a workspace and its wiki, summaries, and how a command ends."""

from __future__ import annotations

import gc
import os
import re
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from functools import cache, wraps
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any, TypeVar

import click

from bot.console import localised, print_message, table, write_json, write_lines
from bot.errors import BotError, InputError, WorkspaceError
from bot.messages import Message, from_json, languages

if TYPE_CHECKING:
    from bot.lookup import Client
    from bot.settings import Settings, Wiki
    from bot.store import Workspace
    from bot.wikibase import Json

T = TypeVar("T")
Command = Callable[..., Any]
Decorator = Callable[[Command], Command]
_SECONDS_TO_UNWIND = 4.0  # seconds that a command has for closing what is open after SIGTERM
_NEGATIVE = re.compile(r"-(?!-).*[=<>\\^_{}+ ]", re.DOTALL)  # a formula that begins with a minus sign, no option
exit_callbacks: list[Callable[[], None]] = []  # called where that was not enough, from another thread


class Terminated(KeyboardInterrupt):
    """SIGTERM: a supervisor ends us; it is answered as Ctrl-C is, with an exit code of its own."""


class Stopped(click.exceptions.Abort):
    """A command that was interrupted, with the exit code shells expect."""

    def __init__(self, code: int) -> None:
        self.code = code


class OutputClosed(Exception):
    """The reader of our output has closed it (`| head`)."""


class CommandGroup(click.Group):
    """Commands in the order of the data; on Ctrl-C nothing is said here, `main` does."""

    group_class = type

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.commands)

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt as error:
            if sys.stderr.isatty():
                click.echo(err=True)  # the terminal shows ^C and stays on that line
            raise Stopped(143 if isinstance(error, Terminated) else 130) from None
        except BrokenPipeError:
            raise OutputClosed from None
        except RuntimeError as error:
            if str(error) != "Query interrupted":  # what DuckDB makes of Ctrl-C and SIGTERM
                raise
            raise Stopped(143 if signal.getsignal(signal.SIGTERM) is signal.SIG_IGN else 130) from None


class FormulaCommand(click.Command):
    """A command that takes formulas, of which one may begin with a minus sign: `formula '-x = y'`."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        valued = {o for p in self.params if isinstance(p, click.Option) and not p.is_flag for o in p.opts}
        end = args.index("--") if "--" in args else len(args)
        for i, (before, arg) in enumerate(zip(["", *args], args[:end], strict=False)):
            if before not in valued and arg[:2] not in valued and _NEGATIVE.match(arg):
                args[i] = f" {arg}"  # no option begins with a space, which TeX skips
        rest = super().parse_args(ctx, args)
        for parameter in self.params:
            if isinstance(parameter, click.Argument) and parameter.name:
                ctx.params[parameter.name] = ctx.params[parameter.name].removeprefix(" ")
        return rest


def tune_garbage_collection() -> None:
    """Have Python look for cycles among objects less often: a corpus is many small objects that stay, and hardly any cycle.

    By Python's own thresholds a fifth of the processor time of naming went into that; memory is the same.
    """
    gc.set_threshold(50_000, 20, 50)


def compute_in_one_thread() -> None:
    """Have numerical libraries that are loaded from now on use one thread, unless the environment says otherwise.

    Our systems of equations are small: with two threads, which wait for each other, `train` took five times the processor time.
    """
    for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"):
        os.environ.setdefault(name, "1")


def handle_termination() -> None:
    """Answer SIGTERM from now on as Ctrl-C is, so that logs are closed and servers stopped; end hard where that takes long."""
    signal.signal(signal.SIGTERM, _terminate)
    if sys.unraisablehook is not _repeat_lost_interrupt:
        _Hook.before, sys.unraisablehook = sys.unraisablehook, _repeat_lost_interrupt
    signal.set_wakeup_fd(_signal_pipe(), warn_on_full_buffer=False)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, (signal.SIGINT, signal.SIGTERM))  # `bot.__main__` held them back


def restore_default_signals() -> None:
    """Let Ctrl-C and SIGTERM end the process from now on without a word: the command has ended, its result is printed."""
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_REAL, 0)


def ignore_termination() -> None:
    """Ignore SIGTERM from now on: the command has ended, and its last line is being said."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    signal.setitimer(signal.ITIMER_REAL, 0)


class _Hook:
    before = sys.__unraisablehook__


def _repeat_lost_interrupt(args: sys.UnraisableHookArgs) -> None:
    """Interrupt once more, a moment later, where the interrupt fell into a callback of Python's own, which drops it."""
    if not issubclass(args.exc_type, KeyboardInterrupt) or threading.current_thread() is not threading.main_thread():
        _Hook.before(args)
        return
    kind = args.exc_type

    def handler(number: int, frame: FrameType | None) -> None:
        raise kind

    signal.signal(signal.SIGALRM, handler)
    signal.setitimer(signal.ITIMER_REAL, 0.01)


def _terminate(number: int, frame: FrameType | None) -> None:
    signal.signal(number, signal.SIG_IGN)  # a second one would break off the unwinding
    raise Terminated


@cache
def _signal_pipe() -> int:
    """Return where Python writes the numbers of signals, from now on read by a thread of its own."""
    read_end, write_end = os.pipe()
    os.set_blocking(write_end, False)
    threading.Thread(target=_exit_after_termination, args=(read_end,), daemon=True).start()
    return write_end


def _exit_after_termination(read_end: int) -> None:
    """End the process some seconds after SIGTERM, also while its main thread is inside a library."""
    while os.read(read_end, 1) != bytes([signal.SIGTERM]):
        pass
    time.sleep(_SECONDS_TO_UNWIND)
    for call in exit_callbacks:
        with suppress(Exception):
            call()
    os._exit(143)


def text_option(
    flag: str, metavar: str, text: str, name: str | None = None, *, default: object = "", **settings: Any
) -> Decorator:
    """Return an option with a text for its value; `name` is that of the parameter where it is not the option's."""
    stated = settings if "multiple" in settings or "required" in settings else {"default": default, **settings}
    return click.option(flag, *filter(None, (name,)), metavar=metavar, help=text, **stated)


def number_option(
    flag: str, default: int | None, text: str, *, least: int = 1, most: int | None = None, **settings: Any
) -> Decorator:
    """Return an option with a whole number for its value."""
    allowed = click.IntRange(least, most)
    return click.option(
        flag, type=allowed, default=default, help=text, **{"show_default": default is not None, **settings}
    )


def choice_option(flag: str, choices: Sequence[str], text: str, name: str | None = None) -> Decorator:
    """Return an option with one of several values, by default the first."""
    allowed = click.Choice(choices)
    return click.option(flag, *filter(None, (name,)), type=allowed, default=choices[0], show_default=True, help=text)


def workspace_option(text: str, **settings: Any) -> Decorator:
    """Return the option that names a workspace; an empty name, such as a variable that is not set, is not the current folder."""
    return click.option("--workspace", "-w", metavar="W", help=text, callback=_named_workspace, **settings)


def _named_workspace(_: click.Context, __: click.Parameter, name: str | None) -> str | None:
    if name == "":
        raise InputError("workspace_unnamed", todo="name_folder")
    return name


def workspace_options(command: Command) -> Command:
    command = text_option("--config", "FILE", "Settings (TOML); default: settings.toml in W.", default=None)(command)
    return workspace_option("The workspace folder.", required=True)(command)


def in_workspace(command: Command) -> Command:
    """Give a command the workspace that -w names, opened, and its settings before its own options."""

    @wraps(command)
    def opening(*, workspace: str, config: str | None, **options: Any) -> Any:
        with open_workspace(workspace, config) as (opened, settings):
            return command(opened, settings, **options)

    return workspace_options(opening)


def builtin_option(command: Command) -> Command:
    text = "Use the built-in formula list or not; default: matching.builtin of the settings (true)."
    return click.option("--builtin/--no-builtin", default=None, help=text)(command)


def with_builtin(settings: Settings, builtin: bool | None) -> Settings:
    """Return the settings with what the option says of the built-in list; None leaves them as they are."""
    return settings if builtin is None else replace(settings, matching=replace(settings.matching, builtin=builtin))


def language_option(command: Command) -> Command:
    # The languages are stated here: asking the catalogues takes as long as all of --help.
    text = "Language of the output: en, de, es or fr. Default: en, or as configured."
    return text_option("--language", "CODE", text)(command)


def known_language(code: str) -> str:
    """Return a language that was asked for, "" where none was. Raises InputError for one that has no catalogue."""

    if code and code not in (available := languages()):
        raise InputError("no_catalogue", language=repr(code), todo="known", known=", ".join(available))
    return code


def json_option(command: Command) -> Command:
    text = "Print JSON instead of a table."  # eager: options that print and end know of it
    return click.option("--json", "as_json", is_flag=True, is_eager=True, help=text)(command)


@contextmanager
def open_workspace(workspace: str, config: str | None, *, create: bool = False) -> Iterator[tuple[Workspace, Settings]]:
    """Open a workspace with its settings, which takes over what the file says of reviewing: no command goes by other rules.

    What the database cannot do is a WorkspaceError.
    """
    from bot import settings, store

    loaded = settings.load(config, workspace=workspace)
    with (
        translate_database_errors(workspace),
        store.Workspace.open(workspace, create=create, database=loaded.database) as opened,
    ):
        print_remarks(filter(None, (*opened.mended.lines(opened.path), settings.readable_secret(loaded))))
        if loaded.stated:
            from bot.review.queue_rules import take_over_settings

            if take_over_settings(opened, loaded):
                print_message("rules_taken_over", err=True, code_file=loaded.path)
        yield opened, loaded


@contextmanager
def translate_database_errors(workspace: str) -> Iterator[None]:
    """Turn what the database cannot do into a WorkspaceError that says what to do."""
    import sqlalchemy as sa

    from bot.database_errors import fault_kind

    try:
        yield
    except sa.exc.DBAPIError as error:  # locked, full, read-only, gone: the surroundings, not the code
        fault = fault_kind(error)
        if fault is None and not isinstance(error, sa.exc.OperationalError):
            raise
        todo = fault.value if fault else "check_database"
        raise WorkspaceError("database", answer=str(error.orig), where=workspace, todo=todo) from error


@contextmanager
def open_wiki_and_client(
    workspace: Workspace, settings: Settings, items: str | Path | None = None
) -> Iterator[tuple[Wiki, Client]]:
    """Open the wiki that the workspace looks at: its own rehearsal wiki, or the configured one."""
    from bot.lookup import Client
    from bot.sandbox import open_wiki
    from bot.sandbox.workspace_wiki import wiki_state

    with open_wiki(workspace, settings, items) as wiki:
        cache, state = (None, lambda: wiki_state(workspace)) if wiki.sandbox else (workspace.path / "lookup.db", None)
        with Client(wiki, settings.agent, cache, content_version=state) as client:
            yield wiki, client


@contextmanager
def open_client_or_error(
    workspace: Workspace, settings: Settings, items: Path | None = None
) -> Iterator[Client | BotError]:
    """Open the same wiki for reading; where it cannot be opened, yield the error to those who can do without."""
    with ExitStack() as stack:
        opened: Client | BotError
        try:
            opened = stack.enter_context(open_wiki_and_client(workspace, settings, items))[1]
        except BotError as error:
            opened = error
        yield opened


def write_output(
    text: str, file: str | None, workspace: str | Path, option: str = "", newline: str | None = None
) -> None:
    """Write a text to the file that a person named, or print it where that is "-" or nothing."""
    from bot.file_permissions import write_named_file

    if not file or file == "-":
        click.echo(text, nl=False)
        return
    try:
        write_named_file(Path(file), text, Path(workspace), newline=newline)
    except OSError as error:
        todo = "check" if option else ""
        raise InputError("unwritable", reason=str(error.strerror), where=file, todo=todo, code_what=option) from None


def print_rows(
    rows: Iterable[T], as_json: bool, title: Message, columns: Sequence[str], cells: Callable[[T], Sequence[object]]
) -> None:
    """Print rows as JSON lines, or as a table of what `cells` makes of each; see `console.table`."""
    if as_json:
        write_lines(rows)
    else:
        table(title, columns, map(cells, rows))


def print_summary(
    title: str | Message, summary: object, as_json: bool, missing: Sequence[str | Message] | None = None
) -> None:
    """Print a stage's figures, and on standard error what it skipped and what it had not to go by."""
    from bot.records import as_json as plain

    values = plain(summary)
    if as_json:
        write_json(values if missing is None else {**values, "missing": [str(each) for each in missing]})
        return
    ignored = [each for name in list(values) if name.endswith("ignored_files") for each in values.pop(name)]
    rows = [(k.replace("_", " "), _cell(v)) for k, v in values.items() if not k.endswith("messages")]
    table(title, ("figure", "value"), rows)
    if ignored:
        table(Message("table.ignored"), ("files", "reason", "for_example"), _by_reason(ignored))
    for name, skipped in values.items():
        if name.endswith("skipped"):
            for (path, _), message in zip(skipped, values.get(f"{name}_messages", ()), strict=True):
                print_message("skipped", err=True, path=path, why=from_json(message))
    print_remarks(missing or ())


def _by_reason(ignored: Sequence[Json]) -> list[tuple[int, str, str]]:
    """Return a row for each reason, the most frequent first, with the first files that were ignored for it."""
    found: dict[Message, list[Json]] = {}
    for each in ignored:
        found.setdefault(from_json(each), []).append(each)
    rows = (
        (sum(e["count"] for e in files), localised(reason), ", ".join(os.path.basename(e["path"]) for e in files[:3]))
        for reason, files in found.items()
    )
    return sorted(rows, key=lambda row: -row[0])


def print_remarks(lines: Iterable[str | Message]) -> None:
    """Print what the reader of a result should know of it, on standard error."""
    for line in lines:
        click.echo(localised(line), err=True)


def _cell(value: object) -> object:
    if isinstance(value, dict):
        return ", ".join(f"{k} {v}" for k, v in value.items())
    return len(value) if isinstance(value, list) else value
