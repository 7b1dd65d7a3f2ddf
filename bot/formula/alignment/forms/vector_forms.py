"""One equation in other notations, brought into one: integral theorems, components along x, y, z, and indices become ∇, div, curl and vectors.

∮ E·dA = ∫ ρ dV is div E = ρ by Gauss's theorem, ∮ E·dl = ∫ B·dA is curl E = B by Stokes's. Only what holds for every domain is rewritten: a charge Q is no
integral of ρ here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import lru_cache

from bot.formula.normal.arithmetic import minus, plus, square, times
from bot.formula.normal.operators import as_bold
from bot.formula.normal.render import render
from bot.formula.tex import nodes
from bot.formula.tex.nodes import EMPTY, NormalNode
from bot.formula.tex.tree import base_of, children, find_all, fraction_of, map_children, signed_body, terms_of, walk

AXES = ("x", "y", "z")
_SURFACE = frozenset(["b.A", "b.S", "b.a", "b.Σ", "b.σ"])
_AREA = frozenset(["A", "S", "a", "Σ", "σ"])
_LINE = frozenset(["b.l", "b.ℓ", "b.r", "b.x", "b.s"])
_VOLUME = frozenset(["V", "τ", "Ω"])
_CLOSED, _OPEN = frozenset("∮∯"), frozenset("∫∬∭")
INDICES = frozenset("ijklmn")
_EVEN = frozenset(["012", "120", "201"])

Density = tuple[str, NormalNode]  # the domain of integration ("V", "S", "" for none), and the integrand


class _NotVectorForm(Exception):
    """The equation has no vector form."""


def vector_form(node: NormalNode, dots: bool = False) -> NormalNode:
    """Return an equation with integrals over every volume or surface, and with components, as a differential equation of vectors.

    With `dots` also ∑ a_i b_i is a·b: where no vectors are multiplied, i may count particles.
    """
    with suppress(_NotVectorForm):
        node = _differential_form(node)
    node = _components(_differentiated(_over_surfaces(node)))
    return _with_dot_products(node) if dots else node


def has_dots(trees: Sequence[NormalNode]) -> bool:
    """Tell whether the trees have a dot product of vectors."""
    return any(node.signs == ("·",) for node in find_all(nodes.Infix, *trees))


# -- integral theorems --------------------------------------------------------------------------------------------------
def _differential_form(node: NormalNode) -> NormalNode:
    if node.__class__ is not nodes.Relation or node.signs != ("=",):
        raise _NotVectorForm
    (one, left), (other, right) = map(_density, node.sides)
    if not one + other or (one and other and one != other):
        raise _NotVectorForm
    return nodes.Relation(node.signs, (left, right))


def _density(node: NormalNode) -> Density:
    """Return what a side integrates, and over what; _NotVectorForm if it is not an integral."""
    match node:
        case "#0":
            return "", node
        case nodes.Signed("-", body):
            over, inner = _density(body)
            return over, minus(inner)
        case nodes.Sum(terms):
            found = list(map(_density, terms))
            if len({over for over, _ in found}) != 1:
                raise _NotVectorForm
            return found[0][0], plus([inner for _, inner in found])
        case nodes.Product(numerator, denominator):
            integrals = [part for part in numerator if _integral_sign(part)]
            if len(integrals) != 1:
                raise _NotVectorForm
            over, inner = _density(integrals[0])
            return over, times([inner if part is integrals[0] else part for part in numerator], denominator)
        case nodes.Derivative("", (("t", _),), body):
            over, inner = _density(body)
            return over, nodes.Derivative("", node.variables, inner)
        case nodes.Applied(_, body) if _integral_sign(node):
            return _integrated(_integral_sign(node), body)
    raise _NotVectorForm


def _integral_sign(node: NormalNode) -> str:
    head = node.head if node.__class__ is nodes.Applied else EMPTY
    base = base_of(head, nodes.Scripts)
    if head.__class__ is nodes.Scripts and head.high != EMPTY:
        return ""  # an integral between limits has no domain
    return base.sign if base.__class__ is nodes.Big and base.sign in _CLOSED | _OPEN else ""


def _integrated(sign: str, body: NormalNode) -> Density:
    closed = sign in _CLOSED
    if (flowing := _flowing(body)) != EMPTY:
        return ("V", nodes.Applied("div", flowing)) if closed else ("S", flowing)
    if body.__class__ is nodes.Infix and body.signs == ("·",):
        field, element = body.operands
        if closed and element.__class__ is nodes.Differential and element.variable in _LINE:
            return "S", nodes.Applied("curl", field)
    elif not closed and (found := _integrand(body)) and (found[0].variable in _VOLUME or found[0].order == "3"):
        return "V", found[1]
    raise _NotVectorForm


def _integrand(body: NormalNode) -> tuple[nodes.Differential[NormalNode], NormalNode] | None:
    """Return the only element of integration of a product, and what else is integrated; None for anything else."""
    if body.__class__ is not nodes.Product:
        return None
    elements = [part for part in body.numerator if part.__class__ is nodes.Differential]
    rest = times([part for part in body.numerator if part.__class__ is not nodes.Differential], body.denominator)
    return (elements[0], rest) if len(elements) == 1 else None


def _flowing(body: NormalNode) -> NormalNode:
    """Return the field whose flux is integrated, F of F·dA and of (F·n) dA; empty for anything else."""
    match body:
        case nodes.Infix(("·",), (field, nodes.Differential() as element)) if element.variable in _SURFACE:
            return field
        case nodes.Product((nodes.Infix(("·",), (field, _)), nodes.Differential() as element), ()) if (
            element.variable in _AREA
        ):
            return field
    return EMPTY


def _over_surfaces(node: NormalNode) -> NormalNode:
    """∬_S B·n dS as ∫ B·dA: one element and one sign for a flux through any surface."""
    found = map_children(node, _over_surfaces)
    if found.__class__ is nodes.Applied and (sign := _integral_sign(found)) and (field := _flowing(found.body)) != EMPTY:  # fmt: skip
        flux = nodes.Infix(("·",), (field, nodes.Differential("d", "1", "b.A")))
        return nodes.Applied(nodes.Big("∮" if sign in _CLOSED else "∫"), flux)
    return found


def _differentiated(node: NormalNode) -> NormalNode:
    """x = ∫ v dt as dx/dt = v, and V = -∫ E·dl along a line as ∇V = -E."""
    if node.__class__ is nodes.Relation and node.signs == ("=",):
        for side, other in (node.sides, node.sides[::-1]):
            (negative, integral), quantity = signed_body(other), _changing(side)
            if quantity and integral.__class__ is nodes.Applied and (made := _slope(quantity, integral)):
                return nodes.Relation(("=",), (made[0], minus(made[1]) if negative else made[1]))
    return node


def _slope(quantity: NormalNode, integral: nodes.Applied[NormalNode]) -> tuple[NormalNode, NormalNode] | None:
    """Return the derivative or gradient of a quantity that is an integral, and what is integrated; None for one of another kind."""
    body = integral.body
    if integral.head == nodes.Big("∫") and (found := _integrand(body)) and found[0].order == "1":
        return nodes.Derivative("", ((found[0].variable, "1"),), quantity), found[1]
    if (
        base_of(integral.head, nodes.Scripts) == nodes.Big("∫")
        and body.__class__ is nodes.Infix
        and body.signs == ("·",)
    ):
        field, element = body.operands
        if element.__class__ is nodes.Differential and element.variable in _LINE:
            return nodes.Applied("∇", quantity), field
    return None


def _changing(side: NormalNode) -> NormalNode:
    """Return the quantity of which a side gives the value or a change: V for V_P, V(r), ΔV and V(b) - V(a); EMPTY for any other side."""
    match side:
        case str() if not side.startswith("#"):
            return side
        case nodes.Scripts(str(name), _, ""):
            return name
        case nodes.FunctionCall(str(name), "()"):
            return name
        case nodes.Product(("Δ", quantity), ()):
            return _changing(quantity)
        case nodes.Sum((last, nodes.Signed("-", first))) if str not in (last.__class__, first.__class__):
            return _changing(last) if _changing(last) == _changing(first) else EMPTY
    return EMPTY


# -- components ---------------------------------------------------------------------------------------------------------
def _components(node: NormalNode) -> NormalNode:
    found = map_children(node, _components)
    if found.__class__ is nodes.Sum:
        found = _with_curvilinear_laplacian(found)
    if found.__class__ is nodes.Sum:
        for take in (_second_derivative, _divergence, _component_product):
            found = _collect_components(found, take)
            if found.__class__ is not nodes.Sum:
                break
    return found


def _collect_components(
    node: nodes.Sum[NormalNode], take: Callable[[NormalNode], tuple[str, NormalNode] | None]
) -> NormalNode:
    """Replace the terms along x, y and perhaps z by one vector expression."""
    along: dict[NormalNode, dict[str, int]] = {}
    for position, term in enumerate(node.terms):
        part = take(term)
        if part is not None:
            along.setdefault(part[1], {})[part[0]] = position
    for vector_term, positions in along.items():
        if positions.keys() in ({"x", "y"}, {"x", "y", "z"}):
            terms = dict(enumerate(node.terms)) | dict.fromkeys(positions.values(), EMPTY)
            terms[min(positions.values())] = vector_term
            return plus([term for term in terms.values() if term != EMPTY])
    return node


def _with_dot_products(node: NormalNode) -> NormalNode:
    """∑_i a_i b_i as a·b."""
    match node:
        case nodes.Applied(
            nodes.Scripts(nodes.Big("∑"), nodes.Relation(_, (name, *_)) | name),
            nodes.Product((nodes.Scripts(one, low, ""), nodes.Scripts(other, other_low, "")), ()),
        ) if low == other_low == name:
            return nodes.Infix(("·",), (as_bold(one), as_bold(other)))
        case nodes.Applied():
            return node
    return map_children(node, _with_dot_products)


def _with_curvilinear_laplacian(node: nodes.Sum[NormalNode]) -> NormalNode:
    """Write the Laplacian in polar, cylindrical or spherical coordinates as ∇²."""
    texts = list(map(render, node.terms))
    functions = {part.body for part in find_all(nodes.Derivative, *node.terms) if part.body.__class__ is str}
    for function in functions - {EMPTY}:
        for written in _laplacians(str(function)):
            if all(text in texts for text in written):
                other_terms = [term for term, text in zip(node.terms, texts, strict=True) if text not in written]
                return plus([nodes.Applied("∇²", function), *other_terms])
    return node


@lru_cache(maxsize=256)
def _laplacians(function: str) -> tuple[tuple[str, ...], ...]:
    """Return the rendered terms of the Laplacian of a function in each coordinate system, those with most terms first."""

    def by(variable: str, body: NormalNode, order: str = "1") -> NormalNode:
        return nodes.Derivative("", ((variable, order),), body)

    found: list[list[NormalNode]] = []
    for r, angle, other in (("r", "θ", "φ"), ("r", "φ", "θ"), ("ρ", "φ", "θ"), ("ρ", "θ", "φ")):
        sine = nodes.Applied("%sin", angle)
        around = times([by(angle, function, "2")], [square(r)])
        radial = (
            [times([by(r, times([r, by(r, function)]))], [r])],
            [by(r, function, "2"), times([by(r, function)], [r])],
        )
        for first in radial:
            found += [[*first, around, by("z", function, "2")], [*first, around]]
        far = times([by(angle, times([sine, by(angle, function)]))], [square(r), sine])
        outward = times([by(r, times([square(r), by(r, function)]))], [square(r)])
        for squared_sine in (square(sine), nodes.Applied(square("%sin"), angle)):
            found.append([outward, far, times([by(other, function, "2")], [square(r), squared_sine])])
    found.sort(key=len, reverse=True)
    return tuple([tuple(map(render, terms)) for terms in found])


def _second_derivative(term: NormalNode) -> tuple[str, NormalNode] | None:
    """Return (axis, ∇²f) for ∂²f/∂x²."""
    match term:
        case nodes.Derivative("", ((str(axis), "2"),), body) if axis in AXES and body != EMPTY:
            return axis, nodes.Applied("∇²", body)
    return None


def _divergence(term: NormalNode) -> tuple[str, NormalNode] | None:
    """Return (axis, div u) for ∂u_x/∂x."""
    match term:
        case nodes.Derivative("", ((str(axis), "1"),), nodes.Scripts(base, low, "")) if axis in AXES and low == axis:
            return axis, nodes.Applied("div", as_bold(base))
    return None


def _component_product(term: NormalNode) -> tuple[str, NormalNode] | None:
    """Return (axis, a·b) for a_x b_x."""
    match term:
        case nodes.Product((nodes.Scripts(one, str(axis), ""), nodes.Scripts(other, low, "")), ()):
            return (axis, nodes.Infix(("·",), (as_bold(one), as_bold(other)))) if low == axis in AXES else None
    return None


# -- indices ------------------------------------------------------------------------------------------------------------
def without_indices(node: NormalNode) -> NormalNode | None:
    """Return an equation of tensors of rank one with its indices as one of vectors: F_i = m a_i as F = m a; None for any other."""
    if node.__class__ is not nodes.Relation:
        return None
    try:
        sides = [_vector_terms(side) for side in node.sides]
    except _NotVectorForm:
        return None
    free = {index for side in sides for index, _ in side if index is not None}
    if len(free) > 1:
        return None
    return nodes.Relation(node.signs, tuple([plus([term for _, term in side]) for side in sides]))


def has_vectors(trees: Sequence[NormalNode]) -> bool:
    """Tell whether the trees have vectors or vector operators."""
    return any(node.__class__ is str and (node[:2] == "b." or node in ("div", "curl", "∇")) for node in walk(trees))


def _vector_terms(side: NormalNode) -> list[tuple[str | None, NormalNode]]:
    return [(None, term) if term == "#0" else _vector_term(term) for term in terms_of(side)]


def _vector_term(term: NormalNode) -> tuple[str, NormalNode]:
    """Return the free index of a term ("" for a scalar), and the term as a vector or scalar."""
    negative, body = signed_body(term)
    if negative:
        index, inner = _vector_term(body)
        return index, minus(inner)
    numerator, denominator = fraction_of(term)
    if any(map(_has_indices, denominator)):
        raise _NotVectorForm
    factors = list(numerator)
    counts = Counter(index for part in factors for index in _indices(part))
    free = [index for index, number in counts.items() if number == 1]
    if len(free) > 1 or any(number > 2 for number in counts.values()):
        raise _NotVectorForm
    vector_factors: list[NormalNode] = []
    epsilon = next((part for part in factors if _subscripts(part)[1:2] and part.base == "ε"), None)  # type: ignore[union-attr]
    if epsilon is not None:
        factors.remove(epsilon)
        vector_factors.append(_cross(epsilon, factors, free))
    while factors:
        part = factors.pop(0)
        own = list(_indices(part))
        if part.__class__ is nodes.Derivative:
            vector_factors.append(_as_vector_derivative(part))
        elif not own:
            vector_factors.append(part)
        elif len(own) == 1 and own[0] in free:
            vector_factors.append(as_bold(part.base))  # type: ignore[union-attr]
        elif len(own) == 1:
            partner = next((other for other in factors if _subscripts(other) == (own[0],)), None)
            if partner is None:
                raise _NotVectorForm
            factors.remove(partner)
            vector_factors.append(nodes.Infix(("·",), (as_bold(part.base), as_bold(partner.base))))  # type: ignore[union-attr]
        else:
            raise _NotVectorForm
    return (free[0] if free else ""), times(vector_factors, denominator)


def _cross(epsilon: NormalNode, factors: list[NormalNode], free: Sequence[str]) -> NormalNode:
    """ε_ijk a_j b_k is (a × b)_i, ε_ijk ∂_j v_k is (curl v)_i; the factors that were used are taken away."""
    names = _subscripts(epsilon)
    if len(names) != 3 or len(free) != 1 or free[0] not in names:
        raise _NotVectorForm
    for part in factors:
        if part.__class__ is nodes.Derivative and part.variables[0][0] in names and _subscripts(part.body):
            order = [free[0], str(part.variables[0][0]), _subscripts(part.body)[0]]
            if len(part.variables) == 1 and part.variables[0][1] == "1" and sorted(order) == sorted(names):
                factors.remove(part)
                return _with_permutation_sign(names, order, nodes.Applied("curl", as_bold(part.body.base)))  # type: ignore[union-attr]
    pair = [part for part in factors if len(_subscripts(part)) == 1 and _subscripts(part)[0] in names]
    if len(pair) != 2 or sorted([free[0], *_subscripts(pair[0]), *_subscripts(pair[1])]) != sorted(names):
        raise _NotVectorForm
    for part in pair:
        factors.remove(part)
    product = nodes.Infix(("×",), (as_bold(pair[0].base), as_bold(pair[1].base)))  # type: ignore[union-attr]
    return _with_permutation_sign(names, [free[0], *_subscripts(pair[0]), *_subscripts(pair[1])], product)


def _with_permutation_sign(names: Sequence[str], order: Sequence[str], product: NormalNode) -> NormalNode:
    permutation = "".join(str(names.index(name)) for name in order)
    return product if permutation in _EVEN else minus(product)


def _as_vector_derivative(node: nodes.Derivative[NormalNode]) -> NormalNode:
    """∂_i φ is ∇φ, ∂_i (ρ v_i) is div (ρ v)."""
    marks = [variable for variable, _ in node.variables if variable.__class__ is str and variable in INDICES]
    if not marks:
        inner = _vector_term(node.body)[1] if _has_indices(node.body) else node.body
        return nodes.Derivative(node.style, node.variables, inner)
    if len(node.variables) != 1 or node.variables[0][1] != "1":
        raise _NotVectorForm
    index, inner = _vector_term(node.body)
    if index not in ("", marks[0]):
        raise _NotVectorForm
    return nodes.Applied("div" if index else "∇", inner)


def _subscripts(node: NormalNode) -> tuple[str, ...]:
    """The indices below a letter."""
    if node.__class__ is not nodes.Scripts or node.high != EMPTY or node.base.__class__ is not str:
        return ()
    low = node.low.letters if node.low.__class__ is nodes.Letters else (node.low,)
    return tuple([str(name) for name in low]) if all(name in INDICES for name in low) else ()


def _indices(node: NormalNode) -> Iterator[str]:
    """Yield every index of a factor, as often as it occurs; _NotVectorForm for nodes that are not supported."""
    if node.__class__ is nodes.Derivative:
        yield from [str(name) for name, _ in node.variables if name.__class__ is str and name in INDICES]
        yield from _indices(node.body)
    elif node.__class__ is nodes.Product:
        for part in children(node):
            yield from _indices(part)
    elif found := _subscripts(node):
        yield from found
    elif _has_indices(node):
        raise _NotVectorForm


def _has_indices(node: NormalNode) -> bool:
    return any(map(_subscripts, find_all(nodes.Scripts, node)))
