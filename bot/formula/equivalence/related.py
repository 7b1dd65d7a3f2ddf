"""How two formulas are related, in one word, with the key level at which they meet and a message that says why.

Each kind of equivalence is a module, and they are asked from sure to unsure: equal keys, scripts left out, algebra and sampled solutions, other
units, other letters, shared terms; last with substitutions put in. `same_concept` prefers to miss: short formulas that only share their shape
are different (p = mv, F = ma, V = IR).
"""

from collections.abc import Sequence
from functools import lru_cache

from bot.errors import FormulaError
from bot.formula.equivalence.algebraic import compare_by_algebra
from bot.formula.equivalence.analysed import analyse_formula
from bot.formula.equivalence.comparison import Comparison, ProofSearch, Relation
from bot.formula.equivalence.renamed import compare_renamed, compare_terms
from bot.formula.equivalence.rules import SubstitutionRule, read_rule
from bot.formula.equivalence.substitutions import (
    compare_with_definitions,
    compare_with_rules,
    compare_with_shipped_rules,
)
from bot.formula.equivalence.unscripted import compare_scripts
from bot.formula.keys.levels import keys
from bot.formula.tex.clean import without_blanks
from bot.messages import Message

_EQUAL_KEYS: dict[str, tuple[Relation, str]] = {
    "K0": ("identical", "note.tokens"),
    "K1": ("typographic", "note.typographic"),
    "K2": ("notation", "note.notation"),
}


def find_relation(
    a: str, b: str, rules: Sequence[str | SubstitutionRule] = (), prover: ProofSearch | None = None
) -> Comparison:
    """Return how two formulas are related; see `compare`, which also says by what they differ."""
    return _find_relation(a, b, tuple(rules), prover) if rules or prover else _as_written(a, b)


@lru_cache(maxsize=256)
def _as_written(a: str, b: str) -> Comparison:
    """Compare two formulas as written; cached, as the search for their difference compares them again."""
    return _find_relation(a, b, (), None)


def _find_relation(a: str, b: str, rules: Sequence[str | SubstitutionRule], prover: ProofSearch | None) -> Comparison:
    parsed_rules = [read_rule(rule) if isinstance(rule, str) else rule for rule in rules]
    if without_blanks(a) == without_blanks(b):
        return Comparison("identical", "K0", True, Message("note.characters"))
    try:
        level = keys(a).shared_level(keys(b))
        if level in _EQUAL_KEYS:
            relation, code = _EQUAL_KEYS[level]
            return Comparison(relation, level, True, Message(code))
        one, other = analyse_formula(a), analyse_formula(b)
        found = (
            compare_scripts(one, other)
            if level == "K3"
            else compare_by_algebra(one, other, level, prover)
            or (compare_renamed(one, other) if level == "K5" else compare_terms(one, other, level))
        )
        if found.same_concept and not (parsed_rules and found.loose):
            return found
        by_rules = compare_with_rules(one, other, parsed_rules, prover) if parsed_rules else None
        if found.same_concept:
            return by_rules if by_rules and by_rules.same_concept and not by_rules.loose else found
        return by_rules or compare_with_shipped_rules(one, other) or compare_with_definitions(one, other) or found
    except FormulaError as error:
        return Comparison("different", "", False, Message("note.unreadable", error=str(error)))
    except RecursionError:
        return Comparison("different", "", False, Message("note.too_deep"))
