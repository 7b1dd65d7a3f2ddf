"""How two formulas are related, in one word, with the key level at which they meet and a message that says why.

Each kind of equivalence is a module, and they are asked from sure to unsure: equal keys, scripts left out, algebra and sampled solutions, other
units, other letters, shared terms; last with substitutions put in. `same_concept` prefers to miss: short formulas that only share their shape
are different (p = mv, F = ma, V = IR).
"""

from collections.abc import Sequence
from functools import lru_cache

from bot.errors import FormulaError
from bot.formula.equivalence.algebraic import by_algebra
from bot.formula.equivalence.analysed import analysed
from bot.formula.equivalence.comparison import Comparison, ProofSearch, Relation
from bot.formula.equivalence.renamed import by_renaming, by_terms
from bot.formula.equivalence.rules import SubstitutionRule, read_rule
from bot.formula.equivalence.substitutions import by_definitions, by_rules, by_shipped_rules
from bot.formula.equivalence.unscripted import by_scripts
from bot.formula.keys.levels import keys
from bot.formula.tex.clean import clean
from bot.messages import Message

_EQUAL_KEYS: dict[str, tuple[Relation, str]] = {
    "K0": ("identical", "note.tokens"),
    "K1": ("typographic", "note.typographic"),
    "K2": ("notation", "note.notation"),
}


def related(
    a: str, b: str, rules: Sequence[str | SubstitutionRule] = (), prover: ProofSearch | None = None
) -> Comparison:
    """Return how two formulas meet; see `compare`, which also says by what they differ."""
    return _related(a, b, tuple(rules), prover) if rules or prover else _as_written(a, b)


@lru_cache(maxsize=256)
def _as_written(a: str, b: str) -> Comparison:
    """What two formulas differ by is looked for by asking again how they meet."""
    return _related(a, b, (), None)


def _related(a: str, b: str, rules: Sequence[str | SubstitutionRule], prover: ProofSearch | None) -> Comparison:
    given = [read_rule(rule) if isinstance(rule, str) else rule for rule in rules]
    if "".join(clean(a).split()) == "".join(clean(b).split()):
        return Comparison("identical", "K0", True, Message("note.characters"))
    try:
        level = keys(a).shared_level(keys(b))
        if level in _EQUAL_KEYS:
            relation, code = _EQUAL_KEYS[level]
            return Comparison(relation, level, True, Message(code))
        one, other = analysed(a), analysed(b)
        found = (
            by_scripts(one, other)
            if level == "K3"
            else by_algebra(one, other, level, prover)
            or (by_renaming(one, other) if level == "K5" else by_terms(one, other, level))
        )
        if found.same_concept and not (given and found.loose):
            return found
        met = by_rules(one, other, given, prover) if given else None
        if found.same_concept:
            return met if met and met.same_concept and not met.loose else found
        return met or by_shipped_rules(one, other) or by_definitions(one, other) or found
    except FormulaError as error:
        return Comparison("different", "", False, Message("note.unreadable", error=str(error)))
    except RecursionError:
        return Comparison("different", "", False, Message("note.too_deep"))
