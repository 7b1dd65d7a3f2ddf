"""Generated forms: each named, readable, and what comparison says of them; near misses are other formulas."""

from __future__ import annotations

import pytest

import bot
from bot.errors import FormulaError
from bot.formula.generation.tex_pieces import without_needless_blanks

FORMS = {
    "E=mc^2": {
        "swapped sides": "mc^2=E",
        "to one side": "E-mc^2=0",
        "reordered factors": "E=c^2 m",
        "multiplication signs": r"E=m \cdot c^2",
        "solved for another": r"m=\frac{E}{c^2}",
        "letters by convention": "W=mc^2",
        "label below": "E=m_{eff}c^2",
    },
    r"F=-G{\frac {m_{1}m_{2}}{r^{2}}}": {
        "slash": "F=-G((m_{1}m_{2})/(r^{2}))",
        "negative powers": "F=-G m_{1} m_{2} r^{-2}",
        "reordered factors": r"F=-\frac{m_{2} m_{1} G}{r^{2}}",
    },
    r"v=\sqrt{x}e^{-kt}+1": {
        "roots as powers": "v=x^{1/2}e^{-kt}+1",
        "exponential function": r"v=\sqrt{x}\exp\left(-kt\right)+1",
        "commuted terms": r"v= 1 +\sqrt{x}e^{-kt}",
    },
    r"m\frac{d^2 x}{dt^2}=-kx": {"notation of derivatives": r"m\ddot{x}=-kx"},
    r"\sum_i a_i b_i = c": {"sum sign left out": "a_ib_i=c"},
    r"E=\hbar^2\omega": {"constants in other terms": r"E=\left(\frac{h}{2\pi}\right)^2\omega"},
    r"\vec{F}=m\vec a": {"notation of vectors": r"\mathbf{F}=m\mathbf{a}"},
}


@pytest.mark.parametrize("tex", FORMS)
def test_a_formula_is_written_in_each_way_that_applies(tex: str) -> None:
    forms = bot.equivalent_forms(tex)
    found = {form.transformations: form.tex for form in forms}
    assert {(name,): other for name, other in FORMS[tex].items()}.items() <= found.items()
    assert all(form.same_concept for form in forms)
    # A label, or other letters in a short formula, may be another quantity for all that the formulas say.
    certain = [f.tex for f in forms if not f.transformations[0].startswith(("label", "upright", "index", "letters", "renaming", "sum"))]  # fmt: skip
    assert [other for other in certain if not bot.compare(tex, other, builtin=False).same_concept] == []


def test_near_misses_name_what_was_changed() -> None:
    found = {form.transformations[0]: form.tex for form in bot.near_misses(r"E=\frac{1}{2}mv^2+V")}
    assert found == {
        "exponent": r"E=\frac{1}{2}mv^3+V",
        "sign": r"E=\frac{1}{2}mv^2-V",
        "operation": found["operation"],
        "factor": r"E=\frac{1}{3}mv^2+V",
        "turned over": r"E=\frac{2}{1}mv^2+V",
        "term left out": found["term left out"],
        "roles": found["roles"],
    }
    assert found["term left out"] in (r"E=\frac{1}{2}mv^2", "E=V")
    assert not any(form.same_concept for form in bot.near_misses("E=mc^2"))


def test_the_same_seed_gives_the_same_forms_and_more_steps_give_further_ones() -> None:
    tex = r"i\hbar\frac{\partial}{\partial t}\psi=-\frac{\hbar^2}{2m}\nabla^2\psi+V\psi"
    assert bot.equivalent_forms(tex, seed=3, steps=3) == bot.equivalent_forms(tex, seed=3, steps=3)
    assert {len(form.transformations) for form in bot.equivalent_forms(tex, seed=3, steps=3)} == {3}
    assert bot.equivalent_forms(tex, seed=3, steps=3) != bot.equivalent_forms(tex, seed=4, steps=3)


@pytest.mark.parametrize(
    "tex", [r"A=BA^{T}", r"\mathbf{a}=\mathbf{b}\mathbf{c}", r"y=\sin x f(x)", r"a=\frac{dx}{dt}b"]
)
def test_factors_that_may_not_be_moved_stay(tex: str) -> None:
    names = {name for form in bot.equivalent_forms(tex) for name in form.transformations}
    assert not names & {"reordered factors", "negative powers", "solved for another", "multiplication signs"}


def test_a_formula_without_a_tree_is_refused() -> None:
    with pytest.raises(FormulaError):
        bot.equivalent_forms("{" * 300)


def test_blanks_that_say_nothing_are_left_out() -> None:
    assert (
        without_needless_blanks(r"\mathrm {T} ={\frac {a\ b}{\sqrt {{\frac {1}{c}}}}} \alpha x")
        == r"\mathrm{T}=\frac{a\ b}{\sqrt{\frac{1}{c}}}\alpha x"
    )
