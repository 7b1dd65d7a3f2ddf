"""Where two formulas meet beyond their keys: without scripts, by exact algebra, at sampled solutions."""

from __future__ import annotations

from bot.formula.equivalence.analysed import Side, exactly, variables
from bot.formula.equivalence.comparison import Comparison, ProofSearch
from bot.formula.equivalence.order import compatible
from bot.formula.numeric.sampling import Verdict, relate
from bot.formula.tex.tree import NORMAL_SHAPES, Node, children
from bot.messages import Message

MIN_LEAVES = 3  # a shorter equation holds at sampled points by chance, or says nothing
_ONE_WAY = Message("note.one_way")


def same_order(one: Side, other: Side) -> bool:
    """Tell whether vectors and operators are multiplied alike."""
    return compatible(one.products, other.products)


def bare(one: Side, other: Side, renamed: bool) -> Comparison:
    """Compare two formulas that are equal at K3: what was dropped must not have told anything apart."""
    if not same_order(one, other):
        return Comparison("variant", "K3", False, Message("note.order"))
    # with the same scripted letters, what differs is where they stand: T_c/T_h is not T_h/T_c
    told = one.variables != other.variables
    sure = one.plain == other.plain or (told and (renamed or _labels_agree(one, other)))
    if sure and not renamed and one.arguments and other.arguments and one.arguments != other.arguments:
        sure = False  # f(x) = x + a is not f(y) = x + a
    if sure:
        return Comparison("notation", "K3", True, Message("note.scripts"))
    return Comparison("variant", "K3", False, Message("note.scripts_join"), loose=True)


def _labels_agree(one: Side, other: Side) -> bool:
    """No two variables of one formula fall together when the scripts go, unless they do so in both."""
    mine, yours = len(one.variables), len(other.variables)
    return mine == yours or (mine == len(variables(one.form.bare)) and yours == len(variables(other.form.bare)))


def solved(one: Side, other: Side, level: str, prover: ProofSearch | None) -> Comparison | Verdict | None:
    """Compare by exact algebra and at sampled solutions; where these do not join the two, return what sampling says."""
    mine, yours = one.spelt, other.spelt
    texts = one.exact, other.exact
    if "d" in one.increments ^ other.increments and not (one.partial or other.partial):
        # differentials here and perhaps a derivative there
        mine, yours = one.quotients, other.quotients
        texts = exactly(mine), exactly(yours)
    if len(mine) != len(yours) or not (one.states and other.states):
        return None
    if texts[0] == texts[1] is not None:
        return _algebraic(mine, yours, level)
    if one.letters != other.letters or min(one.keys.leaves, other.keys.leaves) < MIN_LEAVES:
        return None
    verdict = relate(mine, yours)
    if verdict.word == "same":
        return Comparison("rearranged", level, True, _said(verdict, mine, yours, prover))
    if verdict.word in ("implies", "implied"):
        return Comparison("variant", level, False, _ONE_WAY)
    return verdict


def _algebraic(one: list[Node], other: list[Node], level: str) -> Comparison:
    """x = y and x² = y² are one to algebra: where squares or roots may have gone, solutions decide."""
    if not any([_even(node) for node in one + other]):
        return Comparison("rearranged", level, True, Message("note.algebra"))
    verdict = relate(one, other)
    if verdict.word in ("same", "unknown"):
        message = Message("note.algebra_principal" if verdict.principal else "note.algebra")
        return Comparison("rearranged", level, True, message)
    return Comparison("variant", level, False, _ONE_WAY if verdict.word != "unlike" else Message("note.root_signs"))


def _even(node: Node) -> bool:
    """Is there an even power, or a root?"""
    if node.__class__ is str:
        return False
    if node[0] == "s" and node[3]:
        power = node[3]
        if power.__class__ is str:
            return power[:1] == "#" and power[-1:] in "02468"
        if power[0] == "*" and len(power[2]) == 1:
            return True
    return any([_even(child) for child in children(node, NORMAL_SHAPES)])


def _said(verdict: Verdict, one: list[Node], other: list[Node], prover: ProofSearch | None) -> Message:
    principal = "_principal" if verdict.principal else ""
    if prover is not None and prover.proves(one, other):
        return Message(f"note.proved{principal}")
    return Message(f"note.sampled{principal}", n=verdict.points)
