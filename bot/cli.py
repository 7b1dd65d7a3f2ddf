"""The command line: one command for each stage, in the order of the data. A body parses, calls, prints a summary.

Stages are imported inside the bodies, so that `--help` answers at once.
"""

from __future__ import annotations

import getpass
import io
import os
import sys
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from itertools import count
from operator import itemgetter
from typing import TYPE_CHECKING, Any, TextIO

import click

from bot import __version__
from bot.cli_common import (
    CommandGroup,
    FormulaCommand,
    OutputClosed,
    Stopped,
    Terminated,
    builtin_option,
    choice_option,
    compute_in_one_thread,
    handle_termination,
    ignore_termination,
    in_workspace,
    json_option,
    known_language,
    language_option,
    number_option,
    open_client_or_error,
    open_wiki_and_client,
    open_workspace,
    print_remarks,
    print_rows,
    print_summary,
    text_option,
    tune_garbage_collection,
    with_builtin,
    workspace_option,
    workspace_options,
    write_output,
)
from bot.cli_crawl import crawl
from bot.cli_formulas import HEADINGS, answer_rows, formulas, representations
from bot.cli_operate import deploy, doctor, pause, query, resume, run, status
from bot.cli_review import gadget, review
from bot.cli_train import train
from bot.console import (
    localised,
    print_message,
    progress,
    read_lines,
    table,
    terminal_language,
    write_json,
    write_lines,
)
from bot.errors import BotError, InputError, WorkspaceError, report_unexpected, system_error_message
from bot.freed_memory import tune_malloc
from bot.messages import Message, one_line, uncoded_message
from bot.wikibase import is_item_id

_EXPORTED = tuple("occurrences concepts matches proposals symbols decisions edits findings representations".split())

if TYPE_CHECKING:
    from bot.records import Item
    from bot.settings import Settings, Wiki
    from bot.store import Workspace
    from bot.wikibase import Json
    from bot.write import Plan


def main(args: Sequence[str] | None = None) -> None:
    """Run the command line (`args`, or the process's own); whatever goes wrong is one line on standard error.

    Exit codes: a command's own, 2 for what was given or could not be asked, 70 for an error of the bot (its traceback
    goes to a file), 130 and 143 for Ctrl-C and SIGTERM.
    """
    try:
        _run(args)
    except KeyboardInterrupt as error:  # while the end of a command was being said
        _interrupted(143 if isinstance(error, Terminated) else 130)


def _run(args: Sequence[str] | None) -> None:
    tune_malloc()
    tune_garbage_collection()
    compute_in_one_thread()
    # A stream that was closed by who started us is None, and `print` would take the other one.
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode))  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # a terminal that cannot show a character is not an error
    try:
        handle_termination()
        code = cli.main(args=args, prog_name="formula-bot", standalone_mode=False) or 0
        sys.stdout.flush()
        sys.exit(code)
    except Stopped as error:
        _interrupted(error.code)
    except KeyboardInterrupt as error:
        _interrupted(143 if isinstance(error, Terminated) else 130)
    except click.exceptions.Abort as error:
        if isinstance(error.__cause__, Terminated):  # before any command had begun
            _interrupted(143)
        _fail(Message("run.nothing_done"), 130)
    except click.ClickException as error:
        command = error.ctx.command_path if isinstance(error, click.UsageError) and error.ctx else "formula-bot"
        _fail(uncoded_message(f"{' '.join(error.format_message().split())} (see `{command} --help`)"), 2)
    except BotError as error:
        _fail(error.full_message, error.exit_code)
    except (OutputClosed, BrokenPipeError):
        # The reader of our output has gone; nothing is left to say, also not when Python flushes at its end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
    except Exception as error:
        if isinstance(error, OSError) and (message := system_error_message(error)):
            _fail(message, 2)
        if isinstance(error, UnicodeEncodeError) and error.reason == "surrogates not allowed":
            _fail(Message("error.lone_surrogate"), 2)
        _fail(report_unexpected(error), 70)


def _interrupted(code: int) -> None:
    """Leave at once: Python would wait for threads, and after Ctrl-C in an `exec` forget the exit code."""
    ignore_termination()
    try:
        print(f"formula-bot: {localised(Message('run.stopped'))}", file=sys.stderr, flush=True)
        sys.stdout.flush()
    finally:
        os._exit(code)


def _fail(message: Message, code: int) -> None:
    print(f"formula-bot: {one_line(localised(message))}", file=sys.stderr)
    sys.exit(code)


@click.group(cls=CommandGroup, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110})
@click.version_option(__version__, prog_name="formula-bot")
def cli() -> None:
    """Find formula concepts in scientific texts, suggest statements about them, and write what a person approved to a Wikibase.

    \b
    formula-bot demo                                      the whole pipeline on examples, on this machine
    formula-bot discover lectures/ articles.xml.gz -w w   finds formula concepts
    formula-bot match -w w --items items.jsonl            finds their items, here in a rehearsal wiki
    formula-bot propose -w w                              fills the queue; read w/reports/dry-run.html

    Only `write --live`, `undo` and `run` with `[run] write = true` change a wiki, and only what a person approved. In a
    workspace that was filled with `match --items`, every command uses a rehearsal wiki on this machine.
    """


@cli.command()
@workspace_option("The workspace; an earlier one of a demo is replaced.", default="demo-workspace", show_default=True)
def demo(workspace: str) -> None:
    """Run the whole pipeline on the example corpus.

    It uses a rehearsal wiki on this machine. A script decides in place of a person, and nothing leaves the machine.
    """
    from bot.demo import run_demo

    run_demo(workspace)


cli.add_command(crawl)


def _list_formats(context: click.Context, _: click.Parameter, value: bool) -> None:
    """Print the table of formats and end; nothing else need be given."""
    if value and not context.resilient_parsing:
        from bot.corpus.formats import format_rows

        if context.params.get("as_json"):
            write_json(format_rows())
        else:
            rows = [(each["name"], each["description"], " ".join(each["files"])) for each in format_rows()]
            table(Message("table.formats"), ("format", "what_it_is", "file_names"), rows)
        context.exit()


@cli.command()
@click.argument("sources", nargs=-1, required=True, metavar="SOURCE...")
@workspace_options
@text_option("--items", "FILE", "Items as JSON lines; their labels are searched in the text.", default=None)
@text_option("--format", "NAME", "Format of the sources; default: recognised.", "format_name")
@click.option("--list-formats", is_flag=True, expose_value=False, callback=_list_formats, help="List the formats and exit.")  # fmt: skip
@builtin_option
@choice_option("--engine", ("local", "spark"), "Where files are read and formulas counted: on this machine or on a Spark cluster.")  # fmt: skip
@text_option("--spark-conf", "KEY=VALUE", "A setting of Spark, such as spark.master=yarn; repeatable.", multiple=True)
@json_option
def discover(
    sources: tuple[str, ...],
    workspace: str,
    config: str | None,
    items: str | None,
    format_name: str,
    builtin: bool | None,
    engine: str,
    spark_conf: tuple[str, ...],
    as_json: bool,
) -> int:
    """Find formula concepts and candidates for their names.

    A SOURCE is a file, a folder, a glob pattern or an archive in one of the formats of `--list-formats`. The workspace W
    is created if it does not exist. Prints counts of what was read, found and skipped.

    If it was interrupted, run it again and it continues. A later run reads only new and changed files. Exit code 1: the
    sources contain no formula.

    \b
    formula-bot discover lectures/ 'wiki/*.xml.bz2' modules.zip --workspace w
    """
    from bot.corpus.probe import probe
    from bot.discover import discover as run
    from bot.discover.corpus_gaps import missing_corpus_data
    from bot.discover.engines import opened_engine
    from bot.items_file import labels_of, read_items
    from bot.match.knowledge import Knowledge

    labels = labels_of(read_items(items)) if items else []
    there = probe(sources, format_name)  # a source that cannot be used is said before a workspace is made
    with (
        open_workspace(workspace, config, create=True) as (opened, settings),
        opened.lock("discover"),
        opened_engine(engine, spark_conf) as used,
    ):
        settings = with_builtin(settings, builtin)
        knowledge = Knowledge.of(opened, settings)
        found = run(
            opened, sources, settings, format=format_name, labels=labels, builtin=knowledge, quiet=as_json, engine=used,
            listing=there,
        )  # fmt: skip
        print_summary("discover", found, as_json, missing_corpus_data(opened, settings, found.found))
    return 0 if found.found else 1


@cli.command()
@in_workspace
@text_option("--items", "FILE", "Items as JSON lines: fill the workspace's rehearsal wiki with them and search there.", default=None)  # fmt: skip
@builtin_option
@json_option
def match(opened: Workspace, settings: Settings, items: str | None, builtin: bool | None, as_json: bool) -> None:
    """Find the items of the formula concepts.

    Stores each match with its evidence and a probability in the workspace. Run `discover` first.

    \b
    formula-bot match --workspace w                       searches the configured wiki
    formula-bot match --workspace w --items items.jsonl   searches a rehearsal wiki filled from this file
    One line of the file: {"qid": "Q35875", "label": "...", "aliases": [], "formulas": [], "instance_of": []}
    """
    from bot.match import match as run
    from bot.match.wiki_gaps import missing_wiki_data

    with opened.lock("match"), open_wiki_and_client(opened, settings, items) as (_, client):
        found = run(opened, client, with_builtin(settings, builtin), quiet=as_json)
        print_summary("match", found, as_json, (*missing_wiki_data(opened, client), *found.articles_away))


@cli.command()
@in_workspace
@language_option
@json_option
def propose(opened: Workspace, settings: Settings, language: str, as_json: bool) -> None:
    """Put likely matches into the review queue as proposals.

    Writes the report W/reports/dry-run.html, and the same proposals as JSON lines, QuickStatements CSV and wikitext. It
    writes to no wiki. Run `match` first. Decisions on proposals whose content is unchanged are kept.
    """
    from bot.propose.proposal_context import missing_inputs
    from bot.propose.run import propose as run
    from bot.stage_state import last_inputs
    from bot.store import matches

    if last_inputs(opened, "match") is None and not opened.rows(matches.select().limit(1)):
        raise WorkspaceError("not_matched", where=str(opened.path), todo="match_first")
    with opened.lock("propose"), open_wiki_and_client(opened, settings) as (_, client):
        today = datetime.now(UTC).date()
        if known_language(language):
            settings = replace(settings, proposing=replace(settings.proposing, report_language=language))
        found = run(opened, client, settings, today=today, quiet=as_json)
        print_summary("propose", found, as_json, (*missing_inputs(opened, client, settings), *found.source_items))
    if not as_json:
        print_message("report", path=str(opened.reports / "dry-run.html"))


cli.add_command(review)


@cli.command()
@in_workspace
@click.option("--live", is_flag=True, help="Send the plan to the wiki; without this option nothing is sent.")
@text_option("--plan", "ID", "Use this stored plan; default: the newest.", "plan_id")
@click.option("--yes", is_flag=True, help="Do not ask for confirmation before writing to a production wiki.")
@json_option
def write(opened: Workspace, settings: Settings, live: bool, plan_id: str, yes: bool, as_json: bool) -> None:
    """Plan the approved edits; with --live, send them.

    Without --live it makes a plan and prints, for each item, the existing formulas and what would be added.
    W/reports/write-plan.html shows the exact payloads. Nothing is sent.

    With --live it sends the newest plan, checks each edit, and writes the result to W/reports/write-outcome.html. On any
    wiki but the rehearsal wiki the plan must have been made before. Run it again to send what failed or was not reached;
    nothing is sent twice.

    \b
    formula-bot write --workspace w
    formula-bot write --workspace w --live --plan 32bde5774b7b4e62
    """
    from bot.match.wiki_gaps import ids_of_wikidata
    from bot.write import authorise, load_plan, make_plan, unfinished_plan
    from bot.write.plan import estimated_duration
    from bot.write.plan_report import save_report, show_plan

    with opened.lock("write"), open_wiki_and_client(opened, settings) as (wiki, client):
        if live:
            authorise(wiki, settings)
        else:
            print_remarks(ids_of_wikidata(wiki))
        plan = load_plan(opened, plan_id) if plan_id else unfinished_plan(opened, wiki) if live else None
        if plan_id and plan is None:
            raise InputError("no_plan", where=plan_id, todo="without_live")
        if plan is None and live and not wiki.sandbox:
            raise InputError("no_plan_waits", where=str(opened.path), todo="read_plan")
        plan = plan or make_plan(opened, client, wiki, settings)
        takes = estimated_duration(plan.number_of_edits, wiki, settings)
        save_report(opened, plan, wiki.properties, takes, settings.proposing.report_language)
        if live:
            _apply(opened, plan, wiki, settings, yes, as_json)
        else:
            show_plan(plan, takes, as_json)


def _apply(opened: Workspace, plan: Plan, wiki: Wiki, settings: Settings, yes: bool, as_json: bool) -> None:
    from bot.write import apply, number_of_edits, outcome, unfinished_entries

    count = number_of_edits(unfinished_entries(opened, plan))
    _ask_once_more("send", count, wiki, settings, yes)
    stopped = None
    try:
        with progress(Message("told.writing_bar"), len(plan.entries), quiet=as_json) as advance:
            apply(opened, plan, wiki, settings, on_edit=lambda entry, result: advance(note=entry.qid))
    except BotError as error:
        stopped = error.full_message
        raise
    finally:
        outcome.print_outcome(opened, plan, as_json, stopped, settings.proposing.report_language)


def _ask_once_more(code: str, count: int, wiki: Wiki, settings: Settings, yes: bool) -> None:
    from bot.write.authorise import confirm_count, is_production

    if not (count and is_production(wiki)):
        return
    if yes:
        confirm_count(count, settings)
    else:
        edits = Message("write.edits", n=count)
        click.confirm(localised(Message(f"question.{code}", edits=edits, wiki=wiki.name)), abort=True)


@cli.command()
@in_workspace
@text_option("--group", "GROUP", "The edits of one edit group (one run).")
@text_option("--edit", "N", "The edit with this number in the ledger.", default=0)
@text_option("--item", "QID", "The bot's edits of this item.")
@text_option("--reviewer", "NAME", "The edits that this person approved.")
@text_option("--since", "TIME", "Edits from this time on, UTC: 2026-11-20 or 2026-11-20T12:00:00Z.")
@text_option("--until", "TIME", "Edits before this time, UTC.")
@click.option("--live", is_flag=True, help="Undo the edits; not needed for the rehearsal wiki.")
@click.option("--yes", is_flag=True, help="Do not ask for confirmation before editing a production wiki.")
@json_option
def undo(opened: Workspace, settings: Settings, live: bool, yes: bool, as_json: bool, **choice: Any) -> None:
    """Undo the bot's edits that nobody has changed since.

    Choose edits by at least one option; if you give several, an edit must fit all of them. Prints a row for each edit.
    Edits that somebody has changed are listed and kept. Without --live it only shows what would be undone, except in the
    rehearsal wiki, where it undoes at once. If it was interrupted, run it again and it continues.

    `formula-bot export edits` lists groups and numbers.

    \b
    formula-bot undo --workspace w --item Q179916
    formula-bot undo --workspace w --group 53c53bdc3f74 --live
    """
    from bot import hashchain as chain
    from bot.write.undo import EditSelection, Undoer

    selection = EditSelection(**choice)
    if not selection:
        raise InputError("undo_what", todo="see_command", code_command="export edits")
    with opened.lock("undo"), open_wiki_and_client(opened, settings) as (wiki, _):
        undoer = Undoer(opened, wiki, settings)
        plan = undoer.plan(selection)
        done = list(plan.entries)
        if live or wiki.sandbox:
            _ask_once_more("take_back", len(plan.open), wiki, settings, yes)
            done = undoer.apply(plan)
        head = chain.length_and_head(opened)[1]
    if as_json:
        write_lines(
            {"edit": row.n, "qid": row.qid, "guid": row.guid, "undo": str(result.message)} for row, result in done
        )
    else:
        lines = [(row.n, row.qid, localised(result.message)) for row, result in done]
        table(Message("table.undo", plan=plan.id), ("edit", "item", "outcome"), lines)
    click.echo(f"chain {head}", err=as_json)


@cli.command()
@click.argument("names", nargs=-1, metavar="[NAME]...")
@in_workspace
@choice_option("--format", ("text", "html", "json", "wikitext", "csv"), "Form of the result: a table, a page for a browser, JSON, text for a wiki page, or CSV.", "form")  # fmt: skip
@text_option("--output", "FILE", "Write into this file instead of standard output.", default=None)
@text_option("--head", "HASH", "For `ledger`: an earlier head of the hash chain that must still be in it.")
@click.option("--accept-drop", is_flag=True, help="Accept the result even if earlier audits found much more on the wiki.")  # fmt: skip
@text_option("--mute", "ID", "Accept this finding; needs --reason. No audit is made.", default=None)
@text_option("--unmute", "ID", "No longer accept this finding. No audit is made.", default=None)
@text_option("--reason", "TEXT", "Why the finding is accepted.")
@language_option
@click.option("--list", "listed", is_flag=True, help="List the audits, including your own, and exit.")
def audit(
    opened: Workspace,
    settings: Settings,
    names: tuple[str, ...],
    form: str,
    output: str | None,
    head: str,
    accept_drop: bool,
    language: str,
    listed: bool,
    **acceptance: Any,
) -> int:
    """Check the bot's edits and the formulas on the wiki.

    Without a NAME it makes all audits except the costly ones (see docs/audit.md). Audits only read. Exit code 0: clean, 1:
    findings, 2: an audit could not be done. An accepted finding (--mute) is not counted until its content changes.

    \b
    formula-bot audit seeded survival --workspace w
    formula-bot audit ledger --workspace w --head 5d0c…        is this earlier head still in the hash chain?
    formula-bot audit --workspace w --format html --output audit.html
    formula-bot audit --workspace w --mute 5d0c11aa9f3e --reason "both names mean the same quantity"
    """
    if any(acceptance.values()):
        return _mute(opened, **acceptance)
    from bot.audit import audits_of, exit_code, render, run_audits
    from bot.match.wiki_gaps import ids_of_wikidata

    language = terminal_language(known_language(language))
    if listed:
        return _list_audits(settings, language)

    with open_client_or_error(opened, settings) as wiki:
        print_remarks(ids_of_wikidata(settings.wiki))
        findings = run_audits(opened, wiki, settings, names, head=head.strip().lower(), accept_drop=accept_drop)
        asked_wiki = settings.wiki if isinstance(wiki, BotError) else wiki.wiki
        known = audits_of(settings)
        printed = output in (None, "", "-")
        text = render(
            findings,
            form,
            audits=names,
            wiki=asked_wiki,
            all_audits=known,
            language=language,
            workspace=opened,
            printed=printed,
        )
    write_output(text + "\n", output, opened.path, "--output")
    return exit_code(findings)


def _list_audits(settings: Settings, language: str) -> int:
    from bot.audit import audits_of
    from bot.audit.finding_formats import describe

    audits = audits_of(settings)
    rows = [(name, describe(name, audits, language), ", ".join(audit.queries)) for name, audit in audits.items()]
    table(Message("table.audits"), ("name", "looks_for", "queries"), rows, language=language)
    return 0


def _mute(opened: Workspace, mute: str | None, unmute: str | None, reason: str) -> int:
    from bot.audit.known_findings import mute as accept

    if bool(mute) == bool(unmute) or bool(mute) != bool(reason.strip()):
        raise InputError("mute_options", todo="see_command", code_command="audit --help")
    accept(opened, mute or unmute or "", reason.strip(), getpass.getuser())
    print_message("muted" if mute else "unmuted", code_id=mute or unmute or "")
    return 0


for command in (run, status, doctor, deploy, pause, resume, query):
    cli.add_command(command)


@cli.command()
@text_option("--items", "FILE", "Items with their formulas as JSON lines.", required=True)
@text_option("--queries", "FILE", 'Formulas as JSON lines {"id", "tex"}; - is standard input.', required=True)
@number_option("--top", 10, "Number of hits for each formula.")
@workspace_option("Also use the representations of this workspace.")
@builtin_option
@json_option
def recognise(items: str, queries: str, top: int, workspace: str | None, builtin: bool | None, as_json: bool) -> None:
    """Find the items of single formulas.

    Prints a table on a terminal, and JSON lines, one for each query, in a pipe, in a file or with `--json`.

    The hits of a query are sorted, the most likely item first. `accepted` is true if the first one is certain enough;
    `together` names hits that are parts or wholes of each other.

    A query may have the text around the formula in the fields "context", "title" (or "document", "doc") and "heading".
    Other fields are returned unchanged.

    \b
    echo '{"id": 1, "tex": "E = m c^2"}' | formula-bot recognise --items items.jsonl --queries -
    """
    from bot.items_file import read_items
    from bot.match import recognise as run
    from bot.match.retrieval.recognise import shipped_ranker
    from bot.settings import Settings

    if items == queries == "-":
        raise InputError("one_input")
    rows, settings = list(read_items(items)), Settings()
    if workspace:
        from bot.review.fcdb import representations as known
        from bot.review.fcdb import with_representations

        with open_workspace(workspace, None) as (opened, settings):
            rows = list(with_representations(rows, known(opened, items_only=True)))
    found = run(rows, read_lines(queries, {"tex": str}), top, builtin=with_builtin(settings, builtin).matching.builtin)
    if as_json or not sys.stdout.isatty():
        write_lines(found)
        return
    labels = {row["qid"]: row.get("label") or "" for row in rows}
    table(Message("table.recognised"), HEADINGS, answer_rows(found, labels, shipped_ranker().accept))


@cli.command()
@text_option("--items", "FILE", "Items with their formulas as JSON lines.", default=None)
@workspace_option("Use the items that `match` looked up here, and the representations.")
@text_option("--config", "FILE", "Settings (TOML); default: settings.toml in W.", default=None)
@number_option("--port", 8095, "Port to listen on; 0: any free port.", least=0, most=65535)
@builtin_option
def reconcile(items: str | None, workspace: str | None, config: str | None, port: int, builtin: bool | None) -> None:
    """Serve reconciliation for OpenRefine.

    OpenRefine sends a column of formulas (TeX) or names and gets items (see docs/reconcile.md). Give --items, --workspace
    or both; the items of a file are used instead of those of the workspace. The service listens on this machine only and
    writes nothing. Ctrl-C stops it.

    \b
    formula-bot reconcile --items items.jsonl
    """
    from bot import settings as configured
    from bot.items_file import read_items
    from bot.review.reconciliation import item_rows, serve_reconciliation

    if not items and not workspace:
        raise InputError("items_or_workspace")
    rows = read_items(items) if items else []
    if workspace:
        with open_workspace(workspace, config) as (opened, settings):
            rows = item_rows(opened, settings, rows)
    else:
        settings = configured.load(config)
    serve_reconciliation(rows, with_builtin(settings, builtin), port=port, say=click.echo)


@cli.command(cls=FormulaCommand)
@click.argument("name", metavar="NAME|QID|FORMULA")
@in_workspace
@number_option("--top", 20, "Number of formulas.")
@json_option
def find(opened: Workspace, settings: Settings, name: str, top: int, as_json: bool) -> None:
    """Find formulas of the corpus by name, item or formula.

    For a name or the QID of an item it prints formulas that are likely representations of that concept. For a formula it
    prints formulas that state the same, are variants of it, or contain it as a side or a term, with the relation. Text
    with a backslash, a brace, ^, _ or a relation sign such as = is read as a formula.

    \b
    formula-bot find 'E = mc^2' --workspace w
    formula-bot find "Hubble's law" --workspace w
    formula-bot find Q179916 --workspace w --json
    """
    from bot.discover.formula_search import is_formula

    if is_formula(name):
        _find_formula(opened, name, top, as_json)
        return
    from bot.match.search_by_name import find_with_builtin as run

    rows = run(opened, name, _known_item(opened, settings, name) if is_item_id(name) else None, settings)[:top]
    if not rows and not as_json:
        print_message("nothing_named_so")
        return
    headings = ("score", "level", "formula", "document", "sentence")
    cells = itemgetter("score", "level", "tex", "title", "sentence")
    print_rows(rows, as_json, Message("table.formulas_for", name=name), headings, cells)


def _known_item(opened: Workspace, settings: Settings, qid: str) -> Item | None:
    """Return an item as the workspace last read it; one that it never read is asked of the wiki."""
    from bot.review.proposal_answers import stored_item

    if (item := stored_item(opened, qid)).revision:
        return item
    with open_wiki_and_client(opened, settings) as (_, client):
        found = client.entities([qid]).get(qid)
        print_remarks(client.cache_use().remarks())
    return found


def _find_formula(opened: Workspace, tex: str, top: int, as_json: bool) -> None:
    from bot.discover.formula_search import find_formula
    from bot.formula.drawing.plain_text import plain_text

    rows = find_formula(opened, tex, top)
    if not rows and not as_json:
        print_message("nothing_like_it")
        return
    headings = ("relation", "level", "formula", "concept", "document", "section", "sentence", "link")
    cells = itemgetter("relation", "level", "drawn", "name", "title", "section", "sentence", "url")
    title = Message("table.formulas_like", formula=plain_text(tex))
    print_rows(rows, as_json, title, headings, lambda row: cells({**row, "drawn": plain_text(row["tex"])}))


def _rows_from_arguments(row: Json, source: str) -> list[Json]:
    """Return the row of the formulas that were named on the command line, none where a file has them; exactly one of the two is wanted."""
    if source and not any(row.values()):
        return []
    if source or not all(row.values()):
        raise click.UsageError("Give FORMULA or --input F." if len(row) == 1 else "Give two formulas or --input F.")
    return [row]


@cli.command(cls=FormulaCommand)
@click.argument("tex", default="", metavar="[FORMULA]")
@text_option("--input", "FILE", 'Formulas as JSON lines {"tex"}; - is standard input.', "source")
def formula(tex: str, source: str) -> None:
    """Check whether Wikidata accepts formulas; print keys.

    Prints a JSON line for each formula: "valid", "why" not, "mended" (a repaired TeX, if there is a safe repair) and
    "keys" (see docs/formula-keys.md). Give one FORMULA or --input.

    A line of the input may have "dimensions", the physical dimensions of symbols; then "balanced" says whether the
    dimensions of the formula agree, or null if this is unknown. Other fields are returned unchanged.

    \b
    formula-bot formula 'E = m c^2'
    echo '{"tex": "E = m c", "dimensions": {"E": "M L^2 T^-2", "m": "M", "c": "L T^-1"}}' | formula-bot formula --input -
    """
    from bot.formula import describe
    from bot.formula.quantities.dimensions import balance_of_row

    rows = enumerate(_rows_from_arguments({"tex": tex}, source) or read_lines(source, {"tex": str}), 1)
    write_lines({**row, **describe(row["tex"]), **balance_of_row(row, number)} for number, row in rows)


@cli.command(cls=FormulaCommand)
@click.argument("one", default="", metavar="[FORMULA")
@click.argument("other", default="", metavar="FORMULA]")
@text_option("--input", "FILE", 'Pairs as JSON lines {"a", "b"}; - is standard input.', "source")
@click.option("--proofs/--no-proofs", default=True, show_default=True, help="Prove with sympy what numeric sampling finds.")  # fmt: skip
@click.option("--builtin/--no-builtin", default=True, show_default=True, help="Use the built-in formula list.")
def compare(one: str, other: str, source: str, proofs: bool, builtin: bool) -> None:
    """Say how two formulas are related.

    Prints a JSON line for each pair: the relation (identical, typographic, notation, renamed, rearranged, variant or
    different), the strictest common key, whether both are of the same concept, and a note with the reason. Give two
    formulas or --input.

    A line of the input may have "where": rules "symbol = expression" that are applied if the formulas are not equal
    without them. Other fields are returned unchanged.

    With sympy installed, a relation found by numeric sampling is proved if that takes at most 2 seconds. If mathematics
    does not decide, the built-in list says whether both formulas are of one concept; loading it takes some seconds.

    \b
    formula-bot compare 'E = mc^2' 'm c^{2} = E'
    echo '{"a": "E = pc", "b": "E = mc^2", "where": ["p = mc"]}' | formula-bot compare --input -
    """
    from bot.formula import compare as run
    from bot.formula.equivalence.rules import rules_of_row
    from bot.formula.numeric.prove import Prover
    from bot.match.retrieval.known_concepts import refine_comparison

    with Prover() as prover:

        def answer(number: int, row: Json) -> Json:
            found = run(row["a"], row["b"], rules_of_row(row, number), prover if proofs else None)
            found = refine_comparison(found, row["a"], row["b"], listed=builtin)
            return {**row, **{name: getattr(found, name) for name in ("relation", "level", "same_concept", "note")}}

        rows = _rows_from_arguments({"a": one, "b": other}, source) or read_lines(source, {"a": str, "b": str})
        write_lines(map(answer, count(1), rows))


@cli.command()
@click.argument("what", type=click.Choice(_EXPORTED))
@in_workspace
def export(opened: Workspace, settings: Settings, what: str) -> None:
    """Print a table of the workspace as JSON lines.

    The first argument is the name of the table.

    \b
    formula-bot export edits --workspace w > edits.jsonl
    """
    from bot.export import rows

    write_lines(rows(opened, what))


cli.add_command(gadget)
cli.add_command(formulas)
cli.add_command(representations)
cli.add_command(train)


@cli.group()
def sandbox() -> None:
    """Serve a rehearsal wiki on this machine."""


@sandbox.command("serve")
@text_option("--items", "FILE", "Items as JSON lines that the wiki has at its start.", default=None)
@number_option("--port", 0, "Port to listen on; 0: any free port.", least=0, most=65535)
@text_option("--config", "FILE", "Settings (TOML) whose [wiki] gives the namespace of items and the property ids.", default=None)  # fmt: skip
@click.option("--script", metavar="FILE", type=click.File(encoding="utf-8", errors="replace"), help="A script that item pages load, such as the output of `gadget`.")  # fmt: skip
def sandbox_serve(items: str | None, port: int, config: str | None, script: TextIO | None) -> None:
    """Serve a rehearsal wiki on 127.0.0.1 until Ctrl-C.

    It is kept in memory only; its content is lost when it stops. Prints its address.

    \b
    formula-bot sandbox serve --items items.jsonl --port 8484
    """
    from bot.sandbox import serve
    from bot.settings import load

    serve(items, port, load(config).wiki, script.read() if script else "")
