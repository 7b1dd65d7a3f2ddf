"""One formula as comparison looks at it: its keys and normal trees, and what is made of them, each made once."""

from __future__ import annotations

from functools import cached_property, lru_cache

from bot.formula.equivalence.order import Products, products
from bot.formula.keys.algebra import equation, exact, loose
from bot.formula.keys.alpha_equivalence import atomic, is_name
from bot.formula.keys.constants import is_constant, marked
from bot.formula.keys.expanded import expanded, increments
from bot.formula.keys.levels import Keys, keys
from bot.formula.normal.render import render
from bot.formula.normal.scripts import apart
from bot.formula.normal.stages import Forms, forms, states
from bot.formula.tex.tree import NORMAL_SHAPES, Node, children, leaves


class Side:
    """A formula, or what substitutions made of it; `keys` are those of the formula as it was written."""

    def __init__(self, form: Forms, known: Keys) -> None:
        self.form = form
        self.keys = known
        self.nodes = form.noted[0]

    @cached_property
    def increments(self) -> set[str]:
        """d, δ, Δ before letters."""
        return increments(self.nodes)

    @cached_property
    def products(self) -> Products:
        """Products that do not commute."""
        return products(self.nodes)

    @cached_property
    def partial(self) -> bool:
        return any(token in ("∂", "\\partial") for token in self.form.formula.tokens)

    @cached_property
    def spelt(self) -> list[Node]:
        """Sums and differentials spelt out, scripts gone where they tell nothing apart."""
        return apart(expanded(self.nodes))

    @cached_property
    def quotients(self) -> list[Node]:
        """The same with dW/dx as one differential over another."""
        return apart(expanded(self.nodes, quotients=True))

    @cached_property
    def states(self) -> bool:
        return all(states(node) for node in self.spelt)

    @cached_property
    def letters(self) -> frozenset[str]:
        """All letters of the spelt trees but e, which may be a number."""
        return frozenset(leaf for node in self.spelt for leaf in leaves(node, NORMAL_SHAPES) if is_name(leaf)) - {"e"}

    @cached_property
    def own(self) -> frozenset[str]:
        """Letters that are no constants, scripts aside."""
        found = apart([marked(node) for node in self.nodes])
        everything = (leaf for node in found for leaf in leaves(node, NORMAL_SHAPES))
        return frozenset(leaf for leaf in everything if is_name(leaf) and not is_constant(leaf))

    @cached_property
    def variables(self) -> set[str]:
        """Letters with their scripts."""
        return variables(self.form.named)

    @cached_property
    def arguments(self) -> frozenset[str]:
        """Letters in the parentheses of calls."""
        found: set[str] = set()
        stack = list(self.nodes)
        while stack:
            node = stack.pop()
            if node.__class__ is tuple:
                if node[0] == "call":
                    found.update(leaf for leaf in leaves(node[3], NORMAL_SHAPES) if is_name(leaf))
                stack.extend(children(node, NORMAL_SHAPES))
        return frozenset(found)

    @cached_property
    def plain(self) -> list[str]:
        """The trees without scripts that tell nothing apart, sorted."""
        return sorted([render(node) for node in apart(self.nodes)])

    @cached_property
    def loose(self) -> list[str] | None:
        """What K4 compares; None where algebra does not apply."""
        return loosely(self.nodes)

    @cached_property
    def exact(self) -> list[str] | None:
        return exactly(self.spelt)


def loosely(nodes: list[Node]) -> list[str] | None:
    """Return the equations without constants, numbers and signs, sorted; None where algebra does not apply to one of them."""
    found = [equation(node, is_constant) for node in apart([marked(node) for node in nodes])]
    return sorted([loose(*each) for each in found if each]) if all(found) else None


def exactly(nodes: list[Node]) -> list[str] | None:
    """Return the equations in exact algebra, sorted; None where it does not apply to one of them, or where one holds numbers only."""
    texts: list[str] = []
    for node in nodes:
        found = equation(node)
        if found is None or not any([atom[:1] != "#" for atom in found[1].atoms]):
            return None
        texts.append(exact(*found))
    return sorted(texts)


def variables(nodes: list[Node]) -> set[str]:
    """Return the variables of normal trees, a letter with its scripts being one."""
    return {leaf for node in nodes for leaf in leaves(atomic(node), NORMAL_SHAPES) if leaf[0] == "$"}


@lru_cache(maxsize=4096)
def side(tex: str) -> Side:
    """Return a formula's side; FormulaError where it has no tree."""
    return Side(forms(tex), keys(tex))
