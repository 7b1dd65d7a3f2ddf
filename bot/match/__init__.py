"""Which item is meant: concepts and items in, matches with evidence and a calibrated probability out; and recognition.

`match` for the workspace, `recognise` for single formulas, `choose_matches` for what goes to the queue.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bot.match.item_selection import choose_matches
    from bot.match.retrieval.recognise import Recogniser, recognise
    from bot.match.stage import load_matches, match, reliability_of_matches

__all__ = ["Recogniser", "choose_matches", "load_matches", "match", "recognise", "reliability_of_matches"]
_HOMES = {"Recogniser": "retrieval.recognise", "recognise": "retrieval.recognise", "choose_matches": "item_selection"}


def __getattr__(name: str) -> object:
    """Import a part when it is asked for: who only looks whether anything has changed needs no index."""
    if name in __all__:
        return getattr(import_module(f"bot.match.{_HOMES.get(name, 'stage')}"), name)
    raise AttributeError(name)
