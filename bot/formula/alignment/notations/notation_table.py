r"""What a part of a formula may be in another notation: \binom{n}{k} and C_n^k, ⊆ and ⊂, ⟨x, y⟩ and (x, y).

No notation here is read so by itself: a part is only taken for one that stands in the formula beside it, which does not have the part as it is
written (`rereading.py`).
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any

from bot.formula.normal.arithmetic import map_children_flat, times
from bot.formula.normal.commuting import is_capital, is_vector
from bot.formula.normal.stages import normal_forms
from bot.formula.tex import nodes
from bot.formula.tex.nodes import NormalNode

# One thing a line: its own notation, and those that have other meanings, too, which are not taken for each other. u, v and w are any parts, z is a letter, Q, R and X are capitals, bold letters vectors.
_TABLE = r"""
\binom{u}{v} | C_u^v | C(u,v) | C_{u,v}
C_u^v | C(u,v)
u^{\overline{v}} | (u)_v
{u\brace v} | S(u,v)
{u\brack v} | c(u,v)
\gcd(u,v) | (u,v)
\operatorname{lcm}(u,v) | [u,v]
\#u | |u|
\mathbf u\times\mathbf v | \mathbf u\wedge\mathbf v | [\mathbf u,\mathbf v]
\mathbf u\cdot(\mathbf v\times\mathbf w) | (\mathbf u,\mathbf v,\mathbf w) | [\mathbf u,\mathbf v,\mathbf w]
\{u,v\} | [u,v]_+
\{u,v\} | [u,v]_{\mathrm{PB}} | [u,v]_{\mathrm P}
P(u\mid v) | P_v(u)
\langle u\rangle | \overline{u}
\operatorname{Var}(u) | D(u) | V(u) | \sigma^2(u) | \sigma_u^2
\mathcal P(u) | 2^u
\operatorname{cl}(u) | \overline{u}
\max(u,v) | u\vee v
\min(u,v) | u\wedge v
\max(u,0) | \max(0,u) | u^+ | u_+
\max(0,u) | u^+ | u_+
u\in[v,w) | v\le u<w
u\in(v,w) | v<u<w
u\in[v,w] | v\le u\le w
u\in(v,w] | v<u\le w
u^\times | u^*
Q^\dagger | Q^* | Q^H
u^* | \overline{u}
Q^T | Q'
\mathbb F_u | \mathrm{GF}(u)
\mathbb Z/u\mathbb Z | \mathbb Z_u | \mathbb Z/(u)
[Q:R] | |Q:R| | (Q:R)
\operatorname{span}(u) | \langle u\rangle
\operatorname{span}\{u\} | \langle u\rangle
\hat u(v) | (\mathcal F u)(v) | \mathcal F[u](v)
(\mathcal F u)(v) | \mathcal F[u](v)
\operatorname{Res}_{z=v}u(z) | \operatorname{Res}(u,v)
\Gamma^u_{vw} | {u\brace v\,w} | \left\{{u\atop v\,w}\right\}
L^u(v) | L_u(v)
H^u | W^{u,2}
H_0^u | W_0^{u,2}
\angle QRX | \widehat{QRX}
|QR| | \overline{QR}
|u| | o(u) | \operatorname{ord}(u)
\operatorname{ord}(u) | o(u)
[u] | c_u
\mathbb N_0 | \mathbb Z_{\ge0}
\operatorname{id}_u | 1_u
\deg(u) | d(u)
\operatorname{plim}_{n\to\infty}u=v | u\xrightarrow{P}v | u\xrightarrow{p}v
\sum_{u}\sum_{v}w | \sum_{u,v}w
u\to v^+ | u\downarrow v | u\searrow v
u\to v^- | u\uparrow v | u\nearrow v
Q\succ0 | Q>0
Q\succeq0 | Q\ge0
u\oplus v | u\veebar v
u\setminus v | u-v
"""
_ANY, _LETTERS, _CAPITALS, _VECTORS = (
    frozenset("uvw"),
    frozenset("z"),
    frozenset("QRX"),
    frozenset(["b.u", "b.v", "b.w"]),
)
_Found = dict[NormalNode, NormalNode]


@cache
def _notations() -> dict[type, list[tuple[NormalNode, list[NormalNode]]]]:
    """Return by its kind of node each notation of the table, with what it may be instead: the first of its line, which may be any of the others."""
    found: dict[type, list[tuple[NormalNode, list[NormalNode]]]] = defaultdict(list)
    for line in filter(None, _TABLE.splitlines()):
        own, *others = (normal_forms(tex).normal_with_names[0] for tex in line.split(" | "))
        found[own.__class__].append((own, others))
        for other in others:
            found[other.__class__].append((other, [own]))
    return found


def from_table(node: NormalNode) -> Iterator[tuple[NormalNode, NormalNode]]:
    """Yield what a part may be by the table: the notation, and the part with it, which are two where some factors of a product are meant."""
    for notation, others in _notations().get(node.__class__, ()):
        if node.__class__ is nodes.Product and not notation.denominator:  # type: ignore[union-attr]
            yield from _among_factors(node, notation, others)
        elif (found := _match(notation, node, {})) is not None:
            yield from ((said, said) for said in (_filled(other, found) for other in others))


def _among_factors(
    node: nodes.Product[NormalNode], notation: NormalNode, others: Sequence[NormalNode]
) -> Iterator[tuple[NormalNode, NormalNode]]:
    factors, size = node.numerator, len(notation.numerator)  # type: ignore[union-attr]
    for at in range(len(factors) - size + 1):
        found = _match(notation, nodes.Product(factors[at : at + size], ()), {})
        for said in [_filled(other, found) for other in others] if found is not None else ():
            yield said, times([*factors[:at], said, *factors[at + size :]], node.denominator)


def _match(pattern: Any, node: Any, found: _Found) -> _Found | None:
    """Return what the letters of a pattern are in a part; None where it does not fit."""
    if pattern.__class__ is str:
        if not _may_be(pattern, node):
            return None
        return found if found.setdefault(pattern, node) == node else None
    if pattern.__class__ is not node.__class__ or len(pattern) != len(node):
        return None
    fits = all(_match(inner, part, found) is not None for inner, part in zip(pattern, node, strict=True))
    return found if fits else None


def _may_be(letter: str, node: NormalNode) -> bool:
    if letter in _ANY:
        return node != ""
    if letter in _CAPITALS:
        return is_capital(node)
    if letter in _VECTORS:
        return is_vector(node)
    return (node.__class__ is str and node.isalpha()) if letter in _LETTERS else letter == node


def _filled(pattern: NormalNode, found: _Found) -> NormalNode:
    if pattern.__class__ is str:
        return found.get(pattern, pattern)
    return map_children_flat(pattern, lambda part: _filled(part, found))
