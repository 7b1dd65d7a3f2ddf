"""How two formulas are related, and by what two that are not the same differ decisively."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from bot.formula.alignment.differences import difference
from bot.formula.alignment.extensions import among_equations, further_terms
from bot.formula.alignment.unlike_forms import in_one_form
from bot.formula.equivalence.comparison import Comparison, ProofSearch
from bot.formula.equivalence.related import related
from bot.formula.equivalence.rules import SubstitutionRule
from bot.formula.features.spacetime_parts import beside_vectors, compare_parts
from bot.messages import Message


def compare(
    a: str, b: str, rules: Sequence[str | SubstitutionRule] = (), prover: ProofSearch | None = None
) -> Comparison:
    """Compare two formulas; what has no tree is only compared as a string.

    `rules` are substitutions `symbol = expression` that hold where the formulas come from (FormulaError for one that is none); they are tried
    where the formulas do not meet without them. A `prover` is asked to confirm what sampling finds.
    """
    found = related(a, b, rules, prover)
    if found.same_concept:
        return (beside_vectors(a, b) if found.level == "K3" else None) or found
    if part := among_equations(a, b):
        return replace(found, relation="variant", message=part)
    if parts := compare_parts(a, b):
        return parts
    differs = difference(a, b)
    if differs is None:
        return in_one_form(a, b) or _with_further_terms(found, a, b)
    return replace(found, message=Message("note.differs", note=found.message, differs=differs), differs=differs)


def _with_further_terms(found: Comparison, a: str, b: str) -> Comparison:
    if found.relation == "variant" and (terms := further_terms(a, b)):
        return replace(found, message=Message("note.further_terms", note=found.message, terms=terms))
    return found
