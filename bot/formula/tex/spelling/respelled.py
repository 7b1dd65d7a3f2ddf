"""All respellings of a formula's text, each behind a text that it needs: most formulas have none of them."""

import re
from collections.abc import Callable, Iterable

from bot.formula.tex.spelling import chemistry, measures, package_macros, signs, typed

# One of the texts is in each formula that the function behind them may change; in the order in which they are done.
_Rule = tuple[tuple[str, ...], Callable[[str], str]]
_OF_COMMANDS: tuple[_Rule, ...] = (
    (("\\of",), typed.with_plain_roots),
    (("\\cases", "\\pmatrix", "\\matrix", "\\eqalign"), typed.with_tables),
    (("\\genfrac",), typed.with_free_fractions),
    (("\\underleftarrow", "\\underrightarrow"), typed.with_arrowed_limits),
    (("\\SI", "\\si", "\\qty", "\\num", "\\unit"), measures.with_siunitx),
    (("\\qty", "\\pqty", "\\bqty", "\\Bqty", "\\vqty"), typed.with_fences),
    (("\\ce",), chemistry.with_chemistry),
    (package_macros.NAMES, package_macros.with_package_macros),
)  # fmt: skip
_RULES: tuple[_Rule, ...] = (
    (("{,}",), measures.with_decimal_points),
    (("{e", "{E", "e-", "E-"), measures.with_powers_of_ten),
    (("\\mathrm",), measures.with_units),
    (("\\mathrm",), chemistry.with_elements),
    (("Var", "Cov", "sin(", "cos(", "tan(", "exp(", "log(", "ln(", "max(", "min("), typed.with_named_operators),
    (("[", "]"), typed.with_round_intervals),
    (("\\sim",), signs.with_negations),
    (("\\forall", "\\exists"), signs.with_open_quantifiers),
    (("/\\!",), signs.with_parallels),
    (("\\%",), signs.with_remainders),
    (("\\equiv",), signs.with_moduli),
    (("s.t", "such that"), signs.with_constraints),
    (("i.i", "i. i"), signs.with_independence),
    (("\\big", "\\Big", "mod"), typed.without_braces_of_signs),
    (("\\hspace",), measures.with_wide_spaces),
    (("N_",), measures.with_labelled_numbers),
    (("$",), typed.with_open_boxes),
    (("\\Re", "\\Im"), typed.with_parts_of_complex_numbers),
    (("arg", "\\overline", "\\underline", "\\mathchar"), package_macros.with_one_spelling),
)  # fmt: skip
_OF_UNICODE: tuple[_Rule, ...] = (
    (("∼",), signs.with_negations),
    (("∀", "∃"), signs.with_open_quantifiers),
    (("√", "∛"), typed.with_unicode_roots),
    (("½", "⅓", "⅔", "¼", "¾", "⅕", "⅙", "⅛", "℃"), typed.with_compatible_signs),
    (("",), typed.with_raised_characters),
)
_ANY_COMMAND = re.compile(rf"\\(?:{'|'.join(text[1:] for texts, _ in _OF_COMMANDS for text in texts)})(?![A-Za-z])")


def respelled(tex: str) -> str:
    """Return the formula in the spelling that is cut into tokens."""
    if _ANY_COMMAND.search(tex):
        tex = _changed(tex, _OF_COMMANDS)
    if measures.ITALIC_NUMBER.match(tex):
        tex = measures.with_italic_number(tex)
    tex = _changed(tex, _RULES)
    return tex if tex.isascii() else _changed(tex, _OF_UNICODE)


def _changed(tex: str, rules: Iterable[_Rule]) -> str:
    for texts, change in rules:
        for text in texts:
            if text in tex:
                tex = change(tex)
                break
    return tex
