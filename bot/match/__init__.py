"""Which item is meant: concepts and items in, matches with evidence and a calibrated probability out; and recognition.

`match` for the workspace, `recognise` for single formulas, `choose` for what goes to the queue.
"""

from bot.match.retrieval.recognise import Recogniser, recognise
from bot.match.selected import choose
from bot.match.stage import MatchSummary, load_matches, match, reliability_of_matches

__all__ = ["MatchSummary", "Recogniser", "choose", "load_matches", "match", "recognise", "reliability_of_matches"]
