"""Whether a formula holds in a special case of what the item means: by a more general formula of the item, by a narrower name, by a condition in the text.

The general formula is the item's own, another candidate's, or one of the built-in list. F s is the case of ∫ F ds where F is constant, v̄ = Δx/Δt the
mean of dx/dt, and p₁ + ρgh₁ = p₂ + ρgh₂ Bernoulli's equation without the term of the speed.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache, partial
from typing import NamedTuple

from bot.discover.label_scope import GENERAL, NARROW, SAME
from bot.errors import FormulaError
from bot.formula.features.annotations import strip_annotations
from bot.formula.keys.polynomial import CONSTANT_MARK
from bot.formula.normal.arithmetic import plus, times
from bot.formula.normal.bound_variables import rename_leaves
from bot.formula.normal.render import render
from bot.formula.tex import nodes
from bot.formula.tex.nodes import EMPTY, NormalNode
from bot.formula.tex.tree import map_children
from bot.match.features.agreement import equivalent
from bot.match.features.candidate_pair import AUTHOR, SECTION, CandidatePair, Features
from bot.match.features.canonical_definition import letters_of, listed_forms
from bot.match.features.existing_claims import formulas_of
from bot.match.features.weak_equivalence import BareEquation, same_equation
from bot.match.retrieval.index.listed_results import kept_for_list
from bot.messages import Message
from bot.records import Evidence

TERMS = 6  # of a sum: of longer ones no term is left out
VACUUM = {CONSTANT_MARK + "μ_0": "μ", CONSTANT_MARK + "ε_0": "ε"}
_LOOSE = ("dimension", "vacuum")  # cases that count as one formula where the name is one
_FUNCTIONS = frozenset(["%cos", "%sin", "%tan"])
_AXIS, _TIME = "x", "t"
_CALLING = (AUTHOR, "left side", "sentence", SECTION)  # a sentence may be about something narrower than its formula
_IDEAL = (
    r"(?:vacuum|free space|ideal|uniform\w*|homogeneous|isotropic|isolated|static|steady|stationary|constant|fixed|point|spherical\w*|cylindrical|circular|"
    r"inclined|horizontal|incompressible|inviscid|reversible|isothermal|adiabatic|non-?relativistic|one-dimensional|two-dimensional|one dimension|two dimensions|"
    r"special case|particular case|small|weak|dilute|monatomic|symmetric\w*)"
)
# A clause that begins with the case in which what follows holds: “In a vacuum, …”, “For a homogeneous medium, …”.
_CONDITION = re.compile(
    rf"(?:^|[.;:•|]\s+)(?:(?:and|but|so|then|however,?) )?(?P<case>(?:in|for|at|under|with|if|when|near) (?:(?!⟦)\S+ ){{0,4}}?{_IDEAL}\b[^.;,⟦]*)[,⟦][^.;⟦]*$"
)


@lru_cache(maxsize=8192)
def special_case_reason(tex: str, general: str) -> Message | None:
    """Return how a formula is a special case of another one, None if it is not a known kind."""
    try:
        one, other = _special(tex), _general(general)
        for code, left, right in _case_pairs(one, other) if one and other else ():
            if same_equation(left, right):
                loosely = code in _LOOSE or equivalent(*sorted((tex, general))) is None
                return Message(f"special.{code}") if loosely else None
    except (FormulaError, RecursionError):
        return None
    return None


class _Special(NamedTuple):
    """An equation as a special case of another: as it is, as a mean without its marks, and with ε and μ for ε₀ and μ₀; None where that changes nothing."""

    plain: BareEquation
    mean: BareEquation | None
    filled: BareEquation | None


class _General(NamedTuple):
    """An equation as the general one of another: as it is, its special cases, and its derivatives as quotients."""

    plain: BareEquation
    cases: tuple[tuple[str, BareEquation], ...]
    quotient: BareEquation | None


@lru_cache(maxsize=4096)
def _special(tex: str) -> _Special | None:
    if (node := _single(tex)) is None:
        return None
    mean, filled = _without_marks(node), rename_leaves(node, VACUUM)
    return _Special(
        BareEquation.of(node),
        BareEquation.of(mean) if mean != node else None,
        BareEquation.of(filled) if filled != node else None,
    )


@kept_for_list(maxsize=4096)
def _general(tex: str) -> _General | None:
    if (node := _single(tex)) is None:
        return None
    quotient = _quotients(node)
    cases = tuple((code, BareEquation.of(case)) for code, case in _cases(node))
    return _General(BareEquation.of(node), cases, BareEquation.of(quotient) if quotient != node else None)


def _single(tex: str) -> nodes.Relation[NormalNode] | None:
    """Return the one equation of a formula."""
    found = strip_annotations(tex)
    return found[0] if len(found) == 1 and found[0].__class__ is nodes.Relation else None


def _case_pairs(special: _Special, general: _General) -> Iterator[tuple[str, BareEquation, BareEquation]]:
    """Yield what makes the one formula a case of the other, with both as they are then to be compared."""
    for code, case in general.cases:
        yield code, special.plain, case
    if special.mean and general.quotient:
        yield "mean", special.mean, general.quotient
    if special.filled:
        yield "vacuum", special.filled, general.plain


def _cases(node: nodes.Relation[NormalNode]) -> Iterator[tuple[str, NormalNode]]:
    """Yield the special cases of an equation."""
    for code, change in (
        ("constant", _integrals),
        # s/t is ds/dt at a constant rate. m/V and F/A are not looked at: textbooks define densities so.
        ("constant", partial(_quotients, by=_TIME)),
        ("direction", _products),
        ("direction", _angles),
        ("dimension", _one_dimension),
    ):
        changed = change(node)
        if changed != node:
            yield code, changed
            if code == "direction" or change is _integrals:
                both = _angles(_products(changed))
                if both != changed:
                    yield code, both
    for kind in dict.fromkeys(_bare(term) for side in node.sides for term in _terms(side)):
        sides = tuple(_without(side, kind) for side in node.sides)
        if EMPTY not in sides and sides != node.sides:
            yield "term", nodes.Relation(node.signs, sides)


def _integrals(node: NormalNode) -> NormalNode:
    """∫ f dx is f x where f does not change."""
    if node.__class__ is nodes.Applied and _big(node.head) in ("∫", "∮"):
        numerator, denominator = (
            (node.body.numerator, node.body.denominator) if node.body.__class__ is nodes.Product else ((node.body,), ())
        )
        return times(
            [part.variable if part.__class__ is nodes.Differential else _integrals(part) for part in numerator],
            denominator,
        )
    return map_children(node, _integrals)


def _quotients(node: NormalNode, by: str = "") -> NormalNode:
    """dy/dx as y/x: the mean, or the value where y grows evenly; with `by` only derivatives by this variable."""
    if node.__class__ is nodes.Derivative and len(node.variables) == 1:
        ((variable, order),) = node.variables
        if order == "1" and by in ("", variable):
            return times([_quotients(node.body, by)], [variable])
    return map_children(node, partial(_quotients, by=by))


def _products(node: NormalNode) -> NormalNode:
    """a × b has the size a b where both are perpendicular."""
    if node.__class__ is nodes.Infix and set(node.signs) == {"×"}:
        return times([_products(part) for part in node.operands])
    return map_children(node, _products)


def _angles(node: NormalNode) -> NormalNode:
    """A factor cos θ or sin θ is 1 in one direction."""
    if node.__class__ is nodes.Product:
        numerator = [
            part for part in node.numerator if part.__class__ is not nodes.Applied or part.head not in _FUNCTIONS
        ]
        if numerator and len(numerator) < len(node.numerator):
            return times([_angles(part) for part in numerator], [_angles(part) for part in node.denominator])
    return map_children(node, _angles)


def _one_dimension(node: NormalNode) -> NormalNode:
    """∇²u is ∂²u/∂x² along one axis."""
    if node.__class__ is nodes.Applied and node.head == "∇²":
        return nodes.Derivative("", ((_AXIS, "2"),), node.body)
    return map_children(node, _one_dimension)


def _without_marks(node: NormalNode) -> NormalNode:
    """Δx/Δt and v̄ without what marks differences and means."""
    if node.__class__ is nodes.Accented and node.name in ("bar", "overline"):
        return _without_marks(node.body)
    if node.__class__ is nodes.Product:
        numerator, denominator = (
            [_without_marks(part) for part in parts if part != "Δ"] for parts in (node.numerator, node.denominator)
        )
        return times(numerator, denominator)
    return map_children(node, _without_marks)


def _terms(side: NormalNode) -> Sequence[NormalNode]:
    return side.terms if side.__class__ is nodes.Sum and len(side.terms) <= TERMS else ()


def _without(side: NormalNode, kind: str) -> NormalNode:
    terms = _terms(side)
    remaining = [term for term in terms if _bare(term) != kind]
    if not terms:
        return side
    return plus(remaining) if remaining else EMPTY


def _bare(term: NormalNode) -> str:
    """A term without sign and labels, so that it is found on both sides."""
    body = term.body if term.__class__ is nodes.Signed else term
    return re.sub(r"_[^ ,)\]]*", "", render(body))


def _big(node: NormalNode) -> str:
    base = node.base if node.__class__ is nodes.Scripts else node
    return base.sign if base.__class__ is nodes.Big else ""


def special_case(pair: CandidatePair, others: Sequence[str]) -> Evidence | None:
    """A more general formula of the item is known: one that stands on it, one of `others`, or one that the built-in list has before this one."""
    listed = listed_forms(pair)
    tex, letters = pair.view.concept.tex, pair.view.letters
    for general in (*formulas_of(pair), *listed, *others):
        # At least half of the letters stand for the same in both, as in every weak equivalence.
        if 2 * len(letters & letters_of(general)) < len(letters) or not (reason := special_case_reason(tex, general)):
            continue
        # What the built-in list has first defines the item, whatever is wider.
        before = listed[: listed.index(general)] if general in listed else listed[:1]
        if not any(equivalent(*sorted((tex, each))) for each in before):
            return Evidence.of("special_case.of", 1.0, how=reason, tex=general)
    return None


def narrower_given(pair: CandidatePair) -> Evidence | None:
    """The author gives it a narrower name than the item's: the period of a simple pendulum."""
    found = [scopes[AUTHOR][NARROW] for scopes in pair.scopes if _narrower_name_evidence(scopes, AUTHOR)]
    return Evidence.of("narrower_given.called", 1.0, name=found[0]) if found else None


def narrower_name(pair: CandidatePair) -> Evidence | None:
    """The formula, or the section that it stands in, is called something narrower than the item: an average velocity, a standard normal distribution."""
    found = [
        next(((by, scopes[by][NARROW]) for by in _CALLING if _narrower_name_evidence(scopes, by)), None)
        for scopes in pair.scopes
    ]
    if not any(found):
        return None
    by, name = next(each for each in found if each)
    code = "heading" if by == SECTION else "called"
    return Evidence.of(f"narrower_name.{code}", sum(map(bool, found)) / len(found), name=name)


def _narrower_name_evidence(scopes: Mapping[str, Mapping[str, str]], by: str) -> bool:
    return NARROW in scopes.get(by, ()) and SAME not in scopes[by]


def general_name(pair: CandidatePair) -> Evidence | None:
    """It is named as the item in some form, or as that of anything whatever: the torque vector, the density of a substance."""
    found = [names[GENERAL] for scopes in pair.scopes for names in scopes.values() if GENERAL in names]
    return Evidence.of("general_name.called", 1.0, name=found[0]) if found else None


def condition_said(pair: CandidatePair) -> Evidence | None:
    """The clause before the formula says in which case it holds, at half of its places or more."""
    shown = [one for one in pair.view.occurrences if one.mask in one.text]
    cases = [found["case"] for one in shown if (found := _CONDITION.search(one.text[: one.text.find(one.mask)]))]
    cases = [
        case
        for case in cases
        if not any(word in label.split() for label in pair.labels for word in case.split()[1:] if len(word) > 3)
    ]
    if not cases or 2 * len(cases) < len(shown):
        return None
    return Evidence.of("condition_said.case", len(cases) / len(shown), case=cases[0])


SPECIAL_CASE_FEATURES: Features = (narrower_given, narrower_name, general_name, condition_said)
