"""What one formula states beyond another: further equations beside it, or further terms in it (challenges 6 and 11 of the paper, table of section 3.3)."""

from collections.abc import Mapping

from bot.errors import FormulaError
from bot.formula.equivalence.analysed import analyse_formula
from bot.formula.equivalence.comparison import enumerated
from bot.formula.equivalence.renamed import containment
from bot.formula.features.sides import FENCES, relations
from bot.formula.keys.algebra import exact_texts
from bot.formula.keys.shapes import shapes
from bot.formula.normal.render import render
from bot.formula.normal.stages import normal_forms
from bot.formula.tex import nodes
from bot.formula.tex.nodes import NormalNode
from bot.messages import Message

_BETWEEN_TERMS = r"=|\+|-|−|\\equiv(?![A-Za-z])|\\pm(?![A-Za-z])"
_MAX_FURTHER_TERMS = (
    3  # further terms that are worth a name; with more of them the formulas have hardly anything in common
)
_MIN_TERM_LENGTH = 3  # characters of a term; anything shorter is a sign or a mark


def among_equations(a: str, b: str) -> Message | None:
    """Return a note if one formula is among the equations of the other, as written (K2) or after moving terms (K4); else None.

    Maxwell's equations in one line hold Gauss's law: they are no form of it, and not without relation to it either.
    """
    one, other = _equations(a), _equations(b)
    if len(one) == len(other) or not one or not other:
        return None
    several, single = (one, other) if len(one) > len(other) else (other, one)
    for texts in (render, _on_one_side):
        whole, part = [texts(node) for node in several], [texts(node) for node in single]
        if all(part) and set(part) < set(whole):
            numbers = enumerated([str(number) for number, text in enumerate(whole, 1) if text in part])
            return Message("note.among_equations", number=str(len(several)), which=numbers)
    return None


def further_terms(a: str, b: str) -> str:
    """Return the terms, in TeX, that only the formula with more terms has, by their shapes; "" if they cannot be named.

    They can be named where as many terms are further as the one formula has more: a term is further if the rest of its formula still holds as much of the other one as the whole does.
    """
    one, other = analyse_formula(a), analyse_formula(b)
    larger, tex, smaller = (
        (one, a, other) if number_of_terms(one.shapes) > number_of_terms(other.shapes) else (other, b, one)
    )
    _, common = containment(larger.shapes, smaller.shapes)
    found = []
    for start, end in _terms(tex):
        rest = tex[:start] + "0" + tex[end:]
        try:
            remaining = shapes(normal_forms(rest).normal[0])
        except (FormulaError, RecursionError):
            continue
        if (
            number_of_terms(remaining) < number_of_terms(larger.shapes)
            and containment(remaining, smaller.shapes)[1] == common
        ):
            found.append(tex[start:end].strip().rstrip(",.;").strip())
    return (
        ", ".join(found)
        if len(found) == number_of_terms(larger.shapes) - number_of_terms(smaller.shapes) <= _MAX_FURTHER_TERMS
        else ""
    )


def _equations(tex: str) -> list[NormalNode]:
    try:
        found = analyse_formula(tex).nodes
    except (FormulaError, RecursionError):
        return []
    return found if all(node.__class__ is nodes.Relation for node in found) else []


def _on_one_side(node: NormalNode) -> str:
    return "".join(exact_texts([node]) or ())


def number_of_terms(terms: Mapping[str, tuple[int, float]]) -> int:
    """Return how many terms a formula has, by its shapes."""
    return sum(count for count, _ in terms.values())


def _terms(tex: str) -> list[tuple[int, int]]:
    """The places of the terms on the top level of a formula."""
    ends, start = [], 0
    for depth, sign in relations(tex, _BETWEEN_TERMS, FENCES):
        if depth <= 0:
            ends.append((start, sign.start()))
            start = sign.end()
    ends.append((start, len(tex)))
    return [(first, last) for first, last in ends if len(tex[first:last].strip()) >= _MIN_TERM_LENGTH]
