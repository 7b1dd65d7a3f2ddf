"""Each limit on size holds where it is said to: what is just within is answered, what is just beyond is not."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from bot.formula import FormulaError, keys, parse
from bot.formula.alignment.equations import stated_equations
from bot.formula.alignment.extensions import further_terms
from bot.formula.features.sides import chain_equalities
from bot.formula.normal.stages import normal_forms
from bot.formula.numeric.expressions import ExpressionReader, NotComputable
from bot.formula.validity.check import check

LETTERS = "abcfghjklmnopqrsuvwyz"


def _same(one: str, other: str, level: str) -> bool:
    return keys(one).at(level) == keys(other).at(level)


def _read(tex: str) -> bool:
    try:
        return bool(parse(tex).tokens)
    except FormulaError:
        return False


def _computed(tex: str) -> bool:
    try:
        return ExpressionReader({}).read(normal_forms(tex).normal[0][0]) is not None
    except NotComputable:
        return False


def _sum_of(number: int, term: str) -> str:
    return "+".join(term.replace("?", str(i)) for i in range(number))


LIMITS: dict[str, tuple[int, Callable[[int], bool]]] = {
    "degree of a root that is taken away": (100, lambda n: _same(rf"y=\sqrt[{n}]{{x}}", f"x=y^{{{n}}}", "K4")),
    "letters of a statement": (12, lambda n: bool(stated_equations("+".join("abjlmnpqruvwyz"[:n]) + "=1"))),
    "terms of an expanded product": (
        39,
        lambda n: _same(f"y=a({_sum_of(n, 'x_{?}')})", f"y={_sum_of(n, 'ax_{?}')}", "K4"),
    ),
    "digits of a number that is computed": (29, lambda n: _same(f"y=1.{'0' * (n - 2)}x", "y=x", "K5")),
    "links of a chain": (5, lambda n: f"a={LETTERS[n]}" in chain_equalities("=".join(LETTERS))),
    "exponent of a power that is computed": (60, lambda n: _computed(f"x^{{{n}}}")),
    "nodes of a side that is computed": (239, lambda n: _computed("+".join(["x"] * n))),
    "parentheses in each other": (39, lambda n: _read("(" * n + "x" + ")" * n)),
    "braces in each other": (40, lambda n: _read("{" * n + "x" + "}" * n)),
    "integrals of one term": (40, lambda n: _read(r"\int " * n + "x")),
    "slashes of one term": (40, lambda n: _read("a" + "/b" * n)),
    "characters of a value that is repaired": (4000, lambda n: check(" " * (n - 3) + "x=y").mended == "x=y"),
    "scripts on scripts": (41, lambda n: _read("x" + "^a" * n)),
    "further terms with a name": (
        3,
        lambda n: further_terms("y=abc", "y=abc+" + _sum_of(n, "x_?^?")).count("x") == n,
    ),
}


@pytest.mark.parametrize("what", LIMITS)
def test_a_limit_holds_where_it_is_said_to(what: str) -> None:
    most, within = LIMITS[what]
    assert (within(most), within(most + 1)) == (True, False)
