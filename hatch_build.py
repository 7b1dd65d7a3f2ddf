"""Reads the built-in list when the package is built or installed, so that no first run has to: `bot/match/retrieval/index/readings-*.arrays`."""

from __future__ import annotations

import sys
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class Readings(BuildHookInterface):  # type: ignore[type-arg]
    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        sys.path.insert(0, self.root)
        try:
            from bot.match.retrieval.index.stored_readings import SHIPPED, builtin_texts, readings
        except ImportError as error:  # without build isolation: the first run reads the list
            self.app.display_warning(f"the built-in list is not read now: {error}")
            return
        readings(builtin_texts(), SHIPPED)
        build_data["artifacts"].append("bot/match/retrieval/index/readings-*.arrays")
