"""`formula-bot crawl`: documents fetched politely into a folder that `discover` reads."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from bot.cli_common import CommandGroup, json_option, print_summary

Command = Callable[..., Any]


@click.group(cls=CommandGroup)
def crawl() -> None:
    """Fetch documents politely, with a manifest.

    One request at a time, as robots.txt and the sites' own rules allow; agent.contact of the settings says who asks. Interrupted, it
    goes on where it was when it is run again; documents that are there already are asked for with conditions.
    Exit code 0: all is there, 1: some could not be had, 2: nothing could be asked.
    """


def common_options(command: Command) -> Command:
    for option in (
        json_option,
        click.option("--limit", type=click.IntRange(min=0), default=0, metavar="N", help="Documents; 0: all."),
        click.option("--config", metavar="FILE", help="Settings (TOML) with [agent] contact."),
        click.option("--into", required=True, metavar="DIR", help="The folder for documents and manifest."),
    ):
        command = option(command)
    return command


@crawl.command()
@click.option("--title", "titles", multiple=True, metavar="T", help="A page; de:T for one language's wiki alone.")
@click.option("--language", default="en", show_default=True, metavar="L,L", help="Languages, with commas.")
@common_options
def wikipedia(config: str | None, as_json: bool, language: str, **given: Any) -> int:
    """Fetch articles of Wikipedia or another MediaWiki.

    \b
    formula-bot crawl wikipedia --title "Ohm's law" --language de,en --into corpus/wikipedia --config bot.toml
    """
    languages = tuple(dict.fromkeys(each.strip() for each in language.split(",") if each.strip()))
    return _run("wikipedia", config, as_json, languages=languages, **given)


def _run(source: str, config: str | None, as_json: bool, **fields: Any) -> int:
    from bot.corpus.crawl.run import crawl as run
    from bot.settings import CrawlOrder, load

    found = run(CrawlOrder(source, **fields), load(config), quiet=as_json)
    print_summary("crawl", found, as_json)
    if not as_json:
        for what in ("vanished", "unusable", "forbidden", "failed"):
            for url, why in getattr(found, what):
                click.echo(f"{what} {url}: {why}", err=True)
    return 0 if found.complete else 1
