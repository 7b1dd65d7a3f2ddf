"""The tables beside the code: API modules, names, rights, message texts, properties and siteinfo as MediaWiki 1.43 has them."""

from importlib.resources import files


def read_data_file(name: str) -> str:
    """Return the text of one file in bot/sandbox/data."""
    return files("bot.sandbox").joinpath("data", name).read_text(encoding="utf-8")
