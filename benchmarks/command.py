"""Arguments that several benchmarks take, under one name and with one meaning."""

from __future__ import annotations

import argparse
from typing import Any

FILE: dict[str, Any] = {"required": True, "metavar": "F"}
SHARED: dict[str, dict[str, Any]] = {
    "--corpus": {"required": True, "nargs": "+", "metavar": "DIR"},
    "--items": FILE,
    "--queries": FILE,
    "--formulas": FILE,
    "--gold": FILE,
    "--no-builtin": {"action": "store_true", "help": "without the built-in formula list"},
    "--json": {"action": "store_true", "help": "print one JSON object only"},
}


def arguments(description: str | None, *shared: str) -> argparse.ArgumentParser:
    """Return a parser that takes these shared arguments; `description` is the module's docstring."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in shared:
        parser.add_argument(name, **SHARED[name])
    return parser
