"""Whether two formulas state one concept, for an item whose name has been found: chains are read link by link.

What the comparison of bot.formula is sure of counts at every link. A short formula in other dress or with other letters is
the same only with a second sign, and the name is one.
"""

from collections.abc import Iterator
from functools import lru_cache

from bot.formula import Comparison, clean, compare
from bot.formula.alignment.compare import compare_as_same, compare_as_variant
from bot.formula.features.sides import chain_equalities
from bot.match.features.weak_equivalence import compared_formula, weakly_equivalent
from bot.match.retrieval.index.listed_results import keep_results_for_links

DERIVED = 4  # times as long as one of its links, a chain is a derivation or an example: only what is sure counts in it


compare_formulas = lru_cache(maxsize=8192)(compare)
variant = lru_cache(maxsize=8192)(compare_as_variant)


@lru_cache(maxsize=8192)  # the formulas of one concept's items, asked for by several judges
def equivalent(a: str, b: str) -> Comparison | None:
    """Return the comparison by which two formulas of one name are one concept, or None.

    Whole against whole first; then any equality of a chain; then the right side where one of them is not an equation.
    """
    ways = list(_compared_variants(a, b))
    least = compared_formula(a).leaves / DERIVED, compared_formula(b).leaves / DERIVED
    near: list[tuple[str, str]] = []
    for left, right in ways:
        one, other = compared_formula(left), compared_formula(right)
        if least[0] <= one.leaves and least[1] <= other.leaves:
            near.append((left, right))
        if one.digests.may_meet(other.digests) and (found := compare_as_same(left, right)):
            return found
    return next((found for left, right in near if (found := weakly_equivalent(left, right))), None)


@lru_cache(maxsize=32768)
def _stated_forms(tex: str) -> str:
    return "".join(clean(tex).split())


def _compared_variants(a: str, b: str) -> Iterator[tuple[str, str]]:
    yield a, b
    links_a, links_b = chain_equalities(a), chain_equalities(b)
    keep_results_for_links(a, links_a)
    keep_results_for_links(b, links_b)
    whole = _stated_forms(a), _stated_forms(b)  # of two single equations all that the one link of each says
    yield from ((x, y) for x in links_a for y in links_b if (_stated_forms(x), _stated_forms(y)) != whole)
    if bool(links_a) != bool(links_b):
        chain, single = (links_a, b) if links_a else (links_b, a)
        yield from ((side.partition("=")[2], single) for side in chain)
