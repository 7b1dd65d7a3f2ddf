"""Reasons to doubt: the formula is a special case, a step, a number; the item is of another kind or says otherwise.

Like the reasons to believe; the score is how strong the doubt is (its weight in the model is negative).
"""

import re

from bot.corpus.draft import PARAGRAPH
from bot.discover.phrases import EN, noun_phrases
from bot.formula import keys
from bot.formula.features.sides import chain_equalities
from bot.match.features.candidate_pair import CandidatePair, ConceptOccurrence, Features
from bot.match.features.canonical_definition import is_exact, is_first
from bot.match.features.existing_claims import same_formula
from bot.match.features.ranking_evidence import words_above, words_beside
from bot.match.item_labels import fold, head_word
from bot.match.retrieval.context import stems
from bot.messages import Message
from bot.records import Evidence

_NUMBER = re.compile(r"\d+\.\d+|\d{3,}|\\%|10\s*\^\s*\{?\s*-?\d")
_INDEX = re.compile(r"_\s*(?:\{(?:[^{}]|\{[^{}]*\})*\}|\\?\w)")
# Indices from which their number says no more: .4 of judged pairs are accepted from 3 on as from 5 on, .5 below
MANY = 6
# A variable, the sign, and the name of a distribution with what it depends on.
_DISTRIBUTED = re.compile(
    r"[^=(]*(?:\\sim(?![A-Za-z])|∼)[\s}]*(?:\\[A-Za-z]+\s*\{[^{}]*\}|[A-Z])\s*(?:\\left\s*)?[(\[]"
)
# A label that ends right before the formula: “Electric force: ⟦3⟧”. It opens a line, a sentence, a cell, or follows another formula.
_LABELLED = re.compile(rf"(?:^|[⟧.|;…•]|{PARAGRAPH})\s*(?P<label>[^⟦⟧.;:|]{{3,60}}):\s*$")
_MADE_UP = {"example": 1.0, "exercise": 1.0, "table": 0.5, "caption": 0.5}
# Headings above cases of what is stated elsewhere, in English: of 10 judged pairs with all places under such ones none was accepted, said .1 to .76
_CASES = re.compile(
    r"\b(?:examples?|applications?|(?:special|particular|(?<!non-)degenerate) cases?|extensions? (?:for|of|to))\b"
)


def numbers(pair: CandidatePair) -> Evidence | None:
    """Measured numbers make an instance, not a concept."""
    found = _NUMBER.findall(pair.view.concept.tex)
    return Evidence.of("numbers.found", 1.0, number=found[0]) if found else None


def no_equation(pair: CandidatePair) -> Evidence | None:
    """Wikidata's defining formulas are equations nearly always."""
    if keys(pair.view.concept.tex).equation:
        return None
    return Evidence.of("no_equation.kind", 1.0, kind=Message(f"kind.{pair.view.kind}"))


def zero(pair: CandidatePair) -> Evidence | None:
    """A plain number on one side of a chain, or a measured one, comes from a case."""
    sides = [link.rpartition("=")[2].strip() for link in chain_equalities(pair.view.concept.tex)]
    if len(sides) < 2 or not any(re.fullmatch(r"-?[\d.]+", side) for side in sides):
        return None
    return Evidence.of("zero.side", 1.0)


def example_said(pair: CandidatePair) -> Evidence | None:
    """The words before it announce an example or an assumption. That it follows from something, or holds under a condition, is not a reason to doubt: laws do."""
    share = pair.view.share_introduced_as("example")
    return Evidence.of("example_said.so", share) if share else None


def labelled_other(pair: CandidatePair) -> Evidence | None:
    """A label right before it names something that has no word in common with the item, whatever else the text around it names."""
    places = [one for one in pair.view.occurrences if one.mask in one.occurrence.window]
    words = frozenset().union(*map(stems, pair.labels))
    found = [label for label in map(_label_before, places) if label and not stems(label) & words]
    return Evidence.of("labelled_other.named", len(found) / len(places), name=found[0]) if found else None


def _label_before(one: ConceptOccurrence) -> str:
    """Return the noun phrase that ends with a colon right before the formula, or ""."""
    found = _LABELLED.search(one.occurrence.window.partition(one.mask)[0])
    label = found["label"].strip(" *-–,") if found else ""
    return label if any(phrase.text == label for phrase in noun_phrases(label, one.language)) else ""


def made_up(pair: CandidatePair) -> Evidence | None:
    """It stands in examples and exercises only, by its place or by the heading above."""
    places = [one.occurrence for one in pair.view.occurrences]
    scores = [1.0 if _CASES.search(fold(one.heading)) else _MADE_UP.get(one.role, 0.0) for one in places]
    if not scores or not min(scores):
        return None
    if places[0].role in _MADE_UP:
        return Evidence.of("made_up.role", min(scores), role=Message(f"role.{places[0].role}"))
    return Evidence.of("made_up.heading", min(scores), heading=places[0].heading)


def indices(pair: CandidatePair) -> Evidence | None:
    """Indices tell one thing of a context from another."""
    n = len(_INDEX.findall(pair.view.concept.tex))
    return Evidence.of("indices.n", round(min(1.0, n / MANY), 4), n=n) if n else None


def one_word(pair: CandidatePair) -> Evidence | None:
    """Area, field, period: a word that many texts use for many things."""
    if " " in fold(pair.item.label):
        return None
    return Evidence.of("one_word.label", 1.0, label=pair.item.label)


def common_word(pair: CandidatePair) -> Evidence | None:
    """Such a word, and title and heading are about something else."""
    above = words_above(pair)
    score = round(1 - above.score, 4) if above else 1.0
    return Evidence.of("common_word.label", score, label=pair.item.label) if score and one_word(pair) else None


def thing(pair: CandidatePair) -> Evidence | None:
    """A field of study, a system, a model: what has formulas, and is not defined by one."""
    head = head_word(pair.item.label)
    if not EN.pattern("thing").search(head) or EN.pattern("quantity").search(head):
        return None
    return Evidence.of("thing.label", 1.0, label=pair.item.label)


def no_equality(pair: CandidatePair) -> Evidence | None:
    """The formula is an inequality or similar, unless the item is one or is known by it: definitions are equations."""
    if pair.view.kind != "relation" or head_word(pair.item.label) == "inequality" or pair.recognition:
        return None
    return Evidence.of("no_equality.form", 1.0)


def distributed(pair: CandidatePair) -> Evidence | None:
    """X ∼ N(μ, σ²) says that something has a distribution, and not which one that is."""
    return Evidence.of("distributed.so", 1.0) if _DISTRIBUTED.match(pair.view.concept.tex) else None


def rewritten_unnamed(pair: CandidatePair) -> Evidence | None:
    """It is the list's first form in other letters, with other indices or rearranged, and the text around it lacks words of the item's name."""
    if not is_first(pair) or is_exact(pair):
        return None
    named = words_beside(pair)
    missing = round(1 - named.score, 4) if named else 1.0
    return Evidence.of("rewritten_unnamed.share", missing, percent=f"{missing:.0%}") if missing else None


def words_missing(pair: CandidatePair) -> Evidence | None:
    """Title, heading and text around it lack more than half of the words of the label of an item that does not hold it; of the rest no share is better than another."""
    named = words_beside(pair)
    missing = round(1 - 2 * named.score, 4) if named else 1.0
    return Evidence.of("words_missing.most", missing) if missing > 0 and not same_formula(pair) else None


NEGATIVE_FEATURES: Features = (
    numbers,
    no_equation,
    zero,
    example_said,
    labelled_other,
    made_up,
    indices,
    one_word,
    common_word,
    thing,
    no_equality,
    distributed,
    rewritten_unnamed,
    words_missing,
)
