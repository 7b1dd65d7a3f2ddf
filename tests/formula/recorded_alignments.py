"""What formulas state, how they are drawn, and how two of them lie on each other, recorded beside keys and relations.

`python tests/formula/recorded_alignments.py` records it anew, where a change is meant.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from random import Random
from typing import Any

from recorded_forms import DATA, _plain, _short, _tried, formulas, pairs

from bot.formula.alignment.differences import first_difference, label_difference
from bot.formula.alignment.equations import Equation, stated_equations
from bot.formula.alignment.equivalence_evidence import (
    FEATURE_NAMES,
    NoPriorKnowledge,
    feature_values,
    nearest_alignment,
    shipped_weights,
)
from bot.formula.alignment.forms.solutions import stated_functions, unknown_function
from bot.formula.alignment.forms.unlike_forms import common_form_points
from bot.formula.alignment.forms.vector_forms import vector_form, without_indices
from bot.formula.alignment.forms.written_sums import has_series, has_written_sum, with_convention
from bot.formula.alignment.templates import Templates
from bot.formula.drawing.mathml import _is_short_work
from bot.formula.drawing.plain_text import plain_text
from bot.formula.features.spacetime_parts import _marked_equations, spacetime_parts
from bot.formula.generation.near_misses import CHANGES
from bot.formula.generation.tex_pieces import without_needless_blanks
from bot.formula.generation.transformations import TRANSFORMATIONS
from bot.formula.normal.render import render
from bot.formula.normal.stages import normal_forms
from bot.formula.numeric.expressions import ExpressionReader, NotComputable
from bot.formula.numeric.sampling import compare_solutions
from bot.formula.numeric.system_pair import read_system_pair
from bot.formula.numeric.values import EVALUATION_ERRORS, compile_expression
from bot.formula.quantities.dimensions import DIMENSIONLESS, Dimension, has_balanced_dimensions, parse_dimension
from bot.formula.quantities.formula_symbols import FormulaSymbol, formula_symbols, symbol_of
from bot.formula.tex.clean import clean
from bot.formula.tex.nodes import Relation
from bot.messages import Message

# More pairs that differ in one thing: what two formulas of one shape can say otherwise.
OWN = [
    (r"p=w\rho", r"p=\alpha\rho"), (r"p=w\rho", r"P=w\rho"), (r"p=w\rho", r"p=-w\rho"), (r"p=w\rho", r"p_X(t)=w_X(t)\rho_X(t)"),
    (r"p=w\rho c^2", r"p=w\rho"), (r"w=p/\rho", r"p=w\rho"), ("F=qE", r"\mathbf{F}=q\mathbf{E}"), ("F_x=ma_x", "F_y=ma_x"),
    ("E=mc^3", "E=mc^2"), ("E=mc", "E=mc^2"), ("F=m+a", "F=ma"), ("F=m/a", "F=ma"), ("F=2ma", "F=ma"), ("p=-mv", "p=mv"),
    (r"\dot p=F", "p'=F"), (r"E=\frac12mv^2", "E=mv^2"), (r"s=vt", r"s=vt+\frac12at^2"), ("x<y+z", "y+z<x"), ("x>y+z", "x<y+z"),
    ("a_1b_2=c_3", "a_2b_1=c_3"), (r"\sum_i x_i=y", r"\sum_j x_j=y"), ("K=E-V", "L=T-V"), (r"T_{\mu\nu}=g_{\mu\nu}R", r"T_{ab}=g_{ab}R"),
    ("a+b+c=d", "d=a+b+c"), ("A=BCDEFGH", "A=BCDEFGK"), ("a=b=c", "a=c"), (r"y=\sin x", r"y=\cos x"), (r"y=e^{-x}", r"y=e^{x}"),
    (r"p_X=w_X\rho_X", r"q_X=v_X\sigma_X"), (r"\mathbf{F}=q\mathbf{E}", r"\mathbf{G}=m\mathbf{g}"), ("F=qE", "G=mg"), ("p_1=wp_2", "q_1=vq_2"), (r"\mathbf{F}=F\mathbf{e}", r"\mathbf{G}=G\mathbf{u}"), (r"p_M=w\rho_M", r"p_R=w\rho_R"),
]  # fmt: skip
TEMPLATES = Templates().fit((tex, f"d{n}") for n, tex in enumerate([r"p=w\rho", r"p=\gamma\rho", r"p=\kappa\rho", r"p=s\rho", "F=ma", "F=mg"]))  # fmt: skip

LENGTH = parse_dimension("L") or DIMENSIONLESS


def of_formula(tex: str) -> dict[str, Any]:
    """Return what a formula states, its symbols and how it is written otherwise, and as a line of text what is drawn at once, without a process that a busy machine may end."""
    return {
        "tex": tex,
        "states": [_statement(each) for each in stated_equations(tex)],
        "text": plain_text(tex) if _is_short_work(tex) else "",
        "symbols": [
            [each.tex, each.letter, each.index, each.is_difference, *each.keys] for each in formula_symbols(tex)
        ],
        "symbol": (alone := symbol_of(tex)) and alone.keys,
        "vectors": _tried(_as_vectors, tex),
        "meets": _short([sorted(map(repr, each)) for each in common_form_points(tex)]),
        "summed": _tried(_summed, tex),
        "spacetime": _tried(_of_spacetime, tex),
        "computed": _tried(_computed, tex),
        "balance": _balanced(tex, formula_symbols(tex)),
        "ways": _short(_ways(without_needless_blanks(clean(tex)))),
        "changes": _short({kind: list(ways(clean(tex))) for kind, ways in CHANGES.items()}),
    }


def _balanced(tex: str, symbols: tuple[FormulaSymbol, ...]) -> str:
    """Whether sides and terms agree where all symbols are numbers, where one of them is a length, and where one is not known."""
    numbers = {key: DIMENSIONLESS for each in symbols for key in each.keys}
    found = [has_balanced_dimensions(tex, numbers)]
    for each in symbols:
        others: dict[str, Dimension] = {key: one for key, one in numbers.items() if key not in each.keys}
        found += [
            has_balanced_dimensions(tex, others | dict.fromkeys(each.keys, LENGTH)),
            has_balanced_dimensions(tex, others),
        ]
    return "".join({True: "y", False: "n", None: "."}[said] for said in found)


def _as_vectors(tex: str) -> list[str | None]:
    """As an equation of vectors, by integral theorems, components and indices; "" where it stays as it is."""
    made = [
        way(node)
        for node in normal_forms(tex).normal_with_names
        for way in (partial(vector_form, dots=True), without_indices)
    ]
    as_it_is = [node for node in normal_forms(tex).normal_with_names for _ in range(2)]
    return [new and ("" if new == old else render(new)) for new, old in zip(made, as_it_is, strict=True)]


def _summed(tex: str) -> list[list[Any]]:
    """What each equation writes as a sum or a series, and the function that it asks for or states."""
    return [
        [
            "" if (found := with_convention(node)) == node else render(found),
            "".join("ny"[said(node)] for said in (has_series, has_written_sum)),
            unknown_function(node),
            sorted(stated_functions(node)),
        ]
        for node in normal_forms(tex).normal_with_names
    ]


def _of_spacetime(tex: str) -> dict[str, str] | None:
    found = spacetime_parts(_marked_equations(tex))
    return found and {which: render(node) for which, node in found.parts.items()}


def _computed(tex: str) -> list[Any]:
    """Each side as an expression and its value at one point, with what marks it; "" where it cannot be computed."""
    found: list[Any] = []
    for side in (side for node in normal_forms(tex).unscripted if isinstance(node, Relation) for side in node.sides):
        names: dict[str, int] = {}
        reader = ExpressionReader(names)
        try:
            expression = reader.read(side)
            value = complex(compile_expression(expression)([2.0 + 0.3 * n for n in range(len(names))]))
            found.append([_short(repr(expression)), sorted(reader.marks), f"{value:.9g}"])
        except NotComputable:
            found.append("")
        except EVALUATION_ERRORS as error:
            found.append(type(error).__name__)
    return found


def _ways(tex: str) -> dict[str, list[str | None]]:
    return {name: [way(tex, Random(seed)) for seed in range(6)] for name, way in TRANSFORMATIONS.items()}


def _statement(found: Equation) -> list[Any]:
    symbols = [[s.name, s.letter, s.style, s.label] for s in found.symbols]
    rest = [found.signs, found.terms, found.places, found.letter_places, found.symbols_by_place]
    return [symbols, found.sign, found.is_whole_formula, found.has_prime_derivative, sorted(found.constants), sorted(found.letters), found.shape[:40], _short(rest)]  # fmt: skip


def of_pair(a: str, b: str) -> dict[str, Any]:
    """Return how two formulas lie on each other, what the one says otherwise, and what sampling says of both."""
    found = nearest_alignment(a, b, NoPriorKnowledge())
    laid = found[0] if found else None
    numbers = feature_values(*found, TEMPLATES, 0.7, 0.25) if found else None
    return {
        "a": a,
        "b": b,
        "laid": _plain(laid),
        "cost": laid and [_plain(laid.cost), laid.is_short],
        "evidence": None if numbers is None else dict(zip(FEATURE_NAMES, _plain(numbers.tolist()), strict=True)),
        "probability": None if numbers is None else _plain(shipped_weights().probability(numbers)),
        "differs": [_said(first_difference(a, [b])), _said(first_difference(b, [a]))],
        "labels": [_tried(lambda tex: _said(label_difference(tex, b)), a)],
        "sampled": _tried(
            lambda tex: compare_solutions(read_system_pair(normal_forms(tex).unscripted, normal_forms(b).unscripted)), a
        ),
    }


def _said(message: Message | None) -> str:
    return message.code if message else ""


def _statements(step: int) -> list[dict[str, Any]]:
    return [of_formula(tex) for tex in formulas()[::step]]


def _alignments(step: int) -> list[dict[str, Any]]:
    return [of_pair(a, b) for a, b in [*OWN, *pairs()][::step]]


# What makes the rows of each file, every `step`-th of them.
WORK: dict[str, Callable[[int], list[dict[str, Any]]]] = {
    "recorded_statements.jsonl": _statements,
    "recorded_alignments.jsonl": _alignments,
}


if __name__ == "__main__":
    for name, make in WORK.items():
        text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in make(1))
        (DATA / name).write_text(text, encoding="utf-8")
