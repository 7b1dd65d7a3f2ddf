"""The project as a library for other researchers: `import bot`, then keys, compare, recognise and group.

Nothing here reads a workspace or asks a wiki. What needs the built-in list loads it once, in some seconds.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from bot.formula import Comparison
from bot.formula import compare as compare_alone
from bot.items_file import ItemRow
from bot.sequences import refuse_one_text
from bot.wikibase import is_item_id


@dataclass(frozen=True, slots=True)
class Recognised:
    """An item that a formula may be an instance of. `accepted`: likely enough to be said without a person (see docs/recognition.md)."""

    qid: str
    label: str
    probability: float
    formula: str
    level: str
    accepted: bool


def compare(a: str, b: str, *, builtin: bool = True) -> Comparison:
    """Return how two formulas in TeX are related, as `formula-bot compare` does; `builtin` asks the built-in list too."""
    from bot.match.retrieval.known_concepts import refine_comparison

    return refine_comparison(compare_alone(a, b), a, b, listed=builtin)


def recognise(
    formulas: Sequence[str], *, items: Iterable[ItemRow] = (), builtin: bool = True, top: int = 5
) -> list[list[Recognised]]:
    """Return for each formula its likeliest items, best first; [] for what cannot be read.

    `items` are rows {"qid", "label", "formulas"}; without them the concepts of the built-in list are recognised.
    """
    refuse_one_text(formulas, "formulas")
    if top < 1:
        raise ValueError(f"top is {top}, and must be at least 1")
    from bot.match.builtin import builtin_formulas
    from bot.match.retrieval.known_concepts import builtin_concepts
    from bot.match.retrieval.recognise import Recogniser

    rows = list(items)
    listed = builtin_formulas() if builtin or not rows else {}
    recogniser = Recogniser(rows, book=listed) if rows else builtin_concepts().recogniser
    labels = {qid: concept.label for qid, concept in listed.items()} | {
        row["qid"]: row.get("label") or "" for row in rows
    }
    accept = recogniser.ranker.accept
    return [
        [Recognised(h.qid if is_item_id(h.qid) else "", labels.get(h.qid, ""), h.probability, h.formula, h.level, n == 0 and h.probability >= accept) for n, h in enumerate(hits)]
        for hits in recogniser.all_hits(list(formulas), top)
    ]  # fmt: skip


def group(formulas: Sequence[str], words: Sequence[Sequence[str]] = ()) -> list[list[int]]:
    """Return which formulas are one concept written differently, as lists of their places; each place is in one list.

    `words` are lists of those around each formula, where they are known. Formulas are compared as `discover` does with those of a corpus; without the built-in list.
    """
    refuse_one_text(formulas, "formulas")
    if words and len(words) != len(formulas):
        raise ValueError(f"{len(formulas)} formulas and {len(words)} lists of words")
    for each in words:
        refuse_one_text(each, "words")
    from bot.discover.grouping.encoding_names import FAST
    from bot.discover.grouping.equivalents import Equivalents, FormulaInContext

    in_context = [FormulaInContext(tex, str(n), tuple(words[n]) if words else ()) for n, tex in enumerate(formulas)]
    model = Equivalents(encodings=FAST).fit(in_context)
    of = list(range(len(in_context)))
    for row in range(len(in_context)):
        for other in model.group(row):
            old, new = sorted((of[row], of[other]), reverse=True)
            of = [new if each == old else each for each in of]
    return [[place for place, each in enumerate(of) if each == number] for number in sorted(set(of))]
