"""`formula-bot formulas` and `representations`, and the table of `recognise`: ranked and built-in lists, the Formula Concept Database, answers."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import TYPE_CHECKING

import click

from bot.cli_common import (
    CommandGroup,
    choice_option,
    in_workspace,
    json_option,
    number_option,
    open_workspace,
    text_option,
    workspace_option,
    write_output,
)
from bot.console import localised, print_message, table, write_json, write_lines
from bot.errors import InputError
from bot.messages import Message
from bot.wikibase import Json

if TYPE_CHECKING:
    from bot.settings import Settings
    from bot.store import Row, Workspace

MAX_HITS = 3  # hits of each query: more are rarely in question, `--json` has all
HEADINGS = ("formula_asked", "item", "its_formula", "relation", "probability", "why")
# Difference of scores (log odds) below which the second item is nearly as likely as the first: half as likely
_NEAR = 0.7
_ROLES = {True: "builtin.defines", False: "builtin.about", None: "builtin.doubtful"}
RecognisedRow = tuple[str, str, str, str, str, str]
_COLUMNS = (
    "d", "D", "formularank", "place_d", "place_D", "place_rank", "tex", "name", "qid", "label", "probability", "key",
)  # fmt: skip


@click.group(cls=CommandGroup)
def representations() -> None:
    """Import and export the Formula Concept Database.

    It contains representations: the forms in which a concept is written, each with its item, its source and the person
    who accepted it. Approvals of proposals add to it. `formula-bot export representations` prints it as JSON lines.

    \b
    formula-bot representations import list.jsonl --reviewer Ada --workspace w
    formula-bot representations export --workspace w --output concepts.ttl
    """


@representations.command("import")
@click.argument("file", metavar="FILE")
@text_option("--reviewer", "NAME", "Who vouches for the list; needed if there are several reviewers.")
@in_workspace
@json_option
def import_list(opened: Workspace, settings: Settings, file: str, reviewer: str, as_json: bool) -> None:
    """Add a curated list of formulas and their items.

    FILE has JSON lines {"qid", "tex"}, optionally with "source", "level" and "name"; - is standard input. Prints how many
    rows are new, known and refused. Formulas that cannot be parsed are refused and listed. Importing a list again adds
    nothing twice.

    \b
    echo '{"qid": "Q35875", "tex": "E = m c^2"}' | formula-bot representations import - --workspace w
    """
    from bot.review.curated import import_list as run

    done = run(opened, file, reviewer, prop=settings.wiki.properties.defining_formula)
    counts = {"new": done.new, "known": done.known, "refused": len(done.refused)}
    for row, why in done.refused:
        print_message("refused", err=True, what=str(row), why=why)
    if as_json:
        write_json(counts)
    else:
        table(Message("table.representations"), ("figure", "value"), list(counts.items()))


@representations.command("export")
@choice_option("--format", ("turtle", "ntriples"), "Serialisation of the RDF.", "form")
@text_option("--output", "FILE", "Write into this file instead of standard output.", default=None)
@in_workspace
def export_rdf(opened: Workspace, settings: Settings, form: str, output: str | None) -> None:
    """Print the representations that have an item as RDF.

    Each has its concept, item, TeX and level, the document, the person and the time (PROV), and the plain triple item –
    defining formula – TeX with the URIs of the wiki. Statements with labels are added: "mass–energy equivalence has
    defining formula …", and what the documents say about symbols ("E is energy") and items ("friction is a force").

    \b
    formula-bot representations export --workspace w --format ntriples
    """
    from bot.review.fcdb import representations as read
    from bot.review.fcdb_rdf import document_urls
    from bot.review.fcdb_rdf import export as run
    from bot.review.fcdb_statements import item_labels, read_statements

    rows, names = read(opened, items_only=True), item_labels(opened)
    text = run(rows, read_statements(opened, rows, names), names, document_urls(opened), settings.wiki, form)
    write_output(text, output, opened.path, "--output")


def answer_rows(answers: Iterable[Json], labels: Mapping[str, str], accept: float) -> Iterator[RecognisedRow]:
    """Yield the best hits of each answer; query and reason stand beside the first of them."""
    for answer in answers:
        hits = answer["hits"][:MAX_HITS]
        why = localised(reason(answer, labels, accept))
        if not hits:
            yield answer["tex"], "", "", "", "", why
        for n, hit in enumerate(hits):
            yield (
                "" if n else answer["tex"],
                _named(hit["qid"], labels),
                hit["formula"],
                localised(meeting(hit)),
                f"{hit['probability']:.3f}",
                "" if n else why,
            )


def meeting(hit: Json) -> Message:
    """Return in words at which level a query and the formula of a hit meet."""
    if not hit["formula"]:
        return Message("recognised.level.words")
    return Message(f"recognised.level.{hit['level'] or 'alike'}")


def reason(answer: Json, labels: Mapping[str, str], accept: float) -> Message:
    """Return why the first item is accepted or not."""
    from bot.formula import clean, unreadable

    if not answer["accepted"] and (why := unreadable(clean(answer["tex"]))):
        return Message("recognised.unreadable", why=why)
    if not answer["hits"]:
        return Message("recognised.nothing")
    first, *others = answer["hits"]
    if answer["accepted"]:
        return Message("recognised.accepted", how=meeting(first))
    if "differs" in first:
        return Message("recognised.differs", differs=first["differs"])
    if others and others[0]["qid"] not in first.get("together", ()) and first["score"] - others[0]["score"] < _NEAR:
        return Message("recognised.rival", label=_named(others[0]["qid"], labels))
    return Message("recognised.unsure", accept=accept)


def _named(qid: str, labels: Mapping[str, str]) -> str:
    label = labels.get(qid, "")
    return f"{label} ({qid})" if label else qid


@click.command()
@choice_option("--by", ("d", "D", "rank"), "Sort by occurrences (d), documents (D) or FormulaRank (rank).")
@number_option("--top", None, "Number of rows; default: 50 in the table, all in JSON and CSV.", metavar="N")
@number_option("--min-documents", 1, "Only formulas that are in at least N documents.", metavar="N")
@number_option("--min-length", 0, "Only formulas of at least N characters.", least=0, metavar="N")
@number_option("--max-length", 0, "Only formulas of at most N characters; default: no limit.", least=0, metavar="N", show_default=False)  # fmt: skip
@click.option("--duplicates", is_flag=True, help="Count formulas with the same TeX, as the paper does, instead of concepts.")  # fmt: skip
@text_option("--csv", "FILE", "Write the list as CSV into this file; - is standard output.", "csv_file", default=None)
@click.option("--list", "builtin_list", is_flag=True, help="Show the built-in list instead; with -w, also the documents that contain each formula.")  # fmt: skip
@workspace_option("The workspace folder; required without --list.")
@text_option("--config", "FILE", "Settings (TOML); default: settings.toml in W.", default=None)
@json_option
def formulas(
    by: str,
    top: int | None,
    min_documents: int,
    min_length: int,
    max_length: int,
    duplicates: bool,
    csv_file: str | None,
    builtin_list: bool,
    workspace: str | None,
    config: str | None,
    as_json: bool,
) -> None:
    """Rank a workspace's formulas or show the built-in list.

    It sorts concepts by their occurrences d, by the number of documents D, or by FormulaRank: documents times how central
    the concept is among the formulas near it (see docs/discover.md). Each row has the best name and the most likely item.
    Lengths are counted on the formula as shown, without styling, braces and blanks, and with --duplicates on the TeX
    without blanks. The paper uses 10 to 30 characters and two documents.

    \b
    formula-bot formulas --workspace w --by rank --top 20
    formula-bot formulas --list --workspace w --json                    the built-in list, with documents of the corpus
    formula-bot formulas --workspace w --duplicates --min-documents 2 --min-length 10 --max-length 30 --csv ranked.csv
    """
    if builtin_list and csv_file:
        raise InputError("list_without_csv", todo="json_instead")
    if builtin_list:
        _show_list(workspace, config, top, as_json)
        return
    if not workspace:
        raise InputError("workspace_needed", todo="workspace_or_list")
    from bot.formula.drawing.plain_text import plain_text
    from bot.review.ranked_list import RankFilters, ranked_duplicates, ranked_list

    if as_json and csv_file:
        raise InputError("json_or_csv", todo="leave_one")
    with open_workspace(workspace, config) as (opened, _):
        ranked = ranked_duplicates if duplicates else ranked_list
        found = ranked(opened, by, RankFilters(min_documents, min_length, max_length))
        rows = list(islice(found, top if top or as_json or csv_file else 50))
    if as_json:
        write_lines(rows)
    elif csv_file:
        write_output(_csv(rows), csv_file, workspace, "--csv", newline="")
    else:
        counts = [(n, row["occurrences"], row["documents"], row["place"]["rank"]) for n, row in enumerate(rows, 1)]
        named = [(plain_text(row["tex"]), row["name"], _item(row)) for row in rows]
        headings = ("n", "d", "D", "formularank", "formula", "name", "item")
        table(Message("table.formulas_by", by=by), headings, [(*c, *n) for c, n in zip(counts, named, strict=True)])


def _show_list(workspace: str | None, config: str | None, top: int | None, as_json: bool) -> None:
    from bot.formula.drawing.plain_text import plain_text
    from bot.review.builtin_list_coverage import builtin_list_in_corpus, builtin_list_rows

    if workspace:
        with open_workspace(workspace, config) as (opened, _):
            rows = list(islice(builtin_list_in_corpus(opened), top if top or as_json else 50))
    else:
        rows = builtin_list_rows()[: top if top or as_json else 50]
    if as_json:
        write_lines(rows)
        return
    lines = [
        (
            row["qid"],
            row["label"],
            plain_text(row["tex"]),
            localised(Message(_ROLES[row["defines"]])),
            row.get("documents") or "",
            ", ".join(row.get("first", ())),
        )
        for row in rows
    ]
    headings = ("item", "label", "formula", "role", "documents", "for_example")
    table(Message("table.built_in_list"), headings, lines)


def _item(row: Row) -> str:
    from bot.propose.cards import percent

    return f"{row['label']} ({row['qid']}, {percent(row['probability'])} %)" if row["qid"] else ""


def _csv(rows: list[Row]) -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(_COLUMNS)
    for row in rows:
        places = {f"place_{order}": place for order, place in row["place"].items()}
        named = {**row, **places, "d": row["occurrences"], "D": row["documents"]}
        writer.writerow(["" if named[column] is None else named[column] for column in _COLUMNS])
    return out.getvalue()
