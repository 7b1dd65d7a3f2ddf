"""The command line: one command for each stage, in the order of the data. A body parses, calls, prints a summary.

Stages are imported inside the bodies, so that `--help` answers at once.
"""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import click

from bot import __version__
from bot.errors import BotError, InputError

if TYPE_CHECKING:
    from bot.lookup import Client
    from bot.settings import Settings, Wiki
    from bot.store import Workspace

Command = Callable[..., Any]


def main() -> None:
    """Run the command line; a BotError is one line on standard error and exit code 2."""
    try:
        sys.exit(cli.main(standalone_mode=False) or 0)
    except click.exceptions.Abort:
        _fail("interrupted; what was finished is kept, run it again to go on", 130)
    except KeyboardInterrupt:
        _fail("interrupted; what was finished is kept, run it again to go on", 130)
    except click.ClickException as error:
        where = error.ctx.command_path if isinstance(error, click.UsageError) and error.ctx else "formula-bot"
        _fail(f"{error.format_message()} (see `{where} --help`)", 2)
    except BotError as error:
        _fail(error.line(), error.exit_code)
    except BrokenPipeError:
        sys.stderr.close()  # the reader of our output has gone; nothing is left to say
        sys.exit(0)


def _fail(line: str, code: int) -> None:
    print(f"formula-bot: {line}", file=sys.stderr)
    sys.exit(code)


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110})
@click.version_option(__version__, prog_name="formula-bot")
def cli() -> None:
    """Find formula concepts in scientific text, put them before a person, write what was approved to a Wikibase."""


def _workspace_options(command: Command) -> Command:
    command = click.option("--config", metavar="FILE", help="Settings (TOML); default: settings.toml in W.")(command)
    return click.option("--workspace", "-w", required=True, metavar="W", help="The workspace folder.")(command)


def _items_option(command: Command) -> Command:
    text = "JSON lines of items: fills the workspace's rehearsal wiki and looks there."
    return click.option("--items", metavar="F", help=text)(command)


def _json_option(command: Command) -> Command:
    return click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of a table.")(command)


@contextmanager
def _open(workspace: str, config: str | None, *, create: bool = False) -> Iterator[tuple[Workspace, Settings]]:
    from bot import settings, store

    loaded = settings.load(config, workspace=workspace)
    with store.Workspace.open(workspace, create=create, database=loaded.database) as opened:
        yield opened, loaded


@contextmanager
def _world(workspace: Workspace, settings: Settings, items: str | None = None) -> Iterator[tuple[Wiki, Client]]:
    """Open the wiki that the workspace looks at: its own rehearsal wiki, or the configured one."""
    from bot.lookup import Client
    from bot.sandbox import open_world

    with open_world(workspace, settings, items) as wiki:
        cache = None if wiki.sandbox else workspace.path / "lookup.db"
        yield wiki, Client(wiki, settings.agent, cache)


def _summary(title: str, summary: Any, as_json: bool) -> None:
    from bot.console import table, write_json
    from bot.records import as_json as plain

    values = plain(summary)
    if as_json:
        write_json(values)
        return
    table(title, ("what", "figure"), [(k.replace("_", " "), _cell(v)) for k, v in values.items()])
    for path, reason in values.get("skipped") or []:
        click.echo(f"skipped {path}: {reason}", err=True)


def _cell(value: Any) -> object:
    if isinstance(value, dict):
        return ", ".join(f"{k} {v}" for k, v in value.items())
    return len(value) if isinstance(value, list) else value


@cli.command()
@click.option(
    "--workspace", "-w", default="demo-workspace", show_default=True, metavar="W", help="Made anew each time."
)
def demo(workspace: str) -> None:
    """Show the whole job on the example corpus, in a rehearsal wiki on this machine."""
    from bot.demo import run_demo

    run_demo(workspace)


@cli.command()
@click.argument("sources", nargs=-1, required=True, metavar="SOURCE...")
@_workspace_options
@click.option("--items", metavar="F", help="JSON lines of items: their labels are looked for in the text.")
@_json_option
def discover(sources: tuple[str, ...], workspace: str, config: str | None, items: str | None, as_json: bool) -> None:
    """Corpus to formula concepts with name candidates. Resumable. SOURCE: files, folders, globs, archives."""
    from bot.console import read_lines
    from bot.corpus import plan
    from bot.discover import discover as run

    plan(sources)  # a source that cannot be used is said before a workspace is made
    rows = read_lines(items, {"qid": str, "label": str}) if items else ()
    labels = [(row["qid"], name) for row in rows for name in (row["label"], *row.get("aliases", ())) if name]
    with _open(workspace, config, create=True) as (opened, settings), opened.lock("discover"):
        _summary("discover", run(opened, sources, settings, labels=labels, quiet=as_json), as_json)


@cli.command()
@_workspace_options
@_items_option
@_json_option
def match(workspace: str, config: str | None, items: str | None, as_json: bool) -> None:
    """Formula concepts to items, with evidence and a probability."""
    from bot.match import match as run

    with (
        _open(workspace, config) as (opened, settings),
        opened.lock("match"),
        _world(opened, settings, items) as (_, client),
    ):
        _summary("match", run(opened, client, settings, quiet=as_json), as_json)


@cli.command()
@_workspace_options
@_json_option
def propose(workspace: str, config: str | None, as_json: bool) -> None:
    """Matches to the review queue, and reports/dry-run.html. Writes to no wiki."""
    from bot.propose import propose as run

    with _open(workspace, config) as (opened, settings), opened.lock("propose"):
        with _world(opened, settings) as (_, client):
            today = datetime.now(UTC).date()
            _summary("propose", run(opened, client, settings, today=today, quiet=as_json), as_json)
        if not as_json:
            click.echo(f"report: {opened.reports / 'dry-run.html'}")


@cli.group()
def review() -> None:
    """A person's word on proposals."""


@review.command("add-reviewer")
@click.argument("name")
@click.option("--role", default="reviewer", show_default=True, help="reviewer or operator")
@_workspace_options
def review_add(name: str, role: str, workspace: str, config: str | None) -> None:
    """Make a person known to the workspace; only known reviewers decide."""
    from bot.review import add_reviewer

    with _open(workspace, config) as (opened, _):
        click.echo(f"{add_reviewer(opened, name, role)} is known as {role}")


@review.command("list")
@click.option("--state", default="open", show_default=True, help="open, approved, rejected, written, flagged, … or all")
@_workspace_options
@_json_option
def review_list(state: str, workspace: str, config: str | None, as_json: bool) -> None:
    """List proposals, the likeliest first."""
    from bot.console import table, write_lines
    from bot.review import queue

    with _open(workspace, config) as (opened, _):
        rows = queue(opened, state)
    if as_json:
        write_lines(
            {"state": r.state, "reopened": r.reopened, "decision": r.decision, **_fields(r.proposal)} for r in rows
        )
        return
    shown = [
        (r.proposal.id[:10], r.proposal.kind, r.proposal.qid, r.proposal.probability, r.proposal.tex) for r in rows
    ]
    table(f"{len(rows)} proposals, state {state}", ("id", "kind", "item", "probability", "formula"), shown)


@review.command("show")
@click.argument("proposal")
@_workspace_options
@_json_option
def review_show(proposal: str, workspace: str, config: str | None, as_json: bool) -> None:
    """Show one proposal with its evidence, checks, sources and state."""
    from bot.console import table, write_json
    from bot.review import show
    from bot.review.packet import plain_window, reference_text

    with _open(workspace, config) as (opened, _):
        row = show(opened, proposal)
    if as_json:
        write_json({"state": row.state, "reopened": row.reopened, "decision": row.decision, **_fields(row.proposal)})
        return
    p = row.proposal
    lines = [("state", row.state + (" (changed since it was decided)" if row.reopened else "")), ("kind", p.kind)]
    lines += [("item", p.qid), ("formula", p.tex), ("probability", f"{p.probability:.2f}"), ("hash", p.hash)]
    lines += [("source", f"{q.title}: {plain_window(q)}") for q in p.quotes]
    lines += [("reference", reference_text(r.snaks)) for r in p.references]
    lines += [("for" if e.score > 0 else "against", e.detail) for e in p.evidence]
    lines += [(f"check {c.name}", f"{c.state}: {c.detail}") for c in p.checks]
    lines += [("flagged", p.flag)] if p.flag else []
    table(f"proposal {p.id}", ("what", "says"), lines)


def _decision_options(command: Command) -> Command:
    command = click.option("--reviewer", default="", metavar="NAME", help="Needed where several are known.")(command)
    command = click.option("--hash", "seen", default="", help="Refuse unless the proposal still has this hash.")(
        command
    )
    return click.argument("proposals", nargs=-1, required=True, metavar="PROPOSAL...")(_workspace_options(command))


def _decide(workspace: str, config: str | None, proposals: tuple[str, ...], seen: str, **values: Any) -> None:
    from bot.records import Decision
    from bot.review import decide, find

    with _open(workspace, config) as (opened, _):
        for found in [find(opened, p) for p in proposals]:
            made = decide(opened, Decision(proposal=found.id, hash=seen or found.hash, **values))
            said = {"approve": "approved", "reject": "rejected", "withdraw": "withdrawn"}.get(
                made.verdict, made.verdict
            )
            click.echo(f"{said} {found.id[:10]} {found.qid} {made.tex or found.tex} (by {made.reviewer})")


@review.command("approve")
@click.option("--reject-reference", type=int, multiple=True, metavar="N", help="Leave out the Nth reference (from 1).")
@click.option("--tex", default="", help="Approve this TeX instead; both versions are kept.")
@_decision_options
def review_approve(
    proposals: tuple[str, ...],
    workspace: str,
    config: str | None,
    reviewer: str,
    seen: str,
    tex: str,
    reject_reference: tuple[int, ...],
) -> None:
    """Approve proposals, as they are now, for writing."""
    from bot.review import find

    if (tex or reject_reference) and len(proposals) > 1:
        raise InputError("--tex and --reject-reference are for one proposal at a time")
    verdicts: tuple[str, ...] = ()
    if reject_reference:
        with _open(workspace, config) as (opened, _):
            count = len(find(opened, proposals[0]).references)
        verdicts = tuple("reject" if n + 1 in reject_reference else "approve" for n in range(count))
    _decide(workspace, config, proposals, seen, verdict="approve", reviewer=reviewer, tex=tex, references=verdicts)


@review.command("reject")
@click.option("--reason", required=True, help="wrong_item, not_defining, wrong_formula, special_case, duplicate, …")
@_decision_options
def review_reject(
    proposals: tuple[str, ...], workspace: str, config: str | None, reviewer: str, seen: str, reason: str
) -> None:
    """Reject proposals with a reason; rejected content never comes back."""
    _decide(workspace, config, proposals, seen, verdict="reject", reviewer=reviewer, reason=reason.replace("-", "_"))


def _plain_verdict(name: str, text: str) -> None:
    @review.command(name, help=text)
    @_decision_options
    def command(proposals: tuple[str, ...], workspace: str, config: str | None, reviewer: str, seen: str) -> None:
        _decide(workspace, config, proposals, seen, verdict=name, reviewer=reviewer)


_plain_verdict("skip", "Say nothing on a proposal now; an earlier word stands.")
_plain_verdict("unsure", "Put proposals aside for somebody else.")
_plain_verdict("withdraw", "Take an earlier decision back, until it is written.")


@review.command("export")
@click.argument("file", metavar="FILE")
@click.option("--state", default="open", show_default=True)
@_workspace_options
def review_export(file: str, state: str, workspace: str, config: str | None) -> None:
    """Write an offline packet (.html or .csv) for somebody without an account."""
    from bot.review import export_packet

    with _open(workspace, config) as (opened, _):
        click.echo(f"{export_packet(opened, file, state=state)} proposals in {file}")


@review.command("import")
@click.argument("file", metavar="FILE")
@click.option("--reviewer", default="", metavar="NAME", help="Whose decisions they are.")
@_workspace_options
@_json_option
def review_import(file: str, reviewer: str, workspace: str, config: str | None, as_json: bool) -> None:
    """Record the decisions of a filled packet (.csv, or .jsonl saved by the HTML page)."""
    from bot.review import import_packet

    with _open(workspace, config) as (opened, _):
        outcome = import_packet(opened, file, reviewer)
    _summary("import", outcome, as_json)
    if not as_json:
        for proposal, why in outcome.refused:
            click.echo(f"refused {proposal[:10]}: {why}", err=True)


@cli.command()
@_workspace_options
@click.option("--live", is_flag=True, help="Carry out the plan; without it nothing is sent.")
@click.option("--plan", "plan_id", default="", metavar="ID", help="Carry out this stored plan or refuse.")
@click.option("--yes", is_flag=True, help="Do not ask once more before writing to a production wiki.")
@_json_option
def write(workspace: str, config: str | None, live: bool, plan_id: str, yes: bool, as_json: bool) -> None:
    """Plan what was approved and show before and after; with --live carry out that plan."""
    from bot.write import authorise, load_plan, make_plan
    from bot.write.authorise import is_production
    from bot.write.report import save_report, show_plan

    with (
        _open(workspace, config) as (opened, settings),
        opened.lock("write"),
        _world(opened, settings) as (wiki, client),
    ):
        if live:
            authorise(wiki, settings)
        plan = load_plan(opened, plan_id) if plan_id else make_plan(opened, client, wiki, settings)
        if plan is None:
            raise InputError("there is no such plan", where=plan_id, todo="run `formula-bot write` without --live")
        save_report(opened, plan)
        if not live:
            show_plan(plan, as_json)
            return
        if is_production(wiki) and plan.entries and not yes:
            click.confirm(f"Send {len(plan.entries)} edits to {wiki.name}?", abort=True)
        _apply(opened, plan, wiki, settings, as_json)


def _apply(opened: Workspace, plan: Any, wiki: Wiki, settings: Settings, as_json: bool) -> None:
    from bot.console import progress
    from bot.write import apply
    from bot.write.report import show_outcomes

    with progress("writing", len(plan.entries), quiet=as_json) as advance:
        outcomes = apply(opened, plan, wiki, settings, on_edit=lambda entry, outcome: advance(note=entry.qid))
    show_outcomes(plan, outcomes, as_json)


@cli.command()
@_workspace_options
@click.option("--group", default="", metavar="G", help="All edits of one run.")
@click.option("--edit", default=0, metavar="N", help="One edit of the ledger.")
@click.option("--item", default="", metavar="Q", help="All our edits of one item.")
@click.option("--live", is_flag=True, help="Needed on any wiki but the rehearsal wiki.")
@_json_option
def undo(workspace: str, config: str | None, group: str, edit: int, item: str, live: bool, as_json: bool) -> None:
    """Take back what is still as we left it; show the rest."""
    from bot.console import table, write_lines
    from bot.write import undo as run

    with _open(workspace, config) as (opened, settings), opened.lock("undo"), _world(opened, settings) as (wiki, _):
        done = run(opened, wiki, settings, group=group, edit=edit, item=item, live=live or wiki.sandbox)
    if as_json:
        write_lines({"edit": row["n"], "qid": row["qid"], "guid": row["guid"], "undo": what} for row, what in done)
    else:
        table("undo", ("edit", "item", "outcome"), [(row["n"], row["qid"], what) for row, what in done])


@cli.command()
@click.argument("names", nargs=-1, metavar="[NAME]...")
@_workspace_options
@click.option("--format", "form", type=click.Choice(("text", "html", "json", "wikitext")), default="text")
@click.option("--output", metavar="F", help="Write there instead of standard output.")
def audit(names: tuple[str, ...], workspace: str, config: str | None, form: str, output: str | None) -> int:
    """Ask the wiki what became of our edits, and what is wrong with formulas. Exit 0 clean, 1 findings, 2 could not tell."""
    from bot.audit import exit_code, render, run_audits

    with _open(workspace, config) as (opened, settings), _world(opened, settings) as (_, client):
        findings = run_audits(opened, client, settings, names)
        text = render(findings, form, audits=names, wiki=client.wiki)
    if output:
        from pathlib import Path

        Path(output).write_text(text, encoding="utf-8")
    else:
        click.echo(text)
    return exit_code(findings)


@cli.command()
@click.option("--config", required=True, metavar="FILE", help="Settings (TOML) with a [run] table.")
@_json_option
def run(config: str, as_json: bool) -> int:
    """The scheduled run: discover, match, propose, audit, report. Never approves, never writes."""
    from bot.scheduled import scheduled_run

    outcome = scheduled_run(config, quiet=as_json)
    _summary("run", outcome.figures, as_json)
    return outcome.exit_code


@cli.command()
@click.option("--items", required=True, metavar="F", help="JSON lines of items with their formulas.")
@click.option("--queries", required=True, metavar="F", help='JSON lines {"id","tex"}; - is standard input.')
@click.option("--top", default=10, show_default=True)
def recognise(items: str, queries: str, top: int) -> None:
    """Formulas to items, best first, each item once; `accepted` only where the evidence carries it."""
    from bot.console import read_lines, write_lines
    from bot.match import recognise as run

    rows = list(read_lines(items, {"qid": str, "formulas": list}))
    write_lines(run(rows, read_lines(queries, {"tex": str}), top))


@cli.command()
@click.argument("name", metavar="NAME|QID")
@_workspace_options
@click.option("--top", default=20, show_default=True)
@_json_option
def find(name: str, workspace: str, config: str | None, top: int, as_json: bool) -> None:
    """List formulas of the corpus that are likely representations of a concept."""
    from bot.console import table, write_lines
    from bot.discover import find as run

    with _open(workspace, config) as (opened, settings):
        item = None
        if name[:1] == "Q" and name[1:].isdigit():
            with _world(opened, settings) as (_, client):
                item = client.entities([name]).get(name)
        rows = run(opened, name, item, settings)[:top]
    if as_json:
        write_lines(rows)
        return
    shown = [(r["score"], r["level"], r["tex"], r["title"], r["sentence"]) for r in rows]
    table(f"formulas for {name}", ("score", "level", "formula", "document", "sentence"), shown)


@cli.command()
@click.option("--input", "source", required=True, metavar="F", help='JSON lines {"tex"}; - is standard input.')
def formula(source: str) -> None:
    """Say of each formula whether Wikidata would take it, why not, how to mend it, and its keys."""
    from bot.console import read_lines, write_lines
    from bot.formula import describe

    write_lines({**row, **describe(row["tex"])} for row in read_lines(source, {"tex": str}))


@cli.command()
@click.option("--input", "source", required=True, metavar="F", help='JSON lines {"a","b"}; - is standard input.')
def compare(source: str) -> None:
    """Say of each pair of formulas how they are related and at which level."""
    from bot.console import read_lines, write_lines
    from bot.formula import compare as run

    def answer(row: dict[str, Any]) -> dict[str, Any]:
        found = run(row["a"], row["b"])
        return {
            **row,
            "relation": found.relation,
            "level": found.level,
            "same_concept": found.same_concept,
            "note": found.note,
        }

    write_lines(map(answer, read_lines(source, {"a": str, "b": str})))


@cli.command()
@click.argument(
    "what",
    type=click.Choice(
        ("occurrences", "concepts", "matches", "proposals", "decisions", "edits", "findings", "representations")
    ),
)
@_workspace_options
def export(what: str, workspace: str, config: str | None) -> None:
    """Print a table of the workspace as JSON lines."""
    from bot.console import write_lines
    from bot.export import rows

    with _open(workspace, config) as (opened, _):
        write_lines(rows(opened, what))


@cli.group()
def sandbox() -> None:
    """The rehearsal wiki."""


@sandbox.command("serve")
@_items_option
@click.option("--port", default=0, show_default=True, help="0: any free port.")
def sandbox_serve(items: str | None, port: int) -> None:
    """Serve a rehearsal wiki on 127.0.0.1 until interrupted."""
    from bot.sandbox import serve

    serve(items, port)


def _fields(record: Any) -> dict[str, Any]:
    return {f.name: getattr(record, f.name) for f in dataclasses.fields(record)}
