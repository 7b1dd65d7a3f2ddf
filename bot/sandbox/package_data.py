"""The tables beside the code: API modules, names, rights, message texts, properties and siteinfo as MediaWiki 1.43 has them."""

import json
from importlib.resources import files
from typing import Any


def load_data(name: str) -> Any:
    """Return what bot/sandbox/data/<name>.json holds."""
    return json.loads(files("bot.sandbox").joinpath("data", f"{name}.json").read_text(encoding="utf-8"))
