"""Two formulas that say one thing in unlike forms, where mathematics is certain of it, and two that only look so.

Both are brought into one form: integrals over any domain and components as vectors, indices as vectors, a written sum beside its ∑, units in which constants are
one; or the one solves the other. What then is equal is the same; what then differs decisively is not.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from bot.errors import FormulaError
from bot.formula.alignment.differences import decisive
from bot.formula.alignment.solutions import solves
from bot.formula.alignment.vector_forms import has_dots, has_vectors, vector_form, without_indices
from bot.formula.alignment.written_sums import follows_convention, with_convention, without_sums
from bot.formula.equivalence.analysed import AnalysedFormula, analysed, analysis
from bot.formula.equivalence.comparison import Comparison
from bot.formula.equivalence.order import compatible
from bot.formula.normal.arithmetic import minus, plus, times
from bot.formula.normal.bound_variables import unified
from bot.formula.normal.render import render
from bot.formula.normal.scripts import bared
from bot.formula.normal.stages import Forms
from bot.formula.tex import nodes
from bot.formula.tex.nodes import EMPTY, NormalNode
from bot.formula.tex.tree import leaves, rebuilt, walk
from bot.messages import Message

MOST_LEAVES = 200  # a bound for hostile input: the longest pair that is joined has 40
MIN_LEAVES = 4  # of a formula that is the same in other units, as for units that factor out
# What is set to one in natural units: its letter, and its label.
_UNITS = {"c": "c", "ħ": "ħ", "G": "G", "k_B": "k_B", "k_%B": "k_B"}
_One = tuple[str, list[NormalNode], list[NormalNode]]  # code of the message, both formulas in one form


def in_one_form(a: str, b: str) -> Comparison | None:
    """Return how two formulas that do not meet as they are written meet in one form; None where no form is common to both."""
    try:
        one, other = analysed(a), analysed(b)
        if len(one.nodes) != 1 or len(other.nodes) != 1 or not (one.keys.equation and other.keys.equation):
            return None
        if max(one.keys.leaves, other.keys.leaves) > MOST_LEAVES:
            return None
        answer = _solution(one, other, b)
        for code, mine, yours in _forms(one, other) if answer is None else ():
            first, second = (_made(each, trees) for each, trees in ((one, mine), (other, yours)))
            if _equal(first, second):
                return None if code == "note.rates" else Comparison("rearranged", "", True, Message(code))
            differs = decisive(first.form, second.form, b)
            if differs and answer is None:
                answer = _different(Message(code), differs)
        return answer
    except (FormulaError, RecursionError):
        return None


def _different(form: Message, differs: Message) -> Comparison:
    return Comparison("different", "", False, Message("note.not_in_form", form=form, differs=differs), differs)


def _solution(one: AnalysedFormula, other: AnalysedFormula, known: str) -> Comparison | None:
    for equation, solution in ((one, other), (other, one)):
        answer = (
            solves(equation.spelt[0], solution.spelt[0]) if len(equation.spelt) == len(solution.spelt) == 1 else None
        )
        if answer:
            return Comparison("rearranged", "", True, Message("note.solution"))
        if answer is False:
            return _different(Message("note.solution"), Message("differs.solution", tex=known))
    return None


def _forms(one: AnalysedFormula, other: AnalysedFormula) -> Iterator[_One]:
    """Yield both formulas in each form that changes one of them."""
    mine, yours = one.form.named, other.form.named
    dots = has_dots(mine + yours)
    left, right = ([vector_form(node, dots) for node in trees] for trees in (mine, yours))
    if (left, right) != (mine, yours):
        yield "note.vector_form", left, right
    if has_vectors(left) != has_vectors(right):
        turned = [_indexless(trees) if not has_vectors(trees) else trees for trees in (left, right)]
        if turned[0] and turned[1] and turned != [left, right]:
            yield "note.index_form", turned[0], turned[1]
    sums = without_sums(one.nodes[0], other.nodes[0])
    if sums:
        yield "note.series", [sums[0]], [sums[1]]
    plain = [list(map(with_convention, trees)) for trees in (mine, yours)]
    changed = plain[0] != mine, plain[1] != yours
    if changed[0] != changed[1] and follows_convention(yours if changed[0] else mine):
        yield "note.summation", plain[0], plain[1]
    if _has_box(mine) != _has_box(yours):
        with_c = any("c" in leaves(node) for node in mine + yours)
        for sign in (1, -1):
            left, right = ([_without_box(node, sign, with_c) for node in trees] for trees in plain)
            yield "note.box", left, right
    if any(map(_has_rate, mine)) != any(map(_has_rate, yours)):
        left, right = (list(map(_differences, trees)) for trees in (mine, yours))
        if (left, right) != (mine, yours):
            yield "note.rates", left, right
    units = _units(mine), _units(yours)
    if min(one.keys.leaves, other.keys.leaves) >= MIN_LEAVES and (units[0] < units[1] or units[1] < units[0]):
        moved = units[0] ^ units[1]
        if not units[0] & units[1]:
            yield "note.natural_units", [_set_to_one(node, moved) for node in mine], [_set_to_one(node, moved) for node in yours]  # fmt: skip


def _indexless(trees: Sequence[NormalNode]) -> list[NormalNode]:
    found = [without_indices(node) for node in trees]
    return [node for node in found if node is not None] if None not in found else []


def _made(known: AnalysedFormula, trees: list[NormalNode]) -> AnalysedFormula:
    noted = unified(trees)
    bare = bared(noted, "_" in known.form.formula.tokens)
    form: Forms = replace(known.form, strict=(noted, []), noted=(noted, []), named=trees, bare=bare)
    return analysis(form, known.keys)


def _equal(one: AnalysedFormula, other: AnalysedFormula) -> bool:
    if not compatible(one.products, other.products):
        return False
    if sorted(map(render, one.form.bare)) == sorted(map(render, other.form.bare)):
        return True
    return one.exact == other.exact is not None and one.increments == other.increments


# -- rates: a mean is no rate, but what differs even then is neither ---------------------------------------------------------
def _has_rate(node: NormalNode) -> bool:
    trees: Iterator[NormalNode] = walk([node])
    return any(part.__class__ is nodes.Derivative for part in trees)


def _differences(node: NormalNode) -> NormalNode:
    """dv/dt as Δv/Δt."""
    if node.__class__ is nodes.Derivative and node.style == "" and len(node.variables) == 1:
        (variable, order), body = node.variables[0], node.body
        if order == "1" and body.__class__ is str and body != EMPTY:
            return nodes.Product(("Δ", body), ("Δ", variable))
    if node.__class__ is nodes.Product:
        return times(map(_differences, node.above), list(map(_differences, node.below)))
    return node if node.__class__ is str else rebuilt(node, _differences)


# -- the wave operator -----------------------------------------------------------------------------------------------------
def _has_box(trees: Sequence[NormalNode]) -> bool:
    return any(node.__class__ is nodes.Applied and node.head == "□" for node in walk(trees))


def _without_box(node: NormalNode, sign: int, with_c: bool) -> NormalNode:
    """□f written out, ±(∂²f/∂t²/c² − ∇²f): which of the two it is depends on the signature of the metric, and texts seldom say it."""
    if node.__class__ is str:
        return node
    found = rebuilt(node, lambda child: _without_box(child, sign, with_c))
    if found.__class__ is not nodes.Applied or found.head != "□":
        return found
    time: NormalNode = nodes.Derivative("", (("t", "2"),), found.body)
    if with_c:
        time = nodes.Product((time,), (nodes.Scripts("c", EMPTY, "#2"),))
    space: NormalNode = nodes.Applied("∇²", found.body)
    return plus([time, minus(space)] if sign > 0 else [space, minus(time)])


# -- units --------------------------------------------------------------------------------------------------------------
def _unit(node: NormalNode) -> str:
    """The constant that a node is: a letter, or k_B."""
    if node.__class__ is nodes.Scripts:
        return _UNITS.get(f"{node.base}_{node.low}", "") if node.low.__class__ is node.base.__class__ is str else ""
    return _UNITS.get(node, "") if node.__class__ is str else ""


def _units(trees: Sequence[NormalNode]) -> frozenset[str]:
    return frozenset(filter(None, map(_unit, walk(trees))))


def _set_to_one(node: NormalNode, constants: frozenset[str]) -> NormalNode:
    if node.__class__ is nodes.Scripts and _unit(node) in constants and _unit(node):
        return "#1"
    if node.__class__ is str:
        return "#1" if _unit(node) in constants else node
    found = rebuilt(node, lambda child: _set_to_one(child, constants))
    if found.__class__ is nodes.Scripts and found.base == "#1" and found.low == EMPTY:
        return "#1"
    if found.__class__ is nodes.Product:
        return times(found.above, found.below)
    if found.__class__ is nodes.Sum:
        return plus(found.terms)
    return minus(found.body) if found.__class__ is nodes.Signed and found.sign == "-" else found
