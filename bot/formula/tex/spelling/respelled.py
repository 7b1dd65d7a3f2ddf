"""All respellings of a formula's text, each behind a text that it needs: most formulas have none of them."""

from collections.abc import Callable

from bot.formula.tex.spelling import chemistry, measures, signs, typed

# One of the texts is in each formula that the function behind them may change; in the order in which they are done.
_RULES: tuple[tuple[tuple[str, ...], Callable[[str], str]], ...] = (
    (("\\of",), typed.with_plain_roots),
    (("\\cases", "\\pmatrix", "\\matrix", "\\eqalign"), typed.with_tables),
    (("\\genfrac",), typed.with_free_fractions),
    (("\\under",), typed.with_arrowed_limits),
    (("\\SI", "\\si{", "\\qty", "\\num", "\\unit"), measures.with_siunitx),
    (("qty",), typed.with_fences),
    (("\\ce",), chemistry.with_chemistry),
    (("{,}",), measures.with_decimal_points),
    (("e}", "E}", "e-", "E-", "E+"), measures.with_powers_of_ten),
    (("\\mathrm",), measures.with_units),
    (("\\mathrm",), chemistry.with_elements),
    (("Var", "Cov", "Corr", "sin(", "cos(", "tan(", "sinh(", "cosh(", "exp(", "log(", "ln(", "max(", "min(", "det(", "erf(", "sgn("), typed.with_named_operators),
    (("[", "]"), typed.with_round_intervals),
    (("\\sim", "∼"), signs.with_negations),
    (("\\forall", "\\exists", "∀", "∃"), signs.with_open_quantifiers),
    (("//", "/\\!"), signs.with_parallels),
    (("\\%",), signs.with_remainders),
    (("\\equiv",), signs.with_moduli),
    (("s.t", "st}", "such that"), signs.with_constraints),
    (("i.i", "i. i"), signs.with_independence),
)  # fmt: skip


def respelled(tex: str) -> str:
    """Return the formula in the spelling that is cut into tokens."""
    for texts, respell in _RULES:
        for text in texts:
            if text in tex:
                tex = respell(tex)
                break
    if not tex.isascii():
        tex = typed.with_unicode_roots(typed.with_compatible_signs(tex))
    return tex
