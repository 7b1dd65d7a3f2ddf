"""One formula as comparison looks at it: what the kinds of equivalence ask for, made once and kept."""

from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

from bot.formula.equivalence.order import Products, products
from bot.formula.keys.algebra import exact_texts
from bot.formula.keys.alpha_equivalence import is_name, scripted_variables
from bot.formula.keys.expanded import expand_abbreviations, increments
from bot.formula.keys.levels import Keys, keys
from bot.formula.keys.shapes import shapes
from bot.formula.normal.scripts import without_needless_scripts
from bot.formula.normal.stages import NormalForms, normal_forms
from bot.formula.tex.nodes import EMPTY, NormalNode, Scripts, Sum
from bot.formula.tex.tree import find_all, leaves


@dataclass(frozen=True)
class AnalysedFormula:
    """A formula, perhaps after substitutions, prepared for comparison; `keys` are those of the formula as written."""

    form: NormalForms
    keys: Keys
    nodes: list[NormalNode]  # the equations in one notation
    increments: set[str]  # the letters after d, δ and Δ
    expanded: list[NormalNode]  # with sums and differentials expanded, without needless scripts
    exact: list[str] | None  # `expanded` in exact algebra, see `exact_texts`
    products: Products  # those that do not commute

    @cached_property
    def letters(self) -> frozenset[str]:
        """The letters of `expanded`, without e, which may be a number."""
        return frozenset([leaf for node in self.expanded for leaf in leaves(node) if is_name(leaf)]) - {"e"}

    @cached_property
    def variables(self) -> set[str]:
        """Letters with their scripts."""
        return scripted_variables(self.form.normal_with_names)

    @cached_property
    def distinct_variables(self) -> set[str]:
        """Letters with the scripts that distinguish variables."""
        return scripted_variables(self.expanded)

    @cached_property
    def number_of_indexed_letters(self) -> int:
        """The number of letters with an index if one index is computed: two in x_{k+1} = Ax_k + Bu_k; else 0."""
        subscripted = [(node.base, node.low) for node in find_all(Scripts, *self.nodes) if node.low != EMPTY]
        steps = any(low.__class__ is Sum for _, low in subscripted)
        return len({base for base, low in subscripted if any(map(is_name, leaves(low)))}) if steps else 0

    @cached_property
    def shapes(self) -> dict[str, tuple[int, float]]:
        """The terms by their shape, see `bot.formula.keys.shapes`."""
        return shapes(self.nodes)


def with_equations(form: NormalForms, equations: list[NormalNode], unscripted: list[NormalNode]) -> NormalForms:
    """Return the normal forms of a formula with other equations, with and without scripts, and no conditions."""
    stated: tuple[list[NormalNode], list[NormalNode]] = (equations, [])
    return replace(form, canonical=stated, normal=stated, normal_with_names=equations, unscripted=unscripted)


def analyse_forms(form: NormalForms, keys_of_formula: Keys) -> AnalysedFormula:
    """Prepare the normal forms of a formula for comparison."""
    nodes = form.normal[0]
    expanded = without_needless_scripts(expand_abbreviations(nodes))
    return AnalysedFormula(
        form, keys_of_formula, nodes, increments(nodes), expanded, exact_texts(expanded), products(nodes)
    )


@lru_cache(maxsize=4096)
def analyse_formula(tex: str) -> AnalysedFormula:
    """Prepare a formula for comparison; FormulaError if it has no tree."""
    return analyse_forms(normal_forms(tex), keys(tex))
