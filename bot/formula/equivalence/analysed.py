"""One formula as comparison looks at it: what the kinds of equivalence ask for, made once and kept."""

from collections.abc import Iterator
from dataclasses import dataclass
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
from bot.formula.tex.tree import leaves, walk


@dataclass(frozen=True)
class AnalysedFormula:
    """A formula, or what substitutions made of it; `keys` are those of the formula as it was written."""

    form: NormalForms
    keys: Keys
    nodes: list[NormalNode]  # the equations in one notation
    increments: set[str]  # what stands behind d, δ and Δ
    expanded: list[NormalNode]  # sums and differentials spelt out, scripts gone where they tell nothing apart
    exact: list[str] | None  # `expanded` in exact algebra, see `exact_texts`
    products: Products  # those that do not commute

    @cached_property
    def letters(self) -> frozenset[str]:
        """The letters of `expanded`, but e, which may be a number."""
        return frozenset([leaf for node in self.expanded for leaf in leaves(node) if is_name(leaf)]) - {"e"}

    @cached_property
    def variables(self) -> set[str]:
        """Letters with their scripts."""
        return scripted_variables(self.form.normal_with_names)

    @cached_property
    def distinct_variables(self) -> set[str]:
        """Letters with the scripts that tell something apart."""
        return scripted_variables(self.expanded)

    @cached_property
    def number_of_stepped_letters(self) -> int:
        """How many letters have an index, where one of them steps: two in x_{k+1} = Ax_k + Bu_k; 0 where nothing steps."""
        trees: Iterator[NormalNode] = walk(self.nodes)
        below = [(node.base, node.low) for node in trees if node.__class__ is Scripts and node.low != EMPTY]
        steps = any(low.__class__ is Sum for _, low in below)
        return len({base for base, low in below if any(map(is_name, leaves(low)))}) if steps else 0

    @cached_property
    def shapes(self) -> dict[str, tuple[int, float]]:
        """The terms by their shape, see `bot.formula.keys.shapes`."""
        return shapes(self.nodes)


def analysis(form: NormalForms, known: Keys) -> AnalysedFormula:
    """Return what comparison needs of the trees of a formula."""
    nodes = form.normal[0]
    spelt = expand_abbreviations(nodes)
    moved = increments(nodes)
    spelt = without_needless_scripts(spelt)
    return AnalysedFormula(form, known, nodes, moved, spelt, exact_texts(spelt), products(nodes))


@lru_cache(maxsize=4096)
def analysed(tex: str) -> AnalysedFormula:
    """Return what comparison needs of a formula; FormulaError where it has no tree."""
    return analysis(normal_forms(tex), keys(tex))
