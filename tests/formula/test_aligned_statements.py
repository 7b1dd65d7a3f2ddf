"""How two statements lie on each other: what is kept, what is changed, what it costs, and what a corpus says of the changed letter."""

from __future__ import annotations

import pytest

from bot.formula.alignment.equations import stated_equations
from bot.formula.alignment.templates import Templates, holes
from bot.formula.alignment.tree_alignment import best_alignment

CORPUS = [(r"p=w\rho", "a"), (r"p=\gamma\rho", "b"), (r"p=\gamma\rho", "c"), (r"p=\kappa\rho", "c"), (r"p=\kappa\rho", "d"), ("F=ma", "d"), ("F=mg", "e"), ("F=mg", "f"), ("y=x", "f")]  # fmt: skip


@pytest.mark.parametrize(
    ("a", "b", "others", "cost", "support"),
    [
        (r"p=w\rho", r"p=s\rho", (("w", "s"),), 1.0, (3, 2)),
        (r"p=w\rho", r"p=\gamma\rho", (("w", "γ"),), 1.0, (2, 1)),
        ("F=ma", "F=mg", (("a", "g"),), 1.0, (0, 0)),
        ("F=ma", "F=mb", (("a", "b"),), 1.0, (2, 1)),
        ("F=mg", "F=mb", (("g", "b"),), 1.0, (0, 0)),  # a letter of one paper
        ("F=ma", "F=-am", (), 0.2, (0, 0)),
        ("F=ma", "f=ma", (), 0.2, (0, 0)),
        ("F_1=ma", "F=ma", (), 0.0, (0, 0)),
        ("F=a+b", "F=a-b", (), 0.2, (0, 0)),
        ("y<ax", "y<-ax", (), 3.2, (0, 0)),
    ],
)
def test_statements_lie_on_each_other(
    a: str, b: str, others: tuple[tuple[str, str], ...], cost: float, support: tuple[int, int]
) -> None:
    statement = stated_equations(a)[0]
    found = best_alignment(statement, stated_equations(b)[0])
    assert found is not None
    assert (found.unexplained_pairs, round(found.cost, 3)) == (others, cost)
    assert Templates().fit(CORPUS).support(holes(statement), found) == support


@pytest.mark.parametrize(
    ("a", "b"), [("F=ma", "F=m+a"), ("F=ma", "G=ma"), ("F=ma", "G=bc"), ("F=ma", "F=ma^2"), ("F=ma", "F<ma")]
)
def test_statements_of_other_shapes_or_without_a_common_letter_do_not(a: str, b: str) -> None:
    assert best_alignment(stated_equations(a)[0], stated_equations(b)[0]) is None


@pytest.mark.parametrize("documents", [19, 20, 21, 25])
@pytest.mark.parametrize("others", [[], [r"p=w\rho"]])
def test_no_more_than_twenty_documents_of_a_letter_count(documents: int, others: list[str]) -> None:
    corpus = [(r"p=\gamma\rho", f"d{n}") for n in range(documents)] + [(tex, "x") for tex in others]
    (one,), (two,) = stated_equations(r"p=w\rho"), stated_equations(r"p=\alpha\rho")
    found = best_alignment(one, two)
    assert found is not None
    assert Templates().fit(corpus).support(holes(one), found) == (min(documents, 20), 1)
