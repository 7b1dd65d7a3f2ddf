"""`formula-bot crawl`: downloads documents, rate-limited, into a folder that `discover` reads."""

from collections.abc import Callable

import click

from bot.cli_common import CommandGroup, json_option, number_option, print_summary, text_option
from bot.console import print_message
from bot.messages import Message

Command = Callable[..., object]
_NAMED = ("vanished", "unusable", "forbidden", "failed")


@click.group(cls=CommandGroup)
def crawl() -> None:
    """Download documents into a folder, with a manifest.

    It sends one request at a time and follows robots.txt and the rules of each site. The settings must have a contact
    ([agent] contact), which is sent with each request. If it was interrupted, run it again and it continues. Documents
    that were downloaded before are downloaded again only if they have changed. Prints counts and names what failed.

    Exit code 0: everything is there, 1: some documents could not be downloaded, 2: no request could be made.
    """


def _order_options(command: Command) -> Command:
    for option in (
        json_option,
        click.option("--dry-run", is_flag=True, help="List what would be downloaded and store nothing."),
        number_option("--limit", 0, "At most N documents; default: all.", least=0, metavar="N", show_default=False),
        text_option("--config", "FILE", "Settings (TOML) with [agent] contact.", default=None),
        text_option("--into", "DIR", "Folder for the documents and manifest.jsonl.", required=True),
    ):
        command = option(command)
    return command


@crawl.command()
@text_option("--category", "C", "Pages of this category; de:C for German only. Repeatable.", "categories", multiple=True)  # fmt: skip
@number_option("--depth", 0, "Levels of subcategories.", least=0, most=20)
@text_option("--title", "T", "The page T; de:T for German only. Repeatable.", "titles", multiple=True)
@text_option("--titles", "FILE", "The pages in this file, one title a line.", "titles_file")
@text_option("--query", "FILE.rq", "Pages found by this SPARQL query, with the column `article` or `title` and `language`.")  # fmt: skip
@click.option("--without-formula", is_flag=True, help="Articles of items that have no defining formula, of the classes below.")  # fmt: skip
@text_option("--class", "QID", "A class for --without-formula, repeatable; default: crawling.classes of the settings.", "classes", multiple=True)  # fmt: skip
@text_option("--language", "L,L", "Languages of the wiki, separated by commas.", "languages", default="en", show_default=True)  # fmt: skip
@text_option("--site", "URL", "Another MediaWiki: the URL of its api.php.")
@_order_options
def wikipedia(languages: str, config: str | None, dry_run: bool, as_json: bool, **order: object) -> int:
    """Download articles of Wikipedia or another MediaWiki.

    Choose pages by title, category, query or --without-formula. They are stored as wikitext.

    \b
    formula-bot crawl wikipedia --without-formula --language en,de --limit 500 --into corpus/wikipedia --config bot.toml
    formula-bot crawl wikipedia --category Mechanics --depth 1 --title "Ohm's law" --into corpus/wikipedia --config bot.toml
    """
    codes = tuple(dict.fromkeys(each.strip() for each in languages.split(",")))
    return _run("wikipedia", {"languages": codes, **order}, config, dry_run, as_json)


@crawl.command("arxiv")
@text_option("--id", "ID", "A paper, such as 0903.1000 or hep-th/9901001. Repeatable.", "ids", multiple=True)
@text_option("--category", "C", "The papers of a category: hep-th, math.AG, or a set of OAI-PMH.")
@text_option("--from", "DAY", "Only records changed from this day on (2026-11-01).", "since")
@text_option("--until", "DAY", "Only records changed up to this day.")
@click.option("--html", is_flag=True, help="Download the HTML of ar5iv instead of the TeX source.")
@_order_options
def arxiv_command(config: str | None, dry_run: bool, as_json: bool, **order: object) -> int:
    """Download papers of arXiv, with the licence of each.

    Choose papers by --id, or by --category, --from and --until.

    \b
    formula-bot crawl arxiv --id 0903.1000 --id hep-th/9901001 --into corpus/arxiv --config bot.toml
    formula-bot crawl arxiv --category math-ph --from 2026-11-01 --until 2026-11-07 --into corpus/arxiv --config bot.toml
    """
    return _run("arxiv", order, config, dry_run, as_json)


@crawl.command()
@click.argument("url", metavar="URL")
@number_option("--depth", 0, "Further levels of links; 0: the page and the pages that it links to.", least=0, most=20)
@_order_options
def http(config: str | None, dry_run: bool, as_json: bool, **order: object) -> int:
    """Download a page and the pages that it links to.

    It follows only links to the same site, below the path of the URL.

    \b
    formula-bot crawl http https://example.org/lectures/ --depth 1 --into corpus/lectures --config bot.toml
    """
    return _run("http", order, config, dry_run, as_json)


@crawl.command()
@click.argument("url", metavar="URL")
@_order_options
def sitemap(config: str | None, dry_run: bool, as_json: bool, **order: object) -> int:
    """Download the pages that a site map lists.

    The URL is that of a site map or of an index of site maps. It downloads only pages of the same host.

    \b
    formula-bot crawl sitemap https://example.org/sitemap.xml --into corpus/example --config bot.toml
    """
    return _run("sitemap", order, config, dry_run, as_json)


def _run(source: str, fields: dict[str, object], config: str | None, dry_run: bool, as_json: bool) -> int:
    import msgspec

    from bot.corpus.crawl.run import crawl as run
    from bot.corpus.crawl.run import plan
    from bot.settings import CrawlOrder, load

    order, settings = msgspec.convert({"source": source, **fields}, CrawlOrder), load(config)
    if dry_run:
        planned = plan(order, settings)
        print_summary(Message("table.crawl_dry_run"), planned, as_json)
        if not as_json:
            for kind in ("new", "conditional"):
                for url in getattr(planned, kind):
                    print_message(f"crawl_{kind}", what=url)
        return 0
    found = run(order, settings, quiet=as_json)
    print_summary("crawl", found, as_json)
    if not as_json:
        for kind in _NAMED:
            for url, why in getattr(found, kind):
                print_message(f"crawl_{kind}", err=True, what=url, why=why)
    return 0 if found.complete else 1
