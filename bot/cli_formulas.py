"""`formula-bot formulas`: the ranked list of a workspace, and the built-in list with what attests it."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING

import click

from bot.cli_common import json_option, open_workspace, put_out
from bot.errors import InputError

if TYPE_CHECKING:
    from bot.store import Row

_COLUMNS = (
    "d", "D", "formularank", "place_d", "place_D", "place_rank", "tex", "name", "qid", "label", "probability", "key",
)  # fmt: skip


@click.command()
@click.option("--by", type=click.Choice(("d", "D", "rank")), default="d", show_default=True, help="Occurrences, documents or FormulaRank.")  # fmt: skip
@click.option("--top", type=click.IntRange(min=1), metavar="N", help="So many; 50 in the table, else all.")
@click.option("--min-documents", type=click.IntRange(min=1), default=1, metavar="N", help="Only what stands in so many documents.")  # fmt: skip
@click.option("--min-length", type=click.IntRange(min=0), default=0, metavar="N", help="Only formulas of so many characters.")  # fmt: skip
@click.option("--max-length", type=click.IntRange(min=0), default=0, metavar="N", help="Only formulas up to so many characters.")  # fmt: skip
@click.option("--duplicates", is_flag=True, help="Count formulas with the same TeX, as the paper does, not concepts.")
@click.option("--csv", "csv_file", metavar="FILE", help="Write the list as CSV; - is standard output.")
@click.option("--list", "builtin_list", is_flag=True, help="The built-in list instead; with -w, the documents that hold each formula.")  # fmt: skip
@click.option("--workspace", "-w", metavar="W", help="The workspace folder; needed without --list.")
@click.option("--config", metavar="FILE", help="Settings (TOML); default: settings.toml in W.")
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
    """Rank a workspace's formulas, or show the built-in list.

    By the occurrences d of each concept, by the documents D it stands in, or by FormulaRank, documents times how central
    it is among the formulas near it. Each with its best name and its likeliest item. Lengths leave out styling, braces
    and blanks, and are those of the formula as shown; the paper takes 10 to 30 characters and two documents.

    \b
    formula-bot formulas --workspace w --by rank --top 20
    formula-bot formulas --list --workspace w --json                    the built-in list, attested by the corpus
    formula-bot formulas --workspace w --duplicates --min-documents 2 --min-length 10 --max-length 30 --csv ranked.csv
    """
    if builtin_list:
        _show_list(workspace, config, top, as_json)
        return
    if not workspace:
        raise InputError("a workspace is needed", todo="give --workspace W, or --list for the built-in list")
    from itertools import islice

    from bot.console import table, write_lines
    from bot.formula.drawing.plain_text import plain_text
    from bot.review.ranked_list import RankFilters, ranked_duplicates, ranked_list

    if as_json and csv_file:
        raise InputError("only one of --json and --csv can be printed", todo="leave one of them out")
    with open_workspace(workspace, config) as (opened, _):
        ranked = ranked_duplicates if duplicates else ranked_list
        found = ranked(opened, by, RankFilters(min_documents, min_length, max_length))
        rows = list(islice(found, top if top or as_json or csv_file else 50))
    if as_json:
        write_lines(rows)
    elif csv_file:
        put_out(_csv(rows), csv_file, workspace, "check --csv", newline="")
    else:
        counts = [(n, row["occurrences"], row["documents"], row["place"]["rank"]) for n, row in enumerate(rows, 1)]
        named = [(plain_text(row["tex"]), row["name"], _item(row)) for row in rows]
        columns = ("", "d", "D", "FormulaRank", "formula", "name", "item")
        table(f"formulas by {by}", columns, [(*c, *n) for c, n in zip(counts, named, strict=True)])


def _show_list(workspace: str | None, config: str | None, top: int | None, as_json: bool) -> None:
    from itertools import islice

    from bot.console import table, write_lines
    from bot.formula.drawing.plain_text import plain_text
    from bot.review.attested import attested, lines

    if workspace:
        with open_workspace(workspace, config) as (opened, _):
            rows = list(islice(attested(opened), top if top or as_json else 50))
    else:
        rows = lines()[: top if top or as_json else 50]
    if as_json:
        write_lines(rows)
        return
    shown = [
        (row["qid"], row["label"], plain_text(row["tex"]), row.get("documents") or "", ", ".join(row.get("first", ())))
        for row in rows
    ]
    table("the built-in list", ("item", "label", "formula", "documents", "such as"), shown)


def _item(row: Row) -> str:
    return f"{row['label']} ({row['qid']}, {row['probability']:.2f})" if row["qid"] else ""


def _csv(rows: list[Row]) -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(_COLUMNS)
    for row in rows:
        places = {f"place_{order}": place for order, place in row["place"].items()}
        named = {**row, **places, "d": row["occurrences"], "D": row["documents"]}
        writer.writerow(["" if named[column] is None else named[column] for column in _COLUMNS])
    return out.getvalue()
