"""Evidence of the symbol on the left side: whether it is usual for the item's quantity."""

from bot.match.features.candidate_pair import CandidatePair, Features
from bot.match.features.ranking_evidence import SUREST_CUE, called
from bot.match.item_labels import fold, is_statement
from bot.match.retrieval.quantities import usual_symbols
from bot.records import Evidence


def left_usual(pair: CandidatePair) -> Evidence | None:
    """The symbol on the left is usual for such a quantity."""
    usual = () if is_statement(pair.item.label) else usual_symbols(fold(pair.item.label))
    if not pair.view.left or pair.view.left not in usual:
        return None
    return Evidence.of("left_usual.symbol", 1.0, symbol=pair.view.left)


def loose_noun(pair: CandidatePair) -> Evidence | None:
    """The label is neither a statement nor the quantity on the left: a thing that is only talked about, the less so the more surely a sentence calls the formula so."""
    if is_statement(pair.item.label) or left_usual(pair):
        return None
    said = called(pair)
    score = round(1 - min(1.0, said.score / SUREST_CUE), 4) if said else 1.0
    return Evidence.of("loose_noun.label", score, label=pair.item.label) if score else None


def one_symbol(pair: CandidatePair) -> Evidence | None:
    """The label names a law, and the formula only gives a symbol: what a law is about is defined beside it."""
    if not pair.view.left or not is_statement(pair.item.label):
        return None
    return Evidence.of("one_symbol.gives", 1.0, label=pair.item.label, symbol=pair.view.left)


LEFT_SIDE_FEATURES: Features = (left_usual, loose_noun, one_symbol)
