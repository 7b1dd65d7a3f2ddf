"""Reads the built-in list when the package is built or installed, so that no first run has to: `bot/match/retrieval/index/readings-*.arrays`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class Readings(BuildHookInterface):  # type: ignore[type-arg]
    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        try:
            read_builtin_list(self.root)
        except ImportError as error:  # without build isolation: the first run reads the list
            self.app.display_warning(f"the built-in list is not read now: {error}")
            return
        build_data["artifacts"].append("bot/match/retrieval/index/readings-*.arrays")


def read_builtin_list(root: str) -> None:
    sys.path.insert(0, root)
    from bot.match.retrieval.index.stored_readings import SHIPPED, builtin_texts, readings

    readings(builtin_texts(), SHIPPED)


if __name__ == "__main__":  # `make setup` installs the packages meanwhile
    read_builtin_list(str(Path(__file__).parent))
