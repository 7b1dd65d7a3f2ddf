"""Which of the built-in list's formulas of an item is a formula: the one that defines it, another one, or surely none of them.

An entry of the built-in list begins with the defining form. Of 500 items of 2019 with an entry, 253 hold a
formula that agrees with its first line, 58 one that agrees with a later one alone.
"""

from collections.abc import Callable

from bot.errors import FormulaError
from bot.formula import identifiers, keys
from bot.formula.features.sides import chain_equalities, statements
from bot.match.features.agreement import compare_formulas, equivalent
from bot.match.features.candidate_pair import CandidatePair, Features
from bot.match.retrieval.index.listed_results import keep_results_for, kept_for_list
from bot.records import Evidence

# Share of a formula's letters from which it speaks of what a form of the list speaks of, and may be another true statement about it. Of 161
# formulas that define the subject of an article, 14 are like no form of the list, and 1 of them has less than half of its letters from one; of 154
# others in the same articles 61 and 22.
SHARED = 0.5
EXACT = ("K0", "K1", "K2")  # keys of one formula whose spelling alone may differ


def handbook_first(pair: CandidatePair) -> Evidence | None:
    """The built-in list defines the item by this formula or a part of it, or it is the first that was accepted for it here."""
    if not is_first(pair):
        return None
    form = _defining_forms(pair)[0]
    if part := defining_part(pair.view.concept.tex, form):
        return Evidence.of("handbook_first.part", 1.0, tex=part)
    code = "own" if pair.view.known.is_own(pair.item.qid, form) else "defines"
    return Evidence.of(f"handbook_first.{code}", 1.0)


def listed_exact(pair: CandidatePair) -> Evidence | None:
    """It is written as the form by which the built-in list defines the item: no letter, index, vector mark or side differs."""
    return Evidence.of("listed_exact.written", 1.0) if is_exact(pair) else None


def is_exact(pair: CandidatePair) -> bool:
    """Tell whether the formula is the first one of the list at K2, and not only in other letters, with other indices or rearranged."""
    return pair.recognition is not None and pair.recognition.level in EXACT and is_first(pair)


def defining_part(tex: str, form: str) -> str:
    """Return the equality of a chain, without what is said behind it, that agrees with a form, P = IV of P = IV = I²R; "" where all agree, or none does alone.

    Of several that agree with an equation it is the first; with a chain they may be its parts.
    """
    tex = statements(tex)[0]
    tex = statements(tex)[0]
    found, single = chain_equalities(tex), len(chain_equalities(form)) == 1
    if not single and compare_formulas(tex, form).same_concept:
        return ""
    agree = [link for link in found if equivalent(link, form)]
    is_certain = len(agree) == 1 or (agree and single)
    return agree[0] if is_certain and len(agree) < len(found) else ""


def handbook_unlike(pair: CandidatePair) -> Evidence | None:
    """The formula is another statement than all that the built-in list has for the item; nothing where that cannot be told."""
    forms = listed_forms(pair)
    if not forms or pair.view.known.is_own(pair.item.qid, forms[0]) or may_be_one(pair, forms):
        return None
    return Evidence.of("handbook_unlike.other", 1.0, tex=forms[0])


def is_first(pair: CandidatePair) -> bool:
    """Tell whether the formula agrees with the one by which the built-in list defines the item."""
    return not _is_exactly_about(pair) and any(_agrees(pair, form) for form in _defining_forms(pair)[:1])


def is_defining(pair: CandidatePair) -> bool:
    """Tell whether the formula agrees with one of those by which the built-in list defines the item."""
    return not _is_exactly_about(pair) and any(_agrees(pair, form) for form in _defining_forms(pair))


def _is_exactly_about(pair: CandidatePair) -> bool:
    """Tell whether the formula is one that does not define the item, as written: one of two equations agrees with both, too."""
    hit = pair.recognition
    return hit is not None and hit.level in EXACT and hit.formula not in pair.view.known.defining_formulas(hit.qid)


def is_any(pair: CandidatePair) -> bool:
    """Tell whether the formula agrees with one that the built-in list has for the item."""
    return any(_agrees(pair, form) for form in listed_forms(pair))


def may_be_one(pair: CandidatePair, forms: tuple[str, ...]) -> bool:
    """Tell whether a formula may state what one of these states: it is recognised so, shares letters or the key without letters, or agrees."""
    letters = pair.view.letters
    return (
        not letters
        or pair.recognition is not None
        or any(len(letters & letters_of(form)) >= SHARED * len(letters) for form in forms)
        # One form after the other: its trees are at hand when it is compared
        or any(_renamed(pair.view.concept.tex) & _renamed(form) or _agrees(pair, form) for form in forms)
    )


def _agrees(pair: CandidatePair, form: str) -> bool:
    return not pair.view.letters.isdisjoint(letters_of(form)) and equivalent(pair.view.concept.tex, form) is not None


def listed_forms(pair: CandidatePair) -> tuple[str, ...]:
    """Return the forms that are known of the item, by the built-in list and in the workspace."""
    return _forms(pair, pair.view.known.formulas)


def _defining_forms(pair: CandidatePair) -> tuple[str, ...]:
    return _forms(pair, pair.view.known.defining_formulas)


def _forms(pair: CandidatePair, formulas_of: Callable[[str], tuple[str, ...]]) -> tuple[str, ...]:
    qid = pair.view.known.entry_of_item(pair.item.qid, pair.labels)
    forms = formulas_of(qid) if qid else ()
    keep_results_for(forms)
    return forms


@kept_for_list(maxsize=16384)
def letters_of(tex: str) -> frozenset[str]:
    """Return the symbols of a formula, large and small alike."""
    return frozenset(symbol.casefold() for symbol in identifiers(tex))


@kept_for_list(maxsize=16384)
def _renamed(tex: str) -> frozenset[str]:
    """Return the keys without letters, of a formula and of each equality in it; none if it has no tree."""
    try:
        return frozenset(keys(part).K5 for part in (tex, *chain_equalities(tex)))
    except FormulaError:
        return frozenset()


def shared_symbols(pair: CandidatePair) -> Evidence | None:
    """The formula is written in the symbols of the one by which the built-in list defines the item."""
    first = next(iter(_defining_forms(pair)), "")
    left, right = pair.view.letters, letters_of(first) if first else frozenset()
    if not left & right:
        return None
    score = round(len(left & right) / len(left | right), 4)
    return Evidence.of("shared_symbols.percent", score, percent=f"{score:.0%}", tex=first)


DEFINITION_FEATURES: Features = (handbook_first, listed_exact, handbook_unlike, shared_symbols)
