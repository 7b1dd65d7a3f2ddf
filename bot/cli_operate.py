"""What an operator does: `run`, `status`, `doctor`, `pause`, `resume`, and `query` with query files filled for the configured wiki."""

from __future__ import annotations

import getpass
import sys
from collections.abc import Sequence
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from bot.cli_common import (
    Command,
    json_option,
    known_language,
    language_option,
    open_client_or_error,
    open_workspace,
    print_summary,
    text_option,
    workspace_option,
    write_output,
)
from bot.console import localised, print_message, table, write_json
from bot.errors import InputError, SettingsError
from bot.messages import Message, one_line

if TYPE_CHECKING:
    from bot.settings import Settings
    from bot.store import Workspace


def _in_workspace(command: Command) -> Command:
    """Give a command the opened workspace that was named, or the one of [run], and its settings."""

    @wraps(command)
    def opening(*, config: str | None, workspace: str | None, **options: Any) -> Any:
        with open_workspace(workspace or _of_run(config), config) as (opened, settings):
            return command(opened, settings, **options)

    named = workspace_option("The workspace folder; default: [run] workspace of FILE.")(opening)
    return text_option("--config", "FILE", "Settings (TOML); default: settings.toml in W.", default=None)(named)


def _of_run(config: str | None) -> str:
    """Return the workspace that [run] names. Raises SettingsError where it names none."""
    from bot import settings

    named = settings.load(config).run.workspace if config else ""
    if not config or not named:
        raise SettingsError("no_workspace_named", where=config or "", todo="workspace_or_run")
    return str(Path(config).resolve().parent / named)


@click.command()
@text_option("--config", "FILE", "Settings (TOML) with a [run] table.", required=True)
@click.option("--if-due", is_flag=True, help="Do nothing until [run] every_hours have passed since the last good run.")
@json_option
def run(config: str, if_due: bool, as_json: bool) -> int:
    """Do a scheduled run: all stages, then the audits.

    It crawls, runs discover, match and propose, expires old proposals, and makes the audits. It never approves, and writes
    approved proposals only if `[run] write = true`. Each run writes a log of JSON lines into the folder `[run] logs`, and
    the reports of the stages into W/reports.

    Exit code 0: nothing new, 1: something new for a person, 2: a step could not be done.

    \b
    [run]                        in FILE; paths are relative to its folder; see docs/operating.md
    sources = ["corpus"]
    workspace = "w"
    audits = ["seeded"]
    """
    from bot.operate.scheduled import scheduled_run

    outcome = scheduled_run(config, quiet=as_json, if_due=if_due)
    print_summary("run", outcome.figures, as_json)
    if outcome.error:
        click.echo(f"formula-bot: {one_line(localised(outcome.error))}", err=True)
    return outcome.exit_code


@click.command()
@_in_workspace
@text_option("--reason", "TEXT", "Why writing is paused; `status` shows it.", required=True)
def pause(opened: Workspace, settings: Settings, reason: str) -> None:
    """Stop all writing until a person resumes it.

    Give -w or --config. A run or `write --live` that is going on stops before its next edit. All other stages, audits and
    `undo` continue to work. The bot also pauses by itself if others remove too many of its edits (`[run] pause_above`).
    """
    from bot.write.pause import pause_writing

    person = getpass.getuser()  # without the lock: it stops a process that holds it
    pause_writing(opened, Message("pause.person", by=person, reason=reason), by=person)
    print_message("paused")


@click.command()
@_in_workspace
@text_option("--reason", "TEXT", "What was checked and done; it is stored.", required=True)
def resume(opened: Workspace, settings: Settings, reason: str) -> None:
    """Allow writing again after a pause.

    Give -w or --config. Removals that caused the pause are not counted again.
    """
    from bot.write.pause import resume_writing

    with opened.lock("resume"):
        resume_writing(opened, reason, getpass.getuser())
    print_message("resumed")


@click.command()
@_in_workspace
@text_option("--prometheus", "FILE", "Also write the figures into this file for Prometheus' textfile collector.", default=None)  # fmt: skip
@language_option
@json_option
def status(opened: Workspace, settings: Settings, prometheus: str | None, language: str, as_json: bool) -> None:
    """Show what happened and what is waiting.

    Prints the last runs and crawls, a pause, the queue, approvals that wait to be written, how many edits the daily cap
    still allows, findings, how many edits survived, and the next steps. It does not contact the wiki. Give -w or --config.

    \b
    formula-bot status --config bot.toml
    formula-bot status -w w --prometheus /var/lib/prometheus/node-exporter/formula-bot.prom
    """
    from bot.operate import status as module
    from bot.records import as_json as plain

    found = module.status(opened, settings)
    if prometheus:
        write_output(module.prometheus(found), prometheus, opened.path, "--prometheus")
    if as_json:
        write_json(plain(found))
        return
    language = known_language(language)

    def translate(message: Message | str) -> str:
        return localised(message, language)

    def show(title: str, columns: str, rows: Sequence[Sequence[object]]) -> None:
        table(Message(f"status.{title}"), columns.split(), rows, language=language)

    def end(run: module.RunStatus) -> str:
        return run.ended or translate(Message("run.no_end" if run.error else "run.going_on"))

    if found.paused:
        click.echo(translate(Message("status.paused_line", told=found.paused)))
    runs = [(r.started, end(r), "" if r.exit_code is None else r.exit_code, translate(r.error)) for r in found.runs]
    show("runs", "started ended exit_code error", runs)
    if found.crawls:
        crawls = [
            (c.source, c.into, c.documents, c.failed, c.checked or translate(Message("status.never")))
            for c in found.crawls
        ]
        show("crawls", "source folder documents failed last_answer", crawls)
    show("queue", "state proposals", list(found.queue.items()))
    figures = {
        "documents": found.documents,
        "concepts": found.concepts,
        "approvals": found.approvals_waiting,
        "edits": found.edits_written,
        "last_day": found.edits_last_day,
        "left": found.edits_left,
        "findings": sum(found.findings.values()),
        "findings_new": found.findings_new,
    }
    show("figures", "what figure", [(translate(Message(f"status.{name}")), figure) for name, figure in figures.items()])
    for line in (*found.could_not_tell, *found.survival):
        click.echo(translate(line))
    show("next_steps", "what", [(translate(step),) for step in found.next_steps or (Message("next.nothing"),)])


@click.command()
@_in_workspace
@language_option
@json_option
def doctor(opened: Workspace, settings: Settings, language: str, as_json: bool) -> int:
    """Find errors in the setup and say how to fix them.

    It checks settings, libraries, disk, clock, the wiki and its query service, property ids and their datatypes, and the
    files of the account. It changes nothing. Give -w or --config. Exit code 0: no error (warnings are possible), 1: a
    check failed, 2: a check could not be done.

    \b
    formula-bot doctor --config bot.toml
    """
    from bot.operate.doctor import examine
    from bot.records import as_json as plain

    with open_client_or_error(opened, settings) as wiki:
        checks = examine(opened, settings, wiki)
    if as_json:
        write_json({"checks": plain(checks)})
    else:
        language = known_language(language)
        rows = [(c.state, c.name, localised(c.what, language), localised(c.todo, language)) for c in checks]
        table("doctor", ("state", "check", "what", "todo"), rows, language=language)
    states = {check.state for check in checks}
    return 1 if "fail" in states else 2 if "unknown" in states else 0


@click.command()
@click.argument("kind", type=click.Choice(("systemd", "cron", "toolforge", "container")))
@text_option("--config", "FILE", "Settings (TOML) with a [run] table.", required=True)
@text_option("--into", "DIR", "Write the files into this folder instead of printing them.", default=None)
def deploy(kind: str, config: str, into: str | None) -> None:
    """Print files that run the bot on a schedule.

    The files are for systemd, cron, Toolforge or a container, with the paths of these settings.

    \b
    formula-bot deploy systemd --config bot.toml --into units
    formula-bot deploy cron --config bot.toml
    """
    from bot.operate.deployment import rendered_files

    for name, text in rendered_files(kind, config).items():
        if not into:
            click.echo(text)
            continue
        try:
            (Path(into) / name).write_text(text, encoding="utf-8")
        except OSError as error:
            raise InputError(
                "unwritable", reason=str(error.strerror), where=into, todo="check", code_what="--into"
            ) from None
        click.echo(Path(into) / name)


@click.command()
@click.argument("name", required=False, metavar="[NAME]")
@text_option("--config", "FILE", "Settings (TOML) of the wiki; default: Wikidata.", default=None)
@text_option("--set", "NAME=VALUE", "Value of a parameter; lists with commas. Repeatable.", "values", multiple=True)
@json_option
def query(name: str | None, config: str | None, values: tuple[str, ...], as_json: bool) -> None:
    """Print a SPARQL query for the configured wiki.

    Prefixes, ids and parameters are filled in, so that you can paste it into the query service of the wiki. Without a
    NAME it lists the queries and their parameters.

    \b
    formula-bot query lookup_items_with_formula
    formula-bot query lookup_classes --set items=Q11412,Q35875 --config bot.toml
    """
    from bot import settings
    from bot.lookup import queries

    configured = settings.load(config)
    if not name:
        found = queries.catalogue()
        if as_json:
            write_json({"queries": [{"name": q.name, "purpose": q.purpose, "parameters": q.kinds} for q in found]})
        else:
            rows = [(q.name, q.purpose, ", ".join(q.kinds)) for q in found]
            table(Message("table.queries"), ("name", "purpose", "parameters"), rows)
        return
    loaded = queries.load_query(name)
    texts = {}
    for value in values:
        key, equals, text = value.partition("=")
        if not equals:
            raise InputError("no_assignment", where=f"--set {value}")
        texts[key] = text
    text = queries.fill(loaded, configured.wiki, queries.values_from_text(loaded, texts), samples=True)
    if as_json:
        write_json({"name": name, "purpose": loaded.purpose, "query": text})
    else:
        print(f"# {loaded.purpose}", text, sep="\n", file=sys.stdout)
