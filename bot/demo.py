"""`formula-bot demo`: the whole way on the example corpus, in a rehearsal wiki on this machine.

The only place where a script decides instead of a person; it is called a stand-in, its role says so in the database,
and it can act on the rehearsal wiki alone.
"""

import os
import shutil
import sys
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path

from rich.console import Console

from bot.audit import render, run_audits
from bot.console import localised, read_lines, table
from bot.discover import discover
from bot.errors import WorkspaceError
from bot.formula import compare
from bot.items_file import labels_of, read_items
from bot.lookup import Client
from bot.match import match
from bot.match.knowledge import Knowledge
from bot.messages import Message
from bot.propose.run import propose
from bot.records import Decision, as_json
from bot.review import add_reviewer, decide, queue
from bot.sandbox import open_wiki
from bot.settings import Settings, Wiki, load, resource
from bot.store import Workspace
from bot.write import apply, make_plan
from bot.write.plan import estimated_duration
from bot.write.plan_report import save_report

SCRIPTED_REVIEWER = "stand-in (a script, not a person)"


def run_demo(folder: str | Path) -> None:
    """Run every stage and print what each one did; the folder is made anew if an earlier demo made it."""
    path = _emptied_folder(Path(folder))
    examples = resource("examples")
    settings = load(examples / "settings.toml")
    with Workspace.open(path) as workspace, workspace.lock("demo"):
        workspace.put("demo", True)
        items = examples / "items.jsonl"
        _step(1, "discover")
        labels = labels_of(read_items(items))
        found = discover(workspace, [str(examples / "corpus")], settings, labels=labels, builtin=Knowledge())
        counts = {name: getattr(found, name) for name in ("documents", "formulas", "concepts", "named")}
        print(f"  {localised(Message('told.demo_found', **counts))}")
        with open_wiki(workspace, settings, items) as wiki:
            client = Client(wiki, settings.agent, None)
            _suggest(workspace, client, settings)
            _decide_by_script(workspace, wiki, examples / "stand-in.jsonl")
            _write(workspace, client, wiki, settings)
            _step(6, "audit")
            findings = run_audits(workspace, client, settings, ("seeded", "unreferenced", "invalid"))
            print(render(findings, "text"))
        _print_next_steps(path)


def _emptied_folder(path: Path) -> Path:
    if path.is_dir() and any(path.iterdir()):
        if not (path / "bot.db").exists():
            raise WorkspaceError("your_folder", where=str(path), todo="other_workspace")
        with Workspace.open(path, create=False) as old:
            if not old.get("demo"):
                raise WorkspaceError("your_workspace", where=str(path), todo="other_workspace")
        shutil.rmtree(path)
    return path


def _suggest(workspace: Workspace, client: Client, settings: Settings) -> None:
    _step(2, "match")
    print(f"  {_figures(match(workspace, client, settings))}")
    _step(3, "propose")
    print(f"  {_figures(propose(workspace, client, settings, today=datetime.now(UTC).date()))}")


def _figures(summary: object) -> str:
    plain = as_json(summary).items()
    return ", ".join(
        f"{k.replace('_', ' ')} {v}" for k, v in plain if isinstance(v, int | float) and not isinstance(v, bool)
    )


def _decide_by_script(workspace: Workspace, wiki: Wiki, script: Path) -> None:
    """Decide as the script says: approve what it accepts for the item, reject what it does not."""
    if not wiki.sandbox:
        raise WorkspaceError("script_rehearsal_only")
    _step(4, "review")
    accepts = {row["qid"]: row["accepts"] for row in read_lines(script)}
    name = add_reviewer(workspace, SCRIPTED_REVIEWER, "stand-in")
    verdicts: Counter[str] = Counter()
    rows = []
    for row in queue(workspace, "open"):
        p = row.proposal
        good = any(compare(p.tex, tex).same_concept for tex in accepts.get(p.qid, ()))
        verdict, reason = ("approve", "") if good else ("reject", "not_defining")
        decide(workspace, Decision(p.id, p.hash, verdict, reason=reason, reviewer=name))
        verdicts[verdict] += 1
        rows.append((p.qid, p.kind, p.probability, p.tex, verdict))
    title = Message("table.approved", approved=verdicts["approve"], rejected=verdicts["reject"])
    table(title, ("item", "kind", "probability", "formula", "verdict"), rows)


def _write(workspace: Workspace, client: Client, wiki: Wiki, settings: Settings) -> None:
    _step(5, "write")
    plan = make_plan(workspace, client, wiki, settings)
    save_report(workspace, plan, wiki.properties, estimated_duration(plan.number_of_edits, wiki, settings))
    outcomes = apply(workspace, plan, wiki, settings)
    counts = Counter(outcome for _, outcome, _ in outcomes)
    counted = ", ".join(f"{n} {o}" for o, n in counts.items())
    print(
        f"  {localised(Message('told.demo_plan', id=plan.id, edits=Message('write.edits', n=len(plan.entries)), outcomes=counted))}"
    )
    second_plan = make_plan(workspace, client, wiki, settings)
    print(f"  {localised(Message('told.demo_again', edits=Message('write.edits', n=len(second_plan.entries))))}")


def _step(n: int, name: str) -> None:
    Console(highlight=False).print(f"[bold]{n} {name}[/] {localised(Message(f'told.demo_{name}'))}")


def _program_name() -> str:
    """Return how this program was called, as short as the shell takes it."""
    called = Path(sys.argv[0])
    return os.path.relpath(called) if called.name == "formula-bot" else "formula-bot"


def _print_next_steps(path: Path) -> None:
    say = Console(highlight=False, soft_wrap=True).print
    reports = (path / "reports").resolve()
    say(f"\n[bold]{localised(Message('told.demo_report')):13}[/] {reports / 'dry-run.html'}")
    say(f"[bold]{localised(Message('told.demo_page')):13}[/] {reports / 'write-plan.html'}")
    say(f"[bold]{localised(Message('told.demo_next'))}[/]")
    for command in (
        f"formula-bot review serve --workspace {path}",
        f"formula-bot review list --state all --workspace {path}",
        f'formula-bot find "Hubble\'s law" --workspace {path}',
        f"formula-bot export edits --workspace {path}",
        f"formula-bot undo --item Q179916 --workspace {path}",
        f"formula-bot audit --workspace {path}",
    ):
        say(f"  {_program_name()}{command.removeprefix('formula-bot')}")
