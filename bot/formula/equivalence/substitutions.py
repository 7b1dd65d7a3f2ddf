"""Formulas that meet with a substitution put in: the rules given with them, or one of the few that always hold."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from bot.formula.equivalence.algebraic import bare, same_order, solved
from bot.formula.equivalence.analysed import Side, exactly, loosely
from bot.formula.equivalence.comparison import Comparison, ProofSearch, listed
from bot.formula.equivalence.rewriting import ways
from bot.formula.equivalence.rules import SubstitutionRule, shipped
from bot.formula.equivalence.units import up_to_units
from bot.formula.normal.bound_variables import substituted
from bot.formula.normal.render import render
from bot.messages import Message

_TELLING = frozenset(["k", "\\hbar", "ħ", "ℏ"])
Way = tuple[tuple[SubstitutionRule, ...], Side]


def by_rules(
    one: Side, other: Side, rules: Sequence[SubstitutionRule], prover: ProofSearch | None
) -> Comparison | None:
    """Try both formulas as they stand and with the rules put in, few rules first; None where they never meet."""
    best: Comparison | None = None
    pairs = [(*mine, *yours) for mine in _ways(one, rules) for yours in _ways(other, rules) if mine[0] or yours[0]]
    pairs.sort(key=lambda pair: len({*pair[0], *pair[2]}))
    for used, form, too, counter in pairs:
        found = _met(form, counter, prover)
        if found is not None and (best is None or _rank(found) > _rank(best)):
            best = replace(found, message=Message("note.put_in_note", rules=_named((*used, *too)), note=found.message))
            if _rank(best) == 2:
                break
    return best


def _ways(known: Side, rules: Sequence[SubstitutionRule]) -> list[Way]:
    return [((), known), *((used, Side(form, known.keys)) for used, form in ways(known.form, rules))]


def _rank(found: Comparison) -> int:
    """Exactly the same, the same up to units, related."""
    return 0 if not found.same_concept else 1 if found.loose else 2


def _named(rules: Iterable[SubstitutionRule]) -> str | Message:
    return listed([rule.said() for rule in dict.fromkeys(rules)])


def _met(one: Side, other: Side, prover: ProofSearch | None) -> Comparison | None:
    """Do two rewritten formulas meet, at K2, K3, by algebra, at sampled solutions, or at K4?"""
    if sorted(map(render, one.nodes)) == sorted(map(render, other.nodes)):
        return Comparison("notation", "K2", True, Message("note.then_same"))
    if sorted(map(render, one.form.bare)) == sorted(map(render, other.form.bare)):
        return bare(one, other, False)
    if not same_order(one, other):
        return None
    loose = one.loose == other.loose is not None
    found = solved(one, other, "K4" if loose else "", prover)
    if isinstance(found, Comparison):
        if found.relation == "rearranged":
            return found
        found = None
    if one.increments != other.increments:
        return None
    if loose:
        return up_to_units(one, other, "K4", found)
    letter = _factor_of_one(one, other)
    if letter:
        return Comparison("variant", "", False, Message("note.set_one", letter=letter))
    return None


def _factor_of_one(one: Side, other: Side) -> str:
    """Return the letter that only one of them has and without which K4 compares equal."""
    extra = one.own ^ other.own
    if len(extra) != 1:
        return ""
    (letter,) = extra
    texts = [loosely([substituted(node, {letter: "#1"}) for node in each.nodes]) for each in (one, other)]
    return letter if texts[0] == texts[1] is not None else ""


def by_shipped_rules(one: Side, other: Side) -> Comparison | None:
    """Coulomb's constant and h: only where exact algebra agrees with them put in."""
    if _TELLING.isdisjoint(one.form.formula.tokens) and _TELLING.isdisjoint(other.form.formula.tokens):
        return None
    rules = shipped(one.letters, other.letters)
    if not rules or not same_order(one, other):
        return None
    for used, form in _ways(one, rules):
        for too, counter in _ways(other, rules):
            if (used or too) and exactly(form.spelt) == exactly(counter.spelt) is not None:
                return Comparison("rearranged", "", True, Message("note.put_in", rules=_named((*used, *too))))
    return None
