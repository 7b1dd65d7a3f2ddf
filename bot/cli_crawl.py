"""`formula-bot crawl`: documents fetched politely into a folder that `discover` reads."""

from collections.abc import Callable

import click

from bot.cli_common import CommandGroup, json_option, print_summary
from bot.messages import Message

Command = Callable[..., object]
_NAMED = ("vanished", "unusable", "forbidden", "failed")


@click.group(cls=CommandGroup)
def crawl() -> None:
    """Fetch documents politely, with a manifest.

    One request at a time, as robots.txt and the sites' own rules allow; agent.contact of the settings says who asks. Interrupted, it
    goes on where it was when it is run again; documents that are there already are asked for with conditions.
    Exit code 0: all is there, 1: some could not be had, 2: nothing could be asked.
    """


def _order_options(command: Command) -> Command:
    for option in (
        json_option,
        click.option("--dry-run", is_flag=True, help="Show what would be fetched; ask for lists only."),
        click.option("--limit", type=click.IntRange(min=0), default=0, metavar="N", help="The first N documents."),
        click.option("--config", metavar="FILE", help="Settings (TOML) with [agent] contact."),
        click.option("--into", required=True, metavar="DIR", help="The folder for documents and manifest."),
    ):
        command = option(command)
    return command


@crawl.command()
@click.option(
    "--category", "categories", multiple=True, metavar="C", help="Pages of a category; de:C for one language."
)
@click.option("--depth", type=click.IntRange(0, 10), default=0, show_default=True, help="Steps down to subcategories.")
@click.option("--title", "titles", multiple=True, metavar="T", help="A page; de:T for one language.")
@click.option("--titles", "titles_file", default="", metavar="FILE", help="Pages, one title a line.")
@click.option("--query", default="", metavar="FILE.rq", help="SPARQL that gives `article`, or `title` and `language`.")
@click.option("--without-formula", is_flag=True, help="Items of the classes that have an article and no formula.")
@click.option("--class", "classes", multiple=True, metavar="QID", help="Instead of crawling.classes of the settings.")
@click.option("--language", "languages", default="en", show_default=True, metavar="L,L", help="With commas.")
@click.option("--site", default="", metavar="URL", help="Another MediaWiki, by the address of its api.php.")
@_order_options
def wikipedia(languages: str, config: str | None, dry_run: bool, as_json: bool, **order: object) -> int:
    """Fetch articles of Wikipedia or another MediaWiki.

    \b
    formula-bot crawl wikipedia --without-formula --language en,de --limit 500 --into corpus/wikipedia --config bot.toml
    formula-bot crawl wikipedia --category Mechanics --depth 1 --title "Ohm's law" --into corpus/wikipedia --config bot.toml
    """
    codes = tuple(dict.fromkeys(each.strip() for each in languages.split(",")))
    return _run("wikipedia", {"languages": codes, **order}, config, dry_run, as_json)


@crawl.command("arxiv")
@click.option("--id", "ids", multiple=True, metavar="ID", help="A paper: 0903.1000, hep-th/9901001.")
@click.option("--category", default="", metavar="C", help="hep-th, math.AG, or a set of OAI-PMH.")
@click.option("--from", "since", default="", metavar="DAY", help="Records changed from this day on.")
@click.option("--until", default="", metavar="DAY", help="Records changed up to this day.")
@click.option("--html", is_flag=True, help="The HTML of ar5iv instead of the source.")
@_order_options
def arxiv_command(config: str | None, dry_run: bool, as_json: bool, **order: object) -> int:
    """Fetch papers of arXiv, with the licence of each.

    \b
    formula-bot crawl arxiv --id 0903.1000 --id hep-th/9901001 --into corpus/arxiv --config bot.toml
    formula-bot crawl arxiv --category math-ph --from 2026-11-01 --until 2026-11-07 --into corpus/arxiv --config bot.toml
    """
    return _run("arxiv", order, config, dry_run, as_json)


@crawl.command()
@click.argument("url", metavar="URL")
@click.option("--depth", type=click.IntRange(0, 20), default=0, show_default=True, help="Further steps along links.")
@_order_options
def http(config: str | None, dry_run: bool, as_json: bool, **order: object) -> int:
    """Fetch a page and what it links to below its path.

    \b
    formula-bot crawl http https://example.org/lectures/ --depth 1 --into corpus/lectures --config bot.toml
    """
    return _run("http", order, config, dry_run, as_json)


@crawl.command()
@click.argument("url", metavar="URL")
@_order_options
def sitemap(config: str | None, dry_run: bool, as_json: bool, **order: object) -> int:
    """Fetch the pages that a site map lists.

    \b
    formula-bot crawl sitemap https://example.org/sitemap.xml --into corpus/example --config bot.toml
    """
    return _run("sitemap", order, config, dry_run, as_json)


def _run(source: str, fields: dict[str, object], config: str | None, dry_run: bool, as_json: bool) -> int:
    import msgspec

    from bot.console import tell
    from bot.corpus.crawl.run import crawl as run
    from bot.corpus.crawl.run import plan
    from bot.settings import CrawlOrder, load

    order, settings = msgspec.convert({"source": source, **fields}, CrawlOrder), load(config)
    if dry_run:
        planned = plan(order, settings)
        print_summary(Message("table.crawl_dry_run"), planned, as_json)
        if not as_json:
            for what in ("new", "conditional"):
                for url in getattr(planned, what):
                    tell(f"crawl_{what}", what=url)
        return 0
    found = run(order, settings, quiet=as_json)
    print_summary("crawl", found, as_json)
    if not as_json:
        for what in _NAMED:
            for url, why in getattr(found, what):
                tell(f"crawl_{what}", err=True, what=url, why=why)
    return 0 if found.complete else 1
