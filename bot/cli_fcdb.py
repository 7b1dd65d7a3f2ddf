"""`formula-bot representations`: the Formula Concept Database, from curated lists and to other people's tools."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from bot.cli_common import CommandGroup, in_workspace, json_option, put_out

if TYPE_CHECKING:
    from bot.settings import Settings
    from bot.store import Workspace


@click.group(cls=CommandGroup)
def representations() -> None:
    """Grow and share the Formula Concept Database.

    The ways in which a concept is written, each with its item, its source and who said so. It grows with every approval;
    `formula-bot export representations` prints it as JSON lines.

    \b
    formula-bot representations import list.jsonl --reviewer Ada --workspace w
    formula-bot representations export --workspace w --output concepts.ttl
    """


@representations.command("import")
@click.argument("file", metavar="F")
@click.option(
    "--reviewer", default="", metavar="NAME", help="Who answers for the list; needed where several are known."
)
@in_workspace
@json_option
def import_list(opened: Workspace, settings: Settings, file: str, reviewer: str, as_json: bool) -> None:
    """Add a curated list of formulas to their items.

    F holds JSON lines {"qid", "tex"}, with "source", "level" and "name" where they are known; - is standard input. A
    list imported twice adds nothing twice; a formula without a tree is refused and named.

    \b
    echo '{"qid": "Q35875", "tex": "E = m c^2"}' | formula-bot representations import - --workspace w
    """
    from bot.console import table, write_json
    from bot.review.curated import import_list as run

    done = run(opened, file, reviewer, prop=settings.wiki.properties.defining_formula)
    counts = {"new": done.new, "known": done.known, "refused": len(done.refused)}
    for row, why in done.refused:
        click.echo(f"refused {row}: {why}", err=True)
    if as_json:
        write_json(counts)
    else:
        table("representations", ("what", "figure"), list(counts.items()))


@representations.command("export")
@click.option("--format", "form", type=click.Choice(("turtle", "ntriples")), default="turtle", show_default=True)
@click.option("--output", metavar="F", help="Write into that file instead of standard output.")
@in_workspace
def export(opened: Workspace, settings: Settings, form: str, output: str | None) -> None:
    """Print the representations that have an item as RDF.

    Concept, item, TeX and level, in PROV the document, the person and the time, and the plain triple item – defining
    formula – TeX under the wiki's own addresses. The same in sentences ("mass–energy equivalence has defining formula
    …"), with what the documents say of symbols ("E is energy") and items ("friction is a force").

    \b
    formula-bot representations export --workspace w --format ntriples
    """
    from bot.review.fcdb import representations as read
    from bot.review.fcdb_rdf import document_urls
    from bot.review.fcdb_rdf import export as run
    from bot.review.fcdb_statements import item_labels, read_statements

    rows, names = read(opened, items_only=True), item_labels(opened)
    text = run(rows, read_statements(opened, rows, names), names, document_urls(opened), settings.wiki, form)
    put_out(text, output, opened.path, "check --output")
